//! Objectives: a reward, the link that models it, and its direction.

use crate::{Fisher, Link, LinkConstants};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The largest absolute reward.
const LARGEST: f64 = 1e100;

/// The least length of a range of rewards, absolute and relative to its larger end.
const SHORTEST: f64 = 1e-200;
const SHORTEST_SHARE: f64 = 1e-12;

/// The direction in which rewards are better.
///
/// Example: [`Objective::minimize`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Larger rewards are better.
    #[default]
    Maximize,
    /// Smaller rewards are better.
    Minimize,
}

/// One objective: a name, a link, a direction and the range of its rewards.
///
/// Inside the policies larger is always better. The reward of a minimized objective enters as −y with the
/// mirrored link −μ(−z), which is increasing again. Its estimates get their sign back on the way out. For
/// the links of this library this is the same as learning θ itself and ranking by −θᵀx.
///
/// ```
/// use moglb::{Link, Objective};
/// let cost = Objective::new("cost", Link::Identity).minimize().range(0.0, 1.0);
/// assert_eq!(cost.rewards(), (0.0, 1.0));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Objective {
    /// The name, unique in its problem.
    pub name: String,
    /// The link μ.
    pub link: Link,
    /// The direction in which rewards are better.
    #[serde(default)]
    pub direction: Direction,
    /// The range of rewards if it is not the link's usual one; see [`Objective::rewards`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
}

impl Objective {
    /// Creates an objective to be maximized, with the usual range of its link.
    pub fn new(name: impl Into<String>, link: Link) -> Self {
        Self { name: name.into(), link, direction: Direction::Maximize, range: None }
    }

    /// Returns this objective, to be minimized.
    ///
    /// ```
    /// use moglb::{Direction, Link, Objective};
    /// assert_eq!(Objective::new("cost", Link::Identity).minimize().direction, Direction::Minimize);
    /// ```
    pub fn minimize(mut self) -> Self {
        self.direction = Direction::Minimize;
        self
    }

    /// Returns this objective with rewards in [low, high].
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Returns the range of rewards (Assumption 4). If it is not given: [0, 1] for logit and probit,
    /// [−1, 1] for identity, [0, 10] for log, and the range of a registered link
    /// ([`LinkFunction::rewards`](crate::LinkFunction::rewards)).
    pub fn rewards(&self) -> (f64, f64) {
        self.range.unwrap_or(match self.link {
            Link::Identity => (-1.0, 1.0),
            Link::Logit | Link::Probit => (0.0, 1.0),
            Link::Log => (0.0, 10.0),
            Link::Custom(custom) => custom.rewards(),
        })
    }

    /// Returns R, the largest |y|.
    pub fn reward_bound(&self) -> f64 {
        let (low, high) = self.rewards();
        low.abs().max(high.abs())
    }

    /// Returns +1 for a maximized objective, −1 for a minimized one.
    pub fn sign(&self) -> f64 {
        match self.direction {
            Direction::Maximize => 1.0,
            Direction::Minimize => -1.0,
        }
    }

    /// Returns the mean in the inner orientation: μ(z), or −μ(−z) for a minimized objective.
    pub fn inner_mean(&self, z: f64) -> f64 {
        self.sign() * self.link.mean(self.sign() * z)
    }

    /// Returns the score and the weight of a reward in the inner orientation; see [`Link::fisher`]. The
    /// reward is in its own orientation.
    ///
    /// # Errors
    ///
    /// [`Error::LinkMean`] or [`Error::LinkSlope`] if a registered link returns no usable number.
    pub fn inner_fisher(&self, z: f64, reward: f64) -> Result<Fisher, Error> {
        let outer = self.sign() * z;
        let Fisher { score, weight } = match self.link {
            Link::Custom(link) => link.checked_fisher(outer, reward)?,
            link => link.fisher(outer, reward),
        };
        Ok(Fisher { score: self.sign() * score, weight })
    }

    /// Returns only the weight of [`Objective::inner_fisher`].
    ///
    /// # Errors
    ///
    /// As [`Objective::inner_fisher`].
    pub fn inner_weight(&self, z: f64) -> Result<f64, Error> {
        match self.link {
            Link::Custom(link) => link.checked_weight(self.sign() * z),
            link => Ok(link.fisher_weight(self.sign() * z)),
        }
    }

    /// Returns the reward mapped to [0, 1], larger is better, for policies without a model.
    pub fn unit_reward(&self, reward: f64) -> f64 {
        let (low, high) = self.rewards();
        match self.direction {
            Direction::Maximize => (reward - low) / (high - low),
            Direction::Minimize => (high - reward) / (high - low),
        }
    }

    /// Returns the reward whose [`Objective::unit_reward`] is `unit`.
    pub fn from_unit(&self, unit: f64) -> f64 {
        let (low, high) = self.rewards();
        match self.direction {
            Direction::Maximize => low + unit * (high - low),
            Direction::Minimize => high - unit * (high - low),
        }
    }

    /// Refuses a reward out of range, and NaN.
    #[doc(hidden)]
    pub fn check_reward(&self, value: f64) -> Result<(), Error> {
        let (low, high) = self.rewards();
        if value >= low && value <= high {
            Ok(())
        } else {
            Err(Error::Reward { objective: self.name.clone(), value, low, high })
        }
    }

