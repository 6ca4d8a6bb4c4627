//! What a program prints during one run, and where in it the answer is.

use std::collections::VecDeque;

/// How much standard output of one run is held in memory, in bytes, where
/// [`Limits::output_bytes`](crate::Limits::output_bytes) sets no limit.
pub const MAX_OUTPUT_BYTES: u64 = 64 * 1024 * 1024;

/// How much of a run's standard error is kept in [`RunResult::stderr`](crate::RunResult::stderr), in bytes: half of it from the
/// start, half from the end.
pub const MAX_STDERR_BYTES: usize = 64 * 1024;

/// The output of one run so far. It never holds more than one byte beyond the limit.
pub(super) struct Transcript<'a> {
    output: Vec<u8>,
    output_limit: usize,
    /// The line with which the program asks to keep running, if it can.
    marker: Option<&'a [u8]>,
    /// Where the first line starts that has not been examined yet.
    line: usize,
    /// How far that line is known to hold no line end: examining an endless line again and again would be quadratic.
    searched: usize,
    stderr_start: Vec<u8>,
    /// The end of what came after the start.
    stderr_end: VecDeque<u8>,
    stderr_bytes: u64,
}

/// An answer, and what was printed after it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) text: Vec<u8>,
    pub(super) rest: Vec<u8>,
}

/// What completes an answer, besides the end of the process.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Complete {
    /// The marker line: a new process may print an answer of many lines.
    AtMarker,
    /// The end of the first line that is neither blank nor the marker.
    AtLineEnd,
}

