//! What a bot prints during one turn, and where in it the answer is.

use super::{KEEP_RUNNING, OUTPUT_BYTES_AT_MOST, STDERR_BYTES_KEPT};

const MARKER: &[u8] = KEEP_RUNNING.as_bytes();

/// The text of one turn so far. It never holds more than one byte beyond the limit.
pub(super) struct Transcript {
    output: Vec<u8>,
    output_limit: usize,
    /// Where the first line starts that has not been judged yet.
    line: usize,
    /// How far that line is known to hold no line end: looking twice at an endless line would be quadratic.
    looked: usize,
    stderr: Vec<u8>,
    stderr_bytes: u64,
}

/// An answer, and what was printed after it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) text: Vec<u8>,
    pub(super) rest: Vec<u8>,
}

/// What makes an answer complete, besides the end of the process.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Complete {
    /// The marker line: a fresh process may print an answer of many lines.
    AtMarker,
    /// The end of its first line that is neither blank nor the marker.
    AtLineEnd,
}

impl Transcript {
    /// A turn that begins with what was left over from the last one.
    pub(super) fn new(left: Vec<u8>, output_limit: Option<u64>) -> Transcript {
        let output_limit = output_limit.unwrap_or(OUTPUT_BYTES_AT_MOST);
        Transcript {
            output: left,
            output_limit: usize::try_from(output_limit).unwrap_or(usize::MAX),
            line: 0,
            looked: 0,
            stderr: Vec::new(),
            stderr_bytes: 0,
        }
    }

    /// How many more bytes of output are of interest: one more than may be, so as to see that there are too many.
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
        let kept = bytes.len().min(STDERR_BYTES_KEPT - self.stderr.len());
        self.stderr.extend_from_slice(&bytes[..kept]);
    }

    /// Takes the answer out, once it is complete. A marker counts without its line end, too: a bot that forgets to
    /// print that should not have to wait for ever.
    pub(super) fn answer(&mut self, complete: Complete) -> Option<Answer> {
        loop {
            let unjudged = self.output[self.line..].trim_ascii_start();
            self.line = self.output.len() - unjudged.len();
            if unjudged.starts_with(MARKER) {
                let next = self.line + MARKER.len();
                match complete {
                    Complete::AtMarker => return Some(self.split(0..self.line, next)),
                    Complete::AtLineEnd => self.line = next,
                }
                continue;
            }

            let from = self.looked.max(self.line);
            let Some(length) = self.output[from..].iter().position(|&byte| byte == b'\n') else {
                self.looked = self.output.len();
                return None;
            };
            let end = from + length;
            match complete {
                Complete::AtMarker => self.line = end,
                Complete::AtLineEnd => return Some(self.split(self.line..end, end)),
            }
        }
    }

    /// Whether there is text that nobody asked for: anything but markers and blank lines. A marker that is still on
    /// its way is none, for the bot may have been paused in the middle of it.
    pub(super) fn is_unasked(&self) -> bool {
        let mut text = self.output.trim_ascii_start();
        while let Some(after) = text.strip_prefix(MARKER) {
            text = after.trim_ascii_start();
        }
        !MARKER.starts_with(text)
    }

    /// All output that has not been taken out as an answer.
    pub(super) fn output_bytes(&self) -> u64 {
        self.output.len() as u64
    }

    /// The whole output, the kept part of standard error, and the length of all of the latter.
    pub(super) fn finish(self) -> (Vec<u8>, Vec<u8>, u64) {
        (self.output, self.stderr, self.stderr_bytes)
    }

    fn split(&mut self, text: std::ops::Range<usize>, next: usize) -> Answer {
        let rest = self.output.split_off(next);
        Answer { text: self.output[text].to_vec(), rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Complete = Complete::AtMarker;
    const LINE: Complete = Complete::AtLineEnd;

    /// Feeds `printed` byte by byte (`M` is the marker) and compares the answer and the rest.
    #[track_caller]
    fn check(complete: Complete, printed: &str, expected: Option<(&str, &str)>) {
        let with_marker = |text: &str| text.replace('M', KEEP_RUNNING).into_bytes();
        let expected = expected.map(|(text, rest)| Answer { text: with_marker(text), rest: with_marker(rest) });
        let printed = with_marker(printed);

        let mut at_once = Transcript::new(Vec::new(), None);
        at_once.add_output(&printed);
        assert_eq!(at_once.answer(complete), expected, "all at once");

        let mut bytewise = Transcript::new(Vec::new(), None);
        let mut fed = 0;
        let answer = printed.iter().find_map(|byte| {
            bytewise.add_output(&[*byte]);
            fed += 1;
            bytewise.answer(complete)
        });
        assert_eq!(answer.as_ref().map(|a| &a.text), expected.as_ref().map(|a| &a.text), "byte by byte");
    }

    #[test]
    fn a_fresh_process_answers_before_the_marker() {
        check(WHOLE, "{}\nM\n", Some(("{}\n", "\n")));
        check(WHOLE, "{\n}\r\nM\r\n", Some(("{\n}\r\n", "\r\n")));
        check(WHOLE, "{}\nM", Some(("{}\n", "")));
        check(WHOLE, "M\n", Some(("", "\n")));
        check(WHOLE, "{}\n", None);
        check(WHOLE, "{}M\n", None);
        check(WHOLE, "{}\nM2\n", Some(("{}\n", "2\n")));
    }

    #[test]
    fn what_follows_the_marker_is_kept_for_the_next_turn() {
        let mut transcript = Transcript::new(Vec::new(), None);
        transcript.add_output(format!("1\n{KEEP_RUNNING}\n2\n").as_bytes());
        assert_eq!(transcript.answer(WHOLE), Some(Answer { text: b"1\n".to_vec(), rest: b"\n2\n".to_vec() }));
        assert!(Transcript::new(b"\n2\n".to_vec(), None).is_unasked());
    }

    #[test]
    fn a_kept_process_answers_with_a_line() {
        check(LINE, "{}\nM\n", Some(("{}", "\nM\n")));
        check(LINE, "\n\r\nM\n{}\n", Some(("{}", "\n")));
        check(LINE, "M{}\n", Some(("{}", "\n")));
        check(LINE, "{}", None);
        check(LINE, "\nM\n", None);
    }

    #[test]
    fn markers_and_blank_lines_may_come_unasked() {
        let is_unasked = |text: &str| Transcript::new(text.as_bytes().to_vec(), None).is_unasked();
        assert!(!is_unasked(""));
        assert!(!is_unasked(&format!("\r\n{KEEP_RUNNING}\r\n \n")));
        assert!(!is_unasked(">>>BOTZONE"));
        assert!(is_unasked("{}\n"));
        assert!(is_unasked("{"));
        assert!(is_unasked(&format!("{KEEP_RUNNING}\nx\n\n")));
    }

    #[test]
    fn text_beyond_the_limit_is_not_held() {
        let mut transcript = Transcript::new(Vec::new(), Some(4));
        transcript.add_output(b"1234");
        assert!(!transcript.overflows());
        transcript.add_output(b"56");
        assert!(transcript.overflows());
        assert_eq!((transcript.room(), transcript.output_bytes()), (0, 5));

        transcript.add_stderr(&vec![b'x'; STDERR_BYTES_KEPT - 1]);
        transcript.add_stderr(b"xyz");
        let (_, stderr, stderr_bytes) = transcript.finish();
        assert_eq!((stderr.len(), stderr_bytes), (STDERR_BYTES_KEPT, STDERR_BYTES_KEPT as u64 + 2));
    }
}
