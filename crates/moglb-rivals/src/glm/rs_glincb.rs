//! RS-GLinCB: rare switches of policy, and a warm-up that frees the other rounds of κ (Sawarni, Das,
//! Barman, Sinha 2024).
//!
//! With g = √(d log(T/δ)), γ = 25RS·g, λ = g²/R² and κ = 1/min μ′, there are two kinds of rounds:
//!
//! ```text
//! warm-up, if some ‖x‖²_{V⁻¹} ≥ 1/(γ²κR²):
//!           play the arm with the largest ‖x‖_{V⁻¹}; V ← V + xxᵀ,
//!           θ_o = regularized maximum likelihood of these rounds
//! else:     keep the arms with xᵀθ_o + γ√κ‖x‖_{V⁻¹} ≥ the largest xᵀθ_o − γ√κ‖x‖_{V⁻¹};
//!           of them play the largest xᵀθ_τ + 150g·‖x‖_{H_τ⁻¹}; H ← H + μ′(xᵀθ_o)/e · xxᵀ
//! ```
//!
//! H_τ and θ_τ, the constrained maximum likelihood of the other rounds, are renewed when det H has
//! doubled. The norm of the played arm alone shows the kind of the round: in a warm-up it is the largest
//! norm, and otherwise no norm reaches the threshold.

use crate::glm::glm_target::GlmTarget;
use crate::glm::likelihood::{self, Law};
use crate::glm::records::{Records, RecordsState};
use crate::glm::{WIDEST, check_common};
use crate::ridge::dot;
use crate::traced_gram::{TracedGram, TracedGramState};
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::estimate::Estimate;
use moglb_core::saved::{Saved, SavedPart, check_rounds, damaged, fits, saved};
use moglb_core::{Arm, ArmSet, Decision, Parameter, Policy, Problem, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::f64::consts::{E, LN_2};

policy! {
    id: "rs-glincb",
    name: "RS-GLinCB",
    source: "Sawarni, Das, Barman, Sinha: Generalized linear bandits with limited adaptivity, NeurIPS 2024",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum",
    guarantee: "regret Õ(d√T) free of κ in its leading term, with Õ(log² T) switches, with probability 1 − δ \
                where the model holds; no front",
    cost: "O(K·d²) to decide, O(d²) to learn; in warm-up rounds and at switches a few Newton steps of O(n·d² \
           + d³) to learn; O(n·d + d²) memory; n is K on fixed arms and t on fresh ones",
    departures: "R is the length of the interval of rewards, and the scale multiplies γ (also in the \
                 threshold of the warm-up) and the factor 150. The constrained maximum likelihood is over \
                 the ball of radius S and keeps the ridge λ, which is clamped to [1e-6, 1e100]. For probit \
                 the quasi-likelihood replaces the likelihood. Constants are from published code and \
                 summaries. Ties are broken uniformly at random.",
    parameters: struct RsGlincbConfig of RsGlincb {
        target: Target = Target::default() => "0", meaning!(glm_target);
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        horizon: u64 = 3000, "T in the width; after T rounds the policy continues with the same width";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// RS-GLinCB on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{draw, ArmSet, Link, Objective, Policy, Problem, RsGlincb, RsGlincbConfig};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = RsGlincb::new(problem, RsGlincbConfig { scale: 0.01, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RsGlincb {
    problem: Problem,
    config: RsGlincbConfig,
    model: GlmTarget,
    /// λ = d log(T/δ)/R².
    lambda: f64,
    /// The rounds of the warm-up: their records, V and θ_o.
    warm: SomeRounds,
    /// The other rounds: their records, H and θ_τ.
    rest: SomeRounds,
    /// H_τ: the H of the last switch.
    held: TracedGram,
    /// The number of switches.
    switches: u64,
}

/// The rounds of one kind: the warm-up, or the others.
#[derive(Debug, Clone)]
struct SomeRounds {
    rounds: u64,
    records: Records,
    /// V or H.
    design: TracedGram,
    /// θ_o or θ_τ.
    theta: Vec<f64>,
}

/// The serialized form of the rounds of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The contexts, with the count and the sum of the rewards of each.
    pub records: RecordsState,
    /// V or H.
    pub design: TracedGramState,
    /// θ_o or θ_τ, in the orientation in which larger is better.
    pub theta: Vec<f64>,
}

/// The learned state of RS-GLinCB. On fixed arms its size does not depend on t.
///
/// Example: [`RsGlincb`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RsGlincbState {
    /// The rounds of the warm-up.
    pub warm: PartState,
    /// The other rounds.
    pub rest: PartState,
    /// H_τ.
    pub held: TracedGramState,
    /// The number of times that θ_τ was renewed.
    pub switches: u64,
}

fits!(RsGlincbState, |state, problem| {
    let designs = [&state.held, &state.warm.design, &state.rest.design];
    let fits = |part: &PartState| part.records.fits(problem.dim) && part.theta.len() == problem.dim;
    designs.iter().all(|design| design.fits(problem.dim)) && fits(&state.warm) && fits(&state.rest)
});

