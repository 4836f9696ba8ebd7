"""The options of methods as parameters of scikit-learn's estimators."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator

from fsmj.methods.table import METHODS


class AnyMethod(BaseEstimator):  # type: ignore[misc]
    """Takes the options of methods as keywords; which there are, the table says when fitting."""

    def _take_options(self, options: dict[str, Any]) -> None:
        for name, value in options.items():
            setattr(self, name, value)

    def _options(self) -> dict[str, Any]:
        """Return what was given beyond the parameters that all methods share."""
        shared = self._get_param_names()
        return {
            name: value
            for name, value in vars(self).items()
            if name not in shared and not name.startswith("_") and not name.endswith("_")
        }

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with the options that were given."""
        return {**super().get_params(deep), **self._options()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters, and options of the method."""
        known = {option.name for method in METHODS.values() for option in method.options}
        self._take_options({name: params.pop(name) for name in known & params.keys()})
        super().set_params(**params)
        return self
