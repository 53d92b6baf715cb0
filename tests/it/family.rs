//! Containers of one kind have the same methods, or a documented reason not to, and the docs list them in the same
//! order.

use super::tidy::{code, sources};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Containers of one kind: methods of two of them that the others lack are reported.
struct Family {
    containers: &'static [&'static str],
    /// Containers, the reason why they lack methods, and the methods.
    missing: &'static [(&'static [&'static str], &'static str, &'static str)],
}

const ARRAYS: Family = Family {
    containers: &["VmVec", "BlockVec", "SharedVec", "FileVec", "Columns", "Groups"],
    missing: &[
        (
            &["VmVec", "FileVec"],
            "by `Deref` to a slice",
            "get get_mut first first_mut last last_mut iter iter_mut swap get_unchecked",
        ),
        (&["BlockVec", "Columns"], "elements are no slice", "as_slice as_mut_slice as_ptr"),
        (
            &["BlockVec"],
            "takes no block ahead of its use; the allocator does not refuse to take one back",
            "prefault_ahead try_shrink_to_fit try_shrink_to",
        ),
        (
            &["BlockVec", "SharedVec", "Columns", "Groups"],
            "only pages of the system's are known to be zero, and to be the caller's alone",
            "extend_zeroed try_extend_zeroed resize_zeroed try_resize_zeroed",
        ),
        (&["BlockVec"], "takes blocks of the program's allocator", "build_in"),
        (
            &["SharedVec"],
            "while threads share it, elements only come; with exclusive access, by `as_mut_vec`",
            "as_ptr index_of reserve_exact try_reserve_exact try_shrink_to_fit \
            shrink_to_fit_within try_shrink_to push_mut pop try_insert remove swap_remove truncate \
            grow_only pop_if insert split_off resize_with insert_mut retain dedup_by_key dedup \
            retain_mut dedup_by extract_if try_split_off try_resize_with resize \
            extend_from_within try_resize try_extend_from_within into_vec into_boxed_slice first \
            first_mut last last_mut swap",
        ),
        (
            &["FileVec"],
            "needs a file: `create`, `open`, and the builder",
            "new with_capacity try_with_capacity with_max_len try_with_max_len build_in",
        ),
        (
            &["FileVec"],
            "a process that ends halfway would leave neither the old elements nor the new",
            "try_insert remove insert insert_mut pop_if split_off try_split_off retain retain_mut \
            dedup dedup_by dedup_by_key drain extract_if",
        ),
        (
            &["FileVec"],
            "elements are plain data: the methods for slices do it",
            "push_mut index_of append append_vec try_append try_append_vec extend_from_within \
            try_extend_from_within resize_with try_resize_with",
        ),
        (&["FileVec"], "a copy of a file is another file", "try_clone into_vec into_boxed_slice"),
        (
            &["FileVec"],
            "the file is cut to its elements when it is closed",
            "shrink_to_fit_within shrink_to try_shrink_to",
        ),
        (
            &["Columns"],
            "rows are made of references for each call, so there is none to keep, or to compare",
            "index_of dedup dedup_by retain_mut get_unchecked",
        ),
        (
            &["Columns"],
            "rows come from an iterator, or from other columns",
            "append_vec try_append_vec resize try_resize extend_from_slice try_extend_from_slice \
            extend_from_within try_extend_from_within into_vec into_boxed_slice",
        ),
        (
            &["Columns"],
            "memory for more rows is a range in each column, and a backing is asked for one",
            "build_in",
        ),
        (
            &["Groups"],
            "`over` takes a `VmVec` of groups with all its options",
            "with_max_len try_with_max_len builder build_in as_ptr",
        ),
        (
            &["Groups"],
            "for passes over all rows: what looks for some, or shifts them, is for `Columns`",
            "index_of push_mut try_insert remove grow_only pop_if insert append split_off \
            resize_with insert_mut retain dedup_by_key dedup append_vec retain_mut dedup_by drain \
            extract_if try_append try_append_vec try_split_off try_resize_with resize \
            extend_from_slice extend_from_within try_resize try_extend_from_slice \
            try_extend_from_within try_extend into_vec into_boxed_slice first first_mut last \
            last_mut swap get_unchecked",
        ),
    ],
};

