//! The preference of the policy itself.

use super::{Preference, View, share};
use moglb_math::Error;
use moglb_pareto::ArmId;

/// Keeps the policy's probabilities of the candidates, scaled to sum one. If the policy would play
/// no candidate, all have the same probability.
#[derive(Debug)]
pub(super) struct Own;

impl Preference for Own {
    fn weigh(&self, view: &View<'_>, probabilities: &mut [f64]) -> Result<(), Error> {
        keep(view, view.candidates(), probabilities);
        Ok(())
    }
}

/// Writes the policy's own probabilities, given that one of `arms` is drawn. If the policy draws no
/// other arms, they are its own bit for bit.
pub fn keep(view: &View<'_>, arms: &[ArmId], probabilities: &mut [f64]) {
    arms.iter().for_each(|&arm| probabilities[arm.0] = view.own(arm));
    if *probabilities == *view.decision.probabilities {
        return;
    }
    let sum: f64 = arms.iter().map(|&arm| view.own(arm)).sum();
    if sum > 0.0 {
        arms.iter().for_each(|arm| probabilities[arm.0] /= sum);
    } else {
        share(view.candidates(), probabilities);
    }
}

#[cfg(test)]
mod tests {
    use crate::preference::testing::Table;

    #[test]
    fn candidates_are_as_likely_as_the_policy_makes_them() {
        let table = |candidates: &[usize]| {
            Table::plain(&[[0.0]; 4]).with_own(&[0.5, 0.125, 0.375, 0.0]).among(candidates)
        };
        let own = r#"{ "kind": "own" }"#;
        assert_eq!(table(&[0, 1, 2]).weigh(own), [0.5, 0.125, 0.375, 0.0]);
        assert_eq!(table(&[1, 2]).weigh(own), [0.0, 0.25, 0.75, 0.0]);
        assert_eq!(table(&[3]).weigh(own), [0.0, 0.0, 0.0, 1.0], "it would play none of them");
    }
}
