//! Instances of an environment on data: each trial plays the rounds of the data in a random order.

use super::config::Rewards;
use super::source::DataSource;
use super::world::World;
use crate::environment::stage::{Environment, Measured, RewardLaw, Stage};
use crate::{SimError, Streams};
use moglb::{ArmId, Problem, draw};
use std::borrow::Cow;
use std::sync::Arc;

/// One instance of an environment on data, with its own order of the rounds.
///
/// Example: [`DataConfig`].
///
/// [`DataConfig`]: crate::DataConfig
#[derive(Debug)]
pub struct DataWorld {
    world: Arc<World>,
    rounds: Rounds,
}

/// The rule that chooses the round of the data for a round of play.
#[derive(Debug)]
enum Rounds {
    /// The data has a single round: its arms and their means stay the same.
    Fixed,
    /// Each round once, in this order.
    Order(Vec<usize>),
    /// Any round, drawn with replacement.
    Drawn(Streams),
}

impl DataWorld {
    /// Makes the instance of a trial.
    ///
    /// # Errors
    ///
    /// [`SimError::Data`] for data that cannot be read; [`SimError::Entry`] for parameters that do not fit
    /// the data.
    pub fn new(source: &DataSource, streams: Streams) -> Result<Self, SimError> {
        let world = source.world()?;
        let rounds = match world.n_rounds() {
            None => Rounds::Fixed,
            Some(_) if source.config().rewards == Rewards::Fitted => Rounds::Drawn(streams),
            Some(_) => Rounds::Order(order(world.practice.iter().chain(&world.splits), streams)),
        };
        Ok(Self { world, rounds })
    }

    /// The position in the data of the round that is played in round `t`.
    fn round(&self, t: u64) -> Result<usize, SimError> {
        match &self.rounds {
            Rounds::Fixed => Ok(0),
            Rounds::Order(order) => {
                usize::try_from(t - 1).ok().and_then(|k| order.get(k).copied()).ok_or_else(|| {
                    let practice = self.practice();
                    SimError::RoundsUsedUp { available: order.len() as u64 - practice, asked: t - practice }
                })
            }
            Rounds::Drawn(streams) => {
                let mut rng = streams.instance();
                rng.set_stream(t);
                let splits = &self.world.splits;
                let n = splits.iter().map(Vec::len).sum();
                let mut k = draw::below(n, &mut rng);
                let split = splits.iter().find(|split| {
                    let inside = k < split.len();
                    k -= if inside { 0 } else { split.len() };
                    inside
                });
                Ok(split.expect("k is below the sum")[k])
            }
        }
    }
}

/// The rounds of each split in a random order, split after split.
pub(super) fn order<'a>(splits: impl Iterator<Item = &'a Vec<usize>>, streams: Streams) -> Vec<usize> {
    let mut rng = streams.instance();
    let mut order = Vec::new();
    for split in splits {
        let mut rounds = split.clone();
        for k in (1..rounds.len()).rev() {
            rounds.swap(k, draw::below(k + 1, &mut rng));
        }
        order.extend(rounds);
    }
    order
}

impl Environment for DataWorld {
    fn problem(&self) -> &Problem {
        &self.world.problem
    }

    fn stage(&self, t: u64) -> Result<Cow<'_, Stage>, SimError> {
        match self.rounds {
            Rounds::Fixed => self.world.fixed_stage().map(Cow::Borrowed),
            _ => self.world.stage(self.round(t)?).map(Cow::Owned),
        }
    }

    fn has_fixed_arms(&self) -> bool {
        matches!(self.rounds, Rounds::Fixed)
    }

    fn reward_law(&self) -> RewardLaw {
        self.world.law
    }

    fn practice(&self) -> u64 {
        self.world.practice_rounds()
    }

    fn measured(&self, t: u64, arm: ArmId) -> Option<Measured<'_>> {
        // A round that the data does not have has no stage either.
        self.round(t).ok().map(|round| self.world.measured(round, arm))
    }
}
