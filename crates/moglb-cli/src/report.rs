//! The report: one HTML file that needs neither network nor server.
//!
//! All texts and tables are plain HTML, written here; a script turns the embedded data into interactive
//! plots. Text from outside is escaped when it is put into the page, and the page's content security policy
//! forbids it to load anything, so a hostile experiment name stays a name.
//!
//! - `lead`: headline, abstract, and the claims of the paper.
//! - `ranking`: the ranked policies. `tables`: results and tuning. `trials`: the end of every trial.
//! - `health`: the findings of monitors.
//! - `outcomes`: quality, cost and savings on real data. `findings`: a summary of them in a sentence.
//! - `data`: the data that the script draws. `format`: numbers as text. `html`: pieces that several parts
//!   use.

mod data;
mod findings;
mod format;
mod health;
mod html;
mod lead;
mod outcomes;
mod ranking;
mod tables;
mod trials;

use crate::figure::paper::figure1;
use crate::figure::series::{self, Panel};
use data::{METRICS, Metric};
use html::{plots, swatch};
use moglb_figure::svg::escape;
use moglb_sim::Summary;
use std::collections::BTreeSet;

pub use health::rang;

// The page contains its style, its script and the plotting library, so that it needs no other file.
const STYLE: &str = include_str!("../assets/report.css");
const SCRIPT: &str = include_str!("../assets/report.js");
const PLOT_STYLE: &str = include_str!("../assets/vendor/uPlot-1.6.32.min.css");
const PLOT_SCRIPT: &str = include_str!("../assets/vendor/uPlot-1.6.32.iife.min.js");
const PLOT_LICENSE: &str = include_str!("../assets/vendor/uPlot-LICENSE.txt");

/// Returns the report of an experiment as one HTML page. `config_toml` is the experiment in the form that can
/// be run again.
pub fn report(summary: &Summary, config_toml: &str) -> String {
    let panels = series::panels(summary);
    let sections = [
        ("claims", "The paper and this run", lead::claims(summary)),
        ("outcomes", "Outcomes", outcomes::outcomes(summary)),
        ("ranking", "Ranking", ranking::ranking(summary, &panels)),
        ("curves", "Curves", curves(&panels, summary)),
        ("results", "Results after the last round", tables::results(&panels)),
        ("assumptions", "Assumptions", health::health(&panels)),
        ("tuning", "Tuning", tables::tuning(&panels)),
        ("trials", "Every trial", trials::trials(&panels)),
        ("configuration", "Configuration", configuration(summary, config_toml)),
    ];
    let kept = || sections.iter().filter(|(_, _, body)| !body.is_empty());
    let links: String = kept().map(|(id, name, _)| format!("<a href=\"#{id}\">{name}</a>\n")).collect();
    let body: String = kept().map(|(id, name, body)| section(id, name, body)).collect();
    let title = escape(&format!("{} · moglb", summary.experiment.name));
    let (lead, data) = (lead::lead(summary, &panels), data::json(&panels));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{PLOT_STYLE}\n{STYLE}</style>\n</head>\n<body>\n\
         <main>\n{lead}<nav aria-label=\"Contents\">{links}</nav>\n{body}{footer}</main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>\n{PLOT_SCRIPT}\n</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        footer = footer(summary),
    )
}

/// A section of the page with its heading.
fn section(id: &str, name: &str, body: &str) -> String {
    format!("<section id=\"{id}\">\n<h2>{name}</h2>\n{body}</section>\n")
}

/// The legend, which also switches lines on and off, and a row of plots for every metric that some policy
/// has.
fn curves(panels: &[Panel], summary: &Summary) -> String {
    let row = |metric: &Metric| {
        let shown = |panel: &Panel| panel.lines.iter().any(|line| (metric.curve)(line.run).is_some());
        let (name, note, plots) = (metric.name, metric.note, plots(panels, metric.id, shown));
        format!("<h3>{name}</h3>\n<p class=\"note\">{note}</p>\n{plots}")
    };
    let rows: String = METRICS.iter().filter(|metric| data::has(panels, metric)).map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let bands = match summary.experiment.trials {
        0 | 1 => "With fewer than two trials there are no intervals.",
        _ => "Lines are means over trials, bands their 95 % intervals.",
    };
    format!(
        "<p class=\"note\">{bands} Point at a plot for values, drag across it to zoom into rounds, \
         double-click to zoom out.</p>\n<div class=\"toolbar\">{}<span class=\"tools\"><label><input \
         type=\"checkbox\" id=\"log-t\"> log t</label><button type=\"button\" id=\"reset\">Reset \
         zoom</button></span></div>\n{rows}\
         <noscript><p>The interactive plots need JavaScript; this is the static Figure \
         1.</p>\n{}</noscript>\n",
        legend(panels),
        figure1(summary),
    )
}

/// The legend: a button for each label, pressed if the line is drawn at first.
fn legend(panels: &[Panel]) -> String {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut out = String::new();
    for line in panels.iter().flat_map(|panel| &panel.lines) {
        if !seen.insert(&line.label) {
            continue;
        }
        let label = escape(&line.label);
        out += &format!(
            "<button type=\"button\" class=\"key\" aria-pressed=\"{}\" \
             data-label=\"{label}\">{}{label}</button>\n",
            line.is_drawn,
            swatch(&line.style)
        );
    }
    format!("<span class=\"legend\" role=\"group\" aria-label=\"Show or hide policies\">{out}</span>")
}

/// The experiment as TOML, with the version and the seed.
fn configuration(summary: &Summary, config_toml: &str) -> String {
    format!(
        "<p>Run by moglb {} with seed {}. Saved as <code>config.toml</code>, the text below gives the same \
         numbers again: <code>moglb run config.toml</code>.</p>\n<div class=\"code\"><button \
         type=\"button\" id=\"copy\">Copy\
         </button><pre id=\"config\">{}</pre></div>\n",
        escape(&summary.moglb_version),
        summary.experiment.seed,
        escape(config_toml),
    )
}

/// The version, the paper, and the license of the plotting library.
fn footer(summary: &Summary) -> String {
    format!(
        "<footer><p>Written by moglb {}. The method is that of Lu, Wang, Hu and Zhang, “Multi-Objective \
         Generalized Linear Bandits”, IJCAI 2019.</p>\n<details><summary>Plots are drawn by uPlot 1.6.32 \
         (MIT license)</summary>\
         <pre>{}</pre></details></footer>\n",
        escape(&summary.moglb_version),
        escape(PLOT_LICENSE.trim()),
    )
}

#[cfg(test)]
mod tests;
