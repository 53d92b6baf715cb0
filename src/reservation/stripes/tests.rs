use super::*;
use crate::os::Call;
use crate::os::fault::Fault;
use crate::reservation::{HugePages, Reservation, page_size};
use proptest::prelude::*;
use std::sync::Mutex;

fn pages(bytes: usize) -> PageSize {
    PageSize::new(bytes).unwrap()
}

fn arb_columns() -> impl Strategy<Value = ColumnLayouts> {
    let column = (1..200_usize, 0..14_u32).prop_map(|(count, shift)| {
        Layout::from_size_align(count << shift.min(6), 1 << shift).unwrap()
    });
    prop::collection::vec(column, 1..13).prop_map(|columns| -> ColumnLayouts {
        // Never freed, like the layouts of types, and referred to, so that leak checkers do not report them.
        static KEPT: Mutex<Vec<ColumnLayouts>> = Mutex::new(Vec::new());
        let columns = Box::leak(Box::new(&*columns.leak()));
        KEPT.lock().unwrap().push(columns);
        columns
    })
}

fn arb_huge() -> impl Strategy<Value = Option<Huge>> {
    prop::option::of((0..64_usize).prop_map(|mib| Huge { from: mib << 16, bytes: 2 << 20 }))
}

#[test]
fn columns_of_the_same_size_do_not_reach_a_huge_page_with_the_same_row() {
    static COLUMNS: [Layout; 8] = [Layout::new::<u64>(); 8];
    static LAYOUTS: &[Layout] = &COLUMNS;
    let huge = Some(Huge { from: 8 << 20, bytes: SPREAD_BYTES });
    let bytes = PageBytes::exact(1 << 30, pages(4096)).unwrap();
    let stripes = Stripes::new(&LAYOUTS, bytes, pages(4096), huge).unwrap();
    // In steps of 64 KiB of each column.
    let step = 8 * (64 << 10);
    let steps = (32 << 20) / step..(96 << 20) / step;
    let grown = |number: usize| stripes.places(number * step..(number + 1) * step).count();
    assert_eq!(steps.clone().map(grown).max(), Some(1));
    assert_eq!(steps.map(grown).sum::<usize>(), 32);
    assert_eq!([None, Some(&LAYOUTS)].map(column_count), [1, 8]);
}

proptest! {
    /// For consecutive ranges of bytes: each page of a row is in one of the ranges of its column, and no page is in
    /// two.
    #[test]
    fn ranges_that_follow_each_other_do_so_in_all_columns(
        columns in arb_columns(),
        huge in arb_huge(),
        page in prop::sample::select(vec![4096_usize, 16384, 65536]),
        total in 1..4096_usize,
        cuts in prop::collection::vec(0..4096_usize, 0..6),
    ) {
        let page_size = pages(page);
        let total = total * page;
        let bytes = PageBytes::exact(total, page_size).unwrap();
        let stripes = Stripes::new(columns, bytes, page_size, huge).unwrap();
        let row_bytes: usize = columns.iter().map(Layout::size).sum();
        let span = stripes.span().get();
        let spread = if total < SPREAD_FROM_BYTES { 0 } else { 2 * SPREAD_BYTES };
        prop_assert!(span <= total + columns.len() * (spread + 2 * page + 12 * (GAP_BYTES + LINE_BYTES) + 13 * (1 << 13)));

        // Columns follow each other, aligned as required, with a page between them.
        let mut end = 0;
        for (number, column) in columns.iter().enumerate() {
            let start = stripes.start(number);
            prop_assert!(start % column.align() == 0);
            prop_assert!(start >= end + number * GAP_BYTES);
            end = (start + column.size() * (total / row_bytes)).next_multiple_of(page);
        }
        prop_assert_eq!(end.max(page), span.max(page));

        let mut cuts: Vec<usize> = cuts.iter().map(|cut| (cut * page).min(total)).collect();
        cuts.extend([0, total]);
        cuts.sort_unstable();
        let mut places: Vec<Range<usize>> = Vec::new();
        for cut in cuts.windows(2) {
            for place in stripes.places(cut[0]..cut[1]) {
                prop_assert!(place.start % page == 0 && place.end % page == 0);
                prop_assert!(place.start < place.end && place.end <= span);
                places.push(place);
            }
            // What fits into the bytes up to here has its memory.
            let rows = cut[1] / row_bytes;
            for (number, column) in columns.iter().enumerate().filter(|_| rows > 0) {
                let needed = stripes.start(number)..stripes.start(number) + rows * column.size();
                let covered: usize = places
                    .iter()
                    .map(|place| place.end.min(needed.end).saturating_sub(place.start.max(needed.start)))
                    .sum();
                prop_assert_eq!(covered, needed.len());
            }
        }
        places.sort_unstable_by_key(|place| place.start);
        prop_assert!(places.windows(2).all(|pair| pair[0].end <= pair[1].start));
    }
}

#[test]
fn layouts_that_exceed_the_address_space_are_refused() {
    const PARTS: &[Layout] = &[Layout::new::<u64>(), Layout::new::<u8>()];
    const COLUMNS: ColumnLayouts = &PARTS;
    let page = pages(4096);
    let most = PageBytes::exact(isize::MAX as usize & !4095, page).unwrap();
    assert!(Stripes::new(COLUMNS, most, page, None).is_none());
}

/// Whichever call is refused, the committed size holds for each column.
#[test]
fn decommitting_columns_fails_as_a_whole_or_succeeds() {
    const PARTS: &[Layout] = &[Layout::new::<u64>(), Layout::new::<u8>(), Layout::new::<u32>()];
    const COLUMNS: ColumnLayouts = &PARTS;
    let bytes = 64 * page_size();
    for nth in 0..5 {
        for is_told in [false, true] {
            let builder = Reservation::builder().bytes(bytes).huge_pages(HugePages::Never);
            let mut range = builder.columns(Some(COLUMNS)).reserve().unwrap();
            range.commit(..).unwrap();
            let all = range.committed_bytes().unwrap();
            assert!(all >= bytes / 13 * 13);
            let fault = Fault::nth(Call::Decommit, nth);
            let is_gone = if is_told {
                range.decommit(bytes / 2..).is_ok()
            } else {
                range.decommit_if_possible(bytes / 2..bytes)
            };
            drop(fault);
            assert_eq!(is_gone, nth > 0);
            let left = range.committed_bytes().unwrap();
            assert!(if is_gone { left < all } else { left == all }, "{left} of {all}");
            // Nothing of the first half is decommitted in any case.
            assert!(left >= all / 2 - page_size());
            assert!(range.commit_if_possible(bytes / 2..bytes));
            assert_eq!(range.committed_bytes().unwrap(), all);
        }
    }
}
