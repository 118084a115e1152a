//! Contextual zooming, zooming, HOO and Query-Ad-Clustering: first rounds by hand, regret, and invalid
//! configurations.

use crate::common::lipschitz::{self, line, problem};
use crate::common::{ball, bernoulli};
use moglb::conformance::check_policy;
use moglb::{
    ArmId, ArmSet, Ball, ContextualZooming, ContextualZoomingConfig, Error, Hoo, HooConfig, Link, Objective,
    Policy, PolicyConfig, Problem, QueryAdClustering, QueryAdClusteringConfig, Restorable, Zooming,
    ZoomingConfig, draw,
};
use std::sync::Arc;

fn close(got: &[f64], expected: &[f64]) {
    let near = got.len() == expected.len() && got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4);
    assert!(near, "{got:?} is not {expected:?}");
}

/// conf = 4·scale·√(ln T/(1 + N)) with 4·scale·√(ln T) = 1, so 1/√(1 + N); L = 1, arms at ∓0.4.
///
/// 1. Before any reward: N = 0, conf = 1, pre = 0 + 1 + 1, index = 3. Arm 0 gives 1. Before it, conf = 1 ≤ 1,
///    so a ball of radius ½ is activated at −0.4. First ball: N = 1, mean 1, conf 0.7071, pre = 2.7071, index
///    3.7071. Second ball: pre = 0 + 1 + ½ = 1.5, index = ½ + min(1.5, 2.7071 + 0.4) = 2. The first ball is
///    larger, so the second one does not enter its index. So arm 1, which the first ball owns, is played.
/// 2. Arm 1 gives 0. Before it, 0.7071 ≤ 1, so a ball is activated at 0.4. First ball: N = 2, mean ½, conf
///    0.5774, pre 2.0774. Now the owners of all arms have radius ½, both with the index ½ + 1.5.
#[test]
fn contextual_zooming_plays_the_first_rounds_by_hand() {
    let scale = 1.0 / (4.0 * 3000.0_f64.ln().sqrt()) * (1.0 - 1e-12);
    let config = ContextualZoomingConfig { scale, lipschitz: Some(1.0), ..Default::default() };
    let mut policy = ContextualZooming::new(problem(1, 2), config).unwrap();
    let arms = ArmSet::from_rows(&[[-0.4], [0.4]]).unwrap();
    let indices =
        |policy: &ContextualZooming| policy.balls().iter().map(|ball| ball.index[0]).collect::<Vec<_>>();
    let decide = |policy: &ContextualZooming| policy.decide(&arms, &mut draw::seeded(1)).unwrap();
    close(&indices(&policy), &[3.0]);
    policy.learn(arms.arm(ArmId(0)), &[1.0]).unwrap();
    close(&indices(&policy), &[3.7071, 2.0]);
    close(&decide(&policy).probabilities, &[0.0, 1.0]);
    close(decide(&policy).estimates.as_slice(), &[0.0, 1.0]);
    policy.learn(arms.arm(ArmId(1)), &[0.0]).unwrap();
    close(&indices(&policy), &[3.0774, 2.0, 2.0]);
    close(&decide(&policy).probabilities, &[0.5, 0.5]);
}

/// The index by its definition: r(B) + the least of pre(B') + D(B, B') over active B' with r(B') ≥ r(B).
#[test]
fn contextual_zooming_asks_larger_balls_only() {
    let (horizon, scale, slope) = (500, 0.03, 1.5);
    let config = ContextualZoomingConfig { horizon, scale, lipschitz: Some(slope), ..Default::default() };
    let objective = Objective::new("y", Link::Identity).range(0.0, 1.0);
    let mut policy = ContextualZooming::new(Problem::new(2, vec![objective]).unwrap(), config).unwrap();
    let distance = |a: &Ball, b: &Ball| {
        let squares: f64 = a.centre.iter().zip(&b.centre).map(|(a, b)| (a - b) * (a - b)).sum();
        (slope * squares.sqrt()).min(1.0)
    };
    let pre = |ball: &Ball| {
        let conf = scale * 4.0 * ((horizon as f64).ln() / (1.0 + ball.count as f64)).sqrt();
        ball.means[0] + ball.radius + conf
    };
    let mut rng = draw::seeded(21);
    for _ in 0..300 {
        let arms = ArmSet::from_rows(&(0..6).map(|_| ball(2, 1.0, &mut rng)).collect::<Vec<_>>()).unwrap();
        let arm = policy.decide(&arms, &mut rng).unwrap().arm;
        policy.learn(arms.arm(arm), &[draw::unit(&mut rng)]).unwrap();
        let balls = policy.balls();
        for ball in &balls {
            let larger = balls.iter().filter(|other| other.radius >= ball.radius);
            let least = larger.map(|other| pre(other) + distance(ball, other)).fold(f64::INFINITY, f64::min);
            close(&ball.index, &[ball.radius + least]);
        }
    }
    assert!(policy.balls().len() > 50);
}

