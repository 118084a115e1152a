//! Scores of a small set of short contexts, where all objectives share a Gram matrix and √γ, as in the
//! paper's experiments.
//!
//! Eight arms are scored at once, from the first product to the last, with their contexts in registers. To
//! avoid waiting, a few rows of M are multiplied together, the last ones together with all estimates.
//! Square roots are slow; while those of eight arms are taken, the products of the next eight begin. For
//! this, the numbers of features and of objectives must be constants in the code. 40 arms of 10 features
//! take 1.2 times as long as their 600 multiply-adds and additions alone would; loops over the two numbers
//! took 1.5 to 2 times as long. Orders that look equivalent differ in time: the total of a tile has to be
//! ready early.

use super::memory::Scoring;
use super::path::MOST_OBJECTIVES;
use super::small::tiles_of;
use crate::ArmSet;
use moglb_math::Gram;
use moglb_math::kernel::{Job, LANES, Lanes, MOST_SHORT_FEATURES, Unit, Vector, blocks, dispatch};

/// The number of rows of M that are multiplied together. With 10 features, four to ten take the same time
/// within 3 %. With 16 features, four, or more than five, take 8 % less than five.
const ROWS: usize = 4;

/// Repeats code for each of the listed numbers, as a constant: compilers do not unroll loops of this
/// length.
macro_rules! unrolled {
    (|$K:ident| in [$($number:literal)*] $body:expr) => {$({
        const $K: usize = $number;
        $body
    })*};
}

/// The parts of the scores that all objectives share.
#[derive(Clone, Copy)]
pub struct Shared<'a> {
    pub gram: &'a Gram,
    /// √γ.
    pub root: f64,
    pub n_objectives: usize,
}

impl Scoring {
    /// Scores the arms of a small set directly from the state of a policy, with the bits of
    /// [`Scoring::score_small`]. Only for [`FrontPath::FreshUnrolled`](super::path::FrontPath).
    #[inline]
    pub(crate) fn score_unrolled<'a>(
        &mut self,
        arms: &ArmSet,
        shared: Shared<'a>,
        theta: impl Fn(usize) -> &'a [Lanes],
    ) {
        let Shared { gram, root, n_objectives } = shared;
        let mut thetas = [&[][..]; MOST_OBJECTIVES];
        for (i, place) in thetas[..n_objectives].iter_mut().enumerate() {
            *place = theta(i);
        }
        let Self { tiles, small, .. } = self;
        let contexts = arms.end_to_end().expect("this path is for dense sets");
        let tiles = tiles_of(arms, contexts, tiles);
        let scores = small.bounds_mut(blocks(arms.n_arms()), n_objectives);
        let set = Unrolled { tiles, factor: gram.rows(), thetas, n_objectives, root };
        assert!(set.score(arms.dim(), scores), "this path is only chosen for shapes with code");
    }
}

/// A set and the inputs of its scores.
struct Unrolled<'a> {
    /// The contexts of each tile, feature by feature.
    tiles: &'a [Lanes],
    /// M by rows, each in blocks.
    factor: &'a [Lanes],
    /// The estimates in blocks.
    thetas: [&'a [Lanes]; MOST_OBJECTIVES],
    n_objectives: usize,
    /// √γ.
    root: f64,
}

