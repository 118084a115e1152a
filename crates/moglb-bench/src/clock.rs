//! Timing by the CPU time of the thread, as in the C reference and the peers. Pauses caused by other programs
//! do not count, but their effect on caches and memory does.

use crate::record::Spread;
use cpu_time::ThreadTime;

/// The work of one sample, in seconds: far above the resolution of the clock.
const SAMPLE_SECONDS: f64 = 1e-3;
/// The largest and the smallest number of samples.
const MOST_SAMPLES: usize = 2000;
const FEWEST_SAMPLES: usize = 3;
/// If the first call takes longer than this many budgets, no other call is made.
const LONG_CALL_BUDGETS: f64 = 4.0;

/// A stopwatch for the CPU time of this thread.
pub struct Stopwatch(ThreadTime);

impl Stopwatch {
    /// Starts a stopwatch.
    pub fn start() -> Self {
        Self(ThreadTime::now())
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }

    /// Returns the seconds since the start, and starts again.
    pub fn lap(&mut self) -> f64 {
        let now = ThreadTime::now();
        let seconds = now.duration_since(self.0).as_secs_f64();
        self.0 = now;
        seconds
    }
}

/// Measures the seconds per call, in batches of a millisecond for `budget` seconds, as the macro `MEASURE` of
/// the C reference does.
pub fn time(budget: f64, mut work: impl FnMut()) -> Spread {
    let mut lap = Stopwatch::start();
    work();
    let first = lap.lap();
    if first > LONG_CALL_BUDGETS * budget {
        return Spread::exact(first);
    }
    // The first call had cold caches, so the second call determines the size of a batch.
    work();
    let batch = (SAMPLE_SECONDS / (lap.lap() + 1e-9)) as usize + 1;
    let (mut samples, whole) = (Vec::new(), Stopwatch::start());
    while samples.len() < MOST_SAMPLES && (samples.len() < FEWEST_SAMPLES || whole.seconds() < budget) {
        lap = Stopwatch::start();
        (0..batch).for_each(|_| work());
        samples.push(lap.seconds() / batch as f64);
    }
    Spread::of(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_work_takes_longer() {
        let spin = |n: u64| {
            move || {
                std::hint::black_box((0..n).fold(0u64, |a, b| a ^ b.wrapping_mul(a | 1)));
            }
        };
        let (short, long) = (time(0.01, spin(1_000)), time(0.01, spin(100_000)));
        assert!(long.min > 10.0 * short.min, "{short:?} {long:?}");
    }
}
