//! Keys as bytes, and bytes as keys, by the traits of `bytemuck`.
//!
//! A key is one word that is never 0, so these hold of it:
//!
//! - `NoUninit`: all of its bytes are there to be read.
//! - `CheckedBitPattern`: a word is a key if [`KeyData::from_bits`] takes it.
//! - `ZeroableInOption`: bytes of zero are `None`.
//!
//! `Zeroable` and `Pod` do not. `PodInOption` would be no breach of memory, but it would make keys
//! of words that are none: with an index that the layout has no bits for, or a generation that no slot
//! ever has. Equal keys would differ, and null ones too.

#![expect(unsafe_code, reason = "says what the bytes of keys are")]

use crate::key::{DefaultKey, KeyData, Layout, Word};
use bytemuck::{CheckedBitPattern, NoUninit, ZeroableInOption};

// SAFETY: `repr(transparent)` over `L::Word`, which is `NonZeroU64` or `NonZeroU32`, since `Layout` is
// sealed: there are no bytes but those of an integer, and values of it.
unsafe impl<L: Layout> NoUninit for KeyData<L> {}

// SAFETY: the same; std promises of such types that bytes of zero are their `None`.
unsafe impl<L: Layout> ZeroableInOption for KeyData<L> {}

// SAFETY: `Bits` is the integer of which the word is the one that is not zero, so of the same size
// and alignment; and no bits are taken that are zero, since `from_bits` gives no key for them.
unsafe impl<L: Layout> CheckedBitPattern for KeyData<L> {
    type Bits = <L::Word as Word>::Bits;

    #[inline]
    fn is_valid_bit_pattern(bits: &Self::Bits) -> bool {
        Self::from_bits((*bits).into()).is_some()
    }
}

// What `new_key_type!` does for types of others.

// SAFETY: `repr(transparent)` over a type that is so.
unsafe impl NoUninit for DefaultKey {}

// SAFETY: the same.
unsafe impl ZeroableInOption for DefaultKey {}

// SAFETY: the same: its bits are those of the other, and so are those which are valid.
unsafe impl CheckedBitPattern for DefaultKey {
    type Bits = <KeyData as CheckedBitPattern>::Bits;

    #[inline]
    fn is_valid_bit_pattern(bits: &Self::Bits) -> bool {
        <KeyData>::is_valid_bit_pattern(bits)
    }
}
