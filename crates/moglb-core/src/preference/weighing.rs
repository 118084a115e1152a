//! What a preference is: a way to weigh the arms of the front.

use super::view::View;
use moglb_math::Error;
use moglb_pareto::ArmId;
use std::fmt::Debug;

/// How much each arm of the front is wanted.
///
/// ```
/// use moglb::{Error, Preference, View};
///
/// /// The first arm of the front, come what may.
/// #[derive(Debug)]
/// struct First;
///
/// impl Preference for First {
///     fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
///         probabilities[view.candidates()[0].0] = 1.0;
///         Ok(())
///     }
/// }
/// ```
pub trait Preference: Debug + Send + Sync {
    /// Writes down the probability of every candidate. There is a place for every arm, candidate or not, that is zero before;
    /// afterwards the places add up to one. There is at least one candidate.
    ///
    /// # Errors
    ///
    /// When the candidates cannot be weighed.
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error>;

    /// By how much the arms that are chosen miss what was demanded, in units of the range of the objective that misses most; 0
    /// where nothing is missed or nothing was demanded.
    fn shortfall(&self, _view: &View<'_>) -> f64 {
        0.0
    }
}

/// Gives each of some arms the same probability.
pub fn share(arms: &[ArmId], probabilities: &mut [f64]) {
    let each = 1.0 / arms.len() as f64;
    arms.iter().for_each(|arm| probabilities[arm.0] = each);
}

/// The arms with the largest score, in order. Scores are equal only if they are equal to the bit: then nothing tells the arms
/// apart.
pub(super) fn best_by<S: PartialOrd>(arms: &[ArmId], score: impl Fn(ArmId) -> S) -> Vec<ArmId> {
    let scores: Vec<S> = arms.iter().map(|&arm| score(arm)).collect();
    let beats = |k: usize, best: usize| if scores[k] > scores[best] { k } else { best };
    let best = (1..scores.len()).fold(0, |best, k| beats(k, best));
    (0..scores.len()).filter(|&k| scores[k] == scores[best]).map(|k| arms[k]).collect()
}
