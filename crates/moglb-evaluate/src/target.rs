//! Target policies: a probability for every arm in every logged context.

mod snapshot;

pub use snapshot::Snapshot;

use crate::log::check_probabilities;
use crate::model::Model;
use crate::{EvaluateError, Log};
use moglb::Matrix;

/// A policy to be evaluated.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug)]
pub enum Target {
    /// Always the same arm.
    Arm(usize),
    /// All arms with equal probability.
    Uniform,
    /// The policy that wrote the log. Its weights are 1, so that its value by `ips` is the mean reward.
    Logged,
    /// The probability of every arm (columns) in every round (rows).
    Table(Matrix),
    /// A saved policy of this library, as it would decide without learning further.
    Snapshot(Box<Snapshot>),
    /// The arm with the largest weighted sum of the direct method's predictions. In each fold the predictions
    /// come from the model that was fitted without that fold. So the value is that of the procedure which
    /// finds such a policy, and it is not biased by the rewards of the same rounds.
    Greedy(Vec<f64>),
}

/// The probabilities of a target.
#[derive(Debug)]
pub(crate) enum Chances {
    Arm(usize),
    Uniform,
    Logged,
    Table(Matrix),
}

impl Target {
    /// The probabilities of the target on a log. Refuses a target that does not fit the log.
    pub(crate) fn chances(
        &self,
        name: &str,
        log: &Log,
        model: Option<&Model>,
        seed: u64,
    ) -> Result<Chances, EvaluateError> {
        match self {
            Target::Arm(arm) => match (0..log.n_rounds()).find(|&round| *arm >= log.n_offered(round)) {
                Some(round) => {
                    let (place, n_arms) = (format!("`{name}`, round {round}"), log.n_offered(round));
                    Err(EvaluateError::UnknownArm { place, n_arms, arm: arm.to_string() })
                }
                None => Ok(Chances::Arm(*arm)),
            },
            Target::Uniform => Ok(Chances::Uniform),
            Target::Logged => Ok(Chances::Logged),
            Target::Table(table) => {
                check_table(name, table, log)?;
                Ok(Chances::Table(table.clone()))
            }
            Target::Snapshot(snapshot) => Ok(Chances::Table(snapshot.decide(name, log, seed)?)),
            Target::Greedy(weights) => {
                check_weights(weights, log)?;
                EvaluateError::check_memory("the choices of a greedy policy", log.n_rounds(), log.n_arms())?;
                Ok(Chances::Table(greedy(weights, log, model.expect("fitted where a target is greedy"))))
            }
        }
    }

    /// True if the target needs the direct method's model.
    pub(crate) fn uses_model(&self) -> bool {
        matches!(self, Target::Greedy(_))
    }
}

impl Chances {
    /// The probability of the arm that was played.
    pub(crate) fn of_played(&self, log: &Log, round: usize) -> f64 {
        let played = log.played()[round];
        match self {
            Chances::Arm(arm) => f64::from(u8::from(*arm == played)),
            Chances::Uniform => 1.0 / log.n_offered(round) as f64,
            Chances::Logged => log.propensities()[round],
            Chances::Table(table) => table.row(round)[played],
        }
    }

    /// Writes the probability of every arm in a round; none for the log's own policy if the log does not have
    /// its probabilities.
    pub(crate) fn write(&self, log: &Log, round: usize, out: &mut [f64]) -> Option<()> {
        match self {
            Chances::Arm(arm) => {
                out.fill(0.0);
                out[*arm] = 1.0;
            }
            Chances::Uniform => {
                let offered = log.n_offered(round);
                out[..offered].fill(1.0 / offered as f64);
                out[offered..].fill(0.0);
            }
            Chances::Logged => out.copy_from_slice(log.probabilities()?.row(round)),
            Chances::Table(table) => out.copy_from_slice(table.row(round)),
        }
        Some(())
    }
}

fn check_table(name: &str, table: &Matrix, log: &Log) -> Result<(), EvaluateError> {
    for (what, expected, got) in [
        ("rows of target probabilities", log.n_rounds(), table.n_rows()),
        ("columns of target probabilities", log.n_arms(), table.n_cols()),
    ] {
        if expected != got {
            return Err(EvaluateError::Size { what, expected, got });
        }
    }
    // Arms that are not on offer cannot be played, so the probabilities of the others must add up to one.
    let check = |(round, row): (usize, &[f64])| {
        check_probabilities(&format!("`{name}`"), round, &row[..log.n_offered(round)])
    };
    table.rows().enumerate().try_for_each(check)
}

fn check_weights(weights: &[f64], log: &Log) -> Result<(), EvaluateError> {
    let (expected, got) = (log.n_objectives(), weights.len());
    if expected != got {
        return Err(EvaluateError::Size { what: "weights of a greedy policy", expected, got });
    }
    match weights.iter().find(|weight| !(**weight >= 0.0 && weight.is_finite())) {
        Some(&value) => Err(EvaluateError::Parameter { name: "a weight", low: 0.0, high: f64::MAX, value }),
        None => Ok(()),
    }
}

/// Probability 1 for the arm with the largest weighted sum of predictions, the first of equal ones. Arms
/// without predictions are not considered.
fn greedy(weights: &[f64], log: &Log, model: &Model) -> Matrix {
    let (n_arms, m) = (log.n_arms(), log.n_objectives());
    let (mut vector, mut predicted) = (Vec::new(), Vec::new());
    let mut chosen = Vec::with_capacity(log.n_rounds());
    for round in 0..log.n_rounds() {
        model.predict(log, round, &mut vector, &mut predicted);
        let score = |arm: usize| -> f64 {
            let means = log.objectives().iter().zip(&predicted[arm * m..]);
            means.zip(weights).map(|((objective, mean), weight)| objective.sign() * weight * mean).sum()
        };
        let mut best = (f64::NEG_INFINITY, log.played()[round]);
        for arm in 0..log.n_offered(round) {
            let score = score(arm);
            if score > best.0 {
                best = (score, arm);
            }
        }
        chosen.push(best.1);
    }
    Matrix::from_fn(log.n_rounds(), n_arms, |round, arm| f64::from(u8::from(chosen[round] == arm)))
}
