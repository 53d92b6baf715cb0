//! Arrays, for all of which the same holds.

use crate::{Bomb, error_of, through};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use stayput::{BlockVec, Blocks, SharedVec, VmVec};
use std::fmt::Debug;
use std::ops::Index;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What the tests need of an array.
trait Array<T>: Index<usize, Output = T> + FromIterator<T> {
    fn with_max_len(max_len: usize) -> Self;
    fn max_len(&self) -> usize;
    fn len(&self) -> usize;
    fn get(&self, index: usize) -> Option<&T>;
    fn has_room(&mut self, value: T) -> bool;
    fn committed_bytes(&self) -> usize;
}

macro_rules! array {
    ($array:ident, $with_max_len:expr, $committed_bytes:ident) => {
        impl<T> Array<T> for $array<T> {
            fn with_max_len(max_len: usize) -> Self {
                $with_max_len(max_len)
            }

            fn max_len(&self) -> usize {
                self.max_len()
            }

            fn len(&self) -> usize {
                self.iter().len()
            }

            fn get(&self, index: usize) -> Option<&T> {
                self.iter().nth(index)
            }

            fn has_room(&mut self, value: T) -> bool {
                self.try_push(value).is_ok()
            }

            fn committed_bytes(&self) -> usize {
                self.stats().$committed_bytes
            }
        }
    };
}

array!(VmVec, Self::with_max_len, committed_bytes);
array!(SharedVec, Self::with_max_len, committed_bytes);
// Two strings per block.
array!(
    BlockVec,
    |max_len| Self::builder().max_len(max_len).blocks(Blocks::Fixed { bytes: 48 }).build(),
    block_bytes
);

fn read_into<'de, A: Deserialize<'de>>(
    array: &mut A,
    text: &'de str,
) -> Result<(), serde_json::Error> {
    Deserialize::deserialize_in_place(&mut serde_json::Deserializer::from_str(text), array)
}

/// `is_borrowed(BYTES, ELEMENTS)` returns `true` if an array that borrows from the bytes it is read from holds these
/// elements.
fn survives<A>(is_borrowed: fn(&[u8], &[String]) -> bool)
where
    A: Array<String> + Serialize + DeserializeOwned + PartialEq<Vec<String>>,
{
    for count in [0, 1, 5000] {
        let std: Vec<String> = (0..count).map(|n: u32| n.to_string()).collect();
        let array: A = std.iter().cloned().collect();
        assert!(through(&array).iter().all(|read| *read == std));
        assert_eq!(serde_json::to_string(&array).unwrap(), serde_json::to_string(&std).unwrap());
        let bytes = postcard::to_stdvec(&array).unwrap();
        assert_eq!(bytes, postcard::to_stdvec(&std).unwrap());
        assert_eq!(postcard::from_bytes::<VmVec<String>>(&bytes).unwrap(), std);
        assert!(is_borrowed(&bytes, &std));
    }
}

fn survives_without_a_size<A: Array<()> + Serialize + DeserializeOwned>() {
    let array: A = [(); 5].into_iter().collect();
    assert!(through(&array).iter().all(|read| read.len() == 5));
}

fn corrupted_input_is_an_error<A: DeserializeOwned>() {
    assert!(error_of::<A>("[1,256]").contains("256"));
    assert!(error_of::<A>("{}").contains("a sequence"));
    assert!(error_of::<A>("[1").contains("EOF"));
}

fn announced_elements_take_no_memory_before_they_arrive<A, W>()
where
    A: Array<u8> + DeserializeOwned,
    W: Array<[u64; 4]> + DeserializeOwned,
{
    // A length of 2^63 and one element.
    let mut bytes = vec![0x80; 9];
    bytes.extend([1, 3]);
    assert!(postcard::from_bytes::<W>(&bytes).is_err());
    let mut array: A = [].into_iter().collect();
    let mut from = postcard::Deserializer::from_bytes(&bytes);
    assert!(Deserialize::deserialize_in_place(&mut from, &mut array).is_err());
    assert_eq!((array.len(), array[0]), (1, 3));
    assert!((1..=1 << 20).contains(&array.committed_bytes()));
}

