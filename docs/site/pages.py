"""Gathers the pages of the documentation site, and checks what the generator does not.

Pages of the site are those in `docs` and in the root of the repository. A link to another file of the repository leads to a
copy of it; of a link to a folder, the text remains.
"""

import os.path
import re
import shutil
import tempfile
from pathlib import Path
from urllib.parse import unquote

from mkdocs.exceptions import PluginError

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[([^\[\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
GATHERED = tempfile.TemporaryDirectory()
# Headings and code blocks, which both languages of a page have in common.
OUTLINE = re.compile(r"^(#+ | *```+\w*)", re.MULTILINE)
# A line end between Chinese characters, which browsers would show as a space.
LINE_END = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef])\n *(?=[\u3000-\u9fff\uff00-\uffef])")
# Folders with pages that are no part of the site.
OTHERS = ["cpp", "crates", "examples", "fuzz", "lab"]


def on_config(config):
    gathered = Path(GATHERED.name)
    shutil.copytree(ROOT / "docs", gathered, ignore=shutil.ignore_patterns("site"), dirs_exist_ok=True)
    sources = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    for source in sources:
        text = page(source, sources, gathered)
        (gathered / source.name).write_text(text, encoding="utf-8")
        if not in_chinese(source).exists():
            # Its place in the Chinese part of the site.
            stub = f'{text.splitlines()[0]}\n\n<a href="../{source.stem}.html">English</a>\n'
            (gathered / in_chinese(source).name).write_text(stub, encoding="utf-8")
    for source in (path for folder in OTHERS for path in ROOT.glob(f"{folder}/**/README*.md")):
        if not {"node_modules", "target"} & set(source.parts):
            page(source, sources, gathered)
    config.docs_dir = str(gathered)
    return config


def in_chinese(path):
    """Returns the path of the same page in Chinese."""
    return path if ".zh." in path.name else path.with_suffix(f".zh{path.suffix}")


def page(source, sources, gathered):
    """Returns the text of a page with the links that it has in the site."""
    name, text = source.relative_to(ROOT), source.read_text(encoding="utf-8")
    is_chinese = ".zh." in source.name
    if is_chinese:
        english = source.with_name(source.name.replace(".zh.", ".")).read_text(encoding="utf-8")
        if OUTLINE.findall(text) != OUTLINE.findall(english):
            raise PluginError(f"{name}: expected the headings and code blocks of the page in English, got others")
        text = LINE_END.sub("", text)

    def link(match):
        words, target, anchor = match[1], unquote(match[2]), match[3] or ""
        if re.match(r"\w+:", target):
            return match[0]
        path = Path(os.path.normpath(source.parent / target))
        if not path.exists() or not path.is_relative_to(ROOT):
            raise PluginError(f"{name}: expected a link to a file of this repository, got {target}")
        if path in sources or path.parent == ROOT / "docs":
            if (".zh." in path.name) == is_chinese:
                return f"[{words}]({path.name}{anchor})"
            if ".zh." not in path.name and in_chinese(path).exists() and in_chinese(path) != source:
                raise PluginError(f"{name}: expected a link to a page in this language, got {target}")
            # The generator knows one language at a time.
            file = path.name.replace(".zh.", ".").replace("README.md", "index.html").replace(".md", ".html")
            return f'<a href="{".." if is_chinese else "zh"}/{file}{anchor}">{words}</a>'
        if path.is_dir() or path.suffix == ".md":
            return words
        copy = gathered / "files" / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        return f"[{words}]({copy.relative_to(gathered).as_posix()}{anchor})"

    return LINK.sub(link, text)
