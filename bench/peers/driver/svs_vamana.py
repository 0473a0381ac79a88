"""Intel SVS: a Vamana graph over half-precision vectors, LVQ codes or LeanVec codes.

LVQ and LeanVec end the process on a CPU that is not Intel's.
"""

import library
import numpy as np
import svs


class Library(library.Library):
    distribution = 'scalable-vs'
    effort = 'search_window_size'

    def __init__(self, codes):
        self.codes = codes

    def prepare(self, base, folder):
        if self.codes == 'f16':
            return
        # Codes are made from a file alone, and from one of this format.
        path = f'{folder}/base.fvecs'
        svs.write_vecs(base, path)
        full = svs.VectorDataLoader(path, svs.DataType.float32, dims=base.shape[1])
        if self.codes == 'lvq4x8':
            self.data = svs.LVQLoader(full, primary=4, residual=8)
        else:
            kinds = {'primary_kind': svs.LeanVecKind.lvq4, 'secondary_kind': svs.LeanVecKind.lvq8}
            self.data = svs.LeanVecLoader(full, max(1, base.shape[1] // 4), **kinds)

    def build(self, base, m, ef_construction, threads):
        parameters = svs.VamanaBuildParameters(
            # For inner products what is kept must be below 1; 0.95 is what its documentation takes.
            alpha=0.95,
            graph_max_degree=2 * m,
            window_size=ef_construction,
            max_candidate_pool_size=max(750, ef_construction),
        )
        data = base.astype(np.float16) if self.codes == 'f16' else self.data
        self.index = svs.Vamana.build(parameters, data, svs.DistanceType.MIP, num_threads=threads)
        self.data = None

    def index_bytes(self, folder):
        places = [f'{folder}/{part}' for part in ('config', 'graph', 'data')]
        self.index.save(*places)
        return library.size_of(folder)

    def search(self, queries, k, ef, threads):
        if self.index.num_threads != threads:
            self.index.num_threads = threads
        self.index.search_window_size = max(ef, k)
        return self.index.search(queries, k)[0]
