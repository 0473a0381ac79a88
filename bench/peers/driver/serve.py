"""The protocol loop; `bench/src/vector/engine.ts` has the commands."""

import ctypes
import gc
import json
import os
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from library import open_library
from probe import complaint


def serve(directory, dim, name):
    # Libraries print progress to standard output, which belongs to the protocol.
    answers = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)
    driver = Driver(Path(directory), dim, name)
    for line in sys.stdin:
        command = json.loads(line)
        operation = {'build': driver.build, 'search': driver.search}.get(command.pop('op'))
        answer = operation(**command) if operation else unsupported('not an operation of the peers')
        answers.write(json.dumps(answer) + '\n')
        answers.flush()


def unsupported(why):
    return {'unsupported': True, 'why': why}


class Driver:
    def __init__(self, directory, dim, name):
        self.directory, self.dim, self.name = directory, dim, name
        self.library = None
        self.count = 0
        self.restriction = None

    def build(self, m, efConstruction, threads=1, **_):
        if (why := complaint(self.name)) is not None:
            return unsupported(why)
        self.library = library = open_library(self.name)
        base = self.rows('base')
        self.count = len(base)
        with tempfile.TemporaryDirectory(dir=self.directory) as folder:
            library.prepare(base, folder)
            # The input is a mapping: gone, with what was read of it, before memory is counted again.
            del base
            before = resident_bytes()
            base = self.rows('base')
            started = time.perf_counter()
            library.build(base, m, efConstruction, threads)
            seconds = time.perf_counter() - started
            library.settle()
            del base
        resident = resident_bytes() - before
        with tempfile.TemporaryDirectory(dir=self.directory) as folder:
            index_bytes = library.index_bytes(folder)
        return {
            'seconds': seconds,
            'indexBytes': index_bytes,
            'residentBytes': resident,
            'version': version(library.distribution),
            'threads': threads,
            'effort': library.effort,
        }

    def search(self, ef, k, set='queries', passRate=None, threads=1, count=None, **_):
        library = self.library
        if library is None:
            raise RuntimeError('search before build')
        if passRate is not None and not library.filters:
            return unsupported(f'{self.name} has no filter')
        if passRate != self.restriction:
            library.restrict(None if passRate is None else self.passing(passRate))
            self.restriction = passRate
        queries = np.array(self.rows(set)[:count])
        started = time.perf_counter()
        ids = library.search(queries, k, ef, threads)
        seconds = time.perf_counter() - started
        # Places that a library could not fill hold -1 or its largest number.
        neighbors = [[int(i) for i in row if 0 <= i < self.count] for row in ids]
        return {'seconds': seconds, 'neighbors': neighbors}

    def rows(self, name):
        mapped = np.memmap(self.directory / f'{name}.f32', dtype='<f4', mode='r').reshape(-1, self.dim)
        return mapped.view(np.ndarray)

    def passing(self, rate):
        passing = np.zeros(self.count, dtype=bool)
        passing[np.fromfile(self.directory / f'filter-{rate}.u32', dtype='<u4')] = True
        return passing


def resident_bytes():
    """What the process holds, freed memory given back first."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:
        pass  # Not glibc.
    pages = int(Path('/proc/self/statm').read_text().split()[1])
    return pages * os.sysconf('SC_PAGE_SIZE')
