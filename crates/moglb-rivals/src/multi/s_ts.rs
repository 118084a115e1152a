//! S-TS: Thompson sampling of a scalarized reward (Yahyaa and Manderick, ESANN 2015).
//!
//! A mean is drawn for each arm and objective from its beta posterior, and the arm with the largest
//! scalarized mean is played. If there is a set of weight vectors, the one to use is drawn uniformly first.

use super::MultiScratch;
use super::beta_posteriors::BetaPosteriors;
use super::scalarization::{Scalarizer, Weights};
use moglb_core::arm_stats::ArmStats;
use moglb_core::decision::Workspace;
use moglb_core::describe::policy;
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Policy, Problem, Scalarization, Scale};
use moglb_math::{Error, draw};
use rand_core::Rng;

policy! {
    id: "s-ts",
    name: "S-TS",
    source: "Yahyaa, Manderick: Thompson sampling for multi-objective multi-armed bandits problem, ESANN \
             2015",
    setting: "no contexts, one fixed arm set, one weight vector or a set of them",
    guarantee: "none published; no front",
    cost: "O(K·m) beta draws",
    departures: "All weight vectors share the posteriors: when a reward is learned, the drawn weight vector \
                 is not known, and a reward vector has the same information for all of them. Chebyshev \
                 scalarization is ours. Rewards are mapped to [0, 1]; rewards between 0 and 1 are added to \
                 the beta parameters as fractions. Probabilities are exact given the drawn weights and \
                 means.",
    parameters: struct STsConfig of STs {
        weights: Option<Vec<f64>> = None => "equal",
            "one nonnegative number per objective, scaled to sum one";
        weight_set: Option<Vec<Vec<f64>>> = None => "none",
            "several weight vectors instead of one; in each round one of them is drawn uniformly and used";
        spread: Option<usize> = None => "none",
            "h: the set of all weight vectors whose entries are multiples of 1/h";
        scalarization: Scalarization = Scalarization::default() => "linear",
            "linear, Σ wᵢyᵢ; or chebyshev, the least wᵢ(yᵢ − zᵢ)";
        reference: Option<Vec<f64>> = None => "the worst of each range",
            "the reference point z of chebyshev, a reward for each objective";
    }
}

/// Thompson sampling of a scalarized reward. It has no front: it plays the best arm for its weights.
///
/// ```
/// use moglb::{ArmSet, Link, Objective, Policy, Problem, STs, STsConfig, draw};
///
/// let objectives = ["click", "view"].map(|name| Objective::new(name, Link::Logit));
/// let config = STsConfig { weights: Some(vec![3.0, 1.0]), ..Default::default() };
/// let mut policy = STs::new(Problem::new(1, objectives.to_vec())?.with_arms(2)?, config)?;
/// let arms = ArmSet::from_rows(&[[0.1], [0.2]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0, 0.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct STs {
    problem: Problem,
    config: STsConfig,
    scalarizers: Vec<Scalarizer>,
    posteriors: BetaPosteriors,
}

impl STs {
    /// Creates the policy before the first round: Beta(1, 1) everywhere.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`], [`Error::Weights`], [`Error::Parameters`], or [`Error::RewardLength`] or
    /// [`Error::NotFinite`] for a reference.
    pub fn new(problem: Problem, config: STsConfig) -> Result<Self, Error> {
        let STsConfig { weights, weight_set, spread, scalarization, reference } = &config;
        let weights = Weights { single: weights.as_ref(), set: weight_set.as_ref(), spread: *spread };
        let given = weights.given(problem.n_objectives())?;
        let scalarizers = Scalarizer::all(&problem, *scalarization, &given, reference.as_ref())?;
        let posteriors = BetaPosteriors::new(&problem, INFO.id)?;
        Ok(Self { problem, scalarizers, posteriors, config })
    }
}

impl Policy for STs {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = true;
        decision.front.clear();
        self.posteriors.report(self.problem.objectives(), decision);
        let scalarizer = &self.scalarizers[draw::below(self.scalarizers.len(), rng)];
        let Workspace { scores, scratch, .. } = &mut decision.work;
        let MultiScratch { table: samples, .. } = scratch.of();
        self.posteriors.draw_into(rng, samples);
        scores.reshape(arms.n_arms(), 1);
        for arm in 0..arms.n_arms() {
            scores.row_mut(arm)[0] = scalarizer.scalarize(samples.row(arm), 1.0);
        }
        decision.draw_the_best(rng);
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

saved!(STs: STsConfig => ArmStats, posteriors);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::saved::SavedPart;
    use moglb_core::{Link, Objective};
    use moglb_pareto::ArmId;

    fn policy(config: STsConfig) -> STs {
        let objectives = vec![Objective::new("a", Link::Logit), Objective::new("b", Link::Logit).minimize()];
        STs::new(Problem::new(1, objectives).unwrap().with_arms(3).unwrap(), config).unwrap()
    }

    /// Two arms are good in one objective each, and one arm is bad in both. With two weight vectors, each of
    /// the first two arms is played half of the time in the end.
    #[test]
    fn each_weight_vector_plays_its_best_arm() {
        let arms = ArmSet::from_rows(&[[0.1], [0.2], [0.3]]).unwrap();
        let means = [[0.9, 0.9], [0.1, 0.1], [0.2, 0.8]];
        let weight_set = Some(vec![vec![1.0, 0.0], vec![0.0, 1.0]]);
        let (mut policy, mut rng) = (policy(STsConfig { weight_set, ..Default::default() }), draw::seeded(1));
        let mut plays = [0; 3];
        for t in 0..4000 {
            let decision = policy.decide(&arms, &mut rng).unwrap();
            assert!(decision.given_sample && decision.probabilities[decision.arm.0] == 1.0);
            plays[decision.arm.0] += usize::from(t >= 2000);
            let reward = means[decision.arm.0].map(|mean| f64::from(u8::from(draw::unit(&mut rng) < mean)));
            policy.learn(arms.arm(decision.arm), &reward).unwrap();
        }
        // 2000 rounds at ½ have a standard deviation of 22. The third arm is hardly ever sampled as the best.
        assert!(plays[..2].iter().all(|&n| (880..=1120).contains(&n)) && plays[2] < 20, "{plays:?}");
        assert_eq!(policy.posteriors.state().rounds(), 4000);
        assert!(policy.posteriors.state().count(ArmId(2).0) > 0, "it was explored");
    }
}
