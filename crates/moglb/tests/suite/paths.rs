//! The path that finds the front of each kind of arm set, and the places of the paper's equations in the
//! source.

use moglb::{
    Arm, ArmId, ArmSet, Csr, Decision, FrontPath, Link, MoglbUcb, MoglbUcbConfig, Norms, Objective, Policy,
    Problem, Storage, Width, draw,
};
use std::path::Path;
use std::sync::Arc;

/// A policy of d features and three objectives after a few rounds.
fn learned(dim: usize) -> MoglbUcb {
    let objectives = (0..3).map(|i| Objective::new(format!("o{i}"), Link::Logit)).collect();
    let config = MoglbUcbConfig { width: Width::Tuned { c: 0.1 }, ..Default::default() };
    let mut policy = MoglbUcb::new(Problem::new(dim, objectives).unwrap(), config).unwrap();
    let arms = arms(dim, 20);
    for arm in 0..20 {
        policy.learn(arms.arm(ArmId(arm)), &[1.0, 0.0, (arm % 2) as f64]).unwrap();
    }
    policy
}

fn arms(dim: usize, n_arms: usize) -> ArmSet<'static> {
    let mut rng = draw::seeded(11);
    let contexts = (0..n_arms * dim).map(|_| draw::normal(&mut rng)).collect();
    ArmSet::new(dim, contexts, Norms::Clip).unwrap()
}

fn sparse(dim: usize, n_arms: usize) -> ArmSet<'static> {
    let columns = (0..n_arms).map(|arm| arm % dim).collect();
    let table = Csr::new(dim, (0..=n_arms).collect(), columns, vec![0.5; n_arms]).unwrap();
    ArmSet::sparse(table, Norms::Strict).unwrap()
}

fn decide(policy: &MoglbUcb, arms: &ArmSet, mut decision: Decision) -> Decision {
    policy.decide_into(arms, &mut draw::seeded(1), &mut decision).unwrap();
    decision
}

#[test]
fn fresh_arms_take_the_path_that_is_for_them() {
    let policy = learned(4);
    let is_wide = cfg!(target_arch = "x86_64") && std::is_x86_feature_detected!("avx512f");
    let small = if is_wide { FrontPath::FreshUnrolled } else { FrontPath::FreshSmall };
    let cases = [
        (arms(4, 40), Decision::lean(), small),
        (arms(4, 40), Decision::default(), FrontPath::FreshSmall),
        (arms(4, 97), Decision::lean(), FrontPath::FreshRows),
        (arms(4, 300), Decision::default(), FrontPath::FreshRows),
        (arms(4, 300), Decision::lean(), FrontPath::FreshBounded),
        (sparse(4, 300), Decision::lean(), FrontPath::FreshSparse),
    ];
    for (arms, decision, path) in cases {
        assert_eq!(decide(&policy, &arms, decision).path(), Some(path));
    }
    let long = decide(&learned(17), &arms(17, 40), Decision::lean());
    assert_eq!(long.path().map(FrontPath::name), Some("fresh-small"));
}

#[test]
fn fixed_arms_take_the_path_that_is_for_them() {
    let cases = [
        (arms(4, 40), FrontPath::FixedSmall),
        (arms(4, 40).stored_as(Storage::F32), FrontPath::FixedTiles),
        (arms(4, 97), FrontPath::FixedSweep),
        (arms(4, 16_376), FrontPath::FixedSweep),
        (arms(4, 16_377), FrontPath::FixedFused),
    ];
    for (arms, path) in cases {
        let (mut policy, arms) = (learned(4), Arc::new(arms));
        policy.fix_arms(&arms).unwrap();
        assert_eq!(decide(&policy, &arms, Decision::lean()).path(), Some(path));
        policy.learn(arms.arm(ArmId(1)), &[0.0, 1.0, 1.0]).unwrap();
        let cached = decide(&policy, &arms, Decision::lean());
        assert_eq!(cached.path(), Some(path));
        let fresh = decide(&policy, &arms, Decision::default());
        assert_eq!(cached.front, fresh.front, "{}", path.name());
    }
}

#[test]
fn the_first_round_keeps_every_arm() {
    let problem = Problem::new(4, vec![Objective::new("click", Link::Logit)]).unwrap();
    let mut policy = MoglbUcb::new(problem, MoglbUcbConfig::default()).unwrap();
    let set = Arc::new(arms(4, 40));
    assert_eq!(decide(&policy, &set, Decision::lean()).path(), Some(FrontPath::EveryArm));
    policy.fix_arms(&set).unwrap();
    assert_eq!(decide(&policy, &set, Decision::lean()).path(), Some(FrontPath::EveryArm));
    let x: Arm<'_> = set.arm(ArmId(0));
    policy.learn(x, &[1.0]).unwrap();
    assert_eq!(decide(&policy, &set, Decision::lean()).path(), Some(FrontPath::FixedSmall));
}

/// The lines of all source files of a folder that end with a mark.
fn marked(folder: &Path, mark: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            marked(&path, mark, found);
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            found.extend(text.lines().filter(|line| line.ends_with(mark)).map(|_| name.to_string()));
        }
    }
}

#[test]
fn each_equation_of_the_paper_is_computed_where_one_mark_says() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources =
        ["moglb-math", "moglb-pareto", "moglb-core", "moglb"].map(|name| crates.join(name).join("src"));
    let places = [(1, "learner.rs"), (2, "learner.rs"), (6, "rows.rs"), (8, "width.rs")];
    for (equation, file) in places {
        let mut found = Vec::new();
        sources.iter().for_each(|source| marked(source, &format!("// Eq. ({equation})"), &mut found));
        assert_eq!(found, [file], "Eq. ({equation})");
    }
}
