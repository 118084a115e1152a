//! The interface of an environment: the arms of each round with their true means, and the law of the
//! rewards.

use super::rewards::reward;
use crate::{Arrival, SimError};
use moglb::{ArmId, ArmSet, Front, Link, Matrix, Objective, Problem};
use std::borrow::Cow;
use std::sync::Arc;

/// The arms of a round with the truth about them. Policies receive the arms only.
///
/// Example: [`play`].
///
/// [`play`]: crate::play()
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The arms on offer.
    pub arms: Arc<ArmSet<'static>>,
    /// The expected reward of each arm (rows) in each objective (columns), larger is better.
    pub means: Matrix,
    /// The true Pareto front O*.
    pub front: Front,
    /// The Pareto suboptimality gap of each arm.
    pub gaps: Vec<f64>,
}

/// The data about an arm in a round, in addition to its means.
///
/// Example: [`play`].
///
/// [`play`]: crate::play()
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured<'a> {
    /// The position of the arm in the table of arms, if the arms stay.
    pub arm: Option<usize>,
    /// The raw measures, in the order of their columns. Empty if the data has none, or none for arms that
    /// were not played.
    pub measures: &'a [f64],
}

/// One instance of a problem to play on.
///
/// Example: [`play`].
///
/// [`play`]: crate::play()
pub trait Environment: Send + Sync {
    /// The problem that policies receive.
    fn problem(&self) -> &Problem;

    /// The arms of round `t` (from 1), with the truth. They are the same for every policy and do not depend
    /// on what was played before.
    ///
    /// # Errors
    ///
    /// [`SimError`] if the round cannot be made, such as [`SimError::FrontTooLarge`].
    fn stage(&self, t: u64) -> Result<Cow<'_, Stage>, SimError>;

    /// Returns true if the arms stay the same for the whole run.
    fn has_fixed_arms(&self) -> bool;

    /// Returns true if the means change from round to round while the arms stay.
    fn drifts(&self) -> bool {
        false
    }

    /// The law of the rewards around their means.
    fn reward_law(&self) -> RewardLaw {
        RewardLaw::Link
    }

    /// The number of practice rounds before the first round that counts. In them any arm is drawn with
    /// equal probability, and the policy learns from its reward.
    fn practice(&self) -> u64 {
        0
    }

    /// The data about an arm in round `t`, in addition to its means; `None` if the environment is not data.
    fn measured(&self, _t: u64, _arm: ArmId) -> Option<Measured<'_>> {
        None
    }

    /// The delays and losses of rewards; `None` if rewards come at once and whole.
    fn arrival(&self) -> Option<&Arrival> {
        None
    }
}

/// The law of the rewards around their means.
///
/// Example: [`play`].
///
/// [`play`]: crate::play()
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RewardLaw {
    /// The law of the link of each objective, see [`reward`].
    Link,
    /// The reward is its mean, which for replayed data is the reward in the data.
    Exact,
    /// Normal noise for objectives with an identity link, cut off at five standard deviations so that
    /// rewards have a range; the law of the link for all other objectives.
    Normal {
        /// The standard deviation.
        deviation: f64,
    },
}

/// Normal noise is cut off this many standard deviations from the mean, on both sides.
pub(super) const MOST_DEVIATIONS: f64 = 5.0;

impl RewardLaw {
    /// Draws a reward of mean μ from one uniform number u.
    pub(super) fn draw(self, objective: &Objective, mean: f64, u: f64) -> f64 {
        match self {
            RewardLaw::Exact => mean,
            RewardLaw::Normal { deviation } if objective.link == Link::Identity => {
                // The number 0 has no quantile; the noise is cut off there in any case.
                let quantile = Link::Probit.inverse(u).unwrap_or(-MOST_DEVIATIONS);
                mean + deviation * quantile.clamp(-MOST_DEVIATIONS, MOST_DEVIATIONS)
            }
            _ => reward(objective.link, objective.rewards(), mean, u),
        }
    }
}
