//! A ledger of values: each must be dropped exactly once. Cloning, dropping and other user code can be made to panic at
//! any step.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::rc::Rc;
use std::sync::{Mutex, Once, PoisonError};

/// Kinds of user code that a container runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Clone,
    Drop,
    /// A predicate, a closure, an iterator, a comparison.
    Call,
}

/// The record of all values.
#[derive(Debug)]
pub(crate) struct Ledger(&'static Record);

thread_local! {
    /// Records of which no token is left.
    static FREE: RefCell<Vec<&'static Record>> = const { RefCell::new(Vec::new()) };
}

impl Drop for Ledger {
    fn drop(&mut self) {
        if self.live() == 0 {
            self.0.drops.borrow_mut().clear();
            self.0.order.borrow_mut().clear();
            self.0.fuse.set(None);
            FREE.with_borrow_mut(|free| free.push(self.0));
        }
    }
}

/// What tokens refer to. It stays when its ledger is dropped, for tokens that were leaked.
#[derive(Debug, Default)]
struct Record {
    /// How often each value was dropped, by its number.
    drops: RefCell<Vec<u32>>,
    /// The numbers of the dropped values, in order.
    order: RefCell<Vec<usize>>,
    /// The step that panics, and how many of its kind succeed before.
    fuse: Cell<Option<(Step, usize)>>,
}

impl Ledger {
    pub(crate) fn new() -> Self {
        Self(FREE.with_borrow_mut(Vec::pop).unwrap_or_else(|| leak(Record::default())))
    }

    /// Makes a step panic, after `pass` more of its kind.
    pub(crate) fn set_fuse(&self, step: Step, pass: usize) {
        self.0.fuse.set(Some((step, pass)));
    }

    /// Cancels the planned panic. Returns `true` if it has happened.
    pub(crate) fn clear_fuse(&self) -> bool {
        self.0.fuse.take().is_none()
    }

    /// Records a step of user code, which panics if that is planned.
    pub(crate) fn step(&self, step: Step) {
        self.0.step(step);
    }

    pub(crate) fn token(&self, value: u32) -> Token<'_> {
        self.owned_token(value)
    }

    /// A token without the lifetime, for containers whose methods take closures over references to fields: these need
    /// elements that are `'static`.
    pub(crate) fn owned_token(&self, value: u32) -> Token<'static> {
        self.0.token(value)
    }

    /// Tokens with the values of a range.
    pub(crate) fn tokens(&self, values: std::ops::Range<u32>) -> impl Iterator<Item = Token<'_>> {
        values.map(|value| self.token(value))
    }

    pub(crate) fn is_live(&self, token: &Token<'_>) -> bool {
        self.0.drops.borrow()[token.id] == 0
    }

    /// The number of values made.
    pub(crate) fn made(&self) -> usize {
        self.0.drops.borrow().len()
    }

    /// The number of values made and not dropped.
    pub(crate) fn live(&self) -> usize {
        self.0.drops.borrow().iter().filter(|drops| **drops == 0).count()
    }

    /// The numbers of the values dropped since the last call, in order.
    pub(crate) fn take_order(&self) -> Vec<usize> {
        self.0.order.take()
    }

    /// Asserts that nothing was dropped twice, and that all but `leaked` were dropped.
    #[track_caller]
    pub(crate) fn assert_all_dropped_but(&self, leaked: usize) {
        let drops = self.0.drops.borrow();
        assert!(drops.iter().all(|drops| *drops <= 1), "dropped twice: {drops:?}");
        let left = drops.iter().filter(|drops| **drops == 0).count();
        assert_eq!(left, leaked, "never dropped: {drops:?}");
    }
}

impl Record {
    fn step(&self, step: Step) {
        match self.fuse.get() {
            Some((kind, 0)) if kind == step && !std::thread::panicking() => {
                self.fuse.set(None);
                panic!("{step:?} panics, as planned");
            }
            Some((kind, pass)) if kind == step => {
                self.fuse.set(Some((kind, pass.saturating_sub(1))));
            }
            _ => {}
        }
    }

