//! Chores of the repository, in Rust. `cargo xtask check` is everything that CI runs, and `cargo xtask test`
//! is the fast loop after a change. Each chore is a function here or a module.

mod arrows;
mod comments;
mod map;
mod names;
mod programs;
mod python;
mod words;

use anyhow::{Context, Result, bail};
use programs::run;
use std::path::Path;
use std::process::Command;

/// The help text: the chores with their arguments.
const HELP: &str = "Chores:
  cargo xtask check     formatting, lints, every test, the Python package, documentation: all of CI
  cargo xtask test      the fast loop after a change of one policy: formatting and the tests of the core (unit
                        tests, rounds worked by hand, laws, conformance, snapshot laws, golden traces)
                        only `check` has: lints, the other crates, memory counts, release builds, examples
                        in documentation, the Python package
  cargo xtask golden    write the golden traces again (read the difference before you commit it)
  cargo xtask figures   draw the figures of the documentation again
  cargo xtask policies  write docs/policies.md and python/moglb/rivals.pyi again, from the descriptions of the
                        policies
  cargo xtask bench     measure moglb and the C reference, and write docs/performance.md:
                        [--peers] [--quick] [--no-reference] [SECTION..]
  cargo xtask bench-python   measure the Python package and its peers, and write docs/performance-python.md
  cargo xtask arrows    print the cycles of modules in every crate, or in one crate, leaving out some modules:
                        [CRATE [MODULE..]]
  cargo xtask names     print the type names with two meanings and the vague constants: [CRATE]
  cargo xtask words     print the places whose words, first lines or widths break a rule, and the public types
                        without an example: [PART OF A PATH]
  cargo xtask soak      ten million updates, then compare with a fresh factorization";

fn main() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("check") => check(),
        Some("test") => test(),
        Some("golden") => cargo_with("MOGLB_WRITE_GOLDEN", "1", "test -p moglb --test golden"),
        Some("figures") => figures(),
        Some("policies") => policies(),
        Some("bench") => bench(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("bench-python") => python::bench(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("arrows") => arrows::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("names") => names::run(std::env::args().nth(2).as_deref()),
        Some("words") => words::run(std::env::args().nth(2).as_deref()),
        Some("soak") => cargo("run --release -p moglb --example soak -- 10000000"),
        Some("help" | "--help" | "-h") | None => {
            println!("{HELP}");
            Ok(())
        }
        Some(other) => bail!("there is no chore `{other}`\n{HELP}"),
    }
}

/// Runs all checks that a change must pass.
fn check() -> Result<()> {
    cargo("fmt --all --check")?;
    cargo("clippy --workspace --all-targets -- -D warnings")?;
    // Check the library without threads too: nothing else in the workspace builds it that way.
    cargo("clippy -p moglb --no-default-features -- -D warnings")?;
    cargo("test --workspace")?;
    // A release build must give the same bits as the profile of the tests.
    cargo("test --profile golden -p moglb --test golden")?;
    cargo_with("RUSTDOCFLAGS", "-D warnings", "doc --workspace --no-deps")?;
    // Build examples and the command for the whole workspace: `cargo run -p` would choose other features and
    // build them again.
    cargo("build --workspace --lib --bins --examples")?;
    built("examples/custom_policy", &[])?;
    built("examples/soak", &["20000"])?;
    // Run the main command from end to end, on a small scale.
    let folder = std::env::temp_dir().join(format!("moglb-check-{}", std::process::id()));
    let out = folder.to_str().context("a temporary folder with a readable name")?;
    let run = built(
        "moglb",
        &words("reproduce --horizon 200 --trials 2 --tuning-trials 1 --quiet --out")
            .chain([out])
            .collect::<Vec<_>>(),
    );
    // Best-effort cleanup of the temporary folder.
    let _ = std::fs::remove_dir_all(&folder);
    run?;
    python::check(&next_to("")?)
}

/// Runs the tests that a change of one policy can break. They are one cargo command, so that the test
/// programs are built in parallel, and the core is built without the features that only other crates need.
fn test() -> Result<()> {
    cargo("fmt --all --check")?;
    let crates = "-p moglb-math -p moglb-pareto -p moglb-core -p moglb-rivals -p moglb-identify -p moglb";
    cargo(&format!("test {crates} --lib --test golden --test suite"))
}

/// Runs the benchmark with release builds. The report of a part of the benchmark must not replace the full
/// report, so it is written to the target folder.
fn bench(arguments: &[String]) -> Result<()> {
    cargo("build --release -p moglb-cli -p moglb-bench")?;
    let whole = arguments.iter().all(|argument| argument == "--peers");
    let program = std::env::current_exe()?;
    let target = program.parent().and_then(Path::parent).context("a target folder")?;
    let folder = target.join("bench");
    std::fs::create_dir_all(&folder)?;
    let report = if whole { "docs/performance.md".into() } else { folder.join("performance.md") };
    // The records have more detail than the report.
    let records = std::fs::File::create(folder.join("records.jsonl"))?;
    let mut program = Command::new(target.join("release/moglb-bench"));
    run(program.arg("--report").arg(report).args(arguments).stdout(records), "moglb-bench")
}

/// Runs a program that is next to this one in the target folder.
fn built(name: &str, arguments: &[&str]) -> Result<()> {
    run(Command::new(next_to(name)?).args(arguments), name)
}

/// The path of a program that is next to this one; the folder itself for an empty name.
fn next_to(name: &str) -> Result<std::path::PathBuf> {
    Ok(std::env::current_exe()?.parent().context("a folder for this program")?.join(name))
}

/// Draws the figures of the README and of docs/results/reproduced.md.
fn figures() -> Result<()> {
    let results = Path::new("target/figures");
    cargo(&format!("run --release -p moglb-cli -- reproduce --out {}", results.display()))?;
    std::fs::create_dir_all("docs/figures")?;
    let name = "figure1.png";
    std::fs::copy(results.join(name), Path::new("docs/figures").join(name)).context(name)?;
    cargo("run --release -p moglb-bench --example readme_figure -- docs/figures/readme.png")
}

/// Writes the files that are made from the descriptions of the policies.
fn policies() -> Result<()> {
    cargo("build --workspace --lib --bins")?;
    let markdown = Command::new(next_to("moglb")?).args(["policies", "--markdown"]).output()?;
    std::fs::write("docs/policies.md", markdown.stdout)?;
    python::make_rivals(&next_to("")?)
}

/// Runs cargo with the arguments of a line.
fn cargo(line: &str) -> Result<()> {
    run(Command::new("cargo").args(words(line)), &format!("cargo {line}"))
}

/// Runs cargo with the arguments of a line and an environment variable.
fn cargo_with(variable: &str, value: &str, line: &str) -> Result<()> {
    run(Command::new("cargo").args(words(line)).env(variable, value), &format!("cargo {line}"))
}

/// The words of a line, which must have no quotes.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace()
}
