//! The wording of a confirmation, shared by the terminal, the report and the figure.

use moglb_sim::{Confirmation, Demand, Estimate, LineOutcome, Metric, Settled};

/// The text that is shown if there is no value.
pub const NONE: &str = "–";

/// The warning at the top of the output of a shortened run.
pub const QUICK_LOOK: &str =
    "NOT A CONFIRMATION: a quick look with other trials or rounds, on seeds that development uses too.";

/// The requirement of a line, such as `Pareto regret at 3000 ≤ 0.5 × rival`.
pub fn required(line: &LineOutcome) -> String {
    let demand = match line.demand {
        Demand::RatioAtMost(ratio) => format!("≤ {ratio} × rival"),
        Demand::RatioAtLeast(ratio) => format!("≥ {ratio} × rival"),
        Demand::DifferenceAtLeast(0.0) => "≥ rival".into(),
        Demand::DifferenceAtLeast(difference) if difference < 0.0 => format!("≥ rival − {}", -difference),
        Demand::DifferenceAtLeast(difference) => format!("≥ rival + {difference}"),
        Demand::Higher => "> rival".into(),
        Demand::AtLeast(bound) => format!("≥ {bound}"),
    };
    let t = line.t;
    match line.metric {
        Metric::ParetoRegret => format!("Pareto regret at {t} {demand}"),
        Metric::Jaccard => format!("Jaccard at {t} {demand}"),
        Metric::JaccardMean => format!("mean Jaccard to {t} {demand}"),
        Metric::Recall => format!("recall at {t} {demand}"),
        Metric::FrontSize => format!("front size at {t} {demand}"),
        Metric::ExposureEntropy => format!("entropy at {t} {demand}"),
    }
}

/// A mean ± half of its 95 % interval.
pub fn estimate(metric: Metric, Estimate { mean, ci95 }: Estimate) -> String {
    let digits = digits(metric);
    format!("{mean:.digits$} ± {ci95:.digits$}")
}

/// The ratio or the difference that the requirement is about, with its paired 95 % interval.
pub fn compared(line: &LineOutcome) -> String {
    match (line.demand, line.ratio) {
        (Demand::RatioAtMost(_) | Demand::RatioAtLeast(_), Some(ratio)) => {
            format!("× {:.3} [{:.3}, {:.3}]", ratio.value, ratio.low, ratio.high)
        }
        (Demand::AtLeast(_), _) => NONE.into(),
        _ => {
            let (digits, Estimate { mean, ci95 }) = (digits(line.metric) + 1, line.difference);
            format!("{mean:+.digits$} ± {ci95:.digits$}")
        }
    }
}

/// The verdict on a line: whether the means compare as required, and whether the interval leaves it
/// undecided.
pub fn verdict(line: &LineOutcome) -> &'static str {
    match (line.met, line.settled) {
        (true, Settled::Undecided) => "met, undecided",
        (false, Settled::Undecided) => "not met, undecided",
        (true, _) => "met",
        (false, _) => "not met",
    }
}

/// The numbers of lines that were met and that are undecided.
pub fn count(confirmation: &Confirmation) -> String {
    let (mut met, mut undecided, mut all) = (0, 0, 0);
    for (_, line) in confirmation.lines() {
        met += usize::from(line.met);
        undecided += usize::from(line.settled == Settled::Undecided);
        all += 1;
    }
    format!("{met} of {all} lines met, {undecided} undecided")
}

/// The number of decimals of a metric.
fn digits(metric: Metric) -> usize {
    match metric {
        Metric::ParetoRegret | Metric::FrontSize => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_sim::Ratio;

    fn line(demand: Demand, met: bool, settled: Settled) -> LineOutcome {
        let estimate = |mean: f64| Estimate { mean, ci95: 0.5 };
        LineOutcome {
            metric: Metric::ParetoRegret,
            t: 3000,
            demand,
            challenger: estimate(2.0),
            rival: estimate(5.0),
            control: None,
            difference: estimate(-3.0),
            ratio: Some(Ratio { value: 0.4, low: 0.3, high: 0.55 }),
            margin: estimate(0.5),
            met,
            settled,
        }
    }

    #[test]
    fn a_line_is_compared_by_what_it_is_about() {
        let ratio = line(Demand::RatioAtMost(0.5), true, Settled::Undecided);
        assert_eq!(required(&ratio), "Pareto regret at 3000 ≤ 0.5 × rival");
        assert_eq!(compared(&ratio), "× 0.400 [0.300, 0.550]");
        let difference = line(Demand::DifferenceAtLeast(-0.03), false, Settled::Missed);
        assert_eq!(required(&difference), "Pareto regret at 3000 ≥ rival − 0.03");
        assert_eq!(compared(&difference), "-3.000 ± 0.500");
    }

    #[test]
    fn a_verdict_says_when_the_interval_leaves_a_doubt() {
        let verdict = |met, settled| verdict(&line(Demand::Higher, met, settled));
        assert_eq!(verdict(true, Settled::Met), "met");
        assert_eq!(verdict(true, Settled::Undecided), "met, undecided");
        assert_eq!(verdict(false, Settled::Undecided), "not met, undecided");
        assert_eq!(verdict(false, Settled::Missed), "not met");
    }
}