    fn token(&'static self, value: u32) -> Token<'static> {
        let mut drops = self.drops.borrow_mut();
        drops.push(0);
        Token { record: self, id: drops.len() - 1, value, of: PhantomData }
    }
}

/// A value recorded in a [`Ledger`].
pub(crate) struct Token<'l> {
    record: &'static Record,
    pub(crate) id: usize,
    pub(crate) value: u32,
    of: PhantomData<&'l Ledger>,
}

impl Clone for Token<'_> {
    fn clone(&self) -> Self {
        let is_live = self.record.drops.borrow()[self.id] == 0;
        assert!(is_live, "a clone of {self:?}, which was dropped");
        self.record.step(Step::Clone);
        self.record.token(self.value)
    }
}

impl Drop for Token<'_> {
    fn drop(&mut self) {
        // A panic here could abort the process; `assert_all_dropped_but` reports the fault.
        self.record.drops.borrow_mut()[self.id] += 1;
        self.record.order.borrow_mut().push(self.id);
        self.record.step(Step::Drop);
    }
}

impl PartialEq for Token<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.record.step(Step::Call);
        self.value == other.value
    }
}

impl Eq for Token<'_> {}

impl PartialOrd for Token<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Token<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.record.step(Step::Call);
        self.value.cmp(&other.value)
    }
}

impl Hash for Token<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.record.step(Step::Call);
        self.value.hash(state);
    }
}

impl fmt::Debug for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}={}", self.id, self.value)
    }
}

/// A value that is never dropped, but stays reachable, so that leak checkers do not report it.
pub(crate) fn leak<T>(value: T) -> &'static mut T {
    static KEPT: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let leaked = Box::leak(Box::new(value));
    let address = (&raw const *leaked).expose_provenance();
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(address);
    leaked
}

/// The values, in order.
pub(crate) fn values(tokens: &[Token<'_>]) -> Vec<u32> {
    tokens.iter().map(|token| token.value).collect()
}

/// Runs a closure that must panic, and returns its message.
#[track_caller]
pub(crate) fn panic_message<R>(run: impl FnOnce() -> R) -> String {
    let Err(payload) = panic::catch_unwind(AssertUnwindSafe(run)) else {
        panic!("it did not panic");
    };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => match payload.downcast::<&str>() {
            Ok(text) => (*text).to_owned(),
            Err(other) => panic!("it panicked with no words, but {:?}", other.type_id()),
        },
    }
}

type Hook = Box<dyn FnMut(&PanicHookInfo<'_>)>;

/// Runs a closure, and calls `hook` from the panic hook at each panic of this thread.
pub(crate) fn with_panic_hook<R>(
    hook: impl FnMut(&PanicHookInfo<'_>) + 'static,
    run: impl FnOnce() -> R,
) -> R {
    thread_local!(static OF_THREAD: RefCell<Option<Hook>> = const { RefCell::new(None) });
    static INSTALLED: Once = Once::new();

    // All threads share the panic hook.
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            OF_THREAD.with_borrow_mut(|hook| hook.iter_mut().for_each(|hook| hook(info)));
            before(info);
        }));
    });
    OF_THREAD.set(Some(Box::new(hook)));
    let result = run();
    OF_THREAD.set(None);
    result
}

/// Runs a closure that must panic, and returns the file of the call that the panic names.
#[track_caller]
pub(crate) fn panic_file<R>(run: impl FnOnce() -> R) -> String {
    let file = Rc::new(RefCell::new(None));
    let noted = Rc::clone(&file);
    let hook = move |info: &PanicHookInfo<'_>| {
        *noted.borrow_mut() = info.location().map(|place| place.file().to_owned());
    };
    with_panic_hook(hook, || panic_message(run));
    file.take().expect("the hook ran on this thread")
}
