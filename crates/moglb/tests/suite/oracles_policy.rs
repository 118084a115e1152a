//! The paper's statements about the whole policy, by the numbers of the oracle list.

use crate::common::{ball, bernoulli, dense, direction, dot, positive_ball, vector};
use moglb::{
    Arm, ArmId, ArmSet, EkfUcb, EkfUcbConfig, Link, MoglbUcb, MoglbUcbConfig, Objective, Policy, Problem,
    Restorable, Rng, Width, draw, gaps,
};
use nalgebra::{DMatrix, DVector};

/// A world with known coefficients: two probit and three logit objectives (or fewer), as in the paper's
/// experiments.
struct World {
    problem: Problem,
    arms: ArmSet<'static>,
    means: Vec<Vec<f64>>,
    thetas: Vec<Vec<f64>>,
}

fn world(dim: usize, objectives: usize, rng: &mut dyn Rng) -> World {
    let links = [Link::Probit, Link::Logit, Link::Logit, Link::Probit, Link::Logit];
    let objective = |i: usize| Objective::new(format!("y{i}"), links[i]);
    let problem = Problem::new(dim, (0..objectives).map(objective).collect()).unwrap();
    let thetas: Vec<Vec<f64>> = (0..objectives).map(|_| positive_ball(dim, rng)).collect();
    let rows: Vec<Vec<f64>> =
        (0..4 * dim).map(|k| ball(dim, if k < 3 * dim { 0.5 } else { 1.0 }, rng)).collect();
    let mean = |x: &Vec<f64>| (0..objectives).map(|i| links[i].mean(dot(&thetas[i], x))).collect();
    let means = rows.iter().map(mean).collect();
    World { problem, arms: ArmSet::from_rows(&rows).unwrap(), means, thetas }
}

fn pull(world: &World, arm: ArmId, rng: &mut dyn Rng) -> Vec<f64> {
    world.means[arm.0].iter().map(|&mean| bernoulli(mean, rng)).collect()
}

fn policy(problem: &Problem, width: Width) -> MoglbUcb {
    MoglbUcb::new(problem.clone(), MoglbUcbConfig { width, ..Default::default() }).unwrap()
}

/// Oracle 10: the score is the largest θᵀx over the ellipsoid of Eq. (3). Random points approach it from
/// below, and one point attains it.
#[test]
fn the_score_is_the_maximum_over_the_confidence_set() {
    let mut rng = draw::seeded(110);
    let world = world(4, 2, &mut rng);
    let mut policy = policy(&world.problem, Width::Tightened { delta: 0.05 });
    for round in 0..60 {
        let decision = policy.decide(&world.arms, &mut rng).unwrap();
        if round % 10 == 9 {
            check_closed_form(&world, &policy, &decision, &mut rng);
        }
        policy.learn(world.arms.arm(decision.arm), &pull(&world, decision.arm, &mut rng)).unwrap();
    }
}

fn check_closed_form(world: &World, policy: &MoglbUcb, decision: &moglb::Decision, rng: &mut dyn Rng) {
    for i in 0..world.problem.n_objectives() {
        let (z, root) = (policy.gram(i), policy.gamma(i).sqrt());
        let center = vector(policy.theta().row(i));
        let factor = dense(z).cholesky().unwrap().unpack().transpose();
        for arm in 0..world.arms.n_arms() {
            let x = vector(world.arms.context(arm));
            let score = decision.estimates.row(arm)[i] + decision.widths.row(arm)[i];
            let mut best = f64::NEG_INFINITY;
            for _ in 0..200 {
                // ‖θ − θ̂‖²_Z = γ for θ = θ̂ + √γ L⁻ᵀs with ‖s‖ = 1.
                let s = vector(&direction(z.dim(), rng));
                let theta = &center + factor.solve_upper_triangular(&s).unwrap() * root;
                best = best.max(theta.dot(&x));
            }
            assert!(best <= score + 1e-12, "a point of the ellipsoid scores {best}, above {score}");
            // 200 directions in four dimensions: with chance 1e-20 none is within 60° of the best.
            assert!(best >= score - 0.5 * decision.widths.row(arm)[i], "no sample came near: {best} {score}");
            let top = vector(&z.solve(x.as_slice())) * (root / z.squared_norm_inv(x.as_slice()).sqrt());
            let attained = (&center + &top).dot(&x);
            assert!((attained - score).abs() < 1e-10, "attained {attained}, score {score}");
            let on_edge = z.squared_norm(top.as_slice());
            assert!((on_edge / policy.gamma(i) - 1.0).abs() < 1e-10, "the top is not on the edge: {on_edge}");
        }
    }
}

