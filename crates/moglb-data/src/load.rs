//! Loads a folder as a [`Dataset`] and checks everything.
//!
//! After a fault, reading continues, so that one check finds all faults. Only a folder without errors gives a
//! data set.

mod arms;
mod candidates;
mod full;
mod logged;
mod reading;
mod rows;

use crate::findings::{Fault, Findings};
use crate::meta::{self, FileMeta, META, ProblemMeta};
use crate::read::{self, LARGEST_TABLE, ReadError};
use crate::{ArmTable, Content, DataError, DataProblem, Dataset, Kind, Measures, Severity};
use moglb::Echo;
use reading::{Counts, Reading};
pub use rows::LEAST_PROPENSITY;
use rows::longest;
use sha2::{Digest, Sha256};
use std::path::Path;

/// The name and version of the format.
pub const FORMAT: &str = "mob-data/1";

/// The relative error of a stated norm that is accepted. The norm may be that of features before they were
/// rounded in their table, so four digits must agree.
const NORM_SLACK: f64 = 1e-4;

/// Loads a data set from a folder, or from the folder of a `meta.json`.
///
/// Example: [`check`].
///
/// # Errors
///
/// [`DataError::Findings`] with the first error and the number of further ones. Warnings are not errors.
pub fn load(path: &Path) -> Result<Dataset, DataError> {
    // Warnings come before the first error, at most three per file. The limit must leave room for that error.
    let Checked { dataset, findings, .. } = check(path, 1000);
    dataset.ok_or_else(|| {
        let is_error = |finding: &&crate::Finding| finding.fault.severity() == Severity::Error;
        let first = findings.kept().iter().find(is_error).expect("without errors there is a data set");
        DataError::Findings { first: Box::new(first.clone()), more: findings.errors() - 1 }
    })
}

/// The result of a check of a folder.
///
/// Example: [`check`].
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The name of the data set, as far as it could be read.
    pub name: String,
    /// The problems in numbers.
    pub problems: Vec<ProblemFacts>,
    /// The faults.
    pub findings: Findings,
    /// The data, if there are no errors.
    pub dataset: Option<Dataset>,
}

/// One problem in numbers. A number is zero if its table could not be read.
///
/// Example: [`check`].
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ProblemFacts {
    /// The id.
    pub id: String,
    /// The kind of the problem.
    pub kind: Kind,
    /// The number of rounds; none for fixed arms.
    pub rounds: Option<usize>,
    /// The number of arms K; for candidates the largest number in a round.
    pub arms: usize,
    /// The number of features of a context.
    pub context_features: usize,
    /// The number of features of an arm.
    pub arm_features: usize,
    /// The number of objectives m.
    pub objectives: usize,
    /// The number of empty cells.
    pub missing: u64,
}

/// Checks all files of a folder. At most `most_findings` findings are kept; further ones are only counted.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let meta = r#"{ "format": "mob-data/1", "problems":
///     [{ "id": "p", "kind": "arms", "arms": "arms.csv", "objectives": [{ "column": "y_speed" }] }] }"#;
/// std::fs::write(folder.path().join("meta.json"), meta).unwrap();
/// std::fs::write(folder.path().join("arms.csv"), "arm_id,a_u,y_speed\n0,0,0.5\n1,1,1.25\n").unwrap();
///
/// let checked = moglb_data::check(folder.path(), 20);
/// let found = checked.findings.kept()[0].to_string();
/// assert_eq!(found, "arms.csv:3:y_speed: expected a number between 0 and 1, got 1.25");
/// assert!(checked.dataset.is_none());
/// ```
pub fn check(path: &Path, most_findings: usize) -> Checked {
    // At least one finding is needed as the reason why there is no data set.
    let mut findings = Findings::new(most_findings.max(1));
    let Some((folder, meta)) = meta::read(path, &mut findings) else {
        return Checked { name: String::new(), problems: Vec::new(), findings, dataset: None };
    };
    check_meta(&meta, &mut findings);
    let (mut facts, mut problems, mut counts) = (Vec::new(), Vec::new(), Counts::new());
    for described in &meta.problems {
        let before = findings.blanks();
        let (findings, counts) = (&mut findings, &mut counts);
        let mut reading =
            Reading { folder: &folder, meta: described, findings, counts, measures: Measures::default() };
        let problem = reading.problem();
        facts.push(facts_of(described, problem.as_ref(), findings.blanks() - before));
        problems.extend(problem);
    }
    check_files(&folder, &meta.files, &counts, &mut findings);
    let whole = findings.errors() == 0;
    let dataset = whole.then(|| Dataset { name: meta.name.clone(), problems });
    Checked { name: meta.name, problems: facts, findings, dataset }
}

fn check_meta(meta: &meta::Meta, findings: &mut Findings) {
    let mut wrong = |reason: String| findings.add_to_file(META, None, Fault::Meta { reason });
    if meta.format != FORMAT {
        wrong(format!("expected the format `{FORMAT}`, got `{}`", Echo(&meta.format)));
    }
    if meta.problems.is_empty() {
        wrong("expected at least one problem, got none".into());
    }
    for (k, problem) in meta.problems.iter().enumerate() {
        if problem.id.is_empty() || meta.problems[..k].iter().any(|other| other.id == problem.id) {
            wrong(format!("problem {k} needs an id of its own, got `{}`", Echo(&problem.id)));
        }
        if problem.objectives.is_empty() {
            wrong(format!("problem `{}` needs at least one objective", Echo(&problem.id)));
        }
        for (i, objective) in problem.objectives.iter().enumerate() {
            if problem.objectives[..i].iter().any(|other| other.column == objective.column) {
                wrong(format!(
                    "problem `{}` has the objective `{}` twice",
                    Echo(&problem.id),
                    Echo(&objective.column)
                ));
            }
        }
    }
}

