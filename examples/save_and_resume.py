"""A service that dies in the middle of a stream, and goes on from its last save.

    python examples/save_and_resume.py

Learns a bundled stream in a process of its own, which saves the model every hundred rows, and which
a signal kills at some row; each new process goes on where the file left off. In the end the model
has the bytes of one that was never interrupted.
"""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile

import river_nrrls as rn


def serve(path: str, seed: str) -> None:
    """Learn what is left of the stream; the model knows how many rows it has learnt."""
    stream = rn.datasets.load("spambase").shuffled(seed=1)
    model = rn.load(path) if os.path.exists(path) else rn.NRRLSClassifier(scaling="standard")
    start = model.n_updates
    death = random.Random(seed).randint(500, 2500)
    for i, (x, y) in enumerate(stream):
        if i >= start:
            model.learn_one(x, y)
            if model.n_updates % 100 == 0:
                rn.save(model, path)
            if i == start + death:
                os.kill(os.getpid(), signal.SIGTERM)
    rn.save(model, path)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.nrrls")
        code, n = None, 0
        while code != 0:
            n += 1
            code = subprocess.run([sys.executable, __file__, path, str(n)]).returncode
            model = rn.load(path)
            print(f"process {n}: {'done' if code == 0 else 'killed'}, {model.n_updates} rows saved")

    unbroken = rn.NRRLSClassifier(scaling="standard")
    for x, y in rn.datasets.load("spambase").shuffled(seed=1):
        unbroken.learn_one(x, y)
    print("the bytes of an unbroken run:", pickle.dumps(model) == pickle.dumps(unbroken))


if __name__ == "__main__":
    serve(*sys.argv[1:]) if len(sys.argv) > 1 else main()