/// L = 1, arms at −0.4, 0.4 and 0.5; scale 0.25, so that r(v) = ¼·√(8i/(1 + n)).
///
/// 1. No arm is active: any arm is played. Arm 1 gives 1: n = 1 in phase 1, r = ¼·√(8/2) = 0.5. Its ball
///    contains arm 2 (D = 0.1), not arm 0 (0.8).
/// 2. So arm 0 is activated. Phase 2 begins after it, without rewards.
/// 3. Arm 1 gives 1: r = ¼·√(16/2) = 0.7071; arm 0 is activated again.
/// 4. It gives 0: all arms are in a ball. Indices 1 + 1.4142 and 0 + 1.4142: arm 1, never arm 2, which is not
///    active.
#[test]
fn zooming_plays_the_first_rounds_by_hand() {
    let config = ZoomingConfig { scale: 0.25, lipschitz: Some(1.0), ..Default::default() };
    let mut policy = Zooming::new(problem(1, 3), config).unwrap();
    let arms = ArmSet::from_rows(&[[-0.4], [0.4], [0.5]]).unwrap();
    let decide = |policy: &Zooming| policy.decide(&arms, &mut draw::seeded(1)).unwrap();
    close(&decide(&policy).probabilities, &[1.0 / 3.0; 3]);
    policy.learn(arms.arm(ArmId(1)), &[1.0]).unwrap();
    close(&decide(&policy).probabilities, &[1.0, 0.0, 0.0]);
    assert_eq!(decide(&policy).widths.as_slice(), [f64::INFINITY, 1.0, f64::INFINITY]);
    policy.learn(arms.arm(ArmId(0)), &[0.0]).unwrap();
    close(&decide(&policy).probabilities, &[1.0 / 3.0; 3]);
    policy.learn(arms.arm(ArmId(1)), &[1.0]).unwrap();
    close(&decide(&policy).probabilities, &[1.0, 0.0, 0.0]);
    policy.learn(arms.arm(ArmId(0)), &[0.0]).unwrap();
    let decision = decide(&policy);
    close(&decision.probabilities, &[0.0, 1.0, 0.0]);
    close(&decision.widths.as_slice()[..2], &[2.0_f64.sqrt(); 2]);
    assert_eq!(decision.estimates.as_slice(), [0.0, 1.0, 0.0]);
}

/// The least radius of a phase is above one, so the ball of any active arm contains everything, and the first
/// arm is played until the phase ends.
#[test]
fn zooming_with_its_own_width_activates_late() {
    let arms = line(10);
    let mut policy = Zooming::new(problem(1, 10), ZoomingConfig::default()).unwrap();
    let mut rng = draw::seeded(3);
    for _ in 0..6 {
        let arm = policy.decide(&arms, &mut rng).unwrap().arm;
        policy.learn(arms.arm(arm), &[1.0]).unwrap();
    }
    let first = policy.decide(&arms, &mut rng).unwrap().arm;
    for _ in 6..14 {
        let decision = policy.decide(&arms, &mut rng).unwrap();
        policy.learn(arms.arm(first), &[0.0]).unwrap();
        assert!(policy.t() == 7 || decision.probabilities[first.0] == 1.0, "round {}", policy.t());
    }
    assert_eq!(
        policy.decide(&arms, &mut rng).unwrap().probabilities,
        [0.1; 10],
        "phase 4 begins from nothing"
    );
}

