//! Rows that are copied into columns for one pass.

use crate::ledger::{Ledger, Step, Token, panic_message};
use stayput::columns::in_columns;
use stayput::{BlockVec, DefaultKey, Pad, SecondaryMap, SlotMap, VmVec};
use std::cell::{Cell, RefCell};
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

type Row = (u64, String, f32);

fn rows(count: u16) -> impl Iterator<Item = Row> {
    (0..count).map(|n| (n.into(), format!("row {n}"), n.into()))
}

/// Doubles a number and adds to another, in columns.
fn double<'r>(rows: impl IntoIterator<Item = &'r mut Row>) {
    in_columns(
        rows,
        |row| (row.0, row.2),
        |(numbers, halves)| {
            assert!(numbers.len() == 64 && halves.len() == 64);
            assert!(numbers.as_ptr().addr() % 64 == 0 && halves.as_ptr().addr() % 64 == 0);
            for (number, half) in numbers.iter_mut().zip(halves) {
                *number *= 2;
                *half += 0.5;
            }
        },
        |row, (number, half)| (row.0, row.2) = (number, half),
    );
}

fn check<'r>(doubled: impl IntoIterator<Item = &'r Row>, count: u16) {
    let expected = rows(count).map(|(number, name, half)| (2 * number, name, half + 0.5));
    assert!(doubled.into_iter().eq(&expected.collect::<Vec<_>>()));
}

#[test]
fn all_rows_of_any_container_are_visited_once() {
    for count in [0, 1, 63, 64, 65, 127, 128, 129, 5000] {
        let mut array: VmVec<Row> = rows(count).collect();
        double(&mut array);
        check(&array, count);

        let mut slice: Vec<Row> = rows(count).collect();
        double(&mut slice[..]);
        check(&slice, count);

        let mut blocks: BlockVec<Row> = rows(count).collect();
        double(blocks.blocks_mut().flatten());
        check(&blocks, count);

        let mut map: SlotMap<DefaultKey, Row> = rows(count).collect();
        let keys: Vec<DefaultKey> = map.keys().collect();
        for key in keys.iter().skip(1).step_by(3) {
            map.remove(*key);
        }
        double(map.values_mut());
        assert!(map.values().all(|row| row.1 == format!("row {}", row.0 / 2)));
        assert_eq!(
            map.len(),
            usize::from(count) - usize::from(count).saturating_sub(1).div_ceil(3)
        );
    }
}

#[test]
fn a_row_can_be_a_tuple_of_references_as_of_a_join() {
    let mut places: SlotMap<DefaultKey, f32> = (0_u16..300).map(f32::from).collect();
    let speeds: SecondaryMap<DefaultKey, f32> =
        places.keys().step_by(2).map(|key| (key, 0.5)).collect();
    in_columns(
        places.join_mut(&speeds),
        |(_, place, speed)| (**place, **speed),
        |(places, speeds)| {
            for (place, speed) in places.iter_mut().zip(speeds) {
                *place += *speed;
            }
        },
        |(_, place, _), (moved, _)| *place = moved,
    );
    assert!(
        places
            .values()
            .enumerate()
            .all(|(n, place)| { usize::from(n % 2 == 0) == usize::from(place.fract() > 0.0) })
    );
}

#[cfg(feature = "table")]
#[test]
fn rows_of_a_table_are_the_indexed_part_and_the_rest() {
    use stayput::{Table, indices};

    indices! {
        struct ById for u64 {
            id: Unique<u64> = |id| id,
        }
    }

    let mut table: Table<(u64, u32), ById> = (0..1000).map(|id| (id, 7)).collect();
    table.retain(|_, (id, _)| id % 3 == 0);
    in_columns(
        table.values_mut(),
        |(id, count)| (**id, **count),
        |(ids, counts)| {
            assert!(ids.iter().all(|id| id % 3 == 0));
            for count in counts {
                *count += 1;
            }
        },
        |(_, count), (_, more)| *count = more,
    );
    assert!(table.values().copied().eq((0..1000).step_by(3).map(|id| (id, 8))));
}

#[test]
fn rows_past_the_last_are_padding() {
    #[derive(Clone, Copy, PartialEq)]
    struct Mass(f32);

    impl Pad for Mass {
        const PAD: Self = Self(1.0);
    }

    let mut rows = vec![Mass(2.0); 150];
    let mut count = 0;
    in_columns(
        &mut rows,
        |row| (**row, 7_u8),
        |(masses, sevens)| {
            let left = (150 - count).min(64);
            assert!(masses[..left].iter().all(|mass| *mass == Mass(2.0)));
            assert!(masses[left..].iter().all(|mass| *mass == Mass::PAD));
            assert!(sevens[left..].iter().all(|seven| *seven == 0));
            count += left;
            masses.fill(Mass(3.0));
        },
        |row, (mass, _)| *row = mass,
    );
    assert_eq!(count, 150);
    assert!(rows.iter().all(|row| *row == Mass(3.0)));
}

