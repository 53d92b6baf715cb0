//! Keys: the index of a slot, its generation, and a tag, in one word.
//!
//! A key has no power of its own. Whatever bits it carries, a map compares its generation with
//! the one the slot has now, so nothing here, and no implementation of [`Key`] by a user, is
//! relied on for memory safety.

#![forbid(unsafe_code)]

mod layout;
#[cfg(test)]
mod tests;

pub use layout::{Bits32, Bits64, Compact32, Layout, Plain64, Tagged64};

pub(crate) use layout::Word;
use std::fmt;
use std::hash::{Hash, Hasher};

/// What a [`Key`] is made of: index, generation and tag, split as the layout `L` says.
///
/// It is the form in which keys of different types can be kept together, and it costs nothing:
/// every key type is a `KeyData` by another name.
///
/// The order is by index, then generation, then tag, so sorted keys lie in memory in that order.
/// `Option<KeyData>` is no larger than `KeyData`.
///
/// Its hash is one number of 64 bits in which index, generation and tag are mixed, in the upper bits
/// as in the lower ones. So keys spread in a hash table under any hasher, even one that gives back
/// the number that it gets, or multiplies it once (`FxHash`).
///
/// # Examples
///
/// ```
/// use stayput::{DefaultKey, Key, KeyData, SlotMap};
///
/// let mut map = SlotMap::new();
/// let key: DefaultKey = map.insert("a");
/// let data: KeyData = key.data();
/// assert_eq!(map[DefaultKey::from(data)], "a");
/// assert_eq!((data.index(), data.generation(), data.tag()), (0, 1, 0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct KeyData<L: Layout = Plain64> {
    /// From the top: unused bits (zero), index, generation, tag. Either the generation is from 1
    /// to `L::MAX_GENERATION`, or the key is null: generation 0, index all ones. So never zero.
    word: L::Word,
}

impl<L: Layout> KeyData<L> {
    const GENERATION_SHIFT: u32 = L::TAG_BITS;
    const INDEX_SHIFT: u32 = L::GENERATION_BITS + L::TAG_BITS;

    /// Where the version starts in [`as_ffi`](Self::as_ffi): in the upper half, if generation and tag fit.
    const FFI_SHIFT: u32 = if Self::INDEX_SHIFT <= 32 { 32 } else { 64 - Self::INDEX_SHIFT };
    /// The bits of the number of the slot there.
    const FFI_INDEX: u64 = (1 << Self::FFI_SHIFT) - 1;
    /// Whether tag and generation take all bits above these.
    const FFI_IS_FULL: bool = L::TAG_BITS > 0 && Self::INDEX_SHIFT + Self::FFI_SHIFT == 64;

    /// The key of no value, in any map, for a `const`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, Key, KeyData};
    /// const NOTHING: KeyData = KeyData::NULL;
    /// assert_eq!(DefaultKey::from(NOTHING), DefaultKey::null());
    /// ```
    pub const NULL: Self = Self { word: L::NULL_WORD };

    /// The key of no value, in any map: [`NULL`](Self::NULL). It is what [`Default`] gives.
    #[inline]
    #[must_use]
    pub const fn null() -> Self {
        Self::NULL
    }

    /// Whether this is the key of no value, with whatever tag.
    #[inline]
    pub fn is_null(self) -> bool {
        self.generation() == 0
    }

    /// The parts put together, if they are a key: the index at most [`Layout::MAX_INDEX`], the
    /// generation from 1 to [`Layout::MAX_GENERATION`], the tag at most [`Layout::MAX_TAG`].
    ///
    /// For the null key see [`null`](Self::null).
    #[inline]
    pub fn from_parts(index: u32, generation: u32, tag: u32) -> Option<Self> {
        let fits = index <= L::MAX_INDEX
            && (1..=L::MAX_GENERATION).contains(&generation)
            && tag <= L::MAX_TAG;
        fits.then(|| Self::pack(index, generation, tag))
    }

    /// Which slot.
    #[inline]
    pub fn index(self) -> u32 {
        // What is above the index is zero.
        low_bits(self.word.get() >> Self::INDEX_SHIFT)
    }

    /// How often the slot has been used, this time included. 0 for the null key.
    #[inline]
    pub fn generation(self) -> u32 {
        low_bits(self.word.get() >> Self::GENERATION_SHIFT) & layout::ones(L::GENERATION_BITS)
    }

    /// What the user wrote into the key; in keys that a map gives out, its
    /// [type number](crate::SlotMapBuilder::type_id), or 0 if it has none.
    #[inline]
    pub fn tag(self) -> u32 {
        low_bits(self.word.get()) & L::MAX_TAG
    }

