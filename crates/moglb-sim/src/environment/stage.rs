//! What an environment is: arms with the truth about them in each round, and the law of rewards.

use super::rewards::reward;
use crate::{Arrival, SimError};
use moglb::{ArmId, ArmSet, Front, Link, Matrix, Objective, Problem};
use std::borrow::Cow;
use std::sync::Arc;

/// A round's arms with the truth about them. Policies see the arms only.
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

/// What data says of an arm of a round beside its means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured<'a> {
    /// The place of the arm in the table of arms, where arms stay.
    pub arm: Option<usize>,
    /// The raw measures, in the order of their columns; empty where there are none, or none of arms that were not played.
    pub measures: &'a [f64],
}

/// One instance of a problem to play on.
pub trait Environment: Send + Sync {
    /// What policies may know.
    fn problem(&self) -> &Problem;

    /// The arms of round t (from 1), with the truth. The same for every policy, whatever was played before.
    ///
    /// # Errors
    ///
    /// When the round cannot be made, such as [`SimError::FrontTooLarge`].
    fn stage(&self, t: u64) -> Result<Cow<'_, Stage>, SimError>;

    /// Whether the arms stay the same for the whole run.
    fn has_fixed_arms(&self) -> bool;

    /// Whether what the arms are worth changes from round to round, though they stay.
    fn drifts(&self) -> bool {
        false
    }

    /// How rewards fall around their means.
    fn reward_law(&self) -> RewardLaw {
        RewardLaw::Link
    }

    /// How many rounds come before the first that counts: any arm is drawn in them, evenly, and learned from.
    fn practice(&self) -> u64 {
        0
    }

    /// What data says of an arm of round t beside its means; nothing where the environment is not data.
    fn measured(&self, _t: u64, _arm: ArmId) -> Option<Measured<'_>> {
        None
    }

    /// How rewards come back; at once and whole where there is nothing to say.
    fn arrival(&self) -> Option<&Arrival> {
        None
    }
}

/// How rewards fall around their means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RewardLaw {
    /// As the link of each objective has it, see [`reward`].
    Link,
    /// They are their means: what was seen is seen again.
    Exact,
    /// Normal for objectives with an identity link, cut off at five deviations so that rewards have a range; otherwise by the link.
    Normal {
        /// The standard deviation.
        deviation: f64,
    },
}

/// Normal noise goes this many deviations to both sides, and no further.
pub(super) const MOST_DEVIATIONS: f64 = 5.0;

impl RewardLaw {
    /// A reward of mean μ from one uniform number u.
    pub(super) fn draw(self, objective: &Objective, mean: f64, u: f64) -> f64 {
        match self {
            RewardLaw::Exact => mean,
            RewardLaw::Normal { deviation } if objective.link == Link::Identity => {
                // Of 0 there is no quantile; it is cut off in any case.
                let quantile = Link::Probit.inverse(u).unwrap_or(-MOST_DEVIATIONS);
                mean + deviation * quantile.clamp(-MOST_DEVIATIONS, MOST_DEVIATIONS)
            }
            _ => reward(objective.link, objective.rewards(), mean, u),
        }
    }
}
