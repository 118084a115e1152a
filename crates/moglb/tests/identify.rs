//! Finding the front: first rounds worked out by hand, laws over all identifiers, and the bound of the theorem.

use moglb::{
    ArmId, ArmSet, AuerConfig, BestArmRule, Error, Front, GegeBudgetConfig, GegeConfig, Identifier,
    IdentifierConfig, Link, Matrix, Objective, Problem, Scalarization, ScalarizedConfig, draw, front, gaps,
};
use proptest::prelude::*;

/// Unit vectors for contexts and rewards of zero or one.
fn world(n_arms: usize, m: usize) -> (Problem, ArmSet<'static>) {
    let objective = |i: usize| Objective::new(format!("y{i}"), Link::Identity).range(0.0, 1.0);
    let problem = Problem::new(n_arms, (0..m).map(objective).collect()).unwrap();
    let rows: Vec<Vec<f64>> =
        (0..n_arms).map(|k| (0..n_arms).map(|j| f64::from(u8::from(j == k))).collect()).collect();
    let problem = problem.with_radius((n_arms as f64).sqrt()).unwrap().with_arms(n_arms).unwrap();
    (problem, ArmSet::from_rows(&rows).unwrap())
}

fn build(config: &IdentifierConfig, n_arms: usize, m: usize) -> (Box<dyn Identifier>, ArmSet<'static>) {
    let (problem, arms) = world(n_arms, m);
    (config.build(&problem, &arms).unwrap(), arms)
}

/// Samples a list of arms, each of which must be the one that is asked for.
fn learn(identifier: &mut dyn Identifier, arms: &ArmSet, rewards: &[(usize, &[f64])]) {
    for &(arm, reward) in rewards {
        assert_eq!(identifier.next_arm(), Some(ArmId(arm)), "after {} samples", identifier.samples());
        identifier.learn(arms.arm(ArmId(arm)), reward).unwrap();
    }
}

fn ids(front: &Front) -> Vec<usize> {
    front.iter().map(|arm| arm.0).collect()
}

/// K = 3, m = 2, δ = 0.1, σ = 0.1: β(n) = 0.1·√(2·(log 240 + 2·log n)/n), with log 240 = 5.480639.
#[test]
fn the_first_rounds_of_pareto_front_identification_are_those_by_hand() {
    let config = IdentifierConfig::Auer(AuerConfig { accuracy: 0.1, delta: 0.1, sigma: 0.1 });
    let (mut auer, arms) = build(&config, 3, 2);
    // 2β(1) = 0.662. Arms 0 and 1 are clearly no worse than any, M̂ = 1.1, but arm 2 may yet be dominated by either,
    // M̂(2, 0) = M̂(2, 1) = 0.1: they wait.
    learn(&mut *auer, &arms, &[(0, &[1.0, 0.0]), (1, &[0.0, 1.0]), (2, &[0.0, 0.0])]);
    // 2β(2) = 0.524: arm 0 leads arm 2 by min(1, 1/2).
    learn(&mut *auer, &arms, &[(0, &[1.0, 1.0]), (1, &[0.0, 1.0]), (2, &[0.0, 0.0])]);
    assert_eq!(ids(&auer.answer()), [0, 1, 2]);
    // 2β(3) = 0.452: by min(1, 2/3) now, so arm 2 is dropped. M̂(1, 0) = 1 + 0.1 − 2/3 = 0.433: arm 1 is not clear of arm 0.
    learn(&mut *auer, &arms, &[(0, &[1.0, 1.0]), (1, &[0.0, 1.0]), (2, &[0.0, 0.0])]);
    assert_eq!(ids(&auer.answer()), [0, 1]);
    // 2β(4) = 0.406, M̂(1, 0) = 0.6: both are accepted.
    learn(&mut *auer, &arms, &[(0, &[1.0, 0.0]), (1, &[0.0, 1.0])]);
    assert_eq!((auer.next_arm(), ids(&auer.answer()), auer.samples()), (None, vec![0, 1], 11));
}

