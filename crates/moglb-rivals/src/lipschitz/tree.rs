//! A binary tree of cells over a list of arms.

use super::metric::Metric;
use moglb_core::ArmSet;
use std::ops::Range;

/// Cells of arms. Each cell is halved at the median of its widest feature, down to single arms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    /// The arms in an order in which those of a cell are contiguous.
    order: Vec<usize>,
    /// The cells. A cell comes before its halves.
    cells: Vec<Cell>,
}

/// A cell of a [`Tree`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    /// The range of its arms in the order of the tree.
    arms: Range<usize>,
    /// An upper bound of D between any two arms of the cell: D between two opposite corners of the box around
    /// them.
    pub(crate) diameter: f64,
    /// The numbers of its two halves; none if the cell has a single arm.
    pub(crate) halves: Option<[usize; 2]>,
}

impl Tree {
    /// Returns the cells of the arms under a metric.
    pub fn new(arms: &ArmSet, metric: &Metric) -> Self {
        let mut tree = Self { order: (0..arms.n_arms()).collect(), cells: Vec::new() };
        tree.split(0..arms.n_arms(), arms, metric);
        tree
    }

    /// Returns all cells. The first one has all arms, and a cell comes before its halves.
    pub(crate) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Returns the arms of a cell.
    pub fn arms(&self, cell: &Cell) -> &[usize] {
        &self.order[cell.arms.clone()]
    }

    /// Adds the cell of a range of arms and all cells below it. Returns its number.
    fn split(&mut self, range: Range<usize>, arms: &ArmSet, metric: &Metric) -> usize {
        let (low, high) = self.corners(range.clone(), arms);
        let number = self.cells.len();
        self.cells.push(Cell { arms: range.clone(), diameter: metric.distance(&low, &high), halves: None });
        if range.len() > 1 {
            let wide = |feature: usize| high[feature] - low[feature];
            let widest = (0..low.len())
                .fold(0, |best, feature| if wide(feature) > wide(best) { feature } else { best });
            let key = |&arm: &usize| arms.context(arm)[widest];
            self.order[range.clone()].sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
            let middle = range.start + range.len() / 2;
            let halves =
                [self.split(range.start..middle, arms, metric), self.split(middle..range.end, arms, metric)];
            self.cells[number].halves = Some(halves);
        }
        number
    }

    /// Returns the lowest and the highest corner of the box around the arms.
    fn corners(&self, range: Range<usize>, arms: &ArmSet) -> (Vec<f64>, Vec<f64>) {
        let (mut low, mut high) = (vec![f64::INFINITY; arms.dim()], vec![f64::NEG_INFINITY; arms.dim()]);
        for &arm in &self.order[range] {
            for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(arms.context(arm)) {
                *low = low.min(x);
                *high = high.max(x);
            }
        }
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective, Problem};

    /// The features are 0.8 and 0.1 wide. The first cell is halved along the first feature, then each half
    /// along the feature that is widest there.
    #[test]
    fn cells_are_halved_along_their_widest_feature() {
        let problem = Problem::new(2, vec![Objective::new("y", Link::Logit)]).unwrap();
        let metric = Metric::of_problem(&problem, Some(0.5)).unwrap();
        let arms = ArmSet::from_rows(&[[0.4, 0.0], [-0.4, 0.1], [0.4, 0.1], [-0.4, 0.0]]).unwrap();
        let tree = Tree::new(&arms, &metric);
        let seen: Vec<&[usize]> = tree.cells().iter().map(|cell| tree.arms(cell)).collect();
        assert_eq!(seen, [&[3, 1, 0, 2][..], &[3, 1], &[3], &[1], &[0, 2], &[0], &[2]]);
        let diameter = 0.5 * (0.64_f64 + 0.1 * 0.1).sqrt();
        assert!((tree.cells()[0].diameter - diameter).abs() < 1e-15);
        assert_eq!((tree.cells()[1].diameter, tree.cells()[2].diameter), (0.05, 0.0));
        assert_eq!((tree.cells()[0].halves, tree.cells()[6].halves), (Some([1, 4]), None));
    }

    #[test]
    fn equal_arms_get_cells_of_their_own() {
        let problem = Problem::new(1, vec![Objective::new("y", Link::Logit)]).unwrap();
        let metric = Metric::of_problem(&problem, None).unwrap();
        let tree = Tree::new(&ArmSet::from_rows(&[[0.1]; 5]).unwrap(), &metric);
        assert_eq!(tree.cells().len(), 9);
        assert!(tree.cells().iter().all(|cell| cell.diameter == 0.0));
    }
}
