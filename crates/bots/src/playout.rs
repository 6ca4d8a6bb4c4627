//! Uniformly random games, the sample bot's way of looking ahead.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;
use rules::{Arena, Order, State};

/// Plays on with uniformly random legal orders of the living until the game is over.
pub fn play_out(arena: &Arena, mut state: State, random: &mut Xoshiro256PlusPlus) -> State {
    state.play_out(arena, || random.next_u64());
    state
}

/// One of the orders, each as likely as any other to within 9 in 2³².
#[inline]
pub fn pick(orders: &[Order], random: &mut Xoshiro256PlusPlus) -> Order {
    let draw = random.next_u64() >> 32;
    orders[((draw * orders.len() as u64) >> 32) as usize]
}
