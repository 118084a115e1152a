//! Laws of rewards that come in parts: a missing part has no effect, and late parts are learned like early
//! ones.

use crate::common::{ball, problems};
use moglb::{
    Arm, ArmId, ArmSet, Delivery, EkfUcb, Error, Ledger, LedgerState, Link, MoglbUcb, MoglbUcbConfig,
    Objective, Policy, PolicyConfig, PolicySnapshot, Problem, Restorable, Width, draw,
};
use std::sync::Arc;

const DIM: usize = 3;

/// Policies that learn parts, one configuration per line.
const CONFIGS: &[&str] = &[
    r#"{"id":"moglb-ucb"}"#,
    r#"{"id":"moglb-ucb","width":"tightened","kappa":"per-objective"}"#,
    r#"{"id":"ekf-ucb"}"#,
    r#"{"id":"moglb-eb"}"#,
    r#"{"id":"moglb-ucb","discount":0.95}"#,
    r#"{"id":"ekf-ucb","discount":0.95}"#,
    r#"{"id":"moglb-eb","discount":0.95}"#,
];

fn problem() -> Problem {
    let objectives = vec![
        Objective::new("click", Link::Logit),
        Objective::new("cost", Link::Identity).minimize().range(-0.5, 1.5),
        Objective::new("count", Link::Log),
        Objective::new("sale", Link::Logit),
    ];
    Problem::new(DIM, objectives).unwrap().with_arms(7).unwrap()
}

fn arms() -> Arc<ArmSet<'static>> {
    let mut rng = draw::seeded(400);
    Arc::new(ArmSet::from_rows(&(0..7).map(|_| ball(DIM, 1.0, &mut rng)).collect::<Vec<_>>()).unwrap())
}

fn build(config: &str) -> Box<dyn Restorable> {
    serde_json::from_str::<PolicyConfig>(config).unwrap().build(&problem()).unwrap()
}

/// The arm and the reward of a round, and for each objective whether its reward is known.
type Round = (usize, Vec<f64>, Vec<bool>);

fn rounds(n: usize, chance: f64, seed: u64) -> Vec<Round> {
    let (problem, mut rng) = (problem(), draw::seeded(seed));
    let one = |_| {
        let arm = draw::below(7, &mut rng);
        let reward = problems::reward(&problem, &mut rng);
        let known = (0..4).map(|_| draw::unit(&mut rng) < chance).collect();
        (arm, reward, known)
    };
    (0..n).map(one).collect()
}

fn part((_, reward, known): &Round) -> Vec<Option<f64>> {
    reward.iter().zip(known).map(|(&y, &known)| known.then_some(y)).collect()
}

/// In MOGLB-UCB and EKF-UCB, rounds without a reward for an objective leave no trace in that objective: its
/// state has the same bits as in a policy that learned whole rewards in just the other rounds.
#[test]
fn a_missing_part_leaves_its_objective_as_if_the_round_had_not_been() {
    let (arms, rounds) = (arms(), rounds(300, 0.6, 1));
    let moglb = || MoglbUcb::new(problem(), MoglbUcbConfig::default()).unwrap();
    let ekf = || EkfUcb::new(problem(), Default::default()).unwrap();
    let (mut parts, mut ekf_parts) = (moglb(), ekf());
    for round in &rounds {
        parts.learn_part(arms.arm(ArmId(round.0)), &part(round)).unwrap();
        ekf_parts.learn_part(arms.arm(ArmId(round.0)), &part(round)).unwrap();
    }
    for objective in 0..4 {
        let (mut alone, mut ekf_alone) = (moglb(), ekf());
        for (arm, reward, _) in rounds.iter().filter(|round| round.2[objective]) {
            alone.learn(arms.arm(ArmId(*arm)), reward).unwrap();
            ekf_alone.learn(arms.arm(ArmId(*arm)), reward).unwrap();
        }
        assert_eq!(parts.theta().row(objective), alone.theta().row(objective));
        assert_eq!(parts.gram(objective), alone.gram(objective));
        assert_eq!(parts.gamma(objective), alone.gamma(objective));
        assert_eq!(ekf_parts.theta().row(objective), ekf_alone.theta().row(objective));
        assert_eq!(ekf_parts.gram(objective), ekf_alone.gram(objective));
    }
}

