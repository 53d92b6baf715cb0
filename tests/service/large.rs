//! Arrays that use the thread once they are large.

use super::*;
use stayput::Columns;

type Wide = [u8; 4096];

/// Whether arrays can use huge pages, and the thread has a processor of its own.
fn is_expected() -> bool {
    let size = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    let has_huge_pages = size.is_ok_and(|bytes| bytes.trim() == "2097152");
    let processors = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    // Under Wine, the file is that of the system below.
    cfg!(target_os = "linux") && has_huge_pages && processors > 1 && usize::BITS >= 64
}

/// Adds elements in small pieces.
fn fill(vec: &mut VmVec<Wide>, bytes: usize) {
    while vec.len() * 4096 < bytes {
        vec.push([7; 4096]);
    }
}

fn is_running() -> bool {
    service::stats().running
}

#[test]
fn the_thread_is_started_by_the_first_array_that_grows_beyond_four_mib() {
    let _alone = without_thread();
    let mut vec = VmVec::new();
    fill(&mut vec, 3 * MIB);
    assert!(!is_running());
    fill(&mut vec, 9 * MIB);
    assert_eq!(is_running(), is_expected());
    if is_expected() {
        wait_until("memory is ready", || vec.stats().ahead_bytes >= 2 * MIB);
        // At most half as much as is used, up to the end of a huge page, and of the piece before it.
        fill(&mut vec, 40 * MIB);
        wait_until("the rest is taken back", || vec.stats().ahead_bytes <= 24 * MIB);
    }
    assert!(vec.iter().all(|page| *page == [7; 4096]));
    let mut columns = Columns::<(u64, u64)>::new();
    (0..MIB as u64).for_each(|n| columns.push((n, n)));
    if is_expected() {
        wait_until("rows are ready", || columns.stats().ahead_bytes > 0);
    }
    drop(columns);
    // A leaked array has no need of the thread.
    let leaked = vec.leak();
    assert_eq!(service::stats().arrays, 0);
    wait_until("the thread ends", || !is_running());
    assert!(leaked.iter().all(|page| *page == [7; 4096]));
}

#[test]
fn nothing_is_made_ready_for_an_array_that_was_shrunk_until_it_grows() {
    let _alone = without_thread();
    for round in 0..20 {
        let mut vec = VmVec::new();
        fill(&mut vec, (8 + round) * MIB);
        vec.truncate(10);
        vec.shrink_to_fit();
        thread::sleep(Duration::from_millis(2));
        assert_eq!(vec.stats().ahead_bytes, 0);
        fill(&mut vec, 2 * MIB);
        if is_running() {
            wait_until("memory is ready again", || vec.stats().ahead_bytes > MIB);
        }
    }
}

#[test]
fn memory_of_large_arrays_is_cached_if_the_next_can_have_it() {
    let _alone = without_thread();
    region_cache::trim();
    // A small array, however it is filled, neither has the memory of a large one that has grown, nor starts the thread.
    for bytes in [40 * MIB, 60 * MIB] {
        let mut level = VmVec::new();
        fill(&mut level, bytes);
        drop(level);
        service::drain();
        wait_until("it is released", || region_cache::stats().kept_bytes < 34 * MIB);
        let mut small = VmVec::new();
        small.push([1; 4096]);
        assert_eq!(service::stats().arrays, 0);
        assert!(small.stats().committed_bytes < 34 * MIB);
        drop(small);
        region_cache::trim();
    }
    let made = |bytes| VmVec::<Wide>::with_capacity(bytes / 4096);
    let mut large = made(60 * MIB);
    fill(&mut large, 60 * MIB);
    let start = large.as_ptr();
    drop(large);
    let mut small = VmVec::new();
    small.push([1; 4096]);
    assert_ne!(small.as_ptr(), start);
    #[cfg(target_os = "linux")]
    assert_eq!(made(55 * MIB).as_ptr(), start);
    region_cache::trim();
}

