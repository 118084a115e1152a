//! The output of runs, which is read again: summaries, logs of finished cells, traces.

use crate::promise::Promised;
use crate::temporary::with_files;
use moglb_sim::{CellLog, Summary, Trace};

/// Reads an output. The first byte chooses the format, the other bytes are the content.
pub fn run(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    match kind % 3 {
        0 => summary(bytes),
        1 => trace(bytes),
        _ => cells(bytes),
    }
}

fn summary(bytes: &[u8]) {
    let Ok(summary) = serde_json::from_slice::<Summary>(bytes) else { return };
    let written = serde_json::to_string(&summary).promised("a summary can be written");
    serde_json::from_str::<Summary>(&written).promised("a summary reads what it wrote");
    let _ = summary.outcome_rows();
}

fn trace(bytes: &[u8]) {
    let Ok(trace) = Trace::from_bytes(bytes) else { return };
    let written = trace.to_bytes();
    let again = Trace::from_bytes(&written).promised("a trace reads what it wrote");
    assert_eq!(again.to_bytes(), written);
}

/// Reads a log of finished cells. The bytes between two bytes 0xff become the content of one frame,
/// with the correct length and checksum, which a fuzzer would not find. A part of the bytes is
/// appended without a frame, like a torn write.
fn cells(bytes: &[u8]) {
    let name = "cells";
    with_files(&[(name, &[])], |folder| {
        let path = folder.join(name);
        drop(CellLog::create(&path, "fuzz").promised("a log in an own folder"));
        let mut log = std::fs::read(&path).expect("the log that was made");
        let (torn, framed) = bytes.split_at(bytes.first().map_or(0, |&n| usize::from(n).min(bytes.len())));
        for content in framed.split(|&byte| byte == 0xff) {
            log.extend_from_slice(&(content.len() as u32).to_le_bytes());
            log.extend_from_slice(&crc32c::crc32c(content).to_le_bytes());
            log.extend_from_slice(content);
        }
        log.extend_from_slice(torn);
        std::fs::write(&path, &log).expect("a file in an own folder");
        let log = CellLog::resume(&path, "fuzz").promised("the head is whole");
        let n_cells = log.len();
        assert_eq!(log.is_empty(), n_cells == 0);
        drop(log);
        CellLog::resume(&path, "fuzz").promised("a log that was repaired");
    });
}
