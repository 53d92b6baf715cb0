//! Arrays and maps in caller-provided memory.

#![expect(unsafe_code, reason = "supplies memory")]

use crate::buffer::{Buffer, Call, Failure, Log};
use stayput::{
    Backing, Bits32, Budget, CommitAhead, DefaultKey, Error, ErrorKind, Growth, Key, Refused,
    Release, SecondaryMap, SlotMap, VmVec, new_key_type,
};
#[cfg(feature = "table")]
use stayput::{DenseSlotMap, Table, indices};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::rc::Rc;
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

const KIB: usize = 1 << 10;

fn words(slots: usize, run: usize) -> (VmVec<u64>, Log) {
    let buffer = Buffer::new(slots * 8, run, 8);
    let log = buffer.log();
    (VmVec::builder().build_in(buffer), log)
}

fn number(len: usize) -> u32 {
    u32::try_from(len).expect("few")
}

/// A map whose values are large enough that a block of 64 slots can be returned: a slot takes 1 KiB.
fn map(slots: usize) -> (SlotMap<DefaultKey, [u32; 255]>, Log) {
    let buffer = Buffer::new(slots * 1024, 4 * KIB, 8);
    let log = buffer.log();
    (SlotMap::builder().build_in(buffer), log)
}

/// Returns `true` if the closure panicked.
fn panics<R>(call: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(call)).is_err()
}

#[test]
fn an_array_uses_the_memory_of_its_backing() {
    let buffer = Buffer::new(100 * KIB + 8, 4 * KIB, 8);
    let (start, log) = (buffer.start(), buffer.log());
    let mut vec = VmVec::<u64>::builder().build_in(buffer);
    assert_eq!((vec.len(), vec.capacity(), vec.max_len()), (0, 0, 12_801));
    assert_eq!(log.calls(Call::Commit), 0);
    for n in 0..12_801 {
        vec.push(n);
        let stats = vec.stats();
        assert_eq!((stats.reserved_bytes, stats.resident_bytes), (100 * KIB + 8, None));
        assert_eq!(stats.committed_bytes, log.committed_bytes());
        assert_eq!((stats.ahead_bytes, stats.late), (0, 0));
    }
    assert_eq!(vec.as_ptr().addr(), start.addr().get());
    let refused = vec.try_push(1).unwrap_err();
    assert_eq!((refused.error.kind(), refused.error.limit()), (ErrorKind::MaxLen, Some(12_801)));
    assert_eq!(
        refused.error.to_string(),
        "this VmVec is full: the memory of its `Backing` holds 12801 elements; provide more"
    );
    assert!(vec.iter().copied().eq(0..12_801));
    // Few calls: 64 KiB, and the rest.
    assert_eq!(log.calls(Call::Commit), 2);
    vec.truncate(1000);
    vec.shrink_to_fit();
    assert_eq!(log.committed_bytes(), 8 * KIB);
    assert!(vec.iter().copied().eq(0..1000));
    drop(vec);
    assert_eq!(log.drops(), 1);
}

#[test]
fn growth_follows_the_options_and_the_smaller_maximum_applies() {
    let new = || Buffer::new(64 * KIB, KIB, 8);
    let growth = Growth::Fixed { step_bytes: 1500 };
    let mut vec = VmVec::<u64>::builder().growth(growth).build_in(new());
    vec.push(1);
    assert_eq!(vec.stats().committed_bytes, 2 * KIB);
    vec.reserve_exact(400);
    assert_eq!(vec.stats().committed_bytes, 4 * KIB);
    let few = VmVec::<u64>::builder().max_len(100).capacity(100).build_in(new());
    assert_eq!((few.max_len(), few.capacity(), few.stats().committed_bytes), (100, 100, KIB));
    let many = VmVec::<u64>::builder().max_len(1 << 20).build_in(new());
    assert_eq!(many.max_len(), 8 * KIB);
    let mut full = VmVec::<u64>::builder().max_len(10_000).build_in(new());
    for additional in [10_000, 10_001] {
        let error = full.try_reserve(additional).unwrap_err();
        assert_eq!(error.limit(), Some(8 * 1024));
        assert!(error.to_string().contains("`Backing`"), "{error}");
    }
    // Arrays made from it have the requested options, and reservations.
    assert_eq!(many.clone().max_len(), 1 << 20);
}