#[test]
fn arrays_that_are_sparse_or_prepared_or_not_to_be_served_start_no_thread() {
    let _alone = without_thread();
    region_cache::trim();
    let off = VmVec::builder().commit_ahead(CommitAhead::Off);
    let small_pages = VmVec::builder().huge_pages(HugePages::Never);
    for builder in [off, small_pages] {
        let mut vec = builder.build();
        // So little that the thread is not needed to return it.
        fill(&mut vec, 12 * MIB);
        assert_eq!(vec.stats().ahead_bytes, 0);
        drop(vec);
        region_cache::trim();
    }
    let mut requested = VmVec::with_capacity(20 * MIB / 4096);
    fill(&mut requested, 20 * MIB);
    let mut prepared = VmVec::new();
    while prepared.len() < 20 * MIB / 4096 {
        prepared.prefault_ahead(Budget::UNLIMITED);
        let len = prepared.len() + 10;
        fill(&mut prepared, len * 4096);
    }
    let arena = Arena::new();
    arena.alloc_slice_fill_copy(3 * MIB, 1_u8);
    arena.prefault_ahead(Budget::bytes(1));
    arena.set_allocation_limit(None);
    for _ in 0..20 {
        arena.alloc_slice_fill_copy(MIB, 1_u8);
    }
    let mut sparse: SlotMap<DefaultKey, u64> = SlotMap::new();
    for part in 1..=5 {
        sparse.reserve(part * MIB);
    }
    let raw = Reservation::new(1 << 30).expect("addresses");
    let mut raw = raw.growing();
    for part in 1..=20 {
        raw.grow_to(part * MIB).expect("memory");
    }
    // Shared arrays, also those that were made from others.
    let shared = SharedVec::from(VmVec::new());
    while shared.len() < 20 * MIB / 4096 {
        shared.push([7_u8; 4096]);
    }
    let mut some = VmVec::new();
    fill(&mut some, 3 * MIB);
    let grown = SharedVec::from(some);
    while grown.len() < 20 * MIB / 4096 {
        grown.push([7; 4096]);
    }
    let shared_map = SharedSlotMap::from(SlotMap::new());
    while shared_map.len() < 20 * MIB / 4096 {
        shared_map.insert([7_u8; 4096]);
    }
    assert!(!is_running());

    service::set_automatic(false);
    let mut vec = VmVec::new();
    fill(&mut vec, 20 * MIB);
    service::set_automatic(true);
    assert!(!is_running());
    // It is large already, and grows.
    fill(&mut vec, 60 * MIB);
    assert_eq!(is_running(), is_expected());
    drop((vec, requested, prepared, arena, sparse, raw, shared, grown, shared_map));
    region_cache::trim();
}

#[test]
fn a_limit_ends_what_is_ready_ahead_of_an_arena_also_after_prefaulting() {
    let _alone = without_thread();
    let arena = Arena::new();
    let fill = |bytes: usize| {
        while arena.used_bytes() < bytes {
            arena.alloc_slice_fill_copy(4096, 1_u8);
        }
    };
    fill(12 * MIB);
    assert_eq!(is_running(), is_expected());
    arena.prefault_ahead(Budget::bytes(1));
    arena.set_allocation_limit(Some(20 * MIB));
    fill(13 * MIB);
    // Up to the end of a huge page.
    wait_until("the rest is taken back", || arena.stats().ahead_bytes < 2 * MIB);
    drop(arena);
    region_cache::trim();
}

#[test]
fn much_cached_memory_is_returned_in_time_by_a_thread() {
    let _alone = without_thread();
    region_cache::trim();
    let leave = |count| {
        let small = VmVec::builder().huge_pages(HugePages::Never);
        let mut all: Vec<_> = (0..count).map(|_| Bytes::new(small)).collect();
        for vec in &mut all {
            vec.resize(8 * MIB, 1);
        }
    };
    leave(3);
    assert!(!is_running());
    let is_kept = region_cache::stats().kept_bytes > 0;
    service::set_automatic(false);
    leave(5);
    service::set_automatic(true);
    assert!(!is_running());
    leave(5);
    assert_eq!(is_running(), is_kept);
    wait_until("it is old", || region_cache::stats().kept_bytes == 0 || !is_kept);
}

/// A row of a table with several indices.
type Unit = (u64, u16, [f32; 3]);

#[cfg(feature = "table")]
stayput::indices! {
    struct UnitBy for Unit {
        id: Unique<u64> = |unit| &unit.0,
        team: Many<u16> = |unit| &unit.1,
        squad: List<u16> = |unit| unit.1 / 8,
        at: Grid<3, cell = 1.0> = |unit| unit.2,
    }
}

#[cfg(feature = "table")]
#[test]
fn a_small_table_has_little_memory_ahead() {
    let _alone = alone();
    let rows = |range: std::ops::Range<u16>| {
        range.map(|n| (u64::from(n), n / 9, [f32::from(n), 0.0, 0.0]) as Unit)
    };
    let new = || stayput::Table::<Unit, UnitBy>::builder();
    // With the thread.
    let mut table = new().commit_ahead(CommitAhead::Auto).build();
    wait_until("some is ready", || table.stats().ahead_bytes > 0);
    table.extend(rows(0..2500));
    assert!(table.stats().committed_bytes < 4 * MIB, "{:?}", table.stats());
    thread::sleep(Duration::from_millis(20));
    assert!(table.stats().committed_bytes < 4 * MIB, "{:?}", table.stats());
    // Without it.
    let mut table = new().build();
    for n in 0..50 {
        table.extend(rows(50 * n..50 * n + 50));
        table.prefault_ahead(Budget::time(Duration::from_micros(200)));
    }
    assert!(table.stats().committed_bytes < 4 * MIB, "{:?}", table.stats());
}
