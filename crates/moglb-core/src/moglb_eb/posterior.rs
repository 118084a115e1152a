//! The posterior of the coefficients of all objectives together, in a hierarchy of Gaussians.
//!
//! ```text
//! θᵢ | θ̄  ~ N(θ̄, τ²I)                        objectives share a mean
//! θ̄       ~ N(0, ρ²(I − uuᵀ) + D²uuᵀ)        whose entries share a level; u = (1, …, 1)/√d
//! ```
//!
//! The inputs are the information Hᵢ and the moments bᵢ of each objective (sums of w·xxᵀ and of
//! w·(working response)·x), and its dispersion φᵢ:
//!
//! ```text
//! Aᵢ = Hᵢ/φᵢ + I/τ²,  Pᵢ = Aᵢ⁻¹                                          covariance of θᵢ given θ̄
//! C⁻¹ = (I − uuᵀ)/ρ² + uuᵀ/D² + Σᵢ (I/τ² − Pᵢ/τ⁴)                       that of θ̄
//! θ̄̂ = C Σᵢ Pᵢbᵢ/(φᵢτ²),  θ̂ᵢ = Pᵢ(bᵢ/φᵢ + θ̄̂/τ²)
//! ```
//!
//! If there is a prior belief about an objective, an estimate θ⁰ᵢ with precision Λᵢ, then
//! Hᵢ/φᵢ + Λᵢ and bᵢ/φᵢ + Λᵢθ⁰ᵢ take the places of Hᵢ/φᵢ and bᵢ/φᵢ in all of these.
//!
//! The two variances are learned by one step of expectation maximization per batch of rewards (the
//! M-step):
//!
//! ```text
//! τ² ← Σᵢ E‖θᵢ − θ̄‖² / (m·d)      ρ² ← E‖(I − uuᵀ)θ̄‖² / (d − 1)
//! ```
//!
//! In each of them the first value of the variance has the weight of one entry. Where objectives
//! have nothing in common, ρ² falls and τ² rises, and what remains is one ridge regression per
//! objective.
//!
//! The ratio of evidence to prior is bounded, because floating-point numbers have limited
//! precision: φᵢ is at least 1e-10·τ²·Σw, so the evidence outweighs the prior by at most ten
//! decades. Beyond that, I/τ² would vanish in the rounding errors of Hᵢ/φᵢ, and the prior would be
//! lost in directions that no context has.

use crate::prior::PriorBelief;
use moglb_math::Matrix;
use moglb_math::dense::{add, combine, factor, invert, square, sum_of_squares, transpose};
use moglb_math::draw;
use moglb_math::kernel::Panels;
use rand_core::Rng;

/// The largest factor by which evidence may outweigh the prior.
const MOST: f64 = 1e10;

/// The two variances of the hierarchy, τ² and ρ².
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// τ²: the variance of the entries of θᵢ around those of θ̄.
    pub within: f64,
    /// ρ²: the variance of the entries of θ̄ around their level.
    pub between: f64,
}

impl Scales {
    /// Returns the scales before any reward: each half of D²/d, the largest mean square of an
    /// entry.
    pub fn first(dim: usize, radius: f64) -> Self {
        let half = 0.5 * radius * radius / dim as f64;
        Self { within: half, between: half }
    }

    /// Returns the scales, moved to within three decades of the first ones.
    pub(super) fn clamped(self, first: Self) -> Self {
        let clamp = |scale: f64, first: f64| scale.clamp(1e-3 * first, 1e3 * first);
        Self { within: clamp(self.within, first.within), between: clamp(self.between, first.between) }
    }
}

/// The sums over the rewards of one objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// H = Σ w·xxᵀ: the upper triangle by rows, zeros below it. Only one triangle is computed,
    /// because only one is saved: with rounding, (w·xᵢ)·xⱼ is not always (w·xⱼ)·xᵢ.
    pub information: Vec<f64>,
    /// b = Σ (w·z − score)·x.
    pub moments: Vec<f64>,
    /// Σ score². On average it equals Σ w if the likelihood is right.
    pub(super) squared_scores: f64,
    /// Σ w.
    pub weights: f64,
}

