//! Limits of the whole system, which these tests change for a moment: `.ci/full faults` runs them, as root, one at a time.

use crate::child::argument;
use crate::linux::{assert_counts, in_child_limiting, statm};
use crate::{GIB, MIB};
use stayput::{
    Arena, Columns, DefaultKey, Error, ErrorKind, HugePages, Reservation, SharedVec, SlotMap,
    VmVec, alloc,
};
use std::fs;

/// A setting of the kernel, which has its previous value again when this is dropped.
struct Setting {
    path: &'static str,
    before: String,
}

impl Setting {
    /// `None` if this process may not change it.
    fn new(path: &'static str, value: &str) -> Option<Self> {
        let before = fs::read_to_string(path).ok()?;
        fs::write(path, value).ok()?;
        Some(Self { path, before })
    }
}

impl Drop for Setting {
    fn drop(&mut self) {
        let restored = fs::write(self.path, self.before.trim());
        assert!(restored.is_ok(), "{} was {}", self.path, self.before);
    }
}

/// A figure of `/proc/meminfo`, in bytes.
fn meminfo(name: &str) -> usize {
    let text = fs::read_to_string("/proc/meminfo").expect("it is Linux");
    let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("it is listed");
    line.trim().strip_suffix(" kB").and_then(|kib| kib.parse::<usize>().ok()).expect("KiB") << 10
}

/// How many bytes may still be committed.
fn left() -> usize {
    meminfo("CommitLimit:").saturating_sub(meminfo("Committed_AS:"))
}

#[track_caller]
fn is_memory(error: Error) {
    assert_eq!(error.kind(), ErrorKind::Memory, "{error}");
    assert_eq!(error.raw_os_error(), Some(libc::ENOMEM), "{error}");
    assert!(error.bytes() > 0, "{error}");
}

/// All but 2 GiB is committed for a moment; nothing is touched, and other programs have those.
fn without_overcommit() {
    if left() < 4 * GIB {
        eprintln!("SKIPPED: hardly any memory may be committed");
        return;
    }
    // Addresses take nothing.
    let range = Reservation::builder().bytes(4 * meminfo("CommitLimit:"));
    // With huge pages it would have several mappings, of which the first could be committed.
    let mut range = range.huge_pages(HugePages::Never).reserve().expect("nothing is committed");
    let before = statm(5);
    is_memory(range.commit(..left() + GIB).unwrap_err());
    assert_eq!((range.committed_bytes(), statm(5)), (Ok(0), before));
    range.commit(..left() - 2 * GIB).expect("this much is left");

    let mut vec: VmVec<u64> = (0..1000).collect();
    let mut map: SlotMap<DefaultKey, u64> = (0..1000).collect();
    let mut columns: Columns<(u64, u64)> = (0..1000).map(|n| (n, n)).collect();
    let shared: SharedVec<u64> = (0..1000).collect();
    let arena = Arena::builder().max_bytes(8 * GIB).build();
    let mut made = VmVec::<u64>::builder().max_len(GIB).huge_pages(HugePages::Never).build();
    for error in [
        vec.try_reserve(3 * GIB / 8).unwrap_err(),
        map.try_reserve(3 * GIB / 16).unwrap_err(),
        columns.try_reserve(3 * GIB / 16).unwrap_err(),
        shared.try_reserve(3 * GIB / 8).unwrap_err(),
        arena.try_alloc_slice_fill_copy(3 * GIB / 8, 0_u64).unwrap_err(),
        made.try_reserve(3 * GIB / 8).unwrap_err(),
        VmVec::<u8>::try_with_capacity(3 * GIB).unwrap_err(),
    ] {
        is_memory(error);
    }
    // Nothing has changed, and less is available.
    assert_counts(&vec, 1000);
    assert!(map.values().copied().eq(0..1000) && columns.len() == 1000 && shared.len() == 1000);
    vec.extend(1000..8 * MIB as u64);
    assert_counts(&vec, 8 * MIB);
    range.decommit(..).expect("it returns what was committed");
    made.try_reserve(3 * GIB / 8).expect("it is available again");
    drop((range, vec, map, columns, shared, arena, made));
    alloc::trim();
    assert!(statm(5) < before + 64 * MIB, "{} MiB stay", (statm(5) - before) / MIB);
}

#[test]
#[ignore = "changes vm.overcommit_memory"]
fn without_overcommit_a_refused_commit_changes_nothing() {
    // The child changes nothing. The ratio comes first, so that other programs have what they had.
    let settings = argument().is_none().then(|| {
        let ratio = Setting::new("/proc/sys/vm/overcommit_ratio", "95")?;
        Some((Setting::new("/proc/sys/vm/overcommit_memory", "2")?, ratio))
    });
    if let Some(None) = settings {
        eprintln!("SKIPPED: only root can change vm.overcommit_memory");
        return;
    }
    in_child_limiting("what may be committed", || {
        without_overcommit();
    });
}
