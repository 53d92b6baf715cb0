//! Containers saved in files: [`SlotMap::save`], [`Snapshot`] and others.
//!
//! Containers are copied, not mapped: a map consists of several arrays, which are inconsistent between the steps of a
//! change, so a crash could leave them so. A copy replaces the file as a whole or not at all, needs no unsafe code, and
//! works for every map, whatever memory it is in.
//!
//! [The module](super) documents the format.

#![forbid(unsafe_code)]

mod dense;
mod read;
mod secondary;
mod several;
// Files are not supported without virtual memory.
#[cfg(all(test, not(no_vm)))]
mod tests;
mod vec;
mod write;

pub(super) use read::open;
pub use several::{Saved, Snapshot, SnapshotBuilder};

use super::error::FileErrorKind;
use super::header::{BEGIN_BYTES, FileProblem, begin, check_begin, number, seal, word};
use crate::key::{Key, Layout};

const SLOT_MAP: [u8; 8] = *b"stayslot";
const SECONDARY_MAP: [u8; 8] = *b"staysecd";
const ARRAY: [u8; 8] = *b"stayvect";
const VERSION: u32 = 1;

const LIVE: u8 = 0;
const HOLE: u8 = 1;
const DETACHED: u8 = 2;
const RETIRED: u8 = 3;

mod form {
    use super::read::Source;
    use super::write::Sink;
    use crate::file::header::FileProblem;

    /// How a container is written and read, without what surrounds it.
    pub trait Codec {
        fn write(&self, to: &mut Sink<'_>) -> Result<(), FileProblem>;

        fn read(from: &mut Source<'_>) -> Result<Self, FileProblem>
        where
            Self: Sized;
    }
}

#[derive(Clone, Copy, Debug)]
struct FileHeader {
    magic: [u8; 8],
    /// The layout of keys; 0 if there are none.
    key_bits: u64,
    /// The generation above which slots past the last one start.
    floor: u32,
    /// The type id of keys, if any.
    type_id: Option<u32>,
    /// The number of slots, pairs or elements.
    slots: u64,
}

impl FileHeader {
    const BYTES: usize = BEGIN_BYTES;

    /// Returns the header, including what depends on the type of values.
    fn to_bytes<V>(self) -> [u8; Self::BYTES] {
        let mut bytes = begin(self.magic, VERSION);
        bytes[16..24].copy_from_slice(&(size_of::<V>() as u64).to_ne_bytes());
        bytes[24..32].copy_from_slice(&self.key_bits.to_ne_bytes());
        bytes[32..36].copy_from_slice(&u32::from(self.type_id.is_some()).to_ne_bytes());
        bytes[36..40].copy_from_slice(&self.type_id.unwrap_or(0).to_ne_bytes());
        bytes[40..44].copy_from_slice(&self.floor.to_ne_bytes());
        bytes[44..48].copy_from_slice(&as_u32(align_of::<V>()).to_ne_bytes());
        bytes[48..56].copy_from_slice(&self.slots.to_ne_bytes());
        seal(&mut bytes);
        bytes
    }

    /// Parses the header, if it is that of such a container.
    fn of_bytes<V>(
        bytes: &[u8; Self::BYTES],
        magic: [u8; 8],
        key_bits: u64,
    ) -> Result<Self, FileProblem> {
        check_begin(bytes, magic, VERSION)?;
        let (word, number) = (|at| word(bytes, at), |at| number(bytes, at));
        let own = [
            (number(16), size_of::<V>() as u64),
            (word(44).into(), align_of::<V>() as u64),
            (number(24), key_bits),
        ];
        if let Some(differ) = own.into_iter().find(|(found, right)| found != right) {
            return Err(FileProblem::Not(FileErrorKind::Element, Some(differ)));
        }
        let type_id = (word(32) != 0).then_some(word(36));
        Ok(Self { magic, key_bits, floor: word(40), type_id, slots: number(48) })
    }
}

/// Returns the layout of keys as one number.
fn key_bits<K: Key>() -> u64 {
    let layout = [
        <K::Layout as Layout>::BITS,
        <K::Layout as Layout>::INDEX_BITS,
        <K::Layout as Layout>::GENERATION_BITS,
        <K::Layout as Layout>::TAG_BITS,
    ];
    layout.into_iter().fold(0, |all, bits| all << 8 | u64::from(bits))
}

/// Returns the number of slots in a full section, which takes about one mebibyte.
const fn section_slots<V>() -> usize {
    let slot = size_of::<V>() + 5;
    let slots = (1 << 20) / slot;
    if slots == 0 { 1 } else { slots }
}

/// Alignments fit into a `u32`.
fn as_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
