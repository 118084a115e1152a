//! The tests of the command in one program, but for `command`, which also plays the sessions in `cmd`: linking a program takes
//! longer than compiling most of these files.

mod confirm;
mod data;
mod evaluate;
mod front;
mod identify;
mod replay;
