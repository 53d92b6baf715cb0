//! The operations of an input.

use arbitrary::{Arbitrary, Result, Unstructured};

/// All operations in the rest of an input.
///
/// A `Vec` takes a byte before each element, and ends where that is even: in random bytes after one element on average.
#[derive(Debug)]
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