#[test]
fn unsuitable_backings_are_returned() {
    #[derive(Debug)]
    #[repr(align(64))]
    struct Aligned;

    let buffer = Buffer::new(4 * KIB, 64, 32);
    let log = buffer.log();
    let refused = VmVec::<[Aligned; 2]>::builder().try_build_in(buffer).unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::Alignment);
    assert_eq!((refused.error.limit(), refused.error.bytes()), (Some(64), 4 * KIB));
    let refused = SlotMap::<DefaultKey, Aligned>::builder().try_build_in(refused.value);
    let Refused { error, value } = refused.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Alignment);

    let refused = VmVec::<u8>::builder().capacity(4 * KIB + 1).try_build_in(value).unwrap_err();
    assert_eq!((refused.error.kind(), refused.error.limit()), (ErrorKind::MaxLen, Some(4096)));
    let refused = VmVec::<u8>::builder().max_len(9).capacity(10).try_build_in(refused.value);
    let Refused { error, value } = refused.unwrap_err();
    assert_eq!((error.kind(), error.limit()), (ErrorKind::MaxLen, Some(9)));

    log.plan(Call::Commit, Failure::Refuse, 0, 1);
    let refused = VmVec::<u8>::builder().capacity(10).try_build_in(value).unwrap_err();
    assert_eq!((refused.error.kind(), refused.error.raw_os_error()), (ErrorKind::System, Some(77)));
    assert_eq!((log.drops(), log.committed_bytes()), (0, 0));

    let vec = VmVec::<u8>::builder().capacity(4096).build_in(refused.value);
    assert_eq!(vec.capacity(), 4096);
    drop(vec);
    assert_eq!(log.drops(), 1);
}

#[test]
fn a_backing_is_returned_if_keys_cannot_index_the_slots() {
    new_key_type! {
        struct Small: Bits32<6, 3>;
    }
    let buffer = Buffer::new(64 * KIB, 64, 8);
    let refused = SlotMap::<Small, u64>::builder().max_len(65).try_build_in(buffer).unwrap_err();
    assert_eq!((refused.error.kind(), refused.error.limit()), (ErrorKind::KeyBits, Some(64)));
    let builder = SecondaryMap::<Small, u64>::builder().capacity(65);
    let refused = builder.try_build_in(refused.value).unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::KeyBits);
    let mut map = SlotMap::<Small, u64>::builder().build_in(refused.value);
    (0..64).for_each(|n| _ = map.insert(n));
    assert_eq!(map.try_insert(0).unwrap_err().error.kind(), ErrorKind::KeyBits);
}

#[test]
fn backings_with_invalid_answers_are_refused() {
    struct Odd {
        bytes: usize,
        run: usize,
    }

    // SAFETY: no array is built in it.
    unsafe impl Backing for Odd {
        fn start(&self) -> NonNull<u8> {
            NonNull::<u64>::dangling().cast()
        }

        fn reserved_bytes(&self) -> usize {
            self.bytes
        }

        fn run_bytes(&self) -> usize {
            self.run
        }

        unsafe fn commit(&mut self, _: Range<usize>) -> Result<(), Error> {
            unreachable!()
        }

        unsafe fn decommit(&mut self, _: Range<usize>) -> Result<(), Error> {
            unreachable!()
        }
    }

    for (bytes, run, kind) in [
        (4096, 0, ErrorKind::Alignment),
        (4096, 96, ErrorKind::Alignment),
        (4096, usize::MAX / 2 + 1, ErrorKind::Alignment),
        (usize::MAX / 2 + 1, 4096, ErrorKind::CapacityOverflow),
    ] {
        let refused = VmVec::<u8>::builder().try_build_in(Odd { bytes, run }).map(drop);
        assert_eq!(refused.unwrap_err().error.kind(), kind, "{bytes} in runs of {run}");
    }
    // Its memory is never used: there is none.
    let mut empty = VmVec::<u8>::builder().build_in(Odd { bytes: 0, run: 4096 });
    assert_eq!(empty.try_push(1).unwrap_err().error.kind(), ErrorKind::MaxLen);
    empty.shrink_to_fit();
}

