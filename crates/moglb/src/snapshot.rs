//! Snapshots: a policy written down, to be read back bit for bit.
//!
//! Two forms with the same content: JSON, for people and other languages, and bytes, for storage. Both carry a
//! format version; the bytes carry a checksum as well. What is read is checked like any other input, so a damaged
//! snapshot is an error and never a policy in an impossible state.

mod change;

use crate::gram::Sum;
use crate::kernel::norm;
use crate::policy::drift::restart::RestartState;
use crate::policy::drift::window::WindowState;
use crate::policy::fair_moglb_ucb::FairMoglbUcbState;
use crate::policy::general::epoch_greedy::EpochGreedyState;
use crate::policy::general::exp3::Exp3State;
use crate::policy::general::exp4::Exp4State;
use crate::policy::general::iltcb::IltcbState;
use crate::policy::general::mo_ks::MoKsState;
use crate::policy::general::mo_us::MoUsState;
use crate::policy::glm::glm_ucb::GlmUcbState;
use crate::policy::glm::ofu_glb::OfuGlbState;
use crate::policy::glm::ol2m::Ol2mState;
use crate::policy::glm::rs_glincb::RsGlincbState;
use crate::policy::glm::{EcologState, GlbOmdState, GlocState};
use crate::policy::linear::confidence_ball::ConfidenceBallState;
use crate::policy::linear::lin_rel::LinRelState;
use crate::policy::linear::lin_ts::LinTsState;
use crate::policy::linear::lin_ucb::LinUcbState;
use crate::policy::linear::lin_ucb_hybrid::LinUcbHybridState;
use crate::policy::linear::oful::OfulState;
use crate::policy::linear::sup_lin_rel::SupLinRelState;
use crate::policy::lipschitz::contextual_zooming::ContextualZoomingState;
use crate::policy::lipschitz::hoo::HooState;
use crate::policy::lipschitz::pcz::PczState;
use crate::policy::lipschitz::query_ad_clustering::QueryAdClusteringState;
use crate::policy::lipschitz::zooming::ZoomingState;
use crate::policy::multi::linear_model::LinearModelState;
use crate::policy::multi::mo_ogde::MoOgdeState;
use crate::policy::multi::scalarization::ScalarizedState;
use crate::policy::{ArmStats, PolicyConfig, Restorable};
use crate::{Error, Problem, ProblemConfig};
use serde::{Deserialize, Serialize};

/// The name and version of the format.
pub const SNAPSHOT_FORMAT: &str = "moglb.policy/2";

/// The first bytes of the binary form; the last one is the version.
const MAGIC: [u8; 8] = *b"MOGLBPO\x02";

/// A policy: its problem, its configuration and what it has learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicySnapshot {
    /// Always [`SNAPSHOT_FORMAT`].
    pub format: String,
    /// The problem.
    pub problem: ProblemConfig,
    /// The policy and its parameters.
    pub policy: PolicyConfig,
    /// What it has learned.
    pub state: PolicyState,
}

/// What a policy learns, as it is written down.
pub(crate) trait Learned {
    /// Whether the state is of the problem's size. Asked before memory is: a damaged d or K could ask for more than there is.
    fn fits(&self, problem: &ProblemConfig) -> bool;
}

