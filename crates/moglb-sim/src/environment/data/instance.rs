//! Instances: the data in an order of its own.

use super::config::Rewards;
use super::source::DataSource;
use super::world::World;
use crate::environment::stage::{Environment, Measured, RewardLaw, Stage};
use crate::{SimError, Streams};
use moglb::{ArmId, Problem, draw};
use std::borrow::Cow;
use std::sync::Arc;

/// One instance: the data in an order of its own.
#[derive(Debug)]
pub struct DataWorld {
    world: Arc<World>,
    rounds: Rounds,
}

/// Which round of the data is played in a round.
#[derive(Debug)]
enum Rounds {
    /// There is only one.
    Fixed,
    /// Each once, in this order.
    Order(Vec<usize>),
    /// Any, by a draw of its own.
    Drawn(Streams),
}

impl DataWorld {
    /// The instance of a trial.
    ///
    /// # Errors
    ///
    /// [`SimError::Data`] for data that cannot be read, [`SimError::Entry`] for parameters that do not go with it.
    pub fn new(source: &DataSource, streams: Streams) -> Result<Self, SimError> {
        let world = source.world()?;
        let rounds = match world.n_rounds() {
            None => Rounds::Fixed,
            Some(_) if source.config().rewards == Rewards::Fitted => Rounds::Drawn(streams),
            Some(_) => Rounds::Order(order(world.practice.iter().chain(&world.splits), streams)),
        };
        Ok(Self { world, rounds })
    }

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
        // A round that is not there has no stage to ask about either.
        self.round(t).ok().map(|round| self.world.measured(round, arm))
    }
}
