//! `pacman2 doctor`: how well this machine can shut bots in.

#[cfg(target_os = "linux")]
mod hostile;
mod machine;
mod steps;

use std::env;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::process::ExitCode;

use pacman2_runner::{Sandbox, Tier};
use serde_json::json;

use crate::args::DoctorArgs;
use crate::board::harmless;
use crate::sandbox::helper;
use machine::{Landlock, Machine};
use steps::{Step, steps};

/// How wide prose is written, in columns.
const PROSE_WIDTH: usize = 100;
const RED: u8 = 91;
const GREEN: u8 = 92;

pub(crate) fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    if args.hostile {
        return try_hostile(args);
    }
    let tried: Vec<Try> = to_be_tried(args).map(|(tier, control_groups)| Try::out(tier, control_groups)).collect();
    let machine = Machine::look();
    let steps = steps(&machine, &tried);
    let report = Report { asked: args.tier.map(Tier::from), tried, machine, steps };
    let text = if args.json { report.for_machines() } else { report.for_people(Pen::of_stdout()) };
    io::stdout().write_all(text.as_bytes())?;
    Ok(if report.tier().is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(target_os = "linux")]
fn try_hostile(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    if let Some(code) = crate::guardian::stand_guard()? {
        return Ok(code);
    }
    let sandbox = match args.tier {
        Some(tier) => Sandbox::exactly(tier.into(), !args.without_control_groups, helper()).map_err(crate::failure::bad_input)?,
        None => Sandbox::best(helper()),
    };
    hostile::run(args, sandbox)
}

#[cfg(not(target_os = "linux"))]
fn try_hostile(_args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    Err(crate::failure::bad_input("--hostile: there is a sandbox on Linux only, and the hostile bots are written for it"))
}

/// One way to shut bots in, and what came of it.
#[derive(Debug)]
struct Try {
    tier: Tier,
    control_groups: bool,
    /// The controllers by which control groups limit bots, `None` without groups; or why it cannot be had.
    found: Result<Option<Vec<&'static str>>, String>,
}

impl Try {
    /// Shuts in a program that does nothing.
    fn out(tier: Tier, control_groups: bool) -> Try {
        let sandbox = Sandbox::exactly(tier, control_groups, helper());
        let found = sandbox.map_err(|error| error.to_string()).map(|sandbox| sandbox.control_groups().map(<[_]>::to_vec));
        Try { tier, control_groups, found }
    }
}

/// The ways that a match would try, the best first, but for those that were ruled out.
fn to_be_tried(args: &DoctorArgs) -> impl Iterator<Item = (Tier, bool)> {
    let asked = args.tier.map(Tier::from);
    let with_groups = !args.without_control_groups;
    let all = [(Tier::A, true), (Tier::A, false), (Tier::B, true), (Tier::B, false)];
    all.into_iter().filter(move |&(tier, groups)| asked.is_none_or(|asked| asked == tier) && (with_groups || !groups))
}

struct Report {
    asked: Option<Tier>,
    tried: Vec<Try>,
    machine: Machine,
    steps: Vec<Step>,
}

impl Report {
    /// The first that holds.
    fn best(&self) -> Option<&Try> {
        self.tried.iter().find(|one| one.found.is_ok())
    }

    /// The tier that matches have here; `None` if one was asked for and cannot be had.
    fn tier(&self) -> Option<Tier> {
        let none = if self.asked.is_some() { None } else { Some(Tier::C) };
        self.best().map_or(none, |best| Some(best.tier))
    }

    fn control_groups(&self) -> Option<&[&'static str]> {
        self.best()?.found.as_ref().ok()?.as_deref()
    }

    fn for_machines(&self) -> String {
        let tried = self.tried.iter().map(|one| {
            json!({
                "tier": one.tier,
                "control_groups": one.control_groups,
                "holds": one.found.is_ok(),
                "reason": one.found.as_ref().err(),
            })
        });
        let landlock = match self.machine.landlock {
            Landlock::Version(version) => Some(version),
            Landlock::Off | Landlock::Missing => None,
        };
        let report = json!({
            "tier": self.tier(),
            "tried": tried.collect::<Vec<_>>(),
            "landlock": landlock,
            "kernel": self.machine.kernel,
            "control_groups": self.control_groups(),
            "steps": self.steps.iter().map(Step::to_string).collect::<Vec<_>>(),
        });
        format!("{report}\n")
    }

    fn for_people(&self, pen: Pen) -> String {
        let mut text = format!("{}\n\ntried:\n", self.headline());
        for one in &self.tried {
            let groups = if one.control_groups { "with control groups" } else { "without control groups" };
            let (mark, outcome) = match &one.found {
                Ok(groups) => (pen.paint(GREEN, "✓"), groups.as_deref().map(|groups| format!(" ({})", in_words(groups)))),
                Err(reason) => (pen.paint(RED, "✗"), Some(format!(": {}", harmless(reason)))),
            };
            let _ = writeln!(text, "  {mark} tier {} {groups}{}", one.tier, outcome.unwrap_or_default());
        }
        let landlock = match self.machine.landlock {
            Landlock::Version(version) => format!("version {version}"),
            Landlock::Off => "switched off".to_owned(),
            Landlock::Missing => "none".to_owned(),
        };
        let kernel = self.machine.kernel.as_deref().map_or_else(|| self.machine.system.to_owned(), harmless);
        let groups = self.control_groups().map_or("none", in_words);
        let _ = write!(text, "\nkernel          {kernel}\nLandlock        {landlock}\ncontrol groups  {groups}\n");
        text + &self.advice()
    }

