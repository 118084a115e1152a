//! The command line: its commands, options and help texts, parsed by clap.

mod replay;
#[cfg(test)]
mod tests;

pub use replay::ReplayArgs;

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Multi-objective generalized linear bandits: the paper's experiments, and any other, from one line.
#[derive(Debug, Parser)]
#[command(
    name = "moglb",
    version,
    after_help = "Examples:
  moglb reproduce                          the paper's figures into ./results
  moglb reproduce --dims 10 --trials 50    one size, more trials
  moglb run examples/widths.toml           any experiment
  moglb confirm                            the recommended policy against MOGLB-UCB, on fresh seeds
  moglb identify examples/identify.toml    find the front with few samples
  moglb report results                     render figures and report of a finished run again
  moglb policies                           list what can be run
  moglb front points.csv --minimize cost   the non-dominated rows of a table
  moglb data check data/llm-routing        list what is in a data set, and its errors
  moglb evaluate LOG --policy uniform      estimate a policy from the log of another
  moglb replay LOG --policy moglb-eb       replay a log to policies that learn from it

Environment:
  MOGLB_MEMORY_LIMIT  the most bytes that one table may take; if it is not set, the memory of the
                      machine or of the control group (cgroup), whichever is less

Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input"
)]
pub struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the experiments of the paper and draw its figures.
    Reproduce(ReproduceArgs),
    /// Run any experiment: policies × environments × parameters.
    Run(RunArgs),
    /// Compare the recommended policy with MOGLB-UCB on seeds that nothing was developed on.
    Confirm(ConfirmArgs),
    /// Find the front: identifiers × environments × parameters.
    Identify(IdentifyArgs),
    /// Render figures and report of a finished run again.
    Report(ReportArgs),
    /// List the policies with their parameters.
    Policies(PoliciesArgs),
    /// Print the non-dominated rows of a table.
    Front(FrontArgs),
    /// Inspect real data.
    Data(DataArgs),
    /// Estimate the value vectors of policies from the log of another policy.
    Evaluate(Box<EvaluateArgs>),
    /// Replay a log to policies that learn from it.
    Replay(ReplayArgs),
}

/// The arguments of `moglb reproduce`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moglb reproduce
  moglb reproduce --out fig --dims 5,10,15 --horizon 3000 --trials 10
  moglb reproduce --dims 10 --policies moglb-ucb,p-ts --seed 7

Writes summary.json, results.csv, results.parquet, figure1.svg/png, figure2.svg/png, report.html and
config.toml. The same arguments give the same numbers on any machine and any number of threads.")]
pub struct ReproduceArgs {
    /// The dimensions d of the contexts; there are 4d arms at each.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "5,10,15",
        value_name = "D,..",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub dims: Vec<u32>,
    /// The number of rounds T.
    #[arg(long, default_value_t = 3000, value_name = "T")]
    pub horizon: u64,
    /// The number of reported trials.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub trials: usize,
    /// The number of trials on which c is tuned; their seeds are not those of the reported trials.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub tuning_trials: usize,
    /// The policies, by id; see `moglb policies`.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "moglb-ucb,p-ucb,s-ucb,p-ts,random",
        value_name = "ID,.."
    )]
    pub policies: Vec<String>,
    /// The seed that all random streams are derived from.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Options for running it.
    #[command(flatten)]
    pub how: HowArgs,
}

/// The arguments of `moglb run`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moglb run examples/widths.toml
  moglb run mine.toml --out results/mine --resume

examples/widths.toml explains the format.")]
pub struct RunArgs {
    /// The experiment, as TOML.
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,
    /// Options for running it.
    #[command(flatten)]
    pub how: HowArgs,
}

/// The arguments of `moglb confirm`.
#[derive(Debug, Args)]
#[command(
    mut_arg("out", |out| out.default_value("results/confirm")),
    after_help = "Examples:
  moglb confirm
  moglb confirm --cases paper-10,fresh --out results/two
  moglb confirm --trials 5 --horizon 300    to see that it works; not a confirmation

