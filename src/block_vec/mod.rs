//! [`BlockVec`]: an array in blocks of the program's allocator, whose elements never move; and its iterators.

// `raw` has all unsafe code except that of the grow-only scope, and the argument why it is sound.

// In the order in which the docs list their methods.
mod access;

mod element;

mod bulk;
mod search;

mod extend;
mod memory;

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
mod layout;
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
pub use layout::Blocks;

use crate::error::{Error, unwrap_or_panic};
use raw::Raw;
#[cfg(feature = "rayon")]
pub(crate) use raw::Taken;

/// A growable array in blocks, whose elements never move.
///
/// It is an alternative to [`VmVec`](crate::VmVec) where reserving addresses is impossible or too expensive. Its memory
/// comes from the program's allocator, in blocks of 16 KiB or [another size](BlockVecBuilder::blocks), so it works on
/// every system, including WebAssembly, and in any address space. As with a `VmVec`, growing copies no element, and
/// pointers to elements stay valid. But the elements are not one slice.
///
/// # When to use it
///
/// | use case | type |
/// |---|---|
/// | A few large arrays, on a system with virtual memory | [`VmVec`](crate::VmVec): it is a slice, and memory can be committed ahead. |
/// | Thousands of small arrays | `BlockVec`: a `VmVec` takes system mappings and whole pages. With [`Blocks::Doubling`] that starts at some hundred bytes, an array takes little more memory than a `Vec`. |
/// | 32-bit systems, or `RLIMIT_AS` | `BlockVec`, if there are not enough addresses to reserve for arrays that may grow large. |
/// | WebAssembly, and other systems without virtual memory | `BlockVec`, if no upper bound on the length is known: a `VmVec` allocates the memory for its [`max_len`](crate::VmVec::max_len) at once, 4 MiB by default. |
///
/// Access by index loads an entry of the table of blocks first, and then the element. Iterating over all elements costs
/// the same as with a slice, since it goes block by block.
///
/// # Addresses
///
/// The address of an element never changes when the array grows or shrinks, or when the `BlockVec` itself moves. Only
/// methods that reorder elements move them: [`insert`](Self::insert), [`remove`](Self::remove),
/// [`swap_remove`](Self::swap_remove), [`swap`](Self::swap), [`retain`](Self::retain), [`dedup`](Self::dedup),
/// [`drain`](Self::drain), [`extract_if`](Self::extract_if); and methods that move elements to another array:
/// [`append`](Self::append), [`split_off`](Self::split_off) and conversions.
///
/// To hold references across pushes in safe code, open a [grow-only scope](Self::grow_only).
///
/// # Memory
///
/// [`new`](Self::new) allocates nothing. Blocks are allocated one at a time as elements are added, so a push allocates
/// at most one block of elements, and copies none. Blocks are deallocated when the array is dropped, and by
/// [`shrink_to_fit`](Self::shrink_to_fit), which can be spread [over frames](Self::shrink_to_fit_within).
///
/// The table of blocks has one pointer per block. It starts as a small heap block, which is copied when it grows. With
/// more than 512 entries, which is 8 MiB of elements in blocks of 16 KiB, it becomes a `VmVec` if one can be reserved,
/// and is then not copied again, unless few addresses are left for it.
///
/// # Errors
///
/// Each method that may need memory has a `try_` variant. Where the method panics, the variant returns an [`Error`] and
/// whatever could not be stored. Neither aborts; conversions to `Rc` and `Arc` do if memory is refused, as those of std
/// do.
///
/// # Differences from `Vec`
///
/// `BlockVec` has the methods of `Vec` except those that need all elements in one slice:
///
/// | `Vec` | instead |
/// |---|---|
/// | `Deref`, `as_slice`, `as_ptr`, ranges as an index, `windows`, `chunks` | [`blocks`](Self::blocks) and [`blocks_mut`](Self::blocks_mut) for slices, [`range`](Self::range) and [`range_mut`](Self::range_mut) for elements. |
/// | `sort`, `reverse`, `rotate_left`, `fill` | [`into_vec`](Self::into_vec), and back. To fill, iterate over [`blocks_mut`](Self::blocks_mut). |
/// | `spare_capacity_mut`, `set_len`, `leak`, `into_flattened`, `from_raw_parts` | No replacement, since the elements are not one slice. `Box::leak` can leak the array itself. |
/// | `splice` | [`drain`](Self::drain), then [`insert`](Self::insert). |
///
/// It also lacks the page-related features of `VmVec`: huge pages, memory ahead of use, caller-provided memory.
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

/// Statistics of a [`BlockVec`], returned by [`BlockVec::stats`].
///
/// # Examples
///
/// ```
/// use stayput::BlockVec;
///
/// let mut names = BlockVec::from(["Ann", "Ben"]);
/// names.reserve(10_000);
/// let stats = names.stats();
/// assert_eq!(stats.len, 2);
/// assert_eq!(stats.block_bytes, stats.blocks * (16 << 10));
/// assert_eq!(stats.capacity, stats.block_bytes / size_of::<&str>());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockVecStats {
    /// The number of elements.
    pub len: usize,
    /// The number of elements that fit into the allocated blocks.
    pub capacity: usize,
    /// The maximum number of elements.
    pub max_len: usize,
    /// The number of allocated blocks.
    pub blocks: usize,
    /// The size of all blocks in bytes.
    pub block_bytes: usize,
    /// The size of the table of blocks in bytes.
    pub table_bytes: usize,
}

default_by!([T] BlockVec<T>, new);

impl<T: Clone> Clone for BlockVec<T> {
    /// Returns a copy with the same options, and elements at other addresses.
    ///
    /// # Panics
    ///
    /// If [`try_clone`](BlockVec::try_clone) returns an error.
    #[track_caller]
    fn clone(&self) -> Self {
        unwrap_or_panic(self.try_clone())
    }

    /// Overwrites the elements with clones of those of `source`, keeping the memory and the options of `self`.
    ///
    /// # Panics
    ///
    /// If `source` has more elements than `self` can hold, or the allocator refuses memory. The elements that `self`
    /// had are overwritten by then.
    #[track_caller]
    fn clone_from(&mut self, source: &Self) {
        self.truncate(source.len());
        let mut from = source.iter();
        // `for_each` visits as many elements as `self` has. `source` has at least as many.
        self.iter_mut().for_each(|place| {
            if let Some(element) = from.next() {
                place.clone_from(element);
            }
        });
        unwrap_or_panic(self.try_extend_from_runs(source, self.len()));
    }
}

impl<T: Clone> BlockVec<T> {
    /// Returns a copy with the same options, or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut draft = stayput::BlockVec::from(["to", "be"]);
    /// let saved = draft.try_clone()?;
    /// draft.push("or");
    /// assert_eq!(saved, ["to", "be"]);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut clone = Self { raw: self.raw.fresh() };
        clone.try_extend_from_runs(self, 0)?;
        Ok(clone)
    }
}