#[test]
fn a_refused_commit_loses_nothing() {
    for pass in 0..6 {
        let (mut vec, log) = words(40_000, 4 * KIB);
        log.plan(Call::Commit, Failure::Refuse, pass, usize::MAX);
        let mut n = 0;
        let refused = loop {
            match vec.try_push(n) {
                Ok(()) => n += 1,
                Err(refused) => break refused,
            }
            if n == 40_000 {
                break Refused { error: Error::from_raw_os_error(77, 0), value: n };
            }
        };
        assert_eq!((refused.value, refused.error.raw_os_error()), (n, Some(77)));
        assert!(vec.iter().copied().eq(0..n));
        let before = (vec.capacity(), vec.stats().committed_bytes);
        if n < 40_000 {
            assert!(vec.try_extend_from_slice(&vec![0; vec.capacity() + 1]).is_err());
            assert!(vec.try_insert(0, 9).is_err());
        }
        assert_eq!((vec.capacity(), log.committed_bytes()), before);
        log.plan(Call::Commit, Failure::Refuse, 0, 0);
        vec.extend(n..40_000);
        assert!(vec.iter().copied().eq(0..40_000));
    }
}

#[test]
fn a_refused_commit_changes_no_map() {
    for pass in 0..4 {
        let (mut map, log) = map(640);
        log.plan(Call::Commit, Failure::Refuse, pass, usize::MAX);
        let mut keys = Vec::new();
        let refused = loop {
            match map.try_insert([number(keys.len()); 255]) {
                Ok(key) => keys.push(key),
                Err(refused) => break refused,
            }
        };
        assert_eq!(refused.value[126], number(keys.len()));
        let is_full = keys.len() == 640;
        assert_eq!(refused.error.raw_os_error(), (!is_full).then_some(77));
        assert!(is_full || map.try_reserve(640 - keys.len()).is_err());
        assert!(map.values().map(|value| value[126]).eq(0..number(keys.len())));
        assert!(keys.iter().zip(0..).all(|(key, n)| map[*key] == [n; 255]));
        log.plan(Call::Commit, Failure::Refuse, 0, 0);
        (number(keys.len())..640).for_each(|n| keys.push(map.insert([n; 255])));

        let buffer = Buffer::new(640 * 64, 64, 8);
        let log = buffer.log();
        let mut second = SecondaryMap::<DefaultKey, [u64; 7]>::builder().build_in(buffer);
        log.plan(Call::Commit, Failure::Refuse, 0, usize::MAX);
        let refused = second.try_insert(keys[0], [1; 7]).unwrap_err();
        assert_eq!((refused.value, refused.error.raw_os_error()), ([1; 7], Some(77)));
        assert!(second.is_empty());
        log.plan(Call::Commit, Failure::Refuse, 0, 0);
        assert_eq!(second.insert(keys[0], [1; 7]), None);
        assert_eq!(second[keys[0]], [1; 7]);
    }
}

#[test]
fn a_refused_growth_step_falls_back_to_what_is_needed() {
    let (mut vec, log) = words(40_000, 4 * KIB);
    log.plan(Call::Commit, Failure::Refuse, 0, 3);
    vec.push(1);
    // 64, 32 and 16 KiB were refused.
    assert_eq!((log.committed_bytes(), log.calls(Call::Commit)), (8 * KIB, 4));
}

#[test]
fn growth_steps_double_and_continue_from_a_smaller_one() {
    let (mut vec, log) = words(1 << 20, 4 * KIB);
    let mut grow = |refused| {
        log.plan(Call::Commit, Failure::Refuse, 0, refused);
        let before = log.committed_bytes();
        vec.extend((vec.len()..vec.capacity()).map(|_| 1));
        vec.push(1);
        (log.committed_bytes() - before) / KIB
    };
    assert_eq!([grow(0), grow(0), grow(0)], [64, 128, 256]);
    // Half of what was refused.
    assert_eq!([grow(1), grow(0), grow(0)], [256, 256, 512]);
}

#[test]
fn a_refused_decommit_loses_nothing() {
    let (mut vec, log) = words(40_000, 4 * KIB);
    vec.extend(0..40_000);
    vec.truncate(5000);
    let before = (vec.capacity(), log.committed_bytes());
    log.plan(Call::Decommit, Failure::Refuse, 0, 1);
    assert_eq!(vec.try_shrink_to_fit().unwrap_err().raw_os_error(), Some(77));
    assert_eq!((vec.capacity(), log.committed_bytes()), before);
    vec.extend(5000..20_000);
    assert!(vec.iter().copied().eq(0..20_000));
    let given = vec.shrink_to_fit_within(Budget::UNLIMITED).unwrap();
    assert_eq!((given.is_done, log.committed_bytes()), (true, 160 * KIB));
}

