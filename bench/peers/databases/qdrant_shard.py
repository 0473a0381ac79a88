"""Qdrant Edge: a shard within the process. Without `optimize`, which its caller starts, a search scans.

A call is durable once its write-ahead log is synced, which only `flush` does.
"""

import database
from qdrant_edge import (
    CountRequest,
    Distance,
    EdgeConfig,
    EdgeShard,
    EdgeVectorParams,
    Filter,
    Point,
    Query,
    QueryRequest,
    UpdateOperation,
)


class Database(database.Database):
    def __init__(self, folder, dim, is_new):
        if is_new:
            config = EdgeConfig(vectors=EdgeVectorParams(size=dim, distance=Distance.Dot))
            self.shard = EdgeShard.create(str(folder), config)
        else:
            self.shard = EdgeShard.load(str(folder))

    def prepare(self, batch):
        points = [
            Point(id=i, vector=vector, payload={'title': title, 'number': i})
            for i, vector, title in zip(batch.ids, batch.vectors.tolist(), batch.titles, strict=True)
        ]
        return UpdateOperation.upsert_points(points)

    def add(self, prepared):
        self.shard.update(prepared)
        self.shard.flush()

    def search(self, query, k):
        found = self.shard.query(QueryRequest(limit=k, query=Query.Nearest(query.tolist())))
        return [point.id for point in found]

    def count(self):
        return self.shard.count(CountRequest(exact=True))

    def clear(self):
        self.shard.update(UpdateOperation.delete_points_by_filter(Filter()))
        self.shard.flush()

    def close(self):
        self.shard.close()
