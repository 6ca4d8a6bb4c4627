//! The board and its players on a terminal, or in plain lines.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use botzone::turn::Table;
use judge::referee::Played;
use rules::{BySeat, Cause, Event, Seat, picture};

/// Colours of the four players, as numbers of ANSI.
const COLOURS: BySeat<u8> = BySeat([91, 92, 94, 95]);

/// How many lines of what happened lately are shown below the players.
const NEWS_LINES: usize = 4;

/// Shows a match while it is played.
pub(crate) struct Board<'a> {
    names: &'a [String; 4],
    kind: Kind,
    /// How long a turn is shown on a terminal at least.
    pace: Duration,
    last: Instant,
    lines_drawn: usize,
    /// What happened lately, a line each.
    news: VecDeque<String>,
}

#[derive(PartialEq)]
enum Kind {
    /// The board is drawn over and over.
    Live,
    /// A line for each thing worth telling.
    Plain,
    /// Machines read.
    Silent,
}

impl<'a> Board<'a> {
    /// A board for these players; `silent` shows nothing.
    pub(crate) fn new(names: &'a [String; 4], pace: Duration, silent: bool) -> Board<'a> {
        let kind = match silent {
            true => Kind::Silent,
            false if io::stdout().is_terminal() => Kind::Live,
            false => Kind::Plain,
        };
        Board { names, kind, pace, last: Instant::now(), lines_drawn: 0, news: VecDeque::new() }
    }

    /// Shows a turn.
    pub(crate) fn show(&mut self, table: &Table, played: &Played) {
        let text = match self.kind {
            Kind::Silent => return,
            Kind::Plain => self.news(table, played).into_iter().map(|line| line + "\n").collect(),
            Kind::Live => {
                thread::sleep(self.pace.saturating_sub(self.last.elapsed()));
                self.last = Instant::now();
                self.news.extend(self.news(table, played));
                self.news.drain(..self.news.len().saturating_sub(NEWS_LINES));
                let frame = self.frame(table, played);
                let back = if self.lines_drawn > 0 { format!("\x1b[{}A\x1b[J", self.lines_drawn) } else { String::new() };
                self.lines_drawn = frame.lines().count();
                back + &frame
            }
        };
        // A reader who has gone away does not stop the match.
        let _ = io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush());
    }

    fn news(&self, table: &Table, played: &Played) -> Vec<String> {
        let turn = table.game().state().turn;
        let words = played.turn.report.events.iter().filter_map(|event| self.words(event, played));
        words.map(|words| format!("turn {turn}: {words}")).collect()
    }

    /// What is worth a line: deaths, and lights that hit.
    fn words(&self, event: &Event, played: &Played) -> Option<String> {
        let name = |seat: Seat| format!("{seat} ({})", self.names[seat.index()]);
        let list = |seats: rules::SeatSet| seats.iter().map(name).collect::<Vec<_>>().join(" and ");
        Some(match *event {
            Event::Hit { shooter, victim, victim_strength, .. } => {
                format!("{}'s light hits {}, left with {victim_strength}", name(shooter), name(victim))
            }
            Event::Died { seat, cause, .. } => match cause {
                Cause::IllegalOrder { .. } => {
                    let said = played.said[seat].as_ref();
                    let complaint = said.and_then(|said| said.complaint.as_deref()).unwrap_or("it gave an illegal order");
                    let verdict = said.map_or("", |said| said.verdict.name());
                    format!("{} dies: {complaint} [{}]", name(seat), if verdict == "OK" { "illegal action" } else { verdict })
                }
                Cause::Eaten { by } => format!("{} is eaten by {}", name(seat), list(by)),
                Cause::Light { by } => format!("{} dies in the light of {}", name(seat), list(by)),
                Cause::BoostEnded => format!("{} dies as its boost ends", name(seat)),
            },
            _ => return None,
        })
    }

    fn frame(&self, table: &Table, played: &Played) -> String {
        let (arena, state) = (table.map().arena.clone(), table.game().state());
        let picture = picture::write(&arena, state);
        let mut text = format!("turn {} of {}\n", state.turn, arena.settings().turn_limit);
        for line in picture.lines().skip(1).take(2 * usize::from(arena.height()) + 1) {
            colour_line(&mut text, line);
        }
        for seat in Seat::ALL {
            let player = state.player(seat);
            let boost = if player.boost_turns_left > 0 { format!(" +{}", player.boost_turns_left) } else { String::new() };
            let said = match (&played.said[seat], player.alive) {
                (Some(said), true) => {
                    let order = played.turn.report.orders[seat].map_or(String::new(), |order| order.to_string());
                    let taunt = match &played.turn.heard[seat] {
                        Some(botzone::answer::Heard::Action { taunt: Some(taunt), .. }) if !taunt.is_empty() => {
                            format!("  \"{}\"", harmless(taunt))
                        }
                        _ => String::new(),
                    };
                    format!("{order:<12}{:>5} ms{taunt}", said.cost.wall.as_millis())
                }
                _ => "dead".to_owned(),
            };
            let name = fit(&self.names[seat.index()], 24);
            let colour = COLOURS[seat];
            let _ = writeln!(text, "\x1b[{colour}m{seat}\x1b[0m {name:<24} {:>5}{boost:<5} {said}", player.strength);
        }
        let news = (0..NEWS_LINES).map(|line| self.news.get(line).map_or("", String::as_str));
        news.for_each(|line| text.push_str(&format!("\x1b[90m{}\x1b[0m\n", fit(line, 100))));
        text
    }
}

fn colour_line(text: &mut String, line: &str) {
    for symbol in line.chars() {
        let colour = match symbol {
            '0'..='3' => COLOURS.0[symbol as usize - '0' as usize],
            '.' => 33,
            'o' => 93,
            'G' => 32,
            _ => 90,
        };
        let _ = if symbol == ' ' { write!(text, " ") } else { write!(text, "\x1b[{colour}m{symbol}\x1b[0m") };
    }
    text.push('\n');
}

/// A bot's text without anything that a terminal would obey.
pub(crate) fn harmless(text: &str) -> String {
    let direction = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if c.is_control() || direction(c) { '\u{fffd}' } else { c }).collect()
}

pub(crate) fn fit(name: &str, room: usize) -> String {
    let length = name.chars().count();
    // The end of a path tells more than its beginning.
    if length <= room { name.to_owned() } else { format!("…{}", name.chars().skip(length - room + 1).collect::<String>()) }
}
