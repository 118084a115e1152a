//! One legend for all panels, above them, so that it covers no data.

use crate::panel::{self, Plot, Trace};
use crate::svg;

const ROW: f64 = 20.0;
const SIZE: f64 = 12.0;
/// The length of a sample: two periods of the longest dash pattern can be seen.
const SAMPLE: f64 = 34.0;
const AFTER_SAMPLE: f64 = 6.0;
const BETWEEN: f64 = 20.0;

/// A name and the line it belongs to; the band's own entry has none.
type Entry<'a> = (&'a str, Option<&'a Trace>);

/// The legend's SVG, centered in `width` from `top` down, and its height.
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

/// Every name once, in the order of the panels.
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

/// The entries in as few rows as they fit into.
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

fn room((label, _): &Entry) -> f64 {
    SAMPLE + AFTER_SAMPLE + svg::text_width(label, SIZE) + BETWEEN
}
