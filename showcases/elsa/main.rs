//! A log viewer: one thread appends lines as they arrive; another draws the last ones, and searches those before them.

use elsa::sync::FrozenVec;
use showcase::Frames;
use std::fmt::Write;
use std::sync::Barrier;
use std::thread;

const FRAMES: usize = 2000;
/// How many lines arrive in each frame.
const ARRIVING: usize = 1000;
/// How many lines are searched in each frame.
const SEARCHED: usize = 20_000;
/// How many lines are drawn.
const SHOWN: usize = 60;

/// Parses a line of a service, and writes it as it is shown.
fn line(number: usize) -> String {
    let mut line = String::new();
    let level = ["INFO ", "DEBUG", "INFO ", "WARN ", "ERROR"][number * number / 7 % 5];
    write!(line, "{level} {number:08} request {:x} took {} ms", number * 7919, number % 311)
        .expect("it fits");
    line
}

/// Appends the lines that arrive in a frame.
fn receive(lines: &FrozenVec<String>, frame: usize) {
    for number in frame * ARRIVING..(frame + 1) * ARRIVING {
        lines.push(line(number));
    }
}

/// Returns a number that depends on what is found and shown of the first `len` lines.
fn draw(lines: &FrozenVec<String>, len: usize) -> u64 {
    let mut sum = 0_u64;
    for number in len.saturating_sub(SEARCHED)..len {
        let line = lines.get(number).expect("it has arrived");
        if line.starts_with("ERROR") {
            sum = sum.rotate_left(1) ^ number as u64;
        }
    }
    for number in len.saturating_sub(SHOWN)..len {
        let line = lines.get(number).expect("it has arrived");
        sum = line.bytes().fold(sum, |sum, byte| sum.rotate_left(3) ^ u64::from(byte));
    }
    sum
}

fn main() {
    let lines = FrozenVec::new();
    let barrier = Barrier::new(2);
    let mut sum = 0_u64;
    let mut frames = Frames::new();
    thread::scope(|threads| {
        threads.spawn(|| {
            for frame in 0..FRAMES {
                barrier.wait();
                receive(&lines, frame);
            }
        });
        for frame in 0..FRAMES {
            // Not before all lines of the last frame have arrived.
            barrier.wait();
            sum = sum.rotate_left(1) ^ frames.time(|| draw(&lines, frame * ARRIVING));
        }
    });
    frames.finish(sum ^ lines.len() as u64);
}
