//! GEGE: G-optimal empirical gap elimination (Kone, Kaufmann, Richert 2025), for linear and
//! generalized linear rewards.

use super::design::{Design, Span};
use super::fit;
use super::gaps::Gaps;
use super::goal::Goal;
use super::identifier::{Identifier, IdentifierInfo};
use super::parameters::{
    DELTA, SIGMA, check_accuracy, check_delta, check_positive, default_accuracy, default_delta, default_sigma,
};
use super::round::SampledArms;
use libm::log;
use moglb_core::{Arm, ArmSet, Kind, Parameter, Problem};
use moglb_math::{Error, Matrix, Rows};
use moglb_pareto::{ArmId, Front};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

const SOURCE: &str =
    "Kone, Kaufmann, Richert: Bandit Pareto set identification in a multi-output linear model, AISTATS 2025";
const SETTING: &str = "contexts, (generalized) linear rewards, one fixed arm set";
const COST: &str = "after each round an optimal design, O(A·h² + h³) a step, and O(A²·m) for gaps; O(m) for \
                    a sample in between";

pub(crate) const INFO: IdentifierInfo = IdentifierInfo {
    id: "gege",
    name: "GEGE",
    source: SOURCE,
    setting: SETTING,
    guarantee: "with probability 1 − δ the answer is the front, or with ε₀ > 0 has every arm of it and no \
                arm with a gap above ε₀: proved for identity links; for others as far as maximum likelihood \
                has the variance of its limit",
    cost: COST,
    parameters: &[
        Parameter {
            name: "accuracy",
            kind: Kind::Number,
            default: "0.05",
            meaning: "ε₀: sampling stops when gaps below it are all that is open; with 0 only the front \
                      itself will do",
        },
        DELTA,
        SIGMA,
        Parameter {
            name: "scale",
            kind: Kind::Number,
            default: "1",
            meaning: "factor of the number of samples that theory asks for; below 1 nothing is proved",
        },
    ],
    departures: "The accuracy is an addition. Rounds have 32σ²·v/ε_r²·log(2·m·A/δ_r) samples, where v is the \
                 largest variance of the design found, within 0.1 % of h. For other than identity links \
                 coefficients come from maximum likelihood, σ is replaced by σ·L/κ, and gaps are those of \
                 means.",
};

pub(crate) const BUDGET_INFO: IdentifierInfo = IdentifierInfo {
    id: "gege-budget",
    name: "GEGE, fixed budget",
    source: SOURCE,
    setting: SETTING,
    guarantee: "the chance that the answer is not the front falls exponentially with the budget (linear \
                rewards)",
    cost: COST,
    parameters: &[Parameter {
        name: "budget",
        kind: Kind::Count,
        default: "none",
        meaning: "the most samples that may be taken, in all rounds together",
    }],
    departures: "Samples of a round are rounded up from what is left after one for each arm of the design. \
                 For other than identity links coefficients come from maximum likelihood, and gaps are those \
                 of means.",
};

/// The parameters of [`Gege`].
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GegeConfig {
    /// ε₀: arms whose gap is below it need not be decided.
    #[serde(default = "default_accuracy")]
    pub accuracy: f64,
    /// δ: the chance that the answer is wrong.
    #[serde(default = "default_delta")]
    pub delta: f64,
    /// σ of the rewards on the unit scale.
    #[serde(default = "default_sigma")]
    pub sigma: f64,
    /// A factor of the number of samples. Nothing is proved below 1.
    #[serde(default = "one")]
    pub scale: f64,
}

/// The default of `scale`.
fn one() -> f64 {
    1.0
}

impl Default for GegeConfig {
    fn default() -> Self {
        Self { accuracy: default_accuracy(), delta: default_delta(), sigma: default_sigma(), scale: one() }
    }
}

/// The parameters of [`GegeBudget`].
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GegeBudgetConfig {
    /// The most samples that may be taken, in all rounds together.
    pub budget: u64,
}

/// An identifier with rounds of optimal design and samples for ever smaller gaps, until every arm is known to
/// be on or off the front.
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
#[derive(Debug, Clone)]
pub struct Gege {
    rounds: DesignRounds,
    config: GegeConfig,
    /// The number r of the round, from 1.
    number: i32,
}

