//! Every word of the vocabulary on every instruction set of the machine, against plain arithmetic lane by lane.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{Work, with};
use crate::InstructionSet;
use crate::lanes::{Bytes, Column, LANES, LINES, Lanes, Mask, Sets, Table, Walls, Words, slot, word_slot};

/// A byte for each lane.
type Row = [u8; LANES];

/// Does a check with each instruction set that the machine has.
fn on_each(check: impl Work<Done = ()> + Copy) {
    for set in InstructionSet::ALL {
        if set.is_available() {
            with(set, check);
        } else {
            eprintln!("not checked: this machine does not have {set}");
        }
    }
}

/// A check that is the same function for any instruction set.
macro_rules! check {
    ($name:ident, $lanes:ident, $body:block) => {
        #[test]
        fn $name() {
            #[derive(Clone, Copy)]
            struct Check;
            impl Work for Check {
                type Done = ();
                fn with<$lanes: Lanes>(self) {
                    $lanes::within(|| $body)
                }
            }
            on_each(Check);
        }
    };
}

fn chance() -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(5)
}

fn random_row(chance: &mut impl Rng) -> Row {
    let mut row = [0; LANES];
    chance.fill_bytes(&mut row);
    row
}

fn random_table(chance: &mut impl Rng) -> Table {
    let mut table = Table([0; 128]);
    chance.fill_bytes(&mut table.0);
    table
}

/// All pairs of bytes, 64 at a time.
fn all_pairs() -> impl Iterator<Item = (Row, Row)> {
    (0..1024_usize).map(|row| {
        let number = |lane: usize| LANES * row + lane;
        (std::array::from_fn(|lane| number(lane) as u8), std::array::from_fn(|lane| (number(lane) >> 8) as u8))
    })
}

/// All bytes, 64 at a time, each in several lanes.
fn all_bytes() -> impl Iterator<Item = Row> {
    (0..=u8::MAX).map(|first| std::array::from_fn(|lane| first.wrapping_add((37 * lane) as u8)))
}

/// Masks of all kinds: none, all, each lane alone, and random ones.
fn masks() -> impl Iterator<Item = u64> {
    let mut chance = chance();
    let random = std::iter::repeat_with(move || chance.next_u64()).take(200);
    [0, u64::MAX, 0xffff_ffff, 0xffff_0000_ffff_0000].into_iter().chain((0..64).map(|lane| 1 << lane)).chain(random)
}

fn bytes<L: Lanes>(row: Row) -> L::Bytes {
    L::Bytes::load(&Column(row))
}

fn row<L: Lanes>(bytes: L::Bytes) -> Row {
    let mut column = Column([0; LANES]);
    bytes.store(&mut column);
    column.0
}

fn bits(is: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).map(|lane| u64::from(is(lane)) << lane).sum()
}

fn has(bits: u64, lane: usize) -> bool {
    bits >> lane & 1 != 0
}

/// That an operation on two bytes does the same as plain arithmetic, for all pairs.
fn same_for_pairs<L: Lanes>(name: &str, lanes: impl Fn(L::Bytes, L::Bytes) -> L::Bytes, plain: impl Fn(u8, u8) -> u8) {
    for (a, b) in all_pairs() {
        let expected: Row = std::array::from_fn(|lane| plain(a[lane], b[lane]));
        assert_eq!(row::<L>(lanes(bytes::<L>(a), bytes::<L>(b))), expected, "{name} of {a:?} and {b:?}");
    }
}

/// That a comparison of two bytes says the same as a plain one, for all pairs.
fn same_answer_for_pairs<L: Lanes>(name: &str, lanes: impl Fn(L::Bytes, L::Bytes) -> L::Mask, plain: impl Fn(u8, u8) -> bool) {
    for (a, b) in all_pairs() {
        let expected = bits(|lane| plain(a[lane], b[lane]));
        assert_eq!(lanes(bytes::<L>(a), bytes::<L>(b)).bits(), expected, "{name} of {a:?} and {b:?}");
    }
}

/// That an operation on one byte does the same as plain arithmetic.
fn same_for_each<L: Lanes>(
    name: &str,
    rows: impl Iterator<Item = Row>,
    lanes: impl Fn(L::Bytes) -> L::Bytes,
    plain: impl Fn(u8) -> u8,
) {
    for a in rows {
        assert_eq!(row::<L>(lanes(bytes::<L>(a))), a.map(&plain), "{name} of {a:?}");
    }
}

