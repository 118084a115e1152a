//! GLOC-TS: Thompson sampling from a confidence set that is converted from an online learner (Jun,
//! Bhargava, Nowak, Willett 2017).
//!
//! ```text
//! θ̇ = θ̂ + √β(δ/8T) · V^{−1/2}ξ,   ξ standard normal        play the best arm for θ̇
//! ```
//!
//! As θ̇ᵀx is an inner product, hashing can maximize it over very many arms. This implementation computes
//! it for every arm.

use crate::glm::conversion::{Conversion, GlocState};
use crate::glm::glm_target::GlmTarget;
use crate::glm::{WIDEST, check_common};
use moglb_core::describe::{meaning, policy};
use moglb_core::estimate::Estimate;
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Model, Parameter, Policy, Problem, Target};
use moglb_math::{Error, Gram, draw};
use rand_core::Rng;

policy! {
    id: "gloc-ts",
    name: "GLOC-TS",
    source: "Jun, Bhargava, Nowak, Willett: Scalable generalized linear bandits: online computation and \
             hashing, NIPS 2017",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum",
    guarantee: "regret Õ(d^{3/2}√T·(L + R)/κ) with probability 1 − δ where the model holds; no front",
    cost: "O(K·d² + d²) to decide (the widths are only reported), O(d²) to learn",
    departures: "R is half the length of the range of rewards, so any rewards in it are R-sub-Gaussian; κ is \
                 the least slope of the link on [−S, S] with S = D. Probabilities are conditional on the \
                 sample θ̇. Ties are broken uniformly at random.",
    parameters: struct GlocTsConfig of GlocTs {
        target: Target = Target::default() => "0", meaning!(glm_target);
        lambda: f64 = 1.0, "regularization, V_1 = λI";
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        horizon: u64 = 3000, "T in the width; after T rounds the policy continues with the same width";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// GLOC-TS on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{draw, ArmSet, GlocTs, GlocTsConfig, Link, Objective, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = GlocTs::new(problem, GlocTsConfig { scale: 0.05, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GlocTs {
    problem: Problem,
    config: GlocTsConfig,
    conversion: Conversion,
}

impl GlocTs {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`], [`Error::Weights`] or [`Error::Curvature`] for the target,
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: GlocTsConfig) -> Result<Self, Error> {
        let model = GlmTarget::new(&problem, &config.target)?;
        check_common(config.delta, config.scale, config.lambda)?;
        Parameter::check("horizon", config.horizon as f64, 1.0..=1e15)?;
        let conversion = Conversion::new(problem.dim(), vec![model], config.lambda)?;
        Ok(Self { problem, config, conversion })
    }

    /// Returns √β(δ/8T), multiplied by the scale: the scatter of the samples.
    pub fn radius(&self) -> f64 {
        let GlocTsConfig { delta, horizon, scale, .. } = self.config;
        (scale * self.conversion.radius(0, delta / (8.0 * horizon as f64))).min(WIDEST)
    }

    /// Draws θ̇ = θ̂ + √β·Mᵀξ. As V⁻¹ = MᵀM, Mᵀξ has the covariance of V^{−1/2}ξ.
    fn sample(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let (gram, radius, mut sample) = (self.gram(), self.radius(), self.theta());
        for i in 0..sample.len() {
            let xi = radius * draw::normal(rng);
            sample[..=i].iter_mut().enumerate().for_each(|(j, theta)| *theta += xi * gram.entry(i, j));
        }
        sample
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

impl Policy for GlocTs {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = true;
        let (radius, sample) = (self.radius(), Estimate::from_theta(&self.sample(rng)));
        // θ̂ and the widths are only reported. The played arm is the best one for the sample.
        let shown = decision.tables.then(|| decision.predict(arms, self.gram(), self.conversion.center(0)));
        decision.play_by_index(arms, rng, self.gram(), &sample, |_, z, _| (z, 0.0));
        let sign = self.conversion.models()[0].objective().sign();
        for (arm, [z, norm]) in shown.iter().flat_map(|pairs| pairs.as_chunks().0).enumerate() {
            decision.estimates.row_mut(arm)[0] = sign * z;
            decision.widths.row_mut(arm)[0] = radius * norm;
        }
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

saved!(GlocTs: GlocTsConfig => GlocState, conversion);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_pareto::ArmId;

    /// Identity link (κ = 1) with rewards in [−½, ½] (R = ½), S = λ = 1.
    fn policy(dim: usize) -> GlocTs {
        let objective = Objective::new("y", Link::Identity).range(-0.5, 0.5);
        GlocTs::new(Problem::new(dim, vec![objective]).unwrap(), GlocTsConfig::default()).unwrap()
    }

    fn close(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-6, "{got} for {expected}");
    }

    /// Two rewards ½ for x = 1, as in the hand-worked rounds of GLOC: V = 3, θ̂ = 1/12, B = 2 + 7/96,
    /// Σz² − θ̂Σzx = 1/24. Here with δ′ = δ/8T = 0.05/24000: α = 1 + 4B + 2·log(2/δ′·√(1 + 2B + ¼/δ′²)) and
    /// β = α + 1 − 1/24 = 62.576166.
    #[test]
    fn the_first_rounds_are_those_worked_by_hand() {
        let (mut policy, arms) = (policy(1), ArmSet::from_rows(&[[1.0]]).unwrap());
        for _ in 0..2 {
            policy.learn(arms.arm(ArmId(0)), &[0.5]).unwrap();
        }
        close(policy.theta()[0], 1.0 / 12.0);
        close(policy.radius(), 7.910510);
        let decision = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
        close(decision.estimates.row(0)[0], 1.0 / 12.0);
        close(decision.widths.row(0)[0], 7.910510 / 3.0_f64.sqrt());
    }

    /// A reward ½ for (0.6, 0.8) makes the learner's θ = (0.15, 0.2), which predicts 0.15 for (1, 0). So
    ///
    /// ```text
    /// V = | 2.36  0.48 |     V⁻¹ = |  1.64  −0.48 | / 3.64     θ̂ = 0.15·V⁻¹(1, 0)
    ///     | 0.48  1.64 |           | −0.48   2.36 |
    /// ```
    ///
    /// and θ̇ ~ N(θ̂, β·V⁻¹). In 40 000 draws, a moment that is off by more than five standard errors is
    /// a 6e-7 event.
    #[test]
    fn samples_have_the_law_of_the_posterior() {
        let (mut policy, arms) = (policy(2), ArmSet::from_rows(&[[0.6, 0.8], [1.0, 0.0]]).unwrap());
        policy.learn(arms.arm(ArmId(0)), &[0.5]).unwrap();
        policy.learn(arms.arm(ArmId(1)), &[0.0]).unwrap();
        let center = [0.15 * 1.64 / 3.64, -0.15 * 0.48 / 3.64];
        let covariance =
            [[1.64, -0.48], [-0.48, 2.36]].map(|row| row.map(|v| policy.radius().powi(2) * v / 3.64));
        const DRAWS: f64 = 40_000.0;
        let (mut rng, mut means, mut products) = (draw::seeded(5), [0.0; 2], [[0.0; 2]; 2]);
        for _ in 0..DRAWS as usize {
            let sample = policy.sample(&mut rng);
            let off = [sample[0] - center[0], sample[1] - center[1]];
            for i in 0..2 {
                means[i] += off[i] / DRAWS;
                (0..2).for_each(|j| products[i][j] += off[i] * off[j] / DRAWS);
            }
        }
        for i in 0..2 {
            close(policy.theta()[i], center[i]);
            let error = (covariance[i][i] / DRAWS).sqrt();
            assert!(means[i].abs() < 5.0 * error, "{} with an error of {error}", means[i]);
            for j in 0..2 {
                let spread = covariance[i][i] * covariance[j][j] + covariance[i][j].powi(2);
                let (off, error) = (products[i][j] - covariance[i][j], (spread / DRAWS).sqrt());
                assert!(off.abs() < 5.0 * error, "({i}, {j}): {off} with an error of {error}");
            }
        }
    }
}
