//! Names the groups of systems that `src/os` tells apart, one cfg each, from the target alone.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");

    let os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();

    // Linux kernels, whatever the C library.
    group("linux_kernel", matches!(os.as_str(), "linux" | "android"));
    // Unix systems where `mmap`, `mprotect` and `mincore` mean what `src/os/unix.rs` needs.
    // Cargo.toml repeats the list for `libc` and `region`.
    group(
        "unix_vm",
        matches!(
            os.as_str(),
            "linux" | "android" | "macos" | "ios" | "freebsd" | "openbsd" | "illumos"
        ),
    );
}

fn group(name: &str, holds: bool) {
    println!("cargo::rustc-check-cfg=cfg({name})");
    if holds {
        println!("cargo::rustc-cfg={name}");
    }
}
