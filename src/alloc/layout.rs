//! [`NonZeroLayout`]: a layout for which an allocator may be asked.

#![expect(unsafe_code, reason = "takes sizes that callers promise")]

use std::alloc::Layout;

/// A layout whose size is not zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct NonZeroLayout(Layout);

impl NonZeroLayout {
    #[inline]
    pub(super) const fn new(layout: Layout) -> Option<Self> {
        if layout.size() > 0 { Some(Self(layout)) } else { None }
    }

    /// # Safety
    ///
    /// - The size is not zero.
    #[inline]
    pub(super) const unsafe fn new_unchecked(layout: Layout) -> Self {
        debug_assert!(layout.size() > 0);
        Self(layout)
    }

    /// # Safety
    ///
    /// - `size` is not zero. Rounded up to the alignment, it does not exceed `isize::MAX`.
    #[inline]
    pub(super) const unsafe fn with_size(size: usize, align_of: Layout) -> Self {
        debug_assert!(size > 0);
        // SAFETY: the alignment of a layout is "a power of two" and "not zero", and the caller promises that the size,
        // "when rounded up to the nearest multiple of align, must not overflow `isize`".
        Self(unsafe { Layout::from_size_align_unchecked(size, align_of.align()) })
    }

    #[inline]
    pub(super) const fn get(self) -> Layout {
        self.0
    }
}
