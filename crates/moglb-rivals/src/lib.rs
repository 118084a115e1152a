//! The policies of the literature and the baselines of the paper, one file for each policy.
//!
//! | group | policies |
//! |---|---|
//! | `linear` | the mean reward is θᵀx |
//! | `glm` | the mean reward is μ(θᵀx) |
//! | `lipschitz` | the mean reward is Lipschitz in the context |
//! | `general` | no model of the reward: numbers for each arm, or weights of experts |
//! | `multi` | several objectives |
//! | `p_ucb`, `s_ucb`, `p_ts`, `random` | the baselines |
//!
//! Three modules are shared by policies of several groups: `ridge`, `traced_gram` and `seen_arms`.
//!
//! Users import these types from the crate `moglb`, which re-exports them.

// The modules below are hidden in the documentation. Their docs are read in the source, where links to
// private items help.
#![allow(rustdoc::private_intra_doc_links)]

#[doc(hidden)]
pub mod general;
#[doc(hidden)]
pub mod glm;
#[doc(hidden)]
pub mod linear;
#[doc(hidden)]
pub mod lipschitz;
#[doc(hidden)]
pub mod multi;
#[doc(hidden)]
pub mod p_ts;
#[doc(hidden)]
pub mod p_ucb;
#[doc(hidden)]
pub mod random;
#[doc(hidden)]
pub mod ridge;
#[doc(hidden)]
pub mod s_ucb;
#[doc(hidden)]
pub mod seen_arms;
#[doc(hidden)]
pub mod traced_gram;

pub use general::epoch_greedy::{EpochGreedy, EpochGreedyConfig};
pub use general::exp3::{Exp3, Exp3Config};
pub use general::exp4::{Exp4, Exp4Config};
pub use general::iltcb::{Iltcb, IltcbConfig};
pub use general::mo_ks::{MoKs, MoKsConfig, Rewards};
pub use general::mo_us::{MoUs, MoUsConfig};
pub use general::ucb1::{Ucb1, Ucb1Config};
pub use glm::ada_ofu_ecolog::{AdaOfuEcolog, AdaOfuEcologConfig};
pub use glm::glb_omd::{GlbOmd, GlbOmdConfig};
pub use glm::glm_ucb::{GlmUcb, GlmUcbConfig};
pub use glm::gloc::{Gloc, GlocConfig};
pub use glm::gloc_ts::{GlocTs, GlocTsConfig};
pub use glm::mo_glb_omd::{MoGlbOmd, MoGlbOmdConfig};
pub use glm::mo_gloc::{MoGloc, MoGlocConfig};
pub use glm::ofu_ecolog::{OfuEcolog, OfuEcologConfig};
pub use glm::ofu_glb::{OfuGlb, OfuGlbConfig};
pub use glm::ol2m::{Ol2m, Ol2mConfig};
pub use glm::qgloc::{Qgloc, QglocConfig};
pub use glm::rs_glincb::{RsGlincb, RsGlincbConfig};
pub use linear::confidence_ball::{ConfidenceBall, ConfidenceBallConfig};
pub use linear::lin_rel::{LinRel, LinRelConfig};
pub use linear::lin_ts::{LinTs, LinTsConfig};
pub use linear::lin_ucb::{LinUcb, LinUcbConfig};
pub use linear::lin_ucb_hybrid::{LinUcbHybrid, LinUcbHybridConfig};
pub use linear::oful::{Oful, OfulConfig};
pub use linear::sup_lin_rel::{SupLinRel, SupLinRelConfig};
pub use lipschitz::contextual_zooming::{ContextualZooming, ContextualZoomingConfig};
pub use lipschitz::hoo::{Hoo, HooConfig};
pub use lipschitz::pcz::{Pcz, PczConfig, PczState};
pub use lipschitz::query_ad_clustering::{QueryAdClustering, QueryAdClusteringConfig};
pub use lipschitz::zooming::{Zooming, ZoomingConfig};
pub use lipschitz::{Ball, BallState, IntervalDecision, PczInterval, PczIntervalConfig};
pub use multi::hypervolume_ucb::{HypervolumeUcb, HypervolumeUcbConfig};
pub use multi::mo_ogde::{MoOgde, MoOgdeConfig};
pub use multi::mol_ts::{MolTs, MolTsConfig};
pub use multi::moslb_pc::{MoslbPc, MoslbPcConfig};
pub use multi::moslb_pl::{MoslbPl, MoslbPlConfig};
pub use multi::mtlo::{Mtlo, MtloConfig};
pub use multi::s_ts::{STs, STsConfig};
pub use multi::stlo::{Stlo, StloConfig};
pub use p_ts::{PTs, PTsConfig};
pub use p_ucb::{PUcb, PUcbConfig};
pub use random::{Random, RandomConfig};
pub use s_ucb::{SUcb, SUcbConfig};
