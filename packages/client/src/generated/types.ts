// Generated from openapi/ by `npm run generate -w @pelorus/contract`. Never edited by hand.

/** The documents and how to turn them into vectors. */
export interface AddDocumentsRequest {
  /**
   * At most 128 documents. Each is checked by itself; one that is malformed gets an item status. An `_id` has at
   * most 2048 characters, the name of a field and the key of a map at most 255.
   */
  readonly documents: readonly unknown[];
  /** Fields to embed, none when absent. Unstructured indexes only; a structured one declares them. */
  readonly tensorFields?: readonly unknown[] | null | undefined;
  /** Keep the stored vectors of fields whose content did not change. Default false. */
  readonly useExistingTensors?: boolean | undefined;
  /**
   * The documents are as a scan with `exposeTensors` shows them, each with its `_tensors`, and are stored as they
   * are: nothing is chunked or embedded, and no model is asked for. A member `map.key` is an entry of a map; the
   * value of a custom vector field is its content. `tensorFields`, `mappings`, `textChunkPrefix` and
   * `useExistingTensors` cannot be given besides. Default false.
   */
  readonly useGivenTensors?: boolean | undefined;
  readonly imageDownloadHeaders?: Headers | undefined;
  readonly mediaDownloadHeaders?: Headers | undefined;
  /**
   * Fields that are more than their value: `multimodal_combination` with at most 1000 `weights`, `custom_vector`,
   * `geo_point`, `sparse_vector`, `multi_vector` with the `dimensions` of its vectors, or `text_field` with the
   * `language` of its texts or its `stemming` (`none`, `best`, `shortest`, `multiple`), which hold from the first
   * text of the field on.
   */
  readonly mappings?: {
    readonly [name: string]: unknown;
  } | null | undefined;
  readonly modelAuth?: OptionalModelAuth | undefined;
  /** Instead of the index's prefix, for this call. */
  readonly textChunkPrefix?: string | null | undefined;
  readonly imageDownloadThreadCount?: number | undefined;
  readonly mediaDownloadThreadCount?: number | null | undefined;
  /** By how many clients split longer lists before they send them; accepted and without effect. */
  readonly clientBatchSize?: number | null | undefined;
}

export interface AddDocumentsResponse {
  /** True when any document failed. */
  readonly errors: boolean;
  /** One entry per document in request order. The last of several documents with one id is listed alone. */
  readonly items: readonly AddedDocument[];
  readonly processingTimeMs: number;
  readonly index_name: string;
  readonly telemetry?: Telemetry | undefined;
}

export interface AddedDocument {
  readonly status: number;
  readonly _id: string;
  /** In the answer to a bare list. */
  readonly result?: "created" | "updated" | undefined;
  readonly message?: string | undefined;
  /** The same text as `message`. */
  readonly error?: string | undefined;
  readonly code?: string | undefined;
}

export interface Alias {
  readonly aliasName: string;
  /** The index that it stands for. */
  readonly indexName: string;
  readonly telemetry?: Telemetry | undefined;
}

export interface AliasChanges {
  /** Changes of as many aliases. */
  readonly changes: readonly ({
    /** The alias; a new one obeys the rules of index names. */
    readonly aliasName: string;
    /** The index that the alias is to stand for, which is there and no alias; null deletes the alias. */
    readonly indexName: string | null;
  })[];
}

export interface AliasList {
  readonly results: readonly Alias[];
  readonly telemetry?: Telemetry | undefined;
}

/** The distance and the shape of the neighbour graph. */
export interface AnnParameters {
  /** Default "prenormalized-angular". */
  readonly spaceType?: SpaceType | undefined;
  readonly parameters?: GraphParameters | undefined;
}

/** How sounds are cut into chunks, in seconds. */
export interface AudioPreprocessing {
  /** Seconds of a chunk. Default 10. */
  readonly splitLength?: number | undefined;
  /** Seconds that neighbouring chunks share, less than `splitLength`. Default 3. */
  readonly splitOverlap?: number | undefined;
}

/** A field that groups hits. Every document must hold a text in it that is not blank. */
export interface CollapseField {
  /** At most 255 characters. */
  readonly name: string;
  /** Kept for other versions, 500 when absent: a search looks for as many groups as its page needs. */
  readonly minGroups?: number | undefined;
}

/**
 * Which document of its group is shown in place of a hit, when it is strictly better by a number. Its place and
 * scores are those of the hit, whose id is `_originalId`.
 */
export interface CollapseSort {
  readonly fields: readonly ({
    /** A field of numbers, or a map's entry as map.key. */
    readonly fieldName: string;
    /** Numbers alone, or dates, as in `sortBy`; number when absent. */
    readonly type?: SortType | null | undefined;
    /** Least or greatest first, desc when absent. */
    readonly order?: SortOrder | null | undefined;
  })[];
  /** At least 1; accepted and without effect. */
  readonly numThreadsPerSearch?: number | null | undefined;
  /** Not done where sortBy of the search names one of these. */
  readonly disableIfMainSortByFields?: readonly string[] | null | undefined;
  /** Replaces a hit without a number too, false when absent. */
  readonly alwaysFetchVariants?: boolean | null | undefined;
}

export type ContextDocumentsParameters = {
  /** Fields whose vectors join, at least one; all when absent. */
  readonly tensorFields?: readonly string[] | null | undefined;
  /** Leaves the documents out of the hits, true when absent. */
  readonly excludeInputDocuments?: boolean | null | undefined;
  /** Passes over documents that are not there, false when absent. */
  readonly allowMissingDocuments?: boolean | null | undefined;
  /** Passes over documents without vectors, false when absent. */
  readonly allowMissingEmbeddings?: boolean | null | undefined;
  readonly [name: string]: unknown;
} | null;

/** The rules, synonyms and search defaults that searches of an index follow. */
export interface Curation {
  /** 0 before anything was set; each change is one more. */
  readonly version: number;
  /** ISO 8601, UTC; null of version 0. */
  readonly updatedAt: string | null;
  readonly rules: readonly SearchRule[];
  readonly synonyms: readonly Synonyms[];
  /** Members that searches have where they leave them out; absent where there are none. */
  readonly searchDefaults?: SearchDefaults | undefined;
  readonly telemetry?: Telemetry | undefined;
}

/** The rules, synonyms and search defaults of an index, in place of those that it has. */
export interface CurationRequest {
  /** The first that says a thing counts. Default []. */
  readonly rules?: readonly SearchRule[] | undefined;
  /** Default []. */
  readonly synonyms?: readonly Synonyms[] | undefined;
  /** Members that searches have where they leave them out; none when absent. */
  readonly searchDefaults?: SearchDefaults | null | undefined;
}

/** The rules, synonyms and search defaults of an index as they are and as they were. */
export interface CurationVersions {
  /** Newest first. */
  readonly versions: readonly Curation[];
  readonly telemetry?: Telemetry | undefined;
}

export interface CustomVector {
  readonly vector: Vector;
  /** The text for the lexical leg of a hybrid search. */
  readonly content?: string | null | undefined;
}

export interface CustomVectorQuery {
  readonly customVector: CustomVector;
}

export type CutoffLegs = "tensor" | "lexical" | "both";

export type DateInterval = "year" | "quarter" | "month" | "week" | "day" | "hour";

/** How hybrid searches of an index join their legs where they do not say it. */
export interface DefaultHybridParameters {
  /** Weight of the tensor leg against the lexical one, 0 to 1; 0.5 when absent. Only with rrf. */
  readonly alpha?: number | null | undefined;
  /** Flattens the ranks, at least 0; 60 when absent. Only with rrf. */
  readonly rrfK?: number | null | undefined;
}

export interface DeleteDocumentsResponse {
  readonly index_name: string;
  readonly status: "succeeded";
  readonly type: "documentDeletion";
  readonly items: readonly DeletedDocument[];
  readonly details: {
    readonly receivedDocumentIds: number;
    readonly deletedDocuments: number;
  };
  /** ISO 8601 duration. */
  readonly duration: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly telemetry?: Telemetry | undefined;
}

export interface DeletedDocument {
  readonly _id: string;
  readonly status: number;
  readonly result: "deleted" | "not_found" | "error";
}

/**
 * Scores fall with the distance of documents from a place, which are those of HYBRID searches of unstructured
 * indexes. Not with recencyParameters.
 */
export interface DistanceParameters {
  /** A field of geo points. */
  readonly distanceField: string;
  readonly from: GeoPoint;
  /**
   * Distance behind the offset at which nearness is decayTo, such as 10km, 500m or 6mi: more than 0; 10km when
   * absent.
   */
  readonly scale?: string | null | undefined;
  /** Distance within which nearness is 1; 0km when absent. */
  readonly offset?: string | null | undefined;
  /** How nearness falls over its scale; exponential when absent. */
  readonly decayFunction?: RecencyFunction | null | undefined;
  /** Nearness after offset and scale, and of documents without a point: more than 0, at most 1; 0.5 when absent. */
  readonly decayTo?: number | null | undefined;
  /** The scores to change: those of the legs, those that they end in, or all; all when absent. */
  readonly applyInRankingPhase?: RecencyPhase | null | undefined;
  /** More than 0: nearness times this is added, in place of multiplying by it. */
  readonly addToScoreWeight?: number | null | undefined;
  /** Legs of a disjunction whose scores it changes; both when absent. */
  readonly applyToSubqueries?: readonly ("tensor" | "lexical")[] | null | undefined;
}

/**
 * Ranks the first hits anew, so that each is relevant and unlike those before it, by their stored vectors. Scores
 * stay as they were. Not with sortBy, nor with reRanker.
 */
export interface Diversity {
  /**
   * Weight of relevance against unlikeness, 0 to 1: 1 changes nothing, and with 0 relevance chooses the first hit
   * alone. 0.5 when absent.
   */
  readonly lambda?: number | null | undefined;
  /** The first so many hits are ranked anew, on whichever pages they are, 100 when absent; the others follow. */
  readonly candidates?: number | null | undefined;
}

export type Durations = readonly number[];

