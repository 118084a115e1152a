//! Charts as SVG text, and SVG as PNG: axes, panels, legends, marks. Nothing here knows what is drawn.
//!
//! The command draws the paper's figures with it, the benchmark its growth curves. Both are pure functions of their
//! data: no clock, no hash order, no font of the machine, equal bytes every time.
//!
//! The SVG is written by hand. `kuva` 0.6 was tried first: its panels and bands are good, but its shared
//! legend is a box of stacked entries whose samples are too short to tell dashes apart, and one dash pattern
//! fits all. What is needed here (lines, bands, ticks, one legend) is a few small files.
//!
//! - `axis` decides the ticks, `panel` and `legend` draw, `layout` puts panels together.
//! - `mark` and `labels` are for points and their names; `svg` is how SVG is spelled.

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
