//! Charts as SVG text, and SVG as PNG: axes, panels, legends, marks. The crate does not depend on
//! the data that is drawn.
//!
//! The command-line program draws the paper's figures with it, the benchmark its growth curves.
//! Figures are pure functions of their data: they use no clock, no hash order and no font of the
//! machine, so the bytes are equal every time.
//!
//! The SVG is written by hand. `kuva` 0.6 was tried first. Its panels and bands are good, but its
//! shared legend is a box of stacked entries whose samples are too short to distinguish dashes, and
//! all lines share one dash pattern. The parts that are needed here (lines, bands, ticks, one
//! legend) are a few small files.
//!
//! - `axis` computes ticks, `panel` and `legend` draw, `layout` arranges panels.
//! - `mark` and `labels` are for points and their names; `svg` writes SVG elements.

mod axis;
mod labels;
mod layout;
mod legend;
mod mark;
mod panel;
mod png;
pub mod svg;

pub use axis::{Axis, LogAxis};
pub use labels::Labels;
pub use layout::{Layout, draw};
pub use mark::{cross, diamond, mark};
pub use panel::{GRID, Plot, Style, Trace};
pub use png::to_png;
