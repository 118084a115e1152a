//! Fixed arms once the front is found: a round against reading all that it must read.

use super::limits::Buffer;
use crate::bench::{Bench, Case};
use crate::clock::Stopwatch;
use crate::record::{Outcome, Spread, who};
use crate::world::{Instance, Player, Size};
use anyhow::Result;
use moglb::Policy;
use std::time::Instant;

pub(super) const ABOUT: &str = "\
The floor is the time to read the arms and what is carried for them once, K·(d + m + 1) numbers, as a buffer of the same \
size is read. A whole round is held against it, update, projections, filter and draw included, after the rounds \
that it takes to find the front; the library has no door to the pass over the arms alone. Rounds without a projection are \
shown too where there are at least five.";

/// How the arms are stored and how many cores share a round. **A variant of the engine plugs in here**: with a player that
/// uses it, it is measured and judged; without, the report says that there is none. Its floor is that of the same bytes on
/// the same cores.
pub const VARIANTS: [Variant; 4] = [
    Variant { name: "f64, 1 core", bytes: 8, cores: 1, player: Some(Instance::player) },
    Variant { name: "f64, 2 cores", bytes: 8, cores: 2, player: None },
    Variant { name: "f32, 1 core", bytes: 4, cores: 1, player: None },
    Variant { name: "f32, 2 cores", bytes: 4, cores: 2, player: None },
];

/// One of them.
#[derive(Clone, Copy)]
pub struct Variant {
    /// As in the names of cases.
    pub name: &'static str,
    /// Of a number.
    bytes: usize,
    cores: usize,
    player: Option<for<'a> fn(&'a Instance) -> Result<Player<'a>>>,
}

/// Size, rounds until the front is found, rounds measured.
const CASES: [(Size, u64, u64); 3] =
    [(super::SIZES[2], 3000, 300), (super::SIZES[3], 1000, 100), (super::MILLION, 150, 30)];

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let quick = [(Size::paper(200, 4), 20, 10)];
    for &(size, first, rounds) in if bench.quick { &quick[..] } else { &CASES[..] } {
        let instance = size.fixed(0)?;
        // Smaller sets are not worth the cores or the digits.
        let variants = if size == super::MILLION { &VARIANTS[..] } else { &VARIANTS[..1] };
        for variant in variants {
            measure(bench, size, &instance, variant, first, rounds)?;
        }
    }
    Ok(())
}

/// The name of a case.
pub fn case_name(size: Size, variant: &Variant) -> String {
    format!("{}, {}", size.name(), variant.name)
}

fn measure(
    bench: &mut Bench,
    size: Size,
    instance: &Instance,
    variant: &Variant,
    first: u64,
    rounds: u64,
) -> Result<()> {
    let Some(player) = variant.player else {
        let outcome = Outcome::not_run("not run: the library has no such variant yet");
        Case::new("streaming", case_name(size, variant), 0).ours(bench, "round", outcome);
        return Ok(());
    };
    let mut player = player(instance)?;
    player.play_to(first)?;
    let buffer = Buffer::new(size.arms * (size.dim + size.objectives + 1) * variant.bytes);
    for repeat in 0..bench.repeats() {
        let case = Case::new("streaming", case_name(size, variant), repeat);
        let floor = match variant.cores {
            1 => buffer.stream(bench.budget()),
            _ => buffer.stream_on_two(bench.budget()),
        };
        case.time(bench, who::FLOOR, "read", floor);
        let (mut all, mut calm, mut fronts) = (Vec::new(), Vec::new(), 0);
        for _ in 0..rounds {
            let before = player.policy.projection_hits();
            let (thread, wall) = (Stopwatch::start(), Instant::now());
            player.round()?;
            // Where others work too, only the wall clock sees all of it.
            let seconds = if variant.cores == 1 { thread.seconds() } else { wall.elapsed().as_secs_f64() };
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
