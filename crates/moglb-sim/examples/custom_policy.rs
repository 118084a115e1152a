//! A custom policy in one file: ε-greedy on the front of MOGLB-UCB's estimates, on the paper's benchmark.
//!
//! Run it with `cargo run --release -p moglb-sim --example custom_policy`. The page
//! docs/howto-add-policy.md explains it step by step.

use moglb::{
    Arm, ArmId, ArmSet, Decision, Error, Facts, MoglbUcb, MoglbUcbConfig, Policy, PolicyConfig, Problem,
    Restorable, Rng, Width, conformance, draw,
};
use moglb_sim::{EnvironmentConfig, Namespace, PaperConfig, SimError, Streams, play};

/// Plays any arm with probability ε, otherwise an arm of the front that the estimates alone give.
struct EpsilonGreedy {
    epsilon: f64,
    model: MoglbUcb,
}

impl EpsilonGreedy {
    fn new(problem: Problem, epsilon: f64) -> Result<Self, Error> {
        // c = 0: no width, so the front is that of the estimates.
        let config = MoglbUcbConfig { width: Width::Tuned { c: 0.0 }, ..Default::default() };
        Ok(Self { epsilon, model: MoglbUcb::new(problem, config)? })
    }
}

impl Policy for EpsilonGreedy {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.model.decide_into(arms, rng, decision)?;
        if draw::unit(rng) < self.epsilon {
            decision.arm = ArmId(draw::below(arms.n_arms(), rng));
        }
        // The exact probability of every arm: a share of ε for each, the rest for the front.
        let share = self.epsilon / arms.n_arms() as f64;
        decision.probabilities.iter_mut().for_each(|p| *p = (1.0 - self.epsilon) * *p + share);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.model.learn(arm, reward)
    }

    // Arms outside of the reported front can be drawn too.
    fn facts(&self) -> Facts {
        Facts { draws_from_front: false, ..Facts::default() }
    }
}

fn check_the_laws(problem: &Problem) {
    let make = || EpsilonGreedy::new(problem.clone(), 0.1).expect("a fine problem");
    conformance::check_policy(problem, make, |policy| policy.model.to_json());
}

fn main() -> Result<(), SimError> {
    let benchmark = EnvironmentConfig::Paper(PaperConfig::new(5));
    check_the_laws(&benchmark.problem()?);
    for trial in 0..3 {
        let streams = Streams::new(1, Namespace::Report, 5, trial);
        let instance = benchmark.instance(streams)?;
        let problem = instance.problem();
        let mut mine = EpsilonGreedy::new(problem.clone(), 0.1)?;
        let mut recommended = PolicyConfig::recommended().build(problem)?;
        let regret = |policy: &mut dyn Policy| -> Result<f64, SimError> {
            Ok(play(&*instance, policy, &[1000], streams, &|_| true)?.pareto_regret[0])
        };
        let (mine, recommended) = (regret(&mut mine)?, regret(&mut *recommended)?);
        println!("trial {trial}: Pareto regret {mine:.1}, that of the recommended policy {recommended:.1}");
    }
    Ok(())
}
