//! A sparse cover of the front: few arms, such that each arm of the front is close to one of them (Auer et
//! al. 2016, Algorithms 2 and 3).

use super::auer::{Auer, AuerConfig};
use super::gaps::excess;
use super::goal::Goal;
use super::identifier::{Identifier, IdentifierInfo};
use super::parameters::{ACCURACY, DELTA, SIGMA};
use moglb_core::{Arm, Problem};
use moglb_math::Error;
use moglb_pareto::{ArmId, Front};

pub(crate) const INFO: IdentifierInfo = IdentifierInfo {
    id: "auer-cover",
    name: "Sparse cover of the front",
    source: super::auer::INFO.source,
    setting: super::auer::INFO.setting,
    guarantee: "with probability 1 − δ every arm of the front is nowhere more than ε₀ above some arm of the \
                answer, no arm of the answer has a gap above ε₀, and each of them is somewhere at least ε₀/4 \
                above each other",
    cost: "that of Pareto front identification, then O(P²·m) after each round of the P arms it found",
    parameters: &[ACCURACY, DELTA, SIGMA],
    departures: "The source draws a graph of close arms, breaks its cycles and removes successors. Here \
                 close means proved to be within ε₀/2, and the arms kept are a quasi-kernel of the graph \
                 (Chvátal and Lovász 1974): every arm is within two steps of one of them, so within ε₀. Arms \
                 are sampled on until each pair is proved close or proved ε₀/4 apart.",
};

/// The parameters of [`AuerCover`]: those of [`Auer`].
pub type AuerCoverConfig = AuerConfig;

/// An identifier that finds the front with [`Auer`], then samples the arms of that front until it is known
/// which of them are close, and keeps few of them.
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
#[derive(Debug, Clone)]
pub struct AuerCover {
    front: Auer,
    accuracy: f64,
    /// The answer, once the identifier has stopped.
    cover: Option<Vec<usize>>,
}

/// The known relation of an ordered pair of arms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pair {
    /// The first exceeds the second by at most ε₀/2 in every objective.
    Close,
    /// The first exceeds the second by at least ε₀/4 in some objective.
    Apart,
    /// Neither is certain yet.
    Open,
}

impl AuerCover {
    /// The identifier before the first sample.
    ///
    /// # Errors
    ///
    /// As [`Auer::new`]; the accuracy must be above zero.
    pub fn new(problem: Problem, config: &AuerCoverConfig) -> Result<Self, Error> {
        let front = Auer::with(problem, config, &INFO, false)?;
        if config.accuracy == 0.0 {
            return Err(Error::Accuracy { got: config.accuracy });
        }
        Ok(Self { front, accuracy: config.accuracy, cover: None })
    }

    /// Begins a round of the arms in open pairs. If there are none, computes the answer.
    fn go_on(&mut self) {
        let round = &self.front.round;
        let mut found = self.front.accepted.clone();
        found.sort_unstable();
        let widths: Vec<f64> =
            (0..round.n_arms()).map(|arm| self.front.confidence.width(round.count(arm))).collect();
        let pair = |i: usize, j: usize| self.pair(i, j, widths[i] + widths[j]);
        let is_open = |&i: &usize| {
            found.iter().any(|&j| i != j && (pair(i, j) == Pair::Open || pair(j, i) == Pair::Open))
        };
        let open: Vec<usize> = found.iter().copied().filter(is_open).collect();
        if open.is_empty() {
            self.cover = Some(quasi_kernel(&found, |of, near| pair(near, of) == Pair::Close));
        }
        self.front.round.begin_once(open);
    }

    /// The relation of a pair, where the difference of two means may be wrong by `doubt`.
    fn pair(&self, i: usize, j: usize, doubt: f64) -> Pair {
        let middle = excess(self.front.round.mean(i), self.front.round.mean(j));
        if middle + doubt <= 0.5 * self.accuracy {
            Pair::Close
        } else if middle - doubt >= 0.25 * self.accuracy {
            Pair::Apart
        } else {
            Pair::Open
        }
    }
}

/// A quasi-kernel: vertices such that none is a successor of another, and every vertex can be reached from
/// one of them in two steps. The first pass leaves only edges from later to earlier vertices, which form no
/// cycle. The second pass removes successors, beginning with the last vertex.
fn quasi_kernel(vertices: &[usize], leads_to: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let thin = |order: &mut dyn Iterator<Item = usize>| {
        order.fold(Vec::new(), |mut kept: Vec<usize>, vertex| {
            if !kept.iter().any(|&before| leads_to(before, vertex)) {
                kept.push(vertex);
            }
            kept
        })
    };
    let acyclic = thin(&mut vertices.iter().copied());
    thin(&mut acyclic.into_iter().rev())
}

impl Identifier for AuerCover {
    fn next_arm(&self) -> Option<ArmId> {
        self.front.next_arm()
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        if self.front.is_finding() {
            self.front.learn(arm, reward)?;
            if !self.front.is_finding() {
                self.go_on();
            }
        } else if self.front.round.learn(arm, reward)? {
            self.go_on();
        }
        Ok(())
    }

    fn answer(&self) -> Front {
        match &self.cover {
            Some(arms) => arms.iter().map(|&arm| ArmId(arm)).collect(),
            None => self.front.answer(),
        }
    }

    fn samples(&self) -> u64 {
        self.front.samples()
    }

    fn goal(&self) -> Goal {
        Goal::Cover { accuracy: self.accuracy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_math::draw;

    #[test]
    fn a_quasi_kernel_is_independent_and_reaches_all_in_two_steps() {
        let mut rng = draw::seeded(61);
        for trial in 0..500 {
            let n = 1 + trial % 12;
            let density = draw::unit(&mut rng);
            let edges: Vec<Vec<bool>> =
                (0..n).map(|_| (0..n).map(|_| draw::unit(&mut rng) < density).collect()).collect();
            let vertices: Vec<usize> = (0..n).collect();
            let kernel = quasi_kernel(&vertices, |a, b| edges[a][b]);
            assert!(kernel.iter().all(|&a| kernel.iter().all(|&b| a == b || !edges[a][b])), "{edges:?}");
            let reached = |v: usize| {
                kernel.contains(&v)
                    || kernel.iter().any(|&k| edges[k][v] || (0..n).any(|w| edges[k][w] && edges[w][v]))
            };
            assert!(vertices.iter().all(|&v| reached(v)), "{edges:?}: {kernel:?}");
        }
    }

    #[test]
    fn a_cycle_of_three_keeps_one() {
        let kernel =
            quasi_kernel(&[4, 5, 6], |a, b| (a, b) == (4, 5) || (a, b) == (5, 6) || (a, b) == (6, 4));
        assert_eq!(kernel, [6]);
    }
}
