//! The data that a preference can use.

use crate::{Decision, Objective, Scale};
use moglb_math::Error;
use moglb_pareto::ArmId;
use serde::{Deserialize, Serialize};

/// The mean reward of an arm that preferences compare: the estimate, or a bound of the confidence
/// set.
///
/// ```
/// use moglb::{Belief, PlayConfig};
///
/// let config: PlayConfig = serde_json::from_str(r#"{ "belief": "pessimistic" }"#).unwrap();
/// assert_eq!(config.belief, Belief::Pessimistic);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Belief {
    /// The estimate. Uncertainty counts only in so far as it brings an arm onto the front.
    #[default]
    Mean,
    /// The best mean that the confidence set allows. Arms are tried until they are known to be
    /// worse.
    Optimistic,
    /// The worst mean that the confidence set allows. Only arms that are known to be good are
    /// preferred.
    Pessimistic,
}

impl Belief {
    pub(crate) fn is_mean(&self) -> bool {
        *self == Belief::Mean
    }
}

/// The largest absolute value of a mean reward. Links can overflow where widths are large, and
/// differences of infinities are not numbers.
const LARGEST: f64 = 1e100;

/// The candidates of a decision, with their mean rewards and the other data that a preference can
/// use.
///
/// Mean rewards are in the objective's own units and direction; [`View::unit`] returns them on a
/// scale that all objectives share.
///
/// Example: [`Preference`].
///
/// [`Preference`]: super::Preference
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    #[doc(hidden)]
    pub objectives: &'a [Objective],
    #[doc(hidden)]
    pub candidates: &'a [ArmId],
    #[doc(hidden)]
    pub decision: &'a Decision,
    #[doc(hidden)]
    pub scale: Scale,
    pub(super) belief: Belief,
    pub(super) exposures: &'a [u64],
}

