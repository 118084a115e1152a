//! Multi-objective generalized linear bandits: policies that decide among arms and learn from reward vectors.
//!
//! This crate is the facade of the workspace. It re-exports the public names of the five library crates
//! below, so that users write `moglb::…` for everything, and adds what needs all policies at once.
//!
//! | crate | purpose | names |
//! |---|---|---|
//! | [`moglb_math`] | matrices, Gram matrix, draws, errors | [`Matrix`], [`Gram`], [`draw`], [`Error`] |
//! | [`moglb_pareto`] | exact Pareto fronts, gaps, indicators | [`ArmId`], [`Front`], [`gaps()`] |
//! | [`moglb_core`] | links, arms, MOGLB-UCB, MOGLB-EB | [`Problem`], [`ArmSet`], [`Policy`], [`MoglbUcb`] |
//! | [`moglb_rivals`] | the policies of the literature | [`PUcb`], [`SUcb`], [`LinUcb`], [`Pcz`], [`Exp3`] |
//! | [`moglb_identify`] | pure exploration: finding the front | [`Identifier`], [`Auer`], [`Goal`] |
//! | `moglb`, this crate | any policy by its id, snapshots | [`PolicyConfig`], [`PolicySnapshot`] |
//! | | windows and restarts around a policy | [`Window`], [`Restart`] |
//! | | certified fronts, features of raw rows | [`Certificate`], [`FairMoglbUcb`], [`Features`] |
//! | | alarms when an assumption fails | [`Monitor`], [`Watched`] |
//!
//! Other libraries of the workspace, whose names are not re-exported here:
//!
//! | crate | purpose | names |
//! |---|---|---|
//! | `moglb-data` | real data, maximum likelihood fits | `load`, `check`, `fit`, `Dataset` |
//! | `moglb-evaluate` | off-policy evaluation from logs | `evaluate`, `Log`, `Target`, `Evaluation` |
//! | `moglb-sim` | environments, play loop, experiments | `run`, `Plan`, `Environment`, `Summary` |
//! | `moglb-files` | files written whole or not at all | `write`, `FileSet` |
//! | `moglb-figure` | charts as SVG and PNG | `Plot`, `draw`, `to_png` |
//!
//! The mathematics is that of *Multi-Objective Generalized Linear Bandits* (Lu, Wang, Hu, Zhang, IJCAI 2019):
//! links, the Gram matrix, online Newton estimates, confidence widths and the Pareto front. No function reads
//! a clock, a file or an unseeded generator: equal inputs and seeds give equal bits.
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
//!     let reward = [f64::from(decision.arm.0 == 1), 0.3]; // the observed rewards
//!     policy.learn(arms.arm(decision.arm), &reward)?;
//! }
//! let decision = policy.decide(&arms, &mut rng)?;
//! assert!((decision.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
//! assert!(decision.front.contains(decision.arm));
//! # Ok::<(), moglb::Error>(())
//! ```
//!
//! `docs/notation.md` maps the paper's symbols to the names used here.

mod certificate;
mod drift;
mod fair_moglb_ucb;
mod features;
mod monitor;
mod policy_state;
mod registry;
mod snapshot;

pub use certificate::{
    CERTIFICATE_FORMAT, Certificate, CertificateConfig, CertificateSnapshot, CertificateState, Source, Status,
};
pub use features::{
    FEATURES_FORMAT, Features, FeaturesConfig, Layout, Mapped, Named, NamedValue, Overlong, RawRow, Step,
};
pub use moglb_core::{
    Arm, ArmSet, Baseline, Belief, Choose, CustomLink, Decision, Delivery, Direction, EkfUcbState, Facts,
    Fisher, Floor, FrontPath, Kappa, Kind, Learned, LearnsBy, Ledger, LedgerState, Link, LinkConstants,
    LinkFunction, List, Model, MoglbEbState, MoglbUcbPartsState, MoglbUcbState, Norms, Objective,
    ObjectiveId, Outcome, Over, Parameter, Play, PlayConfig, Policy, PolicyInfo, Preference,
    PreferenceConfig, Preferring, Prior, Problem, ProblemConfig, Saved, Scalarization, Scale, Share, Storage,
    Target, View, Width, conformance,
};
pub use moglb_identify::{
    Auer, AuerConfig, AuerCover, AuerCoverConfig, BestArmRule, Gege, GegeBudget, GegeBudgetConfig,
    GegeConfig, Goal, IDENTIFIERS, Identifier, IdentifierConfig, IdentifierInfo, Scalarized,
    ScalarizedConfig, UniformConfig,
};
pub use moglb_math::{
    Csr, Echo, EchoLine, EchoList, EchoMessage, EchoNumber, EchoNumbers, Error, Gram, Matrix, Numbers, Rows,
    SparseRow, check_memory, draw, memory_limit, project, set_memory_limit, stay_on_one_core,
};
pub use moglb_pareto::{
    ArmId, Front, FrontFilter, dominates, effective_front, epsilon_indicator, front, front_points, gaps,
    hypervolume, jaccard, precision, recall,
};
pub use moglb_rivals::{
    Ball, BallState, IntervalDecision, PczInterval, PczIntervalConfig, PczState, Rewards,
};
pub use monitor::{
    Alarm, AlarmCode, CalibrationHealth, ContextHealth, CoverageHealth, DriftHealth, ExposureHealth,
    FrontHealth, Health, MONITOR_FORMAT, Monitor, MonitorConfig, MonitorSnapshot, ObjectiveHealth,
    Prediction, RadiusHealth, Reliability, RewardHealth, Severity, Watched,
};
pub use policy_state::PolicyState;
pub use rand_core::Rng;
pub use registry::all::*;
pub use registry::{POLICIES, PolicyConfig, PolicySnapshot, Restorable, SNAPSHOT_FORMAT, all as policies};

/// Runs the example of the README as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Runs the walk-through of CONTRIBUTING.md as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