/// Makes the sum of all states, and the ways in and out of it.
macro_rules! states {
    ($( $(#[$doc:meta])* $name:ident($state:ty), )*) => {
        /// What a policy has learned.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum PolicyState {
            $( $(#[$doc])* $name($state), )*
        }

        impl Learned for PolicyState {
            fn fits(&self, problem: &ProblemConfig) -> bool {
                match self {
                    $( PolicyState::$name(state) => state.fits(problem), )*
                }
            }
        }

        $(
            impl From<$state> for PolicyState {
                fn from(state: $state) -> Self {
                    PolicyState::$name(state)
                }
            }

            impl TryFrom<PolicyState> for $state {
                type Error = Error;

                fn try_from(state: PolicyState) -> Result<Self, Error> {
                    match state {
                        PolicyState::$name(state) => Ok(state),
                        _ => Err(damaged(&"the state is of another policy")),
                    }
                }
            }
        )*
    };
}

// The bytes count them: new ones go to the end.
states! {
    /// Of MOGLB-UCB.
    MoglbUcb(MoglbUcbState),
    /// Of policies that keep counts and sums per arm.
    Arms(ArmStats),
    /// Of policies that learn nothing.
    Rounds(u64),
    /// Of EKF-UCB.
    EkfUcb(EkfUcbState),
    /// Of MOGLB-EB.
    MoglbEb(MoglbEbState),
    /// Of OFUL.
    Oful(OfulState),
    /// Of Pareto contextual zooming.
    Pcz(PczState),
    /// Of contextual zooming.
    ContextualZooming(ContextualZoomingState),
    /// Of the zooming algorithm.
    Zooming(ZoomingState),
    /// Of HOO.
    Hoo(HooState),
    /// Of Query-Ad-Clustering.
    QueryAdClustering(QueryAdClusteringState),
    /// Of LinUCB.
    LinUcb(LinUcbState),
    /// Of hybrid LinUCB.
    LinUcbHybrid(LinUcbHybridState),
    /// Of linear Thompson sampling.
    LinTs(LinTsState),
    /// Of ConfidenceBall₂.
    ConfidenceBall(ConfidenceBallState),
    /// Of LinRel.
    LinRel(LinRelState),
    /// Of SupLinRel.
    SupLinRel(SupLinRelState),
    /// Of Exp3.
    Exp3(Exp3State),
    /// Of Exp4.
    Exp4(Exp4State),
    /// Of Epoch-Greedy.
    EpochGreedy(EpochGreedyState),
    /// Of ILOVETOCONBANDITS.
    Iltcb(IltcbState),
    /// Of MO-KS.
    MoKs(MoKsState),
    /// Of MO-US.
    MoUs(MoUsState),
    /// Of S-UCB with a set of weight vectors.
    Scalarized(ScalarizedState),
    /// Of policies with one linear model of all objectives.
    LinearModel(LinearModelState),
    /// Of MO-OGDE.
    MoOgde(MoOgdeState),
    /// Of OL²M.
    Ol2m(Ol2mState),
    /// Of GLOC and its relatives.
    Gloc(GlocState),
    /// Of GLM-UCB.
    GlmUcb(GlmUcbState),
    /// Of GLB-OMD, for one objective or all.
    GlbOmd(GlbOmdState),
    /// Of ECOLog.
    Ecolog(EcologState),
    /// Of OFUGLB.
    OfuGlb(OfuGlbState),
    /// Of RS-GLinCB.
    RsGlincb(RsGlincbState),
    /// Of MOGLB-UCB whose objectives were told different rounds.
    MoglbUcbParts(MoglbUcbPartsState),
    /// Of Fair MOGLB-UCB.
    FairMoglbUcb(FairMoglbUcbState),
    /// Of a sliding window.
    Window(WindowState),
    /// Of a policy with restarts.
    Restart(RestartState),
}

impl Learned for MoglbUcbState {
    fn fits(&self, problem: &ProblemConfig) -> bool {
        rows_fit(&self.thetas, problem)
    }
}

impl Learned for MoglbUcbPartsState {
    fn fits(&self, problem: &ProblemConfig) -> bool {
        self.state.fits(problem) && self.rounds.len() <= problem.objectives.len()
    }
}

impl Learned for EkfUcbState {
    fn fits(&self, problem: &ProblemConfig) -> bool {
        rows_fit(&self.thetas, problem)
    }
}

impl Learned for MoglbEbState {
    fn fits(&self, problem: &ProblemConfig) -> bool {
        rows_fit(&self.moments, problem)
    }
}

impl Learned for ArmStats {
    fn fits(&self, problem: &ProblemConfig) -> bool {
        Some(self.n_arms()) == problem.n_arms
    }
}

impl Learned for u64 {
    fn fits(&self, _: &ProblemConfig) -> bool {
        true
    }
}

/// Whether there is a row of d for each objective.
fn rows_fit(rows: &[Vec<f64>], problem: &ProblemConfig) -> bool {
    rows.len() == problem.objectives.len() && rows.iter().all(|row| row.len() == problem.dim)
}

/// The learned state of MOGLB-UCB; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoglbUcbState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The inverse of the lower Cholesky factor of each Gram matrix, by rows.
    pub factors: Vec<Vec<f64>>,
    /// log(det Z_t / det Z_1) of each Gram matrix: the sum and what its additions rounded off.
    pub(crate) log_dets: Vec<Sum>,
    /// The estimate of each objective, larger is better.
    pub thetas: Vec<Vec<f64>>,
    /// Σ (y_s − μ(θ̂_sᵀx_s))² ‖x_s‖²_{Z_{s+1}⁻¹} of each objective.
    pub gradients: Vec<f64>,
    /// Σ‖x_s‖².
    pub squared_norms: f64,
    /// How often an estimate was projected.
    pub projection_hits: u64,
}

/// The learned state of MOGLB-UCB after rewards of which parts are missing or came at other times: objectives that were
/// told the same rounds in the same order share a Gram matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoglbUcbPartsState {
    /// Factors, estimates and sums.
    pub state: MoglbUcbState,
    /// Which Gram matrix is each objective's.
    pub grams: Vec<usize>,
    /// The number of contexts in each Gram matrix.
    pub rounds: Vec<u64>,
    /// Σ‖x_s‖² of each Gram matrix.
    pub squared_norms: Vec<f64>,
}

/// The learned state of EKF-UCB; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EkfUcbState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The inverse of the lower Cholesky factor of each objective's H, by rows.
    pub factors: Vec<Vec<f64>>,
    /// log(det H_t / det H_1) of each objective: the sum and what its additions rounded off.
    pub(crate) log_dets: Vec<Sum>,
    /// The estimate of each objective, larger is better.
    pub thetas: Vec<Vec<f64>>,
    /// Σ w_s‖x_s‖² of each objective: by how much the trace of its H has grown.
    pub traces: Vec<f64>,
    /// How often an estimate was projected.
    pub projection_hits: u64,
}