export interface ErrorResponse {
  readonly message: string;
  /** Stable name of the error; see the error catalogue. */
  readonly code: string;
  readonly type: "invalid_request" | "authentication_error" | "permission_error" | "internal" | "service_unavailable";
  readonly link: string | null;
  /** The short text that unknown routes answer with. */
  readonly detail?: string | undefined;
  /** The message once more, on the control plane and where a key's scope is too low. */
  readonly error?: string | undefined;
  /** The least scope that would do. */
  readonly requiredScope?: "read" | "read_write" | "admin" | undefined;
  readonly telemetry?: Telemetry | undefined;
}

/**
 * A value, and the values that it follows from by its operation. The innermost ones are told as they are; of
 * BM25, shares of idf, distances and closeness, and of sums of the first two, the arithmetic has 32 bits, else
 * 64. The outermost value is the `_score`.
 */
export interface Explanation {
  /** Null where it is beyond 64 bits and a bound follows. */
  readonly value: number | null;
  /**
   * `sum` and `product` are of all details in their order, `reciprocalRank` is weight / (k + rank). `bm25` is of
   * count, idf, frequency, length and average length, `idfShare` of count, idf and share, and both of the field's
   * weight before these where it is not 1, `inverseDocumentFrequency` of the documents and those that match.
   * `recency` is of a time and the center; `bound` keeps its only detail finite and at least 0. A `value` was
   * there before; its details, if any, say what ranked it.
   */
  readonly operation: "value" | "sum" | "product" | "bm25" | "idfShare" | "inverseDocumentFrequency" | "distance" | "closeness" | "reciprocalRank" | "recency" | "bound";
  /** In words, with the formula. */
  readonly description: string;
  /** The field that it is about. */
  readonly field?: string | undefined;
  /** The term that it is about, as it stands in the index. */
  readonly term?: string | undefined;
  readonly details: readonly ({
    readonly [name: string]: unknown;
  })[];
}

/** How a field is counted. */
export interface FacetField {
  /**
   * Texts, the texts of lists, numbers, distances of geo points in metres, or dates. Texts longer than
   * filterStringMaxLength are not counted.
   */
  readonly type: "string" | "array" | "number" | "distance" | "date";
  /** The place that distances are from: with the type `distance`, and only then. */
  readonly from?: GeoPoint | null | undefined;
  /** Most texts listed, 1 to 10000. */
  readonly maxResults?: number | null | undefined;
  /** The order of the counts. */
  readonly order?: SortOrder | null | undefined;
  /** Ranges to count numbers, distances or dates in, apart from each other. */
  readonly ranges?: readonly ({
    /**
     * The least number of the range; of dates a text such as 2024-02, whose first moment is the first of the
     * range.
     */
    readonly from?: number | string | null | undefined;
    /** The first number beyond the range; of dates a text, whose first moment is the first one beyond. */
    readonly to?: number | string | null | undefined;
    /** Stands for it in the answer, `from:to` when absent. */
    readonly name?: string | null | undefined;
  })[] | null | undefined;
  /** Parts of the calendar to count dates in: with the type `date`, and not beside `ranges`. */
  readonly interval?: DateInterval | null | undefined;
  /**
   * Terms of the filter that do not count for this field, as they are written there; a NOT before one goes with
   * it. The terms that differ, of all fields, times the characters of the filter are at most 16777216.
   */
  readonly excludeTerms?: readonly string[] | null | undefined;
}

/** Counts of the documents found, which are those of totalHits, whichever page of them is shown. */
export interface Facets {
  /** Fields to count, or entries of maps as map.key. */
  readonly fields: {
    readonly [name: string]: FacetField;
  };
  /** Most texts listed of a field that does not say it, 1 to 10000; 100 when absent. */
  readonly maxResults?: number | null | undefined;
  /** The order of the counts, desc when absent. */
  readonly order?: SortOrder | null | undefined;
  /** Only so many of the best documents are counted, all when absent. */
  readonly maxDepth?: number | null | undefined;
}

/** A declared field of a structured index. */
export interface Field {
  /** At most 255 characters. */
  readonly name: string;
  /** The kind of its values. */
  readonly type: "text" | "bool" | "int" | "long" | "float" | "double" | "array<text>" | "array<int>" | "array<long>" | "array<float>" | "array<double>" | "image_pointer" | "video_pointer" | "audio_pointer" | "multimodal_combination" | "custom_vector" | "geo_point" | "sparse_vector" | "multi_vector" | "map<text, int>" | "map<text, long>" | "map<text, float>" | "map<text, double>";
  /** The uses of the field: searches by words, scores that its numbers change, filters. Default []. */
  readonly features?: readonly ("lexical_search" | "score_modifier" | "filter")[] | undefined;
  /** Weight of each part; for `multimodal_combination` only. */
  readonly dependentFields?: {
    readonly [name: string]: number;
  } | null | undefined;
  /** Numbers of each vector; for `multi_vector` only, which needs them. */
  readonly dimensions?: number | null | undefined;
}

/** The model that makes the vectors of a field of sparse vectors or of many vectors from texts. */
export interface FieldModel {
  /** A name of the model file or, with `modelProperties`, a label. */
  readonly model: string;
  /** Properties of a model of the type `splade` or `colbert`; kept as given. */
  readonly modelProperties?: {
    readonly [name: string]: unknown;
  } | null | undefined;
  /** The field whose text the vectors are made of, where a document brings none of its own. */
  readonly sourceField?: string | null | undefined;
}

export type FilterFolding = "case" | "caseAndAccents";

export interface FoundDocument {
  readonly _id: string;
  readonly _found?: boolean | undefined;
  /** Status of an entry that is not found; otherwise a field of the document. */
  readonly status?: unknown | undefined;
  /** Reason for an entry that is not found; otherwise a field of the document. */
  readonly message?: unknown | undefined;
  readonly [name: string]: unknown;
}

/** A place on the earth, in degrees. */
export interface GeoPoint {
  readonly lat: number;
  readonly lon: number;
}

export interface GetDocumentsResponse {
  /** True when any id was not found or not usable. */
  readonly errors: boolean;
  readonly results: readonly FoundDocument[];
  readonly telemetry?: Telemetry | undefined;
}

/** The shape of the neighbour graph. */
export interface GraphParameters {
  /**
   * Candidates looked at for each vector that is added: more find better later, and are added more slowly.
   * Default 512.
   */
  readonly efConstruction?: number | undefined;
  /** Links of each vector in the graph: more find better, and take more memory. Default 16. */
  readonly m?: number | undefined;
}

/** Header names and values for fetching media. */
export type Headers = {
  readonly [name: string]: string;
} | null;

export interface Health {
  readonly status: "green" | "yellow" | "red";
  readonly inference: {
    readonly status: "green" | "yellow" | "red";
    /** Devices that are lost, in whose place the CPU computes; absent where there are none. */
    readonly reasons?: readonly string[] | undefined;
  };
  readonly backend: {
    readonly status: "green" | "yellow" | "red";
    /** False when adds are refused for want of memory. */
    readonly memoryIsAvailable: boolean | null;
    /** False when adds are refused for want of room on the disk, and when it cannot be told. */
    readonly storageIsAvailable: boolean | null;
    /** Problems of the store as a whole, such as a cluster that is away; absent where there are none. */
    readonly reasons?: readonly string[] | undefined;
    /** Indexes that are not green, with what is wrong; absent when there is none. */
    readonly indexes?: readonly ({
      readonly indexName: string;
      readonly status: "yellow" | "red";
      /** Code of the error that calls to this index answer. */
      readonly code: string;
      readonly reason: string;
    })[] | undefined;
  };
  /** Problems in the store of events; absent where there are none. */
  readonly events?: {
    readonly status: "yellow" | "red";
    readonly reasons: readonly string[];
  } | undefined;
  /** Why what is known of collections cannot be told; absent where it can. */
  readonly collections?: {
    readonly status: "red";
    readonly reasons: readonly string[];
  } | undefined;
  /**
   * Tells of keys that are refused since their files are damaged, gone or older than they should be; red where no
   * key is good; absent where there are none.
   */
  readonly keys?: {
    readonly status: "yellow" | "red";
    readonly reasons: readonly string[];
  } | undefined;
  /**
   * Files of the whole data directory that were lost or damaged; red where nobody knows what else is lost; absent
   * where there are none.
   */
  readonly files?: {
    readonly status: "yellow" | "red";
    readonly reasons: readonly string[];
  } | undefined;
  /** Threads of requests that hang; absent where none does. */
  readonly http?: {
    readonly status: "yellow" | "red";
    readonly reasons: readonly string[];
  } | undefined;
  /**
   * The reasons for which backups were not made by themselves, or older ones not removed; absent where there are
   * none.
   */
  readonly backups?: {
    readonly status: "yellow" | "red";
    readonly reasons: readonly string[];
  } | undefined;
  readonly telemetry?: Telemetry | undefined;
}

export interface Highlight {
  readonly [name: string]: Highlighted;
}

export type Highlighted = string | PicturePlace;

export interface Hit {
  readonly _id: string;
  readonly _score: number;
  /**
   * The best chunk by its field; empty for lexical hits. With reRanker, the place in the picture: left, top,
   * right and bottom.
   */
  readonly _highlights?: readonly Highlight[] | undefined;
  readonly _tensor_score?: number | undefined;
  readonly _lexical_score?: number | undefined;
  /** With recencyParameters: how recent it is, 1 at most. */
  readonly _recency_score?: number | undefined;
  /** With distanceParameters: how near it is, 1 at most. */
  readonly _distance_score?: number | undefined;
  /** With distances: metres by the name of the field, of fields that have a point. */
  readonly _distances?: {
    readonly [name: string]: number;
  } | undefined;
  /** The fused score, before scoreModifiers. */
  readonly _pre_rerank_score?: number | undefined;
  /** With rerank: how relevant the model finds its texts, 0 to 1; absent where it read none. */
  readonly _rerank_score?: number | undefined;
  readonly _explanation?: Explanation | undefined;
  /**
   * With lexicalHighlights: for each retrieved field in which words of the query stand, the best parts of its
   * texts, best first, with these words between tags.
   */
  readonly _lexicalHighlights?: {
    readonly [name: string]: readonly string[];
  } | undefined;
  /** True for a document that is pinned to its place, whose _score is 0; absent otherwise. */
  readonly _pinned?: boolean | undefined;
  /** With groupCount of collapseFields: documents of its group that were found, itself counted. */
  readonly _groupCount?: number | undefined;
  /** With groupLimit of collapseFields: the best other documents of its group, as hits of their own. */
  readonly _groupHits?: readonly ({
    readonly _id: string;
    readonly _score: number;
    readonly [name: string]: unknown;
  })[] | undefined;
  /** The hit in whose place a document of the same group is shown. */
  readonly _originalId?: string | undefined;
  readonly [name: string]: unknown;
}

