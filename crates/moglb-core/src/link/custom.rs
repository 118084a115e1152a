//! Custom links, defined by users of the library.

use super::constants::LinkConstants;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A link that the library does not have: a mean that increases on [−D, D].
///
/// Example: [`Link::register`].
///
/// [`Link::register`]: crate::Link::register
pub trait LinkFunction: Send + Sync {
    /// Returns the mean μ(z).
    fn mean(&self, z: f64) -> f64;

    /// Returns the slope μ′(z). The default takes central differences of the mean.
    fn slope(&self, z: f64) -> f64 {
        let step = 1e-5 * z.abs().max(1.0);
        (self.mean(z + step) - self.mean(z - step)) / (2.0 * step)
    }

    /// Returns the usual range of rewards. The default is [0, 1].
    fn rewards(&self) -> (f64, f64) {
        (0.0, 1.0)
    }
}

/// A registered link. It can be copied like the other links, because it stays in memory until the process
/// ends.
///
/// Example: [`Link::register`].
///
/// [`Link::register`]: crate::Link::register
#[derive(Clone, Copy)]
pub struct CustomLink(&'static Registered);

/// The data of a registered link.
struct Registered {
    name: String,
    function: Box<dyn LinkFunction>,
}

/// The number of intervals between the points of [−D, D] at which the constants are computed.
const PLACES: i32 = 2000;

impl CustomLink {
    /// Stores a function until the process ends.
    #[doc(hidden)]
    pub fn keep(name: &str, function: impl LinkFunction + 'static) -> Self {
        Self(Box::leak(Box::new(Registered { name: name.into(), function: Box::new(function) })))
    }

    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        &self.0.name
    }

    #[doc(hidden)]
    pub fn mean(self, z: f64) -> f64 {
        self.0.function.mean(z)
    }

    #[doc(hidden)]
    pub fn slope(self, z: f64) -> f64 {
        self.0.function.slope(z)
    }

    #[doc(hidden)]
    pub fn rewards(self) -> (f64, f64) {
        self.0.function.rewards()
    }

    /// Returns ∫₀ᶻ μ by Simpson's rule.
    #[doc(hidden)]
    pub fn cumulant(self, z: f64) -> f64 {
        const PANELS: i32 = 256;
        let at = |k: i32| self.mean(z * f64::from(k) / f64::from(2 * PANELS));
        let inner: f64 = (1..2 * PANELS).map(|k| if k % 2 == 1 { 4.0 * at(k) } else { 2.0 * at(k) }).sum();
        z / f64::from(6 * PANELS) * (at(0) + inner + at(2 * PANELS))
    }

    /// Returns the score of a mean, by bisection of [−1000, 1000].
    #[doc(hidden)]
    pub fn inverse(self, mean: f64) -> Option<f64> {
        let (mut low, mut high) = (-1e3, 1e3);
        if !(self.mean(low) <= mean && mean <= self.mean(high)) {
            return None;
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if self.mean(middle) < mean { low = middle } else { high = middle }
        }
        Some(0.5 * (low + high))
    }

    /// Returns κ, L and U over many points of [−D, D]. If a value is not finite, κ is zero, which is
    /// refused.
    #[doc(hidden)]
    pub fn constants(self, radius: f64) -> LinkConstants {
        let mut constants = LinkConstants { kappa: f64::INFINITY, lipschitz: 0.0, bound: 0.0 };
        for k in 0..=PLACES {
            let z = radius * (2.0 * f64::from(k) / f64::from(PLACES) - 1.0);
            let (mean, slope) = (self.mean(z), self.slope(z));
            if !(mean.is_finite() && slope.is_finite()) {
                return LinkConstants { kappa: 0.0, lipschitz: f64::INFINITY, bound: f64::INFINITY };
            }
            constants.kappa = constants.kappa.min(slope);
            constants.lipschitz = constants.lipschitz.max(slope);
            constants.bound = constants.bound.max(mean.abs());
        }
        constants
    }
}

/// Two custom links are equal if they come from the same registration.
impl PartialEq for CustomLink {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for CustomLink {}

impl Hash for CustomLink {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Debug for CustomLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.name.fmt(f)
    }
}
