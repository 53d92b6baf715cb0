//! Arrays in snapshots.

#![forbid(unsafe_code)]

use super::form::Codec;
use super::read::Source;
use super::write::Sink;
use super::{ARRAY, FileHeader};
use crate::file::error::FileErrorKind;
use crate::file::header::FileProblem;
use crate::vec::VmVec;
use bytemuck::Pod;

/// Returns the number of elements in a section: all of them if they have size zero.
fn section_len<T>() -> usize {
    (1_usize << 20).checked_div(size_of::<T>()).unwrap_or(usize::MAX).max(1)
}

impl<T: Pod> Codec for VmVec<T> {
    fn write(&self, to: &mut Sink<'_>) -> Result<(), FileProblem> {
        let slots = self.len() as u64;
        let head = FileHeader { magic: ARRAY, key_bits: 0, floor: 0, type_id: None, slots };
        to.write(&head.to_bytes::<T>())?;
        for section in self.chunks(section_len::<T>()) {
            to.write(bytemuck::cast_slice(section))?;
            to.write_sum()?;
        }
        Ok(())
    }

    fn read(from: &mut Source<'_>) -> Result<Self, FileProblem> {
        let head = from.read_header::<T>(ARRAY, 0)?;
        let len = usize::try_from(head.slots).map_err(|_| FileErrorKind::Length)?;
        let (mut elements, mut bytes) = (Self::builder().try_build()?, Vec::new());
        while elements.len() < len {
            let (start, count) = (elements.len(), section_len::<T>().min(len - elements.len()));
            bytes.clear();
            from.read_bytes(count * size_of::<T>() + 4, &mut bytes)?;
            let content = from.check_sum(&bytes)?;
            elements.try_extend_zeroed(count)?;
            bytemuck::cast_slice_mut(&mut elements[start..]).copy_from_slice(content);
        }
        Ok(elements)
    }
}
