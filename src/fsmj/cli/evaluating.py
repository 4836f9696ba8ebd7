"""`fsmj evaluate`: how well a model does on labelled documents."""

from __future__ import annotations

from typing import Any

from fsmj.cli.classifying import ModelFile
from fsmj.cli.data import opened
from fsmj.cli.options import Documents, Json, Quiet, Reading
from fsmj.cli.output import print_json
from fsmj.cli.terminal import print_table, say, shown


def evaluate(
    model: ModelFile,
    data: Documents,
    reading: Reading,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare a model's labels with those of the data.

    Example: fsmj evaluate model.parquet test.csv
    """
    from fsmj.corpus.labels import label_text
    from fsmj.model import load_model

    trained = load_model(model)
    truth: list[str] = []
    given: list[str] = []
    with opened(data, reading, quiet=quiet) as source:
        for batch in source.documents("evaluation"):
            truth += map(label_text, batch.labels)
            given += map(label_text, trained.predict(batch.texts).tolist())
    figures = _figures(truth, given)
    unknown = sorted(set(truth) - set(map(label_text, trained.classes.tolist())))
    if unknown and not quiet:
        say(f"the model knows no class {', '.join(map(repr, unknown[:5]))}: counted as errors")
    if json:
        print_json(figures)
        return
    print_table(
        [("class", "left"), ("documents", "right"), ("precision", "right"), ("recall", "right"),
         ("F1", "right")],
        (
            (shown(name), f"{row['documents']:,}", *(f"{row[key]:.3f}" for key in _MEASURES))
            for name, row in figures["classes"].items()
        ),
    )  # fmt: skip
    print(
        f"\naccuracy {figures['accuracy']:.3f}, macro F1 {figures['macro_f1']:.3f}, "
        f"{figures['documents']:,} documents"
    )


_MEASURES = ("precision", "recall", "f1")


def _figures(truth: list[str], given: list[str]) -> dict[str, Any]:
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    names = sorted({*truth, *given})
    columns = precision_recall_fscore_support(truth, given, labels=names, zero_division=0.0)
    classes = {
        name: {
            "precision": float(precision),
            "recall": float(recall),
            "f1": float(f1),
            "documents": int(documents),
        }
        for name, precision, recall, f1, documents in zip(names, *columns, strict=True)
    }
    return {
        "documents": len(truth),
        "accuracy": float(accuracy_score(truth, given)),
        "macro_f1": sum(row["f1"] for row in classes.values()) / len(classes),
        "classes": classes,
    }
