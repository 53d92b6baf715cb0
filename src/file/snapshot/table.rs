//! Tables in snapshots: as the slot map of their rows.

#![forbid(unsafe_code)]

use super::form::Form;
use super::read::Source;
use super::several::Saved;
use super::write::Sink;
use crate::file::header::Misfit;
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::table::{Indices, Row, Table};
use bytemuck::Pod;

impl<R: Pod + Row<X::Part>, X: Indices, K: Key> Saved for Table<R, X, K> {}

impl<R: Pod + Row<X::Part>, X: Indices, K: Key> Form for Table<R, X, K> {
    fn write(&self, to: &mut Sink<'_>) -> Result<(), Misfit> {
        self.rows().write(to)
    }

    fn read(from: &mut Source<'_>) -> Result<Self, Misfit> {
        let rows = SlotMap::read(from)?;
        Self::try_from_rows(rows).map_err(|refused| Misfit::Refused(refused.error))
    }
}
