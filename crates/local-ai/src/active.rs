//! The matches that are going on, each with a player of its own.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use pacman2_bot_source::mounts::Hidden;
use pacman2_bot_source::resolve::{Bot, BotMemory, PlayerConfig, StartedBot};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_botzone::JsonText;
use pacman2_botzone::local_ai::{LocalMatch, MatchId, Message, Received, RequestError, answer_header, no_response};
use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::session::Session;
use pacman2_match::player::{Player, Request, Response};
use pacman2_runner::Tier;

use super::http::Header;
use super::output::Event;
use super::unfinished::Unfinished;

/// The bot that plays, and how it is started: once for each match.
pub struct PlayedBot {
    /// The bot.
    pub bot: Bot,
    /// Its limits, the rules, and what it must not read.
    pub config: PlayerConfig,
    /// Its sandbox.
    pub policy: SandboxPolicy,
}

impl PlayedBot {
    /// Starts the bot as a player.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn start(&self) -> anyhow::Result<StartedBot> {
        self.bot.start(&self.config, &self.policy, BotMemory::default())
    }

    /// Returns what the bot must not read.
    pub fn hidden(bot: &Bot, folders: Vec<std::path::PathBuf>) -> Hidden {
        Hidden { bots: bot.files.clone(), folders }
    }
}

/// A match that is going on.
pub(super) struct ActiveMatch {
    pub(crate) game: LocalMatch,
    /// What the bot answered in each turn in which it was asked.
    pub(crate) answers: BTreeMap<usize, Response>,
    pub(crate) tier: Option<Tier>,
    player: Option<Box<dyn Player>>,
    /// How many requests the player has seen.
    seen: usize,
    /// What the bot stored before the last request.
    data: JsonText,
}

/// All matches that are going on.
pub(crate) struct ActiveMatches<'a> {
    source: &'a PlayedBot,
    unfinished: Unfinished,
    active: BTreeMap<MatchId, ActiveMatch>,
}

impl ActiveMatch {
    fn new(game: LocalMatch, data: JsonText) -> ActiveMatch {
        ActiveMatch { game, answers: BTreeMap::new(), tier: None, player: None, seen: 0, data }
    }

    /// Makes sure that there is a player that has seen the match up to its last request.
    fn prepare(&mut self, source: &PlayedBot) -> anyhow::Result<()> {
        let past = self.game.turns().len();
        if let Some(player) = self.player.as_mut().filter(|_| self.seen == past) {
            // Botzone may have gone on without the bot's answer.
            let last = past.checked_sub(1).and_then(|last| Some((self.answers.get(&last)?, &self.game.responses()[last])));
            if let Some((_, played)) = last.filter(|(answer, played)| to_send(answer) != **played) {
                player.overrule(played);
            }
            return Ok(());
        }
        let StartedBot { mut player, tier } = source.start()?;
        let mut session = Session::new(self.game.session().map().clone());
        let mut last = None;
        for (turn, response) in self.game.turns().iter().zip(self.game.responses()) {
            let request = Request { session: &session, seat: self.game.seat(), last, stop: &AtomicBool::new(false) };
            player.recall(&request, response);
            session.play(&turn.responses);
            last = Some(turn);
        }
        player.restore_data(self.data.clone());
        (self.player, self.tier, self.seen) = (Some(player), tier, past);
        Ok(())
    }

    /// Asks the player, unless the program is to end.
    fn ask(&mut self, stop: &AtomicBool) {
        let Some(player) = &mut self.player else { return };
        let turn = self.game.turns().len();
        let (session, seat, last) = (self.game.session(), self.game.seat(), self.game.turns().last());
        let response = player.ask(&Request { session, seat, last, stop });
        if stop.load(Ordering::Relaxed) {
            return;
        }
        self.seen = turn + 1;
        self.game.answer(to_send(&response));
        self.answers.insert(turn, response);
    }

    fn event(&self, id: &MatchId) -> Option<Event> {
        let turn = self.game.turns().len();
        let response = self.answers.get(&turn)?;
        Some(Event::Answered {
            id: id.clone(),
            turn: turn + 1,
            response: self.game.unsent()?.to_value(),
            wall: response.usage.wall,
            fault: response.complaint.as_ref().map(|complaint| format!("{}: {complaint}", response.verdict())),
        })
    }
}