/// The learned state of MOGLB-EB; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoglbEbState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// Σ w·xxᵀ of each objective, the rows of the lower triangle end to end.
    pub information: Vec<Vec<f64>>,
    /// Σ (w·z − score)·x of each objective, larger is better.
    pub moments: Vec<Vec<f64>>,
    /// Σ score² of each objective.
    pub squared_scores: Vec<f64>,
    /// Σ w of each objective.
    pub weights: Vec<f64>,
    /// τ², of coefficients around the shared mean.
    pub within: f64,
    /// ρ², of the shared mean's entries around their level.
    pub between: f64,
    /// The rewards that are not in the sums yet, end to end: the context, then weight, score and z for each objective.
    pub pending: Vec<f64>,
}

/// The part of a snapshot that is JSON in the binary form too: small, and of many shapes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    problem: ProblemConfig,
    policy: PolicyConfig,
}

impl PolicySnapshot {
    pub(crate) fn new(problem: &Problem, policy: PolicyConfig, state: PolicyState) -> Self {
        Self { format: SNAPSHOT_FORMAT.into(), problem: problem.config().clone(), policy, state }
    }

    /// The policy.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`], or what is wrong with the problem or the configuration.
    pub fn restore(self) -> Result<Box<dyn Restorable>, Error> {
        self.check_sizes()?;
        let mut policy = self.policy.build(&Problem::from_config(self.problem)?)?;
        policy.resume(self.state)?;
        Ok(policy)
    }

