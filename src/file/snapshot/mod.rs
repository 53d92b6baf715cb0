//! Containers in files, as they were when they were saved: [`SlotMap::save`], [`Snapshot`] and others.
//!
//! It is a copy, not the map itself: that is a structure of several arrays, no state of which between two of its changes
//! would be good to be found after a crash. A copy replaces the file as a whole or not at all, needs no code that is
//! unsafe, and is there for every map, whatever memory it lies in.
//!
//! [The module](super) documents the format.

#![forbid(unsafe_code)]

mod dense;
mod read;
mod secondary;
mod several;
// Files are refused where there is no virtual memory.
#[cfg(all(test, not(no_vm)))]
mod tests;
mod vec;
mod write;

pub use several::{Saved, Snapshot, SnapshotBuilder};

use super::error::FileErrorKind;
use super::header::{Misfit, is_sealed, part, seal};
use crate::key::{Key, Layout};

const SLOT_MAP: [u8; 8] = *b"stayslot";
const SECONDARY_MAP: [u8; 8] = *b"staysecd";
const ARRAY: [u8; 8] = *b"stayvect";
const VERSION: u32 = 1;
const ORDER: u32 = 0x0102_0304;

/// What slots are, in a file.
const LIVE: u8 = 0;
const HOLE: u8 = 1;
const DETACHED: u8 = 2;
const RETIRED: u8 = 3;

/// What containers have for [`Saved`].
mod form {
    use super::read::Source;
    use super::write::Sink;
    use crate::file::header::Misfit;

    /// How a container is written and read, whatever comes before and after it.
    pub trait Form {
        fn write(&self, to: &mut Sink<'_>) -> Result<(), Misfit>;

        fn read(from: &mut Source<'_>) -> Result<Self, Misfit>
        where
            Self: Sized;
    }
}

/// What a file says of a container.
#[derive(Clone, Copy, Debug)]
struct Head {
    /// Which container it is.
    magic: [u8; 8],
    /// How the bits of keys are split; 0 if there are none.
    key_bits: u64,
    /// The generation above which slots behind the last one start.
    floor: u32,
    /// The type number in keys, if there is one.
    type_id: Option<u32>,
    /// Slots, values or elements, whichever are written.
    slots: u64,
}

impl Head {
    const BYTES: usize = 64;

    /// With what the type of values says.
    fn to_bytes<V>(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.magic);
        bytes[8..12].copy_from_slice(&VERSION.to_ne_bytes());
        bytes[12..16].copy_from_slice(&ORDER.to_ne_bytes());
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

    /// Returns what the bytes say, if they are of such a container.
    fn of_bytes<V>(
        bytes: &[u8; Self::BYTES],
        magic: [u8; 8],
        key_bits: u64,
    ) -> Result<Self, Misfit> {
        let word = |at| u32::from_ne_bytes(part(bytes, at));
        let number = |at| u64::from_ne_bytes(part(bytes, at));
        check_begin(bytes, magic)?;
        let own = [
            (number(16), size_of::<V>() as u64),
            (word(44).into(), align_of::<V>() as u64),
            (number(24), key_bits),
        ];
        if let Some(differ) = own.into_iter().find(|(found, right)| found != right) {
            return Err(Misfit::Not(FileErrorKind::Element, Some(differ)));
        }
        let type_id = (word(32) != 0).then_some(word(36));
        Ok(Self { magic, key_bits, floor: word(40), type_id, slots: number(48) })
    }
}

/// Checks the first 16 bytes, and the checksum in the last eight.
fn check_begin(bytes: &[u8; Head::BYTES], magic: [u8; 8]) -> Result<(), Misfit> {
    let word = |at| u32::from_ne_bytes(part(bytes, at));
    if bytes[..8] != magic {
        return Err(Misfit::Not(FileErrorKind::NotStayput, None));
    }
    if word(12) == ORDER.swap_bytes() {
        return Err(Misfit::Not(FileErrorKind::ByteOrder, None));
    }
    if word(8) != VERSION {
        return Err(Misfit::Not(FileErrorKind::Version, Some((word(8).into(), VERSION.into()))));
    }
    if !is_sealed(bytes) || word(12) != ORDER {
        return Err(Misfit::Not(FileErrorKind::Header, None));
    }
    Ok(())
}

/// How the bits of keys are split, as one number.
fn key_bits<K: Key>() -> u64 {
    let layout = [
        <K::Layout as Layout>::BITS,
        <K::Layout as Layout>::INDEX_BITS,
        <K::Layout as Layout>::GENERATION_BITS,
        <K::Layout as Layout>::TAG_BITS,
    ];
    layout.into_iter().fold(0, |all, bits| all << 8 | u64::from(bits))
}

/// How many slots are in a section, where there are so many: about as many as fit into a mebibyte.
const fn section_slots<V>() -> usize {
    let slot = size_of::<V>() + 5;
    let slots = (1 << 20) / slot;
    if slots == 0 { 1 } else { slots }
}

/// No alignment is more than a `u32` counts.
fn as_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
