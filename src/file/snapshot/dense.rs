//! Dense maps and tables in snapshots: as the maps and arrays that they consist of.

#![forbid(unsafe_code)]

use super::form::Codec;
use super::read::Source;
use super::write::Sink;
use crate::dense::DenseSlotMap;
use crate::dense::parts::BadRows;
use crate::file::error::FileErrorKind;
use crate::file::header::FileProblem;
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::table::{Indices, Row, Table};
use crate::vec::VmVec;
use bytemuck::Pod;

impl<K: Key, V: Pod> Codec for DenseSlotMap<K, V> {
    fn write(&self, to: &mut Sink<'_>) -> Result<(), FileProblem> {
        self.table().write(to)?;
        self.rows().write(to)
    }

    fn read(from: &mut Source<'_>) -> Result<Self, FileProblem> {
        let table = SlotMap::read(from)?;
        if from.is_empty() {
            // That was all of another map.
            return Err(FileErrorKind::Element.into());
        }
        let rows = VmVec::read(from)?;
        Self::try_from_parts(table, rows).map_err(|bad| match bad {
            BadRows::Refused(error) => FileProblem::Refused(error),
            BadRows::Count { .. } | BadRows::Row { .. } => FileErrorKind::Content.into(),
        })
    }
}

impl<R: Pod + Row<X::Part>, X: Indices, K: Key> Codec for Table<R, X, K> {
    fn write(&self, to: &mut Sink<'_>) -> Result<(), FileProblem> {
        self.rows().write(to)
    }

    fn read(from: &mut Source<'_>) -> Result<Self, FileProblem> {
        let rows = SlotMap::read(from)?;
        Self::try_from_rows(rows).map_err(|refused| FileProblem::Refused(refused.error))
    }
}
