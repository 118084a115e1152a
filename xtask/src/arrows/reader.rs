//! The modules of a crate, read from their files, with the items that each of them defines, imports and
//! names. Test code is left out.

use anyhow::{Context, Result, anyhow};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The first names of paths into the crate itself.
pub const ROOTS: [&str; 3] = ["crate", "self", "super"];

/// A module: a file, or a block `mod name { … }` inside one.
#[derive(Debug, Default)]
pub struct Module {
    /// The names from the root of the crate to the module; empty for the root.
    pub path: Vec<String>,
    /// The index of the module above.
    pub parent: Option<usize>,
    /// The number of lines without test code.
    pub lines: usize,
    /// The indices of the modules inside, by their names.
    pub children: BTreeMap<String, usize>,
    /// The items that are defined here.
    pub items: BTreeSet<String>,
    /// Items that a macro of this module may define when it is called.
    pub made: BTreeSet<String>,
    /// The macros that are defined here.
    pub macros: BTreeSet<String>,
    /// The paths that a macro puts in front of its arguments, as in `super::$name`: the macro, then the path.
    pub prefixes: Vec<(String, Vec<String>)>,
    /// The names that `use` brings in.
    pub imports: Vec<Import>,
    /// The paths in the code.
    pub names: Vec<Named>,
}

impl Module {
    /// The path of the module as text.
    pub fn name(&self) -> String {
        if self.path.is_empty() { "(root)".into() } else { self.path.join("::") }
    }

    /// Subtracts lines of test code or of a module inside. Two of them may share a line, so their sum may
    /// exceed the number of lines.
    fn remove_lines(&mut self, lines: usize) {
        self.lines = self.lines.saturating_sub(lines);
    }
}

/// One name that a `use` brings in.
#[derive(Debug)]
pub struct Import {
    pub path: Vec<String>,
    /// The name in this module; `None` for `*`.
    pub alias: Option<String>,
    /// True if other modules can import it from here.
    pub is_exported: bool,
    pub line: usize,
}

/// A path in the code.
#[derive(Debug)]
pub struct Named {
    pub path: Vec<String>,
    pub line: usize,
    /// True if a single name may be an item, judged by its case and the tokens after it: a local variable is
    /// not.
    pub is_item: bool,
    /// True for the name of a macro that is called.
    pub is_macro: bool,
    /// The macro in whose arguments the path is.
    pub call: Option<String>,
}

/// Reads all files of the crate with this root file. `load` returns the text of a file.
///
/// # Errors
///
/// Fails if the file of a module is missing or has invalid tokens.
pub fn read_crate(root: &Path, load: &dyn Fn(&Path) -> Option<String>) -> Result<Vec<Module>> {
    let mut reader = Reader { load, modules: vec![Module::default()] };
    let folder = root.parent().context("a root file in a folder")?;
    reader.read_file(root, folder, 0)?;
    Ok(reader.modules)
}

/// The position of the walk: the module, its folders, and the macro that is defined or called there.
#[derive(Clone)]
struct Place {
    module: usize,
    /// The folder of the file itself.
    home: PathBuf,
    /// The folder of the modules inside.
    folder: PathBuf,
    /// True outside of all brackets, where items of the module are defined.
    is_top: bool,
    /// The macro whose definition is being read.
    defines: Option<String>,
    /// The macro whose arguments are being read.
    calls: Option<String>,
}

impl Place {
    /// The position inside brackets.
    fn inner(&self) -> Place {
        Place { is_top: false, ..self.clone() }
    }
}

/// The reader of a crate, with the modules so far.
struct Reader<'a> {
    load: &'a dyn Fn(&Path) -> Option<String>,
    modules: Vec<Module>,
}

