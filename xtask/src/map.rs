//! ARCHITECTURE.md is the map of the repository: every file that it names exists.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::process::Command;

    /// The names in backquotes that look like files of a kind that the map is about.
    fn named(text: &str) -> BTreeSet<&str> {
        let in_quotes = text.split('`').skip(1).step_by(2);
        in_quotes.filter(|name| [".rs", ".py", ".pyi"].iter().any(|kind| name.ends_with(kind))).collect()
    }

    #[test]
    fn every_file_on_the_map_exists() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let listed =
            Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).current_dir(&folder).output();
        let listed = String::from_utf8(listed.expect("git is there").stdout).expect("names are UTF-8");
        let files: Vec<String> = listed.lines().map(|file| format!("/{file}")).collect();
        let map = std::fs::read_to_string(folder.join("ARCHITECTURE.md")).expect("the map can be read");
        let exists = |name: &&&str| files.iter().any(|file| file.ends_with(&format!("/{name}")));
        let (there, missing): (Vec<&str>, Vec<&str>) = named(&map).iter().partition(exists);
        assert!(missing.is_empty(), "ARCHITECTURE.md names files that do not exist: {missing:?}");
        assert!(there.len() > 80, "only {} files were found on the map", there.len());
    }
}
