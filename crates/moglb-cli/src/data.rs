//! `moglb data check`: the contents of a folder of real data, and the errors in it.

use crate::args::{DataArgs, DataCheckArgs, DataCommand};
use crate::failure::Failure;
use crate::{standard, text_table};
use moglb::Echo;
use moglb_data::{Checked, Finding, ProblemFacts, Severity};
use serde_json::{Value, json};

/// Runs a subcommand of `moglb data`.
pub fn data(args: &DataArgs) -> Result<(), Failure> {
    match &args.command {
        DataCommand::Check(args) => check(args),
    }
}

/// Checks a folder and prints its problems and findings. Errors, but not warnings, make the command fail with
/// exit code 2.
fn check(args: &DataCheckArgs) -> Result<(), Failure> {
    let checked = moglb_data::check(&args.path, args.most);
    match args.json {
        true => standard::print_json(&as_json(&checked), "the findings")?,
        false => standard::print(as_text(&checked).as_bytes())?,
    }
    let (errors, warnings) = (checked.findings.errors(), checked.findings.warnings());
    let told = format!("{}: {errors} errors, {warnings} warnings", Echo(&args.path.to_string_lossy()));
    if errors > 0 {
        return Err(Failure::bad_input(told));
    }
    if !args.quiet {
        standard::say(told);
    }
    Ok(())
}

/// The result as text: a line for each problem, then a line for each finding.
fn as_text(checked: &Checked) -> String {
    let head = ["problem", "kind", "rounds", "K", "context features", "arm features", "m", "missing"];
    let row = |facts: &ProblemFacts| {
        let kind = serde_json::to_value(facts.kind).ok().and_then(|kind| kind.as_str().map(String::from));
        [
            facts.id.clone(),
            kind.unwrap_or_default(),
            facts.rounds.map_or("-".into(), |rounds| rounds.to_string()),
            facts.arms.to_string(),
            facts.context_features.to_string(),
            facts.arm_features.to_string(),
            facts.objectives.to_string(),
            facts.missing.to_string(),
        ]
    };
    let mut text = String::new();
    if !checked.problems.is_empty() {
        text += &text_table::aligned(&head, checked.problems.iter().map(row));
    }
    for finding in checked.findings.kept() {
        text += &format!("{}: {finding}\n", severity(finding));
    }
    let all = checked.findings.errors() + checked.findings.warnings();
    let more = all - checked.findings.kept().len() as u64;
    if more > 0 {
        text += &format!("{more} more (--most shows more of them)\n");
    }
    text
}

/// The result as JSON, in the format `moglb.data-check/1`.
fn as_json(checked: &Checked) -> Value {
    let finding = |finding: &Finding| {
        json!({
            "file": finding.file, "row": finding.row, "column": finding.column, "severity": severity(finding),
            "code": finding.fault.code(), "message": finding.fault.to_string(),
        })
    };
    json!({
        "format": "moglb.data-check/1",
        "name": checked.name,
        "problems": checked.problems,
        "errors": checked.findings.errors(),
        "warnings": checked.findings.warnings(),
        "findings": checked.findings.kept().iter().map(finding).collect::<Vec<_>>(),
    })
}

/// The severity of a finding as a word.
fn severity(finding: &Finding) -> &'static str {
    match finding.fault.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
