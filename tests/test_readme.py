"""The README's examples run as they are printed."""

import re
from pathlib import Path

import matplotlib as mpl

README = Path(__file__).parent.parent / "README.md"


def test_the_python_examples_run_one_after_the_other(capsys, tmp_path, monkeypatch):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.S)
    assert len(blocks) >= 2
    exec(compile("\n".join(blocks), str(README), "exec"), {})
    printed = capsys.readouterr().out
    assert "gold" in printed
    assert "['gold']" in printed
