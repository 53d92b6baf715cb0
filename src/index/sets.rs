//! Methods common to [`SetIndex`](super::SetIndex) and [`ListIndex`](super::ListIndex).

#![forbid(unsafe_code)]

/// Defines the methods of an index by its field of sets. `$unnumbered` documents which slots cannot be numbered.
macro_rules! set_methods {
    ($index:ident, $field:ident: $sets:ident, $unnumbered:literal) => {
        $crate::index::hashed::hashed_methods!($index, $field: $sets);

        impl<S> $index<S> {
            /// Returns the number of distinct values, each of which has a set of slots. O(1).
            ///
            /// # Examples
            ///
            /// ```
            /// let colours = ["red", "blue", "red"];
            #[doc = concat!("let mut index = stayput::index::", stringify!($index), "::new();")]
            /// for (slot, colour) in (0..).zip(colours) {
            ///     index.insert(colour, slot, |other| colours[other as usize] == colour);
            /// }
            /// assert_eq!((index.len(), index.sets()), (3, 2));
            /// ```
            #[inline]
            pub const fn sets(&self) -> usize {
                self.$field.sets()
            }

            /// Returns an iterator over the slots with the value that a slot was inserted with, including that slot;
            /// empty if it is not in the index. O(1); calls no user code.
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("let mut index = stayput::index::", stringify!($index), "::new();")]
            /// (0..5).for_each(|slot| index.insert(&(slot % 2), slot, |other| other % 2 == slot % 2));
            /// assert_eq!(index.same(3).count(), 2);
            /// assert_eq!(index.same(9).count(), 0);
            /// ```
            pub fn same(&self, slot: u32) -> Slots<'_> {
                self.$field.same(slot)
            }

            /// Returns `true` if a slot is already in its planned set, so that [`commit`](Self::commit) does nothing.
            #[cfg(test)]
            pub(crate) fn is_same(&self, slot: u32, plan: &Plan) -> bool {
                self.$field.is_same(slot, *plan)
            }

            /// Moves a slot from its set, if any, to the planned one. Runs no user code and cannot fail.
            ///
            /// Since the plan was made nothing may have changed, except that the slot may have been removed.
            #[inline]
            pub(crate) fn commit(&mut self, slot: u32, plan: Plan) {
                self.$field.commit(slot, plan);
            }

            /// Asserts that the index is consistent.
            #[cfg(any(test, fuzzing))]
            #[doc(hidden)]
            pub fn check(&self) {
                self.$field.check();
            }
        }

        impl<S: BuildHasher> $index<S> {
            /// Returns an iterator over the slots with a value; `is_meant` returns whether a slot has it. O(1), plus
            /// O(1) per slot returned, if hashes are well distributed.
            ///
            /// # Examples
            ///
            /// ```
            /// let colours = ["red", "blue", "red"];
            #[doc = concat!("let mut index = stayput::index::", stringify!($index), "::new();")]
            /// for (slot, colour) in (0..).zip(colours) {
            ///     index.insert(colour, slot, |other| colours[other as usize] == colour);
            /// }
            /// let mut red: Vec<u32> = index.find("red", |slot| colours[slot as usize] == "red").collect();
            /// red.sort();
            /// assert_eq!(red, [0, 2]);
            /// ```
            #[inline]
            pub fn find<Q: Hash + ?Sized>(
                &self,
                value: &Q,
                is_meant: impl FnMut(u32) -> bool,
            ) -> Slots<'_> {
                self.$field.find(hash32(&self.hasher, value), is_meant)
            }

            /// Returns the number of slots with a value. O(n) in that number.
            ///
            /// # Examples
            ///
            /// ```
            /// let colours = ["red", "blue", "red"];
            #[doc = concat!("let mut index = stayput::index::", stringify!($index), "::new();")]
            /// for (slot, colour) in (0..).zip(colours) {
            ///     index.insert(colour, slot, |other| colours[other as usize] == colour);
            /// }
            /// assert_eq!(index.count("red", |slot| colours[slot as usize] == "red"), 2);
            /// assert_eq!(index.count("green", |slot| colours[slot as usize] == "green"), 0);
            /// ```
            #[inline]
            pub fn count<Q: Hash + ?Sized>(
                &self,
                value: &Q,
                is_meant: impl FnMut(u32) -> bool,
            ) -> usize {
                self.find(value, is_meant).count()
            }

            /// Inserts a slot with its value, or moves it from the set of its old value. O(1) if hashes are well
            /// distributed; enters the kernel when committed memory is used up.
            ///
            /// `is_meant` returns whether another slot has the value. It is not called for `slot`, which may have its
            /// new value already.
            ///
            /// # Panics
            ///
            /// If [`try_insert`](Self::try_insert) returns an error.
            ///
            /// # Examples
            ///
            /// ```
            /// let mut colours = ["red", "blue"];
            #[doc = concat!("let mut index = stayput::index::", stringify!($index), "::new();")]
            /// for (slot, colour) in (0..).zip(colours) {
            ///     index.insert(colour, slot, |other| colours[other as usize] == colour);
            /// }
            /// assert_eq!(index.sets(), 2);
            ///
            /// colours[1] = "red";
            /// index.insert("red", 1, |other| colours[other as usize] == "red"); // moves it
            /// assert_eq!(index.sets(), 1);
            /// ```
            #[track_caller]
            pub fn insert<Q: Hash + ?Sized>(
                &mut self,
                value: &Q,
                slot: u32,
                is_meant: impl FnMut(u32) -> bool,
            ) {
                unwrap_or_panic(self.try_insert(value, slot, is_meant));
            }

            /// Inserts a slot as [`insert`](Self::insert) does, or returns the error.
            ///
            /// # Errors
            ///
            #[doc = $unnumbered]
            /// ([`KeyBits`](crate::ErrorKind::KeyBits)); if the slot is [far](super#far-slots)
            /// ([`FarIndex`](crate::ErrorKind::FarIndex)); or if memory is refused. Nothing has changed then.
            pub fn try_insert<Q: Hash + ?Sized>(
                &mut self,
                value: &Q,
                slot: u32,
                is_meant: impl FnMut(u32) -> bool,
            ) -> Result<(), Error> {
                self.$field.check_slot(slot)?;
                let plan = self.$field.look(hash32(&self.hasher, value), slot, is_meant);
                self.$field.try_reserve(slot, plan)?;
                self.commit(slot, plan);
                Ok(())
            }

            /// Determines where a slot goes, and reserves the memory for it. Nothing observable changes.
            ///
            /// All user code that an insertion needs runs here, and all errors occur here. If the slot is in the index,
            /// `is_meant` is also called for it, to find out whether it may stay where it is.
            ///
            /// # Errors
            ///
            /// As for [`try_insert`](Self::try_insert), except that no slot is far.
            pub(crate) fn plan<Q: Hash + ?Sized>(
                &mut self,
                value: &Q,
                slot: u32,
                mut is_meant: impl FnMut(u32) -> bool,
            ) -> Result<Plan, Error> {
                let mut plan = self.$field.look(hash32(&self.hasher, value), slot, &mut is_meant);
                if plan.has_set() && !plan.is_there && self.contains(slot) {
                    // Otherwise the whole set would have to be searched for the slot.
                    plan.is_there = is_meant(slot);
                }
                self.$field.try_reserve(slot, plan)?;
                Ok(plan)
            }
        }

        debug_fields! {
            [S] $index<S>, stringify!($index), |index| len: index.len(), sets: index.sets()
        }
    };
}
pub(super) use set_methods;
