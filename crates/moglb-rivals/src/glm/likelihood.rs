//! Maximum likelihood by Newton's method, from [`Records`]. It finds the θ that minimizes
//!
//! ```text
//! Σ n·ℓ(θᵀx, ȳ) + (ridge/2)·‖θ‖²        optionally over the ball ‖θ‖ ≤ S
//! ```
//!
//! for the loss ℓ of a [`Law`]. With a ball, every step goes to the point of the ball that is best for
//! the quadratic model: the projection of Newton's point in the norm of the Hessian. This is Newton's
//! method under a constraint.

use crate::glm::glm_target::GlmTarget;
use crate::glm::records::{NUMBERS_PER_BLOCK, Record, Records};
use crate::ridge::dot;
use moglb_core::{Fisher, Link};
use moglb_math::dense;
use moglb_math::kernel::widened;
use moglb_math::{Error, Gram, Matrix, project};

/// The loss to minimize. Both losses are the same except for probit, which is not the canonical link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// The negative logarithm of the likelihood.
    True,
    /// The quasi-likelihood −yz + g(z), g′ = μ: its minimum solves Σ (μ(θᵀx) − y)x = 0.
    Quasi,
}

/// The function to minimize, and its domain.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    pub model: &'a GlmTarget,
    pub(super) records: &'a Records,
    pub law: Law,
    /// The factor of ‖θ‖²/2.
    pub ridge: f64,
    /// A vector whose product with θ is subtracted. It tilts the minimum towards an arm.
    pub(super) tilt: Option<&'a [f64]>,
    /// S, if the minimum is over the ball.
    pub(super) ball: Option<f64>,
}

/// The gradient and the Hessian of the function to minimize.
#[derive(Debug, Clone)]
pub struct Local {
    pub(super) gradient: Vec<f64>,
    /// The Hessian by rows of d. Only the entries from the diagonal on are used.
    pub(super) hessian: Vec<f64>,
}

/// The Newton decrement of the last step. Half of a decrement is about the gain that is left.
const CLOSE: f64 = 1e-16;

/// The decrement below which whole steps are taken, without computing the loss.
const MOST_DECREMENT_OF_WHOLE_STEPS: f64 = 1e-3;

/// A budget of passes over the records, the unit of the cost of an optimization.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passes {
    left: u64,
}

impl Passes {
    /// Creates a budget of this many passes.
    pub fn new(left: u64) -> Self {
        Self { left }
    }

    /// Returns a budget that no optimization uses up.
    fn all() -> Self {
        Self::new(u64::MAX)
    }

    /// Counts a pass. Returns true if the budget allows it.
    pub fn take(&mut self) -> bool {
        let may = self.left > 0;
        self.left = self.left.saturating_sub(1);
        may
    }

    #[cfg(test)]
    pub fn left(self) -> u64 {
        self.left
    }

    /// Returns true if no pass is left, so an optimization may have stopped early.
    pub(super) fn are_used_up(self) -> bool {
        self.left == 0
    }
}

