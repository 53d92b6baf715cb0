//! Model tests: after any operations on an array and a `Vec`, both hold the same elements.

use crate::arrays::array::Array;
use crate::arrays::elements::{Element, PageSized, ZeroSized};
use crate::arrays::model::Model;
use crate::arrays::op::Op;
use crate::made;
use arbitrary::{Arbitrary, Unstructured};
use std::fmt::Debug;

/// Runs random operations, and reports the shortest list that fails.
fn agrees_with_vec<T: Element, A: Array<T>>(cases: u32)
where
    A::Config: for<'a> Arbitrary<'a> + Debug,
    A::Own: for<'a> Arbitrary<'a> + Debug + 'static,
{
    let op = |bytes: &mut Unstructured<'_>| {
        let is_own = bytes.ratio(A::OWN, 40 + A::OWN)?;
        if is_own { bytes.arbitrary().map(Op::Own) } else { bytes.arbitrary().map(Op::Vec) }
    };
    made::run_with_made(cases, 1..80, op, |config: A::Config, ops| {
        Model::<T, A>::run(config, ops);
    });
}

macro_rules! agree_with_vec {
    ($($module:ident: $array:ident;)*) => {
        $(mod $module {
            use super::*;
            use stayput::$array;

            #[test]
            fn bytes_agree_with_vec() {
                agrees_with_vec::<u8, $array<_>>(40);
            }

            #[test]
            fn words_agree_with_vec() {
                agrees_with_vec::<u64, $array<_>>(60);
            }

            #[test]
            fn three_byte_elements_agree_with_vec() {
                agrees_with_vec::<[u8; 3], $array<_>>(40);
            }

            #[test]
            fn elements_with_memory_of_their_own_agree_with_vec() {
                agrees_with_vec::<String, $array<_>>(40);
            }

            #[test]
            fn zero_sized_elements_agree_with_vec() {
                agrees_with_vec::<ZeroSized, $array<_>>(60);
            }

            #[test]
            fn page_aligned_elements_agree_with_vec() {
                agrees_with_vec::<PageSized, $array<_>>(60);
            }
        })*
    };
}

agree_with_vec! {
    vm_vec: VmVec;
    block_vec: BlockVec;
    shared_vec: SharedVec;
}
