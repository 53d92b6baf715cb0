//! Containers that are saved to files, alone and together.

use crate::child::{argument, child};
use crate::{Folder, effort};
use stayput::file::{FileError, FileErrorKind, Saved, Snapshot};
use stayput::{
    DefaultKey, DenseSlotMap, SecondaryMap, SlotMap, SparseSecondaryMap, Table, Tagged64, VmVec,
    indices, new_key_type,
};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

new_key_type! { struct UnitKey: Tagged64; }

indices! { struct By for [u32; 2] { first: Unique<u32> = |row| row[0], } }

/// Containers of a thousand values each, with holes.
#[derive(Default)]
struct World {
    units: SlotMap<UnitKey, [u32; 3]>,
    health: SecondaryMap<UnitKey, u64>,
    burning: SparseSecondaryMap<UnitKey, u8>,
    dense: DenseSlotMap<DefaultKey, u16>,
    table: Table<[u32; 2], By>,
    numbers: VmVec<u64>,
}

impl World {
    fn new() -> Self {
        let mut world = Self { units: SlotMap::builder().type_id(5).build(), ..Self::default() };
        world.health.set_type_id(5);
        for n in 0..1000 {
            let key = world.units.insert([n; 3]);
            world.health.insert(key, n.into());
            if n % 10 == 0 {
                world.burning.insert(key, 7);
            }
            if n % 3 == 0 {
                world.units.remove(key);
                world.health.remove(key);
            }
            let (key, row) = (world.dense.insert(9), world.table.insert([n, n]));
            if n % 4 == 0 {
                world.dense.remove(key);
                world.table.remove(row);
            }
        }
        world.numbers.extend(0..200_000);
        world
    }

    fn save(&self, path: &Path) {
        let snapshot = Snapshot::builder()
            .add("units", &self.units)
            .add("health", &self.health)
            .add("burning", &self.burning)
            .add("dense", &self.dense)
            .add("table", &self.table)
            .add("numbers", &self.numbers);
        snapshot.save(path).unwrap();
    }

    fn load(path: &Path) -> Result<Self, FileError> {
        let mut snapshot = Snapshot::open(path)?;
        let names = ["units", "health", "burning", "dense", "table", "numbers"];
        assert!(snapshot.names().eq(names));
        Ok(Self {
            // In another order than they were saved.
            numbers: snapshot.load("numbers")?,
            units: snapshot.load("units")?,
            health: snapshot.load("health")?,
            burning: snapshot.load("burning")?,
            dense: snapshot.load("dense")?,
            table: snapshot.load("table")?,
        })
    }

    fn is(&self, other: &Self) -> bool {
        self.units.iter().eq(&other.units)
            && self.health.iter().eq(&other.health)
            && self.burning.len() == other.burning.len()
            && self.burning.iter().all(|(key, value)| other.burning.get(key) == Some(value))
            && self.dense.iter().eq(&other.dense)
            && self.table.rows().iter().eq(other.table.rows())
            && self.numbers == other.numbers
    }
}

#[test]
fn what_is_saved_together_is_loaded_as_it_was() {
    let (folder, world) = (Folder::new(), World::new());
    let path = folder.file();
    world.save(&path);
    let mut loaded = World::load(&path).unwrap();
    assert!(loaded.is(&world));
    assert_eq!(loaded.units.type_id(), Some(5));
    assert_eq!(loaded.table.find(|by| &by.first, &1).map(|(_, row)| *row), Some([1, 1]));
    assert!(loaded.table.find(|by| &by.first, &4).is_none());
    let key = loaded.dense.insert(1);
    assert_eq!((loaded.dense[key], world.dense.get(key)), (1, None));
    // What a snapshot holds stays when the file is replaced, where systems can replace open files.
    let before = cfg!(unix).then(|| Snapshot::open(&path).unwrap());
    World::default().save(&path);
    if let Some(mut before) = before {
        assert_eq!(before.load::<VmVec<u64>>("numbers").unwrap(), world.numbers);
    }
    assert!(World::load(&path).unwrap().is(&World::default()));
}

fn kind<C: Saved>(snapshot: &mut Snapshot, name: &str) -> FileErrorKind {
    snapshot.load::<C>(name).map(|_| ()).unwrap_err().kind()
}