#[test]
fn parts_can_have_any_size_and_alignment() {
    #[repr(align(256))]
    #[derive(Clone, Copy)]
    struct Wide(u8);

    impl Pad for Wide {
        const PAD: Self = Self(0);
    }

    let mut numbers: Vec<u8> = (0..200).collect();
    // No size at all.
    let mut lens = Vec::new();
    in_columns(
        &mut numbers,
        |_| ((), [(); 3]),
        |(units, _)| lens.push(units.len()),
        |n, _| *n += 1,
    );
    assert_eq!(lens, [64; 4]);

    // More than a page each.
    lens.clear();
    in_columns(
        &mut numbers,
        |n| ([**n; 5000], **n),
        |(pages, bytes)| {
            lens.push(pages.len());
            for (page, byte) in pages.iter_mut().zip(bytes) {
                assert!(page.iter().all(|n| n == byte));
                page.fill(byte.wrapping_add(1));
            }
        },
        |n, (page, _)| *n = page[4999],
    );
    assert_eq!(lens, [64; 4]);

    in_columns(
        &mut numbers,
        |n| (**n, Wide(**n), ()),
        |(bytes, wides, _)| {
            assert!(bytes.as_ptr().addr() % 256 == 0 && wides.as_ptr().addr() % 256 == 0);
            for (byte, wide) in bytes.iter_mut().zip(wides) {
                assert_eq!(wide.0, *byte);
                *byte += 1;
            }
        },
        |n, (byte, ..)| *n = byte,
    );
    assert!(numbers.iter().copied().eq(3..203));
}

#[test]
fn no_row_no_step() {
    in_columns(
        iter::empty::<&mut u8>(),
        |n| (**n,),
        |_| panic!("no rows, but a block"),
        |n, (part,)| *n = part,
    );
}

#[test]
fn a_step_that_panics_leaves_its_block_as_it_was() {
    let mut numbers = [0_u8; 300];
    let mut steps = 0;
    let message = panic_message(|| {
        in_columns(
            &mut numbers,
            |n| (**n,),
            |(column,)| {
                column.fill(1);
                steps += 1;
                assert!(steps < 2, "as planned");
            },
            |n, (part,)| *n = part,
        );
    });
    assert_eq!(message, "as planned");
    assert!(numbers[..64].iter().all(|n| *n == 1) && numbers[64..].iter().all(|n| *n == 0));
}

thread_local! {
    /// How many parts there are, and how many drops come before one that panics.
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static DROPS: Cell<Option<usize>> = const { Cell::new(None) };
}

/// A part that is on the heap, and is counted. Padding is not.
struct Part(Option<Box<u32>>);

impl Part {
    fn new(value: u32) -> Self {
        LIVE.set(LIVE.get() + 1);
        Self(Some(Box::new(value)))
    }
}

impl Pad for Part {
    const PAD: Self = Self(None);
}

impl Drop for Part {
    fn drop(&mut self) {
        LIVE.set(LIVE.get() - isize::from(self.0.is_some()));
        match DROPS.get() {
            Some(0) if !std::thread::panicking() => {
                DROPS.set(None);
                panic!("a drop panics, as planned");
            }
            left => DROPS.set(left.map(|left| left.saturating_sub(1))),
        }
    }
}

