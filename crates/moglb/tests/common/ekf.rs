//! EKF-UCB as slowly and plainly as possible: dense H, explicit inverses, both matrices of the update written
//! down, a projection by bisection, and textbook likelihoods.

use super::reference::{Slow, inverse, mean, project, slope};
use moglb::{Direction, EkfUcbConfig, Link, Problem};
use nalgebra::{DMatrix, DVector};

pub struct SlowEkf {
    config: EkfUcbConfig,
    radius: f64,
    pub models: Vec<Model>,
}

/// One objective. A minimized one is learned with the given sign, E y = μ(θᵀx), and ranked by −θᵀx.
pub struct Model {
    link: Link,
    better: f64,
    pub h: DMatrix<f64>,
    pub theta: DVector<f64>,
    /// The number of times that the estimate left the ball, and that it was on its boundary up to rounding.
    pub projections: u64,
    pub on_edge: u64,
}

/// The slope of the negative log-likelihood in z.
pub fn score(link: Link, z: f64, y: f64) -> f64 {
    let (mu, slope) = (mean(link, z), slope(link, z));
    if link == Link::Probit { (mu - y) * slope / (mu * (1.0 - mu)) } else { mu - y }
}

/// The Fisher information about z.
pub fn weight(link: Link, z: f64) -> f64 {
    let (mu, slope) = (mean(link, z), slope(link, z));
    if link == Link::Probit { slope * slope / (mu * (1.0 - mu)) } else { slope }
}

impl SlowEkf {
    pub fn new(problem: &Problem, config: &EkfUcbConfig) -> Self {
        let dim = problem.dim();
        let models = problem.objectives().iter().map(|objective| Model {
            link: objective.link,
            better: if objective.direction == Direction::Minimize { -1.0 } else { 1.0 },
            h: DMatrix::identity(dim, dim) * config.lambda,
            theta: DVector::zeros(dim),
            projections: 0,
            on_edge: 0,
        });
        Self { config: config.clone(), radius: problem.radius(), models: models.collect() }
    }

    pub fn learn(&mut self, x: &[f64], reward: &[f64]) {
        let x = DVector::from_column_slice(x);
        let outer = &x * x.transpose();
        for (model, &y) in self.models.iter_mut().zip(reward) {
            let z = model.theta.dot(&x);
            let lifted = &model.h + &outer * weight(model.link, z);
            let u = &model.theta - inverse(&lifted) * &x * score(model.link, z, y);
            let outside = u.norm() / self.radius - 1.0;
            model.projections += u64::from(outside > 1e-9);
            model.on_edge += u64::from(outside.abs() <= 1e-9);
            model.theta = project(&u, &lifted, self.radius);
            model.h += &outer * weight(model.link, model.theta.dot(&x));
        }
    }
}

impl Slow for SlowEkf {
    fn theta(&self, objective: usize) -> &[f64] {
        self.models[objective].theta.as_slice()
    }

    fn log_det(&self, objective: usize) -> f64 {
        (&self.models[objective].h / self.config.lambda).determinant().ln().max(0.0)
    }

    fn width(&self, objective: usize, x: &[f64]) -> f64 {
        let x = DVector::from_column_slice(x);
        let squared = (x.transpose() * inverse(&self.models[objective].h) * &x)[0];
        (self.config.c * self.log_det(objective) * squared).sqrt()
    }

    fn scores(&self, x: &[f64]) -> Vec<f64> {
        let point = DVector::from_column_slice(x);
        let score = |i: usize| self.models[i].better * self.models[i].theta.dot(&point) + self.width(i, x);
        match self.config.objective {
            Some(only) => vec![score(only)],
            None => (0..self.models.len()).map(score).collect(),
        }
    }
}
