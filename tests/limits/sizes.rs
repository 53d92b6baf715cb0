//! The error of a full array: it names the limit, and only options that were set.

use crate::GIB;
use crate::linux::{assert_limit, in_child_limiting, set_limit, take_addresses};
use stayput::{
    Arena, Columns, DefaultKey, DenseSlotMap, Error, ErrorKind, Reservation, SecondaryMap,
    SharedSlotMap, SharedVec, SlotMap, Table, VmVec, indices,
};

indices! {
    struct ByValue for u64 {
        value: Unique<u64> = |value| value,
    }
}

/// An array of each kind created without options: its bytes of address space, and the error when those are used up.
pub(crate) type UsedUp = fn() -> (usize, Error);

#[rustfmt::skip]
pub(crate) fn default_arrays() -> [(&'static str, UsedUp); 8] {
    [
        ("VmVec", || {
            let mut array = VmVec::<u64>::from([1]);
            (array.stats().reserved_bytes, array.try_reserve(array.max_len()).unwrap_err())
        }),
        ("Arena", || {
            let arena = Arena::new();
            arena.alloc(1_u64);
            (arena.max_bytes(), arena.try_alloc_slice_fill_copy(arena.max_bytes(), 1_u8).unwrap_err())
        }),
        ("Columns", || {
            let mut array: Columns<(u64, u32)> = [(1, 2)].into_iter().collect();
            (array.stats().reserved_bytes, array.try_reserve(array.max_len()).unwrap_err())
        }),
        ("SharedVec", || {
            let array = SharedVec::<u64>::new();
            array.push(1);
            (array.max_len() * 8, array.try_reserve(array.max_len()).unwrap_err())
        }),
        ("SlotMap", || {
            let mut map: SlotMap<DefaultKey, [u64; 32]> = [[1; 32]].into_iter().collect();
            (map.max_len() * 256, map.try_reserve(map.max_len()).unwrap_err())
        }),
        ("SharedSlotMap", || {
            let map = SharedSlotMap::<DefaultKey, [u64; 32]>::new();
            map.insert([1; 32]);
            (map.max_len() * 256, map.try_reserve(map.max_len()).unwrap_err())
        }),
        ("SecondaryMap", || {
            let key = SlotMap::<DefaultKey, ()>::new().insert(());
            let mut map = SecondaryMap::<DefaultKey, [u64; 32]>::new();
            map.insert(key, [1; 32]);
            (map.max_len() * 256, map.try_reserve(map.max_len()).unwrap_err())
        }),
        ("DenseSlotMap", || {
            let mut map: DenseSlotMap<DefaultKey, [u64; 32]> = [[1; 32]].into_iter().collect();
            (map.max_len() * 256, map.try_reserve(map.max_len()).unwrap_err())
        }),
    ]
}

#[test]
fn under_an_address_limit_a_full_default_array_names_it() {
    in_child_limiting("address space", || {
        set_limit(libc::RLIMIT_AS, GIB);
        for (name, used_up) in default_arrays() {
            let (_, error) = used_up();
            assert_limit(error, ErrorKind::AddressLimit, GIB);
            let text = error.to_string();
            assert!(text.contains("RLIMIT_AS") && text.contains(name), "{name}: {text}");
            assert!(!text.contains("its `max_") && !text.contains("smaller"), "{name}: {text}");
        }
        let mut table: Table<u64, ByValue> = [1].into_iter().collect();
        let error = table.try_reserve(GIB / 8).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AddressLimit, "{error}");
        // A request of a call is not attributed to an option either.
        let error = VmVec::<u8>::new().try_reserve(2 * GIB).unwrap_err();
        assert!(!error.to_string().contains("max_len"), "{error}");
        // An option that was set is.
        let error = VmVec::<u8>::try_with_max_len(2 * GIB).unwrap_err();
        assert!(error.to_string().contains("a smaller `max_len`"), "{error}");
        let error = VmVec::<u8>::with_max_len(4096).try_reserve(4097).unwrap_err();
        assert_eq!((error.kind(), error.limit()), (ErrorKind::MaxLen, Some(4096)));
        assert!(error.to_string().contains("its `max_len` is 4096"), "{error}");
    });
}

#[test]
fn a_full_default_array_of_the_usual_size_names_no_option_as_set() {
    for (name, used_up) in default_arrays() {
        let (_, error) = used_up();
        let text = error.to_string();
        assert!(text.contains("default reservation"), "{name}: {text}");
        assert!(!text.contains("its `max_"), "{name}: {text}");
    }
}

#[test]
fn a_map_that_began_where_addresses_were_few_grows_when_there_are_more() {
    in_child_limiting("address space", || {
        set_limit(libc::RLIMIT_AS, GIB);
        let others = all_but(32 << 20);
        let mut map = DenseSlotMap::<DefaultKey, ()>::new();
        map.insert(());
        drop(others);
        let len = 1_000_000;
        map.try_reserve(len).unwrap();
        assert!(map.max_len() > len);
        let inserted = (1..len).take_while(|_| map.try_insert(()).is_ok()).count();
        assert_eq!(inserted, len - 1);
    });
}

#[test]
fn no_option_is_named_where_the_bits_of_a_default_map_are_refused() {
    in_child_limiting("address space", || {
        set_limit(libc::RLIMIT_AS, GIB);
        let mut map: SlotMap<DefaultKey, u8> = [1].into_iter().collect();
        let others = all_but(1 << 20);
        let refused = (1..map.max_len()).find_map(|_| map.try_insert(1).err());
        let error = refused.expect("the bits take more addresses than are left").error;
        assert_eq!(error.kind(), ErrorKind::AddressLimit, "{error}");
        assert!(!error.to_string().contains("max_len"), "{error}");
        assert!(format!("{error:?}").contains("of: SlotMap"), "{error:?}");
        let len = map.len();
        drop(others);
        map.insert(1);
        assert_eq!(map.len(), len + 1);
    });
}

/// Reserves all addresses except for `left` bytes.
fn all_but(left: usize) -> Vec<Reservation> {
    let _kept = Reservation::new(left).unwrap();
    take_addresses()
}
