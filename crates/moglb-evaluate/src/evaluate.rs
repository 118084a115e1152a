//! The evaluation itself: values, regions and standings from a log and targets.

use crate::bootstrap::resample;
use crate::evaluation::{EVALUATION_FORMAT, Evaluation, PolicyValue};
use crate::finite::{check_candidate, check_value};
use crate::model::Model;
use crate::origin::origin;
use crate::region::{Bounds, Ellipsoid, Facts};
use crate::shrinkage::{Choices, changed, largest};
use crate::standing::{Candidate, standings};
use crate::target::Chances;
use crate::terms::Terms;
use crate::{Estimator, EvaluateConfig, EvaluateError, Interval, Log, Overlap, Standing, Target};
use moglb::{Matrix, Objective};
use rayon::prelude::*;

/// Estimates the value vectors of targets from a log.
///
/// ```
/// use moglb::{Link, Matrix, Objective};
/// use moglb_evaluate::{EvaluateConfig, Log, LogParts, Target, evaluate};
///
/// let log = Log::new(LogParts {
///     objectives: vec![Objective::new("click", Link::Logit)],
///     arms: LogParts::numbered(2).unwrap(),
///     contexts: Matrix::from_rows(&[[0.0], [0.5], [1.0], [0.2]])?,
///     played: vec![0, 1, 0, 1],
///     propensities: Some(vec![0.5; 4]),
///     rewards: Matrix::from_rows(&[[1.0], [0.0], [1.0], [1.0]])?,
///     ..LogParts::default()
/// }).unwrap();
/// let targets = [("always 0".to_owned(), Target::Arm(0))];
/// let found = evaluate(&log, &targets, &EvaluateConfig::default()).unwrap();
/// assert_eq!(found.policies[0].value, [1.0]);
/// # Ok::<(), moglb::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error for an invalid parameter, for a target that does not fit the log, or if the log lacks
/// data that the estimator needs.
pub fn evaluate(
    log: &Log,
    targets: &[(String, Target)],
    config: &EvaluateConfig,
) -> Result<Evaluation, EvaluateError> {
    config.check(log.n_rounds())?;
    check_bernstein(log, config)?;
    if targets.is_empty() {
        return Err(EvaluateError::Size { what: "target policies", expected: 1, got: 0 });
    }
    let greedy = targets.iter().any(|(_, target)| target.uses_model());
    let model = if config.estimator.uses_model() || greedy { Some(Model::fit(log, config)?) } else { None };
    let chances = targets
        .iter()
        .map(|(name, target)| target.chances(name, log, model.as_ref(), config.seed))
        .collect::<Result<Vec<_>, _>>()?;
    let names: Vec<&str> = targets.iter().map(|(name, _)| name.as_str()).collect();
    let found = weigh(log, &names, &chances, model.as_ref(), config)?;
    let (found, terms): (Vec<Weighed>, Vec<Terms>) = found.into_iter().unzip();
    let resampled = (config.interval.uses_bootstrap() || targets.len() > 1)
        .then(|| resample(&terms, config.replications, config.seed))
        .transpose()?;
    let candidates: Vec<Candidate> = terms
        .iter()
        .enumerate()
        .map(|(c, terms)| candidate(log, terms, resampled.as_ref().map(|tables| &tables[c])))
        .collect();
    names.iter().zip(&candidates).try_for_each(|(name, candidate)| check_candidate(name, candidate))?;
    let mut policies = Vec::with_capacity(names.len());
    for (c, standing) in standings(&candidates, config.level).into_iter().enumerate() {
        let resampled = resampled.as_ref().map(|tables| &tables[c]);
        let overlap = Overlap::of(log, &chances[c], &found[c].weights, config.thin);
        policies.push(describe(log, config, (names[c], &terms[c], resampled), &found[c], overlap, standing));
    }
    policies.iter().try_for_each(check_value)?;
    let (logged_by, doubts) = origin(log, config.logged_by);
    Ok(Evaluation {
        format: EVALUATION_FORMAT,
        objectives: log.objectives().iter().map(|objective| objective.name.clone()).collect(),
        directions: log.objectives().iter().map(|objective| objective.direction).collect(),
        n_rounds: log.n_rounds(),
        n_arms: log.n_arms(),
        estimator: config.estimator,
        interval: config.interval,
        level: config.level,
        logged_by,
        doubts,
        policies,
    })
}

