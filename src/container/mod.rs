//! What containers have in common: how they are built, and the methods that all of them have, written once.

#![forbid(unsafe_code)]

mod builder;

pub use builder::{Builder, Reuse};
pub(crate) use builder::{Container, ContainerIn, KeyOptions};
