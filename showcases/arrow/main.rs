//! Collects batches of log entries into columns, as a viewer or a query engine does.

#[cfg(not(feature = "vec"))]
use arrow_buffer::BufferBuilder;
use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer};
use showcase::Frames;
use std::collections::VecDeque;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// One batch is added in each frame.
const BATCH_ROWS: usize = 8192;
/// How many batches become a chunk of columns.
const CHUNKS: [u32; 8] = [150, 320, 240, 290, 170, 310, 220, 300];
/// How many finished chunks are kept.
const KEPT: usize = 2;

#[cfg(not(feature = "vec"))]
struct Column<T: ArrowNativeType>(BufferBuilder<T>);
#[cfg(feature = "vec")]
struct Column<T: ArrowNativeType>(Vec<T>);

#[cfg(not(feature = "vec"))]
impl<T: ArrowNativeType> Column<T> {
    fn new() -> Self {
        Self(BufferBuilder::new(0))
    }

    fn push(&mut self, value: T) {
        self.0.append(value);
    }

    fn extend(&mut self, values: &[T]) {
        self.0.append_slice(values);
    }

    fn finish(mut self) -> Buffer {
        self.0.finish()
    }
}

#[cfg(feature = "vec")]
impl<T: ArrowNativeType> Column<T> {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn push(&mut self, value: T) {
        self.0.push(value);
    }

    fn extend(&mut self, values: &[T]) {
        self.0.extend_from_slice(values);
    }

    fn finish(self) -> Buffer {
        Buffer::from_vec(self.0)
    }
}

/// A column of strings and nulls.
struct Strings {
    bytes: Column<u8>,
    ends: Column<i32>,
    valid: BooleanBufferBuilder,
}

impl Strings {
    fn new() -> Self {
        let mut ends = Column::new();
        ends.push(0);
        Self { bytes: Column::new(), ends, valid: BooleanBufferBuilder::new(0) }
    }

    fn push(&mut self, string: Option<&str>) {
        self.bytes.extend(string.unwrap_or_default().as_bytes());
        self.ends.push(self.bytes.0.len() as i32);
        self.valid.append(string.is_some());
    }

    fn finish(self) -> [Buffer; 3] {
        [self.bytes.finish(), self.ends.finish(), self.valid.build().into_inner()]
    }
}

struct Chunk {
    times: Column<i64>,
    durations: Column<f64>,
    hosts: Strings,
    messages: Strings,
}

impl Chunk {
    fn new() -> Self {
        let (times, durations) = (Column::new(), Column::new());
        Self { times, durations, hosts: Strings::new(), messages: Strings::new() }
    }

    fn push(&mut self, number: u64, text: &str) {
        let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let part = |from: u64, len: u64| &text[from as usize % 4000..][..len as usize];
        self.times.push(number as i64 * 250);
        self.durations.push(random as f64 / 1e9);
        self.hosts.push((random % 50 != 0).then(|| part(random % 300 * 13, 10 + random % 12)));
        self.messages.push(Some(part(random >> 9, 16 + (random >> 21) % 64)));
    }

    /// Finished buffers are kept for long, so their spare capacity is not.
    fn finish(self) -> Vec<Buffer> {
        let mut buffers = vec![self.times.finish(), self.durations.finish()];
        buffers.extend(self.hosts.finish());
        buffers.extend(self.messages.finish());
        for buffer in &mut buffers {
            buffer.shrink_to_fit();
        }
        buffers
    }
}

fn sum(buffers: &[Buffer]) -> u64 {
    let words = buffers.iter().flat_map(|buffer| buffer.as_slice().chunks(8));
    words.fold(0, |sum: u64, bytes| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        sum.rotate_left(1).wrapping_add(u64::from_le_bytes(word))
    })
}

fn main() {
    let text: String = (0..600).map(|number| format!("GET /{number:x}/ ")).collect();
    let mut frames = Frames::new();
    let (mut store, mut result, mut rows) = (VecDeque::new(), 0_u64, 0..);
    for batches in CHUNKS {
        let mut chunk = Chunk::new();
        for _ in 0..batches {
            frames.time(|| {
                for number in rows.by_ref().take(BATCH_ROWS) {
                    chunk.push(number, &text);
                }
            });
        }
        frames.time(|| {
            store.push_back(chunk.finish());
            if store.len() > KEPT {
                store.pop_front();
            }
        });
        result = result.rotate_left(7) ^ store.back().map_or(0, |chunk| sum(chunk));
    }
    frames.finish(result);
}
