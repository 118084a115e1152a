//! The preference for arms with few plays, which is fair to arms.

use super::{Preference, View, best_by, share};
use moglb_math::Error;
use std::cmp::Reverse;

/// Weighs the candidates with the fewest plays equally. So the arms of the front are played equally
/// often in the long run, not only with equal probability.
#[derive(Debug)]
pub(super) struct LeastExposed;

impl Preference for LeastExposed {
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
        share(&best_by(view.candidates(), |arm| Reverse(view.exposure(arm))), probabilities);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::preference::testing::Table;

    #[test]
    fn the_candidates_that_were_played_least_share() {
        let mut table = Table::plain(&[[0.5]; 4]).among(&[0, 1, 3]);
        let least = r#"{ "kind": "least-exposed" }"#;
        assert_eq!(table.weigh(least), [1.0 / 3.0, 1.0 / 3.0, 0.0, 1.0 / 3.0], "no plays were counted");
        table.exposures = vec![2, 1, 0, 1];
        assert_eq!(table.weigh(least), [0.0, 0.5, 0.0, 0.5]);
    }
}
