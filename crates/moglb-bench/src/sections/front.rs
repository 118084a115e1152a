//! Section `front`: only the non-dominated filter, on points from a file that all contestants read.

use crate::bench::{Bench, Case};
use crate::clock::time;
use crate::record::{Outcome, who};
use crate::world::write_numbers;
use anyhow::{Context, Result};
use moglb::{Matrix, draw, front};
use serde_json::json;
use std::hint::black_box;

/// The introduction in the report.
pub(super) const ABOUT: &str = "\
All contestants read the points from one file; larger is better for moglb and C, the peers get the negated \
points that they expect. correlated: one shared normal factor plus 0.3 of noise, a handful of points on the \
front. uniform: independent coordinates. sphere: the positive part of the unit sphere, every point on the \
front. A case is not started if it would take more than two minutes per call, as estimated from the two \
sizes before it.";

/// The distributions of the points.
pub const KINDS: [&str; 3] = ["correlated", "uniform", "sphere"];
/// The numbers of points.
pub const POINTS: [usize; 5] = [40, 1000, 10_000, 100_000, 1_000_000];
/// The numbers of coordinates.
pub const OBJECTIVES: [usize; 4] = [5, 2, 3, 8];
/// The longest time for a single call, in seconds.
const LIMIT_SECONDS: f64 = 120.0;
/// The only number of objectives of the C reference.
const REFERENCE_OBJECTIVES: usize = 5;

/// Measures each distribution at growing sizes, so that the time at the next size can be estimated.
pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (points, objectives) =
        if bench.quick { (&POINTS[..1], &OBJECTIVES[..2]) } else { (&POINTS[..], &OBJECTIVES[..]) };
    for &m in objectives {
        for kind in KINDS {
            let mut foresight = [Foresight::default(); 4];
            for &n in points {
                measure(bench, kind, n, m, &mut foresight)?;
            }
        }
    }
    Ok(())
}

/// The name of a case.
pub fn case_name(kind: &str, n: usize, m: usize) -> String {
    format!("{kind}, n={n}, m={m}")
}

/// Measures all contestants on the points of a case.
fn measure(bench: &mut Bench, kind: &str, n: usize, m: usize, foresight: &mut [Foresight; 4]) -> Result<()> {
    let points = points(kind, n, m)?;
    let path = bench.folder().join("points.f64");
    write_numbers(&path, points.as_slice().iter().copied())?;
    let file = path.to_str().context("a temporary folder with a readable name")?.to_string();
    let (mut slowest, mut expected) = (0.0_f64, None);
    for repeat in 0..bench.repeats() {
        let case = Case::new("front", case_name(kind, n, m), repeat);
        let contestants = if m == REFERENCE_OBJECTIVES { 4 } else { 3 };
        for (index, foresight) in foresight.iter_mut().enumerate().take(contestants) {
            let name = [who::OURS, who::MOOCORE, who::PARETOSET, who::C][index];
            let outcome = match foresight.too_long(n) {
                Some(seconds) => Outcome::stopped(format!("about {seconds:.0} s per call foreseen")),
                None if name == who::OURS => ours(bench.budget() / 3.0, &points)?,
                None if name == who::C => {
                    let arguments = ["front".into(), file.clone(), n.to_string()];
                    bench.reference.measure(&["filter"], &arguments).remove(0).1
                }
                None => bench
                    .peers
                    .measure(&json!({ "do": "front", "tool": name, "file": file, "objectives": m })),
            };
            let outcome = checked(outcome, &mut expected);
            if let Some(spread) = outcome.spread {
                foresight.saw(n, spread.median);
                slowest = slowest.max(spread.median);
            }
            case.time(bench, name, "filter", outcome);
        }
        // Long calls vary little, and three of each would take too much time.
        if slowest > 1.0 {
            break;
        }
    }
    Ok(())
}

