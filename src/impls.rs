//! Macros that implement std's traits for containers and iterators.

/// Implements the traits of an exact-size, double-ended iterator.
///
/// `$left` is the number of remaining items. `$more` are further methods of `Iterator`.
macro_rules! exact_iterator {
    (
        [$($generics:tt)*] $iter:ty => $item:ty:
        |$this:ident| $left:expr, $next:expr, $next_back:expr $(, { $($more:tt)* })?
    ) => {
        impl<$($generics)*> Iterator for $iter {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                let $this = self;
                $next
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let $this = self;
                let left = $left;
                (left, Some(left))
            }

            #[inline]
            fn count(self) -> usize {
                self.len()
            }

            #[inline]
            fn last(self) -> Option<$item> {
                let last;
                {
                    // Dropped before the last is returned: if a drop panicked later, the last would leak.
                    let mut rest = self;
                    last = rest.next_back();
                }
                last
            }

            $($($more)*)?
        }

        impl<$($generics)*> DoubleEndedIterator for $iter {
            #[inline]
            fn next_back(&mut self) -> Option<$item> {
                let $this = self;
                $next_back
            }
        }

        impl<$($generics)*> ExactSizeIterator for $iter {}

        impl<$($generics)*> std::iter::FusedIterator for $iter {}
    };
}

/// Implements `Clone` by cloning all fields, whatever the type parameters are.
macro_rules! clone_fields {
    ([$($generics:tt)*] $type:ty: $($field:tt),+) => {
        impl<$($generics)*> Clone for $type {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone()),+ }
            }
        }
    };
}

/// Implements `Clone` and `Copy`, whatever the type parameters are.
macro_rules! copy {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> Clone for $type {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($generics)*> Copy for $type {}
    };
}

/// Implements `Clone` in terms of `try_clone`.
macro_rules! clone_by_try {
    ($(#[$doc:meta])* [$($generics:tt)*] $type:ty $(where $($bounds:tt)+)?) => {
        impl<$($generics)*> Clone for $type $(where $($bounds)+)? {
            $(#[$doc])*
            #[track_caller]
            fn clone(&self) -> Self {
                $crate::error::unwrap_or_panic(self.try_clone())
            }
        }
    };
}

/// Implements `Default` by a constructor without arguments.
macro_rules! default_by {
    ([$($generics:tt)*] $type:ident $(<$($argument:ident),+>)?, $new:ident) => {
        impl<$($generics)*> Default for $type $(<$($argument),+>)? {
            #[doc = concat!("See [`", stringify!($new), "`](", stringify!($type), "::", stringify!($new), ").")]
            fn default() -> Self {
                Self::$new()
            }
        }
    };
}

/// Implements `Debug` with a name and some fields; others may be left out.
macro_rules! debug_fields {
    ([$($generics:tt)*] $type:ty, $name:expr, |$this:ident| $($field:ident: $shown:expr),+) => {
        impl<$($generics)*> std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $this = self;
                f.debug_struct($name)$(.field(stringify!($field), &$shown))+.finish_non_exhaustive()
            }
        }
    };
}

/// Implements `Debug` for an iterator: shows the number of remaining items.
macro_rules! debug_left {
    ([$($generics:tt)*] $iter:ty, $name:expr, |$this:ident| $left:expr) => {
        debug_fields!([$($generics)*] $iter, $name, |$this| left: $left);
    };
}

/// Implements `Debug` with a name and, if one is given, a part of the value.
macro_rules! debug_as {
    ([$($generics:tt)*] $type:ty, $name:expr) => {
        impl<$($generics)*> std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct($name).finish_non_exhaustive()
            }
        }
    };
    ([$($generics:tt)*] $type:ty, $name:expr, |$this:ident| $shown:expr) => {
        impl<$($generics)*> std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $this = self;
                f.debug_tuple($name).field(&$shown).finish()
            }
        }
    };
}

/// Implements `Debug` by showing items as a list or, with `debug_map`, as a map.
macro_rules! debug_items {
    ([$($generics:tt)*] $type:ty, $list:ident, |$this:ident| $items:expr) => {
        impl<$($generics)*> std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $this = self;
                f.$list().entries($items).finish()
            }
        }
    };
}

