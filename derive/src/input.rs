//! What the macro is given, and refuses.

use crate::kind::Kind;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Data, DeriveInput, Error, Field, Fields, Ident, LitStr, Result};

/// As many fields as tuples of `stayput` have at most.
const MAX_FIELDS: usize = 12;

/// The fields of a struct that can be a row.
///
/// # Errors
///
/// If it is no struct, or has no fields, or too many, or one of them has options.
pub(crate) fn fields(input: &DeriveInput) -> Result<&Fields> {
    let refuse = |span, what: &str| Err(Error::new(span, what));
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            return refuse(data.enum_token.span, "`Row` is for structs: an enum has no columns");
        }
        Data::Union(data) => {
            return refuse(data.union_token.span, "`Row` is for structs: a union has no columns");
        }
    };
    if fields.is_empty() {
        return refuse(input.ident.span(), "a row has one field at least");
    }
    if let Some(field) = fields.iter().nth(MAX_FIELDS) {
        let what = format!("a row has no more than {MAX_FIELDS} fields");
        return Err(Error::new_spanned(field, what));
    }
    fields.iter().try_for_each(refuse_options)?;
    Ok(fields)
}

/// Fields have no options.
fn refuse_options(field: &Field) -> Result<()> {
    match field.attrs.iter().find(|attribute| is_ours(attribute)) {
        Some(attribute) => {
            Err(Error::new_spanned(attribute, "`row` is for the struct, not for its fields"))
        }
        None => Ok(()),
    }
}

fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().is_ident("row")
}

/// The names of the four structs, in the order of [`Kind::ALL`].
///
/// # Errors
///
/// If an option is unknown, or given twice, or no name.
pub(crate) fn names(input: &DeriveInput) -> Result<[Ident; 4]> {
    let mut given = [const { None }; 4];
    for attribute in input.attrs.iter().filter(|attribute| is_ours(attribute)) {
        attribute.parse_nested_meta(|option| take_option(&option, &mut given))?;
    }
    let mut given = given.into_iter();
    Ok(Kind::ALL
        .map(|kind| given.next().flatten().unwrap_or_else(|| kind.default_name(&input.ident))))
}

/// Puts the name that an option gives to its place.
fn take_option(option: &ParseNestedMeta<'_>, given: &mut [Option<Ident>; 4]) -> Result<()> {
    let known = Kind::ALL.iter().position(|kind| option.path.is_ident(kind.option()));
    let Some(number) = known else {
        let known = Kind::ALL.map(|kind| format!("`{}`", kind.option())).join(", ");
        return Err(option.error(format!("no such option of `row`; there are {known}")));
    };
    let name: LitStr = option.value()?.parse()?;
    let name =
        name.parse().map_err(|_| Error::new(name.span(), "no name that a struct can have"))?;
    if given[number].replace(name).is_some() {
        return Err(option.error("given twice"));
    }
    Ok(())
}
