//! The front of candidates on one log, as far as the log determines it.

use crate::quantile::normal;
use moglb::{Matrix, front};
use serde::Serialize;

/// The certain position of a candidate.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Another candidate is better in every objective.
    Dominated,
    /// Compared with each other candidate, this one is better in some objective.
    OnFront,
    /// Neither is certain.
    MayBeOnFront,
}

/// The position of a candidate among the others. All verdicts on one log hold together with the chance of the
/// level, if differences of estimates are normal: each of the P(P − 1)m comparisons has an equal share of the
/// remaining chance.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The certain position.
    pub verdict: Verdict,
    /// The candidates, by number, that are certainly better in every objective.
    pub dominated_by: Vec<usize>,
    /// True if the estimate is on the front of the estimates.
    pub on_estimated_front: bool,
    /// The share of resampled logs on which the estimate is on the front, if rounds were resampled.
    pub front_share: Option<f64>,
}

/// A candidate: its estimates and the influence of each round (rows) on them, with larger better in every
/// column.
pub(crate) struct Candidate {
    pub(crate) value: Vec<f64>,
    pub(crate) influences: Matrix,
    /// The estimates on resampled logs (rows).
    pub(crate) resampled: Option<Matrix>,
}

/// The standing of each candidate.
pub(crate) fn standings(candidates: &[Candidate], level: f64) -> Vec<Standing> {
    let (n, m) = (candidates.len(), candidates[0].value.len());
    let comparisons = (n * (n - 1) * m).max(1) as f64;
    let z = normal(1.0 - (1.0 - level) / comparisons);
    let mut better = vec![vec![vec![false; m]; n]; n];
    for a in 0..n {
        for b in (0..n).filter(|&b| b != a) {
            better[a][b] = surely_better(&candidates[a], &candidates[b], z);
        }
    }
    let values: Vec<&[f64]> = candidates.iter().map(|one| &one.value[..]).collect();
    let on_front = on_front(&values);
    let shares = front_shares(candidates);
    (0..n)
        .map(|c| {
            let dominated_by: Vec<usize> =
                (0..n).filter(|&d| d != c && better[d][c].iter().all(|is| *is)).collect();
            let holds_out = (0..n).all(|d| d == c || better[c][d].iter().any(|is| *is));
            let verdict = match (dominated_by.is_empty(), holds_out) {
                (false, _) => Verdict::Dominated,
                (true, true) => Verdict::OnFront,
                (true, false) => Verdict::MayBeOnFront,
            };
            let front_share = shares.as_ref().map(|shares| shares[c]);
            Standing { verdict, dominated_by, on_estimated_front: on_front[c], front_share }
        })
        .collect()
}

/// For each objective true if a is better than b by more than z standard errors of the paired difference.
fn surely_better(a: &Candidate, b: &Candidate, z: f64) -> Vec<bool> {
    let m = a.value.len();
    let mut squares = vec![0.0; m];
    for (a, b) in a.influences.rows().zip(b.influences.rows()) {
        squares.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += (a - b) * (a - b));
    }
    let n = a.influences.n_rows() as f64;
    let error = |squares: f64| (squares / (n * (n - 1.0))).sqrt();
    (0..m).map(|i| a.value[i] - b.value[i] > z * error(squares[i])).collect()
}

fn on_front(values: &[&[f64]]) -> Vec<bool> {
    let points = Matrix::from_fn(values.len(), values[0].len(), |k, i| values[k][i]);
    let found = front(&points).expect("finite values, and some");
    let mut mask = vec![false; values.len()];
    found.iter().for_each(|arm| mask[arm.0] = true);
    mask
}

/// For each candidate the share of resampled logs on which it is on the front; none if rounds were not
/// resampled.
fn front_shares(candidates: &[Candidate]) -> Option<Vec<f64>> {
    let tables: Vec<&Matrix> = candidates.iter().map(|one| one.resampled.as_ref()).collect::<Option<_>>()?;
    let replications = tables[0].n_rows();
    let mut counts = vec![0.0; candidates.len()];
    for b in 0..replications {
        let values: Vec<&[f64]> = tables.iter().map(|table| table.row(b)).collect();
        counts.iter_mut().zip(on_front(&values)).for_each(|(count, is)| *count += f64::from(u8::from(is)));
    }
    Some(counts.into_iter().map(|count| count / replications as f64).collect())
}
