//! The play loop: one policy on one instance, round by round, with the metrics of each round.

use crate::arrival::Mail;
use crate::environment::{Environment, Noise, Stage};
use crate::fairness::{Evenness, envy, shortfalls};
use crate::scores::{Scorer, Scores, share};
use crate::{SimError, Streams};
use moglb::{ArmId, Decision, Front, Health, Matrix, Policy, draw, hypervolume, jaccard, precision, recall};
use serde::{Deserialize, Serialize};

/// The record of one trial: curves at the checkpoints, and the values after the last round.
///
/// Example: [`play`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Cumulative Pareto regret at the checkpoints.
    pub pareto_regret: Vec<f64>,
    /// Exposure entropy of the rounds up to each checkpoint; the last is [`End::exposure_entropy`].
    pub exposure_entropy: Vec<f64>,
    /// The front at the checkpoints, for policies that have one.
    pub fronts: Option<FrontCurves>,
    /// The values after the last round.
    pub end: End,
    /// The scores in the units of the data, if the environment is data.
    pub scores: Option<Scores>,
    /// The findings of the monitors about the assumptions, if the trial was monitored.
    pub health: Option<Health>,
    /// The time that the trial took, in seconds. It is not part of the result.
    pub seconds: f64,
}

/// The value of a curve at the horizon, which is the last checkpoint of every trial.
pub(crate) fn at_horizon<T>(curve: &[T]) -> &T {
    curve.last().expect("a checkpoint at the horizon")
}

/// Comparisons of O_t with O* at the checkpoints.
///
/// Example: [`play`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FrontCurves {
    /// The Jaccard index of O_t and O*.
    pub jaccard: Vec<f64>,
    /// The share of O_t that is on O*.
    pub precision: Vec<f64>,
    /// The share of O* that is on O_t.
    pub recall: Vec<f64>,
    /// The size of O_t.
    pub front_size: Vec<f64>,
}

/// The values of one trial after its last round. The fields are explained at [`crate::Last`].
///
/// Example: [`play`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct End {
    pub jaccard_mean: f64,
    pub exposure_entropy: f64,
    pub exposure_least: f64,
    pub exposure_gini: f64,
    pub envy: f64,
    pub share_on_front: f64,
    pub true_front_size: u64,
    pub hypervolume_mix: f64,
    pub hypervolume_front: Option<f64>,
    pub projection_hits: u64,
}

/// Returns about `count` rounds of 1..=horizon: the first round, and then rounds at even distances up to
/// the last.
pub fn checkpoints(horizon: u64, count: u64) -> Vec<u64> {
    let mut rounds = vec![1];
    let even =
        |k: u64| u64::try_from(u128::from(k) * u128::from(horizon) / u128::from(count)).expect("≤ horizon");
    rounds.extend((1..=count).map(even).filter(|&t| t > 1));
    rounds.dedup();
    rounds
}

/// Plays a policy to the last checkpoint.
///
/// From the practice rounds before the first round that counts ([`Environment::practice`]) the policy
/// learns; they have no other effect on the record. Every few thousand rounds `keep_going` receives the
/// number of rounds since its last call, and may end the trial.
///
/// ```
/// use moglb::PolicyConfig;
/// use moglb_sim::{EnvironmentConfig, Namespace, Streams, checkpoints, play};
///
/// let streams = Streams::new(1, Namespace::Report, 3, 0);
/// let instance = EnvironmentConfig::named("paper", 3).expect("a known name").instance(streams)?;
/// let mut policy = PolicyConfig::recommended().build(instance.problem())?;
/// let trace = play(&*instance, &mut *policy, &checkpoints(100, 4), streams, &|_| true)?;
/// assert_eq!(trace.pareto_regret.len(), 5, "rounds 1, 25, 50, 75 and 100");
/// # Ok::<(), moglb_sim::SimError>(())
/// ```
///
/// # Errors
///
/// The errors of the policy, or [`SimError::Interrupted`].
pub fn play(
    environment: &dyn Environment,
    policy: &mut dyn Policy,
    checkpoints: &[u64],
    streams: Streams,
    keep_going: &dyn Fn(u64) -> bool,
) -> Result<Trace, SimError> {
    // Often enough that the trial stops at once when asked to, and seldom enough to cost nothing.
    let tell = (4_000_000 / environment.stage(1)?.arms.n_arms() as u64).clamp(1, 4096);
    let mut noise = Noise::new(streams, environment)?;
    let mut rng = streams.policy();
    let (mut decision, mut reward) = (Decision::lean(), Vec::new());
    let (mut recorder, mut scorer) = (Recorder::new(environment)?, Scorer::new(environment));
    let practice = environment.practice();
    if environment.has_fixed_arms() {
        policy.fix_arms(&environment.stage(1)?.arms)?;
    }
    let mut mail = environment.arrival().map(|arrival| Mail::new(arrival, streams, environment.problem()));
    let mut next = checkpoints.iter().copied().peekable();
    let mut t = 0;
    while let Some(&checkpoint) = next.peek() {
        t += 1;
        let stage = environment.stage(t)?;
        if t <= practice {
            decision.arm = ArmId(draw::below(stage.arms.n_arms(), &mut rng));
        } else {
            policy.decide_into(&stage.arms, &mut rng, &mut decision)?;
            recorder.round(&stage, &decision);
            if let (Some(scorer), Some(measured)) = (&mut scorer, environment.measured(t, decision.arm)) {
                scorer.round(&stage, &decision, measured);
            }
            if t - practice == checkpoint {
                recorder.checkpoint(&stage, &decision)?;
                scorer.iter_mut().for_each(Scorer::checkpoint);
                next.next();
            }
        }
        noise.pull(environment.problem(), &stage, decision.arm, t, &mut reward);
        let arm = stage.arms.arm(decision.arm);
        match &mut mail {
            None => policy.learn(arm, &reward)?,
            Some(mail) => {
                mail.send(t, arm, &reward)?;
                mail.deliver(t, policy)?;
            }
        }
        if t.is_multiple_of(tell) && !keep_going(tell) {
            return Err(SimError::Interrupted { done: 0, total: 1 });
        }
    }
    keep_going(t % tell);
    let stage = environment.stage(t)?;
    let scores = scorer.map(|scorer| scorer.finish(&stage, &decision));
    Ok(Trace {
        scores,
        ..recorder.finish(&stage, &decision, policy.model().map_or(0, |model| model.projection_hits()))?
    })
}

