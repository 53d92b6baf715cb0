//! Panics in user code of arenas.

use super::{Row, cases, stepwise, suite};
use crate::classes::kinds::InArena;
use crate::ledger::{Ledger, Step, Token};
use stayput::{Arena, ArenaBox};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{DefaultHasher, Hash};

/// Panics when it is written.
struct Text<'l>(&'l Ledger);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.step(Step::Call);
        f.write_str("text")
    }
}

/// A default that panics.
struct Made;

thread_local!(static MADE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

impl Default for Made {
    fn default() -> Self {
        MADE.set(MADE.get() + 1);
        assert!(MADE.get() < 4, "planned");
        Self
    }
}

fn boxed<'a, 'l>(ledger: &'l Ledger, arena: &'a Arena) -> ArenaBox<'a, [Token<'l>]> {
    arena.alloc_box_slice_from_iter(ledger.tokens(0..6))
}

/// A step of user code, and a token.
fn made(ledger: &Ledger) -> Token<'_> {
    ledger.step(Step::Call);
    ledger.token(7)
}

/// Like [`Arena::scope`], for what stays in the arena.
fn whole<R>(arena: &mut Arena, work: impl FnOnce(&Arena) -> R) -> R {
    work(arena)
}

/// The same methods of an arena and a scope. References to tokens would leak them, so the results are boxes, or
/// nothing is left.
macro_rules! allocations {
    ($container:literal, $open:path) => {
        Row::new($container)
            .at_each::<InArena>(
                Step::Drop,
                cases![
                    |ledger, arena| $open(arena, |scope| drop(
                        scope.alloc_box_slice_from_iter(ledger.tokens(0..6))
                    )),
                    |ledger, arena| $open(arena, |scope| drop(
                        scope.alloc_box([ledger.token(0), ledger.token(1)])
                    )),
                    // The error is dropped even if the drop of a value panics.
                    |ledger, arena| $open(arena, |scope| {
                        drop(scope.alloc_slice_try_fill_with(6, |at| match at {
                            4 => Err(ledger.token(9)),
                            _ => Ok(ledger.token(0)),
                        }));
                    }),
                    |ledger, arena| $open(arena, |scope| {
                        drop(scope.try_alloc_slice_try_fill_with(6, |at| match at {
                            4 => Err(ledger.token(9)),
                            _ => Ok(ledger.token(0)),
                        }));
                    }),
                    |ledger, arena| $open(arena, |scope| {
                        let tokens = ledger.tokens(0..6);
                        let results = tokens
                            .map(|token| if token.value == 4 { Err(token) } else { Ok(token) });
                        drop(scope.alloc_slice_try_fill_iter(results));
                    }),
                    |ledger, arena| $open(arena, |scope| {
                        let tokens = ledger.tokens(0..6);
                        let results = tokens
                            .map(|token| if token.value == 4 { Err(token) } else { Ok(token) });
                        drop(scope.try_alloc_slice_try_fill_iter(results));
                    }),
                ],
            )
            .at_each::<InArena>(
                Step::Call,
                cases![
                    |ledger, arena| $open(arena, |scope| drop(
                        scope.alloc_box_slice_from_iter(stepwise(ledger, 6))
                    )),
                    |ledger, arena| $open(arena, |scope| assert!(
                        scope.try_alloc_box_slice_from_iter(stepwise(ledger, 6)).is_ok()
                    )),
                    |ledger, arena| $open(arena, |scope| {
                        scope.alloc_slice_from_iter(stepwise(ledger, 6).map(|token| token.value));
                    }),
                    |ledger, arena| $open(arena, |scope| {
                        let values = stepwise(ledger, 6).map(|token| token.value);
                        assert!(scope.try_alloc_slice_from_iter(values).is_ok());
                    }),
                    |ledger, arena| $open(arena, |scope| {
                        scope.alloc_slice_fill_iter(stepwise(ledger, 6).map(|token| token.value));
                    }),
                    |ledger, arena| $open(arena, |scope| {
                        let values = stepwise(ledger, 6).map(|token| token.value);
                        assert!(scope.try_alloc_slice_fill_iter(values).is_ok());
                    }),
                    |ledger, arena| $open(arena, |scope| {
                        let results = stepwise(ledger, 6)
                            .map(|token| if token.value == 104 { Err(token) } else { Ok(token) });
                        assert!(scope.alloc_slice_try_fill_iter(results).is_err());
                    }),
                    |ledger, arena| $open(arena, |scope| {
                        let results = stepwise(ledger, 6)
                            .map(|token| if token.value == 104 { Err(token) } else { Ok(token) });
                        assert!(
                            scope
                                .try_alloc_slice_try_fill_iter(results)
                                .expect("there is memory")
                                .is_err()
                        );
                    }),
                    |ledger, arena| $open(arena, |scope| _ =
                        scope.alloc_with(|| made(ledger).value)),
                    |ledger, arena| $open(arena, |scope| assert!(
                        scope.try_alloc_with(|| made(ledger).value).is_ok()
                    )),
                    |ledger, arena| $open(arena, |scope| {
                        let failed: Result<&mut u8, _> = scope.alloc_try_with(|| Err(made(ledger)));
                        assert!(failed.is_err());
                    }),
                    |ledger, arena| $open(arena, |scope| {
                        let failed = scope.try_alloc_try_with(|| Err::<u8, _>(made(ledger)));
                        assert!(failed.expect("there is memory").is_err());
                    }),
                    |ledger, arena| $open(arena, |scope| _ =
                        scope.alloc_slice_fill_with(6, |_| made(ledger).value)),
                    |ledger, arena| $open(arena, |scope| assert!(
                        scope.try_alloc_slice_fill_with(6, |_| made(ledger).value).is_ok()
                    )),
                    |ledger, arena| $open(arena, |scope| {
                        let failed = scope.alloc_slice_try_fill_with(6, |at| match at {
                            4 => Err(made(ledger)),
                            _ => Ok(made(ledger)),
                        });
                        assert!(failed.is_err());
                    }),
                    |ledger, arena| $open(arena, |scope| {
                        let failed = scope.try_alloc_slice_try_fill_with(6, |at| match at {
                            4 => Err(made(ledger)),
                            _ => Ok(made(ledger)),
                        });
                        assert!(failed.expect("there is memory").is_err());
                    }),
                    |ledger, arena| $open(arena, |scope| _ =
                        scope.alloc_fmt(format_args!("{}", Text(ledger)))),
                    |ledger, arena| $open(arena, |scope| assert!(
                        scope.try_alloc_fmt(format_args!("{}", Text(ledger))).is_ok()
                    )),
                ],
            )
            .at_each::<InArena>(
                Step::Clone,
                cases![
                    |ledger, arena| $open(arena, |scope| {
                        let source: Vec<_> = ledger.tokens(0..6).collect();
                        // The slice leaks its tokens, so they have none.
                        scope.alloc_slice_fill_with(6, |at| source[at].clone().value);
                    }),
                    |ledger, arena| $open(arena, |scope| {
                        let source: Vec<_> = ledger.tokens(0..6).collect();
                        drop_all(scope.alloc_slice_clone(&source));
                    }),
                    |ledger, arena| $open(arena, |scope| {
                        let source: Vec<_> = ledger.tokens(0..6).collect();
                        drop_all(scope.try_alloc_slice_clone(&source).expect("there is memory"));
                    }),
                    |ledger, arena| $open(arena, |scope| drop_all(
                        scope.alloc_slice_fill_clone(6, &ledger.token(0))
                    )),
                    |ledger, arena| $open(arena, |scope| {
                        let slice = scope.try_alloc_slice_fill_clone(6, &ledger.token(0));
                        drop_all(slice.expect("there is memory"));
                    }),
                ],
            )
            .refused::<InArena>(cases![
                |_, arena| $open(arena, |scope| {
                    MADE.set(0);
                    scope.alloc_slice_fill_default::<Made>(6);
                }),
                |_, arena| $open(arena, |scope| {
                    MADE.set(0);
                    let _ = scope.try_alloc_slice_fill_default::<Made>(6);
                }),
            ])
    };
}

