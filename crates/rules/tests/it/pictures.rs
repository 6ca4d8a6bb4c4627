//! Pictures: the documented example, what readers accept and reject, the pictures in the documents, and the debug print of the
//! sample program.

use crate::common::check_position;
use pacman2_rules::{Action, BySeat, Cell, Direction, Game, Maze, Seat, State, picture};

#[test]
fn the_documented_example() {
    let documented = documented_example();
    let (maze, state) = read(&documented);
    assert_eq!(trimmed(&picture::write(&maze, &state)), trimmed(&documented));

    let at = |row, col| maze.cell(row, col).expect("the field has this cell");
    let settings = maze.ruleset();
    assert_eq!((maze.height(), maze.width(), state.turn, state.generator_turns_left), (2, 3, 3, 17));
    assert_eq!((settings.skill_cost, settings.large_fruit_enhancement, settings.large_fruit_duration), (4, 10, 10));
    assert_eq!((settings.turn_limit, settings.generator_interval), (100, 20));
    assert_eq!(state.player(Seat::S0), player(at(0, 0), 12, 9, true));
    assert_eq!(state.player(Seat::S1), player(at(1, 0), 4, 0, true));
    assert_eq!(state.player(Seat::S2), player(at(1, 2), 0, 0, false));
    assert_eq!(state.player(Seat::S3), player(at(0, 0), 7, 0, false));
    assert_eq!(state.small_fruits.iter().collect::<Vec<_>>(), [at(0, 1)]);
    assert_eq!(state.large_fruits.iter().collect::<Vec<_>>(), [at(1, 0)]);
    assert_eq!(maze.generators().iter().collect::<Vec<_>>(), [at(0, 2)]);
    // The arrow allows moves to the right only; the lower row is open at the edge, the upper one is not.
    assert!(maze.is_open(at(1, 1), Direction::Right) && !maze.is_open(at(1, 2), Direction::Left));
    assert!(maze.is_open(at(1, 0), Direction::Left) && maze.is_open(at(1, 2), Direction::Right));
    assert!(!maze.is_open(at(0, 0), Direction::Left) && !maze.is_open(at(0, 2), Direction::Right));
}

#[test]
fn missing_parts_have_defaults() {
    let (maze, state) = read(
        "
        +---+---+---+
        | 0   .   2 |
        +---+---+---+
        2: 5
        ",
    );
    assert_eq!(
        picture::write(&maze, &state),
        "\
turn 0/100, fruit in 20/20, light 4, boost 10 for 10, forfeited sample
+---+---+---+
| 0   .   2 |
+---+---+---+
0: 1
1: 0 dead at 0,0
2: 5
3: 0 dead at 0,0
"
    );
    // The count starts at the interval; the parts can be in any order and on several lines.
    let (_, state) = read("light 3, fruit in 6/7\nturn 2/9\n+---+\n| 0 |\n+---+");
    assert_eq!((state.turn, state.generator_turns_left), (2, 6));
}

#[test]
fn layout_is_free() {
    let expected = read(
        "
        +---+---+---+
        | 0   .   1 |
        +---+   +---+

        +---+---+---+
        0: 3 +2
        ",
    );
    for same in [
        // Another indent, spaces at the ends of lines, blank lines around the maze.
        "\n+---+---+---+   \n| 0   .   1 |\n+---+   +---+\n             \n+---+---+---+\n\n\n0:  3   +2  \n\n",
        "\t+---+---+---+\n\t| 0   .   1 |\n\t+---+   +---+\n\t\n\t+---+---+---+\n\t0: 3 +2",
        // Line ends of other systems.
        "+---+---+---+\r\n| 0   .   1 |\r\n+---+   +---+\r\n\r\n+---+---+---+\r\n0: 3 +2\r\n",
        // Narrow and wide cells with content anywhere in them.
        "+-+-+-+\n|0 . 1|\n+-+ +-+\n\n+-+-+-+\n0: 3 +2",
        "+-----+-----+-----+\n|    0 .         1|\n+-----+     +-----+\n\n+-----+-----+-----+\n0: 3 +2",
    ] {
        assert_eq!(read(same), expected, "\n{same}");
    }
}