impl Evidence {
    /// Returns the sums before the first reward: zeros.
    pub fn none(dim: usize) -> Self {
        Self { information: vec![0.0; dim * dim], moments: vec![0.0; dim], squared_scores: 0.0, weights: 0.0 }
    }

    /// Adds one reward: its context, weight and score, and the z at which weight and score were
    /// computed.
    pub fn add(&mut self, x: &[f64], weight: f64, score: f64, z: f64) {
        for (i, row) in self.information.chunks_exact_mut(x.len()).enumerate() {
            add(&mut row[i..], weight * x[i], &x[i..]);
        }
        add(&mut self.moments, weight * z - score, x);
        self.squared_scores += score * score;
        self.weights += weight;
    }

    /// Multiplies every sum by a discount.
    pub fn shrink(&mut self, discount: f64) {
        self.information.iter_mut().chain(&mut self.moments).for_each(|sum| *sum *= discount);
        self.squared_scores *= discount;
        self.weights *= discount;
    }

    /// Returns true if H is positive semidefinite up to rounding, as any sum of w·xxᵀ is.
    pub(super) fn is_possible(&self, dim: usize) -> bool {
        let mut lifted = self.information.clone();
        (0..dim).for_each(|k| lifted[k * (dim + 1)] += 1e-9 * self.weights);
        self.weights == 0.0 || factor(&mut lifted, dim, 0.0)
    }
}

/// The posterior of all coefficients. It depends on evidence, dispersions, scales and prior beliefs
/// only.
#[derive(Debug, Clone)]
pub(super) struct Posterior {
    dim: usize,
    radius: f64,
    scales: Scales,
    /// The prior beliefs: Λᵢ and Λᵢθ⁰ᵢ for each objective that has one. Empty if no objective has
    /// one.
    believed: Vec<Option<(Vec<f64>, Vec<f64>)>>,
    /// θ̄̂, the posterior mean of θ̄.
    mean: Vec<f64>,
    /// θ̂ᵢ of all objectives, end to end.
    thetas: Vec<f64>,
    /// Wᵢ of all objectives, with Pᵢ = WᵢWᵢᵀ; the next field has their transposes.
    roots: Vec<f64>,
    turned_roots: Vec<f64>,
    /// W, with C = WWᵀ; the next field has its transpose.
    mean_root: Vec<f64>,
    turned_mean_root: Vec<f64>,
    /// Pᵢ of all objectives.
    covariances: Vec<f64>,
    scratch: PosteriorScratch,
}

/// Memory for intermediate results, reused.
#[derive(Debug, Clone, Default)]
struct PosteriorScratch {
    matrix: Vec<f64>,
    precision: Vec<f64>,
    pull: Vec<f64>,
    vector: Vec<f64>,
    image: Vec<f64>,
    deviations: Vec<f64>,
}

impl Posterior {
    /// Returns a posterior of the right size. Its means are zero until the first
    /// [`Posterior::refill`].
    pub fn new(
        dim: usize,
        n_objectives: usize,
        radius: f64,
        beliefs: impl Iterator<Item = Option<PriorBelief>>,
    ) -> Self {
        let (square, all) = (dim * dim, n_objectives * dim * dim);
        let pulled = |PriorBelief { theta, precision }: PriorBelief| {
            let mut moments = vec![0.0; dim];
            combine(precision.as_slice(), &theta, &mut moments);
            (precision.into_vec(), moments)
        };
        Self {
            dim,
            radius,
            scales: Scales::first(dim, radius),
            believed: beliefs.map(|belief| belief.map(pulled)).collect(),
            mean: vec![0.0; dim],
            thetas: vec![0.0; n_objectives * dim],
            roots: vec![0.0; all],
            turned_roots: vec![0.0; all],
            mean_root: vec![0.0; square],
            turned_mean_root: vec![0.0; square],
            covariances: vec![0.0; all],
            scratch: PosteriorScratch {
                matrix: vec![0.0; square],
                precision: vec![0.0; square],
                pull: vec![0.0; dim],
                vector: vec![0.0; dim],
                image: vec![0.0; dim],
                deviations: vec![0.0; n_objectives * dim],
            },
        }
    }

