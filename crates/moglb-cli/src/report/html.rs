//! Pieces of HTML that several parts of the report use.

use crate::figure::series::Panel;
use moglb_figure::Style;
use moglb_figure::svg::escape;

/// Empty elements that the script draws into, one for each panel that has something to show.
pub(super) fn plots(panels: &[Panel], metric: &str, shown: impl Fn(&Panel) -> bool) -> String {
    let places = panels.iter().enumerate().filter(|(_, panel)| shown(panel)).map(|(index, panel)| {
        let title = escape(&panel.title);
        format!(
            "<figure><figcaption>{title}</figcaption>\
             <div class=\"plot\" data-metric=\"{metric}\" data-panel=\"{index}\"></div></figure>\n"
        )
    });
    format!("<div class=\"plots\">\n{}</div>\n", places.collect::<String>())
}

/// A short piece of a line in its color and dashes, for light and dark backgrounds.
pub(super) fn swatch(style: &Style) -> String {
    let dash: Vec<String> = style.dash.iter().map(f64::to_string).collect();
    format!(
        "<svg class=\"swatch\" width=\"28\" height=\"8\" aria-hidden=\"true\" style=\"--light:{};--dark:{}\">\
         <path d=\"M0 4H28\" stroke-width=\"{}\" stroke-dasharray=\"{}\"/></svg>",
        style.color,
        style.dark,
        style.width,
        dash.join(" "),
    )
}