    fn headline(&self) -> &'static str {
        match (self.tier(), self.asked) {
            (Some(Tier::A), _) => "Tier A: bots run in namespaces of their own, behind Landlock and seccomp.",
            (Some(Tier::B), _) => "Tier B: bots run behind Landlock and seccomp, but not in namespaces of their own.",
            (Some(Tier::C), _) => "Tier C: there is no sandbox here. Only bots that you trust can be played (--trust).",
            (None, Some(Tier::A)) => "Tier A cannot be had here.",
            (None, _) => "Tier B cannot be had here.",
        }
    }

    fn advice(&self) -> String {
        if self.steps.is_empty() {
            return match self.tier() {
                Some(Tier::A) => String::new(),
                _ => "\nNo step is known that would lead to a better tier.\n".to_owned(),
            };
        }
        let mut text = "\nSteps to a better sandbox:\n".to_owned();
        for (number, step) in (1..).zip(&self.steps) {
            let _ = write!(text, "\n{number}. {}\n", wrapped(&step.why).join("\n   "));
            for command in &step.commands {
                let _ = writeln!(text, "     {}", harmless(command));
            }
        }
        text
    }
}

fn in_words(controllers: &[&str]) -> &'static str {
    match controllers {
        [] => "they limit neither memory nor processes",
        ["memory"] => "memory",
        ["pids"] => "processes",
        _ => "memory, processes",
    }
}

/// Prose in lines of a bearable length.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < PROSE_WIDTH => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Writes in colours, where they are wanted.
#[derive(Clone, Copy)]
struct Pen {
    coloured: bool,
}

impl Pen {
    fn of_stdout() -> Pen {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let draws = io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|terminal| terminal != "dumb");
        Pen { coloured: draws && !is_set("NO_COLOR") }
    }

    fn paint(self, colour: u8, text: &str) -> String {
        if self.coloured { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(asked: Option<Tier>, tried: Vec<Try>) -> Report {
        let machine = Machine { landlock: Landlock::Version(7), kernel: Some("6.18.1".to_owned()), ..Machine::look() };
        Report { asked, tried, machine, steps: vec![step()] }
    }

    fn step() -> Step {
        let why = format!("Do this, for the sake of {}it:", "all that is good and safe in this world and ".repeat(2));
        Step { why, commands: vec!["so".to_owned(), "and so".to_owned()] }
    }

    fn failed(tier: Tier, control_groups: bool, reason: &str) -> Try {
        Try { tier, control_groups, found: Err(reason.to_owned()) }
    }

    fn limping() -> Report {
        let tried = vec![
            failed(Tier::A, true, "no \u{1b}[31mnamespaces"),
            failed(Tier::A, false, "no namespaces"),
            Try { tier: Tier::B, control_groups: true, found: Ok(Some(vec!["memory"])) },
            Try { tier: Tier::B, control_groups: false, found: Ok(None) },
        ];
        report(None, tried)
    }

    #[test]
    fn people_are_told_the_tier_first_then_why_and_what_to_do() {
        let told = limping().for_people(Pen { coloured: false });
        let expected = "\
Tier B: bots run behind Landlock and seccomp, but not in namespaces of their own.

tried:
  ✗ tier A with control groups: no \u{fffd}[31mnamespaces
  ✗ tier A without control groups: no namespaces
  ✓ tier B with control groups (memory)
  ✓ tier B without control groups

kernel          6.18.1
Landlock        version 7
control groups  memory

Steps to a better sandbox:

1. Do this, for the sake of all that is good and safe in this world and all that is good and safe in
   this world and it:
     so
     and so
";
        assert_eq!(told, expected);
    }

    #[test]
    fn colours_are_around_the_marks_alone() {
        let plain = limping().for_people(Pen { coloured: false });
        let coloured = limping().for_people(Pen { coloured: true });
        assert!(
            coloured.contains("\u{1b}[92m✓\u{1b}[0m tier B without") && coloured.contains("\u{1b}[91m✗\u{1b}[0m tier A"),
            "{coloured}"
        );
        let without = ["\u{1b}[92m", "\u{1b}[91m", "\u{1b}[0m"].iter().fold(coloured, |text, colour| text.replace(colour, ""));
        assert_eq!(without, plain);
    }

    #[test]
    fn machines_are_told_the_same() {
        let told: serde_json::Value = serde_json::from_str(&limping().for_machines()).unwrap();
        assert_eq!(told["tier"], "B");
        assert_eq!(told["tried"].as_array().unwrap().len(), 4);
        assert_eq!(told["tried"][1], json!({ "tier": "A", "control_groups": false, "holds": false, "reason": "no namespaces" }));
        assert_eq!(told["tried"][2], json!({ "tier": "B", "control_groups": true, "holds": true, "reason": null }));
        assert_eq!((&told["landlock"], &told["kernel"]), (&json!(7), &json!("6.18.1")));
        assert_eq!((&told["control_groups"], &told["steps"]), (&json!(["memory"]), &json!([step().to_string()])));
        assert!(step().to_string().ends_with(" it:\n    so\n    and so"));
    }

    #[test]
    fn without_a_sandbox_it_is_tier_c_unless_another_was_asked_for() {
        let nothing = || vec![failed(Tier::A, false, "no"), failed(Tier::B, false, "no")];
        let told = report(None, nothing());
        assert_eq!(told.tier(), Some(Tier::C));
        assert!(told.for_people(Pen { coloured: false }).starts_with("Tier C: there is no sandbox here."));
        let asked = report(Some(Tier::B), nothing().split_off(1));
        assert_eq!(asked.tier(), None);
        assert!(asked.for_people(Pen { coloured: false }).starts_with("Tier B cannot be had here.\n"));
        let told: serde_json::Value = serde_json::from_str(&asked.for_machines()).unwrap();
        assert_eq!((&told["tier"], &told["control_groups"]), (&json!(null), &json!(null)));
    }
}
