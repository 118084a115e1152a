//! Laws of MOGLB-EB: the scales that its hierarchy learns, its behavior at the edges, and finite numbers for
//! all rewards.

use crate::common::{ball, bernoulli, direction, dot};
use moglb::{
    ArmId, ArmSet, Error, Link, LinkFunction, Matrix, MoglbEb, MoglbEbConfig, Objective, Policy, Problem,
    Restorable, Rng, draw,
};
use std::sync::atomic::{AtomicBool, Ordering};

fn problem(dim: usize, m: usize, link: Link, radius: f64) -> Problem {
    let objectives = (0..m).map(|i| Objective::new(format!("y{i}"), link)).collect();
    Problem::new(dim, objectives).unwrap().with_radius(radius).unwrap()
}

fn policy(problem: Problem) -> MoglbEb {
    MoglbEb::new(problem, MoglbEbConfig::default()).unwrap()
}

fn contexts(n: usize, dim: usize, rng: &mut dyn Rng) -> ArmSet<'static> {
    ArmSet::from_rows(&(0..n).map(|_| ball(dim, 1.0, rng)).collect::<Vec<_>>()).unwrap()
}

/// Plays arms in turn, with coin flips by the coefficients `thetas`.
fn teach(policy: &mut MoglbEb, thetas: &[Vec<f64>], rounds: usize, rng: &mut dyn Rng) {
    let dim = thetas[0].len();
    for _ in 0..rounds {
        let arms = contexts(1, dim, rng);
        let x = arms.context(0);
        let flip = |theta: &Vec<f64>| bernoulli(Link::Logit.mean(dot(theta, x)), rng);
        let reward: Vec<f64> = thetas.iter().map(flip).collect();
        policy.learn(arms.arm(ArmId(0)), &reward).unwrap();
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

const DIM: usize = 6;
const OBJECTIVES: usize = 8;
const RADIUS: f64 = 3.0;

/// θᵢ uniform on the sphere have mean zero: τ² should become about D²/d = 1.5, and ρ² should fall from 0.75
/// towards the value that the mean of eight leaves, 1.5/8. Required: ρ² below half of its first value and
/// below a third of τ². And the estimates should be those of separate ridge regressions, up to a fifth of the
/// length of θᵢ.
#[test]
fn unrelated_objectives_are_learned_on_their_own() {
    let mut rng = draw::seeded(71);
    let thetas: Vec<Vec<f64>> =
        (0..OBJECTIVES).map(|_| direction(DIM, &mut rng).iter().map(|x| RADIUS * x).collect()).collect();
    let mut policy = policy(problem(DIM, OBJECTIVES, Link::Logit, RADIUS));
    let first = policy.scales().1;
    teach(&mut policy, &thetas, 3000, &mut rng);
    let (within, between) = policy.scales();
    assert!(between < 0.5 * first && 3.0 * between < within, "ρ² {between} from {first}, τ² {within}");
    for (i, alone) in ridge(&policy, within).iter().enumerate() {
        let apart = distance(policy.theta().row(i), alone);
        assert!(apart < 0.2 * RADIUS, "objective {i} is {apart} from its own ridge regression");
    }
}

/// (H/φ + I/τ²)⁻¹b/φ of every objective, from the sums of a policy's snapshot, with φ = 1: for coin flips it
/// differs from 1 by noise only.
fn ridge(policy: &MoglbEb, within: f64) -> Vec<Vec<f64>> {
    let json: serde_json::Value = serde_json::from_str(&policy.to_json()).unwrap();
    let state = &json["state"]["moglb-eb"];
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let one = |i: usize| -> Vec<f64> {
        let entry = |row: usize, column: usize| {
            let (row, column) = (row.max(column), row.min(column));
            number(&state["information"][i][row * (row + 1) / 2 + column])
                + if row == column { 1.0 / within } else { 0.0 }
        };
        let a = nalgebra::DMatrix::from_fn(DIM, DIM, entry);
        let b = nalgebra::DVector::from_fn(DIM, |row, _| number(&state["moments"][i][row]));
        (crate::common::reference::inverse(&a) * b).as_slice().to_vec()
    };
    (0..OBJECTIVES).map(one).collect()
}

/// θ is the same for all objectives: τ² falls to less than a fifth of its first value, and every estimate is
/// nearer to the shared mean than a third of its length. The shared mean is nearer to θ than half of its
/// length, after so few rounds that no single objective is known well.
#[test]
fn identical_objectives_are_learned_as_one() {
    let mut rng = draw::seeded(72);
    let theta: Vec<f64> = direction(DIM, &mut rng).iter().map(|x| RADIUS * x).collect();
    let mut policy = policy(problem(DIM, OBJECTIVES, Link::Logit, RADIUS));
    let first = policy.scales().0;
    teach(&mut policy, &vec![theta.clone(); OBJECTIVES], 600, &mut rng);
    let within = policy.scales().0;
    assert!(within < 0.2 * first, "τ² {within} from {first}");
    let mean = policy.shared_mean();
    assert!(distance(mean, &theta) < 0.5 * RADIUS, "the shared mean {mean:?} of {theta:?}");
    for i in 0..OBJECTIVES {
        let apart = distance(policy.theta().row(i), mean);
        assert!(apart < RADIUS / 3.0, "objective {i} is {apart} from the shared mean");
    }
}

/// Two good arms are played in turn, and their rewards carry no information about the third, whose context is
/// orthogonal to theirs. A hard threshold, 0.18·(1 + 3b) but 1/2 at most, would skip it in most rounds.
/// Played in proportion to min(1, (p/asked)⁴), an arm of chance p ≤ 0.7 has at least (p/0.7)⁴/K among K: no
/// weight is above 1, and `asked` is at most 0.7. For three arms and p ≥ 0.1 that is 1.38e-4.
/// (`reference_eb` checks the bound on random problems.)
#[test]
fn an_arm_that_may_be_on_the_front_is_not_left_alone() {
    let arms = ArmSet::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    let (mut rng, mut left_alone) = (draw::seeded(80), 0);
    let mut policy = policy(problem(3, 2, Link::Logit, 1.0));
    for t in 0..400 {
        let chances = policy.chances(&arms).unwrap();
        let decision = policy.decide(&arms, &mut rng).unwrap();
        for (&p, &probability) in chances.iter().zip(&decision.probabilities) {
            let least = (p / 0.7).min(1.0).powf(4.0) / 3.0;
            assert!(probability >= (1.0 - 1e-14) * least, "round {t}: {probability} at {p}");
            assert!(p < 0.1 || probability > 1.38e-4, "round {t}: {probability} at {p}");
        }
        let hard = (0.18 * (1.0 + chances.iter().sum::<f64>())).min(0.5);
        left_alone += usize::from(0.1 <= chances[2] && chances[2] < hard);
        let reward = [[0.9, 0.7], [0.7, 0.9]][t % 2].map(|mean| bernoulli(mean, &mut rng));
        policy.learn(arms.arm(ArmId(t % 2)), &reward).unwrap();
    }
    assert!(left_alone > 300, "a hard threshold would have skipped it in {left_alone} of 400 rounds");
}

#[test]
fn duplicated_arms_are_played_and_reported_together() {
    let mut rng = draw::seeded(73);
    // Whole groups of tiles, single tiles and a part of one: the same arm is in all of them.
    for n in [3, 20, 61] {
        let once = contexts(n, 4, &mut rng);
        let rows: Vec<&[f64]> = (0..2 * n + 1).map(|k| once.context(k % n)).collect();
        let arms = ArmSet::from_rows(&rows).unwrap();
        let mut policy = policy(problem(4, 3, Link::Logit, 1.0));
        for _ in 0..40 {
            let decision = policy.decide(&arms, &mut rng).unwrap();
            let chances = policy.chances(&arms).unwrap();
            for k in n..2 * n + 1 {
                assert_eq!(chances[k], chances[k % n]);
                assert_eq!(decision.probabilities[k], decision.probabilities[k % n]);
                assert_eq!(decision.front.contains(ArmId(k)), decision.front.contains(ArmId(k % n)));
            }
            let reward: Vec<f64> = (0..3).map(|_| bernoulli(0.5, &mut rng)).collect();
            policy.learn(arms.arm(decision.arm), &reward).unwrap();
        }
    }
}

#[test]
fn deciding_changes_nothing_and_sees_the_same_samples_again() {
    let mut rng = draw::seeded(74);
    let arms = contexts(12, 3, &mut rng);
    let mut policy = policy(problem(3, 2, Link::Probit, 1.0));
    for _ in 0..45 {
        let before = policy.to_bytes();
        let (first, chances) = (policy.decide(&arms, &mut draw::seeded(1)).unwrap(), policy.chances(&arms));
        policy.decide(&arms, &mut rng).unwrap();
        assert_eq!(
            (policy.decide(&arms, &mut draw::seeded(1)).unwrap(), policy.chances(&arms)),
            (first, chances)
        );
        assert_eq!(policy.to_bytes(), before);
        policy.learn(arms.arm(ArmId(draw::below(12, &mut rng))), &[1.0, 0.0]).unwrap();
    }
}

/// Any sizes down to one, and numbers of samples that do not divide into pairs.
#[test]
fn the_smallest_problems_are_played() {
    for (dim, m, n) in [(1, 1, 1), (1, 3, 2), (3, 1, 1), (2, 1, 9)] {
        for samples in [2, 3, 9] {
            let mut rng = draw::seeded(75);
            let arms = contexts(n, dim, &mut rng);
            let config = MoglbEbConfig { samples, ..Default::default() };
            let mut policy = MoglbEb::new(problem(dim, m, Link::Identity, 1.0), config).unwrap();
            play(&mut policy, &arms, 100, |_, i| [-1.0, 1.0][i % 2]);
        }
    }
}

/// Learns rewards that depend on the arm and the objective; every number in the results must be finite.
fn play(policy: &mut MoglbEb, arms: &ArmSet, rounds: usize, reward: impl Fn(ArmId, usize) -> f64) {
    let (mut rng, m) = (draw::seeded(8), policy.problem().n_objectives());
    let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
    for t in 0..rounds {
        let decision = policy.decide(arms, &mut rng).unwrap();
        let tables = |m: &Matrix| finite(m.as_slice());
        assert!(tables(&decision.estimates) && tables(&decision.widths), "round {t}: {decision:?}");
        let rewards: Vec<f64> = (0..m).map(|i| reward(decision.arm, i)).collect();
        policy.learn(arms.arm(decision.arm), &rewards).unwrap();
    }
    let (within, between) = policy.scales();
    assert!(finite(policy.theta().as_slice()) && finite(policy.shared_mean()) && finite(&[within, between]));
    let again = MoglbEb::from_bytes(&policy.to_bytes()).unwrap();
    assert_eq!(again.theta(), policy.theta());
}

/// Two arms in five dimensions: three directions are never observed. Compared with H/φ, I/τ² is below the
/// last digit for D = 1e6, and the factor must be given it as a lower bound.
#[test]
fn directions_without_evidence_keep_their_prior_for_any_radius() {
    for radius in [1e-6, 1.0, 1e6] {
        let mut rng = draw::seeded(76);
        let arms = contexts(2, 5, &mut rng);
        let mut policy = policy(problem(5, 2, Link::Identity, radius));
        play(&mut policy, &arms, 5000, |arm, i| if (arm.0 + i) % 2 == 0 { 1.0 } else { -1.0 });
        let unseen = off(&arms, &direction(5, &mut rng));
        let wide = ArmSet::from_rows(&[&unseen[..], arms.context(0)]).unwrap();
        let decision = policy.decide(&wide, &mut rng).unwrap();
        let scale = policy.scales().0.sqrt();
        for i in 0..2 {
            let deviation = decision.widths.row(0)[i];
            assert!(deviation > 0.9 * scale, "D = {radius}: {deviation} off the contexts, τ {scale}");
            assert!(decision.widths.row(1)[i] < 0.1 * scale || radius < 1.0, "D = {radius}");
        }
    }
}

/// The part of a direction that is orthogonal to two contexts, scaled to length one.
fn off(arms: &ArmSet, direction: &[f64]) -> Vec<f64> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for x in [arms.context(0), arms.context(1), direction] {
        let mut rest = x.to_vec();
        for _ in 0..2 {
            for e in &basis {
                let along = dot(&rest, e);
                rest.iter_mut().zip(e).for_each(|(r, e)| *r -= along * e);
            }
        }
        let length = crate::common::norm(&rest) * (1.0 + 1e-12);
        basis.push(rest.iter().map(|r| r / length).collect());
    }
    basis.pop().unwrap()
}

/// A score at the edge of a ball of radius 100 has the weight e¹⁰⁰, with a prior of 1e-4.
#[test]
fn weights_of_forty_decades_do_not_break_the_factor() {
    let mut rng = draw::seeded(77);
    for dim in [2, 7] {
        let arms = contexts(3, dim, &mut rng);
        let objectives = vec![
            Objective::new("visits", Link::Log).range(0.0, 1e60),
            Objective::new("cost", Link::Log).range(0.0, 1e60).minimize(),
            Objective::new("click", Link::Logit),
        ];
        let problem = Problem::new(dim, objectives).unwrap().with_radius(100.0).unwrap();
        play(&mut policy(problem), &arms, 500, |arm, i| [1e60, 1e30, 1.0][i] * (arm.0 % 2) as f64);
    }
}

/// Rewards without noise: the dispersion falls to its floor, and the estimates are exact.
#[test]
fn rewards_without_noise_are_fitted() {
    let mut rng = draw::seeded(78);
    let thetas: Vec<Vec<f64>> = (0..3).map(|_| ball(4, 0.9, &mut rng)).collect();
    let arms = contexts(20, 4, &mut rng);
    let mut policy = policy(problem(4, 3, Link::Identity, 1.0));
    play(&mut policy, &arms, 100_000, |arm, i| dot(&thetas[i], arms.context(arm.0)));
    // Not for arms that are seldom played, but for those of the front.
    for arm in policy.decide(&arms, &mut rng).unwrap().front.iter() {
        for (i, theta) in thetas.iter().enumerate() {
            let (got, expected) =
                (dot(policy.theta().row(i), arms.context(arm.0)), dot(theta, arms.context(arm.0)));
            assert!((got - expected).abs() < 1e-3, "{got} for {expected}");
        }
    }
}

/// The state has one size: only the waiting rewards of a batch come and go.
#[test]
fn the_state_does_not_grow() {
    let mut rng = draw::seeded(79);
    let arms = contexts(10, 3, &mut rng);
    let mut policy = policy(problem(3, 2, Link::Logit, 1.0));
    let mut sizes = Vec::new();
    for t in 1..=20_000_usize {
        policy.learn(arms.arm(ArmId(t % 10)), &[bernoulli(0.3, &mut rng), 1.0]).unwrap();
        if t >= 2000 {
            sizes.push(policy.to_bytes().len());
        }
    }
    let (early, late) = (sizes[..20].iter().max().unwrap(), sizes[sizes.len() - 20..].iter().max().unwrap());
    assert!(late <= &(early + 1), "{early} bytes became {late}: more than a longer counter");
}

/// A custom link that stops returning numbers.
struct Fails;

static FAILS: AtomicBool = AtomicBool::new(false);

impl LinkFunction for Fails {
    fn mean(&self, z: f64) -> f64 {
        if FAILS.load(Ordering::Relaxed) { f64::NAN } else { Link::Logit.mean(z) }
    }
}

/// The first objective has processed the reward before the second one fails.
#[test]
fn a_link_that_fails_changes_nothing() {
    let link = Link::register("fails-in-laws-eb", Fails).unwrap();
    let objectives = vec![Objective::new("click", Link::Logit), Objective::new("other", link)];
    let mut policy = policy(Problem::new(2, objectives).unwrap());
    let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]]).unwrap();
    for t in 0..47 {
        policy.learn(arms.arm(ArmId(t % 2)), &[1.0, 0.0]).unwrap();
    }
    let before = policy.to_bytes();
    FAILS.store(true, Ordering::Relaxed);
    assert!(matches!(policy.learn(arms.arm(ArmId(0)), &[1.0, 0.0]), Err(Error::LinkMean { .. })));
    FAILS.store(false, Ordering::Relaxed);
    assert_eq!(policy.to_bytes(), before);
    policy.learn(arms.arm(ArmId(0)), &[1.0, 0.0]).unwrap();
    assert_ne!(policy.to_bytes(), before);
}
