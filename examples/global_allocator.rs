//! Containers of std whose large blocks grow in place, after one line is added to the program.
//!
//!     cargo run --release --example global_allocator

use stayput::alloc::{self, GlobalVm, VmAlloc};
use std::collections::HashMap;
use std::fmt::Write;

#[global_allocator]
static GLOBAL: GlobalVm = GlobalVm::new();

/// The size from which a block grows in place.
const LARGE_BYTES: usize = VmAlloc::DEFAULT_THRESHOLD_BYTES;

/// Follows the address of a container's memory as it grows.
#[derive(Default)]
struct Track {
    address: usize,
    bytes: usize,
    small_moves: u32,
    large_moves: u32,
}

impl Track {
    fn note<T>(&mut self, start: *const T, capacity: usize) {
        if start.addr() != self.address {
            match self.bytes {
                0 => {}
                LARGE_BYTES.. => self.large_moves += 1,
                _ => self.small_moves += 1,
            }
        }
        (self.address, self.bytes) = (start.addr(), capacity * size_of::<T>());
    }

    fn show(&self, what: &str) {
        println!(
            "{what:10} {:>6} KiB at {:#x}: moved {} times while small, {} times since",
            self.bytes >> 10,
            self.address,
            self.small_moves,
            self.large_moves,
        );
    }
}

fn main() -> std::fmt::Result {
    let (mut samples, mut vec_track) = (Vec::new(), Track::default());
    let (mut text, mut text_track) = (String::new(), Track::default());
    // They grow in turns, and do not block each other.
    for n in 0..2_000_000_u64 {
        samples.push(n * n);
        vec_track.note(samples.as_ptr(), samples.capacity());
        writeln!(text, "{n}")?;
        text_track.note(text.as_ptr(), text.capacity());
    }
    vec_track.show("Vec");
    text_track.show("String");
    assert_eq!((vec_track.large_moves, text_track.large_moves), (0, 0));
    assert_eq!(samples.iter().zip(0_u64..).find(|&(&square, n)| square != n * n), None);
    assert!(text.lines().zip(0..).all(|(line, n): (&str, u64)| line.parse() == Ok(n)));

    // A hash table cannot grow in place: a larger one is a new one, into which all entries are hashed again.
    let squares: HashMap<u64, u64> = samples.iter().zip(0..200_000).map(|(&s, n)| (n, s)).collect();
    assert_eq!(squares[&300], 90_000);

    let stats = alloc::stats();
    println!(
        "{} large blocks, with {} GiB of addresses to grow into",
        stats.roomy_blocks,
        stats.reserved_bytes >> 30,
    );
    drop((samples, text, squares));
    alloc::trim();
    println!("after they are freed: {}", alloc::stats().roomy_blocks);
    assert_eq!(alloc::stats().roomy_blocks, 0);
    Ok(())
}
