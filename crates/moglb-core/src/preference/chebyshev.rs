//! The preference for arms whose worst objective is the best.

use super::{Preference, View, best_by, share};
use crate::Scalarization;
use moglb_math::Error;

/// Weighs the candidates with the largest minᵢ wᵢ(uᵢ − zᵢ) equally, where u are the values and z is
/// a reference point, both on the unit scale.
///
/// With z as a goal, these are the candidates whose worst weighted distance from the goal is the
/// smallest. Below its goal an objective with a larger weight demands more; beyond its goal it
/// demands less. Every arm of the front is best for some weights, even where the front is not
/// convex. Among equal minima the larger weighted sum wins: the minimum alone cannot distinguish an
/// arm from one that dominates it.
#[derive(Debug)]
pub struct Chebyshev {
    /// The weights w: positive, with sum one.
    pub weights: Vec<f64>,
    /// z on the unit scale.
    pub reference: Vec<f64>,
}

impl Preference for Chebyshev {
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
        let score = |arm| {
            let above: Vec<f64> = view.units(arm).iter().zip(&self.reference).map(|(u, z)| u - z).collect();
            [Scalarization::Chebyshev, Scalarization::Linear].map(|by| by.value(&self.weights, &above))
        };
        share(&best_by(view.candidates(), score), probabilities);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::preference::testing::Table;
    use crate::{Link, Objective};

    /// The second arm lies below the line between the others: for no weights has it the largest
    /// weighted sum.
    #[test]
    fn an_arm_in_a_dent_of_the_front_can_be_the_best() {
        let table = Table::plain(&[[0.9, 0.1], [0.4, 0.4], [0.1, 0.9]]);
        assert_eq!(table.weigh(r#"{ "kind": "chebyshev", "weights": [1, 1] }"#), [0.0, 1.0, 0.0]);
        assert_eq!(table.weigh(r#"{ "kind": "chebyshev", "weights": [1, 10] }"#), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_reference_is_in_the_units_of_the_rewards() {
        let cost = Objective::new("cost", Link::Identity).minimize().range(0.0, 10.0);
        let table = Table::new(vec![Objective::new("quality", Link::Logit), cost], &[[0.9, 6.0], [0.5, 2.0]]);
        // The goal 0.9 at cost 2 is missed by 0.4 of the range in cost, or by 0.4 in quality; the
        // goal 0.8 at cost 2 is missed by 0.4 or 0.3.
        let goal = |reference: &str| {
            table.weigh(&format!(r#"{{ "kind": "chebyshev", "weights": [1, 1], "reference": {reference} }}"#))
        };
        assert_eq!(goal("[0.8, 2.0]"), [0.0, 1.0]);
        assert_eq!(goal("[0.9, 4.0]"), [1.0, 0.0]);
    }

    #[test]
    fn of_equal_minima_the_larger_sum_wins() {
        let table = Table::plain(&[[0.3, 0.5], [0.3, 0.6], [0.3, 0.6]]);
        assert_eq!(table.weigh(r#"{ "kind": "chebyshev", "weights": [1, 1] }"#), [0.0, 0.5, 0.5]);
    }
}
