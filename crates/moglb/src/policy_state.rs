//! The closed list of learned states, and the type that can hold any of them. A new kind of learned state is
//! added here, at the end of the list.

use crate::drift::restart::RestartState;
use crate::drift::window::WindowState;
use crate::fair_moglb_ucb::FairMoglbUcbState;
use moglb_core::ProblemConfig;
use moglb_core::arm_stats::ArmStats;
use moglb_core::local_curvature::state::EkfUcbState;
use moglb_core::moglb_eb::state::MoglbEbState;
use moglb_core::moglb_ucb::snapshot::{LearnerState, MoglbUcbPartsState, MoglbUcbState};
use moglb_core::saved::{Learned, damaged};
use moglb_math::Error;
use moglb_rivals::general::epoch_greedy::EpochGreedyState;
use moglb_rivals::general::exp3::Exp3State;
use moglb_rivals::general::exp4::Exp4State;
use moglb_rivals::general::iltcb::IltcbState;
use moglb_rivals::general::mo_ks::MoKsState;
use moglb_rivals::general::mo_us::MoUsState;
use moglb_rivals::glm::glm_ucb::GlmUcbState;
use moglb_rivals::glm::ofu_glb::OfuGlbState;
use moglb_rivals::glm::ol2m::Ol2mState;
use moglb_rivals::glm::rs_glincb::RsGlincbState;
use moglb_rivals::glm::{EcologState, GlbOmdState, GlocState};
use moglb_rivals::linear::confidence_ball::ConfidenceBallState;
use moglb_rivals::linear::lin_rel::LinRelState;
use moglb_rivals::linear::lin_ts::LinTsState;
use moglb_rivals::linear::lin_ucb::LinUcbState;
use moglb_rivals::linear::lin_ucb_hybrid::LinUcbHybridState;
use moglb_rivals::linear::oful::OfulState;
use moglb_rivals::linear::sup_lin_rel::SupLinRelState;
use moglb_rivals::lipschitz::contextual_zooming::ContextualZoomingState;
use moglb_rivals::lipschitz::hoo::HooState;
use moglb_rivals::lipschitz::pcz::PczState;
use moglb_rivals::lipschitz::query_ad_clustering::QueryAdClusteringState;
use moglb_rivals::lipschitz::zooming::ZoomingState;
use moglb_rivals::multi::linear_model::LinearModelState;
use moglb_rivals::multi::mo_ogde::MoOgdeState;
use moglb_rivals::multi::scalarization::ScalarizedState;
use moglb_rivals::s_ucb::SUcbState;
use serde::{Deserialize, Serialize};

/// Defines the enum of all learned states, and the conversions into it and out of it.
macro_rules! states {
    ($( $(#[$doc:meta])* $name:ident($state:ty), )*) => {
        /// The learned state of any policy.
        ///
        /// Example: [`PolicySnapshot::with_objective`](crate::PolicySnapshot::with_objective).
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
                        _ => Err(other_policy()),
                    }
                }
            }
        )*
    };
}

/// Returns the error of a state that belongs to another policy.
fn other_policy() -> Error {
    damaged(&"the state is of another policy")
}

// The binary format stores the index of the variant, so new variants go to the end.
states! {
    /// The state of MOGLB-UCB.
    MoglbUcb(MoglbUcbState),
    /// The state of policies that keep counts and sums per arm, such as P-UCB and UCB1.
    Arms(ArmStats),
    /// The state of policies that learn nothing but the number of rounds.
    Rounds(u64),
    /// The state of EKF-UCB.
    EkfUcb(EkfUcbState),
    /// The state of MOGLB-EB.
    MoglbEb(MoglbEbState),
    /// The state of OFUL.
    Oful(OfulState),
    /// The state of Pareto contextual zooming.
    Pcz(PczState),
    /// The state of contextual zooming.
    ContextualZooming(ContextualZoomingState),
    /// The state of the zooming algorithm.
    Zooming(ZoomingState),
    /// The state of HOO.
    Hoo(HooState),
    /// The state of Query-Ad-Clustering.
    QueryAdClustering(QueryAdClusteringState),
    /// The state of LinUCB.
    LinUcb(LinUcbState),
    /// The state of hybrid LinUCB.
    LinUcbHybrid(LinUcbHybridState),
    /// The state of linear Thompson sampling.
    LinTs(LinTsState),
    /// The state of ConfidenceBall₂.
    ConfidenceBall(ConfidenceBallState),
    /// The state of LinRel.
    LinRel(LinRelState),
    /// The state of SupLinRel.
    SupLinRel(SupLinRelState),
    /// The state of Exp3.
    Exp3(Exp3State),
    /// The state of Exp4.
    Exp4(Exp4State),
    /// The state of Epoch-Greedy.
    EpochGreedy(EpochGreedyState),
    /// The state of ILOVETOCONBANDITS.
    Iltcb(IltcbState),
    /// The state of MO-KS.
    MoKs(MoKsState),
    /// The state of MO-US.
    MoUs(MoUsState),
    /// The state of S-UCB with a set of weight vectors.
    Scalarized(ScalarizedState),
    /// The state of policies with one linear model of all objectives.
    LinearModel(LinearModelState),
    /// The state of MO-OGDE.
    MoOgde(MoOgdeState),
    /// The state of OL²M.
    Ol2m(Ol2mState),
    /// The state of GLOC, GLOC-TS, QGLOC and MO-GLOC.
    Gloc(GlocState),
    /// The state of GLM-UCB.
    GlmUcb(GlmUcbState),
    /// The state of GLB-OMD, for one objective or all.
    GlbOmd(GlbOmdState),
    /// The state of OFU-ECOLog and ada-OFU-ECOLog.
    Ecolog(EcologState),
    /// The state of OFUGLB.
    OfuGlb(OfuGlbState),
    /// The state of RS-GLinCB.
    RsGlincb(RsGlincbState),
    /// The state of MOGLB-UCB whose objectives learned different rounds.
    MoglbUcbParts(MoglbUcbPartsState),
    /// The state of Fair MOGLB-UCB.
    FairMoglbUcb(FairMoglbUcbState),
    /// The state of a sliding window.
    Window(WindowState),
    /// The state of a policy with restarts.
    Restart(RestartState),
}

// MOGLB-UCB and S-UCB have a short state for the usual case and a long state for other cases.

impl From<LearnerState> for PolicyState {
    fn from(state: LearnerState) -> Self {
        match state {
            LearnerState::Whole(state) => state.into(),
            LearnerState::Parts(state) => state.into(),
        }
    }
}

impl TryFrom<PolicyState> for LearnerState {
    type Error = Error;

    fn try_from(state: PolicyState) -> Result<Self, Error> {
        match state {
            PolicyState::MoglbUcb(state) => Ok(LearnerState::Whole(state)),
            PolicyState::MoglbUcbParts(state) => Ok(LearnerState::Parts(state)),
            _ => Err(other_policy()),
        }
    }
}

impl From<SUcbState> for PolicyState {
    fn from(state: SUcbState) -> Self {
        match state {
            SUcbState::One(state) => state.into(),
            SUcbState::All(state) => state.into(),
        }
    }
}

impl TryFrom<PolicyState> for SUcbState {
    type Error = Error;

    fn try_from(state: PolicyState) -> Result<Self, Error> {
        match state {
            PolicyState::Arms(state) => Ok(SUcbState::One(state)),
            PolicyState::Scalarized(state) => Ok(SUcbState::All(state)),
            _ => Err(other_policy()),
        }
    }
}
