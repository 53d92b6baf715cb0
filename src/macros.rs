//! [`vm_vec!`](crate::vm_vec).

/// Creates a [`VmVec`](crate::VmVec), with the syntax of std's `vec!`.
///
/// # Panics
///
/// If memory is refused.
///
/// # Examples
///
/// ```
/// use stayput::{VmVec, vm_vec};
///
/// let none: VmVec<u8> = vm_vec![];
/// assert!(none.is_empty());
/// assert_eq!(vm_vec![1, 2, 3], [1, 2, 3]);
/// assert_eq!(vm_vec!['a'; 2], ['a', 'a']);
/// ```
#[macro_export]
macro_rules! vm_vec {
    () => {
        $crate::VmVec::new()
    };
    ($value:expr; $count:expr) => {
        match ($value, $count) {
            (value, count) => {
                let mut vec = $crate::VmVec::new();
                vec.resize(count, value);
                vec
            }
        }
    };
    ($($value:expr),+ $(,)?) => {
        $crate::VmVec::from([$($value),+])
    };
}
