//! The farthest point in a direction x of the intersection of a ball and a sublevel set of a quadratic:
//! the largest xᵀθ with ‖θ‖ ≤ S and, for Δ = θ − c,
//!
//! ```text
//! gᵀΔ + ½ΔᵀHΔ ≤ β
//! ```
//!
//! With the multipliers κ = 1/ν of the quadratic and η = λ/ν of the ball, the farthest point satisfies
//! g + HΔ + λ(c + Δ) = νx. Any two nonnegative multipliers give an upper bound, a formula in the eigenbasis
//! of H. The least of these bounds is attained:
//!
//! ```text
//! xᵀΔ ≤ κβ + ½η(S² − ‖c‖²) + ½‖x − κg − ηc‖²_{(κH + ηI)⁻¹}
//! ```

use crate::glm::likelihood::Local;
use crate::ridge::dot;
use moglb_math::dense;
use moglb_math::eigen::Eigen;

/// The least eigenvalue of H, as a share of the largest one. Smaller eigenvalues are lost in rounding and
/// are raised to it.
const LEAST: f64 = 1e-13;

/// The gain at which steps stop, as a share of the bound. The error of the point is about the square root
/// of it.
const CLOSE: f64 = 1e-17;

/// The gain, as a share of the bound, below which rounding may hide it. Then whole steps are taken.
const LEAST_CERTAIN_GAIN: f64 = 1e-10;

/// The largest number of Newton steps. Seven or eight are usual.
const STEPS: usize = 50;

/// A quadratic around c and a ball, in the eigenbasis of H.
#[derive(Debug)]
pub(super) struct Quadratic {
    /// The eigenvalues of H.
    values: Vec<f64>,
    /// The eigenvectors, transposed: the first entries of all, then the second entries, and so on.
    places: Vec<f64>,
    /// The eigenvectors, end to end.
    vectors: Vec<f64>,
    /// g.
    gradient: Vec<f64>,
    /// c.
    center: Vec<f64>,
    beta: f64,
    /// S.
    radius: f64,
}

/// The farthest point in a direction, with its multipliers ν and λ.
#[derive(Debug, Clone)]
pub(super) struct Farthest {
    pub theta: Vec<f64>,
    pub(super) nu: f64,
    pub(super) lambda: f64,
}

impl Quadratic {
    /// Creates the quadratic of a local model of L. None if a gradient or a Hessian is not finite.
    pub fn new(center: &[f64], local: &Local, beta: f64, radius: f64) -> Option<Self> {
        let dim = center.len();
        if !local.hessian.iter().chain(&local.gradient).all(|entry| entry.is_finite()) {
            return None;
        }
        let entry = |i: usize, j: usize| local.hessian[i.min(j) * dim + i.max(j)];
        let mut eigen = Eigen::of((0..dim * dim).map(|n| entry(n / dim, n % dim)).collect(), dim);
        let least = LEAST * eigen.values.iter().fold(f64::MIN_POSITIVE, |a: f64, &b| a.max(b));
        eigen.values.iter_mut().for_each(|value| *value = value.max(least));
        let mut places = vec![0.0; dim * dim];
        dense::transpose(&eigen.vectors, &mut places, dim);
        let mut quadratic = Self {
            values: eigen.values,
            places,
            vectors: eigen.vectors,
            gradient: vec![0.0; dim],
            center: vec![0.0; dim],
            // The raised eigenvalues must not make the set smaller. No Δ is longer than 2S.
            beta: beta + 2.0 * least * radius * radius,
            radius,
        };
        quadratic.gradient = quadratic.turned(&local.gradient);
        quadratic.center = quadratic.turned(center);
        Some(quadratic)
    }

    /// Returns a vector in the eigenbasis.
    fn turned(&self, x: &[f64]) -> Vec<f64> {
        let mut turned = vec![0.0; x.len()];
        dense::combine(&self.places, x, &mut turned);
        turned
    }

    /// Returns the farthest point in a direction that is not zero. None if it is not finite.
    pub(super) fn farthest(&self, x: &[f64]) -> Option<Farthest> {
        let (length, turned) = (dot(x, x).sqrt(), self.turned(x));
        if self.has_edge(&turned, length) {
            // The quadratic is not active, so ν is not bounded and only λ/ν is determined.
            let (share, nu) = (self.radius / length, self.beta.abs() / (self.radius * length));
            let theta = x.iter().map(|x| share * x).collect();
            return Some(Farthest { theta, nu, lambda: nu / share });
        }
        let Multipliers { kappa, eta, .. } = self.multipliers(&turned)?;
        let (nu, lambda) = (1.0 / kappa, eta / kappa);
        let (mut theta, dim) = (vec![0.0; x.len()], x.len());
        for (k, vector) in self.vectors.chunks_exact(dim).enumerate() {
            let pull = nu * turned[k] - self.gradient[k] - lambda * self.center[k];
            dense::add(&mut theta, self.center[k] + pull / (self.values[k] + lambda), vector);
        }
        theta.iter().all(|entry| entry.is_finite()).then_some(Farthest { theta, nu, lambda })
    }

