//! The instances that all contestants play on, drawn from the paper's laws at any size, and their files.

use anyhow::Result;
use chacha20::ChaCha8Rng;
use moglb::{ArmSet, Decision, Link, MoglbUcb, MoglbUcbConfig, Norms, Policy, Storage, Width};
use moglb_sim::{Environment, Namespace, Noise, Paper, PaperConfig, Stage, Streams};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// The number of fresh arm sets that take turns. They are made outside of the measurement.
pub const FRESH_SETS: usize = 4;

/// The size of an instance: K, d and m.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub struct Size {
    pub arms: usize,
    pub dim: usize,
    pub objectives: usize,
}

/// The sizes that have targets, up to a hundred thousand arms.
pub const SIZES: [Size; 4] =
    [Size::paper(40, 10), Size::paper(1000, 50), Size::paper(10_000, 100), Size::paper(100_000, 32)];

/// The largest size that has a target.
pub const MILLION: Size = Size::paper(1_000_000, 32);

impl Size {
    /// A size with the five objectives of the paper.
    pub const fn paper(arms: usize, dim: usize) -> Self {
        Self { arms, dim, objectives: 5 }
    }

    /// The name of the size in cases, such as `K=40, d=10`.
    pub fn name(self) -> String {
        format!("K={}, d={}", self.arms, self.dim)
    }

    /// The configuration of the environment: the paper's links, and its bound on the front at the paper's
    /// size.
    fn config(self) -> PaperConfig {
        let link = |i: usize| if i < 2 { Link::Probit } else { Link::Logit };
        // At the paper's size arms are redrawn until the front has at most d arms; larger sets are not
        // redrawn.
        let max_front = (self.arms > 200 || self.objectives != 5).then_some(self.arms);
        PaperConfig {
            arms: Some(self.arms),
            links: (0..self.objectives).map(link).collect(),
            max_front,
            ..PaperConfig::new(self.dim)
        }
    }

    /// An instance with the same arms in every round.
    pub fn fixed(self, trial: usize) -> Result<Instance> {
        self.instance(trial, true, 1)
    }

    /// An instance with a few arm sets that take turns.
    pub fn fresh(self, trial: usize) -> Result<Instance> {
        self.instance(trial, false, FRESH_SETS)
    }

    /// Draws an instance with a number of arm sets, on the seeds of reported trials.
    fn instance(self, trial: usize, fixed: bool, sets: usize) -> Result<Instance> {
        let streams = Streams::new(1, Namespace::Report, self.dim, trial);
        let paper = Paper::draw(&self.config(), fixed, streams)?;
        let stage = |t: usize| Ok(paper.stage(t as u64)?.into_owned());
        let stages = (1..=sets).map(stage).collect::<Result<_>>()?;
        Ok(Instance { paper, stages, streams })
    }
}

/// An instance to play on.
pub struct Instance {
    /// The environment with its true coefficients.
    pub paper: Paper,
    /// The arm sets that take turns; one stage if the arms are fixed.
    pub stages: Vec<Stage>,
    /// The random streams.
    pub streams: Streams,
}

impl Instance {
    /// Writes coefficients and arms as little-endian numbers, for the C reference and the peers.
    pub fn write(&self, stage: usize, path: &Path) -> Result<()> {
        let contexts = self.stages[stage].arms.iter().flat_map(|arm| arm.context().iter().copied());
        write_numbers(path, self.paper.theta().as_slice().iter().copied().chain(contexts))
    }

    /// Returns the instance with its arms in another storage.
    pub fn stored_as(mut self, storage: Storage) -> Self {
        for stage in &mut self.stages {
            stage.arms = Arc::new(ArmSet::clone(&stage.arms).stored_as(storage));
        }
        self
    }

    /// The policy before its first round. c = 0.1 as for the peers: it is fixed beforehand, not tuned.
    pub fn policy(&self) -> Result<MoglbUcb> {
        let config = MoglbUcbConfig { width: Width::Tuned { c: 0.1 }, ..Default::default() };
        Ok(MoglbUcb::new(self.paper.problem().clone(), config)?)
    }

    /// The policy ready for its first round, with fixed arms prepared.
    pub fn player(&self) -> Result<Player<'_>> {
        let mut policy = self.policy()?;
        if self.paper.has_fixed_arms() {
            policy.fix_arms(&self.stages[0].arms)?;
        }
        Ok(Player {
            instance: self,
            policy,
            noise: Noise::new(self.streams, &self.paper)?,
            rng: self.streams.policy(),
            decision: Decision::lean(),
            reward: Vec::new(),
            t: 0,
        })
    }
}

/// A policy that plays rounds on an instance.
pub struct Player<'a> {
    instance: &'a Instance,
    /// The policy.
    pub policy: MoglbUcb,
    noise: Noise,
    rng: ChaCha8Rng,
    /// The last decision.
    pub decision: Decision,
    reward: Vec<f64>,
    /// The number of rounds played.
    pub t: u64,
}

impl<'a> Player<'a> {
    /// Decides, draws the reward and learns it.
    pub fn round(&mut self) -> Result<()> {
        self.decide()?;
        let (stage, problem) = (self.stage(), self.instance.paper.problem());
        self.noise.pull(problem, stage, self.decision.arm, self.t + 1, &mut self.reward);
        self.policy.learn(stage.arms.arm(self.decision.arm), &self.reward)?;
        self.t += 1;
        Ok(())
    }

    /// Decides without learning.
    pub fn decide(&mut self) -> Result<()> {
        let stage = self.stage();
        Ok(self.policy.decide_into(&stage.arms, &mut self.rng, &mut self.decision)?)
    }

    /// Runs only the pass, over the arms of the next set.
    pub fn pass_over_fresh(&mut self) {
        self.t += 1;
        self.policy.pass_over_fresh(&self.stage().arms, &mut self.decision);
    }

    /// Runs only the pass, over the next of these sets.
    pub fn pass_over_another(&mut self, sets: &[ArmSet<'_>]) {
        self.t += 1;
        self.policy.pass_over_fresh(&sets[self.t as usize % sets.len()], &mut self.decision);
    }

    /// Makes the next set from a copy of one of these tables of contexts, and decides on it once.
    pub fn decide_on_new(&mut self, dim: usize, tables: &[Vec<f64>]) {
        self.t += 1;
        let table = tables[self.t as usize % tables.len()].clone();
        let arms = ArmSet::new(dim, table, Norms::Strict).expect("contexts of a set");
        self.policy
            .decide_into(&arms, &mut self.rng, &mut self.decision)
            .expect("a set that was decided on before");
    }

    /// Plays until `t` rounds are played.
    pub fn play_to(&mut self, t: u64) -> Result<()> {
        while self.t < t {
            self.round()?;
        }
        Ok(())
    }

    /// The stage of the next round.
    fn stage(&self) -> &'a Stage {
        let stages = &self.instance.stages;
        &stages[self.t as usize % stages.len()]
    }
}

/// Writes numbers to a file as little-endian doubles without separators.
pub fn write_numbers(path: &Path, numbers: impl Iterator<Item = f64>) -> Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for number in numbers {
        file.write_all(&number.to_le_bytes())?;
    }
    Ok(file.flush()?)
}
