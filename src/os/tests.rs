//! Checks the contract of the parent module on the system that this was built for.

#![expect(unsafe_code, reason = "calls the functions under test")]

use super::fault::Fault;
use super::*;

fn pages(count: usize) -> PageBytes {
    PageBytes::exact(count * page_size().get(), page_size()).expect("whole pages")
}

mod contract {
    use super::*;

    /// A range that is released with the test.
    struct Range(Mapping);

    impl Range {
        fn new(count: usize) -> Self {
            Self(Mapping::reserve(pages(count)).expect("a few pages of addresses"))
        }

        /// `count` pages from `index` on.
        fn pages(&self, index: usize, count: usize) -> Pages<'_> {
            self.0.pages(pages(index).get(), pages(count))
        }

        /// The page at `index`.
        fn page(&self, index: usize) -> NonNull<u8> {
            self.pages(index, 1).start()
        }

        /// The tests keep no references to pages.
        fn unused(&self, index: usize, count: usize) -> UnusedPages<'_> {
            // SAFETY: the tests access pages only by `read` and `write`, between the calls.
            unsafe { self.pages(index, count).unused() }
        }

        fn commit(&self, index: usize, count: usize) -> Result<(), Error> {
            Ok(self.pages(index, count).commit()?)
        }

        fn decommit(&self, index: usize, count: usize) -> Result<(), Error> {
            Ok(self.unused(index, count).decommit()?)
        }

        fn discard(&self, index: usize, count: usize) -> Result<(), Error> {
            Ok(self.unused(index, count).discard()?)
        }

        fn prefault(&self, index: usize, count: usize) -> Result<(), Error> {
            self.commit(index, count)?;
            // SAFETY: committed just now. No other thread uses the range.
            Ok(unsafe { self.pages(index, count).prefault() }?)
        }

        /// Writes to the first and the last byte of a committed page.
        fn write(&self, index: usize, value: u8) {
            for offset in [0, page_size().get() - 1] {
                // SAFETY: inside the page.
                let byte = unsafe { self.page(index).add(offset) };
                // SAFETY: the tests write to committed pages only.
                unsafe { byte.write_volatile(value) };
            }
        }

        /// Returns the first and the last byte of a committed page.
        fn read(&self, index: usize) -> [u8; 2] {
            [0, page_size().get() - 1].map(|offset| {
                // SAFETY: inside the page.
                let byte = unsafe { self.page(index).add(offset) };
                // SAFETY: the tests read committed pages only.
                unsafe { byte.read_volatile() }
            })
        }

        fn committed(&self) -> usize {
            let committed = self.0.all().committed_bytes();
            committed.expect("the system reports this") / page_size().get()
        }

        fn resident(&self) -> usize {
            let resident = self.0.all().resident_bytes();
            resident.expect("the system reports this") / page_size().get()
        }

        /// Whether a page may be read and written. The allocator does not enforce this.
        #[cfg(no_vm)]
        fn is_accessible(&self, index: usize) -> bool {
            self.pages(index, 1).committed_bytes() == Ok(page_size().get())
        }

        /// Whether a page can be read and written according to the system.
        #[cfg(not(no_vm))]
        fn is_accessible(&self, index: usize) -> bool {
            let region = region::query(self.page(index).as_ptr()).expect("the system reports this");
            assert_eq!(region.is_readable(), region.is_writable());
            assert!(!region.is_executable());
            region.is_readable()
        }
    }

    impl Drop for Range {
        fn drop(&mut self) {
            let range = std::mem::replace(&mut self.0, Mapping::NONE);
            assert!(range.release().is_ok(), "a reservation could not be released");
        }
    }

    #[test]
    fn reserved_pages_are_inaccessible_and_take_no_memory() {
        let range = Range::new(8);
        assert_eq!(range.0.start().addr().get() % page_size().get(), 0);
        assert!((0..8).all(|index| !range.is_accessible(index)));
        assert_eq!((range.committed(), range.resident()), (0, 0));
    }

    #[test]
    fn committed_pages_are_zero_and_writable_and_the_rest_stay_inaccessible() {
        let range = Range::new(8);
        range.commit(2, 3).unwrap();
        let accessible: Vec<_> = (0..8).filter(|&index| range.is_accessible(index)).collect();
        assert_eq!(accessible, [2, 3, 4]);
        assert_eq!(range.committed(), 3);
        for index in 2..5 {
            assert_eq!(range.read(index), [0, 0]);
            range.write(index, 7);
            assert_eq!(range.read(index), [7, 7]);
        }
    }

    #[test]
    fn committing_again_keeps_the_contents() {
        let range = Range::new(4);
        range.commit(0, 2).unwrap();
        range.write(1, 9);
        range.commit(0, 4).unwrap();
        assert_eq!(range.read(1), [9, 9]);
        assert_eq!(range.committed(), 4);
    }

    #[test]
    fn decommitted_pages_are_inaccessible_and_zero_when_committed_again() {
        let range = Range::new(4);
        range.commit(0, 4).unwrap();
        (0..4).for_each(|index| range.write(index, 5));
        range.decommit(1, 2).unwrap();
        let accessible: Vec<_> = (0..4).filter(|&index| range.is_accessible(index)).collect();
        assert_eq!(accessible, [0, 3]);
        assert_eq!((range.read(0), range.read(3)), ([5, 5], [5, 5]));
        range.commit(0, 4).unwrap();
        assert_eq!((range.read(1), range.read(2)), ([0, 0], [0, 0]));
    }

    #[test]
    fn decommitting_uncommitted_pages_changes_nothing() {
        let range = Range::new(4);
        range.decommit(0, 4).unwrap();
        assert_eq!(range.committed(), 0);
    }

    #[test]
    fn discarded_pages_stay_accessible_and_read_as_zero() {
        let range = Range::new(4);
        range.commit(0, 4).unwrap();
        (0..4).for_each(|index| range.write(index, 5));
        range.discard(1, 2).unwrap();
        assert_eq!(range.committed(), 4);
        assert_eq!(range.read(0), [5, 5]);
        assert_eq!((range.read(1), range.read(2)), ([0, 0], [0, 0]));
        assert_eq!(range.read(3), [5, 5]);
    }

    #[test]
    #[cfg_attr(no_vm, ignore = "residency is unknown")]
    fn touching_takes_memory_and_discarding_returns_it() {
        let range = Range::new(64);
        range.commit(0, 64).unwrap();
        (0..32).for_each(|index| range.write(index, 1));
        assert!(range.resident() >= 32);
        range.discard(0, 64).unwrap();
        assert_eq!(range.resident(), 0);
    }

    #[test]
    #[cfg_attr(no_vm, ignore = "residency is unknown")]
    fn prefaulted_pages_are_resident_and_keep_their_contents() {
        let range = Range::new(64);
        range.commit(0, 1).unwrap();
        range.write(0, 3);
        range.prefault(0, 64).unwrap();
        assert_eq!((range.committed(), range.resident()), (64, 64));
        assert_eq!(range.read(0), [3, 3]);
        assert_eq!(range.read(63), [0, 0]);
    }

    #[test]
    #[cfg_attr(no_vm, ignore = "residency is unknown")]
    fn touching_makes_pages_resident_and_loses_no_writes() {
        use std::sync::Barrier;
        use std::thread;

        let range = Range::new(64);
        range.commit(0, 64).unwrap();
        let barrier = Barrier::new(2);
        let whole = range.0.all();
        thread::scope(|threads| {
            threads.spawn(|| {
                barrier.wait();
                for _ in 0..1000 {
                    // SAFETY: committed. The other thread uses the pages meanwhile only if `TOUCHING_IS_SHARED`.
                    unsafe { whole.touch() }.unwrap();
                }
            });
            if !TOUCHING_IS_SHARED {
                return barrier.wait();
            }
            let leader = barrier.wait();
            for round in 0..=u8::MAX {
                (0..64).for_each(|index| range.write(index, round));
                (0..64).for_each(|index| assert_eq!(range.read(index), [round; 2]));
            }
            leader
        });
        assert_eq!(range.resident(), 64);
    }

    #[test]
    fn concurrent_commits_of_the_same_pages_lose_no_writes() {
        use std::thread;

        let range = Range::new(300);
        let parts: Vec<_> = (0..297).map(|page| range.pages(page, 3)).collect();
        let write = |thread: usize| {
            for part in &parts {
                part.commit().expect("a few pages");
                // SAFETY: inside the page.
                let byte = unsafe { part.start().add(thread) };
                // SAFETY: committed, and no other thread uses this byte.
                unsafe { byte.write(7) };
            }
        };
        thread::scope(|threads| {
            for thread in 0..3 {
                threads.spawn(move || write(thread));
            }
        });
        assert_eq!(range.committed(), 299);
        for page in 0..297 {
            for thread in 0..3 {
                // SAFETY: inside the page.
                let byte = unsafe { range.page(page).add(thread) };
                // SAFETY: committed, and the threads have ended.
                assert_eq!(unsafe { byte.read() }, 7, "{page} {thread}");
            }
        }
    }

    #[test]
    #[cfg(no_vm)]
    fn calls_that_the_allocator_lacks_are_unsupported() {
        let mut range = Range::new(2);
        range.commit(0, 2).unwrap();
        let refused = Error::from(range.pages(0, 2).lock().unwrap_err());
        assert_eq!((refused.kind(), refused.raw_os_error()), (ErrorKind::Unsupported, None));
        let refused = range.0.all().resident_bytes();
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unsupported);
        let moved = range.0.move_if_possible(PageBytes::ZERO, pages(2), pages(4));
        assert!(moved.is_none());
    }

    #[test]
    fn some_memory_is_available() {
        let (available, all) = (available_bytes(), memory_bytes());
        if let (Some(available), Some(all)) = (available, all) {
            assert!(0 < available && available <= all, "{available} of {all}");
        }
        #[cfg(linux_kernel)]
        assert!(available.is_some());
    }

    #[test]
    fn empty_ranges_make_no_system_calls() {
        let range = Range::new(1);
        let fault = [Call::Commit, Call::Decommit, Call::Discard, Call::Prefault, Call::Lock];
        for call in fault {
            let fault = Fault::from_nth(call, 0);
            range.commit(0, 0).unwrap();
            range.decommit(0, 0).unwrap();
            range.discard(0, 0).unwrap();
            range.prefault(0, 0).unwrap();
            range.pages(0, 0).lock().unwrap();
            assert_eq!(fault.failures(), 0, "{call:?}");
        }
    }

    /// Whether a sanitizer is present: each reserves terabytes of addresses.
    fn under_sanitizer() -> bool {
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages = statm.split(' ').next().and_then(|text| text.parse::<usize>().ok());
        pages.is_some_and(|pages| pages / (1 << 20) * page_size().get() > 1 << 20)
    }

    #[test]
    #[cfg_attr(no_vm, ignore = "nothing can be locked")]
    fn locked_pages_are_resident_and_can_be_unlocked_twice() {
        let range = Range::new(4);
        range.commit(0, 4).unwrap();
        range.pages(0, 2).lock().unwrap();
        // With sanitizers, locking does nothing.
        assert!(range.resident() >= 2 || under_sanitizer());
        for _ in 0..2 {
            range.pages(0, 2).unlock();
        }
    }

    #[test]
    #[cfg_attr(no_vm, ignore = "nothing can be locked")]
    fn locked_pages_can_be_discarded() {
        let range = Range::new(2);
        range.commit(0, 2).unwrap();
        (0..2).for_each(|index| range.write(index, 5));
        range.pages(0, 2).lock().unwrap();
        range.discard(0, 1).unwrap();
        assert_eq!((range.read(0), range.read(1)), ([0, 0], [5, 5]));
    }

    /// Whether the page at an address is locked.
    #[cfg(linux_kernel)]
    fn is_locked(address: usize) -> bool {
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("Linux has this file");
        let mut is_there = false;
        for line in maps.lines() {
            let bounds = line.split(' ').next().and_then(|range| range.split_once('-'));
            let number = |text| usize::from_str_radix(text, 16).ok();
            if let Some((start, end)) =
                bounds.and_then(|(start, end)| number(start).zip(number(end)))
            {
                is_there = (start..end).contains(&address);
            } else if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| is_there) {
                return flags.contains(" lo");
            }
        }
        false
    }

    #[test]
    #[cfg(linux_kernel)]
    fn locked_pages_stay_locked_when_they_are_discarded() {
        if under_sanitizer() {
            return;
        }
        let range = Range::new(4);
        let address = range.page(0).addr().get();
        range.commit(0, 4).unwrap();
        range.pages(0, 3).lock().unwrap();
        if !is_locked(address) {
            // Emulators lock nothing.
            return;
        }
        for discard in [sys::discard, sys::discard_locked] {
            (0..4).for_each(|index| range.write(index, 5));
            discard(range.unused(0, 2)).unwrap();
            assert_eq!([0, 1, 2, 3].map(|index| range.read(index)[0]), [0, 0, 5, 5]);
            let locked = [0, 1, 2, 3].map(|index| is_locked(range.page(index).addr().get()));
            assert_eq!(locked, [true, true, true, false]);
        }
    }

    #[test]
    fn advice_about_huge_pages_has_no_visible_effect() {
        let range = Range::new(16);
        range.commit(0, 16).unwrap();
        range.write(3, 4);
        for advice in [Advice::HugePages, Advice::SmallPages] {
            range.0.all().advise(advice);
        }
        assert_eq!(range.read(3), [4, 4]);
        assert_eq!(range.committed(), 16);
    }

    #[test]
    fn too_large_a_range_is_refused_with_the_bytes_and_a_code() {
        let bytes = PageBytes::exact(isize::MAX as usize & !(page_size().get() - 1), page_size());
        let bytes = bytes.unwrap();
        // With 32-bit pointers, half of the address space can be reserved once.
        let first = Mapping::reserve(bytes);
        let again = first.as_ref().map_err(|error| *error);
        let refused = again.and_then(|_| Mapping::reserve(bytes)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AddressSpace);
        assert_eq!(refused.bytes(), bytes.get());
        assert_eq!(refused.raw_os_error().is_some(), IS_SUPPORTED);
        if let Ok(mapping) = first {
            assert!(mapping.release().is_ok());
        }
    }

    #[test]
    fn pages_past_a_mapping_are_refused() {
        let range = Range::new(2);
        let page = page_size().get();
        let wrong = [(0, 3), (page, 2), (3 * page, 0), (usize::MAX - page + 1, 1), (1, 0)];
        for (offset, count) in wrong {
            let made = std::panic::catch_unwind(|| range.0.pages(offset, pages(count)).start());
            assert!(made.is_err(), "{offset} {count}");
        }
        assert_eq!(range.pages(2, 0).start().addr().get(), range.0.end());
    }

    #[test]
    #[cfg_attr(not(unix_vm), ignore = "the system has only whole reservations")]
    fn mappings_are_split_and_joined() {
        let mut range = Range::new(4);
        let end = range.0.end();
        let mut tail = range.0.split_off(pages(1));
        let middle = tail.split_off(pages(1));
        assert_eq!((range.0.bytes(), tail.bytes(), middle.bytes()), (pages(1), pages(1), pages(2)));
        let middle = range.0.absorb(middle).expect_err("not adjacent");
        tail.absorb(middle).expect("after it");
        tail.absorb(std::mem::replace(&mut range.0, Mapping::NONE)).expect("before it");
        assert_eq!((tail.bytes(), tail.end()), (pages(4), end));
        range.0 = tail;
    }

    #[test]
    #[cfg_attr(not(unix_vm), ignore = "the system has only whole reservations")]
    fn memory_is_moved_onto_other_pages() {
        let (from, mut to) = (Range::new(4), Range::new(4));
        // Two mappings, of which one is not accessible.
        from.commit(0, 1).unwrap();
        from.write(0, 7);
        let start = to.0.start();
        let mut onto = to.0.split_off(pages(1));
        let tail = onto.split_off(pages(2));
        let moved = onto.filled_from(from.unused(0, 2));
        assert_eq!(moved.is_ok(), moves_onto());
        let onto = moved.unwrap_or_else(|unchanged| unchanged.expect("nothing has changed"));
        for part in [onto, tail] {
            to.0.absorb(part).unwrap();
        }
        assert_eq!((to.0.start(), to.0.bytes()), (start, pages(4)));
        if moves_onto() {
            assert_eq!((to.read(1), from.read(0)), ([7; 2], [0; 2]));
            from.write(0, 1);
            assert_eq!(to.read(1), [7; 2]);
        }
    }

    #[test]
    #[cfg_attr(no_vm, ignore = "the amount of memory is unknown")]
    fn the_machine_has_pages_and_memory() {
        assert!(memory_bytes().unwrap() > 1 << 20);
        if let Some(huge) = huge_page_bytes() {
            assert!(huge.is_power_of_two() && huge > page_size().get());
        }
    }
}

