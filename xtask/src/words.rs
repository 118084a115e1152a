//! Plain words: the rules of CONTRIBUTING.md about prose that a program can check.
//!
//! `cargo xtask words` prints every place that breaks a rule, and a test fails when there is one.

use crate::arrows::roots;
use crate::comments::{Line, read};
use anyhow::{Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most columns of a line of code or comment.
const WIDTH: usize = 110;

/// The least share of the lines of source, tests left out, that are documentation.
const DOC_SHARE: f64 = 0.18;

/// First words of a documentation that makes no sense alone: "The same for two" in a tooltip is empty.
const HEADLESS: [&str; 8] = ["What", "How", "Whether", "Where", "The same", "Who", "Whoever", "As"];

/// Words that were a private dialect of this repository, each with the plain one.
const DIALECT: [(&str, &str); 31] = [
    ("anew", "again"),
    ("are asked", "is checked, is called"),
    ("are told", "receive"),
    ("as yet", "so far"),
    ("at odds", "inconsistent"),
    ("beside", "next to"),
    ("beyond doubt", "certainly"),
    ("all the same", "anyway"),
    ("gives way", "is replaced by"),
    ("has a say", "counts"),
    ("held against", "compared with"),
    ("is asked", "is checked, is called"),
    ("is told", "receives"),
    ("left alone", "skipped"),
    ("let go of", "release"),
    ("lets go of", "releases"),
    ("mend", "fix"),
    ("mended", "fixed"),
    ("mends", "fixes"),
    ("nobody", "no caller, no other arm"),
    ("nobody's", "no caller's, no other arm's"),
    ("no say", "does not count"),
    ("so many", "N, this many"),
    ("stands", "is"),
    ("thereof", "of it"),
    ("turned over", "transposed"),
    ("turns over", "transposes"),
    ("untold", "not observed"),
    ("was told", "received"),
    ("were told", "received"),
    ("whoever", "a caller that"),
];

/// A place that breaks a rule.
struct Finding {
    file: PathBuf,
    line: usize,
    reason: String,
}

/// All findings, and the counts behind the share of documentation.
#[derive(Default)]
struct Report {
    findings: Vec<Finding>,
    doc_lines: usize,
    lines: usize,
}

/// Prints the places that break a rule, in all files or in those whose path contains a text. Fails if there
/// are any.
pub fn run(only: Option<&str>) -> Result<()> {
    let report = report(Path::new("."))?;
    let is_wanted =
        |finding: &&Finding| only.is_none_or(|only| finding.file.to_string_lossy().contains(only));
    let found: Vec<&Finding> = report.findings.iter().filter(is_wanted).collect();
    for Finding { file, line, reason } in &found {
        println!("{}:{line}: {reason}", file.display());
    }
    let share = report.doc_share();
    println!("{:.1} % of the lines of source are documentation", 100.0 * share);
    if share < DOC_SHARE {
        bail!("less than {:.0} % of the lines of source are documentation", 100.0 * DOC_SHARE);
    }
    if !found.is_empty() {
        bail!("{} places break a rule about words (xtask/src/words.rs)", found.len());
    }
    Ok(())
}

impl Report {
    fn doc_share(&self) -> f64 {
        self.doc_lines as f64 / self.lines.max(1) as f64
    }

    fn add(&mut self, file: &Path, line: usize, reason: String) {
        self.findings.push(Finding { file: file.into(), line, reason });
    }

    /// Checks the words, first lines and widths of one file, and counts its lines if it is source.
    fn check(&mut self, file: &Path, lines: &[Line], is_source: bool) {
        let mut was_doc = false;
        for (at, line) in lines.iter().enumerate() {
            let columns = line.text.chars().count();
            if columns > WIDTH {
                self.add(file, at + 1, format!("{columns} columns, at most {WIDTH}"));
            }
            for (word, plain) in DIALECT {
                if has_word(line.words(), word) {
                    self.add(file, at + 1, format!("\"{word}\": write \"{plain}\""));
                }
            }
            let headless = HEADLESS.iter().find(|head| starts_with_word(line.words(), head));
            if let Some(head) = headless.filter(|_| line.is_doc() && !was_doc) {
                self.add(
                    file,
                    at + 1,
                    format!("a first line begins with \"{head}\": name the thing, or begin with a verb"),
                );
            }
            was_doc = line.is_doc();
            if is_source && !line.is_test {
                self.lines += 1;
                self.doc_lines += usize::from(line.is_doc());
            }
        }
    }

    /// Checks that each type that the root file of a crate exports has an example or a link to one.
    fn check_examples(&mut self, file: &Path, lines: &[Line], exported: &BTreeSet<String>) {
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_test) {
            let Some(name) = public_type(&line.text).filter(|name| exported.contains(*name)) else {
                continue;
            };
            let above: Vec<&Line> =
                lines[..at].iter().rev().take_while(|line| belongs_to_next(line)).collect();
            let is_hidden = above.iter().any(|line| line.text.contains("doc(hidden)"));
            if !is_hidden && !has_example(above.iter().rev().map(|line| line.words())) {
                self.add(file, at + 1, format!("{name} has no example: write one, or \"Example: [`...`].\""));
            }
        }
    }
}

/// The name of the public type that a line defines.
fn public_type(text: &str) -> Option<&str> {
    let kinds = ["struct ", "enum ", "trait "];
    let rest = text.strip_prefix("pub ")?;
    let name = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
    Some(name.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or(name))
}

