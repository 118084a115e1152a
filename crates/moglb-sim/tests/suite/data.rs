//! Environments over the data of this repository.

use moglb::{Arm, ArmId, ArmSet, Decision, Error, Policy, PolicyConfig, Problem, Restorable, Rng};
use moglb_data::Layout;
use moglb_sim::{
    Acceptance, DataConfig, Environment, EnvironmentConfig, LogWorld, Namespace, Noise, Plan, Rewards,
    SimError, Streams,
};
use std::path::PathBuf;

fn data(folder: &str, problem: &str) -> DataConfig {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data").join(folder);
    DataConfig::new(path, problem)
}

fn streams(trial: usize) -> Streams {
    Streams::new(1, Namespace::Report, 1, trial)
}

fn instance(config: DataConfig, trial: usize) -> Box<dyn Environment> {
    EnvironmentConfig::Data(config.into()).instance(streams(trial)).unwrap()
}

fn random(problem: &Problem) -> Box<dyn Restorable> {
    serde_json::from_str::<PolicyConfig>(r#"{ "id": "random" }"#).unwrap().build(problem).unwrap()
}

/// The rewards of arm 0 in each round of a trial.
fn played(config: &DataConfig, trial: usize, rounds: u64) -> Vec<Vec<f64>> {
    let world = instance(config.clone(), trial);
    let mut noise = Noise::new(streams(trial), &*world).unwrap();
    let mut reward = Vec::new();
    let mut pull = |t| {
        noise.pull(world.problem(), &world.stage(t).unwrap(), ArmId(0), t, &mut reward);
        reward.clone()
    };
    (1..=rounds).map(&mut pull).collect()
}

/// The expected values are from `baselines.json`: front 22, mean gap of a random arm 0.060152, largest
/// 0.26426.
#[test]
fn fixed_arms_have_the_means_and_gaps_of_their_table() {
    let world = instance(data("sw-config", "x264"), 0);
    let stage = world.stage(1).unwrap();
    assert_eq!((stage.arms.n_arms(), stage.arms.dim(), stage.front.len()), (4608, 18, 22));
    let mean = stage.gaps.iter().sum::<f64>() / stage.gaps.len() as f64;
    assert!((mean - 0.060152).abs() < 1e-6, "{mean}");
    let largest = stage.gaps.iter().copied().fold(0.0, f64::max);
    assert!((largest - 0.26426).abs() < 1e-6, "{largest}");
    assert!(world.has_fixed_arms());
}

/// The mean of 20 000 rewards is off by more than five standard errors with chance 6e-7. There are four
/// means.
#[test]
fn noise_on_fixed_arms_has_the_mean_of_the_table_and_stays_in_range() {
    for noise in [None, Some(0.1)] {
        let config = DataConfig { noise, ..data("sw-config", "x264") };
        let world = instance(config.clone(), 0);
        let rewards = played(&config, 0, 20_000);
        for (i, objective) in world.problem().objectives().iter().enumerate() {
            let (low, high) = objective.rewards();
            assert!(rewards.iter().all(|y| (low..=high).contains(&y[i])));
            let n = rewards.len() as f64;
            let mean = rewards.iter().map(|y| y[i]).sum::<f64>() / n;
            let variance = rewards.iter().map(|y| (y[i] - mean) * (y[i] - mean)).sum::<f64>() / n;
            let truth = world.stage(1).unwrap().means.row(0)[i];
            assert!((mean - truth).abs() < 5.0 * (variance / n).sqrt(), "{mean} for {truth}");
            if let Some(noise) = noise {
                assert!((variance.sqrt() - noise).abs() < 0.005, "{variance}");
            }
        }
    }
}

#[test]
fn replay_shows_every_round_once_with_the_rewards_of_the_table() {
    let config = data("llm-routing", "k4");
    let (first, second) = (played(&config, 0, 3559), played(&config, 1, 3559));
    assert_ne!(first, second, "trials have orders of their own");
    assert_eq!(first, played(&config, 0, 3559), "the same trial is the same");
    let quality = first.iter().map(|y| y[0]).sum::<f64>() / 3559.0;
    assert!((quality - 0.792061).abs() < 1e-6, "{quality}");
    let sorted = |mut all: Vec<Vec<f64>>| {
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        all
    };
    assert_eq!(sorted(first), sorted(second));
    let world = instance(config, 0);
    assert!(matches!(world.stage(3560), Err(SimError::RoundsUsedUp { available: 3559, asked: 3560 })));
}

/// The split `test` has its own mean qualities: 0.794504 for arm 0.
#[test]
fn splits_are_played_one_after_the_other() {
    let config = DataConfig { splits: Some(vec!["val".into(), "test".into()]), ..data("llm-routing", "k4") };
    let rewards = played(&config, 0, 3559);
    let mean = rewards[1766..].iter().map(|y| y[0]).sum::<f64>() / 1793.0;
    assert!((mean - 0.794504).abs() < 1e-6, "{mean}");
}

/// Every stage of every layout is a valid arm set, so no vector is longer than 1.
#[test]
fn all_layouts_give_vectors_of_norm_at_most_one() {
    for (features, dim) in
        [(Layout::Additive, 29), (Layout::Shared, 104), (Layout::Block, 156), (Layout::Hybrid, 185)]
    {
        let config = DataConfig { features: Some(features), ..data("ist-stroke", "ist") };
        let log = LogWorld::new(&config).unwrap();
        assert_eq!(log.problem().dim(), dim);
        let mut policy = random(log.problem());
        log.replay(&mut *policy, Acceptance::Weighting, streams(0)).unwrap();
    }
}

/// The model is the truth. Means depend on the trial only through the round that is drawn, and rewards are
/// 0 or 1.
#[test]
fn fitted_rewards_have_exact_means() {
    let config = DataConfig {
        features: Some(Layout::Shared),
        rewards: Rewards::Fitted,
        pseudo_rounds: Some(104.0),
        ..data("ist-stroke", "ist")
    };
    let world = instance(config.clone(), 0);
    let mut sum = [0.0; 4];
    let rounds = 4000;
    for t in 1..=rounds {
        let stage = world.stage(t).unwrap();
        assert!(stage.means.as_slice().iter().all(|mean| (0.0..=1.0).contains(mean)));
        sum.iter_mut().zip(stage.means.row(0)).for_each(|(sum, mean)| *sum += mean);
    }
    assert_eq!(*world.stage(7).unwrap(), *instance(config.clone(), 0).stage(7).unwrap());
    let rewards = played(&config, 0, rounds);
    assert!(rewards.iter().flatten().all(|&y| y == 0.0 || y == 1.0));
    // The expected values are of "avoid both", from the README. The means of a logit model with
    // interactions are close to those of the log. Patients are drawn, so that a mean is off by √(p(1 −
    // p)/4000) ≤ 0.008.
    for (sum, expected) in sum.iter().zip([0.90617, 0.36537, 0.95568, 0.99296]) {
        let mean = sum / rounds as f64;
        assert!((mean - expected).abs() < 0.03, "{mean} for {expected}");
    }
}

/// The 44 patients with a stroke of another type than the four who did not get medium heparin alone were
/// all alive after 14 days. With terms for types and treatments the likelihood therefore has no finite
/// maximum.
#[test]
fn a_separated_log_is_told_with_a_way_out() {
    let config =
        DataConfig { features: Some(Layout::Shared), rewards: Rewards::Fitted, ..data("ist-stroke", "ist") };
    let error = EnvironmentConfig::Data(config.into()).problem().unwrap_err().to_string();
    assert!(error.contains("`y_alive14`: the rewards are separated"), "{error}");
    assert!(
        error.contains("moves 44 rows") && error.contains("with pseudo_rounds there is a maximum"),
        "{error}"
    );
}

/// Plays always the same arm.
struct Always(usize);

impl Policy for Always {
    fn decide_into(&self, arms: &ArmSet, _: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        decision.arm = ArmId(self.0);
        decision.probabilities.clear();
        decision.probabilities.extend((0..arms.n_arms()).map(|arm| f64::from(u8::from(arm == self.0))));
        Ok(())
    }

    fn learn(&mut self, _: Arm<'_>, _: &[f64]) -> Result<(), Error> {
        Ok(())
    }
}

/// The weighted value of "always k" is the mean of the arm over its 4828 rounds, as in `reference_ope.csv`.
#[test]
fn weighting_gives_one_arm_its_mean_in_the_log() {
    let log = LogWorld::new(&data("ist-stroke", "ist")).unwrap();
    let replay = log.replay(&mut Always(0), Acceptance::Weighting, streams(0)).unwrap();
    assert_eq!((replay.offered, replay.accepted), (19285, 4828));
    for ((value, error), (expected, expected_error)) in replay.values.iter().zip(&replay.std_errors).zip([
        (0.906172328, 0.0041965001),
        (0.365368683, 0.0069301523),
        (0.955675228, 0.0),
        (0.992957746, 0.0),
    ]) {
        assert!((value - expected).abs() < 1e-6, "{value} for {expected}");
        if expected_error > 0.0 {
            assert!((error - expected_error).abs() < 1e-5, "{error} for {expected_error}");
        }
    }
}

/// A policy that draws evenly agrees with a log in 1/6 of the rounds, and of these p_min/p = 1/2 or 1 are
/// accepted: 1/8 of all rounds, with the same chance for every arm. 2411 rounds are expected, and five
/// standard deviations are 230.
#[test]
fn rejection_lets_all_arms_through_alike() {
    let log = LogWorld::new(&data("ist-stroke", "ist")).unwrap();
    let mut policy = random(log.problem());
    let replay = log.replay(&mut *policy, Acceptance::Rejection, streams(0)).unwrap();
    assert!(replay.accepted.abs_diff(2411) < 230, "{}", replay.accepted);
    for pulls in &replay.pulls {
        assert!(pulls.abs_diff(402) < 100, "{:?}", replay.pulls);
    }
    assert!(matches!(LogWorld::new(&data("llm-routing", "k4")), Err(SimError::Entry { .. })));
}

/// Four models answer every prompt: policies know the number of arms, while the contexts change from prompt
/// to prompt.
#[test]
fn arms_that_stay_while_contexts_change_have_a_number() {
    let run = |policy: &str| {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/llm-routing");
        let text = format!(
            "horizon = 40\ntrials = 1\nenvironments = [{{ id = 'data', path = '{}', problem = 'k4' }}]\n\
             policies = [{{ id = '{policy}' }}]",
            path.display()
        );
        moglb_sim::run(&Plan::from_toml(&text).unwrap(), 1, None, &moglb_sim::Unwatched).map(|_| ())
    };
    for policy in ["p-ucb", "p-ts", "s-ucb", "lin-ucb", "ucb1"] {
        run(policy).unwrap();
    }
    for policy in ["fair-moglb-ucb", "exp4"] {
        let error = run(policy).unwrap_err().to_string();
        let expected = format!("{policy} on llm-routing/k4: the policy is for arms that stay the same");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn an_experiment_on_data_is_read_written_and_refused_with_reasons() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let text = |rest: &str| {
        format!(
            "environments = [{{ id = 'data', path = '{}/{rest} }}]\npolicies = [{{ id = 'random' }}]",
            folder.display()
        )
    };
    let good =
        text("llm-routing', problem = 'k4', features = 'hybrid', objectives = ['y_quality', 'y_cheap']");
    let experiment = Plan::from_toml(&good).unwrap();
    assert_eq!(Plan::from_toml(&experiment.experiment().to_toml().unwrap()).unwrap(), experiment);
    let run = &experiment.runs()[0];
    assert_eq!(
        (&*run.environment.name(), run.environment.dim(), run.environment.n_arms()),
        ("llm-routing/k4", 160, 4)
    );
    for (rest, expected) in [
        ("nowhere'", "nowhere: cannot be read"),
        ("llm-routing'", "name the problem, there are: k4, judges"),
        ("llm-routing', problem = 'k5'", "there is no problem `k5`"),
        ("llm-routing', problem = 'k4', features = 'shared'", "arms have no features"),
        ("llm-routing', problem = 'k4', objectives = ['y']", "there is no `y`, there are: y_quality"),
        ("llm-routing', problem = 'k4', noise = 0.1", "without noise"),
        ("llm-routing', problem = 'k4', splits = ['train']", "no round is in the split `train`"),
        ("llm-routing', problem = 'k4', splits = []", "the list is empty"),
        ("llm-routing', problem = 'k4', colour = 1", "unknown field `colour`"),
        ("ist-stroke'", "only `fitted` can be played"),
        ("sw-config', problem = 'vp9', noise = -1", "noise: must lie above 0 and up to 10, got -1"),
        ("sw-config', problem = 'vp9', noise = nan", "noise: must lie above 0 and up to 10, got NaN"),
        ("sw-config', problem = 'vp9', features = 'block'", "a block per arm goes with arms that stay"),
        ("sw-config', problem = 'vp9', splits = ['a']", "the rounds have no column `split`"),
        ("sw-config', problem = 'vp9', radius = -1", "radius"),
        ("sw-config', problem = 'vp9', rewards = 'fitted', pseudo_rounds = -1", "between 0 and 1e6, got -1"),
    ] {
        let error = Plan::from_toml(&text(rest)).expect_err(rest).to_string();
        assert!(error.contains(expected), "{rest}: {error}");
    }
}
