"""What methods are called in tables and figures."""

from __future__ import annotations

METHOD_LABELS = {
    "fsmj": "FSMJ",
    "df": "DF",
    "ig": "IG",
    "chi2": "Chi",
    "rs": "RS",
    "cet": "CET",
    "ngl": "NGL",
    "mi": "MI",
    "sklearn-chi2": "scikit-learn chi2",
    "sklearn-mutual-info": "scikit-learn mutual_info_classif",
    "cmim": "CMIM",
    "cll": "CLL",
}
VARIANT_LABELS = {
    "prior": "prior weights",
    "smoothed": "smoothed",
    "complement": "against the complement",
    "printed": "as printed",
}


def label_of(method: str, variant: str = "", aggregate: str = "", rest: bool = False) -> str:
    """Name a run.

    Examples
    --------
    >>> label_of("ig", aggregate="max", rest=True)
    'IG, max, with rest cell'
    """
    parts = (
        METHOD_LABELS.get(method, method),
        VARIANT_LABELS.get(variant, variant),
        aggregate,
        "with rest cell" if rest else "",
    )
    return ", ".join(part for part in parts if part)
