//! A decision: the arm, the front it was drawn from, and the probability of every arm.

mod by_index;
mod fresh;

use crate::scoring::memory::Scoring;
use crate::scoring::path::FrontPath;
use crate::scratch::ScratchSpace;
use moglb_math::gram::Sum;
use moglb_math::{Matrix, draw};
use moglb_pareto::{ArmId, Front, FrontFilter};
use rand_core::Rng;

/// The decision of a policy, with everything needed to audit it or to evaluate another policy on it later.
///
/// A decision can be passed to [`Policy::decide_into`](crate::Policy::decide_into) again and again. It
/// keeps its memory, so that the next decision need not allocate.
///
/// ```
/// use moglb::{draw, ArmSet, Decision, FrontPath, Link, MoglbUcb, MoglbUcbConfig};
/// use moglb::{Objective, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let policy = MoglbUcb::new(problem, MoglbUcbConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let mut decision = Decision::lean();
/// policy.decide_into(&arms, &mut draw::seeded(7), &mut decision)?;
/// assert_eq!(decision.probabilities, [0.5, 0.5]);
/// assert_eq!(decision.path(), Some(FrontPath::EveryArm), "O_1 is the whole arm set");
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Decision {
    /// The arm to play.
    pub arm: ArmId,
    /// The approximate front O_t; empty for a policy without a front. Arms are drawn from it, unless
    /// [`Facts::draws_from_front`](crate::Facts::draws_from_front) is false.
    pub front: Front,
    /// The probability of every arm, in the order of the arm set; zero for arms that could not be drawn.
    pub probabilities: Vec<f64>,
    /// True if the probabilities are conditional on a random sample that this decision drew first (Thompson
    /// sampling). Then they are not the probabilities over repeated decisions.
    pub given_sample: bool,
    /// The estimate for each arm (rows) in each objective (columns), in the objective's own orientation:
    /// θ̂ᵀx on the linear scale for policies with a model, the mean reward for policies without. No columns
    /// if there are none.
    pub estimates: Matrix,
    /// The width of each estimate, as the policy computes it: √γ·‖x‖ or a bonus; shaped like `estimates`.
    /// Infinite for an arm without any data yet, whose estimate is then 0.
    pub widths: Matrix,
    /// True if `estimates` and `widths` are to be filled. Only a [`lean`](Decision::lean) decision starts
    /// with false.
    pub tables: bool,
    #[doc(hidden)]
    pub work: Workspace,
}

/// Buffers for the computations behind a decision.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    /// The optimistic scores of Eq. (6), larger is better. The front is computed from them.
    pub scores: Matrix,
    pub filter: FrontFilter,
    /// Buffers of Eq. (6). They are a field, not part of `scratch`: a search by type would be measurable in
    /// rounds of a few hundred nanoseconds.
    pub(crate) scoring: Scoring,
    /// The path by which the front was found, if it was found by the scores of Eq. (6).
    pub path: Option<FrontPath>,
    /// The arms from which `draw_from_candidates` draws.
    pub candidates: Vec<ArmId>,
    /// Two vectors of length d.
    pub vectors: [Vec<f64>; 2],
    /// Buffers that only some policies need.
    pub scratch: ScratchSpace,
}

impl Default for Decision {
    fn default() -> Self {
        Self {
            arm: ArmId(0),
            front: Front::default(),
            probabilities: Vec::new(),
            given_sample: false,
            estimates: Matrix::default(),
            widths: Matrix::default(),
            tables: true,
            work: Workspace::default(),
        }
    }
}

impl Decision {
    /// A decision without `estimates` and `widths`, which stay empty. With many arms, writing them costs
    /// more than deciding. Arm, front and probabilities are the same, bit for bit.
    pub fn lean() -> Self {
        Self { tables: false, ..Self::default() }
    }

    /// Returns the path by which the front was found. A policy that does not score arms by Eq. (6) leaves
    /// the old value.
    pub fn path(&self) -> Option<FrontPath> {
        self.work.path
    }

    /// Draws an arm uniformly from the front and writes the probabilities (step 3 of Algorithm 1).
    ///
    /// # Panics
    ///
    /// If the front is empty.
    pub fn draw_from_front(&mut self, n_arms: usize, rng: &mut dyn Rng) {
        let Self { front, probabilities, .. } = self;
        self.arm = draw_uniformly(front.arms(), n_arms, probabilities, rng);
    }

    /// Draws an arm uniformly from candidates. The front stays as it is.
    ///
    /// # Panics
    ///
    /// If there are no candidates.
    pub fn draw_from(&mut self, candidates: &[ArmId], n_arms: usize, rng: &mut dyn Rng) {
        self.arm = draw_uniformly(candidates, n_arms, &mut self.probabilities, rng);
    }

