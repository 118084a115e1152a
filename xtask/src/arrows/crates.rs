//! Arrows between crates: the dependencies that each crate may have, compared with the `Cargo.toml` files.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Each crate with the crates of the workspace that it may depend on. They are above it in the list, so there
/// is no cycle. The list may contain crates that are only planned.
const ALLOWED: &[(&str, &[&str])] = &[
    ("moglb-math", &[]),
    ("moglb-pareto", &["moglb-math"]),
    ("moglb-core", &["moglb-math", "moglb-pareto"]),
    ("moglb-rivals", &["moglb-math", "moglb-pareto", "moglb-core"]),
    ("moglb-identify", &["moglb-math", "moglb-pareto", "moglb-core"]),
    ("moglb", &["moglb-math", "moglb-pareto", "moglb-core", "moglb-rivals", "moglb-identify"]),
    ("moglb-files", &[]),
    ("moglb-data", &["moglb"]),
    ("moglb-evaluate", &["moglb", "moglb-data"]),
    ("moglb-sim", &["moglb", "moglb-files", "moglb-data"]),
    ("moglb-figure", &[]),
    ("moglb-service", &["moglb"]),
    ("moglb-journal", &["moglb-files", "moglb-service"]),
    ("moglb-node", &["moglb", "moglb-service", "moglb-journal"]),
    ("moglb-server", &["moglb", "moglb-service", "moglb-node"]),
    (
        "moglb-cli",
        &[
            "moglb",
            "moglb-files",
            "moglb-data",
            "moglb-evaluate",
            "moglb-sim",
            "moglb-figure",
            "moglb-service",
            "moglb-journal",
            "moglb-node",
            "moglb-server",
        ],
    ),
    ("moglb-py", &["moglb", "moglb-files", "moglb-data", "moglb-evaluate", "moglb-sim", "moglb-node"]),
    ("moglb-bench", &["moglb", "moglb-sim", "moglb-figure"]),
    ("moglb-fuzz", &["moglb", "moglb-data", "moglb-evaluate", "moglb-sim"]),
    ("xtask", &[]),
];

/// The crates of the mathematics: no files, no clocks, no network, no logs. They may use only the external
/// crates in [`FOR_MATHEMATICS`].
const MATHEMATICS: &[&str] =
    &["moglb-math", "moglb-pareto", "moglb-core", "moglb-rivals", "moglb-identify", "moglb"];
/// The external crates that the crates of the mathematics may use.
const FOR_MATHEMATICS: &[&str] = &[
    "bytemuck",
    "chacha20",
    "crc32c",
    "libm",
    "postcard",
    "pulp",
    "rand_core",
    "rayon",
    "serde",
    "serde_json",
    "thiserror",
];

/// Returns the name and the folder of every crate of the workspace.
pub fn members(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let workspace = manifest(folder)?;
    let members = workspace["workspace"]["members"].as_array().context("a list of members")?;
    let mut found = Vec::new();
    for member in members {
        let place = folder.join(member.as_str().context("a folder")?);
        let name = manifest(&place)?["package"]["name"].as_str().context("a name")?.to_string();
        found.push((name, place));
    }
    Ok(found)
}

/// Returns a sentence for every dependency that is not allowed.
pub fn mistakes(folder: &Path) -> Result<Vec<String>> {
    let members = members(folder)?;
    let mut mistakes = Vec::new();
    for (name, place) in &members {
        let uses = dependencies(&manifest(place)?);
        let (inside, outside): (Vec<String>, Vec<String>) =
            uses.into_iter().partition(|used| members.iter().any(|(member, _)| member == used));
        mistakes.extend(mistakes_of(name, &inside, &outside));
    }
    Ok(mistakes)
}

/// The mistakes of a crate with these dependencies inside and outside of the workspace.
fn mistakes_of(name: &str, inside: &[String], outside: &[String]) -> Vec<String> {
    let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
        return vec![format!("{name} is missing in the table of xtask/src/arrows/crates.rs")];
    };
    let wrong = inside.iter().filter(|used| !allowed.contains(&used.as_str()));
    let outside = outside.iter().filter(|_| MATHEMATICS.contains(&name));
    let foreign = outside.filter(|used| !FOR_MATHEMATICS.contains(&used.as_str()));
    wrong.chain(foreign).map(|used| format!("{name} must not depend on {used}")).collect()
}

/// Returns the names of all crates that a manifest depends on, except for those that only tests use.
fn dependencies(manifest: &Table) -> Vec<String> {
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = targets.filter_map(Value::as_table).chain([manifest]);
    let lists = tables.flat_map(|table| [table.get("dependencies"), table.get("build-dependencies")]);
    let names = lists.flatten().filter_map(Value::as_table).flat_map(Table::keys);
    names.cloned().collect()
}

/// Reads the `Cargo.toml` of a folder.
fn manifest(folder: &Path) -> Result<Table> {
    let file = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    text.parse().with_context(|| file.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_no_cycle() {
        for (at, (name, allowed)) in ALLOWED.iter().enumerate() {
            for used in *allowed {
                assert!(ALLOWED[..at].iter().any(|(above, _)| above == used), "{name} -> {used}");
            }
        }
    }

    #[test]
    fn a_crate_below_is_refused_and_so_is_the_clock_of_a_server() {
        let list = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        assert!(mistakes_of("moglb-data", &list(&["moglb"]), &list(&["csv"])).is_empty());
        let below = mistakes_of("moglb", &list(&["moglb-data"]), &list(&["libm", "tokio"]));
        assert_eq!(below, ["moglb must not depend on moglb-data", "moglb must not depend on tokio"]);
        assert_eq!(mistakes_of("moglb-new", &[], &[]).len(), 1);
    }

    #[test]
    fn dependencies_of_targets_count_and_those_of_tests_do_not() {
        let text =
            "[dependencies]\na = 1\n[target.'cfg(unix)'.dependencies]\nb = 1\n[dev-dependencies]\nc = 1";
        let mut found = dependencies(&text.parse().unwrap());
        found.sort();
        assert_eq!(found, ["a", "b"]);
    }
}
