//! Tests with refused calls. All others are in `tests/it`.

use super::*;
use crate::__key_type;
use crate::error::Error;
use crate::error::{ErrorKind, Refused};
use crate::key::{Bits32, DefaultKey, KeyData};
use crate::os::Call;
use crate::os::fault::Fault;
use crate::reservation::HugePages;
use std::collections::HashSet;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

__key_type! { struct Few: Bits32<20, 4> }

/// 64 slots of these are a block whose memory can be returned.
type Large = [u8; 1020];

type Map<V> = SlotMap<DefaultKey, V>;

fn plain<V>() -> Map<V> {
    SlotMap::builder().huge_pages(HugePages::Never).build()
}

/// Returns a map whose memory has no room for another value.
fn full() -> Map<String> {
    let mut map = plain();
    map.insert("first".to_owned());
    map.extend((1..map.capacity()).map(|n| n.to_string()));
    assert_eq!(map.len(), map.capacity());
    map
}

fn check(map: &Map<String>, len: usize) {
    let visited = map.iter().fold(0, |count, _| count + 1);
    assert_eq!((map.len(), map.iter().len(), map.iter().count(), visited), (len, len, len, len));
    assert_eq!(map.values().next().map(String::as_str), Some("first"));
    assert!(map.iter().skip(1).all(|(key, value)| *value == key.data().index().to_string()));
}

/// Runs `call` on a full map with every commit refused, and checks that nothing has changed.
fn refused<R>(call: impl FnOnce(&mut Map<String>) -> Result<R, Error>) {
    let mut map = full();
    let before = (map.len(), map.capacity());
    let fault = Fault::from_nth(Call::Commit, 0);
    let error = call(&mut map).err().expect("planned");
    assert!(fault.failures() > 0);
    drop(fault);
    assert_eq!((map.len(), map.capacity()), before);
    check(&map, before.0);
    assert!(error.raw_os_error().is_some() && error.bytes() >= crate::page_size());
    let key = map.insert(before.0.to_string());
    assert_eq!(key.data().index() as usize, before.0);
    check(&map, before.0 + 1);
}

/// Begins to share a map.
#[expect(unsafe_code, reason = "replaces the map")]
fn shared<K: Key>(map: SlotMap<K, u64>) -> Sharing<K, u64> {
    let mut sharing = Sharing::new();
    // SAFETY: no ticket was used, and only this thread has the map.
    unsafe { sharing.end(0, UnusedTickets::None) };
    // SAFETY: just ended.
    *unsafe { sharing.map_mut() } = map;
    sharing.begin();
    sharing
}

/// Ends sharing after a fork cut off the thread that was listing holes, which `cut` simulates.
#[expect(unsafe_code, reason = "ends the sharing that it began")]
fn cut_off<K: Key>(
    map: SlotMap<K, u64>,
    need: usize,
    cut: impl FnOnce(&mut SlotMap<K, u64>),
) -> SlotMap<K, u64> {
    let mut sharing = shared(map);
    sharing.try_grow(need).unwrap();
    // SAFETY: only this thread has the map.
    cut(unsafe { sharing.map_mut() });
    // SAFETY: as above; no ticket was used.
    unsafe { sharing.end(0, UnusedTickets::Anywhere) };
    // SAFETY: just ended.
    mem::take(unsafe { sharing.map_mut() })
}

#[test]
fn holes_that_a_fork_has_lost_are_found_again() {
    let made = || {
        let mut map: Map<u64> = (0..1000).collect();
        map.retain(|key, _| key.data().index() % 3 == 0);
        map
    };
    let cuts: [fn(&mut Map<u64>); 5] = [
        // Removed from the bitmap, and not in front yet.
        |map| _ = map.holes.bitmap_mut().take_word(699, 64),
        // Removed from the front, and not in the list yet.
        |map| _ = map.holes.pop().unwrap(),
        // In both.
        |map| map.holes.mark(map.holes.first().unwrap().index()),
        // The bit has changed, and what depends on it has not.
        |map| map.holes.bitmap_mut().cut_off(0xff),
        |map| map.holes.bitmap_mut().cut_off(usize::MAX),
    ];
    for cut in cuts {
        for need in [1, 100, 600] {
            let mut map = cut_off(made(), need, cut);
            map.holes.bitmap().check();
            assert_eq!((map.len(), map.iter().count(), map.stats().holes), (334, 334, 666));
            assert_eq!(map.stats().trimmed, 0);
            map.extend(0..666);
            assert_eq!((map.len(), map.slots.len(), map.stats().holes), (1000, 1000, 0));
        }
    }

    // If some slots are detached, lost holes count as detached.
    let mut map = made();
    let key = map.keys().nth(100).unwrap();
    assert_eq!(map.detach(key), Some(300));
    let mut map = cut_off(map, 1, cuts[1]);
    assert_eq!((map.len(), map.iter().count(), map.stats().holes), (333, 333, 665));
    assert_eq!(map.stats().detached, 2);
    map.reattach(key, 7);
    assert_eq!((map[key], map.len(), map.stats().detached), (7, 334, 1));
}

