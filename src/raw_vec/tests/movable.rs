//! Elements that move while they are few.

#![expect(unsafe_code, reason = "reads and writes elements of an array")]

use super::*;

/// The maximum number of words in the heap.
const MOST: usize = MOST_HEAP_BYTES / 8;

fn internal(options: Options) -> RawVec {
    made(WORD, options.internal())
}

/// Returns the place of element `n`, which must be within capacity.
fn place(raw: &RawVec, n: usize) -> NonNull<u64> {
    assert!(n < raw.capacity());
    // SAFETY: within capacity, as asserted above.
    unsafe { raw.start().cast().add(n) }
}

/// Writes its index to each element from `from` up to the capacity.
fn mark(raw: &RawVec, from: usize) {
    for n in from..raw.capacity() {
        // SAFETY: `n` is within capacity, so the place is committed.
        unsafe { place(raw, n).write(n as u64) };
    }
}

#[track_caller]
fn assert_words(raw: &RawVec, words: Range<usize>, word: impl Fn(usize) -> u64) {
    for n in words {
        // SAFETY: within capacity, so committed. Memory that was never written to is zero.
        let found = unsafe { place(raw, n).read() };
        assert_eq!(found, word(n), "{n}");
    }
}

#[test]
fn words_move_from_the_heap_to_a_reservation_past_64_kib() {
    let mut raw = internal(Options::DEFAULT);
    let (mut starts, mut capacity) = (Vec::new(), 0);
    while raw.capacity() <= 4 * MOST {
        raw.grow(WORD, capacity, 1, Amount::AtLeast).unwrap();
        assert_words(&raw, 0..capacity, |n| n as u64);
        // Memory that becomes usable is zero, unless another array had it.
        let warm = raw.warm_bytes() / 8;
        assert_words(&raw, capacity.max(warm)..raw.capacity(), |_| 0);
        assert_eq!(raw.settled().is_some(), raw.capacity() > MOST);
        assert_eq!(raw.committed_bytes(), raw.usable_bytes().max(raw.warm_bytes()));
        mark(&raw, capacity);
        capacity = raw.capacity();
        if raw.settled().is_some() {
            starts.push(raw.start());
        }
    }
    assert!(starts.len() > 1 && starts.iter().all(|start| *start == starts[0]));
    raw.shrink(WORD, 3, &mut BudgetMeter::unlimited()).unwrap();
    assert!(raw.committed_bytes() <= 64 * KIB && raw.start() == starts[0]);
    assert_words(&raw, 0..3, |n| n as u64);
}

#[test]
fn blocks_of_the_heap_are_exact_or_a_power_of_two() {
    for (amount, words) in [(Amount::Exact, 100), (Amount::AtLeast, 128)] {
        let mut raw = internal(Options::DEFAULT);
        raw.grow(WORD, 0, 100, amount).unwrap();
        assert_eq!(raw.capacity(), words);
    }
}

#[test]
fn a_refusal_at_any_step_moves_nothing() {
    for len in [0, 1, 32, 1000, MOST] {
        for need in [len + 1, MOST, MOST + 1] {
            for call in [Call::Reserve, Call::Commit] {
                let mut raw = internal(Options { release: Release::Now, ..small_pages() });
                raw.grow(WORD, 0, len, Amount::Exact).unwrap();
                mark(&raw, 0);
                let before = (raw.start(), raw.capacity(), raw.committed_bytes());
                if need <= before.1 {
                    continue;
                }
                let fault = Fault::from_nth(call, 0);
                let error = raw.grow(WORD, len, need - len, Amount::AtLeast).unwrap_err();
                assert!(fault.failures() > 0 && error.bytes() > 0);
                drop(fault);
                assert_eq!((raw.start(), raw.capacity(), raw.committed_bytes()), before);
                assert_words(&raw, 0..before.1, |n| n as u64);
                raw.grow(WORD, len, need - len, Amount::AtLeast).unwrap();
                assert_words(&raw, 0..before.1, |n| n as u64);
            }
        }
    }
}

#[test]
fn the_maximum_is_exact_before_and_after_the_move() {
    for max_len in [1, 33, MOST, MOST + 1, 3 * MOST] {
        let mut raw = internal(Options { max_len: Some(max_len), ..small_pages() });
        raw.reserve_addresses(WORD, 0).unwrap();
        assert_eq!((raw.max_len(WORD), raw.reserved_bytes()), (max_len, 0));
        raw.grow(WORD, 0, 1, Amount::AtLeast).unwrap();
        assert_eq!(raw.max_len(WORD), max_len);
        raw.grow(WORD, 1, max_len - 1, Amount::AtLeast).unwrap();
        assert_eq!((raw.max_len(WORD), raw.capacity()), (max_len, max_len));
        let error = raw.grow(WORD, max_len, 1, Amount::AtLeast).unwrap_err();
        assert_eq!((error.kind(), error.limit()), (ErrorKind::MaxLen, Some(max_len as u64)));
    }
}

#[test]
fn zeroed_growth_is_zero_across_the_move() {
    // Leaves memory that is not zero to other arrays.
    let mut other = bytes_with(Options::DEFAULT);
    other.grow(BYTE, 0, 1 << 20, Amount::Exact).unwrap();
    // SAFETY: 1 MiB is usable.
    unsafe { other.start().write_bytes(0xAA, 1 << 20) };
    drop(other);
    let (mut raw, mut len) = (internal(Options::DEFAULT), 0);
    for additional in [1, 10, 1000, MOST, 3 * MOST] {
        let zero_from = raw.grow_zeroed(WORD, len, additional).unwrap();
        let zero_from = zero_from.div_ceil(8).max(len);
        assert_words(&raw, zero_from..len + additional, |_| 0);
        assert_words(&raw, 0..len, |n| n as u64);
        len += additional;
        mark(&raw, 0);
    }
}

#[test]
fn elements_are_aligned_in_the_heap_too() {
    for align in [1, 16, 64, 4096] {
        let element = element(align, align);
        let mut raw = made(element, Options::INTERNAL);
        raw.grow(element, 0, 1, Amount::AtLeast).unwrap();
        assert!(raw.settled().is_none() && raw.start().addr().get() % align == 0);
        raw.discard(0..raw.usable_bytes()).unwrap();
        raw.prefault(element, 0, 1).unwrap();
        assert_eq!(raw.resident_bytes(), Some(raw.committed_bytes()));
        let ahead = raw.prefault_ahead(element, 1, Budget::UNLIMITED);
        assert_eq!((ahead.bytes, ahead.refused), (0, None));
    }
}

#[test]
fn arrays_with_commit_ahead_start_in_a_reservation_unless_that_starts_small() {
    let options = Options { commit_ahead: CommitAhead::Bytes(1), ..Options::DEFAULT };
    let mut small = internal(Options { starts_small: true, ..options });
    small.grow(WORD, 0, MOST, Amount::AtLeast).unwrap();
    assert!(small.settled().is_none());
    small.grow(WORD, MOST, 1, Amount::AtLeast).unwrap();
    assert!(small.settled().is_some());
    let mut raw = internal(options);
    raw.reserve_addresses(WORD, 0).unwrap();
    let start = raw.start();
    raw.grow(WORD, 0, 1, Amount::AtLeast).unwrap();
    raw.grow(WORD, 1, MOST, Amount::AtLeast).unwrap();
    assert!(raw.settled().is_some() && raw.start() == start);
}
