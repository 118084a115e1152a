//! The parameters of MOGLB-UCB and their JSON form.

use crate::discount::{self, DISCOUNT};
use crate::prior::PRIOR;
use crate::{Kind, Parameter, PolicyInfo, Prior, Width};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

// The texts of this table also appear in docs/policies.md and in the Python package.
pub const INFO: PolicyInfo = PolicyInfo {
    id: "moglb-ucb",
    name: "MOGLB-UCB",
    source: "Lu, Wang, Hu, Zhang: Multi-Objective Generalized Linear Bandits, IJCAI 2019",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets",
    guarantee: "Pareto regret Õ(d√T) with probability 1 − δ (Theorem 2), with width = proved or tightened",
    cost: "O(Kd + K·m + front) on fixed arms, O(Kd² + K·m·d + front) on fresh ones; \
           O(d²) more per projected objective",
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

/// The number of Gram matrices: one Z for all objectives, or one Z for each κ.
///
/// Example: [`MoglbUcb`].
///
/// [`MoglbUcb`]: crate::MoglbUcb
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kappa {
    /// One Z with the smallest κ, as in the paper.
    #[default]
    Shared,
    /// One Z for each distinct κᵢ. Theorem 1 is proved objective by objective, so it still holds.
    PerObjective,
}

/// The parameters of [`MoglbUcb`](crate::MoglbUcb). The default width is that of the paper's experiments,
/// with c = 0.01.
///
/// Example: [`MoglbUcb`].
///
/// [`MoglbUcb`]: crate::MoglbUcb
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenConfig", into = "WrittenConfig")]
pub struct MoglbUcbConfig {
    /// The formula for γ, the squared width factor of Eq. (6).
    pub width: Width,
    /// λ of Z_1 = λI, at least max(1, κ/2). If none, exactly that bound.
    pub lambda: Option<f64>,
    /// One Z for all objectives, or one Z for each κ.
    pub kappa: Kappa,
    /// The factor by which the weight of a reward shrinks with each later reward of its objective. 1
    /// forgets nothing.
    pub discount: f64,
    /// A prior for each objective. Empty means no prior.
    pub prior: Vec<Prior>,
}

impl Default for MoglbUcbConfig {
    fn default() -> Self {
        let (width, kappa) = (Width::default(), Kappa::default());
        Self { width, lambda: None, kappa, discount: discount::none(), prior: Vec::new() }
    }
}

/// The configuration as users write it: flat, with `c` or `delta` next to `width`.
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

/// The name of a width in JSON; its parameter is a separate key.
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
