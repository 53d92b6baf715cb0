//! Large blocks allocated by the parent, used when there are too many others: the parent may have a heap, in which
//! more blocks take no mappings.
//!
//! As many bytes precede the user's memory as a block's header takes, and where a header has its seal, these blocks
//! have a different word. Code that resizes or frees a large block can therefore tell from the block alone which
//! allocator it came from.

#![expect(unsafe_code, reason = "keeps a word before memory of another allocator")]

use super::{Block, offset_for, seal, seal_ptr, wrong_allocator};
use crate::alloc::Contents;
use crate::alloc::layout::NonZeroLayout;
use crate::reservation::address_space_bytes;
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::{self, NonNull};

/// A large block, of either allocator. Dropping it leaves the block in use.
pub(in crate::alloc) enum LargeBlock<'p, P> {
    Own(Block),
    OfParent(ParentBlock<'p, P>),
}

/// A large block of the parent. Dropping it leaves the block in use.
///
/// # Invariants
///
/// - `parent`, or one that manages the same memory, has allocated memory for the layout [`whole`], and not freed it.
///   `start` is the start of the user's part.
/// - Only the owner of this value uses that memory.
pub(in crate::alloc) struct ParentBlock<'p, P> {
    parent: &'p P,
    start: NonNull<u8>,
    layout: Layout,
}

impl<'p, P> LargeBlock<'p, P> {
    /// Returns the block whose memory starts at `start`.
    ///
    /// # Safety
    ///
    /// - `start` was returned by [`Block::start`], or by [`ParentBlock::start`] for this layout and this parent or one that
    ///   manages the same memory. The block has not been freed or moved since.
    /// - Only the caller uses that block.
    pub(in crate::alloc) unsafe fn find(parent: &'p P, start: *mut u8, layout: Layout) -> Self {
        let own = seal(start.addr());
        // The caller's pointer may be valid for the user's bytes only.
        let start = ptr::with_exposed_provenance_mut(start.addr());
        // SAFETY: "must be non-null": it was a `NonNull` when it was returned, as the caller promises.
        let start = unsafe { NonNull::new_unchecked(start) };
        // SAFETY: "valid for reads" and "initialized": `Block::over` or `ParentBlock::sealed` wrote a word there, in the
        // `HEADER_BYTES` before the memory of either kind of block. Any bytes are a valid `usize`.
        let found = unsafe { seal_ptr(start).read_unaligned() };
        if found == !own {
            return Self::OfParent(ParentBlock { parent, start, layout });
        }
        // This detects callers that break their promise, as far as the memory before `start` is readable all the same.
        if cfg!(debug_assertions) && found != own {
            wrong_allocator(start);
        }
        Self::Own(Block { start })
    }
}

impl<'p, P: GlobalAlloc> ParentBlock<'p, P> {
    /// Allocates uninitialized or zeroed memory for a layout.
    pub(in crate::alloc) fn new(
        parent: &'p P,
        layout: NonZeroLayout,
        contents: Contents,
    ) -> Option<Self> {
        let layout = layout.get();
        let memory = contents.of(parent, whole(layout)?)?;
        Some(Self { parent, start: past_header(memory, layout), layout }.sealed())
    }

    pub(in crate::alloc) fn free(self) {
        let (Some(whole), memory) = (whole(self.layout), self.memory()) else { return };
        // SAFETY: "currently allocated via this allocator" with "the same layout": by the invariants. If another parent
        // allocated it, `with_parent` requires that this one may free it. `self` is consumed, so it is not used again.
        unsafe { self.parent.dealloc(memory, whole.get()) };
    }

    /// Reallocates the block to the new layout, preserving the contents up to the smaller size. Returns it unchanged if the
    /// parent refuses, or the alignment is another.
    pub(in crate::alloc) fn resize(self, new: Layout) -> Result<Self, Self> {
        let (old_whole, new_whole) = (whole(self.layout), whole(new));
        let (Some(old), Some(wanted), true) =
            (old_whole, new_whole, self.layout.align() == new.align())
        else {
            return Err(self);
        };
        // SAFETY: "currently allocated" with "the same layout": by the invariants. The new size is that of a layout which is
        // not zero and has the same alignment, so it does not overflow when rounded up.
        let moved = unsafe { self.parent.realloc(self.memory(), old.get(), wanted.get().size()) };
        let Some(memory) = NonNull::new(moved) else { return Err(self) };
        Ok(Self { start: past_header(memory, new), layout: new, ..self }.sealed())
    }

    /// The start of the memory that the parent returned.
    fn memory(&self) -> *mut u8 {
        let offset = offset_for(self.layout.align());
        ptr::with_exposed_provenance_mut(self.start.addr().get() - offset)
    }

    /// Writes the seal of the parent's blocks.
    fn sealed(self) -> Self {
        let word = !seal(self.start.addr().get());
        // SAFETY: "valid for writes": the seal lies in the `HEADER_BYTES` before `start`, which are part of the memory that
        // the parent allocated, by the invariants and `offset_for`.
        unsafe { seal_ptr(self.start).write_unaligned(word) };
        self
    }
}

impl<P> ParentBlock<'_, P> {
    pub(in crate::alloc) const fn start(&self) -> NonNull<u8> {
        self.start
    }
}

/// The layout requested from the parent: the user's, preceded by the space of a header.
fn whole(layout: Layout) -> Option<NonZeroLayout> {
    // At least the alignment of a header, which is small.
    let align = layout.align().max(align_of::<usize>());
    let bytes = offset_for(layout.align()).checked_add(layout.size())?;
    let whole = Layout::from_size_align(bytes, align).ok();
    whole.filter(|_| bytes <= address_space_bytes()).and_then(NonZeroLayout::new)
}

/// The start of the user's part of memory that was allocated with the layout [`whole`].
fn past_header(memory: NonNull<u8>, layout: Layout) -> NonNull<u8> {
    // For `memory` and `sealed`.
    memory.as_ptr().expose_provenance();
    memory.map_addr(|address| address.saturating_add(offset_for(layout.align())))
}
