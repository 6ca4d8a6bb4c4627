//! The table of programming languages: how each is recognised, compiled and started, and how much time it gets.
//!
//! To add a language, add a variant to [`Language`] and a row to `TABLE`.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A programming language in which programs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// Python 2 and 3.
    Python,
    /// JavaScript, run by Node.
    JavaScript,
    /// Java, packed as a `.jar`.
    Java,
    /// C and C++, and any other language that is compiled to machine code.
    Cpp,
    /// C#, run by Mono or .NET.
    CSharp,
}

/// How a file in some language is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// This command runs it, with the file as its last argument.
    Interpreter(&'static [&'static str]),
    /// A compiler makes a program of it first.
    Compiler(&'static Compiler),
}

/// How a language is compiled.
#[derive(Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The commands to look for, in this order.
    pub commands: &'static [&'static str],
    /// The environment variable that names another command.
    pub variable: &'static str,
    /// What every compilation is given besides the standard: Botzone's options.
    pub flags: &'static [&'static str],
}

/// A version of C++, of which Botzone lets authors choose one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CppStandard {
    /// C++11.
    Cpp11,
    /// C++17.
    Cpp17,
}

impl CppStandard {
    /// All of them, the oldest first.
    pub const ALL: [CppStandard; 2] = [CppStandard::Cpp11, CppStandard::Cpp17];

    /// Returns the standard that the extension of a file's name gives, as in the names that Botzone gives to downloads.
    ///
    /// ```
    /// use pacman2_runner::CppStandard;
    ///
    /// assert_eq!(CppStandard::from_file("5c1d.cpp11".as_ref()), Some(CppStandard::Cpp11));
    /// assert_eq!(CppStandard::from_file("main.cpp".as_ref()), None);
    /// ```
    pub fn from_file(path: &Path) -> Option<CppStandard> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        CppStandard::ALL.into_iter().find(|standard| standard.extension() == extension)
    }

    /// Returns the extension of a file in this version.
    pub fn extension(self) -> &'static str {
        match self {
            CppStandard::Cpp11 => "cpp11",
            CppStandard::Cpp17 => "cpp17",
        }
    }

    /// Returns the name by which compilers know it, such as `c++17`.
    pub fn name(self) -> &'static str {
        match self {
            CppStandard::Cpp11 => "c++11",
            CppStandard::Cpp17 => "c++17",
        }
    }
}

impl fmt::Display for CppStandard {
    /// Displays what people call it, such as `C++17`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().to_uppercase())
    }
}

/// Why a text is no [`CppStandard`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected c++11 or c++17, the versions of Botzone, got \"{0}\"")]
pub struct UnknownCppStandard(String);

impl FromStr for CppStandard {
    type Err = UnknownCppStandard;

    fn from_str(text: &str) -> Result<CppStandard, UnknownCppStandard> {
        let is_meant = |standard: &CppStandard| standard.name().eq_ignore_ascii_case(text);
        CppStandard::ALL.into_iter().find(is_meant).ok_or_else(|| UnknownCppStandard(text.to_owned()))
    }
}

struct Row {
    language: Language,
    name: &'static str,
    /// File name extensions in lower case, the usual one first.
    extensions: &'static [&'static str],
    /// What the commands that run it are called, without a version at the end.
    commands: &'static [&'static str],
    launch: Launch,
    /// The package of Debian and Ubuntu with the program that runs or compiles it.
    package: &'static str,
    /// How the names in `/etc` begin that its runtime needs.
    etc_prefix: Option<&'static str>,
    /// How many times the time of a C++ program it gets.
    ///
    /// These are the factors in Botzone's wiki. They hold for every answer. Botzone's own local tool once gave less time to
    /// later answers of a program that keeps running (Java 2, C# 4, Python 4) and more to Python's first (6); that table is
    /// known at second hand only, so it is not used.
    time_factor: u32,
}

