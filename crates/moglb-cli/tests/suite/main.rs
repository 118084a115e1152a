//! The tests of the command in one program, so that the crate is linked once. `command` is a program of its
//! own, which also runs the stored sessions in `cmd`.

mod confirm;
mod data;
mod evaluate;
mod files;
mod front;
mod hostile;
mod identify;
mod replay;
