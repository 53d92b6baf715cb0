//! Where values are stored.

use stayput::{Arena, Error, Scope, ScopeGuard};

/// What a method returns that stores values.
pub(crate) type Stored<T> = Result<T, Error>;

/// An arena or a scope, whose methods are the same.
#[derive(Clone, Copy)]
pub(crate) enum Place<'s, 'v> {
    Arena(&'v Arena),
    Scope(&'s Scope<'v>),
}

/// Calls a method of a place.
macro_rules! on {
    ($place:expr, $store:ident => $call:expr) => {
        match $place {
            $crate::arena_op::place::Place::Arena($store) => $call,
            $crate::arena_op::place::Place::Scope($store) => $call,
        }
    };
}
pub(crate) use on;

impl Place<'_, '_> {
    pub(crate) fn used_bytes(self) -> usize {
        on!(self, store => store.used_bytes())
    }
}

/// In which a scope can be opened.
pub(crate) trait Opens {
    fn used(&self) -> usize;
    fn in_scope(&mut self, work: impl FnOnce(&mut Scope<'_>));
    fn opened(&mut self) -> ScopeGuard<'_>;
}

impl Opens for Arena {
    fn used(&self) -> usize {
        self.used_bytes()
    }

    fn in_scope(&mut self, work: impl FnOnce(&mut Scope<'_>)) {
        self.scope(work);
    }

    fn opened(&mut self) -> ScopeGuard<'_> {
        self.guard()
    }
}

impl Opens for Scope<'_> {
    fn used(&self) -> usize {
        self.used_bytes()
    }

    fn in_scope(&mut self, work: impl FnOnce(&mut Scope<'_>)) {
        self.scope(work);
    }

    fn opened(&mut self) -> ScopeGuard<'_> {
        self.guard()
    }
}
