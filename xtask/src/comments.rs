//! The comments of Rust source text, line by line. Strings are skipped, so `"//"` in a string does not begin
//! a comment.

/// One line of a source file.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Line {
    /// The whole line.
    pub text: String,
    /// The comment, from its slashes on; empty without one.
    pub comment: String,
    /// True for test code.
    pub is_test: bool,
}

impl Line {
    /// True for a line of documentation.
    pub fn is_doc(&self) -> bool {
        (self.comment.starts_with("///") && !self.comment.starts_with("////"))
            || self.comment.starts_with("//!")
    }

    /// The comment without its slashes.
    pub fn words(&self) -> &str {
        self.comment.trim_start_matches(['/', '!']).trim()
    }
}

/// Reads source text. Test code begins at an attribute `#[cfg(test)]` in the first column, and goes on to the
/// end of the file: here tests are always last. Block comments, `/* */`, are not used here and are not read.
pub fn read(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut is_test = false;
    let mut string: Option<String> = None;
    for text in text.lines() {
        is_test |= string.is_none() && text.starts_with("#[cfg(test)]");
        let comment = comment_of(text, &mut string).to_string();
        lines.push(Line { text: text.into(), comment, is_test });
    }
    lines
}

/// Returns the comment at the end of a line. `string` is the closing text of the string that the line begins
/// in; afterwards it is that of the string in which the line ends.
fn comment_of<'a>(line: &'a str, string: &mut Option<String>) -> &'a str {
    let mut at = 0;
    while at < line.len() {
        let rest = &line[at..];
        if let Some(end) = string {
            let found = if end == "\"" { closing_quote(rest) } else { rest.find(end.as_str()) };
            let Some(found) = found else { return "" };
            at += found + end.len();
            *string = None;
        } else if rest.starts_with("//") {
            return rest;
        } else if let Some((length, end)) = opening(line, at) {
            *string = Some(end);
            at += length;
        } else if rest.starts_with('\'') {
            at += character(rest);
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    ""
}

/// The place of the first quote that no backslash escapes.
fn closing_quote(rest: &str) -> Option<usize> {
    let mut escaped = false;
    rest.char_indices().find_map(|(at, letter)| {
        let ends = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends.then_some(at)
    })
}

/// The length of the opening of a string at a place, and the text that ends it.
fn opening(line: &str, at: usize) -> Option<(usize, String)> {
    let rest = &line[at..];
    if rest.starts_with('"') {
        return Some((1, "\"".into()));
    }
    let is_in_word = line[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    let raw = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r')).filter(|_| !is_in_word)?;
    let fences = raw.len() - raw.trim_start_matches('#').len();
    raw[fences..]
        .starts_with('"')
        .then(|| (rest.len() - raw.len() + fences + 1, format!("\"{}", "#".repeat(fences))))
}

/// The length of a character literal, or of the quote of a lifetime.
fn character(rest: &str) -> usize {
    let inside = &rest[1..];
    let length = match inside.strip_prefix('\\') {
        Some(escaped) => {
            escaped.char_indices().skip(1).find(|&(_, letter)| letter == '\'').map(|(at, _)| at + 1)
        }
        None => inside.chars().next().map(char::len_utf8),
    };
    match length {
        Some(length) if inside[length..].starts_with('\'') => length + 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comments(text: &str) -> Vec<String> {
        read(text).into_iter().map(|line| line.comment).collect()
    }

    #[test]
    fn comments_are_found_behind_code_and_not_in_strings() {
        assert_eq!(comments("let a = 1; // one"), ["// one"]);
        assert_eq!(comments("let a = \"// no\"; // yes"), ["// yes"]);
        assert_eq!(comments("let a = \"\\\"// no\";"), [""]);
        assert_eq!(comments("let a = r#\"\" // no\"#; // yes"), ["// yes"]);
        assert_eq!(comments("let a = \"one\n// no\n\"; // yes"), ["", "", "// yes"]);
        assert_eq!(comments("let a = '\"'; // yes"), ["// yes"]);
        assert_eq!(comments("let a = ['\\'', '\\u{2f}', '/', '\"']; // yes"), ["// yes"]);
        assert_eq!(comments("fn f<'a>(x: &'a str) {} // yes"), ["// yes"]);
    }

    #[test]
    fn documentation_and_test_code_are_told_from_the_rest() {
        let lines = read("/// A.\n//! B.\n// C.\n//// D.\n#[cfg(test)]\nmod tests {\n/// E.\n");
        let is_doc: Vec<bool> = lines.iter().map(Line::is_doc).collect();
        assert_eq!(is_doc, [true, true, false, false, false, false, true]);
        assert!(!lines[3].is_test && lines[4].is_test && lines[6].is_test);
        assert_eq!(lines[0].words(), "A.");
    }
}
