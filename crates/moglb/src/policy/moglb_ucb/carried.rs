//! What is carried from round to round while the arms stay the same: one product a round serves everything.
//!
//! With h = κ/2, v = Z_{t+1}⁻¹x_t and q = x_tᵀv, every estimate moves along the same v and every squared width drops by
//! a multiple of the same square (Sherman–Morrison):
//!
//! ```text
//! s_k = x_kᵀv
//! θ̂ᵢᵀx_k  ←  θ̂ᵢᵀx_k − slopeᵢ · s_k           unless θ̂ᵢ was projected: then it is computed anew
//! ‖x_k‖²  ←  ‖x_k‖² − h/(1 − hq) · s_k²       in the norm of Z⁻¹
//! ```
//!
//! so a round costs O(Kd + Km) where scoring from nothing costs O(Kd² + Kdm).
//!
//! **What is carried never decides.** It differs from the scores of `MoglbUcb::score` by rounding (refreshed often
//! enough to stay within [`SLACK`], which the tests measure). An arm is dropped only if it is dominated by more than
//! that in every objective; where a comparison is closer, the exact scores of the two arms decide. So the front is
//! that of the exact scores, bit for bit, and no snapshot needs what is carried.

use super::{Model, MoglbUcb, Scratch};
use crate::kernel::{LANES, Lanes, tile_dot, tile_dots, tile_squared_norm, vectorized};
use crate::{ArmId, ArmSet, Front};
use std::sync::Arc;

/// How far carried scores may be from exact ones, relative to the largest score there can be.
const SLACK: f64 = 1e-9;

/// Rounds between two computations from nothing; between them the error stays far below [`SLACK`].
const REFRESH: u32 = 10_000;

/// The most arms of the last front that every arm is first held against.
const PIVOTS: usize = 16;

/// Scores of all arms of a fixed set, and their front.
#[derive(Debug, Clone)]
pub(super) struct Carried {
    arms: Arc<ArmSet>,
    /// Tiles of eight arms, feature by feature; lanes beyond the last arm repeat it.
    contexts: Vec<Lanes>,
    /// θ̂ᵢᵀx for each tile and objective.
    estimates: Vec<Lanes>,
    /// ‖x‖²_{Z⁻¹} for each tile and Gram matrix.
    squared: Vec<Lanes>,
    /// θ̂ᵢᵀx + √γᵢ·‖x‖ for each tile and objective.
    bounds: Vec<Lanes>,
    front: Front,
    /// Rounds since everything was computed from nothing.
    rounds: u32,
    work: Work,
}

/// How the estimate of one objective moved in a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Move {
    /// Along Z⁻¹x, by −slope.
    Along(f64),
    /// Projected: not along any shared direction.
    Anew,
}

/// Memory of a round.
#[derive(Debug, Clone, Default)]
struct Work {
    /// √γ of each objective.
    roots: Vec<f64>,
    /// The vectors to be multiplied with all arms, feature by feature.
    factors: Vec<f64>,
    pivots: Vec<Pivot>,
    /// The scores of the pivots, each lowered by the slack.
    pivot_bounds: Vec<f64>,
    /// Arms that no pivot dominates, with the sum of their scores.
    survivors: Vec<(f64, usize)>,
    /// The scores of the arm under consideration.
    point: Vec<f64>,
    /// The kept arms in tiles, objective by objective; lanes not in use hold −∞.
    window: Vec<Lanes>,
    kept: Vec<usize>,
    /// Arms whose exact scores had to be computed.
    exact: Vec<(usize, Vec<f64>)>,
}

/// An arm that many others are dominated by.
#[derive(Debug, Clone, Copy)]
struct Pivot {
    arm: usize,
    /// How many tiles it finished off lately.
    kills: u32,
}

impl Carried {
    /// Scores all arms from nothing.
    pub(super) fn new(policy: &MoglbUcb, arms: &Arc<ArmSet>) -> Self {
        let (tiles, dim) = (arms.n_arms().div_ceil(LANES), arms.dim());
        let mut contexts = vec![[0.0; LANES]; tiles * dim];
        for (tile, block) in contexts.chunks_exact_mut(dim).enumerate() {
            for lane in 0..LANES {
                let arm = (tile * LANES + lane).min(arms.n_arms() - 1);
                block.iter_mut().zip(arms.context(arm)).for_each(|(feature, x)| feature[lane] = *x);
            }
        }
        let mut carried = Self {
            arms: Arc::clone(arms),
            contexts,
            estimates: vec![[0.0; LANES]; tiles * policy.models.len()],
            squared: vec![[0.0; LANES]; tiles * policy.grams.len()],
            bounds: vec![[0.0; LANES]; tiles * policy.models.len()],
            front: Front::default(),
            rounds: 0,
            work: Work::default(),
        };
        carried.refresh(policy);
        carried.find_front(policy);
        carried
    }

