//! Statements about chance: each test has a fixed seed, a named bound, a stated chance of false alarm, and
//! the observed value in its message.

use crate::common::{ball, bernoulli};
use moglb::draw::Betas;
use moglb::{ArmSet, Link, MoglbUcb, MoglbUcbConfig, Objective, Policy, Problem, Width, draw};

/// The number of runs in which |Σ η_s X_s| ever exceeds σ √(2 (1 + ΣX²) log(√(1 + ΣX²)/δ)), the
/// self-normalized bound behind Lemma 4 (Abbasi-Yadkori et al. 2012, Corollary 8), for predictable X_s and
/// η = ±½.
fn violations(runs: u32, rounds: u32, sigma: f64, delta: f64) -> u32 {
    (0..runs)
        .filter(|&run| {
            let mut rng = draw::seeded(7000 + u64::from(run));
            let (mut sum, mut squares) = (0.0_f64, 0.0_f64);
            (0..rounds).any(|_| {
                // Predictable and as adversarial as possible: X_s depends on the past and amplifies good
                // luck.
                let x = if sum.abs() > 0.5 * squares.sqrt() { 1.0 } else { draw::unit(&mut rng) };
                sum += x * (bernoulli(0.5, &mut rng) - 0.5);
                squares += x * x;
                let total = 1.0 + squares;
                sum.abs() > sigma * (2.0 * total * (total.sqrt() / delta).ln()).sqrt()
            })
        })
        .count() as u32
}

/// Oracle 22. The bound holds with chance 1 − δ. If it were exact at δ = 0.05, more than 66 escapes in 800
/// runs would have chance 1e-4 (binomial, mean 40, deviation 6.2). Observed: 17.
#[test]
fn the_self_normalized_bound_holds_for_all_times_at_once() {
    let escapes = violations(800, 1000, 0.5, 0.05);
    assert!(escapes <= 66, "{escapes} of 800 runs left the bound at δ = 0.05");
}

/// Oracle 22, negative: with a quarter of the noise the bound must fail; otherwise the test above could not
/// fail. Observed in all 800 runs. Fewer than 200 of 800 would be as unlikely as a fair coin with 200 heads
/// of 800 (below 1e-40).
#[test]
fn the_self_normalized_bound_breaks_for_understated_noise() {
    let escapes = violations(800, 1000, 0.125, 0.05);
    assert!(escapes > 200, "only {escapes} of 800 runs left a bound for a quarter of the noise");
}

fn chi_square(counts: &[u32], expected: &[f64]) -> f64 {
    counts.iter().zip(expected).map(|(&c, e)| (f64::from(c) - e).powi(2) / e).sum()
}

/// The quantile of the chi-square law that is exceeded with chance 1e-6 (Wilson and Hilferty; z = 4.7534).
fn chi_square_limit(freedom: usize) -> f64 {
    let a = 2.0 / (9.0 * freedom as f64);
    freedom as f64 * (1.0 - a + 4.7534 * a.sqrt()).powi(3)
}

/// Oracle 25: the arm is drawn uniformly from O_t, and no other arm is drawn. There is one chi-square test
/// per state of the policy, 12 in all, each with a chance of false alarm of 1e-6.
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

/// Oracle 25: rewards by `draw::unit` have the right mean, for several chances and for pairs of draws (pairs
/// would show a serial correlation). Eight tests at 1e-6 each.
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

/// The negative control of both tests: a bias of one arm of four must be noticed at these sample sizes.
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

/// The chance of each cell between neighboring edges under the law Beta(a, b), by Simpson's rule on its
/// density. It is independent of how draws are made.
fn beta_cells(a: f64, b: f64, edges: &[f64]) -> Vec<f64> {
    let mean = a / (a + b);
    // On the log scale, where large parameters do not overflow; 0⁰ is 1.
    let log_power = |base: f64, power: f64| if power == 0.0 { 0.0 } else { power * base.ln() };
    let density =
        |x: f64| (log_power(x / mean, a - 1.0) + log_power((1.0 - x) / (1.0 - mean), b - 1.0)).exp();
    let steps = 2000;
    let area = |cell: &[f64]| {
        let h = (cell[1] - cell[0]) / f64::from(steps);
        let weight = |k: i32| if k == 0 || k == steps { 1.0 } else { 2.0 + 2.0 * f64::from(k % 2) };
        (0..=steps).map(|k| weight(k) * density((cell[0] + f64::from(k) * h).min(1.0))).sum::<f64>() * h / 3.0
    };
    let areas: Vec<f64> = edges.windows(2).map(area).collect();
    let whole: f64 = areas.iter().sum();
    areas.iter().map(|area| area / whole).collect()
}

