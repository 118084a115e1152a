//! Parameters of policies, ways to play, identifiers, monitors, certificates and features, as JSON.

use crate::problems::{arms_for, reward_for, small};
use crate::promise::Promised;
use crate::{laws, problems};
use moglb::{
    Certificate, CertificateConfig, Features, FeaturesConfig, IdentifierConfig, Monitor, MonitorConfig,
    PlayConfig, PolicyConfig, Preferring, Problem, ProblemConfig, draw,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads parameters. The first byte chooses their kind, the other bytes are the text.
pub fn run(bytes: &[u8]) {
    let Some((kind, text)) = bytes.split_first() else { return };
    match kind % 7 {
        0 => policy(text),
        1 => play(text),
        2 => identifier(text),
        3 => problem(text),
        4 => {
            let _ = read::<MonitorConfig>(text).map(|config| Monitor::new(small(), config));
        }
        5 => certificate(text),
        _ => {
            let _ = read::<FeaturesConfig>(text).map(Features::new);
        }
    }
}

/// Parses a value, and checks that it can be written and read again.
fn read<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(text: &[u8]) -> Option<T> {
    let read: T = serde_json::from_slice(text).ok()?;
    let written = serde_json::to_vec(&read).promised("parameters are numbers, lists and names");
    let again: T = serde_json::from_slice(&written).promised("parameters read what they wrote");
    assert_eq!(again, read);
    Some(read)
}

fn policy(text: &[u8]) {
    let Some(config) = read::<PolicyConfig>(text) else { return };
    if let Ok(mut policy) = config.build(&small()) {
        laws::play(&mut *policy, 3);
    }
}

fn play(text: &[u8]) {
    let Some(config) = read::<PlayConfig>(text) else { return };
    let (problem, mut rng) = (small(), draw::seeded(1));
    let Ok(play) = config.build(&problem) else { return };
    let policy = PolicyConfig::MoglbUcb(Default::default()).build(&problem).promised("the defaults fit");
    let (mut playing, arms) = (Preferring::new(policy, play), arms_for(&problem));
    for round in 0..3 {
        use moglb::Policy;
        let Ok(decision) = playing.decide(&arms, &mut rng) else { return };
        laws::check_decision(&decision, &arms);
        playing.learn(arms.arm(decision.arm), &reward_for(&problem, round)).promised("a reward that fits");
    }
}

fn identifier(text: &[u8]) {
    let Some(config) = read::<IdentifierConfig>(text) else { return };
    let problem = small();
    let arms = arms_for(&problem);
    let Ok(mut identifier) = config.build(&problem, &arms) else { return };
    for round in 0..12 {
        let Some(arm) = identifier.next_arm() else { break };
        identifier.learn(arms.arm(arm), &reward_for(&problem, round)).promised("the requested arm");
    }
    assert!(identifier.answer().iter().all(|arm| arm.0 < arms.n_arms()));
}

fn problem(text: &[u8]) {
    let Some(config) = read::<ProblemConfig>(text) else { return };
    if !problems::is_small(&config) {
        let _ = Problem::from_config(config);
        return;
    }
    let Ok(problem) = Problem::from_config(config) else { return };
    let policy = PolicyConfig::MoglbUcb(Default::default()).build(&problem);
    if let Ok(mut policy) = policy {
        laws::play(&mut *policy, 2);
    }
}

fn certificate(text: &[u8]) {
    let Some(config) = read::<CertificateConfig>(text) else { return };
    let problem = small();
    let arms = arms_for(&problem);
    let Ok(mut certificate) = Certificate::new(problem.clone(), &arms, config) else { return };
    for round in 0..6 {
        let reward = reward_for(&problem, round);
        certificate.learn(moglb::ArmId(round % 4), &reward).promised("a reward that fits");
    }
    let written = certificate.to_json();
    let again = Certificate::from_json(&written).promised("a certificate reads what it wrote");
    assert_eq!(again.to_json(), written);
}
