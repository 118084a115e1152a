//! What an identifier is.

use super::goal::Goal;
use moglb_core::{Arm, Parameter};
use moglb_math::Error;
use moglb_pareto::{ArmId, Front};
use serde::Serialize;

/// Asks for arms until it knows the front well enough. A state machine: the same rewards give the same questions and the
/// same answer. Learning is all or nothing: a refused reward leaves it as it was.
pub trait Identifier: Send {
    /// The arm to sample next; none once it has stopped.
    fn next_arm(&self) -> Option<ArmId>;

    /// Learns the reward vector of the arm that was asked for.
    ///
    /// # Errors
    ///
    /// When arm or reward do not fit the problem, or [`Error::NotAsked`] for another arm than [`Identifier::next_arm`].
    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error>;

    /// The front as far as it is known: once stopped the answer, before that all that is not ruled out.
    fn answer(&self) -> Front;

    /// How many rewards were learned.
    fn samples(&self) -> u64;

    /// What makes an answer right.
    fn goal(&self) -> Goal;
}

/// What is known about an identifier: for `moglb policies` and for the reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct IdentifierInfo {
    /// The id, as in configurations.
    pub id: &'static str,
    /// The name, as in papers.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What kind of problem it is made for.
    pub setting: &'static str,
    /// What is proved about its answer.
    pub guarantee: &'static str,
    /// The cost of computing.
    pub cost: &'static str,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// Where it departs from its source.
    pub departures: &'static str,
}
