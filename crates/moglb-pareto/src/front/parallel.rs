//! The same work on each part of a list, over all cores where there is enough of it.

/// Calls `work` with the place of each part in the list, and the part. The parts do not see each other, so it
/// does not matter in which order or on which core they are done. Lists of `alone` items and fewer are one part
/// and stay on this core.
pub(super) fn in_parts<T: Send>(items: &mut [T], alone: usize, work: impl Fn(usize, &mut [T]) + Send + Sync) {
    #[cfg(feature = "parallel")]
    if items.len() > alone && moglb_math::threads::workers() > 1 {
        use rayon::prelude::*;
        // Parts that differ in work even out.
        let size = items.len().div_ceil(PARTS * moglb_math::threads::workers());
        return items.par_chunks_mut(size).enumerate().for_each(|(k, part)| work(k * size, part));
    }
    let _ = alone;
    work(0, items);
}

/// Parts for each core.
#[cfg(feature = "parallel")]
const PARTS: usize = 8;
