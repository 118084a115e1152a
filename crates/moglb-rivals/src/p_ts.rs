//! P-TS: Pareto Thompson sampling (Yahyaa and Manderick, ESANN 2015).

use crate::multi::beta_posteriors::BetaPosteriors;
use moglb_core::arm_stats::ArmStats;
use moglb_core::describe::policy;
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Policy, Problem, Scale};
use moglb_math::Error;
use rand_core::Rng;

policy! {
    id: "p-ts",
    name: "P-TS",
    source: "Yahyaa, Manderick: Thompson sampling for multi-objective multi-armed bandits problem, ESANN \
             2015",
    setting: "no contexts, one fixed arm set",
    guarantee: "none published",
    cost: "O(K·m) beta draws + front",
    has_front: true,
    departures: "Rewards are mapped to [0, 1]; rewards between 0 and 1 are added to the beta parameters as \
                 fractions. Probabilities are exact given the sampled means; over repeated decisions they \
                 have no closed form.",
    parameters: struct PTsConfig of PTs {}
}

/// Pareto Thompson sampling: for each arm and objective a mean is drawn independently from its beta
/// posterior, and the arm is drawn uniformly from the front of the sampled vectors.
///
/// ```
/// use moglb::{ArmSet, Link, Objective, PTs, PTsConfig, Policy, Problem, draw};
///
/// let objectives = ["click", "view"].map(|name| Objective::new(name, Link::Logit));
/// let problem = Problem::new(1, objectives.to_vec())?.with_arms(2)?;
/// let mut policy = PTs::new(problem, PTsConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.1], [0.2]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// assert!(decision.given_sample && decision.front.contains(decision.arm));
/// policy.learn(arms.arm(decision.arm), &[1.0, 0.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PTs {
    problem: Problem,
    config: PTsConfig,
    posteriors: BetaPosteriors,
}

impl PTs {
    /// Creates the policy before the first round: Beta(1, 1) everywhere.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`].
    pub fn new(problem: Problem, config: PTsConfig) -> Result<Self, Error> {
        let posteriors = BetaPosteriors::new(&problem, INFO.id)?;
        Ok(Self { problem, config, posteriors })
    }
}

impl Policy for PTs {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        self.posteriors.draw_into(rng, &mut decision.work.scores);
        self.posteriors.report(self.problem.objectives(), decision);
        decision.find_front();
        decision.given_sample = true;
        decision.draw_from_front(arms.n_arms(), rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.posteriors.add(arm, reward, self.problem.objectives());
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Arm, scale: Scale::Mean, ..Facts::default() }
    }
}

saved!(PTs: PTsConfig => ArmStats, posteriors);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_math::draw;
    use moglb_pareto::ArmId;

    #[test]
    fn the_posterior_counts_successes_and_failures() {
        let problem = Problem::new(1, vec![Objective::new("a", Link::Logit)]).unwrap().with_arms(2).unwrap();
        let arms = ArmSet::from_rows(&[[0.1], [0.2]]).unwrap();
        let mut policy = PTs::new(problem, PTsConfig {}).unwrap();
        for y in [1.0, 0.0, 1.0, 0.25] {
            policy.learn(arms.arm(ArmId(1)), &[y]).unwrap();
        }
        assert_eq!(policy.posteriors.posterior(0, 0), (1.0, 1.0));
        assert_eq!(policy.posteriors.posterior(1, 0), (3.25, 2.75));
        let decision = policy.decide(&arms, &mut draw::seeded(3)).unwrap();
        assert!(decision.given_sample);
        assert_eq!(decision.estimates.as_slice(), [0.5, 3.25 / 6.0]);
    }
}