    /// The policy as one of its own kind: `own` finds its configuration, and `new` makes it.
    pub(crate) fn restore_as<P: Restorable, C>(
        self,
        id: &'static str,
        own: impl FnOnce(PolicyConfig) -> Option<C>,
        new: impl FnOnce(Problem, C) -> Result<P, Error>,
    ) -> Result<P, Error> {
        let (sizes, got) = (self.check_sizes(), self.policy.id());
        let config = own(self.policy).ok_or(Error::SnapshotPolicy { expected: id, got })?;
        sizes?;
        let mut policy = new(Problem::from_config(self.problem)?, config)?;
        policy.resume(self.state)?;
        Ok(policy)
    }

    /// Refuses a state that is not of the problem's size.
    pub(crate) fn check_sizes(&self) -> Result<(), Error> {
        if self.state.fits(&self.problem) {
            return Ok(());
        }
        Err(damaged(&"the state has another number of features, objectives or arms"))
    }

    /// The snapshot as JSON; numbers are written so that they read back exactly.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a snapshot holds finite numbers and string keys")
    }

    /// A snapshot from JSON.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotFormat`] or [`Error::SnapshotDamaged`].
    pub fn from_json(text: &str) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Format {
            format: String,
        }
        // The format first: of another version only that much is known.
        let Format { format } = serde_json::from_str(text).map_err(|error| damaged(&error))?;
        if format != SNAPSHOT_FORMAT {
            return Err(Error::SnapshotFormat { expected: SNAPSHOT_FORMAT.into(), got: format });
        }
        serde_json::from_str(text).map_err(|error| damaged(&error))
    }

    /// The snapshot as bytes: magic, length of the head, head, state, CRC-32C of all that.
    pub fn to_bytes(&self) -> Vec<u8> {
        let head = Head { problem: self.problem.clone(), policy: self.policy.clone() };
        let head = serde_json::to_vec(&head).expect("a head holds finite numbers and string keys");
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&(head.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&head);
        bytes.extend_from_slice(&postcard::to_stdvec(&self.state).expect("a state is numbers and lists"));
        bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
        bytes
    }

    /// A snapshot from bytes.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotFormat`] or [`Error::SnapshotDamaged`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let truncated = || damaged(&"it is truncated");
        let (magic, _) = bytes.split_first_chunk::<8>().ok_or_else(truncated)?;
        if *magic != MAGIC {
            let got = String::from_utf8_lossy(magic).into_owned();
            return Err(Error::SnapshotFormat { expected: SNAPSHOT_FORMAT.into(), got });
        }
        let (content, sum) = bytes.split_last_chunk::<4>().ok_or_else(truncated)?;
        if crc32c::crc32c(content) != u32::from_le_bytes(*sum) {
            return Err(damaged(&"its checksum does not match"));
        }
        let (length, rest) = content[8..].split_first_chunk::<8>().ok_or_else(truncated)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|error| damaged(&error))?;
        let (head, state) = rest.split_at_checked(length).ok_or_else(truncated)?;
        let Head { problem, policy } = serde_json::from_slice(head).map_err(|error| damaged(&error))?;
        let state = postcard::from_bytes(state).map_err(|error| damaged(&error))?;
        Ok(Self { format: SNAPSHOT_FORMAT.into(), problem, policy, state })
    }
}

pub(crate) fn damaged(reason: &dyn std::fmt::Display) -> Error {
    Error::SnapshotDamaged { reason: reason.to_string() }
}

/// Refuses a number of rounds that f64 cannot count, or that the next round would overflow.
pub(crate) fn check_rounds(rounds: u64) -> Result<(), Error> {
    if rounds <= 1 << 53 { Ok(()) } else { Err(damaged(&format!("{rounds} rounds"))) }
}

impl PolicyState {
    /// The statistics per arm, if they are that and look like those of the policy.
    pub(crate) fn into_arms(self, like: &ArmStats) -> Result<ArmStats, Error> {
        match self {
            PolicyState::Arms(stats) => stats.check_like(like).map(|()| stats),
            _ => Err(damaged(&"the state is of another policy")),
        }
    }
}

