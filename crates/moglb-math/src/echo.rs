//! Input values in messages: short, on one line, and visible.
//!
//! A name, a cell or a path in an error message can have any length and hold any character. [`Echo`] shows at
//! most [`MOST_SHOWN`] of its characters, and escapes characters that would break the line, move the cursor
//! or reverse the order of the text. All crates use the types of this file to show such values in their
//! messages.

use std::fmt::{Display, Formatter, Result, Write};

/// The largest number of characters of a value that a message shows.
const MOST_SHOWN: usize = 200;

/// A text from the input, for display in a message. It shows at most the first 200 characters, with control
/// characters escaped. A longer text ends with `…` and its length.
///
/// ```
/// assert_eq!(moglb::Echo("two\nlines").to_string(), "two\\nlines");
/// let long = moglb::Echo(&"a".repeat(1000)).to_string();
/// assert!(long.ends_with("aaa… (1000 characters)"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Echo<'a>(pub &'a str);

impl Display for Echo<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0.char_indices().nth(MOST_SHOWN) {
            None => write_visible(self.0, f),
            Some((end, _)) => {
                write_visible(&self.0[..end], f)?;
                write!(f, "… ({} characters)", self.0.chars().count())
            }
        }
    }
}

/// A list of names, for display in a message. The names are separated by commas. Once 200 characters are
/// shown, the number of all names replaces the rest of the list.
///
/// ```
/// assert_eq!(moglb::EchoList(&["speed", "cost"]).to_string(), "speed, cost");
/// assert!(moglb::EchoList(&vec!["name"; 1000]).to_string().ends_with("name, … (1000 in all)"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EchoList<'a, T>(pub &'a [T]);

impl<T: AsRef<str>> Display for EchoList<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_list(self.0.iter().map(|name| Echo(name.as_ref()).to_string()), f)
    }
}

/// A number, for display in a message. It has an exponent if it would otherwise have many zeros.
///
/// ```
/// assert_eq!(moglb::EchoNumber(0.25).to_string(), "0.25");
/// assert_eq!(moglb::EchoNumber(1e300).to_string(), "1e300");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EchoNumber(pub f64);

impl Display for EchoNumber {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let size = self.0.abs();
        if size == 0.0 || (1e-7..1e16).contains(&size) || !size.is_finite() {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

/// A list of numbers, for display in a message. It is in brackets. Once 200 characters are shown, the number
/// of all items replaces the rest of the list.
///
/// ```
/// assert_eq!(moglb::EchoNumbers(&[1.0, 0.5]).to_string(), "[1.0, 0.5]");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EchoNumbers<'a>(pub &'a [f64]);

impl Display for EchoNumbers<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_char('[')?;
        write_list(self.0.iter().map(|number| format!("{number:?}")), f)?;
        f.write_char(']')
    }
}

/// A message of a parser or of another library, for display on one line. It can quote its input, so it is
/// shortened and escaped as by [`Echo`]. Only the list of expected values at its end is not shortened, up to
/// 4000 characters.
///
/// ```
/// let told = format!("unknown field `{}`, expected one of `a`, `b` at line 1", "x".repeat(1000));
/// let shown = moglb::EchoMessage(&told).to_string();
/// assert!(shown.starts_with("unknown field `xxx"));
/// assert!(shown.ends_with(", expected one of `a`, `b` at line 1"));
/// assert!(shown.len() < 300);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EchoMessage<'a>(pub &'a str);

/// The largest number of characters in a list of expected values that is shown in full. The names of all
/// policies fit in it.
const LONGEST_EXPECTED: usize = 4000;

impl Display for EchoMessage<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        // A quoted input can also contain ", expected ". The parser writes its own after the quote, so the
        // last one is the parser's.
        let split = self.0.rfind(", expected ").unwrap_or(self.0.len());
        let (told, expected) = self.0.split_at(split);
        let quote = told.find(['`', '"', '\'']).unwrap_or(0);
        let (before, quoted) = told.split_at(quote);
        match expected.char_indices().nth(LONGEST_EXPECTED) {
            None => write!(f, "{}{}", Echo(before), Echo(quoted))?,
            Some(_) => return write!(f, "{}", Echo(self.0)),
        }
        write_visible(expected, f)
    }
}

/// A whole message, for display on one line. Line ends become blanks, and invisible characters are escaped.
///
/// ```
/// assert_eq!(moglb::EchoLine("two\nlines\u{7}").to_string(), "two lines\\u{7}");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EchoLine<'a>(pub &'a str);

