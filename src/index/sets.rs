//! The methods that [`SetIndex`](super::SetIndex) and [`ListIndex`](super::ListIndex) have in common.

#![forbid(unsafe_code)]

/// Defines the methods of an index by its field of sets, the type of those, and a sentence that says which slots have no
/// number.
macro_rules! set_methods {
    ($index:ident, $field:ident: $sets:ident, $unnumbered:literal) => {
        $crate::index::hashed::hashed_methods!($index, $field: $sets);

        impl<S> $index<S> {
            /// Returns the number of values, each of which has a set of slots. O(1).
            #[inline]
            pub const fn sets(&self) -> usize {
                self.$field.sets()
            }

            /// Returns all slots with the value that a slot was inserted with, including it; none if it is not in the index.
            /// O(1); no value is looked at.
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

            /// Returns whether a slot is where it is to go, so that [`commit`](Self::commit) does nothing.
            #[cfg(test)]
            pub(crate) fn is_same(&self, slot: u32, plan: &Plan) -> bool {
                self.$field.is_same(slot, *plan)
            }

            /// Moves a slot to where a plan for it says, from the set that it is in, if any. Runs no user code and
            /// cannot fail.
            ///
            /// Since that plan nothing may have changed, except that the slot may have been removed.
            #[inline]
            pub(crate) fn commit(&mut self, slot: u32, plan: Plan) {
                self.$field.commit(slot, plan);
            }

            /// Asserts that nothing is lost.
            #[cfg(any(test, fuzzing))]
            #[doc(hidden)]
            pub fn check(&self) {
                self.$field.check();
            }
        }

        impl<S: BuildHasher> $index<S> {
            /// Returns all slots of a value; `is_meant` returns whether a slot has it. O(1) if hashes are well
            /// distributed, and for each slot returned.
            #[inline]
            pub fn find<Q: Hash + ?Sized>(
                &self,
                value: &Q,
                is_meant: impl FnMut(u32) -> bool,
            ) -> Slots<'_> {
                self.$field.find(hash32(&self.hasher, value), is_meant)
            }

            /// Returns the number of slots of a value. Linear in them.
            #[inline]
            pub fn count<Q: Hash + ?Sized>(
                &self,
                value: &Q,
                is_meant: impl FnMut(u32) -> bool,
            ) -> usize {
                self.find(value, is_meant).count()
            }

            /// Inserts the slot of a value, or moves it from the set of another value. O(1) if hashes are well
            /// distributed; enters the kernel when committed memory is used up.
            ///
            /// `is_meant` returns whether another slot has the value. It is not called with this one, which may have its
            /// new value already.
            ///
            /// # Panics
            ///
            /// Where [`try_insert`](Self::try_insert) has an error.
            #[track_caller]
            pub fn insert<Q: Hash + ?Sized>(
                &mut self,
                value: &Q,
                slot: u32,
                is_meant: impl FnMut(u32) -> bool,
            ) {
                or_give_up(self.try_insert(value, slot, is_meant));
            }

            /// [`insert`](Self::insert), or the error.
            ///
            /// # Errors
            ///
            #[doc = $unnumbered]
            /// ([`KeyBits`](crate::ErrorKind::KeyBits)); if the slot is [far](super#far-slots)
            /// ([`FarIndex`](crate::ErrorKind::FarIndex)); or if the system refuses memory. Nothing has changed then.
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

            /// Finds where the slot of a value is to go, and reserves memory for that. Nothing observable changes.
            ///
            /// All user code that an insertion needs runs here, and all errors arise here. If the slot is in the index,
            /// `is_meant` is called with it as well, to find out whether it may stay where it is.
            ///
            /// # Errors
            ///
            /// As for [`try_insert`](Self::try_insert), but no slot is far.
            pub(crate) fn plan<Q: Hash + ?Sized>(
                &mut self,
                value: &Q,
                slot: u32,
                mut is_meant: impl FnMut(u32) -> bool,
            ) -> Result<Plan, Error> {
                let mut plan = self.$field.look(hash32(&self.hasher, value), slot, &mut is_meant);
                if plan.has_set() && !plan.is_there && self.contains(slot) {
                    // Whether both are in one set cannot be told without iterating over it.
                    plan.is_there = is_meant(slot);
                }
                self.$field.try_reserve(slot, plan)?;
                Ok(plan)
            }
        }

        impl<S> fmt::Debug for $index<S> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($index))
                    .field("len", &self.len())
                    .field("sets", &self.sets())
                    .finish_non_exhaustive()
            }
        }
    };
}
pub(super) use set_methods;
