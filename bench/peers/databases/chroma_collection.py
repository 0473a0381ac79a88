"""chromadb: HNSW over a log in SQLite.

The title is metadata, not Chroma's `document`, which would be indexed for full-text search as well.
"""

import chromadb
import database
from chromadb.config import Settings

# Documents deleted by one call, bounded by SQLite's number of variables.
DELETED_MAX = 5000


class Database(database.Database):
    def __init__(self, folder, dim, is_new):
        self.client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self.collection = self.client.get_or_create_collection(
            'documents', embedding_function=None, configuration={'hnsw': {'space': 'ip'}}
        )

    def prepare(self, batch):
        return {
            'ids': [str(i) for i in batch.ids],
            'embeddings': batch.vectors,
            'metadatas': [{'title': title, 'number': i} for i, title in zip(batch.ids, batch.titles, strict=True)],
        }

    def add(self, prepared):
        self.collection.add(**prepared)

    def search(self, query, k):
        return self.collection.query(query_embeddings=[query], n_results=k, include=[])['ids'][0]

    def count(self):
        return self.collection.count()

    def clear(self):
        ids = self.collection.get(include=[])['ids']
        for start in range(0, len(ids), DELETED_MAX):
            self.collection.delete(ids[start : start + DELETED_MAX])

    def close(self):
        self.client.close()
