//! Identification of the front: laws over all identifiers, and the bound of the theorem.

use crate::common::identify::{build, finish, ids, world};
use moglb::{
    ArmId, ArmSet, AuerConfig, BestArmRule, Error, GegeBudgetConfig, GegeConfig, IdentifierConfig, Link,
    Matrix, Objective, Problem, Scalarization, ScalarizedConfig, draw, front, gaps,
};
use proptest::prelude::*;

/// All identifiers, with parameters that make them stop soon.
fn all() -> Vec<IdentifierConfig> {
    let auer = AuerConfig { accuracy: 0.2, delta: 0.1, sigma: 0.2 };
    let lucb = ScalarizedConfig { rule: BestArmRule::Lucb, sigma: 0.1, ..Default::default() };
    vec![
        IdentifierConfig::Auer(auer.clone()),
        IdentifierConfig::AuerCover(auer.clone()),
        IdentifierConfig::Uniform(auer),
        IdentifierConfig::Scalarized(lucb.clone()),
        IdentifierConfig::Scalarized(ScalarizedConfig { rule: BestArmRule::Elimination, ..lucb }),
        IdentifierConfig::Gege(GegeConfig { accuracy: 0.2, scale: 0.02, ..Default::default() }),
        IdentifierConfig::GegeBudget(GegeBudgetConfig { budget: 100 }),
    ]
}

fn some_means() -> Matrix {
    Matrix::from_rows(&[[0.8, 0.2], [0.3, 0.9], [0.2, 0.3], [0.6, 0.6]]).unwrap()
}

#[test]
fn a_refused_reward_changes_nothing() {
    for config in all() {
        let (mut clean, arms) = build(&config, 4, 2);
        let (mut bothered, _) = build(&config, 4, 2);
        let mut rng = draw::seeded(5);
        while let Some(arm) = clean.next_arm() {
            let other = ArmId((arm.0 + 1) % 4);
            let asked = Some(arm.0);
            assert_eq!(
                bothered.learn(arms.arm(other), &[1.0, 1.0]),
                Err(Error::NotAsked { asked, got: other.0 })
            );
            for bad in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
                assert!(matches!(bothered.learn(arms.arm(arm), &[0.5, bad]), Err(Error::Reward { .. })));
            }
            for bad in [&[][..], &[1.0], &[1.0; 3]] {
                assert!(matches!(bothered.learn(arms.arm(arm), bad), Err(Error::RewardLength { .. })));
            }
            let reward = [draw::unit(&mut rng), draw::unit(&mut rng)];
            for identifier in [&mut clean, &mut bothered] {
                identifier.learn(arms.arm(arm), &reward).unwrap();
            }
            assert_eq!(
                (clean.next_arm(), clean.samples(), clean.answer()),
                (bothered.next_arm(), bothered.samples(), bothered.answer()),
                "{}",
                config.id()
            );
        }
        let after = clean.learn(arms.arm(ArmId(0)), &[1.0, 1.0]);
        assert_eq!(after, Err(Error::NotAsked { asked: None, got: 0 }), "{}", config.id());
    }
}

#[test]
fn the_same_rewards_give_the_same_answer() {
    for config in all() {
        let play = || {
            let (mut identifier, arms) = build(&config, 4, 2);
            finish(&mut *identifier, &arms, &some_means(), 9)
        };
        assert_eq!(play(), play(), "{}", config.id());
    }
}

#[test]
fn an_arm_alone_is_the_front() {
    for config in all() {
        let (mut identifier, arms) = build(&config, 1, 2);
        let (answer, _) = finish(&mut *identifier, &arms, &Matrix::from_rows(&[[0.5, 0.5]]).unwrap(), 1);
        assert_eq!(ids(&answer), [0], "{}", config.id());
    }
}

/// Rotated unit vectors are as good as unit vectors: the estimates are the means of each arm, so nothing
/// changes.
#[test]
fn gege_does_not_depend_on_the_basis_of_orthonormal_contexts() {
    let (problem, arms) = world(4, 2);
    let (a, b): (f64, f64) = (0.6, 0.8);
    let turned = [[a, b, 0.0, 0.0], [-b, a, 0.0, 0.0], [0.0, 0.0, b, a], [0.0, 0.0, -a, b]];
    let turned = ArmSet::from_rows(&turned).unwrap();
    for config in &all()[5..] {
        let play = |arms: &ArmSet| {
            let mut identifier = config.build(&problem, arms).unwrap();
            finish(&mut *identifier, arms, &some_means(), 4)
        };
        assert_eq!(play(&arms), play(&turned), "{}", config.id());
    }
}

