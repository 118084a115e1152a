//! The files of a run: tables, summary, configuration, figures and report.
//!
//! The summary and the configuration are the sources. The figures, the report and the outcomes are made from
//! them, so `moglb report` can make them again, for example with a newer version.

use crate::failure::Failure;
use crate::output::{Work, at_once, write_figure, write_set};
use crate::{figure, report, tables};
use anyhow::{Context, Result};
use moglb_files::{FileSet, UNFINISHED};
use moglb_sim::{Results, Summary};
use std::path::Path;

/// The files of a run from which `moglb report` makes the others, except for the tables of results.
const SOURCES: [&str; 2] = ["summary.json", "config.toml"];

/// The figures that only some runs have.
const OPTIONAL_FIGURES: [&str; 6] = ["figure2", "cost", "delay", "operating", "hypervolume", "weights"];

/// The names of the files that a run writes, or removes if an older run left them.
pub fn names() -> Vec<String> {
    let texts =
        ["results.csv", "results.parquet", "summary.json", "config.toml", "outcomes.csv", "report.html"];
    let figures = ["figure1"].into_iter().chain(OPTIONAL_FIGURES);
    let figures = figures.flat_map(|name| ["svg", "png"].map(|kind| format!("{name}.{kind}")));
    texts.map(String::from).into_iter().chain(figures).collect()
}

/// Refuses a folder whose summary and configuration may be from different runs.
///
/// # Errors
///
/// Fails if the folder has the mark of an unfinished write of one of them.
pub fn check_whole(folder: &Path) -> Result<(), Failure> {
    let unfinished = moglb_files::unfinished(folder)?;
    if !unfinished.iter().any(|name| SOURCES.contains(&name.as_str())) {
        return Ok(());
    }
    Err(Failure::bad_input(format!(
        "{}: a run was stopped while it put its files in place, so old and new files are mixed: run it again \
         with --resume, which plays nothing again ({UNFINISHED} lists the files)",
        folder.display()
    )))
}

/// Writes the files of a run, each group of files on its own thread, and puts them in place together.
pub fn write(folder: &Path, results: &Results, summary: &Summary) -> Result<()> {
    let config = results.experiment.to_toml()?;
    write_set(folder, |files| {
        let csv = || Ok(files.write("results.csv", &tables::csv(results)?)?);
        let parquet = || Ok(files.write("results.parquet", &tables::parquet(results)?)?);
        let texts = || {
            let json = serde_json::to_string_pretty(summary).context("summary.json")?;
            files.write("summary.json", json.as_bytes())?;
            Ok(files.write("config.toml", config.as_bytes())?)
        };
        at_once(&[&csv, &parquet, &texts, &|| add_pictures(files, summary, &config)])
    })
}

/// Writes the figures, the table of outcomes and the report of a finished run again, from its summary.
pub fn write_pictures(folder: &Path, summary: &Summary, config: &str) -> Result<()> {
    write_set(folder, |files| add_pictures(files, summary, config))
}

/// Adds the figures, the table of outcomes and the report to a set of files. Figures that the run does not
/// have are removed.
fn add_pictures(files: &FileSet, summary: &Summary, config: &str) -> Result<()> {
    let optional: [fn(&Summary) -> Option<String>; 6] = [
        figure::paper::figure2,
        figure::cost::figure,
        figure::delay::figure,
        figure::plane::figure,
        figure::volume::figure,
        figure::weights::figure,
    ];
    let optional = OPTIONAL_FIGURES.into_iter().zip(optional).map(|(name, figure)| {
        move || match figure(summary) {
            Some(svg) => write_figure(files, name, &svg),
            // A file with this name would be from another run.
            None => Ok(["svg", "png"].iter().try_for_each(|kind| files.remove(&format!("{name}.{kind}")))?),
        }
    });
    let optional: Vec<_> = optional.collect();
    let outcomes = || match tables::outcomes(summary)? {
        Some(csv) => Ok(files.write("outcomes.csv", &csv)?),
        None => Ok(files.remove("outcomes.csv")?),
    };
    let report = || Ok(files.write("report.html", report::report(summary, config).as_bytes())?);
    let first = || write_figure(files, "figure1", &figure::paper::figure1(summary));
    let mut work: Vec<Work> = vec![&first, &outcomes, &report];
    work.extend(optional.iter().map(|figure| figure as Work));
    at_once(&work)
}
