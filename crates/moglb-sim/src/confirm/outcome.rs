//! What a confirmation says: the document `confirm.json`.

use super::cases::{Case, Demand, Metric, Required};
use super::paired::{Ratio, Settled};
use crate::stats::{Estimate, mean_curve};
use crate::summarize::front_curve;
use crate::{Curve, EnvironmentConfig, FinishedRun, Results, Trace, Tuning};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name and version of the format.
pub const CONFIRM_FORMAT: &str = "moglb.confirm/1";

/// The whole outcome of a confirmation, the same on every machine and any number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confirmation {
    /// Always [`CONFIRM_FORMAT`].
    pub format: String,
    /// The version of moglb that ran it.
    pub moglb_version: String,
    /// Whether horizons or trials were shortened: then it is no confirmation, and its seeds are those of any other run.
    pub quick_look: bool,
    /// The cases, in order.
    pub cases: Vec<CaseOutcome>,
}

/// What was found in a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseOutcome {
    /// The case's id.
    pub id: String,
    /// What it is, in a few words.
    pub title: String,
    /// Where it departs from the paper's benchmark.
    pub about: String,
    /// The environment, with its parameters.
    pub environment: EnvironmentConfig,
    /// The seed its streams derive from.
    pub seed: u64,
    /// The number of rounds T.
    pub horizon: u64,
    /// The number of trials.
    pub trials: usize,
    /// The trials whose O* is a single arm (with fresh arms: in the last round). There the exposure entropy is 1 whatever is
    /// played, and a Jaccard index is that of one arm.
    pub single_arm_fronts: usize,
    /// The contenders, in the order of [`Role`].
    pub contenders: Vec<Contender>,
    /// What must show, and what showed.
    pub lines: Vec<LineOutcome>,
}

/// What a policy plays for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The policy that must show something.
    Challenger,
    /// The policy it is held against: MOGLB-UCB with c tuned for the case.
    Rival,
    /// The policy that optimizes a single objective and shows what regret alone is worth.
    Control,
}

impl Role {
    /// All roles, in the order of the contenders.
    pub const ALL: [Role; 3] = [Role::Challenger, Role::Rival, Role::Control];

    /// The role in a word.
    pub fn name(self) -> &'static str {
        match self {
            Role::Challenger => "challenger",
            Role::Rival => "rival",
            Role::Control => "control",
        }
    }
}

/// All trials of one policy in a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contender {
    /// What it plays for.
    pub role: Role,
    /// The policy's id.
    pub policy: String,
    /// The policy's parameters, chosen ones included.
    pub params: BTreeMap<String, serde_json::Value>,
    /// How a parameter was chosen, where one was.
    pub tuning: Option<Tuning>,
    /// The rounds at which the curves are given.
    pub t: Vec<u64>,
    /// Cumulative Pareto regret PR(t).
    pub pareto_regret: Curve,
    /// Normalized entropy of the pulls on O* up to t.
    pub exposure_entropy: Curve,
    /// Jaccard index of O_t and O*; absent for a policy without a front, as are the three after it.
    pub jaccard: Option<Curve>,
    /// The share of O_t that is on O*.
    pub precision: Option<Curve>,
    /// The share of O* that is on O_t.
    pub recall: Option<Curve>,
    /// The size of O_t.
    pub front_size: Option<Curve>,
    /// The share of all pulls that fell on O*.
    pub share_on_front: Estimate,
}

/// A required line and what showed. Intervals are of 95 % each and not widened for the number of lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LineOutcome {
    /// What is measured.
    pub metric: Metric,
    /// The round in which it is measured.
    pub t: u64,
    /// How the challenger must compare with the rival.
    pub demand: Demand,
    /// The challenger's mean.
    pub challenger: Estimate,
    /// The rival's mean.
    pub rival: Estimate,
    /// The control's mean, where it has the metric.
    pub control: Option<Estimate>,
    /// Challenger − rival, trial by trial.
    pub difference: Estimate,
    /// Challenger / rival, of the means, with Fieller's interval for paired trials; absent where that has no ends.
    pub ratio: Option<Ratio>,
    /// By how much the demand is met, trial by trial: r·rival − challenger for "at most r times the rival's", and so on.
    pub margin: Estimate,
    /// Whether the means compare as demanded.
    pub met: bool,
    /// What the interval of the margin says.
    pub settled: Settled,
}

