//! [`Snapshot`]: several containers in one file.

#![forbid(unsafe_code)]

use super::form::Codec;
use super::read::{self, Source};
use super::write::Sink;
use super::{FileHeader, VERSION};
use crate::dense::DenseSlotMap;
use crate::error::{Error, ErrorKind};
use crate::file::error::{FileError, FileErrorKind};
use crate::file::header::{FileProblem, begin, check_begin, number, seal, word};
use crate::file::temporary;
use crate::heap::try_collect;
use crate::key::Key;
use crate::secondary::{SecondaryMap, SparseSecondaryMap};
use crate::slot_map::SlotMap;
use crate::table::{Indices, Row, Table};
use crate::vec::VmVec;
use bytemuck::Pod;
use std::fmt;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::{Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"staysnap";

/// A container of plain data that a [`Snapshot`] can hold: a [`SlotMap`], [`SecondaryMap`], [`SparseSecondaryMap`],
/// [`DenseSlotMap`], [`Table`] or [`VmVec`].
///
/// This trait is sealed.
///
/// # Examples
///
/// ```
/// use stayput::file::{FileError, Saved, Snapshot};
/// use std::path::Path;
///
/// /// Reads one container of a snapshot.
/// fn restore<C: Saved>(path: &Path, name: &str) -> Result<C, FileError> {
///     Snapshot::open(path)?.load(name)
/// }
/// ```
pub trait Saved: Codec {}

impl<K: Key, V: Pod> Saved for SlotMap<K, V> {}
impl<K: Key, V: Pod> Saved for SecondaryMap<K, V> {}
impl<K: Key, V: Pod, S: BuildHasher + Default> Saved for SparseSecondaryMap<K, V, S> {}
impl<K: Key, V: Pod> Saved for DenseSlotMap<K, V> {}
impl<R: Pod + Row<X::Part>, X: Indices, K: Key> Saved for Table<R, X, K> {}
impl<T: Pod> Saved for VmVec<T> {}

/// A file of several containers that are saved together, all as of one time.
///
/// A slot map and the secondary maps of its keys belong together. If each is saved to a file of its own and the process
/// is killed in between, the files do not match: keys find values of others. A snapshot is written to one file, which
/// replaces the previous one as a whole, as [`SlotMap::save`] does.
///
/// Secondary maps can be read as either kind. A [`Table`] is written as the `SlotMap` of its rows, and can be read as
/// either. Options are not saved: containers are read with those of [`Default`].
///
/// # Examples
///
/// ```
/// use stayput::file::Snapshot;
/// use stayput::{DefaultKey, SecondaryMap, SlotMap};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("stayput-snapshot-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let path = folder.join("world");
/// let mut places: SlotMap<DefaultKey, [f32; 2]> = SlotMap::new();
/// let mut health: SecondaryMap<DefaultKey, u32> = SecondaryMap::new();
/// let here = places.insert([1.0, 2.0]);
/// health.insert(here, 100);
/// Snapshot::builder().add("places", &places).add("health", &health).save(&path)?;
///
/// let mut snapshot = Snapshot::open(&path)?;
/// let places: SlotMap<DefaultKey, [f32; 2]> = snapshot.load("places")?;
/// let health: SecondaryMap<DefaultKey, u32> = snapshot.load("health")?;
/// assert_eq!((places[here], health[here]), ([1.0, 2.0], 100));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Snapshot {
    file: File,
    path: PathBuf,
    entries: Vec<Entry>,
}

/// A set of containers to save together; created by [`Snapshot::builder`].
///
/// # Examples
///
/// ```
/// use stayput::file::Snapshot;
/// use stayput::vm_vec;
///
/// # let folder = std::env::temp_dir().join(format!("stayput-snapshot-builder-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let path = folder.join("world");
/// let (heights, names) = (vm_vec![1.5_f64, 2.5], vm_vec![*b"Ann", *b"Ben"]);
/// let mut world = Snapshot::builder().add("heights", &heights);
/// if !names.is_empty() {
///     world = world.add("names", &names);
/// }
/// world.save(&path)?;
/// assert!(Snapshot::open(&path)?.names().eq(["heights", "names"]));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
#[must_use = "nothing is written until `save` is called"]
pub struct SnapshotBuilder<'a> {
    parts: Vec<(&'a str, &'a dyn Saved)>,
}

