//! Arrays of structs, and the structures of arrays of other crates.

use stayput::VmVec;

use crate::operation::Operation;
use crate::rows::{Rows, digest, integrate_columns, own, particle, sum_column};

particle!();

macro_rules! array_of_structs {
    ($array:ident) => {
        impl Rows for $array<Particle> {
            own!(empty with_room push clear len swap_remove);

            fn integrate(&mut self, dt: f32) {
                integrate_structs(self, dt);
            }

            fn sum(&self) -> u32 {
                sum_structs(self)
            }

            #[inline]
            fn digest(&self, index: usize) -> u64 {
                digest!(self[index])
            }

            fn sort(&mut self) {
                self.sort_by_key(|row| row.color);
            }
        }
    };
}
array_of_structs!(Vec);
array_of_structs!(VmVec);

// Never inlined, so that they are the same for both.

#[inline(never)]
fn integrate_structs(rows: &mut [Particle], dt: f32) {
    for row in rows {
        row.x += row.vx * dt;
        row.y += row.vy * dt;
        row.z += row.vz * dt;
    }
}

#[inline(never)]
fn sum_structs(rows: &[Particle]) -> u32 {
    rows.iter().map(|row| row.color).fold(0, u32::wrapping_add)
}

/// A `Vec` for each field.
pub(crate) mod with_soa_derive {
    use super::{Rows, digest, integrate_columns, own, particle, sum_column};
    use soa_derive::StructOfArray;

    particle!(StructOfArray);

    impl Rows for ParticleVec {
        own!(empty with_room push clear len swap_remove);

        fn integrate(&mut self, dt: f32) {
            let Self { x, y, z, vx, vy, vz, .. } = self;
            integrate_columns(x, y, z, vx, vy, vz, dt);
        }

        fn sum(&self) -> u32 {
            sum_column(&self.color)
        }

        #[inline]
        fn digest(&self, index: usize) -> u64 {
            digest!(self.index(index), *)
        }

        fn sort(&mut self) {
            self.as_mut_slice().sort_by_key(|row| *row.color);
        }
    }
}

/// One allocation for all fields.
pub(crate) mod with_soa_rs {
    #![expect(dead_code, clippy::expl_impl_clone_on_copy, reason = "what the macro writes")]

    use super::{Operation, Rows, digest, integrate_columns, own, particle, sum_column};
    use soa_rs::{Soa, Soars};

    particle!(Soars);

    impl Rows for Soa<Particle> {
        const LACKS: &'static [Operation] = &[Operation::Sort];

        own!(empty with_room push clear swap_remove);

        fn len(&self) -> usize {
            (**self).len()
        }

        fn integrate(&mut self, dt: f32) {
            let ParticleSlicesMut { x, y, z, vx, vy, vz, .. } = self.slices_mut();
            integrate_columns(x, y, z, vx, vy, vz, dt);
        }

        fn sum(&self) -> u32 {
            sum_column(self.color())
        }

        #[inline]
        fn digest(&self, index: usize) -> u64 {
            digest!(self.idx(index), *)
        }
    }
}
