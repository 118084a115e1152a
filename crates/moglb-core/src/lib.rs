//! The paper: links, objectives, arms, estimates, confidence widths, MOGLB-UCB and the recommended policy
//! MOGLB-EB, the traits of a policy, preferences and the ledger.
//!
//! Users get these names from the crate `moglb`. Undocumented modules are shared by the crates of this
//! workspace and may change.

// The modules below are hidden in the documentation. They are read as source, where links to private items
// help.
#![allow(rustdoc::private_intra_doc_links)]

#[doc(hidden)]
pub mod arm_stats;
#[doc(hidden)]
pub mod arms;
pub mod conformance;
#[doc(hidden)]
pub mod decision;
#[doc(hidden)]
pub mod describe;
#[doc(hidden)]
pub mod discount;
#[doc(hidden)]
pub mod ekf_ucb;
#[doc(hidden)]
pub mod estimate;
#[doc(hidden)]
pub mod ledger;
#[doc(hidden)]
pub mod link;
#[doc(hidden)]
pub mod local_curvature;
#[doc(hidden)]
pub mod moglb_eb;
#[doc(hidden)]
pub mod moglb_ucb;
#[doc(hidden)]
pub mod objective;
#[doc(hidden)]
pub mod objective_change;
#[doc(hidden)]
pub mod policy;
#[doc(hidden)]
pub mod preference;
#[doc(hidden)]
pub mod prior;
#[doc(hidden)]
pub mod problem;
#[doc(hidden)]
pub mod saved;
#[doc(hidden)]
pub mod scalarization;
#[doc(hidden)]
pub mod scoring;
#[doc(hidden)]
pub mod scratch;
#[doc(hidden)]
pub mod target;
#[doc(hidden)]
pub mod width;

pub use arms::{Arm, ArmSet, Norms, Storage};
pub use decision::Decision;
pub use describe::{Kind, Parameter, PolicyInfo};
pub use ekf_ucb::{EkfUcb, EkfUcbConfig};
pub use ledger::{Delivery, Ledger, LedgerState};
pub use link::{CustomLink, Fisher, Link, LinkConstants, LinkFunction};
pub use local_curvature::state::EkfUcbState;
pub use moglb_eb::state::MoglbEbState;
pub use moglb_eb::{MoglbEb, MoglbEbConfig};
pub use moglb_ucb::snapshot::{MoglbUcbPartsState, MoglbUcbState};
pub use moglb_ucb::{Kappa, MoglbUcb, MoglbUcbConfig};
pub use objective::{Direction, Objective};
pub use policy::{Facts, LearnsBy, Model, Policy, Scale};
pub use preference::{
    Baseline, Belief, Choose, Floor, List, ObjectiveId, Outcome, Over, Play, PlayConfig, Preference,
    PreferenceConfig, Preferring, Share, View,
};
pub use prior::Prior;
pub use problem::{Problem, ProblemConfig};
pub use saved::{Learned, Saved};
pub use scalarization::Scalarization;
pub use scoring::path::FrontPath;
pub use target::Target;
pub use width::Width;
