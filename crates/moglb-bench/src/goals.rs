//! The targets of the cases, and the moonshots beyond them. Verdicts are computed from the records.

use crate::record::who;
use crate::sections::{
    EARLY, KINDS, OBJECTIVES, POINTS, VARIANTS, Variant, WINDOWS, front_case, policies_case, streaming_case,
};
use crate::world::{MILLION, SIZES, Size};

/// A bound on this project's number, absolute or relative to another contestant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bar {
    /// At least this many times faster than the other.
    Faster(f64),
    /// At most this many times the other.
    Within(f64),
    /// At most this, in the unit of the record.
    AtMost(f64),
}

/// A target.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// The section.
    pub section: &'static str,
    /// The case.
    pub case: String,
    /// The measured quantity of this project.
    pub what: &'static str,
    /// The contestants to compare with, of which the fastest counts. Empty if the bar is a number.
    pub against: &'static [&'static str],
    /// The measured quantity of the other contestants.
    pub their: &'static str,
    /// The bound that must be reached.
    pub must: Bar,
    /// A better bound, which is not required.
    pub moonshot: Option<Bar>,
}

/// Every target, in the order of the report.
pub fn goals() -> Vec<Goal> {
    let mut goals = rounds();
    goals.extend(streaming());
    goals.extend(fresh());
    goals.push(recommended());
    goals.extend(fronts());
    goals.extend(whole_programs());
    goals
}

/// Whole rounds on fixed arms, compared with C and two versions in NumPy.
fn rounds() -> Vec<Goal> {
    let goal = |index: usize, against, must, moonshot| Goal {
        section: "windows",
        case: WINDOWS[index].size.name(),
        what: "round",
        against,
        their: "round",
        must,
        moonshot,
    };
    let expert = [50.0, 17.0, 8.0, 8.0];
    let mut goals = Vec::new();
    for (index, times) in expert.into_iter().enumerate() {
        let moonshot = if index == 0 { Bar::AtMost(0.5e-6) } else { Bar::Faster(2.0) };
        goals.push(goal(index, &[who::C], Bar::Faster(1.0), Some(moonshot)));
        goals.push(goal(index, &[who::NUMPY_EXPERT], Bar::Faster(times), None));
    }
    goals.insert(2, goal(0, &[who::NUMPY_NAIVE], Bar::Faster(150.0), None));
    goals
}

/// Passes and rounds on many fixed arms, compared with reading the memory they need.
fn streaming() -> Vec<Goal> {
    let goal = |size: Size, variant: &Variant, what| Goal {
        section: "streaming",
        case: streaming_case(size, variant),
        what,
        against: &[who::FLOOR],
        their: "read",
        must: Bar::Within(1.5),
        moonshot: None,
    };
    let mut goals = vec![goal(SIZES[2], &VARIANTS[0], "pass")];
    goals.extend(VARIANTS.iter().map(|variant| goal(MILLION, variant, "round")));
    goals
}

/// Fresh arms: the pass compared with the arithmetic it needs, rounds with NumPy.
fn fresh() -> Vec<Goal> {
    let mut goals = Vec::new();
    for (size, times) in SIZES.into_iter().zip([10.0, 10.0, 4.0, 4.0]) {
        let goal = |what, against, must, moonshot| Goal {
            section: "fresh",
            case: size.name(),
            what,
            against,
            their: what,
            must,
            moonshot,
        };
        goals.push(goal("pass", &[who::FLOOR], Bar::Within(1.5), Some(Bar::Within(1.0))));
        goals.push(goal("round", &[who::NUMPY_GOOD], Bar::Faster(times), None));
    }
    goals
}

/// A round of the recommended policy.
fn recommended() -> Goal {
    Goal {
        section: "policies",
        case: policies_case(true),
        what: "moglb-eb",
        against: &[],
        their: "",
        must: Bar::AtMost(10e-6),
        moonshot: None,
    }
}

/// The front filter, compared with the better of two peers.
fn fronts() -> Vec<Goal> {
    let mut goals = Vec::new();
    for m in OBJECTIVES {
        for kind in KINDS {
            goals.extend(POINTS.map(|n| Goal {
                section: "front",
                case: front_case(kind, n, m),
                what: "filter",
                against: &[who::MOOCORE, who::PARETOSET],
                their: "filter",
                must: Bar::Faster(2.0),
                moonshot: Some(Bar::Faster(5.0)),
            }));
        }
    }
    goals
}

/// Figure 1, `moglb reproduce`, and the size of the state.
fn whole_programs() -> Vec<Goal> {
    let goal = |section, case: &str, what, must, moonshot| Goal {
        section,
        case: case.into(),
        what,
        against: &[],
        their: "",
        must: Bar::AtMost(must),
        moonshot,
    };
    let figure1 = |what| goal("figure1", "d=10, T=3000, 10 trials", what, 0.045, Some(Bar::AtMost(0.02)));
    vec![
        figure1("rounds"),
        figure1("play"),
        goal("reproduce", "defaults", "wall clock", 1.0, Some(Bar::AtMost(0.5))),
        Goal {
            section: "state",
            case: "K=20, d=5, t=10000000".into(),
            what: "state",
            against: &[EARLY],
            their: "state",
            must: Bar::Within(1.0),
            moonshot: None,
        },
    ]
}
