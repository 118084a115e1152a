//! The problem: the facts that all policies have before the first round.

use crate::{Arm, ArmSet, LinkConstants, Objective};
use moglb_math::memory::check_size;
use moglb_math::{Error, Matrix};
use serde::{Deserialize, Serialize};

/// The facts of a problem: d, the objectives, the radius D and, if it is fixed, the number of arms K.
///
/// ```
/// use moglb::{Link, Objective, Problem};
/// let problem = Problem::new(10, vec![Objective::new("click", Link::Logit)])?.with_radius(2.0)?;
/// assert_eq!(problem.n_objectives(), 1);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The facts as given.
    config: ProblemConfig,
    /// κ, L and U of each objective on [−D, D].
    constants: Vec<LinkConstants>,
}

/// A problem in its serialized form.
///
/// Example: [`Problem`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemConfig {
    /// The number of features d.
    pub dim: usize,
    /// The objectives.
    pub objectives: Vec<Objective>,
    /// The radius D that bounds every ‖θᵢ‖ (Assumption 1).
    #[serde(default = "unit_radius")]
    pub radius: f64,
    /// The number of arms K, for policies that keep statistics per arm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_arms: Option<usize>,
}

/// The default radius, D = 1.
fn unit_radius() -> f64 {
    1.0
}

impl Problem {
    /// Creates a problem of d features with radius D = 1 and any number of arms.
    ///
    /// # Errors
    ///
    /// [`Error::NoFeatures`], [`Error::NoObjectives`], [`Error::ObjectiveName`], [`Error::Range`],
    /// [`Error::Curvature`], [`Error::TooLarge`].
    pub fn new(dim: usize, objectives: Vec<Objective>) -> Result<Self, Error> {
        Self::from_config(ProblemConfig { dim, objectives, radius: unit_radius(), n_arms: None })
    }

    /// Creates a problem from its serialized form.
    ///
    /// # Errors
    ///
    /// As [`Problem::new`], [`Problem::with_radius`] and [`Problem::with_arms`].
    pub fn from_config(config: ProblemConfig) -> Result<Self, Error> {
        if config.dim == 0 {
            return Err(Error::NoFeatures);
        }
        if config.objectives.is_empty() {
            return Err(Error::NoObjectives);
        }
        if config.n_arms == Some(0) {
            return Err(Error::NoArms);
        }
        if !(1e-100..=1e100).contains(&config.radius) {
            return Err(Error::Radius { got: config.radius });
        }
        check_size(config.dim, config.dim)?;
        check_size(config.n_arms.unwrap_or(1), config.dim.max(config.objectives.len()))?;
        for (index, objective) in config.objectives.iter().enumerate() {
            let taken = config.objectives[..index].iter().any(|other| other.name == objective.name);
            if objective.name.is_empty() || taken {
                return Err(Error::ObjectiveName { index, name: objective.name.clone() });
            }
        }
        let constants = config.objectives.iter().map(|o| o.checked_constants(config.radius));
        let constants = constants.collect::<Result<_, _>>()?;
        Ok(Self { config, constants })
    }

    /// Returns this problem with another radius D.
    ///
    /// # Errors
    ///
    /// [`Error::Radius`], or [`Error::Curvature`] if a link is flat at D.
    pub fn with_radius(mut self, radius: f64) -> Result<Self, Error> {
        self.config.radius = radius;
        Self::from_config(self.config)
    }

    /// Returns this problem with a fixed number of arms K.
    ///
    /// # Errors
    ///
    /// [`Error::NoArms`] or [`Error::TooLarge`].
    pub fn with_arms(mut self, n_arms: usize) -> Result<Self, Error> {
        self.config.n_arms = Some(n_arms);
        Self::from_config(self.config)
    }

    /// Returns the number of features d.
    pub fn dim(&self) -> usize {
        self.config.dim
    }

    /// Returns the objectives.
    pub fn objectives(&self) -> &[Objective] {
        &self.config.objectives
    }

    /// Returns the number of objectives m.
    pub fn n_objectives(&self) -> usize {
        self.config.objectives.len()
    }

    /// Returns the radius D.
    pub fn radius(&self) -> f64 {
        self.config.radius
    }

    /// Returns the number of arms K, if it is fixed.
    pub fn n_arms(&self) -> Option<usize> {
        self.config.n_arms
    }

    /// Returns κ, L and U of each objective on [−D, D].
    pub fn constants(&self) -> &[LinkConstants] {
        &self.constants
    }

    /// Returns one κ, L and U that hold for all objectives: the smallest κ, the largest L and U.
    pub fn shared_constants(&self) -> LinkConstants {
        let merge = |a: LinkConstants, b: LinkConstants| LinkConstants {
            kappa: a.kappa.min(b.kappa),
            lipschitz: a.lipschitz.max(b.lipschitz),
            bound: a.bound.max(b.bound),
        };
        self.constants.iter().copied().reduce(merge).expect("a problem has an objective")
    }

