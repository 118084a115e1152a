//! Scalarization-based identification: the best arm for each of many weight vectors (Drugan and Nowé 2014).

use super::confidence::Confidence;
use super::goal::Goal;
use super::identifier::{Identifier, IdentifierInfo};
use super::parameters::{DELTA, SIGMA, check_accuracy, default_accuracy, default_delta, default_sigma};
use super::round::SampledArms;
use moglb_core::scalarization::spread_size;
use moglb_core::{Arm, Kind, Parameter, Problem, Scalarization};
use moglb_math::Error;
use moglb_pareto::{ArmId, Front};
use serde::{Deserialize, Serialize};

pub(crate) const INFO: IdentifierInfo = IdentifierInfo {
    id: "scalarized",
    name: "Scalarized identification",
    source: "Drugan, Nowé: Scalarization based Pareto optimal set of arms identification algorithms, IJCNN \
             2014",
    setting: "no contexts, one fixed arm set",
    guarantee: "with probability 1 − δ the answer has, for every weight vector, an arm whose value is at \
                most ε₀ below the best",
    cost: "O(W·A·m) after each round of A active arms for W weight vectors",
    parameters: &[
        Parameter {
            name: "scalarization",
            kind: Kind::Word,
            default: "chebyshev",
            meaning: "chebyshev: minᵢ wᵢyᵢ, reaches the whole front; linear: Σ wᵢyᵢ, reaches its convex hull \
                      only",
        },
        Parameter {
            name: "weights",
            kind: Kind::Table,
            default: "an even spread",
            meaning: "weight vectors, each one nonnegative number per objective (above zero for chebyshev), \
                      brought to sum one",
        },
        Parameter {
            name: "divisions",
            kind: Kind::Count,
            default: "4",
            meaning: "of an even spread: all weights that are multiples of 1/divisions, C(divisions + m − 1, \
                      m − 1) vectors",
        },
        Parameter {
            name: "rule",
            kind: Kind::Word,
            default: "elimination",
            meaning: "how the best arm of a weight vector is found: elimination (successive) or lucb",
        },
        Parameter {
            name: "accuracy",
            kind: Kind::Number,
            default: "0.05",
            meaning: "ε₀: how far the value of an arm may be below the best of its weight vector",
        },
        DELTA,
        SIGMA,
    ],
    departures: "A reconstruction: the text of the source was not available. One best-arm identification per \
                 weight vector, on samples that all of them share; δ is divided among the weight vectors \
                 (linear) or among the objectives, whose intervals then hold for all weight vectors at once \
                 (chebyshev).",
};

/// The rule that finds the best arm of a weight vector.
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BestArmRule {
    /// Successive elimination: each round samples all arms that may be best once.
    #[default]
    Elimination,
    /// LUCB: each round samples the best arm so far and its strongest rival.
    Lucb,
}

/// The parameters of [`Scalarized`].
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScalarizedConfig {
    /// The function that combines weights and means into a value.
    #[serde(default = "default_scalarization")]
    pub scalarization: Scalarization,
    /// The weight vectors; an even spread if not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<Vec<f64>>>,
    /// The number of divisions of the even spread: its weights are multiples of 1/`divisions`.
    #[serde(default = "default_divisions")]
    pub divisions: usize,
    /// The rule that finds the best arm of a weight vector.
    #[serde(default)]
    pub rule: BestArmRule,
    /// ε₀, on the scale of values.
    #[serde(default = "default_accuracy")]
    pub accuracy: f64,
    /// δ: the chance that the answer is wrong.
    #[serde(default = "default_delta")]
    pub delta: f64,
    /// σ of the rewards on the unit scale.
    #[serde(default = "default_sigma")]
    pub sigma: f64,
}

/// Chebyshev: it reaches every arm of the front.
fn default_scalarization() -> Scalarization {
    Scalarization::Chebyshev
}

fn default_divisions() -> usize {
    4
}

/// The most weight vectors. With more, the searches would take longer than the sampling.
const MOST_WEIGHTS: usize = 100_000;

impl Default for ScalarizedConfig {
    fn default() -> Self {
        Self {
            scalarization: default_scalarization(),
            weights: None,
            divisions: default_divisions(),
            rule: BestArmRule::default(),
            accuracy: default_accuracy(),
            delta: default_delta(),
            sigma: default_sigma(),
        }
    }
}

impl ScalarizedConfig {
    fn all_weights(&self, m: usize) -> Result<Vec<Vec<f64>>, Error> {
        match &self.weights {
            Some(given) if given.is_empty() => {
                Err(Error::Parameters { what: "weights must hold at least one weight vector" })
            }
            Some(given) => given.iter().map(|w| self.scalarization.normalized(w, m)).collect(),
            None if self.divisions == 0 || spread_size(m, self.divisions, MOST_WEIGHTS).is_none() => {
                Err(Error::Parameters { what: "divisions must make between 1 and 100000 weight vectors" })
            }
            None => Ok(self.scalarization.spread(m, self.divisions)),
        }
    }
}

/// An identifier that finds the best arm of every weight vector at once, on shared samples.
///
/// Example: [`IdentifierConfig`].
///
/// [`IdentifierConfig`]: crate::IdentifierConfig
#[derive(Debug, Clone)]
pub struct Scalarized {
    round: SampledArms,
    confidence: Confidence,
    scalarization: Scalarization,
    rule: BestArmRule,
    accuracy: f64,
    searches: Vec<Search>,
}

