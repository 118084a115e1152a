//! Prior beliefs about coefficients: a warm start from estimates with a stated confidence.
//!
//! There are two kinds of confidence.
//!
//! A *bound*, ‖θ − θ⁰‖ ≤ r with certainty, keeps the theorems. With Z_1 = λ(D/r)²I the first term
//! of γ, ‖θ − θ̂_1‖²_{Z_1} ≤ λ(D/r)²r² = λD², is the same as with θ̂_1 = 0 and Z_1 = λI, and
//! nothing else in the proof of Theorem 1 depends on where the estimate begins.
//!
//! A *spread*, the standard deviations or the covariance Σ of an estimate from elsewhere, adds its
//! information Σ⁻¹ to Z_1, as if the rewards behind it had been learned here. A reward at x has the
//! information w/φ·xxᵀ, where w is its weight in the likelihood, and φ the variance of a reward
//! where the likelihood does not determine it. In H of EKF-UCB this reward has the weight w, in Z
//! of MOGLB-UCB the weight κ/2. So φΣ⁻¹ is added to H, and (κ/2)/w·φΣ⁻¹ to Z, with the w at
//! θᵀx = 0. An *information* matrix is Σ⁻¹ itself; it may be singular, where nothing is known in
//! some direction.

use crate::{Kind, Link, Objective, Parameter, Problem};
use moglb_math::eigen::Eigen;
use moglb_math::gram::LIFT;
use moglb_math::kernel::norm;
use moglb_math::{Error, Gram, Matrix};
use serde::{Deserialize, Serialize};

/// The least deviation, as a share of D: with a smaller one, new rewards would have almost no
/// effect.
const LEAST: f64 = 1e-5;

/// Smaller information counts as none: entries that small lose digits when they are scaled.
const NEGLIGIBLE: f64 = 1e-280;

/// The parameter of policies that can begin with a prior.
pub(crate) const PRIOR: Parameter = Parameter {
    name: "prior",
    kind: Kind::Priors,
    default: "none",
    meaning: "the belief before the first round, one for each objective: \
              { theta, within } (a bound on ‖θ − theta‖), \
              { theta, deviation } (one, or one per feature), { theta, covariance }, \
              { theta, information } or {}",
};

/// A prior belief about the coefficients of one objective.
///
/// ```
/// use moglb::{ArmSet, Link, MoglbEb, MoglbEbConfig, Objective, Prior, Problem, draw, Policy};
/// let click = Objective::new("click", Link::Logit);
/// let sale = Objective::new("sale", Link::Logit);
/// let problem = Problem::new(2, vec![click, sale])?;
/// let prior = vec![Prior::spread(vec![0.9, -0.2], 0.05), Prior::none()];
/// let policy = MoglbEb::new(problem, MoglbEbConfig { prior, ..Default::default() })?;
/// assert!(policy.theta().row(0)[0] > 0.8, "the first estimate is that of the prior");
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "WrittenPrior", into = "WrittenPrior")]
pub struct Prior {
    /// θ⁰, in the objective's own orientation: E y ≈ μ(xᵀθ⁰).
    theta: Vec<f64>,
    /// The confidence in θ⁰; `None` for no belief.
    confidence: Option<PriorConfidence>,
}

/// The confidence in an estimate.
#[derive(Debug, Clone, PartialEq)]
enum PriorConfidence {
    /// ‖θ − θ⁰‖ ≤ r with certainty.
    Within(f64),
    /// The standard deviations: one for all coefficients, or one for each.
    Deviations(Vec<f64>),
    /// The covariance, by rows.
    Covariance(Vec<Vec<f64>>),
    /// The inverse of the covariance, by rows; it may be singular.
    Information(Vec<Vec<f64>>),
}

impl Prior {
    /// Returns the prior of an objective about which nothing is believed.
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns the belief that ‖θ − θ⁰‖ ≤ r with certainty. It keeps proved widths valid.
    pub fn within(theta: Vec<f64>, radius: f64) -> Self {
        Self { theta, confidence: Some(PriorConfidence::Within(radius)) }
    }

