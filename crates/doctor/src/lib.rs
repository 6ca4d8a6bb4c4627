//! Reports how well this machine can sandbox bots, and plays matches with hostile ones.

#![deny(unsafe_code)]

mod attempt;
#[cfg(target_os = "linux")]
mod hostile;
mod machine;
mod steps;

use pacman2_console::stdout::{stdout, terminal_width, wrap};
use std::env;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::process::ExitCode;

use pacman2_console::error::bad_input;
use pacman2_console::json_output::labelled;
use pacman2_console::language::translated;
use pacman2_console::text::sanitize;
use pacman2_runner::Tier;
use serde_json::json;

use attempt::{Attempt, Availability};
use machine::{Landlock, Machine};
use steps::{Step, steps};

/// The most columns of prose.
const PROSE_WIDTH: usize = 100;
const RED: u8 = 91;
const GREEN: u8 = 92;

/// What to report.
pub struct DoctorOptions {
    /// Whether hostile bots play.
    pub hostile: bool,
    /// The tier to use instead of the best.
    pub tier: Option<Tier>,
    /// Whether the hostile bots run without a sandbox.
    pub in_the_open: bool,
    /// Whether control groups are left out.
    pub without_control_groups: bool,
    /// The names of the hostile bots that play; empty for all.
    pub only: Vec<String>,
    /// Whether the report is JSON.
    pub json: bool,
}

