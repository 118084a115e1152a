//! Axes: the positions of ticks and their texts.
//!
//! Powers of ten are read from decimal text and parsed from it, not computed with `log10`. Decimal
//! text is the same on every machine, and so is the figure.

/// A linear axis from `low` to `high` with its ticks.
///
/// ```
/// use moglb_figure::Axis;
///
/// assert_eq!(Axis::unit().place(0.25), 0.25);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The value at the left or lower end.
    pub low: f64,
    /// The value at the right or upper end; larger than `low`.
    pub high: f64,
    /// The ticks, each with its text.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Returns an axis for the rounds 0..=T. It ends at T itself and has ticks at whole rounds.
    pub fn rounds(last: u64) -> Self {
        let high = last.max(1) as f64;
        let step = nice_step(high, 4).max(1.0);
        Self { low: 0.0, high, ticks: ticks(step, (high / step + 1e-9) as usize) }
    }

    /// Returns an axis for values from 0 up. It ends at the first tick that is not below the
    /// largest value.
    pub fn values(largest: f64) -> Self {
        let largest = if largest.is_finite() && largest > 1e-300 { largest } else { 1.0 };
        let step = nice_step(largest, 5);
        let count = (largest / step - 1e-9).ceil().max(1.0) as usize;
        Self { low: 0.0, high: step * count as f64, ticks: ticks(step, count) }
    }

    /// Returns an axis for the values between two bounds, with a little room on both sides. It need
    /// not begin at 0.
    pub fn between(low: f64, high: f64) -> Self {
        if !(low.is_finite() && high.is_finite() && low <= high) {
            return Self::unit();
        }
        let room = (0.06 * (high - low)).max(1e-9 * high.abs()).max(1e-12);
        let (low, high) = (low - room, high + room);
        let step = nice_step(high - low, 6);
        let decimals = usize::try_from(-scientific(step).1).unwrap_or(0);
        let (first, last) = ((low / step).ceil(), (high / step).floor());
        let tick = |k: u32| {
            let value = (first + f64::from(k)) * step;
            (value, format!("{:.decimals$}", if value.abs() < 0.5 * step { 0.0 } else { value }))
        };
        // There are only a few ticks, because the step was chosen for at most six of its lengths.
        Self { low, high, ticks: (0..=(last - first).max(0.0) as u32).map(tick).collect() }
    }

    /// Returns an axis for shares, from 0 to 1.
    pub fn unit() -> Self {
        Self { low: 0.0, high: 1.0, ticks: ticks(0.2, 5) }
    }

    /// Returns the position of a value on the axis, from 0 to 1. A value beyond an end gets the
    /// position of that end.
    pub fn place(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

/// A logarithmic axis with its ends.
///
/// ```
/// use moglb_figure::LogAxis;
///
/// let axis = LogAxis::holding([3.0, 40.0].into_iter(), 1.3);
/// assert_eq!(axis.ticks(), [5.0, 10.0, 20.0, 50.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LogAxis {
    /// The value at the left or lower end; positive.
    pub low: f64,
    /// The value at the right or upper end; at least ten times the lower one.
    pub high: f64,
}

impl LogAxis {
    /// Returns an axis for all positive values, with the factor `room` on both sides. It is at
    /// least a decade long, so that noise does not look like a trend.
    pub fn holding(values: impl Iterator<Item = f64>, room: f64) -> Self {
        let fine = |value: &f64| value.is_finite() && *value > 1e-300;
        let (low, high) =
            values.filter(fine).fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
        if high == 0.0 {
            return Self { low: 1.0, high: 10.0 };
        }
        let (low, high) = (low / room, high * room);
        let (middle, half) = ((low * high).sqrt(), 10.0_f64.sqrt());
        Self { low: low.min(middle / half), high: high.max(middle * half) }
    }

    /// Returns the position of a value on the axis, from 0 to 1. A value beyond an end gets the
    /// position of that end.
    pub fn place(&self, value: f64) -> f64 {
        (libm::log(value / self.low) / libm::log(self.high / self.low)).clamp(0.0, 1.0)
    }

    /// Returns the powers of ten on the axis. If there are at most two, also their doubles and
    /// their quintuples.
    pub fn ticks(&self) -> Vec<f64> {
        let (first, last) = (scientific(self.low).1, scientific(self.high).1);
        let inside = |factors: &[&str]| -> Vec<f64> {
            let all =
                (first..=last).flat_map(|power| factors.iter().map(move |f| parse(&format!("{f}e{power}"))));
            all.filter(|tick| (self.low..=self.high).contains(tick)).collect()
        };
        let tens = inside(&["1"]);
        if tens.len() > 2 { tens } else { inside(&["1", "2", "5"]) }
    }
}

/// Returns the step of 1, 2 or 5 times a power of ten that needs at most `count` steps up to
/// `high`.
fn nice_step(high: f64, count: usize) -> f64 {
    let raw = high / count as f64;
    let (mantissa, exponent) = scientific(raw);
    let (factor, carry) = match mantissa {
        m if m <= 1.0 => ("1", 0),
        m if m <= 2.0 => ("2", 0),
        m if m <= 5.0 => ("5", 0),
        _ => ("1", 1),
    };
    parse(&format!("{factor}e{}", exponent + carry))
}

