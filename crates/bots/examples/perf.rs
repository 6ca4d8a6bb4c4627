use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};
use rules::*;
fn main() {
    // static/content lines from stdin: w h then numbers
    let text = std::io::read_to_string(std::io::stdin()).unwrap();
    let mut it = text.split_whitespace().map(|x| x.parse::<usize>().unwrap());
    let (w, h) = (it.next().unwrap(), it.next().unwrap());
    let st: Vec<usize> = (0..w * h).map(|_| it.next().unwrap()).collect();
    let ct: Vec<usize> = (0..w * h).map(|_| it.next().unwrap()).collect();
    let squares = st
        .iter()
        .map(|&s| {
            let mut walls = Walls::NONE;
            for d in Direction::ALL {
                if s >> d.index() & 1 != 0 {
                    walls.build(d)
                }
            }
            Square { walls, generator: s & 16 != 0 }
        })
        .collect();
    let arena = Arena::new(&Plan { width: w as u8, height: h as u8, squares, settings: Settings::default() }).unwrap();
    let mut cells = BySeat::default();
    let mut small = CellSet::EMPTY;
    let mut large = CellSet::EMPTY;
    for (c, &v) in arena.cells().zip(&ct) {
        for s in Seat::ALL {
            if v >> s.index() & 1 != 0 {
                cells[s] = c
            }
        }
        if v & 16 != 0 {
            small.insert(c)
        }
        if v & 32 != 0 {
            large.insert(c)
        }
    }
    let start = State::start(&arena, cells, small, large);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let seconds: f64 = std::env::args().nth(1).map_or(0.5, |x| x.parse().unwrap());
    let t = std::time::Instant::now();
    let (mut turns, mut sum, mut n) = (0u64, 0u64, 0u64);
    let games: u64 = std::env::args().nth(2).map_or(u64::MAX, |x| x.parse().unwrap());
    while t.elapsed().as_secs_f64() < seconds && n < games {
        for _ in 0..1000 {
            let s = bots::playout::play_out(&arena, start, &mut rng);
            turns += s.turn as u64;
            sum = sum.wrapping_add(s.strength[Seat::S0] as u64);
        }
        n += 1000;
    }
    let e = t.elapsed().as_secs_f64();
    println!("{:.3} Mturn/s avg len {:.2} mean {:.3}", turns as f64 / e / 1e6, turns as f64 / n as f64, sum as f64 / n as f64);
}
