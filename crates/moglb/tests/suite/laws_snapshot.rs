//! Laws of snapshots: a restored policy continues bit for bit, and a damaged snapshot is a typed error, never
//! a panic.

use crate::common::{ball, problems};
use moglb::{
    ArmSet, Error, Link, Objective, PolicyConfig, PolicySnapshot, Problem, Restorable, SNAPSHOT_FORMAT, draw,
};

const POLICIES: &[&str] = &[
    r#"{"id":"moglb-ucb"}"#,
    r#"{"id":"moglb-ucb","width":"proved","delta":0.1,"lambda":2.0}"#,
    r#"{"id":"moglb-ucb","width":"tightened","kappa":"per-objective"}"#,
    r#"{"id":"p-ucb","front_size":2}"#,
    r#"{"id":"s-ucb","weights":[1.0,2.0,0.0]}"#,
    r#"{"id":"p-ts"}"#,
    r#"{"id":"random"}"#,
    r#"{"id":"ekf-ucb"}"#,
    r#"{"id":"ekf-ucb","lambda":0.25,"c":0.5,"objective":2}"#,
    r#"{"id":"moglb-eb"}"#,
    r#"{"id":"moglb-eb","threshold":0.1,"samples":5}"#,
    r#"{"id":"oful","switch":1.0,"target":[1.0,2.0,0.0]}"#,
    r#"{"id":"pcz","scale":0.03,"lipschitz":2.0}"#,
    r#"{"id":"contextual-zooming","scale":0.03,"target":1}"#,
    r#"{"id":"zooming","scale":0.05,"target":[1.0,2.0,0.0]}"#,
    r#"{"id":"hoo","scale":0.5}"#,
    r#"{"id":"query-ad-clustering","lipschitz":3.0}"#,
    r#"{"id":"mo-ks"}"#,
    r#"{"id":"mo-ks","rewards":"adversarial"}"#,
    r#"{"id":"s-ucb","weight_set":[[1,0,1],[0,1,2]],"scalarization":"chebyshev","reference":[0.1,0.5,0.0]}"#,
    r#"{"id":"moslb-pl","levels":[[0],[1,2]],"epsilon":0.5}"#,
    r#"{"id":"moglb-ucb","discount":0.95}"#,
    r#"{"id":"ekf-ucb","discount":0.95}"#,
    r#"{"id":"moglb-eb","discount":0.95}"#,
];

