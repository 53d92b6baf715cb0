mod bulk;

use super::moment::Block;
use super::*;
use crate::error::ErrorKind;
use crate::growing::Budget;
use crate::os::Call;
use crate::os::fault::Fault;
use crate::region_cache;
use crate::reservation::HugePages;
use crate::service::CommitAhead;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

#[repr(align(128))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wide(u64);

type Mixed = (u8, u64, (), Wide, [u16; 3]);

fn mixed(n: u64) -> Mixed {
    let low = u8::try_from(n % 251).unwrap();
    (low, n, (), Wide(n * 3), [u16::from(low); 3])
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn pushed_rows_are_found_wherever_columns_lie() {
    let mut columns = Columns::<Mixed>::new();
    let mut first = None;
    for n in 0..100_000 {
        columns.push(mixed(n));
        let (bytes, numbers, _, wide, shorts) = columns.as_slices();
        let at = (bytes.as_ptr(), numbers.as_ptr(), wide.as_ptr(), shorts.as_ptr());
        assert_eq!(*first.get_or_insert(at), at, "a column has moved");
    }
    assert!(columns.iter().zip(0..).all(|((a, b, c, d, e), n)| (*a, *b, *c, *d, *e) == mixed(n)));
    let (bytes, numbers, units, wide, shorts) = columns.as_slices();
    assert_eq!(units.len(), 100_000);
    assert_eq!(wide.as_ptr().addr() % 128, 0);
    // Each offset differs from the others at page boundaries.
    let starts = [
        bytes.as_ptr().addr(),
        numbers.as_ptr().addr(),
        wide.as_ptr().addr(),
        shorts.as_ptr().addr(),
    ];
    let mut offsets = starts.map(|start| start % 4096 / 64);
    offsets.sort_unstable();
    assert!(offsets.windows(2).all(|pair| pair[0] != pair[1]), "{offsets:?}");
    for n in (0..100_000).rev() {
        assert_eq!(columns.pop(), Some(mixed(n)));
    }
    assert_eq!(columns.pop(), None);
}

#[test]
fn exactly_max_len_rows_fit() {
    for max_len in [1, 2, 100, 4096, 5000] {
        let mut columns = Columns::<(u8, Wide, u16)>::with_max_len(max_len);
        assert_eq!(columns.max_len(), max_len);
        for n in 0..max_len {
            columns.push((1, Wide(n as u64), 2));
        }
        let refused = columns.try_push((9, Wide(9), 9)).unwrap_err();
        assert_eq!(refused.value, (9, Wide(9), 9));
        assert_eq!(refused.error.limit(), Some(max_len as u64));
        assert!(refused.error.to_string().contains("Columns"), "{}", refused.error);
        assert!(columns.as_slices().1.iter().zip(0..).all(|(wide, n)| wide.0 == n));
    }
}

#[test]
fn zero_sized_rows_are_counted() {
    let mut columns = Columns::<((), [u32; 0])>::new();
    columns.extend((0..1000).map(|_| ((), [])));
    assert_eq!((columns.len(), columns.capacity()), (1000, usize::MAX));
    assert_eq!(columns.stats().reserved_bytes, 0);
    assert_eq!(columns.as_slices().1.len(), 1000);
    assert_eq!(columns.into_iter().count(), 1000);
}

#[test]
fn rows_larger_than_a_page_have_memory() {
    let mut columns = Columns::<([u8; 5000], u8, [u64; 2000])>::new();
    for n in 0..50_u8 {
        columns.push(([n; 5000], n, [n.into(); 2000]));
    }
    drop(columns);
    // A region in the region cache is resident as a whole.
    let mut columns = Columns::<([u8; 5000], u8, [u64; 2000])>::new();
    for n in 0..60_u8 {
        columns.push(([n; 5000], n, [n.into(); 2000]));
    }
    let (first, second, third) = columns.as_slices();
    for (n, ((a, b), c)) in first.iter().zip(second).zip(third).enumerate() {
        let n = u8::try_from(n).unwrap();
        assert!(a.iter().all(|byte| *byte == n) && *b == n && c.iter().all(|x| *x == n.into()));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn returned_memory_can_be_committed_again() {
    let mut columns = Columns::<Mixed>::new();
    columns.extend((0..200_000).map(mixed));
    let before = columns.stats().committed_bytes;
    columns.truncate(1000);
    columns.shrink_to_fit();
    assert!(columns.stats().committed_bytes < before / 20);
    assert!(columns.iter().zip(0..).all(|(row, n)| *row.1 == n && *row.3 == Wide(n * 3)));
    columns.extend((1000..200_000).map(mixed));
    assert!(columns.iter().zip(0..).all(|(row, n)| *row.1 == n && *row.3 == Wide(n * 3)));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn memory_ahead_is_for_all_columns() {
    let mut columns = Columns::<Mixed>::builder().commit_ahead(CommitAhead::Auto).build();
    for n in 0..300_000 {
        columns.push(mixed(n));
    }
    assert!(columns.iter().zip(0..).all(|((a, b, c, d, e), n)| (*a, *b, *c, *d, *e) == mixed(n)));
    columns.clear();
    columns.shrink_to_fit();
    columns.extend((0..100_000).map(mixed));
    assert!(columns.iter().zip(0..).all(|((a, b, c, d, e), n)| (*a, *b, *c, *d, *e) == mixed(n)));
}

/// Counts its drops, and panics at some of them.
#[derive(Debug)]
struct Noted(Rc<Cell<usize>>, bool);

impl Drop for Noted {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
        assert!(!self.1 || std::thread::panicking(), "a drop that panics");
    }
}

#[test]
fn all_rows_are_dropped_once_even_if_a_drop_panics() {
    let drops = Rc::new(Cell::new(0));
    let noted = |panics| Noted(Rc::clone(&drops), panics);
    let mut columns = Columns::<(Noted, Noted)>::new();
    for n in 0..10 {
        columns.push((noted(n == 3), noted(false)));
    }
    assert!(catch_unwind(AssertUnwindSafe(|| columns.truncate(1))).is_err());
    assert_eq!((columns.len(), drops.get()), (1, 18));
    drop(columns);
    assert_eq!(drops.get(), 20);
}

#[test]
fn unvisited_rows_stay_if_a_predicate_panics() {
    let drops = Rc::new(Cell::new(0));
    let mut columns = Columns::<(u32, Noted)>::new();
    for n in 0..10 {
        columns.push((n, Noted(Rc::clone(&drops), false)));
    }
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        columns.retain(|(n, _)| {
            assert!(*n != 5, "stop");
            *n % 2 == 1
        });
    }));
    assert!(panicked.is_err());
    assert_eq!(columns.as_slices().0, [1, 3, 5, 6, 7, 8, 9]);
    assert_eq!(drops.get(), 3);
    let mut rows = columns.into_iter();
    assert_eq!((rows.next().unwrap().0, rows.next_back().unwrap().0), (1, 9));
    drop(rows);
    assert_eq!(drops.get(), 10);
}

