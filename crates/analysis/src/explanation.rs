//! Why an action cost points: what kind of mistake it was, and what followed. Both are facts of the match, taken from the reports of
//! its turns, and of the same turn with the better action.

use pacman2_botzone::words::Bilingual;
use pacman2_rules::{Action, BySeat, Cause, Cell, Event, Fruit, Game, Maze, Report, Seat, SeatSet, State};
use serde_json::{Value, json};

/// Within how many turns, that of the mistake included, something counts as its consequence.
const HORIZON: usize = 3;
/// How many turns of the line that the search expects after the better action are looked at.
const EXPECTED: usize = 5;

/// What an action that cost points was. `later` is the turn in which the player could have done what it missed, as the search expects;
/// `None` is the turn of the mistake, with the others' actions as played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum MistakeKind {
    /// The action was illegal.
    IllegalAction,
    /// The player moved to where a stronger one ate it in this turn or the next.
    WalkedIntoReach,
    /// It did not move away, and a stronger player ate it in this turn or the next.
    StayedInReach,
    /// Light hit it that would not have hit it after the better action.
    ExposedToLight,
    /// The player could have eaten these players.
    MissedCatch { victims: SeatSet, later: Option<usize> },
    /// Its light could have hit these players.
    MissedHit { victims: SeatSet, later: Option<usize> },
    /// It could have eaten a fruit.
    MissedFruit { fruit: Fruit, later: Option<usize> },
    /// It left the cells around a generator, and this many turns later fruit grew on them.
    LeftGenerator { turns: usize },
    /// Its light hit no player.
    WastedShot,
    /// Nothing of the above.
    Other,
}

/// What followed a mistake, with the turn in which it happened, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Consequence {
    /// These players ate the player.
    Eaten { turn: usize, by: SeatSet },
    /// The light of these players hit it, for the first time or deadly.
    Hit { turn: usize, by: SeatSet, is_dead: bool },
    /// Its boost ended, and with it its life.
    BoostEnded { turn: usize },
    /// Another player ate the fruit that the better action would have eaten.
    FruitLost { turn: usize, by: Seat },
}

/// Why an action cost points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// What it was.
    pub kind: MistakeKind,
    /// What followed, in order.
    pub followed: Vec<Consequence>,
}

/// A turn and its report.
struct ReportedTurn {
    after: State,
    report: Report,
}

impl ReportedTurn {
    fn new(maze: &Maze, before: &State, actions: &BySeat<Action>) -> ReportedTurn {
        let (mut after, mut report) = (*before, Report::new(maze));
        after.play(maze, actions, &mut report);
        ReportedTurn { after, report }
    }

    fn events(&self) -> impl Iterator<Item = Event> {
        self.report.events.iter().copied()
    }

    /// Returns the players that ate a player.
    fn eaters(&self, seat: Seat) -> Option<SeatSet> {
        self.events().find_map(|event| match event {
            Event::Died { seat: dead, cause: Cause::Eaten { by }, .. } if dead == seat => Some(by),
            _ => None,
        })
    }

    /// Returns the players whose light hit a player.
    fn shooters(&self, seat: Seat) -> SeatSet {
        let shooter = |event| match event {
            Event::Hit { shooter, victim, .. } if victim == seat => Some(shooter),
            _ => None,
        };
        set(self.events().filter_map(shooter))
    }

    /// Returns the players that a player hit.
    fn hits(&self, seat: Seat) -> SeatSet {
        let victim = |event| match event {
            Event::Hit { shooter, victim, .. } if shooter == seat => Some(victim),
            _ => None,
        };
        set(self.events().filter_map(victim))
    }

    /// Returns the players that a player ate.
    fn caught(&self, seat: Seat) -> SeatSet {
        let eaten = |event| match event {
            Event::Fought { winners, eaten, .. } if winners.contains(seat) => Some(eaten),
            _ => None,
        };
        set(self.events().filter_map(eaten).flat_map(SeatSet::iter))
    }

    /// Returns the fruit that a player ate, and where.
    fn meal(&self, seat: Seat) -> Option<(Cell, Fruit)> {
        self.events().find_map(|event| match event {
            Event::Ate { seat: eater, cell, fruit, .. } if eater == seat => Some((cell, fruit)),
            _ => None,
        })
    }

    fn has_died(&self, seat: Seat) -> bool {
        !self.after.alive.contains(seat)
    }
}

fn set(seats: impl Iterator<Item = Seat>) -> SeatSet {
    seats.fold(SeatSet::EMPTY, |mut set, seat| {
        set.insert(seat);
        set
    })
}

