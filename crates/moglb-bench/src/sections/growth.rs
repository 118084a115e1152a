//! Section `growth`: the growth of the cost of a round with K, d and m, and its absence with t.

use super::windows::{Window, play};
use crate::bench::{Bench, Case};
use crate::clock::Stopwatch;
use crate::record::{Spread, who};
use crate::world::Size;
use anyhow::Result;

/// The introduction in the report.
pub(super) const ABOUT: &str = "\
Seconds per round on fixed and on fresh arms, t = 200 to 400, one instance; K at d = 16, m = 3; d at K = \
1000, m = 5; m at K = 1000, d = 20; t at K = 40, d = 10, m = 5. The slope is that of the least-squares line \
through the logarithms: 1 is linear, 2 quadratic, 0 flat. Over t a round gets cheaper while projections \
become rare, and its cost is then constant.";

/// The names of the curves.
pub const CURVES: [&str; 2] = ["fixed arms", "fresh arms"];
/// The names of the axes, as in the cases.
pub const AXES: [&str; 4] = ["K", "d", "m", "t"];

/// Measures one size after another along each axis, then one run over time.
pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let size = |arms, dim, objectives| Size { arms, dim, objectives };
    let arms = [100, 300, 1000, 3000, 10_000, 30_000, 100_000].map(|k| (k, size(k, 16, 3)));
    let dims = [4, 8, 16, 32, 64, 128].map(|d| (d, size(1000, d, 5)));
    let objectives = [1, 2, 3, 4, 6, 8, 12].map(|m| (m, size(1000, 20, m)));
    for (axis, sizes) in AXES.iter().zip([&arms[..], &dims[..], &objectives[..]]) {
        for &(value, size) in if bench.quick { &sizes[..1] } else { sizes } {
            of_size(bench, axis, value, size)?;
        }
    }
    over_time(bench)
}

/// Measures a round on fixed and on fresh arms of a size.
fn of_size(bench: &mut Bench, axis: &str, value: usize, size: Size) -> Result<()> {
    let (first, last, batch) = if bench.quick { (2, 6, 1) } else { (200, 400, 5) };
    let window = Window { size, first, last, batch, restarts: 1 };
    let case = Case::new("growth", format!("{axis}={value}"), 0);
    for (curve, instance) in CURVES.iter().zip([size.fixed(0)?, size.fresh(0)?]) {
        case.time(bench, who::OURS, curve, play(&window, &[instance])?.0);
    }
    Ok(())
}

/// Measures one long run before each power of ten.
fn over_time(bench: &mut Bench) -> Result<()> {
    let powers: &[u64] = if bench.quick { &[100] } else { &[100, 1000, 10_000, 100_000, 1_000_000] };
    let size = Size::paper(40, 10);
    for (curve, instance) in CURVES.iter().zip([size.fixed(0)?, size.fresh(0)?]) {
        let mut player = instance.player()?;
        for &t in powers {
            player.play_to(t - t / 10)?;
            let mut samples = Vec::new();
            // Measure the last tenth of the rounds, but at most ten thousand rounds.
            player.play_to((t - t / 10).max(t.saturating_sub(10_000)))?;
            while player.t < t {
                let lap = Stopwatch::start();
                player.play_to(player.t + 10)?;
                samples.push(lap.seconds() / 10.0);
            }
            Case::new("growth", format!("t={t}"), 0).time(bench, who::OURS, curve, Spread::of(samples));
        }
    }
    Ok(())
}
