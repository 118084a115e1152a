//! Warm starts: priors with a stated confidence, beliefs that one policy passes to another, and the errors
//! about them.

use crate::common::{ball, dot};
use moglb::{
    Arm, ArmId, ArmSet, EkfUcb, EkfUcbConfig, Error, Link, Matrix, MoglbEbConfig, MoglbUcb, MoglbUcbConfig,
    Objective, Policy, PolicyConfig, PolicySnapshot, Prior, Problem, Restorable, Width, draw,
};

const DIM: usize = 4;

fn problem() -> Problem {
    let objectives = vec![Objective::new("click", Link::Logit), Objective::new("sale", Link::Logit)];
    Problem::new(DIM, objectives).unwrap()
}

fn thetas() -> [Vec<f64>; 2] {
    [vec![0.7, -0.5, 0.1, 0.3], vec![-0.4, 0.8, 0.2, -0.1]]
}

fn arms(seed: u64) -> ArmSet<'static> {
    let mut rng = draw::seeded(seed);
    ArmSet::from_rows(&(0..30).map(|_| ball(DIM, 1.0, &mut rng)).collect::<Vec<_>>()).unwrap()
}

/// Rewards of 0 or 1 with the chances of an arm.
fn toss(thetas: &[Vec<f64>; 2], x: &[f64], rng: &mut dyn moglb::Rng) -> Vec<f64> {
    let one = |theta: &Vec<f64>| f64::from(draw::unit(rng) < Link::Logit.mean(dot(theta, x)));
    thetas.iter().map(one).collect()
}

/// The policies that accept priors, each with these priors.
fn with(prior: Vec<Prior>) -> Vec<PolicyConfig> {
    vec![
        PolicyConfig::MoglbUcb(MoglbUcbConfig { prior: prior.clone(), ..Default::default() }),
        PolicyConfig::EkfUcb(EkfUcbConfig { prior: prior.clone(), ..Default::default() }),
        PolicyConfig::MoglbEb(MoglbEbConfig { prior, ..Default::default() }),
    ]
}

/// Z_1 = λ(D/r)²I with λ = 1, D = 2, r = 1/2 is 16·I, and θ̂_1 = θ⁰.
#[test]
fn a_bound_makes_the_first_matrix_larger_by_the_square_of_its_ratio_to_the_ball() {
    let problem = problem().with_radius(2.0).unwrap();
    let prior = vec![Prior::within(vec![0.5, 0.0, -0.5, 1.0], 0.5), Prior::none()];
    let config = MoglbUcbConfig { width: Width::Tightened { delta: 0.05 }, prior, ..Default::default() };
    let policy = MoglbUcb::new(problem.clone(), config.clone()).unwrap();
    for (objective, diagonal) in [(0, 16.0), (1, 1.0)] {
        let z = policy.gram(objective).to_dense();
        for n in 0..DIM * DIM {
            let (i, j) = (n / DIM, n % DIM);
            let expected = if i == j { diagonal } else { 0.0 };
            assert!((z.row(i)[j] - expected).abs() < 1e-12, "{} for {expected}", z.row(i)[j]);
        }
    }
    assert_eq!(policy.theta().row(0), [0.5, 0.0, -0.5, 1.0]);
    // The first term of γ is still λD², and nothing has been learned, so both objectives have the same γ.
    assert_eq!(policy.gamma(0), policy.gamma(1));
    let cold = MoglbUcb::new(problem, MoglbUcbConfig { prior: vec![], ..config }).unwrap();
    assert_eq!(policy.gamma(0), cold.gamma(0));
}

