//! Arenas as allocators, through each version of the trait `Allocator`.

#![expect(unsafe_code, reason = "calls allocators by hand")]

use stayput::{Arena, Scope};

/// The tests for one version of the trait, given its module and that of its containers.
macro_rules! version {
    ($name:ident, $api:path, $vec:path, $boxed:path) => {
        mod $name {
            use super::*;
            use $api as api;
            use api::Allocator;
            use std::alloc::Layout;
            use $boxed as Box;
            use $vec as Vec;
            use std::rc::Rc;

            static_assertions::assert_impl_all!(&'static Arena: Allocator);
            static_assertions::assert_impl_all!(&'static Scope<'static>: Allocator);

            fn layout(size: usize, align: usize) -> Layout {
                Layout::from_size_align(size, align).expect("it is one")
            }

            #[test]
            fn the_last_vector_grows_in_place() {
                let arena = Arena::new();
                arena.alloc(1_u8);
                let mut vec = Vec::new_in(&arena);
                vec.push(0_u64);
                let first = vec.as_ptr();
                for i in 1..10_000 {
                    vec.push(i);
                }
                assert_eq!(vec.as_ptr(), first);
                vec.truncate(10);
                vec.shrink_to_fit();
                assert_eq!((vec.as_ptr(), arena.used_bytes()), (first, align_of::<u64>() + 80));
                drop(vec);
                assert_eq!(arena.used_bytes(), align_of::<u64>());
            }

            #[test]
            fn vectors_that_take_turns_keep_their_values() {
                let arena = Arena::new();
                let counted = Rc::new(());
                let mut vecs: std::vec::Vec<_> = (0..5).map(|_| Vec::new_in(&arena)).collect();
                for i in 0..1000_usize {
                    vecs[i % 5].push((i, counted.clone()));
                }
                for (which, vec) in vecs.iter().enumerate() {
                    assert_eq!(vec.len(), 200);
                    assert!(vec.iter().enumerate().all(|(i, (n, _))| *n == i * 5 + which));
                }
                vecs.remove(2);
                assert_eq!(Rc::strong_count(&counted), 801);
                drop(vecs);
                assert_eq!(Rc::strong_count(&counted), 1);
            }

            #[test]
            fn containers_live_in_scopes() {
                let mut arena = Arena::new();
                let total = arena.scope(|scope| {
                    let mut vec = Vec::new_in(&*scope);
                    vec.extend(0..100_u32);
                    let boxed = Box::new_in(vec.len(), &*scope);
                    let sum = vec.iter().sum::<u32>();
                    assert_eq!(*boxed, 100);
                    drop((vec, boxed));
                    scope.scope(|inner| {
                        let mut vec = Vec::with_capacity_in(10, &*inner);
                        vec.push(sum);
                        vec[0]
                    })
                });
                assert_eq!((total, arena.used_bytes()), (4950, 0));
            }

            #[test]
            fn blocks_have_exactly_the_requested_size() {
                let arena = Arena::new();
                let alloc = &arena;
                for (size, align) in [(0, 1), (0, 64), (1, 1), (5, 8), (100, 64), (3, 1 << 20)] {
                    let block = alloc.allocate(layout(size, align)).unwrap();
                    assert_eq!((block.len(), block.cast::<u8>().addr().get() % align), (size, 0));
                    let zeroed = alloc.allocate_zeroed(layout(size, align)).unwrap();
                    assert_eq!(zeroed.len(), size);
                    // SAFETY: the block was allocated above, with that layout.
                    unsafe { alloc.deallocate(zeroed.cast(), layout(size, align)) };
                    // SAFETY: the same.
                    unsafe { alloc.deallocate(block.cast(), layout(size, align)) };
                }
            }

            #[test]
            fn alignment_may_change_when_a_block_is_resized() {
                let arena = Arena::new();
                let alloc = &arena;
                for (from, to) in [(1, 4096), (4096, 1), (8, 8), (2, 1 << 20)] {
                    for is_last in [true, false] {
                        let block = alloc.allocate_zeroed(layout(10, from)).unwrap();
                        // SAFETY: the block was allocated in that size.
                        unsafe { block.cast::<u8>().write_bytes(7, 10) };
                        if !is_last {
                            arena.alloc(1_u8);
                        }
                        // SAFETY: the block was allocated above, and becomes larger.
                        let grown = unsafe {
                            alloc.grow_zeroed(block.cast(), layout(10, from), layout(20, to))
                        };
                        let grown = grown.unwrap();
                        assert_eq!((grown.len(), grown.cast::<u8>().addr().get() % to), (20, 0));
                        // SAFETY: the block was allocated in that size, and all of it was written.
                        let bytes = unsafe { grown.as_ref() };
                        assert_eq!((&bytes[..10], &bytes[10..]), (&[7; 10][..], &[0; 10][..]));
                        // SAFETY: the block was allocated above, and becomes smaller.
                        let shrunk = unsafe {
                            alloc.shrink(grown.cast(), layout(20, to), layout(4, from))
                        };
                        let shrunk = shrunk.unwrap();
                        assert_eq!((shrunk.len(), shrunk.cast::<u8>().addr().get() % from), (4, 0));
                        // SAFETY: the block was allocated in that size, and all of it was written.
                        assert_eq!(unsafe { shrunk.as_ref() }, [7; 4]);
                    }
                }
            }

            #[test]
            fn blocks_can_grow_from_and_shrink_to_size_zero() {
                let arena = Arena::new();
                let alloc = &arena;
                let (none, some) = (layout(0, 8), layout(40, 8));
                let block = alloc.allocate(none).unwrap();
                // SAFETY: the block was allocated above, and becomes larger.
                let block = unsafe { alloc.grow(block.cast(), none, some) }.unwrap();
                assert_eq!(arena.used_bytes(), 40);
                // SAFETY: the block was allocated above, and becomes smaller.
                let block = unsafe { alloc.shrink(block.cast(), some, none) }.unwrap();
                assert_eq!(arena.used_bytes(), 0);
                let other = alloc.allocate(some).unwrap();
                // SAFETY: the block was allocated above, and becomes larger.
                let block = unsafe { alloc.grow(block.cast(), none, some) }.unwrap();
                assert_ne!(block.cast::<u8>(), other.cast::<u8>());
            }

            #[test]
            fn refusals_are_errors() {
                let arena = Arena::with_max_bytes(100);
                let alloc = &arena;
                assert!(alloc.allocate(layout(101, 1)).is_err());
                assert!(alloc.allocate_zeroed(layout(101, 1)).is_err());
                let block = alloc.allocate(layout(60, 1)).unwrap();
                // SAFETY: the block was allocated above, and becomes larger.
                let grown = unsafe { alloc.grow(block.cast(), layout(60, 1), layout(101, 1)) };
                assert!(grown.is_err());
                // SAFETY: the same.
                let grown = unsafe { alloc.grow(block.cast(), layout(60, 1), layout(100, 1)) };
                assert_eq!(grown.unwrap().cast::<u8>(), block.cast::<u8>());
                let mut vec: Vec<u8, _> = Vec::new_in(alloc);
                assert!(vec.try_reserve(1).is_err());
            }
        }
    };
}

#[cfg(feature = "allocator-api2-02")]
version!(
    version_02,
    allocator_api2_02::alloc,
    allocator_api2_02::vec::Vec,
    allocator_api2_02::boxed::Box
);

#[cfg(feature = "allocator-api2-04")]
version!(
    version_04,
    allocator_api2_04::alloc,
    allocator_api2_04::vec::Vec,
    allocator_api2_04::boxed::Box
);

#[cfg(stayput_nightly)]
version!(std_alloc, std::alloc, std::vec::Vec, std::boxed::Box);

#[cfg(feature = "allocator-api2-02")]
#[test]
fn a_hash_map_lives_in_an_arena() {
    let mut arena = Arena::new();
    for _ in 0..2 {
        arena.scope(|scope| {
            let mut map =
                hashbrown::HashMap::with_hasher_in(std::hash::RandomState::new(), &*scope);
            for i in 0..10_000_u32 {
                map.insert(i, scope.alloc_fmt(format_args!("{i}")));
            }
            map.retain(|key, _| key % 2 == 0);
            assert_eq!(map.len(), 5000);
            assert!((0..10_000).step_by(2).all(|i| map[&i].parse() == Ok(i)));
        });
        assert_eq!(arena.used_bytes(), 0);
    }
}
