//! Estimates agree with their formulas, and input that cannot be evaluated is refused.

use moglb::{Link, Matrix, Objective, PlayConfig, PolicyConfig, Problem, draw};
use moglb_data::Layout;
use moglb_evaluate::{
    ArmFeatures, Estimator, EvaluateConfig, EvaluateError, Interval, Log, LogParts, Snapshot, Target,
    Verdict, evaluate,
};

/// A log of two objectives. Arm 1 is better than arm 0 in both, arm 2 is best in the first, and arm 3 is
/// never played.
fn parts(n: usize) -> LogParts {
    let mut rng = draw::seeded(11);
    let means = [[0.2, 0.3], [0.5, 0.6], [0.8, 0.1], [0.0, 0.0]];
    let chances = [0.25, 0.25, 0.5, 0.0];
    let mut parts = LogParts {
        objectives: ["a", "b"].map(|name| Objective::new(name, Link::Identity).range(0.0, 1.0)).to_vec(),
        arms: ["0", "1", "2", "3"].map(String::from).to_vec(),
        ..LogParts::default()
    };
    let (mut contexts, mut rewards) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let arm = [0, 1, 2, 2][draw::below(4, &mut rng)];
        contexts.push([draw::unit(&mut rng)]);
        rewards.push(means[arm].map(|mean| f64::from(u8::from(draw::unit(&mut rng) < mean))));
        parts.played.push(arm);
    }
    parts.contexts = Matrix::from_rows(&contexts).unwrap();
    parts.rewards = Matrix::from_rows(&rewards).unwrap();
    parts.probabilities = Some(Matrix::from_rows(&vec![chances; n]).unwrap());
    parts
}

fn config(estimator: &str) -> EvaluateConfig {
    EvaluateConfig { estimator: estimator.parse().unwrap(), replications: 200, ..EvaluateConfig::default() }
}

fn one(
    log: &Log,
    target: Target,
    config: &EvaluateConfig,
) -> Result<moglb_evaluate::PolicyValue, EvaluateError> {
    evaluate(log, &[("target".into(), target)], config).map(|mut found| found.policies.remove(0))
}

fn half_and_half(n: usize) -> Target {
    Target::Table(Matrix::from_rows(&vec![[0.5, 0.5, 0.0, 0.0]; n]).unwrap())
}

#[test]
fn scores_are_weighted_means_of_rewards() {
    let log = Log::new(parts(200)).unwrap();
    let weights: Vec<f64> = log.played().iter().map(|arm| [2.0, 2.0, 0.0][*arm]).collect();
    let sums = |i: usize| -> f64 { log.rewards().rows().zip(&weights).map(|(row, w)| w * row[i]).sum() };
    let all: f64 = weights.iter().sum();
    for (estimator, by) in [("ips", 200.0), ("snips", all)] {
        let got = one(&log, half_and_half(200), &config(estimator)).unwrap();
        for i in 0..2 {
            assert!((got.value[i] - sums(i) / by).abs() < 1e-14, "{estimator}");
        }
        let squares: f64 = weights.iter().map(|w| w * w).sum();
        assert!((got.overlap.effective_rounds - all * all / squares).abs() < 1e-9);
        assert_eq!((got.overlap.max_weight, got.overlap.unplayed, got.overlap.thin), (2.0, Some(0.0), 0.0));
        assert_eq!(got.overlap.unplayed_arms, [3]);
    }
}

/// If no weight is cut, the estimate is doubly robust; if all are cut, it is the direct method.
#[test]
fn switch_and_shrinkage_go_from_the_direct_method_to_doubly_robust() {
    let log = Log::new(parts(200)).unwrap();
    let value = |estimator: &str| one(&log, half_and_half(200), &config(estimator)).unwrap().value;
    let (direct, robust) = (value("dm"), value("dr"));
    assert_ne!(direct, robust);
    assert_eq!((value("switch-dr:1"), value("switch-dr:2")), (direct.clone(), robust.clone()));
    for i in 0..2 {
        assert!((value("dr-os:1e-12")[i] - direct[i]).abs() < 1e-9);
        assert!((value("dr-os:1e12")[i] - robust[i]).abs() < 1e-9);
    }
    let chosen = one(&log, half_and_half(200), &config("dr-os")).unwrap();
    assert_eq!(chosen.parameter.unwrap().len(), 2);
    assert!(one(&log, half_and_half(200), &config("dr")).unwrap().parameter.is_none());
}

