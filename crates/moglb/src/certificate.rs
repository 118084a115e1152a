//! A certificate of the front, valid at any time: the arms that are certainly Pareto optimal or certainly
//! dominated.
//!
//! A confidence sequence holds for all t at once with probability 1 − δ. So its conclusions are valid at any
//! time, under any stopping rule and for any choice of arms. With bounds lo and hi on μᵢ(x′) − μᵢ(x) for
//! every pair of arms and objective,
//!
//! ```text
//! OUT(x)   some x′ has loᵢ(x′, x) > 0 for all i                         x is dominated
//! IN(x)    every x′ that is not OUT has hiᵢ(x′, x) < 0 for some i       nothing dominates x
//! Δ(x) ≤ max(0, max over x′ not OUT of minᵢ hiᵢ(x′, x))                 Definition 3
//! ```
//!
//! Both verdicts are final. With probability 1 − δ, IN ⊆ O* ⊆ X∖OUT at all times. Then any set between IN and
//! X∖OUT has a Jaccard index with O* of at least |IN|/|X∖OUT|, although O* is unknown, and the Pareto regret
//! of all plays is at most Σ N(x)·Δ(x).
//!
//! `evidence.rs` collects the sources of such bounds: `ellipsoids.rs` has confidence ellipsoids of linear
//! models, `intervals.rs` has intervals of means without a model.

mod config;
mod ellipsoids;
mod evidence;
mod intervals;
mod learned;
mod sequence;
mod state;

pub use config::{CertificateConfig, Source};
pub use learned::{CertificateState, Status};
pub use state::{CERTIFICATE_FORMAT, CertificateSnapshot};

use evidence::{Evidence, EvidenceView};
use learned::Verdict;
use moglb_core::{ArmSet, Problem};
use moglb_math::Error;
use moglb_pareto::ArmId;

/// Smaller differences of means count as zero: rounding alone can cause them.
const ROUNDING: f64 = 1e-12;

/// The arms are checked again after the number of rewards has grown by one part in this many.
const ROUNDS_PER_EXTRA_LOOK: u64 = 100;

/// A certificate of the front of fixed arms: which arms are certainly on it and which certainly are not.
///
/// It learns from any rewards of these arms, whichever policy chose them. It checks the undecided arms again
/// whenever the number of rewards has grown by one percent.
///
/// ```
/// use moglb::{ArmId, ArmSet, Certificate, CertificateConfig, Link, Objective, Problem, Status};
///
/// let problem = Problem::new(1, vec![Objective::new("click", Link::Logit)])?;
/// let arms = ArmSet::from_rows(&[[0.9], [-0.9]])?;
/// let mut certificate = Certificate::new(problem, &arms, CertificateConfig::default())?;
/// for t in 0..400 {
///     let click = f64::from(t % 10 < 7 - 4 * (t % 2)); // 7 of 10 for the first arm, 3 of 10 for the second
///     certificate.learn(ArmId(t as usize % 2), &[click])?;
/// }
/// assert_eq!([0, 1].map(|arm| certificate.status(ArmId(arm))), [Status::In, Status::Out]);
/// assert_eq!(certificate.jaccard_bound(), 1.0);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Certificate {
    problem: Problem,
    arms: ArmSet<'static>,
    config: CertificateConfig,
    evidence: Evidence,
    verdicts: Vec<Verdict>,
    /// The number of rewards at which the undecided arms are checked again.
    next_look: u64,
}

impl Certificate {
    /// A certificate without rewards, for a fixed set of arms.
    ///
    /// # Errors
    ///
    /// [`Error::Delta`], [`Error::ParameterBounds`], [`Error::Parameters`] without sources, for a repeated
    /// source or for a source that is not proved for a link of the problem, or an error about the arms.
    pub fn new(problem: Problem, arms: &ArmSet, config: CertificateConfig) -> Result<Self, Error> {
        problem.check_arms(arms)?;
        if !(config.delta > 0.0 && config.delta < 1.0) {
            return Err(Error::Delta { got: config.delta });
        }
        moglb_core::Parameter::check("scale", config.scale, 0.0..=1e100)?;
        let repeated = |(k, source): (usize, &Source)| config.sources[..k].contains(source);
        if config.sources.is_empty() || config.sources.iter().enumerate().any(repeated) {
            return Err(Error::Parameters { what: "a certificate needs a source, and each at most once" });
        }
        let problem = problem.with_arms(arms.n_arms())?;
        let evidence = Evidence::new(problem.clone(), config.clone())?;
        let verdicts = vec![Verdict { status: Status::Undecided, rival: 0 }; arms.n_arms()];
        let arms = arms.clone().into_owned();
        Ok(Self { next_look: arms.n_arms() as u64, problem, arms, config, evidence, verdicts })
    }

    /// Learns the reward vector of a played arm.
    ///
    /// # Errors
    ///
    /// Returns an error if arm or reward do not fit the problem; the certificate is then unchanged.
    pub fn learn(&mut self, arm: ArmId, reward: &[f64]) -> Result<(), Error> {
        let arm = self.arms.get(arm)?;
        self.evidence.learn(arm, reward)?;
        if self.t() >= self.next_look {
            self.look();
        }
        Ok(())
    }

