//! Files and sets of files that are written completely or not at all.
//!
//! New content is written to a file with a unique temporary name in the same folder, synced to the
//! disk, and moved to its place. So a reader finds the old content or the new content, never a part
//! of it. A device or a FIFO is never replaced by a file: the content is written into it. A
//! symbolic link stays, and the file that it leads to is replaced.
//!
//! Folders of results may be shared with other users, so no name in them is trusted: temporary
//! files are always created new, and a link or a FIFO that belongs to another user is rejected.

mod claim;
mod error;
mod file;
mod identity;
mod place;
mod set;

pub use claim::Claim;
pub use error::FilesError;
pub use file::write;
pub use identity::FolderIdentity;
pub use place::{check, is_standard_output};
pub use set::{FileSet, UNFINISHED, unfinished};
