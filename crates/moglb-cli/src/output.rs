//! The folder of results. After a run all files are those of the run; after a failure all files are the old
//! ones. The crate `moglb-files` writes them under other names and renames all of them at the end.

use crate::args::HowArgs;
use crate::failure::Failure;
use crate::standard;
use anyhow::{Context, Result};
use moglb_files::FileSet;
use moglb_sim::CellLog;
use std::path::{Path, PathBuf};

/// Creates the folder for results, and checks early that every file can be written there.
///
/// # Errors
///
/// Fails if the folder cannot be created, or if one of the names cannot be written in it.
pub fn prepare<N: AsRef<str>>(folder: &Path, names: &[N]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    names.iter().try_for_each(|name| moglb_files::check(&folder.join(name.as_ref())))?;
    Ok(())
}

/// Opens the logs of finished cells, given as a path and the head that identifies the experiment. Without
/// `--resume` they are started again, with a message if a log of an interrupted run is overwritten.
///
/// # Errors
///
/// Fails if a log cannot be opened, is locked by another process, or belongs to another experiment.
pub fn open_logs(logs: &[(PathBuf, String)], how: &HowArgs) -> Result<Vec<CellLog>, Failure> {
    let stood = logs.iter().any(|(path, _)| path.symlink_metadata().is_ok());
    let open = if how.resume { CellLog::resume } else { CellLog::create };
    let opened = logs.iter().map(|(path, head)| open(path, head)).collect::<Result<_, _>>()?;
    if stood && !how.resume && !how.quiet {
        standard::say(format_args!(
            "starting over; --resume would have gone on with the interrupted run in {}",
            how.out.display()
        ));
    }
    Ok(opened)
}

/// Writes files as one set: all of them are new or none.
pub fn write_set(folder: &Path, write: impl FnOnce(&FileSet) -> Result<()>) -> Result<()> {
    let files = FileSet::new(folder)?;
    write(&files)?;
    Ok(files.put_in_place()?)
}

/// Writes a figure as SVG and as PNG: `name.svg` and `name.png`.
pub fn write_figure(files: &FileSet, name: &str, svg: &str) -> Result<()> {
    files.write(&format!("{name}.svg"), svg.as_bytes())?;
    Ok(files.write(&format!("{name}.png"), &moglb_figure::to_png(svg)?)?)
}

/// An independent part of the work.
pub type Work<'a> = &'a (dyn Fn() -> Result<()> + Sync);

/// Runs each part of the work on its own thread. If several parts fail, the first failure in the list is
/// returned.
pub fn at_once(work: &[Work<'_>]) -> Result<()> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = work.iter().map(|work| scope.spawn(work)).collect();
        let done: Vec<Result<()>> =
            threads.into_iter().map(|thread| thread.join().expect("no panic while writing")).collect();
        done.into_iter().collect()
    })
}

/// Writes a single file, or prints it if the path is that of standard output, such as `/dev/stdout`.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if moglb_files::is_standard_output(path) {
        return standard::print(bytes);
    }
    match moglb_files::write(path, bytes) {
        // A reader that closed the pipe early is not a failure, as with standard output.
        Err(error) if error.is_closed_pipe() => Ok(()),
        written => Ok(written?),
    }
}
