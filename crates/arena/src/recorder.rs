//! Records games that were played elsewhere, after checking everything that can be checked: the replay of a game has to follow
//! the rules on the map of its seed, and to end with the scores of the result.

use pacman2_bot_source::built_in;
use pacman2_jobs::engine::Engine;
use pacman2_jobs::lines::{BadLine, JsonLine, Reason};
use pacman2_match::record::limits_info;
use pacman2_replay::Replay;
use pacman2_rules::{BySeat, Seat};
use pacman2_tournament::{BotId, BotVersion, GameResult, Job, Store};
use serde_json::{Value, json};

use super::game_limits::GameLimits;
use super::game_player::{map_of, parts_of, seat_results};
use super::wire::{RESULTS, ResultLine, ResultsHeader, SeatLine};

/// The length of the ids of games and blocks.
const ID_LENGTH: usize = 32;
/// The longest name of a node, in characters.
const MAX_NODE_LENGTH: usize = 100;
/// How much the private part of a replay may have, and how much more for each turn: more than this program ever writes.
const MAX_PRIVATE_BYTES: usize = 4 << 20;
const MAX_BYTES_OF_TURN: usize = 8 << 10;

/// Records results in an arena.
pub(crate) struct Recorder {
    engine: Engine,
    limits: GameLimits,
    bots: Vec<BotVersion>,
    /// The header of the results that come now.
    header: Option<ResultsHeader>,
}

/// What became of a result.
pub(crate) enum Recorded {
    /// It was stored.
    New(GameResult),
    /// The arena has the same game already.
    Known(GameResult),
    /// The arena has the game, and it took another course.
    Differs(Box<Difference>),
    /// It is not recorded.
    Refused(Reason),
}

/// Two courses of one game.
pub(super) struct Difference {
    /// The game in the arena.
    pub(crate) kept: GameResult,
    found: GameResult,
    /// The first turn whose actions or verdicts differ.
    turn: usize,
    actions: [Value; 2],
    /// Whether none of the bots decides by a clock, or is a program of which that is not known.
    pub(crate) is_deterministic: bool,
}

impl Difference {
    pub(crate) fn json(&self) -> Value {
        let side = |game: &GameResult, actions: &Value| {
            let scores = game.seats.0.each_ref().map(|seat| seat.hundredths as f64 / 100.0);
            json!({ "scores": scores, "turns": game.turns, "node": game.node, "actions": actions })
        };
        let [kept, found] = &self.actions;
        json!({
            "event": "differs", "id": self.kept.id, "turn": self.turn, "deterministic": self.is_deterministic,
            "kept": side(&self.kept, kept), "found": side(&self.found, found),
        })
    }

    pub(crate) fn sentence(&self) -> String {
        let Difference { kept, turn, is_deterministic, .. } = self;
        let reason = if *is_deterministic { "although its bots decide without a clock" } else { "which its bots may do" };
        format!("game {} took another course from turn {turn} on, {reason}; the arena keeps the first one", kept.id)
    }
}

impl Recorder {
    pub(crate) fn new(store: &Store, engine: Engine) -> anyhow::Result<Recorder> {
        Ok(Recorder { engine, limits: GameLimits::from_store(store)?, bots: store.bots()?, header: None })
    }

    /// Reads a result. Returns `None` for a header, which holds for the results after it. `expected` is what a line may be.
    pub(crate) fn read_line(&mut self, line: JsonLine, expected: &str) -> Result<Option<ResultLine>, BadLine> {
        line.result_or_header(RESULTS, expected, &mut self.header)
    }

    /// Checks that results with this header can be recorded.
    fn check(&self, header: &ResultsHeader) -> Result<(), Reason> {
        self.engine.check(&header.jobs.engine)?;
        if header.jobs.terms.settings != self.limits.stored {
            let [expected, got] = [&self.limits.stored, &header.jobs.terms.settings].map(|settings| json!(settings));
            return Err(Reason::new("settings", format!("expected games with the settings {expected}, got {got}")));
        }
        let is_name = (1..=MAX_NODE_LENGTH).contains(&header.node.chars().count()) && !header.node.contains(char::is_control);
        if is_name {
            return Ok(());
        }
        Err(Reason::new("node", format!("expected the name of a node with 1 to {MAX_NODE_LENGTH} characters")))
    }

