//! The mathematics below moglb: matrices, vector kernels with a fixed order of summation, the Gram matrix of
//! Eq. (2), the projection onto a ball in its norm, and draws from a seeded generator. No module of this
//! crate depends on bandits.
//!
//! Users reach these types and functions through the crate `moglb`. Modules that are hidden in the
//! documentation are shared by the crates of this workspace and may change.

// The modules below are hidden in the documentation. They are read in the source, where links to private
// items help.
#![allow(rustdoc::private_intra_doc_links)]

#[doc(hidden)]
pub mod csr;
#[doc(hidden)]
pub mod dense;
pub mod draw;
#[doc(hidden)]
pub mod echo;
#[doc(hidden)]
pub mod eigen;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod gram;
#[doc(hidden)]
pub mod kernel;
#[doc(hidden)]
pub mod matrix;
#[doc(hidden)]
pub mod memory;
#[doc(hidden)]
pub mod projection;
#[doc(hidden)]
pub mod threads;

pub use csr::{Csr, Numbers, SparseRow};
pub use echo::{Echo, EchoLine, EchoList, EchoMessage, EchoNumber, EchoNumbers};
pub use error::Error;
pub use gram::Gram;
pub use matrix::{Matrix, Rows};
pub use memory::{check_memory, memory_limit, set_memory_limit};
pub use projection::project;
pub use threads::stay_on_one_core;