/// A log in which the share of each arm is its propensity: the weights of a constant arm add up to n.
#[test]
fn self_normalized_is_the_same_as_plain_where_weights_average_to_one() {
    let mut even = parts(200);
    even.played = (0..200).map(|t| [0, 1, 2, 2][t % 4]).collect();
    let log = Log::new(even).unwrap();
    for (plain, ratio) in [("ips", "snips"), ("dr", "sndr")] {
        let [plain, ratio] =
            [plain, ratio].map(|estimator| one(&log, Target::Arm(1), &config(estimator)).unwrap());
        assert_eq!(plain.overlap.mean_weight, 1.0);
        assert!(plain.value.iter().zip(&ratio.value).all(|(a, b)| (a - b).abs() < 1e-14));
    }
}

#[test]
fn reasons_to_doubt_an_estimate_are_told() {
    let doubts =
        |parts: LogParts, target| one(&Log::new(parts).unwrap(), target, &config("ips")).unwrap().doubts;
    assert!(doubts(parts(2000), half_and_half(2000)).is_empty());
    let mut wrong = parts(2000);
    wrong.propensities = Some(vec![0.9; 2000]);
    assert!(doubts(wrong, Target::Arm(2))[0].contains("the mean weight is"));
    let told = doubts(parts(60), Target::Uniform);
    assert!(told.iter().any(|doubt| doubt.starts_with("25.0 % of its plays are on arms")), "{told:?}");
    assert!(
        doubts(parts(60), Target::Arm(1)).iter().any(|doubt| doubt.contains("intervals may be too short"))
    );
}

/// Folds and resampled logs have separate random streams, so the numbers do not depend on the number of
/// threads.
#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let log = Log::new(parts(300)).unwrap();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let targets =
            || vec![("half".into(), half_and_half(300)), ("greedy".into(), Target::Greedy(vec![1.0, 1.0]))];
        pool.install(|| evaluate(&log, &targets(), &config("sndr")).unwrap())
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn what_is_dominated_beyond_doubt_is_told_from_what_is_not() {
    let log = Log::new(parts(2000)).unwrap();
    let mut targets: Vec<(String, Target)> =
        (0..3).map(|arm| (format!("arm {arm}"), Target::Arm(arm))).collect();
    targets.push(("arm 2 again".into(), Target::Arm(2)));
    let found = evaluate(&log, &targets, &config("snips")).unwrap();
    let verdicts: Vec<Verdict> = found.policies.iter().map(|policy| policy.standing.verdict).collect();
    // Of two equal policies, neither is certainly better in an objective.
    assert_eq!(
        verdicts,
        [Verdict::Dominated, Verdict::OnFront, Verdict::MayBeOnFront, Verdict::MayBeOnFront]
    );
    assert_eq!(found.policies[0].standing.dominated_by, [1]);
    assert_eq!(found.policies[2].standing.front_share, Some(1.0));
    // With reversed directions no other arm is better than arm 0, except for arm 2 in the second objective.
    let mut turned = parts(2000);
    turned.objectives = turned.objectives.into_iter().map(Objective::minimize).collect();
    let found = evaluate(&Log::new(turned).unwrap(), &targets, &config("snips")).unwrap();
    assert_eq!(found.policies[1].standing.verdict, Verdict::Dominated);
    assert_eq!(found.policies[1].standing.dominated_by, [0]);
}

