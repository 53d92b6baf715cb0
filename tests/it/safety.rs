//! `SAFETY.md` says what the sources say: which unsafe code there is, why it is sound, and which tests notice if it is
//! broken. Its prose is written by hand, and its tables are made from the sources and from `tests/it/safety.txt`:
//! `STAYPUT_WRITE=1 cargo test --test it safety` writes them.

use super::tidy::{code, is_of_name, is_unit_tests, root, sources, visit};
use regex_lite::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

const COMMAND: &str = "STAYPUT_WRITE=1 cargo test --test it safety";

/// A file with unsafe code.
struct Source {
    /// The path below `src`, with slashes.
    path: String,
    text: String,
    /// The text without comments.
    code: String,
    /// The unsafe blocks and implementations, for calls.
    blocks: Vec<String>,
}

/// An unsafe function or implementation.
#[derive(Debug, PartialEq)]
enum Item {
    /// With the reason for which it is sound.
    Impl {
        what: String,
        why: String,
    },
    Fn(Function),
    /// The unsafe functions of an implementation of a trait, whose requirements are those of the trait.
    OfTrait {
        names: Vec<String>,
        of: String,
    },
}

#[derive(Debug, PartialEq)]
struct Function {
    name: String,
    /// The type or trait whose function it is; empty if it is free.
    of: String,
    visibility: String,
    arguments: usize,
    has_self: bool,
    requires: String,
}

/// A line of `safety.txt`.
struct Breakage<'t> {
    path: &'t str,
    /// What was broken; empty if nothing was, and the tests only exercise the file.
    what: &'t str,
    tests: Vec<&'t str>,
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

static FN: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*(pub(?:\([^)]*\))? )?(?:const )?unsafe fn (\w+)"));
static IMPL: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*unsafe impl(.*)$"));
static LINK: LazyLock<Regex> = LazyLock::new(|| regex(r"\[([^\]\[]+)\]\([^)]*\)|\[(`[^`]+`)\]"));

fn unsafe_sources() -> Vec<Source> {
    let sources = sources().into_iter().filter(|(path, _)| !is_unit_tests(path));
    let sources = sources.map(|(path, text)| {
        let code = code(&text);
        let path = path.to_string_lossy().replace('\\', "/");
        Source { path, blocks: blocks(&code), code, text }
    });
    let words = ["unsafe {", "unsafe impl", "unsafe fn", "unsafe trait", "expect(unsafe_code"];
    sources.filter(|source| words.iter().any(|word| source.code.contains(word))).collect()
}

/// Returns the contents of the unsafe blocks in code.
fn blocks(code: &str) -> Vec<String> {
    let block = |(at, _): (usize, &str)| {
        let mut depth = 0;
        let end = code[at..].find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == '}' && depth == 0
        });
        code[at..end.map_or(code.len(), |end| at + end)].to_owned()
    };
    code.match_indices("unsafe {").map(block).collect()
}

/// The folder or file of `src` whose table a file is in.
fn section(path: &str) -> &str {
    let first = path.split('/').next().unwrap();
    if first == path { "other files" } else { first }
}

/// Shortens text to whole sentences or clauses if it has many characters, and makes it fit into a cell.
fn cell(text: &str, most: usize) -> String {
    let text = LINK.replace_all(text.trim(), "$1$2").replace('|', r"\|");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.len() <= most {
        return text;
    }
    let head = &text[..text.floor_char_boundary_at(most)];
    let is_code = |end: usize| head[..end].matches('`').count() % 2 == 1;
    // A number at the start of an item ends with a full stop.
    let is_of_list = |end: usize| head[..end].ends_with(|c: char| c.is_ascii_digit());
    let ends = |end: &'static str| {
        let mut found = head.rmatch_indices(end).map(|(at, _)| at);
        found.find(|at| !is_code(*at) && !is_of_list(*at))
    };
    match (ends(". "), ends(" ")) {
        (Some(sentence), _) if sentence > most / 3 => head[..=sentence].to_owned(),
        (_, Some(word)) => format!("{} …", head[..word].trim_end_matches([',', ';', ':', '.'])),
        _ => format!("{head} …"),
    }
}

