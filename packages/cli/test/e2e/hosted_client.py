"""The calls of the official client in its hosted mode, whose answers are printed as JSON. MARQO_CLOUD_URL names the server."""
import json
import os
import marqo

url = os.environ["MARQO_CLOUD_URL"]
client = marqo.Client(url=url, api_key=os.environ.get("PELORUS_TEST_KEY", "none"))
seen = {}
seen["created"] = client.create_index(
    "films",
    type="unstructured",
    model="random/small",
    storage_class="marqo.basic",
    number_of_shards=1,
    number_of_replicas=0,
)
index = client.index("films")
seen["status"] = index.get_status()
seen["added"] = index.add_documents(
    [{"_id": "f1", "title": "Orbit"}, {"_id": "f2", "title": "Bread and Salt"}], tensor_fields=["title"]
)
seen["found"] = [hit["_id"] for hit in index.search("bread", search_method="LEXICAL")["hits"]]
seen["nearest"] = [hit["_id"] for hit in index.search("Orbit", search_method="TENSOR", limit=1)["hits"]]
seen["document"] = index.get_document("f2")
seen["several"] = index.get_documents(["f1", "nobody"])
seen["updated"] = index.update_documents([{"_id": "f1", "year": 2021}])
seen["stats"] = index.get_stats()
seen["settings"] = index.get_settings()
seen["health"] = index.health()
seen["models"] = index.get_loaded_models()
seen["listed"] = [row["indexName"] for row in client.get_indexes()["results"]]
seen["removed"] = index.delete_documents(["f1"])
seen["deleted"] = client.delete_index("films")
seen["left"] = [row["indexName"] for row in client.get_indexes()["results"]]
try:
    client.index("nothing").search("x")
except Exception as error:
    seen["missing"] = {"class": type(error).__name__, "code": getattr(error, "code", None)}
print(json.dumps(seen))
