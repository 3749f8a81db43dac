"""A Dask cluster learns a stream in parts, one of its workers dies, and nothing is lost.

    python examples/many_machines.py [--workers 2] [--partitions 20]

Starts worker processes on this machine, kills one of them half-way, and compares the model with one
that has learnt all rows alone. Needs the extra `dask`.
"""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time

import dask.dataframe as dd
import pandas as pd
from distributed import Client, LocalCluster

import river_nrrls as rn


def rows() -> pd.DataFrame:
    dataset = rn.datasets.load("spambase").shuffled(seed=1)
    return pd.DataFrame([{**x, "spam": y} for x, y in dataset])


def load(part: int, n_parts: int) -> pd.DataFrame:
    """One partition, as a worker would read it from a disk that is slow."""
    time.sleep(0.2)
    return rows()[part::n_parts]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--partitions", type=int, default=20)
    given = parser.parse_args()

    frame = rows()
    model = rn.NRRLSClassifier(scaling="standard")
    with (
        LocalCluster(given.workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        victim = next(iter(client.run(os.getpid).values()))
        killer = threading.Timer(3.0, os.kill, (victim, signal.SIGKILL))
        killer.start()
        ddf = dd.from_map(load, range(given.partitions), n_parts=given.partitions, meta=frame[:0])
        rn.distributed.learn_dask(model, ddf, target="spam", progress=True)
        killer.cancel()
        alive = client.run(os.getpid).values()
    print()
    print("a worker was killed:", victim not in alive)

    alone = rn.NRRLSClassifier(scaling="standard")
    alone.learn_many(frame.drop(columns="spam"), frame["spam"])
    print("rows of each class: ", model.class_counts, alone.class_counts)
    X = frame.drop(columns="spam")
    gap = (model.decision_function_many(X) - alone.decision_function_many(X)).abs().max()
    print(f"greatest difference of a score: {gap:.1e}")


if __name__ == "__main__":
    main()
