//! A policy never refuses its own snapshot: contexts of norm one to the last bit, tiny ones and mixtures,
//! rewards at the ends of their ranges, and the narrowest and the widest possible ranges.

use crate::common::{direction, norm};
use crate::conformance::every_config;
use moglb::{
    ArmId, ArmSet, Decision, Link, Norms, Objective, PolicyConfig, PolicySnapshot, Problem, Restorable, Rng,
    draw,
};

/// Arms whose contexts have one of these scales: rounded to norm one, the longest that is accepted, tiny, or
/// a mixture.
fn arms(scale: usize, n_arms: usize, dim: usize, rng: &mut dyn Rng) -> ArmSet<'static> {
    let mut contexts = Vec::new();
    for arm in 0..n_arms {
        let unit = direction(dim, rng);
        let kind = if scale == 5 { arm % 5 } else { scale };
        let factor = [1.9, (1.0 + 9e-10) / norm(&unit), 1e-8, 1e-160, 0.5][kind];
        let clipped = ArmSet::new(dim, unit.iter().map(|x| factor * x).collect(), Norms::Clip).unwrap();
        let own = unit.iter().map(|x| factor * x).collect::<Vec<f64>>();
        contexts.extend_from_slice(if kind == 1 { &own } else { clipped.context(0) });
    }
    ArmSet::new(dim, contexts, Norms::Strict).unwrap()
}

/// Plays, and restores the policy from its snapshot after every round.
fn play(place: &str, policy: &mut dyn Restorable, arms: &ArmSet<'_>, rounds: usize, rng: &mut dyn Rng) {
    let problem = policy.problem().clone();
    for round in 0..rounds {
        let mut decision = Decision::default();
        policy.decide_into(arms, rng, &mut decision).unwrap();
        let finite = decision.estimates.as_slice().iter().all(|estimate| estimate.is_finite());
        assert!(finite, "{place}, round {round}: {:?}", decision.estimates);
        let no_nan = decision.widths.as_slice().iter().chain(&decision.probabilities).all(|x| *x >= 0.0);
        assert!(no_nan, "{place}, round {round}: {:?}", decision.widths);
        let one = |objective: &Objective| {
            let (low, high) = objective.rewards();
            [low, high, high, low + 0.5 * (high - low)][draw::below(4, rng)]
        };
        let reward: Vec<f64> = problem.objectives().iter().map(one).collect();
        policy.learn(arms.arm(ArmId(if round % 3 == 2 { 0 } else { decision.arm.0 })), &reward).unwrap();
        let bytes = policy.to_bytes();
        let twin = PolicySnapshot::from_bytes(&bytes).and_then(PolicySnapshot::restore);
        let twin = twin.unwrap_or_else(|error| panic!("{place}, round {round}: {error}"));
        assert!(twin.to_bytes() == bytes, "{place}, round {round}: read back as another policy");
    }
}

#[test]
fn every_snapshot_is_read_back_whatever_the_contexts() {
    for (k, text) in every_config().iter().enumerate() {
        let config: PolicyConfig = serde_json::from_str(text).unwrap();
        for scale in 0..6 {
            let mut rng = draw::seeded((10 * k + scale) as u64);
            let (dim, radius) = ([1, 2, 5][(k + scale) % 3], [1.0, 0.3, 4.0][(k / 3 + scale) % 3]);
            let mut objectives = ["a", "b"].map(|name| Objective::new(name, Link::Logit)).to_vec();
            if (k + scale / 3).is_multiple_of(2) {
                objectives[1] = Objective::new("b", Link::Identity).minimize().range(-3.0, 5.0);
            }
            let problem = Problem::new(dim, objectives).unwrap().with_radius(radius).unwrap();
            let problem = problem.with_arms(6).unwrap();
            let arms = arms(scale, 6, dim, &mut rng);
            let place = format!("{text}, scale {scale}, d = {dim}, D = {radius}");
            play(&place, &mut *config.build(&problem).unwrap(), &arms, 10, &mut rng);
        }
    }
}

/// With d = 1, λ₀ of GLM-UCB is the only eigenvalue, so no slack hides a bound that is slightly too small.
#[test]
fn glm_ucb_reads_its_snapshots_for_all_radii_and_scales() {
    for dim in [1, 2, 3] {
        for radius in [0.1, 1.0, 3.0] {
            for scale in 0..6 {
                let objectives = ["a", "b"].map(|name| Objective::new(name, Link::Logit)).to_vec();
                let problem = Problem::new(dim, objectives).unwrap().with_radius(radius).unwrap();
                let mut rng = draw::seeded((dim + scale) as u64);
                let arms = arms(scale, 40, dim, &mut rng);
                let config: PolicyConfig = serde_json::from_str(r#"{"id":"glm-ucb"}"#).unwrap();
                let place = format!("scale {scale}, d = {dim}, D = {radius}");
                play(&place, &mut *config.build(&problem).unwrap(), &arms, 2 * dim + 2, &mut rng);
            }
        }
    }
}

/// The narrowest and the widest ranges that are allowed.
const RANGES: [(f64, f64); 7] = [
    (0.0, 1e-200),
    (-2e-200, 0.0),
    (1.0, 1.0 + 1.1e-12),
    (-1e-190, 1e-190),
    (-1e100, 1e100),
    (1e100 - 1.1e88, 1e100),
    (-1e-3, 1e90),
];

#[test]
fn every_policy_plays_with_the_narrowest_and_the_widest_ranges() {
    for (k, text) in every_config().iter().enumerate() {
        let config: PolicyConfig = serde_json::from_str(text).unwrap();
        for (n, (low, high)) in RANGES.into_iter().enumerate() {
            let mut rng = draw::seeded((10 * k + n) as u64);
            let edge = Objective::new("a", Link::Identity).range(low, high);
            let edge = if n % 2 == 0 { edge } else { edge.minimize() };
            let problem = Problem::new(2, vec![edge, Objective::new("b", Link::Logit)]).unwrap();
            let problem = problem.with_arms(4).unwrap();
            let arms = arms(4, 4, 2, &mut rng);
            let place = format!("{text}, rewards in [{low:e}, {high:e}]");
            let Ok(mut policy) = config.build(&problem) else { continue };
            play(&place, &mut *policy, &arms, 10, &mut rng);
        }
    }
}