impl Gege {
    /// The identifier before the first sample.
    ///
    /// # Errors
    ///
    /// [`Error::Accuracy`], [`Error::Delta`], [`Error::NotPositive`], or arms that do not fit the problem.
    pub fn new(problem: Problem, arms: &ArmSet<'_>, config: &GegeConfig) -> Result<Self, Error> {
        check_accuracy(config.accuracy)?;
        check_delta(config.delta)?;
        check_positive("sigma", config.sigma)?;
        check_positive("scale", config.scale)?;
        let mut gege =
            Self { rounds: DesignRounds::new(problem, arms, INFO.id)?, config: config.clone(), number: 1 };
        gege.begin();
        Ok(gege)
    }

    /// ε_r = 2⁻ʳ/2.
    fn threshold(&self) -> f64 {
        0.5 * libm::ldexp(1.0, -self.number)
    }

    /// Begins the next round, if there are arms left to decide.
    fn begin(&mut self) {
        if let Some(design) = self.rounds.design() {
            let n = self.round_size(design.variance);
            self.rounds.begin(&design, n);
        }
    }

    /// T_r, the number of samples of a round. With this many samples every mean is within ε_r/4 of its
    /// estimate, with probability 1 − δ_r, δ_r = 6δ/(π²r²). An estimate is wrong by more with chance
    /// 2·exp(−(ε_r/4)²·T/(2σ²v)).
    fn round_size(&self, variance: f64) -> f64 {
        let problem = self.rounds.round.problem();
        let spread = |constants: &moglb_core::LinkConstants| constants.lipschitz / constants.kappa;
        let sigma = self.config.sigma * problem.constants().iter().map(spread).fold(0.0, f64::max);
        let (r, threshold) = (f64::from(self.number), self.threshold());
        let delta = 6.0 * self.config.delta / (PI * PI * r * r);
        let events = 2.0 * (problem.n_objectives() * self.rounds.active.len()) as f64;
        self.config.scale * 32.0 * sigma * sigma * variance / (threshold * threshold) * log(events / delta)
    }

    /// Accepts arms that are on the front with a gap of at least ε_r, rejects arms that are off it by at
    /// least half of that.
    fn finish_round(&mut self) {
        let (gaps, threshold) = (self.rounds.gaps(), self.threshold());
        let is_on = |k: usize| gaps.front.contains(ArmId(k));
        let settled = |k: usize| gaps.gaps[k] >= if is_on(k) { threshold } else { 0.5 * threshold };
        self.rounds.settle(settled, is_on);
        self.number += 1;
        if threshold <= self.config.accuracy {
            self.rounds.stop();
        } else {
            self.begin();
        }
    }
}

/// An identifier with rounds of optimal design that have an equal share of the budget each. Each round
/// decides the arms that are easiest to decide.
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
#[derive(Debug, Clone)]
pub struct GegeBudget {
    rounds: DesignRounds,
    /// The dimension h of the span of all contexts.
    dim: usize,
    /// The samples of a round.
    per_round: u64,
    /// The number r of the round, from 1.
    number: u32,
    /// The number of the last round.
    last: u32,
}

impl GegeBudget {
    /// The identifier before the first sample.
    ///
    /// # Errors
    ///
    /// [`Error::Budget`], or arms that do not fit the problem.
    pub fn new(problem: Problem, arms: &ArmSet<'_>, config: &GegeBudgetConfig) -> Result<Self, Error> {
        let mut rounds = DesignRounds::new(problem, arms, BUDGET_INFO.id)?;
        let design = rounds.design();
        let dim = rounds.span.dim();
        // ⌈log₂ h⌉, and at least one.
        let last = dim.next_power_of_two().trailing_zeros().max(1);
        // For each arm of the largest design, which is the first: one sample for rounding up, and one to
        // learn from.
        let least = u64::from(last) * 2 * design.as_ref().map_or(0, Design::support) as u64;
        if config.budget < least {
            return Err(Error::Budget { least, got: config.budget });
        }
        let mut gege = Self { rounds, dim, per_round: config.budget / u64::from(last), number: 1, last };
        gege.begin(design);
        Ok(gege)
    }

    /// Begins a round with this design, if there is one.
    fn begin(&mut self, design: Option<Design>) {
        if let Some(design) = design {
            let n = self.per_round - design.support() as u64;
            self.rounds.begin(&design, n as f64);
        }
    }

