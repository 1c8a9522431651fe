//! Collects the modules of a crate and their dependencies, from the tokens of its files.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Path of a module; that of the crate's root is empty.
type Name = Vec<String>;

/// The modules of a crate, one per file.
pub(super) struct Modules(BTreeMap<Name, Module>);

/// Names and paths in a file, except in code that is compiled only for tests.
#[derive(Default)]
struct Module {
    children: BTreeSet<String>,
    definitions: BTreeSet<String>,
    /// Imported names, with the paths that they stand for.
    imports: BTreeMap<String, Vec<String>>,
    /// Paths of `use path::*`.
    globs: Vec<Vec<String>>,
    /// All paths except those of re-exports.
    paths: BTreeSet<Vec<String>>,
}

/// Keywords that are followed by the name of a definition.
const DEFINES: [&str; 9] =
    ["struct", "enum", "union", "trait", "type", "fn", "const", "static", "macro_rules"];

fn is(token: Option<&TokenTree>, text: &str) -> bool {
    match token {
        Some(TokenTree::Ident(word)) => word == text,
        Some(TokenTree::Punct(punct)) => punct.as_char().to_string() == text,
        _ => false,
    }
}

/// Returns whether the tokens at `at` are `::`.
fn is_path(tokens: &[TokenTree], at: usize) -> bool {
    is(tokens.get(at), ":") && is(tokens.get(at + 1), ":")
}

impl Module {
    /// Reads tokens of the file; `is_top` is true outside all delimiters.
    fn read(&mut self, stream: TokenStream, is_top: bool) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    at += if is(tokens.get(at + 1), "!") { 2 } else { 1 };
                    if tokens.get(at).is_some_and(|attribute| attribute.to_string() == "[cfg (test)]") {
                        let ends = |token: &TokenTree| match token {
                            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                            token => is(Some(token), ";"),
                        };
                        at += tokens[at..].iter().position(ends).expect("an item ends");
                    }
                    at += 1;
                }
                TokenTree::Ident(word) if word == "use" && !is(tokens.get(at + 1), "<") => {
                    let is_public = at > 0 && !is(tokens.get(at - 1), ";") && {
                        let visibility = usize::from(matches!(tokens[at - 1], TokenTree::Group(_))) + 1;
                        at >= visibility && is(tokens.get(at - visibility), "pub")
                    };
                    let end = (at..).find(|end| is(tokens.get(*end), ";")).expect("it has an end");
                    self.import(&tokens[at + 1..end], &[], is_public);
                    at = end + 1;
                }
                TokenTree::Ident(word) if is_top && word == "mod" => {
                    let names =
                        if is(tokens.get(at + 2), ";") { &mut self.children } else { &mut self.definitions };
                    names.insert(tokens[at + 1].to_string());
                    at += 2;
                }
                TokenTree::Ident(word) => {
                    let mut path = vec![word.to_string()];
                    let begins = at < 2 || !is_path(&tokens, at - 2);
                    at += 1;
                    while is_path(&tokens, at)
                        && let Some(TokenTree::Ident(next)) = tokens.get(at + 2)
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    if path.len() > 1 && begins {
                        self.paths.insert(path);
                    } else if is_top && DEFINES.contains(&path[0].as_str()) {
                        let name = tokens[at..].iter().find(|token| matches!(token, TokenTree::Ident(_)));
                        self.definitions.extend(name.map(ToString::to_string));
                    }
                }
                TokenTree::Group(group) => {
                    self.read(group.stream(), false);
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// Reads the tokens of a `use` item; `before` is the path before the braces that contain them.
    fn import(&mut self, tokens: &[TokenTree], before: &[String], is_public: bool) {
        for part in tokens.split(|token| is(Some(token), ",")) {
            let (mut path, mut alias) = (before.to_vec(), None);
            let mut rest = part.iter();
            let is_single = loop {
                match rest.next() {
                    None => break path.len() > before.len() || is(part.first(), "self"),
                    Some(TokenTree::Group(group)) => {
                        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                        self.import(&inner, &path, is_public);
                        break false;
                    }
                    Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
                        self.globs.push(path.clone());
                        break false;
                    }
                    Some(TokenTree::Ident(word)) if word == "as" => alias = rest.next(),
                    Some(TokenTree::Ident(word)) if word != "self" || path.is_empty() => {
                        path.push(word.to_string());
                    }
                    Some(_) => {}
                }
            };
            if is_single {
                let name = alias.map_or_else(|| path[path.len() - 1].clone(), ToString::to_string);
                self.imports.insert(name, path.clone());
                if !is_public {
                    self.paths.insert(path);
                }
            }
        }
    }
}

impl Modules {
    /// Reads the modules below the file of a crate's root.
    pub(super) fn of(root: &Path) -> Modules {
        let mut modules = Modules(BTreeMap::new());
        let folder = root.parent().expect("it is in a folder").to_owned();
        modules.load(Vec::new(), root, &folder);
        modules
    }

