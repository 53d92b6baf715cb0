//! Adapters that present `Allocator`s as a `GlobalAlloc`.

#![expect(unsafe_code, reason = "passes on the callers' promises")]

use allocator_api2_02::alloc::{AllocError, Allocator};
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::{self, NonNull};

pub(crate) struct Adapted<A>(pub(crate) A);

fn start(block: Result<NonNull<[u8]>, AllocError>, bytes: usize) -> *mut u8 {
    let Ok(block) = block else { return ptr::null_mut() };
    assert_eq!(block.len(), bytes);
    block.cast().as_ptr()
}

// SAFETY: the contract of `Allocator` includes that of `GlobalAlloc`.
unsafe impl<A: Allocator> GlobalAlloc for Adapted<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        start(self.0.allocate(layout), layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        start(self.0.allocate_zeroed(layout), layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let block = NonNull::new(block).expect("it was allocated");
        // SAFETY: the caller makes the same guarantees.
        unsafe { self.0.deallocate(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        let block = NonNull::new(block).expect("it was allocated");
        let new = Layout::from_size_align(bytes, old.align()).expect("it does not overflow");
        if bytes < old.size() {
            // SAFETY: the caller makes the same guarantees, and the new layout is smaller.
            return start(unsafe { self.0.shrink(block, old, new) }, bytes);
        }
        // SAFETY: as above, and the new layout is not smaller.
        let grown = unsafe { self.0.grow_zeroed(block, old, new) };
        let Ok(all) = grown else { return ptr::null_mut() };
        // SAFETY: `grown` has the new size, and the bytes past the old size are zeroed.
        assert!(unsafe { &all.as_ref()[old.size()..] }.iter().all(|byte| *byte == 0));
        start(grown, bytes)
    }
}
