//! The verdict on a goal, computed from the records.

use crate::goals::{Bar, Goal};
use crate::record::{Record, Spread, who};

/// The verdict on a goal, with its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// This project's numbers over all repeats.
    pub ours: Option<Spread>,
    /// The contestant that this project is compared with, and its numbers over all repeats.
    pub theirs: Option<(String, Spread)>,
    /// theirs / ours for [`Bar::Faster`], ours / theirs for [`Bar::Within`]: median, lowest and highest over
    /// the repeats, each within one repeat.
    pub ratio: Option<[f64; 3]>,
    /// The reason why this project has no numbers, if it was too slow to be measured. The bar then counts as
    /// missed.
    pub stopped: Option<String>,
    /// True if the bar is reached. `Err` has the reason why this is unknown.
    pub must: Result<bool, String>,
    /// True if the moonshot is reached; `None` if there is none or it is unknown.
    pub moonshot: Option<bool>,
}

impl Verdict {
    /// Computes the verdict from the records of the goal's case.
    pub fn of(goal: &Goal, records: &[Record]) -> Self {
        let of = |who: &str, what: &str| -> Vec<&Record> {
            let fits = |r: &&Record| {
                r.section == goal.section && r.case == goal.case && r.who == who && r.what == what
            };
            records.iter().filter(fits).collect()
        };
        let ours = of(who::OURS, goal.what);
        let others = goal.against.iter().map(|who| (*who, of(who, goal.their)));
        let best = others
            .filter_map(|(who, records)| Some((who, pooled(&records)?, records)))
            .min_by(|a, b| a.1.median.total_cmp(&b.1.median));
        let ratio = best.as_ref().and_then(|(_, _, theirs)| ratio(goal.must, &ours, theirs));
        let our_spread = pooled(&ours);
        let reached = |bar: Bar| match bar {
            Bar::AtMost(most) => our_spread.map(|spread| spread.median <= most),
            Bar::Faster(times) => ratio.map(|[median, ..]| median >= times),
            Bar::Within(times) => ratio.map(|[median, ..]| median <= times),
        };
        let silent = || {
            let asked = if our_spread.is_none() { &[who::OURS][..] } else { goal.against };
            let what = if our_spread.is_none() { goal.what } else { goal.their };
            let mut notes = asked.iter().flat_map(|who| of(who, what)).filter_map(|r| r.outcome.note.clone());
            notes.next_back().unwrap_or_else(|| "not measured in this run".into())
        };
        let stopped = ours.iter().filter(|r| r.outcome.is_stopped()).find_map(|r| r.outcome.note.clone());
        let stopped = stopped.filter(|_| our_spread.is_none());
        let reached = |bar: Bar| if stopped.is_some() { Some(false) } else { reached(bar) };
        let must = reached(goal.must).ok_or_else(silent);
        let moonshot = goal.moonshot.and_then(reached);
        Self {
            stopped,
            ours: our_spread,
            theirs: best.map(|(who, spread, _)| (who.into(), spread)),
            ratio,
            must,
            moonshot,
        }
    }
}

/// The numbers of all repeats together: the median of medians, the lowest minimum, the highest 90th
/// percentile. `None` if no record has numbers.
pub fn pooled(records: &[&Record]) -> Option<Spread> {
    let spreads: Vec<Spread> = records.iter().filter_map(|record| record.outcome.spread).collect();
    if spreads.is_empty() {
        return None;
    }
    Some(Spread {
        median: Spread::of(spreads.iter().map(|s| s.median).collect()).median,
        min: spreads.iter().map(|s| s.min).fold(f64::INFINITY, f64::min),
        p90: spreads.iter().map(|s| s.p90).fold(0.0, f64::max),
        samples: spreads.iter().map(|s| s.samples).sum(),
    })
}

