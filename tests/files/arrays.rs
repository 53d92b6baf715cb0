//! A `FileVec` is what a `Vec` is, closed and opened again at any time.

#![expect(unsafe_code, reason = "opens files that nobody else writes to")]

use crate::{Folder, effort};
use bytemuck::Pod;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use stayput::file::{Advice, Mutable, Space};
use stayput::{Budget, FileVec, Growth};
use std::fmt::Debug;
use std::path::Path;

#[derive(Clone, Debug)]
enum Op {
    Push(u8),
    Extend(u8, usize),
    ExtendFromSlice(u8, usize),
    ExtendZeroed(usize),
    Pop,
    Truncate(usize),
    SwapRemove(usize),
    Resize(usize, u8),
    ResizeZeroed(usize),
    Change(usize, u8),
    GrowOnly(u8, usize),
    Reserve(usize),
    Prefault(usize),
    PrefaultAhead,
    Shrink,
    Clear,
    Flush,
    FlushSome,
    Reopen,
    Close,
}

fn op() -> impl Strategy<Value = Op> {
    let many = || 0_usize..20_000;
    prop_oneof![
        3 => any::<u8>().prop_map(Op::Push),
        2 => (any::<u8>(), many()).prop_map(|(value, count)| Op::Extend(value, count)),
        2 => (any::<u8>(), many()).prop_map(|(value, count)| Op::ExtendFromSlice(value, count)),
        2 => many().prop_map(Op::ExtendZeroed),
        2 => Just(Op::Pop),
        3 => many().prop_map(Op::Truncate),
        2 => any::<usize>().prop_map(Op::SwapRemove),
        1 => (many(), any::<u8>()).prop_map(|(len, value)| Op::Resize(len, value)),
        1 => many().prop_map(Op::ResizeZeroed),
        2 => (any::<usize>(), any::<u8>()).prop_map(|(index, value)| Op::Change(index, value)),
        1 => (any::<u8>(), many()).prop_map(|(value, count)| Op::GrowOnly(value, count)),
        1 => many().prop_map(Op::Reserve),
        1 => many().prop_map(Op::Prefault),
        1 => Just(Op::PrefaultAhead),
        2 => Just(Op::Shrink),
        1 => Just(Op::Clear),
        1 => Just(Op::Flush),
        1 => Just(Op::FlushSome),
        2 => Just(Op::Reopen),
        1 => Just(Op::Close),
    ]
}

fn of<T: Pod>(byte: u8) -> T {
    let mut value = T::zeroed();
    bytemuck::bytes_of_mut(&mut value).fill(byte);
    value
}

