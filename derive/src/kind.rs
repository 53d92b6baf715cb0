//! [`Kind`]: the four structs that a row has beside it.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Ident, Lifetime, Type};

/// What one of the four structs holds of each field.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Ref,
    Mut,
    Slices,
    SlicesMut,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Ref, Self::Mut, Self::Slices, Self::SlicesMut];

    /// What `#[row(...)]` calls it.
    pub(crate) fn option(self) -> &'static str {
        match self {
            Self::Ref => "reference",
            Self::Mut => "mutable",
            Self::Slices => "slices",
            Self::SlicesMut => "slices_mut",
        }
    }

    /// The type of the trait `Row`, which is also what the struct's name ends in.
    pub(crate) fn of_row(self) -> Ident {
        let name = match self {
            Self::Ref => "Ref",
            Self::Mut => "Mut",
            Self::Slices => "Slices",
            Self::SlicesMut => "SlicesMut",
        };
        Ident::new(name, Span::call_site())
    }

    /// The type of the trait `Fields` that it is made of.
    pub(crate) fn of_fields(self) -> Ident {
        let name = match self {
            Self::Ref => "Refs",
            Self::Mut => "Muts",
            Self::Slices => "Slices",
            Self::SlicesMut => "SlicesMut",
        };
        Ident::new(name, Span::call_site())
    }

    /// The method of the trait `Row` that makes it.
    pub(crate) fn method(self) -> Ident {
        let name = match self {
            Self::Ref => "by_ref",
            Self::Mut => "by_mut",
            Self::Slices => "by_slices",
            Self::SlicesMut => "by_slices_mut",
        };
        Ident::new(name, Span::call_site())
    }

    /// The name of the struct, unless an option gives another.
    pub(crate) fn default_name(self, row: &Ident) -> Ident {
        // Where the row's name is, but not by the user's hand, so that lints leave it alone.
        let span = Span::call_site().located_at(row.span());
        format_ident!("{row}{}", self.of_row(), span = span)
    }

    /// What it holds of a field.
    pub(crate) fn of_field(self, field: &Type) -> TokenStream {
        let row = lifetime();
        match self {
            Self::Ref => quote!(&#row #field),
            Self::Mut => quote!(&#row mut #field),
            Self::Slices => quote!(&#row [#field]),
            Self::SlicesMut => quote!(&#row mut [#field]),
        }
    }

    /// Whether it may be copied.
    pub(crate) fn is_shared(self) -> bool {
        matches!(self, Self::Ref | Self::Slices)
    }

    /// What its docs say.
    pub(crate) fn docs(self, row: &Ident) -> String {
        let row = row.unraw();
        match self {
            Self::Ref => format!("A [`{row}`] to look at: references to its fields."),
            Self::Mut => format!("A [`{row}`] to change: mutable references to its fields."),
            Self::Slices => format!("Each field of many [`{row}`], as slices of the same length."),
            Self::SlicesMut => {
                format!("Each field of many [`{row}`], as mutable slices of the same length.")
            }
        }
    }
}

/// How long rows and columns are borrowed, by a name that no lifetime of a struct's own has.
pub(crate) fn lifetime() -> Lifetime {
    Lifetime::new("'__row", Span::call_site())
}
