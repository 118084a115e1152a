//! The arrows of the workspace: an arrow goes from a module to a module whose item it names, and from a crate
//! to a crate that it depends on.
//!
//! Arrows must not form cycles. None of the files in a cycle of modules can be read, moved or tested without
//! all the others. `cargo xtask arrows` prints the cycles, and a test fails if there is a cycle that is not
//! on the list of known cycles, which is empty.
//!
//! The sources are read as token trees, not as syntax trees: much of the hot code is inside macro calls such
//! as `vectorized!`, which a syntax tree keeps as unparsed tokens.
//!
//! `reader` reads modules, `names` follows their paths to arrows, `cycles` finds cycles, and `crates` checks
//! the dependencies of crates.

mod crates;
mod cycles;
mod names;
pub mod reader;

use anyhow::{Result, bail};
use cycles::Cycle;
use reader::Module;
use std::path::{Path, PathBuf};

/// The crates that are not yet free of cycles, with the number of modules in each cycle, largest first.
const KNOWN: &[(&str, &[usize])] = &[];

/// Prints the cycles of all crates or of one crate. Modules that are named after the crate are left out, to
/// show the cycles that remain without them.
///
/// # Errors
///
/// Fails if the cycles differ from the known ones, or if a crate has a dependency that is not allowed.
pub fn run(arguments: &[String]) -> Result<()> {
    let (only, without) = arguments.split_first().map_or((None, &[][..]), |(only, rest)| (Some(only), rest));
    let folder = Path::new(".");
    let mut mistakes = crates::mistakes(folder)?;
    for (name, root) in roots(folder)? {
        if only.is_some_and(|only| *only != name) {
            continue;
        }
        let (modules, cycles) = cycles_of(&root, without)?;
        println!("{name}: {} modules, {} cycles", modules.len(), cycles.len());
        for cycle in &cycles {
            print_cycle(&modules, cycle);
        }
        mistakes.extend(mistake(&name, &cycles));
    }
    match mistakes.is_empty() {
        true => Ok(()),
        false => bail!("{}", mistakes.join("\n")),
    }
}

/// Returns the modules of the crate with this root file, and the cycles that remain without some modules,
/// largest first.
fn cycles_of(root: &Path, without: &[String]) -> Result<(Vec<Module>, Vec<Cycle>)> {
    let modules = reader::read_crate(root, &|file| std::fs::read_to_string(file).ok())?;
    let mut arrows = names::arrows(&modules)?;
    let is_left = |module: usize| !without.contains(&modules[module].name());
    arrows.retain(|arrow| is_left(arrow.from) && is_left(arrow.to));
    let cycles = cycles::find(modules.len(), &arrows);
    Ok((modules, cycles))
}

/// Returns the crate's name and the root file of every program and library of the workspace.
pub fn roots(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut roots = Vec::new();
    for (name, place) in crates::members(folder)? {
        let here = ["src/lib.rs", "src/main.rs"].map(|file| place.join(file));
        let found = here.into_iter().filter(|file| file.exists());
        roots.extend(found.map(|file| (name.clone(), file)));
    }
    Ok(roots)
}

/// Compares the cycles of a crate with the known cycles; `None` if their sizes are equal.
fn mistake(name: &str, cycles: &[Cycle]) -> Option<String> {
    let sizes: Vec<usize> = cycles.iter().map(|cycle| cycle.modules.len()).collect();
    let known = KNOWN.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, sizes)| sizes);
    (sizes != known).then(|| {
        let advice =
            if known < &sizes[..] { "break the new cycle" } else { "shorten the list of known cycles" };
        format!("{name}: cycles of {sizes:?} modules, known are {known:?}: {advice} (xtask/src/arrows.rs)")
    })
}

/// Prints a cycle: its modules, and the places of the arrows between them.
fn print_cycle(modules: &[Module], cycle: &Cycle) {
    let lines: usize = cycle.modules.iter().map(|&module| modules[module].lines).sum();
    println!("  a cycle of {} modules, {lines} lines", cycle.modules.len());
    for &module in &cycle.modules {
        println!("    {} ({} lines)", modules[module].name(), modules[module].lines);
        for arrow in cycle.arrows.iter().filter(|arrow| arrow.from == module) {
            let places: Vec<String> =
                arrow.places.iter().take(4).map(|(line, path)| format!("{line}: {path}")).collect();
            println!("      -> {}  ({})", modules[arrow.to].name(), places.join(", "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The root of the workspace.
    fn workspace() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    #[test]
    fn no_crate_has_a_cycle_of_modules_that_is_not_known() {
        let mut mistakes = Vec::new();
        for (name, root) in roots(&workspace()).unwrap() {
            let (modules, cycles) = cycles_of(&root, &[]).unwrap();
            assert!(modules.len() > 1 || modules[0].lines > 0, "{name} was not read");
            mistakes.extend(mistake(&name, &cycles));
        }
        assert!(mistakes.is_empty(), "{}\nsee `cargo xtask arrows`", mistakes.join("\n"));
    }

    #[test]
    fn no_crate_stands_on_one_that_it_must_not_know() {
        let mistakes = crates::mistakes(&workspace()).unwrap();
        assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    }

    #[test]
    fn a_known_crate_is_a_crate_of_the_workspace() {
        let names: Vec<String> = roots(&workspace()).unwrap().into_iter().map(|(name, _)| name).collect();
        for (name, sizes) in KNOWN {
            assert!(names.iter().any(|other| other == name) && !sizes.is_empty(), "{name}");
        }
    }

    #[test]
    fn a_list_of_known_cycles_must_be_exact() {
        let cycle = |n| Cycle { modules: (0..n).collect(), arrows: Vec::new() };
        assert_eq!(mistake("moglb-files", &[]), None);
        assert!(mistake("moglb-files", &[cycle(2)]).unwrap().contains("break the new cycle"));
        for (name, sizes) in KNOWN {
            let all: Vec<Cycle> = sizes.iter().map(|&size| cycle(size)).collect();
            assert_eq!(mistake(name, &all), None);
            assert!(mistake(name, &all[1..]).unwrap().contains("shorten"), "{name}");
        }
    }
}
