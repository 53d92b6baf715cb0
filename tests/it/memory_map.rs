//! Which reservations there are, and what each of them takes.

#![expect(unsafe_code, reason = "allocates")]

#[cfg(not(no_vm))]
use stayput::CommitAhead;
use stayput::alloc::GlobalVm;
use stayput::memory_map::{Entry, html_page};
use stayput::{
    Arena, Columns, DefaultKey, DenseSlotMap, ErrorKind, ListPool, MemoryMap, Reservation,
    SecondaryMap, SharedSlotMap, SharedVec, SlotMap, Table, VmVec, indices, memory_map,
};
use std::alloc::{GlobalAlloc, Layout};
#[cfg(not(no_vm))]
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const MIB: usize = 1 << 20;

indices! {
    struct ByNumber for u64 {
        number: List<u64> = |number| number,
    }
}

/// The entries with a name.
fn named<'m>(map: &'m MemoryMap, name: &str) -> Vec<&'m Entry> {
    map.entries.iter().filter(|entry| entry.name == Some(name)).collect()
}

fn only(name: &str) -> Entry {
    let map = memory_map();
    let [entry] = named(&map, name)[..] else { panic!("not one of {name:?}: {map}") };
    entry.clone()
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_named_array_is_listed_while_it_has_memory() {
    let mut array = VmVec::builder().name("while it has memory").build();
    assert!(named(&memory_map(), "while it has memory").is_empty());
    array.push(1_u64);
    let entry = only("while it has memory");
    assert_eq!((entry.kind, entry.element_type), ("VmVec", Some("u64")));
    assert_eq!(entry.address, array.as_ptr().addr());
    let stats = array.stats();
    assert_eq!(entry.reserved_bytes, stats.reserved_bytes);
    assert_eq!(entry.usable_bytes, Some(stats.capacity * 8));
    assert_eq!((entry.growths, entry.late_growths), (1, 0));
    assert!(!entry.is_unused());
    array.extend(0..MIB as u64);
    let grown = only("while it has memory");
    assert_eq!(grown.id, entry.id);
    assert_eq!(grown.usable_bytes, Some(array.capacity() * 8));
    assert!(grown.growths > 1 && grown.on_demand_bytes <= array.capacity() * 8);
    drop(array);
    assert!(named(&memory_map(), "while it has memory").is_empty());
}

#[test]
fn the_place_is_where_it_was_built_or_first_needed_memory() {
    let here = |line: u32, entry: &Entry| {
        let expected = format!("{}:{line}:", file!());
        let is_it = entry.location.as_ref().map(|place| place.starts_with(&expected));
        assert_eq!(
            is_it,
            cfg!(debug_assertions).then_some(true),
            "{:?}, not {expected}",
            entry.location
        );
    };
    let (mut built, line) = (VmVec::builder().name("built here").build(), line!());
    built.push(1);
    here(line, &only("built here"));
    let with = |start: usize| {
        let map = memory_map();
        let entry = map.entries.iter().find(|entry| entry.address == start);
        entry.expect("it is listed").clone()
    };
    let (mut pushed, line) = (VmVec::new(), line!() + 1);
    pushed.push(1_u8);
    here(line, &with(pushed.as_ptr().addr()));
    let (mut extended, line) = (VmVec::new(), line!() + 1);
    extended.try_extend(0..10).unwrap();
    here(line, &with(extended.as_ptr().addr()));
    let (reserved, line) = (VmVec::<u8>::with_capacity(100), line!());
    here(line, &with(reserved.as_ptr().addr()));
    let (range, line) = (Reservation::new(MIB).unwrap(), line!());
    here(line, &with(range.as_ptr().addr()));
}

#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(no_vm)))]
fn memory_counts_as_the_system_counts_it() {
    let mut array = VmVec::builder().name("counted").release(stayput::Release::Now).build();
    array.reserve_exact(8 * MIB);
    array.extend_from_slice(&vec![1_u8; 3 * MIB]);
    let (entry, stats) = (only("counted"), array.stats());
    assert_eq!(entry.committed_bytes, Some(stats.committed_bytes));
    assert_eq!(entry.resident_bytes, stats.resident_bytes);
    assert!(entry.huge_bytes <= entry.resident_bytes);
    let ahead = entry.committed_bytes.unwrap() - entry.usable_bytes.unwrap();
    assert_eq!(entry.spare_bytes, Some(ahead));
    // Resident from the front.
    let parts = entry.resident_parts;
    assert_eq!(parts.len(), 64);
    assert!(parts.is_sorted_by(|one, next| one >= next), "{parts:?}");
    assert!(parts[0] == 100 && parts[63] == 0);
    let average = parts.iter().map(|part| usize::from(*part)).sum::<usize>() / 64;
    let percent = entry.resident_bytes.unwrap() * 100 / entry.committed_bytes.unwrap();
    assert!(average.abs_diff(percent) <= 2, "{average} {percent}");

    array.truncate(MIB);
    array.shrink_to_fit();
    assert_eq!(only("counted").usable_bytes, Some(array.capacity()));
}

#[test]
#[cfg(not(no_vm))]
fn memory_ahead_is_what_is_committed_but_not_used() {
    let mut array: VmVec<u64> =
        VmVec::builder().name("ahead").commit_ahead(CommitAhead::Bytes(4 * MIB)).build();
    array.push(1);
    let ahead = (0..10_000).find_map(|_| {
        thread::yield_now();
        only("ahead").spare_bytes.filter(|ahead| *ahead > MIB)
    });
    assert!(ahead.is_some());
}

#[test]
fn all_containers_are_listed_by_their_names() {
    const NAME: &str = "by their names";
    let mut count = 0;
    // What a container consists of may be of another kind.
    let mut check = |kind: &str| {
        let map = memory_map();
        let entries = named(&map, NAME);
        assert!(entries.iter().any(|entry| entry.kind == kind), "{kind}: {map}");
        assert!(entries.len() > count, "{map}");
        count = entries.len();
    };
    let _array: VmVec<u8> = VmVec::builder().name(NAME).max_len(100).build();
    check("VmVec");
    let mut map: SlotMap<DefaultKey, u8> = SlotMap::builder().name(NAME).build();
    map.extend(0..100_u32.to_le_bytes()[0]);
    check("SlotMap");
    let mut secondary: SecondaryMap<DefaultKey, u8> = SecondaryMap::builder().name(NAME).build();
    secondary.insert(map.keys().next().unwrap(), 1);
    check("SecondaryMap");
    let mut columns: Columns<(u8, u64)> = Columns::builder().name(NAME).build();
    columns.push((1, 2));
    check("Columns");
    let mut arena = Arena::builder().name(NAME).build();
    arena.scope(|scope| *scope.alloc(1));
    check("Arena");
    let shared: SharedVec<u8> = SharedVec::builder().name(NAME).build();
    shared.push(1);
    check("SharedVec");
    let shared_map: SharedSlotMap<DefaultKey, u8> = SharedSlotMap::builder().name(NAME).build();
    shared_map.insert(1);
    check("SlotMap");
    let mut lists: ListPool<u64> = ListPool::builder().name(NAME).build();
    lists.insert_list([1, 2]);
    check("ListPool");
    let mut dense: DenseSlotMap<DefaultKey, u64> = DenseSlotMap::builder().name(NAME).build();
    dense.insert(1);
    check("VmVec");
    let mut table: Table<u64, ByNumber> = Table::builder().name(NAME).build();
    table.insert(1);
    check("SlotMap");
    let _range = Reservation::builder().bytes(1).name(NAME).reserve().unwrap();
    check("Reservation");
}

#[test]
fn large_blocks_of_allocators_are_listed_and_entries_do_not_overlap() {
    if cfg!(no_vm) {
        return; // blocks are those of the system's allocator
    }
    let layout = Layout::from_size_align(2 * MIB, 8).unwrap();
    let allocator = GlobalVm::new();
    // SAFETY: the layout has a size.
    let block = unsafe { allocator.alloc(layout) };
    let mut map = memory_map();
    map.entries.sort_by_key(|entry| entry.address);
    let found = map.entries.iter().find(|entry| {
        (entry.address..entry.address + entry.reserved_bytes).contains(&block.addr())
    });
    let found = found.expect("it is listed");
    assert_eq!((found.kind, found.is_unused()), ("allocator", false));
    for (one, next) in map.entries.iter().zip(&map.entries[1..]) {
        assert!(one.address + one.reserved_bytes <= next.address, "{one:?} {next:?}");
    }
    // SAFETY: allocated above with this layout.
    unsafe { allocator.dealloc(block, layout) };
}

#[test]
#[cfg(not(no_vm))]
fn memory_of_a_dropped_container_is_listed_as_unused_and_keeps_its_id() {
    let find = |start: usize| {
        let entries = memory_map().entries;
        entries.into_iter().find(|entry| entry.address == start)
    };
    for ahead in [CommitAhead::Off, CommitAhead::Bytes(8 * MIB)] {
        // No other test makes such arrays, which could take the memory.
        let builder = VmVec::builder().name("will be unused").max_len(77 * MIB).commit_ahead(ahead);
        let mut array = builder.build();
        array.resize(2 * MIB, 1_u8);
        let start = array.as_ptr().addr();
        drop(array);
        let mut ids = BTreeSet::new();
        for _ in 0..20 {
            // It is looked at, and does not suit.
            let mut other = VmVec::builder().max_len(78 * MIB).build();
            other.resize(2 * MIB, 1_u8);
            let Some(entry) = find(start) else { break };
            if entry.reserved_bytes != 77 * MIB {
                break; // the addresses were reserved again
            }
            assert!(entry.is_unused(), "{entry:?}");
            assert_eq!((entry.name, entry.element_type, entry.usable_bytes), (None, None, None));
            ids.insert(entry.id);
        }
        // While the background thread has it, and afterwards.
        assert!(ids.len() <= 2, "{ids:?}");
    }
}

#[test]
fn refused_reservations_are_not_listed() {
    let refused = Reservation::builder().bytes(usize::MAX / 4).name("refused").reserve();
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::AddressSpace);
    let mut full = VmVec::builder().name("refused").max_len(usize::MAX / 4).build_if_possible();
    assert!(full.take().is_none());
    assert!(named(&memory_map(), "refused").is_empty());
}

