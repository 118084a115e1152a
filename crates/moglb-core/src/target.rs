//! The target of a single-objective policy: one objective, or a weighted sum of all.

use crate::{Link, Objective, Problem};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The target of a single-objective policy: `target = 1` for the objective with that number (from
/// 0), or `target = [0.7, 0.3]` for a weighted sum of all.
///
/// ```
/// use moglb::Target;
///
/// let target: Target = serde_json::from_str("[0.7, 0.3]").unwrap();
/// assert_eq!(target, Target::Weights(vec![0.7, 0.3]));
/// assert_eq!(Target::default().to_string(), "objective 0");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Target {
    /// The number of one objective, from 0.
    Objective(usize),
    /// One nonnegative number per objective, scaled to sum one. Rewards are first mapped to [0, 1],
    /// where larger is better.
    Weights(Vec<f64>),
}

impl Default for Target {
    fn default() -> Self {
        Target::Objective(0)
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Target::Objective(index) => write!(f, "objective {index}"),
            Target::Weights(weights) => write!(f, "weights {weights:?}"),
        }
    }
}

/// A target in a given problem: how reward vectors become one number, and the bounds of that
/// number.
#[derive(Debug, Clone, PartialEq)]
pub struct Scalar {
    /// The objectives that count, with their weights.
    parts: Vec<(usize, f64)>,
    objective: Objective,
    single: bool,
    norm_bound: f64,
}

impl Target {
    /// Returns the target in a problem.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`].
    #[doc(hidden)]
    pub fn resolve(&self, problem: &Problem) -> Result<Scalar, Error> {
        let objectives = problem.objectives();
        let parts = match self {
            &Target::Objective(got) if got >= objectives.len() => {
                return Err(Error::UnknownObjective { got, n_objectives: objectives.len() });
            }
            &Target::Objective(index) => vec![(index, 1.0)],
            Target::Weights(given) => {
                let weights = on_the_simplex(given, objectives.len())?;
                weights.into_iter().enumerate().filter(|&(_, weight)| weight > 0.0).collect()
            }
        };
        let single = matches!(self, Target::Objective(_));
        let objective = if single { objectives[parts[0].0].clone() } else { sum_of(&parts, objectives) };
        let slope = |&(i, weight): &(usize, f64)| {
            let (low, high) = objectives[i].rewards();
            weight * problem.constants()[i].lipschitz / if single { 1.0 } else { high - low }
        };
        let norm_bound = problem.radius() * parts.iter().map(slope).sum::<f64>();
        Ok(Scalar { parts, objective, single, norm_bound })
    }
}

/// Returns weights scaled to sum one.
///
/// # Errors
///
/// [`Error::Weights`] unless there is one nonnegative number per objective, at least one of them
/// positive.
pub fn on_the_simplex(given: &[f64], n_objectives: usize) -> Result<Vec<f64>, Error> {
    let sum: f64 = given.iter().sum();
    let fine = given.len() == n_objectives && given.iter().all(|&w| w >= 0.0) && sum > 0.0 && sum.is_finite();
    if fine {
        Ok(given.iter().map(|w| w / sum).collect())
    } else {
        Err(Error::Weights { expected: n_objectives, got: given.to_vec() })
    }
}

/// Returns the weighted sum as an objective of its own. Its mean is generalized linear only if all
/// links are identity, so the link is an approximation: the common link if all parts are logit or
/// all are probit, otherwise logit.
fn sum_of(parts: &[(usize, f64)], objectives: &[Objective]) -> Objective {
    let first = objectives[parts[0].0].link;
    let shared = parts.iter().all(|&(i, _)| objectives[i].link == first);
    let link = if shared && matches!(first, Link::Logit | Link::Probit) { first } else { Link::Logit };
    Objective::new("weighted sum", link)
}

impl Scalar {
    /// Returns the target as a generalized linear objective; [`Scalar::reward`] is its reward.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// Returns the reward of [`Scalar::objective`], in its own units and direction.
    pub fn reward(&self, reward: &[f64], problem: &Problem) -> f64 {
        if self.single { reward[self.parts[0].0] } else { self.unit(reward, problem) }
    }

    /// Returns the reward mapped to [0, 1], larger is better: for policies without a model.
    pub fn unit(&self, reward: &[f64], problem: &Problem) -> f64 {
        let objectives = problem.objectives();
        let part = |&(i, weight): &(usize, f64)| weight * objectives[i].unit_reward(reward[i]);
        self.parts.iter().map(part).sum::<f64>().clamp(0.0, 1.0)
    }

