//! The table of contents of the documentation: which pages there are, in which order, and their titles.

use Entry::{Chapter, Part};

/// A language of the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    English,
    Chinese,
}

impl Language {
    pub(super) const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// Returns the folder of the book in the site.
    pub(super) fn folder(self) -> &'static str {
        self.of(["en", "zh"])
    }

    /// Returns the tag of the language in HTML.
    pub(super) fn tag(self) -> &'static str {
        self.of(["en", "zh-CN"])
    }

    pub(super) fn other(self) -> Language {
        self.of([Language::Chinese, Language::English])
    }

    /// Picks from a pair: English, Chinese.
    pub(super) fn of<T: Copy>(self, both: [T; 2]) -> T {
        both[self as usize]
    }

    /// Returns the language of a page, by its name.
    pub(super) fn of_page(path: &str) -> Language {
        if path.ends_with(".zh.md") { Language::Chinese } else { Language::English }
    }
}

/// A line of the table of contents. Titles are in English and Chinese.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    /// A heading above chapters
    Part([&'static str; 2]),
    /// A page: its path from the root without ".md" or ".zh.md"
    Chapter { path: &'static str, written: Written, title: [&'static str; 2] },
}

/// The languages that a page is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    InBoth,
    /// The Chinese book contains the English page
    InEnglish,
}

const fn chapter(path: &'static str, title: [&'static str; 2]) -> Entry {
    Chapter { path, written: Written::InBoth, title }
}

pub(super) const CONTENTS: &[Entry] = &[
    chapter("README", ["Introduction", "简介"]),
    chapter("docs/GUIDE", ["User guide", "用户指南"]),
    Part(["The game", "游戏"]),
    chapter("docs/RULES", ["Rules", "规则"]),
    chapter("docs/RULINGS", ["Rulings", "裁定"]),
    Part(["Bots", "Bot"]),
    chapter("docs/PROTOCOL", ["Protocol", "交互协议"]),
    chapter("docs/LESSONS", ["Six lessons", "六课"]),
    chapter("docs/AUTHORS", ["For authors", "写给作者"]),
    chapter("docs/BOTZONE", ["Playing on Botzone", "在 Botzone 上对局"]),
    chapter("docs/BOTS", ["Built-in bots", "内置 Bot"]),
    chapter("docs/TRAINING", ["Training a net", "训练网络"]),
    chapter("docs/CPP", ["C++ header", "C++ 头文件"]),
    chapter("docs/PYTHON", ["Python package", "Python 包"]),
    Part(["Matches", "对局"]),
    chapter("docs/VIEWER", ["Viewer", "播放器"]),
    chapter("docs/REPLAY", ["Replay format", "录像"]),
    chapter("docs/ANALYSE", ["Analysis", "分析"]),
    chapter("docs/SECURITY", ["Security", "安全"]),
    Part(["Tournaments", "锦标赛"]),
    chapter("docs/ARENA", ["Arena", "竞技场"]),
    chapter("docs/CLASSES", ["Classes", "课程比赛"]),
    chapter("docs/SCALE", ["Beyond one machine", "多台机器"]),
    Part(["The project", "项目"]),
    chapter("docs/PERFORMANCE", ["Performance", "性能"]),
    chapter("CONTRIBUTING", ["Contributing", "参与开发"]),
    Chapter { path: "ARCHITECTURE", written: Written::InEnglish, title: ["Architecture", "架构（英文）"] },
    Chapter { path: "CHANGELOG", written: Written::InEnglish, title: ["Changelog", "更新日志（英文）"] },
];

/// Folders in which every page must be a chapter; "" is the root.
pub(super) const FOLDERS: [&str; 2] = ["", "docs"];

impl Entry {
    /// Returns the file of a chapter in a language.
    pub(super) fn file(&self, language: Language) -> Option<String> {
        match self {
            Part(_) => None,
            Chapter { path, written: Written::InBoth, .. } => Some(format!("{path}{}", language.of([".md", ".zh.md"]))),
            Chapter { path, written: Written::InEnglish, .. } => Some(format!("{path}.md")),
        }
    }
}
