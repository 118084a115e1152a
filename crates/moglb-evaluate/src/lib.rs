//! Off-policy evaluation of reward vectors: the value of a policy in each objective, estimated from the log
//! of another policy.
//!
//! In round t the log has a context x, the arm a that was played, its propensity p and its reward vector r. A
//! [`Target`] gives every arm a probability π(a|x). [`evaluate`] estimates its value vector V = E[Σ_a π(a|x)
//! r(x, a)] by one [`Estimator`], with intervals for each objective, regions for all objectives together, and
//! evidence for and against the estimates ([`Overlap`]). Intervals and regions are for independent rounds, as
//! a fixed policy writes them. If a policy that learns wrote the log ([`LoggedBy`]), [`Evaluation::doubts`]
//! states it. Several targets on one log give a front with its uncertainty ([`Standing`]).
//! ```
//! use moglb::{Link, Matrix, Objective};
//! use moglb_evaluate::{EvaluateConfig, Log, LogParts, Target, evaluate};
//!
//! let log = Log::new(LogParts {
//!     objectives: vec![Objective::new("click", Link::Logit).range(0.0, 1.0)],
//!     arms: vec!["a".into(), "b".into()],
//!     contexts: Matrix::from_rows(&[[0.0], [0.5], [1.0], [0.2]])?,
//!     played: vec![0, 1, 0, 1],
//!     propensities: Some(vec![0.5; 4]),
//!     rewards: Matrix::from_rows(&[[1.0], [0.0], [1.0], [1.0]])?,
//!     ..LogParts::default()
//! }).unwrap();
//! let targets = [("always b".to_owned(), Target::Arm(1))];
//! let found = evaluate(&log, &targets, &EvaluateConfig::default()).unwrap();
//! assert_eq!(found.policies[0].value, [0.5]);
//! # Ok::<(), moglb::Error>(())
//! ```

mod bootstrap;
mod config;
mod error;
mod estimator;
mod evaluate;
mod evaluation;
mod finite;
mod log;
mod model;
mod origin;
mod overlap;
mod propensity;
mod quantile;
mod region;
mod shrinkage;
mod standing;
mod table;
mod target;
mod terms;
mod threads;

pub use config::{EvaluateConfig, Interval};
pub use error::EvaluateError;
pub use estimator::Estimator;
pub use evaluate::evaluate;
pub use evaluation::{EVALUATION_FORMAT, Evaluation, PolicyValue};
pub use log::{ArmFeatures, Form, Log, LogParts, ReadOptions, read};
pub use origin::LoggedBy;
pub use overlap::Overlap;
pub use propensity::estimate as estimate_propensities;
pub use region::{Bounds, Ellipsoid};
pub use standing::{Standing, Verdict};
pub use target::{Snapshot, Target};
pub use threads::on_threads;
