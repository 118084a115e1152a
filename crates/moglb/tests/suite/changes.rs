//! Objectives that are added, dropped or ignored when playing, and arms that are added or removed, while a
//! policy is in use.

use crate::common::ball;
use moglb::{
    ArmId, ArmSet, Decision, Error, Link, Objective, PlayConfig, Policy, PolicyConfig, PolicySnapshot, Prior,
    Problem, Restorable, Rng, draw,
};

const DIM: usize = 3;
const ARMS: usize = 9;

const LEARN_PARTS: &[&str] =
    &[r#"{"id":"moglb-ucb","kappa":"per-objective"}"#, r#"{"id":"ekf-ucb"}"#, r#"{"id":"moglb-eb"}"#];

fn objectives() -> Vec<Objective> {
    vec![
        Objective::new("click", Link::Logit),
        Objective::new("cost", Link::Identity).minimize(),
        Objective::new("view", Link::Probit),
    ]
}

fn arms() -> ArmSet<'static> {
    let mut rng = draw::seeded(31);
    ArmSet::from_rows(&(0..ARMS).map(|_| ball(DIM, 1.0, &mut rng)).collect::<Vec<_>>()).unwrap()
}

fn build(config: &str, n: usize) -> Box<dyn Restorable> {
    let problem = Problem::new(DIM, objectives()[..n].to_vec()).unwrap().with_arms(ARMS).unwrap();
    serde_json::from_str::<PolicyConfig>(config).unwrap().build(&problem).unwrap()
}

fn reward(arm: ArmId, rng: &mut dyn Rng) -> Vec<f64> {
    let chance = (arm.0 as f64 + 0.5) / ARMS as f64;
    vec![
        f64::from(draw::unit(rng) < chance),
        0.5 * chance + 0.5 * draw::unit(rng),
        f64::from(draw::unit(rng) > chance),
    ]
}

/// Plays rounds with arms in turn. The policy receives the rewards of its own objectives only.
fn teach(policy: &mut dyn Restorable, rounds: std::ops::Range<usize>, arms: &ArmSet) {
    for round in rounds {
        let arm = ArmId(round * 4 % ARMS);
        let reward = reward(arm, &mut draw::seeded(round as u64));
        policy.learn(arms.arm(arm), &reward[..policy.problem().n_objectives()]).unwrap();
    }
}

fn tables(policy: &dyn Policy, arms: &ArmSet) -> Decision {
    let mut decision = Decision::default();
    policy.decide_into(arms, &mut draw::seeded(0), &mut decision).unwrap();
    decision
}

/// The state of the old objectives stays to the bit. For the new one, MOGLB-UCB and EKF-UCB have the same
/// state as a policy that received the same rounds of this objective only.
#[test]
fn a_new_objective_leaves_the_others_as_they_were_and_learns_from_then_on() {
    let arms = arms();
    for config in LEARN_PARTS {
        let mut policy = build(config, 2);
        teach(&mut *policy, 0..123, &arms);
        let before = tables(&*policy, &arms);
        let added = policy.snapshot().with_objective(objectives()[2].clone(), Prior::none()).unwrap();
        // The snapshot goes through bytes, as when it is sent to another process.
        let mut added = PolicySnapshot::from_bytes(&added.to_bytes()).unwrap().restore().unwrap();
        let after = tables(&*added, &arms);
        if !config.contains("moglb-eb") {
            for arm in 0..ARMS {
                assert_eq!(before.estimates.row(arm), &after.estimates.row(arm)[..2], "{config}");
                assert_eq!(before.widths.row(arm), &after.widths.row(arm)[..2], "{config}");
                assert_eq!((after.estimates.row(arm)[2], after.widths.row(arm)[2]), (0.0, 0.0), "{config}");
            }
            teach(&mut *policy, 123..200, &arms);
            teach(&mut *added, 123..200, &arms);
            let mut alone = build(config, 3);
            teach(&mut *alone, 123..200, &arms);
            let (old, new, alone) = (tables(&*policy, &arms), tables(&*added, &arms), tables(&*alone, &arms));
            for arm in 0..ARMS {
                assert_eq!(old.estimates.row(arm), &new.estimates.row(arm)[..2], "{config}");
                assert_eq!(alone.estimates.row(arm)[2], new.estimates.row(arm)[2], "{config}");
            }
        } else {
            teach(&mut *added, 123..500, &arms);
            let learned = tables(&*added, &arms);
            assert!(learned.estimates.row(0)[2] != after.estimates.row(0)[2]);
        }
        assert_eq!(added.problem().n_objectives(), 3);
    }
}

