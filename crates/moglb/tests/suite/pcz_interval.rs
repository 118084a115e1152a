//! Pareto contextual zooming on an interval of arms compared with its definition, and with uniform play.

use crate::common::bernoulli;
use moglb::{
    Ball, Error, IntervalDecision, Link, Matrix, Objective, PczInterval, PczIntervalConfig, Rng, dominates,
    draw, gaps,
};

fn objectives() -> Vec<Objective> {
    vec![Objective::new("a", Link::Logit), Objective::new("b", Link::Logit)]
}

fn policy(context_dim: usize, config: PczIntervalConfig) -> PczInterval {
    PczInterval::new(context_dim, objectives(), config).unwrap()
}

/// The means of two objectives. The second is largest for the arm 0.3 + 0.6·context, the first for the arm
/// 0.3 below that. Slopes are 1 in the arm and 0.6 in the context, so that L = 1.6.
fn means(context: f64, arm: f64) -> [f64; 2] {
    let best = 0.3 + 0.6 * context;
    [best - 0.3, best].map(|peak| 0.95 - (arm - peak).abs())
}

/// Plays rounds with rewards of 0 or 1 and random contexts; `each` receives every decision before its reward.
fn play(
    policy: &mut PczInterval,
    rounds: usize,
    rng: &mut dyn Rng,
    mut each: impl FnMut(&PczInterval, f64, &IntervalDecision),
) {
    for _ in 0..rounds {
        let context = draw::unit(rng);
        let decision = policy.decide(&[context], rng).unwrap();
        each(policy, context, &decision);
        let reward = means(context, decision.arm).map(|p| bernoulli(p, rng));
        policy.learn(&[context], decision.arm, &reward).unwrap();
    }
}

/// D = min(1, L·max |·|).
fn distance(slope: f64, a: &[f64], b: &[f64]) -> f64 {
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    (slope * apart).min(1.0)
}

/// The balls in whose domain a point lies, by the definition.
fn owners(balls: &[Ball], slope: f64, point: &[f64]) -> Vec<usize> {
    let holds = |b: usize| distance(slope, &balls[b].centre, point) <= balls[b].radius;
    let smaller =
        |b: usize| (0..balls.len()).any(|other| balls[other].radius < balls[b].radius && holds(other));
    (0..balls.len()).filter(|&b| holds(b) && !smaller(b)).collect()
}

/// A point between every two neighboring ends of balls.
fn places(balls: &[Ball], slope: f64) -> Vec<f64> {
    let reach = |ball: &Ball| [-1.0, 1.0].map(|side| ball.centre[1] + side * ball.radius / slope);
    let mut ends: Vec<f64> =
        balls.iter().flat_map(reach).chain([0.0, 1.0]).map(|end| end.clamp(0.0, 1.0)).collect();
    ends.sort_by(f64::total_cmp);
    let apart = |pair: &&[f64]| pair[1] - pair[0] > 1e-12;
    ends.windows(2).filter(apart).map(|pair| pair[0] + 0.5 * (pair[1] - pair[0])).collect()
}

/// An arm is in the region if and only if one of its owners is on the front of the owners of all arms at the
/// context.
#[test]
fn the_region_is_that_of_the_definition() {
    let (mut inside, mut outside) = (0, 0);
    for slope in [1.0, 2.0] {
        let config = PczIntervalConfig { scale: 0.02, lipschitz: slope, ..Default::default() };
        let mut policy = policy(1, config);
        play(&mut policy, 400, &mut draw::seeded(3), |policy, context, decision| {
            let balls = policy.balls();
            let places = places(&balls, slope);
            let owned: Vec<Vec<usize>> =
                places.iter().map(|&y| owners(&balls, slope, &[context, y])).collect();
            let relevant: Vec<usize> = owned.iter().flatten().copied().collect();
            let on_front =
                |b: &usize| !relevant.iter().any(|&o| dominates(&balls[o].index, &balls[*b].index));
            for (y, owned) in places.iter().zip(&owned) {
                let got = decision.region.iter().any(|(low, high)| low <= y && y <= high);
                assert_eq!(
                    got,
                    owned.iter().any(on_front),
                    "context {context}, arm {y}, {} balls",
                    balls.len()
                );
                inside += usize::from(got);
                outside += usize::from(!got);
            }
            let length: f64 = decision.region.iter().map(|(low, high)| high - low).sum();
            assert!((decision.density * length - 1.0).abs() < 1e-12);
            assert!(decision.region.is_sorted_by(|one, two| one.1 < two.0), "{:?}", decision.region);
            assert!(decision.region.iter().any(|(low, high)| (low..=high).contains(&&decision.arm)));
        });
        assert!(policy.balls().len() > 30);
    }
    assert!(inside > 1000 && outside > 1000, "{inside} inside, {outside} outside");
}