#[test]
fn cells_are_as_wide_as_the_fullest() {
    let crowded = "
turn 0/100, fruit in 20/20, light 4, boost 10 for 10, forfeited sample
+--------+--------+   ^    +
|  013.         2 |  oG    |
+--------+   v    +--------+
|           .o    <        |
+--------+--------+   ^    +
0: 1
1: 1
2: 1
3: 1
";
    let written = "\
turn 0/100, fruit in 20/20, light 4, boost 10 for 10, forfeited sample
+------+------+  ^   +
| 013.    2   |  oG  |
+------+  v   +------+
|         .o  <      |
+------+------+  ^   +
0: 1
1: 1
2: 1
3: 1
";
    let (maze, state) = read(crowded);
    assert_eq!(picture::write(&maze, &state), written);
}

#[test]
fn bad_pictures_are_rejected_with_a_reason() {
    for (picture, reason) in [
        ("", "line 1 of the picture: expected a line that begins with a + corner, got none"),
        ("\n+---+\n", "line 2 of the picture: expected a border line above and below each row"),
        ("+---+\n| 0 |\n", "line 1 of the picture: expected a border line above and below each row"),
        ("+\n|\n+\n", "line 1 of the picture: expected a border line above and below each row"),
        ("+---+--+\n| 0   1|\n+---+--+\n", "line 1 of the picture: expected + corners at equal distances"),
        ("++\n||\n++\n", "line 1 of the picture: expected + corners at equal distances"),
        (
            "+-+-+-+-+-+-+-+-+-+-+-+-+\n|0                      |\n+-+-+-+-+-+-+-+-+-+-+-+-+",
            "line 1 of the picture: expected at most 11 rows and columns",
        ),
        ("+---+\n| 0 | here\n+---+\n", "line 2 of the picture: expected nothing to the right of the first border"),
        ("  +---+\n| 0 |\n  +---+\n", "line 2 of the picture: expected nothing to the left of the first border"),
        ("+---+\n! 0 |\n+---+\n", "line 2 of the picture: expected one of | < > or a space to the left of column 0"),
        ("+---+---+\n| 0 - 1 |\n+---+---+\n", "line 2 of the picture: expected one of | < > or a space to the left of column 1"),
        ("+---+\n| 0  \n+---+\n", "line 2 of the picture: expected the same left and right edge, since the maze wraps around"),
        ("+---+\n| 0 |\n+   +\n", "line 3 of the picture: expected the same top and bottom edge, since the maze wraps around"),
        ("+-+-+\n|0|1|\n+-+=+\n", "line 3 of the picture: expected --- or ^ or v or spaces above or below column 1"),
        ("+---+\n| 0 |\n+-^-+\n", "line 3 of the picture: expected --- or ^ or v or spaces above or below column 0"),
        ("+---+\n| 0 |\n+-- +\n", "line 3 of the picture: expected --- or ^ or v or spaces above or below column 0"),
        ("+---+---+\n| 0 | 1 |\n+-------+\n", "line 3 of the picture: expected a + under each + of the first border"),
        ("+---+\n| 0 |\n| 1 |\n|   |\n+---+\n", "line 3 of the picture: expected a + under each + of the first border"),
        ("+---+\n| 4 |\n+---+\n", "line 2 of the picture: expected . o G or a player 0 to 3 not drawn before at 0,0, got '4'"),
        (
            "+---+---+\n| 1 | 1 |\n+---+---+\n",
            "line 2 of the picture: expected . o G or a player 0 to 3 not drawn before at 0,1, got '1'",
        ),
        (
            "turn 3, light 4\n+---+\n| 0 |\n+---+\n",
            "line 1 of the picture: unknown part \"turn 3\"; expected turn A/B, fruit in A/B, light N, boost N for N or forfeited NAME",
        ),
        (
            "light 4\nlights 4\n+---+\n| 0 |\n+---+\n",
            "line 2 of the picture: unknown part \"lights 4\"; expected turn A/B, fruit in A/B, light N, boost N for N or forfeited NAME",
        ),
        (
            "forfeited you\n+---+\n| 0 |\n+---+\n",
            "line 1 of the picture: unknown part \"forfeited you\"; expected turn A/B, fruit in A/B, light N, boost N for N or forfeited NAME",
        ),
        (
            "\nturn 3/0, light -4\n+---+\n| 0 |\n+---+\n",
            "line 2 of the picture: skill_cost must be between 0 and 10000, got -4; turn_limit must be between 1 and 10000, got 0",
        ),
        (
            "+---+\n| 0 |\n+---+\nhello\n",
            "line 4 of the picture: expected SEAT: STRENGTH [+BOOST] [dead at ROW,COL], got \"hello\"",
        ),
        (
            "+---+\n| 0 |\n+---+\n4: 1\n",
            "line 4 of the picture: expected SEAT: STRENGTH [+BOOST] [dead at ROW,COL], got \"4: 1\"",
        ),
        (
            "+---+\n| 0 |\n+---+\n0: 1 9\n",
            "line 4 of the picture: expected SEAT: STRENGTH [+BOOST] [dead at ROW,COL], got \"0: 1 9\"",
        ),
        (
            "+---+\n| 0 |\n+---+\n0: 1 +9 more\n",
            "line 4 of the picture: expected SEAT: STRENGTH [+BOOST] [dead at ROW,COL], got \"0: 1 +9 more\"",
        ),
        ("+---+\n| 0 |\n+---+\n\n0: 1\n1: 2\n", "line 6 of the picture: expected player 1 either in the maze or dead"),
        ("+---+\n| 0 |\n+---+\n0: 1 dead at 0,0\n", "line 4 of the picture: expected player 0 either in the maze or dead"),
        ("+---+\n| 0 |\n+---+\n1: 1 dead at 0,1\n", "line 4 of the picture: expected a cell of the maze, got 0,1"),
    ] {
        match picture::read(picture) {
            Ok(_) => panic!("this picture should be refused, because {reason}\n{picture}"),
            Err(error) => assert_eq!(error.to_string(), reason, "\n{picture}"),
        }
    }
}