fn deserializing_in_place_keeps_the_memory_and_the_maximum<A>(name: &str)
where
    A: Array<String> + Extend<String> + Serialize + DeserializeOwned + PartialEq<Vec<String>>,
{
    let mut array = A::with_max_len(4);
    array.extend(["a", "b", "c"].map(String::from));
    let (first, buffer) = (&raw const array[0], array[0].as_ptr());
    for text in [r#"["x","y"]"#, "[]", r#"["1","2","3","4"]"#] {
        read_into(&mut array, text).unwrap();
        assert_eq!(serde_json::to_string(&array).unwrap(), text);
        assert_eq!((array.get(array.len()), array.max_len()), (None, 4));
        assert!(array.get(0).is_none_or(|now| std::ptr::eq(now, first)));
        if text.contains('x') {
            assert_eq!(array[0].as_ptr(), buffer, "a string is read over the one before");
        }
    }
    let error = read_into(&mut array, r#"["5","6","7","8","9"]"#).unwrap_err().to_string();
    assert!(error.contains(&format!("this {name} is full")), "{error}");
    assert!(array == ["5", "6", "7", "8"].map(String::from).to_vec());
    assert!(!array.has_room(String::new()));
    assert!(read_into(&mut array, r#"["10",11]"#).is_err());
    assert_eq!((array.len(), array[0].as_str(), array[3].as_str()), (4, "10", "8"));
}

fn a_panicking_element_leaves_the_others_complete<A: Array<Bomb> + DeserializeOwned + Debug>() {
    assert!(catch_unwind(|| serde_json::from_str::<A>("[1,2,3]").map(drop)).is_err());
    let mut array: A = [7, 8].map(|n| Bomb(Box::new(n))).into_iter().collect();
    assert!(catch_unwind(AssertUnwindSafe(|| read_into(&mut array, "[1,3]"))).is_err());
    assert_eq!((array.len(), *array[0].0, *array[1].0), (2, 1, 8));
    assert!(catch_unwind(AssertUnwindSafe(|| read_into(&mut array, "[0,1,2,3]"))).is_err());
    assert_eq!((array.len(), *array[2].0), (3, 2));
    assert!(array.has_room(Bomb(Box::new(9))));
    assert_eq!((array.len(), *array[3].0), (4, 9));
}

/// Defines the tests of an array, in a module of its name.
macro_rules! tests {
    ($module:ident, $array:ident) => {
        mod $module {
            use super::*;

            #[test]
            fn an_array_survives_and_has_the_form_of_a_vec() {
                survives::<$array<String>>(|bytes, std| {
                    postcard::from_bytes::<$array<&str>>(bytes).unwrap().iter().eq(std)
                });
                survives_without_a_size::<$array<()>>();
            }

            #[test]
            fn corrupted_input_is_an_error() {
                super::corrupted_input_is_an_error::<$array<u8>>();
            }

            #[test]
            fn announced_elements_take_no_memory_before_they_arrive() {
                super::announced_elements_take_no_memory_before_they_arrive::<
                    $array<u8>,
                    $array<[u64; 4]>,
                >();
            }

            #[test]
            fn deserializing_in_place_keeps_the_memory_and_the_maximum() {
                let name = stringify!($array);
                super::deserializing_in_place_keeps_the_memory_and_the_maximum::<$array<_>>(name);
            }

            #[test]
            fn a_panicking_element_leaves_the_others_complete() {
                super::a_panicking_element_leaves_the_others_complete::<$array<Bomb>>();
            }
        }
    };
}

tests!(vm_vec, VmVec);
tests!(block_vec, BlockVec);
tests!(shared_vec, SharedVec);