    /// Returns an estimate with the same standard deviation for every coefficient.
    pub fn spread(theta: Vec<f64>, deviation: f64) -> Self {
        Self::spreads(theta, vec![deviation])
    }

    /// Returns an estimate with one standard deviation per coefficient.
    pub fn spreads(theta: Vec<f64>, deviations: Vec<f64>) -> Self {
        Self { theta, confidence: Some(PriorConfidence::Deviations(deviations)) }
    }

    /// Returns an estimate with the covariance of its coefficients, as a regression elsewhere
    /// reports it.
    pub fn covariance(theta: Vec<f64>, covariance: &Matrix) -> Self {
        let rows = covariance.rows().map(<[f64]>::to_vec).collect();
        Self { theta, confidence: Some(PriorConfidence::Covariance(rows)) }
    }

    /// Returns an estimate with the information behind it, the inverse of its covariance. The
    /// information may be singular, if nothing is known in some direction.
    pub fn information(theta: Vec<f64>, information: &Matrix) -> Self {
        let rows = information.rows().map(<[f64]>::to_vec).collect();
        Self { theta, confidence: Some(PriorConfidence::Information(rows)) }
    }

    /// Returns the belief of a policy about an objective, as a prior for another policy: its
    /// estimate, scaled into the ball of radius D, and `factor` times the information that it
    /// learned, limited to what a prior may have. Returns no belief if nothing was learned.
    ///
    /// [`Prior::check`] accepts the result, whatever the rounding errors in `learned`:
    /// [`semidefinite`] leaves no eigenvalue below zero, a common factor changes none by more than
    /// ε times the trace, and information that is too small to keep its digits is replaced by
    /// zeros.
    #[doc(hidden)]
    pub fn believed(theta: &[f64], radius: f64, learned: Matrix, factor: f64) -> Self {
        // If the square of a range underflows, the factor is not a number; a custom link can also
        // give none.
        if factor.is_nan() {
            return Self::none();
        }
        let mut information = semidefinite(learned);
        let most = (0..theta.len()).map(|k| information.row(k)[k]).fold(0.0, f64::max);
        if most == 0.0 && theta.iter().all(|&entry| entry == 0.0) {
            return Self::none();
        }
        let (largest, least) = (factor * most, LEAST * radius);
        if (NEGLIGIBLE..f64::INFINITY).contains(&largest) {
            let factor = factor * (1.0 / (largest * least * least)).min(1.0);
            information.as_mut_slice().iter_mut().for_each(|entry| *entry *= factor);
        } else {
            information = information.of_zeros();
        }
        let shorter = (radius / norm(theta)).min(1.0);
        Self::information(theta.iter().map(|entry| shorter * entry).collect(), &information)
    }

    /// Returns the same estimate with deviations, or a bound, `factor` times as large. A factor
    /// above one means less confidence.
    #[must_use]
    pub fn widened(mut self, factor: f64) -> Self {
        match &mut self.confidence {
            Some(PriorConfidence::Within(radius)) => *radius *= factor,
            Some(PriorConfidence::Deviations(deviations)) => deviations.iter_mut().for_each(|s| *s *= factor),
            Some(PriorConfidence::Covariance(rows)) => {
                rows.iter_mut().flatten().for_each(|entry| *entry *= factor * factor);
            }
            Some(PriorConfidence::Information(rows)) => {
                rows.iter_mut().flatten().for_each(|entry| *entry /= factor * factor);
            }
            None => {}
        }
        self
    }

    /// Returns true if nothing is believed.
    pub fn is_none(&self) -> bool {
        self.confidence.is_none()
    }

    /// Returns true if the theorems hold with this prior: it is a bound, or none.
    fn is_bound(&self) -> bool {
        matches!(self.confidence, None | Some(PriorConfidence::Within(_)))
    }

