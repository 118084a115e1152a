//! A front filter does not allocate for a size that it has seen before.

use allocation_counter::measure;
use moglb::{Front, FrontFilter, Matrix, draw};

fn points(n: usize, m: usize, sphere: bool) -> Matrix {
    let mut rng = draw::seeded(4);
    let mut values: Vec<f64> = (0..n * m).map(|_| draw::unit(&mut rng)).collect();
    if sphere {
        for row in values.chunks_exact_mut(m) {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter_mut().for_each(|x| *x /= length);
        }
    }
    Matrix::new(m, values).unwrap()
}

#[test]
fn a_second_front_of_the_same_size_does_not_allocate() {
    // One thread: rayon allocates to wake other threads, and those allocations are not the filter's.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for (n, sphere) in [(40, false), (1000, false), (1000, true), (9000, false), (9000, true)] {
        for m in [1, 2, 3, 5, 12] {
            let points = points(n, m, sphere);
            let (first, second) = alone.install(|| {
                let (mut filter, mut front) = (FrontFilter::new(), Front::default());
                let mut allocations = || measure(|| filter.filter(&points, &mut front).unwrap()).count_total;
                (allocations(), allocations())
            });
            assert!(first > 0, "the counter counts");
            assert_eq!(second, 0, "n = {n}, m = {m}");
        }
    }
}