/// Oracle 14: γ and γ̃ never shrink, and the tightened one is never larger if R = 1 and y is 0 or 1.
#[test]
fn widths_never_shrink_and_the_tightened_one_is_smaller() {
    for seed in 0..8 {
        let mut rng = draw::seeded(1400 + seed);
        let world = world(2 + seed as usize % 4, 3, &mut rng);
        let mut policies =
            [Width::Proved { delta: 0.05 }, Width::Tightened { delta: 0.05 }, Width::Tuned { c: 0.3 }]
                .map(|width| policy(&world.problem, width));
        let mut last = [[0.0; 3]; 3];
        for round in 0..300 {
            let gamma = policies.each_ref().map(|p| [0, 1, 2].map(|i| p.gamma(i)));
            for i in 0..3 {
                for (kind, name) in ["proved", "tightened", "tuned"].iter().enumerate() {
                    let (now, before) = (gamma[kind][i], last[kind][i]);
                    assert!(now >= before, "round {round}: the {name} γ fell from {before} to {now}");
                }
                assert!(
                    gamma[1][i] <= gamma[0][i],
                    "round {round}: γ̃ {} above γ {}",
                    gamma[1][i],
                    gamma[0][i]
                );
            }
            last = gamma;
            // All policies learn the same plays: two rounds of three from the tightened front, otherwise any
            // arm.
            let decision = policies[1].decide(&world.arms, &mut rng).unwrap();
            let arm =
                if round % 3 == 0 { ArmId(draw::below(world.arms.n_arms(), &mut rng)) } else { decision.arm };
            let reward = pull(&world, arm, &mut rng);
            policies.iter_mut().for_each(|p| p.learn(world.arms.arm(arm), &reward).unwrap());
        }
        assert!(last[0][0] > 10.0 * last[1][0], "γ {} is not far above γ̃ {}", last[0][0], last[1][0]);
    }
}

/// Plays, and counts the rounds in which PSG exceeds 2L√γ_t ‖x_t‖_{Z_t⁻¹} and those in which a set misses the
/// true coefficients.
fn per_round_violations(width: Width, seed: u64) -> (u32, u32) {
    let mut rng = draw::seeded(seed);
    let world = world(2 + seed as usize % 4, 4, &mut rng);
    let gap = gaps(&moglb::Matrix::from_rows(&world.means).unwrap()).unwrap();
    let lipschitz = world.problem.shared_constants().lipschitz;
    let mut policy = policy(&world.problem, width);
    let (mut violations, mut misses) = (0, 0);
    for round in 0..400 {
        let decision = policy.decide(&world.arms, &mut rng).unwrap();
        let x = world.arms.context(decision.arm.0);
        // The γ before this round's learning built O_t. O_1 = X is not a front of scores, so the bound starts
        // at t = 2.
        let bound = 2.0 * lipschitz * (policy.gamma(0) * policy.gram(0).squared_norm_inv(x)).sqrt();
        // With γ̃ every objective has its own γ; the theorem needs the largest one.
        let bound = (1..4).fold(bound, |bound, i| {
            bound.max(2.0 * lipschitz * (policy.gamma(i) * policy.gram(i).squared_norm_inv(x)).sqrt())
        });
        violations += u32::from(round > 0 && gap[decision.arm.0] > bound);
        let theta = policy.theta();
        misses += u32::from((0..4).any(|i| {
            let off: Vec<f64> = theta.row(i).iter().zip(&world.thetas[i]).map(|(a, b)| a - b).collect();
            policy.gram(i).squared_norm(&off) > policy.gamma(i)
        }));
        policy.learn(world.arms.arm(decision.arm), &pull(&world, decision.arm, &mut rng)).unwrap();
    }
    (violations, misses)
}