/// The chi-square of draws from Beta(a, b) against the law Beta(a, b'), and its limit at 1e-6. Cells are a
/// quarter of a standard deviation wide; cells with fewer than 50 expected draws are merged.
fn beta_chi_square(a: f64, b: f64, other_b: f64, draws: impl FnOnce(&mut [f64])) -> (f64, f64) {
    let (n, mean) = (200_000, a / (a + b));
    let deviation = (mean * (1.0 - mean) / (a + b + 1.0)).sqrt();
    let inner = (-16..=16).map(|k| mean + 0.25 * f64::from(k) * deviation).filter(|x| (0.0..1.0).contains(x));
    let edges: Vec<f64> = std::iter::once(0.0).chain(inner).chain([1.0]).collect();
    let mut values = vec![0.0; n];
    draws(&mut values);
    assert!(values.iter().all(|x| (0.0..=1.0).contains(x)), "Beta({a}, {b}): a draw is outside of [0, 1]");
    let (mut counts, mut expected) = (Vec::new(), Vec::new());
    let (mut count, mut hope) = (0, 0.0);
    for (cell, chance) in edges.windows(2).zip(beta_cells(a, other_b, &edges)) {
        count += values.iter().filter(|&&x| cell[0] <= x && (x < cell[1] || cell[1] == 1.0)).count() as u32;
        hope += chance * n as f64;
        if hope >= 50.0 {
            counts.push(std::mem::take(&mut count));
            expected.push(std::mem::take(&mut hope));
        }
    }
    *counts.last_mut().unwrap() += count;
    *expected.last_mut().unwrap() += hope;
    (chi_square(&counts, &expected), chi_square_limit(counts.len() - 1))
}

const BETAS: [(f64, f64); 9] = [
    (1.0, 1.0),
    (1.0, 2.0),
    (2.0, 1.0),
    (1.0, 500.0),
    (300.0, 7.0),
    (40.0, 40.0),
    (3.25, 2.75),
    (1.25, 1.5),
    (1000.5, 2000.25),
];

/// The chi-square of draws from one law in every place, several laws at once as in a decision.
fn chi_square_of_betas(a: f64, b: f64, other_b: f64, at_once: usize, seed: u64) -> (f64, f64) {
    let (mut laws, mut rng) = (Betas::uniform(at_once), draw::seeded(seed));
    (0..at_once).for_each(|k| laws.set(k, a, b));
    beta_chi_square(a, b, other_b, |out| {
        out.chunks_exact_mut(at_once).for_each(|out| laws.draw_into(&mut rng, out));
    })
}

/// Thompson sampling depends on correct posteriors: for small and large, even and skewed, whole and
/// fractional parameters, drawn one by one and as many at once as 50 arms with 4 objectives need. 18 tests at
/// 1e-6 each.
#[test]
fn beta_draws_follow_the_beta_law() {
    for (seed, (a, b)) in (80..).zip(BETAS) {
        for at_once in [1, 200] {
            let (got, limit) = chi_square_of_betas(a, b, b, at_once, seed);
            assert!(got < limit, "Beta({a}, {b}), {at_once} at once: chi-square {got} above {limit}");
        }
    }
}

/// The negative control: a parameter that is wrong by one part in forty must be noticed.
#[test]
fn a_posterior_that_is_one_failure_off_would_be_noticed() {
    let (got, limit) = chi_square_of_betas(40.0, 40.0, 41.0, 200, 90);
    assert!(got > limit, "chi-square {got} does not see Beta(40, 41) behind Beta(40, 40)");
}
