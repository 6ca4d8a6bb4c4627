//! The gallery of the static site: games of the built-in bots that are worth seeing.
//!
//! The task plays many games and keeps a dozen of them, as links with a sentence in both languages, in a file of the
//! repository. Bots that search do a fixed number of simulations, so the same options lead to the same file everywhere.

mod story;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_bots::{BotConfig, BuiltIn, Effort, Method};
use pacman2_botzone::action;
use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::session::Session;
use pacman2_maps::{Map, MapSize};
use pacman2_replay::{LimitsInfo, PrivatePart, Replay, SeatInfo};
use pacman2_rules::{BySeat, Ruleset};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

use crate::cargo;
use story::{Kind, Story};

/// How many games of each kind are kept.
const KEPT: [(Kind, usize); 6] =
    [(Kind::LeadChanges, 3), (Kind::Hunt, 3), (Kind::Shot, 2), (Kind::Comeback, 2), (Kind::Feast, 1), (Kind::CloseFinish, 1)];
/// The bots that play; the strong ones more often.
const BOTS: [&str; 7] = ["sage", "sage", "sage", "hunter", "hunter", "greedy", "sample"];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many games are played
    #[arg(long, default_value_t = 400, value_name = "N")]
    games: u32,
    /// The simulations of `sage` for each turn
    #[arg(long, default_value_t = 400, value_name = "N")]
    simulations: u32,
    /// The seed of the first map; the others follow it
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: i32,
}

/// A game of the gallery.
#[derive(Serialize, Deserialize)]
struct GalleryGame {
    /// The game as a link holds it, after `#g=`.
    game: String,
    /// The turn with which the story begins.
    turn: usize,
    /// The players' names.
    seats: [String; 4],
    /// What there is to see, from which the sentences are made.
    story: Story,
    en: String,
    zh: String,
}

/// Returns the file of the gallery.
pub(crate) fn file(root: &Path) -> PathBuf {
    root.join("crates/web/viewer/gallery.json")
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let games: Vec<(Replay, Vec<Story>)> = (0..args.games)
        .into_par_iter()
        .map(|number| {
            let replay = play(args.seed.wrapping_add_unsigned(number) & i32::MAX, args.simulations)?;
            let stories = story::stories(&replay.public.map, &replay.verify()?);
            Ok((replay, stories))
        })
        .collect::<anyhow::Result<_>>()?;
    let mut chosen: Vec<usize> = vec![];
    let mut gallery = vec![];
    for (kind, number) in KEPT {
        let mut best: Vec<(usize, &Story)> = vec![];
        for (index, (_, stories)) in games.iter().enumerate() {
            best.extend(stories.iter().filter(|story| story.kind() == kind).map(|story| (index, story)));
        }
        best.sort_by_key(|(_, story)| std::cmp::Reverse(story.value()));
        let mut left = number;
        for (index, story) in best {
            if left > 0 && !chosen.contains(&index) {
                chosen.push(index);
                gallery.push(item(&games[index].0, story.clone())?);
                left -= 1;
            }
        }
    }
    let mut text = "[".to_owned();
    for (index, game) in gallery.iter().enumerate() {
        text += if index == 0 { "\n" } else { ",\n" };
        text += &serde_json::to_string(game)?;
        println!("{}", game.en);
    }
    text += "\n]\n";
    let path = file(&cargo::root());
    let part = path.with_extension("part");
    fs::write(&part, text).with_context(|| part.display().to_string())?;
    fs::rename(&part, &path).with_context(|| path.display().to_string())?;
    println!("{}: {} of {} games", path.display(), gallery.len(), args.games);
    Ok(())
}

fn item(replay: &Replay, story: Story) -> anyhow::Result<GalleryGame> {
    let seats = replay.public.seats.each_ref().map(|seat| seat.name.clone());
    Ok(GalleryGame {
        game: replay.to_link()?,
        turn: story.first_turn(),
        en: story.in_english(&seats),
        zh: story.in_chinese(&seats),
        seats,
        story,
    })
}

/// Plays a game of bots that the seed selects, on the map of the seed.
fn play(seed: i32, simulations: u32) -> anyhow::Result<Replay> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed as u64);
    let bots = BySeat::from_fn(|_| {
        let name = BOTS[(rng.next_u64() % BOTS.len() as u64) as usize];
        BuiltIn::named(name).expect("the bots are built in")
    });
    let mut agents = Vec::new();
    for bot in bots.0 {
        let config = BotConfig::new(bot);
        let config = if bot.method == Method::Search { config.with_effort(Effort::Simulations(simulations))? } else { config };
        agents.push(config.start());
    }
    let map = Map::generate(seed, MapSize::default(), Ruleset::default())?;
    let mut session = Session::new(map.clone());
    let mut turns = vec![];
    while !session.game().is_over() {
        let (game, alive) = (session.game(), session.game().state().alive);
        let responses = BySeat::from_fn(|seat| {
            let number = alive.contains(seat).then(|| action::to_number(agents[seat.index()](game, seat, seed)))?;
            Some(ParsedResponse::Action { number, taunt: None })
        });
        turns.extend(session.play(&responses));
    }
    let seats = bots.map(|bot| SeatInfo::named(bot.name));
    Ok(Replay::new(&map, seats, LimitsInfo::default(), turns.iter(), PrivatePart::default()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_sentence_of_the_gallery_is_true() {
        let text = fs::read_to_string(file(&cargo::root())).unwrap();
        let gallery: Vec<GalleryGame> = serde_json::from_str(&text).unwrap();
        assert_eq!(gallery.len(), KEPT.iter().map(|(_, number)| number).sum::<usize>());
        let mut seen = HashSet::new();
        for GalleryGame { game, turn, seats, story, en, zh } in gallery {
            let replay = Replay::from_link(&game).unwrap();
            assert_eq!(replay.public.seats.each_ref().map(|seat| seat.name.clone()), seats);
            let turns = replay.verify().unwrap();
            assert!(story::stories(&replay.public.map, &turns).contains(&story), "{en}");
            story::check(&replay.public.map, &turns, &story);
            assert_eq!((story.in_english(&seats), story.in_chinese(&seats), story.first_turn()), (en, zh, turn));
            assert!(turn < turns.len());
            assert!(seen.insert(game), "a game is there twice");
        }
    }

    #[test]
    fn a_game_is_the_same_everywhere() {
        let [one, other] = [(); 2].map(|()| play(7, 20).unwrap());
        assert_eq!(one, other);
        assert!(one.verify().is_ok());
    }
}