/// Twenty bins of equal length in the region, 4000 draws: each count has mean 200 and deviation 13.8. Six
/// deviations are exceeded in any bin with chance 4e-8.
#[test]
fn arms_are_drawn_uniformly_from_the_region() {
    let mut policy = policy(1, PczIntervalConfig { scale: 0.02, ..Default::default() });
    let mut rng = draw::seeded(4);
    play(&mut policy, 300, &mut rng, |_, _, _| ());
    let region = policy.decide(&[0.4], &mut rng).unwrap().region;
    assert!(region.len() > 1, "{region:?} is not in pieces");
    let length: f64 = region.iter().map(|(low, high)| high - low).sum();
    let below = |arm: f64| region.iter().map(|(low, high)| (arm.min(*high) - low).max(0.0)).sum::<f64>();
    let mut counts = [0.0_f64; 20];
    for _ in 0..4000 {
        let arm = policy.decide(&[0.4], &mut rng).unwrap().arm;
        counts[((below(arm) / length * 20.0) as usize).min(19)] += 1.0;
    }
    assert!(counts.iter().all(|count| (count - 200.0).abs() < 6.0 * 13.8), "{counts:?}");
}

/// The Pareto gap of an arm at a context, compared with a fine grid.
fn gap(means: fn(f64, f64) -> [f64; 2], context: f64, arm: f64) -> f64 {
    let mut rows: Vec<[f64; 2]> = (0..=200).map(|k| means(context, f64::from(k) / 200.0)).collect();
    rows.push(means(context, arm));
    *gaps(&Matrix::from_rows(&rows).unwrap()).unwrap().last().unwrap()
}

/// With a fifth of the proved width, which is three deviations of a mean. Regret comes in waves, one for each
/// radius, so each half of the rounds must contain several waves.
#[test]
fn regret_is_sublinear_and_below_that_of_uniform_play() {
    let (rounds, config) = (24_000, PczIntervalConfig { scale: 0.2, lipschitz: 1.6, ..Default::default() });
    let mut policy = policy(1, PczIntervalConfig { horizon: rounds as u64, ..config });
    let (mut regret, mut uniform, mut round) = ([0.0; 2], 0.0, 0);
    let mut other = draw::seeded(6);
    play(&mut policy, rounds, &mut draw::seeded(5), |_, context, decision| {
        // Gaps are computed in a tenth of the rounds: computing a gap takes longer than playing.
        if round % 10 == 0 {
            regret[2 * round / rounds] += 10.0 * gap(means, context, decision.arm);
            uniform += 10.0 * gap(means, context, draw::unit(&mut other));
        }
        round += 1;
    });
    println!("regret {regret:?} in each half, uniform play {uniform}");
    assert!(regret[1] < 0.8 * regret[0], "{regret:?}");
    assert!(regret[0] + regret[1] < 0.5 * uniform, "{regret:?}, uniform play {uniform}");
}

