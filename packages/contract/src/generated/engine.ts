// Generated from openapi/ by `npm run generate -w @pelorus/contract`. Never edited by hand.

/**
 * Bounds of all indexes of an embedded engine. An index keeps all that it holds already,
 * whatever they say.
 */
export interface EngineOptions {
  /** Distinct text fields of an unstructured index, at most 50,000. Default 1,000. */
  readonly lexicalFieldsMax?: number;
  /** Distinct tensor fields of an unstructured index. Default 100. */
  readonly tensorFieldsMax?: number;
  /** Values of one IN list of a filter. Default 10,000. */
  readonly inFilterValuesMax?: number;
  /** Queries that one index suggests. Default 1,000,000. */
  readonly suggestionsMax?: number;
  /** Bytes of their texts and metadata. Default 268,435,456. */
  readonly suggestionBytesMax?: number;
  /** The operators' name of lexicalFieldsMax; told with a refusal. */
  readonly lexicalFieldsSetting?: string | null;
  /** The operators' name of tensorFieldsMax. */
  readonly tensorFieldsSetting?: string | null;
  /** The operators' name of inFilterValuesMax. */
  readonly inFilterValuesSetting?: string | null;
  /** The operators' name of suggestionsMax. */
  readonly suggestionsSetting?: string | null;
  /** The operators' name of suggestionBytesMax. */
  readonly suggestionBytesSetting?: string | null;
  /**
   * Bytes of documents and vectors that may wait to be written, over all indexes. Default
   * 134,217,728.
   */
  readonly queuedBytesMax?: number;
  /**
   * Bytes of the disk that a scan or a search with a cursor may hold back at least, where the
   * disk has room: more where the index takes more. Default 1,073,741,824.
   */
  readonly heldBytesMin?: number;
  /**
   * Files that open indexes may hold open together; null for half of what the process may
   * have. Files beyond that are closed until they are used again.
   */
  readonly openFilesMax?: number | null;
  /**
   * Seconds between two audits of an index, which compare each document with all that is
   * derived from it; 0 for none. Default 21,600.
   */
  readonly auditIntervalSeconds?: number;
  /**
   * Bytes of memory for int8 codes of vectors, of all engines of the process together; those
   * made beyond it lie in files. null for no bound.
   */
  readonly codeMemoryMax?: number | null;
}

export const engineOptionsDefaults = {
  lexicalFieldsMax: 1_000,
  tensorFieldsMax: 100,
  inFilterValuesMax: 10_000,
  suggestionsMax: 1_000_000,
  suggestionBytesMax: 268_435_456,
  queuedBytesMax: 134_217_728,
  heldBytesMin: 1_073_741_824,
  auditIntervalSeconds: 21_600,
};

/**
 * A search in the one normal form that every request is brought into. Everything that needs
 * no index is decided in it: which legs are searched, which inputs are embedded, every
 * default. The engine decides the rest by its index: whether the fields are there, and the
 * meaning of the filter.
 */
