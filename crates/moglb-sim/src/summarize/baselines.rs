//! Baselines: the exact values of ways to play that learn nothing, computed from the table of the data.

use crate::environment::DataTable;
use crate::scores::{add, dot, share};
use crate::{Baseline, Plays, SimError, weight_grid};
use moglb::{ArmId, Matrix, front, hypervolume};

/// The largest number of arms of which each is a baseline. With more arms only those that no other arm
/// dominates are baselines.
const MOST_ALWAYS_ARMS: usize = 20;

/// The volume that other volumes are divided by, and the baselines of a table.
pub(super) fn baselines(table: &DataTable) -> Result<(f64, Vec<Baseline>), SimError> {
    let grid = weight_grid(table.objectives().len());
    let ways = ways(table, &grid)?;
    let mut all: Vec<Baseline> = ways.iter().map(|(_, plays)| nothing(plays.clone(), table)).collect();
    let n_rounds = table.rounds().count() as f64;
    for round in table.rounds() {
        let stage = table.stage(round)?;
        for ((way, _), sums) in ways.iter().zip(&mut all) {
            let arms = way.arms(&stage.means);
            let share = 1.0 / (n_rounds * arms.len() as f64);
            for arm in arms {
                add_share(&mut sums.objectives, stage.means.row(arm), share);
                add_share(&mut sums.measures, table.measured(round, ArmId(arm)).measures, share);
                sums.gap += stage.gaps[arm] * share;
            }
        }
    }
    let whole = whole(table, &all)?;
    compare(&mut all, &grid, whole)?;
    Ok((whole, all))
}

/// A baseline before the first round.
fn nothing(plays: Plays, table: &DataTable) -> Baseline {
    Baseline {
        plays,
        objectives: vec![0.0; table.objectives().len()],
        measures: vec![0.0; table.measures().len()],
        gap: 0.0,
        regret: Vec::new(),
        hypervolume: 0.0,
    }
}

/// Adds a share of some values to sums.
fn add_share(sums: &mut [f64], values: &[f64], share: f64) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value * share);
}

/// A way to play without learning: the arms that are played in a round, with equal probability.
enum Way {
    Always(usize),
    Random,
    Oracle(Vec<f64>),
}

impl Way {
    /// The arms of a round that are played. The oracle breaks ties by the sum of the objectives, and then
    /// takes the first arm.
    fn arms(&self, means: &Matrix) -> Vec<usize> {
        match self {
            Way::Always(arm) => vec![*arm],
            Way::Random => (0..means.n_rows()).collect(),
            Way::Oracle(weights) => {
                let value = |arm: usize| (dot(weights, means.row(arm)), means.row(arm).iter().sum::<f64>());
                let better = |best: usize, arm: usize| if value(arm) > value(best) { arm } else { best };
                vec![(1..means.n_rows()).fold(0, better)]
            }
        }
    }
}

/// All ways to play a table: always one arm, at random, and the oracle of each weight vector.
fn ways(table: &DataTable, grid: &[Vec<f64>]) -> Result<Vec<(Way, Plays)>, SimError> {
    let names = table.arms();
    let mut arms: Vec<usize> = (0..names.len()).collect();
    if names.len() > MOST_ALWAYS_ARMS {
        arms = undominated(table)?;
    }
    let always = arms.into_iter().map(|arm| (Way::Always(arm), Plays::Always(names[arm].clone())));
    let oracle = grid.iter().map(|weights| (Way::Oracle(weights.clone()), Plays::Oracle(weights.clone())));
    Ok(always.chain([(Way::Random, Plays::Random)]).chain(oracle).collect())
}

/// The arms whose mean reward vectors over all rounds are dominated by no other arm.
fn undominated(table: &DataTable) -> Result<Vec<usize>, SimError> {
    let m = table.objectives().len();
    let mut sums = vec![0.0; table.arms().len() * m];
    for round in table.rounds() {
        add(&mut sums, table.stage(round)?.means.as_slice());
    }
    Ok(front(&Matrix::new(m, sums)?)?.iter().map(|arm| arm.0).collect())
}

/// The volume that counts as the whole: that of the front if arms stay, otherwise that of the oracle's
/// points.
fn whole(table: &DataTable, all: &[Baseline]) -> Result<f64, SimError> {
    if let Some(stage) = table.only_stage()? {
        let rows: Vec<&[f64]> = stage.front.iter().map(|arm| stage.means.row(arm.0)).collect();
        return volume(&rows);
    }
    let oracle = all.iter().filter(|baseline| matches!(baseline.plays, Plays::Oracle(_)));
    volume(&oracle.map(|baseline| &baseline.objectives[..]).collect::<Vec<_>>())
}

/// Computes the regret for each weight vector and the volume, which need the values of the oracle.
fn compare(all: &mut [Baseline], grid: &[Vec<f64>], whole: f64) -> Result<(), SimError> {
    // The oracles are in the order of the grid.
    let oracle = |baseline: &Baseline| match &baseline.plays {
        Plays::Oracle(weights) => Some(dot(weights, &baseline.objectives)),
        _ => None,
    };
    let best: Vec<f64> = all.iter().filter_map(oracle).collect();
    for baseline in all {
        let regret = |(weights, best): (&Vec<f64>, &f64)| best - dot(weights, &baseline.objectives);
        baseline.regret = grid.iter().zip(&best).map(regret).collect();
        baseline.hypervolume = share(volume(&[&baseline.objectives])?, whole);
    }
    Ok(())
}

/// The volume above zero reward that some points dominate together.
pub(super) fn volume(points: &[&[f64]]) -> Result<f64, SimError> {
    let points = Matrix::from_rows(points)?;
    Ok(hypervolume(&points, &vec![0.0; points.n_cols()])?)
}
