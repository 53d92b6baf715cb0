//! [`Cold`]: the part of an array that only growing and shrinking need, outside of its handle.

#![forbid(unsafe_code)]

use super::Options;
use crate::error::Error;
use crate::growing::GrowingReservation;
use crate::heap::UninitBox;

/// The options of an array, and its memory, behind one pointer.
#[derive(Debug)]
pub(super) enum Cold {
    /// No option was set and no memory was allocated, so a constant can hold it.
    Defaults(&'static Options),
    Own(Box<Own>),
}

/// The options and memory of an array, boxed.
#[derive(Debug)]
pub(super) struct Own {
    pub(super) options: Options,
    pub(super) memory: Option<GrowingReservation>,
}

impl Own {
    pub(super) fn try_new(options: Options) -> Result<Box<Self>, Error> {
        let uninit = UninitBox::try_new().map_err(|error| error.of(options.holder))?;
        Ok(uninit.fill(Self { options, memory: None }))
    }
}

impl Cold {
    #[inline(never)]
    pub(super) fn try_own(&mut self) -> Result<&mut Own, Error> {
        if let Self::Defaults(options) = *self {
            *self = Self::Own(Own::try_new(*options)?);
        }
        match self {
            Self::Own(own) => Ok(own),
            Self::Defaults(_) => unreachable!("boxed above"),
        }
    }

    pub(super) const fn options(&self) -> &Options {
        match self {
            Self::Defaults(options) => options,
            Self::Own(own) => &own.options,
        }
    }

    /// Whether the options are [`Options::FULL`]. A single comparison if there is memory.
    #[inline]
    pub(super) const fn is_full(&self) -> bool {
        match self {
            Self::Defaults(options) => options.is_full(),
            Self::Own(_) => false,
        }
    }

    pub(super) fn memory(&self) -> Option<&GrowingReservation> {
        match self {
            Self::Defaults(_) => None,
            Self::Own(own) => own.memory.as_ref(),
        }
    }

    pub(super) fn memory_mut(&mut self) -> Option<&mut GrowingReservation> {
        match self {
            Self::Defaults(_) => None,
            Self::Own(own) => own.memory.as_mut(),
        }
    }

    pub(super) fn take_memory(&mut self) -> Option<GrowingReservation> {
        match self {
            Self::Defaults(_) => None,
            Self::Own(own) => own.memory.take(),
        }
    }
}
