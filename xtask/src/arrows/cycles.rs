//! Cycles of a graph: its strongly connected components of more than one node.

use std::collections::BTreeMap;

/// An arrow between two modules, with the places that make it.
#[derive(Debug, Clone)]
pub struct Arrow {
    pub from: usize,
    pub to: usize,
    /// Line and path as written, in the file of `from`.
    pub places: Vec<(usize, String)>,
}

/// Modules each of which reaches all others, and the arrows between them.
pub struct Cycle {
    pub modules: Vec<usize>,
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

fn inside(modules: &[usize], arrows: &[Arrow]) -> Vec<Arrow> {
    let holds = |node: usize| modules.binary_search(&node).is_ok();
    arrows.iter().filter(|arrow| holds(arrow.from) && holds(arrow.to)).cloned().collect()
}

/// The algorithm of Tarjan (1972).
#[derive(Default)]
struct Search {
    next: Vec<Vec<usize>>,
    /// The order in which nodes are visited, from 1; 0 before the visit.
    numbers: Vec<usize>,
    lows: Vec<usize>,
    visited: usize,
    stack: Vec<usize>,
    parts: Vec<Vec<usize>>,
}

impl Search {
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

/// Joins the places of equal arrows and orders them.
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
