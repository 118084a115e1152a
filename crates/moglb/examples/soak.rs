//! Plays millions of rounds on numerically difficult contexts, next to a shadow computation of twice the
//! precision, and prints the drift of the state: `cargo run --release -p moglb --example soak -- 10000000`.

#[path = "../tests/common/mod.rs"]
mod common;

use std::process::ExitCode;

/// The largest relative error that is accepted.
const BOUND: f64 = 1e-8;

fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_else(|| "100000".into());
    let Ok(rounds) = argument.parse::<u64>() else {
        eprintln!("expected a number of rounds, got {argument}");
        return ExitCode::from(2);
    };
    let drift = common::shadow::soak(rounds.max(10), (rounds / 100).max(1));
    println!("rounds                         {rounds}");
    println!("projections                    {}", drift.projections);
    println!("worst relative error, widths   {:.1e}", drift.width);
    println!("worst relative error, log det  {:.1e}", drift.log_det);
    println!(
        "worst relative error, theta    {}",
        drift.estimate.map(|error| format!("{error:.1e}")).join(", ")
    );
    println!(
        "state, bytes                   {} at round 10, {} at the end",
        drift.early_bytes, drift.late_bytes
    );
    println!(
        "snapshot, bytes                {} at round 10, {} at the end",
        drift.early_snapshot, drift.late_snapshot
    );
    if drift.worst() > BOUND || drift.early_bytes != drift.late_bytes {
        eprintln!("the state drifted by more than {BOUND:e} or grew");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
