//! Skips arms that certainly cannot reach the front for some rounds.
//!
//! A survey scores all arms: Sᵢ(k) = θ̂ᵢᵀx_k + √γᵢ·w_k. Here w_k is ‖x_k‖ in the norm of Z⁻¹, or its value
//! some rounds ago. Norms only shrink, so an old value may be too large but never too small. Rounds later
//! (primed) Z has grown, so by Cauchy–Schwarz
//!
//! ```text
//! S'ᵢ(k) ≤ Sᵢ(k) + w_k·mᵢ        mᵢ = ‖θ̂'ᵢ − θ̂ᵢ‖_Z' + √γ'ᵢ − √γᵢ
//! ```
//!
//! Take an arm that some pivot p would dominate if all mᵢ were B and the scores of p were lower by A_p. It
//! is dominated as long as mᵢ ≤ B and S'ᵢ(p) ≥ Sᵢ(p) − A_p. This condition is tested in every round, in
//! O(d²) for each objective and pivot. While it holds, the arm is *far*. A round goes over the other arms
//! only, the *near* arms, which have been copied. When the condition fails, the next survey begins. In the
//! survey, B is added to √γᵢ as a larger factor of the width, so comparing the arms with the pivots is
//! enough.
//!
//! The choice of B is a question of cost: a larger B makes more arms near and surveys rarer. A step of an
//! estimate has length slopeᵢ·‖x_t‖ in the norm of Z (a projection does not make it longer), and its sign
//! changes. So after n rounds the squared movement is about n times the mean square of a step, which Σ
//! slope²·‖x_t‖² of [`ObjectiveModel`] gives. For n = 2, 4, 8, … a sample of the arms shows how many would
//! be near, and the cheapest n is taken. Where no n pays, all arms are moved in every round, as in smaller
//! sets.

use super::super::learner::{Learner, Move, ObjectiveModel};
use super::layout::{TileLayout, refresh, with_tiles};
use super::sweep::{Survivors, Sweep};
use crate::ArmSet;
use crate::scoring::Arms;
use crate::scoring::Scorer;
use moglb_math::kernel::{GROUP, LANES, Lanes, axpy, blocks, vectorized};

/// The number of groups of tiles in the sample from which a horizon is chosen.
pub(super) const SAMPLED_GROUPS: usize = 32;

/// The rounds until the first survey is considered, and the most between two considerations.
pub const ROUNDS_BETWEEN_SURVEYS: (u32, u32) = (16, 128);

/// The near arms, while there are far ones, and the statistics that decide when to survey.
#[derive(Debug, Clone)]
pub(super) struct ActiveSet {
    /// True if the far arms are being skipped.
    pub(super) in_force: bool,
    /// The near arms in their order, their contexts and their cached terms.
    pub arms: Vec<usize>,
    pub contexts: TileLayout,
    pub state: Vec<Lanes>,
    /// The condition under which the far arms are still far.
    pub promise: Bound,
    /// Rounds since the last survey, or since all arms were moved again.
    pub rounds: u32,
    /// Σ slope²·‖x_t‖² and √γ of each objective at that time.
    pub steps: Vec<f64>,
    pub before: Vec<f64>,
    /// The round in which the norms of all arms were computed. Norms only shrink, so those of far arms may
    /// be old.
    pub(super) widths_of: u64,
    /// A projection for each objective: a survey computes all estimates again.
    pub moves: Vec<Move>,
    /// While all arms are moved: rounds until a survey is considered, and rounds from one consideration to
    /// the next.
    pub(super) wait: u32,
    pub(super) patience: u32,
    /// The rounds that the last survey must last to pay.
    pub(super) break_even: u32,
    /// True if the near arms stayed the same at the last survey.
    pub kept: bool,
    /// The cached terms of the sampled arms, and the survivors among them.
    pub sample: Vec<Lanes>,
    pub part: Survivors,
    /// √γ + B of each objective.
    pub(super) roots: Vec<f64>,
    /// The scores of the pivots lowered by A_p and the slack, end to end.
    pub bounds: Vec<f64>,
    /// θ̂' − θ̂.
    pub moved: Vec<Lanes>,
}

/// The condition under which the far arms are still far: mᵢ ≤ B and S'ᵢ(p) ≥ Sᵢ(p) − A_p.
#[derive(Debug, Clone, Default)]
pub(super) struct Bound {
    /// θ̂ᵢ and √γᵢ at the survey.
    thetas: Vec<Vec<Lanes>>,
    roots: Vec<f64>,
    /// B.
    pub reach: f64,
    /// The pivots, and Sᵢ(p) − A_p of each, end to end.
    pub(super) pivots: Vec<usize>,
    pub floors: Vec<f64>,
}

