//! SVG elements: numbers, text, paths. The module does not depend on the data that is drawn.

/// The only font of the figures.
pub(crate) const FONT_NAME: &str = "DejaVu Sans";

/// The color of text and axes: dark gray, softer than black next to the data.
pub const INK: &str = "#222222";

/// Returns a whole document with a white background. Screen readers read `what`.
pub fn document((width, height): (f64, f64), what: &str, body: &str) -> String {
    let (width, height) = (number(width), number(height));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONT_NAME}, Verdana, Arial, sans-serif\" \
         fill=\"{INK}\" role=\"img\" aria-label=\"{}\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}</svg>\n",
        escape(what),
    )
}

/// Returns a line of text; `anchor` is `start`, `middle` or `end`.
pub fn text((x, y): (f64, f64), size: f64, anchor: &str, content: &str) -> String {
    let (x, y, size) = (number(x), number(y), number(size));
    let content = escape(content);
    format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{content}</text>\n")
}

/// Returns a centered line of text that reads upward, for the y axis.
pub fn text_upward((x, y): (f64, f64), size: f64, content: &str) -> String {
    let (x, y, size, content) = (number(x), number(y), number(size), escape(content));
    format!(
        "<text transform=\"translate({x} {y}) rotate(-90)\" font-size=\"{size}\" \
         text-anchor=\"middle\">{content}</text>\n"
    )
}

/// Returns a straight line.
pub fn line((x1, y1): (f64, f64), (x2, y2): (f64, f64), color: &str, width: f64) -> String {
    let (x1, y1, x2, y2, width) = (number(x1), number(y1), number(x2), number(y2), number(width));
    format!(
        "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{color}\" \
         stroke-width=\"{width}\"/>\n"
    )
}

/// Returns the `d` attribute of a path through the points.
pub fn path(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut out = String::new();
    for (index, (x, y)) in points.into_iter().enumerate() {
        let command = match index {
            0 => "M",
            1 => "L",
            _ => " ",
        };
        out += &format!("{command}{} {}", number(x), number(y));
    }
    out
}

/// Returns a path with a color, a width and a dash pattern: the lengths of dashes and gaps, in
/// turn; empty for a solid line.
pub fn stroke(path: &str, color: &str, width: f64, dash: &[f64]) -> String {
    let dashes: Vec<String> = dash.iter().map(|&length| number(length)).collect();
    let dashes = match dashes.is_empty() {
        true => String::new(),
        false => format!(" stroke-dasharray=\"{}\"", dashes.join(" ")),
    };
    let width = number(width);
    format!(
        "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" \
         stroke-linejoin=\"round\"{dashes}/>\n"
    )
}

/// Returns a filled circle.
pub fn dot((x, y): (f64, f64), radius: f64, color: &str) -> String {
    let (x, y, radius) = (number(x), number(y), number(radius));
    format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{color}\"/>\n")
}

/// Formats a coordinate with at most two decimals and no trailing zeros. A value that is not finite
/// becomes 0.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".into();
    }
    let text = format!("{value:.2}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0".into(),
        short => short.into(),
    }
}

/// Returns an estimate of the width of a text. DejaVu Sans is a wide font, so a fallback font needs
/// no more room.
pub fn text_width(content: &str, size: f64) -> f64 {
    let em = |character: char| match character {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ' ' | ':' | '\'' => 0.32,
        '(' | ')' | '-' | 'f' | 't' | 'r' => 0.40,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.96,
        '=' | '+' => 0.84,
        'A'..='Z' => 0.70,
        _ => 0.62,
    };
    size * content.chars().map(em).sum::<f64>()
}

/// Escapes text for XML and HTML, in content and in quoted attributes. Control characters cannot
/// occur in XML, so they become the replacement character.
pub fn escape(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    for character in content.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' | '\r' => out.push(character),
            control if control.is_control() => out.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_finite() {
        let written: Vec<String> =
            [1.0, -0.001, 12.345, f64::NAN, f64::INFINITY].into_iter().map(number).collect();
        assert_eq!(written, ["1", "0", "12.35", "0", "0"]);
    }

    #[test]
    fn escaped_text_has_no_markup_left() {
        assert_eq!(escape("<a b='c'>&\"\u{0}"), "&lt;a b=&#39;c&#39;&gt;&amp;&quot;\u{fffd}");
    }
}
