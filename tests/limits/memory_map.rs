//! Memory maps where the system does not say what is committed.

#![expect(unsafe_code, reason = "sets a limit")]

use crate::linux::in_child_limiting;
use stayput::{VmVec, memory_map};

#[test]
fn numbers_are_unknown_without_the_list_of_mappings() {
    in_child_limiting("open files", || {
        let mut array = VmVec::builder().name("known").build();
        array.resize(1 << 20, 1_u8);
        let entry = || memory_map().entries.into_iter().find(|entry| entry.name == Some("known"));
        assert!(entry().is_some_and(|entry| entry.resident_bytes >= Some(1 << 20)));

        // No file can be opened any more.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: it reads one structure.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const none) }, 0);
        let entry = entry().expect("the register needs no file");
        assert_eq!((entry.committed_bytes, entry.resident_bytes), (None, None));
        assert_eq!((entry.huge_bytes, entry.spare_bytes), (None, None));
        assert_eq!(entry.usable_bytes, Some(array.capacity()));
    });
}
