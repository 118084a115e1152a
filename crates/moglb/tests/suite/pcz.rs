//! Pareto contextual zooming compared with its definition: first rounds, regret and invalid input.
//! `pcz_laws.rs` tests the statements of its analysis.

use crate::common::{ball, bernoulli, lipschitz};
use libm::log;
use moglb::conformance::check_policy;
use moglb::{
    ArmId, ArmSet, Ball, Decision, Error, Link, Objective, Pcz, PczConfig, Policy, Problem, Restorable, Rng,
    dominates, draw,
};
use std::sync::Arc;

/// √(2A), A = 1 + 2 log(2√2·m·T^{3/2}/δ). The logarithm is computed in parts, so that it has the bits of the
/// policy's.
fn factor(m: usize, horizon: f64, delta: f64) -> f64 {
    let a = 1.0 + 2.0 * (log(8.0_f64.sqrt() * m as f64) + 1.5 * log(horizon) - log(delta));
    (2.0 * a).sqrt()
}

/// The algorithm by its definition: every step checks every ball, and nothing is cached.
struct Slow {
    slope: f64,
    factor: f64,
    balls: Vec<SlowBall>,
}

struct SlowBall {
    centre: Vec<f64>,
    radius: f64,
    rewards: Vec<Vec<f64>>,
}

impl Slow {
    fn new(dim: usize, slope: f64, factor: f64) -> Self {
        Self { slope, factor, balls: vec![SlowBall { centre: vec![0.0; dim], radius: 1.0, rewards: vec![] }] }
    }

    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let squares: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
        (self.slope * squares.sqrt()).min(1.0)
    }

    fn holds(&self, ball: &SlowBall, x: &[f64]) -> bool {
        self.distance(&ball.centre, x) <= ball.radius
    }

    /// True if x is in dom(B), which is B without the active balls of strictly smaller radius.
    fn in_domain(&self, ball: &SlowBall, x: &[f64]) -> bool {
        let smaller = |other: &&SlowBall| other.radius < ball.radius;
        self.holds(ball, x) && !self.balls.iter().filter(smaller).any(|other| self.holds(other, x))
    }

    fn width(&self, ball: &SlowBall) -> f64 {
        self.factor / (ball.rewards.len() as f64).sqrt()
    }

    fn index(&self, ball: &SlowBall, objective: usize) -> f64 {
        let pre = |other: &SlowBall| {
            let sum: f64 = other.rewards.iter().map(|y| y[objective]).sum();
            let mean = if other.rewards.is_empty() { 0.0 } else { sum / other.rewards.len() as f64 };
            mean + self.width(other) + other.radius + self.distance(&other.centre, &ball.centre)
        };
        ball.radius + self.balls.iter().map(pre).fold(f64::INFINITY, f64::min)
    }

    fn indices(&self, m: usize) -> Vec<Vec<f64>> {
        self.balls.iter().map(|ball| (0..m).map(|i| self.index(ball, i)).collect()).collect()
    }

    /// The arms in the domains of those relevant balls that no relevant ball dominates.
    fn playable(&self, arms: &ArmSet, m: usize) -> Vec<ArmId> {
        let index = self.indices(m);
        let relevant = |&b: &usize| arms.iter().any(|arm| self.in_domain(&self.balls[b], arm.context()));
        let relevant: Vec<usize> = (0..self.balls.len()).filter(relevant).collect();
        let on_front = |&&b: &&usize| !relevant.iter().any(|&other| dominates(&index[other], &index[b]));
        let front: Vec<usize> = relevant.iter().filter(on_front).copied().collect();
        let inside = |x: &[f64]| front.iter().any(|&b| self.in_domain(&self.balls[b], x));
        arms.iter().filter(|arm| inside(arm.context())).map(|arm| arm.id()).collect()
    }

    /// The balls that may be credited with a reward at x.
    fn creditable(&self, x: &[f64], m: usize) -> Vec<usize> {
        let index = self.indices(m);
        let owners: Vec<usize> =
            (0..self.balls.len()).filter(|&b| self.in_domain(&self.balls[b], x)).collect();
        let beaten = |b: usize| owners.iter().any(|&other| dominates(&index[other], &index[b]));
        owners.iter().copied().filter(|&b| !beaten(b)).collect()
    }

    fn learn(&mut self, credited: usize, x: &[f64], reward: Vec<f64>) {
        if self.width(&self.balls[credited]) <= self.balls[credited].radius {
            let radius = self.balls[credited].radius / 2.0;
            self.balls.push(SlowBall { centre: x.to_vec(), radius, rewards: vec![] });
        }
        self.balls[credited].rewards.push(reward);
    }

    fn check_equal(&self, balls: &[Ball], m: usize) {
        assert_eq!(balls.len(), self.balls.len());
        for (index, (fast, slow)) in self.indices(m).iter().zip(balls.iter().zip(&self.balls)) {
            assert_eq!((&fast.centre, fast.radius), (&slow.centre, slow.radius));
            assert_eq!(fast.count, slow.rewards.len() as u64);
            assert!(fast.index == *index, "{:?} is not {index:?}", fast.index);
        }
    }
}