export interface SearchPlan {
  /** Hits of the page. */
  readonly limit: number;
  /** Hits before the page. */
  readonly offset: number;
  /** A filter expression; null for every document. */
  readonly filter: string | null;
  /**
   * The filter that the caller is bound to. Documents that do not pass it are not there for
   * it; null for none.
   */
  readonly within: string | null;
  /**
   * Filters that documents have to pass besides, each read by itself; facets leave out none of
   * their terms.
   */
  readonly addedFilters: readonly string[];
  /**
   * Documents that stand at places of their own, as far as they pass the filter; in the order
   * of their places, each document once. Those of one place follow each other.
   */
  readonly pinned: readonly PinnedDocument[];
  /** Ids of documents that are no hits, pinned or not. */
  readonly hidden: readonly string[];
  /** Fields of each hit; null for all. */
  readonly attributesToRetrieve: readonly string[] | null;
  /** Tells with each hit which of its chunks is the nearest. */
  readonly showHighlights: boolean;
  /** Explains the score of each hit. */
  readonly explain: boolean;
  /** The parts of texts with words of the lexical leg that each hit shows; null for none. */
  readonly lexicalHighlights: LexicalHighlights | null;
  /**
   * The text whose words the answer corrects, as far as the index has none of them; null for
   * none.
   */
  readonly didYouMean: string | null;
  readonly retrievalMethod: RetrievalMethod;
  readonly rankingMethod: RankingMethod;
  /** With the ranking method rrf, and only then. */
  readonly rrf: ReciprocalRankFusion | null;
  /** Documents that the search starts from; null for none. */
  readonly context: DocumentContext | null;
  /** Null where vectors neither find nor rank. */
  readonly tensor: TensorLeg | null;
  /** Null where words neither find nor rank. */
  readonly lexical: LexicalLeg | null;
  /** Documents that one leg finds for the other to rank, at least; null for those of the page. */
  readonly rerankCount: number | null;
  /** How fused scores are changed; null for not at all. */
  readonly rescoring: Rescoring | null;
  /** How the age of documents changes scores; null for not at all. */
  readonly recency: Recency | null;
  /** The rule by which the ranking's less relevant end is cut off; null for none. */
  readonly relevanceCutoff: RelevanceCutoff | null;
  /** The vectors by which the first hits are ranked anew; null for none. Not with a sort. */
  readonly lateInteraction: LateInteraction | null;
  /**
   * The rule by which the first hits are kept apart from those like them; null for none. Not
   * with a sort.
   */
  readonly diversity: Diversity | null;
  /** The fields that the hits are sorted by in place of their scores; null for none. */
  readonly sort: Sort | null;
  /** Null for hits that are not grouped. */
  readonly collapse: Collapse | null;
  /** The counts of fields in the answer; null for none. */
  readonly facets: Facets | null;
  /** Tells with the answer how many documents were found. */
  readonly trackTotalHits: boolean;
  /** Distances that each hit tells, each as field@lat,lon. */
  readonly distances: readonly string[];
}

/** A document that stands at a place of its own among the hits, whatever its score. */
export interface PinnedDocument {
  readonly id: string;
  /** Hits before it, on all pages. */
  readonly place: number;
}

/** The parts of texts that hits show, with the words that match marked. */
export interface LexicalHighlights {
  /** Fields among those that are searched; null for all. */
  readonly fields: readonly string[] | null;
  /** Characters of a fragment, at least 1. */
  readonly fragmentSize: number;
  /** Most fragments of a field; 0 for whole texts. */
  readonly numberOfFragments: number;
  /** Before each word. */
  readonly preTag: string;
  /** Behind it. */
  readonly postTag: string;
}

/**
 * Fields that change scores: the product of weight and value over the fields to multiply
 * that a document has is a factor, and the sum over those to add is added. A field that is
 * named twice has its last weight.
 */
export interface ScoreModifiers {
  readonly multiply: readonly ScoreModifier[];
  readonly add: readonly ScoreModifier[];
}

/** A field of numbers, or an entry of a map as map.key, and its weight. */
export interface ScoreModifier {
  readonly field: string;
  readonly weight: number;
}

/** How the scores of fused hits are changed. */
export interface Rescoring {
  readonly scoreModifiers: ScoreModifiers;
  /** The best so many are changed, the others keep their scores; null for all. */
  readonly depth: number | null;
}

/**
 * Scores fall with the distance of a field's Unix time, in seconds, from the centre: decay
 * before it, growth behind it. A field may be a distance as field@lat,lon, in metres: then
 * growth is what scores fall by.
 */
export interface Recency {
  readonly field: string;
  readonly centerSeconds: number;
  readonly decay: RecencySlope;
  /** Null where what lies behind the centre is as recent as can be. */
  readonly growth: RecencySlope | null;
  /** The recency times this is added to scores, null multiplies them by it. */
  readonly addToScoreWeight: number | null;
  /** Changes scores of the tensor leg. */
  readonly tensor: boolean;
  /** Changes scores of the lexical leg. */
  readonly lexical: boolean;
  /** Changes the scores that the legs end in. */
  readonly fused: boolean;
}

