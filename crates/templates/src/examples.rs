//! The examples of the documentation, which `pacman2 new` writes.

use std::path::Path;

use crate::new::write_files;

/// A folder of files with what to do next.
pub struct Example {
    files: &'static [(&'static str, &'static str)],
    what: &'static str,
    commands: &'static [&'static str],
}

/// The bots of the six lessons, beside the header that they include.
pub static LESSONS: Example = Example {
    files: &[
        ("1-playouts.cpp", include_str!("../../../examples/lessons/1-playouts.cpp")),
        ("2-one-turn-ahead.cpp", include_str!("../../../examples/lessons/2-one-turn-ahead.cpp")),
        ("3-distances.cpp", include_str!("../../../examples/lessons/3-distances.cpp")),
        ("4-evaluation.cpp", include_str!("../../../examples/lessons/4-evaluation.cpp")),
        ("5-search.cpp", include_str!("../../../examples/lessons/5-search.cpp")),
        ("6-opponents.cpp", include_str!("../../../examples/lessons/6-opponents.cpp")),
        ("pacman2.hpp", include_str!("../../../cpp/pacman2.hpp")),
    ],
    what: "the bots of the six lessons",
    commands: &["pacman2 docs lessons", "pacman2 arena init", "pacman2 play 1-playouts.cpp greedy sample random --open"],
};

/// A class with three submissions and its tournament.
pub static CLASS: Example = Example {
    files: &[
        ("tournament.toml", include_str!("../../../examples/class/tournament.toml")),
        ("submissions/hanmeimei/main.cpp", include_str!("../../../examples/class/submissions/hanmeimei/main.cpp")),
        ("submissions/lilei.py", include_str!("../../../examples/class/submissions/lilei.py")),
        ("submissions/zhangsan.py", include_str!("../../../examples/class/submissions/zhangsan.py")),
        (".gitignore", include_str!("../../../examples/class/.gitignore")),
    ],
    what: "an example of a class's tournament",
    commands: &["pacman2 docs classes", "pacman2 arena tournament tournament.toml"],
};

impl Example {
    /// Writes the files into a folder, which exists.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> anyhow::Result<()> {
        write_files(folder, self.files.iter().map(|&(file, text)| (file, text)))
    }

    /// Returns what to do with the new folder, for the terminal.
    #[must_use]
    pub fn next_steps(&self, name: &str) -> String {
        let commands: String = self.commands.iter().map(|command| format!("  {command}\n")).collect();
        format!("Created {name}, {}. Next steps:\n\n  cd {name}\n{commands}", self.what)
    }
}
