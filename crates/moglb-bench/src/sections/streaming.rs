//! Section `streaming`: fixed arms once the front is found. A round is compared with reading the memory that
//! it needs.

use super::limits::Buffer;
use crate::bench::{Bench, Case};
use crate::clock::{Stopwatch, time};
use crate::record::{Outcome, Spread, who};
use crate::world::{MILLION, SIZES, Size};
use anyhow::Result;
use moglb::{Policy, Storage};
use std::time::Instant;

/// The introduction in the report.
pub(super) const ABOUT: &str = "\
The floor is the time to read a buffer of the same size as the arms and their cached numbers once, K·(d + m \
+ 1) numbers (the arms in f32 if they are stored as f32). `pass` is one product with all arms that may reach \
the front soon, which updates their scores and widths; above about 16 000 arms it also drops the arms that a \
few pivots dominate, and skips far arms for some rounds at a time, so that rounds differ: most visit only \
the near arms, some survey all arms. A round is the pass or survey, update, projections, filter and draw, \
after the rounds that are needed to find the front (with a million arms the front has between 1000 and 12 \
000 arms until t = 1600, and about 400 to 1200 from t = 2000 on); each sample is the mean of 50 consecutive \
rounds, `longest` is the longest of all rounds. Single rounds without a projection are also shown if there \
are at least five of them.";

/// The variants: the storage of the arms, and the number of cores that share a round.
pub const VARIANTS: [Variant; 4] = [
    Variant { name: "f64, 1 core", storage: Storage::F64, cores: 1 },
    Variant { name: "f64, 2 cores", storage: Storage::F64, cores: 2 },
    Variant { name: "f32, 1 core", storage: Storage::F32, cores: 1 },
    Variant { name: "f32, 2 cores", storage: Storage::F32, cores: 2 },
];

/// A storage of the arms and a number of cores.
#[derive(Clone, Copy)]
pub struct Variant {
    /// The name of the variant in cases.
    pub name: &'static str,
    storage: Storage,
    cores: usize,
}

impl Variant {
    /// The number of bytes that a round must read: the arms as they are stored, and their cached numbers in
    /// f64.
    fn bytes(&self, size: Size) -> usize {
        let feature = match self.storage {
            Storage::F64 => 8,
            Storage::F32 => 4,
        };
        size.arms * (size.dim * feature + (size.objectives + 1) * 8)
    }
}

/// The cases: the size, the rounds until the front is found, and the rounds that are measured.
const CASES: [(Size, u64, u64); 3] = [(SIZES[2], 3000, 300), (SIZES[3], 1000, 200), (MILLION, 2400, 100)];

/// The number of rounds in a sample. A sample may contain a survey or none.
const SAMPLE_ROUNDS: usize = 50;

/// Measures each case. Only the largest has all variants.
pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let quick = [(Size::paper(200, 4), 20, 10)];
    for &(size, first, rounds) in if bench.quick { &quick[..] } else { &CASES[..] } {
        // For smaller sets neither two cores nor f32 pay off.
        let variants = if size == MILLION { &VARIANTS[..] } else { &VARIANTS[..1] };
        for variant in variants {
            measure(bench, size, variant, first, rounds)?;
        }
    }
    Ok(())
}

/// The name of a case.
pub fn case_name(size: Size, variant: &Variant) -> String {
    format!("{}, {}", size.name(), variant.name)
}

/// Plays until the front is found, then measures floor, pass and rounds in each repeat.
fn measure(bench: &mut Bench, size: Size, variant: &Variant, first: u64, rounds: u64) -> Result<()> {
    let instance = size.fixed(0)?.stored_as(variant.storage);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(variant.cores).build()?;
    let mut player = instance.player()?;
    // The number of cores does not change the learned state, so all cores play these rounds.
    rayon::ThreadPoolBuilder::new().build()?.install(|| player.play_to(first))?;
    let buffer = Buffer::new(variant.bytes(size));
    for repeat in 0..bench.repeats() {
        let case = Case::new("streaming", case_name(size, variant), repeat);
        let floor = match variant.cores {
            1 => buffer.stream(bench.budget()),
            _ => buffer.stream_on_two(bench.budget()),
        };
        case.time(bench, who::FLOOR, "read", floor);
        if variant.cores == 1 {
            let pass = time(bench.budget(), || player.policy.pass_over_fixed());
            case.ours(bench, "pass", pass);
        }
        let (mut all, mut calm, mut fronts) = (Vec::new(), Vec::new(), 0);
        for _ in 0..rounds {
            let before = player.policy.model().map_or(0, |model| model.projection_hits());
            let seconds = if variant.cores == 1 {
                let thread = Stopwatch::start();
                player.round()?;
                thread.seconds()
            } else {
                // With several threads only the wall clock includes the work of all of them.
                let wall = Instant::now();
                pool.install(|| player.round())?;
                wall.elapsed().as_secs_f64()
            };
            all.push(seconds);
            fronts += player.decision.front.len();
            if player.policy.model().map_or(0, |model| model.projection_hits()) == before {
                calm.push(seconds);
            }
        }
        let longest = all.iter().copied().fold(0.0, f64::max);
        let means = all.chunks(SAMPLE_ROUNDS).map(|rounds| rounds.iter().sum::<f64>() / rounds.len() as f64);
        let outcome = Outcome::from(Spread::of(means.collect()))
            .with("longest", 1e3 * longest)
            .with("front", fronts as f64 / rounds as f64)
            .with("calm", calm.len() as f64 / rounds as f64)
            .by(player.decision.path());
        case.ours(bench, "round", outcome);
        if calm.len() >= 5 {
            case.ours(bench, "round without projection", Spread::of(calm));
        }
    }
    Ok(())
}
