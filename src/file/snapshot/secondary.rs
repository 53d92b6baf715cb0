//! Secondary maps in files.

#![forbid(unsafe_code)]

use super::form::Codec;
use super::read::{self, Source};
use super::write::{self, Sink};
use super::{FileHeader, SECONDARY_MAP, key_bits, section_slots};
use crate::error::Error;
use crate::file::error::{FileError, FileErrorKind};
use crate::file::header::{FileProblem, word};
use crate::heap::try_reserve_exact;
use crate::key::{Key, KeyData};
use crate::secondary::deferred::DeferredPairs;
use crate::secondary::{SecondaryMap, SecondaryMapBuilder, SparseSecondaryMap};
use crate::slots::far_index::NEAR_BYTES;
use bytemuck::Pod;
use std::hash::BuildHasher;
use std::path::Path;

impl<K: Key, V: Pod> SecondaryMap<K, V> {
    /// Writes the map to a file, which [`load`](Self::load) and [`SparseSecondaryMap::load`] read. An existing file is
    /// replaced as a whole, as by [`SlotMap::save`](crate::SlotMap::save).
    ///
    /// To save it together with the slot map whose keys it has, use a [`Snapshot`](crate::file::Snapshot): two files
    /// can be of different times. (Needs the feature `file`.)
    ///
    /// # Errors
    ///
    /// As for [`SlotMap::save`](crate::SlotMap::save).
    ///
    /// # Time complexity
    ///
    /// O(n).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SecondaryMap, SlotMap};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-secondary-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("health");
    /// let monsters: SlotMap<DefaultKey, [f32; 2]> = [[1.0, 2.0], [3.0, 4.0]].into_iter().collect();
    /// let health: SecondaryMap<_, u32> = monsters.keys().map(|key| (key, 100)).collect();
    /// health.save(&path)?;
    ///
    /// let health: SecondaryMap<DefaultKey, u32> = SecondaryMap::load(&path)?;
    /// assert!(monsters.keys().all(|key| health[key] == 100));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        write::save(self, path.as_ref())
    }

    /// Reads a map from a file that [`save`](Self::save) has written. (Needs the feature `file`.)
    ///
    /// All contents are checked. The memory allocated is bounded by the length of the file, including its holes.
    ///
    /// # Errors
    ///
    /// If the file does not exist, holds something else, or is damaged; if memory is refused; or if an index is
    /// [far](SecondaryMap#far-indices) for the number of values. If the map was created with a capacity that made far
    /// indices valid, set it again with [`SecondaryMapBuilder::capacity`], and use [`SecondaryMapBuilder::load`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::builder().load(path)
    }
}

impl<K: Key, V: Pod> SecondaryMapBuilder<K, V> {
    /// Reads a map as [`SecondaryMap::load`] does, with these options.
    ///
    /// # Errors
    ///
    /// As for [`SecondaryMap::load`] and [`try_build`](Self::try_build).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SecondaryMap, SlotMap};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-secondary-builder-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("health");
    /// let monsters: SlotMap<DefaultKey, [f32; 2]> = [[1.0, 2.0], [3.0, 4.0]].into_iter().collect();
    /// let health: SecondaryMap<_, u32> = monsters.keys().map(|key| (key, 100)).collect();
    /// health.save(&path)?;
    ///
    /// let health: SecondaryMap<DefaultKey, u32> = SecondaryMap::builder().max_len(1000).load(&path)?;
    /// assert_eq!((health.len(), health.max_len()), (2, 1000));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(self, path: impl AsRef<Path>) -> Result<SecondaryMap<K, V>, FileError> {
        read::load(path.as_ref(), |from| read_into(self.try_build()?, from))
    }
}

impl<K: Key, V: Pod, S: BuildHasher + Default> SparseSecondaryMap<K, V, S> {
    /// Writes the map to a file, which [`load`](Self::load) and [`SecondaryMap::load`] read. An existing file is
    /// replaced as a whole, as by [`SlotMap::save`](crate::SlotMap::save). (Needs the feature `file`.)
    ///
    /// # Errors
    ///
    /// As for [`SlotMap::save`](crate::SlotMap::save).
    ///
    /// # Time complexity
    ///
    /// O(n).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SlotMap, SparseSecondaryMap};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-sparse-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("health");
    /// let monsters: SlotMap<DefaultKey, [f32; 2]> = [[1.0, 2.0], [3.0, 4.0]].into_iter().collect();
    /// let health: SparseSecondaryMap<_, u32> = monsters.keys().map(|key| (key, 100)).collect();
    /// health.save(&path)?;
    ///
    /// let health: SparseSecondaryMap<DefaultKey, u32> = SparseSecondaryMap::load(&path)?;
    /// assert!(monsters.keys().all(|key| health[key] == 100));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        write::save(self, path.as_ref())
    }

    /// Reads a map from a file that [`save`](Self::save) or [`SecondaryMap::save`] has written. (Needs the feature
    /// `file`.)
    ///
    /// # Errors
    ///
    /// As for [`SecondaryMap::load`], except that no index is far.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FileError> {
        read::load(path.as_ref(), Self::read)
    }
}

