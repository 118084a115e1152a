//! Every entry point of the library with every kind of bad input: the exact error, and a state whose bytes do
//! not change.

use moglb::{
    Arm, ArmId, ArmSet, EkfUcb, EkfUcbConfig, Error, Gram, Link, Matrix, MoOgde, MoOgdeConfig, MoglbEb,
    MoglbEbConfig, MoglbUcb, MoglbUcbConfig, Norms, Objective, POLICIES, PTs, PTsConfig, PUcb, PUcbConfig,
    PolicyConfig, PolicyInfo, PolicySnapshot, Problem, ProblemConfig, Random, RandomConfig, Restorable, SUcb,
    SUcbConfig, Width, draw, epsilon_indicator, front, front_points, gaps, hypervolume, project,
};

/// Asserts the variant and the values of an error.
macro_rules! refused {
    ($got:expr, $pattern:pat $(if $guard:expr)?) => {
        match &$got {
            Err($pattern) $(if $guard)? => {}
            got => panic!("{} gave {got:?}", stringify!($got)),
        }
    };
}

const NOT_FINITE: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

fn click() -> Objective {
    Objective::new("click", Link::Logit)
}

fn problem() -> Problem {
    let cost = Objective::new("cost", Link::Identity).minimize().range(-1.0, 2.0);
    Problem::new(2, vec![click(), cost]).unwrap().with_arms(3).unwrap()
}

fn arms() -> ArmSet<'static> {
    ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7], [0.0, 0.0]]).unwrap()
}

