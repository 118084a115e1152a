//! Linear policies: rounds worked by hand, coverage of confidence sets, regret that levels off, and agreement
//! of policies that must agree.

use crate::common::{ball, close, direction, dot, vector};
use moglb::{
    ArmId, ArmSet, ConfidenceBall, ConfidenceBallConfig, Decision, Error, LinRel, LinRelConfig, LinTs,
    LinTsConfig, LinUcb, LinUcbConfig, LinUcbHybrid, LinUcbHybridConfig, Link, Objective, Oful, OfulConfig,
    Policy, PolicyConfig, Problem, Restorable, SupLinRel, SupLinRelConfig, draw,
};
use nalgebra::{DMatrix, DVector};

/// A world with rewards ±1 whose mean is θᵀx: linear, with the largest noise that the range allows.
struct World {
    problem: Problem,
    arms: ArmSet<'static>,
    means: Vec<f64>,
}

impl World {
    fn new(dim: usize, n_arms: usize, seed: u64) -> Self {
        Self::long(dim, n_arms, seed, 1.0)
    }

    /// A world with coefficients up to D long and contexts shorter by the same factor, so that the means are
    /// the same.
    fn long(dim: usize, n_arms: usize, seed: u64, radius: f64) -> Self {
        let mut rng = draw::seeded(seed);
        let theta: Vec<f64> = direction(dim, &mut rng).iter().map(|t| radius * 0.9 * t).collect();
        let rows: Vec<Vec<f64>> = (0..n_arms).map(|_| ball(dim, 1.0 / radius, &mut rng)).collect();
        let means = rows.iter().map(|x| dot(&theta, x)).collect();
        let problem = identity(dim, n_arms).with_radius(radius).unwrap();
        Self { problem, arms: ArmSet::from_rows(&rows).unwrap(), means }
    }

    fn build(&self, config: &str) -> Box<dyn Restorable> {
        serde_json::from_str::<PolicyConfig>(config).unwrap().build(&self.problem).unwrap()
    }

