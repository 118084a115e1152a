//! The laws that every policy keeps, as one function that tests any implementation.

use crate::decision::{SUM_SLACK, exact_sum};
use crate::{Arm, ArmSet, Decision, LearnsBy, Norms, Policy, Problem};
use moglb_math::{Error, draw};
use moglb_pareto::ArmId;
use std::fmt::Debug;
use std::sync::Arc;

/// Plays a policy for a while on random arms and rewards of its problem, and checks the promises of
/// [`Policy`]: exact probabilities, decisions that change nothing, bad input refused without a trace, and
/// the same trace for the same seed.
///
/// `fingerprint` returns the learned state. Two policies with equal fingerprints must behave alike.
///
/// # Panics
///
/// If a law is broken. The message names the law.
pub fn check_policy<P, F>(problem: &Problem, make: impl Fn() -> P, fingerprint: impl Fn(&P) -> F)
where
    P: Policy,
    F: PartialEq + Debug,
{
    let n_arms = problem.n_arms().unwrap_or(9);
    let arms = random_arms(n_arms, problem.dim(), 1);
    let mut policy = make();
    let mut twin = make();
    let (mut rng, mut twin_rng) = (draw::seeded(2), draw::seeded(2));
    let mut rewards = draw::seeded(3);
    let mut reused = Decision::default();
    for round in 0..120 {
        let before = fingerprint(&policy);
        let decision = policy.decide(&arms, &mut rng).expect("a fitting arm set");
        assert_eq!(fingerprint(&policy), before, "round {round}: deciding changed the state");
        check_decision(&decision, n_arms, policy.facts().draws_from_front);
        twin.decide_into(&arms, &mut twin_rng, &mut reused).expect("a fitting arm set");
        assert!(decision == reused, "round {round}: the same seed gave another decision");
        check_lean(&policy, &arms, round);

        let reward = random_reward(problem, &mut rewards);
        check_refusals(problem, &mut policy, &arms, &decision, &reward, &fingerprint);
        if round == 100 {
            check_what_is_learned_from(problem, &make, &policy, &fingerprint);
        }
        policy.learn(arms.arm(decision.arm), &reward).expect("a fitting reward");
        twin.learn(arms.arm(decision.arm), &reward).expect("a fitting reward");
        assert_eq!(fingerprint(&policy), fingerprint(&twin), "round {round}: equal inputs, other states");
        assert_ne!(fingerprint(&policy), before, "round {round}: learning left no trace");
    }
    check_frequencies(&policy, &arms);
    check_parts(problem, &make, &fingerprint);
    check_fixed_arms(problem, &make, &fingerprint);
}

/// Checks that fixed arms change no decision, even if others were fixed before.
fn check_fixed_arms<P: Policy, F: PartialEq + Debug>(
    problem: &Problem,
    make: impl Fn() -> P,
    fingerprint: impl Fn(&P) -> F,
) {
    let n_arms = problem.n_arms().unwrap_or(9);
    let [before, arms] = [11, 12].map(|seed| Arc::new(random_arms(n_arms, problem.dim(), seed)));
    let (mut fixed, mut free, mut rewards) = (make(), make(), draw::seeded(13));
    for arms in [&before, &arms] {
        fixed.fix_arms(arms).expect("a fitting arm set");
    }
    let [mut one, mut other] = [Decision::lean(), Decision::lean()];
    for round in 0..20 {
        if round % 10 == 1 {
            check_unfit_arms(problem, &mut fixed, &fingerprint);
        }
        fixed.decide_into(&arms, &mut draw::seeded(round), &mut one).expect("the fixed arms");
        free.decide_into(&arms, &mut draw::seeded(round), &mut other).expect("a fitting arm set");
        assert!(one == other, "round {round}: fixed arms change the decision");
        let reward = random_reward(problem, &mut rewards);
        for policy in [&mut fixed, &mut free] {
            policy.learn(arms.arm(one.arm), &reward).expect("a fitting reward");
        }
        assert_eq!(
            fingerprint(&fixed),
            fingerprint(&free),
            "round {round}: fixed arms change what is learned"
        );
    }
}

/// Checks that arms that do not fit the problem cannot be fixed, with the same error as in a decision.
fn check_unfit_arms<P: Policy, F: PartialEq + Debug>(
    problem: &Problem,
    policy: &mut P,
    fingerprint: impl Fn(&P) -> F,
) {
    let (dim, n_arms, before) = (problem.dim(), problem.n_arms().unwrap_or(9), fingerprint(policy));
    let mut sizes = vec![(n_arms, dim + 1), (n_arms, dim - 1)];
    if problem.n_arms().is_some() {
        sizes.extend([(n_arms + 1, dim), (n_arms - 1, dim)]);
    }
    for (n_arms, dim) in sizes.into_iter().filter(|&(n_arms, dim)| n_arms > 0 && dim > 0) {
        let unfit = Arc::new(random_arms(n_arms, dim, 14));
        let fixed = policy.fix_arms(&unfit);
        let decided = policy.decide(&unfit, &mut draw::seeded(15)).map(drop);
        assert!(fixed.is_err(), "{n_arms} arms of {dim} features were fixed and do not fit the problem");
        assert_eq!(fixed, decided, "`fix_arms` and `decide` refuse unfit arms with different errors");
    }
    assert_eq!(fingerprint(policy), before, "arms that were refused changed the state");
}

