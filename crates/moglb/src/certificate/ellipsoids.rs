//! Confidence ellipsoids as bounds on differences of arms. For ‖θᵢ − θ̂ᵢ‖_{Aᵢ} ≤ rᵢ
//!
//! ```text
//! θᵢᵀ(x′ − x) ∈ θ̂ᵢᵀ(x′ − x) ± rᵢ·‖x′ − x‖_{Aᵢ⁻¹}
//! ```
//!
//! With A⁻¹ = MᵀM the norm is the distance between Mx′ and Mx. So every arm is mapped once, in d² steps, and
//! a pair costs d steps.

use moglb_core::{ArmSet, LinkConstants, Objective, Problem};

/// The ellipsoids of all objectives on all arms.
#[derive(Debug, Clone)]
pub(crate) struct Shadow {
    /// The scores θ̂ᵢᵀx, larger is better, in a row of m for each arm.
    scores: Vec<f64>,
    /// The images Mx of all arms, one table for each distinct matrix.
    images: Vec<Images>,
    objectives: Vec<Set>,
}

/// The image Mx of each arm, in rows of `width` groups of four numbers.
#[derive(Debug, Clone)]
struct Images {
    width: usize,
    rows: Vec<[f64; 4]>,
}

/// The confidence set of one objective.
#[derive(Debug, Clone, Copy)]
struct Set {
    /// The index of the objective's table of images.
    images: usize,
    radius: f64,
    constants: LinkConstants,
    /// μ(D) − μ(−D): no two means differ by more.
    spread: f64,
}

impl Shadow {
    /// Ellipsoids with the radii rᵢ. `matrices` has the number of each objective's matrix, from 0 in order of
    /// appearance. `image` returns Mx for the matrix of an objective.
    pub(super) fn new<'a>(
        problem: &Problem,
        arms: &ArmSet,
        theta: impl Fn(usize) -> &'a [f64],
        matrices: &[usize],
        radius: impl Fn(usize) -> f64,
        image: impl Fn(usize, &[f64]) -> Vec<f64>,
    ) -> Self {
        let m = problem.n_objectives();
        let mut scores = Vec::new();
        for arm in arms.iter() {
            scores
                .extend((0..m).map(|i| theta(i).iter().zip(arm.context()).map(|(a, b)| a * b).sum::<f64>()));
        }
        let distinct = matrices.iter().max().map_or(0, |largest| largest + 1);
        let images = (0..distinct).map(|matrix| {
            let first =
                matrices.iter().position(|&of| of == matrix).expect("numbered in order of appearance");
            Images::new(arms.iter().map(|arm| image(first, arm.context())))
        });
        let set = |(i, objective): (usize, &Objective)| Set {
            images: matrices[i],
            radius: radius(i),
            constants: problem.constants()[i],
            spread: objective.inner_mean(problem.radius()) - objective.inner_mean(-problem.radius()),
        };
        let objectives = problem.objectives().iter().enumerate().map(set).collect();
        Self { scores, images: images.collect(), objectives }
    }

    /// Bounds on μᵢ(x′) − μᵢ(x), larger is better, for x′ = `better` and x = `worse`. They follow from bounds
    /// on the linear scale because slopes lie between κ and L; the sign decides which slope is the worse one.
    pub(super) fn difference(&self, objective: usize, better: usize, worse: usize) -> (f64, f64) {
        let (m, set) = (self.objectives.len(), &self.objectives[objective]);
        let middle = self.scores[better * m + objective] - self.scores[worse * m + objective];
        let width = set.radius * self.images[set.images].distance(better, worse);
        (set.mean_scale(middle - width), -set.mean_scale(-(middle + width)))
    }
}

impl Set {
    /// The least difference of means for a difference `z` of linear scores.
    fn mean_scale(&self, z: f64) -> f64 {
        let slope = if z > 0.0 { self.constants.kappa } else { self.constants.lipschitz };
        (slope * z).clamp(-self.spread, self.spread)
    }
}

impl Images {
    fn new(images: impl Iterator<Item = Vec<f64>>) -> Self {
        let (mut width, mut rows) = (0, Vec::new());
        for mut image in images {
            image.resize(image.len().next_multiple_of(4), 0.0);
            width = image.len() / 4;
            rows.extend_from_slice(image.as_chunks::<4>().0);
        }
        Self { width, rows }
    }

    fn distance(&self, a: usize, b: usize) -> f64 {
        let row = |arm: usize| &self.rows[arm * self.width..(arm + 1) * self.width];
        let mut sums = [0.0; 4];
        for (a, b) in row(a).iter().zip(row(b)) {
            for lane in 0..4 {
                let apart = a[lane] - b[lane];
                sums[lane] += apart * apart;
            }
        }
        ((sums[0] + sums[1]) + (sums[2] + sums[3])).sqrt()
    }
}
