//! Numbers as text for people, with only as many digits as are significant.

use moglb_sim::Curve;

/// The text that is shown if there is no value.
pub(super) const NONE: &str = "–";

/// A number with three significant digits, or with all digits before the point.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => NONE.into(),
        0.0 => "0".into(),
        size if size >= 1e9 => format!("{value:.2e}"),
        size if size >= 1000.0 => grouped(value, 0),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        size if size >= 1e-3 => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    }
}

/// A mean with its interval, both to the second significant digit of the interval.
pub(super) fn with_interval(mean: f64, half: f64) -> String {
    if !(half.is_finite() && half > 0.0 && mean.is_finite()) {
        return short(mean);
    }
    let decimals = match half {
        half if half >= 10.0 => 0,
        half if half >= 1.0 => 1,
        half if half >= 0.1 => 2,
        half if half >= 0.01 => 3,
        _ => 4,
    };
    format!("{} ± {}", grouped(mean, decimals), grouped(half, decimals))
}

/// A whole number with commas between its thousands.
pub(super) fn count(value: u64) -> String {
    group_digits(&value.to_string())
}

/// A parameter's value: as it was written, never rounded.
pub(super) fn exact(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-4..1e6).contains(&size) => format!("{value}"),
        _ => format!("{value:e}"),
    }
}

/// The last point of a curve: mean and half the width of its interval.
pub(super) fn last(curve: &Curve) -> Option<(f64, f64)> {
    let mean = *curve.mean.last()?;
    Some((mean, curve.ci95.get(curve.mean.len() - 1).copied().unwrap_or(0.0)))
}

/// The mean over trials; `None` without trials.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The names joined as in a sentence: `a, b and c`.
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// A number with this many decimals and commas between its thousands. A value that rounds to zero has no
/// sign.
fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(w, f)| (w, Some(f)));
    let is_zero = text.chars().all(|character| matches!(character, '0' | '.'));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    let fraction = fraction.map_or(String::new(), |digits| format!(".{digits}"));
    format!("{sign}{}{fraction}", group_digits(whole))
}

/// The digits of a whole number with commas between its thousands.
fn group_digits(digits: &str) -> String {
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_keep_three_digits() {
        let values = [0.0, 0.00012, 0.123456, 1.0, 30.18, 125.4, 3000.0, 1.5e9, f64::NAN];
        let texts: Vec<String> = values.into_iter().map(short).collect();
        assert_eq!(texts, ["0", "1.2e-4", "0.123", "1.00", "30.2", "125", "3,000", "1.50e9", "–"]);
    }

    #[test]
    fn the_interval_sets_the_digits_of_its_mean() {
        assert_eq!(with_interval(30.177, 2.713), "30.2 ± 2.7");
        assert_eq!(with_interval(1234.5, 56.7), "1,234 ± 57");
        assert_eq!(with_interval(0.7012, 0.0312), "0.701 ± 0.031");
        assert_eq!(with_interval(-0.001, 1.0), "0.0 ± 1.0");
    }

    #[test]
    fn without_an_interval_the_mean_stands_alone() {
        assert_eq!(with_interval(30.177, 0.0), "30.2");
        assert_eq!(with_interval(30.177, f64::NAN), "30.2");
    }

    #[test]
    fn parameters_are_not_rounded() {
        assert_eq!([0.0316, 1e-7, 1.0, 0.0].map(exact), ["0.0316", "1e-7", "1", "0"]);
    }

    #[test]
    fn lists_read_as_sentences() {
        let names = ["a", "b", "c"].map(String::from);
        assert_eq!([list(&names[..0]), list(&names[..1]), list(&names)], ["", "a", "a, b and c"]);
    }
}
