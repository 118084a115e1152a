//! A decision: the arm, the front it was drawn from, and how likely every arm was.

use crate::scoring::memory::Scoring;
use crate::scoring::path::FrontPath;
use crate::scratch::ScratchSpace;
use moglb_math::gram::Sum;
use moglb_math::{Matrix, draw};
use moglb_pareto::{ArmId, Front, FrontFilter};
use rand_core::Rng;

/// What a policy decided, with all that is needed to audit it or to evaluate another policy on it later.
///
/// A decision can be handed to [`Policy::decide_into`](crate::Policy::decide_into) again and again: it keeps its
/// memory, so that deciding need not allocate.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The arm to play.
    pub arm: ArmId,
    /// The approximate front O_t; empty for a policy that has none. What arms are drawn from too, unless the policy says
    /// otherwise ([`Facts::draws_from_front`](crate::Facts::draws_from_front)).
    pub front: Front,
    /// The probability of every arm, in the order of the arm set; zero for arms that could not be drawn.
    pub probabilities: Vec<f64>,
    /// True where the probabilities are conditional on a random sample that this decision drew first (Thompson
    /// sampling), so that they are not the probabilities over repeated decisions.
    pub given_sample: bool,
    /// The estimate for each arm (rows) in each objective (columns), in the objective's own orientation: θ̂ᵀx on
    /// the linear scale for policies with a model, the mean reward for policies without. No columns for none.
    pub estimates: Matrix,
    /// How far each estimate may be off, as the policy sees it: √γ·‖x‖ or a bonus; shaped like `estimates`. Infinite for
    /// an arm of which nothing is known yet, whose estimate then is 0.
    pub widths: Matrix,
    /// Whether `estimates` and `widths` are wanted; true unless the decision was made [`lean`](Decision::lean).
    pub tables: bool,
    #[doc(hidden)]
    pub work: Workspace,
}

/// Memory for the computations behind a decision.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    /// Optimistic scores, larger is better: what the front is the front of.
    pub scores: Matrix,
    pub filter: FrontFilter,
    /// Memory of Eq. (6). It has a place of its own: a search by type is felt in rounds of a few hundred nanoseconds.
    pub(crate) scoring: Scoring,
    /// How the front was found, where it was by the scores of Eq. (6).
    pub path: Option<FrontPath>,
    pub candidates: Vec<ArmId>,
    /// Two vectors of d places.
    pub vectors: [Vec<f64>; 2],
    /// Memory that only some policies need.
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
    /// A decision that does without `estimates` and `widths`, which stay empty: with many arms, writing them down
    /// costs more than deciding. Arm, front and probabilities are the same, bit for bit.
    pub fn lean() -> Self {
        Self { tables: false, ..Self::default() }
    }

    /// How the front was found. A policy that does not score arms by Eq. (6) leaves what was there before.
    pub fn path(&self) -> Option<FrontPath> {
        self.work.path
    }

    /// Draws uniformly from the front and writes down the probabilities.
    ///
    /// # Panics
    ///
    /// If the front is empty.
    pub fn draw_from_front(&mut self, n_arms: usize, rng: &mut dyn Rng) {
        let Self { front, probabilities, .. } = self;
        self.arm = draw_uniformly(front.arms(), n_arms, probabilities, rng);
    }

    /// Draws uniformly from candidates that are not the front, which stays as it is.
    ///
    /// # Panics
    ///
    /// If there are no candidates.
    pub fn draw_from(&mut self, candidates: &[ArmId], n_arms: usize, rng: &mut dyn Rng) {
        self.arm = draw_uniformly(candidates, n_arms, &mut self.probabilities, rng);
    }

    /// Draws uniformly from the candidates in the workspace.
    #[doc(hidden)]
    pub fn draw_from_candidates(&mut self, n_arms: usize, rng: &mut dyn Rng) {
        let Self { work, probabilities, .. } = self;
        self.arm = draw_uniformly(&work.candidates, n_arms, probabilities, rng);
    }

    /// Plays the arm with the largest index, estimate plus width; ties are broken uniformly. There is no front, and the tables
    /// have one column.
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

    /// Plays the arm with the largest score, which comes after its estimate and width; ties are broken uniformly. There is no
    /// front, and the tables have one column.
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

    /// Leaves no front, and tables of one column where they are wanted; scores are ready to be written.
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

    /// Draws uniformly from the arms with the largest score; scores have one column.
    #[doc(hidden)]
    pub fn draw_the_best(&mut self, rng: &mut dyn Rng) {
        self.collect_the_best();
        self.draw_from_candidates(self.work.scores.n_rows(), rng);
    }

    /// Makes the arms with the largest score the candidates; scores have one column.
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

    /// Rewrites every estimate, such as from larger-is-better to the target's own direction.
    #[doc(hidden)]
    pub fn turn_estimates(&mut self, turn: impl Fn(f64) -> f64) {
        self.estimates.as_mut_slice().iter_mut().for_each(|estimate| *estimate = turn(*estimate));
    }

    /// Draws an arm by the probabilities that are written down.
    #[doc(hidden)]
    pub fn draw_by_probabilities(&mut self, rng: &mut dyn Rng) {
        self.arm = arm_at(&self.probabilities, draw::unit(rng));
    }

    /// Leaves estimates and widths empty.
    #[doc(hidden)]
    pub fn forget_tables(&mut self) {
        self.estimates.reshape(0, 0);
        self.widths.reshape(0, 0);
    }

    /// Takes the front of the optimistic scores, exactly.
    #[doc(hidden)]
    pub fn find_front(&mut self) {
        let Workspace { scores, filter, .. } = &mut self.work;
        filter.filter_finite((&*scores).into(), &mut self.front);
    }
}

/// Equal in what was decided; what was asked for and the memory kept for the next decision does not count.
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

fn draw_uniformly(from: &[ArmId], n_arms: usize, probabilities: &mut Vec<f64>, rng: &mut dyn Rng) -> ArmId {
    probabilities.clear();
    probabilities.resize(n_arms, 0.0);
    let share = 1.0 / from.len() as f64;
    from.iter().for_each(|arm| probabilities[arm.0] = share);
    from[draw::below(from.len(), rng)]
}

/// Probabilities add up to one up to this: four units in the last place of one.
pub(crate) const SUM_SLACK: f64 = 4.0 * f64::EPSILON;

/// Makes sure that probabilities add up to one up to [`SUM_SLACK`], and that none of them is above one. Those that do so
/// already stay as they are, bit for bit; so do zeros that are still to be filled in.
pub fn settle(probabilities: &mut [f64]) {
    let sum = exact_sum(probabilities);
    if (sum - 1.0).abs() > SUM_SLACK && sum > 0.0 {
        probabilities.iter_mut().for_each(|p| *p /= sum);
    }
    // Sums of shares can be a little above one, as 0.5 + 0.1 + 0.1 + 0.3 in some orders.
    probabilities.iter_mut().for_each(|p| *p = p.min(1.0));
}

/// The sum of some numbers, rounded once or twice however many they are (Neumaier).
pub(crate) fn exact_sum(numbers: &[f64]) -> f64 {
    let mut sum = Sum::default();
    numbers.iter().for_each(|&number| sum.add(number));
    sum.value()
}

/// The first possible arm for which the sum of probabilities goes beyond u in [0, 1). By rounding the sum of all can end
/// below u: then it is the last possible one.
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