fn apply<T: Pod + Debug + PartialEq>(
    mut vec: FileVec<T>,
    model: &mut Vec<T>,
    op: &Op,
    open: impl Fn() -> FileVec<T>,
) -> FileVec<T> {
    match *op {
        Op::Push(value) => {
            vec.push(of(value));
            model.push(of(value));
        }
        Op::Extend(value, count) => {
            vec.extend((0..count).map(|_| of::<T>(value)));
            model.extend((0..count).map(|_| of::<T>(value)));
        }
        Op::ExtendFromSlice(value, count) => {
            let many = vec![of::<T>(value); count];
            vec.extend_from_slice(&many);
            model.extend_from_slice(&many);
        }
        Op::ExtendZeroed(count) => {
            vec.extend_zeroed(count);
            model.resize(model.len() + count, T::zeroed());
        }
        Op::Pop => assert_eq!(vec.pop(), model.pop()),
        Op::Truncate(len) => {
            vec.truncate(len);
            model.truncate(len);
        }
        Op::SwapRemove(index) if !model.is_empty() => {
            let index = index % model.len();
            assert_eq!(vec.swap_remove(index), model.swap_remove(index));
        }
        Op::Resize(len, value) => {
            vec.resize(len, of(value));
            model.resize(len, of(value));
        }
        Op::ResizeZeroed(len) => {
            vec.resize_zeroed(len);
            model.resize(len, T::zeroed());
        }
        Op::Change(index, value) if !model.is_empty() => {
            let index = index % model.len();
            vec[index] = of(value);
            model[index] = of(value);
        }
        Op::GrowOnly(value, count) => {
            let scope = vec.grow_only();
            let first = scope.push(of(value));
            for _ in 1..count {
                scope.push(of(value));
            }
            assert_eq!(*first, of(value));
            model.extend((0..count.max(1)).map(|_| of::<T>(value)));
        }
        Op::Reserve(count) => {
            vec.reserve(count);
            assert!(vec.capacity() >= vec.len() + count);
        }
        Op::Prefault(count) => vec.prefault(count),
        Op::PrefaultAhead => {
            vec.prefault_ahead(Budget::bytes(1 << 16));
        }
        Op::Shrink => vec.shrink_to_fit(),
        Op::Clear => {
            vec.clear();
            model.clear();
        }
        Op::Flush => {
            vec.flush().unwrap();
            assert_eq!(vec.flushed_len(), model.len());
        }
        Op::FlushSome => {
            vec.flush_async().unwrap();
            vec.flush_range(model.len() / 3..).unwrap();
            vec.advise(Advice::Random).unwrap();
        }
        Op::Reopen => {
            drop(vec);
            vec = open();
        }
        Op::Close => {
            vec.close().unwrap();
            vec = open();
        }
        Op::SwapRemove(_) | Op::Change(..) => {}
    }
    vec
}

fn agrees<T: Pod + Debug + PartialEq>(space: Space) {
    let runs = &proptest::collection::vec(op(), 1..30);
    TestRunner::new(effort::cases(16))
        .run(runs, |ops| {
            let folder = Folder::new();
            let path = folder.file();
            let builder = FileVec::<T, Mutable>::builder()
                .space(space)
                .growth(Growth::Fixed { step_bytes: 1 << 16 });
            // SAFETY: nobody else has it.
            let open = |path: &Path| unsafe { builder.open(path) }.unwrap();
            // SAFETY: as above.
            let mut vec = unsafe { builder.create_new(&path) }.unwrap();
            let mut model = Vec::new();
            for op in &ops {
                let address = vec.as_ptr();
                let is_opened = matches!(op, Op::Reopen | Op::Close);
                vec = apply(vec, &mut model, op, || open(&path));
                assert_eq!(*vec, *model);
                assert!(is_opened || address == vec.as_ptr());
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn bytes_agree_with_vec() {
    agrees::<u8>(Space::Allocated);
}

#[test]
fn words_agree_with_vec() {
    agrees::<u64>(Space::Sparse);
}

#[test]
fn elements_that_pages_do_not_hold_whole_agree_with_vec() {
    agrees::<[u8; 29]>(Space::Allocated);
}

#[test]
fn elements_without_a_size_agree_with_vec() {
    agrees::<()>(Space::Allocated);
}

#[test]
fn what_it_says_of_itself_holds() {
    let folder = Folder::new();
    // SAFETY: nobody else has it.
    let vec =
        unsafe { FileVec::<u64>::builder().max_len(5000).capacity(100).create(folder.file()) };
    let mut vec = vec.unwrap();
    vec.extend(0..1000);
    vec.flush().unwrap();
    vec.push(1000);
    let stats = vec.stats();
    assert_eq!((stats.len, stats.flushed_len, stats.max_len), (1001, 1000, 5000));
    assert!(stats.capacity >= 1001 && stats.capacity <= 5000);
    assert!(stats.committed_bytes >= 8008 && stats.reserved_bytes >= 40_000);
    let long = std::fs::metadata(folder.file()).unwrap().len();
    assert_eq!(stats.file_bytes, Some(long));
    assert_eq!(vec.path(), Some(&*folder.file()));
    let file = vec.into_file().unwrap();
    assert_eq!(file.metadata().unwrap().len(), 65_536 + 1001 * 8);
}
