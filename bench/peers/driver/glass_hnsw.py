"""pyglass: a graph built over 8-bit codes, searched over 4- or 8-bit codes and refined from full precision."""

import glass
import library


class Library(library.Library):
    distribution = 'pyglass-portable'
    effort = 'ef'

    def __init__(self, codes):
        self.codes = codes

    def build(self, base, m, ef_construction, threads):
        glass.set_num_threads(threads)
        index = glass.Index('HNSW', 'IP', 'SQ8U', R=2 * m, L=ef_construction)
        graph = index.build(base)
        self.count, self.dim, self.degree = *base.shape, 2 * m
        # The graph moves into its one searcher.
        self.searcher = glass.Searcher(graph, base, 'IP', self.codes, 'FP32')

    def settle(self):
        """Chooses how far ahead to prefetch by trying."""
        glass.set_num_threads(1)
        self.searcher.optimize(1)

    def index_bytes(self, folder):
        """By its layout, as a searcher cannot be saved: codes, full vectors and the lowest layer's links."""
        code = self.dim // 2 if self.codes == 'SQ4U' else self.dim
        return self.count * (code + 4 * self.dim + 4 * self.degree)

    def search(self, queries, k, ef, threads):
        self.searcher.set_ef(ef)
        found = self.searcher.batch_search(queries, k, threads)
        ids = found[0] if isinstance(found, tuple) else found
        return ids.reshape(len(queries), k)
