//! The closed list of policies of the library, and the types that follow from it: parameters and snapshots
//! of any policy. Each policy is entered here once. Each new kind of learned state is entered at the end of
//! the list in `policy_state.rs`.

use crate::drift::inner::{InnerConfig, InnerPolicy};
use crate::drift::{restart, window};
use crate::policy_state::PolicyState;
use moglb_core::saved::{Learned, Saved, damaged};
use moglb_core::{Policy, PolicyInfo, Problem, ProblemConfig, Target};
use moglb_math::Error;
use serde::{Deserialize, Serialize};
use std::any::Any;

/// The name and version of the format of a [`PolicySnapshot`].
pub const SNAPSHOT_FORMAT: &str = "moglb.policy/2";

/// A policy whose learned state can be saved and restored bit for bit. It is [`Any`], so that a caller can
/// find out which policy it has.
///
/// Example: [`PolicySnapshot::with_objective`].
pub trait Restorable: Policy + Any {
    /// The problem as it was before the first round.
    fn problem(&self) -> &Problem;

    /// The number of rewards learned.
    fn t(&self) -> u64;

    /// The whole policy: problem, configuration and learned state.
    fn snapshot(&self) -> PolicySnapshot;

    /// Replaces the learned state by another state of the same problem and configuration.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] if the state cannot belong to this policy; the policy is then unchanged.
    fn resume(&mut self, state: PolicyState) -> Result<(), Error>;

    /// The snapshot as JSON.
    fn to_json(&self) -> String {
        self.snapshot().to_json()
    }

    /// The snapshot as bytes.
    fn to_bytes(&self) -> Vec<u8> {
        self.snapshot().to_bytes()
    }

    /// Restores a policy from [`Restorable::to_json`].
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotFormat`], [`Error::SnapshotDamaged`], [`Error::SnapshotPolicy`], or an error about
    /// the problem or the configuration.
    fn from_json(text: &str) -> Result<Self, Error>
    where
        Self: Sized,
    {
        Self::from_snapshot(PolicySnapshot::from_json(text)?)
    }

    /// Restores a policy from [`Restorable::to_bytes`].
    ///
    /// # Errors
    ///
    /// As [`Restorable::from_json`].
    fn from_bytes(bytes: &[u8]) -> Result<Self, Error>
    where
        Self: Sized,
    {
        Self::from_snapshot(PolicySnapshot::from_bytes(bytes)?)
    }

    /// Restores a policy from [`Restorable::snapshot`].
    ///
    /// # Errors
    ///
    /// As [`Restorable::from_json`].
    fn from_snapshot(snapshot: PolicySnapshot) -> Result<Self, Error>
    where
        Self: Sized;
}

/// A saved policy: its problem, its configuration and its learned state.
///
/// Example: [`PolicySnapshot::with_objective`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicySnapshot {
    /// Always [`SNAPSHOT_FORMAT`].
    pub format: String,
    /// The problem.
    pub problem: ProblemConfig,
    /// The policy and its parameters.
    pub policy: PolicyConfig,
    /// The learned state.
    pub state: PolicyState,
}

impl PolicySnapshot {
    /// Restores the policy.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`], or an error about the problem or the configuration.
    pub fn restore(self) -> Result<Box<dyn Restorable>, Error> {
        self.check_sizes()?;
        let mut policy = self.policy.build(&Problem::from_config(self.problem)?)?;
        policy.resume(self.state)?;
        Ok(policy)
    }

    /// Refuses a state whose sizes are not those of the problem.
    fn check_sizes(&self) -> Result<(), Error> {
        if let PolicyState::Restart(state) = &self.state {
            check_size(&inner_state(&state.inner)?, &self.problem)?;
        }
        check_size(&self.state, &self.problem)
    }
}

/// Refuses a state whose sizes are not those of the problem.
fn check_size(state: &impl Learned, problem: &ProblemConfig) -> Result<(), Error> {
    if state.fits(problem) {
        return Ok(());
    }
    Err(damaged(&"the state has another number of features, objectives or arms"))
}

/// A policy of the list. Its parameters are a variant of [`PolicyConfig`]; its state is a variant of
/// [`PolicyState`].
#[doc(hidden)]
pub trait Registered: Saved<State: Into<PolicyState> + TryFrom<PolicyState, Error = Error>> + Any {
    /// The parameters as a variant of [`PolicyConfig`].
    fn wrap(config: Self::Config) -> PolicyConfig;

