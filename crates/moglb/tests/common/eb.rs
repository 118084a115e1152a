//! MOGLB-EB as slowly and plainly as possible: all coefficients (θ̄, θ₁, …, θ_m) are one Gaussian vector of
//! (m + 1)·d entries. Its precision is written down from the hierarchy, the evidence is added, and one
//! inverse gives the posterior.

use super::ekf::{score, weight};
use super::reference::inverse;
use moglb::{Direction, Link, MoglbEbConfig, Problem, draw};
use nalgebra::{Cholesky, DMatrix, DVector};

pub struct SlowEb {
    config: MoglbEbConfig,
    dim: usize,
    radius: f64,
    pub within: f64,
    pub between: f64,
    models: Vec<Model>,
    /// The context, and for every objective the weight, the score and the z at which they were computed.
    pending: Vec<(DVector<f64>, Vec<[f64; 3]>)>,
    taken: u64,
    mean: DVector<f64>,
    covariance: DMatrix<f64>,
}

/// One objective. A minimized one is negated: −y and −z take the place of y and z.
struct Model {
    link: Link,
    better: f64,
    first_dispersion: f64,
    information: DMatrix<f64>,
    moments: DVector<f64>,
    squared_scores: f64,
    weights: f64,
}

impl SlowEb {
    pub fn new(problem: &Problem, config: &MoglbEbConfig) -> Self {
        let (dim, m, radius) = (problem.dim(), problem.n_objectives(), problem.radius());
        let models = problem.objectives().iter().map(|objective| {
            let (low, high) = objective.rewards();
            Model {
                link: objective.link,
                better: if objective.direction == Direction::Minimize { -1.0 } else { 1.0 },
                first_dispersion: if objective.link == Link::Identity {
                    ((high - low) / 2.0).powi(2)
                } else {
                    1.0
                },
                information: DMatrix::zeros(dim, dim),
                moments: DVector::zeros(dim),
                squared_scores: 0.0,
                weights: 0.0,
            }
        });
        let first = radius * radius / (2 * dim) as f64;
        let mut slow = Self {
            config: config.clone(),
            dim,
            radius,
            within: first,
            between: first,
            models: models.collect(),
            pending: Vec::new(),
            taken: 0,
            mean: DVector::zeros((m + 1) * dim),
            covariance: DMatrix::zeros((m + 1) * dim, (m + 1) * dim),
        };
        slow.infer();
        slow
    }

    pub fn learn(&mut self, x: &[f64], reward: &[f64]) {
        let x = DVector::from_column_slice(x);
        let read = |(i, &y): (usize, &f64)| {
            let Model { link, better, .. } = self.models[i];
            let z = self.block(i + 1).dot(&x).clamp(-self.radius, self.radius);
            [weight(link, better * z), better * score(link, better * z, y), z]
        };
        let read = reward.iter().enumerate().map(read).collect();
        self.pending.push((x, read));
        if self.pending.len() as u64 >= (1 + self.taken / 20).min(10) {
            self.expect_and_maximize();
            self.take_in();
            self.infer();
        }
    }

    /// θ̂ of an objective in its own orientation.
    pub fn theta(&self, objective: usize) -> Vec<f64> {
        let better = self.models[objective].better;
        self.block(objective + 1).iter().map(|entry| better * entry).collect()
    }

    pub fn shared_mean(&self) -> Vec<f64> {
        self.block(0).as_slice().to_vec()
    }

    /// The standard deviation of θᵢᵀx.
    pub fn deviation(&self, objective: usize, x: &[f64]) -> f64 {
        let x = DVector::from_column_slice(x);
        (x.transpose() * self.joint(objective + 1, objective + 1) * &x)[0].sqrt()
    }

    /// The mean of θ̄ and of the θᵢ, in this order.
    fn block(&self, index: usize) -> DVector<f64> {
        self.mean.rows(index * self.dim, self.dim).into_owned()
    }

    fn joint(&self, row: usize, column: usize) -> DMatrix<f64> {
        let d = self.dim;
        self.covariance.view((row * d, column * d), (d, d)).into_owned()
    }

    /// I − uuᵀ.
    fn off_level(&self) -> DMatrix<f64> {
        let d = self.dim;
        DMatrix::identity(d, d) - DMatrix::from_element(d, d, 1.0 / d as f64)
    }

    fn infer(&mut self) {
        let (d, m) = (self.dim, self.models.len());
        let identity = DMatrix::<f64>::identity(d, d);
        let mut precision = DMatrix::zeros((m + 1) * d, (m + 1) * d);
        let mut moments = DVector::zeros((m + 1) * d);
        let mut plus = |row: usize, column: usize, block: DMatrix<f64>| {
            let mut view = precision.view_mut((row * d, column * d), (d, d));
            view += block;
        };
        let level = &identity - self.off_level();
        plus(0, 0, self.off_level() / self.between + level / self.radius.powi(2));
        for (i, model) in self.models.iter().enumerate() {
            // −log N(θᵢ; θ̄, τ²I) = ‖θᵢ − θ̄‖²/(2τ²).
            let own = &identity / self.within;
            plus(0, 0, own.clone());
            plus(0, i + 1, -&own);
            plus(i + 1, 0, -&own);
            plus(i + 1, i + 1, own + &model.information / model.dispersion());
            moments.rows_mut((i + 1) * d, d).copy_from(&(&model.moments / model.dispersion()));
        }
        self.covariance = inverse(&precision);
        self.mean = &self.covariance * moments;
    }

