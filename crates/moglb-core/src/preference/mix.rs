//! Several preferences, each for a share of the plays.

use super::{Preference, View};
use moglb_math::Error;

/// Adds up the probabilities of several preferences, each times its share. The shares add up to
/// one.
#[derive(Debug)]
pub(super) struct Mix {
    /// The preferences with their shares.
    pub of: Vec<(f64, Box<dyn Preference>)>,
}

impl Preference for Mix {
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
        let mut one = vec![0.0; probabilities.len()];
        for (share, preference) in &self.of {
            one.fill(0.0);
            preference.weigh(view, &mut one)?;
            probabilities.iter_mut().zip(&one).for_each(|(p, q)| *p += share * q);
        }
        Ok(())
    }

    fn shortfall(&self, view: &View<'_>) -> f64 {
        let played = self.of.iter().filter(|(share, _)| *share > 0.0);
        played.map(|(_, preference)| preference.shortfall(view)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use crate::preference::testing::Table;

    #[test]
    fn every_preference_has_its_share() {
        let table = Table::plain(&[[0.75, 0.0], [0.5, 0.5], [0.0, 0.75]]);
        let mix = r#"{ "kind": "mix", "of": [
            { "share": 0.75, "prefer": { "kind": "best", "objective": 0 } },
            { "share": 0.25, "prefer": { "kind": "mix", "of": [
                { "share": 0.5, "prefer": { "kind": "best", "objective": 1 } },
                { "share": 0.5, "prefer": {
                    "kind": "constraints", "at_least": { "y0": 0.5, "y1": 0.75 } } } ] } } ] }"#;
        // The bounds are violated by 0.75, 0.25 and 0.5.
        assert_eq!(table.weigh(mix), [0.75, 0.125, 0.125]);
        assert_eq!(table.shortfall(mix), 0.25);
    }
}
