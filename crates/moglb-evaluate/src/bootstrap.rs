//! The bootstrap over rounds (Efron 1979): estimates on logs of the same number of rounds, drawn from the log
//! with replacement.
//!
//! All targets use the same resampled logs, so that their differences are paired. Replication b has stream b
//! of the seed, so that the results do not depend on the number of threads.

use crate::terms::Terms;
use crate::{EvaluateError, table};
use moglb::{Matrix, draw};
use rayon::prelude::*;

/// The estimates on resampled logs: for each target a table of replications (rows) and objectives (columns).
///
/// # Errors
///
/// [`EvaluateError::Resample`] if hardly any resampled log has a positive sum of weights for every ratio.
pub(crate) fn resample(all: &[Terms], replications: usize, seed: u64) -> Result<Vec<Matrix>, EvaluateError> {
    let stacked = stack(all);
    let one = |b: usize| replication(&stacked, all, b as u64, seed);
    let sums: Vec<Vec<f64>> = (0..replications)
        .into_par_iter()
        .map(one)
        .collect::<Option<_>>()
        .ok_or(EvaluateError::Resample { draws: MOST_DRAWS })?;
    let mut first = 0;
    let mut tables = Vec::with_capacity(all.len());
    for terms in all {
        let m = terms.bases.n_cols();
        tables.push(Matrix::from_fn(sums.len(), m, |b, i| sums[b][first + i]));
        first += m;
    }
    Ok(tables)
}

/// The largest number of resampled logs for one replication. With k ratios that have weight in a single round
/// each, about one log in 1.6^k is usable: without a bound, the search for one would not end.
const MOST_DRAWS: usize = 10_000;

/// The columns of all estimates next to each other: for means the sum of bases and corrections; for ratios
/// bases, corrections and divisors.
fn stack(all: &[Terms]) -> Matrix {
    let n = all[0].bases.n_rows();
    let mut rows = Vec::with_capacity(n);
    for t in 0..n {
        let mut row = Vec::new();
        for terms in all {
            let (base, correction) = (terms.bases.row(t), terms.corrections.row(t));
            match &terms.divisors {
                None => row.extend(base.iter().zip(correction).map(|(base, correction)| base + correction)),
                Some(divisors) => {
                    row.extend_from_slice(base);
                    row.extend_from_slice(correction);
                    row.push(divisors[t]);
                }
            }
        }
        rows.push(row);
    }
    table::of_rows(&rows)
}

/// The estimates on one resampled log; none if no usable log was found in [`MOST_DRAWS`] draws.
fn replication(stacked: &Matrix, all: &[Terms], b: u64, seed: u64) -> Option<Vec<f64>> {
    let n = stacked.n_rows();
    let mut rng = draw::seeded(seed);
    rng.set_stream(b);
    let mut counts = vec![0u32; n];
    for _ in 0..MOST_DRAWS {
        (0..n).for_each(|_| counts[draw::below(n, &mut rng)] += 1);
        let mut sums = vec![0.0; stacked.n_cols()];
        for (row, &count) in stacked.rows().zip(&counts) {
            if count > 0 {
                let count = f64::from(count);
                sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += count * value);
            }
        }
        // A resampled log without any weight has no ratio. In that case another log is drawn.
        if let Some(values) = values(&sums, all, n as f64) {
            return Some(values);
        }
        counts.fill(0);
    }
    None
}

/// The estimates of all targets from sums of columns; none if a ratio has no weight.
fn values(sums: &[f64], all: &[Terms], n: f64) -> Option<Vec<f64>> {
    let (mut values, mut rest) = (Vec::new(), sums);
    for terms in all {
        let m = terms.bases.n_cols();
        let (bases, after) = rest.split_at(m);
        match &terms.divisors {
            None => {
                values.extend(bases.iter().map(|sum| sum / n));
                rest = after;
            }
            Some(_) => {
                let by = after[m];
                if by <= 0.0 {
                    return None;
                }
                values.extend(bases.iter().zip(after).map(|(base, correction)| base / n + correction / by));
                rest = &after[m + 1..];
            }
        }
    }
    Some(values)
}
