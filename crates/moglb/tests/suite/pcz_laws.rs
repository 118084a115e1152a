//! The statements on which the analysis of Pareto contextual zooming rests. On the good event, indices are at
//! least the means, and the gap of a played arm is at most 14 radii of the ball from which it was played
//! (Lemmas 2 and 3).

use crate::common::{bernoulli, lipschitz};
use moglb::{ArmSet, Ball, Pcz, PczConfig, Policy, Rng, draw, gaps};

/// √(2A), A = 1 + 2 log(2√2·m·T^{3/2}/δ), at m = 2, T = 3000, δ = 0.05: A = 34.4763 by hand.
const FACTOR: f64 = 8.30377;

/// The balls in whose domain a point lies: of the balls that contain it, those with the smallest radius.
fn owners<'a>(policy: &Pcz, balls: &'a [Ball], x: &[f64]) -> Vec<&'a Ball> {
    let holding = || balls.iter().filter(|ball| policy.distance(&ball.centre, x) <= ball.radius);
    let least = holding().map(|ball| ball.radius).fold(f64::INFINITY, f64::min);
    holding().filter(|ball| ball.radius == least).collect()
}

/// The number of pairs of an arm and an owner whose index is below the arm's mean in some objective.
fn too_low(policy: &Pcz, arms: &ArmSet) -> usize {
    let balls = policy.balls();
    let below = |x: &[f64], ball: &Ball| {
        lipschitz::means(x[0]).iter().zip(&ball.index).any(|(mu, g)| *g < mu - 1e-12)
    };
    let count = |x: &[f64]| owners(policy, &balls, x).into_iter().filter(|ball| below(x, ball)).count();
    arms.iter().map(|arm| count(arm.context())).sum()
}

/// Separation: the distance between centers of balls with equal radius is larger than that radius.
fn check_separation(policy: &Pcz) {
    let balls = policy.balls();
    for (k, ball) in balls.iter().enumerate() {
        for other in balls[..k].iter().filter(|other| other.radius == ball.radius) {
            let distance = policy.distance(&ball.centre, &other.centre);
            assert!(distance > ball.radius, "radius {}, centres {distance} apart", ball.radius);
        }
    }
}

/// The observations of a run.
#[derive(Debug)]
struct Run {
    /// The good event: in every round the means of every ball with rewards were within u_B + r(B) of those at
    /// its center.
    is_good: bool,
    /// The number of indices below a mean.
    low: usize,
    /// The largest gap of a played arm, in radii of the ball from which it was played.
    radii: f64,
    /// The number of rounds in which 14 radii were less than the largest gap, 0.7.
    telling: usize,
}

/// A reward, as a function of its mean.
type Reward = fn(f64, &mut dyn Rng) -> f64;

/// Plays 60 arms on a line. The means have slope 0.7; the policy is configured with another slope.
fn play(scale: f64, told: f64, rounds: usize, seed: u64, reward: Reward) -> Run {
    let arms = lipschitz::line(60);
    let gaps = gaps(&lipschitz::table(&arms, 2)).unwrap();
    let config = PczConfig { scale, lipschitz: Some(told), ..Default::default() };
    let mut policy = Pcz::new(lipschitz::problem(2, 60), config).unwrap();
    let (mut rng, mut run) = (draw::seeded(seed), Run { is_good: true, low: 0, radii: 0.0, telling: 0 });
    for round in 0..rounds {
        let arm = policy.decide(&arms, &mut rng).unwrap().arm;
        let x = arms.context(arm.0);
        let radius = owners(&policy, &policy.balls(), x)[0].radius;
        run.radii = run.radii.max(gaps[arm.0] / radius);
        run.telling += usize::from(14.0 * radius < 0.7);
        let rewards = lipschitz::means(x[0]).map(|mean| reward(mean, &mut rng));
        policy.learn(arms.arm(arm), &rewards).unwrap();
        run.is_good &= policy.balls().iter().all(|ball| is_near(ball, scale * FACTOR));
        if round % 20 == 0 {
            run.low += too_low(&policy, &arms);
            check_separation(&policy);
        }
    }
    run
}

fn is_near(ball: &Ball, factor: f64) -> bool {
    let reach = factor / (ball.count as f64).sqrt() + ball.radius;
    let means = lipschitz::means(ball.centre[0]);
    means.iter().zip(&ball.means).all(|(mu, got)| (mu - got).abs() <= reach)
}

