"""The Chinese notebooks have the code and the outputs of the English ones, and texts of their own."""

import json
import re

import notebook
import pytest


@pytest.mark.parametrize("name", ["python", "net"])
def test_a_chinese_notebook_has_the_same_code_and_outputs(name):
    english, chinese = (
        json.loads(notebook.FILE.with_name(file).read_text(encoding="utf-8"))
        for file in (f"{name}.ipynb", f"{name}.zh.ipynb")
    )
    for ours, theirs in zip(english["cells"], chinese["cells"], strict=True):
        if ours["cell_type"] == "code":
            assert theirs == ours
        else:
            assert theirs["cell_type"] == "markdown"
            assert re.search("[\u4e00-\u9fff]", "".join(theirs["source"]))
