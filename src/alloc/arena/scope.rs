//! [`Scope`] and [`ScopeGuard`]: free what an arena stored during a part of its life.
//!
//! # Why this is sound
//!
//! Dropping a guard frees all memory that was handed out since the guard was made, so none of it may be in use then.
//!
//! - Memory handed out by a scope lives for at most `'a`, the scope's own lifetime, for which its guard is borrowed
//!   mutably. So it is not used any more when the guard is dropped or moved. (If a single type handed out memory for
//!   `'a` and freed it in its own drop, references would still be alive at that time.)
//! - Nothing else is handed out while the scope exists: its guard borrows the arena or the outer scope mutably.
//!   References from the outer scope live for that scope's lifetime, not for a borrow of it. They stay valid, and point
//!   before the mark.
//! - `top` is never before a guard's mark. Only the owner of a block frees it. A container that owns an older block
//!   through the `Allocator` trait (a `Vec<T, &Scope>`) borrows the outer scope or the arena, so no guard can be made
//!   of it. An [`ArenaBox`] of the outer scope can be dropped in the inner one, but frees no memory.
//! - Two scopes can be swapped (`mem::swap`) only if they have the same lifetime, and both guards are borrowed for it.
//!   So whatever either hands out does not outlive the borrow of its own guard. The scope passed to a closure has a
//!   lifetime that the closure cannot name, so no other scope can be swapped with it. Guards that are swapped keep
//!   their marks and the borrows of their arenas. Two guards of one arena cannot be swapped, because the outer one is
//!   borrowed.
//! - A forgotten guard frees nothing. Its memory stays in use, unreachable.
//! - Neither type is `Send` or `Sync`, since the arena would be used by two threads.

#![expect(unsafe_code, reason = "frees memory that nothing uses any more")]

use super::bump::{Bump, Mark};
use super::methods::{alloc_methods, scope_methods};
use super::{Arena, ArenaBox};
use crate::error::{Error, Refused, unwrap_or_panic};
use std::alloc::Layout;
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// A scope of an [`Arena`](crate::Arena): values stored in it are freed when it ends, and earlier ones stay.
///
/// Made by [`Arena::scope`](crate::Arena::scope) or [`ScopeGuard::scope`]. Scopes can be nested.
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
/// References do not outlive their scope,
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
/// including inner scopes,
///
/// ```compile_fail
/// let mut arena = stayput::Arena::new();
/// arena.scope(|outer| {
///     let one = outer.scope(|inner| inner.alloc(1));
/// });
/// ```
///
/// nor can the outer scope or the arena store anything meanwhile,
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
/// nor can a scope be swapped with another,
///
/// ```compile_fail
/// let (mut one, mut two) = (stayput::Arena::new(), stayput::Arena::new());
/// one.scope(|a| two.scope(|b| std::mem::swap(a, b)));
/// ```
///
/// nor be used by another thread:
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
    pub(in crate::alloc) bump: &'a Bump,
}

impl<'a> Scope<'a> {
    alloc_methods!('a);
    scope_methods!(of_scope);
}

debug_fields!([] Scope<'_>, "Scope", |scope| used_bytes: scope.used_bytes());

/// Ends a scope when it is dropped. Use it where a closure would be in the way of `?`, `return` or `await`.
///
/// The guard and its scope are separate values, so that nothing stored in the scope outlives the guard. A forgotten
/// guard keeps the memory in use until the arena is reset or the outer scope ends.
///
/// # Examples
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
/// Values in a scope do not outlive the guard,
///
/// ```compile_fail,E0505
/// let mut arena = stayput::Arena::new();
/// let mut guard = arena.guard();
/// let one = guard.scope().alloc(1);
/// drop(guard);
/// println!("{one}");
/// ```
///
/// even if they only would be dropped later:
///
/// ```compile_fail,E0597
/// let mut arena = stayput::Arena::new();
/// let boxed;
/// let mut guard = arena.guard();
/// boxed = guard.scope().alloc_box(1);
/// ```
///
/// Only one scope at a time can store values,
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
/// and none can be opened while a container has the scope as its allocator, because the container could free memory:
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
// # Invariants
//
// - `bump` belongs to an arena or a scope that is borrowed mutably for `'a`, and made `mark` at the start of `'a`.
pub struct ScopeGuard<'a> {
    bump: &'a Bump,
    mark: Mark,
}

impl<'a> ScopeGuard<'a> {
    pub(super) fn of_arena(arena: &'a mut Arena) -> Self {
        Self { bump: &arena.bump, mark: arena.bump.mark() }
    }

    fn of_scope(scope: &'a mut Scope<'_>) -> Self {
        Self { bump: scope.bump, mark: scope.bump.mark() }
    }

    /// Returns the scope, to store values in. Further calls return the same scope, with what is already stored in it.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut arena = stayput::Arena::new();
    /// let mut guard = arena.guard();
    /// let scope = guard.scope();
    /// let name = scope.alloc_str("Ann");
    /// assert_eq!(name, "Ann");
    /// drop(guard);
    /// assert_eq!(arena.used_bytes(), 0);
    /// ```
    #[inline]
    pub fn scope(&mut self) -> Scope<'_> {
        Scope { bump: self.bump }
    }
}

impl Drop for ScopeGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the arena has made the mark, by the invariants. None of the blocks since then is used: by the
        // invariants, only scopes of `self` handed them out, to references that live no longer than a borrow of `self`,
        // and all such borrows have ended.
        unsafe { self.bump.rewind(self.mark) };
    }
}

debug_as!([] ScopeGuard<'_>, "ScopeGuard");
