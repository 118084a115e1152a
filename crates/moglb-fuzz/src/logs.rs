//! Logs for off-policy evaluation in all formats, and their evaluation.

use crate::promise::Promised;
use crate::temporary::with_files;
use moglb_evaluate::{Estimator, EvaluateConfig, Form, Interval, Log, ReadOptions, Target, evaluate, read};

/// Reads and evaluates a log. The first byte chooses the format and the options, the other bytes
/// are the file.
pub fn run(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let (form, name) = match kind % 3 {
        0 => (Form::Decisions, "log.jsonl"),
        1 => (Form::Dsjson, "log.dsjson"),
        _ => (Form::Obd, "log.csv"),
    };
    let options = ReadOptions { form: Some(form), features: kind & 64 != 0, ..ReadOptions::default() };
    let read = with_files(&[(name, bytes)], |folder| read(&folder.join(name), &options));
    let Ok(parts) = read else { return };
    // Tables of a million arms may be slow.
    if parts.arms.len() > 32 || parts.rewards.n_rows() > 64 {
        return;
    }
    let Ok(log) = Log::new(parts) else { return };
    let estimators = [Estimator::Ips, Estimator::Snips, Estimator::Dr, Estimator::Dm];
    let config = EvaluateConfig {
        estimator: estimators[usize::from(kind / 3) % 4],
        interval: if kind & 128 == 0 { Interval::Normal } else { Interval::Bca },
        replications: 100,
        folds: 2,
        ..EvaluateConfig::default()
    };
    let targets = [("uniform".to_owned(), Target::Uniform), ("first".to_owned(), Target::Arm(0))];
    let Ok(found) = evaluate(&log, &targets, &config) else { return };
    let text = serde_json::to_string(&found).promised("an evaluation can be written");
    for policy in &found.policies {
        assert!(policy.value.iter().all(|value| value.is_finite()), "{text}");
    }
}
