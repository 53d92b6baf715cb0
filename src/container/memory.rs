//! Methods that take memory and give it back, which all containers have by the same names.
//!
//! Each macro writes the public methods over a private one of the container, with the name of what it holds in the
//! documentation. What a container has to add to that is passed as doc comments.

/// `reserve` and `try_reserve`, over `make_room_for(additional, amount)`, by `&mut self` or, where threads share the container, `&self`.
macro_rules! reserve_methods {
    (&$($mut:ident)?, $things:literal; $(#[$about:meta])+) => {
        #[doc = concat!("Reserves memory for `additional` more ", $things, ", and possibly more, by the growth policy.")]
        ///
        $(#[$about])+
        ///
        /// # Panics
        ///
        /// If [`try_reserve`](Self::try_reserve) returns an error.
        #[inline]
        #[track_caller]
        pub fn reserve(&$($mut)? self, additional: usize) {
            $crate::error::or_give_up(self.try_reserve(additional));
        }

        /// [`reserve`](Self::reserve), or the error; then nothing has changed.
        ///
        /// # Errors
        ///
        /// In a map, if its keys cannot index all the slots ([`KeyBits`](crate::ErrorKind::KeyBits)); if all that it then holds
        /// would be more than `isize::MAX` bytes, or, if its elements have none, more than `usize::MAX` elements
        /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)); if the maximum would be exceeded
        /// ([`MaxLen`](crate::ErrorKind::MaxLen)); or if the system, or for the first memory the program's allocator,
        /// refuses. A container that threads share also returns [`Busy`](crate::ErrorKind::Busy) if the call comes out of
        /// one that takes memory for it.
        #[inline]
        pub fn try_reserve(&$($mut)? self, additional: usize) -> Result<(), $crate::error::Error> {
            self.make_room_for(additional, $crate::growing::Amount::AtLeast)
        }
    };
}
pub(crate) use reserve_methods;

/// `reserve_exact` and `try_reserve_exact`, over `make_room_for(additional, amount)`.
macro_rules! reserve_exact_methods {
    ($things:literal $(; $(#[$about:meta])+)?) => {
        #[doc = concat!("Reserves memory for `additional` more ", $things, ", rounded up to whole pages or blocks.")]
        ///
        /// # Panics
        ///
        /// If [`try_reserve`](Self::try_reserve) returns an error.
        $(
            ///
            $(#[$about])+
        )?
        #[inline]
        #[track_caller]
        pub fn reserve_exact(&mut self, additional: usize) {
            $crate::error::or_give_up(self.try_reserve_exact(additional));
        }

        /// [`reserve_exact`](Self::reserve_exact), or the error.
        ///
        /// # Errors
        ///
        /// As for [`try_reserve`](Self::try_reserve).
        #[inline]
        pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), $crate::error::Error> {
            self.make_room_for(additional, $crate::growing::Amount::Exact)
        }
    };
}
pub(crate) use reserve_exact_methods;

/// `prefault` and `try_prefault`, over `prefault_room(additional)`.
macro_rules! prefault_methods {
    (&$($mut:ident)?, $things:literal $(; $(#[$about:meta])+)?) => {
        #[doc = concat!("Reserves memory for `additional` more ", $things, ", as [`reserve`](Self::reserve) does, and makes its")]
        /// pages resident now, so that filling it takes no page fault.
        ///
        /// Enters the kernel; linear in the pages: about 0.5 ms a MiB, 0.15 in huge pages.
        $(
            ///
            $(#[$about])+
        )?
        ///
        /// # Panics
        ///
        /// If [`try_prefault`](Self::try_prefault) returns an error.
        #[track_caller]
        pub fn prefault(&$($mut)? self, additional: usize) {
            $crate::error::or_give_up(self.try_prefault(additional));
        }

        /// [`prefault`](Self::prefault), or the error. There may be more room then.
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

/// `shrink_to_fit`, `try_shrink_to_fit` and `shrink_to_fit_within`, over `shrink_within(budget)`.
macro_rules! shrink_methods {
    ($(#[$about:meta])+) => {
        $(#[$about])+
        pub fn shrink_to_fit(&mut self) {
            // The one refusal is that of a process at its limit of mappings; it costs only memory.
            let _ = self.try_shrink_to_fit();
        }

        /// [`shrink_to_fit`](Self::shrink_to_fit), or the error.
        ///
        /// # Errors
        ///
        /// If the system refuses ([`MappingLimit`](crate::ErrorKind::MappingLimit)), or if memory to
        /// keep account of it cannot be had. The contents have not changed then, and memory stays, in whole or in part.
        pub fn try_shrink_to_fit(&mut self) -> Result<(), $crate::error::Error> {
            self.shrink_within($crate::growing::Budget::UNLIMITED).map(drop)
        }

        /// [`shrink_to_fit`](Self::shrink_to_fit), but no more of it than a budget allows, so that it can be spread over
        /// frames: call it again until it [is done](crate::GivenBack::is_done).
        ///
        /// # Errors
        ///
        /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit). What was given back before is.
        pub fn shrink_to_fit_within(
            &mut self,
            budget: $crate::growing::Budget,
        ) -> Result<$crate::growing::GivenBack, $crate::error::Error> {
            self.shrink_within(budget)
        }
    };
}
pub(crate) use shrink_methods;