const MAPS: Family = Family {
    containers: &[
        "SlotMap",
        "DenseSlotMap",
        "SecondaryMap",
        "SparseSecondaryMap",
        "SharedSlotMap",
        "Table",
    ],
    missing: &[
        (
            &["SlotMap", "DenseSlotMap", "SharedSlotMap", "Table"],
            "makes its keys, so none comes without its value, and their number is an option",
            "entry try_entry set_type_id try_set_type_id",
        ),
        (
            &["SecondaryMap", "SparseSecondaryMap"],
            "the slot map makes the keys, and tells their number",
            "insert_with_key try_insert_with_key insert_many try_insert_many reattach \
            try_reattach detach reset type_id",
        ),
        (
            &["SecondaryMap", "SparseSecondaryMap", "Table"],
            "`new` is for any type of keys",
            "with_key with_capacity_and_key try_with_capacity_and_key with_max_len_and_key \
            try_with_max_len_and_key",
        ),
        (
            &["DenseSlotMap"],
            "values are in the order of rows, and maps are joined in that of indices",
            "join join_mut par_join par_join_mut",
        ),
        (&["DenseSlotMap"], "two parts: by a `Snapshot`", "load save"),
        (&["SecondaryMap"], "`set_capacity` says how many", "reserve_exact try_reserve_exact"),
        (
            &["SparseSecondaryMap"],
            "a hash table: no slots, no memory of its own, and values move",
            "join join_mut slots_len max_len get_by_index get_by_index_mut key_of remove_many \
            get_many get_many_mut reserve_exact try_reserve_exact prefault try_prefault \
            prefault_ahead try_shrink_to_fit shrink_to_fit_within trim try_trim trim_within stats \
            builder grow_only with_max_len try_with_max_len par_join par_join_mut build_in",
        ),
        (
            &["SharedSlotMap"],
            "while threads share it, values come and go one by one; with exclusive access, by `as_mut_map`",
            "load save join join_mut slots_len get_unchecked get_unchecked_mut get_disjoint_mut \
            try_get_disjoint_mut get_disjoint_unchecked_mut get_by_index_mut reattach \
            try_reattach remove_many detach extract_if reset get_many get_many_mut iter_mut \
            values_mut reserve_exact try_reserve_exact try_shrink_to_fit shrink_to_fit_within \
            trim try_trim trim_within grow_only try_clone into_keys into_values par_join \
            par_join_mut par_keys par_values par_values_mut",
        ),
        (
            &["Table"],
            "only reads rows: by `rows`, or `into_rows`",
            "save join capacity max_len type_id get_unchecked get_by_index key_of get_many \
            into_keys into_values par_join par_keys par_values",
        ),
        (
            &["Table"],
            "would change what is indexed: by `modify`, or the second halves of rows",
            "join_mut get_unchecked_mut get_disjoint_unchecked_mut get_by_index_mut par_join_mut \
            par_values_mut",
        ),
        (
            &["Table"],
            "a row is in all indices or gone; `into_rows` and `try_from_rows` make them anew",
            "load reattach try_reattach detach reset grow_only",
        ),
    ],
};

const ARRAY_SCOPES: Family = Family {
    containers: &["GrowOnly", "GrowOnlyBlockVec", "GrowOnlyFile", "GrowOnlyColumns"],
    missing: &[
        (&["GrowOnlyBlockVec", "GrowOnlyColumns"], "elements are no slice", "as_slice"),
        (
            &["GrowOnlyColumns"],
            "rows are made of references for each call; passes are by `as_slices`",
            "extend capacity index_of max_len iter",
        ),
        (
            &["GrowOnlyFile"],
            "by `Deref` to a slice, or by the array before it is opened",
            "extend capacity index_of max_len get iter",
        ),
    ],
};

const MAP_SCOPES: Family = Family {
    containers: &["GrowOnlyMap", "GrowOnlyDenseMap", "GrowOnlySecondaryMap"],
    missing: &[(
        &["GrowOnlySecondaryMap"],
        "indices are announced before it is opened, by `set_capacity`",
        "reserve try_reserve",
    )],
};

/// The order of groups in the docs: constructors, access, insertion, removal, memory, optional features.
const ORDER: [&str; 10] = [
    "new",
    "builder",
    "len",
    "push",
    "try_insert",
    "remove",
    "reserve",
    "prefault_ahead",
    "save",
    "par_keys",
];

