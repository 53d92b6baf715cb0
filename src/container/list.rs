//! Methods of arrays that only call other methods.

/// Defines methods of an array of `T`, given the names of its type, of its grow-only scope, and of its iterators, which
/// are made from what its `cut` returns.
macro_rules! vec_methods {
    ($Vec:literal, $GrowOnly:ident, $Drain:ident, $ExtractIf:ident) => {
        /// Opens a scope in which the array can only grow, so that references to elements stay valid across pushes.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut log = stayput::", $Vec, "::new();")]
        /// let scope = log.grow_only();
        /// let first: &String = scope.push("first".to_string());
        /// let second = scope.push(format!("after {first}")); // `first` is still valid
        /// assert_eq!((first.as_str(), second.as_str()), ("first", "after first"));
        /// ```
        #[inline]
        pub fn grow_only(&mut self) -> $GrowOnly<'_, T> {
            $GrowOnly::new(self)
        }

        /// Removes the last element and returns it if the predicate returns `true`.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut jobs = stayput::", $Vec, "::from([10, 20, 30]); // due times")]
        /// let now = 25;
        /// assert_eq!(jobs.pop_if(|due| *due > now), Some(30));
        /// assert_eq!(jobs.pop_if(|due| *due > now), None);
        /// assert_eq!(jobs, [10, 20]);
        /// ```
        pub fn pop_if(&mut self, predicate: impl FnOnce(&mut T) -> bool) -> Option<T> {
            let last = self.last_mut()?;
            if predicate(last) { self.pop() } else { None }
        }

        /// Inserts an element at `index`, shifting all elements after it. O(n - index).
        ///
        /// # Panics
        ///
        /// If [`try_insert`](Self::try_insert) panics or returns an error.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut letters = stayput::", $Vec, "::from(['a', 'c']);")]
        /// letters.insert(1, 'b');
        /// assert_eq!(letters, ['a', 'b', 'c']);
        /// ```
        #[track_caller]
        pub fn insert(&mut self, index: usize, value: T) {
            $crate::error::unwrap_or_panic(self.try_insert(index, value));
        }

        /// Drops all elements and keeps the memory. O(n).
        #[inline]
        pub fn clear(&mut self) {
            self.truncate(0);
        }

        /// Moves all elements of `other` to the end of `self`; `other` keeps its memory. O(n), one copy of the bytes.
        /// Grows if the capacity does not suffice.
        ///
        /// The argument has this type, and is not generic, so that type inference works as for `Vec`, as in
        /// `&mut iter.collect()`. For a `Vec`, use [`append_vec`](Self::append_vec).
        ///
        /// # Panics
        ///
        /// If [`try_append`](Self::try_append) returns an error.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut all = stayput::", $Vec, "::from([1, 2]);")]
        #[doc = concat!("let mut more = stayput::", $Vec, "::from([3, 4]);")]
        /// all.append(&mut more);
        /// assert_eq!(all, [1, 2, 3, 4]);
        /// assert!(more.is_empty());
        /// ```
        #[track_caller]
        pub fn append(&mut self, other: &mut Self) {
            $crate::error::unwrap_or_panic(self.try_append(other));
        }

        /// Splits off the elements from `at` on, and returns them in a new array with the same options. O(n - at), one
        /// copy of the bytes.
        ///
        /// # Panics
        ///
        /// If [`try_split_off`](Self::try_split_off) panics or returns an error.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut queue = stayput::", $Vec, "::from([\"a\", \"b\", \"c\"]);")]
        /// let later = queue.split_off(1);
        /// assert_eq!(queue, ["a"]);
        /// assert_eq!(later, ["b", "c"]);
        /// ```
        #[must_use = "use `truncate` if you don't need the other half"]
        #[track_caller]
        pub fn split_off(&mut self, at: usize) -> Self {
            $crate::error::unwrap_or_panic(self.try_split_off(at))
        }

        /// Resizes the array to `new_len`, dropping elements from the end or appending results of `make`.
        ///
        /// If `make` panics, the elements appended before stay.
        ///
        /// # Panics
        ///
        /// If [`try_resize_with`](Self::try_resize_with) returns an error.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut ids = stayput::", $Vec, "::from([0]);")]
        /// let mut next = 1;
        /// ids.resize_with(4, || {
        ///     next *= 2;
        ///     next
        /// });
        /// assert_eq!(ids, [0, 2, 4, 8]);
        /// ```
        #[track_caller]
        pub fn resize_with(&mut self, new_len: usize, make: impl FnMut() -> T) {
            $crate::error::unwrap_or_panic(self.try_resize_with(new_len, make));
        }

        /// Inserts an element like [`insert`](Self::insert), and returns a mutable reference to it.
        ///
        /// # Panics
        ///
        /// As for [`insert`](Self::insert).
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut scores = stayput::", $Vec, "::from([1, 3]);")]
        /// let score = scores.insert_mut(1, 7);
        /// *score += 1;
        /// assert_eq!(scores, [1, 8, 3]);
        /// ```
        #[track_caller]
        #[must_use = "if you don't need a reference to the element, use `insert`"]
        pub fn insert_mut(&mut self, index: usize, value: T) -> &mut T {
            self.insert(index, value);
            &mut self[index]
        }

        /// Retains only the elements for which the predicate returns `true`. The predicate may modify them. O(n).
        ///
        /// If the predicate or a drop panics, elements that were not visited stay.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut fuses = stayput::", $Vec, "::from([3, 1, 2]);")]
        /// fuses.retain_mut(|left| {
        ///     *left -= 1;
        ///     *left > 0
        /// });
        /// assert_eq!(fuses, [2, 1]);
        /// ```
        pub fn retain_mut(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
            // Elements before the first one to remove do not move.
            let Some(gone) = self.iter_mut().position(|element| !keep(element)) else { return };
            let len = self.len();
            let mut cut = self.cut(gone, len);
            drop(cut.next());
            cut.keep_if(keep);
        }

        /// Retains only the elements for which the predicate returns `true`, in their order. O(n).
        ///
        /// If the predicate or a drop panics, elements that were not visited stay.
        pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
            self.retain_mut(|element| keep(element));
        }

        /// Removes a range of elements, and returns an iterator over them. The elements after the range move down when
        /// the iterator is dropped.
        ///
        /// # Panics
        ///
        /// If the range starts after its end, or ends past the length.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut numbers = stayput::", $Vec, "::from([1, 2, 3, 4]);")]
        /// assert!(numbers.drain(1..3).eq([2, 3]));
        /// assert_eq!(numbers, [1, 4]);
        /// ```
        #[inline]
        #[track_caller]
        pub fn drain(&mut self, range: impl std::ops::RangeBounds<usize>) -> $Drain<'_, T> {
            let (start, end) = $crate::vec::check_range(&range, self.len());
            $Drain::new(self.cut(start, end))
        }

        /// Returns an iterator that removes the elements of a range for which the predicate returns `true`.
        ///
        /// # Panics
        ///
        /// If the range starts after its end, or ends past the length.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut numbers = stayput::", $Vec, "::from([1, 2, 3, 4, 5]);")]
        /// assert!(numbers.extract_if(.., |n| *n % 2 == 0).eq([2, 4]));
        /// assert_eq!(numbers, [1, 3, 5]);
        /// ```
        #[track_caller]
        pub fn extract_if<F: FnMut(&mut T) -> bool>(
            &mut self,
            range: impl std::ops::RangeBounds<usize>,
            predicate: F,
        ) -> $ExtractIf<'_, T, F> {
            let (start, end) = $crate::vec::check_range(&range, self.len());
            $ExtractIf::new(self.cut(start, end), predicate)
        }

        /// Removes consecutive elements with equal keys, except the first of each group. O(n).
        pub fn dedup_by_key<K: PartialEq>(&mut self, mut key: impl FnMut(&mut T) -> K) {
            self.dedup_by(|a, b| key(a) == key(b));
        }

        /// Removes consecutive equal elements, except the first of each group. O(n).
        pub fn dedup(&mut self)
        where
            T: PartialEq,
        {
            self.dedup_by(|a, b| a == b);
        }

        /// Moves all elements of a `Vec` to the end of the array. O(n), one copy of the bytes.
        ///
        /// # Panics
        ///
        /// If [`try_append_vec`](Self::try_append_vec) returns an error.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut all = stayput::", $Vec, "::from([1]);")]
        /// let mut more = vec![2, 3];
        /// all.append_vec(&mut more);
        /// assert_eq!(all, [1, 2, 3]);
        /// assert!(more.is_empty());
        /// ```
        #[track_caller]
        pub fn append_vec(&mut self, other: &mut Vec<T>) {
            $crate::error::unwrap_or_panic(self.try_append_vec(other));
        }
    };
}
pub(crate) use vec_methods;

