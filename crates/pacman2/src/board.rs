//! The board and its players on a terminal, or in plain lines.

use std::collections::VecDeque;
use std::env;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::session::Session;
use pacman2_match::referee::MatchTurn;
use pacman2_rules::{BySeat, Cause, Event, Seat, SeatSet, picture};
use terminal_size::{Height, Width, terminal_size};
use unicode_width::UnicodeWidthStr;

/// Colours of the four players, as ANSI numbers them.
const COLOURS: BySeat<u8> = BySeat([91, 92, 94, 95]);
const GREY: u8 = 90;

/// The least room beside the board for what is told of the players, in columns.
const LEAST_PANEL: usize = 30;

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

enum Kind {
    /// The board is drawn over and over.
    Live { coloured: bool },
    /// A line for each thing worth telling.
    Plain,
    /// Machines read.
    Silent,
}

impl<'a> Board<'a> {
    /// A board for these players; `silent` shows nothing.
    pub(crate) fn new(names: &'a [String; 4], pace: Duration, silent: bool) -> Board<'a> {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let draws = io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|terminal| terminal != "dumb");
        let kind = match silent {
            true => Kind::Silent,
            false if draws => Kind::Live { coloured: !is_set("NO_COLOR") },
            false => Kind::Plain,
        };
        Board { names, kind, pace, last: Instant::now(), lines_drawn: 0, news: VecDeque::new() }
    }

    /// Shows a turn.
    pub(crate) fn show(&mut self, table: &Session, played: &MatchTurn) {
        let text = match self.kind {
            Kind::Silent => return,
            Kind::Plain => self.plain(table, played),
            Kind::Live { coloured } => match panel_width(table) {
                Some(width) => {
                    thread::sleep(self.pace.saturating_sub(self.last.elapsed()));
                    self.last = Instant::now();
                    self.frame(table, played, Pen { coloured }, width)
                }
                // The window is too small for the board.
                None => self.plain(table, played),
            },
        };
        // A reader who has gone away does not stop the match.
        let _ = io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush());
    }

    /// A line with what everybody did and what strength it has now, and a line for each thing worth telling.
    fn plain(&self, table: &Session, played: &MatchTurn) -> String {
        let state = table.game().state();
        let mut text = format!("turn {:>3}", state.turn);
        for seat in Seat::ALL {
            let done = match played.turn.report.actions[seat] {
                Some(action) => format!("{action} {}", state.strength[seat]),
                None => "dead".to_owned(),
            };
            let _ = write!(text, " | {seat} {done:<14}");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        for line in self.news(table, played) {
            let _ = writeln!(text, "  {line}");
        }
        text
    }

    fn news(&self, table: &Session, played: &MatchTurn) -> Vec<String> {
        let turn = table.game().state().turn;
        let words = played.turn.report.events.iter().filter_map(|event| self.words(event, played));
        words.map(|words| format!("turn {turn}: {words}")).collect()
    }

    /// What is worth a line: deaths, and lights that hit.
    fn words(&self, event: &Event, played: &MatchTurn) -> Option<String> {
        let name = |seat: Seat| format!("{seat} ({})", fit(&self.names[seat.index()], 24));
        let list = |seats: SeatSet| seats.iter().map(name).collect::<Vec<_>>().join(" and ");
        Some(match *event {
            Event::Hit { shooter, victim, victim_strength, .. } => {
                format!("{}'s light hits {}, left with {victim_strength}", name(shooter), name(victim))
            }
            Event::Died { seat, cause, .. } => match cause {
                Cause::IllegalAction { .. } => {
                    let complaint = played.said[seat].as_ref().and_then(|said| said.complaint.as_deref());
                    format!("{} dies: {}", name(seat), harmless(complaint.unwrap_or("it gave an illegal order")))
                }
                Cause::Eaten { by } => format!("{} is eaten by {}", name(seat), list(by)),
                Cause::Light { by } => format!("{} dies in the light of {}", name(seat), list(by)),
                Cause::BoostEnded => format!("{} dies as its boost ends", name(seat)),
            },
            _ => return None,
        })
    }

    /// The board, with the players and the news beside it, drawn over the frame before.
    fn frame(&mut self, table: &Session, played: &MatchTurn, pen: Pen, panel_width: usize) -> String {
        let field = picture::field(&table.map().maze, table.game().state());
        let board: Vec<&str> = field.lines().collect();
        self.news.extend(self.news(table, played));
        let mut panel = self.players(table, played, pen, panel_width);
        let room = board.len().saturating_sub(panel.len());
        self.news.drain(..self.news.len().saturating_sub(room));
        panel.extend(self.news.iter().map(|line| pen.paint(GREY, &fit_start(line, panel_width))));
        let mut text = if self.lines_drawn > 0 { format!("\x1b[{}A", self.lines_drawn) } else { String::new() };
        self.lines_drawn = board.len();
        for (number, line) in board.into_iter().enumerate() {
            pen.board_line(&mut text, line);
            let beside = panel.get(number).map_or("", String::as_str);
            let _ = writeln!(text, "   {beside}\x1b[K");
        }
        text
    }

    /// Two lines for each player: who it is, and what it did.
    fn players(&self, table: &Session, played: &MatchTurn, pen: Pen, width: usize) -> Vec<String> {
        let state = table.game().state();
        let mut lines = vec![format!("turn {} of {}", state.turn, table.map().maze.ruleset().turn_limit), String::new()];
        for seat in Seat::ALL {
            let player = state.player(seat);
            let boost = if player.boost_turns_left > 0 { format!(" +{}", player.boost_turns_left) } else { String::new() };
            let name = fit_exactly(&self.names[seat.index()], width - 12);
            lines.push(format!("{} {name}{:>5}{boost}", pen.paint(COLOURS[seat], &seat.to_string()), player.strength));
            lines.push(match (&played.said[seat], player.alive) {
                (Some(said), true) => {
                    let action = played.turn.report.actions[seat].map_or(String::new(), |action| action.to_string());
                    let line = format!("  {action} {} ms {}", said.cost.wall.as_millis(), taunt(played, seat));
                    pen.paint(GREY, &fit_start(&line, width))
                }
                _ => pen.paint(GREY, "  dead"),
            });
        }
        lines.push(String::new());
        lines
    }
}

