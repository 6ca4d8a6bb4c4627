//! What a judge and a warden say to each other: lines of JSON through a socket, once with the ends of three pipes.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::StepError;

/// The first line: what the jail is to be, and whom it is for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct JailSpec {
    /// In namespaces of its own: tier A.
    pub(super) namespaces: bool,
    /// The bot's program and its arguments.
    pub(super) command: Vec<OsString>,
    /// Where it runs; an absolute path.
    pub(super) directory: OsString,
    /// Its whole environment.
    pub(super) environment: Vec<(OsString, OsString)>,
    /// Files and folders that it may read, absolute paths.
    pub(super) readable: Vec<OsString>,
    /// A folder that it may write.
    pub(super) scratch: Option<OsString>,
    /// How many processes and threads it may have.
    pub(super) tasks: Option<u64>,
    /// How large a file that it writes may get, in bytes.
    pub(super) file_bytes: u64,
    /// How much private memory one of its processes may ask for, in bytes.
    pub(super) data_bytes: Option<u64>,
    /// The folder of its control group.
    pub(super) cgroup: Option<OsString>,
}

/// What the judge asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ask {
    /// Start the bot on the three pipes that come with this: its input, its output, its standard error.
    Start,
    /// Stop everything in the jail until it is to go on.
    Pause,
    /// Let everything go on.
    Resume,
}

/// What the warden tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tell {
    /// The process that will build the jail and keep it, as the judge numbers it.
    Warden(i32),
    /// The jail stands.
    Ready,
    /// The jail cannot be built; the text says what failed and why.
    Failed(StepError),
    /// The bot runs.
    Started,
    /// The program cannot be started.
    NotStarted(StepError),
    /// Everything in the jail is stopped.
    Paused,
    /// The bot has ended, and nothing is left in the jail but the warden.
    Ended(Ended),
}

/// How a bot ended and what it used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) signal: Option<i32>,
    /// CPU time of all that was reaped in the jail since the bot started, in microseconds.
    pub(super) cpu_us: u64,
    /// The peak memory of one of its processes, if that is more than what it inherited from the warden.
    pub(super) peak_bytes: Option<u64>,
}

/// How long a line may be: a spec names many files.
const LINE_BYTES: usize = 1024 * 1024;
const PIPES: usize = 3;

/// One end of the conversation.
#[derive(Debug)]
pub(super) struct Line {
    socket: UnixStream,
    heard: Vec<u8>,
    pipes: Vec<OwnedFd>,
}

/// What was heard.
pub(super) enum Heard<T> {
    Said(T),
    /// Nothing yet.
    Nothing,
    /// The other side is gone, or talks nonsense.
    End,
}

impl Line {
    pub(super) fn new(socket: UnixStream) -> Line {
        Line { socket, heard: Vec::new(), pipes: Vec::new() }
    }

    pub(super) fn socket(&self) -> &UnixStream {
        &self.socket
    }

    /// Says something. What is said fits the socket's buffer, but for a spec, which is read at once.
    pub(super) fn say(&self, what: &impl Serialize) -> io::Result<()> {
        self.say_with(what, &[])
    }

    /// Says something, with the ends of pipes.
    pub(super) fn say_with(&self, what: &impl Serialize, pipes: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut text = serde_json::to_vec(what)?;
        text.push(b'\n');
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(PIPES))];
        let mut sent = 0;
        while sent < text.len() {
            let mut ancillary = SendAncillaryBuffer::new(&mut space);
            if sent == 0 && !pipes.is_empty() {
                ancillary.push(SendAncillaryMessage::ScmRights(pipes));
            }
            match sendmsg(&self.socket, &[IoSlice::new(&text[sent..])], &mut ancillary, SendFlags::NOSIGNAL) {
                Ok(length) => sent += length,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// What was said, if a whole line is there by now. Pipes that came with it wait for [`Line::take_pipes`].
    pub(super) fn hear<T: DeserializeOwned>(&mut self, flags: RecvFlags) -> Heard<T> {
        loop {
            if let Some(end) = self.heard.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.heard.drain(..=end).collect();
                return serde_json::from_slice(&line).map_or(Heard::End, Heard::Said);
            }
            if self.heard.len() > LINE_BYTES {
                return Heard::End;
            }
            let mut chunk = [0; 16 * 1024];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(PIPES))];
            let mut ancillary = RecvAncillaryBuffer::new(&mut space);
            let flags = flags | RecvFlags::CMSG_CLOEXEC;
            match recvmsg(&self.socket, &mut [IoSliceMut::new(&mut chunk)], &mut ancillary, flags) {
                Ok(message) if message.bytes == 0 => return Heard::End,
                Ok(message) => {
                    for came in ancillary.drain() {
                        if let RecvAncillaryMessage::ScmRights(pipes) = came {
                            self.pipes.extend(pipes);
                        }
                    }
                    self.heard.extend_from_slice(&chunk[..message.bytes]);
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return Heard::Nothing,
                Err(_) => return Heard::End,
            }
        }
    }

    /// The pipes that came since this was called last, if they are three.
    pub(super) fn take_pipes(&mut self) -> Option<[OwnedFd; PIPES]> {
        std::mem::take(&mut self.pipes).try_into().ok()
    }
}