/// The ball whose count of rewards grew by one.
fn credited(before: &[Ball], after: &[Ball]) -> usize {
    (0..before.len()).find(|&b| after[b].count > before[b].count).unwrap()
}

fn random_arms(n_arms: usize, dim: usize, rng: &mut dyn Rng) -> ArmSet<'static> {
    ArmSet::from_rows(&(0..n_arms).map(|_| ball(dim, 1.0, rng)).collect::<Vec<_>>()).unwrap()
}

/// Compares round by round on random problems, for fixed and fresh arms, bit for bit. If two balls may be
/// credited, each is credited in half of the cases: with n cases, six deviations are 3√n.
#[test]
fn it_agrees_with_its_definition() {
    let (mut first, mut ties, mut most_balls) = (0.0, 0.0, 0);
    for case in 0..16_u64 {
        let mut rng = draw::seeded(900 + case);
        let (dim, m) = (1 + draw::below(3, &mut rng), 1 + draw::below(3, &mut rng));
        let (scale, slope) =
            ([0.02, 0.06, 0.2][draw::below(3, &mut rng)], [0.5, 1.0, 4.0][draw::below(3, &mut rng)]);
        let objective = |i: usize| match i {
            0 => Objective::new("cost", Link::Identity).minimize().range(-1.0, 3.0),
            _ => Objective::new(format!("y{i}"), Link::Logit),
        };
        let problem = Problem::new(dim, (0..m).map(objective).collect()).unwrap();
        let config = PczConfig { scale, lipschitz: Some(slope), ..Default::default() };
        let mut policy = Pcz::new(problem.clone(), config).unwrap();
        let mut slow = Slow::new(dim, slope, scale * factor(m, 3000.0, 0.05));
        let mut arms = random_arms(12, dim, &mut rng);
        for _ in 0..250 {
            if case % 2 == 1 {
                arms = random_arms(1 + draw::below(12, &mut rng), dim, &mut rng);
            }
            let decision = policy.decide(&arms, &mut rng).unwrap();
            assert_eq!(decision.front.arms(), slow.playable(&arms, m), "case {case}");
            assert_eq!(decision.probabilities[decision.arm.0], 1.0 / decision.front.len() as f64);
            let reward: Vec<f64> = (0..m).map(|_| bernoulli(0.5, &mut rng)).collect();
            let (x, before) = (arms.context(decision.arm.0), policy.balls());
            slow.check_equal(&before, m);
            policy.learn(arms.arm(decision.arm), &reward).unwrap();
            let (chosen, possible) = (credited(&before, &policy.balls()), slow.creditable(x, m));
            assert!(possible.contains(&chosen), "case {case}: {chosen} of {possible:?}");
            if possible.len() == 2 {
                ties += 1.0;
                first += f64::from(u8::from(chosen == possible[0]));
            }
            let units = problem.objectives().iter().zip(&reward).map(|(o, &y)| o.unit_reward(y));
            slow.learn(chosen, x, units.collect());
        }
        most_balls = most_balls.max(slow.balls.len());
    }
    assert!(ties > 100.0 && most_balls > 40, "{ties} ties, up to {most_balls} balls");
    assert!(
        (first - ties / 2.0_f64).abs() < 3.0 * ties.sqrt(),
        "the first of two in {first} of {ties} cases"
    );
}

