//! The files of finding the front: its trials, the summary and its figure.

use super::trials;
use crate::figure;
use crate::output::{at_once, write_figure, write_set};
use anyhow::{Context, Result};
use moglb_sim::{IdentificationSummary, Identified};
use std::path::Path;

/// The names of the files that finding the front writes.
pub const NAMES: [&str; 5] = ["results.csv", "summary.json", "config.toml", "identify.svg", "identify.png"];

/// Writes the files, and puts them in place together.
pub fn write(folder: &Path, identified: &Identified, summary: &IdentificationSummary) -> Result<()> {
    write_set(folder, |files| {
        let csv = || Ok(files.write("results.csv", &trials::csv(identified)?)?);
        let texts = || {
            let json = serde_json::to_string_pretty(summary).context("summary.json")?;
            files.write("summary.json", (json + "\n").as_bytes())?;
            Ok(files.write("config.toml", identified.experiment.to_toml()?.as_bytes())?)
        };
        at_once(&[&csv, &texts, &|| write_figure(files, "identify", &figure::identify::draw(summary))])
    })
}
