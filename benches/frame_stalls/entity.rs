//! The spawned values: 64 bytes, written whole, and summed in the end.

use std::ops::Range;

use stayput::Row;

/// An entity of a game: plain data that fills a cache line.
#[derive(Clone, Copy, Debug, Row)]
pub(crate) struct Entity {
    id: u64,
    parent: u64,
    position: [f32; 3],
    velocity: [f32; 3],
    rotation: [f32; 4],
    health: f32,
    flags: u32,
}

/// The movement of an entity in a frame, stored in a column.
pub(crate) type Velocity = [f32; 3];

const _: () = assert!(size_of::<Entity>() == 64, "the report speaks of 64 bytes");

impl Entity {
    /// Returns the `index`-th entity. Every field depends on the index, so that none can be left unwritten.
    #[inline]
    pub(crate) fn spawn(index: u64) -> Self {
        let mixed = index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let [x, y, z, w] = [0, 16, 32, 48].map(|shift| lane(mixed >> shift));
        Self {
            id: index,
            parent: mixed >> 8,
            position: [x, y, z],
            velocity: [x - y, y - z, z - x],
            rotation: [x, y, z, w],
            health: w * 0.5,
            flags: 1 << (index % 32),
        }
    }

    /// Returns the `index`-th entity for a world with a column of velocities, with its lifetime in frames.
    #[inline]
    pub(crate) fn mortal(index: u64, frames: u16) -> (Self, Velocity) {
        let entity = Self { health: f32::from(frames), ..Self::spawn(index) };
        (entity, entity.velocity)
    }

    /// Returns the `index`-th row of a table: an entity with a [key](Self::key) that looks random.
    #[inline]
    pub(crate) fn row(index: u64) -> Self {
        Self { id: key_of(index), ..Self::spawn(index) }
    }

    /// Returns the key by which a table finds the entity.
    #[inline]
    pub(crate) fn key(&self) -> u64 {
        self.id
    }

    #[inline]
    pub(crate) fn age(&mut self) {
        self.health -= 1.0;
    }

    #[inline]
    pub(crate) fn lives(&self) -> bool {
        self.health > 0.0
    }

    #[inline]
    pub(crate) fn move_by(&mut self, velocity: &Velocity) {
        for (place, distance) in self.position.iter_mut().zip(velocity) {
            *place += distance;
        }
    }

    /// Returns a number that depends on every byte of the entity.
    #[inline]
    pub(crate) fn digest(&self) -> u64 {
        let floats = [self.position.as_slice(), &self.velocity, &self.rotation, &[self.health]];
        let bits = floats.into_iter().flatten().map(|value| u64::from(value.to_bits()));
        bits.fold(self.id ^ self.parent, u64::wrapping_add).wrapping_add(u64::from(self.flags))
    }
}

impl EntityRef<'_> {
    pub(crate) fn copied(&self) -> Entity {
        let Self { id, parent, position, velocity, rotation, health, flags } = *self;
        Entity {
            id: *id,
            parent: *parent,
            position: *position,
            velocity: *velocity,
            rotation: *rotation,
            health: *health,
            flags: *flags,
        }
    }
}

/// Returns the key of the `index`-th row. No two rows have equal keys, because each step is invertible.
#[inline]
pub(crate) fn key_of(index: u64) -> u64 {
    // The mixing function of `SplitMix64`.
    let bits = index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Returns the low 16 bits, which a float holds exactly.
#[inline]
fn lane(bits: u64) -> f32 {
    let [low, high, ..] = bits.to_le_bytes();
    f32::from(u16::from_le_bytes([low, high]))
}

/// Returns the checksum of these entities.
pub(crate) fn sum<'a>(entities: impl IntoIterator<Item = &'a Entity>) -> u64 {
    entities.into_iter().map(Entity::digest).fold(0, u64::wrapping_add)
}

/// Returns the checksum that a container of these entities must have.
pub(crate) fn expected_sum(indices: Range<u64>) -> u64 {
    indices.map(|index| Entity::spawn(index).digest()).fold(0, u64::wrapping_add)
}

/// Returns the checksum that a table of these rows must have.
pub(crate) fn expected_sum_of_rows(indices: Range<u64>) -> u64 {
    indices.map(|index| Entity::row(index).digest()).fold(0, u64::wrapping_add)
}