/// Writes the report to standard output. Fails as an exit code if the requested tier is not available or a hostile bot was not contained.
///
/// The hostile bots are watched by built-in bots, which are this program with the arguments of `pacman2 bot`.
///
/// # Errors
///
/// If the options contradict this machine, or a match cannot be played.
pub fn run(options: &DoctorOptions) -> anyhow::Result<ExitCode> {
    if options.hostile {
        return run_hostile(options);
    }
    let attempts: Vec<Attempt> = variants(options).map(|(tier, control_groups)| Attempt::run(tier, control_groups)).collect();
    let machine = Machine::inspect();
    let steps = steps(&machine, &attempts);
    let report = Report { requested: options.tier, attempts, machine, steps };
    let text = if options.json { report.json() } else { report.text(Style::from_stdout()) };
    stdout().write_all(text.as_bytes())?;
    Ok(if report.tier().is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(target_os = "linux")]
fn run_hostile(options: &DoctorOptions) -> anyhow::Result<ExitCode> {
    use pacman2_bot_source::sandbox::helper;
    use pacman2_runner::Sandbox;

    if let Some(code) = pacman2_bot_source::watchdog::start()? {
        return Ok(code);
    }
    let sandbox = match options.tier {
        Some(tier) => Sandbox::exactly(tier, !options.without_control_groups, helper()).map_err(bad_input)?,
        None => Sandbox::best(helper()),
    };
    hostile::run(options, sandbox)
}

#[cfg(not(target_os = "linux"))]
fn run_hostile(_options: &DoctorOptions) -> anyhow::Result<ExitCode> {
    Err(bad_input("--hostile: the sandbox and the hostile bots exist on Linux only"))
}

/// Returns the variants that a match would try, best first, without those that the options exclude.
fn variants(options: &DoctorOptions) -> impl Iterator<Item = (Tier, bool)> {
    let requested = options.tier;
    let with_groups = !options.without_control_groups;
    let confining = Tier::ALL.into_iter().filter(|&tier| tier != Tier::C);
    let all = confining.flat_map(|tier| [(tier, true), (tier, false)]);
    all.filter(move |&(tier, groups)| requested.is_none_or(|requested| requested == tier) && (with_groups || !groups))
}

struct Report {
    requested: Option<Tier>,
    attempts: Vec<Attempt>,
    machine: Machine,
    steps: Vec<Step>,
}

impl Report {
    /// Returns the first attempt that succeeded.
    fn best(&self) -> Option<&Attempt> {
        self.attempts.iter().find(|attempt| attempt.is_available())
    }

    /// Returns the tier of matches on this machine, or `None` if the requested tier is not available.
    fn tier(&self) -> Option<Tier> {
        let none = if self.requested.is_some() { None } else { Some(Tier::C) };
        self.best().map_or(none, |best| Some(best.tier))
    }

    fn control_groups(&self) -> Option<&[&'static str]> {
        self.best()?.controllers()
    }

    fn json(&self) -> String {
        let attempts = self.attempts.iter().map(|attempt| {
            json!({
                "tier": attempt.tier,
                "control_groups": attempt.control_groups,
                "holds": attempt.is_available(),
                "reason": attempt.reason(),
            })
        });
        let landlock = match self.machine.landlock {
            Landlock::Version(version) => Some(version),
            Landlock::Off | Landlock::Missing => None,
        };
        let report = json!({
            "tier": self.tier(),
            "tried": attempts.collect::<Vec<_>>(),
            "landlock": landlock,
            "kernel": self.machine.kernel,
            "control_groups": self.control_groups(),
            "steps": self.steps.iter().map(Step::to_string).collect::<Vec<_>>(),
        });
        format!("{}\n", labelled("doctor", report))
    }

    fn text(&self, style: Style) -> String {
        let mut text = format!("{}\n\nTried:\n", self.headline());
        for attempt in &self.attempts {
            let groups = if attempt.control_groups { "with control groups" } else { "without control groups" };
            let (mark, outcome) = match &attempt.availability {
                Availability::Available(groups) => {
                    (style.paint(GREEN, "✓"), groups.as_deref().map(|groups| format!(" ({})", in_words(groups))))
                }
                Availability::Unavailable(reason) => (style.paint(RED, "✗"), Some(format!(": {}", sanitize(reason)))),
            };
            let _ = writeln!(text, "  {mark} tier {} {groups}{}", attempt.tier, outcome.unwrap_or_default());
        }
        let landlock = match self.machine.landlock {
            Landlock::Version(version) => format!("version {version}"),
            Landlock::Off => "disabled".to_owned(),
            Landlock::Missing => "not available".to_owned(),
        };
        let kernel = self.machine.kernel.as_deref().map_or_else(|| self.machine.system.to_owned(), sanitize);
        let groups = self.control_groups().map_or("none".to_owned(), in_words);
        let _ = write!(text, "\nkernel          {kernel}\nLandlock        {landlock}\ncontrol groups  {groups}\n");
        text + &self.advice()
    }

    fn headline(&self) -> &'static str {
        match (self.tier(), self.requested) {
            (Some(Tier::A), _) => "Tier A: bots run in separate namespaces, restricted by Landlock and seccomp.",
            (Some(Tier::AMinus), _) => "Tier A-: bots run in separate namespaces, restricted by seccomp, without Landlock.",
            (Some(Tier::B), _) => "Tier B: bots are restricted by Landlock and seccomp, without separate namespaces.",
            (Some(Tier::C), _) => "Tier C: this machine has no sandbox. Only bots that you trust can play (--trust).",
            (None, Some(Tier::A)) => "Tier A is not available on this machine.",
            (None, Some(Tier::AMinus)) => "Tier A- is not available on this machine.",
            (None, _) => "Tier B is not available on this machine.",
        }
    }

    fn advice(&self) -> String {
        if self.steps.is_empty() {
            return match self.tier() {
                Some(Tier::A) => String::new(),
                _ => "\nNo steps to a better tier are known.\n".to_owned(),
            };
        }
        let mut text = "\nSteps to a better sandbox:\n".to_owned();
        let width = PROSE_WIDTH.min(terminal_width().unwrap_or(PROSE_WIDTH));
        for (number, step) in (1..).zip(&self.steps) {
            // The number takes the place of the indentation.
            let why = wrap(&format!("   {}", translated(&step.why)), width);
            let _ = write!(text, "\n{number}. {}\n", why.trim_start());
            for command in &step.commands {
                let _ = writeln!(text, "     {}", sanitize(command));
            }
        }
        text
    }
}