/// Measures this project's filter; the size of the front is an extra number.
fn ours(budget: f64, points: &Matrix) -> Result<Outcome> {
    let size = front(points)?.len();
    let spread = time(budget, || drop(black_box(front(black_box(points)))));
    Ok(Outcome::from(spread).with("front", size as f64))
}

/// Rejects an outcome whose front differs in size from the first one: its time must not be compared.
fn checked(outcome: Outcome, expected: &mut Option<f64>) -> Outcome {
    match (outcome.extra.get("front"), *expected) {
        (Some(found), Some(expected)) if *found != expected => {
            Outcome::not_run(format!("wrong: {found} points on the front instead of {expected}"))
        }
        (found, _) => {
            *expected = expected.or(found.copied());
            outcome
        }
    }
}

/// An estimate of the time at the next size, from the two sizes before it.
#[derive(Debug, Clone, Copy, Default)]
struct Foresight {
    /// The two largest sizes so far, with their seconds per call.
    seen: [Option<(usize, f64)>; 2],
}

impl Foresight {
    /// Adds the seconds per call at a size.
    fn saw(&mut self, n: usize, seconds: f64) {
        match &mut self.seen[1] {
            Some(last) if last.0 == n => last.1 = seconds,
            _ => self.seen = [self.seen[1], Some((n, seconds))],
        }
    }

    /// The estimated seconds per call at a size, if they are above the limit.
    fn too_long(&self, n: usize) -> Option<f64> {
        let [Some((n1, t1)), Some((n2, t2))] = self.seen else { return None };
        if n <= n2 {
            return None;
        }
        // The power of growth, which is between linear and quadratic for a filter.
        let power = ((t2 / t1).ln() / (n2 as f64 / n1 as f64).ln()).clamp(1.0, 2.0);
        let seconds = t2 * (n as f64 / n2 as f64).powf(power);
        (seconds > LIMIT_SECONDS).then_some(seconds)
    }
}

/// Draws n points with m coordinates.
fn points(kind: &str, n: usize, m: usize) -> Result<Matrix> {
    let mut rng = draw::seeded(3);
    let mut numbers = Vec::with_capacity(n * m);
    for _ in 0..n {
        let shared = if kind == "correlated" { draw::normal(&mut rng) } else { 0.0 };
        let start = numbers.len();
        for _ in 0..m {
            numbers.push(match kind {
                "correlated" => shared + 0.3 * draw::normal(&mut rng),
                "uniform" => draw::unit(&mut rng),
                _ => draw::normal(&mut rng).abs(),
            });
        }
        if kind == "sphere" {
            let length = numbers[start..].iter().map(|x| x * x).sum::<f64>().sqrt();
            numbers[start..].iter_mut().for_each(|x| *x /= length);
        }
    }
    Ok(Matrix::new(m, numbers)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quadratic_filter_is_stopped_before_it_takes_minutes() {
        let mut foresight = Foresight::default();
        foresight.saw(1000, 1e-3);
        foresight.saw(10_000, 0.1);
        assert_eq!(foresight.too_long(100_000), None);
        foresight.saw(100_000, 10.0);
        assert!((foresight.too_long(1_000_000).unwrap() - 1000.0).abs() < 1e-6);
    }

    #[test]
    fn a_contestant_that_finds_another_front_is_out() {
        let found = |n: f64| Outcome::default().with("front", n);
        let mut expected = None;
        assert_eq!(checked(found(7.0), &mut expected), found(7.0));
        assert_eq!(checked(found(7.0), &mut expected), found(7.0));
        assert!(
            checked(found(8.0), &mut expected).note.unwrap().contains("8 points on the front instead of 7")
        );
    }

    #[test]
    fn every_point_of_the_sphere_is_on_the_front() {
        assert_eq!(front(&points("sphere", 300, 5).unwrap()).unwrap().len(), 300);
        assert!(front(&points("correlated", 300, 5).unwrap()).unwrap().len() < 50);
    }
}
