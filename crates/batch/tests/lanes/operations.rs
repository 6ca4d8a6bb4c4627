//! Every operation of every instruction set of this CPU, compared with plain arithmetic lane by lane.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::arch::{Work, dispatch};
use crate::instruction_set::InstructionSet;
use crate::lanes::{
    Bytes, CellSets, Column, LANES, LINES, Lanes, Mask, Table, Walls, Words, by_column, by_game, set_index, word_index,
};
use crate::maze_tables::draw_actions;

/// A byte for each lane.
type Row = [u8; LANES];

/// Runs a check with each instruction set of this CPU.
fn for_each_set(check: impl Work<Output = ()> + Copy) {
    for set in InstructionSet::ALL {
        if set.is_available() {
            dispatch(set, check);
        } else {
            eprintln!("skipped: {set} is not available on this CPU");
        }
    }
}

/// Defines a test that runs the same code with each instruction set, in all lanes and in each of the parts that turns are played in.
macro_rules! check {
    ($name:ident, $set:ident, $lanes:ident, $body:block) => {
        #[test]
        fn $name() {
            #[derive(Clone, Copy)]
            struct Check;
            impl Work for Check {
                type Output = ();
                fn run<L: Lanes>(self, lanes: L) {
                    check(lanes);
                    lanes.parts().filter(|part| part.range() != lanes.range()).for_each(check);
                }
            }
            fn check<$set: Lanes>($lanes: $set) $body
            for_each_set(Check);
        }
    };
}

fn test_rng() -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(5)
}

fn random_row(rng: &mut impl Rng) -> Row {
    let mut row = [0; LANES];
    rng.fill_bytes(&mut row);
    row
}

fn random_table(rng: &mut impl Rng) -> Table {
    let mut table = Table([0; 128]);
    rng.fill_bytes(&mut table.0);
    table
}

/// Returns all pairs of bytes, 64 at a time.
fn all_pairs() -> impl Iterator<Item = (Row, Row)> {
    (0..1024_usize).map(|row| {
        let number = |lane: usize| LANES * row + lane;
        (std::array::from_fn(|lane| number(lane) as u8), std::array::from_fn(|lane| (number(lane) >> 8) as u8))
    })
}

/// Returns all bytes, 64 at a time, each in several lanes.
fn all_bytes() -> impl Iterator<Item = Row> {
    (0..=u8::MAX).map(|first| std::array::from_fn(|lane| first.wrapping_add((37 * lane) as u8)))
}

/// Returns no lanes, all lanes, each lane alone, and random lanes.
fn masks() -> impl Iterator<Item = u64> {
    let mut rng = test_rng();
    let random = std::iter::repeat_with(move || rng.next_u64()).take(200);
    [0, u64::MAX, 0xffff_ffff, 0xffff_0000_ffff_0000].into_iter().chain((0..64).map(|lane| 1 << lane)).chain(random)
}

fn bytes<L: Lanes>(lanes: L, row: Row) -> L::Bytes {
    lanes.load(&Column(row))
}

/// Returns the bytes of the token's lanes. Others must not be written.
fn row<L: Lanes>(lanes: L, bytes: L::Bytes) -> Vec<u8> {
    let mut column = Column([0xa5; LANES]);
    lanes.store(bytes, &mut column);
    let is_kept = (0..LANES).all(|lane| lanes.range().contains(&lane) || column.0[lane] == 0xa5);
    assert!(is_kept, "bytes of other lanes were written");
    own(lanes, &column.0)
}

/// Returns what a row has in the token's lanes.
fn own<L: Lanes, T: Copy>(lanes: L, row: &[T; LANES]) -> Vec<T> {
    row[lanes.range()].to_vec()
}

/// Returns the bits of the token's lanes.
fn own_bits(lanes: impl Lanes, all: u64) -> u64 {
    bits(|lane| lanes.range().contains(&lane) && has(all, lane))
}

fn bits(is: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).map(|lane| u64::from(is(lane)) << lane).sum()
}

fn has(bits: u64, lane: usize) -> bool {
    bits >> lane & 1 != 0
}

