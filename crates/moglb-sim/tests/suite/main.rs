//! The tests of the simulator. They are one program, so that the crate is linked once and not for every
//! file.

mod arrival;
mod data;
mod determinism;
mod drift;
mod identify;
mod monitor;
mod outcome;
mod recipe;
mod replay;
mod theorems;
