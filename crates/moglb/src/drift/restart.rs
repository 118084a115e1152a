//! Restarts around any policy: once the rewards have changed, a new policy takes over.

use super::detector::{Detector, DetectorState};
use super::inner::{InnerConfig, InnerPolicy, keep_fixed};
use super::round::StoredRound;
use moglb_core::saved::{Saved, check_rounds, damaged, fits, saved};
use moglb_core::{
    Arm, ArmSet, Decision, Facts, Kind, LearnsBy, Model, Parameter, Policy, PolicyInfo, Problem,
};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;

const INFO: PolicyInfo = PolicyInfo {
    id: "restart",
    name: "Restart on change",
    source: "this project: any policy, restarted when a sequential likelihood ratio shows that the rewards \
             have changed",
    setting: "that of the policy inside, with coefficients that may change abruptly",
    guarantee: "none proved; false alarms measured",
    cost: "that of the policy inside, and O(m·d²) to learn",
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
            name: "level",
            kind: Kind::Number,
            default: "0.05",
            meaning: "the chance of a false alarm within 10000 rounds",
        },
        Parameter {
            name: "memory",
            kind: Kind::Count,
            default: "200",
            meaning: "the most rounds that a new policy learns at a restart: \
                      those since the estimated start of the change",
        },
    ],
};

/// The parameters of [`RestartAround`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, bound(deserialize = "C: InnerConfig + Deserialize<'de>"))]
pub struct RestartAroundConfig<C> {
    /// The policy inside.
    pub policy: Box<C>,
    /// The chance of a false alarm within 10 000 rounds.
    pub level: f64,
    /// The most rounds that a new policy learns after a change.
    pub memory: usize,
}

impl<C: InnerConfig> Default for RestartAroundConfig<C> {
    fn default() -> Self {
        Self { policy: Box::new(C::recommended()), level: 0.05, memory: 200 }
    }
}

/// A policy that starts again when the rewards have changed.
///
/// Two small models watch the rewards of each objective, independently of the policy inside. They detect a
/// change and estimate when it began. Then a new policy inside learns the rounds since the change, and takes
/// over.
pub struct RestartAround<C: InnerConfig> {
    problem: Problem,
    config: RestartAroundConfig<C>,
    rounds: u64,
    restarts: u64,
    inner: Box<C::Policy>,
    detector: Detector,
    /// The latest rounds, at most `memory` of them.
    told: VecDeque<StoredRound>,
    /// The fixed arms, if any. They are not part of the learned state.
    fixed: Option<Arc<ArmSet<'static>>>,
}

/// The learned state of a policy with restarts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RestartState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The number of restarts.
    pub restarts: u64,
    /// The state of the policy inside, as a text in JSON. A nested state could be nested deeper than a
    /// reader's stack.
    pub inner: String,
    detector: DetectorState,
    told: VecDeque<StoredRound>,
}

fits!(RestartState, |state, problem| {
    let detector = state.detector.fits(problem.dim, problem.objectives.len());
    detector && state.told.iter().all(|told| told.fits(problem))
});

impl<C: InnerConfig> RestartAround<C> {
    /// The policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`], [`Error::Parameters`] for a policy that itself has a policy inside,
    /// [`Error::TooLarge`], or an error of the policy inside.
    pub fn new(problem: Problem, config: RestartAroundConfig<C>) -> Result<Self, Error> {
        Parameter::check("level", config.level, 1e-100..=1.0)?;
        Parameter::check("memory", config.memory as f64, 0.0..=1e6)?;
        let inner = config.policy.build_inner(&problem)?;
        let detector = Detector::new(&problem, config.level)?;
        let told = VecDeque::new();
        Ok(Self { problem, config, rounds: 0, restarts: 0, inner, detector, told, fixed: None })
    }

    /// The policy inside.
    pub fn inner(&self) -> &C::Policy {
        &self.inner
    }

    /// The number of restarts.
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// Learns a reward that is already checked.
    fn take(&mut self, told: StoredRound) -> Result<(), Error> {
        // The detector learns in a copy, so that a custom link that fails leaves nothing half learned.
        let mut detector = self.detector.clone();
        told.show(&mut detector, &self.problem)?;
        match detector.alarm() {
            None => told.tell(&mut *self.inner)?,
            Some(since) => {
                let kept = (since.saturating_sub(1)).min(self.told.len() as u64) as usize;
                let rounds = self.told.range(self.told.len() - kept..).chain([&told]);
                (self.inner, detector) = self.begin_anew(rounds)?;
                self.restarts += 1;
            }
        }
        self.detector = detector;
        self.told.push_back(told);
        if self.told.len() > self.config.memory {
            self.told.pop_front();
        }
        self.rounds += 1;
        Ok(())
    }

    /// A new policy inside and a new detector, both after learning the given rounds.
    fn begin_anew<'a>(
        &self,
        rounds: impl Iterator<Item = &'a StoredRound>,
    ) -> Result<(Box<C::Policy>, Detector), Error> {
        let mut inner = self.config.policy.build_inner(&self.problem)?;
        let mut detector = Detector::new(&self.problem, self.config.level)?;
        for told in rounds {
            told.tell(&mut *inner)?;
            told.show(&mut detector, &self.problem)?;
        }
        detector.calm();
        keep_fixed(&mut *inner, self.fixed.as_ref());
        Ok((inner, detector))
    }
}

impl<C: InnerConfig> Policy for RestartAround<C> {
    forward_to_inner!();

    fn facts(&self) -> Facts {
        let inner = self.inner.facts();
        // The detector works on contexts.
        let learns_by = match inner.learns_by {
            LearnsBy::Context => LearnsBy::Context,
            LearnsBy::Arm | LearnsBy::Both => LearnsBy::Both,
        };
        Facts { learns_by, ..inner }
    }
}

impl<C: InnerConfig> Saved for RestartAround<C> {
    saved!(RestartAroundConfig<C> => RestartState);

    fn t(&self) -> u64 {
        self.rounds
    }

    fn state(&self) -> RestartState {
        RestartState {
            rounds: self.rounds,
            restarts: self.restarts,
            inner: self.inner.state_text(),
            detector: self.detector.state(),
            told: self.told.clone(),
        }
    }

    fn resume(&mut self, state: RestartState) -> Result<(), Error> {
        check_rounds(state.rounds)?;
        let kept = state.rounds.min(self.config.memory as u64);
        if state.told.len() as u64 != kept || state.restarts > state.rounds {
            return Err(damaged(&"the rounds that are kept are not the latest"));
        }
        let (mut inner, mut detector) = self.begin_anew([].iter())?;
        for told in &state.told {
            told.check(&self.problem, inner.facts().learns_parts).map_err(|error| damaged(&error))?;
        }
        inner.resume_text(&state.inner)?;
        if inner.rounds() > state.rounds {
            return Err(damaged(&"the policy inside has learned more rounds than there were"));
        }
        detector.resume(state.detector, &self.problem)?;
        // Nothing below can fail.
        (self.rounds, self.restarts, self.told) = (state.rounds, state.restarts, state.told);
        (self.inner, self.detector) = (inner, detector);
        Ok(())
    }
}