/** One side of the curve: 1 for the offset, then down to the floor over the scale. */
export interface RecencySlope {
  readonly falloff: Falloff;
  /** More than 0. */
  readonly scaleSeconds: number;
  /** At least 0. */
  readonly offsetSeconds: number;
  /** More than 0, at most 1. */
  readonly floor: number;
}

/** How recency falls over its scale. */
export type Falloff = 'exponential' | 'linear' | 'gaussian' | 'binary';

/**
 * A lexical search of its own, the probe, tells by its scores how many documents are
 * relevant: so many each leg may give.
 */
export interface RelevanceCutoff {
  readonly method: RelevanceCutoffMethod;
  /** The factor of the best score or of the standard deviation, 0 with gapDetection. */
  readonly factor: number;
  /** Without modifiers. */
  readonly probe: LexicalLeg;
  /** Documents of the probe, at least 1. */
  readonly probeDepth: number;
  readonly legs: CutoffLegs;
  /** Sorts no more than the relevant documents. */
  readonly sortsRelevant: boolean;
  /** Counts in facets only what the cut-off leaves. */
  readonly facetsRelevant: boolean;
  /** Counts in the total only what the cut-off leaves. */
  readonly totalsRelevant: boolean;
}

/** How the scores of the probe tell how many documents are relevant. */
export type RelevanceCutoffMethod = 'relativeMaxScore' | 'gapDetection' | 'meanStdDev';

/** Which legs are cut off; a lexical leg that is not gives as many documents as the probe. */
export type CutoffLegs = 'tensor' | 'both';

/** Hits in the order of fields. Those equal by every field keep the order of their scores. */
export interface Sort {
  readonly fields: readonly SortField[];
  /** The best so many are sorted, the others follow; null for all. */
  readonly depth: number | null;
  /**
   * Documents of each leg that are sorted together; where the page lies deeper the others
   * follow, by their relevance. Null for as many as the cut-off leaves, or 1,000 without one.
   */
  readonly candidates: number | null;
}

/** A field of numbers or dates, or an entry of a map as map.key. */
export interface SortField {
  /** A field, or a distance as field@lat,lon. */
  readonly field: string;
  /** Compares dates: texts and numbers that filters take as such. */
  readonly dates: boolean;
  /** Puts greater numbers first. */
  readonly descending: boolean;
  /** Puts documents without a number first. */
  readonly missingFirst: boolean;
}

/** Hits with the same text in a field are one, the best of them. */
export interface Collapse {
  /** The field by which the index groups. */
  readonly field: string;
  /** Null shows the best hit of each group. */
  readonly sort: CollapseSort | null;
  /** Tells with each hit how many documents of its group were found. */
  readonly counts: boolean;
  /** Further documents of its group that each hit shows, at most. Default 0. */
  readonly others: number;
}

/**
 * Which document of its group is shown in place of a hit, when it is strictly better by the
 * number or the date of a field.
 */
export interface CollapseSort {
  /** A field, or a map's entry as map.key. */
  readonly field: string;
  /** Compares dates as the fields of a sort do. */
  readonly dates: boolean;
  readonly order: SortOrder;
  /** Replaces a hit without a number too. */
  readonly alwaysFetchVariants: boolean;
}

/**
 * The first hits of a ranking by the sum of the greatest products of each vector with those
 * of a field.
 */
export interface LateInteraction {
  /** The field of the vectors of documents. */
  readonly field: string;
  /** All of one length. */
  readonly vectors: readonly (readonly number[])[];
  /** The first so many hits are ranked anew, at least 1; the others follow. */
  readonly candidates: number;
}

