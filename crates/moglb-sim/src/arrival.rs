//! Rewards that come back late, in parts, or never.

use crate::{SimError, Streams};
use chacha20::ChaCha8Rng;
use moglb::{Arm, EchoNumber, Ledger, Policy, Problem, draw};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The way in which the rewards of an environment come back to the policy. By default a reward comes at
/// once and whole.
///
/// ```
/// use moglb_sim::Plan;
/// let plan = Plan::from_toml(r#"
///     horizon = 50
///     trials = 2
///     environments = [{ id = "paper", dim = 3, arrival = { delay = 20, law = "geometric", missing = 0.1 } }]
///     policies = [{ id = "moglb-ucb" }]
/// "#)?;
/// assert_eq!(plan.runs().len(), 1);
/// # Ok::<(), moglb_sim::SimError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Arrival {
    /// The number of rounds after which a reward comes: exact for [`DelayLaw::Fixed`], a mean for the other
    /// laws.
    pub delay: u64,
    /// The law of the delays.
    #[serde(skip_serializing_if = "is_default")]
    pub law: DelayLaw,
    /// True if each objective draws its own delay, so that the parts of a reward come at different times.
    #[serde(skip_serializing_if = "is_default")]
    pub apart: bool,
    /// The chance that a reward never comes, for all objectives or for each.
    #[serde(skip_serializing_if = "is_default")]
    pub missing: Missing,
}

/// The law of delays around their mean.
///
/// Example: [`Arrival`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DelayLaw {
    /// Every delay is equal to the mean.
    #[default]
    Fixed,
    /// In each round, a reward that is still missing comes with the same chance.
    Geometric,
    /// Every whole number of rounds from 0 to twice the mean is equally likely.
    Uniform,
}

/// Chances that a reward never comes, each between 0 and 1.
///
/// Example: [`Arrival`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Missing {
    /// One chance for all objectives. Each objective draws independently of the others.
    All(f64),
    /// One chance for each objective.
    Each(Vec<f64>),
}

impl Default for Missing {
    fn default() -> Self {
        Missing::All(0.0)
    }
}

/// Returns true if a field has its default value: it is then not written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The longest mean delay. Memory and time grow with the number of rewards on their way.
const LONGEST_DELAY_ROUNDS: u64 = 1_000_000_000;

impl Arrival {
    /// Checks that the delay is not too long and that the chances are between 0 and 1, one for all or one
    /// for each of `n_objectives`.
    ///
    /// # Errors
    ///
    /// [`SimError::Bounds`] or [`SimError::Entry`].
    pub fn check(&self, n_objectives: usize) -> Result<(), SimError> {
        if self.delay > LONGEST_DELAY_ROUNDS {
            return Err(SimError::Bounds {
                name: "delay",
                least: 0,
                most: LONGEST_DELAY_ROUNDS,
                got: self.delay,
            });
        }
        let entry = |reason: String| SimError::Entry { entry: "missing".into(), reason };
        let chances = match &self.missing {
            Missing::All(chance) => &[*chance][..],
            Missing::Each(chances) if chances.len() == n_objectives => chances,
            Missing::Each(chances) => {
                return Err(entry(format!("{} chances for {n_objectives} objectives", chances.len())));
            }
        };
        match chances.iter().find(|chance| !(0.0..=1.0).contains(*chance)) {
            Some(chance) => Err(entry(format!("must lie between 0 and 1, got {}", EchoNumber(*chance)))),
            None => Ok(()),
        }
    }

    /// The chance that the reward of an objective never comes.
    fn chance(&self, objective: usize) -> f64 {
        match &self.missing {
            Missing::All(chance) => *chance,
            Missing::Each(chances) => chances[objective],
        }
    }

    /// A delay in rounds, drawn from one uniform number `u`.
    fn draw(&self, u: f64) -> u64 {
        let mean = self.delay as f64;
        match self.law {
            DelayLaw::Fixed => self.delay,
            // P(more than k) = (mean/(1 + mean))^(k + 1).
            DelayLaw::Geometric if self.delay == 0 => 0,
            DelayLaw::Geometric => (libm::log1p(-u) / -libm::log1p(1.0 / mean)) as u64,
            DelayLaw::Uniform => (u * (2.0 * mean + 1.0)) as u64,
        }
    }
}

