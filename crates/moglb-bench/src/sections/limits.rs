//! Section `limits`: the limits of the machine, as streaming reads of several working sets and as
//! multiply-adds. It is safe Rust that runs on the widest vector unit of the processor.

use crate::bench::{Bench, Case};
use crate::clock::time;
use crate::record::{Outcome, Spread, who};
use anyhow::Result;
use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

/// The introduction in the report.
pub(super) const ABOUT: &str = "\
Streaming reads of one buffer, and independent chains of multiply-adds in f64: fused, as the library uses \
them, and as a product and a sum. One core: CPU time; two cores: wall clock. Memory pages have the default \
size of the system; the C reference requests huge pages, which safe Rust cannot, and therefore reads large \
arrays faster.";

/// The names and sizes of the working sets, in bytes.
const WORKING_SETS: [(&str, usize); 6] = [
    ("16 KiB", 16 << 10),
    ("512 KiB", 512 << 10),
    ("8 MiB", 8 << 20),
    ("24 MiB", 24 << 20),
    ("64 MiB", 64 << 20),
    ("304 MB", 304_000_000),
];
/// The number of doubles in a cache line.
const LINE: usize = 8;
/// The number of independent chains, enough to hide the latency of a product and a sum.
const CHAINS: usize = 12;
/// The number of multiply-adds of each chain in a call.
const STEPS: usize = 1000;

/// Measures the reads of each working set on one and on two cores, then the multiply-adds.
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

/// A buffer of numbers that is read from the first to the last.
pub(super) struct Buffer {
    numbers: Vec<f64>,
    /// The position at which the first cache line begins. A vector across two cache lines would cost two
    /// reads.
    start: usize,
}

impl Buffer {
    /// A buffer of about this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        // The numbers are written, so that every page is mapped.
        let numbers: Vec<f64> = (0..bytes / 8 + LINE).map(|i| i as f64).collect();
        let start = numbers.as_ptr().align_offset(8 * LINE).min(LINE);
        Self { numbers, start }
    }

    /// The aligned numbers.
    fn numbers(&self) -> &[f64] {
        &self.numbers[self.start..][..self.numbers.len() - LINE]
    }

    /// Measures the seconds to read the buffer once.
    pub(super) fn stream(&self, budget: f64) -> Spread {
        time(budget, || {
            black_box(sum(black_box(self.numbers())));
        })
    }

    /// Measures the seconds until each of two threads has read one half of the buffer.
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
        let (front, back) = self.numbers().split_at(self.numbers().len() / 2 / LINE * LINE);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| half(back));
            let samples = half(front);
            other.join().expect("reading does not panic");
            Spread::of(samples)
        })
    }
}

/// The seconds per floating-point operation, for the faster of the two ways to multiply and add.
pub(super) fn seconds_per_flop(budget: f64) -> Spread {
    let (fused, separate) = (fused(budget), separate(budget));
    if fused.median < separate.median { fused } else { separate }
}

/// The seconds per operation of fused multiply-adds.
fn fused(budget: f64) -> Spread {
    chains::<true>(budget)
}

/// The seconds per operation of products and sums.
fn separate(budget: f64) -> Spread {
    chains::<false>(budget)
}

/// The seconds per floating-point operation in independent chains.
fn chains<const FUSED: bool>(budget: f64) -> Spread {
    let work = || {
        let chains = Chains::<FUSED> { x: black_box(0.999_999), y: black_box(1e-9) };
        black_box(pulp::Arch::new().dispatch(chains));
    };
    let lanes = pulp::Arch::new().dispatch(Lanes);
    time(budget, work).scaled(1.0 / (2 * STEPS * CHAINS * lanes) as f64)
}

/// The sum of numbers, by vectors.
fn sum(numbers: &[f64]) -> f64 {
    pulp::Arch::new().dispatch(Sum(numbers))
}

// These loops use explicit vectors. How well the compiler vectorizes plain loops depends on the loop, and a
// floor must not depend on it.

/// Returns the number of doubles in a vector.
struct Lanes;

impl pulp::WithSimd for Lanes {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> usize {
        S::F64_LANES
    }
}

/// Computes independent chains of a ← a·x + y.
struct Chains<const FUSED: bool> {
    x: f64,
    y: f64,
}

impl<const FUSED: bool> pulp::WithSimd for Chains<FUSED> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) -> f64 {
        let (x, y) = (simd.splat_f64s(self.x), simd.splat_f64s(self.y));
        let mut a = [simd.splat_f64s(1.0); CHAINS];
        for _ in 0..STEPS {
            for a in &mut a {
                *a = match FUSED {
                    true => simd.mul_add_f64s(*a, x, y),
                    false => simd.add_f64s(simd.mul_f64s(*a, x), y),
                };
            }
        }
        total(simd, &a)
    }
}

/// Computes the sum of all numbers.
struct Sum<'a>(&'a [f64]);

impl pulp::WithSimd for Sum<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) -> f64 {
        let (vectors, _) = S::as_simd_f64s(self.0);
        let mut sums = [simd.splat_f64s(0.0); LINE];
        for block in vectors.as_chunks::<LINE>().0 {
            for (sum, x) in sums.iter_mut().zip(block) {
                *sum = simd.add_f64s(*sum, *x);
            }
        }
        total(simd, &sums)
    }
}

/// The sum of all lanes of some vectors. It keeps the compiler from removing the work.
#[inline(always)]
fn total<S: pulp::Simd>(simd: S, vectors: &[S::f64s]) -> f64 {
    let mut total = simd.splat_f64s(0.0);
    for vector in vectors {
        total = simd.add_f64s(total, *vector);
    }
    simd.reduce_sum_f64s(total)
}

/// Bytes per second from seconds per read.
fn rate(bytes: usize, seconds: Spread) -> Outcome {
    inverse(seconds.scaled(1.0 / bytes as f64))
}

/// The inverse of a spread. The fastest sample has the highest rate, so minimum and 90th percentile change
/// places.
fn inverse(seconds: Spread) -> Outcome {
    Spread { median: 1.0 / seconds.median, min: 1.0 / seconds.p90, p90: 1.0 / seconds.min, ..seconds }.into()
}