/// Theorem 1 with a bound: true coefficients anywhere in the ball of radius r around θ⁰ stay in the
/// confidence set. In the control the error of the prior is eight times the stated one, and the coefficients
/// are outside immediately.
#[test]
fn confidence_sets_hold_around_a_bounded_prior_and_not_around_a_false_one() {
    let runs = 200;
    let (delta, within) = (0.05, 0.05);
    let left = |off: f64| {
        let mut left = 0;
        for run in 0..runs {
            let mut rng = draw::seeded(9000 + run);
            let first = thetas();
            let moved = |theta: &Vec<f64>, rng: &mut dyn moglb::Rng| -> Vec<f64> {
                let step = crate::common::direction(DIM, rng);
                let moved: Vec<f64> = theta.iter().zip(&step).map(|(a, b)| a + off * within * b).collect();
                let shorter = (1.0 / crate::common::norm(&moved)).min(1.0);
                moved.iter().map(|a| a * shorter).collect()
            };
            let truth = [moved(&first[0], &mut rng), moved(&first[1], &mut rng)];
            let prior = first.map(|theta| Prior::within(theta, within)).to_vec();
            let config = MoglbUcbConfig { width: Width::Tightened { delta }, prior, ..Default::default() };
            let mut policy = MoglbUcb::new(problem(), config).unwrap();
            let arms = arms(run);
            let mut out = false;
            for _ in 0..120 {
                out |= (0..2).any(|i| {
                    let apart: Vec<f64> =
                        policy.theta().row(i).iter().zip(&truth[i]).map(|(a, b)| a - b).collect();
                    policy.gram(i).squared_norm(&apart) > policy.gamma(i)
                });
                let decision = policy.decide(&arms, &mut rng).unwrap();
                let reward = toss(&truth, arms.context(decision.arm.0), &mut rng);
                policy.learn(arms.arm(decision.arm), &reward).unwrap();
            }
            left += u32::from(out);
        }
        f64::from(left) / runs as f64
    };
    let honest = left(1.0);
    assert!(honest <= delta, "{honest}");
    let false_one = left(8.0);
    assert!(false_one > 0.9, "{false_one}");
}

/// With identity links EKF-UCB is exact: its estimate minimizes ½‖θ − θ⁰‖²_{λI + φΣ⁻¹} + ½Σ(y − θᵀx)²,
/// solved by `nalgebra`.
#[test]
fn a_spread_is_the_gaussian_prior_of_a_ridge_regression() {
    let objective = Objective::new("cost", Link::Identity).minimize().range(-1.0, 2.0);
    let problem = Problem::new(3, vec![objective]).unwrap().with_radius(50.0).unwrap();
    let first = [0.4, -0.3, 0.2];
    let spread = [[0.5, 0.1, 0.0], [0.1, 0.3, -0.05], [0.0, -0.05, 0.2]];
    let prior = vec![Prior::covariance(first.to_vec(), &Matrix::from_rows(&spread).unwrap())];
    let config = EkfUcbConfig { prior, ..Default::default() };
    let mut policy = EkfUcb::new(problem, config).unwrap();
    let sigma = nalgebra::Matrix3::from_fn(|i, j| spread[i][j]);
    let (dispersion, lambda) = (1.5 * 1.5, 3.0);
    let start = nalgebra::Matrix3::identity() * lambda + sigma.try_inverse().unwrap() * dispersion;
    let mut h = start;
    let mut b = start * nalgebra::Vector3::from(first);
    let mut rng = draw::seeded(12);
    for _ in 0..50 {
        let x: Vec<f64> = ball(3, 1.0, &mut rng);
        let y = 3.0 * draw::unit(&mut rng) - 1.0;
        policy.learn(Arm::new(ArmId(0), &x).unwrap(), &[y]).unwrap();
        let v = nalgebra::Vector3::new(x[0], x[1], x[2]);
        h += v * v.transpose();
        b += v * y;
    }
    let expected = h.try_inverse().unwrap() * b;
    let got = policy.theta();
    assert!((0..3).all(|k| (got.row(0)[k] - expected[k]).abs() < 1e-10), "{:?} for {expected}", got.row(0));
}

/// The total gap over the first 300 rounds.
fn early_regret(config: &PolicyConfig, seed: u64) -> f64 {
    let (thetas, arms) = (thetas(), arms(seed));
    let means: Vec<Vec<f64>> = arms
        .iter()
        .map(|arm| thetas.iter().map(|theta| Link::Logit.mean(dot(theta, arm.context()))).collect())
        .collect();
    let gaps = moglb::gaps(&Matrix::from_rows(&means).unwrap()).unwrap();
    let mut policy = config.build(&problem()).unwrap();
    let mut rng = draw::seeded(seed);
    let mut regret = 0.0;
    for _ in 0..300 {
        let decision = policy.decide(&arms, &mut rng).unwrap();
        regret += gaps[decision.arm.0];
        let reward = toss(&thetas, arms.context(decision.arm.0), &mut rng);
        policy.learn(arms.arm(decision.arm), &reward).unwrap();
    }
    regret
}

