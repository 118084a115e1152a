//! The folder of results: after a run all files are of that run, after a failure all are the old ones.

use crate::failure::Failure;
use crate::{confirm, figure, identify, report, standard, tables};
use anyhow::{Context, Result};
use moglb_files::{FileSet, UNFINISHED};
use moglb_sim::{Confirmed, IdentificationSummary, Identified, Results, Summary};
use std::path::Path;

/// The files that a confirmation writes.
pub const CONFIRMATION: [&str; 5] =
    ["confirm.csv", "confirm.json", "confirm.md", "confirm.svg", "confirm.png"];

/// The files that finding the front writes.
pub const IDENTIFICATION: [&str; 5] =
    ["results.csv", "summary.json", "config.toml", "identify.svg", "identify.png"];

/// The files of a run from which `moglb report` makes all others but the tables.
const SOURCES: [&str; 2] = ["summary.json", "config.toml"];

/// The figures that only some runs have.
const OPTIONAL_FIGURES: [&str; 6] = ["figure2", "cost", "delay", "operating", "hypervolume", "weights"];

/// The files that a run writes, or removes where an older run has left them.
pub fn run_files() -> Vec<String> {
    let texts =
        ["results.csv", "results.parquet", "summary.json", "config.toml", "outcomes.csv", "report.html"];
    let figures = ["figure1"].into_iter().chain(OPTIONAL_FIGURES);
    let figures = figures.flat_map(|name| ["svg", "png"].map(|kind| format!("{name}.{kind}")));
    texts.map(String::from).into_iter().chain(figures).collect()
}

/// Makes a folder for results, and refuses one in which they could not be written in the end.
pub fn prepare<N: AsRef<str>>(folder: &Path, names: &[N]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    names.iter().try_for_each(|name| moglb_files::check(&folder.join(name.as_ref())))?;
    Ok(())
}

/// Refuses a folder whose summary and configuration may be of two runs.
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

/// Writes the files of a run. No file waits for another.
pub fn write_all(folder: &Path, results: &Results, summary: &Summary) -> Result<()> {
    let config = results.experiment.to_toml()?;
    let set = FileSet::new(folder)?;
    let files = &set;
    let csv = || Ok(files.write("results.csv", &tables::csv(results)?)?);
    let parquet = || Ok(files.write("results.parquet", &tables::parquet(results)?)?);
    let texts = || {
        let json = serde_json::to_string_pretty(summary).context("summary.json")?;
        files.write("summary.json", json.as_bytes())?;
        Ok(files.write("config.toml", config.as_bytes())?)
    };
    at_once(&[&csv, &parquet, &texts, &|| add_pictures(files, summary, &config)])?;
    Ok(set.put_in_place()?)
}

/// Writes the figures, the table of outcomes and the report of a finished run again.
pub fn write_pictures(folder: &Path, summary: &Summary, config: &str) -> Result<()> {
    let files = FileSet::new(folder)?;
    add_pictures(&files, summary, config)?;
    Ok(files.put_in_place()?)
}

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
            Some(svg) => draw(files, name, &svg),
            // An older file would be of another run.
            None => Ok(["svg", "png"].iter().try_for_each(|kind| files.remove(&format!("{name}.{kind}")))?),
        }
    });
    let optional: Vec<_> = optional.collect();
    let outcomes = || match tables::outcomes(summary)? {
        Some(csv) => Ok(files.write("outcomes.csv", &csv)?),
        None => Ok(files.remove("outcomes.csv")?),
    };
    let report = || Ok(files.write("report.html", report::report(summary, config).as_bytes())?);
    let first = || draw(files, "figure1", &figure::paper::figure1(summary));
    let mut work: Vec<Work> = vec![&first, &outcomes, &report];
    work.extend(optional.iter().map(|figure| figure as Work));
    at_once(&work)
}

/// Writes what a confirmation leaves behind.
pub fn write_confirmation(folder: &Path, confirmed: &Confirmed) -> Result<()> {
    let confirmation = &confirmed.confirmation;
    let set = FileSet::new(folder)?;
    let files = &set;
    let csv = || Ok(files.write("confirm.csv", &confirm::csv(confirmed)?)?);
    let texts = || {
        let json = serde_json::to_string_pretty(confirmation).context("confirm.json")?;
        files.write("confirm.json", (json + "\n").as_bytes())?;
        Ok(files.write("confirm.md", confirm::markdown(confirmation).as_bytes())?)
    };
    at_once(&[&csv, &texts, &|| draw(files, "confirm", &figure::confirm::draw(confirmation))])?;
    Ok(set.put_in_place()?)
}

/// Writes what finding the front leaves behind.
pub fn write_identification(
    folder: &Path,
    identified: &Identified,
    summary: &IdentificationSummary,
) -> Result<()> {
    let set = FileSet::new(folder)?;
    let files = &set;
    let csv = || Ok(files.write("results.csv", &identify::csv(identified)?)?);
    let texts = || {
        let json = serde_json::to_string_pretty(summary).context("summary.json")?;
        files.write("summary.json", (json + "\n").as_bytes())?;
        Ok(files.write("config.toml", identified.experiment.to_toml()?.as_bytes())?)
    };
    at_once(&[&csv, &texts, &|| draw(files, "identify", &figure::identify::draw(summary))])?;
    Ok(set.put_in_place()?)
}

/// Writes a figure as SVG and as PNG.
fn draw(files: &FileSet, name: &str, svg: &str) -> Result<()> {
    files.write(&format!("{name}.svg"), svg.as_bytes())?;
    Ok(files.write(&format!("{name}.png"), &moglb_figure::to_png(svg)?)?)
}

/// A part of the work that waits for no other.
type Work<'a> = &'a (dyn Fn() -> Result<()> + Sync);

/// Does some work on a thread each; of several failures the first in the list is reported.
fn at_once(work: &[Work<'_>]) -> Result<()> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = work.iter().map(|work| scope.spawn(work)).collect();
        let done: Vec<Result<()>> =
            threads.into_iter().map(|thread| thread.join().expect("no panic while writing")).collect();
        done.into_iter().collect()
    })
}

/// Writes a single file, or prints it where its name is one of standard output.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if moglb_files::is_standard_output(path) {
        return standard::print(bytes);
    }
    match moglb_files::write(path, bytes) {
        // A reader that has seen enough is no failure, as with standard output.
        Err(error) if error.is_closed_pipe() => Ok(()),
        written => Ok(written?),
    }
}
