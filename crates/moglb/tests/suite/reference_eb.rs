//! MOGLB-EB is its documented algorithm: it agrees round by round with a slow and plain reference, on random
//! problems.

use crate::common::eb::{SlowEb, asked, play_probabilities, worth};
use crate::common::problems::{self, Sizes};
use crate::common::{check, close, norm, vector};
use moglb::{ArmId, ArmSet, Decision, MoglbEb, MoglbEbConfig, Policy, Rng, draw};
use nalgebra::DVector;
use proptest::prelude::*;
use std::cell::Cell;

const CASES: u32 = 240;
const ROUNDS: usize = 60;

/// The numbers of real comparisons, so that the test cannot pass without any.
#[derive(Default)]
struct Seen {
    places: Cell<u64>,
    in_doubt: Cell<u64>,
    small_fronts: Cell<u64>,
    seldom: Cell<u64>,
}

fn count(cell: &Cell<u64>, by: usize) {
    cell.set(cell.get() + by as u64);
}

#[test]
fn the_policy_is_moglb_eb_round_by_round() {
    let seen = Seen::default();
    let sizes = problems::sizes().prop_map(|sizes| Sizes { arms: 1 + sizes.arms % 12, ..sizes });
    check(CASES, (sizes, any::<bool>()), |(sizes, fresh)| play(sizes, fresh, &seen));
    let Seen { places, in_doubt, small_fronts, seldom } = seen;
    let share = in_doubt.get() as f64 / places.get() as f64;
    assert!(share < 0.01, "{share} of the places in samples were within rounding");
    assert!(small_fronts.get() > 3000, "only {} reports smaller than the arm set", small_fronts.get());
    assert!(seldom.get() > 3000, "only {} arms with a chance below the required one", seldom.get());
}

fn config(rng: &mut dyn Rng) -> MoglbEbConfig {
    MoglbEbConfig {
        threshold: [0.0, 0.13, 0.26, 0.45, 1.0][draw::below(5, rng)],
        samples: [2, 7, 20, 41][draw::below(4, rng)],
        ..Default::default()
    }
}

fn play(sizes: Sizes, fresh: bool, seen: &Seen) -> Result<(), TestCaseError> {
    let mut rng = draw::seeded(sizes.seed);
    let problem = problems::problem(sizes, &mut rng);
    let config = config(&mut rng);
    let mut policy = MoglbEb::new(problem.clone(), config.clone()).unwrap();
    let mut slow = SlowEb::new(&problem, &config);
    let mut arms = problems::arms(sizes, &mut rng);
    for round in 0..ROUNDS {
        if fresh {
            arms = problems::arms(sizes, &mut rng);
        }
        let decision = policy.decide(&arms, &mut rng).unwrap();
        let chances = policy.chances(&arms).unwrap();
        compare_state(&policy, &slow, round)?;
        compare_tables(&arms, &decision, &slow, round)?;
        compare_chances(&arms, &chances, &slow.samples(), round, seen)?;
        check_probabilities(&chances, &decision, config.threshold, round, seen)?;
        check_report(&chances, &decision, round, seen)?;
        let played = if round % 3 == 0 { ArmId(draw::below(arms.n_arms(), &mut rng)) } else { decision.arm };
        let reward = problems::reward(&problem, &mut rng);
        policy.learn(arms.arm(played), &reward).unwrap();
        slow.learn(arms.context(played.0), &reward);
    }
    Ok(())
}

fn compare_state(policy: &MoglbEb, slow: &SlowEb, round: usize) -> Result<(), TestCaseError> {
    let (within, between) = policy.scales();
    for (got, expected) in [(within, slow.within), (between, slow.between)] {
        prop_assert!((got / expected - 1.0).abs() < 1e-8, "round {round}: scale {got} for {expected}");
    }
    let theta = policy.theta();
    let rows = (0..theta.n_rows()).map(|i| (theta.row(i), slow.theta(i)));
    for (got, expected) in rows.chain([(policy.shared_mean(), slow.shared_mean())]) {
        for (got, expected) in got.iter().zip(expected) {
            prop_assert!(close(*got, expected, 1e-8), "round {round}: coefficient {got} for {expected}");
        }
    }
    Ok(())
}

