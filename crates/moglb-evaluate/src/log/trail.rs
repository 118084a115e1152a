//! The information that a reader records about how a log was written, with or without features.

use super::LogParts;
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The information recorded so far.
#[derive(Default)]
pub(super) struct Trail {
    /// A number for the context and the arms of each round; none for a round that has neither.
    situations: Vec<Option<u64>>,
    /// The first version of the policy that the log names.
    version: Option<Value>,
    /// The first round of another version.
    revised: Option<usize>,
}

impl Trail {
    /// Records a round: a digest of its context and its arms, and the version of the policy that decided it.
    pub(super) fn push<T: Hash>(&mut self, seen: &[Option<T>], version: Option<&Value>) {
        if let Some(version) = version.filter(|version| !version.is_null()) {
            let is_new = self.version.get_or_insert_with(|| version.clone()) != version;
            self.revised = self.revised.or(is_new.then_some(self.situations.len()));
        }
        let digest = || {
            let mut hasher = DefaultHasher::new();
            seen.hash(&mut hasher);
            hasher.finish()
        };
        self.situations.push(seen.iter().any(Option::is_some).then(digest));
    }

    /// Adds the recorded information to the parts of a log. If a round has neither context nor arms,
    /// situations are left out: the policy may have used data that the log does not have.
    pub(super) fn finish(self, parts: &mut LogParts) {
        parts.situations = self.situations.into_iter().collect();
        parts.revised = self.revised;
    }
}
