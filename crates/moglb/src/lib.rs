//! Multi-objective generalized linear bandits.
//!
//! The mathematics of *Multi-Objective Generalized Linear Bandits* (Lu, Wang, Hu, Zhang, IJCAI 2019): links, the
//! Gram matrix, online Newton estimates, confidence widths, the Pareto front, and policies that decide and learn.
//! Nothing here reads a clock, a file or an unseeded generator: the same inputs and seed give the same bits.
//!
//! A policy decides among arms and learns from the vector of rewards:
//!
//! ```
//! use moglb::{draw, ArmSet, Link, MoglbUcb, MoglbUcbConfig, Objective, Policy, Problem, Width};
//!
//! let problem = Problem::new(2, vec![
//!     Objective::new("click", Link::Logit),
//!     Objective::new("cost", Link::Identity).minimize().range(0.0, 1.0),
//! ])?;
//! let config = MoglbUcbConfig { width: Width::Tuned { c: 0.01 }, ..Default::default() };
//! let mut policy = MoglbUcb::new(problem, config)?;
//!
//! let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7], [0.5, 0.5]])?;
//! let mut rng = draw::seeded(7);
//! for _ in 0..100 {
//!     let decision = policy.decide(&arms, &mut rng)?;
//!     let reward = [f64::from(decision.arm.0 == 1), 0.3]; // what the world answers
//!     policy.learn(arms.arm(decision.arm), &reward)?;
//! }
//! let decision = policy.decide(&arms, &mut rng)?;
//! assert!((decision.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
//! assert!(decision.front.contains(decision.arm));
//! # Ok::<(), moglb::Error>(())
//! ```
//!
//! `docs/notation.md` maps the paper's symbols to the names used here.

mod arms;
mod certificate;
pub mod conformance;
mod csr;
mod decision;
mod dense;
mod describe;
pub mod draw;
mod echo;
mod eigen;
mod error;
mod estimate;
mod features;
mod gram;
mod identify;
mod indicator;
mod kernel;
mod ledger;
mod link;
mod matrix;
mod memory;
mod monitor;
mod objective;
mod pareto;
mod policy;
mod preference;
mod prior;
mod problem;
mod projection;
mod registry;
mod saved;
mod scalarization;
mod scratch;
mod snapshot;
mod threads;
mod width;

pub use arms::{Arm, ArmId, ArmSet, Norms, Storage};
pub use certificate::{
    CERTIFICATE_FORMAT, Certificate, CertificateConfig, CertificateSnapshot, CertificateState, Source, Status,
};
pub use csr::{Csr, Numbers, SparseRow};
pub use decision::Decision;
pub use describe::{Kind, Parameter, PolicyInfo};
pub use echo::{Echo, EchoLine, EchoList, EchoMessage, EchoNumber, EchoNumbers};
pub use error::Error;
pub use features::{
    FEATURES_FORMAT, Features, FeaturesConfig, Layout, Mapped, Named, NamedValue, Overlong, RawRow, Step,
};
pub use gram::Gram;
pub use identify::auer::{Auer, AuerConfig, UniformConfig};
pub use identify::cover::{AuerCover, AuerCoverConfig};
pub use identify::gege::{Gege, GegeBudget, GegeBudgetConfig, GegeConfig};
pub use identify::scalarized::{BestArmRule, Scalarized, ScalarizedConfig};
pub use identify::{Goal, IDENTIFIERS, Identifier, IdentifierConfig, IdentifierInfo};
pub use indicator::{epsilon_indicator, front_points, hypervolume, jaccard, precision, recall};
pub use ledger::{Delivery, Ledger, LedgerState};
pub use link::{CustomLink, Fisher, Link, LinkConstants, LinkFunction};
pub use matrix::{Matrix, Rows};
pub use memory::{check_memory, memory_limit, set_memory_limit};
pub use monitor::{
    Alarm, AlarmCode, CalibrationHealth, ContextHealth, CoverageHealth, DriftHealth, ExposureHealth,
    FrontHealth, Health, MONITOR_FORMAT, Monitor, MonitorConfig, MonitorSnapshot, ObjectiveHealth,
    Prediction, RadiusHealth, Reliability, RewardHealth, Severity, Watched,
};
pub use objective::{Direction, Objective};
pub use pareto::{Front, FrontFilter, dominates, effective_front, front, gaps};
pub use policy::curved::state::EkfUcbState;
pub use policy::general::mo_ks::Rewards;
pub use policy::lipschitz::pcz::PczState;
pub use policy::lipschitz::{Ball, BallState, IntervalDecision, PczInterval, PczIntervalConfig};
pub use policy::moglb_eb::state::MoglbEbState;
pub use policy::moglb_ucb::Kappa;
pub use policy::moglb_ucb::snapshot::{MoglbUcbPartsState, MoglbUcbState};
pub use policy::scoring::path::FrontPath;
pub use policy::{Facts, LearnsBy, Model, Policy, Scale, Target};
pub use preference::{
    Baseline, Belief, Choose, Floor, List, ObjectiveId, Outcome, Over, Play, PlayConfig, Preference,
    PreferenceConfig, Preferring, Share, View,
};
pub use prior::Prior;
pub use problem::{Problem, ProblemConfig};
pub use projection::project;
pub use rand_core::Rng;
pub use registry::all::*;
pub use registry::{
    POLICIES, PolicyConfig, PolicySnapshot, PolicyState, Restorable, SNAPSHOT_FORMAT, all as policies,
};
pub use saved::{Learned, Saved};
pub use scalarization::Scalarization;
pub use threads::stay_on_one_core;
pub use width::Width;

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