    /// Refuses a range of rewards that policies cannot compute with.
    ///
    /// Rewards are squared and divided by the length of their range. So its ends lie within ±1e100, and its
    /// length is at least 1e-200 and at least 1e-12 of the larger end. In a shorter range f64 distinguishes
    /// too few rewards, or none.
    ///
    /// ```
    /// use moglb::{Error, Link, Objective};
    /// let sale = Objective::new("sale", Link::Identity);
    /// assert_eq!(sale.clone().range(-5.0, 20.0).check_range(), Ok(()));
    /// assert!(matches!(sale.range(1.0, 1.0 + 1e-15).check_range(), Err(Error::Range { .. })));
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Range`].
    pub fn check_range(&self) -> Result<(), Error> {
        let (low, high) = self.rewards();
        let shortest = (SHORTEST_SHARE * low.abs().max(high.abs())).max(SHORTEST);
        // Both ends first: the difference of larger numbers can overflow.
        if low >= -LARGEST && high <= LARGEST && high - low >= shortest {
            return Ok(());
        }
        Err(Error::Range { objective: self.name.clone(), low, high })
    }

    /// Returns the constants on [−D, D], if they are usable.
    #[doc(hidden)]
    pub fn checked_constants(&self, radius: f64) -> Result<LinkConstants, Error> {
        self.check_range()?;
        let constants = self.link.constants(radius);
        // κ > 0 and a finite U are not enough: γ contains (R + U)²/κ.
        if constants.kappa >= 1e-100 && constants.bound <= 1e100 && constants.lipschitz <= 1e100 {
            return Ok(constants);
        }
        Err(Error::Curvature {
            objective: self.name.clone(),
            link: self.link.name(),
            radius,
            kappa: constants.kappa,
            bound: constants.bound,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimized_objective_is_mirrored() {
        for link in Link::ALL {
            let up = Objective::new("y", link);
            let down = up.clone().minimize();
            for z in [-0.8, 0.0, 0.3] {
                assert_eq!(down.inner_mean(z), -up.inner_mean(-z));
            }
            assert!(down.inner_mean(0.5) > down.inner_mean(0.4), "{} stays increasing", link.name());
        }
    }

    /// Inside, a minimized objective has reward −y and linear score −z: the loss is the same, and its slope
    /// changes its sign.
    #[test]
    fn the_score_of_a_minimized_objective_is_mirrored() {
        for link in Link::ALL {
            let up = Objective::new("y", link);
            let down = up.clone().minimize();
            let (up, down) = (up.inner_fisher(0.3, 0.7).unwrap(), down.inner_fisher(-0.3, 0.7).unwrap());
            assert_eq!((up.score, up.weight), (-down.score, down.weight));
        }
    }

    #[test]
    fn unit_rewards_are_larger_for_the_better() {
        let cost = Objective::new("cost", Link::Identity).minimize().range(2.0, 6.0);
        assert_eq!((cost.unit_reward(2.0), cost.unit_reward(6.0)), (1.0, 0.0));
        assert_eq!(cost.from_unit(cost.unit_reward(3.0)), 3.0);
        let click = Objective::new("click", Link::Logit);
        assert_eq!((click.unit_reward(1.0), click.from_unit(0.25)), (1.0, 0.25));
    }

    #[test]
    fn rewards_out_of_range_are_refused() {
        let click = Objective::new("click", Link::Logit);
        for value in [-0.1, 1.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(matches!(click.check_reward(value), Err(Error::Reward { .. })), "{value}");
        }
        assert!(click.check_reward(0.0).is_ok() && click.check_reward(1.0).is_ok());
    }

    /// The shortest allowed ranges, and ranges that are a little shorter.
    #[test]
    fn ranges_that_are_too_short_or_too_wide_are_refused() {
        let check = |low, high| Objective::new("y", Link::Identity).range(low, high).check_range();
        for (low, high) in [
            (0.0, 5e-324),
            (0.0, 1e-320),
            (0.0, 9.9e-201),
            (-4e-201, 4e-201),
            (1.0, 1.0 + f64::EPSILON),
            (1.0, 1.0 + 9e-13),
            (-1e100, -1e100 + 9e87),
            (1e90, 1.0000000000005e90),
            (-1e308, 1e308),
            (f64::MIN, f64::MAX),
            (0.0, 1e101),
            (1.0, 0.0),
            (1.0, 1.0),
            (0.0, -0.0),
            (0.0, f64::NAN),
            (f64::NEG_INFINITY, 0.0),
        ] {
            assert!(matches!(check(low, high), Err(Error::Range { .. })), "[{low:e}, {high:e}]");
            for link in Link::ALL {
                let problem = crate::Problem::new(1, vec![Objective::new("y", link).range(low, high)]);
                assert!(matches!(problem, Err(Error::Range { .. })), "[{low:e}, {high:e}]");
            }
        }
        for (low, high) in [(0.0, 1e-200), (1.0, 1.0 + 1.1e-12), (-1e100, 1e100), (1e100 - 1.1e88, 1e100)] {
            assert_eq!(check(low, high), Ok(()), "[{low:e}, {high:e}]");
        }
        let error = check(0.0, 5e-324).unwrap_err().to_string();
        assert!(error.contains("[0, 5e-324]") && error.contains("1e-12"), "{error}");
    }

    #[test]
    fn vanishing_or_overflowing_links_are_refused() {
        for (link, radius) in [(Link::Logit, 800.0), (Link::Probit, 40.0), (Link::Log, 800.0)] {
            let got = Objective::new("y", link).checked_constants(radius);
            assert!(matches!(got, Err(Error::Curvature { .. })), "{}: {got:?}", link.name());
        }
    }
}