/** How the two legs of a hybrid search are found and joined. */
export interface HybridParameters {
  /** Default "disjunction". */
  readonly retrievalMethod?: RetrievalMethod | null | undefined;
  /** Default "rrf". */
  readonly rankingMethod?: RankingMethod | null | undefined;
  readonly searchableAttributesTensor?: readonly string[] | null | undefined;
  readonly searchableAttributesLexical?: readonly string[] | null | undefined;
  readonly queryTensor?: string | WeightedTexts | null | undefined;
  readonly queryLexical?: string | null | undefined;
  /** Requires one word of the query to be found, or all of them; or when absent, which weakAnd is too. */
  readonly lexicalOperand?: LexicalOperand | null | undefined;
  /** Accepted and without effect. */
  readonly verbose?: boolean | null | undefined;
  /** Modifiers of the tensor leg, for the rankingMethod tensor or rrf. */
  readonly scoreModifiersTensor?: ScoreModifiers | null | undefined;
  /** Modifiers of the lexical leg, for the rankingMethod lexical or rrf or the retrievalMethod lexical. */
  readonly scoreModifiersLexical?: ScoreModifiers | null | undefined;
  /**
   * Documents that the tensor leg finds to be ranked anew, by modifiers or words, and that are counted; not
   * negative.
   */
  readonly rerankDepthTensor?: number | null | undefined;
  /**
   * Accepted where the lexical leg finds documents, unless lexicalOperand is and; without effect: none is left
   * out.
   */
  readonly rerankDepthLexical?: number | null | undefined;
  /**
   * Documents of the lexical leg that are ranked anew by vectors, or by modifiers with secondPhaseModifier; limit
   * when absent.
   */
  readonly rerankCount?: number | null | undefined;
  /** Accepted beside rerankDepthLexical, and without effect. */
  readonly weakAndParameters?: {
    readonly stopwordLimit?: number | null | undefined;
    readonly adjustTarget?: number | null | undefined;
    readonly filterThreshold?: number | null | undefined;
    readonly allowDropAll?: boolean | null | undefined;
  } | null | undefined;
  /**
   * Changes with scoreModifiersLexical only the best rerankCount documents by words. These are ranked anew and
   * stay ahead of the others, whose scores may be higher.
   */
  readonly secondPhaseModifier?: boolean | null | undefined;
  /** Weight of the tensor leg against the lexical one, 0 to 1; 0.5 when absent. Only with rrf. */
  readonly alpha?: number | null | undefined;
  /** Flattens the ranks, at least 0; 60 when absent. Only with rrf. */
  readonly rrfK?: number | null | undefined;
}

export interface IndexList {
  readonly results: readonly ({
    readonly indexName: string;
    readonly [name: string]: unknown;
  })[];
  readonly telemetry?: Telemetry | undefined;
}

/**
 * Settings of an index to create. Every member is optional but for `allFields` of a structured index, and so is
 * every member of `textPreprocessing`, `imagePreprocessing`, `videoPreprocessing`, `audioPreprocessing` and
 * `annParameters`.
 */
export interface IndexSettings {
  /**
   * `unstructured` takes documents with any fields, `structured` those alone that `allFields` declares.
   * `semi-structured` is another name of `unstructured`. Default "unstructured".
   */
  readonly type?: "unstructured" | "structured" | "semi-structured" | undefined;
  /**
   * The model that makes the vectors: its name in the registry or, with `modelProperties`, a label. Default
   * "hf/e5-base-v2".
   */
  readonly model?: string | undefined;
  /** Properties of a model of one's own, such as its `name` or `url` and its `dimensions`; kept as given. */
  readonly modelProperties?: {
    readonly [name: string]: unknown;
  } | null | undefined;
  /**
   * Brings vectors to unit length: those that the model makes and the custom vectors of documents, of which one
   * of zeros is refused. Where they are not, custom vectors are stored as they are given; unless they have unit
   * length, `spaceType` must then not be `prenormalized-angular`. Default true.
   */
  readonly normalizeEmbeddings?: boolean | undefined;
  readonly textPreprocessing?: TextPreprocessing | undefined;
  /** How pictures are cut into parts, each with a vector. */
  readonly imagePreprocessing?: {
    /** The way to cut; pictures stay whole when absent. */
    readonly patchMethod?: PatchMethod | null | undefined;
  } | undefined;
  /** How films are cut into chunks, in seconds. null answers 400 instead of 422. */
  readonly videoPreprocessing?: VideoPreprocessing | null | undefined;
  /** How sounds are cut into chunks, in seconds. null answers 400 instead of 422. */
  readonly audioPreprocessing?: AudioPreprocessing | null | undefined;
  /**
   * Numbers of the stored vectors. `bfloat16` takes half the room of `float`, rounded to 8 bits of precision.
   * `int8`, our own, takes a quarter, rounded to multiples of a 127th of the vector's largest number. Default
   * "float".
   */
  readonly vectorNumericType?: "float" | "bfloat16" | "int8" | undefined;
  /**
   * The tokens of Chinese, Japanese, Thai, Lao, Khmer and Burmese in searches by words (search 4.16): `pairs` of
   * signs, or `words` of a dictionary; `pairs` when absent. Our own; it is fixed at creation.
   */
  readonly textSegmentation?: TextSegmentation | null | undefined;
  /**
   * The differences that texts may have which filters take for one (search 3.2), `case` when absent; our own.
   * `caseAndAccents` has `cafe` find `Café`, and facets count both as one. It is fixed at creation.
   */
  readonly filterFolding?: FilterFolding | null | undefined;
  readonly annParameters?: AnnParameters | undefined;
  /** A text put before every query that becomes a vector; the model's own when absent or null. */
  readonly textQueryPrefix?: string | null | undefined;
  /** A text put before every chunk that becomes a vector; the model's own when absent or null. */
  readonly textChunkPrefix?: string | null | undefined;
  /** Unstructured only. Takes a text that points to an image for the image, in documents and in queries. */
  readonly treatUrlsAndPointersAsImages?: boolean | null | undefined;
  /** Unstructured only. As above, for images, videos and audio. */
  readonly treatUrlsAndPointersAsMedia?: boolean | null | undefined;
  /** Longest string a filter can match, in characters; 50 when absent. Unstructured only. */
  readonly filterStringMaxLength?: number | null | undefined;
  /** A field that hits can be grouped by, such as the product of its variants; one at most. Unstructured only. */
  readonly collapseFields?: readonly CollapseField[] | null | undefined;
  /** Models of single fields, by the name of the field. They are fixed at creation. */
  readonly fieldModels?: {
    readonly [name: string]: FieldModel;
  } | null | undefined;
  /** The fields that documents may have, with their types. Structured only, required there. */
  readonly allFields?: readonly Field[] | null | undefined;
  /** Those of `allFields` that get vectors, none when absent. Structured only. */
  readonly tensorFields?: readonly string[] | null | undefined;
}

/** Settings in force. Members that hold nothing are left out. */
export interface IndexSettingsResponse {
  readonly type: "unstructured" | "structured";
  readonly allFields?: readonly ({
    readonly name: string;
    readonly type: string;
    readonly features: readonly string[];
    readonly dependentFields?: {
      readonly [name: string]: number;
    } | undefined;
    readonly dimensions?: number | undefined;
  })[] | undefined;
  readonly tensorFields?: readonly string[] | undefined;
  readonly treatUrlsAndPointersAsImages?: boolean | undefined;
  readonly treatUrlsAndPointersAsMedia?: boolean | undefined;
  readonly filterStringMaxLength?: number | undefined;
  readonly collapseFields?: readonly ({
    readonly name: string;
    readonly minGroups: number;
  })[] | undefined;
  readonly model: string;
  /** As given, but for the user name, password, query and fragment of URLs, which are not shown. */
  readonly modelProperties?: {
    readonly [name: string]: unknown;
  } | undefined;
  readonly normalizeEmbeddings: boolean;
  readonly textPreprocessing: TextPreprocessing;
  readonly imagePreprocessing: {
    readonly patchMethod?: "simple" | "frcnn" | "dino-v1" | "dino-v2" | "marqo-yolo" | undefined;
  };
  readonly videoPreprocessing: VideoPreprocessing;
  readonly audioPreprocessing: AudioPreprocessing;
  readonly vectorNumericType: string;
  readonly textSegmentation?: "pairs" | "words" | undefined;
  readonly filterFolding?: "case" | "caseAndAccents" | undefined;
  readonly fieldModels?: {
    readonly [name: string]: {
      readonly model: string;
      /** As those of the index. */
      readonly modelProperties?: {
        readonly [name: string]: unknown;
      } | undefined;
      readonly sourceField?: string | undefined;
    };
  } | undefined;
  readonly annParameters: {
    readonly spaceType: SpaceType;
    readonly parameters: GraphParameters;
  };
  /** The one in force: what was asked for, or else the model's. */
  readonly textQueryPrefix?: string | undefined;
  /** As above. */
  readonly textChunkPrefix?: string | undefined;
  readonly telemetry?: Telemetry | undefined;
}

export interface IndexStats {
  readonly numberOfDocuments: number;
  /** Chunk vectors over all tensor fields. */
  readonly numberOfVectors: number;
  /** Aliases of the index, of those that the key may call; absent where it has none. */
  readonly aliases?: readonly string[] | undefined;
  readonly backend: {
    /** Share of the server's memory budget in use, 0 to 100. */
    readonly memoryUsedPercentage: number | null;
    /** Share of the data directory's disk in use, 0 to 100. */
    readonly storageUsedPercentage: number | null;
    /** The numbers that the model of this index is computed in, while it is loaded. */
    readonly precision?: "f32" | "bf16" | "int8" | "f16" | undefined;
    /** Memory that this index holds. */
    readonly memoryBytes?: number | undefined;
    /** The same by what it is for, in bytes. */
    readonly memory?: {
      /** Vectors, their codes and graphs. */
      readonly vectors: number;
      /** Values that filters and score modifiers read. */
      readonly columns: number;
      /** Words that are not in files yet. */
      readonly lexical: number;
      /** Documents that passed the filters asked for lately. */
      readonly filters: number;
      /** Queries that are suggested. */
      readonly suggestions: number;
      /** Cached pages of the documents' file. */
      readonly documents: number;
    } | undefined;
  };
  readonly telemetry?: Telemetry | undefined;
}

