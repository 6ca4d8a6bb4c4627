//! No two source files of a crate import each other, directly or through others.
//!
//! A file imports another when one of its paths (`use crate::a::B`, `super::b()`, `child::C`) leads to an item that the
//! other file defines. Re-exports are followed to the definition. Neither `mod child;` nor a re-export that the file does not
//! use itself is an import.

mod graph;
mod tokens;

use std::collections::BTreeSet;
use std::path::Path;

use graph::Graph;

#[test]
fn no_files_import_each_other_in_a_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut cycles = BTreeSet::new();
    for entry in crates.read_dir().unwrap() {
        let entry = entry.unwrap();
        let src = entry.path().join("src");
        for root in ["lib.rs", "main.rs"].map(|name| src.join(name)).into_iter().filter(|root| root.is_file()) {
            let graph_for = |system| Graph::of_crate(&root, system, |file| std::fs::read_to_string(file).ok());
            let first = graph_for(0);
            let others = (1..first.systems).map(graph_for).collect::<Vec<_>>();
            for graph in std::iter::once(&first).chain(&others) {
                let text = graph.describe_cycles().replace(&format!("{}/", crates.display()), "");
                cycles.extend(text.lines().map(str::to_owned));
            }
        }
    }
    let cycles: Vec<String> = cycles.into_iter().collect();
    assert!(cycles.is_empty(), "files import each other in a circle:\n{}", cycles.join("\n"));
}

/// The cycles of a crate with these files, as one text.
fn cycles(files: &[(&str, &str)]) -> String {
    let read = |file: &Path| files.iter().find(|(name, _)| Path::new(name) == file).map(|(_, text)| (*text).to_owned());
    Graph::of_crate(Path::new("src/lib.rs"), 0, read).describe_cycles()
}

#[test]
fn two_siblings_that_import_each_other_are_reported() {
    let found = cycles(&[
        ("src/lib.rs", "mod a; mod b;"),
        ("src/a.rs", "use crate::b::B; pub struct A;"),
        ("src/b.rs", "pub struct B; fn f(_: super::a::A) {}"),
    ]);
    assert!(found.contains("src/a.rs -> src/b.rs (crate::b::B)"), "{found}");
    assert!(found.contains("src/b.rs -> src/a.rs (super::a::A)"), "{found}");
}

#[test]
fn a_declaration_alone_is_no_import() {
    assert_eq!(cycles(&[("src/lib.rs", "pub mod a; pub struct S;"), ("src/a.rs", "use crate::S;")]), "");
}

#[test]
fn a_re_export_is_an_import_only_if_the_file_uses_the_item() {
    let child = ("src/a.rs", "use crate::S; pub struct A;");
    assert_eq!(cycles(&[("src/lib.rs", "mod a; pub use a::A; pub struct S;"), child]), "");
    assert!(!cycles(&[("src/lib.rs", "mod a; pub use a::A; pub struct S(A);"), child]).is_empty());
}

#[test]
fn a_parent_that_uses_its_child_is_reported() {
    let files = [("src/lib.rs", "mod a; pub struct S; fn f() { a::g() }"), ("src/a.rs", "use super::S; pub fn g() {}")];
    assert!(!cycles(&files).is_empty());
}

#[test]
fn an_import_through_a_re_export_counts_for_the_file_that_defines_the_item() {
    let through_parent = [
        ("src/lib.rs", "mod a; mod b; pub use a::{A, other as renamed}; pub use b::*;"),
        ("src/a.rs", "pub struct A; pub fn other() {}"),
        ("src/b.rs", "use crate::{A, renamed}; pub struct B;"),
    ];
    assert_eq!(cycles(&through_parent), "");
    let mut circular = through_parent;
    circular[1].1 = "use crate::B; pub struct A; pub fn other() {}";
    assert!(cycles(&circular).contains("src/a.rs -> src/b.rs (crate::B)"));
}

#[test]
fn comments_and_strings_import_nothing() {
    let files = [
        ("src/lib.rs", "mod a; mod b;"),
        ("src/a.rs", "use crate::b::B;"),
        ("src/b.rs", "// crate::a::A\n/* /* crate::a */ crate::a::A */ pub struct B; const S: &str = r#\"crate::a::A\"#;"),
    ];
    assert_eq!(cycles(&files), "");
}

#[test]
fn modules_inside_a_file_belong_to_the_file() {
    let files = [
        ("src/lib.rs", "mod a; mod b;"),
        ("src/a.rs", "pub struct A; mod tests { use super::A; use super::super::b::B; }"),
        ("src/b.rs", "#[path = \"elsewhere.rs\"] mod c; pub struct B;"),
        ("src/b/elsewhere.rs", "use crate::a::A;"),
    ];
    assert_eq!(cycles(&files), "");
}

#[test]
fn modules_of_a_file_that_a_path_attribute_names_lie_beside_it() {
    let files = [
        ("src/lib.rs", "mod a;"),
        ("src/a.rs", "#[path = \"a/linux.rs\"] mod system;"),
        ("src/a/linux.rs", "mod b; pub struct A(b::B);"),
        ("src/a/b.rs", "use super::A; pub struct B;"),
    ];
    assert!(cycles(&files).contains("src/a/linux.rs -> src/a/b.rs (b::B)"));
}