trait CharBoundary {
    fn floor_char_boundary_at(&self, at: usize) -> usize;
}

impl CharBoundary for str {
    /// As `floor_char_boundary` of later versions of std.
    fn floor_char_boundary_at(&self, at: usize) -> usize {
        (0..=at).rev().find(|at| self.is_char_boundary(*at)).unwrap_or(0)
    }
}

/// Removes the slashes of a comment. `None` if the line is none.
fn comment(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?;
    Some(text.trim_start_matches(['/', '!']).trim())
}

/// Joins the lines of a section of a comment, which ends with the comment or at the next heading, without the
/// marks of a list.
fn paragraph<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut text = String::new();
    let lines = lines.map_while(comment).take_while(|line| !line.starts_with('#'));
    for line in lines {
        text.extend([" ", line.strip_prefix("- ").unwrap_or(line)]);
    }
    text.trim().to_owned()
}

/// Returns what the comments of a file promise under `# Soundness` and the like, or else the reason that it or a module
/// around it gives for unsafe code.
fn invariant(source: &Source, all: &[Source]) -> String {
    let lines: Vec<&str> = source.text.lines().collect();
    let is_heading = |line: &&str| {
        comment(line).is_some_and(|text| {
            ["Soundness", "Invariant", "Why this is sound"].iter().any(|word| {
                text.trim_start_matches('#').trim_start().starts_with(word) && text.starts_with('#')
            })
        })
    };
    let headings = (0..lines.len()).filter(|at| is_heading(&lines[*at]));
    let found: Vec<String> =
        headings.map(|at| cell(&paragraph(lines[at + 1..].iter().copied()), 200)).collect();
    if !found.is_empty() {
        return found[..found.len().min(2)].join("<br>");
    }
    let reasons = around(&source.path).into_iter().filter_map(|path| {
        let source = all.iter().find(|source| source.path == path)?;
        let reason = source.text.split_once("expect(unsafe_code, reason = \"")?.1;
        Some(reason.split('"').next()?.to_owned())
    });
    let mut reasons = reasons;
    // The lint is denied, so a module around expects unsafe code, if it is not only in a macro.
    let reason = reasons.next().unwrap_or("a macro, for the code of users".to_owned());
    reason[..1].to_uppercase() + &reason[1..]
}

/// Returns a path and those of the modules around it.
fn around(path: &str) -> Vec<String> {
    let mut paths = vec![path.to_owned()];
    let mut rest = path.trim_end_matches(".rs").trim_end_matches("/mod");
    while let Some((parent, _)) = rest.rsplit_once('/') {
        paths.extend([format!("{parent}/mod.rs"), format!("{parent}.rs")]);
        rest = parent;
    }
    paths
}

/// The folder below which private items of a file are visible; `None` if only the file itself sees them.
fn children(path: &str) -> Option<&str> {
    path.strip_suffix("/mod.rs")
}

/// Returns the indentation of a line.
fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the line of the `impl` or `trait` around a line.
fn owner<'t>(lines: &[&'t str], at: usize) -> Option<&'t str> {
    let own = indentation(lines[at]);
    let is_outer = |line: &&&str| indentation(line) < own && !line.trim().is_empty();
    let is_owner = |line: &str| {
        ["impl", "unsafe impl", "pub trait", "trait", "pub unsafe trait", "unsafe trait"]
            .iter()
            .any(|word| line.starts_with(word))
            || line.contains(" trait ")
    };
    let mut outer = lines[..at].iter().rev().filter(is_outer).map(|line| line.trim());
    outer.find(|line| is_owner(line) || line.contains("fn ")).filter(|line| is_owner(line))
}

