# Adds the allocator of buffers: blocks that a `MutableBuffer` has made are from stayput, those of a `Vec` are not.

s/(use std::alloc::)(Layout;\n)/$1\{GlobalAlloc, $2/ or die;
s/(GlobalAlloc, Layout);/$1};/ or die;
s/(use std::sync::Arc;\n)/$1\nuse stayput::alloc::{Global, GlobalVm};\n/ or die;
s/(pub use alignment::ALIGNMENT;\n)/$1
\/\/\/ The allocator of blocks of this layout. A `Vec` is aligned to its elements, which is less than [`ALIGNMENT`].
pub(crate) fn allocator(layout: Layout) -> &'static dyn GlobalAlloc {
    static LARGE: GlobalVm<Global> = GlobalVm::with_parent(Global);
    if layout.align() == ALIGNMENT { &LARGE } else { &Global }
}
/ or die;
