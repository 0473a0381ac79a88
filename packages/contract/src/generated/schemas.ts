// Generated from openapi/ by `npm run generate -w @pelorus/contract`. Never edited by hand.

import type { Parsed } from '../parsed.js';

/** Timings and counts of this request, present with `?telemetry=true`. Parts that measured nothing are left out. */
export const Telemetry = {
  type: "object",
  additionalProperties: false,
  properties: {
    timesMs: {
      type: "object",
      additionalProperties: {
        anyOf: [
          {
            type: "number",
          },
          {
            type: "array",
            items: {
              type: "number",
            },
          },
        ],
      },
    },
    counter: {
      type: "object",
      additionalProperties: {
        type: "integer",
      },
    },
  },
} as const;
export type Telemetry = Parsed<typeof Telemetry>;

export const AcceptedEvents = {
  type: "object",
  required: ["errors", "receivedEvents", "acceptedEvents", "duplicateEvents", "items", "processingTimeMs"],
  additionalProperties: false,
  properties: {
    errors: {
      type: "boolean",
    },
    receivedEvents: {
      type: "integer",
    },
    acceptedEvents: {
      type: "integer",
    },
    duplicateEvents: {
      type: "integer",
    },
    items: {
      type: "array",
      items: {
        type: "object",
        required: ["index", "status", "code", "message"],
        additionalProperties: false,
        properties: {
          index: {
            type: "integer",
          },
          status: {
            type: "integer",
          },
          code: {
            type: "string",
          },
          message: {
            type: "string",
          },
        },
      },
    },
    processingTimeMs: {
      type: "number",
    },
    telemetry: Telemetry,
  },
} as const;
export type AcceptedEvents = Parsed<typeof AcceptedEvents>;

/** Header names and values for fetching media. */
export const Headers = {
  anyOf: [
    {
      type: "object",
      maxProperties: 100,
      additionalProperties: {
        type: "string",
      },
    },
    {
      type: "null",
    },
  ],
} as const;
export type Headers = Parsed<typeof Headers>;

