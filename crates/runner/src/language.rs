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
    /// Java, as a source or packed as a `.jar`.
    Java,
    /// C++, and whatever else is machine code.
    Cpp,
    /// C.
    C,
    /// C#, run by Mono or .NET.
    CSharp,
    /// Pascal.
    Pascal,
    /// Go.
    Go,
    /// Rust, without crates.
    Rust,
}

/// How a source becomes a program, and how that is run.
///
/// In words of commands, `SOURCE` stands for the source and `FOLDER` for its folder, `PROGRAM` for the program, and `SCRATCH` for the only
/// folder that the compiler can write.
#[derive(Debug, PartialEq, Eq)]
pub struct Compiler {
    /// File name extensions of sources in lower case, the usual one first.
    pub extensions: &'static [&'static str],
    /// The commands to look for, in this order.
    pub commands: &'static [&'static str],
    /// The environment variable that names another command.
    pub variable: &'static str,
    /// The package of Debian and Ubuntu with it.
    pub package: &'static str,
    /// What it is given.
    pub arguments: &'static [&'static str],
    /// The folder in `SCRATCH` that becomes the program, as a ZIP archive, and a file that it must have; `None` if the compiler makes the
    /// program.
    pub packed: Option<(&'static str, &'static str)>,
    /// The programs that it starts and that another package may have.
    pub helpers: &'static [&'static str],
    /// The command that runs the program.
    pub run: &'static [&'static str],
    /// The name that a source must have; `None` if any will do.
    pub source_name: Option<&'static str>,
    /// Whether it is a compiler of C or C++: sources include files of their folder.
    pub has_includes: bool,
    /// The arguments with which it prints the folder where it is installed, if its command may only lead there.
    pub print_folder: &'static [&'static str],
    /// Environment variables.
    pub environment: &'static [(&'static str, &'static str)],
    /// The libraries that Botzone has besides the standard one.
    pub libraries: &'static [Library],
    /// What it says of a class with `main` that Botzone does not start.
    pub wrong_main_class: &'static [&'static str],
}

/// A library that a compiler is given if it is installed.
#[derive(Debug, PartialEq, Eq)]
pub struct Library {
    /// Its name, which messages of the compiler contain if it is missing.
    pub name: &'static str,
    /// Its file.
    pub file: &'static str,
    /// The arguments for it.
    pub arguments: &'static [&'static str],
    /// The package of Debian and Ubuntu with it.
    pub package: &'static str,
}

impl Compiler {
    /// A compiler that makes a program of machine code.
    const OF_MACHINE_CODE: Compiler = Compiler {
        extensions: &[],
        commands: &[],
        variable: "",
        package: "",
        arguments: &[],
        packed: None,
        helpers: &[],
        run: &["PROGRAM"],
        source_name: None,
        has_includes: false,
        print_folder: &[],
        environment: &[],
        libraries: &[],
        wrong_main_class: &[],
    };

    /// Returns the compiler of a file, if it is a source.
    ///
    /// ```
    /// use pacman2_runner::Compiler;
    ///
    /// assert_eq!(Compiler::from_file("bots/fast.CPP".as_ref()).unwrap().package, "g++");
    /// assert_eq!(Compiler::from_file("bots/fast.jar".as_ref()), None);
    /// ```
    pub fn from_file(path: &Path) -> Option<&'static Compiler> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let mut compilers = TABLE.iter().filter_map(|row| row.compiler.as_ref());
        compilers.find(|compiler| compiler.extensions.contains(&extension.as_str()))
    }
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
    /// Extensions of files that its interpreter runs as they are, in lower case, the usual one first.
    extensions: &'static [&'static str],
    /// The command that runs such a file, its last argument.
    interpreter: &'static [&'static str],
    /// The package of Debian and Ubuntu with the program that runs it.
    package: &'static str,
    /// What its sources need, if they are compiled.
    compiler: Option<Compiler>,
    /// What the commands that run it are called, without a version at the end.
    commands: &'static [&'static str],
    /// How the names in `/etc` begin that it needs.
    etc_prefix: Option<&'static str>,
    /// What begins a comment to the end of the line.
    line_comment: &'static str,
    /// How many times the time of a C++ program it gets.
    ///
    /// These are the factors in Botzone's wiki. They hold for every answer. Botzone's own local tool once gave less time to
    /// later answers of a program that keeps running (Java 2, C# 4, Python 4) and more to Python's first (6); that table is
    /// known at second hand only, so it is not used.
    time_factor: u32,
}

