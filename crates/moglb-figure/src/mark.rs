//! Marks for points: their shapes distinguish points where colors cannot.

use crate::svg;

/// Returns a filled mark. The number `shape` selects, in turn: dot, square, triangle up, triangle
/// down, diamond.
pub fn mark((x, y): (f64, f64), shape: usize, color: &str) -> String {
    let points = |corners: &[(f64, f64)]| {
        let path = svg::path(corners.iter().map(|(dx, dy)| (x + dx, y + dy)));
        format!("<path d=\"{path}Z\" fill=\"{color}\"/>\n")
    };
    match shape % 5 {
        0 => svg::dot((x, y), 4.0, color),
        1 => points(&[(-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)]),
        2 => points(&[(0.0, -5.0), (4.6, 3.4), (-4.6, 3.4)]),
        3 => points(&[(0.0, 5.0), (4.6, -3.4), (-4.6, -3.4)]),
        _ => points(&[(0.0, -5.2), (5.2, 0.0), (0.0, 5.2), (-5.2, 0.0)]),
    }
}

/// Returns a diagonal cross.
pub fn cross((x, y): (f64, f64), size: f64, color: &str) -> String {
    svg::line((x - size, y - size), (x + size, y + size), color, 1.8)
        + &svg::line((x - size, y + size), (x + size, y - size), color, 1.8)
}

/// Returns an empty diamond.
pub fn diamond((x, y): (f64, f64), size: f64, color: &str) -> String {
    let corners = [(0.0, -size), (size, 0.0), (0.0, size), (-size, 0.0), (0.0, -size)];
    svg::stroke(&svg::path(corners.map(|(dx, dy)| (x + dx, y + dy))), color, 1.6, &[])
}
