//! The macro [`indices!`](crate::indices).

/// Declares the indices of a [`Table`](crate::Table).
///
/// Each field is an index: its kind, the type of its values, and an expression that returns the value of a row, by
/// reference or by value.
///
/// | kind | rows with one value | found by |
/// |---|---|---|
/// | `Unique<T>` | at most one | [`find`](crate::Table::find) |
/// | `Many<T>` | any number | [`find_all`](crate::Table::find_all), [`count`](crate::Table::count), [`remove_all`](crate::Table::remove_all) |
/// | `List<T>` | any number, in less memory, slower to iterate over | as `Many<T>` |
/// | `Grid<2, cell = 4.0>`, `Grid<3, cell = 4.0>` | any number, at a position `[f32; 2]` or `[f32; 3]` | [`within`](crate::Table::within), [`in_box`](crate::Table::in_box), [`nearest`](crate::Table::nearest), [`for_each_pair`](crate::Table::for_each_pair) |
///
/// A grid needs the size of its [cells](crate::index::Grid#cells): a literal, the name of a constant, or an expression
/// in braces, of type `f32`. Choose the radius of the most frequent search, or, if radii vary, a size at which a few rows share a
/// cell. A cell ten times too small or too large can make a search ten times slower.
///
/// `T` is `Hash + Eq` and may be unsized, as `str` is. A hasher can be named after it: `Unique<str, FxBuildHasher>`.
/// (The table is `Clone` only if its hashers are.)
///
/// The value of a row is given by the path of a function, or by an expression in the form of a closure, which cannot
/// capture variables. If the body begins with `&`, the `&` applies to the whole expression after it, so a comparison of
/// references must be in parentheses.
///
/// The macro declares a struct that implements [`Default`] and has one field per index, with the given visibility.
/// Several such structs can be declared for the same rows; a table uses one of them. The struct may be generic: each
/// parameter has at most one bound in its declaration, a trait, and further bounds follow in a `where` clause. All
/// parameters must occur in the type of the row.
///
/// Fields cannot have `#[cfg]` attributes. The default `recursion_limit` is enough for 60 fields (40 if functions are
/// named).
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
///     /// Finds files by path and by number.
///     struct FileBy for File {
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
///
/// Indices of generic rows, one of which obtains its value from a method:
///
/// ```
/// use stayput::{Table, indices};
/// use std::hash::Hash;
///
/// struct Tagged<T, const N: usize> {
///     tag: T,
///     data: [u8; N],
/// }
///
/// impl<T, const N: usize> Tagged<T, N> {
///     fn tag(&self) -> &T {
///         &self.tag
///     }
/// }
///
/// indices! {
///     struct TaggedBy<T: Hash, const N: usize> for Tagged<T, N>
///     where
///         T: Eq,
///     {
///         tag: Unique<T> = Tagged::tag,
///         first: Many<u8> = |row| row.data[0],
///     }
/// }
///
/// let mut rows: Table<Tagged<&str, 2>, TaggedBy<&str, 2>> = Table::new();
/// rows.insert(Tagged { tag: "one", data: [1, 0] });
/// assert_eq!(rows.find(|by| &by.tag, &"one").unwrap().1.data, [1, 0]);
/// ```
///
/// A parameter declared with more than one bound, or an operation as the cell size, is rejected:
///
/// ```compile_fail
/// use std::hash::Hash;
/// stayput::indices! { struct By<T: Eq + Hash> for (T, u8) { of: Unique<T> = |row| &row.0, } }
/// ```
/// ```compile_fail
/// stayput::indices! { struct By for [f32; 2] { at: Grid<2, cell = 2.0 * 2.0> = |row| *row, } }
/// ```
///
/// Grids have two or three dimensions:
///
/// ```compile_fail,E0277
/// use stayput::{Table, indices};
///
/// indices! { struct By for [f32; 4] { at: Grid<4, cell = 1.0> = |row| *row, } }
/// let rows: Table<[f32; 4], By> = Table::new();
/// ```
#[macro_export]
macro_rules! indices {
    ($(#[$meta:meta])* $vis:vis struct $by:ident for $row:ty { $($fields:tt)* }) => {
        $crate::__indices! {
            [[$(#[$meta])* $vis struct $by] [] [$by] [$row] [] []] [0] [] $($fields)*
        }
    };
    ($(#[$meta:meta])* $vis:vis struct $by:ident < $($rest:tt)*) => {
        $crate::__indices! { @generics [$(#[$meta])* $vis struct $by] $by [] $($rest)* }
    };
}

/// Parses the generics and fields of [`indices!`](crate::indices) one by one, numbers the fields, and declares the
/// struct.
#[doc(hidden)]
#[macro_export]
macro_rules! __indices {
    // The first `>` that is followed by `for` ends the generics.
    (@generics $head:tt $by:ident [$($generics:tt)*] > for $row:ty { $($fields:tt)* }) => {
        $crate::__indices! { @params $head $by [$row] [] { $($fields)* } [] [] $($generics)* }
    };
    (@generics $head:tt $by:ident $generics:tt > for $row:ty where $($bounds:tt)*) => {
        $crate::__indices! { @bounds $head $by [$row] $generics [] $($bounds)* }
    };
    (@generics $head:tt $by:ident [$($generics:tt)*] >> $($rest:tt)*) => {
        $crate::__indices! { @generics $head $by [$($generics)* >] > $($rest)* }
    };
    (@generics $head:tt $by:ident [$($generics:tt)*] $next:tt $($rest:tt)*) => {
        $crate::__indices! { @generics $head $by [$($generics)* $next] $($rest)* }
    };

    // The last braces enclose the fields.
    (@bounds $head:tt $by:ident $row:tt [$($generics:tt)*] $bounds:tt { $($fields:tt)* }) => {
        $crate::__indices! { @params $head $by $row $bounds { $($fields)* } [] [] $($generics)* }
    };
    (@bounds $head:tt $by:ident $row:tt $generics:tt [$($bounds:tt)*] $next:tt $($rest:tt)*) => {
        $crate::__indices! { @bounds $head $by $row $generics [$($bounds)* $next] $($rest)* }
    };

    // The declaration of each parameter, and its name.
    (
        @params $head:tt $by:ident $row:tt $bounds:tt $fields:tt [$($params:tt)*] [$($names:tt)*]
        const $name:ident: $type:ty $(, $($rest:tt)*)?
    ) => {
        $crate::__indices! {
            @params $head $by $row $bounds $fields
            [$($params)* const $name: $type,] [$($names)* $name,] $($($rest)*)?
        }
    };
    (
        @params $head:tt $by:ident $row:tt $bounds:tt $fields:tt [$($params:tt)*] [$($names:tt)*]
        $name:tt $(: $bound:path)? $(, $($rest:tt)*)?
    ) => {
        $crate::__indices! {
            @params $head $by $row $bounds $fields
            [$($params)* $name $(: $bound)?,] [$($names)* $name,] $($($rest)*)?
        }
    };
    (
        @params $head:tt $by:ident [$row:ty] $bounds:tt { $($fields:tt)* } $params:tt [$($names:tt)*]
    ) => {
        $crate::__indices! {
            // A parameter must also be used outside of the indices, whose type parameter is this struct itself.
            [$head $params [$by<$($names)*>] [$row] $bounds [__row]]
            [0] [] $($fields)*
        }
    };
    (
        @params $head:tt $by:ident $row:tt $bounds:tt $fields:tt $params:tt $names:tt
        $($rest:tt)+
    ) => {
        ::core::compile_error!(::core::concat!(
            "a parameter of `", ::core::stringify!($by), "` has at most one bound in its declaration, a trait, and no \
            default; put further bounds into a `where` clause: `", ::core::stringify!($($rest)+), "`"
        ));
    };

    (
        [$head:tt $params:tt [$by:ty] $($table:tt)*] [$n:expr] [$($done:tt)*]
        $(#[$meta:meta])* $vis:vis $name:ident: Grid<$axes:literal> = $($rest:tt)*
    ) => {
        ::core::compile_error!(::core::concat!(
            "the grid `", ::core::stringify!($name), "` needs the size of its cells, as in `Grid<",
            ::core::stringify!($axes), ", cell = 4.0>`"
        ));
    };
    (
        [$head:tt $params:tt [$by:ty] $($table:tt)*] [$n:expr] [$($done:tt)*]
        $(#[$meta:meta])* $vis:vis $name:ident: Grid<$axes:literal, cell = $cell:tt> = $($rest:tt)*
    ) => {
        $crate::__indices! {
            @value [$head $params [$by] $($table)*] [$n]
            [$($done)* {
                [$(#[$meta])* $vis] $name
                [$crate::table::Grid<$by, { $n }, $axes, { $crate::table::cell_bits($cell) }>]
            }]
            [[::core::primitive::f32; $axes]] $($rest)*
        }
    };
    (
        [$head:tt $params:tt [$by:ty] $($table:tt)*] [$n:expr] [$($done:tt)*]
        $(#[$meta:meta])* $vis:vis $name:ident: Grid<$axes:literal, $($rest:tt)*
    ) => {
        ::core::compile_error!(::core::concat!(
            "the size of the cells of the grid `", ::core::stringify!($name), "` should be a literal, the name of a \
            constant, or an expression in braces, as in `Grid<", ::core::stringify!($axes), ", cell = 4.0>`"
        ));
    };
    (
        [$head:tt $params:tt [$by:ty] $($table:tt)*] [$n:expr] [$($done:tt)*]
        $(#[$meta:meta])* $vis:vis $name:ident: $kind:ident<$key:ty $(, $hasher:ty)?> = $($rest:tt)*
    ) => {
        $crate::__indices! {
            @value [$head $params [$by] $($table)*] [$n]
            [$($done)* {
                [$(#[$meta])* $vis] $name [$crate::table::$kind<$by, { $n } $(, $hasher)?>]
            }]
            [$key] $($rest)*
        }
    };

    // The value of a row: a reference, which may have to be coerced to the borrowed type, or a value.
    (
        @value [$head:tt [$($params:tt)*] [$by:ty] [$row:ty] [$($bounds:tt)*] $extra:tt]
        [$n:expr] $done:tt [$key:ty]
        |$arg:pat_param| & $value:expr $(, $($rest:tt)*)?
    ) => {
        impl<$($params)*> $crate::table::Extract<{ $n }> for $by
        where
            $($bounds)*
        {
            type Row = $row;
            type Key = $key;

            #[inline]
            #[allow(refining_impl_trait)]
            fn extract<'__row>($arg: &'__row $row) -> &'__row $key {
                &$value
            }
        }
        $crate::__indices! {
            [$head [$($params)*] [$by] [$row] [$($bounds)*] $extra] [$n + 1] $done $($($rest)*)?
        }
    };
    (
        @value [$head:tt [$($params:tt)*] [$by:ty] [$row:ty] [$($bounds:tt)*] $extra:tt]
        [$n:expr] $done:tt [$key:ty]
        |$arg:pat_param| $value:expr $(, $($rest:tt)*)?
    ) => {
        impl<$($params)*> $crate::table::Extract<{ $n }> for $by
        where
            $($bounds)*
        {
            type Row = $row;
            type Key = $key;

            #[inline]
            fn extract($arg: &$row) -> impl ::core::borrow::Borrow<$key> {
                $value
            }
        }
        $crate::__indices! {
            [$head [$($params)*] [$by] [$row] [$($bounds)*] $extra] [$n + 1] $done $($($rest)*)?
        }
    };
    // The path of a function. It is matched as an expression because `<A as B>::c` does not match `path` here.
    (@value $table:tt $n:tt $done:tt $key:tt $function:expr $(, $($rest:tt)*)?) => {
        $crate::__indices! { @value $table $n $done $key |__row| $function(__row) $(, $($rest)*)? }
    };

    (
        [[$($head:tt)*] [$($params:tt)*] [$by:ty] [$row:ty] [$($bounds:tt)*] [$($extra:ident)?]]
        $n:tt
        [$({ [$($field:tt)*] $name:ident [$($index:tt)*] })*]
    ) => {
        $($head)*<$($params)*>
        where
            $($bounds)*
        {
            $($($field)* $name: $($index)*,)*
            $(#[doc(hidden)] $extra: ::core::marker::PhantomData<fn() -> $row>,)?
        }

        impl<$($params)*> ::core::default::Default for $by
        where
            $($bounds)*
        {
            fn default() -> Self {
                Self {
                    $($name: ::core::default::Default::default(),)*
                    $($extra: ::core::marker::PhantomData,)?
                }
            }
        }

        impl<$($params)*> ::core::fmt::Debug for $by
        where
            $($bounds)*
        {
            fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                __f.debug_struct(::core::stringify!($by))
                    $(.field(::core::stringify!($name), &self.$name))*
                    .finish()
            }
        }

        // The lifetime defers the check of the bound to its use, so that hashers need not be `Clone`.
        impl<$($params)*> $crate::table::TryClone for $by
        where
            $(for<'__asked> $($index)*: $crate::table::TryClone,)*
            $($bounds)*
        {
            fn try_clone(&self) -> ::core::result::Result<Self, $crate::Error> {
                ::core::result::Result::Ok(Self {
                    $($name: $crate::table::TryClone::try_clone(&self.$name)?,)*
                    $($extra: self.$extra,)?
                })
            }
        }

        impl<$($params)*> $crate::table::Indices for $by
        where
            $($bounds)*
        {
            type Part = $row;

            const NAMES: &'static [&'static ::core::primitive::str] = &[$(::core::stringify!($name)),*];

            #[inline]
            fn each<__Visitor: $crate::table::Visit<Self::Part>>(
                &self,
                __visitor: &mut __Visitor,
            ) -> ::core::result::Result<(), $crate::Error> {
                $(__visitor.visit(&self.$name)?;)*
                ::core::result::Result::Ok(())
            }

            #[inline]
            fn each_mut<__Visitor: $crate::table::VisitMut<Self::Part>>(
                &mut self,
                __visitor: &mut __Visitor,
            ) -> ::core::result::Result<(), $crate::Error> {
                $(__visitor.visit(&mut self.$name)?;)*
                ::core::result::Result::Ok(())
            }
        }
    };

    ([$($table:tt)*] [$n:expr] [$($done:tt)*] $($rest:tt)+) => {
        ::core::compile_error!(::core::concat!(
            "expected an index, as in `name: Unique<str> = |row| &row.name`, found `",
            ::core::stringify!($($rest)+), "`"
        ));
    };
}
