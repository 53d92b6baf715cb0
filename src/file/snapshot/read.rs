//! [`SlotMap::load`], and the reader of all containers.

#![forbid(unsafe_code)]

use super::{DETACHED, FileHeader, HOLE, LIVE, RETIRED, SLOT_MAP, key_bits, section_slots};
use crate::backing::Backing;
use crate::error::{Error, ErrorKind};
use crate::file::error::{FileError, FileErrorKind};
use crate::file::header::{FileProblem, word};
use crate::heap::{try_collect, try_reserve_exact};
use crate::key::Key;
use crate::slot_map::parts::{BadPart, NextKeys, Part};
use crate::slot_map::{Reuse, SlotMap, SlotMapBuilder};
use bytemuck::Pod;
use std::fs::File;
use std::io::Read;
use std::path::Path;

impl<K: Key, V: Pod> SlotMap<K, V> {
    /// Reads a map from a file that [`save`](Self::save) has written.
    ///
    /// All contents are checked. The memory allocated is bounded by the number of slots times their size: a vacant slot
    /// takes 5 bytes in the file, whatever its size in memory. The number of slots is bounded by the length of the file,
    /// including its holes. (Needs the feature `file`.)
    ///
    /// # Errors
    ///
    /// If the file does not exist, holds something else or a map of other keys or values, or is damaged; or if memory
    /// is refused.
    ///
    /// # Time complexity
    ///
    /// O(n) in the slots.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::builder().load(path)
    }
}

impl<K: Key, V: Pod> SlotMapBuilder<K, V> {
    /// Reads a map as [`SlotMap::load`] does, with these options. If they set a [type id](Self::type_id), the file must
    /// have it, too. If they set an order of [reuse](Self::reuse), it replaces that of the map in the file.
    ///
    /// # Errors
    ///
    /// As for [`SlotMap::load`] and [`try_build`](Self::try_build).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SlotMap};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-builder-load-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("scores");
    /// let scores: SlotMap<DefaultKey, u32> = [90, 75].into_iter().collect();
    /// scores.save(&path)?;
    ///
    /// let scores: SlotMap<DefaultKey, u32> = SlotMap::builder().max_len(1000).load(&path)?;
    /// assert!(scores.values().eq(&[90, 75]));
    /// assert_eq!(scores.max_len(), 1000);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(self, path: impl AsRef<Path>) -> Result<SlotMap<K, V>, FileError> {
        let path = path.as_ref();
        let map = self.try_build().map_err(|error| FileError::of_error(error, Some(path)))?;
        load(path, |from| read_from(map, from, self.own.reuse))
    }

    /// Reads a map as [`load`](Self::load) does, into caller-provided memory; see [`build_in`](Self::build_in).
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load). The backing is then dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, FileBacking, SlotMap};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-load-in-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("scores");
    /// let scores: SlotMap<DefaultKey, u32> = [90, 75].into_iter().collect();
    /// scores.save(&path)?;
    ///
    /// let backing = FileBacking::temporary_in(&folder, 1 << 24)?; // not limited by memory
    /// let scores: SlotMap<DefaultKey, u32> = SlotMap::builder().load_in(&path, backing)?;
    /// assert!(scores.values().eq(&[90, 75]));
    /// # drop(scores);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load_in(
        self,
        path: impl AsRef<Path>,
        backing: impl Backing,
    ) -> Result<SlotMap<K, V>, FileError> {
        let path = path.as_ref();
        let map = self
            .try_build_in(backing)
            .map_err(|refused| FileError::of_error(refused.error, Some(path)))?;
        load(path, |from| read_from(map, from, self.own.reuse))
    }
}

pub(in crate::file) fn open(path: &Path) -> Result<File, FileError> {
    let refused = |error| FileError::of_io(error, Some(path));
    // Opening a pipe would wait for its other end.
    if !path.metadata().map_err(refused)?.is_file() {
        return Err(FileError::new(FileErrorKind::NotAFile, Some(path)));
    }
    File::open(path).map_err(refused)
}

pub(super) fn load<C>(
    path: &Path,
    read: impl FnOnce(&mut Source<'_>) -> Result<C, FileProblem>,
) -> Result<C, FileError> {
    let file = open(path)?;
    let loaded = file.metadata().map_err(FileProblem::from).and_then(|metadata| {
        let mut source = Source::new(&file, metadata.len());
        let container = read(&mut source)?;
        source.finish()?;
        Ok(container)
    });
    loaded.map_err(|problem| problem.at(Some(path)))
}

/// A part of a file, and the checksum of the bytes read, except for checksums.
#[derive(Debug)]
pub struct Source<'f> {
    file: &'f File,
    sum: crc32fast::Hasher,
    left: u64,
}

impl<'f> Source<'f> {
    /// Reads the next `bytes` bytes of a file.
    pub(super) fn new(file: &'f File, bytes: u64) -> Self {
        Self { file, sum: crc32fast::Hasher::new(), left: bytes }
    }

    /// Returns `true` if everything was read.
    pub(super) fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Returns the checksum, if everything was read.
    pub(super) fn finish(self) -> Result<u32, FileProblem> {
        if self.left > 0 {
            return Err(FileErrorKind::Length.into());
        }
        Ok(self.sum.finalize())
    }

