//! Names the groups of systems that `src/os` tells apart, one cfg each, from the target alone; and the features of
//! containers.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");

    let os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // By `--cfg stayput_no_vm` tests see on any system how those without virtual memory are treated.
    // Miri knows of none either.
    let is_set = |name: &str| env::var_os(name).is_some();
    let ignored = is_set("CARGO_CFG_STAYPUT_NO_VM") || is_set("CARGO_CFG_MIRI");

    // Linux kernels, whatever the C library.
    let linux_kernel = matches!(os.as_str(), "linux" | "android") && !ignored;
    // Unix systems where `mmap`, `mprotect` and `mincore` mean what `src/os/unix.rs` needs.
    // Cargo.toml repeats the list for `libc` and `region`.
    let unix_vm = matches!(
        os.as_str(),
        "linux" | "android" | "macos" | "ios" | "freebsd" | "openbsd" | "illumos"
    ) && !ignored;
    let windows_vm = os == "windows" && !ignored;

    group("linux_kernel", linux_kernel);
    group("unix_vm", unix_vm);
    group("windows_vm", windows_vm);
    // No virtual memory that `src/os` knows.
    group("no_vm", !unix_vm && !windows_vm);

    // Without one of them, some of what they share is unused.
    let containers = ["ALLOC", "BLOCK_VEC", "COLUMNS", "LIST_POOL", "SHARED", "TABLE"];
    let has_all = containers.iter().all(|name| is_set(&format!("CARGO_FEATURE_{name}")));
    group("all_containers", has_all);
}

fn group(name: &str, holds: bool) {
    println!("cargo::rustc-check-cfg=cfg({name})");
    if holds {
        println!("cargo::rustc-cfg={name}");
    }
}