check!(masks_are_their_bits, L, {
    assert_eq!(L::Mask::none().bits(), 0);
    for bits in masks() {
        let mask = L::Mask::from_bits(bits);
        assert_eq!(mask.bits(), bits);
        assert_eq!((!mask).bits(), !bits);
        assert_eq!(mask.any(), bits != 0, "any of {bits:#x}");
    }
});

check!(masks_are_combined_lane_by_lane, L, {
    for (a, b) in masks().zip(masks().skip(1)) {
        let (first, second) = (L::Mask::from_bits(a), L::Mask::from_bits(b));
        assert_eq!((first & second).bits(), a & b);
        assert_eq!((first | second).bits(), a | b);
    }
});

check!(bytes_are_stored_as_they_were_loaded, L, {
    for value in 0..=u8::MAX {
        assert_eq!(row::<L>(L::Bytes::all(value)), [value; LANES]);
    }
    for row_of_all in all_bytes() {
        assert_eq!(row::<L>(bytes::<L>(row_of_all)), row_of_all);
    }
});

check!(sums_wrap, L, {
    same_for_pairs::<L>("sum", |a, b| a + b, u8::wrapping_add);
    same_for_pairs::<L>("difference", |a, b| a - b, u8::wrapping_sub);
    same_for_pairs::<L>("sum at most 255", |a, b| a.plus_at_most(b), u8::saturating_add);
});

check!(bytes_are_combined_bit_by_bit, L, {
    same_for_pairs::<L>("and", |a, b| a & b, |a, b| a & b);
    same_for_pairs::<L>("or", |a, b| a | b, |a, b| a | b);
    same_for_pairs::<L>("xor", |a, b| a ^ b, |a, b| a ^ b);
});

check!(comparisons_know_of_signs, L, {
    same_answer_for_pairs::<L>("equals", |a, b| a.equals(b), |a, b| a == b);
    same_answer_for_pairs::<L>("below", |a, b| a.below(b), |a, b| a < b);
    same_answer_for_pairs::<L>("above", |a, b| a.above(b), |a, b| a as i8 > b as i8);
    same_answer_for_pairs::<L>("topmost", |a, _| a.topmost(), |a, _| a >= 128);
});

check!(masks_choose_lanes, L, {
    let mut chance = chance();
    for bits in masks() {
        let (a, b) = (random_row(&mut chance), random_row(&mut chance));
        let (mask, first, second) = (L::Mask::from_bits(bits), bytes::<L>(a), bytes::<L>(b));
        let expect = |name: &str, found: L::Bytes, there: &dyn Fn(u8, u8) -> u8, elsewhere: &dyn Fn(u8, u8) -> u8| {
            let plain = |lane| if has(bits, lane) { there(a[lane], b[lane]) } else { elsewhere(a[lane], b[lane]) };
            assert_eq!(row::<L>(found), std::array::from_fn(plain), "{name} in {bits:#x} of {a:?} and {b:?}");
        };
        let first_there = |a, _| a;
        expect("choose", L::Bytes::choose(mask, first, second), &first_there, &|_, b| b);
        expect("only", first.only(mask), &first_there, &|_, _| 0);
        expect("plus", first.plus(mask, second), &u8::wrapping_add, &first_there);
        expect("minus", first.minus(mask, second), &u8::wrapping_sub, &first_there);
        expect("count_down", first.count_down(mask), &|a, _| a.saturating_sub(1), &first_there);
    }
});

check!(counting_down_ends_at_zero, L, {
    same_for_each::<L>("count_down", all_bytes(), |a| a.count_down(!L::Mask::none()), |a| a.saturating_sub(1));
});

check!(single_bytes_are_changed_lane_by_lane, L, {
    same_for_each::<L>("at_least_zero", all_bytes(), |a| a.at_least_zero(), |a| (a as i8).max(0) as u8);
    same_for_each::<L>("count_ones", all_bytes(), |a| a.count_ones(), |a| a.count_ones() as u8);
    let below_128 = all_bytes().map(|row| row.map(|byte| byte & 127));
    same_for_each::<L>("halved", below_128, |a| a.halved(), |a| a / 2);
    same_for_each::<L>("sixteenth", all_bytes(), |a| a.sixteenth(), |a| a / 16);
});