/// A builder whose refusal is a `None`.
trait BuildIfPossible {
    fn build_if_possible(self) -> Option<VmVec<u8>>;
}

impl BuildIfPossible for stayput::VecBuilder<u8> {
    fn build_if_possible(self) -> Option<VmVec<u8>> {
        self.try_build().ok()
    }
}

/// Ends other threads also if this one panics.
struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn maps_can_be_made_while_arrays_come_and_go() {
    const KINDS: [(&str, &str, usize); 3] =
        [("come", "u8", 1), ("and go", "u16", 2), ("as they please", "u32", 4)];
    fn grow<T: Clone + Default>(name: &'static str, len: usize) {
        let mut array = VmVec::builder().name(name).build();
        for _ in 0..4 {
            array.resize(array.len() + len, T::default());
        }
        array.truncate(len);
        array.shrink_to_fit();
    }
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|number| {
                let ended = &ended;
                scope.spawn(move || {
                    let mut turn = number;
                    while !ended.load(Ordering::Relaxed) {
                        let (name, ..) = KINDS[turn % KINDS.len()];
                        match turn % KINDS.len() {
                            0 => grow::<u8>(name, 200_000),
                            1 => grow::<u16>(name, 50_000),
                            _ => grow::<u32>(name, 30_000),
                        }
                        turn += 1;
                    }
                })
            })
            .collect();
        {
            let _end = EndOnDrop(&ended);
            for _ in 0..200 {
                for entry in memory_map().entries {
                    let kind = KINDS.iter().find(|(name, ..)| Some(*name) == entry.name);
                    if let Some((_, element, bytes)) = kind {
                        assert_eq!((entry.kind, entry.element_type), ("VmVec", Some(*element)));
                        assert!(entry.usable_bytes.unwrap() % bytes == 0);
                        assert!(entry.committed_bytes <= Some(entry.reserved_bytes), "{entry:?}");
                        assert!(entry.resident_bytes <= entry.committed_bytes, "{entry:?}");
                    }
                }
            }
        }
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert!(KINDS.iter().all(|(name, ..)| named(&memory_map(), name).is_empty()));
}