/// L = 1, arms at −0.4, −0.3, 0.4: cells {0}, and {1, 2} of diameter 0.7 (the first half is the shorter one).
///
/// 1. Without plays any arm is played.
/// 2. Arm 1 gives 1, n = 1, ln 1 = 0: root U = 1 + 0.8; {1, 2}: U = 1 + 0.7, its halves have 1 and infinity;
///    {0} has infinity.
/// 3. Arm 0 gives 0, n = 2: √(2 ln 2) = 1.1774. B{0} = 1.1774; {1, 2}: U = 1 + 1.1774 + 0.7 = 2.8774,
///    B{1} = 2.1774, B{2} is infinite: arm 2.
/// 4. It gives 0, n = 3: √(2 ln 3) = 1.4823. B{0} = 1.4823; B{1} = 2.4823, B{2} = 1.4823; {1, 2}:
///    U = ½ + √(ln 3) + 0.7 = 2.2482, B = 2.2482: arm 1.
#[test]
fn hoo_plays_the_first_rounds_by_hand() {
    let config = HooConfig { lipschitz: Some(1.0), ..Default::default() };
    let mut policy = Hoo::new(problem(1, 3), config).unwrap();
    let arms = ArmSet::from_rows(&[[-0.4], [-0.3], [0.4]]).unwrap();
    let decide = |policy: &Hoo| policy.decide(&arms, &mut draw::seeded(1)).unwrap();
    close(&decide(&policy).probabilities, &[1.0 / 3.0; 3]);
    policy.learn(arms.arm(ArmId(1)), &[1.0]).unwrap();
    close(&decide(&policy).probabilities, &[1.0, 0.0, 0.0]);
    policy.learn(arms.arm(ArmId(0)), &[0.0]).unwrap();
    close(&decide(&policy).probabilities, &[0.0, 0.0, 1.0]);
    policy.learn(arms.arm(ArmId(2)), &[0.0]).unwrap();
    let decision = decide(&policy);
    close(&decision.probabilities, &[0.0, 1.0, 0.0]);
    close(decision.estimates.as_slice(), &[0.0, 1.0, 0.0]);
    close(decision.widths.as_slice(), &[1.4823; 3]);
}

/// With a very large slope the metric does not restrict HOO, and it becomes UCB1; otherwise the bound of a
/// cell restricts its arms. Of two groups that are far apart, once the good one is found, not all arms of the
/// bad one are tried.
#[test]
fn hoo_leaves_arms_untried_where_their_neighbours_are_bad() {
    let rows: Vec<[f64; 1]> =
        (0..32).map(|k| [if k < 16 { -0.9 } else { 0.8 } + 0.001 * f64::from(k % 16)]).collect();
    let arms = ArmSet::from_rows(&rows).unwrap();
    let untried = |slope: f64| {
        let config = HooConfig { lipschitz: Some(slope), scale: 0.3, ..Default::default() };
        let (mut policy, mut rng) = (Hoo::new(problem(1, 32), config).unwrap(), draw::seeded(4));
        let mut tried = [false; 32];
        for _ in 0..60 {
            let arm = policy.decide(&arms, &mut rng).unwrap().arm;
            tried[arm.0] = true;
            policy.learn(arms.arm(arm), &[f64::from(arm.0 >= 16)]).unwrap();
        }
        tried[..16].iter().filter(|tried| !**tried).count()
    };
    assert!(untried(0.5) > 8, "{} untried", untried(0.5));
    assert!(untried(1e6) < untried(0.5), "{} untried without similarity", untried(1e6));
}

/// d = 1, L = 1. Phase i has cubes of side 2^(−i/3).
///
/// 1. i = 0: side 1, no width: arms at −0.4 | 0.1, 0.4 lie in cubes −1 | 0, 0. No cube has rewards: any arm
///    is played.
/// 2. i = 1, without rewards: side 0.7937, width √(4/1) = 2 for all. Arm 1 gives 1: cube 0 has
///    1 + √(4/2) = 2.4142, cube −1 has 2.
/// 3. Arm 0 gives 0, and phase 2 begins: side 0.63, width √8 = 2.8284 for all.
/// 4. Arm 2 gives 1: cube 0 has 1 + √(8/2) = 3, cube −1 has 2.8284: arms 1 and 2.
#[test]
fn query_ad_clustering_plays_the_first_rounds_by_hand() {
    let config = QueryAdClusteringConfig { lipschitz: Some(1.0), ..Default::default() };
    let mut policy = QueryAdClustering::new(problem(1, 3), config).unwrap();
    let arms = ArmSet::from_rows(&[[-0.4], [0.1], [0.4]]).unwrap();
    let decide = |policy: &QueryAdClustering| policy.decide(&arms, &mut draw::seeded(1)).unwrap();
    close(&decide(&policy).probabilities, &[1.0 / 3.0; 3]);
    policy.learn(arms.arm(ArmId(0)), &[1.0]).unwrap();
    close(&decide(&policy).probabilities, &[1.0 / 3.0; 3]);
    close(decide(&policy).widths.as_slice(), &[2.0; 3]);
    policy.learn(arms.arm(ArmId(1)), &[1.0]).unwrap();
    close(&decide(&policy).probabilities, &[0.0, 0.5, 0.5]);
    close(decide(&policy).widths.as_slice(), &[2.0, 2.0_f64.sqrt(), 2.0_f64.sqrt()]);
    close(decide(&policy).estimates.as_slice(), &[0.0, 1.0, 1.0]);
    policy.learn(arms.arm(ArmId(0)), &[0.0]).unwrap();
    close(decide(&policy).widths.as_slice(), &[2.8284; 3]);
    policy.learn(arms.arm(ArmId(2)), &[1.0]).unwrap();
    close(&decide(&policy).probabilities, &[0.0, 0.5, 0.5]);
    close(decide(&policy).widths.as_slice(), &[2.8284, 2.0, 2.0]);
}