    /// Returns an upper bound on xᵀθ. It is infinite if only the ball is active.
    pub fn upper(&self, x: &[f64]) -> f64 {
        let turned = self.turned(x);
        if self.has_edge(&turned, dot(x, x).sqrt()) {
            return f64::INFINITY;
        }
        self.multipliers(&turned).map_or(f64::INFINITY, |dual| dual.bound)
    }

    /// Returns true if the farthest point of the ball satisfies the bound of the quadratic.
    fn has_edge(&self, x: &[f64], length: f64) -> bool {
        let mut rise = 0.0;
        for (k, x) in x.iter().enumerate() {
            let ahead = self.radius / length * x - self.center[k];
            rise += (self.gradient[k] + 0.5 * self.values[k] * ahead) * ahead;
        }
        length == 0.0 || rise <= self.beta
    }

    /// Returns the multipliers of the quadratic and of the ball with the least bound. None if the bound
    /// is not finite. The bound is convex in them, so this is Newton's method with a line search.
    fn multipliers(&self, x: &[f64]) -> Option<Multipliers> {
        let mut dual = self.first(x);
        for _ in 0..STEPS {
            let ([kappa, eta], size) = (dual.step(), 1.0 + dual.bound.abs());
            let gain = -(dual.slope[0] * kappa + dual.slope[1] * eta);
            if gain.is_nan() || gain <= CLOSE * size {
                break;
            }
            let ahead = |share: f64| self.dual(x, dual.kappa + share * kappa, dual.eta + share * eta);
            let enough = |next: &Multipliers, share: f64| {
                gain <= LEAST_CERTAIN_GAIN * size || next.bound <= dual.bound - 1e-4 * share * gain
            };
            let mut shares = (0..40).map(|k| 0.5f64.powi(k)).map(|share| (share, ahead(share)));
            let next = shares.find(|(share, next)| enough(next, *share)).map(|(_, next)| next);
            let Some(next) = next else { break };
            dual = next;
        }
        dual.bound.is_finite().then_some(dual)
    }

    /// Returns the first multipliers: the solution if the ball is not active, otherwise an estimate from
    /// the multipliers that each of the two would have alone.
    fn first(&self, x: &[f64]) -> Multipliers {
        let (mut along, mut falls) = (0.0, 0.0);
        for (k, x) in x.iter().enumerate() {
            along += x * x / self.values[k];
            falls += self.gradient[k] * self.gradient[k] / self.values[k];
        }
        let kappa = (along / (2.0 * self.beta + falls)).sqrt();
        let free = self.dual(x, kappa, 0.0);
        if free.slope[1] >= 0.0 {
            return free;
        }
        let (length, largest) = (dot(x, x).sqrt(), self.values.iter().fold(0.0, |a: f64, &b| a.max(b)));
        let kappa = (length * length / (2.0 * self.beta * largest)).sqrt();
        self.dual(x, kappa, length / self.radius)
    }

    /// Returns the bound of κ for the quadratic and η for the ball, with its derivatives.
    fn dual(&self, x: &[f64], kappa: f64, eta: f64) -> Multipliers {
        let room = self.radius * self.radius - dot(&self.center, &self.center);
        let (mut bound, mut slope, mut bend) =
            (kappa * self.beta + 0.5 * eta * room, [self.beta, 0.5 * room], [0.0; 3]);
        for (k, x) in x.iter().enumerate() {
            let (value, gradient, center) = (self.values[k], self.gradient[k], self.center[k]);
            let inverse = 1.0 / (kappa * value + eta);
            let pull = x - kappa * gradient - eta * center;
            let ahead = pull * inverse;
            bound += 0.5 * pull * ahead + x * center;
            slope[0] -= (gradient + 0.5 * value * ahead) * ahead;
            slope[1] -= (center + 0.5 * ahead) * ahead;
            let (steep, theta) = (gradient + value * ahead, center + ahead);
            bend[0] += steep * steep * inverse;
            bend[1] += steep * theta * inverse;
            bend[2] += theta * theta * inverse;
        }
        Multipliers { kappa, eta, bound, slope, bend }
    }
}

/// The bound of two multipliers, with its gradient and its Hessian in them.
#[derive(Debug, Clone, Copy)]
struct Multipliers {
    /// 1/ν.
    kappa: f64,
    /// λ/ν.
    eta: f64,
    bound: f64,
    /// The derivatives in κ and η.
    slope: [f64; 2],
    /// The second derivatives: κκ, κη, ηη.
    bend: [f64; 3],
}

impl Multipliers {
    /// Returns a Newton step in both multipliers, or in κ alone if η = 0. The step is shortened so that
    /// at least a tenth of each multiplier remains.
    fn step(&self) -> [f64; 2] {
        let ([kappa, eta], [a, b, c]) = (self.slope, self.bend);
        let determinant = a * c * (1.0 + 1e-14) - b * b;
        let step = if self.eta == 0.0 {
            [-kappa / a, 0.0]
        } else {
            [(b * eta - c * kappa) / determinant, (b * kappa - a * eta) / determinant]
        };
        let most = |step: f64, from: f64| if step < -0.9 * from { -0.9 * from / step } else { 1.0 };
        let share = most(step[0], self.kappa).min(most(step[1], self.eta));
        step.map(|step| share * step)
    }
}
