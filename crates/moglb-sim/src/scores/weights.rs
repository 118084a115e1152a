//! A grid of weights over the objectives.

/// Returns weight vectors that sum to one, with all entries multiples of 1/h: h is 10 for up to two
/// objectives, 4 for three, 3 for four and 2 for five to eight. Beyond that the grid has each objective
/// alone, and all with equal weights. The first weight decreases along the grid.
///
/// ```
/// assert_eq!(moglb_sim::weight_grid(2)[..2], [[1.0, 0.0], [0.9, 0.1]]);
/// assert_eq!([1, 2, 3, 4, 5, 9].map(|m| moglb_sim::weight_grid(m).len()), [1, 11, 15, 20, 15, 10]);
/// ```
pub fn weight_grid(n_objectives: usize) -> Vec<Vec<f64>> {
    let parts = match n_objectives {
        0..=2 => 10,
        3 => 4,
        4 => 3,
        5..=8 => 2,
        _ => return alone_and_alike(n_objectives),
    };
    let mut all = Vec::new();
    compose(n_objectives, parts, &mut Vec::new(), &mut all);
    let weight = |part: usize| part as f64 / parts as f64;
    all.into_iter().map(|row| row.into_iter().map(weight).collect()).collect()
}

/// Returns weights as text, such as `0.9:0.1`.
pub fn weight_words(weights: &[f64]) -> String {
    let short = |weight: &f64| {
        let text = format!("{weight:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    };
    weights.iter().map(short).collect::<Vec<String>>().join(":")
}

/// Appends to `all` every way to write `left` as a sum of `n` numbers, each after the numbers in `before`.
fn compose(n: usize, left: usize, before: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if n <= 1 {
        all.push(before.iter().copied().chain((n == 1).then_some(left)).collect());
        return;
    }
    for part in (0..=left).rev() {
        before.push(part);
        compose(n - 1, left - part, before, all);
        before.pop();
    }
}

/// Each objective alone, and all with equal weights.
fn alone_and_alike(n: usize) -> Vec<Vec<f64>> {
    let alone = |i: usize| (0..n).map(|k| f64::from(u8::from(k == i))).collect();
    (0..n).map(alone).chain([vec![1.0 / n as f64; n]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_differ_and_hold_every_objective_alone() {
        for m in 1..12 {
            let grid = weight_grid(m);
            for (k, row) in grid.iter().enumerate() {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-15 && row.len() == m, "{row:?}");
                assert!(!grid[..k].contains(row), "{row:?} is there twice");
            }
            for i in 0..m {
                assert!(grid.iter().any(|row| row[i] == 1.0), "objective {i} of {m}");
            }
        }
        assert_eq!(weight_grid(3)[..3], [[1.0, 0.0, 0.0], [0.75, 0.25, 0.0], [0.75, 0.0, 0.25]]);
    }
}