/// Compares the files with the sizes and digests in `meta.json`.
fn check_files(folder: &Path, files: &[FileMeta], counts: &Counts, findings: &mut Findings) {
    for file in files {
        let size = std::fs::metadata(folder.join(&file.path)).map(|metadata| metadata.len());
        let mut stated = |what, stated: Option<u64>, got: Option<u64>| {
            if let (Some(stated), Some(got)) = (stated, got)
                && stated != got
            {
                let fault = Fault::Stated { what, stated: stated as f64, got: got as f64 };
                findings.add_to_file(&file.path, None, fault);
            }
        };
        stated("rows", file.rows, counts.get(&file.path).copied());
        match size {
            // A file of another length has another digest too. Report only the length.
            Ok(bytes) if file.bytes.is_some_and(|stated| stated != bytes) => {
                stated("bytes", file.bytes, Some(bytes));
            }
            Ok(_) => check_digest(folder, file, findings),
            // A missing table that a problem needs is already reported.
            Err(_) if counts.contains_key(&file.path) => {}
            Err(error) => {
                findings.add_to_file(&file.path, None, Fault::Unreadable { reason: error.to_string() });
            }
        }
    }
}

fn check_digest(folder: &Path, file: &FileMeta, findings: &mut Findings) {
    let Some(stated) = &file.sha256 else { return };
    let fault = match digest(&folder.join(&file.path)) {
        Ok(got) if got.eq_ignore_ascii_case(stated) => return,
        Ok(got) => Fault::Digest { stated: stated.clone(), got },
        Err(error) => Fault::Unreadable { reason: error.to_string() },
    };
    findings.add_to_file(&file.path, None, fault);
}

fn facts_of(meta: &ProblemMeta, problem: Option<&DataProblem>, missing: u64) -> ProblemFacts {
    let most = |candidates: &crate::Candidates| {
        candidates.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    };
    ProblemFacts {
        id: meta.id.clone(),
        kind: meta.kind,
        rounds: problem.and_then(|problem| problem.content.n_rounds()),
        arms: problem.map_or(0, |problem| match &problem.content {
            Content::Candidates(candidates) => most(candidates),
            _ => problem.arms.ids.len(),
        }),
        context_features: problem.map_or(0, |problem| problem.features.len()),
        arm_features: problem.map_or(0, |problem| problem.arms.features.len()),
        objectives: meta.objectives.len(),
        missing,
    }
}

impl Reading<'_> {
    /// The problem as far as it could be read; none if a table or a column is missing.
    fn problem(&mut self) -> Option<DataProblem> {
        let (features, arms, content) = match self.meta.kind {
            Kind::Full => self.full()?,
            Kind::Logged => self.logged()?,
            Kind::Arms => self.fixed_arms()?,
            Kind::Candidates => self.candidates()?,
        };
        let longest = match &content {
            Content::Full(full) => longest(&full.contexts),
            Content::Logged(logged) => longest(&logged.contexts),
            Content::Arms(_) => longest(&arms.values),
            Content::Candidates(candidates) => longest(&candidates.contexts),
        };
        self.check_stated(&features, &arms, &content, longest);
        Some(DataProblem {
            id: self.meta.id.clone(),
            objectives: self.meta.objectives.clone(),
            features,
            arms,
            x_max_norm: self.meta.x_max_norm.map_or(longest, |stated| stated.max(longest)),
            content,
            measures: std::mem::take(&mut self.measures),
        })
    }

    /// Compares the data with the numbers in `meta.json`.
    fn check_stated(&mut self, features: &[String], arms: &ArmTable, content: &Content, longest: f64) {
        let dim = if content.kind() == Kind::Arms { arms.features.len() } else { features.len() };
        let n_arms = Some(arms.ids.len()).filter(|_| content.kind() != Kind::Candidates);
        for (what, stated, got) in [
            ("n_rounds", self.meta.n_rounds, content.n_rounds()),
            ("n_arms", self.meta.n_arms, n_arms),
            ("context_dim", self.meta.context_dim, Some(dim)),
        ] {
            if let (Some(stated), Some(got)) = (stated, got)
                && stated != got
            {
                self.differs(what, stated as f64, got as f64);
            }
        }
        match self.meta.x_max_norm {
            Some(stated) if !(stated.is_finite() && stated >= longest * (1.0 - NORM_SLACK)) => {
                self.differs("x_max_norm", stated, longest);
            }
            _ => {}
        }
    }

    fn differs(&mut self, what: &'static str, stated: f64, got: f64) {
        self.findings.add_to_file(META, Some(&self.meta.id), Fault::Stated { what, stated, got });
    }

    /// The name of a table that this kind of problem needs. Reports a fault if it is missing.
    fn needs(&mut self, what: &str, file: Option<&String>) -> Option<String> {
        if file.is_none() {
            let reason = format!("problem `{}` needs a table `{what}`", Echo(&self.meta.id));
            self.findings.add_to_file(META, None, Fault::Meta { reason });
        }
        file.cloned()
    }
}

/// The SHA-256 of a file, in lower-case hexadecimal digits.
fn digest(path: &Path) -> Result<String, ReadError> {
    let bytes = read::bytes(path, LARGEST_TABLE)?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