#[test]
fn to_drop_what_was_added_is_to_have_added_nothing() {
    let arms = arms();
    for config in LEARN_PARTS {
        let mut policy = build(config, 2);
        teach(&mut *policy, 0..77, &arms);
        let added = policy.snapshot().with_objective(objectives()[2].clone(), Prior::none()).unwrap();
        let back = added.without_objective(2).unwrap().restore().unwrap();
        assert_eq!(tables(&*back, &arms), tables(&*policy, &arms), "{config}");
        // The first of two can be dropped too, with or without a shared part of the state.
        let one = policy.snapshot().without_objective(0).unwrap().restore().unwrap();
        if !config.contains("moglb-eb") {
            let (one, two) = (tables(&*one, &arms), tables(&*policy, &arms));
            assert!((0..ARMS).all(|arm| one.estimates.row(arm)[0] == two.estimates.row(arm)[1]));
        }
    }
}

#[test]
fn a_new_objective_may_come_with_a_prior() {
    let arms = arms();
    for config in LEARN_PARTS {
        let mut policy = build(config, 2);
        teach(&mut *policy, 0..50, &arms);
        let prior = Prior::spread(vec![0.6, 0.0, -0.4], 0.02);
        let added =
            policy.snapshot().with_objective(objectives()[2].clone(), prior).unwrap().restore().unwrap();
        let decision = tables(&*added, &arms);
        for arm in arms.iter() {
            let (x, got) = (arm.context(), decision.estimates.row(arm.id().0)[2]);
            let expected = 0.6 * x[0] - 0.4 * x[2];
            assert!((got - expected).abs() < 0.03, "{config}: {got} for {expected}");
        }
    }
}

