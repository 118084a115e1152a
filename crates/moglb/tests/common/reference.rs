//! Algorithm 1 as slowly and plainly as possible, written from the paper: dense Z, dense inverses, a
//! projection by bisection of the secular equation, a front by Definition 1. Nothing here calls the code
//! under test.

use moglb::{Direction, Kappa, Link, MoglbUcbConfig, Problem, Width};
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// The state that a slow and plain version shows after t rewards.
pub trait Slow {
    /// The estimate of an objective, in its own orientation.
    fn theta(&self, objective: usize) -> &[f64];
    /// log(det Z_{t+1} / det Z_1).
    fn log_det(&self, objective: usize) -> f64;
    /// The width √γ ‖x‖_{Z⁻¹}.
    fn width(&self, objective: usize, x: &[f64]) -> f64;
    /// The scores of Eq. (6), larger is better, in the objectives that count.
    fn scores(&self, x: &[f64]) -> Vec<f64>;
}

/// The state of Algorithm 1 after t rewards.
pub struct Reference {
    width: Width,
    radius: f64,
    lambda: f64,
    /// R of Assumption 4: the largest |y| of any objective.
    reward_bound: f64,
    t: usize,
    /// Σ‖x_s‖².
    squared_norms: f64,
    pub models: Vec<Model>,
}

/// One objective. A minimized one is learned with the given sign, E y = μ(θᵀx), and ranked by −θᵀx.
pub struct Model {
    link: Link,
    better: f64,
    /// Half the range of rewards.
    sigma: f64,
    kappa: f64,
    bound: f64,
    pub z: DMatrix<f64>,
    pub theta: DVector<f64>,
    /// Σ (y_s − μ(θ̂_sᵀx_s))² ‖x_s‖²_{Z_{s+1}⁻¹}.
    gradients: f64,
    /// The number of times that the estimate left the ball, and that it was on its boundary up to rounding.
    pub projections: u64,
    pub on_edge: u64,
}

/// The mean μ(z), from the textbook.
pub fn mean(link: Link, z: f64) -> f64 {
    match link {
        Link::Identity => z,
        Link::Logit => 1.0 / (1.0 + (-z).exp()),
        Link::Probit => 0.5 * libm::erfc(-z / 2.0_f64.sqrt()),
        Link::Log => z.exp(),
        Link::Custom(_) => unreachable!("not a built-in link"),
    }
}

