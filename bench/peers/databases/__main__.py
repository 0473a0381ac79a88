"""One Python database behind the protocol of the documents bench.

    python databases INPUT DIM NAME FOLDER    answers one JSON line for each on standard input

INPUT holds `base.f32`, `queries.f32` and `titles.txt`; FOLDER is the database's own. A folder that already holds one
is opened. `bench/src/documents/database.ts` has the commands.
"""

import sys

from serve import serve

if __name__ == '__main__':
    input_folder, dim, name, folder = sys.argv[1:5]
    serve(input_folder, int(dim), name, folder)
