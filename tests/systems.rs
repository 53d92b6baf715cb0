//! What differs between systems and must not be seen through the public calls: run on each of
//! them by `.ci/cross`. In a process of its own, since it asks for more than the machine has.
#![cfg(any(unix, windows))]
#![expect(unsafe_code, reason = "reads and writes reserved memory")]

use stayput::{ErrorKind, HugePages, Reservation, VmVec, page_size};

/// Writes the first and the last byte of a page, which is committed.
fn write(range: &Reservation, page: usize, value: u8) {
    for offset in [page * page_size(), (page + 1) * page_size() - 1] {
        // SAFETY: the tests stay within the range.
        let byte = unsafe { range.as_ptr().add(offset) };
        // SAFETY: the tests write to committed pages only, on one thread.
        unsafe { byte.write_volatile(value) };
    }
}

/// The first and the last byte of a page, which is committed.
fn read(range: &Reservation, page: usize) -> [u8; 2] {
    [page * page_size(), (page + 1) * page_size() - 1].map(|offset| {
        // SAFETY: the tests stay within the range.
        let byte = unsafe { range.as_ptr().add(offset) };
        // SAFETY: the tests read committed pages only, on one thread.
        unsafe { byte.read_volatile() }
    })
}

#[test]
fn ten_million_pushes_keep_the_address() {
    const COUNT: u64 = 10_000_000;
    let mut vec = VmVec::new();
    vec.push(0_u64);
    let first = vec.as_ptr();
    assert_eq!(first.addr() % page_size(), 0);
    (1..COUNT).for_each(|n| vec.push(n));
    assert_eq!(vec.as_ptr(), first);
    assert!(vec.iter().copied().eq(0..COUNT));
    vec.truncate(1);
    vec.shrink_to_fit();
    assert_eq!((vec.as_ptr(), vec[0]), (first, 0));
    assert!(vec.capacity() < 1 << 20);
}

#[test]
fn ranges_are_whole_pages_of_this_system() {
    let page = page_size();
    let mut range = Reservation::new(page + 1).unwrap();
    assert_eq!(range.reserved_bytes(), 2 * page);
    assert_eq!(range.as_ptr().addr() % page, 0);
    for part in [1, page / 2, page - 1, page + 1] {
        assert_eq!(range.commit(..part).unwrap_err().kind(), ErrorKind::Alignment);
        assert_eq!(range.commit(part..).unwrap_err().kind(), ErrorKind::Alignment);
        assert_eq!(range.decommit(..part).unwrap_err().kind(), ErrorKind::Alignment);
        assert_eq!(range.discard(part..).unwrap_err().kind(), ErrorKind::Alignment);
    }
    assert_eq!(range.commit(..3 * page).unwrap_err().kind(), ErrorKind::OutOfBounds);
    range.commit(page..).unwrap();
    assert_eq!(range.committed_bytes().unwrap(), page);
}

#[test]
fn memory_comes_back_as_zero_and_neighbours_keep_theirs() {
    let page = page_size();
    let mut range = Reservation::new(6 * page).unwrap();
    range.commit(..).unwrap();
    (0..6).for_each(|index| write(&range, index, 7));
    range.decommit(page..2 * page).unwrap();
    assert_eq!(range.committed_bytes().unwrap(), 5 * page);
    range.discard(3 * page..4 * page).unwrap();
    assert_eq!(range.committed_bytes().unwrap(), 5 * page);
    range.prefault(..).unwrap();
    let bytes: Vec<_> = (0..6).map(|index| read(&range, index)).collect();
    assert_eq!(bytes, [[7, 7], [0, 0], [7, 7], [0, 0], [7, 7], [7, 7]]);
}

#[test]
fn overlapping_locks_are_dropped_in_any_order() {
    let page = page_size();
    let mut range = Reservation::new(8 * page).unwrap();
    for first_goes_first in [true, false] {
        let first = range.lock(..4 * page).unwrap();
        let second = range.lock(2 * page..6 * page).unwrap();
        assert_eq!((first.bytes(), second.bytes()), (4 * page, 4 * page));
        (0..6).for_each(|index| write(&range, index, 7));
        if first_goes_first {
            drop(first);
            drop(second);
        } else {
            drop(second);
            drop(first);
        }
        assert!((0..6).all(|index| read(&range, index) == [7, 7]));
        range.discard(..6 * page).unwrap();
        assert!((0..6).all(|index| read(&range, index) == [0, 0]));
    }
    range.decommit(..).unwrap();
    assert_eq!(range.committed_bytes().unwrap(), 0);
}

