//! Cached scores of arms that stay the same from round to round: one product with all arms updates all of
//! them.
//!
//! With h = κ/2, v = Z_{t+1}⁻¹x_t and q = x_tᵀv, every estimate moves along the same v, and every squared
//! width drops by a multiple of the same square (Sherman–Morrison):
//!
//! ```text
//! s_k = x_kᵀv
//! θ̂ᵢᵀx_k  ←  θ̂ᵢᵀx_k − slopeᵢ · s_k           unless θ̂ᵢ was projected: then it is computed again
//! ‖x_k‖²  ←  ‖x_k‖² − h/(1 − hq) · s_k²       in the norm of Z⁻¹
//! ```
//!
//! So a round costs O(Kd + Km), where scoring from scratch costs O(Kd² + Kdm).
//!
//! Most arms that are dominated in this round were dominated in the last one by the same arms. So in sets
//! of more than 96 arms, each tile of eight arms is first compared with a few pivots: arms of the last front
//! that dominated many others. In the largest sets this happens while the tile is still in registers. An
//! arm that a pivot dominates is rejected and not looked at again. Each survivor that was dominated before
//! is then compared with its last known dominator, its witness. Only the rest is sorted and compared with
//! the front.
//!
//! **A cached value never decides.** Cached scores differ from those of `Decision::score` by rounding. They
//! are recomputed often enough to stay within [`SLACK`], which the tests measure. An arm is rejected only
//! if it is dominated by more than that in every objective. Where a comparison is closer, the exact scores
//! of the two arms decide. So the front is that of the exact scores, bit for bit, and no snapshot needs the
//! cache.

mod active_set;
mod exact_front;
mod last_dominator;
pub mod layout;
pub mod small;
mod survey;
pub mod sweep;

use super::learner::{Learner, Move, Round};
use crate::scoring::Arms;
use crate::scoring::path::{self, FrontPath, Shape};
use crate::scoring::small_front::SmallFront;
use crate::{ArmSet, Decision};
use active_set::ActiveSet;
use exact_front::ExactFront;
use layout::{TileLayout, refresh, with_tiles};
use moglb_math::kernel::{LANES, Lanes, Vector, blocks, places, vectorized};
use moglb_pareto::{ArmId, Front};
use small::SmallTiles;
use std::sync::Arc;
use sweep::{Survivors, Sweep};

/// Largest error of two cached scores together, relative to the largest possible score.
const SLACK: f64 = 1e-9;

/// [`SLACK`] for contexts in f32, each of which is off by up to 2⁻²⁴ = 6e-8 of its length.
const NARROW_SLACK: f64 = 1.5e-7;

/// Rounds between two computations from scratch. Between them the error stays far below [`SLACK`].
const REFRESH: u32 = 10_000;

/// The largest number of pivots.
const PIVOTS: usize = 16;

/// Rounds between two choices of pivots, except in the largest sets, which choose them in every round.
const PIVOT_ROUNDS: u32 = 8;

/// The cached terms of the scores of all arms of a fixed set, and their front.
#[derive(Debug, Clone)]
pub(super) struct FixedArms {
    arms: Arc<ArmSet<'static>>,
    /// The contexts in tiles, as the sweeps read them.
    contexts: TileLayout,
    /// For each tile of eight arms: ‖x‖²_{Z⁻¹} for each Gram matrix, then θ̂ᵢᵀx for each objective.
    state: Vec<Lanes>,
    /// The contexts of a small set in another layout; empty for other sets.
    small: SmallTiles,
    /// The near arms of one of the largest sets, while the others provably stay off the front.
    active: ActiveSet,
    /// The number of Gram matrices in `state`.
    n_grams: usize,
    /// The front of the next decision, O_{t+1}.
    front: Front,
    /// The path on which this front was found.
    path: FrontPath,
    /// Rounds since everything was computed from scratch.
    rounds: u32,
    work: FixedScratch,
}

