//! Deciding and learning do not allocate once a policy has seen arms of a size.

use moglb::{
    ArmSet, Decision, EkfUcb, EkfUcbConfig, Kappa, Link, MoglbEb, MoglbEbConfig, MoglbUcb, MoglbUcbConfig,
    Norms, Objective, Policy, Problem, Width, draw,
};
use std::sync::Arc;

const ROUNDS: usize = 300;

fn arms(n_arms: usize, dim: usize, seed: u64) -> Arc<ArmSet<'static>> {
    let mut rng = draw::seeded(seed);
    let contexts = (0..n_arms * dim).map(|_| 0.5 * draw::normal(&mut rng)).collect();
    Arc::new(ArmSet::new(dim, contexts, Norms::Clip).unwrap())
}

fn policy(dim: usize, m: usize, kappa: Kappa) -> MoglbUcb {
    let objectives = (0..m).map(|i| Objective::new(format!("y{i}"), Link::ALL[i % 2])).collect();
    let config = MoglbUcbConfig { width: Width::Tuned { c: 0.1 }, kappa, ..Default::default() };
    MoglbUcb::new(Problem::new(dim, objectives).unwrap(), config).unwrap()
}

fn ekf_policy(dim: usize, m: usize, objective: Option<usize>) -> EkfUcb {
    // A small ball, so that estimates are often projected.
    let objectives = (0..m).map(|i| Objective::new(format!("y{i}"), Link::ALL[i % 4])).collect();
    let problem = Problem::new(dim, objectives).unwrap().with_radius(0.3).unwrap();
    EkfUcb::new(problem, EkfUcbConfig { objective, ..Default::default() }).unwrap()
}

/// Plays rounds, and returns the number of allocations in the second half of them.
fn allocations(
    policy: &mut dyn Policy,
    sets: &[Arc<ArmSet<'static>>],
    m: usize,
    mut decision: Decision,
) -> u64 {
    let mut rng = draw::seeded(9);
    let mut reward = vec![0.0; m];
    let mut round = |t: usize| {
        let arms = &sets[t % sets.len()];
        policy.decide_into(arms, &mut rng, &mut decision).unwrap();
        reward.iter_mut().for_each(|y| *y = draw::below(2, &mut rng) as f64);
        policy.learn(arms.arm(decision.arm), &reward).unwrap();
    };
    (0..ROUNDS).for_each(&mut round);
    allocation_counter::measure(|| (ROUNDS..2 * ROUNDS).for_each(&mut round)).count_total
}

#[test]
fn rounds_on_fixed_arms_allocate_nothing() {
    for (n_arms, dim, m, kappa) in
        [(40, 10, 5, Kappa::Shared), (40, 10, 9, Kappa::PerObjective), (500, 33, 3, Kappa::Shared)]
    {
        let (arms, mut policy) = (arms(n_arms, dim, 1), policy(dim, m, kappa));
        policy.fix_arms(&arms).unwrap();
        let count = allocations(&mut policy, &[arms], m, Decision::lean());
        assert_eq!(count, 0, "K = {n_arms}, d = {dim}, m = {m}");
    }
}

/// Arms with equal scores are compared by their exact scores in every round.
#[test]
fn rounds_on_duplicated_arms_allocate_nothing() {
    let once = arms(20, 6, 3);
    let rows: Vec<&[f64]> = (0..40).map(|k| once.context(k % 20)).collect();
    let twice = Arc::new(ArmSet::from_rows(&rows).unwrap());
    let mut policy = policy(6, 3, Kappa::Shared);
    policy.fix_arms(&twice).unwrap();
    assert_eq!(allocations(&mut policy, &[twice], 3, Decision::lean()), 0);
}

#[test]
fn rounds_on_fresh_arms_allocate_nothing() {
    let sets: Vec<Arc<ArmSet<'static>>> = (0..10).map(|seed| arms(60, 12, seed)).collect();
    for decision in [Decision::default(), Decision::lean()] {
        let mut policy = policy(12, 4, Kappa::Shared);
        assert_eq!(allocations(&mut policy, &sets, 4, decision), 0);
    }
}

#[test]
fn rounds_of_ekf_ucb_allocate_nothing() {
    let sets: Vec<Arc<ArmSet<'static>>> = (0..10).map(|seed| arms(60, 12, seed)).collect();
    for objective in [None, Some(1)] {
        for decision in [Decision::default(), Decision::lean()] {
            let mut policy = ekf_policy(12, 4, objective);
            assert_eq!(allocations(&mut policy, &sets, 4, decision), 0);
            assert!(
                policy.model().map_or(0, |model| model.projection_hits()) > 100,
                "only {} projections",
                policy.model().map_or(0, |model| model.projection_hits())
            );
        }
    }
}

/// Between batches and at their ends, with tables and without.
#[test]
fn rounds_of_moglb_eb_allocate_nothing() {
    let sets: Vec<Arc<ArmSet<'static>>> = (0..10).map(|seed| arms(60, 12, seed)).collect();
    for (sets, fixed) in [(&sets[..], false), (&sets[..1], true)] {
        for decision in [Decision::default(), Decision::lean()] {
            let objectives = (0..4).map(|i| Objective::new(format!("y{i}"), Link::ALL[i])).collect();
            let problem = Problem::new(12, objectives).unwrap();
            let mut policy = MoglbEb::new(problem, MoglbEbConfig::default()).unwrap();
            if fixed {
                policy.fix_arms(&sets[0]).unwrap();
            }
            assert_eq!(allocations(&mut policy, sets, 4, decision), 0, "fixed: {fixed}");
        }
    }
}

/// A negative control: the count can be above zero.
#[test]
fn a_new_decision_every_round_is_counted() {
    let (arms, policy) = (arms(40, 10, 1), policy(10, 5, Kappa::Shared));
    let mut rng = draw::seeded(9);
    let count = allocation_counter::measure(|| drop(policy.decide(&arms, &mut rng))).count_total;
    assert!(count > 0);
}
