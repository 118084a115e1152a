//! Snapshots: policies saved and restored bit for bit.
//!
//! A snapshot has two forms with the same content: JSON, for people and other languages, and bytes, for
//! storage. Both have a format version; the bytes also have a checksum. Snapshots are checked like any other
//! input, so a damaged snapshot is an error and never a policy in an impossible state.

mod change;

use crate::registry::{PolicyConfig, PolicySnapshot, SNAPSHOT_FORMAT};
use moglb_core::ProblemConfig;
use moglb_core::saved::{damaged, from_json};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The first bytes of the binary form. The last byte is the version.
const MAGIC: [u8; 8] = *b"MOGLBPO\x02";

/// The part of a snapshot that is JSON in the binary form too, because it is small and has many shapes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    problem: ProblemConfig,
    policy: PolicyConfig,
}

impl PolicySnapshot {
    /// The snapshot as JSON; numbers are written so that they read back exactly.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a snapshot holds finite numbers and string keys")
    }

    /// Reads a snapshot from JSON.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotFormat`] or [`Error::SnapshotDamaged`].
    pub fn from_json(text: &str) -> Result<Self, Error> {
        from_json(text, SNAPSHOT_FORMAT)
    }

    /// The snapshot as bytes: magic, length of the head, head, state, and the CRC-32C of everything before.
    pub fn to_bytes(&self) -> Vec<u8> {
        let head = Head { problem: self.problem.clone(), policy: self.policy.clone() };
        let head = serde_json::to_vec(&head).expect("a head holds finite numbers and string keys");
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&(head.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&head);
        bytes.extend_from_slice(&postcard::to_stdvec(&self.state).expect("a state is numbers and lists"));
        bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a snapshot from bytes.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotFormat`] or [`Error::SnapshotDamaged`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let truncated = || damaged(&"it is truncated");
        let (magic, _) = bytes.split_first_chunk::<8>().ok_or_else(truncated)?;
        if *magic != MAGIC {
            let got = String::from_utf8_lossy(magic).into_owned();
            return Err(Error::SnapshotFormat { expected: SNAPSHOT_FORMAT.into(), got });
        }
        let (content, sum) = bytes.split_last_chunk::<4>().ok_or_else(truncated)?;
        if crc32c::crc32c(content) != u32::from_le_bytes(*sum) {
            return Err(damaged(&"its checksum does not match"));
        }
        let (length, rest) = content[8..].split_first_chunk::<8>().ok_or_else(truncated)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|error| damaged(&error))?;
        let (head, state) = rest.split_at_checked(length).ok_or_else(truncated)?;
        let Head { problem, policy } = serde_json::from_slice(head).map_err(|error| damaged(&error))?;
        let state = postcard::from_bytes(state).map_err(|error| damaged(&error))?;
        Ok(Self { format: SNAPSHOT_FORMAT.into(), problem, policy, state })
    }
}