/** Credentials for downloading a model that is not public, or for asking the service that computes it; exactly one member. */
export const ModelAuth = {
  type: "object",
  additionalProperties: false,
  "x-hidden-names": true,
  properties: {
    s3: {
      anyOf: [
        {
          type: "object",
          required: ["aws_access_key_id", "aws_secret_access_key"],
          additionalProperties: false,
          "x-hidden-names": true,
          properties: {
            aws_access_key_id: {
              type: "string",
            },
            aws_secret_access_key: {
              type: "string",
            },
            aws_session_token: {
              type: ["string", "null"],
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    hf: {
      anyOf: [
        {
          type: "object",
          required: ["token"],
          additionalProperties: false,
          "x-hidden-names": true,
          properties: {
            token: {
              type: "string",
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    service: {
      anyOf: [
        {
          type: "object",
          required: ["key"],
          additionalProperties: false,
          "x-hidden-names": true,
          properties: {
            key: {
              type: "string",
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
  },
} as const;
export type ModelAuth = Parsed<typeof ModelAuth>;

export const OptionalModelAuth = {
  anyOf: [
    ModelAuth,
    {
      type: "null",
    },
  ],
} as const;
export type OptionalModelAuth = Parsed<typeof OptionalModelAuth>;

/** The documents and how to turn them into vectors. */
export const AddDocumentsRequest = {
  type: "object",
  required: ["documents"],
  additionalProperties: false,
  properties: {
    documents: {
      type: "array",
      items: {},
      "x-error-kind": "sequence",
    },
    tensorFields: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {},
        },
        {
          type: "null",
        },
      ],
    },
    useExistingTensors: {
      type: "boolean",
      default: false,
    },
    useGivenTensors: {
      type: "boolean",
      default: false,
    },
    imageDownloadHeaders: Headers,
    image_download_headers: Headers,
    mediaDownloadHeaders: Headers,
    media_download_headers: Headers,
    mappings: {
      anyOf: [
        {
          type: "object",
          maxProperties: 1000,
        },
        {
          type: "null",
        },
      ],
    },
    modelAuth: OptionalModelAuth,
    textChunkPrefix: {
      type: ["string", "null"],
    },
    imageDownloadThreadCount: {
      type: "integer",
      exclusiveMinimum: 0,
    },
    mediaDownloadThreadCount: {
      type: ["integer", "null"],
      exclusiveMinimum: 0,
    },
    clientBatchSize: {
      type: ["integer", "null"],
      exclusiveMinimum: 0,
    },
  },
} as const;
export type AddDocumentsRequest = Parsed<typeof AddDocumentsRequest>;

export const AddDocumentsResponse = {
  type: "object",
  required: ["errors", "items", "processingTimeMs", "index_name"],
  additionalProperties: false,
  properties: {
    errors: {
      type: "boolean",
    },
    items: {
      type: "array",
      items: {
        type: "object",
        required: ["status", "_id"],
        additionalProperties: false,
        properties: {
          status: {
            type: "integer",
          },
          _id: {
            type: "string",
          },
          result: {
            type: "string",
            enum: ["created", "updated"],
          },
          message: {
            type: "string",
          },
          error: {
            type: "string",
          },
          code: {
            type: "string",
          },
        },
      },
    },
    processingTimeMs: {
      type: "number",
    },
    index_name: {
      type: "string",
    },
    telemetry: Telemetry,
  },
} as const;
export type AddDocumentsResponse = Parsed<typeof AddDocumentsResponse>;

export const AgenticContext = {
  type: "object",
  required: ["text", "updatedAt"],
  additionalProperties: false,
  properties: {
    text: {
      type: "string",
    },
    updatedAt: {
      type: ["string", "null"],
    },
    telemetry: Telemetry,
  },
} as const;
export type AgenticContext = Parsed<typeof AgenticContext>;

export const Alias = {
  type: "object",
  required: ["aliasName", "indexName"],
  additionalProperties: false,
  properties: {
    aliasName: {
      type: "string",
    },
    indexName: {
      type: "string",
    },
    telemetry: Telemetry,
  },
} as const;
export type Alias = Parsed<typeof Alias>;

export const AliasChanges = {
  type: "object",
  required: ["changes"],
  additionalProperties: false,
  properties: {
    changes: {
      type: "array",
      minItems: 1,
      maxItems: 1000,
      items: {
        type: "object",
        required: ["aliasName", "indexName"],
        additionalProperties: false,
        properties: {
          aliasName: {
            type: "string",
          },
          indexName: {
            type: ["string", "null"],
          },
        },
      },
    },
  },
} as const;
export type AliasChanges = Parsed<typeof AliasChanges>;

export const AliasList = {
  type: "object",
  required: ["results"],
  additionalProperties: false,
  properties: {
    results: {
      type: "array",
      items: Alias,
    },
    telemetry: Telemetry,
  },
} as const;
export type AliasList = Parsed<typeof AliasList>;

export const AliasTarget = {
  type: "object",
  required: ["indexName"],
  additionalProperties: false,
  properties: {
    indexName: {
      type: "string",
    },
  },
} as const;
export type AliasTarget = Parsed<typeof AliasTarget>;

/** Amounts by currency, in units of each. Currencies are never added up. */
export const Money = {
  type: "object",
  additionalProperties: {
    type: "number",
  },
} as const;
export type Money = Parsed<typeof Money>;

export const MoneyValue = {
  anyOf: [
    Money,
    {
      type: "number",
    },
  ],
} as const;
export type MoneyValue = Parsed<typeof MoneyValue>;

/** An action counts in the hour of the query that it belongs to. All figures are exact. */
export const AnalyticsMetrics = {
  type: "object",
  required: ["totalQueries", "clickThroughRate", "addToCartRate", "conversionRate", "averageOrderValue", "totalRevenue", "totalClicks", "totalAddToCarts", "totalPurchases", "totalSessions"],
  additionalProperties: false,
  properties: {
    totalQueries: {
      type: "integer",
    },
    clickThroughRate: {
      type: "number",
    },
    addToCartRate: {
      type: "number",
    },
    conversionRate: {
      type: "number",
    },
    averageOrderValue: MoneyValue,
    totalRevenue: MoneyValue,
    totalClicks: {
      type: "integer",
    },
    totalAddToCarts: {
      type: "integer",
    },
    totalPurchases: {
      type: "integer",
    },
    totalSessions: {
      type: "integer",
    },
  },
} as const;
export type AnalyticsMetrics = Parsed<typeof AnalyticsMetrics>;

export const AnalyticsTerm = {
  type: "object",
  required: ["term", "totalQueries", "clickThroughRate", "addToCartRate", "conversionRate", "averageOrderValue", "totalRevenue", "totalClicks", "totalAddToCarts", "totalPurchases", "totalSessions"],
  additionalProperties: false,
  properties: {
    term: {
      type: "string",
    },
    totalQueries: {
      type: "integer",
    },
    clickThroughRate: {
      type: "number",
    },
    addToCartRate: {
      type: "number",
    },
    conversionRate: {
      type: "number",
    },
    averageOrderValue: MoneyValue,
    totalRevenue: MoneyValue,
    totalClicks: {
      type: "integer",
    },
    totalAddToCarts: {
      type: "integer",
    },
    totalPurchases: {
      type: "integer",
    },
    totalSessions: {
      type: "integer",
    },
  },
} as const;
export type AnalyticsTerm = Parsed<typeof AnalyticsTerm>;

/** The distance by which vectors are near; `prenormalized-angular`, the cosine, is for vectors of unit length. `prenormalized-anglar` is another spelling of `prenormalized-angular`, `cosinesimil` of `angular`, `l2` of `euclidean`. The score is the dot product itself with `dotproduct`, else `1 / (1 + distance)`. */
export const SpaceType = {
  type: "string",
  enum: ["prenormalized-angular", "prenormalized-anglar", "angular", "cosinesimil", "euclidean", "l2", "dotproduct", "geodegrees", "hamming", "l1", "linf"],
} as const;
export type SpaceType = Parsed<typeof SpaceType>;

/** The shape of the neighbour graph. */
export const GraphParameters = {
  type: "object",
  additionalProperties: false,
  properties: {
    efConstruction: {
      type: "integer",
      exclusiveMinimum: 0,
      maximum: 4096,
      default: 512,
    },
    m: {
      type: "integer",
      exclusiveMinimum: 0,
      maximum: 512,
      default: 16,
    },
  },
} as const;
export type GraphParameters = Parsed<typeof GraphParameters>;

/** The distance and the shape of the neighbour graph. */
export const AnnParameters = {
  type: "object",
  additionalProperties: false,
  properties: {
    spaceType: { ...SpaceType, default: "prenormalized-angular" },
    parameters: { ...GraphParameters, default: {} },
  },
} as const;
export type AnnParameters = Parsed<typeof AnnParameters>;

/** How sounds are cut into chunks, in seconds. */
export const AudioPreprocessing = {
  type: "object",
  additionalProperties: false,
  properties: {
    splitLength: {
      type: "integer",
      exclusiveMinimum: 0,
      maximum: 1000000,
      default: 10,
    },
    splitOverlap: {
      type: "integer",
      minimum: 0,
      maximum: 1000000,
      default: 3,
    },
  },
} as const;
export type AudioPreprocessing = Parsed<typeof AudioPreprocessing>;

export const Backup = {
  type: "object",
  required: ["id", "state", "reason", "createdAt", "finishedAt", "version", "isWhole", "isScheduled", "indexes", "files", "bytes", "newBytes", "verification", "restores"],
  additionalProperties: false,
  properties: {
    id: {
      type: "string",
    },
    state: {
      type: "string",
      enum: ["creating", "ready", "failed", "damaged"],
    },
    reason: {
      type: ["string", "null"],
    },
    createdAt: {
      type: ["string", "null"],
    },
    finishedAt: {
      type: ["string", "null"],
    },
    version: {
      type: ["string", "null"],
    },
    isWhole: {
      type: "boolean",
    },
    isScheduled: {
      type: "boolean",
    },
    indexes: {
      type: "array",
      items: {
        type: "object",
        required: ["indexName", "documents", "bytes"],
        additionalProperties: false,
        properties: {
          indexName: {
            type: "string",
          },
          documents: {
            type: "integer",
          },
          bytes: {
            type: "integer",
          },
        },
      },
    },
    files: {
      type: "integer",
    },
    bytes: {
      type: "integer",
    },
    newBytes: {
      type: "integer",
    },
    verification: {
      anyOf: [
        {
          type: "object",
          required: ["state", "bytes", "bytesOfAll", "problems", "reason"],
          additionalProperties: false,
          properties: {
            state: {
              type: "string",
              enum: ["running", "sound", "damaged", "failed"],
            },
            bytes: {
              type: "integer",
            },
            bytesOfAll: {
              type: ["integer", "null"],
            },
            problems: {
              type: "array",
              items: {
                type: "string",
              },
            },
            reason: {
              type: ["string", "null"],
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    restores: {
      type: "array",
      items: {
        type: "object",
        required: ["indexName", "from", "state", "bytes", "bytesOfAll", "reason"],
        additionalProperties: false,
        properties: {
          indexName: {
            type: "string",
          },
          from: {
            type: "string",
          },
          state: {
            type: "string",
            enum: ["running", "done", "failed"],
          },
          bytes: {
            type: "integer",
          },
          bytesOfAll: {
            type: "integer",
          },
          reason: {
            type: ["string", "null"],
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type Backup = Parsed<typeof Backup>;

export const BackupList = {
  type: "object",
  required: ["place", "backups"],
  additionalProperties: false,
  properties: {
    place: {
      type: "string",
    },
    backups: {
      type: "array",
      items: Backup,
    },
    telemetry: Telemetry,
  },
} as const;
export type BackupList = Parsed<typeof BackupList>;

export const BackupRequest = {
  type: "object",
  additionalProperties: false,
  properties: {
    indexes: {
      anyOf: [
        {
          type: "array",
          minItems: 1,
          maxItems: 1000,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
  },
} as const;
export type BackupRequest = Parsed<typeof BackupRequest>;

export const ChangedIndexes = {
  type: "object",
  required: ["acknowledged", "index_names"],
  additionalProperties: false,
  properties: {
    acknowledged: {
      type: "boolean",
    },
    index_names: {
      type: "array",
      items: {
        type: "string",
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type ChangedIndexes = Parsed<typeof ChangedIndexes>;

export const ChatSuggestions = {
  type: "object",
  required: ["suggestions"],
  additionalProperties: false,
  properties: {
    suggestions: {
      type: "array",
      items: {
        type: "object",
        required: ["suggestion"],
        additionalProperties: false,
        properties: {
          suggestion: {
            type: "string",
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type ChatSuggestions = Parsed<typeof ChatSuggestions>;

export const ChatSuggestionsRequest = {
  type: "object",
  required: ["documentId", "sessionId", "userId"],
  additionalProperties: false,
  properties: {
    documentId: {
      type: "string",
    },
    sessionId: {
      type: "string",
    },
    userId: {
      type: "string",
    },
    maxSuggestions: {
      type: "integer",
      minimum: 1,
      maximum: 20,
      default: 5,
    },
    minSuggestions: {
      type: "integer",
      minimum: 0,
      maximum: 20,
      default: 1,
    },
    contextFields: {
      anyOf: [
        {
          type: "array",
          maxItems: 20,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
  },
} as const;
export type ChatSuggestionsRequest = Parsed<typeof ChatSuggestionsRequest>;

/** A field that groups hits. Every document must hold a text in it that is not blank. */
export const CollapseField = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: {
      type: "string",
    },
    minGroups: {
      type: "integer",
      exclusiveMinimum: 0,
      maximum: 10000,
    },
  },
} as const;
export type CollapseField = Parsed<typeof CollapseField>;

/** Which document of its group is shown in place of a hit, when it is strictly better by a number. Its place and scores are those of the hit, whose id is `_originalId`. */
export const CollapseSort = {
  type: "object",
  required: ["fields"],
  additionalProperties: false,
  "x-any-spelling": true,
  properties: {
    fields: {
      type: "array",
      minItems: 1,
      maxItems: 1,
      items: {
        type: "object",
        required: ["fieldName"],
        additionalProperties: false,
        "x-any-spelling": true,
        properties: {
          fieldName: {
            type: "string",
          },
          type: {
            type: ["string", "null"],
            enum: ["number", "date", null],
          },
          order: {
            type: ["string", "null"],
            enum: ["asc", "desc", null],
          },
        },
      },
    },
    numThreadsPerSearch: {
      type: ["integer", "null"],
      minimum: 1,
    },
    disableIfMainSortByFields: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    alwaysFetchVariants: {
      type: ["boolean", "null"],
    },
  },
} as const;
export type CollapseSort = Parsed<typeof CollapseSort>;

export const Collection = {
  type: "object",
  required: ["id", "displayName", "metadata", "productCount"],
  additionalProperties: false,
  properties: {
    id: {
      type: "string",
    },
    displayName: {
      type: "string",
    },
    metadata: {
      type: "object",
    },
    productCount: {
      type: ["integer", "null"],
    },
    telemetry: Telemetry,
  },
} as const;
export type Collection = Parsed<typeof Collection>;

export const CollectionDescription = {
  type: "object",
  required: ["id"],
  additionalProperties: false,
  properties: {
    id: {
      type: "string",
    },
    displayName: {
      type: ["string", "null"],
    },
    metadata: {
      anyOf: [
        {
          type: "object",
          maxProperties: 64,
        },
        {
          type: "null",
        },
      ],
    },
  },
} as const;
export type CollectionDescription = Parsed<typeof CollectionDescription>;

export const CollectionList = {
  type: "object",
  required: ["results"],
  additionalProperties: false,
  properties: {
    results: {
      type: "array",
      items: Collection,
    },
    telemetry: Telemetry,
  },
} as const;
export type CollectionList = Parsed<typeof CollectionList>;

/** A place on the earth, in degrees. */
export const GeoPoint = {
  type: "object",
  required: ["lat", "lon"],
  additionalProperties: false,
  properties: {
    lat: {
      type: "number",
      minimum: -90,
      maximum: 90,
    },
    lon: {
      type: "number",
      minimum: -180,
      maximum: 180,
    },
  },
} as const;
export type GeoPoint = Parsed<typeof GeoPoint>;

/** How a field is counted. */
export const FacetField = {
  type: "object",
  required: ["type"],
  additionalProperties: false,
  properties: {
    type: {
      type: "string",
      enum: ["string", "array", "number", "distance", "date"],
    },
    from: {
      anyOf: [
        GeoPoint,
        {
          type: "null",
        },
      ],
    },
    maxResults: {
      type: ["integer", "null"],
    },
    order: {
      type: ["string", "null"],
      enum: ["asc", "desc", null],
    },
    ranges: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "object",
            additionalProperties: false,
            properties: {
              from: {
                type: ["number", "string", "null"],
              },
              to: {
                type: ["number", "string", "null"],
              },
              name: {
                type: ["string", "null"],
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    interval: {
      type: ["string", "null"],
      enum: ["year", "quarter", "month", "week", "day", "hour", null],
    },
    excludeTerms: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
  },
} as const;
export type FacetField = Parsed<typeof FacetField>;

/** Counts of the documents found, which are those of totalHits, whichever page of them is shown. */
export const Facets = {
  type: "object",
  required: ["fields"],
  additionalProperties: false,
  properties: {
    fields: {
      type: "object",
      maxProperties: 100,
      additionalProperties: FacetField,
    },
    maxResults: {
      type: ["integer", "null"],
    },
    order: {
      type: ["string", "null"],
      enum: ["asc", "desc", null],
    },
    maxDepth: {
      type: ["integer", "null"],
    },
  },
} as const;
export type Facets = Parsed<typeof Facets>;

/** Sorts the hits of a search of an unstructured index by fields; `_score` is then one over the place. Documents equal in all of them keep the order of their relevance. All documents that match the words are sorted where words alone find and rank; where vectors take part the most relevant are. Not with scoreModifiers */
export const SortBy = {
  type: "object",
  required: ["fields"],
  additionalProperties: false,
  "x-any-spelling": true,
  properties: {
    fields: {
      type: "array",
      minItems: 1,
      maxItems: 3,
      items: {
        type: "object",
        required: ["fieldName"],
        additionalProperties: false,
        "x-any-spelling": true,
        properties: {
          fieldName: {
            type: "string",
          },
          type: {
            type: ["string", "null"],
            enum: ["number", "date", null],
          },
          from: {
            anyOf: [
              GeoPoint,
              {
                type: "null",
              },
            ],
          },
          order: {
            type: ["string", "null"],
            enum: ["asc", "desc", null],
          },
          missing: {
            type: ["string", "null"],
            enum: ["first", "last", null],
          },
        },
      },
    },
    sortDepth: {
      type: ["integer", "null"],
      minimum: 1,
    },
    minSortCandidates: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 10000,
    },
  },
} as const;
export type SortBy = Parsed<typeof SortBy>;

export const CollectionRequest = {
  type: "object",
  required: ["collectionName"],
  properties: {
    collectionName: {
      type: "string",
    },
    attributesToRetrieve: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    facets: {
      anyOf: [
        Facets,
        {
          type: "null",
        },
      ],
    },
    profileId: {
      type: ["string", "null"],
    },
    userId: {
      type: ["string", "null"],
    },
    sessionId: {
      type: ["string", "null"],
    },
    filter: {
      type: ["string", "null"],
    },
    limit: {
      type: "integer",
      default: 10,
    },
    offset: {
      type: "integer",
      default: 0,
    },
    sortBy: {
      anyOf: [
        SortBy,
        {
          type: "null",
        },
      ],
    },
  },
  additionalProperties: false,
} as const;
export type CollectionRequest = Parsed<typeof CollectionRequest>;

export const ComparisonCounts = {
  type: "object",
  required: ["queries", "wins", "losses", "ties"],
  additionalProperties: false,
  properties: {
    queries: {
      type: "integer",
    },
    wins: {
      type: "integer",
    },
    losses: {
      type: "integer",
    },
    ties: {
      type: "integer",
    },
  },
} as const;
export type ComparisonCounts = Parsed<typeof ComparisonCounts>;

export const ContextDocumentsParameters = {
  anyOf: [
    {
      type: "object",
      properties: {
        tensorFields: {
          anyOf: [
            {
              type: "array",
              items: {
                type: "string",
              },
            },
            {
              type: "null",
            },
          ],
        },
        excludeInputDocuments: {
          type: ["boolean", "null"],
        },
        allowMissingDocuments: {
          type: ["boolean", "null"],
        },
        allowMissingEmbeddings: {
          type: ["boolean", "null"],
        },
      },
    },
    {
      type: "null",
    },
  ],
} as const;
export type ContextDocumentsParameters = Parsed<typeof ContextDocumentsParameters>;

export const CpuInfo = {
  type: "object",
  required: ["cpu_usage_percent", "memory_used_percent", "memory_used_gb", "process_cpu_percent", "requests", "searches", "http_threads"],
  additionalProperties: false,
  properties: {
    cpu_usage_percent: {
      type: "string",
    },
    memory_used_percent: {
      type: "string",
    },
    memory_used_gb: {
      type: "string",
    },
    process_cpu_percent: {
      type: "string",
    },
    requests: {
      type: "integer",
      minimum: 0,
    },
    searches: {
      type: "integer",
      minimum: 0,
    },
    http_threads: {
      type: "array",
      items: {
        type: "object",
        required: ["thread", "busy_percent", "requests", "searches"],
        additionalProperties: false,
        properties: {
          thread: {
            type: "integer",
            minimum: 1,
          },
          busy_percent: {
            type: "string",
          },
          requests: {
            type: "integer",
            minimum: 0,
          },
          searches: {
            type: "integer",
            minimum: 0,
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type CpuInfo = Parsed<typeof CpuInfo>;

/** `MODIFYING`: it serves while its limits change. `FAILED`: its record says why; it can be deleted. */
export const HostedIndexStatus = {
  type: "string",
  enum: ["CREATING", "READY", "MODIFYING", "DELETING", "DELETED", "FAILED"],
} as const;
export type HostedIndexStatus = Parsed<typeof HostedIndexStatus>;

export const CreatedShopIndex = {
  type: "object",
  required: ["acknowledged", "index", "indexId", "modelType", "indexStatus"],
  additionalProperties: false,
  properties: {
    acknowledged: {
      type: "boolean",
    },
    index: {
      type: "string",
    },
    indexId: {
      type: "string",
    },
    modelType: {
      type: "string",
    },
    indexStatus: HostedIndexStatus,
    telemetry: Telemetry,
  },
} as const;
export type CreatedShopIndex = Parsed<typeof CreatedShopIndex>;

export const CudaInfo = {
  type: "object",
  required: ["cuda_devices"],
  additionalProperties: false,
  properties: {
    cuda_devices: {
      type: "array",
      items: {
        type: "object",
        required: ["device_id", "device_name", "memory_used", "total_memory", "utilization", "memory_used_percent"],
        additionalProperties: false,
        properties: {
          device_id: {
            type: "integer",
          },
          device_name: {
            type: "string",
          },
          memory_used: {
            type: "string",
          },
          total_memory: {
            type: "string",
          },
          utilization: {
            type: "string",
          },
          memory_used_percent: {
            type: "string",
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type CudaInfo = Parsed<typeof CudaInfo>;

export const PinnedDocument = {
  type: "object",
  required: ["_id", "position"],
  additionalProperties: false,
  properties: {
    _id: {
      type: "string",
    },
    position: {
      type: "integer",
      minimum: 1,
      maximum: 10000,
    },
  },
} as const;
export type PinnedDocument = Parsed<typeof PinnedDocument>;

/** The searches that a rule is about, and what becomes of them. */
export const SearchRule = {
  type: "object",
  required: ["id", "condition", "consequence"],
  additionalProperties: false,
  properties: {
    id: {
      type: "string",
    },
    condition: {
      type: "object",
      additionalProperties: false,
      properties: {
        query: {
          type: ["string", "null"],
        },
        match: {
          type: ["string", "null"],
          enum: ["equals", "contains", "beginsWith", null],
        },
        filter: {
          type: ["string", "null"],
        },
        from: {
          type: ["string", "null"],
        },
        until: {
          type: ["string", "null"],
        },
      },
    },
    consequence: {
      type: "object",
      additionalProperties: false,
      properties: {
        pinned: {
          anyOf: [
            {
              type: "array",
              maxItems: 100,
              items: PinnedDocument,
            },
            {
              type: "null",
            },
          ],
        },
        hidden: {
          anyOf: [
            {
              type: "array",
              maxItems: 1000,
              items: {
                type: "string",
              },
            },
            {
              type: "null",
            },
          ],
        },
        filter: {
          type: ["string", "null"],
        },
        query: {
          type: ["string", "null"],
        },
        redirect: {
          type: ["string", "null"],
        },
      },
    },
  },
} as const;
export type SearchRule = Parsed<typeof SearchRule>;

export const Synonyms = {
  type: "object",
  required: ["terms"],
  additionalProperties: false,
  properties: {
    terms: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      items: {
        type: "string",
      },
    },
    phrases: {
      type: ["boolean", "null"],
    },
    from: {
      type: ["string", "null"],
    },
  },
} as const;
export type Synonyms = Parsed<typeof Synonyms>;

/** How hybrid searches of an index join their legs where they do not say it. */
export const DefaultHybridParameters = {
  type: "object",
  properties: {
    alpha: {
      type: ["number", "null"],
    },
    rrfK: {
      type: ["integer", "null"],
    },
  },
  additionalProperties: false,
} as const;
export type DefaultHybridParameters = Parsed<typeof DefaultHybridParameters>;

/** Ranks the best hits of the words anew by their texts: a score is multiplied by 1 + exactness · e + proximity · p + fieldOrder · o, where e, p and o are signals from 0 to 1. `true` in its place means all defaults. */
export const TextRanking = {
  type: "object",
  additionalProperties: false,
  properties: {
    exactness: {
      type: ["number", "null"],
      minimum: 0,
      maximum: 10,
    },
    proximity: {
      type: ["number", "null"],
      minimum: 0,
      maximum: 10,
    },
    fieldOrder: {
      type: ["number", "null"],
      minimum: 0,
      maximum: 10,
    },
    fields: {
      anyOf: [
        {
          type: "array",
          minItems: 1,
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    candidates: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 1000,
    },
  },
} as const;
export type TextRanking = Parsed<typeof TextRanking>;

/** The typos that words of a query may have: a character too many, too few, another one, or two neighbours swapped. `true` in its place means all defaults. */
export const TypoTolerance = {
  type: "object",
  additionalProperties: false,
  properties: {
    oneTypoFrom: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 128,
    },
    twoTyposFrom: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 128,
    },
    fields: {
      anyOf: [
        {
          type: "object",
          maxProperties: 1000,
          additionalProperties: {
            type: "boolean",
          },
        },
        {
          type: "null",
        },
      ],
    },
  },
} as const;
export type TypoTolerance = Parsed<typeof TypoTolerance>;

/** Members that searches of an index have where they leave them out, as a search takes them. */
export const SearchDefaults = {
  type: "object",
  properties: {
    hybridParameters: {
      anyOf: [
        DefaultHybridParameters,
        {
          type: "null",
        },
      ],
    },
    language: {
      type: ["string", "null"],
    },
    fieldWeights: {
      anyOf: [
        {
          type: "object",
          maxProperties: 1000,
          additionalProperties: {
            type: "number",
            minimum: 0.001,
            maximum: 1000,
          },
        },
        {
          type: "null",
        },
      ],
    },
    stopWords: {
      anyOf: [
        {
          type: "string",
          enum: ["none", "auto", "ca", "da", "de", "en", "es", "fi", "fr", "ga", "hu", "id", "it", "nl", "no", "pl", "pt", "ro", "sv", "tr"],
        },
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    textRanking: {
      anyOf: [
        {
          type: "boolean",
        },
        TextRanking,
        {
          type: "null",
        },
      ],
    },
    prefix: {
      anyOf: [
        {
          type: "string",
          enum: ["last", "all", "none"],
        },
        {
          type: "object",
          maxProperties: 1000,
          additionalProperties: {
            type: "string",
            enum: ["last", "all", "none"],
          },
        },
        {
          type: "null",
        },
      ],
    },
    typoTolerance: {
      anyOf: [
        {
          type: "boolean",
        },
        TypoTolerance,
        {
          type: "null",
        },
      ],
    },
    splitJoinTokens: {
      type: ["boolean", "null"],
    },
    decompound: {
      type: ["boolean", "null"],
    },
    phraseSlop: {
      type: ["integer", "null"],
      minimum: 0,
      maximum: 100,
    },
    didYouMean: {
      type: ["boolean", "null"],
    },
  },
  additionalProperties: false,
} as const;
export type SearchDefaults = Parsed<typeof SearchDefaults>;

/** The rules, synonyms and search defaults that searches of an index follow. */
export const Curation = {
  type: "object",
  required: ["version", "updatedAt", "rules", "synonyms"],
  additionalProperties: false,
  properties: {
    version: {
      type: "integer",
    },
    updatedAt: {
      type: ["string", "null"],
    },
    rules: {
      type: "array",
      items: SearchRule,
    },
    synonyms: {
      type: "array",
      items: Synonyms,
    },
    searchDefaults: SearchDefaults,
    telemetry: Telemetry,
  },
} as const;
export type Curation = Parsed<typeof Curation>;

/** The rules, synonyms and search defaults of an index, in place of those that it has. */
export const CurationRequest = {
  type: "object",
  additionalProperties: false,
  properties: {
    rules: {
      type: "array",
      default: [],
      maxItems: 1000,
      items: SearchRule,
    },
    synonyms: {
      type: "array",
      default: [],
      maxItems: 1000,
      items: Synonyms,
    },
    searchDefaults: {
      anyOf: [
        SearchDefaults,
        {
          type: "null",
        },
      ],
    },
  },
} as const;
export type CurationRequest = Parsed<typeof CurationRequest>;

/** The rules and synonyms that are to come back. */
export const CurationRollBack = {
  type: "object",
  required: ["version"],
  additionalProperties: false,
  properties: {
    version: {
      type: "integer",
      minimum: 0,
    },
  },
} as const;
export type CurationRollBack = Parsed<typeof CurationRollBack>;

/** The rules, synonyms and search defaults of an index as they are and as they were. */
export const CurationVersions = {
  type: "object",
  required: ["versions"],
  additionalProperties: false,
  properties: {
    versions: {
      type: "array",
      items: Curation,
    },
    telemetry: Telemetry,
  },
} as const;
export type CurationVersions = Parsed<typeof CurationVersions>;

export const DeleteDocumentsResponse = {
  type: "object",
  required: ["index_name", "status", "type", "items", "details", "duration", "startedAt", "finishedAt"],
  additionalProperties: false,
  properties: {
    index_name: {
      type: "string",
    },
    status: {
      type: "string",
      enum: ["succeeded"],
    },
    type: {
      type: "string",
      enum: ["documentDeletion"],
    },
    items: {
      type: "array",
      items: {
        type: "object",
        required: ["_id", "status", "result"],
        additionalProperties: false,
        properties: {
          _id: {
            type: "string",
          },
          status: {
            type: "integer",
          },
          result: {
            type: "string",
            enum: ["deleted", "not_found", "error"],
          },
        },
      },
    },
    details: {
      type: "object",
      required: ["receivedDocumentIds", "deletedDocuments"],
      additionalProperties: false,
      properties: {
        receivedDocumentIds: {
          type: "integer",
        },
        deletedDocuments: {
          type: "integer",
        },
      },
    },
    duration: {
      type: "string",
    },
    startedAt: {
      type: "string",
    },
    finishedAt: {
      type: "string",
    },
    telemetry: Telemetry,
  },
} as const;
export type DeleteDocumentsResponse = Parsed<typeof DeleteDocumentsResponse>;

export const Discovery = {
  type: "object",
  required: ["conversationId", "message", "links", "categories", "question", "processingTimeMs"],
  additionalProperties: false,
  properties: {
    conversationId: {
      type: "string",
    },
    message: {
      type: "string",
    },
    links: {
      type: "array",
      items: {
        type: "object",
        required: ["start", "end", "target", "id"],
        additionalProperties: false,
        properties: {
          start: {
            type: "integer",
          },
          end: {
            type: "integer",
          },
          target: {
            type: "string",
            enum: ["category", "product"],
          },
          id: {
            type: "string",
          },
        },
      },
    },
    categories: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "title", "description", "hits"],
        additionalProperties: false,
        properties: {
          id: {
            type: "string",
          },
          title: {
            type: "string",
          },
          description: {
            type: "string",
          },
          hits: {
            type: "array",
            items: {
              type: "object",
            },
          },
        },
      },
    },
    question: {
      anyOf: [
        {
          type: "object",
          required: ["text", "options"],
          additionalProperties: false,
          properties: {
            text: {
              type: "string",
            },
            options: {
              type: "array",
              items: {
                type: "string",
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    processingTimeMs: {
      type: "integer",
    },
    telemetry: Telemetry,
  },
} as const;
export type Discovery = Parsed<typeof Discovery>;

/** One event of a stream: `start` with `conversationId`, `message` with `delta` and, where titles in the text so far lead somewhere, `links`, `category` with `id`, `title`, `description` and `hits`, `question` with `text` and `options`, `error` with `message` and `code`, and last `done` with `processingTimeMs`. */
export const DiscoveryEvent = {
  type: "object",
  required: ["event", "data"],
  properties: {
    event: {
      type: "string",
      enum: ["start", "message", "category", "question", "error", "done"],
    },
    data: {
      type: "string",
      contentMediaType: "application/json",
    },
  },
} as const;
export type DiscoveryEvent = Parsed<typeof DiscoveryEvent>;

/** How the products of each category are searched, by the rules of the search of a shop. `filter` and `attributesToRetrieve` may stand beside these settings or in them, not in both. */
export const DiscoverySearchSettings = {
  type: "object",
  additionalProperties: false,
  properties: {
    filter: {
      type: ["string", "null"],
    },
    attributesToRetrieve: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    sortBy: {
      anyOf: [
        SortBy,
        {
          type: "null",
        },
      ],
    },
    profileId: {
      type: ["string", "null"],
    },
  },
} as const;
export type DiscoverySearchSettings = Parsed<typeof DiscoverySearchSettings>;

export const DiscoveryRequest = {
  type: "object",
  required: ["q"],
  additionalProperties: false,
  properties: {
    q: {
      type: "string",
    },
    conversationId: {
      type: ["string", "null"],
    },
    categoryResultLimit: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 100,
    },
    agenticSearchLimit: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 100,
    },
    maxCategories: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 20,
    },
    filter: {
      type: ["string", "null"],
    },
    attributesToRetrieve: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    documentIds: {
      anyOf: [
        {
          type: "array",
          maxItems: 20,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    contextFields: {
      anyOf: [
        {
          type: "array",
          maxItems: 20,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    imageUrls: {
      anyOf: [
        {
          type: "array",
          maxItems: 5,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    clickableSummary: {
      type: ["boolean", "null"],
    },
    searchSettings: {
      anyOf: [
        DiscoverySearchSettings,
        {
          type: "null",
        },
      ],
    },
    userId: {
      type: ["string", "null"],
    },
    sessionId: {
      type: ["string", "null"],
    },
  },
} as const;
export type DiscoveryRequest = Parsed<typeof DiscoveryRequest>;

/** Scores fall with the distance of documents from a place, which are those of HYBRID searches of unstructured indexes. Not with recencyParameters. */
export const DistanceParameters = {
  type: "object",
  required: ["distanceField", "from"],
  additionalProperties: false,
  "x-any-spelling": true,
  properties: {
    distanceField: {
      type: "string",
    },
    from: GeoPoint,
    scale: {
      type: ["string", "null"],
    },
    offset: {
      type: ["string", "null"],
    },
    decayFunction: {
      type: ["string", "null"],
      enum: ["exponential", "linear", "gaussian", "binary", null],
    },
    decayTo: {
      type: ["number", "null"],
      exclusiveMinimum: 0,
      maximum: 1,
    },
    applyInRankingPhase: {
      type: ["string", "null"],
      enum: ["all", "only-global", "exclude-global", null],
    },
    addToScoreWeight: {
      type: ["number", "null"],
      exclusiveMinimum: 0,
    },
    applyToSubqueries: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
            enum: ["tensor", "lexical"],
          },
        },
        {
          type: "null",
        },
      ],
    },
  },
} as const;
export type DistanceParameters = Parsed<typeof DistanceParameters>;

/** Ranks the first hits anew, so that each is relevant and unlike those before it, by their stored vectors. Scores stay as they were. Not with sortBy, nor with reRanker */
export const Diversity = {
  type: "object",
  additionalProperties: false,
  properties: {
    lambda: {
      type: ["number", "null"],
      minimum: 0,
      maximum: 1,
    },
    candidates: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 1000,
    },
  },
} as const;
export type Diversity = Parsed<typeof Diversity>;

/** Document ids. Numbers are taken as their decimal text. */
export const DocumentIds = {
  type: "array",
  items: {
    type: "string",
  },
} as const;
export type DocumentIds = Parsed<typeof DocumentIds>;

/** At most 128 documents. Each is checked by itself; one that is malformed gets an item status. */
export const DocumentList = {
  type: "array",
  items: {},
} as const;
export type DocumentList = Parsed<typeof DocumentList>;

export const DocumentSelection = {
  type: "object",
  required: ["documentIds"],
  additionalProperties: false,
  properties: {
    documentIds: {
      type: "array",
      minItems: 1,
      items: {
        type: "string",
      },
    },
  },
} as const;
export type DocumentSelection = Parsed<typeof DocumentSelection>;

/** How an index stands in the second of two engines, to which it is copied. */
export const DualWriteReport = {
  type: "object",
  required: ["isAlike", "state", "reason", "pendingDocuments", "refusedDocuments", "since", "documents", "searches"],
  additionalProperties: false,
  properties: {
    isAlike: {
      type: "boolean",
    },
    state: {
      type: "string",
      enum: ["in_step", "copying", "behind", "refused"],
    },
    reason: {
      type: ["string", "null"],
    },
    pendingDocuments: {
      type: "integer",
    },
    refusedDocuments: {
      type: "integer",
    },
    since: {
      type: ["string", "null"],
    },
    documents: {
      type: "object",
      required: ["first", "second"],
      additionalProperties: false,
      properties: {
        first: {
          type: "integer",
        },
        second: {
          type: ["integer", "null"],
        },
      },
    },
    searches: {
      type: "object",
      required: ["count", "failures", "lastFailure", "overlapAt10", "different"],
      additionalProperties: false,
      properties: {
        count: {
          type: "integer",
        },
        failures: {
          type: "integer",
        },
        lastFailure: {
          type: ["string", "null"],
        },
        overlapAt10: {
          type: ["number", "null"],
        },
        different: {
          type: "array",
          items: {
            type: "object",
            required: ["at", "overlapAt10", "onlyFirst", "onlySecond"],
            additionalProperties: false,
            properties: {
              at: {
                type: "string",
              },
              overlapAt10: {
                type: "number",
              },
              onlyFirst: {
                type: "array",
                items: {
                  type: "string",
                },
              },
              onlySecond: {
                type: "array",
                items: {
                  type: "string",
                },
              },
            },
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type DualWriteReport = Parsed<typeof DualWriteReport>;

/** An id that the pages of a shop named it by, for as long as it is still good. */
export const EarlierIndexId = {
  type: "object",
  required: ["indexId", "expiresAt"],
  additionalProperties: false,
  properties: {
    indexId: {
      type: "string",
    },
    expiresAt: {
      type: "string",
    },
  },
} as const;
export type EarlierIndexId = Parsed<typeof EarlierIndexId>;

/** A text, or texts and their weights, which may be negative. */
export const EmbedContent = {
  anyOf: [
    {
      type: "string",
    },
    {
      type: "object",
      minProperties: 1,
      additionalProperties: {
        type: "number",
      },
    },
  ],
} as const;
export type EmbedContent = Parsed<typeof EmbedContent>;

export const EmbedRequest = {
  type: "object",
  required: ["content"],
  additionalProperties: false,
  properties: {
    content: {
      anyOf: [
        {
          type: "string",
        },
        {
          type: "object",
          minProperties: 1,
          additionalProperties: {
            type: "number",
          },
        },
        {
          type: "array",
          minItems: 1,
          maxItems: 128,
          items: EmbedContent,
        },
      ],
    },
    content_type: {
      type: ["string", "null"],
      enum: ["query", "document", null],
    },
    contentType: {
      type: ["string", "null"],
      enum: ["query", "document", null],
    },
    modelAuth: OptionalModelAuth,
    imageDownloadHeaders: Headers,
    image_download_headers: Headers,
    mediaDownloadHeaders: Headers,
    media_download_headers: Headers,
  },
} as const;
export type EmbedRequest = Parsed<typeof EmbedRequest>;

export const EmbedResponse = {
  type: "object",
  required: ["content", "embeddings", "processingTimeMs"],
  additionalProperties: false,
  properties: {
    content: {},
    embeddings: {
      type: "array",
      items: {
        type: "array",
        items: {
          type: "number",
        },
      },
    },
    processingTimeMs: {
      type: "integer",
    },
    telemetry: Telemetry,
  },
} as const;
export type EmbedResponse = Parsed<typeof EmbedResponse>;

export const ErasureJob = {
  type: "object",
  required: ["jobId", "state", "createdAt", "finishedAt"],
  additionalProperties: false,
  properties: {
    jobId: {
      type: "string",
    },
    state: {
      type: "string",
      enum: ["pending", "done"],
    },
    createdAt: {
      type: "string",
    },
    finishedAt: {
      type: ["string", "null"],
    },
    telemetry: Telemetry,
  },
} as const;
export type ErasureJob = Parsed<typeof ErasureJob>;

export const ErrorResponse = {
  type: "object",
  required: ["message", "code", "type", "link"],
  additionalProperties: false,
  properties: {
    message: {
      type: "string",
    },
    code: {
      type: "string",
    },
    type: {
      type: "string",
      enum: ["invalid_request", "authentication_error", "permission_error", "internal", "service_unavailable"],
    },
    link: {
      type: ["string", "null"],
    },
    detail: {
      type: "string",
    },
    error: {
      type: "string",
    },
    requiredScope: {
      type: "string",
      enum: ["read", "read_write", "admin"],
    },
    telemetry: Telemetry,
  },
} as const;
export type ErrorResponse = Parsed<typeof ErrorResponse>;

export const EventBatch = {
  type: "object",
  required: ["events"],
  "x-refused-as": "invalid_argument",
  properties: {
    events: {
      type: "array",
      minItems: 1,
      items: {},
    },
  },
} as const;
export type EventBatch = Parsed<typeof EventBatch>;

/** A value, and the values that it follows from by its operation. The innermost ones are told as they are; of BM25, shares of idf, distances and closeness, and of sums of the first two, the arithmetic has 32 bits, else 64. The outermost value is the `_score`. */
export const Explanation = {
  type: "object",
  required: ["value", "operation", "description", "details"],
  additionalProperties: false,
  properties: {
    value: {
      type: ["number", "null"],
    },
    operation: {
      type: "string",
      enum: ["value", "sum", "product", "bm25", "idfShare", "inverseDocumentFrequency", "distance", "closeness", "reciprocalRank", "recency", "bound"],
    },
    description: {
      type: "string",
    },
    field: {
      type: "string",
    },
    term: {
      type: "string",
    },
    details: {
      type: "array",
      items: {
        type: "object",
      },
    },
  },
} as const;
export type Explanation = Parsed<typeof Explanation>;

/** A declared field of a structured index. */
export const Field = {
  type: "object",
  required: ["name", "type"],
  additionalProperties: false,
  properties: {
    name: {
      type: "string",
    },
    type: {
      type: "string",
      "x-error-kind": "type",
      enum: ["text", "bool", "int", "long", "float", "double", "array<text>", "array<int>", "array<long>", "array<float>", "array<double>", "image_pointer", "video_pointer", "audio_pointer", "multimodal_combination", "custom_vector", "geo_point", "sparse_vector", "multi_vector", "map<text, int>", "map<text, long>", "map<text, float>", "map<text, double>"],
    },
    features: {
      type: "array",
      default: [],
      items: {
        type: "string",
        enum: ["lexical_search", "score_modifier", "filter"],
      },
    },
    dependentFields: {
      anyOf: [
        {
          type: "object",
          maxProperties: 1000,
          additionalProperties: {
            type: "number",
          },
        },
        {
          type: "null",
        },
      ],
    },
    dimensions: {
      type: ["integer", "null"],
      minimum: 2,
      maximum: 1024,
    },
  },
} as const;
export type Field = Parsed<typeof Field>;

/** The model that makes the vectors of a field of sparse vectors or of many vectors from texts. */
export const FieldModel = {
  type: "object",
  required: ["model"],
  additionalProperties: false,
  properties: {
    model: {
      type: "string",
    },
    modelProperties: {
      anyOf: [
        {
          type: "object",
          maxProperties: 100,
        },
        {
          type: "null",
        },
      ],
    },
    sourceField: {
      type: ["string", "null"],
    },
  },
} as const;
export type FieldModel = Parsed<typeof FieldModel>;

export const GetDocumentsResponse = {
  type: "object",
  required: ["errors", "results"],
  additionalProperties: false,
  properties: {
    errors: {
      type: "boolean",
    },
    results: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: true,
        required: ["_id"],
        properties: {
          _id: {
            type: "string",
          },
          _found: {
            type: "boolean",
          },
          status: {},
          message: {},
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type GetDocumentsResponse = Parsed<typeof GetDocumentsResponse>;

export const Health = {
  type: "object",
  required: ["status", "inference", "backend"],
  additionalProperties: false,
  properties: {
    status: {
      type: "string",
      enum: ["green", "yellow", "red"],
    },
    inference: {
      type: "object",
      required: ["status"],
      additionalProperties: false,
      properties: {
        status: {
          type: "string",
          enum: ["green", "yellow", "red"],
        },
        reasons: {
          type: "array",
          items: {
            type: "string",
          },
        },
      },
    },
    backend: {
      type: "object",
      required: ["status", "memoryIsAvailable", "storageIsAvailable"],
      additionalProperties: false,
      properties: {
        status: {
          type: "string",
          enum: ["green", "yellow", "red"],
        },
        memoryIsAvailable: {
          type: ["boolean", "null"],
        },
        storageIsAvailable: {
          type: ["boolean", "null"],
        },
        reasons: {
          type: "array",
          items: {
            type: "string",
          },
        },
        indexes: {
          type: "array",
          items: {
            type: "object",
            required: ["indexName", "status", "code", "reason"],
            additionalProperties: false,
            properties: {
              indexName: {
                type: "string",
              },
              status: {
                type: "string",
                enum: ["yellow", "red"],
              },
              code: {
                type: "string",
              },
              reason: {
                type: "string",
              },
            },
          },
        },
      },
    },
    events: {
      type: "object",
      required: ["status", "reasons"],
      additionalProperties: false,
      properties: {
        status: {
          type: "string",
          enum: ["yellow", "red"],
        },
        reasons: {
          type: "array",
          items: {
            type: "string",
          },
        },
      },
    },
    collections: {
      type: "object",
      required: ["status", "reasons"],
      additionalProperties: false,
      properties: {
        status: {
          type: "string",
          enum: ["red"],
        },
        reasons: {
          type: "array",
          items: {
            type: "string",
          },
        },
      },
    },
    keys: {
      type: "object",
      required: ["status", "reasons"],
      additionalProperties: false,
      properties: {
        status: {
          type: "string",
          enum: ["yellow", "red"],
        },
        reasons: {
          type: "array",
          items: {
            type: "string",
          },
        },
      },
    },
    files: {
      type: "object",
      required: ["status", "reasons"],
      additionalProperties: false,
      properties: {
        status: {
          type: "string",
          enum: ["yellow", "red"],
        },
        reasons: {
          type: "array",
          items: {
            type: "string",
          },
        },
      },
    },
    http: {
      type: "object",
      required: ["status", "reasons"],
      additionalProperties: false,
      properties: {
        status: {
          type: "string",
          enum: ["yellow", "red"],
        },
        reasons: {
          type: "array",
          items: {
            type: "string",
          },
        },
      },
    },
    backups: {
      type: "object",
      required: ["status", "reasons"],
      additionalProperties: false,
      properties: {
        status: {
          type: "string",
          enum: ["yellow", "red"],
        },
        reasons: {
          type: "array",
          items: {
            type: "string",
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type Health = Parsed<typeof Health>;

export const HelpCenterJob = {
  type: "object",
  required: ["jobId"],
  additionalProperties: false,
  properties: {
    jobId: {
      type: "string",
    },
    telemetry: Telemetry,
  },
} as const;
export type HelpCenterJob = Parsed<typeof HelpCenterJob>;

export const HelpCenterRequest = {
  anyOf: [
    {
      type: "object",
      additionalProperties: false,
      properties: {
        articles: {
          anyOf: [
            {
              type: "array",
              maxItems: 500,
              items: {
                type: "object",
                required: ["id", "title", "text"],
                additionalProperties: false,
                properties: {
                  id: {
                    type: "string",
                  },
                  title: {
                    type: "string",
                  },
                  text: {
                    type: "string",
                  },
                  url: {
                    type: ["string", "null"],
                  },
                },
              },
            },
            {
              type: "null",
            },
          ],
        },
      },
    },
    {
      type: "null",
    },
  ],
} as const;
export type HelpCenterRequest = Parsed<typeof HelpCenterRequest>;

/** A hosted index. Counts are strings, or numbers where the operator says so (`PELORUS_RECORD_NUMBERS`); members of settings are then in camelCase. */
export const HostedIndexRecord = {
  type: "object",
  required: ["Created", "indexName", "indexId", "indexStatus", "marqoEndpoint", "numberOfShards", "numberOfReplicas", "numberOfInferences", "storageClass", "inferenceType", "docs.count", "docs.deleted", "store.size", "search.queryTotal", "type", "model", "marqoVersion"],
  properties: {
    Created: {
      type: "string",
    },
    indexName: {
      type: "string",
    },
    index_name: {
      type: "string",
    },
    indexId: {
      type: "string",
    },
    indexStatus: HostedIndexStatus,
    errorMsg: {
      type: "string",
    },
    marqoEndpoint: {
      type: "string",
    },
    marqoVersion: {
      type: "string",
    },
    storageClass: {
      type: "string",
    },
    inferenceType: {
      type: "string",
    },
    numberOfShards: {
      type: ["string", "integer"],
    },
    numberOfReplicas: {
      type: ["string", "integer"],
    },
    numberOfInferences: {
      type: ["string", "integer"],
    },
    "docs.count": {
      type: ["string", "integer"],
    },
    "docs.deleted": {
      type: ["string", "integer"],
    },
    "store.size": {
      type: ["string", "integer"],
    },
    "search.queryTotal": {
      type: ["string", "integer"],
    },
    type: {
      type: "string",
      enum: ["structured", "unstructured"],
    },
    model: {
      type: "string",
    },
    vectorNumericType: {
      type: "string",
    },
    normalizeEmbeddings: {
      type: "boolean",
    },
    treatUrlsAndPointersAsImages: {
      type: "boolean",
    },
    filterStringMaxLength: {
      type: ["string", "integer"],
    },
    textPreprocessing: {
      type: "object",
    },
    imagePreprocessing: {
      type: "object",
    },
    annParameters: {
      type: "object",
    },
    allFields: {
      type: "array",
      items: {
        type: "object",
      },
    },
    tensorFields: {
      type: "array",
      items: {
        type: "string",
      },
    },
    modelType: {
      type: "string",
    },
    collectionField: {
      type: "string",
    },
    earlierIndexIds: {
      type: "array",
      items: EarlierIndexId,
    },
    telemetry: Telemetry,
  },
} as const;
export type HostedIndexRecord = Parsed<typeof HostedIndexRecord>;

export const HostedIndexList = {
  type: "object",
  required: ["results"],
  additionalProperties: false,
  properties: {
    results: {
      type: "array",
      items: HostedIndexRecord,
    },
    telemetry: Telemetry,
  },
} as const;
export type HostedIndexList = Parsed<typeof HostedIndexList>;

/** The share of the machine that a hosted index may use. Members that are null count as absent. */
export const HostedResources = {
  type: "object",
  properties: {
    storageClass: {
      type: ["string", "null"],
    },
    inferenceType: {
      type: ["string", "null"],
    },
    numberOfShards: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 5,
    },
    numberOfReplicas: {
      type: ["integer", "null"],
      minimum: 0,
      maximum: 1,
    },
    numberOfInferences: {
      type: ["integer", "null"],
      minimum: 0,
      maximum: 5,
    },
  },
} as const;
export type HostedResources = Parsed<typeof HostedResources>;

/** Texts and their weights; weights may be negative. */
export const WeightedTexts = {
  type: "object",
  additionalProperties: {
    type: "number",
  },
} as const;
export type WeightedTexts = Parsed<typeof WeightedTexts>;

export const ScoreModifierList = {
  anyOf: [
    {
      type: "array",
      maxItems: 1000,
      items: {
        type: "object",
        required: ["field_name"],
        additionalProperties: false,
        "x-any-spelling": true,
        properties: {
          field_name: {
            type: "string",
          },
          weight: {
            type: "number",
          },
        },
      },
    },
    {
      type: "null",
    },
  ],
} as const;
export type ScoreModifierList = Parsed<typeof ScoreModifierList>;

/** Fields that change scores. A score is multiplied by the product of weight and value over the fields to multiply by that a document has; then weight times value of each field to add is added. A final score is shown as at least 0 and ranks by what it is. Fused scores of an unstructured index are changed by scores of the hit too: the field `marqo__score_bm25_field_NAME` is its BM25 in a field, `marqo__score_closeness_retrieval_vector_field_NAME` its closeness, with `_sum`, `_max` or `_avg` in place of `_field_NAME` those of all fields, each divided by the highest among the hits. An error in it answers 400, not 422. */
export const ScoreModifiers = {
  type: "object",
  "x-refused-as": "invalid_argument",
  "x-any-spelling": true,
  additionalProperties: false,
  properties: {
    multiply_score_by: ScoreModifierList,
    add_to_score: ScoreModifierList,
  },
} as const;
export type ScoreModifiers = Parsed<typeof ScoreModifiers>;

/** How the two legs of a hybrid search are found and joined. */
export const HybridParameters = {
  type: "object",
  properties: {
    retrievalMethod: {
      type: ["string", "null"],
      enum: ["disjunction", "tensor", "lexical", null],
      "x-any-case": true,
      default: "disjunction",
    },
    rankingMethod: {
      type: ["string", "null"],
      enum: ["rrf", "tensor", "lexical", null],
      "x-any-case": true,
      default: "rrf",
    },
    searchableAttributesTensor: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    searchableAttributesLexical: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    queryTensor: {
      anyOf: [
        {
          type: "string",
        },
        WeightedTexts,
        {
          type: "null",
        },
      ],
    },
    queryLexical: {
      type: ["string", "null"],
    },
    lexicalOperand: {
      type: ["string", "null"],
      enum: ["or", "and", "weakAnd", null],
    },
    verbose: {
      type: ["boolean", "null"],
    },
    scoreModifiersTensor: {
      anyOf: [
        ScoreModifiers,
        {
          type: "null",
        },
      ],
    },
    scoreModifiersLexical: {
      anyOf: [
        ScoreModifiers,
        {
          type: "null",
        },
      ],
    },
    rerankDepthTensor: {
      type: ["integer", "null"],
      maximum: 10000,
    },
    rerankDepthLexical: {
      type: ["integer", "null"],
      minimum: 1,
    },
    rerankCount: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 10000,
    },
    weakAndParameters: {
      anyOf: [
        {
          type: "object",
          additionalProperties: false,
          properties: {
            stopwordLimit: {
              type: ["number", "null"],
              minimum: 0,
              maximum: 1,
            },
            adjustTarget: {
              type: ["number", "null"],
              minimum: 0,
              maximum: 1,
            },
            filterThreshold: {
              type: ["number", "null"],
              minimum: 0,
              maximum: 1,
            },
            allowDropAll: {
              type: ["boolean", "null"],
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    secondPhaseModifier: {
      type: ["boolean", "null"],
    },
    alpha: {
      type: ["number", "null"],
    },
    rrfK: {
      type: ["integer", "null"],
    },
  },
  additionalProperties: false,
} as const;
export type HybridParameters = Parsed<typeof HybridParameters>;

export const IndexList = {
  type: "object",
  required: ["results"],
  additionalProperties: false,
  properties: {
    results: {
      type: "array",
      items: {
        type: "object",
        required: ["indexName", "index_name"],
        additionalProperties: false,
        properties: {
          indexName: {
            type: "string",
          },
          index_name: {
            type: "string",
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type IndexList = Parsed<typeof IndexList>;

export const IndexQueriesRequest = {
  type: "object",
  required: ["queries"],
  additionalProperties: false,
  properties: {
    queries: {
      type: "array",
      items: {
        type: "object",
        required: ["query"],
        additionalProperties: false,
        properties: {
          query: {
            type: "string",
          },
          popularity: {
            type: "number",
            default: 0,
          },
          metadata: {
            type: "object",
            maxProperties: 64,
            default: {},
            additionalProperties: {
              type: "number",
            },
          },
        },
      },
    },
  },
} as const;
export type IndexQueriesRequest = Parsed<typeof IndexQueriesRequest>;

export const IndexQueriesResponse = {
  type: "object",
  required: ["indexed", "errors", "processingTimeMs"],
  additionalProperties: false,
  properties: {
    indexed: {
      type: "integer",
      minimum: 0,
    },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["query", "message", "code"],
        additionalProperties: false,
        properties: {
          query: {
            type: "string",
          },
          message: {
            type: "string",
          },
          code: {
            type: "integer",
          },
        },
      },
    },
    processingTimeMs: {
      type: "number",
    },
    telemetry: Telemetry,
  },
} as const;
export type IndexQueriesResponse = Parsed<typeof IndexQueriesResponse>;

/** `FAILED`: the index cannot be opened, read or written; its health says why and what to do. */
export const IndexStatus = {
  type: "string",
  enum: ["READY", "FAILED"],
} as const;
export type IndexStatus = Parsed<typeof IndexStatus>;

/** How long texts are cut into chunks before embedding. Sentences are those of English, and end behind the full stops of other scripts too; a chunk with more tokens than the model reads is cut into parts, so that the end of a text is embedded. */
export const TextPreprocessing = {
  type: "object",
  additionalProperties: false,
  properties: {
    splitLength: {
      type: "integer",
      exclusiveMinimum: 0,
      maximum: 1000000,
      default: 2,
    },
    splitOverlap: {
      type: "integer",
      minimum: 0,
      maximum: 1000000,
      default: 0,
    },
    splitMethod: {
      type: "string",
      enum: ["character", "word", "sentence", "passage"],
      default: "sentence",
    },
  },
} as const;
export type TextPreprocessing = Parsed<typeof TextPreprocessing>;

/** How films are cut into chunks, in seconds. */
export const VideoPreprocessing = {
  type: "object",
  additionalProperties: false,
  properties: {
    splitLength: {
      type: "integer",
      exclusiveMinimum: 0,
      maximum: 1000000,
      default: 20,
    },
    splitOverlap: {
      type: "integer",
      minimum: 0,
      maximum: 1000000,
      default: 3,
    },
  },
} as const;
export type VideoPreprocessing = Parsed<typeof VideoPreprocessing>;

/** Settings in force. Members that hold nothing are left out. */
export const IndexSettingsResponse = {
  type: "object",
  required: ["type", "model", "normalizeEmbeddings", "textPreprocessing", "imagePreprocessing", "videoPreprocessing", "audioPreprocessing", "vectorNumericType", "annParameters"],
  additionalProperties: false,
  properties: {
    type: {
      type: "string",
      enum: ["unstructured", "structured"],
    },
    allFields: {
      type: "array",
      items: {
        type: "object",
        required: ["name", "type", "features"],
        additionalProperties: false,
        properties: {
          name: {
            type: "string",
          },
          type: {
            type: "string",
          },
          features: {
            type: "array",
            items: {
              type: "string",
            },
          },
          dependentFields: {
            type: "object",
            additionalProperties: {
              type: "number",
            },
          },
          dimensions: {
            type: "integer",
          },
        },
      },
    },
    tensorFields: {
      type: "array",
      items: {
        type: "string",
      },
    },
    treatUrlsAndPointersAsImages: {
      type: "boolean",
    },
    treatUrlsAndPointersAsMedia: {
      type: "boolean",
    },
    filterStringMaxLength: {
      type: "integer",
    },
    collapseFields: {
      type: "array",
      items: {
        type: "object",
        required: ["name", "minGroups"],
        additionalProperties: false,
        properties: {
          name: {
            type: "string",
          },
          minGroups: {
            type: "integer",
          },
        },
      },
    },
    model: {
      type: "string",
    },
    modelProperties: {
      type: "object",
    },
    normalizeEmbeddings: {
      type: "boolean",
    },
    textPreprocessing: { ...TextPreprocessing, required: ["splitLength", "splitOverlap", "splitMethod"] },
    imagePreprocessing: {
      type: "object",
      additionalProperties: false,
      properties: {
        patchMethod: {
          type: "string",
          enum: ["simple", "frcnn", "dino-v1", "dino-v2", "marqo-yolo"],
        },
      },
    },
    videoPreprocessing: { ...VideoPreprocessing, required: ["splitLength", "splitOverlap"] },
    audioPreprocessing: { ...AudioPreprocessing, required: ["splitLength", "splitOverlap"] },
    vectorNumericType: {
      type: "string",
    },
    textSegmentation: {
      type: "string",
      enum: ["pairs", "words"],
    },
    filterFolding: {
      type: "string",
      enum: ["case", "caseAndAccents"],
    },
    fieldModels: {
      type: "object",
      additionalProperties: {
        type: "object",
        required: ["model"],
        additionalProperties: false,
        properties: {
          model: {
            type: "string",
          },
          modelProperties: {
            type: "object",
          },
          sourceField: {
            type: "string",
          },
        },
      },
    },
    annParameters: {
      type: "object",
      required: ["spaceType", "parameters"],
      additionalProperties: false,
      properties: {
        spaceType: SpaceType,
        parameters: { ...GraphParameters, required: ["efConstruction", "m"] },
      },
    },
    textQueryPrefix: {
      type: "string",
    },
    textChunkPrefix: {
      type: "string",
    },
    telemetry: Telemetry,
  },
} as const;
export type IndexSettingsResponse = Parsed<typeof IndexSettingsResponse>;

/** An index with what is known of it. */
export const IndexRecord = {
  type: "object",
  required: ["indexName", "index_name", "indexStatus", "Created", "marqoVersion", "numberOfDocuments", "numberOfVectors", "settings"],
  additionalProperties: false,
  properties: {
    indexName: {
      type: "string",
    },
    index_name: {
      type: "string",
    },
    indexStatus: IndexStatus,
    Created: {
      type: "string",
    },
    marqoVersion: {
      type: "string",
    },
    numberOfDocuments: {
      type: "integer",
    },
    numberOfVectors: {
      type: "integer",
    },
    settings: IndexSettingsResponse,
    telemetry: Telemetry,
  },
} as const;
export type IndexRecord = Parsed<typeof IndexRecord>;

/** Settings of an index to create. Every member is optional but for `allFields` of a structured index, and so is every member of `textPreprocessing`, `imagePreprocessing`, `videoPreprocessing`, `audioPreprocessing` and `annParameters`. */
export const IndexSettings = {
  type: "object",
  additionalProperties: false,
  properties: {
    type: {
      type: "string",
      enum: ["unstructured", "structured", "semi-structured"],
      default: "unstructured",
    },
    model: {
      type: "string",
      default: "hf/e5-base-v2",
    },
    modelProperties: {
      anyOf: [
        {
          type: "object",
          maxProperties: 100,
        },
        {
          type: "null",
        },
      ],
    },
    normalizeEmbeddings: {
      type: "boolean",
      default: true,
    },
    textPreprocessing: { ...TextPreprocessing, default: {} },
    imagePreprocessing: {
      type: "object",
      additionalProperties: false,
      properties: {
        patchMethod: {
          type: ["string", "null"],
          enum: ["simple", "frcnn", "dino-v1", "dino-v2", "marqo-yolo", null],
        },
      },
    },
    videoPreprocessing: {
      default: {},
      anyOf: [
        VideoPreprocessing,
        {
          type: "null",
        },
      ],
    },
    audioPreprocessing: {
      default: {},
      anyOf: [
        AudioPreprocessing,
        {
          type: "null",
        },
      ],
    },
    vectorNumericType: {
      type: "string",
      enum: ["float", "bfloat16", "int8"],
      default: "float",
    },
    textSegmentation: {
      type: ["string", "null"],
      enum: ["pairs", "words", null],
    },
    filterFolding: {
      type: ["string", "null"],
      enum: ["case", "caseAndAccents", null],
    },
    annParameters: { ...AnnParameters, default: {} },
    textQueryPrefix: {
      type: ["string", "null"],
    },
    textChunkPrefix: {
      type: ["string", "null"],
    },
    treatUrlsAndPointersAsImages: {
      type: ["boolean", "null"],
    },
    treatUrlsAndPointersAsMedia: {
      type: ["boolean", "null"],
    },
    filterStringMaxLength: {
      type: ["integer", "null"],
      minimum: -2147483648,
      maximum: 2147483647,
    },
    collapseFields: {
      anyOf: [
        {
          type: "array",
          items: CollapseField,
        },
        {
          type: "null",
        },
      ],
    },
    fieldModels: {
      anyOf: [
        {
          type: "object",
          maxProperties: 16,
          additionalProperties: FieldModel,
        },
        {
          type: "null",
        },
      ],
    },
    allFields: {
      anyOf: [
        {
          type: "array",
          items: Field,
        },
        {
          type: "null",
        },
      ],
    },
    tensorFields: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
  },
} as const;
export type IndexSettings = Parsed<typeof IndexSettings>;

/** The members of an index's settings to change. */
export const IndexSettingsUpdate = {
  type: "object",
  required: ["modelProperties"],
  additionalProperties: false,
  properties: {
    modelProperties: {
      type: "object",
      minProperties: 1,
      maxProperties: 100,
    },
  },
} as const;
export type IndexSettingsUpdate = Parsed<typeof IndexSettingsUpdate>;

export const IndexStats = {
  type: "object",
  required: ["numberOfDocuments", "numberOfVectors", "backend"],
  additionalProperties: false,
  properties: {
    numberOfDocuments: {
      type: "integer",
      minimum: 0,
    },
    numberOfVectors: {
      type: "integer",
      minimum: 0,
    },
    aliases: {
      type: "array",
      items: {
        type: "string",
      },
    },
    backend: {
      type: "object",
      required: ["memoryUsedPercentage", "storageUsedPercentage"],
      additionalProperties: false,
      properties: {
        memoryUsedPercentage: {
          type: ["number", "null"],
        },
        storageUsedPercentage: {
          type: ["number", "null"],
        },
        precision: {
          enum: ["f32", "bf16", "int8", "f16"],
        },
        memoryBytes: {
          type: "integer",
          minimum: 0,
        },
        memory: {
          type: "object",
          required: ["vectors", "columns", "lexical", "filters", "suggestions", "documents"],
          additionalProperties: false,
          properties: {
            vectors: {
              type: "integer",
              minimum: 0,
            },
            columns: {
              type: "integer",
              minimum: 0,
            },
            lexical: {
              type: "integer",
              minimum: 0,
            },
            filters: {
              type: "integer",
              minimum: 0,
            },
            suggestions: {
              type: "integer",
              minimum: 0,
            },
            documents: {
              type: "integer",
              minimum: 0,
            },
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type IndexStats = Parsed<typeof IndexStats>;

/** A key with its secret, which is shown this once. */
export const IssuedKey = {
  type: "object",
  required: ["id", "kind", "name", "scope", "secret", "prefix", "indexes", "filter", "origins", "customerId", "allowsNoOrigin", "createdAt", "lastUsedAt", "expiresAt", "overlapping"],
  additionalProperties: false,
  properties: {
    id: {
      type: "string",
    },
    kind: {
      type: "string",
      enum: ["api", "tracking"],
    },
    name: {
      type: "string",
    },
    scope: {
      type: ["string", "null"],
      enum: ["admin", "read_write", "read", null],
    },
    secret: {
      type: "string",
    },
    prefix: {
      type: "string",
    },
    indexes: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    filter: {
      type: ["string", "null"],
    },
    origins: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    customerId: {
      type: ["string", "null"],
    },
    allowsNoOrigin: {
      type: "boolean",
    },
    createdAt: {
      type: "string",
    },
    lastUsedAt: {
      type: ["string", "null"],
    },
    expiresAt: {
      type: ["string", "null"],
    },
    overlapping: {
      type: "array",
      items: {
        type: "object",
        required: ["prefix", "expiresAt"],
        additionalProperties: false,
        properties: {
          prefix: {
            type: "string",
          },
          expiresAt: {
            type: "string",
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type IssuedKey = Parsed<typeof IssuedKey>;

/** One way to search. */
export const JudgedWay = {
  type: "object",
  required: ["index", "search"],
  additionalProperties: false,
  properties: {
    index: {
      type: "string",
    },
    search: {
      type: "object",
      additionalProperties: true,
    },
  },
} as const;
export type JudgedWay = Parsed<typeof JudgedWay>;

/** Two ways to search, to compare by the judgements of the set. */
export const JudgedConfiguration = {
  type: "object",
  required: ["name", "first", "second"],
  additionalProperties: false,
  properties: {
    name: {
      type: "string",
    },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: 1000,
      default: 20,
    },
    first: JudgedWay,
    second: JudgedWay,
  },
} as const;
export type JudgedConfiguration = Parsed<typeof JudgedConfiguration>;

export const JudgedQuery = {
  type: "object",
  required: ["q", "judgements"],
  additionalProperties: false,
  properties: {
    q: {
      type: "string",
    },
    judgements: {
      type: "object",
      additionalProperties: {
        type: "integer",
        minimum: 0,
        maximum: 3,
      },
    },
  },
} as const;
export type JudgedQuery = Parsed<typeof JudgedQuery>;

/** Queries with the judgement of people on documents that searches may find, and searches to compare by it. */
export const JudgementSet = {
  type: "object",
  required: ["setName", "version", "updatedAt", "queries", "configurations"],
  additionalProperties: false,
  properties: {
    setName: {
      type: "string",
    },
    version: {
      type: "integer",
    },
    updatedAt: {
      type: "string",
    },
    queries: {
      type: "array",
      items: JudgedQuery,
    },
    configurations: {
      type: "array",
      items: JudgedConfiguration,
    },
    telemetry: Telemetry,
  },
} as const;
export type JudgementSet = Parsed<typeof JudgementSet>;

export const JudgementSetSummary = {
  type: "object",
  required: ["setName", "version", "updatedAt", "queryCount", "judgementCount", "configurationCount"],
  additionalProperties: false,
  properties: {
    setName: {
      type: "string",
    },
    version: {
      type: "integer",
    },
    updatedAt: {
      type: ["string", "null"],
    },
    queryCount: {
      type: "integer",
    },
    judgementCount: {
      type: "integer",
    },
    configurationCount: {
      type: "integer",
    },
    fault: {
      type: "string",
    },
    telemetry: Telemetry,
  },
} as const;
export type JudgementSetSummary = Parsed<typeof JudgementSetSummary>;

export const JudgementSetList = {
  type: "object",
  required: ["results"],
  additionalProperties: false,
  properties: {
    results: {
      type: "array",
      items: JudgementSetSummary,
    },
    telemetry: Telemetry,
  },
} as const;
export type JudgementSetList = Parsed<typeof JudgementSetList>;

/** The content of a set, in place of what it has. */
export const JudgementSetRequest = {
  type: "object",
  required: ["queries"],
  additionalProperties: false,
  properties: {
    queries: {
      type: "array",
      maxItems: 1000,
      items: JudgedQuery,
    },
    configurations: {
      anyOf: [
        {
          type: "array",
          maxItems: 20,
          items: JudgedConfiguration,
        },
        {
          type: "null",
        },
      ],
      default: null,
    },
    version: {
      type: ["integer", "null"],
      minimum: 0,
      default: null,
    },
  },
} as const;
export type JudgementSetRequest = Parsed<typeof JudgementSetRequest>;

/** A key without its secret. */
export const Key = {
  type: "object",
  required: ["id", "kind", "name", "scope", "prefix", "indexes", "filter", "origins", "customerId", "allowsNoOrigin", "createdAt", "lastUsedAt", "expiresAt", "overlapping"],
  additionalProperties: false,
  properties: {
    id: {
      type: "string",
    },
    kind: {
      type: "string",
      enum: ["api", "tracking"],
    },
    name: {
      type: "string",
    },
    scope: {
      type: ["string", "null"],
      enum: ["admin", "read_write", "read", null],
    },
    prefix: {
      type: "string",
    },
    indexes: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    filter: {
      type: ["string", "null"],
    },
    origins: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    customerId: {
      type: ["string", "null"],
    },
    allowsNoOrigin: {
      type: "boolean",
    },
    createdAt: {
      type: "string",
    },
    lastUsedAt: {
      type: ["string", "null"],
    },
    expiresAt: {
      type: ["string", "null"],
    },
    overlapping: {
      type: "array",
      items: {
        type: "object",
        required: ["prefix", "expiresAt"],
        additionalProperties: false,
        properties: {
          prefix: {
            type: "string",
          },
          expiresAt: {
            type: "string",
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type Key = Parsed<typeof Key>;

export const KeyList = {
  type: "object",
  required: ["results"],
  additionalProperties: false,
  properties: {
    results: {
      type: "array",
      items: Key,
    },
    telemetry: Telemetry,
  },
} as const;
export type KeyList = Parsed<typeof KeyList>;

export const KeyRequest = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    kind: {
      type: "string",
      enum: ["api", "tracking"],
      default: "api",
    },
    name: {
      type: "string",
    },
    scope: {
      type: ["string", "null"],
      enum: ["admin", "read_write", "read", null],
    },
    indexes: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    filter: {
      type: ["string", "null"],
    },
    origins: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    customerId: {
      type: "string",
    },
    allowsNoOrigin: {
      type: "boolean",
      default: false,
    },
    expiresAt: {
      type: ["string", "null"],
    },
  },
} as const;
export type KeyRequest = Parsed<typeof KeyRequest>;

/** The members to change; absent ones stay. */
export const KeyUpdate = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  properties: {
    name: {
      type: "string",
    },
    indexes: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    origins: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    allowsNoOrigin: {
      type: "boolean",
    },
    expiresAt: {
      type: ["string", "null"],
    },
  },
} as const;
export type KeyUpdate = Parsed<typeof KeyUpdate>;

/** Ranks the first hits anew by late interaction, as ColBERT does: the score is the sum, over the vectors of the query, of the greatest inner product with any vector of the document, all of length 1. Not with sortBy, textRanking, diversity, rerank nor reRanker */
export const LateInteraction = {
  type: "object",
  required: ["fieldName"],
  additionalProperties: false,
  properties: {
    fieldName: {
      type: "string",
    },
    text: {
      type: ["string", "null"],
    },
    vectors: {
      type: "array",
      minItems: 1,
      maxItems: 256,
      items: {
        type: "array",
        minItems: 2,
        maxItems: 1024,
        items: {
          type: "number",
        },
      },
    },
    candidates: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 1000,
    },
  },
} as const;
export type LateInteraction = Parsed<typeof LateInteraction>;

export const RankingWeights = {
  type: "object",
  required: ["fieldWeights", "alpha"],
  additionalProperties: false,
  properties: {
    fieldWeights: {
      type: "object",
      additionalProperties: {
        type: "number",
      },
    },
    alpha: {
      type: "number",
    },
  },
} as const;
export type RankingWeights = Parsed<typeof RankingWeights>;

/** The comparison by which weights were learned; absent of a version that somebody made */
export const LearnedWeights = {
  type: "object",
  required: ["from", "present", "proposed", "training", "heldOut", "interval"],
  additionalProperties: false,
  properties: {
    from: {
      type: "integer",
    },
    present: RankingWeights,
    proposed: RankingWeights,
    training: ComparisonCounts,
    heldOut: ComparisonCounts,
    interval: {
      type: "array",
      minItems: 2,
      maxItems: 2,
      items: {
        type: "number",
      },
    },
  },
} as const;
export type LearnedWeights = Parsed<typeof LearnedWeights>;

/** How words of the query are shown in the texts of hits; `true` in its place means all defaults. A text is cut where words end and otherwise stays as it was sent: nothing in it is escaped. In each text the first 100000 bytes are looked at. */
export const LexicalHighlights = {
  type: "object",
  additionalProperties: false,
  properties: {
    fields: {
      anyOf: [
        {
          type: "array",
          minItems: 1,
          maxItems: 1000,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    fragmentSize: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 100000,
    },
    numberOfFragments: {
      type: ["integer", "null"],
      minimum: 0,
      maximum: 100,
    },
    preTag: {
      type: ["string", "null"],
    },
    postTag: {
      type: ["string", "null"],
    },
  },
} as const;
export type LexicalHighlights = Parsed<typeof LexicalHighlights>;

export const LogLines = {
  type: "object",
  required: ["logLevel", "lines"],
  additionalProperties: false,
  properties: {
    logLevel: {
      type: "string",
    },
    lines: {
      type: "array",
      items: {
        type: "object",
        required: ["number", "at", "level", "message", "requestId", "fields"],
        additionalProperties: false,
        properties: {
          number: {
            type: "integer",
          },
          at: {
            type: "string",
          },
          level: {
            type: "string",
            enum: ["trace", "debug", "info", "warn", "error", "fatal"],
          },
          message: {
            type: "string",
          },
          requestId: {
            type: ["string", "null"],
          },
          fields: {
            type: "object",
            additionalProperties: true,
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type LogLines = Parsed<typeof LogLines>;

export const ModelList = {
  type: "object",
  required: ["models"],
  additionalProperties: false,
  properties: {
    models: {
      type: "array",
      items: {
        type: "object",
        required: ["model_name", "model_device", "encoder", "precision"],
        additionalProperties: false,
        properties: {
          model_name: {
            type: "string",
          },
          model_device: {
            type: "string",
          },
          encoder: {
            enum: ["pelorus", "onnxruntime", "both", "service"],
          },
          precision: {
            enum: ["f32", "bf16", "int8", "f16"],
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type ModelList = Parsed<typeof ModelList>;

/** A vector of the caller's own, of as many numbers as the model of the index has dimensions */
export const Vector = {
  type: "array",
  maxItems: 4096,
  items: {
    type: "number",
  },
} as const;
export type Vector = Parsed<typeof Vector>;

/** Vectors that join the query's own: given, or those of stored documents. A text as the query counts with weight 1. An error in it answers 400, not 422. */
export const SearchContext = {
  type: "object",
  "x-refused-as": "invalid_argument",
  properties: {
    tensor: {
      anyOf: [
        {
          type: "array",
          minItems: 1,
          maxItems: 64,
          items: {
            type: "object",
            required: ["vector", "weight"],
            properties: {
              vector: Vector,
              weight: {
                type: "number",
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    documents: {
      anyOf: [
        {
          type: "object",
          properties: {
            ids: {
              anyOf: [
                {
                  type: "object",
                  additionalProperties: {
                    type: "number",
                  },
                },
                {
                  type: "null",
                },
              ],
            },
            parameters: ContextDocumentsParameters,
          },
        },
        {
          type: "null",
        },
      ],
    },
  },
} as const;
export type SearchContext = Parsed<typeof SearchContext>;

/** A sparse vector in place of words, for LEXICAL searches, which have no `q` then, and for the lexical leg of HYBRID ones: documents score the inner product with their vectors in a field */
export const SparseQuery = {
  type: "object",
  required: ["fieldName"],
  additionalProperties: false,
  properties: {
    fieldName: {
      type: "string",
    },
    text: {
      type: ["string", "null"],
    },
    indices: {
      type: "array",
      maxItems: 4096,
      items: {
        type: "integer",
        minimum: 0,
        maximum: 4294967295,
      },
    },
    values: {
      type: "array",
      maxItems: 4096,
      items: {
        type: "number",
        minimum: 0,
      },
    },
  },
} as const;
export type SparseQuery = Parsed<typeof SparseQuery>;

/** Leaves out what is not relevant, for HYBRID searches of unstructured indexes. A lexical search of its own, the probe, by BM25 alone, tells how many documents are relevant; each leg gives no more than so many. A query whose words match nothing has no hits. */
export const RelevanceCutoff = {
  type: "object",
  required: ["method"],
  additionalProperties: false,
  "x-any-spelling": true,
  properties: {
    method: {
      type: "string",
      enum: ["relative_max_score", "gap_detection", "mean_std_dev"],
    },
    parameters: {
      anyOf: [
        {
          type: "object",
          additionalProperties: false,
          "x-any-spelling": true,
          properties: {
            relativeScoreFactor: {
              type: ["number", "null"],
              minimum: 0,
              maximum: 1,
            },
            stdDevFactor: {
              type: ["number", "null"],
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    probeDepth: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 10000,
    },
    affectFacets: {
      type: ["boolean", "null"],
    },
    overrideSortCandidatesWithRelevantCandidates: {
      type: ["boolean", "null"],
    },
    lexicalOperand: {
      type: ["string", "null"],
      enum: ["or", "and", "weakAnd", null],
    },
    applyInRetrieval: {
      type: ["string", "null"],
      enum: ["tensor", "lexical", "both", null],
    },
    overrideTotalHitsWithPostProcessCandidates: {
      type: ["boolean", "null"],
    },
    overrideLimitPlusOffset: {
      type: ["boolean", "null"],
    },
  },
} as const;
export type RelevanceCutoff = Parsed<typeof RelevanceCutoff>;

/** Ranks the first hits anew by a cross-encoder, a model that reads the query and the texts of a hit together. Not with reRanker, diversity, sortBy nor withCursor */
export const Rerank = {
  type: "object",
  required: ["model", "fields"],
  additionalProperties: false,
  properties: {
    model: {
      type: "string",
    },
    fields: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: {
        type: "string",
      },
    },
    query: {
      type: ["string", "null"],
    },
    depth: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 1000,
    },
  },
} as const;
export type Rerank = Parsed<typeof Rerank>;

/** Hits with the same text in a collapse field of the index are one. Only with HYBRID. */
export const SearchCollapse = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  "x-any-spelling": true,
  properties: {
    name: {
      type: "string",
    },
    groupCount: {
      type: ["boolean", "null"],
    },
    groupLimit: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 10,
    },
    sortBy: {
      anyOf: [
        CollapseSort,
        {
          type: "null",
        },
      ],
    },
  },
} as const;
export type SearchCollapse = Parsed<typeof SearchCollapse>;

/** Scores fall with the age of documents, which are those of HYBRID searches of unstructured indexes. With retrievalMethod and rankingMethod tensor or lexical, all has recency change scores twice. */
export const RecencyParameters = {
  type: "object",
  required: ["recencyField"],
  additionalProperties: false,
  "x-any-spelling": true,
  properties: {
    recencyField: {
      type: "string",
    },
    scale: {
      type: ["string", "null"],
    },
    offset: {
      type: ["string", "null"],
    },
    decayFunction: {
      type: ["string", "null"],
      enum: ["exponential", "linear", "gaussian", "binary", null],
    },
    decayTo: {
      type: ["number", "null"],
      exclusiveMinimum: 0,
      maximum: 1,
    },
    applyInRankingPhase: {
      type: ["string", "null"],
      enum: ["all", "only-global", "exclude-global", null],
    },
    addToScoreWeight: {
      type: ["number", "null"],
      exclusiveMinimum: 0,
    },
    center: {
      type: ["number", "null"],
      minimum: 0,
    },
    applyToSubqueries: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
            enum: ["tensor", "lexical"],
          },
        },
        {
          type: "null",
        },
      ],
    },
    growFrom: {
      type: ["number", "null"],
      exclusiveMinimum: 0,
      maximum: 1,
    },
    growFunction: {
      type: ["string", "null"],
      enum: ["exponential", "linear", "gaussian", "binary", null],
    },
    growScale: {
      type: ["string", "null"],
    },
    growOffset: {
      type: ["string", "null"],
    },
  },
} as const;
export type RecencyParameters = Parsed<typeof RecencyParameters>;

/** A search, as its index takes it alone, and the name of that index. */
export const MultiSearchQuery = {
  type: "object",
  required: ["indexName"],
  properties: {
    indexName: {
      type: "string",
    },
    q: {
      anyOf: [
        {
          type: "string",
        },
        {
          type: "object",
          required: ["customVector"],
          additionalProperties: false,
          properties: {
            customVector: {
              type: "object",
              required: ["vector"],
              additionalProperties: false,
              properties: {
                vector: Vector,
                content: {
                  type: ["string", "null"],
                },
              },
            },
          },
        },
        WeightedTexts,
        {
          type: "null",
        },
      ],
    },
    withCursor: {
      type: ["boolean", "null"],
    },
    cursor: {
      type: ["string", "null"],
    },
    showHighlights: {
      type: "boolean",
      default: true,
    },
    highlight: {
      type: ["boolean", "null"],
    },
    lexicalHighlights: {
      anyOf: [
        {
          type: "boolean",
        },
        LexicalHighlights,
        {
          type: "null",
        },
      ],
    },
    searchMethod: {
      type: ["string", "null"],
      enum: ["TENSOR", "LEXICAL", "HYBRID", null],
      "x-any-case": true,
      default: "TENSOR",
    },
    hybridParameters: {
      anyOf: [
        HybridParameters,
        {
          type: "null",
        },
      ],
    },
    textQueryPrefix: {
      type: ["string", "null"],
    },
    context: {
      anyOf: [
        SearchContext,
        {
          type: "null",
        },
      ],
    },
    modelAuth: OptionalModelAuth,
    imageDownloadHeaders: Headers,
    image_download_headers: Headers,
    mediaDownloadHeaders: Headers,
    media_download_headers: Headers,
    reRanker: {},
    boost: {
      anyOf: [
        {
          type: "object",
          additionalProperties: {},
        },
        {
          type: "null",
        },
      ],
    },
    facets: {
      anyOf: [
        Facets,
        {
          type: "null",
        },
      ],
    },
    trackTotalHits: {
      type: ["boolean", "null"],
    },
    language: {
      type: ["string", "null"],
    },
    fieldWeights: {
      anyOf: [
        {
          type: "object",
          maxProperties: 1000,
          additionalProperties: {
            type: "number",
            minimum: 0.001,
            maximum: 1000,
          },
        },
        {
          type: "null",
        },
      ],
    },
    stopWords: {
      anyOf: [
        {
          type: "string",
          enum: ["none", "auto", "ca", "da", "de", "en", "es", "fi", "fr", "ga", "hu", "id", "it", "nl", "no", "pl", "pt", "ro", "sv", "tr"],
        },
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    textRanking: {
      anyOf: [
        {
          type: "boolean",
        },
        TextRanking,
        {
          type: "null",
        },
      ],
    },
    prefix: {
      anyOf: [
        {
          type: "string",
          enum: ["last", "all", "none"],
        },
        {
          type: "object",
          maxProperties: 1000,
          additionalProperties: {
            type: "string",
            enum: ["last", "all", "none"],
          },
        },
        {
          type: "null",
        },
      ],
    },
    typoTolerance: {
      anyOf: [
        {
          type: "boolean",
        },
        TypoTolerance,
        {
          type: "null",
        },
      ],
    },
    splitJoinTokens: {
      type: ["boolean", "null"],
    },
    decompound: {
      type: ["boolean", "null"],
    },
    phraseSlop: {
      type: ["integer", "null"],
      minimum: 0,
      maximum: 100,
    },
    didYouMean: {
      type: ["boolean", "null"],
    },
    sparseQuery: {
      anyOf: [
        SparseQuery,
        {
          type: "null",
        },
      ],
    },
    relevanceCutoff: {
      anyOf: [
        RelevanceCutoff,
        {
          type: "null",
        },
      ],
    },
    lateInteraction: {
      anyOf: [
        LateInteraction,
        {
          type: "null",
        },
      ],
    },
    diversity: {
      anyOf: [
        Diversity,
        {
          type: "null",
        },
      ],
    },
    rerank: {
      anyOf: [
        Rerank,
        {
          type: "null",
        },
      ],
    },
    collapseFields: {
      anyOf: [
        {
          type: "array",
          items: SearchCollapse,
        },
        {
          type: "null",
        },
      ],
    },
    pinned: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: PinnedDocument,
        },
        {
          type: "null",
        },
      ],
    },
    hidden: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    rules: {
      type: ["boolean", "null"],
    },
    recencyParameters: {
      anyOf: [
        RecencyParameters,
        {
          type: "null",
        },
      ],
    },
    distanceParameters: {
      anyOf: [
        DistanceParameters,
        {
          type: "null",
        },
      ],
    },
    distances: {
      anyOf: [
        {
          type: "array",
          minItems: 1,
          maxItems: 3,
          items: {
            type: "object",
            required: ["fieldName", "from"],
            additionalProperties: false,
            properties: {
              fieldName: {
                type: "string",
              },
              from: GeoPoint,
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    filter: {
      type: ["string", "null"],
    },
    limit: {
      type: "integer",
      default: 10,
    },
    offset: {
      type: "integer",
      default: 0,
    },
    sortBy: {
      anyOf: [
        SortBy,
        {
          type: "null",
        },
      ],
    },
    searchableAttributes: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    attributesToRetrieve: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    explain: {
      type: ["boolean", "null"],
    },
    efSearch: {
      type: ["integer", "null"],
      exclusiveMinimum: 0,
      maximum: 20000,
    },
    approximate: {
      type: ["boolean", "null"],
    },
    approximateThreshold: {
      type: ["number", "null"],
    },
    interpolationMethod: {
      type: ["string", "null"],
      enum: ["lerp", "nlerp", "slerp", null],
    },
    scoreModifiers: {
      anyOf: [
        ScoreModifiers,
        {
          type: "null",
        },
      ],
    },
    rerankDepth: {
      type: ["integer", "null"],
      maximum: 10000,
    },
  },
  additionalProperties: false,
} as const;
export type MultiSearchQuery = Parsed<typeof MultiSearchQuery>;

/** Searches to run, and the index of each. */
export const MultiSearchRequest = {
  type: "object",
  required: ["queries"],
  additionalProperties: false,
  properties: {
    queries: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      items: MultiSearchQuery,
    },
  },
} as const;
export type MultiSearchRequest = Parsed<typeof MultiSearchRequest>;

export const SearchResponse = {
  type: "object",
  required: ["hits", "query", "limit", "offset", "processingTimeMs"],
  additionalProperties: false,
  properties: {
    hits: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: true,
        required: ["_id", "_score"],
        properties: {
          _id: {
            type: "string",
          },
          _score: {
            type: "number",
          },
          _highlights: {
            type: "array",
            items: {
              type: "object",
              additionalProperties: {
                anyOf: [
                  {
                    type: "string",
                  },
                  {
                    type: "array",
                    items: {
                      type: "number",
                    },
                    minItems: 4,
                    maxItems: 4,
                  },
                ],
              },
            },
          },
          _tensor_score: {
            type: "number",
          },
          _lexical_score: {
            type: "number",
          },
          _recency_score: {
            type: "number",
          },
          _distance_score: {
            type: "number",
          },
          _distances: {
            type: "object",
            additionalProperties: {
              type: "number",
            },
          },
          _pre_rerank_score: {
            type: "number",
          },
          _rerank_score: {
            type: "number",
          },
          _explanation: Explanation,
          _lexicalHighlights: {
            type: "object",
            additionalProperties: {
              type: "array",
              items: {
                type: "string",
              },
            },
          },
          _pinned: {
            type: "boolean",
          },
          _groupCount: {
            type: "integer",
          },
          _groupHits: {
            type: "array",
            items: {
              type: "object",
              additionalProperties: true,
              required: ["_id", "_score"],
              properties: {
                _id: {
                  type: "string",
                },
                _score: {
                  type: "number",
                },
              },
            },
          },
          _originalId: {
            type: "string",
          },
        },
      },
    },
    facets: {
      type: "object",
      additionalProperties: {
        type: "object",
      },
    },
    totalHits: {
      type: "integer",
    },
    didYouMean: {
      type: "string",
    },
    warnings: {
      type: "array",
      items: {
        type: "string",
      },
    },
    query: {},
    limit: {
      type: "integer",
    },
    offset: {
      type: "integer",
    },
    cursor: {
      type: ["string", "null"],
    },
    rules: {
      type: "array",
      items: {
        type: "string",
      },
    },
    searchDefaults: {
      type: "array",
      items: {
        type: "string",
      },
    },
    redirect: {
      type: "string",
    },
    processingTimeMs: {
      type: "integer",
    },
    _sortCandidates: {
      type: "integer",
    },
    _probeCandidates: {
      type: "integer",
    },
    _relevantCandidates: {
      type: "integer",
    },
    _postProcessCandidates: {
      type: "integer",
    },
    telemetry: Telemetry,
  },
} as const;
export type SearchResponse = Parsed<typeof SearchResponse>;

/** The answer of one search among several, or its error. */
export const MultiSearchResult = {
  type: "object",
  required: ["indexName", "status"],
  additionalProperties: false,
  properties: {
    indexName: {
      type: "string",
    },
    status: {
      type: "integer",
    },
    response: SearchResponse,
    error: {
      type: "object",
      required: ["message", "code", "type", "link"],
      additionalProperties: true,
      properties: {
        message: {
          type: "string",
        },
        code: {
          type: "string",
        },
        type: {
          type: "string",
        },
        link: {
          type: ["string", "null"],
        },
        detail: {},
      },
    },
  },
} as const;
export type MultiSearchResult = Parsed<typeof MultiSearchResult>;

/** The results of several searches. */
export const MultiSearchResponse = {
  type: "object",
  required: ["results", "errors", "processingTimeMs"],
  additionalProperties: false,
  properties: {
    results: {
      type: "array",
      items: MultiSearchResult,
    },
    errors: {
      type: "boolean",
    },
    processingTimeMs: {
      type: "integer",
    },
    telemetry: Telemetry,
  },
} as const;
export type MultiSearchResponse = Parsed<typeof MultiSearchResponse>;

export const ProductIds = {
  type: "object",
  required: ["ids"],
  additionalProperties: false,
  properties: {
    ids: {
      type: "array",
      minItems: 1,
      items: {
        type: "string",
      },
    },
  },
} as const;
export type ProductIds = Parsed<typeof ProductIds>;

export const ProductsRequest = {
  type: "object",
  required: ["documents"],
  additionalProperties: false,
  properties: {
    documents: {
      type: "array",
      minItems: 1,
      items: {},
    },
  },
} as const;
export type ProductsRequest = Parsed<typeof ProductsRequest>;

export const ProductsResponse = {
  type: "object",
  required: ["results"],
  additionalProperties: false,
  properties: {
    results: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: true,
        required: ["_id"],
        properties: {
          _id: {
            type: "string",
          },
          _found: {
            type: "boolean",
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type ProductsResponse = Parsed<typeof ProductsResponse>;

export const QueryRecommendations = {
  type: "object",
  required: ["suggestions"],
  additionalProperties: false,
  properties: {
    suggestions: {
      type: "array",
      items: {
        type: "object",
        required: ["suggestion"],
        additionalProperties: false,
        properties: {
          suggestion: {
            type: "string",
          },
          namespace: {
            type: "string",
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type QueryRecommendations = Parsed<typeof QueryRecommendations>;

export const Queues = {
  type: "object",
  required: ["requests", "models", "indexes", "backups"],
  additionalProperties: false,
  properties: {
    requests: {
      type: "array",
      items: {
        type: "object",
        required: ["load", "underWay", "max"],
        additionalProperties: false,
        properties: {
          load: {
            type: "string",
            enum: ["search", "add", "update"],
          },
          underWay: {
            type: "integer",
          },
          max: {
            type: "integer",
          },
        },
      },
    },
    models: {
      type: "array",
      items: {
        type: "object",
        required: ["device", "encoder", "waiting"],
        additionalProperties: false,
        properties: {
          device: {
            type: "string",
          },
          encoder: {
            type: "string",
          },
          waiting: {
            type: "integer",
          },
        },
      },
    },
    indexes: {
      type: "array",
      items: {
        type: "object",
        required: ["indexName", "queuedWrites", "unlinkedVectors", "vectorsToRelink", "unflushedDocuments"],
        additionalProperties: false,
        properties: {
          indexName: {
            type: "string",
          },
          queuedWrites: {
            type: "integer",
          },
          unlinkedVectors: {
            type: "integer",
          },
          vectorsToRelink: {
            type: "integer",
          },
          unflushedDocuments: {
            type: "integer",
          },
        },
      },
    },
    backups: {
      type: "array",
      items: {
        type: "object",
        required: ["work", "backupId", "indexName", "bytes", "bytesOfAll"],
        additionalProperties: false,
        properties: {
          work: {
            type: "string",
            enum: ["creation", "verification", "restore"],
          },
          backupId: {
            type: "string",
          },
          indexName: {
            type: ["string", "null"],
          },
          bytes: {
            type: "integer",
          },
          bytesOfAll: {
            type: ["integer", "null"],
          },
        },
      },
    },
    hostedIndexes: {
      type: "array",
      items: {
        type: "object",
        required: ["indexName", "state"],
        additionalProperties: false,
        properties: {
          indexName: {
            type: "string",
          },
          state: {
            type: "string",
          },
        },
      },
    },
    eventsWaiting: {
      type: "integer",
    },
    telemetry: Telemetry,
  },
} as const;
export type Queues = Parsed<typeof Queues>;

/** One of `userId` and `sessionId` at least; with both, what either had to do with counts. */
export const RecommendForYouRequest = {
  type: "object",
  properties: {
    userId: {
      type: ["string", "null"],
    },
    sessionId: {
      type: ["string", "null"],
    },
    limit: {
      type: "integer",
      default: 10,
    },
    attributesToRetrieve: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    filter: {
      type: ["string", "null"],
    },
  },
  additionalProperties: false,
} as const;
export type RecommendForYouRequest = Parsed<typeof RecommendForYouRequest>;

export const RecommendQueriesRequest = {
  type: "object",
  additionalProperties: false,
  properties: {
    q: {
      type: ["string", "null"],
    },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: 100,
      default: 10,
    },
    userId: {
      type: ["string", "null"],
    },
    sessionId: {
      type: ["string", "null"],
    },
    namespace: {
      type: ["string", "null"],
    },
  },
} as const;
export type RecommendQueriesRequest = Parsed<typeof RecommendQueriesRequest>;

/** Which documents to start from, and how to search. The other members are those of a search by vectors. */
export const RecommendRequest = {
  type: "object",
  required: ["documents"],
  properties: {
    documents: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "string",
          },
        },
        {
          type: "object",
          maxProperties: 1000,
          additionalProperties: {
            type: "number",
          },
        },
      ],
    },
    tensorFields: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    excludeInputDocuments: {
      type: ["boolean", "null"],
    },
    allowMissingDocuments: {
      type: ["boolean", "null"],
    },
    allowMissingEmbeddings: {
      type: ["boolean", "null"],
    },
    limit: {
      type: ["integer", "null"],
    },
    offset: {
      type: ["integer", "null"],
    },
    showHighlights: {
      type: ["boolean", "null"],
    },
    reRanker: {},
    filter: {
      type: ["string", "null"],
    },
    searchableAttributes: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    attributesToRetrieve: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    explain: {
      type: ["boolean", "null"],
    },
    efSearch: {
      type: ["integer", "null"],
      exclusiveMinimum: 0,
      maximum: 20000,
    },
    approximate: {
      type: ["boolean", "null"],
    },
    approximateThreshold: {
      type: ["number", "null"],
    },
    interpolationMethod: {
      type: ["string", "null"],
      enum: ["lerp", "nlerp", "slerp", null],
    },
    scoreModifiers: {
      anyOf: [
        ScoreModifiers,
        {
          type: "null",
        },
      ],
    },
    rerankDepth: {
      type: ["integer", "null"],
      maximum: 10000,
    },
  },
  additionalProperties: false,
} as const;
export type RecommendRequest = Parsed<typeof RecommendRequest>;

export const RecommendSimilarRequest = {
  type: "object",
  required: ["documentIds"],
  properties: {
    documentIds: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: {
        type: "string",
      },
    },
    limit: {
      type: "integer",
      default: 10,
    },
    attributesToRetrieve: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    filter: {
      type: ["string", "null"],
    },
  },
  additionalProperties: false,
} as const;
export type RecommendSimilarRequest = Parsed<typeof RecommendSimilarRequest>;

export const RestoreRequest = {
  type: "object",
  required: ["indexName"],
  additionalProperties: false,
  properties: {
    indexName: {
      type: "string",
    },
    as: {
      type: ["string", "null"],
    },
  },
} as const;
export type RestoreRequest = Parsed<typeof RestoreRequest>;

export const RotatedIndexId = {
  type: "object",
  required: ["index", "indexId", "earlierIndexIds"],
  additionalProperties: false,
  properties: {
    index: {
      type: "string",
    },
    indexId: {
      type: "string",
    },
    earlierIndexIds: {
      type: "array",
      items: EarlierIndexId,
    },
    telemetry: Telemetry,
  },
} as const;
export type RotatedIndexId = Parsed<typeof RotatedIndexId>;

/** The queries to read. */
export const ScanQueriesRequest = {
  type: "object",
  additionalProperties: false,
  properties: {
    cursor: {
      type: ["string", "null"],
    },
    limit: {
      type: ["integer", "null"],
      exclusiveMinimum: 0,
      maximum: 1000,
    },
  },
} as const;
export type ScanQueriesRequest = Parsed<typeof ScanQueriesRequest>;

/** Numbers of the caller's own, answered as they are. */
export const SuggestionMetadata = {
  type: "object",
  maxProperties: 64,
  additionalProperties: {
    type: "number",
  },
} as const;
export type SuggestionMetadata = Parsed<typeof SuggestionMetadata>;

export const ScanQueriesResponse = {
  type: "object",
  required: ["queries", "cursor"],
  additionalProperties: false,
  properties: {
    queries: {
      type: "array",
      items: {
        type: "object",
        required: ["query", "popularity", "metadata"],
        additionalProperties: false,
        properties: {
          query: {
            type: "string",
          },
          popularity: {
            type: "number",
          },
          metadata: SuggestionMetadata,
        },
      },
    },
    cursor: {
      type: ["string", "null"],
    },
    telemetry: Telemetry,
  },
} as const;
export type ScanQueriesResponse = Parsed<typeof ScanQueriesResponse>;

/** The documents to read. A cursor stands for the rest of a scan, whose other members were given when it began. */
export const ScanRequest = {
  type: "object",
  additionalProperties: false,
  properties: {
    cursor: {
      type: ["string", "null"],
    },
    limit: {
      type: ["integer", "null"],
      exclusiveMinimum: 0,
      maximum: 10000,
    },
    filter: {
      type: ["string", "null"],
    },
    attributesToRetrieve: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    exposeFacets: {
      type: ["boolean", "null"],
    },
    exposeTensors: {
      type: ["boolean", "null"],
    },
  },
} as const;
export type ScanRequest = Parsed<typeof ScanRequest>;

/** The tensors of a document, one entry for each of its tensor fields, exactly as they are stored. A scan with `exposeTensors` gives them, an add with `useGivenTensors` takes them: chunks must be of the document's own fields, and vectors of the index's dimension, finite, and of length 1 where the index normalizes. At most 1000 chunks a field. */
export const Tensors = {
  type: "array",
  items: {
    type: "object",
    required: ["field", "kind", "chunks", "vectors"],
    additionalProperties: false,
    properties: {
      field: {
        type: "string",
      },
      kind: {
        type: "string",
        enum: ["text", "custom_vector", "multimodal_combination"],
      },
      weights: {
        type: "object",
        additionalProperties: {
          type: "number",
        },
      },
      chunks: {
        type: "array",
        items: {
          type: "string",
        },
      },
      vectors: {
        type: ["string", "null"],
        contentEncoding: "base64",
      },
    },
  },
} as const;
export type Tensors = Parsed<typeof Tensors>;

/** Members are the document's fields; `_id` is its id, `_tensor_facets` its chunks and `_tensors` its tensors where asked for. */
export const StoredDocument = {
  type: "object",
  additionalProperties: true,
  properties: {
    _id: {
      type: "string",
    },
    _tensor_facets: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: true,
        required: ["_embedding"],
        properties: {
          _embedding: {
            anyOf: [
              {
                type: "array",
                items: {
                  type: "number",
                },
              },
              {
                type: "null",
              },
            ],
          },
        },
      },
    },
    _tensors: Tensors,
  },
  required: ["_id"],
} as const;
export type StoredDocument = Parsed<typeof StoredDocument>;

export const ScanResponse = {
  type: "object",
  required: ["documents", "cursor"],
  additionalProperties: false,
  properties: {
    documents: {
      type: "array",
      items: StoredDocument,
    },
    cursor: {
      type: ["string", "null"],
    },
    telemetry: Telemetry,
  },
} as const;
export type ScanResponse = Parsed<typeof ScanResponse>;

/** A query, and how to search for it. */
export const SearchRequest = {
  type: "object",
  properties: {
    q: {
      anyOf: [
        {
          type: "string",
        },
        {
          type: "object",
          required: ["customVector"],
          additionalProperties: false,
          properties: {
            customVector: {
              type: "object",
              required: ["vector"],
              additionalProperties: false,
              properties: {
                vector: Vector,
                content: {
                  type: ["string", "null"],
                },
              },
            },
          },
        },
        WeightedTexts,
        {
          type: "null",
        },
      ],
    },
    withCursor: {
      type: ["boolean", "null"],
    },
    cursor: {
      type: ["string", "null"],
    },
    showHighlights: {
      type: "boolean",
      default: true,
    },
    highlight: {
      type: ["boolean", "null"],
    },
    lexicalHighlights: {
      anyOf: [
        {
          type: "boolean",
        },
        LexicalHighlights,
        {
          type: "null",
        },
      ],
    },
    searchMethod: {
      type: ["string", "null"],
      enum: ["TENSOR", "LEXICAL", "HYBRID", null],
      "x-any-case": true,
      default: "TENSOR",
    },
    hybridParameters: {
      anyOf: [
        HybridParameters,
        {
          type: "null",
        },
      ],
    },
    textQueryPrefix: {
      type: ["string", "null"],
    },
    context: {
      anyOf: [
        SearchContext,
        {
          type: "null",
        },
      ],
    },
    modelAuth: OptionalModelAuth,
    imageDownloadHeaders: Headers,
    image_download_headers: Headers,
    mediaDownloadHeaders: Headers,
    media_download_headers: Headers,
    reRanker: {},
    boost: {
      anyOf: [
        {
          type: "object",
          additionalProperties: {},
        },
        {
          type: "null",
        },
      ],
    },
    facets: {
      anyOf: [
        Facets,
        {
          type: "null",
        },
      ],
    },
    trackTotalHits: {
      type: ["boolean", "null"],
    },
    language: {
      type: ["string", "null"],
    },
    fieldWeights: {
      anyOf: [
        {
          type: "object",
          maxProperties: 1000,
          additionalProperties: {
            type: "number",
            minimum: 0.001,
            maximum: 1000,
          },
        },
        {
          type: "null",
        },
      ],
    },
    stopWords: {
      anyOf: [
        {
          type: "string",
          enum: ["none", "auto", "ca", "da", "de", "en", "es", "fi", "fr", "ga", "hu", "id", "it", "nl", "no", "pl", "pt", "ro", "sv", "tr"],
        },
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    textRanking: {
      anyOf: [
        {
          type: "boolean",
        },
        TextRanking,
        {
          type: "null",
        },
      ],
    },
    prefix: {
      anyOf: [
        {
          type: "string",
          enum: ["last", "all", "none"],
        },
        {
          type: "object",
          maxProperties: 1000,
          additionalProperties: {
            type: "string",
            enum: ["last", "all", "none"],
          },
        },
        {
          type: "null",
        },
      ],
    },
    typoTolerance: {
      anyOf: [
        {
          type: "boolean",
        },
        TypoTolerance,
        {
          type: "null",
        },
      ],
    },
    splitJoinTokens: {
      type: ["boolean", "null"],
    },
    decompound: {
      type: ["boolean", "null"],
    },
    phraseSlop: {
      type: ["integer", "null"],
      minimum: 0,
      maximum: 100,
    },
    didYouMean: {
      type: ["boolean", "null"],
    },
    sparseQuery: {
      anyOf: [
        SparseQuery,
        {
          type: "null",
        },
      ],
    },
    relevanceCutoff: {
      anyOf: [
        RelevanceCutoff,
        {
          type: "null",
        },
      ],
    },
    lateInteraction: {
      anyOf: [
        LateInteraction,
        {
          type: "null",
        },
      ],
    },
    diversity: {
      anyOf: [
        Diversity,
        {
          type: "null",
        },
      ],
    },
    rerank: {
      anyOf: [
        Rerank,
        {
          type: "null",
        },
      ],
    },
    collapseFields: {
      anyOf: [
        {
          type: "array",
          items: SearchCollapse,
        },
        {
          type: "null",
        },
      ],
    },
    pinned: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: PinnedDocument,
        },
        {
          type: "null",
        },
      ],
    },
    hidden: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    rules: {
      type: ["boolean", "null"],
    },
    recencyParameters: {
      anyOf: [
        RecencyParameters,
        {
          type: "null",
        },
      ],
    },
    distanceParameters: {
      anyOf: [
        DistanceParameters,
        {
          type: "null",
        },
      ],
    },
    distances: {
      anyOf: [
        {
          type: "array",
          minItems: 1,
          maxItems: 3,
          items: {
            type: "object",
            required: ["fieldName", "from"],
            additionalProperties: false,
            properties: {
              fieldName: {
                type: "string",
              },
              from: GeoPoint,
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    filter: {
      type: ["string", "null"],
    },
    limit: {
      type: "integer",
      default: 10,
    },
    offset: {
      type: "integer",
      default: 0,
    },
    sortBy: {
      anyOf: [
        SortBy,
        {
          type: "null",
        },
      ],
    },
    searchableAttributes: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    attributesToRetrieve: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    explain: {
      type: ["boolean", "null"],
    },
    efSearch: {
      type: ["integer", "null"],
      exclusiveMinimum: 0,
      maximum: 20000,
    },
    approximate: {
      type: ["boolean", "null"],
    },
    approximateThreshold: {
      type: ["number", "null"],
    },
    interpolationMethod: {
      type: ["string", "null"],
      enum: ["lerp", "nlerp", "slerp", null],
    },
    scoreModifiers: {
      anyOf: [
        ScoreModifiers,
        {
          type: "null",
        },
      ],
    },
    rerankDepth: {
      type: ["integer", "null"],
      maximum: 10000,
    },
  },
  additionalProperties: false,
} as const;
export type SearchRequest = Parsed<typeof SearchRequest>;

/** The result that a change of settings would have. */
export const SettingsTrial = {
  type: "object",
  required: ["error", "updated", "oldSettings", "newSettings", "reason"],
  additionalProperties: false,
  properties: {
    error: {
      type: "boolean",
    },
    updated: {
      type: "boolean",
    },
    oldSettings: IndexSettingsResponse,
    newSettings: IndexSettingsResponse,
    reason: {
      type: "string",
    },
    telemetry: Telemetry,
  },
} as const;
export type SettingsTrial = Parsed<typeof SettingsTrial>;

export const ShopIndexList = {
  type: "object",
  required: ["results"],
  additionalProperties: false,
  properties: {
    results: {
      type: "array",
      items: HostedIndexRecord,
    },
    telemetry: Telemetry,
  },
} as const;
export type ShopIndexList = Parsed<typeof ShopIndexList>;

export const ShopIndexRequest = {
  type: "object",
  required: ["indexName", "modelType"],
  additionalProperties: false,
  properties: {
    indexName: {
      type: "string",
    },
    modelType: {
      type: "string",
    },
    model: {
      type: ["string", "null"],
    },
    modelProperties: {
      anyOf: [
        {
          type: "object",
          maxProperties: 100,
        },
        {
          type: "null",
        },
      ],
    },
    collectionField: {
      type: ["string", "null"],
    },
  },
} as const;
export type ShopIndexRequest = Parsed<typeof ShopIndexRequest>;

export const ShopLearning = {
  type: "object",
  required: ["state", "startedAt", "finishedAt", "progress", "outcome", "reason", "queries", "comparison", "appliedVersion"],
  additionalProperties: false,
  properties: {
    state: {
      type: "string",
      enum: ["none", "waiting", "running", "done", "failed", "cancelled"],
    },
    startedAt: {
      type: ["string", "null"],
    },
    finishedAt: {
      type: ["string", "null"],
    },
    progress: {
      type: "number",
    },
    outcome: {
      anyOf: [
        {
          type: "string",
          enum: ["unchanged", "proposed", "applied"],
        },
        {
          type: "null",
        },
      ],
    },
    reason: {
      type: ["string", "null"],
    },
    queries: {
      type: ["integer", "null"],
    },
    comparison: {
      anyOf: [
        LearnedWeights,
        {
          type: "null",
        },
      ],
    },
    appliedVersion: {
      type: ["integer", "null"],
    },
    telemetry: Telemetry,
  },
} as const;
export type ShopLearning = Parsed<typeof ShopLearning>;

export const ShopLearningRequest = {
  type: "object",
  additionalProperties: false,
  properties: {
    days: {
      type: "integer",
      minimum: 1,
      maximum: 365,
      default: 90,
    },
    apply: {
      type: "boolean",
      default: false,
    },
  },
} as const;
export type ShopLearningRequest = Parsed<typeof ShopLearningRequest>;

export const ShopProfile = {
  type: "object",
  additionalProperties: false,
  properties: {
    searchableFields: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    fieldWeights: {
      anyOf: [
        {
          type: "object",
          maxProperties: 20,
          additionalProperties: {
            type: "number",
            minimum: 0.001,
            maximum: 1000,
          },
        },
        {
          type: "null",
        },
      ],
    },
    alpha: {
      type: ["number", "null"],
      minimum: 0,
      maximum: 1,
    },
    facetFields: {
      anyOf: [
        {
          type: "object",
          maxProperties: 100,
          additionalProperties: FacetField,
        },
        {
          type: "null",
        },
      ],
    },
    sortFields: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    collapseField: {
      type: ["string", "null"],
    },
    defaultFilter: {
      type: ["string", "null"],
    },
    relevanceCutoff: {
      anyOf: [
        RelevanceCutoff,
        {
          type: "null",
        },
      ],
    },
    synonyms: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "object",
            required: ["terms"],
            additionalProperties: false,
            properties: {
              terms: {
                type: "array",
                minItems: 1,
                maxItems: 50,
                items: {
                  type: "string",
                },
              },
              from: {
                type: ["string", "null"],
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    redirects: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "object",
            required: ["query", "url"],
            additionalProperties: false,
            properties: {
              query: {
                type: "string",
              },
              url: {
                type: "string",
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    pins: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "object",
            required: ["query", "documentIds"],
            additionalProperties: false,
            properties: {
              query: {
                type: "string",
              },
              documentIds: {
                type: "array",
                minItems: 1,
                maxItems: 50,
                items: {
                  type: "string",
                },
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    hidden: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "object",
            required: ["query", "productIds"],
            additionalProperties: false,
            properties: {
              query: {
                type: "string",
              },
              productIds: {
                type: "array",
                minItems: 1,
                maxItems: 50,
                items: {
                  type: "string",
                },
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    boosts: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "object",
            required: ["fieldName", "weight"],
            additionalProperties: false,
            properties: {
              fieldName: {
                type: "string",
              },
              weight: {
                type: "number",
              },
              query: {
                type: ["string", "null"],
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
  },
} as const;
export type ShopProfile = Parsed<typeof ShopProfile>;

export const ShopSearchRequest = {
  type: "object",
  properties: {
    q: {
      type: ["string", "null"],
    },
    attributesToRetrieve: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    facets: {
      anyOf: [
        Facets,
        {
          type: "null",
        },
      ],
    },
    prefix: {
      anyOf: [
        {
          type: "string",
          enum: ["last", "all", "none"],
        },
        {
          type: "null",
        },
      ],
    },
    typoTolerance: {
      type: ["boolean", "null"],
    },
    profileId: {
      type: ["string", "null"],
    },
    userId: {
      type: ["string", "null"],
    },
    sessionId: {
      type: ["string", "null"],
    },
    filter: {
      type: ["string", "null"],
    },
    limit: {
      type: "integer",
      default: 10,
    },
    offset: {
      type: "integer",
      default: 0,
    },
    sortBy: {
      anyOf: [
        SortBy,
        {
          type: "null",
        },
      ],
    },
  },
  additionalProperties: false,
} as const;
export type ShopSearchRequest = Parsed<typeof ShopSearchRequest>;

export const ShopSearchResponse = {
  type: "object",
  required: ["hits", "query", "limit", "offset", "processingTimeMs", "queryId", "redirect"],
  additionalProperties: false,
  properties: {
    hits: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: true,
        required: ["_id", "_score"],
        properties: {
          _id: {
            type: "string",
          },
          _score: {
            type: "number",
          },
        },
      },
    },
    facets: {
      type: "object",
      additionalProperties: {
        type: "object",
      },
    },
    totalHits: {
      type: "integer",
    },
    query: {
      type: ["string", "null"],
    },
    limit: {
      type: "integer",
    },
    offset: {
      type: "integer",
    },
    processingTimeMs: {
      type: "integer",
    },
    queryId: {
      type: "string",
    },
    redirect: {
      type: ["string", "null"],
    },
    telemetry: Telemetry,
  },
} as const;
export type ShopSearchResponse = Parsed<typeof ShopSearchResponse>;

/** How a shop searches, and who may call it. An error in it answers 400 or 422, and nothing is changed. */
export const ShopSettings = {
  type: "object",
  additionalProperties: false,
  properties: {
    searchableFields: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    fieldWeights: {
      anyOf: [
        {
          type: "object",
          maxProperties: 20,
          additionalProperties: {
            type: "number",
            minimum: 0.001,
            maximum: 1000,
          },
        },
        {
          type: "null",
        },
      ],
    },
    alpha: {
      type: ["number", "null"],
      minimum: 0,
      maximum: 1,
    },
    facetFields: {
      anyOf: [
        {
          type: "object",
          maxProperties: 100,
          additionalProperties: FacetField,
        },
        {
          type: "null",
        },
      ],
    },
    sortFields: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    collapseField: {
      type: ["string", "null"],
    },
    defaultFilter: {
      type: ["string", "null"],
    },
    relevanceCutoff: {
      anyOf: [
        RelevanceCutoff,
        {
          type: "null",
        },
      ],
    },
    synonyms: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "object",
            required: ["terms"],
            additionalProperties: false,
            properties: {
              terms: {
                type: "array",
                minItems: 1,
                maxItems: 50,
                items: {
                  type: "string",
                },
              },
              from: {
                type: ["string", "null"],
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    redirects: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "object",
            required: ["query", "url"],
            additionalProperties: false,
            properties: {
              query: {
                type: "string",
              },
              url: {
                type: "string",
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    pins: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "object",
            required: ["query", "documentIds"],
            additionalProperties: false,
            properties: {
              query: {
                type: "string",
              },
              documentIds: {
                type: "array",
                minItems: 1,
                maxItems: 50,
                items: {
                  type: "string",
                },
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    hidden: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "object",
            required: ["query", "productIds"],
            additionalProperties: false,
            properties: {
              query: {
                type: "string",
              },
              productIds: {
                type: "array",
                minItems: 1,
                maxItems: 50,
                items: {
                  type: "string",
                },
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    boosts: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "object",
            required: ["fieldName", "weight"],
            additionalProperties: false,
            properties: {
              fieldName: {
                type: "string",
              },
              weight: {
                type: "number",
              },
              query: {
                type: ["string", "null"],
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    profiles: {
      anyOf: [
        {
          type: "object",
          maxProperties: 50,
          additionalProperties: ShopProfile,
        },
        {
          type: "null",
        },
      ],
    },
    suggestions: {
      anyOf: [
        {
          type: "array",
          maxItems: 1000,
          items: {
            type: "object",
            required: ["suggestion"],
            additionalProperties: false,
            properties: {
              suggestion: {
                type: "string",
              },
              namespace: {
                type: ["string", "null"],
              },
            },
          },
        },
        {
          type: "null",
        },
      ],
    },
    publicFields: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    requireApiKey: {
      type: ["boolean", "null"],
    },
    allowedOrigins: {
      anyOf: [
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
          },
        },
        {
          type: "null",
        },
      ],
    },
    learnsWeights: {
      type: ["boolean", "null"],
    },
    customerId: {
      type: ["string", "null"],
    },
  },
} as const;
export type ShopSettings = Parsed<typeof ShopSettings>;

export const ShopSettingsResponse = {
  type: "object",
  required: ["version", "updatedAt", "settings"],
  additionalProperties: false,
  properties: {
    version: {
      type: "integer",
    },
    updatedAt: {
      type: ["string", "null"],
    },
    settings: ShopSettings,
    learned: LearnedWeights,
    telemetry: Telemetry,
  },
} as const;
export type ShopSettingsResponse = Parsed<typeof ShopSettingsResponse>;

export const ShopSettingsVersions = {
  type: "object",
  required: ["versions"],
  additionalProperties: false,
  properties: {
    versions: {
      type: "array",
      items: {
        type: "object",
        required: ["version", "updatedAt", "settings"],
        additionalProperties: false,
        properties: {
          version: {
            type: "integer",
          },
          updatedAt: {
            type: ["string", "null"],
          },
          settings: ShopSettings,
          learned: LearnedWeights,
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type ShopSettingsVersions = Parsed<typeof ShopSettingsVersions>;

export const SlowRequests = {
  type: "object",
  required: ["slowRequests"],
  additionalProperties: false,
  properties: {
    slowRequests: {
      type: "array",
      items: {
        type: "object",
        required: ["at", "requestId", "operation", "index", "status", "ms", "stagesMs"],
        additionalProperties: false,
        properties: {
          at: {
            type: "string",
          },
          requestId: {
            type: "string",
          },
          operation: {
            type: ["string", "null"],
          },
          index: {
            type: ["string", "null"],
          },
          status: {
            type: "integer",
          },
          ms: {
            type: "number",
          },
          stagesMs: {
            type: "object",
            additionalProperties: false,
            properties: {
              plan: {
                type: "number",
              },
              embed: {
                type: "number",
              },
              search: {
                type: "number",
              },
            },
          },
          documents: {
            type: "integer",
          },
          search: {
            type: "object",
            required: ["retrieval", "ranking", "limit", "offset", "efSearch", "filterLength", "facets", "sort", "collapse", "contextDocuments", "changesScores", "highlights", "explain", "totalHits"],
            additionalProperties: false,
            properties: {
              retrieval: {
                type: "string",
              },
              ranking: {
                type: "string",
              },
              limit: {
                type: "integer",
              },
              offset: {
                type: "integer",
              },
              efSearch: {
                type: ["integer", "null"],
              },
              filterLength: {
                type: "integer",
              },
              facets: {
                type: "boolean",
              },
              sort: {
                type: "boolean",
              },
              collapse: {
                type: "boolean",
              },
              contextDocuments: {
                type: "boolean",
              },
              changesScores: {
                type: "boolean",
              },
              highlights: {
                type: "boolean",
              },
              explain: {
                type: "boolean",
              },
              totalHits: {
                type: "boolean",
              },
            },
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type SlowRequests = Parsed<typeof SlowRequests>;

/** A typed text, and how queries that may be meant are found and ordered. */
export const SuggestRequest = {
  type: "object",
  required: ["q"],
  additionalProperties: false,
  properties: {
    q: {
      type: "string",
    },
    limit: {
      type: "integer",
      exclusiveMinimum: 0,
      maximum: 1000,
      default: 10,
    },
    fuzzyEditDistance: {
      type: "integer",
      minimum: 0,
      default: 2,
    },
    minFuzzyMatchLength: {
      type: "integer",
      minimum: 0,
      default: 3,
    },
    popularityWeight: {
      type: ["number", "null"],
    },
    bm25Weight: {
      type: ["number", "null"],
    },
    matchAllTokens: {
      type: "boolean",
      default: false,
    },
  },
} as const;
export type SuggestRequest = Parsed<typeof SuggestRequest>;

export const SuggestResponse = {
  type: "object",
  required: ["suggestions", "processingTimeMs"],
  additionalProperties: false,
  properties: {
    suggestions: {
      type: "array",
      items: {
        type: "object",
        required: ["suggestion", "_score", "metadata"],
        additionalProperties: false,
        properties: {
          suggestion: {
            type: "string",
          },
          _score: {
            type: "number",
          },
          metadata: SuggestionMetadata,
        },
      },
    },
    processingTimeMs: {
      type: "number",
    },
    telemetry: Telemetry,
  },
} as const;
export type SuggestResponse = Parsed<typeof SuggestResponse>;

/** Queries by their texts. Case, accents and the number of blanks between words do not matter. */
export const SuggestionQueries = {
  type: "array",
  items: {
    type: "string",
  },
} as const;
export type SuggestionQueries = Parsed<typeof SuggestionQueries>;

export const SuggestionQueriesResponse = {
  type: "object",
  required: ["queries"],
  additionalProperties: false,
  properties: {
    queries: {
      type: "array",
      items: {
        type: "object",
        required: ["query", "queryWords", "queryIndex", "popularity", "metadata", "lastUpdatedAt"],
        additionalProperties: false,
        properties: {
          query: {
            type: "string",
          },
          queryWords: {
            type: "array",
            items: {
              type: "string",
            },
          },
          queryIndex: {
            type: "string",
          },
          popularity: {
            type: "number",
          },
          metadata: SuggestionMetadata,
          lastUpdatedAt: {
            type: "integer",
          },
        },
      },
    },
    telemetry: Telemetry,
  },
} as const;
export type SuggestionQueriesResponse = Parsed<typeof SuggestionQueriesResponse>;

/** The changes of some documents. */
export const UpdateDocumentsRequest = {
  type: "object",
  required: ["documents"],
  additionalProperties: false,
  properties: {
    documents: {
      type: "array",
      "x-error-kind": "sequence",
      items: {
        type: "object",
      },
    },
  },
} as const;
export type UpdateDocumentsRequest = Parsed<typeof UpdateDocumentsRequest>;

export const UpdateDocumentsResponse = {
  type: "object",
  required: ["errors", "items", "processingTimeMs", "index_name"],
  additionalProperties: false,
  properties: {
    errors: {
      type: "boolean",
    },
    items: {
      type: "array",
      items: {
        type: "object",
        required: ["status", "_id"],
        additionalProperties: false,
        properties: {
          status: {
            type: "integer",
          },
          _id: {
            type: "string",
          },
          message: {
            type: "string",
          },
          error: {
            type: "string",
          },
        },
      },
    },
    processingTimeMs: {
      type: "number",
    },
    index_name: {
      type: "string",
    },
    telemetry: Telemetry,
  },
} as const;
export type UpdateDocumentsResponse = Parsed<typeof UpdateDocumentsResponse>;

export const ValidationErrorResponse = {
  type: "object",
  required: ["detail", "message", "code", "type", "link"],
  additionalProperties: false,
  properties: {
    detail: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["loc", "msg", "type"],
        additionalProperties: false,
        properties: {
          loc: {
            type: "array",
            items: {
              type: ["string", "integer"],
            },
          },
          msg: {
            type: "string",
          },
          type: {
            type: "string",
          },
          ctx: {
            type: "object",
          },
        },
      },
    },
    message: {
      type: "string",
    },
    code: {
      type: "string",
      enum: ["unprocessable_entity"],
    },
    type: {
      type: "string",
      enum: ["invalid_request"],
    },
    link: {
      type: "string",
    },
    error: {
      type: "string",
    },
    telemetry: Telemetry,
  },
} as const;
export type ValidationErrorResponse = Parsed<typeof ValidationErrorResponse>;