/// Defines methods of arrays of `T: Clone`, given the name of the type.
macro_rules! clone_methods {
    ($Vec:literal) => {
        /// Resizes the array to `new_len`, dropping elements from the end or appending clones of `value`.
        ///
        /// # Panics
        ///
        /// If [`try_resize`](Self::try_resize) returns an error.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut tiles = stayput::", $Vec, "::from(['#']);")]
        /// tiles.resize(3, '.');
        /// assert_eq!(tiles, ['#', '.', '.']);
        /// tiles.resize(1, '.');
        /// assert_eq!(tiles, ['#']);
        /// ```
        #[track_caller]
        pub fn resize(&mut self, new_len: usize, value: T) {
            $crate::error::unwrap_or_panic(self.try_resize(new_len, value));
        }

        /// Appends clones of all elements of a slice.
        ///
        /// # Panics
        ///
        /// If [`try_extend_from_slice`](Self::try_extend_from_slice) returns an error.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut path = stayput::", $Vec, "::from([\"home\"]);")]
        /// path.extend_from_slice(&["notes", "today"]);
        /// assert_eq!(path, ["home", "notes", "today"]);
        /// ```
        #[track_caller]
        pub fn extend_from_slice(&mut self, other: &[T]) {
            $crate::error::unwrap_or_panic(self.try_extend_from_slice(other));
        }

        /// Appends clones of a range of the array's own elements.
        ///
        /// # Panics
        ///
        /// If [`try_extend_from_within`](Self::try_extend_from_within) panics or returns an error.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut beat = stayput::", $Vec, "::from([\"boom\", \"tick\", \"clap\"]);")]
        /// beat.extend_from_within(..2);
        /// assert_eq!(beat, ["boom", "tick", "clap", "boom", "tick"]);
        /// ```
        #[track_caller]
        pub fn extend_from_within(&mut self, range: impl std::ops::RangeBounds<usize>) {
            $crate::error::unwrap_or_panic(self.try_extend_from_within(range));
        }
    };
}
pub(crate) use clone_methods;
