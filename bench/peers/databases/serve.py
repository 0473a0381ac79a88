"""The protocol loop; `bench/src/documents/database.ts` has the commands."""

import ctypes
import gc
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
from database import Batch, database_class


def serve(input_folder, dim, name, folder):
    # Libraries print to standard output, which belongs to the protocol.
    answers = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)
    driver = Driver(Path(input_folder), dim, name, Path(folder))
    for line in sys.stdin:
        command = json.loads(line)
        answer = getattr(driver, command.pop('op'))(**command)
        answers.write(json.dumps(answer) + '\n')
        answers.flush()


class Driver:
    def __init__(self, input_folder, dim, name, folder):
        self.base = rows(input_folder / 'base.f32', dim)
        self.queries = rows(input_folder / 'queries.f32', dim)
        self.titles = (input_folder / 'titles.txt').read_text().split('\n')
        self.name, self.folder, self.dim = name, folder, dim
        self.database = None

    def open(self):
        """Makes or opens the database. The clock begins once the library is imported."""
        try:
            database = database_class(self.name)
        except Exception as error:  # A library that ends here is named in the report, whatever it raised.
            return {'unsupported': True, 'why': f'{type(error).__name__}: {error}'}
        is_new = not any(self.folder.iterdir())
        started = time.perf_counter()
        self.database = database(self.folder, self.dim, is_new)
        return {'seconds': time.perf_counter() - started}

    def add(self, first, count, size):
        """Adds documents from `first` on, `size` a call; seconds of the calls alone."""
        end = first + count
        calls = [self.prepare(start, min(start + size, end)) for start in range(first, end, size)]
        started = time.perf_counter()
        for call in calls:
            self.database.add(call)
        return {'seconds': time.perf_counter() - started}

    def prepare(self, start, end):
        ids = list(range(start, end))
        titles = [self.titles[i % len(self.titles)] for i in ids]
        # A copy: a page of the mapped file would be read within the clock.
        return self.database.prepare(Batch(ids, np.array(self.base[start:end]), titles))

    def settle(self):
        """These libraries do all of their work within the call."""
        return {'seconds': 0}

    def search(self, k, first, count):
        """Answers the queries one after the other; seconds of each."""
        seconds, neighbors = [], []
        for query in np.array(self.queries[first : first + count]):
            started = time.perf_counter()
            found = self.database.search(query, k)
            seconds.append(time.perf_counter() - started)
            neighbors.append([int(i) for i in found])
        return {'seconds': seconds, 'neighbors': neighbors}

    def state(self):
        return {'documents': self.database.count(), 'residentBytes': resident_bytes(self.database.processes())}

    def clear(self):
        started = time.perf_counter()
        self.database.clear()
        return {'seconds': time.perf_counter() - started, 'documents': self.database.count()}

    def close(self):
        self.database.close()
        return {}


def rows(path, dim):
    return np.memmap(path, dtype='<f4', mode='r').reshape(-1, dim).view(np.ndarray)


def resident_bytes(processes):
    """What they hold, pages that several of them have counted once, freed memory of this one given back first."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:
        pass  # Not glibc.
    return sum(proportional_bytes(process) for process in processes)


def proportional_bytes(process):
    lines = Path(f'/proc/{process}/smaps_rollup').read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith('Pss:'))