impl Reader<'_> {
    /// Reads a file as the content of a module.
    fn read_file(&mut self, file: &Path, folder: &Path, module: usize) -> Result<()> {
        let text = (self.load)(file).with_context(|| format!("no file {}", file.display()))?;
        let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{}: {error}", file.display()))?;
        self.modules[module].lines += text.lines().count();
        let home = file.parent().context("a file in a folder")?.to_path_buf();
        let folder = folder.to_path_buf();
        self.walk(tokens, &Place { module, home, folder, is_top: true, defines: None, calls: None })
    }

    /// Reads a sequence of tokens.
    fn walk(&mut self, tokens: TokenStream, place: &Place) -> Result<()> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = self.step(&tokens, at, place)?;
        }
        Ok(())
    }

    /// Reads the item, path or token at `at` and returns the position after it.
    fn step(&mut self, tokens: &[TokenTree], at: usize, place: &Place) -> Result<usize> {
        match &tokens[at] {
            TokenTree::Punct(punct) if punct.as_char() == '#' => Ok(self.attribute(tokens, at, place)),
            TokenTree::Group(group) => {
                self.walk(group.stream(), &place.inner())?;
                Ok(at + 1)
            }
            TokenTree::Ident(ident) => match ident.to_string().as_str() {
                // A `use` that a macro completes is read like any other path.
                "use" if !has_dollar(&tokens[at..end_of(tokens, at, ';')]) => self.import(tokens, at, place),
                "mod" => self.module(tokens, at, place),
                "macro_rules" => self.macro_rules(tokens, at, place),
                word => {
                    self.define(word, tokens, at, place);
                    self.name(tokens, at, place)
                }
            },
            _ => Ok(at + 1),
        }
    }

    /// Skips an attribute, and the item after it if that is test code.
    fn attribute(&mut self, tokens: &[TokenTree], at: usize, place: &Place) -> usize {
        let bracket = if is_punct(tokens.get(at + 1), '!') { at + 2 } else { at + 1 };
        let Some(TokenTree::Group(group)) = tokens.get(bracket) else { return at + 1 };
        if !is_for_tests(group) {
            return bracket + 1;
        }
        let end = if bracket > at + 1 { tokens.len() } else { end_of_item(tokens, bracket + 1) };
        let first = group.span_open().start().line;
        let last = tokens[end - 1].span().end().line;
        self.modules[place.module].remove_lines((last + 1).saturating_sub(first));
        end
    }

    /// Reads a `use`.
    fn import(&mut self, tokens: &[TokenTree], at: usize, place: &Place) -> Result<usize> {
        let end = end_of(tokens, at, ';');
        let is_exported = is_public(&tokens[..at]);
        let line = line_of(&tokens[at]);
        let mut found = Vec::new();
        read_tree(&tokens[at + 1..end], &mut Vec::new(), &mut found);
        let imports = found.into_iter().map(|(path, alias)| Import { path, alias, is_exported, line });
        self.modules[place.module].imports.extend(imports);
        Ok(end + 1)
    }

    /// Reads a module, which is a file or a block.
    fn module(&mut self, tokens: &[TokenTree], at: usize, place: &Place) -> Result<usize> {
        let Some(name) = ident(tokens.get(at + 1)) else { return Ok(at + 1) };
        if place.defines.is_some() {
            return Ok(at + 2);
        }
        let mut path = self.modules[place.module].path.clone();
        path.push(name.clone());
        let folder = place.folder.join(&name);
        let child = self.modules.len();
        self.modules.push(Module { path, parent: Some(place.module), ..Module::default() });
        self.modules[place.module].children.insert(name.clone(), child);
        match tokens.get(at + 2) {
            Some(TokenTree::Group(group)) => {
                let lines = group.span_close().end().line + 1 - line_of(&tokens[at]);
                self.modules[place.module].remove_lines(lines);
                self.modules[child].lines += lines;
                let inside = Place { module: child, folder, ..place.clone() };
                self.walk(group.stream(), &inside)?;
            }
            _ => {
                let usual = || place.folder.join(format!("{name}.rs"));
                let file = other_place(&tokens[..at]).map_or_else(usual, |other| place.home.join(other));
                self.read_file(&file, &folder, child)?;
            }
        }
        Ok(at + 3)
    }

    /// Reads the definition of a macro.
    fn macro_rules(&mut self, tokens: &[TokenTree], at: usize, place: &Place) -> Result<usize> {
        let (Some(name), Some(TokenTree::Group(body))) = (ident(tokens.get(at + 2)), tokens.get(at + 3))
        else {
            return Ok(at + 1);
        };
        self.modules[place.module].macros.insert(name.clone());
        let inside = Place { defines: Some(name), ..place.inner() };
        self.walk(body.stream(), &inside)?;
        Ok(at + 4)
    }

    /// Adds the item that a keyword defines to its module.
    fn define(&mut self, word: &str, tokens: &[TokenTree], at: usize, place: &Place) {
        const KEYWORDS: [&str; 8] = ["struct", "enum", "union", "trait", "type", "const", "static", "fn"];
        let after_mut = at + 1 + usize::from(ident(tokens.get(at + 1)).as_deref() == Some("mut"));
        let Some(name) = ident(tokens.get(after_mut)).filter(|_| KEYWORDS.contains(&word)) else { return };
        // In `const fn`, `unsafe fn` and the like, the name follows the next keyword.
        let is_keyword = ["fn", "unsafe", "extern", "async"].contains(&name.as_str());
        // `<const N: usize>` is a parameter, and `'static` a lifetime.
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let is_keyword = is_keyword || ['<', ',', '\''].iter().any(|&sign| is_punct(before, sign));
        let module = &mut self.modules[place.module];
        // If the argument of a macro is the definition of a type, the macro counts as defining it, as
        // `policy!` does.
        if (place.is_top || (place.calls.is_some() && word == "struct")) && !is_keyword {
            module.items.insert(name);
        } else if place.defines.is_some() && !is_keyword {
            module.made.insert(name);
        }
    }

    /// Reads a path, which may be a single name, and the arguments of a macro after it.
    fn name(&mut self, tokens: &[TokenTree], at: usize, place: &Place) -> Result<usize> {
        let (path, end) = read_path(tokens, at);
        if !begins_a_path(tokens, at) {
            return Ok(end);
        }
        let is_completed = has_colons(tokens, end) && is_punct(tokens.get(end + 2), '$');
        if let Some(name) =
            place.defines.as_ref().filter(|_| is_completed && ROOTS.contains(&path[0].as_str()))
        {
            self.modules[place.module].prefixes.push((name.clone(), path.clone()));
        }
        let is_macro = is_punct(tokens.get(end), '!') && !is_punct(tokens.get(end + 1), '=');
        let is_called = is_group(tokens.get(end), Delimiter::Parenthesis);
        let is_item = path.len() > 1 || is_called || path[0].starts_with(char::is_uppercase);
        let last = path.last().cloned();
        let line = line_of(&tokens[at]);
        let call = place.calls.clone();
        self.modules[place.module].names.push(Named { path, line, is_item, is_macro, call });
        match tokens.get(end + 1) {
            Some(TokenTree::Group(group)) if is_macro => {
                let inside = Place { calls: last, ..place.inner() };
                self.walk(group.stream(), &inside)?;
                Ok(end + 2)
            }
            _ => Ok(end),
        }
    }
}

