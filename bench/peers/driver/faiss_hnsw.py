"""faiss HNSW, over the vectors themselves or over 8-bit codes with the best refined from full precision."""

import faiss
import library
import numpy as np


class Library(library.Library):
    distribution = 'faiss-cpu'
    effort = 'efSearch'
    filters = True

    def __init__(self, codes):
        self.refined = codes == 'sq8'
        self.selector = None

    def build(self, base, m, ef_construction, threads):
        dim, metric = base.shape[1], faiss.METRIC_INNER_PRODUCT
        faiss.omp_set_num_threads(threads)
        if self.refined:
            self.graph = faiss.IndexHNSWSQ(dim, faiss.ScalarQuantizer.QT_8bit, m, metric)
            self.full = faiss.IndexFlat(dim, metric)
            self.index = faiss.IndexRefine(self.graph, self.full)
        else:
            self.index = self.graph = faiss.IndexHNSWFlat(dim, m, metric)
        self.graph.hnsw.efConstruction = ef_construction
        self.index.train(base)
        self.index.add(base)

    def index_bytes(self, folder):
        path = f'{folder}/index'
        faiss.write_index(self.index, path)
        return library.size_of(path)

    def restrict(self, passing):
        self.bits = None if passing is None else np.packbits(passing, bitorder='little')
        self.selector = None if passing is None else faiss.IDSelectorBitmap(self.bits)

    def search(self, queries, k, ef, threads):
        faiss.omp_set_num_threads(threads)
        parameters = faiss.SearchParametersHNSW(efSearch=ef, sel=self.selector)
        if self.refined:
            # No more can be refined than the search list holds.
            factor = min(3.0, max(1.0, ef / k))
            parameters = faiss.IndexRefineSearchParameters(k_factor=factor, base_index_params=parameters)
        return self.index.search(queries, k, params=parameters)[1]
