//! Tests of finding the front: the guarantees of identifiers, on instances whose truth is known, and the
//! runner.

use moglb_sim::{
    Identification, IdentificationPlan, Identified, IdentifiedRun, SimError, Unwatched, Watcher, identify,
};
use std::sync::atomic::{AtomicU64, Ordering};

const EASY: &str = "{ id = 'spread', dim = 6, gap = 0.2 }";
const SPREAD: &str = "{ id = 'spread', dim = 8, gap = 0.15 }";

fn experiment(trials: usize, environments: &str, identifiers: &str) -> Result<IdentificationPlan, SimError> {
    IdentificationPlan::from_toml(&format!(
        "trials = {trials}\nseed = 3\nenvironments = [{environments}]\nidentifiers = [{identifiers}]"
    ))
}

fn run(trials: usize, environments: &str, identifiers: &str) -> Identified {
    identify(&experiment(trials, environments, identifiers).unwrap(), 0, &Unwatched).unwrap()
}

fn successes(run: &IdentifiedRun) -> usize {
    run.trials.iter().filter(|trial| trial.success).count()
}

fn mean_samples(run: &IdentifiedRun) -> f64 {
    run.trials.iter().map(|trial| trial.samples as f64).sum::<f64>() / run.trials.len() as f64
}

/// The guarantee is a chance of error of at most δ = 0.1. If it were exactly that, fewer than 164 successes
/// in 200 would have chance 3e-4. The control assumes a twentieth of the noise, or takes a thousandth of
/// the samples. Then nothing is guaranteed, and many answers are wrong.
#[test]
fn answers_are_right_with_the_promised_probability_and_not_without_the_samples_for_it() {
    let honest = run(
        200,
        EASY,
        "{ id = 'auer', accuracy = 0.15, delta = 0.1 }, { id = 'auer-cover', accuracy = 0.4, delta = 0.1 },
         { id = 'uniform', accuracy = 0.15, delta = 0.1 }, { id = 'gege', accuracy = 0.15, delta = 0.1 },
         { id = 'scalarized', accuracy = 0.1, delta = 0.1, \
           scalarization = { each = ['linear', 'chebyshev'] } },
         { id = 'scalarized', accuracy = 0.1, delta = 0.1, rule = 'lucb' }",
    );
    for run in &honest.runs {
        let (id, right) = (run.planned.identifier.id(), successes(run));
        assert!(right >= 164, "{id}: {right} of 200 answers are right");
        assert!(run.trials.iter().all(|trial| trial.stopped), "{id}");
    }
    let hasty = run_hasty();
    for run in &hasty.runs {
        let (id, right) = (run.planned.identifier.id(), successes(run));
        println!("hasty {id}: {right} of 200 answers are right");
        assert!(right <= 150, "{id}: {right} of 200 answers are right by luck");
    }
}

fn run_hasty() -> Identified {
    run(
        200,
        EASY,
        "{ id = 'auer', accuracy = 0.15, delta = 0.1, sigma = 0.025 },
         { id = 'auer-cover', accuracy = 0.4, delta = 0.1, sigma = 0.025 },
         { id = 'uniform', accuracy = 0.15, delta = 0.1, sigma = 0.025 },
         { id = 'scalarized', accuracy = 0.1, delta = 0.1, sigma = 0.025, \
           scalarization = { each = ['linear', 'chebyshev'] } },
         { id = 'scalarized', accuracy = 0.1, delta = 0.1, sigma = 0.025, rule = 'lucb' },
         { id = 'gege', accuracy = 0.15, delta = 0.1, scale = 0.001 }",
    )
}

