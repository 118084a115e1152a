//! The linear model that multi-objective policies share: one V for all objectives, a θ̂ for each, and one
//! width.
//!
//! In inner units, larger is better, and the reward of an objective is centred by its mean at θ = 0 and
//! divided by the length of its range. Then the noise of every objective is ½-sub-Gaussian (Hoeffding), so
//! that one width is right for all of them, and an ε means the same in each. The Pareto order does not
//! change.

use super::MultiScratch;
use crate::ridge::{Ridge, RidgeState};
use libm::log;
use moglb_core::decision::Workspace;
use moglb_core::saved::{SavedPart, fits};
use moglb_core::{Arm, ArmSet, Decision, Parameter, Problem};
use moglb_math::memory::check_memory;
use moglb_math::{Error, Matrix};
use serde::{Deserialize, Serialize};

/// R: rewards are R-sub-Gaussian around their mean, in units of their range.
const NOISE: f64 = 0.5;

/// Returns the departures of a policy with this model: those that all such policies share, then `$more`.
macro_rules! in_units {
    ($more:literal) => {
        concat!(
            "Rewards are centred by their mean at θ = 0 and divided by the length of their range, so that \
             one width serves all objectives. With logit, probit or log links rewards are not linear, and \
             the guarantee does not hold. In these units R is ½, and S, the bound on ‖θ‖, is D times the \
             largest slope of a link: exact for identity, a bound for other links. ",
            $more
        )
    };
}
pub(super) use in_units;

/// The largest size of a reward, and of the bound on ‖θ‖, in units of the range.
const LARGEST: f64 = 1e100;

/// V and θ̂ of each objective, with the conversion between inner units and the objectives' own units.
#[derive(Debug, Clone)]
pub struct LinearModel {
    problem: Problem,
    lambda: f64,
    ridge: Ridge,
    /// The length of the range of each objective, negative for a minimized one.
    spans: Vec<f64>,
    /// The mean of each objective at θ = 0, in its own units.
    middles: Vec<f64>,
    /// S, the bound on ‖θ‖ in inner units.
    norm_bound: f64,
}

/// The learned state of a linear model of all objectives; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearModelState {
    /// V and Σyx of each objective.
    pub ridge: RidgeState,
}

fits!(LinearModelState, |state, problem| state.ridge.fits(problem.dim, problem.objectives.len()));

/// Checks the parameters that all policies with this model have.
///
/// # Errors
///
/// [`Error::ParameterBounds`].
pub fn check(lambda: f64, delta: f64, scale: f64) -> Result<(), Error> {
    Parameter::check("lambda", lambda, 1e-6..=1e100)?;
    Parameter::check("delta", delta, f64::MIN_POSITIVE..=1.0)?;
    Parameter::check("scale", scale, 0.0..=1e100)
}

impl LinearModel {
    /// Creates the model before the first round. λ was checked.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`], or [`Error::Parameters`] for a range that is too short.
    pub fn new(problem: Problem, lambda: f64) -> Result<Self, Error> {
        let (dim, objectives) = (problem.dim(), problem.objectives());
        check_memory(dim, dim.saturating_add(2 * objectives.len()))?;
        let length = |(low, high): (f64, f64)| high - low;
        let spans: Vec<f64> = objectives.iter().map(|o| o.sign() * length(o.rewards())).collect();
        let middles: Vec<f64> = objectives.iter().map(|o| o.link.mean(0.0)).collect();
        let slopes = problem.constants().iter().zip(&spans).map(|(c, span)| c.lipschitz / span.abs());
        let norm_bound = problem.radius() * slopes.fold(0.0, f64::max);
        let reach = |i: usize| {
            let (low, high) = objectives[i].rewards();
            (low - middles[i]).abs().max((high - middles[i]).abs()) / spans[i].abs()
        };
        let largest = (0..objectives.len()).map(reach).fold(0.0, f64::max);
        if !(largest <= LARGEST && norm_bound <= LARGEST) {
            return Err(Error::Parameters {
                what: "the range of an objective is too short compared with its rewards or its slope",
            });
        }
        let ridge = Ridge::new(dim, objectives.len(), lambda, largest);
        Ok(Self { lambda, ridge, spans, middles, norm_bound, problem })
    }