/// The slope μ′(z), from the textbook.
pub fn slope(link: Link, z: f64) -> f64 {
    match link {
        Link::Identity => 1.0,
        Link::Logit => mean(link, z) * (1.0 - mean(link, z)),
        Link::Probit => (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt(),
        Link::Log => z.exp(),
        Link::Custom(_) => unreachable!("not a built-in link"),
    }
}

/// κ and U of Assumption 3, by a search over [−D, D].
fn constants(link: Link, radius: f64) -> (f64, f64) {
    let grid = (0..=400).map(|k| radius * (f64::from(k) / 200.0 - 1.0));
    grid.fold((f64::INFINITY, 0.0_f64), |(kappa, bound), z| {
        (kappa.min(slope(link, z)), bound.max(mean(link, z).abs()))
    })
}

impl Reference {
    pub fn new(problem: &Problem, config: &MoglbUcbConfig) -> Self {
        let own: Vec<(f64, f64)> =
            problem.objectives().iter().map(|o| constants(o.link, problem.radius())).collect();
        let shared = own.iter().fold((f64::INFINITY, 0.0_f64), |s, o| (s.0.min(o.0), s.1.max(o.1)));
        let used = match config.kappa {
            Kappa::Shared => vec![shared; own.len()],
            Kappa::PerObjective => own,
        };
        let largest_kappa = used.iter().fold(0.0_f64, |k, c| k.max(c.0));
        let lambda = config.lambda.unwrap_or(largest_kappa.max(2.0) / 2.0);
        let models = problem.objectives().iter().zip(used).map(|(objective, (kappa, bound))| {
            let (low, high) = objective.rewards();
            Model {
                link: objective.link,
                better: if objective.direction == Direction::Minimize { -1.0 } else { 1.0 },
                sigma: (high - low) / 2.0,
                kappa,
                bound,
                z: DMatrix::identity(problem.dim(), problem.dim()) * lambda,
                theta: DVector::zeros(problem.dim()),
                gradients: 0.0,
                projections: 0,
                on_edge: 0,
            }
        });
        let magnitude = |o: &moglb::Objective| o.rewards().0.abs().max(o.rewards().1.abs());
        Self {
            width: config.width,
            radius: problem.radius(),
            lambda,
            reward_bound: problem.objectives().iter().map(magnitude).fold(0.0, f64::max),
            t: 0,
            squared_norms: 0.0,
            models: models.collect(),
        }
    }

    /// Takes steps 5–7: Eq. (2), then Eq. (1) in Z_{t+1}.
    pub fn learn(&mut self, x: &[f64], reward: &[f64]) {
        let x = DVector::from_column_slice(x);
        for (model, &y) in self.models.iter_mut().zip(reward) {
            model.z += (&x * x.transpose()) * (model.kappa / 2.0);
            let inverse = inverse(&model.z);
            let residual = mean(model.link, model.theta.dot(&x)) - y;
            let gradient = &x * residual;
            model.gradients += residual * residual * (x.transpose() * &inverse * &x)[0];
            let u = &model.theta - &inverse * gradient;
            let outside = u.norm() / self.radius - 1.0;
            model.projections += u64::from(outside > 1e-9);
            model.on_edge += u64::from(outside.abs() <= 1e-9);
            model.theta = project(&u, &model.z, self.radius);
        }
        self.squared_norms += x.dot(&x);
        self.t += 1;
    }

    /// γ_{t+1}: Eq. (8), its tightened form, or the tuned width of the experiments.
    pub fn gamma(&self, objective: usize) -> f64 {
        let model = &self.models[objective];
        let (d2, m) = (self.radius * self.radius, self.models.len() as f64);
        match self.width {
            Width::Proved { delta } => {
                let noise = (self.reward_bound + model.bound).powi(2);
                16.0 * noise / model.kappa * (m / delta * (1.0 + 4.0 * d2 * self.t as f64).sqrt()).ln()
                    + self.lambda * d2
                    + 2.0 * noise / model.kappa * self.log_det(objective)
                    + model.kappa / 2.0
            }
            Width::Tightened { delta } => {
                self.lambda * d2
                    + model.kappa / 2.0
                    + 4.0 * model.sigma.powi(2) / model.kappa
                        * (m / delta * (1.0 + 4.0 * d2 * self.squared_norms).sqrt()).ln()
                    + model.gradients
            }
            Width::Tuned { c } => c * self.log_det(objective),
        }
    }
}

impl Slow for Reference {
    fn theta(&self, objective: usize) -> &[f64] {
        self.models[objective].theta.as_slice()
    }

    fn log_det(&self, objective: usize) -> f64 {
        let z = &self.models[objective].z / self.lambda;
        z.determinant().ln().max(0.0)
    }

    fn width(&self, objective: usize, x: &[f64]) -> f64 {
        let x = DVector::from_column_slice(x);
        let squared = (x.transpose() * inverse(&self.models[objective].z) * &x)[0];
        (self.gamma(objective) * squared).sqrt()
    }

    fn scores(&self, x: &[f64]) -> Vec<f64> {
        let point = DVector::from_column_slice(x);
        let score = |i: usize| self.models[i].better * self.models[i].theta.dot(&point) + self.width(i, x);
        (0..self.models.len()).map(score).collect()
    }
}

/// Returns true if u dominates v, v ≺ u, by Definition 1.
pub fn dominated(v: &[f64], u: &[f64]) -> bool {
    v.iter().zip(u).all(|(v, u)| v <= u) && v.iter().zip(u).any(|(v, u)| u > v)
}

/// The front by Definition 2: every row is compared with all others.
pub fn front(points: &[Vec<f64>]) -> Vec<usize> {
    (0..points.len()).filter(|&x| !points.iter().any(|other| dominated(&points[x], other))).collect()
}

/// The inverse by Gauss–Jordan elimination with partial pivoting.
pub fn inverse(a: &DMatrix<f64>) -> DMatrix<f64> {
    let n = a.nrows();
    let (mut a, mut inverse) = (a.clone(), DMatrix::identity(n, n));
    for column in 0..n {
        let pivot = (column..n).max_by(|&i, &j| a[(i, column)].abs().total_cmp(&a[(j, column)].abs()));
        let pivot = pivot.expect("a column below the diagonal");
        a.swap_rows(column, pivot);
        inverse.swap_rows(column, pivot);
        let head = a[(column, column)];
        for k in 0..n {
            a[(column, k)] /= head;
            inverse[(column, k)] /= head;
        }
        for row in (0..n).filter(|&row| row != column) {
            let factor = a[(row, column)];
            for k in 0..n {
                a[(row, k)] -= factor * a[(column, k)];
                inverse[(row, k)] -= factor * inverse[(column, k)];
            }
        }
    }
    inverse
}

/// The projection argmin over ‖v‖ ≤ D of (v − u)ᵀZ(v − u), by bisection on ν of Σ (l_j c_j / (l_j + ν))² =
/// D².
pub fn project(u: &DVector<f64>, z: &DMatrix<f64>, radius: f64) -> DVector<f64> {
    if u.norm() <= radius {
        return u.clone();
    }
    let SymmetricEigen { eigenvectors, eigenvalues } = z.clone().symmetric_eigen();
    let c = eigenvectors.transpose() * u;
    let v = secular(&c, &eigenvalues, radius);
    eigenvectors * v
}

/// The projection for a diagonal Z = diag(l).
pub fn secular(c: &DVector<f64>, l: &DVector<f64>, radius: f64) -> DVector<f64> {
    let at = |nu: f64| c.zip_map(l, |c, l| c * (l / (l + nu)));
    let (mut low, mut high) = (0.0, l.max() * c.norm() / radius);
    for _ in 0..400 {
        let middle = 0.5 * (low + high);
        if at(middle).norm() > radius {
            low = middle;
        } else {
            high = middle;
        }
    }
    at(high)
}
