//! The `moglb` command.

fn main() {}
