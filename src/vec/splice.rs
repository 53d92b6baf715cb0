//! [`Splice`]: takes a range of elements out and puts others in its place.

use super::{Drain, give_up};

/// An iterator that takes a range of elements out of a [`VmVec`](crate::VmVec) and, when it is
/// dropped, puts others in its place; made by [`splice`](crate::VmVec::splice).
///
/// If it is forgotten instead, the array ends where the range began, and the rest leaks.
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
        // Whatever panics from here on, the drain then closes what is left of the gap.
        cut.drop_rest();
        let mut width = 0_usize;
        let mut trust_hint = true;
        loop {
            while !cut.is_full() {
                let Some(value) = replace_with.next() else { return };
                cut.fill(value);
            }
            let Some(value) = replace_with.next() else { return };
            // How many are still to come is not known before they have. So widen by the hint or,
            // where that says too little, by twice as much each time; the drain takes back what
            // was too much.
            let hint = if trust_hint { replace_with.size_hint().0 } else { 0 };
            width = hint.saturating_add(1).max(width.saturating_mul(2));
            if cut.widen(width).is_err() {
                (width, trust_hint) = (1, false);
                match cut.widen(width) {
                    Ok(()) => {}
                    // A second panic would abort the process.
                    Err(_) if std::thread::panicking() => return,
                    Err(error) => give_up(error),
                }
            }
            cut.fill(value);
        }
    }
}
