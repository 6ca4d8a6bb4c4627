//! One question to a running bot, from the line sent to the answer or the limit that it broke.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::process::{self, Process};
use super::transcript::{Answer, Complete, Transcript};
use super::{Clock, Exit, Outcome, RunResult};
use crate::limits::Limits;

/// How often a waiting judge looks at what the bot uses, and whether the match goes on.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// When it looks first. A look costs 0.1 ms; a small compiled bot is through in less than 1 ms and is not looked at.
const FIRST_LOOK: Duration = Duration::from_millis(2);

/// How long a bot that has read its question may do nothing before it is taken to wait for the end of its input.
const IDLE_AT_MOST: Duration = Duration::from_millis(100);
/// What counts as nothing in that time: runtimes with threads of their own never stand quite still.
const IDLE_CPU: Duration = Duration::from_millis(1);

/// A bot that keeps running, as it is between two turns.
#[derive(Debug)]
pub(super) struct Kept {
    process: Process,
    /// What it printed after its answer.
    left: Vec<u8>,
    /// CPU time from its start to the end of its last turn, if known.
    cpu: Option<Duration>,
}

/// What a bot and its descendants have used since it started, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) cpu: Option<Duration>,
    /// The peak, in bytes.
    pub(crate) memory_bytes: Option<u64>,
    /// Processes and threads, as of the last look.
    pub(crate) tasks: Option<u64>,
    /// The system has refused it more memory, and ended it for that.
    pub(crate) memory_out: bool,
}

/// A process's first turn, from its question on; `end_input` if there will be no other.
pub(super) fn first(
    mut process: Process,
    line: &str,
    end_input: bool,
    limits: &Limits,
    stop: &AtomicBool,
) -> (RunResult, Option<Kept>) {
    process.send(line);
    if end_input {
        process.end_input();
    }
    let started = process.started();
    let turn = Turn {
        transcript: Transcript::new(Vec::new(), limits.output_bytes),
        complete: Complete::AtMarker,
        process,
        limits,
        stop,
        started,
        cpu_before: Duration::ZERO,
        cpu_between_turns: None,
        used: Usage::default(),
        idle: None,
        input_ended: end_input,
    };
    turn.play()
}

/// A later turn of a process that kept running.
pub(super) fn later(kept: Kept, line: &str, limits: &Limits, stop: &AtomicBool) -> (RunResult, Option<Kept>) {
    let Kept { mut process, left, cpu } = kept;
    let mut transcript = Transcript::new(left, limits.output_bytes);
    process.read_waiting(&mut transcript);
    // Its time has not begun, and the others' goes on: no patience. It stands still, so there is nothing to wait for.
    let used = process.usage(limits.memory_bytes, Some(Instant::now()));

    let mut turn = Turn {
        transcript,
        complete: Complete::AtLineEnd,
        process,
        limits,
        stop,
        started: Instant::now(),
        cpu_before: cpu.unwrap_or_default(),
        cpu_between_turns: used.cpu.zip(cpu).map(|(now, then)| now.saturating_sub(then)),
        used,
        idle: None,
        input_ended: false,
    };
    if let Some(exit) = turn.process.exit() {
        return turn.ended(exit, Duration::ZERO);
    }
    if turn.transcript.is_unasked() {
        return turn.give_up(Outcome::Unasked, Duration::ZERO);
    }
    turn.ask_on(line)
}

impl Usage {
    /// Takes over what a newer look has found. No look sees everything: a descendant's time is gone with it.
    fn raise(&mut self, newer: Usage) {
        self.cpu = self.cpu.max(newer.cpu);
        self.memory_bytes = self.memory_bytes.max(newer.memory_bytes);
        self.tasks = newer.tasks;
        self.memory_out |= newer.memory_out;
    }
}

struct Turn<'a> {
    process: Process,
    transcript: Transcript,
    complete: Complete,
    limits: &'a Limits,
    stop: &'a AtomicBool,
    started: Instant,
    /// CPU time of all earlier turns.
    cpu_before: Duration,
    cpu_between_turns: Option<Duration>,
    /// As of the last look, since the process started.
    used: Usage,
    /// Since when, and at which CPU time, it does nothing.
    idle: Option<(Instant, Duration)>,
    /// Its input is closed, so it can hear no other question.
    input_ended: bool,
}

/// Why the judge stopped waiting.
enum Ending {
    Answer(Answer),
    Exit(Exit),
    Fault(Outcome),
}