/// Minimized objectives are mirrored, and ranges other than [0, 1] are scaled, before they are learned.
#[test]
fn minimized_objectives_of_any_range_are_found_as_well() {
    let (_, arms) = world(4, 2);
    let cost = Objective::new("cost", Link::Identity).minimize().range(-3.0, 1.0);
    let gain = Objective::new("gain", Link::Identity).range(0.0, 1.0);
    let problem = Problem::new(4, vec![gain, cost]).unwrap().with_radius(8.0).unwrap();
    for config in all() {
        let play = |turn: bool| {
            let (mut identifier, means) = (build(&config, 4, 2).0, some_means());
            if turn {
                identifier = config.build(&problem, &arms).unwrap();
            }
            let mut rng = draw::seeded(6);
            while let Some(arm) = identifier.next_arm() {
                let [first, second] =
                    [0, 1].map(|i| f64::from(u8::from(draw::unit(&mut rng) < means.row(arm.0)[i])));
                let second = if turn { 1.0 - 4.0 * second } else { second };
                identifier.learn(arms.arm(arm), &[first, second]).unwrap();
            }
            (identifier.answer(), identifier.samples())
        };
        assert_eq!(play(false), play(true), "{}", config.id());
    }
}

/// Auer et al. prove at most Σ 4320·σ²/D²·log(12·K·m·σ/(δ·D)) samples, with D = max(ε₀, the gap of the arm).
/// The bound is very loose, so the samples should be below a twentieth of it.
#[test]
fn samples_are_below_the_bound_of_the_theorem() {
    let means = some_means();
    let (n, m, delta, accuracy, sigma) = (means.n_rows(), 2.0, 0.1, 0.1, 0.5);
    let (on, gap) = (front(&means).unwrap(), gaps(&means).unwrap());
    let over =
        |i: usize, j: usize| means.row(i).iter().zip(means.row(j)).map(|(a, b)| a - b).fold(0.0, f64::max);
    let hardness =
        |i: usize| {
            if !on.contains(ArmId(i)) {
                return gap[i];
            }
            let others = (0..n).filter(|&j| j != i);
            others
                .map(|j| {
                    if on.contains(ArmId(j)) { over(i, j).min(over(j, i)) } else { over(j, i) + 2.0 * gap[j] }
                })
                .fold(1.0, f64::min)
        };
    let bound: f64 = (0..n)
        .map(|i| {
            let d = hardness(i).max(accuracy);
            4320.0 * sigma * sigma / (d * d) * (12.0 * n as f64 * m * sigma / (delta * d)).ln()
        })
        .sum();
    for seed in 0..20 {
        let config = IdentifierConfig::Auer(AuerConfig { accuracy, delta, sigma });
        let (mut auer, arms) = build(&config, n, 2);
        let (_, samples) = finish(&mut *auer, &arms, &means, seed);
        assert!((samples as f64) < bound / 20.0, "{samples} samples, bound {bound}");
    }
}

