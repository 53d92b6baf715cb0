//! Tests of lists.

use super::*;
use crate::error::ErrorKind;
use crate::os::{Call, fault::Fault};

#[test]
fn a_slot_that_is_too_large_is_refused_before_memory_is_taken() {
    let mut index = ListIndex::new();
    index.insert(&'a', 0, |_| false);
    for slot in [1 << 31, u32::MAX] {
        let fault = Fault::from_nth(Call::Commit, 0);
        let error = index.plan(&'b', slot, |_| false).unwrap_err();
        assert_eq!((error.kind(), error.limit()), (ErrorKind::KeyBits, Some(1 << 31)));
        assert_eq!(fault.failures(), 0);
    }
    index.check();
}
