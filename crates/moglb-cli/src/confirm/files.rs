//! The files of a confirmation: the table of its trials, the JSON document, the report and the figure.

use super::markdown::markdown;
use super::trials;
use crate::figure;
use crate::output::{at_once, write_figure, write_set};
use anyhow::{Context, Result};
use moglb_sim::Confirmed;
use std::path::Path;

/// The names of the files that a confirmation writes.
pub const NAMES: [&str; 5] = ["confirm.csv", "confirm.json", "confirm.md", "confirm.svg", "confirm.png"];

/// Writes the files, and puts them in place together.
pub fn write(folder: &Path, confirmed: &Confirmed) -> Result<()> {
    let confirmation = &confirmed.confirmation;
    write_set(folder, |files| {
        let csv = || Ok(files.write("confirm.csv", &trials::csv(confirmed)?)?);
        let texts = || {
            let json = serde_json::to_string_pretty(confirmation).context("confirm.json")?;
            files.write("confirm.json", (json + "\n").as_bytes())?;
            Ok(files.write("confirm.md", markdown(confirmation).as_bytes())?)
        };
        at_once(&[&csv, &texts, &|| write_figure(files, "confirm", &figure::confirm::draw(confirmation))])
    })
}
