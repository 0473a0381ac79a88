"""Whether a library runs on this machine: some end the process on a CPU that they do not know."""

import os
import signal
import subprocess
import sys
import tempfile

import numpy as np
from library import open_library


def probe(name):
    """Builds and searches a tiny index."""
    rows = np.random.default_rng(1).standard_normal((600, 64), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    library = open_library(name)
    with tempfile.TemporaryDirectory() as folder:
        library.prepare(rows, folder)
        library.build(rows, 16, 64, 1)
        library.settle()
    found = library.search(rows[:100], 10, 64, 1)
    own = np.mean([row in found[row] for row in range(100)])
    if own < 0.9:
        raise SystemExit(f'only {own:.0%} of rows were found by a search for themselves')


def complaint(name):
    """What keeps a library from running here; None when it runs. Asked in a process of its own."""
    driver = os.path.dirname(__file__)
    child = subprocess.run(
        [sys.executable, driver, '--probe', name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if child.returncode == 0:
        return None
    lines = child.stdout.decode(errors='replace').strip().splitlines()
    if child.returncode < 0:
        return f'ended by {signal.Signals(-child.returncode).name}'
    return lines[-1] if lines else f'ended with exit code {child.returncode}'
