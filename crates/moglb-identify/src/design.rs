//! G-optimal design: shares of the samples for the contexts such that the largest variance of an estimate is
//! as small as possible.

use moglb_math::dense;
use moglb_math::{Matrix, Rows};

/// Contexts in coordinates of their span.
///
/// In these coordinates h chosen contexts are the unit vectors. Designs do not depend on the choice of
/// coordinates, and with this choice even nearly parallel contexts lead to well-conditioned matrices.
#[derive(Debug, Clone)]
pub(super) struct Span {
    /// The coordinates, in a row of h numbers for each context.
    pub(super) coordinates: Matrix,
    /// The contexts that are unit vectors in these coordinates.
    basis: Vec<usize>,
}

/// A context counts as part of the span of others if its distance from that span is below this share of the
/// longest context.
const PARALLEL: f64 = 1e-9;

impl Span {
    /// Chooses the basis greedily, by Gram and Schmidt: the context farthest from the span of the chosen ones
    /// comes next.
    pub(super) fn new(contexts: Rows<'_>) -> Self {
        let (n, dim) = (contexts.n_rows(), contexts.n_cols());
        let mut left: Vec<Vec<f64>> = contexts.rows().map(<[f64]>::to_vec).collect();
        let (mut basis, mut inner): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), vec![Vec::new(); n]);
        let mut longest = 0.0;
        while basis.len() < dim {
            let squares: Vec<f64> = left.iter().map(|x| dense::sum_of_squares(x)).collect();
            let next = (0..n).fold(0, |best, k| if squares[k] > squares[best] { k } else { best });
            let length = squares[next].sqrt();
            longest = f64::max(longest, length);
            if basis.contains(&next) || length <= PARALLEL * longest {
                break;
            }
            let unit: Vec<f64> = left[next].iter().map(|x| x / length).collect();
            basis.push(next);
            for (x, inner) in left.iter_mut().zip(&mut inner) {
                let along: f64 = x.iter().zip(&unit).map(|(x, u)| x * u).sum();
                dense::add(x, -along, &unit);
                inner.push(along);
            }
        }
        let h = basis.len();
        // x = Σ uₖ·(basis k) also holds for the inner products with the orthonormal directions. There the
        // basis is triangular.
        let solve = |row: &Vec<f64>| {
            let mut u = row.clone();
            for l in (0..h).rev() {
                u[l] /= inner[basis[l]][l];
                let by = u[l];
                dense::add(&mut u[..l], -by, &inner[basis[l]][..l]);
            }
            u
        };
        let mut coordinates = Matrix::default();
        coordinates.reshape(n, h);
        for (k, row) in inner.iter().enumerate() {
            coordinates.row_mut(k).copy_from_slice(&solve(row));
        }
        for (l, &k) in basis.iter().enumerate() {
            coordinates.row_mut(k).fill(0.0);
            coordinates.row_mut(k)[l] = 1.0;
        }
        Self { coordinates, basis }
    }

    /// h, the dimension of the span.
    pub(super) fn dim(&self) -> usize {
        self.basis.len()
    }
}

/// A design: a share of the samples for each context, and the largest ‖x‖² in the inverse of V = Σ share·xxᵀ.
/// At the optimum that norm is the dimension of the span (Kiefer and Wolfowitz 1960).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Design {
    pub(super) shares: Vec<f64>,
    pub(super) variance: f64,
}

/// The relative excess of the largest ‖x‖² over the dimension that is accepted.
const TOLERANCE: f64 = 1e-3;

/// A bound on the steps that is not reached in practice. A design that stops there is less good, and its
/// `variance` shows it.
const MOST_STEPS: usize = 10_000;

impl Design {
    /// Takes steps of Frank and Wolfe towards the context with the largest ‖x‖², with exact step lengths
    /// (Fedorov), or away from the context with the smallest ‖x‖² among those with a share (Wolfe and
    /// Atwood).
    pub(super) fn new(span: &Span) -> Self {
        let (x, h) = (&span.coordinates, span.dim() as f64);
        let mut shares = vec![0.0; x.n_rows()];
        span.basis.iter().for_each(|&k| shares[k] = 1.0 / h);
        let mut variance = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let squares = inverse_norms(x, &shares);
            let most =
                (0..squares.len()).fold(0, |best, k| if squares[k] > squares[best] { k } else { best });
            let with_share = (0..squares.len()).filter(|&k| shares[k] > 0.0);
            let least = with_share.fold(span.basis[0], |best, k| {
                if shares[best] == 0.0 || squares[k] < squares[best] { k } else { best }
            });
            variance = squares[most];
            if variance <= h * (1.0 + TOLERANCE) {
                break;
            }
            let towards = variance - h >= h - squares[least];
            let chosen = if towards { most } else { least };
            let length = step(squares[chosen], h, shares[chosen], towards);
            shares.iter_mut().for_each(|share| *share *= 1.0 - length);
            shares[chosen] = (shares[chosen] + length).max(0.0);
        }
        Self { shares, variance }
    }

    /// ⌈n·share⌉ samples of each context with a share.
    pub(super) fn pulls(&self, n: f64) -> impl Iterator<Item = u64> + '_ {
        self.shares.iter().map(move |share| (n * share).ceil() as u64)
    }

    /// The number of contexts with a share.
    pub(super) fn support(&self) -> usize {
        self.shares.iter().filter(|&&share| share > 0.0).count()
    }
}

