//! What the control groups of the process leave it of the machine's memory, versions 1 and 2, and whether threads wait
//! for memory (*pressure stall information*). Must not allocate.

#![forbid(unsafe_code)]

use super::limits::{TEXT_BYTES, number_after, open, read, read_number};
use super::{forks, now_ms};
use crate::os::GroupMemory;
use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// Where groups are listed, and where their files are.
struct Groups<'p> {
    /// The groups of the process.
    list: &'p CStr,
    versions: [Version<'p>; 2],
    /// How long threads of the machine wait for memory. Version 2 has such a file for each group.
    pressure: &'p CStr,
}

/// The files of a version.
struct Version<'p> {
    root: &'p [u8],
    limits: &'static [&'static str],
    used: &'static str,
    /// The lines of `memory.stat` that count cached files: those to be dropped first, and those in use.
    files: [&'static str; 2],
}

const GROUPS: Groups<'_> = Groups {
    list: c"/proc/self/cgroup",
    versions: [Version::first(b"/sys/fs/cgroup/memory"), Version::second(b"/sys/fs/cgroup")],
    pressure: c"/proc/pressure/memory",
};

impl<'p> Version<'p> {
    const fn first(root: &'p [u8]) -> Self {
        Self {
            root,
            limits: &["memory.limit_in_bytes"],
            used: "memory.usage_in_bytes",
            files: ["\ntotal_inactive_file ", "\ntotal_active_file "],
        }
    }

    const fn second(root: &'p [u8]) -> Self {
        Self {
            root,
            limits: &["memory.max", "memory.high"],
            used: "memory.current",
            files: ["\ninactive_file ", "\nactive_file "],
        }
    }
}

/// The lower of each.
fn both(one: GroupMemory, other: GroupMemory) -> GroupMemory {
    GroupMemory {
        limit: one.limit.min(other.limit),
        available: one.available.min(other.available),
        is_pressed: one.is_pressed || other.is_pressed,
    }
}

/// Returns the share of the last ten seconds in percent during which a thread waited for memory.
fn waiting_percent(path: &CStr) -> Option<u64> {
    let mut text = [0; TEXT_BYTES];
    number_after("some avg10=", read(&open(path)?, &mut text)?)
}

fn is_pressed(percent: Option<u64>) -> bool {
    percent.is_some_and(|percent| percent >= 10)
}

impl Groups<'_> {
    fn memory(&self) -> GroupMemory {
        let of_groups = self.of_groups().unwrap_or(GroupMemory::UNLIMITED);
        let is_pressed = of_groups.is_pressed || is_pressed(waiting_percent(self.pressure));
        GroupMemory { is_pressed, ..of_groups }
    }

    fn of_groups(&self) -> Option<GroupMemory> {
        let mut text = [0; TEXT_BYTES];
        let list = read(&open(self.list)?, &mut text)?;
        // The last line of a longer list may be cut.
        let list = &list[..list.iter().rposition(|byte| *byte == b'\n')?];
        let all = list.split(|byte| *byte == b'\n').filter_map(|line| self.of_line(line));
        Some(all.fold(GroupMemory::UNLIMITED, both))
    }

    /// The memory of a group, whose line is `number:controllers:path`. Version 2 names no controllers.
    fn of_line(&self, line: &[u8]) -> Option<GroupMemory> {
        let mut parts = line.splitn(3, |byte| *byte == b':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let [first, second] = &self.versions;
        let version = match controllers {
            b"" => second,
            names if names.split(|byte| *byte == b',').any(|name| name == b"memory") => first,
            _ => return None,
        };
        Some(version.up_from(path))
    }
}

