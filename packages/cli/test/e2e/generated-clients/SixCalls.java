import com.google.gson.Gson;
import com.google.gson.JsonParser;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pelorus.ApiClient;
import org.pelorus.ApiException;
import org.pelorus.api.DocumentsApi;
import org.pelorus.api.IndexesApi;
import org.pelorus.api.SearchApi;
import org.pelorus.model.AddDocumentsRequest;
import org.pelorus.model.AddedDocument;
import org.pelorus.model.Hit;
import org.pelorus.model.IndexSettings;
import org.pelorus.model.Query;
import org.pelorus.model.SearchMethod;
import org.pelorus.model.SearchRequest;
import org.pelorus.model.StoredDocument;

/** Six calls by the generated Java client. Arguments: address of the server, name of an index. Prints what came. */
public final class SixCalls {
  private static Map<String, Object> withId(String id, Map<String, Object> members) {
    Map<String, Object> all = new LinkedHashMap<>(members);
    all.put("_id", id);
    return all;
  }

  public static void main(String[] arguments) throws ApiException {
    String index = arguments[1];
    ApiClient client = new ApiClient().setBasePath(arguments[0]);
    IndexesApi indexes = new IndexesApi(client);
    DocumentsApi documents = new DocumentsApi(client);
    Map<String, Object> came = new LinkedHashMap<>();

    IndexSettings settings = new IndexSettings().model("random/small");
    came.put("created", indexes.createIndex(index, null, settings).getIndex());

    AddDocumentsRequest request = new AddDocumentsRequest()
        .addDocumentsItem(Map.of("_id", "1", "title", "red shoe", "price", 79.5, "sizes", List.of("41", "42")))
        .addDocumentsItem(Map.of("_id", "2", "title", "blue hat", "price", 12))
        .tensorFields(List.of("title"));
    came.put("added", documents.addDocuments(index, request, null, null, null, null, null)
        .getItems().stream().map(AddedDocument::getStatus).toList());

    SearchRequest search = new SearchRequest().q(new Query("red shoe")).searchMethod(SearchMethod.LEXICAL);
    List<Hit> hits = new SearchApi(client).search(index, search, null, null, null).getHits();
    came.put("hits", hits.stream().map(hit -> withId(hit.getId(), hit.getAdditionalProperties())).toList());

    StoredDocument document = documents.getDocument(index, "1", null, null);
    came.put("document", withId(document.getId(), document.getAdditionalProperties()));

    try {
      documents.getDocument(index, "nobody", null, null);
    } catch (ApiException refused) {
      String code = JsonParser.parseString(refused.getResponseBody()).getAsJsonObject().get("code").getAsString();
      came.put("missing", List.of(refused.getCode(), code));
    }

    came.put("deleted", indexes.deleteIndex(index, null).getAcknowledged());
    System.out.println(new Gson().toJson(came));
    // The threads of its connections would keep the process for minutes.
    System.exit(0);
  }
}