impl Row {
    /// A language that is compiled to machine code.
    const OF_MACHINE_CODE: Row = Row {
        language: Language::Cpp,
        name: "",
        extensions: &[],
        interpreter: &[],
        package: "",
        compiler: None,
        commands: &[],
        etc_prefix: None,
        line_comment: "//",
        time_factor: 1,
    };
}

/// The library for JSON that Botzone's Java has.
const JSON_SIMPLE: &str = "/usr/share/java/json-simple.jar";

static TABLE: [Row; 9] = [
    Row {
        language: Language::Python,
        name: "Python",
        extensions: &["py", "py3", "py36"],
        interpreter: if cfg!(windows) { &["python"] } else { &["python3"] },
        package: "python3",
        compiler: None,
        commands: &["python", "pypy"],
        etc_prefix: Some("python"),
        line_comment: "#",
        time_factor: 3,
    },
    Row {
        language: Language::JavaScript,
        name: "JavaScript",
        extensions: &["js", "mjs", "cjs"],
        interpreter: &["node"],
        package: "nodejs",
        compiler: None,
        commands: &["node", "nodejs"],
        etc_prefix: None,
        line_comment: "//",
        time_factor: 2,
    },
    Row {
        language: Language::Java,
        name: "Java",
        extensions: &["jar"],
        interpreter: &["java", "-jar"],
        package: "default-jre",
        compiler: Some(Compiler {
            extensions: &["java"],
            commands: &["javac"],
            variable: "JAVAC",
            package: "default-jdk-headless",
            arguments: &["-encoding", "UTF-8", "-proc:none", "-d", "SCRATCH/classes", "SOURCE"],
            packed: Some(("classes", "Main.class")),
            run: &["java", "-cp", if cfg!(windows) { "PROGRAM" } else { "PROGRAM:/usr/share/java/json-simple.jar" }, "Main"],
            // As on Botzone, where the file of a public class may have any name.
            source_name: Some("Main.java"),
            libraries: &[Library {
                name: "org.json.simple",
                file: JSON_SIMPLE,
                arguments: &["-cp", JSON_SIMPLE],
                package: "libjson-simple-java",
            }],
            wrong_main_class: &["Main.class", "should be declared in a file named"],
            ..Compiler::OF_MACHINE_CODE
        }),
        commands: &["java"],
        etc_prefix: Some("java"),
        line_comment: "//",
        time_factor: 3,
    },
    Row {
        language: Language::Cpp,
        name: "C++",
        compiler: Some(Compiler {
            extensions: &["cpp", "cc", "cxx", "c++", "cpp11", "cpp17"],
            commands: &["g++", "clang++"],
            variable: "CXX",
            package: "g++",
            arguments: &["-O2", "-D_BOTZONE_ONLINE", "-iquote", "FOLDER", "SOURCE", "-o", "PROGRAM"],
            has_includes: true,
            ..Compiler::OF_MACHINE_CODE
        }),
        ..Row::OF_MACHINE_CODE
    },
    Row {
        language: Language::C,
        name: "C",
        compiler: Some(Compiler {
            extensions: &["c"],
            commands: &["gcc", "clang"],
            variable: "CC",
            package: "gcc",
            arguments: &["-O2", "-D_BOTZONE_ONLINE", "-iquote", "FOLDER", "SOURCE", "-o", "PROGRAM", "-lm"],
            has_includes: true,
            ..Compiler::OF_MACHINE_CODE
        }),
        ..Row::OF_MACHINE_CODE
    },
    Row {
        language: Language::CSharp,
        name: "C#",
        // An `.exe` may be any program of Windows, so a built program is recognised by its command only.
        package: "mono-runtime",
        compiler: Some(Compiler {
            extensions: &["cs"],
            commands: &["mcs", "csc"],
            variable: "MCS",
            package: "mono-mcs",
            arguments: &["-optimize+", "-out:PROGRAM", "SOURCE"],
            run: &["mono", "PROGRAM"],
            libraries: &[Library {
                name: "Newtonsoft",
                file: "/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll",
                arguments: &["-r:/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll"],
                package: "libnewtonsoft-json5.0-cil",
            }],
            ..Compiler::OF_MACHINE_CODE
        }),
        commands: &["mono", "dotnet"],
        etc_prefix: Some("mono"),
        time_factor: 6,
        ..Row::OF_MACHINE_CODE
    },
    Row {
        language: Language::Pascal,
        name: "Pascal",
        compiler: Some(Compiler {
            extensions: &["pas"],
            commands: &["fpc"],
            variable: "FPC",
            package: "fp-compiler",
            // Of its output, errors only.
            arguments: &["-O2", "-l-", "-v0e", "-FUSCRATCH", "-oPROGRAM", "SOURCE"],
            helpers: &["ld"],
            ..Compiler::OF_MACHINE_CODE
        }),
        etc_prefix: Some("fpc"),
        ..Row::OF_MACHINE_CODE
    },
    Row {
        language: Language::Go,
        name: "Go",
        compiler: Some(Compiler {
            extensions: &["go"],
            commands: &["go"],
            variable: "GO",
            package: "golang-go",
            arguments: &["build", "-o", "PROGRAM", "SOURCE"],
            // It starts as many compilers as there are processors, each with as many threads.
            environment: &[("CGO_ENABLED", "0"), ("GOMAXPROCS", "4")],
            ..Compiler::OF_MACHINE_CODE
        }),
        ..Row::OF_MACHINE_CODE
    },
    Row {
        language: Language::Rust,
        name: "Rust",
        compiler: Some(Compiler {
            extensions: &["rs"],
            commands: &["rustc"],
            variable: "RUSTC",
            package: "rustc",
            // The name of a file need not be one of a crate.
            arguments: &["--edition", "2021", "-O", "--crate-name", "bot", "-o", "PROGRAM", "SOURCE"],
            helpers: &["cc"],
            print_folder: &["--print", "sysroot"],
            ..Compiler::OF_MACHINE_CODE
        }),
        ..Row::OF_MACHINE_CODE
    },
];