#[test]
fn a_good_prior_saves_more_than_half_of_the_early_regret() {
    let good = thetas().map(|theta| Prior::spread(theta.iter().map(|a| a + 0.03).collect(), 0.05)).to_vec();
    for (warm, cold) in with(good).iter().zip(with(vec![])) {
        let [warm, cold] = [warm, &cold].map(|c| (0..12).map(|seed| early_regret(c, 70 + seed)).sum::<f64>());
        assert!(warm < 0.5 * cold, "{warm} against {cold}");
    }
}

/// A false prior with little confidence is unlearned: after 3000 rewards the estimate is near the truth, and
/// nearer than an estimate from the same prior with much confidence.
#[test]
fn a_prior_that_is_wrong_is_unlearned_the_sooner_the_less_it_is_trusted() {
    let wrong = || thetas().map(|theta| theta.iter().map(|a| -a).collect::<Vec<f64>>());
    let far = |deviation: f64, place: usize| {
        let config = &with(wrong().map(|theta| Prior::spread(theta, deviation)).to_vec())[place];
        let mut policy = config.build(&problem()).unwrap();
        let (arms, mut rng) = (arms(5), draw::seeded(6));
        for k in 0..3000 {
            let x = arms.arm(ArmId(k % 30));
            policy.learn(x, &toss(&thetas(), x.context(), &mut rng)).unwrap();
        }
        let mut decision = moglb::Decision::default();
        policy.decide_into(&arms, &mut rng, &mut decision).unwrap();
        let off =
            |arm: usize, i: usize| decision.estimates.row(arm)[i] - dot(&thetas()[i], arms.context(arm));
        (0..30).flat_map(|arm| [off(arm, 0).abs(), off(arm, 1).abs()]).fold(0.0, f64::max)
    };
    for place in 0..3 {
        let (little, much) = (far(1.0, place), far(0.02, place));
        assert!(little < 0.35 && little < 0.5 * much, "{place}: {little} and {much}");
    }
}

