//! `Groups`: records of some rows.

use stayput::{Groups, Pad, Row, RowRef};

use crate::operation::Operation;
use crate::rows::{Rows, digest, own};
use crate::stayput_rows::Particle;

impl Pad for Particle {
    const PAD: Self = Self {
        x: 0.0,
        y: 0.0,
        z: 0.0,
        vx: 0.0,
        vy: 0.0,
        vz: 0.0,
        age: [0.0; 2],
        color: 0,
        flags: 0,
        rotation: [0.0; 4],
        id: 0,
        size: 0.0,
    };
}

impl<const N: usize> Rows for Groups<Particle, N> {
    const LACKS: &'static [Operation] = &[Operation::Sort];

    own!(empty with_room push clear len swap_remove);

    #[inline(never)]
    fn integrate(&mut self, dt: f32) {
        for (x, y, z, vx, vy, vz, ..) in self.as_mut_slice() {
            for lane in 0..N {
                x[lane] += vx[lane] * dt;
                y[lane] += vy[lane] * dt;
                z[lane] += vz[lane] * dt;
            }
        }
    }

    /// With the lanes behind the last row, which are zero.
    #[inline(never)]
    fn sum(&self) -> u32 {
        let color = |group: &<<Particle as Row>::Fields as stayput::columns::Fields>::Group<N>| {
            group.7.iter().copied().fold(0, u32::wrapping_add)
        };
        self.as_slice().iter().map(color).fold(0, u32::wrapping_add)
    }

    #[inline]
    fn digest(&self, index: usize) -> u64 {
        let row: RowRef<'_, Particle> = self.get(index).expect("it is one of them");
        digest!(row, *)
    }
}