    /// Returns θ̂ᵢ of an objective; larger is better.
    pub fn theta(&self, objective: usize) -> &[f64] {
        &self.thetas[objective * self.dim..][..self.dim]
    }

    /// Returns θ̄̂.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Computes the posterior from evidence, dispersions and scales. Returns false if a
    /// factorization fails or a mean is not finite; the posterior must not be used then.
    #[must_use]
    pub fn refill(&mut self, evidence: &[Evidence], dispersions: &[f64], scales: Scales) -> bool {
        let (dim, square_size) = (self.dim, self.dim * self.dim);
        self.scales = scales;
        let Scales { within, between } = scales;
        let PosteriorScratch { matrix, precision, pull, vector, .. } = &mut self.scratch;
        let of_level = 1.0 / (self.radius * self.radius);
        precision.fill((of_level - 1.0 / between) / dim as f64);
        pull.fill(0.0);
        (0..dim).for_each(|k| precision[k * (dim + 1)] += 1.0 / between);
        for (i, (evidence, &dispersion)) in evidence.iter().zip(dispersions).enumerate() {
            let dispersion = dispersion.max(within * (evidence.weights / MOST));
            for (entry, information) in matrix.iter_mut().zip(&evidence.information) {
                *entry = information / dispersion;
            }
            (0..dim).for_each(|k| matrix[k * (dim + 1)] += 1.0 / within);
            let believed = self.believed.get(i).and_then(Option::as_ref);
            if let Some((precision, _)) = believed {
                matrix.iter_mut().zip(precision).for_each(|(entry, precision)| *entry += precision);
            }
            // Without rounding no squared pivot is below 1/τ². Half of that leaves ordinary pivots
            // unchanged.
            if !factor(matrix, dim, 0.5 / within) {
                return false;
            }
            let root = &mut self.roots[i * square_size..][..square_size];
            let turned = &mut self.turned_roots[i * square_size..][..square_size];
            let covariance = &mut self.covariances[i * square_size..][..square_size];
            invert(matrix, root, dim);
            transpose(root, turned, dim);
            square(turned, covariance, dim);
            // Two divisions by τ²: for a small D the square of 1/τ² overflows.
            precision.iter_mut().zip(&*covariance).for_each(|(entry, p)| *entry -= p / within / within);
            (0..dim).for_each(|k| precision[k * (dim + 1)] += 1.0 / within);
            let theta = &mut self.thetas[i * dim..][..dim];
            vector.iter_mut().zip(&evidence.moments).for_each(|(v, b)| *v = b / dispersion);
            if let Some((_, moments)) = believed {
                vector.iter_mut().zip(moments).for_each(|(v, b)| *v += b);
            }
            combine(covariance, vector, theta);
            add(pull, 1.0 / within, theta);
        }
        matrix.copy_from_slice(precision);
        if !factor(matrix, dim, 0.5 * of_level.min(1.0 / between)) {
            return false;
        }
        invert(matrix, &mut self.mean_root, dim);
        transpose(&self.mean_root, &mut self.turned_mean_root, dim);
        combine(&self.mean_root, pull, vector);
        combine(&self.turned_mean_root, vector, &mut self.mean);
        for (theta, covariance) in
            self.thetas.chunks_exact_mut(dim).zip(self.covariances.chunks_exact(square_size))
        {
            combine(covariance, &self.mean, vector);
            add(theta, 1.0 / within, vector);
        }
        self.thetas.iter().chain(&self.mean).all(|entry| entry.is_finite())
    }