/// Drops the tokens of a slice, which an arena would leak, in place.
#[expect(unsafe_code, reason = "what is in an arena is not dropped otherwise")]
fn drop_all(tokens: &mut [Token<'_>]) {
    // SAFETY: the slice is not used again.
    unsafe { std::ptr::drop_in_place(tokens) };
}

suite! {
    arena = allocations!("Arena", whole)
        .at_each::<InArena>(Step::Call, cases![
            |ledger, arena| {
                arena.scope(|scope| {
                    let kept = scope.alloc_box(ledger.token(1));
                    ledger.step(Step::Call);
                    assert_eq!(kept.value, 1);
                });
            },
        ]);
    scope = allocations!("Scope", Arena::scope);
    arena_box = Row::new("ArenaBox")
        .at_each::<InArena>(Step::Drop, cases![
            |ledger, arena| drop(boxed(ledger, arena)),
            |ledger, arena| drop(ArenaBox::into_inner(arena.alloc_box(ledger.token(0)))),
            |ledger, arena| *arena.alloc_box(ledger.token(0)) = ledger.token(1),
            |ledger, arena| drop(ArenaBox::<[Token<'_>; 6]>::try_from(boxed(ledger, arena))),
        ])
        .at_each::<InArena>(Step::Call, cases![
            |ledger, arena| drop(ArenaBox::from_iter_in(stepwise(ledger, 6), arena)),
            |ledger, arena| assert!(boxed(ledger, arena) == boxed(ledger, arena)),
            |ledger, arena| {
                assert_eq!(boxed(ledger, arena).cmp(&boxed(ledger, arena)), Ordering::Equal);
            },
            |ledger, arena| boxed(ledger, arena).hash(&mut DefaultHasher::new()),
        ]);
}
