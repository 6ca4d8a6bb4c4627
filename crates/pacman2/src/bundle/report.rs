//! What `pacman2 bundle` says of its result.

use pacman2_console::stdout::stdout;
use std::fmt::Write as _;
use std::io::{self, Write};

use pacman2_bot_source::bundle::Bundle;
use pacman2_bot_source::check::Report;
use pacman2_console::json_output::labelled;
use pacman2_console::text::{counted, sanitize, with_commas};
use serde_json::json;

use super::options::{BundleOptions, Target};

/// Prints the size, the files, and what the check has found. If the bundle itself went to standard output, this goes to standard error.
pub(super) fn print(options: &BundleOptions, bundle: &Bundle, check: Option<&Report>) -> io::Result<()> {
    let Target::File(file) = &options.target else {
        eprint!("{}", text("standard output", bundle, check));
        return Ok(());
    };
    let path = sanitize(&file.path.display().to_string());
    let text = if options.json {
        let check = check.map(Report::for_machines);
        let Bundle { text, files, sections, data, notes, .. } = bundle;
        let report = json!({
            "file": path, "bytes": text.len(), "files": files, "sections": sections, "data": data, "notes": notes, "check": check,
        });
        format!("{}\n", labelled("bundle", report))
    } else {
        text(&path, bundle, check)
    };
    stdout().write_all(text.as_bytes())
}

fn text(name: &str, bundle: &Bundle, check: Option<&Report>) -> String {
    let Bundle { text: source, files, sections, data, notes, .. } = bundle;
    let mut text = String::new();
    if let Some(report) = check.filter(|report| !report.is_fine()) {
        text = format!("{}\n", report.for_people());
    }
    let _ = writeln!(text, "{name}: {} bytes, from {}", with_commas(source.len()), files.join(", "));
    if !sections.is_empty() {
        let _ = writeln!(text, "sections of the header: {}", sections.join(", "));
    }
    if !data.is_empty() {
        let _ = writeln!(text, "to upload to your storage on Botzone: {}", data.join(", "));
    }
    for note in notes {
        let _ = writeln!(text, "Note: {note}");
    }
    if let Some(report) = check {
        let (questions, time, memory) = report.highest_costs();
        let memory = memory.map_or_else(String::new, |bytes| format!(", most memory {} MB", bytes.div_ceil(1024 * 1024)));
        let found = if report.is_fine() { "no faults found" } else { "faults found, see above" };
        let _ = writeln!(
            text,
            "checked with {}: {found}; slowest answer {} ms{memory}",
            counted(questions, "question"),
            time.as_millis()
        );
    }
    text
}
