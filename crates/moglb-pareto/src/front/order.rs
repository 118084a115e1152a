//! Sorting by decreasing key, as integers: a few times faster than comparing floats and rows.

use super::dominance::by_entries;

/// Up to this many rows with the same key are sorted by comparing them; more are first packed by their
/// entries.
const MOST_ROWS_OF_A_KEY: usize = 16;

/// A sorted order of the places 0, 1, …, which reuses its memory.
#[derive(Debug, Clone, Default)]
pub(super) struct DecreasingOrder {
    /// The leading bits of the key, inverted so that larger keys come first, and the place in the other bits.
    packed: Vec<u64>,
    /// The mask of the bits that hold a place.
    places: u64,
}

impl DecreasingOrder {
    /// Sorts the places of rows by decreasing key, and rows with equal keys by decreasing entries, the first
    /// entry first. So equal rows are adjacent. No key may be NaN.
    pub fn sort<'a>(&mut self, n_rows: usize, key: impl Fn(&[f64]) -> f64, row: impl Fn(usize) -> &'a [f64]) {
        let places = (n_rows as u64).next_power_of_two() - 1;
        self.places = places;
        self.packed.clear();
        self.packed.extend((0..n_rows).map(|place| decreasing(key(row(place))) & !places | place as u64));
        self.packed.sort_unstable();
        let row = |packed: &u64| row((packed & places) as usize);
        for run in runs(&mut self.packed, places) {
            let first = row(&run[0]);
            if run.iter().all(|packed| row(packed) == first) {
                continue;
            }
            if run.iter().all(|packed| key(row(packed)) == key(first)) {
                sort_by_entries(run, places, 0, &row);
            } else {
                // These keys differ in their last bits only.
                run.sort_unstable_by(|a, b| {
                    decreasing(key(row(a)))
                        .cmp(&decreasing(key(row(b))))
                        .then_with(|| by_entries(row(a), row(b)))
                });
            }
        }
    }

    /// The places, the largest key first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = usize> + Clone + '_ {
        self.packed.iter().map(|packed| (packed & self.places) as usize)
    }
}

/// The runs of more than one row with the same leading bits.
fn runs(packed: &mut [u64], places: u64) -> impl Iterator<Item = &mut [u64]> {
    packed.chunk_by_mut(move |a, b| a & !places == b & !places).filter(|run| run.len() > 1)
}

/// Sorts rows that agree in the entries before `entry`.
fn sort_by_entries<'a>(run: &mut [u64], places: u64, entry: usize, row: &impl Fn(&u64) -> &'a [f64]) {
    if run.len() <= MOST_ROWS_OF_A_KEY || entry == row(&run[0]).len() {
        return run.sort_unstable_by(|a, b| by_entries(row(a), row(b)));
    }
    run.iter_mut().for_each(|packed| *packed = decreasing(row(packed)[entry]) & !places | *packed & places);
    run.sort_unstable();
    for run in runs(run, places) {
        let first = row(&run[0])[entry];
        if run.iter().all(|packed| row(packed)[entry] == first) {
            sort_by_entries(run, places, entry + 1, row);
        } else {
            run.sort_unstable_by(|a, b| by_entries(row(a), row(b)));
        }
    }
}

/// Maps a key to an integer that is smaller for a larger key, and equal for both zeros.
#[inline(always)]
fn decreasing(key: f64) -> u64 {
    let bits = (key + 0.0).to_bits();
    let negative = bits >> 63 == 1;
    // As integers, the bits of negative floats are already in decreasing order, above those of all others.
    if negative { bits } else { !bits & (u64::MAX >> 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted<const M: usize>(rows: &[[f64; M]]) -> Vec<usize> {
        let mut order = DecreasingOrder::default();
        order.sort(rows.len(), |row| row[0], |place| &rows[place]);
        order.iter().collect()
    }

    #[test]
    fn keys_come_by_decreasing_value() {
        let keys = [0.0, 1.0, f64::MAX, f64::INFINITY, -1.0, f64::MIN, f64::NEG_INFINITY, 5e-324, -5e-324];
        assert_eq!(sorted(&keys.map(|key| [key])), [3, 2, 1, 7, 0, 8, 4, 5, 6]);
    }

    /// The place replaces the last bits of a key. Keys that differ only there are still sorted.
    #[test]
    fn neighbors_among_floats_are_told_apart() {
        let close = |k: i32| 1.0 + f64::from(k * 7919 % 1000) * f64::EPSILON;
        let rows: Vec<[f64; 2]> = (0..1000).map(|k| [close(k), close(3 * k)]).collect();
        assert!(sorted(&rows).iter().is_sorted_by(|&&a, &&b| rows[a][0] > rows[b][0]));
        let rows: Vec<[f64; 2]> = (0..1000).map(|k| [1.0, close(k)]).collect();
        assert!(sorted(&rows).iter().is_sorted_by(|&&a, &&b| rows[a][1] > rows[b][1]));
    }

    #[test]
    fn equal_keys_are_sorted_by_entries_whatever_the_sign_of_a_zero() {
        let value = |k: usize| [0.0, -0.0, 1.0, -1.0][k % 4];
        let rows: Vec<[f64; 3]> = (0..4000).map(|k| [value(k), value(k / 7), value(k / 31)]).collect();
        assert!(sorted(&rows).iter().is_sorted_by(|&&a, &&b| rows[a] >= rows[b]));
    }
}
