//! Preferences: which arm of the front to play. A preference can be a different one for every
//! decision.
//!
//! The paper draws uniformly from the front O_t. Its regret bound does not need that: in the proof
//! of Theorem 2, the gap of any arm of O_t is at most 2L times its width, however the arm is chosen
//! from O_t. So learning and preference are separate. A [`Preference`] gives every arm of the front
//! a probability. A [`Play`] mixes these probabilities with a floor and a baseline, and draws.
//! Neither changes what a policy has learned.

pub mod best;
pub mod build;
pub mod chebyshev;
pub mod config;
pub mod constraints;
mod display;
pub mod hypervolume;
mod knee;
mod least_exposed;
pub mod lexicographic;
pub mod list;
mod mix;
mod objective_id;
mod objective_subset;
mod outlook;
pub mod own;
pub mod play;
pub mod played;
pub mod uniform;
pub mod view;
mod weighing;
pub mod weights;

pub use config::{Baseline, Floor, Over, PlayConfig, PreferenceConfig, Share};
pub use hypervolume::Choose;
pub use list::List;
pub use objective_id::ObjectiveId;
pub use play::{Outcome, Play};
pub use played::Preferring;
pub use view::{Belief, View};
pub use weighing::Preference;
use weighing::{best_by, share};

#[cfg(test)]
mod testing;
