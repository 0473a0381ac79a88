import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.LongField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.ConcurrentMergeScheduler;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.MMapDirectory;

/**
 * Lucene behind the protocol of the documents bench; `../../src/documents/database.ts` has the commands. Vectors, titles to be
 * searched and numbers to be sorted by, as OpenSearch keeps them in it, but without its `_source` and its log.
 *
 * <pre>java Documents.java INPUT DIM NAME FOLDER</pre>
 */
public final class Documents {
  /** Candidates of a search, `ef_search` of OpenSearch by default. */
  private static final int CANDIDATES = 100;

  private final int dim;
  private final List<FloatBuffer> base;
  private final List<FloatBuffer> queries;
  private final List<String> titles;
  private final ConcurrentMergeScheduler merges = new ConcurrentMergeScheduler();
  private final IndexWriter writer;
  private DirectoryReader reader;

  private Documents(Path input, int dim, Path folder) throws IOException {
    this.dim = dim;
    base = rows(input.resolve("base.f32"));
    queries = rows(input.resolve("queries.f32"));
    titles = Files.readAllLines(input.resolve("titles.txt"));
    IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer()).setMergeScheduler(merges);
    writer = new IndexWriter(new MMapDirectory(folder), config);
    writer.commit();
    reader = DirectoryReader.open(writer);
  }

  public static void main(String[] arguments) throws IOException {
    Documents documents = null;
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      int first = number(line, "first");
      int count = number(line, "count");
      String op = member(line, "op");
      if (op.equals("open")) {
        long started = System.nanoTime();
        documents = new Documents(Path.of(arguments[0]), Integer.parseInt(arguments[1]), Path.of(arguments[3]));
        System.out.println(seconds(started, ""));
        continue;
      }
      System.out.println(
          switch (op) {
            case "add" -> documents.add(first, count, number(line, "size"));
            case "settle" -> documents.settle();
            case "search" -> documents.search(number(line, "k"), first, count);
            case "state" -> "{" + documents.state() + "}";
            case "clear" -> documents.clear();
            default -> documents.close();
          });
    }
  }

  /** Each batch is durable and can be searched before the next one is added. Making documents is off the clock. */
  private String add(int first, int count, int size) throws IOException {
    List<List<Document>> batches = new ArrayList<>();
    for (int id = first; id < first + count; id++) {
      if ((id - first) % size == 0) batches.add(new ArrayList<>());
      batches.getLast().add(document(id));
    }
    long started = System.nanoTime();
    for (List<Document> batch : batches) {
      writer.addDocuments(batch);
      writer.commit();
      refresh();
    }
    return seconds(started, "");
  }

  private Document document(int id) {
    Document document = new Document();
    document.add(new StringField("id", Integer.toString(id), Field.Store.YES));
    document.add(new TextField("title", titles.get(id % titles.size()), Field.Store.YES));
    document.add(new LongField("number", id, Field.Store.YES));
    document.add(new KnnFloatVectorField("vector", row(base, id), VectorSimilarityFunction.DOT_PRODUCT));
    return document;
  }

  /** Segments are merged on threads of their own; those that were merged go with the next commit. */
  private String settle() throws IOException {
    long started = System.nanoTime();
    do {
      merges.sync();
    } while (writer.hasPendingMerges());
    writer.commit();
    refresh();
    writer.deleteUnusedFiles();
    return seconds(started, "");
  }

  private String search(int k, int first, int count) throws IOException {
    IndexSearcher searcher = new IndexSearcher(reader);
    List<Double> seconds = new ArrayList<>();
    List<List<String>> neighbors = new ArrayList<>();
    for (int query = first; query < first + count; query++) {
      float[] vector = row(queries, query);
      long started = System.nanoTime();
      List<String> ids = new ArrayList<>();
      for (ScoreDoc hit : searcher.search(new KnnFloatVectorQuery("vector", vector, CANDIDATES), k).scoreDocs) {
        ids.add(searcher.storedFields().document(hit.doc, Set.of("id")).get("id"));
      }
      seconds.add((System.nanoTime() - started) / 1e9);
      neighbors.add(ids);
    }
    return "{\"seconds\":" + seconds + ",\"neighbors\":" + neighbors + "}";
  }

  private String state() throws IOException {
    System.gc();
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps_rollup"))) {
      if (!line.startsWith("Pss:")) continue;
      long bytes = Long.parseLong(line.replaceAll("\\D", "")) * 1024;
      return "\"documents\":" + reader.numDocs() + ",\"residentBytes\":" + bytes;
    }
    throw new IOException("the system does not tell what is resident");
  }

  private String clear() throws IOException {
    long started = System.nanoTime();
    writer.deleteAll();
    writer.commit();
    refresh();
    return seconds(started, "," + state());
  }

  private String close() throws IOException {
    reader.close();
    writer.close();
    return "{}";
  }

  private void refresh() throws IOException {
    DirectoryReader newer = DirectoryReader.openIfChanged(reader);
    if (newer == null) return;
    reader.close();
    reader = newer;
  }

  /** The file in parts, none of which is too long for a buffer. */
  private List<FloatBuffer> rows(Path file) throws IOException {
    long part = rowsOfPart() * dim * 4L;
    List<FloatBuffer> parts = new ArrayList<>();
    try (FileChannel channel = FileChannel.open(file)) {
      for (long start = 0; start < channel.size(); start += part) {
        ByteBuffer bytes = channel.map(MapMode.READ_ONLY, start, Math.min(part, channel.size() - start));
        parts.add(bytes.order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer());
      }
    }
    return parts;
  }

  private float[] row(List<FloatBuffer> parts, int row) {
    float[] vector = new float[dim];
    parts.get(row / rowsOfPart()).get(row % rowsOfPart() * dim, vector);
    return vector;
  }

  private int rowsOfPart() {
    return (1 << 28) / dim;
  }

  private static String seconds(long started, String more) {
    return "{\"seconds\":" + (System.nanoTime() - started) / 1e9 + more + "}";
  }

  private static int number(String command, String name) {
    return Integer.parseInt(member(command, name));
  }

  /** The value of a member of a flat command as it is written, 0 where there is none. */
  private static String member(String command, String name) {
    Matcher found = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(command);
    return found.find() ? found.group(1) : "0";
  }
}
