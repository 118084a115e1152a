//! The folder of results: every file is written whole or not at all.

use crate::failure::Failure;
use crate::{confirm, figure, identify, report, table};
use anyhow::{Context, Result};
use moglb_sim::{Confirmed, IdentificationSummary, Identified, Results, Summary};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Writes everything that a run leaves behind. No file waits for another.
pub fn write_all(folder: &Path, results: &Results, summary: &Summary) -> Result<()> {
    let config = results.experiment.to_toml()?;
    let csv = || write(folder, "results.csv", &table::csv(results)?);
    let parquet = || write(folder, "results.parquet", &table::parquet(results)?);
    let texts = || {
        let json = serde_json::to_string_pretty(summary).context("summary.json")?;
        write(folder, "summary.json", json.as_bytes())?;
        write(folder, "config.toml", config.as_bytes())
    };
    at_once(&[&csv, &parquet, &texts, &|| write_pictures(folder, summary, &config)])
}

/// Writes the figures, the table of outcomes and the report; what `moglb report` does again.
pub fn write_pictures(folder: &Path, summary: &Summary, config: &str) -> Result<()> {
    let draw = |name: &str, svg: &str| draw(folder, name, svg);
    let optional = |name: &str, svg: Option<String>| match svg {
        Some(svg) => draw(name, &svg),
        // What stands there would be of another run.
        None => ["svg", "png"].iter().try_for_each(|kind| remove(&folder.join(format!("{name}.{kind}")))),
    };
    let second = || optional("figure2", figure::figure2(summary));
    let cost = || optional("cost", figure::cost::figure(summary));
    let delay = || optional("delay", figure::delay::figure(summary));
    let plane = || optional("operating", figure::plane::figure(summary));
    let volume = || optional("hypervolume", figure::volume::figure(summary));
    let weights = || optional("weights", figure::weights::figure(summary));
    let outcomes = || match table::outcomes(summary)? {
        Some(csv) => write(folder, "outcomes.csv", &csv),
        None => remove(&folder.join("outcomes.csv")),
    };
    let report = || write(folder, "report.html", report::report(summary, config).as_bytes());
    let first = || draw("figure1", &figure::figure1(summary));
    at_once(&[&first, &second, &cost, &delay, &plane, &volume, &weights, &outcomes, &report])
}

/// Writes what a confirmation leaves behind.
pub fn write_confirmation(folder: &Path, confirmed: &Confirmed) -> Result<()> {
    let confirmation = &confirmed.confirmation;
    let csv = || write(folder, "confirm.csv", &confirm::csv(confirmed)?);
    let texts = || {
        let json = serde_json::to_string_pretty(confirmation).context("confirm.json")?;
        write(folder, "confirm.json", (json + "\n").as_bytes())?;
        write(folder, "confirm.md", confirm::markdown(confirmation).as_bytes())
    };
    at_once(&[&csv, &texts, &|| draw(folder, "confirm", &figure::confirm::draw(confirmation))])
}

/// Writes what finding the front leaves behind.
pub fn write_identification(
    folder: &Path,
    identified: &Identified,
    summary: &IdentificationSummary,
) -> Result<()> {
    let csv = || write(folder, "results.csv", &identify::csv(identified)?);
    let texts = || {
        let json = serde_json::to_string_pretty(summary).context("summary.json")?;
        write(folder, "summary.json", (json + "\n").as_bytes())?;
        write(folder, "config.toml", identified.experiment.to_toml()?.as_bytes())
    };
    at_once(&[&csv, &texts, &|| draw(folder, "identify", &figure::identify::draw(summary))])
}

/// Writes a figure as SVG and as PNG.
fn draw(folder: &Path, name: &str, svg: &str) -> Result<()> {
    write(folder, &format!("{name}.svg"), svg.as_bytes())?;
    write(folder, &format!("{name}.png"), &moglb_figure::to_png(svg)?)
}

/// Does some work on a thread each; of several failures the first in the list is reported.
fn at_once(work: &[&(dyn Fn() -> Result<()> + Sync)]) -> Result<()> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = work.iter().map(|work| scope.spawn(work)).collect();
        let done: Vec<Result<()>> =
            threads.into_iter().map(|thread| thread.join().expect("no panic while writing")).collect();
        done.into_iter().collect()
    })
}

/// Writes a file beside its place and moves it there, so that a reader never finds half a file.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    write_file(&folder.join(name), bytes)
}

/// The same for a file of any name.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let name =
        path.file_name().with_context(|| format!("{}: expected the name of a file", path.display()))?;
    let beside = path.with_file_name(format!(".{}.tmp", name.display()));
    let written = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    written.inspect_err(|_| drop(std::fs::remove_file(&beside))).with_context(|| path.display().to_string())
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| path.display().to_string())
        }
        _ => Ok(()),
    }
}

/// Prints data. A reader that has seen enough and closed the pipe is no failure.
pub fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::running(error)),
        _ => Ok(()),
    }
}
