//! `pacman2 export`: built-in bots as files. The Python tests compare their decisions with those of the built-in bots.

use crate::common::{TestDir, has, verdicts};

const PATIENT: &str = "--time-limit 60000 --memory-limit 2048";

#[test]
fn an_exported_bot_is_one_file_and_plays() {
    let dir = TestDir::new();
    for bot in ["greedy", "hunter"] {
        let result = dir.run(&format!("export {bot} --lang cpp -o {bot}.cpp")).succeeded();
        let text = dir.read(&format!("{bot}.cpp"));
        assert!(text.starts_with("// pacman2 bundle: ") && !text.contains("\n#include \"") && !text.contains("[seed]"), "{text}");
        assert!(result.stdout.contains(&format!("{bot}.cpp: {bot} in C++17, {} bytes", text.len())), "{}", result.stdout);
    }
    let text = dir.run("export greedy --lang cpp -o - --seed -7").succeeded().stdout;
    assert!(text.contains("constexpr std::int32_t seed = -7;"));
    // A file of this program is replaced.
    dir.run("export greedy --lang cpp -o hunter.cpp").succeeded();
    if has("g++", "an exported bot plays") {
        dir.run(&format!("match greedy.cpp random random random --seed 1 --replay played.json {PATIENT}")).succeeded();
        assert!(verdicts(&dir.replay("played.json"), 0).iter().all(|&verdict| verdict == "OK"));
    }
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let dir = TestDir::new();
    dir.write("mine.cpp", "int main() {}\n");
    dir.run("export sage --lang cpp -o sage.cpp").refused(&["sage: expected greedy or hunter"]);
    dir.run("export greedy --lang cpp -o greedy.py").refused(&["--output greedy.py: expected a name that ends in .cpp"]);
    dir.run("export greedy --lang cpp -o mine.cpp").refused(&["mine.cpp", "choose another name or add --force"]);
    dir.run("export greedy --lang cpp -o mine.cpp --force").succeeded();
}
