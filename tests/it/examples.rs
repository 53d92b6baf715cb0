//! Public items have an example in their docs, a link to one, or a reason to have none.

use super::tidy::sources;
use std::path::Path;

/// Methods that std has under the same name and with the same meaning, and that the examples of the types call.
const AS_IN_STD: &str = "len is_empty capacity max_len new builder build try_build get get_mut first first_mut last \
    last_mut iter iter_mut keys values values_mut into_keys into_values par_keys par_values par_values_mut contains \
    contains_key push pop insert swap truncate clear as_slice as_mut_slice as_ptr hasher key index stats is_null \
    or_insert or_insert_with or_insert_with_key or_default into_mut into_inner retain resize append \
    extend_from_slice dedup dedup_by_key";

/// Modules and items that users cannot reach, although they are `pub`.
const HIDDEN: &str = "raw_vec os slots/holes/bitmap.rs check Container ContainerIn OwnOptions RowOptions FileProblem \
    Codec Source Sink SlotRatio Arrays ForArrays Plan Word KeyOptions Lookup SlotLookup Extract Index Visit VisitMut Start";

#[derive(Clone, Copy, PartialEq)]
enum Item {
    Method,
    Type,
}

/// Returns the public item that a line begins, with its name.
fn item(line: &str) -> Option<(Item, &str)> {
    let mut words = line.trim_start().strip_prefix("pub ")?.split(' ');
    let item = loop {
        match words.next()? {
            "const" | "unsafe" | "async" => {}
            "fn" => break Item::Method,
            "struct" | "enum" | "union" | "trait" | "type" => break Item::Type,
            _ => return None,
        }
    };
    let name = words.next()?.split(|c: char| !c.is_alphanumeric() && c != '_').next();
    // Macros name items later.
    name.filter(|name| !name.is_empty()).map(|name| (item, name))
}

/// Whether docs need no further example. What iterators do is in the docs of the method that creates them.
fn suffices(item: Item, name: &str, docs: &[&str]) -> bool {
    let is_in = |names: &str| names.split_whitespace().any(|other| other == name);
    let text = docs.join(" ");
    let mut first = docs.iter().take_while(|line| !line.is_empty());
    let has_link = first.any(|line| line.contains("[`") || line.contains("]("));
    let by_item = match item {
        Item::Method => has_link || is_in(AS_IN_STD),
        Item::Type => text.contains("is created by") || text.contains("are created by"),
    };
    text.contains("```") || text.contains("doc(hidden)") || by_item || is_in(HIDDEN)
}

/// Returns the names of public items with docs that have no example.
fn without_example(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut docs = Vec::new();
    for line in text.lines().map(str::trim_start) {
        if let Some(line) = line.strip_prefix("///") {
            docs.push(line.trim());
        } else if line.starts_with("#[") {
            // Docs may stand in attributes, too.
            if line.contains("doc") {
                docs.push(line);
            }
        } else {
            let item = item(line).filter(|_| !docs.is_empty());
            found.extend(
                item.filter(|(item, name)| !suffices(*item, name, &docs)).map(|(_, name)| name),
            );
            docs.clear();
        }
    }
    found
}

fn is_hidden(path: &Path) -> bool {
    let is_tests = path.file_name().is_some_and(|name| name == "tests.rs")
        || path.iter().any(|part| part == "tests");
    is_tests || HIDDEN.split_whitespace().any(|module| path.starts_with(module))
}

#[test]
fn public_items_have_examples() {
    let sources = sources();
    let sources = sources.iter().filter(|(path, _)| !is_hidden(path));
    let found = sources.map(|(path, text)| (path, without_example(text)));
    let found: Vec<_> = found.filter(|(_, names)| !names.is_empty()).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn items_without_an_example_are_seen() {
    let text = "/// Grows.\npub fn grow() {}\n/// Like [`grow`].\npub fn try_grow() {}\n\
        /// A thing, see [`grow`].\npub struct Thing;\n/// Has one.\n///\n/// ```\n/// ```\n#[must_use]\npub fn one() {}\n\
        /// Returns it.\npub const fn len() {}\n/// Private.\nfn none() {}\npub(crate) fn neither() {}\n";
    assert_eq!(without_example(text), ["grow", "Thing"]);
}
