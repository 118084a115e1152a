//! Cells of the tables that people open in spreadsheets. Names in a table may come from files of others, so a
//! name must not be able to run as a formula.

use std::borrow::Cow;

/// Returns a text as a cell of a CSV file. Spreadsheets run a cell that begins with `=`, `+`, `-`, `@`, a tab
/// or a carriage return as a formula, so such a text gets an apostrophe in front, unless it is a number.
pub fn safe(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    if is_formula { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_get_an_apostrophe_and_numbers_do_not() {
        for text in ["=1+1", "+SUM(A1)", "-2+3", "@x", "\t=1", "\r=1", "-", "=cmd|' /C calc'!A0", "-1,5"] {
            assert_eq!(safe(text), format!("'{text}"));
        }
        for text in ["", "-1.5", "+2", "-1e-7", "-inf", "paper", "a=b", "{\"c\":1}", "'=1"] {
            assert_eq!(safe(text), text);
        }
    }
}
