//! Saved states that are not policies: monitors, certificates, ledgers and features, each as JSON.

use crate::problems;
use crate::promise::Promised;
use moglb::{Arm, ArmId, Certificate, Features, Ledger, Monitor, RawRow};

/// Reads a state. The first byte chooses its kind, the other bytes are the text.
pub fn run(bytes: &[u8]) {
    let Some((kind, text)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    match kind % 4 {
        0 => monitor(text),
        1 => certificate(text),
        2 => ledger(text),
        _ => features(text),
    }
}

fn monitor(text: &str) {
    let Ok(mut monitor) = Monitor::from_json(text) else { return };
    let written = monitor.to_json();
    assert_eq!(Monitor::from_json(&written).promised("a monitor reads what it wrote").to_json(), written);
    if problems::is_small(monitor.problem().config()) {
        let arms = problems::arms_for(&monitor.problem().clone());
        monitor.offered(&arms);
    }
    let _ = monitor.health();
}

fn certificate(text: &str) {
    let Ok(mut certificate) = Certificate::from_json(text) else { return };
    let written = certificate.to_json();
    let again = Certificate::from_json(&written).promised("a certificate reads what it wrote");
    assert_eq!(again.to_json(), written);
    certificate.look();
    let bound = certificate.jaccard_bound();
    assert!((0.0..=1.0).contains(&bound), "{bound}");
}

fn ledger(text: &str) {
    let Ok(state) = serde_json::from_str(text) else { return };
    let problem = problems::small();
    let Ok(mut ledger) = Ledger::from_state(problem.clone(), state) else { return };
    let written = serde_json::to_string(&ledger.state()).promised("a ledger is numbers and lists");
    let state = serde_json::from_str(&written).promised("a ledger reads what it wrote");
    let again = Ledger::from_state(problem, state).promised("a ledger reads what it wrote");
    assert_eq!(again.state(), ledger.state());
    let arm = Arm::new(ArmId(0), &[0.1, 0.2, 0.3]).promised("a valid context");
    // After the largest number no further decision can be opened.
    if ledger.next_id() < u64::MAX {
        ledger.open(arm).promised("an arm that fits");
    }
}

fn features(text: &str) {
    let Ok(features) = Features::from_json(text) else { return };
    let written = features.to_json();
    assert_eq!(Features::from_json(&written).promised("features read what they wrote").to_json(), written);
    let config = features.config();
    if config.context > 64 || config.arm > 64 || features.dim() > 1 << 16 {
        return;
    }
    let (context, arm) = (vec![0.25; config.context], vec![-0.5; config.arm]);
    let row = RawRow {
        arm: ArmId(0),
        context: context.as_slice().into(),
        arm_features: arm.as_slice().into(),
        named: &[],
    };
    if let Ok((arms, _)) = features.arms(&[row]) {
        assert_eq!(arms.dim(), features.dim());
    }
}
