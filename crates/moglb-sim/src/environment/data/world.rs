//! Data prepared for play: context vectors of norm at most one, means, and the problem that policies
//! receive.

use super::config::{DataConfig, Rewards};
use crate::SimError;
use crate::environment::stage::{MOST_DEVIATIONS, RewardLaw, Stage};
use moglb::{ArmSet, Echo, EchoList, EchoNumber, Link, Matrix, Norms, Objective, Problem, front, gaps};
use moglb_data::{Collinear, Content, DataProblem, Kind, Layout, Logged, Sizes, fit, load};
use std::sync::{Arc, OnceLock};

/// The data of an environment, prepared for play.
#[derive(Debug)]
pub(super) struct World {
    /// The problem that policies receive.
    pub(super) problem: Problem,
    /// The law of the rewards.
    pub(super) law: RewardLaw,
    /// The rounds of each split that counts.
    pub(super) splits: Vec<Vec<usize>>,
    /// The rounds of each split that is played for practice, before those that count.
    pub(super) practice: Vec<Vec<usize>>,
    pub(super) data: DataProblem,
    /// The layout that makes vectors from contexts and arms.
    layout: Layout,
    /// The number by which vectors are divided, so that none is longer than 1.
    scale: f64,
    /// The reward columns that are used, with their links.
    objectives: Vec<(usize, Link)>,
    /// The fitted coefficients, one row per objective, for vectors before the division. `None` for replayed
    /// rewards.
    thetas: Option<Vec<Vec<f64>>>,
    /// The only stage of arms that stay, made at its first use.
    fixed: OnceLock<Stage>,
}

/// The error of a parameter of the environment.
fn entry<T>(entry: &str, reason: impl Into<String>) -> Result<T, SimError> {
    Err(SimError::Entry { entry: entry.into(), reason: reason.into() })
}

impl World {
    /// Reads the data of an environment. A log can be played only with fitted rewards.
    pub(super) fn new(config: &DataConfig) -> Result<Self, SimError> {
        let data = load(&config.path)?.problem(config.problem.as_deref())?.clone();
        if data.content.kind() == Kind::Logged && config.rewards == Rewards::Replay {
            return entry("rewards", "a log has the rewards of one arm a round: only `fitted` can be played");
        }
        Self::of(config, data)
    }

    /// Reads a log that is replayed. Of its rounds only the arms are used, not the stages.
    pub(super) fn of_log(config: &DataConfig) -> Result<Self, SimError> {
        let data = load(&config.path)?.problem(config.problem.as_deref())?.clone();
        match data.content.kind() {
            Kind::Logged => Self::of(config, data),
            other => entry("problem", format!("expected a log, got data of the kind {other:?}")),
        }
    }

    /// Checks the parameters against the data and fits the model if rewards are fitted.
    fn of(config: &DataConfig, data: DataProblem) -> Result<Self, SimError> {
        let fitted = config.rewards == Rewards::Fitted;
        let law = law(config, data.content.kind())?;
        let layout = layout(config, &data)?;
        check_tables(&data, layout, fitted)?;
        let objectives = objectives(config, &data)?;
        let splits = splits(config, &data)?;
        let practice = practice(config, &data)?;
        let scale = scale(&data, layout);
        let thetas = fitted.then(|| thetas(config, &data, layout, &objectives)).transpose()?;
        let problem = problem(config, &data, layout, (scale, law), &objectives, thetas.as_deref())?;
        let fixed = OnceLock::new();
        Ok(Self { problem, law, splits, practice, data, layout, scale, objectives, thetas, fixed })
    }

    /// The number of practice rounds.
    pub(super) fn practice_rounds(&self) -> u64 {
        self.practice.iter().map(|split| split.len() as u64).sum()
    }

    /// The number of rounds of the data; `None` if arms and means are the same in all rounds.
    pub(super) fn n_rounds(&self) -> Option<usize> {
        self.data.content.n_rounds()
    }

    /// The number of arms; with candidates, which differ from round to round, the largest number of a
    /// round.
    pub(super) fn n_arms(&self) -> usize {
        match &self.data.content {
            Content::Candidates(all) => {
                all.starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
            }
            _ => self.data.arms.ids.len(),
        }
    }