/// Reads a path such as `a::b::c` and returns it with the position after it.
fn read_path(tokens: &[TokenTree], at: usize) -> (Vec<String>, usize) {
    let mut path = vec![ident(tokens.get(at)).expect("a path begins with a name")];
    let mut end = at + 1;
    while let Some(name) = ident(tokens.get(end + 2)).filter(|_| has_colons(tokens, end)) {
        path.push(name);
        end += 3;
    }
    (path, end)
}

/// Returns true if the name at `at` begins a path: it is no field, method, lifetime, macro variable or
/// definition.
fn begins_a_path(tokens: &[TokenTree], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|place| &tokens[place]);
    let is_field = is_punct(before(1), '.') && !is_punct(before(2), '.');
    let is_tail = is_punct(before(1), ':') && is_punct(before(2), ':');
    let is_variable = is_punct(before(1), '$') && ident(tokens.get(at)).as_deref() != Some("crate");
    let is_definition = ident(before(1)).is_some_and(|word| word == "fn");
    !(is_field || is_tail || is_variable || is_definition || is_punct(before(1), '\''))
}

/// Reads a tree of imports: the paths, each with the name that it has in the module.
fn read_tree(tokens: &[TokenTree], path: &mut Vec<String>, found: &mut Vec<(Vec<String>, Option<String>)>) {
    let depth = path.len();
    for branch in tokens.split(|token| is_punct(Some(token), ',')).filter(|branch| !branch.is_empty()) {
        let mut alias = None;
        let mut is_group = false;
        let mut at = 0;
        while let Some(token) = branch.get(at) {
            match token {
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    read_tree(&inner, path, found);
                    is_group = true;
                }
                TokenTree::Punct(punct) if punct.as_char() == '*' => {
                    found.push((path.clone(), None));
                    is_group = true;
                }
                TokenTree::Ident(word) if word == "as" => {
                    alias = ident(branch.get(at + 1));
                    at += 1;
                }
                // `a::{self}` is `a`.
                TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                _ => {}
            }
            at += 1;
        }
        if !is_group && let Some(last) = path.last() {
            let alias = alias.unwrap_or_else(|| last.clone());
            found.push((path.clone(), Some(alias)));
        }
        path.truncate(depth);
    }
}

