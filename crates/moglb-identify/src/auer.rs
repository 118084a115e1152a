//! Pareto front identification (Auer, Chiang, Ortner, Drugan 2016), Algorithm 1, and its control, which
//! samples every arm.

use super::confidence::Confidence;
use super::goal::Goal;
use super::identifier::{Identifier, IdentifierInfo};
use super::parameters::{
    ACCURACY, DELTA, SIGMA, check_accuracy, default_accuracy, default_delta, default_sigma,
};
use super::round::SampledArms;
use moglb_core::{Arm, Problem};
use moglb_math::Error;
use moglb_pareto::{ArmId, Front};
use serde::{Deserialize, Serialize};

pub(crate) const INFO: IdentifierInfo = IdentifierInfo {
    id: "auer",
    name: "Pareto front identification",
    source: "Auer, Chiang, Ortner, Drugan: Pareto front identification from stochastic bandit feedback, \
             AISTATS 2016",
    setting: "no contexts, one fixed arm set",
    guarantee: "with probability 1 − δ the answer has every arm of the front and no arm with a gap above ε₀, \
                after at most Σ 4320σ²/D²·log(12·K·m·σ/(δ·D)) samples, where D is the larger of ε₀ and how \
                far the arm is from changing sides",
    cost: "O(A²·m) after each round of A active arms",
    parameters: &[ACCURACY, DELTA, SIGMA],
    departures: "Stated for 1-sub-Gaussian rewards; widths are scaled by σ. Rounds in which 2β is above 1 + \
                 ε₀ are sampled without being tested, as long as several arms are active: means lie in [0, \
                 1], so that no arm could be dropped or accepted.",
};

pub(crate) const UNIFORM_INFO: IdentifierInfo = IdentifierInfo {
    id: "uniform",
    name: "Uniform sampling",
    source: "the control of this project: the rules of Pareto front identification on samples of every arm \
             in every round",
    setting: INFO.setting,
    guarantee: "that of Pareto front identification for the answer; K times the samples of the hardest arm",
    cost: INFO.cost,
    parameters: INFO.parameters,
    departures: "",
};

/// The parameters of [`Auer`].
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuerConfig {
    /// ε₀: arms of the answer have at most this gap.
    #[serde(default = "default_accuracy")]
    pub accuracy: f64,
    /// δ: the chance that the answer is wrong.
    #[serde(default = "default_delta")]
    pub delta: f64,
    /// σ of the rewards on the unit scale.
    #[serde(default = "default_sigma")]
    pub sigma: f64,
}

impl Default for AuerConfig {
    fn default() -> Self {
        Self { accuracy: default_accuracy(), delta: default_delta(), sigma: default_sigma() }
    }
}

/// The parameters of the control of [`Auer`] that samples every arm in every round. They are those of
/// [`Auer`].
pub type UniformConfig = AuerConfig;

/// An identifier that samples each active arm once in a round. Then it rejects arms that are certainly
/// dominated and accepts arms that are certainly not. It keeps sampling an accepted arm as long as an active
/// arm may be dominated by it.
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
#[derive(Debug, Clone)]
pub struct Auer {
    pub(super) round: SampledArms,
    pub(super) confidence: Confidence,
    accuracy: f64,
    /// True if every arm is sampled in every round.
    every: bool,
    /// The set A of active arms, in increasing order.
    active: Vec<usize>,
    /// The set P of accepted arms.
    pub(super) accepted: Vec<usize>,
}

impl Auer {
    /// The identifier before the first sample.
    ///
    /// # Errors
    ///
    /// [`Error::Accuracy`], [`Error::Delta`], [`Error::NotPositive`] or [`Error::ArmCountNeeded`].
    pub fn new(problem: Problem, config: &AuerConfig) -> Result<Self, Error> {
        Self::with(problem, config, &INFO, false)
    }

    /// The control: it applies the rules of [`Auer`] to samples of every arm in every round.
    ///
    /// # Errors
    ///
    /// As [`Auer::new`].
    pub fn uniform(problem: Problem, config: &UniformConfig) -> Result<Self, Error> {
        Self::with(problem, config, &UNIFORM_INFO, true)
    }

