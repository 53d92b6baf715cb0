//! Keys that return different data each time: each call uses the first answer.

use stayput::secondary::Entry;
use stayput::{Bits32, Key, KeyData, SecondaryMap, SparseSecondaryMap};
use std::cell::{Cell, RefCell};

type Split = Bits32<16, 8>;
type Data = KeyData<Split>;

thread_local! {
    /// What keys return, one after another; then the true data.
    static ANSWERS: RefCell<Vec<Data>> = const { RefCell::new(Vec::new()) };
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Fickle(Data);

impl From<Data> for Fickle {
    fn from(data: Data) -> Self {
        Self(data)
    }
}

impl Key for Fickle {
    type Layout = Split;

    fn data(&self) -> Data {
        ASKED.set(ASKED.get() + 1);
        ANSWERS
            .with_borrow_mut(|answers| if answers.is_empty() { self.0 } else { answers.remove(0) })
    }
}

fn data(index: u32, generation: u32) -> Data {
    Data::from_parts(index, generation, 0).expect("it fits")
}

fn key(index: u32, generation: u32) -> Fickle {
    data(index, generation).into()
}

/// A call with a key that returns these; the call must ask only once.
#[track_caller]
fn by_first_answer<R>(answers: &[Data], call: impl FnOnce(Fickle) -> R) -> R {
    ANSWERS.set(answers.to_vec());
    ASKED.set(0);
    let result = call(Fickle(answers[0]));
    assert_eq!(ASKED.get(), 1, "the key was asked as often");
    ANSWERS.take();
    result
}

/// The same calls for both maps.
macro_rules! calls {
    ($test:ident, $map:ident) => {
        #[test]
        fn $test() {
            let first = [data(3, 2), data(4, 3), data(5, 1)];
            let mut map: $map<Fickle, u32> = [(key(4, 2), 40)].into_iter().collect();
            let pairs = |map: &$map<Fickle, u32>| {
                let mut pairs: Vec<_> = map.iter().map(|(key, value)| (key.0, *value)).collect();
                pairs.sort_unstable();
                pairs
            };

            // Into an empty slot.
            assert_eq!(by_first_answer(&first, |key| map.insert(key, 30)), None);
            assert_eq!(pairs(&map), [(data(3, 2), 30), (data(4, 2), 40)]);
            assert_eq!(by_first_answer(&first, |key| map.insert(key, 31)), Some(30));
            assert_eq!(by_first_answer(&first, |key| map.get(key).copied()), Some(31));
            assert!(by_first_answer(&first, |key| map.contains_key(key)));
            assert_eq!(by_first_answer(&first, |key| map.get_mut(key).copied()), Some(31));
            assert_eq!(by_first_answer(&first, |key| map[key]), 31);
            by_first_answer(&first, |key| map[key] += 1);
            let found =
                by_first_answer(&first, |key| map.get_disjoint_mut([key]).map(|[value]| *value));
            assert_eq!(found, Some(32));
            assert_eq!(by_first_answer(&first, |key| map.remove(key)), Some(32));
            assert_eq!(pairs(&map), [(data(4, 2), 40)]);

            // Through the entry: into an empty slot, then over an older key, then over its own value.
            let fill = |map: &mut $map<Fickle, u32>, answers: &[Data], new| {
                by_first_answer(answers, |key| match map.entry(key).expect("it is not stale") {
                    Entry::Vacant(entry) => *entry.insert(new),
                    Entry::Occupied(mut entry) => entry.insert(new),
                })
            };
            assert_eq!(fill(&mut map, &first, 33), 33);
            assert_eq!(pairs(&map), [(data(3, 2), 33), (data(4, 2), 40)]);
            assert_eq!(fill(&mut map, &[data(3, 5), data(4, 7), data(3, 1)], 34), 34);
            assert_eq!(pairs(&map), [(data(3, 5), 34), (data(4, 2), 40)]);
            assert_eq!(fill(&mut map, &[data(3, 5), data(4, 2)], 35), 34);
            assert_eq!(pairs(&map), [(data(3, 5), 35), (data(4, 2), 40)]);
            let made = by_first_answer(&[data(6, 1), data(4, 2), data(3, 5)], |key| {
                *map.entry(key).expect("it is not stale").or_insert_with_key(|key| key.0.index())
            });
            assert_eq!(made, 6);
            assert_eq!(pairs(&map), [(data(3, 5), 35), (data(4, 2), 40), (data(6, 1), 6)]);

            // First a stale key, then a valid one.
            for stale in [data(3, 4), Data::null()] {
                let refused = by_first_answer(&[stale, data(3, 5)], |key| map.try_insert(key, 1));
                assert!(refused.is_err());
            }
            assert_eq!(pairs(&map).len(), 3);
        }
    };
}

calls!(a_secondary_map_asks_a_key_once, SecondaryMap);
calls!(a_sparse_secondary_map_asks_a_key_once, SparseSecondaryMap);