#[test]
fn slots_are_trimmed_and_come_back_empty() {
    for refuse in [0, 1] {
        let (mut map, log) = map(640);
        let keys: Vec<_> = (0..640).map(|n| map.insert([n; 255])).collect();
        map.retain(|_, value| value[0] % 320 == 319);
        log.plan(Call::Discard, Failure::Refuse, 0, refuse);
        assert_eq!(map.try_trim().is_err(), refuse == 1);
        log.plan(Call::Discard, Failure::Refuse, 0, 0);
        map.trim();
        assert!(log.calls(Call::Discard) > refuse);
        assert!(map.stats().trimmed >= 256);
        assert_eq!(map.stats().resident_bytes, None);
        for (n, key) in keys.iter().enumerate() {
            assert_eq!(map.get(*key).is_some(), n % 320 == 319);
        }
        let new: Vec<_> = (0..638).map(|n| map.insert([n; 255])).collect();
        assert!(keys.iter().filter(|key| map.contains_key(**key)).count() == 2);
        assert!(new.iter().zip(0..).all(|(key, n)| map[*key] == [n; 255]));
        assert_eq!(map.try_insert([0; 255]).unwrap_err().error.kind(), ErrorKind::MaxLen);
    }
}

#[cfg(feature = "table")]
indices! { struct ByNumber for [u64; 7] { number: Unique<u64> = |row| &row[0], } }

#[cfg(feature = "table")]
#[test]
fn dense_maps_and_tables_use_a_backing_and_return_it_if_they_are_refused() {
    new_key_type! { struct Small: Bits32<6, 3>; }

    // A slot of a table is a row and a state.
    let room = || Buffer::new(64 * 100, 64, 8);
    let builder_of_table = || Table::<[u64; 7], ByNumber, DefaultKey>::builder();
    let buffer = room();
    let (start, of_dense) = (buffer.start(), buffer.log());
    let mut dense = DenseSlotMap::<DefaultKey, [u64; 8]>::builder().capacity(3).build_in(buffer);
    assert_eq!((dense.max_len(), of_dense.committed_bytes()), (100, 192));
    let keys: Vec<_> = (0..100).map(|n| dense.insert([n; 8])).collect();
    assert_eq!(dense.as_slice().as_ptr().addr(), start.addr().get());
    let refused = dense.try_insert([0; 8]).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value), (ErrorKind::MaxLen, [0; 8]));
    assert!(refused.error.to_string().starts_with("this DenseSlotMap is full"));
    assert_eq!(dense.remove(keys[0]), Some([0; 8]));
    assert_eq!(dense[dense.keys().next().unwrap()], [99; 8]);
    dense.clear();
    dense.shrink_to_fit();
    assert_eq!(of_dense.committed_bytes(), 0);
    drop(dense);
    assert_eq!(of_dense.drops(), 1);

    let buffer = room();
    let of_table = buffer.log();
    let mut table = builder_of_table().capacity(3).build_in(buffer);
    // 100 where `u64` is aligned to 8 bytes, and more where it is to 4.
    let most = 64 * 100 / SlotMap::<DefaultKey, [u64; 7]>::STRIDE_BYTES;
    assert_eq!((table.rows().max_len(), of_table.committed_bytes()), (most, 192));
    let keys: Vec<_> = (0..most as u64).map(|n| table.insert([n; 7])).collect();
    let refused = table.try_insert([1000; 7]).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value), (ErrorKind::MaxLen, [1000; 7]));
    assert_eq!(table.find(|by| &by.number, &7), Some((keys[7], &[7; 7])));
    assert_eq!(table.try_insert([7; 7]).unwrap_err().error.kind(), ErrorKind::MaxLen);
    drop(table);
    assert_eq!(of_table.drops(), 1);

    // More than fits, than the maximum, or than keys can index.
    let mut value = room();
    for (capacity, max_len) in [(most + 1, None), (10, Some(9))] {
        let mut builder = DenseSlotMap::<DefaultKey, [u64; 8]>::builder().capacity(capacity);
        let mut of_table = builder_of_table().capacity(capacity);
        if let Some(max_len) = max_len {
            (builder, of_table) = (builder.max_len(max_len), of_table.max_len(max_len));
        }
        let refused = builder.try_build_in(value).unwrap_err();
        assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
        let refused = of_table.try_build_in(refused.value).unwrap_err();
        assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
        value = refused.value;
    }
    let refused =
        DenseSlotMap::<Small, u64>::builder().max_len(65).try_build_in(value).unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::KeyBits);
    let log = refused.value.log();
    assert_eq!((log.committed_bytes(), log.drops()), (0, 0));
}

