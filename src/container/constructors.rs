//! Constructors that all containers have, over `builder`.

/// `with_capacity` and `try_with_capacity`.
macro_rules! capacity_constructors {
    ($container:literal of $things:literal) => {
        #[doc = concat!("Returns an empty ", $container, " with memory committed for `capacity` ", $things, ".")]
        ///
        /// # Panics
        ///
        /// If [`try_with_capacity`](Self::try_with_capacity) returns an error.
        #[must_use]
        #[track_caller]
        pub fn with_capacity(capacity: usize) -> Self {
            Self::builder().capacity(capacity).build()
        }

        /// [`with_capacity`](Self::with_capacity), or the error.
        ///
        /// # Errors
        ///
        /// As for `try_build` of the [`builder`](Self::builder).
        pub fn try_with_capacity(capacity: usize) -> Result<Self, $crate::error::Error> {
            Self::builder().capacity(capacity).try_build()
        }
    };
}
pub(crate) use capacity_constructors;

/// `with_max_len` and `try_with_max_len`.
macro_rules! max_len_constructors {
    ($container:literal of $things:literal, $reserves:literal; $(#[$example:meta])+) => {
        #[doc = concat!("Returns an empty ", $container, " that can hold `max_len` ", $things, " and no more. ", $reserves)]
        ///
        /// # Panics
        ///
        /// If [`try_with_max_len`](Self::try_with_max_len) returns an error.
        ///
        $(#[$example])+
        #[must_use]
        #[track_caller]
        pub fn with_max_len(max_len: usize) -> Self {
            Self::builder().max_len(max_len).build()
        }

        /// [`with_max_len`](Self::with_max_len), or the error.
        ///
        /// # Errors
        ///
        /// As for `try_build` of the [`builder`](Self::builder).
        pub fn try_with_max_len(max_len: usize) -> Result<Self, $crate::error::Error> {
            Self::builder().max_len(max_len).try_build()
        }
    };
}
pub(crate) use max_len_constructors;
