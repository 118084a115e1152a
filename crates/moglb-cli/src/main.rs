//! The `moglb` command: glue between people and the simulator.
//!
//! Data goes to standard output, talk to standard error. Exit codes: 0 done, 1 failed while running, 2 bad usage or
//! bad input. An error is one line.

mod args;
mod cell;
mod confirm;
mod data;
mod evaluate;
mod failure;
mod figure;
mod front;
mod identify;
mod output;
mod policies;
mod progress;
mod replay;
mod report;
mod run;
mod standard;
mod tables;
mod text_table;

use args::{Cli, Command};
use clap::Parser;
use clap::error::ErrorKind;
use failure::Failure;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Nothing was asked for: the help says what can be, and a script that lost its arguments has not succeeded.
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            drop(std::io::stderr().write_all(error.render().to_string().as_bytes()));
            return ExitCode::from(2);
        }
        Err(error) if error.use_stderr() => return finish(Err(Failure::usage(error))),
        // Help and version: asked for, so they are data.
        Err(error) => return finish(standard::print(error.render().to_string().as_bytes())),
    };
    if let Err(error) = moglb_sim::limit_memory() {
        return finish(Err(error.into()));
    }
    finish(match cli.command {
        Command::Reproduce(args) => run::reproduce(&args),
        Command::Run(args) => run::run(&args),
        Command::Confirm(args) => confirm::confirm(&args),
        Command::Identify(args) => identify::identify(&args),
        Command::Report(args) => run::report(&args),
        Command::Policies(args) => policies::policies(&args),
        Command::Front(args) => front::front(&args),
        Command::Data(args) => data::data(&args),
        Command::Evaluate(args) => evaluate::evaluate(&args),
        Command::Replay(args) => replay::replay(&args),
    })
}

fn finish(outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            standard::say(&failure);
            ExitCode::from(failure.code())
        }
    }
}
