//! The arguments of `moglb replay`.

use clap::Args;
use std::path::PathBuf;

/// The arguments of `moglb replay`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moglb replay data/ist-stroke --policy moglb-eb --policy random --features additive
  moglb replay data/ist-stroke --policy moglb-ucb,c=0.1 --method weighting --trials 20
  moglb replay LOG --policy 's-ucb,weights=[3, 1]' --objectives y_click,y_speed --json

A policy is an id of `moglb policies`, with parameters after commas to change their defaults:
ID,NAME=VALUE,... ; values are written as in the TOML of an experiment, words need no quotes.

The rounds of the log are replayed one by one. If the policy draws the arm that was played, it
learns the reward; otherwise the round is skipped. Some arms were more likely than others:
  rejection   skips rounds of likely arms at random, so that all arms are equally frequent
  weighting   keeps all rounds and weighs each by 1/propensity
Each trial has its own order of rounds. The table also has each single arm, and the log itself. A
value is the mean over the whole replay, including the losses while the policy learned.

A log is a folder in the form mob-data/1 with a problem of kind `logged`, propensities included;
without them it is refused. docs/evaluate.md explains what the intervals promise. The same
arguments give the same bytes on any number of threads.")]
pub struct ReplayArgs {
    /// The log: a folder of data, or its meta.json.
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// A policy that learns.
    #[arg(long = "policy", value_name = "ID[,NAME=VALUE..]", required = true)]
    pub policies: Vec<String>,
    /// rejection or weighting.
    #[arg(long, default_value = "rejection", value_name = "NAME")]
    pub method: String,
    /// The number of trials, each with its own order of rounds.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub trials: usize,
    /// The seed of orders and draws.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// The layout of contexts and arms as vectors: additive, shared, block, hybrid or pairs [default: block].
    #[arg(long, value_name = "NAME")]
    pub features: Option<String>,
    /// The objectives to keep [default: all].
    #[arg(long, value_delimiter = ',', value_name = "COL,..")]
    pub objectives: Vec<String>,
    /// The problem, if the folder has several.
    #[arg(long, value_name = "ID")]
    pub problem: Option<String>,
    /// The radius D for the policies [default: twice the divisor of the vectors].
    #[arg(long, value_name = "D")]
    pub radius: Option<f64>,
    /// The number of threads; 0 uses all cores. Results do not depend on it.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Print as JSON.
    #[arg(long)]
    pub json: bool,
    /// Print errors only.
    #[arg(long, short)]
    pub quiet: bool,
}