impl Version<'_> {
    /// The memory of a group and all those above it. In a container the path may be one of the host: then the files of
    /// the first ones are missing.
    fn up_from(&self, mut path: &[u8]) -> GroupMemory {
        let mut all = GroupMemory::UNLIMITED;
        loop {
            path = path.strip_suffix(b"/").unwrap_or(path);
            all = both(all, self.of_group(path).unwrap_or(GroupMemory::UNLIMITED));
            let pressure = [self.root, path, b"/memory.pressure", b""];
            all.is_pressed |= is_pressed(at_path(pressure, waiting_percent));
            let Some(end) = path.iter().rposition(|byte| *byte == b'/') else { return all };
            path = &path[..end];
        }
    }

    fn of_group(&self, group: &[u8]) -> Option<GroupMemory> {
        let number = |name: &str| at_path([self.root, group, b"/", name.as_bytes()], read_number);
        let limit = self.limits.iter().filter_map(|name| number(name)).min()?;
        let files = at_path([self.root, group, b"/memory.stat", b""], |stat| {
            let mut text = [0; TEXT_BYTES];
            let text = read(&open(stat)?, &mut text)?;
            let [inactive, active] = self.files.map(|name| number_after(name, text).unwrap_or(0));
            // As in the kernel's estimate of what is available on the machine.
            Some(inactive.saturating_add(active / 2))
        });
        let used = number(self.used)?.saturating_sub(files.unwrap_or(0));
        Some(GroupMemory { limit, available: limit.saturating_sub(used), is_pressed: false })
    }
}

/// Calls `f` with a path made of parts.
fn at_path(parts: [&[u8]; 4], f: impl FnOnce(&CStr) -> Option<u64>) -> Option<u64> {
    /// Longer paths of groups are rare, and count as missing.
    const PATH_BYTES: usize = 1024;
    let (mut path, mut len) = ([0; PATH_BYTES], 0);
    for part in parts {
        path.get_mut(len..len + part.len())?.copy_from_slice(part);
        len += part.len();
    }
    f(CStr::from_bytes_until_nul(&path).ok()?)
}

/// What was read last.
struct Cache {
    /// In KiB: limits of 4 GiB and more matter with 32 bits, too. What is too much even so does not limit the process.
    limit_kib: AtomicUsize,
    available_kib: AtomicUsize,
    is_pressed: AtomicBool,
    /// How many bytes were counted since.
    counted: AtomicUsize,
    /// When it was read, in milliseconds, 0 if never, and after how many forks. Stored after the numbers.
    read_at: AtomicU32,
    forks: AtomicUsize,
}

const ORDER: Ordering = Ordering::Relaxed;

impl Cache {
    const fn new() -> Self {
        Self {
            limit_kib: AtomicUsize::new(0),
            available_kib: AtomicUsize::new(0),
            is_pressed: AtomicBool::new(false),
            counted: AtomicUsize::new(0),
            read_at: AtomicU32::new(0),
            forks: AtomicUsize::new(0),
        }
    }

    fn memory(&self, groups: &Groups<'_>, now: u32, forks: usize) -> GroupMemory {
        if let Some(memory) = self.recent(now, forks) {
            return memory;
        }
        // Before the files are read: what is counted meanwhile may not be in them.
        self.counted.store(0, ORDER);
        let found = groups.memory();
        let kib = |bytes: u64| usize::try_from(bytes / 1024).unwrap_or(usize::MAX);
        self.limit_kib.store(kib(found.limit), ORDER);
        self.available_kib.store(kib(found.available), ORDER);
        self.is_pressed.store(found.is_pressed, ORDER);
        self.forks.store(forks, ORDER);
        self.read_at.store(now, Ordering::Release);
        found
    }

    fn recent(&self, now: u32, forks: usize) -> Option<GroupMemory> {
        const AGAIN_MS: u32 = 1000;
        /// The reciprocal of the share of the limit that is counted without looking how much was really used.
        const AGAIN_SHARE: u64 = 64;
        let last = self.last(forks)?;
        let GroupMemory { limit, available, .. } = last;
        let counted = self.counted.load(ORDER) as u64;
        let is_recent = now.wrapping_sub(self.read_at.load(ORDER)) < AGAIN_MS;
        let available = available.saturating_sub(counted);
        (is_recent && counted <= limit / AGAIN_SHARE).then_some(GroupMemory { available, ..last })
    }

    /// What was read last, if that was in this process.
    fn last(&self, forks: usize) -> Option<GroupMemory> {
        let has_read = self.read_at.load(Ordering::Acquire) != 0;
        let bytes = |kib: &AtomicUsize| (kib.load(ORDER) as u64).saturating_mul(1024);
        let last = GroupMemory {
            limit: bytes(&self.limit_kib),
            available: bytes(&self.available_kib),
            is_pressed: self.is_pressed.load(ORDER),
        };
        (has_read && self.forks.load(ORDER) == forks).then_some(last)
    }
}

static CACHE: Cache = Cache::new();