    /// The M-step: returns the scales that make this posterior most likely. The first scales have
    /// the weight of one entry.
    pub(super) fn better_scales(&mut self, first: Scales) -> Scales {
        let (dim, within) = (self.dim, self.scales.within);
        let PosteriorScratch { vector, image, .. } = &mut self.scratch;
        let mut distance = 0.0;
        let squares = self.covariances.chunks_exact(dim * dim).zip(self.turned_roots.chunks_exact(dim * dim));
        for (theta, (covariance, root)) in self.thetas.chunks_exact(dim).zip(squares) {
            vector.copy_from_slice(theta);
            add(vector, -1.0, &self.mean);
            // θᵢ − θ̄ changes with θ̄ by Pᵢ/τ² − I, and has the covariance Pᵢ in addition.
            distance += sum_of_squares(vector) + sum_of_squares(root);
            for column in self.turned_mean_root.chunks_exact(dim) {
                combine(covariance, column, image);
                image.iter_mut().zip(column).for_each(|(image, column)| *image = *image / within - column);
                distance += sum_of_squares(image);
            }
        }
        // The part of θ̄ that is not level: the whole minus its part along u.
        let along_level = |x: &[f64]| x.iter().sum::<f64>().powi(2) / dim as f64;
        let mut around = sum_of_squares(&self.mean) - along_level(&self.mean);
        for column in self.turned_mean_root.chunks_exact(dim) {
            around += sum_of_squares(column) - along_level(column);
        }
        let entries = self.thetas.len() as f64;
        let learned = Scales {
            within: (distance + first.within) / (entries + 1.0),
            between: (around + first.between) / dim as f64,
        };
        learned.clamped(first)
    }

    /// Draws samples of the coefficients in pairs. The two samples of a pair lie on opposite sides
    /// of the posterior mean; with an odd number of samples, the last one has no partner. Each pair
    /// takes d normal draws for θ̄, then d for each objective.
    pub fn sample<R: Rng>(&mut self, rng: &mut R, samples: &mut [Panels]) {
        let (dim, within) = (self.dim, self.scales.within);
        let n_objectives = self.thetas.len() / dim;
        let PosteriorScratch { deviations, pull, vector, image, .. } = &mut self.scratch;
        for pair in samples.chunks_mut(2) {
            pull.iter_mut().for_each(|entry| *entry = draw::normal(rng));
            combine(&self.turned_mean_root, pull, vector);
            let roots = self.roots.chunks_exact(dim * dim).zip(self.turned_roots.chunks_exact(dim * dim));
            for ((root, turned), deviation) in roots.zip(deviations.chunks_exact_mut(dim)) {
                // θᵢ − θ̂ᵢ = Pᵢδ/τ² + Wᵢg = Wᵢ(Wᵢᵀδ/τ² + g), for the deviation δ of θ̄.
                combine(root, vector, image);
                image.iter_mut().for_each(|entry| *entry = *entry / within + draw::normal(rng));
                combine(turned, image, deviation);
            }
            for (sample, side) in pair.iter_mut().zip([1.0, -1.0]) {
                let entry = |i: usize, j: usize| self.thetas[i * dim + j] + side * deviations[i * dim + j];
                sample.refill(n_objectives, dim, false, entry);
            }
        }
    }

    /// Returns Hᵢ/φᵢ + Λᵢ: the information about an objective from its own rewards and its prior,
    /// without the other objectives.
    pub fn information(&self, objective: usize, evidence: &Evidence, dispersion: f64) -> Matrix {
        let dim = self.dim;
        let believed = self.believed.get(objective).and_then(Option::as_ref);
        let entry = |n: usize| {
            let (i, j) = (n / dim, n % dim);
            let own = evidence.information[i.min(j) * dim + i.max(j)] / dispersion;
            own + believed.map_or(0.0, |(precision, _)| precision[n])
        };
        Matrix::new(dim, (0..dim * dim).map(entry).collect()).expect("d rows of d")
    }

    /// Returns the standard deviation of θᵢᵀx.
    pub fn deviation(&self, objective: usize, x: &[f64], scratch: &mut [Vec<f64>; 2]) -> f64 {
        let (dim, square_size) = (self.dim, self.dim * self.dim);
        let [image, product] = scratch;
        image.resize(dim, 0.0);
        product.resize(dim, 0.0);
        combine(&self.roots[objective * square_size..][..square_size], x, image);
        let own = sum_of_squares(image);
        combine(&self.covariances[objective * square_size..][..square_size], x, image);
        image.iter_mut().for_each(|entry| *entry /= self.scales.within);
        combine(&self.mean_root, image, product);
        (own + sum_of_squares(product)).sqrt()
    }
}