#[test]
fn the_control_goes_on_sampling_every_arm() {
    let config = IdentifierConfig::Uniform(AuerConfig { accuracy: 0.1, delta: 0.1, sigma: 0.1 });
    let (mut uniform, arms) = build(&config, 3, 2);
    for rewards in [[1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 0.0]] {
        learn(&mut *uniform, &arms, &[(0, &rewards), (1, &[0.0, 1.0]), (2, &[0.0, 0.0])]);
    }
    assert_eq!((uniform.next_arm(), ids(&uniform.answer()), uniform.samples()), (None, vec![0, 1], 12));
}

/// K = 2, m = 2, δ = 0.1: δ₁ = 0.6/π² = 0.060793, and for gaps of ε₁ = 1/4 theory asks for
/// 32·σ²·h/ε₁²·log(2·m·K/δ₁) = 256·4.879729 = 1249.2 samples. A hundredth of it, shared equally and rounded up, is 7 of each.
#[test]
fn the_first_round_of_gege_is_that_by_hand() {
    let config = GegeConfig { accuracy: 0.0, delta: 0.1, sigma: 0.5, scale: 0.01 };
    let (mut gege, arms) = build(&IdentifierConfig::Gege(config.clone()), 2, 2);
    learn(&mut *gege, &arms, &[(0, &[1.0, 1.0][..]); 7]);
    learn(&mut *gege, &arms, &[(1, &[0.0, 0.0][..]); 7]);
    // Arm 0 leads by 1 in both objectives: one is dropped, the other accepted.
    assert_eq!((gege.next_arm(), ids(&gege.answer()), gege.samples()), (None, vec![0], 14));
    // Equal arms are not told apart: ε₂ = 1/8 and δ₂ = δ₁/4 ask for 0.01·1024·log(8·4/δ₁) = 64.2, 33 of each.
    let (mut gege, arms) = build(&IdentifierConfig::Gege(config), 2, 2);
    learn(&mut *gege, &arms, &[(0, &[1.0, 1.0][..]); 7]);
    learn(&mut *gege, &arms, &[(1, &[1.0, 1.0][..]); 7]);
    learn(&mut *gege, &arms, &[(0, &[1.0, 0.0][..]); 33]);
    learn(&mut *gege, &arms, &[(1, &[0.0, 1.0][..]); 33]);
    assert_eq!((gege.next_arm(), ids(&gege.answer())), (None, vec![0, 1]), "only the last round counts");
}

/// Four arms of rank four: two rounds with half of the budget each, after which two and then one of them are left.
#[test]
fn the_rounds_of_gege_with_a_budget_are_those_by_hand() {
    let (mut gege, arms) = build(&IdentifierConfig::GegeBudget(GegeBudgetConfig { budget: 40 }), 4, 2);
    // 20 samples, 4 of them for rounding: 4 of each arm.
    let means = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]];
    for (arm, reward) in means.iter().enumerate() {
        learn(&mut *gege, &arms, &[(arm, &reward[..]); 4]);
    }
    // All gaps are 0: arms 0 and 3 are equal; arm 2 is dominated by 0 and by 1, but level with each in one objective; and arm 1
    // may be needed to rule out arm 2, M(2, 1)₊ + (Δ*₂)₊ = 0. Of equal gaps those on the front are kept first: 0 and 1.
    assert_eq!(gege.next_arm(), Some(ArmId(0)));
    assert!(gege.answer().contains(ArmId(1)));
    while let Some(arm) = gege.next_arm() {
        gege.learn(arms.arm(arm), &means[arm.0]).unwrap();
    }
    assert!(gege.samples() <= 40, "{}", gege.samples());
    assert!(!gege.answer().contains(ArmId(2)), "{:?}", gege.answer());
}

fn scalarized(config: ScalarizedConfig) -> IdentifierConfig {
    IdentifierConfig::Scalarized(ScalarizedConfig { accuracy: 0.1, delta: 0.1, sigma: 0.1, ..config })
}

