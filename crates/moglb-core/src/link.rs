//! Links: the mean of a reward as a function of the linear score z = θᵀx (Assumption 3).
//!
//! Links cross every boundary (TOML, JSON, Python, snapshots) by name. Each variant gives the mean μ, its
//! slope μ′, the cumulant g with g′ = μ, and the inverse of μ. All are accurate far out in the tails, where
//! the naive formulas cancel or underflow. exp, log and erfc come from `libm`, so that the bits are the
//! same on every machine.

pub mod constants;
pub mod custom;
pub mod likelihood;
pub mod registered;

pub use constants::LinkConstants;
pub use custom::{CustomLink, LinkFunction};
pub use likelihood::Fisher;

use libm::{atanh, erfc, exp, log, log1p, sqrt};
use moglb_math::Error;
use moglb_math::echo::Echo;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

/// A link function μ with g′ = μ.
///
/// ```
/// use moglb::Link;
/// assert_eq!(Link::Logit.mean(0.0), 0.5);
/// let constants = Link::Logit.constants(1.0);
/// assert!((constants.kappa - 0.196612).abs() < 1e-6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Link {
    /// μ(z) = z, the stochastic linear bandit.
    Identity,
    /// μ(z) = 1 / (1 + e⁻ᶻ), one-bit rewards.
    Logit,
    /// μ(z) = Φ(z), one-bit rewards.
    ///
    /// # Departure
    ///
    /// Probit is not the canonical link of the Bernoulli law. So with g′ = Φ the surrogate loss −yz + g(z)
    /// is a quasi-likelihood, and the paper's line "maximum likelihood = argmin" does not hold for it.
    /// Theorem 1 does hold: it needs only E y = μ, bounded y and μ′ ≥ κ.
    Probit,
    /// μ(z) = eᶻ, counts (Poisson). Usable because z stays in [−D, D].
    Log,
    /// A link registered with [`Link::register`].
    Custom(CustomLink),
}

impl From<Link> for String {
    fn from(link: Link) -> Self {
        link.name().into()
    }
}

impl TryFrom<String> for Link {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        Self::named(&name).ok_or_else(|| {
            format!("there is no link `{}`: expected {} or a registered link", Echo(&name), names())
        })
    }
}

impl Link {
    /// All links of the library, in the order of the documentation.
    pub const ALL: [Link; 4] = [Link::Identity, Link::Logit, Link::Probit, Link::Log];

    /// Returns the name used in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Link::Identity => "identity",
            Link::Logit => "logit",
            Link::Probit => "probit",
            Link::Log => "log",
            Link::Custom(custom) => custom.name(),
        }
    }

    /// Returns the mean μ(z).
    pub fn mean(self, z: f64) -> f64 {
        match self {
            Link::Identity => z,
            Link::Logit => {
                // exp of a nonpositive number only: no overflow, and no 1 − (1 − ε) for z ≪ 0.
                let e = exp(-z.abs());
                if z >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
            }
            Link::Probit => normal_distribution(z),
            Link::Log => exp(z),
            Link::Custom(custom) => custom.mean(z),
        }
    }

    /// Returns the slope μ′(z).
    pub fn slope(self, z: f64) -> f64 {
        match self {
            Link::Identity => 1.0,
            Link::Logit => {
                let e = exp(-z.abs());
                e / ((1.0 + e) * (1.0 + e))
            }
            Link::Probit => normal_density(z),
            Link::Log => exp(z),
            Link::Custom(custom) => custom.slope(z),
        }
    }

    /// Returns the cumulant g(z), with g′ = μ: z²/2, log(1 + eᶻ), zΦ(z) + φ(z), eᶻ.
    pub fn cumulant(self, z: f64) -> f64 {
        match self {
            Link::Identity => 0.5 * z * z,
            Link::Logit => z.max(0.0) + log1p(exp(-z.abs())),
            Link::Probit if z < -2.0 => {
                // zΦ(z) + φ(z) cancels here. With Mills' ratio Φ(−x)/φ(x) = 1/(x + T) it equals
                // φ(x) T / (x + T).
                let (x, tail) = (-z, mills_tail(-z));
                normal_density(x) * tail / (x + tail)
            }
            Link::Probit => z * self.mean(z) + normal_density(z),
            Link::Log => exp(z),
            Link::Custom(custom) => custom.cumulant(z),
        }
    }

    /// Returns the score z whose mean is `mean`.
    ///
    /// # Errors
    ///
    /// [`Error::NotAMean`] for a value that is not a mean of this link.
    pub fn inverse(self, mean: f64) -> Result<f64, Error> {
        let takes = match self {
            Link::Custom(custom) => {
                let score = custom.inverse(mean);
                return score.ok_or(Error::NotAMean { link: self.name(), value: mean });
            }
            Link::Identity => mean.is_finite(),
            Link::Logit | Link::Probit => mean > 0.0 && mean < 1.0,
            Link::Log => mean > 0.0 && mean.is_finite(),
        };
        if !takes {
            return Err(Error::NotAMean { link: self.name(), value: mean });
        }
        Ok(match self {
            Link::Identity => mean,
            // Two logarithms of nearly the same size would cancel around ½.
            Link::Logit if (mean - 0.5).abs() < 0.25 => 2.0 * atanh(2.0 * mean - 1.0),
            Link::Logit => log(mean) - log1p(-mean),
            Link::Probit => normal_quantile(mean),
            Link::Log => log(mean),
            Link::Custom(_) => unreachable!("returned above"),
        })
    }

    /// Returns κ, L and U on [−D, D].
    pub fn constants(self, radius: f64) -> LinkConstants {
        // Every slope here is largest or smallest at 0 or at an end of the interval.
        let (kappa, lipschitz) = match self {
            Link::Identity => (1.0, 1.0),
            Link::Logit | Link::Probit => (self.slope(radius), self.slope(0.0)),
            Link::Log => (exp(-radius), exp(radius)),
            Link::Custom(custom) => return custom.constants(radius),
        };
        LinkConstants { kappa, lipschitz, bound: self.mean(radius) }
    }
}

