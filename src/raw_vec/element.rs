//! [`Element`]: the type of an array's elements, for code that is compiled once.

#![forbid(unsafe_code)]

use crate::register::TypeName;
use std::alloc::Layout;

/// What an array without an element type has to know of its elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    layout: Layout,
    /// For memory maps.
    pub(super) type_name: TypeName,
}

impl Element {
    pub(crate) const fn of<T>() -> Self {
        Self::with_layout::<T>(Layout::new::<T>())
    }

    /// Values of `T` that are stored with another layout, as rows are.
    pub(crate) const fn with_layout<T: ?Sized>(layout: Layout) -> Self {
        Self { layout, type_name: TypeName::of::<T>() }
    }

    #[cfg(feature = "columns")]
    pub(crate) const fn layout(self) -> Layout {
        self.layout
    }

    pub(crate) const fn size(self) -> usize {
        self.layout.size()
    }

    pub(crate) const fn align(self) -> usize {
        self.layout.align()
    }
}