/// Explains why a seat's action in a turn, counted from 1, cost points. `game` is the match as far as it was played; it may end before
/// this turn. `actions` are those of this turn, and `line` is what the search expects after the better one, which comes first.
#[must_use]
pub fn explain(game: &Game, turn: usize, actions: &BySeat<Action>, seat: Seat, line: &[BySeat<Option<Action>>]) -> Explanation {
    let maze = game.maze();
    let before = game.turns().get(turn - 1).map_or(*game.state(), |entry| entry.before);
    let mut turns = vec![ReportedTurn::new(maze, &before, actions)];
    let later = game.turns().iter().skip(turn).take(EXPECTED - 1);
    turns.extend(later.map(|later| ReportedTurn::new(maze, &later.before, &later.actions)));
    let mut expected: Vec<ReportedTurn> = Vec::new();
    for next in line.iter().take(EXPECTED) {
        let state = expected.last().map_or(before, |turn| turn.after);
        if state.is_over(maze) {
            break;
        }
        let others = if expected.is_empty() { *actions } else { next.map(|action| action.unwrap_or(Action::Stay)) };
        let own = next[seat].unwrap_or(Action::Stay);
        expected.push(ReportedTurn::new(maze, &state, &BySeat::from_fn(|other| if other == seat { own } else { others[other] })));
    }
    let mistake = Mistake { maze, seat, turn, before, given: actions[seat], expected, turns };
    Explanation { kind: mistake.kind(), followed: mistake.followed() }
}

/// A turn with a mistake, and the turns after it.
struct Mistake<'a> {
    maze: &'a Maze,
    seat: Seat,
    turn: usize,
    before: State,
    given: Action,
    /// The turn with the better action, and what the search expects after it.
    expected: Vec<ReportedTurn>,
    /// The turn as it was played, and the next ones.
    turns: Vec<ReportedTurn>,
}

impl Mistake<'_> {
    fn kind(&self) -> MistakeKind {
        let is_legal = self.before.is_legal(self.maze, self.seat, self.given);
        let is_hit = |turn: &ReportedTurn| !turn.shooters(self.seat).is_empty();
        match self.given {
            _ if !is_legal => MistakeKind::IllegalAction,
            Action::Move(_) if self.is_caught() => MistakeKind::WalkedIntoReach,
            _ if self.is_caught() => MistakeKind::StayedInReach,
            _ if is_hit(&self.turns[0]) && !self.would(is_hit) => MistakeKind::ExposedToLight,
            _ => {
                let now = self.missed(0);
                let harvest = || self.turns_until_harvest().map(|turns| MistakeKind::LeftGenerator { turns });
                let later = || (1..self.expected.len()).find_map(|number| self.missed(number));
                let is_wasted = matches!(self.given, Action::Shoot(_)) && self.turns[0].hits(self.seat).is_empty();
                let other = if is_wasted { MistakeKind::WastedShot } else { MistakeKind::Other };
                now.or_else(harvest).or_else(later).unwrap_or(other)
            }
        }
    }

    /// Returns whether something holds for the turn with the better action.
    fn would(&self, condition: impl Fn(&ReportedTurn) -> bool) -> bool {
        self.expected.first().is_some_and(condition)
    }

    /// Returns whether the player was eaten in this turn or the next, and would not have been in this turn after the better action.
    fn is_caught(&self) -> bool {
        let is_eaten = |turn: &ReportedTurn| turn.eaters(self.seat).is_some();
        self.turns.iter().take(2).any(is_eaten) && !self.would(is_eaten)
    }

    /// Returns what the player gains in a turn of the expected line and did not gain up to this turn in the match.
    fn missed(&self, number: usize) -> Option<MistakeKind> {
        let (seat, expected) = (self.seat, self.expected.get(number)?);
        let later = (number > 0).then_some(self.turn + number);
        let played = || self.turns.iter().take(number + 1);
        let (victims, hits) = (expected.caught(seat), expected.hits(seat));
        if !victims.is_empty() && played().all(|turn| turn.caught(seat).is_empty()) {
            return Some(MistakeKind::MissedCatch { victims, later });
        }
        if !hits.is_empty() && played().all(|turn| turn.hits(seat).is_empty()) {
            return Some(MistakeKind::MissedHit { victims: hits, later });
        }
        let (_, fruit) = expected.meal(seat)?;
        played().all(|turn| turn.meal(seat).is_none()).then_some(MistakeKind::MissedFruit { fruit, later })
    }

    /// Returns after how many turns fruit grew around a generator that the player left, and would not have left by the better action.
    fn turns_until_harvest(&self) -> Option<usize> {
        let stands_there = |state: &State| self.maze.spawn_cells().contains(state.cells[self.seat]);
        let has_left = stands_there(&self.before) && !stands_there(&self.turns[0].after);
        let cell = self.before.cells[self.seat];
        let grows = |event| matches!(event, Event::FruitSpawned { cells } if cells.contains(cell));
        let harvest = self.turns.iter().take(HORIZON).position(|turn| turn.events().any(grows));
        harvest.filter(|_| has_left && self.would(|turn| stands_there(&turn.after)))
    }

    fn followed(&self) -> Vec<Consequence> {
        let mut followed = Vec::new();
        let meal = self.expected.first().and_then(|turn| turn.meal(self.seat));
        let lost = meal.filter(|_| self.turns[0].meal(self.seat).is_none());
        for (turn, played) in (self.turn..).zip(self.turns.iter().take(HORIZON)) {
            let was_alive = turn == self.turn || !self.turns[turn - self.turn - 1].has_died(self.seat);
            let is_hit = followed.iter().any(|earlier| matches!(earlier, Consequence::Hit { .. }));
            let is_news = |fate: &Consequence| !is_hit || !matches!(fate, Consequence::Hit { is_dead: false, .. });
            if was_alive {
                followed.extend(self.fate(turn, played).filter(is_news));
            }
            let ate = |other: &Seat| {
                *other != self.seat && played.meal(*other).is_some_and(|(cell, _)| lost.is_some_and(|lost| lost.0 == cell))
            };
            followed.extend(Seat::ALL.into_iter().find(ate).map(|by| Consequence::FruitLost { turn, by }));
        }
        followed
    }

    /// Returns what happened to the player in a turn, unless it would have happened after the better action, too.
    fn fate(&self, turn: usize, played: &ReportedTurn) -> Option<Consequence> {
        let (seat, is_first) = (self.seat, turn == self.turn);
        if let Some(by) = played.eaters(seat) {
            let is_new = !is_first || !self.would(|turn| turn.eaters(seat).is_some());
            return is_new.then_some(Consequence::Eaten { turn, by });
        }
        let by = played.shooters(seat);
        if !by.is_empty() {
            let is_new = !is_first || !self.would(|turn| !turn.shooters(seat).is_empty());
            return is_new.then_some(Consequence::Hit { turn, by, is_dead: played.has_died(seat) });
        }
        let ended = |event| matches!(event, Event::Died { seat: dead, cause: Cause::BoostEnded, .. } if dead == seat);
        played.events().any(ended).then_some(Consequence::BoostEnded { turn })
    }
}

