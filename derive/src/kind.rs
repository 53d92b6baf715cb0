//! [`Kind`]: the four kinds of companion structs.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Ident, Lifetime, Type};

/// What a companion struct holds of each field.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Ref,
    Mut,
    Slices,
    SlicesMut,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Ref, Self::Mut, Self::Slices, Self::SlicesMut];

    /// The option of `#[row(...)]` that names it.
    pub(crate) fn option(self) -> &'static str {
        match self {
            Self::Ref => "reference",
            Self::Mut => "mutable",
            Self::Slices => "slices",
            Self::SlicesMut => "slices_mut",
        }
    }

    /// The associated type of the trait `Row`, which is also the suffix of the struct's default name.
    pub(crate) fn of_row(self) -> Ident {
        let name = match self {
            Self::Ref => "Ref",
            Self::Mut => "Mut",
            Self::Slices => "Slices",
            Self::SlicesMut => "SlicesMut",
        };
        Ident::new(name, Span::call_site())
    }

    /// The associated type of the trait `Fields` that it is built from.
    pub(crate) fn of_fields(self) -> Ident {
        let name = match self {
            Self::Ref => "Refs",
            Self::Mut => "Muts",
            Self::Slices => "Slices",
            Self::SlicesMut => "SlicesMut",
        };
        Ident::new(name, Span::call_site())
    }

    /// The method of the trait `Row` that builds it.
    pub(crate) fn method(self) -> Ident {
        let name = match self {
            Self::Ref => "by_ref",
            Self::Mut => "by_mut",
            Self::Slices => "by_slices",
            Self::SlicesMut => "by_slices_mut",
        };
        Ident::new(name, Span::call_site())
    }

    /// The name of the struct, unless an option sets another.
    pub(crate) fn default_name(self, row: &Ident) -> Ident {
        // Located at the row's name, but not written by the user, so that lints ignore it.
        let span = Span::call_site().located_at(row.span());
        format_ident!("{row}{}", self.of_row(), span = span)
    }

    /// The type of its field for a field of the row.
    pub(crate) fn of_field(self, field: &Type) -> TokenStream {
        let row = lifetime();
        match self {
            Self::Ref => quote!(&#row #field),
            Self::Mut => quote!(&#row mut #field),
            Self::Slices => quote!(&#row [#field]),
            Self::SlicesMut => quote!(&#row mut [#field]),
        }
    }

    /// Returns `true` if it is `Copy`.
    pub(crate) fn is_shared(self) -> bool {
        matches!(self, Self::Ref | Self::Slices)
    }

    /// Its documentation.
    pub(crate) fn docs(self, row: &Ident) -> String {
        let row = row.unraw();
        match self {
            Self::Ref => format!("References to the fields of a [`{row}`]."),
            Self::Mut => format!("Mutable references to the fields of a [`{row}`]."),
            Self::Slices => format!("The fields of many [`{row}`]s, as slices of the same length."),
            Self::SlicesMut => {
                format!("The fields of many [`{row}`]s, as mutable slices of the same length.")
            }
        }
    }
}

/// The lifetime for which rows and columns are borrowed. Its name differs from those of the struct's own lifetimes.
pub(crate) fn lifetime() -> Lifetime {
    Lifetime::new("'__row", Span::call_site())
}
