//! The front of two objectives under insertion: a staircase, in blocks so that an insertion is cheap.

/// The largest number of steps in a block. An insertion moves half a block on average, and only sometimes the
/// list of blocks.
const STEPS_PER_BLOCK: usize = 128;

/// The steps, by decreasing y and increasing z.
#[derive(Debug, Clone, Default)]
pub(super) struct Staircase {
    /// The blocks in the order of their steps: the smallest y of each, and its index. No block is empty.
    order: Vec<(f64, usize)>,
    /// The steps of each block, in order.
    blocks: Vec<Vec<[f64; 2]>>,
    /// The blocks that are not in use and kept for their memory.
    free: Vec<usize>,
}

impl Staircase {
    /// Removes all steps.
    pub fn clear(&mut self) {
        self.free.extend(self.order.drain(..).map(|(_, id)| id));
    }

    /// Adds a step unless another one is at least as high in both coordinates, and removes the steps that it
    /// hides. Returns true if it was added.
    pub(super) fn climb(&mut self, y: f64, z: f64) -> bool {
        // The steps before this place have a y at least as large, and the last of them has the largest z.
        let mut block = self.order.partition_point(|&(smallest, _)| smallest >= y);
        let mut place = match self.order.get(block) {
            Some(&(_, id)) => self.blocks[id].partition_point(|step| step[0] >= y),
            None => 0,
        };
        if place == 0 && block > 0 {
            block -= 1;
            place = self.blocks[self.order[block].1].len();
        }
        if place > 0 && self.blocks[self.order[block].1][place - 1][1] >= z {
            return false;
        }
        self.put(block, place, [y, z]);
        true
    }

    /// Puts a step in its place, instead of the steps after it that are not higher.
    fn put(&mut self, block: usize, place: usize, step: [f64; 2]) {
        if self.order.is_empty() {
            let id = self.new_block();
            self.order.push((step[0], id));
        }
        let id = self.order[block].1;
        let steps = &mut self.blocks[id];
        let n_hidden = steps[place..].iter().take_while(|other| other[1] <= step[1]).count();
        if n_hidden == 0 {
            steps.insert(place, step);
        } else {
            steps[place] = step;
            if n_hidden > 1 {
                steps.drain(place + 1..place + n_hidden);
            }
        }
        let (is_last, is_full) = (place + 1 == steps.len(), steps.len() == STEPS_PER_BLOCK);
        if is_last {
            self.order[block].0 = step[0];
            self.hide_after(block, step[1]);
        }
        if is_full {
            self.split(block);
        }
    }

    /// Removes the steps of the blocks after this one that are not higher than z.
    fn hide_after(&mut self, block: usize, z: f64) {
        while let Some(&(_, id)) = self.order.get(block + 1) {
            let steps = &mut self.blocks[id];
            let n_hidden = steps.iter().take_while(|step| step[1] <= z).count();
            if n_hidden < steps.len() {
                steps.drain(..n_hidden);
                break;
            }
            self.order.remove(block + 1);
            self.free.push(id);
        }
    }

    /// Moves the second half of a full block to a new one.
    fn split(&mut self, block: usize) {
        let id = self.order[block].1;
        let second = self.new_block();
        let [steps, rest] = self.blocks.get_disjoint_mut([id, second]).expect("two different blocks");
        rest.extend(steps.drain(STEPS_PER_BLOCK / 2..));
        self.order.insert(block + 1, (rest[rest.len() - 1][0], second));
        self.order[block].0 = steps[steps.len() - 1][0];
    }

    /// Returns an empty block.
    fn new_block(&mut self) -> usize {
        let id = self.free.pop().unwrap_or_else(|| {
            self.blocks.push(Vec::with_capacity(STEPS_PER_BLOCK));
            // Room for all blocks, so that returning them does not allocate.
            self.free.reserve(self.blocks.len());
            self.blocks.len() - 1
        });
        self.blocks[id].clear();
        id
    }
}