export type InterpolationMethod = "lerp" | "nlerp" | "slerp";

/** Two ways to search, to compare by the judgements of the set. */
export interface JudgedConfiguration {
  /** A name of 1 to 100 characters, which no other configuration of the set has. */
  readonly name: string;
  /** Hits of each search. Default 20. */
  readonly limit?: number | undefined;
  readonly first: JudgedWay;
  readonly second: JudgedWay;
}

export interface JudgedQuery {
  /** The query, of 1 to 2048 characters, which no other one of the set has. */
  readonly q: string;
  /** Grades by the ids of documents: 0 does not answer the query, 1 does so in part, 2 well, 3 as well as can be. */
  readonly judgements: {
    readonly [name: string]: number;
  };
}

/** One way to search. */
export interface JudgedWay {
  /** The index that is searched, which need not be there. */
  readonly index: string;
  /**
   * Members of a search but its query and page, of at most 16,384 characters as JSON. None that is a secret:
   * `modelAuth`, `mediaDownloadHeaders`, `imageDownloadHeaders`.
   */
  readonly search: {
    readonly [name: string]: unknown;
  };
}

/** Queries with the judgement of people on documents that searches may find, and searches to compare by it. */
export interface JudgementSet {
  readonly setName: string;
  /** 1 at first; each change is one more. */
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
  readonly queries: readonly JudgedQuery[];
  /** Searches to compare by the set, as they were stored. */
  readonly configurations: readonly JudgedConfiguration[];
  readonly telemetry?: Telemetry | undefined;
}

export interface JudgementSetList {
  readonly results: readonly JudgementSetSummary[];
  readonly telemetry?: Telemetry | undefined;
}

/** The content of a set, in place of what it has. */
export interface JudgementSetRequest {
  /** With at most 40,000 grades together. */
  readonly queries: readonly JudgedQuery[];
  /** Searches to compare by the set, in place of those that are stored. These stay when null. Default null. */
  readonly configurations?: readonly JudgedConfiguration[] | null | undefined;
  /**
   * The version that is replaced, 0 for a set that is not there; another one answers 412. Any when null. Default
   * null.
   */
  readonly version?: number | null | undefined;
}

export interface JudgementSetSummary {
  readonly setName: string;
  /** 1 at first; each change is one more. 0 of one that cannot be read. */
  readonly version: number;
  /** ISO 8601, UTC; null of one that cannot be read. */
  readonly updatedAt: string | null;
  readonly queryCount: number;
  /** Grades of all its queries. */
  readonly judgementCount: number;
  /** Pairs of searches that are stored to be compared. */
  readonly configurationCount: number;
  /** The reason that the set cannot be read; absent where it can. */
  readonly fault?: string | undefined;
  readonly telemetry?: Telemetry | undefined;
}

/**
 * Ranks the first hits anew by late interaction, as ColBERT does: the score is the sum, over the vectors of the
 * query, of the greatest inner product with any vector of the document, all of length 1. Not with sortBy,
 * textRanking, diversity, rerank nor reRanker.
 */
export interface LateInteraction {
  /** A field of the type multi_vector. */
  readonly fieldName: string;
  /** A text, of which the model of the field makes the vectors; in place of `vectors`. */
  readonly text?: string | null | undefined;
  /**
   * Unless there is a `text`. The vectors of the query, 256 at most, each with as many numbers as those of the
   * field.
   */
  readonly vectors?: readonly (readonly number[])[] | undefined;
  /** The first so many hits are ranked anew, on whichever pages they are, 100 when absent; the others follow. */
  readonly candidates?: number | null | undefined;
}

/**
 * How words of the query are shown in the texts of hits; `true` in its place means all defaults. A text is cut
 * where words end and otherwise stays as it was sent: nothing in it is escaped. In each text the first 100000
 * bytes are looked at.
 */
export interface LexicalHighlights {
  /** Fields among those whose words are searched, all of them when absent. */
  readonly fields?: readonly string[] | null | undefined;
  /** Characters of a fragment besides tags, 150 when absent; only a word that is longer makes one longer. */
  readonly fragmentSize?: number | null | undefined;
  /**
   * Most fragments of a field, 1 when absent: those of the most different words of the query first. 0 for the
   * texts as they are, each in which one stands.
   */
  readonly numberOfFragments?: number | null | undefined;
  /** Before each word, at most 100 characters; `<em>` when absent. */
  readonly preTag?: string | null | undefined;
  /** Behind each word, at most 100 characters; `</em>` when absent. */
  readonly postTag?: string | null | undefined;
}

export type LexicalOperand = "or" | "and" | "weakAnd";

export interface LogLines {
  /** The least severe level that is written, and kept; `silent` for none. */
  readonly logLevel: string;
  /** The newest first. */
  readonly lines: readonly ({
    /** 1 for the first line since the start; each is one more. */
    readonly number: number;
    /** ISO 8601, UTC. */
    readonly at: string;
    readonly level: "trace" | "debug" | "info" | "warn" | "error" | "fatal";
    /** The text of the line, cut after 2,000 characters. */
    readonly message: string;
    /** `x-request-id` of the answer that the line is about; null of others. */
    readonly requestId: string | null;
    /** The other members of the line; none of a line of more than 8,192 characters. */
    readonly fields: {
      readonly [name: string]: unknown;
    };
  })[];
  readonly telemetry?: Telemetry | undefined;
}

export type MissingPlace = "first" | "last";

/**
 * Credentials for downloading a model that is not public, or for asking the service that computes it; exactly one
 * member.
 */
export interface ModelAuth {
  readonly s3?: {
    readonly aws_access_key_id: string;
    readonly aws_secret_access_key: string;
    readonly aws_session_token?: string | null | undefined;
  } | null | undefined;
  readonly hf?: {
    readonly token: string;
  } | null | undefined;
  readonly service?: {
    /** Sent to the service as a bearer token. */
    readonly key: string;
  } | null | undefined;
}

export interface MultiSearchError {
  readonly message: string;
  /** Stable name of the error; see the error catalogue. */
  readonly code: string;
  readonly type: string;
  readonly link: string | null;
  /** With code `unprocessable_entity` every problem, each with `loc`, `msg` and `type`. */
  readonly detail?: unknown | undefined;
  readonly [name: string]: unknown;
}