#[test]
fn absurd_sizes_are_errors() {
    const MOST: usize = isize::MAX as usize;
    for bytes in [usize::MAX, MOST + 1] {
        let refused = Reservation::new(bytes).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::CapacityOverflow, "{refused}");
        assert_eq!(refused.bytes(), bytes);
    }
    let aligned = Reservation::builder().bytes(1).align(1 << (usize::BITS - 1)).reserve();
    for refused in [Reservation::new(MOST), aligned] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::AddressSpace);
    }
    for len in [usize::MAX, MOST / 8 + 1] {
        for refused in [
            VmVec::<u64>::try_with_max_len(len).unwrap_err(),
            VmVec::<u64>::try_with_capacity(len).unwrap_err(),
            VmVec::from([1_u64]).try_reserve(len).unwrap_err(),
            VmVec::from([1_u64]).try_resize(len, 0).unwrap_err().error,
        ] {
            assert_eq!(refused.kind(), ErrorKind::CapacityOverflow, "{refused}");
        }
    }
    // All that can be expressed, and more than any system has free: twice where there are
    // 32 bits, since a 64-bit kernel gives such a process half of its addresses once.
    let half =
        || Reservation::builder().bytes(MOST - (1 << 20)).huge_pages(HugePages::Never).reserve();
    let refused = half().and_then(|_first| half()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AddressSpace, "{refused}");
    assert!(refused.raw_os_error().is_some());
}

/// What the machine could promise at most, with all it swaps to.
#[cfg(all(target_pointer_width = "64", any(windows, target_os = "linux")))]
fn promisable_bytes() -> Option<usize> {
    #[cfg(windows)]
    {
        use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
        let mut status = MEMORYSTATUSEX {
            dwLength: u32::try_from(size_of::<MEMORYSTATUSEX>()).unwrap(),
            ..Default::default()
        };
        // SAFETY: the structure is writable and tells its own size.
        assert_ne!(unsafe { GlobalMemoryStatusEx(&raw mut status) }, 0);
        usize::try_from(status.ullTotalPageFile).ok()
    }
    #[cfg(target_os = "linux")]
    {
        let overcommit = std::fs::read_to_string("/proc/sys/vm/overcommit_memory").ok()?;
        if overcommit.trim() == "1" {
            return None; // The machine promises anything.
        }
        let info = std::fs::read_to_string("/proc/meminfo").unwrap();
        let kib = |name: &str| -> usize {
            let line = info.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().nth(1).unwrap().parse().unwrap()
        };
        Some((kib("MemTotal:") + kib("SwapTotal:")) << 10)
    }
}

#[cfg(all(target_pointer_width = "64", any(windows, target_os = "linux")))]
#[test]
fn more_than_the_machine_can_promise_is_refused_and_changes_nothing() {
    let Some(promisable) = promisable_bytes() else { return };
    let bytes = (promisable + (1 << 30)).next_multiple_of(1 << 20);
    let range = Reservation::builder().bytes(bytes).huge_pages(HugePages::Never).reserve().unwrap();
    range.commit(..page_size()).unwrap();
    write(&range, 0, 7);
    let refused = range.commit(..).unwrap_err();
    // A limit of the process may be less than that of the machine.
    assert!(matches!(refused.kind(), ErrorKind::Memory | ErrorKind::DataLimit), "{refused:?}");
    assert_eq!(refused.bytes(), bytes);
    assert!(refused.raw_os_error().is_some());
    assert_eq!(range.committed_bytes().unwrap(), page_size());
    assert_eq!(read(&range, 0), [7, 7]);

    let mut vec = VmVec::<u8>::with_max_len(bytes);
    vec.push(7);
    assert!(vec.try_reserve(bytes - 1).is_err());
    vec.push(8);
    assert_eq!(vec, [7, 8]);
}
