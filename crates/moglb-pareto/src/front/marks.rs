//! A set of rows that is read back in increasing order without sorting.

/// A set of rows, with one bit for each row.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks {
    /// Word k holds the marks of rows 64k to 64k + 63, the lowest bit first.
    words: Vec<u64>,
}

impl Marks {
    /// Removes all marks, and makes room for n rows.
    pub fn clear(&mut self, n_rows: usize) {
        self.words.clear();
        self.words.resize(n_rows.div_ceil(64), 0);
    }

    /// Marks a row.
    #[inline(always)]
    pub(super) fn mark(&mut self, row: usize) {
        self.words[row / 64] |= 1 << (row % 64);
    }

    /// The marks of rows 0 to 63, 64 to 127, …, the lowest bit first.
    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The marked rows, in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(word, &bits)| Bits(bits).map(move |bit| word * 64 + bit))
    }
}

/// An iterator over the positions of the bits that are set, from the lowest.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (bit < 64).then_some(bit)
    }
}