/** The first hits of a ranking in the order of maximal marginal relevance. */
export interface Diversity {
  /** The share of relevance against unlikeness, 0 to 1. */
  readonly lambda: number;
  /** The first so many hits are ranked anew, at least 1; the others follow. */
  readonly candidates: number;
}

/** Least or greatest first. */
export type SortOrder = 'asc' | 'desc';

/** The counts of the documents found, whichever page of them is shown. */
export interface Facets {
  /** In the order of the answer. */
  readonly fields: readonly Facet[];
  /** Only so many of the best are counted; null for all. */
  readonly maxDepth: number | null;
}

/** The values of one field. */
export interface Facet {
  /** A field, or a map's entry as map.key. */
  readonly field: string;
  readonly kind: FacetKind;
  /** Most texts that are listed. */
  readonly maxResults: number;
  /** The order of the counts. */
  readonly order: SortOrder;
  /** Ranges of numbers, ascending and apart from each other; null for all numbers together. */
  readonly ranges: readonly FacetRange[] | null;
  /** The parts in which dates are counted; null for all dates together, and of other values. */
  readonly dates: FacetDates | null;
  /** Terms that the filter does not have for this field. */
  readonly excludeTerms: readonly string[];
}

/** The counted values: texts, the texts of lists, numbers, or dates. */
export type FacetKind = 'string' | 'array' | 'number' | 'date';

/** Numbers of which `from` is one and `to` is not. */
export interface FacetRange {
  /** Stands for the range in the answer. */
  readonly name: string;
  /** Null for no lower end. */
  readonly from: number | null;
  /** Null for no upper end. */
  readonly to: number | null;
}

/** Parts in which dates are counted, of one of the two kinds. */
export interface FacetDates {
  /** Null for ranges. */
  readonly interval: DateInterval | null;
  /** Ascending and apart from each other; null for intervals. */
  readonly ranges: readonly DateRange[] | null;
}

/** A part of the calendar in UTC; weeks begin on Monday. */
export type DateInterval = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour';

/** Dates of which `from` is one and `to` is not. */
export interface DateRange {
  /** Stands for the range in the answer. */
  readonly name: string;
  /** The date whose first moment is the lower end; null for none. */
  readonly from: string | null;
  /** The date whose first moment is the first one beyond; null for none. */
  readonly to: string | null;
}

/**
 * Which legs find the documents. A disjunction joins both; a TENSOR or LEXICAL search has
 * one.
 */
export type RetrievalMethod = 'disjunction' | 'tensor' | 'lexical';

/** The ranking that orders the hits. A disjunction is ordered by rrf, and nothing else is. */
export type RankingMethod = 'rrf' | 'tensor' | 'lexical';

/** How the rankings of two legs become one. */
export interface ReciprocalRankFusion {
  /** Weight of the tensor leg, 0 to 1; the lexical leg has the rest. */
  readonly alpha: number;
  /** Flattens the ranks, at least 0. */
  readonly k: number;
}

/**
 * Documents of the index whose vectors join the query's own, behind them. Each vector of a
 * document has the document's weight; one of weight 0 has no say, and is not looked for.
 */
export interface DocumentContext {
  readonly documents: readonly WeightedDocument[];
  /** Fields whose vectors join; null for all. */
  readonly tensorFields: readonly string[] | null;
  /** Leaves them out of the hits, those of weight 0 too. */
  readonly excludeInputDocuments: boolean;
  /** Passes over a document that is not there. */
  readonly allowMissingDocuments: boolean;
  /** Passes over a document without such vectors. */
  readonly allowMissingEmbeddings: boolean;
}

/** A document of a context. */
export interface WeightedDocument {
  readonly id: string;
  readonly weight: number;
}

