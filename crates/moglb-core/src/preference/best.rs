//! The preference for the best arm in one objective.

use super::{Preference, View, best_by, share};
use moglb_math::Error;

/// Weighs the candidates that are best in one objective equally.
#[derive(Debug)]
pub struct Best {
    /// The number of the objective, from 0.
    pub objective: usize,
}

impl Preference for Best {
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
        share(&best_by(view.candidates(), |arm| view.unit(arm, self.objective)), probabilities);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::preference::testing::Table;
    use crate::{Link, Objective};

    #[test]
    fn the_best_is_the_cheapest_where_less_is_better_and_ties_share() {
        let cost = Objective::new("cost", Link::Identity).minimize().range(0.0, 9.0);
        let table = Table::new(
            vec![Objective::new("quality", Link::Logit), cost],
            &[[0.9, 5.0], [0.5, 2.0], [0.4, 2.0]],
        );
        assert_eq!(table.weigh(r#"{ "kind": "best", "objective": "cost" }"#), [0.0, 0.5, 0.5]);
        assert_eq!(table.weigh(r#"{ "kind": "best", "objective": 0 }"#), [1.0, 0.0, 0.0]);
    }
}
