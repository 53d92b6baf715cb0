//! The grow-only scope: references stay valid, whatever code pushes more elements.

use crate::buffer::{Buffer, Call, Failure};
use crate::ledger::{Ledger, leak, panic_message, values, with_panic_hook};
#[cfg(feature = "block-vec")]
use stayput::BlockVec;
use stayput::{
    DefaultKey, DenseSlotMap, Error, ErrorKind, GrowOnly, GrowOnlyDenseMap, GrowOnlyMap, Key,
    KeyData, Plain64, SlotMap, VmVec,
};
use std::cell::{Cell, RefCell};
use std::panic::PanicHookInfo;

/// What the scopes of both arrays guarantee, one module each.
macro_rules! tests {
    ($array:ident in $module:ident) => {
        mod $module {
            use super::*;

            #[test]
            #[cfg_attr(miri, ignore = "takes minutes")]
            fn references_outlive_millions_of_pushes() {
                let mut vec = $array::new();
                let scope = vec.grow_only();
                let mut kept: Vec<(u64, &u64)> = Vec::new();
                for i in 0..2_000_000_u64 {
                    let element = scope.push(i);
                    if i.is_power_of_two() || i % 65_537 == 0 {
                        kept.push((i, element));
                    }
                }
                for (i, element) in kept {
                    assert_eq!((*element, scope.index_of(element)), (i, usize::try_from(i).ok()));
                }
                assert_eq!(vec.len(), 2_000_000);
            }

            #[test]
            fn a_scope_reads_like_the_array_and_its_iterator_does_not_grow() {
                let mut vec = $array::with_max_len(100);
                vec.extend(0..10);
                let scope = vec.grow_only();
                assert_eq!((scope.len(), scope.is_empty(), scope.max_len()), (10, false, 100));
                assert!(scope.capacity() >= 10);
                scope.reserve(50);
                assert!(scope.capacity() >= 60);
                assert_eq!(scope.try_reserve(91).unwrap_err().kind(), ErrorKind::MaxLen);
                assert_eq!((scope[3], scope.get(9), scope.get(10)), (3, Some(&9), None));
                assert_eq!(format!("{scope:?}"), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]");
                let outside = 3;
                assert_eq!((scope.index_of(&scope[4]), scope.index_of(&outside)), (Some(4), None));
                for element in &scope {
                    scope.push(element * 10);
                }
                assert!(vec.iter().copied().eq((0..10).chain((0..10).map(|n| n * 10))));
                assert!($array::<u8>::new().grow_only().is_empty());
                // The scope is not busy, only full.
                let mut none = $array::<u8>::with_max_len(0);
                let refused = none.grow_only().try_push(1).unwrap_err();
                assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
            }
        }
    };
}

tests!(VmVec in vm_vec);
#[cfg(feature = "block-vec")]
tests!(BlockVec in block_vec);

#[test]
fn references_outlive_the_scope_but_not_the_borrow() {
    let mut vec = VmVec::from(["a".to_string()]);
    let (first, slice) = {
        let scope = vec.grow_only();
        (scope.push("b".to_string()), scope.as_slice())
    };
    assert_eq!((first.as_str(), slice.len()), ("b", 2));
    vec.push("c".to_string());
    assert_eq!(vec, ["a", "b", "c"]);
}

#[test]
fn a_slice_does_not_grow_with_the_array() {
    let mut vec = VmVec::from([1, 2]);
    let scope = vec.grow_only();
    let (two, iter) = (scope.as_slice(), scope.iter());
    let third = scope.push(3);
    assert_eq!((two, *third), (&[1, 2][..], 3));
    assert_eq!(iter.as_slice(), [1, 2]);
    assert_eq!(scope.as_slice(), [1, 2, 3]);
    assert_eq!((&scope[1..], scope.get(..2), scope.get(2..4)), (&[2, 3][..], Some(two), None));
}