/// The widths of Theorem 1 also depend only on the rounds in which the objective has a reward.
#[test]
fn proved_widths_count_the_rounds_of_their_objective_only() {
    let (arms, rounds) = (arms(), rounds(100, 0.5, 2));
    for width in [Width::Proved { delta: 0.05 }, Width::Tightened { delta: 0.05 }] {
        let make = || MoglbUcb::new(problem(), MoglbUcbConfig { width, ..Default::default() }).unwrap();
        let mut parts = make();
        rounds.iter().for_each(|round| {
            parts.learn_part(arms.arm(ArmId(round.0)), &part(round)).unwrap();
        });
        let mut alone = make();
        for (arm, reward, _) in rounds.iter().filter(|round| round.2[1]) {
            alone.learn(arms.arm(ArmId(*arm)), reward).unwrap();
        }
        assert_eq!(parts.gamma(1), alone.gamma(1));
        assert_ne!(parts.gamma(0), alone.gamma(0));
    }
}

/// While rewards are whole, policies with separate and with shared matrices make the same decisions, bit for
/// bit, for fixed arms and for other arms.
#[test]
fn whole_rewards_give_the_same_bits_whether_matrices_are_shared_or_not() {
    let arms = arms();
    let make = || MoglbUcb::new(problem(), MoglbUcbConfig::default()).unwrap();
    for fixed in [false, true] {
        let (mut shared, mut split) = (make(), make());
        if fixed {
            shared.fix_arms(&arms).unwrap();
            split.fix_arms(&arms).unwrap();
        }
        let zero = Arm::new(ArmId(0), &[0.0; DIM]).unwrap();
        // A context of zeros changes only the counts, so it only separates the matrices.
        split.learn_part(zero, &[Some(1.0), None, Some(1.0), None]).unwrap();
        split.learn_part(zero, &[None, Some(1.0), None, None]).unwrap();
        shared.learn(zero, &[1.0; 4]).unwrap();
        for (k, (arm, reward, _)) in rounds(400, 1.0, 3).into_iter().enumerate() {
            let rng = || draw::seeded(k as u64);
            let (one, other) = (shared.decide(&arms, &mut rng()), split.decide(&arms, &mut rng()));
            assert_eq!(one.unwrap(), other.unwrap(), "round {k}");
            shared.learn(arms.arm(ArmId(arm)), &reward).unwrap();
            split.learn(arms.arm(ArmId(arm)), &reward).unwrap();
            assert_eq!(shared.theta(), split.theta());
            let mut lean = [moglb::Decision::lean(), moglb::Decision::lean()];
            shared.decide_into(&arms, &mut rng(), &mut lean[0]).unwrap();
            split.decide_into(&arms, &mut rng(), &mut lean[1]).unwrap();
            assert_eq!(lean[0], lean[1], "round {k}");
        }
    }
}

/// For fixed arms scores are cached from round to round. With parts, decisions must be those of a policy
/// without a cache.
#[test]
fn fixed_arms_decide_alike_when_parts_are_missing() {
    let arms = arms();
    let (mut fixed, mut free) = (build(CONFIGS[0]), build(CONFIGS[0]));
    fixed.fix_arms(&arms).unwrap();
    for (k, round) in rounds(500, 0.7, 4).iter().enumerate() {
        for policy in [&mut fixed, &mut free] {
            policy.learn_part(arms.arm(ArmId(round.0)), &part(round)).unwrap();
        }
        let mut lean = [moglb::Decision::lean(), moglb::Decision::lean()];
        fixed.decide_into(&arms, &mut draw::seeded(k as u64), &mut lean[0]).unwrap();
        free.decide_into(&arms, &mut draw::seeded(k as u64), &mut lean[1]).unwrap();
        assert_eq!(lean[0], lean[1], "round {k}");
    }
}

#[test]
fn a_policy_that_was_told_parts_goes_on_from_its_snapshot_to_the_bit() {
    let (arms, rounds) = (arms(), rounds(120, 0.6, 5));
    for config in CONFIGS {
        let mut policy = build(config);
        for round in &rounds[..60] {
            policy.learn_part(arms.arm(ArmId(round.0)), &part(round)).unwrap();
        }
        let mut restored = [
            moglb::PolicySnapshot::from_bytes(&policy.to_bytes()).unwrap().restore().unwrap(),
            moglb::PolicySnapshot::from_json(&policy.to_json()).unwrap().restore().unwrap(),
        ];
        for round in &rounds[60..] {
            policy.learn_part(arms.arm(ArmId(round.0)), &part(round)).unwrap();
            for restored in &mut restored {
                restored.learn_part(arms.arm(ArmId(round.0)), &part(round)).unwrap();
                let decide = |policy: &dyn Restorable| policy.decide(&arms, &mut draw::seeded(1)).unwrap();
                assert_eq!(decide(&**restored), decide(&*policy), "{config}");
            }
        }
        assert!(restored.iter().all(|restored| restored.to_bytes() == policy.to_bytes()), "{config}");
    }
}

