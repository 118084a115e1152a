//! How far a direction goes in a ball and under a quadratic: the largest xᵀθ with ‖θ‖ ≤ S and, for Δ = θ − c,
//!
//! ```text
//! gᵀΔ + ½ΔᵀHΔ ≤ β
//! ```
//!
//! With multipliers κ = 1/ν of the quadratic and η = λ/ν of the ball, the farthest point is where g + HΔ + λ(c + Δ) = νx. Any two
//! that are not negative give a bound, a formula in the eigenbasis of H, and the least of these is reached:
//!
//! ```text
//! xᵀΔ ≤ κβ + ½η(S² − ‖c‖²) + ½‖x − κg − ηc‖²_{(κH + ηI)⁻¹}
//! ```

use crate::glm::likelihood::Local;
use crate::ridge::dot;
use moglb_math::dense;
use moglb_math::eigen::Eigen;

/// Curvatures are known up to this share of the largest, and taken to be at least that.
const LEAST: f64 = 1e-13;

/// Steps go on while they gain more than this share of the bound: the point is off by about the root of it.
const CLOSE: f64 = 1e-17;

/// Below this share rounding may hide a gain, and whole steps are taken.
const LEAST_CERTAIN_GAIN: f64 = 1e-10;

/// Newton's steps; seven or eight are usual.
const STEPS: usize = 50;

/// A quadratic around c, in the eigenbasis of its H.
#[derive(Debug)]
pub(super) struct Quadratic {
    /// The eigenvalues of H.
    values: Vec<f64>,
    /// The entries of all eigenvectors at a place, for one place after the other.
    places: Vec<f64>,
    vectors: Vec<f64>,
    gradient: Vec<f64>,
    center: Vec<f64>,
    beta: f64,
    radius: f64,
}

/// What belongs to the farthest point of a direction.
#[derive(Debug, Clone)]
pub(super) struct Farthest {
    pub theta: Vec<f64>,
    pub(super) nu: f64,
    pub(super) lambda: f64,
}

impl Quadratic {
    /// None where there are no numbers for it.
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
            // Curvature that was added may not make the set smaller: no Δ is longer than 2S.
            beta: beta + 2.0 * least * radius * radius,
            radius,
        };
        quadratic.gradient = quadratic.turned(&local.gradient);
        quadratic.center = quadratic.turned(center);
        Some(quadratic)
    }

    /// A vector in the eigenbasis.
    fn turned(&self, x: &[f64]) -> Vec<f64> {
        let mut turned = vec![0.0; x.len()];
        dense::combine(&self.places, x, &mut turned);
        turned
    }

    /// The farthest point of a direction that is not zero.
    pub(super) fn farthest(&self, x: &[f64]) -> Option<Farthest> {
        let (length, turned) = (dot(x, x).sqrt(), self.turned(x));
        if self.has_edge(&turned, length) {
            // The quadratic has no say, and ν no end; only λ/ν is known.
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

    /// What xᵀθ does not exceed, unless it is the ball alone that counts.
    pub fn upper(&self, x: &[f64]) -> f64 {
        let turned = self.turned(x);
        if self.has_edge(&turned, dot(x, x).sqrt()) {
            return f64::INFINITY;
        }
        self.multipliers(&turned).map_or(f64::INFINITY, |dual| dual.bound)
    }

    /// Whether the farthest point of the ball is under the quadratic.
    fn has_edge(&self, x: &[f64], length: f64) -> bool {
        let mut rise = 0.0;
        for (k, x) in x.iter().enumerate() {
            let ahead = self.radius / length * x - self.center[k];
            rise += (self.gradient[k] + 0.5 * self.values[k] * ahead) * ahead;
        }
        length == 0.0 || rise <= self.beta
    }

    /// The multipliers of the quadratic and of the ball that give the least bound, none where there are no numbers for them: Newton's
    /// method with a line search, as the bound is convex in them.
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

    /// Where the ball does not count, if that is so; else about where either counts alone.
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

    /// What κ of the quadratic and η of the ball give.
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

/// The bound of two multipliers, with its slope and its curvature in them.
#[derive(Debug, Clone, Copy)]
struct Multipliers {
    /// 1/ν.
    kappa: f64,
    /// λ/ν.
    eta: f64,
    bound: f64,
    slope: [f64; 2],
    bend: [f64; 3],
}

impl Multipliers {
    /// Newton's step, or where the ball does not count that of κ alone; it leaves a part of both.
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