/// Oracle 15: Theorem 2 in every round, on the event of Theorem 1. That event fails with chance at most
/// δ = 0.05 per run (this was never observed: the sets are several times too wide). So a false alarm needs a
/// miss, which is reported first.
#[test]
fn theorem_2_holds_in_every_round() {
    for width in [Width::Proved { delta: 0.05 }, Width::Tightened { delta: 0.05 }] {
        for seed in 1500..1512 {
            let (violations, misses) = per_round_violations(width, seed);
            assert_eq!(misses, 0, "{width:?}, seed {seed}: {misses} rounds in which a set misses the truth");
            assert_eq!(violations, 0, "{width:?}, seed {seed}: {violations} rounds above 2L√γ‖x‖");
        }
    }
}

/// Oracle 15, negative: a width without a guarantee must violate the bound; otherwise the test above could
/// not fail.
#[test]
fn theorem_2_fails_for_a_width_that_is_too_small() {
    let (violations, misses) = per_round_violations(Width::Tuned { c: 1e-4 }, 1501);
    assert!(violations > 20 && misses > 300, "{violations} violations and {misses} misses in 400 rounds");
}

/// Oracle 17: with one objective the front is the set of arms with the largest score, duplicates included.
#[test]
fn one_objective_has_the_front_of_its_largest_score() {
    for seed in 0..20 {
        let mut rng = draw::seeded(1700 + seed);
        let World { problem, arms, means, .. } = world(3, 1, &mut rng);
        let mut rows: Vec<&[f64]> = (0..arms.n_arms()).map(|k| arms.context(k)).collect();
        rows.extend_from_within(..); // every arm twice: ties of exactly two
        let arms = ArmSet::from_rows(&rows).unwrap();
        let mut policy =
            policy(&problem, [Width::Tuned { c: 0.1 }, Width::Proved { delta: 0.1 }][seed as usize % 2]);
        for round in 0..80 {
            let decision = policy.decide(&arms, &mut rng).unwrap();
            let score = |k: usize| decision.estimates.row(k)[0] + decision.widths.row(k)[0];
            let best = (0..arms.n_arms()).map(score).fold(f64::NEG_INFINITY, f64::max);
            let argmax: Vec<ArmId> = (0..arms.n_arms()).filter(|&k| score(k) == best).map(ArmId).collect();
            if round > 0 {
                assert_eq!(decision.front.arms(), argmax, "round {round}");
                assert_eq!(argmax.len() % 2, 0, "twins tie exactly: {argmax:?}");
            }
            let reward = bernoulli(means[decision.arm.0 % means.len()][0], &mut rng);
            policy.learn(arms.arm(decision.arm), &[reward]).unwrap();
        }
    }
}

/// Oracle 20: equal seeds give equal bytes, and a restored policy continues as if there had been no
/// interruption.
#[test]
fn the_same_seed_gives_the_same_bytes_and_a_restored_policy_goes_on() {
    let trace = |seed: u64, reload: bool| {
        let mut rng = draw::seeded(seed);
        let world = world(5, 5, &mut rng);
        let mut policy = policy(&world.problem, Width::Tuned { c: 0.01 });
        let mut drawn = Vec::new();
        for round in 0..300 {
            if reload && round % 37 == 0 {
                policy = MoglbUcb::from_json(&policy.to_json()).unwrap();
                policy = MoglbUcb::from_bytes(&policy.to_bytes()).unwrap();
            }
            let decision = policy.decide(&world.arms, &mut rng).unwrap();
            drawn.push(decision.arm);
            let reward = pull(&world, decision.arm, &mut rng);
            // The arm as it comes from a log: with its context.
            let arm = Arm::new(decision.arm, world.arms.context(decision.arm.0)).unwrap();
            policy.learn(arm, &reward).unwrap();
        }
        (drawn, policy.to_bytes(), policy.to_json())
    };
    assert_eq!(trace(2000, false), trace(2000, false));
    assert_eq!(trace(2000, false), trace(2000, true), "saving and loading changed the run");
    assert_ne!(trace(2000, false).1, trace(2001, false).1, "another seed is another run");
}