/// Φ(z), by erfc.
fn normal_distribution(z: f64) -> f64 {
    let argument = -z * FRAC_1_SQRT_2;
    let value = 0.5 * erfc(argument);
    if z > -5.0 || value == 0.0 {
        return value;
    }
    // Far out the rounding of the argument, δ, is amplified by 2 · argument². This corrects it to first
    // order.
    let delta = product_error(-z, FRAC_1_SQRT_2, argument) - z * FRAC_1_SQRT_2_LOW;
    value - SQRT_2 * normal_density(z) * delta
}

/// 1/√2 minus its nearest double.
const FRAC_1_SQRT_2_LOW: f64 = -4.833646656726457e-17;

/// a · b − product, exactly (Dekker), where `product` is the rounded a · b.
fn product_error(a: f64, b: f64, product: f64) -> f64 {
    let split = |x: f64| {
        let high = f64::from_bits(x.to_bits() & 0xffff_ffff_f800_0000);
        (high, x - high)
    };
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
}

/// φ(z), with z split so that z²/2 is not rounded before the exponential.
fn normal_density(z: f64) -> f64 {
    if z.abs() > 39.0 {
        return 0.0; // below the smallest number
    }
    let high = f64::from_bits(z.to_bits() & 0xffff_ffff_f800_0000);
    exp(-0.5 * high * high) * exp(-0.5 * (z - high) * (z + high)) / sqrt(2.0 * PI)
}

/// T with Φ(−x)/φ(x) = 1/(x + T), by the continued fraction T = 1/(x + 2/(x + 3/(x + …))), for x ≥ 2.
fn mills_tail(x: f64) -> f64 {
    let mut tail = 0.0;
    for k in (1..=200).rev() {
        tail = f64::from(k) / (x + tail);
    }
    tail
}

/// Φ⁻¹(p): a rational starting value (Acklam's form, relative error 1e-9) and two Halley steps.
fn normal_quantile(p: f64) -> f64 {
    // Only the lower half: there Φ keeps its relative accuracy.
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    let mut z = quantile_start(p);
    for _ in 0..2 {
        let step = (Link::Probit.mean(z) - p) / normal_density(z);
        z -= step / (1.0 + 0.5 * z * step);
    }
    z
}

/// The starting value for p ≤ ½, by Acklam's coefficients.
fn quantile_start(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969683028665376e1,
        2.209460984245205e2,
        -2.759285104469687e2,
        1.38357751867269e2,
        -3.066479806614716e1,
        2.506628277459239,
    ];
    const B: [f64; 6] = [
        -5.447609879822406e1,
        1.615858368580409e2,
        -1.556989798598866e2,
        6.680131188771972e1,
        -1.328068155288572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784894002430293e-3,
        -3.223964580411365e-1,
        -2.400758277161838,
        -2.549732539343734,
        4.374664141464968,
        2.938163982698783,
    ];
    const D: [f64; 5] =
        [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1.0];
    if p < 0.02425 {
        let q = sqrt(-2.0 * log(p));
        polynomial(&C, q) / polynomial(&D, q)
    } else {
        let q = p - 0.5;
        polynomial(&A, q * q) * q / polynomial(&B, q * q)
    }
}

/// The polynomial with these coefficients, the highest power first (Horner).
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, &c| sum * x + c)
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
