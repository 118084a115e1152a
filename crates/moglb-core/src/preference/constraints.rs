//! Bounds on values, and a preference among the arms that satisfy them.

use super::{Preference, View, best_by};
use moglb_math::Error;
use moglb_pareto::ArmId;

/// The candidates whose values satisfy all bounds, weighed by another preference. If no candidate
/// does, the ones that violate the bounds least. The violation of an arm is the largest over its
/// bounds, in units of the range of the objective.
#[derive(Debug)]
pub(super) struct Constraints {
    /// The bounds; at least one.
    pub bounds: Vec<RewardBound>,
    /// The preference among the candidates that are left.
    pub then: Box<dyn Preference>,
}

/// A bound on one objective, in the objective's own units.
#[derive(Debug, Clone, Copy)]
pub(super) struct RewardBound {
    /// The number of the objective, from 0.
    pub objective: usize,
    /// The bound.
    pub at: f64,
    /// +1 for a lower bound, −1 for an upper one.
    pub side: f64,
}

impl RewardBound {
    /// Returns by how much an arm violates the bound, in units of the range; 0 if it satisfies it.
    fn missed(&self, view: &View<'_>, arm: ArmId) -> f64 {
        let (low, high) = view.objectives()[self.objective].rewards();
        (self.side * (self.at - view.value(arm, self.objective)) / (high - low)).max(0.0)
    }
}

impl Constraints {
    /// Returns the largest violation of an arm.
    fn missed(&self, view: &View<'_>, arm: ArmId) -> f64 {
        self.bounds.iter().map(|bound| bound.missed(view, arm)).fold(0.0, f64::max)
    }

    /// Returns the candidates with the smallest violation.
    fn kept(&self, view: &View<'_>) -> Vec<ArmId> {
        best_by(view.candidates(), |arm| -self.missed(view, arm))
    }
}

impl Preference for Constraints {
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
        self.then.weigh(&view.among(&self.kept(view)), probabilities)
    }

    fn shortfall(&self, view: &View<'_>) -> f64 {
        let kept = self.kept(view);
        self.missed(view, kept[0]).max(self.then.shortfall(&view.among(&kept)))
    }
}

#[cfg(test)]
mod tests {
    use crate::preference::testing::Table;
    use crate::{Link, Objective};

    fn table() -> Table {
        let cost = Objective::new("cost", Link::Identity).minimize().range(0.0, 8.0);
        let means = [[0.9375, 7.0], [0.875, 4.0], [0.625, 3.0], [0.5, 1.0]];
        Table::new(vec![Objective::new("quality", Link::Logit), cost], &means)
    }

    #[test]
    fn quality_at_least_so_much_then_the_cheapest() {
        let rule = r#"{ "kind": "constraints", "at_least": { "quality": 0.625 },
                        "then": { "kind": "best", "objective": "cost" } }"#;
        assert_eq!(table().weigh(rule), [0.0, 0.0, 1.0, 0.0], "0.625 is at least 0.625");
        assert_eq!(table().shortfall(rule), 0.0);
    }

    #[test]
    fn bounds_from_both_sides_leave_what_keeps_them_all() {
        let rule = r#"{ "kind": "constraints", "at_least": { "quality": 0.6 }, "at_most": { "cost": 5 } }"#;
        assert_eq!(table().weigh(rule), [0.0, 0.5, 0.5, 0.0], "uniform by default");
    }

    #[test]
    fn where_no_arm_keeps_the_bounds_the_least_violation_is_played_and_told() {
        // The violations in quality are 0.0625, 0.125, 0.375 and 0.5 of its range, in cost 0.625,
        // 0.25, 0.125 and 0.
        let rule = r#"{ "kind": "constraints", "at_least": { "quality": 1.0 }, "at_most": { "1": 2.0 } }"#;
        assert_eq!(table().weigh(rule), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(table().shortfall(rule), 0.25);
    }
}
