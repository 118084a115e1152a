//! The `moglb` command: glue between people and the simulator.
//!
//! Results go to standard output, messages to standard error. An error is one line. The exit code is 0 if the
//! command is done, 1 if it failed while running, and 2 for bad usage or bad input.
//!
//! Each subcommand is one module with one public function, which receives the arguments of `args` and
//! returns `Result<(), Failure>`. The work is done by the libraries: this crate parses, calls them, and
//! writes files, tables and figures.

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
        // Without arguments the help goes to standard error with exit code 2: a script that lost its
        // arguments must not succeed.
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            drop(std::io::stderr().write_all(error.render().to_string().as_bytes()));
            return ExitCode::from(2);
        }
        Err(error) if error.use_stderr() => return finish(Err(Failure::usage(error))),
        // Help and version were requested, so they are results.
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

/// Prints the error of a failed command and returns the exit code.
fn finish(outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            standard::say(&failure);
            ExitCode::from(failure.code())
        }
    }
}
