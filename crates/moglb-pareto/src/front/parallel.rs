//! Parallel work on the parts of a list, on all cores if the list is long enough.

/// Calls `work` with the index of the first item of each part, and the part. Parts do not depend on each
/// other, so neither order nor core matters. A list of at most `alone` items is one part and stays on this
/// core.
pub(super) fn in_parts<T: Send>(items: &mut [T], alone: usize, work: impl Fn(usize, &mut [T]) + Send + Sync) {
    #[cfg(feature = "parallel")]
    if items.len() > alone && moglb_math::threads::workers() > 1 {
        use rayon::prelude::*;
        // Several parts per core, so that parts with different amounts of work even out.
        let size = items.len().div_ceil(PARTS * moglb_math::threads::workers());
        return items.par_chunks_mut(size).enumerate().for_each(|(k, part)| work(k * size, part));
    }
    let _ = alone;
    work(0, items);
}

/// The number of parts for each core.
#[cfg(feature = "parallel")]
const PARTS: usize = 8;
