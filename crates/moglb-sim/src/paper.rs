//! The paper's experiment, Figures 1 and 2.

use crate::Experiment;
use toml::{Table, Value};

/// The name that marks the paper's experiment: its summary has the claims of the paper.
pub const PAPER_NAME: &str = "paper";

/// The grid on which c is searched: seven values from 1e-3 to 1, nearly even on a logarithmic scale.
pub const C_GRID: [f64; 7] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0];

/// The dimensions d of the paper's experiment.
pub const PAPER_DIMS: [usize; 3] = [5, 10, 15];

/// The policies of the paper's figures, and uniform random play as a control.
pub const PAPER_POLICIES: [&str; 5] = ["moglb-ucb", "p-ucb", "s-ucb", "p-ts", "random"];

/// Returns the experiment of Figures 1 and 2 with the paper's numbers: m = 5, K = 4d, T = 3000, ten trials,
/// c tuned in [1e-3, 1].
///
/// ```
/// use moglb_sim::{PAPER_DIMS, PAPER_POLICIES, paper_experiment};
///
/// let plan = paper_experiment(&PAPER_DIMS, &PAPER_POLICIES.map(String::from)).plan()?;
/// assert_eq!(plan.runs().len(), 15);
/// # Ok::<(), moglb_sim::SimError>(())
/// ```
pub fn paper_experiment(dims: &[usize], policies: &[String]) -> Experiment {
    let environment = |&dim: &usize| {
        Table::from_iter([("id".into(), Value::from("paper")), ("dim".into(), Value::from(dim as i64))])
    };
    Experiment {
        name: PAPER_NAME.into(),
        seed: 1,
        horizon: 3000,
        trials: 10,
        tuning_trials: 10,
        points: 300,
        applicable_only: false,
        monitor: false,
        environments: dims.iter().map(environment).collect(),
        policies: policies.iter().map(|id| policy(id)).collect(),
    }
}

/// A policy with its defaults, except that the c of MOGLB-UCB and EKF-UCB is tuned.
pub(crate) fn policy(id: &str) -> Table {
    let mut table = Table::from_iter([("id".into(), Value::from(id))]);
    if matches!(id, "moglb-ucb" | "ekf-ucb") {
        let grid = Table::from_iter([("tune".into(), Value::from(C_GRID.to_vec()))]);
        table.insert("c".into(), Value::Table(grid));
    }
    table
}
