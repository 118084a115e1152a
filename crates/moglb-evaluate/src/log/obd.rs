//! Tables with the columns of the Open Bandit Dataset: `item_id`, `position`, `click`, `propensity_score`,
//! `user_feature_*`.
//!
//! Arms are items. Each row is a separate decision: its position on the page is a part of the context. An
//! extension for several objectives is columns `y_*` next to `click`.

use super::features::Features;
use super::trail::Trail;
use super::{LogParts, MOST_ARMS};
use crate::{EvaluateError, table};
use moglb::{Echo, EchoNumber, Link, Objective};
use moglb_data::read::CsvRows;
use std::path::Path;

pub(super) fn read(
    path: &Path,
    with_features: bool,
    n_arms: Option<usize>,
) -> Result<LogParts, EvaluateError> {
    let file = path.display().to_string();
    let wrong = |line: Option<u64>, reason: String| EvaluateError::File { file: file.clone(), line, reason };
    let mut table = CsvRows::open(path).map_err(|error| wrong(None, error.to_string()))?;
    let header = table.headers().map_err(|error| wrong(None, error.to_string()))?.clone();
    let place = |name: &str| header.iter().position(|column| column == name);
    let needed =
        |name: &str| place(name).ok_or_else(|| wrong(Some(1), format!("there is no column `{name}`")));
    let (item, click, score) = (needed("item_id")?, needed("click")?, place("propensity_score"));
    let others: Vec<(usize, &str)> =
        header.iter().enumerate().filter(|(_, name)| name.starts_with("y_")).collect();
    let is_feature = |name: &str| name == "position" || name.starts_with("user_feature_");
    let seen: Vec<(usize, &str)> = header.iter().enumerate().filter(|(_, name)| is_feature(name)).collect();
    let texts = if with_features { &seen[..] } else { &[] };
    let mut parts = LogParts {
        objectives: vec![Objective::new("click", Link::Logit).range(0.0, 1.0)],
        ..LogParts::default()
    };
    parts.objectives.extend(others.iter().map(|(_, name)| Objective::new(*name, Link::Identity)));
    let (mut features, mut trail) = (Features::default(), Trail::default());
    let (mut rewards, mut propensities) = (Vec::new(), Vec::new());
    while let Some(record) = table.next_row() {
        let record =
            record.map_err(|error| wrong(error.position().map(csv::Position::line), error.to_string()))?;
        let line = record.position().map(csv::Position::line);
        let number = |column: usize| {
            let cell = record[column].trim();
            let told = || {
                wrong(
                    line,
                    format!("column `{}`: expected a number, got `{}`", Echo(&header[column]), Echo(cell)),
                )
            };
            cell.parse::<f64>().map_err(|_| told())
        };
        let arm = number(item)?;
        if !(0.0..MOST_ARMS as f64).contains(&arm) || arm != arm.floor() {
            return Err(wrong(
                line,
                format!("column `item_id`: expected a number from 0, got {}", EchoNumber(arm)),
            ));
        }
        parts.played.push(arm as usize);
        rewards.push(
            std::iter::once(click)
                .chain(others.iter().map(|(k, _)| *k))
                .map(number)
                .collect::<Result<Vec<_>, _>>()?,
        );
        propensities.push(score.filter(|&k| !record[k].trim().is_empty()).map(number).transpose()?);
        trail.push(&seen.iter().map(|&(k, _)| Some(record[k].trim())).collect::<Vec<_>>(), None);
        features.push_texts(&texts.iter().map(|&(k, name)| (name, record[k].trim())).collect::<Vec<_>>());
    }
    let most = parts.played.iter().max().map_or(0, |arm| arm + 1);
    parts.arms = LogParts::numbered(most.max(n_arms.unwrap_or(0)))?;
    parts.contexts = features.table(&file)?;
    parts.rewards = table::of_rows(&rewards);
    parts.propensities = propensities.into_iter().collect();
    trail.finish(&mut parts);
    Ok(parts)
}
