//! Constructors by an option of the builder.

/// Defines one and its fallible form, by their names and that of the option; documentation of the first comes before and
/// after.
macro_rules! constructors {
    (
        $(#[$about:meta])+
        $with:ident, $try_with:ident, $option:ident $(; $(#[$example:meta])+)?
    ) => {
        $(#[$about])+
        ///
        /// # Panics
        ///
        #[doc = concat!("If [`", stringify!($try_with), "`](Self::", stringify!($try_with), ") returns an error.")]
        $(
            ///
            $(#[$example])+
        )?
        #[must_use]
        #[track_caller]
        pub fn $with($option: usize) -> Self {
            Self::builder().$option($option).build()
        }

        #[doc = concat!("[`", stringify!($with), "`](Self::", stringify!($with), "), or the error.")]
        ///
        /// # Errors
        ///
        /// As for `try_build` of the [`builder`](Self::builder).
        pub fn $try_with($option: usize) -> Result<Self, $crate::error::Error> {
            Self::builder().$option($option).try_build()
        }
    };
}
pub(crate) use constructors;
