//! QGLOC: GLOC with the square of the norm in its index (Jun, Bhargava, Nowak, Willett 2017).
//!
//! ```text
//! θ̂ᵀx + β^{1/4}/(4c₀m̄) · ‖x‖²_{V⁻¹}        m̄ = the least ‖x‖_{V⁻¹} of an arm
//! ```
//!
//! The index is an inner product of (x, xxᵀ) with learned numbers. So hashing can maximize it over very
//! many arms; this implementation computes it for every arm. By 2√(ab)·w ≤ aw² + b with
//! a = β^{1/4}/(4c₀m̄) and b = c₀β^{3/4}m̄, it is at least the index of GLOC minus b, and b is at most
//! c₀β^{3/4} times the norm of the played arm.

use crate::glm::conversion::{Conversion, GlocState};
use crate::glm::glm_target::GlmTarget;
use crate::glm::{WIDEST, check_common};
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Model, Parameter, Policy, Problem, Target};
use moglb_math::{Error, Gram};
use rand_core::Rng;

policy! {
    id: "qgloc",
    name: "QGLOC",
    source: "Jun, Bhargava, Nowak, Willett: Scalable generalized linear bandits: online computation and \
             hashing, NIPS 2017",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum",
    guarantee: "regret Õ(d^{5/4}√T) with probability 1 − δ where the model holds; no front",
    cost: "O(K·d²) to decide, O(d²) to learn",
    departures: "m̄ is the least positive norm of the arms on offer; the source takes it over all vectors of \
                 a least length. R is half the length of the range of rewards. c₀ is left to the user. Ties \
                 are broken uniformly at random.",
    parameters: struct QglocConfig of Qgloc {
        target: Target = Target::default() => "0", meaning!(glm_target);
        lambda: f64 = 1.0, "regularization, V_1 = λI";
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        c0: f64 = 1.0, "c₀; the larger it is, the less weight the squared norm has";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// QGLOC on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{draw, ArmSet, Link, Objective, Policy, Problem, Qgloc, QglocConfig};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = Qgloc::new(problem, QglocConfig { scale: 0.05, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Qgloc {
    problem: Problem,
    config: QglocConfig,
    conversion: Conversion,
}

impl Qgloc {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`], [`Error::Weights`] or [`Error::Curvature`] for the target,
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: QglocConfig) -> Result<Self, Error> {
        let model = GlmTarget::new(&problem, &config.target)?;
        check_common(config.delta, config.scale, config.lambda)?;
        Parameter::check("c0", config.c0, 1e-100..=1e100)?;
        let conversion = Conversion::new(problem.dim(), vec![model], config.lambda)?;
        Ok(Self { problem, config, conversion })
    }

    /// Returns √β, without the scale.
    pub fn radius(&self) -> f64 {
        self.conversion.radius(0, self.config.delta)
    }

    /// Returns the factor of ‖x‖²_{V⁻¹} for the least norm m̄ of the arms, multiplied by the scale.
    fn factor(&self, least: f64) -> f64 {
        let QglocConfig { c0, scale, .. } = self.config;
        (scale * self.radius().sqrt() / (4.0 * c0 * least)).min(WIDEST)
    }

    /// Returns θ̂, the center of the confidence set, in the orientation in which larger is better.
    pub fn theta(&self) -> Vec<f64> {
        self.conversion.center(0).theta().collect()
    }

    /// Returns V = λI + Σxxᵀ.
    pub fn gram(&self) -> &Gram {
        self.conversion.gram()
    }
}

impl Policy for Qgloc {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let center = self.conversion.center(0);
        let pairs = decision.predict(arms, self.gram(), center);
        // If no norm is positive, m̄ is infinite and the factor is zero.
        let norms = pairs.as_chunks::<2>().0.iter().map(|&[_, norm]| norm).filter(|&norm| norm > 0.0);
        let factor = self.factor(norms.fold(f64::INFINITY, f64::min));
        decision.play_the_best(arms.n_arms(), rng, |arm| {
            let norm = pairs[2 * arm + 1];
            (pairs[2 * arm], factor * (norm * norm))
        });
        decision.work.vectors[0] = pairs;
        let sign = self.conversion.models()[0].objective().sign();
        decision.turn_estimates(|estimate| sign * estimate);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.conversion.learn(arm.context(), reward, &self.problem)
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(self.conversion.model())
    }
}

saved!(Qgloc: QglocConfig => GlocState, conversion);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_pareto::ArmId;

    /// With λ = 1, norms before the first reward are lengths, so m̄ = 0.5 and the index is
    /// √(√β)/(4·0.5·c₀)·‖x‖². For an identity link with R = 1 and S = 1, β before the first reward
    /// follows from B = 2, α = 1 + 8 + 8·log(40·√(1 + 4 + 4/0.0025)), β = α + 1.
    #[test]
    fn the_first_index_is_that_worked_by_hand() {
        let problem = Problem::new(2, vec![Objective::new("y", Link::Identity)]).unwrap();
        let policy = Qgloc::new(problem, QglocConfig { c0: 2.0, ..Default::default() }).unwrap();
        let arms = ArmSet::from_rows(&[[0.3, 0.4], [0.0, 1.0], [0.0, 0.0]]).unwrap();
        let decision = policy.decide(&arms, &mut moglb_math::draw::seeded(1)).unwrap();
        let beta = 10.0 + 8.0 * (40.0 * 1605.0_f64.sqrt()).ln();
        let factor = beta.sqrt().sqrt() / 4.0;
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * b, "{a} for {b}");
        for (arm, squared) in [0.25, 1.0, 0.0].into_iter().enumerate() {
            close(decision.widths.row(arm)[0], factor * squared);
        }
        assert_eq!(decision.arm.0, 1);
    }

    /// A reward of 1 for x = (0, 1), from z = 0: g = −1, V = diag(1, 2), the learner's θ = (0, ½),
    /// θ̂ = 0, B = 2 + ¼, β = 70.035798. The squared norms are 0.17 and ½, m̄² = 0.17. Then a reward of −1
    /// for (0.6, 0.8), from z = 0.4: g = 1.4,
    ///
    /// ```text
    /// V = | 1.36  0.48 |   ‖x‖² = 1.36/3.36,  B = 2.25 + 1.96·1.36/3.36/2,  Σz² − θ̂ᵀΣzx = 2/21
    ///     | 0.48  2.64 |   θ̂ = V⁻¹(0.24, 0.32) = (0.48, 0.32)/3.36,  β = 71.529202
    /// ```
    ///
    /// So the squared norms are 0.34/3.36 and 1.36/3.36, and m̄² is the former.
    #[test]
    fn the_indices_after_rewards_are_those_worked_by_hand() {
        let problem = Problem::new(2, vec![Objective::new("y", Link::Identity)]).unwrap();
        let mut policy = Qgloc::new(problem, QglocConfig { c0: 2.0, ..Default::default() }).unwrap();
        let arms = ArmSet::from_rows(&[[0.3, 0.4], [0.0, 1.0], [0.6, 0.8]]).unwrap();
        let offered = ArmSet::from_rows(&[[0.3, 0.4], [0.0, 1.0]]).unwrap();
        let close = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-6, "{got} for {expected}");
        for (arm, reward, estimates, widths) in [
            (1, 1.0, [0.0, 0.0], [0.149095, 0.438516]),
            (2, -1.0, [0.080952, 0.095238], [0.115638, 0.462552]),
        ] {
            policy.learn(arms.arm(ArmId(arm)), &[reward]).unwrap();
            let decision = policy.decide(&offered, &mut moglb_math::draw::seeded(1)).unwrap();
            (0..2).for_each(|k| close(decision.estimates.row(k)[0], estimates[k]));
            (0..2).for_each(|k| close(decision.widths.row(k)[0], widths[k]));
            assert_eq!(decision.arm, ArmId(1));
        }
        close(policy.radius().powi(2), 71.529202);
    }
}
