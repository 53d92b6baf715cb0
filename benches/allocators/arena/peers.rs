//! The same work for each arena, with the settings that its users would choose.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bumpalo::Bump;
use stayput::Arena;

use super::{BASE, Case, Extent, Unit};

/// Strings of 4 to 35 bytes, the length of names.
const TEXT: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

/// Cases that create an arena in each run.
pub(super) fn new(values: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    new_small::<1>(&mut cases, STORE[0], values);
    new_small::<4>(&mut cases, STORE[1], values);
    new_small::<8>(&mut cases, STORE[2], values);
    #[cfg(feature = "allocator-api2-02")]
    growing::new(&mut cases, values);
    cases
}

/// Cases with an existing arena.
pub(super) fn warm(extent: &Extent) -> Vec<Case> {
    let values = extent.values;
    let mut cases = Vec::new();
    warm_small::<1>(&mut cases, STORE[0], values);
    warm_small::<4>(&mut cases, STORE[1], values);
    warm_small::<8>(&mut cases, STORE[2], values);
    text(&mut cases, values);
    slices(&mut cases, values);
    scopes(&mut cases, values);
    #[cfg(feature = "allocator-api2-02")]
    growing::warm(&mut cases, values);
    reset(&mut cases, extent.reset_bytes);
    cases
}

const STORE: [&str; 3] = ["store 8 bytes", "store 32 bytes", "store 64 bytes"];

fn case(
    operation: &'static str,
    arena: &'static str,
    count: usize,
    run: impl FnMut() -> Duration + 'static,
) -> Case {
    Case { operation, arena, unit: Unit::NsEach, count, run: Box::new(run) }
}

fn value<const WORDS: usize>(n: usize) -> [u64; WORDS] {
    std::array::from_fn(|word| (n ^ word) as u64)
}

/// Bytes for `count` values, and some for their alignment.
const fn room<const WORDS: usize>(count: usize) -> usize {
    count * WORDS * size_of::<u64>() + (1 << 10)
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Stores values one by one, inlined into a function for each arena.
#[inline(always)]
fn store<'a, const WORDS: usize>(
    count: usize,
    mut store: impl FnMut([u64; WORDS]) -> &'a mut [u64; WORDS],
) -> Duration {
    timed(|| {
        for n in 0..count {
            black_box(store(value(black_box(n))));
        }
    })
}

fn new_small<const WORDS: usize>(cases: &mut Vec<Case>, operation: &'static str, count: usize) {
    cases.push(case(operation, BASE, count, move || {
        let arena = Arena::new();
        store::<WORDS>(count, |value| arena.alloc(value))
    }));
    cases.push(case(operation, "bumpalo", count, move || {
        let bump = Bump::new();
        store::<WORDS>(count, |value| bump.alloc(value))
    }));
    cases.push(case(operation, "bumpalo, capacity", count, move || {
        let bump = Bump::with_capacity(room::<WORDS>(count));
        store::<WORDS>(count, |value| bump.alloc(value))
    }));
    cases.push(case(operation, "typed-arena", count, move || {
        let arena = typed_arena::Arena::new();
        store::<WORDS>(count, |value| arena.alloc(value))
    }));
    cases.push(case(operation, "Box", count, move || {
        let mut boxes = Vec::with_capacity(count);
        timed(|| {
            for n in 0..count {
                boxes.push(Box::new(value::<WORDS>(black_box(n))));
            }
            black_box(&boxes);
        })
    }));
    cases.push(case(operation, "Vec", count, move || {
        let mut vec = Vec::new();
        timed(|| push::<WORDS>(&mut vec, count))
    }));
}

fn warm_small<const WORDS: usize>(cases: &mut Vec<Case>, operation: &'static str, count: usize) {
    let mut arena = Arena::new();
    store::<WORDS>(count, |value| arena.alloc(value));
    cases.push(case(operation, BASE, count, move || {
        arena.reset();
        store::<WORDS>(count, |value| arena.alloc(value))
    }));
    // With the capacity, it has one chunk, which is what a reset keeps.
    let mut bump = Bump::with_capacity(room::<WORDS>(count));
    store::<WORDS>(count, |value| bump.alloc(value));
    cases.push(case(operation, "bumpalo, capacity", count, move || {
        bump.reset();
        store::<WORDS>(count, |value| bump.alloc(value))
    }));
    let mut vec = Vec::new();
    push::<WORDS>(&mut vec, count);
    cases.push(case(operation, "Vec", count, move || {
        vec.clear();
        timed(|| push::<WORDS>(&mut vec, count))
    }));
}

#[inline(always)]
fn push<const WORDS: usize>(vec: &mut Vec<[u64; WORDS]>, count: usize) {
    for n in 0..count {
        vec.push(value(black_box(n)));
        black_box(vec.last_mut());
    }
}

fn text(cases: &mut Vec<Case>, count: usize) {
    const OPERATION: &str = "store a string";
    fn store<'a>(count: usize, mut store: impl FnMut(&str) -> &'a mut str) -> Duration {
        timed(|| {
            for n in 0..count {
                black_box(store(&TEXT[..4 + black_box(n) % 32]));
            }
        })
    }
    let mut arena = Arena::new();
    store(count, |text| arena.alloc_str(text));
    cases.push(case(OPERATION, BASE, count, move || {
        arena.reset();
        store(count, |text| arena.alloc_str(text))
    }));
    let mut bump = Bump::with_capacity(count * TEXT.len());
    store(count, |text| bump.alloc_str(text));
    cases.push(case(OPERATION, "bumpalo, capacity", count, move || {
        bump.reset();
        store(count, |text| bump.alloc_str(text))
    }));
}

