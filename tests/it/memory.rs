//! Memory as the system reports it: what is committed for the process, and what is resident.

use stayput::{HugePages, Reservation, VmVec, page_size};
use std::fs;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

const GIB: usize = 1 << 30;
const MIB: usize = 1 << 20;

/// The number of bytes of an address range in mappings with a given flag.
fn flagged_bytes(range: Range<usize>, flag: &str) -> usize {
    let smaps = fs::read_to_string("/proc/self/smaps").expect("it is Linux");
    let (mut flagged, mut overlap) = (0, 0);
    for line in smaps.lines() {
        let word = line.split(' ').next().unwrap_or_default();
        if let Some((from, to)) = word.split_once('-') {
            let address = |text| usize::from_str_radix(text, 16).expect("an address");
            let from = address(from).max(range.start);
            overlap = address(to).min(range.end).saturating_sub(from);
        } else if word == "VmFlags:" && line.split(' ').any(|marked| marked == flag) {
            flagged += overlap;
        }
    }
    flagged
}

/// The number of committed bytes of an array.
fn charged_bytes(vec: &VmVec<u8>) -> usize {
    let start = vec.as_ptr().addr();
    flagged_bytes(start..start + vec.stats().reserved_bytes, "ac")
}

/// The commit charge of the whole system.
fn committed_as_bytes() -> usize {
    let meminfo = fs::read_to_string("/proc/meminfo").expect("it is Linux");
    kib(&meminfo, "Committed_AS:")
}

fn kib(text: &str, field: &str) -> usize {
    let line = text.lines().find_map(|line| line.strip_prefix(field)).expect("it is listed");
    let number = line.trim().strip_suffix("kB").expect("in KiB").trim();
    number.parse::<usize>().expect("a number") * 1024
}

/// Asserts that a figure is as expected, within a tolerance for other processes.
#[track_caller]
fn assert_about(what: &str, expected: usize, found: usize, tolerance: usize) {
    let off = expected.abs_diff(found) / MIB;
    assert!(off * MIB <= tolerance, "{what}: {} MiB, off by {off} MiB", found / MIB);
}

/// Runs one test at a time where figures of the process or system are compared.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn resident(vec: &VmVec<u8>) -> usize {
    vec.stats().resident_bytes.expect("Linux tells")
}

/// Retries up to five times on a panic, since others affect what is measured.
fn steadily(run: fn()) {
    for _ in 0..4 {
        if std::panic::catch_unwind(run).is_ok() {
            return;
        }
    }
    run();
}

#[test]
fn only_committed_memory_is_charged() {
    let mut vec = VmVec::<u8>::builder().max_len(GIB).huge_pages(HugePages::Never).build();
    assert_eq!(charged_bytes(&vec), 0);
    vec.reserve_exact(256 * MIB);
    assert_eq!(charged_bytes(&vec), 256 * MIB);
    // Untouched memory is the simpler case: systems may drop its charge.
    vec.resize(16 * MIB, 7);
    vec.truncate(MIB);
    vec.shrink_to_fit();
    assert_eq!(charged_bytes(&vec), MIB);
    vec.reserve_exact(2 * MIB - vec.len());
    assert_eq!(charged_bytes(&vec), 2 * MIB);
    assert_eq!(charged_bytes(&vec), vec.stats().committed_bytes);
    vec.clear();
    vec.shrink_to_fit();
    assert_eq!(charged_bytes(&vec), 0);
}

#[test]
fn pages_are_locked_until_the_guard_is_dropped() {
    let page = page_size();
    let range = Reservation::new(4 * page).unwrap();
    let start = range.as_ptr().addr();
    let locked_bytes = || flagged_bytes(start..start + 4 * page, "lo");
    // Some containers allow no locked memory, and a sanitizer locks none.
    let Ok(lock) = range.lock(page..3 * page) else { return };
    if locked_bytes() == 0 {
        return;
    }
    assert_eq!(locked_bytes(), 2 * page);
    drop(lock);
    assert_eq!(locked_bytes(), 0);
}

#[test]
fn shrinking_lowers_the_commit_charge_of_the_system() {
    const TOLERANCE: usize = GIB;
    let _alone = alone();
    steadily(|| {
        let before = committed_as_bytes();
        let builder = VmVec::<u8>::builder().max_len(8 * GIB);
        // All in one mapping, which then counts as touched.
        let mut vec = builder.huge_pages(HugePages::Never).build();
        vec.reserve_exact(4 * GIB);
        assert_about("committed", before + 4 * GIB, committed_as_bytes(), TOLERANCE);
        vec.push(1);
        vec.shrink_to_fit();
        assert_about("shrunk", before, committed_as_bytes(), TOLERANCE);
    });
}

#[test]
fn shrinking_returns_resident_memory() {
    let mut vec = VmVec::<u8>::builder().max_len(GIB).huge_pages(HugePages::Never).build();
    vec.resize(64 * MIB, 7);
    assert!(resident(&vec) >= 64 * MIB);
    vec.truncate(16 * MIB);
    assert!(resident(&vec) >= 64 * MIB, "memory goes back only when asked to");
    vec.shrink_to_fit();
    assert!((16 * MIB..17 * MIB).contains(&resident(&vec)));
    assert!(vec.stats().committed_bytes < 17 * MIB);
    assert!(vec.iter().all(|byte| *byte == 7));
}

