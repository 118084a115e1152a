//! The constants of a link on [−D, D].

/// The constants of Assumption 3 on [−D, D].
///
/// Example: [`Link`].
///
/// [`Link`]: crate::Link
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkConstants {
    /// κ: the smallest slope.
    pub kappa: f64,
    /// L: the largest slope.
    pub lipschitz: f64,
    /// U: the largest |μ|.
    pub bound: f64,
}