#[test]
fn an_iterator_may_push_into_the_scope_it_extends() {
    let mut vec = VmVec::new();
    let scope = vec.grow_only();
    let seen = RefCell::new(Vec::new());
    scope.extend((0..1000_u32).inspect(|i| {
        // Much more than the step that `extend` itself would take.
        for j in 0..20 {
            seen.borrow_mut().push(scope.push(100_000 + 20 * i + j));
        }
        scope.reserve(100);
    }));
    assert_eq!(scope.len(), 21_000);
    assert!(seen.borrow().iter().zip(100_000..).all(|(element, expected)| **element == expected));
    assert!(scope.iter().filter(|element| **element < 1000).copied().eq(0..1000));
}

#[test]
fn a_clone_and_a_comparison_may_push() {
    struct Nosy<'s> {
        scope: &'s GrowOnly<'static, Cell<u32>>,
    }
    impl Clone for Nosy<'_> {
        fn clone(&self) -> Self {
            self.scope.push(Cell::new(1));
            Self { scope: self.scope }
        }
    }
    impl PartialEq for Nosy<'_> {
        fn eq(&self, _: &Self) -> bool {
            self.scope.push(Cell::new(2));
            true
        }
    }

    let scope = leak(VmVec::with_max_len(1000)).grow_only();
    let first = scope.push(Cell::new(0));
    let mut nosy = VmVec::from([Nosy { scope: &scope }]);
    nosy.resize(100, nosy[0].clone());
    nosy.dedup();
    first.set(7);
    assert_eq!((nosy.len(), scope.len()), (1, 1 + 99 + 99));
    assert_eq!(scope[0].get(), 7);
}

#[test]
fn the_drop_of_a_refused_value_may_push_into_the_scope() {
    /// Pushes a smaller value when it is dropped.
    struct Stubborn {
        size: u32,
        scope: &'static GrowOnly<'static, Stubborn>,
        dropped: &'static Cell<u32>,
    }
    impl Drop for Stubborn {
        fn drop(&mut self) {
            self.dropped.set(self.dropped.get() + 1);
            if let Some(size) = self.size.checked_sub(1) {
                let Self { scope, dropped, .. } = *self;
                assert!(scope.try_push(Stubborn { size, scope, dropped }).is_err());
                assert_eq!(scope.len(), 3);
            }
        }
    }

    let scope: &GrowOnly<'_, _> = leak(leak(VmVec::with_max_len(3)).grow_only());
    let dropped: &Cell<u32> = leak(Cell::new(0));
    let make = |size| Stubborn { size, scope, dropped };
    let first = scope.push(make(0));
    scope.extend([make(0), make(0)]);
    assert_eq!(dropped.get(), 0);
    let refused = scope.try_push(make(5)).map(|_| ());
    assert!(refused.is_err_and(|refused| refused.error.kind() == ErrorKind::MaxLen));
    assert_eq!(dropped.get(), 6);

    // The same while a panic unwinds.
    let run = std::panic::AssertUnwindSafe(|| scope.push(make(2)).size);
    assert!(std::panic::catch_unwind(run).is_err());
    assert_eq!(dropped.get(), 9);
    assert_eq!((scope.len(), first.size, first.dropped.get()), (3, 0, 9));
}

#[test]
fn an_iterator_that_panics_leaves_what_was_pushed() {
    let ledger = Ledger::new();
    let mut vec = VmVec::new();
    let scope = vec.grow_only();
    let tokens = ledger.tokens(0..10).inspect(|token| assert!(token.value < 5, "planned"));
    let run = std::panic::AssertUnwindSafe(|| scope.extend(tokens));
    assert!(std::panic::catch_unwind(run).is_err());
    assert_eq!(values(scope.as_slice()), [0, 1, 2, 3, 4]);
    drop(vec);
    ledger.assert_all_dropped_but(0);
}