#[expect(clippy::cast_possible_truncation, reason = "slices are short")]
fn slices(cases: &mut Vec<Case>, count: usize) {
    const OPERATION: &str = "store 0 to 15 u32";
    fn store<'a>(count: usize, mut store: impl FnMut(usize) -> &'a mut [u32]) -> Duration {
        timed(|| {
            for n in 0..count {
                black_box(store(black_box(n) % 16));
            }
        })
    }
    let make = |n: usize| n as u32;
    let mut arena = Arena::new();
    store(count, |len| arena.alloc_slice_fill_with(len, make));
    cases.push(case(OPERATION, BASE, count, move || {
        arena.reset();
        store(count, |len| arena.alloc_slice_fill_with(len, make))
    }));
    let mut bump = Bump::with_capacity(count * 16 * size_of::<u32>());
    store(count, |len| bump.alloc_slice_fill_with(len, make));
    cases.push(case(OPERATION, "bumpalo, capacity", count, move || {
        bump.reset();
        store(count, |len| bump.alloc_slice_fill_with(len, make))
    }));
}

/// Eight values at a time are stored, and freed.
fn scopes(cases: &mut Vec<Case>, count: usize) {
    const OPERATION: &str = "scopes of eight";
    let mut arena = Arena::new();
    cases.push(case(OPERATION, BASE, count, move || {
        timed(|| {
            for _ in 0..count / 8 {
                arena.scope(|scope| {
                    for n in 0..8 {
                        black_box(scope.alloc(black_box(n)));
                    }
                });
            }
        })
    }));
    let mut bump = Bump::new();
    cases.push(case(OPERATION, "bumpalo", count, move || {
        timed(|| {
            for _ in 0..count / 8 {
                for n in 0..8 {
                    black_box(bump.alloc(black_box(n)));
                }
                bump.reset();
            }
        })
    }));
}

/// A vector is pushed to while it is the last allocation of its arena.
#[cfg(feature = "allocator-api2-02")]
mod growing {
    use std::hint::black_box;
    use std::time::Duration;

    use allocator_api2_02::alloc::Allocator;
    use allocator_api2_02::vec::Vec as VecIn;
    use bumpalo::Bump;
    use stayput::Arena;

    use super::{BASE, Case, case, timed};

    const OPERATION: &str = "push to the last Vec";

    #[inline(always)]
    fn grow(count: usize, allocator: impl Allocator) -> Duration {
        let mut vec = VecIn::new_in(allocator);
        let time = timed(|| {
            for n in 0..count {
                vec.push(black_box(n) as u64);
            }
        });
        assert_eq!(vec.last(), count.checked_sub(1).map(|last| last as u64).as_ref());
        time
    }

    pub(super) fn new(cases: &mut Vec<Case>, count: usize) {
        cases.push(case(OPERATION, BASE, count, move || grow(count, &Arena::new())));
        cases.push(case(OPERATION, "bumpalo", count, move || grow(count, &Bump::new())));
    }

    pub(super) fn warm(cases: &mut Vec<Case>, count: usize) {
        let mut arena = Arena::new();
        grow(count, &arena);
        cases.push(case(OPERATION, BASE, count, move || {
            arena.reset();
            grow(count, &arena)
        }));
        // The final buffer may be twice as large as its contents, and the previous ones stay in the chunk.
        let mut bump = Bump::with_capacity(6 * count * size_of::<u64>());
        grow(count, &bump);
        cases.push(case(OPERATION, "bumpalo, capacity", count, move || {
            bump.reset();
            grow(count, &bump)
        }));
        let mut vec = Vec::with_capacity(count);
        cases.push(case(OPERATION, "Vec, capacity", count, move || {
            vec.clear();
            timed(|| {
                for n in 0..count {
                    vec.push(black_box(n) as u64);
                }
                black_box(&mut vec);
            })
        }));
    }
}

fn reset(cases: &mut Vec<Case>, bytes: usize) {
    const BLOCK_BYTES: usize = 64 << 10;
    fn fill<'a>(bytes: usize, mut alloc: impl FnMut(usize, u8) -> &'a mut [u8]) {
        for _ in 0..bytes / BLOCK_BYTES {
            black_box(alloc(BLOCK_BYTES, 1));
        }
    }
    let mut add = |arena, mut run: Box<dyn FnMut() -> Duration>| {
        // The first run grows the arena.
        run();
        cases.push(Case { operation: "reset", arena, unit: Unit::Us, count: 1, run });
    };
    let mut arena = Arena::new();
    add(
        BASE,
        Box::new(move || {
            fill(bytes, |bytes, byte| arena.alloc_slice_fill_copy(bytes, byte));
            timed(|| arena.reset())
        }),
    );
    let bumps =
        [("bumpalo", Bump::new()), ("bumpalo, capacity", Bump::with_capacity(bytes + BLOCK_BYTES))];
    for (name, mut bump) in bumps {
        add(
            name,
            Box::new(move || {
                fill(bytes, |bytes, byte| bump.alloc_slice_fill_copy(bytes, byte));
                timed(|| bump.reset())
            }),
        );
    }
}
