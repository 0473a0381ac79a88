"""What every library answers to, and which there are."""

from abc import ABC, abstractmethod
from importlib import import_module
from pathlib import Path

# Name of the driver: its file here and the arguments of its `Library`.
LIBRARIES = {
    'hnswlib': ('hnswlib_graph', ()),
    'faiss-hnsw': ('faiss_hnsw', ('flat',)),
    'faiss-hnsw-sq8': ('faiss_hnsw', ('sq8',)),
    'glass-sq4u': ('glass_hnsw', ('SQ4U',)),
    'glass-sq8u': ('glass_hnsw', ('SQ8U',)),
    'svs-f16': ('svs_vamana', ('f16',)),
    'svs-lvq4x8': ('svs_vamana', ('lvq4x8',)),
    'svs-leanvec4x8': ('svs_vamana', ('leanvec4x8',)),
    'rabitq-qg': ('rabitq_graph', ()),
}


def open_library(name):
    """The library behind a driver's name. Imports it, so fails where it is not installed."""
    module, arguments = LIBRARIES[name]
    return import_module(module).Library(*arguments)


class Library(ABC):
    """An index over unit rows, nearest by inner product."""

    distribution: str
    """Its name in the registry."""
    effort: str
    """What `ef` sets."""
    filters = False
    """Whether `restrict` can be called."""

    @abstractmethod
    def build(self, base, m, ef_construction, threads):
        """Indexes `base`, f32 [count, dim]. Timed."""

    def prepare(self, base, folder):
        """What comes before the build and is no part of it."""

    def settle(self):
        """What comes after the build and is no part of it."""

    @abstractmethod
    def index_bytes(self, folder):
        """Bytes of vectors, codes and links; `folder` is empty and takes files."""

    def restrict(self, passing):
        """Lets only `passing`, bool [count], be answered from now on; None lets all. Not timed."""
        if passing is not None:
            raise NotImplementedError

    @abstractmethod
    def search(self, queries, k, ef, threads):
        """Ids [count][k], nearest first, for each of `queries`, f32 [count, dim]. Timed."""


def size_of(path):
    """Bytes of a file, or of all files in a folder."""
    path = Path(path)
    files = [path] if path.is_file() else [file for file in path.rglob('*') if file.is_file()]
    return sum(file.stat().st_size for file in files)
