//! The preference for the bend of the front.

use super::{Preference, View, best_by, share};
use moglb_math::Error;
use moglb_pareto::ArmId;

/// Weighs the candidates equally that lie farthest beyond the plane through the ends of the front
/// (Das 1999). The values of each objective are stretched so that the candidates fill [0, 1]; the
/// candidates with the largest sum of stretched values win. With two objectives the ends are (0, 1)
/// and (1, 0), and the plane is the line between them.
///
/// The knee needs no exchange rate between objectives: the extent of the front is the scale. So it
/// depends on which other arms are on the front.
#[derive(Debug)]
pub(super) struct Knee;

impl Preference for Knee {
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
        let extents: Vec<(f64, f64)> = (0..view.objectives().len()).map(|i| extent(view, i)).collect();
        let stretched = |arm: ArmId, i: usize| match extents[i] {
            (low, high) if high > low => (view.unit(arm, i) - low) / (high - low),
            _ => 0.0,
        };
        let sum = |arm: ArmId| (0..extents.len()).map(|i| stretched(arm, i)).sum::<f64>();
        share(&best_by(view.candidates(), sum), probabilities);
        Ok(())
    }
}

/// Returns the least and the largest value of an objective among the candidates.
fn extent(view: &View<'_>, objective: usize) -> (f64, f64) {
    let values = view.candidates().iter().map(|&arm| view.unit(arm, objective));
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

#[cfg(test)]
mod tests {
    use crate::preference::testing::Table;

    /// The stretched arms are (1, 0), (0.75, 0.75), (0.5, 0.875) and (0, 1).
    #[test]
    fn the_knee_is_farthest_from_the_line_between_the_ends() {
        let table = Table::plain(&[[0.5, 0.25], [0.375, 0.625], [0.25, 0.6875], [0.0, 0.75]]);
        assert_eq!(table.weigh(r#"{ "kind": "knee" }"#), [0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_straight_front_has_no_knee_and_an_even_objective_does_not_count() {
        let table = Table::plain(&[[1.0, 0.0, 0.5], [0.5, 0.5, 0.5], [0.0, 1.0, 0.5]]);
        assert_eq!(table.weigh(r#"{ "kind": "knee" }"#), [1.0 / 3.0; 3]);
    }
}
