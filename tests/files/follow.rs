//! Readers of files that another thread or process writes.

#![expect(unsafe_code, reason = "opens files of the tests")]

use crate::child::{argument, child};
use crate::{Folder, effort};
use stayput::file::{AppendOnly, Mode, Mutable};
use stayput::{FileVec, Follow};
use std::mem::MaybeUninit;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// Halves that agree, and encode the index.
type Element = [u64; 8];

fn element(index: usize) -> Element {
    [index as u64 + 1; 8]
}

/// Reads what is there until `is_done` returns `true`.
fn look(follow: &Follow<Element>, is_done: impl Fn(usize) -> bool) -> usize {
    let (mut reads, mut at) = (0, 0_usize);
    loop {
        let len = follow.len();
        assert_eq!(follow.get(usize::MAX), None);
        for index in [len.wrapping_sub(1), at % len.max(1)] {
            if let Some(found) = follow.get(index) {
                assert_eq!(found, element(index), "of {len}");
                reads += 1;
            }
        }
        at = at.wrapping_add(7919);
        if is_done(len) {
            return reads;
        }
    }
}

#[test]
fn a_thread_never_sees_half_an_element() {
    let folder = Folder::new();
    // SAFETY: nothing else writes to the file.
    let mut vec = unsafe { FileVec::<Element, AppendOnly>::create(folder.file()) }.unwrap();
    let follow = Follow::<Element>::open(folder.file()).unwrap();
    let is_done = AtomicBool::new(false);
    let reads = thread::scope(|scope| {
        let reader = scope.spawn(|| look(&follow, |_| is_done.load(Ordering::Relaxed)));
        let (begun, long) = (Instant::now(), effort::stress_duration());
        let most = vec.max_len().min(4_000_000) - 128;
        while begun.elapsed() < long && vec.len() < most {
            let len = vec.len();
            (len..len + 64).for_each(|index| vec.push(element(index)));
            vec.extend((len + 64..len + 128).map(element));
        }
        is_done.store(true, Ordering::Relaxed);
        reader.join().unwrap()
    });
    assert!(reads > 0);
    assert_eq!(follow.len(), vec.len());
    // SAFETY: nothing writes to the file any more.
    assert_eq!(unsafe { follow.as_slice() }.unwrap(), &*vec);
}

#[test]
fn shrinking_takes_nothing_from_who_reads() {
    let folder = Folder::new();
    // SAFETY: nothing else writes to the file.
    let mut vec = unsafe { FileVec::<Element, Mutable>::create(folder.file()) }.unwrap();
    let follow = Follow::<Element>::open(folder.file()).unwrap();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                // Elements that are read may have been removed or replaced: their memory exists in any case.
                let sum = follow.iter().fold(0_u64, |sum, element| sum.wrapping_add(element[7]));
                std::hint::black_box(sum);
            }
        });
        for round in 0..20 {
            vec.extend((vec.len()..10_000).map(element));
            vec.truncate(round);
            vec.shrink_to_fit();
            drop(vec);
            // SAFETY: as above.
            vec = unsafe { FileVec::open(folder.file()) }.unwrap();
            assert_eq!(vec.len(), round);
        }
        is_done.store(true, Ordering::Relaxed);
    });
    // SAFETY: as above.
    assert_eq!(unsafe { follow.as_slice() }, None);
}

#[test]
fn who_comes_while_it_grows_is_not_refused() {
    let folder = Folder::new();
    for _ in 0..5 {
        // SAFETY: nothing else writes to the file.
        let vec = unsafe { FileVec::<Element, AppendOnly>::create(folder.file()) };
        let mut vec = vec.unwrap();
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    let follow = Follow::<Element>::open(folder.file()).unwrap();
                    let last = follow.len().checked_sub(1);
                    assert_eq!(last.and_then(|last| follow.get(last)), last.map(element));
                }
            });
            for _ in 0..2000 {
                // Each writer extends the file.
                vec.reserve_exact(64);
                vec.extend((vec.len()..vec.len() + 64).map(element));
            }
            is_done.store(true, Ordering::Relaxed);
        });
    }
}

#[test]
fn elements_pushed_after_a_removal_are_never_seen_half_written() {
    let folder = Folder::new();
    // SAFETY: nothing else writes to it.
    let mut vec = unsafe { FileVec::<Element, Mutable>::create(folder.file()) }.unwrap();
    vec.extend((0..8).map(element));
    let follow = Follow::<Element>::open(folder.file()).unwrap();
    let (is_done, reads) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let is_whole = |found: &Element| found.iter().all(|word| *word == found[0]);
            let mut buffer = [const { MaybeUninit::uninit() }; 8];
            while !is_done.load(Ordering::Relaxed) {
                for index in [7, 0, 6] {
                    let found = follow.get(index);
                    assert!(found.as_ref().is_none_or(is_whole), "{found:?}");
                    reads.fetch_add(usize::from(found.is_some()), Ordering::Relaxed);
                }
                let found = follow.read(0, &mut buffer);
                assert!(found.iter().all(is_whole), "{found:?}");
                assert!(follow.iter().all(|found| is_whole(&found)));
                assert!(follow.iter().rev().all(|found| is_whole(&found)));
            }
        });
        let (begun, long) = (Instant::now(), effort::stress_duration() / 2);
        // An emulator takes many times as long for the same number of reads.
        let has_read_enough =
            || reads.load(Ordering::Relaxed) > 1000 || begun.elapsed() > 60 * long;
        for n in 0_usize.. {
            vec.pop();
            vec.push(element(n));
            if n % 64 == 0 {
                vec.clear();
                vec.extend((n..n + 8).map(element));
                if begun.elapsed() > long && has_read_enough() {
                    break;
                }
            }
        }
        is_done.store(true, Ordering::Relaxed);
    });
    assert!(reads.load(Ordering::Relaxed) > 1000, "{reads:?} reads");
}

const COUNT: usize = 200_000;

#[test]
fn reader() {
    let Some(path) = argument() else { return };
    let follow = Follow::<Element>::open(path).unwrap();
    assert!(look(&follow, |len| len == COUNT) > 0);
    assert!(follow.iter().enumerate().all(|(index, found)| found == element(index)));
}

fn is_followed_by_a_process<M: Mode>() {
    if argument().is_some() {
        return;
    }
    let folder = Folder::new();
    // SAFETY: nothing else writes to the file.
    let mut vec = unsafe { FileVec::<Element, M>::create(folder.file()) }.unwrap();
    vec.extend((0..10).map(element));
    let mut reader = child("follow::reader", folder.file()).stdout(Stdio::null()).spawn().unwrap();
    while vec.len() < COUNT {
        vec.push(element(vec.len()));
    }
    assert!(reader.wait().unwrap().success());
}

#[test]
fn a_process_sees_all() {
    is_followed_by_a_process::<AppendOnly>();
    is_followed_by_a_process::<Mutable>();
}