/// Checks parts of rewards. A whole reward in one part is a whole reward. A policy that does not learn
/// parts refuses them. A policy that does accepts them, skips the missing entries and refuses invalid ones.
fn check_parts<P: Policy, F: PartialEq + Debug>(
    problem: &Problem,
    make: impl Fn() -> P,
    fingerprint: impl Fn(&P) -> F,
) {
    let n_arms = problem.n_arms().unwrap_or(9);
    let arms = random_arms(n_arms, problem.dim(), 9);
    let (mut one, mut other, mut rewards) = (make(), make(), draw::seeded(10));
    for k in 0..20 {
        let (arm, reward) = (arms.arm(ArmId(k % n_arms)), random_reward(problem, &mut rewards));
        let known: Vec<Option<f64>> = reward.iter().map(|&y| Some(y)).collect();
        one.learn(arm, &reward).expect("a fitting reward");
        other.learn_part(arm, &known).expect("a fitting reward");
        assert_eq!(fingerprint(&one), fingerprint(&other), "a whole reward in one part leaves another state");
        let mut part = known.clone();
        part[k % problem.n_objectives()] = None;
        match other.learn_part(arm, &part) {
            Ok(()) => {
                assert!(other.facts().learns_parts, "learned a part, but `learns_parts` is false");
                one.learn_part(arm, &part).expect("a part that the other policy accepted");
            }
            Err(error) => {
                assert_eq!(error, Error::WholeRewards, "a part of a reward was refused");
                assert!(!other.facts().learns_parts, "refused a part, but `learns_parts` is true");
            }
        }
        assert_eq!(fingerprint(&one), fingerprint(&other), "equal parts, other states");
        part[0] = Some(f64::NAN);
        other.learn_part(arm, &part).expect_err("NaN is no reward");
        other.learn_part(arm, &part[1..]).expect_err("one entry per objective");
        if other.facts().learns_parts {
            other.learn_part(arm, &vec![None; part.len()]).expect("nothing is known yet");
        }
        assert_eq!(fingerprint(&one), fingerprint(&other), "a refused part left a trace");
    }
}

/// Checks that the parts of an arm that a policy does not learn from change nothing.
fn check_what_is_learned_from<P: Policy, F: PartialEq + Debug>(
    problem: &Problem,
    make: impl Fn() -> P,
    policy: &P,
    fingerprint: impl Fn(&P) -> F,
) {
    let learns_by = policy.facts().learns_by;
    let n_arms = problem.n_arms().unwrap_or(9);
    let arms = random_arms(n_arms, problem.dim(), 7);
    let (mut one, mut other, mut rewards) = (make(), make(), draw::seeded(8));
    for k in 0..20 {
        let (arm, reward) = (arms.arm(ArmId(k % n_arms)), random_reward(problem, &mut rewards));
        let next = arms.arm(ArmId((k + 1) % n_arms));
        let (id, context) = match learns_by {
            LearnsBy::Context => (next.id(), arm.context()),
            LearnsBy::Arm => (arm.id(), next.context()),
            LearnsBy::Both => return,
        };
        one.learn(arm, &reward).expect("a fitting reward");
        other.learn(Arm::new(id, context).expect("an arm of the set"), &reward).expect("a fitting reward");
    }
    assert_eq!(fingerprint(&one), fingerprint(&other), "learned from more than {learns_by:?}");
}

/// Checks that a decision without tables has the same arm, front and probabilities.
fn check_lean<P: Policy>(policy: &P, arms: &ArmSet, round: u64) {
    let whole = policy.decide(arms, &mut draw::seeded(round)).expect("a fitting arm set");
    let mut lean = Decision::lean();
    policy.decide_into(arms, &mut draw::seeded(round), &mut lean).expect("a fitting arm set");
    let same =
        lean.arm == whole.arm && lean.front == whole.front && lean.probabilities == whole.probabilities;
    assert!(same, "round {round}: a lean decision is another decision");
}

