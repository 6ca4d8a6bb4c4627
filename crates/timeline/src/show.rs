//! What a page is given of a film, as JSON. `crates/web/viewer/types.d.ts` has the same shapes for the page's side.

use pacman2_bots::BUILT_IN;
use pacman2_bots::distance::Distances;
use pacman2_botzone::action;
use pacman2_botzone::session::points;
use pacman2_replay::{SeatInfo, TurnInfo};
use pacman2_rules::{Cause, Cell, CellSet, Direction, Event, Fruit, Maze, Seat, SeatSet, State, scores};
use serde_json::{Map, Value, json};

use crate::{Timeline, TimelineError, TimelineSource};

impl Timeline {
    /// All that does not change during the match.
    pub fn head(&self) -> Value {
        let maze = &self.map().maze;
        let limits = &self.limits;
        let mut rules: Map<_, _> =
            maze.ruleset().iter().map(|(setting, value)| (setting.name().to_owned(), value.into())).collect();
        rules.insert("ruling".to_owned(), maze.ruleset().forfeit_ruling.name().into());
        let seat = |seat: Seat| {
            let (SeatInfo { name, program, time_factor }, tier) = (&self.seats[seat], self.private.sandbox[seat.index()]);
            json!({ "name": name, "program": program, "time_factor": time_factor, "tier": tier })
        };
        let walls = |cell| Direction::ALL.map(|side| u8::from(maze.walls(cell).stands(side)) << side.index()).iter().sum::<u8>();
        json!({
            "source": match self.source {
                TimelineSource::Replay => "replay",
                TimelineSource::MatchLog => "match-log",
                TimelineSource::Map => "map",
                TimelineSource::WhatIf => "what-if",
            },
            "width": maze.width(),
            "height": maze.height(),
            "walls": maze.cells().map(walls).collect::<Value>(),
            "generators": cells(maze.generators()),
            "births": cells(maze.spawn_cells()),
            "seed": self.map().seed,
            "settings": rules,
            "seats": Seat::ALL.into_iter().map(seat).collect::<Value>(),
            "limits": { "time_ms": limits.time_ms, "memory_mb": limits.memory_mb, "output_bytes": limits.output_bytes },
            "complaint": self.complaint,
        })
    }