    /// Which map the key is of, where there are many of one key type: the
    /// [type number](crate::SlotMapBuilder::type_id) of the one that gave it out, if it has one. It is the
    /// [`tag`](Self::tag) by another name.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Key, SlotMap, Tagged64, new_key_type};
    ///
    /// new_key_type! { struct AnyKey: Tagged64; }
    ///
    /// let mut maps: [SlotMap<AnyKey, &str>; 3] =
    ///     [0, 1, 2].map(|n| SlotMap::builder().type_id(n).build());
    /// let keys = [maps[2].insert("unit"), maps[0].insert("tree"), maps[1].insert("sound")];
    ///
    /// let found = keys.map(|key| maps[key.type_id() as usize][key]);
    /// assert_eq!(found, ["unit", "tree", "sound"]);
    /// assert_eq!(maps[1].get(keys[0]), None); // though its first slot holds a value
    /// ```
    #[inline]
    pub fn type_id(self) -> u32 {
        self.tag()
    }

    /// The same key with another tag.
    ///
    /// # Panics
    ///
    /// If the tag is more than [`Layout::MAX_TAG`].
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn with_tag(self, tag: u32) -> Self {
        assert!(tag <= L::MAX_TAG, "the tag {tag} does not fit into {} bits", L::TAG_BITS);
        Self::pack(self.index(), self.generation(), tag)
    }

    /// The key as a number, never 0, for other languages, files, and wires. For a 32-bit layout
    /// the upper half is 0.
    #[inline]
    pub fn to_bits(self) -> u64 {
        self.word.get()
    }

    /// The key with these [bits](Self::to_bits), if they are a key's.
    ///
    /// A key that was made up is like a stale one: it finds nothing, unless it happens to be that
    /// of a value that is there.
    #[inline]
    pub fn from_bits(bits: u64) -> Option<Self> {
        let key = Self { word: L::Word::new(bits)? };
        let is_key = key.index() <= L::MAX_INDEX
            && key.generation() <= L::MAX_GENERATION
            && (key.generation() > 0 || key.index() == L::MAX_INDEX)
            && Self::pack(key.index(), key.generation(), key.tag()) == key;
        is_key.then_some(key)
    }

    /// Returns the key as the number that `slotmap` gives a key with the same history: the number of its slot,
    /// counted from 1, in the lower half, and its version (1, 3, 5 for the generations 1, 2, 3) in the upper
    /// one. Never 0, which is the key of no value.
    ///
    /// Null is `0x1_ffff_ffff`. Each key has a number of its own; the keys of the last two slots that a layout
    /// with 32 bits of index can number have one that no key of `slotmap` has. A tag is stored above the
    /// version; if it does not fit there, as in [`Tagged64`], its highest bit is stored, inverted, in
    /// place of the lowest bit of the version. In a layout whose generation and tag have more than 32 bits, they
    /// start below the upper half.
    ///
    /// For files and wires, [`to_bits`](Self::to_bits) is shorter for keys of 32 bits, and
    /// [`from_bits`](Self::from_bits) detects numbers that are not keys.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Key, SlotMap};
    /// let mut map = SlotMap::new();
    /// let a = map.insert("a");
    /// let b = map.insert("b");
    /// assert_eq!([a, b].map(|key| key.data().as_ffi()), [0x1_0000_0001, 0x1_0000_0002]);
    /// map.remove(b);
    /// assert_eq!(map.insert("c").data().as_ffi(), 0x3_0000_0002);
    /// ```
    #[inline]
    pub fn as_ffi(self) -> u64 {
        // Null has the last number of a slot, also where an index has fewer bits.
        let index = if self.is_null() { Self::FFI_INDEX - 1 } else { u64::from(self.index()) };
        let slot = (index + 1) & Self::FFI_INDEX;
        let uses = u64::from(self.generation()) - u64::from(Self::counts_from_one(slot));
        let rest = u64::from(self.tag()) << L::GENERATION_BITS | uses;
        // Twice that and one more, unless its highest bit is set.
        let version = (rest << 1 | rest >> (63 - Self::FFI_SHIFT)) ^ 1;
        version << Self::FFI_SHIFT | slot
    }

