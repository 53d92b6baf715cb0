//! [`Mint`] and [`TypeNumber`]: the tag in the keys that a map makes, and in those that it takes.
//!
//! Where keys have no bits of tag, nothing of it is ever read.

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
    /// Of a map that writes nothing into its keys.
    pub(crate) const PLAIN: Self = Self { tag: 0, key: PhantomData };

    /// Of a map with a type number.
    ///
    /// # Errors
    ///
    /// If the number is more than the largest tag, or has 32 bits.
    pub(crate) const fn try_new(tag: u32) -> Result<Self, Error> {
        let most = if <K::Layout as Layout>::TAG_BITS < 32 {
            <K::Layout as Layout>::MAX_TAG
        } else {
            THERE - 1
        };
        if tag > most {
            let error = Error::new(ErrorKind::KeyBits, 0).with_limit(most as u64);
            return Err(error.of(Holder::TypeNumber));
        }
        Ok(Self { tag, key: PhantomData })
    }

    /// What it writes into keys.
    #[inline]
    pub(crate) const fn tag(self) -> u32 {
        if <K::Layout as Layout>::TAG_BITS == 0 { 0 } else { self.tag }
    }

    /// The key of a slot, by what a map keeps of it.
    #[inline]
    pub(crate) fn key(self, index: u32, generation: u32) -> K {
        KeyData::of_slot(index, generation, self.tag()).into()
    }
}

impl<K> Clone for Mint<K> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Mint<K> {}

/// The type number of a map, if it has one: 0, or the number and one bit that says that there is one. (A map
/// has no room for more.)
#[derive(Debug)]
pub(crate) struct TypeNumber<K> {
    word: u32,
    key: PhantomData<fn(K) -> K>,
}

/// Set where there is a number.
const THERE: u32 = 1 << 31;

impl<K: Key> TypeNumber<K> {
    pub(crate) const NONE: Self = Self { word: 0, key: PhantomData };

    /// # Errors
    ///
    /// If the number is more than the largest tag, or has 32 bits.
    pub(crate) const fn try_new(number: Option<u32>) -> Result<Self, Error> {
        let Some(number) = number else { return Ok(Self::NONE) };
        match Mint::<K>::try_new(number) {
            Ok(_) => Ok(Self { word: number | THERE, key: PhantomData }),
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

    /// Whether a key with this tag is not one of this map's.
    #[inline]
    pub(crate) const fn is_foreign(self, tag: u32) -> bool {
        if <K::Layout as Layout>::TAG_BITS == 0 {
            return false;
        }
        // 0 if there is a number, and it is this one; `THERE` or more if there is none.
        let difference = (tag | THERE) ^ self.word;
        let is_other = difference.wrapping_sub(1) < THERE - 1;
        is_other || <K::Layout as Layout>::TAG_BITS == 32 && tag & self.word & THERE != 0
    }

    /// Index and generation of a key; generation 0, which no value has, if the key is foreign.
    ///
    /// Runs no user code.
    #[inline]
    pub(crate) fn parts(self, key: KeyData<K::Layout>) -> (u32, u32) {
        (key.index(), if self.is_foreign(key.tag()) { 0 } else { key.generation() })
    }
}

impl<K> Clone for TypeNumber<K> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for TypeNumber<K> {}
