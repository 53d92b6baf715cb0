//! Applies the same operations to an array and a `Vec`, and compares them after each. Shared by the model tests and the
//! fuzz targets.

pub(crate) mod array;
pub(crate) mod block_vec;
pub(crate) mod bytes;
pub(crate) mod elements;
pub(crate) mod model;
pub(crate) mod op;
pub(crate) mod shared_vec;
pub(crate) mod threads;
pub(crate) mod vm_vec;

arbitrary! {
    /// The type of elements.
    #[cfg_attr(test, expect(dead_code, reason = "tests name the type"))]
    pub(crate) enum Kind {
        Byte,
        Word,
        ThreeBytes,
        Text,
        ZeroSized,
        PageSized,
    }
}

/// Runs the model of an array with elements of this type.
#[cfg(not(test))]
macro_rules! run {
    ($kind:expr, $array:ident, $config:expr, $ops:expr) => {{
        use $crate::arrays::elements::{PageSized, ZeroSized};
        use $crate::arrays::{Kind, model::Model};
        match $kind {
            Kind::Byte => Model::<u8, $array<_>>::run($config, $ops),
            Kind::Word => Model::<u64, $array<_>>::run($config, $ops),
            Kind::ThreeBytes => Model::<[u8; 3], $array<_>>::run($config, $ops),
            Kind::Text => Model::<String, $array<_>>::run($config, $ops),
            Kind::ZeroSized => Model::<ZeroSized, $array<_>>::run($config, $ops),
            Kind::PageSized => Model::<PageSized, $array<_>>::run($config, $ops),
        }
    }};
}
#[cfg(not(test))]
pub(crate) use run;
