"""Plots for notebooks, with matplotlib: how often keys return, and why rows were rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sigmill._sigmill import Recovered, Verdicts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["key_reuse", "rejections"]


def _axes(axes: Axes | None) -> Axes:
    if axes is not None:
        return axes
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def rejections(verdicts: Verdicts | Recovered, axes: Axes | None = None) -> Axes:
    """A bar for each reason, proportional to its rows, the longest on top."""
    axes = _axes(axes)
    reasons = sorted(verdicts.reasons.items(), key=lambda item: item[1])
    axes.barh([reason for reason, _ in reasons], [rows for _, rows in reasons])
    axes.set_xlabel("rows")
    axes.set_title(f"{verdicts.rejected:,} of {len(verdicts):,} rows rejected")
    return axes


def key_reuse(keys: Iterable[object], axes: Axes | None = None) -> Axes:
    """The rows of each key, the keys with most rows first, both axes logarithmic.

    `keys` is any iterable column of hashable values. A table pays for keys above about four rows
    (`Engine.explain`).
    """
    axes = _axes(axes)
    counts = sorted(Counter(map(_plain, keys)).values(), reverse=True)
    axes.plot(range(1, len(counts) + 1), counts, marker=".")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("keys, by their rows")
    axes.set_ylabel("rows")
    axes.set_title(f"{len(counts):,} keys in {sum(counts):,} rows")
    return axes


def _plain(value: object) -> object:
    """The Python value of an Arrow scalar."""
    as_py = getattr(value, "as_py", None)
    return value if as_py is None else as_py()
