//! Tests that a `FileVec` behaves as a `Vec` that is closed and opened again at any time.

#![expect(unsafe_code, reason = "opens files of the tests")]

use crate::{Folder, made};
use bytemuck::Pod;
use stayput::file::{Advice, Mutable, Space};
use stayput::{Budget, FileVec, Growth};
use std::fmt::Debug;
use std::path::Path;

arbitrary! {
    enum Op {
        Push(u8),
        Extend(u8, Many),
        ExtendFromSlice(u8, Many),
        ExtendZeroed(Many),
        Pop,
        Truncate(Many),
        SwapRemove(u16),
        Resize(Many, u8),
        ResizeZeroed(Many),
        Change(u16, u8),
        GrowOnly(u8, Many),
        Reserve(Many),
        Prefault(Many),
        PrefaultAhead,
        Shrink,
        Clear,
        Flush,
        FlushSome,
        Reopen,
        Close,
    }

    /// A number of elements.
    struct Many(u16);
}

impl Many {
    fn get(self) -> usize {
        usize::from(self.0) % 20_000
    }
}

fn of<T: Pod>(byte: u8) -> T {
    let mut value = T::zeroed();
    bytemuck::bytes_of_mut(&mut value).fill(byte);
    value
}

fn apply<T: Pod + Debug + PartialEq>(
    mut vec: FileVec<T>,
    model: &mut Vec<T>,
    op: Op,
    open: impl Fn() -> FileVec<T>,
) -> FileVec<T> {
    match op {
        Op::Push(value) => {
            vec.push(of(value));
            model.push(of(value));
        }
        Op::Extend(value, count) => {
            let count = count.get();
            vec.extend((0..count).map(|_| of::<T>(value)));
            model.extend((0..count).map(|_| of::<T>(value)));
        }
        Op::ExtendFromSlice(value, count) => {
            let many = vec![of::<T>(value); count.get()];
            vec.extend_from_slice(&many);
            model.extend_from_slice(&many);
        }
        Op::ExtendZeroed(count) => {
            vec.extend_zeroed(count.get());
            model.resize(model.len() + count.get(), T::zeroed());
        }
        Op::Pop => assert_eq!(vec.pop(), model.pop()),
        Op::Truncate(len) => {
            vec.truncate(len.get());
            model.truncate(len.get());
        }
        Op::SwapRemove(index) if !model.is_empty() => {
            let index = usize::from(index) % model.len();
            assert_eq!(vec.swap_remove(index), model.swap_remove(index));
        }
        Op::Resize(len, value) => {
            vec.resize(len.get(), of(value));
            model.resize(len.get(), of(value));
        }
        Op::ResizeZeroed(len) => {
            vec.resize_zeroed(len.get());
            model.resize(len.get(), T::zeroed());
        }
        Op::Change(index, value) if !model.is_empty() => {
            let index = usize::from(index) % model.len();
            vec[index] = of(value);
            model[index] = of(value);
        }
        Op::GrowOnly(value, count) => {
            let scope = vec.grow_only();
            let first = scope.push(of(value));
            for _ in 1..count.get() {
                scope.push(of(value));
            }
            assert_eq!(*first, of(value));
            model.extend((0..count.get().max(1)).map(|_| of::<T>(value)));
        }
        Op::Reserve(count) => {
            vec.reserve(count.get());
            assert!(vec.capacity() >= vec.len() + count.get());
        }
        Op::Prefault(count) => vec.prefault(count.get()),
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
    made::run_with(16, 1..30, |(), ops: &[Op]| {
        let folder = Folder::new();
        let path = folder.file();
        let builder = FileVec::<T, Mutable>::builder()
            .space(space)
            .growth(Growth::Fixed { step_bytes: 1 << 16 });
        // SAFETY: nothing else uses the file.
        let open = |path: &Path| unsafe { builder.open(path) }.unwrap();
        // SAFETY: as above.
        let mut vec = unsafe { builder.create_new(&path) }.unwrap();
        let mut model = Vec::new();
        for op in ops {
            let address = vec.as_ptr();
            let is_opened = matches!(op, Op::Reopen | Op::Close);
            vec = apply(vec, &mut model, *op, || open(&path));
            assert_eq!(*vec, *model);
            assert!(is_opened || address == vec.as_ptr());
        }
    });
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
    // SAFETY: nothing else uses the file.
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
