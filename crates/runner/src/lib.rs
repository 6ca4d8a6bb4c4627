//! Runs an untrusted program: a question goes in, an [`Outcome`] comes out.
//!
//! The crate knows no game and no judge. A caller describes a [`Program`], limits it with [`Limits`], optionally confines it
//! to a [`Sandbox`], and asks it one question after another. Whatever the program does wrong is a value, never an error, and
//! none of its processes outlives it.
//!
//! Programs come as files of strangers, which [`read_input_file`] reads up to a limit.
//!
//! Without the feature `process` only [`Language`] and [`Tier`] remain, for crates that run nothing and for WebAssembly.
//!
//! ```
//! # #[cfg(all(unix, feature = "process"))] {
//! use std::sync::atomic::AtomicBool;
//! use pacman2_runner::{Limits, Outcome, Program, Question};
//!
//! let mut program = Program::new(vec!["/bin/sh".into(), "-c".into(), "read x; echo $x$x".into()], Limits::default());
//! let result = program.ask(Question::once("ab"), &AtomicBool::new(false));
//! assert_eq!(result.outcome, Outcome::Answered);
//! assert_eq!(result.output, b"abab\n");
//! # }
//! ```

#![deny(unsafe_code)]

// Its examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod language;
mod tier;

#[cfg(feature = "process")]
mod error;
#[cfg(feature = "process")]
mod input_file;
#[cfg(feature = "process")]
mod limits;
#[cfg(feature = "process")]
mod outcome;
#[cfg(feature = "process")]
mod program;
#[cfg(feature = "process")]
mod sandbox;

pub use language::{Compiler, CppStandard, Language, Library, UnknownCppStandard};
pub use tier::{ParseTierError, Tier};

#[cfg(feature = "process")]
pub use error::{ControlGroupError, SandboxPart, StepError, SystemError};
#[cfg(feature = "process")]
pub use input_file::{InputFileError, IrregularFile, open_input_file, read_beginning, read_input_file, read_limited};
#[cfg(feature = "process")]
pub use limits::{Limits, MAX_WALL_FACTOR};
#[cfg(feature = "process")]
pub use outcome::{Clock, Exit, Outcome, RunResult, SandboxError, StartError};
#[cfg(feature = "process")]
pub use program::{MAX_OUTPUT_BYTES, MAX_STDERR_BYTES, Program, Question, sweep};
#[cfg(all(feature = "process", target_os = "linux"))]
pub use program::{adopt_orphans, cpu_of_ended_descendants, own_ready_wait};
#[cfg(feature = "process")]
pub use sandbox::{
    Mounts, STORAGE_BYTES, STORAGE_FILES, Sandbox, Storage, free_tasks, lexically_normal, max_watches, supervisor_main,
};