/// Rewards on their way to the policy.
///
/// Delays and losses depend on the trial and the round only, so they are the same for all policies.
#[derive(Debug)]
pub(crate) struct Mail {
    arrival: Arrival,
    rng: ChaCha8Rng,
    ledger: Ledger,
    /// The parts that come together, by the round after which they come and then by decision.
    on_their_way: BTreeMap<(u64, u64), Vec<Option<f64>>>,
    /// The number of deliveries that a decision still waits for.
    waiting: BTreeMap<u64, usize>,
}

impl Mail {
    /// An empty mailbox for one trial.
    pub(crate) fn new(arrival: &Arrival, streams: Streams, problem: &Problem) -> Self {
        Self {
            arrival: arrival.clone(),
            rng: streams.arrivals(),
            ledger: Ledger::new(problem.clone()),
            on_their_way: BTreeMap::new(),
            waiting: BTreeMap::new(),
        }
    }

    /// Draws when the reward of round `t` comes, part by part, and stores the parts until then.
    pub(crate) fn send(&mut self, t: u64, arm: Arm<'_>, reward: &[f64]) -> Result<(), SimError> {
        let id = self.ledger.open(arm)?;
        self.rng.set_stream(t);
        self.rng.set_word_pos(0);
        let mut delay = self.arrival.draw(draw::unit(&mut self.rng));
        let mut deliveries = 0;
        for (i, &y) in reward.iter().enumerate() {
            if i > 0 && self.arrival.apart {
                delay = self.arrival.draw(draw::unit(&mut self.rng));
            }
            if draw::unit(&mut self.rng) < self.arrival.chance(i) {
                continue;
            }
            let parts = self.on_their_way.entry((t.saturating_add(delay), id)).or_insert_with(|| {
                deliveries += 1;
                vec![None; reward.len()]
            });
            parts[i] = Some(y);
        }
        if deliveries == 0 {
            self.ledger.close(id)?;
        } else {
            self.waiting.insert(id, deliveries);
        }
        Ok(())
    }

    /// Delivers to the policy all parts that come after round `t`.
    pub(crate) fn deliver(&mut self, t: u64, policy: &mut dyn Policy) -> Result<(), SimError> {
        while let Some(entry) = self.on_their_way.first_entry().filter(|entry| entry.key().0 <= t) {
            let ((_, id), parts) = entry.remove_entry();
            self.ledger.deliver(policy, id, &parts)?;
            let left = self.waiting.get_mut(&id).map_or(0, |left| {
                *left -= 1;
                *left
            });
            if left == 0 {
                // All deliveries are done. The parts that are still missing will never come.
                self.waiting.remove(&id);
                self.ledger.close(id)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arrival with a mean delay of 20 rounds.
    fn arrival(law: DelayLaw) -> Arrival {
        Arrival { delay: 20, law, ..Arrival::default() }
    }

    /// 100 000 delays; a mean is off by five standard errors with chance 6e-7.
    #[test]
    fn delays_have_their_mean() {
        for (law, deviation) in
            [(DelayLaw::Fixed, 0.0), (DelayLaw::Geometric, 20.5), (DelayLaw::Uniform, 11.9)]
        {
            let (mut rng, n) = (draw::seeded(5), 100_000);
            let delays: Vec<u64> = (0..n).map(|_| arrival(law).draw(draw::unit(&mut rng))).collect();
            let mean = delays.iter().sum::<u64>() as f64 / f64::from(n);
            let slack = 5.0 * deviation / f64::from(n).sqrt();
            assert!((mean - 20.0).abs() <= slack, "{law:?}: {mean}");
            let none = Arrival { delay: 0, law, ..Arrival::default() };
            assert!((0..1000).all(|_| none.draw(draw::unit(&mut rng)) == 0), "{law:?}");
        }
    }

    #[test]
    fn what_is_no_chance_is_refused() {
        let with = |missing| Arrival { missing, ..Arrival::default() }.check(2);
        assert!(with(Missing::All(1.0)).is_ok());
        assert!(with(Missing::Each(vec![0.0, 0.5])).is_ok());
        for missing in [
            Missing::All(-0.1),
            Missing::All(f64::NAN),
            Missing::Each(vec![0.1]),
            Missing::Each(vec![0.1, 1.1]),
        ] {
            assert!(with(missing.clone()).is_err(), "{missing:?}");
        }
        assert!(Arrival { delay: u64::MAX, ..Arrival::default() }.check(2).is_err());
    }
}