#[test]
fn parts_are_loaded_as_what_they_are() {
    let (folder, world) = (Folder::new(), World::new());
    world.save(&folder.file());
    let mut snapshot = Snapshot::open(folder.file()).unwrap();
    // Both kinds of secondary maps read each other, and a table is the map of its rows.
    let health: SparseSecondaryMap<UnitKey, u64> = snapshot.load("health").unwrap();
    assert_eq!(health.len(), world.health.len());
    let burning: SecondaryMap<UnitKey, u8> = snapshot.load("burning").unwrap();
    assert_eq!(burning.len(), world.burning.len());
    let rows: SlotMap<DefaultKey, [u32; 2]> = snapshot.load("table").unwrap();
    assert!(rows.iter().eq(world.table.rows()));

    let wrong = [
        kind::<SlotMap<UnitKey, u64>>(&mut snapshot, "health"),
        kind::<SecondaryMap<UnitKey, u32>>(&mut snapshot, "health"),
        kind::<SecondaryMap<DefaultKey, u64>>(&mut snapshot, "health"),
        kind::<VmVec<[u8; 8]>>(&mut snapshot, "numbers"),
        kind::<VmVec<u64>>(&mut snapshot, "units"),
        // A dense map begins with a map of row numbers.
        kind::<SlotMap<DefaultKey, u32>>(&mut snapshot, "dense"),
    ];
    assert_eq!(wrong, [FileErrorKind::Element; 6]);
    assert_eq!(kind::<VmVec<u64>>(&mut snapshot, "number"), FileErrorKind::NoPart);
    let (slots, path) = (SlotMap::<DefaultKey, _>::from_iter([1_u32]), folder.path().join("slots"));
    Snapshot::builder().add("slots", &slots).save(&path).unwrap();
    let mut of_slots = Snapshot::open(path).unwrap();
    let wrong = kind::<DenseSlotMap<DefaultKey, u32>>(&mut of_slots, "slots");
    assert_eq!(wrong, FileErrorKind::Element);
    let error = SlotMap::<UnitKey, [u32; 3]>::load(folder.file()).unwrap_err();
    assert_eq!(error.kind(), FileErrorKind::NotStayput);
    // A map in which two rows have the same value cannot be read as such a table.
    let twice: SlotMap<DefaultKey, [u32; 2]> = [[1, 1], [1, 2]].into_iter().collect_map();
    drop(snapshot);
    Snapshot::builder().add("table", &twice).save(folder.file()).unwrap();
    let mut snapshot = Snapshot::open(folder.file()).unwrap();
    assert_eq!(kind::<Table<[u32; 2], By>>(&mut snapshot, "table"), FileErrorKind::Refused);
}

trait CollectMap {
    fn collect_map(self) -> SlotMap<DefaultKey, [u32; 2]>;
}

impl<I: Iterator<Item = [u32; 2]>> CollectMap for I {
    fn collect_map(self) -> SlotMap<DefaultKey, [u32; 2]> {
        let mut map = SlotMap::new();
        for row in self {
            map.insert(row);
        }
        map
    }
}

#[test]
#[should_panic(expected = "two parts named \"units\"")]
fn names_are_given_once() {
    let numbers = VmVec::<u8>::new();
    let _ = Snapshot::builder().add("units", &numbers).add("units", &numbers);
}

type Far = SecondaryMap<DefaultKey, [u8; 1024]>;

#[test]
fn secondary_maps_have_files_of_their_own() {
    let (folder, world) = (Folder::new(), World::new());
    let path = folder.file();
    world.health.save(&path).unwrap();
    let loaded = SecondaryMap::load(&path).unwrap();
    // Keys that are given out have the type id.
    assert!(loaded.iter().eq(&world.health));
    let sparse: SparseSecondaryMap<UnitKey, u64> = SparseSecondaryMap::load(&path).unwrap();
    fs::remove_file(&path).unwrap();
    sparse.save(&path).unwrap();
    let again: SecondaryMap<UnitKey, u64> = SecondaryMap::load(&path).unwrap();
    assert!(again.iter().eq(&world.health));
    let error = SecondaryMap::<UnitKey, [u8; 8]>::load(&path).unwrap_err();
    assert_eq!(error.kind(), FileErrorKind::Element);

    // An index that is far unless it is announced.
    let mut units = SlotMap::<DefaultKey, ()>::new();
    let (mut far, mut last) = (SecondaryMap::new(), DefaultKey::default());
    (0..200_000).for_each(|_| last = units.insert(()));
    far.set_capacity(units.len());
    far.insert(last, [1_u8; 1024]);
    far.save(&path).unwrap();
    let error = Far::load(&path).unwrap_err();
    assert_eq!(error.refused().unwrap().kind(), stayput::ErrorKind::FarIndex);
    let loaded = Far::builder().capacity(units.len()).load(&path).unwrap();
    assert!(loaded.iter().eq(&far));
}

