//! Sufficient statistics of a likelihood: the contexts, the number of plays of each, and the sum of its
//! rewards.
//!
//! On fixed arms they take O(K) memory, however many rounds are played. A context that was not played
//! before is a new record. So on fresh arm sets the memory grows with t, as it would with the whole
//! history.

use moglb_core::Arm;
use moglb_core::saved::{SavedPart, check_rounds, damaged};
use moglb_math::Error;
use moglb_math::kernel::norm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Contexts that were played, each with a count and a sum of rewards.
#[derive(Debug, Clone, Default)]
pub(super) struct Records {
    state: RecordsState,
    /// The record of each context, by its bits. Computed from the state.
    places: BTreeMap<Vec<u64>, usize>,
    /// A copy of the contexts, each padded with zeros to whole blocks. Computed from the state.
    blocks: Vec<[f64; NUMBERS_PER_BLOCK]>,
}

/// The number of entries of a context that are added together in one vector operation.
pub(super) const NUMBERS_PER_BLOCK: usize = 4;

/// The serialized form of [`Records`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordsState {
    /// The number of features d.
    pub dim: usize,
    /// The contexts, end to end.
    pub contexts: Vec<f64>,
    /// The number of plays of each context.
    pub counts: Vec<u64>,
    /// The sum of the rewards of each context, in the objective's own orientation.
    pub sums: Vec<f64>,
}

/// The data with which [`Records::take_back`] undoes an addition.
#[derive(Debug, Clone, Copy)]
pub struct Added {
    record: usize,
    /// The sum of the record before the addition.
    sum: f64,
}

/// A context that was played, and the mean of its rewards.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    pub x: &'a [f64],
    /// The number of plays.
    pub count: f64,
    pub mean: f64,
}

impl Records {
    /// Creates an empty set of records.
    pub fn new(dim: usize) -> Self {
        Self { state: RecordsState { dim, ..RecordsState::default() }, ..Self::default() }
    }

    /// Creates records from contexts whose counts and means are kept elsewhere. They are only for
    /// reading: `places` stays empty, so an added reward would not find its record.
    pub(super) fn gathered<'a>(dim: usize, played: impl Iterator<Item = Record<'a>>) -> Self {
        let mut records = Self::new(dim);
        let Self { state, blocks, .. } = &mut records;
        for Record { x, count, mean } in played {
            blocks.extend(in_blocks(x));
            state.contexts.extend_from_slice(x);
            state.counts.push(count as u64);
            state.sums.push(mean * count);
        }
        records
    }

    /// Adds a reward that has been checked. [`Records::take_back`] undoes it.
    pub fn add(&mut self, arm: Arm<'_>, y: f64) -> Added {
        let next = self.state.counts.len();
        // This turns −0.0 into 0.0. A context with either sign is the same record.
        let context: Vec<f64> = arm.context().iter().map(|x| x + 0.0).collect();
        let record = *self.places.entry(bits(&context)).or_insert(next);
        if record == next {
            self.blocks.extend(in_blocks(&context));
            self.state.contexts.extend(context);
            self.state.counts.push(0);
            self.state.sums.push(0.0);
        }
        let added = Added { record, sum: self.state.sums[record] };
        self.state.counts[record] += 1;
        self.state.sums[record] += y;
        added
    }

    /// Undoes the latest addition, bit for bit.
    pub(super) fn take_back(&mut self, Added { record, sum }: Added) {
        self.state.counts[record] -= 1;
        self.state.sums[record] = sum;
        if self.state.counts[record] == 0 {
            self.places.remove(&bits(&self.state.contexts[record * self.state.dim..]));
            self.state.counts.pop();
            self.state.sums.pop();
            self.state.contexts.truncate(record * self.state.dim);
            self.blocks.truncate(record * self.state.dim.div_ceil(NUMBERS_PER_BLOCK));
        }
    }

    /// Returns the records in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        let RecordsState { dim, contexts, counts, sums, .. } = &self.state;
        contexts.chunks_exact(*dim).zip(counts).zip(sums).map(|((x, &count), sum)| {
            let count = count as f64;
            Record { x, count, mean: sum / count }
        })
    }

    /// Returns the number of contexts.
    pub fn len(&self) -> usize {
        self.state.counts.len()
    }

    /// Returns the contexts in the order of the records, each padded with zeros to whole blocks.
    pub fn blocks(&self) -> impl Iterator<Item = &[[f64; NUMBERS_PER_BLOCK]]> {
        self.blocks.chunks_exact(self.state.dim.div_ceil(NUMBERS_PER_BLOCK))
    }
}