/// K = 2, two weight vectors: β(1) = 0.1·√(2·log(4·2·2/0.1)) = 0.3186.
#[test]
fn the_first_rounds_of_scalarized_identification_are_those_by_hand() {
    let weights = Some(vec![vec![2.0, 0.0], vec![0.0, 1.0]]);
    let linear = ScalarizedConfig { scalarization: Scalarization::Linear, weights, ..Default::default() };
    let (mut best, arms) = build(&scalarized(linear), 2, 2);
    // Values 1 and 0 are further apart than 2β: each weight vector has its winner.
    learn(&mut *best, &arms, &[(0, &[1.0, 0.0]), (1, &[0.0, 1.0])]);
    assert_eq!((best.next_arm(), ids(&best.answer()), best.samples()), (None, vec![0, 1], 2));
    // The smaller of the two weighted objectives is zero for both arms: nothing is settled.
    let weights = Some(vec![vec![1.0, 1.0]]);
    let minimum = ScalarizedConfig { weights, ..Default::default() };
    let (mut best, arms) = build(&scalarized(minimum), 2, 2);
    learn(&mut *best, &arms, &[(0, &[1.0, 0.0]), (1, &[0.0, 1.0]), (0, &[1.0, 1.0]), (1, &[0.0, 1.0])]);
    // Values ½·min(1, ½) and 0, and 2·½·β(2) = 0.1·√(2·(5.075174 + 1.386294)/2) = 0.2542, so ¼ will not do.
    learn(&mut *best, &arms, &[(0, &[1.0, 1.0]), (1, &[0.0, 1.0])]);
    // ½·⅔ = ⅓ against 2·½·β(3) = 0.1·√(2·(5.075174 + 2.197225)/3) = 0.2202.
    assert_eq!((best.next_arm(), ids(&best.answer())), (None, vec![0]));
}

#[test]
fn lucb_samples_the_best_arm_and_its_strongest_rival() {
    let config = ScalarizedConfig { rule: BestArmRule::Lucb, ..Default::default() };
    let (mut lucb, arms) = build(&IdentifierConfig::Scalarized(config), 3, 1);
    learn(&mut *lucb, &arms, &[(0, &[0.0]), (1, &[1.0]), (2, &[0.0])]);
    learn(&mut *lucb, &arms, &[(0, &[0.0]), (1, &[1.0])]);
    // Now the upper bound of arm 2 is the highest: it has fewer samples.
    learn(&mut *lucb, &arms, &[(1, &[1.0]), (2, &[0.0])]);
}

/// All identifiers, hasty enough to stop soon.
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

/// Samples to the end with rewards of zero or one.
fn finish(identifier: &mut dyn Identifier, arms: &ArmSet, means: &Matrix, seed: u64) -> (Front, u64) {
    let mut rng = draw::seeded(seed);
    while let Some(arm) = identifier.next_arm() {
        let pull = |&mean: &f64| f64::from(u8::from(draw::unit(&mut rng) < mean));
        let reward: Vec<f64> = means.row(arm.0).iter().map(pull).collect();
        identifier.learn(arms.arm(arm), &reward).unwrap();
        assert!(identifier.samples() < 5_000_000, "no end");
    }
    (identifier.answer(), identifier.samples())
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

/// Rotated unit vectors are as good as unit vectors: estimates are the means of each arm, so nothing changes.
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

/// Objectives to be minimized, and ranges other than [0, 1], are mirrored and scaled on their way in.
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

/// Auer et al. prove at most Σ 4320·σ²/D²·log(12·K·m·σ/(δ·D)) samples, with D = max(ε₀, the arm's gap).
/// It is loose by far, so they should be below a twentieth of it.
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

    /// Without noise to speak of the answer is right whatever the means: every arm of the front, none with a gap above ε₀.
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

    /// Contexts of any rank, zeros and repeats among them: a budget is never exceeded, and there is always an answer.
    #[test]
    fn a_budget_is_never_exceeded(
        rows in proptest::collection::vec(proptest::collection::vec(prop_oneof![Just(0.0), -0.5..0.5_f64], 3), 1..9),
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