/// T = 3000, m = 5, δ = 0.05: 2A = 72.62, 290.5 = 2A/¼ and 1161.9 = 2A/(1/16). There is only one arm, so that
/// the smallest ball gets all rewards. A ball is activated with the reward after the last of these.
#[test]
fn a_ball_splits_after_two_a_over_its_squared_radius() {
    let problem = lipschitz::problem(5, 1);
    let mut policy = Pcz::new(problem, PczConfig::default()).unwrap();
    let arms = ArmSet::from_rows(&[[0.0]]).unwrap();
    for _ in 0..73 + 291 + 1162 + 1 {
        policy.learn(arms.arm(ArmId(0)), &[1.0, 0.5, 0.0, 0.0, 0.0]).unwrap();
    }
    let balls = policy.balls();
    let seen: Vec<(f64, u64)> = balls.iter().map(|ball| (ball.radius, ball.count)).collect();
    assert_eq!(seen, [(1.0, 74), (0.5, 292), (0.25, 1161)]);
    policy.learn(arms.arm(ArmId(0)), &[0.0; 5]).unwrap();
    assert_eq!((policy.balls().len(), policy.balls()[2].count), (3, 1162));
    policy.learn(arms.arm(ArmId(0)), &[0.0; 5]).unwrap();
    assert_eq!((policy.balls().len(), policy.balls()[2].count, policy.balls()[3].count), (4, 1163, 0));
}

/// With u_B = 1/√N, L = 1 and arms at ∓0.4:
///
/// 1. Arm 0 gives (1, 0). The first ball has N = 1, u = 1, mean (1, 0): pre = (3, 2), index = (4, 3).
/// 2. Arm 1 gives (0, 1). Before it, u = 1 ≤ 1, so a ball of radius ½ is activated at 0.4. It contains arm 1,
///    not arm 0 (D = 0.8). The first ball has N = 2, u = 0.7071, mean (½, ½): pre = 2.2071, index = 3.2071.
///    The second, at D = 0.4 and without rewards, has the index ½ + 2.2071 + 0.4 = 3.1071: it is dominated.
/// 3. Arm 0 gives (0, 0). Before it, u = 0.7071 ≤ 1, so a ball is activated at −0.4. First ball: N = 3,
///    u = 0.5774, mean (⅓, ⅓), pre = 1.9107. It owns no arm now; the other two have the index
///    ½ + 1.9107 + 0.4 = 2.8107, and both arms are on the front.
#[test]
fn the_first_rounds_are_those_by_hand() {
    let scale = 1.0 / factor(2, 3000.0, 0.05);
    let config = PczConfig { scale: scale * (1.0 - 1e-12), lipschitz: Some(1.0), ..Default::default() };
    let mut policy = Pcz::new(lipschitz::problem(2, 2), config).unwrap();
    let arms = ArmSet::from_rows(&[[-0.4], [0.4]]).unwrap();
    let index = |policy: &Pcz| policy.balls().iter().map(|ball| ball.index.clone()).collect::<Vec<_>>();
    let decide = |policy: &Pcz| policy.decide(&arms, &mut draw::seeded(1)).unwrap();
    let close = |got: Vec<Vec<f64>>, expected: &[[f64; 2]]| {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-4;
        got.len() == expected.len() && got.iter().flatten().zip(expected.as_flattened()).all(near)
    };
    assert_eq!(decide(&policy).front.len(), 2, "nothing is known");
    assert!(decide(&policy).widths.as_slice().iter().all(|&width| width == f64::INFINITY));
    policy.learn(arms.arm(ArmId(0)), &[1.0, 0.0]).unwrap();
    assert!(close(index(&policy), &[[4.0, 3.0]]), "{:?}", index(&policy));
    policy.learn(arms.arm(ArmId(1)), &[0.0, 1.0]).unwrap();
    assert!(close(index(&policy), &[[3.2071; 2], [3.1071; 2]]), "{:?}", index(&policy));
    assert_eq!(decide(&policy).front.arms(), [ArmId(0)]);
    assert_eq!(decide(&policy).estimates.row(0), [0.5, 0.5]);
    assert!((decide(&policy).widths.row(0)[0] - 1.7071).abs() < 1e-4, "u + r of the first ball");
    policy.learn(arms.arm(ArmId(0)), &[0.0, 0.0]).unwrap();
    assert!(close(index(&policy), &[[2.9107; 2], [2.8107; 2], [2.8107; 2]]), "{:?}", index(&policy));
    assert_eq!(decide(&policy).front.len(), 2);
}

