//! The vectors φ(x, a) that a linear model uses, from a context x and the features a of an arm.

use crate::{ArmTable, DataProblem};
use serde::{Deserialize, Serialize};

/// The way in which contexts and arms become vectors. All vectors begin with a constant, because the data has
/// none.
///
/// ```
/// use moglb_data::{Layout, Sizes};
///
/// let mut vector = Vec::new();
/// Layout::Shared.push(&[0.5], &[2.0], 0, 1, &mut vector);
/// assert_eq!(vector, [1.0, 0.5, 2.0, 1.0]); // [1, x, a, x ⊗ a]
/// assert_eq!(Layout::Shared.dim(Sizes { context: 1, arm: 1, arms: 1 }), 4);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// [1, x, a]: arms differ by a constant, whatever the context.
    Additive,
    /// [1, x, a, x ⊗ a]: one set of coefficients for all arms, through their features.
    Shared,
    /// e_k ⊗ [1, x]: separate coefficients for each arm.
    Block,
    /// [1, x, a, e_k ⊗ [1, x]]: coefficients that all arms share, and separate ones for each arm.
    Hybrid,
    /// [1, x, a, products of two different entries of a]: for arms that are combinations of interacting
    /// options.
    Pairs,
}

/// The sizes that the dimension of a layout depends on.
///
/// Example: [`Layout`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The number of features of a context.
    pub context: usize,
    /// The number of features of an arm.
    pub arm: usize,
    /// The number of arms.
    pub arms: usize,
}

impl Sizes {
    /// The sizes of a problem.
    pub fn of(problem: &DataProblem) -> Self {
        Self {
            context: problem.features.len(),
            arm: problem.arms.features.len(),
            arms: problem.arms.ids.len(),
        }
    }
}

impl Layout {
    /// The length of a vector.
    pub fn dim(self, Sizes { context, arm, arms }: Sizes) -> usize {
        match self {
            Layout::Additive => 1 + context + arm,
            Layout::Shared => (1 + context) * (1 + arm),
            Layout::Block => arms * (1 + context),
            Layout::Hybrid => 1 + context + arm + arms * (1 + context),
            Layout::Pairs => 1 + context + arm + arm * arm.saturating_sub(1) / 2,
        }
    }

    /// True if vectors of different arms are equal when arms have no features.
    pub fn needs_arm_features(self) -> bool {
        matches!(self, Layout::Additive | Layout::Shared | Layout::Pairs)
    }

    /// True if vectors depend on the position of the arm.
    pub fn needs_arm_positions(self) -> bool {
        matches!(self, Layout::Block | Layout::Hybrid)
    }

    /// An upper bound on the norm of vectors, from the largest norms of x and a.
    pub fn norm_bound(self, x: f64, a: f64) -> f64 {
        let (x, a) = (x * x, a * a);
        let squared = match self {
            Layout::Additive => 1.0 + x + a,
            Layout::Shared => (1.0 + x) * (1.0 + a),
            Layout::Block => 1.0 + x,
            Layout::Hybrid => 2.0 + 2.0 * x + a,
            // Σ_{i<j} aᵢ²aⱼ² is at most half of (Σ aᵢ²)².
            Layout::Pairs => 1.0 + x + a + 0.5 * a * a,
        };
        squared.sqrt()
    }

    /// Appends the vector of a context and the arm at a position.
    pub fn push(self, x: &[f64], a: &[f64], arm: usize, n_arms: usize, out: &mut Vec<f64>) {
        let with_constant = |out: &mut Vec<f64>, by: f64| {
            out.push(by);
            out.extend(x.iter().map(|x| x * by));
        };
        if self != Layout::Block {
            with_constant(out, 1.0);
            out.extend(a);
        }
        match self {
            Layout::Additive => {}
            Layout::Shared => a.iter().for_each(|a| out.extend(x.iter().map(|x| x * a))),
            Layout::Block | Layout::Hybrid => {
                (0..n_arms).for_each(|k| with_constant(out, f64::from(u8::from(k == arm))));
            }
            Layout::Pairs => {
                a.iter().enumerate().for_each(|(k, first)| out.extend(a[k + 1..].iter().map(|a| a * first)));
            }
        }
    }

    /// The name of each entry of a vector.
    pub fn names(self, features: &[String], arms: &ArmTable) -> Vec<String> {
        let mut names = Vec::new();
        let constant = "intercept".to_owned();
        if self != Layout::Block {
            names.push(constant.clone());
            names.extend(features.iter().chain(&arms.features).cloned());
        }
        let product = |a: &String, b: &String| format!("{a}*{b}");
        match self {
            Layout::Additive => {}
            Layout::Shared => {
                names.extend(arms.features.iter().flat_map(|a| features.iter().map(move |x| product(x, a))));
            }
            Layout::Block | Layout::Hybrid => {
                let own = |arm: &String| {
                    let arm = arm.clone();
                    std::iter::once(&constant).chain(features).map(move |name| format!("{name}[{arm}]"))
                };
                names.extend(arms.ids.iter().flat_map(own));
            }
            Layout::Pairs => {
                let all = &arms.features;
                names.extend(
                    (0..all.len()).flat_map(|k| all[k + 1..].iter().map(move |b| product(&all[k], b))),
                );
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Layout; 5] = [Layout::Additive, Layout::Shared, Layout::Block, Layout::Hybrid, Layout::Pairs];

    #[test]
    fn names_and_numbers_are_as_many_as_the_dimension() {
        let text = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<String>>();
        let features = text(&["x_u", "x_v"]);
        let arms =
            ArmTable { ids: text(&["0", "1", "2"]), features: text(&["a_s", "a_t"]), ..Default::default() };
        let (x, a) = ([0.5, -0.25], [1.0, 0.5]);
        for layout in ALL {
            let mut phi = Vec::new();
            layout.push(&x, &a, 1, 3, &mut phi);
            assert_eq!(phi.len(), layout.dim(Sizes { context: 2, arm: 2, arms: 3 }), "{layout:?}");
            assert_eq!(phi.len(), layout.names(&features, &arms).len(), "{layout:?}");
            let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
            assert!(norm(&phi) <= layout.norm_bound(norm(&x), norm(&a)) * (1.0 + 1e-15), "{layout:?}");
        }
        let names = Layout::Shared.names(&features, &arms);
        assert_eq!(names[5..], ["x_u*a_s", "x_v*a_s", "x_u*a_t", "x_v*a_t"]);
        let mut phi = Vec::new();
        Layout::Shared.push(&x, &a, 1, 3, &mut phi);
        assert_eq!(phi, [1.0, 0.5, -0.25, 1.0, 0.5, 0.5, -0.25, 0.25, -0.125]);
    }
}
