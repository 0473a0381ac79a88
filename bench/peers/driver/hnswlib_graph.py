"""hnswlib, compiled for this machine: what the engine does without a binding.

Its filter is a function of the caller's language, called for every element. Elements marked as deleted are passed over
by the same code without leaving it, so that is how it filters here.
"""

import hnswlib
import library
import numpy as np


class Library(library.Library):
    distribution = 'hnswlib'
    effort = 'ef'
    filters = True

    def build(self, base, m, ef_construction, threads):
        self.index = hnswlib.Index('ip', base.shape[1])
        self.index.init_index(len(base), ef_construction=ef_construction, M=m, random_seed=1)
        self.index.add_items(base, num_threads=threads)
        self.hidden = np.zeros(len(base), dtype=bool)

    def index_bytes(self, folder):
        return self.index.index_file_size()

    def restrict(self, passing):
        hidden = np.zeros_like(self.hidden) if passing is None else ~passing
        for label in np.flatnonzero(hidden & ~self.hidden):
            self.index.mark_deleted(label)
        for label in np.flatnonzero(self.hidden & ~hidden):
            self.index.unmark_deleted(label)
        self.hidden = hidden

    def search(self, queries, k, ef, threads):
        self.index.set_ef(ef)
        if not self.hidden.any():
            return self.index.knn_query(queries, k, num_threads=threads)[0]
        return [self.search_one(query, k) for query in queries]

    def search_one(self, query, k):
        """A batch in which one query finds fewer than `k` is refused as a whole, so each goes alone."""
        try:
            return self.index.knn_query(query, k, num_threads=1)[0][0]
        except RuntimeError:
            return []
