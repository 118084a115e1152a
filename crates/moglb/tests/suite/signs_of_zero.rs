//! −0.0 equals 0.0: no decision depends on the sign of a zero in contexts, rewards or weights, nor on whether
//! zeros are stored.

use crate::conformance::every_config;
use moglb::{
    Arm, ArmId, ArmSet, Csr, Decision, Link, Norms, Objective, PlayConfig, PolicyConfig, Problem, Restorable,
    Storage, draw,
};
use std::sync::Arc;

const DIM: usize = 5;
const ARMS: usize = 9;

/// Contexts with zeros of either sign.
fn table(seed: u64) -> Vec<f64> {
    let mut rng = draw::seeded(seed);
    let mut entry = |_| match draw::below(4, &mut rng) {
        0 => -0.0,
        1 => 0.0,
        // Few distinct values, so that arms tie in a feature.
        _ => [-0.2, 0.1, 0.3, 0.4][draw::below(4, &mut rng)],
    };
    (0..ARMS * DIM).map(&mut entry).collect()
}

/// One arm set by every constructor: the first one has no zero of negative sign.
fn doors(table: &[f64]) -> Vec<(&'static str, ArmSet<'_>)> {
    let plain: Vec<f64> = table.iter().map(|x| x + 0.0).collect();
    let rows: Vec<&[f64]> = table.chunks_exact(DIM).collect();
    let csr = |columns: &dyn Fn(usize) -> bool| {
        let (mut starts, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &rows {
            for (column, &x) in row.iter().enumerate().filter(|(_, x)| columns(x.to_bits() as usize)) {
                places.push(column);
                values.push(x);
            }
            starts.push(values.len());
        }
        Csr::new(DIM, starts, places, values).unwrap()
    };
    vec![
        ("plain", ArmSet::new(DIM, plain, Norms::Strict).unwrap()),
        ("owned", ArmSet::new(DIM, table.to_vec(), Norms::Strict).unwrap()),
        ("clipped", ArmSet::new(DIM, table.to_vec(), Norms::Clip).unwrap()),
        ("divided", ArmSet::new(DIM, table.to_vec(), Norms::DivideBy(1.0)).unwrap()),
        ("borrowed", ArmSet::borrowed(DIM, table).unwrap()),
        ("rows", ArmSet::from_rows(&rows).unwrap()),
        ("f32", ArmSet::new(DIM, table.to_vec(), Norms::Strict).unwrap().stored_as(Storage::F32)),
        ("sparse", ArmSet::sparse(csr(&|bits| bits << 1 != 0), Norms::Strict).unwrap()),
        ("stored zeros", ArmSet::sparse(csr(&|_| true), Norms::Strict).unwrap()),
    ]
}

fn problem() -> Problem {
    let objectives = vec![
        Objective::new("a", Link::Logit),
        Objective::new("b", Link::Identity).minimize().range(-1.0, 1.0),
    ];
    Problem::new(DIM, objectives).unwrap().with_arms(ARMS).unwrap()
}

/// The bits of all numbers of a decision.
fn bits(decision: &Decision) -> (usize, Vec<usize>, Vec<u64>) {
    let tables = [decision.estimates.as_slice(), decision.widths.as_slice(), &decision.probabilities];
    let numbers = tables.into_iter().flatten().map(|x| x.to_bits()).collect();
    (decision.arm.0, decision.front.iter().map(|arm| arm.0).collect(), numbers)
}

fn decide(policy: &dyn Restorable, arms: &ArmSet<'_>, seed: u64) -> Decision {
    policy.decide(arms, &mut draw::seeded(seed)).unwrap()
}

fn reward(round: u64) -> [f64; 2] {
    [f64::from(u8::from(round.is_multiple_of(3))), [0.5, 0.0, -0.25][round as usize % 3]]
}

#[test]
fn contexts_decide_alike_through_every_door() {
    let table = table(4);
    for text in every_config() {
        let config: PolicyConfig = serde_json::from_str(&text).unwrap();
        let doors = doors(&table);
        let build = |_| config.build(&problem()).unwrap();
        let mut policies: Vec<Box<dyn Restorable>> = doors.iter().map(build).collect();
        for round in 0..16 {
            let plain = decide(&*policies[0], &doors[0].1, round);
            for ((door, arms), policy) in doors.iter().zip(&mut policies) {
                let decision = decide(&**policy, arms, round);
                assert_eq!(bits(&decision), bits(&plain), "{text}, {door}, round {round}");
                policy.learn(arms.arm(plain.arm), &reward(round)).unwrap();
            }
            let bytes = policies[0].to_bytes();
            for ((door, _), policy) in doors.iter().zip(&policies) {
                assert!(policy.to_bytes() == bytes, "{text}, {door}, round {round}: states part");
            }
        }
    }
}

#[test]
fn fixed_contexts_decide_alike() {
    let table = table(5);
    for text in every_config() {
        let config: PolicyConfig = serde_json::from_str(&text).unwrap();
        let doors: Vec<Arc<ArmSet<'static>>> =
            doors(&table).into_iter().map(|(_, arms)| Arc::new(arms.into_owned())).collect();
        let mut policies: Vec<_> = doors.iter().map(|_| config.build(&problem()).unwrap()).collect();
        for (arms, policy) in doors.iter().zip(&mut policies) {
            policy.fix_arms(arms).unwrap();
        }
        for round in 0..12 {
            let plain = decide(&*policies[0], &doors[0], round);
            for (arms, policy) in doors.iter().zip(&mut policies) {
                assert_eq!(bits(&decide(&**policy, arms, round)), bits(&plain), "{text}, round {round}");
                policy.learn(arms.arm(plain.arm), &reward(round)).unwrap();
            }
        }
    }
}

/// A played context that is passed back separately, and rewards: no later decision depends on the sign of a
/// zero in them.
#[test]
fn what_is_learned_does_not_depend_on_the_sign_of_a_zero() {
    let table = table(6);
    let plain: Vec<f64> = table.iter().map(|x| x + 0.0).collect();
    let arms = ArmSet::new(DIM, plain.clone(), Norms::Strict).unwrap();
    for text in every_config() {
        let config: PolicyConfig = serde_json::from_str(&text).unwrap();
        let [mut one, mut other] = [0, 1].map(|_| config.build(&problem()).unwrap());
        for round in 0..24 {
            let decision = decide(&*one, &arms, round);
            assert_eq!(bits(&decide(&*other, &arms, round)), bits(&decision), "{text}, round {round}");
            let (id, reward) = (decision.arm, reward(round));
            one.learn(arms.arm(id), &reward).unwrap();
            // −0.0 instead of 0.0 in the reward, and in every other round in the context.
            let turned = reward.map(|y| if y == 0.0 { -0.0 } else { y });
            let contexts = if round % 2 == 0 { &table } else { &plain };
            let context = &contexts[id.0 * DIM..][..DIM];
            other.learn(Arm::new(id, context).unwrap(), &turned).unwrap();
        }
    }
}

#[test]
fn weights_decide_alike_whatever_the_sign_of_a_zero() {
    let objective = |name: &str| Objective::new(name, Link::Identity).range(-1.0, 1.0);
    let problem = Problem::new(DIM, vec![objective("a"), objective("b")]).unwrap().with_arms(ARMS).unwrap();
    let arms = ArmSet::new(DIM, table(7), Norms::Strict).unwrap();
    for text in [
        r#"{"prefer":{"kind":"weights","weights":[ZERO,1]}}"#,
        r#"{"prefer":{"kind":"lexicographic","order":[1,0],"tolerances":[ZERO,ZERO]}}"#,
        r#"{"prefer":{"kind":"uniform"},"floor":{"share":ZERO}}"#,
        r#"{"prefer":{"kind":"uniform"},"baseline":{"arm":1,"share":ZERO}}"#,
    ] {
        let decide = |zero: &str| {
            let play: PlayConfig = serde_json::from_str(&text.replace("ZERO", zero)).unwrap();
            let play = play.build(&problem).unwrap();
            let mut policy = PolicyConfig::recommended().build(&problem).unwrap();
            let mut decisions = Vec::new();
            for round in 0..20 {
                let mut decision = Decision::default();
                play.decide(&*policy, &arms, &[], &mut draw::seeded(round), &mut decision).unwrap();
                policy.learn(arms.arm(ArmId(decision.arm.0)), &[0.5, -0.5]).unwrap();
                decisions.push(bits(&decision));
            }
            decisions
        };
        assert_eq!(decide("0.0"), decide("-0.0"), "{text}");
    }
}
