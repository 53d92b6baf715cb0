//! How the bits of a key are split.

use std::fmt::Debug;
use std::hash::Hash;
use std::num::{NonZeroU32, NonZeroU64};

/// How the bits of a key are split between index, generation and tag.
///
/// Only [`Bits64`] and [`Bits32`] implement it. A split that does not fit is a compile error: it must have 1 to 32 bits
/// of index, 1 to 32 bits of generation, at most 32 bits of tag, and at most 64 or 32 bits in all.
///
/// # Examples
///
/// ```
/// use stayput::{Bits32, Layout};
///
/// type TileLayout = Bits32<16, 12, 4>;
///
/// assert_eq!(TileLayout::MAX_INDEX, 65_535);
/// assert_eq!(TileLayout::MAX_GENERATION, 4_095);
/// assert_eq!(TileLayout::MAX_TAG, 15);
/// ```
pub trait Layout:
    sealed::Sealed + Copy + Eq + Ord + Hash + Debug + Send + Sync + Unpin + 'static
{
    /// The type that stores the bits.
    #[doc(hidden)]
    type Word: Word;
    /// The word of the null key, as a constant, since a function of a trait cannot make it in a `const`.
    #[doc(hidden)]
    const NULL_WORD: Self::Word;
    /// The number of bits of the whole key.
    const BITS: u32 = Self::Word::BITS;
    /// The number of bits that select the slot.
    const INDEX_BITS: u32;
    /// The number of bits that count the uses of a slot.
    const GENERATION_BITS: u32;
    /// The number of bits that the user can set, or that hold the [type id](crate::SlotMapBuilder::type_id) of the map.
    const TAG_BITS: u32;

    /// The highest index of a slot. A map has at most one slot more than this.
    const MAX_INDEX: u32 = ones(Self::INDEX_BITS);
    /// The number of times that a slot is used before it is retired. At most 2^31 - 1, since a slot stores its
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

/// The layout of a 64-bit key, by the number of bits of index, generation and tag.
///
/// # Examples
///
/// ```
/// use stayput::{Bits64, Key, SlotMap, new_key_type};
///
/// // 2^30 slots, each used a million times, and 14 bits for flags.
/// new_key_type! { struct UnitKey: Bits64<30, 20, 14>; }
///
/// let mut units: SlotMap<UnitKey, &str> = SlotMap::with_key();
/// let archer = units.insert("archer").with_tag(1 << 13);
/// assert_eq!((units[archer], archer.tag()), ("archer", 1 << 13));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bits64<const INDEX: u32, const GENERATION: u32, const TAG: u32 = 0> {}

/// The layout of a 32-bit key, by the number of bits of index, generation and tag.
///
/// # Examples
///
/// ```
/// use stayput::{Bits32, SlotMap, new_key_type};
///
/// // 2^24 slots, each used 255 times, in keys of four bytes.
/// new_key_type! { struct TileKey: Bits32<24, 8>; }
///
/// let mut tiles: SlotMap<TileKey, &str> = SlotMap::with_key();
/// let meadow = tiles.insert("meadow");
/// assert_eq!((tiles[meadow], size_of_val(&meadow)), ("meadow", 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bits32<const INDEX: u32, const GENERATION: u32, const TAG: u32 = 0> {}

/// The default layout: 64 bits without a tag, for 2^32 slots that are each used 2^31 - 1 times.
///
/// # Examples
///
/// ```
/// use stayput::{Layout, Plain64, new_key_type};
///
/// new_key_type! { struct SoundKey; } // or `struct SoundKey: Plain64;`
///
/// assert_eq!(size_of::<SoundKey>(), 8);
/// assert_eq!((Plain64::MAX_INDEX, Plain64::MAX_TAG), (u32::MAX, 0));
/// ```
pub type Plain64 = Bits64<32, 32>;

/// 64 bits with a tag of 12 bits, for 2^32 slots that are each used 2^20 - 1 times.
///
/// # Examples
///
/// ```
/// use stayput::{Key, SlotMap, Tagged64, new_key_type};
///
/// new_key_type! { struct UnitKey: Tagged64; }
///
/// let mut units: SlotMap<UnitKey, &str> = SlotMap::with_key();
/// let archer = units.insert("archer").with_tag(3); // of the third army
/// assert_eq!((units[archer], archer.tag()), ("archer", 3));
/// ```
pub type Tagged64 = Bits64<32, 20, 12>;

/// 32 bits with a tag of 2 bits, for 2^20 slots that are each used 1,023 times.
///
/// # Examples
///
/// ```
/// use stayput::{Compact32, SlotMap, new_key_type};
///
/// new_key_type! { struct TileKey: Compact32; }
///
/// let mut tiles: SlotMap<TileKey, &str> = SlotMap::with_key();
/// let neighbors: [TileKey; 4] = ["north", "east", "south", "west"].map(|tile| tiles.insert(tile));
/// assert_eq!(size_of_val(&neighbors), 16); // half of what other keys take
/// assert_eq!(tiles[neighbors[2]], "south");
/// ```
pub type Compact32 = Bits32<20, 10, 2>;

/// Implements [`Layout`] for keys of one width.
macro_rules! bits {
    ($Bits:ident, $Word:ident, $bits:ty) => {
        impl<const INDEX: u32, const GENERATION: u32, const TAG: u32> Layout
            for $Bits<INDEX, GENERATION, TAG>
        {
            type Word = $Word;
            #[allow(trivial_numeric_casts, reason = "one of the words has this type already")]
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

/// The integer type that stores the bits of a key.
pub trait Word: Copy + Eq + Ord + Hash + Debug + Send + Sync + Unpin + 'static {
    const BITS: u32;

    /// A type that any word can be read as, even if it is not that of a key.
    #[cfg(feature = "bytemuck")]
    type Bits: bytemuck::AnyBitPattern + Into<u64>;

    /// Returns `None` for 0, and for a number with too many bits.
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

/// Returns a number whose lowest `bits` bits are set. More than 32 are rejected by `ASSERT_FITS`.
pub(super) const fn ones(bits: u32) -> u32 {
    if bits >= 32 { u32::MAX } else { (1 << bits) - 1 }
}

mod sealed {
    pub trait Sealed {}
}