/// Asserts that an operation on two bytes gives the same as `plain`, for all pairs.
fn assert_binary<L: Lanes>(
    lanes: L,
    name: &str,
    operation: impl Fn(L::Bytes, L::Bytes) -> L::Bytes,
    plain: impl Fn(u8, u8) -> u8,
) {
    for (a, b) in all_pairs() {
        let expected: Row = std::array::from_fn(|lane| plain(a[lane], b[lane]));
        assert_eq!(row(lanes, operation(bytes(lanes, a), bytes(lanes, b))), own(lanes, &expected), "{name} of {a:?} and {b:?}");
    }
}

/// Asserts that a comparison of two bytes gives the same as `plain`, for all pairs.
fn assert_comparison<L: Lanes>(
    lanes: L,
    name: &str,
    operation: impl Fn(L::Bytes, L::Bytes) -> L::Mask,
    plain: impl Fn(u8, u8) -> bool,
) {
    for (a, b) in all_pairs() {
        let expected = own_bits(lanes, bits(|lane| plain(a[lane], b[lane])));
        assert_eq!(lanes.bits(operation(bytes(lanes, a), bytes(lanes, b))), expected, "{name} of {a:?} and {b:?}");
    }
}

/// Asserts that an operation on one byte gives the same as `plain`.
fn assert_unary<L: Lanes>(
    lanes: L,
    name: &str,
    rows: impl Iterator<Item = Row>,
    operation: impl Fn(L::Bytes) -> L::Bytes,
    plain: impl Fn(u8) -> u8,
) {
    for a in rows {
        assert_eq!(row(lanes, operation(bytes(lanes, a))), own(lanes, &a.map(&plain)), "{name} of {a:?}");
    }
}

check!(masks_convert_to_and_from_bits, L, lanes, {
    assert_eq!(lanes.bits(lanes.none()), 0);
    for bits in masks() {
        let mask = lanes.mask(bits);
        assert_eq!(lanes.bits(mask), own_bits(lanes, bits));
        assert_eq!(lanes.bits(!mask), own_bits(lanes, !bits));
        assert_eq!(mask.any(), own_bits(lanes, bits) != 0, "any of {bits:#x}");
    }
});

check!(masks_combine_lane_by_lane, L, lanes, {
    for (a, b) in masks().zip(masks().skip(1)) {
        let (first, second) = (lanes.mask(a), lanes.mask(b));
        assert_eq!(lanes.bits(first & second), own_bits(lanes, a & b));
        assert_eq!(lanes.bits(first | second), own_bits(lanes, a | b));
    }
});

check!(bytes_are_stored_as_loaded, L, lanes, {
    for value in 0..=u8::MAX {
        assert_eq!(row(lanes, lanes.splat(value)), own(lanes, &[value; LANES]));
    }
    for row_of_all in all_bytes() {
        assert_eq!(row(lanes, bytes(lanes, row_of_all)), own(lanes, &row_of_all));
    }
});

check!(sums_wrap_or_saturate, L, lanes, {
    assert_binary(lanes, "sum", |a, b| a + b, u8::wrapping_add);
    assert_binary(lanes, "difference", |a, b| a - b, u8::wrapping_sub);
    assert_binary(lanes, "saturating sum", |a, b| a.saturating_add(b), u8::saturating_add);
    assert_binary(lanes, "saturating difference", |a, b| a.saturating_sub(b), u8::saturating_sub);
    assert_binary(lanes, "min_u8", |a, b| a.min_u8(b), u8::min);
});

check!(bytes_combine_bit_by_bit, L, lanes, {
    assert_binary(lanes, "and", |a, b| a & b, |a, b| a & b);
    assert_binary(lanes, "or", |a, b| a | b, |a, b| a | b);
    assert_binary(lanes, "xor", |a, b| a ^ b, |a, b| a ^ b);
});

check!(comparisons_are_signed_or_unsigned, L, lanes, {
    assert_comparison(lanes, "equals", |a, b| a.equals(b), |a, b| a == b);
    assert_comparison(lanes, "lt_u8", |a, b| a.lt_u8(b), |a, b| a < b);
    assert_comparison(lanes, "gt_i8", |a, b| a.gt_i8(b), |a, b| a as i8 > b as i8);
    assert_comparison(lanes, "sign_mask", |a, _| a.sign_mask(), |a, _| a >= 128);
});