    /// The arms.
    pub(super) fn arms(&self) -> &Arc<ArmSet> {
        &self.arms
    }

    /// The front of the exact scores.
    pub(super) fn front(&self) -> &Front {
        &self.front
    }

    /// Takes the round into account that the policy has just learned.
    pub(super) fn step(&mut self, policy: &MoglbUcb) {
        self.rounds += 1;
        if self.rounds >= REFRESH {
            self.refresh(policy);
        } else {
            policy.roots_into(&mut self.work.roots);
            for g in 0..policy.grams.len() {
                self.pass(policy, g);
            }
        }
        self.find_front(policy);
    }

    /// Everything from nothing.
    fn refresh(&mut self, policy: &MoglbUcb) {
        let (dim, grams, models) = (self.arms.dim(), &policy.grams, &policy.models);
        let mut solved = vec![[0.0; LANES]; dim];
        let mut rows = vec![Vec::new(); grams.len()];
        grams.iter().zip(&mut rows).for_each(|(gram, rows)| gram.rows_into(rows));
        policy.roots_into(&mut self.work.roots);
        vectorized(
            #[inline(always)]
            || {
                for (tile, context) in self.contexts.chunks_exact(dim).enumerate() {
                    for (g, rows) in rows.iter().enumerate() {
                        self.squared[tile * grams.len() + g] = tile_squared_norm(context, rows, &mut solved);
                    }
                    for (i, model) in models.iter().enumerate() {
                        let estimate = tile_dot(context, model.estimate.theta());
                        let squared = &self.squared[tile * grams.len() + model.gram];
                        self.estimates[tile * models.len() + i] = estimate;
                        self.bounds[tile * models.len() + i] = bound(&estimate, self.work.roots[i], squared);
                    }
                }
            },
        );
        self.rounds = 0;
    }

    /// One product with all arms moves what belongs to one Gram matrix.
    fn pass(&mut self, policy: &MoglbUcb, g: usize) {
        let Scratch { directions, moves, squared: own, .. } = &policy.scratch;
        let (dim, m, n_grams) = (self.arms.dim(), policy.models.len(), policy.grams.len());
        let weight = policy.grams[g].weight();
        let drop = weight / (1.0 - weight * own[g]);
        let mine = |(i, model): &(usize, &Model)| model.gram == g && moves[*i] == Move::Anew;
        let anew = policy.models.iter().enumerate().filter(mine).map(|(_, model)| model.estimate.theta());
        let vectors = std::iter::once(&directions[g][..dim]).chain(anew);
        let n_vectors = vectors.clone().count();
        self.work.factors.resize(dim * n_vectors, 0.0);
        for (k, vector) in vectors.enumerate() {
            self.work.factors[k..].iter_mut().step_by(n_vectors).zip(vector).for_each(|(f, v)| *f = *v);
        }
        let Self { contexts, estimates, squared, bounds, work, .. } = self;
        tile_dots(
            contexts,
            dim,
            &work.factors,
            #[inline(always)]
            |tile, products| {
                let along = &products[0];
                let squared = &mut squared[tile * n_grams + g];
                for lane in 0..LANES {
                    let left = squared[lane] - drop * (along[lane] * along[lane]);
                    squared[lane] = if left > 0.0 { left } else { 0.0 };
                }
                let mut next = 1;
                for (i, model) in policy.models.iter().enumerate() {
                    if model.gram != g {
                        continue;
                    }
                    let estimate = &mut estimates[tile * m + i];
                    match moves[i] {
                        Move::Along(slope) => {
                            for lane in 0..LANES {
                                estimate[lane] -= slope * along[lane];
                            }
                        }
                        Move::Anew => {
                            *estimate = products[next];
                            next += 1;
                        }
                    }
                    bounds[tile * m + i] = bound(estimate, work.roots[i], squared);
                }
            },
        );
    }

    /// The front of the exact scores, found with the carried ones wherever they suffice.
    fn find_front(&mut self, policy: &MoglbUcb) {
        if policy.rounds == 0 {
            self.front.refill((0..self.arms.n_arms()).map(ArmId)); // O_1 = X
            return;
        }
        let largest = self.work.roots.iter().fold(0.0_f64, |a, b| a.max(*b));
        let slack = SLACK * (policy.problem.radius() + largest / policy.grams[0].lambda().sqrt());
        vectorized(
            #[inline(always)]
            || {
                self.drop_dominated(slack);
                self.sort_out(policy, slack);
            },
        );
    }

