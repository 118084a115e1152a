//! Every policy of the library keeps the laws of `Policy`, and the check of these laws detects policies that
//! do not.

use crate::common::problems::{self, Sizes};
use moglb::conformance::check_policy;
use moglb::{
    Arm, ArmId, ArmSet, Decision, Direction, Error, IDENTIFIERS, LearnsBy, Link, Objective, POLICIES, Policy,
    PolicyConfig, Problem, Random, RandomConfig, Rng, draw,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Configurations other than the defaults.
const CONFIGS: &[&str] = &[
    r#"{"id":"moglb-ucb"}"#,
    r#"{"id":"moglb-ucb","width":"proved"}"#,
    r#"{"id":"moglb-ucb","width":"tightened","delta":0.2,"kappa":"per-objective"}"#,
    r#"{"id":"moglb-ucb","c":1.0,"lambda":5.0}"#,
    r#"{"id":"p-ucb"}"#,
    r#"{"id":"p-ucb","front_size":1}"#,
    r#"{"id":"s-ucb"}"#,
    r#"{"id":"p-ts"}"#,
    r#"{"id":"random"}"#,
    r#"{"id":"ekf-ucb"}"#,
    r#"{"id":"ekf-ucb","lambda":0.5,"c":1.0,"objective":0}"#,
    r#"{"id":"moglb-eb"}"#,
    r#"{"id":"moglb-eb","threshold":0.5,"samples":3}"#,
    r#"{"id":"oful","switch":0.5,"scale":0.1}"#,
    r#"{"id":"oful","target":0,"lambda":3.0}"#,
    r#"{"id":"pcz","scale":0.03,"lipschitz":2.0}"#,
    r#"{"id":"contextual-zooming","scale":0.03,"lipschitz":2.0}"#,
    r#"{"id":"zooming","scale":0.05}"#,
    r#"{"id":"hoo","scale":0.1,"lipschitz":5.0}"#,
    r#"{"id":"query-ad-clustering","scale":0.1,"lipschitz":5.0}"#,
    r#"{"id":"lin-ucb","scale":0.1,"lambda":0.2}"#,
    r#"{"id":"lin-ucb-hybrid","scale":0.1,"lambda":4.0}"#,
    r#"{"id":"lin-ts","scale":0.0}"#,
    r#"{"id":"lin-rel","scale":0.1,"horizon":20}"#,
    r#"{"id":"sup-lin-rel","scale":0.05,"horizon":200}"#,
    r#"{"id":"exp3","gamma":1.0}"#,
    r#"{"id":"exp4","experts":1,"gamma":0.01}"#,
    r#"{"id":"epoch-greedy","c":20.0,"experts":3}"#,
    r#"{"id":"mo-ks","rewards":"adversarial","horizon":50}"#,
    r#"{"id":"mo-us","c":1e-6,"alpha":1.0}"#,
    r#"{"id":"s-ucb","spread":3}"#,
    r#"{"id":"s-ucb","spread":2,"scalarization":"chebyshev"}"#,
    r#"{"id":"s-ts","spread":3,"scalarization":"chebyshev"}"#,
    r#"{"id":"mol-ts","scale":0.1,"samples":2}"#,
    r#"{"id":"moslb-pl","levels":[[0]],"scale":0.1,"epsilon":10.0}"#,
    r#"{"id":"moslb-pc","scale":0.1,"epsilon":10.0}"#,
    r#"{"id":"stlo","epsilon":100.0,"scale":0.5}"#,
    r#"{"id":"mtlo","scale":0.0,"lam":0.5,"horizon":50}"#,
    r#"{"id":"hypervolume-ucb","scale":0.1,"lambda":2.0}"#,
    r#"{"id":"mo-ogde","delta":1.0}"#,
    r#"{"id":"fair-moglb-ucb","period":20,"proved":true}"#,
    r#"{"id":"moglb-ucb","discount":0.99}"#,
    r#"{"id":"ekf-ucb","discount":0.99}"#,
    r#"{"id":"moglb-eb","discount":0.99}"#,
];

/// Every policy with its defaults, and the other configurations.
pub fn every_config() -> Vec<String> {
    let defaults = POLICIES.iter().map(|info| format!(r#"{{"id":"{}"}}"#, info.id));
    defaults.chain(CONFIGS.iter().copied().map(String::from)).collect()
}

/// Problems of several sizes with mixed links and both directions; one arm, one feature and one objective are
/// among them.
fn all_problems() -> Vec<Problem> {
    let mixed = vec![
        Objective::new("click", Link::Logit),
        Objective::new("view", Link::Probit).minimize(),
        Objective::new("cost", Link::Identity).minimize().range(-3.0, 5.0),
        Objective::new("count", Link::Log),
    ];
    let mut all = vec![
        Problem::new(4, mixed).unwrap().with_arms(9).unwrap(),
        Problem::new(1, vec![Objective::new("y", Link::Identity)]).unwrap().with_arms(1).unwrap(),
    ];
    for seed in 0..6 {
        let mut rng = draw::seeded(500 + seed);
        let sizes = Sizes {
            dim: 1 + draw::below(8, &mut rng),
            objectives: 1 + draw::below(5, &mut rng),
            arms: 0,
            seed,
        };
        let problem = problems::problem(sizes, &mut rng);
        all.push(problem.with_arms(2 + draw::below(18, &mut rng)).unwrap());
    }
    let down = |p: &Problem| p.objectives().iter().any(|o| o.direction == Direction::Minimize);
    assert!(all.iter().filter(|p| down(p)).count() >= 3);
    all
}

#[test]
fn every_policy_keeps_the_laws() {
    let mut learn_parts = 0;
    for text in every_config() {
        let config: PolicyConfig = serde_json::from_str(&text).unwrap();
        for problem in all_problems() {
            learn_parts += u32::from(config.build(&problem).unwrap().facts().learns_parts);
            let make = || config.build(&problem).unwrap();
            check_policy(&problem, make, |policy| (policy.to_json(), policy.to_bytes()));
        }
    }
    // The policy's own `learn_part` was checked, not the default of the trait.
    assert!(learn_parts >= 80, "only {learn_parts} policies declare that they learn parts");
}

/// The description of a policy matches its behavior: ids are unique, and every parameter has the stated
/// default.
#[test]
fn every_policy_is_described_as_it_is() {
    let problem = all_problems().swap_remove(0);
    for (k, info) in POLICIES.iter().enumerate() {
        assert!(
            POLICIES[..k].iter().all(|other| other.id != info.id && other.name != info.name),
            "{}",
            info.id
        );
        let config: PolicyConfig = serde_json::from_str(&format!(r#"{{"id":"{}"}}"#, info.id)).unwrap();
        assert_eq!(config.id(), info.id);
        let policy = config.build(&problem).unwrap();
        assert_eq!(
            policy.decide(&some_arms(&problem), &mut draw::seeded(1)).unwrap().front.is_empty(),
            !info.has_front,
            "{}",
            info.id
        );
        let written = serde_json::to_value(&config).unwrap();
        for (name, value) in written.as_object().unwrap().iter().filter(|(name, _)| *name != "id") {
            let stated = info.parameters.iter().find(|parameter| parameter.name == name);
            let stated = stated.unwrap_or_else(|| panic!("{}: {name} is not described", info.id)).default;
            let shown = value.as_f64().map(|number| number.to_string()).or(value.as_str().map(String::from));
            if let Some(shown) = shown {
                assert_eq!(shown, stated, "{}: default of {name}", info.id);
            }
        }
    }
}

/// The description of a policy states where the code departs from its source.
#[test]
fn known_departures_are_stated() {
    let policies = POLICIES.iter().map(|info| (info.id, info.departures));
    let identifiers = IDENTIFIERS.iter().map(|info| (info.id, info.departures));
    let all: Vec<(&str, &str)> = policies.chain(identifiers).collect();
    for (id, words) in [
        ("oful", "S, which the source takes as known, is D times the largest slope of the link"),
        ("glm-ucb", "R_max is the length of the range of rewards"),
        ("auer", "Rounds in which 2β is above 1 + ε₀ are sampled without being tested"),
        ("ol2m", "⌈2·log₂ t⌉, is 0 at t = 1, which would give log 0: there it is taken as 1"),
        ("mo-ks", "γ = 1.05·√(K·log K/T), is limited to 1"),
        ("ofu-glb", "so the passes of a decision are limited. Once they are used up"),
    ] {
        let (_, departures) = all.iter().find(|(other, _)| *other == id).unwrap();
        assert!(departures.contains(words), "{id}: {departures}");
    }
}

/// For every policy of the registry: a field that it does not have is refused, and for a policy with a target
/// every impossible target too.
#[test]
fn every_policy_refuses_unknown_fields_and_impossible_targets() {
    let objectives = ["a", "b"].map(|name| Objective::new(name, Link::Logit)).to_vec();
    let problem = Problem::new(2, objectives).unwrap().with_arms(3).unwrap();
    let mut with_target = 0;
    for info in POLICIES {
        let read =
            |more: &str| serde_json::from_str::<PolicyConfig>(&format!(r#"{{"id":"{}",{more}}}"#, info.id));
        assert!(read(r#""no_such_field":1"#).is_err(), "{} takes any field", info.id);
        if !info.parameters.iter().any(|parameter| parameter.name == "target") {
            assert!(read(r#""target":0"#).is_err(), "{} takes a target that it does not describe", info.id);
            continue;
        }
        with_target += 1;
        for bad in ["-1", "0.5", r#""a""#, "null", "[[1.0]]", "{}"] {
            assert!(read(&format!(r#""target":{bad}"#)).is_err(), "{} reads the target {bad}", info.id);
        }
        let refused = |target: &str| read(&format!(r#""target":{target}"#)).unwrap().build(&problem).err();
        let unknown = Some(Error::UnknownObjective { got: 2, n_objectives: 2 });
        assert_eq!(refused("2"), unknown, "{}", info.id);
        for bad in ["[]", "[1.0]", "[1.0,1.0,1.0]", "[0.0,0.0]", "[-1.0,2.0]"] {
            let got = refused(bad);
            assert!(matches!(got, Some(Error::Weights { .. })), "{} with target {bad}: {got:?}", info.id);
        }
    }
    assert!(with_target >= 28, "only {with_target} policies have a target");
}

fn some_arms(problem: &Problem) -> ArmSet<'static> {
    let row = |k: usize| vec![0.1 * (k + 1) as f64 / problem.dim() as f64; problem.dim()];
    ArmSet::from_rows(&(0..problem.n_arms().unwrap()).map(row).collect::<Vec<_>>()).unwrap()
}

/// Policies that keep no statistics per arm take arm sets of any size.
#[test]
fn the_number_of_arms_may_be_left_open() {
    let problem = Problem::new(3, vec![Objective::new("y", Link::Logit)]).unwrap();
    for info in POLICIES {
        let config: PolicyConfig = serde_json::from_str(&format!(r#"{{"id":"{}"}}"#, info.id)).unwrap();
        match config.build(&problem) {
            Ok(policy) => {
                assert_eq!(
                    policy.facts().learns_by,
                    LearnsBy::Context,
                    "{} learns by arms of any number",
                    info.id
                );
                let make = || config.build(&problem).unwrap();
                check_policy(&problem, make, |policy| policy.to_bytes());
            }
            Err(error) => assert_eq!(error, Error::ArmCountNeeded { policy: info.id }),
        }
    }
    for id in ["p-ucb", "s-ucb", "p-ts"] {
        let config: PolicyConfig = serde_json::from_str(&format!(r#"{{"id":"{id}"}}"#)).unwrap();
        assert!(matches!(config.build(&problem), Err(Error::ArmCountNeeded { .. })), "{id}");
    }
}

/// The fault of a broken policy.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    /// Counts the round, then refuses the reward.
    LearnsBeforeRefusing,
    /// Returns probabilities that add up to less than one.
    ProbabilitiesTooSmall,
    /// Draws from its own generator, which all policies share.
    IgnoresTheSeed,
    /// Always plays the first arm, but reports a uniform draw.
    LiesAboutProbabilities,
    /// Counts decisions in its state.
    DecidingChangesState,
    /// Accepts any reward.
    AcceptsAnyReward,
    /// Learns nothing.
    ForgetsEverything,
    /// Learns from the position of an arm, but does not declare it.
    LearnsThePosition,
    /// Accepts any arms as fixed.
    FixesAnyArms,
    /// Counts a round when it refuses to fix arms.
    ChangesWhenArmsAreRefused,
    /// Learns from an incomplete reward, but does not declare it.
    LearnsPartsUnsaid,
    /// Counts a reward twice if it is received in parts.
    CountsPartsTwice,
}

static OWN_STREAM: AtomicU64 = AtomicU64::new(0);

/// The uniform control with a fault.
struct Broken {
    inner: Random,
    problem: Problem,
    fault: Fault,
    rounds: u64,
    decisions: AtomicU64,
}

impl Policy for Broken {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.inner.decide_into(arms, rng, decision)?;
        self.decisions.fetch_add(1, Ordering::Relaxed);
        match self.fault {
            Fault::ProbabilitiesTooSmall => decision.probabilities[0] *= 0.5,
            Fault::IgnoresTheSeed => {
                let mut own = draw::seeded(OWN_STREAM.fetch_add(1, Ordering::Relaxed));
                decision.arm = ArmId(draw::below(arms.n_arms(), &mut own));
            }
            Fault::LiesAboutProbabilities => decision.arm = ArmId(0),
            _ => {}
        }
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        let fits = self.problem.check_play(arm, reward);
        if fits.is_ok() || self.fault == Fault::LearnsBeforeRefusing {
            self.rounds += match self.fault {
                Fault::ForgetsEverything => 0,
                Fault::LearnsThePosition => 1 + arm.id().0 as u64,
                _ => 1,
            };
        }
        if self.fault == Fault::AcceptsAnyReward { Ok(()) } else { fits }
    }

    fn learn_part(&mut self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
        self.problem.check_part(arm, reward)?;
        match reward.iter().copied().collect::<Option<Vec<f64>>>() {
            Some(whole) => self.learn(arm, &whole),
            None if self.fault == Fault::LearnsPartsUnsaid => Ok(()),
            None => Err(Error::WholeRewards),
        }?;
        self.rounds += u64::from(self.fault == Fault::CountsPartsTwice);
        Ok(())
    }

    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        let fits = self.inner.fix_arms(arms);
        if fits.is_err() && self.fault == Fault::ChangesWhenArmsAreRefused {
            self.rounds += 1;
        }
        if self.fault == Fault::FixesAnyArms { Ok(()) } else { fits }
    }
}

fn is_noticed(fault: Fault) -> bool {
    let problem = all_problems().remove(0);
    // In a box, as the policies of the registry are: a box must forward the methods of its policy, not use
    // the defaults.
    let make = || {
        Box::new(Broken {
            inner: Random::new(problem.clone(), RandomConfig {}).unwrap(),
            problem: problem.clone(),
            fault,
            rounds: 0,
            decisions: AtomicU64::new(0),
        })
    };
    let check = || {
        check_policy(&problem, make, |policy| match policy.fault {
            Fault::DecidingChangesState => policy.rounds + policy.decisions.load(Ordering::Relaxed),
            _ => policy.rounds,
        });
    };
    catch_unwind(AssertUnwindSafe(check)).is_err()
}

/// Negative controls: a check that never fails checks nothing.
#[test]
fn the_check_notices_broken_policies() {
    assert!(!is_noticed(Fault::None), "a sound policy was called broken");
    let faults = [
        Fault::LearnsBeforeRefusing,
        Fault::ProbabilitiesTooSmall,
        Fault::IgnoresTheSeed,
        Fault::LiesAboutProbabilities,
        Fault::DecidingChangesState,
        Fault::AcceptsAnyReward,
        Fault::ForgetsEverything,
        Fault::LearnsThePosition,
        Fault::FixesAnyArms,
        Fault::ChangesWhenArmsAreRefused,
        Fault::LearnsPartsUnsaid,
        Fault::CountsPartsTwice,
    ];
    let missed: Vec<Fault> = faults.into_iter().filter(|&fault| !is_noticed(fault)).collect();
    assert!(missed.is_empty(), "check_policy passes policies with these faults: {missed:?}");
}