/// A snapshot with parts and flipped bytes is refused or gives a policy that works.
#[test]
fn a_damaged_snapshot_with_parts_is_refused_or_works() {
    let (arms, mut policy) = (arms(), build(CONFIGS[0]));
    for round in rounds(40, 0.6, 6) {
        policy.learn_part(arms.arm(ArmId(round.0)), &part(&round)).unwrap();
    }
    let bytes = policy.to_bytes();
    for place in 0..bytes.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] ^= mask;
            let restored =
                moglb::PolicySnapshot::from_bytes(&damaged).and_then(|snapshot| snapshot.restore());
            if let Ok(mut restored) = restored
                && restored.problem() == &problem()
            {
                restored.learn_part(arms.arm(ArmId(1)), &[Some(1.0), None, None, Some(0.0)]).unwrap();
                let decision = restored.decide(&arms, &mut draw::seeded(1)).unwrap();
                assert!(decision.estimates.as_slice().iter().all(|x| x.is_finite()), "byte {place}");
            }
        }
    }
}

/// Parts that arrive late and out of order have the same effect as parts without delay, in the order of
/// arrival.
#[test]
fn a_ledger_hands_on_each_part_once_in_the_order_of_coming() {
    let (arms, rounds) = (arms(), rounds(50, 0.5, 7));
    for config in CONFIGS {
        let (mut policy, mut told) = (build(config), build(config));
        let mut ledger = Ledger::new(problem());
        for (k, round) in rounds.iter().enumerate() {
            let arm = arms.arm(ArmId(round.0));
            assert_eq!(ledger.open(arm).unwrap(), k as u64);
        }
        for (k, round) in rounds.iter().enumerate().rev() {
            let (arm, first) = (arms.arm(ArmId(round.0)), part(round));
            let rest: Vec<Option<f64>> =
                round.1.iter().zip(&first).map(|(&y, first)| first.is_none().then_some(y)).collect();
            for parts in [&first, &rest] {
                let outcome = ledger.deliver(&mut *policy, k as u64, parts).unwrap();
                let anything = parts.iter().any(Option::is_some);
                assert_eq!(outcome == Delivery::Learned, anything, "{outcome:?}");
                told.learn_part(arm, parts).unwrap();
                let again = ledger.deliver(&mut *policy, k as u64, parts).unwrap();
                assert!(matches!(again, Delivery::Repeated | Delivery::Settled), "{again:?}");
            }
        }
        assert!(ledger.is_empty());
        assert_eq!(policy.to_bytes(), told.to_bytes(), "{config}");
    }
}

