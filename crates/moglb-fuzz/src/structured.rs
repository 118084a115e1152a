//! Random sequences of all calls of a policy, compared with twins that were restored from its
//! snapshots.
//!
//! The bytes choose a problem, a policy with its parameters, and one call after another: decisions
//! on fixed and fresh arms, whole and partial rewards, valid and invalid ones, snapshots, changes
//! of the problem. The twins get the same calls and must return the same bits.

mod choices;

use crate::laws::{self, check_decision, outcome};
use crate::promise::{Promised, broken};
use arbitrary::Unstructured;
use choices::{any_arms, any_policy, any_problem, any_reward, good_reward, one_of};
use moglb::{
    ArmId, ArmSet, Decision, Error, Objective, PlayConfig, PolicyConfig, PolicySnapshot, Prior, Problem,
    Restorable, draw,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The largest number of calls in one sequence.
const MOST_STEPS: usize = 60;

/// The number of calls so far.
static STEPS: AtomicU64 = AtomicU64::new(0);

/// Returns the number of calls that this process has made so far.
pub fn steps_played() -> u64 {
    STEPS.load(Ordering::Relaxed)
}

/// Plays the sequence of calls that the bytes encode.
pub fn run(bytes: &[u8]) {
    let _ = sequence(&mut Unstructured::new(bytes));
}

fn sequence(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let Some(problem) = any_problem(u)? else { return Ok(()) };
    let Some(config) = any_policy(u, &problem)? else { return Ok(()) };
    let Ok(policy) = config.build(&problem) else { return Ok(()) };
    let n_arms = match problem.n_arms() {
        Some(n_arms) => n_arms,
        None => one_of(u, &[1, 2, 3, 5, 9])?,
    };
    let Some(arms) = any_arms(u, problem.dim(), n_arms)? else { return Ok(()) };
    let mut game = Game { policies: vec![policy], problem, config, arms: Arc::new(arms), seed: 0 };
    for _ in 0..MOST_STEPS {
        if u.is_empty() {
            break;
        }
        STEPS.fetch_add(1, Ordering::Relaxed);
        game.step(u)?;
    }
    game.same_bytes();
    Ok(())
}

/// A policy, which is the first one, and its twins.
struct Game {
    policies: Vec<Box<dyn Restorable>>,
    problem: Problem,
    config: PolicyConfig,
    arms: Arc<ArmSet<'static>>,
    seed: u64,
}

impl Game {
    /// Makes the next call.
    fn step(&mut self, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
        match u.int_in_range(0..=19u8)? {
            0..=3 => self.decide(&self.arms.clone()),
            4 => {
                let n_arms = one_of(u, &[self.arms.n_arms(), 1, 2, 40])?;
                let dim = one_of(u, &[self.problem.dim(), self.problem.dim(), 1, 2])?;
                if let Some(arms) = any_arms(u, dim, n_arms)? {
                    self.decide(&arms);
                }
            }
            5..=9 => {
                let arm = ArmId(u.choose_index(self.arms.n_arms())?);
                let reward = good_reward(u, &self.problem)?;
                self.learn(arm, &reward);
            }
            10 => {
                let arm = ArmId(u.choose_index(self.arms.n_arms())?);
                let reward = any_reward(u, &self.problem)?;
                self.learn(arm, &reward);
            }
            11 | 12 => self.learn_part(u)?,
            13 => self.fix_arms(u)?,
            14 => self.restore(),
            15 => self.begin_with_beliefs(),
            16 => self.change(u)?,
            17 => self.ask(u)?,
            18 => self.play(u)?,
            _ => self.decide_lean(),
        }
        Ok(())
    }

    /// Calls all policies and returns the result of the first one. The others must return the same.
    /// Errors are compared as text, because they can contain a NaN.
    fn all<T: PartialEq + std::fmt::Debug>(
        &mut self,
        call: impl Fn(&mut dyn Restorable) -> Result<T, Error>,
    ) -> Result<T, String> {
        let (first, twins) = self.policies.split_first_mut().expect("a policy");
        let call = |policy| call(policy).map_err(|error| error.to_string());
        let answer = call(&mut **first);
        for twin in twins {
            assert_eq!(call(&mut **twin), answer, "a twin of {}", self.config.id());
        }
        answer
    }

    /// Decides on some arms, and checks that this changes nothing that was learned.
    fn decide(&mut self, arms: &ArmSet) {
        self.seed += 1;
        let (seed, before) = (self.seed, self.policies[0].to_bytes());
        if let Ok(decision) = self.all(|policy| outcome(policy, arms, seed)) {
            check_decision(&decision, arms);
        }
        assert!(
            before == self.policies[0].to_bytes(),
            "{}: deciding changes what is learned",
            self.config.id()
        );
    }

    /// Decides without tables. The decision must be the same as with tables.
    fn decide_lean(&mut self) {
        self.seed += 1;
        let (seed, arms) = (self.seed, self.arms.clone());
        let Ok(whole) = outcome(&*self.policies[0], &arms, seed) else { return };
        let mut lean = Decision::lean();
        let decided = self.policies[0].decide_into(&arms, &mut draw::seeded(seed), &mut lean);
        decided.promised("a lean decision succeeds if a whole one does");
        let parts =
            |decision: &Decision| (decision.arm, decision.front.clone(), decision.probabilities.clone());
        assert_eq!(parts(&lean), parts(&whole), "{}: a lean decision differs", self.config.id());
    }

    fn learn(&mut self, arm: ArmId, reward: &[f64]) {
        let (arms, before) = (self.arms.clone(), self.policies[0].to_bytes());
        let rounds = self.policies[0].t();
        if self.all(|policy| policy.learn(arms.arm(arm), reward)).is_err() {
            self.is_unchanged(&before);
        } else {
            assert!(self.policies[0].t() >= rounds);
        }
    }

    fn learn_part(&mut self, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
        let arms = self.arms.clone();
        let arm = arms.arm(ArmId(u.choose_index(arms.n_arms())?));
        let whole =
            if u.ratio(1, 8)? { any_reward(u, &self.problem)? } else { good_reward(u, &self.problem)? };
        let mut part = Vec::new();
        for y in whole {
            part.push(if u.arbitrary()? { Some(y) } else { None });
        }
        let before = self.policies[0].to_bytes();
        if self.all(|policy| policy.learn_part(arm, &part)).is_err() {
            self.is_unchanged(&before);
        }
        Ok(())
    }

    /// Checks that the first policy still has these bytes.
    fn is_unchanged(&self, before: &[u8]) {
        assert!(
            before == self.policies[0].to_bytes(),
            "{}: a refused call changes the policy",
            self.config.id()
        );
    }

    fn fix_arms(&mut self, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
        let n_arms = one_of(u, &[self.arms.n_arms(), self.arms.n_arms(), 1, 3])?;
        let dim = one_of(u, &[self.problem.dim(), self.problem.dim(), self.problem.dim(), 2])?;
        let Some(arms) = any_arms(u, dim, n_arms)? else { return Ok(()) };
        let arms = Arc::new(arms);
        let fits = self.problem.check_arms(&arms);
        let before = self.policies[0].to_bytes();
        // Only the first policy: with fixed arms it must decide as its twins do without them.
        let fixed = self.policies[0].fix_arms(&arms);
        match (fits, fixed) {
            (Ok(()), Ok(())) => self.arms = arms,
            // A policy whose arms cannot change rejects other arms.
            (Ok(()), Err(error)) => assert_eq!(error.code(), "parameters", "{}: {error}", self.config.id()),
            (Err(error), fixed) => assert_eq!(fixed, Err(error), "{}", self.config.id()),
        }
        self.is_unchanged(&before);
        Ok(())
    }

    /// Replaces the twins by new ones, from the snapshot of the first policy.
    fn restore(&mut self) {
        let twins = laws::twins(&self.policies[0].snapshot());
        self.policies.truncate(1);
        self.policies.extend(twins);
    }

    /// Checks that all policies have the same bytes.
    fn same_bytes(&self) {
        let (first, twins) = self.policies.split_first().expect("a policy");
        let bytes = first.to_bytes();
        assert!(twins.iter().all(|twin| twin.to_bytes() == bytes), "{}: twins differ", self.config.id());
    }

    /// Checks that the beliefs of a policy are accepted as the prior of another policy. Proved
    /// widths accept bounds only, and beliefs are not bounds, so the other policy has a tuned
    /// width.
    fn begin_with_beliefs(&mut self) {
        let beliefs = self.policies[0].model().map_or_else(Vec::new, |model| model.beliefs());
        if beliefs.is_empty() {
            return;
        }
        let mut written = serde_json::to_value(&self.config).promised("parameters can be written");
        let Some(parameters) = written.as_object_mut().filter(|it| it.contains_key("lambda")) else { return };
        parameters.insert("prior".into(), serde_json::to_value(&beliefs).promised("numbers"));
        if parameters.remove("delta").is_some() {
            parameters.insert("width".into(), "tuned".into());
        }
        let Ok(config) = serde_json::from_value::<PolicyConfig>(written) else { return };
        if let Err(error) = config.build(&self.problem)
            && error.code() == "prior"
        {
            broken("a policy accepts its own beliefs", format!("{}: {error}\n{beliefs:?}", self.config.id()));
        }
    }

    /// Adds or removes objectives and arms, and plays the changed policy.
    fn change(&mut self, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
        let snapshot = self.policies[0].snapshot();
        let changed = match u.int_in_range(0..=2u8)? {
            0 => {
                let objective = Objective::new("new", moglb::Link::Logit);
                snapshot.with_objective(objective, Prior::none())
            }
            1 => snapshot.without_objective(u.int_in_range(0..=4usize)?),
            _ => {
                let mut kept = Vec::new();
                for _ in 0..u.int_in_range(0..=4usize)? {
                    kept.push(if u.arbitrary()? { Some(u.int_in_range(0..=5usize)?) } else { None });
                }
                snapshot.with_arms(&kept)
            }
        };
        if let Ok(changed) = changed {
            let id = self.config.id();
            let mut policy = PolicySnapshot::restore(changed)
                .unwrap_or_else(|error| broken("a changed policy is restored", format!("{id}: {error}")));
            laws::play(&mut *policy, 1);
        }
        Ok(())
    }

    /// Makes the calls that only read.
    fn ask(&mut self, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
        let (arms, before) = (self.arms.clone(), self.policies[0].to_bytes());
        let arm = arms.arm(ArmId(u.choose_index(arms.n_arms())?));
        let predicted = self.all(|policy| {
            let mut predictions = Vec::new();
            let answered = policy.model().is_some_and(|model| model.predict_into(arm, &mut predictions));
            Ok((answered, predictions))
        });
        assert!(predicted.is_ok_and(|(_, all)| all.iter().all(|(estimate, _)| estimate.is_finite())));
        let _ = self.all(|policy| Ok(policy.model().map_or(0, |model| model.projection_hits())));
        let mut counts = Vec::new();
        for _ in 0..self.problem.n_objectives() {
            counts.push(u.arbitrary()?);
        }
        counts[0] |= counts.iter().all(|counted| !counted);
        let weighed = self.all(|policy| {
            let mut decision = outcome(policy, &arms, 1)?;
            let weighed =
                policy.model().map_or(Ok(false), |model| model.weigh_by(&arms, &counts, &mut decision))?;
            Ok((weighed, decision))
        });
        if let Ok((true, decision)) = weighed {
            assert!(!decision.front.is_empty(), "{}: no front", self.config.id());
        }
        self.is_unchanged(&before);
        Ok(())
    }

    /// Makes one decision with a preference.
    fn play(&mut self, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
        let text = one_of(u, choices::PLAYS)?;
        let config: PlayConfig = serde_json::from_str(text).promised(text);
        let (Ok(play), arms) = (config.build(&self.problem), self.arms.clone()) else { return Ok(()) };
        self.seed += 1;
        let mut decision = Decision::default();
        let exposures = vec![1; self.problem.n_arms().unwrap_or(0)];
        let mut rng = draw::seeded(self.seed);
        if play.decide(&*self.policies[0], &arms, &exposures, &mut rng, &mut decision).is_ok() {
            check_decision(&decision, &arms);
        }
        Ok(())
    }
}