fn build(text: &str, problem: &Problem) -> Result<Box<dyn Restorable>, Error> {
    serde_json::from_str::<PolicyConfig>(text).unwrap().build(problem)
}

/// The largest accepted error of an estimate, from its width and the number of rewards.
type Reach = fn(f64, u64) -> f64;

/// The number of runs, of 200, in which the estimate of an arm was ever wrong by more than its reach. A run
/// has 300 rounds with rewards of 0 or 1.
fn runs_with_an_escape(text: &str, reach: Reach) -> usize {
    let arms = line(12);
    let means = lipschitz::table(&arms, 1);
    let run = |seed: u64| {
        let (mut policy, mut rng) = (build(text, &problem(1, 12)).unwrap(), draw::seeded(seed));
        (0..300).any(|_| {
            let decision = policy.decide(&arms, &mut rng).unwrap();
            let off = |arm: usize| (decision.estimates.row(arm)[0] - means.row(arm)[0]).abs();
            let escapes = |arm: usize| off(arm) > reach(decision.widths.row(arm)[0], policy.t());
            let escaped = (0..12).any(escapes);
            let reward = [bernoulli(means.row(decision.arm.0)[0], &mut rng)];
            policy.learn(arms.arm(decision.arm), &reward).unwrap();
            escaped
        })
    };
    (0..200).filter(|&seed| run(seed)).count()
}

