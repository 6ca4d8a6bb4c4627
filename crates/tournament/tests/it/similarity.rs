//! What sources have in common.

use pacman2_tournament::similarity::{CommentStyle, Fingerprints, tokens};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

fn names(source: &str, comments: CommentStyle) -> usize {
    tokens(source, comments).len()
}

#[test]
fn only_tokens_count() {
    use CommentStyle::{Hash, Slashes};
    assert_eq!(names("x = 'it\\'s' # a comment\n", Hash), 3);
    assert_eq!(names("#include <vector>\nint x; // a comment\n/* a\n longer one */ y", Slashes), 4);
    assert_eq!(names("a // b", Hash), 4);
    assert_eq!(names("\"\"\"a\nlong 'text'\"\"\" + 1.5e3", Hash), 3);
    assert_eq!(names("don't\nstop", Hash), 3);
    assert_eq!(names("\"never closed", Slashes), 1);
    assert_eq!(names("吃豆人 = 一", Hash), 3);
    assert_eq!(tokens("a = b + 1", Hash), tokens("first=second  +  22", Hash));
    assert_ne!(tokens("if a: b", Hash), tokens("while a: b", Hash));
}

#[test]
fn parts_of_sources_are_recognised() {
    let source = |seed: u64| -> String {
        let operators = ["+", "-", "*", "if", "while", "[", "]", "(", ")", "<", "==", "and"];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..400).map(|at| format!("x{at} {} ", operators[(rng.next_u64() % 12) as usize])).collect()
    };
    let prints = |text: &str| Fingerprints::from_source(text, CommentStyle::Slashes);
    let [one, other] = [1, 2].map(source);
    assert!(prints(&one).similarity(&prints(&other)).unwrap() < 0.02);
    let both = format!("{other}{one}");
    let share = prints(&one).similarity(&prints(&both)).unwrap();
    assert!((0.4..0.6).contains(&share), "{share}");
    let mut rest = prints(&both);
    rest.remove(&prints(&other));
    assert!(rest.similarity(&prints(&one)).unwrap() > 0.9);
    rest.remove(&prints(&one));
    assert_eq!(rest.similarity(&prints(&one)), None);
    assert_eq!(prints("a + b").similarity(&prints("a + b")), None);
}