/// Checks that arms are drawn as often as their probabilities require. Each count minus the sum of its
/// probabilities is a martingale of known variance. Beyond six deviations is a 2e-9 event, and the seed is
/// fixed.
fn check_frequencies<P: Policy>(policy: &P, arms: &ArmSet) {
    let mut rng = draw::seeded(6);
    let mut excess = vec![0.0; arms.n_arms()];
    let mut variance = vec![0.0; arms.n_arms()];
    for _ in 0..1000 {
        let decision = policy.decide(arms, &mut rng).expect("a fitting arm set");
        for (arm, &p) in decision.probabilities.iter().enumerate() {
            excess[arm] += f64::from(u8::from(arm == decision.arm.0)) - p;
            variance[arm] += p * (1.0 - p);
        }
    }
    for (arm, (excess, variance)) in excess.iter().zip(&variance).enumerate() {
        let limit = 6.0 * variance.sqrt() + 1e-9;
        assert!(excess.abs() <= limit, "arm {arm} was drawn {excess} times more than expected");
    }
}

/// Checks a decision: probabilities are a distribution over the arms, the drawn arm is possible, shapes
/// fit, and the drawn arm is on the front if the policy draws from it.
fn check_decision(decision: &Decision, n_arms: usize, from_front: bool) {
    let p = &decision.probabilities;
    assert_eq!(p.len(), n_arms, "one probability per arm");
    assert!(p.iter().all(|&p| (0.0..=1.0).contains(&p)), "probabilities lie in [0, 1]: {p:?}");
    // Four units in the last place of one, of a sum that does not round at every step.
    assert!((exact_sum(p) - 1.0).abs() <= SUM_SLACK, "probabilities add up to one: {p:?}");
    assert!(p[decision.arm.0] > 0.0, "the drawn arm was possible");
    assert!(decision.front.iter().all(|arm| arm.0 < n_arms), "the front is of the arms on offer");
    if from_front && !decision.front.is_empty() {
        assert!(decision.front.contains(decision.arm), "the drawn arm is on the front");
        let outside = |arm: usize| p[arm] > 0.0 && !decision.front.contains(ArmId(arm));
        assert!(!(0..n_arms).any(outside), "only arms of the front are possible");
    }
    assert_eq!(decision.estimates.n_rows(), n_arms, "one row of estimates per arm");
    assert_eq!(decision.widths.n_cols(), decision.estimates.n_cols(), "widths are shaped like estimates");
    assert!(decision.widths.as_slice().iter().all(|&w| w >= 0.0), "widths are not negative");
}

/// Checks that bad rewards and arms of another dimension are refused and leave no trace.
fn check_refusals<P: Policy, F: PartialEq + Debug>(
    problem: &Problem,
    policy: &mut P,
    arms: &ArmSet,
    decision: &Decision,
    reward: &[f64],
    fingerprint: impl Fn(&P) -> F,
) {
    let before = fingerprint(policy);
    let arm = arms.arm(decision.arm);
    let mut rng = draw::seeded(4);
    for (index, bad) in bad_rewards(problem, reward).iter().enumerate() {
        assert!(policy.learn(arm, bad).is_err(), "bad reward {index} was accepted: {bad:?}");
    }
    let wider = random_arms(arms.n_arms(), arms.dim() + 1, 5);
    let refused = policy.decide(&wider, &mut rng);
    assert!(matches!(refused, Err(Error::Dimension { .. })), "an arm set of another dimension was accepted");
    let refused = policy.learn(wider.arm(decision.arm), reward);
    assert!(matches!(refused, Err(Error::Dimension { .. })), "an arm of another dimension was accepted");
    assert_eq!(fingerprint(policy), before, "a refused input changed the state");
}

/// One reward vector for each kind of error.
fn bad_rewards(problem: &Problem, reward: &[f64]) -> Vec<Vec<f64>> {
    let last = reward.len() - 1;
    let (low, high) = problem.objectives()[last].rewards();
    let with = |value: f64| [&reward[..last], &[value]].concat();
    let mut bad: Vec<Vec<f64>> =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, high + 1.0, low - 1.0].map(with).into();
    bad.push(reward[..last].to_vec());
    bad.push([reward, &[low]].concat());
    bad
}

/// A reward vector, uniform in the ranges of the objectives.
fn random_reward(problem: &Problem, rng: &mut dyn rand_core::Rng) -> Vec<f64> {
    let draw_one = |objective: &crate::Objective| {
        let (low, high) = objective.rewards();
        (low + (high - low) * draw::unit(rng)).clamp(low, high)
    };
    problem.objectives().iter().map(draw_one).collect()
}

/// Normal contexts, clipped to norm one.
fn random_arms(n_arms: usize, dim: usize, seed: u64) -> ArmSet<'static> {
    let mut rng = draw::seeded(seed);
    let contexts = (0..n_arms * dim).map(|_| draw::normal(&mut rng)).collect();
    ArmSet::new(dim, contexts, Norms::Clip).expect("finite contexts, clipped")
}