impl<'a> View<'a> {
    /// Returns the objectives.
    pub fn objectives(&self) -> &'a [Objective] {
        self.objectives
    }

    /// Returns the candidates in increasing order: the front, or what the lists of allowed arms
    /// leave of it.
    pub fn candidates(&self) -> &'a [ArmId] {
        self.candidates
    }

    /// Returns the same view with other candidates.
    pub fn among<'b>(&self, candidates: &'b [ArmId]) -> View<'b>
    where
        'a: 'b,
    {
        View { candidates, ..*self }
    }

    /// Returns the estimated mean reward of an arm in an objective.
    pub fn mean(&self, arm: ArmId, objective: usize) -> f64 {
        self.mean_beside(arm, objective, 0.0)
    }

    /// Returns the best mean reward that the width allows: the largest for a maximized objective,
    /// the smallest for a minimized one.
    pub fn optimistic(&self, arm: ArmId, objective: usize) -> f64 {
        self.mean_beside(arm, objective, 1.0)
    }

    /// Returns the worst mean reward that the width allows.
    pub fn pessimistic(&self, arm: ArmId, objective: usize) -> f64 {
        self.mean_beside(arm, objective, -1.0)
    }

    /// Returns the mean reward to compare: one of the three above, by the configured [`Belief`].
    pub fn value(&self, arm: ArmId, objective: usize) -> f64 {
        match self.belief {
            Belief::Mean => self.mean(arm, objective),
            Belief::Optimistic => self.optimistic(arm, objective),
            Belief::Pessimistic => self.pessimistic(arm, objective),
        }
    }

    /// Returns the value, mapped so that the range of rewards is [0, 1] and larger is better. The
    /// result can lie outside [0, 1].
    pub fn unit(&self, arm: ArmId, objective: usize) -> f64 {
        self.objectives[objective].unit_reward(self.value(arm, objective))
    }

    /// Returns the values of an arm in all objectives, mapped as by [`View::unit`].
    pub fn units(&self, arm: ArmId) -> Vec<f64> {
        (0..self.objectives.len()).map(|objective| self.unit(arm, objective)).collect()
    }

    /// Returns the number of plays of an arm, as counted by the caller; 0 if the caller did not
    /// count.
    pub fn exposure(&self, arm: ArmId) -> u64 {
        self.exposures.get(arm.0).copied().unwrap_or(0)
    }

    /// Returns the probability that the policy itself gave to an arm.
    pub fn own(&self, arm: ArmId) -> f64 {
        self.decision.probabilities[arm.0]
    }

    /// Returns true if nothing is known about an arm in some objective.
    pub(super) fn is_unknown(&self, arm: ArmId) -> bool {
        self.decision.widths.row(arm.0).contains(&f64::INFINITY)
    }

    /// Returns the optimistic scores of an arm, of which fronts are computed; larger is better.
    #[doc(hidden)]
    pub fn scores(&self, arm: ArmId) -> impl Iterator<Item = f64> + '_ {
        let (estimates, widths) = (self.decision.estimates.row(arm.0), self.decision.widths.row(arm.0));
        let signs = self.objectives.iter().map(Objective::sign);
        signs.zip(estimates.iter().zip(widths)).map(|(sign, (estimate, width))| sign * estimate + width)
    }

    /// Rejects values that are not numbers, which a custom link can return.
    pub(super) fn check_values(&self) -> Result<(), Error> {
        for &arm in self.candidates {
            for (i, objective) in self.objectives.iter().enumerate() {
                let mean = self.value(arm, i);
                if mean.is_nan() {
                    let z = self.decision.estimates.row(arm.0)[i];
                    return Err(Error::LinkMean { link: objective.link.name(), z, mean });
                }
            }
        }
        Ok(())
    }

    /// Returns the mean reward at the estimate plus this many widths, in the direction of better
    /// rewards.
    fn mean_beside(&self, arm: ArmId, index: usize, widths: f64) -> f64 {
        let objective = &self.objectives[index];
        let (estimate, width) =
            (self.decision.estimates.row(arm.0)[index], self.decision.widths.row(arm.0)[index]);
        let off = if widths == 0.0 { 0.0 } else { widths * objective.sign() * width };
        let mean = match self.scale {
            Scale::Linear => objective.link.mean(estimate + off),
            Scale::Centred => objective.link.mean(0.0) + (estimate + off),
            Scale::Mean => estimate + off,
        };
        mean.clamp(-LARGEST, LARGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preference::testing::Table;
    use crate::{Link, Objective};

    fn table(scale: Scale) -> Table {
        let click = Objective::new("click", Link::Logit);
        let cost = Objective::new("cost", Link::Identity).minimize().range(0.0, 4.0);
        Table::new(vec![click, cost], &[[0.5, 1.0]]).with_widths(&[[0.25, 0.5]]).with_scale(scale)
    }

    #[test]
    fn means_are_in_the_units_of_the_rewards_on_every_scale() {
        let both = |view: View<'_>| [view.mean(ArmId(0), 0), view.mean(ArmId(0), 1)];
        assert_eq!(both(table(Scale::Linear).view()), [Link::Logit.mean(0.5), 1.0]);
        assert_eq!(both(table(Scale::Centred).view()), [1.0, 1.0]);
        assert_eq!(both(table(Scale::Mean).view()), [0.5, 1.0]);
    }

    #[test]
    fn bounds_lie_on_the_better_and_the_worse_side_of_the_mean() {
        let table = table(Scale::Linear);
        let view = table.view();
        assert_eq!(view.optimistic(ArmId(0), 0), Link::Logit.mean(0.75));
        assert_eq!(view.pessimistic(ArmId(0), 0), Link::Logit.mean(0.25));
        assert_eq!((view.optimistic(ArmId(0), 1), view.pessimistic(ArmId(0), 1)), (0.5, 1.5));
        assert_eq!(view.units(ArmId(0)), [Link::Logit.mean(0.5), 0.75]);
        let hopeful = View { belief: Belief::Optimistic, ..view };
        assert_eq!(hopeful.unit(ArmId(0), 1), 0.875);
    }

    #[test]
    fn a_link_that_overflows_gives_a_number_still() {
        let table = Table::new(vec![Objective::new("count", Link::Log)], &[[1.0]]).with_widths(&[[1e9]]);
        let table = table.with_scale(Scale::Linear);
        assert_eq!(table.view().optimistic(ArmId(0), 0), LARGEST);
        assert!(table.view().check_values().is_ok());
    }
}