/// A backing with only the required methods, and something that is dropped with it.
struct Least<D>(Buffer, D);

// SAFETY: `Buffer` upholds the contract, and the default methods only write where they may.
unsafe impl<D: Send + Sync + 'static> Backing for Least<D> {
    fn start(&self) -> NonNull<u8> {
        self.0.start()
    }

    fn reserved_bytes(&self) -> usize {
        self.0.reserved_bytes()
    }

    unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: this is what the caller guarantees.
        unsafe { self.0.commit(range) }
    }

    unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: this is what the caller guarantees.
        unsafe { self.0.decommit(range) }
    }
}

#[test]
fn default_methods_work() {
    let buffer = Buffer::new(1 << 20, 64 * KIB, 8);
    let log = buffer.log();
    let mut map = SlotMap::<DefaultKey, [u32; 255]>::builder().build_in(Least(buffer, ()));
    map.prefault(10);
    let keys: Vec<_> = (0..1024).map(|n| map.insert([n; 255])).collect();
    map.retain(|_, value| value[0] == 1023);
    map.trim();
    assert!(map.stats().trimmed > 900);
    assert!(keys[..1023].iter().all(|key| !map.contains_key(*key)));
    (0..1023).for_each(|n| _ = map.insert([n; 255]));
    assert!(keys[..1023].iter().all(|key| !map.contains_key(*key)));
    assert_eq!(map[keys[1023]], [1023; 255]);
    assert_eq!((log.calls(Call::Discard), log.calls(Call::Prefault)), (0, 0));
}

#[test]
fn the_default_discard_clears_its_range_and_no_other() {
    let mut memory = Least(Buffer::new(64 * KIB, 4 * KIB, 8), ());
    let first = memory.start();
    // SAFETY: whole runs inside the memory, which nothing else uses.
    unsafe { memory.commit(0..12 * KIB) }.unwrap();
    // SAFETY: these bytes are committed.
    unsafe { first.write_bytes(1, 12 * KIB) };
    // SAFETY: a run of those, which nothing uses.
    unsafe { memory.discard(4 * KIB..8 * KIB) }.unwrap();
    // SAFETY: committed and written; nothing writes to them while the slice is used.
    let bytes = unsafe { slice::from_raw_parts(first.as_ptr(), 12 * KIB) };
    let expected = |at: usize| u8::from(!(4 * KIB..8 * KIB).contains(&at));
    assert!(bytes.iter().enumerate().all(|(at, byte)| *byte == expected(at)));
}

#[test]
fn after_a_panic_an_array_keeps_what_it_has_and_makes_no_more_calls() {
    for call in [Call::Commit, Call::Decommit, Call::Prefault] {
        let (mut vec, log) = words(40_000, 4 * KIB);
        vec.extend(0..30_000);
        vec.truncate(9000);
        log.plan(call, Failure::Panic, 0, 1);
        let panicked = panics(|| match call {
            Call::Commit => vec.reserve(30_000),
            Call::Decommit => vec.shrink_to_fit(),
            _ => vec.prefault(20),
        });
        assert!(panicked, "{call:?}");
        assert!(vec.iter().copied().eq(0..9000));
        // Committed memory can still be used, to the end of its run.
        let before = log.committed_bytes();
        let refused = loop {
            let len = vec.len() as u64;
            if let Err(refused) = vec.try_push(len) {
                break refused;
            }
        };
        assert_eq!(refused.error.kind(), ErrorKind::System);
        assert!(vec.len() * 8 <= before && log.committed_bytes() == before);
        assert!(call != Call::Decommit || vec.len() < 9000 + 512);
        assert!(vec.iter().copied().eq(0..vec.len() as u64));
        vec.truncate(10);
        let _ = vec.try_shrink_to_fit();
        assert!(vec.iter().copied().eq(0..10));
        drop(vec);
        assert_eq!(log.drops(), 1);
    }
}

