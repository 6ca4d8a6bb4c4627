//! Local AI: replies of a site, one after another. Whatever they say, a match has one response for each turn, and continues from its
//! envelope.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use pacman2_botzone::local_ai::{LocalMatch, Message, Poll, answer_header};
use pacman2_rules::{ForfeitRuling, Ruleset};

fuzz_target!(|text: &str| {
    let rules = Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge);
    let mut games = BTreeMap::new();
    for reply in text.split("\n---\n") {
        let Ok(poll) = Poll::parse(reply) else { continue };
        for (id, message) in poll.requests {
            let Ok(message) = message else { continue };
            let Some(game) = games.get_mut(&id) else {
                games.extend(LocalMatch::begin(&message, rules).ok().map(|game| (id, game)));
                continue;
            };
            let game: &mut LocalMatch = game;
            game.answer(serde_json::json!({ "action": -1, "tauntText": text }).into());
            assert!(answer_header(&id, game.unsent().expect("it was answered")).1.is_ascii());
            game.delivered();
            let _ = game.receive(&message, true);
            assert_eq!(game.turns().len(), game.responses().len());
            let Ok(kept) = Message::parse(&game.envelope("").to_string()) else { panic!("an envelope is JSON") };
            let again = LocalMatch::begin(&kept, rules).expect("a match continues from its envelope");
            assert_eq!(again.session().game().state(), game.session().game().state());
        }
    }
});
