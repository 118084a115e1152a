//! Simulation for `moglb`: environments, the play loop, metrics and experiments.
//!
//! An [`Experiment`] lists environments and policies in TOML. Its [`Plan`] is checked, [`run`] plays it,
//! and the [`Summary`] of the [`Results`] has all curves with their intervals. [`play`](play()) plays one
//! policy on one instance.
//!
//! ```
//! use moglb_sim::{run, Plan, Unwatched};
//!
//! let plan = Plan::from_toml(r#"
//!     horizon = 200
//!     trials = 3
//!     environments = [{ id = "paper", dim = 5 }]
//!     policies = [{ id = "moglb-ucb", c = 0.01 }, { id = "random" }]
//! "#)?;
//! let summary = run(&plan, 0, None, &Unwatched)?.summary();
//! let last = |k: usize| *summary.runs[k].pareto_regret.mean.last().unwrap();
//! assert!(last(0) < last(1), "MOGLB-UCB does better than chance");
//! # Ok::<(), moglb_sim::SimError>(())
//! ```

mod arrival;
mod cell;
mod cells;
mod claims;
mod confirm;
mod entries;
mod environment;
mod error;
mod experiment;
mod fairness;
mod identify;
mod json;
mod memory;
mod paper;
mod plan;
mod play;
mod ranking;
mod replay;
mod runner;
mod scores;
mod stats;
mod streams;
mod summarize;
mod summary;

pub use arrival::{Arrival, DelayLaw, Missing};
pub use cell::{Cell, CellKey};
pub use cells::CellLog;
pub use claims::{figure_2_dim, theorem_2_bound};
pub use confirm::{
    CONFIRM_FORMAT, Case, CaseOutcome, Confirmation, Confirmed, Confirming, Contender, Demand, LineOutcome,
    Metric, QuickLook, Ratio, Required, Role, Settled, TRIED,
};
pub use environment::{
    Acceptance, Bulge, Coefficients, DataConfig, DataSource, DataWorld, Drift, DriftLaw, ENVIRONMENTS,
    Environment, EnvironmentConfig, EnvironmentInfo, LogReplay, LogWorld, Measured, Noise, Paper,
    PaperConfig, RewardLaw, Rewards, Spread, SpreadConfig, Stage, reward,
};
pub use error::SimError;
pub use experiment::Experiment;
pub use identify::{
    IDENTIFY_FORMAT, Identification, IdentificationInfo, IdentificationPlan, IdentificationRun,
    IdentificationSummary, Identified, IdentifiedRun, IdentifiedTrial, PlannedIdentification, Samples,
    Success, identify,
};
pub use memory::limit_memory;
pub use paper::{C_GRID, PAPER_DIMS, PAPER_NAME, PAPER_POLICIES, paper_experiment};
pub use plan::{Plan, PlannedRun};
pub use play::{End, FrontCurves, Trace, checkpoints, play};
pub use ranking::{Place, Ranking};
pub use replay::{REPLAY_FORMAT, Replay, ReplayConfig, Replayed, replay};
pub use runner::{FinishedRun, ForeignRun, Results, Unwatched, Watcher, pending, play_cell, run};
pub use scores::{Scores, weight_grid, weight_words};
pub use stats::{Curve, Estimate, mean_ci95, mean_curve, student_quantile, wilson95};
pub use streams::{Namespace, Streams};
pub use summarize::Row;
pub use summary::{
    Baseline, Claim, Column, Comparison, DataOutcome, ExperimentInfo, Last, OutcomeRow, Plays, Run,
    SUMMARY_FORMAT, Summary, SummaryError, Together, Tuning,
};
