//! [`Scope`] and [`ScopeGuard`]: a part of an arena's time, at whose end all that was stored in it
//! is free again.
//!
//! # Why this is sound
//!
//! A guard's drop takes back all that was handed out since the guard was made, so nobody may have
//! any of it then.
//!
//! - What a scope hands out lives for `'a` at most, its own lifetime, for which its guard is
//!   borrowed mutably. So all of it is gone before the guard can be dropped, or moved. (A handle
//!   that itself took back when it is dropped, and handed out for `'a`, would be dropped while its
//!   references live.)
//! - Nobody else hands anything out meanwhile: the arena, or the outer scope, is borrowed mutably
//!   by the guard. References from the outer scope live for that scope's own lifetime, not for a
//!   borrow of it, so they stay good, and lie before the mark.
//! - `top` never lies before a guard's mark: only the owner of a block gives it back, and whoever
//!   owns one from before by way of the trait `Allocator` (a `Vec<T, &Scope>`) borrows the outer
//!   scope, or the arena, so that no guard can be made of it. An [`ArenaBox`] of the outer scope
//!   can be dropped in the inner one, but gives no memory back.
//! - Two scopes that are exchanged (`mem::swap`) have the same lifetime, for which then both guards
//!   are borrowed: what either hands out lives no longer than its own guard is borrowed. The scope
//!   that a closure is given has a lifetime of which the closure knows nothing, so there is no
//!   other one to exchange it with. Guards that are exchanged take their marks, and the borrows of
//!   their arenas, with them; two of one arena are never there to be exchanged, for the outer is
//!   borrowed.
//! - A guard that is forgotten takes nothing back. What its scope stored stays taken, and nobody
//!   has it.
//! - Neither type can be sent or shared: the arena would be used by two threads.

#![expect(unsafe_code, reason = "takes back what nobody has any more")]

use super::ArenaBox;
use super::bump::{Bump, Mark};
use super::methods::{alloc_methods, scope_methods};
use crate::error::{Error, Refused, or_give_up};
use std::alloc::Layout;
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// A scope of an [`Arena`](crate::Arena): what is stored in it is gone when the scope ends, and
/// what was stored before it stays.
///
/// Made by [`Arena::scope`](crate::Arena::scope), or by [`ScopeGuard::scope`]. Scopes nest.
///
/// # Examples
///
/// ```
/// use stayput::Arena;
///
/// let mut arena = Arena::new();
/// let total = arena.scope(|frame| {
///     let numbers = frame.alloc_slice_from_iter(0..1000);
///     let squares = frame.scope(|scratch| {
///         let squares = scratch.alloc_slice_from_iter(numbers.iter().map(|n| n * n));
///         squares.iter().sum::<i32>()
///     });
///     numbers.iter().sum::<i32>() + squares
/// });
/// assert_eq!(total, 333_333_000);
/// assert_eq!(arena.used_bytes(), 0);
/// ```
///
/// Nothing gets out of a scope,
///
/// ```compile_fail
/// let mut arena = stayput::Arena::new();
/// let one = arena.scope(|scope| scope.alloc(1));
/// ```
///
/// ```compile_fail
/// let mut arena = stayput::Arena::new();
/// let mut one = &mut 0;
/// arena.scope(|scope| one = scope.alloc(1));
/// ```
///
/// ```compile_fail
/// let mut arena = stayput::Arena::new();
/// let boxed = arena.scope(|scope| scope.alloc_box(1));
/// ```
///
/// nor out of an inner one,
///
/// ```compile_fail
/// let mut arena = stayput::Arena::new();
/// arena.scope(|outer| {
///     let one = outer.scope(|inner| inner.alloc(1));
/// });
/// ```
///
/// nothing is stored in the outer one meanwhile, nor in the arena,
///
/// ```compile_fail,E0502
/// let mut arena = stayput::Arena::new();
/// arena.scope(|outer| {
///     outer.scope(|inner| *outer.alloc(1));
/// });
/// ```
///
/// ```compile_fail,E0502
/// let mut arena = stayput::Arena::new();
/// arena.scope(|scope| *arena.alloc(1));
/// ```
///
/// a scope is not exchanged with another,
///
/// ```compile_fail
/// let (mut one, mut two) = (stayput::Arena::new(), stayput::Arena::new());
/// one.scope(|a| two.scope(|b| std::mem::swap(a, b)));
/// ```
///
/// and no other thread has it:
///
/// ```compile_fail,E0277
/// let mut arena = stayput::Arena::new();
/// arena.scope(|scope| {
///     std::thread::scope(|threads| {
///         threads.spawn(|| *scope.alloc(1));
///     });
/// });
/// ```
pub struct Scope<'a> {
    pub(super) bump: &'a Bump,
}