impl MoglbUcbState {
    /// Refuses a state of another shape, or one that no sequence of rewards can have left; `first` are the estimates before the
    /// first of them.
    pub(crate) fn check(&self, first: &[Vec<f64>], n_grams: usize, radius: f64) -> Result<(), Error> {
        let m = first.len();
        if self.factors.len() != n_grams
            || self.log_dets.len() != n_grams
            || self.thetas.len() != m
            || self.gradients.len() != m
        {
            return Err(damaged(&OTHER_OBJECTIVES));
        }
        check_estimates(&self.thetas, first, self.rounds, radius)?;
        check_sums(self.rounds, &self.gradients)?;
        check_hits(self.projection_hits, self.rounds, m)?;
        check_squared_norms(self.rounds, self.squared_norms)
    }
}

impl MoglbUcbPartsState {
    /// Refuses a state of another shape, and sums that no sequence of rewards can have left.
    pub(crate) fn check(&self, m: usize) -> Result<(), Error> {
        let n_grams = self.rounds.len();
        if self.grams.len() != m || self.squared_norms.len() != n_grams {
            return Err(damaged(&OTHER_OBJECTIVES));
        }
        if self.grams.iter().any(|&gram| gram >= n_grams) {
            return Err(damaged(&"an objective has no Gram matrix"));
        }
        for (&rounds, &squared_norms) in self.rounds.iter().zip(&self.squared_norms) {
            check_squared_norms(rounds, squared_norms)?;
            if rounds > self.state.rounds {
                return Err(damaged(&"a Gram matrix has more contexts than there were rounds"));
            }
        }
        Ok(())
    }
}

fn check_squared_norms(rounds: u64, squared_norms: f64) -> Result<(), Error> {
    if squared_norms > rounds as f64 * (1.0 + 1e-8) {
        return Err(damaged(&"the squared norms add up to more than the rounds"));
    }
    check_sums(rounds, &[squared_norms])
}

impl EkfUcbState {
    /// Refuses a state of another shape, or one that no sequence of rewards can have left: `first` are the estimates before the
    /// first of them, `largest` is the most that a round can weigh in an objective.
    pub(crate) fn check(
        &self,
        first: &[Vec<f64>],
        radius: f64,
        largest: impl Fn(usize) -> f64,
    ) -> Result<(), Error> {
        let m = first.len();
        if [self.factors.len(), self.log_dets.len(), self.thetas.len(), self.traces.len()] != [m; 4] {
            return Err(damaged(&OTHER_OBJECTIVES));
        }
        check_estimates(&self.thetas, first, self.rounds, radius)?;
        check_sums(self.rounds, &self.traces)?;
        check_hits(self.projection_hits, self.rounds, m)?;
        let most = |i: usize| self.rounds as f64 * largest(i) * (1.0 + 1e-8);
        if (0..m).any(|i| self.traces[i] > most(i)) {
            return Err(damaged(&"the weights add up to more than the rounds can"));
        }
        Ok(())
    }
}

