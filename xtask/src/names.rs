//! Names with two meanings. One thing has one name, so that a search for a name finds one thing.

use crate::arrows::{reader, roots};
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::path::Path;

/// Words that mean too little as the whole name of a constant. The name of a constant says what it bounds,
/// with its unit.
const VAGUE: [&str; 4] = ["FEW", "NEAR", "FAR", "SHORT"];

/// The names that are still to be changed: a crate with its type names with two meanings and its vague
/// constants.
const KNOWN: &[(&str, &[&str])] = &[];

/// Prints the names with two meanings of every crate or of one crate.
///
/// # Errors
///
/// Fails if a name is not in the list of known names, or if a known name no longer exists.
pub fn run(only: Option<&str>) -> Result<()> {
    let mut mistakes = Vec::new();
    for (name, root) in roots(Path::new("."))? {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let found = doubtful(&root)?;
        println!("{name}: {} names", found.len());
        found.iter().for_each(|(name, places)| println!("  {name}: {}", places.join(", ")));
        mistakes.extend(mistake(&name, &found));
    }
    match mistakes.is_empty() {
        true => Ok(()),
        false => bail!("{}", mistakes.join("\n")),
    }
}

/// Returns the type names of a crate that two modules define and its vague constants, each with these
/// modules.
fn doubtful(root: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let modules = reader::read_crate(root, &|file| std::fs::read_to_string(file).ok())?;
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for module in &modules {
        for item in &module.items {
            places.entry(item.clone()).or_default().push(module.name());
        }
    }
    places.retain(|name, places| (is_type(name) && places.len() > 1) || is_vague(name));
    Ok(places)
}

/// Returns true for the name of a type. Names of constants have no small letters, and names of functions
/// begin with a small letter.
fn is_type(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && (name.len() == 1 || name.contains(char::is_lowercase))
}

/// Returns true for a vague name of a constant, alone or with a number.
fn is_vague(name: &str) -> bool {
    let word = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '_');
    VAGUE.contains(&word)
}

/// Compares the names of a crate with the known names; `None` if they are equal.
fn mistake(name: &str, found: &BTreeMap<String, Vec<String>>) -> Option<String> {
    let known = KNOWN.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, names)| names);
    let new: Vec<&str> = found.keys().map(String::as_str).filter(|name| !known.contains(name)).collect();
    let gone: Vec<&&str> = known.iter().filter(|name| !found.contains_key(**name)).collect();
    (!new.is_empty() || !gone.is_empty()).then(|| {
        format!("{name}: names to change: {new:?}; to strike off the list in xtask/src/names.rs: {gone:?}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_type_name_has_two_meanings_but_those_that_are_known() {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut mistakes = Vec::new();
        for (name, root) in roots(&workspace).unwrap() {
            mistakes.extend(mistake(&name, &doubtful(&root).unwrap()));
        }
        assert!(mistakes.is_empty(), "{}\nsee `cargo xtask names`", mistakes.join("\n"));
    }

    #[test]
    fn types_and_vague_constants_are_told_by_their_names() {
        assert!(["Work", "S", "Exp3P"].iter().all(|name| is_type(name)));
        assert!(["work", "WORK", "MOST_ARMS"].iter().all(|name| !is_type(name)));
        assert!(["FEW", "FEW_2", "NEAR"].iter().all(|name| is_vague(name)));
        assert!(["FEWEST_ARMS", "FAR_BYTES", "few"].iter().all(|name| !is_vague(name)));
    }

    #[test]
    fn a_list_of_known_names_must_be_exact() {
        let found = BTreeMap::from([("Work".to_string(), vec!["a".to_string(), "b".to_string()])]);
        assert!(mistake("moglb-files", &found).unwrap().contains("[\"Work\"]"));
        assert_eq!(mistake("moglb-files", &BTreeMap::new()), None);
    }
}
