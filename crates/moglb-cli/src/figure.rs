//! The figures of results as SVG text, one module for each figure; `moglb-figure` draws them.
//!
//! `series` chooses panels, lines, labels and colors. The HTML report uses it too, so a policy has one name
//! and one color everywhere. `operating` does the same for the figures of runs on data.

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
