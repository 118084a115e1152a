//! Numbers as text for people.

use crate::record::{Record, Spread};

/// A number in three digits with the unit that fits its size.
pub fn quantity(value: f64, unit: &str) -> String {
    let scales: &[(f64, &str)] = match unit {
        "s" => &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")],
        "B/s" => &[(1e9, "GB/s")],
        "flop/s" => &[(1e9, "GFLOP/s")],
        other => return format!("{value} {other}"),
    };
    let (scale, name) =
        scales.iter().find(|(scale, _)| value >= *scale).unwrap_or(scales.last().expect("some"));
    format!("{} {name}", digits(value / scale))
}

/// A number in three digits, with four decimals at most.
pub fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        100.0.. => 0,
        10.0..100.0 => 1,
        0.1..10.0 | 0.0 => 2,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

/// A spread as text: the median with [minimum – 90th percentile].
pub fn spread(spread: &Spread, unit: &str) -> String {
    let median = quantity(spread.median, unit);
    if spread.min == spread.p90 {
        return median;
    }
    format!("{median} [{} – {}]", quantity(spread.min, unit), quantity(spread.p90, unit))
}

/// A record as a line of text.
pub fn line(record: &Record) -> String {
    let Record { section, case, who, what, unit, outcome, .. } = record;
    let result = match (&outcome.spread, &outcome.note) {
        (Some(numbers), None) => spread(numbers, unit),
        (Some(numbers), Some(note)) => format!("{} {note}", spread(numbers, unit)),
        (None, Some(note)) => note.clone(),
        (None, None) => "nothing".into(),
    };
    format!("{section:<10} {case:<26} {who:<22} {what:<28} {result}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_unit_that_fits() {
        assert_eq!(quantity(8.9e-7, "s"), "890 ns");
        assert_eq!(quantity(3.3e-5, "s"), "33.0 µs");
        assert_eq!(quantity(2.5, "s"), "2.50 s");
        assert_eq!(quantity(3.38e10, "B/s"), "33.8 GB/s");
        assert_eq!(quantity(896.0, "B"), "896 B");
        assert_eq!(
            [0.0, 0.0012, 0.54, 24.06, 1043.2].map(digits),
            ["0.00", "0.0012", "0.54", "24.1", "1043"]
        );
        assert_eq!(
            spread(&Spread { median: 2e-6, min: 1e-6, p90: 3e-6, samples: 4 }, "s"),
            "2.00 µs [1.00 µs – 3.00 µs]"
        );
    }
}
