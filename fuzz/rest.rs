//! The operations of an input.
//!
//! A `Vec` takes a byte before each element, and ends where that is even: in random bytes after one element on average.

use arbitrary::{Arbitrary, Result, Unstructured};
use std::ffi::{CStr, c_char};

/// What is not reported as leaked: a background thread that is being started, or that ends, has memory to which nothing
/// refers for a moment.
#[unsafe(no_mangle)]
extern "C" fn __lsan_default_suppressions() -> *const c_char {
    const TEXT: &CStr = c"leak:start_thread\nleak:__cxa_thread_atexit_impl\n";
    TEXT.as_ptr()
}

/// All operations in the rest of an input.
#[derive(Clone, Debug)]
pub(crate) struct Rest<T>(pub(crate) Vec<T>);

impl<'a, T: Arbitrary<'a>> Arbitrary<'a> for Rest<T> {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            all.push(bytes.arbitrary()?);
        }
        Ok(Self(all))
    }
}

/// At most fifteen.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "most inputs have one list")]
pub(crate) struct Few<T>(pub(crate) Vec<T>);

impl<'a, T: Arbitrary<'a>> Arbitrary<'a> for Few<T> {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let count = bytes.arbitrary::<u8>()? % 16;
        (0..count).map(|_| bytes.arbitrary()).collect::<Result<_>>().map(Self)
    }
}
