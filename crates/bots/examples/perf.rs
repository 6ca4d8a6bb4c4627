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
    let n = 300000;
    for _ in 0..2 {
        let t = std::time::Instant::now();
        let mut turns = 0u64;
        let mut sum = 0u64;
        for _ in 0..n {
            let s = bots::playout::play_out(&arena, start, &mut rng);
            turns += s.turn as u64;
            sum = sum.wrapping_add(s.strength[Seat::S0] as u64);
        }
        let e = t.elapsed().as_secs_f64();
        println!("{:.2} Mturn/s avg len {:.1} sum {sum}", turns as f64 / e / 1e6, turns as f64 / n as f64);
    }
}