#[test]
fn elements_may_refer_to_each_other_in_a_leaked_array() {
    struct Node {
        number: usize,
        back: Option<&'static Node>,
        forward: Cell<Option<&'static Node>>,
    }
    let scope = leak(VmVec::with_max_len(10_000)).grow_only();
    let mut last: Option<&'static Node> = None;
    for number in 0..10_000 {
        let node = scope.push(Node { number, back: last, forward: Cell::new(None) });
        if let Some(last) = last {
            last.forward.set(Some(node));
        }
        last = Some(node);
    }
    let mut node = &scope[0];
    while let Some(next) = node.forward.get() {
        assert!(next.back.is_some_and(|back| std::ptr::eq(back, node)));
        node = next;
    }
    assert_eq!(node.number, 9_999);
}

#[test]
fn zero_sized_elements_may_be_pushed() {
    let mut vec = VmVec::with_max_len(3);
    let scope = vec.grow_only();
    scope.extend([(), ()]);
    let unit: &() = scope.push(());
    assert!(scope.try_push(()).is_err());
    assert_eq!((scope.len(), scope.index_of(unit)), (3, None));
}

type Words = GrowOnly<'static, u64>;
#[test]
fn values_of_a_map_change_through_any_reference() {
    let mut map = SlotMap::<DefaultKey, _>::new();
    let hole = map.insert(Cell::new(0));
    map.remove(hole);
    let scope = map.grow_only();
    assert!(scope.is_empty());
    // In a hole, and in a fresh slot.
    for n in 0..2 {
        let (key, inserted) = scope.insert(Cell::new(n));
        let found = scope.get(key).unwrap();
        found.set(found.get() + 1);
        inserted.set(inserted.get() + 1);
        assert_eq!((found.get(), inserted.get()), (n + 2, n + 2));
    }
    assert_eq!((scope.len(), scope.is_empty()), (2, false));
}

type Map = GrowOnlyMap<'static, DefaultKey, u64>;

#[test]
fn a_panic_hook_finds_the_scope_busy_and_it_works_afterwards() {
    thread_local! {
        static WORDS: Cell<Option<&'static Words>> = const { Cell::new(None) };
        static MAP: Cell<Option<&'static Map>> = const { Cell::new(None) };
        static REFUSALS: Cell<usize> = const { Cell::new(0) };
    }
    fn hook(_: &PanicHookInfo<'_>) {
        // Despite spare capacity.
        let mut errors = Vec::new();
        if let Some(words) = WORDS.get() {
            errors.extend([words.try_push(9).err().map(Error::from), words.try_reserve(1).err()]);
        }
        if let Some(map) = MAP.get() {
            errors.extend([map.try_insert(9).err().map(Error::from), map.try_reserve(1).err()]);
        }
        for error in errors {
            let error = error.expect("taken");
            assert_eq!(error.kind(), ErrorKind::Busy);
            REFUSALS.set(REFUSALS.get() + 1);
        }
    }

    let buffer = Buffer::new(1 << 20, 4 << 10, 8);
    let log = buffer.log();
    let words: &Words = leak(leak(VmVec::builder().build_in(buffer)).grow_only());
    let first = words.push(1);
    assert!(words.capacity() > 1);
    WORDS.set(Some(words));
    log.plan(Call::Commit, Failure::Panic, 0, 1);
    let message = with_panic_hook(hook, || panic_message(|| words.reserve(words.capacity())));
    assert!(message.contains("as planned"), "{message}");
    WORDS.set(None);
    assert_eq!(REFUSALS.replace(0), 2);
    let second = words.push(2);
    assert_eq!((first, second, words.as_slice()), (&1, &2, &[1, 2][..]));

    let buffer = Buffer::new(1 << 20, 4 << 10, 8);
    let log = buffer.log();
    let map: &Map = leak(leak(SlotMap::builder().build_in(buffer)).grow_only());
    let (key, first) = map.insert(1);
    MAP.set(Some(map));
    log.plan(Call::Commit, Failure::Panic, 0, 1);
    let message = with_panic_hook(hook, || panic_message(|| map.reserve(30_000)));
    assert!(message.contains("as planned"), "{message}");
    MAP.set(None);
    assert_eq!(REFUSALS.take(), 2);
    let (_, second) = map.insert(2);
    assert_eq!((first, second, map.get(key), map.len()), (&1, &2, Some(&1), 2));
}