    /// Returns the problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Returns the number of rewards learned.
    pub fn rounds(&self) -> u64 {
        self.ridge.rounds()
    }

    /// Returns V and θ̂ in inner units.
    pub fn ridge(&self) -> &Ridge {
        &self.ridge
    }

    /// Returns θ̂ᵢ of every objective, one row each, in the objective's own units and direction:
    /// E y ≈ μ(0) + θ̂ᵢᵀx.
    pub fn theta(&self) -> Matrix {
        let row = |i: usize| self.ridge.theta(i).iter().map(|x| self.spans[i] * x).collect();
        let rows: Vec<Vec<f64>> = (0..self.spans.len()).map(row).collect();
        Matrix::from_rows(&rows).expect("rows of d")
    }

    /// Converts a reward of an objective into inner units.
    pub(super) fn centred(&self, objective: usize, reward: f64) -> f64 {
        (reward - self.middles[objective]) / self.spans[objective]
    }

    /// Learns a reward vector, in the objectives' own units.
    ///
    /// # Errors
    ///
    /// As [`Problem::check_play`]; the model is then unchanged.
    pub fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        let (spans, middles) = (&self.spans, &self.middles);
        let values =
            reward.iter().zip(middles.iter().zip(spans)).map(|(y, (middle, span))| (y - middle) / span);
        self.ridge.learn(arm.context(), values);
        Ok(())
    }

    /// Returns R√(d·log(m(1 + n/λ)/δ)) + √λ·S. With probability 1 − δ it is at least ‖θᵢ − θ̂ᵢ‖_V for all
    /// objectives, as long as at most n rewards were learned (Abbasi-Yadkori, Pál, Szepesvári 2011, Theorem
    /// 2, with δ/m for each objective).
    pub(super) fn radius_by_count(&self, rewards: f64, delta: f64) -> f64 {
        let (dim, m) = (self.problem.dim() as f64, self.problem.n_objectives() as f64);
        let confidence = log(m) + log(1.0 + rewards / self.lambda) - log(delta);
        NOISE * (dim * confidence).sqrt() + self.lambda.sqrt() * self.norm_bound
    }

    /// Returns R√(log(det V / det λI) + 2·log(m/δ)) + √λ·S, the bound of [`LinearModel::radius_by_count`]
    /// computed from the played contexts instead of their number.
    pub(super) fn radius_by_volume(&self, delta: f64) -> f64 {
        let confidence = log(self.problem.n_objectives() as f64) - log(delta);
        let root = (self.ridge.gram().log_det_ratio() + 2.0 * confidence).sqrt();
        NOISE * root + self.lambda.sqrt() * self.norm_bound
    }

    /// Writes the scores θ̂ᵢᵀx + w into a decision, and the widths w = radius·‖x‖_{V⁻¹} into its buffer
    /// `widths`. If the decision has tables, it gets estimates and widths in the objectives' own units.
    pub(super) fn score(&self, arms: &ArmSet, radius: f64, decision: &mut Decision) {
        let (n_arms, m) = (arms.n_arms(), self.spans.len());
        let Workspace { scores, scratch, .. } = &mut decision.work;
        let MultiScratch { widths, .. } = scratch.of();
        scores.reshape(n_arms, m);
        widths.clear();
        for arm in 0..n_arms {
            let x = arms.context(arm);
            let width = radius * self.ridge.width(x);
            widths.push(width);
            for (i, score) in scores.row_mut(arm).iter_mut().enumerate() {
                *score = self.ridge.predict(i, x) + width;
            }
        }
        self.report(decision, arms);
    }

    /// Writes the estimates, and the widths in the decision's buffer, into the tables of the decision, if it
    /// has tables. Both are in the objectives' own units.
    pub(super) fn report(&self, decision: &mut Decision, arms: &ArmSet) {
        decision.forget_tables();
        if !decision.tables {
            return;
        }
        let Decision { work, estimates, widths, .. } = decision;
        let (n_arms, m) = (arms.n_arms(), self.spans.len());
        let known: &MultiScratch = work.scratch.of();
        estimates.reshape(n_arms, m);
        widths.reshape(n_arms, m);
        for arm in 0..n_arms {
            for (i, span) in self.spans.iter().enumerate() {
                estimates.row_mut(arm)[i] = span * self.ridge.predict(i, arms.context(arm));
                widths.row_mut(arm)[i] = span.abs() * known.widths[arm];
            }
        }
    }
}

