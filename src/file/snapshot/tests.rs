//! Tests of saved containers.

use crate::error::ErrorKind;
use crate::file::tests::{Folder, SmallKey, TaggedKey};
use crate::file::{FileBacking, FileError, FileErrorKind, Snapshot};
use crate::slot_map::{Reuse, SlotMap};
use crate::{DefaultKey, Key, SecondaryMap, SparseSecondaryMap, VmVec};
use std::fs;

type Map = SlotMap<DefaultKey, [u32; 3]>;

/// Returns a map with slots of all kinds, the keys of values, and stale keys.
fn made(count: u32) -> (Map, Vec<(DefaultKey, u32)>, Vec<DefaultKey>) {
    let mut map = Map::new();
    let mut keys: Vec<_> = (0..count).map(|n| (map.insert([n; 3]), n)).collect();
    let mut stale = Vec::new();
    for round in 0..3 {
        let removed: Vec<_> = keys.iter().filter(|(_, n)| n % 5 == round).copied().collect();
        keys.retain(|(_, n)| n % 5 != round);
        for (key, _) in removed {
            map.remove(key);
            stale.push(key);
        }
        let more = count * (round + 1);
        keys.extend((more..more + count / 7).map(|n| (map.insert([n; 3]), n)));
    }
    let (detached, _) = keys.swap_remove(keys.len() / 2);
    map.detach(detached);
    stale.push(detached);
    (map, keys, stale)
}

fn is_the_same(map: &mut Map, keys: &[(DefaultKey, u32)], stale: &[DefaultKey]) {
    assert_eq!(map.len(), keys.len());
    assert!(keys.iter().all(|(key, n)| map.get(*key) == Some(&[*n; 3])));
    assert!(stale.iter().all(|key| map.get(*key).is_none()));
    for _ in 0..100 {
        let key = map.insert([0; 3]);
        assert!(!stale.contains(&key) && keys.iter().all(|(other, _)| *other != key));
    }
}

#[test]
fn keys_find_what_they_found() {
    let folder = Folder::new();
    // The largest takes several sections.
    for count in [5, 100, 150_000] {
        let (map, keys, stale) = made(count);
        map.save(folder.file()).unwrap();
        is_the_same(&mut Map::load(folder.file()).unwrap(), &keys, &stale);
        let backing = FileBacking::temporary_in(std::env::temp_dir(), 16 << 20).unwrap();
        let in_file = Map::builder().load_in(folder.file(), backing);
        is_the_same(&mut in_file.unwrap(), &keys, &stale);
    }
    // Nothing else was left in the folder.
    assert_eq!(folder.file().parent().unwrap().read_dir().unwrap().count(), 1);
}

#[test]
fn empty_and_trimmed_maps_can_be_saved() {
    let folder = Folder::new();
    Map::new().save(folder.file()).unwrap();
    assert!(Map::load(folder.file()).unwrap().is_empty());
    let (mut map, keys, mut stale) = made(20_000);
    stale.extend(keys.iter().map(|(key, _)| *key));
    map.clear();
    map.trim();
    map.save(folder.file()).unwrap();
    is_the_same(&mut Map::load(folder.file()).unwrap(), &[], &stale);
}

#[test]
fn type_ids_are_saved() {
    let folder = Folder::new();
    let mut map = SlotMap::<TaggedKey, u8>::builder().type_id(7).build();
    let key = map.insert(1);
    map.save(folder.file()).unwrap();
    let map = SlotMap::<TaggedKey, u8>::load(folder.file()).unwrap();
    assert_eq!((map.type_id(), map.get(key)), (Some(7), Some(&1)));
    assert_eq!((key.data().type_id(), map.get(TaggedKey::NULL)), (7, None));
    let same = SlotMap::<TaggedKey, u8>::builder().type_id(7).load(folder.file());
    assert_eq!(same.unwrap().get(key), Some(&1));
    let other = SlotMap::<TaggedKey, u8>::builder().type_id(8).load(folder.file());
    assert_eq!(other.unwrap_err().refused().unwrap().kind(), ErrorKind::TypeId);
}