    /// The names of the arms, or their ids if the table has no names.
    pub(super) fn arm_names(&self) -> &[String] {
        &self.data.arms.names
    }

    /// The log, if the data is one.
    pub(super) fn log(&self) -> Option<&Logged> {
        match &self.data.content {
            Content::Logged(logged) => Some(logged),
            _ => None,
        }
    }

    /// The arms of a round of a log.
    pub(super) fn logged_arms(&self, context: &[f64]) -> Result<ArmSet<'static>, SimError> {
        let n_arms = self.data.arms.ids.len();
        let mut vectors = Vec::new();
        for arm in 0..n_arms {
            self.layout.push(context, self.data.arm_features(arm), arm, n_arms, &mut vectors);
        }
        Ok(ArmSet::new(self.problem.dim(), vectors, Norms::DivideBy(self.scale))?)
    }

    /// The rewards of the chosen objectives in a row of the table.
    pub(super) fn chosen(&self, row: &[f64]) -> Vec<f64> {
        self.objectives.iter().map(|&(i, _)| row[i]).collect()
    }

    /// The only stage of arms that stay the same.
    pub(super) fn fixed_stage(&self) -> Result<&Stage, SimError> {
        if let Some(stage) = self.fixed.get() {
            return Ok(stage);
        }
        let stage = self.stage(0)?;
        // A race between threads is harmless: both make the same stage.
        Ok(self.fixed.get_or_init(|| stage))
    }

    /// Makes the stage of a round of the data.
    pub(super) fn stage(&self, round: usize) -> Result<Stage, SimError> {
        let n_arms = self.data.arms.ids.len();
        let (mut vectors, mut seen): (Vec<f64>, Vec<&[f64]>) = (Vec::new(), Vec::new());
        let mut push = |x: &[f64], arm: Option<usize>| {
            let a = arm.map_or(&[][..], |arm| self.data.arm_features(arm));
            self.layout.push(x, a, arm.unwrap_or(0), n_arms, &mut vectors);
        };
        match &self.data.content {
            Content::Full(full) => {
                (0..n_arms).for_each(|arm| push(full.contexts.row(round), Some(arm)));
                seen.extend((0..n_arms).map(|arm| full.rewards.row(round * n_arms + arm)));
            }
            // A log has no rewards of the other arms: only a model gives their means.
            Content::Logged(logged) => {
                (0..n_arms).for_each(|arm| push(logged.contexts.row(round), Some(arm)));
            }
            Content::Arms(means) => {
                (0..n_arms).for_each(|arm| push(&[], Some(arm)));
                seen.extend(means.rows());
            }
            Content::Candidates(all) => {
                for k in all.starts[round]..all.starts[round + 1] {
                    push(all.contexts.row(k), all.arms.as_ref().map(|arms| arms[k]));
                    seen.push(all.rewards.row(k));
                }
            }
        }
        let means = match &self.thetas {
            Some(thetas) => self.model_means(thetas, &vectors),
            None => seen.iter().flat_map(|row| self.chosen(row)).collect(),
        };
        let arms = ArmSet::new(self.problem.dim(), vectors, Norms::DivideBy(self.scale))?;
        let means = Matrix::new(self.objectives.len(), means)?;
        let (front, gaps) = (front(&means)?, gaps(&means)?);
        Ok(Stage { arms: Arc::new(arms), means, front, gaps })
    }

    /// The means of the model, clamped to the range of rewards: with an identity link the model may leave
    /// that range, and a mean cannot.
    fn model_means(&self, thetas: &[Vec<f64>], vectors: &[f64]) -> Vec<f64> {
        let mut means = Vec::new();
        for vector in vectors.chunks_exact(self.problem.dim()) {
            for (theta, &(_, link)) in thetas.iter().zip(&self.objectives) {
                let score: f64 = theta.iter().zip(vector).map(|(theta, x)| theta * x).sum();
                means.push(link.mean(score).clamp(0.0, 1.0));
            }
        }
        means
    }
}

