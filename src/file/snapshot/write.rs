//! [`SlotMap::save`], and the writer of all containers.

#![forbid(unsafe_code)]

use super::form::Codec;
use super::read::{Source, read_from};
use super::{DETACHED, FileHeader, HOLE, LIVE, RETIRED, SLOT_MAP, as_u32, key_bits, section_slots};
use crate::file::error::FileError;
use crate::file::header::FileProblem;
use crate::file::{system, temporary};
use crate::heap::try_reserve_exact;
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slot_map::parts::Part;
use bytemuck::Pod;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

impl<K: Key, V: Pod> SlotMap<K, V> {
    /// Writes the map to a file, with everything that its keys depend on: after [`load`](Self::load), each key finds
    /// what it finds now, and stale keys stay stale. With the same order of [reuse](crate::SlotMapBuilder::reuse), the
    /// loaded map creates the keys that this one would create. (Except for slots past the last one: if more than 4 GiB of
    /// them were returned after they had held values, the loaded map may skip generations there.)
    ///
    /// An existing file is replaced as a whole, once the new one is on the disk: if the process or the system goes
    /// down, either the old or the new file exists. (A process that is killed meanwhile leaves a file whose name begins
    /// with `.stayput-` in the same folder. The next `save` there removes it.) The new file has the permissions of the
    /// old one, but belongs to the user of the process. If the path is a symbolic link, the link is replaced, not its
    /// target.
    ///
    /// To save a map together with secondary maps, see [`Snapshot`](crate::file::Snapshot). (Needs the feature `file`.)
    ///
    /// # Errors
    ///
    /// If the path names something that is not a file ([`NotAFile`](crate::file::FileErrorKind::NotAFile)), or the file
    /// cannot be created or written. The old file then still exists; or the new one, if only making its name durable
    /// failed. On Windows, also if the old file is open, as by a [`Snapshot`](crate::file::Snapshot), and the file
    /// system cannot replace open files.
    ///
    /// # Time complexity
    ///
    /// O(n) in the slots.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SlotMap};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir().join(format!("stayput-save-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("places");
    /// let mut places: SlotMap<DefaultKey, [f32; 2]> = SlotMap::new();
    /// let (here, there) = (places.insert([1.0, 2.0]), places.insert([3.0, 4.0]));
    /// places.remove(there);
    /// places.save(&path)?;
    ///
    /// let mut places: SlotMap<DefaultKey, [f32; 2]> = SlotMap::load(&path)?;
    /// assert_eq!((places[here], places.get(there)), ([1.0, 2.0], None));
    /// assert_ne!(places.insert([5.0, 6.0]), there);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        save(self, path.as_ref())
    }
}

pub(super) fn save(container: &impl Codec, path: &Path) -> Result<(), FileError> {
    temporary::replace(path, |file| container.write(&mut Sink::new(file)))
}

impl<K: Key, V: Pod> Codec for SlotMap<K, V> {
    fn write(&self, to: &mut Sink<'_>) -> Result<(), FileProblem> {
        let (floor, type_id, slots) = (self.tail_floor(), self.type_id(), self.slot_count().into());
        let head = FileHeader { magic: SLOT_MAP, key_bits: key_bits::<K>(), floor, type_id, slots };
        to.write(&head.to_bytes::<V>())?;
        let next = self.try_next_keys()?.try_to_words()?;
        to.write(&as_u32(next.len()).to_ne_bytes())?;
        to.write(bytemuck::cast_slice(&next))?;
        let mut parts = self.try_parts()?;
        let (mut kinds, mut generations, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let most = section_slots::<V>().min(self.slot_count() as usize);
        try_reserve_exact(&mut kinds, most)?;
        try_reserve_exact(&mut generations, most * 4)?;
        try_reserve_exact(&mut values, most * size_of::<V>())?;
        // An empty map has a section, too, whose checksum covers the header.
        for _ in 0..(self.slot_count() as usize).div_ceil(section_slots::<V>()).max(1) {
            for part in parts.by_ref().take(section_slots::<V>()) {
                let (kind, generation) = match part {
                    Part::Live(generation, value) => {
                        values.extend_from_slice(bytemuck::bytes_of(value));
                        (LIVE, generation)
                    }
                    Part::Hole(generation) => (HOLE, generation),
                    Part::Detached(generation) => (DETACHED, generation),
                    Part::Retired => (RETIRED, 0),
                };
                kinds.push(kind);
                generations.extend_from_slice(&generation.to_ne_bytes());
            }
            for bytes in [&mut kinds, &mut generations, &mut values] {
                to.write(bytes)?;
                bytes.clear();
            }
            to.write_sum()?;
        }
        Ok(())
    }

    fn read(from: &mut Source<'_>) -> Result<Self, FileProblem> {
        read_from(Self::builder().try_build()?, from, None)
    }
}

/// A file being written, and the checksum of the current part, excluding checksums.
#[derive(Debug)]
pub struct Sink<'f> {
    file: &'f File,
    sum: crc32fast::Hasher,
    bytes: u64,
}

impl<'f> Sink<'f> {
    pub(super) fn new(file: &'f File) -> Self {
        Self { file, sum: crc32fast::Hasher::new(), bytes: 0 }
    }

    /// Ends the current part. Returns the number of bytes written in all, and the checksum of the part.
    pub(super) fn next_part(&mut self) -> (u64, u32) {
        (self.bytes, std::mem::take(&mut self.sum).finalize())
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), FileProblem> {
        self.sum.update(bytes);
        self.put(bytes)
    }

    /// Writes the checksum of the current part as written up to here.
    pub(super) fn write_sum(&mut self) -> Result<(), FileProblem> {
        self.put(&self.sum.clone().finalize().to_ne_bytes())
    }

    /// Overwrites the first bytes of the file.
    pub(super) fn write_first(mut self, bytes: &[u8]) -> Result<(), FileProblem> {
        self.file.seek(SeekFrom::Start(0))?;
        Ok(self.file.write_all(bytes)?)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), FileProblem> {
        self.bytes += bytes.len() as u64;
        // Without this check, the system would end the process.
        system::check_limit(self.bytes)?;
        Ok(self.file.write_all(bytes)?)
    }
}
