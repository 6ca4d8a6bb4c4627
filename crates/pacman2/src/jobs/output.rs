//! Results on standard output.

use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::threads::locked;

/// Writes results, each after the header that holds for it.
pub(crate) struct Output<'a> {
    /// The last header that was written.
    header: Mutex<String>,
    stop: &'a AtomicBool,
}

impl<'a> Output<'a> {
    /// `stop` is set when nothing reads the results any more.
    pub(crate) fn new(stop: &'a AtomicBool) -> Output<'a> {
        Output { header: Mutex::default(), stop }
    }

    /// Writes a line, after its header if another one was written before.
    pub(crate) fn write(&self, header: &str, line: &str) -> anyhow::Result<()> {
        let mut last = locked(&self.header);
        let mut text = String::new();
        if *last != header {
            header.clone_into(&mut last);
            text = format!("{header}\n");
        }
        text += line;
        text.push('\n');
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.stop.store(true, Ordering::Relaxed);
                Ok(())
            }
            other => Ok(other?),
        }
    }
}

/// Returns the name of this machine.
pub(crate) fn host_name() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}