impl SomeRounds {
    /// Creates the state before the first round.
    fn new(dim: usize, lambda: f64) -> Self {
        Self {
            rounds: 0,
            records: Records::new(dim),
            design: TracedGram::new(dim, lambda),
            theta: vec![0.0; dim],
        }
    }

    /// Returns the maximum of the likelihood with a ridge of λ, over a ball if `ball` has a radius.
    fn fit(&self, model: &GlmTarget, lambda: f64, ball: Option<f64>) -> Result<Vec<f64>, Error> {
        let records = &self.records;
        let problem =
            likelihood::Problem { model, records, law: Law::Quasi, ridge: lambda, tilt: None, ball };
        problem.minimize(&self.theta)
    }

    /// Restores a state, if rewards of the model can have left it. No reward adds more than `weight` to
    /// the trace of the design.
    fn after(&self, state: PartState, model: &GlmTarget, weight: f64) -> Result<Self, Error> {
        let PartState { rounds, records, design, theta } = state;
        records.check(rounds, model.objective().rewards())?;
        design.check(rounds as f64 * weight)?;
        // At a minimum with a ridge, λ‖θ‖ is the length of Σ score·x, where every ‖x‖ is at most one.
        let most = rounds as f64 * model.largest_residual() / self.design.gram().lambda();
        let norm = moglb_math::kernel::norm(&theta);
        if norm.is_nan() || norm > most.max(model.radius) * (1.0 + 1e-9) {
            return Err(damaged(&"an estimate is larger than the rewards can make it"));
        }
        if rounds == 0 && theta.iter().any(|&theta| theta != 0.0) {
            return Err(damaged(&"something was learned in no round"));
        }
        let (records, design) = (self.records.resumed(records)?, self.design.resumed(design)?);
        Ok(Self { rounds, records, design, theta })
    }

    /// Returns the serialized form.
    fn state(&self) -> PartState {
        let Self { rounds, records, design, theta } = self;
        PartState { rounds: *rounds, records: records.state(), design: design.state(), theta: theta.clone() }
    }
}