/// The law of the rewards. Replayed rewards have no noise, except those of data that has means only.
fn law(config: &DataConfig, kind: Kind) -> Result<RewardLaw, SimError> {
    let exact = config.rewards == Rewards::Replay && kind != Kind::Arms;
    match config.noise {
        None if exact => Ok(RewardLaw::Exact),
        None => Ok(RewardLaw::Link),
        Some(_) if exact => entry("noise", "replayed rewards are what was seen, without noise"),
        Some(deviation) if deviation > 0.0 && deviation <= 10.0 => Ok(RewardLaw::Normal { deviation }),
        Some(other) => entry("noise", format!("must lie above 0 and up to 10, got {}", EchoNumber(other))),
    }
}

/// The layout of a configuration, or the default for the kind of data. Checks that the data has what the
/// layout needs.
fn layout(config: &DataConfig, data: &DataProblem) -> Result<Layout, SimError> {
    let by_context = matches!(data.content.kind(), Kind::Full | Kind::Logged);
    let layout = config.features.unwrap_or(if by_context { Layout::Block } else { Layout::Additive });
    if by_context && layout.needs_arm_features() && data.arms.features.is_empty() {
        return entry("features", "arms have no features `a_*`: take `block` or `hybrid`");
    }
    if !by_context && layout.needs_arm_positions() {
        return entry("features", "a block per arm goes with arms that stay while contexts change");
    }
    Ok(layout)
}

/// The columns of the chosen objectives and their links, all objectives by default.
fn objectives(config: &DataConfig, data: &DataProblem) -> Result<Vec<(usize, Link)>, SimError> {
    let all = || data.objectives.iter().map(|objective| objective.column.clone()).collect::<Vec<String>>();
    let chosen = config.objectives.clone().unwrap_or_else(all);
    let place = |name: &String| match data.objectives.iter().position(|objective| objective.column == *name) {
        Some(place) => Ok((place, data.objectives[place].link)),
        None => entry("objectives", format!("there is no `{}`, there are: {}", Echo(name), EchoList(&all()))),
    };
    chosen.iter().map(place).collect()
}

/// The rounds that count, split by split.
fn splits(config: &DataConfig, data: &DataProblem) -> Result<Vec<Vec<usize>>, SimError> {
    let n_rounds = data.content.n_rounds().unwrap_or(1);
    let Some(names) = &config.splits else { return Ok(vec![(0..n_rounds).collect()]) };
    named_splits("splits", names, data)
}

/// The practice rounds, split by split.
fn practice(config: &DataConfig, data: &DataProblem) -> Result<Vec<Vec<usize>>, SimError> {
    let Some(names) = &config.practice else { return Ok(Vec::new()) };
    if config.rewards == Rewards::Fitted {
        return entry("practice", "goes with replayed rewards: fitted ones are drawn from all rounds");
    }
    match &config.splits {
        None => entry("practice", "name the `splits` that count, too: all rounds do unless they are named"),
        Some(scored) => match names.iter().find(|name| scored.contains(name)) {
            Some(both) => entry("practice", format!("the split `{}` counts, it is in `splits`", Echo(both))),
            None => named_splits("practice", names, data),
        },
    }
}

/// The rounds of the named splits. Each name must be in the data, and may be given once.
fn named_splits(key: &str, names: &[String], data: &DataProblem) -> Result<Vec<Vec<usize>>, SimError> {
    let labels = match &data.content {
        Content::Full(full) => full.splits.as_ref(),
        _ => None,
    };
    let Some(labels) = labels else { return entry(key, "the rounds have no column `split`") };
    let rounds = |name: &String| {
        let all: Vec<usize> = (0..labels.len()).filter(|&round| labels[round] == *name).collect();
        if all.is_empty() {
            entry(key, format!("no round is in the split `{}`", Echo(name)))
        } else {
            Ok(all)
        }
    };
    if let Some(again) = names.iter().enumerate().find(|(k, name)| names[..*k].contains(name)) {
        return entry(key, format!("the split `{}` is named twice", Echo(again.1)));
    }
    let splits = names.iter().map(rounds).collect::<Result<Vec<_>, _>>()?;
    if splits.is_empty() { entry(key, "the list is empty") } else { Ok(splits) }
}

