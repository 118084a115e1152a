//! The preference by a weighted sum.

use super::{Preference, View, best_by, share};
use crate::Scalarization;
use moglb_math::Error;

/// Weighs equally the candidates with the largest Σ wᵢuᵢ, where u are the values on the unit scale.
#[derive(Debug)]
pub struct Weights {
    /// The weights w: nonnegative, with sum one.
    pub weights: Vec<f64>,
}

impl Preference for Weights {
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
        let sum = |arm| Scalarization::Linear.value(&self.weights, &view.units(arm));
        share(&best_by(view.candidates(), sum), probabilities);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::preference::testing::Table;
    use crate::{Link, Objective};

    #[test]
    fn the_largest_weighted_sum_is_played() {
        // The sums with (3, 1)/4 are 0.7, 0.55, 0.3; with (1, 3)/4 they are 0.3, 0.65, 0.7.
        let table = Table::plain(&[[0.9, 0.1], [0.5, 0.7], [0.1, 0.9]]);
        assert_eq!(table.weigh(r#"{ "kind": "weights", "weights": [3, 1] }"#), [1.0, 0.0, 0.0]);
        assert_eq!(table.weigh(r#"{ "kind": "weights", "weights": [1, 3] }"#), [0.0, 0.0, 1.0]);
        assert_eq!(table.weigh(r#"{ "kind": "weights", "weights": [1, 1] }"#), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn weights_are_of_rewards_in_units_of_their_range_and_larger_is_better() {
        let cost = Objective::new("cost", Link::Identity).minimize().range(0.0, 100.0);
        let table =
            Table::new(vec![Objective::new("quality", Link::Logit), cost], &[[0.9, 60.0], [0.5, 10.0]]);
        // The sums are 0.9 + 0.4 and 0.5 + 0.9.
        assert_eq!(table.weigh(r#"{ "kind": "weights", "weights": [1, 1] }"#), [0.0, 1.0]);
        assert_eq!(table.weigh(r#"{ "kind": "weights", "weights": [2, 1] }"#), [1.0, 0.0]);
    }
}
