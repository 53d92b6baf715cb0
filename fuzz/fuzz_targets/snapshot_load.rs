//! Loads containers from files in which bytes were changed. Each is either loaded, used, saved and loaded again, or
//! refused, and nothing else happens.
//!
//! In half of the runs the checksums are corrected afterwards, so that changed values are trusted.

#![no_main]

use bytemuck_crate::Pod;
use libfuzzer_sys::fuzz_target;
use rest::Rest;
use stayput::file::{Saved, Snapshot};
use stayput::{
    DenseSlotMap, Key, SecondaryMap, SlotMap, SparseSecondaryMap, Table, VmVec, indices,
    new_key_type,
};
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::LazyLock;

include!("../../tests/common/arbitrary.rs");
#[path = "../rest.rs"]
mod rest;

new_key_type! {
    /// A key type with few generations and few slots.
    struct SmallKey: stayput::Bits32<6, 3>;
}

indices! {
    struct ByNumber for u16 {
        number: Unique<u16> = |number| number,
        last: Many<u16> = |number| number % 4,
    }
}

type Map = SlotMap<SmallKey, u16>;
type Dense = DenseSlotMap<SmallKey, u16>;
type Rows = Table<u16, ByNumber, SmallKey>;
type Pairs = SecondaryMap<SmallKey, u16>;
type FewPairs = SparseSecondaryMap<SmallKey, u16>;

arbitrary! {
    enum File {
        /// That of a `SlotMap`.
        Map,
        /// That of a `SecondaryMap`.
        Pairs,
        /// That of a `Snapshot` with a container of each type, of which one is loaded as that type, or as another.
        Several(u8, Kind),
    }

    enum Kind {
        Map,
        Dense,
        Rows,
        Pairs,
        FewPairs,
        Array,
        Nothing,
    }

    enum Change {
        Byte(u16, u8),
        Word(u16, u32),
        /// Adds to a byte, so that a number changes a little.
        Add(u16, i8),
        /// Exchanges two bytes.
        Swap(u16, u16),
        /// Changes the length of the file.
        Bytes(u16),
    }
}

/// The bytes of a header, the last eight of which are its checksum.
const HEADER: usize = 64;

static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("stayput-fuzz-map-{}", std::process::id())));

/// A file without errors, and its checksums, each after those that it depends on.
struct Whole {
    bytes: Vec<u8>,
    sums: Vec<Sum>,
}

#[derive(Clone)]
struct Sum {
    at: usize,
    /// How many bytes it takes.
    bytes: usize,
    of: Vec<Range<usize>>,
}

static WHOLE: LazyLock<[Whole; 3]> = LazyLock::new(|| {
    let (map, pairs) = (map(), pairs());
    map.save(&*FILE).unwrap();
    let map_file = Whole::of(fs::read(&*FILE).unwrap());
    pairs.save(&*FILE).unwrap();
    let pairs_file = Whole::of(fs::read(&*FILE).unwrap());
    let (mut dense, mut rows) = (Dense::with_key(), Rows::new());
    let keys: Vec<_> = (0..12).map(|n| (dense.insert(n), rows.insert(n * 5))).collect();
    for (key, row) in &keys[3..6] {
        dense.remove(*key);
        rows.remove(*row);
    }
    let few: FewPairs = pairs.iter().map(|(key, value)| (key, *value)).collect();
    let array: VmVec<[u8; 3]> = (0..9).map(|n| [n; 3]).collect();
    let nothing: VmVec<[u8; 0]> = (0..4).map(|_| []).collect();
    let several = Snapshot::builder().add("map", &map).add("pairs", &pairs).add("few", &few);
    let several = several.add("dense", &dense).add("rows", &rows);
    several.add("array", &array).add("nothing", &nothing).save(&*FILE).unwrap();
    [map_file, pairs_file, Whole::of(fs::read(&*FILE).unwrap())]
});

/// A map with slots of all kinds.
fn map() -> Map {
    let mut map = Map::with_key();
    let keys: Vec<SmallKey> = (0..20).map(|n| map.insert(n)).collect();
    for key in &keys[3..9] {
        map.remove(*key);
    }
    map.detach(keys[12]);
    for _ in 0..10 {
        let key = map.insert(0);
        map.remove(key);
    }
    map
}

fn pairs() -> Pairs {
    map().iter().map(|(key, value)| (key, value + 1)).collect()
}