impl<'a> Transcript<'a> {
    /// Begins with what was left over from the last run.
    pub(super) fn new(leftover: Vec<u8>, output_limit: Option<u64>, marker: Option<&'a str>) -> Transcript<'a> {
        let output_limit = output_limit.unwrap_or(MAX_OUTPUT_BYTES);
        Transcript {
            output: leftover,
            output_limit: usize::try_from(output_limit).unwrap_or(usize::MAX),
            // An empty marker would be found everywhere.
            marker: marker.map(str::as_bytes).filter(|marker| !marker.is_empty()),
            line: 0,
            searched: 0,
            stderr_start: Vec::new(),
            stderr_end: VecDeque::new(),
            stderr_bytes: 0,
        }
    }

    /// Returns how many more bytes of output are of interest: one more than allowed, which shows that there are too many.
    pub(super) fn room(&self) -> usize {
        self.output_limit.saturating_add(1).saturating_sub(self.output.len())
    }

    pub(super) fn overflows(&self) -> bool {
        self.output.len() > self.output_limit
    }

    pub(super) fn add_output(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(&bytes[..bytes.len().min(self.room())]);
    }

    pub(super) fn add_stderr(&mut self, bytes: &[u8]) {
        self.stderr_bytes += bytes.len() as u64;
        let (start, end) = bytes.split_at(bytes.len().min(MAX_STDERR_BYTES / 2 - self.stderr_start.len()));
        self.stderr_start.extend_from_slice(start);
        self.stderr_end.extend(end);
        let excess = self.stderr_end.len().saturating_sub(MAX_STDERR_BYTES / 2);
        self.stderr_end.drain(..excess);
    }

    /// Takes the answer out, once it is complete. A marker counts without its line end, too: a program that forgets to
    /// print one should not have to wait until its time is over.
    pub(super) fn answer(&mut self, complete: Complete) -> Option<Answer> {
        loop {
            let rest = self.output[self.line..].trim_ascii_start();
            self.line = self.output.len() - rest.len();
            if let Some(marker) = self.marker.filter(|marker| rest.starts_with(marker)) {
                let next = self.line + marker.len();
                match complete {
                    Complete::AtMarker => return Some(self.split(0..self.line, next)),
                    Complete::AtLineEnd => self.line = next,
                }
                continue;
            }

            let from = self.searched.max(self.line);
            let Some(length) = self.output[from..].iter().position(|&byte| byte == b'\n') else {
                self.searched = self.output.len();
                return None;
            };
            let end = from + length;
            match complete {
                Complete::AtMarker => self.line = end,
                Complete::AtLineEnd => return Some(self.split(self.line..end, end)),
            }
        }
    }

    /// Returns whether there is text that was not asked for: anything but markers and blank lines. An incomplete marker does
    /// not count, because the program may have been paused in the middle of it.
    pub(super) fn is_unasked(&self) -> bool {
        let marker = self.marker.unwrap_or_default();
        let mut text = self.output.trim_ascii_start();
        while let Some(after) = text.strip_prefix(marker).filter(|_| !marker.is_empty()) {
            text = after.trim_ascii_start();
        }
        !marker.starts_with(text)
    }

    /// Returns the number of bytes of output that have not been taken out as an answer.
    pub(super) fn output_bytes(&self) -> u64 {
        self.output.len() as u64
    }

    /// Returns the whole output, the kept part of standard error, and the length of all of standard error.
    pub(super) fn finish(mut self) -> (Vec<u8>, Vec<u8>, u64) {
        self.stderr_start.extend(self.stderr_end);
        (self.output, self.stderr_start, self.stderr_bytes)
    }

    fn split(&mut self, text: std::ops::Range<usize>, next: usize) -> Answer {
        let rest = self.output.split_off(next);
        Answer { text: self.output[text].to_vec(), rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKER: &str = ">>>KEEP_RUNNING<<<";
    const WHOLE: Complete = Complete::AtMarker;
    const LINE: Complete = Complete::AtLineEnd;

    /// Feeds `printed` byte by byte (`M` is the marker) and compares the answer and the rest.
    #[track_caller]
    fn check(complete: Complete, printed: &str, expected: Option<(&str, &str)>) {
        let with_marker = |text: &str| text.replace('M', MARKER).into_bytes();
        let expected = expected.map(|(text, rest)| Answer { text: with_marker(text), rest: with_marker(rest) });
        let printed = with_marker(printed);

        let mut at_once = Transcript::new(Vec::new(), None, Some(MARKER));
        at_once.add_output(&printed);
        assert_eq!(at_once.answer(complete), expected, "all at once");

        let mut bytewise = Transcript::new(Vec::new(), None, Some(MARKER));
        let mut fed = 0;
        let answer = printed.iter().find_map(|byte| {
            bytewise.add_output(&[*byte]);
            fed += 1;
            bytewise.answer(complete)
        });
        assert_eq!(answer.as_ref().map(|a| &a.text), expected.as_ref().map(|a| &a.text), "byte by byte");
    }

    #[test]
    fn a_new_process_answers_before_the_marker() {
        check(WHOLE, "{}\nM\n", Some(("{}\n", "\n")));
        check(WHOLE, "{\n}\r\nM\r\n", Some(("{\n}\r\n", "\r\n")));
        check(WHOLE, "{}\nM", Some(("{}\n", "")));
        check(WHOLE, "M\n", Some(("", "\n")));
        check(WHOLE, "{}\n", None);
        check(WHOLE, "{}M\n", None);
        check(WHOLE, "{}\nM2\n", Some(("{}\n", "2\n")));
    }

    #[test]
    fn text_after_the_marker_is_kept_for_the_next_run() {
        let mut transcript = Transcript::new(Vec::new(), None, Some(MARKER));
        transcript.add_output(format!("1\n{MARKER}\n2\n").as_bytes());
        assert_eq!(transcript.answer(WHOLE), Some(Answer { text: b"1\n".to_vec(), rest: b"\n2\n".to_vec() }));
        assert!(Transcript::new(b"\n2\n".to_vec(), None, Some(MARKER)).is_unasked());
    }

    #[test]
    fn a_persistent_process_answers_with_a_line() {
        check(LINE, "{}\nM\n", Some(("{}", "\nM\n")));
        check(LINE, "\n\r\nM\n{}\n", Some(("{}", "\n")));
        check(LINE, "M{}\n", Some(("{}", "\n")));
        check(LINE, "{}", None);
        check(LINE, "\nM\n", None);
    }

    #[test]
    fn markers_and_blank_lines_may_come_unasked() {
        let is_unasked = |text: &str| Transcript::new(text.as_bytes().to_vec(), None, Some(MARKER)).is_unasked();
        assert!(!is_unasked(""));
        assert!(!is_unasked(&format!("\r\n{MARKER}\r\n \n")));
        assert!(!is_unasked(">>>KEEP"));
        assert!(is_unasked("{}\n"));
        assert!(is_unasked("{"));
        assert!(is_unasked(&format!("{MARKER}\nx\n\n")));
    }

    #[test]
    fn without_a_marker_only_the_exit_completes_an_answer() {
        for marker in [None, Some("")] {
            let mut transcript = Transcript::new(Vec::new(), None, marker);
            transcript.add_output(format!("{{}}\n{MARKER}\n").as_bytes());
            assert_eq!(transcript.answer(WHOLE), None);
            assert!(transcript.is_unasked());
            assert!(!Transcript::new(b" \n".to_vec(), None, marker).is_unasked());
        }
    }

    #[test]
    fn text_beyond_the_limit_is_not_held() {
        let mut transcript = Transcript::new(Vec::new(), Some(4), Some(MARKER));
        transcript.add_output(b"1234");
        assert!(!transcript.overflows());
        transcript.add_output(b"56");
        assert!(transcript.overflows());
        assert_eq!((transcript.room(), transcript.output_bytes()), (0, 5));

        transcript.add_stderr(b"start");
        transcript.add_stderr(&vec![b'x'; MAX_STDERR_BYTES]);
        transcript.add_stderr(b"end");
        let (_, stderr, stderr_bytes) = transcript.finish();
        assert_eq!((stderr.len(), stderr_bytes), (MAX_STDERR_BYTES, MAX_STDERR_BYTES as u64 + 8));
        assert!(stderr.starts_with(b"startx") && stderr.ends_with(b"xend"), "start and end are kept");
    }
}
