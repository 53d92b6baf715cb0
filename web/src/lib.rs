//! What `stayput` provides without virtual memory: arrays and maps in memory of the allocator or of the
//! program, and the program's own allocator under `GlobalVm`.
//!
//! `run.mjs` calls each exported function in a WebAssembly module, where a panic traps. `tests/native.rs` calls
//! them natively, with `RUSTFLAGS='--cfg stayput_no_vm' cargo test`.

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/arrays/mod.rs"]
#[allow(dead_code, reason = "models of other arrays are unused")]
mod arrays;
#[path = "../../tests/it/buffer.rs"]
mod buffer;
#[path = "../../tests/it/secondary_op.rs"]
mod secondary_op;
#[path = "../../tests/it/slot_map_op.rs"]
mod slot_map_op;
#[path = "../../tests/it/slot_map_twin.rs"]
mod slot_map_twin;
#[path = "../../tests/it/slot_map_value.rs"]
mod slot_map_value;

use arbitrary::Unstructured;
use stayput::alloc::GlobalVm;
use stayput::{
    Backing, Budget, CommitAhead, DefaultKey, Error, ErrorKind, Release, Reservation, SecondaryMap,
    SlotMap, SparseSecondaryMap, VmVec, page_size, region_cache, service,
};
use std::alloc::{GlobalAlloc, Layout, System, alloc, dealloc};
use std::collections::HashMap;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

const MIB: usize = 1 << 20;

/// Counts the bytes of blocks above the threshold, which do not reach the parent where there is virtual memory.
struct Parent;

static LARGE_BYTES: AtomicUsize = AtomicUsize::new(0);

fn large_bytes(layout: Layout) -> usize {
    if layout.size() >= 256 << 10 { layout.size() } else { 0 }
}

// SAFETY: all calls go to `System`.
unsafe impl GlobalAlloc for Parent {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGE_BYTES.fetch_add(large_bytes(layout), Ordering::Relaxed);
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        LARGE_BYTES.fetch_sub(large_bytes(layout), Ordering::Relaxed);
        // SAFETY: the caller keeps `dealloc`'s contract.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static GLOBAL: GlobalVm<Parent> = GlobalVm::with_parent(Parent);

/// Memory of the allocator.
struct Heap {
    start: NonNull<u8>,
    layout: Layout,
}

impl Heap {
    fn new(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes, 64).expect("small");
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) }).expect("memory suffices");
        Self { start, layout }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: the block was allocated with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

// SAFETY: the value owns its memory.
unsafe impl Send for Heap {}
// SAFETY: `&Heap` only gives access to numbers.
unsafe impl Sync for Heap {}

// SAFETY: the memory lives until this value is dropped, and only the array uses it. Memory is zeroed when it is
// committed, and not changed otherwise.
unsafe impl Backing for Heap {
    fn start(&self) -> NonNull<u8> {
        self.start
    }

    fn reserved_bytes(&self) -> usize {
        self.layout.size()
    }

    unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: the caller guarantees that the range lies inside.
        let first = unsafe { self.start.add(range.start) };
        // SAFETY: as above.
        unsafe { first.write_bytes(0, range.len()) };
        Ok(())
    }

    unsafe fn decommit(&mut self, _: Range<usize>) -> Result<(), Error> {
        Ok(())
    }
}

/// Large blocks are the parent's, and none is counted.
#[unsafe(no_mangle)]
pub extern "C" fn large_blocks_are_the_parents() {
    let before = LARGE_BYTES.load(Ordering::Relaxed);
    let numbers: Vec<u64> = (0..MIB as u64).collect();
    assert_eq!(LARGE_BYTES.load(Ordering::Relaxed), before + 8 * MIB);
    assert_eq!(numbers.iter().sum::<u64>(), (0..MIB as u64).sum::<u64>());

    let mut grown: Vec<u64> = Vec::new();
    grown.extend(numbers.iter().filter(|number| **number % 2 == 0));
    let zeroes = vec![0_u8; 3 * MIB];
    assert!(zeroes.iter().all(|byte| *byte == 0));
    let squares: HashMap<u64, u64> = (0..100_000).map(|n| (n, n * n)).collect();
    assert_eq!((grown.len(), squares[&300]), (MIB / 2, 90_000));
    grown.shrink_to(10);

    let stats = GLOBAL.stats();
    assert_eq!((stats.blocks, stats.kept_blocks, stats.roomy_blocks), (0, 0, 0));
    drop((numbers, grown, zeroes, squares));
    GLOBAL.trim();
    assert_eq!(LARGE_BYTES.load(Ordering::Relaxed), before);
}

