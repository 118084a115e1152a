//! Rewards and propensities of every magnitude: finite results or a typed error, never a panic.

use moglb::{Link, Matrix, Objective};
use moglb_evaluate::{
    ArmFeatures, Estimator, EvaluateConfig, EvaluateError, Evaluation, Interval, Log, LogParts, Target,
    evaluate,
};

const ESTIMATORS: [&str; 9] =
    ["ips", "snips", "dm", "dr", "sndr", "switch-dr", "switch-dr:2", "dr-os", "dr-os:2"];
const INTERVALS: [Interval; 4] = [Interval::Bca, Interval::Normal, Interval::Percentile, Interval::Bernstein];

/// A log of two arms and two objectives with rewards of one size and, in every third round, a propensity of another.
fn parts(reward: f64, propensity: f64) -> LogParts {
    let n = 12;
    let signs = |t: usize| [1.0, -0.5, 0.25, -1.0][t % 4] * reward;
    let rewards: Vec<[f64; 2]> = (0..n).map(|t| [signs(t), signs(t + t / 4)]).collect();
    let contexts: Vec<[f64; 1]> = (0..n).map(|t| [t as f64 / 12.0]).collect();
    LogParts {
        objectives: ["a", "b"].map(|name| Objective::new(name, Link::Identity)).to_vec(),
        arms: vec!["0".into(), "1".into()],
        contexts: Matrix::from_rows(&contexts).unwrap(),
        played: (0..n).map(|t| t % 2).collect(),
        propensities: Some((0..n).map(|t| if t % 3 == 0 { propensity } else { 0.5 }).collect()),
        rewards: Matrix::from_rows(&rewards).unwrap(),
        ..LogParts::default()
    }
}

fn config(estimator: &str, interval: Interval) -> EvaluateConfig {
    let (estimator, replications) = (estimator.parse().unwrap(), 100);
    EvaluateConfig { estimator, interval, replications, folds: 2, ..EvaluateConfig::default() }
}

fn evaluated(parts: LogParts, config: &EvaluateConfig) -> Result<Evaluation, EvaluateError> {
    let log = Log::new(parts)?;
    let table = Target::Table(Matrix::from_rows(&[[0.25, 0.75]; 12]).unwrap());
    evaluate(&log, &[("uniform".into(), Target::Uniform), ("table".into(), table)], config)
}

/// Every number that is printed is finite, or the error has one of the known codes.
fn check(found: Result<Evaluation, EvaluateError>, of: &str) {
    match found {
        Ok(found) => {
            for policy in &found.policies {
                let ends = [&policy.each.low, &policy.each.high, &policy.together.low, &policy.together.high];
                let numbers = ends.into_iter().chain([&policy.value, &policy.std_error]).flatten();
                assert!(
                    numbers.chain(policy.ellipsoid.covariance.iter().flatten()).all(|x| x.is_finite()),
                    "{of}"
                );
                assert!(policy.overlap.effective_rounds.is_finite() && policy.overlap.max_weight.is_finite());
            }
        }
        Err(error) => {
            assert!(
                ["reward", "propensity", "not-finite", "no-fit", "range"].contains(&error.code()),
                "{of}: {error}"
            );
        }
    }
}

#[test]
fn every_magnitude_gives_finite_numbers_or_a_typed_error() {
    for exponent in -308..=308 {
        let size: f64 = format!("1e{exponent}").parse().unwrap();
        // All estimators where something changes, and the simplest and the ones with most arithmetic elsewhere.
        let near = [-308, -155, -100, -40, 0, 40, 100, 155, 308]
            .iter()
            .any(|edge: &i32| (edge - exponent).abs() <= 1);
        let estimators = if near { &ESTIMATORS[..] } else { &["ips", "dr-os"] };
        for name in estimators {
            let interval = INTERVALS[exponent.unsigned_abs() as usize % 3];
            let config = config(name, interval);
            let of = format!("{name} {interval} 1e{exponent}");
            check(evaluated(parts(size, 0.5), &config), &of);
            if size <= 1.0 {
                check(evaluated(parts(1.0, size), &config), &of);
                check(evaluated(parts(1e100, size), &config), &of);
                check(evaluated(parts(size, size), &config), &of);
            }
        }
    }
}

