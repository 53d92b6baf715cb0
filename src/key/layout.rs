//! How the bits of a key are split.

use std::fmt::Debug;
use std::hash::Hash;
use std::num::{NonZeroU32, NonZeroU64};

/// How the bits of a key are split between index, generation and tag.
///
/// [`Bits64`] and [`Bits32`] are all there are. A split must fit: 1 to 32 bits of index, 1 to 32 of
/// generation, at most 32 of tag, and no more than 64 or 32 in all. One that does not is an error of
/// the compiler.
pub trait Layout:
    sealed::Sealed + Copy + Eq + Ord + Hash + Debug + Send + Sync + Unpin + 'static
{
    /// What the bits are stored in.
    #[doc(hidden)]
    type Word: Word;
    /// The word of the null key. (A trait's functions cannot make it in a `const`.)
    #[doc(hidden)]
    const NULL_WORD: Self::Word;
    /// Bits of the whole key.
    const BITS: u32 = Self::Word::BITS;
    /// Bits that number the slots.
    const INDEX_BITS: u32;
    /// Bits that count how often a slot was used.
    const GENERATION_BITS: u32;
    /// Bits that belong to the user, or to the
    /// [type number](crate::SlotMapBuilder::type_id) of the map.
    const TAG_BITS: u32;

    /// The last slot that a key can name: a map holds one more than this at most.
    const MAX_INDEX: u32 = ones(Self::INDEX_BITS);
    /// How often a slot is used before it is retired. At most 2^31 - 1, since a slot keeps its
    /// generation in 32 bits, one of which says whether it holds a value.
    const MAX_GENERATION: u32 = {
        let bits = if Self::GENERATION_BITS < 32 { Self::GENERATION_BITS } else { 31 };
        ones(bits)
    };
    /// The largest tag.
    const MAX_TAG: u32 = ones(Self::TAG_BITS);

    /// Fails to compile if the split does not fit.
    #[doc(hidden)]
    const ASSERT_FITS: () = {
        assert!(Self::INDEX_BITS >= 1 && Self::INDEX_BITS <= 32, "an index has 1 to 32 bits");
        assert!(
            Self::GENERATION_BITS >= 1 && Self::GENERATION_BITS <= 32,
            "a generation has 1 to 32 bits"
        );
        assert!(Self::TAG_BITS <= 32, "a tag has at most 32 bits");
        assert!(
            Self::INDEX_BITS + Self::GENERATION_BITS + Self::TAG_BITS <= Self::BITS,
            "index, generation and tag are more bits than the key has"
        );
    };
}

/// A 64-bit key: bits of index, of generation, of tag.
///
/// # Examples
///
/// ```
/// // A thousand million slots, a million reuses of each, 14 bits for flags.
/// stayput::new_key_type! { struct K: stayput::Bits64<30, 20, 14>; }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bits64<const INDEX: u32, const GENERATION: u32, const TAG: u32 = 0> {}

/// A 32-bit key: bits of index, of generation, of tag.
///
/// # Examples
///
/// ```
/// stayput::new_key_type! { struct K: stayput::Bits32<24, 8>; }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bits32<const INDEX: u32, const GENERATION: u32, const TAG: u32 = 0> {}

/// The layout of keys for which none is named: 2^32 slots, each used 2^31 - 1 times.
pub type Plain64 = Bits64<32, 32>;

/// 64 bits with a tag of 12: 2^32 slots, each used 2^20 - 1 times.
pub type Tagged64 = Bits64<32, 20, 12>;

/// 32 bits with a tag of 2: 2^20 slots, each used 1,023 times.
pub type Compact32 = Bits32<20, 10, 2>;

/// Implements [`Layout`] for keys of one width.
macro_rules! bits {
    ($Bits:ident, $Word:ident, $bits:ty) => {
        impl<const INDEX: u32, const GENERATION: u32, const TAG: u32> Layout
            for $Bits<INDEX, GENERATION, TAG>
        {
            type Word = $Word;
            #[allow(trivial_numeric_casts, reason = "one of them has these bits already")]
            const NULL_WORD: $Word = {
                let bits = (ones(INDEX) as $bits) << (GENERATION + TAG);
                $Word::new(bits).expect("an index has bits")
            };
            const INDEX_BITS: u32 = INDEX;
            const GENERATION_BITS: u32 = GENERATION;
            const TAG_BITS: u32 = TAG;
        }

        impl<const INDEX: u32, const GENERATION: u32, const TAG: u32> sealed::Sealed
            for $Bits<INDEX, GENERATION, TAG>
        {
        }
    };
}

bits!(Bits64, NonZeroU64, u64);
bits!(Bits32, NonZeroU32, u32);

/// What the bits of a key are stored in.
pub trait Word: Copy + Eq + Ord + Hash + Debug + Send + Sync + Unpin + 'static {
    const BITS: u32;

    /// What any word is read as, one that is no key's among them.
    #[cfg(feature = "bytemuck")]
    type Bits: bytemuck::AnyBitPattern + Into<u64>;

    /// `None` for 0, and for what does not fit.
    fn new(bits: u64) -> Option<Self>;

    fn get(self) -> u64;
}

impl Word for NonZeroU64 {
    const BITS: u32 = 64;

    #[cfg(feature = "bytemuck")]
    type Bits = u64;

    #[inline]
    fn new(bits: u64) -> Option<Self> {
        Self::new(bits)
    }

    #[inline]
    fn get(self) -> u64 {
        self.get()
    }
}

impl Word for NonZeroU32 {
    const BITS: u32 = 32;

    #[cfg(feature = "bytemuck")]
    type Bits = u32;

    #[inline]
    fn new(bits: u64) -> Option<Self> {
        Self::new(u32::try_from(bits).ok()?)
    }

    #[inline]
    fn get(self) -> u64 {
        u64::from(self.get())
    }
}

/// The lowest `bits` bits; more than 32 are refused elsewhere, by `ASSERT_FITS`.
pub(super) const fn ones(bits: u32) -> u32 {
    if bits >= 32 { u32::MAX } else { (1 << bits) - 1 }
}

mod sealed {
    pub trait Sealed {}
}
