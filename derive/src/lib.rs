//! The derive macro [`Row`](macro@Row) of the crate `stayput`, re-exported by its feature `derive`.

#![forbid(unsafe_code)]

mod companion;
mod input;
mod kind;
mod row;

use companion::Companion;
use input::Options;
use kind::Kind;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result, parse_macro_input};

/// Implements the trait `Row` for a struct, so that it can be a row of `Columns`.
///
/// The struct can have one to 32 fields, named or unnamed, and can be generic. Each field becomes a column. The macro
/// declares four more structs of the same visibility. Their fields have the names, the visibility, the documentation
/// and the `#[doc(hidden)]` of the struct's fields:
///
/// | struct | type of the field for an `A` | contents | option to rename it |
/// |---|---|---|---|
/// | `NameRef<'_>` | `&A` | a row, by shared references | `reference` |
/// | `NameMut<'_>` | `&mut A` | a row, by mutable references | `mutable` |
/// | `NameSlices<'_>` | `&[A]` | all rows, as shared columns | `slices` |
/// | `NameSlicesMut<'_>` | `&mut [A]` | all rows, as mutable columns | `slices_mut` |
///
/// Through the trait `Row`, any code that can name the struct can split it into its fields, build it from fields, and
/// change columns, including private fields. `unsafe` code must therefore not rely on what its fields hold.
///
/// The structs with shared references are `Copy`. All four are `Debug` if the types of all fields are. Their lifetime
/// parameter precedes the generics of the struct.
///
/// # Examples
///
/// ```
/// use stayput::{Columns, Row};
///
/// #[derive(Row)]
/// struct Particle {
///     position: [f32; 3],
///     age: u32,
/// }
///
/// let mut particles = Columns::<Particle>::new();
/// particles.push(Particle { position: [0.0; 3], age: 7 });
/// let ParticleSlicesMut { position, age } = particles.as_mut_slices();
/// for (position, age) in position.iter_mut().zip(age) {
///     position[0] += 0.5;
///     *age += 1;
/// }
///
/// let first: ParticleRef<'_> = particles.get(0).unwrap();
/// assert_eq!((first.position[0], *first.age), (0.5, 8));
/// ```
///
/// With other names; each option may be omitted:
///
/// ```
/// # use stayput::{Columns, Row};
/// #[derive(Row)]
/// #[row(reference = "SeenBody", mutable = "Body", slices = "Bodies", slices_mut = "BodiesMut")]
/// struct NewBody {
///     speed: f32,
/// }
///
/// fn fastest(bodies: Bodies<'_>) -> f32 {
///     bodies.speed.iter().copied().fold(0.0, f32::max)
/// }
///
/// let bodies: Columns<NewBody> = [1.5, 2.5].map(|speed| NewBody { speed }).into_iter().collect();
/// assert_eq!(fastest(bodies.as_slices()), 2.5);
/// ```
///
/// A crate that re-exports `stayput` can name its path, so that its users need no dependency on `stayput`:
///
/// ```
/// mod engine {
///     pub use stayput as arrays;
/// }
///
/// #[derive(engine::arrays::Row)]
/// #[row(crate = "engine::arrays")]
/// struct Body {
///     speed: f32,
/// }
/// ```
///
/// # Rejected input
///
/// Anything but a struct:
///
/// ```compile_fail
/// #[derive(stayput::Row)]
/// enum Shape {
///     Circle(f32),
/// }
/// ```
///
/// ```compile_fail
/// #[derive(stayput::Row)]
/// union Word {
///     bits: u32,
/// }
/// ```
///
/// Structs without fields or with more than 32:
///
/// ```compile_fail
/// #[derive(stayput::Row)]
/// struct Nothing;
/// ```
///
/// ```compile_fail
/// #[derive(stayput::Row)]
/// struct Many(
///     u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8,
///     u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8,
/// );
/// ```
///
/// Unknown options, and options on a field:
///
/// ```compile_fail
/// #[derive(stayput::Row)]
/// #[row(iterator = "Rows")]
/// struct Unknown(u8);
/// ```
///
/// ```compile_fail
/// #[derive(stayput::Row)]
/// struct Misplaced {
///     #[row(reference = "Other")]
///     field: u8,
/// }
/// ```
///
/// The compiler rejects structs that implement `Drop`, since they cannot be split into fields, and fields of types that
/// are less visible than the struct.
///
/// ```compile_fail,E0119
/// #[derive(stayput::Row)]
/// struct Descriptor(i32);
///
/// impl Drop for Descriptor {
///     fn drop(&mut self) {}
/// }
/// ```
///
/// ```compile_fail,E0446
/// struct Secret;
///
/// #[derive(stayput::Row)]
/// pub struct Entry(Secret);
/// ```
#[proc_macro_derive(Row, attributes(row))]
pub fn derive_row(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expanded(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Returns everything that the macro generates.
///
/// # Errors
///
/// If the input cannot be a row, or has unknown options.
fn expanded(input: &DeriveInput) -> Result<TokenStream> {
    let fields = input::fields(input)?;
    let Options { names, krate } = input::options(input)?;
    let companions: Vec<_> = Kind::ALL
        .into_iter()
        .zip(names)
        .map(|(kind, name)| Companion { kind, name, input, fields })
        .collect();
    let implementation = row::implementation(input, fields, &companions, &krate);
    let structs = companions.iter().map(Companion::items);
    Ok(quote!(#(#structs)* #implementation))
}