/// The search for the best arm of a weight vector.
#[derive(Debug, Clone)]
struct Search {
    weights: Vec<f64>,
    /// The factor from the width of a mean to the width of a value.
    lipschitz: f64,
    /// The arms to sample next. Once the search is over, only the best arm.
    arms: Vec<usize>,
    is_over: bool,
}

impl Scalarized {
    /// The identifier before the first sample.
    ///
    /// # Errors
    ///
    /// [`Error::Weights`], [`Error::Parameters`], [`Error::Accuracy`], [`Error::Delta`],
    /// [`Error::NotPositive`] or [`Error::ArmCountNeeded`].
    pub fn new(problem: Problem, config: &ScalarizedConfig) -> Result<Self, Error> {
        check_accuracy(config.accuracy)?;
        let (m, scalarization) = (problem.n_objectives(), config.scalarization);
        let weights = config.all_weights(m)?;
        let each = match scalarization {
            Scalarization::Linear => weights.len(),
            Scalarization::Chebyshev => m,
        };
        let series = problem.n_arms().unwrap_or(0).saturating_mul(each);
        let confidence = Confidence::new(series, config.delta, config.sigma)?;
        let mut round = SampledArms::new(problem, INFO.id)?;
        let arms: Vec<usize> = (0..round.n_arms()).collect();
        round.begin_once(arms.iter().copied());
        let search = |weights: Vec<f64>| {
            let lipschitz = scalarization.lipschitz(&weights);
            Search { weights, lipschitz, arms: arms.clone(), is_over: false }
        };
        let searches = weights.into_iter().map(search).collect();
        Ok(Self { round, confidence, scalarization, rule: config.rule, accuracy: config.accuracy, searches })
    }

    /// Updates every search, then samples each arm that a search needs once.
    fn go_on(&mut self) {
        let round = &self.round;
        let widths: Vec<f64> =
            (0..round.n_arms()).map(|arm| self.confidence.width(round.count(arm))).collect();
        let (mut wanted, mut values) = (vec![false; widths.len()], vec![0.0; widths.len()]);
        for search in self.searches.iter_mut().filter(|search| !search.is_over) {
            let Search { weights, lipschitz, arms, is_over } = search;
            let value = |arm: usize| self.scalarization.value(weights, round.mean(arm));
            values.iter_mut().enumerate().for_each(|(arm, place)| *place = value(arm));
            let width = |arm: usize| *lipschitz * widths[arm];
            (*arms, *is_over) = match self.rule {
                BestArmRule::Elimination => eliminate(arms, &values, width, self.accuracy),
                BestArmRule::Lucb => contest(&values, width, self.accuracy),
            };
            if !*is_over {
                arms.iter().for_each(|&arm| wanted[arm] = true);
            }
        }
        self.round.begin_once((0..widths.len()).filter(|&arm| wanted[arm]));
    }
}

/// The arm with the largest value; of equal ones the first.
fn best(arms: impl Iterator<Item = usize>, value: impl Fn(usize) -> f64) -> usize {
    let larger = |best: (usize, f64), next: (usize, f64)| if next.1 > best.1 { next } else { best };
    arms.map(|arm| (arm, value(arm))).reduce(larger).expect("at least one arm").0
}

/// Successive elimination: returns the arms that may be best, or the best arm and true. All arms have the
/// same number of samples.
fn eliminate(
    arms: &[usize],
    values: &[f64],
    width: impl Fn(usize) -> f64,
    accuracy: f64,
) -> (Vec<usize>, bool) {
    let both = 2.0 * width(arms[0]);
    let winner = best(arms.iter().copied(), |arm| values[arm]);
    let kept: Vec<usize> = arms.iter().copied().filter(|&arm| values[winner] - values[arm] <= both).collect();
    if kept.len() == 1 || both <= accuracy { (vec![winner], true) } else { (kept, false) }
}

/// LUCB: returns the best arm and, of the others, the one with the highest upper bound. Returns only the best
/// arm and true if no other arm can be better by more than the accuracy.
fn contest(values: &[f64], width: impl Fn(usize) -> f64, accuracy: f64) -> (Vec<usize>, bool) {
    let all = 0..values.len();
    let winner = best(all.clone(), |arm| values[arm]);
    if values.len() == 1 {
        return (vec![winner], true);
    }
    let upper = |arm: usize| values[arm] + width(arm);
    let rival = best(all.filter(|&arm| arm != winner), upper);
    if upper(rival) - (values[winner] - width(winner)) <= accuracy {
        (vec![winner], true)
    } else {
        (vec![winner, rival], false)
    }
}

impl Identifier for Scalarized {
    fn next_arm(&self) -> Option<ArmId> {
        self.round.next_arm()
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        if self.round.learn(arm, reward)? {
            self.go_on();
        }
        Ok(())
    }

    fn answer(&self) -> Front {
        self.searches.iter().flat_map(|search| &search.arms).map(|&arm| ArmId(arm)).collect()
    }

    fn samples(&self) -> u64 {
        self.round.samples()
    }

    fn goal(&self) -> Goal {
        let weights = self.searches.iter().map(|search| search.weights.clone()).collect();
        Goal::Best { weights, scalarization: self.scalarization, accuracy: self.accuracy }
    }
}
