//! Timelines as JSON for a page: head, frames and positions. `crates/web/viewer/types.d.ts` has the same shapes for the
//! page's side.

use pacman2_bots::BUILT_IN;
use pacman2_bots::distance::Distances;
use pacman2_botzone::{JsonText, action};
use pacman2_replay::{Problem, SeatInfo, TurnInfo};
use pacman2_rules::{Action, Cause, Cell, CellSet, Direction, Event, Fruit, Maze, Seat, SeatSet, State, scores};
use serde_json::{Map, Value, json};

use crate::{Timeline, TimelineError, TimelineSource};

impl Timeline {
    /// Returns everything that stays the same during the match: the maze, the rules, the players, the limits.
    #[must_use]
    pub fn head(&self) -> Value {
        let maze = &self.map().maze;
        let limits = &self.limits;
        // Not collected into a map: that sorts first, and the sort would make the page's engine a twenty-fifth larger.
        let mut rules = json!({ "ruling": maze.ruleset().forfeit_ruling.name() });
        for (setting, value) in maze.ruleset().iter() {
            rules[setting.name()] = value.into();
        }
        let seat = |seat: Seat| {
            let (SeatInfo { name, program, time_factor }, tier) = (&self.seats[seat], self.private.sandbox[seat.index()]);
            json!({ "name": name, "program": program, "time_factor": time_factor, "tier": tier })
        };
        let walls =
            |cell| Direction::ALL.map(|side| u8::from(maze.walls(cell).contains(side)) << side.index()).iter().sum::<u8>();
        json!({
            "source": match self.source {
                TimelineSource::Replay => "replay",
                TimelineSource::MatchLog => "match-log",
                TimelineSource::SavedInput => "saved-input",
                TimelineSource::Map => "map",
                TimelineSource::WhatIf => "what-if",
                TimelineSource::Link => "link",
            },
            "width": maze.width(),
            "height": maze.height(),
            "walls": maze.cells().map(walls).collect::<Value>(),
            "generators": cells(maze.generators()),
            "spawn_cells": cells(maze.spawn_cells()),
            "seed": self.map().seed,
            "ruleset": rules,
            "seats": Seat::ALL.into_iter().map(seat).collect::<Value>(),
            "limits": { "time_ms": limits.time_ms, "memory_mb": limits.memory_mb, "output_bytes": limits.output_bytes },
            "complaint": self.difference.as_ref().map(ToString::to_string),
            "problem": self.difference.as_ref().map(|difference| Problem::from(difference).to_json()),
        })
    }

    /// Returns the position after `turn` turns, with the events and the players' answers of the last of them.
    ///
    /// # Errors
    /// Fails if the match has no such turn.
    pub fn frame(&self, turn: usize) -> Result<Value, TimelineError> {
        let state = self.state(turn)?;
        let maze = &self.map().maze;
        let scores = scores(&state.strength);
        let player = |seat: Seat| {
            let strength = state.strength[seat];
            json!({
                "cell": state.cells[seat].index(),
                "strength": strength,
                "boost": state.boost_turns_left[seat],
                "alive": state.alive.contains(seat),
                "score": scores[seat].points(),
                "place": 1 + state.strength.0.iter().filter(|&&other| other > strength).count(),
            })
        };
        let played = turn.checked_sub(1).map(|index| (index, &self.turns[index], TurnInfo::from_turn(&self.turns[index])));
        let played = played.as_ref();
        Ok(json!({
            "turn": turn,
            "generator_turns_left": state.generator_turns_left,
            "players": Seat::ALL.into_iter().map(player).collect::<Value>(),
            "small_fruits": cells(state.small_fruits),
            "large_fruits": cells(state.large_fruits),
            "over": state.is_over(maze),
            "events": played.map_or(json!([]), |(index, _, info)| self.events(*index, info)),
            "answers": Seat::ALL.into_iter().map(|seat| played.and_then(|(index, _, info)| self.answer(*index, info, seat))).collect::<Value>(),
            "delta": Seat::ALL.into_iter().map(|seat| played.map_or(0, |(_, turn, _)| turn.report.strength_delta[seat])).collect::<Value>(),
        }))
    }

