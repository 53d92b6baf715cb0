//! [`BlockVec`]: an array in blocks of the program's allocator, whose elements never move; and its iterators.

// What lies where, and why that is sound, is the business of `raw`. All else is in safe terms of it, but for the
// grow-only scope.

// In the order in which the docs are to list their methods.
mod access;
mod memory;

mod element;

mod bulk;
mod search;

mod extend;

mod builder;
mod compare;
mod convert;
mod drain;
mod extract_if;
#[cfg(test)]
mod fault;
mod grow_only;
mod into_iter;
mod iter;
mod plan;
mod raw;
mod table;
#[cfg(test)]
mod tests;

pub use builder::BlockVecBuilder;
pub use drain::Drain;
pub use extract_if::ExtractIf;
pub use grow_only::{GrowOnlyBlockVec, GrowOnlyIter};
pub use into_iter::IntoIter;
pub use iter::{BlockIter, BlockIterMut, Iter, IterMut};
pub use plan::Blocks;

use crate::error::{Error, or_give_up};
use raw::Raw;
#[cfg(feature = "rayon")]
pub(crate) use raw::Taken;

/// A growable array in blocks, whose elements never move.
///
/// It is for where a [`VmVec`](crate::VmVec) cannot be had, or costs too much: it takes its memory from the
/// program's allocator, a block of 16 KiB at a time (or [as you choose](BlockVecBuilder::blocks)). So it is at home on
/// every system, WebAssembly among them, and in any address space. As with a `VmVec`, growing copies
/// no element, and pointers to elements stay good; but it is no slice.
///
/// # When to take it
///
/// | where | what |
/// |---|---|
/// | A few large arrays, on a system with virtual memory | [`VmVec`](crate::VmVec): it is a slice, and memory can be made ready ahead of its use. |
/// | Thousands of small arrays | `BlockVec`: a `VmVec` takes a mapping of the system's and whole pages. With [`Blocks::Doubling`] from some hundred bytes on, one takes little more than a `Vec`. |
/// | 32 bits, `RLIMIT_AS` | `BlockVec`, where there are no addresses to be reserved for an array that may get large. |
/// | WebAssembly, and other systems without virtual memory | `BlockVec`, where nobody knows how many elements there will be: a `VmVec` takes the memory for all of its [`max_len`](crate::VmVec::max_len) at once, 4 MiB if none is named. |
///
/// What it costs: an element is found by a look into the table of blocks, one load more, on which the next one
/// depends. Going through all elements costs what a slice does, for it is done block by block.
///
/// # Addresses
///
/// The address of an element never changes by growth, by shrinking, or by moving the `BlockVec` itself. Only calls that
/// reorder elements move them, as their names say: [`insert`](Self::insert), [`remove`](Self::remove),
/// [`swap_remove`](Self::swap_remove), [`swap`](Self::swap), [`retain`](Self::retain), [`dedup`](Self::dedup),
/// [`drain`](Self::drain), [`extract_if`](Self::extract_if); and calls that move elements into another array do:
/// [`append`](Self::append), [`split_off`](Self::split_off), and conversions.
///
/// Safe code that wants to hold references across pushes opens a [grow-only scope](Self::grow_only).
///
/// # Memory
///
/// [`new`](Self::new) takes none. Blocks are taken one by one as elements come, and no block is ever taken to copy into:
/// the worst push takes one block from the allocator. They go back by [`shrink_to_fit`](Self::shrink_to_fit),
/// which can be spread [over frames](Self::shrink_to_fit_within), and on drop, never by themselves, as in `Vec`.
///
/// The table of blocks is a pointer a block. It is a small block of the heap at first, and copied as it grows; one of
/// more than 512 entries, which is 8 MiB of elements in blocks of 16 KiB, is a `VmVec`, if that can be had, and
/// never copied again.
///
/// # Refusals
///
/// What can need memory has a twin that begins with `try_`, returns an [`Error`], and gives back what could not be
/// stored. The call without `try_` panics where the twin has an error; it does not abort.
///
/// # What is not there
///
/// What `Vec` has is there by the same names, but for what needs all elements in one slice:
///
/// | what | what to do instead |
/// |---|---|
/// | `Deref`, `as_slice`, `as_ptr`, ranges as an index, `windows`, `chunks` | [`blocks`](Self::blocks) and [`blocks_mut`](Self::blocks_mut) give slices, [`range`](Self::range) and [`range_mut`](Self::range_mut) elements. |
/// | `sort`, `reverse`, `rotate_left`, `fill` | [`into_vec`](Self::into_vec), and back. To fill, go through [`blocks_mut`](Self::blocks_mut). |
/// | `spare_capacity_mut`, `set_len`, `leak`, `into_boxed_slice`, `into_flattened`, `from_raw_parts` | No slice is there to be given. `Box::leak` the array itself. |
/// | `splice` | [`drain`](Self::drain), and [`insert`](Self::insert). |
///
/// And of `VmVec`'s, what is for pages: `prefault`, huge pages, memory ahead, memory of your own.
///
/// # Examples
///
/// ```
/// use stayput::BlockVec;
///
/// let mut numbers = BlockVec::new();
/// numbers.push(1);
/// let address = &raw const numbers[0];
/// numbers.extend(2..=100_000);
/// assert_eq!(&raw const numbers[0], address);
/// assert_eq!(numbers.iter().sum::<u64>(), 5_000_050_000);
/// assert_eq!(numbers.blocks().map(|block| block.len()).max(), Some(2048));
/// ```
pub struct BlockVec<T> {
    raw: Raw<T>,
}

/// What a [`BlockVec`] holds and takes up, given by [`BlockVec::stats`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockVecStats {
    /// Elements.
    pub len: usize,
    /// Elements that fit into the blocks that there are.
    pub capacity: usize,
    /// Elements that may ever be.
    pub max_len: usize,
    /// Blocks that were taken from the allocator.
    pub blocks: usize,
    /// Bytes of them.
    pub block_bytes: usize,
    /// Bytes of the table of blocks.
    pub table_bytes: usize,
}

default_by!([T] BlockVec<T>, new);

impl<T: Clone> Clone for BlockVec<T> {
    /// A copy with the same options, and elements at other addresses.
    ///
    /// # Panics
    ///
    /// Where [`try_clone`](BlockVec::try_clone) has an error.
    #[track_caller]
    fn clone(&self) -> Self {
        or_give_up(self.try_clone())
    }

    /// Becomes a copy of `source`, with the memory and the options that `self` has.
    ///
    /// # Panics
    ///
    /// If `source` has more elements than there may be here, or the allocator refuses memory. Then as many are copied as
    /// there were.
    #[track_caller]
    fn clone_from(&mut self, source: &Self) {
        self.truncate(source.len());
        let mut from = source.iter();
        // As many as there are here, and no more are taken: they come first.
        self.iter_mut().for_each(|place| {
            if let Some(element) = from.next() {
                place.clone_from(element);
            }
        });
        or_give_up(self.try_extend_from_runs(source, self.len()));
    }
}

impl<T: Clone> BlockVec<T> {
    /// A copy with the same options, or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut clone = Self { raw: self.raw.fresh() };
        clone.try_extend_from_runs(self, 0)?;
        Ok(clone)
    }
}