#[test]
fn after_a_panic_a_map_finds_what_it_has() {
    for call in [Call::Commit, Call::Decommit, Call::Discard, Call::Prefault] {
        let (mut map, log) = map(640);
        let mut keys: Vec<_> = (0..500).map(|n| map.insert([n; 255])).collect();
        for key in keys.drain(100..300) {
            map.remove(key);
        }
        for key in keys.drain(210..) {
            map.remove(key);
        }
        log.plan(call, Failure::Panic, 0, 1);
        let panicked = panics(|| match call {
            Call::Commit => map.reserve(600),
            Call::Decommit => map.shrink_to_fit(),
            Call::Discard => {
                // The tail goes before it.
                log.plan(call, Failure::Panic, 0, 1);
                map.trim();
            }
            Call::Prefault => map.prefault(290),
        });
        assert!(panicked || call == Call::Prefault, "{call:?}");
        let expected: Vec<u32> = (0..100).chain(300..410).collect();
        assert!(keys.iter().map(|key| map[*key][0]).eq(expected.iter().copied()));
        assert!(map.values().map(|value| value[126]).eq(expected.iter().copied()));
        let mut count = 0;
        while map.try_insert([7; 255]).is_ok() {
            count += 1;
        }
        assert!(count >= 90, "holes are filled: {count}");
        assert!(keys.iter().map(|key| map[*key][0]).eq(expected));
        map.clear();
        drop(map);
        assert_eq!(log.drops(), 1);
    }
}

#[test]
fn trimmed_memory_is_counted_although_a_call_panicked() {
    let trimmed = |plan: Option<Failure>| {
        let buffer = Buffer::new(640 * KIB, 4 * KIB, 8);
        let log = buffer.log();
        let builder = SlotMap::<DefaultKey, [u32; 255]>::builder();
        let mut map = builder.build_in(buffer);
        (0..640).for_each(|n| _ = map.insert([n; 255]));
        map.retain(|_, value| value[0] == 639);
        if let Some(failure) = plan {
            log.plan(Call::Discard, failure, 0, 1);
        }
        let is_refused = panics(|| map.try_trim().expect("it is not refused"));
        assert_eq!(is_refused, plan.is_some());
        let trimmed = map.stats().trimmed;
        let kept = map.clone().stats();
        assert_eq!((kept.holes, kept.trimmed), (639, trimmed));
        while map.stats().holes > 0 {
            map.insert([0; 255]);
        }
        assert_eq!((map.len(), map.stats().trimmed), (640, 0));
        trimmed
    };
    let all = trimmed(None);
    assert!(all >= 512, "{all}");
    assert_eq!(trimmed(Some(Failure::PanicLate)), all);
    assert_eq!(trimmed(Some(Failure::Panic)), 0);
    assert_eq!(trimmed(Some(Failure::Refuse)), 0);
}

#[test]
fn a_backing_is_dropped_once_after_the_elements() {
    struct Element(Log);

    impl Drop for Element {
        fn drop(&mut self) {
            assert_eq!(self.0.drops(), 0, "the memory has gone before the element");
        }
    }

    let supply = || {
        let buffer = Buffer::new(64 * KIB, 4 * KIB, 8);
        let log = buffer.log();
        (buffer, log)
    };
    let full = || {
        let (buffer, log) = supply();
        let mut vec = VmVec::builder().build_in(buffer);
        vec.extend((0..100).map(|_| Element(log.clone())));
        (vec, log)
    };
    let (vec, log) = full();
    drop(vec);
    assert_eq!(log.drops(), 1);

    let (vec, log) = full();
    let mut iter = vec.into_iter();
    drop(iter.next());
    drop(iter);
    assert_eq!(log.drops(), 1);

    let (buffer, log) = supply();
    let mut map = SlotMap::<DefaultKey, Element>::builder().capacity(10).build_in(buffer);
    (0..100).for_each(|_| _ = map.insert(Element(log.clone())));
    drop(map);
    assert_eq!(log.drops(), 1);

    let (buffer, log) = supply();
    let mut keys = SlotMap::new();
    let mut second = SecondaryMap::builder().capacity(10).build_in(buffer);
    (0..100).for_each(|n| drop(second.insert(keys.insert(n), Element(log.clone()))));
    drop(second);
    assert_eq!(log.drops(), 1);
}