/// Returns the name of the type or trait in the first line of an implementation, and whether it is one of a trait.
fn owner_name(line: &str) -> (String, bool) {
    let line = strip_generics(line);
    let line = line.split(" where").next().unwrap_or_default();
    let is_trait_impl = line.contains(" for ");
    let words: Vec<&str> =
        line.split([' ', '{', ':', '&', '\'']).filter(|word| !word.is_empty()).collect();
    let name = if is_trait_impl {
        let at = words.iter().position(|word| *word == "for").unwrap();
        words.get(at + 1)
    } else {
        let at = words.iter().position(|word| word.ends_with("impl") || *word == "trait");
        at.and_then(|at| words.get(at + 1))
    };
    (name.map_or(String::new(), |name| (*name).to_owned()), is_trait_impl)
}

/// Removes what is between angle brackets.
fn strip_generics(line: &str) -> String {
    let mut depth = 0_usize;
    let mut before = ' ';
    let keep = |c: &char| {
        let c = *c;
        depth += usize::from(c == '<');
        let keep = depth == 0;
        depth = depth.saturating_sub(usize::from(c == '>' && before != '-'));
        before = c;
        keep
    };
    line.chars().filter(keep).collect()
}

/// Returns the lines of the comment before a line, past attributes.
fn comment_before<'t>(lines: &[&'t str], at: usize) -> Vec<&'t str> {
    let before = lines[..at].iter().rev().copied();
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    // An item ends here, or a module begins.
    let is_before = |line: &str| line.trim().is_empty() || line.ends_with(['{', '}', ';']);
    let near = before.take_while(|line| is_comment(line) || !is_before(line));
    let mut comment: Vec<&str> = near.filter(is_comment).collect();
    comment.reverse();
    comment
}

/// Returns the unsafe functions and implementations of a file.
fn items(text: &str) -> Vec<Item> {
    let lines: Vec<&str> = text.lines().collect();
    let mut items = Vec::new();
    let mut why = String::new();
    let lines_of_code = lines.iter().enumerate().filter(|(_, line)| line.contains("unsafe "));
    for (at, line) in lines_of_code {
        if let Some(found) = IMPL.captures(line.split("//").next().unwrap_or_default()) {
            let what = strip_front_generics(found[1].trim_end_matches(['}', '{', ' ']));
            let proof = comment_before(&lines, at);
            let from = proof.iter().position(|line| comment(line).unwrap().starts_with("SAFETY:"));
            let proof = paragraph(proof[from.unwrap_or(proof.len())..].iter().copied());
            let proof = proof.trim_start_matches("SAFETY:").trim();
            why = match proof.strip_prefix("as above") {
                Some(more) if more.len() < 2 => why,
                Some(more) => format!("{why} {}", more.trim_start_matches([';', '.', ' '])),
                None => proof[..1.min(proof.len())].to_uppercase() + proof.get(1..).unwrap_or(""),
            };
            items.push(Item::Impl { what, why: cell(&why, 200) });
        } else if let Some(found) = FN.captures(line.split("//").next().unwrap_or_default()) {
            let docs = comment_before(&lines, at);
            let safety = docs.iter().position(|line| comment(line) == Some("# Safety"));
            let owner = owner(&lines, at).unwrap_or_default();
            let (of, is_of_trait) = owner_name(owner);
            let name = found[2].to_owned();
            let Some(safety) = safety else {
                assert!(is_of_trait, "the unsafe fn {name} has no section `# Safety`");
                let of = strip_front_generics(
                    owner
                        .trim_start_matches("unsafe ")
                        .trim_start_matches("impl")
                        .trim_end_matches(" {"),
                );
                match items.last_mut() {
                    Some(Item::OfTrait { names, of: last }) if *last == of => names.push(name),
                    _ => items.push(Item::OfTrait { names: vec![name], of }),
                }
                continue;
            };
            let requires = paragraph(docs[safety + 1..].iter().copied());
            let (arguments, has_self) = parameters(&lines[at..]);
            let trait_visibility = owner
                .split_once("trait ")
                .map(|(visibility, _)| visibility.trim_end_matches("unsafe "));
            let visibility = trait_visibility.or(found.get(1).map(|found| found.as_str()));
            let visibility = visibility.unwrap_or_default().trim().to_owned();
            let requires = cell(&requires, 200);
            items.push(Item::Fn(Function { name, of, visibility, arguments, has_self, requires }));
        }
    }
    items
}

