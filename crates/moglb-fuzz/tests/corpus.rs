//! Replays every committed input of the fuzzer: faults that it once found stay fixed.

use std::path::{Path, PathBuf};

/// The largest size of the corpus, so that clones of the repository stay small.
const MOST_BYTES: u64 = 2 << 20;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Every target has inputs, and every folder a target.
#[test]
fn every_input_of_the_corpus_keeps_the_promises() {
    let folders: Vec<String> =
        files(&corpus()).iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    let targets: Vec<&str> = moglb_fuzz::TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(folders, targets);
    for name in targets {
        let inputs = files(&corpus().join(name));
        assert!(inputs.len() >= 5, "{name} has only {} inputs", inputs.len());
        for input in inputs {
            // Shown if the input breaks a promise.
            println!("{}", input.display());
            moglb_fuzz::run(name, &std::fs::read(&input).unwrap());
        }
    }
}

#[test]
fn the_corpus_is_small() {
    let size = |path: &PathBuf| std::fs::metadata(path).unwrap().len();
    let total: u64 = files(&corpus()).iter().flat_map(|folder| files(folder)).map(|path| size(&path)).sum();
    assert!(total <= MOST_BYTES, "{total} bytes");
}
