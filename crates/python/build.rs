//! macOS wants to be told that Python's symbols come from whoever loads the module.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
