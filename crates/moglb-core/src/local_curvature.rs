//! Learners with local curvature: EKF-UCB, GLB-OMD and ECOLog. Each objective has its own Gram
//! matrix H, to which a round adds the information at the new estimate:
//!
//! ```text
//! z = θᵀx,  w = information at z,  q = xᵀH⁻¹x
//! u = θ − gain·s·H⁻¹x                             s: the slope of the loss, at z or at uᵀx
//! θ ← the point of the ball of radius D closest to u
//! H ← H + w(θᵀx) · xxᵀ                            with the weight at the new estimate
//! ```
//!
//! With a discount γ a round ends with H ← γH and a renewed ridge ([`Gram::forget`]). So on an
//! identity link θ is the ridge regression in which the reward of k rounds ago has the weight γᵏ.
//!
//! A [`Step`] determines where the slope is taken. The weights at the old and at the new estimate
//! would make two matrices. H is updated once, with the weight at the new estimate. The matrix with
//! the other weight is needed only for a projection, which is rare; it is then made from a copy of
//! H. Nothing is ever subtracted from a factor, so no update can lose positive definiteness.

pub mod state;

use crate::discount;
use crate::estimate::Estimate;
use crate::local_curvature::state::EkfUcbState;
use crate::prior::PriorBelief;
use crate::{Fisher, Link, Model, Objective};
use moglb_math::csr::Numbers;
use moglb_math::gram::Update;
use moglb_math::kernel::{Lanes, Unit, blocks, dot, vectorized};
use moglb_math::memory::check_memory;
use moglb_math::projection::Projection;
use moglb_math::{Error, Gram};

/// The rule by which an estimate moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// Uses the slope of the quadratic model of the loss at z, s = score/(1 + gain·wq). This is one
    /// Newton step for gain·ℓ(θ) + ½‖θ − θ_t‖²_H, projected in the norm of H + gain·w·xxᵀ. With
    /// gain one it is an extended Kalman filter.
    Newton {
        /// The factor of the loss.
        gain: f64,
    },
    /// Uses the slope of the loss where the step ends, s = score(z − gain·qs). This is the exact
    /// minimum of gain·ℓ(θ) + ½‖θ − θ_t‖²_H over the ball.
    Implicit {
        /// The factor of the loss.
        gain: f64,
    },
}

/// One learner per objective, each with its own H and θ.
#[derive(Debug, Clone)]
pub struct LocalCurvature {
    step: Step,
    radius: f64,
    /// γ: the factor by which every round shrinks H.
    discount: f64,
    /// H of each objective.
    grams: Vec<Gram>,
    /// θ̂ of each objective; larger is better. The next field has the estimates before the first
    /// round.
    estimates: Vec<Estimate>,
    first: Vec<Estimate>,
    /// Σ w_s‖x_s‖² of each objective, discounted: by how much the trace of H has grown.
    traces: Vec<f64>,
    rounds: u64,
    projection_hits: u64,
    scratch: CurvedScratch,
}

/// Memory for intermediate results, reused.
#[derive(Debug, Clone)]
struct CurvedScratch {
    /// The context, padded with zeros to whole blocks of lanes.
    context: Vec<Lanes>,
    /// H⁻¹x.
    direction: Vec<Lanes>,
    /// A copy of H plus the weight at the old estimate, for projections.
    lifted: Gram,
    projection: Projection,
    /// For each objective the result of the current round, before it is committed.
    next: Vec<Next>,
}

/// The result of a round for one objective, before it is committed.
#[derive(Debug, Clone)]
struct Next {
    estimate: Estimate,
    /// The weight at the new estimate.
    weight: f64,
    projected: bool,
    moved: Moved,
    update: Update,
}

/// The move of an estimate in one round.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moved {
    /// θᵀx before the round.
    pub before: f64,
    /// θᵀx after the round.
    pub after: f64,
    /// ‖x‖²_{H⁻¹} before the round.
    pub squared_norm: f64,
    /// ‖θ_{t+1} − θ_t‖²_H, with H before the round. Only implicit steps compute it.
    pub squared_distance: f64,
}