#[test]
fn a_greedy_policy_of_the_direct_method_finds_the_better_arm() {
    let log = Log::new(parts(2000)).unwrap();
    for (weights, arm) in [(vec![1.0, 0.0], 2), (vec![0.0, 1.0], 1)] {
        let greedy = one(&log, Target::Greedy(weights), &config("snips")).unwrap();
        assert_eq!(greedy.value, one(&log, Target::Arm(arm), &config("snips")).unwrap().value);
    }
}

#[test]
fn a_saved_policy_is_evaluated_by_the_probabilities_of_its_decisions() {
    let (n, arms) = (50, [[0.9, 0.0], [0.0, 0.9], [0.5, 0.5], [0.1, 0.1]]);
    let mut given = parts(n);
    given.arm_features = ArmFeatures::Fixed(Matrix::from_rows(&arms).unwrap());
    let log = Log::new(given).unwrap();
    let problem =
        Problem::new(2, vec![Objective::new("a", Link::Identity), Objective::new("b", Link::Identity)]);
    let policy = PolicyConfig::recommended().build(&problem.unwrap()).unwrap();
    let play: PlayConfig = serde_json::from_str(r#"{ "include": [1] }"#).unwrap();
    let saved = |play| Target::Snapshot(Box::new(Snapshot::from_json("p", &policy.to_json(), play).unwrap()));
    let only = one(&log, saved(Some(&play)), &config("snips")).unwrap();
    assert_eq!(only.value, one(&log, Target::Arm(1), &config("snips")).unwrap().value);
    assert!(one(&log, saved(None), &config("ips")).is_ok());
    let wrong =
        Snapshot::from_json("p", &policy.to_json(), None).unwrap().with_layout(Layout::Additive, None);
    let error = one(&log, Target::Snapshot(Box::new(wrong)), &config("ips")).unwrap_err();
    assert!(matches!(error, EvaluateError::Size { expected: 2, got: 4, .. }), "{error}");
    assert_eq!(Snapshot::from_json("p", "{}", None).unwrap_err().code(), "snapshot-damaged");
}

#[test]
fn a_log_without_propensities_is_refused_until_they_are_estimated() {
    let mut none = parts(400);
    none.probabilities = None;
    assert_eq!(Log::new(none.clone()).unwrap_err(), EvaluateError::NoPropensities);
    let log = Log::new(none.with_estimated_propensities().unwrap()).unwrap();
    let off = log.propensities().iter().zip(log.played()).map(|(p, arm)| (p - [0.25, 0.25, 0.5][*arm]).abs());
    assert!(off.fold(0.0, f64::max) < 0.1);
}

#[test]
fn logs_that_make_no_sense_are_refused() {
    let refused = |change: fn(&mut LogParts)| {
        let mut parts = parts(10);
        change(&mut parts);
        Log::new(parts).unwrap_err().code()
    };
    assert_eq!(refused(|parts| *parts = LogParts::default()), "empty-log");
    assert_eq!(refused(|parts| parts.arms.clear()), "empty-log");
    assert_eq!(refused(|parts| parts.played[3] = 4), "unknown-arm");
    assert_eq!(refused(|parts| parts.played.push(0)), "log-size");
    assert_eq!(refused(|parts| parts.propensities = Some(vec![0.5; 9])), "log-size");
    assert_eq!(
        refused(|parts| parts.probabilities = Some(Matrix::new(2, vec![0.5; 20]).unwrap())),
        "log-size"
    );
    assert_eq!(
        refused(|parts| parts.probabilities = Some(Matrix::new(4, vec![0.5; 40]).unwrap())),
        "not-probabilities"
    );
    for value in [0.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
        let mut parts = parts(10);
        parts.propensities = Some(vec![value; 10]);
        assert_eq!(Log::new(parts).unwrap_err().code(), "propensity", "{value}");
    }
    assert_eq!(refused(|parts| parts.rewards = Matrix::new(2, vec![f64::NAN; 20]).unwrap()), "not-finite");
    assert_eq!(refused(|parts| parts.rewards = Matrix::new(2, vec![1.5; 20]).unwrap()), "reward");
    assert_eq!(
        refused(|parts| parts.contexts = Matrix::new(1, vec![f64::INFINITY; 10]).unwrap()),
        "not-finite"
    );
    let features =
        |parts: &mut LogParts| parts.arm_features = ArmFeatures::Fixed(Matrix::new(1, vec![0.0; 3]).unwrap());
    assert_eq!(refused(features), "log-size");
}

/// An arm whose rounds are all in one fold is unknown to the model of that fold, and to no other model.
#[test]
fn an_arm_that_only_one_fold_has_is_told_with_its_fold_and_a_way_out() {
    let mut parts = parts(60);
    parts.played[7] = 3;
    (parts.probabilities, parts.propensities) = (None, Some(vec![0.25; 60]));
    let log = Log::new(parts).unwrap();
    let error = one(&log, Target::Arm(3), &config("dm")).unwrap_err();
    let EvaluateError::UnseenArm { arm: 3, fold, rounds: 1, .. } = error else { panic!("{error}") };
    let told = error.to_string();
    assert!(
        told.contains(&format!("has no data in fold {fold}, because its only round is in that fold")),
        "{told}"
    );
    assert!(told.contains("layout hybrid"), "{told}");
    let hybrid = EvaluateConfig { layout: Some(Layout::Hybrid), ..config("dm") };
    assert!(one(&log, Target::Arm(3), &hybrid).is_ok(), "the way out leads out");
}

#[test]
fn wishes_that_cannot_be_met_are_refused() {
    let log = Log::new(parts(60)).unwrap();
    let code = |target, config: &EvaluateConfig| one(&log, target, config).unwrap_err().code();
    assert_eq!(code(Target::Arm(4), &config("ips")), "unknown-arm");
    assert_eq!(code(Target::Arm(3), &config("ips")), "no-overlap");
    assert_eq!(code(Target::Arm(3), &config("dm")), "unseen-arm");
    assert_eq!(code(half_and_half(59), &config("ips")), "log-size");
    assert_eq!(code(Target::Greedy(vec![1.0]), &config("ips")), "log-size");
    assert_eq!(code(Target::Greedy(vec![1.0, f64::NAN]), &config("ips")), "parameter-bounds");
    let shared = EvaluateConfig { layout: Some(Layout::Shared), ..config("dr") };
    assert_eq!(code(Target::Uniform, &shared), "no-arm-features");
    for level in [0.0, 1.0, f64::NAN] {
        assert_eq!(code(Target::Arm(1), &EvaluateConfig { level, ..config("ips") }), "parameter-bounds");
    }
    assert_eq!(
        code(Target::Arm(1), &EvaluateConfig { replications: 0, ..config("ips") }),
        "parameter-bounds"
    );
    assert_eq!(code(Target::Arm(1), &EvaluateConfig { folds: 1, ..config("dr") }), "parameter-bounds");
    let bernstein = |estimator: &str| EvaluateConfig { interval: Interval::Bernstein, ..config(estimator) };
    assert_eq!(code(Target::Arm(1), &bernstein("snips")), "ratio-estimator");
    assert!(evaluate(&log, &[], &config("ips")).is_err());
    let mut unbounded = parts(60);
    unbounded.objectives[1].range = None;
    let error = one(&Log::new(unbounded).unwrap(), Target::Arm(1), &bernstein("ips")).unwrap_err();
    assert_eq!(error, EvaluateError::NoRange { objective: "b".into() });
    let mut played_only = parts(60);
    played_only.propensities = Some(played_only.played.iter().map(|arm| [0.25, 0.25, 0.5][*arm]).collect());
    played_only.probabilities = None;
    let log = Log::new(played_only).unwrap();
    assert_eq!(one(&log, Target::Logged, &config("dr")).unwrap_err().code(), "no-probabilities");
    let mean: f64 = log.rewards().rows().map(|row| row[0]).sum::<f64>() / 60.0;
    assert!((one(&log, Target::Logged, &config("ips")).unwrap().value[0] - mean).abs() < 1e-15);
    assert_eq!(Estimator::Dr.to_string(), "dr");
}
