//! The types of the register without the feature `memory-map`.

#![forbid(unsafe_code)]
#![allow(clippy::extra_unused_type_parameters, clippy::unused_self, reason = "as in `records.rs`")]

use std::ptr::NonNull;

/// The name that the user gave a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name;

impl Name {
    pub(crate) const NONE: Self = Self;
}

/// A place in the source of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place;

impl Place {
    pub(crate) const UNKNOWN: Self = Self;

    pub(crate) const fn caller() -> Self {
        Self
    }

    pub(crate) const fn or(self, _: Self) -> Self {
        self
    }
}

/// The name of a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeName;

impl TypeName {
    pub(crate) const fn of<T: ?Sized>() -> Self {
        Self
    }
}

/// What a reservation is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label;

impl Label {
    pub(crate) const BLOCK: Self = Self;

    pub(crate) const fn new(_: &'static str, _: Place) -> Self {
        Self
    }

    pub(crate) const fn growing(self) -> Self {
        self
    }

    pub(crate) const fn named(self, _: Name) -> Self {
        self
    }

    pub(crate) const fn element(self, _: TypeName) -> Self {
        self
    }
}

/// A reservation's place in the register.
#[derive(Debug)]
pub(crate) struct Registration;

impl Registration {
    pub(crate) const NONE: Self = Self;

    pub(crate) const fn new(_: NonNull<u8>, _: usize, _: Label) -> Self {
        Self
    }

    pub(crate) const fn set_range(&mut self, _: NonNull<u8>, _: usize) {}

    pub(crate) const fn set_label(&mut self, _: Label) {}

    pub(crate) const fn set_unused(&mut self) {}

    pub(crate) const fn note_dropped(&self) {}

    pub(crate) const fn hide(&mut self) {}

    pub(crate) const fn name(&self) -> Option<&'static str> {
        None
    }

    pub(crate) const fn note_growth(&self, _: usize, _: usize, _: usize) {}

    pub(crate) const fn set_usable(&self, _: usize) {}

    pub(crate) const fn end(&mut self) {}
}
