//! MOGLB-UCB is Algorithm 1 and EKF-UCB is its documented algorithm: both agree round by round with slow and
//! plain references, on random problems.

use crate::common::ekf::SlowEkf;
use crate::common::problems::{self, Sizes};
use crate::common::reference::{self, Reference, Slow};
use crate::common::{check, close};
use moglb::{ArmId, ArmSet, Decision, EkfUcb, MoglbUcb, Policy, Problem, Restorable, draw};
use proptest::prelude::*;
use std::cell::Cell;

const ROUNDS: usize = 60;

/// The numbers of real comparisons, so that the test cannot pass without any.
#[derive(Default)]
struct Seen {
    rounds: Cell<u64>,
    projections: Cell<u64>,
    memberships: Cell<u64>,
    undecided: Cell<u64>,
    small_fronts: Cell<u64>,
}

fn count(cell: &Cell<u64>, by: usize) {
    cell.set(cell.get() + by as u64);
}

#[test]
fn the_policy_is_algorithm_1_round_by_round() {
    let seen = Seen::default();
    check(400, (problems::sizes(), any::<bool>()), |(sizes, fresh)| play(sizes, fresh, &seen));
    seen.was_enough();
}

#[test]
fn the_policy_is_ekf_ucb_round_by_round() {
    let seen = Seen::default();
    check(400, (problems::sizes(), any::<bool>()), |(sizes, fresh)| play_ekf(sizes, fresh, &seen));
    seen.was_enough();
}

impl Seen {
    fn was_enough(&self) {
        let Seen { rounds, projections, memberships, undecided, small_fronts } = self;
        assert_eq!(rounds.get(), 400 * ROUNDS as u64);
        assert!(projections.get() > 5_000, "only {} projections", projections.get());
        assert!(small_fronts.get() > 5_000, "only {} fronts smaller than the arm set", small_fronts.get());
        let share = undecided.get() as f64 / (memberships.get() + undecided.get()) as f64;
        assert!(share < 0.1, "{share} of the memberships were within rounding");
    }
}

/// Plays one problem with the policy and with the reference, on one arm set or on a fresh one in every round.
fn play(sizes: Sizes, fresh: bool, seen: &Seen) -> Result<(), TestCaseError> {
    let mut rng = draw::seeded(sizes.seed);
    let problem = problems::problem(sizes, &mut rng);
    let config = problems::config(&mut rng);
    let mut policy = MoglbUcb::new(problem.clone(), config.clone()).unwrap();
    let mut slow = Reference::new(&problem, &config);
    let mut arms = problems::arms(sizes, &mut rng);
    for round in 0..ROUNDS {
        if fresh {
            arms = problems::arms(sizes, &mut rng);
        }
        let decision = policy.decide(&arms, &mut rng).unwrap();
        check_decision(&problem, None, &arms, &decision, round, seen)?;
        compare_decision(&problem, &arms, &decision, &slow, round, seen)?;
        // Not only the drawn arm may be played: a caller may choose another one.
        let played = if round % 3 == 0 { ArmId(draw::below(arms.n_arms(), &mut rng)) } else { decision.arm };
        let reward = problems::reward(&problem, &mut rng);
        synchronize(&problem, &policy, &mut slow);
        policy.learn(arms.arm(played), &reward).unwrap();
        slow.learn(arms.context(played.0), &reward);
        compare_state(&policy, &slow, round)?;
        count(&seen.rounds, 1);
    }
    count(&seen.projections, policy.model().map_or(0, |model| model.projection_hits()) as usize);
    prop_assert_eq!(policy.t(), ROUNDS as u64);
    Ok(())
}

