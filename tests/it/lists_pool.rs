//! What the model of lists needs of elements and of pools.

use crate::lists_op::Config;
use stayput::list_pool::{Compacted, ListClass, ListHandle, ListMut, ListPoolStats};
use stayput::{
    Budget, CommitAhead, DefaultKey, Error, GivenBack, ListPool, Prefaulted, SecondaryLists,
    SlotMap,
};
use std::fmt::Debug;
use std::ops::IndexMut;

/// An element that is made from a number.
pub(crate) trait Item: Clone + Ord + Debug + 'static {
    fn make(n: u32) -> Self;
}

impl Item for u32 {
    fn make(n: u32) -> Self {
        n
    }
}

impl Item for u8 {
    fn make(n: u32) -> Self {
        n.to_le_bytes()[0]
    }
}

/// Is dropped, and found to leak by sanitizers if it is not.
impl Item for String {
    fn make(n: u32) -> Self {
        n.to_string()
    }
}

/// Of size zero.
impl Item for () {
    fn make(_: u32) -> Self {}
}

/// An element that is aligned to a cache line.
#[repr(align(64))]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Line(u32);

impl Item for Line {
    fn make(n: u32) -> Self {
        Self(n)
    }
}

/// Declares methods that both kinds of lists have, and implements them.
macro_rules! pool {
    (
        { $($own:tt)* }
        $(fn $name:ident([$($mut:tt)?] $(, $arg:ident: $of:ty)*) $(-> $result:ty)?;)*
        $(impl $pool:ty { $($implement:tt)* })*
    ) => {
        /// Lists with keys.
        pub(crate) trait Pool<T: Item>: IndexMut<DefaultKey, Output = [T]> + Sized {
            $($own)*
            $(fn $name(&$($mut)? self $(, $arg: $of)*) $(-> $result)?;)*
        }
        pool! { @each [$({ $pool } { $($implement)* })*]
            { $(fn $name([$($mut)?] $(, $arg: $of)*) $(-> $result)?;)* } }
    };
    (@each [$({ $pool:ty } $implement:tt)*] $methods:tt) => {
        $(pool! { @one { $pool } $implement $methods })*
    };
    (
        @one { $pool:ty } { $($implement:tt)* }
        { $(fn $name:ident([$($mut:tt)?] $(, $arg:ident: $of:ty)*) $(-> $result:ty)?;)* }
    ) => {
        impl<T: Item> Pool<T> for $pool {
            $($implement)*
            $(fn $name(&$($mut)? self $(, $arg: $of)*) $(-> $result)? {
                <$pool>::$name(self $(, $arg)*)
            })*
        }
    };
}

pool! {
    {
        fn made(config: Config) -> Self;

        /// Adds an empty list.
        fn add(&mut self, keys: &mut SlotMap<DefaultKey, ()>) -> DefaultKey;

        /// Returns the length of the list of a key, which is added if need be, or `None` if the container has no such method.
        fn entry(&mut self, _: DefaultKey) -> Option<Result<usize, Error>> {
            None
        }

        /// Returns `None` if the container has no such method.
        fn insert_list(&mut self, _: impl IntoIterator<Item = T>) -> Option<DefaultKey> {
            None
        }

        /// Returns `None` if the container has no such method.
        fn insert_owned(&mut self, _: Vec<T>) -> Option<ListHandle> {
            None
        }

        fn remove_owned(&mut self, _: ListHandle) -> bool {
            unreachable!("it returned none")
        }
    }
    fn len([]) -> usize;
    fn contains_key([], key: DefaultKey) -> bool;
    fn get([], key: DefaultKey) -> Option<&[T]>;
    fn get_mut([mut], key: DefaultKey) -> Option<ListMut<'_, T>>;
    fn remove_list([mut], key: DefaultKey) -> bool;
    fn retain([mut], keep: impl FnMut(DefaultKey, &mut [T]) -> bool);
    fn clear([mut]);
    fn keys([]) -> impl Iterator<Item = DefaultKey>;
    fn iter([]) -> impl ExactSizeIterator<Item = (DefaultKey, &[T])> + Clone;
    fn iter_mut([mut]) -> impl ExactSizeIterator<Item = (DefaultKey, &mut [T])>;
    fn values([]) -> impl Iterator<Item = &[T]>;
    fn values_mut([mut]) -> impl Iterator<Item = &mut [T]>;
    fn compact([mut]);
    fn compact_within([mut], budget: Budget) -> Result<Compacted, Error>;
    fn try_reserve([mut], additional: usize) -> Result<(), Error>;
    fn try_prefault([mut], additional: usize) -> Result<(), Error>;
    fn prefault_ahead([mut], budget: Budget) -> Prefaulted;
    fn try_shrink_to_fit([mut]) -> Result<(), Error>;
    fn shrink_to_fit_within([mut], budget: Budget) -> Result<GivenBack, Error>;
    fn try_clone([]) -> Result<Self, Error>;
    fn stats([]) -> ListPoolStats;
    fn size_classes([]) -> impl Iterator<Item = ListClass>;

    impl ListPool<T> {
        fn made(config: Config) -> Self {
            match config {
                Config::Default => Self::new(),
                Config::Builder => Self::builder().capacity(100).build(),
                Config::MaxLen(max_len) => Self::builder().max_len(max_len.into()).build(),
                Config::Ahead => Self::builder().commit_ahead(CommitAhead::Auto).build(),
            }
        }

        fn add(&mut self, _: &mut SlotMap<DefaultKey, ()>) -> DefaultKey {
            self.try_insert_empty().expect("there are few lists")
        }

        fn insert_list(&mut self, elements: impl IntoIterator<Item = T>) -> Option<DefaultKey> {
            Some(Self::insert_list(self, elements))
        }

        fn insert_owned(&mut self, elements: Vec<T>) -> Option<ListHandle> {
            Some(Self::insert_owned(self, elements))
        }

        fn remove_owned(&mut self, handle: ListHandle) -> bool {
            Self::remove_owned(self, handle)
        }
    }

    impl SecondaryLists<DefaultKey, T> {
        fn made(config: Config) -> Self {
            match config {
                Config::Default => Self::new(),
                Config::Builder => Self::builder().capacity(100).build(),
                Config::MaxLen(max_len) => Self::builder().max_len(max_len.into()).build(),
                Config::Ahead => Self::builder().commit_ahead(CommitAhead::Auto).build(),
            }
        }

        fn add(&mut self, keys: &mut SlotMap<DefaultKey, ()>) -> DefaultKey {
            let key = keys.insert(());
            let list = self.try_entry(key).expect("there are few lists");
            assert!(list.is_empty());
            key
        }

        fn entry(&mut self, key: DefaultKey) -> Option<Result<usize, Error>> {
            Some(self.try_entry(key).map(|list| list.len()))
        }
    }
}