    fn bound(&self, arm: usize, objective: usize) -> f64 {
        let m = self.bounds.len() / self.arms.n_arms().div_ceil(LANES);
        self.bounds[arm / LANES * m + objective][arm % LANES]
    }

    /// Holds every arm against the pivots; the rest survive.
    #[inline(always)]
    fn drop_dominated(&mut self, slack: f64) {
        let n_arms = self.arms.n_arms();
        let m = self.bounds.len() / n_arms.div_ceil(LANES);
        let mut work = std::mem::take(&mut self.work);
        work.pivot_bounds.clear();
        for pivot in &work.pivots {
            work.pivot_bounds.extend((0..m).map(|i| self.bound(pivot.arm, i) - slack));
        }
        work.survivors.clear();
        for (tile, bounds) in self.bounds.chunks_exact(m).enumerate() {
            // How far each arm is above the pivot that it is least above; below zero it is dominated.
            let mut above = [f64::INFINITY; LANES];
            for (pivot, pivot_bounds) in work.pivots.iter_mut().zip(work.pivot_bounds.chunks_exact(m)) {
                let mut most = [f64::NEG_INFINITY; LANES];
                for (bound, pivot) in bounds.iter().zip(pivot_bounds) {
                    for lane in 0..LANES {
                        let lead = bound[lane] - pivot;
                        most[lane] = if lead > most[lane] { lead } else { most[lane] };
                    }
                }
                for lane in 0..LANES {
                    above[lane] = if most[lane] < above[lane] { most[lane] } else { above[lane] };
                }
                if all_negative(&above) {
                    pivot.kills += 1;
                    break;
                }
            }
            if all_negative(&above) {
                continue;
            }
            for lane in 0..LANES.min(n_arms - tile * LANES) {
                if above[lane] >= 0.0 {
                    let sum = bounds.iter().map(|bound| bound[lane]).sum();
                    work.survivors.push((sum, tile * LANES + lane));
                }
            }
        }
        self.work = work;
    }

    /// The front of the survivors, by decreasing sum.
    #[inline(always)]
    fn sort_out(&mut self, policy: &MoglbUcb, slack: f64) {
        let m = policy.models.len();
        let mut work = std::mem::take(&mut self.work);
        work.survivors.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        work.kept.clear();
        work.window.clear();
        work.exact.clear();
        for k in 0..work.survivors.len() {
            let (_, arm) = work.survivors[k];
            work.point.clear();
            work.point.extend((0..m).map(|i| self.bound(arm, i)));
            if self.is_dominated(policy, arm, slack, &mut work) {
                continue;
            }
            let lane = work.kept.len() % LANES;
            if lane == 0 {
                work.window.resize(work.window.len() + m, [f64::NEG_INFINITY; LANES]);
            }
            let last = work.window.len() - m;
            (0..m).for_each(|i| work.window[last + i][lane] = work.point[i]);
            work.kept.push(arm);
        }
        work.kept.retain(|&arm| arm != usize::MAX);
        choose_pivots(&mut work);
        work.kept.sort_unstable();
        self.front.refill(work.kept.iter().map(|&arm| ArmId(arm)));
        self.work = work;
    }

    /// Whether a kept arm dominates this one. Where it is too close to tell, the exact scores do; they may also show
    /// that this one dominates a kept arm of nearly the same sum, which is then taken off.
    #[inline(always)]
    fn is_dominated(&self, policy: &MoglbUcb, arm: usize, slack: f64, work: &mut Work) -> bool {
        let m = work.point.len();
        for block in 0..work.window.len() / m {
            let lead = leads(&work.window[block * m..(block + 1) * m], &work.point);
            let mut most = f64::NEG_INFINITY;
            for lane in 0..LANES {
                most = if lead[lane] > most { lead[lane] } else { most };
            }
            if most > slack {
                return true;
            }
            if most >= -slack && self.is_dominated_exactly(policy, arm, slack, block, &lead, work) {
                return true;
            }
        }
        false
    }

    #[cold]
    fn is_dominated_exactly(
        &self,
        policy: &MoglbUcb,
        arm: usize,
        slack: f64,
        block: usize,
        lead: &Lanes,
        work: &mut Work,
    ) -> bool {
        let m = work.point.len();
        for lane in 0..LANES {
            let kept = work.kept.get(block * LANES + lane).copied().unwrap_or(usize::MAX);
            if lead[lane] < -slack || kept == usize::MAX {
                continue;
            }
            let (mine, theirs) = (self.exact(policy, arm, work), self.exact(policy, kept, work));
            let (mine, theirs) = (&work.exact[mine].1, &work.exact[theirs].1);
            if crate::dominates(theirs, mine) {
                return true;
            }
            if crate::dominates(mine, theirs) {
                work.kept[block * LANES + lane] = usize::MAX;
                (0..m).for_each(|i| work.window[block * m + i][lane] = f64::NEG_INFINITY);
            }
        }
        false
    }

