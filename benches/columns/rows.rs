//! Rows of 72 bytes in twelve fields, and what a measurement needs of a structure that holds them.

use crate::operation::Operation;

/// A structure that holds particles. Each measurement is compiled once for each implementation.
pub(crate) trait Rows: Sized {
    /// Operations that are not measured, since there is nothing that does them.
    const LACKS: &'static [Operation] = &[];

    /// Without memory.
    fn empty() -> Self;

    /// With memory asked for, not touched, for so many.
    fn with_room(rows: usize) -> Self;

    /// Appends the particle of that number.
    fn push(&mut self, number: u32);

    fn clear(&mut self);

    fn len(&self) -> usize;

    /// Moves all particles on.
    fn integrate(&mut self, dt: f32);

    /// The sum over all colours.
    fn sum(&self) -> u32;

    /// Reads all fields of a row.
    fn digest(&self, index: usize) -> u64;

    /// Takes a row out, reads all its fields, and has the last in its place.
    fn swap_remove(&mut self, index: usize) -> u64;

    /// By colour, in which no two are alike.
    fn sort(&mut self) {
        unreachable!("it has nothing that sorts");
    }
}

/// Methods of a structure that do what its own of the same name does.
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

/// The struct, with derives: those of different crates make structs of the same names beside it, so
/// each has a module of its own.
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
            /// Written whole from its number.
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
                    // An odd factor: each number has a colour of its own.
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

// The loops over columns. Never inlined, so that they are the same for all.

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
    // Of one length, as the compiler then knows, so that it checks no index.
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
