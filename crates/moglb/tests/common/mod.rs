//! Shared parts of the tests: a slow reference of Algorithm 1, random problems, and a deterministic proptest.

// Each test file is a crate of its own and uses a part of this module.
#![allow(dead_code)]

pub mod eb;
pub mod ekf;
pub mod identify;
pub mod lipschitz;
pub mod problems;
pub mod reference;
pub mod shadow;

use moglb::{Gram, Rng, draw};
use nalgebra::{DMatrix, DVector};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// Runs a law on `cases` values of a strategy, always the same values, and shows the smallest value that
/// breaks it.
pub fn check<S: Strategy>(cases: u32, strategy: S, law: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2000, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(error) = runner.run(&strategy, law) {
        panic!("{error}");
    }
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Returns true if a and b agree to `tolerance`, relative for large values and absolute for small ones.
pub fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + b.abs())
}

/// A uniform direction.
pub fn direction(dim: usize, rng: &mut dyn Rng) -> Vec<f64> {
    loop {
        let v: Vec<f64> = (0..dim).map(|_| draw::normal(rng)).collect();
        let length = norm(&v);
        if length > 1e-6 {
            return v.iter().map(|x| x / length).collect();
        }
    }
}

/// A uniform point of the ball of a radius. It is slightly inside, so that rounding cannot put it outside.
pub fn ball(dim: usize, radius: f64, rng: &mut dyn Rng) -> Vec<f64> {
    let length = radius * draw::unit(rng).powf(1.0 / dim as f64) * (1.0 - 1e-12);
    direction(dim, rng).iter().map(|x| x * length).collect()
}

/// The absolute values of a uniform point of the unit ball, which is uniform on its positive part.
pub fn positive_ball(dim: usize, rng: &mut dyn Rng) -> Vec<f64> {
    ball(dim, 1.0, rng).iter().map(|x| x.abs()).collect()
}

pub fn uniform(low: f64, high: f64, rng: &mut dyn Rng) -> f64 {
    low + (high - low) * draw::unit(rng)
}

/// 1 with the given probability, else 0.
pub fn bernoulli(chance: f64, rng: &mut dyn Rng) -> f64 {
    f64::from(draw::unit(rng) < chance)
}

/// The Z of a `Gram` as a dense matrix.
pub fn dense(z: &Gram) -> DMatrix<f64> {
    DMatrix::from_row_slice(z.dim(), z.dim(), z.to_dense().as_slice())
}

pub fn vector(x: &[f64]) -> DVector<f64> {
    DVector::from_column_slice(x)
}
