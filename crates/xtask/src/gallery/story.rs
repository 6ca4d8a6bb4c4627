//! What there is to see in a game: facts that can be measured, and sentences made from them.

use std::collections::BTreeSet;

use pacman2_bots::distance::Distances;
use pacman2_botzone::session::SessionTurn;
use pacman2_maps::Map;
use pacman2_rules::{Cause, Event, Seat, State};
use serde::{Deserialize, Serialize};

/// A hunter is at most this many steps from its prey.
const NEAR: u8 = 3;
/// The first turn after which a deficit counts as one.
const COMEBACK_FROM: u32 = 50;
/// How many turns before the highlight a story begins.
const LEAD_IN: u32 = 3;

/// A story in a game. Turns count from 1, and seats are numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(super) enum Story {
    /// The lead went from one sole leader to another this often.
    LeadChanges { times: u32, last: u32 },
    /// For this many turns the hunter was near a weaker player, before it ate it in a turn.
    Hunt { hunter: usize, prey: usize, turns: u32, turn: u32 },
    /// One light hit this many players, and some of them died.
    Shot { shooter: usize, turn: u32, hit: usize, died: usize },
    /// The sole winner was the weakest player after a turn, this far behind the strongest.
    Comeback { winner: usize, turn: u32, behind: i32 },
    /// One player ate others in one turn.
    Feast { winner: usize, turn: u32, eaten: usize, loot: i32 },
    /// All four lived to the end, with strengths from `least` to `most`.
    CloseFinish { least: i32, most: i32, turns: u32 },
}

/// What a story is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    LeadChanges,
    Hunt,
    Shot,
    Comeback,
    Feast,
    CloseFinish,
}

impl Story {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Story::LeadChanges { .. } => Kind::LeadChanges,
            Story::Hunt { .. } => Kind::Hunt,
            Story::Shot { .. } => Kind::Shot,
            Story::Comeback { .. } => Kind::Comeback,
            Story::Feast { .. } => Kind::Feast,
            Story::CloseFinish { .. } => Kind::CloseFinish,
        }
    }

    /// Returns how much the story is worth among those of its kind.
    pub(super) fn value(&self) -> i64 {
        match *self {
            Story::LeadChanges { times, .. } => times.into(),
            Story::Hunt { turns, .. } => turns.into(),
            Story::Shot { hit, died, .. } => (10 * died + hit) as i64,
            Story::Comeback { behind, .. } => behind.into(),
            Story::Feast { eaten, loot, .. } => 1000 * eaten as i64 + i64::from(loot),
            Story::CloseFinish { least, most, .. } => i64::from(least) - 5 * i64::from(most - least),
        }
    }

    /// Returns the turn with which the story begins; 0 is the start of the game.
    pub(super) fn first_turn(&self) -> usize {
        let turn = match *self {
            Story::LeadChanges { .. } => 0,
            Story::Hunt { turns, turn, .. } => turn - turns,
            Story::Shot { turn, .. } | Story::Feast { turn, .. } => turn,
            Story::Comeback { turn, .. } => turn,
            Story::CloseFinish { turns, .. } => turns.saturating_sub(10),
        };
        turn.saturating_sub(LEAD_IN) as usize
    }

    pub(super) fn in_english(&self, names: &[String; 4]) -> String {
        let player = |seat: usize| format!("player {seat} ({})", names[seat]);
        let times = |number: u32| if number == 1 { "once".to_owned() } else { format!("{number} times") };
        let text = match *self {
            Story::LeadChanges { times: number, last } => {
                format!("the lead changes hands {}, the last time in turn {last}", times(number))
            }
            Story::Hunt { hunter, prey, turns, turn } => format!(
                "for {turns} turns, {} stays within {NEAR} steps of {}, and eats it in turn {turn}",
                player(hunter),
                player(prey)
            ),
            Story::Shot { shooter, turn, hit, died } => {
                let died = match died {
                    0 => "and all survive".to_owned(),
                    _ if died == hit => "and none survives".to_owned(),
                    _ => format!("of whom {died} {}", if died == 1 { "dies" } else { "die" }),
                };
                format!("in turn {turn}, a single light of {} hits {hit} players, {died}", player(shooter))
            }
            Story::Comeback { winner, turn, behind } => {
                format!("after turn {turn}, {} is the weakest, {behind} behind the leader; it wins", player(winner))
            }
            Story::Feast { winner, turn, eaten, loot } => {
                let eaten = if eaten == 1 { "another player".to_owned() } else { format!("{eaten} players at once") };
                format!("in turn {turn}, {} eats {eaten} and gains {loot} strength", player(winner))
            }
            Story::CloseFinish { least, most, turns } => {
                format!("after {turns} turns, all four are alive, with strengths from {least} to {most}")
            }
        };
        format!("{}{}.", text[..1].to_uppercase(), &text[1..])
    }

    pub(super) fn in_chinese(&self, names: &[String; 4]) -> String {
        let player = |seat: usize| format!("{seat} 号（{}）", names[seat]);
        match *self {
            Story::LeadChanges { times, last } => format!("领先者换了 {times} 次，最后一次在第 {last} 回合。"),
            Story::Hunt { hunter, prey, turns, turn } => {
                format!("{}连续 {turns} 回合紧追 {}，相距不过 {NEAR} 步，第 {turn} 回合将其吃掉。", player(hunter), player(prey))
            }
            Story::Shot { shooter, turn, hit, died } => {
                let died = match died {
                    0 => "无人死亡".to_owned(),
                    _ if died == hit => "无一幸免".to_owned(),
                    _ => format!("其中 {died} 人死亡"),
                };
                format!("第 {turn} 回合，{}一道金光击中 {hit} 名玩家，{died}。", player(shooter))
            }
            Story::Comeback { winner, turn, behind } => {
                format!("第 {turn} 回合后，{}力量最弱，落后领先者 {behind} 点，最终夺冠。", player(winner))
            }
            Story::Feast { winner, turn, eaten, loot } => {
                format!("第 {turn} 回合，{}一口吃掉 {eaten} 名玩家，力量增加 {loot} 点。", player(winner))
            }
            Story::CloseFinish { least, most, turns } => {
                format!("{turns} 回合后四名玩家全部存活，力量在 {least} 到 {most} 之间。")
            }
        }
    }
}

