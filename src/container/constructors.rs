//! Constructors that all containers have, over `builder`.

/// `with_capacity` and `try_with_capacity`, or the same by other names.
macro_rules! capacity_constructors {
    ($container:literal of $things:literal) => {
        $crate::container::capacity_constructors! {
            with_capacity, try_with_capacity: $container of $things
        }
    };
    ($with:ident, $try_with:ident: $container:literal of $things:literal) => {
        #[doc = concat!("Returns an empty ", $container, " with memory committed for `capacity` ", $things, ".")]
        ///
        /// # Panics
        ///
        #[doc = concat!("If [`", stringify!($try_with), "`](Self::", stringify!($try_with), ") returns an error.")]
        #[must_use]
        #[track_caller]
        pub fn $with(capacity: usize) -> Self {
            Self::builder().capacity(capacity).build()
        }

        #[doc = concat!("[`", stringify!($with), "`](Self::", stringify!($with), "), or the error.")]
        ///
        /// # Errors
        ///
        /// As for `try_build` of the [`builder`](Self::builder).
        pub fn $try_with(capacity: usize) -> Result<Self, $crate::error::Error> {
            Self::builder().capacity(capacity).try_build()
        }
    };
}
pub(crate) use capacity_constructors;

/// `with_max_len` and `try_with_max_len`, or the same by other names.
macro_rules! max_len_constructors {
    ($container:literal of $things:literal, $reserves:literal; $(#[$example:meta])+) => {
        $crate::container::max_len_constructors! {
            with_max_len, try_with_max_len: $container of $things, $reserves;
            $(#[$example])+
        }
    };
    (
        $with:ident, $try_with:ident: $container:literal of $things:literal, $reserves:literal;
        $(#[$example:meta])*
    ) => {
        #[doc = concat!("Returns an empty ", $container, " that can hold `max_len` ", $things, " and no more. ", $reserves)]
        ///
        /// # Panics
        ///
        #[doc = concat!("If [`", stringify!($try_with), "`](Self::", stringify!($try_with), ") returns an error.")]
        ///
        $(#[$example])*
        #[must_use]
        #[track_caller]
        pub fn $with(max_len: usize) -> Self {
            Self::builder().max_len(max_len).build()
        }

        #[doc = concat!("[`", stringify!($with), "`](Self::", stringify!($with), "), or the error.")]
        ///
        /// # Errors
        ///
        /// As for `try_build` of the [`builder`](Self::builder).
        pub fn $try_with(max_len: usize) -> Result<Self, $crate::error::Error> {
            Self::builder().max_len(max_len).try_build()
        }
    };
}
pub(crate) use max_len_constructors;