/// Removes the generic parameters in front of the head of an implementation.
fn strip_front_generics(head: &str) -> String {
    let head = head.trim();
    if !head.starts_with('<') {
        return head.to_owned();
    }
    let mut depth = 0;
    let end = head.find(|c| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0
    });
    head[end.map_or(0, |end| end + 1)..].trim().to_owned()
}

/// Returns how many arguments the function at the first line takes after `self`, and whether it takes `self`.
fn parameters(lines: &[&str]) -> (usize, bool) {
    let head: String = lines.iter().take(12).flat_map(|line| [line, " "]).collect();
    let head = head.split_once("fn ").unwrap().1;
    let head = strip_generics(head);
    let list = arguments(&head).unwrap_or_default();
    let has_self = list.first().is_some_and(|first| first.ends_with("self"));
    (list.len() - usize::from(has_self), has_self)
}

/// Splits the list of arguments that the first parenthesis of a text begins.
fn arguments(text: &str) -> Option<Vec<&str>> {
    let from = text.find('(')? + 1;
    let (mut depth, mut start, mut list) = (0, from, Vec::new());
    for (at, c) in text[from..].char_indices().map(|(at, c)| (from + at, c)) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                list.push(text[start..at].trim());
                list.retain(|argument| !argument.is_empty());
                return Some(list);
            }
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                list.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// Returns the number of calls of a function of a file in the unsafe blocks of another: by its name, the number of its
/// arguments, and what is before it.
fn calls(source: &Source, function: &Function, other: &Source) -> usize {
    let Function { name, of, arguments: count, has_self, .. } = function;
    let modules: Vec<&str> = source.path.trim_end_matches(".rs").split('/').collect();
    let is_here = source.path == other.path;
    let is_known = || is_here || other.code.contains(&**of);
    let is_call = |block: &str, at: usize| {
        let (before, after) = (strip_generics(&block[..at]), &block[at + name.len()..]);
        let after = after.strip_prefix("::").map_or(after.to_owned(), strip_generics);
        if before.ends_with(is_of_name) || !after.starts_with('(') {
            return false;
        }
        let given = arguments(&after).map_or(0, |list| list.len());
        let last = |path: &str| path.rsplit(|c| !is_of_name(c)).next().unwrap_or("").to_owned();
        if let Some(receiver) = before.strip_suffix('.') {
            let is_named = modules.contains(&&*last(receiver));
            return *has_self && given == *count && (is_named || is_known());
        }
        if given != count + usize::from(*has_self) {
            return false;
        }
        let Some(path) = before.strip_suffix("::") else {
            let is_other = !is_here && other.code.contains(&format!("fn {name}"));
            return of.is_empty() && !before.ends_with("fn ") && !is_other;
        };
        let last = last(path);
        let is_generic = last.len() < 2 || ["Self", "Fields", "super", "sys"].contains(&&*last);
        last == *of || modules.contains(&&*last) || is_generic && is_known()
    };
    let calls =
        |block: &String| block.match_indices(&**name).filter(|(at, _)| is_call(block, *at)).count();
    other.blocks.iter().map(calls).sum()
}

/// Returns the files that may name a private or restricted item of a file.
fn sees(path: &str, function: &Function, other: &str) -> bool {
    let folder = |path: &str| {
        path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"))
    };
    let own = children(path).map_or_else(|| path.trim_end_matches(".rs").to_owned(), str::to_owned);
    let parent = folder(&own);
    match &*function.visibility {
        "" => other == path || other.starts_with(&format!("{own}/")),
        "pub(super)" => other.starts_with(&parent),
        "pub" | "pub(crate)" => true,
        within => {
            let within = within.trim_start_matches("pub(in ").trim_end_matches(')');
            let within = match within {
                "super::super" => folder(parent.trim_end_matches('/')),
                path => path.trim_start_matches("crate::").replace("::", "/"),
            };
            other.starts_with(&within)
        }
    }
}