/** A search by vectors. */
export interface TensorLeg {
  /** Fields to search; null for all. */
  readonly fields: readonly string[] | null;
  /**
   * How scores of the vectors of some fields are changed, before the best of a document
   * counts; null for none.
   */
  readonly boosts: readonly FieldBoost[] | null;
  /** Most candidates that a search of the graph keeps, or as many as it returns. */
  readonly efSearch: number;
  /** Allows the use of the graph. */
  readonly approximate: boolean;
  /**
   * Share of documents passing the filter below which the search is exact, 0 to 1; null for
   * none.
   */
  readonly approximateThreshold: number | null;
  /** One for each row of the query vectors. */
  readonly weights: readonly number[];
  /** Null takes the only row as it is. */
  readonly interpolation: Interpolation | null;
  /** How its scores are changed; null for not at all. */
  readonly scoreModifiers: ScoreModifiers | null;
  /**
   * Nearest documents whose scores are changed and which are ranked anew; null for the
   * engine's choice.
   */
  readonly rerankDepth: number | null;
}

/** Makes of a score of the field weight * score + bias. */
export interface FieldBoost {
  readonly field: string;
  readonly weight: number;
  readonly bias: number;
}

/** How weighted vectors become one. */
export type Interpolation = 'lerp' | 'nlerp' | 'slerp';

/** A search by words. */
export interface LexicalLeg {
  /** The query, quoted phrases and all. */
  readonly text: string;
  readonly operand: LexicalOperand;
  /**
   * Fields to search; null for all. BM25 counts the documents that have a word in each field
   * by itself, with null in any field at all.
   */
  readonly fields: readonly string[] | null;
  /** How its scores are changed; null for not at all. */
  readonly scoreModifiers: ScoreModifiers | null;
  /**
   * Only the best so many by BM25 have their scores changed, and stay ahead of the others;
   * null for all.
   */
  readonly modifiedCount: number | null;
  /** Tag of the language that its words are in; null for that of the texts. */
  readonly language: string | null;
  /** The rules by which its words match others; null where they match themselves alone. */
  readonly typing: Typing | null;
  /** Weights of fields, which multiply what these add to scores; 1 for the others. */
  readonly fieldWeights: readonly FieldWeight[];
  /** The words that are left out, unless nothing else is left; null for none. */
  readonly stopWords: StopWords | null;
  /**
   * Moves, at most, that the words of a quoted phrase may be away from side by side. Default
   * 0.
   */
  readonly phraseSlop: number;
  /** The vector that is searched in place of words; null for words. */
  readonly sparse: SparseQuery | null;
  /** How its best hits are ranked anew by their texts; null for not at all. */
  readonly textRanking: TextRanking | null;
}

/**
 * Multiplies scores above 0 by 1 + the sum of the weights of signals, each times the signal.
 * Hits of equal scores are in the order of their exactness.
 */
export interface TextRanking {
  /** Weight of the share of words that stand as they were typed, at least 0. */
  readonly exactness: number;
  /** Weight of how near to each other words stand, at least 0. */
  readonly proximity: number;
  /** Weight of how early among the fields those with the words are, at least 0. */
  readonly fieldOrder: number;
  /** The order of fields; those that are not in it are last. */
  readonly fields: readonly string[];
  /** Best hits that are ranked anew. */
  readonly candidates: number;
}

/** Words outside of quotes that a query does without. */
export interface StopWords {
  /** Tag of the language whose function words they are; null for that of the query. */
  readonly language: string | null;
  /** The words in place of a language's; null for these. */
  readonly words: readonly string[] | null;
}

/** The weight of one field. */
export interface FieldWeight {
  readonly field: string;
  /** Above 0. */
  readonly weight: number;
}

/** A sparse vector that documents are scored by. */
export interface SparseQuery {
  /** The field of the vectors of documents. */
  readonly field: string;
  /** Integers of 32 bits. */
  readonly indices: readonly number[];
  /** One for each index. */
  readonly weights: readonly number[];
}

/** The rules by which words of a query match others. */
export interface Typing {
  readonly prefix: PrefixWords;
  /** Fields with other words. */
  readonly prefixFields: readonly FieldPrefix[];
  /** The typos that words may have; null for none. */
  readonly typos: Typos | null;
  /** Words also match themselves in two parts, and two neighbours in one word. */
  readonly splitJoin: boolean;
  /** Words also match longer ones that they end, in texts of a language that compounds. */
  readonly compounds: boolean;
}