/// The configurations above, and all other policies with their defaults.
fn every() -> Vec<String> {
    let known = |id: &str| POLICIES.iter().any(|config| config.contains(&format!("\"{id}\"")));
    let others = moglb::POLICIES
        .iter()
        .filter(|info| !known(info.id))
        .map(|info| format!(r#"{{"id":"{}"}}"#, info.id));
    POLICIES.iter().copied().map(String::from).chain(others).collect()
}

fn problem() -> Problem {
    let objectives = vec![
        Objective::new("click", Link::Logit),
        Objective::new("cost", Link::Identity).minimize().range(-0.5, 1.5),
        Objective::new("count", Link::Log),
    ];
    Problem::new(3, objectives).unwrap().with_arms(7).unwrap()
}

fn arms() -> ArmSet<'static> {
    let mut rng = draw::seeded(400);
    ArmSet::from_rows(&(0..7).map(|_| ball(3, 1.0, &mut rng)).collect::<Vec<_>>()).unwrap()
}

/// Plays some rounds. Returns all decisions and the final state.
fn play(policy: &mut dyn Restorable, rounds: usize, seed: u64) -> (Vec<moglb::Decision>, Vec<u8>) {
    let (arms, problem, mut rng) = (arms(), problem(), draw::seeded(seed));
    let mut decisions = Vec::new();
    for _ in 0..rounds {
        let decision = policy.decide(&arms, &mut rng).unwrap();
        policy.learn(arms.arm(decision.arm), &problems::reward(&problem, &mut rng)).unwrap();
        decisions.push(decision);
    }
    (decisions, policy.to_bytes())
}

fn policy(config: &str, rounds: usize) -> Box<dyn Restorable> {
    let config: PolicyConfig = serde_json::from_str(config).unwrap();
    let mut policy = config.build(&problem()).unwrap();
    play(&mut *policy, rounds, 41);
    policy
}

#[test]
fn a_restored_policy_goes_on_to_the_bit() {
    for config in &every() {
        // For MOGLB-EB, 25 and 50 rounds are in the middle of a batch.
        for rounds in [0, 1, 25, 50] {
            let mut original = policy(config, rounds);
            let (json, bytes) = (original.to_json(), original.to_bytes());
            let mut from_json = PolicySnapshot::from_json(&json).unwrap().restore().unwrap();
            let mut from_bytes = PolicySnapshot::from_bytes(&bytes).unwrap().restore().unwrap();
            assert_eq!(from_json.to_json(), json, "{config}");
            assert_eq!(from_bytes.to_bytes(), bytes, "{config}");
            assert_eq!(from_json.to_bytes(), bytes, "JSON loses bits: {config}");
            let expected = play(&mut *original, 60, 42);
            assert!(play(&mut *from_json, 60, 42) == expected, "JSON, {config} after {rounds} rounds");
            assert!(play(&mut *from_bytes, 60, 42) == expected, "bytes, {config} after {rounds} rounds");
            assert_eq!(
                original.model().map_or(0, |model| model.projection_hits()),
                from_json.model().map_or(0, |model| model.projection_hits())
            );
        }
    }
}

fn damaged(error: &Error) -> bool {
    matches!(error, Error::SnapshotDamaged { .. } | Error::SnapshotFormat { .. })
}

#[test]
fn truncated_snapshots_are_damaged() {
    for config in POLICIES {
        let policy = policy(config, 20);
        let (bytes, json) = (policy.to_bytes(), policy.to_json());
        for length in 0..bytes.len() {
            let got = PolicySnapshot::from_bytes(&bytes[..length]);
            assert!(matches!(got, Err(Error::SnapshotDamaged { .. })), "{config}: {length} bytes, {got:?}");
        }
        for length in 0..json.len() {
            let got = PolicySnapshot::from_json(&json[..length]);
            assert!(
                matches!(got, Err(Error::SnapshotDamaged { .. })),
                "{config}: {length} characters, {got:?}"
            );
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(matches!(PolicySnapshot::from_bytes(&longer), Err(Error::SnapshotDamaged { .. })));
    }
}

#[test]
fn any_flipped_byte_is_noticed() {
    for config in POLICIES {
        let bytes = policy(config, 20).to_bytes();
        for position in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut flipped = bytes.clone();
                flipped[position] ^= flip;
                let error = PolicySnapshot::from_bytes(&flipped).expect_err("a checksum that does not match");
                assert!(damaged(&error), "{config}: byte {position} ^ {flip}: {error}");
            }
        }
    }
}

/// Another version of the format has its own error and does not count as damage.
#[test]
fn another_version_is_another_format() {
    for config in POLICIES {
        let policy = policy(config, 3);
        let json = policy.to_json().replace(SNAPSHOT_FORMAT, "moglb.policy/1");
        let got = PolicySnapshot::from_json(&json).unwrap_err();
        let expected =
            Error::SnapshotFormat { expected: SNAPSHOT_FORMAT.into(), got: "moglb.policy/1".into() };
        assert_eq!(got, expected, "{config}");
        let mut bytes = policy.to_bytes();
        bytes[7] = 1;
        assert!(matches!(PolicySnapshot::from_bytes(&bytes), Err(Error::SnapshotFormat { .. })), "{config}");
        assert!(matches!(PolicySnapshot::from_bytes(b"not a snapshot"), Err(Error::SnapshotFormat { .. })));
    }
    // Of a later version only the format can be read, so nothing else is checked.
    let later = r#"{"format":"moglb.policy/9","shape":"unknown"}"#;
    assert!(matches!(PolicySnapshot::from_json(later), Err(Error::SnapshotFormat { .. })));
}

/// Changes a byte together with the checksum, as a hostile or faulty writer would. The result is an error or
/// a policy that works.
#[test]
fn a_forged_snapshot_never_panics() {
    let (mut refused, mut working) = (0, 0);
    for config in &every() {
        let bytes = policy(config, 20).to_bytes();
        for position in 8..bytes.len() - 4 {
            for flip in [0x01, 0x10, 0x40, 0x80, 0xff] {
                let mut forged = bytes[..bytes.len() - 4].to_vec();
                forged[position] ^= flip;
                forged.extend_from_slice(&crc32c::crc32c(&forged).to_le_bytes());
                let Ok(mut restored) = PolicySnapshot::from_bytes(&forged).and_then(PolicySnapshot::restore)
                else {
                    refused += 1;
                    continue;
                };
                working += 1;
                use_restored(&mut *restored, &format!("{config}: byte {position} ^ {flip}"));
            }
        }
    }
    assert!(refused > 1000 && working > 1000, "{refused} refused, {working} accepted");
}

