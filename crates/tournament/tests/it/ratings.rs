//! The numbers of the table for games with known strengths, and its independence of order and threads.

use pacman2_botzone::response::Verdict;
use pacman2_rules::BySeat;
use pacman2_tournament::standings::{Estimate, Interval, Standings, standings};
use pacman2_tournament::{Block, BotId, BotVersion, Fault, GameResult, SeatResult};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

fn bot(number: i64) -> BotVersion {
    BotVersion {
        id: BotId(number),
        name: format!("bot{number}"),
        version: "1".into(),
        program: format!("program {number}"),
        command: String::new(),
        added: 0,
        is_active: true,
    }
}

fn bots(count: i64) -> Vec<BotVersion> {
    (0..count).map(bot).collect()
}

/// Returns a game from the bots, places and points of its seats. Each block has a map of its own.
fn game(block: &str, bots: [i64; 4], places: [u8; 4], points: [i64; 4]) -> GameResult {
    let seat = |seat: usize| SeatResult {
        bot: BotId(bots[seat]),
        hundredths: points[seat] * 100,
        place: places[seat],
        strength: 0,
        fault: None,
        slowest_us: 1500,
    };
    GameResult {
        id: format!("{block} {bots:?}"),
        block: block.into(),
        seed: block.bytes().fold(0, |seed: i32, byte| seed.wrapping_mul(31).wrapping_add(byte.into())),
        width: 5,
        height: 6,
        turns: 100,
        seats: BySeat::from_fn(|at| seat(at.index())),
        finished: 0,
        seconds: 0.1,
        replayed: 0,
        node: None,
    }
}

/// Generates games from random values, the greatest of which is first. The model of the ratings holds exactly unless maps, seats or
/// rounding disturb it; the strengths are the logarithms of the model's.
struct World {
    /// The mean value of each bot.
    strengths: Vec<f64>,
    /// The standard deviation of a random number that a map adds to a bot in all games of a block.
    map_effect: f64,
    /// The amount that each seat adds.
    seats: [f64; 4],
    /// The unit to which values are rounded, so that ties occur; 0 for no rounding.
    grain: f64,
    rng: Xoshiro256PlusPlus,
}