/// Minimizing y learns the θ̂ of maximizing y and ranks by −θ̂ᵀx, as the last line of `Objective`'s
/// documentation states.
#[test]
fn a_minimized_objective_learns_the_same_theta_and_ranks_the_other_way() {
    let mut rng = draw::seeded(2100);
    for link in Link::ALL {
        let build = |objective: Objective| {
            let config = MoglbUcbConfig { width: Width::Tuned { c: 0.0 }, ..Default::default() };
            MoglbUcb::new(Problem::new(3, vec![objective]).unwrap(), config).unwrap()
        };
        let mut up = build(Objective::new("y", link));
        let mut down = build(Objective::new("y", link).minimize());
        let rows: Vec<Vec<f64>> = (0..12).map(|_| ball(3, 1.0, &mut rng)).collect();
        let arms = ArmSet::from_rows(&rows).unwrap();
        for _ in 0..50 {
            let arm = arms.arm(ArmId(draw::below(12, &mut rng)));
            let reward = [bernoulli(0.7, &mut rng)];
            up.learn(arm, &reward).unwrap();
            down.learn(arm, &reward).unwrap();
        }
        assert_eq!(up.theta(), down.theta(), "{}", link.name());
        assert_eq!(up.gamma(0), down.gamma(0));
        let (best, worst) = (up.decide(&arms, &mut rng).unwrap(), down.decide(&arms, &mut rng).unwrap());
        assert_eq!(best.estimates, worst.estimates, "estimates are in the objective's own orientation");
        let by_estimate =
            |a: &usize, b: &usize| best.estimates.row(*a)[0].total_cmp(&best.estimates.row(*b)[0]);
        assert_eq!(best.arm.0, (0..12).max_by(by_estimate).unwrap());
        assert_eq!(worst.arm.0, (0..12).min_by(by_estimate).unwrap());
    }
}

/// Oracle 18: with an identity link, and as long as no estimate is projected, EKF-UCB is recursive ridge
/// regression.
#[test]
fn ekf_ucb_on_an_identity_link_is_ridge_regression() {
    let (mut rng, lambda) = (draw::seeded(1800), 0.5);
    let objective = Objective::new("y", Link::Identity).range(-40.0, 60.0);
    let problem = Problem::new(4, vec![objective]).unwrap().with_radius(1e3).unwrap();
    let mut policy = EkfUcb::new(problem, EkfUcbConfig { lambda, ..Default::default() }).unwrap();
    let (mut v, mut b) = (DMatrix::identity(4, 4) * lambda, DVector::zeros(4));
    for t in 0..500 {
        let (x, y) = (ball(4, 1.0, &mut rng), 100.0 * draw::unit(&mut rng) - 40.0);
        policy.learn(Arm::new(ArmId(t), &x).unwrap(), &[y]).unwrap();
        let x = vector(&x);
        v += &x * x.transpose();
        b += &x * y;
        let ridge = v.clone().cholesky().unwrap().solve(&b);
        let off = (vector(policy.theta().row(0)) - &ridge).norm() / ridge.norm();
        assert!(off < 1e-10, "round {t}: off by {off:e}");
    }
    assert_eq!(policy.model().map_or(0, |model| model.projection_hits()), 0);
}

/// The single-objective control keeps exactly the arms that tie for the largest score.
#[test]
fn the_control_plays_the_best_arms_of_its_objective() {
    let world = world(3, 2, &mut draw::seeded(1801));
    for objective in [0, 1] {
        let config = EkfUcbConfig { c: 0.0, objective: Some(objective), ..Default::default() };
        let mut policy = EkfUcb::new(world.problem.clone(), config).unwrap();
        let mut rng = draw::seeded(1802);
        for _ in 0..50 {
            let arm = policy.decide(&world.arms, &mut rng).unwrap().arm;
            policy.learn(world.arms.arm(arm), &pull(&world, arm, &mut rng)).unwrap();
        }
        let mut rows: Vec<&[f64]> = world.arms.iter().map(|arm| arm.context()).collect();
        let decision = policy.decide(&world.arms, &mut rng).unwrap();
        assert_eq!(decision.front.len(), 1, "no two of these arms tie");
        rows.push(rows[decision.arm.0]);
        let twice = policy.decide(&ArmSet::from_rows(&rows).unwrap(), &mut rng).unwrap();
        let front: Vec<ArmId> = twice.front.iter().collect();
        assert_eq!(front, [decision.arm, ArmId(rows.len() - 1)]);
        let best = |arm: &ArmId| decision.estimates.row(arm.0)[objective];
        let all = (0..world.arms.n_arms()).map(ArmId);
        assert_eq!(all.max_by(|a, b| best(a).total_cmp(&best(b))), Some(decision.arm));
    }
}