#[test]
fn text_has_a_line_for_each_and_a_sum() {
    let mut array = VmVec::builder().name("in text").build();
    array.push(Some("x"));
    let map = memory_map();
    let text = map.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), map.entries.len() + 2);
    assert!(lines[0].ends_with("  late  reservation"));
    let line = lines.iter().find(|line| line.contains("in text"));
    assert!(line.is_some_and(|line| line.contains("in text: VmVec of Option<&str>")), "{text}");
    assert!(map.entries.is_sorted_by(|one, next| one.reserved_bytes >= next.reserved_bytes));
    let sum = format!("{} reservations: ", map.entries.len());
    assert!(lines.last().unwrap().starts_with(&sum), "{text}");
    assert!(MemoryMap::default().to_string().contains("0 reservations: 0 B reserved"));
}

#[test]
fn pages_escape_names_and_have_a_row_for_each() {
    const HOSTILE: &str = "<script>alert(\"&'1\")</script><!--content-->";
    let mut array = VmVec::builder().name(HOSTILE).build();
    array.push(1);
    let maps: Vec<MemoryMap> = (0..3).map(|_| memory_map()).collect();
    let text = html_page(&maps);
    assert!(!text.contains("<script>alert") && !text.contains("<!--content-->"));
    assert!(text.contains("&lt;script&gt;alert(&quot;&amp;&#39;1&quot;)&lt;/script&gt;"));
    let rows = text.matches("<th scope=row").count();
    assert_eq!(rows, maps[2].entries.len());
    assert!(html_page(&[]).contains("</html>"));
    assert!(html_page(&maps[..1]).contains("</html>"));
}

/// Names of mappings, where the kernel knows them.
#[test]
#[cfg(all(target_os = "linux", not(no_vm)))]
fn the_kernel_lists_names_with_mappings() {
    let is_known = || std::fs::read_to_string("/proc/self/maps").unwrap().contains("[anon:known?]");
    let mut array = VmVec::builder().name("known$").build();
    array.resize(4 * MIB, 1_u8);
    if !is_known() {
        return;
    }
    array.truncate(1);
    array.shrink_to_fit();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let known = maps.lines().filter(|line| line.contains("[anon:known?]"));
    let ranges: Vec<_> = known.filter_map(|line| line.split(' ').next()?.split_once('-')).collect();
    // What is accessible, and all of the rest: fresh pages without a name would be between them.
    let [(_, end), (start, _)] = ranges[..] else { panic!("{maps}") };
    assert_eq!(end, start, "{maps}");
    drop(array);
    assert!(!is_known());
}