/// Compares with the sample program's output for positions of its own games on Botzone's maps.
#[test]
fn debug_print_is_the_samples() {
    let small = r"
+---+---+---+   +---+---+---+
| G | . |           | . | G |
+---+   +   +   +   +   +---+
| 0 |   | o |   | o |   | 1 |
+   +   +---+   +---+   +   +

+---+   +   +---+   +   +---+

+   +   +---+   +---+   +   +
| 2 |   | o |   | o |   | 3 |
+---+   +   +   +   +   +---+
| G | . |           | . | G |
+---+---+---+   +---+---+---+
";
    let large = r"
+---+   +---+   +   +---+   +   +---+   +---+
          . | .               . | .
+   +   +   +---+---+   +---+---+   +   +   +
|   |   | 0 | G | .       . | G | 1 |   |   |
+---+   +   +---+   +   +   +---+   +   +---+
|       | . | .   o |   | o   . | . |       |
+   +---+   +   +---+   +---+   +   +---+   +
  . |           |   |   |   |           | .
+   +---+---+---+   +   +   +---+---+---+   +
  . |   | .     |           |     . |   | .
+   +   +   +   +   +---+   +   +   +   +   +
|       |   |                   |   |       |
+   +   +   +   +   +---+   +   +   +   +   +
  . |   | .     |           |     . |   | .
+   +---+---+---+   +   +   +---+---+---+   +
  . |           |   |   |   |           | .
+   +---+   +   +---+   +---+   +   +---+   +
|       | . | .   o |   | o   . | . |       |
+---+   +   +---+   +   +   +---+   +   +---+
|   |   | 2 | G | .       . | G | 3 |   |   |
+   +   +   +---+---+   +---+---+   +   +   +
          . | .               . | .
+---+   +---+   +   +---+   +   +---+   +---+
";
    let printed = |picture, played| {
        let game = replay(picture, played);
        picture::debug_print(game.maze(), game.state())
    };
    assert_eq!(printed(small, ""), without_marks(START_OF_A_SMALL_GAME));
    assert_eq!(printed(small, SMALL_GAME), without_marks(AFTER_THE_SMALL_GAME));
    assert_eq!(printed(large, LARGE_GAME), without_marks(AFTER_THE_LARGE_GAME));
}

