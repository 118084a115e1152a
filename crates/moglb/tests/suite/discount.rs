//! Laws of discounting: a discounted policy agrees with its definition, its matrices stay well conditioned,
//! and with a discount of one it is the policy without a discount.

use crate::common::{ball, bernoulli, close, dense, dot, problems, uniform, vector};
use moglb::{
    ArmId, ArmSet, EkfUcb, EkfUcbConfig, Error, Link, MoglbEb, MoglbEbConfig, MoglbUcb, MoglbUcbConfig,
    Objective, Policy, PolicyConfig, PolicySnapshot, Problem, Restorable, Width, draw,
};
use nalgebra::{DMatrix, DVector};
use std::sync::Arc;

const DIM: usize = 4;

/// The policies with a discount.
const IDS: [&str; 3] = ["moglb-ucb", "ekf-ucb", "moglb-eb"];

fn problem() -> Problem {
    let objectives = vec![
        Objective::new("click", Link::Logit),
        Objective::new("cost", Link::Identity).minimize().range(-0.5, 1.5),
        Objective::new("sale", Link::Logit),
    ];
    Problem::new(DIM, objectives).unwrap()
}

fn build(id: &str, discount: f64) -> Box<dyn Restorable> {
    let config = format!(r#"{{"id":"{id}","discount":{discount}}}"#);
    serde_json::from_str::<PolicyConfig>(&config).unwrap().build(&problem()).unwrap()
}

fn arms(seed: u64) -> ArmSet<'static> {
    let mut rng = draw::seeded(seed);
    ArmSet::from_rows(&(0..9).map(|_| ball(DIM, 1.0, &mut rng)).collect::<Vec<_>>()).unwrap()
}

/// Plays rounds, and returns the arms that were played.
fn play(policy: &mut dyn Restorable, arms: &ArmSet, rounds: usize, seed: u64) -> Vec<ArmId> {
    let (problem, mut rng) = (problem(), draw::seeded(seed));
    let mut round = || {
        let decision = policy.decide(arms, &mut rng).unwrap();
        policy.learn(arms.arm(decision.arm), &problems::reward(&problem, &mut rng)).unwrap();
        decision.arm
    };
    (0..rounds).map(|_| round()).collect()
}

