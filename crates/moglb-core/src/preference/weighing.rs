//! The trait of preferences.

use super::view::View;
use moglb_math::Error;
use moglb_pareto::ArmId;
use std::fmt::Debug;

/// A preference: gives each candidate of a decision a probability.
///
/// ```
/// use moglb::{Error, Preference, View};
///
/// /// Always plays the first arm of the front.
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
    /// Writes the probability of every candidate. `probabilities` has one entry per arm, candidate
    /// or not; all are zero at first, and must add up to one at the end. There is at least one
    /// candidate.
    ///
    /// # Errors
    ///
    /// An error if the candidates cannot be weighed.
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error>;

    /// Returns the violation of demands by the preferred arms, in units of the range of the
    /// objective with the largest violation; 0 if nothing is violated or demanded.
    fn shortfall(&self, _view: &View<'_>) -> f64 {
        0.0
    }
}

/// Gives each of some arms the same probability.
pub fn share(arms: &[ArmId], probabilities: &mut [f64]) {
    let each = 1.0 / arms.len() as f64;
    arms.iter().for_each(|arm| probabilities[arm.0] = each);
}

/// Returns the arms with the largest score, in order. Scores count as equal only if they are equal
/// bit for bit, because nothing distinguishes the arms then.
pub(super) fn best_by<S: PartialOrd>(arms: &[ArmId], score: impl Fn(ArmId) -> S) -> Vec<ArmId> {
    let scores: Vec<S> = arms.iter().map(|&arm| score(arm)).collect();
    let beats = |k: usize, best: usize| if scores[k] > scores[best] { k } else { best };
    let best = (1..scores.len()).fold(0, |best, k| beats(k, best));
    (0..scores.len()).filter(|&k| scores[k] == scores[best]).map(|k| arms[k]).collect()
}
