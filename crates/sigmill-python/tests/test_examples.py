"""The programs in `examples` work as documented."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name: str, *arguments: str) -> str:
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_payments(tmp_path: Path) -> None:
    lines = run("payments.py", str(tmp_path)).splitlines()
    assert [line.split(": ")[0] for line in lines] == ["777", "4777", "8777", "12777", "16777"]
    assert all(line.endswith(": signature-mismatch") for line in lines)


@pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java")
def test_payments_in_spark(tmp_path: Path) -> None:
    in_sql = run("payments.py", str(tmp_path)).splitlines()
    lines = run("payments_spark.py", str(tmp_path)).splitlines()
    assert lines == in_sql
    assert len(lines) == 5


def test_dask() -> None:
    pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    assert run("on_dask.py").strip() == "5,000 rows: 4,999 valid, rejected: [1234]"


def test_ray() -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    assert run("on_ray.py").strip() == "5,000 rows: 4,999 valid, rejected: [1234]"
