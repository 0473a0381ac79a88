import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LogDocMergePolicy;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.store.MMapDirectory;

/**
 * Lucene as it is by default, told the same as the other engines of this folder; see `src/main.rs`. Documents
 * keep the order they come in, so Lucene's numbers are the documents' own.
 */
public class Search {
  /** Characters of a word from which on it may have one typo, and two: what `typoTolerance` has by default. */
  private static final int ONE_EDIT_FROM = 4;

  private static final int TWO_EDITS_FROM = 8;

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    Path index = directory.resolve("lucene");
    List<String> names = Files.readAllLines(directory.resolve("fields.txt"));
    IndexSearcher searcher = null;
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      boolean isBuild = member(line, "kind", "").equals("build");
      if (isBuild || !Files.exists(index)) {
        if (searcher != null) searcher.getIndexReader().close();
        searcher = null;
        String built = built(directory, index, names);
        if (isBuild) {
          System.out.println(built);
          continue;
        }
      }
      if (searcher == null) {
        searcher = new IndexSearcher(DirectoryReader.open(new MMapDirectory(index)));
        searcher.setQueryCache(null);
      }
      System.out.println(answer(directory, searcher, names, line));
    }
  }

  /** Builds the index in place of the one that may be there, and tells how long that took. */
  static String built(Path directory, Path index, List<String> names) throws IOException {
    Path incoming = directory.resolve("lucene.incoming");
    for (Path folder : List.of(incoming, index)) {
      if (!Files.exists(folder)) continue;
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) Files.delete(file);
      }
      Files.delete(folder);
    }
    OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long started = System.nanoTime();
    long before = system.getProcessCpuTime();
    build(directory.resolve("documents.tsv"), incoming, names);
    double seconds = (System.nanoTime() - started) / 1e9;
    double processorSeconds = (system.getProcessCpuTime() - before) / 1e9;
    Files.move(incoming, index);
    return "{\"seconds\":" + seconds + ",\"processorSeconds\":" + processorSeconds + "}";
  }

  static void build(Path documents, Path folder, List<String> names) throws IOException {
    IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer()).setRAMBufferSizeMB(256);
    // Neighbouring segments alone are merged, so that documents stay in order.
    config.setMergePolicy(new LogDocMergePolicy());
    try (IndexWriter writer = new IndexWriter(new MMapDirectory(folder), config);
        BufferedReader lines = Files.newBufferedReader(documents)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] columns = line.split("\t", -1);
        Document document = new Document();
        for (String mark : columns[0].split(" ")) document.add(new StringField("mark", mark, Field.Store.NO));
        for (int i = 0; i < names.size(); i++) document.add(new TextField(names.get(i), columns[i + 1], Field.Store.NO));
        writer.addDocument(document);
      }
    }
  }

  static String answer(Path directory, IndexSearcher searcher, List<String> names, String command) throws IOException {
    int terms = Integer.parseInt(member(command, "terms", "1"));
    int k = Integer.parseInt(member(command, "k", "10"));
    int count = Integer.parseInt(member(command, "count", "1"));
    boolean total = member(command, "total", "false").equals("true");
    StringBuilder micros = new StringBuilder();
    StringBuilder totals = new StringBuilder();
    StringBuilder hits = new StringBuilder();
    List<String> queries = Files.readAllLines(directory.resolve(member(command, "words", "") + ".txt"));
    for (String line : queries.subList(0, Math.min(count, queries.size()))) {
      List<String> words = List.of(line.split(" ")).subList(0, terms);
      long started = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      Query query = query(command, names, words);
      // By default Lucene counts up to a thousand matches; none are asked for where no total is.
      TopDocs found = searcher.search(query, new TopScoreDocCollectorManager(k, total ? Integer.MAX_VALUE : 1));
      long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - started;
      micros.append(micros.isEmpty() ? "" : ",").append(nanos / 1e3);
      if (total) totals.append(totals.isEmpty() ? "" : ",").append(found.totalHits.value());
      List<Integer> docs = new ArrayList<>();
      for (ScoreDoc hit : found.scoreDocs) docs.add(hit.doc);
      hits.append(hits.isEmpty() ? "" : ",").append(docs);
    }
    return "{\"micros\":[" + micros + "],\"totals\":[" + totals + "],\"hits\":[" + hits + "]}";
  }

  static Query query(String command, List<String> names, List<String> words) {
    Matcher chosen = Pattern.compile("\"fields\":\\[([^]]*)]").matcher(command);
    List<String> fields = chosen.find() ? List.of(chosen.group(1).replace("\"", "").split(",")) : names;
    boolean required = member(command, "required", "false").equals("true");
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    boolean prefix = member(command, "prefix", "false").equals("true");
    boolean typos = member(command, "typos", "false").equals("true");
    for (int i = 0; i < words.size(); i++) {
      BooleanQuery.Builder anywhere = new BooleanQuery.Builder();
      for (String field : fields) {
        Query term = term(new Term(field, words.get(i)), prefix && i == words.size() - 1, typos);
        if (required) anywhere.add(term, Occur.SHOULD);
        else all.add(term, Occur.SHOULD);
      }
      if (required) all.add(anywhere.build(), Occur.MUST);
    }
    String mark = member(command, "mark", null);
    if (mark == null) return all.build();
    BooleanQuery.Builder filtered = new BooleanQuery.Builder().add(all.build(), Occur.MUST);
    return filtered.add(new TermQuery(new Term("mark", mark)), Occur.FILTER).build();
  }

  /** Prefix and fuzzy queries as they are by default, with as many edits for a word as ours. */
  static Query term(Term term, boolean prefix, boolean typos) {
    if (prefix) return new PrefixQuery(term);
    int length = term.text().codePointCount(0, term.text().length());
    int edits = length < ONE_EDIT_FROM ? 0 : length < TWO_EDITS_FROM ? 1 : 2;
    return typos && edits > 0 ? new FuzzyQuery(term, edits) : new TermQuery(term);
  }

  /** The value of a member of a flat command, as it is written. */
  static String member(String command, String name, String missing) {
    Matcher found = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(command);
    return found.find() ? found.group(1) : missing;
  }
}
