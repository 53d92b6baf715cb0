//! Bytes that are not what was saved: random, cut off, and with flipped bits. They are an error, or valid values.

#![expect(unsafe_code, reason = "opens files of the tests")]

use super::{Row, cases, suite};
use crate::effort;
use crate::random::Random;
use serde::Serialize;
use serde::de::DeserializeOwned;
use stayput::file::Snapshot;
use stayput::{
    Bits32, BlockVec, Columns, Compact32, DefaultKey, DenseSlotMap, FileVec, Follow, KeyData,
    ListPool, SecondaryLists, SecondaryMap, SharedSlotMap, SharedVec, SlotMap, SparseSecondaryMap,
    StrPool, Table, Tagged64, VmVec, indices,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

/// Makes the bytes, and reads them: what they hold is used. Returns `false` if they are refused.
type Case = (fn() -> Vec<u8>, fn(&[u8]) -> bool);

impl Row {
    fn damaged(self, cases: &[(&'static str, Case)]) -> Self {
        self.with(cases, |(make, read): Case| {
            let whole = make();
            assert!(read(&whole), "what was saved is refused");
            let mut random = Random(7);
            let (mut taken, mut refused) = (0, 0);
            for round in 0..effort::rounds(150) {
                let mut bytes = whole.clone();
                // Where headers, and the first elements of files, are.
                let len = bytes.len();
                let place = |random: &mut Random| match random.below(4) {
                    0 => random.below(len),
                    1 => random.below(128.min(len)),
                    2 => len - 1 - random.below(256.min(len)),
                    _ => (4096 * (1 + random.below(2)) + random.below(64)).min(len - 1),
                };
                match round % 8 {
                    0 => {
                        let at = place(&mut random);
                        bytes.truncate(at);
                    }
                    1 => {
                        for byte in &mut bytes {
                            *byte = random.below(256).to_le_bytes()[0];
                        }
                    }
                    2 => {
                        let at = place(&mut random);
                        bytes[at] = [0, 255, 127, 128][random.below(4)];
                    }
                    3 => bytes.extend([random.below(256).to_le_bytes()[0]; 9]),
                    _ => {
                        for _ in 0..=random.below(2) {
                            let at = place(&mut random);
                            bytes[at] ^= 1 << random.below(8);
                        }
                    }
                }
                if read(&bytes) { taken += 1 } else { refused += 1 }
            }
            assert!(refused > 0, "{taken} were taken, and none refused");
        })
    }
}

/// A file with the bytes, which goes with it.
struct Temporary(PathBuf);

impl Temporary {
    fn new(bytes: &[u8]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("stayput-bytes-{}-{count}", process::id()));
        fs::write(&path, bytes).expect("there is space");
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The bytes of a file that a closure writes.
fn saved(save: impl FnOnce(&Path)) -> Vec<u8> {
    let file = Temporary::new(&[]);
    fs::remove_file(&file.0).expect("it is there");
    save(&file.0);
    fs::read(&file.0).expect("it was written")
}

fn through<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("it is saved")
}

/// Reads a binary format, and uses what was read. (`tests/serde` has a textual one.)
fn read<T: DeserializeOwned>(bytes: &[u8], use_it: impl Fn(T)) -> bool {
    postcard::from_bytes(bytes).map(use_it).is_ok()
}

type Slots = SlotMap<DefaultKey, u32>;

/// Slots of all kinds.
fn slots() -> Slots {
    let mut map: Slots = (0..200).collect();
    let keys: Vec<_> = map.keys().collect();
    map.remove_many(keys[20..90].iter().copied());
    map.detach(keys[100]);
    map.insert(7);
    map
}

fn use_slots(mut map: Slots) {
    let keys: Vec<_> = map.keys().collect();
    assert_eq!((keys.len(), map.values().count()), (map.len(), map.len()));
    assert!(keys.iter().all(|key| map.contains_key(*key)));
    let new: Vec<_> = (0..100).filter_map(|n| map.try_insert(n).ok()).collect();
    assert!(new.iter().all(|key| !keys.contains(key)));
    map.remove_many(new);
    assert_eq!(map.len(), keys.len());
}

fn dense() -> DenseSlotMap<DefaultKey, u32> {
    let mut map: DenseSlotMap<_, _> = (0..200).collect();
    map.remove(map.keys_as_slice()[7]);
    map
}

fn use_dense(mut map: DenseSlotMap<DefaultKey, u32>) {
    let keys = map.keys_as_slice().to_vec();
    assert!(keys.iter().enumerate().all(|(row, key)| map.row_of(*key) == Some(row)));
    assert_eq!(map.as_slice().len(), keys.len());
    let _ = map.try_insert(1);
    map.clear();
}

macro_rules! secondary {
    ($module:ident, $map:ident) => {
        mod $module {
            use super::*;

            pub(super) fn made() -> $map<DefaultKey, u32> {
                slots().iter().map(|(key, value)| (key, *value)).collect()
            }

            pub(super) fn use_it(mut map: $map<DefaultKey, u32>) {
                let keys: Vec<_> = map.keys().collect();
                assert!(keys.iter().all(|key| map.contains_key(*key)) && keys.len() == map.len());
                assert!(keys.into_iter().all(|key| map.remove(key).is_some()) && map.is_empty());
            }
        }
    };
}

indices! { struct By for [u32; 2] { first: Unique<u32> = |row| row[0], } }

type Rows = Table<[u32; 2], By>;

fn use_table(mut table: Rows) {
    assert_eq!(table.check(), Ok(()));
    let _ = table.try_insert([1000, 1]);
    table.clear();
}

fn use_lists(mut pool: ListPool<u32>) {
    let key = pool.insert_list(0..9);
    assert_eq!((pool[key].len(), pool.values().count()), (9, pool.len()));
    pool.compact();
}

fn use_strs(mut pool: StrPool) {
    assert!(
        pool.iter()
            .all(|(key, text)| pool.get(key) == Some(text) && text.chars().count() <= text.len())
    );
    let key = pool.insert("new");
    assert_eq!(pool.get(key), Some("new"));
}

/// Bits of keys, which may be none.
fn key_bits<L: stayput::Layout>(bytes: &[u8]) -> bool {
    let mut all = bytes.chunks_exact(8).map(|chunk| {
        let bits = u64::from_le_bytes(chunk.try_into().expect("eight"));
        let _ = KeyData::<L>::from_ffi(bits).index();
        KeyData::<L>::from_bits(bits).is_some_and(|key| {
            assert_eq!(key.to_bits(), bits);
            assert_eq!(KeyData::from_parts(key.index(), key.generation(), key.tag()), Some(key));
            true
        })
    });
    all.next() == Some(true)
}

suite! {
    keys = Row::new("KeyData").damaged(cases![
        (|| KeyData::<Bits32<6, 3>>::from_parts(7, 2, 0).expect("it fits").to_bits().to_le_bytes().to_vec(), key_bits::<Bits32<6, 3>>),
        (|| KeyData::<Tagged64>::from_parts(7, 2, 3).expect("it fits").to_bits().to_le_bytes().to_vec(), key_bits::<Tagged64>),
        (|| KeyData::<Compact32>::from_parts(7, 2, 0).expect("it fits").to_bits().to_le_bytes().to_vec(), key_bits::<Compact32>),
    ]);

    array = Row::new("VmVec").damaged(cases![
        (|| through(&vec!["a"; 30]), |bytes| read(bytes, |vec: VmVec<String>| assert!(vec.capacity() >= vec.len()))),
        (
            || vec![b'a'; 30],
            |bytes| bytes.len() == 30 && String::try_from(VmVec::from(bytes)).is_ok()
        ),
    ]);

    blocks = Row::new("BlockVec").damaged(cases![
        (|| through(&vec!["a"; 30]), |bytes| read(bytes, |vec: BlockVec<String>| assert!(vec.capacity() >= vec.len()))),
    ]);

    shared = Row::new("SharedVec").damaged(cases![
        (|| through(&vec!["a"; 30]), |bytes| read(bytes, |vec: SharedVec<String>| assert_eq!(vec.iter().count(), vec.len()))),
    ]);

    columns = Row::new("Columns").damaged(cases![
        (
            || through(&(0..30).map(|n| (n, "a".to_owned())).collect::<Columns<(u32, String)>>()),
            |bytes| read(bytes, |columns: Columns<(u32, String)>| {
                assert_eq!(columns.as_slices().1.len(), columns.len());
            })
        ),
    ]);

    slot_map = Row::new("SlotMap").damaged(cases![
        (|| through(&slots()), |bytes| read(bytes, use_slots)),
        (
            || saved(|path| slots().save(path).expect("there is space")),
            |bytes| Slots::load(&Temporary::new(bytes).0).map(use_slots).is_ok()
        ),
    ]);

    packed = Row::new("DenseSlotMap").damaged(cases![
        (|| through(&dense()), |bytes| read(bytes, use_dense)),
    ]);

    secondary = Row::new("SecondaryMap").damaged(cases![
        (|| through(&beside::made()), |bytes| read(bytes, beside::use_it)),
        (
            || saved(|path| beside::made().save(path).expect("there is space")),
            |bytes| SecondaryMap::load(&Temporary::new(bytes).0).map(beside::use_it).is_ok()
        ),
    ]);

    sparse = Row::new("SparseSecondaryMap").damaged(cases![
        (|| through(&beside_sparse::made()), |bytes| read(bytes, beside_sparse::use_it)),
        (
            || saved(|path| beside_sparse::made().save(path).expect("there is space")),
            |bytes| SparseSecondaryMap::load(&Temporary::new(bytes).0).map(beside_sparse::use_it).is_ok()
        ),
    ]);

    shared_map = Row::new("SharedSlotMap").damaged(cases![
        (|| through(&slots()), |bytes| read(bytes, |map: SharedSlotMap<DefaultKey, u32>| use_slots(map.into_inner()))),
    ]);

    table = Row::new("Table").damaged(cases![
        (|| through(&(0..60).map(|n| [n, 1]).collect::<Rows>()), |bytes| read(bytes, use_table)),
    ]);

    lists = Row::new("ListPool").damaged(cases![
        (|| through(&(0..9).map(|n| 0..n).collect::<ListPool<u32>>()), |bytes| read(bytes, use_lists)),
    ]);

    lists_beside = Row::new("SecondaryLists").damaged(cases![
        (
            || {
                let mut lists = SecondaryLists::new();
                slots().keys().take(20).for_each(|key| lists.entry(key).extend([1_u32, 2]));
                through(&lists)
            },
            |bytes| read(bytes, |mut lists: SecondaryLists<DefaultKey, u32>| {
                let keys: Vec<_> = lists.keys().collect();
                assert!(keys.into_iter().all(|key| lists.remove_list(key)) && lists.is_empty());
            })
        ),
    ]);

    strs = Row::new("StrPool").damaged(cases![
        (|| through(&["a", "bc", "äöü"].into_iter().collect::<StrPool>()), |bytes| read(bytes, use_strs)),
    ]);

    snapshot = Row::new("Snapshot").damaged(cases![
        (
            || saved(|path| {
                let (slots, dense, beside) = (slots(), dense(), beside::made());
                let (table, numbers): (Rows, VmVec<u64>) = ((0..60).map(|n| [n, 1]).collect(), (0..60).collect());
                let snapshot = Snapshot::builder().add("slots", &slots).add("dense", &dense);
                let snapshot = snapshot.add("beside", &beside).add("table", &table).add("numbers", &numbers);
                snapshot.save(path).expect("there is space");
            }),
            |bytes| {
                let file = Temporary::new(bytes);
                let Ok(mut snapshot) = Snapshot::open(&file.0) else { return false };
                let loaded = [
                    snapshot.load("slots").map(use_slots).is_ok(),
                    snapshot.load("dense").map(use_dense).is_ok(),
                    snapshot.load("beside").map(beside::use_it).is_ok(),
                    snapshot.load("table").map(use_table).is_ok(),
                    snapshot.load("numbers").map(|numbers: VmVec<u64>| assert!(numbers.len() < 1 << 20)).is_ok(),
                ];
                loaded == [true; 5]
            }
        ),
    ]);

    #[cfg_attr(no_vm, ignore = "files are not supported there")]
    file = Row::new("FileVec, GrowOnlyFile").damaged(cases![
        (array_file, |bytes| {
            let file = Temporary::new(bytes);
            // SAFETY: nothing else uses the file.
            let Ok(mut vec) = (unsafe { FileVec::<u64>::open(&file.0) }) else { return false };
            assert!(vec.iter().count() == vec.len() && vec.len() <= bytes.len());
            let _ = vec.try_push(7);
            let _ = vec.grow_only().try_push(7);
            true
        }),
    ]);

    #[cfg_attr(no_vm, ignore = "files are not supported there")]
    follow = Row::new("Follow").damaged(cases![
        (array_file, |bytes| {
            let file = Temporary::new(bytes);
            Follow::<u64>::open(&file.0).map(|follow| assert!(follow.iter().count() <= bytes.len())).is_ok()
        }),
    ]);
}

secondary!(beside, SecondaryMap);
secondary!(beside_sparse, SparseSecondaryMap);

/// An array in a file, of which a part was flushed.
fn array_file() -> Vec<u8> {
    saved(|path| {
        // SAFETY: nothing else uses the file.
        let mut vec = unsafe { FileVec::<u64>::create(path) }.expect("there is space");
        vec.extend_from_slice(&[7; 300]);
        vec.flush().expect("there is space");
        vec.extend_from_slice(&[7; 30]);
    })
}
