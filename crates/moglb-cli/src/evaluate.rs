//! `moglb evaluate`: estimates what policies would have earned, from the log of another policy.

mod targets;

use crate::args::EvaluateArgs;
use crate::failure::Failure;
use crate::{standard, text_table};
use moglb::EchoMessage;
use moglb_evaluate::{
    EvaluateConfig, Evaluation, Log, LogParts, PolicyValue, ReadOptions, Verdict, on_threads,
};
use serde::de::DeserializeOwned;

/// Reads the log, evaluates the policies, and prints a table or JSON.
///
/// # Errors
///
/// Fails if an argument is unknown, the log or a policy cannot be read, or the estimator cannot be computed.
pub fn evaluate(args: &EvaluateArgs) -> Result<(), Failure> {
    let config = config(args)?;
    let wishes: Vec<targets::Wish> = args.policies.iter().map(|text| targets::Wish::new(text)).collect();
    let features = config.estimator.uses_model()
        || args.estimate_propensities
        || wishes.iter().any(targets::Wish::needs_features);
    let options = ReadOptions {
        form: args.form.as_deref().map(str::parse).transpose()?,
        problem: args.problem.clone(),
        features,
        n_arms: args.arms,
    };
    let log = log(args, moglb_evaluate::read(&args.log, &options)?)?;
    let targets = wishes.iter().map(|wish| wish.target(&log)).collect::<Result<Vec<_>, _>>()?;
    let found = on_threads(args.threads, || moglb_evaluate::evaluate(&log, &targets, &config))??;
    match args.json {
        true => standard::print_json(&found, "the evaluation")?,
        false => standard::print(as_text(&found).as_bytes())?,
    }
    if !args.quiet {
        talk(args, &found);
    }
    Ok(())
}

/// The configuration of the estimator, with names parsed.
fn config(args: &EvaluateArgs) -> Result<EvaluateConfig, Failure> {
    Ok(EvaluateConfig {
        estimator: args.estimator.parse()?,
        level: args.level,
        interval: args.interval.parse()?,
        replications: args.replications,
        seed: args.seed,
        folds: args.folds,
        layout: args.layout.as_deref().map(|text| named("layout", text)).transpose()?,
        link: args.link.as_deref().map(|text| named("link", text)).transpose()?,
        weight_bound: args.weight_bound,
        logged_by: args.logged_by.as_deref().map(str::parse).transpose()?,
        thin: args.thin,
    })
}

/// Parses a value that configurations write as a name, such as a link or a layout; `what` is the option.
pub fn named<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, Failure> {
    let read = serde_json::from_value(serde_json::Value::String(text.into()));
    read.map_err(|error| Failure::bad_input(format!("--{what}: {}", EchoMessage(&error.to_string()))))
}

/// The log with the objectives, directions, ranges and propensities of the command line.
fn log(args: &EvaluateArgs, mut parts: LogParts) -> Result<Log, Failure> {
    if !args.objectives.is_empty() {
        parts = parts.keeping(&args.objectives)?;
    }
    for name in &args.minimize {
        let place = parts.place_of(name)?;
        parts.objectives[place].direction = moglb::Direction::Minimize;
    }
    match args.range[..] {
        [] => {}
        [low, high] if low < high => {
            let unstated = parts.objectives.iter_mut().filter(|objective| objective.range.is_none());
            unstated.for_each(|objective| objective.range = Some((low, high)));
        }
        _ => return Err(Failure::bad_input("--range: expected LOW,HIGH with LOW below HIGH")),
    }
    if args.estimate_propensities {
        if parts.propensities.is_some() {
            return Err(Failure::bad_input("the log has propensities: there is nothing to estimate"));
        }
        parts = parts.with_estimated_propensities()?;
    }
    Log::new(parts).map_err(|error| match error {
        moglb_evaluate::EvaluateError::NoPropensities => {
            Failure::in_file(&args.log, format!("{error} (--estimate-propensities)"))
        }
        error => error.into(),
    })
}

/// The evaluation as text: a line for each policy and objective, then a line for each policy.
fn as_text(found: &Evaluation) -> String {
    let head = ["policy", "objective", "value", "std error", "low", "high", "joint low", "joint high"];
    let values = found.policies.iter().flat_map(|policy| {
        (found.objectives.iter().enumerate()).map(move |(i, objective)| {
            let numbers = [
                policy.value[i],
                policy.std_error[i],
                policy.each.low[i],
                policy.each.high[i],
                policy.together.low[i],
                policy.together.high[i],
            ];
            let [value, error, low, high, joint_low, joint_high] =
                numbers.map(|number| format!("{number:.5}"));
            [policy.policy.clone(), objective.clone(), value, error, low, high, joint_low, joint_high]
        })
    });
    let head_of_policies = [
        "policy",
        "effective rounds",
        "mean weight",
        "max weight",
        "hardly explored",
        "on the front",
        "front share",
    ];
    let policies = found.policies.iter().map(|policy| {
        let overlap = &policy.overlap;
        [
            policy.policy.clone(),
            format!("{:.1}", overlap.effective_rounds),
            format!("{:.4}", overlap.mean_weight),
            format!("{:.2}", overlap.max_weight),
            format!("{:.1} %", 100.0 * overlap.thin),
            verdict(found, policy),
            policy.standing.front_share.map_or("-".into(), |share| format!("{share:.3}")),
        ]
    });
    text_table::aligned(&head, values) + "\n" + &text_table::aligned(&head_of_policies, policies)
}

/// The position of a policy relative to the front of all policies, as `yes`, `maybe`, or `no` with the
/// policies that dominate it. A single policy has none.
fn verdict(found: &Evaluation, policy: &PolicyValue) -> String {
    if found.policies.len() == 1 {
        return "-".into();
    }
    let by = |&other: &usize| found.policies[other].policy.as_str();
    match policy.standing.verdict {
        Verdict::OnFront => "yes".into(),
        Verdict::MayBeOnFront => "maybe".into(),
        Verdict::Dominated => {
            let all: Vec<&str> = policy.standing.dominated_by.iter().map(by).collect();
            format!("no: {}", all.join(", "))
        }
    }
}

/// Prints the messages of an evaluation: what was computed, and every doubt about the log and the policies.
fn talk(args: &EvaluateArgs, found: &Evaluation) {
    let Evaluation { n_rounds, n_arms, estimator, interval, level, .. } = found;
    let percent = 100.0 * level;
    standard::say(format_args!(
        "{}: {n_rounds} rounds, {n_arms} arms; {estimator}, {percent} % {interval} intervals",
        args.log.display()
    ));
    if args.estimate_propensities {
        standard::say(format_args!(
            "propensities are estimated: values are right only if nothing but the context decided the arm"
        ));
    }
    found.doubts.iter().for_each(|doubt| standard::say(format_args!("{}: {doubt}", args.log.display())));
    for policy in &found.policies {
        policy.doubts.iter().for_each(|doubt| standard::say(format_args!("{}: {doubt}", policy.policy)));
    }
}