#[test]
fn rows_are_removed_swapped_and_sorted_as_a_whole() {
    let mut columns: Columns<(u64, String, u8)> =
        (0..1000).map(|n| (n * 7919 % 1000, format!("{n}"), 0)).collect();
    let removed = columns.swap_remove(10);
    assert_eq!(removed, (79190 % 1000, "10".into(), 0));
    assert_eq!(columns.get(10).unwrap().1, "999");
    assert_eq!(columns.swap_remove(998).1, "998");
    columns.swap(0, 5);
    columns.swap(7, 7);
    assert_eq!(columns.replace(3, (5, "new".into(), 1)).1, "3");
    let mut expected: Vec<_> = columns.iter().map(|(a, b, c)| (*a, b.clone(), *c)).collect();
    expected.sort_by_key(|row| row.0 / 10);
    columns.sort_by_key(|row| *row.0 / 10);
    assert!(columns.into_iter().eq(expected));
}

#[test]
fn an_inconsistent_or_panicking_comparison_loses_no_row() {
    let mut columns: Columns<(u64, Box<u64>)> = (0..500).map(|n| (n, Box::new(n))).collect();
    let mut turn = 0_u32;
    let _: Result<(), _> = catch_unwind(AssertUnwindSafe(|| {
        columns.sort_by(|_, _| {
            turn = turn.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if turn & 1 << 20 == 0 { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater }
        });
    }));
    let panicked = catch_unwind(AssertUnwindSafe(|| columns.sort_by(|_, _| panic!("no"))));
    assert!(panicked.is_err());
    let mut numbers: Vec<u64> = columns
        .iter()
        .map(|(n, boxed)| {
            assert_eq!(*n, **boxed);
            *n
        })
        .collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..500));
}