#[test]
fn what_lies_beyond_the_bounds_is_told_with_its_round() {
    let config = config("ips", Interval::Normal);
    let told = |parts| evaluated(parts, &config).unwrap_err();
    let error = told(parts(1.1e100, 0.5));
    assert_eq!(error.to_string(), "round 0: rewards of `a` must lie within ±1e100, got 1.1e100");
    assert_eq!(error.code(), "reward");
    let error = told(parts(1.0, 1e-41));
    assert_eq!((error.code(), error), ("propensity", EvaluateError::Propensity { round: 0, value: 1e-41 }));
    let mut wide = parts(1.0, 0.5);
    for range in [(-1e308, 1e308), (0.0, 5e-324), (1.0, 1.0 + f64::EPSILON), (1.0, 1.0)] {
        wide.objectives[1].range = Some(range);
        assert_eq!(told(wide.clone()).code(), "range", "{range:?}");
    }
    for (reward, propensity) in [(1e100, 0.5), (1.0, 1e-40), (1e100, 1e-40)] {
        for (name, interval) in ESTIMATORS.iter().zip(INTERVALS.iter().cycle()) {
            let mut parts = parts(reward, propensity);
            parts.objectives.iter_mut().for_each(|one| one.range = Some((-1e100, 1e100)));
            let ratio = name.parse::<Estimator>().unwrap().is_ratio();
            let interval = if ratio { Interval::Bca } else { *interval };
            let found = evaluated(parts, &self::config(name, interval));
            // A model of rewards of this size may have no maximum that the fitter reaches.
            let fine = found.as_ref().map_or_else(|error| error.code() == "no-fit", |_| true);
            assert!(fine, "{name} {interval} {reward} {propensity}: {found:?}");
        }
    }
}

/// The level is so near to 1 that a chance of a half of what is left rounds to 1.
#[test]
fn the_highest_level_has_intervals() {
    let config = EvaluateConfig { level: 1.0 - f64::EPSILON, ..config("dr", Interval::Normal) };
    let found = evaluated(parts(1.0, 0.5), &config).unwrap();
    assert!(found.policies[0].together.low.iter().all(|end| end.is_finite()));
}

/// The product of a λ near the largest double and a weight overflows, but nothing is shrunk.
#[test]
fn the_largest_lambda_shrinks_nothing() {
    let value = |estimator: &str| {
        evaluated(parts(1.0, 0.05), &config(estimator, Interval::Normal)).unwrap().policies[1].value.clone()
    };
    assert_eq!(value("dr-os:1.7e308"), value("dr"));
}

/// The log never plays arm 2, whose weight of 0.095/1e-310 overflows. How far the other weights are shrunk
/// does not depend on whether its probability is next to nothing or nothing.
#[test]
fn an_arm_of_a_probability_next_to_nothing_does_not_change_what_is_cut_or_shrunk() {
    let n = 400;
    let chosen = |estimator: &str, least: f64| {
        let mut objective = Objective::new("a", Link::Identity);
        objective.range = Some((0.0, 1.0));
        let log = LogParts {
            objectives: vec![objective],
            arms: LogParts::numbered(3).unwrap(),
            contexts: Matrix::from_fn(n, 0, |_, _| 0.0),
            arm_features: ArmFeatures::Fixed(Matrix::from_rows(&[[0.0], [1.0], [0.5]]).unwrap()),
            // Two rounds have a weight of 100.
            played: (0..n).map(|t| usize::from(t == 7 || t == 8)).collect(),
            probabilities: Some(Matrix::from_rows(&vec![[0.99995, 0.00005, least]; n]).unwrap()),
            rewards: Matrix::from_fn(n, 1, |t, _| if t % 2 == 0 { 0.8 } else { 0.2 }),
            ..LogParts::default()
        };
        let table = Matrix::from_rows(&vec![[0.9, 0.005, 0.095]; n]).unwrap();
        let targets = [("table".into(), Target::Table(table))];
        let found =
            evaluate(&Log::new(log).unwrap(), &targets, &config(estimator, Interval::Normal)).unwrap();
        found.policies[0].parameter.clone().unwrap()
    };
    for estimator in ["dr-os", "switch-dr"] {
        let without = chosen(estimator, 0.0);
        assert!(without[0].is_finite(), "{estimator}: something is cut");
        for least in [5e-324, 1e-310, 1e-300, 1e-41] {
            assert_eq!(chosen(estimator, least), without, "{estimator} {least:e}");
        }
    }
}

/// A resampled log has all of forty rounds with a chance of 40!/40⁴⁰, so the search for one would not end.
#[test]
fn ratios_that_no_resampled_log_has_are_refused() {
    let mut parts = parts(1.0, 0.5);
    let n = 40;
    parts.arms = LogParts::numbered(n).unwrap();
    parts.played = (0..n).collect();
    parts.contexts = Matrix::from_rows(&vec![[0.0; 0]; n]).unwrap();
    parts.rewards = Matrix::from_rows(&vec![[1.0, 0.0]; n]).unwrap();
    parts.propensities = Some(vec![0.5; n]);
    let log = Log::new(parts).unwrap();
    let targets: Vec<(String, Target)> = (0..n).map(|arm| (arm.to_string(), Target::Arm(arm))).collect();
    let found = evaluate(&log, &targets, &config("snips", Interval::Normal));
    assert_eq!(found.unwrap_err().code(), "no-resample");
    assert!(evaluate(&log, &targets[..5], &config("snips", Interval::Normal)).is_ok());
    assert!(evaluate(&log, &targets, &config("ips", Interval::Normal)).is_ok());
}