/// The beliefs of one policy are a prior for another: it begins with the estimates of the first one and with
/// the same certainty.
#[test]
fn beliefs_go_from_one_policy_to_another() {
    let (arms, mut rng) = (arms(21), draw::seeded(22));
    for (k, teacher) in with(vec![]).iter().enumerate() {
        let mut teacher = teacher.build(&problem()).unwrap();
        for round in 0..2000 {
            let x = arms.arm(ArmId(round % 30));
            teacher.learn(x, &toss(&thetas(), x.context(), &mut rng)).unwrap();
        }
        let beliefs = teacher.model().map_or_else(Vec::new, |model| model.beliefs());
        assert_eq!(beliefs.len(), 2);
        let tables = |policy: &dyn Restorable| {
            let mut decision = moglb::Decision::default();
            policy.decide_into(&arms, &mut draw::seeded(1), &mut decision).unwrap();
            decision.estimates
        };
        let taught = tables(&*teacher);
        for pupil in with(beliefs) {
            let learned = tables(&*pupil.build(&problem()).unwrap());
            let off = taught.as_slice().iter().zip(learned.as_slice()).map(|(a, b)| (a - b).abs());
            let most = off.fold(0.0, f64::max);
            // The second policy's own λI, or its joint prior of all objectives, shifts estimates a little.
            assert!(most < 0.2, "{k} to {}: {most}", pupil.id());
        }
    }
    let counts: PolicyConfig = serde_json::from_str(r#"{"id":"p-ucb"}"#).unwrap();
    assert!(counts.build(&problem().with_arms(30).unwrap()).unwrap().model().is_none());
}

#[test]
fn to_believe_nothing_is_to_begin_as_always() {
    for (none, blank) in with(vec![Prior::none(), Prior::none()]).iter().zip(with(vec![])) {
        let [mut none, mut blank] = [none, &blank].map(|config| config.build(&problem()).unwrap());
        let (arms, mut rng, mut other) = (arms(3), draw::seeded(4), draw::seeded(4));
        for round in 0..60 {
            let [a, b] = [none.decide(&arms, &mut rng).unwrap(), blank.decide(&arms, &mut other).unwrap()];
            assert_eq!(a, b, "round {round}");
            let reward = toss(&thetas(), arms.context(a.arm.0), &mut draw::seeded(round));
            none.learn(arms.arm(a.arm), &reward).unwrap();
            blank.learn(arms.arm(b.arm), &reward).unwrap();
        }
    }
}

#[test]
fn a_policy_with_a_prior_is_read_back_bit_for_bit() {
    let priors = || vec![Prior::none(), Prior::spreads(thetas()[1].clone(), vec![0.3, 0.1, 0.2, 0.4])];
    let mut configs = with(priors());
    configs.extend([
        PolicyConfig::MoglbUcb(MoglbUcbConfig { prior: priors(), discount: 0.95, ..Default::default() }),
        PolicyConfig::EkfUcb(EkfUcbConfig { prior: priors(), discount: 0.95, ..Default::default() }),
        PolicyConfig::MoglbEb(MoglbEbConfig { prior: priors(), discount: 0.95, ..Default::default() }),
        PolicyConfig::MoglbUcb(MoglbUcbConfig {
            prior: vec![Prior::within(vec![0.1; 4], 0.5); 2],
            width: Width::Proved { delta: 0.1 },
            ..Default::default()
        }),
    ]);
    for config in configs {
        let mut policy = config.build(&problem()).unwrap();
        let (arms, mut rng) = (arms(8), draw::seeded(9));
        for round in 0..40 {
            for snapshot in [
                PolicySnapshot::from_json(&policy.to_json()).unwrap(),
                PolicySnapshot::from_bytes(&policy.to_bytes()).unwrap(),
            ] {
                let twin =
                    snapshot.restore().unwrap_or_else(|error| panic!("{config:?} round {round}: {error}"));
                assert_eq!(twin.to_json(), policy.to_json());
            }
            let decision = policy.decide(&arms, &mut rng).unwrap();
            let reward = toss(&thetas(), arms.context(decision.arm.0), &mut rng);
            // Rewards come in parts, so that matrices are separate.
            let part: Vec<Option<f64>> =
                reward.iter().enumerate().map(|(i, y)| (round % 3 != i).then_some(*y)).collect();
            policy.learn_part(arms.arm(decision.arm), &part).unwrap();
        }
    }
}

#[test]
fn impossible_priors_are_refused() {
    let theta = || vec![0.1; DIM];
    let matrix = |rows: &[[f64; DIM]]| Matrix::from_rows(rows).unwrap();
    let mut flat = [[0.0; DIM]; DIM];
    let mut askew = [[0.0; DIM]; DIM];
    for k in 0..DIM {
        (flat[k][k], askew[k][k]) = (if k == 2 { 0.0 } else { 1.0 }, 1.0);
    }
    askew[0][1] = 0.5;
    let bad = [
        Prior::spread(vec![0.1; DIM + 1], 0.1),
        Prior::spread(vec![f64::NAN; DIM], 0.1),
        Prior::spread(vec![1.0; DIM], 0.1),
        Prior::spread(theta(), 0.0),
        Prior::spread(theta(), f64::NAN),
        Prior::spread(theta(), f64::INFINITY),
        Prior::spreads(theta(), vec![0.1; 2]),
        Prior::spreads(theta(), vec![]),
        Prior::within(theta(), 0.0),
        Prior::within(theta(), 1.1),
        Prior::covariance(theta(), &matrix(&flat)),
        Prior::covariance(theta(), &matrix(&askew)),
        Prior::covariance(theta(), &Matrix::from_rows(&[[1.0]]).unwrap()),
        Prior::spread(theta(), 0.1).widened(f64::NAN),
    ];
    for prior in bad {
        for config in with(vec![Prior::none(), prior.clone()]) {
            let got = config.build(&problem()).map(|_| ());
            assert!(matches!(got, Err(Error::Prior { objective: 1, .. })), "{prior:?}: {got:?}");
        }
    }
    for config in with(vec![Prior::none()]) {
        assert!(matches!(config.build(&problem()).map(|_| ()), Err(Error::Prior { .. })));
    }
    let prior = vec![Prior::spread(theta(), 0.1), Prior::none()];
    let proved = MoglbUcbConfig { width: Width::Proved { delta: 0.05 }, prior, ..Default::default() };
    assert!(matches!(MoglbUcb::new(problem(), proved), Err(Error::Prior { objective: 0, .. })));
}

/// A covariance of a regression on rows, used as a prior, has the same weight in Z as the rows themselves.
#[test]
fn a_covariance_counts_in_z_as_the_rewards_behind_it() {
    for radius in [1.0, 3.0] {
        let problem = problem().with_radius(radius).unwrap();
        let mut rng = draw::seeded(3);
        let rows: Vec<Vec<f64>> = (0..500).map(|_| ball(DIM, 1.0, &mut rng)).collect();
        let mut learned = MoglbUcb::new(problem.clone(), MoglbUcbConfig::default()).unwrap();
        let mut information = nalgebra::DMatrix::zeros(DIM, DIM);
        for x in &rows {
            learned.learn(Arm::new(ArmId(0), x).unwrap(), &[1.0, 0.0]).unwrap();
            let x = crate::common::vector(x);
            information += 0.25 * &x * x.transpose();
        }
        let sigma = information.try_inverse().unwrap();
        let sigma = Matrix::new(DIM, sigma.as_slice().to_vec()).unwrap();
        let prior = vec![Prior::covariance(vec![0.0; DIM], &sigma); 2];
        let told = MoglbUcb::new(problem, MoglbUcbConfig { prior, ..Default::default() }).unwrap();
        let (a, b) = (learned.gram(0).to_dense(), told.gram(0).to_dense());
        assert!(a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| (a - b).abs() < 1e-8), "D = {radius}");
        // The beliefs from it equal the covariance that was passed in.
        let back =
            serde_json::to_value(learned.model().map_or_else(Vec::new, |model| model.beliefs())).unwrap();
        let got = back[0]["information"][0][0].as_f64().unwrap();
        let expected: f64 = rows.iter().map(|x| 0.25 * x[0] * x[0]).sum();
        assert!((got - expected).abs() < 1e-8 * expected, "{got} for {expected}");
    }
}