static TABLE: [Row; 5] = [
    Row {
        language: Language::Python,
        name: "Python",
        extensions: &["py", "py3", "py36"],
        commands: &["python", "pypy"],
        launch: Launch::Interpreter(if cfg!(windows) { &["python"] } else { &["python3"] }),
        package: "python3",
        etc_prefix: Some("python"),
        time_factor: 3,
    },
    Row {
        language: Language::JavaScript,
        name: "JavaScript",
        extensions: &["js", "mjs", "cjs"],
        commands: &["node", "nodejs"],
        launch: Launch::Interpreter(&["node"]),
        package: "nodejs",
        etc_prefix: None,
        time_factor: 2,
    },
    Row {
        language: Language::Java,
        name: "Java",
        extensions: &["jar"],
        commands: &["java"],
        launch: Launch::Interpreter(&["java", "-jar"]),
        package: "default-jre",
        etc_prefix: Some("java"),
        time_factor: 3,
    },
    Row {
        language: Language::Cpp,
        name: "C++",
        extensions: &["cpp", "cc", "cxx", "cpp11", "cpp17"],
        commands: &[],
        launch: Launch::Compiler(&Compiler {
            commands: &["g++", "clang++"],
            variable: "CXX",
            flags: &["-O2", "-D_BOTZONE_ONLINE"],
        }),
        package: "g++",
        etc_prefix: None,
        time_factor: 1,
    },
    Row {
        language: Language::CSharp,
        name: "C#",
        // An `.exe` may be any program of Windows, so a C# program is recognised by its command only.
        extensions: &[],
        commands: &["mono", "dotnet"],
        launch: Launch::Interpreter(&["mono"]),
        package: "mono-runtime",
        etc_prefix: Some("mono"),
        time_factor: 6,
    },
];

/// How a source file becomes a program that can play. Matches do not do it themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildSteps {
    /// What people call its language.
    pub language: &'static str,
    /// The program that builds it.
    pub tool: &'static str,
    /// The package of Debian and Ubuntu with that program.
    pub package: &'static str,
    /// The command that builds it, in the file's folder.
    pub command: String,
    /// The file to play then, in the same folder.
    pub program: String,
}

struct BuildRow {
    language: &'static str,
    /// File name extensions in lower case.
    extensions: &'static [&'static str],
    package: &'static str,
    /// The command and the program that it makes. `FILE` stands for the file's name, `STEM` for its name without extension.
    command: &'static str,
    program: &'static str,
}

/// What a program is called that a compiler writes without a choice of name.
const STEM_PROGRAM: &str = if cfg!(windows) { "STEM.exe" } else { "STEM" };

static BUILD_TABLE: [BuildRow; 6] = [
    BuildRow {
        language: "Java",
        extensions: &["java"],
        package: "default-jdk",
        command: "javac -d classes FILE && jar --create --file STEM.jar --main-class STEM -C classes .",
        program: "STEM.jar",
    },
    BuildRow {
        language: "C",
        extensions: &["c"],
        package: "gcc",
        command: "gcc -O2 -D_BOTZONE_ONLINE -o STEM FILE -lm",
        program: STEM_PROGRAM,
    },
    BuildRow { language: "Rust", extensions: &["rs"], package: "rustc", command: "rustc -O FILE", program: STEM_PROGRAM },
    BuildRow { language: "TypeScript", extensions: &["ts"], package: "node-typescript", command: "tsc FILE", program: "STEM.js" },
    BuildRow { language: "Pascal", extensions: &["pas"], package: "fp-compiler", command: "fpc -O2 FILE", program: STEM_PROGRAM },
    BuildRow { language: "Go", extensions: &["go"], package: "golang", command: "go build FILE", program: STEM_PROGRAM },
];

impl BuildSteps {
    /// Returns how to build a source file of a language that matches do not compile, by the extension of its name.
    ///
    /// ```
    /// use pacman2_runner::BuildSteps;
    ///
    /// let steps = BuildSteps::from_file("bots/fast.ts".as_ref()).unwrap();
    /// assert_eq!((steps.command.as_str(), steps.program.as_str()), ("tsc fast.ts", "fast.js"));
    /// assert_eq!(BuildSteps::from_file("bots/fast.cpp".as_ref()), None);
    /// ```
    pub fn from_file(path: &Path) -> Option<BuildSteps> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let row = BUILD_TABLE.iter().find(|row| row.extensions.contains(&extension.as_str()))?;
        let (file, stem) = (path.file_name()?.to_str()?, path.file_stem()?.to_str()?);
        let fill = |text: &str| text.replace("STEM", stem).replace("FILE", file);
        let tool = row.command.split(' ').next().unwrap_or_default();
        let (language, package) = (row.language, row.package);
        Some(BuildSteps { language, tool, package, command: fill(row.command), program: fill(row.program) })
    }
}

