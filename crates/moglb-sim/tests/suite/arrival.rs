//! Rewards that come late, in parts or never, in the play loop.

use moglb::{Arm, ArmSet, Decision, Error, Facts, Policy, Rng};
use moglb_sim::{
    Arrival, DelayLaw, EnvironmentConfig, Missing, Namespace, PaperConfig, Plan, Streams, Trace, Unwatched,
    checkpoints, play, run,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn environment(arrival: Option<Arrival>) -> EnvironmentConfig {
    EnvironmentConfig::Paper(PaperConfig { arrival, ..PaperConfig::new(4) })
}

fn trace(arrival: Option<Arrival>, policy: &str, horizon: u64) -> Trace {
    let (config, streams) = (environment(arrival), Streams::new(3, Namespace::Report, 4, 0));
    let policy: moglb::PolicyConfig = serde_json::from_str(policy).unwrap();
    let mut policy = policy.build(&config.problem().unwrap()).unwrap();
    let instance = config.instance(streams).unwrap();
    play(&*instance, &mut *policy, &checkpoints(horizon, 50), streams, &|_| true).unwrap()
}

/// Records each call of `learn` and `learn_part`: the number of rounds so far, and the reward.
#[derive(Default)]
struct Listener {
    decided: AtomicU64,
    heard: Vec<(u64, Vec<Option<f64>>)>,
    parts: bool,
}

impl Policy for Listener {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.decided.fetch_add(1, Ordering::Relaxed);
        let all: Vec<moglb::ArmId> = arms.iter().map(|arm| arm.id()).collect();
        decision.draw_from(&all, arms.n_arms(), rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.learn_part(arm, &reward.iter().map(|&y| Some(y)).collect::<Vec<_>>())
    }

    fn learn_part(&mut self, _: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
        self.heard.push((self.decided.load(Ordering::Relaxed), reward.to_vec()));
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_parts: self.parts, ..Facts::default() }
    }

    /// Does nothing: the default makes a decision, which would be counted as a round.
    fn fix_arms(&mut self, _: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        Ok(())
    }
}

/// The rewards that a listener received in 200 rounds, with the round of each.
fn heard(arrival: Arrival, parts: bool) -> Vec<(u64, Vec<Option<f64>>)> {
    let (config, streams) = (environment(Some(arrival)), Streams::new(3, Namespace::Report, 4, 0));
    let mut listener = Listener { parts, ..Listener::default() };
    let instance = config.instance(streams).unwrap();
    play(&*instance, &mut listener, &checkpoints(200, 10), streams, &|_| true).unwrap();
    listener.heard
}

#[test]
fn rewards_that_come_at_once_and_whole_are_those_of_before() {
    for policy in [r#"{"id":"moglb-ucb"}"#, r#"{"id":"moglb-eb"}"#, r#"{"id":"p-ucb"}"#] {
        let (mail, plain) = (trace(Some(Arrival::default()), policy, 300), trace(None, policy, 300));
        assert_eq!(
            (mail.pareto_regret, mail.fronts, mail.end),
            (plain.pareto_regret, plain.fronts, plain.end)
        );
    }
}

#[test]
fn a_fixed_delay_holds_every_reward_back_by_as_many_rounds() {
    let heard = heard(Arrival { delay: 30, ..Arrival::default() }, true);
    let rounds: Vec<u64> = heard.iter().map(|(round, _)| *round).collect();
    assert_eq!(rounds, (31..=200).collect::<Vec<u64>>());
    assert!(heard.iter().all(|(_, reward)| reward.iter().all(Option::is_some)));
}

/// Of 5 rewards in each of 200 rounds a tenth is missing. The bounds are 100 ± 5 standard errors (9.5
/// each), which a correct program leaves with chance 6e-7. The rewards that come are all rewards except the
/// lost ones and those still on their way.
#[test]
fn parts_come_apart_and_some_never() {
    let lossy = Arrival { delay: 10, law: DelayLaw::Geometric, apart: true, missing: Missing::All(0.1) };
    let parts = heard(lossy.clone(), true);
    let come: usize = parts.iter().map(|(_, reward)| reward.iter().flatten().count()).sum();
    assert!((1000 - 148 - 60..=1000 - 52).contains(&come), "{come}");
    assert!(parts.len() > 500, "{} deliveries", parts.len());
    let whole = heard(lossy, false);
    assert!(whole.iter().all(|(_, reward)| reward.iter().all(Option::is_some)));
    // 0.9^5 = 0.59 of the rewards are complete in the end.
    assert!((60..160).contains(&whole.len()), "{}", whole.len());
    let never = Arrival { missing: Missing::Each(vec![1.0, 0.0, 0.0, 0.0, 0.0]), ..Arrival::default() };
    assert!(heard(never.clone(), true).iter().all(|(_, reward)| reward[0].is_none() && reward[1].is_some()));
    assert!(heard(never, false).is_empty());
}

/// The regret is not much above that of rewards in time, and far below that of random play. Delays of 50
/// rounds cost about as many rounds, and a fifth of all parts missing costs some more.
#[test]
fn policies_learn_from_late_and_partial_rewards() {
    let experiment = Plan::from_toml(
        r#"
        horizon = 2000
        trials = 6
        policies = [{ id = "moglb-ucb" }, { id = "ekf-ucb" }, { id = "moglb-eb" }, { id = "random" }]

        [[environments]]
        id = "paper"
        dim = 4
        arrival = { delay = { each = [0, 50] }, law = "geometric", apart = true, missing = 0.2 }
        "#,
    );
    let summary = run(&experiment.unwrap(), 0, None, &Unwatched).unwrap().summary();
    let regret = |k: usize| *summary.runs[k].pareto_regret.mean.last().unwrap();
    for late in [0, 4] {
        let chance = regret(late + 3);
        for policy in 0..3 {
            assert!(regret(late + policy) < 0.6 * chance, "{} of {chance}", regret(late + policy));
        }
    }
    assert_ne!(summary.runs[0].environment_params, summary.runs[4].environment_params);
}

#[test]
fn a_bad_arrival_is_a_clear_error() {
    for (arrival, words) in [
        ("{ delay = -1 }", "invalid value: integer `-1`"),
        ("{ delay = 1, law = 'sometimes' }", "unknown variant"),
        ("{ missing = 2 }", "must lie between 0 and 1, got 2"),
        ("{ missing = [0.1] }", "1 chances for 5 objectives"),
        ("{ delay = 2000000000 }", "delay"),
        ("{ lateness = 3 }", "unknown field"),
    ] {
        let text = format!(
            "environments = [{{ id = 'paper', dim = 3, arrival = {arrival} }}]\n\
             policies = [{{ id = 'moglb-ucb' }}]"
        );
        let error = Plan::from_toml(&text).unwrap_err().to_string();
        assert!(error.contains(words) && !error.contains('\n'), "{arrival}: {error}");
    }
}
