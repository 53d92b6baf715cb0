//! [`Row`]: the trait of values stored in columns.

#![forbid(unsafe_code)]

use super::Fields;

/// A value whose fields are each stored in a column of their own, in [`Columns`](super::Columns).
///
/// Tuples of one to twelve fields implement it. For a struct, derive it with the feature `derive`, or implement it by
/// splitting the struct into its fields and assembling it again, as in the example. (The compiler requires `where Self:
/// 'a` in each method.)
///
/// The trait is safe to implement: columns store the [`Fields`], which are what is written, read and dropped. An
/// implementation that returns other fields than it received only changes which values the columns hold.
///
/// Methods that pass rows to a closure ([`Columns::retain`](super::Columns::retain),
/// [`Columns::sort_by`](super::Columns::sort_by)) require rows that do not borrow.
///
/// # Examples
///
/// ```
/// use stayput::{Columns, Row};
///
/// struct Particle {
///     position: [f32; 3],
///     age: u32,
/// }
///
/// struct ParticleRef<'a> {
///     position: &'a [f32; 3],
///     age: &'a u32,
/// }
///
/// struct ParticleMut<'a> {
///     position: &'a mut [f32; 3],
///     age: &'a mut u32,
/// }
///
/// struct Particles<'a> {
///     positions: &'a [[f32; 3]],
///     ages: &'a [u32],
/// }
///
/// struct ParticlesMut<'a> {
///     positions: &'a mut [[f32; 3]],
///     ages: &'a mut [u32],
/// }
///
/// impl Row for Particle {
///     type Fields = ([f32; 3], u32);
///     type Ref<'a> = ParticleRef<'a>;
///     type Mut<'a> = ParticleMut<'a>;
///     type Slices<'a> = Particles<'a>;
///     type SlicesMut<'a> = ParticlesMut<'a>;
///
///     fn into_fields(self) -> Self::Fields {
///         (self.position, self.age)
///     }
///
///     fn from_fields((position, age): Self::Fields) -> Self {
///         Self { position, age }
///     }
///
///     fn by_ref<'a>((position, age): (&'a [f32; 3], &'a u32)) -> ParticleRef<'a>
///     where
///         Self: 'a,
///     {
///         ParticleRef { position, age }
///     }
///
///     fn by_mut<'a>((position, age): (&'a mut [f32; 3], &'a mut u32)) -> ParticleMut<'a>
///     where
///         Self: 'a,
///     {
///         ParticleMut { position, age }
///     }
///
///     fn by_slices<'a>((positions, ages): (&'a [[f32; 3]], &'a [u32])) -> Particles<'a>
///     where
///         Self: 'a,
///     {
///         Particles { positions, ages }
///     }
///
///     fn by_slices_mut<'a>(
///         (positions, ages): (&'a mut [[f32; 3]], &'a mut [u32]),
///     ) -> ParticlesMut<'a>
///     where
///         Self: 'a,
///     {
///         ParticlesMut { positions, ages }
///     }
/// }
///
/// let mut particles = Columns::<Particle>::new();
/// particles.push(Particle { position: [0.0; 3], age: 7 });
/// particles.as_mut_slices().ages.iter_mut().for_each(|age| *age += 1);
/// assert_eq!(*particles.get(0).unwrap().age, 8);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a row",
    label = "not a tuple or a struct with `#[derive(Row)]`",
    note = "rows are tuples of one to twelve fields, and structs with `#[derive(stayput::Row)]` (feature `derive`)"
)]
pub trait Row: Sized {
    /// The fields, in the order of the columns: a tuple, or a [`Concat`](super::Concat) for more than twelve fields.
    type Fields: Fields;

    /// A shared reference to a row: references to its fields.
    type Ref<'a>
    where
        Self: 'a;
    /// A mutable reference to a row: mutable references to its fields.
    type Mut<'a>
    where
        Self: 'a;
    /// All columns, as slices of the same length.
    type Slices<'a>
    where
        Self: 'a;
    /// All columns, as mutable slices of the same length.
    type SlicesMut<'a>
    where
        Self: 'a;

    /// Splits the row into its fields.
    fn into_fields(self) -> Self::Fields;

    /// Assembles a row from its fields. Any code that can name the type can call this, even if the struct's fields are
    /// private.
    fn from_fields(fields: Self::Fields) -> Self;

    /// Makes a [`Ref`](Self::Ref) from references to the fields.
    fn by_ref<'a>(fields: <Self::Fields as Fields>::Refs<'a>) -> Self::Ref<'a>
    where
        Self: 'a;

    /// Makes a [`Mut`](Self::Mut) from mutable references to the fields.
    fn by_mut<'a>(fields: <Self::Fields as Fields>::Muts<'a>) -> Self::Mut<'a>
    where
        Self: 'a;

    /// Makes [`Slices`](Self::Slices) from slices of the columns.
    fn by_slices<'a>(columns: <Self::Fields as Fields>::Slices<'a>) -> Self::Slices<'a>
    where
        Self: 'a;

    /// Makes [`SlicesMut`](Self::SlicesMut) from mutable slices of the columns.
    fn by_slices_mut<'a>(columns: <Self::Fields as Fields>::SlicesMut<'a>) -> Self::SlicesMut<'a>
    where
        Self: 'a;
}

/// A shared reference to a row of [`Columns`](super::Columns).
///
/// # Examples
///
/// ```
/// use stayput::{Columns, RowRef};
///
/// type Body = ([f32; 2], f32); // position, mass
///
/// fn weight(body: RowRef<'_, Body>) -> f32 {
///     let (_, mass) = body;
///     mass * 9.8
/// }
///
/// let bodies = Columns::from([([0.0, 1.0], 2.0)]);
/// assert_eq!(bodies.first().map(weight), Some(19.6));
/// ```
pub type RowRef<'a, R> = <R as Row>::Ref<'a>;

/// A mutable reference to a row of [`Columns`](super::Columns).
///
/// # Examples
///
/// ```
/// use stayput::{Columns, RowMut};
///
/// type Body = ([f32; 2], f32); // position, mass
///
/// fn fall((position, _): RowMut<'_, Body>) {
///     position[1] -= 0.5;
/// }
///
/// let mut bodies = Columns::from([([0.0, 1.0], 2.0)]);
/// bodies.iter_mut().for_each(fall);
/// assert_eq!(bodies.as_slices().0, [[0.0, 0.5]]);
/// ```
pub type RowMut<'a, R> = <R as Row>::Mut<'a>;
