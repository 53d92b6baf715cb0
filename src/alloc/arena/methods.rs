//! The methods that store values in an arena. [`Arena`](super::Arena) and [`Scope`](super::Scope) share them; only the
//! lifetimes of the returned references differ.

/// Defines methods and their fallible twins, given the names of both, their generics and parameters, what they return,
/// and the bodies of the twins.
///
/// Sections after `# Panics` follow a semicolon. The first literal ends the first sentence about the twin, and the
/// second the sentence about its errors. A condition in `@[…]` applies to both methods.
macro_rules! twins {
    ($(
        $(#[$doc:meta])+
        $(; $(#[$more:meta])+)?
        $(@[$cfg:meta])?
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
        #[doc = concat!("If [`", stringify!($try_name), "`](Self::", stringify!($try_name), ") returns an error.")]
        $(
            ///
            $(#[$more])+
        )?
        $(#[cfg($cfg)] #[cfg_attr(docsrs, doc(cfg($cfg)))])?
        #[inline]
        #[track_caller]
        pub fn $name<$($generics)*>(&$this $(, $arg: $type)*) -> $ok {
            unwrap_or_panic($this.$try_name($($arg),*))
        }

        #[doc = concat!("Like [`", stringify!($name), "`](Self::", stringify!($name), "), but returns an error instead of \
            panicking", $($twin,)? ".")]
        ///
        /// # Errors
        ///
        #[doc = concat!("As for [`try_alloc_layout`](Self::try_alloc_layout)", $($errors,)? ".")]
        $(#[cfg($cfg)] #[cfg_attr(docsrs, doc(cfg($cfg)))])?
        #[inline]
        pub fn $try_name<$($generics)*>(&$this $(, $arg: $type)*) -> Result<$ok, Error> {
            $body
        }
    )+};
}
pub(super) use twins;

/// Defines the methods within an `impl` of a type that has a `bump`, given the lifetime of what they return.
macro_rules! alloc_methods {
    ($life:lifetime) => {
        /// Stores a value. O(1); makes system calls if committed memory is used up.
        ///
        /// # Panics
        ///
        /// If [`try_alloc`](Self::try_alloc) returns an error.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = stayput::Arena::new();
        /// let score = arena.alloc(7);
        /// *score += 1;
        /// assert_eq!(*score, 8);
        /// ```
        #[inline]
        #[track_caller]
        pub fn alloc<T>(&self, value: T) -> &$life mut T {
            self.bump.alloc(value)
        }

        /// Like [`alloc`](Self::alloc), but returns the error and the value instead of panicking.
        ///
        /// # Errors
        ///
        /// As for [`try_alloc_layout`](Self::try_alloc_layout).
        #[inline]
        pub fn try_alloc<T>(&self, value: T) -> Result<&$life mut T, Refused<T>> {
            self.bump.try_alloc(value)
        }

        $crate::alloc::arena::methods::twins! {
            /// Makes room for a value, then stores the result of the closure, so that large values can be made in
            /// place. The closure may store values too. If it panics, the room stays in use.
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let grid = arena.alloc_with(|| [[0_u8; 64]; 64]);
            /// grid[3][5] = 1;
            /// assert_eq!(grid[3][..6], [0, 0, 0, 0, 0, 1]);
            /// ```
            fn alloc_with, try_alloc_with
            [T] (&self, make: impl FnOnce() -> T) -> &$life mut T {
                self.bump.try_alloc_with(make)
            } ", in which case the closure was not called";

            /// Like [`alloc_with`](Self::alloc_with), for a closure that can fail. After an error the room is free
            /// again, unless the closure has stored something after it.
            ;
            /// # Errors
            ///
            /// If the closure returns an error.
            ///
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let port = arena.alloc_try_with(|| "8080".parse::<u16>());
            /// assert_eq!(port, Ok(&mut 8080));
            /// assert!(arena.alloc_try_with(|| "http".parse::<u16>()).is_err());
            /// assert_eq!(arena.used_bytes(), 2);
            /// ```
            fn alloc_try_with, try_alloc_try_with
            [T, E] (&self, make: impl FnOnce() -> Result<T, E>) -> Result<&$life mut T, E> {
                self.bump.try_alloc_try_with(make)
            } ", in which case the closure was not called. The inner result is the closure's";

            /// Stores a copy of a slice. O(n).
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let path = arena.alloc_slice_copy(&['a', 'b', 'c']);
            /// path.reverse();
            /// assert_eq!(*path, ['c', 'b', 'a']);
            /// ```
            fn alloc_slice_copy, try_alloc_slice_copy
            [T: Copy] (&self, source: &[T]) -> &$life mut [T] {
                self.bump.try_alloc_slice_copy(source)
            };

            /// Stores clones of the elements of a slice. If cloning panics, the clones made before are dropped. O(n).
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let spans = arena.alloc_slice_clone(&[0..3, 3..7]);
            /// spans[1].end += 1;
            /// assert_eq!(*spans, [0..3, 3..8]);
            /// ```
            fn alloc_slice_clone, try_alloc_slice_clone
            [T: Clone] (&self, source: &[T]) -> &$life mut [T] {
                self.bump.try_alloc_slice_fill_with(source.len(), |i| source[i].clone())
            }, "; nothing was cloned then";

            /// Stores `len` values, which the closure makes from their indices. If it panics, the values made before
            /// are dropped. O(n).
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let squares = arena.alloc_slice_fill_with(4, |n| n * n);
            /// assert_eq!(*squares, [0, 1, 4, 9]);
            /// ```
            fn alloc_slice_fill_with, try_alloc_slice_fill_with
            [T] (&self, len: usize, make: impl FnMut(usize) -> T) -> &$life mut [T] {
                self.bump.try_alloc_slice_fill_with(len, make)
            } ", in which case the closure was not called";

            /// Like [`alloc_slice_fill_with`](Self::alloc_slice_fill_with), for a closure that can fail. After an error
            /// the values made before are dropped and their room is free again, except for padding before them, unless
            /// the closure has stored something after it.
            ;
            /// # Errors
            ///
            /// If the closure returns an error. It is not called again.
            ///
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let digits = ["1", "2", "x"];
            /// let two = arena.alloc_slice_try_fill_with(2, |i| digits[i].parse::<i32>());
            /// assert_eq!(two, Ok(&mut [1, 2][..]));
            /// let three = arena.alloc_slice_try_fill_with(3, |i| digits[i].parse::<i32>());
            /// assert!(three.is_err()); // 'x' is not a digit
            /// ```
            fn alloc_slice_try_fill_with, try_alloc_slice_try_fill_with
            [T, E] (&self, len: usize, make: impl FnMut(usize) -> Result<T, E>) -> Result<&$life mut [T], E> {
                self.bump.try_alloc_slice_try_fill_with(len, make)
            } ", in which case the closure was not called. The inner result is the closure's";

            /// Stores `len` copies of a value. O(n).
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let tiles = arena.alloc_slice_fill_copy(3, '.');
            /// tiles[1] = '#';
            /// assert_eq!(*tiles, ['.', '#', '.']);
            /// ```
            fn alloc_slice_fill_copy, try_alloc_slice_fill_copy
            [T: Copy] (&self, len: usize, value: T) -> &$life mut [T] {
                self.bump.try_alloc_slice_fill_copy(len, value)
            };

            /// Stores `len` clones of a value. If cloning panics, the clones made before are dropped. O(n).
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let spans = arena.alloc_slice_fill_clone(2, &(0..3));
            /// assert_eq!(*spans, [0..3, 0..3]);
            /// ```
            fn alloc_slice_fill_clone, try_alloc_slice_fill_clone
            [T: Clone] (&self, len: usize, value: &T) -> &$life mut [T] {
                self.bump.try_alloc_slice_fill_with(len, |_| value.clone())
            }, "; nothing was cloned then";

            /// Stores `len` default values. If making one panics, those made before are dropped. O(n).
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let counts: &mut [u32] = arena.alloc_slice_fill_default(3);
            /// counts[1] += 1;
            /// assert_eq!(*counts, [0, 1, 0]);
            /// ```
            fn alloc_slice_fill_default, try_alloc_slice_fill_default
            [T: Default] (&self, len: usize) -> &$life mut [T] {
                self.bump.try_alloc_slice_fill_with(len, |_| T::default())
            }, "; no value was made then";

            /// Stores all values of an iterator, whatever its size hint. O(n).
            ///
            /// The slice grows in place. If the iterator itself stores values in the arena, the slice moves when it
            /// grows, and its old memory stays in use. If the iterator panics, the values before are dropped.
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let words = arena.alloc_slice_from_iter("to be or not".split(' '));
            /// words.sort();
            /// assert_eq!(*words, ["be", "not", "or", "to"]);
            /// ```
            fn alloc_slice_from_iter, try_alloc_slice_from_iter
            [T] (&self, values: impl IntoIterator<Item = T>) -> &$life mut [T] {
                self.bump.try_alloc_slice_from_iter(values)
            } ", after dropping the iterator and the values it has returned";

            /// Equivalent to [`alloc_slice_from_iter`](Self::alloc_slice_from_iter), under the name that `bumpalo`
            /// uses. There the iterator must know its length, and a wrong length is a panic.
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let even = arena.alloc_slice_fill_iter((1..=6).filter(|n| n % 2 == 0));
            /// assert_eq!(*even, [2, 4, 6]);
            /// ```
            fn alloc_slice_fill_iter, try_alloc_slice_fill_iter
            [T] (&self, values: impl IntoIterator<Item = T>) -> &$life mut [T] {
                self.try_alloc_slice_from_iter(values)
            };

            /// Like [`alloc_slice_from_iter`](Self::alloc_slice_from_iter), for an iterator over results. At the first
            /// error the values before it are dropped and their room is free again, except for padding before them,
            /// unless the iterator has stored something after it.
            ;
            /// # Errors
            ///
            /// The first error of the iterator, which is not called again.
            ///
            /// # Examples
            ///
            /// ```
            /// let mut arena = stayput::Arena::new();
            /// arena.scope(|arena| {
            ///     let mut parse = |text: &str| {
            ///         let values = text.split(' ').map(str::parse::<u8>);
            ///         arena.alloc_slice_try_fill_iter(values).map(|all| all.to_vec())
            ///     };
            ///     assert_eq!(parse("1 2 3"), Ok(vec![1, 2, 3]));
            ///     assert!(parse("1 2 x").is_err());
            /// });
            /// ```
            fn alloc_slice_try_fill_iter, try_alloc_slice_try_fill_iter
            [T, E] (&self, values: impl IntoIterator<Item = Result<T, E>>) -> Result<&$life mut [T], E> {
                self.bump.try_alloc_slice_try_fill_iter(values)
            } ", after dropping the iterator and the values it has returned. The inner result is the iterator's";

            /// Stores a copy of a string. O(n).
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let name = arena.alloc_str("Ann");
            /// name.make_ascii_uppercase();
            /// assert_eq!(name, "ANN");
            /// ```
            fn alloc_str, try_alloc_str [] (&self, source: &str) -> &$life mut str {
                self.bump.try_alloc_str(source)
            };
        }

        /// Stores formatted text: `alloc_fmt(format_args!("{x}"))` corresponds to `format!("{x}")`. O(n).
        ///
        /// # Panics
        ///
        /// If [`try_alloc_fmt`](Self::try_alloc_fmt) panics or returns an error.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = stayput::Arena::new();
        /// let label = arena.alloc_fmt(format_args!("{} of {}", 3, 7));
        /// assert_eq!(label, "3 of 7");
        /// ```
        #[track_caller]
        pub fn alloc_fmt(&self, text: fmt::Arguments<'_>) -> &$life mut str {
            unwrap_or_panic(self.bump.try_alloc_fmt(text))
        }

        /// Like [`alloc_fmt`](Self::alloc_fmt), but returns an error instead of panicking.
        ///
        /// # Errors
        ///
        /// As for [`try_alloc_layout`](Self::try_alloc_layout).
        ///
        /// # Panics
        ///
        /// If a formatting trait implementation returns an error, like `format!`.
        #[track_caller]
        pub fn try_alloc_fmt(&self, text: fmt::Arguments<'_>) -> Result<&$life mut str, Error> {
            self.bump.try_alloc_fmt(text)
        }

        /// Allocates uninitialized memory for a layout. It stays valid as long as a reference returned by another
        /// method would. A layout of size zero takes no memory. O(1); makes system calls if committed memory is used
        /// up.
        ///
        /// # Panics
        ///
        /// If [`try_alloc_layout`](Self::try_alloc_layout) returns an error.
        ///
        /// # Examples
        ///
        /// ```
        /// use std::alloc::Layout;
        ///
        /// let arena = stayput::Arena::new();
        /// let block = arena.alloc_layout(Layout::new::<[u64; 4]>()).cast::<[u64; 4]>();
        /// // SAFETY: the block has the size and alignment of the array, and is not shared.
        /// unsafe { block.write([7; 4]) };
        /// // SAFETY: as above, and it was just initialized.
        /// assert_eq!(unsafe { block.read() }, [7; 4]);
        /// ```
        #[inline]
        #[track_caller]
        pub fn alloc_layout(&self, layout: Layout) -> NonNull<u8> {
            unwrap_or_panic(self.bump.try_allocate(layout))
        }

        /// Like [`alloc_layout`](Self::alloc_layout), but returns an error instead of panicking. After an error nothing
        /// has changed.
        ///
        /// # Errors
        ///
        /// If more bytes would be in use than `max_bytes` ([`MaxLen`](crate::ErrorKind::MaxLen)) or [the
        /// limit](crate::Arena::set_allocation_limit) ([`AllocationLimit`](crate::ErrorKind::AllocationLimit)) allows,
        /// if the size exceeds `isize::MAX` bytes ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)), if the
        /// system refuses the addresses or the memory, or if the program's allocator calls this while the arena takes
        /// memory, and there is too little room ([`Busy`](crate::ErrorKind::Busy)).
        #[inline]
        pub fn try_alloc_layout(&self, layout: Layout) -> Result<NonNull<u8>, Error> {
            self.bump.try_allocate(layout)
        }

        $crate::alloc::arena::methods::twins! {
            /// Like [`alloc_layout`](Self::alloc_layout), but the memory is zeroed. Memory that is fresh from the
            /// system is not written to.
            ;
            /// # Examples
            ///
            /// ```
            /// use std::alloc::Layout;
            ///
            /// let arena = stayput::Arena::new();
            /// let block = arena.alloc_layout_zeroed(Layout::new::<u64>()).cast::<u64>();
            /// // SAFETY: the block has the size and alignment of a `u64`, and is initialized.
            /// assert_eq!(unsafe { block.read() }, 0);
            /// ```
            fn alloc_layout_zeroed, try_alloc_layout_zeroed
            [] (&self, layout: Layout) -> NonNull<u8> {
                self.bump.try_allocate_zeroed(layout)
            };

            /// Makes room for a value. O(1).
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let score: &mut u32 = arena.alloc_uninit().write(7);
            /// assert_eq!(*score, 7);
            /// ```
            fn alloc_uninit, try_alloc_uninit [T] (&self) -> &$life mut MaybeUninit<T> {
                self.bump.try_alloc_uninit()
            };

            /// Makes room for `len` values. O(1).
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let places = arena.alloc_slice_uninit(3);
            /// for (n, place) in places.iter_mut().enumerate() {
            ///     place.write(n * n);
            /// }
            /// // SAFETY: all three were just initialized.
            /// assert_eq!(unsafe { places[2].assume_init() }, 4);
            /// ```
            fn alloc_slice_uninit, try_alloc_slice_uninit
            [T] (&self, len: usize) -> &$life mut [MaybeUninit<T>] {
                self.bump.try_alloc_slice_uninit(len)
            };

            /// Stores a value whose bytes are all zero. Memory that is fresh from the system is not written to.
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let counts = arena.alloc_zeroed::<[u32; 256]>();
            /// counts[usize::from(b'a')] += 1;
            /// assert_eq!(counts.iter().sum::<u32>(), 1);
            /// ```
            @[feature = "bytemuck"]
            fn alloc_zeroed, try_alloc_zeroed [T: bytemuck::Zeroable] (&self) -> &$life mut T {
                self.bump.try_alloc_zeroed()
            };

            /// Stores `len` values whose bytes are all zero. Memory that is fresh from the system is not written to, so
            /// it becomes resident only when it is used.
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let counts = arena.alloc_slice_zeroed::<u32>(100_000);
            /// counts[12_345] += 1;
            /// assert_eq!(counts[12_344..12_347], [0, 1, 0]);
            /// ```
            @[feature = "bytemuck"]
            fn alloc_slice_zeroed, try_alloc_slice_zeroed
            [T: bytemuck::Zeroable] (&self, len: usize) -> &$life mut [T] {
                self.bump.try_alloc_slice_zeroed(len)
            };
        }

        /// Stores a value that is dropped with the returned box. O(1).
        ///
        /// # Panics
        ///
        /// If [`try_alloc_box`](Self::try_alloc_box) returns an error.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = stayput::Arena::new();
        /// let names = arena.alloc_box(vec!["Ann", "Ben"]);
        /// assert_eq!(names.len(), 2);
        /// drop(names); // frees the memory of the `Vec`
        /// ```
        #[inline]
        #[track_caller]
        pub fn alloc_box<T>(&self, value: T) -> ArenaBox<$life, T> {
            self.bump.alloc_box(value)
        }

        /// Like [`alloc_box`](Self::alloc_box), but returns the error and the value instead of panicking.
        ///
        /// # Errors
        ///
        /// As for [`try_alloc_layout`](Self::try_alloc_layout).
        #[inline]
        pub fn try_alloc_box<T>(&self, value: T) -> Result<ArenaBox<$life, T>, Refused<T>> {
            self.bump.try_alloc_box(value)
        }

        $crate::alloc::arena::methods::twins! {
            /// Like [`alloc_slice_from_iter`](Self::alloc_slice_from_iter), but the values are dropped with the
            /// returned box.
            ;
            /// # Examples
            ///
            /// ```
            /// let arena = stayput::Arena::new();
            /// let names = arena.alloc_box_slice_from_iter(["Ann", "Ben"].map(String::from));
            /// assert_eq!(names[1], "Ben");
            /// drop(names); // frees the memory of the strings
            /// ```
            fn alloc_box_slice_from_iter, try_alloc_box_slice_from_iter
            [T] (&self, values: impl IntoIterator<Item = T>) -> ArenaBox<$life, [T]> {
                self.bump.try_alloc_box_slice_from_iter(values)
            };
        }
    };
}
pub(super) use alloc_methods;

/// Defines the methods that open scopes, within an `impl` of a type that has a `bump`, given the function that makes a
/// guard of the type.
macro_rules! scope_methods {
    ($guard:ident) => {
        /// Calls the closure with a scope, whose values are freed when the closure returns or panics.
        ///
        /// O(1), and makes no system calls. Values stored before stay. Those in an outer [`Scope`] remain usable
        /// meanwhile, but references to those in an arena itself end, because the arena is borrowed mutably.
        ///
        /// # Examples
        ///
        /// ```
        /// let mut arena = stayput::Arena::new();
        /// let longest = arena.scope(|scratch| {
        ///     let words = scratch.alloc_slice_from_iter("to be or not".split(' '));
        ///     words.iter().map(|word| word.len()).max()
        /// });
        /// assert_eq!((longest, arena.used_bytes()), (Some(3), 0));
        /// ```
        #[inline]
        pub fn scope<R>(&mut self, work: impl FnOnce(&mut Scope<'_>) -> R) -> R {
            let mut guard = self.guard();
            work(&mut guard.scope())
        }

        /// Opens a scope that ends when the returned guard is dropped; see [`ScopeGuard`]. O(1), and makes no system
        /// calls.
        #[inline]
        pub fn guard(&mut self) -> ScopeGuard<'_> {
            ScopeGuard::$guard(self)
        }

        /// Returns how many bytes are in use, including alignment padding and memory used outside this scope.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = stayput::Arena::new();
        /// arena.alloc(1_u8);
        /// arena.alloc(1_u32); // after three bytes of padding
        /// assert_eq!(arena.used_bytes(), 8);
        /// ```
        pub fn used_bytes(&self) -> usize {
            self.bump.used_bytes()
        }
    };
}
pub(super) use scope_methods;
