//! Makes system calls fail on purpose, so that tests reach every error path.

use super::Call;
use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    static PLAN: Cell<Option<FaultPlan>> = const { Cell::new(None) };
}

#[derive(Clone, Copy)]
struct FaultPlan {
    call: Call,
    /// How many calls of this kind still succeed.
    pass: usize,
    /// How many calls of this kind fail after those.
    refuse: usize,
    failures: usize,
}

/// Makes calls of one kind by this thread fail as planned, for as long as it lives.
#[must_use]
pub(crate) struct Fault {
    // The plan belongs to the thread that created this.
    not_send: PhantomData<*const ()>,
}

impl Fault {
    /// Lets `pass` calls through, refuses the next one, and lets the rest through.
    pub(crate) fn nth(call: Call, pass: usize) -> Self {
        Self::plan(call, pass, 1)
    }

    /// Lets `pass` calls through and refuses all that follow.
    pub(crate) fn from_nth(call: Call, pass: usize) -> Self {
        Self::plan(call, pass, usize::MAX)
    }

    /// Lets `pass` calls through, refuses the next `refuse`, and lets the rest through.
    pub(crate) fn plan(call: Call, pass: usize, refuse: usize) -> Self {
        let before = PLAN.replace(Some(FaultPlan { call, pass, refuse, failures: 0 }));
        assert!(before.is_none(), "one plan at a time");
        Self { not_send: PhantomData }
    }

    /// Returns how many calls have failed.
    #[expect(clippy::unused_self, reason = "the plan in force is that of the one `Fault`")]
    pub(crate) fn failures(&self) -> usize {
        PLAN.get().map_or(0, |plan| plan.failures)
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        PLAN.set(None);
    }
}

/// Counts a call, and returns whether it must fail.
pub(crate) fn should_fail(call: Call) -> bool {
    let Some(mut plan) = PLAN.get().filter(|plan| plan.call == call) else {
        return false;
    };
    let should_fail = plan.pass == 0 && plan.refuse > 0;
    if should_fail {
        plan.refuse -= 1;
        plan.failures += 1;
    } else {
        plan.pass = plan.pass.saturating_sub(1);
    }
    PLAN.set(Some(plan));
    should_fail
}
