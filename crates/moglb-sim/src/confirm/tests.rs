use super::*;
use crate::play::checkpoints;
use crate::{Cell, Estimate, FinishedRun, Streams, Trace, Unwatched, pending, run};
use std::collections::BTreeSet;

fn quick(ids: &[&str], horizon: u64, trials: usize) -> Confirming {
    let ids: Vec<String> = ids.iter().map(|id| id.to_string()).collect();
    Confirming::new(&ids, QuickLook { horizon: Some(horizon), trials: Some(trials) }).unwrap()
}

/// The trials of a small case, played in a namespace.
fn played(namespace: Namespace) -> Vec<FinishedRun> {
    let (case, _) = &quick(&["paper-5"], 100, 3).planned[0];
    let plan = experiment(case, namespace).plan().unwrap();
    Runner::new(&plan, namespace, None, &Unwatched).run().unwrap().runs
}

fn regrets(runs: &[FinishedRun]) -> Vec<&Vec<f64>> {
    runs.iter().flat_map(|run| run.traces.iter().map(|trace: &Trace| &trace.pareto_regret)).collect()
}

#[test]
fn every_case_can_be_played_and_has_its_required_rounds_on_its_curves() {
    let all = Confirming::new(&[], QuickLook::default()).unwrap();
    let cases: Vec<&Case> = all.planned.iter().map(|(case, _)| case).collect();
    assert_eq!(cases.len(), 13);
    let seeds: BTreeSet<u64> = cases.iter().map(|case| case.seed).collect();
    assert_eq!(seeds.len(), cases.len(), "cases do not share luck");
    for case in cases {
        let rounds = checkpoints(case.horizon, CURVE_POINTS);
        assert!(case.lines.iter().all(|line| rounds.contains(&line.t)), "{}: {:?}", case.id, case.lines);
        let streams = Streams::new(case.seed, Namespace::Tune, case.environment.dim(), 0);
        case.environment.instance(streams).unwrap();
    }
}

/// Streams differ by their namespace, so it is enough that only a confirmation plays cells of the third.
#[test]
fn only_a_confirmation_plays_confirmation_seeds() {
    let [confirmed, reported] = [Namespace::Confirm, Namespace::Report].map(played);
    let [a, b] = [regrets(&confirmed), regrets(&reported)];
    assert!(a.iter().all(|curve| !b.contains(curve)), "no trial is the same");
    assert_eq!(confirmed[1].tuning, reported[1].tuning, "c is tuned on tuning seeds in both");

    let (_, plan) = &quick(&["paper-5"], 100, 3).planned[0];
    let developed = run(plan, 1, None, &Unwatched).unwrap();
    assert_eq!(regrets(&developed.runs), b, "a run plays reported seeds, whatever its experiment is called");
    let refused = plan.cell((Namespace::Confirm, 0, 0, 0));
    assert!(matches!(refused, Err(SimError::Entry { .. })), "{refused:?}");
    let written = plan.cell((Namespace::Report, 0, 0, 0)).unwrap().to_json();
    let refused = Cell::from_json(&written.replace("Report", "Confirm"));
    assert!(matches!(refused, Err(SimError::Entry { .. })), "{refused:?}");
    let folder = tempfile::tempdir().unwrap();
    let log = CellLog::create(&folder.path().join("cells"), "").unwrap();
    let cells = pending(plan, &log);
    assert!(cells.iter().all(|cell| cell.0 != Namespace::Confirm));
}

#[test]
fn a_quick_look_is_no_confirmation_and_does_not_see_its_seeds() {
    for look in
        [QuickLook { horizon: Some(3000), trials: None }, QuickLook { horizon: None, trials: Some(600) }]
    {
        let quick = Confirming::new(&["paper-5".into()], look).unwrap();
        assert!(quick.is_quick_look() && quick.namespace == Namespace::Report);
    }
    let whole = Confirming::new(&["paper-5".into()], QuickLook::default()).unwrap();
    assert!(!whole.is_quick_look() && whole.namespace == Namespace::Confirm);
    let head = |plan: &Confirming| plan.cases().unwrap()[0].1.clone();
    let same = Confirming::new(&["paper-5".into()], QuickLook { horizon: Some(3000), trials: Some(600) });
    assert_ne!(head(&whole), head(&same.unwrap()), "their logs do not mix");
}

#[test]
fn lines_are_judged_by_their_own_trials() {
    let confirmed = quick(&["misspecified"], 120, 4).run(1, &[], &Unwatched).unwrap();
    let (case, results) = (&confirmed.confirmation.cases[0], &confirmed.results[0]);
    let regret = &case.lines[0];
    let last = |role: Role| -> Vec<f64> {
        results.runs[role as usize].traces.iter().map(|trace| *trace.pareto_regret.last().unwrap()).collect()
    };
    let [a, b] = [Role::Challenger, Role::Rival].map(last);
    assert_eq!((regret.t, regret.challenger, regret.rival), (120, Estimate::of(&a), Estimate::of(&b)));
    assert_eq!(regret.ratio, Ratio::of(&a, &b));
    assert_eq!(regret.met, regret.challenger.mean <= regret.rival.mean);
    assert_eq!(regret.control, Some(Estimate::of(&last(Role::Control))));
    assert_eq!(case.lines.len(), 4);
    assert!(confirmed.confirmation.quick_look);
}

#[test]
fn a_case_that_is_not_there_is_named() {
    let error = Confirming::new(&["paper-6".into()], QuickLook::default()).unwrap_err();
    assert!(error.to_string().contains("case `paper-6`: there is no such case, only paper-5"), "{error}");
    let none = QuickLook { horizon: Some(0), trials: None };
    assert!(matches!(Confirming::new(&[], none), Err(SimError::Bounds { name: "horizon", .. })));
}
