//! One run: a question to a running program, from the line that is sent to the answer or to the limit that it exceeds.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::process::{self, Process};
use super::stopwatch::Stopwatch;
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
    stopwatch: Stopwatch,
    /// When the program is late, as far as is known. It moves while the program waits for a processor.
    deadline: Option<Instant>,
    /// How long those who watch over the program had waited for a processor at the last look.
    overseers_waited: Duration,
    /// When this thread wanted to wake up, if nothing happened before.
    wake: Instant,
    /// CPU time of all earlier runs.
    cpu_before: Duration,
    cpu_between_runs: Option<Duration>,
    /// As of the last check, since the process started.
    used: Usage,
    /// What it had been charged, and its CPU time, since when it does nothing.
    idle: Option<(Duration, Duration)>,
    /// Its input is closed, so no other question can reach it.
    input_ended: bool,
    /// When the last of its output was read.
    last_output: Option<Duration>,
}

/// Why the wait ended.
enum Ending {
    Answer(Answer),
    Exit(Exit),
    Fault(Outcome),
}

impl<'a> Run<'a> {
    /// Begins a run now.
    fn begin(mut process: Process, transcript: Transcript<'a>, complete: Complete, context: Context<'a>) -> Run<'a> {
        let overseers_waited = process.overseers_wait();
        let stopwatch = Stopwatch::start(&process.thread_times());
        let started = stopwatch.started();
        Run {
            transcript,
            complete,
            process,
            context,
            stopwatch,
            deadline: context.limits.wall.and_then(|wall| started.checked_add(wall)),
            overseers_waited,
            wake: started,
            cpu_before: Duration::ZERO,
            cpu_between_runs: None,
            used: Usage::default(),
            idle: None,
            input_ended: false,
            last_output: None,
        }
    }

    fn finish(mut self) -> (RunResult, Option<PersistentProcess>) {
        let ending = self.wait();
        let now = Instant::now();
        self.look_at_end(now);
        let wall = now - self.stopwatch.started();
        match ending {
            Ending::Answer(answer) => self.keep(answer, wall),
            Ending::Exit(exit) => self.exited(exit, wall),
            Ending::Fault(outcome) => self.give_up(outcome, wall),
        }
    }

    fn wait(&mut self) -> Ending {
        let mut next_check = self.stopwatch.started() + FIRST_CHECK;
        loop {
            // An answer that is there may count, even if it is seen too late: `lateness` decides.
            let before = self.transcript.output_bytes();
            self.process.read(&mut self.transcript);
            if self.transcript.output_bytes() > before {
                self.last_output = Some(self.stopwatch.started().elapsed());
            }
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
                self.look();
                self.end_input_if_awaited();
                let checking = now.elapsed();
                now = Instant::now();
                // A fork bomb takes long to check; at least half of the time goes to waiting.
                next_check = now + CHECK_INTERVAL.max(checking);
            }
            if self.deadline.is_some_and(|deadline| now >= deadline) && !self.postpone_deadline() {
                return Ending::Fault(Outcome::TimeOut(Clock::Wall));
            }
            self.wake = self.deadline.map_or(next_check, |deadline| deadline.min(next_check));
            self.process.wait(self.wake.saturating_duration_since(now));
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
        let charged = self.stopwatch.charged();
        let (charged_then, cpu_then) = *self.idle.get_or_insert((charged, cpu));
        if cpu.saturating_sub(cpu_then) > IDLE_CPU {
            self.idle = Some((charged, cpu));
        } else if charged.saturating_sub(charged_then) >= MAX_IDLE {
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
        if let Some(fault) = self.check().or_else(|| self.lateness()) {
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
        let outcome = match (self.fault().or_else(|| self.lateness()), exit, self.complete) {
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

    /// Moves the deadline by the time that the program was not charged for. Returns whether it is in time then, or may turn out to be.
    fn postpone_deadline(&mut self) -> bool {
        let Some(limit) = self.context.limits.wall else { return true };
        let now = self.look();
        let left = limit.saturating_sub(self.stopwatch.charged());
        let last = self.stopwatch.started().checked_add(limit.saturating_mul(MAX_WALL_FACTOR));
        self.deadline = now.checked_add(left).into_iter().chain(last).min();
        self.deadline.is_none_or(|deadline| now < deadline)
    }

    /// Takes over what the program has done until now, and returns when that is.
    fn look(&mut self) -> Instant {
        let threads = self.process.thread_times();
        let delay = self.delay_of_overseers();
        // What the threads do while they are looked at belongs to the next interval.
        let now = Instant::now();
        self.stopwatch.look(now, &threads, delay);
        now
    }

    /// The same after the program has ended or answered, which was seen now. This thread may have been late by more than the kernel
    /// knows: if all of us was stopped, for example.
    fn look_at_end(&mut self, now: Instant) {
        let threads = self.process.thread_times();
        let delay = self.delay_of_overseers().max(now.saturating_duration_since(self.wake));
        self.stopwatch.look_at_end(now, &threads, delay);
    }

    /// Returns how long those who watch over the program have waited for a processor since the last look.
    fn delay_of_overseers(&mut self) -> Duration {
        let before = std::mem::replace(&mut self.overseers_waited, self.process.overseers_wait());
        self.overseers_waited.saturating_sub(before)
    }

    /// The wall-clock limit, if the program took longer until it ended or answered.
    fn lateness(&self) -> Option<Outcome> {
        let is_late = self.context.limits.wall.is_some_and(|limit| self.stopwatch.charged() > limit);
        is_late.then_some(Outcome::TimeOut(Clock::Wall))
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
            ready_wait: wall.saturating_sub(self.stopwatch.charged()),
            cpu,
            cpu_between_runs: self.cpu_between_runs,
            memory_bytes: self.used.memory_bytes,
            exit: None,
            kept_running: false,
            input_ended: self.input_ended,
            last_output: self.last_output,
        };
        (result, self.process, self.used)
    }
}