/// Collects the metrics while a trial is played.
struct Recorder {
    /// True if the arms and their means are the same in all rounds.
    fixed: bool,
    /// The reference point of the hypervolume: the zero of the unit scale of each objective.
    reference: Vec<f64>,
    rounds: u64,
    regret: f64,
    jaccard_sum: f64,
    on_front: u64,
    /// For each arm of the round, true if it is on O*.
    truth: Vec<bool>,
    /// The number of pulls of each arm, if the arms are fixed.
    pulls: Vec<u64>,
    /// The sum of the mean reward vectors of the played arms, if the arms are fixed.
    mean_sum: Vec<f64>,
    /// The sum over rounds if the arms are fresh, because a pull count of such an arm means nothing.
    evenness_sum: Evenness,
    /// The sum of the shortfalls of each objective over rounds, if the arms are fresh.
    shortfall_sum: Vec<f64>,
    /// The sum of the relative volumes of the played arms over checkpoints, if the arms are fresh.
    mix_sum: f64,
    mix_count: u64,
    trace: Trace,
}

impl Recorder {
    fn new(environment: &dyn Environment) -> Result<Self, SimError> {
        let problem = environment.problem();
        // With drift the arms count as fresh: the present mean of an arm says nothing about pulls of it
        // long ago.
        let fixed = environment.has_fixed_arms() && !environment.drifts();
        Ok(Self {
            fixed,
            reference: problem.objectives().iter().map(|o| o.sign() * o.from_unit(0.0)).collect(),
            rounds: 0,
            regret: 0.0,
            jaccard_sum: 0.0,
            on_front: 0,
            truth: Vec::new(),
            pulls: vec![0; if fixed { environment.stage(1)?.arms.n_arms() } else { 0 }],
            mean_sum: vec![0.0; problem.n_objectives()],
            evenness_sum: Evenness::default(),
            shortfall_sum: vec![0.0; problem.n_objectives()],
            mix_sum: 0.0,
            mix_count: 0,
            trace: Trace::default(),
        })
    }

    /// Adds a round to the sums.
    fn round(&mut self, stage: &Stage, decision: &Decision) {
        self.rounds += 1;
        self.regret += stage.gaps[decision.arm.0];
        self.look_at(stage);
        self.on_front += u64::from(self.truth[decision.arm.0]);
        if !decision.front.is_empty() {
            self.jaccard_sum += self.jaccard(&decision.front, &stage.front);
        }
        if self.fixed {
            self.pulls[decision.arm.0] += 1;
            self.mean_sum
                .iter_mut()
                .zip(stage.means.row(decision.arm.0))
                .for_each(|(sum, mean)| *sum += mean);
        } else {
            let weights = stage.front.iter().map(|arm| decision.probabilities[arm.0]);
            self.evenness_sum.add(Evenness::of(weights));
            shortfalls(&stage.means, stage.means.row(decision.arm.0), &mut self.shortfall_sum);
        }
    }

    /// Marks the arms of O*, unless they are those of the round before.
    fn look_at(&mut self, stage: &Stage) {
        if !self.fixed || self.rounds == 1 {
            self.truth.clear();
            self.truth.resize(stage.arms.n_arms(), false);
            stage.front.iter().for_each(|arm| self.truth[arm.0] = true);
        }
    }