/**
 * The typos that a search forgives in words that are not quoted and have no digit:
 * characters put in, left out, replaced or swapped.
 */
export interface Typos {
  /** Characters of a word from which on one is forgiven. */
  readonly oneFrom: number;
  /** Characters from which on two are. */
  readonly twoFrom: number;
  /** Fields in which words are exact. */
  readonly exactFields: readonly string[];
}

/**
 * The words of a query that also match every word that they begin: none, the last, or all.
 * Quoted ones never do.
 */
export type PrefixWords = 'none' | 'last' | 'all';

/** The words that are beginnings in one field. */
export interface FieldPrefix {
  readonly field: string;
  readonly prefix: PrefixWords;
}

/** How many of the words outside of quotes a document must hold, one or all. */
export type LexicalOperand = 'or' | 'and';

/** A document to read. */
export interface GetDocumentRequest {
  readonly documentId: string;
  /** Returns its vectors with it, as _tensor_facets. */
  readonly exposeFacets: boolean;
  /** As of SearchPlan. */
  readonly within: string | null;
}

/** Documents to read. */
export interface GetDocumentsRequest {
  /** In the order of the answer, repeated or not. */
  readonly documentIds: readonly string[];
  /** Returns their vectors with them, as _tensor_facets. */
  readonly exposeFacets: boolean;
  /** Returns with them the tensors that an add takes back, as _tensors. */
  readonly exposeTensors: boolean;
  /** As of SearchPlan. */
  readonly within: string | null;
}

/** An input that has no vector. The documents that need it are refused, and no others. */
export interface InputFailure {
  /** Its place among the inputs. */
  readonly row: number;
  /** Why, for people. */
  readonly message: string;
}

/** An input that has a vector for each of its parts, rather than one. */
export interface InputParts {
  /** Its place among the inputs. */
  readonly row: number;
  /** The text stored and shown for each part; at least one. */
  readonly chunks: readonly string[];
}

/** The failures and parts of some embedded inputs, beside their vectors. */
export interface EmbeddingReport {
  /** Inputs that have one row of zeros. */
  readonly failures: readonly InputFailure[];
  /** Inputs that have as many rows as they have parts. */
  readonly parts: readonly InputParts[];
}

/** Documents to delete. */
export interface DeleteDocumentsRequest {
  /** In the order of the answer. */
  readonly documentIds: readonly string[];
  /** As of SearchPlan. */
  readonly within: string | null;
}

/** Which documents to read one after the other, and what of them. */
export interface ScanRequest {
  /** A filter expression; null for every document. */
  readonly filter: string | null;
  /** As of SearchPlan. */
  readonly within: string | null;
  /** Fields of each document; null for all. */
  readonly attributesToRetrieve: readonly string[] | null;
  /** Returns their vectors with them, as _tensor_facets. */
  readonly exposeFacets: boolean;
  /** Returns with them the tensors that an add takes back, as _tensors. */
  readonly exposeTensors: boolean;
}

/** Queries that an index is to suggest from now on. */
export interface PutQueriesRequest {
  readonly queries: readonly QueryToSuggest[];
}

/** A query that may be meant by what somebody types. */
export interface QueryToSuggest {
  /** As it is shown. */
  readonly query: string;
  /** How often it is asked, in any unit; a negative one counts as 0. */
  readonly popularity: number;
  /** A JSON object, answered as it is. */
  readonly metadata: string;
}

/** Queries by their texts; case, accents and blanks around words do not matter. */
export interface QueriesRequest {
  readonly queries: readonly string[];
}

/** A page of the queries that an index suggests. */
export interface ScanQueriesRequest {
  /** The cursor of the page before; null for the first page. */
  readonly cursor: string | null;
  /** Most queries. */
  readonly limit: number;
}