/// The work of a round.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Due {
    /// Update the cached scores and find the front.
    Move,
    /// Only find the front: the arms have just been scored.
    Hold,
    /// Score all arms from scratch.
    Refresh,
}

/// Buffers of a round.
#[derive(Debug, Clone, Default)]
struct FixedScratch {
    /// √γ of each objective.
    roots: Vec<f64>,
    /// The vectors to multiply with all arms, feature by feature.
    factors: Vec<f64>,
    /// The arms that all others are compared with first.
    pivots: Vec<Pivot>,
    candidates: Vec<Pivot>,
    /// The scores of the pivots, end to end, each lowered by the slack.
    pivot_bounds: Vec<f64>,
    /// The survivors that each worker of a sweep found.
    parts: Vec<Survivors>,
    survivors_front: ExactFront,
    small: SmallFront,
    kept: Vec<usize>,
    /// Exact scores of all survivors, used if the front is large.
    exactly: Decision,
    /// Sums of scores with their arms.
    order: Vec<(f64, usize)>,
}

/// An arm that dominates many others.
#[derive(Debug, Clone, Copy)]
struct Pivot {
    arm: usize,
    /// The number of arms that it dominates, or of tiles that it rejected completely.
    kills: u32,
}

impl FixedArms {
    /// True if caching pays. A discount changes every norm in every round, so nothing can be cached. Sparse
    /// contexts are few numbers, and caching would lay them all out with their zeros.
    pub(super) fn pay(learner: &Learner, arms: &ArmSet) -> bool {
        learner.config.discount == 1.0 && arms.table().is_none()
    }

    /// Scores all arms from scratch.
    pub fn new(learner: &Learner, arms: &Arc<ArmSet<'static>>) -> Self {
        let tiles = blocks(arms.n_arms());
        let mut contexts = TileLayout::none(arms);
        contexts.refill(Arms::all(arms));
        let n_grams = learner.grams.len();
        let mut fixed = Self {
            arms: Arc::clone(arms),
            small: SmallTiles::of(&contexts, arms.n_arms(), arms.dim()),
            contexts,
            active: ActiveSet::new(TileLayout::none(arms)),
            n_grams,
            state: vec![Lanes::ZERO; tiles * (n_grams + learner.models.len())],
            front: Front::default(),
            path: FrontPath::EveryArm,
            rounds: 0,
            work: FixedScratch::default(),
        };
        fixed.path = FrontPath::choose(&fixed.shape(learner, 0));
        fixed.refresh(learner);
        fixed.find_front(learner);
        fixed
    }