    /// The parameters of this policy, or none if the configuration is of another policy.
    fn unwrap(config: PolicyConfig) -> Option<Self::Config>;
}

impl<P: Registered> Restorable for P {
    fn problem(&self) -> &Problem {
        Saved::problem(self)
    }

    fn t(&self) -> u64 {
        Saved::t(self)
    }

    fn snapshot(&self) -> PolicySnapshot {
        PolicySnapshot {
            format: SNAPSHOT_FORMAT.into(),
            problem: Saved::problem(self).config().clone(),
            policy: P::wrap(self.config().clone()),
            state: self.state().into(),
        }
    }

    fn resume(&mut self, state: PolicyState) -> Result<(), Error> {
        let state: P::State = state.try_into()?;
        check_size(&state, Saved::problem(self).config())?;
        Saved::resume(self, state)
    }

    fn from_snapshot(snapshot: PolicySnapshot) -> Result<Self, Error> {
        let (sizes, got) = (snapshot.check_sizes(), snapshot.policy.id());
        let config = P::unwrap(snapshot.policy).ok_or(Error::SnapshotPolicy { expected: P::INFO.id, got })?;
        sizes?;
        let mut policy = P::make(Problem::from_config(snapshot.problem)?, config)?;
        Saved::resume(&mut policy, snapshot.state.try_into()?)?;
        Ok(policy)
    }
}

