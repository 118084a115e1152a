//! The parameters of MOGLB-UCB, and how people write them.

use crate::discount::{self, DISCOUNT};
use crate::prior::PRIOR;
use crate::{Kind, Parameter, PolicyInfo, Prior, Width};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

pub const INFO: PolicyInfo = PolicyInfo {
    id: "moglb-ucb",
    name: "MOGLB-UCB",
    source: "Lu, Wang, Hu, Zhang: Multi-Objective Generalized Linear Bandits, IJCAI 2019",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets",
    guarantee: "Pareto regret Õ(d√T) with probability 1 − δ (Theorem 2), with width = proved or tightened",
    cost: "O(Kd + K·m + front) on fixed arms, O(Kd² + K·m·d + front) on fresh ones; O(d²) more per projected objective",
    has_front: true,
    parameters: &[
        Parameter {
            name: "width",
            kind: Kind::Word,
            default: "tuned",
            meaning: "tuned, proved (Eq. 8) or tightened (same proof, ~30x smaller)",
        },
        Parameter {
            name: "c",
            kind: Kind::Number,
            default: "0.01",
            meaning: "factor of the tuned width, γ = c·log(det Z_t / det Z_1)",
        },
        Parameter {
            name: "delta",
            kind: Kind::Number,
            default: "0.05",
            meaning: "chance of error of the proved and tightened widths",
        },
        Parameter {
            name: "lambda",
            kind: Kind::Number,
            default: "max(1, κ/2)",
            meaning: "regularization, Z_1 = λI",
        },
        Parameter {
            name: "kappa",
            kind: Kind::Word,
            default: "shared",
            meaning: "shared: one Z with the smallest κ (the paper); per-objective: one Z per distinct κ",
        },
        DISCOUNT,
        PRIOR,
    ],
    departures: "",
};

/// Whether objectives share one Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kappa {
    /// One Z with the smallest κ, as in the paper.
    #[default]
    Shared,
    /// Each objective has the Z of its own κᵢ. Theorem 1 is proved objective by objective, so this is legal.
    PerObjective,
}

/// The parameters of [`MoglbUcb`](crate::MoglbUcb).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenConfig", into = "WrittenConfig")]
pub struct MoglbUcbConfig {
    /// How γ is chosen.
    pub width: Width,
    /// λ; max(1, κ/2) unless given.
    pub lambda: Option<f64>,
    /// Whether objectives share one Z.
    pub kappa: Kappa,
    /// The weight of a reward after the next one of its objective, relative to before.
    pub discount: f64,
    /// What is believed about each objective before the first round; nothing unless given.
    pub prior: Vec<Prior>,
}

impl Default for MoglbUcbConfig {
    fn default() -> Self {
        let (width, kappa) = (Width::default(), Kappa::default());
        Self { width, lambda: None, kappa, discount: discount::none(), prior: Vec::new() }
    }
}

/// The configuration as people write it: flat, with `c` or `delta` beside `width`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    width: Option<WrittenWidth>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    c: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delta: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lambda: Option<f64>,
    #[serde(default)]
    kappa: Kappa,
    #[serde(default = "discount::none", skip_serializing_if = "discount::is_none")]
    discount: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    prior: Vec<Prior>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WrittenWidth {
    Tuned,
    Proved,
    Tightened,
}

impl TryFrom<WrittenConfig> for MoglbUcbConfig {
    type Error = Error;

    fn try_from(written: WrittenConfig) -> Result<Self, Error> {
        let kind = written.width.unwrap_or(WrittenWidth::Tuned);
        let width = match (kind, written.c, written.delta) {
            (WrittenWidth::Tuned, c, None) => c.map_or(Width::default(), |c| Width::Tuned { c }),
            (WrittenWidth::Proved, None, delta) => Width::Proved { delta: delta.unwrap_or(0.05) },
            (WrittenWidth::Tightened, None, delta) => Width::Tightened { delta: delta.unwrap_or(0.05) },
            (WrittenWidth::Tuned, _, Some(_)) => {
                return Err(Error::Parameters { what: "delta goes with width = proved or tightened" });
            }
            (_, Some(_), _) => return Err(Error::Parameters { what: "c goes with width = tuned" }),
        };
        let WrittenConfig { lambda, kappa, discount, prior, .. } = written;
        Ok(Self { width, lambda, kappa, discount, prior })
    }
}

impl From<MoglbUcbConfig> for WrittenConfig {
    fn from(config: MoglbUcbConfig) -> Self {
        let (width, c, delta) = match config.width {
            Width::Tuned { c } => (WrittenWidth::Tuned, Some(c), None),
            Width::Proved { delta } => (WrittenWidth::Proved, None, Some(delta)),
            Width::Tightened { delta } => (WrittenWidth::Tightened, None, Some(delta)),
        };
        let MoglbUcbConfig { lambda, kappa, discount, prior, .. } = config;
        Self { width: Some(width), c, delta, lambda, kappa, discount, prior }
    }
}