check!(tables_are_looked_up_without_the_topmost_bit, L, {
    let mut chance = chance();
    for _ in 0..20 {
        let table = random_table(&mut chance);
        same_for_each::<L>("look_up", all_bytes(), |a| a.look_up(&table), |a| table.0[usize::from(a & 127)]);
    }
});

check!(tables_are_chosen_lane_by_lane, L, {
    let mut chance = chance();
    for _ in 0..4 {
        // No byte is 0, so that one is told from an answer of no table.
        let tables = [(); 4].map(|()| Table(random_table(&mut chance).0.map(|byte| byte | 1)));
        let plain = |index: u8, which: u8| tables.get(usize::from(which)).map_or(0, |table| table.0[usize::from(index & 127)]);
        same_for_pairs::<L>("look_up_in", |index, which| index.look_up_in(&tables, which), plain);
        // Beside each other in all combinations.
        for _ in 0..500 {
            let (index, which) = (random_row(&mut chance), random_row(&mut chance).map(|byte| byte % 5));
            let found = row::<L>(bytes::<L>(index).look_up_in(&tables, bytes::<L>(which)));
            assert_eq!(found, std::array::from_fn(|lane| plain(index[lane], which[lane])), "{index:?} in {which:?}");
        }
    }
});

/// A word for each lane, in the order of lanes.
type WordRow = [u32; LANES];

fn words<L: Lanes>(row: WordRow) -> L::Words {
    let mut column = Column([0; LANES]);
    for (lane, word) in row.into_iter().enumerate() {
        column.0[word_slot(lane)] = word;
    }
    L::Words::load(&column)
}

fn word_row<L: Lanes>(words: L::Words) -> WordRow {
    let mut column = Column([0; LANES]);
    words.store(&mut column);
    std::array::from_fn(|lane| column.0[word_slot(lane)])
}

fn random_words(chance: &mut impl Rng) -> WordRow {
    std::array::from_fn(|_| chance.next_u32())
}

check!(words_are_changed_lane_by_lane, L, {
    let mut chance = chance();
    for _ in 0..200 {
        let (a, b) = (random_words(&mut chance), random_words(&mut chance));
        let (first, second) = (words::<L>(a), words::<L>(b));
        assert_eq!(word_row::<L>(first), a);
        assert_eq!(word_row::<L>(first + second), std::array::from_fn(|lane| a[lane].wrapping_add(b[lane])));
        assert_eq!(word_row::<L>(first ^ second), std::array::from_fn(|lane| a[lane] ^ b[lane]));
        assert_eq!(word_row::<L>(first.shifted_left::<9>()), a.map(|word| word << 9));
        assert_eq!(word_row::<L>(first.rotated_left::<7>()), a.map(|word| word.rotate_left(7)));
        assert_eq!(word_row::<L>(first.rotated_left::<11>()), a.map(|word| word.rotate_left(11)));
    }
});

/// That parts of these numbers by the halves of these words are what plain arithmetic says.
fn same_parts<L: Lanes>(numbers: Row, row_of_words: WordRow) {
    for (half, fractions) in words::<L>(row_of_words).halves().iter().enumerate() {
        let fraction = |lane: usize| row_of_words[lane] >> (16 * half) & 0xffff;
        let plain = |lane| ((u32::from(numbers[lane]) * fraction(lane)) >> 16) as u8;
        let found = row::<L>(bytes::<L>(numbers).part(fractions));
        assert_eq!(found, std::array::from_fn(plain), "half {half} of {row_of_words:?}, times {numbers:?}");
    }
}

check!(parts_of_small_numbers_are_rounded_down, L, {
    let mut chance = chance();
    for number in 0..=16 {
        // Around each fraction at which the whole part changes, in each half.
        let edges = (1..=u32::from(number)).flat_map(|part| {
            let edge = (part << 16).div_ceil(number.into());
            [edge.saturating_sub(1), edge.min(0xffff)]
        });
        for fraction in edges.chain([0, 1, 0x7fff, 0x8000, 0xfffe, 0xffff]) {
            same_parts::<L>([number; LANES], [fraction; LANES]);
            same_parts::<L>([number; LANES], [fraction << 16; LANES]);
        }
    }
    for _ in 0..2000 {
        same_parts::<L>(random_row(&mut chance).map(|byte| byte % 17), random_words(&mut chance));
    }
});