/// The place of a container in the file.
#[derive(Debug)]
struct Entry {
    name: String,
    bytes: Range<u64>,
    sum: u32,
}

impl<'a> SnapshotBuilder<'a> {
    /// Adds a container under a name, by which it is [loaded](Snapshot::load).
    ///
    /// # Panics
    ///
    /// If the name was added before.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::file::Snapshot;
    /// use stayput::{VmVec, vm_vec};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-snapshot-add-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("world");
    /// let (heights, names) = (vm_vec![1.5_f64, 2.5], vm_vec![*b"Ann", *b"Ben"]);
    /// Snapshot::builder().add("heights", &heights).add("names", &names).save(&path)?;
    ///
    /// let names: VmVec<[u8; 3]> = Snapshot::open(&path)?.load("names")?;
    /// assert_eq!(names, [*b"Ann", *b"Ben"]);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn add(mut self, name: &'a str, container: &'a impl Saved) -> Self {
        let is_new = self.parts.iter().all(|(other, _)| *other != name);
        assert!(is_new, "a snapshot cannot have two parts named {name:?}");
        self.parts.push((name, container));
        self
    }

    /// Writes the containers to a file. An existing file is replaced as a whole, as by [`SlotMap::save`].
    ///
    /// # Errors
    ///
    /// As for [`SlotMap::save`].
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::file::Snapshot;
    /// use stayput::{VmVec, vm_vec};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-snapshot-save-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("world");
    /// let mut heights = vm_vec![1.5_f64, 2.5];
    /// Snapshot::builder().add("heights", &heights).save(&path)?;
    /// heights.push(3.5);
    /// Snapshot::builder().add("heights", &heights).save(&path)?; // replaces the file
    ///
    /// let saved: VmVec<f64> = Snapshot::open(&path)?.load("heights")?;
    /// assert_eq!(saved, heights);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        temporary::replace(path.as_ref(), |file| self.write(Sink::new(file)))
    }

    fn write(&self, mut to: Sink<'_>) -> Result<(), FileProblem> {
        to.write(&[0; FileHeader::BYTES])?;
        let (mut start, _) = to.next_part();
        let mut directory = Vec::new();
        for (name, container) in &self.parts {
            container.write(&mut to)?;
            let (end, sum) = to.next_part();
            directory.extend_from_slice(&start.to_ne_bytes());
            directory.extend_from_slice(&end.to_ne_bytes());
            directory.extend_from_slice(&sum.to_ne_bytes());
            let len = u32::try_from(name.len()).unwrap_or(u32::MAX);
            directory.extend_from_slice(&len.to_ne_bytes());
            directory.extend_from_slice(&name.as_bytes()[..len as usize]);
            start = end;
        }
        to.write(&directory)?;
        let (end, sum) = to.next_part();
        let mut head = begin(MAGIC, VERSION);
        head[16..24].copy_from_slice(&start.to_ne_bytes());
        head[24..32].copy_from_slice(&end.to_ne_bytes());
        head[32..36].copy_from_slice(&sum.to_ne_bytes());
        seal(&mut head);
        to.write_first(&head)
    }
}

impl fmt::Debug for SnapshotBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.parts.iter().map(|(name, _)| name)).finish()
    }
}

impl Snapshot {
    /// Returns a builder without containers.
    pub fn builder<'a>() -> SnapshotBuilder<'a> {
        SnapshotBuilder::default()
    }

