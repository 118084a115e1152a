//! Learned states with one objective more, or one less. The other objectives keep their learned state bit
//! for bit.

use super::local_curvature::state::EkfUcbState;
use super::moglb_eb::first_scales;
use super::moglb_eb::state::MoglbEbState;
use super::moglb_ucb::snapshot::MoglbUcbPartsState;

/// The largest possible number of projections of the remaining objectives. Projections are not counted by
/// objective.
fn possible_hits(hits: u64, rounds: u64, n_objectives: usize) -> u64 {
    hits.min(rounds * n_objectives as u64)
}

impl EkfUcbState {
    /// Adds an objective of another state.
    #[doc(hidden)]
    pub fn take_from(&mut self, other: &Self, objective: usize) {
        self.factors.push(other.factors[objective].clone());
        self.log_dets.push(other.log_dets[objective]);
        self.thetas.push(other.thetas[objective].clone());
        self.traces.push(other.traces[objective]);
    }

    /// Removes an objective.
    #[doc(hidden)]
    pub fn drop_objective(&mut self, objective: usize) {
        self.factors.remove(objective);
        self.log_dets.remove(objective);
        self.thetas.remove(objective);
        self.traces.remove(objective);
        self.projection_hits = possible_hits(self.projection_hits, self.rounds, self.thetas.len());
    }
}

impl MoglbEbState {
    /// Adds an objective of another state. Its entries in pending rewards are zero.
    #[doc(hidden)]
    pub fn take_from(&mut self, other: &Self, objective: usize, dim: usize) {
        let waiting = self.pending.chunks_exact(dim + 3 * objective);
        self.pending = waiting.flat_map(|read| read.iter().copied().chain([0.0; 3])).collect();
        self.information.push(other.information[objective].clone());
        self.moments.push(other.moments[objective].clone());
        self.squared_scores.push(other.squared_scores[objective]);
        self.weights.push(other.weights[objective]);
    }

    /// Removes an objective.
    #[doc(hidden)]
    pub fn drop_objective(&mut self, objective: usize, dim: usize, radius: f64) {
        let (stride, first) = (dim + 3 * self.weights.len(), dim + 3 * objective);
        let rest = self.pending.chunks_exact(stride);
        self.pending = rest.flat_map(|read| [&read[..first], &read[first + 3..]].concat()).collect();
        self.information.remove(objective);
        self.moments.remove(objective);
        self.squared_scores.remove(objective);
        self.weights.remove(objective);
        if self.weights.iter().all(|&weights| weights == 0.0) {
            // The scales were learned from the objective that was removed.
            (self.within, self.between) = first_scales(dim, radius);
        }
    }
}

impl MoglbUcbPartsState {
    /// Adds an objective of another state, with its own Gram matrix.
    #[doc(hidden)]
    pub fn take_from(&mut self, other: &Self, objective: usize) {
        let gram = other.grams[objective];
        self.grams.push(self.rounds.len());
        self.rounds.push(other.rounds[gram]);
        self.squared_norms.push(other.squared_norms[gram]);
        self.state.factors.push(other.state.factors[gram].clone());
        self.state.log_dets.push(other.state.log_dets[gram]);
        self.state.thetas.push(other.state.thetas[objective].clone());
        self.state.gradients.push(other.state.gradients[objective]);
    }

    /// Removes an objective, and its Gram matrix unless another objective shares it.
    #[doc(hidden)]
    pub fn drop_objective(&mut self, objective: usize) {
        let gram = self.grams.remove(objective);
        self.state.thetas.remove(objective);
        self.state.gradients.remove(objective);
        let left = self.grams.len();
        self.state.projection_hits = possible_hits(self.state.projection_hits, self.state.rounds, left);
        if self.grams.contains(&gram) {
            return;
        }
        self.grams.iter_mut().filter(|other| **other > gram).for_each(|other| *other -= 1);
        self.rounds.remove(gram);
        self.squared_norms.remove(gram);
        self.state.factors.remove(gram);
        self.state.log_dets.remove(gram);
        self.state.squared_norms = self.squared_norms[0];
    }
}