/// With u_B = 1/√N and L = 1; the first ball is centered at (½, ½), and all rounds have the context 0.2:
///
/// 1. The arm 0.3 gives (1, 0): N = 1, u = 1, pre = (3, 2), index (4, 3). There is one ball, so the draw is
///    from all arms.
/// 2. The arm 0.8 gives (0, 1). Before it, u = 1 ≤ 1, so a ball of radius ½ is activated at (0.2, 0.8), over
///    the arms from 0.3 on as long as the context is at most 0.7. First ball: N = 2, u = 0.7071, mean (½, ½),
///    pre = 2.2071, index 3.2071. The second, at D = 0.3 and without rewards, has ½ + 2.2071 + 0.3 = 3.0071:
///    it is dominated, so that [0, 0.3] remains, with density 1/0.3.
/// 3. The arm 0.1 gives (0, 0). Before it, u = 0.7071 ≤ 1, so a ball is activated at (0.2, 0.1), over the
///    arms up to 0.6, at D = 0.4. First ball: N = 3, u = 0.5774, mean (⅓, ⅓), pre = 1.9107, index 2.9107, and
///    it owns no arm. Second: 2.7107, third: 2.8107: [0, 0.6].
/// 4. The arm 0.45 lies in the domains of the second ball and of the third, which dominates: it is credited
///    with (1, 1). Its own pre-index 1 + 1 + ½ is above 1.9107 + 0.4, so that no index changes.
#[test]
fn the_first_rounds_are_those_by_hand() {
    // √(2A) at m = 2, T = 3000, δ = 0.05, where A = 34.4763; slightly less, because u ≤ r must hold at one.
    let scale = 1.0 / 8.303771;
    let mut policy = policy(1, PczIntervalConfig { scale, ..Default::default() });
    let near = |a: f64, b: f64| (a - b).abs() < 1e-4;
    let check = |policy: &PczInterval, context: f64, density: f64, end: f64| {
        let decision = policy.decide(&[context], &mut draw::seeded(1)).unwrap();
        let [(low, high)] = decision.region[..] else { panic!("{:?}", decision.region) };
        assert!(low == 0.0 && near(high, end) && near(decision.density, density), "{decision:?}");
    };
    let indices = |policy: &PczInterval, expected: &[[f64; 2]]| {
        let got: Vec<f64> = policy.balls().into_iter().flat_map(|ball| ball.index).collect();
        let close = got.iter().zip(expected.as_flattened()).all(|(a, b)| near(*a, *b));
        assert!(close && got.len() == 2 * expected.len(), "{got:?} is not {expected:?}");
    };
    check(&policy, 0.2, 1.0, 1.0);
    policy.learn(&[0.2], 0.3, &[1.0, 0.0]).unwrap();
    indices(&policy, &[[4.0, 3.0]]);
    check(&policy, 0.2, 1.0, 1.0);
    policy.learn(&[0.2], 0.8, &[0.0, 1.0]).unwrap();
    indices(&policy, &[[3.2071; 2], [3.0071; 2]]);
    check(&policy, 0.2, 1.0 / 0.3, 0.3);
    check(&policy, 0.71, 1.0, 1.0);
    policy.learn(&[0.2], 0.1, &[0.0, 0.0]).unwrap();
    let third = [[2.9107; 2], [2.7107; 2], [2.8107; 2]];
    indices(&policy, &third);
    check(&policy, 0.2, 1.0 / 0.6, 0.6);
    policy.learn(&[0.2], 0.45, &[1.0, 1.0]).unwrap();
    assert_eq!(policy.balls().iter().map(|ball| ball.count).collect::<Vec<_>>(), [3, 0, 1]);
    indices(&policy, &third);
}

/// Means for the laws, with a narrow front: L = 0.9·(1 + 0.1) = 0.99, gaps up to 0.72, and a distance of 0.02
/// from both ends of [0, 1].
fn narrow(context: f64, arm: f64) -> [f64; 2] {
    [0.1, 0.2].map(|peak| 0.95 - 0.9 * (arm - peak - 0.1 * context).abs())
}

/// The observations of a run: the good event (all balls within u_B + r(B) of the means at their centers), the
/// number of indices below the mean of a played arm, the largest gap in radii, and the number of rounds in
/// which 14 radii were less than the largest gap.
#[derive(Debug)]
struct Run {
    is_good: bool,
    low: usize,
    radii: f64,
    telling: usize,
}

/// Rewards are 0.02 above or below the mean, so that a fiftieth of the width is proved.
fn watch(told: f64, rounds: usize, seed: u64) -> Run {
    let (scale, factor) = (0.02, 0.02 * 8.30377);
    let mut policy = policy(1, PczIntervalConfig { scale, lipschitz: told, ..Default::default() });
    let mut run = Run { is_good: true, low: 0, radii: 0.0, telling: 0 };
    let mut rng = draw::seeded(seed);
    for _ in 0..rounds {
        let context = draw::unit(&mut rng);
        let arm = policy.decide(&[context], &mut rng).unwrap().arm;
        let (balls, means) = (policy.balls(), narrow(context, arm));
        let owners = owners(&balls, told, &[context, arm]);
        let radius = balls[owners[0]].radius;
        run.radii = run.radii.max(gap(narrow, context, arm) / radius);
        run.telling += usize::from(14.0 * radius < 0.72);
        let below = |&b: &usize| means.iter().zip(&balls[b].index).any(|(mu, g)| *g < mu - 1e-12);
        run.low += owners.iter().filter(|b| below(b)).count();
        let reward = means.map(|mean| mean + 0.02 * (2.0 * bernoulli(0.5, &mut rng) - 1.0));
        policy.learn(&[context], arm, &reward).unwrap();
        run.is_good &= policy.balls().iter().all(|ball| {
            let reach = factor / (ball.count as f64).sqrt() + ball.radius;
            let means = narrow(ball.centre[0], ball.centre[1]);
            means.iter().zip(&ball.means).all(|(mu, got)| (mu - got).abs() <= reach)
        });
    }
    run
}

