//! Problems where similar arms have similar rewards, and loops that play on them.

use super::bernoulli;
use moglb::{ArmSet, Link, Matrix, Objective, Problem, Restorable, draw, gaps};

/// Arms on a line from −1 to 1.
pub fn line(n_arms: usize) -> ArmSet<'static> {
    let row = |k: usize| [2.0 * k as f64 / (n_arms - 1) as f64 - 1.0];
    ArmSet::from_rows(&(0..n_arms).map(row).collect::<Vec<_>>()).unwrap()
}

/// Objectives with rewards in [0, 1] on one feature.
pub fn problem(m: usize, n_arms: usize) -> Problem {
    let objective = |i: usize| Objective::new(format!("y{i}"), Link::Identity).range(0.0, 1.0);
    Problem::new(1, (0..m).map(objective).collect()).unwrap().with_arms(n_arms).unwrap()
}

/// Means of slope 0.7. The first is largest, 0.9, at −0.25, and the second at 0.25; the front lies between.
pub fn means(x: f64) -> [f64; 2] {
    [-0.25, 0.25].map(|peak: f64| (0.9 - 0.7 * (x - peak).abs()).max(0.0))
}

/// One row for each arm, with its first m means.
pub fn table(arms: &ArmSet, m: usize) -> Matrix {
    let rows: Vec<Vec<f64>> = (0..arms.n_arms()).map(|k| means(arms.context(k)[0])[..m].to_vec()).collect();
    Matrix::from_rows(&rows).unwrap()
}

/// The Pareto regret of the first half of the rounds and of the second. Rewards are Bernoulli.
pub fn regret(policy: &mut dyn Restorable, arms: &ArmSet, rounds: usize, seed: u64) -> [f64; 2] {
    let means = table(arms, policy.problem().n_objectives());
    let (gaps, mut rng) = (gaps(&means).unwrap(), draw::seeded(seed));
    let mut regret = [0.0; 2];
    for round in 0..rounds {
        let arm = policy.decide(arms, &mut rng).unwrap().arm;
        let reward: Vec<f64> = means.row(arm.0).iter().map(|&p| bernoulli(p, &mut rng)).collect();
        policy.learn(arms.arm(arm), &reward).unwrap();
        regret[2 * round / rounds] += gaps[arm.0];
    }
    regret
}

/// The Pareto regret of uniform play in this many rounds.
pub fn uniform_regret(arms: &ArmSet, m: usize, rounds: usize) -> f64 {
    let gaps = gaps(&table(arms, m)).unwrap();
    rounds as f64 * gaps.iter().sum::<f64>() / gaps.len() as f64
}