    /// Returns the mean of [`Scalar::unit`] over `count` rewards. `sums` has the sum of the unit
    /// rewards of each objective.
    pub fn unit_mean(&self, sums: &[f64], count: f64) -> f64 {
        self.parts.iter().map(|&(i, weight)| weight * sums[i] / count).sum()
    }

    /// Returns the reward minus its mean at θ = 0, larger is better: for linear policies, whose
    /// model has no intercept. It is in the objective's own units; for a weighted sum it is in
    /// units of the ranges.
    pub fn centred(&self, reward: &[f64], problem: &Problem) -> f64 {
        let part = |&(i, weight): &(usize, f64)| {
            let objective = &problem.objectives()[i];
            let (low, high) = objective.rewards();
            let scale = if self.single { 1.0 } else { high - low };
            weight * objective.sign() * (reward[i] - objective.link.mean(0.0)) / scale
        };
        self.parts.iter().map(part).sum()
    }

    /// Returns the largest size of a [centred](Scalar::centred) reward.
    pub fn largest(&self, problem: &Problem) -> f64 {
        let part = |&(i, weight): &(usize, f64)| {
            let objective = &problem.objectives()[i];
            let ((low, high), mean) = (objective.rewards(), objective.link.mean(0.0));
            weight * (low - mean).abs().max((high - mean).abs()) / if self.single { 1.0 } else { high - low }
        };
        self.parts.iter().map(part).sum()
    }

    /// Returns R. Rewards lie in an interval of length 2R, so they are R-sub-Gaussian around their
    /// mean (Hoeffding).
    pub fn noise(&self) -> f64 {
        let (low, high) = self.objective.rewards();
        (high - low) / 2.0
    }

    /// Returns S, the bound on ‖θ‖ of the best linear prediction of the centred reward: D times the
    /// largest slope of the link. It is exact for identity, and an approximation for other links.
    pub fn norm_bound(&self) -> f64 {
        self.norm_bound
    }

    /// Converts an estimate for which larger is better into the target's own direction.
    pub fn outward(&self, estimate: f64) -> f64 {
        self.objective.sign() * estimate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem() -> Problem {
        let objectives = vec![
            Objective::new("click", Link::Logit),
            Objective::new("cost", Link::Identity).minimize().range(2.0, 6.0),
        ];
        Problem::new(1, objectives).unwrap().with_radius(2.0).unwrap()
    }

    #[test]
    fn a_target_is_one_objective_or_a_weighted_sum() {
        let problem = problem();
        let cost = Target::Objective(1).resolve(&problem).unwrap();
        assert_eq!(cost.reward(&[1.0, 3.0], &problem), 3.0);
        assert_eq!(cost.unit(&[1.0, 3.0], &problem), 0.75);
        assert_eq!(cost.centred(&[1.0, 3.0], &problem), -3.0);
        assert_eq!((cost.noise(), cost.norm_bound(), cost.outward(1.0)), (2.0, 2.0, -1.0));
        assert_eq!(cost.largest(&problem), 6.0);
        let sum = Target::Weights(vec![1.0, 3.0]).resolve(&problem).unwrap();
        assert_eq!(sum.unit(&[1.0, 3.0], &problem), 0.25 + 0.75 * 0.75);
        assert_eq!(sum.reward(&[1.0, 3.0], &problem), sum.unit(&[1.0, 3.0], &problem));
        assert_eq!(sum.centred(&[1.0, 3.0], &problem), 0.25 * 0.5 - 0.75 * 0.75);
        // D(¼·¼ + ¾·1/4).
        assert_eq!((sum.noise(), sum.norm_bound()), (0.5, 0.5));
        assert_eq!((sum.objective().link, sum.outward(1.0)), (Link::Logit, 1.0));
    }

    #[test]
    fn impossible_targets_are_refused() {
        let problem = problem();
        assert_eq!(
            Target::Objective(2).resolve(&problem),
            Err(Error::UnknownObjective { got: 2, n_objectives: 2 })
        );
        for weights in [vec![], vec![1.0], vec![1.0, -1.0], vec![0.0, 0.0], vec![f64::NAN, 1.0]] {
            let got = Target::Weights(weights.clone()).resolve(&problem);
            assert!(matches!(got, Err(Error::Weights { .. })), "{weights:?}");
        }
    }

    #[test]
    fn a_target_reads_as_it_is_written() {
        assert_eq!(serde_json::from_str::<Target>("1").unwrap(), Target::Objective(1));
        let weights = Target::Weights(vec![0.5, 0.5]);
        assert_eq!(serde_json::from_str::<Target>("[0.5, 0.5]").unwrap(), weights);
        assert_eq!(
            (Target::Objective(1).to_string(), weights.to_string()),
            ("objective 1".into(), "weights [0.5, 0.5]".into())
        );
    }
}
