//! Surveys of all arms of one of the largest sets: when to survey, how far to look, and the remaining work
//! of that round. A survey copies the near arms. `active_set.rs` proves that the other arms can be skipped.

use super::super::learner::{Learner, Move};
use super::active_set::{ActiveSet, ROUNDS_BETWEEN_SURVEYS, SAMPLED_GROUPS};
use super::layout::{TileLayout, refresh, with_tiles};
use super::sweep::Sweep;
use super::{Due, FixedArms, FixedScratch, REFRESH};
use moglb_math::kernel::{GROUP, LANES, Lanes};

/// The number of horizons to choose from: a survey is meant to last 2, 4, … 2^HORIZONS rounds.
const HORIZONS: u32 = 12;

/// The factor by which estimates may move farther than expected before a survey has to be repeated.
const LEEWAY: f64 = 1.25;

/// The factor by which the reach of the copied arms may exceed the reach of the survey.
const SPARE: f64 = 1.5;

/// A horizon pays if a round then costs less than this share of a pass over all arms.
const WORTH: f64 = 0.75;

/// Recompute the norms of all arms after t has grown by this factor. Norms shrink like 1/√t.
const WIDTHS_LAST: f64 = 1.25;

/// The two reaches of a survey. `reach` is B: the farthest that estimates may move until the next survey.
/// `members` is the reach of the arms that are copied. It is larger than `reach` where it adds few arms, so
/// that the same arms can be the near ones of the next survey.
struct Reach {
    reach: f64,
    members: f64,
}

impl FixedArms {
    /// Returns the work of a round in one of the largest sets, where far arms are skipped or could be.
    pub(super) fn due_in_large_set(&mut self, learner: &Learner) -> Due {
        let active = &mut self.active;
        active.rounds += 1;
        if active.in_force {
            if self.rounds < REFRESH && self.keeps_promise(learner) {
                return Due::Move;
            }
            if self.active.rounds >= self.active.break_even
                && let Some(due) = self.survey(learner)
            {
                return due;
            }
            self.active.put_off();
            return Due::Refresh;
        }
        if active.steps.is_empty() {
            active.count_from_here(learner);
        }
        active.wait -= 1;
        if active.wait == 0 {
            if let Some(due) = self.survey(learner) {
                return due;
            }
            self.active.put_off();
            self.active.count_from_here(learner);
        }
        if self.rounds < REFRESH { Due::Move } else { Due::Refresh }
    }

    /// True if the far arms are certainly still far. Rounding needs no allowance: it is far below the slack
    /// by which pivots dominate far arms in addition.
    fn keeps_promise(&mut self, learner: &Learner) -> bool {
        let (ActiveSet { promise, moved, .. }, FixedScratch { roots, survivors_front, .. }) =
            (&mut self.active, &mut self.work);
        let mut movements =
            roots.iter().enumerate().map(|(i, root)| promise.movement(learner, i, *root, moved));
        let m = roots.len();
        movements.all(|movement| movement <= promise.reach)
            && promise.pivots.iter().zip(promise.floors.chunks_exact(m)).all(|(&pivot, floors)| {
                let at = survivors_front.exact.find(learner, &self.arms, pivot);
                survivors_front.exact.scores[at * m..][..m]
                    .iter()
                    .zip(floors)
                    .all(|(score, floor)| score >= floor)
            })
    }

    /// Surveys all arms and copies the near ones if that pays. Returns the remaining work of the round, or
    /// none if a survey does not pay.
    fn survey(&mut self, learner: &Learner) -> Option<Due> {
        let rounds = self.rounds;
        self.work.survivors_front.exact.forget();
        self.active.promise.pivots.clear();
        self.active.moves.resize(learner.models.len(), Move::Projected);
        for pivot in &self.work.pivots {
            // The list of exact scores now holds those of the pivots, in order. `set_reach` reads it.
            self.work.survivors_front.exact.find(learner, &self.arms, pivot.arm);
            self.active.promise.pivots.push(pivot.arm);
        }
        let Reach { reach, members } = self.best_reach(learner)?;
        self.set_reach(learner, reach);
        if !self.active.in_force {
            // All arms were moved up to the last round, so their norms are recent.
            self.active.widths_of = learner.rounds;
        }
        let from_nothing = learner.rounds as f64 > WIDTHS_LAST * self.active.widths_of as f64;
        if from_nothing {
            self.refresh(learner);
            self.active.widths_of = learner.rounds;
            self.work.factors.clear();
        } else {
            let moves = std::mem::take(&mut self.active.moves);
            self.gather_factors(learner, &[], &moves);
            self.active.moves = moves;
        }
        self.look_at_all(learner);
        let kept = self.active.in_force && rounds < REFRESH && self.active.covers(&self.work.parts);
        if !kept {
            if self.work.parts.iter().all(|part| part.arms.is_empty()) {
                // Only NaN scores leave no survivor, and they have no bounds.
                self.active.put_off();
                return Some(Due::Refresh);
            }
            if members > reach {
                self.work.factors.clear();
                self.set_reach(learner, members);
                self.look_at_all(learner);
                self.set_reach(learner, reach);
            }
            let FixedScratch { parts, survivors_front, .. } = &self.work;
            self.active.adopt(&self.arms, parts, &survivors_front.exact.scorer, learner.models.len());
        }
        let active = &mut self.active;
        active.promise.begin(learner, &self.work.roots);
        if active.in_force {
            // The last survey lasted, so surveys pay: the next wait is the shortest again.
            active.patience = ROUNDS_BETWEEN_SURVEYS.0;
        }
        (active.in_force, active.kept) = (true, kept);
        active.count_from_here(learner);
        self.rounds = if kept { rounds } else { 0 };
        Some(if kept { Due::Move } else { Due::Hold })
    }