/** A search, as its index takes it alone, and the name of that index. */
export interface MultiSearchQuery {
  /** The index to search. */
  readonly indexName: string;
  /**
   * A text, weighted texts, or a vector of one's own. A text has at most 1048576 characters unless it is a data
   * URI. A data URI or URL of a picture, film or sound that the index and its model take stands for what it shows
   * and has no words: the lexical leg of a HYBRID search finds nothing for it, and a LEXICAL search answers no
   * hits. The bytes of a URL without the ending of one tell its kind, but a LEXICAL search does not fetch them:
   * its letters are the words.
   */
  readonly q?: Query | undefined;
  /**
   * Adds a cursor for the next page to the answer, false when absent. All hits are then ranked at once, up to
   * 100000, so that the pages skip and repeat nothing whatever is written meanwhile. Not with an offset.
   */
  readonly withCursor?: boolean | null | undefined;
  /**
   * The cursor of the page before, in place of a query: the next page of the search that began with `withCursor`.
   * Besides it a body has at most a `limit`, which is that of the first page when absent. Bounded in age and room
   * as a scan is, and then answered 410.
   */
  readonly cursor?: string | null | undefined;
  /** Default true. */
  readonly showHighlights?: boolean | undefined;
  /** The older name of showHighlights: where either is false there are none. */
  readonly highlight?: boolean | null | undefined;
  /**
   * Adds `_lexicalHighlights` to each hit: the parts of its texts in which words of the query stand. Not with
   * TENSOR, nor with `withCursor`; none when absent.
   */
  readonly lexicalHighlights?: boolean | LexicalHighlights | null | undefined;
  /** Default "TENSOR". */
  readonly searchMethod?: SearchMethod | null | undefined;
  readonly hybridParameters?: HybridParameters | null | undefined;
  /** Instead of the index's prefix, for this call. */
  readonly textQueryPrefix?: string | null | undefined;
  readonly context?: SearchContext | null | undefined;
  readonly modelAuth?: OptionalModelAuth | undefined;
  readonly imageDownloadHeaders?: Headers | undefined;
  readonly mediaDownloadHeaders?: Headers | undefined;
  /**
   * `owl/ViT-B/32`, `owl/ViT-B/16` or `owl/ViT-L/14`: the hits of the page are ranked anew by how surely `q`, a
   * text, is found in the pictures that the first of searchableAttributes names. Hits without that field are left
   * out, and highlights are the place in the picture, in pixels. Answers 400 when the operator has no such model,
   * or a picture cannot be had.
   */
  readonly reRanker?: unknown | undefined;
  /**
   * By the name of a tensor field what becomes of the score of its vectors, before the best of a document counts:
   * `weight * score + bias`. With TENSOR only, 400 otherwise. A form of older versions.
   */
  readonly boost?: {
    readonly [name: string]: unknown;
  } | null | undefined;
  readonly facets?: Facets | null | undefined;
  /** Adds totalHits to the answer; when absent it has them with HYBRID. */
  readonly trackTotalHits?: boolean | null | undefined;
  /**
   * Tag of the language of the words that are searched, such as `de`; an unknown one means English. When absent
   * they are looked for in every language that the texts are in.
   */
  readonly language?: string | null | undefined;
  /**
   * By the name of a field its weight, 0.001 to 1000, which multiplies what the words in it add to a score; 1 for
   * fields that are not named. Which documents match stays the same. Not with TENSOR.
   */
  readonly fieldWeights?: {
    readonly [name: string]: number;
  } | null | undefined;
  /**
   * Words that are left out of the query, unless nothing else is left of it: the function words of its language
   * with `auto`, those of a language by its tag, or the words of a list; none when absent. Those in quotes stay,
   * and so does the last word where `prefix` makes it a beginning. Not with TENSOR.
   */
  readonly stopWords?: StopWordsOf | StopWordList | null | undefined;
  /**
   * Ranks the best hits of the words anew by their texts: how exactly and how near to each other words stand, and
   * in which fields. False when absent, `true` means all defaults. Where words find and rank. Not with TENSOR,
   * nor with sortBy.
   */
  readonly textRanking?: boolean | TextRanking | null | undefined;
  /**
   * The words of the query that also match every word that they begin: the last, all or none, which is so when
   * absent; or by the name of a field, none in the others. Quoted phrases match themselves alone. Not with
   * TENSOR.
   */
  readonly prefix?: PrefixWords | PrefixWordsByField | null | undefined;
  /**
   * Words of the query also match words that differ by a typo or two, false when absent; `true` means all
   * defaults. Quoted phrases and words with a digit match themselves alone. Not with TENSOR.
   */
  readonly typoTolerance?: boolean | TypoTolerance | null | undefined;
  /**
   * Words of the query also match themselves in two parts that stand side by side, and two neighbours match the
   * one word that they make: `wifi` and `Wi-Fi`, `3.5 mm` and `3.5mm`. False when absent. Quoted phrases match
   * themselves alone. Not with TENSOR.
   */
  readonly splitJoinTokens?: boolean | null | undefined;
  /**
   * Words of the query also match longer words that they end, as `Schuhe` does `Herrenschuhe`, in texts in
   * German, Dutch, Danish, Norwegian, Swedish, Finnish and Hungarian, or in all where `language` is one of these.
   * False when absent. Quoted phrases match themselves alone. Not with TENSOR.
   */
  readonly decompound?: boolean | null | undefined;
  /**
   * Moves of words by which a quoted phrase may differ from its words side by side: 1 lets one word stand between
   * two, 2 also lets two neighbours change places. 0 when absent. Not with TENSOR.
   */
  readonly phraseSlop?: number | null | undefined;
  /**
   * Adds `didYouMean` to the answer where words of the query are in no document, or in far fewer than a word that
   * differs by one typo: the query with the near words in their place. False when absent. Not with TENSOR, nor
   * with `withCursor`.
   */
  readonly didYouMean?: boolean | null | undefined;
  readonly sparseQuery?: SparseQuery | null | undefined;
  readonly relevanceCutoff?: RelevanceCutoff | null | undefined;
  readonly lateInteraction?: LateInteraction | null | undefined;
  readonly diversity?: Diversity | null | undefined;
  readonly rerank?: Rerank | null | undefined;
  /** Exactly one. */
  readonly collapseFields?: readonly SearchCollapse[] | null | undefined;
  /**
   * Documents that stand at places of their own among the hits, whatever the query, as far as they are there and
   * pass the filter. Those of one position follow each other in the order of the list. No document twice; not
   * with reRanker.
   */
  readonly pinned?: readonly PinnedDocument[] | null | undefined;
  /** Ids of documents that are no hits and are not counted, even where they are pinned. */
  readonly hidden?: readonly string[] | null | undefined;
  /** Follows the rules, synonyms and search defaults of the index, true when absent. */
  readonly rules?: boolean | null | undefined;
  readonly recencyParameters?: RecencyParameters | null | undefined;
  readonly distanceParameters?: DistanceParameters | null | undefined;
  /** Distances that each hit tells in `_distances`, of different fields. */
  readonly distances?: readonly ({
    /** A field of geo points. */
    readonly fieldName: string;
    readonly from: GeoPoint;
  })[] | null | undefined;
  /**
   * Terms `field:value`, `field:start*`, `field:[lower TO upper]`, `field >= limit`, `field IN (value, value)`,
   * `field CONTAINS words`, `field WITHIN (lat, lon, 10km)` and `field EXISTS`, joined by AND, OR and NOT, which
   * binds tightest. The search of an index says what values and limits mean.
   */
  readonly filter?: string | null | undefined;
  /** Hits to return, 1 to 1000. Default 10. */
  readonly limit?: number | undefined;
  /** Hits to skip, 0 to 10000. Default 0. */
  readonly offset?: number | undefined;
  readonly sortBy?: SortBy | null | undefined;
  /** Fields to search, all when absent. */
  readonly searchableAttributes?: readonly string[] | null | undefined;
  /** Fields to return, all when absent. */
  readonly attributesToRetrieve?: readonly string[] | null | undefined;
  /** Adds an `_explanation` of its score to each hit, false when absent; not with `withCursor`. */
  readonly explain?: boolean | null | undefined;
  /**
   * Most candidates the graph search keeps, 2000 unless the operator says otherwise; where limit and offset need
   * more it is raised to them.
   */
  readonly efSearch?: number | null | undefined;
  /** Allows the use of the graph, true when absent. */
  readonly approximate?: boolean | null | undefined;
  /** Share of documents passing the filter below which the search is exact, 0 to 1. */
  readonly approximateThreshold?: number | null | undefined;
  /**
   * How several query vectors become one; when absent lerp, or where the index normalizes its vectors slerp with
   * documents and nlerp without.
   */
  readonly interpolationMethod?: InterpolationMethod | null | undefined;
  readonly scoreModifiers?: ScoreModifiers | null | undefined;
  /**
   * Hits that scoreModifiers of a HYBRID search change, all when absent; for TENSOR the nearest documents that
   * they change, or count, 1000 when absent. Where both are given, recencyParameters of a HYBRID search age those
   * hits alone, too. Not negative.
   */
  readonly rerankDepth?: number | null | undefined;
}

/** Searches to run, and the index of each. */
export interface MultiSearchRequest {
  readonly queries: readonly MultiSearchQuery[];
}

/** The results of several searches. */
export interface MultiSearchResponse {
  /** One for each query, in their order. */
  readonly results: readonly MultiSearchResult[];
  /** Tells whether a search failed. */
  readonly errors: boolean;
  readonly processingTimeMs: number;
  readonly telemetry?: Telemetry | undefined;
}

/** The answer of one search among several, or its error. */
export interface MultiSearchResult {
  readonly indexName: string;
  /** The status that the search alone would be answered with: 200 with a response, another with an error. */
  readonly status: number;
  readonly response?: SearchResponse | undefined;
  /** The body that the search alone would be answered with. */
  readonly error?: MultiSearchError | undefined;
}

export type OptionalModelAuth = ModelAuth | null;

export type PatchMethod = "simple" | "frcnn" | "dino-v1" | "dino-v2" | "marqo-yolo";

export type PicturePlace = readonly number[];

export interface PinnedDocument {
  readonly _id: string;
  /** Its place, 1 being the first hit of the first page. */
  readonly position: number;
}

export type PrefixWords = "last" | "all" | "none";

export interface PrefixWordsByField {
  readonly [name: string]: "last" | "all" | "none";
}

export type Query = string | CustomVectorQuery | WeightedTexts | null;

export type QueryMatch = "equals" | "contains" | "beginsWith";

export interface Queues {
  /** Requests that count toward a limit of how many run at once. */
  readonly requests: readonly ({
    readonly load: "search" | "add" | "update";
    readonly underWay: number;
    /** Beyond so many, requests are answered 429. */
    readonly max: number;
  })[];
  /** The programs that run models. */
  readonly models: readonly ({
    readonly device: string;
    readonly encoder: string;
    /** Texts and pictures that wait for their vectors. */
    readonly waiting: number;
  })[];
  /** Indexes with work left to do, among the first 200 by name; none of a cluster. */
  readonly indexes: readonly ({
    readonly indexName: string;
    /** Writes that wait for the writer of the index. */
    readonly queuedWrites: number;
    /** Vectors that wait to be linked, and that searches scan meanwhile. */
    readonly unlinkedVectors: number;
    /** Vectors that were linked in haste, and wait to be linked better. */
    readonly vectorsToRelink: number;
    /** Documents whose words are in memory alone. */
    readonly unflushedDocuments: number;
  })[];
  /** Backups under way. */
  readonly backups: readonly ({
    readonly work: "creation" | "verification" | "restore";
    readonly backupId: string;
    /** The name that a restored index gets; null of other work. */
    readonly indexName: string | null;
    /** Bytes so far. */
    readonly bytes: number;
    /** Null where that is not known. */
    readonly bytesOfAll: number | null;
  })[];
  /** Indexes of the hosted form that are being made or changed; absent otherwise. */
  readonly hostedIndexes?: readonly ({
    readonly indexName: string;
    readonly state: string;
  })[] | undefined;
  /** Events of shoppers that wait to be stored; absent but in the hosted form. */
  readonly eventsWaiting?: number | undefined;
  readonly telemetry?: Telemetry | undefined;
}

export type RankingMethod = "rrf" | "tensor" | "lexical";

export type RecencyFunction = "exponential" | "linear" | "gaussian" | "binary";

/**
 * Scores fall with the age of documents, which are those of HYBRID searches of unstructured indexes. With
 * retrievalMethod and rankingMethod tensor or lexical, all has recency change scores twice.
 */
export interface RecencyParameters {
  /** A field with Unix times in seconds, or texts that are dates, or an entry of a map as map.key. */
  readonly recencyField: string;
  /** Days or hours after which recency is decayTo, more than 0; 7d when absent. */
  readonly scale?: string | null | undefined;
  /** Days or hours in which recency is 1; 0d when absent. */
  readonly offset?: string | null | undefined;
  /** How recency falls over its scale; exponential when absent. */
  readonly decayFunction?: RecencyFunction | null | undefined;
  /** Recency after offset and scale, and of documents without a time: more than 0, at most 1; 0.5 when absent. */
  readonly decayTo?: number | null | undefined;
  /** The scores to change: those of the legs, those that they end in, or all; all when absent. */
  readonly applyInRankingPhase?: RecencyPhase | null | undefined;
  /** More than 0: recency times this is added, in place of multiplying by it. */
  readonly addToScoreWeight?: number | null | undefined;
  /** Unix time that ages are counted from, at least 0; 0, as null, is now. */
  readonly center?: number | null | undefined;
  /** Legs of a disjunction whose scores it changes; both when absent. */
  readonly applyToSubqueries?: readonly ("tensor" | "lexical")[] | null | undefined;
  /** Recency far in the future, more than 0, at most 1. All four grow members, or none. */
  readonly growFrom?: number | null | undefined;
  readonly growFunction?: RecencyFunction | null | undefined;
  readonly growScale?: string | null | undefined;
  readonly growOffset?: string | null | undefined;
}

export type RecencyPhase = "all" | "only-global" | "exclude-global";

