//! [`SlotMap::save`].

#![forbid(unsafe_code)]

use super::{DETACHED, HOLE, Head, LIVE, RETIRED, as_u32, section_slots};
use crate::error::Error;
use crate::file::error::{FileError, FileErrorKind};
use crate::file::{system, temporary};
use crate::heap::try_reserve_exact;
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slot_map::parts::Part;
use bytemuck::Pod;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Why a map could not be written.
enum Failure {
    System(io::Error),
    Refused(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl<K: Key, V: Pod> SlotMap<K, V> {
    /// Writes the map to a file, with all that its keys depend on: after [`load`](Self::load) each key finds what it
    /// finds now, and keys that are stale are so for ever. The loaded map makes the keys that this one would make,
    /// with the same order of [reuse](crate::SlotMapBuilder::reuse).
    ///
    /// A file that is there is replaced as a whole, when the new one is on the disk: whatever becomes of the process, or
    /// the system, either the one is there or the other. (A process that is ended meanwhile leaves a file whose name begins
    /// with `.stayput-` beside it.) The new one has the rights of the old, but whoever saves owns it; where the path is a
    /// link, that is replaced, and not what it leads to.
    ///
    /// Linear in the slots. (Needs the feature `file`.)
    ///
    /// # Errors
    ///
    /// If there is something else than a file ([`NotAFile`](FileErrorKind::NotAFile)); if the file cannot be made or written. The one that was there is there still; or the new one, if all that failed is
    /// to have its name on the disk for good.
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
        let path = path.as_ref();
        // A device would be replaced, too.
        if path.symlink_metadata().is_ok_and(|found| !found.is_file() && !found.is_symlink()) {
            return Err(FileError::new(FileErrorKind::NotAFile, Some(path)));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let (file, new) = temporary::named_in(folder, path)?;
        let saved = self.write_to(&file, path).and_then(|()| {
            file.sync_all()?;
            drop(file);
            fs::rename(&new, path)?;
            Ok(system::sync_folder(folder)?)
        });
        saved.map_err(|failure| {
            // Of no use any more; if it is gone, all the better.
            let _ = fs::remove_file(&new);
            match failure {
                Failure::System(error) => FileError::of_io(error, Some(path)),
                Failure::Refused(error) => FileError::of_error(error, Some(path)),
            }
        })
    }

    /// Writes it to a new file, which is to have the rights of the one that it replaces.
    fn write_to(&self, file: &File, path: &Path) -> Result<(), Failure> {
        if let Ok(metadata) = path.metadata() {
            file.set_permissions(metadata.permissions())?;
        }
        let (floor, type_id, slots) = (self.tail_floor(), self.type_id(), self.slot_count().into());
        let head = Head { floor, type_id, slots }.to_bytes::<K, V>();
        let mut to = Summed { file, sum: crc32fast::Hasher::new(), bytes: 0 };
        to.write(&head)?;
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
}

/// A file, and the checksum of all that was written to it so far, but for checksums.
struct Summed<'f> {
    file: &'f File,
    sum: crc32fast::Hasher,
    bytes: u64,
}

impl Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.sum.update(bytes);
        self.put(bytes)
    }

    fn write_sum(&mut self) -> Result<(), Failure> {
        self.put(&self.sum.clone().finalize().to_ne_bytes())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.bytes += bytes.len() as u64;
        // The system would end the process.
        system::check_limit(self.bytes)?;
        Ok(self.file.write_all(bytes)?)
    }
}
