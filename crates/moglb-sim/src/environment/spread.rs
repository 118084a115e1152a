//! Arms without a model, with given means. They are for finding the front, where the distances between arms
//! matter.
//!
//! The context of the k-th arm is the k-th unit vector, so that d = K and every table of means is linear in
//! the contexts. By default half of the arms lie evenly on a quarter of a circle, and each other arm lies
//! below one of them by the gap, in both objectives.

use super::stage::{Environment, Stage};
use crate::SimError;
use libm::{cos, sin};
use moglb::{ArmSet, EchoNumber, Link, Matrix, Norms, Objective, Problem, front, gaps};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

/// The parameters of arms without a model.
///
/// Example: [`Identification`].
///
/// [`Identification`]: crate::Identification
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpreadConfig {
    /// The number of arms K, which is also the number of features.
    pub dim: usize,
    /// The distance of every arm off the front below its dominator, in both objectives. Above 0 and at most
    /// 0.25.
    #[serde(default = "default_gap")]
    pub gap: f64,
    /// The side to which the front bulges.
    #[serde(default)]
    pub bulge: Bulge,
    /// The mean of each arm (rows) in each objective (columns), each between 0 and 1. They replace gap and
    /// bulge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub means: Option<Vec<Vec<f64>>>,
}

/// The side to which a front bulges.
///
/// Example: [`Identification`].
///
/// [`Identification`]: crate::Identification
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bulge {
    /// Away from the origin: every arm of the front is best for some weighted sum of the objectives.
    #[default]
    Out,
    /// Towards the origin: only the two ends of the front are best for a weighted sum.
    In,
}

/// The gap unless one is given.
fn default_gap() -> f64 {
    0.1
}

/// The largest number of arms. The contexts are a square table; with more arms it takes longer to check
/// than to play.
const MOST_SPREAD_ARMS: usize = 2000;

impl SpreadConfig {
    /// Arms on a front that bulges out, and as many below it by 0.1.
    pub fn new(dim: usize) -> Self {
        Self { dim, gap: default_gap(), bulge: Bulge::default(), means: None }
    }

    /// The problem that policies receive: all links are the identity, all rewards between 0 and 1.
    pub(crate) fn problem(&self) -> Result<Problem, SimError> {
        self.check()?;
        let m = self.means.as_ref().map_or(2, |rows| rows[0].len());
        let objective = |i: usize| Objective::new(format!("y{}", i + 1), Link::Identity).range(0.0, 1.0);
        let problem = Problem::new(self.dim, (0..m).map(objective).collect())?;
        // A column of K means between 0 and 1 is at most √K long.
        Ok(problem.with_radius((self.dim as f64).sqrt())?.with_arms(self.dim)?)
    }

    /// Checks the number of arms, the gap and the means.
    fn check(&self) -> Result<(), SimError> {
        let entry = |entry: &str, reason: String| Err(SimError::Entry { entry: entry.into(), reason });
        if self.dim == 0 || self.dim > MOST_SPREAD_ARMS {
            let (least, most, got) = (1, MOST_SPREAD_ARMS as u64, self.dim as u64);
            return Err(SimError::Bounds { name: "dim", least, most, got });
        }
        let Some(rows) = &self.means else {
            return match self.gap > 0.0 && self.gap <= 0.25 {
                true => Ok(()),
                false => {
                    entry("gap", format!("must lie above 0 and up to 0.25, got {}", EchoNumber(self.gap)))
                }
            };
        };
        if rows.len() != self.dim || rows[0].is_empty() || rows.iter().any(|row| row.len() != rows[0].len()) {
            return entry(
                "means",
                format!("there must be {} rows of one length, one for each arm", self.dim),
            );
        }
        match rows.iter().flatten().find(|mean| !(0.0..=1.0).contains(*mean)) {
            Some(mean) => entry("means", format!("must lie between 0 and 1, got {}", EchoNumber(*mean))),
            None => Ok(()),
        }
    }