impl LocalCurvature {
    /// Returns learners with H_1 = λI and θ̂_1 = 0. The caller has checked λ.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`].
    pub fn new(dim: usize, n: usize, lambda: f64, radius: f64, step: Step) -> Result<Self, Error> {
        check_memory(dim, dim.saturating_mul(n + 1))?;
        let (gram, estimate) = (Gram::new(dim, lambda, 1.0), Estimate::zero(dim));
        let next = Next {
            estimate: estimate.clone(),
            weight: 0.0,
            projected: false,
            moved: Moved::default(),
            update: Update::default(),
        };
        let scratch = CurvedScratch {
            context: vec![Lanes::ZERO; blocks(dim)],
            direction: vec![Lanes::ZERO; blocks(dim)],
            lifted: gram.clone(),
            projection: Projection::default(),
            next: vec![next; n],
        };
        Ok(Self {
            step,
            radius,
            discount: discount::none(),
            grams: vec![gram; n],
            first: vec![estimate.clone(); n],
            estimates: vec![estimate; n],
            traces: vec![0.0; n],
            rounds: 0,
            projection_hits: 0,
            scratch,
        })
    }

    /// Sets the first estimate of an objective and adds the prior information to its H. To be
    /// called before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`].
    pub(crate) fn begin_with(&mut self, objective: usize, start: &PriorBelief) -> Result<(), Error> {
        self.grams[objective] = self.grams[objective].with_added(&start.precision)?;
        self.first[objective] = Estimate::from_theta(&start.theta);
        self.estimates[objective] = self.first[objective].clone();
        Ok(())
    }

    /// Returns this learner with a discount. The caller has checked the discount.
    pub fn with_discount(self, discount: f64) -> Self {
        Self { discount, ..self }
    }

    /// Returns H of each objective.
    pub fn grams(&self) -> &[Gram] {
        &self.grams
    }

    /// Returns θ̂ of each objective; larger is better.
    pub fn estimates(&self) -> &[Estimate] {
        &self.estimates
    }

    /// Returns the number of rewards learned.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Returns the move of an objective's estimate in the latest round; not part of the learned
    /// state.
    pub fn moved(&self, objective: usize) -> Moved {
        self.scratch.next[objective].moved
    }

    /// Learns a reward vector. The caller has checked it. An objective whose entry is NaN does not
    /// change.
    ///
    /// # Errors
    ///
    /// [`Error::LinkMean`] or [`Error::LinkSlope`]; nothing is learned then.
    pub fn learn(&mut self, objectives: &[Objective], x: Numbers<'_>, rewards: &[f64]) -> Result<(), Error> {
        vectorized!(
            {
                learner: &'a mut LocalCurvature = self,
                objectives: &'a [Objective] = objectives,
                x: Numbers<'a> = x,
                rewards: &'a [f64] = rewards,
            },
            Result<(), Error>,
            |simd| learner.update(simd, objectives, x, rewards)
        )
    }

    /// Learns one round. The new values are computed next to the old ones and committed when
    /// nothing can fail any more.
    #[inline(always)]
    fn update<S: Unit>(
        &mut self,
        simd: S,
        objectives: &[Objective],
        x: Numbers<'_>,
        rewards: &[f64],
    ) -> Result<(), Error> {
        x.fill(&mut self.scratch.context);
        self.scratch.next.iter_mut().for_each(|next| next.update.follow(x));
        for (i, (objective, &y)) in objectives.iter().zip(rewards).enumerate() {
            if !y.is_nan() {
                self.advance(simd, i, objective, y)?;
            }
        }
        let CurvedScratch { context, direction, next, .. } = &mut self.scratch;
        let squared = dot(simd, context, context);
        for (i, next) in next.iter_mut().enumerate().filter(|(i, _)| !rewards[*i].is_nan()) {
            self.grams[i].add_image(simd, next.weight, direction, &mut next.update);
            self.estimates[i].copy_from(&next.estimate);
            self.traces[i] += next.weight * squared;
            self.projection_hits += u64::from(next.projected);
        }
        if self.discount < 1.0 {
            self.forget(simd, rewards);
        }
        self.rounds += 1;
        Ok(())
    }

