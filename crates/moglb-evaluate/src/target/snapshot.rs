//! Saved policies of this library as targets.

use crate::model::dim;
use crate::{EvaluateError, Log, table};
use moglb::{ArmSet, Decision, Matrix, Norms, Play, PlayConfig, PolicySnapshot, Restorable, draw};
use moglb_data::Layout;
use rayon::prelude::*;
use std::fmt;

/// A saved policy, the preference by which it plays, and the layout and scale by which contexts and arms of
/// the log become the vectors that it learned on.
///
/// ```
/// use moglb::{Link, Objective, PolicyConfig, Problem, Restorable};
/// use moglb_evaluate::{Snapshot, Target};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let saved = PolicyConfig::recommended().build(&problem)?.to_json();
/// let target = Target::Snapshot(Box::new(Snapshot::from_json("mine", &saved, None).unwrap()));
/// # Ok::<(), moglb::Error>(())
/// ```
pub struct Snapshot {
    policy: Box<dyn Restorable>,
    play: Option<Play>,
    layout: Option<Layout>,
    scale: Option<f64>,
}

/// The number of samples to average. A policy that first draws a sample (Thompson sampling) has probabilities
/// given the sample. Estimates are unbiased for any number of samples.
const SAMPLES: usize = 16;

impl Snapshot {
    /// Reads a policy from [`Restorable::to_json`].
    ///
    /// # Errors
    ///
    /// [`EvaluateError::Policy`] for a damaged snapshot or for a preference that does not fit the policy.
    pub fn from_json(name: &str, text: &str, play: Option<&PlayConfig>) -> Result<Self, EvaluateError> {
        let refused = |error| EvaluateError::Policy { policy: name.into(), error };
        let policy = PolicySnapshot::from_json(text).and_then(PolicySnapshot::restore).map_err(refused)?;
        let play = play.map(|play| play.build(policy.problem())).transpose().map_err(refused)?;
        Ok(Self { policy, play, layout: None, scale: None })
    }

    /// This target, for a policy that learned on vectors of a layout, divided by a scale. By default the
    /// scale is [`Layout::norm_bound`] of the longest context and the longest features of an arm in the log.
    /// Without a layout the vectors are the features of arms, unchanged.
    #[must_use]
    pub fn with_layout(mut self, layout: Layout, scale: Option<f64>) -> Self {
        (self.layout, self.scale) = (Some(layout), scale);
        self
    }

    /// The probability of every arm in every round.
    pub(super) fn decide(&self, name: &str, log: &Log, seed: u64) -> Result<Matrix, EvaluateError> {
        let (expected, got) =
            (self.policy.problem().dim(), self.layout.map_or(log.n_arm_features(), |l| dim(l, log)));
        if expected != got {
            return Err(EvaluateError::Size {
                what: "features that the policy sees of an arm",
                expected,
                got,
            });
        }
        let scale = self.checked_scale(log)?;
        EvaluateError::check_memory("the probabilities of a policy", log.n_rounds(), log.n_arms())?;
        let rows: Result<Vec<Vec<f64>>, moglb::Error> = (0..log.n_rounds())
            .into_par_iter()
            .map(|round| self.decide_round(log, round, scale, seed))
            .collect();
        let rows = rows.map_err(|error| EvaluateError::Policy { policy: name.into(), error })?;
        Ok(table::of_rows(&rows))
    }

    /// The probability of every arm in one round.
    fn decide_round(&self, log: &Log, round: usize, scale: f64, seed: u64) -> Result<Vec<f64>, moglb::Error> {
        let mut vectors = Vec::new();
        for arm in 0..log.n_offered(round) {
            let a = log.arm_features(round, arm);
            match self.layout {
                Some(layout) => layout.push(log.contexts().row(round), a, arm, log.n_arms(), &mut vectors),
                None => vectors.extend_from_slice(a),
            }
        }
        vectors.iter_mut().for_each(|entry| *entry /= scale);
        let arms = ArmSet::new(self.policy.problem().dim(), vectors, Norms::Strict)?;
        let mut rng = draw::seeded(seed);
        rng.set_stream(round as u64);
        let mut sum = vec![0.0; log.n_arms()];
        let (mut decision, mut samples) = (Decision::lean(), 0);
        while samples == 0 || (decision.given_sample && samples < SAMPLES) {
            match &self.play {
                Some(play) => drop(play.decide(&*self.policy, &arms, &[], &mut rng, &mut decision)?),
                None => self.policy.decide_into(&arms, &mut rng, &mut decision)?,
            }
            sum.iter_mut().zip(&decision.probabilities).for_each(|(sum, p)| *sum += p);
            samples += 1;
        }
        sum.iter_mut().for_each(|sum| *sum /= samples as f64);
        Ok(sum)
    }

    /// The number that vectors are divided by.
    fn checked_scale(&self, log: &Log) -> Result<f64, EvaluateError> {
        let by = match (self.scale, self.layout) {
            (Some(scale), _) => scale,
            (None, None) => 1.0,
            (None, Some(layout)) => {
                let longest = |rows: &mut dyn Iterator<Item = &[f64]>| {
                    rows.map(|row| row.iter().map(|x| x * x).sum::<f64>()).fold(0.0, f64::max).sqrt()
                };
                let x = longest(&mut log.contexts().rows());
                let cells = (0..log.n_rounds()).flat_map(|t| (0..log.n_arms()).map(move |arm| (t, arm)));
                let a = longest(&mut cells.map(|(t, arm)| log.arm_features(t, arm)));
                // The factor allows for rounding: vectors longer than one are refused.
                layout.norm_bound(x, a) * (1.0 + 1e-12)
            }
        };
        let (low, high) = (f64::MIN_POSITIVE, f64::MAX);
        if by >= low && by <= high {
            return Ok(by);
        }
        Err(EvaluateError::Parameter { name: "the scale of a policy's vectors", low, high, value: by })
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.policy.snapshot().policy.id();
        f.debug_struct("Snapshot").field("policy", &id).field("play", &self.play).finish_non_exhaustive()
    }
}