/// Errors are at most u_B + r(B) for a ball, r(v) for an arm of zooming, which is half of the addition to its
/// mean, and the width plus the diameter 2^(−i/3) for a cube. The chances of failure are of the order 1/T.
/// For an arm of HOO in round n the chance is at most 2n⁻³, whatever its number of plays: 12 arms from round
/// 20 on have 24·Σ n⁻³ < 4 %. If a chance were 5 %, more than 23 of 200 runs would fail with chance 1e-4. A
/// fiftieth of the widths is the negative control.
#[test]
fn widths_cover_the_means() {
    let reaches: [(&str, Reach); 4] = [
        ("contextual-zooming", |width, _| width),
        ("hoo", |width, t| if t < 20 { f64::INFINITY } else { width }),
        ("zooming", |width, _| 0.5 * width),
        ("query-ad-clustering", |width, t| width + 2.0_f64.powf(-f64::from((t + 1).ilog2()) / 3.0)),
    ];
    for (id, reach) in reaches {
        let with = |scale: &str| format!(r#"{{"id":"{id}","lipschitz":0.7,"scale":{scale}}}"#);
        let escapes = runs_with_an_escape(&with("1.0"), reach);
        assert!(escapes <= 23, "{id}: {escapes} of 200 runs");
        let control = runs_with_an_escape(&with("0.02"), reach);
        assert!(control > 23, "{id}: only {control} of 200 runs with a fiftieth of the width");
    }
}

/// Rewards of 0 or 1 on a line of 60 arms whose means have slope 0.7; with a fifth of the proved width and
/// with the whole width.
#[test]
fn regret_is_sublinear_and_below_that_of_uniform_play() {
    let arms = line(60);
    let uniform = lipschitz::uniform_regret(&arms, 1, 8190);
    for id in ["contextual-zooming", "zooming", "hoo", "query-ad-clustering"] {
        for (scale, share) in [(0.2, 0.35), (1.0, 0.8)] {
            let text = format!(r#"{{"id":"{id}","scale":{scale:?},"lipschitz":0.7}}"#);
            let mut policy = build(&text, &problem(1, 60)).unwrap();
            let [first, second] = lipschitz::regret(&mut *policy, &arms, 8190, 31);
            assert!(second < 0.9 * first, "{text}: {first} in the first half, {second} in the second");
            assert!(first + second < share * uniform, "{text}: {first} + {second}, uniform play {uniform}");
        }
    }
}

/// Cached values for fixed arms change nothing.
#[test]
fn fixed_arms_are_decided_on_alike() {
    let arms = Arc::new(line(30));
    for text in [
        r#"{"id":"contextual-zooming","scale":0.03,"lipschitz":0.7}"#,
        r#"{"id":"hoo","scale":0.3}"#,
        r#"{"id":"zooming"}"#,
    ] {
        let (mut plain, mut fixed) =
            (build(text, &problem(1, 30)).unwrap(), build(text, &problem(1, 30)).unwrap());
        let mut rng = draw::seeded(9);
        for round in 0..400 {
            if round % 150 == 0 {
                fixed.fix_arms(&arms).unwrap();
            }
            let a = plain.decide(&arms, &mut draw::seeded(round)).unwrap();
            assert!(a == fixed.decide(&arms, &mut draw::seeded(round)).unwrap(), "{text}, round {round}");
            let reward = [bernoulli(lipschitz::means(arms.context(a.arm.0)[0])[0], &mut rng)];
            plain.learn(arms.arm(a.arm), &reward).unwrap();
            fixed.learn(arms.arm(a.arm), &reward).unwrap();
        }
        assert!(plain.to_bytes() == fixed.to_bytes());
    }
}

#[test]
fn the_number_of_arms_may_be_left_open_where_arms_have_no_statistics() {
    let problem =
        Problem::new(3, vec![Objective::new("y", Link::Logit).minimize(), Objective::new("z", Link::Log)]);
    let problem = problem.unwrap();
    let zooming = ContextualZoomingConfig { scale: 0.03, ..Default::default() };
    check_policy(
        &problem,
        || ContextualZooming::new(problem.clone(), zooming.clone()).unwrap(),
        Restorable::to_bytes,
    );
    let clustering = QueryAdClusteringConfig::default();
    check_policy(
        &problem,
        || QueryAdClustering::new(problem.clone(), clustering.clone()).unwrap(),
        Restorable::to_bytes,
    );
    for id in ["zooming", "hoo"] {
        let got = build(&format!(r#"{{"id":"{id}"}}"#), &problem).map(|_| ());
        assert_eq!(got, Err(Error::ArmCountNeeded { policy: id }));
    }
}

#[test]
fn impossible_configurations_are_refused() {
    let problem = problem(2, 3);
    for id in ["contextual-zooming", "zooming", "hoo", "query-ad-clustering"] {
        for (parameter, name) in [(r#""scale":-1.0"#, "scale"), (r#""lipschitz":-1.0"#, "lipschitz")] {
            let got = build(&format!(r#"{{"id":"{id}",{parameter}}}"#), &problem).map(|_| ());
            assert!(
                matches!(&got, Err(Error::ParameterBounds { name: n, .. }) if *n == name),
                "{id}: {got:?}"
            );
        }
        let got = build(&format!(r#"{{"id":"{id}","target":2}}"#), &problem).map(|_| ());
        assert_eq!(got, Err(Error::UnknownObjective { got: 2, n_objectives: 2 }));
        let unknown = serde_json::from_str::<PolicyConfig>(&format!(r#"{{"id":"{id}","delta":0.1}}"#));
        assert!(unknown.is_err(), "{id} has no delta");
    }
    for bad in [r#""horizon":1"#, r#""scale":0.0"#] {
        let got = build(&format!(r#"{{"id":"contextual-zooming",{bad}}}"#), &problem).map(|_| ());
        assert!(matches!(got, Err(Error::ParameterBounds { .. })), "{bad}");
    }
}

/// NaN and infinities, which JSON cannot express.
#[test]
fn parameters_that_are_no_numbers_are_refused() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (name, scale, lipschitz) in [("scale", bad, None), ("lipschitz", 1.0, Some(bad))] {
            let configs = [
                PolicyConfig::ContextualZooming(ContextualZoomingConfig {
                    scale,
                    lipschitz,
                    ..Default::default()
                }),
                PolicyConfig::Zooming(ZoomingConfig { scale, lipschitz, ..Default::default() }),
                PolicyConfig::Hoo(HooConfig { scale, lipschitz, ..Default::default() }),
                PolicyConfig::QueryAdClustering(QueryAdClusteringConfig {
                    scale,
                    lipschitz,
                    ..Default::default()
                }),
            ];
            for config in configs {
                let got = config.build(&problem(1, 3)).map(|_| ());
                let refused = matches!(&got, Err(Error::ParameterBounds { name: n, .. }) if *n == name);
                assert!(refused, "{config:?}: {got:?}");
            }
        }
    }
}