#[test]
fn adaptive_sampling_takes_fewer_samples_than_uniform_sampling() {
    // The arms at the ends of the axes and those far below are decided early; two close arms are not.
    let world = "{ id = 'spread', dim = 6, \
        means = [[0.9, 0.1], [0.1, 0.9], [0.5, 0.55], [0.44, 0.61], [0.2, 0.2], [0.1, 0.1]] }";
    let both = run(20, world, "{ id = 'auer', accuracy = 0.03 }, { id = 'uniform', accuracy = 0.03 }");
    let [adaptive, uniform] = [0, 1].map(|k| mean_samples(&both.runs[k]));
    assert!(adaptive < 0.7 * uniform, "{adaptive} against {uniform}");
    assert!(both.runs.iter().all(|run| successes(run) == 20));
}

/// On a front that bulges in, weighted sums are largest at one of its two ends.
#[test]
fn linear_weights_reach_the_hull_of_the_front_only_and_chebyshev_weights_all_of_it() {
    let world = "{ id = 'spread', dim = 8, gap = 0.2, bulge = 'in' }";
    let weights = "divisions = 20, accuracy = 0.01, rule = 'elimination'";
    let both = run(
        5,
        world,
        &format!("{{ id = 'scalarized', scalarization = {{ each = ['linear', 'chebyshev'] }}, {weights} }}"),
    );
    for (linear, chebyshev) in both.runs[0].trials.iter().zip(&both.runs[1].trials) {
        assert_eq!((linear.missed, linear.wrong), (2, 0), "two of four arms are inside of the hull");
        assert_eq!((chebyshev.missed, chebyshev.wrong), (0, 0));
    }
}

#[test]
fn a_cover_has_fewer_arms_than_the_front() {
    let world = "{ id = 'spread', dim = 16, gap = 0.2 }";
    let both = run(10, world, "{ id = 'auer-cover', accuracy = 0.3 }");
    for trial in &both.runs[0].trials {
        assert!(trial.success && trial.answer_size < trial.front_size, "{trial:?}");
    }
}

#[test]
fn a_budget_is_kept_and_a_larger_one_is_right_more_often() {
    let both = run(100, SPREAD, "{ id = 'gege-budget', budget = { each = [200, 20000] } }");
    for (run, budget) in both.runs.iter().zip([200, 20_000]) {
        assert!(run.trials.iter().all(|trial| trial.stopped && trial.samples <= budget));
        assert!(run.trials.iter().all(|trial| trial.samples > budget / 2), "most of it is spent");
    }
    let [small, large] = [0, 1].map(|k| successes(&both.runs[k]));
    assert!(large >= 95 && small < large - 20, "{small} and {large} of 100");
}

/// The paper's data has contexts of a few dimensions and generalized linear rewards, a structure that saves
/// samples.
#[test]
fn gege_is_right_on_generalized_linear_rewards() {
    let world = "{ id = 'paper', dim = 3, links = ['logit', 'probit'] }";
    let runs = run(200, world, "{ id = 'gege', accuracy = 0.1, delta = 0.1, scale = 0.2 }");
    let right = successes(&runs.runs[0]);
    assert!(right >= 164, "{right} of 200");
}

fn timeless(environments: &str, identifiers: &str, threads: usize) -> Identified {
    identify(&experiment(6, environments, identifiers).unwrap(), threads, &Unwatched).unwrap()
}

const ALL: &str = "{ id = 'auer', accuracy = 0.2 }, { id = 'scalarized', accuracy = 0.2 }, \
    { id = 'gege', accuracy = 0.2 }, { id = 'gege-budget', budget = 500 }, \
    { id = 'auer-cover', accuracy = 0.5 }, { id = 'uniform', accuracy = 0.2 }";

#[test]
fn one_thread_and_many_give_the_same_results() {
    let worlds = "{ id = 'spread', dim = 5 }, { id = 'paper', dim = 3 }";
    let one = timeless(worlds, ALL, 1);
    assert_eq!(one, timeless(worlds, ALL, 7));
    assert_eq!(one.summary(), timeless(worlds, ALL, 2).summary());
    assert_eq!(
        one.runs[7],
        timeless("{ id = 'paper', dim = 3 }", ALL, 0).runs[1],
        "whatever runs next to it"
    );
}

