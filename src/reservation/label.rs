//! Labels reservations, in the register and in the system's list of mappings.

#![forbid(unsafe_code)]

use super::{Pages, Reservation};
use crate::register::{Label, Registration};
use std::convert::Infallible;

impl Reservation {
    /// Returns the registration of the reservation.
    pub(crate) const fn registration(&self) -> &Registration {
        &self.registration
    }

    /// Sets the label of the reservation in the register, and its name, if any, in the system's list of mappings.
    pub(crate) fn set_label(&mut self, label: Label) {
        let before = self.registration.name();
        self.registration.set_label(label);
        if self.registration.name() != before {
            self.show_name();
        }
    }

    /// Sets the label of memory that nothing uses any more, unless it has it.
    pub(crate) fn set_unused(&mut self) {
        let before = self.registration.name();
        self.registration.set_unused();
        if before.is_some() {
            self.show_name();
        }
    }

    /// Sets the name of the whole range in the system's list of mappings, or removes it.
    pub(super) fn show_name(&self) {
        // Padding and guard page, too: with the same name they are one mapping with what is inaccessible of the range.
        self.owned().all().set_name(self.registration.name());
    }

    /// Names decommitted pages again, if the reservation has a name: fresh pages, without a name, have replaced them. With
    /// the same name, the system can merge them with the adjacent mapping.
    pub(super) fn show_name_again(&self, pages: Pages<'_>) {
        if self.registration.name().is_some() {
            let Ok(()) = pages.each(|place| {
                place.set_name(self.registration.name());
                Ok::<_, Infallible>(())
            });
        }
    }
}