/// Defines everything that follows from the list: the configuration of any policy, its construction and its
/// description.
///
/// Policies under `one` pursue a single number of the reward vector; their configurations have a `target`.
macro_rules! registry {
    (
        many { $( $(#[$many_doc:meta])* $many:ident($($many_path:tt)::+, $many_config:ident), )* }
        one { $( $(#[$one_doc:meta])* $one:ident($($one_path:tt)::+, $one_config:ident), )* }
    ) => {
        /// A policy and its parameters, by the policy's id: `{ id = "moglb-ucb", c = 0.01 }`.
        ///
        /// Example: [`PolicyConfig::recommended`].
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "id", rename_all = "kebab-case")]
        pub enum PolicyConfig {
            $( $(#[$many_doc])* $many(all::$many_config), )*
            $( $(#[$one_doc])* $one(all::$one_config), )*
        }

        impl PolicyConfig {
            /// Builds the policy for a problem. No other function knows all policies.
            ///
            /// # Errors
            ///
            /// Returns an error if a parameter is out of its bounds or the problem lacks something that the
            /// policy needs.
            pub fn build(&self, problem: &Problem) -> Result<Box<dyn Restorable>, Error> {
                let problem = problem.clone();
                Ok(match self {
                    $( PolicyConfig::$many(config) => Box::new(all::$many::new(problem, config.clone())?), )*
                    $( PolicyConfig::$one(config) => Box::new(all::$one::new(problem, config.clone())?), )*
                })
            }

            /// The description of the policy.
            pub fn info(&self) -> &'static PolicyInfo {
                match self {
                    $( PolicyConfig::$many(_) => <all::$many as Saved>::INFO, )*
                    $( PolicyConfig::$one(_) => <all::$one as Saved>::INFO, )*
                }
            }

            /// The number that the policy pursues, if it is a single one.
            pub fn target(&self) -> Option<&Target> {
                match self {
                    $( PolicyConfig::$one(config) => Some(&config.target), )*
                    PolicyConfig::Window(config) => config.policy.target(),
                    PolicyConfig::Restart(config) => config.policy.target(),
                    _ => None,
                }
            }
        }

        /// The descriptions of all policies of the library.
        pub const POLICIES: &[&PolicyInfo] = &[
            $( <all::$many as Saved>::INFO, )*
            $( <all::$one as Saved>::INFO, )*
        ];

        $(
            impl Registered for all::$many {
                fn wrap(config: all::$many_config) -> PolicyConfig {
                    PolicyConfig::$many(config)
                }

                fn unwrap(config: PolicyConfig) -> Option<all::$many_config> {
                    if let PolicyConfig::$many(config) = config { Some(config) } else { None }
                }
            }
        )*

        $(
            impl Registered for all::$one {
                fn wrap(config: all::$one_config) -> PolicyConfig {
                    PolicyConfig::$one(config)
                }

                fn unwrap(config: PolicyConfig) -> Option<all::$one_config> {
                    if let PolicyConfig::$one(config) = config { Some(config) } else { None }
                }
            }
        )*

        /// Every policy and its parameters.
        pub mod all {
            $( pub use $($many_path)::+::{$many, $many_config}; )*
            $( pub use $($one_path)::+::{$one, $one_config}; )*
        }
    };
}

registry! {
    many {
        /// MOGLB-EB, the recommended policy.
        MoglbEb(moglb_core, MoglbEbConfig),
        /// MOGLB-UCB, the paper's algorithm.
        MoglbUcb(moglb_core, MoglbUcbConfig),
        /// MOGLB-UCB with local curvature, and its single-objective control.
        EkfUcb(moglb_core, EkfUcbConfig),
        /// Pareto UCB1.
        PUcb(moglb_rivals, PUcbConfig),
        /// Scalarized UCB1.
        SUcb(moglb_rivals, SUcbConfig),
        /// Pareto Thompson sampling.
        PTs(moglb_rivals, PTsConfig),
        /// Pareto contextual zooming.
        Pcz(moglb_rivals, PczConfig),
        /// Scalarized Thompson sampling.
        STs(moglb_rivals, STsConfig),
        /// Thompson sampling of linear models, and the effective front.
        MolTs(moglb_rivals, MolTsConfig),
        /// Pareto fronts by levels of priority.
        MoslbPl(moglb_rivals, MoslbPlConfig),
        /// Lexicographic filters along chains of priority.
        MoslbPc(moglb_rivals, MoslbPcConfig),
        /// Lexicographic, a single trade-off.
        Stlo(moglb_rivals, StloConfig),
        /// Lexicographic, multiple trade-offs.
        Mtlo(moglb_rivals, MtloConfig),
        /// Random hypervolume scalarizations.
        HypervolumeUcb(moglb_rivals, HypervolumeUcbConfig),
        /// Fair between objectives: the generalized Gini index.
        MoOgde(moglb_rivals, MoOgdeConfig),
        /// MOGLB-UCB with a floor under the plays of arms that may be Pareto optimal.
        FairMoglbUcb(crate::fair_moglb_ucb, FairMoglbUcbConfig),
        /// The uniform control.
        Random(moglb_rivals, RandomConfig),
        /// GLOC for all objectives.
        MoGloc(moglb_rivals, MoGlocConfig),
        /// GLB-OMD for all objectives.
        MoGlbOmd(moglb_rivals, MoGlbOmdConfig),
        /// A sliding window around any policy.
        Window(crate::registry, WindowConfig),
        /// Restarts around any policy.
        Restart(crate::registry, RestartConfig),
    }
    one {
        /// OFUL.
        Oful(moglb_rivals, OfulConfig),
        /// Contextual zooming.
        ContextualZooming(moglb_rivals, ContextualZoomingConfig),
        /// The zooming algorithm.
        Zooming(moglb_rivals, ZoomingConfig),
        /// Hierarchical optimistic optimization.
        Hoo(moglb_rivals, HooConfig),
        /// Query-Ad-Clustering.
        QueryAdClustering(moglb_rivals, QueryAdClusteringConfig),
        /// LinUCB with disjoint models.
        LinUcb(moglb_rivals, LinUcbConfig),
        /// LinUCB with hybrid models.
        LinUcbHybrid(moglb_rivals, LinUcbHybridConfig),
        /// Linear Thompson sampling.
        LinTs(moglb_rivals, LinTsConfig),
        /// ConfidenceBall₂.
        ConfidenceBall(moglb_rivals, ConfidenceBallConfig),
        /// LinRel.
        LinRel(moglb_rivals, LinRelConfig),
        /// SupLinRel.
        SupLinRel(moglb_rivals, SupLinRelConfig),
        /// UCB1.
        Ucb1(moglb_rivals, Ucb1Config),
        /// Exp3.
        Exp3(moglb_rivals, Exp3Config),
        /// Exp4 over linear scalarizations.
        Exp4(moglb_rivals, Exp4Config),
        /// Epoch-Greedy over linear scalarizations.
        EpochGreedy(moglb_rivals, EpochGreedyConfig),
        /// ILOVETOCONBANDITS over linear scalarizations.
        Iltcb(moglb_rivals, IltcbConfig),
        /// MO-KS.
        MoKs(moglb_rivals, MoKsConfig),
        /// MO-US.
        MoUs(moglb_rivals, MoUsConfig),
        /// GLM-UCB.
        GlmUcb(moglb_rivals, GlmUcbConfig),
        /// OL²M.
        Ol2m(moglb_rivals, Ol2mConfig),
        /// GLOC.
        Gloc(moglb_rivals, GlocConfig),
        /// GLOC with Thompson sampling.
        GlocTs(moglb_rivals, GlocTsConfig),
        /// GLOC with squared norms.
        Qgloc(moglb_rivals, QglocConfig),
        /// GLB-OMD.
        GlbOmd(moglb_rivals, GlbOmdConfig),
        /// OFU-ECOLog.
        OfuEcolog(moglb_rivals, OfuEcologConfig),
        /// ada-OFU-ECOLog.
        AdaOfuEcolog(moglb_rivals, AdaOfuEcologConfig),
        /// OFUGLB.
        OfuGlb(moglb_rivals, OfuGlbConfig),
        /// RS-GLinCB.
        RsGlincb(moglb_rivals, RsGlincbConfig),
    }
}

/// A sliding window around any policy. The policy inside learns the last rounds only.
///
/// ```
/// use moglb::{draw, ArmSet, Link, Objective, Policy, Problem, Window, WindowConfig};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = Window::new(problem, WindowConfig { window: 200, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
pub type Window = window::WindowAround<PolicyConfig>;

/// The parameters of [`Window`]. Example: [`Window`].
pub type WindowConfig = window::WindowAroundConfig<PolicyConfig>;

/// Restarts around any policy. A new policy inside takes over when the rewards have changed.
///
/// ```
/// use moglb::{draw, ArmSet, Link, Objective, Policy, Problem, Restart, RestartConfig};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = Restart::new(problem, RestartConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// assert_eq!(policy.restarts(), 0);
/// # Ok::<(), moglb::Error>(())
/// ```
pub type Restart = restart::RestartAround<PolicyConfig>;

/// The parameters of [`Restart`]. Example: [`Restart`].
pub type RestartConfig = restart::RestartAroundConfig<PolicyConfig>;

impl InnerConfig for PolicyConfig {
    type Policy = dyn Restorable;

    fn recommended() -> Self {
        PolicyConfig::recommended()
    }

    fn build_inner(&self, problem: &Problem) -> Result<Box<dyn Restorable>, Error> {
        if matches!(self, PolicyConfig::Window(_) | PolicyConfig::Restart(_)) {
            return Err(Error::Parameters { what: "the policy inside must be one without a policy inside" });
        }
        self.build(problem)
    }
}

impl InnerPolicy for dyn Restorable {
    fn rounds(&self) -> u64 {
        self.t()
    }

    fn state_text(&self) -> String {
        serde_json::to_string(&self.snapshot().state).expect("a state is finite numbers")
    }

    fn resume_text(&mut self, state: &str) -> Result<(), Error> {
        self.resume(inner_state(state)?)
    }
}

/// Reads the state of a policy inside another. It refuses a state that itself has one inside: such states
/// could be nested deeper than a reader's stack.
fn inner_state(text: &str) -> Result<PolicyState, Error> {
    match serde_json::from_str(text).map_err(|error| damaged(&error))? {
        PolicyState::Window(_) | PolicyState::Restart(_) => Err(damaged(&"a state within states")),
        state => Ok(state),
    }
}

impl PolicyConfig {
    /// The policy to begin with: MOGLB-EB with all its defaults.
    ///
    /// ```
    /// use moglb::{ArmSet, Link, Objective, PolicyConfig, Problem, draw};
    ///
    /// let cost = Objective::new("cost", Link::Identity).minimize();
    /// let objectives = vec![Objective::new("click", Link::Logit), cost];
    /// let mut policy = PolicyConfig::recommended().build(&Problem::new(2, objectives)?)?;
    /// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
    /// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
    /// policy.learn(arms.arm(decision.arm), &[1.0, 0.3])?;
    /// assert_eq!(PolicyConfig::recommended().id(), "moglb-eb");
    /// # Ok::<(), moglb::Error>(())
    /// ```
    pub fn recommended() -> Self {
        PolicyConfig::MoglbEb(all::MoglbEbConfig::default())
    }

    /// The policy's id.
    pub fn id(&self) -> &'static str {
        self.info().id
    }
}
