//! The confidence sets of the generalized linear policies cover with every link, and narrower ones do not.
//! (Those of RS-GLinCB are private, and are tested next to its code.)

use crate::common::{ball, bernoulli, dot};
use moglb::{
    ArmSet, Gloc, GlocConfig, GlocTs, GlocTsConfig, Link, Objective, Policy, PolicyConfig, Problem, Qgloc,
    QglocConfig, Rng, draw,
};

const LINKS: [Link; 3] = [Link::Logit, Link::Identity, Link::Probit];

/// The quantity that is compared with the truth.
#[derive(Clone, Copy, PartialEq)]
enum Scale {
    /// The linear score θᵀx, from both sides.
    Linear,
    /// The linear score θᵀx, from above.
    Above,
    /// The mean μ(θᵀx), from both sides.
    Mean,
}

/// A world with coefficients and contexts in the unit ball of the plane.
struct World {
    problem: Problem,
    link: Link,
    thetas: Vec<Vec<f64>>,
    arms: ArmSet<'static>,
}

impl World {
    fn new(link: Link, n_objectives: usize, rng: &mut dyn Rng) -> Self {
        let objective = |i: usize| Objective::new(format!("y{i}"), link);
        let problem = Problem::new(2, (0..n_objectives).map(objective).collect()).unwrap();
        let thetas = (0..n_objectives).map(|_| ball(2, 1.0, rng)).collect();
        let arms = ArmSet::from_rows(&(0..6).map(|_| ball(2, 1.0, rng)).collect::<Vec<_>>()).unwrap();
        Self { problem, link, thetas, arms }
    }

    /// Rewards of one bit per objective: 0 or 1, but −1 or 1 for an identity link, whose rewards are in [−1,
    /// 1].
    fn pull(&self, arm: usize, rng: &mut dyn Rng) -> Vec<f64> {
        let means = self.thetas.iter().map(|theta| self.link.mean(dot(theta, self.arms.context(arm))));
        let one = |mean: f64| match self.link {
            Link::Identity => 2.0 * bernoulli((1.0 + mean) / 2.0, rng) - 1.0,
            _ => bernoulli(mean, rng),
        };
        means.map(one).collect()
    }
}