impl SavedPart for Records {
    type State = RecordsState;

    fn state(&self) -> RecordsState {
        self.state.clone()
    }

    fn resumed(&self, state: RecordsState) -> Result<Self, Error> {
        let contexts = || state.contexts.chunks_exact(state.dim);
        let places: BTreeMap<Vec<u64>, usize> =
            contexts().enumerate().map(|(record, x)| (bits(x), record)).collect();
        if places.len() != state.counts.len() {
            return Err(damaged(&"two records have one context"));
        }
        let blocks = contexts().flat_map(in_blocks).collect();
        Ok(Self { state, places, blocks })
    }
}

impl RecordsState {
    /// Refuses records that cannot result from this many rounds with rewards in [low, high].
    pub(super) fn check(&self, rounds: u64, (low, high): (f64, f64)) -> Result<(), Error> {
        check_rounds(rounds)?;
        let total = self.counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        if total != Some(rounds) || self.counts.contains(&0) {
            return Err(damaged(&"the counts of the records do not add up to the rounds"));
        }
        let slack = 1e-9 * (high - low);
        let possible = |record: usize| {
            let count = self.counts[record] as f64;
            self.sums[record] >= count * (low - slack) && self.sums[record] <= count * (high + slack)
        };
        let inside = |x: &[f64]| norm(x) <= 1.0 + 1e-9;
        if !(0..self.counts.len()).all(possible) || !self.contexts.chunks_exact(self.dim).all(inside) {
            return Err(damaged(&"a record is out of bounds"));
        }
        Ok(())
    }

    /// Returns true if the contexts have d features, and contexts, counts and sums have the same number.
    pub fn fits(&self, dim: usize) -> bool {
        let n = self.counts.len();
        self.dim == dim && self.sums.len() == n && Some(self.contexts.len()) == n.checked_mul(dim)
    }
}

/// Returns a vector in blocks, the last one padded with zeros.
fn in_blocks(x: &[f64]) -> impl Iterator<Item = [f64; NUMBERS_PER_BLOCK]> + '_ {
    x.chunks(NUMBERS_PER_BLOCK).map(|places| std::array::from_fn(|k| places.get(k).copied().unwrap_or(0.0)))
}

/// Returns the bits of a vector, the key of its record.
fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::ArmSet;
    use moglb_pareto::ArmId;

    #[test]
    fn fixed_arms_take_one_record_each_and_fresh_ones_one_a_round() {
        let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]]).unwrap();
        let other = ArmSet::from_rows(&[[0.6, 0.2], [0.2, 0.7]]).unwrap();
        let mut records = Records::new(2);
        for k in 0..6 {
            records.add(arms.arm(ArmId(k % 2)), k as f64);
        }
        let seen: Vec<(f64, f64)> = records.iter().map(|record| (record.count, record.mean)).collect();
        assert_eq!(seen, [(3.0, 2.0), (3.0, 3.0)]);
        records.add(other.arm(ArmId(0)), 1.0);
        records.add(other.arm(ArmId(1)), 1.0);
        assert_eq!(records.iter().count(), 3, "the second context came before");
        assert_eq!(records.iter().last().unwrap().x, [0.6, 0.2]);
    }

    #[test]
    fn the_sign_of_a_zero_makes_no_other_record() {
        let mut records = Records::new(2);
        for context in [[0.0, 0.5], [-0.0, 0.5]] {
            records.add(Arm::new(ArmId(0), &context).unwrap(), 1.0);
        }
        assert_eq!((records.len(), records.state().counts), (1, vec![2]));
    }

    #[test]
    fn what_is_taken_back_leaves_no_trace() {
        let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]]).unwrap();
        let other = ArmSet::from_rows(&[[0.3, 0.3]]).unwrap();
        let mut records = Records::new(2);
        records.add(arms.arm(ArmId(0)), 0.1);
        let before = (records.state(), records.places.clone(), records.blocks.clone());
        for (arm, y) in [(arms.arm(ArmId(0)), 0.7), (arms.arm(ArmId(1)), 1.0), (other.arm(ArmId(0)), 0.3)] {
            let added = records.add(arm, y);
            assert_ne!(records.state(), before.0);
            records.take_back(added);
            assert_eq!((records.state(), records.places.clone(), records.blocks.clone()), before);
        }
    }
}
