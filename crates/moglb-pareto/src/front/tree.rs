//! A tree of codes: points that are near each other share a block, and the largest codes of a block can rule
//! out all of its points.
//!
//! An inner block holds the largest code in each objective of each of its 32 children, so the same loop
//! compares a point with points and with children. On a front, where no point dominates another, a search
//! visits the few blocks around its point; a plain window would visit all.

use super::codes::BELOW;

/// The number of points, or of children, in a block.
pub(super) const WIDTH: usize = 32;

/// One code of the points or children of a block.
type Block = [u16; WIDTH];

/// The blocks that are to be searched: at most 31 on each level and one more. A tree of 13 levels does not
/// fit into any memory.
pub(super) type Stack = [usize; 13 * WIDTH];

/// A tree that is built once and searched often. It keeps its memory.
#[derive(Debug, Clone, Default)]
pub(super) struct CodeTree {
    /// The number of codes of a point.
    n_codes: usize,
    /// Block k has code i of its points or children at `k * n_codes + i`. Leaves come first, the root last.
    blocks: Vec<Block>,
    /// The points of the leaves, in order.
    points: Vec<usize>,
    /// The first child of each inner block.
    children: Vec<usize>,
}

impl CodeTree {
    /// Builds a tree of points in an order that keeps neighbors together; `codes` returns the codes of a
    /// point.
    #[inline(always)]
    pub fn build<'a>(
        &mut self,
        n_codes: usize,
        points: impl Iterator<Item = usize>,
        codes: impl Fn(usize) -> &'a [u16],
    ) {
        self.n_codes = n_codes;
        self.blocks.clear();
        self.children.clear();
        self.points.clear();
        self.points.extend(points);
        for points in self.points.chunks(WIDTH) {
            let start = self.blocks.len();
            self.blocks.resize(start + n_codes, [BELOW; WIDTH]);
            for (lane, &point) in points.iter().enumerate() {
                for (block, &code) in self.blocks[start..].iter_mut().zip(codes(point)) {
                    block[lane] = code;
                }
            }
        }
        let (mut start, mut end) = (0, self.points.len().div_ceil(WIDTH));
        while end - start > 1 {
            for first in (start..end).step_by(WIDTH) {
                self.push_parent(first, end.min(first + WIDTH));
            }
            (start, end) = (end, self.blocks.len() / n_codes);
        }
    }

    /// Appends the parent of the blocks `first..end`, with the largest codes of each.
    #[inline(always)]
    fn push_parent(&mut self, first: usize, end: usize) {
        let parent = self.blocks.len();
        self.blocks.resize(parent + self.n_codes, [BELOW; WIDTH]);
        self.children.push(first);
        let (children, parent) = self.blocks.split_at_mut(parent);
        for (lane, child) in
            children[first * self.n_codes..end * self.n_codes].chunks_exact(self.n_codes).enumerate()
        {
            for (largest, codes) in parent.iter_mut().zip(child) {
                largest[lane] = codes.iter().copied().fold(BELOW, u16::max);
            }
        }
    }

    /// The number of codes of a point.
    pub(super) fn n_codes(&self) -> usize {
        self.n_codes
    }

    /// Returns true if, among the points that have no code below these, one satisfies `dominates`.
    ///
    /// `R` is the number of codes if it is known at compile time, else 0. `stack` is scratch.
    #[inline(always)]
    pub fn any<const R: usize>(
        &self,
        codes: &[u16],
        stack: &mut Stack,
        mut dominates: impl FnMut(usize) -> bool,
    ) -> bool {
        let n_codes = if R > 0 { R } else { self.n_codes };
        let n_leaves = self.points.len().div_ceil(WIDTH);
        let mut n_open = 0;
        if let Some(root) = (self.blocks.len() / n_codes).checked_sub(1) {
            stack[0] = root;
            n_open = 1;
        }
        while n_open > 0 {
            n_open -= 1;
            let block = stack[n_open];
            let found =
                nowhere_below::<R>(&self.blocks[block * n_codes..(block + 1) * n_codes], &codes[..n_codes]);
            for (eighth, word) in found.as_chunks::<8>().0.iter().enumerate() {
                let mut word = u64::from_le_bytes(*word);
                while word != 0 {
                    let lane = eighth * 8 + word.trailing_zeros() as usize / 8;
                    word &= word - 1;
                    if block >= n_leaves {
                        stack[n_open] = self.children[block - n_leaves] + lane;
                        n_open += 1;
                    } else if dominates(self.points[block * WIDTH + lane]) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// 1 for each lane that has no code below these, else 0.
#[inline(always)]
fn nowhere_below<const R: usize>(block: &[Block], codes: &[u16]) -> [u8; WIDTH] {
    let mut found = [0; WIDTH];
    if let (Some(block), Some(codes)) = (block.first_chunk::<R>(), codes.first_chunk::<R>())
        && R > 0
    {
        for lane in 0..WIDTH {
            let mut lack = 0;
            for i in 0..R {
                lack |= codes[i].saturating_sub(block[i][lane]);
            }
            found[lane] = u8::from(lack == 0);
        }
    } else {
        let mut lack = [0; WIDTH];
        for (block, code) in block.iter().zip(codes) {
            for lane in 0..WIDTH {
                lack[lane] |= code.saturating_sub(block[lane]);
            }
        }
        for lane in 0..WIDTH {
            found[lane] = u8::from(lack[lane] == 0);
        }
    }
    found
}
