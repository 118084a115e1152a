//! The outcome of a confirmation: the document `confirm.json`.

use super::cases::{Case, Demand, Metric, Required};
use super::paired::{Ratio, Settled};
use crate::stats::{Estimate, mean_curve};
use crate::summarize::front_curve;
use crate::{Curve, EnvironmentConfig, FinishedRun, Results, Trace, Tuning};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name and version of the format.
pub const CONFIRM_FORMAT: &str = "moglb.confirm/1";

/// The outcome of a confirmation. It is the same on every machine and for any number of threads.
///
/// Example: [`Confirming`].
///
/// [`Confirming`]: crate::Confirming
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confirmation {
    /// Always [`CONFIRM_FORMAT`].
    pub format: String,
    /// The version of moglb that ran it.
    pub moglb_version: String,
    /// True if horizons or trials were shortened. Then it confirms nothing, and its seeds are those of any
    /// other run.
    pub quick_look: bool,
    /// The cases, in order.
    pub cases: Vec<CaseOutcome>,
}

/// The outcome of one case.
///
/// Example: [`Confirming`].
///
/// [`Confirming`]: crate::Confirming
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseOutcome {
    /// The case's id.
    pub id: String,
    /// The title of the case.
    pub title: String,
    /// The differences from the paper's benchmark.
    pub about: String,
    /// The environment, with its parameters.
    pub environment: EnvironmentConfig,
    /// The seed of its random streams.
    pub seed: u64,
    /// The number of rounds T.
    pub horizon: u64,
    /// The number of trials.
    pub trials: usize,
    /// The number of trials in which O* is a single arm (with fresh arms: in the last round). In these
    /// trials the exposure entropy is 1 for every policy, and the Jaccard index is that of one arm.
    pub single_arm_fronts: usize,
    /// The contenders, in the order of [`Role`].
    pub contenders: Vec<Contender>,
    /// The requirements, each with its outcome.
    pub lines: Vec<LineOutcome>,
}

/// The part of a contender in the comparison.
///
/// Example: [`Confirming`].
///
/// [`Confirming`]: crate::Confirming
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The policy that must satisfy the requirements.
    Challenger,
    /// The policy that the challenger is compared with: MOGLB-UCB with c tuned for the case.
    Rival,
    /// The policy that optimizes a single objective, which shows how much regret alone can be reduced
    /// without a front.
    Control,
}

impl Role {
    /// All roles, in the order of the contenders.
    pub const ALL: [Role; 3] = [Role::Challenger, Role::Rival, Role::Control];

    /// The name of the role, one word.
    pub fn name(self) -> &'static str {
        match self {
            Role::Challenger => "challenger",
            Role::Rival => "rival",
            Role::Control => "control",
        }
    }
}

/// All trials of one policy in a case.
///
/// Example: [`Confirming`].
///
/// [`Confirming`]: crate::Confirming
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contender {
    /// The role of the policy.
    pub role: Role,
    /// The policy's id.
    pub policy: String,
    /// The policy's parameters, with the chosen values of tuned ones.
    pub params: BTreeMap<String, serde_json::Value>,
    /// The tuning of a parameter, if one was tuned.
    pub tuning: Option<Tuning>,
    /// The rounds at which the curves are given.
    pub t: Vec<u64>,
    /// Cumulative Pareto regret PR(t).
    pub pareto_regret: Curve,
    /// Normalized entropy of the pulls on O* up to t.
    pub exposure_entropy: Curve,
    /// Jaccard index of O_t and O*. Absent for a policy without a front, as are the next three curves.
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

/// A requirement and its outcome. Each interval has a level of 95 % by itself; none is widened for the
/// number of requirements.
///
/// Example: [`Confirming`].
///
/// [`Confirming`]: crate::Confirming
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LineOutcome {
    /// The metric.
    pub metric: Metric,
    /// The round in which it is measured.
    pub t: u64,
    /// The comparison that the challenger must satisfy with the rival.
    pub demand: Demand,
    /// The challenger's mean.
    pub challenger: Estimate,
    /// The rival's mean.
    pub rival: Estimate,
    /// The control's mean, if it has the metric.
    pub control: Option<Estimate>,
    /// The difference challenger − rival, paired trial by trial.
    pub difference: Estimate,
    /// The ratio challenger / rival of the means, with Fieller's interval for paired trials. Absent if that
    /// interval is unbounded.
    pub ratio: Option<Ratio>,
    /// The amount by which the demand is met, paired trial by trial: r·rival − challenger for "at most r
    /// times the rival's", and so on.
    pub margin: Estimate,
    /// True if the means satisfy the demand.
    pub met: bool,
    /// The verdict of the interval of the margin.
    pub settled: Settled,
}

impl Confirmation {
    /// All requirements with their outcomes, case by case.
    pub fn lines(&self) -> impl Iterator<Item = (&CaseOutcome, &LineOutcome)> {
        self.cases.iter().flat_map(|case| case.lines.iter().map(move |line| (case, line)))
    }
}

/// Compares the trials of a case with its requirements.
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

/// The curves of a contender, averaged over its trials.
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

/// Compares the trials of a case with one requirement, at the first checkpoint from its round on.
fn judge_line(line: &Required, results: &Results) -> LineOutcome {
    let k = results.checkpoints.partition_point(|&t| t < line.t).min(results.checkpoints.len() - 1);
    let values = |role: Role| -> Option<Vec<f64>> {
        results.runs[role as usize].traces.iter().map(|trace| line.metric.of(trace, k)).collect()
    };
    let [challenger, rival] =
        [Role::Challenger, Role::Rival].map(|role| values(role).expect("both policies have a front"));
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
    /// The metric of a trial at the k-th checkpoint; `None` if it is about a front and the policy has none.
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