impl<K: Key, V: Pod> Codec for SecondaryMap<K, V> {
    fn write(&self, to: &mut Sink<'_>) -> Result<(), FileProblem> {
        write_pairs(self.iter(), self.len(), self.mint().tag(), to)
    }

    fn read(from: &mut Source<'_>) -> Result<Self, FileProblem> {
        read_into(Self::builder().try_build()?, from)
    }
}

impl<K: Key, V: Pod, S: BuildHasher + Default> Codec for SparseSecondaryMap<K, V, S> {
    fn write(&self, to: &mut Sink<'_>) -> Result<(), FileProblem> {
        write_pairs(self.iter(), self.len(), self.mint().tag(), to)
    }

    fn read(from: &mut Source<'_>) -> Result<Self, FileProblem> {
        let mut map = Self::default();
        let tag = read_pairs(from, |key, value| {
            let before = map.len();
            map.try_insert(key, value)?;
            Ok(map.len() > before)
        })?;
        map.try_set_type_id(tag)?;
        Ok(map)
    }
}

fn read_into<K: Key, V: Pod>(
    mut map: SecondaryMap<K, V>,
    from: &mut Source<'_>,
) -> Result<SecondaryMap<K, V>, FileProblem> {
    let put = |map: &mut SecondaryMap<K, V>, key, value| {
        let before = map.len();
        map.try_insert(key, value)?;
        Ok(map.len() > before)
    };
    let put_all = |map: &mut SecondaryMap<K, V>, pairs: Vec<(K, V)>| {
        pairs.into_iter().try_fold(true, |all, (key, value)| Ok(all & put(map, key, value)?))
    };
    let mut waiting = DeferredPairs::new(NEAR_BYTES);
    let tag = read_pairs(from, |key, value| {
        if waiting.must_insert_now(&map, key) {
            return put(&mut map, key, value);
        }
        let pairs = waiting.wait(&mut map, key, value)?;
        put_all(&mut map, pairs)
    })?;
    let pairs = waiting.finish(&mut map)?;
    if !put_all(&mut map, pairs)? {
        return Err(FileErrorKind::Content.into());
    }
    map.try_set_type_id(tag)?;
    Ok(map)
}

fn write_pairs<'m, K: Key, V: Pod>(
    mut pairs: impl Iterator<Item = (K, &'m V)>,
    len: usize,
    tag: u32,
    to: &mut Sink<'_>,
) -> Result<(), FileProblem> {
    let (key_bits, type_id) = (key_bits::<K>(), (tag > 0).then_some(tag));
    let head = FileHeader { magic: SECONDARY_MAP, key_bits, floor: 0, type_id, slots: len as u64 };
    to.write(&head.to_bytes::<V>())?;
    let (mut indices, mut generations, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let most = section_slots::<V>().min(len);
    try_reserve_exact(&mut indices, most * 4)?;
    try_reserve_exact(&mut generations, most * 4)?;
    try_reserve_exact(&mut values, most * size_of::<V>())?;
    loop {
        for (key, value) in pairs.by_ref().take(section_slots::<V>()) {
            indices.extend_from_slice(&key.data().index().to_ne_bytes());
            generations.extend_from_slice(&key.data().generation().to_ne_bytes());
            values.extend_from_slice(bytemuck::bytes_of(value));
        }
        if indices.is_empty() {
            return Ok(());
        }
        for bytes in [&mut indices, &mut generations, &mut values] {
            to.write(bytes)?;
            bytes.clear();
        }
        to.write_sum()?;
    }
}

/// Reads pairs, and returns the tag of keys. `put` returns `false` if the slot had a value already.
fn read_pairs<K: Key, V: Pod>(
    from: &mut Source<'_>,
    mut put: impl FnMut(K, V) -> Result<bool, Error>,
) -> Result<u32, FileProblem> {
    let head = from.read_header::<V>(SECONDARY_MAP, key_bits::<K>())?;
    let (mut left, mut bytes) = (head.slots, Vec::new());
    while left > 0 {
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(section_slots::<V>());
        bytes.clear();
        from.read_bytes(count * (8 + size_of::<V>()) + 4, &mut bytes)?;
        let (indices, rest) = from.check_sum(&bytes)?.split_at(count * 4);
        let (generations, mut values) = rest.split_at(count * 4);
        for (index, generation) in indices.chunks_exact(4).zip(generations.chunks_exact(4)) {
            let (value, rest) = values.split_at(size_of::<V>());
            values = rest;
            let key = KeyData::from_parts(word(index, 0), word(generation, 0), 0)
                .ok_or(FileErrorKind::Content)?;
            if !put(key.into(), bytemuck::pod_read_unaligned(value))? {
                return Err(FileErrorKind::Content.into());
            }
        }
        left -= count as u64;
    }
    Ok(head.type_id.unwrap_or(0))
}
