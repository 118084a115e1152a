//! One legend for all panels. It is above them, so that it covers no data.

use crate::panel::{self, Plot, Trace};
use crate::svg;

/// The height of a row.
const ROW: f64 = 20.0;
/// The font size.
const SIZE: f64 = 12.0;
/// The length of a line sample: long enough for two periods of the longest dash pattern.
const SAMPLE: f64 = 34.0;
/// The space between a sample and its name.
const AFTER_SAMPLE: f64 = 6.0;
/// The space between two entries.
const BETWEEN: f64 = 20.0;

/// A name and its line. The entry of the band has no line.
type Entry<'a> = (&'a str, Option<&'a Trace>);

/// Draws the legend from `top` down, centered in `width`. Returns its SVG and its height.
pub(crate) fn draw(plots: &[Plot], top: f64, width: f64, has_bands: bool) -> (String, f64) {
    let rows = rows(entries(plots, has_bands), width);
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        let used: f64 = row.iter().map(room).sum();
        let y = top + ROW * (index as f64 + 0.5);
        let mut x = ((width - used + BETWEEN) / 2.0).max(0.0);
        for entry in row {
            out += &panel::sample((x, y), SAMPLE, entry.1);
            out += &svg::text((x + SAMPLE + AFTER_SAMPLE, y + 4.0), SIZE, "start", entry.0);
            x += room(entry);
        }
    }
    (out, ROW * rows.len() as f64 + 4.0)
}

/// Returns every name once, in the order of the panels.
fn entries(plots: &[Plot], has_bands: bool) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry> = Vec::new();
    for trace in plots.iter().flat_map(|plot| &plot.traces) {
        if entries.iter().all(|(label, _)| *label != trace.label) {
            entries.push((&trace.label, Some(trace)));
        }
    }
    if has_bands {
        entries.push(("95 % interval", None));
    }
    entries
}

/// Distributes the entries over rows: an entry that does not fit begins a new row.
fn rows(entries: Vec<Entry<'_>>, width: f64) -> Vec<Vec<Entry<'_>>> {
    let mut rows: Vec<Vec<Entry>> = Vec::new();
    for entry in entries {
        match rows.last_mut() {
            Some(row) if row.iter().map(room).sum::<f64>() + room(&entry) <= width => row.push(entry),
            _ => rows.push(vec![entry]),
        }
    }
    rows
}

/// Returns the width of an entry.
fn room((label, _): &Entry) -> f64 {
    SAMPLE + AFTER_SAMPLE + svg::text_width(label, SIZE) + BETWEEN
}