    /// Records a result.
    ///
    /// # Errors
    ///
    /// If the arena cannot be read or written.
    pub(crate) fn record(&self, store: &mut Store, line: ResultLine) -> anyhow::Result<Recorded> {
        let (game, replay) = match self.read(line) {
            Ok(read) => read,
            Err(reason) => return Ok(Recorded::Refused(reason)),
        };
        let [public, private] = parts_of(&replay)?;
        if store.put_game(&game, &public, &private)? {
            return Ok(Recorded::New(game));
        }
        let kept = store.game(&game.id)?.zip(store.replay(&game.id, false)?);
        let Some((kept, kept_replay)) = kept else {
            return Ok(Recorded::Refused(Reason::new("changed", "the game was deleted")));
        };
        let kept_replay = Replay::read(&kept_replay)?;
        if kept_replay.public == replay.public {
            return Ok(Recorded::Known(kept));
        }
        let [kept_turns, found_turns] = [&kept_replay, &replay].map(|replay| &replay.public.turns);
        let same = kept_turns.iter().zip(found_turns).take_while(|(kept, found)| kept == found).count();
        let actions = [kept_turns, found_turns].map(|turns| turns.get(same).map_or(Value::Null, |turn| json!(turn.actions)));
        let is_deterministic = kept.seats.0.iter().all(|seat| self.bot(seat.bot).is_some_and(is_deterministic));
        let difference = Difference { kept, found: game, turn: same + 1, actions, is_deterministic };
        Ok(Recorded::Differs(Box::new(difference)))
    }

    fn bot(&self, id: BotId) -> Option<&BotVersion> {
        self.bots.iter().find(|bot| bot.id == id)
    }

    fn find(&self, seat: &SeatLine) -> Result<&BotVersion, Reason> {
        let unknown = || {
            let SeatLine { name, program } = seat;
            Reason::new("bot", format!("the arena has no bot \"{name}\" with the program {program}"))
        };
        self.bots.iter().find(|bot| seat.is(bot)).ok_or_else(unknown)
    }

    /// Checks a result, and returns the game with its replay.
    fn read(&self, line: ResultLine) -> Result<(GameResult, Replay), Reason> {
        let header = self.header.as_ref().ok_or_else(|| Reason::new("header", "the result has no header"))?;
        self.check(header)?;
        let ResultLine { result: id, block, seed, repeat, seats, finished, seconds, replayed, replay } = line;
        let [a, b, c, d] =
            seats.each_ref().map(|seat| self.find(&SeatLine { name: seat.name.clone(), program: seat.program.clone() }));
        let bots = BySeat([a?, b?, c?, d?]);
        let job = Job { seed, repeat, seats: bots.map(|bot| bot.id) };
        if Store::id_of(&self.limits.stored, &self.bots, &job) != id {
            return Err(Reason::new("id", "the id is not the one of a game with these bots, seats, seed and settings"));
        }
        if !(block.len() == ID_LENGTH && block.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))) {
            return Err(Reason::new("block", format!("expected the id of a block, {ID_LENGTH} hexadecimal digits")));
        }
        if !(seconds.is_finite() && seconds >= 0.0) {
            return Err(Reason::new("seconds", format!("expected a time in seconds, got {seconds}")));
        }
        let bad_replay = |reason: String| Reason::new("replay", format!("its replay is not one of this game: {reason}"));
        let most = MAX_PRIVATE_BYTES + MAX_BYTES_OF_TURN * self.limits.ruleset.turn_limit as usize;
        if replay.private.as_str().len() > most {
            return Err(bad_replay(format!(
                "expected a private part of at most {most} bytes, got {}",
                replay.private.as_str().len()
            )));
        }
        let text = format!(
            r#"{{"format":{},"version":{},"public":{},"private":{}}}"#,
            json!(pacman2_replay::FORMAT),
            pacman2_replay::VERSION,
            replay.public,
            replay.private,
        );
        let mut replay = Replay::read(&text).map_err(|error| bad_replay(error.to_string()))?;
        replay.branches = None;
        let expected = map_of(seed, &self.limits).map_err(|error| bad_replay(format!("{error:#}")))?;
        if replay.public.map != expected {
            return Err(bad_replay("it has another map".to_owned()));
        }
        if replay.public.limits != limits_info(self.limits.limits) {
            return Err(bad_replay("it has other limits".to_owned()));
        }
        if let Some(seat) = Seat::ALL.into_iter().find(|&seat| replay.public.seats[seat.index()].name != bots[seat].label()) {
            return Err(bad_replay(format!("seat {} has another bot than {}", seat.index(), bots[seat].label())));
        }
        let turns = replay.verify().map_err(|error| bad_replay(error.to_string()))?;
        let slowest_us = BySeat(seats.each_ref().map(|seat| seat.slowest_us));
        let results = turns.last().and_then(|last| seat_results(job.seats, &replay, last, slowest_us));
        let results = results.ok_or_else(|| bad_replay("the game is not over".to_owned()))?;
        if let Some(seat) = Seat::ALL.into_iter().find(|&seat| !seats[seat.index()].agrees(&results[seat])) {
            return Err(Reason::new("scores", format!("the result of seat {} differs from its replay", seat.index())));
        }
        let game = GameResult {
            id,
            block,
            seed,
            width: expected.maze.width(),
            height: expected.maze.height(),
            turns: turns.len() as u32,
            seats: results,
            finished,
            seconds,
            replayed,
            node: Some(header.node.clone()),
        };
        Ok((game, replay))
    }
}

/// Returns whether a bot is known to play the same game every time.
fn is_deterministic(bot: &BotVersion) -> bool {
    bot.command.parse().is_ok_and(|spec| built_in::is_deterministic(&spec))
}