Writes confirm.md, confirm.json, confirm.csv and confirm.svg/png: the same bytes on any machine and
any number of threads. A missed target is a result, not a failure: the exit code is 0."
)]
pub struct ConfirmArgs {
    /// The cases, by id [default: all].
    #[arg(long, value_delimiter = ',', value_name = "ID,..")]
    pub cases: Vec<String>,
    /// Quick look: trials per case. This is no confirmation, and uses other seeds.
    #[arg(long, value_name = "N")]
    pub trials: Option<usize>,
    /// Quick look: rounds per trial. This is no confirmation, and uses other seeds.
    #[arg(long, value_name = "T")]
    pub horizon: Option<u64>,
    /// Options for running it.
    #[command(flatten)]
    pub how: HowArgs,
}

/// The arguments of `moglb identify`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  moglb identify examples/identify.toml

examples/identify.toml explains the format. Writes summary.json, results.csv, identify.svg/png and
config.toml: the same bytes on any machine and any number of threads.")]
pub struct IdentifyArgs {
    /// The experiment, as TOML.
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,
    /// The folder for the results; created if it does not exist.
    #[arg(long, default_value = "results/identify", value_name = "DIR")]
    pub out: PathBuf,
    /// The number of threads; 0 uses all cores. Results do not depend on it.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Print the summary as JSON instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Print errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options for running an experiment.
#[derive(Debug, Args)]
pub struct HowArgs {
    /// The folder for the results; created if it does not exist.
    #[arg(long, default_value = "results", value_name = "DIR")]
    pub out: PathBuf,
    /// The number of threads; 0 uses all cores. Results do not depend on it.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Continue an interrupted run of the same experiment in the same folder.
    #[arg(long)]
    pub resume: bool,
    /// Print the summary as JSON instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Print errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The arguments of `moglb report`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  moglb report results")]
pub struct ReportArgs {
    /// The folder of a finished run.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Print errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The arguments of `moglb policies`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moglb policies
  moglb policies --markdown > docs/policies.md")]
pub struct PoliciesArgs {
    /// Print as Markdown.
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Print as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `moglb front`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moglb front points.csv
  moglb front points.csv --objectives speed,cost --minimize cost
  generate | moglb front --count

A row is dominated if another is nowhere worse and somewhere better; equal rows are all kept.
Rows are printed byte for byte as they were read, in the same order, after the header. Only the
front and a block of rows are in memory. A name with a comma in it is quoted as in the table.")]
pub struct FrontArgs {
    /// The table, as CSV with a header; standard input if omitted, or for -.
    #[arg(value_name = "FILE.csv")]
    pub file: Option<PathBuf>,
    /// The columns to compare; larger is better [default: all].
    #[arg(long, value_name = "COL,..")]
    pub objectives: Vec<String>,
    /// The columns in which smaller is better.
    #[arg(long, value_name = "COL,..")]
    pub minimize: Vec<String>,
    /// Write the rows to a file instead of standard output.
    #[arg(long, value_name = "FILE", conflicts_with = "count")]
    pub out: Option<PathBuf>,
    /// Print the number of rows instead of the rows.
    #[arg(long)]
    pub count: bool,
    /// Print errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The arguments of `moglb data`.
#[derive(Debug, Args)]
pub struct DataArgs {
    /// The command to run.
    #[command(subcommand)]
    pub command: DataCommand,
}

/// The commands for data.
#[derive(Debug, Subcommand)]
pub enum DataCommand {
    /// List what is in a folder of data, and everything that is wrong with it.
    Check(DataCheckArgs),
}

/// The arguments of `moglb data check`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moglb data check data/llm-routing
  moglb data check mine/meta.json --json

A folder of data has tables (CSV, JSON lines or Parquet) and a meta.json such as this:

  { \"format\": \"mob-data/1\",
    \"name\": \"mine\",
    \"problems\": [ { \"id\": \"first\", \"kind\": \"logged\",
                    \"logged\": \"log.csv\", \"arm_ids\": [\"a\", \"b\"],
                    \"objectives\": [ { \"column\": \"y_click\", \"link\": \"logit\" },
                                    { \"column\": \"y_speed\" } ] } ] }

data/README.md has the kinds of problems and the columns that each needs. The exit code is 2 if
there are errors; warnings do not change it.")]
pub struct DataCheckArgs {
    /// The folder, or its meta.json.
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// The most findings to show.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub most: usize,
    /// Print as JSON.
    #[arg(long)]
    pub json: bool,
    /// Print errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The arguments of `moglb evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moglb evaluate data/ist-stroke --policy arm:3 --policy arm:4 --policy logged
  moglb evaluate data/ist-stroke --estimator dr --policy greedy:1,1,1,1 --policy uniform --json
  moglb evaluate log.dsjson --policy mine=snapshot:policy.json --interval bernstein --range -1,0

A policy is [NAME=]KIND:
  arm:ID           always this arm, by name or by position from 0
  uniform          every arm with the same probability
  logged           the policy that wrote the log
  table:FILE.csv   the probability of every arm (columns) in every round (rows), after a header
  greedy:W,..      the best arm by weighted sums of the direct method's predictions
  snapshot:FILE    a policy saved as JSON; or { \"snapshot\": FILE or object, \"play\": preferences,
                   \"layout\": its layout of contexts, \"scale\": the divisor of its vectors }

A log is a folder in the form mob-data/1, a decision log of VW (dsjson), a table with the columns of
the Open Bandit Dataset (csv), or decisions as JSON lines:

  {\"context\": [0.2], \"arm\": 1, \"probabilities\": [0.3, 0.7], \"rewards\": {\"click\": 1, \"cost\": 2}}

A log without propensities is refused unless --estimate-propensities is given. Intervals are for
independent rounds. A line on standard error warns if the log shows that its policy learned, or
if it is worth fewer than 50 rounds of the evaluated policy. With several policies the table
marks those that are certainly dominated and those that may be on the front. docs/evaluate.md
explains estimators, intervals and forms. The same arguments give the same bytes on any number of
threads.")]
pub struct EvaluateArgs {
    /// The log.
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// A policy to evaluate; several give a front.
    #[arg(long = "policy", value_name = "POLICY", required = true)]
    pub policies: Vec<String>,
    /// ips, snips, dm, dr, sndr, switch-dr, switch-dr:τ, dr-os or dr-os:λ.
    #[arg(long, default_value = "snips", value_name = "NAME")]
    pub estimator: String,
    /// The nominal coverage of intervals, for independent rounds.
    #[arg(long, default_value_t = 0.95, value_name = "P")]
    pub level: f64,
    /// normal, percentile, bca or bernstein.
    #[arg(long, default_value = "bca", value_name = "KIND")]
    pub interval: String,
    /// The number of times that the rounds are resampled.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub replications: usize,
    /// The seed of resampling and folds.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// The number of folds of the direct method.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub folds: usize,
    /// The features of arms in the direct method: additive, shared, block, hybrid or pairs [default: additive
    /// where arms have features, else block].
    #[arg(long, value_name = "NAME")]
    pub layout: Option<String>,
    /// The link of the direct method [default: that of the objective].
    #[arg(long, value_name = "NAME")]
    pub link: Option<String>,
    /// The objectives to keep [default: all].
    #[arg(long, value_delimiter = ',', value_name = "COL,..")]
    pub objectives: Vec<String>,
    /// The columns in which smaller is better.
    #[arg(long, value_delimiter = ',', value_name = "COL,..")]
    pub minimize: Vec<String>,
    /// The range of rewards of objectives that do not state one.
    #[arg(long, num_args = 1, value_delimiter = ',', allow_hyphen_values = true, value_name = "LOW,HIGH")]
    pub range: Vec<f64>,
    /// An upper bound on every weight, for bernstein [default: the largest in the log].
    #[arg(long, value_name = "W")]
    pub weight_bound: Option<f64>,
    /// The kind of policy that wrote the log: fixed or learning [default: learning if the log shows it].
    #[arg(long, value_name = "KIND")]
    pub logged_by: Option<String>,
    /// An arm with a propensity below this counts as hardly explored.
    #[arg(long, default_value_t = 0.01, value_name = "P")]
    pub thin: f64,
    /// Estimate propensities by a multinomial logit model of the contexts.
    #[arg(long)]
    pub estimate_propensities: bool,
    /// mob-data, decisions, dsjson or obd [default: by the name of the file].
    #[arg(long, value_name = "FORM")]
    pub form: Option<String>,
    /// The problem, if the folder has several.
    #[arg(long, value_name = "ID")]
    pub problem: Option<String>,
    /// The number of arms, if the last ones were perhaps never played.
    #[arg(long, value_name = "K")]
    pub arms: Option<usize>,
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