/// That the answers for these cells in sets of these words are what their bits say.
fn same_found<L: Lanes>(sets: &Sets, cells: [Row; 4]) {
    let bit = |lane: usize, seat: usize| {
        let cell = cells[seat][lane];
        sets[usize::from(cell / 64)].0[slot(lane)] >> (cell % 64) & 1 != 0
    };
    let expected = [0, 1, 2, 3].map(|seat| bits(|lane| bit(lane, seat)));
    let in_lanes = cells.map(|row| bytes::<L>(row));
    assert_eq!(L::found(sets, &in_lanes).map(|mask| mask.bits()), expected, "cells {cells:?} in {sets:?}");
}

/// The largest field has so many cells; beyond them nothing is in any set.
const CELLS: usize = (pacman2_rules::MAX_SIDE as usize).pow(2);

check!(cells_are_found_in_their_sets, L, {
    let mut chance = chance();
    let in_field = [u64::MAX, (1 << (CELLS - 64)) - 1];
    let mut random_sets = || in_field.map(|cells| Column(std::array::from_fn(|_| chance.next_u64() & cells)));
    let (none, all): (Sets, Sets) = ([Column([0; LANES]); 2], in_field.map(|cells| Column([cells; LANES])));
    for first in 0..CELLS {
        let cells = [0, 1, 64, 120].map(|more| std::array::from_fn(|lane| ((first + more + 3 * lane) % CELLS) as u8));
        for sets in [none, all, random_sets(), random_sets()] {
            same_found::<L>(&sets, cells);
        }
    }
});

check!(each_cell_is_found_only_in_its_lane, L, {
    // One bit in all sets: who is found is who stands there, in this lane and in no other.
    for lane in 0..LANES {
        for cell in 0..CELLS as u8 {
            let mut sets: Sets = [Column([0; LANES]); 2];
            sets[usize::from(cell / 64)].0[slot(lane)] = 1 << (cell % 64);
            same_found::<L>(&sets, [[cell; LANES], [cell ^ 1; LANES], [cell ^ 64; LANES], [cell; LANES]]);
        }
    }
});

// All positions of lines of all lengths, with walls at random, against a walk from cell to cell.
check!(steps_to_walls_are_counted, L, {
    let mut chance = chance();
    for round in 0..2000 {
        let lengths: [Row; 4] = std::array::from_fn(|_| std::array::from_fn(|_| (1 + chance.next_u64() % 11) as u8));
        let positions = lengths.map(|row| row.map(|length| (chance.next_u64() % u64::from(length)) as u8));
        let lines: [Row; 4] = std::array::from_fn(|_| std::array::from_fn(|_| (chance.next_u64() % LINES as u64) as u8));
        let mut walls: Box<Walls> = Box::new(Column([[0; LINES]; LANES]));
        for seat in 0..4 {
            for lane in 0..LANES {
                let few = chance.next_u64() & chance.next_u64() & if round % 2 == 0 { !0 } else { chance.next_u64() };
                walls.0[lane][usize::from(lines[seat][lane])] = few as u16 & ((1 << lengths[seat][lane]) - 1);
            }
        }
        let in_lanes = |rows: [Row; 4]| rows.map(|row| bytes::<L>(row));
        let found = L::steps_to_wall(&walls, in_lanes(lines), in_lanes(positions), in_lanes(lengths));
        for seat in 0..4 {
            let mut column = Column([0; LANES]);
            found[seat].store(&mut column);
            for lane in 0..LANES {
                let (length, position) = (lengths[seat][lane], positions[seat][lane]);
                let line = walls.0[lane][usize::from(lines[seat][lane])];
                if line >> length != 0 {
                    // Another seat has the same line and thinks it longer.
                    continue;
                }
                let walk = (0..length).find(|steps| line >> ((position + steps) % length) & 1 != 0);
                match walk {
                    Some(steps) => assert_eq!(column.0[lane], steps, "from {position} of {length}, walls {line:b}"),
                    None => assert!((length..=31).contains(&column.0[lane]), "from {position} of {length}: no wall"),
                }
            }
        }
    }
});