#[test]
fn what_cannot_change_says_so() {
    let arms = arms();
    let extra = || Objective::new("extra", Link::Logit);
    for config in [r#"{"id":"p-ucb"}"#, r#"{"id":"window","window":50,"policy":{"id":"moglb-eb"}}"#] {
        let policy = build(config, 2);
        let got = policy.snapshot().with_objective(extra(), Prior::none()).map(|_| ());
        assert_eq!(got, Err(Error::ObjectivesFixed), "{config}");
        assert_eq!(
            policy.snapshot().without_objective(0).map(|_| ()),
            Err(Error::ObjectivesFixed),
            "{config}"
        );
    }
    // Objectives of MOGLB-UCB share the smallest κ, so an objective with a smaller one cannot be added.
    let mut shared = build(r#"{"id":"moglb-ucb"}"#, 1);
    teach(&mut *shared, 0..20, &arms);
    assert!(shared.snapshot().with_objective(extra(), Prior::none()).is_ok());
    let flat = Objective::new("flat", Link::Log);
    let smallest = Problem::new(DIM, vec![flat.clone()]).unwrap().shared_constants().kappa;
    let logit = Problem::new(DIM, vec![extra()]).unwrap().shared_constants().kappa;
    if smallest < logit {
        let got = shared.snapshot().with_objective(flat, Prior::none()).map(|_| ());
        assert!(matches!(got, Err(Error::Parameters { .. })), "{got:?}");
    }
    let got = build(LEARN_PARTS[1], 2).snapshot().with_objective(objectives()[0].clone(), Prior::none());
    assert!(matches!(got, Err(Error::ObjectiveName { .. })), "a name that is taken");
    assert!(matches!(shared.snapshot().without_objective(0), Err(Error::NoObjectives)));
    assert!(matches!(shared.snapshot().without_objective(7), Err(Error::UnknownObjective { .. })));
    let control = build(r#"{"id":"ekf-ucb","objective":1}"#, 2).snapshot();
    assert!(matches!(control.clone().without_objective(1), Err(Error::Parameters { .. })));
    assert!(control.without_objective(0).unwrap().restore().is_ok());
}

/// After a drop, matrices may be in any order, there may be more projections than the remaining objectives
/// can have had, and scales may come from the objectives that are gone. All of these can be written and read.
#[test]
fn what_is_left_after_a_drop_is_read_back() {
    let arms = arms();
    for config in LEARN_PARTS {
        for dropped in 0..3 {
            let mut policy = build(config, 3);
            teach(&mut *policy, 0..40, &arms);
            let left = policy.snapshot().without_objective(dropped).unwrap().restore().unwrap();
            let again = PolicySnapshot::from_json(&left.to_json()).unwrap().restore().unwrap();
            assert_eq!(again.to_json(), left.to_json(), "{config} without {dropped}");
        }
    }
}

#[test]
fn a_damaged_snapshot_is_refused_before_anything_changes() {
    let mut ekf = build(LEARN_PARTS[1], 2);
    teach(&mut *ekf, 0..9, &arms());
    let mut json: serde_json::Value = serde_json::from_str(&ekf.to_json()).unwrap();
    json["state"]["ekf-ucb"]["traces"].as_array_mut().unwrap().pop();
    let damaged = PolicySnapshot::from_json(&json.to_string()).unwrap();
    assert!(matches!(damaged.clone().without_objective(1), Err(Error::SnapshotDamaged { .. })));
    let more = damaged.with_objective(objectives()[2].clone(), Prior::none());
    assert!(matches!(more, Err(Error::SnapshotDamaged { .. })));
}

/// Arms 8, a new one, 0 and 3 replace 0..9: the state of the arms that stay is the same, under another
/// number.
#[test]
fn arms_come_and_go_in_policies_that_count_plays() {
    let arms = arms();
    for config in [r#"{"id":"p-ucb"}"#, r#"{"id":"s-ucb"}"#, r#"{"id":"p-ts"}"#, r#"{"id":"ucb1"}"#] {
        let mut policy = build(config, 2);
        teach(&mut *policy, 0..100, &arms);
        let kept = [Some(8), None, Some(0), Some(3)];
        let mut changed = policy.snapshot().with_arms(&kept).unwrap().restore().unwrap();
        assert_eq!(changed.problem().n_arms(), Some(4));
        let rows: Vec<&[f64]> = [8, 1, 0, 3].iter().map(|&arm| arms.context(arm)).collect();
        let fewer = ArmSet::from_rows(&rows).unwrap();
        let (old, new) = (tables(&*policy, &arms), tables(&*changed, &fewer));
        if old.estimates.n_cols() == 2 {
            for (place, arm) in [(0, 8), (2, 0), (3, 3)] {
                assert_eq!(old.estimates.row(arm), new.estimates.row(place), "{config}");
            }
            let unplayed = build(config, 2);
            assert_eq!(new.estimates.row(1), tables(&*unplayed, &arms).estimates.row(1), "{config}");
        }
        changed.learn(fewer.arm(ArmId(1)), &[1.0, 0.2]).unwrap();
    }
    let lin_ucb = r#"{"id":"lin-ucb","target":0}"#;
    let mut policy = build(lin_ucb, 1);
    teach(&mut *policy, 0..100, &arms);
    let same: Vec<Option<usize>> = (0..ARMS).map(Some).collect();
    let unchanged = policy.snapshot().with_arms(&same).unwrap();
    assert_eq!(unchanged.to_json(), policy.to_json());
    let more: Vec<Option<usize>> = same.iter().copied().chain([None]).collect();
    assert!(policy.snapshot().with_arms(&more).unwrap().restore().is_ok());
}

#[test]
fn impossible_changes_of_arms_are_refused() {
    let policy = build(r#"{"id":"p-ucb"}"#, 2);
    let refused = |kept: &[Option<usize>]| policy.snapshot().with_arms(kept).map(|_| ()).unwrap_err();
    assert_eq!(refused(&[Some(9)]), Error::UnknownArm { arm: 9, n_arms: 9 });
    assert!(matches!(refused(&[Some(1), Some(1)]), Error::Parameters { .. }));
    assert_eq!(refused(&[]), Error::NoArms);
    let exp3 = build(r#"{"id":"exp3","target":0}"#, 1).snapshot().with_arms(&[Some(0), None]);
    assert_eq!(exp3.map(|_| ()), Err(Error::ArmsFixed));
    let contextual = build(LEARN_PARTS[2], 2).snapshot().with_arms(&[None, Some(0)]).unwrap();
    assert_eq!(contextual.restore().unwrap().problem().n_arms(), Some(2));
}

fn play(policy: &dyn Restorable, config: &str, arms: &ArmSet, seed: u64) -> Result<Decision, Error> {
    let play = serde_json::from_str::<PlayConfig>(config).unwrap().build(policy.problem())?;
    let mut decision = Decision::default();
    play.decide(policy, arms, &[], &mut draw::seeded(seed), &mut decision)?;
    Ok(decision)
}

/// An ignored objective is learned and has no influence: front and probabilities are those of a policy
/// without it.
#[test]
fn an_objective_in_shadow_has_no_say() {
    let arms = arms();
    for config in &LEARN_PARTS[..2] {
        let (mut three, mut two) = (build(config, 3), build(config, 2));
        for round in 0..150 {
            let arm = ArmId(round * 4 % ARMS);
            let reward = reward(arm, &mut draw::seeded(round as u64));
            three.learn(arms.arm(arm), &reward).unwrap();
            two.learn(arms.arm(arm), &reward[..2]).unwrap();
            let shadow = play(&*three, r#"{"objectives":["cost","click"]}"#, &arms, 5).unwrap();
            let alone = two.decide(&arms, &mut draw::seeded(5)).unwrap();
            assert_eq!(shadow.front, alone.front, "{config} round {round}");
            assert_eq!(shadow.probabilities, alone.probabilities, "{config} round {round}");
            assert_eq!(shadow.estimates.n_cols(), 3, "ignored objectives are shown");
        }
    }
}

#[test]
fn moglb_eb_weighs_by_the_chances_under_what_counts() {
    let arms = arms();
    let mut policy = build(LEARN_PARTS[2], 3);
    teach(&mut *policy, 0..300, &arms);
    let own = tables(&*policy, &arms);
    let all = play(&*policy, r#"{"objectives":[0,1,2]}"#, &arms, 0).unwrap();
    assert_eq!((&all.front, &all.probabilities, all.arm), (&own.front, &own.probabilities, own.arm));
    let one = play(&*policy, r#"{"objectives":["click"]}"#, &arms, 0).unwrap();
    assert!(one.probabilities != own.probabilities && one.front.len() < own.front.len());
    let best = (0..ARMS).max_by(|&a, &b| own.estimates.row(a)[0].total_cmp(&own.estimates.row(b)[0]));
    assert!(one.front.contains(ArmId(best.unwrap())));
}

#[test]
fn preferences_are_about_the_objectives_that_count() {
    let arms = arms();
    let mut policy = build(LEARN_PARTS[1], 3);
    teach(&mut *policy, 0..200, &arms);
    let weights = r#"{"objectives":["click","view"],"prefer":{"kind":"weights","weights":[1,1]}}"#;
    assert!(play(&*policy, weights, &arms, 1).is_ok());
    let three = r#"{"objectives":["click","view"],"prefer":{"kind":"weights","weights":[1,1,1]}}"#;
    assert!(matches!(play(&*policy, three, &arms, 1), Err(Error::Weights { .. })));
    let hidden = r#"{"objectives":["click"],"prefer":{"kind":"best","objective":"cost"}}"#;
    assert!(matches!(play(&*policy, hidden, &arms, 1), Err(Error::ObjectiveNotFound { .. })));
    assert!(matches!(play(&*policy, r#"{"objectives":[]}"#, &arms, 1), Err(Error::Parameters { .. })));
    assert!(matches!(play(&*policy, r#"{"objectives":[3]}"#, &arms, 1), Err(Error::UnknownObjective { .. })));
    let list: PlayConfig = serde_json::from_str(r#"{"objectives":["cost"]}"#).unwrap();
    let list = list.build(policy.problem()).unwrap();
    let four = list.decide_list(&*policy, &arms, &[], 4, &mut draw::seeded(2)).unwrap();
    assert_eq!(four.arms.len(), 4);
    assert!((four.inclusion.iter().sum::<f64>() - 4.0).abs() < 1e-12);
}
