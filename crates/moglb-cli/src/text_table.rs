//! Tables in plain text, for terminals.

/// Formats a head and rows as text. Each column is as wide as its widest cell, counted in characters.
pub fn aligned<const N: usize>(head: &[&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut all = vec![head.map(String::from)];
    all.extend(rows);
    let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in &all {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        text += line.trim_end();
        text.push('\n');
    }
    text
}
