//! The modules of a crate, and which file imports from which.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::tokens::{Token, tokens};

/// How many re-exports are followed before a path counts as endless.
const DEPTH: usize = 16;

/// The results of [`Graph::step`], by depth, module and name.
type Steps = HashMap<(usize, usize), HashMap<String, Option<usize>>>;

/// A crate's modules. The first is its root.
pub(super) struct Graph {
    modules: Vec<Module>,
    files: Vec<PathBuf>,
    /// The largest number of `#[path]`s of a module.
    pub(super) systems: usize,
    /// Kept, since globs ask for the same steps again and again.
    steps: RefCell<Steps>,
}

/// A module: a file, or a part of one between braces.
struct Module {
    file: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// What it defines itself.
    items: BTreeSet<String>,
    /// The names that it imports, with the paths that they stand for.
    names: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// The names that it only re-exports: they count as imports if the file itself uses them.
    exports: Vec<(String, Vec<String>)>,
    /// All other paths in it.
    paths: BTreeSet<Vec<String>>,
}

impl Graph {
    /// Reads the crate with this root, file by file. Of a module that has several `#[path]`s, one for each system, this takes
    /// the one with this number.
    pub(super) fn of_crate(root: &Path, system: usize, read: impl Fn(&Path) -> Option<String>) -> Graph {
        let mut graph = Graph { modules: Vec::new(), files: Vec::new(), systems: 1, steps: RefCell::default() };
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        graph.add_file(root.to_owned(), folder, None, system, &read);
        graph
    }

    /// Adds a file and those of the modules that it declares, which lie in this folder.
    fn add_file(
        &mut self,
        file: PathBuf,
        folder: PathBuf,
        parent: Option<usize>,
        system: usize,
        read: &impl Fn(&Path) -> Option<String>,
    ) -> Option<usize> {
        let tokens = tokens(&read(&file)?);
        self.files.push(file);
        let module = self.add_module(self.files.len() - 1, parent);
        for (declaring, name, paths) in self.add_contents(module, &tokens) {
            self.systems = self.systems.max(paths.len());
            let candidates = match paths.get(system).or(paths.last()) {
                // The modules of a file that a `#[path]` names lie beside that file.
                Some(path) => [folder.join(path), self.files[self.modules[module].file].with_file_name(path)]
                    .map(|file| (file.with_file_name(""), file)),
                None => {
                    [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")].map(|file| (folder.join(&name), file))
                }
            };
            let mut add = |(folder, file)| self.add_file(file, folder, Some(declaring), system, read);
            let child = candidates.into_iter().find_map(&mut add);
            if let Some(child) = child {
                self.modules[declaring].children.insert(name, child);
            }
        }
        Some(module)
    }

    fn add_module(&mut self, file: usize, parent: Option<usize>) -> usize {
        let (children, items, names, globs, exports, paths) = Default::default();
        self.modules.push(Module { file, parent, children, items, names, globs, exports, paths });
        self.modules.len() - 1
    }

    /// Adds what the tokens of a file say to its module. Returns the modules that lie in other files: in which module each is
    /// declared, its name, and its `#[path]`s.
    fn add_contents(&mut self, module: usize, tokens: &[Token]) -> Vec<(usize, String, Vec<String>)> {
        let first_module = module;
        let mut declared = Vec::new();
        let mut words = BTreeSet::new();
        // The modules that are open, each with the depth of its braces.
        let mut open = vec![(module, 0)];
        let mut depth = 0;
        let mut path_attributes = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let current = open.last().map_or(module, |&(module, _)| module);
            match &tokens[at..] {
                [Token::Ident(path), Token::Punct('='), Token::Text(file), ..] if path == "path" => {
                    path_attributes.push(file.clone());
                    at += 3;
                }
                [Token::Ident(word), Token::Ident(name), Token::Punct(';'), ..] if word == "mod" => {
                    declared.push((current, name.clone(), std::mem::take(&mut path_attributes)));
                    at += 3;
                }
                [Token::Ident(word), Token::Ident(name), Token::Punct('{'), ..] if word == "mod" => {
                    let inner = self.add_module(self.modules[current].file, Some(current));
                    self.modules[current].children.insert(name.clone(), inner);
                    depth += 1;
                    open.push((inner, depth));
                    at += 3;
                }
                [Token::Ident(word), rest @ ..] if word == "use" && !matches!(rest, [Token::Punct('<'), ..]) => {
                    let end = rest.iter().position(|token| *token == Token::Punct(';')).unwrap_or(rest.len());
                    let is_public = at > 0 && [Token::Ident("pub".to_owned()), Token::Punct(')')].contains(&tokens[at - 1]);
                    self.add_use(current, &rest[..end], &[], is_public);
                    at += 1 + end;
                }
                [Token::Ident(word), Token::Ident(name), ..] if defines(word) => {
                    self.modules[current].items.insert(name.clone());
                    at += 2;
                }
                [Token::Ident(first), Token::PathSep, Token::Ident(_), ..] => {
                    words.insert(first.clone());
                    let mut path = vec![first.clone()];
                    at += 1;
                    while let [Token::PathSep, Token::Ident(segment), ..] = &tokens[at..] {
                        path.push(segment.clone());
                        at += 2;
                    }
                    self.modules[current].paths.insert(path);
                }
                [Token::Punct('{'), ..] => (depth, at) = (depth + 1, at + 1),
                [Token::Punct('}'), ..] => {
                    if open.len() > 1 && open.last().is_some_and(|&(_, begin)| begin == depth) {
                        open.pop();
                    }
                    (depth, at) = (depth - 1, at + 1);
                }
                [Token::Ident(word), ..] => {
                    words.insert(word.clone());
                    at += 1;
                }
                _ => at += 1,
            }
        }
        for module in &mut self.modules[first_module..] {
            let used = module.exports.iter().filter(|(name, _)| words.contains(name));
            let used: Vec<Vec<String>> = used.map(|(_, path)| path.clone()).collect();
            module.paths.extend(used);
        }
        declared
    }

