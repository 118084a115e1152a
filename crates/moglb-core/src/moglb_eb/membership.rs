//! The probability of each arm to be on the Pareto front, estimated from samples of the
//! coefficients. From it follow how often each arm is played and which arms are reported as the
//! front.

use crate::ArmSet;
use crate::decision::settle;
use crate::scoring::{Arms, load_tiles};
use moglb_math::Matrix;
use moglb_math::csr::Csr;
use moglb_math::kernel::{GROUP, LANES, Lanes, Panels, Unit, vectorized};
use moglb_pareto::{ArmId, Front, FrontFilter};

/// The factor of b, the expected share of arms on the front, in the bound `asked`.
const SHARE: f64 = 3.0;

/// The cap on the bound `asked`, however many arms are on the front.
const MOST_ASKED: f64 = 0.7;

/// Counts, for every arm, the samples in which it is on the front.
#[derive(Debug, Clone, Default)]
pub(crate) struct Membership {
    n_arms: usize,
    /// The contexts, feature by feature: whole groups of tiles here, the remaining tiles in
    /// `singles`.
    groups: Vec<[Lanes; GROUP]>,
    singles: Vec<[Lanes; 1]>,
    /// The contexts as a sparse table. If it is present, there are no tiles.
    table: Option<Csr>,
    scores: Matrix,
    filter: FrontFilter,
    front: Front,
    counts: Vec<u32>,
    n_samples: usize,
    /// The number of arms with each count.
    histogram: Vec<usize>,
}

impl Membership {
    /// Copies the contexts into tiles. Needed only when the contexts change.
    pub(super) fn lay_out(&mut self, arms: &ArmSet) {
        self.n_arms = arms.n_arms();
        self.table = arms.table().cloned();
        let n_tiles = if self.table.is_some() { 0 } else { arms.n_arms().div_ceil(LANES) };
        let dim = arms.dim();
        self.groups.resize(n_tiles / GROUP * dim, [Lanes::ZERO; GROUP]);
        self.singles.resize(n_tiles % GROUP * dim, [Lanes::ZERO]);
        vectorized!(
            { membership: &'a mut Membership = self, arms: &'a ArmSet<'a> = arms },
            (),
            |simd| {
                let (dim, mut first) = (arms.dim(), 0);
                for tiles in membership.groups.chunks_exact_mut(dim) {
                    load_tiles(simd, Arms::all(arms), first, tiles);
                    first += GROUP * LANES;
                }
                for tile in membership.singles.chunks_exact_mut(dim) {
                    load_tiles(simd, Arms::all(arms), first, tile);
                    first += LANES;
                }
            }
        );
    }

    /// Counts how often each arm is on the front of its scores. A sample is one matrix of
    /// coefficients. With `counts`, only the objectives that are `true` in it count.
    pub fn count(&mut self, samples: &[Panels], dim: usize, n_objectives: usize, counts: Option<&[bool]>) {
        self.n_samples = samples.len();
        self.counts.clear();
        self.counts.resize(self.n_arms, 0);
        self.scores.reshape(self.n_arms, n_objectives);
        for sample in samples {
            vectorized!(
                { membership: &'a mut Membership = self, sample: &'a Panels = sample, dim: usize = dim },
                (),
                |simd| membership.score(simd, sample, dim)
            );
            if let Some(counts) = counts {
                level(&mut self.scores, counts);
            }
            let Self { scores, filter, front, counts, .. } = self;
            filter.filter_finite((&*scores).into(), front);
            front.iter().for_each(|arm| counts[arm.0] += 1);
        }
    }

    /// Computes the scores of all arms under one sample.
    #[inline(always)]
    fn score<S: Unit>(&mut self, simd: S, sample: &Panels, dim: usize) {
        let Self { groups, singles, table, scores, n_arms, .. } = self;
        for (arm, x) in table.iter().flat_map(Csr::rows).enumerate() {
            sample.multiply_sparse(
                x.columns(),
                x.values(),
                #[inline(always)]
                |i, score| scores.row_mut(arm)[i] = score,
            );
        }
        let mut first = 0;
        for tiles in groups.chunks_exact(dim) {
            sample.multiply(
                simd,
                tiles,
                #[inline(always)]
                |i, sums| {
                    for k in 0..GROUP {
                        write(scores, first + k * LANES, i, &sums[k].lanes(), *n_arms);
                    }
                },
            );
            first += GROUP * LANES;
        }
        for tile in singles.chunks_exact(dim) {
            sample.multiply(
                simd,
                tile,
                #[inline(always)]
                |i, [sums]| write(scores, first, i, &sums.lanes(), *n_arms),
            );
            first += LANES;
        }
    }

    /// Returns the share of samples in which each arm is on the front.
    pub(super) fn chances(&self) -> impl Iterator<Item = f64> + '_ {
        self.counts.iter().map(|&count| f64::from(count) / self.n_samples as f64)
    }

