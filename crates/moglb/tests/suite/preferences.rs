//! Ways to play: exact probabilities for every policy with a front, and no change of the learned state.

use crate::common::problems::{self, Sizes};
use moglb::conformance::check_policy;
use moglb::{
    Arm, ArmId, ArmSet, Decision, Error, Facts, Front, LearnsBy, Link, Matrix, Norms, Objective, POLICIES,
    Play, PlayConfig, Policy, PolicyConfig, Preference, Preferring, Problem, Restorable, Rng, Scale, View,
    draw,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

fn objectives() -> Vec<Objective> {
    vec![
        Objective::new("quality", Link::Logit),
        Objective::new("cost", Link::Identity).minimize().range(0.0, 4.0),
    ]
}

/// A policy that has settled: the mean rewards of its arms, and the possible errors of these means.
#[derive(Debug, Clone)]
struct Settled {
    means: Vec<[f64; 2]>,
    widths: Vec<[f64; 2]>,
    front: Vec<usize>,
}

impl Settled {
    /// A policy with exactly known means, and their front.
    fn new(means: &[[f64; 2]]) -> Self {
        let turned: Vec<[f64; 2]> = means.iter().map(|[quality, cost]| [*quality, -cost]).collect();
        let front = moglb::front(&Matrix::from_rows(&turned).unwrap()).unwrap();
        Self {
            means: means.to_vec(),
            widths: vec![[0.0; 2]; means.len()],
            front: front.iter().map(|arm| arm.0).collect(),
        }
    }

    fn problem(&self) -> Problem {
        Problem::new(1, objectives()).unwrap().with_arms(self.means.len()).unwrap()
    }

    fn arms(&self) -> ArmSet<'static> {
        ArmSet::new(1, vec![0.5; self.means.len()], Norms::Clip).unwrap()
    }

    fn play(&self, config: &str) -> Result<Play, Error> {
        serde_json::from_str::<PlayConfig>(config).expect(config).build(&self.problem())
    }

    fn decide(&self, config: &str) -> Decision {
        let mut decision = Decision::default();
        let play = self.play(config).unwrap();
        play.decide(self, &self.arms(), &[], &mut draw::seeded(1), &mut decision).unwrap();
        decision
    }

    fn probabilities(&self, config: &str) -> Vec<f64> {
        self.decide(config).probabilities
    }
}

impl Policy for Settled {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        decision.front = self.front.iter().copied().map(ArmId).collect();
        decision.estimates = Matrix::from_rows(&self.means)?;
        decision.widths = Matrix::from_rows(&self.widths)?;
        match decision.front.is_empty() {
            true => decision.draw_from(&[ArmId(0)], arms.n_arms(), rng),
            false => decision.draw_from_front(arms.n_arms(), rng),
        }
        Ok(())
    }

    fn learn(&mut self, _: Arm<'_>, _: &[f64]) -> Result<(), Error> {
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { scale: Scale::Mean, ..Facts::default() }
    }
}

/// Five arms: three on the first front, one on the second and one on the third.
fn five() -> Settled {
    Settled::new(&[[0.875, 3.0], [0.625, 2.0], [0.25, 1.0], [0.5, 2.5], [0.125, 3.5]])
}