/// Returns the stories of a game.
pub(super) fn stories(map: &Map, turns: &[SessionTurn]) -> Vec<Story> {
    let mut stories = lead_changes(turns);
    stories.extend(comeback(turns));
    stories.extend(close_finish(turns));
    let before = |index: usize| if index == 0 { &map.start } else { &turns[index - 1].state };
    for (index, turn) in turns.iter().enumerate() {
        for event in &turn.report.events {
            match *event {
                Event::Fought { winners, eaten, share, .. } if winners.len() == 1 => {
                    let Some(winner) = winners.iter().next() else { continue };
                    let (number, turn_number) = (eaten.len(), turn.state.turn);
                    stories.push(Story::Feast { winner: winner.index(), turn: turn_number, eaten: number, loot: share });
                    for prey in eaten.iter() {
                        let near = (0..=index).rev().take_while(|&index| hunts(map, before(index), winner, prey)).count() as u32;
                        if near > 1 {
                            let (hunter, prey) = (winner.index(), prey.index());
                            stories.push(Story::Hunt { hunter, prey, turns: near, turn: turn.state.turn });
                        }
                    }
                }
                Event::Fired { seat, .. } => {
                    let (hit, died) = victims(turn, seat);
                    if hit.len() > 1 {
                        let (shooter, turn) = (seat.index(), turn.state.turn);
                        stories.push(Story::Shot { shooter, turn, hit: hit.len(), died: died.len() });
                    }
                }
                _ => {}
            }
        }
    }
    stories
}

/// Returns whether a player is near a weaker one.
fn hunts(map: &Map, state: &State, hunter: Seat, prey: Seat) -> bool {
    let distance = Distances::from(&map.maze, state.cells[hunter], |_| true).to(state.cells[prey]);
    state.strength[hunter] > state.strength[prey] && distance.is_some_and(|steps| steps <= NEAR)
}

/// Returns the players that the light of a player hit in a turn, and those of them that died of light.
fn victims(turn: &SessionTurn, seat: Seat) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let (mut hit, mut died) = (BTreeSet::new(), BTreeSet::new());
    for event in &turn.report.events {
        let _ = match *event {
            Event::Hit { shooter, victim, .. } if shooter == seat => hit.insert(victim.index()),
            Event::Died { seat: victim, cause: Cause::Light { by }, .. } if by.contains(seat) => died.insert(victim.index()),
            _ => false,
        };
    }
    (hit, died)
}

