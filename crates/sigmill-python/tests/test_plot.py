"""Plots, without a window."""

from __future__ import annotations

from typing import Any

import matplotlib
import pyarrow as pa
import pytest
import sigmill
import sigmill.plot
from conftest import Rows

matplotlib.use("Agg")


@pytest.mark.filterwarnings("ignore")
def test_bars_are_reasons_and_points_are_keys(rows: Rows, engine: sigmill.Engine) -> None:
    verdicts = engine.verify("ES256", rows.keys, digests=rows.digests, signatures=rows.signatures)
    axes: Any = sigmill.plot.rejections(verdicts)
    labels = [label.get_text() for label in axes.get_yticklabels()]
    widths = [bar.get_width() for bar in axes.patches]
    assert dict(zip(labels, widths, strict=True)) == verdicts.reasons
    assert widths == sorted(widths)
    assert axes.get_title() == f"{verdicts.rejected} of 300 rows rejected"
    for keys in (rows.keys, pa.array(rows.keys)):
        axes = sigmill.plot.key_reuse(keys)
        (line,) = axes.get_lines()
        counts = list(line.get_ydata())
        assert sum(counts) == len(rows)
        assert len(counts) == len(set(rows.keys))
    assert sigmill.plot.key_reuse(rows.keys, axes) is axes
