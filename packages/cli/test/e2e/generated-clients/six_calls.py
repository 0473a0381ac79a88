"""Six calls by the generated Python client. Arguments: address of the server, name of an index. Prints what came."""

import json
import sys

import pelorus
from pelorus.exceptions import NotFoundException

address, index = sys.argv[1:]
api = pelorus.ApiClient(pelorus.Configuration(host=address))
indexes, documents, searches = pelorus.IndexesApi(api), pelorus.DocumentsApi(api), pelorus.SearchApi(api)
came = {}

created = indexes.create_index(index, index_settings=pelorus.IndexSettings(model="random/small"))
came["created"] = created.index

added = documents.add_documents(
    index,
    pelorus.AddDocumentsRequest(
        documents=[
            {"_id": "1", "title": "red shoe", "price": 79.5, "sizes": ["41", "42"]},
            {"_id": "2", "title": "blue hat", "price": 12},
        ],
        tensor_fields=["title"],
    ),
)
came["added"] = [item.status for item in added.items]

request = pelorus.SearchRequest(q=pelorus.Query("red shoe"), search_method=pelorus.SearchMethod.LEXICAL)
found = searches.search(index, request)
came["hits"] = [{"_id": hit.id, **hit.additional_properties} for hit in found.hits]

document = documents.get_document(index, "1")
came["document"] = {"_id": document.id, **document.additional_properties}

try:
    documents.get_document(index, "nobody")
except NotFoundException as refused:
    came["missing"] = [refused.status, json.loads(refused.body)["code"]]

came["deleted"] = indexes.delete_index(index).acknowledged
print(json.dumps(came))
