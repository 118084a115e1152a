//! Scalarizations: functions that turn reward vectors into one number, for one weight vector or a set of them
//! (Drugan and Nowé 2013).

use moglb_core::arm_stats::ArmStats;
use moglb_core::saved::{damaged, fits};
use moglb_core::scalarization::spread_size;
use moglb_core::target::on_the_simplex;
use moglb_core::{Kind, Parameter, Problem, Scalarization};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The largest number of weight vectors of a set.
const MOST_FUNCTIONS: usize = 10_000;

/// The parameter `weights` of S-UCB. This parameter and the next four have the same meaning as in S-TS.
pub(crate) const WEIGHTS: Parameter = Parameter {
    name: "weights",
    kind: Kind::Numbers,
    default: "equal",
    meaning: "one nonnegative number per objective, scaled to sum one",
};

/// The parameter `weight_set`.
pub(crate) const WEIGHT_SET: Parameter = Parameter {
    name: "weight_set",
    kind: Kind::Table,
    default: "none",
    meaning: "several weight vectors instead of one; in each round one of them is drawn uniformly and used",
};

/// The parameter `spread`.
pub(crate) const SPREAD: Parameter = Parameter {
    name: "spread",
    kind: Kind::Count,
    default: "none",
    meaning: "h: the set of all weight vectors whose entries are multiples of 1/h",
};

/// The parameter `scalarization`.
pub(crate) const SCALARIZATION: Parameter = Parameter {
    name: "scalarization",
    kind: Kind::Word,
    default: "linear",
    meaning: "linear, Σ wᵢyᵢ; or chebyshev, the least wᵢ(yᵢ − zᵢ)",
};

/// The parameter `reference`.
pub(crate) const REFERENCE: Parameter = Parameter {
    name: "reference",
    kind: Kind::Numbers,
    default: "the worst of each range",
    meaning: "the reference point z of chebyshev, a reward for each objective",
};

/// The parameters that set the weight vectors of a policy. At most one of the three may be given; without
/// any, there is one vector of equal weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights<'a> {
    /// One weight vector.
    pub single: Option<&'a Vec<f64>>,
    /// A set of weight vectors.
    pub set: Option<&'a Vec<Vec<f64>>>,
    /// h: the set of all weight vectors whose entries are multiples of 1/h.
    pub spread: Option<usize>,
}

impl Weights<'_> {
    /// Returns the weight vectors, not yet scaled to sum one.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`].
    pub fn given(self, n_objectives: usize) -> Result<Vec<Vec<f64>>, Error> {
        match (self.single, self.set, self.spread) {
            (None, None, None) => Ok(vec![vec![1.0; n_objectives]]),
            (Some(single), None, None) => Ok(vec![single.clone()]),
            (None, Some(set), None) if set.is_empty() || set.len() > MOST_FUNCTIONS => {
                Err(Error::Parameters { what: "weight_set must hold 1 to 10000 weight vectors" })
            }
            (None, Some(set), None) => Ok(set.clone()),
            (None, None, Some(steps)) => lattice(steps, n_objectives),
            _ => Err(Error::Parameters { what: "only one of weights, weight_set and spread can be given" }),
        }
    }
}

/// Returns every weight vector whose entries are multiples of 1/h.
fn lattice(steps: usize, n_objectives: usize) -> Result<Vec<Vec<f64>>, Error> {
    let fine = steps > 0 && spread_size(n_objectives, steps, MOST_FUNCTIONS).is_some();
    let what = "spread must be at least 1 and make no more than 10000 weight vectors";
    fine.then(|| Scalarization::Linear.spread(n_objectives, steps)).ok_or(Error::Parameters { what })
}

/// A scalarization with its weights.
#[derive(Debug, Clone)]
pub struct Scalarizer {
    kind: Scalarization,
    /// On the simplex, so that a scalarized reward is in [0, 1] and bonuses have the right scale.
    weights: Vec<f64>,
    /// z, mapped in the same way as the rewards.
    reference: Vec<f64>,
}

impl Scalarizer {
    /// Returns a scalarization for each weight vector. The reference point z is in the objectives' own units,
    /// and by default the worst of each range.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`], [`Error::RewardLength`], [`Error::NotFinite`] or [`Error::Weights`].
    pub fn all(
        problem: &Problem,
        kind: Scalarization,
        given: &[Vec<f64>],
        reference: Option<&Vec<f64>>,
    ) -> Result<Vec<Self>, Error> {
        let m = problem.n_objectives();
        let unit = |(objective, &z): (&moglb_core::Objective, &f64)| objective.unit_reward(z);
        let reference: Vec<f64> = match reference {
            None => vec![0.0; m],
            Some(_) if kind.is_linear() => {
                return Err(Error::Parameters {
                    what: "a reference belongs to scalarization = \"chebyshev\"",
                });
            }
            Some(given) if given.len() != m => {
                return Err(Error::RewardLength { expected: m, got: given.len() });
            }
            Some(given) => problem.objectives().iter().zip(given).map(unit).collect(),
        };
        moglb_math::matrix::check_finite("reference", &reference)?;
        let one = |given: &Vec<f64>| {
            Ok(Self { kind, weights: on_the_simplex(given, m)?, reference: reference.clone() })
        };
        given.iter().map(one).collect()
    }

