//! [`Join`] and [`JoinMut`]: several maps, iterated in step by key.

use super::SecondaryMap;
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slots::key_tag::Mint;
use crate::slots::walk::join::{Joined, Lookup};
use crate::slots::walk::{Walk, WalkMut, WalkRef};
use sealed::Sealed;
use std::iter::FusedIterator;

/// The maps that [`SlotMap::join`] and related methods look values up in: a reference to a [`SecondaryMap`] or a
/// [`SlotMap`], or a tuple of up to four of them. Mutable references give mutable access to the values.
///
/// A join skips keys that have no value in one of them. A slot map with a [type id](crate::SlotMapBuilder::type_id) has
/// no values for the keys of a map with another.
///
/// # Examples
///
/// ```
/// use stayput::{SecondaryMap, SlotMap};
///
/// let mut names = SlotMap::new();
/// let [ann, ben] = ["Ann", "Ben"].map(|name| names.insert(name));
/// let ages = SecondaryMap::from_iter([(ann, 30), (ben, 40)]);
/// let mut letters = SecondaryMap::from_iter([(ben, 0)]);
/// for (_, name, (age, letters)) in names.join((&ages, &mut letters)) {
///     assert_eq!(*age, 40);
///     *letters = name.len();
/// }
/// assert_eq!(letters[ben], 3);
/// ```
///
/// A map may occur more than once, unless it is borrowed mutably:
///
/// ```compile_fail,E0502
/// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
/// # let (map, mut second) = (SlotMap::<DefaultKey, u8>::new(), SecondaryMap::<DefaultKey, u8>::new());
/// let join = map.join((&mut second, &second));
/// ```
///
/// ```compile_fail,E0502
/// # use stayput::{DefaultKey, SlotMap};
/// # let mut map = SlotMap::<DefaultKey, u8>::new();
/// let join = map.join_mut(&map);
/// ```
///
/// The trait cannot be implemented for other types:
///
/// ```compile_fail,E0277
/// # use stayput::{DefaultKey, secondary::Column};
/// struct Mine;
///
/// impl Column<DefaultKey> for Mine {
///     type Item = ();
/// }
/// ```
pub trait Column<K: Key>: Sealed<K, Look: Lookup<Value = <Self as Column<K>>::Item>> {
    /// The references to the values of a key.
    type Item;
}

mod sealed {
    use crate::key::Key;
    use crate::slots::walk::join::Lookup;

    pub trait Sealed<K: Key> {
        type Look: Lookup;

        /// Returns the maximum number of keys that it has values for.
        fn most(&self) -> usize;

        /// Returns what looks up keys with this tag; with any tag if it is `None`.
        fn into_lookup(self, tag: Option<u32>) -> Self::Look;
    }
}

/// Implements [`Column`] for a reference to a map, by the method that looks up its values.
macro_rules! column {
    ($map:ty => $item:ty, $look:ident: $method:ident) => {
        impl<'a, K: Key, W> Column<K> for $map {
            type Item = $item;
        }

        impl<'a, K: Key, W> Sealed<K> for $map {
            type Look = crate::slots::walk::join::$look<'a, W>;

            #[inline]
            fn most(&self) -> usize {
                self.len()
            }

            #[inline]
            fn into_lookup(self, tag: Option<u32>) -> Self::Look {
                self.$method(tag)
            }
        }
    };
}

column!(&'a SlotMap<K, W> => &'a W, LookupRef: look);
column!(&'a mut SlotMap<K, W> => &'a mut W, LookupMut: look_mut);
column!(&'a SecondaryMap<K, W> => &'a W, LookupRef: look);
column!(&'a mut SecondaryMap<K, W> => &'a mut W, LookupMut: look_mut);

macro_rules! tuple {
    ($first:ident 0 $(, $more:ident $at:tt)+) => {
        impl<K: Key, $first: Column<K> $(, $more: Column<K>)+> Column<K> for ($first, $($more),+) {
            type Item = ($first::Item, $($more::Item),+);
        }

        impl<K: Key, $first: Column<K> $(, $more: Column<K>)+> Sealed<K> for ($first, $($more),+) {
            type Look = ($first::Look, $($more::Look),+);

            #[inline]
            fn most(&self) -> usize {
                self.0.most()$(.min(self.$at.most()))+
            }

            #[inline]
            fn into_lookup(self, tag: Option<u32>) -> Self::Look {
                (self.0.into_lookup(tag), $(self.$at.into_lookup(tag)),+)
            }
        }
    };
}

tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);

/// What makes the keys of a map, and the tag for which columns are looked up, if any.
type Keys<K> = (Mint<K>, Option<u32>);

impl<K: Key, V> SlotMap<K, V> {
    #[inline]
    fn joined_keys(&self) -> Keys<K> {
        (self.mint(), Some(self.mint().tag()))
    }
}

impl<K: Key, V> SecondaryMap<K, V> {
    #[inline]
    fn joined_keys(&self) -> Keys<K> {
        (self.mint(), None)
    }
}

/// Defines an iterator over a walk with look-ups.
macro_rules! iterator {
    ($(#[$doc:meta])* $name:ident, $walk:ident => $value:ty) => {
        $(#[$doc])*
        #[must_use = "iterators are lazy"]
        pub struct $name<'a, K: Key, V, C: Column<K>> {
            walk: Joined<$walk<'a, V>, C::Look>,
            /// The maximum number of items that are left.
            most: usize,
            mint: Mint<K>,
        }

        impl<'a, K: Key, V, C: Column<K>> $name<'a, K, V, C> {
            #[inline]
            fn new(walk: $walk<'a, V>, len: usize, (mint, tag): Keys<K>, column: C) -> Self {
                let most = len.min(column.most());
                Self { walk: Joined::new(walk, column.into_lookup(tag)), most, mint }
            }

            /// Returns the parts for a parallel iterator.
            #[cfg(feature = "rayon")]
            pub(crate) fn into_walk(self) -> (Joined<$walk<'a, V>, C::Look>, Mint<K>) {
                (self.walk, self.mint)
            }
        }

        impl<'a, K: Key, V, C: Column<K>> Iterator for $name<'a, K, V, C> {
            type Item = (K, $value, C::Item);

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                self.most = self.most.checked_sub(1)?;
                let (index, generation, (value, beside)) = self.walk.step()?;
                Some((self.mint.key(index, generation), value, beside))
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (0, Some(self.most))
            }

            #[inline]
            fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut add: F) -> B {
                let mint = self.mint;
                self.walk.fold(init, |sum, (index, generation, (value, beside))| {
                    add(sum, (mint.key(index, generation), value, beside))
                })
            }
        }

        impl<K: Key, V, C: Column<K>> DoubleEndedIterator for $name<'_, K, V, C> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                self.most = self.most.checked_sub(1)?;
                let (index, generation, (value, beside)) = self.walk.step_back()?;
                Some((self.mint.key(index, generation), value, beside))
            }
        }

        impl<K: Key, V, C: Column<K>> FusedIterator for $name<'_, K, V, C> {}

        debug_fields! {
            [K: Key, V, C: Column<K>] $name<'_, K, V, C>, stringify!($name), |join| most: join.most
        }
    };
}

iterator! {
    /// An iterator over the values of a map, and what a [`Column`] has for the same keys.
    ///
    /// This struct is created by [`SlotMap::join`] and [`SecondaryMap::join`]. See their documentation for more.
    Join, WalkRef => &'a V
}

iterator! {
    /// An iterator over the values of a map, as mutable references, and what a [`Column`] has for the same keys.
    ///
    /// This struct is created by [`SlotMap::join_mut`] and [`SecondaryMap::join_mut`]. See their documentation for
    /// more.
    ///
    /// A value that does not live as long as those of the maps cannot be inserted:
    ///
    /// ```compile_fail
    /// use stayput::{DefaultKey, SecondaryMap, secondary::JoinMut};
    ///
    /// type Column<'m> = &'m SecondaryMap<DefaultKey, u8>;
    ///
    /// fn shorten<'m, 's>(
    ///     join: JoinMut<'m, DefaultKey, &'static str, Column<'m>>,
    /// ) -> JoinMut<'m, DefaultKey, &'s str, Column<'m>> {
    ///     join
    /// }
    /// ```
    ///
    /// ```compile_fail
    /// use stayput::{DefaultKey, SecondaryMap, secondary::Join};
    ///
    /// type Column<'m, V> = &'m mut SecondaryMap<DefaultKey, V>;
    ///
    /// fn shorten<'m, 's>(
    ///     join: Join<'m, DefaultKey, u8, Column<'m, &'static str>>,
    /// ) -> Join<'m, DefaultKey, u8, Column<'m, &'s str>> {
    ///     join
    /// }
    /// ```
    JoinMut, WalkMut => &'a mut V
}

