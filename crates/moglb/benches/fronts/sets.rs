//! Sets of points on which front filters differ.

use moglb::{Matrix, Rng, draw};

/// The distribution of the points of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// One shared factor and 0.3 of noise: only a few points on the front.
    Correlated,
    /// Independent values: a medium front.
    Uniform,
    /// The positive part of the unit sphere: every point is on the front.
    Sphere,
    /// A layer of depth 0.1 below the plane of constant sum: a large front, and many points close to it.
    Anti,
    /// Integer values from 0 to 9: many ties and equal points.
    Grid,
    /// Integer values from 0 to 10 near a plane: many equal points on a large front.
    Plane,
    /// All points are equal.
    Equal,
}

/// All sets.
pub const SETS: [Set; 7] =
    [Set::Correlated, Set::Uniform, Set::Sphere, Set::Anti, Set::Grid, Set::Plane, Set::Equal];

impl Set {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Set::Correlated => "correlated",
            Set::Uniform => "uniform",
            Set::Sphere => "sphere",
            Set::Anti => "anti",
            Set::Grid => "grid",
            Set::Plane => "plane",
            Set::Equal => "equal",
        }
    }

    /// n points of m objectives; the same points in every call.
    pub fn points(self, n: usize, m: usize) -> Matrix {
        let mut rng = draw::seeded(3);
        Matrix::new(m, (0..n).flat_map(|_| self.point(m, &mut rng)).collect()).expect("whole rows")
    }

    fn point(self, m: usize, rng: &mut dyn Rng) -> Vec<f64> {
        let shared = draw::normal(rng);
        let mut values = |draw: fn(&mut dyn Rng) -> f64| (0..m).map(|_| draw(rng)).collect::<Vec<f64>>();
        match self {
            Set::Correlated => values(normal).iter().map(|x| shared + 0.3 * x).collect(),
            Set::Uniform => values(unit),
            Set::Sphere => {
                let x = values(normal);
                let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
                x.iter().map(|x| x.abs() / length).collect()
            }
            Set::Anti => on_plane(&values(unit), 1.0 - 0.1 * unit(rng)),
            Set::Grid => values(unit).iter().map(|x| (10.0 * x).floor()).collect(),
            Set::Plane => on_plane(&values(unit), 10.0).iter().map(|x| x.floor()).collect(),
            Set::Equal => vec![0.5; m],
        }
    }
}

/// A uniform point of the simplex of sum `sum`, from m uniform numbers.
fn on_plane(unit: &[f64], sum: f64) -> Vec<f64> {
    let x: Vec<f64> = unit.iter().map(|u| -(1.0 - u).ln()).collect();
    let total: f64 = x.iter().sum();
    x.iter().map(|x| sum * x / total).collect()
}

fn unit(rng: &mut dyn Rng) -> f64 {
    draw::unit(rng)
}

fn normal(rng: &mut dyn Rng) -> f64 {
    draw::normal(rng)
}
