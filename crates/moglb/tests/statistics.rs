//! Statements about chance: fixed seeds, a named bound, a stated chance of false alarm, the observed value in the
//! message.

mod common;

use common::{ball, bernoulli};
use moglb::{ArmSet, Link, MoglbUcb, MoglbUcbConfig, Objective, Policy, Problem, Width, draw};

/// The number of runs in which |Σ η_s X_s| ever exceeds σ √(2 (1 + ΣX²) log(√(1 + ΣX²)/δ)), the self-normalized bound
/// behind Lemma 4 (Abbasi-Yadkori et al. 2012, Corollary 8), for predictable X_s and η = ±½.
fn violations(runs: u32, rounds: u32, sigma: f64, delta: f64) -> u32 {
    (0..runs)
        .filter(|&run| {
            let mut rng = draw::seeded(7000 + u64::from(run));
            let (mut sum, mut squares) = (0.0_f64, 0.0_f64);
            (0..rounds).any(|_| {
                // Predictable and as hostile as it gets: X_s leans on the past, so that good luck is pressed further.
                let x = if sum.abs() > 0.5 * squares.sqrt() { 1.0 } else { draw::unit(&mut rng) };
                sum += x * (bernoulli(0.5, &mut rng) - 0.5);
                squares += x * x;
                let total = 1.0 + squares;
                sum.abs() > sigma * (2.0 * total * (total.sqrt() / delta).ln()).sqrt()
            })
        })
        .count() as u32
}

/// Oracle 22. The bound holds with chance 1 − δ; were it exact at δ = 0.05, more than 66 escapes in 800 runs would be
/// a 1e-4 event (binomial, mean 40, deviation 6.2). Observed: 17.
#[test]
fn the_self_normalized_bound_holds_for_all_times_at_once() {
    let escapes = violations(800, 1000, 0.5, 0.05);
    assert!(escapes <= 66, "{escapes} of 800 runs left the bound at δ = 0.05");
}

/// Oracle 22, negative: with a quarter of the noise the bound must break, or the test above could not fail. Seen in
/// all 800 runs; fewer than 200 of 800 would be as unlikely as a fair coin with 200 heads of 800 (below 1e-40).
#[test]
fn the_self_normalized_bound_breaks_for_understated_noise() {
    let escapes = violations(800, 1000, 0.125, 0.05);
    assert!(escapes > 200, "only {escapes} of 800 runs left a bound for a quarter of the noise");
}

fn chi_square(counts: &[u32], expected: &[f64]) -> f64 {
    counts.iter().zip(expected).map(|(&c, e)| (f64::from(c) - e).powi(2) / e).sum()
}

/// A quantile of the chi-square law with chance 1e-6 above it (Wilson and Hilferty; z = 4.7534).
fn chi_square_limit(freedom: usize) -> f64 {
    let a = 2.0 / (9.0 * freedom as f64);
    freedom as f64 * (1.0 - a + 4.7534 * a.sqrt()).powi(3)
}

/// Oracle 25: the arm is drawn uniformly from O_t, and nothing else is drawn. One chi-square per state of the policy,
/// 12 in all, each with a chance of 1e-6 to alarm falsely.
#[test]
fn the_arm_is_drawn_uniformly_from_the_front() {
    let mut rng = draw::seeded(71);
    let objectives = (0..4).map(|i| Objective::new(format!("y{i}"), Link::Logit)).collect();
    let problem = Problem::new(4, objectives).unwrap();
    let rows: Vec<Vec<f64>> = (0..16).map(|_| ball(4, 1.0, &mut rng)).collect();
    let arms = ArmSet::from_rows(&rows).unwrap();
    let config = MoglbUcbConfig { width: Width::Tuned { c: 0.1 }, ..Default::default() };
    let mut policy = MoglbUcb::new(problem, config).unwrap();
    let mut sizes = Vec::new();
    for state in 0..12 {
        let front = policy.decide(&arms, &mut rng).unwrap().front;
        let mut counts = vec![0_u32; arms.n_arms()];
        let draws = 20_000_u32;
        for _ in 0..draws {
            counts[policy.decide(&arms, &mut rng).unwrap().arm.0] += 1;
        }
        let on: Vec<u32> = front.iter().map(|arm| counts[arm.0]).collect();
        assert_eq!(on.iter().sum::<u32>(), draws, "state {state}: an arm off the front was drawn");
        let expected = vec![f64::from(draws) / front.len() as f64; front.len()];
        if front.len() > 1 {
            let (got, limit) = (chi_square(&on, &expected), chi_square_limit(front.len() - 1));
            assert!(
                got < limit,
                "state {state}: chi-square {got} above {limit} on {} arms: {on:?}",
                front.len()
            );
        }
        sizes.push(front.len());
        for _ in 0..20 {
            let arm = policy.decide(&arms, &mut rng).unwrap().arm;
            let reward: Vec<f64> = (0..4).map(|_| bernoulli(0.5, &mut rng)).collect();
            policy.learn(arms.arm(arm), &reward).unwrap();
        }
    }
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(
        *most == 16 && *least < 12 && sizes.iter().filter(|&&n| n > 1).count() >= 10,
        "fronts of {sizes:?} arms"
    );
}

/// Oracle 25: rewards by `draw::unit` have the mean they should, at several chances and in runs of two (a serial
/// correlation would show in the pairs). Eight tests at 1e-6 each.
#[test]
fn bernoulli_rewards_have_their_mean_and_no_memory() {
    let mut rng = draw::seeded(72);
    for chance in [0.03, 0.27, 0.5, 0.841345] {
        let n = 100_000;
        let ones: Vec<f64> = (0..n).map(|_| bernoulli(chance, &mut rng)).collect();
        let mean = ones.iter().sum::<f64>() / n as f64;
        let error = (chance * (1.0 - chance) / n as f64).sqrt();
        assert!((mean - chance).abs() < 4.8916 * error, "mean {mean} for {chance} ± {error}");
        let mut counts = [0_u32; 4];
        ones.chunks_exact(2)
            .for_each(|pair| counts[2 * usize::from(pair[0] > 0.0) + usize::from(pair[1] > 0.0)] += 1);
        let expected = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(a, b)| {
            let of = |bit: u32| if bit == 1 { chance } else { 1.0 - chance };
            (n / 2) as f64 * of(a) * of(b)
        });
        let (got, limit) = (chi_square(&counts, &expected), chi_square_limit(3));
        assert!(got < limit, "pairs at {chance}: chi-square {got} above {limit}");
    }
}

/// The negative control of both: a bias of one arm of four must be noticed at these sample sizes.
#[test]
fn a_small_bias_would_be_noticed() {
    let mut rng = draw::seeded(73);
    let mut counts = vec![0_u32; 4];
    for _ in 0..20_000 {
        // `next % 4` of a draw from 0..21 favors the first arm by 14 %.
        counts[draw::below(21, &mut rng) % 4] += 1;
    }
    let got = chi_square(&counts, &[5000.0; 4]);
    assert!(got > chi_square_limit(3), "chi-square {got} does not see a bias of 14 %");
}
