//! Cycles of a graph: its strongly connected components of more than one node.

use std::collections::BTreeMap;

/// An arrow between two modules, with the places in the code that cause it.
#[derive(Debug, Clone)]
pub struct Arrow {
    /// The index of the module that names an item.
    pub from: usize,
    /// The index of the module that defines the item.
    pub to: usize,
    /// The places: the line in the file of `from`, and the path as it is written there.
    pub places: Vec<(usize, String)>,
}

/// A cycle: modules each of which reaches all others, and the arrows between them.
pub struct Cycle {
    /// The indices of the modules, in increasing order.
    pub modules: Vec<usize>,
    /// The arrows between these modules.
    pub arrows: Vec<Arrow>,
}

/// Returns the cycles of a graph of `n` nodes, largest first.
pub fn find(n: usize, arrows: &[Arrow]) -> Vec<Cycle> {
    let mut next = vec![Vec::new(); n];
    for arrow in arrows {
        next[arrow.from].push(arrow.to);
    }
    let mut search = Search { next, numbers: vec![0; n], lows: vec![0; n], ..Search::default() };
    for node in 0..n {
        if search.numbers[node] == 0 {
            search.visit(node);
        }
    }
    let mut parts: Vec<_> = search.parts.into_iter().filter(|part| part.len() > 1).collect();
    for part in &mut parts {
        part.sort_unstable();
    }
    parts.sort_by_key(|part| (std::cmp::Reverse(part.len()), part[0]));
    parts.into_iter().map(|modules| Cycle { arrows: inside(&modules, arrows), modules }).collect()
}

/// The arrows between some modules, whose indices are sorted.
fn inside(modules: &[usize], arrows: &[Arrow]) -> Vec<Arrow> {
    let holds = |node: usize| modules.binary_search(&node).is_ok();
    arrows.iter().filter(|arrow| holds(arrow.from) && holds(arrow.to)).cloned().collect()
}

/// The state of Tarjan's algorithm (1972) for strongly connected components.
#[derive(Default)]
struct Search {
    /// The nodes that the arrows of each node lead to.
    next: Vec<Vec<usize>>,
    /// The order in which nodes are visited, from 1; 0 before the visit.
    numbers: Vec<usize>,
    /// The smallest number on the stack that each node is known to reach.
    lows: Vec<usize>,
    /// The number of visited nodes.
    visited: usize,
    /// The visited nodes that do not belong to a finished component.
    stack: Vec<usize>,
    /// The finished components.
    parts: Vec<Vec<usize>>,
}

impl Search {
    /// Visits a node and all nodes that it reaches, and finishes their components.
    fn visit(&mut self, node: usize) {
        self.visited += 1;
        self.numbers[node] = self.visited;
        self.lows[node] = self.visited;
        self.stack.push(node);
        for to in self.next[node].clone() {
            if self.numbers[to] == 0 {
                self.visit(to);
                self.lows[node] = self.lows[node].min(self.lows[to]);
            } else if self.stack.contains(&to) {
                self.lows[node] = self.lows[node].min(self.numbers[to]);
            }
        }
        if self.lows[node] == self.numbers[node] {
            let from = self.stack.iter().position(|&other| other == node).expect("the node is on the stack");
            let part = self.stack.split_off(from);
            self.parts.push(part);
        }
    }
}

/// Joins the places of equal arrows, and sorts them by line. Each place is `from`, `to`, line and path.
pub fn join(places: impl IntoIterator<Item = (usize, usize, usize, String)>) -> Vec<Arrow> {
    let mut joined: BTreeMap<(usize, usize), Vec<(usize, String)>> = BTreeMap::new();
    for (from, to, line, path) in places {
        joined.entry((from, to)).or_default().push((line, path));
    }
    let arrow = |((from, to), mut places): ((usize, usize), Vec<(usize, String)>)| {
        places.sort();
        places.dedup_by(|a, b| a.1 == b.1);
        Arrow { from, to, places }
    };
    joined.into_iter().map(arrow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(n: usize, arrows: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let arrows = join(arrows.iter().map(|&(from, to)| (from, to, 1, String::new())));
        find(n, &arrows).into_iter().map(|cycle| cycle.modules).collect()
    }

    #[test]
    fn a_chain_has_no_cycle() {
        assert!(sizes(4, &[(0, 1), (1, 2), (0, 2), (2, 3)]).is_empty());
    }

    #[test]
    fn cycles_come_largest_first() {
        let arrows = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 2)];
        assert_eq!(sizes(6, &arrows), [vec![2, 3, 4], vec![0, 1]]);
    }

    #[test]
    fn two_cycles_that_share_a_node_are_one() {
        assert_eq!(sizes(3, &[(0, 1), (1, 0), (1, 2), (2, 1)]), [vec![0, 1, 2]]);
    }
}
