//! The trait `Row`, for the row.

use crate::companion::Companion;
use crate::kind::lifetime;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Fields, Index};

/// The implementation for the row itself, by way of a tuple.
pub(crate) fn implementation(
    input: &DeriveInput,
    fields: &Fields,
    companions: &[Companion<'_>],
) -> TokenStream {
    let name = &input.ident;
    let (params, own, bounds) = input.generics.split_for_impl();
    let types = fields.iter().map(|field| &field.ty);
    let companion_types = companions.iter().map(associated_type);
    let methods = companions.iter().map(method);
    let members: Vec<_> = fields.members().collect();
    let put_together = from_tuple(fields);
    quote! {
        #[automatically_derived]
        impl #params ::stayput::Row for #name #own #bounds {
            type Fields = (#(#types,)*);
            #(#companion_types)*

            #[inline]
            fn into_fields(self) -> <Self as ::stayput::Row>::Fields {
                (#(self.#members,)*)
            }

            #[inline]
            fn from_fields(fields: <Self as ::stayput::Row>::Fields) -> Self {
                #name #put_together
            }

            #(#methods)*
        }
    }
}

/// The type of the trait that a companion is.
fn associated_type(companion: &Companion<'_>) -> TokenStream {
    let (which, name, row) = (companion.kind.of_row(), &companion.name, lifetime());
    let generics = companion.generics();
    let (_, own, _) = generics.split_for_impl();
    quote! {
        type #which<#row> = #name #own where Self: #row;
    }
}

/// The method of the trait that makes a companion.
fn method(companion: &Companion<'_>) -> TokenStream {
    let (kind, name, row) = (companion.kind, &companion.name, lifetime());
    let (method, given, made) = (kind.method(), kind.of_fields(), kind.of_row());
    let put_together = from_tuple(companion.fields);
    quote! {
        #[inline]
        fn #method<#row>(
            fields: <<Self as ::stayput::Row>::Fields as ::stayput::columns::Fields>::#given<#row>,
        ) -> <Self as ::stayput::Row>::#made<#row>
        where
            Self: #row,
        {
            #name #put_together
        }
    }
}

/// The fields of a struct, from a tuple called `fields`.
fn from_tuple(fields: &Fields) -> TokenStream {
    let members = fields.members();
    let places = (0..fields.len()).map(Index::from);
    quote!({ #(#members: fields.#places,)* })
}
