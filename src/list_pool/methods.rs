//! Methods that a pool of lists has, whatever map its lists are in.

/// Defines them over `lists`, a map of lists, `elements` and `compaction`. `$new` is code of examples: it makes `lists`
/// with the keys `a`, whose list is `[1, 2]`, and `b`, whose list is `[3]`.
macro_rules! list_methods {
    ($(#[$new:meta])+) => {
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

        /// Returns the elements of a list; `None` if the key finds none. O(1).
        #[inline]
        pub fn get(&self, key: K) -> Option<&[T]> {
            Some(self.elements.get(self.lists.get(key)?))
        }

        /// Returns a list, so that it can change; `None` if the key finds none. O(1).
        ///
        /// # Examples
        ///
        /// ```
        $(#[$new])+
        /// let mut opened = lists.get_mut(a).unwrap();
        /// opened.swap_remove(0);
        /// opened.push(4);
        /// drop(opened);
        /// assert_eq!(lists[a], [2, 4]);
        /// # let _ = b;
        /// ```
        #[inline]
        pub fn get_mut(&mut self, key: K) -> Option<ListMut<'_, T>> {
            Some(ListMut(self.elements.open(self.lists.get_mut(key)?)))
        }

        /// Removes a list and drops its elements. Returns whether there was one with this key. O(n) in its elements if
        /// they need to be dropped, and otherwise O(1).
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

        /// Retains only the lists for which the predicate returns `true`, which may change their elements. O(n) in the
        /// slots of lists, and in the elements that need to be dropped.
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

        /// Removes all lists and drops their elements. Keeps the memory, and the removed keys find nothing. O(n) in the
        /// lists, and in the elements if they need to be dropped.
        ///
        /// If dropping an element panics, the others are dropped, and the lists stay, without elements.
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

        /// Returns an iterator over the keys, in the order of their slots.
        #[inline]
        pub fn keys(&self) -> impl ExactSizeIterator<Item = K> + Clone + use<'_, T, K> {
            self.lists.keys()
        }

        /// Returns an iterator over the keys and elements of all lists, in the order of their slots. After
        /// [`compact`](Self::compact) this is their order in memory.
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

        /// Returns an iterator over the keys and elements of all lists, in the order of their slots. The elements can be
        /// changed.
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

        /// Returns an iterator over the elements of each list, in the order of their slots.
        #[inline]
        pub fn values(&self) -> impl ExactSizeIterator<Item = &[T]> + Clone + use<'_, T, K> {
            self.lists.values().map(|list| self.elements.get(list))
        }

        /// Returns an iterator over the elements of each list, in the order of their slots. The elements can be changed.
        #[inline]
        pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [T]> + use<'_, T, K> {
            self.iter_mut().map(|(_, elements)| elements)
        }

        /// Moves all lists next to each other, in the order of their slots, and returns the memory that this frees to
        /// the system. No key changes.
        ///
        /// Afterwards a list has memory for exactly its elements, so the next push to it moves it, unless it is the last
        /// one. If the lists lie so already, nothing is copied.
        ///
        /// Lists move to free memory at the front if it suffices, and otherwise past the last list. So until this is
        /// done, the elements take up to twice as much memory, and a pool that is more than half full may be refused it;
        /// then lists stay where they are. Memory that is returned at the front stays committed.
        ///
        /// # Time complexity
        ///
        /// O(n) in the elements, which are copied, and in the slots of lists.
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

        /// Compacts as [`compact`](Self::compact) does, but no further than a budget allows, to spread the work over
        /// frames: call it again until it [is done](Compacted::is_done).
        ///
        /// Lists can change between the calls. Those that are inserted or grow meanwhile may lie elsewhere in the end.
        /// Until it is done, free memory at the front is kept for the lists that are to move there.
        ///
        /// # Errors
        ///
        /// If memory is refused. Each list is where it was, or has been moved, and the next call begins anew.
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
            /// The memory lies past all lists. Lists also use what is free between them, and take more than their
            /// elements need, so this is no guarantee that they fit. No list moves.
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
            /// Memory for the lists themselves is not included.
        }

        fn prefault_room(&mut self, additional: usize) -> Result<(), $crate::error::Error> {
            self.elements.try_prefault(additional)
        }

        /// Makes memory past all lists resident ahead of its use, in the idle time of a frame; see
        /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
        pub fn prefault_ahead(
            &mut self,
            budget: $crate::growing::Budget,
        ) -> $crate::growing::Prefaulted {
            self.elements.prefault_ahead(budget)
        }

        $crate::container::shrink_methods! {
            /// Returns the memory past the last list to the system, as
            /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does, and that of slots without lists. No list
            /// moves. To return memory between lists as well, call [`compact`](Self::compact) first.
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
        /// Asks the system which pages are resident, in O(n) of the committed pages: for diagnostics, not for a hot path.
        pub fn stats(&self) -> ListPoolStats {
            let lists = self.lists.stats();
            let bytes = (lists.reserved_bytes, lists.committed_bytes, lists.resident_bytes);
            let stats = ListPoolStats::new(self.lists.values(), &self.elements, bytes);
            ListPoolStats { handles: self.handle_count(), ..stats }
        }

        /// Returns how many lists have memory of which size, and how much of that is unused; see [`ListClass`]. O(n) in
        /// the lists.
        pub fn size_classes(&self) -> impl ExactSizeIterator<Item = ListClass> + use<T, K> {
            ListClass::all(self.lists.values(), &self.elements).into_iter()
        }
    };
}
pub(super) use list_methods;
