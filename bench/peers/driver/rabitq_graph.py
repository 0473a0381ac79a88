"""SymphonyQG of rabitqlib: each vertex holds one-bit codes of its neighbors beside its full vector."""

import library
import rabitqlib


class Library(library.Library):
    distribution = 'rabitqlib'
    effort = 'ef'

    def build(self, base, m, ef_construction, threads):
        # Codes come in blocks of 32 neighbors.
        degree = max(32, (2 * m + 31) // 32 * 32)
        self.index = rabitqlib.SymqgIndex(base.shape[1], degree, 'ip')
        self.index.build(base, ef_construction, threads)

    def index_bytes(self, folder):
        path = f'{folder}/index'
        self.index.save(path)
        return library.size_of(path)

    def search(self, queries, k, ef, threads):
        return self.index.search_batch(queries, k, max(ef, k), threads)[0]
