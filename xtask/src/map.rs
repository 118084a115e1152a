//! Tests that the maps of the repository are true: every file that ARCHITECTURE.md, CONTRIBUTING.md,
//! docs/notation.md and docs/algorithm.md name exists, and every identifier exists in the files that its line
//! names.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The pages that are compared with the tree.
    const MAPS: [&str; 4] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/notation.md", "docs/algorithm.md"];

    /// A file of the repository, with its path from the root and its words.
    struct Source {
        path: String,
        words: BTreeSet<String>,
    }

    /// The texts between the backquotes of a line.
    fn quoted(line: &str) -> impl Iterator<Item = &str> {
        line.split('`').skip(1).step_by(2)
    }

    /// Returns true for a text that looks like a file or a folder of a kind that the maps name.
    fn is_file(text: &str) -> bool {
        [".rs", ".py", ".pyi", ".toml", ".md", "/"].iter().any(|kind| text.ends_with(kind))
            && !text.contains(' ')
    }

    /// The names in a path such as `Gram::add_and_solve`, or in a call such as `draw(arms)`. Empty if the
    /// text is something else, such as a formula or a command.
    fn identifiers(text: &str) -> Vec<&str> {
        let path = text.split(['(', '<', '!']).next().unwrap_or(text).trim_end_matches(" { .. }");
        let is_name = |name: &str| {
            name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
                && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        let names: Vec<&str> = path.split("::").collect();
        if names.iter().all(|name| is_name(name)) { names } else { Vec::new() }
    }

    /// The words of a text: everything that may be an identifier.
    fn words(text: &str) -> BTreeSet<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.filter(|word| !word.is_empty()).map(String::from).collect()
    }

    /// Adds all files in a folder, except for folders of build results.
    fn add_files(root: &Path, folder: &Path, files: &mut Vec<Source>) {
        for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
            let path = entry.expect("an entry of the folder").path();
            let is_built = ["target", ".git", "site", "results"].iter().any(|name| path.ends_with(name));
            if path.is_dir() && !is_built {
                add_files(root, &path, files);
            } else if path.is_file() {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let path = path.strip_prefix(root).expect("a path below the root");
                files.push(Source { path: format!("/{}", path.display()), words: words(&text) });
            }
        }
    }

    /// The mistakes on a page: files and identifiers that do not exist, or not in the files of their line.
    fn mistakes(page: &str, files: &[Source]) -> Vec<String> {
        let mut mistakes = Vec::new();
        for (at, line) in page.lines().enumerate() {
            let (paths, names): (Vec<&str>, Vec<&str>) = quoted(line).partition(|text| is_file(text));
            let named: Vec<(&str, Vec<&Source>)> =
                paths.iter().map(|path| (*path, find(path, files))).collect();
            for (path, _) in named.iter().filter(|(_, found)| found.is_empty()) {
                mistakes.push(format!("{}: there is no file `{path}`", at + 1));
            }
            let here: Vec<&Source> = named.into_iter().flat_map(|(_, found)| found).collect();
            for name in names {
                let parts = identifiers(name);
                let Some(last) = parts.last() else { continue };
                let has = |source: &&Source, part: &str| source.words.contains(part);
                // A single word in small letters may be a parameter or a policy. It is checked only if its
                // line names a file.
                let is_plain = parts.len() == 1 && last.chars().all(|letter| letter.is_lowercase());
                if !here.is_empty() && !here.iter().any(|source| has(source, last)) {
                    mistakes.push(format!("{}: `{name}` is not in the files of its line", at + 1));
                } else if !is_plain && !parts.iter().all(|part| files.iter().any(|source| has(&source, part)))
                {
                    mistakes.push(format!("{}: there is no `{name}`", at + 1));
                }
            }
        }
        mistakes
    }

    /// The files whose path ends with `path`, or that are in the folder `path`. The folder `src` may be left
    /// out: `moglb-math/gram.rs` is crates/moglb-math/src/gram.rs.
    fn find<'a>(path: &str, files: &'a [Source]) -> Vec<&'a Source> {
        let matches = |source: &&Source| match path.strip_suffix('/') {
            Some(folder) => {
                source.path.contains(&format!("/{}/", folder.replacen('/', "/src/", 1)))
                    || source.path.contains(&format!("/{folder}/"))
            }
            None => {
                source.path.ends_with(&format!("/{path}"))
                    || path
                        .split_once('/')
                        .is_some_and(|(first, rest)| source.path.ends_with(&format!("/{first}/src/{rest}")))
            }
        };
        files.iter().filter(matches).collect()
    }

    /// All files of the repository that the maps may name.
    fn repository() -> Vec<Source> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        ["crates", "xtask", "python", "docs", "bench", "examples", "fuzz"]
            .iter()
            .for_each(|folder| add_files(&root, &root.join(folder), &mut files));
        for file in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Cargo.toml"] {
            files.push(Source { path: format!("/{file}"), words: BTreeSet::new() });
        }
        // The maps and this file contain the names themselves, so their words do not count.
        let confirms_all =
            |path: &str| MAPS.iter().any(|map| path.ends_with(map)) || path == "/xtask/src/map.rs";
        files.iter_mut().filter(|file| confirms_all(&file.path)).for_each(|file| file.words.clear());
        files
    }

    #[test]
    fn every_file_and_identifier_on_the_maps_exists_where_they_say() {
        let files = repository();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut found = Vec::new();
        for map in MAPS {
            let page = std::fs::read_to_string(root.join(map)).expect("the map can be read");
            found.extend(mistakes(&page, &files).into_iter().map(|mistake| format!("{map}:{mistake}")));
            let n_files = page.lines().flat_map(quoted).filter(|text| is_file(text)).count();
            assert!(n_files > 2, "only {n_files} files are named in {map}");
        }
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn what_is_wrong_on_a_map_is_found() {
        let file = |path: &str, text: &str| Source { path: path.into(), words: words(text) };
        let files = [
            file("/crates/a/src/gram.rs", "struct Gram; fn add() {}"),
            file("/crates/a/src/x/arms.rs", "ArmSet"),
        ];
        let wrong = |page: &str| mistakes(page, &files).len();
        assert_eq!(
            wrong("`Gram::add` in `gram.rs`, `a/gram.rs`, `x/` has `ArmSet`; `a + b` is a formula"),
            0
        );
        assert_eq!(wrong("`x/gram.rs`"), 1);
        assert_eq!(wrong("`ArmSet` in `gram.rs`"), 1);
        assert_eq!(wrong("`Gram::remove` in `gram.rs`"), 1);
        assert_eq!(wrong("`NoSuchName`"), 1);
        assert_eq!(wrong("`lambda` is a parameter"), 0);
    }
}
