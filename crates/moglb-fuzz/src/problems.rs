//! Small problems, for inputs that describe only a part of what a policy needs.

use crate::promise::Promised;
use moglb::{ArmSet, Link, Objective, Problem};

/// Returns a problem with three features, two objectives and four arms.
pub fn small() -> Problem {
    let objectives = vec![
        Objective::new("click", Link::Logit),
        Objective::new("cost", Link::Identity).minimize().range(-1.0, 2.0),
    ];
    let problem = Problem::new(3, objectives).and_then(|problem| problem.with_arms(4));
    problem.promised("a valid problem")
}

/// Returns arms for a problem of any size: deterministic contexts of norm at most 0.5.
pub fn arms_for(problem: &Problem) -> ArmSet<'static> {
    let (dim, n_arms) = (problem.dim(), problem.n_arms().unwrap_or(4));
    let row = |arm: usize| {
        let mut row = vec![0.0; dim];
        row[arm % dim] = 0.4;
        row[(arm * 7 + 3) % dim] -= 0.3;
        row
    };
    let rows: Vec<Vec<f64>> = (0..n_arms).map(row).collect();
    ArmSet::from_rows(&rows).promised("finite contexts of norm below one")
}

/// Returns a valid reward vector. Each objective is at the low end, in the middle or at the high
/// end of its range, in turn.
pub fn reward_for(problem: &Problem, turn: usize) -> Vec<f64> {
    let place = |(k, objective): (usize, &Objective)| {
        let (low, high) = objective.rewards();
        match (turn + k) % 3 {
            0 => low,
            1 => low + 0.5 * (high - low),
            _ => high,
        }
    };
    problem.objectives().iter().enumerate().map(place).collect()
}

/// Returns true if tables of this problem are small enough to be computed many thousand times.
pub fn is_small(problem: &moglb::ProblemConfig) -> bool {
    problem.dim <= 16 && problem.objectives.len() <= 8 && problem.n_arms.unwrap_or(1) <= 64
}
