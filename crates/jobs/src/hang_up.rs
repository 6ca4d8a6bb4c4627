//! Notices when the reader of standard output is gone.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Sets the flag as soon as nothing reads standard output any more. Where that cannot be watched, writing to it fails later.
#[cfg(target_os = "linux")]
pub fn stop_on_hang_up(stop: &Arc<AtomicBool>) {
    use std::sync::atomic::Ordering;
    use std::{io, thread};

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;

    let stop = Arc::clone(stop);
    thread::spawn(move || {
        let stdout = io::stdout();
        loop {
            // An error or a hang-up is reported even if nothing is asked for.
            let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
            match poll(&mut watched, None) {
                Ok(_) if watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) => break,
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// Does nothing: this system does not report it.
#[cfg(not(target_os = "linux"))]
pub fn stop_on_hang_up(_stop: &Arc<AtomicBool>) {}