impl Unrolled<'_> {
    /// Writes θ̂ᵢᵀx + √γ·‖x‖_{Z⁻¹} for each tile, objective by objective. Returns false if there is no code
    /// for this shape.
    #[inline]
    fn score(&self, dim: usize, scores: &mut [Lanes]) -> bool {
        match dim {
            1 => self.score_by::<1>(scores),
            2 => self.score_by::<2>(scores),
            3 => self.score_by::<3>(scores),
            4 => self.score_by::<4>(scores),
            5 => self.score_by::<5>(scores),
            6 => self.score_by::<6>(scores),
            7 => self.score_by::<7>(scores),
            8 => self.score_by::<8>(scores),
            9 => self.score_by::<9>(scores),
            10 => self.score_by::<10>(scores),
            11 => self.score_by::<11>(scores),
            12 => self.score_by::<12>(scores),
            13 => self.score_by::<13>(scores),
            14 => self.score_by::<14>(scores),
            15 => self.score_by::<15>(scores),
            MOST_SHORT_FEATURES => self.score_by::<MOST_SHORT_FEATURES>(scores),
            _ => false,
        }
    }

    #[inline(always)]
    fn score_by<const D: usize>(&self, scores: &mut [Lanes]) -> bool {
        dispatch(UnrolledJob::<D> { unrolled: self, scores })
    }

    /// Scores all tiles, with the numbers of features D and objectives N as constants.
    #[inline(always)]
    fn score_tiles<S: Unit, const D: usize, const N: usize>(&self, simd: S, scores: &mut [Lanes]) {
        let factor = &self.factor[..D * blocks(D)];
        let mut thetas = [factor; N];
        for n in 0..N {
            thetas[n] = &self.thetas[n][..blocks(D)];
        }
        let last = (D - 1) / ROWS * ROWS;
        for (tile, scores) in self.tiles.as_chunks::<D>().0.iter().zip(scores.as_chunks_mut::<N>().0) {
            let mut x = [Vector::splat(simd, 0.0); D];
            for j in 0..D {
                x[j] = Vector::load(simd, &tile[j]);
            }
            // ‖Mx‖², without the last rows of M.
            let mut squared = Vector::splat(simd, 0.0);
            unrolled!(|K| in [0 1 2] if K * ROWS < last {
                let (images, []) = products(simd, &x, factor, K * ROWS, []);
                add_squares(&mut squared, images, K * ROWS, D);
            });
            let (images, inner) = products(simd, &x, factor, last, thetas);
            add_squares(&mut squared, images, last, D);
            let width = Vector::splat(simd, self.root).mul(squared.sqrt());
            for n in 0..N {
                inner[n].add(width).store(&mut scores[n]);
            }
        }
    }
}

/// The computation for contexts of D features.
struct UnrolledJob<'a, const D: usize> {
    unrolled: &'a Unrolled<'a>,
    scores: &'a mut [Lanes],
}

impl<const D: usize> Job for UnrolledJob<'_, D> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Unit>(self, simd: S) -> bool {
        let Self { unrolled, scores } = self;
        // Without registers of eight lanes, contexts do not stay in registers, and nothing is gained.
        if !S::IS_WIDE {
            return false;
        }
        match unrolled.n_objectives {
            1 => unrolled.score_tiles::<S, D, 1>(simd, scores),
            2 => unrolled.score_tiles::<S, D, 2>(simd, scores),
            3 => unrolled.score_tiles::<S, D, 3>(simd, scores),
            4 => unrolled.score_tiles::<S, D, 4>(simd, scores),
            MOST_OBJECTIVES => unrolled.score_tiles::<S, D, MOST_OBJECTIVES>(simd, scores),
            _ => return false,
        }
        true
    }
}

/// Multiplies a tile by some rows of M, from the row `first` on, and by N other rows. Each product is one
/// sum over the features in order, for M up to its diagonal. The sum begins with the first product, where
/// other paths add that to a zero. So a zero may have another sign here. It disappears when it is squared
/// or when a width is added (and where √γ is −0, no comparison sees it).
#[inline(always)]
fn products<S: Unit, const D: usize, const N: usize>(
    simd: S,
    x: &[Vector<S>; D],
    factor: &[Lanes],
    first: usize,
    others: [&[Lanes]; N],
) -> ([Vector<S>; ROWS], [Vector<S>; N]) {
    let mut sums = ([Vector::splat(simd, 0.0); ROWS], [Vector::splat(simd, 0.0); N]);
    unrolled!(|J| in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] if J < D {
        for n in 0..ROWS {
            if (J..D).contains(&(first + n)) {
                add_product(simd, x, &factor[(first + n) * blocks(D)..], J, &mut sums.0[n]);
            }
        }
        for n in 0..N {
            add_product(simd, x, others[n], J, &mut sums.1[n]);
        }
    });
    sums
}

/// Adds the term of one feature to the product with a row.
#[inline(always)]
fn add_product<S: Unit, const D: usize>(
    simd: S,
    x: &[Vector<S>; D],
    row: &[Lanes],
    j: usize,
    sum: &mut Vector<S>,
) {
    let factor = Vector::splat(simd, row[j / LANES][j % LANES]);
    *sum = if j == 0 { factor.mul(x[j]) } else { factor.mul_add(x[j], *sum) };
}

