//! Keys: the index of a slot, its generation and a tag, in one word.
//!
//! Memory safety does not depend on anything here, nor on any implementation of [`Key`]: whatever the bits of a key
//! are, a map compares its generation with that of the slot.

#![forbid(unsafe_code)]

mod layout;
#[cfg(test)]
mod tests;

pub use layout::{Bits32, Bits64, Compact32, Layout, Plain64, Tagged64};

pub(crate) use layout::Word;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The parts of a [`Key`]: index, generation and tag, split according to the layout `L`.
///
/// Keys of different types can be stored together as `KeyData`, at no cost: every key type is a newtype of it.
///
/// Keys are ordered by index, then generation, then tag, so sorted keys are in the order of memory. `Option<KeyData>`
/// has the size of `KeyData`.
///
/// The hash is one 64-bit number that mixes index, generation and tag into its highest and lowest bits. So keys spread
/// well in a hash table with any hasher, even one that returns the number unchanged or multiplies it once (`FxHash`).
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
    /// From the top: unused bits (zero), index, generation, tag. Either the generation is from 1 to
    /// `L::MAX_GENERATION`, or the key is null: generation 0, index all ones. So it is never zero.
    word: L::Word,
}

impl<L: Layout> KeyData<L> {
    const GENERATION_SHIFT: u32 = L::TAG_BITS;
    const INDEX_SHIFT: u32 = L::GENERATION_BITS + L::TAG_BITS;

    /// Where the version starts in [`as_ffi`](Self::as_ffi): in the upper half, if generation and tag fit.
    const FFI_SHIFT: u32 = if Self::INDEX_SHIFT <= 32 { 32 } else { 64 - Self::INDEX_SHIFT };
    /// The bits of the slot's number in `as_ffi`.
    const FFI_INDEX: u64 = (1 << Self::FFI_SHIFT) - 1;
    /// Whether tag and generation take all bits above the slot's number.
    const FFI_IS_FULL: bool = L::TAG_BITS > 0 && Self::INDEX_SHIFT + Self::FFI_SHIFT == 64;

    /// The null key, which has no value in any map, as a constant.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, Key, KeyData};
    /// const NOTHING: KeyData = KeyData::NULL;
    /// assert_eq!(DefaultKey::from(NOTHING), DefaultKey::null());
    /// ```
    pub const NULL: Self = Self { word: L::NULL_WORD };

    /// Returns the null key, [`NULL`](Self::NULL), which has no value in any map. It is also the [`Default`].
    #[inline]
    #[must_use]
    pub const fn null() -> Self {
        Self::NULL
    }

    /// Returns `true` if this is the null key, whatever its tag.
    #[inline]
    pub fn is_null(self) -> bool {
        self.generation() == 0
    }

    /// Creates a key from its parts; `None` unless the index is at most [`Layout::MAX_INDEX`], the generation from 1 to
    /// [`Layout::MAX_GENERATION`], and the tag at most [`Layout::MAX_TAG`].
    ///
    /// For the null key, see [`null`](Self::null).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, KeyData, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key: DefaultKey = map.insert("a");
    /// let same: KeyData = KeyData::from_parts(0, 1, 0).unwrap();
    /// assert_eq!(DefaultKey::from(same), key);
    ///
    /// let none: Option<KeyData> = KeyData::from_parts(0, 0, 0); // generations start at 1
    /// assert_eq!(none, None);
    /// ```
    #[inline]
    pub fn from_parts(index: u32, generation: u32, tag: u32) -> Option<Self> {
        let fits = index <= L::MAX_INDEX
            && (1..=L::MAX_GENERATION).contains(&generation)
            && tag <= L::MAX_TAG;
        fits.then(|| Self::pack(index, generation, tag))
    }

    /// Returns the index of the slot.
    #[inline]
    pub fn index(self) -> u32 {
        // The bits above the index are zero.
        low_bits(self.word.get() >> Self::INDEX_SHIFT)
    }

