//! The properties of every valid decision and of every restored policy.

use crate::problems::{arms_for, reward_for};
use crate::promise::broken;
use moglb::{ArmSet, Decision, Error, Policy, PolicySnapshot, Restorable, draw};

/// The largest difference between the sum of probabilities and one: four units in the last place.
const SUM_SLACK: f64 = 4.0 * f64::EPSILON;

/// Panics if a decision on these arms cannot be played and audited.
pub fn check_decision(decision: &Decision, arms: &ArmSet) {
    let n_arms = arms.n_arms();
    assert!(decision.arm.0 < n_arms, "arm {} of {n_arms}", decision.arm);
    assert_eq!(decision.probabilities.len(), n_arms, "a probability for every arm");
    let is_chance = |p: &f64| (0.0..=1.0).contains(p);
    assert!(decision.probabilities.iter().all(is_chance), "{:?}", decision.probabilities);
    let sum = exact_sum(&decision.probabilities);
    assert!((sum - 1.0).abs() <= SUM_SLACK, "probabilities add up to 1 + {:e}", sum - 1.0);
    assert!(decision.probabilities[decision.arm.0] > 0.0, "an arm of probability zero was drawn");
    assert!(decision.front.iter().all(|arm| arm.0 < n_arms), "an arm on the front does not exist");
    assert!(decision.front.arms().is_sorted(), "the front is in order");
    let estimates = decision.estimates.as_slice();
    assert!(estimates.iter().all(|estimate| estimate.is_finite()), "{estimates:?}");
    assert!(decision.widths.as_slice().iter().all(|width| *width >= 0.0), "{:?}", decision.widths);
}

/// Returns the sum of nonnegative numbers, rounded once or twice for any count of numbers
/// (Neumaier).
fn exact_sum(numbers: &[f64]) -> f64 {
    let (mut sum, mut rest): (f64, f64) = (0.0, 0.0);
    for &number in numbers {
        let next = sum + number;
        rest += if sum >= number { (sum - next) + number } else { (number - next) + sum };
        sum = next;
    }
    sum + rest
}

/// Returns the result of a decision in a form that can be compared: the decision with all its bits,
/// or the error.
pub fn outcome(policy: &dyn Policy, arms: &ArmSet, seed: u64) -> Result<Decision, Error> {
    policy.decide(arms, &mut draw::seeded(seed))
}

/// Returns a policy that was restored from bytes and one that was restored from JSON. Both must
/// have the same bytes as the original.
pub fn twins(snapshot: &PolicySnapshot) -> [Box<dyn Restorable>; 2] {
    let (bytes, json) = (snapshot.to_bytes(), snapshot.to_json());
    let from_bytes = PolicySnapshot::from_bytes(&bytes).and_then(PolicySnapshot::restore);
    let from_json = PolicySnapshot::from_json(&json).and_then(PolicySnapshot::restore);
    [from_bytes, from_json].map(|twin| {
        let twin = twin
            .unwrap_or_else(|error| broken("a policy accepts its own snapshot", format!("{error}\n{json}")));
        assert_eq!(twin.to_bytes(), bytes, "a restored policy has other bytes");
        twin
    })
}

/// Plays some rounds with a policy from unchecked input, and checks every decision.
pub fn play(policy: &mut dyn Restorable, rounds: usize) {
    let problem = policy.problem().clone();
    let arms = arms_for(&problem);
    for round in 0..rounds {
        let Ok(decision) = outcome(policy, &arms, round as u64) else { return };
        check_decision(&decision, &arms);
        if policy.learn(arms.arm(decision.arm), &reward_for(&problem, round)).is_err() {
            return;
        }
    }
    twins(&policy.snapshot());
}
