//! Fixed arms once the front is found: a round against reading all that it must read.

use super::limits::Buffer;
use crate::bench::{Bench, Case};
use crate::clock::Stopwatch;
use crate::record::{Outcome, Spread, who};
use crate::world::Size;
use anyhow::Result;
use moglb::Policy;

pub(super) const ABOUT: &str = "\
The floor is the time to read the arms and what is carried for them once, K·(d + m + 1) numbers, as a buffer of the same \
size is read. A whole round is held against it, update, projections, filter and draw included, after the rounds \
that it takes to find the front; the library has no door to the pass over the arms alone. Rounds without a projection are \
shown too where there are at least five.";

/// How the arms are stored and how many cores share a round. f32 storage and threads join this list when the engine
/// has them; the floor is then that of the same bytes on the same cores.
const VARIANTS: [Variant; 1] = [Variant { name: "f64, 1 core", bytes: 8, cores: 1 }];

#[derive(Debug, Clone, Copy)]
struct Variant {
    name: &'static str,
    /// Of a number.
    bytes: usize,
    cores: usize,
}

/// Size, rounds until the front is found, rounds measured.
const CASES: [(Size, u64, u64); 3] =
    [(super::SIZES[2], 3000, 300), (super::SIZES[3], 1000, 100), (super::MILLION, 150, 30)];

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let quick = [(Size::paper(200, 4), 20, 10)];
    for &(size, first, rounds) in if bench.quick { &quick[..] } else { &CASES[..] } {
        for variant in VARIANTS {
            measure(bench, size, variant, first, rounds)?;
        }
    }
    Ok(())
}

fn measure(bench: &mut Bench, size: Size, variant: Variant, first: u64, rounds: u64) -> Result<()> {
    let instance = size.fixed(0)?;
    let mut player = instance.player()?;
    player.play_to(first)?;
    let buffer = Buffer::new(size.arms * (size.dim + size.objectives + 1) * variant.bytes);
    for repeat in 0..bench.repeats() {
        let case = Case::new("streaming", format!("{}, {}", size.name(), variant.name), repeat);
        let floor = match variant.cores {
            1 => buffer.stream(bench.budget()),
            _ => buffer.stream_on_two(bench.budget()),
        };
        case.time(bench, who::FLOOR, "read", floor);
        let (mut all, mut calm, mut fronts) = (Vec::new(), Vec::new(), 0);
        for _ in 0..rounds {
            let before = player.policy.projection_hits();
            let lap = Stopwatch::start();
            player.round()?;
            let seconds = lap.seconds();
            all.push(seconds);
            fronts += player.decision.front.len();
            if player.policy.projection_hits() == before {
                calm.push(seconds);
            }
        }
        let outcome = Outcome::from(Spread::of(all))
            .with("front", fronts as f64 / rounds as f64)
            .with("calm", calm.len() as f64 / rounds as f64);
        case.ours(bench, "round", outcome);
        if calm.len() >= 5 {
            case.ours(bench, "round without projection", Spread::of(calm));
        }
    }
    Ok(())
}