#[test]
fn a_floor_and_a_baseline_have_their_shares() {
    let best = r#""prefer": { "kind": "best", "objective": "quality" }"#;
    let five = five();
    assert_eq!(five.probabilities(&format!("{{ {best} }}")), [1.0, 0.0, 0.0, 0.0, 0.0]);
    let floor = format!(r#"{{ {best}, "floor": {{ "share": 0.625 }} }}"#);
    assert_eq!(five.probabilities(&floor), [0.5, 0.125, 0.125, 0.125, 0.125]);
    let floor = format!(r#"{{ {best}, "floor": {{ "share": 0.75, "over": "front" }} }}"#);
    assert_eq!(five.probabilities(&floor), [0.5, 0.25, 0.25, 0.0, 0.0]);
    let both =
        format!(r#"{{ {best}, "floor": {{ "share": 0.625 }}, "baseline": {{ "arm": 3, "share": 0.5 }} }}"#);
    assert_eq!(five.probabilities(&both), [0.25, 0.0625, 0.0625, 0.5625, 0.0625]);
}

#[test]
fn excluded_arms_get_nothing_and_a_floor_is_over_those_that_are_left() {
    let five = five();
    let uniform = r#""prefer": { "kind": "uniform" }"#;
    let third = 1.0 / 3.0;
    assert_eq!(five.probabilities(&format!("{{ {uniform} }}")), [third, third, third, 0.0, 0.0]);
    let without = format!(r#"{{ {uniform}, "exclude": [1] }}"#);
    assert_eq!(five.probabilities(&without), [0.5, 0.0, 0.5, 0.0, 0.0]);
    let only =
        format!(r#"{{ {uniform}, "include": [0, 1, 4], "exclude": [1], "floor": {{ "share": 0.5 }} }}"#);
    assert_eq!(five.probabilities(&only), [0.75, 0.0, 0.0, 0.0, 0.25]);
    let own = r#"{ "exclude": [0] }"#;
    assert_eq!(five.probabilities(own), [0.0, 0.5, 0.5, 0.0, 0.0], "the policy's own draw, given that");
}

#[test]
fn where_the_front_is_excluded_the_front_of_the_rest_takes_its_place() {
    let mut five = five();
    let behind = r#"{ "prefer": { "kind": "uniform" }, "exclude": [0, 1, 2] }"#;
    assert_eq!(five.probabilities(behind), [0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(five.probabilities(r#"{ "exclude": [0, 1, 2] }"#), [0.0, 0.0, 0.0, 1.0, 0.0]);
    // With its width the last arm may be as good as any other.
    five.widths[4] = [0.5, 1.5];
    assert_eq!(five.probabilities(behind), [0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn what_is_not_known_is_played_before_anything_is_weighed() {
    let mut five = five();
    five.widths[1] = [f64::INFINITY; 2];
    five.widths[2] = [f64::INFINITY; 2];
    let best = r#"{ "prefer": { "kind": "best", "objective": 0 } }"#;
    assert_eq!(five.probabilities(best), [0.0, 0.5, 0.5, 0.0, 0.0]);
}

#[test]
fn values_are_means_or_what_their_widths_allow() {
    let mut five = five();
    five.widths[1] = [0.3, 0.0];
    let by = |belief: &str| {
        five.probabilities(&format!(
            r#"{{ "prefer": {{ "kind": "best", "objective": 0 }}, "belief": "{belief}" }}"#
        ))
    };
    assert_eq!(by("mean")[0], 1.0);
    assert_eq!(by("optimistic")[1], 1.0);
    five.widths[0] = [0.3, 0.0];
    five.widths[1] = [0.0, 0.0];
    let careful = r#"{ "prefer": { "kind": "best", "objective": 0 }, "belief": "pessimistic" }"#;
    assert_eq!(five.probabilities(careful)[1], 1.0);
}

#[test]
fn a_decision_says_when_the_constraints_are_not_met() {
    let five = five();
    let shortfall = |at: f64| {
        let rule =
            format!(r#"{{ "prefer": {{ "kind": "constraints", "at_least": {{ "quality": {at} }} }} }}"#);
        let mut decision = Decision::default();
        let play = five.play(&rule).unwrap();
        play.decide(&five, &five.arms(), &[], &mut draw::seeded(1), &mut decision).unwrap().shortfall
    };
    assert_eq!((shortfall(0.875), shortfall(1.0)), (0.0, 0.125));
}

#[test]
fn a_decision_without_tables_stays_without() {
    let five = five();
    let play = five.play(r#"{ "prefer": { "kind": "knee" } }"#).unwrap();
    let mut lean = Decision::lean();
    play.decide(&five, &five.arms(), &[], &mut draw::seeded(1), &mut lean).unwrap();
    assert_eq!((lean.tables, lean.estimates.n_rows(), lean.widths.n_rows()), (false, 0, 0));
}

/// An invalid way to play is refused when it is built, before the policy decides.
#[test]
fn impossible_ways_to_play_are_refused() {
    let five = five();
    for (config, code) in [
        (r#"{ "floor": { "share": -0.1 } }"#, "parameter-bounds"),
        (r#"{ "floor": { "share": 1.1 } }"#, "parameter-bounds"),
        (r#"{ "baseline": { "arm": 0, "share": 2 } }"#, "parameter-bounds"),
        (r#"{ "baseline": { "arm": 5, "share": 0.1 } }"#, "unknown-arm"),
        (r#"{ "baseline": { "arm": 1, "share": 0.1 }, "exclude": [1] }"#, "baseline-excluded"),
        (r#"{ "baseline": { "arm": 1, "share": 0.1 }, "include": [0, 2] }"#, "baseline-excluded"),
        (r#"{ "exclude": [7] }"#, "unknown-arm"),
        (r#"{ "include": [] }"#, "nothing-allowed"),
        (r#"{ "exclude": [0, 1, 2, 3, 4] }"#, "nothing-allowed"),
        (r#"{ "prefer": { "kind": "best", "objective": "speed" } }"#, "objective-not-found"),
        (r#"{ "prefer": { "kind": "best", "objective": 2 } }"#, "unknown-objective"),
        (r#"{ "prefer": { "kind": "weights", "weights": [1] } }"#, "weights"),
        (r#"{ "prefer": { "kind": "weights", "weights": [1, -1] } }"#, "weights"),
        (r#"{ "prefer": { "kind": "weights", "weights": [0, 0] } }"#, "weights"),
        (r#"{ "prefer": { "kind": "chebyshev", "weights": [1, 0] } }"#, "weights"),
        (r#"{ "prefer": { "kind": "chebyshev", "weights": [1, 1], "reference": [1] } }"#, "entries"),
        (r#"{ "prefer": { "kind": "hypervolume", "reference": [1, 2, 3] } }"#, "entries"),
        (r#"{ "prefer": { "kind": "hypervolume", "reference": [0, 1e300] } }"#, "parameter-bounds"),
        (r#"{ "prefer": { "kind": "constraints" } }"#, "parameters"),
        (r#"{ "prefer": { "kind": "constraints", "at_least": { "speed": 1 } } }"#, "objective-not-found"),
        (r#"{ "prefer": { "kind": "constraints", "at_most": { "2": 1 } } }"#, "objective-not-found"),
        (r#"{ "prefer": { "kind": "lexicographic", "order": [] } }"#, "parameters"),
        (r#"{ "prefer": { "kind": "lexicographic", "order": [0], "tolerances": [0, 0] } }"#, "entries"),
        (
            r#"{ "prefer": { "kind": "lexicographic", "order": [0], "tolerances": [-1] } }"#,
            "parameter-bounds",
        ),
        (r#"{ "prefer": { "kind": "mix", "of": [] } }"#, "shares"),
        (
            r#"{ "prefer": { "kind": "mix", "of": [{ "share": 0.5, "prefer": { "kind": "knee" } }] } }"#,
            "shares",
        ),
        (
            r#"{ "prefer": { "kind": "mix",
                              "of": [{ "share": 1, "prefer": { "kind": "weights", "weights": [] } }] } }"#,
            "weights",
        ),
    ] {
        let error = five.play(config).expect_err(config);
        assert_eq!(error.code(), code, "{config}: {error}");
    }
    let nan = PlayConfig {
        floor: Some(moglb::Floor { share: f64::NAN, over: moglb::Over::All }),
        ..PlayConfig::default()
    };
    assert!(matches!(nan.build(&five.problem()), Err(Error::ParameterBounds { .. })));
}

/// If the number of arms is not known beforehand, lists are compared with the arms on offer. On an error the
/// generator is unchanged.
#[test]
fn lists_that_do_not_fit_the_arms_are_refused_before_anything_is_drawn() {
    let five = five();
    let open = Problem::new(1, objectives()).unwrap();
    for (config, exposures, code) in [
        (r#"{ "exclude": [7] }"#, vec![], "unknown-arm"),
        (r#"{ "exclude": [0, 1, 2, 3, 4] }"#, vec![], "nothing-allowed"),
        (r#"{ "prefer": { "kind": "least-exposed" } }"#, vec![1, 2], "entries"),
    ] {
        let play = serde_json::from_str::<PlayConfig>(config).unwrap().build(&open).unwrap();
        let (mut rng, mut decision) = (draw::seeded(3), Decision::default());
        let error = play.decide(&five, &five.arms(), &exposures, &mut rng, &mut decision).unwrap_err();
        assert_eq!(error.code(), code);
        assert_eq!(draw::unit(&mut rng), draw::unit(&mut draw::seeded(3)));
    }
}

#[test]
fn a_policy_without_a_front_cannot_be_preferred_among() {
    let settled = Settled { front: vec![], ..five() };
    let play = settled.play(r#"{ "prefer": { "kind": "uniform" } }"#).unwrap();
    let refused = play.decide(&settled, &settled.arms(), &[], &mut draw::seeded(1), &mut Decision::default());
    assert_eq!(refused.unwrap_err(), Error::NoFront);
}

#[test]
fn words_that_nobody_knows_are_refused_and_what_is_read_is_written() {
    for text in [
        r#"{ "kind": "uniform", "c": 1 }"#,
        r#"{ "kind": "knee", "c": 1 }"#,
        r#"{ "kind": "weights", "weights": [1], "c": 1 }"#,
        r#"{ "kind": "nose" }"#,
        r#"{ "weights": [1] }"#,
    ] {
        assert!(serde_json::from_str::<moglb::PreferenceConfig>(text).is_err(), "{text}");
    }
    for text in PREFERENCES {
        let config: moglb::PreferenceConfig = serde_json::from_str(text).expect(text);
        let again = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
        assert_eq!(config, again);
        assert!(!config.to_string().is_empty());
    }
}

/// A custom preference that returns any given numbers.
#[derive(Debug)]
struct Wild(Vec<f64>);

impl Preference for Wild {
    fn weigh(&self, _: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
        probabilities.copy_from_slice(&self.0);
        Ok(())
    }
}

#[test]
fn a_preference_that_gives_no_probabilities_is_refused() {
    let five = five();
    let decide = |given: [f64; 5]| {
        let config = PlayConfig { exclude: vec![4], ..PlayConfig::default() };
        let play = config.build_with(Box::new(Wild(given.to_vec())), &five.problem()).unwrap();
        play.decide(&five, &five.arms(), &[], &mut draw::seeded(1), &mut Decision::default())
    };
    assert!(decide([0.25, 0.25, 0.25, 0.25, 0.0]).is_ok());
    for wrong in [
        [0.25, 0.25, 0.0, 0.0, 0.0],
        [1.5, -0.5, 0.0, 0.0, 0.0],
        [f64::NAN, 0.0, 0.0, 0.0, 0.0],
        [0.5, 0.0, 0.0, 0.0, 0.5],
    ] {
        assert!(matches!(decide(wrong), Err(Error::NotProbabilities { .. })), "{wrong:?}");
    }
}

const PREFERENCES: &[&str] = &[
    r#"{ "kind": "own" }"#,
    r#"{ "kind": "uniform" }"#,
    r#"{ "kind": "best", "objective": 0 }"#,
    r#"{ "kind": "weights", "weights": [1, 2] }"#,
    r#"{ "kind": "chebyshev", "weights": [1, 2] }"#,
    r#"{ "kind": "chebyshev", "weights": [2, 1], "reference": [0.75, 0.5] }"#,
    r#"{ "kind": "constraints", "at_least": { "0": 0.5 }, "then": { "kind": "best", "objective": 1 } }"#,
    r#"{ "kind": "lexicographic", "order": [1, 0], "tolerances": [0.25, 0] }"#,
    r#"{ "kind": "hypervolume" }"#,
    r#"{ "kind": "hypervolume", "choose": "largest" }"#,
    r#"{ "kind": "knee" }"#,
    r#"{ "kind": "least-exposed" }"#,
    r#"{ "kind": "mix", "of": [{ "share": 0.25, "prefer": { "kind": "knee" } },
                               { "share": 0.75, "prefer": { "kind": "weights", "weights": [1, 1] } }] }"#,
];

/// A problem of two objectives, and the policies that have a front.
fn with_a_front() -> (Problem, Vec<PolicyConfig>) {
    let sizes = Sizes { dim: 3, objectives: 2, arms: 7, seed: 5 };
    let problem = problems::problem(sizes, &mut draw::seeded(5)).with_arms(sizes.arms).unwrap();
    let ids = POLICIES.iter().filter(|info| info.has_front).map(|info| info.id);
    let config = |id: &str| serde_json::from_str(&format!(r#"{{ "id": "{id}" }}"#)).unwrap();
    (problem, ids.map(config).collect())
}

/// Plays two policies for a while and checks that they decide the same, bit for bit.
fn assert_same_decisions(problem: &Problem, one: &mut dyn Policy, other: &mut dyn Policy, id: &str) {
    let mut contexts = draw::seeded(8);
    let values =
        (0..problem.n_arms().unwrap() * problem.dim()).map(|_| draw::normal(&mut contexts)).collect();
    let arms = ArmSet::new(problem.dim(), values, Norms::Clip).unwrap();
    let (mut rng, mut same_rng, mut rewards) = (draw::seeded(1), draw::seeded(1), draw::seeded(2));
    for round in 0..60 {
        let decision = one.decide(&arms, &mut rng).unwrap();
        assert!(decision == other.decide(&arms, &mut same_rng).unwrap(), "{id}: round {round}");
        let reward = |o: &Objective| o.from_unit(draw::unit(&mut rewards));
        let reward: Vec<f64> = problem.objectives().iter().map(reward).collect();
        one.learn(arms.arm(decision.arm), &reward).unwrap();
        other.learn(arms.arm(decision.arm), &reward).unwrap();
    }
}

/// The paper's uniform draw, with the same bits from the same seed.
#[test]
fn the_uniform_preference_is_the_draw_of_policies_that_draw_from_their_front() {
    let (problem, configs) = with_a_front();
    for config in configs {
        let mut policy = config.build(&problem).unwrap();
        if policy.facts().draws_from_front {
            let uniform: PlayConfig = serde_json::from_str(r#"{ "prefer": { "kind": "uniform" } }"#).unwrap();
            let play = uniform.build(&problem).unwrap();
            let mut preferring = Preferring::new(config.build(&problem).unwrap(), play);
            assert_same_decisions(&problem, &mut *policy, &mut preferring, config.id());
        }
    }
}

#[test]
fn no_preference_is_the_draw_of_any_policy() {
    let (problem, configs) = with_a_front();
    for config in configs {
        let mut policy = config.build(&problem).unwrap();
        let play = PlayConfig::default().build(&problem).unwrap();
        let mut preferring = Preferring::new(config.build(&problem).unwrap(), play);
        assert_same_decisions(&problem, &mut *policy, &mut preferring, config.id());
    }
}

/// Every policy with a front obeys the laws of `Policy` for each way to play. One of these laws is that arms
/// are drawn as often as their probabilities state.
#[test]
fn a_policy_that_is_played_in_some_way_is_a_policy() {
    let (problem, configs) = with_a_front();
    let plays = [
        r#"{ "prefer": { "kind": "weights", "weights": [1, 1] }, "floor": { "share": 0.3 } }"#,
        r#"{ "prefer": { "kind": "hypervolume" }, "exclude": [2], "baseline": { "arm": 1, "share": 0.2 } }"#,
        r#"{ "prefer": { "kind": "least-exposed" } }"#,
        r#"{ "floor": { "share": 0.5, "over": "front" } }"#,
    ];
    for config in configs {
        for text in plays {
            let make = || {
                let play: PlayConfig = serde_json::from_str(text).unwrap();
                Preferring::new(config.build(&problem).unwrap(), play.build(&problem).unwrap())
            };
            let state = |preferring: &Preferring<dyn Restorable>| {
                (preferring.policy().to_bytes(), preferring.exposures().to_vec())
            };
            check_policy(&problem, make, state);
            assert_ne!(make().facts().learns_by, LearnsBy::Context, "plays are counted");
        }
    }
}

/// If the problem does not fix the number of arms, lists and arms are compared when arms are fixed.
#[test]
fn arms_that_the_lists_do_not_fit_cannot_be_fixed() {
    let problem = Problem::new(2, vec![Objective::new("y", Link::Logit)]).unwrap();
    let play: PlayConfig = serde_json::from_str(r#"{ "exclude": [2] }"#).unwrap();
    let policy = PolicyConfig::recommended().build(&problem).unwrap();
    let mut policy = Preferring::new(policy, play.build(&problem).unwrap());
    let rows = [[0.1, 0.2], [0.3, 0.1], [0.2, 0.2]];
    policy.fix_arms(&Arc::new(ArmSet::from_rows(&rows).unwrap())).unwrap();
    let two = Arc::new(ArmSet::from_rows(&rows[..2]).unwrap());
    assert_eq!(policy.fix_arms(&two), Err(Error::UnknownArm { arm: 2, n_arms: 2 }));
}

/// A policy that is played by a preference can still report how it would play if only some objectives
/// counted.
#[test]
fn a_preference_keeps_what_its_policy_can_tell() {
    let objectives = ["a", "b"].map(|name| Objective::new(name, Link::Logit)).to_vec();
    let problem = Problem::new(2, objectives).unwrap().with_arms(3).unwrap();
    let play: PlayConfig = serde_json::from_str(r#"{ "prefer": { "kind": "uniform" } }"#).unwrap();
    let policy = || PolicyConfig::recommended().build(&problem).unwrap();
    let preferring = Preferring::new(policy(), play.build(&problem).unwrap());
    let arms = ArmSet::from_rows(&[[0.1, 0.2], [0.3, 0.1], [0.2, 0.2]]).unwrap();
    let weigh = |policy: &dyn Policy| {
        let mut decision = Decision::default();
        let model = policy.model().unwrap();
        assert!(model.weigh_by(&arms, &[true, false], &mut decision).unwrap(), "it can tell");
        (decision.front, decision.probabilities)
    };
    assert_eq!(weigh(&preferring), weigh(&policy()));
}

/// Least exposed: after n plays of a front that does not change, the plays of its arms differ by at most one.
#[test]
fn the_least_exposed_are_played_equally_often() {
    let five = five();
    let play = five.play(r#"{ "prefer": { "kind": "least-exposed" } }"#).unwrap();
    let mut preferring = Preferring::new(Box::new(five.clone()), play);
    let (arms, mut rng) = (five.arms(), draw::seeded(4));
    for _ in 0..100 {
        let decision = preferring.decide(&arms, &mut rng).unwrap();
        preferring.learn(arms.arm(decision.arm), &[0.5, 1.0]).unwrap();
    }
    let mut counts = preferring.exposures().to_vec();
    counts.sort_unstable();
    assert_eq!(counts, [0, 0, 33, 33, 34]);
    let refused = preferring.learn(Arm::new(ArmId(5), &[0.5]).unwrap(), &[0.5, 1.0]);
    assert_eq!(refused, Err(Error::UnknownArm { arm: 5, n_arms: 5 }));
}

#[test]
fn a_list_is_filled_from_what_is_left_of_the_front_and_then_from_the_next() {
    let five = five();
    let list = |config: &str, k: usize| {
        let play = five.play(config).unwrap();
        play.decide_list(&five, &five.arms(), &[], k, &mut draw::seeded(1)).unwrap()
    };
    let best = r#"{ "prefer": { "kind": "best", "objective": "quality" } }"#;
    let ids = |k: usize| list(best, k).arms.iter().map(|arm| arm.0).collect::<Vec<_>>();
    assert_eq!(ids(1), [0]);
    assert_eq!(ids(5), [0, 1, 2, 3, 4], "the front by quality, then the second front, then the third");
    let uniform = list(r#"{ "prefer": { "kind": "uniform" } }"#, 2);
    assert_eq!(uniform.inclusion, [2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 0.0, 0.0]);
    let four = list(r#"{ "prefer": { "kind": "uniform" }, "exclude": [3] }"#, 4);
    assert_eq!(four.inclusion, [1.0, 1.0, 1.0, 0.0, 1.0]);
    assert_eq!(four.front, [0, 1, 2].map(ArmId).into_iter().collect::<Front>());
    for k in [0, 6] {
        let play = five.play(best).unwrap();
        let refused = play.decide_list(&five, &five.arms(), &[], k, &mut draw::seeded(1));
        assert_eq!(refused, Err(Error::ListLength { allowed: 5, got: k }));
    }
}

/// With 20 000 lists, a frequency is wrong by five standard errors with chance 6e-7.
#[test]
fn arms_are_on_lists_as_often_as_their_inclusion_probabilities_say() {
    let five = five();
    let config = r#"{ "prefer": { "kind": "hypervolume" }, "floor": { "share": 0.25 },
                      "baseline": { "arm": 4, "share": 0.125 } }"#;
    let play = five.play(config).unwrap();
    for k in 1..=4 {
        let (n, mut rng, mut counts) = (20_000, draw::seeded(k as u64), [0.0; 5]);
        let mut inclusion = Vec::new();
        for _ in 0..n {
            let list = play.decide_list(&five, &five.arms(), &[], k, &mut rng).unwrap();
            assert_eq!(list.arms.iter().collect::<BTreeSet<_>>().len(), k);
            list.arms.iter().for_each(|arm| counts[arm.0] += 1.0);
            inclusion = list.inclusion;
        }
        assert!((inclusion.iter().sum::<f64>() - k as f64).abs() < 1e-12);
        for (count, chance) in counts.iter().zip(&inclusion) {
            let frequency = count / f64::from(n);
            let error = 5.0 * (chance * (1.0 - chance) / f64::from(n)).sqrt();
            assert!((frequency - chance).abs() <= error, "k = {k}: {frequency} for {chance}");
        }
    }
}

/// Means on a grid, so that there are ties and equal arms.
fn any_means() -> impl Strategy<Value = Vec<[f64; 2]>> {
    let value = |step: f64| (0..=8_u8).prop_map(move |k| f64::from(k) * step);
    prop::collection::vec((value(0.125), value(0.5)).prop_map(|(quality, cost)| [quality, cost]), 1..12)
}

fn playing(preference: &str, rest: &str) -> String {
    format!(r#"{{ "prefer": {preference} {rest} }}"#)
}

fn close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn probabilities_add_up_to_one_and_dominated_arms_get_no_more_than_the_floor(
        means in any_means(), floor in 0.0..=1.0_f64,
    ) {
        let settled = Settled::new(&means);
        for preference in PREFERENCES {
            let p = settled.probabilities(&playing(
                preference,
                &format!(r#", "floor": {{ "share": {floor} }}"#),
            ));
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{preference}: {p:?}");
            for (arm, &p) in p.iter().enumerate().filter(|(arm, _)| !settled.front.contains(arm)) {
                prop_assert!((p - floor / means.len() as f64).abs() < 1e-15, "{preference}: {arm}");
            }
        }
    }

    #[test]
    fn the_order_of_the_arms_does_not_matter(means in any_means()) {
        let turned: Vec<[f64; 2]> = means.iter().rev().copied().collect();
        let (settled, turned) = (Settled::new(&means), Settled::new(&turned));
        for preference in PREFERENCES {
            let mut p = turned.probabilities(&playing(preference, ""));
            p.reverse();
            prop_assert!(close(&settled.probabilities(&playing(preference, "")), &p), "{preference}");
        }
    }

    /// The factors are powers of two, which change no digit.
    #[test]
    fn only_the_ratio_of_weights_matters(means in any_means(), power in -8..8_i32) {
        let settled = Settled::new(&means);
        let c = 2.0_f64.powi(power);
        for kind in ["weights", "chebyshev"] {
            let with = |c: f64| settled.probabilities(&playing(
                &format!(r#"{{ "kind": "{kind}", "weights": [{}, {}] }}"#, c, 3.0 * c), "",
            ));
            prop_assert_eq!(with(1.0), with(c));
        }
    }

    /// An arm that is worse than another in both objectives does not change the probabilities of the other
    /// arms.
    #[test]
    fn a_dominated_arm_does_not_change_who_wins(means in any_means(), worse in any::<prop::sample::Index>()) {
        let [quality, cost] = means[worse.index(means.len())];
        let more = [&means[..], &[[quality - 0.0625, cost + 0.25]]].concat();
        for preference in PREFERENCES.iter().filter(|text| !text.contains("own")) {
            let mut p = Settled::new(&more).probabilities(&playing(preference, ""));
            prop_assert_eq!(p.pop(), Some(0.0));
            prop_assert!(
                close(&Settled::new(&means).probabilities(&playing(preference, "")), &p),
                "{preference}"
            );
        }
    }

    #[test]
    fn a_list_has_distinct_allowed_arms_and_inclusion_probabilities_that_add_up(
        means in any_means(), k in 1..12_usize, seed in any::<u64>(),
    ) {
        let settled = Settled::new(&means);
        let k = k.min(means.len());
        for preference in PREFERENCES {
            let play = settled.play(&playing(preference, "")).unwrap();
            let list = play.decide_list(&settled, &settled.arms(), &[], k, &mut draw::seeded(seed)).unwrap();
            prop_assert_eq!(list.arms.iter().collect::<BTreeSet<_>>().len(), k);
            prop_assert!(list.arms.iter().all(|arm| list.inclusion[arm.0] > 0.0));
            prop_assert!(list.inclusion.iter().all(|chance| (0.0..=1.0).contains(chance)));
            prop_assert!((list.inclusion.iter().sum::<f64>() - k as f64).abs() < 1e-9);
        }
    }
}
