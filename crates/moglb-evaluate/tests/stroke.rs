//! The stroke trial: propensities are exact, and reference values were computed elsewhere.

use moglb::Matrix;
use moglb_evaluate::{
    Estimator, EvaluateConfig, Evaluation, Interval, Log, LogParts, Target, Verdict, evaluate,
};
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/ist-stroke")
}

fn log() -> Log {
    let data = moglb_data::load(&folder()).unwrap();
    Log::new(LogParts::of_problem(data.problem(None).unwrap()).unwrap()).unwrap()
}

/// The targets "arm 3 if x_drowsy=1 or x_unconscious=1 or x_sbp>0.25, else arm 4", and "half arm 3, half arm
/// 4".
fn tables(log: &Log) -> [Matrix; 2] {
    let data = moglb_data::load(&folder()).unwrap();
    let features = &data.problem(None).unwrap().features;
    let place = |name: &str| features.iter().position(|feature| feature == name).unwrap();
    let [drowsy, unconscious, pressure] = ["x_drowsy", "x_unconscious", "x_sbp"].map(place);
    let rule = |x: &[f64]| match x[drowsy] == 1.0 || x[unconscious] == 1.0 || x[pressure] > 0.25 {
        true => [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        false => [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
    };
    let ruled: Vec<[f64; 6]> = log.contexts().rows().map(rule).collect();
    let halves = vec![[0.0, 0.0, 0.0, 0.5, 0.5, 0.0]; log.n_rounds()];
    [&ruled, &halves].map(|rows| Matrix::from_rows(rows).unwrap())
}

fn nine(log: &Log) -> Vec<(String, Target)> {
    let mut targets: Vec<(String, Target)> =
        (0..6).map(|arm| (format!("always {arm}"), Target::Arm(arm))).collect();
    let [ruled, halves] = tables(log).map(Target::Table);
    let rule = "arm 3 if x_drowsy=1 or x_unconscious=1 or x_sbp>0.25, else arm 4";
    targets.push(("uniform".into(), Target::Uniform));
    targets.push((rule.into(), ruled));
    targets.push(("half arm 3, half arm 4".into(), halves));
    targets
}

/// The reference values have nine digits.
#[test]
fn values_and_errors_are_those_that_others_computed() {
    let log = log();
    let config = |estimator| EvaluateConfig {
        estimator,
        interval: Interval::Normal,
        replications: 100,
        ..EvaluateConfig::default()
    };
    let targets = nine(&log);
    let [ips, snips] = [Estimator::Ips, Estimator::Snips]
        .map(|estimator| evaluate(&log, &targets, &config(estimator)).unwrap().policies);
    let mut reference = csv::Reader::from_path(folder().join("reference_ope.csv")).unwrap();
    let mut rows = 0;
    for row in reference.records().map(Result::unwrap) {
        let policy = targets.iter().position(|(name, _)| *name == row[0]).unwrap();
        let objective = log.objectives().iter().position(|objective| objective.name == row[1]).unwrap();
        let overlap = &ips[policy].overlap;
        let got = [
            ips[policy].value[objective],
            ips[policy].std_error[objective],
            snips[policy].value[objective],
            snips[policy].std_error[objective],
            overlap.mean_weight,
            overlap.effective_rounds,
        ];
        for (k, got) in got.into_iter().enumerate() {
            let expected: f64 = row[2 + k].parse().unwrap();
            assert!((got / expected - 1.0).abs() < 1e-8, "{row:?}: {got} for {expected}");
        }
        rows += 1;
    }
    assert_eq!(rows, 36);
}

/// "always k" by self-normalized scores is the mean of the arm. Doubly robust values are close to it, because
/// the trial was randomized.
#[test]
fn doubly_robust_values_agree_with_the_means_of_the_arms_and_are_sharper_than_scores() {
    let log = log();
    let targets: Vec<(String, Target)> =
        (0..6).map(|arm| (format!("always {arm}"), Target::Arm(arm))).collect();
    let of = |estimator| -> Evaluation {
        let config =
            EvaluateConfig { estimator, interval: Interval::Normal, replications: 100, ..Default::default() };
        evaluate(&log, &targets, &config).unwrap()
    };
    let (ips, snips, robust) = (of(Estimator::Ips), of(Estimator::Snips), of(Estimator::Dr));
    for arm in 0..6 {
        let played = |i: usize| -> Vec<f64> {
            let rows = log.rewards().rows().zip(log.played()).filter(|(_, played)| **played == arm);
            rows.map(|(row, _)| row[i]).collect()
        };
        for i in 0..4 {
            let rewards = played(i);
            let mean = rewards.iter().sum::<f64>() / rewards.len() as f64;
            assert!((snips.policies[arm].value[i] - mean).abs() < 1e-12);
            let (value, error) = (robust.policies[arm].value[i], robust.policies[arm].std_error[i]);
            assert!((value - mean).abs() < 2.0 * error, "arm {arm}, objective {i}: {value} for {mean}");
            assert!(error < 0.9 * ips.policies[arm].std_error[i], "arm {arm}, objective {i}: {error}");
        }
    }
}

/// The test uses the pair of objectives that trades recurrent strokes against bleeding.
#[test]
fn no_treatment_that_may_be_best_is_called_dominated() {
    let log = log();
    let targets: Vec<(String, Target)> =
        (0..6).map(|arm| (format!("always {arm}"), Target::Arm(arm))).collect();
    let found =
        evaluate(&log, &targets, &EvaluateConfig { replications: 300, ..Default::default() }).unwrap();
    for policy in found.policies.iter().filter(|policy| policy.standing.on_estimated_front) {
        assert_ne!(policy.standing.verdict, Verdict::Dominated, "{}", policy.policy);
    }
    let shares: Vec<f64> = found.policies.iter().map(|policy| policy.standing.front_share.unwrap()).collect();
    assert!(
        shares.iter().all(|share| (0.0..=1.0).contains(share)) && shares.iter().any(|share| *share > 0.9)
    );
}
