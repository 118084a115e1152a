#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| moglb_fuzz::run("front", bytes));
