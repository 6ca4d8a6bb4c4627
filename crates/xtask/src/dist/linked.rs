//! The crates that are linked into what a release contains, and what their packages say about them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::cargo::{self, Metadata, Package};
use crate::process::stdout;
use crate::target::Target;

/// The packages of a release: the program, and the engine of the Python package.
const PRODUCTS: [&str; 2] = ["pacman2", "pacman2-python"];

/// A crate by its name and its version.
pub(super) type Id = (String, String);

pub(super) struct Linked {
    crates: BTreeMap<Id, Crate>,
    metadata: Metadata,
    checksums: BTreeMap<Id, String>,
}

#[derive(Default)]
pub(super) struct Crate {
    pub(super) dependencies: BTreeSet<Id>,
    /// The targets for which it is linked.
    pub(super) targets: BTreeSet<&'static str>,
}

impl Linked {
    /// Asks cargo which crates are linked for the targets of all systems, so that every machine gets the same answer.
    pub(super) fn read(root: &Path) -> anyhow::Result<Linked> {
        let mut crates = BTreeMap::<Id, Crate>::new();
        for target in Target::ALL {
            for (product, triple) in PRODUCTS.into_iter().zip([target.triple(), target.triple_for_python()]) {
                // Metadata knows the features of the whole workspace together, the tree those of one product.
                let mut tree = cargo::command(root);
                tree.args(["tree", "--locked", "--package", product, "--target", triple, "--edges", "normal,no-proc-macro"]);
                let tree = stdout(tree.args(["--prefix", "depth", "--format", " {p}"]))?;
                add_tree(&mut crates, std::str::from_utf8(&tree)?, target.triple())?;
            }
        }
        let lock: Lock = toml::from_str(&fs::read_to_string(root.join("Cargo.lock"))?).context("cannot read Cargo.lock")?;
        let checksums = lock.package.into_iter().filter_map(|package| Some(((package.name, package.version), package.checksum?)));
        Ok(Linked { crates, metadata: Metadata::read_with_dependencies(root)?, checksums: checksums.collect() })
    }

    /// Returns the version of the release.
    pub(super) fn version(&self) -> anyhow::Result<String> {
        let program = self.crates.keys().find(|(name, _)| name == PRODUCTS[0]);
        Ok(program.context("expected cargo to know pacman2, got other crates")?.1.clone())
    }

    /// Returns all crates, sorted, with their packages.
    pub(super) fn crates(&self) -> impl Iterator<Item = (&Id, &Crate, &Package)> {
        self.crates.iter().map(|(id, linked)| {
            let package = self.metadata.packages.iter().find(|package| package.name == id.0 && package.version == id.1);
            (id, linked, package.expect("cargo knows the package of every crate"))
        })
    }

    /// Returns the SHA-256 of a downloaded package.
    pub(super) fn checksum(&self, id: &Id) -> Option<&str> {
        self.checksums.get(id).map(String::as_str)
    }
}

/// Adds what cargo tree printed: in each line a depth, a name, a version and perhaps more.
fn add_tree(crates: &mut BTreeMap<Id, Crate>, tree: &str, target: &'static str) -> anyhow::Result<()> {
    let mut above: Vec<Id> = vec![];
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let (Some(depth), Some(name), Some(version)) = (words.next(), words.next(), words.next()) else {
            anyhow::bail!("expected a crate from cargo tree, got {line:?}");
        };
        let depth: usize = depth.parse().with_context(|| format!("expected a crate from cargo tree, got {line:?}"))?;
        ensure!(depth <= above.len(), "expected a crate from cargo tree at most one level deeper, got {line:?}");
        let id = (name.to_owned(), version.trim_start_matches('v').to_owned());
        above.truncate(depth);
        if let Some(parent) = above.last() {
            crates.entry(parent.clone()).or_default().dependencies.insert(id.clone());
        }
        crates.entry(id.clone()).or_default().targets.insert(target);
        above.push(id);
    }
    Ok(())
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}