/**
 * Leaves out what is not relevant, for HYBRID searches of unstructured indexes. A lexical search of its own, the
 * probe, by BM25 alone, tells how many documents are relevant; each leg gives no more than so many. A query whose
 * words match nothing has no hits.
 */
export interface RelevanceCutoff {
  readonly method: "relative_max_score" | "gap_detection" | "mean_std_dev";
  readonly parameters?: {
    /** With relative_max_score, and only then: scores of at least the best times this are relevant, 0 to 1. */
    readonly relativeScoreFactor?: number | null | undefined;
    /** With mean_std_dev, and only then: those of at least the mean plus this times the standard deviation. */
    readonly stdDevFactor?: number | null | undefined;
  } | null | undefined;
  /** Documents of the probe; 1000 when absent. */
  readonly probeDepth?: number | null | undefined;
  /** Counts in facets and totalHits only what the cut-off leaves, not all that was found. */
  readonly affectFacets?: boolean | null | undefined;
  /** Sorts no more than the relevant documents, or minSortCandidates. */
  readonly overrideSortCandidatesWithRelevantCandidates?: boolean | null | undefined;
  /** How many words a document of the probe must hold. */
  readonly lexicalOperand?: LexicalOperand | null | undefined;
  /** Which legs of a disjunction give no more; both when absent, lexical is not supported. */
  readonly applyInRetrieval?: CutoffLegs | null | undefined;
  /** Makes totalHits the number of hits that the cut-off leaves; facets still count all. */
  readonly overrideTotalHitsWithPostProcessCandidates?: boolean | null | undefined;
  /** Accepted: all relevant documents are ranked at any limit. */
  readonly overrideLimitPlusOffset?: boolean | null | undefined;
}

/**
 * Ranks the first hits anew by a cross-encoder, a model that reads the query and the texts of a hit together. Not
 * with reRanker, diversity, sortBy nor withCursor.
 */
export interface Rerank {
  /** Name of a cross-encoder. */
  readonly model: string;
  /** Fields whose texts are read, one behind the other. */
  readonly fields: readonly string[];
  /** The text that is read with those of each hit; when absent `q`, the content of a vector, or queryLexical. */
  readonly query?: string | null | undefined;
  /** The first so many hits are ranked anew, on whichever pages they are, 100 when absent; the others follow. */
  readonly depth?: number | null | undefined;
}

export type RetrievalMethod = "disjunction" | "tensor" | "lexical";

/** The documents to read. A cursor stands for the rest of a scan, whose other members were given when it began. */
export interface ScanRequest {
  /** The cursor of the page before; absent for a new scan. */
  readonly cursor?: string | null | undefined;
  /** Most documents of this page; 1000 when absent. */
  readonly limit?: number | null | undefined;
  /** A filter expression; every document when absent. */
  readonly filter?: string | null | undefined;
  /** Fields to return, all when absent. */
  readonly attributesToRetrieve?: readonly string[] | null | undefined;
  /** Adds `_tensor_facets` to each document, false when absent. */
  readonly exposeFacets?: boolean | null | undefined;
  /**
   * Adds `_tensors` to each document, false when absent. The documents of a page can be added to an index of the
   * same settings as they are, with `useGivenTensors`.
   */
  readonly exposeTensors?: boolean | null | undefined;
}

export interface ScanResponse {
  readonly documents: readonly StoredDocument[];
  /** The cursor of the next page; null after the last. */
  readonly cursor: string | null;
  readonly telemetry?: Telemetry | undefined;
}

export type ScoreModifierList = readonly ({
  /** A field of numbers, or an entry of a map as map.key. */
  readonly field_name: string;
  /** May be negative; 1 when absent. */
  readonly weight?: number | undefined;
})[] | null;

/**
 * Fields that change scores. A score is multiplied by the product of weight and value over the fields to multiply
 * by that a document has; then weight times value of each field to add is added. A final score is shown as at
 * least 0 and ranks by what it is. Fused scores of an unstructured index are changed by scores of the hit too:
 * the field `marqo__score_bm25_field_NAME` is its BM25 in a field,
 * `marqo__score_closeness_retrieval_vector_field_NAME` its closeness, with `_sum`, `_max` or `_avg` in place of
 * `_field_NAME` those of all fields, each divided by the highest among the hits. An error in it answers 400, not
 * 422.
 */
export interface ScoreModifiers {
  readonly multiply_score_by?: ScoreModifierList | undefined;
  readonly add_to_score?: ScoreModifierList | undefined;
}

/** Hits with the same text in a collapse field of the index are one. Only with HYBRID. */
export interface SearchCollapse {
  /** The collapse field. */
  readonly name: string;
  /**
   * Adds `_groupCount` to each hit: how many documents of its group the search found, itself counted. False when
   * absent.
   */
  readonly groupCount?: boolean | null | undefined;
  /**
   * Documents that a group shows, the hit among them: the others stand in its `_groupHits`, best first. 1 when
   * absent.
   */
  readonly groupLimit?: number | null | undefined;
  readonly sortBy?: CollapseSort | null | undefined;
}

/**
 * Vectors that join the query's own: given, or those of stored documents. A text as the query counts with weight
 * 1. An error in it answers 400, not 422.
 */
export interface SearchContext {
  readonly tensor?: readonly ({
    readonly vector: Vector;
    readonly weight: number;
    readonly [name: string]: unknown;
  })[] | null | undefined;
  readonly documents?: {
    /** Weight by id; required. All vectors of a document have its weight. */
    readonly ids?: {
      readonly [name: string]: number;
    } | null | undefined;
    readonly parameters?: ContextDocumentsParameters | undefined;
    readonly [name: string]: unknown;
  } | null | undefined;
  readonly [name: string]: unknown;
}

/** Members that searches of an index have where they leave them out, as a search takes them. */
export interface SearchDefaults {
  /** Count in searches by HYBRID that fuse both legs, each member by itself. */
  readonly hybridParameters?: DefaultHybridParameters | null | undefined;
  /**
   * Tag of the language of the words that are searched, such as `de`; an unknown one means English. When absent
   * they are looked for in every language that the texts are in.
   */
  readonly language?: string | null | undefined;
  /**
   * By the name of a field its weight, 0.001 to 1000, which multiplies what the words in it add to a score; 1 for
   * fields that are not named. Which documents match stays the same. Not with TENSOR.
   */
  readonly fieldWeights?: {
    readonly [name: string]: number;
  } | null | undefined;
  /**
   * Words that are left out of the query, unless nothing else is left of it: the function words of its language
   * with `auto`, those of a language by its tag, or the words of a list; none when absent. Those in quotes stay,
   * and so does the last word where `prefix` makes it a beginning. Not with TENSOR.
   */
  readonly stopWords?: StopWordsOf | StopWordList | null | undefined;
  /**
   * Ranks the best hits of the words anew by their texts: how exactly and how near to each other words stand, and
   * in which fields. False when absent, `true` means all defaults. Where words find and rank. Not with TENSOR,
   * nor with sortBy.
   */
  readonly textRanking?: boolean | TextRanking | null | undefined;
  /**
   * The words of the query that also match every word that they begin: the last, all or none, which is so when
   * absent; or by the name of a field, none in the others. Quoted phrases match themselves alone. Not with
   * TENSOR.
   */
  readonly prefix?: PrefixWords | PrefixWordsByField | null | undefined;
  /**
   * Words of the query also match words that differ by a typo or two, false when absent; `true` means all
   * defaults. Quoted phrases and words with a digit match themselves alone. Not with TENSOR.
   */
  readonly typoTolerance?: boolean | TypoTolerance | null | undefined;
  /**
   * Words of the query also match themselves in two parts that stand side by side, and two neighbours match the
   * one word that they make: `wifi` and `Wi-Fi`, `3.5 mm` and `3.5mm`. False when absent. Quoted phrases match
   * themselves alone. Not with TENSOR.
   */
  readonly splitJoinTokens?: boolean | null | undefined;
  /**
   * Words of the query also match longer words that they end, as `Schuhe` does `Herrenschuhe`, in texts in
   * German, Dutch, Danish, Norwegian, Swedish, Finnish and Hungarian, or in all where `language` is one of these.
   * False when absent. Quoted phrases match themselves alone. Not with TENSOR.
   */
  readonly decompound?: boolean | null | undefined;
  /**
   * Moves of words by which a quoted phrase may differ from its words side by side: 1 lets one word stand between
   * two, 2 also lets two neighbours change places. 0 when absent. Not with TENSOR.
   */
  readonly phraseSlop?: number | null | undefined;
  /**
   * Adds `didYouMean` to the answer where words of the query are in no document, or in far fewer than a word that
   * differs by one typo: the query with the near words in their place. False when absent. Not with TENSOR, nor
   * with `withCursor`.
   */
  readonly didYouMean?: boolean | null | undefined;
}

export type SearchMethod = "TENSOR" | "LEXICAL" | "HYBRID";