#[test]
fn a_discount_of_one_leaves_no_trace() {
    for id in IDS {
        let plain: PolicyConfig = serde_json::from_str(&format!(r#"{{"id":"{id}"}}"#)).unwrap();
        let (mut plain, mut discounted) = (plain.build(&problem()).unwrap(), build(id, 1.0));
        let arms = arms(1);
        assert_eq!(play(&mut *plain, &arms, 80, 2), play(&mut *discounted, &arms, 80, 2), "{id}");
        assert_eq!(plain.to_json(), discounted.to_json(), "{id}");
        assert_ne!(build(id, 0.99).to_json(), discounted.to_json(), "{id}");
    }
}

#[test]
fn a_discount_without_sense_is_refused() {
    for id in IDS {
        for discount in ["0.8", "1.000001", "-1.0", "1e300"] {
            let config = format!(r#"{{"id":"{id}","discount":{discount}}}"#);
            let built = serde_json::from_str::<PolicyConfig>(&config).unwrap().build(&problem());
            let error = built.err().unwrap_or_else(|| panic!("{config} was accepted"));
            assert!(
                matches!(error, Error::ParameterBounds { name: "discount", least: 0.875, .. }),
                "{config}"
            );
        }
    }
    let nan = MoglbEb::new(problem(), MoglbEbConfig { discount: f64::NAN, ..Default::default() });
    assert!(matches!(nan, Err(Error::ParameterBounds { .. })));
    for width in [Width::Proved { delta: 0.1 }, Width::Tightened { delta: 0.1 }] {
        let config = MoglbUcbConfig { width, discount: 0.99, ..Default::default() };
        assert!(matches!(MoglbUcb::new(problem(), config), Err(Error::Parameters { .. })), "{width:?}");
    }
}

/// Ridge regression with weights γᵏ, with all sums stored explicitly.
struct Weighted {
    discount: f64,
    lambda: f64,
    z: DMatrix<f64>,
    moments: DVector<f64>,
}

impl Weighted {
    fn new(dim: usize, lambda: f64, discount: f64) -> Self {
        Self { discount, lambda, z: DMatrix::identity(dim, dim) * lambda, moments: DVector::zeros(dim) }
    }

    fn learn(&mut self, x: &[f64], weight: f64, y: f64) {
        let (x, dim) = (vector(x), x.len());
        self.z = (&self.z + weight * &x * x.transpose()) * self.discount;
        self.moments = (&self.moments + weight * y * &x) * self.discount;
        let inverse = self.z.clone().try_inverse().unwrap();
        let thinnest = (0..dim).fold(0, |j, k| if inverse[(k, k)] > inverse[(j, j)] { k } else { j });
        self.z[(thinnest, thinnest)] += (1.0 - self.discount) * self.lambda * dim as f64;
    }

    fn theta(&self) -> DVector<f64> {
        self.z.clone().try_inverse().unwrap() * &self.moments
    }
}

/// On an identity link EKF-UCB weighs the reward of k rounds ago by γᵏ, to 1e-9 after 3000 rounds.
#[test]
fn estimates_are_the_weighted_ridge_regression() {
    for (dim, discount) in [(1, 0.7), (3, 0.9), (6, 0.99), (6, 0.999)] {
        let objective = Objective::new("y", Link::Identity).range(-2.0, 2.0);
        // No estimate reaches this radius; a projection would have no closed form.
        let problem = Problem::new(dim, vec![objective]).unwrap().with_radius(50.0).unwrap();
        let config = EkfUcbConfig { lambda: 0.5, discount, ..Default::default() };
        let mut policy = EkfUcb::new(problem, config).unwrap();
        let mut slow = Weighted::new(dim, 0.5, discount);
        let mut rng = draw::seeded(5);
        for round in 0..3000 {
            let (x, noise) = (ball(dim, 1.0, &mut rng), uniform(-0.5, 0.5, &mut rng));
            let y = (if round < 1500 { x[0] } else { -x[0] }) + noise;
            let arms = ArmSet::from_rows(&[&x]).unwrap();
            policy.learn(arms.arm(ArmId(0)), &[y]).unwrap();
            slow.learn(&x, 1.0, y);
            let (theta, expected) = (policy.theta(), slow.theta());
            for (got, expected) in theta.row(0).iter().zip(expected.iter()) {
                assert!(close(*got, *expected, 1e-9), "round {round}: {got}, by definition {expected}");
            }
        }
        let apart = (dense(policy.gram(0)) - &slow.z).abs().max();
        assert!(apart < 1e-9 * slow.z.max(), "H is {apart} from its definition");
        assert_eq!(policy.model().map_or(0, |model| model.projection_hits()), 0);
    }
}

/// The sums of MOGLB-EB are those of the definition.
#[test]
fn the_sums_of_moglb_eb_shrink_with_every_reward() {
    let (discount, arms, mut rng) = (0.97, arms(3), draw::seeded(4));
    let objective = Objective::new("y", Link::Identity);
    let config = MoglbEbConfig { discount, ..Default::default() };
    let mut policy = MoglbEb::new(Problem::new(DIM, vec![objective]).unwrap(), config).unwrap();
    let mut weights = Vec::new();
    for round in 0..400_i32 {
        policy.learn(arms.arm(ArmId(round as usize % 9)), &[bernoulli(0.5, &mut rng)]).unwrap();
        let snapshot: serde_json::Value = serde_json::from_str(&policy.to_json()).unwrap();
        let state = &snapshot["state"]["moglb-eb"];
        let waiting = state["pending"].as_array().unwrap().len() / (DIM + 3);
        assert!(waiting < 3, "no more than a twentieth of the window waits");
        let taken = round + 1 - waiting as i32;
        let expected = (1.0 - discount.powi(taken)) / (1.0 - discount);
        assert!(close(state["weights"][0].as_f64().unwrap(), expected, 1e-12), "round {round}");
        weights.push(expected);
    }
    assert!(weights[399] > 33.0);
}

/// One context for 20 000 rounds: in all other directions everything is forgotten, and only λ is left.
#[test]
fn no_direction_is_forgotten_altogether() {
    for discount in [0.875, 0.95, 0.999] {
        let config = MoglbUcbConfig { discount, ..Default::default() };
        let mut policy = MoglbUcb::new(problem(), config).unwrap();
        let x = [0.5, 0.5, -0.5, 0.5];
        let arms = ArmSet::from_rows(&[x]).unwrap();
        let mut rng = draw::seeded(8);
        for round in 0..20_000 {
            let reward = problems::reward(&problem(), &mut rng);
            policy.learn(arms.arm(ArmId(0)), &reward).unwrap();
            if round % 50 == 0 || round < 100 {
                let z = dense(policy.gram(0));
                let trace_of_inverse: f64 = z.symmetric_eigenvalues().iter().map(|value| 1.0 / value).sum();
                let most = discount * DIM as f64 / (1.0 - DIM as f64 * (1.0 - discount));
                assert!(trace_of_inverse <= most * (1.0 + 1e-9), "{trace_of_inverse} in round {round}");
                assert!(policy.gamma(0) >= 0.0);
            }
        }
        let z = policy.gram(0);
        let (sum, fresh) = (z.log_det_ratio(), dense(z).determinant().ln());
        assert!(close(sum, fresh, 1e-9), "log det {sum}, recomputed {fresh}");
        assert!(close(z.squared_norm_inv(&x), dot(&z.solve(&x), &x), 1e-12));
    }
}

/// A coefficient that changes its sign is learned again, with less than half the error of a policy without a
/// discount.
#[test]
fn what_has_changed_is_learned_anew() {
    let theta = |policy: &dyn Restorable, arms: &ArmSet| {
        policy.decide(arms, &mut draw::seeded(0)).unwrap().estimates.row(0)[1]
    };
    for id in IDS {
        let mut scores = Vec::new();
        for discount in [1.0, 0.98] {
            let (mut policy, mut rng) = (build(id, discount), draw::seeded(9));
            for round in 0..1200 {
                let arms = ArmSet::from_rows(&[ball(DIM, 1.0, &mut rng)]).unwrap();
                let z = 2.0 * arms.arm(ArmId(0)).context()[0] * if round < 900 { 0.45 } else { -0.45 };
                let click = bernoulli(1.0 / (1.0 + (-z).exp()), &mut rng);
                let cost = 0.5 * z;
                policy.learn(arms.arm(ArmId(0)), &[click, cost, 1.0 - click]).unwrap();
            }
            let axis = ArmSet::from_rows(&[[1.0, 0.0, 0.0, 0.0]]).unwrap();
            scores.push(theta(&*policy, &axis));
        }
        let [stale, fresh] = [scores[0], scores[1]].map(|score: f64| (score + 0.45).abs());
        assert!(fresh < 0.5 * stale, "{id}: {scores:?}, −0.45 is true");
    }
}

/// With fixed arms, after a snapshot, or with rewards in parts, it is the same policy.
#[test]
fn forgetting_policies_keep_the_promises_of_others() {
    for id in IDS {
        let arms = Arc::new(arms(6));
        let (mut policy, mut fixed) = (build(id, 0.95), build(id, 0.95));
        fixed.fix_arms(&arms).unwrap();
        assert_eq!(play(&mut *policy, &arms, 100, 7), play(&mut *fixed, &arms, 100, 7), "{id}");
        assert_eq!(policy.to_bytes(), fixed.to_bytes());
        let mut restored = PolicySnapshot::from_bytes(&policy.to_bytes()).unwrap().restore().unwrap();
        assert_eq!(play(&mut *policy, &arms, 100, 8), play(&mut *restored, &arms, 100, 8), "{id}");
        assert_eq!(policy.to_json(), restored.to_json(), "{id}");
    }
}

/// An objective without a reward is not discounted: its state is the same as without those rounds.
#[test]
fn what_is_not_told_is_not_forgotten() {
    for id in ["moglb-ucb", "ekf-ucb"] {
        let (arms, mut rng) = (arms(10), draw::seeded(11));
        let (mut parts, mut whole) = (build(id, 0.95), build(id, 0.95));
        for round in 0..200 {
            let (arm, reward) = (arms.arm(ArmId(round % 9)), problems::reward(&problem(), &mut rng));
            let known = |i: usize| i > 0 || round % DIM == 0;
            let part: Vec<Option<f64>> = (0..3).map(|i| known(i).then_some(reward[i])).collect();
            parts.learn_part(arm, &part).unwrap();
            if known(0) {
                whole.learn(arm, &reward).unwrap();
            }
        }
        let estimates = |policy: &dyn Restorable| {
            let decision = policy.decide(&arms, &mut draw::seeded(0)).unwrap();
            decision.estimates.rows().map(|row| row[0].to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(estimates(&*parts), estimates(&*whole), "{id}");
        let restored = PolicySnapshot::from_bytes(&parts.to_bytes()).unwrap().restore().unwrap();
        assert_eq!(restored.to_bytes(), parts.to_bytes(), "{id}");
    }
}