impl Whole {
    /// Finds the checksums: those of headers have a fixed place, the others are where the right number follows.
    fn of(bytes: Vec<u8>) -> Self {
        let is_header = |at: &usize| bytes[*at..].starts_with(b"stay");
        let headers: Vec<usize> = (0..bytes.len()).filter(is_header).collect();
        let header_sum =
            |at: usize| Sum { at: at + HEADER - 8, bytes: 8, of: vec![at..at + HEADER - 8] };
        let (mut sums, mut last_sums): (Vec<Sum>, _) =
            (headers.iter().map(|at| header_sum(*at)).collect(), Vec::new());
        for start in headers {
            let sections = sections(&bytes, start);
            last_sums.extend(sections.last().cloned());
            sums.extend(sections);
        }
        if bytes.starts_with(b"staysnap") {
            let number =
                |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
            let directory = number(16)..number(24);
            for sum in last_sums {
                let here = |at: &usize| bytes[*at..*at + 4] == bytes[sum.at..sum.at + 4];
                let at = (directory.start..directory.end - 4).find(here).unwrap();
                sums.push(Sum { at, ..sum });
            }
            sums.extend([Sum { at: 32, bytes: 4, of: vec![directory] }, header_sum(0)]);
        }
        let whole = Self { bytes, sums };
        let mut same = whole.bytes.clone();
        whole.seal(&mut same);
        assert_eq!(same, whole.bytes);
        whole
    }

    /// Corrects the checksums in a copy with changes.
    fn seal(&self, bytes: &mut [u8]) {
        for sum in &self.sums {
            let mut right = crc32fast::Hasher::new();
            for range in &sum.of {
                right.update(&bytes[range.start.min(bytes.len())..range.end.min(bytes.len())]);
            }
            if let Some(place) = bytes.get_mut(sum.at..sum.at + sum.bytes) {
                place.copy_from_slice(&u64::from(right.finalize()).to_le_bytes()[..sum.bytes]);
            }
        }
    }
}

/// Returns the checksums of the container whose header is at `start`. Each includes all that is before, except for
/// other checksums.
fn sections(bytes: &[u8], start: usize) -> Vec<Sum> {
    let (mut sections, mut of): (_, Vec<Range<usize>>) = (Vec::new(), Vec::new());
    let (mut sum, mut first, mut at) = (crc32fast::Hasher::new(), start, start);
    while at + 4 <= bytes.len() {
        if at >= start + HEADER && bytes[at..].starts_with(&sum.clone().finalize().to_le_bytes()) {
            of.push(first..at);
            sections.push(Sum { at, bytes: 4, of: of.clone() });
            at += 4;
            first = at;
        } else {
            sum.update(&bytes[at..=at]);
            at += 1;
        }
    }
    sections
}

/// Returns a file with changes.
fn spoiled(file: File, is_believed: bool, changes: &[Change]) -> Vec<u8> {
    let [map, pairs, several] = &*WHOLE;
    let whole = match file {
        File::Map => map,
        File::Pairs => pairs,
        File::Several(..) => several,
    };
    let mut bytes = whole.bytes.clone();
    for change in changes {
        let len = bytes.len().max(1);
        let at = |place: u16| usize::from(place) % len;
        match *change {
            _ if bytes.is_empty() => bytes.push(0),
            Change::Byte(place, byte) => bytes[at(place)] = byte,
            Change::Word(place, word) => {
                let at = at(place) & !3;
                bytes.iter_mut().skip(at).zip(word.to_ne_bytes()).for_each(|(to, byte)| *to = byte);
            }
            Change::Add(place, count) => {
                let at = at(place);
                bytes[at] = bytes[at].wrapping_add_signed(count);
            }
            Change::Swap(one, other) => {
                let (one, other) = (at(one), at(other));
                bytes.swap(one, other);
            }
            Change::Bytes(count) => bytes.resize(usize::from(count) % (whole.bytes.len() + 100), 0),
        }
    }
    if is_believed {
        whole.seal(&mut bytes);
    }
    bytes
}

/// Saves a container and loads it again.
fn again<C: Saved>(container: &C) -> C {
    Snapshot::builder().add("it", container).save(&*FILE).unwrap();
    Snapshot::open(&*FILE).unwrap().load("it").unwrap()
}

/// Inserts into a container and its copy, which must make the same keys, and removes some.
fn insert<C>(
    mut containers: [C; 2],
    try_insert: impl Fn(&mut C, u16) -> Option<SmallKey>,
    remove: impl Fn(&mut C, SmallKey) -> Option<u16>,
) {
    for number in 10_000..10_100 {
        let [one, other] = containers.each_mut().map(|container| try_insert(container, number));
        assert_eq!(one, other);
        let Some(key) = one else { continue };
        if key.data().to_bits() & 1 == 0 {
            for container in &mut containers {
                assert_eq!(remove(container, key), Some(number));
                assert_eq!(remove(container, key), None);
            }
        }
    }
}

