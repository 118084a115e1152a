//! The cost of a front by set, size and number of objectives. Prints one line for each and compares with no
//! earlier result.
//!
//! `cargo bench -p moglb --bench fronts` runs all; words after `--` select the lines that contain all of
//! them, as in `-- sphere m=5`. `RAYON_NUM_THREADS=1` keeps it on one core. Times are medians; the machine is
//! shared, so compare within a run.

mod sets;

use moglb::{Front, FrontFilter, Matrix};
use sets::SETS;
use std::time::{Duration, Instant};

const ROWS: [usize; 5] = [40, 1000, 10_000, 100_000, 1_000_000];
const OBJECTIVES: [usize; 4] = [2, 3, 5, 8];

/// The time spent on one line, and on one sample if a single call is short.
const LINE: Duration = Duration::from_millis(500);
const SAMPLE: Duration = Duration::from_millis(1);

fn main() {
    // Cargo passes `--bench`, so words that begin with a dash are ignored.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for set in SETS {
        for m in OBJECTIVES {
            for n in ROWS {
                let name = format!("front/{}/n={n},m={m}", set.name());
                if words.iter().all(|word| name.contains(word.as_str())) {
                    let (seconds, n_front) = measure(&set.points(n, m));
                    println!("{name:<36} {:>12.2} us   {n_front} on the front", seconds * 1e6);
                }
            }
        }
    }
}

/// The median time of a call, and the size of the front.
fn measure(points: &Matrix) -> (f64, usize) {
    let (mut filter, mut front) = (FrontFilter::new(), Front::default());
    let mut call = || {
        let start = Instant::now();
        filter.filter(points, &mut front).expect("finite points");
        (start.elapsed(), front.len())
    };
    let (first, n_front) = call();
    let batch = (SAMPLE.as_nanos() / first.as_nanos().max(1) + 1) as u32;
    let start = Instant::now();
    let mut samples = Vec::new();
    while samples.len() < 3 || start.elapsed() < LINE {
        let total: Duration = (0..batch).map(|_| call().0).sum();
        samples.push(total.as_secs_f64() / f64::from(batch));
    }
    samples.sort_by(f64::total_cmp);
    (samples[samples.len() / 2], n_front)
}