impl World {
    fn true_to_the_model(bots: usize, seed: u64) -> World {
        let strengths = (0..bots).map(|bot| 2.0 * bot as f64 / (bots - 1) as f64).collect();
        World { strengths, map_effect: 0.0, seats: [0.0; 4], grain: 0.0, rng: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// Returns a realistic generator: correlated blocks, different seats, ties.
    fn realistic(bots: usize, seed: u64) -> World {
        World { map_effect: 1.0, seats: [0.3, 0.0, -0.3, 0.0], grain: 0.2, ..World::true_to_the_model(bots, seed) }
    }

    /// Returns a number between 0 and 1, exclusive.
    fn uniform(&mut self) -> f64 {
        ((self.rng.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn blocks(&mut self, count: usize) -> Vec<GameResult> {
        (0..count).flat_map(|number| self.block(number)).collect()
    }

    /// Returns a block of four random bots, each once on each seat, on a map of its own.
    fn block(&mut self, number: usize) -> Vec<GameResult> {
        let mut bots: Vec<usize> = (0..self.strengths.len()).collect();
        shuffle(&mut bots, &mut self.rng);
        let liking: Vec<f64> = bots.iter().map(|_| self.map_effect * self.normal()).collect();
        self.block_of(number, &bots, &liking)
    }

    /// Returns a block of every combination of four bots on each of these maps.
    fn round_robin(&mut self, maps: usize) -> Vec<GameResult> {
        let bots = self.strengths.len();
        let mut games = Vec::new();
        for map in 0..maps {
            let liking: Vec<f64> = (0..bots).map(|_| self.map_effect * self.normal()).collect();
            for four in (0..1_usize << bots).filter(|four| four.count_ones() == 4) {
                let four: Vec<usize> = (0..bots).filter(|bot| four >> bot & 1 == 1).collect();
                let number = games.len();
                let block = self.block_of(number, &four, &liking);
                games.extend(block.into_iter().map(|game| GameResult { seed: map as i32, ..game }));
            }
        }
        games
    }

    fn block_of(&mut self, number: usize, bots: &[usize], liking: &[f64]) -> Vec<GameResult> {
        let jobs = Block::from_four(number as i32, std::array::from_fn(|seat| BotId(bots[seat] as i64))).jobs;
        let games = jobs.iter().enumerate();
        games.map(|(round, job)| self.play(format!("{number} {round}"), job.seats.0.map(|bot| bot.0), liking)).collect()
    }

    fn play(&mut self, id: String, bots: [i64; 4], liking: &[f64]) -> GameResult {
        let values: [f64; 4] = std::array::from_fn(|seat| {
            let bot = bots[seat] as usize;
            let luck = -(-self.uniform().ln()).ln();
            let value = self.strengths[bot] + liking[bot] + self.seats[seat] + luck;
            if self.grain > 0.0 { (value / self.grain).round() * self.grain } else { value }
        });
        let sum: f64 = values.iter().map(|value| value.exp()).sum();
        let places = values.map(|value| 1 + values.iter().filter(|&&other| other > value).count() as u8);
        let points = std::array::from_fn(|seat| 10 * (5 - i64::from(places[seat])) + (100.0 * values[seat].exp() / sum) as i64);
        let block = id.split(' ').next().expect("a number").to_owned();
        GameResult { id, ..game(&block, bots, places, points) }
    }
}

fn shuffle<T>(list: &mut [T], rng: &mut Xoshiro256PlusPlus) {
    for last in (1..list.len()).rev() {
        list.swap(last, rng.next_u64() as usize % (last + 1));
    }
}

/// Computes the table as if each game had its own map.
fn game_by_game(bots: &[BotVersion], mut games: Vec<GameResult>, seed: u64) -> Standings {
    games.iter_mut().zip(0..).for_each(|(game, number)| game.seed = number);
    standings(bots, &games, seed)
}

/// Returns rating and points by bot.
fn by_bot(table: &Standings) -> Vec<(Estimate, Estimate)> {
    let mut lines: Vec<_> = table.bots.iter().map(|line| (line.bot.id, (line.rating, line.points))).collect();
    lines.sort_by_key(|&(bot, _)| bot);
    lines.into_iter().map(|(_, estimates)| estimates).collect()
}

/// Returns the lead of bot 0 over bot 1.
fn first_pair(table: &Standings) -> Estimate {
    let row = |bot: i64| table.bots.iter().position(|line| line.bot.id == BotId(bot)).expect("it is in the table");
    table.matrix[row(0)][row(1)].expect("they met").points
}

/// Counts how often intervals contain the truth.
#[derive(Default)]
struct Coverage {
    held: usize,
    of: usize,
}

impl Coverage {
    fn add(&mut self, estimate: Estimate, truth: f64) {
        if let Some(Interval { low, high }) = estimate.interval {
            self.held += usize::from(low <= truth && truth <= high);
            self.of += 1;
        }
    }

    fn percent(&self) -> f64 {
        100.0 * self.held as f64 / self.of as f64
    }
}

#[test]
fn intervals_contain_known_strengths_in_95_of_100_cases() {
    let strengths = World::true_to_the_model(6, 0).strengths;
    // The strengths are symmetric around 1, so that is the centre.
    let truth: Vec<f64> = strengths.iter().map(|strength| 1500.0 + 400.0 / 10_f64.ln() * (strength - 1.0)).collect();
    let mut ratings = Coverage::default();
    for run in 0..400 {
        let games = World::true_to_the_model(6, 1000 + run).blocks(40);
        for ((rating, _), &truth) in by_bot(&standings(&bots(6), &games, run)).into_iter().zip(&truth) {
            ratings.add(rating, truth);
        }
    }
    assert!((93.0..=97.0).contains(&ratings.percent()), "{:.1} %", ratings.percent());
}

/// Checks 400 tables with correlated blocks. The truth comes from a table of very many such blocks.
fn check_coverage(blocks: usize) {
    let bots = bots(6);
    let truth = standings(&bots, &World::realistic(6, 1).blocks(20_000), 0);
    let [mut ratings, mut points, mut pairs, mut naive] = [(); 4].map(|()| Coverage::default());
    for run in 0..400 {
        let games = World::realistic(6, 1000 + run).blocks(blocks);
        let table = standings(&bots, &games, run);
        let wrong_table = game_by_game(&bots, games, run);
        for ((of_table, of_wrong), truth) in by_bot(&table).into_iter().zip(by_bot(&wrong_table)).zip(by_bot(&truth)) {
            ratings.add(of_table.0, truth.0.value);
            points.add(of_table.1, truth.1.value);
            naive.add(of_wrong.0, truth.0.value);
        }
        pairs.add(first_pair(&table), first_pair(&truth).value);
    }
    for (what, coverage) in [("ratings", &ratings), ("points", &points), ("pairs", &pairs)] {
        assert!((93.0..=97.0).contains(&coverage.percent()), "{what}: {:.1} %", coverage.percent());
    }
    // Ignoring the blocks gives intervals that are too narrow.
    assert!(naive.percent() < 90.0, "{:.1} %", naive.percent());
}

#[test]
fn intervals_from_many_blocks_have_their_nominal_coverage() {
    check_coverage(60);
}

#[test]
fn intervals_from_few_blocks_have_their_nominal_coverage() {
    check_coverage(18);
}

#[test]
fn the_table_does_not_depend_on_order_or_threads() {
    let mut bots = bots(7);
    let mut games = World::realistic(7, 5).blocks(50);
    let table = standings(&bots, &games, 1);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for threads in [1, 3] {
        shuffle(&mut games, &mut rng);
        shuffle(&mut bots, &mut rng);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        assert_eq!(pool.install(|| standings(&bots, &games, 1)), table);
    }
    let other = standings(&bots, &games, 2);
    for (one, other) in table.bots.iter().zip(&other.bots) {
        assert_eq!((one.rating.value, one.points.value), (other.rating.value, other.points.value));
        assert_ne!(one.rating, other.rating, "the seed is that of the bootstrap");
    }
}

#[test]
fn a_table_computed_by_hand() {
    let mut games = vec![
        game("one", [0, 1, 2, 3], [1, 2, 3, 4], [90, 60, 30, 20]),
        game("one", [1, 2, 3, 0], [1, 3, 3, 1], [70, 25, 25, 80]),
        game("two", [0, 0, 1, 1], [1, 4, 2, 2], [100, 10, 40, 50]),
        game("two", [0, 1, 2, 9], [4, 3, 2, 1], [1, 2, 3, 4]),
    ];
    games[0].seats.0[3].fault = Some(Fault { kind: Verdict::Tle, turn: 3 });
    games[1].seats.0[2].fault = Some(Fault { kind: Verdict::Tle, turn: 9 });
    games[0].seats.0[0].slowest_us = 2500;
    games[1].width = 4;
    games[2].replayed = 2;
    let table = standings(&bots(5), &games, 0);
    assert_eq!((table.games, table.blocks, table.replayed), (3, 2, 1), "bot 9 is not in the table, nor is its game");
    assert_eq!(table.bots.iter().map(|line| line.bot.id.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert_eq!(table.bots.iter().map(|line| line.place).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    let first = &table.bots[0];
    assert_eq!((first.points.value, first.games, first.mean_place, first.firsts), (70.0, 4, 1.75, 0.75));
    assert_eq!(first.by_seat, [Some(95.0), Some(10.0), None, Some(80.0)]);
    assert_eq!(first.by_size, [(24, 80.0, 1), (30, 200.0 / 3.0, 3)]);
    assert_eq!((first.slowest_ms, first.faults.len()), (2.5, 0));
    assert_eq!(table.bots[3].faults, [(Verdict::Tle, 2)]);
    // In the third game bot 0 has a mean of 55 points and bot 1 of 45, and two seats of each are above one of the other.
    let meeting = table.matrix[0][1].expect("they met");
    assert_eq!((meeting.points.value, meeting.stronger, meeting.games), (50.0 / 3.0, 2.0 / 3.0, 3));
    let turned = table.matrix[1][0].expect("they met");
    assert_eq!((turned.points.value, turned.games), (-meeting.points.value, 3));
    assert_eq!((table.matrix[0][0], table.matrix[0][4]), (None, None));
}

/// The leads of bot 0 over bot 1 on maps of their own.
fn with_leads(leads: &[i64]) -> Standings {
    let on_map = |(map, lead): (i32, &i64)| GameResult {
        seed: map,
        ..game(&map.to_string(), [0, 1, 2, 3], [1, 2, 3, 4], [50 + lead, 50, 0, 0])
    };
    standings(&bots(4), &(0..).zip(leads).map(on_map).collect::<Vec<_>>(), 0)
}

#[test]
fn an_interval_needs_five_maps() {
    let few = with_leads(&[10, 20, 30, 40]);
    assert!(few.bots.iter().all(|line| line.rating.interval.is_none() && line.points.interval.is_none()), "{few:?}");
    assert_eq!(first_pair(&few), Estimate { value: 25.0, interval: None });
    let enough = with_leads(&[10, 20, 30, 40, 50]);
    let Interval { low, high } = first_pair(&enough).interval.unwrap();
    // The standard error is √50, and Student's quantile is 2.776 with four degrees of freedom.
    let reach = 2.776 * 50.0_f64.sqrt();
    assert!((high - 30.0 - reach).abs() < 0.1 && (30.0 - reach - low).abs() < 0.1, "{low} to {high}");
    assert_eq!(enough.matrix[1][0].unwrap().points.interval.map(|turned| (-turned.high, -turned.low)), Some((low, high)));
}

#[test]
fn intervals_stay_within_what_is_possible() {
    let table = with_leads(&[80, 80, 80, 80, -50]);
    let line = |bot: i64| table.bots.iter().find(|line| line.bot.id == BotId(bot)).unwrap();
    assert!(line(0).points.interval.unwrap().high <= 130.0 && line(2).points.interval.unwrap().low >= 0.0, "{table:?}");
    assert!(first_pair(&table).interval.unwrap().high <= 130.0, "{table:?}");
}

#[test]
fn copies_of_one_program_share_their_place() {
    let mut bots = bots(5);
    bots[3].program = bots[1].program.clone();
    let games = World::realistic(5, 4).blocks(40);
    let table = standings(&bots, &games, 0);
    let line = |number: i64| table.bots.iter().position(|line| line.bot.id == BotId(number)).expect("it is in the table");
    let [one, other] = [1, 3].map(|number| &table.bots[line(number)]);
    assert_eq!((one.place, one.rating, one.points), (other.place, other.rating, other.points));
    assert_ne!(one.by_seat, other.by_seat, "each has its own games");
    let copies: Vec<Vec<BotId>> = table.copies().iter().map(|group| group.iter().map(|bot| bot.id).collect()).collect();
    assert_eq!(copies, [[1, 3].map(BotId)]);
    assert_eq!(table.matrix[line(1)][line(3)], None);
    assert_eq!(table.matrix[line(1)][line(0)], table.matrix[line(3)][line(0)]);
    let mut places: Vec<usize> = table.bots.iter().map(|line| line.place).collect();
    assert_eq!(places.len(), 5);
    places.dedup();
    assert_eq!(places.len(), 4, "{places:?}");
}

#[test]
fn bots_without_games_are_last_with_the_central_rating() {
    assert_eq!(standings(&[], &[], 0).bots, []);
    let table = standings(&bots(6), &[game("one", [5, 2, 4, 1], [1, 2, 3, 4], [70, 60, 50, 40])], 0);
    assert_eq!(table.bots.iter().map(|line| line.bot.id.0).collect::<Vec<_>>(), [5, 2, 4, 1, 0, 3]);
    for line in &table.bots[4..] {
        assert_eq!(line.rating, Estimate { value: 1500.0, interval: None });
        assert_eq!((line.points.value, line.games, line.mean_place, line.firsts), (0.0, 0, 0.0, 0.0));
        assert_eq!((line.by_seat, line.by_size.len()), ([None; 4], 0));
    }
}

#[test]
fn a_single_bot_has_the_central_rating() {
    let games = ["one", "two", "three"].map(|block| game(block, [0; 4], [1, 2, 3, 3], [80, 60, 30, 30]));
    let table = standings(&bots(1), &games, 0);
    let line = &table.bots[0];
    assert_eq!((line.rating.value, line.points.value, line.games), (1500.0, 50.0, 12));
    assert_eq!(table.matrix, [[None]]);
}

/// Checks the points of all bots after a round robin on few maps, and those of the best bot.
fn check_few_maps(strengths: &[f64], maps: usize) {
    let bots = bots(strengths.len() as i64);
    let world = |seed| World { strengths: strengths.to_vec(), ..World::realistic(strengths.len(), seed) };
    let truth = standings(&bots, &world(1).round_robin(1500), 0);
    let (lead, truth) = (first_pair(&truth).value, by_bot(&truth));
    let [mut ratings, mut points, mut best, mut leads] = [(); 4].map(|()| Coverage::default());
    for run in 0..400 {
        let table = standings(&bots, &world(1000 + run).round_robin(maps), run);
        leads.add(first_pair(&table), lead);
        let table = by_bot(&table);
        for (found, truth) in table.iter().zip(&truth) {
            ratings.add(found.0, truth.0.value);
            points.add(found.1, truth.1.value);
        }
        best.add(table[0].1, truth[0].1.value);
    }
    let [ratings, points, best, leads] = [ratings, points, best, leads].map(|coverage| coverage.percent());
    println!(
        "{strengths:?}, {maps} maps: ratings {ratings:.1} %, points {points:.1} %, the best bot's {best:.1} %, its lead {leads:.1} %"
    );
    for coverage in [&ratings, &points, &best, &leads] {
        assert!((90.0..=98.0).contains(coverage), "{coverage:.1} %");
    }
}

#[test]
fn intervals_from_few_maps_have_their_nominal_coverage() {
    check_few_maps(&[1.5, 0.5, 0.0, -0.5, -1.0], 8);
}

#[test]
fn a_dominating_bot_on_few_maps_is_within_its_interval() {
    check_few_maps(&[4.0, 0.5, 0.0, 0.0, -0.5], 8);
    check_few_maps(&[5.0, 0.0, 0.0, 0.0], 8);
}

/// A bot that loses so rarely that it often has no loss at all.
#[test]
fn a_dominating_bot_is_within_its_interval() {
    let strengths = [5.0, 0.0, 0.0, 0.0];
    let world = |seed| World { strengths: strengths.to_vec(), ..World::true_to_the_model(4, seed) };
    let truth = by_bot(&standings(&bots(4), &world(1).blocks(20_000), 0))[0].0.value;
    let mut ratings = Coverage::default();
    for run in 0..300 {
        ratings.add(by_bot(&standings(&bots(4), &world(1000 + run).blocks(25), run))[0].0, truth);
    }
    assert!((92.0..=98.0).contains(&ratings.percent()), "{:.1} %", ratings.percent());
}

/// All resamples of its games are the same; only the prior represents a possible loss.
#[test]
fn a_bot_that_never_lost_has_a_wide_interval() {
    let games: Vec<_> = (0..40).map(|block| game(&block.to_string(), [0, 1, 1, 1], [1, 2, 3, 4], [90, 60, 30, 20])).collect();
    let table = standings(&bots(2), &games, 0);
    let [best, other] = [&table.bots[0], &table.bots[1]];
    let [of_best, of_other] = [best, other].map(|line| line.rating.interval.unwrap());
    assert!(of_best.low > of_other.high + 200.0, "{of_best:?} {of_other:?}");
    assert!(of_best.high > best.rating.value + 100.0 && of_best.low < best.rating.value - 50.0, "{of_best:?}");
}

/// Bots without a chain of games between them cannot be compared, and the intervals show it.
#[test]
fn separate_groups_have_wide_intervals() {
    let mut games = World::realistic(8, 3).blocks(400);
    let whole = standings(&bots(8), &games, 0);
    // Bots 0 to 3 play among themselves, and so do 4 to 7.
    for game in &mut games {
        let half = game.seats.0[0].bot.0 / 4;
        game.seats.0.iter_mut().for_each(|seat| seat.bot = BotId(half * 4 + seat.bot.0 % 4));
    }
    let halves = standings(&bots(8), &games, 0);
    for ((apart, _), (joined, _)) in by_bot(&halves).into_iter().zip(by_bot(&whole)) {
        let [apart, joined] = [apart, joined].map(|rating| rating.interval.unwrap().margin());
        assert!(apart > 1.5 * joined, "{apart} {joined}");
    }
}