/// Reservations have exactly the requested size and never move. A full array reports the limit and returns the
/// value.
#[unsafe(no_mangle)]
pub extern "C" fn arrays_end_where_they_were_told_to() {
    let mut named: VmVec<u64> = VmVec::builder().max_len(MIB).build();
    assert!(named.stats().reserved_bytes >= 8 * MIB);
    named.push(0);
    let first = named.as_ptr();
    named.extend(1..MIB as u64);
    assert_eq!((named.as_ptr(), named.len(), named[MIB / 2]), (first, MIB, MIB as u64 / 2));
    let refused = named.try_push(7).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value), (ErrorKind::MaxLen, 7));

    let mut unnamed = VmVec::new();
    let refused = loop {
        if let Err(refused) = unnamed.try_push(1_u8) {
            break refused;
        }
    };
    assert_eq!((refused.error.kind(), refused.value), (ErrorKind::MaxLen, 1));
    assert_eq!(unnamed.len(), unnamed.max_len());
    assert!(refused.error.to_string().contains("`max_len`"), "{}", refused.error);
    #[cfg(target_arch = "wasm32")]
    assert_eq!(unnamed.len(), 4 * MIB);
    assert_eq!(unnamed.iter().map(|byte| usize::from(*byte)).sum::<usize>(), unnamed.len());

    let locked = Reservation::new(MIB).unwrap();
    assert_eq!(locked.lock(..).unwrap_err().kind(), ErrorKind::Unsupported);
}

/// Memory that was returned and committed again is zero, and no thread makes memory ready.
#[unsafe(no_mangle)]
pub extern "C" fn memory_that_comes_back_is_zero() {
    let mut range = Reservation::new(64 * page_size()).unwrap();
    let read = |range: &Reservation, page: usize| {
        // SAFETY: the page is inside the range.
        let first = unsafe { range.as_ptr().add(page * page_size()) };
        // SAFETY: the page is committed.
        unsafe { std::slice::from_raw_parts_mut(first, page_size()) }
    };
    range.commit(..).unwrap();
    for page in 0..64 {
        assert!(read(&range, page).iter().all(|byte| *byte == 0));
        read(&range, page).fill(7);
    }
    range.decommit(3 * page_size()..40 * page_size()).unwrap();
    range.discard(50 * page_size()..60 * page_size()).unwrap();
    assert_eq!(range.committed_bytes(), Ok(27 * page_size()));
    range.commit(..50 * page_size()).unwrap();
    for page in 0..64 {
        let byte = if (3..40).contains(&page) || (50..60).contains(&page) { 0 } else { 7 };
        assert!(read(&range, page).iter().all(|there| *there == byte), "{page}");
    }
    assert!(range.prefault(..).is_ok());

    let mut ahead =
        VmVec::builder().commit_ahead(CommitAhead::Auto).release(Release::Background).build();
    ahead.extend(0..100_000);
    let prefaulted = ahead.prefault_ahead(Budget::UNLIMITED);
    assert_eq!((prefaulted.bytes, prefaulted.ahead_bytes, prefaulted.refused), (0, 0, None));
    assert_eq!(ahead.stats().resident_bytes, None);
    drop(ahead);
    service::drain();
    assert!(!service::stats().running);
    assert_eq!(region_cache::stats().kept_blocks, 0);
}

/// Arrays and maps work in memory of the program.
#[unsafe(no_mangle)]
pub extern "C" fn arrays_and_maps_are_made_in_memory_of_ones_own() {
    let mut numbers: VmVec<u64> = VmVec::builder().build_in(Heap::new(MIB));
    let first = numbers.as_ptr();
    numbers.extend(0..100_000);
    assert_eq!((numbers.as_ptr(), numbers.iter().sum::<u64>()), (first, 4_999_950_000));
    assert_eq!(numbers.max_len(), MIB / 8);
    numbers.truncate(10);
    numbers.shrink_to_fit();
    numbers.resize(50_000, 7);
    assert_eq!((numbers[9], numbers[10]), (9, 7));

    let mut map: SlotMap<DefaultKey, String> = SlotMap::builder().build_in(Heap::new(MIB));
    let keys: Vec<_> = (0..1000).map(|n| map.insert(n.to_string())).collect();
    assert_eq!(map.remove(keys[500]).as_deref(), Some("500"));
    assert!(map.get(keys[500]).is_none() && map[keys[999]] == "999");
    map.retain(|_, text| text.len() == 3);
    map.trim();
    assert_eq!((map.len(), map.iter().count()), (899, 899));

    let mut more = SecondaryMap::builder().build_in(Heap::new(MIB));
    let mut few = SparseSecondaryMap::new();
    for key in map.keys() {
        more.insert(key, 1);
    }
    few.insert(keys[999], 2);
    assert_eq!((more.len(), more.get(keys[0]), few.get(keys[999])), (899, None, Some(&2)));
}

