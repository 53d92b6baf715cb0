//! [`Mint`] and [`MapTypeId`]: the tag in the keys that a map makes, and in those that it accepts.
//!
//! If keys have no tag bits, none of this is read.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind, Holder};
use crate::key::{Key, KeyData, Layout};
use std::marker::PhantomData;

/// Makes the keys of a map.
#[derive(Debug)]
pub(crate) struct Mint<K> {
    tag: u32,
    key: PhantomData<fn(K) -> K>,
}

impl<K: Key> Mint<K> {
    /// Of a map without a type id.
    pub(crate) const PLAIN: Self = Self { tag: 0, key: PhantomData };

    /// Creates the mint of a map with a type id.
    ///
    /// # Errors
    ///
    /// If the type id is more than the largest tag, or has 32 bits.
    pub(crate) const fn try_new(tag: u32) -> Result<Self, Error> {
        let most = if <K::Layout as Layout>::TAG_BITS < 32 {
            <K::Layout as Layout>::MAX_TAG
        } else {
            THERE - 1
        };
        if tag > most {
            let error = Error::new(ErrorKind::KeyBits, 0).with_limit(most as u64);
            return Err(error.of(Holder::TypeId));
        }
        Ok(Self { tag, key: PhantomData })
    }

    /// Returns the tag of the keys that it makes.
    #[inline]
    pub(crate) const fn tag(self) -> u32 {
        if <K::Layout as Layout>::TAG_BITS == 0 { 0 } else { self.tag }
    }

    #[inline]
    pub(crate) fn key(self, index: u32, generation: u32) -> K {
        KeyData::of_slot(index, generation, self.tag()).into()
    }
}

copy!([K] Mint<K>);

/// The type id of a map, if it has one: 0, or the type id and a bit that says that there is one. It is one word, since
/// a map has no room for more.
#[derive(Debug)]
pub(crate) struct MapTypeId<K> {
    word: u32,
    key: PhantomData<fn(K) -> K>,
}

/// Set if there is a type id.
const THERE: u32 = 1 << 31;

impl<K: Key> MapTypeId<K> {
    pub(crate) const NONE: Self = Self { word: 0, key: PhantomData };

    /// # Errors
    ///
    /// If the type id is more than the largest tag, or has 32 bits.
    pub(crate) const fn try_new(type_id: Option<u32>) -> Result<Self, Error> {
        let Some(type_id) = type_id else { return Ok(Self::NONE) };
        match Mint::<K>::try_new(type_id) {
            Ok(_) => Ok(Self { word: type_id | THERE, key: PhantomData }),
            Err(error) => Err(error),
        }
    }

    pub(crate) const fn get(self) -> Option<u32> {
        if self.word == 0 { None } else { Some(self.word & !THERE) }
    }

    #[inline]
    pub(crate) const fn mint(self) -> Mint<K> {
        Mint { tag: self.word & !THERE, key: PhantomData }
    }

    /// Whether a key with this tag belongs to another map.
    #[inline]
    pub(crate) const fn is_foreign(self, tag: u32) -> bool {
        if <K::Layout as Layout>::TAG_BITS == 0 {
            return false;
        }
        // 0 if the tag is the type id, and `THERE` or more if there is none.
        let difference = (tag | THERE) ^ self.word;
        let is_other = difference.wrapping_sub(1) < THERE - 1;
        is_other || <K::Layout as Layout>::TAG_BITS == 32 && tag & self.word & THERE != 0
    }

    /// Returns the index and generation of a key. If the key is foreign, the generation is 0, which no value has.
    ///
    /// Runs no user code.
    #[inline]
    pub(crate) fn parts(self, key: KeyData<K::Layout>) -> (u32, u32) {
        (key.index(), if self.is_foreign(key.tag()) { 0 } else { key.generation() })
    }
}

copy!([K] MapTypeId<K>);