/// The laws of `pcz_laws.rs`. If the chance of a bad run were 5 %, more than 4 of 10 would have chance 6e-5.
/// With a metric that is too small, the policy violates both laws; and two radii in place of 14 would not be
/// enough.
#[test]
fn on_the_good_event_indices_are_at_least_the_means_and_gaps_at_most_14_radii() {
    let runs: Vec<Run> = (0..10).map(|seed| watch(1.0, 600, seed)).collect();
    let good: Vec<&Run> = runs.iter().filter(|run| run.is_good).collect();
    let most = good.iter().map(|run| run.radii).fold(0.0, f64::max);
    println!("the good event in {} of 10 runs, gaps up to {most} radii", good.len());
    assert!(good.len() >= 6, "the good event in {} of 10 runs", good.len());
    for run in &good {
        assert!(run.low == 0 && run.radii <= 14.0 && run.telling > 20, "{run:?}");
    }
    assert!(most > 2.0, "two radii would do");
    let control = watch(0.02, 1200, 1);
    println!("with a metric that is too small: {control:?}");
    assert!(!control.is_good && control.low > 0 && control.radii > 14.0, "{control:?}");
}

#[test]
fn what_was_learned_can_be_taken_over() {
    let config = PczIntervalConfig { scale: 0.02, ..Default::default() };
    let mut policy = policy(1, config.clone());
    play(&mut policy, 100, &mut draw::seeded(7), |_, _, _| ());
    let mut again = PczInterval::new(1, objectives(), config).unwrap();
    again.resume(policy.state()).unwrap();
    assert_eq!((again.t(), again.balls()), (100, policy.balls()));
    let next = |policy: &PczInterval| policy.decide(&[0.5], &mut draw::seeded(8)).unwrap();
    assert_eq!(next(&again), next(&policy));
    let mut forged = policy.state();
    forged.balls[1].centre[1] = 1.5;
    assert!(matches!(again.resume(forged), Err(Error::SnapshotDamaged { .. })));
    assert_eq!(next(&again), next(&policy), "a refused state left a trace");
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let mut policy = policy(2, PczIntervalConfig::default());
    let mut rng = draw::seeded(1);
    let before = policy.state();
    assert_eq!(policy.decide(&[0.5], &mut rng), Err(Error::Dimension { expected: 2, got: 1 }));
    for bad in [-0.1, 1.1, f64::NAN] {
        let refused = policy.decide(&[0.5, bad], &mut rng);
        assert!(matches!(refused, Err(Error::ParameterBounds { name: "context", .. })), "{refused:?}");
        let refused = policy.learn(&[0.5, 0.5], bad, &[1.0, 0.0]);
        assert!(matches!(refused, Err(Error::ParameterBounds { name: "arm", .. })), "{refused:?}");
        let refused = policy.learn(&[0.5, 0.5], 0.5, &[1.0, bad]);
        assert!(matches!(refused, Err(Error::Reward { .. })), "{refused:?}");
    }
    assert_eq!(policy.learn(&[0.5; 2], 0.5, &[1.0]), Err(Error::RewardLength { expected: 2, got: 1 }));
    assert_eq!(policy.state(), before);
    let with = |config| PczInterval::new(1, objectives(), config).map(|_| ());
    for config in [
        PczIntervalConfig { scale: 0.0, ..Default::default() },
        PczIntervalConfig { delta: 0.0, ..Default::default() },
        PczIntervalConfig { horizon: 0, ..Default::default() },
        PczIntervalConfig { lipschitz: -1.0, ..Default::default() },
    ] {
        assert!(matches!(with(config), Err(Error::ParameterBounds { .. })));
    }
    assert_eq!(
        PczInterval::new(1, vec![], PczIntervalConfig::default()).map(|_| ()),
        Err(Error::NoObjectives)
    );
}

/// Arms without contexts, and a metric in which all arms are close: there is one ball, and the draw is from
/// all of [0, 1].
#[test]
fn there_may_be_no_context() {
    let mut policy = policy(0, PczIntervalConfig { lipschitz: 0.0, scale: 0.01, ..Default::default() });
    let mut rng = draw::seeded(2);
    for _ in 0..20 {
        let decision = policy.decide(&[], &mut rng).unwrap();
        assert_eq!((decision.density, &decision.region[..]), (1.0, &[(0.0, 1.0)][..]));
        policy.learn(&[], decision.arm, &[1.0, 0.0]).unwrap();
    }
}