impl Turn<'_> {
    fn ask_on(mut self, line: &str) -> (RunResult, Option<Kept>) {
        self.process.resume();
        self.process.send(line);
        self.play()
    }

    fn play(mut self) -> (RunResult, Option<Kept>) {
        let ending = self.wait();
        let wall = self.started.elapsed();
        match ending {
            Ending::Answer(answer) => self.keep(answer, wall),
            Ending::Exit(exit) => self.conclude(exit, wall),
            Ending::Fault(outcome) => self.give_up(outcome, wall),
        }
    }

    fn wait(&mut self) -> Ending {
        let deadline = self.deadline();
        let mut next_look = self.started + FIRST_LOOK;
        loop {
            // An answer that is there counts, even if we come a little late to see it.
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
            if now >= next_look {
                if self.stop.load(Ordering::Relaxed) {
                    return Ending::Fault(Outcome::Stopped);
                }
                if let Some(fault) = self.look() {
                    return Ending::Fault(fault);
                }
                self.end_input_if_awaited();
                let looking = now.elapsed();
                now = Instant::now();
                // A fork bomb takes long to look at, and shall not have us do nothing else.
                next_look = now + LOOK_EVERY.max(looking);
            }
            if deadline.is_some_and(|deadline| now >= deadline) {
                return Ending::Fault(Outcome::TimeOut(Clock::Wall));
            }
            let wake = deadline.map_or(next_look, |deadline| deadline.min(next_look));
            self.process.wait(wake.saturating_duration_since(now));
        }
    }

    /// Many a bot reads to the end of its input, which must stay open for those that keep running; before it answers, or
    /// after, in a loop over all lines. Nobody can see from outside what a bot waits for; but one that has read its
    /// question, has not asked to keep running and does not compute will hardly do anything else. On Linux only: elsewhere
    /// its CPU time is not known.
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
        } else if now - since >= IDLE_AT_MOST {
            self.process.end_input();
            self.input_ended = true;
        }
    }

    /// The bot answered and keeps running: pause it.
    fn keep(mut self, answer: Answer, wall: Duration) -> (RunResult, Option<Kept>) {
        if self.input_ended {
            // It asks to be kept, but no question can reach it any more: it will be started afresh.
            let (mut run, _) = self.give_up(Outcome::Answered, wall);
            run.output = answer.text;
            return (run, None);
        }
        self.process.pause();
        if let Some(fault) = self.look() {
            return self.give_up(fault, wall);
        }
        process::sweep();

        let (mut run, process, used) = self.report(Outcome::Answered, wall);
        run.output = answer.text;
        run.kept_running = true;
        (run, Some(Kept { process, left: answer.rest, cpu: used.cpu }))
    }

    /// The process ended by itself, perhaps with an answer that we have not read yet.
    fn conclude(mut self, exit: Exit, wall: Duration) -> (RunResult, Option<Kept>) {
        self.process.clear(&mut self.transcript);
        match self.transcript.answer(self.complete) {
            // It answered, was to be kept, and ended before we looked: as if it had ended a moment later, between the
            // turns. The next turn will find it dead.
            Some(answer) => self.keep(answer, wall),
            None => self.ended(exit, wall),
        }
    }

    fn ended(mut self, exit: Exit, wall: Duration) -> (RunResult, Option<Kept>) {
        let used = self.process.end();
        self.used.raise(used);
        let outcome = match (self.fault(), exit, self.complete) {
            (Some(fault), ..) => fault,
            _ if self.transcript.overflows() => Outcome::OutputOut,
            (None, Exit::Code(0), Complete::AtMarker) => Outcome::Answered,
            _ => Outcome::Crashed,
        };
        let (mut run, ..) = self.report(outcome, wall);
        run.exit = Some(exit);
        (run, None)
    }

    fn give_up(mut self, outcome: Outcome, wall: Duration) -> (RunResult, Option<Kept>) {
        let used = self.process.end();
        self.used.raise(used);
        (self.report(outcome, wall).0, None)
    }

    fn deadline(&self) -> Option<Instant> {
        self.limits.wall.and_then(|wall| self.started.checked_add(wall))
    }

    /// Measures the bot, and says which limit it is over.
    fn look(&mut self) -> Option<Outcome> {
        let used = self.process.usage(self.limits.memory_bytes, self.deadline());
        self.used.raise(used);
        self.fault()
    }

    fn fault(&self) -> Option<Outcome> {
        let over = |used: Option<u64>, limit: Option<u64>| used.zip(limit).is_some_and(|(used, limit)| used > limit);
        if self.used.memory_out || over(self.used.memory_bytes, self.limits.memory_bytes) {
            return Some(Outcome::MemoryOut);
        }
        if over(self.used.tasks, self.limits.tasks) {
            return Some(Outcome::TasksOut);
        }
        let late = self.cpu().zip(self.limits.cpu).is_some_and(|(used, limit)| used > limit);
        late.then_some(Outcome::TimeOut(Clock::Cpu))
    }

    /// CPU time of this turn, with that since the last one.
    fn cpu(&self) -> Option<Duration> {
        self.used.cpu.map(|cpu| cpu.saturating_sub(self.cpu_before))
    }

    fn report(self, outcome: Outcome, wall: Duration) -> (RunResult, Process, Usage) {
        let (cpu, output_bytes) = (self.cpu(), self.transcript.output_bytes());
        let (output, stderr, stderr_bytes) = self.transcript.finish();
        let run = RunResult {
            outcome,
            output,
            stderr,
            stderr_bytes,
            output_bytes,
            wall,
            cpu,
            cpu_between_turns: self.cpu_between_turns,
            memory_bytes: self.used.memory_bytes,
            exit: None,
            kept_running: false,
            input_ended: self.input_ended,
        };
        (run, self.process, self.used)
    }
}