fn use_map(map: Map) {
    let pairs = |map: &Map| map.iter().map(|(key, value)| (key, *value)).collect::<Vec<_>>();
    let before = pairs(&map);
    assert_eq!(before.len(), map.len());
    assert!(before.iter().all(|(key, value)| map.get(*key) == Some(value)));
    assert!(map.get(SmallKey::null()).is_none());
    let copy = again(&map);
    assert_eq!(pairs(&copy), before);
    let try_insert = |map: &mut Map, number| {
        let key = map.try_insert(number).ok()?;
        assert!(before.iter().all(|(old, _)| *old != key));
        Some(key)
    };
    insert([map, copy], try_insert, Map::remove);
}

fn use_dense(dense: Dense) {
    let before: Vec<_> = dense.iter().map(|(key, value)| (key, *value)).collect();
    assert_eq!(before.len(), dense.len());
    assert!(before.iter().all(|(key, value)| dense.get(*key) == Some(value)));
    assert_eq!(dense.keys().collect::<BTreeSet<_>>().len(), dense.len());
    let copy = again(&dense);
    assert!(copy.iter().map(|(key, value)| (key, *value)).eq(before));
    insert([dense, copy], |dense, number| dense.try_insert(number).ok(), Dense::remove);
}

fn use_rows(rows: Rows) {
    rows.check().unwrap();
    for (key, row) in &rows {
        assert_eq!(rows.find(|by| &by.number, row), Some((key, row)));
    }
    let counts = (0..4).map(|last| rows.count(|by| &by.last, &last));
    assert_eq!(counts.sum::<usize>(), rows.len());
    let copy = again(&rows);
    assert!(copy.iter().eq(&rows));
    insert([rows, copy], |rows, number| rows.try_insert(number).ok(), Rows::remove);
}

fn use_pairs(pairs: Pairs) {
    assert!(pairs.iter().all(|(key, value)| !key.is_null() && pairs.get(key) == Some(value)));
    assert_eq!(pairs.iter().count(), pairs.len());
    let mut copy = again(&pairs);
    assert_eq!(copy, pairs);
    for key in pairs.keys() {
        assert_eq!(copy.remove(key), pairs.get(key).copied());
    }
    assert!(copy.is_empty());
}

fn use_few_pairs(pairs: FewPairs) {
    assert!(pairs.iter().all(|(key, value)| !key.is_null() && pairs.get(key) == Some(value)));
    assert_eq!(pairs.iter().count(), pairs.len());
    assert_eq!(again(&pairs), pairs);
}

fn use_array<T: Pod + PartialEq>(array: VmVec<T>) {
    let copy = again(&array);
    assert_eq!(copy.len(), array.len());
    // Of those without size there can be many.
    assert!(size_of::<T>() == 0 || copy == array);
}

fuzz_target!(|input: (File, bool, Rest<Change>)| {
    let (file, is_believed, Rest(changes)) = input;
    let bytes = spoiled(file, is_believed, &changes);
    let write = || fs::write(&*FILE, &bytes).unwrap();
    write();
    match file {
        File::Map => drop(Map::load(&*FILE).map(use_map)),
        File::Pairs => {
            drop(Pairs::load(&*FILE).map(use_pairs));
            write();
            drop(FewPairs::load(&*FILE).map(use_few_pairs));
        }
        File::Several(nth, kind) => {
            let Ok(mut snapshot) = Snapshot::open(&*FILE) else { return };
            let Some(name) = snapshot.names().nth(usize::from(nth % 8)).map(String::from) else {
                return;
            };
            match kind {
                Kind::Map => drop(snapshot.load(&name).map(use_map)),
                Kind::Dense => drop(snapshot.load(&name).map(use_dense)),
                Kind::Rows => drop(snapshot.load(&name).map(use_rows)),
                Kind::Pairs => drop(snapshot.load(&name).map(use_pairs)),
                Kind::FewPairs => drop(snapshot.load(&name).map(use_few_pairs)),
                Kind::Array => drop(snapshot.load(&name).map(use_array::<[u8; 3]>)),
                Kind::Nothing => drop(snapshot.load(&name).map(use_array::<[u8; 0]>)),
            }
        }
    }
});
