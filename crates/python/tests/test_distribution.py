"""The source distribution and the README, as an index checks and shows them."""

import importlib.util
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from conftest import ROOT

NEEDED = [name for name in ("build", "maturin", "twine") if not importlib.util.find_spec(name)]


def test_the_readme_has_no_links_that_an_index_cannot_follow() -> None:
    text = (ROOT / "crates/python/README.md").read_text()
    links = re.findall(r"\]\(([^)]*)\)|(?:href|src)=[\"']([^\"']*)", text)
    assert links and all("".join(link).startswith("https://") for link in links), links


@pytest.mark.skipif(bool(NEEDED), reason=f"not run: {', '.join(NEEDED)} not installed")
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not run: this is not a clone")
def test_the_source_distribution_passes_twine_and_has_the_docs(tmp_path: Path) -> None:
    def run(*command: str) -> str:
        # The backend starts Maturin by name.
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        ran = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    run("build", "--sdist", "--no-isolation", "--outdir", str(tmp_path), ".")
    (made,) = tmp_path.iterdir()
    assert "PASSED" in run("twine", "check", "--strict", str(made))
    with tarfile.open(made) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"docs/PYTHON.md", "docs/PYTHON.zh.md", "docs/GUIDE.md", "Cargo.lock"} <= names
    assert {"crates/python/README.md", "crates/python/build_backend.py"} <= names
    assert not any(name.startswith(("target/", "crates/python/data/")) for name in names)
