import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.util.QueryBuilder;

/**
 * Ranks by Lucene's English analyzer and BM25, as OpenSearch's `english` analyzer does. Lines of tabs on standard input:
 * `doc ID FIELD...`, then `query WORDS` or `fuzzy WORDS`, each answered by a line of the best ids of the sum over all fields.
 * Edits of a fuzzy word are those of OpenSearch's `AUTO`.
 */
public final class Rank {
  private static final int DEPTH = 10;

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Analyzer analyzer = new EnglishAnalyzer();
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer));
    IndexSearcher searcher = null;
    int fields = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] parts = line.split("\t", -1);
      if (parts[0].equals("doc")) {
        Document document = new Document();
        document.add(new StoredField("id", parts[1]));
        fields = parts.length - 2;
        for (int field = 0; field < fields; field++) {
          document.add(new TextField("f" + field, parts[field + 2], Field.Store.NO));
        }
        writer.addDocument(document);
        continue;
      }
      if (searcher == null) {
        writer.forceMerge(1);
        writer.close();
        searcher = new IndexSearcher(DirectoryReader.open(directory));
      }
      BooleanQuery.Builder query = new BooleanQuery.Builder();
      for (int field = 0; field < fields; field++) {
        Query words = new QueryBuilder(analyzer).createBooleanQuery("f" + field, parts[1]);
        if (words != null && parts[0].equals("fuzzy")) words = fuzzy(words);
        if (words != null) query.add(words, BooleanClause.Occur.SHOULD);
      }
      List<String> ids = new ArrayList<>();
      for (ScoreDoc hit : searcher.search(query.build(), DEPTH).scoreDocs) {
        ids.add(searcher.storedFields().document(hit.doc).get("id"));
      }
      out.println(String.join("\t", ids));
    }
  }

  private static Query fuzzy(Query query) {
    if (query instanceof BooleanQuery all) {
      BooleanQuery.Builder clauses = new BooleanQuery.Builder();
      for (BooleanClause clause : all.clauses()) clauses.add(fuzzy(clause.query()), clause.occur());
      return clauses.build();
    }
    if (!(query instanceof TermQuery word)) return query;
    int length = word.getTerm().text().length();
    int edits = length < 3 ? 0 : length < 6 ? 1 : 2;
    return edits == 0 ? word : new FuzzyQuery(word.getTerm(), edits);
  }
}
