"""pgvector in a PostgreSQL of its own, with a graph on the column, over its socket. Each call is one transaction.

`pgserver` brings both; its settings are PostgreSQL's own but for memory, which is what pgvector's manual asks for.
"""

import database
import pgserver
import psutil
import psycopg
from pgvector.psycopg import register_vector

SHARED_BUFFERS = '1GB'


class Database(database.Database):
    def __init__(self, folder, dim, is_new):
        self.server = pgserver.get_server(folder, cleanup_mode='stop')
        if is_new:
            with psycopg.connect(self.server.get_uri(), autocommit=True) as connection:
                connection.execute(f"ALTER SYSTEM SET shared_buffers = '{SHARED_BUFFERS}'")
            self.server.cleanup()
            self.server = pgserver.get_server(folder, cleanup_mode='stop')
        self.connection = psycopg.connect(self.server.get_uri(), autocommit=True)
        if is_new:
            self.connection.execute('CREATE EXTENSION vector')
            self.connection.execute(
                f'CREATE TABLE documents (id bigint PRIMARY KEY, vector vector({dim}), title text, number bigint)'
            )
            self.connection.execute('CREATE INDEX ON documents USING hnsw (vector vector_ip_ops)')
        register_vector(self.connection)

    def prepare(self, batch):
        return [
            (i, vector, title, i) for i, vector, title in zip(batch.ids, batch.vectors, batch.titles, strict=True)
        ]

    def add(self, prepared):
        with (
            self.connection.transaction(),
            self.connection.cursor() as cursor,
            cursor.copy('COPY documents FROM STDIN (FORMAT BINARY)') as copy,
        ):
            copy.set_types(['bigint', 'vector', 'text', 'bigint'])
            for row in prepared:
                copy.write_row(row)

    def search(self, query, k):
        found = self.connection.execute(
            'SELECT id FROM documents ORDER BY vector <#> %s LIMIT %s', (query, k), prepare=True
        )
        return [row[0] for row in found]

    def count(self):
        return self.connection.execute('SELECT count(*) FROM documents').fetchone()[0]

    def clear(self):
        self.connection.execute('DELETE FROM documents')

    def close(self):
        self.connection.close()
        self.server.cleanup()

    def processes(self):
        server = psutil.Process(self.server.get_pid())
        return [*super().processes(), server.pid, *(child.pid for child in server.children(recursive=True))]
