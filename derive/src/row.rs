//! The implementation of the trait `Row`.

use crate::companion::Companion;
use crate::kind::lifetime;
use proc_macro2::TokenStream;
use quote::quote;
use std::iter;
use syn::{DeriveInput, Field, Fields, Index, Path};

/// The maximum number of fields of a tuple that implements the trait `Fields`. More fields are a sequence of tuples, by
/// `Concat`.
const MAX_TUPLE: usize = 12;

/// Returns the implementation for the row itself, in terms of a tuple.
pub(crate) fn implementation(
    input: &DeriveInput,
    fields: &Fields,
    companions: &[Companion<'_>],
    krate: &Path,
) -> TokenStream {
    let name = &input.ident;
    let (params, own, bounds) = input.generics.split_for_impl();
    let companion_types = companions.iter().map(associated_type);
    let methods = companions.iter().map(|companion| method(companion, krate));
    let types = fields.iter().map(|Field { ty, .. }| quote!(#ty));
    let types = tuples(types, |first, rest| quote!(#krate::columns::Concat<#first, #rest>));
    let values = fields.members().map(|member| quote!(self.#member));
    let values = tuples(values, |first, rest| quote!(#krate::columns::Concat(#first, #rest)));
    let assembly = from_tuples(fields);
    quote! {
        #[automatically_derived]
        #[allow(deprecated, reason = "a deprecated struct still implements the trait")]
        impl #params #krate::Row for #name #own #bounds {
            type Fields = #types;
            #(#companion_types)*

            #[inline]
            fn into_fields(self) -> <Self as #krate::Row>::Fields {
                #values
            }

            #[inline]
            fn from_fields(__fields: <Self as #krate::Row>::Fields) -> Self {
                #name #assembly
            }

            #(#methods)*
        }

        // Splitting a row would drop it as well, and the compiler only rejects that if a field is not `Copy`. If the struct
        // implemented `Drop`, these implementations would conflict.
        const _: () = {
            trait StructWithoutDrop {}
            #[allow(drop_bounds, reason = "no struct with such an implementation is accepted")]
            impl<T: ::core::ops::Drop + ?::core::marker::Sized> StructWithoutDrop for T {}
            #[allow(deprecated, reason = "a deprecated struct still implements the trait")]
            impl #params StructWithoutDrop for #name #own #bounds {}
        };
    }
}

/// Defines the associated type of the trait for a companion.
fn associated_type(companion: &Companion<'_>) -> TokenStream {
    let (which, name, row) = (companion.kind.of_row(), &companion.name, lifetime());
    let generics = companion.generics();
    let (_, own, _) = generics.split_for_impl();
    quote! {
        type #which<#row> = #name #own where Self: #row;
    }
}

/// Defines the method of the trait that builds a companion.
fn method(companion: &Companion<'_>, krate: &Path) -> TokenStream {
    let (kind, name, row) = (companion.kind, &companion.name, lifetime());
    let (method, given, made) = (kind.method(), kind.of_fields(), kind.of_row());
    let assembly = from_tuples(companion.fields);
    quote! {
        #[inline]
        fn #method<#row>(
            __fields: <<Self as #krate::Row>::Fields as #krate::columns::Fields>::#given<#row>,
        ) -> <Self as #krate::Row>::#made<#row>
        where
            Self: #row,
        {
            #name #assembly
        }
    }
}

/// Returns a tuple of all items. If it would be too long, splits it into several, which `concat` joins.
fn tuples(
    items: impl Iterator<Item = TokenStream>,
    concat: impl Fn(TokenStream, TokenStream) -> TokenStream,
) -> TokenStream {
    let items: Vec<_> = items.collect();
    let tuples = items.chunks(MAX_TUPLE).map(|items| quote!((#(#items,)*)));
    tuples.rev().reduce(|rest, first| concat(first, rest)).unwrap_or_default()
}

/// Returns the fields of a struct, taken from `__fields`, which is nested as by [`tuples`].
fn from_tuples(fields: &Fields) -> TokenStream {
    let members = fields.members();
    let last = (fields.len() - 1) / MAX_TUPLE;
    let places = (0..fields.len()).map(|number| {
        let tuple = number / MAX_TUPLE;
        let rest = iter::repeat_n(Index::from(1), tuple);
        let first = (tuple < last).then(|| Index::from(0));
        let place = rest.chain(first).chain([Index::from(number % MAX_TUPLE)]);
        quote!(__fields #(.#place)*)
    });
    quote!({ #(#members: #places,)* })
}