    /// Returns the scalarized mean. The mean vector is given as sums and their count.
    pub(crate) fn scalarize(&self, sums: &[f64], count: f64) -> f64 {
        let parts = self.weights.iter().zip(sums);
        match self.kind {
            Scalarization::Linear => parts.map(|(w, sum)| w * sum / count).sum(),
            Scalarization::Chebyshev => {
                let above = parts.zip(&self.reference).map(|((w, sum), z)| w * (sum / count - z));
                above.fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// Returns the weights, which add up to one.
    #[cfg(test)]
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }
}

/// A scalarization with its own counts and reward sums of each arm.
#[derive(Debug, Clone)]
pub struct Function {
    scalarizer: Scalarizer,
    stats: ArmStats,
    /// The scalarized mean of each arm. It is not part of the learned state: it follows from the statistics.
    means: Vec<f64>,
}

impl Function {
    /// Returns a function for each scalarization, before its first reward.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn all(
        problem: &Problem,
        policy: &'static str,
        scalarizers: Vec<Scalarizer>,
    ) -> Result<Vec<Self>, Error> {
        let stats = ArmStats::new(problem, policy)?;
        let numbers = scalarizers.len().saturating_mul(problem.n_objectives() + 2);
        moglb_math::memory::check_memory(stats.n_arms(), numbers)?;
        let function = |scalarizer: Scalarizer| {
            let mut function = Self { scalarizer, stats: stats.clone(), means: Vec::new() };
            function.set_stats(stats.clone());
            function
        };
        Ok(scalarizers.into_iter().map(function).collect())
    }

    /// Returns the counts and reward sums of each arm.
    pub fn stats(&self) -> &ArmStats {
        &self.stats
    }

    /// Returns the scalarized mean of each arm.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    #[cfg(test)]
    pub(crate) fn weights(&self) -> &[f64] {
        self.scalarizer.weights()
    }

    /// Replaces the statistics. The new ones were checked.
    pub(crate) fn set_stats(&mut self, stats: ArmStats) {
        self.stats = stats;
        self.means = (0..self.stats.n_arms()).map(|arm| self.mean(arm)).collect();
    }

    /// Adds a reward. The caller has checked it.
    pub fn add(&mut self, arm: moglb_core::Arm<'_>, reward: &[f64], problem: &Problem) {
        self.stats.add(arm, reward, problem.objectives());
        self.means[arm.id().0] = self.mean(arm.id().0);
    }

    /// Returns the scalarized mean of an arm; before its first play, that of zero sums.
    fn mean(&self, arm: usize) -> f64 {
        self.scalarizer.scalarize(self.stats.sums(arm), self.stats.count(arm).max(1) as f64)
    }
}

/// The learned state of a set of scalarizations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScalarizedState {
    /// The statistics of all rewards.
    pub all: ArmStats,
    /// The statistics of the rewards that each function has learned.
    pub(crate) functions: Vec<ArmStats>,
}

fits!(ScalarizedState, |state, problem| {
    state.all.fits(problem) && state.functions.iter().all(|stats| stats.fits(problem))
});

impl ScalarizedState {
    /// Refuses statistics that cannot result from any sequence of plays.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`].
    pub fn check(&self, functions: &[Function]) -> Result<(), Error> {
        if self.functions.len() != functions.len() {
            return Err(damaged(&"the state has another number of scalarizations"));
        }
        self.all.check_like(&functions[0].stats)?;
        for stats in &self.functions {
            stats.check_like(&functions[0].stats)?;
            if stats.counts().iter().zip(self.all.counts()).any(|(part, all)| part > all) {
                return Err(damaged(&"a scalarization was given more rewards than there were"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_a_lattice_on_the_simplex() {
        assert_eq!(lattice(2, 2).unwrap(), [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]);
        assert_eq!(lattice(4, 1).unwrap(), [[1.0]]);
        // C(6 + 3 − 1, 3 − 1) = 28.
        let rows = lattice(6, 3).unwrap();
        assert_eq!(rows.len(), 28);
        assert!(rows.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-15));
        assert!(rows.iter().rev().is_sorted());
        for (steps, m) in [(0, 2), (10_000, 2), (100, 5), (usize::MAX, 3)] {
            assert!(matches!(lattice(steps, m), Err(Error::Parameters { .. })), "{steps}");
        }
    }
}
