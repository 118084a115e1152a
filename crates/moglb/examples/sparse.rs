//! The cost of sparse contexts compared with the same contexts in dense form: `cargo run --example sparse
//! [rounds]`.
//!
//! MOGLB-UCB with two objectives decides among K = 100 fresh arms with D = 2000 features, 1 % of which are
//! not zero, and learns the reward of one arm. Nonzero entries are anywhere, or in one block of 20 per arm.
//! Both forms are played in turn and must agree.

use moglb::{
    ArmSet, Csr, Decision, Error, Link, MoglbUcb, MoglbUcbConfig, Norms, Objective, Policy, Problem, Rng,
    SparseRow, draw,
};
use std::time::{Duration, Instant};

const ARMS: usize = 100;
const DIM: usize = 2000;
const STORED: usize = 20;
/// The bound on ‖θ‖. Estimates that leave it are projected, which costs O(D²) however sparse the context is.
const RADIUS: f64 = 4.0;

fn main() -> Result<(), Error> {
    let rounds = std::env::args().nth(1).and_then(|text| text.parse().ok()).filter(|&n| n > 0).unwrap_or(20);
    println!("K = {ARMS}, D = {DIM}, {STORED} entries per context, {rounds} rounds, median of a round in ms");
    compare("entries anywhere", rounds, |_, rng| draw::below(DIM, rng))?;
    compare("one block per arm", rounds, |(arm, k), _| arm * STORED + k)
}

/// Plays the sparse and the dense form in turn.
fn compare(
    name: &str,
    rounds: usize,
    column: impl Fn((usize, usize), &mut dyn Rng) -> usize,
) -> Result<(), Error> {
    let objectives =
        vec![Objective::new("click", Link::Logit), Objective::new("cost", Link::Identity).minimize()];
    let sparse =
        MoglbUcb::new(Problem::new(DIM, objectives)?.with_radius(RADIUS)?, MoglbUcbConfig::default())?;
    let mut policies = [sparse.clone(), sparse];
    let (mut rng, mut times) = (draw::seeded(1), [const { Vec::new() }; 4]);
    for t in 0..rounds as u64 {
        let starts = (0..=ARMS).map(|arm| arm * STORED).collect();
        let columns = (0..ARMS * STORED).map(|n| column((n / STORED, n % STORED), &mut rng)).collect();
        let values = (0..ARMS * STORED).map(|_| 0.2 * draw::normal(&mut rng)).collect();
        let table = Csr::new(DIM, starts, columns, values)?;
        let rows = table.rows().flat_map(SparseRow::to_dense).collect();
        let sets = [ArmSet::sparse(table, Norms::Clip)?, ArmSet::new(DIM, rows, Norms::Clip)?];
        for (k, (policy, arms)) in policies.iter_mut().zip(&sets).enumerate() {
            let mut decision = Decision::lean();
            let start = Instant::now();
            policy.decide_into(arms, &mut draw::seeded(t), &mut decision)?;
            times[2 * k].push(start.elapsed());
            let start = Instant::now();
            policy.learn(arms.arm(decision.arm), &[draw::unit(&mut draw::seeded(t)).round(), 0.3])?;
            times[2 * k + 1].push(start.elapsed());
        }
    }
    assert!(policies[0].theta() == policies[1].theta(), "the same bits");
    assert!(policies[0].gram(0) == policies[1].gram(0), "the same bits");
    println!(
        "{name}: {} projections in {rounds} rounds",
        policies[0].model().map_or(0, |model| model.projection_hits())
    );
    let [decide, learn, dense_decide, dense_learn] = times.map(median);
    println!(
        "{name}: decide {decide:.3} sparse, {dense_decide:.3} dense ({:.1} times)",
        dense_decide / decide
    );
    println!("{name}: learn {learn:.3} sparse, {dense_learn:.3} dense ({:.1} times)", dense_learn / learn);
    Ok(())
}

/// The median in milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}
