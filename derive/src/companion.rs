//! The four companion structs of a row.

use crate::input::is_hidden;
use crate::kind::{Kind, lifetime};
use proc_macro2::{Group, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{
    Attribute, DeriveInput, Field, Fields, GenericParam, Generics, Ident, LifetimeParam, Meta,
    parse_quote,
};

/// One of the companion structs.
pub(crate) struct Companion<'a> {
    pub(crate) kind: Kind,
    pub(crate) name: Ident,
    pub(crate) input: &'a DeriveInput,
    pub(crate) fields: &'a Fields,
}

impl Companion<'_> {
    /// Returns the struct and the traits that it implements.
    pub(crate) fn items(&self) -> TokenStream {
        let shared = self.kind.is_shared().then(|| self.copies());
        let (definition, debug) = (self.definition(), self.debug());
        let items = quote!(#definition #debug #shared);
        // `Self` in the types of the row's fields means the row, not the companion.
        let (name, (_, own, _)) = (&self.input.ident, self.input.generics.split_for_impl());
        without_self(items, &quote!(#name #own))
    }

    /// Returns the generics of the row, preceded by the lifetime for which the row is borrowed.
    pub(crate) fn generics(&self) -> Generics {
        let mut generics = self.input.generics.clone();
        let row = GenericParam::Lifetime(LifetimeParam::new(lifetime()));
        generics.params.insert(0, row);
        generics
    }

    fn definition(&self) -> TokenStream {
        let Self { kind, name, input, fields } = self;
        let (visibility, docs) = (&input.vis, kind.docs(&input.ident));
        let hidden = hidden(&input.attrs);
        let generics = self.generics();
        let bounds = &generics.where_clause;
        let each = fields.iter().map(|field| self.field(field));
        let body = if matches!(fields, Fields::Named(_)) {
            quote!(#bounds { #(#each,)* })
        } else {
            quote!((#(#each,)*) #bounds;)
        };
        quote! {
            #[doc = #docs]
            #hidden
            #[allow(dead_code, reason = "a program may not use all four structs")]
            #visibility struct #name #generics #body
        }
    }

    /// Returns the field of the companion for a field of the row.
    fn field(&self, field: &Field) -> TokenStream {
        let docs = field.attrs.iter().filter(|attribute| is_doc_comment(attribute));
        let hidden = hidden(&field.attrs);
        let (visibility, what) = (&field.vis, self.kind.of_field(&field.ty));
        let name = field.ident.as_ref().map(|name| quote!(#name:));
        quote!(#(#docs)* #hidden #visibility #name #what)
    }

    /// Implements `Debug` if all fields implement it.
    fn debug(&self) -> TokenStream {
        let mut generics = self.generics();
        let bounds = &mut generics.make_where_clause().predicates;
        let mut debug_fields = Vec::new();
        for (number, (field, member)) in self.fields.iter().zip(self.fields.members()).enumerate() {
            let what = self.kind.of_field(&field.ty);
            // In parentheses, since `fn(): Bound` does not parse.
            bounds.push(parse_quote!((#what): __DebugField<#number>));
            debug_fields.push(quote!(<#what as __DebugField<#number>>::debug_field(&self.#member)));
        }
        let (params, own, bounds) = generics.split_for_impl();
        let name = &self.name;
        let text = name.unraw().to_string();
        let body = if let Fields::Named(fields) = self.fields {
            let names = fields.named.iter().filter_map(|field| field.ident.as_ref());
            let names = names.map(|name| name.unraw().to_string());
            quote!(__f.debug_struct(#text) #(.field(#names, #debug_fields))*)
        } else {
            quote!(__f.debug_tuple(#text) #(.field(#debug_fields))*)
        };
        let debug_field_trait = debug_field_trait();
        quote! {
            const _: () = {
                #debug_field_trait

                #[automatically_derived]
                #[allow(unused_parens, reason = "only some types need parentheses in a bound")]
                impl #params ::core::fmt::Debug for #name #own #bounds {
                    fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                        #body.finish()
                    }
                }
            };
        }
    }

    /// Implements `Clone` and `Copy`, which references always have.
    fn copies(&self) -> TokenStream {
        let generics = self.generics();
        let (params, own, bounds) = generics.split_for_impl();
        let name = &self.name;
        quote! {
            #[automatically_derived]
            impl #params ::core::clone::Clone for #name #own #bounds {
                #[inline]
                fn clone(&self) -> #name #own {
                    *self
                }
            }

            #[automatically_derived]
            impl #params ::core::marker::Copy for #name #own #bounds {}
        }
    }
}

/// Defines the trait by which the implementation of `Debug` bounds each field.
///
/// Deriving `Debug` would bound the generic parameters instead, and reject rows with a field that does not implement
/// it. The number of the field makes each bound unique: bounds of two fields whose types only differ in lifetimes would
/// be ambiguous.
fn debug_field_trait() -> TokenStream {
    quote! {
        trait __DebugField<const __FIELD: ::core::primitive::usize> {
            fn debug_field(&self) -> &dyn ::core::fmt::Debug;
        }

        impl<__T, const __FIELD: ::core::primitive::usize> __DebugField<__FIELD> for __T
        where
            __T: ::core::fmt::Debug,
        {
            fn debug_field(&self) -> &dyn ::core::fmt::Debug {
                self
            }
        }
    }
}

/// Returns `#[doc(hidden)]` if it is among the attributes.
fn hidden(attributes: &[Attribute]) -> Option<TokenStream> {
    is_hidden(attributes).then(|| quote!(#[doc(hidden)]))
}

/// Returns `true` for documentation text, as opposed to `#[doc(hidden)]` and the like.
fn is_doc_comment(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc") && matches!(attribute.meta, Meta::NameValue(_))
}

/// Replaces `Self` by `this`.
fn without_self(tokens: TokenStream, this: &TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut all = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let inner = without_self(group.stream(), this);
                let mut outer = Group::new(group.delimiter(), inner);
                outer.set_span(group.span());
                outer.to_tokens(&mut all);
            }
            TokenTree::Ident(name) if name == "Self" => {
                let in_path = tokens.peek().is_some_and(begins_path_separator);
                all.extend(if in_path { quote!(<#this>) } else { this.clone() });
            }
            token => token.to_tokens(&mut all),
        }
    }
    all
}

/// Returns `true` at `::`, as opposed to the colon before a bound.
fn begins_path_separator(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(colon)
        if colon.as_char() == ':' && colon.spacing() == Spacing::Joint)
}
