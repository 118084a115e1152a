//! Whole rounds in the windows of t that the C reference measures: the same laws, projection and rewards included.
//!
//! `cargo run --release -p moglb-sim --example windows [SIZE..]`, with sizes `paper`, `1k`, `10k`, `100k`.

use moglb::{Decision, MoglbUcb, MoglbUcbConfig, Policy, Width};
use moglb_sim::{EnvironmentConfig, Namespace, Noise, PaperConfig, Streams};
use std::time::Instant;

/// Name, K, d, first and last round of the window, rounds per sample, restarts.
const WINDOWS: [(&str, usize, usize, u64, u64, u64, usize); 4] = [
    ("paper", 40, 10, 200, 8200, 100, 20),
    ("1k", 1000, 50, 200, 1400, 3, 20),
    ("10k", 10_000, 100, 4, 404, 1, 10),
    ("100k", 100_000, 32, 4, 180, 1, 6),
];

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    for window in WINDOWS.iter().filter(|w| asked.is_empty() || asked.iter().any(|name| name == w.0)) {
        measure(window);
    }
}

fn measure(&(name, n_arms, dim, first, last, batch, restarts): &(&str, usize, usize, u64, u64, u64, usize)) {
    let (mut samples, mut hits, mut fronts, mut rounds) = (Vec::new(), 0, 0, 0);
    for trial in 0..restarts {
        let max_front = if n_arms > 200 { Some(n_arms) } else { None };
        let config = PaperConfig { arms: Some(n_arms), max_front, ..PaperConfig::new(dim) };
        let streams = Streams::new(1, Namespace::Report, dim, trial);
        let environment = EnvironmentConfig::Paper(config).instance(streams).expect("an instance");
        let stage = environment.stage(1).expect("fixed arms");
        let config = MoglbUcbConfig { width: Width::Tuned { c: 0.1 }, ..Default::default() };
        let mut policy = MoglbUcb::new(environment.problem().clone(), config).expect("a policy");
        policy.fix_arms(&stage.arms).expect("fitting arms");
        let mut noise = Noise::new(streams, &*environment).expect("fixed arms");
        let (mut rng, mut decision, mut reward) = (streams.policy(), Decision::lean(), Vec::new());
        let mut start = Instant::now();
        for t in 1..=last {
            policy.decide_into(&stage.arms, &mut rng, &mut decision).expect("fitting arms");
            noise.pull(environment.problem(), &stage, decision.arm, t, &mut reward);
            policy.learn(stage.arms.arm(decision.arm), &reward).expect("a fitting reward");
            if t == first {
                hits -= policy.projection_hits() as i64;
                start = Instant::now();
            } else if t > first && (t - first) % batch == 0 {
                samples.push(start.elapsed().as_secs_f64() / batch as f64 * 1e6);
                fronts += decision.front.len();
                start = Instant::now();
            }
        }
        hits += policy.projection_hits() as i64;
        rounds += last - first;
    }
    samples.sort_by(f64::total_cmp);
    let at = |share: f64| samples[(share * (samples.len() - 1) as f64) as usize];
    println!(
        "{name:<6} K={n_arms:<7} d={dim:<4} min {:>10.3} us  median {:>10.3} us  p90 {:>10.3} us  projections/round {:.2}, mean front {:.1}",
        at(0.0),
        at(0.5),
        at(0.9),
        hits as f64 / rounds as f64,
        fronts as f64 / samples.len() as f64,
    );
}