/// Without noise the good event is certain for any scale, so that small balls come soon and the bound 14 r(B)
/// is not trivial. The negative control is a metric that is too small: it violates both laws. The bound is
/// not idle either: two radii are not enough.
#[test]
fn without_noise_indices_are_at_least_the_means_and_gaps_at_most_14_radii() {
    let exact: Reward = |mean, _| mean;
    let run = play(0.02, 0.7, 1500, 5, exact);
    assert!(run.is_good && run.low == 0 && run.radii <= 14.0, "{run:?}");
    assert!(run.telling > 300 && run.radii > 2.0, "{run:?}");
    let control = play(0.02, 0.02, 1500, 5, exact);
    assert!(!control.is_good && control.low > 0 && control.radii > 14.0, "{control:?}");
}

/// Rewards 0.02 above or below the mean are 0.02-sub-Gaussian, so a fiftieth of the width for constant one is
/// proved: the good event has a chance of at least 1 − δ = 0.95. If it were exactly that, more than 6 bad
/// runs of 20 would have chance 3e-5.
#[test]
fn with_noise_both_laws_hold_on_the_good_event() {
    let noisy: Reward = |mean, rng| mean + 0.02 * (2.0 * bernoulli(0.5, rng) - 1.0);
    let runs: Vec<Run> = (0..20).map(|seed| play(0.02, 0.7, 800, seed, noisy)).collect();
    let good: Vec<&Run> = runs.iter().filter(|run| run.is_good).collect();
    let most = good.iter().map(|run| run.radii).fold(0.0, f64::max);
    println!("the good event in {} of 20 runs, gaps up to {most} radii", good.len());
    assert!(good.len() >= 14, "the good event in {} of 20 runs", good.len());
    for run in &good {
        assert!(run.low == 0 && run.radii <= 14.0 && run.telling > 100, "{run:?}");
    }
    assert!(most > 2.0, "two radii would do");
    let control = play(0.02, 0.02, 1500, 1, noisy);
    println!("with a metric that is too small: {control:?}");
    assert!(!control.is_good && control.low > 0 && control.radii > 14.0, "{control:?}");
}

/// Rewards of 0 or 1 with a fifth of the width. Nothing is proved about the good event, but if it occurs no
/// index is below a mean. With a hundredth of the width it does not occur, and some indices are.
#[test]
fn with_rewards_of_zero_or_one_indices_are_at_least_the_means_on_the_good_event() {
    let runs: Vec<Run> = (0..10).map(|seed| play(0.2, 0.7, 1500, seed, bernoulli)).collect();
    let good: Vec<&Run> = runs.iter().filter(|run| run.is_good).collect();
    assert!(good.len() >= 5, "the good event in {} of 10 runs", good.len());
    assert!(good.iter().all(|run| run.low == 0), "{good:?}");
    let control = play(0.01, 0.7, 1500, 1, bernoulli);
    assert!(!control.is_good && control.low > 0, "{control:?}");
}

/// The number of runs, of 200 short ones with rewards of 0 or 1, in which an index was below a mean.
fn runs_with_an_index_too_low(scale: f64) -> usize {
    let arms = lipschitz::line(12);
    let run = |seed: u64| {
        let config = PczConfig { scale, horizon: 300, lipschitz: Some(0.7), ..Default::default() };
        let mut policy = Pcz::new(lipschitz::problem(2, 12), config).unwrap();
        let mut rng = draw::seeded(seed);
        (0..300).any(|_| {
            let arm = policy.decide(&arms, &mut rng).unwrap().arm;
            let reward = lipschitz::means(arms.context(arm.0)[0]).map(|p| bernoulli(p, &mut rng));
            policy.learn(arms.arm(arm), &reward).unwrap();
            too_low(&policy, &arms) > 0
        })
    };
    (0..200).filter(|&seed| run(seed)).count()
}

/// δ = 0.05. If the chance were exactly 5 %, more than 23 of 200 would have chance 1e-4.
#[test]
fn indices_cover_the_means() {
    let escapes = runs_with_an_index_too_low(1.0);
    assert!(escapes <= 23, "{escapes} of 200 runs had an index below a mean");
    let control = runs_with_an_index_too_low(0.02);
    assert!(control > 23, "only {control} of 200 runs with a fiftieth of the width");
}
