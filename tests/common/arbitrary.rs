/// Defines types, such as those of operations, and how `arbitrary` makes them of bytes. A struct is made of its fields;
/// an enum of a `u32`, which selects a variant, each with equal probability, and of the fields of that variant.
///
/// `#[derive(Arbitrary)]` takes the same bytes, but is a procedural macro, which has to be built, and expanded in each
/// program.
///
/// A type derives `Clone`, `Copy` and `Debug`, unless it begins with another `#[derive(…)]`.
#[allow(unused_macros, reason = "the code that uses it depends on features")]
macro_rules! arbitrary {
    () => {};
    (#[derive $traits:tt] $($items:tt)*) => { arbitrary! { @ $traits $($items)* } };
    (@ $traits:tt $(#[$meta:meta])* $vis:vis struct $name:ident($($field_vis:vis $field:ty),*);
        $($rest:tt)*
    ) => {
        #[derive $traits]
        $(#[$meta])* $vis struct $name($($field_vis $field),*);
        arbitrary! { @impl [] $name |bytes| Ok(Self($(bytes.arbitrary::<$field>()?),*)) }
        arbitrary! { $($rest)* }
    };
    (@ $traits:tt $(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty),* $(,)?
    } $($rest:tt)*) => {
        #[derive $traits]
        $(#[$meta])* $vis struct $name { $($(#[$field_meta])* $field_vis $field: $type),* }
        arbitrary! { @impl [] $name |bytes| Ok(Self { $($field: bytes.arbitrary()?),* }) }
        arbitrary! { $($rest)* }
    };
    (@ $traits:tt $(#[$meta:meta])* $vis:vis enum $name:ident $(<$T:ident>)? {
        $($(#[$variant_meta:meta])* $variant:ident $(($($field:ty),*))?),* $(,)?
    } $($rest:tt)*) => {
        #[derive $traits]
        $(#[$meta])* $vis enum $name $(<$T>)? {
            $($(#[$variant_meta])* $variant $(($($field),*))?),*
        }
        arbitrary! { @impl [$($T)?] $name |bytes| {
            // In a table, so that variants are numbered without those that features exclude.
            #[allow(unused_variables, unused_doc_comments, reason = "some variants have no fields, some a comment")]
            let variants: &[fn(&mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self>] = &[
                $($(#[$variant_meta])* |bytes| Ok(Self::$variant $(($(bytes.arbitrary::<$field>()?),*))?)),*
            ];
            let number = u64::from(bytes.arbitrary::<u32>()?) * variants.len() as u64;
            variants[usize::try_from(number >> 32).expect("it is below the number of variants")](bytes)
        } }
        arbitrary! { $($rest)* }
    };
    (@impl [$($T:ident)?] $name:ident |$bytes:ident| $made:expr) => {
        impl<'a, $($T: arbitrary::Arbitrary<'a>)?> arbitrary::Arbitrary<'a> for $name<$($T)?> {
            fn arbitrary($bytes: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
                $made
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis $kind:ident $($items:tt)*) => {
        arbitrary! { @ (Clone, Copy, Debug) $(#[$meta])* $vis $kind $($items)* }
    };
}
