//! A round: arms to be sampled one after the other, and what was learned of them.

use moglb_core::arm_stats::ArmStats;
use moglb_core::{Arm, Problem};
use moglb_math::{Error, Matrix};
use moglb_pareto::ArmId;

/// Arms waiting to be sampled, with the counts, sums and means of the rewards so far.
#[derive(Debug, Clone)]
pub(super) struct SampledArms {
    problem: Problem,
    /// Whose round it is, for errors.
    id: &'static str,
    stats: ArmStats,
    /// The mean of each arm (rows) in each objective (columns), as it was when its last round ended.
    means: Matrix,
    /// Arms in the order in which they are sampled, each with how often.
    line: Vec<(ArmId, u64)>,
    place: usize,
    /// How often the arm at `place` was sampled in this round.
    sampled: u64,
    samples: u64,
}

impl SampledArms {
    /// Nothing sampled, nothing to sample.
    pub(super) fn new(problem: Problem, id: &'static str) -> Result<Self, Error> {
        let stats = ArmStats::new(&problem, id)?;
        let mut means = Matrix::default();
        means.reshape(stats.n_arms(), problem.n_objectives());
        Ok(Self { problem, id, stats, means, line: Vec::new(), place: 0, sampled: 0, samples: 0 })
    }

    /// Begins a round of these arms.
    pub(super) fn begin(&mut self, line: impl IntoIterator<Item = (ArmId, u64)>) {
        self.line.clear();
        self.line.extend(line.into_iter().filter(|(_, times)| *times > 0));
        (self.place, self.sampled) = (0, 0);
    }

    /// Begins a round of each arm once.
    pub(super) fn begin_once(&mut self, arms: impl IntoIterator<Item = usize>) {
        self.begin(arms.into_iter().map(|arm| (ArmId(arm), 1)));
    }

    /// Begins a round with no memory of those before.
    pub(super) fn begin_afresh(&mut self, line: impl IntoIterator<Item = (ArmId, u64)>) {
        self.stats = ArmStats::new(&self.problem, self.id).expect("the problem has a number of arms");
        self.begin(line);
    }

    /// The arm that is asked for.
    pub(super) fn next_arm(&self) -> Option<ArmId> {
        self.line.get(self.place).map(|(arm, _)| *arm)
    }

    /// Learns a reward, and says whether it was the last of the round.
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

    /// Means of the arms of this round, now that it is over.
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