/// Checks that an accepted policy decides, learns and is saved again with finite numbers.
fn use_restored(policy: &mut dyn Restorable, what: &str) {
    let (arms, mut rng) = (arms(), draw::seeded(43));
    for _ in 0..3 {
        // The forged problem may have another name or range. Errors are fine, but panics and NaN are not.
        let Ok(decision) = policy.decide(&arms, &mut rng) else { return };
        assert!(
            decision.estimates.as_slice().iter().all(|x| x.is_finite()),
            "{what}: {:?}",
            decision.estimates
        );
        let _ = policy.learn(arms.arm(decision.arm), &[1.0, 0.5, 1.0]);
    }
    let again = PolicySnapshot::from_bytes(&policy.to_bytes()).and_then(PolicySnapshot::restore);
    assert!(again.is_ok(), "{what}: accepted, but cannot be read back: {:?}", again.err());
}

/// Restores a policy from JSON.
fn restore(json: &str) -> Result<Box<dyn Restorable>, Error> {
    PolicySnapshot::from_json(json).and_then(PolicySnapshot::restore)
}

fn refused(json: &str, from: &str, to: &str) {
    let changed = json.replacen(from, to, 1);
    assert_ne!(changed, json, "`{from}` is not in {json}");
    assert!(restore(&changed).is_err(), "`{from}` → `{to}` was accepted");
}