    /// Shrinks H of each objective with an observed reward: the reward just learned has the weight
    /// γ in the next round.
    #[inline(always)]
    fn forget<S: Unit>(&mut self, simd: S, rewards: &[f64]) {
        let CurvedScratch { direction, projection, next, .. } = &mut self.scratch;
        for (i, next) in next.iter_mut().enumerate().filter(|(i, _)| !rewards[*i].is_nan()) {
            let gram = &mut self.grams[i];
            let renewal = gram.forget(simd, self.discount, direction, &mut next.update);
            self.estimates[i].renew(simd, renewal, direction, gram, self.radius, projection);
            self.traces[i] *= self.discount;
        }
    }

    /// Computes the next estimate of one objective from its reward `y`.
    #[inline(always)]
    fn advance<S: Unit>(&mut self, simd: S, i: usize, objective: &Objective, y: f64) -> Result<(), Error> {
        let CurvedScratch { context, direction, lifted, projection, next } = &mut self.scratch;
        let (next, gram, radius) = (&mut next[i], &self.grams[i], self.radius);
        let z = self.estimates[i].score(simd, context);
        let squared = gram.solve_and_hold(simd, context, direction, &mut next.update);
        next.estimate.copy_from(&self.estimates[i]);
        match self.step {
            Step::Newton { gain } => {
                let Fisher { score, weight } = objective.inner_fisher(z, y)?;
                let weight = gain * weight;
                next.estimate.shift(simd, -(gain * score) / weight.mul_add(squared, 1.0), direction);
                next.projected = next.estimate.is_outside(simd, radius);
                if next.projected {
                    lifted.copy_from(gram);
                    lifted.add_image(simd, weight, direction, &mut next.update);
                    next.estimate.project(simd, lifted, radius, projection);
                }
            }
            Step::Implicit { gain } => {
                let slope = implicit_slope(z, gain * squared, |z| objective.inner_fisher(z, y))?;
                let length = gain * slope;
                next.estimate.shift(simd, -length, direction);
                next.moved.squared_distance = length * length * squared;
                next.projected = next.estimate.is_outside(simd, radius);
                if next.projected {
                    // The end of a projected step depends on its slope through a projection in the
                    // norm of H.
                    projected_slope(
                        objective.inner_fisher(z, y)?.score,
                        #[inline(always)]
                        |slope| {
                            next.estimate.copy_from(&self.estimates[i]);
                            next.estimate.shift(simd, -gain * slope, direction);
                            next.estimate.project(simd, gram, radius, projection);
                            Ok(objective.inner_fisher(next.estimate.score(simd, context), y)?.score)
                        },
                    )?;
                    let places = next.estimate.theta().zip(self.estimates[i].theta());
                    let apart: Vec<f64> = places.map(|(new, old)| new - old).collect();
                    next.moved.squared_distance = gram.squared_norm(&apart);
                }
            }
        }
        let after = next.estimate.score(simd, context);
        next.weight = objective.inner_weight(after)?;
        (next.moved.before, next.moved.after, next.moved.squared_norm) = (z, after, squared);
        Ok(())
    }

    /// Returns the learned state, to be saved.
    pub fn state(&self) -> EkfUcbState {
        EkfUcbState {
            rounds: self.rounds,
            factors: self.grams.iter().map(Gram::packed).collect(),
            log_dets: self.grams.iter().map(Gram::log_det).collect(),
            thetas: self.estimates.iter().map(|estimate| estimate.theta().collect()).collect(),
            traces: self.traces.clone(),
            projection_hits: self.projection_hits,
        }
    }

    /// Restores a saved state.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] if no rewards of these objectives can produce the state.
    pub fn resume(&mut self, state: EkfUcbState, objectives: &[Objective]) -> Result<(), Error> {
        let largest = |i: usize| largest_weight(&objectives[i], self.radius);
        let first: Vec<Vec<f64>> = self.first.iter().map(|first| first.theta().collect()).collect();
        state.check(&first, self.radius, largest)?;
        let written = state.factors.iter().zip(&state.log_dets).zip(&state.traces);
        let grams =
            self.grams.iter().zip(written).map(|(gram, ((packed, &log_det), &trace))| {
                gram.restored(self.discount, trace, packed, log_det)
            });
        self.grams = grams.collect::<Result<_, _>>()?;
        // Nothing below can fail.
        self.estimates = state.thetas.iter().map(|theta| Estimate::from_theta(theta)).collect();
        self.traces = state.traces;
        self.rounds = state.rounds;
        self.projection_hits = state.projection_hits;
        Ok(())
    }
}