#[test]
fn elements_are_dropped_although_a_backing_panics_when_it_is_dropped_after_a_conversion() {
    struct Panics;

    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }

    let element = Rc::new(());
    let elements = || {
        let mut vec = VmVec::builder().build_in(Least(Buffer::new(64 * KIB, 4 * KIB, 8), Panics));
        vec.extend([(); 3].map(|()| Rc::clone(&element)));
        vec
    };
    assert!(panics(|| Vec::from(elements())));
    assert!(panics(|| Box::<[_]>::from(elements())));
    assert!(panics(|| <[_; 3]>::try_from(elements())));
    #[cfg(feature = "block-vec")]
    assert!(panics(|| stayput::BlockVec::from(elements())));
    assert!(panics(|| elements().into_iter().collect::<Vec<_>>()));
    assert_eq!(Rc::strong_count(&element), 1);
}

#[test]
fn arrays_made_from_one_in_a_backing_have_reservations() {
    let (mut vec, log) = words(1000, 64);
    vec.extend(0..1000);
    let clone = vec.clone();
    assert!(clone.max_len() > 1000);
    assert_ne!(clone.as_ptr(), vec.as_ptr());
    let rest = vec.split_off(500);
    assert!(rest.iter().copied().eq(500..1000) && rest.max_len() > 1000);
    let boxed = vec.into_boxed_slice();
    assert_eq!(log.drops(), 1);
    assert!(boxed.iter().copied().eq(0..500) && clone.iter().copied().eq(0..1000));

    let (map, log) = map(64);
    let clone = map.clone();
    drop(map);
    assert_eq!((log.drops(), clone.len()), (1, 0));
}

#[test]
fn flattened_elements_stay_where_they_are() {
    let buffer = Buffer::new(100 * 24, 64, 8);
    let (start, log) = (buffer.start(), buffer.log());
    let mut triples = VmVec::<[u64; 3]>::builder().build_in(buffer);
    triples.extend((0..100).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]));
    let flat = triples.into_flattened();
    assert_eq!((flat.as_ptr().addr(), flat.max_len()), (start.addr().get(), 300));
    assert!(flat.iter().copied().eq(0..300));
    drop(flat);
    assert_eq!(log.drops(), 1);

    // From arrays of zero-sized elements to elements with a size.
    let mut none = VmVec::<[u64; 0]>::builder().build_in(Buffer::new(800, 64, 8));
    none.extend([[]; 1000]);
    let mut flat = none.into_flattened();
    assert_eq!((flat.len(), flat.max_len()), (0, 100));
    flat.extend(0..100);
    assert!(flat.iter().copied().eq(0..100) && flat.try_push(0).is_err());
}

#[test]
fn a_leaked_array_keeps_its_backing() {
    static WORDS: [AtomicU64; 8] = [const { AtomicU64::new(0) }; 8];
    static IS_DROPPED: AtomicBool = AtomicBool::new(false);
    /// Where the backing is, so that leak checkers find it.
    static PLACE: AtomicPtr<Kept> = AtomicPtr::new(ptr::null_mut());

    struct Kept;

    // SAFETY: the memory is that of a static, which is zero and which nothing else uses.
    unsafe impl Backing for Kept {
        fn start(&self) -> NonNull<u8> {
            NonNull::from(&WORDS).cast()
        }

        fn reserved_bytes(&self) -> usize {
            64
        }

        unsafe fn commit(&mut self, _: Range<usize>) -> Result<(), Error> {
            PLACE.store(self, Ordering::Relaxed);
            Ok(())
        }

        unsafe fn decommit(&mut self, _: Range<usize>) -> Result<(), Error> {
            Ok(())
        }

        fn run_bytes(&self) -> usize {
            64
        }
    }

    impl Drop for Kept {
        fn drop(&mut self) {
            IS_DROPPED.store(true, Ordering::Relaxed);
        }
    }

    let mut vec = VmVec::<u64>::builder().build_in(Kept);
    vec.extend([1, 2, 3]);
    let leaked: &'static mut [u64] = vec.leak();
    assert_eq!(leaked, [1, 2, 3]);
    assert!(!IS_DROPPED.load(Ordering::Relaxed));
}