#[test]
fn damaged_files_are_refused() {
    let folder = Folder::new();
    let (map, ..) = made(300);
    map.save(folder.file()).unwrap();
    let whole = fs::read(folder.file()).unwrap();
    let load = |bytes: &[u8]| {
        fs::write(folder.file(), bytes).unwrap();
        Map::load(folder.file()).map(drop)
    };
    for at in (0..whole.len()).step_by(3) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        let error = load(&bytes).unwrap_err();
        assert!(error.path().is_some() && error.to_string().len() > 20, "{at}");
    }
    for len in (0..whole.len()).step_by(7).chain([64]) {
        let kind = load(&whole[..len]).unwrap_err().kind();
        let right = match len {
            0 => FileErrorKind::Empty,
            1..64 => FileErrorKind::Short,
            _ => FileErrorKind::Length,
        };
        assert_eq!(kind, right, "of {len} bytes");
        if len < 64 {
            assert_eq!(Snapshot::open(folder.file()).unwrap_err().kind(), right);
        }
    }
    let longer = [whole.as_slice(), &[0]].concat();
    assert_eq!(load(&longer).unwrap_err().kind(), FileErrorKind::Length);
    load(&whole).unwrap();
    let kind = SlotMap::<DefaultKey, [u32; 4]>::load(folder.file()).unwrap_err().kind();
    assert_eq!(kind, FileErrorKind::Element);
    let kind = SlotMap::<TaggedKey, [u32; 3]>::load(folder.file()).unwrap_err().kind();
    assert_eq!(kind, FileErrorKind::Element);
    let kind = Map::load(folder.file().parent().unwrap()).unwrap_err().kind();
    assert_eq!(kind, FileErrorKind::NotAFile);
}

#[test]
fn invalid_maps_with_valid_checksums_are_refused() {
    let folder = Folder::new();
    let (map, ..) = made(300);
    map.save(folder.file()).unwrap();
    let whole = fs::read(folder.file()).unwrap();
    let load = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        super::seal(&mut bytes[..64]);
        seal_section(&mut bytes);
        fs::write(folder.file(), bytes).unwrap();
        Map::load(folder.file()).map(drop).unwrap_err().kind()
    };
    let slots = u64::from_ne_bytes(whole[48..56].try_into().unwrap());
    let words = u32::from_ne_bytes(whole[64..68].try_into().unwrap());
    let first_slot = 68 + 4 * words as usize;
    let first_generation = first_slot + usize::try_from(slots).unwrap();
    // More slots than there are bytes, in the file or anywhere.
    for forged in [slots + 1, 1 << 20, u64::MAX] {
        let kind = load(&|bytes| bytes[48..56].copy_from_slice(&forged.to_ne_bytes()));
        assert_eq!(kind, FileErrorKind::Length);
    }
    assert_eq!(load(&|bytes| bytes[first_slot] = 9), FileErrorKind::Content);
    assert_eq!(load(&|bytes| bytes[40..44].fill(0xFF)), FileErrorKind::Content);
    // Words of the next keys: an unknown order, too many floors, and too many words.
    assert_eq!(load(&|bytes| bytes[76..80].fill(0xFF)), FileErrorKind::Content);
    assert_eq!(load(&|bytes| bytes[72..76].fill(0xFF)), FileErrorKind::Content);
    assert_eq!(load(&|bytes| bytes[64..68].fill(0xFF)), FileErrorKind::Length);
    let kind = load(&|bytes| bytes[first_generation..first_generation + 4].fill(0xFF));
    assert_eq!(kind, FileErrorKind::Content);
}

