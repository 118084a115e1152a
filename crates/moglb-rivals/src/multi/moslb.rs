//! The common parts of the two policies of Cheng et al. 2024: groups of objectives, and the rule for
//! exploration.

use super::linear_model::{self, LinearModel, in_units};
use libm::pow;
use moglb_core::{Parameter, Problem};
use moglb_math::Error;

/// The departures of both policies from the source.
pub(super) const DEPARTURES: &str = in_units!(
    "The default of ε balances the two parts of the regret; the choice of the source was not available to \
     us. The front is also reported in rounds that explore."
);

/// The parameters that both policies have: λ, δ, the scale of the width, ε and T.
pub(super) struct Exploration {
    pub(super) lambda: f64,
    pub delta: f64,
    pub scale: f64,
    pub(super) epsilon: Option<f64>,
    pub(super) horizon: usize,
}

impl Exploration {
    /// Returns the model before the first round, if the parameters are in their bounds.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`], [`Error::TooLarge`] or [`Error::Parameters`].
    pub fn model(&self, problem: Problem) -> Result<LinearModel, Error> {
        linear_model::check(self.lambda, self.delta, self.scale)?;
        Parameter::check("epsilon", self.epsilon.unwrap_or(1.0), 0.0..=1e100)?;
        Parameter::check("horizon", self.horizon as f64, 1.0..=1e15)?;
        LinearModel::new(problem, self.lambda)
    }

    /// Returns ε, by default d^⅔·T^−⅓. Then d²/ε² rounds that explore cost as much as T rounds with an error
    /// of ε.
    pub(super) fn epsilon(&self, dim: usize) -> f64 {
        self.epsilon.unwrap_or_else(|| pow(dim as f64, 2.0 / 3.0) * pow(self.horizon as f64, -1.0 / 3.0))
    }

    /// Returns γ_t = R√(d·log(m(1 + t)/δ)) + √λ·S, times the scale.
    pub fn radius(&self, model: &LinearModel) -> f64 {
        self.scale * model.radius_by_count(model.rounds() as f64 + 1.0, self.delta)
    }
}

/// Refuses empty groups, unknown objectives, and objectives that are in the groups twice.
///
/// # Errors
///
/// [`Error::Parameters`] or [`Error::UnknownObjective`].
pub(super) fn check_groups(groups: &[Vec<usize>], n_objectives: usize) -> Result<(), Error> {
    if groups.is_empty() || groups.iter().any(Vec::is_empty) {
        return Err(Error::Parameters { what: "groups of objectives must not be empty" });
    }
    let mut seen = vec![false; n_objectives];
    for &got in groups.iter().flatten() {
        match seen.get_mut(got) {
            None => return Err(Error::UnknownObjective { got, n_objectives }),
            Some(true) => return Err(Error::Parameters { what: "an objective is in the groups twice" }),
            Some(seen) => *seen = true,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_name_objectives_once() {
        assert_eq!(check_groups(&[vec![2], vec![0]], 3), Ok(()), "an objective may be left out");
        assert!(matches!(check_groups(&[], 3), Err(Error::Parameters { .. })));
        assert!(matches!(check_groups(&[vec![0], vec![]], 3), Err(Error::Parameters { .. })));
        assert!(matches!(check_groups(&[vec![0], vec![1, 0]], 3), Err(Error::Parameters { .. })));
        assert_eq!(check_groups(&[vec![3]], 3), Err(Error::UnknownObjective { got: 3, n_objectives: 3 }));
    }

    #[test]
    fn epsilon_is_the_formula_by_hand() {
        let mut exploration =
            Exploration { lambda: 1.0, delta: 0.05, scale: 1.0, epsilon: None, horizon: 1000 };
        assert!((exploration.epsilon(8) - 0.4).abs() < 1e-12, "4 / 10");
        exploration.epsilon = Some(0.1);
        assert_eq!(exploration.epsilon(8), 0.1);
    }
}