/// Cached values for fixed arms change nothing.
#[test]
fn fixed_arms_are_decided_on_alike() {
    let arms = Arc::new(lipschitz::line(40));
    let config = PczConfig { scale: 0.03, lipschitz: Some(0.7), ..Default::default() };
    let mut plain = Pcz::new(lipschitz::problem(2, 40), config).unwrap();
    let (mut fixed, mut rng) = (plain.clone(), draw::seeded(8));
    for round in 0..800 {
        if round % 300 == 0 {
            fixed.fix_arms(&arms).unwrap();
        }
        let (a, mut b) = (plain.decide(&arms, &mut draw::seeded(round)).unwrap(), Decision::default());
        fixed.decide_into(&arms, &mut draw::seeded(round), &mut b).unwrap();
        assert!(a == b, "round {round}");
        let reward = lipschitz::means(arms.context(a.arm.0)[0]).map(|p| bernoulli(p, &mut rng));
        plain.learn(arms.arm(a.arm), &reward).unwrap();
        fixed.learn(arms.arm(a.arm), &reward).unwrap();
    }
    assert!(plain.balls().len() > 40 && plain.to_bytes() == fixed.to_bytes());
    assert!(fixed.fix_arms(&Arc::new(lipschitz::line(3))).is_err());
}

#[test]
fn the_number_of_arms_may_be_left_open() {
    let problem =
        Problem::new(3, vec![Objective::new("y", Link::Logit), Objective::new("z", Link::Log)]).unwrap();
    let config = PczConfig { scale: 0.03, ..Default::default() };
    check_policy(&problem, || Pcz::new(problem.clone(), config.clone()).unwrap(), Restorable::to_bytes);
}

/// With a fifth of the proved width, which is three deviations of a mean, and with the whole width.
#[test]
fn regret_is_sublinear_and_below_that_of_uniform_play() {
    let arms = lipschitz::line(40);
    let uniform = lipschitz::uniform_regret(&arms, 2, 8000);
    for (scale, share) in [(0.2, 0.3), (1.0, 0.8)] {
        let config = PczConfig { scale, lipschitz: Some(0.7), ..Default::default() };
        let mut policy = Pcz::new(lipschitz::problem(2, 40), config).unwrap();
        let [first, second] = lipschitz::regret(&mut policy, &arms, 8000, 11);
        assert!(second < 0.7 * first, "scale {scale}: {first} in the first half, {second} in the second");
        assert!(
            first + second < share * uniform,
            "scale {scale}: {first} + {second}, uniform play {uniform}"
        );
    }
}

#[test]
fn impossible_parameters_are_refused() {
    let with = |config: PczConfig| Pcz::new(lipschitz::problem(2, 3), config).map(|_| ());
    let refused = |name: &str, config: PczConfig| match with(config.clone()) {
        Err(Error::ParameterBounds { name: got, .. }) => assert_eq!(got, name),
        got => panic!("{config:?} gave {got:?}"),
    };
    refused("horizon", PczConfig { horizon: 0, ..Default::default() });
    for bad in [0.0, -0.1, 1.1, f64::NAN] {
        refused("delta", PczConfig { delta: bad, ..Default::default() });
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused("scale", PczConfig { scale: bad, ..Default::default() });
    }
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        refused("lipschitz", PczConfig { lipschitz: Some(bad), ..Default::default() });
    }
    assert_eq!(
        with(PczConfig { horizon: 1, delta: 1.0, lipschitz: Some(0.0), ..Default::default() }),
        Ok(())
    );
}
