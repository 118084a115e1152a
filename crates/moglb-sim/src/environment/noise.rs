//! The noise of rewards, paired across policies.

use super::stage::{Environment, RewardLaw, Stage};
use crate::{SimError, Streams};
use chacha20::ChaCha8Rng;
use moglb::{ArmId, Problem, Rng, draw};

/// The noise of rewards, paired across policies.
///
/// With fixed arms the n-th pull of an arm receives the same random numbers under every policy. With fresh
/// arms the random numbers belong to the round and the arm.
///
/// Example: [`play`].
///
/// [`play`]: crate::play()
#[derive(Debug)]
pub struct Noise {
    streams: Streams,
    /// The stream for fresh arms, positioned by round and arm.
    by_round: ChaCha8Rng,
    /// The stream of each fixed arm, made at its first pull.
    by_arm: Vec<Option<ChaCha8Rng>>,
    fixed: bool,
    n_objectives: usize,
    law: RewardLaw,
}

impl Noise {
    /// Makes the noise of a trial.
    ///
    /// # Errors
    ///
    /// As [`Environment::stage`].
    pub fn new(streams: Streams, environment: &dyn Environment) -> Result<Self, SimError> {
        let fixed = environment.has_fixed_arms();
        let n_arms = if fixed { environment.stage(1)?.arms.n_arms() } else { 0 };
        let n_objectives = environment.problem().n_objectives();
        let by_arm = std::iter::repeat_with(|| None).take(n_arms).collect();
        let (by_round, law) = (streams.rewards(), environment.reward_law());
        Ok(Self { streams, by_round, by_arm, fixed, n_objectives, law })
    }

    /// Draws the reward vector for playing an arm in round `t`.
    pub fn pull(&mut self, problem: &Problem, stage: &Stage, arm: ArmId, t: u64, reward_out: &mut Vec<f64>) {
        let (means, law) = (stage.means.row(arm.0), self.law);
        let rng = self.stream(arm, t);
        reward_out.clear();
        for (objective, &mean) in problem.objectives().iter().zip(means) {
            reward_out.push(law.draw(objective, mean, draw::unit(rng)));
        }
    }

    /// The random numbers for an arm in round `t`.
    fn stream(&mut self, arm: ArmId, t: u64) -> &mut dyn Rng {
        if self.fixed {
            let streams = self.streams;
            return self.by_arm[arm.0].get_or_insert_with(|| {
                let mut own = streams.rewards();
                own.set_stream(arm.0 as u64);
                own
            });
        }
        self.by_round.set_stream(t);
        self.by_round.set_word_pos(2 * (arm.0 * self.n_objectives) as u128);
        &mut self.by_round
    }
}
