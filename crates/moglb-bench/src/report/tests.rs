use super::*;
use crate::record::{Outcome, who};

fn record(who: &str, outcome: impl Into<Outcome>) -> Record {
    Record {
        section: "windows".into(),
        case: "K=40, d=10".into(),
        who: who.into(),
        what: "round".into(),
        unit: "s".into(),
        repeat: 0,
        outcome: outcome.into(),
    }
}

fn windows(records: &[Record]) -> String {
    markdown(records)
}

fn line<'a>(text: &'a str, needle: &str) -> &'a str {
    text.lines().find(|line| line.contains(needle)).unwrap_or_else(|| panic!("no `{needle}` in\n{text}"))
}

#[test]
fn verdicts_come_from_the_numbers() {
    let spread = |median: f64| Spread { median, min: median / 2.0, p90: 2.0 * median, samples: 9 };
    let text = windows(&[
        record(who::OURS, spread(1e-6)),
        record(who::C, spread(0.9e-6)),
        record(who::NUMPY_EXPERT, spread(60e-6)),
    ]);
    assert_eq!(
        line(&text, "≥ 1× as fast as C"),
        "- windows: K=40, d=10, round: ≥ 1× as fast as C wanted, 0.90× as fast found"
    );
    let row = "| K=40, d=10 | round | 1.00 µs [500 ns – 2.00 µs] | C: 900 ns [450 ns – 1.80 µs] | \
               0.90× as fast [0.90 – 0.90] | ≥ 1× as fast as C | **missed** | ≤ 500 ns: no |";
    assert!(text.contains(row), "{text}");
    assert!(line(&text, "| NumPy expert: ").contains("| met |"));
    assert!(text.contains("**1 targets met, 1 missed, 7 not measured; 0 moonshots reached.**"), "{text}");
}

#[test]
fn what_did_not_run_says_why() {
    let text = windows(&[
        record(who::OURS, Spread::exact(1e-6)),
        record(who::C, Outcome::not_run("not run: no C compiler")),
    ]);
    assert!(line(&text, "| ≥ 1× as fast as C |").contains("| not run: no C compiler |"));
    assert!(line(&text, "| ≥ 50× as fast as NumPy expert |").contains("| not measured in this run |"));
    assert!(text.contains("Missed: none."));
}

#[test]
fn the_numbers_of_a_case_are_a_row_with_a_line_for_each_contestant() {
    let text = windows(&[
        record(who::OURS, Spread { median: 1e-6, min: 0.5e-6, p90: 2e-6, samples: 9 }),
        record(who::C, Outcome::not_run("not run: no C compiler")),
    ]);
    let row =
        "| K=40, d=10 | round | moglb: 1.00 µs [500 ns – 2.00 µs], n = 9<br>C: not run: no C compiler |";
    assert!(text.contains(row), "{text}");
}

#[test]
fn every_row_of_a_table_has_as_many_cells_as_its_head() {
    let of =
        |section: &Section| Record { section: section.name.into(), ..record(who::OURS, Spread::exact(1e-6)) };
    let text = markdown(&SECTIONS.iter().map(of).collect::<Vec<_>>());
    let mut cells = None;
    for line in text.lines() {
        let count = line.starts_with('|').then(|| line.matches('|').count());
        if let (Some(before), Some(now)) = (cells, count) {
            assert_eq!(before, now, "{line}");
        }
        cells = count;
    }
    for section in &SECTIONS {
        assert!(text.contains(&format!("## {}", section.title)));
    }
}

#[test]
fn facts_of_the_machine_stand_at_the_head_and_a_quick_run_is_marked() {
    let text = markdown(&[machine::record("processor", "a test")]);
    assert!(text.contains("| processor | a test |") && !text.contains("numbers mean nothing"));
    assert!(markdown(&[machine::record(machine::QUICK, "tiny")]).contains("numbers mean nothing"));
}