    /// Adds the tree of a `use`, whose paths begin with `prefix`.
    fn add_use(&mut self, module: usize, tree: &[Token], prefix: &[String], is_public: bool) {
        let mut path = prefix.to_vec();
        let mut at = 0;
        while at < tree.len() {
            match &tree[at..] {
                [Token::PathSep, ..] => at += 1,
                [Token::Punct('{'), rest @ ..] => {
                    for branch in branches(rest) {
                        self.add_use(module, branch, &path, is_public);
                    }
                    return;
                }
                [Token::Punct('*'), ..] => {
                    self.modules[module].globs.push(path.clone());
                    if !is_public {
                        self.modules[module].paths.insert(path);
                    }
                    return;
                }
                [Token::Ident(as_), Token::Ident(name), ..] if as_ == "as" => {
                    return self.add_name(module, name.clone(), path, is_public);
                }
                [Token::Ident(segment), ..] => {
                    // `a::{self}` is `a`.
                    if segment != "self" || path.is_empty() {
                        path.push(segment.clone());
                    }
                    at += 1;
                }
                _ => at += 1,
            }
        }
        if let Some(name) = path.last().cloned() {
            self.add_name(module, name, path, is_public);
        }
    }

    fn add_name(&mut self, module: usize, name: String, path: Vec<String>, is_public: bool) {
        let module = &mut self.modules[module];
        if is_public {
            module.exports.push((name.clone(), path.clone()));
        } else {
            module.paths.insert(path.clone());
        }
        module.names.insert(name, path);
    }

    /// The module in which a path ends that is written in this one; `None` if it leads out of the crate.
    fn resolve(&self, module: usize, path: &[String], depth: usize) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => 0,
            "self" => module,
            "super" => self.modules[module].parent?,
            _ => self.step(module, first, depth)?,
        };
        rest.iter().try_fold(start, |module, segment| {
            if segment == "super" {
                return self.modules[module].parent;
            }
            // What is no module is an item of the last one: a constant, a variant, a function.
            Some(self.step(module, segment, depth).unwrap_or(module))
        })
    }

    /// The module that a name in a module leads to: a child, or where an item is defined.
    fn step(&self, module: usize, name: &str, depth: usize) -> Option<usize> {
        let Module { children, items, .. } = &self.modules[module];
        if let Some(&child) = children.get(name) {
            return Some(child);
        }
        if items.contains(name) {
            return Some(module);
        }
        if depth == 0 {
            return None;
        }
        if let Some(&known) = self.steps.borrow().get(&(depth, module)).and_then(|of_module| of_module.get(name)) {
            return known;
        }
        let found = self.follow(module, name, depth);
        self.steps.borrow_mut().entry((depth, module)).or_default().insert(name.to_owned(), found);
        found
    }

    /// Like [`step`](Graph::step), for a name that the module imports.
    fn follow(&self, module: usize, name: &str, depth: usize) -> Option<usize> {
        let Module { names, globs, .. } = &self.modules[module];
        if let Some(path) = names.get(name) {
            // A name that stands for itself, such as `use serde;`.
            return if path.as_slice() == [name] { None } else { self.resolve(module, path, depth - 1) };
        }
        globs.iter().find_map(|path| {
            let target = self.resolve(module, path, depth - 1).filter(|&target| target != module)?;
            self.step(target, name, depth - 1)
        })
    }

    /// Which file imports which, with one of the paths that do.
    fn imports(&self) -> BTreeMap<(usize, usize), String> {
        let mut imports = BTreeMap::new();
        for (number, module) in self.modules.iter().enumerate() {
            for path in &module.paths {
                let Some(target) = self.resolve(number, path, DEPTH) else { continue };
                let files = (module.file, self.modules[target].file);
                if files.0 != files.1 {
                    imports.entry(files).or_insert_with(|| path.join("::"));
                }
            }
        }
        imports
    }

    /// Every import that is part of a cycle, one a line.
    pub(super) fn describe_cycles(&self) -> String {
        let imports = self.imports();
        let reachable: Vec<BTreeSet<usize>> = (0..self.files.len()).map(|file| reachable(file, &imports)).collect();
        let mut text = String::new();
        for (&(from, to), path) in &imports {
            if reachable[to].contains(&from) {
                let _ = writeln!(text, "  {} -> {} ({path})", self.files[from].display(), self.files[to].display());
            }
        }
        text
    }
}

/// Whether the next word is a name that this one defines.
fn defines(word: &str) -> bool {
    ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules"].contains(&word)
}

/// The branches of a `use` between braces, whose opening brace was read.
fn branches(tokens: &[Token]) -> Vec<&[Token]> {
    let mut branches = Vec::new();
    let (mut depth, mut begin) = (0, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Punct('{') => depth += 1,
            Token::Punct('}') if depth == 0 => {
                branches.push(&tokens[begin..at]);
                break;
            }
            Token::Punct('}') => depth -= 1,
            Token::Punct(',') if depth == 0 => {
                branches.push(&tokens[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    branches
}

/// All files that a file imports, directly or through others.
fn reachable(file: usize, imports: &BTreeMap<(usize, usize), String>) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([file]);
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        let next = imports.range((file, 0)..(file + 1, 0)).map(|(&(_, to), _)| to);
        open.extend(next.filter(|&to| found.insert(to)));
    }
    found
}