clone_fields!([K: Key, V, C: Column<K, Look: Clone>] Join<'_, K, V, C>: walk, most, mint);

/// Defines the joins of a map that has `walk` and `walk_mut`.
macro_rules! join {
    ($map:ident: $(#[$shared:meta])* / $(#[$mutable:meta])*) => {
        impl<K: Key, V> $map<K, V> {
            /// Returns an iterator over the keys that have values both in this map and in `column`, with the values, in
            /// the order of addresses.
            ///
            /// A [`Column`] is `&other`, or `&mut other` for mutable access to its values, or a tuple of these. The
            /// iterator visits the values of this map, and looks each key up in the column by one comparison. So call
            /// it on the map with the fewest values.
            ///
            /// # Examples
            ///
            $(#[$shared])*
            #[inline]
            pub fn join<C: Column<K>>(&self, column: C) -> Join<'_, K, V, C> {
                Join::new(self.walk(), self.len(), self.joined_keys(), column)
            }

            /// [`join`](Self::join), with mutable references to the values of this map.
            ///
            /// # Examples
            ///
            $(#[$mutable])*
            #[inline]
            pub fn join_mut<C: Column<K>>(&mut self, column: C) -> JoinMut<'_, K, V, C> {
                let (len, keys) = (self.len(), self.joined_keys());
                JoinMut::new(self.walk_mut(), len, keys, column)
            }
        }
    };
}

join! {
    SlotMap:
    /// ```
    /// use stayput::{SecondaryMap, SlotMap};
    ///
    /// let mut names = SlotMap::new();
    /// let [ann, ben, cy] = ["Ann", "Ben", "Cy"].map(|name| names.insert(name));
    /// let mut ages = SecondaryMap::from_iter([(ann, 30), (cy, 50)]);
    /// assert!(names.join(&ages).eq([(ann, &"Ann", &30), (cy, &"Cy", &50)]));
    ///
    /// names.join(&mut ages).for_each(|(_, name, age)| *age += name.len());
    /// assert_eq!((ages[ann], ages.get(ben), ages[cy]), (33, None, 52));
    /// ```
    /
    /// ```
    /// use stayput::{DefaultKey, SecondaryMap, SlotMap};
    ///
    /// let mut places: SlotMap<DefaultKey, f64> = (0..4).map(f64::from).collect();
    /// let speeds: SecondaryMap<_, f64> = places.keys().skip(2).map(|key| (key, 0.5)).collect();
    /// for (_, place, speed) in places.join_mut(&speeds) {
    ///     *place += speed;
    /// }
    /// assert!(places.values().eq(&[0.0, 1.0, 2.5, 3.5]));
    /// ```
}

join! {
    SecondaryMap:
    /// ```
    /// use stayput::{SecondaryMap, SlotMap};
    ///
    /// let mut names = SlotMap::new();
    /// let [ann, ben] = ["Ann", "Ben"].map(|name| names.insert(name));
    /// let crowned = SecondaryMap::from_iter([(ben, 1066)]);
    /// // Visits only the crowned ones.
    /// assert!(crowned.join(&names).eq([(ben, &1066, &"Ben")]));
    /// # let _ = ann;
    /// ```
    /
    /// ```
    /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
    /// let map: SlotMap<DefaultKey, u64> = (0..1000).collect();
    /// let mut one: SecondaryMap<_, u64> = map.iter().map(|(key, n)| (key, *n)).collect();
    /// let mut other = one.clone();
    /// other.values_mut().for_each(|n| *n += 1);
    /// one.join_mut(&mut other).for_each(|(_, a, b)| std::mem::swap(a, b));
    /// assert!(one.join(&other).all(|(_, a, b)| *a == *b + 1));
    /// ```
}
