//! Constructors that set one option of the builder.

/// Defines a constructor and its fallible form, given their names and the name of the option. Documentation of the
/// constructor can be added before and after.
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

        #[doc = concat!("Like [`", stringify!($with), "`](Self::", stringify!($with), "), but returns an error instead")]
        /// of panicking.
        ///
        /// # Errors
        ///
        /// As for `try_build` of the [`builder`](Self::builder).
        #[cfg_attr(debug_assertions, track_caller)]
        pub fn $try_with($option: usize) -> Result<Self, $crate::error::Error> {
            Self::builder().$option($option).try_build()
        }
    };
}
pub(crate) use constructors;
