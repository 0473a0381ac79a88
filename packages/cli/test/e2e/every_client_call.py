"""Makes every call of the official client, with all that it may be given, in an index of one kind; prints what came."""

import inspect
import json
import sys
import warnings

import marqo
from marqo.client import Client
from marqo.errors import MarqoWebError, UnsupportedOperationError
from marqo.index import Index

address, kind = sys.argv[1:]
structured = kind == "structured"
called = set()
# Parameters that searches may be given and never were, by the code of their methods.
ungiven = {
    method.__code__: {
        name: parameter.default
        for name, parameter in inspect.signature(method).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }
    for method in (Index.search, Index.recommend)
}


def note(frame, event, _):
    if event == "call":
        called.add(frame.f_code)
        defaults = ungiven.get(frame.f_code, {})
        for name in [name for name, default in defaults.items() if frame.f_locals[name] != default]:
            del defaults[name]


sys.setprofile(note)
client = marqo.Client(url=address)
seen = {}


def refusal(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except MarqoWebError as error:
        return [error.status_code, error.code]
    return None


def ids(answer):
    return [hit["_id"] for hit in answer["hits"]]


def items(answer):
    return [[item["_id"], item["status"]] for item in answer["items"]]


declared = {
    "all_fields": [
        {"name": "title", "type": "text", "features": ["lexical_search", "filter"]},
        {"name": "part", "type": "text"},
        {"name": "whole", "type": "multimodal_combination", "dependent_fields": {"title": 0.7, "part": 0.3}},
        {"name": "own", "type": "custom_vector", "features": ["lexical_search", "filter"]},
        {"name": "tags", "type": "array<text>", "features": ["filter"]},
        {"name": "counts", "type": "map<text, int>", "features": ["score_modifier"]},
        {"name": "year", "type": "int", "features": ["filter", "score_modifier"]},
        {"name": "price", "type": "double", "features": ["filter"]},
        {"name": "sold", "type": "bool", "features": ["filter"]},
    ],
    "tensor_fields": ["title", "whole", "own"],
}
settings = {
    "type": kind,
    "model": "random/small",
    "normalize_embeddings": True,
    "text_preprocessing": {"split_length": 3, "split_overlap": 1, "split_method": "sentence"},
    "image_preprocessing": {},
    "audio_preprocessing": {"split_length": 12, "split_overlap": 2},
    "video_preprocessing": {"split_length": 15, "split_overlap": 1},
    "vector_numeric_type": "float",
    "ann_parameters": {"space_type": "angular", "parameters": {"ef_construction": 128, "m": 8}},
    "text_query_prefix": "query: ",
    "text_chunk_prefix": "passage: ",
    **(
        declared
        if structured
        else {
            "treat_urls_and_pointers_as_images": False,
            "treat_urls_and_pointers_as_media": False,
            "filter_string_max_length": 40,
        }
    ),
}

# Indexes.
seen["created"] = client.create_index(kind, **settings)
seen["twice"] = refusal(client.create_index, kind)
index = client.get_index(kind)
seen["settings"] = index.get_settings()
client.create_index(f"{kind}-copy", settings_dict=seen["settings"])
seen["settings_of_copy"] = client.index(f"{kind}-copy").get_settings()
with warnings.catch_warnings(record=True):
    warnings.simplefilter("always")
    seen["deprecated"] = client.create_index(
        f"{kind}-old",
        **{**settings, "inference_type": "marqo.CPU.large", "number_of_inferences": 1, "storage_class": "marqo.basic"},
        number_of_shards=2,
        number_of_replicas=1,
        wait_for_readiness=False,
    )
seen["made_by_index"] = Index.create(
    client.config,
    f"{kind}-third",
    **settings,
    **({} if structured else {"collapse_fields": [{"name": "sku", "minGroups": 100}]}),
)
seen["list"] = [row["indexName"] for row in client.get_indexes()["results"]]
seen["missing_index"] = refusal(client.get_index, "nothing")
try:
    index.get_status()
except UnsupportedOperationError:
    seen["status"] = "of the cloud only"

# Documents.
own = [1.0] + [0.0] * (len(index.embed("a")["embeddings"][0]) - 1)
documents = [
    {
        **{"_id": "a", "title": "red shoe", "part": "a sole", "year": 1999, "price": 1.5, "sold": True},
        **{"tags": ["old", "red"], "counts": {"seen": 3}, "own": {"content": "own words", "vector": own}},
    },
    {"_id": "b", "title": "blue hat", "part": "a brim", "year": 2001, "tags": ["new"]},
    {"_id": "c", "title": "green coat", "part": "a sleeve", "year": 2003},
    {"_id": "d/e ?#%", "title": "an id of many signs", "part": "x", "year": 2005},
]
mappings = {"whole": {"type": "multimodal_combination", "weights": {"title": 0.6, "part": 0.4}}}
if not structured:
    mappings["own"] = {"type": "custom_vector"}
how = {"mappings": mappings, **({} if structured else {"tensor_fields": ["title", "whole", "own"]})}
seen["added"] = index.add_documents(documents, **how)
seen["added_with_all"] = items(
    index.add_documents(
        documents,
        **how,
        device="cpu",
        use_existing_tensors=True,
        media_download_headers={"a": "b"},
        model_auth={"hf": {"token": "x"}},
        text_chunk_prefix="p: ",
    )
)
seen["added_with_old_headers"] = items(index.add_documents(documents, **how, image_download_headers={"a": "b"}))
seen["added_in_batches"] = [
    items(answer) for answer in index.add_documents(documents, **how, client_batch_size=3, device="cpu")
]
seen["updated"] = items(index.update_documents([{"_id": "a", "year": 2000, "sold": False}]))
seen["updated_in_batches"] = [
    items(answer)
    for answer in index.update_documents([{"_id": "b", "price": 2.5}, {"_id": "c", "price": 3.5}], client_batch_size=1)
]
seen["document"] = index.get_document("a")
facets = index.get_document("a", expose_facets=True)["_tensor_facets"]
seen["facets"] = sorted(name for facet in facets for name in facet if name != "_embedding")
seen["own_vector"] = [facet["_embedding"] == own for facet in facets if "own" in facet]
seen["documents"] = [
    [found["_id"], found["_found"], "_tensor_facets" in found]
    for found in index.get_documents(["a", "z"], expose_facets=True)["results"]
]
seen["documents_without"] = [found["_found"] for found in index.get_documents(["d/e ?#%"])["results"]]
seen["stats"] = index.get_stats()["numberOfDocuments"]

# Searches, of what the server takes.
seen["tensor"] = ids(
    index.search(
        "red shoe",
        searchable_attributes=["title"],
        limit=2,
        offset=0,
        search_method="TENSOR",
        device="cpu",
        filter_string="year:[1990 TO 2010]",
        show_highlights=True,
        image_download_headers={},
        attributes_to_retrieve=["title"],
        model_auth={"hf": {"token": "x"}},
        ef_search=100,
        approximate=True,
        approximate_threshold=0.1,
        text_query_prefix="passage: ",
    )
)
exact = index.search("red shoe", approximate=False, media_download_headers={"a": "b"}, show_highlights=False)
seen["exact"] = ["_highlights" in hit for hit in exact["hits"]]
seen["highlights"] = ["_highlights" in index.search("hat", highlights=shown)["hits"][0] for shown in (True, False)]
seen["lexical"] = ids(index.search("sole hat" if not structured else "red hat", search_method="lexical"))
seen["hybrid"] = len(
    ids(
        index.search(
            "red shoe",
            search_method="HYBRID",
            hybrid_parameters={
                "retrievalMethod": "disjunction",
                "rankingMethod": "rrf",
                "alpha": 0.3,
                "rrfK": 50,
                "searchableAttributesTensor": ["title"],
                "searchableAttributesLexical": ["title"],
            },
        )
    )
)
by_year = {"add_to_score": [{"field_name": "year", "weight": 1}]}
seen["by_year"] = [
    ids(index.search("red shoe", score_modifiers=by_year, rerank_depth=10)),
    ids(index.search("red shoe", search_method="HYBRID", score_modifiers=by_year, rerank_depth=10)),
    ids(index.search("*", search_method="LEXICAL", score_modifiers=by_year)),
]
seen["by_entry"] = ids(
    index.search(
        "*",
        search_method="LEXICAL",
        score_modifiers={"add_to_score": [{"field_name": "counts.seen"}], "multiply_score_by": [{"field_name": "year"}]},
        limit=1,
    )
)
ordered = {
    "search_method": "HYBRID",
    "sort_by": {"fields": [{"fieldName": "year", "type": "date", "order": "asc"}], "minSortCandidates": 10},
    "relevance_cutoff": {"method": "relative_max_score", "parameters": {"relativeScoreFactor": 0.0}, "probeDepth": 9},
    "hybrid_parameters": {
        "scoreModifiersTensor": by_year,
        "scoreModifiersLexical": by_year,
        "rerankDepthTensor": 5,
    },
}
if structured:
    seen["ordered"] = refusal(index.search, "red hat coat", **ordered)
else:
    answer = index.search("red hat coat", **ordered)
    seen["ordered"] = [ids(answer), answer["_sortCandidates"], answer["_probeCandidates"], answer["_relevantCandidates"]]
counted = {
    "search_method": "HYBRID",
    "hybrid_parameters": {"retrievalMethod": "lexical", "rankingMethod": "lexical"},
    "facets": {"fields": {"tags": {"type": "array"}, "year": {"type": "number"}}},
    "track_total_hits": True,
    "language": "en",
    "limit": 1,
    "offset": 1,
}
answer = index.search("*", **counted)
seen["counted"] = [len(answer["hits"]), answer["totalHits"], answer["facets"]]
by_hour = {"fields": {"year": {"type": "date", "interval": "hour"}}}
seen["dated"] = index.search("*", **{**counted, "facets": by_hour})["facets"]
if structured:
    seen["collapsed"] = refusal(index.search, "hat", collapse_fields=[{"name": "title"}], search_method="HYBRID")
else:
    groups = client.index(f"{kind}-third")
    groups.add_documents(
        [{"_id": name, "title": "hat", "sku": sku} for name, sku in (("a", "one"), ("b", "one"), ("c", "two"))],
        tensor_fields=["title"],
    )
    seen["collapsed"] = len(ids(groups.search("hat", collapse_fields=[{"name": "sku"}], search_method="HYBRID")))
owl = {"searchable_attributes": ["title"], "reranker": "owl/ViT-B/32"}
seen["reranked"] = [refusal(index.search, "hat", **owl), refusal(index.recommend, ["a"], **owl)]
scores = {"searchable_attributes": ["title"], "limit": 3}
plain = index.search("hat", **scores)["hits"]
boosted = index.search("hat", boost={"title": [2.0, 3]}, **scores)["hits"]
seen["boosted"] = [round(hit["_score"] - 2 * near["_score"], 3) for hit, near in zip(boosted, plain, strict=True)]
seen["own_query"] = ids(index.search({"customVector": {"vector": own, "content": "words"}}, limit=1))
seen["context"] = len(
    ids(
        index.search(
            {"shoe": 1.0, "hat": -0.5},
            context={
                "tensor": [{"vector": own, "weight": 0.5}],
                "documents": {"ids": {"b": 0.3}, "parameters": {"tensorFields": ["title"]}},
            },
            interpolation_method="nlerp",
        )
    )
)
seen["recommended"] = ids(
    index.recommend(
        documents={"a": 1, "b": 0.5, "z": 1},
        tensor_fields=["title"],
        interpolation_method="slerp",
        exclude_input_documents=True,
        searchable_attributes=["title"],
        limit=1,
        offset=0,
        filter_string="year:2003",
        show_highlights=False,
        attributes_to_retrieve=["year"],
        ef_search=50,
        approximate=True,
        allow_missing_documents=True,
        allow_missing_embeddings=True,
    )
)
seen["recommended_by_year"] = ids(index.recommend(documents=["a"], score_modifiers=by_year, rerank_depth=3))
seen["recommended_from_list"] = len(ids(index.recommend(documents=["a"])))
seen["embedded"] = [
    len(index.embed(content, device="cpu", content_type=content_type)["embeddings"])
    for content, content_type in (
        ("text", "query"),
        (["a", {"b": 0.5, "c": -1}], "document"),
        ({"a": 1.0}, None),
    )
]
seen["embedded_with_headers"] = len(
    index.embed("a", media_download_headers={"a": "b"}, model_auth={"hf": {"token": "x"}})["embeddings"]
)
seen["embedded_with_old_headers"] = len(index.embed("a", image_download_headers={"a": "b"})["embeddings"])
seen["bulk"] = refusal(client.bulk_search, [{"index": kind, "q": "a"}])

# The machine.
seen["version"] = index.get_marqo()["version"]
seen["health"] = index.health()["status"]
seen["cpu"] = sorted(index.get_cpu_info())
seen["cuda"] = refusal(index.get_cuda_info)
seen["models"] = [model["model_name"] for model in index.get_loaded_models()["models"]]
seen["ejected"] = index.eject_model("random/small")["result"]
measuring = marqo.Client(url=address, return_telemetry=True).index(kind)
seen["telemetry"] = ["telemetry" in measuring.search("a"), "telemetry" in measuring.add_documents(documents, **how)]

# The end.
seen["deleted"] = index.delete_documents(["a", "z"])["details"]
seen["deleted_document"] = refusal(index.get_document, "a")
seen["deleted_index"] = client.delete_index(f"{kind}-copy", wait_for_readiness=True)
seen["deleted_old"] = client.delete_index(f"{kind}-old")["acknowledged"]
seen["deleted_third"] = client.index(f"{kind}-third").delete(wait_for_readiness=False)["acknowledged"]
seen["deleted_twice"] = client.delete_index(f"{kind}-copy")["code"]
seen["dropped"] = index.delete()["acknowledged"]

sys.setprofile(None)
# One only refuses what the hosted form does not have.
seen["uncalled"] = [
    f"{owner.__name__}.{name}"
    for owner in (Client, Index)
    for name, method in inspect.getmembers(owner, inspect.isfunction)
    if not name.startswith("_") and name != "raise_error_for_cloud" and method.__code__ not in called
]
seen["ungiven"] = [f"{code.co_name}.{name}" for code, names in ungiven.items() for name in names]
print(json.dumps(seen))
