//! The machine and the versions that the figures were measured with.

use std::collections::BTreeMap;
use std::process::Command;
use std::{env, fs, thread};

use serde::{Deserialize, Serialize};

const LOCK: &str = include_str!("../../Cargo.lock");

/// The machine, its system, and the versions of everything involved. `None` if the system does not say.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields' names say it")]
pub struct Machine {
    pub cpu: Option<String>,
    pub cores: Option<usize>,
    pub virtualised: Option<bool>,
    pub memory_bytes: Option<u64>,
    pub os: String,
    pub arch: String,
    pub kernel: Option<String>,
    pub transparent_huge_pages: Option<String>,
    pub overcommit: Option<String>,
    /// Whether the hypervisor takes free memory back, which makes first touches expensive.
    pub free_page_reporting: Option<bool>,
    pub rustc: Option<String>,
    pub crates: BTreeMap<String, String>,
}

/// The packages that take part in a comparison, as reports name them.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the fields' names say it")]
pub struct Contender {
    pub id: &'static str,
    pub version: String,
    pub settings: &'static str,
}

impl Machine {
    /// Adds the versions of these packages, from the dependencies of the bench's own package.
    pub fn with(bench: &str, packages: impl IntoIterator<Item = &'static str>) -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").ok();
        Self {
            cpu: cpuinfo.as_deref().and_then(|text| field(text, "model name")),
            cores: thread::available_parallelism().ok().map(Into::into),
            virtualised: cpuinfo
                .as_deref()
                .and_then(|text| field(text, "flags"))
                .map(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
            memory_bytes: memory_bytes(),
            os: env::consts::OS.to_owned(),
            arch: env::consts::ARCH.to_owned(),
            kernel: read_trimmed("/proc/sys/kernel/osrelease"),
            transparent_huge_pages: read_trimmed("/sys/kernel/mm/transparent_hugepage/enabled")
                .and_then(|modes| selected(&modes)),
            overcommit: read_trimmed("/proc/sys/vm/overcommit_memory"),
            free_page_reporting: free_page_reporting(),
            rustc: rustc(),
            crates: packages
                .into_iter()
                .filter_map(|package| Some((package.to_owned(), locked_version(bench, package)?)))
                .collect(),
        }
    }

    /// Returns the versions of the packages, or of std if there are none.
    pub fn versions_of(&self, packages: &[&str]) -> String {
        if packages.is_empty() {
            // std has the compiler's version: the second word of `rustc 1.95.0 (…)`.
            let rustc = self.rustc.as_deref().and_then(|line| line.split(' ').nth(1));
            return rustc.map_or_else(|| "std".into(), |version| format!("std {version}"));
        }
        let versions = packages.iter().map(|&package| {
            let name = package.split('@').next().unwrap_or(package);
            format!("{name} {}", self.crates.get(package).map_or("?", String::as_str))
        });
        versions.collect::<Vec<_>>().join(", ")
    }

    /// Returns label and value of everything known.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let known = |label, value: Option<String>| value.map(|value| (label, value));
        let cpu = self.cpu.as_ref().map(|cpu| match self.virtualised {
            Some(true) => format!("{cpu} (virtual machine)"),
            _ => cpu.clone(),
        });
        let crates: Vec<String> =
            self.crates.keys().map(|package| self.versions_of(&[package])).collect();
        [
            known("CPU", cpu),
            known("Cores", self.cores.map(|cores| cores.to_string())),
            known("Memory", self.memory_bytes.map(|bytes| format!("{} MiB", bytes >> 20))),
            known("System", Some(format!("{} {}", self.os, self.arch))),
            known("Kernel", self.kernel.clone()),
            known("Transparent huge pages", self.transparent_huge_pages.clone()),
            known("vm.overcommit_memory", self.overcommit.clone()),
            known(
                "Free page reporting",
                self.free_page_reporting.map(|on| if on { "on" } else { "off" }.to_owned()),
            ),
            known("Compiler", self.rustc.clone()),
            known("Crates", Some(crates.join(", "))),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

fn read_trimmed(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// Returns the value of the first line `key : value`.
fn field(text: &str, key: &str) -> Option<String> {
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
}

/// Returns the word in brackets of `always [madvise] never`.
fn selected(modes: &str) -> Option<String> {
    let (_, rest) = modes.split_once('[')?;
    rest.split_once(']').map(|(mode, _)| mode.to_owned())
}

fn memory_bytes() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let kib: u64 = field(&meminfo, "MemTotal")?.strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

/// Bit 5 of the features granted to a virtio balloon, which the kernel prints as text.
fn free_page_reporting() -> Option<bool> {
    let devices = fs::read_dir("/sys/bus/virtio/drivers/virtio_balloon").ok()?;
    let features =
        devices.filter_map(|device| fs::read_to_string(device.ok()?.path().join("features")).ok());
    features.map(|bits| bits.as_bytes().get(5) == Some(&b'1')).reduce(|any, on| any || on)
}

/// Asks the compiler that cargo would use here.
fn rustc() -> Option<String> {
    let program = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(program).arg("--version").output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// Returns the version that a bench uses. If the lock file has several versions of a package, the bench's own
/// entry says which; if that has several too, append `@` and the major version to the name.
fn locked_version(bench: &str, package: &str) -> Option<String> {
    let (package, major) = package.split_once('@').unwrap_or((package, ""));
    let is_it = |version: &str| version.split('.').next() == Some(major) || major.is_empty();
    let entries = || LOCK.split("[[package]]").map(str::lines);
    let named = |name: &str| {
        let first = format!("name = \"{name}\"");
        entries().find(|lines| lines.clone().any(|line| line == first))
    };
    let chosen = named(bench)?.find_map(|line| {
        let (name, version) =
            line.trim().strip_prefix('"')?.strip_suffix("\",")?.split_once(' ')?;
        (name == package && is_it(version)).then(|| version.to_owned())
    });
    chosen.or_else(|| {
        let version = named(package)?.find_map(|line| line.strip_prefix("version = \""))?;
        version.strip_suffix('"').map(str::to_owned)
    })
}