    /// Returns how many times the slot has been used, including this time; 0 for the null key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Key, SlotMap};
    /// let mut map = SlotMap::new();
    /// let old = map.insert("a");
    /// map.remove(old);
    /// let new = map.insert("b"); // in the same slot
    /// assert_eq!([old, new].map(|key| key.data().index()), [0, 0]);
    /// assert_eq!([old, new].map(|key| key.data().generation()), [1, 2]);
    /// ```
    #[inline]
    pub fn generation(self) -> u32 {
        low_bits(self.word.get() >> Self::GENERATION_SHIFT) & layout::ones(L::GENERATION_BITS)
    }

    /// Returns the tag. In a key that a map made, this is the map's [type id](crate::SlotMapBuilder::type_id), or 0 if
    /// it has none, unless the user has set another tag.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Key, SlotMap, Tagged64, new_key_type};
    ///
    /// new_key_type! { struct UnitKey: Tagged64; }
    ///
    /// let mut units = SlotMap::builder().type_id(2).build();
    /// let archer: UnitKey = units.insert("archer");
    /// assert_eq!(archer.data().tag(), 2);
    /// ```
    #[inline]
    pub fn tag(self) -> u32 {
        low_bits(self.word.get()) & L::MAX_TAG
    }

    /// Returns the tag under the name that it has if several maps have one key type: the [type
    /// id](crate::SlotMapBuilder::type_id) of the map that made the key.
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
    /// assert_eq!(maps[1].get(keys[0]), None); // although its first slot holds a value
    /// ```
    #[inline]
    pub fn type_id(self) -> u32 {
        self.tag()
    }

    /// Returns the key with another tag.
    ///
    /// # Panics
    ///
    /// If the tag exceeds [`Layout::MAX_TAG`].
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Key, SlotMap, Tagged64, new_key_type};
    ///
    /// new_key_type! { struct UnitKey: Tagged64; }
    ///
    /// const WOUNDED: u32 = 1;
    ///
    /// let mut units = SlotMap::with_key();
    /// let archer: UnitKey = units.insert("archer");
    /// let marked = UnitKey::from(archer.data().with_tag(WOUNDED));
    /// assert_eq!((marked.tag(), units[marked]), (WOUNDED, "archer"));
    /// ```
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn with_tag(self, tag: u32) -> Self {
        assert!(tag <= L::MAX_TAG, "the tag {tag} does not fit into {} bits", L::TAG_BITS);
        Self::pack(self.index(), self.generation(), tag)
    }

    /// Returns the key as a number, which is never 0, for other languages, files and network protocols. For a 32-bit
    /// layout, the upper half is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, Key, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key: DefaultKey = map.insert("a");
    /// let bits = key.data().to_bits();
    /// assert_eq!(DefaultKey::from_bits(bits), Some(key));
    /// ```
    #[inline]
    pub fn to_bits(self) -> u64 {
        self.word.get()
    }

    /// Returns the key with these [bits](Self::to_bits); `None` if they are not the bits of a key.
    ///
    /// A forged key is like a stale one: it finds nothing, unless it happens to be the key of a value in the map.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, Key, KeyData, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key: DefaultKey = map.insert("a");
    /// let bits = key.data().to_bits(); // sent to another process, and back
    /// let data: Option<KeyData> = KeyData::from_bits(bits);
    /// assert_eq!(data, Some(key.data()));
    ///
    /// let none: Option<KeyData> = KeyData::from_bits(0);
    /// assert_eq!(none, None);
    /// ```
    #[inline]
    pub fn from_bits(bits: u64) -> Option<Self> {
        let key = Self { word: L::Word::new(bits)? };
        let is_key = key.index() <= L::MAX_INDEX
            && key.generation() <= L::MAX_GENERATION
            && (key.generation() > 0 || key.index() == L::MAX_INDEX)
            && Self::pack(key.index(), key.generation(), key.tag()) == key;
        is_key.then_some(key)
    }

    /// Returns the key as the number that the crate `slotmap` uses for a key with the same history. The lower half is
    /// the number of the slot, counted from 1; the upper half is the version (1, 3, 5 for the generations 1, 2, 3). It
    /// is never 0, which [`from_ffi`](Self::from_ffi) reads as null.
    ///
    /// Null, without a tag, is `0x1_ffff_ffff` if generation and tag have at most 32 bits. Each key has a different
    /// number. If an index has 32 bits, the keys of the last two slots have numbers that `slotmap` does not use. A tag is
    /// stored above the version; if it does not fit there, as in [`Tagged64`], its highest bit is stored, inverted, in
    /// place of the version's lowest bit. If generation and tag have more than 32 bits, they start below the upper half.
    ///
    /// For files and network protocols, prefer [`to_bits`](Self::to_bits), which is shorter for keys of 32 bits, and
    /// [`from_bits`](Self::from_bits), which detects numbers that are not keys.
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
        // Null uses the highest slot number, even if an index has fewer bits.
        let index = if self.is_null() { Self::FFI_INDEX - 1 } else { u64::from(self.index()) };
        let slot = (index + 1) & Self::FFI_INDEX;
        let uses = u64::from(self.generation()) - u64::from(Self::counts_from_one(slot));
        let rest = u64::from(self.tag()) << L::GENERATION_BITS | uses;
        // Twice the rest plus one, unless the highest bit of the rest is set.
        let version = (rest << 1 | rest >> (63 - Self::FFI_SHIFT)) ^ 1;
        version << Self::FFI_SHIFT | slot
    }

    /// Returns the key with this [number](Self::as_ffi); null if it is not the number of a key.
    ///
    /// In layouts without a tag, or with bits to spare, an even version stands for the odd one after it, as in
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

    /// Returns `true` if the version of a slot counts the uses before the current one. For null, and for slots with
    /// numbers that `slotmap` does not use, it counts the current one as well, so that null differs from keys and no
    /// number is 0.
    #[inline]
    const fn counts_from_one(slot: u64) -> bool {
        slot != 0 && slot != Self::FFI_INDEX
    }

    /// Creates the key of a slot in a map. The generation must be at least 1, and all three parts must fit.
    #[inline]
    pub(crate) fn of_slot(index: u32, generation: u32, tag: u32) -> Self {
        debug_assert!(index <= L::MAX_INDEX && (1..=L::MAX_GENERATION).contains(&generation));
        debug_assert!(tag <= L::MAX_TAG);
        Self::pack(index, generation, tag)
    }

    /// Packs parts that fit and are not all zero.
    #[inline]
    fn pack(index: u32, generation: u32, tag: u32) -> Self {
        const { L::ASSERT_FITS };
        let bits = u64::from(index) << Self::INDEX_SHIFT
            | u64::from(generation) << Self::GENERATION_SHIFT
            | u64::from(tag);
        // The bits are not zero, but an `expect` would keep the compiler from removing unused keys of iterators.
        Self { word: L::Word::new(bits).unwrap_or(L::NULL_WORD) }
    }
}