mod faults {
    use super::*;

    #[test]
    fn the_nth_call_of_a_kind_is_refused_and_no_other() {
        let fault = Fault::nth(Call::Reserve, 1);
        let reserve = || Mapping::reserve(pages(1)).map(|mapping| mapping.release().is_ok());
        assert_eq!(reserve(), Ok(true));
        let refused = reserve().unwrap_err();
        assert_eq!(refused.bytes(), page_size().get());
        assert!(refused.raw_os_error().is_some());
        assert_eq!(reserve(), Ok(true));
        assert_eq!(fault.failures(), 1);
    }
}

#[cfg(linux_kernel)]
#[test]
fn addresses_end_where_the_first_stack_does() {
    #[cfg(target_pointer_width = "64")]
    let stacks = [(0x7ffd_1234_5678, 1 << 47), (0x3f_e123_4567, 1 << 38), (1 << 40, 1 << 40)];
    #[cfg(target_pointer_width = "32")]
    let stacks = [
        (0xfff8_1234, usize::MAX),
        (0xbff8_1234, 0xc000_0000),
        (0xaff8_1234, 0xb000_0000),
        (0x7ff8_1234, 0x8000_0000),
    ];
    for (stack, end) in stacks {
        assert_eq!(sys::addresses_up_to(stack), end, "{stack:#x}");
    }
}

#[test]
fn leading_numbers_end_at_the_first_other_character() {
    assert_eq!(leading_number(b"4096 kB"), Some((4096, &b" kB"[..])));
    assert_eq!(leading_number(b"0"), Some((0, &b""[..])));
    for none in [&b""[..], b"kB", b" 1", b"-1", b"18446744073709551616"] {
        assert_eq!(leading_number(none), None, "{none:?}");
    }
    let most = b"18446744073709551615\n";
    assert_eq!(leading_number(most), Some((u64::MAX, &b"\n"[..])));
}

#[cfg(linux_kernel)]
#[test]
fn linux_reports_memory_and_available_memory() {
    let (all, available) = (memory_bytes().unwrap(), available_bytes().unwrap());
    assert!(available > 1 << 20 && available <= all, "{available} of {all}");
    let (_, mapped) = address_limit().unwrap_or((0, Some(1 << 20)));
    assert!(mapped.is_some_and(|mapped| mapped >= 1 << 20), "{mapped:?}");
    assert!(mapping_limit().is_some_and(|limit| limit > 1000));
}
