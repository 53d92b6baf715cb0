//! `Scope` and `ScopeGuard`: values in a scope are freed when it ends, however it ends, and all others stay.

use stayput::{Arena, Scope, ScopeGuard};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

static_assertions::assert_not_impl_any!(Scope<'static>: Send, Sync, Clone);
static_assertions::assert_not_impl_any!(ScopeGuard<'static>: Send, Sync, Clone);

#[test]
fn a_scope_ends_with_its_closure() {
    let mut arena = Arena::new();
    arena.alloc_str("stays");
    let used = arena.used_bytes();
    for _ in 0..3 {
        let sum = arena.scope(|scope| {
            let numbers = scope.alloc_slice_from_iter(1..=100_u64);
            scope.alloc_str("goes");
            assert!(scope.used_bytes() > used);
            numbers.iter().sum::<u64>()
        });
        assert_eq!((sum, arena.used_bytes()), (5050, used));
    }
}

#[test]
fn outer_references_stay_valid_in_and_after_inner_scopes() {
    fn down<'a>(scope: &mut Scope<'a>, depth: u32, above: &mut u32) -> &'a mut u32 {
        let mine = scope.alloc(depth);
        *above += 1;
        if depth > 0 {
            let before = scope.used_bytes();
            let from_below = scope.scope(|inner| {
                let kept = inner.alloc_str("below");
                let result = *down(inner, depth - 1, mine);
                assert_eq!(kept, "below");
                result
            });
            assert_eq!(scope.used_bytes(), before);
            assert_eq!((from_below, *mine), (depth - 1 + u32::from(depth > 1), depth + 1));
        }
        mine
    }
    let mut arena = Arena::new();
    let mut top = 0;
    arena.scope(|scope| {
        let mine = down(scope, 20, &mut top);
        scope.alloc(0);
        assert_eq!(*mine, 21);
    });
    assert_eq!((top, arena.used_bytes()), (1, 0));
}

#[test]
fn a_scope_that_panics_ends_too() {
    let mut arena = Arena::new();
    let work = || {
        arena.scope(|scope| {
            scope.alloc(1);
            scope.scope(|inner| {
                inner.alloc(2);
                panic!("planned");
            });
        });
    };
    assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
    assert_eq!(arena.used_bytes(), 0);
}

#[test]
fn guards_end_scopes_in_two_steps() {
    fn parse(arena: &mut Arena, text: &str) -> Result<u32, std::num::ParseIntError> {
        let mut guard = arena.guard();
        let scope = guard.scope();
        let parts = scope.alloc_slice_from_iter(text.split(','));
        let mut sum = 0;
        for part in parts {
            sum += *scope.alloc(part.parse::<u32>()?);
        }
        Ok(sum)
    }
    let mut arena = Arena::new();
    assert_eq!(parse(&mut arena, "1,2,3"), Ok(6));
    assert!(parse(&mut arena, "1,b,3").is_err());
    assert_eq!(arena.used_bytes(), 0);

    let mut guard = arena.guard();
    // The scope continues with what it holds.
    guard.scope().alloc(1_u8);
    let mut scope = guard.scope();
    let two = scope.alloc(2_u8);
    assert_eq!(scope.used_bytes(), 2);
    {
        let mut inner = scope.guard();
        assert_eq!(*inner.scope().alloc(*two), 2);
    }
    assert_eq!(scope.used_bytes(), 2);
    drop(guard);
    assert_eq!(arena.used_bytes(), 0);
}

#[test]
fn a_forgotten_guard_keeps_memory_until_the_outer_one_ends() {
    let mut arena = Arena::new();
    arena.scope(|outer| {
        let before = outer.alloc(1);
        let mut guard = outer.guard();
        *guard.scope().alloc(2) += 1;
        mem::forget(guard);
        let after = outer.alloc(3);
        assert_eq!((*before, *after), (1, 3));
        assert_eq!(outer.used_bytes(), 12);
    });
    assert_eq!(arena.used_bytes(), 0);
    mem::forget(arena.guard());
    arena.alloc(1);
    arena.reset();
}

#[test]
fn swapped_scopes_and_guards_free_their_own_memory() {
    let (mut one, mut two) = (Arena::new(), Arena::new());
    one.alloc(1_u8);
    two.alloc_str("two");
    {
        let (mut a, mut b) = (one.guard(), two.guard());
        let (mut in_a, mut in_b) = (a.scope(), b.scope());
        let first = in_a.alloc(1_u64);
        mem::swap(&mut in_a, &mut in_b);
        let second = in_a.alloc(2_u64);
        assert_eq!((*first, *second), (1, 2));
        mem::swap(&mut a, &mut b);
        drop(a);
        b.scope().alloc(3_u64);
    }
    assert_eq!((one.used_bytes(), two.used_bytes()), (1, 3));
}

#[test]
fn boxes_of_an_outer_scope_can_be_dropped_in_an_inner_one() {
    let mut arena = Arena::new();
    arena.scope(|outer| {
        let boxed = outer.alloc_box(String::from("outer"));
        let used = outer.used_bytes();
        outer.scope(move |inner| {
            drop(boxed);
            let text = inner.alloc_str("inner");
            assert_eq!(text, "inner");
            assert_eq!(inner.used_bytes(), used + 5);
        });
        assert_eq!(outer.used_bytes(), used);
    });
}

#[test]
fn memory_of_an_ended_scope_is_zeroed_on_request() {
    let mut arena = Arena::new();
    let layout = std::alloc::Layout::array::<u64>(100).unwrap();
    for _ in 0..3 {
        arena.scope(|scope| scope.alloc_slice_fill_copy(1000, u64::MAX)[0] = 1);
        let block = arena.alloc_layout_zeroed(layout);
        #[expect(unsafe_code, reason = "looks at memory by a pointer")]
        // SAFETY: the block was allocated in that size, zeroed.
        let block = unsafe { std::slice::from_raw_parts(block.cast::<u64>().as_ptr(), 100) };
        assert_eq!(block, [0; 100]);
    }
}