#[test]
fn a_trial_that_takes_too_long_is_cut_off_and_no_success() {
    let long = experiment(3, SPREAD, "{ id = 'auer', accuracy = 0.001 }").unwrap();
    let short = Identification { most_samples: 1000, ..long.experiment().clone() };
    let cut = identify(&short.plan().unwrap(), 0, &Unwatched).unwrap();
    for trial in &cut.runs[0].trials {
        assert_eq!((trial.samples, trial.stopped, trial.success), (1000, false, false));
    }
    assert_eq!(cut.summary().runs[0].stopped, 0.0);
}

#[test]
fn experiments_that_cannot_be_run_are_refused_with_the_reason() {
    for (environments, identifiers, word) in [
        ("{ id = 'paper-fresh', dim = 3 }", "{ id = 'auer' }", "fixed arms"),
        ("{ id = 'nowhere', dim = 3 }", "{ id = 'auer' }", "nowhere"),
        (SPREAD, "{ id = 'nobody' }", "nobody"),
        (SPREAD, "{ id = 'auer', delta = 0.0 }", "delta"),
        (SPREAD, "{ id = 'auer', delta = 1.0 }", "delta"),
        (SPREAD, "{ id = 'gege', delta = nan }", "delta"),
        (SPREAD, "{ id = 'auer', accuracy = -0.1 }", "accuracy"),
        (SPREAD, "{ id = 'auer-cover', accuracy = 0.0 }", "accuracy"),
        (SPREAD, "{ id = 'gege', accuracy = nan }", "accuracy"),
        (SPREAD, "{ id = 'uniform', sigma = 0.0 }", "sigma"),
        (SPREAD, "{ id = 'gege', scale = -1.0 }", "scale"),
        (SPREAD, "{ id = 'scalarized', weights = [] }", "at least one weight"),
        (SPREAD, "{ id = 'scalarized', weights = [[1.0]] }", "weights must be 2"),
        (SPREAD, "{ id = 'scalarized', weights = [[1.0, 0.0]] }", "weights must be 2"),
        (
            SPREAD,
            "{ id = 'scalarized', scalarization = 'linear', weights = [[1.0, nan]] }",
            "weights must be 2",
        ),
        (SPREAD, "{ id = 'scalarized', divisions = 0 }", "divisions"),
        (SPREAD, "{ id = 'gege-budget', budget = 10 }", "at least 48 samples"),
        (SPREAD, "{ id = 'gege-budget' }", "budget"),
        (SPREAD, "{ id = 'auer', colour = 1 }", "colour"),
        (SPREAD, "", "the number of identifiers"),
    ] {
        let refused = experiment(1, environments, identifiers).unwrap_err();
        assert!(refused.to_string().contains(word), "{identifiers}: {refused}");
    }
}

#[test]
fn an_experiment_reads_back_as_it_was_written() {
    let first = experiment(2, SPREAD, ALL).unwrap();
    assert_eq!(IdentificationPlan::from_toml(&first.experiment().to_toml().unwrap()).unwrap(), first);
}

/// A watcher that ends the run at its first call.
struct Hasty(AtomicU64);

impl Watcher for Hasty {
    fn planned(&self, trials: u64, _: u64) {
        self.0.store(trials, Ordering::Relaxed);
    }

    fn played(&self, _: u64) -> bool {
        false
    }
}

#[test]
fn a_run_can_be_stopped() {
    let watcher = Hasty(AtomicU64::new(0));
    let stopped = identify(&experiment(4, SPREAD, "{ id = 'auer' }").unwrap(), 2, &watcher);
    assert!(matches!(stopped, Err(SimError::Interrupted { done: 0, total: 4 })), "{stopped:?}");
    assert_eq!(watcher.0.load(Ordering::Relaxed), 4);
}
