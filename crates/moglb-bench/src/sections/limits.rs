//! What the machine allows: streaming reads at several working sets, and multiply-adds. Safe Rust, compiled for the
//! widest vector unit that is found.

use crate::bench::{Bench, Case};
use crate::clock::time;
use crate::record::{Outcome, Spread, who};
use anyhow::Result;
use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

pub(super) const ABOUT: &str = "\
Streaming reads of a buffer that stays where it is, and independent chains of multiply-adds in f64: fused, and as a \
product and a sum, which is what the library uses because its bits are a promise. One core: CPU time; two: wall clock.";

const WORKING_SETS: [(&str, usize); 6] = [
    ("16 KiB", 16 << 10),
    ("512 KiB", 512 << 10),
    ("8 MiB", 8 << 20),
    ("24 MiB", 24 << 20),
    ("64 MiB", 64 << 20),
    ("304 MB", 304_000_000),
];
const LANES: usize = 8;
/// Enough independent chains to hide the latency of a product and a sum.
const CHAINS: usize = 12;
const STEPS: usize = 1000;

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let sets = if bench.quick { &WORKING_SETS[..1] } else { &WORKING_SETS };
    for &(name, bytes) in sets {
        let case = Case::new("limits", format!("read {name}"), 0);
        let buffer = Buffer::new(bytes);
        case.put(bench, who::FLOOR, "1 core", "B/s", rate(bytes, buffer.stream(bench.budget())));
        case.put(bench, who::FLOOR, "2 cores", "B/s", rate(bytes, buffer.stream_on_two(bench.budget())));
    }
    let case = Case::new("limits", "multiply-add f64", 0);
    for (what, seconds) in [("fused", fused(bench.budget())), ("product and sum", separate(bench.budget()))] {
        case.put(bench, who::FLOOR, what, "flop/s", inverse(seconds));
    }
    Ok(())
}

/// Numbers to be read from the first to the last.
pub(super) struct Buffer {
    numbers: Vec<f64>,
}

impl Buffer {
    /// A buffer of about this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        // Written, so that every page is there.
        Self { numbers: (0..(bytes / 8).next_multiple_of(LANES * LANES)).map(|i| (i % 7) as f64).collect() }
    }

    /// Seconds to read it once.
    pub(super) fn stream(&self, budget: f64) -> Spread {
        time(budget, || {
            black_box(sum(black_box(&self.numbers)));
        })
    }

    /// Seconds until two threads have read one half each.
    pub(super) fn stream_on_two(&self, budget: f64) -> Spread {
        let once = self.stream(0.0).median;
        let inner = (1e-3 / once) as usize + 1;
        let outer = ((budget / (once * inner as f64)) as usize).clamp(3, 500);
        let barrier = Barrier::new(2);
        let half = |numbers: &[f64]| {
            let timed = |_| {
                barrier.wait();
                let begin = Instant::now();
                for _ in 0..inner {
                    black_box(sum(black_box(numbers)));
                }
                barrier.wait();
                begin.elapsed().as_secs_f64() / inner as f64
            };
            (0..outer).map(timed).collect::<Vec<f64>>()
        };
        let (front, back) = self.numbers.split_at(self.numbers.len() / 2);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| half(back));
            let samples = half(front);
            other.join().expect("reading does not panic");
            Spread::of(samples)
        })
    }
}

/// Seconds per floating-point operation at the faster of the two ways to multiply and add.
pub(super) fn seconds_per_flop(budget: f64) -> Spread {
    let (fused, separate) = (fused(budget), separate(budget));
    if fused.median < separate.median { fused } else { separate }
}

fn fused(budget: f64) -> Spread {
    chains(
        budget,
        #[inline(always)]
        |a, x, y| a.mul_add(x, y),
    )
}

fn separate(budget: f64) -> Spread {
    chains(
        budget,
        #[inline(always)]
        |a, x, y| a * x + y,
    )
}

fn chains(budget: f64, step: impl Fn(f64, f64, f64) -> f64) -> Spread {
    let work = || {
        let (x, y) = (black_box(0.999_999), black_box(1e-9));
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                let mut a = [[1.0; LANES]; CHAINS];
                for _ in 0..STEPS {
                    for chain in &mut a {
                        for lane in chain {
                            *lane = step(*lane, x, y);
                        }
                    }
                }
                black_box(a);
            },
        );
    };
    time(budget, work).scaled(1.0 / (2 * STEPS * CHAINS * LANES) as f64)
}

fn sum(numbers: &[f64]) -> f64 {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            let mut lanes = [[0.0; LANES]; LANES];
            for block in numbers.as_chunks::<{ LANES * LANES }>().0 {
                for i in 0..LANES {
                    for j in 0..LANES {
                        lanes[i][j] += block[LANES * i + j];
                    }
                }
            }
            lanes.as_flattened().iter().sum()
        },
    )
}

/// Bytes per second: the fastest sample is the highest rate, so the quantiles change places.
fn rate(bytes: usize, seconds: Spread) -> Outcome {
    inverse(seconds.scaled(1.0 / bytes as f64))
}

fn inverse(seconds: Spread) -> Outcome {
    Spread { median: 1.0 / seconds.median, min: 1.0 / seconds.p90, p90: 1.0 / seconds.min, ..seconds }.into()
}