pub(crate) fn group_memory() -> GroupMemory {
    CACHE.memory(&GROUPS, now_ms().max(1), forks())
}

pub(in crate::os) fn group_limit() -> u64 {
    CACHE.last(forks()).unwrap_or_else(group_memory).limit
}

pub(crate) fn count_for_groups(bytes: usize) {
    CACHE.counted.fetch_add(bytes, ORDER);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::os::unix::ffi::OsStringExt;
    use std::{env, fs, process};

    /// A folder with files like those of groups.
    struct Tree(std::path::PathBuf);

    impl Tree {
        fn new(name: &str, list: &str, files: &[(&str, &str)]) -> Self {
            let root = env::temp_dir().join(format!("stayput-groups-{name}-{}", process::id()));
            let tree = Self(root);
            tree.write("list", list);
            for (path, text) in files {
                tree.write(path, text);
            }
            tree
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.join(path);
            fs::create_dir_all(path.parent().expect("it is in the folder")).unwrap();
            fs::write(path, text).unwrap();
        }

        fn with_groups<R>(&self, look: impl FnOnce(&Groups<'_>) -> R) -> R {
            let bytes = |path: &str| self.0.join(path).into_os_string().into_vec();
            let list = CString::new(bytes("list")).unwrap();
            let (first, second) = (bytes("first"), bytes("second"));
            let versions = [Version::first(&first), Version::second(&second)];
            let pressure = CString::new(bytes("pressure")).unwrap();
            look(&Groups { list: &list, versions, pressure: &pressure })
        }

        fn memory(&self) -> GroupMemory {
            self.with_groups(|groups| Cache::new().memory(groups, 1, 0))
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const fn found(limit: u64, available: u64) -> GroupMemory {
        GroupMemory { limit, available, is_pressed: false }
    }

    #[test]
    fn waiting_threads_of_the_machine_and_of_a_group_count() {
        let pressure = |percent| {
            format!(
                "some avg10={percent} avg60=0.50 avg300=90.00 total=1\nfull avg10=99.00 total=9\n"
            )
        };
        let tree = Tree::new("pressure", "0::/a/b\n", &[("pressure", &pressure("9.99"))]);
        assert_eq!(tree.memory(), GroupMemory::UNLIMITED);
        let pressed = GroupMemory { is_pressed: true, ..GroupMemory::UNLIMITED };
        tree.write("pressure", &pressure("10.00"));
        assert_eq!(tree.memory(), pressed);
        assert!(tree.memory().is_little());
        tree.write("pressure", "some avg=10\n");
        assert_eq!(tree.memory(), GroupMemory::UNLIMITED);
        tree.write("second/a/memory.pressure", &pressure("42.17"));
        assert_eq!(tree.memory(), pressed);
        tree.write("second/a/memory.pressure", &pressure("0.00"));
        tree.write("second/a/memory.max", "4096\n");
        tree.write("second/a/memory.current", "96\n");
        tree.write("second/a/b/memory.pressure", &pressure("100.00"));
        assert_eq!(tree.memory(), GroupMemory { is_pressed: true, ..found(4096, 4000) });
    }

    #[test]
    fn the_lowest_limit_of_a_group_and_those_above_counts() {
        let tree = Tree::new(
            "second",
            "0::/a/b\n",
            &[
                ("second/a/b/memory.max", "max\n"),
                ("second/a/b/memory.high", "5000\n"),
                ("second/a/b/memory.current", "1000\n"),
                (
                    "second/a/b/memory.stat",
                    "anon 300\nfile 700\ninactive_file 300\nactive_file 200\n",
                ),
                ("second/a/memory.max", "9000\n"),
                ("second/a/memory.high", "max\n"),
                ("second/a/memory.current", "8000\n"),
            ],
        );
        assert_eq!(tree.memory(), found(5000, 1000));
        tree.write("second/a/memory.current", "1000\n");
        assert_eq!(tree.memory(), found(5000, 4400));
        // More than is allowed, as after the limit was lowered.
        tree.write("second/a/b/memory.current", "7000\n");
        assert_eq!(tree.memory(), found(5000, 0));
    }

    #[test]
    fn groups_of_version_1_are_found_by_their_controller() {
        let tree = Tree::new(
            "first",
            "3:cpuset:/a\n2:cpu,memory,pids:/a/b\n1:name=systemd:/a\n0::/a\n",
            &[
                ("first/a/b/memory.limit_in_bytes", "6000\n"),
                ("first/a/b/memory.usage_in_bytes", "2000\n"),
                ("first/a/b/memory.stat", "cache 9\ninactive_file 1\ntotal_inactive_file 500\n"),
                ("first/memory.limit_in_bytes", "9223372036854771712\n"),
                ("first/memory.usage_in_bytes", "20000\n"),
            ],
        );
        assert_eq!(tree.memory(), found(6000, 4500));
    }

    #[test]
    fn a_path_of_the_host_leads_to_the_group_at_the_root() {
        let files = [("second/memory.max", "4096\n"), ("second/memory.current", "96\n")];
        let tree = Tree::new("host", "0::/host/docker/c0ffee\n", &files);
        assert_eq!(tree.memory(), found(4096, 4000));
    }

    #[test]
    fn the_line_that_is_cut_in_a_long_list_is_left_out() {
        let files = [
            ("first/a/memory.limit_in_bytes", "6000\n"),
            ("first/a/memory.usage_in_bytes", "0\n"),
            ("second/a/memory.max", "5000\n"),
            ("second/a/memory.current", "0\n"),
        ];
        let list = |len: usize| {
            let others = format!("4:memory:/a\n9:pids:/{}\n", "b".repeat(len));
            Tree::new("list", &format!("{others}0::/a/c\n"), &files).memory()
        };
        assert_eq!(list(100), found(5000, 5000));
        // Up to "0::/a", which would be another group's line.
        assert_eq!(list(TEXT_BYTES - 26), found(6000, 6000));
        assert_eq!(list(TEXT_BYTES), found(6000, 6000));
    }

    #[test]
    fn files_are_read_again_after_a_while_a_fork_or_much_that_was_counted() {
        const MIB: u64 = 1 << 20;
        let (limit, used) = ("second/a/memory.max", "second/a/memory.current");
        let tree = Tree::new("again", "0::/a\n", &[(limit, "67108864\n"), (used, "0\n")]);
        let cache = Cache::new();
        let look = |now, forks| tree.with_groups(|groups| cache.memory(groups, now, forks));
        assert_eq!(look(1, 0), found(64 * MIB, 64 * MIB));
        cache.counted.fetch_add(1 << 20, ORDER);
        tree.write(used, "33554432\n");
        assert_eq!(look(1000, 0), found(64 * MIB, 63 * MIB));
        cache.counted.fetch_add(1, ORDER);
        assert_eq!(look(1000, 0), found(64 * MIB, 32 * MIB));
        tree.write(used, "0\n");
        assert_eq!(look(1999, 0), found(64 * MIB, 32 * MIB));
        assert_eq!(look(2000, 0), found(64 * MIB, 64 * MIB));
        tree.write(limit, "8589934592\n");
        assert_eq!(look(2000, 0), found(64 * MIB, 64 * MIB));
        assert_eq!(look(2000, 1), found(8192 * MIB, 8192 * MIB));
        assert_eq!(look(2000, 1), found(8192 * MIB, 8192 * MIB), "with 32 bits, too");
        assert_eq!((cache.last(0), cache.last(1)), (None, Some(look(2000, 1))));
        tree.write(limit, "max\n");
        assert_eq!(look(3000, 1), GroupMemory::UNLIMITED);
        assert!(look(3000, 1).available > 1 << 40 && !look(3000, 1).is_little());
    }

    #[test]
    fn what_cannot_be_read_is_no_limit() {
        let unlimited = GroupMemory::UNLIMITED;
        assert_eq!(Tree::new("none", "0::/a\n", &[]).memory(), unlimited);
        assert_eq!(Tree::new("empty", "", &[]).memory(), unlimited);
        assert_eq!(Tree::new("torn", "0\n0:\n:::\nmemory\n", &[]).memory(), unlimited);
        let long = format!("0::/{}\n", "a/".repeat(1000));
        assert_eq!(Tree::new("long", &long, &[]).memory(), unlimited);
        let unused = [("second/a/memory.max", "4096\n")];
        assert_eq!(Tree::new("unused", "0::/a\n", &unused).memory(), unlimited);
        let tree = Tree::new("missing", "", &[]);
        fs::remove_file(tree.0.join("list")).unwrap();
        assert_eq!(tree.memory(), unlimited);
    }
}
