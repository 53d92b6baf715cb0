//! Runs tests in child processes: the same program, with an environment variable that selects the test.

#![allow(dead_code, reason = "no test binary uses all of it")]

use std::any::type_name;
use std::ffi::OsString;
use std::io::Write;
use std::process::Command;
use std::{env, io};

const CHILD: &str = "STAYPUT_TEST_CHILD";

/// The path of the test that contains a closure, as `--exact` takes it.
pub(crate) fn test_of<F>() -> &'static str {
    let path = type_name::<F>().split_once("::").expect("it is in a crate").1;
    path.split_once("::{{").expect("it is a closure").0
}

/// The argument of this process, if it is a child.
pub(crate) fn argument() -> Option<OsString> {
    env::var_os(CHILD)
}

/// Returns the command that runs one test of this program, with an argument.
pub(crate) fn child(test: &str, argument: impl Into<OsString>) -> Command {
    let mut command = Command::new(env::current_exe().expect("it runs"));
    command.args(["--exact", test, "--include-ignored", "--nocapture", "--test-threads=1"]);
    command.env(CHILD, argument.into());
    // Printing a backtrace takes memory, which a child at its limit does not have: it would hang.
    command.env("RUST_BACKTRACE", "0");
    command
}

/// Runs a test in a child, and asserts that it passes.
#[track_caller]
pub(crate) fn passes(test: &str, argument: impl Into<OsString>) {
    let output = child(test, argument).output().expect("it runs again");
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test}: {}\n{printed}\n{errors}", output.status);
    assert!(printed.contains("1 passed"), "{test} was not run:\n{printed}");
    for line in errors.lines().filter(|line| line.starts_with("SKIPPED")) {
        // Written to stderr directly, since libtest hides the output of tests that pass.
        let _ = writeln!(io::stderr(), "{test}: {line}");
    }
}