impl Problem<'_> {
    /// Returns the minimum. The start must be in the ball.
    ///
    /// # Errors
    ///
    /// [`Error::LinkMean`] or [`Error::LinkSlope`] for a registered link that returns no number.
    pub fn minimize(&self, start: &[f64]) -> Result<Vec<f64>, Error> {
        let minimum = self.minimize_within(start, &mut Passes::all())?;
        Ok(minimum.expect("the number of passes is not limited"))
    }

    /// Returns the minimum, or none if the passes do not suffice. The start must be in the ball.
    ///
    /// # Errors
    ///
    /// Those of [`Problem::minimize`].
    pub(super) fn minimize_within(
        &self,
        start: &[f64],
        passes: &mut Passes,
    ) -> Result<Option<Vec<f64>>, Error> {
        let (mut theta, mut last) = (start.to_vec(), f64::INFINITY);
        for _ in 0..100 {
            if !passes.take() {
                break;
            }
            let local = self.local(&theta)?;
            let Some(aim) = self.aim(&theta, &local) else { break };
            let step: Vec<f64> = aim.iter().zip(&theta).map(|(aim, theta)| aim - theta).collect();
            let decrement = -dot(&local.gradient, &step);
            let size = 1.0 + dot(&theta, &theta);
            if decrement.is_nan() || decrement <= 0.0 {
                break;
            }
            if decrement < MOST_DECREMENT_OF_WHOLE_STEPS {
                theta = aim;
                // At the edge of a ball rounding leaves a decrement that no step removes.
                if decrement <= CLOSE * size || (decrement <= 1e4 * CLOSE * size && decrement > 0.5 * last) {
                    break;
                }
                last = decrement;
                continue;
            }
            let Some(next) = self.search(&theta, &step, decrement, passes) else { break };
            theta = next;
        }
        Ok((!passes.are_used_up()).then_some(theta))
    }

    /// Returns the first of θ + step, θ + step/2, … that gains a share of what the slope predicts. None
    /// if rounding hides the gain, or if the passes are used up.
    fn search(&self, theta: &[f64], step: &[f64], decrement: f64, passes: &mut Passes) -> Option<Vec<f64>> {
        let (before, mut share) = (self.value(theta), 1.0);
        passes.take();
        for _ in 0..60 {
            if !passes.take() {
                break;
            }
            let next: Vec<f64> = theta.iter().zip(step).map(|(theta, step)| theta + share * step).collect();
            if self.value(&next) <= before - 1e-4 * share * decrement {
                return Some(next);
            }
            share /= 2.0;
        }
        None
    }

    /// Returns the minimum of the quadratic model, in the ball if there is one. None if the Hessian has
    /// no factor or the minimum is not finite.
    fn aim(&self, theta: &[f64], local: &Local) -> Option<Vec<f64>> {
        let dim = theta.len();
        let (factor, least) = factored(&local.hessian, dim)?;
        let step = solve(&factor, &local.gradient);
        let newton: Vec<f64> = theta.iter().zip(step).map(|(theta, step)| theta - step).collect();
        match self.ball {
            Some(radius) if dot(&newton, &newton).sqrt() > radius => {
                let mut dense = Matrix::default();
                dense.reshape(dim, dim);
                for i in 0..dim {
                    for j in 0..dim {
                        dense.row_mut(i)[j] = local.hessian[i.min(j) * dim + i.max(j)];
                    }
                    dense.row_mut(i)[i] += least;
                }
                project(&newton, &Gram::from_dense(&dense).ok()?, radius).ok()
            }
            _ => newton.iter().all(|x| x.is_finite()).then_some(newton),
        }
    }

    /// Returns the value of the function to minimize.
    pub fn value(&self, theta: &[f64]) -> f64 {
        let mut value = self.without_records(theta);
        for Record { x, count, mean } in self.records.iter() {
            value += count * self.model.loss(self.law, dot(theta, x), mean);
        }
        value
    }

    /// Returns the gradient and the Hessian, in one pass over the records.
    ///
    /// # Errors
    ///
    /// Those of [`Problem::minimize`].
    pub fn local(&self, theta: &[f64]) -> Result<Local, Error> {
        let mut pulls = Vec::with_capacity(self.records.len());
        for Record { x, count, mean } in self.records.iter() {
            let Fisher { score, weight } = self.model.fisher(self.law, dot(theta, x), mean)?;
            pulls.push((count * score, count * weight));
        }
        Ok(self.pulled(theta, &pulls))
    }

    /// Returns the value, the gradient and the Hessian, in one pass over the records.
    ///
    /// # Errors
    ///
    /// Those of [`Problem::minimize`].
    pub fn around(&self, theta: &[f64]) -> Result<(f64, Local), Error> {
        let mut pulls = Vec::with_capacity(self.records.len());
        let mut value = self.without_records(theta);
        for Record { x, count, mean } in self.records.iter() {
            let (loss, Fisher { score, weight }) = self.model.assess(self.law, dot(theta, x), mean)?;
            value += count * loss;
            pulls.push((count * score, count * weight));
        }
        Ok((value, self.pulled(theta, &pulls)))
    }

    /// Returns the part of the value that does not depend on records: ridge and tilt.
    fn without_records(&self, theta: &[f64]) -> f64 {
        0.5 * self.ridge * dot(theta, theta) - self.tilt.map_or(0.0, |tilt| dot(tilt, theta))
    }

    /// Returns the gradient and the Hessian, where `pulls` has the slope and the curvature of each record
    /// along its context.
    pub(super) fn pulled(&self, theta: &[f64], pulls: &[(f64, f64)]) -> Local {
        let dim = theta.len();
        let stride = dim.div_ceil(NUMBERS_PER_BLOCK);
        let mut slope = vec![[0.0; NUMBERS_PER_BLOCK]; stride];
        let mut square = vec![[0.0; NUMBERS_PER_BLOCK]; dim * stride];
        for (k, theta) in theta.iter().enumerate() {
            slope[k / NUMBERS_PER_BLOCK][k % NUMBERS_PER_BLOCK] =
                self.ridge * theta - self.tilt.map_or(0.0, |tilt| tilt[k]);
            square[k * stride + k / NUMBERS_PER_BLOCK][k % NUMBERS_PER_BLOCK] = self.ridge;
        }
        widened(
            #[inline(always)]
            || {
                for (x, &(score, weight)) in self.records.blocks().zip(pulls) {
                    add_blocks(&mut slope, score, x);
                    for (k, row) in square.chunks_exact_mut(stride).enumerate() {
                        let from = k / NUMBERS_PER_BLOCK;
                        add_blocks(&mut row[from..], weight * x[from][k % NUMBERS_PER_BLOCK], &x[from..]);
                    }
                }
            },
        );
        let places = |blocks: &[[f64; NUMBERS_PER_BLOCK]], out: &mut [f64]| {
            blocks.as_flattened().iter().zip(out).for_each(|(from, to)| *to = *from);
        };
        let (mut gradient, mut hessian) = (vec![0.0; dim], vec![0.0; dim * dim]);
        places(&slope, &mut gradient);
        for (row, out) in square.chunks_exact(stride).zip(hessian.chunks_exact_mut(dim)) {
            places(row, out);
        }
        Local { gradient, hessian }
    }
}