#[test]
fn a_method_of_two_containers_of_a_family_is_in_all_or_has_a_reason() {
    let methods = methods();
    for Family { containers, missing } in [ARRAYS, MAPS, ARRAY_SCOPES, MAP_SCOPES] {
        let has = |container: &str, method: &str| methods[container].iter().any(|m| m == method);
        let reasons = |container: &str, method: &str| {
            let is_here = |(containers, _, methods): &&(&[&str], &str, &str)| {
                containers.contains(&container) && methods.split(' ').any(|m| m == method)
            };
            missing.iter().filter(is_here).count()
        };
        let mut wrong = Vec::new();
        let mut of_family = Vec::new();
        for method in containers.iter().flat_map(|container| &methods[*container]) {
            let count = containers.iter().filter(|container| has(container, method)).count();
            if count < 2 || of_family.contains(&method) {
                continue;
            }
            of_family.push(method);
            for container in containers {
                let expected = usize::from(!has(container, method));
                if reasons(container, method) != expected {
                    wrong.push(format!("{container}::{method}: {expected} reasons"));
                }
            }
        }
        let is_stale = |name: &&str| !of_family.iter().any(|method| method == name);
        let stale = missing.iter().flat_map(|(_, _, methods)| methods.split(' ')).filter(is_stale);
        wrong.extend(stale.map(|name| format!("{name}: not of two, so no reason is needed")));
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(of_family.len() > 5, "the methods are not seen");
    }
}

#[test]
fn the_docs_list_constructors_first_and_optional_features_last() {
    let methods = methods();
    for container in [ARRAYS, MAPS].iter().flat_map(|family| family.containers) {
        let listed: Vec<_> =
            methods[*container].iter().filter(|name| *name != "build_in").collect();
        assert!(
            ["new", "builder"].contains(&listed[0].as_str()),
            "{container} begins with {}",
            listed[0]
        );
        let places =
            listed.iter().filter_map(|method| ORDER.iter().position(|name| name == *method));
        assert!(places.is_sorted(), "{container}: {listed:?}");
    }
}

/// The methods of each type, by its name, in the order in which rustdoc lists them. `build_in` is that of its builder.
fn methods() -> BTreeMap<String, Vec<String>> {
    let names = |methods: Vec<Method>| methods.into_iter().map(|method| method.name).collect();
    read_methods().into_iter().map(|(of, methods)| (of, names(methods))).collect()
}

/// A public method.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) name: String,
    /// Whether it takes closures, iterators or types with code of the user's.
    pub(crate) runs_user_code: bool,
}

/// The methods of each type.
pub(crate) fn read_methods() -> BTreeMap<String, Vec<Method>> {
    let files = sources().into_iter().map(|(path, text)| (path, code(&text))).collect();
    let mut reader = Reader { files, macros: Vec::new(), methods: BTreeMap::new() };
    for (path, code) in &reader.files {
        for item in items(code) {
            if let Some(rest) = item.strip_prefix("macro_rules! ") {
                let (name, body) = rest.split_once(' ').unwrap();
                reader.macros.push((path.clone(), name.to_owned(), body.to_owned()));
            }
        }
    }
    reader.module(Path::new("lib.rs"));
    reader.methods
}

struct Reader {
    files: BTreeMap<PathBuf, String>,
    /// The location, name and rules of each macro.
    macros: Vec<(PathBuf, String, String)>,
    methods: BTreeMap<String, Vec<Method>>,
}

impl Reader {
    /// Visits the modules of a file before its items, like rustdoc.
    fn module(&mut self, path: &Path) {
        let Some(code) = self.files.get(path).cloned() else { return };
        let folder = match path.file_name().and_then(|name| name.to_str()) {
            Some("mod.rs" | "lib.rs") => path.parent().unwrap().to_owned(),
            _ => path.with_extension(""),
        };
        let mut before = "";
        for line in code.lines() {
            let name = line.strip_suffix(';').and_then(|line| line.split_once("mod "));
            if let Some((_, name)) = name.filter(|_| !before.contains("(test")) {
                self.module(&folder.join(name).with_extension("rs"));
                self.module(&folder.join(name).join("mod.rs"));
            }
            before = line;
        }
        for item in items(&code) {
            self.item(path, item);
        }
    }

    fn item(&mut self, path: &Path, item: &str) {
        if let Some(rest) = item.strip_prefix("impl") {
            let header = rest.split_once(" {\n").map_or(rest, |(header, _)| header);
            let (of_trait, name) = match header.split_once(" for ") {
                Some((of_trait, name)) if !of_trait.contains("where") => (of_trait, name),
                _ => ("", past_generics(header)),
            };
            let name = name.split(|c| !is_of_name(c)).next().unwrap().to_owned();
            let mut found = if of_trait.is_empty() {
                self.listed(path, item)
            } else if past_generics(of_trait).starts_with("ContainerIn") {
                vec![Method { name: "build_in".to_owned(), runs_user_code: false }]
            } else {
                return;
            };
            let by_all = takes_user_code(header);
            for method in &mut found {
                method.runs_user_code |= by_all;
            }
            self.methods.entry(name).or_default().extend(found);
        } else if let Some((name, arguments)) = item.split_once('!') {
            // A macro that defines an `impl` for its first argument.
            let Some(rules) = self.rules(path, name).filter(|rules| rules.contains("impl<")) else {
                return;
            };
            let found = names_of(&rules, arguments);
            let mut words = arguments.split(|c| !is_of_name(c));
            let of = words.find(|word| word.len() > 1 && word.starts_with(char::is_uppercase));
            if let Some(of) = of.filter(|_| !found.is_empty()) {
                self.methods.entry(of.to_owned()).or_default().extend(found);
            }
        }
    }

