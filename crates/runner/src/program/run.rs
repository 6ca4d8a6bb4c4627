//! One run: a question to a running program, from the line that is sent to the answer or to the limit that it exceeds.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::process::{self, Process};
use super::transcript::{Answer, Complete, Transcript};
use super::usage::Usage;
use crate::limits::{Limits, MAX_WALL_FACTOR};
use crate::outcome::{Clock, Exit, Outcome, RunResult};

/// How often a program's usage and the stop flag are checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// When they are checked first. A check costs 0.1 ms; a small compiled program ends in less than 1 ms and is not checked.
const FIRST_CHECK: Duration = Duration::from_millis(2);

/// How long a program that has read its question may do nothing before it is taken to wait for the end of its input.
const MAX_IDLE: Duration = Duration::from_millis(100);
/// The CPU time that counts as nothing in that time: runtimes with threads of their own never stand quite still.
const IDLE_CPU: Duration = Duration::from_millis(1);

/// A process that keeps running, between two questions.
#[derive(Debug)]
pub(super) struct PersistentProcess {
    process: Process,
    /// What it printed after its answer.
    leftover: Vec<u8>,
    /// CPU time from its start to the end of its last run, if known.
    cpu: Option<Duration>,
}

/// What a run depends on besides the process and the question.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) limits: &'a Limits,
    pub(super) keep_running: Option<&'a str>,
    pub(super) stop: &'a AtomicBool,
}

/// The first run of a process; `end_input` if there will be no other.
pub(super) fn first(
    process: Process,
    line: &str,
    end_input: bool,
    context: Context<'_>,
) -> (RunResult, Option<PersistentProcess>) {
    let transcript = Transcript::new(Vec::new(), context.limits.output_bytes, context.keep_running);
    let mut run = Run::begin(process, transcript, Complete::AtMarker, context);
    run.process.send(line);
    if end_input {
        run.process.end_input();
        run.input_ended = true;
    }
    run.finish()
}

/// A later run of a process that kept running.
pub(super) fn later(persistent: PersistentProcess, line: &str, context: Context<'_>) -> (RunResult, Option<PersistentProcess>) {
    let PersistentProcess { mut process, leftover, cpu } = persistent;
    let mut transcript = Transcript::new(leftover, context.limits.output_bytes, context.keep_running);
    process.read_waiting(&mut transcript);
    // Its time has not begun, and that of other programs goes on, so the deadline of this check is now. The process is
    // paused: there is nothing to wait for.
    let used = process.usage(context.limits.memory_bytes, Some(Instant::now()));

    let mut run = Run::begin(process, transcript, Complete::AtLineEnd, context);
    run.cpu_before = cpu.unwrap_or_default();
    run.cpu_between_runs = used.cpu.zip(cpu).map(|(now, then)| now.saturating_sub(then));
    run.used = used;
    if let Some(exit) = run.process.exit() {
        return run.ended(exit, Duration::ZERO);
    }
    if run.transcript.is_unasked() {
        return run.give_up(Outcome::Unasked, Duration::ZERO);
    }
    run.process.resume();
    run.process.send(line);
    run.finish()
}

struct Run<'a> {
    process: Process,
    transcript: Transcript<'a>,
    complete: Complete,
    context: Context<'a>,
    started: Instant,
    /// When the program is late. It moves while the program waits for a processor.
    deadline: Option<Instant>,
    /// How long the program has waited for a processor in this run, and this thread before it had sent the question, as of the
    /// last deadline.
    ready_wait: Duration,
    /// How long the program had waited before this run.
    ready_wait_before: Duration,
    sending: Sending,
    /// CPU time of all earlier runs.
    cpu_before: Duration,
    cpu_between_runs: Option<Duration>,
    /// As of the last check, since the process started.
    used: Usage,
    /// Since when, and at which CPU time, it does nothing.
    idle: Option<(Instant, Duration)>,
    /// Its input is closed, so no other question can reach it.
    input_ended: bool,
}

/// The time that this thread takes to send the question, without which the program cannot begin.
struct Sending {
    /// How long this thread had waited for a processor before.
    waited_before: Duration,
    /// How long it has waited until the question was sent.
    waited: Duration,
    is_over: bool,
}

impl Sending {
    fn begin() -> Sending {
        Sending { waited_before: process::own_ready_wait(), waited: Duration::ZERO, is_over: false }
    }