/// Returns the ticks at 0, step, …, count · step.
fn ticks(step: f64, count: usize) -> Vec<(f64, String)> {
    let (_, exponent) = scientific(step * count.max(1) as f64);
    let (unit, suffix) = match exponent {
        ..-3 => (exponent, format!("e{exponent}")),
        -3..5 => (0, String::new()),
        5 => (3, "k".into()),
        6..9 => (6, "M".into()),
        9..12 => (9, "G".into()),
        _ => (exponent, format!("e{exponent}")),
    };
    let unit_value = parse(&format!("1e{unit}"));
    let decimals = usize::try_from(unit - scientific(step).1).unwrap_or(0);
    let tick = |index: usize| {
        let value = step * index as f64;
        let text = if index == 0 { "0".into() } else { format!("{:.decimals$}{suffix}", value / unit_value) };
        (value, text)
    };
    (0..=count).map(tick).collect()
}

/// Returns mantissa and exponent in decimal notation: 320 = 3.2e2. The value must be positive and
/// finite.
fn scientific(value: f64) -> (f64, i32) {
    let text = format!("{value:e}");
    let parts =
        text.split_once('e').and_then(|(mantissa, exponent)| Some((mantissa, exponent.parse().ok()?)));
    let (mantissa, exponent) = parts.expect("{:e} writes a whole exponent");
    (parse(mantissa), exponent)
}

fn parse(text: &str) -> f64 {
    text.parse().expect("the text was written as a number")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_of_the_paper_are_round() {
        assert_eq!(texts(&Axis::rounds(3000)), ["0", "1000", "2000", "3000"]);
        assert_eq!(texts(&Axis::values(167.3)), ["0", "50", "100", "150", "200"]);
        assert_eq!(texts(&Axis::unit()), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn long_and_short_horizons_have_short_ticks() {
        assert_eq!(texts(&Axis::rounds(10_000_000)), ["0", "5M", "10M"]);
        assert_eq!(texts(&Axis::rounds(200_000)), ["0", "50k", "100k", "150k", "200k"]);
        assert_eq!(texts(&Axis::rounds(1)), ["0", "1"]);
        assert_eq!(texts(&Axis::rounds(7)), ["0", "2", "4", "6"]);
    }

    #[test]
    fn an_axis_between_two_values_holds_both_and_its_ticks() {
        assert_eq!(texts(&Axis::between(0.79, 0.97)), ["0.80", "0.85", "0.90", "0.95"]);
        for (low, high) in [(-3.0, 2.0), (0.5, 0.5), (0.0, 0.0), (1e-7, 3e-7), (-1e9, 1e9)] {
            let axis = Axis::between(low, high);
            assert!(axis.low < low && axis.high > high && axis.ticks.len() <= 8, "{axis:?}");
            assert!(axis.ticks.iter().all(|(tick, _)| (axis.low..=axis.high).contains(tick)), "{axis:?}");
        }
        assert_eq!(Axis::between(f64::NAN, 1.0), Axis::unit());
        assert_eq!(Axis::between(f64::INFINITY, f64::NEG_INFINITY), Axis::unit());
    }

    #[test]
    fn an_axis_without_values_is_still_an_axis() {
        for largest in [0.0, f64::NAN, f64::INFINITY, -1.0, f64::MIN_POSITIVE] {
            let axis = Axis::values(largest);
            assert!(axis.high > axis.low && axis.place(0.0) == 0.0, "{largest}: {axis:?}");
        }
    }

    #[test]
    fn a_logarithmic_axis_holds_all_values_and_is_a_decade_long() {
        let axis = LogAxis::holding([3.0, 40.0, 0.0, f64::NAN].into_iter(), 1.3);
        assert!(axis.place(3.0) > 0.0 && axis.place(40.0) < 1.0 && axis.place(3.0) < axis.place(40.0));
        assert_eq!(axis.ticks(), [5.0, 10.0, 20.0, 50.0]);
        for axis in [LogAxis::holding([2.0].into_iter(), 1.3), LogAxis::holding(std::iter::empty(), 1.3)] {
            assert!(axis.high / axis.low > 9.99 && !axis.ticks().is_empty(), "{axis:?}");
        }
    }

    #[test]
    fn an_axis_holds_its_largest_value() {
        for exponent in -12..18 {
            for mantissa in [1.0, 1.01, 2.0, 3.7, 5.0, 9.99] {
                let largest = mantissa * parse(&format!("1e{exponent}"));
                let axis = Axis::values(largest);
                assert!(axis.high >= largest * (1.0 - 1e-9) && axis.ticks.len() <= 7, "{largest}: {axis:?}");
                assert!(axis.ticks.iter().all(|(_, text)| text.len() <= 7), "{largest}: {axis:?}");
            }
        }
    }
}