    pub(super) fn with(
        problem: Problem,
        config: &AuerConfig,
        info: &IdentifierInfo,
        every: bool,
    ) -> Result<Self, Error> {
        check_accuracy(config.accuracy)?;
        let series = problem.n_arms().unwrap_or(0).saturating_mul(problem.n_objectives());
        let confidence = Confidence::new(series, config.delta, config.sigma)?;
        let mut round = SampledArms::new(problem, info.id)?;
        let active: Vec<usize> = (0..round.n_arms()).collect();
        round.begin_once(active.iter().copied());
        Ok(Self { round, confidence, accuracy: config.accuracy, every, active, accepted: Vec::new() })
    }

    /// True if there are arms that are neither accepted nor rejected.
    pub(super) fn is_finding(&self) -> bool {
        !self.active.is_empty()
    }

    /// Applies steps 2 to 5, then begins the next round. In a round all active arms have the same number of
    /// samples, so that all widths are β and the sum of two is 2β.
    fn decide(&mut self) {
        let both = 2.0 * self.confidence.width(self.round.count(self.active[0]));
        // Means lie in [0, 1], so no comparison can be settled as long as 2β is above 1 + ε₀.
        if both <= 1.0 + self.accuracy || self.active.len() == 1 {
            self.eliminate(both);
            self.accept(both);
        }
        match (self.active.is_empty(), self.every) {
            (true, _) => self.round.begin_once([]),
            (false, true) => self.round.begin_once(0..self.round.n_arms()),
            (false, false) => self.round.begin_once(self.active.iter().copied()),
        }
    }

    /// Step 2: A₁ = {i ∈ A : m̂(i, j) ≤ β_i + β_j for all j ∈ A}.
    fn eliminate(&mut self, both: f64) {
        let mean = |arm: usize| self.round.mean(arm);
        let beaten = |i: usize, j: usize| mean(i).iter().zip(mean(j)).all(|(i, j)| j - i > both);
        let kept: Vec<usize> =
            self.active.iter().copied().filter(|&i| !self.active.iter().any(|&j| beaten(i, j))).collect();
        self.active = kept;
    }

    /// Steps 3 to 5: P₁ = {i ∈ A₁ : M̂_ε₀(i, j) ≥ β_i + β_j for all j ∈ A₁ \ i}. Of these arms P₂ = {j ∈ P₁ :
    /// no i ∈ A₁ \ P₁ has M̂_ε₀(i, j) ≤ β_i + β_j} is accepted. The other arms of P₁ stay active: they may
    /// still be needed to reject an arm i.
    fn accept(&mut self, both: f64) {
        let (round, accuracy) = (&self.round, self.accuracy);
        let pairs = |i: usize, j: usize| round.mean(i).iter().zip(round.mean(j));
        let clear = |i: usize, j: usize| pairs(i, j).any(|(i, j)| i + accuracy - j >= both);
        let close = |i: usize, j: usize| pairs(i, j).all(|(i, j)| i + accuracy - j <= both);
        let (first, rest): (Vec<usize>, Vec<usize>) =
            self.active.iter().partition(|&&i| self.active.iter().all(|&j| i == j || clear(i, j)));
        let (waiting, done): (Vec<usize>, Vec<usize>) =
            first.iter().partition(|&&j| rest.iter().any(|&i| close(i, j)));
        self.active.retain(|arm| rest.contains(arm) || waiting.contains(arm));
        self.accepted.extend(done);
    }
}

impl Identifier for Auer {
    fn next_arm(&self) -> Option<ArmId> {
        self.round.next_arm()
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        if self.round.learn(arm, reward)? {
            self.decide();
        }
        Ok(())
    }

    fn answer(&self) -> Front {
        self.accepted.iter().chain(&self.active).map(|&arm| ArmId(arm)).collect()
    }

    fn samples(&self) -> u64 {
        self.round.samples()
    }

    fn goal(&self) -> Goal {
        Goal::Front { accuracy: self.accuracy }
    }
}
