//! Worlds of unit vectors, and loops that sample for identifiers.

use super::bernoulli;
use moglb::{ArmId, ArmSet, Front, Identifier, IdentifierConfig, Link, Matrix, Objective, Problem, draw};

/// Arms with unit vectors as contexts, and rewards of zero or one.
pub fn world(n_arms: usize, m: usize) -> (Problem, ArmSet<'static>) {
    let objective = |i: usize| Objective::new(format!("y{i}"), Link::Identity).range(0.0, 1.0);
    let problem = Problem::new(n_arms, (0..m).map(objective).collect()).unwrap();
    let rows: Vec<Vec<f64>> =
        (0..n_arms).map(|k| (0..n_arms).map(|j| f64::from(u8::from(j == k))).collect()).collect();
    let problem = problem.with_radius((n_arms as f64).sqrt()).unwrap().with_arms(n_arms).unwrap();
    (problem, ArmSet::from_rows(&rows).unwrap())
}

pub fn build(config: &IdentifierConfig, n_arms: usize, m: usize) -> (Box<dyn Identifier>, ArmSet<'static>) {
    let (problem, arms) = world(n_arms, m);
    (config.build(&problem, &arms).unwrap(), arms)
}

/// Samples a list of arms, each of which must be the next arm of the identifier.
pub fn learn(identifier: &mut dyn Identifier, arms: &ArmSet, rewards: &[(usize, &[f64])]) {
    for &(arm, reward) in rewards {
        assert_eq!(identifier.next_arm(), Some(ArmId(arm)), "after {} samples", identifier.samples());
        identifier.learn(arms.arm(ArmId(arm)), reward).unwrap();
    }
}

pub fn ids(front: &Front) -> Vec<usize> {
    front.iter().map(|arm| arm.0).collect()
}

/// Samples to the end, with rewards of zero or one.
pub fn finish(identifier: &mut dyn Identifier, arms: &ArmSet, means: &Matrix, seed: u64) -> (Front, u64) {
    let mut rng = draw::seeded(seed);
    while let Some(arm) = identifier.next_arm() {
        let reward: Vec<f64> = means.row(arm.0).iter().map(|&mean| bernoulli(mean, &mut rng)).collect();
        identifier.learn(arms.arm(arm), &reward).unwrap();
        assert!(identifier.samples() < 5_000_000, "no end");
    }
    (identifier.answer(), identifier.samples())
}
