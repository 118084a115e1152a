//! The generalized linear policies on problems made for them: their regret is sublinear and below that of the
//! uniform control, and they handle fresh arm sets and unusual parameters. Their confidence sets are in
//! `glm_coverage.rs`.

use crate::common::{ball, bernoulli, direction, dot};
use moglb::conformance::check_policy;
use moglb::{
    ArmSet, Decision, Error, Link, Matrix, Objective, Policy, PolicyConfig, Problem, Restorable, draw, gaps,
};

fn build(problem: &Problem, id: &str, parameters: &str) -> Result<Box<dyn Restorable>, Error> {
    let config: PolicyConfig = serde_json::from_str(&format!(r#"{{"id":"{id}"{parameters}}}"#)).unwrap();
    config.build(problem)
}

fn clicks(dim: usize, n: usize, radius: f64) -> Problem {
    let objective = |i: usize| Objective::new(format!("y{i}"), Link::Logit);
    Problem::new(dim, (0..n).map(objective).collect()).unwrap().with_radius(radius).unwrap()
}

/// The regret of the first and the second half of 2000 rounds, in the first objective, mean of 5 runs. Arms
/// are the axes of d = 3 in both directions, ‖θ‖ = 2, and the best arm is ahead by at least 0.1.
fn regret(id: &str, parameters: &str) -> [f64; 2] {
    let entry = |arm: usize, j: usize| if j == arm / 2 { 1.0 - 2.0 * (arm % 2) as f64 } else { 0.0 };
    let arms: Vec<[f64; 3]> = (0..6).map(|arm| [entry(arm, 0), entry(arm, 1), entry(arm, 2)]).collect();
    let arms = ArmSet::from_rows(&arms).unwrap();
    let mut halves = [0.0; 2];
    for seed in 0..5 {
        let mut rng = draw::seeded(9000 + seed);
        let (means, best) = loop {
            let theta = direction(3, &mut rng);
            let mean = |arm: usize| Link::Logit.mean(2.0 * dot(&theta, arms.context(arm)));
            let means: Vec<f64> = (0..6).map(mean).collect();
            let mut sorted = means.clone();
            sorted.sort_by(f64::total_cmp);
            if sorted[5] - sorted[4] > 0.1 {
                break (means, sorted[5]);
            }
        };
        let mut policy = build(&clicks(3, 1, 2.0), id, parameters).unwrap();
        let mut decision = Decision::lean();
        for t in 0..2000 {
            policy.decide_into(&arms, &mut rng, &mut decision).unwrap();
            let mean = means[decision.arm.0];
            halves[t / 1000] += (best - mean) / 5.0;
            policy.learn(arms.arm(decision.arm), &[bernoulli(mean, &mut rng)]).unwrap();
        }
    }
    halves
}

/// Most widths are scaled down, since the proved ones need longer horizons. So is the λ of GLB-OMD.
const TUNED: [(&str, &str); 12] = [
    ("glm-ucb", r#","scale":0.01"#),
    ("ol2m", r#","scale":0.08"#),
    ("gloc", r#","scale":0.16"#),
    ("gloc-ts", r#","scale":0.04"#),
    ("qgloc", r#","scale":0.4"#),
    ("glb-omd", r#","scale":0.5,"lambda":5.0"#),
    ("ofu-ecolog", r#","scale":0.03"#),
    ("ada-ofu-ecolog", ""),
    ("ofu-glb", ""),
    ("rs-glincb", r#","scale":0.002"#),
    ("mo-gloc", r#","scale":0.16"#),
    ("mo-glb-omd", r#","scale":0.5,"lambda":5.0"#),
];

#[test]
fn regret_is_sublinear_and_below_that_of_random() {
    let random: f64 = regret("random", "").iter().sum();
    let mut wrong = Vec::new();
    for (id, parameters) in TUNED {
        let [first, second] = regret(id, parameters);
        println!("{id}{parameters}: regret {first:.1} and {second:.1}, random {random:.1}");
        if !(first + second < 0.3 * random && second < 0.7 * first) {
            wrong.push(id);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The Pareto regret with two objectives, ‖θᵢ‖ = 2, on ten arms in the ball: far below that of random play,
/// and slowing down.
#[test]
fn pareto_regret_of_the_multi_objective_versions_is_sublinear_and_below_that_of_random() {
    let total = |id: &str, parameters: &str| {
        let mut halves = [0.0; 2];
        for seed in 0..5 {
            let mut rng = draw::seeded(7000 + seed);
            let rows: Vec<Vec<f64>> = (0..10).map(|_| direction(3, &mut rng)).collect();
            let arms = ArmSet::from_rows(&rows).unwrap();
            let thetas = [direction(3, &mut rng), direction(3, &mut rng)];
            let mean = |x: &[f64], theta: &[f64]| Link::Logit.mean(2.0 * dot(theta, x));
            let means: Vec<f64> =
                rows.iter().flat_map(|x| thetas.iter().map(|theta| mean(x, theta))).collect();
            let means = Matrix::new(2, means).unwrap();
            let gaps = gaps(&means).unwrap();
            let mut policy = build(&clicks(3, 2, 2.0), id, parameters).unwrap();
            let mut decision = Decision::lean();
            for t in 0..3000 {
                policy.decide_into(&arms, &mut rng, &mut decision).unwrap();
                halves[t / 1500] += gaps[decision.arm.0];
                let reward: Vec<f64> =
                    means.row(decision.arm.0).iter().map(|&mean| bernoulli(mean, &mut rng)).collect();
                policy.learn(arms.arm(decision.arm), &reward).unwrap();
            }
        }
        halves
    };
    let random: f64 = total("random", "").iter().sum();
    for (id, parameters) in TUNED.into_iter().filter(|(id, _)| id.starts_with("mo-")) {
        let [first, second] = total(id, parameters);
        println!("{id}: {first:.1} and {second:.1}, random {random:.1}");
        assert!(first + second < 0.5 * random, "{id}: {first} + {second} of {random}");
        assert!(second < 0.7 * first, "{id}: {first}, then {second}");
    }
}

/// With one objective the front is the arm with the largest score: the plays are the same, and so is the
/// regret.
#[test]
fn with_one_objective_the_multi_objective_versions_are_the_single_ones() {
    for (one, many, parameters) in
        [("gloc", "mo-gloc", r#","scale":0.16"#), ("glb-omd", "mo-glb-omd", r#","scale":0.5,"lambda":5.0"#)]
    {
        assert_eq!(regret(one, parameters), regret(many, parameters), "{one}");
    }
}

/// Parameters other than the defaults, with and without a fixed number of arms.
#[test]
fn variants_keep_the_laws() {
    let variants = [
        ("glm-ucb", r#","scale":0.01,"horizon":10"#),
        ("ol2m", r#","scale":0.05,"lambda":3.0"#),
        ("gloc", r#","scale":0.05,"delta":0.5"#),
        ("gloc-ts", r#","scale":0.01,"horizon":10"#),
        ("qgloc", r#","scale":0.05,"c0":0.1"#),
        ("glb-omd", r#","scale":0.1,"lambda":2.0"#),
        ("ofu-ecolog", r#","scale":0.01"#),
        ("ada-ofu-ecolog", r#","scale":0.1,"lambda":0.5"#),
        ("ofu-glb", r#","scale":0.1"#),
        ("ofu-glb", r#","scale":1e-8"#),
        ("rs-glincb", r#","scale":0.0005"#),
        ("rs-glincb", r#","scale":0.0"#),
        ("mo-gloc", r#","scale":0.01"#),
        ("mo-glb-omd", r#","scale":0.1,"lambda":1.0"#),
    ];
    let mixed = vec![
        Objective::new("view", Link::Probit).minimize(),
        Objective::new("cost", Link::Identity).minimize().range(-3.0, 5.0),
    ];
    for problem in [clicks(2, 1, 3.0), Problem::new(3, mixed).unwrap()] {
        for (id, parameters) in variants {
            let targets: &[&str] = if problem.n_objectives() == 1 || id.starts_with("mo-") {
                &[""]
            } else {
                &[r#","target":1"#, r#","target":[1.0,2.0]"#]
            };
            for target in targets {
                let make = || build(&problem, id, &format!("{parameters}{target}")).unwrap();
                check_policy(&problem, make, |policy| policy.to_bytes());
            }
        }
    }
}

/// Arms that are fresh in every round, and policies that go through a snapshot between two rounds.
#[test]
fn fresh_arm_sets_are_learned_from_and_written_down() {
    let problem = clicks(2, 1, 1.0);
    for (id, parameters) in TUNED {
        let mut policy = build(&problem, id, parameters).unwrap();
        let mut rng = draw::seeded(11);
        for _ in 0..40 {
            let arms =
                ArmSet::from_rows(&(0..4).map(|_| ball(2, 1.0, &mut rng)).collect::<Vec<_>>()).unwrap();
            let decision = policy.decide(&arms, &mut rng).unwrap();
            let y = bernoulli(0.5 + 0.4 * arms.context(decision.arm.0)[0], &mut rng);
            policy.learn(arms.arm(decision.arm), &[y]).unwrap();
            let copy = moglb::PolicySnapshot::from_bytes(&policy.to_bytes()).unwrap().restore().unwrap();
            assert_eq!(copy.to_bytes(), policy.to_bytes(), "{id}");
            policy = copy;
        }
        assert_eq!(policy.t(), 40, "{id}");
    }
}

#[test]
fn bad_parameters_are_refused() {
    let problem = clicks(2, 2, 1.0);
    for (id, _) in TUNED {
        for bad in [r#","delta":0.0"#, r#","delta":1.5"#, r#","scale":-0.1"#, r#","scale":1e101"#] {
            let got = build(&problem, id, bad).err();
            assert!(matches!(got, Some(Error::ParameterBounds { .. })), "{id}{bad}: {got:?}");
        }
    }
    for (id, bad) in [
        ("ol2m", r#","lambda":0.0"#),
        ("gloc", r#","lambda":1e-7"#),
        ("mo-gloc", r#","lambda":1e101"#),
        ("glb-omd", r#","lambda":0.0"#),
        ("ada-ofu-ecolog", r#","lambda":0.0"#),
        ("glm-ucb", r#","horizon":0"#),
        ("gloc-ts", r#","horizon":0"#),
        ("rs-glincb", r#","horizon":1"#),
        ("qgloc", r#","c0":0.0"#),
    ] {
        let got = build(&problem, id, bad).err();
        assert!(matches!(got, Some(Error::ParameterBounds { .. })), "{id}{bad}: {got:?}");
    }
}