/// The largest number of characters of a message. The values in a message are shortened before; this limit is
/// for messages that are long for other reasons.
const LONGEST_LINE: usize = 8000;

impl Display for EchoLine<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (k, part) in self
            .0
            .char_indices()
            .nth(LONGEST_LINE)
            .map_or(self.0, |(end, _)| &self.0[..end])
            .lines()
            .enumerate()
        {
            if k > 0 {
                f.write_char(' ')?;
            }
            write_visible(part, f)?;
        }
        let rest = self.0.chars().skip(LONGEST_LINE).count();
        if rest > 0 { write!(f, "… ({rest} more characters)") } else { Ok(()) }
    }
}

/// Writes items, separated by commas, until [`MOST_SHOWN`] characters are reached, then the number of all
/// items.
fn write_list(items: impl ExactSizeIterator<Item = String>, f: &mut Formatter<'_>) -> Result {
    let (n_items, mut shown) = (items.len(), 0);
    for (k, item) in items.enumerate() {
        if k > 0 {
            f.write_str(", ")?;
        }
        if shown >= MOST_SHOWN {
            return write!(f, "… ({n_items} in all)");
        }
        shown += item.chars().count() + 2;
        f.write_str(&item)?;
    }
    Ok(())
}

/// Writes a text, with an escape for each character that [`is_hidden`] finds.
fn write_visible(text: &str, f: &mut Formatter<'_>) -> Result {
    text.chars().try_for_each(|c| match is_hidden(c) {
        true => write!(f, "{}", c.escape_default()),
        false => f.write_char(c),
    })
}

/// Returns true for a control character, a line end, a character that changes the direction of text, or a
/// character without a width.
fn is_hidden(c: char) -> bool {
    let format = matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    c.is_control() || format
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_do_not_show_are_escaped() {
        let text = "a\tb\nc\u{1b}[2Jd\u{85}e\u{202e}f\u{2066}g\u{2028}h\u{2029}i\u{200b}j\u{feff}é中";
        let shown = Echo(text).to_string();
        let expected = r"a\tb\nc\u{1b}[2Jd\u{85}e\u{202e}f\u{2066}g\u{2028}h\u{2029}i\u{200b}j\u{feff}é中";
        assert_eq!(shown, expected);
        assert_eq!(EchoMessage("odd `\r` here").to_string(), r"odd `\r` here");
    }

    #[test]
    fn a_text_is_cut_after_200_characters_not_bytes() {
        let text = "é".repeat(200);
        assert_eq!(Echo(&text).to_string(), text);
        assert_eq!(Echo(&(text.clone() + "é")).to_string(), text + "… (201 characters)");
    }

    #[test]
    fn a_list_is_cut_after_a_whole_name() {
        let names: Vec<String> = (0..1000).map(|k| format!("name{k}")).collect();
        let shown = EchoList(&names).to_string();
        assert!(shown.starts_with("name0, name1, ") && shown.ends_with(", … (1000 in all)"), "{shown}");
        assert!(shown.chars().count() < 250, "{shown}");
        let numbers = EchoNumbers(&[1e300; 1000]).to_string();
        assert!(
            numbers.starts_with("[1e300, 1e300, ") && numbers.ends_with(", … (1000 in all)]"),
            "{numbers}"
        );
    }

    #[test]
    fn what_a_parser_expected_is_kept_and_what_it_quotes_is_cut() {
        let long = "x, expected y".repeat(1000);
        let message = format!("invalid type: string \"{long}\", expected a number at line 3 column 4");
        let shown = EchoMessage(&message).to_string();
        assert!(shown.starts_with("invalid type: string \"x, expected"), "{shown}");
        assert!(shown.ends_with(" characters), expected a number at line 3 column 4"), "{shown}");
        assert!(shown.chars().count() < 300, "{shown}");
        assert!(EchoMessage(&"x".repeat(1000)).to_string().chars().count() < 300);
        assert!(EchoMessage(&format!("a `b`, expected {long}")).to_string().chars().count() < 300);
    }

    #[test]
    fn numbers_have_an_exponent_where_they_would_be_long() {
        let texts =
            [0.0, -0.0, 1e15, 123.456, 1e-6, f64::NAN, f64::INFINITY].map(|n| EchoNumber(n).to_string());
        assert_eq!(texts, ["0", "-0", "1000000000000000", "123.456", "0.000001", "NaN", "inf"]);
        let texts = [1e16, -1e300, 5e-324, 1e-8].map(|n| EchoNumber(n).to_string());
        assert_eq!(texts, ["1e16", "-1e300", "5e-324", "1e-8"]);
    }
}