thread_local! {
    /// What a buffer does when memory is requested.
    static MEDDLE: Cell<Option<fn()>> = const { Cell::new(None) };
    static SCOPES: Cell<Option<(&'static Words, &'static Map)>> = const { Cell::new(None) };
}

#[test]
fn a_backing_finds_every_call_of_the_scope_busy() {
    fn meddle() {
        let (words, map) = SCOPES.get().expect("set");
        let key = DefaultKey::default();
        let refused: [fn(&Words); 8] = [
            |words| _ = words.push(0),
            |words| words.reserve(0),
            |words| _ = words.len(),
            |words| _ = words.is_empty(),
            |words| _ = words.capacity(),
            |words| _ = words.max_len(),
            |words| _ = words.get(0),
            |words| _ = words.index_of(&1),
        ];
        let mut taken = 0;
        for call in refused {
            taken += usize::from(std::panic::catch_unwind(|| call(words)).is_err());
        }
        assert!(taken == 0 || taken == refused.len(), "{taken} of the array");
        let refused: [fn(&Map, DefaultKey); 6] = [
            |map, _| _ = map.insert(0),
            |map, _| map.reserve(0),
            |map, _| _ = map.len(),
            |map, key| _ = map.get(key),
            |map, _| _ = map.key_of(&1),
            |map, key| _ = map.downgrade(key),
        ];
        let mut others = 0;
        for call in refused {
            others += usize::from(std::panic::catch_unwind(|| call(map, key)).is_err());
        }
        assert!(others == 0 || others == refused.len(), "{others} of the map");
        // One scope requests memory, and the other works as usual.
        assert!((taken == 0) != (others == 0));
    }

    let backing = || {
        let meddle = || MEDDLE.get().into_iter().for_each(|meddle| meddle());
        Buffer::new(1 << 20, 4 << 10, 8).hooked(meddle)
    };
    let words: &Words = leak(leak(VmVec::builder().build_in(backing())).grow_only());
    let map: &Map = leak(leak(SlotMap::builder().build_in(backing())).grow_only());
    // Neither requests memory while the other does.
    words.reserve(1);
    map.reserve(1);
    SCOPES.set(Some((words, map)));
    MEDDLE.set(Some(meddle));
    words.reserve(words.capacity() + 1);
    map.reserve(20_000);
    while words.len() < words.capacity() {
        words.push(7);
    }
    words.push(8);
    MEDDLE.set(None);
    assert!(words.iter().all(|word| [0, 7, 8].contains(word)));
    assert!(words.iter().filter(|word| **word == 8).count() == 1);
    assert!(words.iter().filter(|word| **word == 0).count() == 1);
}

thread_local! {
    static DENSE: Cell<Option<&'static GrowOnlyDenseMap<'static, Meddling, u8>>> = const { Cell::new(None) };
}

/// A key that inserts into a map when it is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Meddling(KeyData);

impl From<KeyData> for Meddling {
    fn from(data: KeyData) -> Self {
        if let Some(scope) = DENSE.take() {
            // The small table moves when it grows.
            let keys: Vec<Self> = (0..100).map(|n| scope.insert(n).0).collect();
            assert!(keys.iter().zip(0..).all(|(key, n)| scope[*key] == n));
        }
        Self(data)
    }
}

impl Key for Meddling {
    type Layout = Plain64;

    fn data(&self) -> KeyData {
        self.0
    }
}

#[test]
fn a_key_may_insert_into_the_map_that_makes_it() {
    let map = leak(DenseSlotMap::<Meddling, u8>::with_key());
    let scope: &GrowOnlyDenseMap<'_, _, _> = leak(map.grow_only());
    let first = scope.insert(200).0;
    DENSE.set(Some(scope));
    let (key, value) = scope.insert(201);
    assert_eq!((scope.len(), value, scope[key], scope[first]), (102, &201, 201, 200));
}
