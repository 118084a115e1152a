//! How figures are spelled: SVG text, and SVG as PNG. Nothing here knows what is drawn.
//!
//! The command draws the paper's figures with it, the benchmark its growth curves. Both are pure functions of their
//! data: no clock, no hash order, no font of the machine, equal bytes every time.

mod png;
pub mod svg;

pub use png::to_png;

/// The one font the figures are set in.
const FONT_NAME: &str = "DejaVu Sans";