    /// Computes E‖θᵢ − θ̄‖² and E‖(I − uuᵀ)θ̄‖² under the joint posterior, and the scales that follow.
    fn expect_and_maximize(&mut self) {
        let (d, m, first) = (self.dim as f64, self.models.len(), self.radius.powi(2) / (2 * self.dim) as f64);
        let apart: f64 = (1..=m)
            .map(|i| {
                let spread = self.joint(i, i) - self.joint(i, 0) - self.joint(0, i) + self.joint(0, 0);
                (self.block(i) - self.block(0)).norm_squared() + spread.trace()
            })
            .sum();
        let off = self.off_level();
        let around = (&off * self.block(0)).norm_squared() + (&off * self.joint(0, 0) * &off).trace();
        // As if one more entry with the first variance had been observed.
        self.within = ((apart + first) / (m as f64 * d + 1.0)).clamp(1e-3 * first, 1e3 * first);
        self.between = ((around + first) / (d - 1.0 + 1.0)).clamp(1e-3 * first, 1e3 * first);
    }

    fn take_in(&mut self) {
        for (x, read) in self.pending.drain(..) {
            for (model, [weight, score, z]) in self.models.iter_mut().zip(read) {
                model.information += &x * x.transpose() * weight;
                // The working response is z − score/weight.
                model.moments += &x * (weight * (z - score / weight));
                model.squared_scores += score * score;
                model.weights += weight;
            }
            self.taken += 1;
        }
    }

    /// Draws θ̄ from its marginal, then every θᵢ given θ̄, by the factors C = WWᵀ and Pᵢ = WᵢWᵢᵀ with W upper
    /// triangular: the same normal draws then give the same samples, larger is better.
    pub fn samples(&self) -> Vec<Vec<DVector<f64>>> {
        let (d, c) = (self.dim, self.joint(0, 0));
        let mut rng = draw::seeded(0x6d6f_676c_6265_6201);
        rng.set_stream(self.taken);
        let mut normals = || DVector::from_fn(d, |_, _| draw::normal(&mut rng));
        // Conditioning by the joint: E[θᵢ | θ̄] moves by Cov(θᵢ, θ̄)C⁻¹, and the Schur complement remains.
        let conditional = |i: usize| {
            let gain = self.joint(i, 0) * inverse(&c);
            let left = self.joint(i, i) - &gain * self.joint(0, i);
            (gain, upper_root(&left))
        };
        let conditionals: Vec<_> = (1..=self.models.len()).map(conditional).collect();
        let (root_of_mean, mut samples) = (upper_root(&c), Vec::new());
        while samples.len() < self.config.samples {
            let off = &root_of_mean * normals();
            let deviations: Vec<_> =
                conditionals.iter().map(|(gain, root)| gain * &off + root * normals()).collect();
            for side in [1.0, -1.0] {
                let theta = |(i, deviation): (usize, &DVector<f64>)| self.block(i + 1) + deviation * side;
                samples.push(deviations.iter().enumerate().map(theta).collect());
            }
        }
        samples.truncate(self.config.samples);
        samples
    }
}

impl Model {
    fn dispersion(&self) -> f64 {
        let before = 10.0 * weight(self.link, 0.0);
        let learned = (before * self.first_dispersion + self.squared_scores) / (before + self.weights);
        learned.clamp(1e-4 * self.first_dispersion, 1e4 * self.first_dispersion)
    }
}

/// The upper triangular W with WWᵀ = A: the inverse of the factor U of A⁻¹ = UᵀU.
fn upper_root(a: &DMatrix<f64>) -> DMatrix<f64> {
    let precision = inverse(a);
    let precision = (&precision + precision.transpose()) / 2.0;
    inverse(&Cholesky::new(precision).expect("a covariance").l().transpose())
}

/// The chance from which an arm is played in full: threshold·(1 + 3·share), but no more than 0.7 or the
/// threshold, nor than the largest chance.
pub fn asked(chances: &[f64], threshold: f64) -> f64 {
    let share = chances.iter().sum::<f64>() / chances.len() as f64;
    let largest = chances.iter().fold(0.0_f64, |a, &b| a.max(b));
    (threshold * (1.0 + 3.0 * share)).min(threshold.max(0.7)).min(largest)
}

/// Probabilities in proportion to min(1, (p/asked)⁴). If `asked` is zero, all arms have the same probability.
pub fn play_probabilities(chances: &[f64], threshold: f64) -> Vec<f64> {
    let asked = asked(chances, threshold);
    let weight = |&p: &f64| if asked == 0.0 { 1.0 } else { (p / asked).powf(4.0).min(1.0) };
    let weights: Vec<f64> = chances.iter().map(weight).collect();
    weights.iter().map(|weight| weight / weights.iter().sum::<f64>()).collect()
}

/// The value of a reported set: (Σ p in it) / (its size + Σ p outside).
pub fn worth(chances: &[f64], set: &[usize]) -> f64 {
    let inside: f64 = set.iter().map(|&arm| chances[arm]).sum();
    inside / (set.len() as f64 + chances.iter().sum::<f64>() - inside)
}