    /// Returns R: the largest |y| of any objective (Assumption 4).
    pub fn reward_bound(&self) -> f64 {
        self.objectives().iter().map(Objective::reward_bound).fold(0.0, f64::max)
    }

    /// Returns the serialized form.
    pub fn config(&self) -> &ProblemConfig {
        &self.config
    }

    /// Returns a row of coefficients for each objective, in the objective's own orientation. `inner` gives
    /// them in the orientation where larger is better.
    #[doc(hidden)]
    pub fn outward<I: Iterator<Item = f64>>(&self, inner: impl Fn(usize) -> I) -> Matrix {
        let row = |(i, objective): (usize, &Objective)| inner(i).map(|x| objective.sign() * x).collect();
        let rows: Vec<Vec<f64>> = self.objectives().iter().enumerate().map(row).collect();
        Matrix::from_rows(&rows).expect("rows of d")
    }

    /// Refuses an arm set of another shape.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`] or [`Error::ArmCount`].
    pub fn check_arms(&self, arms: &ArmSet) -> Result<(), Error> {
        if arms.dim() != self.dim() {
            return Err(Error::Dimension { expected: self.dim(), got: arms.dim() });
        }
        match self.n_arms() {
            Some(expected) if expected != arms.n_arms() => {
                Err(Error::ArmCount { expected, got: arms.n_arms() })
            }
            _ => Ok(()),
        }
    }

    /// Refuses a played arm or a reward vector that does not fit the problem.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`], [`Error::UnknownArm`], [`Error::RewardLength`] or [`Error::Reward`].
    pub fn check_play(&self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.check_played(arm, reward.len())?;
        self.objectives().iter().zip(reward).try_for_each(|(objective, &y)| objective.check_reward(y))
    }

    /// Refuses a played arm or known parts of a reward vector that do not fit the problem.
    ///
    /// # Errors
    ///
    /// As [`Problem::check_play`].
    pub fn check_part(&self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
        self.check_played(arm, reward.len())?;
        let parts = self.objectives().iter().zip(reward);
        parts.filter_map(|(objective, y)| Some((objective, (*y)?))).try_for_each(|(o, y)| o.check_reward(y))
    }

    /// Refuses a played arm, or a reward vector of another length.
    fn check_played(&self, arm: Arm<'_>, rewards: usize) -> Result<(), Error> {
        if arm.dim() != self.dim() {
            return Err(Error::Dimension { expected: self.dim(), got: arm.dim() });
        }
        if let Some(n_arms) = self.n_arms().filter(|&n| arm.id().0 >= n) {
            return Err(Error::UnknownArm { arm: arm.id().0, n_arms });
        }
        if rewards != self.n_objectives() {
            return Err(Error::RewardLength { expected: self.n_objectives(), got: rewards });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Link;

    fn click() -> Objective {
        Objective::new("click", Link::Logit)
    }

    #[test]
    fn impossible_problems_are_refused() {
        assert_eq!(Problem::new(0, vec![click()]), Err(Error::NoFeatures));
        assert_eq!(Problem::new(2, vec![]), Err(Error::NoObjectives));
        let twins = Problem::new(2, vec![click(), click()]);
        assert_eq!(twins, Err(Error::ObjectiveName { index: 1, name: "click".into() }));
        assert!(matches!(
            Problem::new(2, vec![Objective::new("", Link::Logit)]),
            Err(Error::ObjectiveName { .. })
        ));
        let problem = || Problem::new(2, vec![click()]).unwrap();
        for radius in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e200] {
            assert!(matches!(problem().with_radius(radius), Err(Error::Radius { .. })), "{radius}");
        }
        assert!(matches!(problem().with_radius(800.0), Err(Error::Curvature { .. })));
        assert_eq!(problem().with_arms(0), Err(Error::NoArms));
        let most = Problem::new(2, vec![click()]).unwrap().with_arms(usize::MAX);
        assert_eq!(most, Err(Error::TooLarge { rows: usize::MAX, columns: 2 }));
        assert!(matches!(Problem::new(usize::MAX / 2, vec![click()]), Err(Error::TooLarge { .. })));
        for (low, high) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-1e308, 1e308)] {
            let got = Problem::new(2, vec![click().range(low, high)]);
            assert!(matches!(got, Err(Error::Range { .. })), "[{low}, {high}] {got:?}");
        }
    }

    #[test]
    fn shared_constants_hold_for_every_objective() {
        let problem = Problem::new(1, vec![click(), Objective::new("view", Link::Probit)]).unwrap();
        let shared = problem.shared_constants();
        assert!((shared.kappa - 0.196612).abs() < 1e-6);
        assert!((shared.lipschitz - 0.398942).abs() < 1e-6);
        assert!((shared.bound - 0.841345).abs() < 1e-6);
        assert_eq!(problem.reward_bound(), 1.0);
    }
}
