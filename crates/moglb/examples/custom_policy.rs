//! A policy of one's own, in one file: epsilon-greedy on the front of MOGLB-UCB's estimates.
//!
//! `cargo run -p moglb --example custom_policy`

use moglb::{
    Arm, ArmId, ArmSet, Decision, Error, Link, MoglbUcb, MoglbUcbConfig, Objective, Policy, Problem,
    Restorable, Rng, Width, conformance, draw,
};

/// With probability ε any arm, else an arm of the front that the estimates alone would give.
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
        // Any arm can be drawn, so no set of arms is the one that was drawn from.
        decision.front = moglb::Front::all(arms.n_arms());
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.model.learn(arm, reward)
    }
}

fn main() -> Result<(), Error> {
    let objectives =
        vec![Objective::new("quality", Link::Logit), Objective::new("cost", Link::Identity).minimize()];
    let problem = Problem::new(3, objectives)?;

    // The laws of policies hold for ours too.
    let make = || EpsilonGreedy::new(problem.clone(), 0.1).expect("a fine problem");
    conformance::check_policy(&problem, make, |policy| policy.model.to_json());

    let arms = ArmSet::from_rows(&[[0.9, 0.1, 0.1], [0.1, 0.9, 0.1], [0.3, 0.3, 0.3], [0.1, 0.1, 0.9]])?;
    let (mut policy, mut rng) = (make(), draw::seeded(1));
    let mut pulls = [0; 4];
    for _ in 0..2000 {
        let decision = policy.decide(&arms, &mut rng)?;
        pulls[decision.arm.0] += 1;
        let x = arms.context(decision.arm.0);
        let good = draw::unit(&mut rng) < Link::Logit.mean(x[0] + 0.5 * x[1]);
        policy.learn(arms.arm(decision.arm), &[f64::from(u8::from(good)), 0.8 * x[0]])?;
    }
    println!("pulls of the four arms: {pulls:?}");
    Ok(())
}
