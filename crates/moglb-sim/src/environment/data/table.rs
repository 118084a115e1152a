//! The table behind an environment on data: its rounds, independent of what is played.

use super::source::DataSource;
use super::world::World;
use crate::SimError;
use crate::environment::stage::{Measured, Stage};
use moglb::ArmId;
use moglb_data::Content;
use std::borrow::Cow;
use std::sync::Arc;

impl World {
    /// The raw measures of an arm in a round of the table.
    pub(super) fn measured(&self, round: usize, ArmId(arm): ArmId) -> Measured<'_> {
        let n_arms = self.data.arms.ids.len();
        let (position, row) = match &self.data.content {
            Content::Full(_) => (Some(arm), Some(round * n_arms + arm)),
            Content::Arms(_) => (Some(arm), Some(arm)),
            // A log has measures of the logged arm only.
            Content::Logged(_) => (Some(arm), None),
            Content::Candidates(all) => (None, Some(all.starts[round] + arm)),
        };
        Measured { arm: position, measures: row.map_or(&[][..], |row| self.data.measures.row(row)) }
    }
}

/// A view of the rounds of a table that count.
#[derive(Debug)]
pub(crate) struct DataTable {
    world: Arc<World>,
    objectives: Vec<String>,
}

impl DataTable {
    /// Reads the table of a source.
    pub fn of(source: &DataSource) -> Result<Self, SimError> {
        let world = source.world()?;
        let objectives = world.problem.objectives().iter().map(|objective| objective.name.clone()).collect();
        Ok(Self { world, objectives })
    }

    /// The names of the columns of the objectives.
    pub fn objectives(&self) -> &[String] {
        &self.objectives
    }

    /// The names of the columns of the raw measures; empty for a log, which has none for arms that were not
    /// played.
    pub fn measures(&self) -> &[String] {
        match self.world.data.content {
            Content::Logged(_) => &[],
            _ => &self.world.data.measures.names,
        }
    }

    /// The names of the arms; empty if every round has its own arms.
    pub fn arms(&self) -> &[String] {
        match self.world.data.content {
            Content::Candidates(_) => &[],
            _ => &self.world.data.arms.names,
        }
    }

    /// The rounds that count, by their positions in the table.
    pub fn rounds(&self) -> impl Iterator<Item = usize> + '_ {
        self.world.splits.iter().flatten().copied()
    }

    /// The arms of a round with their true means.
    pub fn stage(&self, round: usize) -> Result<Cow<'_, Stage>, SimError> {
        match self.only_stage()? {
            Some(stage) => Ok(Cow::Borrowed(stage)),
            None => self.world.stage(round).map(Cow::Owned),
        }
    }

    /// The only stage, if the arms and their means are the same in all rounds.
    pub fn only_stage(&self) -> Result<Option<&Stage>, SimError> {
        self.world.n_rounds().is_none().then(|| self.world.fixed_stage()).transpose()
    }

    /// The raw measures of an arm in a round.
    pub fn measured(&self, round: usize, arm: ArmId) -> Measured<'_> {
        self.world.measured(round, arm)
    }
}
