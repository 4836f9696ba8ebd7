"""`FSMJCV` chooses the number of terms by cross-validation."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    TimeSeriesSplit,
)

from fsmj import (
    FSMJ,
    FSMJCV,
    ClassTermCounts,
    Documents,
    TermSelector,
    cross_validate,
    rank,
    sweep,
)
from problems import corpus


@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro", "neg_log_loss"])
@pytest.mark.parametrize("keep_rest", [False, True])
def test_each_fold_is_a_ranking_and_a_sweep_of_the_other_folds(scoring, keep_rest):
    X, y = corpus()
    cv = KFold(3, shuffle=True, random_state=0)
    result = FSMJCV(cv, scoring, keep_rest=keep_rest).fit(csr_array(X), y)
    for f, (train, held) in enumerate(cv.split(X)):
        counts = ClassTermCounts.from_matrix(X[train], y[train])
        curve = sweep(rank(counts), counts, X[held], y[held], keep_rest=keep_rest, log_loss=True)
        expected = {"accuracy": curve.accuracy, "f1_macro": curve.macro_f1,
                    "neg_log_loss": -curve.log_loss}[scoring]  # fmt: skip
        assert_allclose(result.cv_results_[f"split{f}_test_score"], expected)
    scores = np.array([result.cv_results_[f"split{f}_test_score"] for f in range(3)])
    mean = scores.mean(axis=0)
    assert_allclose(result.cv_results_["mean_test_score"], mean)
    assert_allclose(result.cv_results_["std_test_score"], scores.std(axis=0))
    assert result.n_features_ == mean.argmax() + 1
    assert result.best_score_ == pytest.approx(mean.max())
    assert result.transform(X).shape[1] == result.n_features_ + keep_rest
    assert_array_equal(result.ranking_.order, FSMJ().fit(X, y).ranking_.order)


def test_one_standard_error_takes_fewer_terms():
    X, y = corpus()
    best, fewer = (FSMJCV(one_standard_error=rule).fit(X, y) for rule in (False, True))
    results = best.cv_results_
    scores = np.array([results[f"split{f}_test_score"] for f in range(5)])
    top = results["mean_test_score"].argmax()
    least = results["mean_test_score"][top] - scores[:, top].std(ddof=1) / np.sqrt(5)
    assert fewer.n_features_ == np.flatnonzero(results["mean_test_score"] >= least)[0] + 1
    assert fewer.n_features_ <= best.n_features_


def test_a_class_that_a_fold_empties_counts_as_errors():
    X, y = corpus(n_classes=3)
    y[:], y[0], y[1:60] = 0, 2, 1  # class 2 has one document
    with pytest.warns(UserWarning, match="1 documents count as errors.*labelled 2"):
        result = FSMJCV(LeaveOneGroupOut()).fit(X, y, groups=np.arange(len(y)) % 4)
    assert len([key for key in result.cv_results_ if key.startswith("split")]) == 4
    with pytest.warns(UserWarning, match="1 documents count as errors"):
        assert FSMJCV(5).fit(X, y).n_features_ >= 1


def test_training_documents_are_those_of_the_splitter():
    X, y = corpus()
    cv = TimeSeriesSplit(3)
    result = FSMJCV(cv).fit(X, y)
    for f, (train, held) in enumerate(cv.split(X)):
        counts = ClassTermCounts.from_matrix(X[train], y[train])
        curve = sweep(rank(counts), counts, X[held], y[held])
        assert_array_equal(result.cv_results_[f"split{f}_test_score"], curve.accuracy)


def test_real_values_and_weights_of_any_size():
    X, y = corpus()
    X = X.astype(float)
    X[0, 0] = 1e14
    y[:], y[0], y[1:60] = 0, 2, 1
    weight = np.random.default_rng(5).random(len(y)) + 0.1
    with pytest.warns(UserWarning, match="1 documents count as errors"):
        assert FSMJCV(cv=3).fit(X, y, sample_weight=weight).n_features_ >= 1


def test_names_of_terms_reach_the_ranking():
    X, y = corpus()
    frame = pd.DataFrame(X, columns=[f"t{i}" for i in range(50)])
    for selector in (FSMJ(3), TermSelector("cmim", n_features_to_select=3), FSMJCV(cv=2)):
        assert set(selector.fit(frame, y).ranking_.terms) <= set(frame.columns)


@pytest.mark.long
@pytest.mark.parametrize("method", ["fsmj", "ig", "cmim", "cll"])
def test_any_method_and_any_number_of_processes_give_the_same(method):
    X, y = corpus()
    one = FSMJCV(3, method=method).fit(X, y)
    two = FSMJCV(3, method=method, n_jobs=2).fit(X, y)
    curve = cross_validate(Documents(X, y), method, cv=3)
    assert_array_equal(one.cv_results_["mean_test_score"], curve.accuracy)
    assert_array_equal(two.cv_results_["mean_test_score"], curve.accuracy)
    assert one.n_features_ == two.n_features_ == curve.ks[curve.accuracy.argmax()]


def test_groups_stay_together():
    X, y = corpus()
    groups = np.arange(len(y)) // 10
    by_name = FSMJCV(GroupKFold(4)).fit(X, y, groups=groups)
    by_hand = FSMJCV(list(GroupKFold(4).split(X, y, groups))).fit(X, y)
    mean, same = (cv.cv_results_["mean_test_score"] for cv in (by_name, by_hand))
    assert_array_equal(mean, same)


def test_progress(capsys):
    X, y = corpus()
    FSMJCV(cv=2, verbose=True).fit(X, y)
    assert "fold 2 of 2: accuracy " in capsys.readouterr().err
    FSMJCV(cv=2).fit(X, y)
    assert capsys.readouterr().err == ""


def test_scikit_learns_callbacks_hear_of_the_folds():
    pytest.importorskip("sklearn.callback", reason="this scikit-learn has no callbacks")
    heard = []

    class Listener:
        def setup(self, estimator, context):
            heard.append("setup")

        def teardown(self, estimator, context):
            heard.append("teardown")

        def on_fit_task_begin(self, estimator, context):
            heard.append(f"begin {context.task_name}")

        def on_fit_task_end(self, estimator, context):
            heard.append(f"end {context.task_name}")

    X, y = corpus()
    FSMJCV(cv=3).set_callbacks(Listener()).fit(X, y)
    assert heard[0] == "setup"
    assert heard[-1] == "teardown"
    assert heard.count("begin fold") == heard.count("end fold") == 3


def test_the_curve_as_a_figure():
    import matplotlib as mpl

    mpl.use("Agg")
    from fsmj import TermCurveDisplay

    X, y = corpus()
    fitted = FSMJCV(cv=2).fit(X, y)
    display = TermCurveDisplay.from_estimator(fitted)
    assert display.ax_.get_xlabel() == "number of terms"
    line = display.ax_.get_lines()[0]
    assert_array_equal(line.get_ydata(), fitted.cv_results_["mean_test_score"])
    mpl.pyplot.close(display.figure_)