/// Says how many calls of a function there are, and in which files.
fn callers(source: &Source, function: &Function, all: &[Source]) -> String {
    let seen = all.iter().filter(|other| sees(&source.path, function, &other.path));
    let counts: Vec<(&str, usize)> = seen
        .map(|other| (&*other.path, calls(source, function, other)))
        .filter(|(_, count)| *count > 0)
        .collect();
    let sum: usize = counts.iter().map(|(_, count)| count).sum();
    let shown = counts.iter().take(4).map(|(path, _)| match short(&source.path, path) {
        "" => "here".to_owned(),
        path => format!("`{path}`"),
    });
    let mut shown: Vec<_> = shown.collect();
    if counts.len() > shown.len() {
        let more = counts.len() - shown.len();
        shown.push(format!("{more} more file{}", if more == 1 { "" } else { "s" }));
    }
    let users = if function.visibility == "pub" { "users" } else { "" };
    match (sum, users) {
        (0, "") => "none".to_owned(),
        (0, users) => users.to_owned(),
        (sum, "") => format!("{sum}: {}", shown.join(", ")),
        (sum, users) => format!("{users}; {sum}: {}", shown.join(", ")),
    }
}

/// The path of another file as a file of the same folder of `src` shows it; empty for itself.
fn short<'p>(own: &str, other: &'p str) -> &'p str {
    let folder = own.split_once('/').map_or("", |(folder, _)| folder);
    match other.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) {
        _ if own == other => "",
        Some(rest) => rest,
        None => other,
    }
}

/// Returns the names and fields of the types in code.
fn types(code: &str) -> impl Iterator<Item = (&str, &str)> {
    code.match_indices("struct ").filter_map(|(at, word)| {
        let rest = &code[at + word.len()..];
        let end = rest.find(|c| !is_of_name(c))?;
        let body = rest[end..].split("\n}").next()?;
        let is_tuple = body.find('(') < body.find('{') || !body.contains('{');
        Some((&rest[..end], if is_tuple { body.split(';').next()? } else { body }))
    })
}

/// Says which code can break the invariants of a file: whatever sees the fields of the types that it defines, or whose
/// methods it has.
fn keeper(source: &Source, all: &[(String, String)], items: &[Item]) -> String {
    let impls = source.code.lines().filter(|line| line.starts_with("impl"));
    let owners = impls.map(owner_name).filter(|(_, is_of_trait)| !is_of_trait);
    let mut named: BTreeSet<String> = owners.map(|(name, _)| name).collect();
    named.extend(types(&source.code).map(|(name, _)| name.to_owned()));
    let mut widest: (usize, String) = (0, String::new());
    let mut widen = |rank, text: String| {
        if widest.0 < rank {
            widest = (rank, text);
        }
    };
    let places = around(&source.path);
    for (path, code) in all.iter().filter(|(path, _)| places.contains(path)) {
        for (_, body) in types(code).filter(|(name, _)| named.contains(*name)) {
            let module = children(path).unwrap_or(path);
            let parent =
                module.trim_end_matches(".rs").rsplit_once('/').map_or("", |(parent, _)| parent);
            let folder = |path: &str| {
                if path.is_empty() { "the crate".to_owned() } else { format!("`{path}/`") }
            };
            // Types with public fields are plain data.
            if body.contains("pub ") {
                continue;
            }
            if body.contains("pub(crate) ") {
                widen(3, "the crate".to_owned());
            } else if body.contains("pub(super) ") {
                widen(2, folder(parent));
            } else if children(path).is_some() {
                widen(2, folder(module));
            } else {
                widen(
                    1,
                    if *path == source.path { "this file".to_owned() } else { format!("`{path}`") },
                );
            }
        }
    }
    let is_public =
        |item: &Item| matches!(item, Item::Fn(function) if function.visibility == "pub");
    let has_fns = items.iter().any(|item| matches!(item, Item::Fn(_)));
    let keeper = match widest {
        (0, _) if has_fns => "its callers".to_owned(),
        (0, _) => "this file".to_owned(),
        (_, text) if has_fns => text + ", and callers of its unsafe functions",
        (_, text) => text,
    };
    let users = if items.iter().any(is_public) { ", and users" } else { "" };
    keeper + users
}

