//! Macros for the methods that reserve and return memory, which all containers have by the same names.
//!
//! Each macro defines public methods over a private one of the container, and is passed what the container holds, as a
//! word for the documentation, and doc comments to add.

/// Defines `reserve` and `try_reserve` over `make_room_for(additional, amount)`, with `&mut self`, or with `&self` for
/// a container that threads share.
macro_rules! reserve_methods {
    (&$($mut:ident)?, $things:literal; $(#[$about:meta])+ $(; $(#[$example:meta])+)?) => {
        #[doc = concat!("Reserves memory for `additional` more ", $things, ", and possibly more, by the growth")]
        /// policy.
        ///
        $(#[$about])+
        ///
        /// # Panics
        ///
        /// If [`try_reserve`](Self::try_reserve) returns an error.
        $(
            ///
            $(#[$example])+
        )?
        #[inline]
        #[track_caller]
        pub fn reserve(&$($mut)? self, additional: usize) {
            $crate::error::unwrap_or_panic(self.try_reserve(additional));
        }

        /// Like [`reserve`](Self::reserve), but returns an error instead of panicking. After an error the
        /// contents are unchanged. A container of several arrays, such as a map or a table, may keep memory that some of
        /// them took before the refusal.
        ///
        /// # Errors
        ///
        /// In a map, if its keys cannot index all the slots ([`KeyBits`](crate::ErrorKind::KeyBits)); if the contents
        /// would exceed `isize::MAX` bytes, or `usize::MAX` elements of size zero
        /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)); if the maximum would be exceeded
        /// ([`MaxLen`](crate::ErrorKind::MaxLen)); or if the system, or for the first memory the program's allocator,
        /// refuses. A container that threads share also returns [`Busy`](crate::ErrorKind::Busy) for a re-entrant call
        /// while it grows.
        #[inline]
        #[cfg_attr(debug_assertions, track_caller)]
        pub fn try_reserve(&$($mut)? self, additional: usize) -> Result<(), $crate::error::Error> {
            self.make_room_for(additional, $crate::growing::Amount::AtLeast)
        }
    };
}
pub(crate) use reserve_methods;

/// Defines `reserve_exact` and `try_reserve_exact` over `make_room_for(additional, amount)`.
macro_rules! reserve_exact_methods {
    ($things:literal $(; $(#[$about:meta])+)?) => {
        #[doc = concat!("Reserves memory for `additional` more ", $things, ", rounded up to whole pages or blocks.")]
        ///
        /// # Panics
        ///
        /// If [`try_reserve_exact`](Self::try_reserve_exact) returns an error.
        $(
            ///
            $(#[$about])+
        )?
        #[inline]
        #[track_caller]
        pub fn reserve_exact(&mut self, additional: usize) {
            $crate::error::unwrap_or_panic(self.try_reserve_exact(additional));
        }

        /// Like [`reserve_exact`](Self::reserve_exact), but returns an error instead of panicking.
        ///
        /// # Errors
        ///
        /// As for [`try_reserve`](Self::try_reserve).
        #[inline]
        #[cfg_attr(debug_assertions, track_caller)]
        pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), $crate::error::Error> {
            self.make_room_for(additional, $crate::growing::Amount::Exact)
        }
    };
}
pub(crate) use reserve_exact_methods;

/// Defines `prefault` and `try_prefault` over `prefault_room(additional)`.
macro_rules! prefault_methods {
    (
        &$($mut:ident)?, $things:literal
        $(; $(#[$about:meta])+ $(; $(#[$example:meta])+)?)?
    ) => {
        #[doc = concat!("Reserves memory for `additional` more ", $things, ", as [`reserve`](Self::reserve) does,")]
        /// and makes its pages resident, so that filling it takes no page faults.
        ///
        /// Takes about 0.35 ms per MiB, or 0.1 ms with huge pages.
        $(
            ///
            $(#[$about])+
        )?
        ///
        /// # Panics
        ///
        /// If [`try_prefault`](Self::try_prefault) returns an error.
        $($(
            ///
            $(#[$example])+
        )?)?
        #[track_caller]
        pub fn prefault(&$($mut)? self, additional: usize) {
            $crate::error::unwrap_or_panic(self.try_prefault(additional));
        }

        /// Like [`prefault`](Self::prefault), but returns an error instead of panicking. The capacity may have grown
        /// despite an error.
        ///
        /// # Errors
        ///
        /// As for [`try_reserve`](Self::try_reserve).
        pub fn try_prefault(&$($mut)? self, additional: usize) -> Result<(), $crate::error::Error> {
            self.prefault_room(additional)
        }
    };
}
pub(crate) use prefault_methods;

/// Defines `shrink_to_fit`, `try_shrink_to_fit` and `shrink_to_fit_within` over `shrink_within(budget)`.
macro_rules! shrink_methods {
    ($(#[$about:meta])+) => {
        $(#[$about])+
        pub fn shrink_to_fit(&mut self) {
            // An error, such as the process's limit of mappings, leaves memory committed and has no other effect.
            let _ = self.try_shrink_to_fit();
        }

        /// Like [`shrink_to_fit`](Self::shrink_to_fit), but returns the error.
        ///
        /// # Errors
        ///
        /// If the system refuses ([`MappingLimit`](crate::ErrorKind::MappingLimit)), or memory for bookkeeping is
        /// refused. The contents are unchanged, and some or all of the memory stays committed.
        pub fn try_shrink_to_fit(&mut self) -> Result<(), $crate::error::Error> {
            self.shrink_within($crate::growing::Budget::UNLIMITED).map(drop)
        }

        /// Like [`shrink_to_fit`](Self::shrink_to_fit), but returns no more memory than a budget allows, to spread the
        /// work over frames. Call it again until it [is done](crate::GivenBack::is_done).
        ///
        /// # Errors
        ///
        /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit). Memory that was already returned stays returned.
        pub fn shrink_to_fit_within(
            &mut self,
            budget: $crate::growing::Budget,
        ) -> Result<$crate::growing::GivenBack, $crate::error::Error> {
            self.shrink_within(budget)
        }
    };
}
pub(crate) use shrink_methods;
