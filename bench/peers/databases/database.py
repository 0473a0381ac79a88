"""What every database answers to, and which there are."""

import os
from abc import ABC, abstractmethod
from importlib import import_module
from typing import NamedTuple

import numpy as np

# Name of the driver: its file here. No file may have the name of a library, which it would hide.
DATABASES = {
    'chromadb': 'chroma_collection',
    'lancedb': 'lance_table',
    'pgvector': 'pgvector_table',
    'qdrant-edge': 'qdrant_shard',
    'sqlite-vec': 'sqlite_table',
}


def database_class(name):
    """The class behind a driver's name. Imports the library, so fails where it is not installed."""
    return import_module(DATABASES[name]).Database


class Batch(NamedTuple):
    """Documents of one call. A document's id is its number."""

    ids: list[int]
    vectors: np.ndarray
    """f32 [count, dim], unit rows."""
    titles: list[str]


class Database(ABC):
    """Documents with a vector, a title and a number, in a folder of their own."""

    @abstractmethod
    def __init__(self, folder, dim, is_new):
        """Makes the database, or opens the one that the folder holds."""

    @abstractmethod
    def prepare(self, batch):
        """The batch in the form that `add` takes. Not timed: what a caller holds is his own affair."""

    @abstractmethod
    def add(self, prepared):
        """Adds documents with new ids; as durable as the library can be told to be, and searchable, when it returns."""

    @abstractmethod
    def search(self, query, k):
        """The ids of the `k` nearest to `query`, f32 [dim], nearest first."""

    @abstractmethod
    def count(self):
        """How many documents there are."""

    @abstractmethod
    def clear(self):
        """Deletes every document, and keeps the collection."""

    @abstractmethod
    def close(self):
        """Lets go of the folder."""

    def processes(self):
        """The ids of those that hold the database."""
        return [os.getpid()]
