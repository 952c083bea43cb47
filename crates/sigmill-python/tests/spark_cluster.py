"""Spark on a cluster that loses a worker: every row is judged once, as the command judges it.

    python tests/spark_cluster.py [--rows N] [--command PATH] [--folder FOLDER]

Starts a standalone master and two workers on the loopback interface, at ports chosen by the system.
Each worker has an executor with one core. They verify N rows of Parquet: a few thousand distinct
rows, repeated, with bad ones at known places. When a third of the rows is done, the second worker,
its executor and its Python processes are killed. Then each id must appear once, with the expected
verdict (and that of `sigmill verify`, if the command is given). The memory of the Python workers
must not grow with the rows. Nothing is left running.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sigmill
import sigmill.spark
from conftest import make_rows

# The number of distinct rows in the archive; they form a row group.
DISTINCT = 21_000


def make(path: Path, count: int) -> list[str | None]:
    """Writes the given number of rows; returns the verdicts of the distinct ones."""
    rows = make_rows(DISTINCT, 16)
    part = pa.table(
        {
            "alg": ["ES256"] * DISTINCT,
            "key": rows.keys,
            "message": rows.messages,
            "signature": rows.signatures,
        }
    )
    schema = part.schema.insert(0, pa.field("id", pa.int64()))
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for first in range(0, count, DISTINCT):
            ids = pa.array(np.arange(first, min(first + DISTINCT, count)))
            group = part.slice(0, len(ids)).add_column(0, "id", ids)
            writer.write_table(group, row_group_size=DISTINCT)
    return rows.reasons


def children(process: int) -> list[int]:
    """A process and all its descendants, itself first."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name in parentheses may have spaces.
            rest = status.read_text().rpartition(")")[2].split()
            parents[int(status.parent.name)] = int(rest[1])
    found = [process]
    for known in found:
        found += [child for child, parent in parents.items() if parent == known]
    return found


def python_memory(process: int) -> list[int]:
    """The resident memory of each Python worker below a process, in bytes."""
    sizes = []
    for child in children(process):
        with contextlib.suppress(OSError):
            if b"pyspark.daemon" in Path(f"/proc/{child}/cmdline").read_bytes():
                pages = int(Path(f"/proc/{child}/statm").read_text().split()[1])
                sizes.append(pages * os.sysconf("SC_PAGE_SIZE"))
    return sizes