impl Language {
    /// All languages.
    pub const ALL: [Language; 5] = [Language::Python, Language::JavaScript, Language::Java, Language::Cpp, Language::CSharp];

    fn row(self) -> &'static Row {
        TABLE.iter().find(|row| row.language == self).expect("every language has a row")
    }

    /// Returns the language of a file, by the extension of its name.
    ///
    /// ```
    /// use pacman2_runner::Language;
    ///
    /// assert_eq!(Language::from_file("bots/greedy.PY".as_ref()), Some(Language::Python));
    /// assert_eq!(Language::from_file("bots/greedy".as_ref()), None);
    /// ```
    pub fn from_file(path: &Path) -> Option<Language> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Language::ALL.into_iter().find(|language| language.extensions().contains(&extension.as_str()))
    }

    /// Returns the language that a command runs, by the name of its program without a version at the end.
    ///
    /// ```
    /// use pacman2_runner::Language;
    ///
    /// assert_eq!(Language::from_command("/usr/bin/python3.12".as_ref()), Some(Language::Python));
    /// assert_eq!(Language::from_command("./mybot".as_ref()), None);
    /// ```
    pub fn from_command(program: &Path) -> Option<Language> {
        let name = program.file_stem().and_then(OsStr::to_str)?;
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        Language::ALL.into_iter().find(|language| language.row().commands.contains(&name))
    }

    /// Returns what people call it, such as `C++`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the file name extensions by which it is recognised, in lower case and without the dot, the usual one first.
    /// There is none if only a command line can say that a program is in this language.
    pub fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    /// Returns how a file of this language is started.
    pub fn launch(self) -> Launch {
        self.row().launch
    }

    /// Returns how many times the time of a C++ program Botzone gives this language, for
    /// [`Limits::times`](crate::Limits::times).
    ///
    /// ```
    /// assert_eq!(pacman2_runner::Language::Python.time_factor(), 3);
    /// ```
    pub fn time_factor(self) -> u32 {
        self.row().time_factor
    }

    /// Returns the package of Debian and Ubuntu with the program that runs or compiles it.
    pub fn package(self) -> &'static str {
        self.row().package
    }

    /// Returns how the names of files in `/etc` begin that its runtime needs, if it needs any.
    pub fn etc_prefix(self) -> Option<&'static str> {
        self.row().etc_prefix
    }
}

impl Launch {
    /// Returns the programs of which one must be installed.
    ///
    /// ```
    /// use pacman2_runner::Language;
    ///
    /// assert_eq!(Language::Cpp.launch().tools(), ["g++", "clang++"]);
    /// assert_eq!(Language::JavaScript.launch().tools(), ["node"]);
    /// ```
    pub fn tools(self) -> &'static [&'static str] {
        match self {
            Launch::Interpreter(words) => &words[..1],
            Launch::Compiler(compiler) => compiler.commands,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_row() {
        for language in Language::ALL {
            assert_eq!(language.row().language, language);
        }
        assert_eq!(TABLE.len(), Language::ALL.len());
    }

    #[test]
    fn the_protocol_page_lists_every_language_with_its_factor() {
        for page in [include_str!("../../../docs/PROTOCOL.md"), include_str!("../../../docs/PROTOCOL.zh.md")] {
            for language in Language::ALL.into_iter().filter(|language| language.time_factor() != 1) {
                let begin = format!("| {} | {} | ", language.name(), language.time_factor());
                let row = page.lines().find(|line| line.starts_with(&begin)).unwrap_or_else(|| panic!("expected {begin:?}"));
                let extensions: Vec<_> = language.extensions().iter().map(|extension| format!("`.{extension}`")).collect();
                assert!(extensions.iter().all(|extension| row.contains(extension)), "expected {extensions:?} in {row:?}");
            }
        }
    }

    #[test]
    fn no_extension_and_no_command_belongs_to_two_languages() {
        let compiled = BUILD_TABLE.iter().flat_map(|row| row.extensions);
        let mut extensions: Vec<_> = Language::ALL.iter().flat_map(|language| language.extensions()).chain(compiled).collect();
        let mut commands: Vec<_> = TABLE.iter().flat_map(|row| row.commands).collect();
        for names in [&mut extensions, &mut commands] {
            let count = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }
}