/// A key finds only the value that it was made for: after its slot is reused, and after the map is cleared and
/// trimmed.
#[unsafe(no_mangle)]
pub extern "C" fn a_key_finds_its_value_or_none() {
    let mut map: SlotMap<DefaultKey, u64> = SlotMap::builder().max_len(100_000).build();
    let old: Vec<_> = (0..100_000).map(|n| map.insert(n)).collect();
    assert!(old.iter().zip(0..).all(|(key, n)| map.get(*key) == Some(&n)));
    for key in old.iter().step_by(2) {
        map.remove(*key);
    }
    let new: Vec<_> = (0..50_000).map(|n| map.insert(n + 1_000_000)).collect();
    assert_eq!(map.len(), 100_000);
    assert!(old.iter().step_by(2).all(|key| map.get(*key).is_none()));
    assert!(new.iter().zip(1_000_000..).all(|(key, n)| map[*key] == n));
    map.clear();
    map.trim();
    let last: Vec<_> = (0..100_000).map(|n| map.insert(n)).collect();
    assert!(old.iter().chain(&new).all(|key| map.get(*key).is_none()));
    assert!(last.iter().zip(0..).all(|(key, n)| map[*key] == n));
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entity {
    place: [f32; 3],
    speed: [f32; 3],
    id: u32,
}

/// A million entities with a secondary map, of which a third is removed and inserted again, three times.
#[unsafe(no_mangle)]
pub extern "C" fn a_map_holds_a_million_entities() {
    const COUNT: usize = 1_000_000;
    let entity = |n: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a million is exact")]
        let place = n as f32;
        Entity { place: [place; 3], speed: [1.0; 3], id: n as u32 }
    };
    let mut map: SlotMap<DefaultKey, Entity> = SlotMap::builder().max_len(COUNT).build();
    let mut health = SecondaryMap::builder().max_len(COUNT).build();
    let mut keys: Vec<_> = (0..COUNT).map(|n| map.insert(entity(n))).collect();
    let first = std::ptr::from_ref(&map[keys[0]]);
    for key in &keys {
        health.insert(*key, 100_u8);
    }
    for round in 0..3 {
        for n in (round..COUNT).step_by(3) {
            assert_eq!(map.remove(keys[n]), Some(entity(n)));
            health.remove(keys[n]);
        }
        for n in (round..COUNT).step_by(3) {
            let gone = std::mem::replace(&mut keys[n], map.insert(entity(n)));
            assert!(map.get(gone).is_none() && health.get(gone).is_none());
            health.insert(keys[n], 50);
        }
    }
    let full = map.try_insert(entity(0)).unwrap_err();
    assert_eq!((full.error.kind(), full.value), (ErrorKind::MaxLen, entity(0)));
    for entity in map.values_mut() {
        entity.place[0] += entity.speed[0];
    }
    assert!(keys.iter().enumerate().all(|(n, key)| map[*key].place[0] == entity(n + 1).place[0]));
    assert_eq!(
        (map.len(), health.len(), health.values().all(|health| *health == 50)),
        (COUNT, COUNT, true)
    );
    assert!(map.values().any(|entity| std::ptr::eq(entity, first)));
}

