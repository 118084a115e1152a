//! Timing. CPU time of the thread, as the C reference and the peers take it: a pause caused by another program is not
//! charged, slowed caches and memory still are.

use crate::record::Spread;
use cpu_time::ThreadTime;

/// The work of one sample, in seconds: far above the resolution of the clock.
const SAMPLE_SECONDS: f64 = 1e-3;
const MOST_SAMPLES: usize = 2000;
const FEWEST_SAMPLES: usize = 3;
/// A first call this many times longer than the whole budget is the only one.
const LONG_CALL_BUDGETS: f64 = 4.0;

/// The CPU time that this thread spends from now on.
pub struct Stopwatch(ThreadTime);

impl Stopwatch {
    /// Starts.
    pub fn start() -> Self {
        Self(ThreadTime::now())
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }

    /// Seconds since the start, which is now.
    pub fn lap(&mut self) -> f64 {
        let now = ThreadTime::now();
        let seconds = now.duration_since(self.0).as_secs_f64();
        self.0 = now;
        seconds
    }
}

/// Seconds per call: batches of a millisecond for `budget` seconds, as the macro `MEASURE` of the C reference.
pub fn time(budget: f64, mut work: impl FnMut()) -> Spread {
    let mut lap = Stopwatch::start();
    work();
    let first = lap.lap();
    if first > LONG_CALL_BUDGETS * budget {
        return Spread::exact(first);
    }
    // The first call met cold caches; the second says how many make a batch.
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