/// Contexts only add to Z, so a factor with less than the prior is damaged, even if its trace is right.
#[test]
fn a_snapshot_that_holds_less_than_the_prior_is_refused() {
    let prior = vec![Prior::within(vec![0.1; DIM], 0.01); 2];
    let config = MoglbUcbConfig { width: Width::Proved { delta: 0.5 }, prior, ..Default::default() };
    let policy = MoglbUcb::new(problem(), config).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&policy.to_json()).unwrap();
    let state = &mut json["state"]["moglb-ucb-parts"]["state"];
    // Z = diag(1, 1, 1, rest) has the same trace.
    let rest = 4.0 * 1e4 - 3.0;
    let diagonal: [f64; 4] = [1.0, 1.0, 1.0, 1.0 / f64::sqrt(rest)];
    let mut packed = vec![0.0; 10];
    [0, 2, 5, 9].iter().zip(diagonal).for_each(|(&place, entry)| packed[place] = entry);
    state["factors"] = serde_json::json!([packed]);
    state["log_dets"] = serde_json::json!([{ "sum": rest.ln(), "rest": 0.0 }]);
    let got = MoglbUcb::from_json(&json.to_string()).map(|_| ());
    assert!(matches!(&got, Err(Error::SnapshotDamaged { reason }) if reason.contains("prior")), "{got:?}");
}

#[test]
fn what_is_believed_can_always_be_a_prior() {
    for (low, high) in [(0.0, 1e-5), (-1e6, 1e6), (0.0, 1e-170), (0.0, 1.0)] {
        let objective = Objective::new("y", Link::Identity).range(low, high);
        let problem = Problem::new(2, vec![objective]).unwrap();
        for config in with(vec![]) {
            let mut policy = config.build(&problem).unwrap();
            assert!(
                policy.model().map_or_else(Vec::new, |model| model.beliefs()).iter().all(Prior::is_none),
                "nothing is known yet"
            );
            for _ in 0..5 {
                policy.learn(Arm::new(ArmId(0), &[0.5, 0.1]).unwrap(), &[0.5 * (low + high)]).unwrap();
            }
            for pupil in with(policy.model().map_or_else(Vec::new, |model| model.beliefs())) {
                pupil.build(&problem).unwrap_or_else(|error| panic!("[{low}, {high}] {config:?}: {error}"));
            }
        }
    }
}

#[test]
fn priors_are_written_flat_and_misspelled_ones_are_refused() {
    let text = r#"[{"theta":[0.5,0.1],"deviation":0.2},{},{"theta":[0.0,0.0],"within":0.5}]"#;
    let priors: Vec<Prior> = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&priors).unwrap(), text);
    assert_eq!(priors[0], Prior::spread(vec![0.5, 0.1], 0.2));
    for bad in [
        r#"{"theta":[0.5]}"#,
        r#"{"deviation":0.1}"#,
        r#"{"theta":[0.5],"within":0.1,"deviation":0.1}"#,
        r#"{"theta":[0.5],"sigma":0.1}"#,
        r#"{"theta":"0.5","within":0.1}"#,
    ] {
        assert!(serde_json::from_str::<Prior>(bad).is_err(), "{bad}");
    }
}