    /// The public methods in a block, including those defined by macros.
    fn listed(&self, path: &Path, block: &str) -> Vec<Method> {
        let mut found = Vec::new();
        let mut rest = block;
        while let Some((_, next)) = rest.split_once("\n    ") {
            rest = next;
            if next.starts_with(' ') {
                continue;
            }
            let line = next.lines().next().unwrap_or_default();
            if let Some(name) = public_method(line) {
                let runs_user_code = takes_user_code(signature(next));
                found.push(Method { name: name.to_owned(), runs_user_code });
            } else if let Some((name, _)) = line.split_once('!') {
                let end = next.find("\n    }").unwrap_or(next.len());
                if let Some(rules) = self.rules(path, name) {
                    found.extend(names_of(&rules, &next[name.len()..end]));
                }
            }
        }
        found
    }

    /// The rules of a macro used in a file, from the nearest definition.
    fn rules(&self, path: &Path, name: &str) -> Option<String> {
        let near = |other: &Path| path.iter().zip(other.iter()).take_while(|(a, b)| a == b).count();
        let name = name.rsplit("::").next().unwrap();
        let named = self.macros.iter().filter(|(_, other, _)| other == name);
        named.max_by_key(|(other, ..)| near(other)).map(|(_, _, rules)| rules.clone())
    }
}

/// The unindented blocks, macros and macro calls of a file.
fn items(code: &str) -> Vec<&str> {
    let (mut items, mut start, mut end) = (Vec::new(), None, 0);
    for line in code.split_inclusive('\n') {
        let is_call =
            |line: &str| line.split_once('!').is_some_and(|(name, _)| name.chars().all(is_of_name));
        if start.is_none() && (line.starts_with("impl") || is_call(line)) {
            start = Some(end);
        }
        end += line.len();
        if !line.starts_with(' ') && line.trim_end().ends_with([';', '}', ')']) {
            items.extend(start.take().map(|start| &code[start..end]));
        }
    }
    items
}

/// Returns the part of an `impl` header after its generic parameters.
fn past_generics(header: &str) -> &str {
    let mut depth = 0;
    let end = header.char_indices().find(|&(at, c)| {
        depth += i32::from(c == '<') - i32::from(c == '>' && !header[..at].ends_with('-'));
        depth == 0
    });
    match end {
        Some((at, '>')) => header[at + 1..].trim_start(),
        _ => header.trim_start(),
    }
}

/// The name of the public method that starts on a line.
fn public_method(line: &str) -> Option<&str> {
    let (_, name) = line.trim_start().strip_prefix("pub ")?.split_once("fn ")?;
    name.split(|c| c != '$' && !is_of_name(c)).next()
}

/// The public methods that the rules of a macro define. Names passed to the macro are its first arguments.
fn names_of(rules: &str, arguments: &str) -> Vec<Method> {
    let mut given = arguments.split(|c| !is_of_name(c)).filter(|word| !word.is_empty());
    let (mut found, mut rest) = (Vec::new(), rules);
    while let Some((line, next)) = rest.split_once('\n') {
        if let Some(name) = public_method(line) {
            let name = match name.strip_prefix('$') {
                Some(_) => given.next(),
                None => Some(name),
            };
            let runs_user_code = takes_user_code(signature(rest));
            found.extend(name.map(|name| Method { name: name.to_owned(), runs_user_code }));
        }
        rest = next;
    }
    found
}

/// The text of a method up to its body, without a return type that is only described.
fn signature(text: &str) -> &str {
    let end = [" {\n", ";\n"].into_iter().filter_map(|end| text.find(end)).min();
    let text = &text[..end.unwrap_or(text.len())];
    text.split("-> impl ").next().unwrap_or(text)
}

/// Whether a signature, or the header of an `impl`, names traits whose methods are code of the user's.
fn takes_user_code(text: &str) -> bool {
    const TRAITS: [&str; 10] = [
        "FnMut",
        "FnOnce",
        "Fn",
        "IntoIterator",
        "Extend",
        "Clone",
        "PartialEq",
        "Ord",
        "Hash",
        "Default",
    ];
    text.split(|c| !is_of_name(c)).any(|word| TRAITS.contains(&word))
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