    /// Returns a player's answer in a turn, and what it cost; `None` if the player was dead.
    fn answer(&self, index: usize, info: &TurnInfo, seat: Seat) -> Option<Value> {
        let mut answer = Map::new();
        let mut insert = |key: &str, value: Value| {
            if !value.is_null() && value != "" {
                answer.insert(key.to_owned(), value);
            }
        };
        insert("action", info.actions[seat.index()]?.into());
        insert("verdict", info.verdicts[seat.index()]?.name().into());
        insert("taunt", info.taunts[seat.index()].as_deref().into());
        // The stored data and the raw response are left out: they are for the bot's program, and its input has them.
        if let Some(diagnostics) = self.diagnostics(index, seat) {
            insert("wall_us", diagnostics.wall_us.into());
            insert("cpu_us", diagnostics.cpu_us.into());
            insert("cpu_between_turns_us", diagnostics.cpu_between_turns_us.into());
            insert("memory_bytes", diagnostics.memory_bytes.into());
            insert("output_bytes", diagnostics.output_bytes.into());
            insert("complaint", diagnostics.complaint.as_deref().into());
            insert("problem", diagnostics.problem.as_ref().map(Problem::to_json).into());
            insert("debug", diagnostics.debug.as_ref().map(JsonText::to_value).into());
            insert("stderr", diagnostics.stderr.as_str().into());
            insert("output", diagnostics.output.as_str().into());
        }
        Some(answer.into())
    }

    fn events(&self, index: usize, info: &TurnInfo) -> Value {
        let maze = &self.map().maze;
        let before = if index == 0 { &self.map().start } else { &self.turns[index - 1].state };
        let turn = &self.turns[index];
        // Hits hold the strength that is left, but a page shows what was gained and lost.
        let mut strength = before.strength;
        let events = turn.report.events.iter().map(|event| match *event {
            Event::Acted { seat, action } => json!({ "event": "acted", "seat": seat.index(), "action": action::to_number(action) }),
            Event::Frightened { seat, direction, by } => {
                json!({ "event": "frightened", "seat": seat.index(), "direction": direction.to_string(), "by": seats(by) })
            }
            Event::Moved { seat, from, to, direction } => json!({
                "event": "moved", "seat": seat.index(), "from": from.index(), "to": to.index(), "direction": direction.to_string(),
            }),
            Event::Fought { cell, winners, eaten, loot, share } => {
                winners.iter().for_each(|seat| strength[seat] += share);
                json!({
                    "event": "fought", "cell": cell.index(), "winners": seats(winners), "eaten": seats(eaten), "loot": loot, "share": share,
                })
            }
            Event::Looted { seat, lost } => {
                strength[seat] -= lost;
                json!({ "event": "looted", "seat": seat.index(), "lost": lost })
            }
            Event::Fired { seat, from, direction, cost } => {
                strength[seat] -= cost;
                let (path, wraps) = light_path(maze, from, direction);
                json!({
                    "event": "fired", "seat": seat.index(), "from": from.index(), "direction": direction.to_string(), "cost": cost,
                    "ray": path, "wraps": wraps,
                })
            }
            Event::Hit { shooter, victim, shooter_strength, victim_strength } => {
                let gained = shooter_strength - std::mem::replace(&mut strength[shooter], shooter_strength);
                let lost = std::mem::replace(&mut strength[victim], victim_strength) - victim_strength;
                json!({ "event": "hit", "shooter": shooter.index(), "victim": victim.index(), "gained": gained, "lost": lost })
            }
            Event::Died { seat, cell, lost, cause } => {
                strength[seat] -= lost;
                let cause = match cause {
                    Cause::IllegalAction { .. } => json!({
                        "cause": "illegal", "action": info.actions[seat.index()], "verdict": info.verdicts[seat.index()],
                    }),
                    Cause::Eaten { by } => json!({ "cause": "eaten", "by": seats(by) }),
                    Cause::Light { by } => json!({ "cause": "light", "by": seats(by) }),
                    Cause::BoostEnded => json!({ "cause": "boost-ended" }),
                };
                json!({ "event": "died", "seat": seat.index(), "cell": cell.index(), "lost": lost, "cause": cause })
            }
            Event::StrengthReset { seat, gained } => json!({ "event": "settled", "seat": seat.index(), "gained": gained }),
            Event::FruitSpawned { cells: spawned } => json!({ "event": "spawned", "cells": cells(spawned) }),
            Event::Ate { seat, cell, fruit, gained } => {
                let fruit = match fruit {
                    Fruit::Small => "small",
                    Fruit::Large => "large",
                };
                json!({ "event": "ate", "seat": seat.index(), "cell": cell.index(), "fruit": fruit, "gained": gained })
            }
            Event::BoostCounted { seat, turns_left } => {
                json!({ "event": "boost-counted", "seat": seat.index(), "turns_left": turns_left })
            }
            Event::BoostEnded { seat, lost } => json!({ "event": "boost-ended", "seat": seat.index(), "lost": lost }),
            Event::Inherited { seat, fruits } => json!({ "event": "inherited", "seat": seat.index(), "fruits": fruits }),
        });
        events.collect()
    }

