//! Gram matrices in snapshots: writing, and reading with a check that the state is possible.

use super::forget::floor;
use super::{Gram, Sum};
use crate::matrix::check_finite;
use crate::{Error, Matrix};

impl Gram {
    /// The rows of M up to their diagonals, end to end, for a snapshot.
    #[doc(hidden)]
    pub fn packed(&self) -> Vec<f64> {
        (0..self.dim).flat_map(|i| (0..=i).map(move |j| self.entry(i, j))).collect()
    }

    /// Reads the Gram matrix of a snapshot without a discount.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] for a state that is not possible.
    #[doc(hidden)]
    pub fn from_packed(
        dim: usize,
        lambda: f64,
        weight: f64,
        squared_norms: f64,
        packed: &[f64],
        log_det: Sum,
    ) -> Result<Self, Error> {
        Self::new(dim, lambda, weight).restored(1.0, squared_norms, packed, log_det)
    }

    /// Reads the Gram matrix of a snapshot, with the λ and the weight of this one and a discount.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] for a state that is not possible.
    #[doc(hidden)]
    pub fn restored(
        &self,
        discount: f64,
        squared_norms: f64,
        packed: &[f64],
        log_det: Sum,
    ) -> Result<Self, Error> {
        let Self { dim, lambda, weight, added, begun, .. } = *self;
        let damaged = |reason: String| Error::SnapshotDamaged { reason };
        if packed.len() != dim * (dim + 1) / 2 {
            return Err(damaged(format!("a factor of {} values for d = {dim}", packed.len())));
        }
        check_finite("a factor", packed).map_err(|error| damaged(error.to_string()))?;
        let mut gram = Self::of_entries(dim, lambda, weight, |i, j| packed[i * (i + 1) / 2 + j]);
        gram.floor = floor(lambda, discount, dim);
        (gram.added, gram.begun) = (added, begun);
        // No eigenvalue of Z is below λ, or below the bound that a discount leaves of it.
        for k in 0..dim {
            let entry = gram.entry(k, k);
            if !(entry > 0.0 && entry <= (1.0 + 1e-9) / gram.floor.sqrt()) {
                return Err(damaged(format!("entry {k} of the factor's diagonal is {entry}")));
            }
        }
        // The trace of Z = λI + A + h Σ x xᵀ is known. A discount keeps the trace of λI and leaves a part of
        // that of A.
        let (z, learned) = (gram.to_dense(), dim as f64 * lambda + weight * squared_norms);
        let (expected, kept) = (learned + added, if discount < 1.0 { added } else { 0.0 });
        let trace = z.trace();
        if !(trace >= expected - kept - 1e-6 * expected && trace <= expected * (1.0 + 1e-6)) {
            return Err(damaged(format!("the factor has trace {trace}, the contexts add up to {expected}")));
        }
        if added > 0.0 && discount == 1.0 {
            self.check_grown(&z, expected)
                .map_err(|_| damaged("the factor holds less than the prior".into()))?;
        }
        let (sum, factor) = (log_det.value(), gram.log_det_ratio());
        if !(log_det.sum.is_finite()
            && log_det.rest.is_finite()
            && (sum - factor).abs() <= 1e-6 * (1.0 + factor.abs()))
        {
            return Err(damaged(format!("log det is {sum}, its factor gives {factor}")));
        }
        gram.log_det = log_det;
        Ok(gram)
    }

    /// Rejects a Z that is not at least this one, up to rounding: contexts only add to Z.
    fn check_grown(&self, z: &Matrix, trace: f64) -> Result<(), Error> {
        let first = self.to_dense();
        let mut grown = z.clone();
        for k in 0..self.dim {
            grown.row_mut(k).iter_mut().zip(first.row(k)).for_each(|(entry, first)| *entry -= first);
            grown.row_mut(k)[k] += 1e-6 * trace;
        }
        Self::from_dense(&grown).map(drop)
    }
}
