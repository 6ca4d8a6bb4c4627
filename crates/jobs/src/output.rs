//! Results on standard output.

use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::threads::locked;

/// Writes results, each after the header that holds for it.
pub struct Output<'a> {
    /// The last header that was written.
    header: Mutex<String>,
    stop: &'a AtomicBool,
}

impl<'a> Output<'a> {
    /// `stop` is set when nothing reads the results any more.
    pub fn new(stop: &'a AtomicBool) -> Output<'a> {
        Output { header: Mutex::default(), stop }
    }

    /// Writes a header, unless it was the last one.
    pub fn begin(&self, header: &str) -> anyhow::Result<()> {
        self.write_after(header, "")
    }

    /// Writes a line, after its header if another one was written before.
    pub fn write(&self, header: &str, line: &str) -> anyhow::Result<()> {
        self.write_after(header, &format!("{line}\n"))
    }

    fn write_after(&self, header: &str, text: &str) -> anyhow::Result<()> {
        let mut last = locked(&self.header);
        let mut out = io::stdout().lock();
        let mut written = Ok(());
        if *last != header {
            header.clone_into(&mut last);
            written = writeln!(out, "{header}");
        }
        match written.and_then(|()| out.write_all(text.as_bytes())).and_then(|()| out.flush()) {
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
