"""Calls a server that asks for a key with the unmodified official client, and prints what it saw as JSON."""

import json
import sys

import marqo

url, key = sys.argv[1:]


def refused(client):
    try:
        return client.get_indexes()
    except marqo.errors.MarqoWebError as error:
        return {"status": error.status_code, "code": error.code, "type": error.error_type}


client = marqo.Client(url=url, api_key=key)
created = client.create_index("films", model="random/small")
index = client.index("films")
added = index.add_documents([{"_id": "f1", "title": "Orbit"}, {"_id": "f2", "title": "Bread"}], tensor_fields=["title"])
found = index.search("orbit", search_method="LEXICAL")
good = {
    "created": created["acknowledged"],
    "added": added["errors"],
    "found": [hit["_id"] for hit in found["hits"]],
    "indexes": [row["indexName"] for row in client.get_indexes()["results"]],
}
seen = {
    "good": good,
    "none": refused(marqo.Client(url=url)),
    "unknown": refused(marqo.Client(url=url, api_key="svc_a_nobody")),
    "basic": refused(marqo.Client(url=url.replace("://", "://user:password@"))),
}
print(json.dumps(seen))
