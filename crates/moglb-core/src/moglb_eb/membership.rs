//! How likely each arm is to be on the Pareto front, from samples of the coefficients; how often to play each and which to
//! call the front.

use crate::ArmSet;
use crate::decision::settle;
use crate::scoring::{Arms, load_tiles};
use moglb_math::Matrix;
use moglb_math::csr::Csr;
use moglb_math::kernel::{GROUP, LANES, Lanes, Panels, Unit, vectorized};
use moglb_pareto::{ArmId, Front, FrontFilter};

/// By how much the share of arms on the front raises what is asked of an arm.
const SHARE: f64 = 3.0;

/// What is asked of an arm at most, however many are on the front.
const MOST_ASKED: f64 = 0.7;

/// Counts, for every arm, the samples in which it is on the front.
#[derive(Debug, Clone, Default)]
pub(crate) struct Membership {
    n_arms: usize,
    /// Whole groups of tiles, feature by feature, and the tiles that are left.
    groups: Vec<[Lanes; GROUP]>,
    singles: Vec<[Lanes; 1]>,
    /// Contexts that are sparse, in place of tiles.
    table: Option<Csr>,
    scores: Matrix,
    filter: FrontFilter,
    front: Front,
    counts: Vec<u32>,
    n_samples: usize,
    /// How many arms have each count.
    histogram: Vec<usize>,
}

impl Membership {
    /// Lays the contexts out, as often as these change.
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

    /// Goes over the samples, one matrix of coefficients each, by all objectives or by those that are said to count.
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

    /// The scores of all arms under one sample.
    #[inline(always)]
    fn score<S: Unit>(&mut self, simd: S, sample: &Panels, dim: usize) {
        let Self { groups, singles, table, scores, n_arms, .. } = self;
        for (arm, x) in table.iter().flat_map(Csr::rows).enumerate() {
            sample.multiply_sparse(
                x,
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

    /// The share of samples in which each arm is on the front.
    pub(super) fn chances(&self) -> impl Iterator<Item = f64> + '_ {
        self.counts.iter().map(|&count| f64::from(count) / self.n_samples as f64)
    }

    /// How likely each arm is to be played: in proportion to min(1, (p/asked)⁴), where p is its chance to be on the front and
    /// asked = threshold·(1 + 3b) for the share b of arms to be expected there. No more is asked than 0.7, or the threshold
    /// if that is larger; nor than the largest chance.
    ///
    /// The more arms there are on the front, the less of it is missed by playing a doubtful one seldom. Seldom is not never: no
    /// weight is above 1, so among K arms the probability is at least min(1, (p/asked)⁴)/K, and what is believed of an arm
    /// that may be on the front gets tested.
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

    /// The set of the largest chances p that maximizes (Σ p in it) / (its size + Σ p outside), which is close to its
    /// expected Jaccard index with the true front. Arms of the same chance are in or out together.
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

    /// The arms that are on the front in at least so many samples.
    fn arms_from(&self, least: f64) -> impl Iterator<Item = ArmId> + '_ {
        let enough = move |(arm, &count): (usize, &u32)| (f64::from(count) >= least).then_some(ArmId(arm));
        self.counts.iter().enumerate().filter_map(enough)
    }
}

/// Makes all arms alike where an objective does not count, so that it tells none apart.
fn level(scores: &mut Matrix, counts: &[bool]) {
    for arm in 0..scores.n_rows() {
        let row = scores.row_mut(arm).iter_mut().zip(counts);
        row.filter(|(_, is_counted)| !**is_counted).for_each(|(score, _)| *score = 0.0);
    }
}

/// min(1, (count/enough)⁴); where nothing is asked for, any count is enough.
fn weight(count: f64, enough: f64) -> f64 {
    if count >= enough {
        return 1.0;
    }
    let square = (count / enough) * (count / enough);
    square * square
}

#[inline(always)]
fn write(scores: &mut Matrix, first: usize, objective: usize, lanes: &Lanes, n_arms: usize) {
    for lane in 0..LANES.min(n_arms.saturating_sub(first)) {
        scores.row_mut(first + lane)[objective] = lanes[lane];
    }
}