    /// Finds the arms that are near with the present reach, after updating all arms by the factors, if any.
    fn look_at_all(&mut self, learner: &Learner) {
        let Self { active, work, arms, contexts, state, .. } = self;
        let pass = Sweep {
            n_arms: arms.n_arms(),
            factors: &work.factors,
            moves: &active.moves,
            ..active.search(learner)
        };
        with_tiles!(&*contexts, |tiles| pass.run_parts(tiles, state, &mut work.parts));
    }

    /// Finds the B with the least cost on a sample of the arms, if it costs less than moving all arms.
    fn best_reach(&mut self, learner: &Learner) -> Option<Reach> {
        let (dim, m, n_grams) = (self.arms.dim(), learner.models.len(), learner.grams.len());
        let (active, scorer) = (&mut self.active, &self.work.survivors_front.exact.scorer);
        let (groups, size) = (self.arms.n_arms() / (GROUP * LANES), GROUP * (n_grams + m));
        active.sample.clear();
        active.sample.resize(SAMPLED_GROUPS * size, Lanes::ZERO);
        for (s, sample) in active.sample.chunks_exact_mut(size).enumerate() {
            let group = s * groups / SAMPLED_GROUPS;
            let first = group * GROUP * dim;
            with_tiles!(&self.contexts, |tiles| refresh(scorer, &tiles[first..][..GROUP * dim], dim, sample));
            // The sample takes the cached norms, which are as old as those of the other arms.
            let old = self.state[group * size..].chunks_exact(n_grams + m);
            for (sample, old) in sample.chunks_exact_mut(n_grams + m).zip(old) {
                sample[..n_grams].copy_from_slice(&old[..n_grams]);
            }
        }
        let (mean_square, growth) = (self.active.mean_square(learner), self.active.growth(&self.work.roots));
        let (mut least, mut best) = (WORTH, None);
        for horizon in (1..=HORIZONS).map(|k| f64::from(1_u32 << k)) {
            let reach = LEEWAY * (horizon * mean_square).sqrt() + horizon * growth;
            if !(reach > 0.0 && reach.is_finite()) {
                break;
            }
            self.set_reach(learner, reach);
            let share = self.active.sampled_share(learner);
            if share >= least {
                break; // The share grows with the horizon.
            }
            let survey = self.active.survey_cost(dim, share);
            if share + survey / horizon < least {
                (least, best) = (share + survey / horizon, Some((reach, share)));
                self.active.break_even = (survey / (1.0 - share)).ceil() as u32;
            }
        }
        let (reach, share) = best?;
        self.set_reach(learner, SPARE * reach);
        let is_cheap = self.active.sampled_share(learner) < 1.1 * share + 0.01;
        Some(Reach { reach, members: if is_cheap { SPARE * reach } else { reach } })
    }

    /// Sets B, √γ + B, and the lowered scores of the pivots, Sᵢ(p) − A_p. A_p allows for two losses of a
    /// pivot. Its estimate may move anywhere within B, but it seldom moves straight away from the pivot, so
    /// 3/√d of B is allowed for. Its width shrinks when it is played; one play is allowed for.
    fn set_reach(&mut self, learner: &Learner, reach: f64) {
        let towards = (3.0 / (self.arms.dim() as f64).sqrt()).min(1.0);
        let slack = self.slack(learner, reach);
        let (ActiveSet { promise, bounds, roots, .. }, exact) =
            (&mut self.active, &self.work.survivors_front.exact);
        promise.reach = reach;
        promise.floors.clear();
        for (k, (score, norm)) in exact.scores.iter().zip(&exact.norms).enumerate() {
            let i = k % self.work.roots.len();
            let weight = learner.gram(i).weight();
            let played = norm / (1.0 + weight * norm * norm).sqrt();
            promise.floors.push(score - towards * reach * norm - self.work.roots[i] * (norm - played));
        }
        bounds.clear();
        bounds.extend(promise.floors.iter().map(|floor| floor - slack));
        roots.clear();
        roots.extend(self.work.roots.iter().map(|root| root + reach));
    }
}
