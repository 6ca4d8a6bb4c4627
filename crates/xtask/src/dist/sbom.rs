//! The bill of materials: a CycloneDX document that lists what is linked into the products of a release.

use std::fs;

use anyhow::Context;
use serde_json::{Value, json};

use super::linked::{Id, Linked};
use crate::cargo::Package;
use crate::target::Target;

/// Returns the document. It covers the targets of all systems; components that not all of them have name theirs.
pub(super) fn document(linked: &Linked, version: &str, time: &str, rustc: &str) -> anyhow::Result<String> {
    let (mut components, mut dependencies) = (vec![], vec![]);
    for (id, found, package) in linked.crates() {
        let mut component = json!({
            "type": "library",
            "bom-ref": reference(id),
            "name": id.0,
            "version": id.1,
            "licenses": licences(package),
        });
        if package.source.is_some() {
            component["purl"] = json!(format!("pkg:cargo/{}@{}", id.0, id.1.replace('+', "%2B")));
        }
        if let Some(checksum) = linked.checksum(id) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
        }
        if found.targets.len() < Target::ALL.len() {
            let of = |target| json!({ "name": "pacman2:target", "value": target });
            component["properties"] = found.targets.iter().map(of).collect();
        }
        components.push(component);
        let mut depends_on: Vec<String> = found.dependencies.iter().map(reference).collect();
        if id.0 == "libsqlite3-sys" {
            let sqlite = sqlite(package)?;
            depends_on.push(sqlite["bom-ref"].as_str().expect("it has one").to_owned());
            dependencies.push(json!({ "ref": sqlite["bom-ref"] }));
            components.push(sqlite);
        }
        dependencies.push(json!({ "ref": reference(id), "dependsOn": depends_on }));
    }
    components.push(json!({
        "type": "library", "bom-ref": "rust-std", "name": "rust-std", "version": rustc,
        "description": "Rust's standard library",
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
    }));
    components.push(json!({
        "type": "library", "bom-ref": "musl", "name": "musl",
        "description": "the C library of programs for Linux, as Rust's standard library contains it",
        "licenses": [{ "expression": "MIT" }],
    }));
    dependencies.push(json!({ "ref": "rust-std", "dependsOn": ["musl"] }));
    dependencies.push(json!({ "ref": "musl" }));
    dependencies.push(json!({ "ref": "release", "dependsOn": [of_workspace("pacman2", version), of_workspace("pacman2-python", version), "rust-std".to_owned()] }));
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": time,
            "component": {
                "type": "application", "bom-ref": "release", "name": "pacman2", "version": version,
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": components,
        "dependencies": dependencies,
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn reference((name, version): &Id) -> String {
    of_workspace(name, version)
}

fn of_workspace(name: &str, version: &str) -> String {
    format!("crate:{name}@{version}")
}

/// Returns the licence as an expression of SPDX. Old packages separate alternatives by a slash.
fn licences(package: &Package) -> Value {
    package.license.iter().map(|licence| json!({ "expression": licence.replace('/', " OR ") })).collect()
}

/// Returns SQLite, which is compiled from the sources in a crate, with the version in its header.
fn sqlite(package: &Package) -> anyhow::Result<Value> {
    let header = package.folder().join("sqlite3/sqlite3.h");
    let text = fs::read_to_string(&header).with_context(|| format!("cannot read {}", header.display()))?;
    let version = text.lines().find_map(|line| line.strip_prefix("#define SQLITE_VERSION ")?.trim().trim_matches('"').into());
    let version: &str = version.with_context(|| format!("expected SQLITE_VERSION in {}, got none", header.display()))?;
    Ok(json!({
        "type": "library", "bom-ref": "sqlite", "name": "sqlite", "version": version,
        "purl": format!("pkg:generic/sqlite@{version}"),
        "licenses": [{ "expression": "blessing" }],
    }))
}
