//! Products of pairs of columns.

use moglb_math::Error;

/// The number of products. Refuses columns that do not exist and columns that are named twice in a group.
pub(super) fn check(n_columns: usize, left: &[usize], right: Option<&[usize]>) -> Result<usize, Error> {
    check_group(n_columns, left)?;
    let n = left.len();
    match right {
        None if n < 2 => Err(Error::Parameters { what: "a group of interactions needs two columns" }),
        None => Ok(n * (n - 1) / 2),
        Some(right) => {
            check_group(n_columns, right)?;
            n.checked_mul(right.len()).ok_or(Error::TooLarge { rows: n, columns: right.len() })
        }
    }
}

fn check_group(n_columns: usize, group: &[usize]) -> Result<(), Error> {
    let mut sorted = group.to_vec();
    sorted.sort_unstable();
    if let Some(&column) = sorted.last().filter(|&&column| column >= n_columns) {
        return Err(Error::Column { row: 0, column, n_columns });
    }
    if group.is_empty() || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Error::Parameters { what: "interactions are of groups of columns, each named once" });
    }
    Ok(())
}

/// Appends the products that are not zero, with columns counted from `first`, and returns the number of
/// product columns.
pub(super) fn append(
    first: usize,
    left: &[usize],
    right: Option<&[usize]>,
    entries: &mut Vec<(usize, f64)>,
) -> Result<usize, Error> {
    let left_stored = stored(left, entries);
    let (n, before) = (left.len(), entries.len());
    let n_products = match right {
        Some(right) => {
            let right_stored = stored(right, entries);
            for &(i, a) in &left_stored {
                entries.extend(right_stored.iter().map(|&(j, b)| (first + i * right.len() + j, a * b)));
            }
            n * right.len()
        }
        None => {
            for (k, &(i, a)) in left_stored.iter().enumerate() {
                // Pairs that begin with an earlier column come first: n − 1, n − 2, …
                let row = first + i * (2 * n - i - 1) / 2;
                entries.extend(left_stored[k + 1..].iter().map(|&(j, b)| (row + j - i - 1, a * b)));
            }
            n * (n - 1) / 2
        }
    };
    match entries[before..].iter().find(|(_, product)| !product.is_finite()) {
        Some(&(column, value)) => {
            Err(Error::NotFinite { what: "a product of features", index: column, value })
        }
        None => Ok(n_products),
    }
}

/// The positions in a group whose columns are not zero, with the values of these columns. Entries ascend by
/// column.
fn stored(group: &[usize], entries: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let value = |column: usize| entries.binary_search_by_key(&column, |entry| entry.0).ok();
    group.iter().enumerate().filter_map(|(k, &column)| Some((k, entries[value(column)?].1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_a_column_of_its_own() {
        let row = [(0, 2.0), (1, 3.0), (3, 5.0)];
        let mut entries = row.to_vec();
        assert_eq!(append(4, &[0, 2, 1], Some(&[3, 0]), &mut entries), Ok(6));
        assert_eq!(entries[3..], [(4, 10.0), (5, 4.0), (8, 15.0), (9, 6.0)]);
        let mut entries = row.to_vec();
        assert_eq!(append(4, &[0, 1, 2, 3], None, &mut entries), Ok(6));
        // (0,1) (0,2) (0,3) (1,2) (1,3) (2,3)
        assert_eq!(entries[3..], [(4, 6.0), (6, 10.0), (8, 15.0)]);
    }

    #[test]
    fn impossible_groups_and_products_are_refused() {
        assert_eq!(check(3, &[0, 3], None), Err(Error::Column { row: 0, column: 3, n_columns: 3 }));
        assert!(matches!(check(3, &[0, 0], None), Err(Error::Parameters { .. })));
        assert!(matches!(check(3, &[0], None), Err(Error::Parameters { .. })));
        assert!(matches!(check(3, &[0], Some(&[])), Err(Error::Parameters { .. })));
        let mut entries = vec![(0, 1e200), (1, 1e200)];
        assert!(matches!(append(2, &[0, 1], None, &mut entries), Err(Error::NotFinite { index: 2, .. })));
    }
}