    /// The means of the arms: those given, or those of the default front and of the arms below it.
    fn rows(&self) -> Vec<Vec<f64>> {
        if let Some(rows) = &self.means {
            return rows.clone();
        }
        let on_front = self.dim.div_ceil(2);
        let point = |arm: usize| -> Vec<f64> {
            let angle = (arm as f64 + 0.5) / on_front as f64 * FRAC_PI_2;
            [cos(angle), sin(angle)]
                .map(|x| match self.bulge {
                    Bulge::Out => 0.25 + 0.65 * x,
                    Bulge::In => 0.9 - 0.65 * x,
                })
                .to_vec()
        };
        let below = |arm: usize| point(arm).into_iter().map(|mean| mean - self.gap).collect();
        (0..on_front).map(point).chain((0..self.dim - on_front).map(below)).collect()
    }
}

/// An instance of arms without a model. It is the same in every trial; only the rewards differ.
///
/// Example: [`Identification`].
///
/// [`Identification`]: crate::Identification
#[derive(Debug, Clone)]
pub struct Spread {
    problem: Problem,
    stage: Stage,
}

impl Spread {
    /// Makes the arms and their means.
    ///
    /// # Errors
    ///
    /// [`SimError::Bounds`] or [`SimError::Entry`] for parameters out of bounds.
    pub fn new(config: &SpreadConfig) -> Result<Self, SimError> {
        let (problem, n) = (config.problem()?, config.dim);
        let contexts = (0..n * n).map(|k| f64::from(u8::from(k / n == k % n))).collect();
        let arms = Arc::new(ArmSet::new(n, contexts, Norms::Strict)?);
        let means = Matrix::from_rows(&config.rows())?;
        let (front, gaps) = (front(&means)?, gaps(&means)?);
        Ok(Self { problem, stage: Stage { arms, means, front, gaps } })
    }
}

impl Environment for Spread {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn stage(&self, _t: u64) -> Result<Cow<'_, Stage>, SimError> {
        Ok(Cow::Borrowed(&self.stage))
    }

    fn has_fixed_arms(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_arms_are_on_the_front_and_the_others_below_by_the_gap() {
        for bulge in [Bulge::Out, Bulge::In] {
            for dim in [1, 2, 7, 20] {
                let world =
                    Spread::new(&SpreadConfig { bulge, gap: 0.07, ..SpreadConfig::new(dim) }).unwrap();
                let stage = world.stage(1).unwrap();
                let on_front = dim.div_ceil(2);
                assert_eq!(
                    stage.front.iter().map(|arm| arm.0).collect::<Vec<_>>(),
                    (0..on_front).collect::<Vec<_>>()
                );
                assert!(
                    stage.gaps[on_front..].iter().all(|gap| (gap - 0.07).abs() < 1e-12),
                    "{:?}",
                    stage.gaps
                );
                assert!(stage.means.as_slice().iter().all(|mean| (0.0..=1.0).contains(mean)));
            }
        }
    }

    #[test]
    fn means_that_make_no_environment_are_refused() {
        let with = |means: Vec<Vec<f64>>| SpreadConfig { means: Some(means), ..SpreadConfig::new(2) };
        assert!(with(vec![vec![0.1, 0.2, 0.3], vec![0.2, 0.1, 0.0]]).problem().is_ok());
        for means in [
            vec![],
            vec![vec![0.1]],
            vec![vec![0.1], vec![0.1, 0.2]],
            vec![vec![], vec![]],
            vec![vec![0.1], vec![1.1]],
            vec![vec![0.1], vec![f64::NAN]],
        ] {
            assert!(matches!(with(means.clone()).problem(), Err(SimError::Entry { .. })), "{means:?}");
        }
        for gap in [0.0, -0.1, 0.3, f64::NAN] {
            assert!(SpreadConfig { gap, ..SpreadConfig::new(4) }.problem().is_err(), "{gap}");
        }
        for dim in [0, 2001, usize::MAX] {
            assert!(matches!(SpreadConfig::new(dim).problem(), Err(SimError::Bounds { .. })), "{dim}");
        }
    }
}