/// Adds a multiple of a vector in blocks: y ← y + a·x.
#[inline(always)]
fn add_blocks(y: &mut [[f64; NUMBERS_PER_BLOCK]], a: f64, x: &[[f64; NUMBERS_PER_BLOCK]]) {
    for (y, x) in y.iter_mut().zip(x) {
        for k in 0..NUMBERS_PER_BLOCK {
            y[k] += a * x[k];
        }
    }
}

/// Returns the factor U with UᵀU = A + least·I, and `least`. Without `least`, rounding can make A
/// indefinite if the contexts do not span the space. None if the sum has no factor.
pub(super) fn factored(a: &[f64], dim: usize) -> Option<(Vec<f64>, f64)> {
    let largest = (0..dim).map(|k| a[k * dim + k]).fold(0.0, f64::max);
    let least = (1e-12 * largest).max(f64::MIN_POSITIVE);
    let mut factor = a.to_vec();
    (0..dim).for_each(|k| factor[k * dim + k] += least);
    dense::factor(&mut factor, dim, least).then_some((factor, least))
}

/// Returns A⁻¹b from the factor U with UᵀU = A.
pub(super) fn solve(factor: &[f64], b: &[f64]) -> Vec<f64> {
    let (dim, mut x) = (b.len(), b.to_vec());
    for i in 0..dim {
        x[i] /= factor[i * dim + i];
        let by = x[i];
        dense::add(&mut x[i + 1..], -by, &factor[i * dim + i + 1..(i + 1) * dim]);
    }
    for i in (0..dim).rev() {
        let known = dot(&factor[i * dim + i + 1..(i + 1) * dim], &x[i + 1..]);
        x[i] = (x[i] - known) / factor[i * dim + i];
    }
    x
}

impl GlmTarget {
    /// Returns the score and the weight of a reward, in the orientation in which larger is better.
    pub(super) fn fisher(&self, law: Law, z: f64, y: f64) -> Result<Fisher, Error> {
        let objective = self.objective();
        match (law, objective.link) {
            (Law::Quasi, Link::Probit) => {
                let score = objective.inner_mean(z) - objective.sign() * y;
                Ok(Fisher { score, weight: Link::Probit.slope(z).max(f64::MIN_POSITIVE) })
            }
            _ => objective.inner_fisher(z, y),
        }
    }

    /// Returns the loss, the score and the weight of a reward, in the orientation in which larger is better.
    fn assess(&self, law: Law, z: f64, y: f64) -> Result<(f64, Fisher), Error> {
        let objective = self.objective();
        match (law, objective.link) {
            (_, Link::Custom(_)) | (Law::Quasi, Link::Probit) => {
                Ok((self.loss(law, z, y), self.fisher(law, z, y)?))
            }
            (_, link) => {
                let (loss, Fisher { score, weight }) = link.assess(objective.sign() * z, y);
                Ok((loss, Fisher { score: objective.sign() * score, weight }))
            }
        }
    }

