//! What this process and a supervisor send each other: lines of JSON through a socket, some with the ends of three pipes.

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

use crate::Tier;
use crate::error::StepError;

/// The first line: the jail to build, and the program that runs in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct JailSpec {
    /// What confines the program. In tier C nothing does: its jail only ends what is left when it is no longer needed.
    pub(super) tier: Tier,
    /// Whether its control group limits how many processes it has.
    pub(super) group_limits_tasks: bool,
    /// The program and its arguments.
    pub(super) command: Vec<OsString>,
    /// Its working directory; an absolute path.
    pub(super) directory: OsString,
    /// Its whole environment.
    pub(super) environment: Vec<(OsString, OsString)>,
    /// Files and directories that it may read; absolute paths.
    pub(super) readable: Vec<OsString>,
    /// A directory that it may write.
    pub(super) scratch: Option<OsString>,
    /// What it finds as `/data`.
    pub(super) storage: Option<StorageSpec>,
    /// How many processes and threads it may have.
    pub(super) tasks: Option<u64>,
    /// How large a file that it writes may get, in bytes.
    pub(super) file_bytes: u64,
    /// How much private memory one of its processes may ask for, in bytes.
    pub(super) data_bytes: Option<u64>,
    /// The directory of its control group.
    pub(super) cgroup: Option<OsString>,
}

/// [`Storage`](crate::Storage) with absolute paths.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StorageSpec {
    Writable { from: Option<OsString>, at: Option<OsString>, keep: Option<OsString> },
    ReadOnly(OsString),
}

/// What the supervisor is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// Start the program with the three pipes that come with this: its input, output and standard error; answered by `Started`
    /// or `NotStarted`, and then by `Ended`.
    Start,
    /// Stop everything in the jail until `Resume`; answered by `Paused`.
    Pause,
    /// Let everything continue.
    Resume,
    /// Copy the storage to where it is kept; answered by `Kept` or `NotKept`.
    Keep,
}

/// What the supervisor reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Report {
    /// The process that will build the jail and supervise it, as numbered in our pid namespace.
    Supervisor(i32),
    /// The jail is built.
    Ready,
    /// The jail cannot be built.
    Failed(StepError),
    /// The program runs.
    Started,
    /// The program cannot be started.
    NotStarted(StepError),
    /// Everything in the jail is stopped.
    Paused,
    /// The storage is copied.
    Kept,
    /// The storage cannot be copied.
    NotKept(StepError),
    /// The program has ended, and nothing but the supervisor is left in the jail.
    Ended(Ended),
}

/// How a program ended and what it used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) signal: Option<i32>,
    /// CPU time of all processes that were reaped in the jail since the program started, in microseconds.
    pub(super) cpu_us: u64,
    /// How long its first thread was on a processor, and how long it was ready to run while none was free, in nanoseconds.
    pub(super) worked_ns: u64,
    pub(super) waited_ns: u64,
    /// The peak memory of one of its processes, if that is more than what it inherited from the supervisor.
    pub(super) peak_bytes: Option<u64>,
}

/// How long a line may be: a specification names many files, and holds an environment of up to 2 MB, each byte as a number.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
const PIPES: usize = 3;

/// One end of the conversation.
#[derive(Debug)]
pub(super) struct Channel {
    socket: UnixStream,
    received: Vec<u8>,
    pipes: Vec<OwnedFd>,
}

/// What was received.
pub(super) enum Received<T> {
    Message(T),
    /// Nothing yet.
    Nothing,
    /// The other side is gone, or sends nonsense.
    End,
}

impl Channel {
    pub(super) fn new(socket: UnixStream) -> Channel {
        Channel { socket, received: Vec::new(), pipes: Vec::new() }
    }

    pub(super) fn socket(&self) -> &UnixStream {
        &self.socket
    }

    /// Sends a message. All messages fit into the socket's buffer, except a [`JailSpec`], which is read at once.
    pub(super) fn send(&self, message: &impl Serialize) -> io::Result<()> {
        self.send_with(message, &[])
    }

    /// Sends a message with the ends of pipes.
    pub(super) fn send_with(&self, message: &impl Serialize, pipes: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut text = serde_json::to_vec(message)?;
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

    /// Returns the next message, if a whole line is there. Pipes that came with it wait for [`Channel::take_pipes`].
    pub(super) fn receive<T: DeserializeOwned>(&mut self, flags: RecvFlags) -> Received<T> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.received[searched..].iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.received.drain(..=searched + end).collect();
                return serde_json::from_slice(&line).map_or(Received::End, Received::Message);
            }
            if self.received.len() > MAX_LINE_BYTES {
                return Received::End;
            }
            searched = self.received.len();
            match self.read(flags) {
                Ok(0) => return Received::End,
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return Received::Nothing,
                Err(_) => return Received::End,
            }
        }
    }

    /// Reads what is there, with pipes that come with it. Returns the number of bytes.
    fn read(&mut self, flags: RecvFlags) -> rustix::io::Result<usize> {
        let mut chunk = [0; 4 * 1024];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(PIPES))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let message = recvmsg(&self.socket, &mut [IoSliceMut::new(&mut chunk)], &mut ancillary, flags | RecvFlags::CMSG_CLOEXEC)?;
        for item in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(pipes) = item {
                self.pipes.extend(pipes);
            }
        }
        self.received.extend_from_slice(&chunk[..message.bytes]);
        Ok(message.bytes)
    }

    /// Returns the pipes that came since the last call, if there are three.
    pub(super) fn take_pipes(&mut self) -> Option<[OwnedFd; PIPES]> {
        std::mem::take(&mut self.pipes).try_into().ok()
    }
}