    fn update(&mut self, process: &Process) {
        if !self.is_over {
            self.waited = process::own_ready_wait().saturating_sub(self.waited_before);
            self.is_over = process.has_sent_all();
        }
    }
}

/// Why the wait ended.
enum Ending {
    Answer(Answer),
    Exit(Exit),
    Fault(Outcome),
}

impl<'a> Run<'a> {
    /// Begins a run now.
    fn begin(process: Process, transcript: Transcript<'a>, complete: Complete, context: Context<'a>) -> Run<'a> {
        let ready_wait_before = process.ready_wait();
        let started = Instant::now();
        Run {
            transcript,
            complete,
            process,
            context,
            started,
            deadline: context.limits.wall.and_then(|wall| started.checked_add(wall)),
            ready_wait: Duration::ZERO,
            ready_wait_before,
            sending: Sending::begin(),
            cpu_before: Duration::ZERO,
            cpu_between_runs: None,
            used: Usage::default(),
            idle: None,
            input_ended: false,
        }
    }

    fn finish(mut self) -> (RunResult, Option<PersistentProcess>) {
        let ending = self.wait();
        let wall = self.started.elapsed();
        match ending {
            Ending::Answer(answer) => self.keep(answer, wall),
            Ending::Exit(exit) => self.exited(exit, wall),
            Ending::Fault(outcome) => self.give_up(outcome, wall),
        }
    }

    fn wait(&mut self) -> Ending {
        let mut next_check = self.started + FIRST_CHECK;
        loop {
            self.sending.update(&self.process);
            // An answer that is there counts, even if it is seen a little late.
            self.process.read(&mut self.transcript);
            if let Some(answer) = self.transcript.answer(self.complete) {
                return Ending::Answer(answer);
            }
            if self.transcript.overflows() {
                return Ending::Fault(Outcome::OutputOut);
            }
            if let Some(exit) = self.process.exit() {
                return Ending::Exit(exit);
            }

            let mut now = Instant::now();
            if now >= next_check {
                if self.context.stop.load(Ordering::Relaxed) {
                    return Ending::Fault(Outcome::Stopped);
                }
                if let Some(fault) = self.check() {
                    return Ending::Fault(fault);
                }
                self.end_input_if_awaited();
                let checking = now.elapsed();
                now = Instant::now();
                // A fork bomb takes long to check; at least half of the time goes to waiting.
                next_check = now + CHECK_INTERVAL.max(checking);
            }
            if self.deadline.is_some_and(|deadline| now >= deadline) && !self.postpone_deadline(now) {
                return Ending::Fault(Outcome::TimeOut(Clock::Wall));
            }
            let wake = self.deadline.map_or(next_check, |deadline| deadline.min(next_check));
            self.process.wait(wake.saturating_duration_since(now));
        }
    }

    /// Ends the input of a program that seems to wait for that.
    ///
    /// Many programs read to the end of their input, before they answer or after, in a loop over all lines; yet the input
    /// must stay open for those that keep running. It cannot be seen from outside what a program waits for. But one that has
    /// read its question, has not asked to keep running and does not compute will hardly do anything else. This works on
    /// Linux only: elsewhere its CPU time is not known.
    fn end_input_if_awaited(&mut self) {
        let waits = self.complete == Complete::AtMarker && !self.input_ended && self.process.has_read_all();
        let (true, Some(cpu)) = (waits, self.used.cpu) else {
            self.idle = None;
            return;
        };
        let now = Instant::now();
        let (since, cpu_then) = *self.idle.get_or_insert((now, cpu));
        if cpu.saturating_sub(cpu_then) > IDLE_CPU {
            self.idle = Some((now, cpu));
        } else if now - since >= MAX_IDLE {
            self.process.end_input();
            self.input_ended = true;
        }
    }

    /// The program answered and asked to keep running: pauses it.
    fn keep(mut self, answer: Answer, wall: Duration) -> (RunResult, Option<PersistentProcess>) {
        if self.input_ended {
            // No question can reach it any more, so it will be started afresh.
            let (mut result, _) = self.give_up(Outcome::Answered, wall);
            result.output = answer.text;
            return (result, None);
        }
        self.process.pause();
        if let Some(fault) = self.check() {
            return self.give_up(fault, wall);
        }
        process::sweep();

        let (mut result, process, used) = self.report(Outcome::Answered, wall);
        result.output = answer.text;
        result.kept_running = true;
        (result, Some(PersistentProcess { process, leftover: answer.rest, cpu: used.cpu }))
    }

    /// The process exited, perhaps with an answer that has not been read yet.
    fn exited(mut self, exit: Exit, wall: Duration) -> (RunResult, Option<PersistentProcess>) {
        self.process.clear(&mut self.transcript);
        match self.transcript.answer(self.complete) {
            // It answered, asked to keep running, and ended before that was seen: this counts as if it had ended a moment
            // later, between the runs. The next run will find it dead.
            Some(answer) => self.keep(answer, wall),
            None => self.ended(exit, wall),
        }
    }

    fn ended(mut self, exit: Exit, wall: Duration) -> (RunResult, Option<PersistentProcess>) {
        let used = self.process.end();
        self.used.raise(used);
        let outcome = match (self.fault(), exit, self.complete) {
            (Some(fault), ..) => fault,
            _ if self.process.is_lost() => Outcome::BrokeDown,
            _ if self.transcript.overflows() => Outcome::OutputOut,
            (None, Exit::Code(0), Complete::AtMarker) => Outcome::Answered,
            _ => Outcome::Crashed,
        };
        let (mut result, ..) = self.report(outcome, wall);
        result.exit = Some(exit);
        (result, None)
    }

    fn give_up(mut self, outcome: Outcome, wall: Duration) -> (RunResult, Option<PersistentProcess>) {
        let used = self.process.end();
        self.used.raise(used);
        (self.report(outcome, wall).0, None)
    }

    /// Moves the deadline by the time in which the program waited for a processor. Returns whether it is in time then.
    ///
    /// What its threads waited for counts in sum, because they may have waited for one another. A program can make itself wait
    /// by starting many, but its CPU time is limited as well, so it gains nothing.
    fn postpone_deadline(&mut self, now: Instant) -> bool {
        let Some(limit) = self.context.limits.wall else { return true };
        let ready_wait = self.process.ready_wait().saturating_sub(self.ready_wait_before) + self.sending.waited;
        self.ready_wait = self.ready_wait.max(ready_wait.min(now - self.started));
        let longest = limit.saturating_mul(MAX_WALL_FACTOR);
        self.deadline = self.started.checked_add(limit.saturating_add(self.ready_wait).min(longest));
        self.deadline.is_none_or(|deadline| now < deadline)
    }

    /// Measures the program, and returns the limit that it exceeds.
    fn check(&mut self) -> Option<Outcome> {
        let used = self.process.usage(self.context.limits.memory_bytes, self.deadline);
        self.used.raise(used);
        self.fault()
    }

    fn fault(&self) -> Option<Outcome> {
        let limits = self.context.limits;
        let over = |used: Option<u64>, limit: Option<u64>| used.zip(limit).is_some_and(|(used, limit)| used > limit);
        if self.used.memory_out || over(self.used.memory_bytes, limits.memory_bytes) {
            return Some(Outcome::MemoryOut);
        }
        if over(self.used.tasks, limits.tasks) {
            return Some(Outcome::TasksOut);
        }
        let late = self.cpu().zip(limits.cpu).is_some_and(|(used, limit)| used > limit);
        late.then_some(Outcome::TimeOut(Clock::Cpu))
    }

    /// CPU time of this run, including that since the last one.
    fn cpu(&self) -> Option<Duration> {
        self.used.cpu.map(|cpu| cpu.saturating_sub(self.cpu_before))
    }

    fn report(self, outcome: Outcome, wall: Duration) -> (RunResult, Process, Usage) {
        let (cpu, output_bytes) = (self.cpu(), self.transcript.output_bytes());
        let (output, stderr, stderr_bytes) = self.transcript.finish();
        let result = RunResult {
            outcome,
            output,
            stderr,
            stderr_bytes,
            output_bytes,
            wall,
            ready_wait: self.ready_wait,
            cpu,
            cpu_between_runs: self.cpu_between_runs,
            memory_bytes: self.used.memory_bytes,
            exit: None,
            kept_running: false,
            input_ended: self.input_ended,
        };
        (result, self.process, self.used)
    }
}