check!(masks_select_lanes, L, lanes, {
    let mut rng = test_rng();
    for bits in masks() {
        let (a, b) = (random_row(&mut rng), random_row(&mut rng));
        let (mask, first, second) = (lanes.mask(bits), bytes(lanes, a), bytes(lanes, b));
        let expect = |name: &str, found: L::Bytes, there: &dyn Fn(u8, u8) -> u8, elsewhere: &dyn Fn(u8, u8) -> u8| {
            let plain = |lane| if has(bits, lane) { there(a[lane], b[lane]) } else { elsewhere(a[lane], b[lane]) };
            assert_eq!(row(lanes, found), own(lanes, &std::array::from_fn(plain)), "{name} in {bits:#x} of {a:?} and {b:?}");
        };
        let first_there = |a, _| a;
        expect("select", L::Bytes::select(mask, first, second), &first_there, &|_, b| b);
        expect("masked", first.masked(mask), &first_there, &|_, _| 0);
        expect("masked_add", first.masked_add(mask, second), &u8::wrapping_add, &first_there);
        expect("masked_sub", first.masked_sub(mask, second), &u8::wrapping_sub, &first_there);
        expect("masked_decrement", first.masked_decrement(mask), &|a, _| a.saturating_sub(1), &first_there);
    }
});

check!(decrements_stop_at_zero, L, lanes, {
    assert_unary(lanes, "masked_decrement", all_bytes(), |a| a.masked_decrement(!lanes.none()), |a| a.saturating_sub(1));
});

check!(unary_operations_match_plain_arithmetic, L, lanes, {
    assert_unary(lanes, "max_zero_i8", all_bytes(), |a| a.max_zero_i8(), |a| (a as i8).max(0) as u8);
    let below_128 = all_bytes().map(|row| row.map(|byte| byte & 127));
    assert_unary(lanes, "halved", below_128, |a| a.halved(), |a| a / 2);
});

check!(lookups_ignore_the_highest_bit, L, lanes, {
    let mut rng = test_rng();
    for _ in 0..20 {
        let table = random_table(&mut rng);
        assert_unary(lanes, "look_up", all_bytes(), |a| a.look_up(&table), |a| table.0[usize::from(a & 127)]);
    }
});

check!(lookups_in_small_tables_take_numbers_below_sixteen, L, lanes, {
    let table: [u8; 16] = *random_table(&mut test_rng()).0.first_chunk().unwrap();
    let below_16 = all_bytes().map(|row| row.map(|byte| byte & 15));
    assert_unary(lanes, "look_up_16", below_16, |a| a.look_up_16(&table), |a| table[usize::from(a)]);
});

check!(cells_are_divided_by_eleven, L, lanes, {
    assert_unary(lanes, "quotient", all_bytes(), |a| lanes.divided_by_eleven(a)[0], |a| (a & 127) / 11);
    assert_unary(lanes, "remainder", all_bytes(), |a| lanes.divided_by_eleven(a)[1], |a| (a & 127) % 11);
});

check!(lines_are_multiplied_by_22, L, lanes, {
    let lines: [u8; LANES] = std::array::from_fn(|lane| lane as u8 % 11);
    let products = lanes.times_22(lanes.load(&Column(lines)));
    let mut found = Column([0; LANES]);
    lanes.store(products, &mut found);
    lanes.range().for_each(|lane| assert_eq!(found.0[lane], 22 * lines[lane], "lane {lane}"));
});

check!(coordinates_are_along_rows_and_along_columns, L, lanes, {
    assert_unary(lanes, "along rows", all_bytes(), |a| lanes.coordinates(a)[0], |a| 22 * ((a & 127) / 11) + (a & 127) % 11);
    let along_column = |a: u8| (22 * ((a & 127) % 11)).wrapping_add((a & 127) / 11);
    assert_unary(lanes, "along columns", all_bytes(), |a| lanes.coordinates(a)[1], along_column);
});

#[test]
fn seats_are_separated_and_put_side_by_side() {
    let games = std::array::from_fn(|lane| [0, 1, 2, 3].map(|seat| 4 * lane as u8 + seat));
    let columns = by_column(&games);
    columns.iter().enumerate().for_each(|(seat, column)| assert_eq!(column.0, games.map(|game| game[seat])));
    assert_eq!(by_game(&columns), games);
}

/// A word for each lane, in the order of lanes.
type WordRow = [u32; LANES];

/// Returns the words of each quarter of the lanes.
fn words<L: Lanes>(lanes: L, row: WordRow) -> [L::Words; 4] {
    let mut column = Column([0; LANES]);
    for (lane, word) in row.into_iter().enumerate() {
        column.0[word_index(lane)] = word;
    }
    [0, 1, 2, 3].map(|quarter| lanes.load_words(&column, quarter))
}

