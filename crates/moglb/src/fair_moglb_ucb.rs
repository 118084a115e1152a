//! Fair MOGLB-UCB: Algorithm 1 with a floor under the plays of every arm that may be Pareto optimal.
//!
//! In round t an arm that is not certified OUT is overdue if N(x)·P < t. If arms are overdue, one of those
//! with the fewest plays is drawn uniformly; otherwise an arm of O_t is drawn, as in step 3. For P ≥ K, every
//! arm that is not OUT has
//!
//! ```text
//! N_t(x) ≥ ⌊t/P⌋        for all t, surely
//! ```
//!
//! and with probability 1 − δ these arms include every Pareto optimal arm. `docs/fairness.md` has the proof
//! and the cost of the floor.

use crate::{Certificate, CertificateConfig, CertificateState, Status};
use moglb_core::describe::policy;
use moglb_core::moglb_ucb::snapshot::{LearnerState, MoglbUcbState};
use moglb_core::saved::{Saved, damaged, fits, saved};
use moglb_core::{
    Arm, ArmSet, Decision, Facts, LearnsBy, Link, Model, MoglbUcb, MoglbUcbConfig, Parameter, Policy,
    Problem, Width,
};
use moglb_math::Error;
use moglb_pareto::ArmId;
use moglb_rivals::seen_arms::SeenArms;
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

policy! {
    id: "fair-moglb-ucb",
    name: "Fair MOGLB-UCB",
    source: "this project, based on Lu, Wang, Hu, Zhang: Multi-Objective Generalized Linear Bandits, IJCAI \
             2019",
    setting: "contexts, generalized linear rewards, one fixed arm set",
    guarantee: "with probability 1 − δ every Pareto optimal arm has at least ⌊t/P⌋ plays at every t; with \
                proved = true also Pareto regret Õ(d√T + √(K·d·T))",
    cost: "twice that of MOGLB-UCB, and O(K·d) more; in some rounds also O(K²·(m·d + d²)) for undecided arms",
    has_front: true,
    departures: "",
    parameters: struct FairMoglbUcbConfig of FairMoglbUcb {
        period: Option<u64> = None => "4K",
            "P, at least K: an arm that may be Pareto optimal has at least ⌊t/P⌋ plays";
        delta: f64 = 0.05, "the chance that any guarantee may fail";
        c: f64 = 0.01, "factor of the tuned width of O_t; not used with proved = true";
        proved: bool = false,
            "O_t uses the tightened width, for which the regret is bounded; this width and the certificate \
             then share δ";
    }
}

/// MOGLB-UCB with a floor under the plays of every arm that may be Pareto optimal.
///
/// ```
/// use moglb::{draw, ArmSet, FairMoglbUcb, FairMoglbUcbConfig, Link, Objective, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?.with_arms(3)?;
/// let config = FairMoglbUcbConfig { period: Some(6), ..Default::default() };
/// let mut policy = FairMoglbUcb::new(problem, config)?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7], [0.5, 0.5]])?;
/// let mut rng = draw::seeded(7);
/// for _ in 0..60 {
///     let decision = policy.decide(&arms, &mut rng)?;
///     policy.learn(arms.arm(decision.arm), &[1.0])?;
/// }
/// assert!(policy.counts().iter().all(|&count| count >= 10));
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FairMoglbUcb {
    problem: Problem,
    config: FairMoglbUcbConfig,
    /// P, with its default resolved.
    period: u64,
    play: MoglbUcb,
    arms: SeenArms,
    /// N(x).
    counts: Vec<u64>,
    /// The certificate. It begins once the contexts of all arms are known.
    certificate: Option<Box<Certificate>>,
}

/// The learned state of Fair MOGLB-UCB; its size does not depend on t.
///
/// Example: [`FairMoglbUcb`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FairMoglbUcbState {
    /// The learned state of MOGLB-UCB.
    pub play: MoglbUcbState,
    /// The contexts of the arms that were played.
    pub arms: SeenArms,
    /// The number of plays of each arm.
    pub counts: Vec<u64>,
    /// The learned state of the certificate, once all arms are known.
    pub certificate: Option<Box<CertificateState>>,
}

fits!(FairMoglbUcbState, |state, problem| {
    let arms = state.arms.fits(problem.n_arms, problem.dim) && Some(state.counts.len()) == problem.n_arms;
    arms && state.play.fits(problem)
});

