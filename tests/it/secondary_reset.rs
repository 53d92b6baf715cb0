//! Secondary maps after their slot map has forgotten its keys.

use stayput::{DefaultKey, ErrorKind, SecondaryMap, SlotMap, SparseSecondaryMap};

/// Slots 0 and 1 are in use, with generations 1 and 2.
fn used() -> (SlotMap<DefaultKey, u32>, [DefaultKey; 2]) {
    let mut map = SlotMap::new();
    let (first, second) = (map.insert(0), map.insert(1));
    map.remove(second);
    let later = map.insert(2);
    (map, [first, later])
}

/// The same for both maps.
macro_rules! tests {
    ($as_said:ident, $cleared:ident, $map:ident) => {
        #[test]
        fn $as_said() {
            let (mut map, keys) = used();
            let mut beside: $map<_, u32> = keys.into_iter().zip([10, 20]).collect();
            map.reset();
            let (same, older) = (map.insert(3), map.insert(4));

            // The old value is found under the new key, and replaces its value.
            assert_eq!(same, keys[0]);
            assert_eq!(beside.get(same), Some(&10));
            assert_eq!(beside.insert(same, 30), Some(10));

            // The new key looks older than the existing one.
            assert_eq!(beside.get(older), None);
            let refused = beside.try_insert(older, 40).unwrap_err();
            assert_eq!((refused.error.kind(), refused.value), (ErrorKind::StaleKey, 40));
            assert_eq!(beside.insert(older, 40), None);
            assert!(beside.entry(older).is_none());
            assert_eq!((beside.get(older), beside.get(keys[1])), (None, Some(&20)));
        }

        #[test]
        fn $cleared() {
            for reset in [true, false] {
                let (mut map, keys) = used();
                let mut beside: $map<_, u32> = keys.into_iter().zip([10, 20]).collect();
                if reset {
                    map.reset();
                    beside.clear();
                } else {
                    map.clear();
                }
                for value in [30, 40] {
                    let key = map.insert(value);
                    assert_eq!(beside.get(key), None);
                    assert_eq!(beside.try_insert(key, value), Ok(None));
                    assert_eq!(beside.get(key), Some(&value));
                }
            }
        }
    };
}

tests! {
    a_map_that_is_not_cleared_after_reset_mistakes_keys,
    a_map_that_is_cleared_after_reset_is_as_new_and_one_is_right_after_clear,
    SecondaryMap
}

tests! {
    a_sparse_map_that_is_not_cleared_after_reset_mistakes_keys,
    a_sparse_map_that_is_cleared_after_reset_is_as_new_and_one_is_right_after_clear,
    SparseSecondaryMap
}
