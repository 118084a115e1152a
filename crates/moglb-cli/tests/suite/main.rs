//! The tests of the command in one program, so that the crate is linked once; but for `command`, which also plays what is in `cmd`.

mod confirm;
mod data;
mod evaluate;
mod files;
mod front;
mod hostile;
mod identify;
mod replay;