/// Checks that empirical Bernstein bounds are possible: they are for means of bounded terms.
fn check_bernstein(log: &Log, config: &EvaluateConfig) -> Result<(), EvaluateError> {
    if config.interval != Interval::Bernstein {
        return Ok(());
    }
    if config.estimator.is_ratio() {
        return Err(EvaluateError::Ratio { estimator: config.estimator.to_string() });
    }
    match log.objectives().iter().find(|objective| objective.range.is_none()) {
        Some(objective) => Err(EvaluateError::NoRange { objective: objective.name.clone() }),
        None => Ok(()),
    }
}

/// A target on a log: its weights, and the estimators with their parameters (one per objective).
struct Weighed {
    weights: Vec<f64>,
    estimators: Vec<Estimator>,
}

/// Computes the weights and the terms of all targets.
fn weigh(
    log: &Log,
    names: &[&str],
    chances: &[Chances],
    model: Option<&Model>,
    config: &EvaluateConfig,
) -> Result<Vec<(Weighed, Terms)>, EvaluateError> {
    let model = model.filter(|_| config.estimator.uses_model());
    let (at_played, expected) = match model {
        Some(model) => predictions(log, names, chances, model)?,
        None => {
            let none = Matrix::from_fn(log.n_rounds(), log.n_objectives(), |_, _| 0.0);
            (none.clone(), vec![none; chances.len()])
        }
    };
    let mut all = Vec::with_capacity(chances.len());
    for ((chances, expected), name) in chances.iter().zip(expected).zip(names) {
        let weight = |round: usize| chances.of_played(log, round) / log.propensities()[round];
        let weights: Vec<f64> = (0..log.n_rounds()).map(weight).collect();
        if config.estimator != Estimator::Dm && weights.iter().all(|&w| w == 0.0) {
            return Err(EvaluateError::NoOverlap { policy: (*name).into() });
        }
        all.push(terms(log, config.estimator, (chances, weights), &at_played, expected));
    }
    Ok(all)
}

/// Computes the terms of one target, with the best parameter of the estimator for each objective.
fn terms(
    log: &Log,
    estimator: Estimator,
    (chances, weights): (&Chances, Vec<f64>),
    at_played: &Matrix,
    expected: Matrix,
) -> (Weighed, Terms) {
    let m = log.n_objectives();
    let column = |table: &Matrix, i: usize| -> Vec<f64> { table.rows().map(|row| row[i]).collect() };
    let n = log.n_rounds();
    let residuals = Matrix::from_fn(n, m, |t, i| log.rewards().row(t)[i] - at_played.row(t)[i]);
    let choices = Choices::new(estimator, &weights, log, chances);
    let best = |(i, objective): (usize, &Objective)| {
        let length = objective.range.map(|(low, high)| high - low);
        choices.best(&weights, &column(&expected, i), &column(&residuals, i), length)
    };
    let estimators: Vec<Estimator> = log.objectives().iter().enumerate().map(best).collect();
    let corrections = Matrix::from_fn(n, m, |t, i| changed(estimators[i], weights[t]) * residuals.row(t)[i]);
    let divisors = estimator.is_ratio().then(|| weights.clone());
    (Weighed { weights, estimators }, Terms { bases: expected, corrections, divisors })
}

/// The predicted rewards of the played arms, and for each target the rewards that the model expects of it.
fn predictions(
    log: &Log,
    names: &[&str],
    chances: &[Chances],
    model: &Model,
) -> Result<(Matrix, Vec<Matrix>), EvaluateError> {
    let (n_arms, m) = (log.n_arms(), log.n_objectives());
    let round = |round: usize| -> Result<Vec<f64>, EvaluateError> {
        let (mut vector, mut predicted, mut row) = (Vec::new(), Vec::new(), vec![0.0; n_arms]);
        model.predict(log, round, &mut vector, &mut predicted);
        let mut means = Vec::with_capacity((1 + chances.len()) * m);
        let played = &predicted[log.played()[round] * m..][..m];
        // An arm that the other folds do not have has no prediction. Targets that play it are refused below,
        // and for the other targets its weight is zero; this only keeps NaN out of the product.
        means.extend(
            played.iter().zip(log.rewards().row(round)).map(|(q, r)| if q.is_nan() { *r } else { *q }),
        );
        for (chances, name) in chances.iter().zip(names) {
            let missing = EvaluateError::NoProbabilities { what: "a model of the logged policy" };
            chances.write(log, round, &mut row).ok_or(missing)?;
            let mut expected = vec![0.0; m];
            for arm in (0..n_arms).filter(|&arm| row[arm] > 0.0) {
                let means = &predicted[arm * m..][..m];
                if means.iter().any(|mean| mean.is_nan()) {
                    let rounds = log.played().iter().filter(|&&played| played == arm).count();
                    let (policy, fold) = ((*name).into(), model.fold(round));
                    return Err(EvaluateError::UnseenArm { policy, arm, fold, rounds });
                }
                expected.iter_mut().zip(means).for_each(|(sum, mean)| *sum += row[arm] * mean);
            }
            means.extend(expected);
        }
        Ok(means)
    };
    let rows: Vec<Vec<f64>> = (0..log.n_rounds()).into_par_iter().map(round).collect::<Result<_, _>>()?;
    let part = |k: usize| Matrix::from_fn(rows.len(), m, |t, i| rows[t][k * m + i]);
    Ok((part(0), (1..=chances.len()).map(part).collect()))
}

