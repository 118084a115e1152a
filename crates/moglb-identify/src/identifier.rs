//! The trait of identifiers, and their descriptions.

use super::goal::Goal;
use moglb_core::{Arm, Parameter};
use moglb_math::Error;
use moglb_pareto::{ArmId, Front};
use serde::Serialize;

/// A method that requests samples of arms until it knows the front well enough. It is a state machine: equal
/// rewards give equal requests and answers. Learning is all or nothing: after a refused reward the state is
/// unchanged.
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
pub trait Identifier: Send {
    /// The arm to sample next; none once the identifier has stopped.
    fn next_arm(&self) -> Option<ArmId>;

    /// Learns the reward vector of the requested arm.
    ///
    /// # Errors
    ///
    /// Returns an error if arm or reward do not fit the problem, or [`Error::NotAsked`] for another arm than
    /// [`Identifier::next_arm`].
    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error>;

    /// The front as far as it is known. Once the identifier has stopped, this is its answer; before, it
    /// contains all arms that are not ruled out.
    fn answer(&self) -> Front;

    /// The number of rewards learned.
    fn samples(&self) -> u64;

    /// The condition under which an answer is right.
    fn goal(&self) -> Goal;
}

/// The description of an identifier, for `moglb policies` and for the reports.
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct IdentifierInfo {
    /// The id, as in configurations.
    pub id: &'static str,
    /// The name, as in papers.
    pub name: &'static str,
    /// The publication that it comes from.
    pub source: &'static str,
    /// The kind of problem that it is made for.
    pub setting: &'static str,
    /// The proved properties of its answer.
    pub guarantee: &'static str,
    /// The cost of its computations.
    pub cost: &'static str,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// The differences from its source.
    pub departures: &'static str,
}
