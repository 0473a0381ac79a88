"""sqlite-vec: a virtual table whose searches scan. SQLite syncs its log at each commit.

Through apsw, which brings its own SQLite: that of many a Python cannot load extensions.
"""

import apsw
import database
import sqlite_vec


class Database(database.Database):
    def __init__(self, folder, dim, is_new):
        self.connection = apsw.Connection(str(folder / 'documents.db'))
        self.connection.enable_load_extension(True)
        sqlite_vec.load(self.connection)
        self.connection.execute('PRAGMA journal_mode = WAL')
        self.connection.execute('PRAGMA synchronous = FULL')
        if is_new:
            self.connection.execute(
                'CREATE VIRTUAL TABLE documents USING vec0('
                f'id INTEGER PRIMARY KEY, vector FLOAT[{dim}] distance_metric=cosine, number INTEGER, +title TEXT)'
            )

    def prepare(self, batch):
        return [
            (i, vector.tobytes(), i, title)
            for i, vector, title in zip(batch.ids, batch.vectors, batch.titles, strict=True)
        ]

    def add(self, prepared):
        with self.connection:
            self.connection.executemany('INSERT INTO documents (id, vector, number, title) VALUES (?, ?, ?, ?)', prepared)

    def search(self, query, k):
        found = self.connection.execute(
            'SELECT id FROM documents WHERE vector MATCH ? AND k = ? ORDER BY distance', (query.tobytes(), k)
        )
        return [row[0] for row in found]

    def count(self):
        return self.connection.execute('SELECT count(*) FROM documents').get

    def clear(self):
        self.connection.execute('DELETE FROM documents')

    def close(self):
        self.connection.close()