fn in_words(controllers: &[&str]) -> String {
    if controllers.is_empty() {
        return "they limit neither memory nor processes".to_owned();
    }
    let words = controllers.iter().map(|&controller| match controller {
        "cpu" => "equal shares of the processors",
        "pids" => "processes",
        other => other,
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Colours text if the output supports it.
#[derive(Clone, Copy)]
struct Style {
    is_coloured: bool,
}

impl Style {
    /// Returns colours if standard output is a terminal, unless `NO_COLOR` is set.
    fn from_stdout() -> Style {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let has_colours = io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|terminal| terminal != "dumb");
        Style { is_coloured: has_colours && !is_set("NO_COLOR") }
    }

    fn paint(self, colour: u8, text: &str) -> String {
        if self.is_coloured { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(requested: Option<Tier>, attempts: Vec<Attempt>) -> Report {
        let machine = Machine { landlock: Landlock::Version(7), kernel: Some("6.18.1".to_owned()), ..Machine::inspect() };
        Report { requested, attempts, machine, steps: vec![step()] }
    }

    fn step() -> Step {
        let why = format!("Do this, for the sake of {}it:", "all that is good and safe in this world and ".repeat(2));
        Step { why, commands: vec!["so".to_owned(), "and so".to_owned()] }
    }

    fn failed(tier: Tier, control_groups: bool, reason: &str) -> Attempt {
        Attempt { tier, control_groups, availability: Availability::Unavailable(reason.to_owned()) }
    }

    fn tier_b() -> Report {
        let attempts = vec![
            failed(Tier::A, true, "no \u{1b}[31mnamespaces"),
            failed(Tier::A, false, "no namespaces"),
            Attempt { tier: Tier::B, control_groups: true, availability: Availability::Available(Some(vec!["memory"])) },
            Attempt { tier: Tier::B, control_groups: false, availability: Availability::Available(None) },
        ];
        report(None, attempts)
    }

    #[test]
    fn the_text_has_the_tier_then_the_reasons_then_the_steps() {
        let text = tier_b().text(Style { is_coloured: false });
        let expected = "\
Tier B: bots are restricted by Landlock and seccomp, without separate namespaces.

Tried:
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
        assert_eq!(text, expected);
    }

    #[test]
    fn only_the_marks_are_coloured() {
        let plain = tier_b().text(Style { is_coloured: false });
        let coloured = tier_b().text(Style { is_coloured: true });
        assert!(
            coloured.contains("\u{1b}[92m✓\u{1b}[0m tier B without") && coloured.contains("\u{1b}[91m✗\u{1b}[0m tier A"),
            "{coloured}"
        );
        let without = ["\u{1b}[92m", "\u{1b}[91m", "\u{1b}[0m"].iter().fold(coloured, |text, colour| text.replace(colour, ""));
        assert_eq!(without, plain);
    }

    #[test]
    fn the_json_has_the_same_facts() {
        let json: serde_json::Value = serde_json::from_str(&tier_b().json()).unwrap();
        assert_eq!(json["tier"], "B");
        assert_eq!(json["tried"].as_array().unwrap().len(), 4);
        assert_eq!(json["tried"][1], json!({ "tier": "A", "control_groups": false, "holds": false, "reason": "no namespaces" }));
        assert_eq!(json["tried"][2], json!({ "tier": "B", "control_groups": true, "holds": true, "reason": null }));
        assert_eq!((&json["landlock"], &json["kernel"]), (&json!(7), &json!("6.18.1")));
        assert_eq!((&json["control_groups"], &json["steps"]), (&json!(["memory"]), &json!([step().to_string()])));
        assert!(step().to_string().ends_with(" it:\n    so\n    and so"));
    }

    #[test]
    fn without_a_sandbox_the_tier_is_c_unless_another_was_requested() {
        let nothing = || vec![failed(Tier::A, false, "no"), failed(Tier::B, false, "no")];
        let none = report(None, nothing());
        assert_eq!(none.tier(), Some(Tier::C));
        assert!(none.text(Style { is_coloured: false }).starts_with("Tier C: this machine has no sandbox."));
        let requested = report(Some(Tier::B), nothing().split_off(1));
        assert_eq!(requested.tier(), None);
        assert!(requested.text(Style { is_coloured: false }).starts_with("Tier B is not available on this machine.\n"));
        let json: serde_json::Value = serde_json::from_str(&requested.json()).unwrap();
        assert_eq!((&json["tier"], &json["control_groups"]), (&json!(null), &json!(null)));
    }
}