    /// Returns the loss of a reward, for z in the orientation in which larger is better.
    pub(super) fn loss(&self, law: Law, z: f64, y: f64) -> f64 {
        let (link, outer) = (self.link(), self.objective().sign() * z);
        match law {
            Law::Quasi => link.cumulant(outer) - y * outer,
            Law::True => link.loss(outer, y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Arm, Objective, Target};
    use moglb_math::draw;
    use moglb_pareto::ArmId;

    fn model(objective: Objective, radius: f64) -> GlmTarget {
        let problem = moglb_core::Problem::new(3, vec![objective]).unwrap().with_radius(radius).unwrap();
        GlmTarget::new(&problem, &Target::default()).unwrap()
    }

    /// Returns records of seven `fixed` arms that are played in turn, or of a new context in every round.
    fn data(model: &GlmTarget, rounds: usize, fixed: bool, seed: u64) -> Records {
        let (mut rng, mut records) = (draw::seeded(seed), Records::new(3));
        let mut context = || {
            let x: Vec<f64> = (0..3).map(|_| draw::normal(&mut rng).clamp(-0.57, 0.57)).collect();
            (x, draw::unit(&mut rng))
        };
        let arms: Vec<Vec<f64>> = (0..7).map(|_| context().0).collect();
        for t in 0..rounds {
            let (x, u) = context();
            let x = if fixed { &arms[t % 7] } else { &x };
            let y = f64::from(u < model.link().mean(0.9 * x[0] - 0.6 * x[1]).clamp(0.0, 1.0));
            let id = if fixed { t % 7 } else { 0 };
            records.add(Arm::new(ArmId(id), x).unwrap(), y);
        }
        records
    }

    fn problem<'a>(model: &'a GlmTarget, records: &'a Records, law: Law) -> Problem<'a> {
        Problem { model, records, law, ridge: 0.0, tilt: None, ball: None }
    }

    #[test]
    fn the_minimum_has_no_slope_whatever_the_link() {
        for link in Link::ALL {
            for law in [Law::True, Law::Quasi] {
                for minimize in [false, true] {
                    let objective = Objective::new("y", link);
                    let model = model(if minimize { objective.minimize() } else { objective }, 3.0);
                    let records = data(&model, 400, true, 1);
                    let problem = problem(&model, &records, law);
                    let theta = problem.minimize(&[0.0; 3]).unwrap();
                    let slope = problem.local(&theta).unwrap().gradient;
                    assert!(slope.iter().all(|g| g.abs() < 1e-7), "{link:?} {law:?}: {slope:?}");
                }
            }
        }
    }

    /// Counts and sums are sufficient: at the minimum of the records the raw list of rewards has no slope.
    #[test]
    fn sufficient_statistics_give_the_minimum_of_the_raw_list() {
        let model = model(Objective::new("y", Link::Logit), 3.0);
        let records = data(&model, 500, true, 2);
        assert!(records.iter().count() <= 7);
        let theta =
            Problem { ridge: 0.3, ..problem(&model, &records, Law::True) }.minimize(&[0.0; 3]).unwrap();
        let mut slope: Vec<f64> = theta.iter().map(|theta| 0.3 * theta).collect();
        for Record { x, count, mean } in records.iter() {
            for k in 0..count as usize {
                let y = f64::from((k as f64) < (mean * count).round());
                let residual = Link::Logit.mean(dot(&theta, x)) - y;
                slope.iter_mut().zip(x).for_each(|(slope, x)| *slope += residual * x);
            }
        }
        assert!(slope.iter().all(|slope| slope.abs() < 1e-7), "{slope:?}");
    }

    /// In a ball the minimum lies on the edge, and no point of the edge or near it is better.
    #[test]
    fn the_minimum_in_a_ball_is_the_best_of_the_ball() {
        let mut rng = draw::seeded(5);
        for (link, law) in [(Link::Logit, Law::True), (Link::Probit, Law::True), (Link::Probit, Law::Quasi)] {
            let model = model(Objective::new("y", link), 0.4);
            let records = data(&model, 300, false, 3);
            let problem = Problem { ball: Some(0.4), ..problem(&model, &records, law) };
            let theta = problem.minimize(&[0.0; 3]).unwrap();
            assert!((dot(&theta, &theta).sqrt() - 0.4).abs() < 1e-12);
            let best = problem.value(&theta);
            for _ in 0..500 {
                let v: Vec<f64> = (0..3).map(|_| draw::normal(&mut rng)).collect();
                let share = 0.4 / dot(&v, &v).sqrt() * if draw::unit(&mut rng) < 0.5 { 1.0 } else { 0.99 };
                let v: Vec<f64> = v.iter().map(|v| share * v).collect();
                assert!(problem.value(&v) >= best - 1e-10);
            }
        }
    }

    /// All rewards 1: the likelihood grows without end, and the minimum of a ball is at its edge.
    #[test]
    fn rewards_that_can_be_separated_end_at_the_edge_of_the_ball() {
        let model = model(Objective::new("y", Link::Logit), 5.0);
        let mut records = Records::new(3);
        records.add(Arm::new(ArmId(0), &[0.6, 0.0, 0.8]).unwrap(), 1.0);
        let problem = Problem { ball: Some(5.0), ..problem(&model, &records, Law::True) };
        let theta = problem.minimize(&[0.0; 3]).unwrap();
        assert!((dot(&theta, &[0.6, 0.0, 0.8]) - 5.0).abs() < 1e-6, "{theta:?}");
    }
}
