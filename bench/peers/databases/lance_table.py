"""LanceDB: each call adds a fragment; without an index a search scans all of them."""

import database
import lancedb
import pyarrow as pa


class Database(database.Database):
    def __init__(self, folder, dim, is_new):
        vector = pa.list_(pa.float32(), dim)
        self.schema = pa.schema([('id', pa.int64()), ('vector', vector), ('title', pa.string()), ('number', pa.int64())])
        connection = lancedb.connect(folder)
        if is_new:
            self.table = connection.create_table('documents', schema=self.schema)
        else:
            self.table = connection.open_table('documents')

    def prepare(self, batch):
        count, dim = batch.vectors.shape
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(batch.vectors.reshape(count * dim)), dim)
        return pa.table([pa.array(batch.ids), vectors, pa.array(batch.titles), pa.array(batch.ids)], schema=self.schema)

    def add(self, prepared):
        self.table.add(prepared)

    def search(self, query, k):
        found = self.table.search(query).distance_type('dot').select(['id', '_distance']).limit(k).to_arrow()
        return found['id'].to_pylist()

    def count(self):
        return self.table.count_rows()

    def clear(self):
        self.table.delete('true')

    def close(self):
        pass
