//! Rows of 72 bytes in twelve fields, and the trait for the structures that hold them.

use crate::operation::Operation;

/// A structure that holds particles. Measurements are compiled once for each implementation.
pub(crate) trait Rows: Sized {
    /// Operations that the structure lacks.
    const LACKS: &'static [Operation] = &[];

    /// Creates a structure without memory.
    fn empty() -> Self;

    /// Creates a structure with capacity for that many rows, untouched.
    fn with_room(rows: usize) -> Self;

    /// Appends the particle with that number.
    fn push(&mut self, number: u32);

    fn clear(&mut self);

    fn len(&self) -> usize;

    /// Moves all particles by one step.
    fn integrate(&mut self, dt: f32);

    /// Returns the sum of all colours.
    fn sum(&self) -> u32;

    /// Reads all fields of a row.
    fn digest(&self, index: usize) -> u64;

    /// Removes a row, reads all its fields, and moves the last row into its place.
    fn swap_remove(&mut self, index: usize) -> u64;

    /// Sorts by colour. No two colours are equal.
    fn sort(&mut self) {
        unreachable!("the structure has no sort");
    }
}

/// Implements methods of the trait by the structure's own methods of the same name.
macro_rules! own {
    ($($method:ident)+) => { $(own!(@ $method);)+ };
    (@ push) => {
        #[inline]
        fn push(&mut self, number: u32) {
            Self::push(self, Particle::of(number));
        }
    };
    (@ len) => {
        fn len(&self) -> usize {
            Self::len(self)
        }
    };
    (@ swap_remove) => {
        #[inline]
        fn swap_remove(&mut self, index: usize) -> u64 {
            digest!(Self::swap_remove(self, index))
        }
    };
    (@ $method:ident) => { bench_common::own!(@ $method); };
}
pub(crate) use own;

/// Defines the struct with the derives of a crate. Each is in a module of its own, because derives of different
/// crates generate structs of the same names.
macro_rules! particle {
    ($($derive:path),*) => {
        #[derive(Clone, Copy, Debug, $($derive),*)]
        pub(crate) struct Particle {
            pub(crate) x: f32,
            pub(crate) y: f32,
            pub(crate) z: f32,
            pub(crate) vx: f32,
            pub(crate) vy: f32,
            pub(crate) vz: f32,
            pub(crate) age: [f32; 2],
            pub(crate) color: u32,
            pub(crate) flags: u32,
            pub(crate) rotation: [f32; 4],
            pub(crate) id: u64,
            pub(crate) size: f64,
        }

        impl Particle {
            /// Writes all fields from the number.
            #[inline]
            pub(crate) fn of(number: u32) -> Self {
                let [low, high, ..] = number.to_le_bytes().map(f32::from);
                Self {
                    x: low,
                    y: high,
                    z: low + 1.0,
                    vx: high + 1.0,
                    vy: 2.0,
                    vz: low + 3.0,
                    age: [high, 0.5],
                    // The factor is odd, so each number has a colour of its own.
                    color: number.wrapping_mul(0x9E37_79B9),
                    flags: number,
                    rotation: [0.0, low, high, 1.0],
                    id: number.into(),
                    size: 1.5,
                }
            }
        }
    };
}
pub(crate) use particle;

/// A number that depends on every field of a row: a struct, or with `*`, a struct of references.
macro_rules! digest {
    ($row:expr $(, $deref:tt)?) => {{
        let row = &$row;
        let floats = [
            $($deref)? row.x, $($deref)? row.y, $($deref)? row.z,
            $($deref)? row.vx, $($deref)? row.vy, $($deref)? row.vz,
            row.age[0], row.age[1],
            row.rotation[0], row.rotation[1], row.rotation[2], row.rotation[3],
        ];
        let words = floats.into_iter().map(f32::to_bits).chain([$($deref)? row.color, $($deref)? row.flags]);
        let sum = words.fold(0_u64, |sum, word| sum.wrapping_add(word.into()));
        sum.wrapping_add($($deref)? row.id).wrapping_add(($($deref)? row.size).to_bits())
    }};
}
pub(crate) use digest;

// The loops over columns. Never inlined, so that all structures share one copy.

#[inline(never)]
pub(crate) fn integrate_columns(
    x: &mut [f32],
    y: &mut [f32],
    z: &mut [f32],
    vx: &[f32],
    vy: &[f32],
    vz: &[f32],
    dt: f32,
) {
    // Slices of a known common length, so that the compiler omits bounds checks.
    let len = x.len();
    let (y, z, vx, vy, vz) = (&mut y[..len], &mut z[..len], &vx[..len], &vy[..len], &vz[..len]);
    for i in 0..len {
        x[i] += vx[i] * dt;
        y[i] += vy[i] * dt;
        z[i] += vz[i] * dt;
    }
}

#[inline(never)]
pub(crate) fn sum_column(values: &[u32]) -> u32 {
    values.iter().copied().fold(0, u32::wrapping_add)
}
