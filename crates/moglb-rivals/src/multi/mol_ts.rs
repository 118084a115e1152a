//! MOL-TS: optimistic Thompson sampling of linear models, and a uniform draw from the effective front of the
//! samples (Park, Ann, Oh 2025).
//!
//! For every objective M coefficient vectors are drawn from N(θ̂ᵢ, c²V⁻¹). The sampled mean of an arm is the
//! largest that one of them predicts:
//!
//! ```text
//! μ̃ᵢ(x) = max over j of θ̃ᵢⱼᵀx,   M = ⌈1 − ln m / ln(1 − p)⌉,  p = 0.15
//! ```
//!
//! With this M, all objectives of an arm are optimistic at once with a probability that does not vanish as m
//! grows. The arm is drawn uniformly from the effective front of μ̃: the arms that no mixture of arms
//! dominates ([`effective_front`](moglb_pareto::effective_front)).

use super::MultiScratch;
use super::linear_model::{self, LinearModel, in_units};
use crate::multi::linear_model::LinearModelState;
use libm::log;
use moglb_core::decision::Workspace;
use moglb_core::describe::policy;
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Facts, Parameter, Policy, Problem, Scale};
use moglb_math::kernel::{LANES, widened};
use moglb_math::{Error, Matrix, draw};
use rand_core::Rng;