/// The median, the lowest and the highest of the ratios of medians, each taken within one repeat.
fn ratio(bar: Bar, ours: &[&Record], theirs: &[&Record]) -> Option<[f64; 3]> {
    let mut ratios = Vec::new();
    for our in ours {
        for their in theirs.iter().filter(|their| their.repeat == our.repeat) {
            if let (Some(ours), Some(theirs)) = (our.outcome.spread, their.outcome.spread) {
                let faster = theirs.median / ours.median;
                ratios.push(if matches!(bar, Bar::Within(_)) { 1.0 / faster } else { faster });
            }
        }
    }
    if ratios.is_empty() {
        return None;
    }
    ratios.sort_by(f64::total_cmp);
    Some([ratios[ratios.len() / 2], ratios[0], ratios[ratios.len() - 1]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Outcome;

    fn record(who: &str, repeat: usize, outcome: impl Into<Outcome>) -> Record {
        Record {
            section: "windows".into(),
            case: "K=40, d=10".into(),
            who: who.into(),
            what: "round".into(),
            unit: "s".into(),
            repeat,
            outcome: outcome.into(),
        }
    }

    fn goal(against: &'static [&'static str], must: Bar) -> Goal {
        Goal {
            section: "windows",
            case: "K=40, d=10".into(),
            what: "round",
            against,
            their: "round",
            must,
            moonshot: Some(Bar::AtMost(0.5)),
        }
    }

    #[test]
    fn a_ratio_is_taken_within_a_repeat() {
        // In the second repeat the machine was twice as slow for both.
        let records = [
            record(who::OURS, 0, Spread::exact(1.0)),
            record(who::C, 0, Spread::exact(3.0)),
            record(who::OURS, 1, Spread::exact(2.0)),
            record(who::C, 1, Spread::exact(6.0)),
        ];
        let verdict = Verdict::of(&goal(&[who::C], Bar::Faster(2.5)), &records);
        assert_eq!(verdict.ratio, Some([3.0, 3.0, 3.0]));
        assert_eq!((verdict.must, verdict.moonshot), (Ok(true), Some(false)));
        assert_eq!(Verdict::of(&goal(&[who::C], Bar::Faster(3.5)), &records).must, Ok(false));
        assert_eq!(Verdict::of(&goal(&[who::C], Bar::Within(0.3)), &records).must, Ok(false));
        assert_eq!(Verdict::of(&goal(&[who::C], Bar::Within(0.4)), &records).must, Ok(true));
    }

    #[test]
    fn the_fastest_peer_counts() {
        let records = [
            record(who::OURS, 0, Spread::exact(1.0)),
            record(who::MOOCORE, 0, Spread::exact(9.0)),
            record(who::PARETOSET, 0, Spread::exact(4.0)),
        ];
        let verdict = Verdict::of(&goal(&[who::MOOCORE, who::PARETOSET], Bar::Faster(5.0)), &records);
        assert_eq!(verdict.theirs.unwrap().0, who::PARETOSET);
        assert_eq!(verdict.must, Ok(false));
    }

    #[test]
    fn too_slow_to_be_measured_is_missed() {
        let records = [
            record(who::OURS, 0, Outcome::stopped("about 31 s")),
            record(who::MOOCORE, 0, Spread::exact(0.5)),
        ];
        let verdict = Verdict::of(&goal(&[who::MOOCORE], Bar::Faster(2.0)), &records);
        assert_eq!((verdict.must, verdict.moonshot), (Ok(false), Some(false)));
        assert_eq!(verdict.stopped.as_deref(), Some("stopped: about 31 s"));
    }

    #[test]
    fn what_was_not_measured_is_neither_met_nor_missed() {
        let records =
            [record(who::OURS, 0, Spread::exact(1.0)), record(who::C, 0, Outcome::not_run("no C compiler"))];
        let verdict = Verdict::of(&goal(&[who::C], Bar::Faster(1.0)), &records);
        assert_eq!(verdict.must, Err("no C compiler".into()));
        let verdict = Verdict::of(&goal(&[who::NUMPY_EXPERT], Bar::Faster(1.0)), &records);
        assert_eq!(verdict.must, Err("not measured in this run".into()));
        let verdict = Verdict::of(&goal(&[who::C], Bar::Faster(1.0)), &records[1..]);
        assert_eq!((verdict.ours, verdict.must), (None, Err("not measured in this run".into())));
    }
}