    /// Opens a file that [`SnapshotBuilder::save`] has written, and reads the names of its containers.
    ///
    /// The snapshot stays unchanged if the file is replaced.
    ///
    /// # Errors
    ///
    /// If the file does not exist, is not a snapshot, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let file = read::open(path)?;
        let entries = read_directory(&file).map_err(|problem| problem.at(Some(path)))?;
        Ok(Self { file, path: path.to_owned(), entries })
    }

    /// Returns the names of the containers, in the order in which they were added.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::file::Snapshot;
    /// use stayput::vm_vec;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-snapshot-names-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("world");
    /// let (heights, names) = (vm_vec![1.5_f64, 2.5], vm_vec![*b"Ann", *b"Ben"]);
    /// Snapshot::builder().add("names", &names).add("heights", &heights).save(&path)?;
    /// assert!(Snapshot::open(&path)?.names().eq(["names", "heights"]));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// Reads a container.
    ///
    /// All contents are checked. The memory allocated is bounded by the length of the file, including its holes, except
    /// for vacant slots: see [`SlotMap::load`].
    ///
    /// # Errors
    ///
    /// If no container has the name ([`NoPart`](FileErrorKind::NoPart)), it is of another type
    /// ([`Element`](FileErrorKind::Element)), or it is damaged; if memory is refused; and as for [`SecondaryMap::load`]
    /// and [`Table::try_from_rows`]. A `SecondaryMap` with far indices can be read as a [`SparseSecondaryMap`].
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::file::{FileErrorKind, Snapshot};
    /// use stayput::{VmVec, vm_vec};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-snapshot-load-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("world");
    /// Snapshot::builder().add("heights", &vm_vec![1.5_f64, 2.5]).save(&path)?;
    ///
    /// let mut snapshot = Snapshot::open(&path)?;
    /// let heights: VmVec<f64> = snapshot.load("heights")?;
    /// assert_eq!(heights, [1.5, 2.5]);
    /// let error = snapshot.load::<VmVec<f64>>("weights").unwrap_err();
    /// assert_eq!(error.kind(), FileErrorKind::NoPart);
    /// let error = snapshot.load::<VmVec<u8>>("heights").unwrap_err();
    /// assert_eq!(error.kind(), FileErrorKind::Element);
    /// # drop(snapshot);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load<C: Saved>(&mut self, name: &str) -> Result<C, FileError> {
        let loaded = self.read(name).map_err(|problem| match problem {
            FileProblem::Not(FileErrorKind::NotStayput, _) => {
                FileProblem::Not(FileErrorKind::Element, None)
            }
            problem => problem,
        });
        loaded.map_err(|problem| problem.at(Some(&self.path)))
    }

    fn read<C: Saved>(&self, name: &str) -> Result<C, FileProblem> {
        let entry = self.entries.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or(FileErrorKind::NoPart)?;
        (&self.file).seek(SeekFrom::Start(entry.bytes.start))?;
        let mut source = Source::new(&self.file, entry.bytes.end - entry.bytes.start);
        let container = C::read(&mut source)?;
        if !source.is_empty() {
            // What was read is the first part of another container, such as the table of a dense map.
            return Err(FileErrorKind::Element.into());
        }
        if source.finish()? != entry.sum {
            return Err(FileErrorKind::Content.into());
        }
        Ok(container)
    }
}

fn read_directory(mut file: &File) -> Result<Vec<Entry>, FileProblem> {
    const DAMAGED: FileErrorKind = FileErrorKind::Content;
    let long = file.metadata()?.len();
    let mut head = Vec::new();
    match long {
        0 => return Err(FileErrorKind::Empty.into()),
        _ if long < FileHeader::BYTES as u64 => return Err(FileErrorKind::Short.into()),
        _ => Source::new(file, long).read_bytes(FileHeader::BYTES, &mut head)?,
    }
    let head = head.first_chunk().expect("the header was read");
    check_begin(head, MAGIC, VERSION)?;
    let (start, end) = (number(head, 16), number(head, 24));
    let count = end.checked_sub(start).and_then(|count| usize::try_from(count).ok());
    let count = count.filter(|_| end == long).ok_or(FileErrorKind::Length)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    Source::new(file, count as u64).read_bytes(count, &mut bytes)?;
    if crc32fast::hash(&bytes) != word(head, 32) {
        return Err(DAMAGED.into());
    }
    let (mut rest, mut entries) = (bytes.as_slice(), Vec::new());
    while !rest.is_empty() {
        let (entry, after) = rest.split_first_chunk::<24>().ok_or(DAMAGED)?;
        let name_bytes = word(entry, 20) as usize;
        let (name, after) = after.split_at_checked(name_bytes).ok_or(DAMAGED)?;
        let bytes = number(entry, 0)..number(entry, 8);
        if bytes.start < FileHeader::BYTES as u64 || bytes.start > bytes.end || bytes.end > start {
            return Err(DAMAGED.into());
        }
        let name = try_collect(name.iter().copied())?;
        let name = String::from_utf8(name).map_err(|_| DAMAGED)?;
        if entries.try_reserve(1).is_err() {
            let bytes = (entries.len() + 1).saturating_mul(size_of::<Entry>());
            return Err(Error::new(ErrorKind::Memory, bytes).into());
        }
        entries.push(Entry { name, bytes, sum: word(entry, 16) });
        rest = after;
    }
    Ok(entries)
}
