//! Memory maps where the system does not say what is committed.

#![expect(unsafe_code, reason = "sets a limit")]

use crate::linux::{in_child, in_child_limiting};
use stayput::memory_map::Entry;
use stayput::{VmVec, memory_map};
use std::ffi::OsStr;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;

fn find(name: &str) -> Option<Entry> {
    memory_map().entries.into_iter().find(|entry| entry.name == Some(name))
}

#[test]
fn numbers_are_unknown_without_the_list_of_mappings() {
    in_child_limiting("open files", || {
        let mut array = VmVec::builder().name("known").build();
        array.resize(1 << 20, 1_u8);
        assert!(find("known").is_some_and(|entry| entry.resident_bytes >= Some(1 << 20)));

        // No file can be opened any more.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: it reads one structure.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const none) }, 0);
        let entry = find("known").expect("the register needs no file");
        assert_eq!((entry.committed_bytes, entry.resident_bytes), (None, None));
        assert_eq!((entry.huge_bytes, entry.spare_bytes), (None, None));
        assert_eq!(entry.usable_bytes, Some(array.capacity()));
    });
}

/// Names of mapped files may be any bytes.
#[test]
fn mapped_files_may_have_any_names() {
    in_child(|| {
        let name = [std::process::id().to_string().as_bytes(), b"-stayput-\xFF"].concat();
        let path = std::env::temp_dir().join(OsStr::from_bytes(&name));
        std::fs::write(&path, [1; 4096]).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        // SAFETY: the kernel chooses the addresses.
        let mapped = unsafe {
            let (access, kind) = (libc::PROT_READ, libc::MAP_PRIVATE);
            libc::mmap(std::ptr::null_mut(), 4096, access, kind, file.as_raw_fd(), 0)
        };
        assert_ne!(mapped, libc::MAP_FAILED);
        std::fs::remove_file(path).unwrap();
        let mut array = VmVec::builder().name("beside a file").build();
        array.resize(1 << 20, 1_u8);
        let resident = find("beside a file").and_then(|entry| entry.resident_bytes);
        assert!(resident >= Some(1 << 20), "{resident:?}");
        assert!(array.stats().resident_bytes >= Some(1 << 20));
    });
}
