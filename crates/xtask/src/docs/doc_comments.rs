//! Reads the doc comments of PyO3 classes and functions from Rust sources, since the stub of the package has none.

use std::collections::BTreeMap;

use anyhow::Context;
use syn::{Attribute, Expr, Fields, ImplItem, Item, Lit, LitStr, Meta, Type};

/// Adds the doc comments of a source file. The keys are Python names: `function`, `Class` and `Class.member`.
pub(super) fn collect(source: &str, comments: &mut BTreeMap<String, String>) -> anyhow::Result<()> {
    let file = syn::parse_file(source).context("expected Rust source")?;
    let mut names = BTreeMap::new();
    let mut add = |name: String, attributes: &[Attribute]| {
        if let Some(comment) = comment(attributes) {
            comments.insert(name, comment);
        }
    };
    for item in &file.items {
        match item {
            Item::Struct(item) if has(&item.attrs, "pyclass") => {
                let name = python_name(&item.attrs).unwrap_or_else(|| item.ident.to_string());
                add(name.clone(), &item.attrs);
                if let Fields::Named(fields) = &item.fields {
                    for field in &fields.named {
                        let ident = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
                        let field_name = python_name(&field.attrs).unwrap_or(ident);
                        add(format!("{name}.{field_name}"), &field.attrs);
                    }
                }
                names.insert(item.ident.to_string(), name);
            }
            Item::Fn(item) if has(&item.attrs, "pyfunction") => {
                add(python_name(&item.attrs).unwrap_or_else(|| item.sig.ident.to_string()), &item.attrs);
            }
            _ => {}
        }
    }
    for item in &file.items {
        let Item::Impl(item) = item else { continue };
        let Type::Path(class) = &*item.self_ty else { continue };
        let class = class.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        if !has(&item.attrs, "pymethods") {
            continue;
        }
        let class = names.get(&class).unwrap_or(&class);
        for method in &item.items {
            let ImplItem::Fn(method) = method else { continue };
            let name = python_name(&method.attrs).unwrap_or_else(|| method.sig.ident.to_string());
            add(format!("{class}.{name}"), &method.attrs);
        }
    }
    Ok(())
}

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().segments.last().is_some_and(|last| last.ident == name))
}

/// Returns the Python name that an attribute sets.
fn python_name(attributes: &[Attribute]) -> Option<String> {
    let mut name = None;
    for attribute in attributes.iter().filter(|attribute| matches!(attribute.meta, Meta::List(_))) {
        // Attributes of other crates may have another syntax; they set no name.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                name = Some(meta.value()?.parse::<LitStr>()?.value());
            } else if let Ok(input) = meta.value() {
                input.parse::<Expr>()?;
            }
            Ok(())
        });
    }
    name
}

/// Returns the text of a doc comment.
fn comment(attributes: &[Attribute]) -> Option<String> {
    let mut lines = vec![];
    for attribute in attributes {
        if let Meta::NameValue(meta) = &attribute.meta
            && meta.path.is_ident("doc")
            && let Expr::Lit(literal) = &meta.value
            && let Lit::Str(line) = &literal.lit
        {
            let line = line.value();
            lines.push(line.strip_prefix(' ').unwrap_or(&line).to_owned());
        }
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_classes_and_functions() {
        let source = r#"
            /// A session.
            ///
            /// With a table.
            #[pyclass(module = "pacman2", frozen, name = "Table")]
            pub(crate) struct Session {
                /// Its seed.
                #[pyo3(get)]
                seed: u64,
            }
            #[pymethods]
            impl Session {
                /// Steps.
                #[pyo3(signature = (actions, /))]
                fn step(&self) {}
                #[getter]
                fn quiet(&self) {}
            }
            impl Session {
                /// Not for Python.
                fn inner(&self) {}
            }
            /// Names.
            #[pyfunction]
            fn bot_names() {}
        "#;
        let mut comments = BTreeMap::new();
        collect(source, &mut comments).unwrap();
        let comments: Vec<_> = comments.iter().map(|(name, comment)| (name.as_str(), comment.as_str())).collect();
        let expected = [
            ("Table", "A session.\n\nWith a table."),
            ("Table.seed", "Its seed."),
            ("Table.step", "Steps."),
            ("bot_names", "Names."),
        ];
        assert_eq!(comments, expected);
    }
}
