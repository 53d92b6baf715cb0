//! The methods by which values get into an arena: the same for [`Arena`](super::Arena) and
//! [`Scope`](super::Scope), but for how long the references live.

/// Defines methods and their fallible twins, whose bodies are given, by the names of both, their generics and parameters,
/// and what they return.
///
/// The first text ends the first sentence about the twin. The second, if there is one, ends the sentence about its errors.
macro_rules! twins {
    ($(
        $(#[$doc:meta])+
        fn $name:ident, $try_name:ident
        [$($generics:tt)*] (&$this:ident $(, $arg:ident: $type:ty)*) -> $ok:ty
        {
            $body:expr
        } $($twin:literal)? $(, $errors:literal)?;
    )+) => {$(
        $(#[$doc])+
        ///
        /// # Panics
        ///
        #[doc = concat!("Where [`", stringify!($try_name), "`](Self::", stringify!($try_name), ") has an error.")]
        #[inline]
        #[track_caller]
        pub fn $name<$($generics)*>(&$this $(, $arg: $type)*) -> $ok {
            or_give_up($this.$try_name($($arg),*))
        }

        #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), "), or the error", $($twin,)? ".")]
        ///
        /// # Errors
        ///
        #[doc = concat!("As for [`try_alloc_layout`](Self::try_alloc_layout)", $($errors,)? ".")]
        #[inline]
        pub fn $try_name<$($generics)*>(&$this $(, $arg: $type)*) -> Result<$ok, Error> {
            $body
        }
    )+};
}
pub(super) use twins;

/// Within an `impl` of a type that has a `bump`: the methods, given the lifetime of what they
/// return.
macro_rules! alloc_methods {
    ($life:lifetime) => {
        /// Stores a value. O(1); enters the kernel if there is no room in committed memory.
        ///
        /// # Panics
        ///
        /// Where [`try_alloc`](Self::try_alloc) has an error.
        #[inline]
        #[track_caller]
        pub fn alloc<T>(&self, value: T) -> &$life mut T {
            or_give_up(self.bump.try_alloc(value))
        }

        /// [`alloc`](Self::alloc), or the error and the value.
        ///
        /// # Errors
        ///
        /// As for [`try_alloc_layout`](Self::try_alloc_layout).
        #[inline]
        pub fn try_alloc<T>(&self, value: T) -> Result<&$life mut T, Refused<T>> {
            self.bump.try_alloc(value)
        }

        $crate::alloc::arena::methods::twins! {
            /// Stores what the closure makes, after there is room for it: large values can be made in
            /// place. The closure may store values itself. If it panics, its room stays taken.
            fn alloc_with, try_alloc_with
            [T] (&self, make: impl FnOnce() -> T) -> &$life mut T {
                self.bump.try_alloc_with(make)
            } "; then the closure was not called";

            /// [`alloc_with`](Self::alloc_with) for a closure that can fail. Then its room is free
            /// again, unless the closure has stored something behind it.
            ///
            /// # Errors
            ///
            /// That of the closure.
            fn alloc_try_with, try_alloc_try_with
            [T, E] (&self, make: impl FnOnce() -> Result<T, E>) -> Result<&$life mut T, E> {
                self.bump.try_alloc_try_with(make)
            } "; then the closure was not called. The inner result is the closure's";

            /// Stores a copy of a slice. O(n).
            fn alloc_slice_copy, try_alloc_slice_copy
            [T: Copy] (&self, source: &[T]) -> &$life mut [T] {
                self.bump.try_alloc_slice_copy(source)
            };

            /// Stores clones of the values of a slice. If one panics, those before are dropped. O(n).
            fn alloc_slice_clone, try_alloc_slice_clone
            [T: Clone] (&self, source: &[T]) -> &$life mut [T] {
                self.bump.try_alloc_slice_fill_with(source.len(), |i| source[i].clone())
            }, "; nothing was cloned";

            /// Stores `len` values, made of their indices. If one panics, those before are dropped.
            /// O(n).
            fn alloc_slice_fill_with, try_alloc_slice_fill_with
            [T] (&self, len: usize, make: impl FnMut(usize) -> T) -> &$life mut [T] {
                self.bump.try_alloc_slice_fill_with(len, make)
            } "; then the closure was not called";

            /// [`alloc_slice_fill_with`](Self::alloc_slice_fill_with) for a closure that can fail. Then the
            /// values before are dropped, and their room is free again, unless the closure has stored
            /// something behind it.
            ///
            /// # Errors
            ///
            /// That of the closure, which is not called again.
            fn alloc_slice_try_fill_with, try_alloc_slice_try_fill_with
            [T, E] (&self, len: usize, make: impl FnMut(usize) -> Result<T, E>) -> Result<&$life mut [T], E> {
                self.bump.try_alloc_slice_try_fill_with(len, make)
            } "; then the closure was not called. The inner result is the closure's";

            /// Stores `len` copies of a value. O(n).
            fn alloc_slice_fill_copy, try_alloc_slice_fill_copy
            [T: Copy] (&self, len: usize, value: T) -> &$life mut [T] {
                self.bump.try_alloc_slice_fill_copy(len, value)
            };

            /// Stores `len` clones of a value. If one panics, those before are dropped. O(n).
            fn alloc_slice_fill_clone, try_alloc_slice_fill_clone
            [T: Clone] (&self, len: usize, value: &T) -> &$life mut [T] {
                self.bump.try_alloc_slice_fill_with(len, |_| value.clone())
            }, "; nothing was cloned";

            /// Stores `len` default values. If one panics, those before are dropped. O(n).
            fn alloc_slice_fill_default, try_alloc_slice_fill_default
            [T: Default] (&self, len: usize) -> &$life mut [T] {
                self.bump.try_alloc_slice_fill_with(len, |_| T::default())
            }, "; no value was made";

            /// Stores all that an iterator gives, however much it says that will be. O(n).
            ///
            /// The slice grows in place. The iterator may store values itself; then the slice has to
            /// move when it grows, and leaves room behind. If the iterator panics, what it gave is
            /// dropped.
            fn alloc_slice_from_iter, try_alloc_slice_from_iter
            [T] (&self, values: impl IntoIterator<Item = T>) -> &$life mut [T] {
                self.bump.try_alloc_slice_from_iter(values)
            } "; then what the iterator gave until then is dropped, and so is the iterator";

            /// [`alloc_slice_from_iter`](Self::alloc_slice_from_iter), by the name that it has in `bumpalo`. (There,
            /// the iterator has to know how much it gives, and it is a panic if that was wrong.)
            fn alloc_slice_fill_iter, try_alloc_slice_fill_iter
            [T] (&self, values: impl IntoIterator<Item = T>) -> &$life mut [T] {
                self.try_alloc_slice_from_iter(values)
            };
        }

        /// [`alloc_slice_from_iter`](Self::alloc_slice_from_iter) for an iterator whose values may be
        /// errors. At the first of them the values before are dropped, and their room is free again, unless
        /// the iterator has stored something behind it.
        ///
        /// # Errors
        ///
        /// The first that the iterator gives, which is not asked again.
        ///
        /// # Panics
        ///
        /// Where [`try_alloc_slice_try_fill_iter`](Self::try_alloc_slice_try_fill_iter) has an error.
        ///
        /// # Examples
        ///
        /// ```
        /// let mut arena = stayput::Arena::new();
        /// arena.scope(|arena| {
        ///     let mut parse = |text: &str| {
        ///         arena.alloc_slice_try_fill_iter(text.split(' ').map(str::parse::<u8>)).map(|all| all.to_vec())
        ///     };
        ///     assert_eq!(parse("1 2 3"), Ok(vec![1, 2, 3]));
        ///     assert!(parse("1 2 x").is_err());
        /// });
        /// ```
        #[inline]
        #[track_caller]
        pub fn alloc_slice_try_fill_iter<T, E>(
            &self,
            values: impl IntoIterator<Item = Result<T, E>>,
        ) -> Result<&$life mut [T], E> {
            or_give_up(self.bump.try_alloc_slice_try_fill_iter(values))
        }

        /// [`alloc_slice_try_fill_iter`](Self::alloc_slice_try_fill_iter), or the error; then what the
        /// iterator gave until then is dropped, and so is the iterator. The inner result is the iterator's.
        ///
        /// # Errors
        ///
        /// As for [`try_alloc_layout`](Self::try_alloc_layout).
        #[inline]
        pub fn try_alloc_slice_try_fill_iter<T, E>(
            &self,
            values: impl IntoIterator<Item = Result<T, E>>,
        ) -> Result<Result<&$life mut [T], E>, Error> {
            self.bump.try_alloc_slice_try_fill_iter(values)
        }

        $crate::alloc::arena::methods::twins! {
            /// Stores a copy of a string. O(n).
            fn alloc_str, try_alloc_str [] (&self, source: &str) -> &$life mut str {
                self.bump.try_alloc_str(source)
            };
        }

        /// Stores formatted text: `alloc_fmt(format_args!("{x}"))` is what `format!("{x}")` is.
        /// O(n).
        ///
        /// # Panics
        ///
        /// Where [`try_alloc_fmt`](Self::try_alloc_fmt) has an error, and where it panics.
        #[track_caller]
        pub fn alloc_fmt(&self, text: fmt::Arguments<'_>) -> &$life mut str {
            or_give_up(self.bump.try_alloc_fmt(text))
        }

        /// [`alloc_fmt`](Self::alloc_fmt), or the error.
        ///
        /// # Errors
        ///
        /// As for [`try_alloc_layout`](Self::try_alloc_layout).
        ///
        /// # Panics
        ///
        /// If a value in the text has an error when it is formatted, as `format!` does.
        #[track_caller]
        pub fn try_alloc_fmt(&self, text: fmt::Arguments<'_>) -> Result<&$life mut str, Error> {
            self.bump.try_alloc_fmt(text)
        }

        /// Memory of a layout, for whoever handles it by pointers. It holds anything, and stays
        /// good until the reference that another method would return would end. A layout of size
        /// zero takes nothing. O(1); enters the kernel if there is no room in committed memory.
        ///
        /// # Panics
        ///
        /// Where [`try_alloc_layout`](Self::try_alloc_layout) has an error.
        #[inline]
        #[track_caller]
        pub fn alloc_layout(&self, layout: Layout) -> NonNull<u8> {
            or_give_up(self.bump.try_allocate(layout))
        }

        /// [`alloc_layout`](Self::alloc_layout), or the error; then nothing has changed.
        ///
        /// # Errors
        ///
        /// If more than `max_bytes` would be used ([`MaxLen`](crate::ErrorKind::MaxLen)), or more than
        /// [the limit](crate::Arena::set_allocation_limit)
        /// ([`AllocationLimit`](crate::ErrorKind::AllocationLimit)), the size is absurd
        /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)), or the system refuses the
        /// addresses or the memory.
        #[inline]
        pub fn try_alloc_layout(&self, layout: Layout) -> Result<NonNull<u8>, Error> {
            self.bump.try_allocate(layout)
        }

        $crate::alloc::arena::methods::twins! {
            /// [`alloc_layout`](Self::alloc_layout), where all bytes are zero. Nothing is written where
            /// memory is fresh from the system.
            fn alloc_layout_zeroed, try_alloc_layout_zeroed
            [] (&self, layout: Layout) -> NonNull<u8> {
                self.bump.try_allocate_zeroed(layout)
            };

            /// Room for a value. O(1).
            fn alloc_uninit, try_alloc_uninit [T] (&self) -> &$life mut MaybeUninit<T> {
                self.bump.try_alloc_uninit()
            };

            /// Room for `len` values. O(1).
            fn alloc_slice_uninit, try_alloc_slice_uninit
            [T] (&self, len: usize) -> &$life mut [MaybeUninit<T>] {
                self.bump.try_alloc_slice_uninit(len)
            };
        }

        /// A value that is all zero. Nothing is written where memory is fresh from the system.
        ///
        /// # Panics
        ///
        /// Where [`try_alloc_zeroed`](Self::try_alloc_zeroed) has an error.
        #[cfg(feature = "bytemuck")]
        #[cfg_attr(docsrs, doc(cfg(feature = "bytemuck")))]
        #[inline]
        #[track_caller]
        pub fn alloc_zeroed<T: bytemuck::Zeroable>(&self) -> &$life mut T {
            or_give_up(self.bump.try_alloc_zeroed())
        }

        /// [`alloc_zeroed`](Self::alloc_zeroed), or the error.
        ///
        /// # Errors
        ///
        /// As for [`try_alloc_layout`](Self::try_alloc_layout).
        #[cfg(feature = "bytemuck")]
        #[cfg_attr(docsrs, doc(cfg(feature = "bytemuck")))]
        #[inline]
        pub fn try_alloc_zeroed<T: bytemuck::Zeroable>(&self) -> Result<&$life mut T, Error> {
            self.bump.try_alloc_zeroed()
        }

        /// `len` values that are all zero. Nothing is written where memory is fresh from the
        /// system: it takes memory only when it is used.
        ///
        /// # Panics
        ///
        /// Where [`try_alloc_slice_zeroed`](Self::try_alloc_slice_zeroed) has an error.
        #[cfg(feature = "bytemuck")]
        #[cfg_attr(docsrs, doc(cfg(feature = "bytemuck")))]
        #[inline]
        #[track_caller]
        pub fn alloc_slice_zeroed<T: bytemuck::Zeroable>(&self, len: usize) -> &$life mut [T] {
            or_give_up(self.bump.try_alloc_slice_zeroed(len))
        }

        /// [`alloc_slice_zeroed`](Self::alloc_slice_zeroed), or the error.
        ///
        /// # Errors
        ///
        /// As for [`try_alloc_layout`](Self::try_alloc_layout).
        #[cfg(feature = "bytemuck")]
        #[cfg_attr(docsrs, doc(cfg(feature = "bytemuck")))]
        #[inline]
        pub fn try_alloc_slice_zeroed<T: bytemuck::Zeroable>(
            &self,
            len: usize,
        ) -> Result<&$life mut [T], Error> {
            self.bump.try_alloc_slice_zeroed(len)
        }

        /// Stores a value that is dropped when the box is. O(1).
        ///
        /// # Panics
        ///
        /// Where [`try_alloc_box`](Self::try_alloc_box) has an error.
        #[inline]
        #[track_caller]
        pub fn alloc_box<T>(&self, value: T) -> ArenaBox<$life, T> {
            ArenaBox::new(self.alloc(value))
        }

        /// [`alloc_box`](Self::alloc_box), or the error and the value.
        ///
        /// # Errors
        ///
        /// As for [`try_alloc_layout`](Self::try_alloc_layout).
        #[inline]
        pub fn try_alloc_box<T>(&self, value: T) -> Result<ArenaBox<$life, T>, Refused<T>> {
            self.bump.try_alloc(value).map(ArenaBox::new)
        }

        $crate::alloc::arena::methods::twins! {
            /// [`alloc_slice_from_iter`](Self::alloc_slice_from_iter), where the values are dropped
            /// when the box is.
            fn alloc_box_slice_from_iter, try_alloc_box_slice_from_iter
            [T] (&self, values: impl IntoIterator<Item = T>) -> ArenaBox<$life, [T]> {
                self.bump.try_alloc_slice_from_iter(values).map(ArenaBox::new)
            };
        }
    };
}
pub(super) use alloc_methods;

/// The methods that open scopes, within an `impl` of a type that has a `bump`.
macro_rules! scope_methods {
    () => {
        /// Runs the closure with a scope: all that it stores is gone when it returns, or panics.
        ///
        /// O(1), and does not enter the kernel. What was stored before stays. (What was stored in a
        /// [`Scope`] can be used meanwhile; the borrow of what was stored in an arena itself ends.)
        #[inline]
        pub fn scope<R>(&mut self, work: impl FnOnce(&mut Scope<'_>) -> R) -> R {
            let mut guard = self.guard();
            work(&mut guard.scope())
        }

        /// Begins a scope that ends when the guard is dropped: see [`ScopeGuard`].
        ///
        /// O(1), and does not enter the kernel.
        #[inline]
        pub fn guard(&mut self) -> ScopeGuard<'_> {
            ScopeGuard::new(&self.bump)
        }

        /// How many bytes are used, with those that align them; not only in this scope.
        pub fn used_bytes(&self) -> usize {
            self.bump.used_bytes()
        }
    };
}
pub(super) use scope_methods;