def kill(process: int) -> None:
    """Kills a process and all its descendants at once."""
    for child in reversed(children(process)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


class Cluster:
    """A master and two workers."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder = folder
        self.home = Path(pyspark.__file__).parent
        self.processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self.master = ""

    def __enter__(self) -> Cluster:
        try:
            log = self._start("master", "master.Master")
            self.master = self._wait(log, r"Starting Spark master at (spark://[\d.:]+)")
            for name in ("worker-1", "worker-2"):
                choices = ["--cores", "1", "--memory", "1500m"]
                choices += ["--work-dir", str(self.folder / name), self.master]
                log = self._start(name, "worker.Worker", *choices)
                self._wait(log, r"(Successfully registered) with master")
                self.workers.append(self.processes[-1])
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            kill(process.pid)
            process.wait()

    def _start(self, name: str, kind: str, *choices: str) -> Path:
        log = self.folder / f"{name}.log"
        command = [str(self.home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}"]
        environment = os.environ | {
            "SPARK_HOME": str(self.home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
        }
        with log.open("wb") as file:
            started = subprocess.Popen(
                [*command, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0", *choices],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )
        self.processes.append(started)
        return log

    def _wait(self, log: Path, pattern: str) -> str:
        for _ in range(1200):
            if found := re.search(pattern, log.read_text(errors="replace")):
                return found[1]
            time.sleep(0.1)
        raise TimeoutError(f"{log.name}: no {pattern!r}: {log.read_text()[-2000:]}")


def tasks(spark: Any) -> tuple[int, int]:
    """The number of finished tasks, and of all tasks."""
    status = spark.sparkContext.statusTracker()
    stages = [status.getStageInfo(stage) for stage in status.getActiveStageIds()]
    # Without the stages that only read the schema.
    known = [stage for stage in stages if stage is not None and stage.numTasks > 2]
    return sum(stage.numCompletedTasks for stage in known), sum(s.numTasks for s in known)


def judge(folder: Path, source: Path) -> dict[str, Any]:
    """Verifies on the cluster, and kills half of it meanwhile."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    with Cluster(folder) as started:
        choices = {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.executor.memory": "1g",
            "spark.executor.cores": "1",
            # Enough tasks that some are running and some are pending when the worker is lost.
            "spark.sql.files.maxPartitionBytes": str(max(source.stat().st_size // 40, 1 << 20)),
            "spark.sql.files.openCostInBytes": "0",
        }
        builder = SparkSession.builder.master(started.master).appName("sigmill")
        for name, value in choices.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        memory: list[tuple[float, int]] = []
        lost = {"at": 0.0, "done": 0, "tasks": 0}
        began, ended = time.monotonic(), threading.Event()

        def watch() -> None:
            while not ended.wait(0.2):
                now = time.monotonic() - began
                sizes = [size for w in started.workers for size in python_memory(w.pid)]
                if sizes:
                    memory.append((now, max(sizes)))
                done, all_ = tasks(spark)
                if not lost["at"] and 0 < all_ <= 3 * done:
                    kill(started.workers[1].pid)
                    lost.update(at=now, done=done, tasks=all_)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            frame = spark.read.parquet(str(source))
            judged = sigmill.spark.verify(frame, "ES256", message="message")
            judged.select("id", "valid", "reason").write.parquet(str(folder / "judged"))
        finally:
            took = time.monotonic() - began
            ended.set()
            watcher.join()
            spark.stop()
    assert lost["at"], "no worker was killed"
    return {"seconds": took, "lost": lost, "memory": memory}


def check(folder: Path, reasons: list[str | None], count: int) -> np.ndarray:
    """Checks that each id appears once with the expected verdict; returns the reasons by id."""
    judged = pq.read_table(folder / "judged")
    ids = judged["id"].to_numpy()
    assert len(ids) == count, (len(ids), count)
    assert np.array_equal(np.sort(ids), np.arange(count))
    found = np.empty(count, object)
    found[ids] = judged["reason"].to_numpy(zero_copy_only=False)
    valid = np.empty(count, bool)
    valid[ids] = judged["valid"].to_numpy(zero_copy_only=False)
    due = np.tile(np.array(reasons, object), -(-count // DISTINCT))[:count]
    assert np.array_equal(found, due)
    assert np.array_equal(valid, due == None)  # noqa: E711
    return found


def compare(command: Path, source: Path, folder: Path, found: np.ndarray) -> None:
    """The command's verdicts are the same."""
    out = folder / "command.parquet"
    arguments = [str(command), "verify", str(source), "--out", str(out), "--quiet"]
    done = subprocess.run(arguments, stdout=subprocess.DEVNULL, check=False)
    # Exit status 1 means that rows were rejected.
    assert done.returncode in (0, 1), done.returncode
    table = pq.read_table(out, columns=["row", "valid", "reason"])
    assert np.array_equal(table["row"].to_numpy(), np.arange(1, len(found) + 1))
    assert np.array_equal(table["reason"].to_numpy(zero_copy_only=False), found)


def memory_in_turn(memory: list[tuple[float, int]]) -> list[int]:
    """The largest MiB of a Python worker in each tenth of the time, from its start."""
    first, last = memory[0][0], memory[-1][0] + 1e-9
    tenths: list[list[int]] = [[0] for _ in range(10)]
    for now, size in memory:
        tenths[int(10 * (now - first) / (last - first))].append(size >> 20)
    return [max(sizes) for sizes in tenths]


def main() -> None:
    """Creates, judges, checks and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--command", type=Path, help="the command sigmill, to be compared with")
    parser.add_argument("--folder", type=Path, help="where files are made; a temporary one else")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        source = folder / "rows.parquet"
        reasons = make(source, arguments.rows)
        run = judge(folder, source)
        found = check(folder, reasons, arguments.rows)
        if arguments.command:
            compare(arguments.command, source, folder, found)
    memory = memory_in_turn(run["memory"])
    report = {
        "rows": arguments.rows,
        "rejected": int((found != None).sum()),  # noqa: E711
        "seconds": round(run["seconds"], 1),
        "lost a worker after": round(run["lost"]["at"], 1),
        "tasks done by then": run["lost"]["done"],
        "tasks": run["lost"]["tasks"],
        "as the command": bool(arguments.command),
        "MiB of a Python worker in each tenth": memory,
    }
    print(json.dumps(report, indent=2))
    # Libraries, tables of keys, and batches.
    assert max(memory) < 400, "a worker has too much memory"
    # In a short run the first half goes to importing libraries.
    if arguments.rows >= 1_000_000:
        assert max(memory[5:]) < 1.1 * max(memory[:5]) + 16, "memory grew"


if __name__ == "__main__":
    main()
