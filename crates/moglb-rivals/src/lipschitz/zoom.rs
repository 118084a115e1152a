//! The common part of the zooming policies on arms: balls, and the owners of the offered arms.

use super::balls::{BallState, Balls, Rule};
use super::metric::Metric;
use super::owners::{Domains, Owners};
use moglb_core::saved::SavedPart;
use moglb_core::{Arm, ArmSet, Decision, Problem};
use moglb_math::Error;
use moglb_math::kernel::norm;
use moglb_math::memory::check_memory;
use std::sync::Arc;

/// Balls of contexts, with the owners of fixed arms.
#[derive(Debug, Clone)]
pub(crate) struct Zoom {
    balls: Balls,
    /// The owners of fixed arms; none if no arms are fixed.
    carried: Option<CachedOwners>,
}

/// Fixed arms and their owners. Not part of the learned state.
#[derive(Debug, Clone)]
struct CachedOwners {
    arms: Arc<ArmSet<'static>>,
    owners: Owners,
}

impl Zoom {
    /// Returns a single ball around the origin.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`].
    pub fn new(problem: &Problem, rule: Rule, metric: Metric, columns: usize) -> Result<Self, Error> {
        check_memory(1, problem.dim())?;
        Ok(Self { balls: Balls::new(rule, metric, vec![0.0; problem.dim()], columns), carried: None })
    }

    /// Returns the active balls.
    pub(crate) fn balls(&self) -> &Balls {
        &self.balls
    }

    /// Fixes the arms: their owners are cached and follow every new ball.
    pub fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) {
        let mut owners = Owners::default();
        owners.refill(&self.balls, arms);
        self.carried = Some(CachedOwners { arms: arms.clone(), owners });
    }

    /// Makes the arms in the domains of the balls on the front the candidates. If the decision has tables,
    /// they get the values of each arm's first owner B: its means, which `outward` converts into the
    /// objectives' own units, and u_B + r(B) times `range`, which bounds the error of these means.
    pub(crate) fn find_candidates(
        &self,
        arms: &ArmSet,
        decision: &mut Decision,
        outward: impl Fn(usize, f64) -> f64,
        range: impl Fn(usize) -> f64,
    ) {
        let Decision { work, estimates, widths, tables, .. } = decision;
        let domains: &mut Domains = work.scratch.of();
        let mut fresh = std::mem::take(&mut domains.fresh);
        let carried = self.carried.as_ref().filter(|carried| std::ptr::eq(&*carried.arms, arms));
        if carried.is_none() {
            fresh.refill(&self.balls, arms);
        }
        let owners = carried.map_or(&fresh, |carried| &carried.owners);
        domains.playable(&self.balls, owners, arms.n_arms(), &mut work.candidates);
        let (rows, columns) = if *tables { (arms.n_arms(), self.balls.columns()) } else { (0, 0) };
        estimates.reshape(rows, columns);
        widths.reshape(rows, columns);
        for arm in 0..rows {
            let ball = owners.of(arm)[0];
            let width = self.balls.width(ball) + self.balls.radius(ball);
            for i in 0..columns {
                let mean = self.balls.mean(ball, i);
                estimates.row_mut(arm)[i] = if width.is_finite() { outward(i, mean) } else { 0.0 };
                widths.row_mut(arm)[i] = width * range(i);
            }
        }
        domains.fresh = fresh;
    }

    /// Learns the reward of an arm, mapped to [0, 1].
    pub fn learn(&mut self, arm: Arm<'_>, reward: impl Iterator<Item = f64>) {
        let activated = self.balls.learn(arm.context(), reward);
        if let Some(CachedOwners { arms, owners }) = self.carried.as_mut().filter(|_| activated) {
            owners.touch(&self.balls, self.balls.len() - 1, arms);
        }
    }

    /// Returns the number of rewards learned.
    pub fn rounds(&self) -> u64 {
        self.balls.rounds()
    }
}

impl SavedPart for Zoom {
    type State = Vec<BallState>;

    fn state(&self) -> Vec<BallState> {
        self.balls.state()
    }

    fn resumed(&self, balls: Vec<BallState>) -> Result<Self, Error> {
        let mut next = self.clone();
        next.balls.resume(balls, |centre| norm(centre) <= 1.0 + 1e-9)?;
        if let Some(CachedOwners { arms, owners }) = &mut next.carried {
            owners.refill(&next.balls, arms);
        }
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_math::draw;

    /// The cached table follows the activation of balls, so it agrees with the definition of domains in every
    /// round. A table that missed the activations does not agree.
    #[test]
    fn carried_arms_lie_in_the_domains_of_their_owners() {
        let problem = Problem::new(2, vec![Objective::new("y", Link::Logit)]).unwrap();
        let rule = Rule { factor: 0.3, offset: 0.0, from_larger: false };
        let metric = Metric::of_problem(&problem, Some(0.8)).unwrap();
        let mut zoom = Zoom::new(&problem, rule, metric, 1).unwrap();
        let mut rng = draw::seeded(6);
        let rows: Vec<[f64; 2]> = (0..40).map(|_| [0, 1].map(|_| 1.4 * draw::unit(&mut rng) - 0.7)).collect();
        let arms = Arc::new(ArmSet::from_rows(&rows).unwrap());
        zoom.fix_arms(&arms);
        let stale = zoom.carried.clone().unwrap().owners;
        for round in 0..200 {
            let arm = moglb_pareto::ArmId(draw::below(40, &mut rng));
            zoom.learn(arms.arm(arm), [draw::unit(&mut rng)].into_iter());
            let carried = &zoom.carried.as_ref().unwrap().owners;
            assert_eq!(carried.misplaced(&zoom.balls, &arms), None, "round {round}");
        }
        assert!(zoom.balls.len() > 20 && zoom.balls.n_levels() > 2, "{} balls", zoom.balls.len());
        assert!(stale.misplaced(&zoom.balls, &arms).is_some());
    }
}