#[test]
fn retired_detached_and_trimmed_slots_stay_so_after_a_fork() {
    let mut map: SlotMap<Few, u64> = SlotMap::with_key();
    while map.stats().retired == 0 {
        let key = map.insert(0);
        map.remove(key);
    }
    let detached = map.insert(1);
    map.detach(detached);
    map.insert_at(KeyData::from_parts(100, 1, 0).unwrap().into(), 2);
    let before = map.stats();
    assert_eq!((before.live, before.holes, before.trimmed), (1, 98, 98));
    let mut map = cut_off(map, 1, |_| ());
    let after = map.stats();
    assert_eq!((after.retired, after.detached), (1, 1));
    assert_eq!((after.live, after.holes, after.trimmed), (1, 98, 98));
    map.reattach(detached, 3);
    assert_eq!(map[detached], 3);
}

#[test]
fn a_shared_map_that_is_full_has_a_ticket_for_each_hole_and_slot() {
    let mut map: Map<u64> = SlotMap::with_max_len(100_000);
    map.extend(0..300);
    map.retain(|_, n| *n >= 100);
    let mut sharing = shared(map);
    assert!(sharing.try_grow(100_000).is_err());
    let most = 100 + 99_700;
    assert_eq!((sharing.most_tickets(), sharing.is_at_end()), (most, false));
    sharing.try_grow(most).unwrap();
    assert_eq!((sharing.tickets(), sharing.is_at_end()), (most, true));
}

#[test]
fn refused_memory_for_more_tickets_than_needed_is_no_error() {
    let made = || {
        let mut map: Map<u64> = (0..100_000).collect();
        map.retain(|_, n| *n == 0);
        let mut sharing = shared(map);
        sharing.try_grow(1).unwrap();
        sharing
    };
    let [mut sharing, mut other] = [made(), made()];
    let fault = Fault::from_nth(Call::Commit, 0);
    while fault.failures() == 0 {
        let need = sharing.tickets() + 1;
        sharing.try_grow(need).unwrap();
        assert!(sharing.tickets() >= need);
    }
    // The list is full now.
    let full = sharing.tickets();
    assert!(sharing.try_grow(full + 1).is_err());
    for need in [full - 1, full] {
        other.try_grow(need).unwrap();
        assert_eq!(other.tickets(), need);
    }
}

#[test]
fn refused_calls_return_the_values_and_change_nothing() {
    refused(|map| {
        let refused = map.try_insert("new".to_owned()).unwrap_err();
        assert_eq!(refused.value, "new");
        Err::<(), _>(refused.error)
    });
    refused(|map| {
        let refused = map.grow_only().try_insert("new".to_owned()).map(drop).unwrap_err();
        assert_eq!(refused.value, "new");
        Err::<(), _>(refused.error)
    });
    refused(|map| {
        let mut keys = Vec::new();
        let refused = map.try_insert_many(["a", "b"].map(str::to_owned), &mut keys).unwrap_err();
        assert!(refused.value.eq(["a", "b"]) && keys.is_empty());
        Err::<(), _>(refused.error)
    });
    refused(|map| {
        let after = u32::try_from(map.capacity()).unwrap() + 10;
        for index in [after - 10, after] {
            let key = KeyData::from_parts(index, 3, 0).unwrap().into();
            let refused = map.try_insert_at(key, "new".to_owned()).unwrap_err();
            assert_eq!((refused.value, map.holes.count()), ("new".to_owned(), 0));
        }
        Err::<(), _>(map.try_vacant_entry().map(drop).unwrap_err())
    });
    refused(|map| map.try_reserve(1));
    refused(|map| map.try_reserve_exact(1));
    refused(|map| map.try_prefault(1));
    refused(|map| map.grow_only().try_reserve(1));
    refused(|map| map.try_clone());
}

