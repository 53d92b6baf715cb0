//! Implements `bytemuck`'s traits for keys.
//!
//! A key is one word that is never 0, so it implements:
//!
//! - `NoUninit`: all of its bytes are initialized.
//! - `CheckedBitPattern`: a word is a key if [`KeyData::from_bits`] accepts it.
//! - `ZeroableInOption`: zero bytes are `None`.
//!
//! It implements neither `Zeroable` nor `Pod`. `PodInOption` would be sound, but it would accept words that are not
//! keys: with an index beyond the layout's bits, or a generation that no slot ever has. Equal keys would then compare
//! as different, and null keys as well.

#![expect(unsafe_code, reason = "says what the bytes of keys are")]

use crate::key::{DefaultKey, KeyData, Layout, Word};
use bytemuck::{CheckedBitPattern, NoUninit, ZeroableInOption};

// SAFETY: `repr(transparent)` over `L::Word`, which is `NonZeroU64` or `NonZeroU32` since `Layout` is sealed: an
// integer without padding.
unsafe impl<L: Layout> NoUninit for KeyData<L> {}

// SAFETY: `repr(transparent)` over those types, as above. For them, and for such structs around them, std guarantees that
// zero bytes are `None`.
unsafe impl<L: Layout> ZeroableInOption for KeyData<L> {}

// SAFETY: `Bits` is the integer of which `L::Word` is the non-zero form, so size and alignment are equal; and
// `from_bits` returns `None` for zero, so only non-zero bits are accepted.
unsafe impl<L: Layout> CheckedBitPattern for KeyData<L> {
    type Bits = <L::Word as Word>::Bits;

    #[inline]
    fn is_valid_bit_pattern(bits: &Self::Bits) -> bool {
        Self::from_bits((*bits).into()).is_some()
    }
}

// `new_key_type!` does this for other key types.

// SAFETY: `repr(transparent)` over `KeyData`, which is `NoUninit`.
unsafe impl NoUninit for DefaultKey {}

// SAFETY: `repr(transparent)` over `KeyData`, and so over a `NonZero` integer, with the guarantee above.
unsafe impl ZeroableInOption for DefaultKey {}

// SAFETY: `repr(transparent)` over `KeyData`, with the same `Bits` and the same valid patterns.
unsafe impl CheckedBitPattern for DefaultKey {
    type Bits = <KeyData as CheckedBitPattern>::Bits;

    #[inline]
    fn is_valid_bit_pattern(bits: &Self::Bits) -> bool {
        <KeyData>::is_valid_bit_pattern(bits)
    }
}