    /// Returns the arms.
    pub fn arms(&self) -> &Arc<ArmSet<'static>> {
        &self.arms
    }

    /// Copies the front into a decision.
    pub fn show(&self, decision: &mut Decision) {
        decision.forget_tables();
        decision.front.refill(self.front.iter());
        decision.work.path = Some(self.path);
    }

    /// Updates the cache by one round of the learner: steps 10 to 13 of Algorithm 1.
    pub fn follow(&mut self, learner: &Learner, round: &Round) {
        if self.n_grams != learner.grams.len() {
            // A reward with missing parts has split a group of objectives, so there are more norms to
            // cache.
            *self = Self::new(learner, &self.arms);
            return;
        }
        self.rounds += 1;
        self.begin(learner);
        let n_projected = round.moves.iter().filter(|step| **step == Move::Projected).count();
        self.path = FrontPath::choose(&self.shape(learner, n_projected));
        match self.due(learner) {
            Due::Move => self.move_and_find_front(learner, round),
            Due::Hold => {
                self.foresee_pivots(learner);
                self.sweep(learner, None, true);
                self.sort_out(learner);
            }
            Due::Refresh => {
                self.active.leave(learner);
                self.refresh(learner);
                self.find_front(learner);
            }
        }
    }

    /// The inputs of the choice of a path.
    fn shape(&self, learner: &Learner, n_projected: usize) -> Shape {
        Shape {
            is_fixed: true,
            is_narrow: matches!(self.contexts, TileLayout::F32(_)),
            n_projected,
            ..learner.shape(&self.arms, false)
        }
    }

    /// Begins a round with the present √γ of the learner.
    pub fn begin(&mut self, learner: &Learner) {
        self.work.survivors_front.exact.forget();
        learner.roots_into(&mut self.work.roots);
    }

    /// Returns the work of this round.
    fn due(&mut self, learner: &Learner) -> Due {
        match self.rounds {
            _ if self.path == FrontPath::FixedFused => self.due_in_large_set(learner),
            REFRESH.. => Due::Refresh,
            _ => Due::Move,
        }
    }

    /// The usual round: updates the cached scores (steps 10 and 11), then finds the front (step 13).
    fn move_and_find_front(&mut self, learner: &Learner, round: &Round) {
        self.move_all(learner, round);
        match self.path {
            FrontPath::FixedSmall => self.find_small_front(learner),
            FrontPath::FixedFused => self.sort_out(learner),
            _ => self.find_front(learner),
        }
    }

    /// Updates all arms by one round: step 11. After this, small sets have their scores, and the largest
    /// sets have rejected the arms that a pivot dominates.
    pub(super) fn move_all(&mut self, learner: &Learner, round: &Round) {
        if self.path == FrontPath::FixedSmall {
            let Self { small, state, work, .. } = self;
            return small.move_by(learner, round, &work.roots, state, &mut work.small);
        }
        let is_fused = self.path == FrontPath::FixedFused;
        self.gather_factors(learner, &round.directions, &round.moves);
        if is_fused {
            self.foresee_pivots(learner);
        }
        self.sweep(learner, Some(round), is_fused);
    }

    /// Computes all norms and estimates from scratch.
    fn refresh(&mut self, learner: &Learner) {
        let scorer = &mut self.work.survivors_front.exact.scorer;
        learner.fill(&self.arms, scorer);
        learner.roots_into(&mut self.work.roots);
        with_tiles!(&self.contexts, |tiles| refresh(scorer, tiles, self.arms.dim(), &mut self.state));
        self.rounds = 0;
    }

    /// Finds the front of the exact scores, from the cached scores wherever these suffice.
    fn find_front(&mut self, learner: &Learner) {
        match self.path {
            FrontPath::EveryArm => self.front.refill((0..self.arms.n_arms()).map(ArmId)),
            FrontPath::FixedSmall | FrontPath::FixedTiles => {
                self.write_scores(learner);
                self.find_small_front(learner);
            }
            _ => self.find_large_front(learner),
        }
    }

    /// Finds the front of a small set, whose scores have been written.
    fn find_small_front(&mut self, learner: &Learner) {
        let (n_arms, slack) = (self.arms.n_arms(), self.slack(learner, 0.0));
        if self.work.small.find_front(n_arms, slack, &mut self.front).is_none() {
            self.find_large_front(learner);
        }
    }

    /// Finds the front by pivots.
    fn find_large_front(&mut self, learner: &Learner) {
        if self.work.pivots.is_empty() {
            self.sample_pivots();
        }
        self.read_pivots(learner);
        self.sweep(learner, None, true);
        self.sort_out(learner);
    }

    /// Writes the scores √γᵢ·‖x‖ + θ̂ᵢᵀx of all arms of a small set: Eq. (6) from cached terms.
    fn write_scores(&mut self, learner: &Learner) {
        let FixedScratch { small, roots, .. } = &mut self.work;
        let (n_grams, m) = (learner.grams.len(), learner.models.len());
        vectorized!(
            {
                learner: &'a Learner = learner,
                state: &'a [Lanes] = &self.state,
                roots: &'a [f64] = roots,
                bounds: &'a mut [Lanes] = small.bounds_mut(self.state.len() / (n_grams + m), m),
            },
            (),
            |simd| {
                let (n_grams, m) = (learner.grams.len(), roots.len());
                for (state, bounds) in state.chunks_exact(n_grams + m).zip(bounds.chunks_exact_mut(m)) {
                    let (squared, estimates) = state.split_at(n_grams);
                    let (mut norm, mut of) = (Vector::load(simd, &squared[0]).sqrt(), 0);
                    for i in 0..m {
                        let gram = learner.models[i].gram;
                        if gram != of {
                            (norm, of) = (Vector::load(simd, &squared[gram]).sqrt(), gram);
                        }
                        let estimate = Vector::load(simd, &estimates[i]);
                        Vector::splat(simd, roots[i]).mul_add(norm, estimate).store(&mut bounds[i]);
                    }
                }
            }
        );
    }

    /// Largest error of cached scores if all √γᵢ were larger by `reach`.
    fn slack(&self, learner: &Learner, reach: f64) -> f64 {
        let largest = self.work.roots.iter().fold(0.0_f64, |a, b| a.max(*b)) + reach;
        let relative = match self.contexts {
            TileLayout::F64(_) => SLACK,
            TileLayout::F32(_) => NARROW_SLACK,
        };
        relative * (learner.problem.radius() + largest / learner.grams[0].lambda().sqrt())
    }

    /// Collects Z⁻¹x for each Gram matrix, and the projected estimates, which are computed again, feature
    /// by feature.
    fn gather_factors(&mut self, learner: &Learner, directions: &[Vec<Lanes>], moves: &[Move]) {
        let (dim, n_grams, factors) = (self.arms.dim(), directions.len(), &mut self.work.factors);
        let n_vectors = n_grams + moves.iter().filter(|step| **step == Move::Projected).count();
        factors.resize(dim * n_vectors, 0.0);
        for (g, direction) in directions.iter().enumerate() {
            for (j, v) in places(direction).take(dim).enumerate() {
                factors[j * n_vectors + g] = v;
            }
        }
        let projected = learner.models.iter().zip(moves).filter(|(_, step)| **step == Move::Projected);
        for (k, (model, _)) in projected.enumerate() {
            for (j, theta) in model.estimate.theta().enumerate() {
                factors[j * n_vectors + n_grams + k] = theta;
            }
        }
    }

    /// Multiplies all arms with the factors of a round, if there is one, and updates their cached terms.
    /// With `hold`, keeps only the arms that no pivot dominates.
    fn sweep(&mut self, learner: &Learner, round: Option<&Round>, hold: bool) {
        let Self { active, work: FixedScratch { roots, factors, pivots, pivot_bounds, parts, .. }, .. } =
            self;
        let (n_arms, contexts, state) = if active.in_force {
            (active.arms.len(), &active.contexts, &mut active.state)
        } else {
            (self.arms.n_arms(), &self.contexts, &mut self.state)
        };
        let sweep = Sweep {
            learner,
            n_arms,
            roots,
            factors: if round.is_some() { factors } else { &[] },
            moves: round.map_or(&[], |round| &round.moves),
            drops: round.map_or(&[], |round| &round.drops),
            pivots: if hold { pivot_bounds } else { &[] },
            hold,
        };
        with_tiles!(contexts, |tiles| sweep.run_parts(tiles, state, parts));
        if active.in_force {
            let own = parts.iter_mut().flat_map(|part| &mut part.arms);
            own.for_each(|arm| *arm = active.arms[*arm]);
        }
        if hold {
            for (k, pivot) in pivots.iter_mut().enumerate() {
                pivot.kills = parts.iter().map(|part| part.kills[k]).sum();
            }
        }
    }

    /// Reads the cached scores of the pivots.
    fn read_pivots(&mut self, learner: &Learner) {
        let slack = self.slack(learner, 0.0);
        let FixedScratch { roots, pivots, pivot_bounds, .. } = &mut self.work;
        let (n_grams, stride) = (learner.grams.len(), learner.grams.len() + learner.models.len());
        pivot_bounds.clear();
        for pivot in pivots {
            let (state, lane) = (&self.state[pivot.arm / LANES * stride..][..stride], pivot.arm % LANES);
            let (mut norm, mut of) = (0.0, usize::MAX);
            for (i, model) in learner.models.iter().enumerate() {
                if model.gram != of {
                    (norm, of) = (state[model.gram][lane].sqrt(), model.gram);
                }
                pivot_bounds.push(state[n_grams + i][lane] + roots[i] * norm - slack);
            }
        }
    }

    /// Computes the exact scores that the pivots have after this round. The largest sets need them before
    /// their sweep.
    fn foresee_pivots(&mut self, learner: &Learner) {
        let (m, slack) = (learner.models.len(), self.slack(learner, 0.0));
        let FixedScratch { pivots, pivot_bounds, survivors_front, .. } = &mut self.work;
        pivot_bounds.clear();
        for pivot in pivots {
            let at = survivors_front.exact.find(learner, &self.arms, pivot.arm);
            pivot_bounds
                .extend(survivors_front.exact.scores[at * m..][..m].iter().map(|score| score - slack));
        }
    }

    /// Chooses the first pivots, before any front is known: a few arms spread over the set.
    fn sample_pivots(&mut self) {
        let n_arms = self.arms.n_arms();
        let step = n_arms.div_ceil(PIVOTS);
        self.work.pivots.extend((0..n_arms).step_by(step).map(|arm| Pivot { arm, kills: 0 }));
    }

    /// Finds the front of the survivors, and chooses the next pivots.
    fn sort_out(&mut self, learner: &Learner) {
        let slack = self.slack(learner, 0.0);
        let FixedScratch { parts, survivors_front, kept, exactly, .. } = &mut self.work;
        let (survivors, others) = parts.split_first_mut().expect("at least one worker");
        others.iter().for_each(|other| survivors.append(other));
        let large = path::needs_filter(self.front.len(), survivors.arms.len());
        kept.clear();
        if large {
            learner.fill(&self.arms, exactly.scorer());
            exactly.score_some(&self.arms, &survivors.arms);
            exactly.find_front();
            kept.extend(exactly.front.iter().map(|local| survivors.arms[local.0]));
        } else {
            survivors_front.sort_out(learner, &self.arms, slack, survivors);
            kept.extend(survivors_front.kept().map(|(arm, _)| arm));
            kept.sort_unstable();
        }
        self.front.refill(kept.iter().map(|&arm| ArmId(arm)));
        // In the largest sets, good pivots save more than the choice costs, so they are chosen in every
        // round.
        if self.rounds.is_multiple_of(PIVOT_ROUNDS) || self.path == FrontPath::FixedFused {
            if large { self.work.choose_pivots_by_sum() } else { self.work.choose_pivots() }
        }
    }

    /// The cached score of an arm.
    #[cfg(test)]
    fn bound(&self, learner: &Learner, arm: usize, objective: usize) -> f64 {
        let n_grams = learner.grams.len();
        let state = &self.state[arm / LANES * (n_grams + learner.models.len())..];
        let squared = state[learner.models[objective].gram][arm % LANES];
        self.work.roots[objective].mul_add(squared.sqrt(), state[n_grams + objective][arm % LANES])
    }
}

