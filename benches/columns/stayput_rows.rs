//! `Columns`, of structs and of tuples.

use stayput::{Columns, HugePages, Row, RowRef};

use crate::rows::{Rows, digest, integrate_columns, particle, sum_column};

particle!(Row);

type Fields = <Particle as Row>::Fields;

/// A row that has a particle's fields, and gives them names.
pub(crate) trait Named: Row + 'static {
    fn of(particle: Particle) -> Self;
    fn particle(self) -> Particle;
    fn by_name(row: RowRef<'_, Self>) -> ParticleRef<'_>;
    fn columns(columns: &Columns<Self>) -> ParticleSlices<'_>;
    fn columns_mut(columns: &mut Columns<Self>) -> ParticleSlicesMut<'_>;
}

impl Named for Particle {
    #[inline]
    fn of(particle: Particle) -> Self {
        particle
    }

    #[inline]
    fn particle(self) -> Particle {
        self
    }

    #[inline]
    fn by_name(row: RowRef<'_, Self>) -> ParticleRef<'_> {
        row
    }

    fn columns(columns: &Columns<Self>) -> ParticleSlices<'_> {
        columns.as_slices()
    }

    fn columns_mut(columns: &mut Columns<Self>) -> ParticleSlicesMut<'_> {
        columns.as_mut_slices()
    }
}

impl Named for Fields {
    #[inline]
    fn of(particle: Particle) -> Self {
        particle.into_fields()
    }

    #[inline]
    fn particle(self) -> Particle {
        Particle::from_fields(self)
    }

    #[inline]
    fn by_name(row: RowRef<'_, Self>) -> ParticleRef<'_> {
        Particle::by_ref(row)
    }

    fn columns(columns: &Columns<Self>) -> ParticleSlices<'_> {
        Particle::by_slices(columns.as_slices())
    }

    fn columns_mut(columns: &mut Columns<Self>) -> ParticleSlicesMut<'_> {
        Particle::by_slices_mut(columns.as_mut_slices())
    }
}

/// Which pages columns ask for.
pub(crate) const AS_IT_COMES: usize = 0;
pub(crate) const SMALL: usize = 1;
pub(crate) const HUGE: usize = 2;
const PAGES: [HugePages; 3] = [HugePages::Auto, HugePages::Never, HugePages::Always];

pub(crate) struct Held<R: Named, const P: usize>(Columns<R>);

impl<R: Named, const P: usize> Rows for Held<R, P> {
    fn empty() -> Self {
        Self(Columns::builder().huge_pages(PAGES[P]).build())
    }

    fn with_room(rows: usize) -> Self {
        Self(Columns::builder().huge_pages(PAGES[P]).capacity(rows).build())
    }

    #[inline]
    fn push(&mut self, number: u32) {
        self.0.push(R::of(Particle::of(number)));
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn integrate(&mut self, dt: f32) {
        let ParticleSlicesMut { x, y, z, vx, vy, vz, .. } = R::columns_mut(&mut self.0);
        integrate_columns(x, y, z, vx, vy, vz, dt);
    }

    fn sum(&self) -> u32 {
        sum_column(R::columns(&self.0).color)
    }

    #[inline]
    fn digest(&self, index: usize) -> u64 {
        digest!(R::by_name(self.0.get(index).expect("it is one of them")), *)
    }

    #[inline]
    fn swap_remove(&mut self, index: usize) -> u64 {
        digest!(self.0.swap_remove(index).particle())
    }

    fn sort(&mut self) {
        self.0.sort_by_key(|row| *R::by_name(row).color);
    }
}