#[test]
fn infallible_calls_panic_with_the_text_of_the_error() {
    let calls: [fn(&mut Map<String>); 7] = [
        |map| assert!(map.insert("new".to_owned()).is_null()),
        |map| assert!(map.insert_with_key(|_| unreachable!("room comes first")).is_null()),
        |map| assert!(map.try_insert_with_key(|_| Err::<String, ()>(())).is_ok()),
        |map| map.extend(["new".to_owned()]),
        |map| map.reserve(1),
        |map| drop(map.clone()),
        |map| assert_eq!(map.grow_only().insert("new".to_owned()).1, ""),
    ];
    for call in calls {
        let mut map = full();
        let len = map.len();
        let fault = Fault::from_nth(Call::Commit, 0);
        let panic = catch_unwind(AssertUnwindSafe(|| call(&mut map))).unwrap_err();
        drop(fault);
        let text = panic.downcast_ref::<String>().unwrap();
        assert!(text.starts_with("stayput: ") && text.contains("bytes"), "{text}");
        check(&map, len);
    }
}

#[test]
fn holes_are_filled_if_there_is_no_memory_for_more_slots() {
    for reuse in [Reuse::Recent, Reuse::Lowest, Reuse::Rotating { min_free: 1000 }] {
        let mut map = full();
        map.holes = Holes::try_in(reuse).unwrap();
        map.cover_holes().unwrap();
        let key = map.get_by_index(5).unwrap().0;
        map.remove(key);
        let fault = Fault::from_nth(Call::Commit, 0);
        let again = map.try_insert("5".to_owned()).unwrap();
        assert!(map.try_insert("none".to_owned()).is_err());
        drop(fault);
        assert_eq!((again.data().index(), again.data().generation()), (5, 2));
        check(&map, map.capacity());
    }
}