    /// Returns, for the position after `turn` turns, each player's distances, lights and legal actions.
    ///
    /// # Errors
    /// Fails if the match has no such turn.
    pub fn inspect(&self, turn: usize) -> Result<Value, TimelineError> {
        let state = self.state(turn)?;
        let maze = &self.map().maze;
        let legal = |seat| if state.is_over(maze) { &[][..] } else { state.legal_actions(maze, seat) };
        let lights = Seat::ALL.into_iter().flat_map(|seat| legal(seat).iter().map(move |&action| (seat, action))).filter_map(
            |(seat, action)| match action {
                Action::Shoot(direction) => {
                    let (path, _) = light_path(maze, state.cells[seat], direction);
                    Some(json!({ "seat": seat.index(), "direction": direction.to_string(), "ray": path }))
                }
                _ => None,
            },
        );
        Ok(json!({
            "reach": Seat::ALL.into_iter().map(|seat| distances_from(maze, state, seat)).collect::<Value>(),
            "lights": lights.collect::<Value>(),
            "legal": Seat::ALL.into_iter().map(|seat| legal(seat).iter().map(|&action| action::to_number(action)).collect::<Value>()).collect::<Value>(),
        }))
    }
}

/// Returns the names and descriptions of the built-in bots, the weakest first.
#[must_use]
pub fn built_in_bots() -> Value {
    BUILT_IN.iter().map(|bot| json!({ "name": bot.name, "description": bot.description })).collect()
}

/// Returns the number of turns that a living player needs to each cell if no player is in its way.
fn distances_from(maze: &Maze, state: &State, seat: Seat) -> Option<Value> {
    let distances = state.alive.contains(seat).then(|| Distances::from(maze, state.cells[seat], |_| true))?;
    Some(maze.cells().map(|cell| distances.to(cell)).collect())
}

/// Returns the cells that a light crosses, in order, and whether it comes back to where it began.
fn light_path(maze: &Maze, from: Cell, direction: Direction) -> (Value, bool) {
    let mut path: Vec<Value> = Vec::new();
    let mut cell = from;
    while maze.is_open(cell, direction) {
        cell = maze.neighbour(cell, direction);
        if cell == from {
            return (path.into(), true);
        }
        path.push(cell.index().into());
    }
    (path.into(), false)
}

fn seats(set: SeatSet) -> Value {
    set.iter().map(Seat::index).collect()
}

fn cells(set: CellSet) -> Value {
    set.iter().map(Cell::index).collect()
}
