//! What containers have in common: builders, and the methods that all of them have.

#![forbid(unsafe_code)]

mod builder;
mod constructors;
mod list;
mod maps;
mod memory;
pub(crate) mod sort;
mod stats;

pub use builder::Builder;
pub(crate) use builder::{Container, ContainerIn, OwnOptions};
pub(crate) use constructors::constructors;
pub(crate) use list::{clone_methods, vec_methods};
pub(crate) use maps::{
    by_index_methods, insert_many_methods, into_walk_methods, remove_many_method,
    secondary_insert_methods, walk_methods,
};
pub(crate) use memory::{prefault_methods, reserve_exact_methods, reserve_methods, shrink_methods};
pub(crate) use stats::stats;