#[test]
fn a_snapshot_with_any_byte_changed_or_missing_is_refused() {
    let folder = Folder::new();
    let path = folder.file();
    let (mut units, mut health) = (SlotMap::<UnitKey, u32>::with_key(), SecondaryMap::new());
    for n in 0..20 {
        let key = units.insert(n);
        health.insert(key, [n; 2]);
    }
    Snapshot::builder().add("units", &units).add("health", &health).save(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    let load = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let mut snapshot = Snapshot::open(&path)?;
        let units: SlotMap<UnitKey, u32> = snapshot.load("units")?;
        let health: SecondaryMap<UnitKey, [u32; 2]> = snapshot.load("health")?;
        Ok::<_, FileError>((units, health))
    };
    load(&whole).unwrap();
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        let error = load(&bytes).map(|_| at).unwrap_err();
        assert_eq!(error.path(), Some(path.as_path()));
        if at % 3 == 0 {
            load(&whole[..at]).map(|_| at).unwrap_err();
        }
    }
    load(&[whole.as_slice(), &[0]].concat()).map(drop).unwrap_err();
}

#[test]
fn what_a_dead_process_left_is_removed_and_nothing_else() {
    let folder = Folder::new();
    let numbers: VmVec<u64> = (0..10).collect();
    let there = |name: &str| folder.path().join(name);
    let others = [".stayput-notes", "stayput-0123456789abcdef", ".stayput-0123456789abcdef0"];
    for name in others {
        fs::write(there(name), "mine").unwrap();
    }
    fs::create_dir(there(".stayput-00000000000000aa")).unwrap();
    fs::write(there(".stayput-0123456789abcdef"), "left").unwrap();
    let snapshot = Snapshot::builder().add("numbers", &numbers);
    snapshot.save(folder.file()).unwrap();
    assert!(!there(".stayput-0123456789abcdef").exists());
    assert_eq!(folder.path().read_dir().unwrap().count(), 5);
    // A living process has locked the one that it writes.
    #[cfg(unix)]
    {
        let path = there(".stayput-0123456789abcdef");
        let held = fs::File::create(&path).unwrap();
        held.set_modified(std::time::UNIX_EPOCH).unwrap();
        lock(&held);
        snapshot.save(folder.file()).unwrap();
        assert!(path.exists());
        drop(held);
        snapshot.save(folder.file()).unwrap();
        assert!(!path.exists());
    }
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "calls the system")]
pub(crate) fn lock(file: &fs::File) {
    use std::os::fd::AsRawFd;
    // SAFETY: the file is open; no memory is involved.
    assert_eq!(unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX) }, 0);
}

#[test]
fn saver() {
    let Some(path) = argument() else { return };
    for round in 0_u64.. {
        let (mut units, mut health) = (SlotMap::<DefaultKey, u64>::new(), SecondaryMap::new());
        for n in 0..round % 50 {
            health.insert(units.insert(round + n), round + n);
        }
        Snapshot::builder().add("units", &units).add("health", &health).save(&path).unwrap();
    }
}

#[test]
fn containers_that_are_saved_together_match_whenever_the_process_is_killed() {
    if argument().is_some() {
        return;
    }
    let folder = Folder::new();
    let path = folder.file();
    for round in 0..effort::rounds(10) {
        let mut saver = child("snapshots::saver", &path).stdout(Stdio::null()).spawn().unwrap();
        while !path.exists() {
            assert_eq!(saver.try_wait().unwrap(), None, "it has ended");
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_micros(u64::from(round) * 7919 % 20_000));
        saver.kill().unwrap();
        saver.wait().unwrap();
        // Whatever the process left is removed by the next that saves there.
        Snapshot::builder().save(path.with_extension("other")).unwrap();
        let names = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = names.filter(|name| name != "array" && name != "array.other").collect();
        assert!(left.is_empty(), "{left:?}");
        let mut snapshot = Snapshot::open(&path).unwrap();
        let units: SlotMap<DefaultKey, u64> = snapshot.load("units").unwrap();
        let health: SecondaryMap<DefaultKey, u64> = snapshot.load("health").unwrap();
        assert!(units.iter().eq(&health));
        fs::remove_file(&path).unwrap();
    }
}