#[test]
fn absurd_json_is_refused() {
    let json = policy(POLICIES[0], 20).to_json();
    refused(&json, r#""rounds":20"#, r#""rounds":-1"#);
    refused(&json, r#""rounds":20"#, r#""rounds":1e999"#);
    refused(&json, r#""rounds":20"#, r#""rounds":20,"extra":1"#);
    refused(&json, r#""rounds":20"#, r#""rounds":20.5"#);
    refused(&json, r#""squared_norms":"#, r#""squared_norms":-"#);
    refused(&json, r#""squared_norms":"#, r#""squared_norms":1e999,"x":"#);
    refused(&json, r#""thetas":[["#, r#""thetas":[[0.1,"#);
    refused(&json, r#""thetas":[["#, r#""thetas":[[0.1,0.1,0.1],["#);
    refused(&json, r#""factors":[["#, r#""factors":[[1.0,"#);
    refused(&json, r#""factors":[["#, r#""factors":[["x","#);
    refused(&json, r#""gradients":["#, r#""gradients":[0.5,"#);
    refused(&json, r#""radius":1.0"#, r#""radius":1e999"#);
    refused(&json, r#""radius":1.0"#, r#""radius":0.001"#); // the estimates lie outside of that ball
    refused(&json, r#""format":"#, r#""format":1,"was":"#);
    refused(&json, r#""dim":3"#, r#""dim":4"#);
    refused(&json, r#""dim":3"#, r#""dim":0"#);
    refused(&json, r#""id":"moglb-ucb""#, r#""id":"moglb-ucb","extra":0"#);
    refused(&json, r#""id":"moglb-ucb""#, r#""id":"no-such-policy""#);
    refused(&json, r#""c":0.01"#, r#""c":-0.01"#);
    refused(&json, r#""link":"logit""#, r#""link":"cloglog""#);
    refused(&json, r#""state":{"#, r#""state":{"rounds":3,"#);
    let stats = policy(POLICIES[5], 20).to_json();
    refused(&stats, r#""rounds":20"#, r#""rounds":21"#);
    refused(&stats, r#""counts":["#, r#""counts":[1,"#);
    refused(&stats, r#""counts":["#, r#""counts":[-"#);
    refused(&stats, r#""sums":["#, r#""sums":[1e300,"#);
    refused(&stats, r#""id":"p-ts""#, r#""id":"random""#);
    let rounds = policy(POLICIES[6], 20).to_json();
    refused(&rounds, r#""id":"random""#, r#""id":"p-ts""#);
    refused(&rounds, r#"{"rounds":20}"#, r#"{"rounds":-20}"#);
}

/// A few characters of JSON must not request terabytes: a failed allocation ends the process.
#[test]
fn huge_dimensions_are_refused_before_memory_is_asked_for() {
    for config in &every() {
        let json = policy(config, 2).to_json();
        for n in ["100000000", "1000000000", "1000000000000", "18446744073709551615"] {
            // The memory of a policy grows with the features or the arms, or with both.
            let features = restore(&json.replacen(r#""dim":3"#, &format!(r#""dim":{n}"#), 1));
            let arms = restore(&json.replacen(r#""n_arms":7"#, &format!(r#""n_arms":{n}"#), 1));
            assert!(features.is_err() || arms.is_err() || config.contains("random"), "{config}: {n}");
        }
    }
}

/// States that no sequence of rewards can produce. If they were accepted, they would later overflow or become
/// NaN.
#[test]
fn impossible_states_are_refused() {
    let json = policy(POLICIES[0], 20).to_json();
    refused(&json, r#""rounds":20"#, &format!(r#""rounds":{}"#, u64::MAX));
    refused(&json, r#""projection_hits":"#, r#""projection_hits":1844674407370955161"#);
    refused(&json, r#""rounds":20"#, r#""rounds":1"#); // Σ‖x‖² is above the number of rounds
    let first = json.split(r#""factors":[["#).nth(1).unwrap().split(',').next().unwrap();
    refused(&json, &format!(r#""factors":[[{first}"#), r#""factors":[[1e200"#);
    let ekf = policy(POLICIES[7], 20).to_json();
    refused(&ekf, r#""rounds":20"#, &format!(r#""rounds":{}"#, u64::MAX));
    refused(&ekf, r#""rounds":20"#, r#""rounds":1"#); // the traces exceed the weight of one round
    refused(&ekf, r#""projection_hits":"#, r#""projection_hits":1844674407370955161"#);
    refused(&ekf, r#""traces":["#, r#""traces":[0.5,"#);
    refused(&ekf, r#""traces":["#, r#""traces":[-"#);
    refused(&ekf, r#""thetas":[["#, r#""thetas":[[0.1,"#);
    refused(&ekf, r#""factors":[["#, r#""factors":[[1.0,"#);
    refused(&ekf, r#""lambda":3.0"#, r#""lambda":2.0"#); // the factor has another trace
    refused(&ekf, r#""lambda":3.0"#, r#""lambda":3.0,"objective":3"#);
    let first = ekf.split(r#""factors":[["#).nth(1).unwrap().split(',').next().unwrap();
    refused(&ekf, &format!(r#""factors":[[{first}"#), r#""factors":[[1e200"#);
    impossible_states_of_moglb_eb();
    impossible_states_of_the_zooming_policies();
    let rounds = policy(POLICIES[6], 20).to_json();
    refused(&rounds, r#"{"rounds":20}"#, &format!(r#"{{"rounds":{}}}"#, u64::MAX));
    let stats = policy(POLICIES[5], 1).to_json();
    let huge = stats
        .replacen(r#""rounds":1"#, &format!(r#""rounds":{}"#, u64::MAX), 1)
        .replacen(r#""counts":[0,"#, &format!(r#""counts":[{},"#, u64::MAX - 1), 1)
        .replacen(r#""counts":[1,"#, &format!(r#""counts":[{},"#, u64::MAX), 1);
    assert!(restore(&huge).is_err(), "2⁶⁴ − 1 rounds were accepted: the next one overflows");
}

fn impossible_states_of_moglb_eb() {
    let json = policy(POLICIES[9], 25).to_json();
    refused(&json, r#""rounds":25"#, &format!(r#""rounds":{}"#, u64::MAX));
    refused(&json, r#""rounds":25"#, r#""rounds":1"#); // more rewards wait than one round can leave
    refused(&json, r#""weights":["#, r#""weights":[0.5,"#);
    refused(&json, r#""weights":["#, r#""weights":[-"#);
    refused(&json, r#""squared_scores":["#, r#""squared_scores":[-"#);
    refused(&json, r#""information":[["#, r#""information":[[0.1,"#);
    refused(&json, r#""moments":[["#, r#""moments":[[0.1,"#);
    refused(&json, r#""pending":["#, r#""pending":[0.1,"#);
    refused(&json, r#""samples":40"#, r#""samples":1"#);
    let mut value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let waits = value["state"]["moglb-eb"]["pending"].as_array().unwrap().len();
    assert_eq!(waits, 12, "one reward waits after 25 rounds");
    let state = &mut value["state"]["moglb-eb"];
    let mut with = |place: &str, to: serde_json::Value| {
        let slot = state.pointer_mut(place).unwrap();
        let was = std::mem::replace(slot, to.clone());
        let changed = state.clone();
        *state.pointer_mut(place).unwrap() = was;
        let snapshot = json_with(&json, changed);
        assert!(restore(&snapshot).is_err(), "{place} = {to} was accepted");
    };
    with("/information/0/0", (-0.5).into()); // no sum of squares
    with("/information/0/1", 2.0.into()); // |H₁₀|² > H₀₀H₁₁
    with("/information/0/0", 1e3.into());
    with("/moments/1/0", 1e3.into());
    with("/moments/1/0", 1e305.into());
    with("/weights/2", 1e120.into());
    with("/squared_scores/2", 1e300.into());
    with("/within", 1e9.into());
    with("/between", 0.0.into());
    with("/pending/0", 2.0.into()); // ‖x‖ > 1
    with("/pending/3", 0.0.into()); // a weight
    with("/pending/4", 1e200.into()); // a score
    with("/pending/5", 7.0.into()); // |z| > D
}

fn impossible_states_of_the_zooming_policies() {
    let pcz = policy(POLICIES[12], 20).to_json();
    refused(&pcz, r#""level":0"#, r#""level":1"#); // no ball contains every point
    refused(&pcz, r#""level":1"#, r#""level":7"#); // no ball of twice the radius
    refused(&pcz, r#""level":1"#, r#""level":255"#);
    refused(&pcz, r#""centre":[0.0,"#, r#""centre":[0.5,"#); // the first is elsewhere
    refused(&pcz, r#""level":1,"count":"#, &format!(r#""level":1,"count":{}"#, u64::MAX / 10));
    refused(&pcz, r#""sums":["#, r#""sums":[1e300,"#);
    refused(&pcz, r#""sums":["#, r#""sums":[-"#);
    let zooming = policy(POLICIES[14], 20).to_json();
    refused(&zooming, r#""rounds":20"#, r#""rounds":21"#);
    refused(&zooming, r#""rounds":20"#, r#""rounds":14"#); // that is the length of another phase
    refused(&zooming, r#""sums":["#, r#""sums":[1e300,"#);
    let hoo = policy(POLICIES[15], 20).to_json();
    refused(&hoo, r#""rounds":20"#, r#""rounds":19"#);
    let clustering = policy(POLICIES[16], 20).to_json();
    refused(&clustering, r#""rounds":20"#, r#""rounds":21"#);
    refused(&clustering, r#""sum":"#, r#""sum":-1"#);
    refused(&clustering, r#""cubes":[[["#, r#""cubes":[[[9,"#);
    refused(
        &clustering,
        r#""cubes":[[["#,
        r#""cubes":[[[9223372036854775807,0,0],{"count":0,"sum":0.0}],[["#,
    );
}

/// A snapshot of MOGLB-EB with another state.
fn json_with(json: &str, state: serde_json::Value) -> String {
    let mut value: serde_json::Value = serde_json::from_str(json).unwrap();
    value["state"]["moglb-eb"] = state;
    value.to_string()
}

#[test]
fn a_snapshot_of_another_policy_is_named() {
    let json = policy(POLICIES[6], 2).to_json();
    let got = moglb::MoglbUcb::from_json(&json).unwrap_err();
    assert_eq!(got, Error::SnapshotPolicy { expected: "moglb-ucb", got: "random" });
    let bytes = policy(POLICIES[3], 2).to_bytes();
    let got = moglb::MoglbUcb::from_bytes(&bytes).unwrap_err();
    assert_eq!(got, Error::SnapshotPolicy { expected: "moglb-ucb", got: "p-ucb" });
}

#[test]
fn nothing_can_have_been_learned_in_no_round() {
    let mut value: serde_json::Value = serde_json::from_str(&policy(POLICIES[0], 0).to_json()).unwrap();
    assert!(PolicySnapshot::from_json(&value.to_string()).unwrap().restore().is_ok());
    value["state"]["moglb-ucb"]["thetas"][0][0] = 0.5.into();
    let restored = PolicySnapshot::from_json(&value.to_string()).unwrap().restore();
    assert!(matches!(restored, Err(Error::SnapshotDamaged { .. })));
    let mut value: serde_json::Value = serde_json::from_str(&policy(POLICIES[9], 0).to_json()).unwrap();
    value["state"]["moglb-eb"]["within"] = 0.1.into();
    assert!(matches!(restore(&value.to_string()), Err(Error::SnapshotDamaged { .. })));
}
