//! What `stats` of containers returns.

/// Defines it: first counts of a container's own, then what all containers have, which `of` takes over from the
/// [`VecStats`](crate::VecStats) of its memory.
macro_rules! stats {
    (
        $(#[$about:meta])+
        pub struct $Stats:ident of $things:literal, in memory of $parts:literal {
            $($(#[$own_about:meta])+ $own:ident,)+
        }
    ) => {
        $(#[$about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $Stats {
            $($(#[$own_about])+ pub $own: usize,)+
            #[doc = concat!($things, " that fit into committed memory.")]
            pub capacity: usize,
            #[doc = concat!($things, " that there can ever be.")]
            pub max_len: usize,
            #[doc = concat!("Bytes of address space, for ", $parts, ".")]
            pub reserved_bytes: usize,
            /// Bytes that the system has promised, for the same; also those ahead of `capacity` that the
            /// [service](crate::service) has asked for, or others have left ([`keeper`](crate::keeper)).
            pub committed_bytes: usize,
            /// Of those, bytes that lie ready past `capacity`.
            pub ahead_bytes: usize,
            /// How many times growth outran commit-ahead.
            pub late: usize,
            /// Bytes that are in memory now, for the same, if the system tells.
            pub resident_bytes: Option<usize>,
        }

        impl $Stats {
            /// What the memory takes up; the counts of the container's own are 0.
            pub(crate) const fn of(memory: $crate::vec::VecStats) -> Self {
                Self {
                    $($own: 0,)+
                    capacity: memory.capacity,
                    max_len: memory.max_len,
                    reserved_bytes: memory.reserved_bytes,
                    committed_bytes: memory.committed_bytes,
                    ahead_bytes: memory.ahead_bytes,
                    late: memory.late,
                    resident_bytes: memory.resident_bytes,
                }
            }
        }
    };
}
pub(crate) use stats;