impl Explanation {
    /// Returns the explanation as JSON: the kind as a code, what followed, and the sentences in both languages.
    #[must_use]
    pub fn json(&self) -> Value {
        let Bilingual { zh, en } = self.sentences();
        let followed: Vec<Value> = self.followed.iter().map(|consequence| consequence.json()).collect();
        json!({ "kind": self.kind.code(), "followed": followed, "sentence": { "en": en, "zh": zh } })
    }

    /// Returns one or two sentences; empty if there is nothing to say.
    ///
    /// ```
    /// use pacman2_analysis::explanation::{Explanation, MistakeKind};
    ///
    /// let sentences = Explanation { kind: MistakeKind::WastedShot, followed: Vec::new() }.sentences();
    /// assert_eq!(sentences.en, "Its light hit no player.");
    /// assert_eq!(sentences.zh, "发出的金光没有击中任何人。");
    /// ```
    #[must_use]
    pub fn sentences(&self) -> Bilingual {
        let kind = self.kind.sentence();
        if self.followed.is_empty() {
            return kind;
        }
        let clauses: Vec<Bilingual> = self.followed.iter().map(|consequence| consequence.clause()).collect();
        let en = clauses.iter().map(|clause| clause.en.as_str()).collect::<Vec<_>>().join("; ");
        let zh = clauses.iter().map(|clause| clause.zh.as_str()).collect::<Vec<_>>().join("；");
        let en = format!("{} What followed: {en}.", kind.en).trim_start().to_owned();
        Bilingual { zh: format!("{}随后{zh}。", kind.zh), en }
    }
}