/// Returns the file that an attribute `#[path = "…"]` in front of a module names.
fn other_place(before: &[TokenTree]) -> Option<String> {
    let [.., TokenTree::Punct(mark), TokenTree::Group(group)] = before else { return None };
    let text = group.stream().to_string();
    let (word, file) = text.split_once('=')?;
    (mark.as_char() == '#' && word.trim() == "path").then(|| file.trim().trim_matches('"').to_string())
}

/// Returns true if an attribute marks test code.
fn is_for_tests(attribute: &Group) -> bool {
    let text = attribute.stream().to_string().replace(' ', "");
    text == "test"
        || (text.starts_with("cfg(test") || text.starts_with("cfg(all(test") || text == "cfg(doctest)")
}

/// Returns the position after the item, field or statement that begins at `at`.
fn end_of_item(tokens: &[TokenTree], at: usize) -> usize {
    let mut from = at;
    while is_punct(tokens.get(from), '#') {
        from += 2;
    }
    let words = || tokens[from..].iter().filter_map(|token| ident(Some(token)));
    let kind = words().find(|word| !["pub", "async", "unsafe", "extern"].contains(&word.as_str()));
    let to_semicolon = end_of(tokens, from, ';') + 1;
    let end = match kind.as_deref() {
        Some("const") if words().take(4).any(|word| word == "fn") => to_brace(tokens, from),
        Some("use" | "const" | "static" | "type" | "let") => to_semicolon,
        Some("fn" | "mod" | "struct" | "enum" | "union" | "trait" | "impl" | "macro_rules") => {
            to_brace(tokens, from).min(to_semicolon)
        }
        _ => end_of(tokens, from, ',').min(end_of(tokens, from, ';')) + 1,
    };
    end.min(tokens.len())
}

/// Returns the position after the next block in braces.
fn to_brace(tokens: &[TokenTree], from: usize) -> usize {
    let found = tokens[from..].iter().position(|token| is_group(Some(token), Delimiter::Brace));
    found.map_or(tokens.len(), |found| from + found + 1)
}

/// Returns the position of the next punctuation mark of this kind, or the position after the last token.
fn end_of(tokens: &[TokenTree], at: usize, mark: char) -> usize {
    let found = tokens[at..].iter().position(|token| is_punct(Some(token), mark));
    found.map_or(tokens.len(), |found| at + found)
}

/// Returns true if the tokens contain a macro variable.
fn has_dollar(tokens: &[TokenTree]) -> bool {
    tokens.iter().any(|token| match token {
        TokenTree::Group(group) => has_dollar(&group.stream().into_iter().collect::<Vec<_>>()),
        token => is_punct(Some(token), '$'),
    })
}

/// Returns true if the tokens end with `pub` or `pub(…)`.
fn is_public(before: &[TokenTree]) -> bool {
    match before {
        [.., TokenTree::Ident(word)] => word == "pub",
        [.., TokenTree::Ident(word), TokenTree::Group(_)] => word == "pub",
        _ => false,
    }
}

fn has_colons(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')
}

fn is_group(token: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
}

fn is_punct(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

fn ident(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

fn line_of(token: &TokenTree) -> usize {
    token.span().start().line
}