#[test]
fn prefaulting_makes_memory_resident_and_committing_does_not() {
    let mut vec = VmVec::<u8>::builder().max_len(GIB).huge_pages(HugePages::Never).build();
    vec.reserve(64 * MIB);
    assert_eq!(resident(&vec), 0);
    vec.push(1);
    vec.prefault(16 * MIB);
    assert!((16 * MIB..17 * MIB).contains(&resident(&vec)));
    assert_eq!((vec.len(), vec[0]), (1, 1));
}

#[test]
fn huge_pages_are_requested_according_to_the_option() {
    let Ok(huge) = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") else {
        eprintln!("SKIPPED: this kernel has no huge pages");
        return;
    };
    let huge: usize = huge.trim().parse().expect("a number");
    let bytes = 4 * HugePages::AUTO_FROM_BYTES;
    for (huge_pages, from) in [
        (HugePages::Always, Some(0)),
        (HugePages::Auto, Some(HugePages::AUTO_FROM_BYTES)),
        (HugePages::Never, None),
    ] {
        let mut vec = VmVec::<u8>::builder().max_len(bytes).huge_pages(huge_pages).build();
        vec.reserve(bytes);
        let start = vec.as_ptr().addr();
        let all = start..start + bytes;
        let asked = flagged_bytes(all.clone(), "hg");
        assert_eq!(asked, from.map_or(0, |from| bytes - from), "{huge_pages:?}");
        if let Some(from) = from {
            assert_eq!(start % huge, 0);
            assert_eq!(flagged_bytes(start + from..all.end, "hg"), asked);
        } else {
            assert_eq!(flagged_bytes(all.clone(), "nh"), bytes);
        }
        // Memory that is returned and committed again is unchanged.
        vec.shrink_to_fit();
        vec.reserve(bytes);
        assert_eq!(flagged_bytes(all, "hg"), asked, "{huge_pages:?}");
    }
    // Below the size for which huge pages are worth while, none are requested.
    let mut few = VmVec::<u8>::with_max_len(HugePages::AUTO_FROM_BYTES);
    few.reserve(1);
    let start = few.as_ptr().addr();
    assert_eq!(flagged_bytes(start..start + HugePages::AUTO_FROM_BYTES, "hg"), 0);
}

#[test]
fn an_empty_array_takes_no_memory() {
    fn check<T>() {
        let mut vec = VmVec::<T>::new();
        vec.clear();
        vec.shrink_to_fit();
        vec.reserve(0);
        vec.prefault(0);
        vec.truncate(0);
        drop(vec.drain(..));
        vec.extend(std::iter::empty());
        vec.append(&mut VmVec::new());
        vec.retain(|_| true);
        let rest = vec.split_off(0);
        for vec in [vec, rest, VmVec::with_capacity(0), std::iter::empty().collect()] {
            let stats = vec.stats();
            assert_eq!((stats.reserved_bytes, stats.committed_bytes, stats.len), (0, 0, 0));
            assert_eq!(stats.resident_bytes, Some(0));
        }
    }
    check::<u8>();
    check::<String>();
    check::<[u64; 1000]>();
}

#[test]
fn growth_commits_little_more_than_is_used() {
    let mut vec = VmVec::<u8>::builder().max_len(GIB).huge_pages(HugePages::Never).build();
    vec.push(1);
    assert!(vec.stats().committed_bytes <= 128 << 10);
    for len in [MIB, 8 * MIB, 64 * MIB] {
        vec.reserve(len);
        while vec.len() < len {
            let step = (len - vec.len()).min(4096);
            vec.extend(std::iter::repeat_n(1, step));
        }
        let committed = vec.stats().committed_bytes;
        assert!(committed >= len && committed <= 2 * len + 64 * MIB, "{committed} for {len}");
    }
}

#[cfg(feature = "bytemuck")]
#[test]
fn zeroed_elements_do_not_touch_fresh_memory() {
    // It commits as much as the others measure.
    let _alone = alone();
    let mut vec = VmVec::<u8>::builder().max_len(2 * GIB).huge_pages(HugePages::Never).build();
    vec.extend_zeroed(GIB);
    assert_eq!(resident(&vec), 0);
    assert!([0, 1, GIB / 2, GIB - 1].iter().all(|i| vec[*i] == 0));
    // Reading maps the shared page of zeros, which may count as resident.
    assert!(resident(&vec) < MIB);

    // Capacity that was used before is returned and committed anew.
    vec.truncate(100);
    vec.fill(7);
    vec.resize(32 * MIB, 9);
    vec.truncate(50);
    vec.extend_zeroed(GIB);
    assert!(resident(&vec) < MIB);
    assert!(vec[..50].iter().all(|byte| *byte == 7));
    assert!(vec[50..].iter().take(64 * 1024).all(|byte| *byte == 0));
    assert_eq!((vec[20 * MIB], vec[GIB + 49], vec.len()), (0, 0, GIB + 50));

    vec.resize_zeroed(10);
    assert_eq!(vec, [7; 10]);
    vec.resize_zeroed(60);
    assert_eq!((&vec[..10], &vec[10..]), (&[7; 10][..], &[0; 50][..]));
}

#[test]
fn a_thousand_arrays_live_side_by_side() {
    // Small ones, since ThreadSanitizer leaves only 4 TiB of addresses.
    let mut arrays: Vec<VmVec<u64>> = (0..1000).map(|_| VmVec::with_max_len(1 << 20)).collect();
    for (vec, i) in arrays.iter_mut().zip(0..) {
        vec.extend([i, i + 1, 7]);
    }
    assert!(arrays.iter().zip(0..).all(|(vec, i)| *vec == [i, i + 1, 7]));
}
