//! Third-party containers on a `VmAlloc`: their contents are right, and large ones do not move.

use stayput::alloc::VmAlloc;
use stayput::{HugePages, Release};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Emulators keep tables of reserved addresses.
fn alloc() -> VmAlloc {
    VmAlloc::new().threshold_bytes(64 * KIB).reserve_bytes(32 * MIB)
}

fn all() -> [VmAlloc; 4] {
    [
        alloc(),
        alloc().reserve_bytes(0),
        alloc().reserve_bytes(MIB).huge_pages(HugePages::Never),
        alloc().huge_pages(HugePages::Always).release(Release::Background),
    ]
}

#[test]
fn debug_output_shows_the_options() {
    let text = format!("{:?}", alloc().threshold_bytes(3).release(Release::Background));
    for part in ["threshold_bytes: 65536", "Some(33554432)", "Auto", "Background"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert_eq!(format!("{:?}", VmAlloc::default()), format!("{:?}", VmAlloc::new()));
}

#[test]
fn handles_are_small_and_go_anywhere() {
    static_assertions::assert_impl_all!(VmAlloc: Send, Sync, Copy);
    assert!(size_of::<VmAlloc>() <= 5 * size_of::<usize>());
}

/// Tests of the `Vec` and `Box` of each version.
macro_rules! containers {
    ($vec:ident, $boxed:ident, $allocator:path, $layout:path) => {
        use super::*;
        use $allocator as Allocator;

        #[test]
        #[cfg_attr(no_vm, ignore = "all blocks go to the parent there")]
        fn a_growing_vec_does_not_move_once_it_is_large() {
            for alloc in [all()[0], all()[3]] {
                let mut vec = $vec::with_capacity_in(8 * KIB, alloc);
                let first = vec.as_ptr();
                for n in 0..3 * MIB as u64 / 8 {
                    vec.push(n);
                }
                assert_eq!(vec.as_ptr(), first);
                assert!(vec.iter().zip(0..).all(|(word, n)| *word == n));
            }
        }

        #[test]
        fn a_vec_keeps_its_contents_with_any_reservation() {
            for alloc in all() {
                let mut vec: $vec<u64, VmAlloc> = $vec::new_in(alloc);
                for round in 0..4_u64 {
                    for n in vec.len() as u64..1 << (14 + round) {
                        vec.push(n);
                    }
                    assert!(vec.iter().zip(0..).all(|(word, n)| *word == n), "{alloc:?}");
                    vec.truncate(1 << (12 + round));
                    vec.shrink_to_fit();
                    assert!(vec.iter().zip(0..).all(|(word, n)| *word == n), "{alloc:?}");
                }
                let clone = vec.clone();
                drop(vec);
                assert!(clone.iter().zip(0..).all(|(word, n)| *word == n));
            }
        }

        #[test]
        fn elements_of_any_size_and_alignment() {
            #[derive(Clone, Copy, PartialEq, Debug)]
            #[repr(align(8192))]
            struct Page(u64);

            for alloc in all() {
                let mut pages = $vec::new_in(alloc);
                let mut nothing = $vec::new_in(alloc);
                for n in 0..200 {
                    pages.push(Page(n));
                    nothing.push(());
                }
                assert!(pages.iter().zip(0..).all(|(page, n)| page.0 == n));
                assert_eq!(pages.as_ptr().addr() % 8192, 0);
                assert_eq!(nothing.len(), 200);
                let mut bytes = $vec::new_in(alloc);
                bytes.resize(100_000, 5_u8);
                let boxed: $boxed<[u8], VmAlloc> = bytes.into_boxed_slice();
                assert!(boxed.iter().all(|byte| *byte == 5));
            }
        }

        #[test]
        fn blocks_grow_from_and_shrink_to_size_zero() {
            type Layout = $layout;
            let (none, some) = (Layout::new::<[u64; 0]>(), Layout::new::<[u64; 20_000]>());
            let wide = some.align_to(256).expect("small");
            for alloc in all() {
                let start = alloc.allocate(none).expect("nothing").cast::<u8>();
                // SAFETY: the block has that layout, and the new one is larger.
                let grown = unsafe { alloc.grow_zeroed(start, none, some) }.expect("some");
                // SAFETY: the block has the new size, and is zeroed.
                assert!(unsafe { grown.as_ref() }.iter().all(|byte| *byte == 0));
                // SAFETY: the block has that layout, and the new one has another alignment.
                let wider = unsafe { alloc.grow(grown.cast(), some, wide) }.expect("some");
                assert_eq!(wider.cast::<u8>().addr().get() % 256, 0);
                // SAFETY: the block has that layout, and the new one is smaller.
                let shrunk = unsafe { alloc.shrink(wider.cast(), wide, none) }.expect("nothing");
                assert_eq!(shrunk.len(), 0);
                // SAFETY: the block has that layout, and is not used any more.
                unsafe { alloc.deallocate(shrunk.cast(), none) };
            }
        }

        #[test]
        fn huge_sizes_are_refused_and_change_nothing() {
            for alloc in all() {
                let mut vec = $vec::new_in(alloc);
                vec.extend([7_u8; 1000]);
                vec.resize(100_000, 7);
                vec.try_reserve(isize::MAX as usize - MIB).unwrap_err();
                vec.try_reserve_exact(usize::MAX).unwrap_err();
                assert!(vec.len() == 100_000 && vec.iter().all(|byte| *byte == 7));
            }
        }
    };
}

#[cfg(feature = "allocator-api2-02")]
mod api2_02 {
    #![expect(unsafe_code, reason = "plays the part of a container")]
    use allocator_api2_02::{boxed::Box, vec::Vec};
    containers!(Vec, Box, allocator_api2_02::alloc::Allocator, std::alloc::Layout);

    #[test]
    fn a_hash_map_keeps_its_contents() {
        use hashbrown::HashMap;
        type Hasher = std::hash::BuildHasherDefault<std::hash::DefaultHasher>;
        for alloc in all() {
            let mut map: HashMap<u64, [u64; 3], Hasher, VmAlloc> =
                HashMap::with_hasher_in(Hasher::default(), alloc);
            for n in 0..20_000 {
                map.insert(n, [n; 3]);
            }
            map.retain(|n, _| n % 3 == 0);
            map.shrink_to_fit();
            assert_eq!(map.len(), 6667);
            assert!(map.iter().all(|(n, value)| *value == [*n; 3]));
        }
    }
}

#[cfg(feature = "allocator-api2-04")]
mod api2_04 {
    #![expect(unsafe_code, reason = "plays the part of a container")]
    use allocator_api2_04::{boxed::Box, vec::Vec};
    containers!(Vec, Box, allocator_api2_04::alloc::Allocator, std::alloc::Layout);
}

#[cfg(stayput_nightly)]
mod std_nightly {
    #![expect(unsafe_code, reason = "plays the part of a container")]
    use std::{boxed::Box, vec::Vec};
    containers!(Vec, Box, std::alloc::Allocator, std::alloc::Layout);
}