/// A word for each turn with a letter for each seat: `.` stays, `u` goes up and `U` shoots up, `-` is dead.
const SMALL_GAME: &str = "
    ...u .... .d.l .l.u ddu. lud. r..r lruu .urd udru .u.d ...u ..u. d.r. udrd dudu udr. dudd .ddr .r.r uuuu dddu
    rl.d lr.u llud u..u ul.d .ld. d.u. u.ud .dur .... .lur dlur .rdl .ruu uudu dddr duud urdR uruL DllL drlu u-u.
    .-D. .-ul
";

const LARGE_GAME: &str = "
    u.dd .uu. drdu .l.d d.ur .... ddud l.u. ...d ..dd .u.. .rd. rrd. rr.u ll.d .rlr r... ud.d ..l. .ulr dlld Dldu
    .-lL l-Dl l-r. r-dd l-.. .-dr .-uu .-.d .-.l r-du l-.u r-.d l-rd .-dr r-ud .-dd r-rl u-lr r-dd .-rd .-dL l-ur
    D-u. U-ll r-r. u-lu r-.. l-u. --.l --d. --u. --dr --rd --dr --.. --.d --uu --d.
";

/// The output of the sample, with a `$` at the end of each line. Players 2 and 3 share a cell, and player 1 is dead.
const AFTER_THE_SMALL_GAME: &str = "\
回合号【46】存活人数【3】| 图例 产生器[G] 有玩家[0/1/2/3] 多个玩家[*] 大豆[o] 小豆[.]$
[玩家0(0, 5)|力量2|加成剩余回合0|存活]$
[玩家1(2, 3)|力量1|加成剩余回合0|死亡]$
[玩家2(0, 3)|力量1|加成剩余回合0|存活]$
[玩家3(0, 3)|力量1|加成剩余回合2|存活]$
    0   1   2   3   4   5   6 $
   --- --- ---     --- --- ---$
0 | G | . |     *     | 0 | G |$
   ---                     ---$
1 | . | . | o |   |   |   | . |$
           ---     ---        $
2                              $
   ---         ---         ---$
3                              $
           ---     ---        $
4 | . | . | o |   | o | . | . |$
   ---                     ---$
5 | G | . |           | . | G |$
   --- --- ---     --- --- ---$
";

const START_OF_A_SMALL_GAME: &str = "\
回合号【0】存活人数【4】| 图例 产生器[G] 有玩家[0/1/2/3] 多个玩家[*] 大豆[o] 小豆[.]$
[玩家0(1, 0)|力量1|加成剩余回合0|存活]$
[玩家1(1, 6)|力量1|加成剩余回合0|存活]$
[玩家2(4, 0)|力量1|加成剩余回合0|存活]$
[玩家3(4, 6)|力量1|加成剩余回合0|存活]$
    0   1   2   3   4   5   6 $
   --- --- ---     --- --- ---$
0 | G | . |           | . | G |$
   ---                     ---$
1 | 0 |   | o |   | o |   | 1 |$
           ---     ---        $
2                              $
   ---         ---         ---$
3                              $
           ---     ---        $
4 | 2 |   | o |   | o |   | 3 |$
   ---                     ---$
5 | G | . |           | . | G |$
   --- --- ---     --- --- ---$
";

const AFTER_THE_LARGE_GAME: &str = "\
回合号【60】存活人数【2】| 图例 产生器[G] 有玩家[0/1/2/3] 多个玩家[*] 大豆[o] 小豆[.]$
[玩家0(1, 4)|力量0|加成剩余回合0|死亡]$
[玩家1(0, 9)|力量1|加成剩余回合0|死亡]$
[玩家2(4, 0)|力量1|加成剩余回合0|存活]$
[玩家3(8, 1)|力量2|加成剩余回合0|存活]$
    0   1   2   3   4   5   6   7   8   9   10 $
   ---     ---         ---         ---     ---$
0           . | .   .       .   . | .          $
               --- ---     --- ---            $
