//! A sliding window around any policy. Every now and then a new policy learns the last rounds, and takes
//! over.

use super::inner::{InnerConfig, InnerPolicy, keep_fixed};
use super::round::StoredRound;
use moglb_core::saved::{Saved, check_rounds, damaged, fits, saved};
use moglb_core::{Arm, ArmSet, Decision, Facts, Kind, Model, Parameter, Policy, PolicyInfo, Problem};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;

const INFO: PolicyInfo = PolicyInfo {
    id: "window",
    name: "Sliding window",
    source: "this project: any policy, learning from the last rounds only (after SW-LinUCB: Cheung, \
             Simchi-Levi, Zhu, AISTATS 2019)",
    setting: "that of the policy inside, with coefficients that drift",
    guarantee: "none proved",
    cost: "on average nine times that of learning with the policy inside, most of it in every (window/8)-th \
           round",
    has_front: true,
    departures: "",
    parameters: &[
        Parameter {
            name: "policy",
            kind: Kind::Policy,
            default: r#"{ id = "moglb-eb" }"#,
            meaning: "the policy inside, by its id and with its parameters; \
                      not one that has a policy inside itself",
        },
        Parameter {
            name: "window",
            kind: Kind::Count,
            default: "1000",
            meaning: "the number of rounds that are kept; up to an eighth more between refits",
        },
    ],
};

/// The parameters of [`WindowAround`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, bound(deserialize = "C: InnerConfig + Deserialize<'de>"))]
pub struct WindowAroundConfig<C> {
    /// The policy inside.
    pub policy: Box<C>,
    /// The number of rounds that are remembered; up to an eighth more between refits.
    pub window: usize,
}

impl<C: InnerConfig> Default for WindowAroundConfig<C> {
    fn default() -> Self {
        Self { policy: Box::new(C::recommended()), window: 1000 }
    }
}

/// Between two refits there are `window` divided by this number rounds.
const PARTS: usize = 8;

/// The bounds of a window. A longer one would keep almost all rounds and hardly be a window.
const BOUNDS: std::ops::RangeInclusive<f64> = 8.0..=1e6;

/// A policy that remembers the last `window` rounds and up to an eighth more.
///
/// The policy inside is always the one that results from learning these rounds in their order. It learns on
/// from round to round. Once it has learned an eighth more than the window, a new policy learns the window
/// and takes its place. So the state of the window is its rounds.
pub struct WindowAround<C: InnerConfig> {
    problem: Problem,
    config: WindowAroundConfig<C>,
    rounds: u64,
    /// The rounds that the policy inside has learned.
    told: VecDeque<StoredRound>,
    inner: Box<C::Policy>,
    /// The fixed arms, if any. They are not part of the learned state.
    fixed: Option<Arc<ArmSet<'static>>>,
}

/// The learned state of a sliding window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The rounds that the policy inside has learned, in order.
    pub told: VecDeque<StoredRound>,
}

fits!(WindowState, |state, problem| state.told.iter().all(|told| told.fits(problem)));

impl<C: InnerConfig> WindowAround<C> {
    /// The policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`], [`Error::Parameters`] for a policy that itself has a policy inside, or an
    /// error of the policy inside.
    pub fn new(problem: Problem, config: WindowAroundConfig<C>) -> Result<Self, Error> {
        Parameter::check("window", config.window as f64, BOUNDS)?;
        let inner = config.policy.build_inner(&problem)?;
        Ok(Self { problem, config, rounds: 0, told: VecDeque::new(), inner, fixed: None })
    }

    /// The policy inside.
    pub fn inner(&self) -> &C::Policy {
        &self.inner
    }

    /// The most rounds that the policy inside may have learned.
    fn most(&self) -> usize {
        self.config.window + self.config.window / PARTS
    }

    /// A new policy inside, after learning the given rounds.
    fn refit<'a>(&self, rounds: impl Iterator<Item = &'a StoredRound>) -> Result<Box<C::Policy>, Error> {
        let mut fresh = self.config.policy.build_inner(&self.problem)?;
        for told in rounds {
            told.tell(&mut *fresh)?;
        }
        keep_fixed(&mut *fresh, self.fixed.as_ref());
        Ok(fresh)
    }

    /// Learns a reward that is already checked.
    fn take(&mut self, told: StoredRound) -> Result<(), Error> {
        let known = self.told.len() + 1;
        if known > self.most() {
            let forgotten = known - self.config.window;
            self.inner = self.refit(self.told.iter().skip(forgotten).chain([&told]))?;
            self.told.drain(..forgotten);
        } else {
            told.tell(&mut *self.inner)?;
        }
        self.told.push_back(told);
        self.rounds += 1;
        Ok(())
    }
}

impl<C: InnerConfig> Policy for WindowAround<C> {
    forward_to_inner!();

    fn facts(&self) -> Facts {
        self.inner.facts()
    }
}

impl<C: InnerConfig> Saved for WindowAround<C> {
    saved!(WindowAroundConfig<C> => WindowState);

    fn t(&self) -> u64 {
        self.rounds
    }

    fn state(&self) -> WindowState {
        WindowState { rounds: self.rounds, told: self.told.clone() }
    }

    fn resume(&mut self, state: WindowState) -> Result<(), Error> {
        let WindowState { rounds, told } = state;
        check_rounds(rounds)?;
        let known = told.len() as u64;
        let forgotten = rounds.checked_sub(known).ok_or_else(|| damaged(&"more rounds than were learned"))?;
        if told.len() > self.most() || (forgotten > 0 && told.len() < self.config.window) {
            return Err(damaged(&"the rounds are more or less than a window"));
        }
        let inner = self.refit(told.iter()).map_err(|error| damaged(&error))?;
        if inner.rounds() != known {
            return Err(damaged(&"a round without a reward"));
        }
        // Nothing below can fail.
        (self.rounds, self.told, self.inner) = (rounds, told, inner);
        Ok(())
    }
}
