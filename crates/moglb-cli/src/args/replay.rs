//! The arguments of `moglb replay`.

use clap::Args;
use std::path::PathBuf;

/// The arguments of `moglb replay`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moglb replay data/ist-stroke --policy moglb-eb --policy random --features additive
  moglb replay data/ist-stroke --policy moglb-ucb,c=0.1 --method weighting --trials 20
  moglb replay LOG --policy 's-ucb,weights=[3, 1]' --objectives y_click,y_speed --json

A policy is an id of `moglb policies`, with parameters after commas where the defaults do not suit:
ID,NAME=VALUE,... ; values are written as in the TOML of an experiment, words need no quotes.

Rounds of the log are offered one by one. Where the policy draws the arm that was played, it is
shown the reward and learns; all other rounds are passed over. To make up for arms that were more
likely than others,
  rejection   passes over rounds of likely arms by chance as well, so that all come through alike
  weighting   keeps them all, and they weigh 1/propensity
A trial takes the rounds in an order of its own. Beside the policies stand always each arm, and the
log. A value is the mean over a policy's whole life on the log, what it lost while it learned
included.

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
    /// The number of orders.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub trials: usize,
    /// What orders and draws derive from.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// How contexts and arms become vectors: additive, shared, block, hybrid or pairs [default: block].
    #[arg(long, value_name = "NAME")]
    pub features: Option<String>,
    /// The objectives to keep [default: all].
    #[arg(long, value_delimiter = ',', value_name = "COL,..")]
    pub objectives: Vec<String>,
    /// The problem, where a folder has several.
    #[arg(long, value_name = "ID")]
    pub problem: Option<String>,
    /// The radius D that policies are told [default: twice what vectors were divided by].
    #[arg(long, value_name = "D")]
    pub radius: Option<f64>,
    /// The number of threads; 0 takes all cores. Results do not depend on it.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Print as JSON.
    #[arg(long)]
    pub json: bool,
    /// No talk; only errors.
    #[arg(long, short)]
    pub quiet: bool,
}