    /// Returns θ⁰ with larger is better, and Σ⁻¹; `None` without a belief. A bound r counts as a
    /// spread with E‖θ − θ⁰‖² = r².
    pub(crate) fn belief(&self, objective: &Objective) -> Option<PriorBelief> {
        let dim = self.theta.len();
        let diagonal = |entries: &dyn Fn(usize) -> f64| {
            let entry = |n: usize| if n / dim == n % dim { entries(n / dim) } else { 0.0 };
            Matrix::new(dim, (0..dim * dim).map(entry).collect()).expect("d rows of d")
        };
        let precision = match self.confidence.as_ref()? {
            PriorConfidence::Within(radius) => diagonal(&|_| dim as f64 / (radius * radius)),
            PriorConfidence::Deviations(deviations) => {
                let squared = |s: f64| s * s;
                diagonal(&|k| 1.0 / squared(deviations[k % deviations.len()]))
            }
            PriorConfidence::Covariance(rows) => inverse(rows).expect("the covariance was checked"),
            PriorConfidence::Information(rows) => Matrix::from_rows(rows).expect("d rows of d"),
        };
        let theta = self.theta.iter().map(|entry| objective.sign() * entry).collect();
        Some(PriorBelief { theta, precision })
    }

    /// Returns θ̂_1 and Z_1 − λI for an objective. In its Z a reward of weight w has the weight
    /// `unit`·w: see the top of this file.
    #[doc(hidden)]
    pub fn start(&self, objective: &Objective, radius: f64, lambda: f64, unit: f64) -> Option<PriorBelief> {
        let mut belief = self.belief(objective)?;
        let factor = match self.confidence {
            // Z_1 = λ(D/r)²I, and Σ⁻¹ is (d/r²)I.
            Some(PriorConfidence::Within(within)) => {
                let part = within / radius;
                lambda * (1.0 - part * part) * radius * radius / belief.theta.len() as f64
            }
            _ => unit * dispersion(objective),
        };
        belief.precision.as_mut_slice().iter_mut().for_each(|entry| *entry *= factor);
        Some(belief)
    }

    /// Rejects a prior that is not possible for an objective.
    fn check(&self, index: usize, dim: usize, radius: f64) -> Result<(), Error> {
        let refused = |what: &'static str| Err(Error::Prior { objective: index, what });
        let Some(confidence) = &self.confidence else { return Ok(()) };
        if self.theta.len() != dim {
            return refused("the estimate must have one entry per feature");
        }
        if !self.theta.iter().all(|entry| entry.is_finite()) || norm(&self.theta) > radius * (1.0 + 1e-9) {
            return refused("the estimate must be finite and in the ball of radius D");
        }
        let (least, most) = (LEAST * radius, 1e5 * radius);
        match confidence {
            PriorConfidence::Within(within) if !(*within >= least && *within <= radius) => {
                refused("the bound must be at least 1e-5·D and at most D")
            }
            PriorConfidence::Deviations(deviations) => {
                if deviations.len() != 1 && deviations.len() != dim {
                    return refused("there must be one deviation, or one per feature");
                }
                if !deviations.iter().all(|s| *s >= least && *s <= most) {
                    return refused("a deviation must be at least 1e-5·D and at most 1e5·D");
                }
                Ok(())
            }
            PriorConfidence::Covariance(rows) => {
                if rows.len() != dim || rows.iter().any(|row| row.len() != dim) {
                    return refused("the covariance must have d rows of d");
                }
                let Some(precision) = inverse(rows) else {
                    return refused("the covariance must be symmetric and positive definite");
                };
                // 1/Σ⁻¹_kk is the variance of coefficient k given all others.
                let given_others = |k: usize| 1.0 / precision.row(k)[k].sqrt();
                if !(0..dim).all(|k| given_others(k) >= least && rows[k][k].sqrt() <= most) {
                    return refused(
                        "the deviations of the covariance must be at least 1e-5·D and at most 1e5·D",
                    );
                }
                Ok(())
            }
            PriorConfidence::Information(rows) => {
                if rows.len() != dim || rows.iter().any(|row| row.len() != dim) {
                    return refused("the information must have d rows of d");
                }
                if !rows.iter().flatten().all(|entry| entry.is_finite()) || !is_semidefinite(rows) {
                    return refused("the information must be finite, symmetric and positive semidefinite");
                }
                // (1 + 1e-9): the belief of a policy may lie exactly at the bound.
                if !(0..dim).all(|k| rows[k][k] * least * least <= 1.0 + 1e-9) {
                    return refused("the information must leave each deviation at least 1e-5·D");
                }
                Ok(())
            }
            PriorConfidence::Within(_) => Ok(()),
        }
    }
}

