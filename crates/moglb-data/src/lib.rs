//! Real data for multi-objective bandits, in the form `mob-data/1`: a folder with tables and a `meta.json` that says what they are.
//!
//! | kind | what is known | tables |
//! |---|---|---|
//! | `full` | the reward of every arm in every round | `rounds` (`round_id`, `x_*`), `rewards` (`round_id`, `arm_id`, `y_*`), `arms` |
//! | `logged` | one arm a round, with its propensity | `logged` (`round_id`, `arm_id`, `propensity`, `y_*`, `x_*`), `arms` |
//! | `arms` | the mean rewards of one fixed arm set | `arms` (`arm_id`, `a_*`, `y_*`) |
//! | `candidates` | all rewards of a new arm set each round | `candidates` (`round_id`, `y_*`, `x_*`), `arm_features` (`arm_id`, `a_*`) |
//!
//! Rewards `y_*` lie in [0, 1] and larger is better, context features `x_*` lie in [−1, 1] and arm features `a_*` in [0, 1].
//! A table is CSV, JSON lines or, with the feature `parquet`, Parquet, by the ending of its name. This is a whole `meta.json`:
//!
//! ```json
//! { "format": "mob-data/1",
//!   "name": "mine",
//!   "problems": [ { "id": "first", "kind": "arms", "arms": "arms.csv",
//!                   "objectives": [ { "column": "y_speed" }, { "column": "y_click", "link": "logit" } ] } ] }
//! ```
//!
//! [`load`] gives a [`Dataset`] or the first thing that is wrong; [`check`] finds all that is wrong. [`read`] opens files for all
//! crates, and refuses what is no regular file or too large.

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
