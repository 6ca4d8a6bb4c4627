//! Replays the traces on the header, turn by turn, and takes them back.

use anyhow::{Context, ensure};
use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::evaluation::evaluate;
use pacman2_bots::policy::quick_action;
use pacman2_rules::{Action, BySeat, Ruleset, Seat};

use super::compiler::Compiler;
use super::fixtures::{self, Game};
use super::replay::HeaderReplay;

pub(super) fn check() -> anyhow::Result<()> {
    let games = fixtures::read()?;
    let compiler = Compiler::find()?;
    let mut header = HeaderReplay::start(&HeaderReplay::compile(&compiler)?)?;
    let mut turns = 0;
    for game in &games {
        turns += compare(&mut header, game).with_context(|| game.name.clone())?;
    }
    println!("both layers of the header play {} games as the sample program does, {turns} turns", games.len());
    Ok(())
}

/// Compares a game: the drop-in layer with the trace, the fast layer with the rules, its evaluation and its quick actions with the built-in
/// bots. Returns the number of turns.
fn compare(header: &mut HeaderReplay, game: &Game) -> anyhow::Result<usize> {
    let turns = header.play(&game.init, &game.actions)?;
    let hash = turns.last().context("the game has no turns")?.hash;
    ensure!(hash == game.hash, "expected the turns of hash {:016x}, got {hash:016x}", game.hash);
    let (map, _) = pacman2_botzone::init_data::read(&game.init, 0, Ruleset::default())?;
    let tables = DistanceTables::new(&map.maze);
    let mut state = map.start;
    for (turn, (header, actions)) in (1..).zip(turns.iter().zip(&game.actions)) {
        let action = |seat: Seat| actions[seat.index()].map_or(Action::Invalid, pacman2_botzone::action::from_number);
        state.play(&map.maze, &BySeat::from_fn(action), &mut ());
        ensure!(header.fingerprint == state.fingerprint(), "turn {turn}: the fast layer has another position than the rules");
        let values = evaluate(&tables, &map.maze, &state).map(|points| (points * 100.0).round() as i32);
        let near = values.iter().zip(header.hundredths).all(|(value, header)| value.abs_diff(header) <= 1);
        ensure!(near, "turn {turn}: the evaluation is {:?} by the header, {values:?} by the bots", header.hundredths);
        let quick = Seat::ALL.map(|seat| pacman2_botzone::action::to_number(quick_action(&tables, &map.maze, &state, seat)));
        ensure!(
            header.quick == quick,
            "turn {turn}: the quick actions are {:?} by the header, {quick:?} by the bots",
            header.quick
        );
    }
    Ok(turns.len())
}
