//! Arrows between modules: every name is followed to the module that defines it, through imports and
//! re-exports.

use super::cycles::{Arrow, join};
use super::reader::{Module, Named, ROOTS};
use anyhow::{Result, bail};
use std::collections::BTreeMap;

/// The end of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// An item that the module defines.
    Item(usize),
    /// A module itself.
    Module(usize),
    /// Something that the crate does not define.
    Outside,
    /// A path into the crate whose item was not found.
    Unknown,
}

/// The largest number of re-exports in a row. No crate has as many, so a path that needs more is circular.
const LONGEST_CHAIN: usize = 32;

/// Returns every arrow between two modules, with the places in the code that cause it.
///
/// # Errors
///
/// Fails if a path into the crate cannot be followed, because an arrow would be missed.
pub fn arrows(modules: &[Module]) -> Result<Vec<Arrow>> {
    let finder = Finder::new(modules);
    let mut places = Vec::new();
    let mut lost = Vec::new();
    for (from, module) in modules.iter().enumerate() {
        let imports = module.imports.iter().filter(|import| !import.is_exported && import.alias.is_some());
        let imported = imports.map(|import| (finder.follow(from, &import.path), import.line, &import.path));
        let named = module.names.iter().map(|name| (finder.named(from, name), name.line, &name.path));
        for (end, line, path) in imported.chain(named) {
            match end {
                End::Item(to) if to != from => places.push((from, to, line, path.join("::"))),
                End::Unknown => lost.push(format!("{}:{line} {}", module.name(), path.join("::"))),
                _ => {}
            }
        }
    }
    if !lost.is_empty() {
        bail!("paths that lead nowhere: {}", lost.join(", "));
    }
    Ok(join(places))
}

/// Follows paths to the modules that define their items.
struct Finder<'a> {
    modules: &'a [Module],
    /// The modules that define an item, by its name.
    definers: BTreeMap<&'a str, Vec<usize>>,
    /// The modules that define a macro, by its name.
    macros: BTreeMap<&'a str, Vec<usize>>,
    /// The paths that a macro puts in front of its arguments, by its name.
    prefixes: BTreeMap<&'a str, Vec<&'a [String]>>,
}