    /// The exact scores of an arm, computed once a round at most: where they are in the list.
    fn exact(&self, policy: &MoglbUcb, arm: usize, work: &mut Work) -> usize {
        if let Some(found) = work.exact.iter().position(|(known, _)| *known == arm) {
            return found;
        }
        work.exact.push((arm, policy.exact_scores(self.arms.context(arm))));
        work.exact.len() - 1
    }
}

/// The arms that every arm will be held against next: those that proved useful, and the best sums of the front.
fn choose_pivots(work: &mut Work) {
    let kept = &work.kept;
    work.pivots.retain(|pivot| kept.contains(&pivot.arm));
    work.pivots.sort_unstable_by_key(|pivot| (std::cmp::Reverse(pivot.kills), pivot.arm));
    work.pivots.iter_mut().for_each(|pivot| pivot.kills /= 2);
    for &arm in kept {
        if work.pivots.len() >= PIVOTS {
            break;
        }
        if !work.pivots.iter().any(|pivot| pivot.arm == arm) {
            work.pivots.push(Pivot { arm, kills: 0 });
        }
    }
}

/// θ̂ᵀx + √γ·‖x‖.
#[inline(always)]
fn bound(estimate: &Lanes, root: f64, squared: &Lanes) -> Lanes {
    let mut bound = *estimate;
    for lane in 0..LANES {
        bound[lane] += root * squared[lane].sqrt();
    }
    bound
}

#[inline(always)]
fn all_negative(lanes: &Lanes) -> bool {
    let mut any = false;
    for lane in 0..LANES {
        any |= lanes[lane] >= 0.0;
    }
    !any
}

/// For each arm of a block of the window, the objective in which it leads the point least.
#[inline(always)]
fn leads(window: &[Lanes], point: &[f64]) -> Lanes {
    let mut least = [f64::INFINITY; LANES];
    for (kept, point) in window.iter().zip(point) {
        for lane in 0..LANES {
            let lead = kept[lane] - point;
            least[lane] = if lead < least[lane] { lead } else { least[lane] };
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kappa, Link, MoglbUcbConfig, Norms, Objective, Policy, Problem, Width, draw};

    /// The largest error of a carried score, relative to the largest score there can be, just before a refresh.
    fn worst_error(width: Width, kappa: Kappa) -> f64 {
        let mut rng = draw::seeded(17);
        let objectives =
            [Link::Logit, Link::Probit, Link::Identity].map(|link| Objective::new(link.name(), link));
        let config = MoglbUcbConfig { width, kappa, ..Default::default() };
        let mut policy = MoglbUcb::new(Problem::new(6, objectives.into()).unwrap(), config).unwrap();
        let mut contexts: Vec<f64> = (0..30 * 6).map(|_| 0.4 * draw::normal(&mut rng)).collect();
        // A nearly collinear pair and a tiny one: these lose the most digits.
        (0..6).for_each(|j| contexts[6 + j] = contexts[j] * (1.0 + 1e-9));
        (0..6).for_each(|j| contexts[12 + j] *= 1e-6);
        let arms = Arc::new(ArmSet::new(6, contexts, Norms::Clip).unwrap());
        policy.fix_arms(&arms).unwrap();
        for _ in 1..REFRESH {
            let arm = arms.arm(ArmId(draw::below(30, &mut rng)));
            let reward: Vec<f64> = (0..3).map(|_| draw::below(2, &mut rng) as f64).collect();
            policy.learn(arm, &reward).unwrap();
        }
        let carried = policy.carried.as_ref().unwrap();
        assert_eq!(carried.rounds, REFRESH - 1, "no refresh on the way");
        let largest = carried.work.roots.iter().fold(1.0_f64, |a, b| a.max(*b));
        let error = |arm: usize| {
            let exact = policy.exact_scores(arms.context(arm));
            (0..3).map(|i| (carried.bound(arm, i) - exact[i]).abs()).fold(0.0, f64::max)
        };
        (0..30).map(error).fold(0.0, f64::max) / largest
    }

    #[test]
    fn carried_scores_stay_a_thousand_times_closer_than_their_slack() {
        for kappa in [Kappa::Shared, Kappa::PerObjective] {
            for width in [Width::Tuned { c: 0.1 }, Width::Proved { delta: 0.05 }] {
                let error = worst_error(width, kappa);
                assert!(error > 0.0, "carried along, not computed anew");
                assert!(error < SLACK / 1000.0, "{width:?}, {kappa:?}: off by {error:e}");
            }
        }
    }
}