impl KeyData {
    /// Returns [`NULL`](Self::NULL) in the default layout.
    ///
    /// `KeyData::default()` calls this if no layout is given, since it could not be inferred for the trait's
    /// [`Default`]. For another layout, use [`null`](Self::null).
    #[inline]
    #[must_use]
    pub const fn default() -> Self {
        Self::NULL
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
fn low_bits(bits: u64) -> u32 {
    bits as u32
}

impl<L: Layout> Default for KeyData<L> {
    /// Returns [`KeyData::null`].
    fn default() -> Self {
        Self::NULL
    }
}

impl<L: Layout> Hash for KeyData<L> {
    /// Writes one `u64`, which is different for each key of the layout.
    ///
    /// Hash tables use the lowest bits of a hash, and some also the highest. Fast hashers carry differences only
    /// upwards (by one multiplication), or not at all. Keys of one map may differ only in the index or in the
    /// generation, which may be in any part of the word. So this mixes the whole word into both ends, which takes about
    /// a nanosecond. Adjacent slots are not adjacent in the table of an identity hasher.
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        /// 2^64 divided by the golden ratio: its multiples, small or large, are far apart.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let bits = self.word.get();
        // Each step is invertible, so different keys stay different.
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
    /// Formats like [`Debug`](fmt::Debug): index and generation, as in `3v1`, followed by the tag if it is not 0, as in
    /// `3v1#7`; or `null`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A key of a map, usually of a type declared by [`new_key_type!`](crate::new_key_type).
///
/// With one key type for each map, using a key in the wrong map is a compile error. If several maps have one key type,
/// a [type id](crate::SlotMapBuilder::type_id) in the tag distinguishes them.
///
/// A key finds the value that it was made for as long as that is in the map, and nothing afterwards: neither after its
/// slot was reused, nor after the map was cleared or trimmed.
///
/// A key type can be implemented without the macro, but that is rarely useful. Its conversions should only copy: they are
/// called at any time. If one panics, or returns other bits than it was made of, containers stay sound, but keys may find
/// nothing or the values of others, and elements may be leaked. If one inserts into the container that calls it, that
/// insertion may begin anew, and does not end if this happens each time.
///
/// # Examples
///
/// A key type written by hand, for what the macro cannot express:
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key type",
    label = "not a key type",
    note = "declare a key type with `new_key_type!`, or use `DefaultKey`"
)]
pub trait Key: Copy + Default + Eq + Ord + Hash + fmt::Debug + From<KeyData<Self::Layout>> {
    /// The split of the bits.
    type Layout: Layout;