fn compare_tables(
    arms: &ArmSet,
    decision: &Decision,
    slow: &SlowEb,
    round: usize,
) -> Result<(), TestCaseError> {
    for arm in 0..arms.n_arms() {
        let x = arms.context(arm);
        for (i, got) in decision.estimates.row(arm).iter().enumerate() {
            let expected = crate::common::dot(&slow.theta(i), x);
            prop_assert!(close(*got, expected, 1e-8), "round {round}: θ̂ᵀx {got} for {expected}");
            let (got, expected) = (decision.widths.row(arm)[i], slow.deviation(i, x));
            let off = (got - expected).abs();
            prop_assert!(off <= 1e-8 * expected, "round {round}: deviation {got} for {expected}");
        }
    }
    Ok(())
}

/// Compares the chance of every arm, except for samples in which its place depends on rounding. Equal
/// contexts tie on both sides.
fn compare_chances(
    arms: &ArmSet,
    chances: &[f64],
    samples: &[Vec<DVector<f64>>],
    round: usize,
    seen: &Seen,
) -> Result<(), TestCaseError> {
    for arm in 0..arms.n_arms() {
        let (mut on, mut in_doubt) = (0, 0);
        for thetas in samples {
            match place(arms, arm, thetas) {
                Some(is_on) => on += usize::from(is_on),
                None => in_doubt += 1,
            }
        }
        count(&seen.places, samples.len());
        count(&seen.in_doubt, in_doubt);
        let got = (chances[arm] * samples.len() as f64).round() as usize;
        prop_assert!(
            (on..=on + in_doubt).contains(&got),
            "round {round}: arm {arm} is on {got} fronts, not {on} to {}",
            on + in_doubt
        );
    }
    Ok(())
}

/// True if an arm is on the front of a sample, by Definitions 1 and 2; none if rounding decides.
fn place(arms: &ArmSet, arm: usize, thetas: &[DVector<f64>]) -> Option<bool> {
    let x = vector(arms.context(arm));
    let (mut beaten, mut safe) = (false, true);
    for other in (0..arms.n_arms()).filter(|&other| arms.context(other) != arms.context(arm)) {
        let other = vector(arms.context(other));
        let apart = &other - &x;
        // Coefficients agree to about 1e-8, and each of the two scores is rounded.
        let rounding = 1e-7 * norm(apart.as_slice()) + 1e-14 * (x.norm() + other.norm());
        let ahead = |theta: &DVector<f64>| (theta.dot(&apart), rounding * theta.norm());
        beaten |= thetas.iter().map(ahead).all(|(ahead, doubt)| ahead > doubt);
        safe &= thetas.iter().map(ahead).any(|(ahead, doubt)| ahead < -doubt);
    }
    (beaten || safe).then_some(safe)
}

/// Checks the probability of each arm from the chances, and that it is at least (p/asked)⁴/K, as no weight is
/// above 1.
fn check_probabilities(
    chances: &[f64],
    decision: &Decision,
    threshold: f64,
    round: usize,
    seen: &Seen,
) -> Result<(), TestCaseError> {
    let (expected, asked) = (play_probabilities(chances, threshold), asked(chances, threshold));
    for (arm, (&got, &expected)) in decision.probabilities.iter().zip(&expected).enumerate() {
        let off = (got - expected).abs();
        prop_assert!(
            off <= 1e-14 * expected,
            "round {round}: {got} for {expected}, arm {arm} of {chances:?}"
        );
        let least = (chances[arm] / threshold.max(0.7)).min(1.0).powf(4.0) / chances.len() as f64;
        prop_assert!(
            got >= (1.0 - 1e-14) * least,
            "round {round}: {got} below {least}, arm {arm} of {chances:?}"
        );
    }
    let below = chances.iter().filter(|&&chance| 0.0 < chance && chance < asked).count();
    count(&seen.seldom, below);
    Ok(())
}

/// Checks the reported front from the chances.
fn check_report(
    chances: &[f64],
    decision: &Decision,
    round: usize,
    seen: &Seen,
) -> Result<(), TestCaseError> {
    let report: Vec<usize> = decision.front.iter().map(|arm| arm.0).collect();
    let above = |least: f64| (0..chances.len()).filter(move |&arm| chances[arm] >= least);
    let best = chances.iter().filter(|&&chance| chance > 0.0);
    let best = best.map(|&least| worth(chances, &above(least).collect::<Vec<_>>())).fold(0.0, f64::max);
    prop_assert!(worth(chances, &report) > best - 1e-12, "round {round}: {report:?} of {chances:?}");
    let least = report.iter().map(|&arm| chances[arm]).fold(1.0, f64::min);
    prop_assert!(above(least).eq(report.iter().copied()), "round {round}: {report:?} of {chances:?}");
    count(&seen.small_fronts, usize::from(report.len() < chances.len()));
    Ok(())
}