/// All policies on one problem, with a few rounds learned.
fn policies(problem: &Problem) -> Vec<Box<dyn Restorable>> {
    let config = |info: &&PolicyInfo| -> PolicyConfig {
        serde_json::from_str(&format!(r#"{{"id":"{}"}}"#, info.id)).unwrap()
    };
    let mut all: Vec<_> = POLICIES.iter().map(|info| config(info).build(problem).unwrap()).collect();
    for policy in &mut all {
        for arm in 0..3 {
            policy.learn(arms().arm(ArmId(arm)), &[1.0, -0.5]).unwrap();
        }
    }
    all
}

#[test]
fn bad_arm_sets_are_refused() {
    let set = |dim: usize, data: &[f64]| ArmSet::new(dim, data.to_vec(), Norms::Strict);
    refused!(set(0, &[]), Error::NoFeatures);
    refused!(set(0, &[1.0]), Error::NoFeatures);
    refused!(set(3, &[]), Error::NoArms);
    refused!(set(2, &[0.1, 0.2, 0.3]), Error::Shape { columns: 2, got: 3 });
    refused!(set(2, &[0.0, 0.0, 0.8, 0.7]), Error::Norm { arm: 1, norm } if (norm - 1.063).abs() < 1e-3);
    refused!(set(1, &[1.0 + 1e-8]), Error::Norm { arm: 0, .. });
    refused!(set(2, &[1e200, 1e200]), Error::Norm { arm: 0, .. });
    for bad in NOT_FINITE {
        for norms in [Norms::Strict, Norms::Clip, Norms::DivideBy(10.0)] {
            let got = ArmSet::new(2, vec![0.1, 0.2, bad, 0.0], norms);
            refused!(got, Error::NotFinite { index: 2, .. });
        }
        refused!(ArmSet::new(1, vec![0.1], Norms::DivideBy(bad)), Error::Scale { .. });
        refused!(Arm::new(ArmId(0), &[bad]), Error::NotFinite { index: 0, .. });
    }
    for scale in [0.0, -0.0, -2.0] {
        refused!(ArmSet::new(1, vec![0.1], Norms::DivideBy(scale)), Error::Scale { .. });
    }
    refused!(ArmSet::new(1, vec![0.9], Norms::DivideBy(1e-320)), Error::NotFinite { .. });
    refused!(ArmSet::new(1, vec![0.9], Norms::DivideBy(0.5)), Error::Norm { arm: 0, .. });
    let ragged: [&[f64]; 3] = [&[0.1], &[0.1], &[0.1, 0.2]];
    refused!(ArmSet::from_rows(&ragged), Error::Ragged { row: 2, expected: 1, got: 2 });
    let none: [[f64; 1]; 0] = [];
    refused!(ArmSet::from_rows(&none), Error::NoArms);
    refused!(ArmSet::from_rows(&[[0.0; 0]; 2]), Error::NoFeatures);
    refused!(Arm::new(ArmId(4), &[]), Error::NoFeatures);
    refused!(Arm::new(ArmId(4), &[0.0, 2.0]), Error::Norm { arm: 4, norm: 2.0 });
    refused!(arms().get(ArmId(3)), Error::UnknownArm { arm: 3, n_arms: 3 });
    refused!(Matrix::new(0, vec![]), Error::Shape { columns: 0, got: 0 });
    refused!(Matrix::new(2, vec![1.0]), Error::Shape { columns: 2, got: 1 });
}

#[test]
fn bad_problems_are_refused() {
    refused!(Problem::new(0, vec![click()]), Error::NoFeatures);
    refused!(Problem::new(2, vec![]), Error::NoObjectives);
    refused!(Problem::new(2, vec![click(), click()]), Error::ObjectiveName { index: 1, .. });
    refused!(Problem::new(2, vec![Objective::new("", Link::Log)]), Error::ObjectiveName { index: 0, .. });
    for (low, high) in [(0.0, 0.0), (1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::NAN), (f64::NEG_INFINITY, 0.0)] {
        refused!(Problem::new(2, vec![click().range(low, high)]), Error::Range { .. });
    }
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e101, 1e-101] {
        refused!(problem().with_radius(radius), Error::Radius { .. });
    }
    // κ = 0 or U infinite in f64: D is too large for the link.
    for (link, radius) in [(Link::Logit, 1e3), (Link::Probit, 50.0), (Link::Log, 1e3)] {
        let got = Problem::new(1, vec![Objective::new("y", link)]).unwrap().with_radius(radius);
        refused!(got, Error::Curvature { .. });
    }
    refused!(problem().with_arms(0), Error::NoArms);
    refused!(problem().with_arms(usize::MAX), Error::TooLarge { .. });
    refused!(problem().with_arms(usize::MAX / 4), Error::TooLarge { .. });
    refused!(Problem::new(usize::MAX, vec![click()]), Error::TooLarge { .. });
    refused!(Problem::new(1 << 31, vec![click()]).and_then(|p| p.with_arms(1 << 31)), Error::TooLarge { .. });
    let config = ProblemConfig { dim: 1, objectives: vec![click()], radius: f64::NAN, n_arms: None };
    refused!(Problem::from_config(config), Error::Radius { .. });
}

/// A table that can be addressed but not stored must be an error too: an allocation that fails ends the
/// process.
#[test]
fn problems_too_large_for_memory_are_refused() {
    let wide = Problem::new(1_000_000_000, vec![click()]);
    let got = wide.and_then(|problem| MoglbUcb::new(problem, MoglbUcbConfig::default()));
    refused!(got.map(|_| ()), Error::TooLarge { .. });
    let wide = Problem::new(1_000_000_000, vec![click()]);
    let got = wide.and_then(|problem| EkfUcb::new(problem, EkfUcbConfig::default()));
    refused!(got.map(|_| ()), Error::TooLarge { .. });
    for dim in [1_000_000, 1_000_000_000] {
        let wide = Problem::new(dim, vec![click()]);
        let got = wide.and_then(|problem| MoglbEb::new(problem, MoglbEbConfig::default()));
        refused!(got.map(|_| ()), Error::TooLarge { .. });
    }
    let many = || Problem::new(1, vec![click()]).unwrap().with_arms(1 << 55);
    refused!(many().and_then(|p| PUcb::new(p, PUcbConfig::default())).map(|_| ()), Error::TooLarge { .. });
    refused!(many().and_then(|p| SUcb::new(p, SUcbConfig::default())).map(|_| ()), Error::TooLarge { .. });
    refused!(many().and_then(|p| PTs::new(p, PTsConfig {})).map(|_| ()), Error::TooLarge { .. });
}

#[test]
fn bad_parameters_are_refused() {
    let with = |width: Width, lambda: Option<f64>| {
        MoglbUcb::new(problem(), MoglbUcbConfig { width, lambda, ..Default::default() }).map(|_| ())
    };
    for delta in [0.0, -0.1, 1.0, 1.5, f64::NAN, f64::INFINITY] {
        refused!(with(Width::Proved { delta }, None), Error::Delta { .. });
        refused!(with(Width::Tightened { delta }, None), Error::Delta { .. });
    }
    for c in [-1e-300, -1.0, f64::NAN, f64::INFINITY] {
        refused!(with(Width::Tuned { c }, None), Error::WidthFactor { .. });
    }
    for lambda in [0.0, -1.0, 0.5, 1.0 - 1e-15, f64::NAN, f64::INFINITY, 1e101] {
        refused!(with(Width::default(), Some(lambda)), Error::Lambda { bound: 1.0, .. });
    }
    let ekf = |config: EkfUcbConfig| EkfUcb::new(problem(), config).map(|_| ());
    for c in [-1e-300, -1.0, f64::NAN, f64::INFINITY] {
        refused!(ekf(EkfUcbConfig { c, ..Default::default() }), Error::WidthFactor { .. });
    }
    for lambda in [0.0, -1.0, 1e-7, f64::NAN, f64::INFINITY, 1e101] {
        refused!(ekf(EkfUcbConfig { lambda, ..Default::default() }), Error::Lambda { bound: 1e-6, .. });
    }
    for got in [2, usize::MAX] {
        let config = EkfUcbConfig { objective: Some(got), ..Default::default() };
        refused!(ekf(config), Error::UnknownObjective { n_objectives: 2, .. });
    }
    let eb = |config: MoglbEbConfig| MoglbEb::new(problem(), config).map(|_| ());
    for threshold in [-1e-300, 1.0 + 1e-15, f64::NAN, f64::INFINITY] {
        refused!(eb(MoglbEbConfig { threshold, ..Default::default() }), Error::Threshold { .. });
    }
    for samples in [0, 1, 10_001, usize::MAX] {
        refused!(eb(MoglbEbConfig { samples, ..Default::default() }), Error::Samples { .. });
    }
    let weights = |w: &[f64]| {
        let config = SUcbConfig { weights: Some(w.to_vec()), ..Default::default() };
        SUcb::new(problem(), config).map(|_| ())
    };
    for bad in
        [&[][..], &[1.0], &[1.0; 3], &[0.0, 0.0], &[-1.0, 2.0], &[f64::NAN, 1.0], &[f64::INFINITY, 1.0]]
    {
        refused!(weights(bad), Error::Weights { expected: 2, .. });
    }
    for text in [
        r#"{"id":"moslb-pl","epsilon":-0.1}"#,
        r#"{"id":"moslb-pl","horizon":0}"#,
        r#"{"id":"moslb-pc","lambda":0}"#,
        r#"{"id":"stlo","delta":0}"#,
        r#"{"id":"stlo","horizon":0}"#,
        r#"{"id":"stlo","epsilon":-1}"#,
        r#"{"id":"mtlo","lam":-1}"#,
        r#"{"id":"mtlo","scale":-1}"#,
        r#"{"id":"mol-ts","samples":0}"#,
        r#"{"id":"mol-ts","samples":10001}"#,
        r#"{"id":"mol-ts","lambda":1e101}"#,
        r#"{"id":"hypervolume-ucb","delta":1.5}"#,
        r#"{"id":"mo-ogde","delta":0}"#,
    ] {
        let config: PolicyConfig = serde_json::from_str(text).unwrap();
        refused!(config.build(&problem()).map(|_| text), Error::ParameterBounds { .. });
    }
    for text in [r#"{"id":"moslb-pl","levels":[[0],[0]]}"#, r#"{"id":"moslb-pc","chains":[]}"#] {
        let config: PolicyConfig = serde_json::from_str(text).unwrap();
        refused!(config.build(&problem()).map(|_| text), Error::Parameters { .. });
    }
    for front_size in [0, 4, usize::MAX] {
        let got = PUcb::new(problem(), PUcbConfig { front_size: Some(front_size) });
        refused!(got.map(|_| ()), Error::FrontSize { n_arms: 3, .. });
    }
    let open = Problem::new(2, vec![click()]).unwrap();
    refused!(
        PUcb::new(open.clone(), PUcbConfig::default()).map(|_| ()),
        Error::ArmCountNeeded { policy: "p-ucb" }
    );
    refused!(
        SUcb::new(open.clone(), SUcbConfig::default()).map(|_| ()),
        Error::ArmCountNeeded { policy: "s-ucb" }
    );
    refused!(PTs::new(open.clone(), PTsConfig {}).map(|_| ()), Error::ArmCountNeeded { policy: "p-ts" });
    refused!(
        MoOgde::new(open.clone(), MoOgdeConfig::default()).map(|_| ()),
        Error::ArmCountNeeded { policy: "mo-ogde" }
    );
    assert!(Random::new(open, RandomConfig {}).is_ok());
}

#[test]
fn bad_written_configurations_are_refused() {
    for text in [
        r#"{"id":"moglb-ucb","delta":0.1}"#,
        r#"{"id":"moglb-ucb","width":"proved","c":0.1}"#,
        r#"{"id":"moglb-ucb","width":"wide"}"#,
        r#"{"id":"moglb-ucb","kappa":"none"}"#,
        r#"{"id":"moglb-ucb","lamda":2.0}"#,
        r#"{"id":"ekf-ucb","width":"tuned"}"#,
        r#"{"id":"ekf-ucb","objective":-1}"#,
        r#"{"id":"moglb-eb","samples":-1}"#,
        r#"{"id":"moglb-eb","c":0.1}"#,
        r#"{"id":"random","seed":1}"#,
        r#"{"id":"p-ts","prior":1}"#,
        r#"{"id":"p-ucb","front_size":-1}"#,
        r#"{"id":"s-ucb","weights":[1e999,1]}"#,
        r#"{"id":"s-ucb","scalarization":"quadratic"}"#,
        r#"{"id":"moslb-pl","levels":[0,1]}"#,
        r#"{"id":"moslb-pc","chains":[[-1]]}"#,
        r#"{"id":"stlo","lambda":1}"#,
        r#"{"id":"mtlo","horizon":0.5}"#,
        r#"{"id":"mol-ts","samples":-1}"#,
        r#"{"id":"linucb"}"#,
        r#"{}"#,
    ] {
        assert!(serde_json::from_str::<PolicyConfig>(text).is_err(), "{text}");
    }
}

#[test]
fn bad_plays_are_refused_and_leave_no_trace() {
    for mut policy in policies(&problem()) {
        let before = (policy.to_bytes(), policy.to_json());
        let set = arms();
        let good = [1.0, 0.5];
        let long = Arm::new(ArmId(0), &[0.1, 0.1, 0.1]).unwrap();
        refused!(policy.learn(long, &good), Error::Dimension { expected: 2, got: 3 });
        let short = Arm::new(ArmId(0), &[0.1]).unwrap();
        refused!(policy.learn(short, &good), Error::Dimension { expected: 2, got: 1 });
        for arm in [3, usize::MAX] {
            let unknown = Arm::new(ArmId(arm), &[0.1, 0.1]).unwrap();
            refused!(policy.learn(unknown, &good), Error::UnknownArm { n_arms: 3, .. });
        }
        let arm = set.arm(ArmId(1));
        refused!(policy.learn(arm, &[]), Error::RewardLength { expected: 2, got: 0 });
        refused!(policy.learn(arm, &[1.0]), Error::RewardLength { expected: 2, got: 1 });
        refused!(policy.learn(arm, &[1.0; 3]), Error::RewardLength { expected: 2, got: 3 });
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e-9, 1.0 + 1e-9] {
            refused!(policy.learn(arm, &[bad, 0.5]), Error::Reward { objective, .. } if objective == "click");
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.1, 2.1] {
            refused!(policy.learn(arm, &[0.5, bad]), Error::Reward { objective, .. } if objective == "cost");
        }
        let mut rng = draw::seeded(1);
        let wide = ArmSet::from_rows(&[[0.1; 3]; 3]).unwrap();
        refused!(policy.decide(&wide, &mut rng), Error::Dimension { expected: 2, got: 3 });
        for count in [1, 2, 4] {
            let other = ArmSet::from_rows(&vec![[0.1; 2]; count]).unwrap();
            refused!(policy.decide(&other, &mut rng), Error::ArmCount { expected: 3, .. });
        }
        assert_eq!((policy.to_bytes(), policy.to_json()), before, "a refused input left a trace");
        policy.learn(arm, &good).unwrap();
        assert_ne!(policy.to_bytes(), before.0, "a good one did not");
    }
}

