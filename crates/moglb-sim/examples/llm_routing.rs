//! What routing prompts to language models costs and gives, online: models are drawn evenly on the split `val`, as in a trial run, and
//! by a preference on `test`, where the policy goes on learning and is scored. Beside it, always the same model.
//!
//! `cargo run --release -p moglb-sim --example llm_routing` from the root of the repository; optionally the number of trials.

use moglb::{ArmId, Decision, PlayConfig, PolicyConfig, draw};
use moglb_sim::{DataConfig, Environment, EnvironmentConfig, Namespace, SimError, Streams, mean_ci95};
use serde_json::json;

/// Rounds of the split `val`, which come first.
const VAL: u64 = 1766;
/// Rounds of both splits.
const ALL: u64 = 3559;

/// Mean quality, and mean cost in dollars per thousand prompts, on `test`.
fn score(
    world: &dyn Environment,
    mut arm: impl FnMut(u64) -> Result<ArmId, SimError>,
) -> Result<[f64; 2], SimError> {
    let mut sums = [0.0; 2];
    for t in 1..=ALL {
        let arm = arm(t)?;
        if t > VAL {
            let stage = world.stage(t)?;
            let row = stage.means.row(arm.0);
            sums[0] += row[0];
            // y_cheap = −log10(cost in dollars)/6.
            sums[1] += 1000.0 * libm::pow(10.0, -6.0 * row[1]);
        }
    }
    Ok(sums.map(|sum| sum / (ALL - VAL) as f64))
}

/// Draws models evenly on `val`, as a trial would, and the preferred one on `test`, learning all the time.
fn play(
    world: &dyn Environment,
    policy: &PolicyConfig,
    way: &PlayConfig,
    streams: Streams,
) -> Result<[f64; 2], SimError> {
    let (mut policy, play) = (policy.build(world.problem())?, way.build(world.problem())?);
    let (mut rng, mut decision) = (streams.policy(), Decision::lean());
    score(world, |t| {
        let stage = world.stage(t)?;
        if t <= VAL {
            decision.arm = ArmId(draw::below(stage.arms.n_arms(), &mut rng));
        } else {
            play.decide(&*policy, &stage.arms, &[], &mut rng, &mut decision)?;
        }
        policy.learn(stage.arms.arm(decision.arm), stage.means.row(decision.arm.0))?;
        Ok(decision.arm)
    })
}

fn main() -> Result<(), SimError> {
    let trials: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10);
    let config = DataConfig {
        objectives: Some(vec!["y_quality".into(), "y_cheap".into()]),
        splits: Some(vec!["val".into(), "test".into()]),
        ..DataConfig::new("data/llm-routing", "k4")
    };
    let world = EnvironmentConfig::Data(config.into());
    let streams = |trial| Streams::new(1, Namespace::Report, world.dim(), trial);
    println!("{:<44} quality            USD per 1000 prompts", "policy");
    for arm in 0..world.n_arms() {
        let [quality, cost] = score(&*world.instance(streams(0))?, |_| Ok(ArmId(arm)))?;
        println!("{:<44} {quality:.4}             {cost:.3}", format!("always model {arm}"));
    }
    let ucb = json!({ "id": "moglb-ucb", "c": 1e-4 });
    for policy in [ucb, json!({ "id": "ekf-ucb", "c": 1e-4, "lambda": 1 }), json!({ "id": "moglb-eb" })] {
        for weight in [1.0, 0.99, 0.98, 0.96, 0.9, 0.7] {
            let config: PolicyConfig = serde_json::from_value(policy.clone()).expect("a policy");
            let preferred = json!({ "prefer": { "kind": "weights", "weights": [weight, 1.0 - weight] } });
            let way: PlayConfig = serde_json::from_value(preferred).expect("a way to play");
            let mut scores: [Vec<f64>; 2] = Default::default();
            for trial in 0..trials {
                let instance = world.instance(streams(trial))?;
                let score = play(&*instance, &config, &way, streams(trial))?;
                scores.iter_mut().zip(score).for_each(|(all, one)| all.push(one));
            }
            let [(quality, error), (cost, spread)] = scores.each_ref().map(|all| mean_ci95(all));
            let name = format!("{policy}, weight {weight}").replace('"', "");
            println!("{name:<44} {quality:.4} ± {error:.4}    {cost:.3} ± {spread:.3}");
        }
    }
    Ok(())
}
