//! The names of replays that `play --lost` keeps: by the seed, and by the seat of the bot that lost.

use std::path::Path;

use pacman2_rules::Seat;

/// Returns the name of the replay of a match.
pub fn file_name(seed: i32, seat: Seat) -> String {
    format!("{seed}-seat{seat}.json")
}

/// Returns the seat that such a name contains.
pub fn seat_in_name(file: &Path) -> Option<Seat> {
    let (_, seat) = file.file_stem()?.to_str()?.rsplit_once("-seat")?;
    Seat::new(seat.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_seat() {
        let names = ["17-seat2.json", "x/-5-seat0.json", "17-seat4.json", "17-seat.json", "last.json"];
        let seats = names.map(|name| seat_in_name(Path::new(name)));
        assert_eq!(seats, [Some(Seat::S2), Some(Seat::S0), None, None, None]);
        assert_eq!(seat_in_name(Path::new(&file_name(-5, Seat::S3))), Some(Seat::S3));
    }
}