#[test]
fn bad_states_are_refused_and_leave_no_trace() {
    let mut all = policies(&problem());
    for index in 0..all.len() {
        for other in 0..all.len() {
            let state = all[other].snapshot().state;
            let before = all[index].to_bytes();
            // Several policies may have the same kind of state.
            let kind = |k: usize| std::mem::discriminant(&all[k].snapshot().state);
            if index != other && kind(index) != kind(other) {
                refused!(all[index].resume(state), Error::SnapshotDamaged { .. });
                assert_eq!(all[index].to_bytes(), before);
            }
        }
    }
}

#[test]
fn bad_points_and_matrices_are_refused() {
    let empty = Matrix::from_rows::<[f64; 2]>(&[]).unwrap();
    let flat = Matrix::from_rows(&[[0.0; 0]; 3]).unwrap();
    let fine = Matrix::from_rows(&[[0.1, 0.2]]).unwrap();
    for bad in [&empty, &flat] {
        refused!(front(bad), Error::NoPoints { .. });
        refused!(gaps(bad), Error::NoPoints { .. });
        refused!(front_points(bad), Error::NoPoints { .. });
        refused!(hypervolume(bad, &[0.0, 0.0]), Error::NoPoints { .. });
        refused!(epsilon_indicator(bad, &fine), Error::NoPoints { .. });
        refused!(epsilon_indicator(&fine, bad), Error::NoPoints { .. });
    }
    for value in NOT_FINITE {
        let bad = Matrix::from_rows(&[[0.1, 0.2], [0.3, value]]).unwrap();
        refused!(front(&bad), Error::NotFinite { index: 3, .. });
        refused!(gaps(&bad), Error::NotFinite { index: 3, .. });
        refused!(front_points(&bad), Error::NotFinite { index: 3, .. });
        refused!(hypervolume(&bad, &[0.0, 0.0]), Error::NotFinite { index: 3, .. });
        refused!(hypervolume(&fine, &[value, 0.0]), Error::NotFinite { index: 0, .. });
        refused!(epsilon_indicator(&bad, &fine), Error::NotFinite { index: 3, .. });
        refused!(Gram::from_dense(&bad), Error::NotFinite { index: 3, .. });
        refused!(project(&[value, 0.0], &Gram::new(2, 1.0, 0.5), 1.0), Error::NotFinite { index: 0, .. });
        refused!(project(&[1.0, 0.0], &Gram::new(2, 1.0, 0.5), value), Error::Radius { .. });
    }
    refused!(hypervolume(&fine, &[0.0]), Error::Dimension { expected: 2, got: 1 });
    let other = Matrix::from_rows(&[[0.1]]).unwrap();
    refused!(epsilon_indicator(&other, &fine), Error::Dimension { expected: 2, got: 1 });
    refused!(project(&[1.0], &Gram::new(2, 1.0, 0.5), 1.0), Error::Dimension { expected: 2, got: 1 });
    for radius in [0.0, -1.0, 1e101] {
        refused!(project(&[1.0], &Gram::new(1, 1.0, 0.5), radius), Error::Radius { .. });
    }
    refused!(Gram::from_dense(&fine), Error::Shape { .. });
    refused!(Gram::from_dense(&empty), Error::Shape { .. });
    for bad in [[1.0, 2.0, 2.0, 1.0], [0.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, 1.0], [1.0, 0.5, -0.5, 1.0]] {
        refused!(Gram::from_dense(&Matrix::new(2, bad.to_vec()).unwrap()), Error::NotPositiveDefinite);
    }
    for (link, mean) in [(Link::Logit, 0.0), (Link::Logit, 1.0), (Link::Probit, -0.1), (Link::Log, 0.0)] {
        refused!(link.inverse(mean), Error::NotAMean { .. });
    }
    for link in Link::ALL {
        refused!(link.inverse(f64::NAN), Error::NotAMean { .. });
        refused!(link.inverse(f64::INFINITY), Error::NotAMean { .. });
    }
}

