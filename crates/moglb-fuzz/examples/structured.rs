//! Plays random sequences of policy calls up to a number of calls, and prints the sequences that
//! broke a promise:
//! `cargo run --release -p moglb-fuzz --example structured -- 10000000 [SEED]`.
//!
//! The fuzzer searches for new paths through the code. This program plays far more sequences, all
//! from one distribution. The bytes of a sequence that breaks a promise are written to
//! `finding-SEED` in the current folder; they are an input of the target `structured`.

use moglb::{Rng, draw};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;

static MESSAGE: Mutex<String> = Mutex::new(String::new());

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>().expect("a whole number"));
    let (steps, first) = (arguments.next().unwrap_or(1_000_000), arguments.next().unwrap_or(1));
    std::panic::set_hook(Box::new(|info| *MESSAGE.lock().expect("no panic in here") = info.to_string()));
    let (mut seed, mut findings) = (first, BTreeSet::new());
    while moglb_fuzz::steps_played() < steps {
        let mut bytes = vec![0; 2000];
        draw::seeded(seed).fill_bytes(&mut bytes);
        if catch_unwind(AssertUnwindSafe(|| moglb_fuzz::run("structured", &bytes))).is_err() {
            let message = MESSAGE.lock().expect("no panic in here").clone();
            // One finding of each kind is enough: the kind is the place in the source and the
            // policy, if named.
            let kind: String =
                message.lines().take(2).collect::<Vec<_>>().join(" ").chars().take(220).collect();
            if findings.insert(kind.chars().filter(|c| !c.is_ascii_digit()).take(150).collect::<String>()) {
                println!("seed {seed}: {kind}");
                std::fs::write(format!("finding-{seed}"), &bytes).expect("the current folder can be written");
            }
        }
        seed += 1;
    }
    println!(
        "{} calls in {} sequences, seeds {first} to {}: {} kinds of findings",
        moglb_fuzz::steps_played(),
        seed - first,
        seed - 1,
        findings.len()
    );
    ExitCode::from(u8::from(!findings.is_empty()))
}
