//! An array in memory that another process reads.
//!
//! The array is in a file that exists in memory only (`memfd`). It grows there like any other array, and its
//! elements never move, so a reader needs only the file and the number of elements, which a page before the
//! array holds. Linux only.
//!
//!     cargo run --example shared_memory

#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "maps a file, and guarantees its contents")
)]

#[cfg(target_os = "linux")]
mod shared {
    use stayput::{Backing, Error, VmVec, page_size};
    use std::ffi::{c_int, c_void};
    use std::ops::Range;
    use std::process::Command;
    use std::ptr::{self, NonNull};
    use std::slice;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::{env, io};

    /// The element type that both sides agree on.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    struct Reading {
        sensor: u64,
        value: f64,
    }

    impl Reading {
        fn number(n: u32) -> Self {
            Self { sensor: u64::from(n) % 7, value: f64::from(n) / 2.0 }
        }
    }

    /// The most the file can hold; memory is taken only where it is committed.
    const BYTES: usize = 64 << 20;

    /// A file that is mapped as a whole: a page for the count, then the array.
    struct Region {
        file: c_int,
        start: NonNull<u8>,
    }

    // SAFETY: the mapping belongs to the process. In the first page only an atomic is used, and the rest
    // belongs to the array.
    unsafe impl Send for Region {}
    // SAFETY: as above.
    unsafe impl Sync for Region {}

    impl Region {
        fn new() -> io::Result<Self> {
            // Readers inherit the open file, so it is not closed on `exec`.
            // SAFETY: the name is a C string.
            let file = unsafe { libc::memfd_create(c"readings".as_ptr(), 0) };
            let bytes =
                libc::off_t::try_from(page_size() + BYTES).expect("the size fits into off_t");
            // SAFETY: the call accesses no memory of this process.
            if file < 0 || unsafe { libc::ftruncate(file, bytes) } < 0 {
                return Err(io::Error::last_os_error());
            }
            let region = Self::map(file, libc::PROT_READ | libc::PROT_WRITE)?;
            region.allocate(0, 0..page_size())?;
            Ok(region)
        }

        fn map(file: c_int, access: c_int) -> io::Result<Self> {
            let (bytes, flags) = (page_size() + BYTES, libc::MAP_SHARED);
            // SAFETY: the system chooses an unused address.
            let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, file, 0) };
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            Ok(Self { file, start: NonNull::new(start.cast()).expect("the address is not 0") })
        }

        /// Returns the number of elements.
        fn count(&self) -> &AtomicU64 {
            // SAFETY: the first page is mapped, zero at first, and used for nothing else.
            unsafe { self.start.cast().as_ref() }
        }

        fn elements(&self) -> NonNull<u8> {
            // SAFETY: the mapping continues past the first page.
            unsafe { self.start.add(page_size()) }
        }

        /// Allocates a part of the file, or returns it to the system.
        fn allocate(&self, mode: c_int, range: Range<usize>) -> io::Result<()> {
            let at = |offset| libc::off_t::try_from(offset).expect("offsets fit into off_t");
            // SAFETY: the call changes the file and no mapping.
            match unsafe { libc::fallocate(self.file, mode, at(range.start), at(range.len())) } {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        }
    }

    impl Drop for Region {
        fn drop(&mut self) {
            let start = self.start.as_ptr().cast::<c_void>();
            // SAFETY: `map` created this mapping, and nothing uses it any more.
            unsafe { libc::munmap(start, page_size() + BYTES) };
            // SAFETY: this value owns the file.
            unsafe { libc::close(self.file) };
        }
    }

    /// The part past the first page, for an array.
    struct Elements(Arc<Region>);

    impl Elements {
        fn allocate(&self, mode: c_int, range: &Range<usize>) -> Result<(), Error> {
            let in_file = page_size() + range.start..page_size() + range.end;
            self.0.allocate(mode, in_file).map_err(|error| {
                Error::from_raw_os_error(error.raw_os_error().unwrap_or(0), range.len())
            })
        }
    }

    // SAFETY: the mapping lives as long as the region, which this value holds. It is readable and writable as a
    // whole, and only the array writes past the first page. Memory that is not allocated, or was returned, is
    // zero. A refused call changes nothing, and none unwinds.
    unsafe impl Backing for Elements {
        fn start(&self) -> NonNull<u8> {
            self.0.elements()
        }

        fn reserved_bytes(&self) -> usize {
            BYTES
        }

        /// Allocates memory now, so that a shortage is an error. Otherwise memory would be allocated when it is
        /// touched, and a shortage would kill the process.
        unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
            self.allocate(0, &range)
        }

        unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
            self.allocate(libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE, &range)
        }
    }

    /// The other process: reads the array.
    fn read(file: c_int) -> io::Result<()> {
        let region = Region::map(file, libc::PROT_READ)?;
        let count = region.count().load(Ordering::Acquire);
        let count = usize::try_from(count).expect("the count fits into a usize");
        assert!(count <= BYTES / size_of::<Reading>());
        let first = region.elements().cast::<Reading>();
        // SAFETY: the first `count` elements are written, and the writer waits for this process.
        let readings = unsafe { slice::from_raw_parts(first.as_ptr(), count) };
        assert!(readings.iter().copied().eq((0..).map(Reading::number).take(count)));
        println!("the reader found {count} readings");
        Ok(())
    }

    pub(super) fn run() -> Result<(), Box<dyn std::error::Error>> {
        if let Some(file) = env::args().nth(1) {
            return Ok(read(file.parse()?)?);
        }
        let region = Arc::new(Region::new()?);
        let mut readings = VmVec::<Reading>::builder().try_build_in(Elements(region.clone()))?;
        let address = readings.as_ptr();
        for end in [1000, 100_000] {
            let begin = u32::try_from(readings.len())?;
            readings
                .try_extend_from_slice(&(begin..end).map(Reading::number).collect::<Vec<_>>())?;
            region.count().store(readings.len() as u64, Ordering::Release);
            let mut reader = Command::new(env::current_exe()?);
            assert!(reader.arg(region.file.to_string()).status()?.success());
        }
        assert_eq!(readings.as_ptr(), address);

        // Shrinking returns memory to the system here too.
        let before = readings.stats().committed_bytes;
        readings.truncate(1000);
        readings.try_shrink_to_fit()?;
        let after = readings.stats().committed_bytes;
        println!("{before} bytes were committed, now {after}, at the same address {address:p}");
        assert!(after < before && readings[999] == Reading::number(999));
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    shared::run()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("this example needs Linux");
}
