//! Section `policies`: the policies with a model, compared with each other.

use crate::bench::{Bench, Case};
use crate::clock::Stopwatch;
use crate::record::Spread;
use crate::world::{Instance, Size};
use anyhow::Result;
use moglb::{Decision, EkfUcbConfig, MoglbEbConfig, MoglbUcbConfig, PolicyConfig};
use moglb_sim::{Environment, Noise};

/// The introduction in the report.
pub(super) const ABOUT: &str = "\
Seconds per round of every policy that has a model, over the first 3000 rounds of the paper's benchmark at d \
= 10: decide, draw the reward, learn. MOGLB-EB learns rewards in batches of up to ten, so most of its rounds \
cost very little and some cost ten times the mean; with fresh arms every decision uses all of its 40 \
samples.";

/// The name of a case: the paper's benchmark with the same arms in every round, or with a few sets in turn.
pub fn case_name(fixed: bool) -> String {
    format!("{}, {} arms", Size::paper(40, 10).name(), if fixed { "fixed" } else { "fresh" })
}

/// Plays every policy on fixed and on fresh arms, with another instance in each repeat.
pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let last = if bench.quick { 50 } else { 3000 };
    let configs = [
        PolicyConfig::MoglbEb(MoglbEbConfig::default()),
        PolicyConfig::MoglbUcb(MoglbUcbConfig::default()),
        PolicyConfig::EkfUcb(EkfUcbConfig::default()),
    ];
    for repeat in 0..bench.repeats() {
        for fixed in [true, false] {
            let size = Size::paper(40, 10);
            let instance = if fixed { size.fixed(repeat)? } else { size.fresh(repeat)? };
            for config in &configs {
                let seconds = play(config, &instance, fixed, last)?;
                Case::new("policies", case_name(fixed), repeat).ours(
                    bench,
                    config.id(),
                    Spread::exact(seconds / last as f64),
                );
            }
        }
    }
    Ok(())
}

/// The seconds of playing a policy for this many rounds.
fn play(config: &PolicyConfig, instance: &Instance, fixed: bool, last: u64) -> Result<f64> {
    let problem = instance.paper.problem();
    let mut policy = config.build(problem)?;
    let (mut noise, mut rng) = (Noise::new(instance.streams, &instance.paper)?, instance.streams.policy());
    let (mut decision, mut reward) = (Decision::lean(), Vec::new());
    let watch = Stopwatch::start();
    if fixed {
        policy.fix_arms(&instance.stages[0].arms)?;
    }
    for t in 1..=last {
        let stage = &instance.stages[t as usize % instance.stages.len()];
        policy.decide_into(&stage.arms, &mut rng, &mut decision)?;
        noise.pull(problem, stage, decision.arm, t, &mut reward);
        policy.learn(stage.arms.arm(decision.arm), &reward)?;
    }
    Ok(watch.seconds())
}