policy! {
    id: "mol-ts",
    name: "MOL-TS",
    source: "Park, Ann, Oh: Thompson sampling for multi-objective linear contextual bandit, NeurIPS 2025",
    setting: "contexts, linear rewards, fixed or fresh arm sets",
    guarantee: "Pareto regret Õ(d^(3/2)·√T) where rewards are linear",
    cost: "O(m·M·d² + K·d·(d + m·M) + effective front) to decide, O(m·d²) to learn",
    has_front: true,
    departures: in_units!(
        "Probabilities are exact given the sampled coefficients; over repeated decisions they have no closed \
         form."
    ),
    parameters: struct MolTsConfig of MolTs {
        samples: Option<usize> = None => "⌈1 − ln m / ln 0.85⌉",
            "M, the number of coefficient vectors that are drawn for each objective";
        lambda: f64 = 1.0, "regularization, V_1 = λI";
        delta: f64 = 0.05, "the chance that a confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// p, the lower bound of the source on the probability that a normal sample is optimistic.
const OPTIMISTIC: f64 = 0.15;

/// MOL-TS: samples every objective several times, and draws uniformly from the effective front of the largest
/// samples.
///
/// ```
/// use moglb::{draw, ArmSet, Link, MolTs, MolTsConfig, Objective, Policy, Problem};
///
/// let objectives =
///     vec![Objective::new("speed", Link::Identity), Objective::new("cost", Link::Identity).minimize()];
/// let mut policy = MolTs::new(Problem::new(2, objectives)?, MolTsConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// assert!(decision.given_sample && decision.front.contains(decision.arm));
/// policy.learn(arms.arm(decision.arm), &[0.5, 0.2])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MolTs {
    config: MolTsConfig,
    model: LinearModel,
    samples: usize,
}

impl MolTs {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`], [`Error::Parameters`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: MolTsConfig) -> Result<Self, Error> {
        linear_model::check(config.lambda, config.delta, config.scale)?;
        let enough = (1.0 - log(problem.n_objectives() as f64) / log(1.0 - OPTIMISTIC)).ceil();
        let samples = config.samples.unwrap_or(enough as usize);
        Parameter::check("samples", samples as f64, 1.0..=1e4)?;
        moglb_math::memory::check_memory(problem.dim(), samples.saturating_mul(problem.n_objectives()))?;
        Ok(Self { samples, model: LinearModel::new(problem, config.lambda)?, config })
    }

    /// Returns c_t = R√(d·log((1 + (t − 1)/(λd))·m/δ)) + √λ·S, times the scale, in units of the ranges.
    pub fn radius(&self) -> f64 {
        let rewards = self.model.rounds() as f64 / self.model.problem().dim() as f64;
        self.config.scale * self.model.radius_by_count(rewards, self.config.delta)
    }

    /// Returns θ̂ᵢ of every objective, one row each, in the objective's own units and direction:
    /// E y ≈ μ(0) + θ̂ᵢᵀx.
    pub fn theta(&self) -> Matrix {
        self.model.theta()
    }

    /// Returns the number of blocks of lanes that M samples fill.
    fn blocks(&self) -> usize {
        self.samples.div_ceil(LANES)
    }

    /// Draws M coefficient vectors for each objective: θ̂ + c·Mᵀξ for normal ξ, where V⁻¹ = MᵀM with the
    /// matrix M of the Gram factor. For each objective and feature the samples are contiguous. Lanes after
    /// the last sample repeat the first one, so that they do not change the maximum.
    fn sample_into(&self, radius: f64, rng: &mut dyn Rng, normals: &mut Vec<f64>, samples: &mut Vec<f64>) {
        let (dim, m) = (self.model.problem().dim(), self.model.problem().n_objectives());
        let (n, gram, ridge) = (self.samples, self.model.ridge().gram(), self.model.ridge());
        let stride = self.blocks() * LANES;
        normals.resize(dim * stride, 0.0);
        samples.resize(m * dim * stride, 0.0);
        for (i, objective) in samples.chunks_exact_mut(dim * stride).enumerate() {
            for row in normals.chunks_exact_mut(stride) {
                row[..n].iter_mut().for_each(|xi| *xi = radius * draw::normal(rng));
                let first = row[0];
                row[n..].fill(first);
            }
            for (k, place) in objective.chunks_exact_mut(stride).enumerate() {
                place.fill(ridge.theta(i)[k]);
                for row in k..dim {
                    add_scaled(place, gram.entry(row, k), &normals[row * stride..][..stride]);
                }
            }
        }
    }
}

/// y ← y + a·x, for whole blocks of lanes.
#[inline(always)]
fn add_scaled(y: &mut [f64], a: f64, x: &[f64]) {
    let ((y, _), (x, _)) = (y.as_chunks_mut::<LANES>(), x.as_chunks::<LANES>());
    for block in 0..y.len() {
        for lane in 0..LANES {
            y[block][lane] += a * x[block][lane];
        }
    }
}

/// Writes μ̃ of every arm into the scores. The samples have the layout of [`MolTs::sample_into`].
fn score_samples(arms: &ArmSet, samples: &[f64], blocks: usize, scores: &mut Matrix) {
    let (samples, _) = samples.as_chunks::<LANES>();
    widened(
        #[inline(always)]
        || {
            for arm in 0..arms.n_arms() {
                let (x, row) = (arms.context(arm), scores.row_mut(arm));
                for (i, score) in row.iter_mut().enumerate() {
                    let objective = &samples[i * x.len() * blocks..][..x.len() * blocks];
                    let mut largest = [f64::NEG_INFINITY; LANES];
                    for block in 0..blocks {
                        let mut sums = [0.0; LANES];
                        for k in 0..x.len() {
                            let place = &objective[k * blocks + block];
                            for lane in 0..LANES {
                                sums[lane] += x[k] * place[lane];
                            }
                        }
                        for lane in 0..LANES {
                            largest[lane] =
                                if sums[lane] > largest[lane] { sums[lane] } else { largest[lane] };
                        }
                    }
                    *score = largest.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
                }
            }
        },
    );
}

impl Policy for MolTs {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.model.problem().check_arms(arms)?;
        decision.given_sample = true;
        let radius = self.radius();
        let Workspace { scores, scratch, .. } = &mut decision.work;
        let MultiScratch { widths, normals, samples, .. } = scratch.of();
        if decision.tables {
            let ridge = self.model.ridge();
            widths.clear();
            widths.extend((0..arms.n_arms()).map(|arm| radius * ridge.width(arms.context(arm))));
        }
        self.sample_into(radius, rng, normals, samples);
        scores.reshape(arms.n_arms(), self.model.problem().n_objectives());
        score_samples(arms, samples, self.blocks(), scores);
        self.model.report(decision, arms);
        decision.find_front();
        let Workspace { scores, scratch, .. } = &mut decision.work;
        let MultiScratch { effective, .. } = scratch.of();
        effective.keep_effective((&*scores).into(), &mut decision.front);
        decision.draw_from_front(arms.n_arms(), rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.model.learn(arm, reward)
    }

    fn facts(&self) -> Facts {
        Facts { scale: Scale::Centred, ..Facts::default() }
    }
}

saved!(MolTs: MolTsConfig => LinearModelState, model with problem);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_pareto::ArmId;

    fn policy(n_objectives: usize, config: MolTsConfig) -> MolTs {
        let objective = |i: usize| Objective::new(format!("y{i}"), Link::Identity).range(0.0, 1.0);
        let problem = Problem::new(2, (0..n_objectives).map(objective).collect()).unwrap();
        MolTs::new(problem, config).unwrap()
    }

    #[test]
    fn the_number_of_samples_and_the_width_are_the_formulas_by_hand() {
        // ln 5 / ln 0.85 = 1.609438 / −0.162519 = −9.903; one sample is enough for one objective.
        assert_eq!(policy(5, MolTsConfig::default()).samples, 11);
        assert_eq!(policy(1, MolTsConfig::default()).samples, 1);
        let mut policy = policy(2, MolTsConfig { delta: 0.1, lambda: 4.0, ..Default::default() });
        let arms = ArmSet::from_rows(&[[0.6, 0.8]]).unwrap();
        for _ in 0..16 {
            policy.learn(arms.arm(ArmId(0)), &[1.0, 0.0]).unwrap();
        }
        // ½√(2·ln((1 + 16/(4·2))·2/0.1)) + 2·1 = ½√(2·ln 60) + 2.
        assert!((policy.radius() - (0.5 * 8.188689_f64.sqrt() + 2.0)).abs() < 1e-6, "{}", policy.radius());
    }

    /// The mean of θ̃ᵀx is θ̂ᵀx and its standard deviation c·‖x‖_{V⁻¹}, within 5 standard errors of 40 000
    /// draws.
    #[test]
    fn samples_have_the_mean_and_the_covariance_of_the_posterior() {
        let mut policy = policy(1, MolTsConfig { samples: Some(40), ..Default::default() });
        let arms = ArmSet::from_rows(&[[0.6, 0.8], [0.9, -0.1]]).unwrap();
        for (arm, y) in [(0, 1.0), (0, 0.5), (1, 0.25), (0, 1.0)] {
            policy.learn(arms.arm(ArmId(arm)), &[y]).unwrap();
        }
        let (x, ridge) = (arms.context(1), policy.model.ridge());
        let (mut rng, mut normals, mut samples) = (draw::seeded(2), Vec::new(), Vec::new());
        let mut sums = [0.0, 0.0];
        const TIMES: usize = 1000;
        for _ in 0..TIMES {
            policy.sample_into(2.0, &mut rng, &mut normals, &mut samples);
            for j in 0..40 {
                let z = x[0] * samples[j] + x[1] * samples[40 + j] - ridge.predict(0, x);
                sums[0] += z;
                sums[1] += z * z;
            }
        }
        let n = (40 * TIMES) as f64;
        let variance = 4.0 * ridge.gram().squared_norm_inv(x);
        assert!((sums[0] / n).abs() < 5.0 * (variance / n).sqrt(), "mean {}", sums[0] / n);
        assert!(
            (sums[1] / n / variance - 1.0).abs() < 5.0 * (2.0 / n).sqrt(),
            "{} for {variance}",
            sums[1] / n
        );
    }

    #[test]
    fn an_arm_is_as_good_as_its_best_sample() {
        let arms = ArmSet::from_rows(&[[0.5, 0.5], [1.0, 0.0]]).unwrap();
        // Two objectives, two features, two samples: θ̃₁ = (1, 0), (0, 3); θ̃₂ = (−1, −1), (2, −4).
        let places = [[1.0, 0.0], [0.0, 3.0], [-1.0, 2.0], [-1.0, -4.0]];
        let lanes =
            |[first, second]: [f64; 2]| (0..LANES).map(move |lane| if lane == 5 { second } else { first });
        let samples: Vec<f64> = places.into_iter().flat_map(lanes).collect();
        let mut scores = Matrix::new(2, vec![0.0; 4]).unwrap();
        score_samples(&arms, &samples, 1, &mut scores);
        assert_eq!(scores.as_slice(), [1.5, -1.0, 1.0, 2.0]);
    }
}
