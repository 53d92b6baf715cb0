//! Checks the input of the macro.

use crate::kind::Kind;
use proc_macro2::TokenTree;
use syn::meta::ParseNestedMeta;
use syn::{
    Attribute, Data, DeriveInput, Error, Field, Fields, Ident, LitStr, Path, Result, parse_quote,
};

/// The maximum number of fields of a row.
const MAX_FIELDS: usize = 32;

/// Returns the fields of a struct that can be a row.
///
/// # Errors
///
/// If the input is not a struct, has no fields or too many, or a field has options.
pub(crate) fn fields(input: &DeriveInput) -> Result<&Fields> {
    let refuse = |span, what: &str| Err(Error::new(span, what));
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            return refuse(
                data.enum_token.span,
                "`Row` can only be derived for structs, not for enums",
            );
        }
        Data::Union(data) => {
            return refuse(
                data.union_token.span,
                "`Row` can only be derived for structs, not for unions",
            );
        }
    };
    if fields.is_empty() {
        return refuse(input.ident.span(), "a row must have at least one field");
    }
    if let Some(field) = fields.iter().nth(MAX_FIELDS) {
        let what = format!("a row can have at most {MAX_FIELDS} fields");
        return Err(Error::new_spanned(field, what));
    }
    fields.iter().try_for_each(refuse_options)?;
    Ok(fields)
}

/// Rejects options on a field.
fn refuse_options(field: &Field) -> Result<()> {
    match field.attrs.iter().find(|attribute| is_ours(attribute)) {
        Some(attribute) => Err(Error::new_spanned(
            attribute,
            "`row` options belong on the struct, not on its fields",
        )),
        None => Ok(()),
    }
}

fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().is_ident("row")
}

/// The options of `#[row(...)]`.
pub(crate) struct Options {
    /// The names of the companions, in the order of [`Kind::ALL`].
    pub(crate) names: [Ident; 4],
    /// The path of the crate `stayput`.
    pub(crate) krate: Path,
}

#[derive(Default)]
struct Given {
    names: [Option<Ident>; 4],
    krate: Option<Path>,
}

/// Returns the options of the struct, or their defaults.
///
/// # Errors
///
/// If an option is unknown, is given twice, or has an invalid value.
pub(crate) fn options(input: &DeriveInput) -> Result<Options> {
    let mut given = Given::default();
    for attribute in input.attrs.iter().filter(|attribute| is_ours(attribute)) {
        attribute.parse_nested_meta(|option| take_option(&option, &mut given))?;
    }
    let mut names = given.names.into_iter();
    let names = Kind::ALL
        .map(|kind| names.next().flatten().unwrap_or_else(|| kind.default_name(&input.ident)));
    Ok(Options { names, krate: given.krate.unwrap_or_else(|| parse_quote!(::stayput)) })
}

/// Parses and stores an option.
fn take_option(option: &ParseNestedMeta<'_>, given: &mut Given) -> Result<()> {
    let kind = Kind::ALL.iter().position(|kind| option.path.is_ident(kind.option()));
    let twice = if let Some(number) = kind {
        let name: LitStr = option.value()?.parse()?;
        let name =
            name.parse().map_err(|_| Error::new(name.span(), "not a valid name for a struct"))?;
        given.names[number].replace(name).is_some()
    } else if option.path.is_ident("crate") {
        let path: LitStr = option.value()?.parse()?;
        given.krate.replace(path.parse_with(Path::parse_mod_style)?).is_some()
    } else {
        let known = Kind::ALL.map(|kind| format!("`{}`", kind.option())).join(", ");
        return Err(option.error(format!("unknown option of `row`; expected {known} or `crate`")));
    };
    if twice { Err(option.error("this option is given twice")) } else { Ok(()) }
}

/// Returns `true` if `#[doc(hidden)]` is among the attributes.
pub(crate) fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).any(|attribute| {
        // Other options may have values, which may be anything.
        let tokens = attribute.meta.require_list().map(|list| list.tokens.clone());
        tokens.is_ok_and(|tokens| {
            tokens
                .into_iter()
                .any(|token| matches!(token, TokenTree::Ident(name) if name == "hidden"))
        })
    })
}
