//! Arrays with 32-bit pointers, where addresses run out before memory does. This is one test in a process of its own,
//! since it takes all addresses.
#![cfg(all(target_pointer_width = "32", any(unix, windows)))]

use stayput::{DefaultKey, ErrorKind, Key, Reservation, SlotMap, VmVec};

const MIB: usize = 1 << 20;

#[test]
fn many_arrays_share_few_addresses() {
    let refused = VmVec::<u8>::try_with_max_len(3 << 30).unwrap_err();
    assert_eq!((refused.kind(), refused.bytes()), (ErrorKind::CapacityOverflow, 3 << 30));
    assert!(refused.to_string().contains("2147483647 bytes (2.0 GiB)"), "{refused}");
    let refused = VmVec::<u64>::try_with_max_len(1 << 30).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::CapacityOverflow);

    // Released addresses are available again; otherwise 100 GiB would not be.
    for n in 0..200 {
        let mut vec = VmVec::with_max_len(512 * MIB / size_of::<u32>());
        vec.push(n);
        assert_eq!(vec, [n]);
    }

    many_maps_share_few_addresses();

    // The arrays request 5 GiB of 4 GiB of addresses: the later ones get less.
    let mut arrays: Vec<_> = (0..40)
        .map(|n| {
            let mut vec = VmVec::new();
            vec.try_push(n).map(|()| vec).unwrap_or_else(|refused| panic!("{n}: {refused}"))
        })
        .collect();
    let reserved = |vec: &VmVec<u32>| vec.stats().reserved_bytes;
    assert_eq!(reserved(&arrays[0]), 128 * MIB);
    assert!(reserved(&arrays[39]) < 128 * MIB);
    assert!(arrays.iter().all(|vec| reserved(vec) >= MIB));

    // Thousands of arrays find addresses, and some are always left for everything else.
    for n in 40..2000 {
        let mut vec = VmVec::new();
        vec.try_push(n).unwrap_or_else(|refused| panic!("{n}: {refused}"));
        arrays.push(vec);
    }
    assert!(Vec::<u8>::new().try_reserve_exact(256 * MIB).is_ok());
    std::thread::spawn(|| ()).join().expect("there is room for a thread");

    // When no addresses are left for an explicit size, an error is returned, and existing arrays stay usable.
    let mut named = Vec::new();
    let refused = loop {
        match VmVec::<u8>::try_with_max_len(128 * MIB) {
            Ok(vec) => named.push(vec),
            Err(refused) => break refused,
        }
        assert!(named.len() < 32);
    };
    assert_eq!(refused.kind(), ErrorKind::AddressSpace, "{refused}");
    for (n, vec) in (0..).zip(&mut arrays) {
        vec.push(n + 1);
        assert_eq!(*vec, [n, n + 1]);
    }

    drop(named);
    drop(arrays);
    assert!(Reservation::new(1 << 30).is_ok());
}

fn many_maps_share_few_addresses() {
    // An index has as many bits as an address, and no map can have as many slots.
    let empty: SlotMap<DefaultKey, u64> = SlotMap::new();
    assert!(empty.max_len() < 1 << 28);
    let refused = SlotMap::<DefaultKey, u64>::builder().max_len(usize::MAX).try_build();
    assert_eq!(refused.map(drop).unwrap_err().kind(), ErrorKind::CapacityOverflow);
    assert!(SlotMap::<DefaultKey, u64>::new().try_reserve(usize::MAX).is_err());

    let mut maps: Vec<SlotMap<DefaultKey, u32>> = (0..10).map(|_| SlotMap::new()).collect();
    for (n, map) in (0..).zip(&mut maps) {
        let keys: Vec<_> = (0..1000).map(|i| map.insert(n * 1000 + i)).collect();
        let weak = map.downgrade(keys[1]).expect("it is there");
        map.retain(|_, value| *value % 2 == 0);
        assert_eq!((map.upgrade(&weak), map.get(keys[1])), (None, None));
        assert_eq!(map.insert(n).index(), 1);
        map.trim();
    }
    for (n, map) in (0..).zip(&maps) {
        assert_eq!((map.len(), map.values().nth(1)), (501, Some(&n)));
    }
    assert_eq!(size_of::<stayput::Weak<DefaultKey, u8>>(), 12);
    assert_eq!(size_of::<Option<stayput::Weak<DefaultKey, u8>>>(), 12);
}
