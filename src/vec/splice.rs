//! [`Splice`]: removes a range of elements and inserts others in its place.

use super::{Drain, handle_error};

/// An iterator that removes a range of elements from a [`VmVec`](crate::VmVec) and, when it is dropped, inserts others
/// in its place.
///
/// This struct is created by [`VmVec::splice`](crate::VmVec::splice). See its documentation for more.
///
/// If it is leaked instead, the array ends where the range began, and the remaining elements leak.
#[derive(Debug)]
pub struct Splice<'v, I: Iterator> {
    drain: Drain<'v, I::Item>,
    replace_with: I,
}

impl<'v, I: Iterator> Splice<'v, I> {
    pub(super) fn new(drain: Drain<'v, I::Item>, replace_with: I) -> Self {
        Self { drain, replace_with }
    }
}

exact_iterator! {
    [I: Iterator] Splice<'_, I> => I::Item:
    |iter| iter.drain.len(), iter.drain.next(), iter.drain.next_back()
}

impl<I: Iterator> Drop for Splice<'_, I> {
    fn drop(&mut self) {
        let (cut, replace_with) = (&mut self.drain.cut, &mut self.replace_with);
        // If anything panics from here on, the drop of `drain` closes the rest of the gap.
        cut.drop_rest();
        let mut width = 0_usize;
        let mut trust_hint = true;
        loop {
            while !cut.is_full() {
                let Some(value) = replace_with.next() else { return };
                cut.fill(value);
            }
            let Some(value) = replace_with.next() else { return };
            // The number of remaining elements is unknown. Widen the gap by the size hint or, if that is too small,
            // twice as far as the last time. The drop of `drain` closes what is left of it.
            let hint = if trust_hint { replace_with.size_hint().0 } else { 0 };
            width = hint.saturating_add(1).max(width.saturating_mul(2));
            if cut.widen(width).is_err() {
                (width, trust_hint) = (1, false);
                match cut.widen(width) {
                    Ok(()) => {}
                    // A second panic would abort the process.
                    Err(_) if std::thread::panicking() => return,
                    Err(error) => handle_error(error),
                }
            }
            cut.fill(value);
        }
    }
}
