//! The instances that all contestants play on: the paper's laws at any size, and their files.

use anyhow::Result;
use chacha20::ChaCha8Rng;
use moglb::{ArmSet, Decision, Link, MoglbUcb, MoglbUcbConfig, Norms, Policy, Storage, Width};
use moglb_sim::{Environment, Namespace, Noise, Paper, PaperConfig, Stage, Streams};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Fresh arm sets are made outside of the measurement; this many take turns.
pub const FRESH_SETS: usize = 4;

/// K, d and m.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub struct Size {
    pub arms: usize,
    pub dim: usize,
    pub objectives: usize,
}

/// The sizes of the contract, up to a hundred thousand arms.
pub const SIZES: [Size; 4] =
    [Size::paper(40, 10), Size::paper(1000, 50), Size::paper(10_000, 100), Size::paper(100_000, 32)];

/// The largest size of the contract.
pub const MILLION: Size = Size::paper(1_000_000, 32);

impl Size {
    /// The five objectives of the paper.
    pub const fn paper(arms: usize, dim: usize) -> Self {
        Self { arms, dim, objectives: 5 }
    }

    /// `K=40, d=10`.
    pub fn name(self) -> String {
        format!("K={}, d={}", self.arms, self.dim)
    }

    fn config(self) -> PaperConfig {
        let link = |i: usize| if i < 2 { Link::Probit } else { Link::Logit };
        // At the paper's size arms are redrawn until the front has at most d; larger sets are taken as they come.
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

    fn instance(self, trial: usize, fixed: bool, sets: usize) -> Result<Instance> {
        let streams = Streams::new(1, Namespace::Report, self.dim, trial);
        let paper = Paper::draw(&self.config(), fixed, streams)?;
        let stage = |t: usize| Ok(paper.stage(t as u64)?.into_owned());
        let stages = (1..=sets).map(stage).collect::<Result<_>>()?;
        Ok(Instance { paper, stages, streams })
    }
}

/// A world to play in.
pub struct Instance {
    /// The truth.
    pub paper: Paper,
    /// What is on offer, in turn; one stage where the arms are fixed.
    pub stages: Vec<Stage>,
    /// Its luck.
    pub streams: Streams,
}

impl Instance {
    /// Writes coefficients and arms as little-endian numbers, for the C reference and the peers.
    pub fn write(&self, stage: usize, path: &Path) -> Result<()> {
        let contexts = self.stages[stage].arms.iter().flat_map(|arm| arm.context().iter().copied());
        write_numbers(path, self.paper.theta().as_slice().iter().copied().chain(contexts))
    }

    /// The same world with its fixed arms kept in another way.
    pub fn stored_as(mut self, storage: Storage) -> Self {
        for stage in &mut self.stages {
            stage.arms = Arc::new(ArmSet::clone(&stage.arms).stored_as(storage));
        }
        self
    }

    /// The policy before its first round. c is that of the peers: fixed beforehand, not tuned.
    pub fn policy(&self) -> Result<MoglbUcb> {
        let config = MoglbUcbConfig { width: Width::Tuned { c: 0.1 }, ..Default::default() };
        Ok(MoglbUcb::new(self.paper.problem().clone(), config)?)
    }

    /// The policy ready for its first round.
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

/// A policy that plays rounds.
pub struct Player<'a> {
    instance: &'a Instance,
    /// The policy.
    pub policy: MoglbUcb,
    noise: Noise,
    rng: ChaCha8Rng,
    /// The last decision.
    pub decision: Decision,
    reward: Vec<f64>,
    /// Rounds played.
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

    /// Decides, and learns nothing.
    pub fn decide(&mut self) -> Result<()> {
        let stage = self.stage();
        Ok(self.policy.decide_into(&stage.arms, &mut self.rng, &mut self.decision)?)
    }

    /// The pass over the arms of the next set alone.
    pub fn pass_over_fresh(&mut self) {
        self.t += 1;
        self.policy.pass_over_fresh(&self.stage().arms, &mut self.decision);
    }

    /// The same over the next of other sets.
    pub fn pass_over_another(&mut self, sets: &[ArmSet<'_>]) {
        self.t += 1;
        self.policy.pass_over_fresh(&sets[self.t as usize % sets.len()], &mut self.decision);
    }

    /// Makes the next set from a copy of one of these tables and decides on it once.
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

    fn stage(&self) -> &'a Stage {
        let stages = &self.instance.stages;
        &stages[self.t as usize % stages.len()]
    }
}

/// Writes little-endian numbers, end to end.
pub fn write_numbers(path: &Path, numbers: impl Iterator<Item = f64>) -> Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for number in numbers {
        file.write_all(&number.to_le_bytes())?;
    }
    Ok(file.flush()?)
}
