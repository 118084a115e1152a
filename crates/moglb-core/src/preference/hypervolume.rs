//! The preference for arms that add volume to the front.

use super::{Preference, View, best_by, share};
use moglb_math::Error;
use moglb_pareto::indicator::contributions;
use serde::{Deserialize, Serialize};

/// The use of the volumes that candidates alone dominate.
///
/// Example: [`PlayConfig`].
///
/// [`PlayConfig`]: super::PlayConfig
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choose {
    /// Probabilities in proportion to the volumes.
    #[default]
    Proportional,
    /// Only the candidates with the largest volume.
    Largest,
}

/// Weighs the candidates by the volume that they alone dominate above a reference point. An arm far
/// from the others counts much, an arm in a crowd counts little. Values are first clamped to the
/// range of rewards, so the volume is a part of the box of possible rewards. If no candidate adds
/// volume, all have the same probability.
///
/// The cost grows quickly with the number of candidates and objectives: the exact volume of n boxes
/// is computed n times.
#[derive(Debug)]
pub struct Hypervolume {
    /// The reference point on the unit scale.
    pub reference: Vec<f64>,
    /// The use of the volumes.
    pub choose: Choose,
}

impl Preference for Hypervolume {
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
        let arms = view.candidates();
        let above = |u: Vec<f64>| u.iter().zip(&self.reference).map(|(u, z)| u.clamp(0.0, 1.0) - z).collect();
        let points: Vec<Vec<f64>> = arms.iter().map(|&arm| above(view.units(arm))).collect();
        let volumes = contributions(&points);
        arms.iter().zip(&volumes).for_each(|(arm, volume)| probabilities[arm.0] = *volume);
        let sum: f64 = volumes.iter().sum();
        if sum <= 0.0 {
            share(arms, probabilities);
        } else if self.choose == Choose::Proportional {
            arms.iter().for_each(|arm| probabilities[arm.0] /= sum);
        } else {
            let best = best_by(arms, |arm| probabilities[arm.0]);
            arms.iter().for_each(|arm| probabilities[arm.0] = 0.0);
            share(&best, probabilities);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::preference::testing::Table;

    /// Above (0, 0) each box adds 0.25·0.25; above (0, 0.125) the first adds 0.25·0.125 only.
    #[test]
    fn probabilities_are_in_proportion_to_what_an_arm_alone_dominates() {
        let table = Table::plain(&[[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]]);
        assert_eq!(table.weigh(r#"{ "kind": "hypervolume" }"#), [1.0 / 3.0; 3]);
        let raised = table.weigh(r#"{ "kind": "hypervolume", "reference": [0, 0.125] }"#);
        assert_eq!(raised, [0.2, 0.4, 0.4]);
        let largest =
            table.weigh(r#"{ "kind": "hypervolume", "reference": [0, 0.125], "choose": "largest" }"#);
        assert_eq!(largest, [0.0, 0.5, 0.5]);
    }

    #[test]
    fn twins_add_nothing_and_where_nobody_adds_all_are_alike() {
        let table = Table::plain(&[[0.75, 0.25], [0.25, 0.75], [0.25, 0.75]]);
        assert_eq!(table.weigh(r#"{ "kind": "hypervolume" }"#), [1.0, 0.0, 0.0]);
        let none = table.weigh(r#"{ "kind": "hypervolume", "reference": [0.9, 0.9] }"#);
        assert_eq!(none, [1.0 / 3.0; 3]);
    }
}
