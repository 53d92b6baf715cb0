//! Methods of arrays that need nothing but others of their methods.

/// Methods of arrays of values of `T`, by the names of their type and of its grow-only scope.
macro_rules! vec_methods {
    ($Vec:literal, $GrowOnly:ident) => {
        /// Opens a scope in which the array can only grow, so that references to elements stay valid across pushes.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut log = stayput::", $Vec, "::new();")]
        /// let scope = log.grow_only();
        /// let first: &String = scope.push("first".to_string());
        /// let second = scope.push(format!("after {first}")); // `first` is still good
        /// assert_eq!((first.as_str(), second.as_str()), ("first", "after first"));
        /// ```
        #[inline]
        pub fn grow_only(&mut self) -> $GrowOnly<'_, T> {
            $GrowOnly::new(self)
        }

        /// Removes the last element and returns it if the predicate returns `true`.
        pub fn pop_if(&mut self, predicate: impl FnOnce(&mut T) -> bool) -> Option<T> {
            let last = self.last_mut()?;
            if predicate(last) { self.pop() } else { None }
        }

        /// Inserts an element at `index`, shifting all elements after it. O(n - index).
        ///
        /// # Panics
        ///
        /// If [`try_insert`](Self::try_insert) panics or returns an error.
        #[track_caller]
        pub fn insert(&mut self, index: usize, value: T) {
            $crate::error::or_give_up(self.try_insert(index, value));
        }

        /// Drops all elements. The memory stays committed. O(n).
        #[inline]
        pub fn clear(&mut self) {
            self.truncate(0);
        }

        /// Moves all elements of `other` to the end of `self`; `other` keeps its memory. O(n), one copy
        /// of the bytes; takes memory if the capacity does not suffice.
        ///
        /// It takes this type alone, so that `&mut iter.collect()` and `&mut guard` go on to mean what they mean in `Vec`;
        /// for a `Vec` there is [`append_vec`](Self::append_vec).
        ///
        /// # Panics
        ///
        /// If [`try_append`](Self::try_append) returns an error.
        #[track_caller]
        pub fn append(&mut self, other: &mut Self) {
            $crate::error::or_give_up(self.try_append(other));
        }

        /// Moves the elements from `at` on into an array of their own, which has the same options.
        /// O(n - at), one copy of the bytes; takes memory for them.
        ///
        /// # Panics
        ///
        /// If [`try_split_off`](Self::try_split_off) panics or returns an error.
        #[must_use = "use `truncate` if you don't need the other half"]
        #[track_caller]
        pub fn split_off(&mut self, at: usize) -> Self {
            $crate::error::or_give_up(self.try_split_off(at))
        }

        /// Makes the length `new_len`, dropping elements from the end or adding what `make` returns.
        ///
        /// If `make` panics, what it returned before stays.
        ///
        /// # Panics
        ///
        /// If [`try_resize_with`](Self::try_resize_with) returns an error.
        #[track_caller]
        pub fn resize_with(&mut self, new_len: usize, make: impl FnMut() -> T) {
            $crate::error::or_give_up(self.try_resize_with(new_len, make));
        }

        /// [`insert`](Self::insert), and a reference to the element where it now lies.
        ///
        /// # Panics
        ///
        /// As for [`insert`](Self::insert).
        #[track_caller]
        #[must_use = "if you don't need a reference to the element, use `insert`"]
        pub fn insert_mut(&mut self, index: usize, value: T) -> &mut T {
            self.insert(index, value);
            &mut self[index]
        }

        /// Keeps only the elements for which the predicate returns `true`, in their order. O(n).
        ///
        /// If the predicate or a drop panics, elements that were not visited stay.
        pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
            self.retain_mut(|element| keep(element));
        }

        /// Removes all but the first of neighbours with equal keys. O(n).
        pub fn dedup_by_key<K: PartialEq>(&mut self, mut key: impl FnMut(&mut T) -> K) {
            self.dedup_by(|a, b| key(a) == key(b));
        }

        /// Removes all but the first of equal neighbours. O(n).
        pub fn dedup(&mut self)
        where
            T: PartialEq,
        {
            self.dedup_by(|a, b| a == b);
        }

        /// [`append`](Self::append) for a `Vec` of std. O(n), one copy of the bytes.
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
            $crate::error::or_give_up(self.try_append_vec(other));
        }
    };
}
pub(crate) use vec_methods;

/// Methods of arrays of values of `T: Clone`.
macro_rules! clone_methods {
    () => {
        /// Makes the length `new_len`, dropping elements from the end or adding clones of `value`.
        ///
        /// # Panics
        ///
        /// If [`try_resize`](Self::try_resize) returns an error.
        #[track_caller]
        pub fn resize(&mut self, new_len: usize, value: T) {
            $crate::error::or_give_up(self.try_resize(new_len, value));
        }

        /// Appends clones of all elements of a slice.
        ///
        /// # Panics
        ///
        /// If [`try_extend_from_slice`](Self::try_extend_from_slice) returns an error.
        #[track_caller]
        pub fn extend_from_slice(&mut self, other: &[T]) {
            $crate::error::or_give_up(self.try_extend_from_slice(other));
        }

        /// Appends clones of a range of the array's own elements.
        ///
        /// # Panics
        ///
        /// If [`try_extend_from_within`](Self::try_extend_from_within) panics or returns an error.
        #[track_caller]
        pub fn extend_from_within(&mut self, range: impl std::ops::RangeBounds<usize>) {
            $crate::error::or_give_up(self.try_extend_from_within(range));
        }
    };
}
pub(crate) use clone_methods;
