
/// Appended to a program by `.ci/real`: `GlobalVm` with the lowest threshold, and a count of what it
/// did, printed to the file that the environment names.
mod under_global_vm {
    use std::alloc::{GlobalAlloc, Layout};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    const LARGE_BYTES: usize = 64 << 10;

    struct Counting(stayput::alloc::GlobalVm);

    #[global_allocator]
    static GLOBAL: Counting = Counting(stayput::alloc::GlobalVm::new().threshold_bytes(LARGE_BYTES));

    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    static GROWN: AtomicUsize = AtomicUsize::new(0);
    static MOVED: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    static LARGEST_BYTES: AtomicUsize = AtomicUsize::new(0);

    fn note(bytes: usize, count: &AtomicUsize) {
        if bytes >= LARGE_BYTES {
            count.fetch_add(1, Relaxed);
            MOST.fetch_max(stayput::alloc::stats().roomy_blocks, Relaxed);
            LARGEST_BYTES.fetch_max(bytes, Relaxed);
        }
    }

    // SAFETY: every call is passed on, with the caller's promises.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            note(layout.size(), &TAKEN);
            // SAFETY: as the caller promises.
            unsafe { self.0.alloc(layout) }
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            note(layout.size(), &TAKEN);
            // SAFETY: as the caller promises.
            unsafe { self.0.alloc_zeroed(layout) }
        }

        unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
            // SAFETY: as the caller promises.
            unsafe { self.0.dealloc(start, layout) }
        }

        unsafe fn realloc(&self, start: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
            // SAFETY: as the caller promises.
            let new = unsafe { self.0.realloc(start, layout, bytes) };
            let was_large = layout.size() >= LARGE_BYTES;
            let moved = was_large && new != start;
            note(bytes, if moved { &MOVED } else if was_large { &GROWN } else { &TAKEN });
            new
        }
    }

    // SAFETY: the section holds pointers to functions, which are called when the program ends.
    #[used]
    #[unsafe(link_section = ".fini_array")]
    static AT_EXIT: extern "C" fn() = report;

    extern "C" fn report() {
        let Some(file) = std::env::var_os("UNDER_GLOBAL_VM") else { return };
        let [taken, grown, moved, most, largest] =
            [&TAKEN, &GROWN, &MOVED, &MOST, &LARGEST_BYTES].map(|count| count.load(Relaxed));
        let text = format!(
            "{taken} large blocks, resized {grown} times in place and {moved} times elsewhere; \
             {most} at once, the largest {} KiB\n",
            largest >> 10,
        );
        let _ = std::fs::write(file, text);
    }
}
