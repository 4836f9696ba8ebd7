"""`fsmj evaluate`: how well a model does on labelled documents."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fsmj._names import counted
from fsmj.cli.classify import ModelFile
from fsmj.cli.data import opened
from fsmj.cli.options import Documents, Json, Quiet, Reading
from fsmj.cli.output import FORMATS, check_target, print_json, write_frame
from fsmj.cli.terminal import WORDLESS, print_table, say, shown

if TYPE_CHECKING:
    import pandas as pd

_MEASURES = ("precision", "recall", "f1")
_MOST_SHOWN = 12  # classes of a confusion matrix that fit on a screen


def evaluate(
    model: ModelFile,
    data: Documents,
    reading: Reading,
    confusion: Annotated[
        Path | None,
        typer.Option(help="Write the confusion matrix to a .csv, .parquet or .json file."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare a model's labels with those of the data.

    Example: fsmj evaluate model.parquet test.csv
    """
    from fsmj.corpus.labels import label_text
    from fsmj.model import load_model

    if confusion is not None:
        check_target(confusion, FORMATS, [model, *data])
    trained = load_model(model)
    truth: list[str] = []
    given: list[str] = []
    wordless = 0
    with (
        opened(data, reading, quiet=quiet, model=trained) as source,
        closing(source.labelled_texts("evaluation")) as documents,
    ):
        for texts, labels in documents:
            truth += map(label_text, labels)
            decisions = trained.classify(texts)
            given += map(label_text, decisions.labels.tolist())
            wordless += int((decisions.words == 0).sum())
    unknown = sorted(set(truth) - set(map(label_text, trained.classes.tolist())))
    named = ", ".join(map(repr, unknown[:5]))
    named += f" and {len(unknown) - 5:,} others" if len(unknown) > 5 else ""
    if len(unknown) == len(set(truth)):
        raise ValueError(
            f"the model knows none of the labels {named}; name the column of its classes "
            "with --label"
        )
    if unknown and not quiet:
        say(f"the model knows no class {named}: counted as errors")
    names = sorted({*truth, *given})
    figures, matrix = _figures(truth, given, names), _confusion(truth, given, names)
    if wordless and not quiet:
        say(WORDLESS.format(counted(wordless, "text")))
    if confusion is not None:
        write_frame([matrix.reset_index(names="label")], confusion)
    if json:
        print_json({**figures, "confusion": matrix.to_dict(orient="index")})
        return
    print_table(
        [("class", "left"), ("documents", "right"), ("precision", "right"), ("recall", "right"),
         ("F1", "right")],
        (
            (shown(name), f"{row['documents']:,}", *(f"{row[key]:.3f}" for key in _MEASURES))
            for name, row in figures["classes"].items()
        ),
    )  # fmt: skip
    if len(matrix) > _MOST_SHOWN:
        print("\nConfusion: the most frequent mistakes")
        print_table(
            [("label", "left"), ("given", "left"), ("documents", "right")],
            ((shown(label), shown(other), f"{n:,}") for label, other, n in _mistakes(matrix)),
        )
    else:
        print("\nConfusion: labels of the data by row, given ones by column")
        print_table(
            [("label \\ given", "left"), *((shown(name, 12), "right") for name in matrix)],
            ((shown(name, 24), *(f"{n:,}" for n in row)) for name, row in matrix.iterrows()),
        )
    print(
        f"\naccuracy {figures['accuracy']:.3f}, macro F1 {figures['macro_f1']:.3f}, "
        f"{figures['documents']:,} documents"
    )


def _confusion(truth: list[str], given: list[str], names: list[str]) -> pd.DataFrame:
    import pandas as pd
    from sklearn.metrics import confusion_matrix

    return pd.DataFrame(confusion_matrix(truth, given, labels=names), names, names)


def _mistakes(matrix: pd.DataFrame) -> list[tuple[Any, Any, int]]:
    """Return the pairs of labels that are most often mistaken, and how often."""
    import numpy as np

    table, names = matrix.to_numpy(), matrix.columns.tolist()
    rows, columns = np.nonzero(table * ~np.eye(len(table), dtype=bool))
    worst = np.argsort(-table[rows, columns], kind="stable")[:_MOST_SHOWN]
    return [
        (names[i], names[j], int(table[i, j]))
        for i, j in zip(rows[worst], columns[worst], strict=True)
    ]


def _figures(truth: list[str], given: list[str], names: list[str]) -> dict[str, Any]:
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    columns = precision_recall_fscore_support(truth, given, labels=names, zero_division=0.0)
    figures = zip(*(column.tolist() for column in columns), strict=True)
    classes = {
        name: {**dict(zip(_MEASURES, row, strict=True)), "documents": int(n_docs)}
        for name, (*row, n_docs) in zip(names, figures, strict=True)
    }
    return {
        "documents": len(truth),
        "accuracy": float(accuracy_score(truth, given)),
        "macro_f1": sum(row["f1"] for row in classes.values()) / len(classes),
        "classes": classes,
    }