/// At the end of memory, further requests return errors, and existing arrays keep their contents.
#[unsafe(no_mangle)]
pub extern "C" fn what_is_refused_at_the_end_of_memory_is_an_error_and_nothing_is_lost() {
    let mut arrays: Vec<VmVec<u32>> = Vec::new();
    let mut map: SlotMap<DefaultKey, usize> = SlotMap::builder().max_len(1000).build();
    let key = map.insert(1);
    // So large that memory ends soon: the 4 GiB of WebAssembly, or what the allocator has.
    let bytes = isize::MAX as usize / 16 / 4096 * 4096;
    let error = loop {
        match VmVec::builder().max_len(bytes / 4).try_build() {
            Ok(mut array) => {
                array.extend(0..1000);
                arrays.push(array);
            }
            Err(error) => break error,
        }
        assert!(arrays.len() < 64, "memory never ends");
    };
    assert_eq!(error.kind(), ErrorKind::AddressSpace);
    assert!(error.bytes() >= bytes && error.to_string().contains("`max_len`"), "{error}");
    for array in &mut arrays {
        assert!(array.iter().copied().eq(0..1000));
        array.extend(1000..2000);
    }
    // Smaller arrays, until they do not fit either; arrays without a maximum accept less.
    #[cfg(target_arch = "wasm32")]
    {
        let mut small: Vec<VmVec<u32>> = Vec::with_capacity(10_000);
        let error = loop {
            match VmVec::builder().max_len(MIB).try_build() {
                Ok(array) => small.push(array),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::AddressSpace);
        let mut unnamed = VmVec::new();
        unnamed.extend(0..1000_u32);
        assert!(unnamed.iter().copied().eq(0..1000));
        assert!(unnamed.max_len() < MIB);
        let len = small.len();
        assert!(len > 16, "{len}");
        for array in &mut small {
            array.extend(0..10);
        }
        assert!(small.iter().all(|array| array.iter().copied().eq(0..10)));
    }
    map.insert(2);
    assert_eq!((map[key], map.len()), (1, 2));
    // Dropped memory is available again.
    let len = arrays.len();
    drop(arrays);
    let again: Vec<VmVec<u32>> =
        (0..len).map_while(|_| VmVec::builder().max_len(bytes / 4).try_build().ok()).collect();
    assert_eq!(again.len(), len);
}

/// Calls `run` for each round with its number, and with bytes that encode operations.
fn for_each_round(rounds: u64, mut run: impl FnMut(u64, &mut Unstructured<'_>)) {
    for round in 0..rounds {
        let mut state = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        };
        let bytes: Vec<u8> = (0..500 + 20 * (round as usize % 100)).map(|_| next()).collect();
        run(round, &mut Unstructured::new(&bytes));
    }
}

/// A `VmVec` and a `Vec` hold equal elements after any operations.
#[unsafe(no_mangle)]
pub extern "C" fn arrays_agree_with_vec() {
    use crate::arrays::op::{Config, Op};
    use crate::arrays::vm_vec::Own;
    use crate::arrays::{Kind, run};

    for_each_round(600, |_, bytes| {
        let (kind, config, ops): (Kind, Config, Vec<Op<Own>>) =
            bytes.arbitrary().expect("enough bytes");
        run!(kind, VmVec, config, &ops);
    });
}

/// A `SlotMap` holds what maps of std hold after any operations, and a key finds only its value.
#[unsafe(no_mangle)]
pub extern "C" fn slot_maps_agree_with_maps_of_std() {
    use crate::slot_map_op::{
        Compact, Config, Medium, Once, Op, Plain, Small, SmallTagged, Tagged,
    };
    use crate::slot_map_twin::Model;
    use std::rc::Rc;

    for_each_round(400, |round, bytes| {
        let (config, ops): (Config, Vec<Op>) = bytes.arbitrary().expect("enough bytes");
        match round % 8 {
            0 => Model::<Plain, 1000, Rc<()>>::run(config, &ops),
            1 => Model::<Tagged, 5, Rc<()>>::run(config, &ops),
            2 => Model::<Compact, 1000, Rc<()>>::run(config, &ops),
            3 => Model::<Medium, 1000, Rc<()>>::run(config, &ops),
            4 => Model::<Small, 0, Rc<()>>::run(config, &ops),
            5 => Model::<SmallTagged, 1000, Rc<()>>::run(config, &ops),
            6 => Model::<Once, 0, Rc<()>>::run(config, &ops),
            _ => Model::<Plain, 1000, ()>::run(config, &ops),
        }
    });
}

/// Secondary maps hold what the model holds after any operations.
#[unsafe(no_mangle)]
pub extern "C" fn secondary_maps_agree_with_maps_of_std() {
    use crate::secondary_op::{Config, Model, Op};
    use crate::slot_map_op::{Compact, Plain, SmallTagged, Tagged};

    for_each_round(400, |round, bytes| {
        let (config, ops): (Config, Vec<Op>) = bytes.arbitrary().expect("enough bytes");
        match round % 5 {
            0 => Model::<Plain, 0>::run(config, &ops),
            // The slots that the model fills, of larger values, do not fit into the default reservation.
            1 => Model::<Plain, 200>::run(config, &ops),
            2 => Model::<Tagged, 44>::run(config, &ops),
            3 => Model::<Compact, 4>::run(config, &ops),
            _ => Model::<SmallTagged, 0>::run(config, &ops),
        }
    });
}

/// In WebAssembly, passes the message of a panic to the host before it traps.
#[unsafe(no_mangle)]
pub extern "C" fn tell_panics() {
    #[cfg(target_arch = "wasm32")]
    std::panic::set_hook(Box::new(|panic| {
        #[link(wasm_import_module = "host")]
        unsafe extern "C" {
            fn say(start: *const u8, len: usize);
        }
        let text = panic.to_string();
        // SAFETY: `run.mjs` reads exactly `text.len()` bytes.
        unsafe { say(text.as_ptr(), text.len()) };
    }));
}
