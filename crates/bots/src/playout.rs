//! Uniformly random games, the sample bot's way of looking ahead.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;
use rules::{Arena, BySeat, Order, Seat, State};

/// Plays on with uniformly random legal orders of the living until the game is over.
pub fn play_out(arena: &Arena, mut state: State, random: &mut Xoshiro256PlusPlus) -> State {
    if state.is_over(arena) {
        return state;
    }
    let mut orders = BySeat([Order::Stay; 4]);
    loop {
        for seat in Seat::ALL {
            if state.alive.contains(seat) {
                orders[seat] = pick(state.legal_orders(arena, seat), random);
            }
        }
        if !state.play(arena, &orders, &mut ()) {
            return state;
        }
    }
}

/// One of the orders, each as likely as any other to within 9 in 2³².
#[inline]
pub fn pick(orders: &[Order], random: &mut Xoshiro256PlusPlus) -> Order {
    let draw = random.next_u64() >> 32;
    orders[(draw * orders.len() as u64 >> 32) as usize]
}