/** A query, and how to search for it. */
export interface SearchRequest {
  /**
   * A text, weighted texts, or a vector of one's own. A text has at most 1048576 characters unless it is a data
   * URI. A data URI or URL of a picture, film or sound that the index and its model take stands for what it shows
   * and has no words: the lexical leg of a HYBRID search finds nothing for it, and a LEXICAL search answers no
   * hits. The bytes of a URL without the ending of one tell its kind, but a LEXICAL search does not fetch them:
   * its letters are the words.
   */
  readonly q?: Query | undefined;
  /**
   * Adds a cursor for the next page to the answer, false when absent. All hits are then ranked at once, up to
   * 100000, so that the pages skip and repeat nothing whatever is written meanwhile. Not with an offset.
   */
  readonly withCursor?: boolean | null | undefined;
  /**
   * The cursor of the page before, in place of a query: the next page of the search that began with `withCursor`.
   * Besides it a body has at most a `limit`, which is that of the first page when absent. Bounded in age and room
   * as a scan is, and then answered 410.
   */
  readonly cursor?: string | null | undefined;
  /** Default true. */
  readonly showHighlights?: boolean | undefined;
  /** The older name of showHighlights: where either is false there are none. */
  readonly highlight?: boolean | null | undefined;
  /**
   * Adds `_lexicalHighlights` to each hit: the parts of its texts in which words of the query stand. Not with
   * TENSOR, nor with `withCursor`; none when absent.
   */
  readonly lexicalHighlights?: boolean | LexicalHighlights | null | undefined;
  /** Default "TENSOR". */
  readonly searchMethod?: SearchMethod | null | undefined;
  readonly hybridParameters?: HybridParameters | null | undefined;
  /** Instead of the index's prefix, for this call. */
  readonly textQueryPrefix?: string | null | undefined;
  readonly context?: SearchContext | null | undefined;
  readonly modelAuth?: OptionalModelAuth | undefined;
  readonly imageDownloadHeaders?: Headers | undefined;
  readonly mediaDownloadHeaders?: Headers | undefined;
  /**
   * `owl/ViT-B/32`, `owl/ViT-B/16` or `owl/ViT-L/14`: the hits of the page are ranked anew by how surely `q`, a
   * text, is found in the pictures that the first of searchableAttributes names. Hits without that field are left
   * out, and highlights are the place in the picture, in pixels. Answers 400 when the operator has no such model,
   * or a picture cannot be had.
   */
  readonly reRanker?: unknown | undefined;
  /**
   * By the name of a tensor field what becomes of the score of its vectors, before the best of a document counts:
   * `weight * score + bias`. With TENSOR only, 400 otherwise. A form of older versions.
   */
  readonly boost?: {
    readonly [name: string]: unknown;
  } | null | undefined;
  readonly facets?: Facets | null | undefined;
  /** Adds totalHits to the answer; when absent it has them with HYBRID. */
  readonly trackTotalHits?: boolean | null | undefined;
  /**
   * Tag of the language of the words that are searched, such as `de`; an unknown one means English. When absent
   * they are looked for in every language that the texts are in.
   */
  readonly language?: string | null | undefined;
  /**
   * By the name of a field its weight, 0.001 to 1000, which multiplies what the words in it add to a score; 1 for
   * fields that are not named. Which documents match stays the same. Not with TENSOR.
   */
  readonly fieldWeights?: {
    readonly [name: string]: number;
  } | null | undefined;
  /**
   * Words that are left out of the query, unless nothing else is left of it: the function words of its language
   * with `auto`, those of a language by its tag, or the words of a list; none when absent. Those in quotes stay,
   * and so does the last word where `prefix` makes it a beginning. Not with TENSOR.
   */
  readonly stopWords?: StopWordsOf | StopWordList | null | undefined;
  /**
   * Ranks the best hits of the words anew by their texts: how exactly and how near to each other words stand, and
   * in which fields. False when absent, `true` means all defaults. Where words find and rank. Not with TENSOR,
   * nor with sortBy.
   */
  readonly textRanking?: boolean | TextRanking | null | undefined;
  /**
   * The words of the query that also match every word that they begin: the last, all or none, which is so when
   * absent; or by the name of a field, none in the others. Quoted phrases match themselves alone. Not with
   * TENSOR.
   */
  readonly prefix?: PrefixWords | PrefixWordsByField | null | undefined;
  /**
   * Words of the query also match words that differ by a typo or two, false when absent; `true` means all
   * defaults. Quoted phrases and words with a digit match themselves alone. Not with TENSOR.
   */
  readonly typoTolerance?: boolean | TypoTolerance | null | undefined;
  /**
   * Words of the query also match themselves in two parts that stand side by side, and two neighbours match the
   * one word that they make: `wifi` and `Wi-Fi`, `3.5 mm` and `3.5mm`. False when absent. Quoted phrases match
   * themselves alone. Not with TENSOR.
   */
  readonly splitJoinTokens?: boolean | null | undefined;
  /**
   * Words of the query also match longer words that they end, as `Schuhe` does `Herrenschuhe`, in texts in
   * German, Dutch, Danish, Norwegian, Swedish, Finnish and Hungarian, or in all where `language` is one of these.
   * False when absent. Quoted phrases match themselves alone. Not with TENSOR.
   */
  readonly decompound?: boolean | null | undefined;
  /**
   * Moves of words by which a quoted phrase may differ from its words side by side: 1 lets one word stand between
   * two, 2 also lets two neighbours change places. 0 when absent. Not with TENSOR.
   */
  readonly phraseSlop?: number | null | undefined;
  /**
   * Adds `didYouMean` to the answer where words of the query are in no document, or in far fewer than a word that
   * differs by one typo: the query with the near words in their place. False when absent. Not with TENSOR, nor
   * with `withCursor`.
   */
  readonly didYouMean?: boolean | null | undefined;
  readonly sparseQuery?: SparseQuery | null | undefined;
  readonly relevanceCutoff?: RelevanceCutoff | null | undefined;
  readonly lateInteraction?: LateInteraction | null | undefined;
  readonly diversity?: Diversity | null | undefined;
  readonly rerank?: Rerank | null | undefined;
  /** Exactly one. */
  readonly collapseFields?: readonly SearchCollapse[] | null | undefined;
  /**
   * Documents that stand at places of their own among the hits, whatever the query, as far as they are there and
   * pass the filter. Those of one position follow each other in the order of the list. No document twice; not
   * with reRanker.
   */
  readonly pinned?: readonly PinnedDocument[] | null | undefined;
  /** Ids of documents that are no hits and are not counted, even where they are pinned. */
  readonly hidden?: readonly string[] | null | undefined;
  /** Follows the rules, synonyms and search defaults of the index, true when absent. */
  readonly rules?: boolean | null | undefined;
  readonly recencyParameters?: RecencyParameters | null | undefined;
  readonly distanceParameters?: DistanceParameters | null | undefined;
  /** Distances that each hit tells in `_distances`, of different fields. */
  readonly distances?: readonly ({
    /** A field of geo points. */
    readonly fieldName: string;
    readonly from: GeoPoint;
  })[] | null | undefined;
  /**
   * Terms `field:value`, `field:start*`, `field:[lower TO upper]`, `field >= limit`, `field IN (value, value)`,
   * `field CONTAINS words`, `field WITHIN (lat, lon, 10km)` and `field EXISTS`, joined by AND, OR and NOT, which
   * binds tightest. The search of an index says what values and limits mean.
   */
  readonly filter?: string | null | undefined;
  /** Hits to return, 1 to 1000. Default 10. */
  readonly limit?: number | undefined;
  /** Hits to skip, 0 to 10000. Default 0. */
  readonly offset?: number | undefined;
  readonly sortBy?: SortBy | null | undefined;
  /** Fields to search, all when absent. */
  readonly searchableAttributes?: readonly string[] | null | undefined;
  /** Fields to return, all when absent. */
  readonly attributesToRetrieve?: readonly string[] | null | undefined;
  /** Adds an `_explanation` of its score to each hit, false when absent; not with `withCursor`. */
  readonly explain?: boolean | null | undefined;
  /**
   * Most candidates the graph search keeps, 2000 unless the operator says otherwise; where limit and offset need
   * more it is raised to them.
   */
  readonly efSearch?: number | null | undefined;
  /** Allows the use of the graph, true when absent. */
  readonly approximate?: boolean | null | undefined;
  /** Share of documents passing the filter below which the search is exact, 0 to 1. */
  readonly approximateThreshold?: number | null | undefined;
  /**
   * How several query vectors become one; when absent lerp, or where the index normalizes its vectors slerp with
   * documents and nlerp without.
   */
  readonly interpolationMethod?: InterpolationMethod | null | undefined;
  readonly scoreModifiers?: ScoreModifiers | null | undefined;
  /**
   * Hits that scoreModifiers of a HYBRID search change, all when absent; for TENSOR the nearest documents that
   * they change, or count, 1000 when absent. Where both are given, recencyParameters of a HYBRID search age those
   * hits alone, too. Not negative.
   */
  readonly rerankDepth?: number | null | undefined;
}

export interface SearchResponse {
  readonly hits: readonly Hit[];
  /**
   * By field: counts by text, or of numbers their sum, avg, min, max and count, by range where ranges were asked
   * for; of dates counts by interval or range, or their min, max and count.
   */
  readonly facets?: {
    readonly [name: string]: {
      readonly [name: string]: unknown;
    };
  } | undefined;
  /**
   * Documents found, or groups of them, whichever page is shown: all that the words match and, where vectors
   * find, the nearest 60, or as many as rerankDepthTensor says, as TENSOR counts by its rerankDepth, or as are
   * ranked anew.
   */
  readonly totalHits?: number | undefined;
  /** With didYouMean: the words of the query, corrected; absent where none is to be. */
  readonly didYouMean?: string | undefined;
  /**
   * With a filter of which a term can match nothing: why, for ten terms at most. Absent where there is nothing to
   * say.
   */
  readonly warnings?: readonly string[] | undefined;
  /** The query as it was sent, with a cursor that of the first page. */
  readonly query: unknown;
  readonly limit: number;
  /** Place of the first hit. */
  readonly offset: number;
  /** With withCursor and cursor: of the next page, null after the last hit. */
  readonly cursor?: string | null | undefined;
  /** Ids of the rules of the index that it followed, where there were any. */
  readonly rules?: readonly string[] | undefined;
  /**
   * With explain: the members that it has from the search defaults of the index, such as `fieldWeights` and
   * `hybridParameters.alpha`, where there are any.
   */
  readonly searchDefaults?: readonly string[] | undefined;
  /** The address that a rule sends whoever searches to, where one does. */
  readonly redirect?: string | undefined;
  readonly processingTimeMs: number;
  /** With sortBy: the hits that were sorted for the page. */
  readonly _sortCandidates?: number | undefined;
  /** With relevanceCutoff: the documents of the probe. */
  readonly _probeCandidates?: number | undefined;
  /** With relevanceCutoff: how many of these are relevant. */
  readonly _relevantCandidates?: number | undefined;
  /** With relevanceCutoff: the hits that it leaves, on whichever page. */
  readonly _postProcessCandidates?: number | undefined;
  readonly telemetry?: Telemetry | undefined;
}