    /// Draws an arm uniformly from the candidates in the workspace.
    #[doc(hidden)]
    pub fn draw_from_candidates(&mut self, n_arms: usize, rng: &mut dyn Rng) {
        let Self { work, probabilities, .. } = self;
        self.arm = draw_uniformly(&work.candidates, n_arms, probabilities, rng);
    }

    /// Plays the arm with the largest index, estimate plus width. Ties are broken uniformly. There is no
    /// front, and the tables have one column.
    #[doc(hidden)]
    pub fn play_the_best(
        &mut self,
        n_arms: usize,
        rng: &mut dyn Rng,
        mut index: impl FnMut(usize) -> (f64, f64),
    ) {
        self.play_by_score(n_arms, rng, |arm| {
            let (estimate, width) = index(arm);
            (estimate, width, estimate + width)
        });
    }

    /// Plays the arm with the largest score. `index` returns an estimate, a width and the score. Ties are
    /// broken uniformly. There is no front, and the tables have one column.
    #[doc(hidden)]
    pub fn play_by_score(
        &mut self,
        n_arms: usize,
        rng: &mut dyn Rng,
        mut index: impl FnMut(usize) -> (f64, f64, f64),
    ) {
        self.tabulate(n_arms, |decision, arm| {
            let (estimate, width, score) = index(arm);
            decision.work.scores.row_mut(arm)[0] = score;
            (estimate, width)
        });
        self.draw_the_best(rng);
    }

    /// Clears the front, and fills tables of one column if they are wanted. `row` may also write the score
    /// of an arm.
    #[doc(hidden)]
    pub fn tabulate(&mut self, n_arms: usize, mut row: impl FnMut(&mut Self, usize) -> (f64, f64)) {
        self.front.clear();
        self.forget_tables();
        let columns = usize::from(self.tables);
        self.estimates.reshape(n_arms * columns, columns);
        self.widths.reshape(n_arms * columns, columns);
        self.work.scores.reshape(n_arms, 1);
        for arm in 0..n_arms {
            let (estimate, width) = row(self, arm);
            if self.tables {
                self.estimates.row_mut(arm)[0] = estimate;
                self.widths.row_mut(arm)[0] = width;
            }
        }
    }

    /// Draws uniformly from the arms with the largest score. The scores must have one column.
    #[doc(hidden)]
    pub fn draw_the_best(&mut self, rng: &mut dyn Rng) {
        self.collect_the_best();
        self.draw_from_candidates(self.work.scores.n_rows(), rng);
    }

    /// Makes the arms with the largest score the candidates. The scores must have one column.
    #[doc(hidden)]
    pub fn collect_the_best(&mut self) {
        let Workspace { scores, candidates: best, .. } = &mut self.work;
        best.clear();
        let mut highest = f64::NEG_INFINITY;
        for (arm, &score) in scores.as_slice().iter().enumerate() {
            if score > highest {
                highest = score;
                best.clear();
            }
            if score == highest {
                best.push(ArmId(arm));
            }
        }
    }

    /// Rewrites every estimate, for example from larger-is-better to the orientation of the target.
    #[doc(hidden)]
    pub fn turn_estimates(&mut self, turn: impl Fn(f64) -> f64) {
        self.estimates.as_mut_slice().iter_mut().for_each(|estimate| *estimate = turn(*estimate));
    }

    /// Draws an arm by the probabilities that were written.
    #[doc(hidden)]
    pub fn draw_by_probabilities(&mut self, rng: &mut dyn Rng) {
        self.arm = arm_at(&self.probabilities, draw::unit(rng));
    }

    /// Empties estimates and widths.
    #[doc(hidden)]
    pub fn forget_tables(&mut self) {
        self.estimates.reshape(0, 0);
        self.widths.reshape(0, 0);
    }

    /// Finds the exact front of the optimistic scores (step 13 of Algorithm 1).
    #[doc(hidden)]
    pub fn find_front(&mut self) {
        let Workspace { scores, filter, .. } = &mut self.work;
        filter.filter_finite((&*scores).into(), &mut self.front);
    }
}

/// Two decisions are equal if their results are. `tables` and the buffers do not count.
impl PartialEq for Decision {
    fn eq(&self, other: &Self) -> bool {
        self.arm == other.arm
            && self.front == other.front
            && self.probabilities == other.probabilities
            && self.given_sample == other.given_sample
            && self.estimates == other.estimates
            && self.widths == other.widths
    }
}

/// Draws an arm uniformly from `from` and writes the probabilities of all arms.
fn draw_uniformly(from: &[ArmId], n_arms: usize, probabilities: &mut Vec<f64>, rng: &mut dyn Rng) -> ArmId {
    probabilities.clear();
    probabilities.resize(n_arms, 0.0);
    let share = 1.0 / from.len() as f64;
    from.iter().for_each(|arm| probabilities[arm.0] = share);
    from[draw::below(from.len(), rng)]
}

