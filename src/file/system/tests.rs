//! Tests of system calls that signals interrupt.

use super::in_pieces;
use std::io;

/// Models tmpfs before Linux 6.17, which undoes a call that is interrupted.
#[test]
fn an_interrupted_call_makes_progress_whatever_the_rate_of_signals() {
    for between_signals in [4 << 10, 100_000, 1 << 20, 1 << 40] {
        let (mut done, mut calls) = (4096, 0);
        let range = done..(32 << 20) + 123;
        let all = in_pieces(range.clone(), |piece| {
            assert_eq!(piece.start, done);
            calls += 1;
            if piece.end - piece.start > between_signals {
                return Err(io::ErrorKind::Interrupted.into());
            }
            done = piece.end;
            Ok(true)
        });
        assert!(all.unwrap());
        assert_eq!(done, range.end);
        assert!(
            calls <= 16 + 2 * (range.end - range.start).div_ceil(between_signals / 2),
            "{calls}"
        );
    }
}

#[test]
fn a_call_that_is_refused_or_unknown_ends_the_range() {
    let mut calls = 0;
    let is_known = in_pieces(0..1 << 30, |_| {
        calls += 1;
        Ok(false)
    });
    assert!(!is_known.unwrap());
    let error = in_pieces(0..1 << 30, |_| Err(io::ErrorKind::StorageFull.into())).unwrap_err();
    assert_eq!((calls, error.kind()), (1, io::ErrorKind::StorageFull));
}
