//! The figures of results as SVG text, each in a file; `moglb-figure` draws them.
//!
//! `series` decides what is drawn: panels, labels, colors. The HTML report uses the same, so a policy has one name and one
//! color everywhere.

pub(crate) mod confirm;
pub(crate) mod cost;
pub(crate) mod delay;
pub(crate) mod identify;
pub(crate) mod operating;
pub(crate) mod paper;
pub(crate) mod plane;
pub(crate) mod series;
pub(crate) mod volume;
pub(crate) mod weights;

#[cfg(test)]
pub(crate) mod tests;