/// The largest deviation of a sum of probabilities from one: four units in the last place of one.
pub(crate) const SUM_SLACK: f64 = 4.0 * f64::EPSILON;

/// Scales probabilities so that they add up to one within [`SUM_SLACK`] and none is above one.
/// Probabilities that do so already stay as they are, bit for bit. So do zeros that are filled in later.
pub fn settle(probabilities: &mut [f64]) {
    let sum = exact_sum(probabilities);
    if (sum - 1.0).abs() > SUM_SLACK && sum > 0.0 {
        probabilities.iter_mut().for_each(|p| *p /= sum);
    }
    // A probability that is a sum of shares can be a little above one, as 0.5 + 0.1 + 0.1 + 0.3 in some
    // orders.
    probabilities.iter_mut().for_each(|p| *p = p.min(1.0));
}

/// The sum of some numbers, rounded once or twice regardless of their count (Neumaier).
pub(crate) fn exact_sum(numbers: &[f64]) -> f64 {
    let mut sum = Sum::default();
    numbers.iter().for_each(|&number| sum.add(number));
    sum.value()
}

/// Returns the first possible arm at which the cumulative probability exceeds u in [0, 1). By rounding, the
/// sum of all may not exceed u; then it is the last possible arm.
fn arm_at(probabilities: &[f64], u: f64) -> ArmId {
    let (mut sum, mut last) = (0.0, 0);
    for (arm, p) in probabilities.iter().enumerate().filter(|&(_, &p)| p > 0.0) {
        sum += p;
        last = arm;
        if u < sum {
            break;
        }
    }
    ArmId(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_has_as_much_of_the_unit_interval_as_its_probability() {
        let probabilities = [0.25, 0.5, 0.25];
        for (u, arm) in [(0.0, 0), (0.25 - 1e-16, 0), (0.25, 1), (0.75 - 1e-15, 1), (0.75, 2), (0.99, 2)] {
            assert_eq!(arm_at(&probabilities, u), ArmId(arm), "u = {u}");
        }
    }

    #[test]
    fn an_arm_of_probability_zero_is_never_drawn() {
        let probabilities = [0.0, 0.5, 0.0, 0.5, 0.0];
        for (u, arm) in [(0.0, 1), (0.5 - 1e-16, 1), (0.5, 3), (1.0 - f64::EPSILON, 3)] {
            assert_eq!(arm_at(&probabilities, u), ArmId(arm), "u = {u}");
        }
    }

    /// Ten tenths add up to 1 − 2⁻⁵³, which a draw can be.
    #[test]
    fn the_last_possible_arm_has_what_rounding_leaves() {
        let mut probabilities = vec![0.1; 10];
        probabilities.push(0.0);
        let u = 1.0 - f64::EPSILON / 2.0;
        assert_eq!(probabilities.iter().sum::<f64>(), u);
        assert_eq!(arm_at(&probabilities, u), ArmId(9));
    }

    #[test]
    fn probabilities_are_settled_only_where_rounding_left_too_much() {
        let settled = |probabilities: &[f64]| {
            let mut settled = probabilities.to_vec();
            settle(&mut settled);
            settled
        };
        for fine in [vec![0.1; 10], vec![1.0 / 49.0; 49], vec![1e-3; 1000], vec![1.0], vec![0.0; 3]] {
            assert_eq!(settled(&fine), fine);
        }
        assert_eq!(settled(&[1.0 + 2.0 * f64::EPSILON, 0.0]), [1.0, 0.0]);
        assert_eq!(settled(&[1.0 + 2.0 * f64::EPSILON, 1e-300]), [1.0, 1e-300]);
        for off in [1.0 + 1e-12, 1.0 - 1e-9, 3.0] {
            let settled = settled(&[0.7 * off, 0.2 * off, 0.1 * off]);
            assert!((exact_sum(&settled) - 1.0).abs() <= SUM_SLACK, "{settled:?}");
        }
    }

    /// 100 000 draws; a share is off by five standard errors with chance 6e-7.
    #[test]
    fn arms_are_drawn_as_often_as_their_probabilities_say() {
        let probabilities = vec![0.05, 0.0, 0.6, 0.35];
        let mut decision = Decision { probabilities: probabilities.clone(), ..Decision::default() };
        let (mut rng, mut counts, n) = (draw::seeded(3), [0.0; 4], 100_000.0);
        for _ in 0..n as usize {
            decision.draw_by_probabilities(&mut rng);
            counts[decision.arm.0] += 1.0;
        }
        for (count, p) in counts.iter().zip(probabilities) {
            let share = count / n;
            assert!((share - p).abs() <= 5.0 * (p * (1.0 - p) / n).sqrt(), "{share} for {p}");
        }
    }
}