    /// Returns the parts of the key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, Key, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key: DefaultKey = map.insert("a");
    /// let data = key.data();
    /// assert_eq!((data.index(), data.generation(), data.tag()), (0, 1, 0));
    /// ```
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

    /// See [`KeyData::type_id`]. If [`Any`](std::any::Any), which has a method of the same name, is imported too, write
    /// `Key::type_id(&key)`.
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

/// Declares key types.
///
/// Each is a newtype of [`KeyData`], with the layout after the colon or [`Plain64`], and implements [`Key`], `Copy`,
/// `Eq`, `Ord`, `Hash`, `Debug`, `Default` (null) and, with the feature `serde`, `Serialize` and `Deserialize`. In a
/// `const`, null is `NULL`.
///
/// With the feature `bytemuck`, key types and [`KeyData`] are `NoUninit` (`cast_slice` reads keys as bytes),
/// `CheckedBitPattern` (`checked::cast_slice` reads bytes as keys if all of them are keys of the layout), and
/// `ZeroableInOption` (zero bytes are `None`). They are not `Pod`, since no key is 0, and not `PodInOption`, since
/// other words are not keys either.
///
/// Key types do not implement `Display`, so that you can implement it. [`KeyData`] does.
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
/// A key type is not accepted by a map with another key type:
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
/// A layout that does not fit is rejected:
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

/// Declares one key type, except for the parts that need unsafe code: lints apply to macros that this crate uses, but
/// not to those that other crates use.
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
            /// The null key, which has no value in any map, as a constant. It is equal to `Key::null()`.
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
        // So that this is sound even if the macro is called by its name, or another macro removes `repr(transparent)`.
        const _: fn($name) -> $crate::KeyData<$layout> = |$name(data)| data;
        const _: () = assert!(
            ::core::mem::size_of::<$name>() == ::core::mem::size_of::<$crate::KeyData<$layout>>()
                && ::core::mem::align_of::<$name>()
                    == ::core::mem::align_of::<$crate::KeyData<$layout>>(),
            "not the layout of a key",
        );

        // SAFETY: `repr(transparent)` over `KeyData`, which is `NoUninit`.
        unsafe impl $crate::__bytemuck::NoUninit for $name {}

        // SAFETY: `repr(transparent)` over `KeyData`, which is `ZeroableInOption`.
        unsafe impl $crate::__bytemuck::ZeroableInOption for $name {}

        // SAFETY: `repr(transparent)` over `KeyData`, with the same `Bits` and the same valid patterns.
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
    /// The key type of maps that do not declare their own.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SlotMap};
    ///
    /// struct Folder {
    ///     name: &'static str,
    ///     parent: DefaultKey,
    /// }
    ///
    /// let mut folders = SlotMap::new();
    /// let root = folders.insert(Folder { name: "/", parent: DefaultKey::NULL });
    /// let home = folders.insert(Folder { name: "home", parent: root });
    /// assert_eq!(folders[folders[home].parent].name, "/");
    /// ```
    pub struct DefaultKey: Plain64
}

impl fmt::Display for DefaultKey {
    /// Formats as its [`KeyData`] does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_such_key(key: impl Key) -> ! {
    panic!(
        "stayput: no value has the key {key:?}; it is null, forged, of another map, or its value was \
         removed"
    )
}