/// Plays one problem with EKF-UCB and with its reference.
fn play_ekf(sizes: Sizes, fresh: bool, seen: &Seen) -> Result<(), TestCaseError> {
    let mut rng = draw::seeded(sizes.seed);
    let problem = problems::problem(sizes, &mut rng);
    let config = problems::ekf_config(sizes, &mut rng);
    let mut policy = EkfUcb::new(problem.clone(), config.clone()).unwrap();
    let mut slow = SlowEkf::new(&problem, &config);
    let mut arms = problems::arms(sizes, &mut rng);
    for round in 0..ROUNDS {
        if fresh {
            arms = problems::arms(sizes, &mut rng);
        }
        let decision = policy.decide(&arms, &mut rng).unwrap();
        check_decision(&problem, config.objective, &arms, &decision, round, seen)?;
        compare_decision(&problem, &arms, &decision, &slow, round, seen)?;
        let played = if round % 3 == 0 { ArmId(draw::below(arms.n_arms(), &mut rng)) } else { decision.arm };
        let reward = problems::reward(&problem, &mut rng);
        policy.learn(arms.arm(played), &reward).unwrap();
        slow.learn(arms.context(played.0), &reward);
        compare_ekf_state(&policy, &slow, round)?;
        count(&seen.rounds, 1);
    }
    count(&seen.projections, policy.model().map_or(0, |model| model.projection_hits()) as usize);
    prop_assert_eq!(policy.t(), ROUNDS as u64);
    Ok(())
}

fn compare_ekf_state(policy: &EkfUcb, slow: &SlowEkf, round: usize) -> Result<(), TestCaseError> {
    let theta = policy.theta();
    for (i, model) in slow.models.iter().enumerate() {
        for (j, &expected) in model.theta.iter().enumerate() {
            let got = theta.row(i)[j];
            prop_assert!(close(got, expected, 1e-9), "round {round}: θ̂[{i}][{j}] {got} for {expected}");
        }
        let (got, expected) = (policy.gram(i).log_det_ratio(), slow.log_det(i));
        prop_assert!(close(got, expected, 1e-9), "round {round}: log det {got} for {expected}");
        let h = policy.gram(i).to_dense();
        let off = h.as_slice().iter().zip(model.h.iter()).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        prop_assert!(off < 1e-9 * model.h.norm(), "round {round}: H of objective {i} is off by {off}");
    }
    let least: u64 = slow.models.iter().map(|model| model.projections).sum();
    let most: u64 = least + slow.models.iter().map(|model| model.on_edge).sum::<u64>();
    let hits = policy.model().map_or(0, |model| model.projection_hits());
    prop_assert!((least..=most).contains(&hits), "round {round}: {hits} projections, not {least} to {most}");
    Ok(())
}

/// If μ′ is above 2 the map θ̂_t → θ̂_{t+1} expands (its slope is 1 − μ′‖x‖²_{Z⁻¹}), and two correct programs
/// diverge like 10⁻¹⁶·7ᵗ. For such links every step of the reference starts from the policy's estimate; for
/// other links the reference runs independently.
fn synchronize(problem: &Problem, policy: &MoglbUcb, slow: &mut Reference) {
    let theta = policy.theta();
    for (i, constants) in problem.constants().iter().enumerate() {
        if constants.lipschitz > 2.0 {
            slow.models[i].theta.copy_from_slice(theta.row(i));
        }
    }
}

fn compare_state(policy: &MoglbUcb, slow: &Reference, round: usize) -> Result<(), TestCaseError> {
    let theta = policy.theta();
    for (i, model) in slow.models.iter().enumerate() {
        for (j, &expected) in model.theta.iter().enumerate() {
            let got = theta.row(i)[j];
            prop_assert!(close(got, expected, 1e-9), "round {round}: θ̂[{i}][{j}] {got} for {expected}");
        }
        let (got, expected) = (policy.gram(i).log_det_ratio(), slow.log_det(i));
        prop_assert!(close(got, expected, 1e-9), "round {round}: log det {got} for {expected}");
        let (got, expected) = (policy.gamma(i), slow.gamma(i));
        prop_assert!(close(got, expected, 1e-9), "round {round}: γ[{i}] {got} for {expected}");
        let z = policy.gram(i).to_dense();
        let off = z.as_slice().iter().zip(model.z.iter()).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        prop_assert!(off < 1e-9, "round {round}: Z of objective {i} is off by {off}");
    }
    let least: u64 = slow.models.iter().map(|model| model.projections).sum();
    let most: u64 = least + slow.models.iter().map(|model| model.on_edge).sum::<u64>();
    let hits = policy.model().map_or(0, |model| model.projection_hits());
    prop_assert!((least..=most).contains(&hits), "round {round}: {hits} projections, not {least} to {most}");
    Ok(())
}