    fn load(&mut self, name: Name, file: &Path, folder: &Path) {
        let mut module = Module::default();
        let text = fs::read_to_string(file).unwrap();
        module.read(text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display())), true);
        for child in &module.children {
            let inner = folder.join(child);
            let files: [PathBuf; 2] = [folder.join(format!("{child}.rs")), inner.join("mod.rs")];
            let file = files.iter().find(|file| file.exists()).expect("a module has a file");
            self.load([&name[..], std::slice::from_ref(child)].concat(), file, &inner);
        }
        self.0.insert(name, module);
    }

    /// Returns the module that defines the target of a path, through imports and re-exports; `None`
    /// for items of other crates and for modules themselves.
    fn definer(&self, from: &Name, path: &[String], is_begin: bool) -> Option<Name> {
        let (first, rest) = path.split_first()?;
        let module = &self.0[from];
        let within = |path: &[String]| self.definer(from, &[path, rest].concat(), true);
        match first.as_str() {
            "crate" if is_begin => self.definer(&Vec::new(), rest, false),
            "self" if is_begin => self.definer(from, rest, false),
            "super" => self.definer(&from[..from.len().checked_sub(1)?].to_vec(), rest, false),
            name if module.children.contains(name) => {
                self.definer(&[&from[..], std::slice::from_ref(first)].concat(), rest, false)
            }
            name if module.definitions.contains(name) => Some(from.clone()),
            name => match module.imports.get(name) {
                // Crates (`use serde;`) and renamed items of other crates have no module here.
                Some(import) if import.len() == 1 || import[0] == *first => None,
                Some(import) => within(import),
                None => {
                    let is_own = |path: &&Vec<String>| {
                        ["crate", "self", "super"].contains(&path[0].as_str())
                            || module.children.contains(&path[0])
                    };
                    let mut globs = module.globs.iter().filter(is_own);
                    let found = globs.find_map(|glob| {
                        self.definer(from, &[&glob[..], std::slice::from_ref(first), rest].concat(), true)
                    });
                    // The item may be defined by a macro.
                    found.or_else(|| (!is_begin).then(|| from.clone()))
                }
            },
        }
    }

    /// Returns the cycles of modules, each with its edges, one per line.
    pub(super) fn circles(&self) -> Vec<Circle> {
        circles(&self.arrows())
    }

    /// Returns the cycles of folders. A folder is a module with all modules below it; an edge
    /// between two files becomes an edge between the two folders, with the same parent, that contain
    /// them.
    pub(super) fn circles_of_folders(&self) -> Vec<Circle> {
        let mut arrows = Arrows::new();
        for ((from, to), paths) in self.arrows() {
            let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
            // Modules of which one is below the other are in one folder.
            if shared < from.len() && shared < to.len() {
                let folders = (from[..=shared].to_vec(), to[..=shared].to_vec());
                let within =
                    format!("{} ({})", paths.into_iter().collect::<Vec<_>>().join(", "), from.join("/"));
                arrows.entry(folders).or_default().insert(within);
            }
        }
        circles(&arrows)
    }

    /// Returns the edges: pairs of a module and one that it uses, with the paths in the code.
    fn arrows(&self) -> Arrows {
        let mut arrows = Arrows::new();
        for (from, module) in &self.0 {
            for path in &module.paths {
                // A use of an enclosing module is not a dependency.
                if let Some(to) = self.definer(from, path, true).filter(|to| !from.starts_with(to)) {
                    arrows.entry((from.clone(), to)).or_default().insert(path.join("::"));
                }
            }
        }
        arrows
    }
}

/// Edges from one module to another that it uses, with the paths in the code.
type Arrows = BTreeMap<(Name, Name), BTreeSet<String>>;

/// Names of modules that reach each other, and the edges between them as text.
type Circle = (BTreeSet<String>, String);

/// Finds the maximal sets of modules that reach each other (strongly connected components).
fn circles(arrows: &Arrows) -> Vec<Circle> {
    let reached = |from: &Name| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(each) = open.pop() {
            let next = arrows.keys().filter(|(from, _)| *from == each).map(|(_, to)| to.clone());
            open.extend(next.filter(|to| seen.insert(to.clone())));
        }
        seen
    };
    let reached: BTreeMap<&Name, BTreeSet<Name>> =
        arrows.keys().map(|(name, _)| (name, reached(name))).collect();
    let mut circles: Vec<BTreeSet<&Name>> = Vec::new();
    for (name, others) in &reached {
        if others.contains(*name) && !circles.iter().any(|circle| circle.contains(name)) {
            let back = reached.iter().filter(|(other, to)| others.contains(**other) && to.contains(*name));
            circles.push(back.map(|(other, _)| *other).collect());
        }
    }
    let described = |circle: BTreeSet<&Name>| {
        let inside = arrows.iter().filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
        let line = |((from, to), paths): (&(Name, Name), &BTreeSet<String>)| {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            format!("    {} uses {}: {}\n", from.join("/"), to.join("/"), paths.join(", "))
        };
        (circle.iter().map(|name| name.join("/")).collect(), inside.map(line).collect())
    };
    circles.into_iter().map(described).collect()
}