/// The prior belief about one objective as numbers: θ⁰ with larger is better, and the precision
/// Σ⁻¹.
#[derive(Debug, Clone, PartialEq)]
pub struct PriorBelief {
    pub theta: Vec<f64>,
    pub precision: Matrix,
}

/// Rejects priors that do not fit a problem. An empty list always fits; any other needs one prior
/// per objective.
pub(crate) fn check_priors(priors: &[Prior], problem: &Problem) -> Result<(), Error> {
    if priors.is_empty() {
        return Ok(());
    }
    if priors.len() != problem.n_objectives() {
        let what = "there must be one prior per objective, or none";
        return Err(Error::Prior { objective: priors.len().min(problem.n_objectives()), what });
    }
    let mut all = priors.iter().enumerate();
    all.try_for_each(|(i, prior)| prior.check(i, problem.dim(), problem.radius()))
}

/// Rejects priors that are spreads: the theorems hold with bounds only.
pub(crate) fn check_bounds(priors: &[Prior]) -> Result<(), Error> {
    match priors.iter().position(|prior| !prior.is_bound()) {
        Some(objective) => {
            Err(Error::Prior { objective, what: "a proved width needs a bound (within), not a spread" })
        }
        None => Ok(()),
    }
}

/// Returns true if nothing is believed about any objective.
pub(crate) fn are_none(priors: &[Prior]) -> bool {
    priors.iter().all(Prior::is_none)
}

/// Returns the variance of a reward relative to its weight. Where the likelihood does not determine
/// it, it is the largest that the range allows.
pub(crate) fn dispersion(objective: &Objective) -> f64 {
    let (low, high) = objective.rewards();
    match objective.link {
        Link::Identity | Link::Custom(_) => 0.25 * (high - low) * (high - low),
        Link::Logit | Link::Probit | Link::Log => 1.0,
    }
}

/// Returns true if a symmetric matrix has no negative eigenvalue, up to rounding.
fn is_semidefinite(rows: &[Vec<f64>]) -> bool {
    let Ok(matrix) = Matrix::from_rows(rows) else { return false };
    let trace = matrix.trace();
    trace == 0.0 && rows.iter().flatten().all(|&entry| entry == 0.0)
        || Gram::from_dense(&matrix.lifted(LIFT * trace)).is_ok()
}

