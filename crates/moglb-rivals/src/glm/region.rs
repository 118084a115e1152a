//! The confidence set of OFUGLB, and the index of an arm in it: the largest xᵀθ with ‖θ‖ ≤ S and
//! L(θ) − L(θ̂) ≤ β.
//!
//! The method is Newton's, for the point and both multipliers at once, from the farthest point of a
//! quadratic model. Each evaluation of L bounds the answer from both sides. From above, L is at least its
//! tangent at θ, so
//!
//! ```text
//! gᵀθ' ≤ β − (L(θ) − L(θ̂)) + gᵀθ        for all θ' in the set, where g is the gradient of L at θ
//! ```
//!
//! and the farthest point of the ball in this half-space has a formula. From below, L is convex, so the
//! segment from θ̂ towards θ is in the set up to the point where L can have grown by β. An answer is
//! right once both bounds meet, however it was found.

use crate::glm::likelihood::{self, Local, Passes, factored, solve};
use crate::glm::quadratic::{Farthest, Quadratic};
use crate::ridge::dot;
use moglb_math::Error;

/// The relative gap at which two bounds have met.
const MET: f64 = 1e-9;

/// The largest number of evaluations of L. Four or five are usual.
const STEPS: usize = 40;

/// The largest excess of L over L(θ̂), in units of β, at which tangents still give useful bounds.
const MOST_EXCESS_BETAS: f64 = 2.0;

/// The confidence set { ‖θ‖ ≤ S : L(θ) − L(θ̂) ≤ β }.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region<'a> {
    pub likelihood: likelihood::Problem<'a>,
    /// θ̂.
    pub(super) center: &'a [f64],
    /// L(θ̂).
    pub least: f64,
    pub(super) beta: f64,
    /// S.
    pub radius: f64,
}

/// Bounds on the largest xᵀθ of the confidence set.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub low: f64,
    pub high: f64,
    /// The part of the gap that the rounding of L can cause.
    noise: f64,
}

impl Bounds {
    /// Returns the bounds of an exact value.
    pub fn at(value: f64) -> Self {
        Self { low: value, high: value, noise: 0.0 }
    }

    /// Returns true if the bounds have met.
    pub(super) fn met(&self) -> bool {
        self.high - self.low <= MET * (1.0 + self.high.abs()) + self.noise
    }
}

