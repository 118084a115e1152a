//! The preference that takes one objective after the other.

use super::{Preference, View, share};
use moglb_math::Error;
use moglb_pareto::ArmId;

/// Weighs equally the candidates that are left at the end: those within a tolerance of the best in
/// the first objective; of these, those within a tolerance of the best in the second, and so on.
/// Tolerances are in the objective's own units.
#[derive(Debug)]
pub struct Lexicographic {
    /// The objectives with their tolerances, the most important first.
    pub order: Vec<(usize, f64)>,
}

impl Preference for Lexicographic {
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
        let mut left = view.candidates().to_vec();
        for &(objective, tolerance) in &self.order {
            let sign = view.objectives()[objective].sign();
            let value = |arm: ArmId| sign * view.value(arm, objective);
            let best = left.iter().map(|&arm| value(arm)).fold(f64::NEG_INFINITY, f64::max);
            left.retain(|&arm| best - value(arm) <= tolerance);
        }
        share(&left, probabilities);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::preference::testing::Table;
    use crate::{Link, Objective};

    #[test]
    fn later_objectives_decide_among_what_earlier_ones_leave() {
        let cost = Objective::new("cost", Link::Identity).minimize().range(0.0, 10.0);
        let objectives = vec![Objective::new("quality", Link::Logit), cost];
        let table = Table::new(objectives, &[[0.75, 7.0], [0.625, 4.0], [0.5, 3.0], [0.25, 1.0]]);
        let by = |rest: &str| table.weigh(&format!(r#"{{ "kind": "lexicographic", {rest} }}"#));
        assert_eq!(by(r#""order": ["quality", "cost"]"#), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(by(r#""order": ["quality", "cost"], "tolerances": [0.125, 0]"#), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(by(r#""order": [0, 1], "tolerances": [0.25, 1.0]"#), [0.0, 0.5, 0.5, 0.0]);
        assert_eq!(by(r#""order": ["cost", "quality"], "tolerances": [2.5, 0]"#), [0.0, 0.0, 1.0, 0.0]);
    }
}
