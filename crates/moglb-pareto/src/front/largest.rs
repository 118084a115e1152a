//! The front of one objective: the rows with the largest value, found in one pass.

use super::marks::Marks;
use pulp::{Arch, Simd, WithSimd};

/// The number of values that are read before their maximum is compared with the largest value so far.
const VALUES_PER_BLOCK: usize = 1024;

/// Marks the rows with the largest value. Returns false if a value is not finite.
pub(super) fn mark_largest(values: &[f64], on_front: &mut Marks) -> bool {
    let mut best = f64::NEG_INFINITY;
    for (k, block) in values.chunks(VALUES_PER_BLOCK).enumerate() {
        let Some(largest) = Arch::new().dispatch(Largest(block)) else { return false };
        if largest > best {
            best = largest;
            on_front.clear(values.len());
        }
        if largest == best {
            let ties = block.iter().enumerate().filter(|(_, value)| **value == best);
            ties.for_each(|(row, _)| on_front.mark(k * VALUES_PER_BLOCK + row));
        }
    }
    true
}

/// Computes the largest of some values, or none if a value is not finite.
struct Largest<'a>(&'a [f64]);

impl WithSimd for Largest<'_> {
    type Output = Option<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Option<f64> {
        let (vectors, rest) = S::as_simd_f64s(self.0);
        let endless = simd.splat_f64s(f64::INFINITY);
        let mut largest = simd.splat_f64s(f64::NEG_INFINITY);
        let mut finite = simd.less_than_f64s(largest, endless);
        for &values in vectors {
            largest = simd.max_f64s(largest, values);
            finite = simd.and_m64s(finite, simd.less_than_f64s(simd.abs_f64s(values), endless));
        }
        let all_finite = simd.first_true_m64s(simd.not_m64s(finite)) == S::F64_LANES;
        let largest = rest.iter().fold(simd.reduce_max_f64s(largest), |largest, &value| largest.max(value));
        (all_finite && rest.iter().all(|value| value.is_finite())).then_some(largest)
    }
}