impl ActiveSet {
    pub fn new(contexts: TileLayout) -> Self {
        Self {
            in_force: false,
            arms: Vec::new(),
            contexts,
            state: Vec::new(),
            promise: Bound::default(),
            rounds: 0,
            steps: Vec::new(),
            before: Vec::new(),
            widths_of: 0,
            moves: Vec::new(),
            wait: ROUNDS_BETWEEN_SURVEYS.0,
            patience: ROUNDS_BETWEEN_SURVEYS.0,
            break_even: 0,
            kept: false,
            sample: Vec::new(),
            part: Survivors::default(),
            roots: Vec::new(),
            bounds: Vec::new(),
            moved: Vec::new(),
        }
    }

    /// Stops skipping: from now on all arms are moved.
    pub fn leave(&mut self, learner: &Learner) {
        (self.in_force, self.kept) = (false, false);
        self.count_from_here(learner);
    }

    /// Doubles the wait until the next consideration, because surveys do not pay now.
    pub(super) fn put_off(&mut self) {
        self.patience = (2 * self.patience).min(ROUNDS_BETWEEN_SURVEYS.1);
        self.wait = self.patience;
    }

    /// Starts the statistics of steps and widths again.
    pub(super) fn count_from_here(&mut self, learner: &Learner) {
        self.rounds = 0;
        self.steps.clear();
        self.steps.extend(learner.models.iter().map(|model| model.gradients));
        learner.roots_into(&mut self.before);
    }

    /// The growth of √γ per round, of the objective with the largest growth.
    pub fn growth(&self, roots: &[f64]) -> f64 {
        let growths = roots.iter().zip(&self.before).map(|(root, before)| root - before);
        growths.fold(0.0, f64::max) / f64::from(self.rounds.max(1))
    }

    /// The mean square of a step, of the objective that moved most.
    pub(super) fn mean_square(&self, learner: &Learner) -> f64 {
        let steps = learner.models.iter().zip(&self.steps).map(|(model, before)| model.gradients - before);
        steps.fold(0.0, f64::max) / f64::from(self.rounds.max(1))
    }
}

impl ActiveSet {
    /// Returns a sweep that compares arms with the lowered pivots, with B added to √γ in favor of the arms.
    pub fn search<'a>(&'a self, learner: &'a Learner) -> Sweep<'a> {
        let Self { roots, bounds, .. } = self;
        Sweep { learner, n_arms: 0, roots, factors: &[], moves: &[], drops: &[], pivots: bounds, hold: true }
    }

    /// Returns the share of the sampled arms that are near.
    pub(super) fn sampled_share(&mut self, learner: &Learner) -> f64 {
        let (mut sample, mut part) = (std::mem::take(&mut self.sample), std::mem::take(&mut self.part));
        let pass = Sweep { n_arms: SAMPLED_GROUPS * GROUP * LANES, ..self.search(learner) };
        pass.run::<Lanes>(&[], &mut sample, 0, &mut part);
        let share = part.arms.len() as f64 / pass.n_arms as f64;
        (self.sample, self.part) = (sample, part);
        share
    }

    /// The cost of a survey, in passes that move all arms. It reads memory that has left the caches. Unless
    /// the near arms stay the same, it also copies them and scores them from scratch. Measured at d = 32 on
    /// 100 000 and a million arms, a quarter of them near: 2.9 to 3.7.
    pub(super) fn survey_cost(&self, dim: usize, share: f64) -> f64 {
        if self.kept { 1.5 } else { 2.0 + (2.0 + dim as f64 / 11.0) * share }
    }

    /// True if all arms that a survey found are near already, and few others are.
    pub fn covers(&self, parts: &[Survivors]) -> bool {
        let found = || parts.iter().flat_map(|part| &part.arms);
        let mut next = self.arms.iter();
        self.arms.len() <= found().count() * 3 / 2 && found().all(|arm| next.any(|near| near == arm))
    }

    /// Copies the arms that a survey found, and scores them from scratch.
    pub(super) fn adopt(&mut self, arms: &ArmSet, parts: &[Survivors], scorer: &Scorer, m: usize) {
        self.arms.clear();
        parts.iter().for_each(|part| self.arms.extend_from_slice(&part.arms));
        self.contexts.refill(Arms::some(arms, &self.arms));
        self.state.resize(blocks(self.arms.len()) * (scorer.n_grams() + m), Lanes::ZERO);
        with_tiles!(&self.contexts, |tiles| refresh(scorer, tiles, arms.dim(), &mut self.state));
    }
}

impl Bound {
    /// Makes the present estimates and widths the reference of mᵢ.
    pub fn begin(&mut self, learner: &Learner, roots: &[f64]) {
        self.roots.clear();
        self.roots.extend_from_slice(roots);
        self.thetas.resize_with(learner.models.len(), Vec::new);
        for (theta, model) in self.thetas.iter_mut().zip(&learner.models) {
            theta.clear();
            theta.extend_from_slice(model.estimate.blocks());
        }
    }

