//! ARCHITECTURE.md is the map of the repository: every file that it names exists.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The names in backquotes that look like files of a kind that the map is about.
    fn named(text: &str) -> BTreeSet<&str> {
        let in_quotes = text.split('`').skip(1).step_by(2);
        in_quotes.filter(|name| [".rs", ".py", ".pyi"].iter().any(|kind| name.ends_with(kind))).collect()
    }

    /// Adds the paths of all files in a folder, but for what is built.
    fn add_files(folder: &Path, files: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
            let path = entry.expect("an entry of the folder").path();
            let is_built = ["target", ".git", "site"].iter().any(|name| path.ends_with(name));
            if path.is_dir() && !is_built {
                add_files(&path, files);
            } else if path.is_file() {
                files.push(path.display().to_string());
            }
        }
    }

    #[test]
    fn every_file_on_the_map_exists() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        add_files(&folder, &mut files);
        let map = std::fs::read_to_string(folder.join("ARCHITECTURE.md")).expect("the map can be read");
        let exists = |name: &&&str| files.iter().any(|file| file.ends_with(&format!("/{name}")));
        let (there, missing): (Vec<&str>, Vec<&str>) = named(&map).iter().partition(exists);
        assert!(missing.is_empty(), "ARCHITECTURE.md names files that do not exist: {missing:?}");
        assert!(there.len() > 80, "only {} files were found on the map", there.len());
    }
}