/// The files that may have tests, by their paths, each with the names of its functions and tables of cases.
struct Tests(Vec<(String, BTreeSet<String>)>);

impl Tests {
    /// `None` in the package, which holds only a part of the repository.
    fn find() -> Option<Self> {
        if !root().join(".ci").exists() {
            return None;
        }
        let mut files = Vec::new();
        for folder in ["src", "tests", "loom/src"] {
            visit(&root().join(folder), &mut files);
        }
        let names = |(path, text): (PathBuf, String)| {
            let path = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
            if !text.contains("#[test]") && !text.contains("suite!") {
                return None;
            }
            let functions = text.split("fn ").skip(1).filter_map(|rest| rest.split('(').next());
            // In tables of cases, a row is a test.
            let rows =
                text.split(" = Row::new").filter_map(|before| before.split_whitespace().last());
            Some((path, functions.chain(rows).map(str::to_owned).collect()))
        };
        Some(Self(files.into_iter().filter_map(names).collect()))
    }

    /// Returns the files that have a test, whose name may follow the last modules of their paths.
    fn files(&self, test: &str) -> Vec<&str> {
        let mut named: Vec<&str> = test.split("::").collect();
        let name = named.pop().unwrap_or_default();
        let files = self
            .0
            .iter()
            .filter(|(path, names)| names.contains(name) && modules(path).ends_with(&named));
        files.map(|(path, _)| &**path).collect()
    }

    /// Returns the file of a test.
    fn file(&self, test: &str) -> &str {
        self.files(test).first().unwrap_or_else(|| panic!("no test is called {test}"))
    }
}

/// Returns the parts of the path of a file, as those of a module.
fn modules(path: &str) -> Vec<&str> {
    path.trim_end_matches(".rs").trim_end_matches("/mod").split('/').collect()
}

fn breakages(text: &str) -> Vec<Breakage<'_>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let breakage = |line| {
        let cells: Vec<&str> = str::split(line, '\t').collect();
        let [path, what, tests] = cells[..] else { panic!("safety.txt: not three cells: {line}") };
        Breakage {
            path,
            what: what.trim_start_matches('-'),
            tests: tests.split_whitespace().collect(),
        }
    };
    lines.map(breakage).collect()
}