impl FairMoglbUcb {
    /// The policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`], [`Error::ParameterBounds`], [`Error::Delta`],
    /// [`Error::WidthFactor`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: FairMoglbUcbConfig) -> Result<Self, Error> {
        let arms = SeenArms::new(&problem, INFO.id)?;
        let n_arms = problem.n_arms().expect("known arms have a number") as u64;
        let period = config.period.unwrap_or(n_arms.saturating_mul(4));
        Parameter::check("period", period as f64, n_arms as f64..=(1u64 << 53) as f64)?;
        if !(config.delta > 0.0 && config.delta < 1.0) {
            return Err(Error::Delta { got: config.delta });
        }
        let width = if config.proved {
            Width::Tightened { delta: config.delta / 2.0 }
        } else {
            Width::Tuned { c: config.c }
        };
        let play = MoglbUcb::new(problem.clone(), MoglbUcbConfig { width, ..Default::default() })?;
        let counts = vec![0; n_arms as usize];
        let config = FairMoglbUcbConfig { period: Some(period), ..config };
        Ok(Self { problem, config, period, play, arms, counts, certificate: None })
    }

    /// N(x), the number of plays of each arm.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The period P.
    pub fn period(&self) -> u64 {
        self.period
    }

    /// The certificate, once each arm was played.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_deref()
    }

    fn is_out(&self, arm: usize) -> bool {
        self.certificate.as_ref().is_some_and(|certificate| certificate.status(ArmId(arm)) == Status::Out)
    }

    /// Collects the arms with the fewest plays of those that are not OUT, if they are overdue in the coming
    /// round.
    fn overdue_into(&self, overdue: &mut Vec<ArmId>) {
        overdue.clear();
        let possible = || (0..self.counts.len()).filter(|&arm| !self.is_out(arm));
        let Some(fewest) = possible().map(|arm| self.counts[arm]).min() else { return };
        // Both factors are below 2⁵³, but their product is not.
        if u128::from(fewest) * u128::from(self.period) < u128::from(self.play.t()) + 1 {
            overdue.extend(possible().filter(|&arm| self.counts[arm] == fewest).map(ArmId));
        }
    }

    /// A new certificate if this arm is the last one whose context was unknown.
    fn begun_by(&self, arm: Arm<'_>) -> Result<Option<Box<Certificate>>, Error> {
        if self.certificate.is_some() {
            return Ok(None);
        }
        let mut arms = self.arms.clone();
        arms.note(arm);
        arms.all().then(|| self.new_certificate(&arms).map(Box::new)).transpose()
    }

    /// A certificate on arms whose contexts are all known.
    fn new_certificate(&self, arms: &SeenArms) -> Result<Certificate, Error> {
        let contexts: Vec<&[f64]> = (0..self.counts.len()).map(|arm| arms.context(arm)).collect();
        let delta = if self.config.proved { self.config.delta / 2.0 } else { self.config.delta };
        let config = CertificateConfig { delta, ..Default::default() };
        Certificate::new(self.problem.clone(), &ArmSet::from_rows(&contexts)?, config)
    }

    /// True if a link is a custom function, which can fail.
    fn asks_outside(&self) -> bool {
        self.problem.objectives().iter().any(|objective| matches!(objective.link, Link::Custom(_)))
    }
}

impl Policy for FairMoglbUcb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        self.arms.check_arms(arms)?;
        self.play.decide_into(arms, rng, decision)?;
        self.overdue_into(&mut decision.work.candidates);
        if !decision.work.candidates.is_empty() {
            decision.draw_from_candidates(arms.n_arms(), rng);
        }
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.arms.check(arm)?;
        let begun = self.begun_by(arm)?;
        // A custom link can fail in one of the two after the other has learned.
        let before = self.asks_outside().then(|| self.play.clone());
        self.play.learn(arm, reward)?;
        let learned =
            self.certificate.as_mut().map_or(Ok(()), |certificate| certificate.learn(arm.id(), reward));
        if let (Err(error), Some(before)) = (learned, before) {
            self.play = before;
            return Err(error);
        }
        self.counts[arm.id().0] += 1;
        self.arms.note(arm);
        self.certificate = self.certificate.take().or(begun);
        Ok(())
    }

    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        self.arms.check_arms(arms)?;
        self.play.fix_arms(arms)
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Both, draws_from_front: false, ..Facts::default() }
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(self)
    }
}

/// Estimates are visible in decisions only.
impl Model for FairMoglbUcb {
    fn projection_hits(&self) -> u64 {
        self.play.model().map_or(0, Model::projection_hits)
    }
}

impl Saved for FairMoglbUcb {
    saved!(FairMoglbUcbConfig => FairMoglbUcbState);

    fn t(&self) -> u64 {
        self.play.t()
    }

    fn state(&self) -> FairMoglbUcbState {
        FairMoglbUcbState {
            play: self.play.whole_state(),
            arms: self.arms.clone(),
            counts: self.counts.clone(),
            certificate: self.certificate.as_ref().map(|certificate| Box::new(certificate.state())),
        }
    }

    fn resume(&mut self, state: FairMoglbUcbState) -> Result<(), Error> {
        let rounds = state.play.rounds;
        state.arms.check_like(&self.problem, rounds)?;
        if state.counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count)) != Some(rounds) {
            return Err(damaged(&"the plays of the arms do not add up to the rounds"));
        }
        let mut next = Self { arms: state.arms, counts: state.counts, certificate: None, ..self.clone() };
        if state.certificate.is_some() != next.arms.all() {
            return Err(damaged(&"there is a certificate once all arms are known, and not before"));
        }
        if let Some(certificate) = &state.certificate {
            let mut restored = next.new_certificate(&next.arms)?;
            restored.resume(certificate)?;
            let early = |(count, all): (&u64, &u64)| count <= all;
            if !restored.counts().iter().zip(&next.counts).all(early) {
                return Err(damaged(&"the certificate has more plays than there were"));
            }
            next.certificate = Some(Box::new(restored));
        }
        next.play.resume(LearnerState::Whole(state.play))?;
        *self = next;
        Ok(())
    }
}