/**
 * A typed text, and how suggestions for it are found and ordered. The docs of crates/suggest
 * define each member.
 */
export interface SuggestPlan {
  /** The text that was typed so far; nothing or * for every query. */
  readonly text: string;
  /** Most suggestions, at least 1. */
  readonly limit: number;
  /** Most edits of a token, of which no more than 2 are tried. */
  readonly editsMax: number;
  /** Least characters of a token that may have edits. */
  readonly fuzzyCharsMin: number;
  /** Weight of the logarithm of the popularity. */
  readonly popularityWeight: number;
  /** Weight of the words that match without an edit. */
  readonly bm25Weight: number;
  /** Requires every token to match. */
  readonly matchesAll: boolean;
}

/** The counts and sizes of an index. */
export interface EngineStats {
  readonly numberOfDocuments: number;
  /** Those of replaced documents among them, until they are reclaimed. */
  readonly numberOfVectors: number;
  /** Queries that it suggests. */
  readonly numberOfSuggestions: number;
  /** The sum of memory. */
  readonly memoryBytes: number;
  readonly memory: IndexMemory;
  /** Null where the index is on other machines. */
  readonly work: IndexWork | null;
  /**
   * The counts of its audits; null where the engine does not compare documents with what it
   * derived from them.
   */
  readonly audit: AuditFigures | null;
}

/** The work that waits for an index, and what it has done since it was opened. */
export interface IndexWork {
  /** Writes that wait for the writer. */
  readonly queuedWrites: number;
  /** Vectors that wait to be linked, which searches scan meanwhile. */
  readonly unlinkedVectors: number;
  /** Vectors that were linked in haste, and wait to be linked better. */
  readonly vectorsToRelink: number;
  /** Documents whose words are in memory alone. */
  readonly unflushedDocuments: number;
  /** Files of words that each search reads, and that merges make fewer. */
  readonly textSegments: number;
  /** Bytes on the disk of the file of documents. */
  readonly storeBytes: number;
  /** Times that this file gave its free pages back. */
  readonly compactions: number;
  /** Filters whose documents were known. */
  readonly filterHits: number;
  /** Filters whose documents were looked up. */
  readonly filterMisses: number;
  /** Changes of scores whose inputs were known. */
  readonly scoreHits: number;
  /** Changes of scores whose inputs were read. */
  readonly scoreMisses: number;
}

/** Counts of the audits of an index since the engine was opened. */
export interface AuditFigures {
  /** Audits that passed over all documents. */
  readonly rounds: number;
  /** Documents that were compared. */
  readonly documents: number;
  readonly differences: AuditDifferences;
  /** Vectors that no links led to and that were linked again. */
  readonly relinked: number;
}

/** Documents that differed from what is stored, by structure. */
export interface AuditDifferences {
  /** The set of living versions. */
  readonly ordinals: number;
  /** Values for filters. */
  readonly columns: number;
  /** Words. */
  readonly text: number;
  readonly vectors: number;
  /** Vectors that no links led to, where these were many. */
  readonly graph: number;
}

/** Bytes of memory that an index holds, by what they are for. */
export interface IndexMemory {
  /** Vectors, their codes and graphs. */
  readonly vectors: number;
  /** The values that filters and score modifiers read, and which versions are alive. */
  readonly columns: number;
  /** Words that are not in files yet, and what is known of the files. */
  readonly lexical: number;
  /** The documents that passed the filters asked for lately. */
  readonly filters: number;
  /** Queries that are suggested. */
  readonly suggestions: number;
  /** Pages of the store. */
  readonly documents: number;
}

/** The problems of an engine at this moment. */
export interface EngineHealth {
  /** The worst of indexes, green without any. */
  readonly status: HealthStatus;
  /** Every index that is not green. */
  readonly indexes: readonly IndexHealth[];
}

/** An index that is not green. */
export interface IndexHealth {
  readonly name: string;
  readonly status: Severity;
  /** Code of the error that calls to this index fail with. */
  readonly code: string;
  /** The event, and the remedy. */
  readonly reason: string;
}