#[test]
fn bad_configurations_are_refused() {
    let (problem, arms) = world(3, 2);
    let refusal = |text: &str| {
        let config: IdentifierConfig =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        config.build(&problem, &arms).err().unwrap_or_else(|| panic!("{text} was built"))
    };
    for id in ["auer", "auer-cover", "uniform", "scalarized", "gege"] {
        let with = |text: &str| refusal(&format!(r#"{{ "id": "{id}", {text} }}"#));
        for delta in ["0.0", "1.0", "-0.5", "2"] {
            assert!(matches!(with(&format!(r#""delta": {delta}"#)), Error::Delta { .. }), "{id} {delta}");
        }
        for accuracy in ["-0.1", "1.5"] {
            assert!(matches!(with(&format!(r#""accuracy": {accuracy}"#)), Error::Accuracy { .. }));
        }
        assert!(matches!(with(r#""sigma": 0.0"#), Error::NotPositive { name: "sigma", .. }));
    }
    assert!(matches!(refusal(r#"{ "id": "auer-cover", "accuracy": 0.0 }"#), Error::Accuracy { .. }));
    assert!(matches!(refusal(r#"{ "id": "gege", "scale": 0.0 }"#), Error::NotPositive { name: "scale", .. }));
    assert_eq!(refusal(r#"{ "id": "gege-budget", "budget": 11 }"#), Error::Budget { least: 12, got: 11 });
    for weights in ["[[1]]", "[[1, 1, 1]]", "[[1, -1]]", "[[0, 0]]", "[[1, 0]]"] {
        let text = format!(r#"{{ "id": "scalarized", "weights": {weights} }}"#);
        assert!(matches!(refusal(&text), Error::Weights { expected: 2, .. }), "{weights}");
    }
    for rest in [r#""weights": []"#, r#""divisions": 0"#, r#""divisions": 200000"#] {
        let text = format!(r#"{{ "id": "scalarized", {rest} }}"#);
        assert!(matches!(refusal(&text), Error::Parameters { .. }), "{rest}");
    }
    for value in [f64::NAN, f64::INFINITY] {
        for config in [
            AuerConfig { delta: value, ..Default::default() },
            AuerConfig { accuracy: value, ..Default::default() },
            AuerConfig { sigma: value, ..Default::default() },
        ] {
            assert!(IdentifierConfig::Auer(config).build(&problem, &arms).is_err());
        }
    }
    let (_, other) = world(4, 2);
    let auer = IdentifierConfig::Auer(AuerConfig::default());
    assert!(matches!(auer.build(&problem, &other), Err(Error::Dimension { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// With negligible noise the answer is right for any means: every arm of the front, and none with a gap
    /// above ε₀.
    #[test]
    fn without_noise_every_goal_is_met(
        rows in proptest::collection::vec(proptest::collection::vec(0.0..1.0_f64, 2), 1..7),
    ) {
        let means = Matrix::from_rows(&rows).unwrap();
        let sigma = 0.01;
        let auer = AuerConfig { accuracy: 0.05, delta: 0.1, sigma };
        let best = ScalarizedConfig { sigma, ..Default::default() };
        for config in [
            IdentifierConfig::Auer(auer.clone()),
            IdentifierConfig::AuerCover(auer),
            IdentifierConfig::Scalarized(ScalarizedConfig { rule: BestArmRule::Lucb, ..best.clone() }),
            IdentifierConfig::Scalarized(ScalarizedConfig { scalarization: Scalarization::Linear, ..best }),
            IdentifierConfig::Gege(GegeConfig { scale: 1e-3, ..Default::default() }),
        ] {
            let (mut identifier, arms) = build(&config, rows.len(), 2);
            while let Some(arm) = identifier.next_arm() {
                identifier.learn(arms.arm(arm), means.row(arm.0)).unwrap();
                prop_assert!(identifier.samples() < 1_000_000);
            }
            let answer = identifier.answer();
            prop_assert!(identifier.goal().is_met(&answer, &means).unwrap(), "{}: {:?}", config.id(), answer);
        }
    }

    /// Contexts of any rank, with zeros and repetitions: a budget is never exceeded, and there is always an
    /// answer.
    #[test]
    fn a_budget_is_never_exceeded(
        rows in proptest::collection::vec(
            proptest::collection::vec(prop_oneof![Just(0.0), -0.5..0.5_f64], 3),
            1..9,
        ),
        budget in 60..400_u64,
        seed in 0..1000_u64,
    ) {
        let arms = ArmSet::from_rows(&rows).unwrap();
        let objectives = vec![Objective::new("a", Link::Logit), Objective::new("b", Link::Probit)];
        let problem = Problem::new(3, objectives).unwrap();
        let config = IdentifierConfig::GegeBudget(GegeBudgetConfig { budget });
        let mut identifier = config.build(&problem, &arms).unwrap();
        let means = Matrix::from_rows(&vec![[0.4, 0.6]; rows.len()]).unwrap();
        let (answer, samples) = finish(&mut *identifier, &arms, &means, seed);
        prop_assert!(samples <= budget && !answer.is_empty());
    }
}