/// Returns the words of the token's lanes. Others must not be written.
fn word_row<L: Lanes>(lanes: L, quarters: [L::Words; 4]) -> Vec<u32> {
    let mut column = Column([0xa5a5; LANES]);
    (0..4).zip(quarters).for_each(|(quarter, words)| lanes.store_words(words, &mut column, quarter));
    let row = std::array::from_fn(|lane| column.0[word_index(lane)]);
    assert!((0..LANES).all(|lane| lanes.range().contains(&lane) || row[lane] == 0xa5a5), "words of other lanes were written");
    own(lanes, &row)
}

fn random_words(rng: &mut impl Rng) -> WordRow {
    std::array::from_fn(|_| rng.next_u32())
}

check!(word_operations_match_plain_arithmetic, L, lanes, {
    let mut rng = test_rng();
    for _ in 0..200 {
        let (a, b) = (random_words(&mut rng), random_words(&mut rng));
        let (first, second) = (words(lanes, a), words(lanes, b));
        let expect = |found: [L::Words; 4], plain: WordRow| assert_eq!(word_row(lanes, found), own(lanes, &plain));
        expect(first, a);
        expect(by_seat!(quarter => first[quarter] + second[quarter]), std::array::from_fn(|lane| a[lane].wrapping_add(b[lane])));
        expect(by_seat!(quarter => first[quarter] ^ second[quarter]), std::array::from_fn(|lane| a[lane] ^ b[lane]));
        expect(first.map(|words| words.shift_left::<9>()), a.map(|word| word << 9));
        expect(first.map(|words| words.rotate_left::<7>()), a.map(|word| word.rotate_left(7)));
        expect(first.map(|words| words.rotate_left::<11>()), a.map(|word| word.rotate_left(11)));
    }
});

/// Asserts that the products of these numbers with the halves of these words match plain arithmetic.
fn assert_mul_hi<L: Lanes>(lanes: L, numbers: Row, row_of_words: WordRow) {
    for (half, fractions) in L::Words::halves(words(lanes, row_of_words)).iter().enumerate() {
        let fraction = |lane: usize| row_of_words[lane] >> (16 * half) & 0xffff;
        let plain = |lane| ((u32::from(numbers[lane]) * fraction(lane)) >> 16) as u8;
        let found = row(lanes, bytes(lanes, numbers).mul_hi(fractions));
        assert_eq!(found, own(lanes, &std::array::from_fn(plain)), "half {half} of {row_of_words:?}, times {numbers:?}");
    }
}

check!(products_are_rounded_down, L, lanes, {
    let mut rng = test_rng();
    for number in 0..=16 {
        // Around each fraction at which the integer part changes, in each half.
        let edges = (1..=u32::from(number)).flat_map(|part| {
            let edge = (part << 16).div_ceil(number.into());
            [edge.saturating_sub(1), edge.min(0xffff)]
        });
        for fraction in edges.chain([0, 1, 0x7fff, 0x8000, 0xfffe, 0xffff]) {
            assert_mul_hi(lanes, [number; LANES], [fraction; LANES]);
            assert_mul_hi(lanes, [number; LANES], [fraction << 16; LANES]);
        }
    }
    for _ in 0..2000 {
        assert_mul_hi(lanes, random_row(&mut rng).map(|byte| byte % 17), random_words(&mut rng));
    }
});

/// Asserts that `contains` agrees with the bits of the sets.
fn assert_contains<L: Lanes>(lanes: L, sets: &CellSets, cells: [Row; 4]) {
    let bit = |lane: usize, seat: usize| {
        let cell = cells[seat][lane];
        sets[usize::from(cell / 64)].0[set_index(lane)] >> (cell % 64) & 1 != 0
    };
    let expected = [0, 1, 2, 3].map(|seat| own_bits(lanes, bits(|lane| bit(lane, seat))));
    let in_lanes = cells.map(|row| bytes(lanes, row));
    assert_eq!(lanes.contains(sets, &in_lanes).map(|mask| lanes.bits(mask)), expected, "cells {cells:?} in {sets:?}");
}

/// The number of cells of the largest maze.
const CELLS: usize = (pacman2_rules::MAX_SIDE as usize).pow(2);

