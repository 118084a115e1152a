//! The largest amount of memory that a table may take on this machine. The core refuses larger tables, but
//! reads no file and no environment variable to find the limit: the command and the Python module call
//! [`limit_memory`] once, when they start.

use crate::SimError;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// The environment variable that gives the limit in bytes.
const VARIABLE: &str = "MOGLB_MEMORY_LIMIT";

/// Sets [`moglb::set_memory_limit`] to the number of bytes in the environment variable
/// `MOGLB_MEMORY_LIMIT`. Without the variable, the limit is the memory of the machine or of the control
/// group (cgroup) of this process, whichever is less. If neither is known, the default of the core stays.
///
/// # Errors
///
/// [`SimError::Entry`] for a variable that is not a positive number of bytes; the limit is then unchanged.
pub fn limit_memory() -> Result<(), SimError> {
    let limit = match std::env::var_os(VARIABLE) {
        Some(given) => Some(bytes(&given)?),
        None => available(Path::new("/")),
    };
    limit.into_iter().for_each(moglb::set_memory_limit);
    Ok(())
}

/// The number of bytes in the value of the variable.
fn bytes(given: &OsStr) -> Result<u64, SimError> {
    let text = given.to_string_lossy();
    let positive = text.trim().parse().ok().filter(|&bytes| bytes > 0);
    positive.ok_or_else(|| SimError::Entry {
        entry: VARIABLE.into(),
        reason: format!("must be a positive number of bytes, got `{text}`"),
    })
}

/// The least of the machine's memory and the limits of the control groups of this process, read from the
/// files under a root folder.
fn available(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    groups.lines().flat_map(|line| limits(root, line)).chain(machine(root)).min()
}

/// The memory of the machine: MemTotal, which is in units of 1024 bytes.
fn machine(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    total.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The limits of a control group and of the groups that contain it, from a line `number:controllers:path`.
/// All of them apply. In version 2 there are no controllers; in version 1 only the controller `memory`
/// matters.
fn limits(root: &Path, line: &str) -> Vec<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { return Vec::new() };
    let (folder, file) = match controllers {
        "" => ("sys/fs/cgroup", "memory.max"),
        some if some.split(',').any(|name| name == "memory") => {
            ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
        }
        _ => return Vec::new(),
    };
    let top = root.join(folder);
    // In a container the path can start outside of the mounted tree, with names that do not exist or `..`.
    let group =
        top.join(path.split('/').filter(|name| !matches!(*name, "" | "..")).collect::<std::path::PathBuf>());
    let limit = |folder: &Path| fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok();
    group.ancestors().take_while(|folder| folder.starts_with(&top)).filter_map(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    const MEMINFO: &str = "MemTotal:       1000 kB\nMemFree:          10 kB\n";

    #[test]
    fn the_least_limit_around_the_process_counts() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        assert_eq!(available(root), None, "another system");
        write(root, "proc/meminfo", MEMINFO);
        assert_eq!(available(root), Some(1_024_000));
        write(root, "proc/self/cgroup", "0::/outer/inner\n");
        write(root, "sys/fs/cgroup/outer/inner/memory.max", "max\n");
        assert_eq!(available(root), Some(1_024_000), "no limit");
        write(root, "sys/fs/cgroup/outer/memory.max", "5000\n");
        assert_eq!(available(root), Some(5000), "that of the group around it");
        write(root, "sys/fs/cgroup/outer/inner/memory.max", "4000\n");
        assert_eq!(available(root), Some(4000));
        write(root, "proc/self/cgroup", "0::/../elsewhere\n");
        write(root, "sys/fs/cgroup/memory.max", "3000\n");
        assert_eq!(available(root), Some(3000), "a path that is not mounted here");
    }

    #[test]
    fn groups_of_the_first_version_count_too() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(root, "proc/meminfo", MEMINFO);
        write(root, "proc/self/cgroup", "5:cpu:/a\n4:hugetlb,memory:/a/b\n0::/\nno line\n");
        write(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(available(root), Some(1_024_000), "no limit");
        write(root, "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "7000\n");
        write(root, "sys/fs/cgroup/cpu/a/memory.limit_in_bytes", "1\n");
        assert_eq!(available(root), Some(7000));
    }

    #[test]
    fn only_a_positive_number_of_bytes_is_a_limit() {
        assert_eq!(bytes(OsStr::new(" 4096 ")).unwrap(), 4096);
        for text in ["", "0", "-1", "4G", "1e9", "99999999999999999999"] {
            assert!(matches!(bytes(OsStr::new(text)), Err(SimError::Entry { .. })), "`{text}`");
        }
    }
}