/// A row of a table.
fn row(cells: &[&str]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// The table of a folder: its files, and their functions and implementations.
fn tables(
    section: &str,
    all: &[Source],
    code: &[(String, String)],
    broken: &[Breakage<'_>],
    found: &Tests,
) -> String {
    let files: Vec<&Source> =
        all.iter().filter(|source| self::section(&source.path) == section).collect();
    let mut text =
        "\n| file | what holds | kept by | tests that fail if it is broken |\n|---|---|---|---|\n"
            .to_owned();
    let mut rows = String::new();
    for source in files {
        let short = source.path.strip_prefix(&format!("{section}/")).unwrap_or(&source.path);
        let items = items(&source.text);
        let tests = broken.iter().filter(|breakage| breakage.path == source.path).map(|breakage| {
            let link = |test: &&str| format!("[`{test}`]({})", found.file(test));
            let tests: Vec<_> = breakage.tests.iter().map(link).collect();
            match breakage.what {
                "" if tests.is_empty() => "none".to_owned(),
                "" => format!("*not broken yet*: {}", tests.join(", ")),
                what => format!("{what}: {}", tests.join(", ")),
            }
        });
        let tests: Vec<String> = tests.collect();
        let link = format!("[`{short}`](src/{})", source.path);
        let (holds, keeper) = (invariant(source, all), keeper(source, code, &items));
        text += &row(&[&link, &holds, &keeper, &tests.join("<br>")]);
        for item in items {
            let (what, requires, callers) = match item {
                Item::Impl { what, why } => (format!("`impl {what}`"), why, "–".to_owned()),
                Item::Fn(function) => {
                    let callers = callers(source, &function, all);
                    let Function { name, of, visibility, requires, .. } = function;
                    let public = if visibility == "pub" { "**pub** " } else { "" };
                    let of = if of.is_empty() { of } else { format!("{of}::") };
                    (format!("{public}`{of}{name}`"), requires, callers)
                }
                Item::OfTrait { names, of } => {
                    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
                    let head = of.replace('|', r"\|");
                    (
                        format!("{} of `{head}`", names.join(", ")),
                        "What the trait requires".to_owned(),
                        "those of the trait".to_owned(),
                    )
                }
            };
            rows += &row(&[&format!("`{short}`"), &what, &requires, &callers]);
        }
    }
    if !rows.is_empty() {
        text += "\n| file | unsafe item | what must hold | calls |\n|---|---|---|---|\n";
        text += &rows;
    }
    text
}

/// The table of counts.
fn counts(all: &[Source]) -> String {
    let mut rows: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for source in all {
        let row = rows.entry(section(&source.path)).or_default();
        let items = items(&source.text);
        row[0] += 1;
        row[1] += source.blocks.len();
        row[2] += items.iter().filter(|item| matches!(item, Item::Impl { .. })).count();
        row[3] += { items.iter() }
            .map(|item| match item {
                Item::Impl { .. } => 0,
                Item::Fn(_) => 1,
                Item::OfTrait { names, .. } => names.len(),
            })
            .sum::<usize>();
    }
    let mut text =
        "\n| folder | files | blocks | implementations | functions |\n|---|---|---|---|---|\n"
            .to_owned();
    let mut sum = [0; 4];
    for (section, counts) in rows {
        let [files, blocks, impls, fns] = counts.map(|count| count.to_string());
        text += &row(&[&format!("`{section}`"), &files, &blocks, &impls, &fns]);
        sum = std::array::from_fn(|i| sum[i] + counts[i]);
    }
    let [files, blocks, impls, fns] = sum.map(|count| count.to_string());
    text + &row(&["**all**", &files, &blocks, &impls, &fns])
}

/// Replaces the tables of a page that are made from the sources.
fn with_tables(
    page: &str,
    all: &[Source],
    code: &[(String, String)],
    broken: &[Breakage<'_>],
    found: &Tests,
) -> String {
    let mut sections: BTreeSet<&str> = all.iter().map(|source| section(&source.path)).collect();
    let mut text = String::new();
    for part in split_at_headings(page) {
        let heading = part.lines().next().unwrap_or_default();
        let name = heading.trim_start_matches('#').trim().trim_matches('`');
        let is_counts = name == "How much there is";
        if !is_counts && !sections.remove(name) {
            text += part;
            continue;
        }
        let prose: Vec<&str> = part.lines().filter(|line| !line.starts_with('|')).collect();
        text += prose.join("\n").trim_end();
        text += "\n";
        text += &if is_counts { counts(all) } else { tables(name, all, code, broken, found) };
        text += "\n";
    }
    assert!(
        sections.is_empty(),
        "SAFETY.md has no section for {sections:?}: write `### `NAME`` and two sentences"
    );
    text.trim_end().to_owned() + "\n"
}

/// Splits a page before each heading.
fn split_at_headings(page: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = page.match_indices("\n#").map(|(at, _)| at + 1).collect();
    starts.insert(0, 0);
    starts.push(page.len());
    starts.windows(2).map(|ends| &page[ends[0]..ends[1]]).collect()
}

/// The text of `safety.txt`, by lines: which tests fail when something is broken.
const BREAKAGES: &str = include_str!("safety.txt");

#[test]
fn page_of_unsafe_code_is_current() {
    let path = root().join("SAFETY.md");
    let Some(found) = Tests::find() else { return };
    let page = fs::read_to_string(&path).unwrap();
    let all = unsafe_sources();
    let code = sources()
        .into_iter()
        .map(|(path, text)| (path.to_string_lossy().replace('\\', "/"), code(&text)));
    let code: Vec<_> = code.collect();
    let new = with_tables(&page, &all, &code, &breakages(BREAKAGES), &found);
    assert!(new.lines().count() > 300, "the items are not seen");
    if std::env::var_os("STAYPUT_WRITE").is_some() {
        fs::write(&path, new).unwrap();
    } else if let Some((old, new)) = page.lines().zip(new.lines()).find(|(old, new)| old != new) {
        panic!("SAFETY.md is out of date; run `{COMMAND}`:\n- {old}\n+ {new}");
    } else {
        assert!(page == new, "SAFETY.md is out of date; run `{COMMAND}`");
    }
}

#[test]
fn unsafe_code_names_tests_that_exist() {
    let broken = breakages(BREAKAGES);
    let all = unsafe_sources();
    let files: BTreeSet<&str> = all.iter().map(|source| &*source.path).collect();
    let named: BTreeSet<&str> = broken.iter().map(|breakage| breakage.path).collect();
    let missing: Vec<_> = files.difference(&named).collect();
    let gone: Vec<_> = named.difference(&files).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "tests/it/safety.txt has no line for {missing:?}, and lines for files without unsafe code: {gone:?}"
    );

    let Some(found) = Tests::find() else { return };
    for breakage in &broken {
        for test in &breakage.tests {
            let files = found.files(test);
            let path = breakage.path;
            assert!(files.len() == 1, "{path}: the test {test} is in {files:?}, not in one file");
        }
        let is_known = !breakage.tests.is_empty() || breakage.what.is_empty();
        assert!(is_known, "{}: no test for: {}", breakage.path, breakage.what);
    }
}

#[test]
fn unsafe_items_and_their_calls_are_seen() {
    let text = "impl<T> A<T> {\n    /// Reads.\n    ///\n    /// # Safety\n    ///\n    /// - `i` is [below](x) `n`.\n    \
        /// - It lives.\n    #[inline]\n    pub(super) unsafe fn read(&self, i: usize) -> u8 {}\n}\n\
        // SAFETY: owned.\nunsafe impl<T: Send> Send for A<T> {}\n// SAFETY: as above.\nunsafe impl Sync for A {}\n\
        unsafe impl B for A {\n    unsafe fn x() {}\n    unsafe fn y(&self) {}\n}\n";
    let items = items(text);
    let Item::Fn(function) = &items[0] else { panic!("{items:?}") };
    assert_eq!((&*function.name, &*function.of), ("read", "A"));
    assert_eq!(function.requires, "`i` is below `n`. It lives.");
    assert_eq!((function.arguments, function.has_self), (1, true));
    let why = |item: &Item| match item {
        Item::Impl { what, why } => format!("{what}: {why}"),
        item => panic!("{item:?}"),
    };
    assert_eq!(why(&items[1]), "Send for A<T>: Owned.");
    assert_eq!(why(&items[2]), "Sync for A: Owned.");
    let names = vec!["x".to_owned(), "y".to_owned()];
    assert_eq!(items[4], Item::OfTrait { names, of: "B for A".to_owned() });

    let code = "unsafe { a.read(1) }; a.read(1); unsafe { A::<u8>::read(&a, f(1, 2)) } unsafe { ptr.read() } unsafe { Other::read(&c, 1) }";
    let file = |path: &str, code: &str| Source {
        path: path.to_owned(),
        text: String::new(),
        code: code.to_owned(),
        blocks: blocks(code),
    };
    assert_eq!(calls(&file("a/b.rs", ""), function, &file("a/c.rs", code)), 2);
    assert_eq!(calls(&file("a/b.rs", ""), function, &file("a/c.rs", "unsafe { a.read(1) }")), 1);
    assert_eq!(calls(&file("a/b.rs", ""), function, &file("a/c.rs", "unsafe { c.read(1) }")), 0);
    assert!(sees("a/b.rs", function, "a/c.rs") && !sees("a/b.rs", function, "c.rs"));
    assert_eq!(cell("One sentence. And another one that is long", 30), "One sentence.");
    assert_eq!(cell("a `b c d`, e", 9), "a …");
}