#[test]
fn files_of_other_kinds_are_refused_with_their_own_errors() {
    let folder = Folder::new();
    made(10).0.save(folder.file()).unwrap();
    let whole = fs::read(folder.file()).unwrap();
    let load = |at: usize, change: &dyn Fn(&mut [u8])| {
        let mut bytes = whole.clone();
        change(&mut bytes[at..at + 4]);
        super::seal(&mut bytes[..64]);
        fs::write(folder.file(), bytes).unwrap();
        Map::load(folder.file()).unwrap_err().kind()
    };
    assert_eq!(load(0, &|magic| magic.fill(0)), FileErrorKind::NotStayput);
    assert_eq!(load(8, &|version| version[0] += 1), FileErrorKind::Version);
    assert_eq!(load(12, &|order| order.reverse()), FileErrorKind::ByteOrder);
    assert_eq!(load(44, &|align| align.fill(0)), FileErrorKind::Element);
}

#[test]
fn the_reader_sets_the_order_of_reuse() {
    let folder = Folder::new();
    let (map, keys, stale) = made(1000);
    map.save(folder.file()).unwrap();
    for reuse in [Reuse::Recent, Reuse::Lowest, Reuse::Rotating { min_free: 50 }] {
        let mut map = Map::builder().reuse(reuse).load(folder.file()).unwrap();
        is_the_same(&mut map, &keys, &stale);
        map.save(folder.file()).unwrap();
        assert_eq!(Map::load(folder.file()).unwrap().len(), keys.len() + 100);
        made(1000).0.save(folder.file()).unwrap();
    }
}

#[test]
fn swapped_sections_are_detected() {
    let folder = Folder::new();
    let mut map = SlotMap::<DefaultKey, u64>::new();
    let slots = super::section_slots::<u64>();
    for n in 0..2 * slots as u64 {
        map.insert(n);
    }
    map.save(folder.file()).unwrap();
    let mut bytes = fs::read(folder.file()).unwrap();
    // Seven words for the next keys, and their number.
    let sections = &mut bytes[64 + 8 * 4..];
    let (first, second) = sections.split_at_mut(slots * 13 + 4);
    first.swap_with_slice(second);
    fs::write(folder.file(), bytes).unwrap();
    let error = SlotMap::<DefaultKey, u64>::load(folder.file()).unwrap_err();
    assert_eq!(error.kind(), FileErrorKind::Content);
}

#[test]
fn sections_have_the_documented_number_of_slots() {
    let folder = Folder::new();
    let whole = super::section_slots::<()>;
    assert_eq!((whole(), super::section_slots::<u64>()), ((1 << 20) / 5, (1 << 20) / 13));
    assert_eq!(super::section_slots::<[u8; 1 << 20]>(), 1);
    // Arrays of one element more than a section has: each section ends with a checksum.
    let (mut words, mut large) = (VmVec::<u64>::new(), VmVec::<[[u8; 4096]; 512]>::new());
    words.extend_zeroed((1 << 17) + 1);
    large.extend_zeroed(2);
    for (part, bytes) in [("words", (1 << 20) + 8), ("large", 1 << 22)] {
        let snapshot = Snapshot::builder().add("words", &words);
        let alone = Snapshot::builder().add("large", &large);
        let snapshot = if part == "words" { snapshot } else { alone };
        snapshot.save(folder.file()).unwrap();
        let long = fs::metadata(folder.file()).unwrap().len();
        // Both headers, two checksums, and an entry of the directory with its name.
        assert_eq!(long, 64 + 64 + bytes + 2 * 4 + 24 + 5, "{part}");
    }
}

#[test]
fn a_snapshot_that_is_cut_while_it_is_open_is_refused() {
    let folder = Folder::new();
    let numbers: VmVec<u64> = (0..1000).collect();
    Snapshot::builder().add("numbers", &numbers).save(folder.file()).unwrap();
    let mut snapshot = Snapshot::open(folder.file()).unwrap();
    for long in [64 + 64 + 3000, 64 + 64, 64 + 10, 0] {
        fs::File::options().write(true).open(folder.file()).unwrap().set_len(long).unwrap();
        let error = snapshot.load::<VmVec<u64>>("numbers").unwrap_err();
        assert_eq!(error.kind(), FileErrorKind::Length, "{long} bytes");
    }
}

/// Makes the checksum of a file of one section right.
fn seal_section(bytes: &mut [u8]) {
    let (content, sum) = bytes.split_last_chunk_mut().unwrap();
    *sum = crc32fast::hash(content).to_ne_bytes();
}

