//! Chores of the repository, in Rust: `cargo xtask check` is all that CI runs, `cargo xtask test` the fast
//! loop.

mod arrows;
mod map;
mod names;
mod programs;
mod python;

use anyhow::{Context, Result, bail};
use programs::run;
use std::path::Path;
use std::process::Command;

const HELP: &str = "Chores:
  cargo xtask check     formatting, lints, every test, the Python package, documentation: all that CI runs
  cargo xtask test      the fast loop after a change of one policy: formatting and the tests of the core (unit
                        tests, rounds worked by hand, laws, conformance, snapshot laws, golden traces)
                        left to `check`: lints, the other crates, memory counts, release builds, examples
                        in documentation, the Python package
  cargo xtask golden    write the golden traces anew (read the difference before you commit it)
  cargo xtask figures   draw the figures of the documentation anew
  cargo xtask policies  write docs/policies.md and python/moglb/rivals.pyi again from the descriptions of the policies
  cargo xtask bench     measure everything beside the C reference and write docs/performance.md:
                        [--peers] [--quick] [--no-reference] [SECTION..]
  cargo xtask bench-python   measure the Python package beside others and write docs/performance-python.md
  cargo xtask arrows    print the cycles of modules in every crate, or in one, also without some modules:
                        [CRATE [MODULE..]]
  cargo xtask names     print the type names with two meanings and the vague constants: [CRATE]
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
        Some("soak") => cargo("run --release -p moglb --example soak -- 10000000"),
        Some("help" | "--help" | "-h") | None => {
            println!("{HELP}");
            Ok(())
        }
        Some(other) => bail!("there is no chore `{other}`\n{HELP}"),
    }
}

/// All that must hold before a change lands.
fn check() -> Result<()> {
    cargo("fmt --all --check")?;
    cargo("clippy --workspace --all-targets -- -D warnings")?;
    // Without threads too: nothing else in the workspace builds it that way.
    cargo("clippy -p moglb --no-default-features -- -D warnings")?;
    cargo("test --workspace")?;
    // The same bits in a release build as in the tests' own profile.
    cargo("test --profile golden -p moglb --test golden")?;
    cargo_with("RUSTDOCFLAGS", "-D warnings", "doc --workspace --no-deps")?;
    // Examples and the command as the workspace builds them: `cargo run -p` would choose other features and build anew.
    cargo("build --workspace --lib --bins --examples")?;
    built("examples/custom_policy", &[])?;
    built("examples/soak", &["20000"])?;
    // The main job from end to end, on a small scale.
    let folder = std::env::temp_dir().join(format!("moglb-check-{}", std::process::id()));
    let out = folder.to_str().context("a temporary folder with a readable name")?;
    let run = built(
        "moglb",
        &words("reproduce --horizon 200 --trials 2 --tuning-trials 1 --quiet --out")
            .chain([out])
            .collect::<Vec<_>>(),
    );
    // The folder is of no use to anybody; whether it could be removed does not matter.
    let _ = std::fs::remove_dir_all(&folder);
    run?;
    python::check(&beside("")?)
}

/// The tests that a change of one policy can break, in one command: its programs are built side by side, and the
/// core is built without what only other crates need.
fn test() -> Result<()> {
    cargo("fmt --all --check")?;
    let crates = "-p moglb-math -p moglb-pareto -p moglb-core -p moglb-rivals -p moglb-identify -p moglb";
    cargo(&format!("test {crates} --lib --test golden --test suite"))
}

/// Measures with release builds. A part of the benchmark must not replace the report of the whole, so it goes to the
/// target folder.
fn bench(arguments: &[String]) -> Result<()> {
    cargo("build --release -p moglb-cli -p moglb-bench")?;
    let whole = arguments.iter().all(|argument| argument == "--peers");
    let program = std::env::current_exe()?;
    let target = program.parent().and_then(Path::parent).context("a target folder")?;
    let folder = target.join("bench");
    std::fs::create_dir_all(&folder)?;
    let report = if whole { "docs/performance.md".into() } else { folder.join("performance.md") };
    // For whoever wants more than the report.
    let records = std::fs::File::create(folder.join("records.jsonl"))?;
    let mut program = Command::new(target.join("release/moglb-bench"));
    run(program.arg("--report").arg(report).args(arguments).stdout(records), "moglb-bench")
}

/// Runs a program that stands beside this one.
fn built(name: &str, arguments: &[&str]) -> Result<()> {
    run(Command::new(beside(name)?).args(arguments), name)
}

fn beside(name: &str) -> Result<std::path::PathBuf> {
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

/// What is made from the descriptions of the policies.
fn policies() -> Result<()> {
    cargo("build --workspace --lib --bins")?;
    let markdown = Command::new(beside("moglb")?).args(["policies", "--markdown"]).output()?;
    std::fs::write("docs/policies.md", markdown.stdout)?;
    python::make_rivals(&beside("")?)
}

fn cargo(line: &str) -> Result<()> {
    run(Command::new("cargo").args(words(line)), &format!("cargo {line}"))
}

fn cargo_with(variable: &str, value: &str, line: &str) -> Result<()> {
    run(Command::new("cargo").args(words(line)).env(variable, value), &format!("cargo {line}"))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace()
}
