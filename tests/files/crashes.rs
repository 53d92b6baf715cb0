//! Writers that are killed at any moment.

#![expect(unsafe_code, reason = "opens files of the tests")]

use crate::child::{argument, child};
use crate::{Folder, effort};
use stayput::file::{AppendOnly, Mode, Mutable};
use stayput::{FileVec, Follow};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

type Element = [u64; 3];

fn element(index: usize) -> Element {
    let index = index as u64;
    [index, !index, index.wrapping_mul(0x9E37_79B9_7F4A_7C15)]
}

/// Writes until it is killed: one by one, many at once, and zeros that become numbers; removes some if the mode allows.
fn write<M: Mode>(path: &Path, mut remove: impl FnMut(&mut FileVec<Element, M>, usize)) {
    // SAFETY: the parent writes to the file only after this process ended.
    let mut vec = unsafe { FileVec::<Element, M>::open_or_create(path) }.unwrap();
    for round in 0_usize.. {
        let len = vec.len();
        match round % 4 {
            0 => (len..len + 100).for_each(|index| vec.push(element(index))),
            1 => vec.extend((len..len + 500).map(element)),
            2 => {
                let many: Vec<Element> = (len..len + 300).map(element).collect();
                vec.extend_from_slice(&many);
            }
            _ => remove(&mut vec, round),
        }
        if round % 97 == 96 {
            vec.set_user_bytes([u8::try_from(round % 251).unwrap(); 64]);
            vec.flush().unwrap();
        }
        if vec.len() > 2_000_000 {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn writer() {
    if let Some(path) = argument() {
        write::<AppendOnly>(path.as_ref(), |_, _| ());
    }
}

#[test]
fn writer_that_removes() {
    if let Some(path) = argument() {
        write::<Mutable>(path.as_ref(), |vec, round| {
            vec.truncate(vec.len() - round % 50);
            vec.pop();
        });
    }
}

/// Kills a writer after a time, and checks what it has left.
fn kill<M: Mode>(folder: &Folder, test: &str, after: Duration, may_remove: bool) {
    let path = folder.file();
    let mut writer = child(test, &path).stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let mut seen = (0, 0);
    while begun.elapsed() < after {
        if let Ok(follow) = Follow::<Element>::open(&path) {
            seen = (follow.len(), seen.1.max(follow.len()));
        }
        thread::sleep(Duration::from_micros(200));
    }
    writer.kill().unwrap();
    writer.wait().unwrap();
    if !path.exists() {
        return;
    }
    // SAFETY: the writer is gone.
    let mut vec = unsafe { FileVec::<Element, M>::open_or_create(&path) }.unwrap();
    assert!(may_remove || vec.len() >= seen.0, "{} of {} are left", vec.len(), seen.0);
    assert!(vec.len() >= vec.flushed_len() || may_remove, "what was flushed is lost");
    for (index, found) in vec.iter().enumerate() {
        assert_eq!(*found, element(index), "of {}", vec.len());
    }
    vec.push(element(vec.len()));
    if vec.len() > 500_000 {
        drop(vec);
        fs::remove_file(&path).unwrap();
    }
}

fn kill_often<M: Mode>(test: &str, may_remove: bool) {
    let folder = Folder::new();
    for round in 0..effort::rounds(15) {
        let after = Duration::from_micros(u64::from(round) * 7919 % 40_000);
        kill::<M>(&folder, test, after, may_remove);
    }
}

#[test]
fn nothing_that_was_pushed_is_lost_with_a_writer() {
    if argument().is_none() {
        kill_often::<AppendOnly>("crashes::writer", false);
    }
}

#[test]
fn nothing_that_was_pushed_is_lost_with_a_writer_that_removes() {
    if argument().is_none() {
        kill_often::<Mutable>("crashes::writer_that_removes", true);
    }
}