impl Model for LocalCurvature {
    fn projection_hits(&self) -> u64 {
        self.projection_hits
    }
}

/// Returns the largest weight that a round can have in an objective; infinity where it is not
/// known.
fn largest_weight(objective: &Objective, radius: f64) -> f64 {
    match objective.link {
        // Its constants come from a finite number of points, so they are no bound.
        Link::Custom(_) => f64::INFINITY,
        Link::Probit => Link::Probit.fisher_weight(0.0),
        link => link.constants(radius).lipschitz,
    }
}

/// Solves s = score(z − q·s) for s by Newton's method. The score increases, so s lies between 0 and
/// score(z); a step that leaves this interval is replaced by bisection.
///
/// # Errors
///
/// An error of `fisher`.
pub fn implicit_slope(
    z: f64,
    squared: f64,
    fisher: impl Fn(f64) -> Result<Fisher, Error>,
) -> Result<f64, Error> {
    let start = fisher(z)?.score;
    let (mut low, mut high) = (start.min(0.0), start.max(0.0));
    let mut slope = start / (1.0 + squared * fisher(z)?.weight);
    for _ in 0..100 {
        let Fisher { score, weight } = fisher(z - squared * slope)?;
        let excess = slope - score;
        if excess > 0.0 {
            high = slope
        } else {
            low = slope
        }
        let newton = slope - excess / (1.0 + squared * weight);
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - slope).abs() <= 1e-15 * (1.0 + start.abs()) {
            return Ok(next);
        }
        slope = next;
    }
    Ok(slope)
}

/// Finds the slope that equals the score where its step ends, by bisection between 0 and `start`.
/// The closure `score` takes the step; its last call is with the slope that was found.
///
/// # Errors
///
/// An error of `score`.
#[inline(always)]
fn projected_slope(start: f64, mut score: impl FnMut(f64) -> Result<f64, Error>) -> Result<(), Error> {
    let (mut low, mut high) = (start.min(0.0), start.max(0.0));
    while high - low > 1e-12 * start.abs() {
        let middle = 0.5 * (low + high);
        if middle > score(middle)? { high = middle } else { low = middle }
    }
    score(0.5 * (low + high)).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_math::draw;

    /// gain·ℓ(vᵀx) + ½‖v − θ‖²_H is nowhere in the ball smaller than where an implicit step ends,
    /// projected or not.
    #[test]
    fn an_implicit_step_ends_at_the_minimum_of_the_ball() {
        let (objective, mut rng) = (Objective::new("y", Link::Logit), draw::seeded(6));
        let (gain, radius) = (2.0, 0.5);
        let mut learner = LocalCurvature::new(2, 1, 0.5, radius, Step::Implicit { gain }).unwrap();
        for _ in 0..60 {
            let angle = draw::unit(&mut rng) * std::f64::consts::TAU;
            let (x, y) =
                ([angle.cos(), angle.sin()], f64::from(draw::unit(&mut rng) < 0.5 + 0.4 * angle.cos()));
            let (h, old): (Gram, Vec<f64>) =
                (learner.grams[0].clone(), learner.estimates[0].theta().collect());
            learner.learn(std::slice::from_ref(&objective), x[..].into(), &[y]).unwrap();
            let value = |v: &[f64]| {
                let apart = [v[0] - old[0], v[1] - old[1]];
                gain * Link::Logit.loss(v[0] * x[0] + v[1] * x[1], y) + 0.5 * h.squared_norm(&apart)
            };
            let new: Vec<f64> = learner.estimates[0].theta().collect();
            let least = value(&new);
            for k in 0..300 {
                let (length, angle) = (radius * f64::from(k % 10 + 1) / 10.0, 0.0209 * f64::from(k));
                let near = [new[0] * 0.999, new[1] * 0.999];
                for v in [[length * angle.cos(), length * angle.sin()], near] {
                    assert!(value(&v) >= least - 1e-10, "{v:?} is better than {new:?}");
                }
            }
            let apart = [new[0] - old[0], new[1] - old[1]];
            assert!((learner.moved(0).squared_distance - h.squared_norm(&apart)).abs() < 1e-12);
        }
        assert!(
            learner.projection_hits() > 5 && learner.projection_hits() < 50,
            "{}",
            learner.projection_hits()
        );
    }
}