    pub(super) fn read_header<V>(
        &mut self,
        magic: [u8; 8],
        key_bits: u64,
    ) -> Result<FileHeader, FileProblem> {
        let mut head = Vec::new();
        match self.left {
            0 => return Err(FileErrorKind::Empty.into()),
            left if left < FileHeader::BYTES as u64 => return Err(FileErrorKind::Short.into()),
            _ => self.read_bytes(FileHeader::BYTES, &mut head)?,
        }
        self.add_to_sum(&head);
        let head = head.first_chunk().expect("the header was read");
        FileHeader::of_bytes::<V>(head, magic, key_bits)
    }

    /// Returns an error if fewer than `count` bytes are left.
    pub(super) fn check(&self, count: usize) -> Result<(), FileProblem> {
        if count as u64 > self.left {
            return Err(FileErrorKind::Length.into());
        }
        Ok(())
    }

    /// Appends the next `count` bytes to `bytes`. Allocates nothing unless they are left.
    pub(super) fn read_bytes(
        &mut self,
        count: usize,
        bytes: &mut Vec<u8>,
    ) -> Result<(), FileProblem> {
        self.check(count)?;
        let before = bytes.len();
        try_reserve_exact(bytes, count)?;
        self.file.take(count as u64).read_to_end(bytes)?;
        self.left -= count as u64;
        if bytes.len() - before < count {
            return Err(FileErrorKind::Length.into());
        }
        Ok(())
    }

    /// Adds bytes that were read to the checksum.
    pub(super) fn add_to_sum(&mut self, bytes: &[u8]) {
        self.sum.update(bytes);
    }

    /// Compares the checksum at the end of `bytes`, which were read last, and returns the bytes before it.
    pub(super) fn check_sum<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], FileProblem> {
        let (content, right) = bytes.split_last_chunk().ok_or(FileErrorKind::Content)?;
        self.add_to_sum(content);
        let is_right = self.sum.clone().finalize() == u32::from_ne_bytes(*right);
        if is_right { Ok(content) } else { Err(FileErrorKind::Content.into()) }
    }
}

pub(super) fn read_from<K: Key, V: Pod>(
    mut map: SlotMap<K, V>,
    from: &mut Source<'_>,
    reuse: Option<Reuse>,
) -> Result<SlotMap<K, V>, FileProblem> {
    let head = from.read_header::<V>(SLOT_MAP, key_bits::<K>())?;
    match (map.type_id(), head.type_id) {
        (None, Some(type_id)) => map.try_set_type_id(type_id).map_err(problem)?,
        (Some(wanted), found) if found != Some(wanted) => {
            let error = Error::new(ErrorKind::TypeId, 0).with_limit(wanted.into());
            return Err(FileProblem::Refused(error));
        }
        _ => {}
    }
    // The count is limited by the bytes left, and the words are used only after the checksum was compared.
    let mut next = Vec::new();
    from.read_bytes(4, &mut next)?;
    let words = word(&next, 0) as usize;
    from.read_bytes(words.saturating_mul(4), &mut next)?;
    from.add_to_sum(&next);
    let (mut left, mut bytes) = (head.slots, Vec::new());
    loop {
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(section_slots::<V>());
        read_section(&mut map, from, count, &mut bytes)?;
        left -= count as u64;
        if left == 0 {
            break;
        }
    }
    let words = next[4..].chunks_exact(4).map(|bytes| word(bytes, 0));
    let next = NextKeys::try_of_words(&try_collect(words)?)?;
    let next = next.ok_or(FileErrorKind::Content)?;
    map.try_set_next_keys(head.floor, &next, reuse).map_err(problem)?;
    Ok(map)
}

fn read_section<K: Key, V: Pod>(
    map: &mut SlotMap<K, V>,
    from: &mut Source<'_>,
    count: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), FileProblem> {
    bytes.clear();
    // The kind of each slot, and its generation.
    from.read_bytes(count * 5, bytes)?;
    let live: usize = bytes[..count].iter().map(|kind| usize::from(*kind == LIVE)).sum();
    from.read_bytes(live * size_of::<V>() + 4, bytes)?;
    let content = from.check_sum(bytes)?;
    let (kinds, rest) = content.split_at(count);
    let (generations, mut values) = rest.split_at(count * 4);
    for (kind, generation) in kinds.iter().zip(generations.chunks_exact(4)) {
        let generation = word(generation, 0);
        let slot = match *kind {
            LIVE => {
                let (value, rest) = values.split_at(size_of::<V>());
                values = rest;
                Part::Live(generation, bytemuck::pod_read_unaligned(value))
            }
            HOLE => Part::Hole(generation),
            DETACHED => Part::Detached(generation),
            RETIRED => Part::Retired,
            _ => return Err(FileErrorKind::Content.into()),
        };
        map.try_push_part(slot).map_err(problem)?;
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "passed to `map_err`")]
fn problem(bad: BadPart) -> FileProblem {
    match bad {
        BadPart::Refused(error) => FileProblem::Refused(error),
        BadPart::Generation { generation, most, .. } | BadPart::Floor { generation, most } => {
            FileProblem::Not(FileErrorKind::Content, Some((generation.into(), most.into())))
        }
        BadPart::LateType | BadPart::NotAHole { .. } | BadPart::Order => {
            FileErrorKind::Content.into()
        }
    }
}
