//! The cost of deciding, of learning, of a front and of a whole round, at the sizes of the contract (m = 5).
//!
//! `cargo bench -p moglb` runs all; `cargo bench -p moglb -- arms=40` runs the paper's size. The machine is
//! shared: compare within one run, as ratios.

use chacha20::ChaCha8Rng;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use moglb::{
    ArmSet, Decision, EkfUcb, EkfUcbConfig, Link, Matrix, MoglbEb, MoglbEbConfig, MoglbUcb, MoglbUcbConfig,
    Norms, Objective, Problem, Restorable, Width, draw, front,
};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

const SIZES: [(usize, usize); 5] = [(40, 10), (1000, 50), (10_000, 100), (100_000, 32), (1_000_000, 32)];
const OBJECTIVES: usize = 5;

/// The number of rounds played before measuring: projections are frequent at first and become rare.
fn warm_up(n_arms: usize) -> usize {
    if n_arms <= 1000 { 500 } else { 5 }
}

/// A policy that has played for a while, with its arms and the true coefficients.
struct Player<P> {
    arms: Arc<ArmSet<'static>>,
    theta: Matrix,
    policy: P,
    decision: Decision,
    rng: ChaCha8Rng,
}

impl<P: Restorable> Player<P> {
    fn new(n_arms: usize, dim: usize, make: impl Fn(Problem) -> P) -> Self {
        let mut rng = draw::seeded(1);
        let arms = Arc::new(ball(n_arms, dim, &mut rng));
        let theta: Vec<f64> = (0..OBJECTIVES)
            .flat_map(|_| ball(1, dim, &mut rng).context(0).iter().map(|x| x.abs()).collect::<Vec<_>>())
            .collect();
        let link = |i: usize| if i < 2 { Link::Probit } else { Link::Logit };
        let objectives = (0..OBJECTIVES).map(|i| Objective::new(format!("y{i}"), link(i))).collect();
        let policy = make(Problem::new(dim, objectives).unwrap());
        let theta = Matrix::new(dim, theta).unwrap();
        let mut player = Self { arms, theta, policy, decision: Decision::lean(), rng };
        for _ in 0..warm_up(n_arms) {
            player.round();
        }
        player
    }

    fn round(&mut self) {
        self.policy.decide_into(&self.arms, &mut self.rng, &mut self.decision).unwrap();
        let arm = self.arms.arm(self.decision.arm);
        let mut reward = [0.0; OBJECTIVES];
        for (i, y) in reward.iter_mut().enumerate() {
            let score: f64 = self.theta.row(i).iter().zip(arm.context()).map(|(a, b)| a * b).sum();
            let link = self.policy.problem().objectives()[i].link;
            *y = f64::from(u8::from(draw::unit(&mut self.rng) < link.mean(score)));
        }
        self.policy.learn(arm, &reward).unwrap();
    }
}

/// Three quarters of the arms in the ball of radius 1/2, the rest in the unit ball.
fn ball(n_arms: usize, dim: usize, rng: &mut ChaCha8Rng) -> ArmSet<'static> {
    let mut contexts = Vec::with_capacity(n_arms * dim);
    for arm in 0..n_arms {
        let radius = if arm < n_arms * 3 / 4 { 0.5 } else { 1.0 };
        let x: Vec<f64> = (0..dim).map(|_| draw::normal(rng)).collect();
        let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let scale = radius * draw::unit(rng).powf(1.0 / dim as f64) / length;
        contexts.extend(x.iter().map(|x| x * scale));
    }
    ArmSet::new(dim, contexts, Norms::Strict).unwrap()
}

fn rounds(criterion: &mut Criterion) {
    let moglb_ucb = |problem: Problem| {
        let config = MoglbUcbConfig { width: Width::Tuned { c: 0.1 }, ..Default::default() };
        MoglbUcb::new(problem, config).unwrap()
    };
    measure(criterion, "moglb-ucb", &SIZES, moglb_ucb);
    let ekf_ucb = |problem: Problem| EkfUcb::new(problem, EkfUcbConfig::default()).unwrap();
    measure(criterion, "ekf-ucb", &SIZES[..3], ekf_ucb);
    let moglb_eb = |problem: Problem| MoglbEb::new(problem, MoglbEbConfig::default()).unwrap();
    measure(criterion, "moglb-eb", &SIZES[..2], moglb_eb);
}

fn measure<P: Restorable + Clone>(
    criterion: &mut Criterion,
    name: &str,
    sizes: &[(usize, usize)],
    make: impl Fn(Problem) -> P,
) {
    for &(n_arms, dim) in sizes {
        let mut player = Player::new(n_arms, dim, &make);
        let mut group = criterion.benchmark_group(name);
        group.sample_size(if n_arms <= 1000 { 50 } else { 10 });
        group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
        let size = format!("d={dim},arms={n_arms},m={OBJECTIVES}");
        group.bench_function(BenchmarkId::new("decide", &size), |bencher| {
            let Player { arms, policy, decision, rng, .. } = &mut player;
            bencher.iter(|| policy.decide_into(arms, rng, decision).unwrap());
        });
        group.bench_function(BenchmarkId::new("learn", &size), |bencher| {
            let mut policy = player.policy.clone();
            let reward = [1.0, 0.0, 1.0, 0.0, 1.0];
            let mut next = 0;
            bencher.iter(|| {
                next = (next + 1) % n_arms;
                policy.learn(player.arms.arm(moglb::ArmId(next)), black_box(&reward)).unwrap();
            });
        });
        group.bench_function(BenchmarkId::new("round-fresh", &size), |bencher| {
            // The arm sets are made outside of the measurement. Four sets take turns, or one if they are
            // large.
            let sets: Vec<ArmSet<'static>> = (0..if n_arms > 100_000 { 1 } else { 4 })
                .map(|seed| ball(n_arms, dim, &mut draw::seeded(seed)))
                .collect();
            let mut turn = 0;
            bencher.iter(|| {
                turn = (turn + 1) % sets.len();
                let Player { policy, decision, rng, .. } = &mut player;
                policy.decide_into(&sets[turn], rng, decision).unwrap();
                policy.learn(sets[turn].arm(decision.arm), &[1.0, 0.0, 1.0, 0.0, 1.0]).unwrap();
            });
        });
        // This is measured last, because fixed arms stay fixed.
        player.policy.fix_arms(&player.arms).unwrap();
        group.bench_function(BenchmarkId::new("round", &size), |bencher| bencher.iter(|| player.round()));
        group.finish();
    }
}

fn fronts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("front");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for n in [40, 1000, 10_000, 100_000, 1_000_000] {
        for m in [2, 3, 5, 8] {
            let mut rng = draw::seeded(3);
            let points = Matrix::new(m, (0..n * m).map(|_| draw::unit(&mut rng)).collect()).unwrap();
            group.bench_function(format!("uniform/n={n},m={m}"), |bencher| {
                bencher.iter(|| front(&points).unwrap())
            });
        }
    }
    group.finish();
}

criterion_group!(benches, rounds, fronts);
criterion_main!(benches);
