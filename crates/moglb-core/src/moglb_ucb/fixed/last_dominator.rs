//! The last known dominator of each arm, its *witness*. If it still dominates, the arm is rejected in O(m).

/// Marks a missing index.
const NO_ARM: u32 = u32::MAX;

/// The last known dominator of each arm of a set.
#[derive(Debug, Clone, Default)]
pub(super) struct LastDominators {
    /// One for each arm of the set.
    seats: Vec<Slot>,
    /// The number of arms that each survivor rejected this round, as their witness.
    hits: Vec<u32>,
}

/// The entry of one arm.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// The arm that dominated this one; [`NO_ARM`] if none is known.
    witness: u32,
    /// The place of this arm among the survivors of its last round; other arms may have taken that place
    /// since.
    at: u32,
}

impl LastDominators {
    /// Begins a round with its survivors, which are fewer than 2³².
    pub fn begin(&mut self, n_arms: usize, survivors: &[usize]) {
        self.seats.resize(n_arms, Slot { witness: NO_ARM, at: NO_ARM });
        self.hits.clear();
        self.hits.resize(survivors.len(), 0);
        for (at, &arm) in (0..).zip(survivors) {
            self.seats[arm].at = at;
        }
    }

    /// Returns true if the witness of a survivor still dominates it, beyond the slack in every objective.
    /// `scores` has the scores of all survivors, end to end. Dominance is transitive: an arm that dominates
    /// a witness also dominates the arms that the witness rejects. So a witness may itself be rejected.
    #[inline(always)]
    pub(super) fn still_dominated(
        &mut self,
        survivors: &[usize],
        scores: &[f64],
        m: usize,
        at: usize,
        slack: f64,
    ) -> bool {
        let witness = self.seats[survivors[at]].witness as usize;
        let Some(seat) = self.seats.get(witness) else {
            return false;
        };
        // The slot may be from an earlier round, when the place was another arm's.
        let place = seat.at as usize;
        if survivors.get(place) != Some(&witness) {
            return false;
        }
        let (mine, theirs) = (&scores[at * m..][..m], &scores[place * m..][..m]);
        // No branch per objective, and false if a score is NaN.
        let mut ahead = true;
        for i in 0..m {
            ahead &= theirs[i] - mine[i] > slack;
        }
        self.hits[place] += u32::from(ahead);
        ahead
    }

    /// Returns the number of arms that a survivor rejected in this round, as their witness.
    pub(super) fn hits(&self, at: usize) -> u32 {
        self.hits[at]
    }

    /// Makes one arm the witness of another.
    pub(super) fn remember(&mut self, arm: usize, witness: usize) {
        self.seats[arm].witness = u32::try_from(witness).unwrap_or(NO_ARM);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArmSet, Decision, Link, MoglbUcb, MoglbUcbConfig, Norms, Objective, Policy, Problem, Width};
    use moglb_math::draw;
    use moglb_pareto::ArmId;
    use std::sync::Arc;

    const SLACK: f64 = 0.01;

    #[test]
    fn a_witness_is_believed_while_it_dominates_beyond_the_slack() {
        let mut witnesses = LastDominators::default();
        let survivors = [3, 5, 8];
        let mut speaks = |scores: [f64; 6]| {
            witnesses.begin(9, &survivors);
            witnesses.remember(5, 8);
            (witnesses.still_dominated(&survivors, &scores, 2, 1, SLACK), witnesses.hits(2))
        };
        assert_eq!(speaks([0.0, 0.0, 1.0, 2.0, 1.02, 2.02]), (true, 1));
        assert_eq!(speaks([0.0, 0.0, 1.0, 2.0, 1.02, 2.005]), (false, 0), "too close to tell");
        assert_eq!(speaks([0.0, 0.0, 1.0, 2.0, 1.02, 1.9]), (false, 0), "no longer");
        assert_eq!(speaks([0.0, 0.0, 1.0, 2.0, f64::NAN, 3.0]), (false, 0), "no number");
        assert_eq!(speaks([9.0, 9.0, 1.0, 2.0, 0.0, 0.0]), (false, 0), "another arm dominates");
    }

    #[test]
    fn a_witness_that_is_gone_is_not_asked() {
        let mut witnesses = LastDominators::default();
        witnesses.begin(9, &[3, 5, 8]);
        witnesses.remember(5, 8);
        // At the place of the witness, there is another arm now, or none.
        for survivors in [&[2, 5, 7][..], &[2, 5]] {
            witnesses.begin(9, survivors);
            let scores = [0.0, 0.0, 1.0, 1.0, 5.0, 5.0];
            assert!(!witnesses.still_dominated(survivors, &scores[..2 * survivors.len()], 2, 1, SLACK));
        }
    }

    /// Arms with scores near each other, so that the pivots leave many survivors.
    #[test]
    fn fronts_are_exact_while_witnesses_speak() {
        let mut rng = draw::seeded(29);
        let objectives = (0..3).map(|i| Objective::new(format!("o{i}"), Link::Logit)).collect();
        let config = MoglbUcbConfig { width: Width::Tuned { c: 0.1 }, ..Default::default() };
        let mut policy = MoglbUcb::new(Problem::new(5, objectives).unwrap(), config).unwrap();
        let contexts: Vec<f64> = (0..1500 * 5).map(|_| draw::normal(&mut rng)).collect();
        let arms = Arc::new(ArmSet::new(5, contexts, Norms::Clip).unwrap());
        // The same policy on arms that are not fixed, with tables of all scores.
        let mut obvious = policy.clone();
        policy.fix_arms(&arms).unwrap();
        let (mut hits, mut decision) = (0, Decision::default());
        for _ in 0..300 {
            let arm = arms.arm(ArmId(draw::below(1500, &mut rng)));
            let reward: Vec<f64> = (0..3).map(|_| draw::below(2, &mut rng) as f64).collect();
            policy.learn(arm, &reward).unwrap();
            obvious.learn(arm, &reward).unwrap();
            obvious.decide_into(&arms, &mut rng, &mut decision).unwrap();
            let fixed = policy.fixed.as_ref().unwrap();
            assert_eq!(fixed.front, decision.front);
            hits += fixed.work.survivors_front.witnesses.hits.iter().sum::<u32>();
        }
        assert!(hits > 1000, "{hits} arms rejected by a witness");
    }
}
