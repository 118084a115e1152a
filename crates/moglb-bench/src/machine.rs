//! Facts about the machine on which the numbers were measured.

use crate::record::{Outcome, Record};
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The section of the records that hold facts, in their notes.
pub const SECTION: &str = "machine";
/// The name of the fact that marks a quick run, in which sizes are tiny.
pub const QUICK: &str = "quick";

/// A fact as a record.
pub fn record(name: &str, value: impl Into<String>) -> Record {
    Record {
        section: SECTION.into(),
        case: name.into(),
        who: String::new(),
        what: String::new(),
        unit: String::new(),
        repeat: 0,
        outcome: Outcome::not_run(value),
    }
}

/// The facts as names and values, for the top of the report.
pub fn facts(python: Option<String>) -> Vec<(&'static str, String)> {
    let cores = std::thread::available_parallelism().map_or("unknown".into(), |n| n.to_string());
    vec![
        ("date", date(now())),
        ("processor", format!("{}, {cores} cores", cpu().unwrap_or_else(unknown))),
        ("caches", caches().unwrap_or_else(unknown)),
        ("vector unit", vector_unit()),
        ("memory", memory().unwrap_or_else(unknown)),
        ("load before", load()),
        ("Rust", version("rustc").unwrap_or_else(unknown)),
        ("C compiler", version("cc").unwrap_or_else(|| "none".into())),
        ("Python and peers", python.unwrap_or_else(|| "not measured in this run".into())),
    ]
}

/// The name of the widest vector instruction set, without the list of its extensions.
fn vector_unit() -> String {
    let whole = format!("{:?}", pulp::Arch::new());
    match whole.split(['(', ' ']).next().unwrap_or_default() {
        "V4" => "AVX-512 (x86-64-v4)".into(),
        "V3" => "AVX2 (x86-64-v3)".into(),
        other => other.into(),
    }
}

/// The text for a fact that cannot be found, as on other systems than Linux.
fn unknown() -> String {
    "unknown".into()
}

/// The trimmed text of a file, if it can be read.
fn read(path: impl AsRef<Path>) -> Option<String> {
    Some(std::fs::read_to_string(path).ok()?.trim().to_string())
}

/// The model name of the processor, on Linux.
fn cpu() -> Option<String> {
    let info = read("/proc/cpuinfo")?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().into())
}

/// The levels and sizes of the data caches of the first core, on Linux.
fn caches() -> Option<String> {
    let cache = |index: usize| {
        let folder = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
        let part = |name: &str| read(Path::new(&folder).join(name));
        let kind = part("type")?;
        (kind != "Instruction").then_some(())?;
        Some(format!("L{} {}", part("level")?, part("size")?))
    };
    let found: Vec<String> = (0..8).filter_map(cache).collect();
    (!found.is_empty()).then(|| found.join(", "))
}

/// The size of the memory, on Linux.
fn memory() -> Option<String> {
    let info = read("/proc/meminfo")?;
    let kib: f64 =
        info.lines().find(|l| l.starts_with("MemTotal"))?.split_whitespace().nth(1)?.parse().ok()?;
    Some(format!("{:.0} GiB", kib / 1024.0 / 1024.0))
}

/// The load of the last 1, 5 and 15 minutes.
pub fn load() -> String {
    let text = read("/proc/loadavg").unwrap_or_else(unknown);
    text.split_whitespace().take(3).collect::<Vec<_>>().join(", ")
}

/// The first line that a program prints for `--version`.
fn version(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).lines().next()?.trim().into())
}

/// The number of seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The date of a second since 1970, as `year-month-day` in UTC.
fn date(seconds: u64) -> String {
    let leap = |year: u64| (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    let (mut days, mut year, mut month) = (seconds / 86_400, 1970, 1);
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    for length in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_right() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(951_782_400), "2000-02-29");
        assert_eq!(date(1_798_761_599), "2026-12-31");
        assert_eq!(date(1_798_761_600), "2027-01-01");
    }
}