    /// The Jaccard index of O* and a front that is not empty. It is computed from the marks, because every
    /// round needs it.
    fn jaccard(&self, found: &Front, truth: &Front) -> f64 {
        let shared: usize = found.iter().map(|arm| usize::from(self.truth[arm.0])).sum();
        let index = shared as f64 / (found.len() + truth.len() - shared) as f64;
        debug_assert_eq!(index, jaccard(found, truth));
        index
    }

    /// Appends a point to each curve.
    fn checkpoint(&mut self, stage: &Stage, decision: &Decision) -> Result<(), SimError> {
        self.trace.pareto_regret.push(self.regret);
        self.trace.exposure_entropy.push(self.evenness(stage).entropy);
        if !decision.front.is_empty() {
            let curves = self.trace.fronts.get_or_insert_default();
            curves.jaccard.push(jaccard(&decision.front, &stage.front));
            curves.precision.push(precision(&decision.front, &stage.front));
            curves.recall.push(recall(&decision.front, &stage.front));
            curves.front_size.push(decision.front.len() as f64);
        }
        if !self.fixed {
            let played: Front = std::iter::once(decision.arm).collect();
            self.mix_sum += relative_volume(&played, stage, &self.reference)?;
            self.mix_count += 1;
        }
        Ok(())
    }

    /// The evenness of the pulls so far over the arms of O*. With fresh arms that of the probabilities,
    /// averaged over rounds.
    fn evenness(&self, stage: &Stage) -> Evenness {
        if self.fixed {
            Evenness::of(stage.front.iter().map(|arm| self.pulls[arm.0] as f64))
        } else {
            self.evenness_sum.over(self.rounds as f64)
        }
    }

    /// The difference between the worst and the best served objective. With fixed arms it is computed from
    /// the mean reward vector.
    fn envy(&self, stage: &Stage) -> f64 {
        let rounds = self.rounds as f64;
        let mut without: Vec<f64> = self.shortfall_sum.iter().map(|sum| sum / rounds).collect();
        if self.fixed {
            let mix: Vec<f64> = self.mean_sum.iter().map(|sum| sum / rounds).collect();
            shortfalls(&stage.means, &mix, &mut without);
        }
        envy(&without)
    }

    /// Computes the values after the last round.
    fn finish(mut self, stage: &Stage, decision: &Decision, projection_hits: u64) -> Result<Trace, SimError> {
        let rounds = self.rounds as f64;
        let hypervolume_mix = if self.fixed {
            let mix: Vec<f64> = self.mean_sum.iter().map(|sum| sum / rounds).collect();
            let mix = Matrix::new(mix.len(), mix)?;
            let whole = volume(&stage.front, stage, &self.reference)?;
            share(hypervolume(&mix, &self.reference)?, whole)
        } else {
            self.mix_sum / self.mix_count as f64
        };
        let has_front = self.trace.fronts.is_some();
        let evenness = self.evenness(stage);
        self.trace.end = End {
            jaccard_mean: self.jaccard_sum / rounds,
            exposure_entropy: evenness.entropy,
            exposure_least: evenness.least,
            exposure_gini: evenness.gini,
            envy: self.envy(stage),
            share_on_front: self.on_front as f64 / rounds,
            true_front_size: stage.front.len() as u64,
            hypervolume_mix,
            hypervolume_front: has_front
                .then(|| relative_volume(&decision.front, stage, &self.reference))
                .transpose()?,
            projection_hits,
        };
        Ok(self.trace)
    }
}

/// The volume that the means of some arms dominate, relative to that of the true front.
fn relative_volume(arms: &Front, stage: &Stage, reference: &[f64]) -> Result<f64, SimError> {
    Ok(share(volume(arms, stage, reference)?, volume(&stage.front, stage, reference)?))
}

/// The volume that the means of some arms dominate, above the reference point.
fn volume(arms: &Front, stage: &Stage, reference: &[f64]) -> Result<f64, SimError> {
    let rows: Vec<&[f64]> = arms.iter().map(|ArmId(index)| stage.means.row(index)).collect();
    Ok(hypervolume(&Matrix::from_rows(&rows)?, reference)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_even_and_end_at_the_horizon() {
        assert_eq!(checkpoints(3000, 300).len(), 301);
        assert_eq!(checkpoints(3000, 300)[..3], [1, 10, 20]);
        assert_eq!(checkpoints(1, 300), [1]);
        assert_eq!(checkpoints(5, 300), [1, 2, 3, 4, 5]);
        assert_eq!(*checkpoints(u64::MAX, 300).last().unwrap(), u64::MAX);
        assert!(checkpoints(12_345, 300).is_sorted_by(|a, b| a < b));
    }
}