impl<'a> Scope<'a> {
    alloc_methods!('a);
    scope_methods!();
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("used_bytes", &self.used_bytes()).finish_non_exhaustive()
    }
}

/// Ends a scope when it is dropped: where a closure is in the way of `?`, `return` or `await`.
///
/// In two steps, so that what is stored is gone before the guard is:
///
/// ```
/// use stayput::{Arena, Error};
///
/// fn longest<'t>(arena: &mut Arena, text: &'t str) -> Result<&'t str, Error> {
///     let mut guard = arena.guard();
///     let scope = guard.scope();
///     let words = scope.try_alloc_slice_from_iter(text.split(' '))?;
///     words.sort_by_key(|word| word.len());
///     Ok(words.last().copied().unwrap_or(""))
/// }
///
/// let mut arena = Arena::new();
/// assert_eq!(longest(&mut arena, "to be or not to be")?, "not");
/// assert_eq!(arena.used_bytes(), 0);
/// # Ok::<(), Error>(())
/// ```
///
/// A guard that is forgotten keeps the memory taken until the arena, or the outer scope, is reset.
///
/// What a scope stored does not outlive the guard,
///
/// ```compile_fail,E0505
/// let mut arena = stayput::Arena::new();
/// let mut guard = arena.guard();
/// let one = guard.scope().alloc(1);
/// drop(guard);
/// println!("{one}");
/// ```
///
/// not even as what is yet to be dropped:
///
/// ```compile_fail,E0597
/// let mut arena = stayput::Arena::new();
/// let boxed;
/// let mut guard = arena.guard();
/// boxed = guard.scope().alloc_box(1);
/// ```
///
/// One scope at a time hands memory out,
///
/// ```compile_fail,E0502
/// let mut arena = stayput::Arena::new();
/// let mut guard = arena.guard();
/// let mut outer = guard.scope();
/// let mut inner = outer.guard();
/// outer.alloc(1);
/// inner.scope().alloc(2);
/// ```
///
/// and none is made where a container has the scope as its allocator, and could give memory back:
///
/// ```compile_fail,E0502
/// # // `&Scope` held as a container holds its allocator.
/// struct Container<'s, 'a>(&'s stayput::Scope<'a>);
/// impl Drop for Container<'_, '_> {
///     fn drop(&mut self) {}
/// }
/// let mut arena = stayput::Arena::new();
/// arena.scope(|scope| {
///     let container = Container(scope);
///     scope.guard();
/// });
/// ```
#[must_use = "the scope ends when this is dropped"]
pub struct ScopeGuard<'a> {
    bump: &'a Bump,
    mark: Mark,
}

impl<'a> ScopeGuard<'a> {
    /// `bump` is of an arena or of a scope that is borrowed mutably for `'a`.
    pub(super) fn new(bump: &'a Bump) -> Self {
        Self { bump, mark: bump.mark() }
    }

    /// The scope, to store in. Called again, it goes on with what is there.
    #[inline]
    pub fn scope(&mut self) -> Scope<'_> {
        Scope { bump: self.bump }
    }
}

impl Drop for ScopeGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: all that was handed out since the mark was borrowed from `self`: see above.
        unsafe { self.bump.rewind(self.mark) };
    }
}

impl fmt::Debug for ScopeGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopeGuard").finish_non_exhaustive()
    }
}
