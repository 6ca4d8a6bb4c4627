//! Programs with which a test talks line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::common::{PATIENCE, TestDir, json};

/// A program that reads and writes lines of JSON.
pub(crate) struct LineProcess {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: Receiver<Value>,
}

impl LineProcess {
    pub(crate) fn start(dir: &TestDir, line: &str) -> LineProcess {
        let mut command = dir.command(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, output) = mpsc::channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(json(&line))));
        LineProcess { input: child.stdin.take(), child, output }
    }

    /// Returns the next line of output; `None` at its end.
    pub(crate) fn read(&mut self) -> Option<Value> {
        match self.output.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the program writes nothing"),
        }
    }

    pub(crate) fn write(&mut self, line: &str) {
        // The program may have ended.
        let _ = writeln!(self.input.as_mut().unwrap(), "{line}");
    }

    /// Reads up to the next line with this key.
    #[track_caller]
    pub(crate) fn read_until(&mut self, key: &str) -> Value {
        loop {
            let line = self.read().unwrap_or_else(|| panic!("the output ends without {key}"));
            if line.get(key).is_some() {
                return line;
            }
        }
    }

    /// Ends the input, waits for the end, and returns the exit code.
    pub(crate) fn code(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }
}

/// Forwards lines between a run and a process that plays its jobs, until the run ends. Each result is sent twice. Returns the last
/// event, and the number of results.
pub(crate) fn connect(run: &mut LineProcess, play: &mut LineProcess) -> (Value, usize) {
    let mut results = 0;
    loop {
        while let Ok(line) = play.output.try_recv() {
            results += usize::from(line.get("result").is_some());
            run.write(&line.to_string());
            run.write(&line.to_string());
        }
        match run.output.recv_timeout(Duration::from_millis(5)) {
            Ok(line) if line["event"] == "end" => return (line, results),
            Ok(line) if ["pacman2", "net", "program", "job"].iter().any(|key| line.get(key).is_some()) => {
                play.write(&line.to_string());
            }
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => panic!("the run ends without an event"),
        }
    }
}

impl Drop for LineProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