fn sole_leader(state: &State) -> Option<Seat> {
    let most = Seat::ALL.into_iter().map(|seat| state.strength[seat]).max()?;
    let mut leaders = Seat::ALL.into_iter().filter(|&seat| state.strength[seat] == most);
    leaders.next().filter(|_| leaders.next().is_none())
}

fn lead_changes(turns: &[SessionTurn]) -> Vec<Story> {
    let (mut leader, mut times, mut last) = (None, 0, 0);
    for turn in turns {
        let Some(now) = sole_leader(&turn.state) else { continue };
        if leader.is_some_and(|before| before != now) {
            times += 1;
            last = turn.state.turn;
        }
        leader = Some(now);
    }
    (times > 0).then_some(Story::LeadChanges { times, last }).into_iter().collect()
}

fn comeback(turns: &[SessionTurn]) -> Option<Story> {
    let winner = sole_leader(&turns.last()?.state)?;
    let deficits = turns.iter().filter(|turn| turn.state.turn >= COMEBACK_FROM).filter_map(|turn| {
        let strength = &turn.state.strength;
        let is_weakest = Seat::ALL.into_iter().all(|seat| seat == winner || strength[seat] > strength[winner]);
        let most = Seat::ALL.into_iter().map(|seat| strength[seat]).max()?;
        is_weakest.then_some((most - strength[winner], turn.state.turn))
    });
    let (behind, turn) = deficits.max()?;
    Some(Story::Comeback { winner: winner.index(), turn, behind })
}

fn close_finish(turns: &[SessionTurn]) -> Option<Story> {
    let state = &turns.last()?.state;
    let strengths = Seat::ALL.map(|seat| state.strength[seat]);
    let (least, most) = (*strengths.iter().min()?, *strengths.iter().max()?);
    (state.alive.len() == 4).then_some(Story::CloseFinish { least, most, turns: state.turn })
}

/// Checks a story against positions and events alone, in another way than it was found.
#[cfg(test)]
pub(super) fn check(map: &Map, turns: &[SessionTurn], story: &Story) {
    let seat = |number: usize| Seat::new(number).unwrap();
    let state = |turn: u32| if turn == 0 { &map.start } else { &turns[turn as usize - 1].state };
    let events = |turn: u32| &turns[turn as usize - 1].report.events;
    let last = turns.len() as u32;
    match *story {
        Story::LeadChanges { times, last: last_change } => {
            let leaders: Vec<Seat> = (1..=last).filter_map(|turn| sole_leader(state(turn))).collect();
            assert_eq!(leaders.windows(2).filter(|pair| pair[0] != pair[1]).count() as u32, times);
            assert_eq!(sole_leader(state(last_change)), leaders.last().copied(), "no other player leads after the last change");
        }
        Story::Hunt { hunter, prey, turns, turn } => {
            let (hunter, prey) = (seat(hunter), seat(prey));
            assert!(events(turn).iter().any(
                |event| matches!(event, Event::Fought { winners, eaten, .. } if winners.contains(hunter) && eaten.contains(prey))
            ));
            for turn in turn - turns..turn {
                let state = state(turn);
                assert!(state.alive.contains(prey) && state.strength[hunter] > state.strength[prey], "turn {turn}");
            }
        }
        Story::Shot { shooter, turn, hit, died } => {
            let hits =
                events(turn).iter().filter(|event| matches!(event, Event::Hit { shooter: by, .. } if *by == seat(shooter)));
            assert!(hits.count() >= hit);
            let alive = |turn| state(turn).alive.len();
            assert!(alive(turn - 1) - alive(turn) >= died);
        }
        Story::Comeback { winner, turn, behind } => {
            let strengths = state(turn).strength.0;
            assert_eq!(strengths.iter().min(), Some(&strengths[winner]));
            assert_eq!(strengths.iter().max().unwrap() - strengths[winner], behind);
            let end = state(last).strength.0;
            assert!((0..4).all(|other| other == winner || end[other] < end[winner]));
        }
        Story::Feast { winner, turn, eaten, loot } => {
            let (before, after) = (state(turn - 1), state(turn));
            assert!(before.alive.len() - after.alive.len() >= eaten && after.alive.contains(seat(winner)));
            assert!(loot > 0);
        }
        Story::CloseFinish { least, most, turns } => {
            assert_eq!(turns, last);
            let mut strengths = state(last).strength.0;
            strengths.sort();
            assert_eq!((strengths[0], strengths[3]), (least, most));
            assert_eq!(state(last).alive.len(), 4);
        }
    }
}