/// True if a documentation has a block of Rust or a link to one. Blocks of `text` are formulas.
fn has_example<'a>(doc: impl Iterator<Item = &'a str>) -> bool {
    let mut is_inside = false;
    doc.into_iter().any(|words| {
        let is_fence = words.starts_with("```");
        let begins_rust = is_fence && !is_inside && !words.starts_with("```text");
        is_inside ^= is_fence;
        begins_rust || words.starts_with("Example: [`")
    })
}

/// True for a line of documentation or attributes.
fn belongs_to_next(line: &Line) -> bool {
    let text = line.text.trim_start();
    line.is_doc()
        || text.starts_with("#[")
        || text.starts_with("//")
        || text == ")]"
        || text.starts_with("    ")
}

/// True if a text contains a word, or several, in any case, and not as a part of longer words.
fn has_word(text: &str, word: &str) -> bool {
    let text = text.to_lowercase();
    let is_letter =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !is_letter(before.chars().next_back()) && !is_letter(after.chars().next())
    })
}

/// True if a text begins with a word.
fn starts_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric()))
}

/// Checks all Rust files of the workspace.
fn report(folder: &Path) -> Result<Report> {
    let mut report = Report::default();
    for (_, root) in roots(folder)? {
        let exported = exported(&std::fs::read_to_string(&root)?);
        let source = root.parent().unwrap_or(&root);
        for file in rust_files(source) {
            let lines = read(&std::fs::read_to_string(&file)?);
            report.check(&file, &lines, !is_test_file(&file));
            report.check_examples(&file, &lines, &exported);
        }
        let package = source.parent().unwrap_or(source);
        for other in ["tests", "examples", "benches"] {
            for file in rust_files(&package.join(other)) {
                let lines = read(&std::fs::read_to_string(&file)?);
                report.check(&file, &lines, false);
            }
        }
    }
    Ok(report)
}

/// True for a file of `src` that has tests alone.
fn is_test_file(file: &Path) -> bool {
    let names: Vec<String> = file.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    names.iter().any(|name| ["tests", "tests.rs", "link_tests.rs", "testing.rs"].contains(&name.as_str()))
}

/// The names that a root file exports.
fn exported(text: &str) -> BTreeSet<String> {
    let statements = text.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let names = statements.flat_map(|paths| paths.split([',', '{', '}', ' ', '\n', ':']));
    names.filter(|name| name.starts_with(char::is_uppercase)).map(String::from).collect()
}

/// The Rust files of a folder, in order; none if there is no such folder.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let is_rust = |path: &Path| path.extension().is_some_and(|kind| kind == "rs");
    let files = |path: PathBuf| match path.is_dir() {
        true => rust_files(&path),
        false => Some(path).filter(|path| is_rust(path)).into_iter().collect(),
    };
    paths.into_iter().flat_map(files).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_repository_are_plain() {
        let report = report(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        let places: Vec<String> = report
            .findings
            .iter()
            .map(|found| format!("{}:{}: {}", found.file.display(), found.line, found.reason))
            .collect();
        assert!(
            places.is_empty(),
            "{} places, see `cargo xtask words`:\n{}",
            places.len(),
            places.join("\n")
        );
        assert!(report.lines > 50_000, "only {} lines of source were read", report.lines);
        let share = report.doc_share();
        assert!(
            share >= DOC_SHARE,
            "{:.1} % of the lines are documentation, wanted are {DOC_SHARE}",
            100.0 * share
        );
    }

    /// The reasons why a text breaks a rule.
    fn reasons(text: &str) -> Vec<String> {
        let (mut report, lines) = (Report::default(), read(text));
        report.check(Path::new("a.rs"), &lines, true);
        report.check_examples(Path::new("a.rs"), &lines, &BTreeSet::from(["Arm".to_string()]));
        report.findings.into_iter().map(|found| found.reason).collect()
    }

    #[test]
    fn each_rule_finds_what_breaks_it() {
        assert!(reasons("/// The mean.\n/// Whether it is so.\nfn mean() {}").is_empty());
        assert!(reasons("/// Whether it is so.")[0].contains("name the thing"));
        assert!(reasons("/// Whatever comes.").is_empty());
        assert!(reasons("// The file is read Anew.")[0].contains("\"again\""));
        assert!(reasons("let anew = \"anew\"; // besides").is_empty());
        assert!(reasons(&format!("// {}", "x".repeat(108)))[0].contains("111 columns"));
        assert!(reasons("/// An arm.\n#[derive(Debug)]\npub struct Arm {")[0].contains("no example"));
        assert!(
            reasons("/// An arm.\n///\n/// Example: [`ArmSet`].\n#[derive(Debug)]\npub struct Arm {")
                .is_empty()
        );
        assert!(reasons("/// ```\n/// let a = 1;\n/// ```\npub struct Arm;").is_empty());
        assert!(reasons("/// ```text\n/// x + y\n/// ```\npub struct Arm;")[0].contains("no example"));
        assert!(reasons("/// Another.\npub struct Other;").is_empty());
    }

    #[test]
    fn names_that_a_crate_exports_are_read_from_its_root() {
        let names = exported("pub use a::{B, c::D};\nuse e::F;\npub use g::H as I;");
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["B", "D", "H", "I"]);
    }
}
