//! [`SlotMap::load`].

#![forbid(unsafe_code)]

use super::{DETACHED, HOLE, Head, LIVE, RETIRED, section_slots};
use crate::backing::Backing;
use crate::error::{Error, ErrorKind};
use crate::file::error::{FileError, FileErrorKind};
use crate::file::header::{Misfit, part};
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
    /// What the file holds may be anything: it is checked, and nothing is allocated for what is announced and not
    /// there. Linear in the slots. (Needs the feature `file`.)
    ///
    /// # Errors
    ///
    /// If there is no such file, or it is not one of such a map (its values and its keys), or damaged; and if memory
    /// is refused.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::builder().load(path)
    }
}

impl<K: Key, V: Pod> SlotMapBuilder<K, V> {
    /// [`SlotMap::load`], into a map with these options. If they name a [type number](Self::type_id), the file has to
    /// have it, too. If they name an order of [reuse](Self::reuse), it replaces that of the map in the file.
    ///
    /// # Errors
    ///
    /// As for [`SlotMap::load`], and for [`try_build`](Self::try_build).
    pub fn load(self, path: impl AsRef<Path>) -> Result<SlotMap<K, V>, FileError> {
        let path = path.as_ref();
        let map = self.try_build().map_err(|error| FileError::of_error(error, Some(path)))?;
        read(map, path, self.wanted_reuse())
    }

    /// [`load`](Self::load), into memory that is supplied: see [`build_in`](Self::build_in).
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load). The backing is dropped then.
    pub fn load_in(
        self,
        path: impl AsRef<Path>,
        backing: impl Backing,
    ) -> Result<SlotMap<K, V>, FileError> {
        let path = path.as_ref();
        let map = self
            .try_build_in(backing)
            .map_err(|refused| FileError::of_error(refused.error, Some(path)))?;
        read(map, path, self.wanted_reuse())
    }
}

fn read<K: Key, V: Pod>(
    map: SlotMap<K, V>,
    path: &Path,
    reuse: Option<Reuse>,
) -> Result<SlotMap<K, V>, FileError> {
    let refused = |error| FileError::of_io(error, Some(path));
    // Opening a pipe would wait for its other end.
    if !path.metadata().map_err(refused)?.is_file() {
        return Err(FileError::new(FileErrorKind::NotAFile, Some(path)));
    }
    let file = File::open(path).map_err(refused)?;
    read_from(map, file, reuse).map_err(|misfit| misfit.at(Some(path)))
}

fn read_from<K: Key, V: Pod>(
    mut map: SlotMap<K, V>,
    mut file: File,
    reuse: Option<Reuse>,
) -> Result<SlotMap<K, V>, Misfit> {
    let mut head = Vec::new();
    (&mut file).take(Head::BYTES as u64).read_to_end(&mut head)?;
    let Some(head) = head.first_chunk() else {
        let kind = if head.is_empty() { FileErrorKind::Empty } else { FileErrorKind::Short };
        return Err(Misfit::Not(kind, None));
    };
    let mut sum = crc32fast::Hasher::new();
    sum.update(head);
    let head = Head::of_bytes::<K, V>(head)?;
    match (map.type_id(), head.type_id) {
        (None, Some(number)) => map.try_set_type_id(number).map_err(misfit)?,
        (Some(wanted), found) if found != Some(wanted) => {
            let error = Error::new(ErrorKind::TypeId, 0).with_limit(wanted.into());
            return Err(Misfit::Refused(error));
        }
        _ => {}
    }
    // It is believed no more than what follows, and not before the checksum was compared.
    let mut next = Vec::new();
    read_bytes(&mut file, 4, &mut next)?;
    let words = u32::from_ne_bytes(part(&next, 0)) as usize;
    read_bytes(&mut file, words.saturating_mul(4), &mut next)?;
    sum.update(&next);
    let (mut left, mut bytes) = (head.slots, Vec::new());
    loop {
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(section_slots::<V>());
        read_section(&mut map, &mut file, count, &mut bytes, &mut sum)?;
        left -= count as u64;
        if left == 0 {
            break;
        }
    }
    // What is behind the last one was not written by `save`.
    if file.read(&mut [0])? > 0 {
        return Err(Misfit::Not(FileErrorKind::Length, None));
    }
    let words: Vec<u32> =
        next[4..].chunks_exact(4).map(|word| u32::from_ne_bytes(part(word, 0))).collect();
    let next = NextKeys::of_words(&words).ok_or(Misfit::Not(FileErrorKind::Content, None))?;
    map.try_set_next_keys(head.floor, &next, reuse).map_err(misfit)?;
    Ok(map)
}

/// Reads so many bytes behind what was read; takes no more memory than there are.
fn read_bytes(file: &mut File, count: usize, bytes: &mut Vec<u8>) -> Result<(), Misfit> {
    let before = bytes.len();
    file.take(count as u64).read_to_end(bytes)?;
    if bytes.len() - before < count {
        return Err(Misfit::Not(FileErrorKind::Length, None));
    }
    Ok(())
}

fn read_section<K: Key, V: Pod>(
    map: &mut SlotMap<K, V>,
    file: &mut File,
    count: usize,
    bytes: &mut Vec<u8>,
    sum: &mut crc32fast::Hasher,
) -> Result<(), Misfit> {
    let damaged = || Misfit::Not(FileErrorKind::Content, None);
    bytes.clear();
    // Of each slot its kind, and its generation.
    read_bytes(file, count * 5, bytes)?;
    let live: usize = bytes[..count].iter().map(|kind| usize::from(*kind == LIVE)).sum();
    read_bytes(file, live * size_of::<V>() + 4, bytes)?;
    let Some((content, right)) = bytes.split_last_chunk() else { return Err(damaged()) };
    sum.update(content);
    if sum.clone().finalize() != u32::from_ne_bytes(*right) {
        return Err(damaged());
    }
    let (kinds, rest) = content.split_at(count);
    let (generations, mut values) = rest.split_at(count * 4);
    for (kind, generation) in kinds.iter().zip(generations.chunks_exact(4)) {
        let generation = u32::from_ne_bytes(generation.try_into().expect("they are four"));
        let slot = match *kind {
            LIVE => {
                let (value, rest) = values.split_at(size_of::<V>());
                values = rest;
                Part::Live(generation, bytemuck::pod_read_unaligned(value))
            }
            HOLE => Part::Hole(generation),
            DETACHED => Part::Detached(generation),
            RETIRED => Part::Retired,
            _ => return Err(damaged()),
        };
        map.try_push_part(slot).map_err(misfit)?;
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn misfit(bad: BadPart) -> Misfit {
    match bad {
        BadPart::Refused(error) => Misfit::Refused(error),
        BadPart::Generation { generation, most, .. } | BadPart::Floor { generation, most } => {
            Misfit::Not(FileErrorKind::Content, Some((generation.into(), most.into())))
        }
        BadPart::LateType | BadPart::NotAHole { .. } | BadPart::Order => {
            Misfit::Not(FileErrorKind::Content, None)
        }
    }
}