/** The searches that a rule is about, and what becomes of them. */
export interface SearchRule {
  /** A name of 1 to 128 characters, which answers tell; no two rules have one. */
  readonly id: string;
  /** All that it names must hold; of an empty one all searches. */
  readonly condition: {
    /** Words of the query. Case and surplus blanks do not matter. */
    readonly query?: string | null | undefined;
    /** The place of these in the query: all of it, some words in a row, or its first words; equals when absent. */
    readonly match?: QueryMatch | null | undefined;
    /** The filter that the search has, letter by letter. */
    readonly filter?: string | null | undefined;
    /** The moment from which the rule holds, such as `2026-12-01T00:00:00Z`. */
    readonly from?: string | null | undefined;
    /** The moment from which it holds no more. */
    readonly until?: string | null | undefined;
  };
  /** At least one. */
  readonly consequence: {
    /** Documents at places of the hits; those that a search pins itself come first. */
    readonly pinned?: readonly PinnedDocument[] | null | undefined;
    /** Ids of documents that hits leave out, besides those that the search hides itself. */
    readonly hidden?: readonly string[] | null | undefined;
    /** A filter that hits have to pass besides that of the search. Without CONTAINS. */
    readonly filter?: string | null | undefined;
    /** A query that is searched for in place of the one that was asked, which the answer repeats as it was. */
    readonly query?: string | null | undefined;
    /** An http or https URL, or a path, which the answer tells as `redirect`. */
    readonly redirect?: string | null | undefined;
  };
}

/**
 * Sorts the hits of a search of an unstructured index by fields; `_score` is then one over the place. Documents
 * equal in all of them keep the order of their relevance. All documents that match the words are sorted where
 * words alone find and rank; where vectors take part the most relevant are. Not with scoreModifiers.
 */
export interface SortBy {
  readonly fields: readonly ({
    /** A field of numbers, or an entry of a map as map.key; with `from` a field of geo points. */
    readonly fieldName: string;
    /** Numbers alone, or dates: texts that filters take as a date, and numbers as Unix times; number when absent. */
    readonly type?: SortType | null | undefined;
    /** The place by whose distance documents are sorted. */
    readonly from?: GeoPoint | null | undefined;
    /** desc when absent, with `from` asc. */
    readonly order?: SortOrder | null | undefined;
    /** Where documents without a number stand, in either order; last when absent. */
    readonly missing?: MissingPlace | null | undefined;
  })[];
  /** Only the most relevant so many are sorted, the others follow; all when absent. */
  readonly sortDepth?: number | null | undefined;
  /**
   * Documents that each leg gives to be sorted together, at least limit; when absent 1,000, or where words alone
   * find and rank all that match. All pages are cut from these; where they lie deeper the others follow, by their
   * relevance.
   */
  readonly minSortCandidates?: number | null | undefined;
}

export type SortOrder = "asc" | "desc";

export type SortType = "number" | "date";

/**
 * The distance by which vectors are near; `prenormalized-angular`, the cosine, is for vectors of unit length.
 * `prenormalized-anglar` is another spelling of `prenormalized-angular`, `cosinesimil` of `angular`, `l2` of
 * `euclidean`. The score is the dot product itself with `dotproduct`, else `1 / (1 + distance)`.
 */
export type SpaceType = "prenormalized-angular" | "prenormalized-anglar" | "angular" | "cosinesimil" | "euclidean" | "l2" | "dotproduct" | "geodegrees" | "hamming" | "l1" | "linf";

/**
 * A sparse vector in place of words, for LEXICAL searches, which have no `q` then, and for the lexical leg of
 * HYBRID ones: documents score the inner product with their vectors in a field.
 */
export interface SparseQuery {
  /** A field of sparse vectors. */
  readonly fieldName: string;
  /** A text, of which the model of the field makes the vector; in place of `indices` and `values`. */
  readonly text?: string | null | undefined;
  /** Unless there is a `text`. Integers from 0 to 4294967295, none twice; 4096 at most. */
  readonly indices?: readonly number[] | undefined;
  /** Unless there is a `text`. A weight of at least 0 for each index, in 32 bits. */
  readonly values?: readonly number[] | undefined;
}

export type StopWordList = readonly string[];

export type StopWordsOf = "none" | "auto" | "ca" | "da" | "de" | "en" | "es" | "fi" | "fr" | "ga" | "hu" | "id" | "it" | "nl" | "no" | "pl" | "pt" | "ro" | "sv" | "tr";

/**
 * Members are the document's fields; `_id` is its id, `_tensor_facets` its chunks and `_tensors` its tensors
 * where asked for.
 */
export interface StoredDocument {
  readonly _id: string;
  readonly _tensor_facets?: readonly TensorFacet[] | undefined;
  readonly _tensors?: Tensors | undefined;
  readonly [name: string]: unknown;
}

export interface Synonyms {
  /** Words that mean the same: a query that has one is also asked with the others. */
  readonly terms: readonly string[];
  /** Terms of several words are looked for as phrases, their words side by side; word by word when absent. */
  readonly phrases?: boolean | null | undefined;
  /** Only a query that has this is also asked with `terms`. */
  readonly from?: string | null | undefined;
}

/** Timings and counts of this request, present with `?telemetry=true`. Parts that measured nothing are left out. */
export interface Telemetry {
  /** Milliseconds by name; a list where a part ran several times. */
  readonly timesMs?: {
    readonly [name: string]: number | Durations;
  } | undefined;
  /**
   * Counts by name. `query_cache.hits` and `query_cache.misses`: texts of queries whose vectors were known or
   * already being computed, and those that were computed for this request.
   */
  readonly counter?: {
    readonly [name: string]: number;
  } | undefined;
}

export interface TensorFacet {
  /** Null where a scan found it damaged. */
  readonly _embedding: readonly number[] | null;
  readonly [name: string]: unknown;
}

/**
 * The tensors of a document, one entry for each of its tensor fields, exactly as they are stored. A scan with
 * `exposeTensors` gives them, an add with `useGivenTensors` takes them: chunks must be of the document's own
 * fields, and vectors of the index's dimension, finite, and of length 1 where the index normalizes. At most 1000
 * chunks a field.
 */
export type Tensors = readonly ({
  /** Name of the tensor field. */
  readonly field: string;
  /** The inputs that the vectors were made of. A structured index declares it for each field. */
  readonly kind: "text" | "custom_vector" | "multimodal_combination";
  /** Fields that a combination was made of, and their weights; of this kind alone. */
  readonly weights?: {
    readonly [name: string]: number;
  } | undefined;
  /**
   * Parts of the text in their order; of a custom vector its content; of a combination one JSON object of its
   * parts.
   */
  readonly chunks: readonly string[];
  /**
   * One vector for each chunk, one after the other: base64, padded, of 32-bit floats, least significant byte
   * first. Null where a scan found them damaged, which no add takes.
   */
  readonly vectors: string | null;
})[];

/**
 * How long texts are cut into chunks before embedding. Sentences are those of English, and end behind the full
 * stops of other scripts too; a chunk with more tokens than the model reads is cut into parts, so that the end of
 * a text is embedded.
 */
export interface TextPreprocessing {
  /** Units per chunk. Default 2. */
  readonly splitLength?: number | undefined;
  /** Units that neighbouring chunks share; less than `splitLength`. Default 0. */
  readonly splitOverlap?: number | undefined;
  /** The unit of a chunk. Default "sentence". */
  readonly splitMethod?: "character" | "word" | "sentence" | "passage" | undefined;
}

/**
 * Ranks the best hits of the words anew by their texts: a score is multiplied by 1 + exactness · e + proximity ·
 * p + fieldOrder · o, where e, p and o are signals from 0 to 1. `true` in its place means all defaults.
 */
export interface TextRanking {
  /**
   * Weight of e, which tells how many words stand as they were typed, characters, accents and case; 0.5 when
   * absent.
   */
  readonly exactness?: number | null | undefined;
  /** Weight of p, which tells how near to each other words stand in a text; 0.5 when absent. */
  readonly proximity?: number | null | undefined;
  /** Weight of o, which tells how early among `fields` those with the words are; 0.5 when absent. */
  readonly fieldOrder?: number | null | undefined;
  /** Fields, that whose words say most of a document first. Without them o is 0, and fieldOrder not allowed. */
  readonly fields?: readonly string[] | null | undefined;
  /** The first so many hits are ranked anew, on whichever pages they are, 100 when absent; the others follow. */
  readonly candidates?: number | null | undefined;
}

export type TextSegmentation = "pairs" | "words";

/**
 * The typos that words of a query may have: a character too many, too few, another one, or two neighbours
 * swapped. `true` in its place means all defaults.
 */
export interface TypoTolerance {
  /** Characters of a word from which on it may have one, 4 when absent. */
  readonly oneTypoFrom?: number | null | undefined;
  /** Characters from which on it may have two, 8 when absent; not below oneTypoFrom. */
  readonly twoTyposFrom?: number | null | undefined;
  /** By the name of a field false, where words are exact; true, which all others are, says nothing. */
  readonly fields?: {
    readonly [name: string]: boolean;
  } | null | undefined;
}

export interface UpdateDocumentsResponse {
  /** True when any document failed. */
  readonly errors: boolean;
  /** One entry per document in request order. The last of several documents with one id is listed alone. */
  readonly items: readonly UpdatedDocument[];
  readonly processingTimeMs: number;
  readonly index_name: string;
  readonly telemetry?: Telemetry | undefined;
}

export interface UpdatedDocument {
  readonly status: number;
  readonly _id: string;
  readonly message?: string | undefined;
  /** The same text as `message`. */
  readonly error?: string | undefined;
}

export interface ValidationErrorResponse {
  readonly detail: readonly ({
    /** Path to the value, starting with `body`, `query` or `path`; `__root__` stands for several members at once. */
    readonly loc: readonly (string | number)[];
    readonly msg: string;
    readonly type: string;
    readonly ctx?: {
      readonly [name: string]: unknown;
    } | undefined;
  })[];
  /** The problems in one line. */
  readonly message: string;
  readonly code: "unprocessable_entity";
  readonly type: "invalid_request";
  readonly link: string;
  /** The message once more, on the control plane. */
  readonly error?: string | undefined;
  readonly telemetry?: Telemetry | undefined;
}

/** A vector of the caller's own, of as many numbers as the model of the index has dimensions. */
export type Vector = readonly number[];

/** How films are cut into chunks, in seconds. */
export interface VideoPreprocessing {
  /** Seconds of a chunk. Default 20. */
  readonly splitLength?: number | undefined;
  /** Seconds that neighbouring chunks share, less than `splitLength`. Default 3. */
  readonly splitOverlap?: number | undefined;
}

/** Texts and their weights; weights may be negative. */
export interface WeightedTexts {
  readonly [name: string]: number;
}