impl Confirmation {
    /// All lines, case by case.
    pub fn lines(&self) -> impl Iterator<Item = (&CaseOutcome, &LineOutcome)> {
        self.cases.iter().flat_map(|case| case.lines.iter().map(move |line| (case, line)))
    }
}

/// Holds the trials of a case against what must show.
pub(super) fn judge(case: &Case, results: &Results) -> CaseOutcome {
    let alone = |trace: &&Trace| trace.end.true_front_size == 1;
    CaseOutcome {
        id: case.id.into(),
        title: case.title.into(),
        about: case.about.into(),
        environment: case.environment.clone(),
        seed: case.seed,
        horizon: case.horizon,
        trials: case.trials,
        single_arm_fronts: results.runs[0].traces.iter().filter(alone).count(),
        contenders: Role::ALL
            .into_iter()
            .zip(&results.runs)
            .map(|(role, run)| contender(role, run, &results.checkpoints))
            .collect(),
        lines: case.lines.iter().map(|line| judge_line(line, results)).collect(),
    }
}

fn contender(role: Role, run: &FinishedRun, checkpoints: &[u64]) -> Contender {
    let curve = |pick: fn(&Trace) -> &Vec<f64>| {
        mean_curve(&run.traces.iter().map(|trace| &pick(trace)[..]).collect::<Vec<_>>())
    };
    let shares: Vec<f64> = run.traces.iter().map(|trace| trace.end.share_on_front).collect();
    Contender {
        role,
        policy: run.policy.id().into(),
        params: run.params(),
        tuning: run.tuning.clone(),
        t: checkpoints.to_vec(),
        pareto_regret: curve(|trace| &trace.pareto_regret),
        exposure_entropy: curve(|trace| &trace.exposure_entropy),
        jaccard: front_curve(&run.traces, |front| &front.jaccard),
        precision: front_curve(&run.traces, |front| &front.precision),
        recall: front_curve(&run.traces, |front| &front.recall),
        front_size: front_curve(&run.traces, |front| &front.front_size),
        share_on_front: Estimate::of(&shares),
    }
}

fn judge_line(line: &Required, results: &Results) -> LineOutcome {
    let k = results.checkpoints.partition_point(|&t| t < line.t).min(results.checkpoints.len() - 1);
    let values = |role: Role| -> Option<Vec<f64>> {
        results.runs[role as usize].traces.iter().map(|trace| line.metric.of(trace, k)).collect()
    };
    let [challenger, rival] =
        [Role::Challenger, Role::Rival].map(|role| values(role).expect("both say what their front is"));
    let difference: Vec<f64> = challenger.iter().zip(&rival).map(|(a, b)| a - b).collect();
    let margin = Estimate::of(&line.demand.margins(&challenger, &rival));
    LineOutcome {
        metric: line.metric,
        t: results.checkpoints[k],
        demand: line.demand,
        challenger: Estimate::of(&challenger),
        rival: Estimate::of(&rival),
        control: values(Role::Control).map(|values| Estimate::of(&values)),
        difference: Estimate::of(&difference),
        ratio: Ratio::of(&challenger, &rival),
        margin,
        met: line.demand.allows(margin.mean),
        settled: line.demand.settled(margin, challenger.len()),
    }
}

impl Metric {
    /// The metric of a trial at the k-th checkpoint; none if it is about a front and the policy has none.
    fn of(self, trace: &Trace, k: usize) -> Option<f64> {
        let front = trace.fronts.as_ref();
        match self {
            Metric::ParetoRegret => Some(trace.pareto_regret[k]),
            Metric::ExposureEntropy => Some(trace.exposure_entropy[k]),
            Metric::Jaccard => front.map(|front| front.jaccard[k]),
            Metric::JaccardMean => front.map(|_| trace.end.jaccard_mean),
            Metric::Recall => front.map(|front| front.recall[k]),
            Metric::FrontSize => front.map(|front| front.front_size[k]),
        }
    }
}
