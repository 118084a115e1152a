//! Real data for multi-objective bandits, in the format `mob-data/1`: a folder with tables and a `meta.json`
//! that describes them.
//!
//! | kind | known rewards | tables |
//! |---|---|---|
//! | `full` | of every arm in every round | `rounds`, `rewards`, `arms` |
//! | `logged` | of one arm a round, with its propensity | `logged`, `arms` |
//! | `arms` | the means of one fixed arm set | `arms` |
//! | `candidates` | of a new arm set in each round | `candidates`, `arm_features` |
//!
//! | table | columns |
//! |---|---|
//! | `rounds` | `round_id`, `x_*` |
//! | `rewards` | `round_id`, `arm_id`, `y_*` |
//! | `logged` | `round_id`, `arm_id`, `propensity`, `y_*`, `x_*` |
//! | `arms` | `arm_id`, `a_*`; for kind `arms` also `y_*` |
//! | `candidates` | `round_id`, `y_*`, `x_*` |
//! | `arm_features` | `arm_id`, `a_*` |
//!
//! Rewards `y_*` lie in [0, 1] and larger is better, context features `x_*` lie in [−1, 1] and arm features
//! `a_*` in [0, 1]. The format of a table follows from the ending of its name: CSV, JSON lines or, with the
//! feature `parquet`, Parquet. This is a complete `meta.json`:
//!
//! ```json
//! { "format": "mob-data/1",
//!   "name": "mine",
//!   "problems": [ { "id": "first", "kind": "arms", "arms": "arms.csv",
//!       "objectives": [ { "column": "y_speed" }, { "column": "y_click", "link": "logit" } ] } ] }
//! ```
//!
//! [`load`] returns a [`Dataset`] or the first fault. [`check`] finds all faults. [`read`] opens files for
//! all crates, and refuses files that are not regular or are too large.

mod dataset;
mod design;
mod error;
mod findings;
mod fit;
mod layout;
mod load;
mod meta;
pub mod read;
mod table;

pub use dataset::{
    ArmTable, Candidates, Content, DataObjective, DataProblem, Dataset, Full, Kind, Logged, Measures,
};
pub use design::Design;
pub use error::DataError;
pub use findings::{Fault, Finding, Findings, Severity};
pub use fit::{Collinear, Fit, FitError, fit};
pub use layout::{Layout, Sizes};
pub use load::{Checked, FORMAT, LEAST_PROPENSITY, ProblemFacts, check, load};
