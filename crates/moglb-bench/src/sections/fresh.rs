//! Section `fresh`: new arms in every round, so that no scores can be cached.

use super::limits::seconds_per_flop;
use super::windows::Window;
use crate::bench::{Bench, Case};
use crate::clock::time;
use crate::record::{Outcome, who};
use crate::world::{FRESH_SETS, Instance, SIZES, Size};
use anyhow::Result;
use moglb::ArmSet;
use serde_json::json;

/// The introduction in the report.
pub(super) const ABOUT: &str = "\
Four arm sets, made and checked outside of the measurement, take turns. The floor is K·(d² + 2md) operations \
(symmetric widths and m products) at the multiply-add rate that is measured next to it. `pass` computes \
exact scores of all arms, or of all arms that may be on the front; `fresh` is the pass of the C reference, \
over all arms. A small set that owns its contexts lays them out for the pass when it is made, as in the C \
reference; `pass over rows` is the pass over sets that borrow their contexts, and includes the layout. \
`decide` is the pass, the filter and the draw, `copy and decide` also makes the set from a copy of its \
contexts, `round` is `decide`, reward and `learn`, as in NumPy.";

/// The sizes and the rounds that are measured at each.
const WINDOWS: [Window; 4] = [
    Window { size: SIZES[0], first: 200, last: 4200, batch: 20, restarts: 1 },
    Window { size: SIZES[1], first: 200, last: 500, batch: 1, restarts: 1 },
    Window { size: SIZES[2], first: 20, last: 60, batch: 1, restarts: 1 },
    Window { size: SIZES[3], first: 10, last: 40, batch: 1, restarts: 1 },
];

/// Measures each size on one instance with four arm sets.
pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let quick = [Window { size: Size::paper(16, 4), first: 5, last: 25, batch: 5, restarts: 1 }];
    for window in if bench.quick { &quick[..] } else { &WINDOWS[..] } {
        let instance = window.size.fresh(0)?;
        let files = write_all(bench, &instance)?;
        for repeat in 0..bench.repeats() {
            measure(bench, window, &instance, &files, repeat)?;
        }
    }
    Ok(())
}

/// Measures all contestants at one size, in one repeat.
fn measure(
    bench: &mut Bench,
    window: &Window,
    instance: &Instance,
    files: &[String],
    repeat: usize,
) -> Result<()> {
    let Window { size, first, last, batch, .. } = *window;
    let case = Case::new("fresh", size.name(), repeat);
    case.time(bench, who::FLOOR, "pass", seconds_per_flop(bench.budget()).scaled(flops(size)));
    case.ours(bench, "round", super::windows::play(window, std::slice::from_ref(instance))?.0);
    let mut player = instance.player()?;
    // Fronts shrink with t, so the middle of the window is representative.
    player.play_to((first + last) / 2)?;
    let mut outcome = Ok(());
    let decide = time(bench.budget(), || {
        // Advance `t` without learning, so that the next decision is on another set.
        player.t += 1;
        if let Err(error) = player.decide() {
            outcome = Err(error);
        }
    });
    outcome?;
    case.ours(bench, "decide", Outcome::from(decide).by(player.decision.path()));
    let pass = time(bench.budget(), || player.pass_over_fresh());
    case.ours(bench, "pass", pass);
    let tables: Vec<Vec<f64>> = instance.stages.iter().map(|stage| contexts(&stage.arms)).collect();
    let sets = tables.iter().map(|table| ArmSet::borrowed(size.dim, table)).collect::<Result<Vec<_>, _>>()?;
    let pass = time(bench.budget(), || player.pass_over_another(&sets));
    case.ours(bench, "pass over rows", pass);
    let decide = time(bench.budget(), || player.decide_on_new(size.dim, &tables));
    case.ours(bench, "copy and decide", decide);
    let question = json!({ "do": "rounds", "variant": "good", "files": files, "arms": size.arms,
                           "dim": size.dim, "first": first, "last": last, "batch": batch });
    case.peer(bench, who::NUMPY_GOOD, "round", &question);
    let arguments = ["pass".into(), files[0].clone(), size.arms.to_string(), size.dim.to_string()];
    case.reference(bench, &["fresh"], &arguments);
    Ok(())
}

/// The number of operations of the pass: widths from one triangle, and m products.
fn flops(size: Size) -> f64 {
    let (arms, dim, m) = (size.arms as f64, size.dim as f64, size.objectives as f64);
    arms * (dim * dim + 2.0 * m * dim)
}

/// The contexts of a set as one table.
fn contexts(arms: &ArmSet) -> Vec<f64> {
    arms.iter().flat_map(|arm| arm.context().iter().copied()).collect()
}

/// Writes each set to a file and returns the paths.
fn write_all(bench: &Bench, instance: &Instance) -> Result<Vec<String>> {
    (0..FRESH_SETS)
        .map(|set| {
            let path = bench.folder().join(format!("fresh-{set}.f64"));
            instance.write(set, &path)?;
            Ok(path.display().to_string())
        })
        .collect()
}