    /// Keeps the ⌈h/2ʳ⌉ arms with the smallest gaps. Of arms with equal gaps, those off the front are
    /// rejected first: an arm that dominates only one other arm has the same gap as that arm.
    fn finish_round(&mut self) {
        let gaps = self.rounds.gaps();
        let is_on = |k: usize| gaps.front.contains(ArmId(k));
        let mut order: Vec<usize> = (0..gaps.gaps.len()).collect();
        order.sort_by(|&a, &b| gaps.gaps[a].total_cmp(&gaps.gaps[b]).then(is_on(b).cmp(&is_on(a))));
        let kept = &order[..order.len().min(self.dim.div_ceil(1 << self.number))];
        self.rounds.settle(|k| !kept.contains(&k), is_on);
        self.number += 1;
        if self.number > self.last {
            self.rounds.stop();
        } else {
            let design = self.rounds.design();
            self.begin(design);
        }
    }
}

/// The state that both identifiers share: active arms, their span and design, and the samples of a round.
#[derive(Debug, Clone)]
struct DesignRounds {
    round: SampledArms,
    contexts: Matrix,
    active: Vec<usize>,
    accepted: Vec<usize>,
    /// The span of the contexts of the active arms.
    span: Span,
}

impl DesignRounds {
    fn new(problem: Problem, arms: &ArmSet<'_>, id: &'static str) -> Result<Self, Error> {
        problem.check_arms(arms)?;
        let contexts: Vec<f64> = arms.iter().flat_map(|arm| arm.context().iter().copied()).collect();
        let contexts = Matrix::new(arms.dim(), contexts)?;
        let span = Span::new(Rows::from(&contexts));
        let active = (0..arms.n_arms()).collect();
        Ok(Self { round: SampledArms::new(problem, id)?, contexts, active, accepted: Vec::new(), span })
    }

    /// The design for the active arms. None if nothing can be decided: there is one arm, or all contexts are
    /// zero and thus equal.
    fn design(&mut self) -> Option<Design> {
        let rows: Vec<&[f64]> = self.active.iter().map(|&arm| self.contexts.row(arm)).collect();
        self.round.begin([]);
        if rows.len() < 2 {
            return None;
        }
        self.span = Span::new((&Matrix::from_rows(&rows).expect("rows of d")).into());
        (self.span.dim() > 0).then(|| Design::new(&self.span))
    }

    fn begin(&mut self, design: &Design, n: f64) {
        let arms = self.active.iter().map(|&arm| ArmId(arm));
        self.round.begin_afresh(arms.zip(design.pulls(n)));
    }

    fn gaps(&self) -> Gaps {
        Gaps::new((&fit::means(&self.span, &self.active, &self.round)).into())
    }

    /// Removes settled arms, given by their positions among the active ones; those on the front are accepted.
    fn settle(&mut self, settled: impl Fn(usize) -> bool, is_on: impl Fn(usize) -> bool) {
        let active = std::mem::take(&mut self.active);
        for (k, arm) in active.into_iter().enumerate() {
            if !settled(k) {
                self.active.push(arm);
            } else if is_on(k) {
                self.accepted.push(arm);
            }
        }
    }

    fn stop(&mut self) {
        self.round.begin([]);
    }

    fn answer(&self) -> Front {
        self.accepted.iter().chain(&self.active).map(|&arm| ArmId(arm)).collect()
    }
}

impl Identifier for Gege {
    fn next_arm(&self) -> Option<ArmId> {
        self.rounds.round.next_arm()
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        if self.rounds.round.learn(arm, reward)? {
            self.finish_round();
        }
        Ok(())
    }

    fn answer(&self) -> Front {
        self.rounds.answer()
    }

    fn samples(&self) -> u64 {
        self.rounds.round.samples()
    }

    fn goal(&self) -> Goal {
        Goal::Front { accuracy: self.config.accuracy }
    }
}

impl Identifier for GegeBudget {
    fn next_arm(&self) -> Option<ArmId> {
        self.rounds.round.next_arm()
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        if self.rounds.round.learn(arm, reward)? {
            self.finish_round();
        }
        Ok(())
    }

    fn answer(&self) -> Front {
        self.rounds.answer()
    }

    fn samples(&self) -> u64 {
        self.rounds.round.samples()
    }

    fn goal(&self) -> Goal {
        Goal::Front { accuracy: 0.0 }
    }
}