#[test]
fn columns_are_send_and_sync_if_their_fields_are() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Columns<Mixed>>();
    is_send_and_sync::<Iter<'_, Mixed>>();
    is_send_and_sync::<IterMut<'_, Mixed>>();
    is_send_and_sync::<IntoIter<Mixed>>();
    let columns: Columns<(u32, String)> = (0..100).map(|n| (n, n.to_string())).collect();
    let sum = std::thread::spawn(move || columns.iter().map(|row| *row.0).sum::<u32>());
    assert_eq!(sum.join().unwrap(), 4950);
}

/// The columns of a row large enough that growth commits a little of each at once.
type Five = (u8, u64, u32, Wide, u16);

fn five(n: u64) -> Five {
    let low = u8::try_from(n % 251).unwrap();
    (low, n, u32::from(low), Wide(n * 3), u16::from(low))
}

fn assert_five(columns: &Columns<Five>, len: u64) {
    assert_eq!(columns.len() as u64, len);
    assert!(columns.iter().zip(0..).all(|((a, b, c, d, e), n)| (*a, *b, *c, *d, *e) == five(n)));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn memory_is_committed_for_all_columns_or_for_none() {
    for call in 0..24 {
        // More than an array gets by default without virtual memory.
        let builder = Columns::<Five>::builder().max_len(300_000);
        let mut columns = builder.huge_pages(HugePages::Never).build();
        columns.extend((0..1000).map(five));
        let mut len = 1000;
        let fault = Fault::nth(Call::Commit, call);
        // A push succeeds despite a single refused call, unless no smaller commit would do.
        while columns.len() < 30_000 {
            match columns.try_push(five(len)) {
                Ok(()) => len += 1,
                Err(refused) => {
                    assert_eq!(refused.value, five(len));
                    assert_ne!(refused.error.kind(), ErrorKind::MaxLen, "the loop would not end");
                }
            }
        }
        drop(fault);
        assert_five(&columns, len);

        let capacity = columns.capacity();
        let fault = Fault::from_nth(Call::Commit, call % 5);
        let error = columns.try_reserve(capacity - columns.len() + 200_000).unwrap_err();
        assert_ne!(error.kind(), ErrorKind::MaxLen);
        assert!(fault.failures() > 0);
        drop(fault);
        assert_eq!(columns.capacity(), capacity);
        columns.extend((len..40_000).map(five));
        assert_five(&columns, 40_000);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_refusal_while_shrinking_changes_no_value() {
    for call in 0..12 {
        for is_last in [false, true] {
            let mut columns = Columns::<Five>::builder().huge_pages(HugePages::Never).build();
            columns.extend((0..50_000).map(five));
            columns.truncate(10);
            let fault = if is_last {
                Fault::from_nth(Call::Decommit, call)
            } else {
                Fault::nth(Call::Decommit, call)
            };
            let shrunk = columns.try_shrink_to_fit();
            assert_eq!(shrunk.is_err(), call == 0, "only the first column's error is returned");
            drop(fault);
            assert!(columns.capacity() >= 10);
            columns.extend((10..50_000).map(five));
            assert_five(&columns, 50_000);
            columns.truncate(10);
            columns.shrink_to_fit();
            columns.extend((10..60_000).map(five));
            assert_five(&columns, 60_000);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn cached_memory_is_reused_by_columns_of_the_same_row() {
    let mut columns = Columns::<Five>::new();
    columns.extend((0..20_000).map(five));
    for _ in 0..30 {
        drop(columns);
        columns = Columns::new();
        columns.extend((0..20_000).map(five));
        assert_five(&columns, 20_000);
        // That memory is never given to rows of another type, or to an array.
        let mut other = Columns::<(u64, u8)>::new();
        other.extend((0..20_000).map(|n| (n, 1)));
        let array: crate::VmVec<u64> = (0..20_000).collect();
        assert!(other.as_slices().0.iter().eq(array.iter()));
        assert_five(&columns, 20_000);
    }
}

#[test]
fn resident_bytes_do_not_exceed_committed_bytes() {
    let mut columns = Columns::<(u32, u32, f32, u8)>::new();
    columns.extend((0..100_000).map(|n| (n, n, 0.0, 1)));
    columns.clear();
    let done = columns.prefault_ahead(Budget::bytes(1 << 20));
    assert!(done.bytes <= 1 << 20 && done.refused.is_none(), "{done:?}");
    columns.prefault(50_000);
    let done = columns.prefault_ahead(Budget::bytes(1 << 20));
    assert!(done.bytes <= 1 << 20, "{done:?}");
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn prefault_ahead_covers_the_next_rows_also_in_huge_pages() {
    for huge_pages in [HugePages::Auto, HugePages::Always, HugePages::Never] {
        let mut columns = Columns::<(u64, u32, u8)>::builder().huge_pages(huge_pages).build();
        columns.extend((0..3_000_000).map(|n| (n, 1, 2)));
        let address = |columns: &Columns<(u64, u32, u8)>| columns.as_slices().0.as_ptr().addr();
        for _ in 0..4 {
            columns.prefault(100_000);
            let before = columns.stats().resident_bytes;
            let at = address(&columns);
            columns.extend((0..100_000).map(|n| (n, 1, 2)));
            // (If the system does not report residency, there is nothing to compare.)
            assert_eq!(columns.stats().resident_bytes, before, "{huge_pages:?}");
            assert_eq!(address(&columns), at);
        }
    }
}

#[test]
fn a_block_for_a_pass_takes_the_memory_that_is_documented() {
    type Eight = (u64, u64, u64, u64, u64, u64, u64, u64);
    fn bytes<P: Row + Pad>() -> usize {
        Block::<&mut u8, P>::new().memory_bytes()
    }
    assert!(bytes::<(f32, f32, f32, f32, f32, f32)>() <= 5 << 9);
    assert!(bytes::<(f64, f64, f64)>() <= 5 << 9);
    assert!(bytes::<([f64; 10], [f64; 10], [f64; 10], [f64; 10], [f64; 10])>() <= 32 << 10);
    assert!(bytes::<(Eight, Eight, Eight, Eight, Eight, Eight, u64, u64)>() <= 32 << 10);
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn memory_of_columns_is_cached_unless_each_column_has_huge_pages() {
    let _alone = region_cache::tests::alone();
    for (huge_pages, kept) in [(HugePages::Never, 1), (HugePages::Always, 0)] {
        let mut columns = Columns::<(u8, u64)>::builder().huge_pages(huge_pages).build();
        columns.push((1, 2));
        drop(columns);
        assert_eq!(region_cache::stats().kept_blocks, kept, "{huge_pages:?}");
        region_cache::trim();
    }
}