fn taunt(played: &MatchTurn, seat: Seat) -> String {
    match &played.turn.heard[seat] {
        Some(ParsedResponse::Action { taunt: Some(taunt), .. }) if !taunt.is_empty() => format!("\"{}\"", harmless(taunt)),
        _ => String::new(),
    }
}

fn board_lines(table: &Session) -> usize {
    2 * usize::from(table.map().maze.height()) + 1
}

/// How much room there is beside the board, if it is enough and the board fits too.
fn panel_width(table: &Session) -> Option<usize> {
    let (Width(cols), Height(rows)) = terminal_size()?;
    let board = 4 * usize::from(table.map().maze.width()) + 4;
    let room = usize::from(cols).checked_sub(board + 1)?;
    (usize::from(rows) > board_lines(table) && room >= LEAST_PANEL).then_some(room.min(70))
}

#[derive(Clone, Copy)]
struct Pen {
    coloured: bool,
}

impl Pen {
    fn paint(self, colour: u8, text: &str) -> String {
        if self.coloured { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn board_line(self, text: &mut String, line: &str) {
        for symbol in line.chars() {
            let colour = match symbol {
                '0'..='3' => COLOURS.0[symbol as usize - '0' as usize],
                '.' => 33,
                'o' => 93,
                'G' => 32,
                _ => GREY,
            };
            text.push_str(&if symbol == ' ' { " ".to_owned() } else { self.paint(colour, symbol.encode_utf8(&mut [0; 4])) });
        }
    }
}

/// A bot's text without anything that a terminal would obey.
pub(crate) fn harmless(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if c.is_control() || turns(c) { '\u{fffd}' } else { c }).collect()
}

/// The end of a name or path, which tells more than its beginning.
fn fit(name: &str, room: usize) -> String {
    if name.width() <= room {
        return name.to_owned();
    }
    let ends = name.char_indices().map(|(at, _)| &name[at..]);
    format!("…{}", ends.into_iter().find(|end| end.width() < room).unwrap_or_default())
}

/// The same, with blanks behind it up to the room there is.
pub(crate) fn fit_exactly(name: &str, room: usize) -> String {
    let name = fit(name, room);
    let blanks = " ".repeat(room.saturating_sub(name.width()));
    name + &blanks
}

/// The beginning of a line.
pub(crate) fn fit_start(line: &str, room: usize) -> String {
    if line.width() <= room {
        return line.to_owned();
    }
    let beginnings = line.char_indices().rev().map(|(at, _)| &line[..at]);
    format!("{}…", beginnings.into_iter().find(|beginning| beginning.width() < room).unwrap_or_default())
}