/** The state of the files of an index that nobody uses. */
export interface IndexVerification {
  /** The name of the index, or of its folder where that cannot be read. */
  readonly name: string;
  /** The folder of its files below the data directory. */
  readonly folder: string;
  /** Documents that were read. */
  readonly documents: number;
  /** Vectors of these. */
  readonly vectors: number;
  readonly problems: readonly FileProblem[];
  /** Problems that are not listed. */
  readonly moreProblems: number;
}

/** Files that are not as they were written. */
export interface FileProblem {
  readonly kind: FileProblemKind;
  /** The part of the index. */
  readonly part: string;
  readonly reason: string;
  /** The thing to do. */
  readonly remedy: string;
}

/** Truth is kept nowhere else; what is derived from it is made anew. */
export type FileProblemKind = 'truth' | 'derived';

export type HealthStatus = 'green' | 'yellow' | 'red';

/**
 * Worst last. Yellow answers everything while something derived from the documents is made
 * anew; red cannot read or write something.
 */
export type Severity = 'yellow' | 'red';

/** How the documents of an add request are read. */
export interface AddOptions {
  /** Fields of an unstructured index whose texts are embedded. */
  readonly tensorFields: readonly string[];
  /**
   * The fields of an unstructured index whose texts are not embedded, where all others' are;
   * null where tensorFields names those that are.
   */
  readonly nonTensorFields: readonly string[] | null;
  /** Fields combined from others with their weights, and those of own vectors. */
  readonly mappings: object | null;
  /** Keeps the vectors of a text that is stored under the same id. */
  readonly useExistingTensors: boolean;
  /**
   * Takes documents in their stored form, which bring their tensors, as _tensors: nothing is
   * embedded.
   */
  readonly useGivenTensors: boolean;
  /** Put before every chunk that is embedded; empty for none. */
  readonly textChunkPrefix: string;
  /** The media that the model takes besides texts. */
  readonly media: readonly Medium[];
  /** Most bytes of one document's JSON; null for any. */
  readonly maxDocBytes: number | null;
  /** Tells new documents, with status 201, from those that took another's place. */
  readonly reportsCreation: boolean;
  /**
   * Keeps the fields of a stored document that are not named, with their vectors; null removes
   * a field.
   */
  readonly keepsOtherFields: boolean;
  /**
   * The filter that the caller is bound to: documents that do not pass it are not there for
   * it, and it stores none such; null for none.
   */
  readonly within: string | null;
}

/** The kind of a picture, film or sound. */
export type Medium = 'image' | 'video' | 'audio';

/** How the documents of an update request are read. */
export interface UpdateOptions {
  /** Most bytes of one document's JSON; null for any. */
  readonly maxDocBytes: number | null;
  /** As of AddOptions. */
  readonly within: string | null;
}

/**
 * The facts that the creation of an index worked out and later calls rely on, whatever
 * becomes of its model.
 */
export interface ResolvedSettings {
  /** Length of the vectors. */
  readonly dimensions: number;
  /** Empty for none. */
  readonly textQueryPrefix: string;
  /** Empty for none. */
  readonly textChunkPrefix: string;
  /** Tells that the model can embed at all; no_model cannot. Default true. */
  readonly embeds: boolean;
  /**
   * Cuts texts behind the full stops of every script and, at the latest, where the model would
   * read no further; false, or absent, for indexes made before that, which keep their chunks.
   */
  readonly chunksEveryScript: boolean;
  /** In ISO 8601. */
  readonly createdAt: string;
  /** The key by which inference knows the model. */
  readonly modelKey: string;
}

/** Where a body stops being JSON. */
export interface JsonSyntaxError {
  /** From 1. */
  readonly line: number;
  /** In bytes, from 1. */
  readonly column: number;
  /** Tells that it is right as far as it goes; the missing part follows the last byte. */
  readonly endsEarly: boolean;
}
