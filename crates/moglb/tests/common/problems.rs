//! Random problems: every link, direction, width and κ, and difficult arms: duplicated, zero, tiny, nearly
//! collinear.

use super::{ball, direction, norm, uniform};
use moglb::{ArmSet, EkfUcbConfig, Kappa, Link, MoglbUcbConfig, Objective, Problem, Rng, Width, draw};
use proptest::prelude::*;

/// The size of a random problem, and the seed of everything that is drawn in it.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub dim: usize,
    pub objectives: usize,
    pub arms: usize,
    pub seed: u64,
}

/// Random sizes: d in 1..=8, m in 1..=5, K in 1..=20.
pub fn sizes() -> impl Strategy<Value = Sizes> {
    (1..=8_usize, 1..=5_usize, 1..=20_usize, any::<u64>()).prop_map(|(dim, objectives, arms, seed)| Sizes {
        dim,
        objectives,
        arms,
        seed,
    })
}

pub fn problem(sizes: Sizes, rng: &mut dyn Rng) -> Problem {
    let objective = |index: usize| {
        let link = Link::ALL[draw::below(4, rng)];
        let objective = Objective::new(format!("y{index}"), link);
        let objective = if draw::below(2, rng) == 0 { objective } else { objective.minimize() };
        match draw::below(3, rng) {
            0 => objective.range(-0.5, 2.5),
            _ => objective,
        }
    };
    let objectives = (0..sizes.objectives).map(objective).collect();
    let radius = [0.5, 1.0, 2.0][draw::below(3, rng)];
    Problem::new(sizes.dim, objectives).unwrap().with_radius(radius).unwrap()
}

pub fn config(rng: &mut dyn Rng) -> MoglbUcbConfig {
    let width = match draw::below(5, rng) {
        0 => Width::Proved { delta: 0.05 },
        1 => Width::Tightened { delta: 0.1 },
        2 => Width::Tuned { c: 0.0 },
        3 => Width::Tuned { c: 0.01 },
        _ => Width::Tuned { c: 1.0 },
    };
    let lambda = [None, Some(1.0), Some(2.5)][draw::below(3, rng)];
    let kappa = [Kappa::Shared, Kappa::PerObjective][draw::below(2, rng)];
    MoglbUcbConfig { width, lambda, kappa, ..Default::default() }
}

/// A random configuration with any λ and c; one in three is the single-objective control.
pub fn ekf_config(sizes: Sizes, rng: &mut dyn Rng) -> EkfUcbConfig {
    let control = draw::below(3, rng) == 0;
    EkfUcbConfig {
        lambda: [0.1, 1.0, 3.0][draw::below(3, rng)],
        c: [0.0, 0.01, 1.0][draw::below(3, rng)],
        objective: control.then(|| draw::below(sizes.objectives, rng)),
        ..Default::default()
    }
}

pub fn arms(sizes: Sizes, rng: &mut dyn Rng) -> ArmSet<'static> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for index in 0..sizes.arms {
        rows.push(context(sizes.dim, index, &rows, rng));
    }
    ArmSet::from_rows(&rows).unwrap()
}

fn context(dim: usize, index: usize, before: &[Vec<f64>], rng: &mut dyn Rng) -> Vec<f64> {
    let earlier = |rng: &mut dyn Rng| before[draw::below(index, rng)].clone();
    match draw::below(8, rng) {
        0 if index > 0 => earlier(rng),
        1 if index > 0 => {
            let nearly = earlier(rng);
            let off = direction(dim, rng);
            let moved: Vec<f64> = nearly.iter().zip(&off).map(|(x, o)| x + 1e-6 * o).collect();
            let length = norm(&moved).max(1.0);
            moved.iter().map(|x| x / length).collect()
        }
        2 => vec![0.0; dim],
        3 => direction(dim, rng).iter().map(|x| 1e-8 * x).collect(),
        4 | 5 => direction(dim, rng),
        _ => ball(dim, 1.0, rng),
    }
}

/// A reward vector in range, often at an end of the range: such rewards drive estimates out of the ball.
pub fn reward(problem: &Problem, rng: &mut dyn Rng) -> Vec<f64> {
    let one = |objective: &Objective| {
        let (low, high) = objective.rewards();
        match draw::below(4, rng) {
            0 => low,
            1 => high,
            _ => uniform(low, high, rng),
        }
    };
    problem.objectives().iter().map(one).collect()
}