impl FixedScratch {
    /// Chooses the next pivots: the arms that dominated the most in this round, as pivots or as members of
    /// the front.
    fn choose_pivots(&mut self) {
        let Self { pivots, candidates, survivors_front, .. } = self;
        candidates.clear();
        candidates.extend(pivots.iter().filter(|pivot| pivot.kills > 0));
        let known = |arm: usize| pivots.iter().any(|pivot| pivot.kills > 0 && pivot.arm == arm);
        candidates.extend(
            survivors_front.kept().filter(|(arm, _)| !known(*arm)).map(|(arm, kills)| Pivot { arm, kills }),
        );
        let most_first = |pivot: &Pivot| (std::cmp::Reverse(pivot.kills), pivot.arm);
        if candidates.len() > PIVOTS {
            candidates.select_nth_unstable_by_key(PIVOTS, most_first);
            candidates.truncate(PIVOTS);
        }
        candidates.sort_unstable_by_key(most_first);
        std::mem::swap(pivots, candidates);
    }

    /// Chooses the next pivots where the front has no counts of dominated arms: half are the pivots that
    /// rejected the most tiles, the others are the arms of the front with the largest sums of scores.
    fn choose_pivots_by_sum(&mut self) {
        let Self { pivots, parts, exactly, order, .. } = self;
        pivots.sort_unstable_by_key(|pivot| (std::cmp::Reverse(pivot.kills), pivot.arm));
        pivots.truncate(PIVOTS / 2);
        let sum = |local: ArmId| exactly.work.scores.row(local.0).iter().sum::<f64>();
        order.clear();
        order.extend(exactly.front.iter().map(|local| (sum(local), parts[0].arms[local.0])));
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for &(_, arm) in order.iter() {
            if pivots.len() == PIVOTS {
                break;
            }
            if pivots.iter().all(|pivot| pivot.arm != arm) {
                pivots.push(Pivot { arm, kills: 0 });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kappa, Link, MoglbUcb, MoglbUcbConfig, Norms, Objective, Policy, Problem, Width};
    use moglb_math::draw;

    /// The largest error of a cached score just before a refresh, relative to the largest possible score.
    fn worst_error(width: Width, kappa: Kappa) -> f64 {
        let mut rng = draw::seeded(17);
        let objectives =
            [Link::Logit, Link::Probit, Link::Identity].map(|link| Objective::new(link.name(), link));
        let config = MoglbUcbConfig { width, kappa, ..Default::default() };
        let mut policy = MoglbUcb::new(Problem::new(6, objectives.into()).unwrap(), config).unwrap();
        let mut contexts: Vec<f64> = (0..30 * 6).map(|_| 0.4 * draw::normal(&mut rng)).collect();
        // A nearly collinear pair and a tiny context: these lose the most digits.
        (0..6).for_each(|j| contexts[6 + j] = contexts[j] * (1.0 + 1e-9));
        (0..6).for_each(|j| contexts[12 + j] *= 1e-6);
        let arms = Arc::new(ArmSet::new(6, contexts, Norms::Clip).unwrap());
        policy.fix_arms(&arms).unwrap();
        for _ in 1..REFRESH {
            let arm = arms.arm(ArmId(draw::below(30, &mut rng)));
            let reward: Vec<f64> = (0..3).map(|_| draw::below(2, &mut rng) as f64).collect();
            policy.learn(arm, &reward).unwrap();
        }
        let fixed = policy.fixed.as_ref().unwrap();
        assert_eq!(fixed.rounds, REFRESH - 1, "no refresh on the way");
        let largest = fixed.work.roots.iter().fold(1.0_f64, |a, b| a.max(*b));
        let error = |arm: usize| {
            let mut exact = exact_front::ExactScores::default();
            exact.find(&policy.learner, &arms, arm);
            (0..3).map(|i| (fixed.bound(&policy.learner, arm, i) - exact.scores[i]).abs()).fold(0.0, f64::max)
        };
        (0..30).map(error).fold(0.0, f64::max) / largest
    }

    #[test]
    fn carried_scores_stay_a_thousand_times_closer_than_their_slack() {
        for kappa in [Kappa::Shared, Kappa::PerObjective] {
            for width in [Width::Tuned { c: 0.1 }, Width::Proved { delta: 0.05 }] {
                let error = worst_error(width, kappa);
                assert!(error > 0.0, "cached, not computed again");
                assert!(error < SLACK / 1000.0, "{width:?}, {kappa:?}: off by {error:e}");
            }
        }
    }
}
