//! Hypervolume scalarization with random weights over upper confidence bounds (Zhang, NeurIPS 2024).
//!
//! For weights w on the positive part of the unit sphere and a reference point z
//!
//! ```text
//! s_w(y) = minᵢ (max(0, yᵢ − zᵢ) / wᵢ)ᵐ
//! ```
//!
//! and the mean of max s_w over uniform w is proportional to the hypervolume above z. So every round draws w
//! and plays the arm whose upper confidence bounds have the largest s_w. This way all arms of the front are
//! played, also where the front is concave.

use super::MultiScratch;
use super::linear_model::{self, LinearModel, in_units};
use crate::multi::linear_model::LinearModelState;
use moglb_core::decision::Workspace;
use moglb_core::describe::policy;
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Facts, Parameter, Policy, Problem, Scale};
use moglb_math::{Error, Matrix, draw};
use rand_core::Rng;

policy! {
    id: "hypervolume-ucb",
    name: "Hypervolume-UCB",
    source: "Zhang: Optimal scalarizations for sublinear hypervolume regret, NeurIPS 2024",
    setting: "contexts, linear rewards, fixed or fresh arm sets",
    guarantee: "hypervolume regret Õ(d·T^(−½) + T^(−1/m)) of its source where rewards are linear; no front",
    cost: "O(K·(d² + m·d)) to decide, O(m·d²) to learn",
    departures: in_units!(
        "Upper confidence bounds are those of OFUL with δ/m. We do not know whether the source also forces \
         rounds that explore; here there are none. The power m is left out: it changes no order. Ties are \
         broken uniformly. Probabilities are exact given the drawn weights."
    ),
    parameters: struct HypervolumeUcbConfig of HypervolumeUcb {
        reference: Option<Vec<f64>> = None => "the worst of each range",
            "the reference point z of the hypervolume, a reward for each objective";
        lambda: f64 = 1.0, "regularization, V_1 = λI";
        delta: f64 = 0.05, "the chance that a confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// A policy that plays the best arm for randomly drawn weights. The mean of the scalarization over the
/// weights is proportional to the hypervolume. It has no front.
///
/// ```
/// use moglb::{draw, ArmSet, HypervolumeUcb, HypervolumeUcbConfig, Link, Objective, Policy, Problem};
///
/// let objectives =
///     vec![Objective::new("speed", Link::Identity), Objective::new("cost", Link::Identity).minimize()];
/// let config = HypervolumeUcbConfig { reference: Some(vec![0.0, 0.5]), ..Default::default() };
/// let mut policy = HypervolumeUcb::new(Problem::new(2, objectives)?, config)?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// assert!(decision.given_sample);
/// policy.learn(arms.arm(decision.arm), &[0.5, 0.2])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct HypervolumeUcb {
    config: HypervolumeUcbConfig,
    model: LinearModel,
    /// z in the inner units of the model: larger is better, centred, in units of the ranges.
    reference: Vec<f64>,
}

impl HypervolumeUcb {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`], [`Error::Parameters`], or [`Error::RewardLength`] for a reference of
    /// another length.
    pub fn new(problem: Problem, config: HypervolumeUcbConfig) -> Result<Self, Error> {
        linear_model::check(config.lambda, config.delta, config.scale)?;
        let worst = problem.objectives().iter().map(|objective| objective.from_unit(0.0));
        let given = config.reference.clone().unwrap_or_else(|| worst.collect());
        if given.len() != problem.n_objectives() {
            return Err(Error::RewardLength { expected: problem.n_objectives(), got: given.len() });
        }
        given.iter().try_for_each(|&z| Parameter::check("reference", z, -1e100..=1e100))?;
        let model = LinearModel::new(problem, config.lambda)?;
        let reference = given.iter().enumerate().map(|(i, &z)| model.centred(i, z)).collect();
        Ok(Self { config, model, reference })
    }

    /// Returns √β times the scale, in units of the ranges.
    pub fn radius(&self) -> f64 {
        self.config.scale * self.model.radius_by_volume(self.config.delta)
    }

    /// Returns θ̂ᵢ of every objective, one row each, in the objective's own units and direction:
    /// E y ≈ μ(0) + θ̂ᵢᵀx.
    pub fn theta(&self) -> Matrix {
        self.model.theta()
    }

    /// Returns minᵢ max(0, yᵢ − zᵢ)/wᵢ for upper confidence bounds y.
    fn scalarize(&self, uppers: &[f64], weights: &[f64]) -> f64 {
        let parts = uppers.iter().zip(&self.reference).zip(weights);
        parts.map(|((y, z), w)| (y - z).max(0.0) / w).fold(f64::INFINITY, f64::min)
    }
}

/// Draws weights uniformly from the positive part of the unit sphere.
fn draw_weights(n: usize, rng: &mut dyn Rng, weights: &mut Vec<f64>) {
    weights.clear();
    // A weight of 0 would give 0/0 for an objective at its reference.
    weights.extend((0..n).map(|_| draw::normal(rng).abs().max(1e-300)));
    let length = moglb_math::kernel::norm(weights);
    weights.iter_mut().for_each(|w| *w = (*w / length).max(1e-300));
}

impl Policy for HypervolumeUcb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.model.problem().check_arms(arms)?;
        decision.given_sample = true;
        decision.front.clear();
        self.model.score(arms, self.radius(), decision);
        let Workspace { scores, scratch, .. } = &mut decision.work;
        let MultiScratch { table, samples, .. } = scratch.of();
        draw_weights(self.reference.len(), rng, samples);
        table.reshape(arms.n_arms(), 1);
        for arm in 0..arms.n_arms() {
            table.row_mut(arm)[0] = self.scalarize(scores.row(arm), samples);
        }
        std::mem::swap(scores, table);
        decision.draw_the_best(rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.model.learn(arm, reward)
    }

    fn facts(&self) -> Facts {
        Facts { scale: Scale::Centred, ..Facts::default() }
    }
}

saved!(HypervolumeUcb: HypervolumeUcbConfig => LinearModelState, model with problem);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};

    fn policy(reference: Option<Vec<f64>>) -> Result<HypervolumeUcb, Error> {
        let objectives = vec![
            Objective::new("speed", Link::Identity).range(0.0, 2.0),
            Objective::new("cost", Link::Identity).minimize().range(0.0, 4.0),
        ];
        let config = HypervolumeUcbConfig { reference, ..Default::default() };
        HypervolumeUcb::new(Problem::new(1, objectives).unwrap(), config)
    }

    #[test]
    fn the_scalarization_is_the_formula_by_hand() {
        // In inner units the worst speed is 0 and the worst cost −4/4; the given reference is 1/2 and −2/4.
        assert_eq!(policy(None).unwrap().reference, [0.0, -1.0]);
        let policy = policy(Some(vec![1.0, 2.0])).unwrap();
        assert_eq!(policy.reference, [0.5, -0.5]);
        assert_eq!(policy.scalarize(&[0.8, -0.3], &[0.6, 0.8]), 0.2 / 0.8);
        assert_eq!(policy.scalarize(&[0.4, 0.3], &[0.6, 0.8]), 0.0, "below the reference");
    }

    /// E max s_w^m · π^{m/2} / (2^m Γ(m/2 + 1)) is the hypervolume: for one point (a, b) it is ab.
    #[test]
    fn the_mean_of_the_scalarization_is_the_hypervolume() {
        let policy = policy(Some(vec![0.0, 0.0])).unwrap();
        let points = [[0.9, 0.2], [0.5, 0.6], [0.1, 0.8]];
        let (mut rng, mut weights, mut sum) = (draw::seeded(1), Vec::new(), 0.0);
        const DRAWS: usize = 200_000;
        for _ in 0..DRAWS {
            draw_weights(2, &mut rng, &mut weights);
            let best = points.iter().map(|y| policy.scalarize(y, &weights)).fold(0.0, f64::max);
            sum += best * best;
        }
        let mean = sum / DRAWS as f64 * std::f64::consts::PI / 4.0;
        let exact = moglb_pareto::hypervolume(&Matrix::from_rows(&points).unwrap(), &[0.0, 0.0]).unwrap();
        assert!((mean / exact - 1.0).abs() < 0.01, "{mean} for {exact}");
    }

    #[test]
    fn impossible_references_are_refused() {
        assert!(matches!(policy(Some(vec![0.0])), Err(Error::RewardLength { expected: 2, got: 1 })));
        for z in [f64::NAN, f64::INFINITY, -1e101] {
            assert!(matches!(policy(Some(vec![0.0, z])), Err(Error::ParameterBounds { .. })), "{z}");
        }
    }
}