    /// Returns mᵢ.
    pub(super) fn movement(&self, learner: &Learner, i: usize, root: f64, moved: &mut Vec<Lanes>) -> f64 {
        let ObjectiveModel { estimate, gram, .. } = &learner.models[i];
        moved.clear();
        moved.extend_from_slice(estimate.blocks());
        vectorized!(
            { moved: &'a mut [Lanes] = moved, before: &'a [Lanes] = &self.thetas[i] },
            (),
            |simd| axpy(simd, moved, -1.0, before)
        );
        learner.grams[*gram].squared_norm_of(moved).sqrt() + (root - self.roots[i]).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Decision, Kappa, Link, MoglbUcb, MoglbUcbConfig, Norms, Objective, Policy, Problem, Storage, Width,
    };
    use moglb_math::draw;
    use std::sync::Arc;

    const ARMS: usize = 16_500;
    const ROUNDS: usize = 900;

    /// Counts of a run.
    #[derive(Default)]
    struct Seen {
        surveys: usize,
        /// Surveys after which the near arms stayed the same.
        kept: usize,
        /// Rounds with far arms, and those whose front was not the front of all arms.
        held: usize,
        wrong: usize,
        /// Near arms, summed over these rounds.
        near: usize,
    }

    /// Plays on arms of which some are long, and compares each round with a decision that caches nothing.
    /// Late in the run the signs of the rewards turn, so that good arms become bad.
    fn play(config: MoglbUcbConfig, storage: Storage, short: f64, keep: impl Fn(&mut ActiveSet)) -> Seen {
        let mut rng = draw::seeded(23);
        let (dim, m) = (6, 3);
        let objectives =
            [Link::Logit, Link::Probit, Link::Identity].map(|link| Objective::new(link.name(), link));
        let mut policy = MoglbUcb::new(Problem::new(dim, objectives.into()).unwrap(), config).unwrap();
        let length = |arm: usize| if arm.is_multiple_of(5) { 0.4 } else { short };
        let contexts = (0..ARMS * dim).map(|j| length(j / dim) * draw::normal(&mut rng)).collect();
        let arms = ArmSet::new(dim, contexts, Norms::Clip).unwrap();
        let (fixed, other) = (Arc::new(arms.clone().stored_as(storage)), arms);
        policy.fix_arms(&fixed).unwrap();
        let (mut fast, mut slow, mut seen) = (Decision::lean(), Decision::lean(), Seen::default());
        for t in 0..ROUNDS {
            policy.decide_into(&fixed, &mut rng, &mut fast).unwrap();
            policy.decide_into(&other, &mut rng, &mut slow).unwrap();
            let active = &mut policy.fixed.as_mut().unwrap().active;
            if active.in_force {
                seen.held += 1;
                seen.wrong += usize::from(fast.front != slow.front);
                seen.near += active.arms.len();
                seen.surveys += usize::from(active.rounds == 0);
                seen.kept += usize::from(active.rounds == 0 && active.kept);
                keep(active);
            } else {
                assert!(fast.front == slow.front, "all arms are moved");
            }
            let arm = fixed.arm(fast.arm);
            let sign = if t < ROUNDS * 2 / 3 { 4.0 } else { -4.0 };
            let reward: Vec<f64> = (0..m)
                .map(|i| f64::from(draw::unit(&mut rng) < Link::Logit.mean(sign * arm.context()[i])))
                .collect();
            policy.learn(arm, &reward).unwrap();
        }
        seen
    }

    #[test]
    fn the_front_is_that_of_all_arms_while_far_ones_are_left_alone() {
        let tuned = Width::Tuned { c: 0.1 };
        let mut all_kept = 0;
        for (width, kappa, storage, short) in [
            (tuned, Kappa::Shared, Storage::F64, 0.15),
            (tuned, Kappa::Shared, Storage::F64, 0.03),
            (tuned, Kappa::PerObjective, Storage::F32, 0.15),
            (Width::Tightened { delta: 0.05 }, Kappa::Shared, Storage::F32, 0.15),
        ] {
            let config = MoglbUcbConfig { width, kappa, ..Default::default() };
            let seen = play(config, storage, short, |_| ());
            let Seen { surveys, kept, held, wrong, near } = seen;
            assert!(kept < surveys, "{width:?}: {kept} of {surveys} kept");
            all_kept += kept;
            assert!(surveys >= 3 && held > ROUNDS / 5, "{width:?}: {surveys} surveys, {held} rounds");
            assert!(near < held * ARMS / 2, "{width:?}: {} near", near / held);
            assert_eq!(wrong, 0, "{width:?}, {kappa:?}, {storage:?}");
        }
        assert!(all_kept >= 3, "{all_kept} surveys kept the near arms");
    }

    /// Without the test of the condition, fronts would be wrong.
    #[test]
    fn a_promise_has_to_be_looked_after() {
        let config = MoglbUcbConfig { width: Width::Tuned { c: 0.1 }, ..Default::default() };
        let seen = play(config, Storage::F64, 0.15, |active| {
            active.promise.reach = f64::INFINITY;
            active.promise.floors.fill(f64::NEG_INFINITY);
        });
        assert!(seen.wrong > 10, "wrong in {} of {} rounds", seen.wrong, seen.held);
    }
}