#[test]
fn two_pairs_of_one_slot_are_refused() {
    type Near = SecondaryMap<DefaultKey, u32>;
    type Far = SecondaryMap<DefaultKey, [u8; 1024]>;
    type Sparse<V> = SparseSecondaryMap<DefaultKey, V>;
    let folder = Folder::new();
    let mut units = SlotMap::<DefaultKey, ()>::new();
    let keys: Vec<_> = (0..30).map(|_| units.insert(())).collect();
    let mut near = Near::new();
    near.insert(keys[0], 1);
    near.insert(keys[1], 2);
    near.save(folder.file()).unwrap();
    // The second of two indices becomes the first.
    let mut bytes = fs::read(folder.file()).unwrap();
    bytes.copy_within(64..68, 68);
    seal_section(&mut bytes);
    fs::write(folder.file(), bytes).unwrap();
    assert_eq!(Near::load(folder.file()).unwrap_err().kind(), FileErrorKind::Content);
    assert_eq!(Sparse::<u32>::load(folder.file()).unwrap_err().kind(), FileErrorKind::Content);
    // Pairs of far slots, which wait for others.
    let far: Far = keys[..30].iter().map(|key| (*key, [1; 1024])).collect();
    far.save(folder.file()).unwrap();
    let saved = fs::read(folder.file()).unwrap();
    for (second, is_valid) in [(65_499_u32, true), (65_500, false)] {
        let mut bytes = saved.clone();
        bytes[64..68].copy_from_slice(&65_500_u32.to_ne_bytes());
        bytes[68..72].copy_from_slice(&second.to_ne_bytes());
        seal_section(&mut bytes);
        fs::write(folder.file(), bytes).unwrap();
        let kinds = [
            Far::load(folder.file()).map(|map| map.len()).map_err(|error| error.kind()),
            Sparse::<[u8; 1024]>::load(folder.file())
                .map(|map| map.len())
                .map_err(|error| error.kind()),
        ];
        assert_eq!(kinds, [if is_valid { Ok(30) } else { Err(FileErrorKind::Content) }; 2]);
    }
}

#[test]
#[cfg(unix)]
fn a_file_that_is_replaced_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let mode = || fs::metadata(folder.file()).unwrap().permissions().mode() & 0o777;
    let map = made(5).0;
    map.save(folder.file()).unwrap();
    for right in [0o600, 0o640] {
        fs::set_permissions(folder.file(), fs::Permissions::from_mode(right)).unwrap();
        map.save(folder.file()).unwrap();
        assert_eq!(mode(), right);
    }
    // A symbolic link is replaced by the file.
    let link = folder.file().with_extension("link");
    std::os::unix::fs::symlink(folder.file(), &link).unwrap();
    made(100).0.save(&link).unwrap();
    assert!(link.symlink_metadata().unwrap().is_file());
    assert_eq!(Map::load(folder.file()).unwrap().len(), map.len());
}

#[test]
fn retired_slots_and_zero_sized_values_are_saved() {
    let folder = Folder::new();
    let mut map = SlotMap::<SmallKey, ()>::with_key();
    let first = map.insert(());
    let mut last = first;
    for _ in 0..40 {
        map.remove(last);
        last = map.insert(());
    }
    let retired = map.stats().retired;
    assert!(retired > 0);
    map.save(folder.file()).unwrap();
    let mut map = SlotMap::<SmallKey, ()>::load(folder.file()).unwrap();
    assert_eq!((map.stats().retired, map.len(), map.get(first)), (retired, 1, None));
    assert_eq!(map.get(SmallKey::NULL), None);
    assert!(map.remove(last).is_some());
}

