//! For sparse contexts, decisions and learning use the stored entries only. Every bit equals that of the same
//! contexts with their zeros.

use moglb::{
    Arm, ArmId, ArmSet, Csr, Decision, Link, Norms, Objective, POLICIES, PolicyConfig, Problem, Restorable,
    Rng, SparseRow, draw,
};
use std::sync::Arc;

/// Contexts of all kinds: few entries, none, all; entries of one block, equal contexts, tiny entries.
fn table(n_arms: usize, dim: usize, rng: &mut dyn Rng) -> Csr {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for arm in 0..n_arms {
        let kind = draw::below(6, rng);
        let share = [0.1, 0.3, 1.0, 0.0, 0.2, 0.1][kind];
        let range = if kind == 4 { dim / 2..dim } else { 0..dim };
        if kind == 5 && arm > 0 {
            let twin = starts[arm - 1]..starts[arm];
            columns.extend_from_within(twin.clone());
            values.extend_from_within(twin);
        } else {
            for column in range.filter(|_| draw::unit(rng) < share).collect::<Vec<_>>() {
                columns.push(column);
                values.push(draw::normal(rng) * if draw::below(9, rng) == 0 { 1e-9 } else { 1.0 });
            }
        }
        starts.push(values.len());
    }
    Csr::new(dim, starts, columns, values).unwrap()
}

/// An arm set in sparse and in dense form.
fn both(n_arms: usize, dim: usize, rng: &mut dyn Rng) -> [ArmSet<'static>; 2] {
    let table = table(n_arms, dim, rng);
    let rows: Vec<f64> = table.rows().flat_map(SparseRow::to_dense).collect();
    [ArmSet::sparse(table, Norms::Clip).unwrap(), ArmSet::new(dim, rows, Norms::Clip).unwrap()]
}

fn problem(dim: usize, m: usize) -> Problem {
    let objective = |i: usize| {
        let objective = Objective::new(format!("y{i}"), Link::ALL[i % 4]).range(0.0, 1.0);
        if i % 3 == 2 { objective.minimize() } else { objective }
    };
    Problem::new(dim, (0..m).map(objective).collect()).unwrap()
}

fn build(text: &str, problem: &Problem) -> [Box<dyn Restorable>; 2] {
    let config: PolicyConfig = serde_json::from_str(text).unwrap();
    [config.build(problem).unwrap(), config.build(problem).unwrap()]
}

/// The bits of all numbers of a decision.
fn bits(decision: &Decision) -> (usize, Vec<usize>, Vec<u64>) {
    let tables = [decision.estimates.as_slice(), decision.widths.as_slice(), &decision.probabilities];
    let numbers = tables.into_iter().flatten().map(|x| x.to_bits()).collect();
    (decision.arm.0, decision.front.iter().map(|arm| arm.0).collect(), numbers)
}