check!(cells_are_found_in_sets, L, lanes, {
    let mut rng = test_rng();
    let in_field = [u64::MAX, (1 << (CELLS - 64)) - 1];
    let mut random_sets = || in_field.map(|cells| Column(std::array::from_fn(|_| rng.next_u64() & cells)));
    let (none, all): (CellSets, CellSets) = ([Column([0; LANES]); 2], in_field.map(|cells| Column([cells; LANES])));
    for first in 0..CELLS {
        let cells = [0, 1, 64, 120].map(|more| std::array::from_fn(|lane| ((first + more + 3 * lane) % CELLS) as u8));
        for sets in [none, all, random_sets(), random_sets()] {
            assert_contains(lanes, &sets, cells);
        }
    }
});

check!(each_cell_is_found_only_in_its_lane, L, lanes, {
    // With one bit in one set, only that cell is found, and only in that lane.
    for lane in 0..LANES {
        for cell in 0..CELLS as u8 {
            let mut sets: CellSets = [Column([0; LANES]); 2];
            sets[usize::from(cell / 64)].0[set_index(lane)] = 1 << (cell % 64);
            assert_contains(lanes, &sets, [[cell; LANES], [cell ^ 1; LANES], [cell ^ 64; LANES], [cell; LANES]]);
        }
    }
});

// Random walls and positions on lines of all lengths, compared with a walk from cell to cell.
check!(steps_to_walls_are_counted, L, lanes, {
    let mut rng = test_rng();
    for round in 0..2000 {
        let lengths: [Row; 4] = std::array::from_fn(|_| std::array::from_fn(|_| (1 + rng.next_u64() % 11) as u8));
        let positions = lengths.map(|row| row.map(|length| (rng.next_u64() % u64::from(length)) as u8));
        let lines: [Row; 4] = std::array::from_fn(|_| std::array::from_fn(|_| (rng.next_u64() % LINES as u64) as u8));
        let mut walls = [Walls([0; LINES]); LANES];
        for seat in 0..4 {
            for lane in 0..LANES {
                let few = rng.next_u64() & rng.next_u64() & if round % 2 == 0 { !0 } else { rng.next_u64() };
                walls[lane].0[usize::from(lines[seat][lane])] = few as u16 & ((1 << lengths[seat][lane]) - 1);
            }
        }
        let in_lanes = |rows: [Row; 4]| rows.map(|row| bytes(lanes, row));
        let found = lanes.steps_to_wall(&walls, in_lanes(lines), in_lanes(positions), in_lanes(lengths));
        for seat in 0..4 {
            let mut column = Column([0; LANES]);
            lanes.store(found[seat], &mut column);
            for lane in lanes.range() {
                let (length, position) = (lengths[seat][lane], positions[seat][lane]);
                let line = walls[lane].0[usize::from(lines[seat][lane])];
                if line >> length != 0 {
                    // Another seat has the same line number with a longer line.
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

// Counted exhaustively: each legal action is drawn by the same number of halves of words, up to one.
check!(actions_are_uniform_over_all_halves_of_words, L, lanes, {
    for (open, can_shoot) in (0..16).flat_map(|open| [(open, false), (open, true)]) {
        let mut times = [0; 9];
        for first in (0..65_536).step_by(LANES) {
            let row_of_words = std::array::from_fn(|lane| (first + lane) as u32);
            let [lower, _] = L::Words::halves(words(lanes, row_of_words));
            let shoots = if can_shoot { !lanes.none() } else { lanes.none() };
            let drawn = draw_actions(lanes, lanes.splat(5), lanes.splat(open), shoots, &lower);
            row(lanes, drawn).into_iter().for_each(|action| times[usize::from(action)] += 1);
        }
        let is_legal = |action: usize| match action {
            0 => true,
            1..5 => open >> (action - 1) & 1 != 0,
            _ => can_shoot,
        };
        let even = 65_536 / (0..9).filter(|&action| is_legal(action)).count();
        for (action, times) in times.into_iter().enumerate() {
            // A part of the lanes sees its share of the halves.
            if lanes.range().len() == LANES {
                let expected = if is_legal(action) { even..=even + 1 } else { 0..=0 };
                assert!(expected.contains(&times), "{action} with open sides {open:b}: {times} times");
            } else {
                assert_eq!(times > 0, is_legal(action), "{action} with open sides {open:b}: {times} times");
            }
        }
    }
});