    /// Returns the key with this [number](Self::as_ffi), or null if it is not that of a key.
    ///
    /// In layouts without a tag, or with bits to spare, an even version is that of the odd one after it, as in
    /// `slotmap`: 1, 2, 3 and so on are the first keys of the first slots. 0 is null.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, Key, KeyData, SlotMap};
    /// assert!(DefaultKey::from(KeyData::from_ffi(0)).is_null());
    ///
    /// let mut map = SlotMap::new();
    /// let keys = [1, 2].map(|n| DefaultKey::from(KeyData::from_ffi(n)));
    /// assert_eq!([map.insert("a"), map.insert("b")], keys);
    /// ```
    #[inline]
    #[must_use]
    pub fn from_ffi(number: u64) -> Self {
        let slot = number & Self::FFI_INDEX;
        let version = number >> Self::FFI_SHIFT;
        let lowest = if Self::FFI_IS_FULL { !version & 1 } else { 0 };
        let rest = version >> 1 | lowest << (63 - Self::FFI_SHIFT);
        let uses = low_bits(rest) & layout::ones(L::GENERATION_BITS);
        let generation = uses.saturating_add(u32::from(Self::counts_from_one(slot)));
        let Ok(tag) = u32::try_from(rest >> L::GENERATION_BITS) else { return Self::NULL };
        if generation == 0 {
            let is_null = slot == Self::FFI_INDEX && tag <= L::MAX_TAG;
            return if is_null { Self::NULL.with_tag(tag) } else { Self::NULL };
        }
        let index = slot.wrapping_sub(1) & Self::FFI_INDEX;
        Self::from_parts(low_bits(index), generation, tag).unwrap_or_default()
    }

    /// Whether versions of a slot count its uses before this one. Those of null and of slots whose numbers are
    /// not `slotmap`'s count this one, too: so the former differs, and none is 0.
    #[inline]
    const fn counts_from_one(slot: u64) -> bool {
        slot != 0 && slot != Self::FFI_INDEX
    }

    /// The key of a slot as a map keeps it: the generation is at least 1, and all three fit.
    #[inline]
    pub(crate) fn of_slot(index: u32, generation: u32, tag: u32) -> Self {
        debug_assert!(index <= L::MAX_INDEX && (1..=L::MAX_GENERATION).contains(&generation));
        debug_assert!(tag <= L::MAX_TAG);
        Self::pack(index, generation, tag)
    }

    /// The parts fit, and are not all zero.
    #[inline]
    fn pack(index: u32, generation: u32, tag: u32) -> Self {
        const { L::ASSERT_FITS };
        let bits = u64::from(index) << Self::INDEX_SHIFT
            | u64::from(generation) << Self::GENERATION_SHIFT
            | u64::from(tag);
        // The parts are not all zero; but to say so by a panic would have each iterator make keys that
        // nobody asks for.
        Self { word: L::Word::new(bits).unwrap_or(L::NULL_WORD) }
    }
}

impl KeyData {
    /// [`NULL`](Self::NULL), of the layout of keys for which none is named.
    ///
    /// It is what `KeyData::default()` finds where nothing says which layout: that of the trait
    /// [`Default`] cannot tell. For another layout there is [`null`](Self::null).
    #[inline]
    #[must_use]
    pub const fn default() -> Self {
        Self::NULL
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the lower half is what is asked for")]
fn low_bits(bits: u64) -> u32 {
    bits as u32
}

impl<L: Layout> Default for KeyData<L> {
    /// [`KeyData::null`].
    fn default() -> Self {
        Self::NULL
    }
}

impl<L: Layout> Hash for KeyData<L> {
    /// Writes one `u64`, another for each key of the layout.
    ///
    /// Hash tables go by the lowest bits of a hash, and some by the highest, and fast hashers carry
    /// differences upwards only (by one multiplication), or not at all. Keys of one map differ in
    /// the index alone, or in the generation, which may lie in any part of the word. So all of it
    /// is brought into both ends here. What it costs is a nanosecond, and that neighbours in the
    /// map are not neighbours in the table of a hasher that does nothing.
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        /// 2^64 over the golden ratio: multiples of it, by few or many, are far from each other.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let bits = self.word.get();
        // Each step can be undone, so no two keys come to the same.
        let product = (bits ^ bits >> 32).wrapping_mul(SPREAD);
        state.write_u64(product ^ product >> 32);
    }
}

impl<L: Layout> fmt::Debug for KeyData<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_null() {
            f.write_str("null")?;
        } else {
            write!(f, "{}v{}", self.index(), self.generation())?;
        }
        match self.tag() {
            0 => Ok(()),
            tag => write!(f, "#{tag}"),
        }
    }
}

