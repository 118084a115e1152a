//! Arms that are any number in [0, 1]: prices, for customers with one known feature. The two objectives are
//! sales and revenue.
//!
//! `cargo run --release -p moglb --example pricing`

use moglb::{Error, Link, Matrix, Objective, PczInterval, PczIntervalConfig, Rng, draw, gaps};

const ROUNDS: usize = 3000;

/// The chance that a customer buys at a price, and the expected revenue.
fn means(customer: f64, price: f64) -> [f64; 2] {
    let buys = (0.9 - 0.9 * (price - 0.3 * customer).max(0.0)).clamp(0.0, 1.0);
    [buys, price * buys]
}

/// The Pareto suboptimality gap of a price, among prices in steps of a hundredth.
fn gap(customer: f64, price: f64) -> Result<f64, Error> {
    let mut rows: Vec<[f64; 2]> = (0..=100).map(|step| means(customer, f64::from(step) / 100.0)).collect();
    rows.push(means(customer, price));
    Ok(gaps(&Matrix::from_rows(&rows)?)?[101])
}

/// Plays all rounds with a rule for prices. Returns the Pareto regret of each third of the rounds.
fn play(
    mut price: impl FnMut(&PczInterval, f64, &mut dyn Rng) -> Result<f64, Error>,
) -> Result<[f64; 3], Error> {
    let objectives = vec![Objective::new("sold", Link::Logit), Objective::new("revenue", Link::Logit)];
    let config =
        PczIntervalConfig { horizon: ROUNDS as u64, scale: 0.05, lipschitz: 1.0, ..Default::default() };
    let mut policy = PczInterval::new(1, objectives, config)?;
    let mut rng = draw::seeded(1);
    let mut regret = [0.0; 3];
    for round in 0..ROUNDS {
        let customer = draw::unit(&mut rng);
        let price = price(&policy, customer, &mut rng)?;
        let sold = f64::from(draw::unit(&mut rng) < means(customer, price)[0]);
        policy.learn(&[customer], price, &[sold, price * sold])?;
        regret[3 * round / ROUNDS] += gap(customer, price)?;
    }
    Ok(regret)
}

fn main() -> Result<(), Error> {
    let zooming = play(|policy, customer, rng| Ok(policy.decide(&[customer], rng)?.arm))?;
    let uniform = play(|_, _, rng| Ok(draw::unit(rng)))?;
    println!("Pareto regret of the first, the second and the last {} rounds", ROUNDS / 3);
    for (name, regret) in [("zooming", zooming), ("uniform", uniform)] {
        println!("{name}: {:6.1} {:6.1} {:6.1}", regret[0], regret[1], regret[2]);
    }
    assert!(zooming.iter().sum::<f64>() < uniform.iter().sum::<f64>(), "zooming does better than chance");
    Ok(())
}
