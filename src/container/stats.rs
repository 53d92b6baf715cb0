//! The type that a container's `stats` returns.

/// Defines it: first the container's own counts, then those that all containers have, which `of` copies from the
/// [`VecStats`](crate::VecStats) of the container's memory.
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
            /// Bytes that the system has committed, for the same parts; includes those ahead of `capacity` that the
            /// [service](crate::service) has committed, or that came from the [region cache](crate::keeper).
            pub committed_bytes: usize,
            /// Of those, bytes that are ready past `capacity`.
            pub ahead_bytes: usize,
            /// How many times growth outran commit-ahead.
            pub late: usize,
            /// Bytes that are resident now, for the same parts; `None` if the system does not report it.
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
