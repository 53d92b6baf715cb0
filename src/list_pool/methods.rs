//! Methods that a pool of lists has, whatever map its lists are in.

/// Defines them over `lists`, a map of lists, `elements` and `compaction`. `$new` is code of examples: it makes `lists`
/// with the keys `a`, whose list is `[1, 2]`, and `b`, whose list is `[3]`. `$handles` is the number of handles of a `$pool`.
macro_rules! list_methods {
    (handles: |$pool:pat_param| $handles:expr; $(#[$new:meta])+) => {
        /// Returns the number of lists. O(1).
        #[inline]
        #[must_use]
        pub fn len(&self) -> usize {
            self.lists.len()
        }

        /// Returns `true` if there are no lists. O(1).
        #[inline]
        #[must_use]
        pub fn is_empty(&self) -> bool {
            self.lists.is_empty()
        }

        /// Returns `true` if there is a list with this key. O(1).
        #[inline]
        pub fn contains_key(&self, key: K) -> bool {
            self.lists.contains_key(key)
        }

        /// Returns the elements of the list with this key, or `None` if the key is stale. O(1).
        #[inline]
        pub fn get(&self, key: K) -> Option<&[T]> {
            Some(self.elements.get(self.lists.get(key)?))
        }

        /// Returns a mutable reference to the list with this key, or `None` if the key is stale. O(1).
        ///
        /// It borrows all lists until it is dropped. To modify elements in place, index by the key instead.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$new])+
        /// let mut list = lists.get_mut(a).unwrap();
        /// list.swap_remove(0);
        /// list.push(4);
        /// drop(list);
        /// assert_eq!(lists[a], [2, 4]);
        /// # let _ = b;
        /// ```
        #[inline]
        pub fn get_mut(&mut self, key: K) -> Option<ListMut<'_, T>> {
            Some(ListMut(self.elements.open(self.lists.get_mut(key)?)))
        }

        /// Removes a list and drops its elements. Returns `true` if there was a list with this key. O(n) in its elements
        /// if they need to be dropped, otherwise O(1).
        ///
        /// To keep the elements, [drain](ListMut::drain) the list first.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$new])+
        /// assert!(lists.remove_list(a));
        /// assert!(!lists.remove_list(a));
        /// assert_eq!(lists[b], [3]);
        /// ```
        pub fn remove_list(&mut self, key: K) -> bool {
            let Some(list) = self.lists.remove(key) else { return false };
            self.elements.free(list);
            true
        }

        /// Retains only the lists for which the predicate returns `true`. The predicate may modify the elements. O(n) in
        /// the slots and in the dropped elements.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$new])+
        /// lists.retain(|_, elements| elements.len() > 1);
        /// assert_eq!((lists[a].len(), lists.get(b)), (2, None));
        /// ```
        pub fn retain(&mut self, mut keep: impl FnMut(K, &mut [T]) -> bool) {
            let elements = &mut self.elements;
            self.lists.retain(|key, list| {
                let is_kept = keep(key, elements.get_mut(list));
                if !is_kept {
                    elements.free(std::mem::replace(list, List::EMPTY));
                }
                is_kept
            });
        }

        /// Removes all lists and drops their elements. Keeps the memory; all keys become stale. O(n) in the lists, and in
        /// the elements if they need to be dropped.
        ///
        /// If dropping an element panics, the remaining elements are still dropped, and the lists stay, empty.
        pub fn clear(&mut self) {
            self.drop_elements();
            self.lists.clear();
            self.elements.forget_all();
            self.compaction = None;
        }

        fn drop_elements(&mut self) {
            if std::mem::needs_drop::<T>() {
                self.elements.clear_all(self.lists.values_mut());
            }
        }

        /// Returns an iterator over the keys, in slot order.
        #[inline]
        pub fn keys(&self) -> impl ExactSizeIterator<Item = K> + Clone + use<'_, T, K> {
            self.lists.keys()
        }

        /// Returns an iterator over the keys and elements of all lists, in slot order. After [`compact`](Self::compact),
        /// this is also their order in memory.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$new])+
        /// assert!(lists.iter().eq([(a, &[1, 2][..]), (b, &[3])]));
        /// ```
        #[inline]
        pub fn iter(&self) -> Iter<'_, K, T> {
            Iter::new(self.lists.iter(), &self.elements)
        }

        /// Returns an iterator over the keys and mutable slices of the elements of all lists, in slot order.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$new])+
        /// for (_, elements) in lists.iter_mut() {
        ///     elements.reverse();
        /// }
        /// assert_eq!(lists[a], [2, 1]);
        /// # let _ = b;
        /// ```
        #[inline]
        pub fn iter_mut(&mut self) -> IterMut<'_, K, T> {
            IterMut::new(self.lists.iter_mut(), self.elements.all_mut())
        }

        /// Returns an iterator over all lists, as slices, in slot order.
        #[inline]
        pub fn values(&self) -> impl ExactSizeIterator<Item = &[T]> + Clone + use<'_, T, K> {
            self.lists.values().map(|list| self.elements.get(list))
        }

        /// Returns an iterator over all lists, as mutable slices, in slot order.
        #[inline]
        pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [T]> + use<'_, T, K> {
            self.iter_mut().map(|(_, elements)| elements)
        }

        /// Moves all lists next to each other, in slot order, and returns freed memory to the system. Keys stay valid.
        ///
        /// Each list is left without spare capacity, so the next push to a list moves it, except perhaps the last one. If all
        /// lists are compact already, nothing is copied.
        ///
        /// Lists are copied to free memory at the start of the pool if it is large enough, and otherwise past the last
        /// list. Until this is complete, the elements may therefore occupy twice their memory. If that is refused, as it
        /// may be if more than half of a [maximum](crate::ListPoolBuilder::max_len) is in use, some lists may have moved
        /// and others not; [`compact_within`](Self::compact_within) returns the error.
        ///
        /// Freed memory at the start of the pool is returned to the system, but stays committed.
        ///
        /// # Time complexity
        ///
        /// O(n) in the copied elements and the slots.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$new])+
        /// lists.get_mut(a).unwrap().extend(3..100);
        /// lists.compact();
        /// assert_eq!(lists[a].as_ptr_range().end, lists[b].as_ptr());
        /// ```
        pub fn compact(&mut self) {
            // What `compact_within` has begun ends first. An error leaves lists where they are, and has no other effect.
            for _ in 0..=usize::from(self.compaction.is_some()) {
                let _ = self.compact_within($crate::growing::Budget::UNLIMITED);
            }
        }

        /// Like [`compact`](Self::compact), but stops when the budget is used up, to spread the work over frames. Call it
        /// again until it [is done](Compacted::is_done).
        ///
        /// Lists can change between calls. Those that are inserted or grow meanwhile may be out of order when compaction
        /// is complete. Until then, free memory at the start of the pool may be set aside for the lists that are to move
        /// there; [`clear`](Self::clear) releases it, too.
        ///
        /// # Errors
        ///
        /// If the system refuses memory, or a maximum would be exceeded ([`MaxLen`](crate::ErrorKind::MaxLen)). Lists that
        /// were moved stay in their new positions, and the next call starts over.
        pub fn compact_within(
            &mut self,
            budget: $crate::growing::Budget,
        ) -> Result<Compacted, $crate::error::Error> {
            let Self { lists, elements, compaction, .. } = self;
            let mut compaction = Compaction::new(compaction, elements, budget);
            while let Some(slot) = compaction.slot(lists.slots_len()) {
                let list = lists.get_by_index_mut(slot);
                if !compaction.step(list.map(|(_, list)| list))? {
                    return Ok(compaction.done());
                }
            }
            compaction.end()
        }

        $crate::container::reserve_methods! {
            &mut, "elements";
            /// Memory is reserved past the last list. Capacities of lists are rounded up to powers of two, so the pool
            /// may have to grow before it has that many more elements. No list moves.
        }

        fn make_room_for(
            &mut self,
            additional: usize,
            _: $crate::growing::Amount,
        ) -> Result<(), $crate::error::Error> {
            self.elements.try_reserve(additional)
        }

        $crate::container::prefault_methods! {
            &mut, "elements";
            /// Does not include the 16 bytes that each list takes in addition.
        }

        fn prefault_room(&mut self, additional: usize) -> Result<(), $crate::error::Error> {
            self.elements.try_prefault(additional)
        }

        /// Makes memory past the last list resident before it is used, within a budget. Call it when a frame has time
        /// left; see [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
        pub fn prefault_ahead(
            &mut self,
            budget: $crate::growing::Budget,
        ) -> $crate::growing::Prefaulted {
            self.elements.prefault_ahead(budget)
        }

        $crate::container::shrink_methods! {
            /// Returns memory past the last list to the system, and that of unused slots at the end. No list moves. To
            /// return memory between lists as well, call [`compact`](Self::compact).
            ///
            /// # Examples
            ///
            /// ```
            $(#[$new])+
            /// lists.get_mut(a).unwrap().extend(0..100_000);
            /// let before = lists.stats().capacity;
            /// lists.remove_list(a);
            /// lists.shrink_to_fit();
            /// assert!(lists.stats().capacity < before);
            /// # let _ = b;
            /// ```
        }

        fn shrink_within(
            &mut self,
            budget: $crate::growing::Budget,
        ) -> Result<$crate::growing::GivenBack, $crate::error::Error> {
            let done = budget.spend(|meter| self.elements.shrink(meter))?;
            Ok(done.and(self.lists.shrink_to_fit_within(budget.less(done.bytes))?))
        }

        /// Returns statistics of the lists and of their memory. O(n) in the lists.
        ///
        /// Asks the system which pages are resident, in O(n) of the committed pages. Meant for monitoring, not for hot
        /// paths.
        pub fn stats(&self) -> ListPoolStats {
            let lists = self.lists.stats();
            let bytes = (lists.reserved_bytes, lists.committed_bytes, lists.resident_bytes);
            let stats = ListPoolStats::new(self.lists.values(), &self.elements, bytes);
            let $pool = self;
            ListPoolStats { handles: $handles, ..stats }
        }

        /// Returns statistics of the lists by capacity, for each power of two; see [`ListClass`]. Lists without capacity
        /// are not counted. O(n) in the lists.
        pub fn size_classes(&self) -> impl ExactSizeIterator<Item = ListClass> + use<T, K> {
            ListClass::all(self.lists.values(), &self.elements).into_iter()
        }
    };
}
pub(super) use list_methods;
