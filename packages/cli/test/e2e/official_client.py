"""Walks the unmodified official client through a day's work and prints what it saw as JSON."""

import json
import sys

import marqo

client = marqo.Client(url=sys.argv[1])
seen = {"created": client.create_index("films", model="hf/all-MiniLM-L6-v2")}
index = client.index("films")
seen["version"] = index.get_marqo()["version"]
films = [
    {"_id": "f1", "title": "The Long Voyage", "plot": "A crew drifts between the stars for a century.", "year": 1998},
    {"_id": "f2", "title": "Bread and Salt", "plot": "Two bakers in a mountain village fall in love.", "year": 2011},
    {"_id": "f3", "title": "Night Train", "plot": "A detective looks for a thief on a sleeping car.", "year": 2011},
    {"_id": "f4", "title": "Orbit", "plot": "An engineer alone on a space station mends its air.", "year": 2020},
]
seen["added"] = index.add_documents(films, tensor_fields=["title", "plot"])
seen["replaced"] = index.add_documents(
    [{**films[1], "year": 2012}], tensor_fields=["title", "plot"], use_existing_tensors=True
)
seen["updated"] = index.update_documents([{"_id": "f4", "year": 2021, "awards": 2}, {"_id": "nobody", "year": 1}])


def ids(answer):
    return [hit["_id"] for hit in answer["hits"]]


seen["tensor"] = ids(index.search("astronauts in outer space", limit=2))
seen["lexical"] = ids(index.search("bakers", search_method="LEXICAL"))
seen["hybrid"] = ids(
    index.search(
        "detective story",
        search_method="HYBRID",
        hybrid_parameters={"retrievalMethod": "disjunction", "rankingMethod": "rrf", "alpha": 0.5},
        limit=1,
    )
)
seen["filtered"] = ids(index.search("a story", filter_string="year:[2012 TO 2030]"))
seen["weighted"] = ids(index.search({"love": 1.0, "space": -0.8}, limit=1))
seen["highlights"] = index.search("bakers who fall in love", limit=1)["hits"][0]["_highlights"]

seen["recommended"] = ids(index.recommend(documents={"f1": 1.0}, tensor_fields=["plot"], limit=1))
seen["in_context"] = ids(
    index.search(context={"documents": {"ids": {"f1": 1.0}, "parameters": {"excludeInputDocuments": False}}}, limit=1)
)

seen["document"] = index.get_document("f2")
seen["updated_document"] = index.get_document("f4")
seen["by_update"] = ids(index.search("a story", filter_string="awards:2 AND year:2021"))
seen["facets"] = len(index.get_document("f2", expose_facets=True)["_tensor_facets"])
seen["documents"] = [found["_found"] for found in index.get_documents(["f1", "nobody"])["results"]]
seen["deleted"] = index.delete_documents(["f1", "f3"])["details"]
seen["after_delete"] = ids(index.search("a story", limit=10))
seen["stats"] = index.get_stats()["numberOfDocuments"]
seen["embedding"] = len(index.embed("a sentence")["embeddings"][0])
seen["settings"] = index.get_settings()["model"]
seen["health"] = index.health()["status"]
seen["models"] = [model["model_name"] for model in index.get_loaded_models()["models"]]
seen["indexes"] = [row["indexName"] for row in client.get_indexes()["results"]]

try:
    index.get_document("f1")
except marqo.errors.MarqoWebError as error:
    seen["missing"] = {"status": error.status_code, "code": error.code}

seen["ejected"] = index.eject_model("hf/all-MiniLM-L6-v2")
seen["after_eject"] = [model["model_name"] for model in index.get_loaded_models()["models"]]
try:
    index.eject_model("hf/all-MiniLM-L6-v2")
except marqo.errors.MarqoWebError as error:
    seen["not_loaded"] = {"status": error.status_code, "code": error.code}

seen["dropped"] = index.delete()
print(json.dumps(seen))