impl MoglbEbState {
    /// Refuses a state of another shape, or one that no sequence of rewards can have left; `batch` is how many rewards may
    /// wait after so many were taken in.
    pub(crate) fn check(
        &self,
        dim: usize,
        m: usize,
        radius: f64,
        batch: impl Fn(u64) -> usize,
    ) -> Result<(), Error> {
        if [self.information.len(), self.moments.len(), self.squared_scores.len(), self.weights.len()]
            != [m; 4]
        {
            return Err(damaged(&OTHER_OBJECTIVES));
        }
        if self.information.iter().any(|lower| lower.len() != dim * (dim + 1) / 2)
            || self.moments.iter().any(|moments| moments.len() != dim)
        {
            return Err(damaged(&"the sums have another number of features"));
        }
        check_rounds(self.rounds)?;
        let stride = dim + 3 * m;
        let waiting = (self.pending.len() / stride) as u64;
        if !self.pending.len().is_multiple_of(stride)
            || waiting > self.rounds
            || waiting as usize >= batch(self.rounds - waiting)
        {
            return Err(damaged(&"the number of rewards that wait is not one that can be"));
        }
        for read in self.pending.chunks_exact(stride) {
            let (x, read) = read.split_at(dim);
            let fine = |[weight, score, z]: &[f64; 3]| {
                // What is not known has neither weight nor score.
                let possible = if *weight == 0.0 { *score == 0.0 } else { *weight > 0.0 && *weight <= 1e100 };
                possible && score.abs() <= 1e105 && z.abs() <= radius
            };
            if !(norm(x) <= 1.0 + 1e-9 && read.as_chunks().0.iter().all(fine)) {
                return Err(damaged(&"a reward that waits cannot be one"));
            }
        }
        let sums: Vec<f64> = self.squared_scores.iter().chain(&self.weights).copied().collect();
        check_sums(self.rounds - waiting, &sums)?;
        if self.rounds == waiting && self.moments.iter().flatten().any(|&b| b != 0.0) {
            return Err(damaged(&FROM_NOTHING));
        }
        let taken = (self.rounds - waiting) as f64;
        let trace = |lower: &Vec<f64>| (0..dim).map(|k| lower[k * (k + 3) / 2]).sum::<f64>();
        let beyond = |(lower, &weights): (&Vec<f64>, &f64)| {
            !lower.iter().all(|entry| entry.abs() <= weights * (1.0 + 1e-8))
                || trace(lower) > weights * (1.0 + 1e-8)
                || weights > taken * 1e100 * (1.0 + 1e-8)
        };
        if self.information.iter().zip(&self.weights).any(beyond) {
            return Err(damaged(&"the information is more than the weights add up to"));
        }
        // |z| ≤ D, and Σ|score| ≤ √(t·Σ score²).
        let most = |i: usize| radius * self.weights[i] + (taken * self.squared_scores[i]).sqrt();
        let fits = |i: usize| self.moments[i].iter().all(|b| b.abs() <= most(i) * (1.0 + 1e-8));
        if self.squared_scores.iter().any(|&sum| sum > taken * 1e210) || !(0..m).all(fits) {
            return Err(damaged(&"the moments are more than the scores add up to"));
        }
        Ok(())
    }
}

const OTHER_OBJECTIVES: &str = "the state has another number of objectives";
const FROM_NOTHING: &str = "something was learned in no round";

/// Refuses estimates of another length or outside of the ball, and others than the first in no round.
fn check_estimates(thetas: &[Vec<f64>], first: &[Vec<f64>], rounds: u64, radius: f64) -> Result<(), Error> {
    if thetas.iter().zip(first).any(|(theta, first)| theta.len() != first.len()) {
        return Err(damaged(&"an estimate has another number of features"));
    }
    if rounds == 0 && thetas != first {
        return Err(damaged(&FROM_NOTHING));
    }
    if !thetas.iter().all(|theta| norm(theta) <= radius * (1.0 + 1e-9)) {
        return Err(damaged(&"an estimate lies outside of the ball of radius D"));
    }
    Ok(())
}

/// Refuses rounds that cannot be counted, knowledge from no round, and sums of squares that are none.
fn check_sums(rounds: u64, sums: &[f64]) -> Result<(), Error> {
    check_rounds(rounds)?;
    if rounds == 0 && sums.iter().any(|&x| x != 0.0) {
        return Err(damaged(&FROM_NOTHING));
    }
    if !sums.iter().all(|&x| x.is_finite() && x >= 0.0) {
        return Err(damaged(&"a sum of squares is negative or not finite"));
    }
    Ok(())
}

fn check_hits(hits: u64, rounds: u64, m: usize) -> Result<(), Error> {
    if hits <= rounds * m as u64 { Ok(()) } else { Err(damaged(&"more projections than estimates")) }
}
