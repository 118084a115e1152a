//! A round of sampling: the arms to sample, one after the other, and the statistics of their rewards.

use moglb_core::arm_stats::ArmStats;
use moglb_core::{Arm, Problem};
use moglb_math::{Error, Matrix};
use moglb_pareto::ArmId;

/// The arms to sample, with the counts, sums and means of the rewards so far.
#[derive(Debug, Clone)]
pub(super) struct SampledArms {
    problem: Problem,
    /// The id of the identifier, for errors.
    id: &'static str,
    stats: ArmStats,
    /// The mean of each arm (rows) in each objective (columns), at the end of the last round that sampled the
    /// arm.
    means: Matrix,
    /// The arms in the order in which they are sampled, each with its number of samples.
    line: Vec<(ArmId, u64)>,
    /// The index in `line` of the arm to sample next.
    place: usize,
    /// The number of samples of the arm at `place` in this round.
    sampled: u64,
    /// The number of samples of all rounds.
    samples: u64,
}

impl SampledArms {
    /// A state without samples and without arms to sample.
    pub(super) fn new(problem: Problem, id: &'static str) -> Result<Self, Error> {
        let stats = ArmStats::new(&problem, id)?;
        let mut means = Matrix::default();
        means.reshape(stats.n_arms(), problem.n_objectives());
        Ok(Self { problem, id, stats, means, line: Vec::new(), place: 0, sampled: 0, samples: 0 })
    }

    /// Begins a round of these arms, each with its number of samples.
    pub(super) fn begin(&mut self, line: impl IntoIterator<Item = (ArmId, u64)>) {
        self.line.clear();
        self.line.extend(line.into_iter().filter(|(_, times)| *times > 0));
        (self.place, self.sampled) = (0, 0);
    }

    /// Begins a round that samples each arm once.
    pub(super) fn begin_once(&mut self, arms: impl IntoIterator<Item = usize>) {
        self.begin(arms.into_iter().map(|arm| (ArmId(arm), 1)));
    }

    /// Begins a round and discards the counts and sums of earlier rounds.
    pub(super) fn begin_afresh(&mut self, line: impl IntoIterator<Item = (ArmId, u64)>) {
        self.stats = ArmStats::new(&self.problem, self.id).expect("the problem has a number of arms");
        self.begin(line);
    }

    /// The arm to sample next; none if the round is over.
    pub(super) fn next_arm(&self) -> Option<ArmId> {
        self.line.get(self.place).map(|(arm, _)| *arm)
    }

    /// Learns a reward. Returns true if it was the last one of the round.
    pub(super) fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<bool, Error> {
        self.problem.check_play(arm, reward)?;
        let asked = self.next_arm();
        if asked != Some(arm.id()) {
            return Err(Error::NotAsked { asked: asked.map(|arm| arm.0), got: arm.id().0 });
        }
        self.stats.add(arm, reward, self.problem.objectives());
        self.samples += 1;
        self.sampled += 1;
        if self.sampled == self.line[self.place].1 {
            (self.place, self.sampled) = (self.place + 1, 0);
        }
        let is_over = self.place == self.line.len();
        if is_over {
            self.settle();
        }
        Ok(is_over)
    }

    /// Computes the means of the arms of this round at its end.
    fn settle(&mut self) {
        for &(arm, _) in &self.line {
            let count = self.stats.count(arm.0) as f64;
            for (mean, sum) in self.means.row_mut(arm.0).iter_mut().zip(self.stats.sums(arm.0)) {
                *mean = sum / count;
            }
        }
    }

    pub(super) fn problem(&self) -> &Problem {
        &self.problem
    }

    pub(super) fn n_arms(&self) -> usize {
        self.stats.n_arms()
    }

    pub(super) fn mean(&self, arm: usize) -> &[f64] {
        self.means.row(arm)
    }

    pub(super) fn count(&self, arm: usize) -> u64 {
        self.stats.count(arm)
    }

    pub(super) fn samples(&self) -> u64 {
        self.samples
    }
}