/// Inputs that the constructors accept must work: extreme but accepted problems are played, with zero arms
/// among the arms, and every number in the results is finite, also after a snapshot.
#[test]
fn what_is_accepted_works() {
    let mut played = 0;
    for radius in [1e-100, 1e-3, 1.0, 30.0, 300.0, 700.0, 1e100] {
        for link in Link::ALL {
            for range in
                [None, Some((0.0, 1e-200)), Some((-1e100, 1e100)), Some((0.0, 1e160)), Some((0.0, 1e300))]
            {
                for width in [
                    Width::Proved { delta: 0.05 },
                    Width::Proved { delta: 1e-310 },
                    Width::Tightened { delta: 1e-310 },
                    Width::Tuned { c: 1e308 },
                    Width::Tuned { c: 0.0 },
                ] {
                    for lambda in [None, Some(1e100)] {
                        let objective = Objective { range, ..Objective::new("y", link) };
                        let problem = Problem::new(2, vec![objective]).and_then(|p| p.with_radius(radius));
                        let config = MoglbUcbConfig { width, lambda, ..Default::default() };
                        let Ok(policy) = problem.and_then(|p| MoglbUcb::new(p, config)) else { continue };
                        play_extreme(
                            Box::new(policy),
                            &format!("D = {radius}, {link:?}, {range:?}, {width:?}, λ {lambda:?}"),
                        );
                        played += 1;
                    }
                }
            }
        }
    }
    assert!(played > 300, "only {played} combinations were accepted");
}

