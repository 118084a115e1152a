//! The origin of a log: a fixed policy, or a policy that learned from the rewards of earlier rounds.
//!
//! Intervals are for independent rounds. The rounds of a policy that learns are not independent, and such a
//! policy hardly explores the arms that it estimates to be bad. A fixed policy gives an arm the same
//! probability whenever the context is the same, and its probabilities do not drift while the distribution of
//! contexts does not change. A log that contradicts this was written by a policy that changed.

use crate::{EvaluateError, Log};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

/// The kind of policy that wrote a log.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoggedBy {
    /// A policy whose probabilities depend on the context alone: rounds are independent if contexts are.
    Fixed,
    /// A policy whose probabilities depend on the rewards of earlier rounds.
    Learning,
}

impl fmt::Display for LoggedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LoggedBy::Fixed => "fixed",
            LoggedBy::Learning => "learning",
        })
    }
}

impl FromStr for LoggedBy {
    type Err = EvaluateError;

    fn from_str(text: &str) -> Result<Self, EvaluateError> {
        let found = [LoggedBy::Fixed, LoggedBy::Learning].into_iter().find(|kind| kind.to_string() == text);
        let (what, known) = ("kind of logging policy", "fixed, learning");
        found.ok_or_else(|| EvaluateError::Unknown { what, got: text.into(), known })
    }
}

/// The kind of policy that wrote a log, if it is stated or the log shows it, and reasons to doubt all
/// estimates from the log.
pub(crate) fn origin(log: &Log, stated: Option<LoggedBy>) -> (Option<LoggedBy>, Vec<String>) {
    let reason = match stated {
        Some(LoggedBy::Fixed) => return (stated, Vec::new()),
        Some(LoggedBy::Learning) => "as stated".into(),
        None => match sign(log) {
            Some(sign) => sign,
            None => return (None, Vec::new()),
        },
    };
    let what = "intervals are for independent rounds and may be far too short";
    (Some(LoggedBy::Learning), vec![format!("logged by a policy that learns ({reason}): {what}")])
}

/// The first sign of a policy that changed while it wrote the log, in words.
fn sign(log: &Log) -> Option<String> {
    if let Some(round) = log.revised() {
        return Some(format!("round {round} was decided by another version of the policy than those before"));
    }
    // Estimated propensities depend on the context alone, whichever policy wrote the log.
    if log.is_estimated() {
        return None;
    }
    contradiction(log).or_else(|| drift(log))
}

/// The largest difference of two probabilities of an arm in the same situation: some logs have them in single
/// precision or with five digits.
const PROBABILITY_TOLERANCE: f64 = 1e-5;

/// Finds rounds of one situation that no fixed policy can have decided: an arm has different probabilities,
/// or the arms that were played have probabilities that add up to more than 1.
fn contradiction(log: &Log) -> Option<String> {
    let situations = situations(log)?;
    let mut first: HashMap<(u64, usize), usize> = HashMap::new();
    let mut sums: HashMap<u64, f64> = HashMap::new();
    for (round, (&situation, (&arm, &p))) in
        situations.iter().zip(log.played().iter().zip(log.propensities())).enumerate()
    {
        if let Some(&before) = first.get(&(situation, arm)) {
            let was = log.propensities()[before];
            if (p - was).abs() > PROBABILITY_TOLERANCE {
                return Some(format!(
                    "arm {arm} has the propensity {was} in round {before} and {p} in round {round}, in \
                     the same context"
                ));
            }
            continue;
        }
        first.insert((situation, arm), round);
        let sum = sums.entry(situation).or_insert(0.0);
        *sum += p;
        if *sum > 1.0 + PROBABILITY_TOLERANCE * log.n_offered(round) as f64 {
            return Some(format!(
                "the propensities of the arms played in the context of round {round} add up to {sum}"
            ));
        }
    }
    None
}

/// A number for each round, equal for rounds with the same context and arms. None for a log without contexts
/// and features: the policy may have used data that the log does not have.
fn situations(log: &Log) -> Option<Vec<u64>> {
    if let Some(noted) = log.situations() {
        return Some(noted.to_vec());
    }
    if log.contexts().n_cols() + log.n_arm_features() == 0 {
        return None;
    }
    let of_round = |round: usize| {
        let mut hasher = DefaultHasher::new();
        log.n_offered(round).hash(&mut hasher);
        let features = (0..log.n_offered(round)).flat_map(|arm| log.varying_features(round, arm));
        log.contexts().row(round).iter().chain(features).for_each(|x| x.to_bits().hash(&mut hasher));
        hasher.finish()
    };
    Some((0..log.n_rounds()).map(of_round).collect())
}

/// The chance that the log of a fixed policy counts as drifting.
const FALSE_ALARM: f64 = 1.0 / 15_000.0;

/// Finds a drift of the propensities of all rounds, or of the rounds of one arm.
///
/// The propensities of a fixed policy are exchangeable in time if the contexts are. Let R be their ranks,
/// with mean R̄ and standard deviation σ. Then the sums S_k = Σ_{t ≤ k} (R_t − R̄) approach a Brownian bridge
/// as n grows: P(max |S_k| > cσ√n) ≤ 2 exp(−2c²). The chance of a false alarm is divided by the number of
/// sequences that are tested.
fn drift(log: &Log) -> Option<String> {
    let mut by_arm = vec![Vec::new(); log.n_arms()];
    log.played().iter().zip(log.propensities()).for_each(|(&arm, &p)| by_arm[arm].push(p));
    let tests = 1 + by_arm.iter().filter(|all| all.len() > 1).count();
    let most = (0.5 * libm::log(2.0 * tests as f64 / FALSE_ALARM)).sqrt();
    if wandering(log.propensities()) > most {
        return Some("propensities drift over the log".into());
    }
    let arm = by_arm.iter().position(|all| wandering(all) > most)?;
    Some(format!("the propensities of arm {arm} drift over the log"))
}

/// max |S_k| / (σ√n) of the ranks of a sequence, where ties have the mean of their ranks; 0 if all are equal.
fn wandering(sequence: &[f64]) -> f64 {
    let n = sequence.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(|&a, &b| sequence[a].total_cmp(&sequence[b]));
    let (mut offs, mut before) = (vec![0.0; n], 0);
    for equal in order.chunk_by(|&a, &b| sequence[a] == sequence[b]) {
        let rank = before as f64 + 0.5 * (equal.len() - 1) as f64;
        equal.iter().for_each(|&t| offs[t] = rank - 0.5 * (n - 1) as f64);
        before += equal.len();
    }
    let (mut sum, mut most, mut squares) = (0.0f64, 0.0f64, 0.0);
    for off in offs {
        sum += off;
        most = most.max(sum.abs());
        squares += off * off;
    }
    if squares > 0.0 { most / squares.sqrt() } else { 0.0 }
}
