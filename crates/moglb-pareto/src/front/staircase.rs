//! The front of two objectives while points come in: a staircase, in blocks so that a step is put in cheaply.

/// The most steps in a block. Putting a step in moves half a block on average, and the list of blocks once in a
/// while.
const STEPS_PER_BLOCK: usize = 128;

/// Steps by decreasing y and increasing z.
#[derive(Debug, Clone, Default)]
pub(super) struct Staircase {
    /// The blocks in the order of their steps: the smallest y of each, and which one it is. None is empty.
    order: Vec<(f64, usize)>,
    blocks: Vec<Vec<[f64; 2]>>,
    /// Blocks that are not in use, kept for their memory.
    free: Vec<usize>,
}

impl Staircase {
    /// Takes all steps away.
    pub fn clear(&mut self) {
        self.free.extend(self.order.drain(..).map(|(_, id)| id));
    }

    /// Adds a step unless one is as high in both coordinates, and takes away those that it hides. Whether it
    /// was added.
    pub(super) fn climb(&mut self, y: f64, z: f64) -> bool {
        // The steps before this place have y as large, and the last of them has the largest z.
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

    /// Puts a step in its place, in exchange for those after it that are not higher.
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

    /// Takes away the steps of the blocks after this one that are not higher than z.
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

    fn split(&mut self, block: usize) {
        let id = self.order[block].1;
        let second = self.new_block();
        let [steps, rest] = self.blocks.get_disjoint_mut([id, second]).expect("two different blocks");
        rest.extend(steps.drain(STEPS_PER_BLOCK / 2..));
        self.order.insert(block + 1, (rest[rest.len() - 1][0], second));
        self.order[block].0 = steps[steps.len() - 1][0];
    }

    fn new_block(&mut self) -> usize {
        let id = self.free.pop().unwrap_or_else(|| {
            self.blocks.push(Vec::with_capacity(STEPS_PER_BLOCK));
            // Room for all of them, so that giving them back does not allocate.
            self.free.reserve(self.blocks.len());
            self.blocks.len() - 1
        });
        self.blocks[id].clear();
        id
    }
}
