//! `ArenaBox` owns its value, like std's `Box`.

#![expect(unsafe_code, reason = "takes boxes apart")]

use crate::ledger::panic_message;
use stayput::{Arena, ArenaBox};
use std::any::Any;
use std::borrow::Borrow;
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::future::{Future, ready};
use std::marker::PhantomPinned;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

static_assertions::assert_impl_all!(ArenaBox<'static, u8>: Send, Sync, Unpin, fmt::Debug);
static_assertions::assert_impl_all!(ArenaBox<'static, Cell<u8>>: Send);
static_assertions::assert_not_impl_any!(ArenaBox<'static, Cell<u8>>: Sync);
static_assertions::assert_not_impl_any!(ArenaBox<'static, Rc<u8>>: Send, Sync);
static_assertions::assert_impl_all!(ArenaBox<'static, PhantomPinned>: Unpin);
static_assertions::assert_not_impl_any!(ArenaBox<'static, u8>: Clone);
static_assertions::assert_eq_size!(ArenaBox<'static, u8>, Option<ArenaBox<'static, u8>>, usize);

/// Compiles because both lifetimes can be shortened.
fn shorten<'s, 'l: 's>(long: ArenaBox<'l, &'l str>) -> ArenaBox<'s, &'s str> {
    long
}

#[test]
fn a_value_is_dropped_with_its_box_once() {
    let counted = Rc::new(());
    let count = || Rc::strong_count(&counted) - 1;
    let arena = Arena::new();
    let one = arena.alloc_box(counted.clone());
    let many = arena.alloc_box_slice_from_iter((0..5).map(|_| counted.clone()));
    let array: ArenaBox<'_, [_]> = arena.alloc_box([counted.clone(), counted.clone()]).into();
    assert_eq!((count(), many.len(), array.len()), (8, 5, 2));
    let inner = ArenaBox::into_inner(one);
    assert_eq!(count(), 8);
    drop(inner);
    drop(many);
    drop(array);
    assert_eq!(count(), 0);
    let leaked = ArenaBox::leak(arena.alloc_box(counted.clone()));
    assert_eq!(count(), 1);
    // SAFETY: nothing uses the value again, and the box is its only owner.
    drop(unsafe { ArenaBox::from_raw(leaked) });
    assert_eq!(count(), 0);
}

#[test]
fn values_of_size_zero_are_dropped_too() {
    thread_local!(static DROPS: Cell<u32> = const { Cell::new(0) });
    struct Empty;
    impl Drop for Empty {
        fn drop(&mut self) {
            DROPS.set(DROPS.get() + 1);
        }
    }
    let arena = Arena::new();
    drop(arena.alloc_box(Empty));
    drop(arena.alloc_box_slice_from_iter((0..10).map(|_| Empty)));
    drop(ArenaBox::into_inner(arena.alloc_box(Empty)));
    assert_eq!((DROPS.get(), arena.used_bytes()), (12, 0));
    // As a value that is only stored, it is not.
    arena.alloc(Empty);
    assert_eq!(DROPS.get(), 12);
}

#[test]
fn a_drop_that_panics_drops_the_others() {
    struct Bad<'a>(&'a Cell<u32>);
    impl Drop for Bad<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
            assert!(self.0.get() != 1, "planned");
        }
    }
    let (arena, drops) = (Arena::new(), Cell::new(0));
    let bad = arena.alloc_box_slice_from_iter((0..3).map(|_| Bad(&drops)));
    assert_eq!(panic_message(|| drop(bad)), "planned");
    assert_eq!(drops.get(), 3);
}

#[test]
fn a_box_behaves_like_its_value() {
    let arena = Arena::new();
    let (one, mut two) = (arena.alloc_box(1), arena.alloc_box(1));
    assert!(one == two && one <= two);
    *two += 1;
    assert!(one < two && one != two);
    assert_eq!(format!("{one} {two:?}"), "1 2");
    assert_eq!(format!("{one:p}"), format!("{:p}", &raw const *one));
    *two.as_mut() += 1;
    assert_eq!((*one.as_ref(), *two), (1, 3));
    let ordered: BTreeSet<_> = [two, one].into_iter().collect();
    assert!(ordered.iter().map(|number| **number).eq([1, 3]));
    let words: HashSet<_> = ["a", "b"].map(|word| arena.alloc_box(word)).into_iter().collect();
    assert!(words.contains(&"b"));
    let word: &&str = words.get(&"a").unwrap().borrow();
    assert_eq!(*word, "a");
    assert_eq!(*shorten(arena.alloc_box("long")), "long");
}

#[test]
fn boxes_of_iterators_futures_and_errors_implement_those_traits() {
    let arena = Arena::new();
    let mut numbers = arena.alloc_box(0..10);
    assert_eq!((numbers.len(), numbers.next(), numbers.next_back()), (10, Some(0), Some(9)));
    assert_eq!((numbers.nth(2), numbers.sum::<i32>()), (Some(3), 4 + 5 + 6 + 7 + 8));
    let future = pin!(arena.alloc_box(ready(5)));
    assert_eq!(future.poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(5));
    let error = arena.alloc_box(arena.try_alloc_slice_uninit::<u64>(usize::MAX).unwrap_err());
    let error: &dyn std::error::Error = &error;
    assert!(error.source().is_none() && error.to_string().contains("overflow"));
}

/// A signature in which the object lives as long as the box, as in `&'a dyn Fn`.
fn lengths<'a>(arena: &'a Arena, text: &'a str) -> ArenaBox<'a, dyn Fn() -> usize> {
    ArenaBox::unsize(arena.alloc_box(|| text.len()), |closure| closure)
}

#[test]
fn trait_objects_and_slices_own_the_original_value() {
    let counted = Rc::new(());
    let count = || Rc::strong_count(&counted) - 1;
    let arena = Arena::new();
    let text = String::from("text");
    assert_eq!(lengths(&arena, &text)(), 4);

    let held = counted.clone();
    let call = arena.alloc_box(move |n: usize| n + Rc::strong_count(&held));
    let at = (&raw const *call).addr();
    let call: ArenaBox<'_, dyn Fn(usize) -> usize> = ArenaBox::unsize(call, |call| call);
    assert_eq!((call(1), (&raw const *call).addr()), (3, at));
    drop(call);
    assert_eq!(count(), 0);

    let array = arena.alloc_box([counted.clone(), counted.clone()]);
    let slice: ArenaBox<'_, [Rc<()>]> = ArenaBox::unsize(array, |array| array);
    assert_eq!((slice.len(), count()), (2, 2));
    drop(slice);
    assert_eq!(count(), 0);

    let any = arena.alloc_box(counted.clone());
    let any = ArenaBox::unsize::<dyn Any>(any, |any| any);
    let any = any.downcast::<u8>().unwrap_err();
    let back = any.downcast::<Rc<()>>().unwrap();
    assert_eq!((Rc::ptr_eq(&back, &counted), count()), (true, 1));
    drop(back);
    assert_eq!(count(), 0);
}

#[test]
fn a_send_trait_object_converts_to_one_without_send() {
    let arena = Arena::new();
    let sent = ArenaBox::unsize::<dyn Fn() -> u8 + Send>(arena.alloc_box(|| 7), |call| call);
    let sent = std::thread::scope(|threads| threads.spawn(|| sent).join().unwrap());
    let plain: ArenaBox<'_, dyn Fn() -> u8> = ArenaBox::unsize(sent, |call| call);
    assert_eq!(plain(), 7);
}

#[test]
fn a_value_whose_coercion_panics_is_never_dropped() {
    /// Records its drop.
    struct Said<'s>(&'s Cell<bool>);

    impl Drop for Said<'_> {
        fn drop(&mut self) {
            self.0.set(true);
        }
    }

    trait Anything {}
    impl<T> Anything for T {}

    let is_dropped = Cell::new(false);
    let arena = Arena::new();
    let boxed = arena.alloc_box(Said(&is_dropped));
    let message = panic_message(|| {
        let _: ArenaBox<'_, dyn Anything + '_> = ArenaBox::unsize(boxed, |_| panic!("planned"));
    });
    assert_eq!((message.as_str(), is_dropped.get()), ("planned", false));
}