/// Refuses the vectors of one round, or those that a model is fitted to, above the memory limit: a layout can
/// have an entry for each arm, and tables of vectors are then far larger than the data.
fn check_tables(data: &DataProblem, layout: Layout, fitted: bool) -> Result<(), SimError> {
    let n_rewards = match &data.content {
        Content::Full(full) => full.rewards.n_rows(),
        Content::Logged(logged) => logged.rewards.n_rows(),
        Content::Arms(means) => means.n_rows(),
        Content::Candidates(candidates) => candidates.rewards.n_rows(),
    };
    let rows = if fitted { n_rewards.max(data.arms.ids.len()) } else { data.arms.ids.len() };
    Ok(moglb::check_memory(rows, layout.dim(Sizes::of(data)))?)
}

/// An upper bound of the lengths of all vectors, by which they are divided.
fn scale(data: &DataProblem, layout: Layout) -> f64 {
    let squares = |row: &[f64]| row.iter().map(|a| a * a).sum::<f64>();
    let longest = data.arms.values.rows().map(squares).fold(0.0, f64::max).sqrt();
    match data.content.kind() {
        Kind::Arms => layout.norm_bound(0.0, data.x_max_norm),
        _ => layout.norm_bound(data.x_max_norm, longest),
    }
}

/// Fits the coefficients of each objective by maximum likelihood. Columns that are linear combinations of
/// others are left out.
fn thetas(
    config: &DataConfig,
    data: &DataProblem,
    layout: Layout,
    objectives: &[(usize, Link)],
) -> Result<Vec<Vec<f64>>, SimError> {
    let pseudo = config.pseudo_rounds.unwrap_or(0.0);
    if !(0.0..=1e6).contains(&pseudo) {
        return entry("pseudo_rounds", format!("must lie between 0 and 1e6, got {}", EchoNumber(pseudo)));
    }
    let design = data.design(layout);
    let n = design.rewards.n_rows() as f64;
    let one = |&(i, link): &(usize, Link)| {
        let mut rewards: Vec<f64> = design.rewards.rows().map(|row| row[i]).collect();
        let mean = rewards.iter().sum::<f64>() / n;
        rewards.iter_mut().for_each(|y| *y = (n * *y + pseudo * mean) / (n + pseudo));
        let fitted = fit(link, &design.columns, &design.vectors, &rewards, Collinear::Drop);
        fitted.map(|fitted| fitted.theta).or_else(|error| {
            let column = &data.objectives[i].column;
            let hint = if pseudo == 0.0 { "; with pseudo_rounds there is a maximum" } else { "" };
            entry("rewards", format!("no model can be fitted to `{}`: {error}{hint}", Echo(column)))
        })
    };
    objectives.iter().map(one).collect()
}

/// The problem that policies receive.
fn problem(
    config: &DataConfig,
    data: &DataProblem,
    layout: Layout,
    (scale, law): (f64, RewardLaw),
    objectives: &[(usize, Link)],
    thetas: Option<&[Vec<f64>]>,
) -> Result<Problem, SimError> {
    let beyond = |link: Link| match law {
        RewardLaw::Normal { deviation } if link == Link::Identity => MOST_DEVIATIONS * deviation,
        _ => 0.0,
    };
    let objective = |&(i, link): &(usize, Link)| {
        Objective::new(&data.objectives[i].column, link).range(-beyond(link), 1.0 + beyond(link))
    };
    let problem = Problem::new(layout.dim(Sizes::of(data)), objectives.iter().map(objective).collect())?;
    let norm = |theta: &Vec<f64>| theta.iter().map(|x| x * x).sum::<f64>().sqrt();
    let fitted = thetas.map(|all| scale * all.iter().map(norm).fold(0.0, f64::max));
    let problem = problem.with_radius(config.radius.or(fitted).unwrap_or(2.0 * scale))?;
    match data.content.kind() {
        // The number of arms is the same in every round. A policy that needs constant contexts detects the
        // first change itself and refuses it.
        Kind::Arms | Kind::Full | Kind::Logged => Ok(problem.with_arms(data.arms.ids.len())?),
        Kind::Candidates => Ok(problem),
    }
}
