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

mod certificate;
mod drift;
mod fair_moglb_ucb;
mod features;
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
    Alarm, AlarmCode, Arm, ArmSet, Baseline, Belief, CalibrationHealth, Choose, ContextHealth,
    CoverageHealth, CustomLink, Decision, Delivery, Direction, DriftHealth, EkfUcbState, ExposureHealth,
    Facts, Fisher, Floor, FrontHealth, FrontPath, Health, Kappa, Kind, Learned, LearnsBy, Ledger,
    LedgerState, Link, LinkConstants, LinkFunction, List, MONITOR_FORMAT, Model, MoglbEbState,
    MoglbUcbPartsState, MoglbUcbState, Monitor, MonitorConfig, MonitorSnapshot, Norms, Objective,
    ObjectiveHealth, ObjectiveId, Outcome, Over, Parameter, Play, PlayConfig, Policy, PolicyInfo, Prediction,
    Preference, PreferenceConfig, Preferring, Prior, Problem, ProblemConfig, RadiusHealth, Reliability,
    RewardHealth, Saved, Scalarization, Scale, Severity, Share, Storage, Target, View, Watched, Width,
    conformance,
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
pub use policy_state::PolicyState;
pub use rand_core::Rng;
pub use registry::all::*;
pub use registry::{POLICIES, PolicyConfig, PolicySnapshot, Restorable, SNAPSHOT_FORMAT, all as policies};

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
