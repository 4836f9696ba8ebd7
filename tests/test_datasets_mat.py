"""The paper's matrix: found, downloaded, verified, and cut to its terms."""

import http.server
import os
import threading

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_matrix, csr_array

from fsmj import datasets
from fsmj.datasets import cache, mat
from own_cache import is_one_sentence, names_in
from own_cache import own_cache as own_cache

PAPER_MATRIX = os.environ.get("FSMJ_REUTERS_MAT")


def small_matrix(path, **changed):
    # Column 0 is in 4 training documents of topics 1 to 20, column 1 in 3 of these and in one of
    # topic 21, column 2 in 5 but counted twice in one, column 3 in test documents only.
    fea = np.array(
        [
            [1, 1, 1, 0],
            [1, 1, 2, 0],
            [1, 0, 1, 0],
            [1, 1, 1, 0],
            [0, 0, 1, 0],
            [0, 1, 0, 0],
            [1, 1, 1, 9],
            [0, 1, 0, 9],
        ]
    )
    variables = {
        "fea": csc_matrix(fea.astype(float)),
        "gnd": np.array([[1], [1], [2], [20], [20], [21], [2], [21]], dtype=np.uint8),
        "trainIdx": np.array([[1], [2], [3], [4], [5], [6]], dtype=np.uint16),
        "testIdx": np.array([[7], [8]], dtype=np.uint16),
    }
    savemat(path, {k: v for k, v in {**variables, **changed}.items() if v is not None})
    return path


def test_matrix_keeps_the_terms_in_four_training_documents_of_twenty_topics(tmp_path):
    path = small_matrix(tmp_path / "small.mat")
    two = datasets.reuters(topics=2, source="mat", path=path)
    assert two.train.X.toarray().tolist() == [[1, 1], [1, 2], [1, 1]]
    assert two.train.X.dtype == np.int64
    assert two.train.y.tolist() == [1, 1, 2]
    assert two.test.X.toarray().tolist() == [[1, 1]]
    assert two.train.classes.tolist() == [1, 2]
    assert two.train.terms.tolist() == ["1", "3"]
    assert two.train.texts is None
    assert "Cai" in two.citation
    everything = datasets.reuters(topics=None, source="mat", path=path)
    assert everything.train.X.shape == (6, 2)
    assert everything.train.classes.tolist() == [1, 2, 20, 21]
    with pytest.raises(ValueError, match="has 21 topics, fewer than the 30"):
        datasets.reuters(topics=30, source="mat", path=path)


def test_matrix_from_the_environment_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("FSMJ_REUTERS_MAT", str(small_matrix(tmp_path / "small.mat")))
    assert datasets.reuters(topics=20, source="mat").train.n_docs == 5
    monkeypatch.setenv("FSMJ_REUTERS_MAT", str(tmp_path / "no.mat"))
    with pytest.raises(OSError, match=r"cannot read .*no.mat, given as FSMJ_REUTERS_MAT"):
        datasets.reuters(source="mat")
    with pytest.raises(OSError, match=r"cannot read .*other.mat, given as path"):
        datasets.reuters(source="mat", path=tmp_path / "other.mat")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"gnd": None}, "has no variable gnd"),
        ({"trainIdx": np.array([[0]])}, "do not fit together"),
        ({"testIdx": np.array([[9]])}, "do not fit together"),
        ({"gnd": np.array([[1]])}, "do not fit together"),
    ],
)
def test_another_matrix_is_refused(tmp_path, changed, said):
    path = small_matrix(tmp_path / "small.mat", **changed)
    with pytest.raises(ValueError, match=rf"small.mat is not Reuters21578.mat: .*{said}"):
        datasets.reuters(source="mat", path=path)


@pytest.mark.parametrize("content", [b"", b"no matrix", b"\0" * 200])
def test_a_file_that_is_no_matrix_is_refused(tmp_path, content):
    (tmp_path / "bad.mat").write_bytes(content)
    with pytest.raises(ValueError, match=r"bad.mat is not (a readable MATLAB file|Reuters21578)"):
        datasets.reuters(source="mat", path=tmp_path / "bad.mat")


def test_matrix_download_is_verified_and_cached(tmp_path, own_cache, monkeypatch):
    good = small_matrix(tmp_path / "small.mat").read_bytes()
    answers = [good[:-50], good]

    class Author(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answers.pop(0))

        def log_message(self, *_):
            pass

    monkeypatch.setattr(mat, "SHA256", cache.digest(good))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with http.server.HTTPServer(("127.0.0.1", 0), Author) as site:
        monkeypatch.setattr(mat, "URL", f"http://127.0.0.1:{site.server_port}/Reuters21578.mat")
        threading.Thread(target=site.serve_forever, args=(0.01,)).start()
        try:
            with pytest.raises(OSError, match=r"sha256 .* instead of"):
                datasets.reuters(topics=20, source="mat")
            assert names_in(own_cache) == []
            assert datasets.reuters(topics=20, source="mat").train.n_docs == 5
        finally:
            site.shutdown()
    assert names_in(own_cache) == ["Reuters21578.mat"]
    assert datasets.reuters(topics=20, source="mat").train.n_docs == 5
    (own_cache / "Reuters21578.mat").write_bytes(b"damaged")
    with pytest.raises(OSError, match=r"could not get Reuters21578.mat .* FSMJ_REUTERS_MAT") as e:
        datasets.reuters(source="mat")
    assert is_one_sentence(e)


@pytest.mark.skipif(PAPER_MATRIX is None, reason="FSMJ_REUTERS_MAT names no Reuters21578.mat")
@pytest.mark.parametrize(
    ("topics", "n_train", "n_test"), [(10, 5228, 2057), (20, 5622, 2178), (None, 5946, 2347)]
)
def test_the_papers_matrix(topics, n_train, n_test):
    corpus = datasets.reuters(topics, source="mat", path=PAPER_MATRIX)
    assert corpus.train.X.shape == (n_train, 7789)
    assert corpus.test.X.shape == (n_test, 7789)
    classes = np.union1d(corpus.train.classes, corpus.test.classes)
    assert classes.tolist() == list(range(1, (topics or 65) + 1))
    assert isinstance(corpus.train.X, csr_array)
