//! The type that the `stats` of a container returns.

/// Defines it: first the container's own counts, then those of its memory, which `of` copies from
/// [`VecStats`](crate::VecStats).
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
            #[doc = concat!($things, " that the container can ever hold.")]
            pub max_len: usize,
            #[doc = concat!("Reserved bytes of address space, for ", $parts, ".")]
            pub reserved_bytes: usize,
            /// Committed bytes of the same parts, including those past `capacity` that the [background
            /// thread](crate::service) committed ahead or that the region cache provided.
            pub committed_bytes: usize,
            /// Bytes past `capacity` that are ready, so that growth into them takes no page fault.
            pub ahead_bytes: usize,
            /// How many times growth outran commit-ahead.
            pub late: usize,
            /// Bytes of the same parts that are resident; `None` if the system does not report them.
            pub resident_bytes: Option<usize>,
        }

        impl $Stats {
            /// Copies the memory's statistics; the container's own counts are 0.
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
