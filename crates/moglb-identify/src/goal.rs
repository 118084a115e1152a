//! The conditions under which an answer is right. To check them, the true means must be known.

use super::gaps::excess;
use moglb_core::Scalarization;
use moglb_math::{Error, Matrix};
use moglb_pareto::{Front, front, gaps};

/// The promise of an identifier about its answer.
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
#[derive(Debug, Clone, PartialEq)]
pub enum Goal {
    /// The answer has every arm of the front, and no arm whose gap is above the accuracy; with accuracy zero,
    /// it is the front.
    Front {
        /// ε₀.
        accuracy: f64,
    },
    /// For every arm of the front the answer has an arm that it exceeds by at most ε₀ in every objective. The
    /// answer has no arm whose gap is above ε₀. Each arm of the answer exceeds each other one by at least
    /// ε₀/4 in some objective.
    Cover {
        /// ε₀.
        accuracy: f64,
    },
    /// For every weight vector the answer has an arm whose value is at most the accuracy below the best
    /// value.
    Best {
        /// The weight vectors, each on the simplex.
        weights: Vec<Vec<f64>>,
        /// The function that combines weights and means into a value.
        scalarization: Scalarization,
        /// ε₀, on the scale of values.
        accuracy: f64,
    },
}

impl Goal {
    /// True if an answer keeps the promise. The means are on the unit scale, with a row per arm.
    ///
    /// # Errors
    ///
    /// [`Error::NoPoints`], [`Error::NotFinite`], or [`Error::UnknownArm`] for an answer with an arm that has
    /// no means.
    pub fn is_met(&self, answer: &Front, means: &Matrix) -> Result<bool, Error> {
        let truth = front(means)?;
        let gaps = gaps(means)?;
        if let Some(arm) = answer.iter().find(|arm| arm.0 >= means.n_rows()) {
            return Err(Error::UnknownArm { arm: arm.0, n_arms: means.n_rows() });
        }
        let near = |accuracy: f64| answer.iter().all(|arm| gaps[arm.0] <= accuracy);
        let over = |i: moglb_pareto::ArmId, j: moglb_pareto::ArmId| excess(means.row(i.0), means.row(j.0));
        Ok(match self {
            Goal::Front { accuracy } => near(*accuracy) && truth.iter().all(|arm| answer.contains(arm)),
            Goal::Cover { accuracy } => {
                let covers = |i| answer.iter().any(|j| over(i, j) <= *accuracy);
                let sparse = |i| answer.iter().all(|j| i == j || over(i, j) >= 0.25 * accuracy);
                near(*accuracy) && truth.iter().all(covers) && answer.iter().all(sparse)
            }
            Goal::Best { weights, scalarization, accuracy } => weights.iter().all(|w| {
                let value = |arm: usize| scalarization.value(w, means.row(arm));
                let best = (0..means.n_rows()).map(value).fold(f64::NEG_INFINITY, f64::max);
                answer.iter().any(|arm| value(arm.0) >= best - accuracy)
            }),
        })
    }

    /// The accuracy ε₀.
    pub fn accuracy(&self) -> f64 {
        match self {
            Goal::Front { accuracy } | Goal::Cover { accuracy } | Goal::Best { accuracy, .. } => *accuracy,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_pareto::ArmId;

    fn set(arms: &[usize]) -> Front {
        arms.iter().map(|&arm| ArmId(arm)).collect()
    }

    #[test]
    fn each_goal_accepts_what_it_says_and_nothing_else() {
        // On the front: 0, 1, 2. Arms 1 and 2 are 0.04 apart; arm 3 is 0.1 below arm 0, arm 4 far below.
        let means =
            Matrix::from_rows(&[[0.9, 0.3], [0.5, 0.60], [0.46, 0.64], [0.8, 0.2], [0.1, 0.1]]).unwrap();
        let met = |goal: &Goal, arms: &[usize]| goal.is_met(&set(arms), &means).unwrap();
        let goal = Goal::Front { accuracy: 0.11 };
        assert!(met(&goal, &[0, 1, 2]) && met(&goal, &[0, 1, 2, 3]));
        assert!(!met(&goal, &[0, 1]) && !met(&goal, &[0, 1, 2, 4]));
        assert!(!met(&Goal::Front { accuracy: 0.0 }, &[0, 1, 2, 3]));
        let goal = Goal::Cover { accuracy: 0.2 };
        assert!(met(&goal, &[0, 1]) && met(&goal, &[0, 2]) && !met(&goal, &[1]));
        assert!(!met(&goal, &[0, 1, 2]), "1 and 2 are closer than 0.05");
        let best = |weights: Vec<Vec<f64>>| Goal::Best {
            weights,
            scalarization: Scalarization::Linear,
            accuracy: 0.05,
        };
        assert!(met(&best(vec![vec![1.0, 0.0]]), &[0]) && !met(&best(vec![vec![1.0, 0.0]]), &[1]));
        assert!(met(&best(vec![vec![0.0, 1.0]]), &[1]) && !met(&best(vec![vec![1.0, 0.0]]), &[3]));
        assert!(matches!(goal.is_met(&set(&[5]), &means), Err(Error::UnknownArm { arm: 5, .. })));
    }
}