    fn best(&self) -> f64 {
        self.means.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Plays `rounds` rounds, passes each decision to `see`, and returns the regret of each round.
    fn play(&self, config: &str, rounds: usize, seed: u64, mut see: impl FnMut(&Decision)) -> Vec<f64> {
        let (mut policy, mut rng) = (self.build(config), draw::seeded(seed));
        let mut decision = Decision::default();
        let mut round = || {
            policy.decide_into(&self.arms, &mut rng, &mut decision).unwrap();
            see(&decision);
            let mean = self.means[decision.arm.0];
            let reward = if draw::unit(&mut rng) < (1.0 + mean) / 2.0 { 1.0 } else { -1.0 };
            policy.learn(self.arms.arm(decision.arm), &[reward]).unwrap();
            self.best() - mean
        };
        (0..rounds).map(|_| round()).collect()
    }
}

fn identity(dim: usize, n_arms: usize) -> Problem {
    Problem::new(dim, vec![Objective::new("y", Link::Identity)]).unwrap().with_arms(n_arms).unwrap()
}

/// A configuration with a factor of its width, and optionally with more parameters after its id.
fn with_scale(id: &str, scale: f64) -> String {
    let (id, others) = id.split_once(' ').unwrap_or((id, ""));
    format!(r#"{{"id":"{id}","scale":{scale}{others}}}"#)
}

/// The number of runs, of 200, in which an estimate was ever further from the truth than its width.
fn escapes(id: &str, scale: f64, radius: f64) -> usize {
    let escaped = |run: &u64| {
        let (world, mut out) = (World::long(3, 5, 900 + run, radius), false);
        world.play(&with_scale(id, scale), 120, *run, |decision| {
            let off = |k: usize| (decision.estimates.row(k)[0] - world.means[k]).abs();
            out |= (0..5).any(|k| off(k) > decision.widths.row(k)[0] + 1e-12);
        });
        out
    };
    (0..200).filter(escaped).count()
}

/// If the chance were exactly δ = 5 %, more than 23 escapes in 200 runs would have chance 1e-4. LinUCB
/// guarantees coverage for each arm and round separately, the other policies for all of them at once.
#[test]
fn confidence_sets_cover_the_truth() {
    for (id, small) in [
        ("oful", 0.2),
        (r#"oful ,"switch":0.5"#, 0.2),
        ("lin-ts", 0.05),
        ("lin-ucb", 0.1),
        ("lin-ucb-hybrid", 0.1),
        ("confidence-ball", 0.02),
        ("lin-rel", 0.1),
        ("sup-lin-rel", 0.1),
    ] {
        let (proved, control) = (escapes(id, 1.0, 1.0), escapes(id, small, 1.0));
        println!("{id}: {proved} of 200 runs escaped, {control} at {small} of the width");
        assert!(proved <= 23, "{id}: {proved} of 200 runs left the confidence set");
        assert!(control >= 100, "{id}: only {control} of 200 runs left {small} of the confidence set");
    }
}

/// If contexts are short, coefficients may be long: D = 30. LinUCB and LinTS are left out, because their
/// widths are those of their sources, for coefficients of length one.
#[test]
fn confidence_sets_cover_long_coefficients() {
    for id in ["oful", "confidence-ball", "lin-rel", "sup-lin-rel"] {
        let escapes = escapes(id, 1.0, 30.0);
        println!("{id}: {escapes} of 200 runs escaped");
        assert!(escapes <= 23, "{id}: {escapes} of 200 runs left the confidence set");
    }
}

/// Every learning policy on a problem that it is made for: its regret is less than half of that of uniform
/// play, and less in the second half of the rounds than in the first.
#[test]
fn regret_is_below_that_of_random_play_and_levels_off() {
    for config in [
        r#"{"id":"oful"}"#,
        r#"{"id":"oful","switch":0.5}"#,
        r#"{"id":"lin-ucb"}"#,
        r#"{"id":"lin-ucb-hybrid"}"#,
        r#"{"id":"lin-ts","scale":0.2}"#,
        r#"{"id":"confidence-ball","scale":0.02}"#,
        r#"{"id":"lin-rel"}"#,
        r#"{"id":"sup-lin-rel","scale":0.1}"#,
    ] {
        let (rounds, mut halves, mut random) = (3000, [0.0; 2], 0.0);
        for seed in 0..4 {
            let world = World::new(4, 10, 70 + seed);
            let regret = world.play(config, rounds, seed, |_| ());
            let (first, second) = regret.split_at(rounds / 2);
            halves[0] += first.iter().sum::<f64>();
            halves[1] += second.iter().sum::<f64>();
            random += rounds as f64 * world.means.iter().map(|mean| world.best() - mean).sum::<f64>() / 10.0;
        }
        println!("{config}: regret {halves:?} in each half, random {random}");
        assert!(halves[0] + halves[1] < 0.5 * random, "{config}: {halves:?} of {random}");
        assert!(halves[1] < 0.7 * halves[0], "{config}: {halves:?}");
    }
}

/// The decisions of the first two rounds, d = 2: before any reward, then after y = 0.5 from x = (1, 0).
fn first_rounds(policy: &mut dyn Restorable) -> [Decision; 2] {
    let arms = ArmSet::from_rows(&[[1.0, 0.0], [0.6, 0.8]]).unwrap();
    let before = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
    policy.learn(arms.arm(ArmId(0)), &[0.5]).unwrap();
    [before, policy.decide(&arms, &mut draw::seeded(1)).unwrap()]
}

fn assert_rounds(what: &str, got: [Decision; 2], estimates: [[f64; 2]; 2], widths: [[f64; 2]; 2]) {
    for round in 0..2 {
        for arm in 0..2 {
            let (estimate, width) = (got[round].estimates.row(arm)[0], got[round].widths.row(arm)[0]);
            let expected = (estimates[round][arm], widths[round][arm]);
            let fine = (estimate - expected.0).abs() < 1e-6 && (width - expected.1).abs() < 1e-5;
            assert!(fine, "{what}, round {}, arm {arm}: {estimate} ± {width} for {expected:?}", round + 1);
        }
    }
}

/// V = diag(2, 1) after one round, so ‖x‖²_{V⁻¹} is 1/2 and 0.18 + 0.64 = 0.82, and θ̂ = (0.25, 0).
/// √β = √(−2 log 0.05) + 1 = 3.447747, then √(log 2 − 2 log 0.05) + 1 = 3.585462.
#[test]
fn oful_begins_by_hand() {
    let mut policy = Oful::new(identity(2, 2), OfulConfig::default()).unwrap();
    let got = first_rounds(&mut policy);
    let widths = [[3.447747, 3.447747], [3.585462 * 0.5_f64.sqrt(), 3.585462 * 0.82_f64.sqrt()]];
    assert_rounds("oful", got, [[0.0, 0.0], [0.25, 0.15]], widths);
    assert!(close(policy.radius(), 3.585462, 1e-6), "{}", policy.radius());
}

/// Only the played arm learns. α = 1 + √(log(40)/2) = 2.358102, multiplied by the range 2.
#[test]
fn lin_ucb_begins_by_hand() {
    let mut policy = LinUcb::new(identity(2, 2), LinUcbConfig::default()).unwrap();
    let got = first_rounds(&mut policy);
    let alpha = 4.716203;
    assert_rounds(
        "lin-ucb",
        got,
        [[0.0, 0.0], [0.25, 0.0]],
        [[alpha, alpha], [alpha * 0.5_f64.sqrt(), alpha]],
    );
}

/// Joint features (shared, own). The played arm has φ = (x, x) with ‖φ‖² = 2, s = 2 − 2²/(1 + 2) = 2/3, and
/// the prediction 0.5·2/3. The other arm has 0.6 of it in common: prediction 0.5·0.6/3, s = 2 − 0.36/3.
#[test]
fn hybrid_lin_ucb_begins_by_hand() {
    let mut policy = LinUcbHybrid::new(identity(2, 2), LinUcbHybridConfig::default()).unwrap();
    let got = first_rounds(&mut policy);
    let width = |s: f64| 4.716203 * s.sqrt();
    let widths = [[width(2.0), width(2.0)], [width(2.0 / 3.0), width(1.88)]];
    assert_rounds("lin-ucb-hybrid", got, [[0.0, 0.0], [1.0 / 3.0, 0.1]], widths);
}

/// v = √(9·2·log(1/0.05)) = 7.343240 and √(9·2·log(2/0.05)) = 8.148609, multiplied by R = 1.
#[test]
fn lin_ts_begins_by_hand() {
    let mut policy = LinTs::new(identity(2, 2), LinTsConfig::default()).unwrap();
    let got = first_rounds(&mut policy);
    assert!(got[0].given_sample);
    let (v1, v2) = (7.343240, 8.148609);
    let widths = [[v1, v1], [v2 * 0.5_f64.sqrt(), v2 * 0.82_f64.sqrt()]];
    assert_rounds("lin-ts", got, [[0.0, 0.0], [0.25, 0.15]], widths);
}

/// β_1 = ((8/3)·log 20)², β_2 = 128·2·log 2·log 80 = 777.58 (the square is 136.6).
#[test]
fn confidence_ball_begins_by_hand() {
    let mut policy = ConfidenceBall::new(identity(2, 2), ConfidenceBallConfig::default()).unwrap();
    let got = first_rounds(&mut policy);
    let (first, second) = (7.988619, 27.884972);
    let widths = [[first, first], [second * 0.5_f64.sqrt(), second * 0.82_f64.sqrt()]];
    assert_rounds("confidence-ball", got, [[0.0, 0.0], [0.25, 0.15]], widths);
}

/// First nothing is known: the width is ‖v‖ = 1. Then (1, 0) is known with eigenvalue 1 (‖a‖ = 1 and 0.6),
/// and the other component of (0.6, 0.8) is unknown (‖v‖ = 0.8). √log(2·3000·2/0.05) = 3.519715, multiplied
/// by the range 2.
#[test]
fn lin_rel_begins_by_hand() {
    let mut policy = LinRel::new(identity(2, 2), LinRelConfig::default()).unwrap();
    let got = first_rounds(&mut policy);
    let c = 7.039430;
    assert_rounds("lin-rel", got, [[0.0, 0.0], [0.5, 0.3]], [[1.0, 1.0], [c, 0.6 * c + 0.8]]);
}

/// Two stages on two orthogonal arms: T = 16, so that 2⁻² = 1/√16. The factor of the widths is one half:
/// √log(2·16·2·(1 + log 16)/0.05) = 2.912452, halved 1.456226. After n plays ‖a‖ = 1/√n. In stage 1 each arm
/// is played until 1.456226/√n ≤ 1/2, which is at n = 9. As 1.456226/3 = 0.485 > 1/4, stage 2 is needed; it
/// begins without rewards.
#[test]
fn sup_lin_rel_goes_from_stage_to_stage() {
    let config = SupLinRelConfig { horizon: 16, scale: 0.5, ..Default::default() };
    // D = 2, so that half of the width of an unknown arm, ½·2/2 in units of the range, is large in the second
    // stage.
    let mut policy = SupLinRel::new(identity(2, 2).with_radius(2.0).unwrap(), config).unwrap();
    let arms = ArmSet::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let mut rng = draw::seeded(4);
    let rounds_of = |policy: &SupLinRel| -> Vec<u64> {
        let json: serde_json::Value = serde_json::from_str(&policy.to_json()).unwrap();
        let stages = json["state"]["sup-lin-rel"]["stages"].as_array().unwrap().clone();
        stages.iter().map(|stage| stage["rounds"].as_u64().unwrap()).collect()
    };
    let first = policy.decide(&arms, &mut rng).unwrap();
    assert_eq!(first.probabilities, [0.5, 0.5]);
    policy.learn(arms.arm(ArmId(1)), &[1.0]).unwrap();
    assert_eq!(policy.decide(&arms, &mut rng).unwrap().probabilities, [1.0, 0.0], "the unplayed arm is next");
    policy.learn(arms.arm(ArmId(0)), &[-1.0]).unwrap();
    for _ in 0..16 {
        let decision = policy.decide(&arms, &mut rng).unwrap();
        policy.learn(arms.arm(decision.arm), &[decision.arm.0 as f64]).unwrap();
    }
    assert_eq!(rounds_of(&policy), [18, 0], "nine plays of each arm are enough for the first stage");
    let tables = policy.decide(&arms, &mut rng).unwrap();
    // In units of the range 2: arm 0 received −1 and eight zeros, arm 1 nine ones.
    assert!(close(tables.estimates.row(0)[0], -1.0 / 9.0, 1e-12), "{:?}", tables.estimates);
    assert!(close(tables.widths.row(1)[0], 2.0 * 1.456226 / 3.0, 1e-6), "{:?}", tables.widths);
    // The arms differ by 0.56 in that unit, which is within 2·½. Both remain, and both are unknown in
    // stage 2.
    assert_eq!(tables.probabilities, [0.5, 0.5]);
    for _ in 0..40 {
        let decision = policy.decide(&arms, &mut rng).unwrap();
        policy.learn(arms.arm(decision.arm), &[decision.arm.0 as f64]).unwrap();
    }
    // 1.456226/√n ≤ 1/4 holds from n = 34 on: 40 rounds are not enough for both arms.
    assert_eq!(rounds_of(&policy), [18, 40]);
    for _ in 0..40 {
        let decision = policy.decide(&arms, &mut rng).unwrap();
        policy.learn(arms.arm(decision.arm), &[decision.arm.0 as f64]).unwrap();
    }
    assert_eq!(rounds_of(&policy), [18, 68], "34 plays of each arm are enough for the last stage");
    assert_eq!(
        policy.decide(&arms, &mut rng).unwrap().probabilities,
        [0.0, 1.0],
        "the better arm from now on"
    );
}

#[test]
fn sup_lin_rel_refuses_arms_that_move() {
    let mut policy = SupLinRel::new(identity(1, 2), SupLinRelConfig::default()).unwrap();
    let arms = ArmSet::from_rows(&[[0.5], [0.7]]).unwrap();
    policy.learn(arms.arm(ArmId(0)), &[0.5]).unwrap();
    let moved = ArmSet::from_rows(&[[0.6], [0.7]]).unwrap();
    let before = policy.to_bytes();
    assert!(matches!(policy.decide(&moved, &mut draw::seeded(1)), Err(Error::Parameters { .. })));
    assert!(matches!(policy.learn(moved.arm(ArmId(0)), &[0.5]), Err(Error::Parameters { .. })));
    assert_eq!(policy.to_bytes(), before);
}

/// If every round exceeds the factor, rarely switching OFUL equals OFUL, bit for bit.
#[test]
fn oful_that_switches_in_every_round_is_oful() {
    let world = World::new(3, 8, 5);
    let trace = |config: &str| {
        let mut all = Vec::new();
        world.play(config, 300, 9, |decision| all.push(decision.clone()));
        all
    };
    assert!(trace(r#"{"id":"oful"}"#) == trace(r#"{"id":"oful","switch":1e-14}"#));
    assert!(trace(r#"{"id":"oful"}"#) != trace(r#"{"id":"oful","switch":0.5}"#));
}

/// Each renewal multiplies det V by more than 1 + C, and det V ≤ (1 + t/(λd))^d.
#[test]
fn rarely_switching_oful_renews_a_logarithmic_number_of_times() {
    let world = World::new(4, 12, 6);
    for (c, rounds) in [(0.1_f64, 2000), (1.0, 2000)] {
        let mut widths: Vec<f64> = Vec::new();
        world.play(&format!(r#"{{"id":"oful","switch":{c}}}"#), rounds, 3, |decision| {
            widths.push(decision.widths.row(0)[0]);
        });
        let renewals = widths.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64;
        let most = 4.0 * (1.0 + rounds as f64 / 4.0).ln() / (1.0 + c).ln();
        assert!(renewals >= 4.0 && renewals <= most, "C = {c}: {renewals} renewals, {most} are possible");
    }
}

/// All these policies contain one ridge regression: with one arm, the estimates of LinUCB and ConfidenceBall₂
/// equal those of OFUL.
#[test]
fn equal_regressions_estimate_equally() {
    let world = World::new(3, 1, 44);
    let estimates = |config: &str| {
        let mut all = Vec::new();
        world.play(config, 50, 2, |decision| all.push(decision.estimates.row(0)[0]));
        all
    };
    let oful = estimates(r#"{"id":"oful"}"#);
    assert!(oful.iter().any(|&estimate| estimate != 0.0));
    for id in ["lin-ucb", "confidence-ball"] {
        assert_eq!(estimates(&format!(r#"{{"id":"{id}"}}"#)), oful, "{id}");
    }
}

/// With zero width all of these policies follow θ̂, including Thompson sampling.
#[test]
fn without_a_width_linear_policies_are_greedy_alike() {
    let world = World::new(3, 6, 45);
    let arms_of = |id: &str| {
        let mut all = Vec::new();
        // The first draw is a tie of all arms. Thompson sampling uses more random numbers, so probabilities
        // are compared, not arms.
        let (mut policy, mut rng) = (world.build(&with_scale(id, 0.0)), draw::seeded(3));
        for round in 0..100 {
            let decision = policy.decide(&world.arms, &mut rng).unwrap();
            all.push(decision.probabilities.clone());
            policy.learn(world.arms.arm(ArmId(round % 6)), &[world.means[round % 6]]).unwrap();
        }
        all
    };
    let oful = arms_of("oful");
    assert!(oful[0].iter().all(|&p| p > 0.0) && oful[99].iter().filter(|&&p| p > 0.0).count() == 1);
    for id in ["lin-ts", "confidence-ball"] {
        assert_eq!(arms_of(id), oful, "{id}");
    }
}

/// P(θ̃ᵀ(x_0 − x_1) > 0) = Φ(θ̂ᵀΔ / (v‖Δ‖_{B⁻¹})). The share in 4000 draws is wrong by more than 5 deviations
/// with chance 6e-7.
#[test]
fn lin_ts_draws_from_its_law() {
    let config = LinTsConfig { scale: 0.3, ..Default::default() };
    let mut policy = LinTs::new(identity(2, 2), config).unwrap();
    let arms = ArmSet::from_rows(&[[0.9, 0.1], [0.3, 0.6]]).unwrap();
    let mut rng = draw::seeded(12);
    for round in 0..30 {
        policy.learn(arms.arm(ArmId(round % 2)), &[if round % 2 == 0 { 0.6 } else { -0.1 }]).unwrap();
    }
    let mut b = DMatrix::identity(2, 2);
    let mut moments = DVector::zeros(2);
    for round in 0..30 {
        let x = vector(arms.context(round % 2));
        b += &x * x.transpose();
        moments += x * if round % 2 == 0 { 0.6 } else { -0.1 };
    }
    let inverse = b.try_inverse().unwrap();
    let delta = vector(arms.context(0)) - vector(arms.context(1));
    let deviation = policy.spread() * (delta.transpose() * &inverse * &delta)[0].sqrt();
    let chance = Link::Probit.mean((inverse * moments).dot(&delta) / deviation);
    assert!(chance > 0.55 && chance < 0.95, "the chance is too extreme for a test: {chance}");
    let n = 4000;
    let zeros = (0..n).filter(|_| policy.decide(&arms, &mut rng).unwrap().arm.0 == 0).count() as f64;
    let n = f64::from(n);
    assert!(
        (zeros - n * chance).abs() < 5.0 * (n * chance * (1.0 - chance)).sqrt(),
        "{zeros} of {n} for {chance}"
    );
}

/// The oracle: one dense ridge regression on the features (z, 0, …, x, …, 0) with d(1 + K) entries.
#[test]
fn hybrid_lin_ucb_is_a_joint_ridge_regression() {
    for (lambda, seed) in [(1.0, 1), (0.3, 2), (5.0, 3)] {
        let (dim, n_arms, mut rng) = (3, 4, draw::seeded(seed));
        let config = LinUcbHybridConfig { lambda, ..Default::default() };
        let mut policy = LinUcbHybrid::new(identity(dim, n_arms), config).unwrap();
        let size = dim * (1 + n_arms);
        let features = |arm: usize, x: &[f64]| {
            let mut phi = DVector::zeros(size);
            for (j, &x) in x.iter().enumerate() {
                (phi[j], phi[dim * (1 + arm) + j]) = (x, x);
            }
            phi
        };
        let (mut z, mut moments) = (DMatrix::identity(size, size) * lambda, DVector::zeros(size));
        for round in 0..60 {
            // Fresh contexts in every round, and any arm may be played.
            let rows: Vec<Vec<f64>> = (0..n_arms).map(|_| ball(dim, 1.0, &mut rng)).collect();
            let arms = ArmSet::from_rows(&rows).unwrap();
            let decision = policy.decide(&arms, &mut rng).unwrap();
            let inverse = z.clone().try_inverse().unwrap();
            for (arm, x) in rows.iter().enumerate() {
                let phi = features(arm, x);
                let estimate = phi.dot(&(&inverse * &moments));
                let width = policy.alpha() * phi.dot(&(&inverse * &phi)).sqrt();
                let got = (decision.estimates.row(arm)[0], decision.widths.row(arm)[0]);
                let fine = close(got.0, estimate, 1e-10) && close(got.1, width, 1e-10);
                assert!(fine, "λ = {lambda}, round {round}, arm {arm}: {got:?} for {estimate} ± {width}");
            }
            let (arm, y) = (draw::below(n_arms, &mut rng), draw::unit(&mut rng));
            policy.learn(arms.arm(ArmId(arm)), &[y]).unwrap();
            let phi = features(arm, &rows[arm]);
            z += &phi * phi.transpose();
            moments += phi * y;
        }
    }
}

#[test]
fn bad_configurations_are_refused() {
    let problem = identity(2, 3);
    let open = Problem::new(2, vec![Objective::new("y", Link::Identity)]).unwrap();
    let build = |text: &str, problem: &Problem| {
        serde_json::from_str::<PolicyConfig>(text).unwrap().build(problem).map(|_| ())
    };
    for id in ["oful", "lin-ucb", "lin-ucb-hybrid", "lin-ts", "confidence-ball", "lin-rel", "sup-lin-rel"] {
        for bad in [r#""delta":0.0"#, r#""delta":1.5"#, r#""scale":-1.0"#, r#""scale":1e101"#] {
            let got = build(&format!(r#"{{"id":"{id}",{bad}}}"#), &problem);
            assert!(matches!(got, Err(Error::ParameterBounds { .. })), "{id} {bad}: {got:?}");
        }
        let got = build(&format!(r#"{{"id":"{id}","target":1}}"#), &problem);
        assert!(matches!(got, Err(Error::UnknownObjective { got: 1, .. })), "{id}: {got:?}");
        let unknown = format!(r#"{{"id":"{id}","gamma":1.0}}"#);
        assert!(serde_json::from_str::<PolicyConfig>(&unknown).is_err(), "{id} has no gamma");
    }
    for id in ["oful", "lin-ucb", "lin-ucb-hybrid", "lin-ts"] {
        for bad in ["0.0", "1e-7", "1e101"] {
            let got = build(&format!(r#"{{"id":"{id}","lambda":{bad}}}"#), &problem);
            assert!(matches!(got, Err(Error::ParameterBounds { name: "lambda", .. })), "{id} {bad}: {got:?}");
        }
    }
    for bad in ["-1.0", "1e101"] {
        let got = build(&format!(r#"{{"id":"oful","switch":{bad}}}"#), &problem);
        assert!(matches!(got, Err(Error::ParameterBounds { name: "switch", .. })), "{bad}: {got:?}");
    }
    for id in ["lin-rel", "sup-lin-rel"] {
        let got = build(&format!(r#"{{"id":"{id}","horizon":0}}"#), &problem);
        assert!(matches!(got, Err(Error::ParameterBounds { name: "horizon", .. })), "{id}: {got:?}");
    }
    for id in ["lin-ucb", "lin-ucb-hybrid", "sup-lin-rel"] {
        let got = build(&format!(r#"{{"id":"{id}"}}"#), &open);
        assert!(matches!(got, Err(Error::ArmCountNeeded { policy }) if policy == id), "{id}: {got:?}");
    }
    for id in ["oful", "lin-ts", "confidence-ball", "lin-rel"] {
        build(&format!(r#"{{"id":"{id}"}}"#), &open).unwrap();
    }
}