/// The number of runs, of 200, in which the truth of an arm was outside of estimate ± width in some round,
/// for some objective.
fn escapes(id: &str, parameters: &str, link: Link, rounds: usize, scale: Scale) -> usize {
    let config: PolicyConfig = serde_json::from_str(&format!(r#"{{"id":"{id}"{parameters}}}"#)).unwrap();
    let escaped = |seed: u64| {
        let mut rng = draw::seeded(7000 + seed);
        let world = World::new(link, if id.starts_with("mo-") { 2 } else { 1 }, &mut rng);
        let mut policy = config.build(&world.problem).unwrap();
        (0..rounds).any(|round| {
            let decision = policy.decide(&world.arms, &mut rng).unwrap();
            let reward = world.pull(decision.arm.0, &mut rng);
            let out = (0..world.arms.n_arms()).any(|arm| {
                world.thetas.iter().enumerate().any(|(i, theta)| {
                    let z = dot(theta, world.arms.context(arm));
                    let truth = if scale == Scale::Mean { link.mean(z) } else { z };
                    let (estimate, width) = (decision.estimates.row(arm)[i], decision.widths.row(arm)[i]);
                    let off = truth - estimate;
                    off > width + 1e-9 || (scale != Scale::Above && -off > width + 1e-9)
                })
            });
            policy.learn(world.arms.arm(decision.arm), &reward).unwrap();
            // GLM-UCB has no confidence set in its first d rounds.
            out && (scale != Scale::Mean || round >= 2)
        })
    };
    (0..200).filter(|&seed| escaped(seed)).count()
}

/// Were the probability exactly δ = 5 %, more than 23 escapes in 200 runs would be a 1e-4 event. A set that
/// is `narrow` times as wide must fail in most runs, or the check would show nothing.
fn covers(id: &str, link: Link, rounds: usize, scale: Scale, narrow: f64) {
    let proved = escapes(id, "", link, rounds, scale);
    let narrowed = escapes(id, &format!(r#","scale":{narrow}"#), link, rounds, scale);
    println!("{id}, {link:?}: {proved} of 200 runs escape, {narrowed} at scale {narrow}");
    assert!(proved <= 23, "{id}, {link:?}: {proved} of 200 runs left the confidence set");
    assert!(narrowed > 100, "{id}, {link:?}: only {narrowed} of 200 runs left a set of scale {narrow}");
}

#[test]
fn the_set_of_glm_ucb_covers() {
    for link in LINKS {
        covers("glm-ucb", link, 60, Scale::Mean, 0.002);
    }
}

/// Proved for logit only; the coverage with other links is measured.
#[test]
fn the_set_of_ol2m_covers() {
    for link in LINKS {
        covers("ol2m", link, 100, Scale::Linear, 0.02);
    }
}

#[test]
fn the_sets_of_gloc_and_its_relatives_cover() {
    for link in LINKS {
        for id in ["gloc", "gloc-ts", "mo-gloc"] {
            covers(id, link, 100, Scale::Linear, 0.02);
        }
    }
}

#[test]
fn the_sets_of_glb_omd_cover() {
    for link in LINKS {
        for id in ["glb-omd", "mo-glb-omd"] {
            covers(id, link, 100, Scale::Linear, 0.02);
        }
    }
}

/// Proved for logit only; the coverage with other links is measured.
#[test]
fn the_sets_of_ecolog_cover() {
    for link in LINKS {
        covers("ofu-ecolog", link, 100, Scale::Linear, 0.01);
        covers("ada-ofu-ecolog", link, 100, Scale::Linear, 0.05);
    }
}

#[test]
fn the_set_of_ofu_glb_covers() {
    for link in LINKS {
        covers("ofu-glb", link, 30, Scale::Above, 0.1);
    }
}

/// The widths of QGLOC are those of its index. Its confidence set is ‖θ − θ̂‖_V ≤ √β.
#[test]
fn the_set_of_qgloc_covers() {
    for link in LINKS {
        let farthest = |seed: u64| {
            let mut rng = draw::seeded(7000 + seed);
            let world = World::new(link, 1, &mut rng);
            let mut policy = Qgloc::new(world.problem.clone(), QglocConfig::default()).unwrap();
            let mut ratio = 0.0_f64;
            for _ in 0..100 {
                let arm = policy.decide(&world.arms, &mut rng).unwrap().arm;
                policy.learn(world.arms.arm(arm), &world.pull(arm.0, &mut rng)).unwrap();
                let off: Vec<f64> = policy.theta().iter().zip(&world.thetas[0]).map(|(a, b)| a - b).collect();
                ratio = ratio.max(policy.gram().squared_norm(&off).sqrt() / policy.radius());
            }
            ratio
        };
        let ratios: Vec<f64> = (0..200).map(farthest).collect();
        let escapes = |radius: f64| ratios.iter().filter(|&&ratio| ratio > radius).count();
        println!("qgloc, {link:?}: {} and {} of 200 runs escape", escapes(1.0), escapes(0.02));
        assert!(escapes(1.0) <= 23, "{link:?}: {} of 200 runs left the confidence set", escapes(1.0));
        assert!(escapes(0.02) > 100, "{link:?}: only {} of 200 runs left 0.02 of it", escapes(0.02));
    }
}

/// The methods are equivalent: on the same plays all three have one center, and GLOC and QGLOC have one
/// radius, to the bit. GLOC-TS has it too, at T = 1 and 8δ.
#[test]
fn gloc_and_its_relatives_have_the_same_set() {
    for link in LINKS {
        let mut rng = draw::seeded(3);
        let world = World::new(link, 1, &mut rng);
        let problem = || world.problem.clone();
        let mut gloc = Gloc::new(problem(), GlocConfig::default()).unwrap();
        let mut qgloc = Qgloc::new(problem(), QglocConfig::default()).unwrap();
        let config = GlocTsConfig { delta: 0.4, horizon: 1, ..Default::default() };
        let mut sampled = GlocTs::new(problem(), config).unwrap();
        for round in 0..200 {
            assert_eq!((gloc.theta(), gloc.radius()), (qgloc.theta(), qgloc.radius()));
            assert_eq!((gloc.theta(), gloc.radius()), (sampled.theta(), sampled.radius()));
            let (arm, reward) = (world.arms.arm(moglb::ArmId(round % 6)), world.pull(round % 6, &mut rng));
            gloc.learn(arm, &reward).unwrap();
            qgloc.learn(arm, &reward).unwrap();
            sampled.learn(arm, &reward).unwrap();
        }
        assert!(gloc.theta() != [0.0, 0.0]);
    }
}
