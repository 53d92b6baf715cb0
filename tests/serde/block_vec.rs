//! Arrays in blocks.

use crate::{error_of, through};
use serde::{Deserialize, Deserializer};
use stayput::{BlockVec, Blocks, VmVec};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn read_into<'de, T: Deserialize<'de>>(
    vec: &mut BlockVec<T>,
    text: &'de str,
) -> Result<(), serde_json::Error> {
    Deserialize::deserialize_in_place(&mut serde_json::Deserializer::from_str(text), vec)
}

#[test]
fn an_array_survives_and_is_a_vec_to_others() {
    let vec: BlockVec<String> = (0..5000).map(|n| n.to_string()).collect();
    let std = vec.clone().into_vec();
    assert_eq!(through(&vec), [vec.clone(), vec.clone()]);
    assert_eq!(serde_json::to_string(&vec).unwrap(), serde_json::to_string(&std).unwrap());
    let bytes = postcard::to_stdvec(&vec).unwrap();
    assert_eq!(bytes, postcard::to_stdvec(&std).unwrap());
    assert_eq!(postcard::from_bytes::<BlockVec<&str>>(&bytes).unwrap(), std);
    assert_eq!(postcard::from_bytes::<VmVec<String>>(&bytes).unwrap(), std);
    assert!(through(&BlockVec::<u8>::new()).iter().all(BlockVec::is_empty));
}

#[test]
fn what_is_broken_is_an_error() {
    assert!(error_of::<BlockVec<u8>>("[1,256]").contains("256"));
    assert!(error_of::<BlockVec<u8>>("{}").contains("a sequence"));
    assert!(error_of::<BlockVec<u8>>("[1").contains("EOF"));
}

#[test]
fn announced_elements_take_no_memory_before_they_are_there() {
    // A length of 2^63 and one element.
    let mut bytes = vec![0x80; 9];
    bytes.extend([1, 3]);
    let mut vec = BlockVec::<u8>::new();
    let mut from = postcard::Deserializer::from_bytes(&bytes);
    assert!(Deserialize::deserialize_in_place(&mut from, &mut vec).is_err());
    assert_eq!((vec[0], vec.len(), vec.stats().blocks), (3, 1, 1));
}

#[test]
fn what_is_read_in_place_keeps_the_array_and_its_maximum() {
    let mut vec = BlockVec::builder().max_len(4).blocks(Blocks::Fixed { bytes: 48 }).build();
    vec.extend(["a", "b", "c"].map(String::from));
    let (first, buffer) = (&raw const vec[0], vec[0].as_ptr());
    for text in [r#"["x","y"]"#, "[]", r#"["1","2","3","4"]"#] {
        read_into(&mut vec, text).unwrap();
        assert_eq!(serde_json::to_string(&vec).unwrap(), text);
        assert!(vec.first().is_none_or(|now| std::ptr::eq(now, first)));
        if text.contains('x') {
            assert_eq!(vec[0].as_ptr(), buffer, "a string is read over the one before");
        }
    }
    let error = read_into(&mut vec, r#"["5","6","7","8","9"]"#).unwrap_err().to_string();
    assert!(error.contains("full"), "{error}");
    assert_eq!(vec, ["5", "6", "7", "8"]);
    assert!(read_into(&mut vec, r#"["10",11]"#).is_err());
    assert_eq!((vec.len(), vec[0].as_str(), vec[3].as_str()), (4, "10", "8"));
}

/// Panics after some were read.
#[derive(Debug)]
struct Bomb(Box<u8>);

impl<'de> Deserialize<'de> for Bomb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let n = u8::deserialize(deserializer)?;
        assert!(n < 3, "an element that panics");
        Ok(Self(Box::new(n)))
    }
}

#[test]
fn elements_are_whole_when_one_panics() {
    assert!(catch_unwind(|| serde_json::from_str::<BlockVec<Bomb>>("[1,2,3]")).is_err());
    let mut vec: BlockVec<Bomb> = [7, 8].map(|n| Bomb(Box::new(n))).into();
    assert!(catch_unwind(AssertUnwindSafe(|| read_into(&mut vec, "[1,3]"))).is_err());
    assert_eq!((vec.len(), *vec[0].0, *vec[1].0), (2, 1, 8));
    assert!(catch_unwind(AssertUnwindSafe(|| read_into(&mut vec, "[0,1,2,3]"))).is_err());
    assert_eq!((vec.len(), *vec[2].0), (3, 2));
}