#[test]
fn slices_convert_only_to_arrays_of_their_length() {
    let counted = Rc::new(());
    let arena = Arena::new();
    let slice = arena.alloc_box_slice_from_iter((0..3).map(|_| counted.clone()));
    let slice = ArenaBox::<[_; 2]>::try_from(slice).unwrap_err();
    let array = ArenaBox::<[_; 3]>::try_from(slice).unwrap();
    assert_eq!((array.len(), Rc::strong_count(&counted)), (3, 4));
    drop(array);
    assert_eq!(Rc::strong_count(&counted), 1);
    assert!(ArenaBox::<[String]>::default().is_empty());
    assert_eq!(&*ArenaBox::<str>::default(), "");
}

#[test]
fn trait_objects_can_be_made_through_raw_pointers() {
    let counted = Rc::new(());
    let arena = Arena::new();
    let held = counted.clone();
    let call = ArenaBox::into_raw(arena.alloc_box(move |n: usize| n + Rc::strong_count(&held)));
    let call: *mut dyn Fn(usize) -> usize = call;
    // SAFETY: the pointer came from a box just now.
    let call = unsafe { ArenaBox::from_raw(call) };
    assert_eq!(call(1), 3);
    drop(call);
    assert_eq!(Rc::strong_count(&counted), 1);
}

#[test]
fn a_box_can_be_sent_while_the_arena_is_used() {
    let arena = Arena::new();
    let texts: Vec<_> = (0..8).map(|i| arena.alloc_box(format!("text {i}"))).collect();
    std::thread::scope(|threads| {
        let total = threads.spawn(move || texts.iter().map(|text| text.len()).sum::<usize>());
        for i in 0..10_000 {
            arena.alloc(i);
        }
        assert_eq!(total.join().unwrap(), 48);
    });
}

#[test]
fn boxes_made_by_the_names_of_bumpalo_drop_their_values() {
    let counted = Rc::new(());
    let arena = Arena::new();
    let one = ArenaBox::new_in(counted.clone(), &arena);
    let many = ArenaBox::from_iter_in((0..3).map(|_| counted.clone()), &arena);
    assert_eq!((many.len(), Rc::strong_count(&counted)), (3, 5));
    drop(one);
    assert_eq!(Rc::strong_count(&counted), 4);
    drop(many);
    assert_eq!(Rc::strong_count(&counted), 1);
}
