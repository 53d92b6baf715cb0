//! Keeps the [register](crate::register) up to date about memory that is used from its front.

#![forbid(unsafe_code)]

use super::{GrowingReservation, Storage};
use crate::register::{self, Label};

impl GrowingReservation {
    /// Sets the label of the memory in the register.
    pub(super) fn set_label(&mut self, label: Label) {
        match self.memory.as_mut() {
            Some(Storage::Reserved(reservation)) => reservation.set_label(label),
            // Supplied by the user. (Memory is not served yet when it is labelled.)
            Some(Storage::External(_)) | None => {}
        }
    }

    /// Returns how many bytes are committed. Called before a growth, for [`note_growth`](Self::note_growth).
    pub(super) fn ready_bytes(&self) -> usize {
        if register::IS_ENABLED { self.committed_bytes() } else { 0 }
    }

    /// Records that the memory has grown. `ready` is what [`ready_bytes`](Self::ready_bytes) returned before the growth.
    pub(super) fn note_growth(&self, ready: usize) {
        if !register::IS_ENABLED {
            return;
        }
        if let Ok(reservation) = self.reservation() {
            let (usable, late) = (self.front.usable, self.late());
            reservation.registration().note_growth(usable, late, usable.saturating_sub(ready));
        }
    }

    /// Records how many bytes are usable.
    pub(super) fn note_use(&self) {
        if !register::IS_ENABLED {
            return;
        }
        if let Ok(reservation) = self.reservation() {
            reservation.registration().set_usable(self.front.usable);
        }
    }
}
