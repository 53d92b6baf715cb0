//! A checksum of bytes as they are written, so that work is verified without keeping what it writes.

use std::io::{self, Write};

/// In the manner of FNV, and the number of bytes. It depends on how the bytes are split into writes.
#[derive(Debug)]
pub(crate) struct Checksum {
    hash: u64,
    pub(crate) bytes: usize,
}

impl Checksum {
    pub(crate) fn new() -> Self {
        Self { hash: 0xCBF2_9CE4_8422_2325, bytes: 0 }
    }

    /// Returns the checksum of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> u64 {
        let mut checksum = Self::new();
        checksum.add(bytes);
        checksum.hash
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        // A word at a time: a byte at a time would take longer than the work.
        for word in bytes.chunks(size_of::<u64>()) {
            let mut whole = [0; size_of::<u64>()];
            whole[..word.len()].copy_from_slice(word);
            let mixed = (self.hash ^ u64::from_le_bytes(whole)).wrapping_mul(0x0100_0000_01B3);
            self.hash = mixed.rotate_left(23);
        }
    }
}

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