impl Region<'_> {
    /// Returns the bounds on the largest xᵀθ that need no pass over the records: θ̂ is in the set, and
    /// the set is in the ball.
    pub fn known(&self, x: &[f64]) -> Bounds {
        Bounds { low: dot(x, self.center), high: self.radius * dot(x, x).sqrt(), noise: 0.0 }
    }

    /// Returns bounds on the largest xᵀθ. They have met, unless the search stopped early: at an upper
    /// bound that `enough` accepts, when a step failed, after [`STEPS`] steps, or when the passes are
    /// used up.
    ///
    /// # Errors
    ///
    /// [`Error::LinkMean`] or [`Error::LinkSlope`] for a registered link that returns no number.
    pub(super) fn farthest(
        &self,
        x: &[f64],
        start: Farthest,
        passes: &mut Passes,
        enough: impl Fn(f64) -> bool,
    ) -> Result<Bounds, Error> {
        let length = dot(x, x).sqrt();
        let mut bounds = self.known(x);
        let Farthest { mut theta, mut nu, mut lambda } = start;
        // The last point that was not far outside of the set, and its excess of L.
        let mut base = (self.center.to_vec(), 0.0);
        for _ in 0..STEPS {
            if !passes.take() {
                break;
            }
            shrink(&mut theta, self.radius);
            let (value, local) = self.likelihood.around(&theta)?;
            let excess = value - self.least;
            bounds.low = bounds.low.max(self.inside(x, &theta, excess));
            bounds.high = bounds.high.min(self.cut(x, length, &theta, &local, excess));
            bounds.noise = 4.0 * f64::EPSILON * self.least.abs() / nu;
            if bounds.met() || enough(bounds.high) {
                break;
            }
            if excess > MOST_EXCESS_BETAS * self.beta {
                // The curvature was underestimated. On the way back L is nearly quadratic.
                let share = 0.9 * (self.beta / (excess - base.1)).sqrt();
                let share = if share < 0.7 { share } else { 0.7 };
                theta
                    .iter_mut()
                    .zip(&base.0)
                    .for_each(|(theta, base)| *theta = base + share * (*theta - base));
                continue;
            }
            let newton =
                if excess > 0.5 * self.beta { self.step(x, &theta, &local, excess, lambda) } else { None };
            let Some(next) = newton.or_else(|| self.model(x, &theta, &local, excess)) else { break };
            base = (theta, excess);
            Farthest { theta, nu, lambda } = next;
        }
        Ok(bounds)
    }

    /// Returns the farthest point under the quadratic model of L around θ.
    fn model(&self, x: &[f64], theta: &[f64], local: &Local, excess: f64) -> Option<Farthest> {
        Quadratic::new(theta, local, self.beta - excess, self.radius)?.farthest(x)
    }

    /// Returns xᵀθ' for a point θ' of the set between θ̂ and a θ in the ball. As L is convex, L grows by
    /// at most β on the share β/excess of the way.
    fn inside(&self, x: &[f64], theta: &[f64], excess: f64) -> f64 {
        let (from, to) = (dot(x, self.center), dot(x, theta));
        from + if excess > self.beta { self.beta / excess } else { 1.0 } * (to - from)
    }

    /// Returns the largest xᵀθ' over the θ' in the ball that satisfy the bound of the tangent at θ.
    fn cut(&self, x: &[f64], length: f64, theta: &[f64], local: &Local, excess: f64) -> f64 {
        let g = &local.gradient;
        let (steep, limit) = (dot(g, g).sqrt(), self.beta - excess + dot(g, theta));
        let along = dot(g, x) / steep;
        // The farthest point of the whole ball satisfies it, or the gradient is zero or NaN.
        if !(steep > 0.0 && self.radius * along * steep > limit * length) {
            return self.radius * length;
        }
        let height = limit / steep;
        let aside: f64 =
            g.iter().zip(x).map(|(g, x)| (x - along * (g / steep)) * (x - along * (g / steep))).sum();
        along * height + (self.radius * self.radius - height * height).max(0.0).sqrt() * aside.sqrt()
    }

    /// Returns the next θ, ν and λ: a Newton step for g + λθ = νx, L(θ) − L(θ̂) = β and, if the ball is
    /// active, ‖θ‖ = S.
    fn step(&self, x: &[f64], theta: &[f64], local: &Local, excess: f64, lambda: f64) -> Option<Farthest> {
        let (dim, g, squared) = (theta.len(), &local.gradient, self.radius * self.radius);
        let mut hessian = local.hessian.clone();
        (0..dim).for_each(|k| hessian[k * dim + k] += lambda);
        let (factor, _) = factored(&hessian, dim)?;
        let [by_g, by_x, by_theta] = [g, x, theta].map(|right| solve(&factor, right));
        let next = |nu: f64, lambda: f64| -> Option<Farthest> {
            let ahead = |k: usize| theta[k] + nu * by_x[k] - by_g[k] - lambda * by_theta[k];
            let theta: Vec<f64> = (0..dim).map(ahead).collect();
            let fine = nu > 0.0 && theta.iter().all(|entry| entry.is_finite());
            fine.then_some(Farthest { theta, nu, lambda })
        };
        // ν·gᵀX − λ·gᵀT = β − excess + gᵀG and ν·θᵀX − λ·θᵀT = (S² − ‖θ‖²)/2 + θᵀG.
        let [gx, gt, tx, tt] = [(g.as_slice(), &by_x), (g, &by_theta), (theta, &by_x), (theta, &by_theta)]
            .map(|(left, right)| dot(left, right));
        let rise = self.beta - excess + dot(g, &by_g);
        let room = 0.5 * (squared - dot(theta, theta)) + dot(theta, &by_g);
        let determinant = gt * tx - gx * tt;
        let on_edge = || {
            let [nu, lambda] = [gt * room - tt * rise, gx * room - tx * rise].map(|it| it / determinant);
            (lambda > 0.0).then(|| next(nu, lambda)).flatten()
        };
        if lambda > 0.0 {
            return on_edge().or_else(|| next(rise / gx, 0.0));
        }
        let free = next(rise / gx, 0.0)?;
        let leaves = dot(&free.theta, &free.theta) > squared;
        if leaves { on_edge().or(Some(free)) } else { Some(free) }
    }
}

/// Moves a point outside of the ball back onto it, along the radius.
fn shrink(theta: &mut [f64], radius: f64) {
    let length = dot(theta, theta).sqrt();
    if length > radius {
        theta.iter_mut().for_each(|entry| *entry *= radius / length);
    }
}