impl Language {
    /// Returns all languages.
    pub fn all() -> impl Iterator<Item = Language> {
        TABLE.iter().map(|row| row.language)
    }

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
        Language::all().find(|language| language.extensions().any(|known| known == extension))
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
        Language::all().find(|language| language.row().commands.contains(&name))
    }

    /// Returns what people call it, such as `C++`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the file name extensions by which it is recognised, in lower case and without the dot, the usual ones first.
    pub fn extensions(self) -> impl Iterator<Item = &'static str> {
        let row = self.row();
        row.extensions.iter().chain(row.compiler.iter().flat_map(|compiler| compiler.extensions)).copied()
    }

    /// Returns the usual extensions of files that are run as they are, and of sources.
    pub fn usual_extensions(self) -> impl Iterator<Item = &'static str> {
        let row = self.row();
        row.extensions.first().into_iter().chain(row.compiler.iter().flat_map(|compiler| compiler.extensions.first())).copied()
    }

    /// Returns the command that runs a file of this language as it is, with the file as its last argument; empty if there is none.
    ///
    /// ```
    /// assert_eq!(pacman2_runner::Language::Java.interpreter(), ["java", "-jar"]);
    /// ```
    pub fn interpreter(self) -> &'static [&'static str] {
        self.row().interpreter
    }

    /// Returns how its sources are compiled, if they are.
    pub fn compiler(self) -> Option<&'static Compiler> {
        self.row().compiler.as_ref()
    }

    /// Returns what begins a comment to the end of the line.
    pub fn line_comment(self) -> &'static str {
        self.row().line_comment
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

    /// Returns the package of Debian and Ubuntu with the program that runs it; empty for machine code.
    pub fn package(self) -> &'static str {
        self.row().package
    }

    /// Returns how the names of files in `/etc` begin that its runtime needs, if it needs any.
    pub fn etc_prefix(self) -> Option<&'static str> {
        self.row().etc_prefix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authors_page_lists_every_language() {
        let quoted =
            |names: &mut dyn Iterator<Item = &'static str>| names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        for (page, separator) in
            [(include_str!("../../../docs/AUTHORS.md"), ", "), (include_str!("../../../docs/AUTHORS.zh.md"), "、")]
        {
            for row in &TABLE {
                let compiler = row.compiler.as_ref().unwrap_or(&Compiler::OF_MACHINE_CODE);
                let extensions: Vec<_> = row.language.extensions().map(|extension| format!("`.{extension}`")).collect();
                let runs = row.interpreter.iter().chain(compiler.run).take(1).copied().filter(|word| *word != "PROGRAM");
                let programs = quoted(&mut runs.chain(compiler.commands.iter().copied()));
                let packages = quoted(&mut [row.package, compiler.package].into_iter().filter(|package| !package.is_empty()));
                let words =
                    format!("| {} | {} | {programs} | {packages} | {} |", row.name, extensions.join(", "), row.time_factor);
                let words = words.replace(", ", separator);
                assert!(page.lines().any(|line| line == words), "expected the row {words}");
            }
        }
    }

    #[test]
    fn no_extension_and_no_command_belongs_to_two_languages() {
        let mut extensions: Vec<_> = Language::all().flat_map(Language::extensions).collect();
        let mut commands: Vec<_> = TABLE.iter().flat_map(|row| row.commands).copied().collect();
        for names in [&mut extensions, &mut commands] {
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }
}