impl SavedPart for LinearModel {
    type State = LinearModelState;

    fn state(&self) -> LinearModelState {
        LinearModelState { ridge: self.ridge.state() }
    }

    fn resumed(&self, state: LinearModelState) -> Result<Self, Error> {
        Ok(Self { ridge: self.ridge.resumed(state.ridge)?, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_pareto::ArmId;

    fn model() -> LinearModel {
        let objectives = vec![
            Objective::new("click", Link::Logit),
            Objective::new("cost", Link::Identity).minimize().range(2.0, 6.0),
        ];
        LinearModel::new(Problem::new(1, objectives).unwrap().with_radius(2.0).unwrap(), 1.0).unwrap()
    }

    #[test]
    fn rewards_are_learned_in_units_of_their_ranges() {
        let mut model = model();
        let arms = ArmSet::from_rows(&[[1.0], [0.5]]).unwrap();
        model.learn(arms.arm(ArmId(0)), &[1.0, 3.0]).unwrap();
        // V = 2; (1 − ½)/1 and −(3 − 0)/4, halved.
        assert!((model.ridge().theta(0)[0] - 0.25).abs() < 1e-15);
        assert!((model.ridge().theta(1)[0] + 0.375).abs() < 1e-15);
        assert!((model.theta().row(1)[0] - 1.5).abs() < 1e-15, "in its own units");
        // S = 2·max(¼, 1/4): both slopes are a quarter of the range.
        assert_eq!((model.norm_bound, model.ridge().largest()), (0.5, 1.5));
        let mut decision = Decision::default();
        model.score(&arms, 3.0, &mut decision);
        let width = 3.0 * (0.5_f64 * 0.5 / 2.0).sqrt();
        assert!((decision.work.scores.row(1)[1] - (width - 0.1875)).abs() < 1e-15);
        assert!((decision.estimates.row(1)[1] - 0.75).abs() < 1e-15);
        assert!((decision.widths.row(1)[1] - 4.0 * width).abs() < 1e-14);
    }

    #[test]
    fn the_radii_are_the_formulas_by_hand() {
        let mut model = model();
        // ½√(1·ln(2·(1 + 3)/0.1)) + ½ and ½√(0 + 2·ln(2/0.1)) + ½.
        assert!((model.radius_by_count(3.0, 0.1) - (0.5 * 4.382027_f64.sqrt() + 0.5)).abs() < 1e-6);
        assert!((model.radius_by_volume(0.1) - (0.5 * 5.991465_f64.sqrt() + 0.5)).abs() < 1e-6);
        let arms = ArmSet::from_rows(&[[1.0]]).unwrap();
        model.learn(arms.arm(ArmId(0)), &[0.0, 2.0]).unwrap();
        assert!((model.radius_by_volume(0.1) - (0.5 * 6.684612_f64.sqrt() + 0.5)).abs() < 1e-6);
    }

    #[test]
    fn a_range_that_makes_units_useless_is_refused() {
        let tiny = Objective::new("y", Link::Log).range(0.0, 1e-200);
        let refused = LinearModel::new(Problem::new(1, vec![tiny]).unwrap(), 1.0);
        assert!(matches!(refused, Err(Error::Parameters { .. })));
    }
}