impl MistakeKind {
    /// Returns the name in JSON.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            MistakeKind::IllegalAction => "illegal-action",
            MistakeKind::WalkedIntoReach => "walked-into-reach",
            MistakeKind::StayedInReach => "stayed-in-reach",
            MistakeKind::ExposedToLight => "exposed-to-light",
            MistakeKind::MissedCatch { .. } => "missed-catch",
            MistakeKind::MissedHit { .. } => "missed-hit",
            MistakeKind::MissedFruit { .. } => "missed-fruit",
            MistakeKind::LeftGenerator { .. } => "left-generator",
            MistakeKind::WastedShot => "wasted-shot",
            MistakeKind::Other => "other",
        }
    }

    fn sentence(self) -> Bilingual {
        match self {
            // The sentence about its loss says so.
            MistakeKind::IllegalAction => Bilingual::new("", ""),
            MistakeKind::WalkedIntoReach => {
                Bilingual::new("走进了更强玩家够得到的地方。", "It walked into reach of a stronger player.")
            }
            MistakeKind::StayedInReach => {
                Bilingual::new("留在了更强玩家够得到的地方。", "It stayed within reach of a stronger player.")
            }
            MistakeKind::ExposedToLight => Bilingual::new("停在了会被金光击中的地方。", "It was where light could hit it."),
            MistakeKind::MissedCatch { victims, later } => {
                let (names, when) = (players(victims), in_turn(later));
                Bilingual::new(
                    format!("错过了猎物：{}本可以吃掉{}。", when.zh, names.zh),
                    format!("It missed a catch: it could have eaten {}{}.", names.en, when.en),
                )
            }
            MistakeKind::MissedHit { victims, later } => {
                let (names, when) = (players(victims), in_turn(later));
                Bilingual::new(
                    format!("错过了击中的机会：{}金光本可以击中{}。", when.zh, names.zh),
                    format!("It missed a hit: its light could have reached {}{}.", names.en, when.en),
                )
            }
            MistakeKind::MissedFruit { fruit, later } => {
                let when = in_turn(later);
                let [en, zh] = if fruit == Fruit::Small { ["small", "小"] } else { ["large", "大"] };
                Bilingual::new(
                    format!("错过了{}本可以吃到的{zh}豆。", when.zh),
                    format!("It left a {en} fruit that it could have eaten{}.", when.en),
                )
            }
            MistakeKind::LeftGenerator { turns: 0 } => {
                Bilingual::new("在产豆的那个回合离开了豆子产生器。", "It left the generator in the turn in which it bore fruit.")
            }
            MistakeKind::LeftGenerator { turns: 1 } => {
                Bilingual::new("在产豆前 1 回合离开了豆子产生器。", "It left the generator one turn before it bore fruit.")
            }
            MistakeKind::LeftGenerator { turns } => Bilingual::new(
                format!("在产豆前 {turns} 回合离开了豆子产生器。"),
                format!("It left the generator {turns} turns before it bore fruit."),
            ),
            MistakeKind::WastedShot => Bilingual::new("发出的金光没有击中任何人。", "Its light hit no player."),
            MistakeKind::Other => Bilingual::new("", ""),
        }
    }
}

impl Consequence {
    fn json(self) -> Value {
        let list = |seats: SeatSet| seats.iter().map(Seat::index).collect::<Vec<_>>();
        match self {
            Consequence::Eaten { turn, by } => json!({ "event": "eaten", "turn": turn, "by": list(by) }),
            Consequence::Hit { turn, by, is_dead } => json!({ "event": "hit", "turn": turn, "by": list(by), "died": is_dead }),
            Consequence::BoostEnded { turn } => json!({ "event": "boost-ended", "turn": turn }),
            Consequence::FruitLost { turn, by } => json!({ "event": "fruit-lost", "turn": turn, "by": [by.index()] }),
        }
    }

    fn clause(self) -> Bilingual {
        match self {
            Consequence::Eaten { turn, by } => {
                let Bilingual { zh, en } = players(by);
                Bilingual::new(format!("第 {turn} 回合被{zh}吃掉"), format!("{en} ate it in turn {turn}"))
            }
            Consequence::Hit { turn, by, is_dead } => {
                let Bilingual { zh, en } = players(by);
                let [died, zh_died] = if is_dead { [", and it died", "而死"] } else { [""; 2] };
                Bilingual::new(
                    format!("第 {turn} 回合被{zh}的金光击中{zh_died}"),
                    format!("the light of {en} hit it in turn {turn}{died}"),
                )
            }
            Consequence::BoostEnded { turn } => Bilingual::new(
                format!("第 {turn} 回合增益结束，力量耗尽而死"),
                format!("it died in turn {turn} when its boost ended"),
            ),
            Consequence::FruitLost { turn, by } => Bilingual::new(
                format!("第 {turn} 回合这颗豆被 {by} 号玩家吃掉"),
                format!("player {by} ate that fruit in turn {turn}"),
            ),
        }
    }
}

/// Names a later turn, if it is one.
fn in_turn(later: Option<usize>) -> Bilingual {
    later.map_or_else(|| Bilingual::new("", ""), |turn| Bilingual::new(format!("第 {turn} 回合"), format!(" in turn {turn}")))
}

/// Names players by their seats.
fn players(seats: SeatSet) -> Bilingual {
    let [zh, en]: [Vec<String>; 2] = [
        seats.iter().map(|seat| format!(" {seat} 号玩家")).collect(),
        seats.iter().map(|seat| format!("player {seat}")).collect(),
    ];
    Bilingual::new(zh.join("和"), en.join(" and "))
}