/// Returns a positive definite matrix. A symmetric input that is positive definite with a margin
/// for rounding is returned unchanged, bit for bit. In any other input the eigenvalues are raised
/// to that margin. Returns zeros if no eigenvalue is positive.
///
/// The margin is 4dε of the trace. Two sums of d products matter: those in the factor of
/// [`Gram::from_dense`] and the sum Σ lₖ·uₖuₖᵀ below. Their rounding errors are at most dε of the
/// trace, so the returned matrix has a factor, and still has one after two multiplications by a
/// number.
fn semidefinite(matrix: Matrix) -> Matrix {
    let dim = matrix.n_cols();
    let margin = 4.0 * dim as f64 * f64::EPSILON;
    let trace = matrix.trace();
    if trace > 0.0 && Gram::from_dense(&matrix.clone().lifted(-margin * trace)).is_ok() {
        return matrix;
    }
    if matrix.check_finite("a matrix").is_err() {
        return matrix.of_zeros();
    }
    let halves = |n: usize| 0.5 * matrix.row(n / dim)[n % dim] + 0.5 * matrix.row(n % dim)[n / dim];
    let mut eigen = Eigen::of((0..dim * dim).map(halves).collect(), dim);
    let trace: f64 = eigen.values.iter().map(|value| value.max(0.0)).sum();
    if trace == 0.0 {
        return matrix.of_zeros();
    }
    // Square roots, so that the products below are symmetric to the bit.
    eigen.values.iter_mut().for_each(|value| *value = value.max(margin * trace).sqrt());
    let root = |k: usize, i: usize| eigen.values[k] * eigen.vectors[k * dim + i];
    let entry = |n: usize| (0..dim).map(|k| root(k, n / dim) * root(k, n % dim)).sum();
    Matrix::new(dim, (0..dim * dim).map(entry).collect()).expect("d rows of d")
}

/// Returns the inverse of a symmetric positive definite matrix; `None` for any other matrix.
fn inverse(rows: &[Vec<f64>]) -> Option<Matrix> {
    Some(Gram::from_dense(&Matrix::from_rows(rows).ok()?).ok()?.inverse())
}

/// A prior as users write it: flat, with `theta` and one of `within`, `deviation`, `covariance` and
/// `information`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPrior {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    theta: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deviation: Option<OneOrMany>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    covariance: Option<Vec<Vec<f64>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    information: Option<Vec<Vec<f64>>>,
}

/// One deviation for all coefficients, or one for each.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(f64),
    Many(Vec<f64>),
}

impl TryFrom<WrittenPrior> for Prior {
    type Error = Error;

    fn try_from(written: WrittenPrior) -> Result<Self, Error> {
        let WrittenPrior { theta, within, deviation, covariance, information } = written;
        let confidence = match (within, deviation, covariance, information) {
            (None, None, None, None) => None,
            (Some(within), None, None, None) => Some(PriorConfidence::Within(within)),
            (None, Some(OneOrMany::One(one)), None, None) => Some(PriorConfidence::Deviations(vec![one])),
            (None, Some(OneOrMany::Many(many)), None, None) => Some(PriorConfidence::Deviations(many)),
            (None, None, Some(rows), None) => Some(PriorConfidence::Covariance(rows)),
            (None, None, None, Some(rows)) => Some(PriorConfidence::Information(rows)),
            _ => {
                return Err(Error::Parameters {
                    what: "a prior has one of within, deviation, covariance and information",
                });
            }
        };
        match (theta, confidence) {
            (None, None) => Ok(Self::none()),
            (Some(theta), Some(confidence)) => Ok(Self { theta, confidence: Some(confidence) }),
            _ => Err(Error::Parameters {
                what: "a prior has theta and one of within, deviation, covariance and information",
            }),
        }
    }
}

impl From<Prior> for WrittenPrior {
    fn from(prior: Prior) -> Self {
        let theta = Some(prior.theta);
        match prior.confidence {
            None => Self::default(),
            Some(PriorConfidence::Within(within)) => Self { theta, within: Some(within), ..Self::default() },
            Some(PriorConfidence::Deviations(mut deviations)) => {
                let deviation = match deviations.len() {
                    1 => OneOrMany::One(deviations.remove(0)),
                    _ => OneOrMany::Many(deviations),
                };
                Self { theta, deviation: Some(deviation), ..Self::default() }
            }
            Some(PriorConfidence::Covariance(rows)) => {
                Self { theta, covariance: Some(rows), ..Self::default() }
            }
            Some(PriorConfidence::Information(rows)) => {
                Self { theta, information: Some(rows), ..Self::default() }
            }
        }
    }
}