    /// Writes the probability of each arm to be played. It is proportional to min(1, (p/asked)⁴),
    /// where p is the arm's probability of being on the front, asked = threshold·(1 + 3b), and b is
    /// the expected share of arms on the front. The value of `asked` is capped at 0.7 (or at the
    /// threshold, if that is larger) and at the largest p.
    ///
    /// The more arms are on the front, the less of it is missed by playing a doubtful arm seldom.
    /// But seldom is not never: no weight is above 1, so among K arms the probability is at least
    /// min(1, (p/asked)⁴)/K. So the belief about an arm that may be on the front gets tested.
    pub(super) fn play_into(&self, threshold: f64, probabilities: &mut Vec<f64>) {
        let samples = self.n_samples as f64;
        let total: f64 = self.counts.iter().map(|&count| f64::from(count)).sum();
        let share = total / (samples * self.n_arms as f64);
        let largest = self.counts.iter().copied().max().map_or(0.0, f64::from);
        let asked = (threshold * (1.0 + SHARE * share)).min(MOST_ASKED.max(threshold));
        let enough = (asked * samples).min(largest);
        probabilities.clear();
        probabilities.extend(self.counts.iter().map(|&count| weight(f64::from(count), enough)));
        let sum: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|p| *p /= sum);
        settle(probabilities);
    }

    /// Writes the front that is reported: the set of the largest p that maximizes (Σ p inside) /
    /// (its size + Σ p outside). This ratio is close to the expected Jaccard index of the set with
    /// the true front. Arms with equal p are either all in the set or all outside.
    pub(super) fn report_into(&mut self, report: &mut Front) {
        let Self { counts, histogram, n_samples, .. } = self;
        histogram.clear();
        histogram.resize(*n_samples + 1, 0);
        counts.iter().for_each(|&count| histogram[count as usize] += 1);
        let total: usize = histogram.iter().enumerate().map(|(count, arms)| count * arms).sum();
        let (mut size, mut sum) = (0, 0);
        let (mut best, mut least) = (0.0, 0);
        for count in (1..=*n_samples).rev() {
            size += histogram[count];
            sum += count * histogram[count];
            let index = sum as f64 / (size * *n_samples + total - sum) as f64;
            if index > best {
                (best, least) = (index, count);
            }
        }
        report.refill(self.arms_from(least as f64));
    }

    /// Returns the arms that are on the front in at least `least` samples.
    fn arms_from(&self, least: f64) -> impl Iterator<Item = ArmId> + '_ {
        let enough = move |(arm, &count): (usize, &u32)| (f64::from(count) >= least).then_some(ArmId(arm));
        self.counts.iter().enumerate().filter_map(enough)
    }
}

/// Sets the scores of objectives that do not count to zero, so that they do not distinguish arms.
fn level(scores: &mut Matrix, counts: &[bool]) {
    for arm in 0..scores.n_rows() {
        let row = scores.row_mut(arm).iter_mut().zip(counts);
        row.filter(|(_, is_counted)| !**is_counted).for_each(|(score, _)| *score = 0.0);
    }
}

/// Returns min(1, (count/enough)⁴). If `enough` is 0, every count is enough.
fn weight(count: f64, enough: f64) -> f64 {
    if count >= enough {
        return 1.0;
    }
    let square = (count / enough) * (count / enough);
    square * square
}

/// Copies the scores of one tile into a column, without the lanes beyond the last arm.
#[inline(always)]
fn write(scores: &mut Matrix, first: usize, objective: usize, lanes: &Lanes, n_arms: usize) {
    for lane in 0..LANES.min(n_arms.saturating_sub(first)) {
        scores.row_mut(first + lane)[objective] = lanes[lane];
    }
}