impl<L: Layout> fmt::Display for KeyData<L> {
    /// As by [`Debug`](fmt::Debug): index and generation, as in `3v1`, and the tag if it is not 0, as
    /// in `3v1#7`; or `null`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A key of a map, made as a type of its own by [`new_key_type!`](crate::new_key_type).
///
/// With one key type for each map, to use a key in the wrong map is an error of the compiler. Where many maps
/// share one, a [type number](crate::SlotMapBuilder::type_id) in the tag tells them apart.
///
/// A key resolves to the value it was made for as long as that is in the map, and then never
/// again: not after its slot is reused, not after the map was cleared or trimmed.
///
/// Implementations other than by the macro are possible, and gain little.
///
/// # Examples
///
/// A key type by hand, for what the macro cannot say:
///
/// ```
/// use stayput::{Key, KeyData, Plain64, SlotMap};
///
/// #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
/// pub struct Node(pub KeyData);
///
/// impl From<KeyData> for Node {
///     fn from(data: KeyData) -> Self {
///         Self(data)
///     }
/// }
///
/// impl Key for Node {
///     type Layout = Plain64;
///
///     fn data(&self) -> KeyData {
///         self.0
///     }
/// }
///
/// let mut nodes = SlotMap::with_key();
/// let Node(data) = nodes.insert("root");
/// assert_eq!(nodes[Node(data)], "root");
/// ```
pub trait Key: Copy + Default + Eq + Ord + Hash + fmt::Debug + From<KeyData<Self::Layout>> {
    /// How the bits are split.
    type Layout: Layout;

    /// What the key is made of.
    fn data(&self) -> KeyData<Self::Layout>;

    /// See [`KeyData::null`].
    #[inline]
    #[must_use]
    fn null() -> Self {
        KeyData::null().into()
    }

    /// See [`KeyData::is_null`].
    #[inline]
    fn is_null(&self) -> bool {
        self.data().is_null()
    }

    /// See [`KeyData::index`].
    #[inline]
    fn index(&self) -> u32 {
        self.data().index()
    }

    /// See [`KeyData::generation`].
    #[inline]
    fn generation(&self) -> u32 {
        self.data().generation()
    }

    /// See [`KeyData::tag`].
    #[inline]
    fn tag(&self) -> u32 {
        self.data().tag()
    }

    /// See [`KeyData::type_id`]. (Where [`Any`](std::any::Any) is imported too, which has a method of this
    /// name, say `Key::type_id(&key)`.)
    #[inline]
    fn type_id(&self) -> u32 {
        self.data().type_id()
    }

    /// See [`KeyData::with_tag`].
    ///
    /// # Panics
    ///
    /// As for [`KeyData::with_tag`].
    #[inline]
    #[must_use]
    #[track_caller]
    fn with_tag(&self, tag: u32) -> Self {
        self.data().with_tag(tag).into()
    }

    /// See [`KeyData::to_bits`].
    #[inline]
    fn to_bits(&self) -> u64 {
        self.data().to_bits()
    }

