//! The tests of the simulator in one program: linking a program takes longer than compiling most of these files.

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
