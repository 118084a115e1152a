//! The data sets of this repository agree with their `meta.json` and READMEs.

use moglb_data::{Content, Dataset, Kind, check, load};
use std::path::PathBuf;

fn shipped(name: &str) -> Dataset {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name);
    assert_eq!(check(&folder, 10).findings.kept(), [], "{name}");
    load(&folder).unwrap()
}

#[test]
fn every_shipped_data_set_is_without_findings() {
    for (name, id, kind, rounds, arms, m) in [
        ("llm-routing", "k4", Kind::Full, Some(3559), 4, 3),
        ("llm-routing", "judges", Kind::Full, Some(2000), 3, 4),
        ("ist-stroke", "ist", Kind::Logged, Some(19285), 6, 4),
        ("sw-config", "hsqldb", Kind::Arms, None, 864, 3),
        ("sw-config", "vp8", Kind::Arms, None, 2736, 3),
        ("sw-config", "vp9", Kind::Arms, None, 3008, 2),
        ("sw-config", "lrzip", Kind::Arms, None, 5184, 2),
        ("sw-config", "x264", Kind::Arms, None, 4608, 2),
    ] {
        let data = shipped(name);
        let problem = data.problem(Some(id)).unwrap();
        let content = &problem.content;
        let got = (content.kind(), content.n_rounds(), problem.arms.ids.len(), problem.objectives.len());
        assert_eq!(got, (kind, rounds, arms, m), "{id}");
    }
}

/// The expected values are from `baselines.json`: the mean quality and the mean y_cheap of each model.
#[test]
fn the_means_of_the_models_are_those_of_the_baselines() {
    let data = shipped("llm-routing");
    let Content::Full(full) = &data.problem(Some("k4")).unwrap().content else { panic!("full") };
    for (arm, quality, cheap) in
        [(0, 0.792061, 0.768483), (1, 0.924986, 0.568487), (2, 0.926725, 0.533844), (3, 0.934405, 0.313549)]
    {
        for (objective, expected) in [(0, quality), (2, cheap)] {
            let values: Vec<f64> =
                full.rewards.rows().skip(arm).step_by(4).map(|row| row[objective]).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            assert!((mean - expected).abs() < 1e-6, "arm {arm}: {mean} for {expected}");
        }
    }
    assert_eq!(full.splits.as_ref().unwrap().iter().filter(|split| *split == "test").count(), 1793);
}

#[test]
fn a_problem_that_is_not_there_is_told_with_those_that_are() {
    let data = shipped("sw-config");
    let error = data.problem(Some("vp10")).unwrap_err().to_string();
    assert_eq!(error, "there is no problem `vp10`, there are: hsqldb, vp8, vp9, lrzip, x264");
    assert!(data.problem(None).is_err(), "there are several");
    assert_eq!(shipped("ist-stroke").problem(None).unwrap().id, "ist");
}