/// Runs a pass over 200 rows, in which user code may panic, and checks what it leaves. Returns `true` if it panicked.
fn is_interrupted(ledger: &Ledger) -> bool {
    let mut array: VmVec<(Token<'_>, u32, bool)> =
        ledger.tokens(0..200).map(|token| (token, 0, false)).collect();
    let result = catch_unwind(AssertUnwindSafe(|| {
        in_columns(
            &mut array,
            |row| {
                ledger.step(Step::Call);
                (Part::new(row.0.value), row.2)
            },
            |(parts, seen): (&mut [Part], &mut [bool])| {
                ledger.step(Step::Call);
                assert_eq!(parts.len(), seen.len());
                seen.fill(true);
                for part in parts.iter_mut().filter_map(|part| part.0.as_deref_mut()) {
                    *part += 1000;
                }
            },
            |row, (mut part, seen)| {
                ledger.step(Step::Call);
                let part = part.0.as_deref_mut().expect("it is not padding");
                (row.1, row.2) = (*part, seen);
            },
        );
    }));
    assert_eq!(LIVE.get(), 0, "a part leaked, or was dropped twice");
    assert_eq!(ledger.live(), 200);
    let written = array.iter().take_while(|row| row.2).count();
    for (number, (token, part, seen)) in (0..).zip(&array) {
        assert_eq!(token.value, number);
        assert_eq!((*part, *seen), if *seen { (number + 1000, true) } else { (0, false) });
    }
    assert!(array.iter().skip(written).all(|row| !row.2));
    if result.is_ok() {
        assert_eq!(written, 200);
    }
    result.is_err()
}

#[test]
fn a_panic_leaves_each_row_as_it_was_or_as_written() {
    // A call of `read` and of `write` for each row, and four of `step`.
    for pass in 0.. {
        let ledger = Ledger::new();
        ledger.set_fuse(Step::Call, pass);
        let is_interrupted = is_interrupted(&ledger);
        assert_eq!(is_interrupted, ledger.clear_fuse());
        if !is_interrupted {
            assert_eq!(pass, 404);
            return;
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_drop_that_panics_leaves_each_row_as_it_was_or_as_written() {
    // 56 rows of padding, and all parts.
    for pass in 0.. {
        DROPS.set(Some(pass));
        let ledger = Ledger::new();
        if !is_interrupted(&ledger) {
            DROPS.set(None);
            assert_eq!(pass, 256);
            return;
        }
    }
}

#[test]
fn references_to_rows_need_not_be_references() {
    let shared: Vec<Rc<RefCell<u32>>> = (0..100).map(|n| Rc::new(RefCell::new(n))).collect();
    in_columns(
        shared.iter().map(Rc::clone),
        |row| (*row.borrow(),),
        |(column,)| column.iter_mut().for_each(|n| *n += 1),
        |row, (n,)| *row.borrow_mut() = n,
    );
    assert!(shared.iter().map(|row| *row.borrow()).eq(1..101));
    assert!(shared.iter().all(|row| Rc::strong_count(row) == 1));
}

#[cfg(feature = "rayon")]
mod parallel {
    use super::{Row, rows};
    use rayon::prelude::*;
    use stayput::par::par_in_columns;
    use stayput::{BlockVec, DefaultKey, SlotMap, VmVec};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn double<'r>(rows: impl IntoParallelIterator<Item = &'r mut Row>) {
        par_in_columns(
            rows,
            |row| (row.0, row.2),
            |(numbers, halves)| {
                assert!(numbers.len() == 64 && halves.len() == 64);
                for (number, half) in numbers.iter_mut().zip(halves) {
                    *number *= 2;
                    *half += 0.5;
                }
            },
            |row, (number, half)| (row.0, row.2) = (number, half),
        );
    }

    #[test]
    fn all_rows_are_visited_once_by_several_threads() {
        for count in [0, 1, 64, 1000, 20_000] {
            let mut array: VmVec<Row> = rows(count).collect();
            double(&mut array);
            super::check(&array, count);
            array.par_chunks_mut(7).for_each(double);
            let mut blocks: BlockVec<Row> = rows(count).collect();
            double(&mut blocks);
            super::check(&blocks, count);

            let mut map: SlotMap<DefaultKey, Row> = rows(count).collect();
            let mut number = 0;
            map.retain(|_, _| {
                number += 1;
                number % 3 == 0
            });
            double(map.par_values_mut());
            assert_eq!(map.len(), usize::from(count / 3));
            assert!(map.values().all(|row| row.1 == format!("row {}", row.0 / 2)));
        }
    }

    #[test]
    fn a_panic_leaves_each_row_as_it_was_or_as_written() {
        let mut array: VmVec<Row> = rows(20_000).collect();
        let writes = AtomicUsize::new(0);
        let result = catch_unwind(AssertUnwindSafe(|| {
            par_in_columns(
                &mut array,
                |row| (row.0, Some(row.1.clone())),
                |(numbers, _)| numbers.iter_mut().for_each(|number| *number += 1 << 20),
                |row, (number, name)| {
                    assert!(writes.fetch_add(1, Ordering::Relaxed) < 5000, "as planned");
                    (row.0, row.1) = (number, name.expect("it is not padding") + "!");
                },
            );
        }));
        assert!(result.is_err());
        let written = array.iter().filter(|row| row.0 >= 1 << 20).count();
        assert_eq!(written, 5000);
        assert!(array.iter().zip(0..).all(|(row, number): (_, u64)| {
            let is_written = row.0 == number + (1 << 20) && row.1 == format!("row {number}!");
            is_written || (row.0 == number && row.1 == format!("row {number}"))
        }));
    }
}

/// An iterator whose `for_each` goes on after a row for which the closure panics, and panics in the end.
struct Stubborn(u32);

impl Iterator for Stubborn {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        unreachable!("only `for_each` is called")
    }

    fn for_each<F: FnMut(u32)>(self, mut f: F) {
        for n in 0..self.0 {
            let _ = catch_unwind(AssertUnwindSafe(|| f(n)));
        }
        panic!("the end");
    }
}

#[test]
fn an_iterator_may_go_on_after_a_panic_of_a_closure() {
    for panics_at in [0, 10, 63] {
        for count in [64, 65, 70, 128, 150] {
            let before = LIVE.get();
            let mut written = Vec::new();
            let message = panic_message(|| {
                in_columns(
                    Stubborn(count),
                    |n| (Part::new(*n), *n),
                    |_| {},
                    |n, (part, _)| {
                        assert_ne!(n, panics_at, "planned");
                        written.push((n, part));
                    },
                );
            });
            assert_eq!(message, "the end");
            assert!(written.iter().all(|(n, part)| part.0.as_deref() == Some(n)));
            drop(written);
            assert_eq!(LIVE.get(), before);
        }
    }
}