/// The estimates with signs such that larger is better in every column.
fn candidate(log: &Log, terms: &Terms, resampled: Option<&Matrix>) -> Candidate {
    let turn = |table: &Matrix| {
        let value = |t: usize, i: usize| log.objectives()[i].sign() * table.row(t)[i];
        Matrix::from_fn(table.n_rows(), table.n_cols(), value)
    };
    let value = terms.value().iter().zip(log.objectives()).map(|(v, one)| one.sign() * v).collect();
    Candidate { value, influences: turn(&terms.influences()), resampled: resampled.map(turn) }
}

fn describe(
    log: &Log,
    config: &EvaluateConfig,
    (name, terms, resampled): (&str, &Terms, Option<&Matrix>),
    weighed: &Weighed,
    overlap: Overlap,
    standing: Standing,
) -> PolicyValue {
    let (value, influences) = (terms.value(), terms.influences());
    let covariance = terms.covariance(&influences);
    let m = value.len();
    let std_error: Vec<f64> = (0..m).map(|i| covariance.row(i)[i].sqrt()).collect();
    let alpha = 1.0 - config.level;
    let (mut each, mut together) = (Vec::new(), Vec::new());
    for i in 0..m {
        let mut sorted: Vec<f64> =
            resampled.map_or(Vec::new(), |table| table.rows().map(|row| row[i]).collect());
        sorted.sort_unstable_by(f64::total_cmp);
        let facts = Facts {
            value: value[i],
            std_error: std_error[i],
            influences: influences.rows().map(|row| row[i]).collect(),
            resampled: &sorted,
            spans: spans(log, config, weighed, i),
        };
        each.push(facts.ends(config.interval, alpha));
        together.push(facts.ends(config.interval, alpha / m as f64));
    }
    let parameter = |estimator: &Estimator| match estimator {
        Estimator::SwitchDr(parameter) | Estimator::DrOs(parameter) => *parameter,
        _ => None,
    };
    let bounds = |ends: Vec<(f64, f64)>| {
        let (low, high) = ends.into_iter().unzip();
        Bounds { low, high }
    };
    let mut doubts = overlap.doubts();
    if config.estimator == Estimator::Dm {
        doubts.push("intervals of the direct method assume that its model is the truth".into());
    }
    PolicyValue {
        policy: name.into(),
        ellipsoid: Ellipsoid::new(&value, &covariance, config.level),
        value,
        std_error,
        each: bounds(each),
        together: bounds(together),
        parameter: weighed.estimators.iter().map(parameter).collect(),
        doubts,
        overlap,
        standing,
    }
}

/// The length of the interval that the terms lie in, and the range of the objective; none for an objective
/// without a range.
fn spans(log: &Log, config: &EvaluateConfig, weighed: &Weighed, i: usize) -> Option<(f64, (f64, f64))> {
    let (low, high) = log.objectives()[i].range?;
    let observed = weighed.weights.iter().fold(0.0, |most: f64, &w| most.max(w));
    let most = largest(weighed.estimators[i], config.weight_bound.unwrap_or(observed).max(observed));
    let length = match config.estimator {
        Estimator::Ips => most * (high.max(0.0) - low.min(0.0)),
        // v̂ is in the range, and |w·(r − q̂)| is at most the largest weight times the length of the range.
        _ => (1.0 + 2.0 * most) * (high - low),
    };
    Some((length, (low, high)))
}