    /// See [`KeyData::from_bits`].
    #[inline]
    #[must_use]
    fn from_bits(bits: u64) -> Option<Self> {
        KeyData::from_bits(bits).map(Self::from)
    }
}

/// Makes key types.
///
/// Each is a [`KeyData`] of the layout that is named behind the colon, or of [`Plain64`], and a
/// [`Key`], with `Copy`, `Eq`, `Ord`, `Hash`, `Debug`, `Default` (null), and, with the feature
/// `serde`, `Serialize` and `Deserialize`. In a `const`, null is `NULL`.
///
/// With the feature `bytemuck` they are, as [`KeyData`] is, `NoUninit` (keys can be read as bytes, by
/// `cast_slice`), `CheckedBitPattern` (bytes can be read as keys, where all of them are keys of the
/// layout, by `checked::cast_slice`), and `ZeroableInOption` (bytes of zero are `None`). They are not
/// `Pod`, since no key is 0, nor `PodInOption`, since other words are no keys either.
///
/// They are not `Display`, so that you can have them be what you like; [`KeyData`] is.
///
/// # Examples
///
/// ```
/// use stayput::{Bits32, Key, SlotMap, Tagged64, new_key_type};
///
/// new_key_type! {
///     /// The key of a sound.
///     pub struct SoundKey;
///     /// The key of a unit, with 12 bits for which army it belongs to.
///     pub struct UnitKey: Tagged64;
///     struct TileKey: Bits32<16, 12, 4>;
/// }
///
/// let mut sounds: SlotMap<SoundKey, &str> = SlotMap::with_key();
/// let mut units: SlotMap<UnitKey, u32> = SlotMap::with_key();
/// let bang = sounds.insert("bang");
/// let archer = units.insert(7).with_tag(3);
/// assert_eq!(sounds[bang], "bang");
/// assert_eq!((units[archer], archer.tag()), (7, 3));
/// assert_eq!(size_of::<Option<TileKey>>(), 4);
/// ```
///
/// A key of one map is not taken by another,
///
/// ```compile_fail,E0308
/// # use stayput::{SlotMap, new_key_type};
/// # new_key_type! { struct SoundKey; struct UnitKey; }
/// let mut sounds: SlotMap<SoundKey, &str> = SlotMap::with_key();
/// let mut units: SlotMap<UnitKey, u32> = SlotMap::with_key();
/// let archer = units.insert(7);
/// sounds.get(archer);
/// ```
///
/// nor a layout that does not fit:
///
/// ```compile_fail,E0080
/// stayput::new_key_type! { struct Wide: stayput::Bits32<20, 12, 1>; }
/// ```
#[macro_export]
macro_rules! new_key_type {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident; $($rest:tt)*) => {
        $crate::__key_type! { $(#[$attribute])* $visibility struct $name: $crate::Plain64 }
        $crate::__key_type_bytemuck!($name: $crate::Plain64);
        $crate::new_key_type! { $($rest)* }
    };
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident: $layout:ty; $($rest:tt)*) => {
        $crate::__key_type! { $(#[$attribute])* $visibility struct $name: $layout }
        $crate::__key_type_bytemuck!($name: $layout);
        $crate::new_key_type! { $($rest)* }
    };
}

/// One key type, without what takes unsafe code, which the lints of this crate see in its own uses
/// of a macro, and those of others do not.
#[doc(hidden)]
#[macro_export]
macro_rules! __key_type {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident: $layout:ty) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        $visibility struct $name($crate::KeyData<$layout>);

        const _: () = <$layout as $crate::Layout>::ASSERT_FITS;

        impl $name {
            /// The key of no value, in any map, for a `const`; what `Key::null` gives.
            $visibility const NULL: Self = Self($crate::KeyData::NULL);
        }

        impl ::core::convert::From<$crate::KeyData<$layout>> for $name {
            #[inline]
            fn from(data: $crate::KeyData<$layout>) -> Self {
                Self(data)
            }
        }

        impl $crate::Key for $name {
            type Layout = $layout;

            #[inline]
            fn data(&self) -> $crate::KeyData<$layout> {
                self.0
            }
        }

        $crate::__key_type_serde!($name);
    };
}

#[cfg(not(feature = "bytemuck"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __key_type_bytemuck {
    ($name:ident: $layout:ty) => {};
}

#[cfg(feature = "bytemuck")]
#[doc(hidden)]
#[macro_export]
macro_rules! __key_type_bytemuck {
    ($name:ident: $layout:ty) => {
        // SAFETY: `repr(transparent)` over a type that is so.
        unsafe impl $crate::__bytemuck::NoUninit for $name {}

        // SAFETY: the same.
        unsafe impl $crate::__bytemuck::ZeroableInOption for $name {}

        // SAFETY: the same: its bits are those of the other, and so are those which are valid.
        unsafe impl $crate::__bytemuck::CheckedBitPattern for $name {
            type Bits = <$crate::KeyData<$layout> as $crate::__bytemuck::CheckedBitPattern>::Bits;

            #[inline]
            fn is_valid_bit_pattern(bits: &Self::Bits) -> bool {
                <$crate::KeyData<$layout> as $crate::__bytemuck::CheckedBitPattern>
                                                                    ::is_valid_bit_pattern(bits)
            }
        }
    };
}

#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __key_type_serde {
    ($name:ty) => {};
}

#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __key_type_serde {
    ($name:ty) => {
        impl $crate::__serde::Serialize for $name {
            fn serialize<S: $crate::__serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::__serde::Serialize::serialize(&self.0, serializer)
            }
        }

        impl<'de> $crate::__serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::__serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::__serde::Deserialize::deserialize(deserializer).map(Self)
            }
        }
    };
}

__key_type! {
    /// The key of maps for which nobody made a type of their own.
    pub struct DefaultKey: Plain64
}

impl fmt::Display for DefaultKey {
    /// As that of its [`KeyData`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_such_key(key: impl Key) -> ! {
    panic!(
        "stayput: no value has the key {key:?}; it is null, made up, of another map, or its value was \
         removed"
    )
}
