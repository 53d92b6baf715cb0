//! [`Row`]: what lies in columns.

#![forbid(unsafe_code)]

use super::Fields;

/// A value whose fields lie each in a column of their own, in [`Columns`](super::Columns).
///
/// Tuples of one to twelve fields are rows. For a struct, the feature `derive` has a macro of the same name; or
/// implement it by taking the struct apart and putting it together again, as in the example. (The compiler asks
/// for `where Self: 'a` in each.)
///
/// It is no unsafe trait: columns hold the [`Fields`], and these are what is written, read and dropped. An
/// implementation that gives other fields than it was given has other values there, and that is all.
///
/// Where a closure is given rows to look at or to change ([`Columns::retain`](super::Columns::retain),
/// [`Columns::sort_by`](super::Columns::sort_by)), the compiler asks for rows that borrow from nobody.
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
pub trait Row: Sized {
    /// The fields, in the order of the columns: a tuple, or a [`Concat`](super::Concat) where there are more than twelve.
    type Fields: Fields;

    /// A row to look at: references to the fields.
    type Ref<'a>
    where
        Self: 'a;
    /// A row to change.
    type Mut<'a>
    where
        Self: 'a;
    /// All columns, as slices of the same length.
    type Slices<'a>
    where
        Self: 'a;
    /// The same, to be changed.
    type SlicesMut<'a>
    where
        Self: 'a;

    /// Takes the row apart.
    fn into_fields(self) -> Self::Fields;

    /// Puts it together. Whoever can name the row can call this, whatever fields it has for itself.
    fn from_fields(fields: Self::Fields) -> Self;

    /// Names the references.
    fn by_ref<'a>(fields: <Self::Fields as Fields>::Refs<'a>) -> Self::Ref<'a>
    where
        Self: 'a;

    /// Names the mutable references.
    fn by_mut<'a>(fields: <Self::Fields as Fields>::Muts<'a>) -> Self::Mut<'a>
    where
        Self: 'a;

    /// Names the slices.
    fn by_slices<'a>(columns: <Self::Fields as Fields>::Slices<'a>) -> Self::Slices<'a>
    where
        Self: 'a;

    /// Names the mutable slices.
    fn by_slices_mut<'a>(columns: <Self::Fields as Fields>::SlicesMut<'a>) -> Self::SlicesMut<'a>
    where
        Self: 'a;
}

/// A row of [`Columns`](super::Columns) to look at.
pub type RowRef<'a, R> = <R as Row>::Ref<'a>;

/// A row of [`Columns`](super::Columns) to change.
pub type RowMut<'a, R> = <R as Row>::Mut<'a>;