/// Plays both policies, each on its own form of the arms, and checks that they agree.
fn play(
    name: &str,
    policies: &mut [Box<dyn Restorable>; 2],
    rounds: usize,
    lean: bool,
    mut arms: impl FnMut(usize) -> [Arc<ArmSet<'static>>; 2],
) {
    let mut rng = draw::seeded(rounds as u64);
    for t in 0..rounds {
        let (sets, seed) = (arms(t), t as u64);
        let decisions = [0, 1].map(|k| {
            let mut decision = if lean { Decision::lean() } else { Decision::default() };
            policies[k].decide_into(&sets[k], &mut draw::seeded(seed), &mut decision).unwrap();
            decision
        });
        assert_eq!(bits(&decisions[0]), bits(&decisions[1]), "{name}, round {t}");
        let m = policies[0].problem().n_objectives();
        let mut reward: Vec<Option<f64>> = (0..m).map(|_| Some(draw::unit(&mut rng))).collect();
        if t % 5 == 4 && policies[0].facts().learns_parts {
            reward[t % m] = None;
        }
        for (policy, set) in policies.iter_mut().zip(&sets) {
            policy.learn_part(set.arm(decisions[0].arm), &reward).unwrap();
        }
        assert!(policies[0].to_bytes() == policies[1].to_bytes(), "{name}, round {t}: states part");
    }
}

#[test]
fn every_policy_decides_and_learns_alike_on_sparse_contexts() {
    for (case, (dim, n_arms, m)) in [(1, 3, 1), (7, 5, 3), (21, 11, 2), (40, 18, 5)].into_iter().enumerate() {
        let mut rng = draw::seeded(40 + case as u64);
        let sets = both(n_arms, dim, &mut rng).map(Arc::new);
        let problem = problem(dim, m).with_arms(n_arms).unwrap();
        for info in POLICIES {
            let text = format!(r#"{{"id":"{}"}}"#, info.id);
            play(&text, &mut build(&text, &problem), 24, false, |_| sets.clone());
        }
    }
}

/// The policies that read stored entries, with all parameters that matter for it.
const AWARE: &[&str] = &[
    r#"{"id":"moglb-ucb"}"#,
    r#"{"id":"moglb-ucb","width":"proved","kappa":"per-objective"}"#,
    r#"{"id":"moglb-ucb","discount":0.999}"#,
    r#"{"id":"ekf-ucb"}"#,
    r#"{"id":"ekf-ucb","lambda":0.5,"c":1.0,"objective":0}"#,
    r#"{"id":"ekf-ucb","discount":0.999}"#,
    r#"{"id":"moglb-eb"}"#,
    r#"{"id":"mo-gloc"}"#,
    r#"{"id":"mo-glb-omd"}"#,
];

#[test]
fn fresh_sparse_arms_are_decided_alike_with_and_without_tables() {
    for text in AWARE {
        for (dim, n_arms, m, lean) in
            [(9, 30, 2, false), (33, 41, 3, true), (50, 7, 9, false), (26, 300, 2, true)]
        {
            let mut rng = draw::seeded(dim as u64);
            let problem = problem(dim, m);
            let rounds = if n_arms < 100 { 60 } else { 12 };
            play(text, &mut build(text, &problem), rounds, lean, |_| {
                both(n_arms, dim, &mut rng).map(Arc::new)
            });
        }
    }
}

#[test]
fn fixed_sparse_arms_are_decided_alike() {
    for text in AWARE {
        let mut rng = draw::seeded(8);
        let sets = both(60, 30, &mut rng).map(Arc::new);
        let mut policies = build(text, &problem(30, 3));
        for (policy, set) in policies.iter_mut().zip(&sets) {
            policy.fix_arms(set).unwrap();
        }
        play(text, &mut policies, 60, true, |_| sets.clone());
    }
}

/// With one block per arm, most rows of M do not change.
#[test]
fn a_block_per_arm_is_learned_alike() {
    let (n_arms, size) = (12, 7);
    for text in AWARE {
        let mut rng = draw::seeded(5);
        let mut arms = |_| {
            let mut table = (vec![0], Vec::new(), Vec::new());
            for arm in 0..n_arms {
                table.1.extend(arm * size..(arm + 1) * size);
                table.2.extend((0..size).map(|_| 0.3 * draw::normal(&mut rng)));
                table.0.push(table.1.len());
            }
            let table = Csr::new(n_arms * size, table.0, table.1, table.2).unwrap();
            let rows: Vec<f64> = table.rows().flat_map(SparseRow::to_dense).collect();
            let dense = ArmSet::new(n_arms * size, rows, Norms::Clip).unwrap();
            [ArmSet::sparse(table, Norms::Clip).unwrap(), dense].map(Arc::new)
        };
        play(text, &mut build(text, &problem(n_arms * size, 2)), 80, false, &mut arms);
    }
}

#[test]
fn a_refused_sparse_round_changes_nothing() {
    let problem = problem(6, 2);
    let set = |dim: usize| {
        ArmSet::sparse(Csr::new(dim, vec![0, 1], vec![2], vec![0.5]).unwrap(), Norms::Strict).unwrap()
    };
    for text in AWARE {
        let [mut policy, _] = build(text, &problem);
        let (good, other) = (set(6), set(5));
        let good: Arm<'_> = good.arm(ArmId(0)).renamed(ArmId(3));
        policy.learn(good, &[0.5, 0.5]).unwrap();
        let before = policy.to_bytes();
        assert!(policy.decide(&other, &mut draw::seeded(1)).is_err(), "{text}");
        assert!(policy.learn(other.arm(ArmId(0)), &[0.5, 0.5]).is_err(), "{text}");
        assert!(policy.learn(good, &[0.5, f64::NAN]).is_err(), "{text}");
        assert!(policy.learn(good, &[0.5]).is_err(), "{text}");
        assert_eq!(policy.to_bytes(), before, "{text}");
    }
}
