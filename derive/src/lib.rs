//! The derive macro [`Row`](macro@Row) of the crate `stayput`, which has it by its feature `derive`.

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

/// Makes a struct a row of `Columns`, by implementing the trait `Row`.
///
/// The struct has one to 32 fields, with or without names, and may be generic. Each field becomes a column. The macro
/// declares four more structs of the same visibility, whose fields have the names, the visibility, the documentation and
/// the `#[doc(hidden)]` of those of the struct:
///
/// | struct | a field of type `A` | what it is | other name by |
/// |---|---|---|---|
/// | `NameRef<'_>` | `&A` | a row to look at | `reference` |
/// | `NameMut<'_>` | `&mut A` | a row to change | `mutable` |
/// | `NameSlices<'_>` | `&[A]` | all rows to look at, column by column | `slices` |
/// | `NameSlicesMut<'_>` | `&mut [A]` | all rows to change | `slices_mut` |
///
/// Whoever can name the struct can take it apart and put it together by the trait `Row`, and change columns, private
/// fields among them: no `unsafe` code may count on what these hold.
///
/// Those to look at are `Copy`. All are `Debug` if the types of all fields are. The lifetime stands before the
/// generics of the struct itself.
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
/// With other names, all of which may be left out:
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
/// A crate that re-exports `stayput` names it by its path, so that those who derive need no dependency on `stayput`:
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
/// # Refused
///
/// What is no struct:
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
/// A struct without fields, or with more than 32:
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
/// Options that there are not, and options that stand at a field:
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
/// By the compiler, in its own words: a struct that implements `Drop`, since it cannot be taken apart, and a
/// field of a type that fewer can name than the struct.
///
/// ```compile_fail,E0509
/// #[derive(stayput::Row)]
/// struct Guard(String);
///
/// impl Drop for Guard {
///     fn drop(&mut self) {}
/// }
/// ```
///
/// ```compile_fail,E0446
/// struct Secret;
///
/// #[derive(stayput::Row)]
/// pub struct Told(Secret);
/// ```
#[proc_macro_derive(Row, attributes(row))]
pub fn derive_row(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expanded(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// All that the macro writes.
///
/// # Errors
///
/// If it is no row, or has options that there are not.
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
