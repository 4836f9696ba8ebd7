"""The original distribution of Reuters-21578, in SGML."""

import tarfile

import pytest

from fsmj import datasets
from fsmj.datasets import sgml
from own_cache import own_cache as own_cache


def story(topics, text, split="TRAIN", used="YES"):
    listed = "".join(f"<D>{topic}</D>" for topic in topics)
    return (
        f'<REUTERS TOPICS="{used}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" NEWID="1">\n'
        f"<DATE>26-FEB-1987 15:01:01.79</DATE>\n<TOPICS>{listed}</TOPICS>\n"
        "<PLACES><D>usa</D></PLACES>\n<UNKNOWN> \n&#5;&#5;C T\n&#31;reute</UNKNOWN>\n"
        f"{text}\n</REUTERS>\n"
    )


def norm(title, body):
    return (
        f"<TEXT>&#2;\n<TITLE>{title}</TITLE>\n<AUTHOR> by Ada, Reuters</AUTHOR>\n"
        f"<DATELINE>    ROME, Feb 26 - </DATELINE><BODY>{body}\n&#3;</BODY></TEXT>"
    )


STORIES = [
    story(["tea"], norm("TEA &lt;TEA.O> UP", "Green &amp; black,\nsaid AT&T.")),
    story(["oil"], '<TEXT TYPE="BRIEF">&#2;\n****<TITLE>OIL UP</TITLE>\nBlah blah.\n&#3;</TEXT>'),
    story(["oil", "tea"], norm("BOTH", "oil and tea")),
    story([], norm("NONE", "neither")),
    story(["tin"], norm("TIN", "has no test document")),
    story(["oil"], '<TEXT TYPE="UNPROC">&#2;\nCAF\xc9&#127;TABLE\n  1 &gt; 0 \n&#3;</TEXT>'),
    story(["tea"], norm("BYPASSED", "x"), used="BYPASS"),
    story(["tea"], norm("NOT INDEXED", "x"), used="NO"),
    story(["tea"], norm("NOT USED", "x"), split="NOT-USED"),
    story(["oil"], norm("TEST", "oil"), split="TEST"),
    story(["tea"], norm("TEST", "tea"), split="TEST"),
    story(["oil", "gas"], norm("TEST", "oil and gas"), split="TEST"),
]


@pytest.fixture
def distribution(tmp_path):
    folder = tmp_path / "reuters21578"
    folder.mkdir()
    unused = story([], norm("UNUSED", "x"), split="NOT-USED")
    for number in range(22):
        content = STORIES[number] if number < len(STORIES) else unused
        text = f'<!DOCTYPE lewis SYSTEM "lewis.dtd">\n{content}'
        (folder / f"reut2-{number:03}.sgm").write_bytes(text.encode("latin-1"))
    (folder / "README.txt").write_text("about")
    (folder / "reut2-098.sgm").mkdir()
    return folder


def tarred(folder):
    path = folder.with_suffix(".tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        for file in sorted(folder.glob("*.*"), reverse=True):
            archive.add(file, f"./{file.name}")
        beside = tarfile.TarInfo("reut2-099.sgm")
        beside.type = tarfile.DIRTYPE
        archive.addfile(beside)
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_sgml_single_topics(distribution, packed):
    path = tarred(distribution) if packed else distribution
    corpus = datasets.reuters(topics=None, source="sgml", path=path)
    assert corpus.train.y.tolist() == ["tea", "oil", "oil"]
    assert corpus.train.texts.tolist() == [
        "TEA <TEA.O> UP\nGreen & black,\nsaid AT&T.",
        "OIL UP",
        "CAF\xc9 TABLE\n  1 > 0",
    ]
    assert corpus.test.y.tolist() == ["oil", "tea"]
    assert corpus.test.texts.tolist() == ["TEST\noil", "TEST\ntea"]
    assert corpus.train.classes.tolist() == ["oil", "tea"]
    assert "Lewis" in corpus.citation
    assert datasets.reuters(topics=2, source="sgml", path=path).name == "Reuters-2 (SGML)"


def test_sgml_several_topics(distribution):
    options = {"source": "sgml", "path": distribution, "multilabel": True}
    corpus = datasets.reuters(topics=None, **options)
    assert corpus.train.classes.tolist() == ["oil", "tea"]
    assert corpus.train.membership.toarray().tolist() == [[0, 1], [1, 0], [1, 1], [1, 0]]
    assert corpus.test.membership.toarray().tolist() == [[1, 0], [0, 1], [1, 0]]
    assert corpus.train.texts[2] == "BOTH\noil and tea"
    assert datasets.reuters(topics=2, **options).name == "Reuters-2 (SGML multilabel)"


def test_sgml_that_is_cut_short_is_named(distribution):
    file = distribution / "reut2-004.sgm"
    file.write_bytes(file.read_bytes()[:-30])
    with pytest.raises(ValueError, match=r"reut2-004.sgm is cut short .*1 stories begin .* 0 end"):
        datasets.reuters(source="sgml", path=distribution)


def test_an_incomplete_distribution_is_said(distribution):
    (distribution / "reut2-021.sgm").unlink()
    with pytest.warns(UserWarning, match="holds 21 of the 22 files") as said:
        datasets.reuters(topics=2, source="sgml", path=distribution)
    assert said[0].filename == __file__


def test_sgml_that_is_missing_damaged_or_without_split(distribution, tmp_path):
    for path, kind, words in [
        (tmp_path / "nowhere", FileNotFoundError, "no folder or file"),
        (tmp_path, FileNotFoundError, r"no reut2-\*.sgm files"),
        (distribution / "README.txt", ValueError, "damaged or no tar archive"),
    ]:
        with pytest.raises(kind, match=words):
            datasets.reuters(source="sgml", path=path)
    endless = distribution / "reut2-000.sgm"
    content = endless.read_bytes()
    endless.write_bytes(bytes(sgml.LARGEST + 1))
    with pytest.raises(ValueError, match=r"damaged or no tar archive: reut2-000.sgm has 16,777"):
        datasets.reuters(source="sgml", path=tarred(distribution))
    endless.write_bytes(content)
    archive = tarred(distribution)
    archive.write_bytes(archive.read_bytes()[:-100])
    with pytest.raises(ValueError, match="damaged or no tar archive"):
        datasets.reuters(source="sgml", path=archive)
    for file in distribution.glob("reut2-0[012]?.sgm"):
        file.write_text(STORIES[8])
    with pytest.raises(ValueError, match=r"no topic in .* has both training and test"):
        datasets.reuters(source="sgml", path=distribution)
