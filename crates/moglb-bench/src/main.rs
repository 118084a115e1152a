//! Measures moglb, the limits of the machine (floors), a plain C reference and Python peers: on the same
//! inputs, in turn, in one run.
//!
//! Records go to standard output, one line of JSON each; messages go to standard error. `cargo xtask bench`
//! runs this program from the root of the repository and writes its report to `docs/performance.md`.
//!
//! A run measures the `sections` one after another. Each section adds records to a `bench`. `verdict`
//! compares the records with the `goals`, and `report` writes records and verdicts as Markdown.

mod bench;
mod chart;
mod clock;
mod format;
mod goals;
mod machine;
mod peers;
mod record;
mod reference;
mod report;
mod sections;
mod verdict;
mod world;

use anyhow::{Context, Result, bail};
use bench::Bench;
use clap::Parser;
use peers::Peers;
use record::Record;
use reference::Reference;
use sections::{SECTIONS, Section};
use std::path::{Path, PathBuf};

/// Measures moglb, the limits of the machine, a plain C reference and Python peers.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Args {
    /// The sections to measure: limits, windows, streaming, fresh, policies, front, figure1, reproduce,
    /// state, growth [default: all]
    sections: Vec<String>,
    /// Install NumPy, moocore and paretoset in a private environment and measure them too
    #[arg(long)]
    peers: bool,
    /// Do not measure the C reference
    #[arg(long)]
    no_reference: bool,
    /// Use tiny sizes: tests that everything runs, not how fast it is
    #[arg(long)]
    quick: bool,
    /// Write the report as Markdown into this file, and its figure into the folder `figures` next to it
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Do not measure: make the report from the records of an earlier run
    #[arg(
        long,
        value_name = "FILE",
        requires = "report",
        conflicts_with_all = ["sections", "peers", "quick"]
    )]
    from: Option<PathBuf>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let records = match &args.from {
        Some(path) => read(path)?,
        None => measure(&args)?,
    };
    if let Some(path) = args.report {
        report::write(&path, &records)?;
        eprintln!("wrote {}", path.display());
    }
    Ok(())
}

/// Runs the chosen sections and returns their records.
fn measure(args: &Args) -> Result<Vec<Record>> {
    let sections = chosen(&args.sections)?;
    // One core unless a case uses more: the clock is that of one thread.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let programs = std::env::current_exe()?.parent().context("a folder for this program")?.to_path_buf();
    // Next to the folders of the build profiles, so that the reference is built once for all of them.
    let target = programs.parent().context("a target folder")?;
    let build = target.join("bench");
    std::fs::create_dir_all(&build)?;
    let reference = match args.no_reference {
        true => Reference::Missing("not measured in this run".into()),
        false => Reference::build(&build),
    };
    let peers = if args.peers { Peers::install(&target.join("bench-venv")) } else { Peers::absent() };
    let mut bench = Bench::new(args.quick, reference, peers, programs.join("moglb"))?;
    let versions = bench.peers.versions();
    for (name, value) in machine::facts(versions) {
        bench.put(machine::record(name, value));
    }
    if args.quick {
        bench.put(machine::record(machine::QUICK, "sizes are tiny"));
    }
    for section in sections {
        section.run(&mut bench)?;
    }
    bench.put(machine::record("load after", machine::load()));
    Ok(bench.into_records())
}

/// Reads the records of an earlier run.
fn read(path: &Path) -> Result<Vec<Record>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let record = |line: &str| serde_json::from_str(line).with_context(|| format!("not a record: {line}"));
    text.lines().map(record).collect()
}

/// The sections with these names, or all of them if there are no names.
fn chosen(names: &[String]) -> Result<Vec<&'static Section>> {
    let known = || SECTIONS.iter().map(|section| section.name).collect::<Vec<_>>().join(", ");
    if let Some(name) = names.iter().find(|name| SECTIONS.iter().all(|section| section.name != *name)) {
        bail!("there is no section `{name}`, only {}", known());
    }
    Ok(SECTIONS
        .iter()
        .filter(|section| names.is_empty() || names.iter().any(|name| name == section.name))
        .collect())
}
