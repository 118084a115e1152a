//! The uniform draw of the paper, which prefers no arm.

use super::{Preference, View, share};
use moglb_math::Error;

/// Gives every candidate the same probability (Algorithm 1, step 3).
#[derive(Debug)]
pub struct Uniform;

impl Preference for Uniform {
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
        share(view.candidates(), probabilities);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::preference::testing::Table;

    #[test]
    fn candidates_are_alike_and_others_get_nothing() {
        let table = Table::plain(&[[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]).among(&[0, 2]);
        assert_eq!(table.weigh(r#"{ "kind": "uniform" }"#), [0.5, 0.0, 0.5]);
    }
}
