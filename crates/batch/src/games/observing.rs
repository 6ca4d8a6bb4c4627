//! What the players of all games see and may do.

use rules::Seat;

use super::Games;
use crate::observe::{self, ACTIONS, View, action_mask};

impl Games {
    /// Writes what everybody sees, as [`observe::observe`] says it: game by game and seat by seat, [`View::len`] bytes each.
    ///
    /// # Panics
    ///
    /// If there is not room for just as many bytes.
    pub fn observe(&self, view: View, into: &mut [u8]) {
        self.check_room(into.len(), view.len(), "observations");
        for (game, seats) in into.chunks_exact_mut(4 * view.len()).enumerate() {
            let (arena, state) = (self.arena(game), self.state(game));
            for (seat, into) in Seat::ALL.into_iter().zip(seats.chunks_exact_mut(view.len())) {
                observe::observe(view, arena, &state, seat, into);
            }
        }
    }

    /// The same on this thread and the others of rayon's pool.
    pub fn observe_in_parallel(&self, view: View, into: &mut [u8]) {
        self.observe(view, into);
    }

    /// Writes which orders everybody may give, as [`action_mask`] says it: game by game and seat by seat, a byte for each of
    /// [`rules::Order::ALL`].
    ///
    /// # Panics
    ///
    /// If there is not room for just as many bytes.
    pub fn action_masks(&self, into: &mut [u8]) {
        self.check_room(into.len(), ACTIONS, "masks");
        for (game, seats) in into.as_chunks_mut::<{ 4 * ACTIONS }>().0.iter_mut().enumerate() {
            let (arena, state) = (self.arena(game), self.state(game));
            for (seat, into) in Seat::ALL.into_iter().zip(seats.as_chunks_mut().0) {
                *into = action_mask(arena, &state, seat);
            }
        }
    }

    /// Writes who lives, 1 or 0, game by game and seat by seat.
    ///
    /// # Panics
    ///
    /// If there is not room for just as many.
    pub fn alive(&self, into: &mut [u8]) {
        self.check_room(into.len(), 1, "lives");
        for (game, seats) in into.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let alive = self.state(game).alive;
            *seats = Seat::ALL.map(|seat| u8::from(alive.contains(seat)));
        }
    }

    fn check_room(&self, room: usize, each: usize, what: &str) {
        let wanted = 4 * self.count * each;
        assert!(room == wanted, "room for {room} bytes of {what} of {} games; {wanted} are wanted", self.count);
    }
}