/// The best length of a step towards a context (positive) or away from it (negative), such that no share
/// becomes negative.
fn step(square: f64, h: f64, share: f64, towards: bool) -> f64 {
    let best = (square - h) / (h * (square - 1.0));
    if towards {
        return best;
    }
    let all = -share / (1.0 - share);
    if square > 1.0 { best.max(all) } else { all }
}

/// xᵀV⁻¹x of every row x.
fn inverse_norms(x: &Matrix, shares: &[f64]) -> Vec<f64> {
    let h = x.n_cols();
    let mut v = vec![0.0; h * h];
    for (row, &share) in x.rows().zip(shares).filter(|(_, share)| **share > 0.0) {
        add_square(&mut v, row, share);
    }
    let (mut inverse, mut product) = (vec![0.0; h * h], vec![0.0; h]);
    if !dense::factor(&mut v, h, 0.0) {
        return vec![f64::INFINITY; x.n_rows()];
    }
    dense::invert(&v, &mut inverse, h);
    // With V = UᵀU and W = U⁻¹, xᵀV⁻¹x = ‖xᵀW‖².
    let norm = |row: &[f64]| {
        dense::combine(&inverse, row, &mut product);
        dense::sum_of_squares(&product)
    };
    x.rows().map(norm).collect()
}

/// Adds a·xxᵀ to V.
pub(super) fn add_square(v: &mut [f64], x: &[f64], a: f64) {
    for (row, &entry) in v.chunks_exact_mut(x.len()).zip(x) {
        dense::add(row, a * entry, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_math::draw;

    fn random(n: usize, dim: usize, seed: u64) -> Matrix {
        let mut rng = draw::seeded(seed);
        Matrix::new(dim, (0..n * dim).map(|_| draw::normal(&mut rng)).collect()).unwrap()
    }

    #[test]
    fn at_the_optimum_the_largest_norm_is_the_dimension() {
        for (n, dim) in [(1, 1), (5, 1), (3, 3), (12, 4), (40, 10), (60, 15)] {
            let contexts = random(n, dim, (n * dim) as u64);
            let span = Span::new((&contexts).into());
            let design = Design::new(&span);
            assert_eq!(span.dim(), dim);
            assert!((design.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(design.shares.iter().all(|&share| share >= 0.0));
            // Check with independent code on the contexts themselves: trace of V⁻¹·V = d bounds the largest
            // norm from below.
            let x = nalgebra::DMatrix::from_row_slice(n, dim, contexts.as_slice());
            let shares =
                nalgebra::DMatrix::from_diagonal(&nalgebra::DVector::from_vec(design.shares.clone()));
            let inverse = (x.transpose() * shares * &x).try_inverse().unwrap();
            let largest = x.row_iter().map(|x| (x * &inverse * x.transpose())[0]).fold(0.0, f64::max);
            let h = dim as f64;
            assert!(
                largest >= h * (1.0 - 1e-9) && largest <= h * (1.0 + TOLERANCE + 1e-9),
                "{n} {dim}: {largest}"
            );
            assert!((largest - design.variance).abs() < 1e-6 * h);
        }
    }

    #[test]
    fn a_design_lives_in_the_span_of_the_contexts() {
        // Rank two in three dimensions, one context zero, two equal.
        let contexts = Matrix::from_rows(&[
            [1.0, 0.0, 1.0],
            [0.0, 1.0, 0.0],
            [0.5, 0.5, 0.5],
            [0.0; 3],
            [1.0, 0.0, 1.0],
        ])
        .unwrap();
        let span = Span::new((&contexts).into());
        assert_eq!(span.dim(), 2);
        for (row, expected) in
            span.coordinates.rows().zip([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.0; 2], [1.0, 0.0]])
        {
            assert!(
                row.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 1e-12),
                "{row:?}"
            );
        }
        assert!((Design::new(&span).variance - 2.0).abs() < 0.01);
        assert_eq!(Span::new(Rows::new(2, &[0.0; 4]).unwrap()).dim(), 0);
    }

    #[test]
    fn orthonormal_contexts_share_equally() {
        let contexts = Matrix::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
        let design = Design::new(&Span::new((&contexts).into()));
        assert_eq!(design, Design { shares: vec![1.0 / 3.0; 3], variance: design.variance });
        assert!((design.variance - 3.0).abs() < 1e-12);
        assert_eq!(design.pulls(10.0).collect::<Vec<_>>(), [4, 4, 4]);
    }

    /// Nearly parallel contexts differ by little; the coordinates must keep that difference.
    #[test]
    fn nearly_parallel_contexts_are_not_lost() {
        let contexts = Matrix::from_rows(&[[1.0, 0.0], [1.0, 1e-7], [0.5, 0.0]]).unwrap();
        let span = Span::new((&contexts).into());
        assert_eq!(span.dim(), 2);
        assert!((Design::new(&span).variance - 2.0).abs() < 0.01);
    }
}
