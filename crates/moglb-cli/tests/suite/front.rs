//! `moglb front` as its users see it: it reads tables of all kinds and prints rows byte for byte.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs `moglb front` on standard input.
fn front(table: &[u8], args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_moglb"))
        .arg("front")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The write may fail, because a table that is refused at its header is not read to the end.
    let _ = child.stdin.take().unwrap().write_all(table);
    child.wait_with_output().unwrap()
}

fn rows(table: &str, args: &[&str]) -> String {
    let output = front(table.as_bytes(), args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(table: &[u8], args: &[&str]) -> String {
    let output = front(table, args);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{told}");
    assert!(output.stdout.is_empty());
    told
}

#[test]
fn the_rows_that_no_other_dominates_come_in_their_order() {
    let table = "x,y\n1,2\n0,0\n2,1\n1,2\n1,1\n";
    assert_eq!(rows(table, &[]), "x,y\n1,2\n2,1\n1,2\n");
    assert_eq!(rows(table, &["-", "--minimize", "x"]), "x,y\n1,2\n0,0\n1,2\n");
    assert_eq!(rows(table, &["--minimize", "y,x"]), "x,y\n0,0\n");
    assert_eq!(rows(table, &["--objectives", "y"]), "x,y\n1,2\n1,2\n");
    assert_eq!(rows(table, &["--count"]), "3\n");
    let told = String::from_utf8(front(table.as_bytes(), &[]).stderr).unwrap();
    assert_eq!(told, "3 of 5 rows are on the front\n");
    assert!(front(table.as_bytes(), &["--quiet"]).stderr.is_empty());
}

/// Quotes, spaces, other columns and digits are printed as they were read.
#[test]
fn rows_come_out_byte_for_byte() {
    let table = "name,\"cost, net\",x\n\"a, \"\"b\"\"\n c\", 1e0 ,+2.50\nb,0001,\"2.5\"\nü,2,1\n";
    let args = ["--objectives", "\"cost, net\",x", "--minimize", "\"cost, net\""];
    assert_eq!(rows(table, &args), table.replace("ü,2,1\n", ""));
}

#[test]
fn a_mark_at_the_start_and_other_ends_of_lines_are_kept() {
    let table = "\u{feff}x,y\r\n1,2\r\n\r\n2,1\r\n0,0\r\n";
    assert_eq!(rows(table, &["--objectives", "x,y"]), "\u{feff}x,y\r\n1,2\r\n2,1\r\n");
    assert_eq!(rows("x\n1", &[]), "x\n1\n", "a last line without an end gets one");
    assert_eq!(rows("x,y\n", &[]), "x,y\n", "no rows have no front");
}

#[test]
fn a_bad_cell_is_told_with_its_line_and_column() {
    for cell in ["", "abc", "NaN", "inf", "-inf", "1e999", "1,5"] {
        let told = refused(format!("a,b\n1,2\n\n3,\"{cell}\"\n").as_bytes(), &[]);
        assert!(told.contains("standard input, line 4: column `b`: expected a finite number"), "{told}");
        assert!(told.contains(&format!("got `{cell}`")) && told.contains("--objectives"), "{told}");
    }
    let told = refused(b"a,b\r\n1,2\r\n3,\xff\r\n", &[]);
    assert!(told.contains("line 3: column `b`"), "{told}");
    let told = refused(b"a,b\r\n1,2\r\n3\r\n", &[]);
    assert!(told.contains("line 3: expected 2 cells as in the header, got 1"), "{told}");
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let refused = |table: &str, args: &[&str]| refused(table.as_bytes(), args);
    assert!(refused("", &[]).contains("expected a header, got an empty table"));
    assert!(refused("x,y\n", &["--minimize", "z"]).contains("there is no column `z`, only x, y"));
    let told = refused("x,y\n", &["--objectives", "x", "--minimize", "y"]);
    assert!(told.contains("`y` is to be minimized but is not among the objectives"), "{told}");
    assert!(refused("x,x\n", &["--objectives", "x"]).contains("two columns are called `x`"));
    assert_eq!(rows("x,x\n1,2\n1,1\n", &[]), "x,x\n1,2\n", "unused equal names are allowed");
    let output = Command::new(env!("CARGO_BIN_EXE_moglb")).args(["front", "no/such.csv"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Tables of more than one block, with few and with all rows on the front.
#[test]
fn blocks_leave_no_trace() {
    let row = |k: i64, on_front: bool| {
        let y = if on_front || k % 1000 == 0 { -k } else { -k - 1_000_000 };
        format!("{k},{y},{}\n", k * 7919 % 1000)
    };
    for all in [false, true] {
        let table =
            (0..200_000).map(|k| row(k, all)).fold(String::from("x,y,note\n"), |table, row| table + &row);
        let expected: String = table
            .lines()
            .enumerate()
            .filter(|(line, _)| all || *line == 0 || (line - 1) % 1000 == 0 || *line > 199_001)
            .map(|(_, line)| format!("{line}\n"))
            .collect();
        let got = rows(&table, &["--objectives", "x,y"]);
        assert!(got == expected, "{} bytes, expected {}", got.len(), expected.len());
    }
}

#[test]
fn a_file_in_and_a_file_out() {
    let folder = tempfile::tempdir().unwrap();
    let [table, out] = ["table.csv", "out.csv"].map(|name| folder.path().join(name));
    fs::write(&table, "x,y\n1,2\n2,1\n0,0\n").unwrap();
    let run = |out: &std::path::Path| {
        Command::new(env!("CARGO_BIN_EXE_moglb"))
            .arg("front")
            .arg(&table)
            .arg("--out")
            .arg(out)
            .output()
            .unwrap()
    };
    let output = run(&out);
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(fs::read_to_string(&out).unwrap(), "x,y\n1,2\n2,1\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no other file is left");
    assert_eq!(run(&folder.path().join("no/out.csv")).status.code(), Some(1));
}

#[test]
fn a_reader_that_closed_the_pipe_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("table.csv");
    fs::write(&table, "x\n1\n".to_owned() + &"1\n".repeat(100_000)).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_moglb"))
        .arg("front")
        .arg(&table)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}
