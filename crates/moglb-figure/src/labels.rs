//! Names of points, placed next to them so that no name covers another.

use crate::svg::{self, INK};

/// A rectangle: left, top, right, bottom.
type Area = [f64; 4];

/// The font size of the names.
const SIZE: f64 = 10.0;
/// The distances of a name from its point: directly next to it, or at the end of a line that leads
/// there.
const DISTANCES: [f64; 4] = [8.0, 18.0, 30.0, 44.0];

/// The names within an area, and the areas that they must not cover.
///
/// ```
/// use moglb_figure::Labels;
///
/// let mut labels = Labels::within([0.0, 0.0, 200.0, 100.0]);
/// labels.keep_off((50.0, 50.0), 4.0);
/// assert!(labels.place((50.0, 50.0), "MOGLB-EB", "#222222").contains("MOGLB-EB"));
/// ```
pub struct Labels {
    bounds: Area,
    taken: Vec<Area>,
}

impl Labels {
    /// Returns an area without names.
    pub fn within(bounds: Area) -> Self {
        Self { bounds, taken: Vec::new() }
    }

    /// Reserves the area of a mark, so that no name covers it.
    pub fn keep_off(&mut self, (x, y): (f64, f64), radius: f64) {
        self.keep_off_area([x - radius, y - radius, x + radius, y + radius]);
    }

    /// Reserves an area, so that no name covers it.
    pub fn keep_off_area(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Places a name next to its point and returns its SVG. Returns an empty text if there is no
    /// room.
    pub fn place(&mut self, point: (f64, f64), name: &str, color: &str) -> String {
        let (width, height) = (svg::text_width(name, SIZE), SIZE);
        let area = |(dx, dy): (f64, f64), distance: f64| {
            let (x, y) = (point.0 + dx * distance, point.1 + dy * distance);
            let left = x - width * (1.0 - dx.signum() * f64::from(u8::from(dx != 0.0))) / 2.0;
            [left, y - height / 2.0, left + width, y + height / 2.0]
        };
        const WAYS: [(f64, f64); 8] = [
            (1.0, 0.0),
            (0.0, -1.0),
            (0.0, 1.0),
            (-1.0, 0.0),
            (0.7, -0.7),
            (0.7, 0.7),
            (-0.7, -0.7),
            (-0.7, 0.7),
        ];
        let all = DISTANCES.iter().flat_map(|&distance| WAYS.map(|way| (area(way, distance), way, distance)));
        let Some((area, way, distance)) = all.into_iter().find(|(area, _, _)| self.is_free(area)) else {
            return String::new();
        };
        self.taken.push(area);
        let lead = if distance == DISTANCES[0] {
            String::new()
        } else {
            let end = distance - 3.0;
            let from = (point.0 + way.0 * 5.0, point.1 + way.1 * 5.0);
            svg::line(from, (point.0 + way.0 * end, point.1 + way.1 * end), "#9a9a9a", 0.7)
        };
        let text = svg::text((area[0], area[3] - 1.5), SIZE, "start", name);
        lead + &if color == INK {
            text
        } else {
            text.replacen("<text", &format!("<text fill=\"{color}\""), 1)
        }
    }

    /// Returns true if an area lies within the bounds and covers no other area.
    fn is_free(&self, [left, top, right, bottom]: &Area) -> bool {
        let inside = *left >= self.bounds[0] && *top >= self.bounds[1];
        let inside = inside && *right <= self.bounds[2] && *bottom <= self.bounds[3];
        inside && !self.taken.iter().any(|[l, t, r, b]| left < r && l < right && top < b && t < bottom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cover_neither_each_other_nor_marks_and_stay_inside() {
        let mut labels = Labels::within([0.0, 0.0, 200.0, 100.0]);
        let points = [(190.0, 50.0), (185.0, 52.0), (10.0, 95.0), (12.0, 94.0), (188.0, 48.0)];
        points.iter().for_each(|&point| labels.keep_off(point, 4.0));
        let marks = labels.taken.len();
        let written: String = points.iter().map(|&point| labels.place(point, "a name", INK)).collect();
        assert_eq!(written.matches("<text").count(), labels.taken.len() - marks);
        assert!(labels.taken.len() > marks + 2, "there is room for some");
        for (k, a) in labels.taken.iter().enumerate().skip(marks) {
            assert!(a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= 200.0 && a[3] <= 100.0, "{a:?}");
            for b in &labels.taken[..k] {
                assert!(a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3], "{a:?} and {b:?}");
            }
        }
        let mut full = Labels::within([0.0, 0.0, 20.0, 20.0]);
        assert_eq!(full.place((10.0, 10.0), "far too long", INK), "");
    }
}