impl RsGlincb {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`], [`Error::Weights`] or [`Error::Curvature`] for the target,
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: RsGlincbConfig) -> Result<Self, Error> {
        let model = GlmTarget::new(&problem, &config.target)?;
        check_common(config.delta, config.scale, 1.0)?;
        Parameter::check("horizon", config.horizon as f64, 2.0..=1e15)?;
        let dim = problem.dim();
        moglb_math::memory::check_memory(dim, dim.saturating_mul(3))?;
        let (low, high) = model.objective().rewards();
        let g = spread(dim, &config);
        // With rewards in very large units λ would be lost in rounding, and in tiny units nothing but λ
        // would be left.
        let lambda = (g * g / ((high - low) * (high - low))).clamp(1e-6, 1e100);
        Ok(Self {
            model,
            lambda,
            warm: SomeRounds::new(dim, lambda),
            rest: SomeRounds::new(dim, lambda),
            held: TracedGram::new(dim, lambda),
            switches: 0,
            problem,
            config,
        })
    }

    /// Returns γ√κ, multiplied by the scale: the width of the warm-up, in units of ‖x‖_{V⁻¹}.
    pub fn warm_radius(&self) -> f64 {
        let (low, high) = self.model.objective().rewards();
        let gamma = 25.0 * (high - low) * self.model.radius * spread(self.problem.dim(), &self.config);
        (self.config.scale * gamma / self.model.constants.kappa.sqrt()).min(WIDEST)
    }

    /// Returns 150√(d log(T/δ)), multiplied by the scale: the width of the other rounds, in units of
    /// ‖x‖_{H_τ⁻¹}.
    pub fn radius(&self) -> f64 {
        (self.config.scale * 150.0 * spread(self.problem.dim(), &self.config)).min(WIDEST)
    }

    /// Returns the threshold of the warm-up, 1/(γ√κ·R). A round with an arm of ‖x‖_{V⁻¹} at or above it
    /// is a warm-up round.
    pub fn threshold(&self) -> f64 {
        let (low, high) = self.model.objective().rewards();
        1.0 / (self.warm_radius() * (high - low))
    }

    /// Returns the number of switches: how many times θ_τ and H_τ were renewed.
    pub fn switches(&self) -> u64 {
        self.switches
    }

    /// Returns the number of warm-up rounds.
    pub fn warm_rounds(&self) -> u64 {
        self.warm.rounds
    }

    /// Learns a warm-up round.
    ///
    /// # Errors
    ///
    /// Those of [`likelihood::Problem::minimize`]. Then nothing has been learned.
    fn learn_warm(&mut self, arm: Arm<'_>, y: f64) -> Result<(), Error> {
        let added = self.warm.records.add(arm, y);
        match self.warm.fit(&self.model, self.lambda, None) {
            Ok(theta) => self.warm.theta = theta,
            Err(error) => {
                self.warm.records.take_back(added);
                return Err(error);
            }
        }
        self.warm.design.add(arm.context(), 1.0);
        self.warm.rounds += 1;
        Ok(())
    }

    /// Learns a round after the warm-up, and switches if det H has doubled.
    ///
    /// # Errors
    ///
    /// Those of [`likelihood::Problem::minimize`]. Then nothing has been learned.
    fn learn_rest(&mut self, arm: Arm<'_>, y: f64) -> Result<(), Error> {
        let z = dot(&self.warm.theta, arm.context());
        let weight = self.model.fisher(Law::Quasi, z, y)?.weight / E;
        let mut design = self.rest.design.clone();
        design.add(arm.context(), weight);
        let added = self.rest.records.add(arm, y);
        let grown = design.gram().log_det_ratio() - self.held.gram().log_det_ratio();
        if grown > LN_2 {
            match self.rest.fit(&self.model, self.lambda, Some(self.model.radius)) {
                Ok(theta) => self.rest.theta = theta,
                Err(error) => {
                    self.rest.records.take_back(added);
                    return Err(error);
                }
            }
            self.held = design.clone();
            self.switches += 1;
        }
        self.rest.design = design;
        self.rest.rounds += 1;
        Ok(())
    }
}

/// The bound on the weight of a reward, with which a restored state is checked. θ_o is not in a ball, so
/// no smaller bound on the slope of a link is known.
const LARGEST_WEIGHT: f64 = 1e100;

/// Returns g = √(d log(T/δ)).
fn spread(dim: usize, config: &RsGlincbConfig) -> f64 {
    (dim as f64 * (log(config.horizon as f64) - log(config.delta))).sqrt()
}

impl Policy for RsGlincb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let sign = self.model.objective().sign();
        let (warm, threshold) = (self.warm_radius(), self.threshold());
        let pairs = decision.predict(arms, self.warm.design.gram(), &Estimate::from_theta(&self.warm.theta));
        let known = pairs.as_chunks::<2>().0;
        if known.iter().any(|[_, norm]| *norm >= threshold) {
            decision.play_the_best(arms.n_arms(), rng, |arm| (0.0, known[arm][1]));
            if decision.tables {
                for (arm, [z, norm]) in known.iter().enumerate() {
                    decision.estimates.row_mut(arm)[0] = sign * z;
                    decision.widths.row_mut(arm)[0] = warm * norm;
                }
            }
            decision.work.vectors[0] = pairs;
            return Ok(());
        }
        let least = known.iter().map(|[z, norm]| z - warm * norm).fold(f64::NEG_INFINITY, f64::max);
        let kept: Vec<bool> = known.iter().map(|[z, norm]| z + warm * norm >= least).collect();
        decision.work.vectors[0] = pairs;
        let pairs = decision.predict(arms, self.held.gram(), &Estimate::from_theta(&self.rest.theta));
        let (radius, known) = (self.radius(), pairs.as_chunks::<2>().0);
        decision.play_the_best(arms.n_arms(), rng, |arm| {
            if kept[arm] { (known[arm][0], radius * known[arm][1]) } else { (f64::NEG_INFINITY, 0.0) }
        });
        if decision.tables {
            for (arm, [z, norm]) in known.iter().enumerate() {
                decision.estimates.row_mut(arm)[0] = sign * z;
                decision.widths.row_mut(arm)[0] = radius * norm;
            }
        }
        decision.work.vectors[0] = pairs;
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        let y = self.model.reward(reward, &self.problem);
        let norm = self.warm.design.gram().squared_norm_inv(arm.context()).sqrt();
        if norm >= self.threshold() { self.learn_warm(arm, y) } else { self.learn_rest(arm, y) }
    }
}

impl Saved for RsGlincb {
    saved!(RsGlincbConfig => RsGlincbState);

    fn t(&self) -> u64 {
        self.warm.rounds + self.rest.rounds
    }

    fn state(&self) -> RsGlincbState {
        let (warm, rest, held) = (self.warm.state(), self.rest.state(), self.held.state());
        RsGlincbState { warm, rest, held, switches: self.switches }
    }

    fn resume(&mut self, state: RsGlincbState) -> Result<(), Error> {
        state.held.check(state.rest.rounds as f64 * LARGEST_WEIGHT)?;
        let warm = self.warm.after(state.warm, &self.model, 1.0)?;
        let rest = self.rest.after(state.rest, &self.model, LARGEST_WEIGHT)?;
        let held = self.held.resumed(state.held)?;
        let grown = rest.design.gram().log_det_ratio() - held.gram().log_det_ratio();
        if state.switches > rest.rounds || !(-1e-6..=LN_2 + 1e-6).contains(&grown) {
            return Err(damaged(&"the last switch does not fit the rounds"));
        }
        check_rounds(warm.rounds + rest.rounds)?;
        (self.warm, self.rest, self.held, self.switches) = (warm, rest, held, state.switches);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
