//! [`indices!`](crate::indices).

/// Declares what the rows of a [`Table`](crate::Table) are found by.
///
/// Each field is an index: its kind, the type of the values, and how one is taken out of a row. What is returned is a
/// reference into the row, or a value.
///
/// | kind | rows that have a value | found by |
/// |---|---|---|
/// | `Unique<T>` | one at most | [`find`](crate::Table::find) |
/// | `Many<T>` | any number | [`find_all`](crate::Table::find_all), [`count`](crate::Table::count), [`remove_all`](crate::Table::remove_all) |
/// | `List<T>` | the same, in less memory, slower to go over | the same |
/// | `Grid<2, cell = 4.0>`, `Grid<3, cell = 4.0>` | any number, which are at a position `[f32; 2]` or `[f32; 3]` | [`within`](crate::Table::within), [`in_box`](crate::Table::in_box), [`nearest`](crate::Table::nearest), [`for_each_pair`](crate::Table::for_each_pair) |
///
/// A grid needs the size of its [cells](crate::index::Grid#cells): a literal, a constant, or an expression in braces, of type
/// `f32`. Choose the radius of the most frequent search, or, where radii vary, a size at which a few rows share a cell.
/// A cell ten times too small or too large can make a search ten times slower.
///
/// `T` is `Hash + Eq`, and may be unsized, as `str` is; behind it a hasher can be named: `Unique<str, FxBuildHasher>`. (With one
/// that is not `Clone`, a table is not either.) What takes a value out is code of the form of a closure, but
/// can't use anything around it.
///
/// If it begins with `&`, the whole of it is the reference: put a comparison of references in parentheses. No field can have
/// `#[cfg]`, rows have no parameters but those that they are named with, and there are up to 60 fields.
///
/// It makes a struct, which is [`Default`], with one field for each, as public as is said. More of them can be declared for the
/// same rows; a table has one.
///
/// # Examples
///
/// ```
/// use stayput::{Table, indices};
///
/// struct File {
///     path: String,
///     number: u64,
/// }
///
/// indices! {
///     /// Files are found by their paths, and by their numbers.
///     pub(crate) struct FileBy for File {
///         path: Unique<str> = |file| &file.path,
///         number: Unique<u64> = |file| file.number,
///     }
/// }
///
/// let mut files: Table<File, FileBy> = Table::new();
/// let key = files.insert(File { path: "/etc/fstab".to_owned(), number: 7 });
/// assert_eq!(files.find(|by| &by.number, &7).unwrap().0, key);
/// assert_eq!(files.find(|by| &by.path, "/etc/fstab").unwrap().0, key);
/// ```
#[macro_export]
macro_rules! indices {
    ($(#[$meta:meta])* $vis:vis struct $by:ident for $row:ty { $($fields:tt)* }) => {
        $crate::__indices! { [$(#[$meta])* $vis struct $by] $by [$row] [0] [] $($fields)* }
    };
}

/// Takes the fields of [`indices!`](crate::indices) one by one, numbers them, and then declares them.
#[doc(hidden)]
#[macro_export]
macro_rules! __indices {
    (
        $head:tt $by:ident $row:tt [$n:expr] [$($done:tt)*]
        $(#[$meta:meta])* $vis:vis $name:ident: Grid<$axes:literal> = $($rest:tt)*
    ) => {
        ::core::compile_error!(::core::concat!(
            "the grid `", ::core::stringify!($name), "` needs the size of its cells, as in `Grid<",
            ::core::stringify!($axes), ", cell = 4.0>`"
        ));
    };
    (
        $head:tt $by:ident $row:tt [$n:expr] [$($done:tt)*]
        $(#[$meta:meta])* $vis:vis $name:ident: Grid<$axes:literal, cell = $cell:tt> = $($rest:tt)*
    ) => {
        $crate::__indices! {
            @value $head $by $row [$n]
            [$($done)* {
                [$(#[$meta])* $vis] $name
                [$crate::table::Grid<$by, { $n }, $axes, { $crate::table::cell_bits($cell) }>]
            }]
            [[f32; $axes]] $($rest)*
        }
    };
    (
        $head:tt $by:ident $row:tt [$n:expr] [$($done:tt)*]
        $(#[$meta:meta])* $vis:vis $name:ident: $kind:ident<$key:ty $(, $hasher:ty)?> = $($rest:tt)*
    ) => {
        $crate::__indices! {
            @value $head $by $row [$n]
            [$($done)* {
                [$(#[$meta])* $vis] $name [$crate::table::$kind<$by, { $n } $(, $hasher)?>]
            }]
            [$key] $($rest)*
        }
    };

    // What is taken out of a row: a reference that may have to be coerced, to what is borrowed of it, or a value.
    (
        @value $head:tt $by:ident [$row:ty] [$n:expr] $done:tt [$key:ty]
        |$arg:pat_param| & $value:expr $(, $($rest:tt)*)?
    ) => {
        impl $crate::table::Extract<{ $n }> for $by {
            type Row = $row;
            type Key = $key;

            #[inline]
            #[allow(refining_impl_trait)]
            fn extract($arg: &$row) -> &$key {
                &$value
            }
        }
        $crate::__indices! { $head $by [$row] [$n + 1] $done $($($rest)*)? }
    };
    (
        @value $head:tt $by:ident [$row:ty] [$n:expr] $done:tt [$key:ty]
        |$arg:pat_param| $value:expr $(, $($rest:tt)*)?
    ) => {
        impl $crate::table::Extract<{ $n }> for $by {
            type Row = $row;
            type Key = $key;

            #[inline]
            fn extract($arg: &$row) -> impl ::core::borrow::Borrow<$key> {
                $value
            }
        }
        $crate::__indices! { $head $by [$row] [$n + 1] $done $($($rest)*)? }
    };

    (
        [$($head:tt)*] $by:ident [$row:ty] $n:tt
        [$({ [$($field:tt)*] $name:ident [$($index:tt)*] })*]
    ) => {
        #[derive(::core::fmt::Debug, ::core::default::Default)]
        $($head)* {
            $($($field)* $name: $($index)*,)*
        }

        // Of any lifetime, so that it is asked where it matters: a hasher that is not `Clone` is no error here.
        impl $crate::table::TryClone for $by
        where
            $(for<'asked> $($index)*: $crate::table::TryClone,)*
        {
            fn try_clone(&self) -> ::core::result::Result<Self, $crate::Error> {
                ::core::result::Result::Ok(Self {
                    $($name: $crate::table::TryClone::try_clone(&self.$name)?,)*
                })
            }
        }

        impl $crate::table::Indices for $by {
            type Part = $row;

            const NAMES: &'static [&'static str] = &[$(::core::stringify!($name)),*];

            #[inline]
            fn each<StayputVisitor: $crate::table::Visit<Self::Part>>(
                &self,
                visitor: &mut StayputVisitor,
            ) -> ::core::result::Result<(), $crate::Error> {
                $(visitor.visit(&self.$name)?;)*
                ::core::result::Result::Ok(())
            }

            #[inline]
            fn each_mut<StayputVisitor: $crate::table::VisitMut<Self::Part>>(
                &mut self,
                visitor: &mut StayputVisitor,
            ) -> ::core::result::Result<(), $crate::Error> {
                $(visitor.visit(&mut self.$name)?;)*
                ::core::result::Result::Ok(())
            }
        }
    };
}