/// Checks that the front is exactly that of the policy's own scores, or of the only objective that counts,
/// and that all its arms have exactly equal probabilities.
fn check_decision(
    problem: &Problem,
    only: Option<usize>,
    arms: &ArmSet,
    decision: &Decision,
    round: usize,
    seen: &Seen,
) -> Result<(), TestCaseError> {
    let front: Vec<usize> = if round == 0 {
        (0..arms.n_arms()).collect() // O_1 = X
    } else {
        let mut scores = scores(problem, arms, decision);
        if let Some(only) = only {
            scores.iter_mut().for_each(|row| *row = vec![row[only]]);
        }
        reference::front(&scores)
    };
    let got: Vec<usize> = decision.front.iter().map(|arm| arm.0).collect();
    prop_assert_eq!(&got, &front, "round {}", round);
    prop_assert!(front.contains(&decision.arm.0));
    for arm in 0..arms.n_arms() {
        let expected = if front.contains(&arm) { 1.0 / front.len() as f64 } else { 0.0 };
        prop_assert_eq!(decision.probabilities[arm], expected);
    }
    count(&seen.small_fronts, usize::from(front.len() < arms.n_arms()));
    Ok(())
}

/// The scores of Eq. (6) from the tables of the decision, larger is better.
fn scores(problem: &Problem, arms: &ArmSet, decision: &Decision) -> Vec<Vec<f64>> {
    let row = |arm: usize| -> Vec<f64> {
        let better = |i: usize| problem.objectives()[i].sign();
        let score = |i: usize| better(i) * decision.estimates.row(arm)[i] + decision.widths.row(arm)[i];
        (0..problem.n_objectives()).map(score).collect()
    };
    (0..arms.n_arms()).map(row).collect()
}

fn compare_decision(
    problem: &Problem,
    arms: &ArmSet,
    decision: &Decision,
    slow: &dyn Slow,
    round: usize,
    seen: &Seen,
) -> Result<(), TestCaseError> {
    let mut tolerance: f64 = 1e-9;
    for i in 0..problem.n_objectives() {
        // A tuned width is √(c · log det): near zero, an error of 1e-16 in a log det is an error of 1e-8 in
        // the width.
        let small = slow.log_det(i) < 1e-6;
        tolerance = if small { tolerance.max(1e-7) } else { tolerance };
        for arm in 0..arms.n_arms() {
            let x = arms.context(arm);
            let (got, expected) = (decision.estimates.row(arm)[i], crate::common::dot(slow.theta(i), x));
            prop_assert!(close(got, expected, 1e-9), "round {round}: θ̂ᵀx {got} for {expected}");
            let (got, expected) = (decision.widths.row(arm)[i], slow.width(i, x));
            let agree =
                if small { close(got * got, expected * expected, 1e-12) } else { close(got, expected, 1e-9) };
            prop_assert!(agree, "round {round}: width {got} for {expected}");
        }
    }
    if round > 0 {
        compare_front(arms, decision, slow, tolerance, round, seen)?;
    }
    Ok(())
}

/// Compares the membership in the front of every arm whose place does not depend on rounding. Equal contexts
/// tie exactly on both sides.
fn compare_front(
    arms: &ArmSet,
    decision: &Decision,
    slow: &dyn Slow,
    tolerance: f64,
    round: usize,
    seen: &Seen,
) -> Result<(), TestCaseError> {
    let scores: Vec<Vec<f64>> = (0..arms.n_arms()).map(|arm| slow.scores(arms.context(arm))).collect();
    for arm in 0..arms.n_arms() {
        let v = &scores[arm];
        let beaten = scores.iter().any(|u| v.iter().zip(u).all(|(v, u)| u - v > tolerance));
        let safe = (0..arms.n_arms()).all(|other| {
            arms.context(other) == arms.context(arm)
                || v.iter().zip(&scores[other]).any(|(v, u)| v - u > tolerance)
        });
        if beaten || safe {
            count(&seen.memberships, 1);
            let on = decision.front.contains(ArmId(arm));
            prop_assert_eq!(on, safe, "round {}: arm {} of {:?}", round, arm, scores);
        } else {
            count(&seen.undecided, 1);
        }
    }
    Ok(())
}
