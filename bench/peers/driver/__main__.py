"""One Python library behind the protocol of the vector bench.

    python driver DIRECTORY DIM NAME    answers one JSON line for each on standard input
    python driver --probe NAME          builds and searches a tiny index, to see whether the library runs here
"""

import sys

from probe import probe
from serve import serve

if __name__ == '__main__':
    if sys.argv[1:2] == ['--probe']:
        probe(sys.argv[2])
    else:
        directory, dim, name = sys.argv[1:4]
        serve(directory, int(dim), name)