/// Adds the squares of the products with some rows of M, from the row `first` of D on.
#[inline(always)]
fn add_squares<S: Unit>(total: &mut Vector<S>, images: [Vector<S>; ROWS], first: usize, dim: usize) {
    for n in 0..ROWS {
        if first + n < dim {
            let is_first = first + n == 0;
            *total = if is_first { images[n].mul(images[n]) } else { images[n].mul_add(images[n], *total) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arms::MOST_SMALL_ARMS;
    use crate::scoring::path::FrontPath;
    use crate::{Decision, Link, MoglbUcb, MoglbUcbConfig, Norms, Objective, Policy, Problem, Width};
    use moglb_math::draw;
    use moglb_pareto::ArmId;
    use rand_core::Rng;

    /// Returns a policy that has learned a few rounds.
    fn learned(dim: usize, m: usize, rng: &mut dyn Rng) -> MoglbUcb {
        let objectives = (0..m).map(|i| Objective::new(format!("o{i}"), Link::Logit)).collect();
        let config = MoglbUcbConfig { width: Width::Tuned { c: 0.1 }, ..Default::default() };
        let mut policy = MoglbUcb::new(Problem::new(dim, objectives).unwrap(), config).unwrap();
        for _ in 0..20 {
            let arms = arms(dim, 1, rng);
            let reward: Vec<f64> = (0..m).map(|_| f64::from(draw::normal(rng) < 0.0)).collect();
            policy.learn(arms.arm(ArmId(0)), &reward).unwrap();
        }
        policy
    }

    /// Arms with zeros of both signs among their features; every seventh arm is zero.
    fn arms(dim: usize, n_arms: usize, rng: &mut dyn Rng) -> ArmSet<'static> {
        let mut contexts: Vec<f64> = (0..n_arms * dim).map(|_| draw::normal(rng)).collect();
        for (k, x) in contexts.iter_mut().enumerate() {
            if k % 5 == 3 || k / dim % 7 == 6 {
                *x *= 0.0;
            }
        }
        ArmSet::new(dim, contexts, Norms::Clip).unwrap()
    }

    fn scores(policy: &MoglbUcb, arms: &ArmSet) -> Vec<u64> {
        let mut decision = Decision::lean();
        policy.pass_over_fresh(arms, &mut decision);
        let m = policy.problem().n_objectives();
        let bounds = decision.work.scoring.small.bounds();
        let score = |arm: usize, i: usize| bounds[arm / LANES * m + i][arm % LANES];
        (0..arms.n_arms() * m).map(|k| score(k / m, k % m).to_bits()).collect()
    }

    /// Returns the scores of the first arms of a set that is no longer small. Other code scores it and lays
    /// out its contexts.
    fn scores_among_many(policy: &MoglbUcb, arms: &ArmSet, rng: &mut dyn Rng) -> Vec<u64> {
        let contexts = arms.end_to_end().unwrap().iter().copied();
        let more: Vec<f64> = contexts.chain(vec![0.0; MOST_SMALL_ARMS * arms.dim()]).collect();
        let many = ArmSet::new(arms.dim(), more, Norms::Strict).unwrap();
        let mut decision = Decision::default();
        policy.decide_into(&many, rng, &mut decision).unwrap();
        let (estimates, widths) = (decision.estimates.as_slice(), decision.widths.as_slice());
        let n_scores = arms.n_arms() * policy.problem().n_objectives();
        estimates.iter().zip(widths).take(n_scores).map(|(mean, width)| (mean + width).to_bits()).collect()
    }

    #[test]
    fn the_scores_are_those_of_other_sets_bit_for_bit() {
        let mut rng = draw::seeded(5);
        let mut taken = 0;
        for dim in 1..=MOST_SHORT_FEATURES + 1 {
            for m in 1..=MOST_OBJECTIVES + 1 {
                let policy = learned(dim, m, &mut rng);
                for n_arms in [1, 8, 13, 40, MOST_SMALL_ARMS] {
                    let owned = arms(dim, n_arms, &mut rng);
                    let borrowed = ArmSet::borrowed(dim, owned.end_to_end().unwrap()).unwrap();
                    let expected = scores_among_many(&policy, &owned, &mut rng);
                    for arms in [&owned, &borrowed] {
                        let mut lean = Decision::lean();
                        policy.decide_into(arms, &mut rng, &mut lean).unwrap();
                        taken += usize::from(lean.path() == Some(FrontPath::FreshUnrolled));
                        let found = scores(&policy, arms);
                        assert_eq!(found, expected, "{n_arms} arms of {dim} features, {m} objectives");
                    }
                }
            }
        }
        // All short sets take the path, or none on a machine without wide registers.
        assert!([0, MOST_SHORT_FEATURES * MOST_OBJECTIVES * 5 * 2].contains(&taken), "{taken}");
    }
}