    /// Checks the undecided arms now, without waiting for more rewards.
    pub fn look(&mut self) {
        let rounds = self.t();
        self.next_look = rounds + (rounds / ROUNDS_PER_EXTRA_LOOK).max(1);
        if self.undecided().is_empty() {
            return;
        }
        let view = self.evidence.view(&self.arms);
        for arm in self.undecided() {
            if self.dominator(&view, arm).is_some() {
                self.verdicts[arm.0].status = Status::Out;
            }
        }
        for arm in self.undecided() {
            match self.rival(&view, arm) {
                Some(rival) => self.verdicts[arm.0].rival = rival.0,
                None => self.verdicts[arm.0].status = Status::In,
            }
        }
        self.evidence.keep(view);
    }

    /// The number of rewards learned.
    pub fn t(&self) -> u64 {
        self.evidence.stats.rounds()
    }

    /// The arms.
    pub fn arms(&self) -> &ArmSet<'static> {
        &self.arms
    }

    /// The parameters.
    pub fn config(&self) -> &CertificateConfig {
        &self.config
    }

    /// The number of plays of each arm.
    pub fn counts(&self) -> &[u64] {
        self.evidence.stats.counts()
    }

    /// The verdict on an arm after the latest check.
    ///
    /// # Panics
    ///
    /// If there is no such arm.
    pub fn status(&self, arm: ArmId) -> Status {
        self.verdicts[arm.0].status
    }

    /// The arms that are certainly Pareto optimal.
    pub fn arms_in(&self) -> Vec<ArmId> {
        self.having(Status::In).collect()
    }

    /// The arms that are certainly dominated.
    pub fn arms_out(&self) -> Vec<ArmId> {
        self.having(Status::Out).collect()
    }

    /// |IN|/|X∖OUT|: any set that contains IN and no arm of OUT has at least this Jaccard index with O*.
    pub fn jaccard_bound(&self) -> f64 {
        let possible = self.verdicts.len() - self.having(Status::Out).count();
        // All arms can be OUT only if a bound failed.
        self.having(Status::In).count() as f64 / possible.max(1) as f64
    }

    /// Bounds on μᵢ(x′) − μᵢ(x) for each objective, from all rewards so far. x′ is `better`, x is `worse`;
    /// larger is better.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownArm`].
    pub fn difference_bounds(&self, better: ArmId, worse: ArmId) -> Result<Vec<(f64, f64)>, Error> {
        self.arms.get(better)?;
        self.arms.get(worse)?;
        let view = self.evidence.view(&self.arms);
        Ok((0..self.problem.n_objectives()).map(|i| view.difference(i, better, worse)).collect())
    }

    /// Upper bounds on the Pareto suboptimality gap of every arm, from all rewards so far.
    pub fn gap_bounds(&self) -> Vec<f64> {
        let view = self.evidence.view(&self.arms);
        self.ids().map(|arm| self.gap_bound(&view, arm)).collect()
    }

    /// An upper bound on the Pareto regret of all plays so far, Σ N(x)·Δ(x).
    pub fn regret_bound(&self) -> f64 {
        self.gap_bounds().iter().zip(self.counts()).map(|(gap, &count)| gap * count as f64).sum()
    }

    fn gap_bound(&self, view: &EvidenceView, arm: ArmId) -> f64 {
        if self.status(arm) == Status::In {
            return 0.0;
        }
        // The largest gap is to an arm of O*, and no arm of O* is OUT.
        let others = self.possible().filter(|&other| !self.twins(other, arm));
        let gap =
            |other| self.objectives().map(|i| view.difference(i, other, arm).1).fold(f64::INFINITY, f64::min);
        others.map(gap).fold(0.0, f64::max)
    }

    /// An arm that certainly dominates the given arm. It may itself be OUT.
    fn dominator(&self, view: &EvidenceView, arm: ArmId) -> Option<ArmId> {
        let better = |i, other| view.difference(i, other, arm).0 > ROUNDING;
        self.rival_first(arm).find(|&other| other != arm && self.objectives().all(|i| better(i, other)))
    }

    /// An arm that may dominate the given arm: no bound excludes it.
    fn rival(&self, view: &EvidenceView, arm: ArmId) -> Option<ArmId> {
        let worse = |i, other| view.difference(i, other, arm).1 < -ROUNDING;
        self.rival_first(arm).find(|&other| {
            self.status(other) != Status::Out
                && !self.twins(other, arm)
                && !self.objectives().any(|i| worse(i, other))
        })
    }

    /// All arms, beginning with the rival of an arm: the rival of the last check is likely to be the rival
    /// again.
    fn rival_first(&self, arm: ArmId) -> impl Iterator<Item = ArmId> {
        std::iter::once(ArmId(self.verdicts[arm.0].rival)).chain(self.ids())
    }

    /// True if two arms have equal contexts. Then they have equal means, and neither dominates the other.
    fn twins(&self, a: ArmId, b: ArmId) -> bool {
        a == b || self.arms.context(a.0) == self.arms.context(b.0)
    }

    fn undecided(&self) -> Vec<ArmId> {
        self.having(Status::Undecided).collect()
    }

    /// The arms that are not OUT.
    fn possible(&self) -> impl Iterator<Item = ArmId> {
        self.ids().filter(|&arm| self.status(arm) != Status::Out)
    }

    fn having(&self, status: Status) -> impl Iterator<Item = ArmId> {
        self.ids().filter(move |&arm| self.status(arm) == status)
    }

    fn ids(&self) -> impl Iterator<Item = ArmId> + use<> {
        (0..self.verdicts.len()).map(ArmId)
    }

    fn objectives(&self) -> std::ops::Range<usize> {
        0..self.problem.n_objectives()
    }
}
