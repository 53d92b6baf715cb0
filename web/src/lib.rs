//! What a program has of `stayput` where there is no virtual memory: its own allocator, under `GlobalVm`, and
//! arrays in memory of its own. All else is refused with an error that says so.
//!
//! `run.mjs` calls each exported function in a WebAssembly module; one that panics traps. Natively they run as
//! tests, by `RUSTFLAGS='--cfg stayput_unsupported' cargo test`.

use stayput::alloc::GlobalVm;
use stayput::{
    Arena, Backing, Error, ErrorKind, Reservation, SecondaryMap, SlotMap, SparseSecondaryMap, VmVec,
};
use std::alloc::{GlobalAlloc, Layout, System, alloc, dealloc};
use std::collections::HashMap;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

const MIB: usize = 1 << 20;

/// Counts the bytes of blocks that are large by the threshold, and so would not come here elsewhere.
struct Parent;

static LARGE_BYTES: AtomicUsize = AtomicUsize::new(0);

fn large_bytes(layout: Layout) -> usize {
    if layout.size() >= 256 << 10 { layout.size() } else { 0 }
}

// SAFETY: memory is that of `System`.
unsafe impl GlobalAlloc for Parent {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGE_BYTES.fetch_add(large_bytes(layout), Ordering::Relaxed);
        // SAFETY: the caller's promise is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        LARGE_BYTES.fetch_sub(large_bytes(layout), Ordering::Relaxed);
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static GLOBAL: GlobalVm<Parent> = GlobalVm::with_parent(Parent);

/// Memory of the allocator's.
struct Heap {
    start: NonNull<u8>,
    layout: Layout,
}

impl Heap {
    fn new(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes, 64).expect("small");
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) }).expect("so much is there");
        Self { start, layout }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: allocated by that layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

// SAFETY: the memory is its own.
unsafe impl Send for Heap {}
// SAFETY: by `&Heap` nothing but numbers can be had.
unsafe impl Sync for Heap {}

// SAFETY: the memory is there until this is dropped, and the array's alone. What is committed is zeroed before,
// and nothing else is done to it.
unsafe impl Backing for Heap {
    fn start(&self) -> NonNull<u8> {
        self.start
    }

    fn reserved_bytes(&self) -> usize {
        self.layout.size()
    }

    unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: the range lies inside, by the caller's promise.
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

/// Whatever needs addresses has an error that names the way out, and gives the value back.
#[unsafe(no_mangle)]
pub extern "C" fn reservations_are_refused_with_the_way_out() {
    let error = Reservation::new(1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("build_in"));

    let refused = VmVec::new().try_push(String::from("back")).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value.as_str()), (ErrorKind::Unsupported, "back"));
    let refused = SlotMap::new().try_insert(String::from("back")).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value.as_str()), (ErrorKind::Unsupported, "back"));
    let refused = Arena::new().try_alloc(String::from("back")).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value.as_str()), (ErrorKind::Unsupported, "back"));
    let named = VmVec::<u8>::builder().max_len(10).try_build();
    assert_eq!(named.unwrap_err().kind(), ErrorKind::Unsupported);

    // What needs no memory is not refused.
    VmVec::new().extend([(); 5]);
    Arena::new().alloc(());
    assert!(
        VmVec::<String>::new().is_empty() && SlotMap::<stayput::DefaultKey, u8>::new().is_empty()
    );
}

/// Arrays and maps work in memory of the program's.
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

    let mut map: SlotMap<stayput::DefaultKey, String> = SlotMap::builder().build_in(Heap::new(MIB));
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

#[cfg(all(test, stayput_unsupported))]
mod tests {
    use std::sync::{Mutex, PoisonError};

    /// What is counted is the process'.
    static ALONE: Mutex<()> = Mutex::new(());

    #[test]
    fn large_blocks_are_the_parents() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        super::large_blocks_are_the_parents();
    }

    #[test]
    fn reservations_are_refused_with_the_way_out() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        super::reservations_are_refused_with_the_way_out();
    }

    #[test]
    fn arrays_and_maps_are_made_in_memory_of_ones_own() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        super::arrays_and_maps_are_made_in_memory_of_ones_own();
    }
}