#[test]
fn a_policy_of_whole_rewards_learns_when_the_last_part_has_come() {
    let (arms, mut policy, mut told) = (arms(), build(r#"{"id":"p-ucb"}"#), build(r#"{"id":"p-ucb"}"#));
    let mut ledger = Ledger::new(problem());
    let id = ledger.open(arms.arm(ArmId(3))).unwrap();
    let before = policy.to_bytes();
    let outcome = ledger.deliver(&mut *policy, id, &[Some(1.0), None, Some(2.0), None]).unwrap();
    assert_eq!((outcome, policy.to_bytes()), (Delivery::Waiting, before));
    let outcome = ledger.deliver(&mut *policy, id, &[None, Some(0.5), None, Some(0.0)]).unwrap();
    told.learn(arms.arm(ArmId(3)), &[1.0, 0.5, 2.0, 0.0]).unwrap();
    assert_eq!((outcome, policy.to_bytes()), (Delivery::Learned, told.to_bytes()));
    let closed = ledger.open(arms.arm(ArmId(2))).unwrap();
    ledger.deliver(&mut *policy, closed, &[Some(1.0), None, None, None]).unwrap();
    assert_eq!(ledger.close(closed).unwrap(), Delivery::Waiting);
    assert_eq!(ledger.deliver(&mut *policy, closed, &[None; 4]).unwrap(), Delivery::Settled);
    assert_eq!(policy.to_bytes(), told.to_bytes());
}

#[test]
fn a_batch_is_learned_in_the_order_of_its_decisions() {
    let (arms, rounds) = (arms(), rounds(30, 0.5, 8));
    let mut outcomes = Vec::new();
    for seed in 0..3 {
        let (mut policy, mut ledger) = (build(CONFIGS[0]), Ledger::new(problem()));
        rounds.iter().for_each(|round| {
            ledger.open(arms.arm(ArmId(round.0))).unwrap();
        });
        let parts: Vec<(u64, Vec<Option<f64>>)> =
            rounds.iter().enumerate().map(|(k, round)| (k as u64, part(round))).collect();
        let mut order: Vec<usize> = (0..parts.len()).collect();
        let mut rng = draw::seeded(seed);
        (1..order.len()).rev().for_each(|k| order.swap(k, draw::below(k + 1, &mut rng)));
        let batch: Vec<(u64, &[Option<f64>])> =
            order.iter().map(|&k| (parts[k].0, &parts[k].1[..])).collect();
        let delivered = ledger.deliver_many(&mut *policy, &batch).unwrap();
        assert_eq!(delivered.len(), batch.len());
        outcomes.push(policy.to_bytes());
    }
    assert!(outcomes.iter().all(|bytes| *bytes == outcomes[0]));
}

#[test]
fn a_delivery_that_does_not_belong_changes_nothing() {
    let (arms, mut policy, mut ledger) = (arms(), build(CONFIGS[0]), Ledger::new(problem()));
    let id = ledger.open(arms.arm(ArmId(1))).unwrap();
    ledger.deliver(&mut *policy, id, &[Some(1.0), None, None, None]).unwrap();
    let (bytes, state) = (policy.to_bytes(), ledger.state());
    let mut refused = |id: u64, reward: &[Option<f64>]| {
        let error = ledger.deliver(&mut *policy, id, reward).unwrap_err();
        let many = ledger.deliver_many(&mut *policy, &[(id, reward)]).unwrap_err();
        assert_eq!((policy.to_bytes(), ledger.state()), (bytes.clone(), state.clone()));
        assert_eq!(many.to_string(), error.to_string());
        error
    };
    assert!(matches!(refused(5, &[None; 4]), Error::UnknownDecision { decision: 5, next: 1 }));
    assert!(matches!(refused(0, &[None; 3]), Error::RewardLength { expected: 4, got: 3 }));
    assert!(matches!(refused(0, &[None, Some(f64::NAN), None, None]), Error::Reward { .. }));
    let conflict = refused(0, &[Some(0.0), Some(0.5), None, None]);
    assert!(matches!(conflict, Error::RewardConflict { first: 1.0, got: 0.0, .. }), "{conflict}");
    let (a, b) = ([None, Some(0.5), None, None], [None, Some(0.6), None, None]);
    let twice = ledger.deliver_many(&mut *policy, &[(0, &a[..]), (0, &b[..])]).unwrap_err();
    assert!(matches!(twice, Error::RewardConflict { .. }));
    assert_eq!((policy.to_bytes(), ledger.state()), (bytes, state));
    assert!(ledger.open(Arm::new(ArmId(7), &[0.1; DIM]).unwrap()).is_err());
    assert!(ledger.open(Arm::new(ArmId(1), &[0.1; 2]).unwrap()).is_err());
    assert_eq!(ledger.next_id(), 1);
}

#[test]
fn a_ledger_goes_on_from_its_state_and_a_forged_one_is_refused() {
    let (arms, mut policy, mut ledger) = (arms(), build(CONFIGS[0]), Ledger::new(problem()));
    for arm in 0..5 {
        ledger.open(arms.arm(ArmId(arm))).unwrap();
    }
    ledger.deliver(&mut *policy, 2, &[Some(1.0), None, None, None]).unwrap();
    assert_eq!(ledger.close_before(2), 2);
    let text = serde_json::to_string(&ledger.state()).unwrap();
    let read = |text: &str| {
        let state: Result<LedgerState, _> = serde_json::from_str(text);
        state.ok().and_then(|state| Ledger::from_state(problem(), state).ok())
    };
    let again = read(&text).unwrap();
    assert_eq!((again.state(), again.len(), again.next_id()), (ledger.state(), 3, 5));
    for (from, to) in [
        ("\"next\":5", "\"next\":3"),
        ("\"arm\":2", "\"arm\":7"),
        ("[1.0,null,null,null]", "[2.0,null,null,null]"),
        ("[1.0,null,null,null]", "[1.0,null,null]"),
        ("[1.0,null,null,null]", "[1.0,0.5,1.0,1.0]"),
        ("[3,{", "[2,{"),
    ] {
        assert!(text.contains(from), "{text}");
        assert!(read(&text.replacen(from, to, 1)).is_none(), "{to}");
    }
}

/// Waiting rewards may have missing parts, and an objective may have received no reward at all.
#[test]
fn a_snapshot_with_missing_parts_can_be_read_back_in_any_round() {
    for config in CONFIGS {
        let (arms, mut policy) = (arms(), build(config));
        for (k, round) in rounds(120, 0.5, 71).iter().enumerate() {
            let mut part = part(round);
            part[3] = None;
            policy.learn_part(arms.arm(ArmId(round.0)), &part).unwrap();
            let restored = PolicySnapshot::from_bytes(&policy.to_bytes()).and_then(PolicySnapshot::restore);
            let restored = restored.unwrap_or_else(|error| panic!("{config}, round {k}: {error}"));
            assert_eq!(restored.to_bytes(), policy.to_bytes(), "{config}, round {k}");
        }
    }
}