1 |   |   | . | G | .       . | G | . |   |   |$
   ---         ---             ---         ---$
2 |       | . | .   . |   | o   . | . |       |$
       ---         ---     ---         ---    $
3     |           |   |   |   |           |    $
       --- --- ---             --- --- ---    $
4   2 |   | .     |           |     . |   |    $
                       ---                    $
5 |       |   |                   |   |       |$
                       ---                    $
6     |   | .     |           |     . |   |    $
       --- --- ---             --- --- ---    $
7     |           |   |   |   |           |    $
       ---         ---     ---         ---    $
8 |     3 | . | .   o |   | o   . | . |       |$
   ---         ---             ---         ---$
9 |   |   | . | G | .       . | G | . |   |   |$
               --- ---     --- ---            $
10           . | .   .       .   . | .          $
   ---     ---         ---         ---     ---$
";

/// The pictures of `docs/RULES.md` are valid, and actions between two of them lead from one to the other.
#[test]
fn the_pictures_of_the_rules_page() {
    for book in [RULES, RULES_ZH] {
        let items = illustrations(book);
        assert!(items.len() > 8, "the rule book has pictures");
        for item in items {
            match item {
                Illustration::Position(before) => drop(read(&before)),
                Illustration::Turns { before, actions, after } => check_position(&before, &actions, &after),
            }
        }
    }
    assert!(illustrations(RULES) == illustrations(RULES_ZH), "both rule books show the same");
}

const RULES: &str = include_str!("../../../../docs/RULES.md");
const RULES_ZH: &str = include_str!("../../../../docs/RULES.zh.md");

#[derive(PartialEq)]
enum Illustration {
    Position(String),
    Turns { before: String, actions: String, after: String },
}

/// Returns the fenced `text` blocks of a document, with the line `→ ` of actions in backquotes between two of them, if any.
fn illustrations(document: &str) -> Vec<Illustration> {
    let mut found = Vec::new();
    let mut actions = None;
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if let Some(given) = line.strip_prefix("→ `") {
            actions = Some(given.strip_suffix('`').expect("actions end with a backquote").to_owned());
        } else if line == "```text" {
            let block: String = lines.by_ref().take_while(|&line| line != "```").map(|line| format!("{line}\n")).collect();
            let Some(actions) = actions.take() else {
                found.push(Illustration::Position(block));
                continue;
            };
            match found.pop() {
                Some(Illustration::Position(before)) => found.push(Illustration::Turns { before, actions, after: block }),
                _ => panic!("there is no picture before the actions \"{actions}\""),
            }
        }
    }
    assert!(actions.is_none(), "a picture is missing after the last actions");
    found
}

/// Returns the picture at the top of `picture.rs`.
fn documented_example() -> String {
    let source = include_str!("../../src/picture.rs");
    let lines = source.lines().skip_while(|line| *line != "//! ```text").skip(1).take_while(|line| *line != "//! ```");
    lines.map(|line| format!("{}\n", line.strip_prefix("//! ").unwrap_or_default())).collect()
}

fn trimmed(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

fn without_marks(text: &str) -> String {
    text.replace("$\n", "\n")
}

fn player(cell: Cell, strength: i32, boost_turns_left: u32, alive: bool) -> pacman2_rules::PlayerState {
    pacman2_rules::PlayerState { cell, strength, boost_turns_left, alive }
}

#[track_caller]
fn read(text: &str) -> (Maze, State) {
    picture::read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Plays a game written in letters.
fn replay(picture: &str, played: &str) -> Game {
    let (maze, state) = read(picture);
    let mut game = Game::new(maze, state);
    for turn in played.split_whitespace() {
        let letters = turn.as_bytes();
        let actions = BySeat::from_fn(|seat| {
            let direction = |names: &str| names.bytes().position(|name| name == letters[seat.index()]);
            match (direction("urdl"), direction("URDL")) {
                (Some(at), _) => Action::Move(Direction::ALL[at]),
                (_, Some(at)) => Action::Shoot(Direction::ALL[at]),
                _ => Action::Stay,
            }
        });
        assert!(game.play(&actions).is_some(), "the game is over before {turn}");
    }
    game
}