#[test]
fn a_refused_save_leaves_the_old_file() {
    let folder = Folder::new();
    let (map, keys, stale) = made(100);
    map.save(folder.file()).unwrap();
    // A folder is not replaced by a file.
    let occupied = folder.file().with_extension("folder");
    fs::create_dir_all(occupied.join("more")).unwrap();
    assert!(map.save(&occupied).is_err());
    let missing = map.save(folder.file().join("below")).unwrap_err();
    assert_ne!(missing.kind(), FileErrorKind::Refused);
    assert_eq!(folder.file().parent().unwrap().read_dir().unwrap().count(), 2);
    is_the_same(&mut Map::load(folder.file()).unwrap(), &keys, &stale);
}

#[test]
fn invalid_snapshots_with_valid_checksums_are_refused() {
    let folder = Folder::new();
    let numbers: VmVec<u64> = (0..10).collect();
    Snapshot::builder().add("numbers", &numbers).save(folder.file()).unwrap();
    let whole = fs::read(folder.file()).unwrap();
    // The header, the array with its own header, an entry, and a name.
    let (part, directory) = (64, 64 + 64 + 84);
    assert_eq!(whole.len(), directory + 24 + 7);
    let load = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        super::seal(&mut bytes[part..part + 64]);
        let sum = crc32fast::hash(&bytes[directory..]);
        bytes[32..36].copy_from_slice(&sum.to_ne_bytes());
        super::seal(&mut bytes[..64]);
        fs::write(folder.file(), bytes).unwrap();
        let mut snapshot = Snapshot::open(folder.file())?;
        snapshot.load::<VmVec<u64>>("numbers").map(drop)
    };
    load(&|_| ()).unwrap();
    let kind = |at: usize, forged: &[u8]| {
        load(&|bytes| bytes[at..at + forged.len()].copy_from_slice(forged)).unwrap_err().kind()
    };
    // More elements than there are bytes, and parts at invalid places.
    for forged in [11, 1 << 20, 1 << 60, u64::MAX] {
        assert_eq!(kind(part + 48, &forged.to_ne_bytes()), FileErrorKind::Length);
        assert_eq!(kind(directory + 8, &forged.to_ne_bytes()), FileErrorKind::Content);
        assert_eq!(kind(directory, &forged.to_ne_bytes()), FileErrorKind::Content);
    }
    assert_eq!(kind(16, &u64::MAX.to_ne_bytes()), FileErrorKind::Length);
    assert_eq!(kind(directory + 20, &[8]), FileErrorKind::Content);
    assert_eq!(kind(directory + 24, &[0xFF]), FileErrorKind::Content);
    // A valid part, but not the one that was saved with the rest.
    assert_eq!(kind(directory + 16, &[1, 2, 3, 4]), FileErrorKind::Content);
    assert_eq!(kind(directory + 24, b"x"), FileErrorKind::NoPart);
}

#[test]
fn zero_sized_values_are_loaded_in_no_time() {
    let folder = Folder::new();
    let mut nothing = VmVec::<()>::new();
    nothing.extend_zeroed(usize::MAX);
    Snapshot::builder().add("nothing", &nothing).save(folder.file()).unwrap();
    let loaded: VmVec<()> = Snapshot::open(folder.file()).unwrap().load("nothing").unwrap();
    assert_eq!(loaded.len(), usize::MAX);
}

#[test]
fn a_snapshot_and_its_parts_may_be_empty() {
    let folder = Folder::new();
    let nothing = VmVec::<u64>::new();
    for parts in [0, 1] {
        let mut builder = Snapshot::builder();
        if parts == 1 {
            builder = builder.add("nothing", &nothing);
        }
        builder.save(folder.file()).unwrap();
        let mut snapshot = Snapshot::open(folder.file()).unwrap();
        assert_eq!(snapshot.names().count(), parts);
        let loaded = snapshot.load::<VmVec<u64>>("nothing");
        let kind = loaded.as_ref().map(VmVec::len).map_err(FileError::kind);
        assert_eq!(kind, if parts == 1 { Ok(0) } else { Err(FileErrorKind::NoPart) });
        // The header, that of the part, and its entry with a name of 7 bytes.
        assert_eq!(fs::metadata(folder.file()).unwrap().len(), 64 + parts as u64 * (64 + 24 + 7));
    }
}
