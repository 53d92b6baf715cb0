//! Appends events to a log in frames, follows it, and replays ranges of it.

use commitlog::message::{MessageBuf, MessageSet};
use commitlog::{CommitLog, LogOptions, Offset, ReadLimit};
use showcase::Frames;
use std::{env, fs, process};

const FRAMES: u64 = 4000;
/// In each frame.
const BATCHES: u64 = 10;
const BATCH: u64 = 100;
const REPLAYS: u64 = 10;

/// A reader that goes on where it stopped.
struct Reader {
    next: Offset,
    sum: u64,
}

impl Reader {
    /// Reads about as many bytes of messages, and adds them to the sum.
    fn read(&mut self, log: &CommitLog, bytes: usize) {
        let messages = log.read(self.next, ReadLimit::max_bytes(bytes)).unwrap();
        for message in messages.iter() {
            let (words, []) = message.payload().as_chunks::<8>() else {
                panic!("an event is three words");
            };
            for word in words {
                self.sum = self.sum.rotate_left(5) ^ u64::from_le_bytes(*word);
            }
            self.next = message.offset() + 1;
        }
    }
}

fn event(number: u64) -> Vec<u8> {
    let user = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    [number, user >> 40, user & 0xFFFF].map(u64::to_le_bytes).concat()
}

fn main() {
    let folder = env::temp_dir().join(format!("showcase-commitlog-{}", process::id()));
    let mut log = CommitLog::new(LogOptions::new(&folder)).unwrap();
    let (mut tail, mut replay) = (Reader { next: 0, sum: 0 }, Reader { next: 0, sum: 0 });
    let mut batch = MessageBuf::default();
    let mut random = 1_u64;
    let mut frames = Frames::new();
    for _ in 0..FRAMES {
        frames.time(|| {
            for _ in 0..BATCHES {
                let first = log.next_offset();
                batch.clear();
                for number in first..first + BATCH {
                    batch.push(event(number)).unwrap();
                }
                log.append(&mut batch).unwrap();
                tail.read(&log, 8 << 10);
            }
            for _ in 0..REPLAYS {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                replay.next = random % log.next_offset();
                replay.read(&log, 8 << 10);
            }
        });
    }
    assert_eq!(tail.next, log.next_offset());
    frames.finish(tail.sum.rotate_left(32) ^ replay.sum);
    drop(log);
    fs::remove_dir_all(folder).unwrap();
}