/// Defines associated types that borrow a value for `'a`.
macro_rules! borrowed_types {
    ($($name:ident = $type:ty),+ $(,)?) => {
        $(type $name<'a> = $type where Self: 'a;)+
    };
}

/// Implements `IntoIterator` for a container by value.
macro_rules! iterate_by_value {
    ([$($generics:tt)*] $container:ty: $item:ty => $iter:ty, |$this:ident| $into_iter:expr) => {
        impl<$($generics)*> IntoIterator for $container {
            type Item = $item;
            type IntoIter = $iter;

            fn into_iter(self) -> $iter {
                let $this = self;
                $into_iter
            }
        }
    };
}

/// Implements `IntoIterator` for references to a container, by its `iter` and, if given, `iter_mut`.
macro_rules! iterate_by_ref {
    ([$($generics:tt)*] $container:ty: $item:ty => $iter:ty) => {
        impl<'a, $($generics)*> IntoIterator for &'a $container {
            type Item = $item;
            type IntoIter = $iter;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }
    };
    ([$($generics:tt)*] $container:ty: $item:ty => $iter:ty, $item_mut:ty => $iter_mut:ty) => {
        iterate_by_ref!([$($generics)*] $container: $item => $iter);

        impl<'a, $($generics)*> IntoIterator for &'a mut $container {
            type Item = $item_mut;
            type IntoIter = $iter_mut;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.iter_mut()
            }
        }
    };
}

/// Implements `FromIterator` in terms of `Default` and `Extend`.
macro_rules! collect_by_extend {
    ($(#[$doc:meta])* [$($generics:tt)*] $container:ty: $item:ty) => {
        impl<$($generics)*> FromIterator<$item> for $container {
            $(#[$doc])*
            #[track_caller]
            fn from_iter<I: IntoIterator<Item = $item>>(items: I) -> Self {
                let mut collected = Self::default();
                collected.extend(items);
                collected
            }
        }
    };
}

/// Implements `From` in terms of `FromIterator`.
macro_rules! from_by_collect {
    ($(#[$doc:meta])* [$($generics:tt)*] $from:ty => $container:ty) => {
        impl<$($generics)*> From<$from> for $container {
            $(#[$doc])*
            #[track_caller]
            fn from(items: $from) -> Self {
                Self::from_iter(items)
            }
        }
    };
}

/// Implements `Extend` in terms of `try_extend`.
macro_rules! extend_by_try {
    ([$($generics:tt)*] $container:ty: $item:ty) => {
        impl<$($generics)*> Extend<$item> for $container {
            /// Appends all items of an iterator.
            ///
            /// # Panics
            ///
            /// If `try_extend` returns an error. Items appended before stay.
            #[track_caller]
            fn extend<I: IntoIterator<Item = $item>>(&mut self, items: I) {
                $crate::error::unwrap_or_panic(self.try_extend(items));
            }
        }
    };
}

/// Implements `Extend` for references to elements that are `Copy`.
macro_rules! extend_by_copies {
    ([$($generics:tt)*] $container:ty: $element:ty) => {
        impl<'e, $($generics)*> Extend<&'e $element> for $container {
            #[track_caller]
            fn extend<I: IntoIterator<Item = &'e $element>>(&mut self, elements: I) {
                self.extend(elements.into_iter().copied());
            }
        }
    };
}

/// Implements `Index` for a map by its keys and, with `mut`, `IndexMut`.
macro_rules! index_by_key {
    ([$($generics:tt)*] $map:ty => $value:ty) => {
        impl<$($generics)*> std::ops::Index<K> for $map {
            type Output = $value;

            /// # Panics
            ///
            /// If the map has no value for the key.
            #[inline]
            #[track_caller]
            fn index(&self, key: K) -> &$value {
                match self.get(key) {
                    Some(value) => value,
                    None => $crate::key::no_such_key(key),
                }
            }
        }
    };
    ([$($generics:tt)*] $map:ty => mut $value:ty) => {
        index_by_key!([$($generics)*] $map => $value);

        impl<$($generics)*> std::ops::IndexMut<K> for $map {
            /// # Panics
            ///
            /// If the map has no value for the key.
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, key: K) -> &mut $value {
                match self.get_mut(key) {
                    Some(value) => value,
                    None => $crate::key::no_such_key(key),
                }
            }
        }
    };
}