    /// The position after so many turns, and what happened in the last of them.
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
                "score": points(scores[seat]),
                "place": 1 + state.strength.0.iter().filter(|&&other| other > strength).count(),
            })
        };
        let played = turn.checked_sub(1).map(|before| (before, &self.turns[before], TurnInfo::of(&self.turns[before])));
        let played = played.as_ref();
        Ok(json!({
            "turn": turn,
            "generator_turns_left": state.generator_turns_left,
            "players": Seat::ALL.into_iter().map(player).collect::<Value>(),
            "small_fruits": cells(state.small_fruits),
            "large_fruits": cells(state.large_fruits),
            "over": state.is_over(maze),
            "events": played.map_or(json!([]), |(before, _, told)| self.events(*before, told)),
            "said": Seat::ALL.into_iter().map(|seat| played.and_then(|(before, _, told)| self.said(*before, told, seat))).collect::<Value>(),
            "delta": Seat::ALL.into_iter().map(|seat| played.map_or(0, |(_, turn, _)| turn.report.strength_delta[seat])).collect::<Value>(),
        }))
    }

    /// What a seat said in a turn; null if it was dead.
    fn said(&self, number: usize, told: &TurnInfo, seat: Seat) -> Option<Value> {
        let mut said = Map::new();
        let mut tell = |key: &str, value: Value| {
            if !value.is_null() && value != "" {
                said.insert(key.to_owned(), value);
            }
        };
        tell("action", told.actions[seat.index()]?.into());
        tell("verdict", told.verdicts[seat.index()].as_deref()?.into());
        tell("taunt", told.taunts[seat.index()].as_deref().into());
        // What the bot stored, and its response as it gave it, are for the program: a seat's input has them.
        if let Some(backstage) = self.backstage(number, seat) {
            tell("wall_us", backstage.wall_us.into());
            tell("cpu_us", backstage.cpu_us.into());
            tell("cpu_between_turns_us", backstage.cpu_between_turns_us.into());
            tell("memory_bytes", backstage.memory_bytes.into());
            tell("output_bytes", backstage.output_bytes.into());
            tell("complaint", backstage.complaint.as_deref().into());
            tell("debug", backstage.debug.clone().into());
            tell("stderr", backstage.stderr.as_str().into());
            tell("output", backstage.output.as_str().into());
        }
        Some(said.into())
    }

    fn events(&self, number: usize, told: &TurnInfo) -> Value {
        let maze = &self.map().maze;
        let before = if number == 0 { &self.map().start } else { &self.turns[number - 1].state };
        let turn = &self.turns[number];
        // Kept along, for hits tell what is left and a page shows what was lost.
        let mut strength = before.strength;
        let events = turn.report.events.iter().map(|event| match *event {
            Event::Acted { seat, action } => json!({ "event": "ordered", "seat": seat.index(), "order": action::to_number(action) }),
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
                let (way, whole) = way_in_order(maze, from, direction);
                json!({
                    "event": "fired", "seat": seat.index(), "from": from.index(), "direction": direction.to_string(), "cost": cost,
                    "way": way, "whole": whole,
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
                        "cause": "illegal", "action": told.actions[seat.index()], "verdict": told.verdicts[seat.index()],
                    }),
                    Cause::Eaten { by } => json!({ "cause": "eaten", "by": seats(by) }),
                    Cause::Light { by } => json!({ "cause": "light", "by": seats(by) }),
                    Cause::BoostEnded => json!({ "cause": "boost-ended" }),
                };
                json!({ "event": "died", "seat": seat.index(), "cell": cell.index(), "lost": lost, "cause": cause })
            }
            Event::Settled { seat, gained } => json!({ "event": "settled", "seat": seat.index(), "gained": gained }),
            Event::FruitSpawned { cells: born } => json!({ "event": "born", "cells": cells(born) }),
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

    /// What a position holds for whoever asks about its cells: ways, lights and legal orders.
    pub fn inspect(&self, turn: usize) -> Result<Value, TimelineError> {
        let state = self.state(turn)?;
        let maze = &self.map().maze;
        let legal = |seat| if state.is_over(maze) { &[][..] } else { state.legal_actions(maze, seat) };
        let lights = Seat::ALL.into_iter().flat_map(|seat| legal(seat).iter().map(move |&action| (seat, action))).filter_map(
            |(seat, action)| match action {
                pacman2_rules::Action::Shoot(direction) => {
                    let (way, _) = way_in_order(maze, state.cells[seat], direction);
                    Some(json!({ "seat": seat.index(), "direction": direction.to_string(), "way": way }))
                }
                _ => None,
            },
        );
        Ok(json!({
            "reach": Seat::ALL.into_iter().map(|seat| reach(maze, state, seat)).collect::<Value>(),
            "lights": lights.collect::<Value>(),
            "legal": Seat::ALL.into_iter().map(|seat| legal(seat).iter().map(|&action| action::to_number(action)).collect::<Value>()).collect::<Value>(),
        }))
    }
}

/// The built-in bots, the weakest first.
pub fn built_in() -> Value {
    BUILT_IN.iter().map(|bot| json!({ "name": bot.name, "description": bot.description })).collect()
}

/// In how many turns a living player can be on each cell if nobody is in its way.
fn reach(maze: &Maze, state: &State, seat: Seat) -> Option<Value> {
    let distances = state.alive.contains(seat).then(|| Distances::from(maze, state.cells[seat], |_| true))?;
    Some(maze.cells().map(|cell| distances.to(cell)).collect())
}

/// The cells that a light crosses in their order, and whether it ran once round the field.
fn way_in_order(maze: &Maze, from: Cell, direction: Direction) -> (Value, bool) {
    let mut way: Vec<Value> = Vec::new();
    let mut cell = from;
    while maze.is_open(cell, direction) {
        cell = maze.neighbour(cell, direction);
        if cell == from {
            return (way.into(), true);
        }
        way.push(cell.index().into());
    }
    (way.into(), false)
}

fn seats(set: SeatSet) -> Value {
    set.iter().map(Seat::index).collect()
}

fn cells(set: CellSet) -> Value {
    set.iter().map(Cell::index).collect()
}