/// Grows, removes, trims and grows again, while calls of one kind are refused: those after the first `pass`, one or
/// all. Checks that no value is lost and that no key finds another value.
fn with_refusals(call: Call, pass: usize, refuse: usize) -> usize {
    let mut map: SlotMap<Few, [u16; 510]> = SlotMap::builder()
        .huge_pages(HugePages::Never)
        .growth(crate::Growth::Fixed { step_bytes: 0 })
        .build();
    let mut keys: Vec<(Few, u16)> = Vec::new();
    let mut gone = HashSet::from([Few::NULL]);
    let fault = Fault::plan(call, pass, refuse);
    for round in 0..6_u16 {
        for n in 0..300 {
            let number = round * 1000 + n;
            match map.try_insert([number; 510]) {
                Ok(key) => {
                    assert!(!gone.contains(&key), "{key:?} was made again");
                    keys.push((key, number));
                }
                Err(Refused { value, .. }) => assert_eq!(value, [number; 510]),
            }
        }
        let keep = |n: usize| n < 20 || round % 2 == 0 && n % 260 == 0;
        for (n, (key, number)) in mem::take(&mut keys).into_iter().enumerate() {
            if keep(n) {
                keys.push((key, number));
            } else {
                assert_eq!(map.remove(key), Some([number; 510]));
                gone.insert(key);
            }
        }
        // If commits of resident pages were refused repeatedly, which no system does, returning pages between values
        // would abort.
        if round % 2 == 0 && (call != Call::Commit || refuse == 1) {
            map.trim();
        } else {
            map.shrink_to_fit();
        }
        let stats = map.stats();
        assert_eq!(stats.live, keys.len());
        assert_eq!(stats.live + stats.holes + stats.retired, map.slots.len());
        assert!(stats.trimmed <= stats.holes);
        assert!(keys.iter().all(|(key, number)| map[*key] == [*number; 510]));
        assert!(gone.iter().all(|key| !map.contains_key(*key)));
        assert_eq!(map.values().count(), keys.len());
    }
    let failures = fault.failures();
    drop(fault);
    map.clear();
    map.trim();
    gone.extend(keys.iter().map(|(key, _)| *key));
    for n in 0..1000 {
        let key = map.insert([n; 510]);
        assert!(!gone.contains(&key), "{key:?} was made again");
    }
    failures
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn no_value_is_lost_and_no_key_finds_another_value_whatever_call_is_refused() {
    for call in [Call::Reserve, Call::Commit, Call::Decommit, Call::Discard] {
        let mut failures = 0;
        for pass in 0..12 {
            failures += with_refusals(call, pass, 1);
        }
        for pass in [0, 1, 3, 6] {
            failures += with_refusals(call, pass, usize::MAX);
        }
        assert!(failures > 4, "{call:?} was refused {failures} times");
    }
}

#[test]
fn no_key_is_repeated_after_a_clear_wherever_generations_are_stored() {
    use crate::key::Layout;
    let last = <<DefaultKey as Key>::Layout as Layout>::MAX_GENERATION;
    for start in (last / 2 - 5..last / 2 + 2).chain(last - 5..last) {
        let mut map: Map<u32> = plain();
        map.highest = start;
        map.holes.try_cold_mut().unwrap().floors.set_all(start);
        let mut made = HashSet::new();
        for round in 0..12 {
            for n in 0..10 {
                let key = map.insert(n);
                assert!(made.insert(key), "{key:?} was made again");
                assert!((start + 1..=last).contains(&key.data().generation()));
                if n % 4 < round % 5 {
                    map.remove(key);
                }
            }
            map.clear();
            assert!(made.iter().all(|key| !map.contains_key(*key)));
            assert!(map.highest < last);
            let stats = map.stats();
            assert_eq!((stats.live, stats.holes + stats.retired), (0, map.slots.len()));
        }
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "the bits are a heap block there")]
fn a_map_whose_addresses_are_refused_stays_empty_and_usable() {
    // For the slots, then for the bits of holes, of which there are too many for a heap block.
    for pass in [0, 1] {
        let mut map: Map<u64> = plain();
        let fault = Fault::from_nth(Call::Reserve, pass);
        let refused = map.try_reserve(1_000_000).unwrap_err();
        assert_eq!((fault.failures() > 0, refused.kind()), (true, ErrorKind::AddressSpace));
        let refused = map.try_insert(1).unwrap_err();
        assert_eq!((refused.value, refused.error.kind()), (1, ErrorKind::AddressSpace));
        assert!(Map::<u8>::builder().max_len(100).try_build().is_err() || pass > 0);
        assert!(map.is_empty());
        drop(fault);
        let key = map.insert(2);
        assert_eq!((map[key], map.len(), key.data().index()), (2, 1, 0));
        map.remove(key);
        assert_eq!((map.stats().holes, map.stats().retired), (1, 0));
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "the bits are a heap block there")]
fn no_value_is_inserted_whose_slot_could_not_become_a_hole() {
    let mut map: Map<String> = plain();
    // The slots have their memory and the bitmap has none. It is too large for a heap block.
    let fault = Fault::from_nth(Call::Commit, 1);
    assert!(map.try_reserve(1_000_000).is_err());
    assert!(map.try_insert("refused".to_owned()).is_err());
    drop(fault);
    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(map.capacity() > 0);
    let refused = map.try_insert("refused".to_owned()).unwrap_err();
    assert_eq!(refused.value, "refused");
    assert!(map.try_reserve(1).is_err());
    assert!(
        map.try_insert_at(KeyData::from_parts(0, 1, 0).unwrap().into(), refused.value).is_err()
    );
    assert!(fault.failures() > 2 && map.is_empty());
    drop(fault);
    let keys: Vec<_> = (0..5).map(|n| map.insert(n.to_string())).collect();
    assert_eq!(map.remove(keys[1]).as_deref(), Some("1"));
    assert_eq!((map.stats().holes, map.stats().retired), (1, 0));
    assert_eq!(map.insert("again".to_owned()).data().index(), 1);
}

#[test]
fn a_refused_discard_or_decommit_keeps_keys_stale_and_values() {
    let mut map: Map<Large> = plain();
    map.extend((0..256).map(|_| [1; 1020]));
    let keys: Vec<_> = map.keys().collect();
    assert_eq!(map.remove_many(keys[64..192].iter().copied()), 128);

    let fault = Fault::from_nth(Call::Discard, 0);
    assert!(map.try_trim().is_err());
    map.trim();
    assert_eq!(fault.failures(), 2);
    drop(fault);
    assert_eq!((map.stats().trimmed, map.stats().holes, map.len()), (0, 128, 128));
    let key = map.insert([2; 1020]);
    assert_eq!((key.data().index(), key.data().generation()), (64, 2));
    map.trim();
    // The block of the new value stays.
    assert_eq!(map.stats().trimmed, 64);

    assert_eq!(map.remove_many(keys[192..].iter().copied()), 64);
    let fault = Fault::from_nth(Call::Decommit, 0);
    let capacity = map.capacity();
    assert!(map.try_shrink_to_fit().is_err());
    assert!(fault.failures() > 0);
    drop(fault);
    assert_eq!((map.capacity(), map.len()), (capacity, 65));
    assert!(keys[65..].iter().all(|key| !map.contains_key(*key)));
    map.extend((0..191).map(|_| [3; 1020]));
    assert!(keys[64..].iter().all(|key| !map.contains_key(*key)));
    assert!(keys[..64].iter().all(|key| map[*key] == [1; 1020]));
}

#[test]
fn a_clone_does_not_return_memory_that_it_writes() {
    let mut map: Map<Large> = plain();
    map.extend((0..2000).map(|_| [1; 1020]));
    let key = map.keys().nth(7).unwrap();
    map.remove(key);
    drop(map.clone()); // the next clone reuses its memory
    let fault = Fault::from_nth(Call::Discard, 0);
    let clone = map.clone();
    assert_eq!(fault.failures(), 0);
    assert!(clone.iter().eq(map.iter()));
}

#[test]
fn a_clone_that_is_refused_halfway_leaves_nothing() {
    let mut map: Map<Large> = plain();
    map.extend((0..200).map(|_| [1; 1020]));
    let key = map.keys().nth(7).unwrap();
    map.remove(key);
    for call in [Call::Reserve, Call::Commit] {
        for pass in 0.. {
            let fault = Fault::nth(call, pass);
            let clone = map.try_clone();
            let failures = fault.failures();
            drop(fault);
            if let Ok(clone) = clone {
                assert!(clone.iter().eq(map.iter()));
                if failures == 0 {
                    break;
                }
            }
            assert!(pass < 20);
        }
    }
    assert_eq!(map.len(), 199);
}

#[expect(unsafe_code, reason = "supplies memory")]
mod supplied {
    use super::*;
    use crate::backing::Backing;
    use std::ops::Range;
    use std::ptr::NonNull;

    /// Bytes that are zero at first, and how many of them are committed.
    #[derive(Debug)]
    struct Words(Vec<u64>, usize);

    // SAFETY: the vector is not changed, so its memory stays in place, and nothing else uses it. It is zero until it is
    // written to, and each vector is used for one array.
    unsafe impl Backing for Words {
        fn start(&self) -> NonNull<u8> {
            NonNull::new(self.0.as_ptr().cast_mut().cast()).expect("vectors are not at 0")
        }

        fn reserved_bytes(&self) -> usize {
            self.0.capacity() * 8
        }

        unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
            // SAFETY: the caller guarantees that the range lies within the memory.
            let first = unsafe { self.start().add(range.start) };
            // SAFETY: as above, and no other code accesses the range.
            unsafe { first.write_bytes(0, range.len()) };
            self.1 += range.len();
            Ok(())
        }

        unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
            self.1 -= range.len();
            Ok(())
        }
    }

    #[test]
    #[cfg_attr(no_vm, ignore = "the bits are a heap block there")]
    fn a_map_whose_holes_have_no_memory_can_return_its_own() {
        // Enough slots that the bits of holes are not a heap block.
        let words = Words(Vec::with_capacity(4_000_000), 0);
        let fault = Fault::from_nth(Call::Reserve, 0);
        let refused = Map::<u64>::builder().capacity(1_000_000).try_build_in(words).unwrap_err();
        assert!(fault.failures() > 0);
        drop(fault);
        let Refused { error, value: words } = refused;
        assert!(error.raw_os_error().is_some());
        assert_eq!((words.1, words.0.capacity()), (0, 4_000_000));
        let mut map = Map::<u64>::builder().capacity(1_000_000).build_in(words);
        let keys: Vec<_> = (0..5000).map(|n| map.insert(n)).collect();
        assert!(keys.iter().zip(0..).all(|(key, n)| map[*key] == n));
        assert_eq!(map.max_len(), 4_000_000 * 8 / size_of::<(u32, u64)>());
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn iteration_leaves_out_holes_without_bits_in_any_word() {
    for len in [1, 2, 63, 64, 65, 100, 128, 190, 1000, 4160] {
        for step in [2, 3, 5, 64, 65] {
            let mut map: Map<usize> = (0..len).collect();
            let keys: Vec<DefaultKey> = map.keys().collect();
            for n in (0..len).rev().filter(|n| n % step > 0) {
                map.remove(keys[n]);
            }
            let lack_bits = map.holes.words_of(len).lack_bits;
            assert!(lack_bits || len < 63 || step > 3, "{len} slots, each {step}th has a value");
            let expected: Vec<usize> = (0..len).step_by(step).collect();
            assert!(map.values().eq(&expected));
            assert!(map.values().rev().eq(expected.iter().rev()));
            let (keys, sum) = map.iter().fold((0, 0), |(keys, sum), (_, n)| (keys + 1, sum + n));
            assert_eq!((keys, sum), (expected.len(), expected.iter().sum()));
            for taken in [1, expected.len() / 2, expected.len()] {
                let mut values = map.values_mut();
                assert!(values.by_ref().take(taken).eq(&expected[..taken]));
                assert!(values.rev().eq(expected[taken..].iter().rev()));
                let mut values = map.values();
                assert!(values.by_ref().rev().take(taken).eq(expected.iter().rev().take(taken)));
                assert!(values.clone().eq(&expected[..expected.len() - taken]));
                assert_eq!(values.copied().sum::<usize>(), expected.iter().rev().skip(taken).sum());
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn when_few_values_are_left_hardly_any_hole_far_from_the_front_lacks_its_bit() {
    let mut map: Map<u32> = (0..100_000).collect();
    let keys: Vec<DefaultKey> = map.keys().collect();
    // All over the map, in an order without runs.
    let order = (0..keys.len()).map(|at| at * 7919 % keys.len());
    order.filter(|at| at % 4000 > 0).for_each(|at| _ = map.remove(keys[at]));
    let near = Holes::near_of(map.len());
    let far = map.holes.front().filter(|hole| hole.index() as usize >= near).count();
    assert!(far <= map.len(), "{far} holes, {} values", map.len());
    assert!(map.values().eq((0..100_000).step_by(4000).collect::<Vec<_>>().iter()));
}

#[test]
fn holes_in_front_are_not_searched_by_each_reattachment() {
    let mut map: Map<usize> = (0..1000).collect();
    let keys: Vec<DefaultKey> = map.keys().collect();
    keys[500..].iter().for_each(|key| _ = map.remove(*key));
    let value = map.detach(keys[7]).unwrap();
    let before = map.holes.front().count();
    assert_eq!(map.try_reattach(keys[600], value), Err(7));
    assert_eq!((before, map.holes.front().count()), (500, 500));
    map.reattach(keys[7], value);
    assert!(map.holes.is_settled());
    assert!(map.values().eq((0..500).collect::<Vec<_>>().iter()));
}

#[test]
fn count_and_last_are_those_of_the_values_that_are_left() {
    let mut map: Map<u32> = (0..10_000).collect();
    map.retain(|_, n| *n % 3000 == 7);
    assert!(map.values().eq(&[7, 3007, 6007, 9007]));
    let mut values = map.values();
    assert_eq!((values.clone().count(), values.clone().last()), (4, Some(&9007)));
    assert_eq!((values.next(), values.next_back()), (Some(&7), Some(&9007)));
    assert_eq!((values.clone().count(), values.clone().last()), (2, Some(&6007)));
    values.nth(1);
    assert_eq!((values.clone().count(), values.last()), (0, None));
    // Those that are left are dropped.
    let value = std::rc::Rc::new(());
    let rcs = || (0..5).map(|_| value.clone()).collect::<Map<_>>();
    assert_eq!(rcs().into_iter().count(), 5);
    assert_eq!(std::rc::Rc::strong_count(&value), 1);
    let last = rcs().into_values().last();
    assert_eq!(std::rc::Rc::strong_count(&value), 2);
    drop(last);
    let mut map = rcs();
    assert_eq!(map.drain().count(), 5);
    assert_eq!((map.len(), std::rc::Rc::strong_count(&value)), (0, 1));
}