impl<'a> Finder<'a> {
    fn new(modules: &'a [Module]) -> Self {
        let (mut definers, mut macros, mut prefixes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (index, module) in modules.iter().enumerate() {
            for item in &module.items {
                definers.entry(item.as_str()).or_insert_with(Vec::new).push(index);
            }
            for name in &module.macros {
                macros.entry(name.as_str()).or_insert_with(Vec::new).push(index);
            }
            for (name, prefix) in &module.prefixes {
                prefixes.entry(name.as_str()).or_insert_with(Vec::new).push(prefix.as_slice());
            }
        }
        Finder { modules, definers, macros, prefixes }
    }

    /// Follows a path in the code of the module `from`.
    fn named(&self, from: usize, name: &Named) -> End {
        if name.is_macro && name.path.len() == 1 {
            return self.macro_named(from, &name.path[0]);
        }
        let end = match &name.path[..] {
            [_] if !name.is_item => End::Outside,
            // Only a module, as in `pub(in crate::policy)`, or the beginning of a path that a macro
            // completes.
            path if path.iter().all(|name| ROOTS.contains(&name.as_str())) => End::Outside,
            path => self.follow(from, path),
        };
        let prefixes = name.call.as_ref().and_then(|call| self.prefixes.get(call.as_str()));
        match (end, prefixes) {
            (End::Outside, Some(prefixes)) => self.with_prefix(from, &name.path, prefixes),
            (end, _) => end,
        }
    }

    /// Follows a path that is the argument of a macro, which puts one of its prefixes in front. If the path
    /// ends at a module, the arrow goes to that module.
    fn with_prefix(&self, from: usize, path: &[String], prefixes: &[&[String]]) -> End {
        let ends = prefixes.iter().map(|prefix| self.resolve(from, &[prefix, path].concat(), 0));
        let known = ends.filter_map(|end| match end {
            End::Item(to) | End::Module(to) => Some(End::Item(to)),
            _ => None,
        });
        known.into_iter().next().unwrap_or(End::Outside)
    }

    /// Finds the module that defines a macro: the module itself, else the nearest one above that defines the
    /// name, else the only module that does.
    fn macro_named(&self, from: usize, name: &str) -> End {
        let Some(homes) = self.macros.get(name) else { return End::Outside };
        let mut above = Some(from);
        while let Some(module) = above {
            if homes.contains(&module) {
                return End::Item(module);
            }
            above = self.modules[module].parent;
        }
        if let [only] = homes[..] { End::Item(only) } else { End::Unknown }
    }

    /// Follows a path. An item that a macro makes is found by its name, if only one module defines that.
    fn follow(&self, from: usize, path: &[String]) -> End {
        let end = self.resolve(from, path, 0);
        let homes = |name: &String| self.definers.get(name.as_str()).filter(|homes| homes.len() == 1);
        match end {
            End::Unknown => {
                path.iter().rev().find_map(homes).map_or(End::Unknown, |homes| End::Item(homes[0]))
            }
            end => end,
        }
    }

    /// Follows a path from a module. `depth` counts the imports on the way.
    fn resolve(&self, from: usize, path: &[String], depth: usize) -> End {
        if depth > LONGEST_CHAIN {
            return End::Unknown;
        }
        match path[0].as_str() {
            "crate" => self.inside(0, &path[1..], depth),
            "self" => self.inside(from, &path[1..], depth),
            "super" => self.inside(from, path, depth),
            // The first name is known in this module, or it is another crate, a local variable or a generic
            // type.
            name => match self.inside(from, path, depth) {
                End::Unknown if !self.knows(from, name) => End::Outside,
                end => end,
            },
        }
    }

    /// Returns true if a module defines or imports a name.
    fn knows(&self, module: usize, name: &str) -> bool {
        let module = &self.modules[module];
        let is_imported = || module.imports.iter().any(|import| import.alias.as_deref() == Some(name));
        module.children.contains_key(name) || module.items.contains(name) || is_imported()
    }

    /// Follows a path whose first name is inside the module `index`.
    fn inside(&self, index: usize, path: &[String], depth: usize) -> End {
        let module = &self.modules[index];
        let Some((name, rest)) = path.split_first() else { return End::Module(index) };
        if name == "super" {
            return module.parent.map_or(End::Unknown, |parent| self.inside(parent, rest, depth));
        }
        let child = module.children.get(name);
        // A function and a module may share a name: only the module can have a rest of the path inside.
        if let Some(&child) = child.filter(|_| !rest.is_empty()) {
            return self.inside(child, rest, depth);
        }
        if module.items.contains(name) || module.macros.contains(name) {
            return End::Item(index);
        }
        if let Some(end) = self.imported(index, name, rest, depth) {
            return end;
        }
        if let Some(&child) = child {
            return End::Module(child);
        }
        let made = if module.made.contains(name) { End::Item(index) } else { End::Unknown };
        self.globbed(index, path, depth).unwrap_or(made)
    }

    /// Follows a name that a `use` of the module brings in; `None` if there is no such `use`.
    fn imported(&self, index: usize, name: &str, rest: &[String], depth: usize) -> Option<End> {
        let imports = self.modules[index].imports.iter();
        let import = imports.into_iter().find(|import| import.alias.as_deref() == Some(name))?;
        // In `use anyhow::anyhow` the first name is the crate, not the imported name: following it would not
        // end.
        let is_outside = import.path[0] == name && !self.modules[index].children.contains_key(name);
        let path = [&import.path[..], rest].concat();
        Some(if is_outside { End::Outside } else { self.resolve(index, &path, depth + 1) })
    }

    /// Follows a path through the globs of a module, such as `use super::*`; `None` if no glob has it.
    fn globbed(&self, index: usize, path: &[String], depth: usize) -> Option<End> {
        // A glob of another crate, such as `rayon::prelude::*`, brings in no item of this crate.
        let is_inside = |first: &String| ROOTS.contains(&first.as_str()) || self.knows(index, first);
        let globs = self.modules[index].imports.iter();
        let globs = globs.filter(|import| import.alias.is_none() && is_inside(&import.path[0]));
        let ends = globs.filter_map(|glob| match self.resolve(index, &glob.path, depth + 1) {
            End::Module(from) if from != index && depth < LONGEST_CHAIN => {
                Some(self.inside(from, path, depth + 1))
            }
            _ => None,
        });
        ends.into_iter().find(|end| *end != End::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reader::read_crate;
    use super::*;
    use std::path::Path;

    /// Returns the arrows of a crate as `from -> to`, from the names and texts of its files.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let text = |file: &Path| {
            files.iter().find(|(name, _)| Path::new(name) == file).map(|(_, text)| text.to_string())
        };
        let modules = read_crate(Path::new("src/lib.rs"), &text).unwrap();
        let arrow = |arrow: &Arrow| format!("{} -> {}", modules[arrow.from].name(), modules[arrow.to].name());
        arrows(&modules).unwrap().iter().map(arrow).collect()
    }

    #[test]
    fn two_modules_that_name_each_other() {
        let a = ("src/a.rs", "use crate::b::B; pub struct A; fn f(_: B) {}");
        let b = ("src/b.rs", "pub struct B; fn f() { let _ = crate::a::A; }");
        assert_eq!(found(&[("src/lib.rs", "mod a; mod b;"), a, b]), ["a -> b", "b -> a"]);
    }

    #[test]
    fn a_reexport_leads_to_the_module_that_defines_the_item() {
        let root = ("src/lib.rs", "mod a; mod b; pub use b::Shown;");
        let a = ("src/a.rs", "use crate::Shown; pub struct A(Shown);");
        let b = ("src/b.rs", "mod c; pub(crate) use c::Hidden as Shown;");
        let c = ("src/b/c.rs", "use super::super::a::A; pub struct Hidden(A);");
        assert_eq!(found(&[root, a, b, c]), ["a -> b::c", "b::c -> a"]);
    }

    #[test]
    fn test_code_is_not_counted() {
        let root = ("src/lib.rs", "mod a; mod b;");
        let a = "pub struct A;
            #[cfg(test)] use crate::b::B;
            #[cfg(test)] mod tests { use crate::b::B; }
            #[cfg(test)] mod more;
            #[cfg(test)] #[derive(Debug)] struct T { b: crate::b::B }
            struct S { #[cfg(test)] b: crate::b::B, a: usize }
            fn f() { #[cfg(test)] let _ = crate::b::B { x: 1 }; }";
        let b = ("src/b.rs", "pub struct B { x: crate::a::A }");
        assert_eq!(found(&[root, ("src/a.rs", a), b]), ["b -> a"]);
    }

    #[test]
    fn a_child_that_uses_its_parent() {
        let root = ("src/lib.rs", "mod a;");
        let b = ("src/a/b.rs", "use super::A; pub struct B(A); pub fn g() {}");
        let alone = ("src/a.rs", "mod b; pub use b::B; pub struct A;");
        assert_eq!(found(&[root, alone, b]), ["a::b -> a"]);
        let both = ("src/a.rs", "mod b; pub use b::B; pub struct A; fn f(_: B) {}");
        assert_eq!(found(&[root, both, b]), ["a -> a::b", "a::b -> a"]);
        let through_a_path = ("src/a.rs", "mod b; pub struct A; fn f() { b::g() }");
        assert_eq!(found(&[root, through_a_path, b]), ["a -> a::b", "a::b -> a"]);
    }

    #[test]
    fn a_child_that_uses_what_its_parent_imports() {
        let root = ("src/lib.rs", "mod a; mod c;");
        let a = ("src/a.rs", "mod b; use crate::c::{self, C}; fn f(_: C) { c::g() }");
        let b = ("src/a/b.rs", "use super::*; fn f(_: C) {}");
        let c = ("src/c.rs", "pub struct C; pub fn g() {}");
        assert_eq!(found(&[root, a, b, c]), ["a -> c", "a::b -> c"]);
    }

    #[test]
    fn a_macro_is_followed_by_its_name_and_read_inside() {
        let root = ("src/lib.rs", "#[macro_use] mod a; mod b; mod c;");
        let a = ("src/a.rs", "macro_rules! twice { ($x:expr) => { ($x, $x) }; }");
        let b = ("src/b.rs", "fn f() { twice!(crate::c::g(1)); }");
        let c = ("src/c.rs", "pub fn g(_: u8) {}");
        assert_eq!(found(&[root, a, b, c]), ["b -> a", "b -> c"]);
    }

    #[test]
    fn what_a_macro_puts_its_own_path_before() {
        let root = ("src/lib.rs", "mod a; mod b; pub use list::all::*; mod list;");
        let list = "macro_rules! list { ($($p:ident)::+) => {
                pub enum All { } fn all() { super::$($p)::+::Inner; }
                pub mod all { $( pub use super::super::$($p)::+::*; )* }
            } }
            list! { a::inner }";
        let a = ("src/a.rs", "pub mod inner;");
        let inner = ("src/a/inner.rs", "pub struct Inner;");
        let b = ("src/b.rs", "use crate::Inner; use crate::list::All;");
        let list = ("src/list.rs", list);
        assert_eq!(found(&[root, list, a, inner, b]), ["b -> a::inner", "b -> list", "list -> a::inner"]);
    }

    #[test]
    fn what_is_no_path_makes_no_arrow() {
        let root =
            ("src/lib.rs", "mod a; mod front; pub use front::front; fn f(front: u8) -> u8 { front.min(1) }");
        let front = ("src/front.rs", "pub fn front() {}");
        let a = (
            "src/a.rs",
            "//! See [`crate::front`].\nstruct A<'front> { front: &'front str } fn f(a: A) { a.front(); }",
        );
        assert!(found(&[root, a, front]).is_empty());
    }

    #[test]
    fn a_block_is_a_module() {
        let root = (
            "src/lib.rs",
            "mod a { use super::b::B; pub struct A; } mod b { pub struct B; use crate::a::A; }",
        );
        assert_eq!(found(&[root]), ["a -> b", "b -> a"]);
    }

    #[test]
    #[should_panic(expected = "paths that lead nowhere: a:1 crate::b::Gone")]
    fn a_path_that_leads_nowhere_is_said() {
        found(&[("src/lib.rs", "mod a; mod b;"), ("src/a.rs", "use crate::b::Gone;"), ("src/b.rs", "")]);
    }
}