#[test]
fn elements_of_size_zero_make_no_calls() {
    let buffer = Buffer::new(KIB, 64, 8);
    let log = buffer.log();
    let mut vec = VmVec::<()>::builder().capacity(5).build_in(buffer);
    vec.extend([(); 10_000]);
    vec.prefault(100);
    assert_eq!(vec.prefault_ahead(Budget::UNLIMITED).bytes, 0);
    vec.shrink_to_fit();
    assert_eq!((vec.len(), vec.capacity(), vec.max_len()), (10_000, usize::MAX, usize::MAX));
    for call in [Call::Commit, Call::Decommit, Call::Discard, Call::Prefault] {
        assert_eq!(log.calls(call), 0);
    }
    drop(vec);
    assert_eq!(log.drops(), 1);
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is made ready there")]
fn a_backing_prefaults_its_pages_and_nothing_runs_in_the_background() {
    let buffer = Buffer::new(1 << 20, 4 * KIB, 8);
    let log = buffer.log();
    let builder = VmVec::<u64>::builder().commit_ahead(CommitAhead::Auto);
    let mut vec = builder.release(Release::Background).build_in(buffer);
    assert_eq!((log.committed_bytes(), vec.stats().ahead_bytes), (0, 0));
    vec.prefault(1000);
    assert_eq!(log.calls(Call::Prefault), 1);
    let piece = vec.prefault_ahead(Budget::bytes(1));
    assert_eq!((piece.bytes, piece.refused), (64 * KIB, None));
    log.plan(Call::Prefault, Failure::Refuse, 0, 1);
    let refused = vec.prefault_ahead(Budget::UNLIMITED);
    assert_eq!(refused.refused.and_then(|error| error.raw_os_error()), Some(77));
    let rest = vec.prefault_ahead(Budget::UNLIMITED);
    assert_eq!((rest.ahead_bytes, rest.refused), (1 << 20, None));
    assert_eq!(log.committed_bytes(), 1 << 20);
    drop(vec);
    assert_eq!(log.drops(), 1);
}

#[test]
fn references_stay_valid_in_a_scope() {
    let (mut vec, log) = words(40_000, 64);
    let scope = vec.grow_only();
    let kept: Vec<&u64> = (0..40_000).map(|n| scope.push(n)).collect();
    assert!(kept.into_iter().copied().eq(0..40_000));
    assert!(scope.try_push(0).is_err());
    log.plan(Call::Commit, Failure::Panic, 0, 1);
    let (mut vec, log) = words(40_000, 64);
    let scope = vec.grow_only();
    let first = scope.push(1);
    log.plan(Call::Commit, Failure::Panic, 0, 1);
    assert!(panics(|| scope.reserve(30_000)));
    let second = scope.push(2);
    assert_eq!((*first, *second, scope.len()), (1, 2, 2));
}

#[test]
fn a_secondary_map_uses_the_memory_of_its_backing() {
    let mut keys = SlotMap::new();
    let all: Vec<_> = (0..1000).map(|n| keys.insert(n)).collect();
    let buffer = Buffer::new(8000, 64, 4);
    let log = buffer.log();
    let mut map = SecondaryMap::<DefaultKey, u32>::builder().build_in(buffer);
    assert_eq!(map.max_len(), 1000);
    for (key, n) in all.iter().zip(0..) {
        map.insert(*key, n);
    }
    let stats = map.stats();
    // One bit per slot is allocated elsewhere.
    assert!(stats.reserved_bytes >= 8000 + 1000 / 8 && stats.resident_bytes.is_none());
    assert!(stats.committed_bytes >= log.committed_bytes() + 1000 / 8);
    let (one_more, more) = (keys.insert(1), map.clone());
    assert_eq!(map.try_insert(one_more, 1).unwrap_err().error.kind(), ErrorKind::MaxLen);
    drop(map);
    assert_eq!(log.drops(), 1);
    assert!(all.iter().zip(0..).all(|(key, n)| more[*key] == n));
    assert!(one_more.index() == 1000);
}
