//! The board and its players on a terminal, or in plain lines.

use std::collections::VecDeque;
use std::env;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::session::Session;
use pacman2_console::language::{locale, translated};
use pacman2_console::text::{fit_column, sanitize, truncate_end, truncate_middle};
use pacman2_match::referee::MatchTurn;
use pacman2_rules::{BySeat, Cause, Event, Seat, SeatSet, picture};
use terminal_size::{Height, Width, terminal_size};
use unicode_width::UnicodeWidthStr;

/// The players' colours: ANSI codes.
const COLOURS: BySeat<u8> = BySeat([91, 92, 94, 95]);
const GREY: u8 = 90;

/// The least width of the panel beside the board, in columns.
const MIN_PANEL: usize = 30;

/// Shows a match while it is played.
pub(crate) struct Board<'a> {
    names: &'a [String; 4],
    kind: Kind,
    /// The least time for which a terminal shows a turn.
    pace: Duration,
    last: Instant,
    lines_drawn: usize,
    /// The latest events, a line each.
    news: VecDeque<String>,
}

enum Kind {
    /// Redraws the board in place.
    Live { coloured: bool },
    /// Prints a line for each turn, and one for each notable event.
    Plain,
    /// Shows nothing.
    Silent,
}

impl<'a> Board<'a> {
    /// Makes a board for these players; a `silent` one shows nothing.
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
    pub(crate) fn show(&mut self, session: &Session, turn: &MatchTurn) {
        let text = match self.kind {
            Kind::Silent => return,
            Kind::Plain => self.plain(session, turn),
            Kind::Live { coloured } => match panel_width(session) {
                Some(width) => {
                    thread::sleep(self.pace.saturating_sub(self.last.elapsed()));
                    self.last = Instant::now();
                    self.frame(session, turn, Pen { coloured }, width)
                }
                // The window is too small for the board.
                None => self.plain(session, turn),
            },
        };
        // The match goes on even if the reader of the output is gone.
        let _ = io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush());
    }

    /// Returns a line with each player's action and strength, and a line for each notable event.
    fn plain(&self, session: &Session, turn: &MatchTurn) -> String {
        let state = session.game().state();
        let mut text = translated(&format!("turn {:>3}", state.turn)).into_owned();
        for seat in Seat::ALL {
            let done = match turn.turn.report.actions[seat] {
                Some(action) => format!("{} {}", translated(&action.to_string()), state.strength[seat]),
                None => translated("dead").into_owned(),
            };
            let _ = write!(text, " | {seat} {}", fit_column(&done, done.width().max(14)));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        for line in self.news(session, turn) {
            let _ = writeln!(text, "  {line}");
        }
        text
    }

    fn news(&self, session: &Session, turn: &MatchTurn) -> Vec<String> {
        let number = session.game().state().turn;
        let lines = turn.turn.report.events.iter().filter_map(|event| self.describe(event, turn));
        lines.map(|line| translated(&format!("turn {number}: {line}")).into_owned()).collect()
    }

    /// Describes an event if it is notable: a death, or a light that hits.
    fn describe(&self, event: &Event, turn: &MatchTurn) -> Option<String> {
        let name = |seat: Seat| format!("{seat} ({})", truncate_middle(&self.names[seat.index()], 24));
        let list = |seats: SeatSet| seats.iter().map(name).collect::<Vec<_>>().join(" and ");
        Some(match *event {
            Event::Hit { shooter, victim, victim_strength, .. } => {
                format!("{}'s light hits {}, left with {victim_strength}", name(shooter), name(victim))
            }
            Event::Died { seat, cause, .. } => match cause {
                Cause::IllegalAction { .. } => {
                    let complaint = turn.responses[seat].as_ref().and_then(|response| response.complaint.as_ref());
                    let what = complaint.map(|complaint| complaint.explanation(locale()).what);
                    format!("{} dies: {}", name(seat), sanitize(what.as_deref().unwrap_or("its action was illegal")))
                }
                Cause::Eaten { by } => format!("{} is eaten by {}", name(seat), list(by)),
                Cause::Light { by } => format!("{} is killed by the light of {}", name(seat), list(by)),
                Cause::BoostEnded => format!("{} dies because its boost ends", name(seat)),
            },
            _ => return None,
        })
    }

    /// Returns the board with the panel beside it, drawn over the last frame.
    fn frame(&mut self, session: &Session, turn: &MatchTurn, pen: Pen, panel_width: usize) -> String {
        let field = picture::field(&session.map().maze, session.game().state());
        let board: Vec<&str> = field.lines().collect();
        self.news.extend(self.news(session, turn));
        let mut panel = self.players(session, turn, pen, panel_width);
        let room = board.len().saturating_sub(panel.len());
        self.news.drain(..self.news.len().saturating_sub(room));
        panel.extend(self.news.iter().map(|line| pen.paint(GREY, &truncate_end(line, panel_width))));
        let mut text = if self.lines_drawn > 0 { format!("\x1b[{}A", self.lines_drawn) } else { String::new() };
        self.lines_drawn = board.len();
        for (number, line) in board.into_iter().enumerate() {
            pen.board_line(&mut text, line);
            let beside = panel.get(number).map_or("", String::as_str);
            let _ = writeln!(text, "   {beside}\x1b[K");
        }
        text
    }

    /// Returns two lines for each player: its name and strength, and its action.
    fn players(&self, session: &Session, turn: &MatchTurn, pen: Pen, width: usize) -> Vec<String> {
        let state = session.game().state();
        let number = format!("turn {} of {}", state.turn, session.map().maze.ruleset().turn_limit);
        let mut lines = vec![translated(&number).into_owned(), String::new()];
        for seat in Seat::ALL {
            let player = state.player(seat);
            let boost = if player.boost_turns_left > 0 { format!(" +{}", player.boost_turns_left) } else { String::new() };
            let name = fit_column(&self.names[seat.index()], width - 12);
            lines.push(format!("{} {name}{:>5}{boost}", pen.paint(COLOURS[seat], &seat.to_string()), player.strength));
            lines.push(match (&turn.responses[seat], player.alive) {
                (Some(response), true) => {
                    let action = turn.turn.report.actions[seat].map_or(String::new(), |action| action.to_string());
                    let action = translated(&action);
                    let line = format!("  {action} {} ms {}", response.usage.wall.as_millis(), taunt(turn, seat));
                    pen.paint(GREY, &truncate_end(&line, width))
                }
                _ => pen.paint(GREY, &format!("  {}", translated("dead"))),
            });
        }
        lines.push(String::new());
        lines
    }
}

fn taunt(turn: &MatchTurn, seat: Seat) -> String {
    match &turn.turn.responses[seat] {
        Some(ParsedResponse::Action { taunt: Some(taunt), .. }) if !taunt.is_empty() => format!("\"{}\"", sanitize(taunt)),
        _ => String::new(),
    }
}

fn board_lines(session: &Session) -> usize {
    2 * usize::from(session.map().maze.height()) + 1
}

/// Returns the width of the panel; `None` if board and panel do not fit.
fn panel_width(session: &Session) -> Option<usize> {
    let (Width(cols), Height(rows)) = terminal_size()?;
    let board = 4 * usize::from(session.map().maze.width()) + 4;
    let room = usize::from(cols).checked_sub(board + 1)?;
    (usize::from(rows) > board_lines(session) && room >= MIN_PANEL).then_some(room.min(70))
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