#[test]
fn what_ekf_ucb_accepts_works() {
    let mut played = 0;
    for radius in [1e-100, 1e-3, 1.0, 20.0, 200.0, 1e100] {
        for link in Link::ALL {
            for range in [None, Some((0.0, 1e-200)), Some((-1e100, 1e100))] {
                for (lambda, c) in [(1e-6, 0.0), (1e-6, 1e100), (3.0, 0.01), (1e100, 1.0)] {
                    let objective = Objective { range, ..Objective::new("y", link) };
                    let problem = Problem::new(2, vec![objective]).and_then(|p| p.with_radius(radius));
                    let config = EkfUcbConfig { lambda, c, ..Default::default() };
                    let Ok(policy) = problem.and_then(|p| EkfUcb::new(p, config)) else { continue };
                    play_extreme(
                        Box::new(policy),
                        &format!("D = {radius}, {link:?}, {range:?}, λ {lambda}, c {c}"),
                    );
                    played += 1;
                }
            }
        }
    }
    assert!(played > 150, "only {played} combinations were accepted");
}

#[test]
fn what_moglb_eb_accepts_works() {
    let mut played = 0;
    for radius in [1e-100, 1e-6, 1e-3, 1.0, 20.0, 200.0, 1e6, 1e100] {
        for link in Link::ALL {
            for range in [None, Some((0.0, 1e-200)), Some((0.0, 1e18)), Some((-1e100, 1e100))] {
                for samples in [2, 3, 40] {
                    let objective = Objective { range, ..Objective::new("y", link) };
                    let problem = Problem::new(2, vec![objective]).and_then(|p| p.with_radius(radius));
                    let config = MoglbEbConfig { samples, ..Default::default() };
                    let Ok(policy) = problem.and_then(|p| MoglbEb::new(p, config)) else { continue };
                    play_extreme(
                        Box::new(policy),
                        &format!("D = {radius}, {link:?}, {range:?}, S = {samples}"),
                    );
                    played += 1;
                }
            }
        }
    }
    assert!(played > 200, "only {played} combinations were accepted");
}

fn play_extreme(mut policy: Box<dyn Restorable>, what: &str) {
    let arms = ArmSet::from_rows(&[[0.6, 0.8], [0.0, 0.0], [0.0, 0.0], [1e-200, 1e-8]]).unwrap();
    let (low, high) = policy.problem().objectives()[0].rewards();
    let mut rng = draw::seeded(9);
    for round in 0..6 {
        let decision = policy.decide(&arms, &mut rng).unwrap();
        let finite = |m: &Matrix| m.as_slice().iter().all(|x| x.is_finite());
        assert!(finite(&decision.estimates), "{what}: round {round}, estimates {:?}", decision.estimates);
        assert!(finite(&decision.widths), "{what}: round {round}, widths {:?}", decision.widths);
        policy.learn(arms.arm(ArmId(round % 4)), &[if round % 2 == 0 { high } else { low }]).unwrap();
    }
    let again = PolicySnapshot::from_json(&policy.to_json()).and_then(PolicySnapshot::restore);
    assert_eq!(again.map(|p| p.to_bytes()), Ok(policy.to_bytes()), "{what}: the snapshot cannot be restored");
}
