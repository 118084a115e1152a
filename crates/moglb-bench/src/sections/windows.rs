//! Section `windows`: whole rounds on fixed arms, in the windows of t of the C reference.

use crate::bench::{Bench, Case};
use crate::clock::Stopwatch;
use crate::record::{Outcome, Spread, who};
use crate::world::{Instance, SIZES, Size};
use anyhow::Result;
use moglb::Policy;
use serde_json::json;

/// The introduction in the report.
pub(super) const ABOUT: &str = "\
Decide, draw the reward, learn, project: m = 5, f64, one core. All contestants play on the same instances \
(coefficients and arms from the same files; NumPy only on the first of each turn), each with its own \
rewards, in the same window of t, and they take turns. Early rounds have the most projections and the \
largest fronts.";

/// A window of rounds: `first + 1 ..= last` are measured, `batch` at a time, on `restarts` instances.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct Window {
    pub size: Size,
    pub first: u64,
    pub last: u64,
    pub batch: u64,
    pub restarts: usize,
}

/// The windows of the C reference.
pub const WINDOWS: [Window; 4] = [
    Window { size: SIZES[0], first: 200, last: 8200, batch: 100, restarts: 20 },
    Window { size: SIZES[1], first: 200, last: 1400, batch: 3, restarts: 20 },
    Window { size: SIZES[2], first: 4, last: 404, batch: 1, restarts: 10 },
    Window { size: SIZES[3], first: 4, last: 180, batch: 1, restarts: 6 },
];
/// The largest number of arms for the straightforward NumPy version, which is quadratic in K: it would take
/// minutes for a larger window.
const MOST_NAIVE_ARMS: usize = 1000;

/// Measures all contestants in each window, in turns.
pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let quick = [Window { size: Size::paper(16, 4), first: 5, last: 25, batch: 5, restarts: 2 }];
    let windows = if bench.quick { &quick[..] } else { &WINDOWS[..] };
    for window in windows {
        for repeat in 0..bench.repeats() {
            turn(bench, window, repeat)?;
        }
    }
    Ok(())
}

/// Measures all contestants on the instances of one turn. Every instance belongs to one turn.
fn turn(bench: &mut Bench, window: &Window, repeat: usize) -> Result<()> {
    let trials = (repeat..window.restarts).step_by(bench.repeats());
    let instances: Vec<Instance> = trials.map(|trial| window.size.fixed(trial)).collect::<Result<_>>()?;
    let window = Window { restarts: instances.len(), ..*window };
    let prefix = write_all(bench, &instances)?;
    let case = Case::new("windows", window.size.name(), repeat);
    case.ours(bench, "round", play(&window, &instances)?.0);
    case.reference(bench, &["round"], &window.arguments(&prefix));
    let file = format!("{prefix}-0.f64");
    case.peer(bench, who::NUMPY_EXPERT, "round", &window.question("expert", &file));
    if window.size.arms <= MOST_NAIVE_ARMS {
        case.peer(bench, who::NUMPY_NAIVE, "round", &window.question("naive", &file));
    }
    Ok(())
}

impl Window {
    /// The arguments of the C reference.
    pub(super) fn arguments(&self, prefix: &str) -> Vec<String> {
        let Self { size, first, last, batch, restarts } = self;
        let numbers = [size.arms as u64, size.dim as u64, *first, *last, *batch, *restarts as u64];
        ["window", prefix].iter().map(|word| word.to_string()).chain(numbers.map(|n| n.to_string())).collect()
    }

    /// The request to a NumPy version.
    pub(super) fn question(&self, variant: &str, file: &str) -> serde_json::Value {
        json!({ "do": "rounds", "variant": variant, "files": [file], "arms": self.size.arms,
                "dim": self.size.dim, "first": self.first, "last": self.last, "batch": self.batch })
    }
}

/// Writes the instances and returns the common prefix of their paths.
pub(super) fn write_all(bench: &Bench, instances: &[Instance]) -> Result<String> {
    let prefix = bench.folder().join("instance").display().to_string();
    for (trial, instance) in instances.iter().enumerate() {
        instance.write(0, format!("{prefix}-{trial}.f64").as_ref())?;
    }
    Ok(prefix)
}

/// Plays a window on the instances. Returns the seconds per round, and the total seconds from the first round
/// on.
pub(super) fn play(window: &Window, instances: &[Instance]) -> Result<(Outcome, f64)> {
    let (mut samples, mut total) = (Vec::new(), 0.0);
    let (mut hits, mut fronts, mut rounds, mut path) = (0, 0, 0, None);
    for instance in instances {
        let mut player = instance.player()?;
        let whole = Stopwatch::start();
        player.play_to(window.first)?;
        let before = player.policy.model().map_or(0, |model| model.projection_hits());
        let mut lap = Stopwatch::start();
        while player.t < window.last {
            player.round()?;
            fronts += player.decision.front.len();
            if (player.t - window.first).is_multiple_of(window.batch) {
                samples.push(lap.lap() / window.batch as f64);
            }
        }
        total += whole.seconds();
        hits += player.policy.model().map_or(0, |model| model.projection_hits()) - before;
        rounds += window.last - window.first;
        path = player.decision.path();
    }
    let outcome = Outcome::from(Spread::of(samples))
        .with("projections", hits as f64 / rounds as f64)
        .with("front", fronts as f64 / rounds as f64)
        .by(path);
    Ok((outcome, total))
}