/// Returns what is sent for a response: all of it, or an object without an action if there is none.
fn to_send(response: &Response) -> JsonText {
    let is_null = |json: &JsonText| json.as_str() == "null";
    match (&response.response, &response.parsed) {
        (Some(json), _) if !is_null(json) => json.clone(),
        (_, ParsedResponse::Nothing(_)) => no_response(),
        (_, parsed) => parsed.plain().into(),
    }
}

impl<'a> ActiveMatches<'a> {
    pub(crate) fn new(source: &'a PlayedBot, unfinished: Unfinished) -> ActiveMatches<'a> {
        ActiveMatches { source, unfinished, active: BTreeMap::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.active.len()
    }

    pub(crate) fn contains(&self, id: &MatchId) -> bool {
        self.active.contains_key(id)
    }

    pub(crate) fn source(&self) -> &'a PlayedBot {
        self.source
    }

    /// Returns the answers to send, with their matches.
    pub(crate) fn headers(&self) -> (Vec<MatchId>, Vec<Header>) {
        let unsent = self.active.iter().filter_map(|(id, game)| Some((id, game.game.unsent()?)));
        unsent.map(|(id, answer)| (id.clone(), answer_header(id, answer))).unzip()
    }

    /// Notes that the site has taken these answers.
    pub(crate) fn delivered(&mut self, ids: &[MatchId]) {
        for id in ids {
            if let Some(active) = self.active.get_mut(id) {
                active.game.delivered();
            }
        }
    }

    /// Begins a match, from where it was when the program ended if it is known.
    pub(crate) fn begin(&mut self, id: &MatchId, message: &Message) -> Result<Event, RequestError> {
        let base = self.source.config.ruleset;
        let kept = self.unfinished.read(id).and_then(|envelope| {
            let data = envelope.data.clone();
            let mut game = LocalMatch::begin(&Message::Envelope(envelope), base).ok()?;
            match game.receive(message, false).ok()? {
                Received::Replaced => None,
                _ => Some(ActiveMatch::new(game, data)),
            }
        });
        let active = match kept {
            Some(active) => active,
            None => ActiveMatch::new(LocalMatch::begin(message, base)?, stored_in(message)),
        };
        let event = Event::Begun { id: id.clone(), seat: active.game.seat(), turns: active.game.turns().len() };
        self.active.insert(id.clone(), active);
        Ok(event)
    }

    /// Takes in a request of a match that is going on. `answered` is whether our answer travelled with the poll.
    pub(super) fn receive(&mut self, id: &MatchId, message: &Message, answered: bool) -> Result<(), RequestError> {
        let Some(active) = self.active.get_mut(id) else { return Ok(()) };
        if active.game.receive(message, answered)? == Received::Replaced {
            *active = ActiveMatch::new(active.game.clone(), stored_in(message));
        }
        Ok(())
    }

    /// Keeps the matches for a restart of the program.
    pub(crate) fn keep(&mut self) -> Result<(), (MatchId, anyhow::Error)> {
        for (id, active) in self.active.iter_mut().filter(|(_, active)| active.game.awaits_answer()) {
            if let Some(player) = &active.player {
                active.data = player.data();
            }
            self.unfinished.write(id, &active.game.envelope(&active.data)).map_err(|error| (id.clone(), error))?;
        }
        Ok(())
    }

    /// Asks the bot in each match that awaits an answer, in as many at once as there are processors.
    pub(crate) fn answer(&mut self, stop: &AtomicBool) -> anyhow::Result<Vec<Event>> {
        let mut due: Vec<(&MatchId, &mut ActiveMatch)> =
            self.active.iter_mut().filter(|(_, active)| active.game.awaits_answer()).collect();
        for (_, active) in &mut due {
            active.prepare(self.source)?;
        }
        let cores = thread::available_parallelism().map_or(1, usize::from);
        for group in due.chunks_mut(cores) {
            thread::scope(|scope| {
                for (_, active) in group {
                    scope.spawn(move || active.ask(stop));
                }
            });
        }
        Ok(due.iter().filter_map(|(id, active)| active.event(id)).collect())
    }

    /// Takes out a match that is over. Its player ends.
    pub(crate) fn end(&mut self, id: &MatchId) -> Option<ActiveMatch> {
        self.active.remove(id).map(|active| ActiveMatch { player: None, ..active })
    }

    /// Forgets what was kept of a match, after its replay was written.
    pub(super) fn forget(&self, id: &MatchId) {
        self.unfinished.remove(id);
    }
}

/// Returns what the bot had stored before a message.
fn stored_in(message: &Message) -> JsonText {
    match message {
        Message::Envelope(envelope) => envelope.data.clone(),
        _ => JsonText::default(),
    }
}
