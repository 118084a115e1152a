//! Snapshots of policies, as JSON and as bytes.

use crate::{laws, problems};
use moglb::PolicySnapshot;

/// Restores a snapshot. Bytes that begin with `{` are read as JSON, all others as the binary form.
/// The checksum is corrected first: a fuzzer would never guess it, and the code after the check
/// would never run.
pub fn run(bytes: &[u8]) {
    let snapshot = if bytes.first() == Some(&b'{') {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        PolicySnapshot::from_json(text)
    } else {
        // Unchanged bytes reach only the checks before the checksum.
        let _ = PolicySnapshot::from_bytes(bytes);
        PolicySnapshot::from_bytes(&with_checksum(bytes))
    };
    let Ok(snapshot) = snapshot else { return };
    if !problems::is_small(&snapshot.problem) {
        // A large policy may restore slowly, which would waste the time of the fuzzer.
        return;
    }
    let Ok(mut policy) = snapshot.restore() else { return };
    laws::twins(&policy.snapshot());
    laws::play(&mut *policy, 2);
}

/// Returns the bytes with the last four replaced by their checksum.
fn with_checksum(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes[..bytes.len().saturating_sub(4)].to_vec();
    let sum = crc32c::crc32c(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}
