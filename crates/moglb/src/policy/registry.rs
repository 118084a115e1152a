//! The closed list of policies that come with the library. A policy is entered here once.

use crate::policy::{PolicyInfo, Restorable, Target};
use crate::{Error, Problem};
use serde::{Deserialize, Serialize};

/// Makes all that follows from the list: the configuration of any policy, how it is built, what is known about it.
///
/// Policies under `one` pursue a single number of the reward vector; their configurations have a `target`.
macro_rules! registry {
    (
        many { $( $(#[$many_doc:meta])* $many:ident($($many_path:ident)::+, $many_config:ident), )* }
        one { $( $(#[$one_doc:meta])* $one:ident($($one_path:ident)::+, $one_config:ident), )* }
    ) => {
        /// A policy and its parameters, by the policy's id: `{ id = "moglb-ucb", c = 0.01 }`.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "id", rename_all = "kebab-case")]
        pub enum PolicyConfig {
            $( $(#[$many_doc])* $many(all::$many_config), )*
            $( $(#[$one_doc])* $one(all::$one_config), )*
        }

        impl PolicyConfig {
            /// The policy for a problem. The only place that knows all policies.
            ///
            /// # Errors
            ///
            /// When a parameter is out of its bounds or the problem lacks what the policy needs.
            pub fn build(&self, problem: &Problem) -> Result<Box<dyn Restorable>, Error> {
                let problem = problem.clone();
                Ok(match self {
                    $( PolicyConfig::$many(config) => Box::new(all::$many::new(problem, config.clone())?), )*
                    $( PolicyConfig::$one(config) => Box::new(all::$one::new(problem, config.clone())?), )*
                })
            }

            /// What is known about the policy.
            pub fn info(&self) -> &'static PolicyInfo {
                match self {
                    $( PolicyConfig::$many(_) => &super::$($many_path)::+::INFO, )*
                    $( PolicyConfig::$one(_) => &super::$($one_path)::+::INFO, )*
                }
            }

            /// What the policy pursues, if that is a single number.
            pub fn target(&self) -> Option<&Target> {
                match self {
                    $( PolicyConfig::$one(config) => Some(&config.target), )*
                    PolicyConfig::Window(config) => config.policy.target(),
                    PolicyConfig::Restart(config) => config.policy.target(),
                    _ => None,
                }
            }
        }

        /// All policies of the library.
        pub const POLICIES: &[&PolicyInfo] = &[
            $( &super::$($many_path)::+::INFO, )*
            $( &super::$($one_path)::+::INFO, )*
        ];

        /// Every policy and its parameters.
        pub mod all {
            $( pub use super::super::$($many_path)::+::{$many, $many_config}; )*
            $( pub use super::super::$($one_path)::+::{$one, $one_config}; )*
        }
    };
}

registry! {
    many {
        /// MOGLB-EB, the recommended policy.
        MoglbEb(moglb_eb, MoglbEbConfig),
        /// MOGLB-UCB, the paper's algorithm.
        MoglbUcb(moglb_ucb, MoglbUcbConfig),
        /// MOGLB-UCB with local curvature, and its single-objective control.
        EkfUcb(ekf_ucb, EkfUcbConfig),
        /// Pareto UCB1.
        PUcb(p_ucb, PUcbConfig),
        /// Scalarized UCB1.
        SUcb(s_ucb, SUcbConfig),
        /// Pareto Thompson sampling.
        PTs(p_ts, PTsConfig),
        /// Pareto contextual zooming.
        Pcz(lipschitz::pcz, PczConfig),
        /// Scalarized Thompson sampling.
        STs(multi::s_ts, STsConfig),
        /// Thompson sampling of linear models, and the effective front.
        MolTs(multi::mol_ts, MolTsConfig),
        /// Pareto fronts by levels of priority.
        MoslbPl(multi::moslb_pl, MoslbPlConfig),
        /// Lexicographic filters along chains of priority.
        MoslbPc(multi::moslb_pc, MoslbPcConfig),
        /// Lexicographic, a single trade-off.
        Stlo(multi::stlo, StloConfig),
        /// Lexicographic, multiple trade-offs.
        Mtlo(multi::mtlo, MtloConfig),
        /// Random hypervolume scalarizations.
        HypervolumeUcb(multi::hypervolume_ucb, HypervolumeUcbConfig),
        /// Fair between objectives: the generalized Gini index.
        MoOgde(multi::mo_ogde, MoOgdeConfig),
        /// MOGLB-UCB with a floor under the plays of arms that may be Pareto optimal.
        FairMoglbUcb(fair_moglb_ucb, FairMoglbUcbConfig),
        /// The uniform control.
        Random(random, RandomConfig),
        /// GLOC for all objectives.
        MoGloc(glm::mo_gloc, MoGlocConfig),
        /// GLB-OMD for all objectives.
        MoGlbOmd(glm::mo_glb_omd, MoGlbOmdConfig),
        /// A sliding window around any policy.
        Window(drift::window, WindowConfig),
        /// Restarts around any policy.
        Restart(drift::restart, RestartConfig),
    }
    one {
        /// OFUL.
        Oful(linear::oful, OfulConfig),
        /// Contextual zooming.
        ContextualZooming(lipschitz::contextual_zooming, ContextualZoomingConfig),
        /// The zooming algorithm.
        Zooming(lipschitz::zooming, ZoomingConfig),
        /// Hierarchical optimistic optimization.
        Hoo(lipschitz::hoo, HooConfig),
        /// Query-Ad-Clustering.
        QueryAdClustering(lipschitz::query_ad_clustering, QueryAdClusteringConfig),
        /// LinUCB with disjoint models.
        LinUcb(linear::lin_ucb, LinUcbConfig),
        /// LinUCB with hybrid models.
        LinUcbHybrid(linear::lin_ucb_hybrid, LinUcbHybridConfig),
        /// Linear Thompson sampling.
        LinTs(linear::lin_ts, LinTsConfig),
        /// ConfidenceBall₂.
        ConfidenceBall(linear::confidence_ball, ConfidenceBallConfig),
        /// LinRel.
        LinRel(linear::lin_rel, LinRelConfig),
        /// SupLinRel.
        SupLinRel(linear::sup_lin_rel, SupLinRelConfig),
        /// UCB1.
        Ucb1(general::ucb1, Ucb1Config),
        /// Exp3.
        Exp3(general::exp3, Exp3Config),
        /// Exp4 over linear scalarizations.
        Exp4(general::exp4, Exp4Config),
        /// Epoch-Greedy over linear scalarizations.
        EpochGreedy(general::epoch_greedy, EpochGreedyConfig),
        /// ILOVETOCONBANDITS over linear scalarizations.
        Iltcb(general::iltcb, IltcbConfig),
        /// MO-KS.
        MoKs(general::mo_ks, MoKsConfig),
        /// MO-US.
        MoUs(general::mo_us, MoUsConfig),
        /// GLM-UCB.
        GlmUcb(glm::glm_ucb, GlmUcbConfig),
        /// OL²M.
        Ol2m(glm::ol2m, Ol2mConfig),
        /// GLOC.
        Gloc(glm::gloc, GlocConfig),
        /// GLOC with Thompson sampling.
        GlocTs(glm::gloc_ts, GlocTsConfig),
        /// GLOC with squared norms.
        Qgloc(glm::qgloc, QglocConfig),
        /// GLB-OMD.
        GlbOmd(glm::glb_omd, GlbOmdConfig),
        /// OFU-ECOLog.
        OfuEcolog(glm::ofu_ecolog, OfuEcologConfig),
        /// ada-OFU-ECOLog.
        AdaOfuEcolog(glm::ada_ofu_ecolog, AdaOfuEcologConfig),
        /// OFUGLB.
        OfuGlb(glm::ofu_glb, OfuGlbConfig),
        /// RS-GLinCB.
        RsGlincb(glm::rs_glincb, RsGlincbConfig),
    }
}

impl PolicyConfig {
    /// The policy to begin with: MOGLB-EB with all its defaults.
    ///
    /// ```
    /// use moglb::{ArmSet, Link, Objective, PolicyConfig, Problem, draw};
    ///
    /// let objectives = vec![Objective::new("click", Link::Logit), Objective::new("cost", Link::Identity).minimize()];
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
