// Generated from openapi/ by `npm run generate -w @pelorus/contract`. Never edited by hand.

import { AcceptedEvents, AddDocumentsRequest, AddDocumentsResponse, AgenticContext, Alias, AliasChanges, AliasList, AliasTarget, AnalyticsMetrics, AnalyticsTerm, Backup, BackupList, BackupRequest, ChangedIndexes, ChatSuggestions, ChatSuggestionsRequest, Collection, CollectionDescription, CollectionList, CollectionRequest, CpuInfo, CreatedShopIndex, CudaInfo, Curation, CurationRequest, CurationRollBack, CurationVersions, DeleteDocumentsResponse, Discovery, DiscoveryRequest, DocumentIds, DocumentList, DocumentSelection, DualWriteReport, EmbedRequest, EmbedResponse, ErasureJob, ErrorResponse, EventBatch, GetDocumentsResponse, Health, HelpCenterJob, HelpCenterRequest, HostedIndexList, HostedIndexRecord, HostedIndexStatus, HostedResources, IndexList, IndexQueriesRequest, IndexQueriesResponse, IndexRecord, IndexSettings, IndexSettingsResponse, IndexSettingsUpdate, IndexStats, IndexStatus, IssuedKey, JudgementSet, JudgementSetList, JudgementSetRequest, JudgementSetSummary, Key, KeyList, KeyRequest, KeyUpdate, LogLines, ModelList, Money, MoneyValue, MultiSearchRequest, MultiSearchResponse, ProductIds, ProductsRequest, ProductsResponse, QueryRecommendations, Queues, RecommendForYouRequest, RecommendQueriesRequest, RecommendRequest, RecommendSimilarRequest, RestoreRequest, RotatedIndexId, ScanQueriesRequest, ScanQueriesResponse, ScanRequest, ScanResponse, SearchRequest, SearchResponse, SettingsTrial, ShopIndexList, ShopIndexRequest, ShopLearning, ShopLearningRequest, ShopSearchRequest, ShopSearchResponse, ShopSettings, ShopSettingsResponse, ShopSettingsVersions, SlowRequests, StoredDocument, SuggestRequest, SuggestResponse, SuggestionQueries, SuggestionQueriesResponse, Telemetry, UpdateDocumentsRequest, UpdateDocumentsResponse, ValidationErrorResponse } from './schemas.js';

const addDocuments = {
  operationId: "addDocuments",
  method: "POST",
  path: "/indexes/{indexName}/documents",
  service: "search",
  scope: "read_write",
  filteredKeys: true,
  load: "add",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 33554432,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: true,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      device: {
        type: "string",
      },
      non_tensor_fields: {
        type: "array",
        items: {
          type: "string",
        },
      },
      use_existing_tensors: {
        type: "boolean",
      },
      image_download_headers: {
        type: "string",
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: AddDocumentsRequest,
  responses: {
    "200": AddDocumentsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const addOrUpdateDocuments = {
  operationId: "addOrUpdateDocuments",
  method: "PUT",
  path: "/indexes/{indexName}/documents",
  service: "search",
  scope: "read_write",
  filteredKeys: true,
  load: "add",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 33554432,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: true,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      device: {
        type: "string",
      },
      non_tensor_fields: {
        type: "array",
        items: {
          type: "string",
        },
      },
      image_download_headers: {
        type: "string",
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: DocumentList,
  responses: {
    "200": AddDocumentsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const addProducts = {
  operationId: "addProducts",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/documents",
  service: "hosted",
  scope: "read_write",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 4194304,
  bodyPartsMax: 60000,
  bodyNamesMax: 60000,
  bodyValuesMax: 60000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: ProductsRequest,
  responses: {
    "200": AddDocumentsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const browseCachedCollection = {
  operationId: "browseCachedCollection",
  method: "GET",
  path: "/api/v1/indexes/{indexName}/collections",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "shopper",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: ["body"],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      body: {
        type: "string",
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": ShopSearchResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const browseCollection = {
  operationId: "browseCollection",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/collections",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "shopper",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: CollectionRequest,
  responses: {
    "200": ShopSearchResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const cancelShopLearning = {
  operationId: "cancelShopLearning",
  method: "DELETE",
  path: "/api/v1/indexes/{indexName}/settings/learning",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": ShopLearning,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const changeAliases = {
  operationId: "changeAliases",
  method: "POST",
  path: "/aliases",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: AliasChanges,
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const converse = {
  operationId: "converse",
  method: "GET",
  path: "/api/v1/indexes/{indexName}/agentic-search/converse",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: "plain",
  credential: "shopper",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: ["payload"],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      payload: {
        type: "string",
      },
      indexId: {
        type: "string",
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const createBackup = {
  operationId: "createBackup",
  method: "POST",
  path: "/backups",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: BackupRequest,
  responses: {
    "202": Backup,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const createHostedIndex = {
  operationId: "createHostedIndex",
  method: "POST",
  path: "/api/v2/indexes/{indexName}",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 1048576,
  bodyPartsMax: 60000,
  bodyNamesMax: 20000,
  bodyValuesMax: 60000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: {
    type: "object",
  },
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged", "shards_acknowledged", "index"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        shards_acknowledged: {
          type: "boolean",
        },
        index: {
          type: "string",
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const createIndex = {
  operationId: "createIndex",
  method: "POST",
  path: "/indexes/{indexName}",
  service: "search",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 1048576,
  bodyPartsMax: 60000,
  bodyNamesMax: 20000,
  bodyValuesMax: 60000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: IndexSettings,
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged", "index"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        index: {
          type: "string",
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const createIndexes = {
  operationId: "createIndexes",
  method: "POST",
  path: "/batch/indexes/create",
  service: "search",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: "batchApis",
  bodyLimitBytes: 4194304,
  bodyPartsMax: 60000,
  bodyNamesMax: 20000,
  bodyValuesMax: 60000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: {
    type: "array",
    maxItems: 100,
    items: {
      type: "object",
      additionalProperties: true,
      required: ["indexName"],
      properties: {
        indexName: {
          type: "string",
        },
      },
    },
  },
  responses: {
    "200": ChangedIndexes,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const createKey = {
  operationId: "createKey",
  method: "POST",
  path: "/api/v2/keys",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: "named",
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: KeyRequest,
  responses: {
    "200": IssuedKey,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const createShopIndex = {
  operationId: "createShopIndex",
  method: "POST",
  path: "/api/v1/indexes",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: ShopIndexRequest,
  responses: {
    "200": CreatedShopIndex,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const deleteAlias = {
  operationId: "deleteAlias",
  method: "DELETE",
  path: "/aliases/{aliasName}",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["aliasName"],
    properties: {
      aliasName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "429": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const deleteAllDocuments = {
  operationId: "deleteAllDocuments",
  method: "DELETE",
  path: "/indexes/{indexName}/documents/delete-all",
  service: "search",
  scope: "read_write",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: "batchApis",
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["documentCount"],
      additionalProperties: false,
      properties: {
        documentCount: {
          type: "integer",
        },
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const deleteAllQueries = {
  operationId: "deleteAllQueries",
  method: "DELETE",
  path: "/indexes/{indexName}/suggestions/queries/delete-all",
  service: "search",
  scope: "read_write",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: "batchApis",
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "string",
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const deleteBackup = {
  operationId: "deleteBackup",
  method: "DELETE",
  path: "/backups/{backupId}",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["backupId"],
    properties: {
      backupId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const deleteCollection = {
  operationId: "deleteCollection",
  method: "DELETE",
  path: "/api/v1/collections/{collectionId}",
  service: "hosted",
  scope: "read_write",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["collectionId"],
    properties: {
      collectionId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const deleteDocuments = {
  operationId: "deleteDocuments",
  method: "POST",
  path: "/indexes/{indexName}/documents/delete-batch",
  service: "search",
  scope: "read_write",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 2097152,
  bodyPartsMax: 50000,
  bodyNamesMax: 50000,
  bodyValuesMax: 50000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: DocumentIds,
  responses: {
    "200": DeleteDocumentsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const deleteHostedIndex = {
  operationId: "deleteHostedIndex",
  method: "DELETE",
  path: "/api/v2/indexes/{indexName}",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const deleteIndex = {
  operationId: "deleteIndex",
  method: "DELETE",
  path: "/indexes/{indexName}",
  service: "search",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const deleteIndexes = {
  operationId: "deleteIndexes",
  method: "POST",
  path: "/batch/indexes/delete",
  service: "search",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: "batchApis",
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: {
    type: "array",
    maxItems: 1000,
    items: {
      type: "string",
    },
  },
  responses: {
    "200": ChangedIndexes,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const deleteJudgementSet = {
  operationId: "deleteJudgementSet",
  method: "DELETE",
  path: "/judgement-sets/{setName}",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["setName"],
    properties: {
      setName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const deleteKey = {
  operationId: "deleteKey",
  method: "DELETE",
  path: "/api/v2/keys/{keyId}",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: "named",
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["keyId"],
    properties: {
      keyId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "429": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const deleteProducts = {
  operationId: "deleteProducts",
  method: "DELETE",
  path: "/api/v1/indexes/{indexName}/documents",
  service: "hosted",
  scope: "read_write",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: ProductIds,
  responses: {
    "200": DeleteDocumentsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const deleteProductsBatch = {
  operationId: "deleteProductsBatch",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/documents/delete-batch",
  service: "hosted",
  scope: "read_write",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: ProductIds,
  responses: {
    "200": DeleteDocumentsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const deleteQueries = {
  operationId: "deleteQueries",
  method: "DELETE",
  path: "/indexes/{indexName}/suggestions/queries",
  service: "search",
  scope: "read_write",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 2097152,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: SuggestionQueries,
  responses: {
    "200": {
      type: "string",
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const deleteShopIndex = {
  operationId: "deleteShopIndex",
  method: "DELETE",
  path: "/api/v1/indexes/{indexName}",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const discoverProducts = {
  operationId: "discoverProducts",
  method: "GET",
  path: "/api/v1/indexes/{indexName}/agentic-search",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: "plain",
  credential: "shopper",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: ["q"],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      q: {
        type: "string",
      },
      categoryResultLimit: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        default: 12,
      },
      maxCategories: {
        type: "integer",
        minimum: 1,
        maximum: 20,
        default: 5,
      },
      clickableSummary: {
        type: "boolean",
        default: true,
      },
      searchSettings: {
        type: "string",
      },
      userId: {
        type: "string",
      },
      sessionId: {
        type: "string",
      },
      indexId: {
        type: "string",
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const discoverProductsAtOnce = {
  operationId: "discoverProductsAtOnce",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/agentic-search",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: "plain",
  credential: "shopper",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: DiscoveryRequest,
  responses: {
    "200": Discovery,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const discoverProductsStreamed = {
  operationId: "discoverProductsStreamed",
  method: "GET",
  path: "/api/v1/indexes/{indexName}/agentic-search/stream",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: "plain",
  credential: "shopper",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: ["q"],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      q: {
        type: "string",
      },
      agenticSearchLimit: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        default: 12,
      },
      categoryResultLimit: {
        type: "integer",
        minimum: 1,
        maximum: 100,
      },
      maxCategories: {
        type: "integer",
        minimum: 1,
        maximum: 20,
        default: 5,
      },
      clickableSummary: {
        type: "boolean",
        default: true,
      },
      searchSettings: {
        type: "string",
      },
      userId: {
        type: "string",
      },
      sessionId: {
        type: "string",
      },
      indexId: {
        type: "string",
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const ejectModel = {
  operationId: "ejectModel",
  method: "DELETE",
  path: "/models",
  service: "search",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: ["model_name"],
    properties: {
      model_name: {
        type: "string",
      },
      model_device: {
        type: "string",
      },
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["result", "message"],
      additionalProperties: false,
      properties: {
        result: {
          type: "string",
          enum: ["success"],
        },
        message: {
          type: "string",
        },
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const embed = {
  operationId: "embed",
  method: "POST",
  path: "/indexes/{indexName}/embed",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "search",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 4194304,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      device: {
        type: "string",
      },
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: EmbedRequest,
  responses: {
    "200": EmbedResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const eraseUserEvents = {
  operationId: "eraseUserEvents",
  method: "DELETE",
  path: "/api/v1/events/users/{userId}",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["userId"],
    properties: {
      userId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: ["customerId"],
    properties: {
      customerId: {
        type: "string",
      },
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "202": ErasureJob,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const exportUbiEvents = {
  operationId: "exportUbiEvents",
  method: "GET",
  path: "/api/v1/events/ubi",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: ["customerId"],
    properties: {
      customerId: {
        type: "string",
      },
      telemetry: {
        type: "boolean",
        default: false,
      },
      after: {
        type: "string",
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["queries", "events", "next"],
      additionalProperties: false,
      properties: {
        queries: {
          type: "array",
          items: {
            type: "object",
            additionalProperties: true,
          },
        },
        events: {
          type: "array",
          items: {
            type: "object",
            additionalProperties: true,
          },
        },
        next: {
          type: ["string", "null"],
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const exportUserEvents = {
  operationId: "exportUserEvents",
  method: "GET",
  path: "/api/v1/events/users/{userId}",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["userId"],
    properties: {
      userId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: ["customerId"],
    properties: {
      customerId: {
        type: "string",
      },
      telemetry: {
        type: "boolean",
        default: false,
      },
      after: {
        type: "string",
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["events", "next"],
      additionalProperties: false,
      properties: {
        events: {
          type: "array",
          items: {
            type: "object",
            additionalProperties: true,
          },
        },
        next: {
          type: ["string", "null"],
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const getAgenticContext = {
  operationId: "getAgenticContext",
  method: "GET",
  path: "/api/v1/indexes/{indexName}/agentic-context",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: "named",
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": AgenticContext,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getAlias = {
  operationId: "getAlias",
  method: "GET",
  path: "/aliases/{aliasName}",
  service: "every",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["aliasName"],
    properties: {
      aliasName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": Alias,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getAnalyticsDataQuality = {
  operationId: "getAnalyticsDataQuality",
  method: "GET",
  path: "/api/v1/analytics/data-quality",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: ["customerId"],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      customerId: {
        type: "string",
      },
      days: {
        type: "integer",
        minimum: 1,
        maximum: 3660,
      },
      start: {
        type: "string",
      },
      end: {
        type: "string",
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["accepted", "duplicates", "late", "rejected", "rejectedByReason", "unknownDocId", "unknownDocIds"],
      additionalProperties: false,
      properties: {
        accepted: {
          type: "integer",
        },
        duplicates: {
          type: "integer",
        },
        late: {
          type: "integer",
        },
        rejected: {
          type: "integer",
        },
        rejectedByReason: {
          type: "object",
          additionalProperties: {
            type: "integer",
          },
        },
        unknownDocId: {
          type: ["integer", "null"],
        },
        unknownDocIds: {
          type: "array",
          items: {
            type: "object",
            required: ["docId", "events"],
            additionalProperties: false,
            properties: {
              docId: {
                type: "string",
              },
              events: {
                type: "integer",
              },
            },
          },
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const getAnalyticsSummary = {
  operationId: "getAnalyticsSummary",
  method: "GET",
  path: "/api/v1/analytics/summary",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: ["customerId", "context"],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      customerId: {
        type: "string",
      },
      days: {
        type: "integer",
        minimum: 1,
        maximum: 3660,
      },
      start: {
        type: "string",
      },
      end: {
        type: "string",
      },
      context: {
        type: "string",
        enum: ["searches", "collections"],
      },
      term: {
        type: "string",
      },
      label: {
        type: "string",
      },
      currency: {
        type: "string",
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["start", "end", "metrics", "previous"],
      additionalProperties: false,
      properties: {
        start: {
          type: "string",
        },
        end: {
          type: "string",
        },
        metrics: AnalyticsMetrics,
        previous: AnalyticsMetrics,
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const getAnalyticsTimeSeries = {
  operationId: "getAnalyticsTimeSeries",
  method: "GET",
  path: "/api/v1/analytics/time-series",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: ["customerId", "context", "metric"],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      customerId: {
        type: "string",
      },
      days: {
        type: "integer",
        minimum: 1,
        maximum: 3660,
      },
      start: {
        type: "string",
      },
      end: {
        type: "string",
      },
      context: {
        type: "string",
        enum: ["searches", "collections"],
      },
      term: {
        type: "string",
      },
      label: {
        type: "string",
      },
      currency: {
        type: "string",
      },
      metric: {
        type: "string",
        enum: ["totalQueries", "clickThroughRate", "addToCartRate", "conversionRate", "averageOrderValue", "totalRevenue", "totalClicks", "totalAddToCarts", "totalPurchases", "totalSessions"],
      },
      interval: {
        type: "string",
        enum: ["hour", "day"],
        default: "day",
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["metric", "interval", "points"],
      additionalProperties: false,
      properties: {
        metric: {
          type: "string",
        },
        interval: {
          type: "string",
        },
        points: {
          type: "array",
          items: {
            type: "object",
            required: ["start"],
            additionalProperties: false,
            properties: {
              start: {
                type: "string",
              },
              value: {
                type: "number",
              },
              byCurrency: Money,
            },
          },
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const getApi = {
  operationId: "getApi",
  method: "GET",
  path: "/api",
  service: "hosted",
  scope: "none",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["message", "version", "pelorus"],
      additionalProperties: false,
      properties: {
        message: {
          type: "string",
        },
        version: {
          type: "string",
        },
        pelorus: {
          type: "string",
        },
        telemetry: Telemetry,
      },
    },
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getBackup = {
  operationId: "getBackup",
  method: "GET",
  path: "/backups/{backupId}",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["backupId"],
    properties: {
      backupId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": Backup,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const getCollection = {
  operationId: "getCollection",
  method: "GET",
  path: "/api/v1/collections/{collectionId}",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["collectionId"],
    properties: {
      collectionId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": Collection,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getCpuInfo = {
  operationId: "getCpuInfo",
  method: "GET",
  path: "/device/cpu",
  service: "every",
  scope: "read",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": CpuInfo,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getCudaInfo = {
  operationId: "getCudaInfo",
  method: "GET",
  path: "/device/cuda",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": CudaInfo,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getCuration = {
  operationId: "getCuration",
  method: "GET",
  path: "/indexes/{indexName}/curation",
  service: "search",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": Curation,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getDocument = {
  operationId: "getDocument",
  method: "GET",
  path: "/indexes/{indexName}/documents/{documentId}",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName", "documentId"],
    properties: {
      indexName: {
        type: "string",
      },
      documentId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      expose_facets: {
        type: "boolean",
        default: false,
      },
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": StoredDocument,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getDocuments = {
  operationId: "getDocuments",
  method: "GET",
  path: "/indexes/{indexName}/documents",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 2097152,
  bodyPartsMax: 50000,
  bodyNamesMax: 50000,
  bodyValuesMax: 50000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      expose_facets: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: DocumentIds,
  responses: {
    "200": GetDocumentsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getDocumentsBatch = {
  operationId: "getDocumentsBatch",
  method: "POST",
  path: "/indexes/{indexName}/documents/get-batch",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 2097152,
  bodyPartsMax: 50000,
  bodyNamesMax: 50000,
  bodyValuesMax: 50000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      expose_facets: {
        type: "boolean",
        default: false,
      },
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: DocumentSelection,
  responses: {
    "200": GetDocumentsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getDualWrite = {
  operationId: "getDualWrite",
  method: "GET",
  path: "/indexes/{indexName}/dual-write",
  service: "search",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": DualWriteReport,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getErasure = {
  operationId: "getErasure",
  method: "GET",
  path: "/api/v1/events/erasures/{jobId}",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["jobId"],
    properties: {
      jobId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": ErasureJob,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const getEventRetention = {
  operationId: "getEventRetention",
  method: "GET",
  path: "/api/v1/events/retention",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: ["customerId"],
    properties: {
      customerId: {
        type: "string",
      },
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["customerId", "days"],
      additionalProperties: false,
      properties: {
        customerId: {
          type: "string",
        },
        days: {
          type: "integer",
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const getHealth = {
  operationId: "getHealth",
  method: "GET",
  path: "/health",
  service: "every",
  scope: "none",
  filteredKeys: true,
  load: "probe",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": Health,
    "403": ErrorResponse,
  },
} as const;

const getHostedIndex = {
  operationId: "getHostedIndex",
  method: "GET",
  path: "/api/v2/indexes/{indexName}",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": HostedIndexRecord,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getHostedIndexSettings = {
  operationId: "getHostedIndexSettings",
  method: "GET",
  path: "/api/v2/indexes/{indexName}/settings",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": IndexSettingsResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const getHostedIndexStats = {
  operationId: "getHostedIndexStats",
  method: "GET",
  path: "/api/v2/indexes/{indexName}/stats",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": IndexStats,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const getHostedIndexStatus = {
  operationId: "getHostedIndexStatus",
  method: "GET",
  path: "/api/v2/indexes/{indexName}/status",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["indexStatus"],
      additionalProperties: false,
      properties: {
        indexStatus: HostedIndexStatus,
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getIndex = {
  operationId: "getIndex",
  method: "GET",
  path: "/indexes/{indexName}",
  service: "search",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": IndexRecord,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getIndexHealth = {
  operationId: "getIndexHealth",
  method: "GET",
  path: "/indexes/{indexName}/health",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": Health,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getIndexSettings = {
  operationId: "getIndexSettings",
  method: "GET",
  path: "/indexes/{indexName}/settings",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": IndexSettingsResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getIndexStats = {
  operationId: "getIndexStats",
  method: "GET",
  path: "/indexes/{indexName}/stats",
  service: "search",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": IndexStats,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getIndexStatus = {
  operationId: "getIndexStatus",
  method: "GET",
  path: "/indexes/{indexName}/status",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["indexStatus"],
      additionalProperties: false,
      properties: {
        indexStatus: IndexStatus,
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getJudgementSet = {
  operationId: "getJudgementSet",
  method: "GET",
  path: "/judgement-sets/{setName}",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["setName"],
    properties: {
      setName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": JudgementSet,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getMemory = {
  operationId: "getMemory",
  method: "GET",
  path: "/memory",
  service: "search",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: "debugApi",
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["memory_used", "stats"],
      additionalProperties: false,
      properties: {
        memory_used: {
          type: "number",
        },
        stats: {
          type: "array",
          items: {
            type: "string",
          },
        },
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getMetrics = {
  operationId: "getMetrics",
  method: "GET",
  path: "/metrics",
  service: "every",
  scope: "read",
  filteredKeys: false,
  load: "probe",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {},
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "401": ErrorResponse,
    "403": ErrorResponse,
  },
} as const;

const getProducts = {
  operationId: "getProducts",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/get-documents",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: {
    type: "object",
    required: ["documentIds"],
    additionalProperties: false,
    properties: {
      documentIds: {
        type: "array",
        minItems: 1,
        maxItems: 100,
        items: {
          type: "string",
        },
      },
    },
  },
  responses: {
    "200": ProductsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const getQueries = {
  operationId: "getQueries",
  method: "GET",
  path: "/indexes/{indexName}/suggestions/queries",
  service: "search",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 2097152,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: SuggestionQueries,
  responses: {
    "200": SuggestionQueriesResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getQueues = {
  operationId: "getQueues",
  method: "GET",
  path: "/queues",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": Queues,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getRoot = {
  operationId: "getRoot",
  method: "GET",
  path: "/",
  service: "every",
  scope: "none",
  filteredKeys: true,
  load: "probe",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["message", "version", "pelorus"],
      additionalProperties: false,
      properties: {
        message: {
          type: "string",
        },
        version: {
          type: "string",
        },
        pelorus: {
          type: "string",
        },
        telemetry: Telemetry,
      },
    },
    "403": ErrorResponse,
  },
} as const;

const getShopIndex = {
  operationId: "getShopIndex",
  method: "GET",
  path: "/api/v1/indexes/{indexName}",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": HostedIndexRecord,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getShopIndexStatus = {
  operationId: "getShopIndexStatus",
  method: "GET",
  path: "/api/v1/indexes/{indexName}/status",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["indexStatus"],
      additionalProperties: false,
      properties: {
        indexStatus: HostedIndexStatus,
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getShopLearning = {
  operationId: "getShopLearning",
  method: "GET",
  path: "/api/v1/indexes/{indexName}/settings/learning",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": ShopLearning,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getShopSettings = {
  operationId: "getShopSettings",
  method: "GET",
  path: "/api/v1/indexes/{indexName}/settings",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": ShopSettingsResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const getSuggestionStats = {
  operationId: "getSuggestionStats",
  method: "GET",
  path: "/indexes/{indexName}/suggestions/stats",
  service: "search",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["indexedQueries"],
      additionalProperties: false,
      properties: {
        indexedQueries: {
          type: "integer",
          minimum: 0,
        },
        telemetry: Telemetry,
      },
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const indexQueries = {
  operationId: "indexQueries",
  method: "POST",
  path: "/indexes/{indexName}/suggestions/queries",
  service: "search",
  scope: "read_write",
  filteredKeys: false,
  load: "fill",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 2097152,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: IndexQueriesRequest,
  responses: {
    "200": IndexQueriesResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const ingestEvents = {
  operationId: "ingestEvents",
  method: "POST",
  path: "/",
  service: "hosted",
  scope: "read_write",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "tracking",
  switch: null,
  bodyLimitBytes: 2097152,
  bodyPartsMax: 60000,
  bodyNamesMax: 60000,
  bodyValuesMax: 60000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {
      prefer: {
        type: "string",
      },
    },
  },
  bodyRequired: true,
  body: EventBatch,
  responses: {
    "200": AcceptedEvents,
    "400": {
      anyOf: [
        AcceptedEvents,
        ErrorResponse,
      ],
    },
    "401": ErrorResponse,
    "403": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const learnShopWeights = {
  operationId: "learnShopWeights",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/settings/learning",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: ShopLearningRequest,
  responses: {
    "202": ShopLearning,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const listAliases = {
  operationId: "listAliases",
  method: "GET",
  path: "/aliases",
  service: "every",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": AliasList,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const listAnalyticsLabels = {
  operationId: "listAnalyticsLabels",
  method: "GET",
  path: "/api/v1/analytics/labels",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: ["customerId", "context"],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      customerId: {
        type: "string",
      },
      days: {
        type: "integer",
        minimum: 1,
        maximum: 3660,
      },
      start: {
        type: "string",
      },
      end: {
        type: "string",
      },
      context: {
        type: "string",
        enum: ["searches", "collections"],
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["results"],
      additionalProperties: false,
      properties: {
        results: {
          type: "array",
          items: {
            type: "object",
            required: ["label", "queries"],
            additionalProperties: false,
            properties: {
              label: {
                type: "string",
              },
              queries: {
                type: "integer",
              },
            },
          },
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const listAnalyticsNoClicks = {
  operationId: "listAnalyticsNoClicks",
  method: "GET",
  path: "/api/v1/analytics/no-clicks",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: ["customerId", "context"],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      customerId: {
        type: "string",
      },
      days: {
        type: "integer",
        minimum: 1,
        maximum: 3660,
      },
      start: {
        type: "string",
      },
      end: {
        type: "string",
      },
      context: {
        type: "string",
        enum: ["searches", "collections"],
      },
      label: {
        type: "string",
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        default: 10,
      },
      offset: {
        type: "integer",
        minimum: 0,
        maximum: 10000,
        default: 0,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["results"],
      additionalProperties: false,
      properties: {
        results: {
          type: "array",
          items: {
            type: "object",
            required: ["term", "count", "sessions", "lastSeen"],
            additionalProperties: false,
            properties: {
              term: {
                type: "string",
              },
              count: {
                type: "integer",
              },
              sessions: {
                type: "integer",
              },
              lastSeen: {
                type: "string",
              },
            },
          },
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const listAnalyticsNoResults = {
  operationId: "listAnalyticsNoResults",
  method: "GET",
  path: "/api/v1/analytics/no-results",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: ["customerId"],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      customerId: {
        type: "string",
      },
      days: {
        type: "integer",
        minimum: 1,
        maximum: 3660,
      },
      start: {
        type: "string",
      },
      end: {
        type: "string",
      },
      label: {
        type: "string",
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        default: 10,
      },
      offset: {
        type: "integer",
        minimum: 0,
        maximum: 10000,
        default: 0,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["results"],
      additionalProperties: false,
      properties: {
        results: {
          type: "array",
          items: {
            type: "object",
            required: ["term", "count", "sessions", "lastSeen"],
            additionalProperties: false,
            properties: {
              term: {
                type: "string",
              },
              count: {
                type: "integer",
              },
              sessions: {
                type: "integer",
              },
              lastSeen: {
                type: "string",
              },
            },
          },
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const listAnalyticsProducts = {
  operationId: "listAnalyticsProducts",
  method: "GET",
  path: "/api/v1/analytics/products",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: ["customerId", "context"],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      customerId: {
        type: "string",
      },
      days: {
        type: "integer",
        minimum: 1,
        maximum: 3660,
      },
      start: {
        type: "string",
      },
      end: {
        type: "string",
      },
      context: {
        type: "string",
        enum: ["searches", "collections"],
      },
      label: {
        type: "string",
      },
      currency: {
        type: "string",
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        default: 10,
      },
      offset: {
        type: "integer",
        minimum: 0,
        maximum: 10000,
        default: 0,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["results"],
      additionalProperties: false,
      properties: {
        results: {
          type: "array",
          items: {
            type: "object",
            required: ["docId", "impressions", "clicks", "addToCarts", "purchases", "revenue"],
            additionalProperties: false,
            properties: {
              docId: {
                type: "string",
              },
              impressions: {
                type: "integer",
              },
              clicks: {
                type: "integer",
              },
              addToCarts: {
                type: "integer",
              },
              purchases: {
                type: "integer",
              },
              revenue: MoneyValue,
            },
          },
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const listAnalyticsTerms = {
  operationId: "listAnalyticsTerms",
  method: "GET",
  path: "/api/v1/analytics/terms",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: ["customerId", "context"],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
      customerId: {
        type: "string",
      },
      days: {
        type: "integer",
        minimum: 1,
        maximum: 3660,
      },
      start: {
        type: "string",
      },
      end: {
        type: "string",
      },
      context: {
        type: "string",
        enum: ["searches", "collections"],
      },
      label: {
        type: "string",
      },
      currency: {
        type: "string",
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        default: 10,
      },
      offset: {
        type: "integer",
        minimum: 0,
        maximum: 10000,
        default: 0,
      },
      sort: {
        type: "string",
        enum: ["totalQueries", "clickThroughRate", "addToCartRate", "conversionRate", "averageOrderValue", "totalRevenue", "totalClicks", "totalAddToCarts", "totalPurchases", "totalSessions"],
        default: "totalQueries",
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["results"],
      additionalProperties: false,
      properties: {
        results: {
          type: "array",
          items: AnalyticsTerm,
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const listBackups = {
  operationId: "listBackups",
  method: "GET",
  path: "/backups",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": BackupList,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const listCollections = {
  operationId: "listCollections",
  method: "GET",
  path: "/api/v1/collections",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": CollectionList,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const listCurationVersions = {
  operationId: "listCurationVersions",
  method: "GET",
  path: "/indexes/{indexName}/curation/versions",
  service: "search",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": CurationVersions,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const listHostedIndexes = {
  operationId: "listHostedIndexes",
  method: "GET",
  path: "/api/v2/indexes",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": HostedIndexList,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const listIndexes = {
  operationId: "listIndexes",
  method: "GET",
  path: "/indexes",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": IndexList,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const listJudgementSets = {
  operationId: "listJudgementSets",
  method: "GET",
  path: "/judgement-sets",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": JudgementSetList,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const listKeys = {
  operationId: "listKeys",
  method: "GET",
  path: "/api/v2/keys",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: "named",
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": KeyList,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const listLogLines = {
  operationId: "listLogLines",
  method: "GET",
  path: "/log",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      level: {
        type: "string",
        enum: ["trace", "debug", "info", "warn", "error", "fatal"],
        default: "trace",
      },
      after: {
        type: "integer",
        minimum: 0,
        default: 0,
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 1000,
        default: 200,
      },
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": LogLines,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const listModels = {
  operationId: "listModels",
  method: "GET",
  path: "/models",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": ModelList,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const listShopIndexes = {
  operationId: "listShopIndexes",
  method: "GET",
  path: "/api/v1/indexes",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": ShopIndexList,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const listShopSettingsVersions = {
  operationId: "listShopSettingsVersions",
  method: "GET",
  path: "/api/v1/indexes/{indexName}/settings/versions",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": ShopSettingsVersions,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const listSlowRequests = {
  operationId: "listSlowRequests",
  method: "GET",
  path: "/slow-requests",
  service: "search",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": SlowRequests,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const modifyHostedIndex = {
  operationId: "modifyHostedIndex",
  method: "PUT",
  path: "/api/v2/indexes/{indexName}",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: HostedResources,
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const multiSearch = {
  operationId: "multiSearch",
  method: "POST",
  path: "/multi-search",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "search",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 6291456,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 300000,
  rawBody: true,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      device: {
        type: "string",
      },
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {
      "x-request-timeout-ms": {
        type: "integer",
        minimum: 0,
        maximum: 600000,
      },
    },
  },
  bodyRequired: true,
  body: MultiSearchRequest,
  responses: {
    "200": MultiSearchResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const putAgenticContext = {
  operationId: "putAgenticContext",
  method: "PUT",
  path: "/api/v1/indexes/{indexName}/agentic-context",
  service: "hosted",
  scope: "read_write",
  filteredKeys: false,
  load: "none",
  scopeTable: "named",
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: {
    type: "object",
    required: ["text"],
    additionalProperties: false,
    properties: {
      text: {
        type: "string",
      },
    },
  },
  responses: {
    "200": AgenticContext,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const putAlias = {
  operationId: "putAlias",
  method: "PUT",
  path: "/aliases/{aliasName}",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["aliasName"],
    properties: {
      aliasName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: AliasTarget,
  responses: {
    "200": Alias,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const putCollection = {
  operationId: "putCollection",
  method: "POST",
  path: "/api/v1/collections",
  service: "hosted",
  scope: "read_write",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: CollectionDescription,
  responses: {
    "200": Collection,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const putCuration = {
  operationId: "putCuration",
  method: "PUT",
  path: "/indexes/{indexName}/curation",
  service: "search",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 262144,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {
      "if-match": {
        type: "string",
      },
    },
  },
  bodyRequired: true,
  body: CurationRequest,
  responses: {
    "200": Curation,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "412": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const putJudgementSet = {
  operationId: "putJudgementSet",
  method: "PUT",
  path: "/judgement-sets/{setName}",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 2097152,
  bodyPartsMax: 50000,
  bodyNamesMax: 50000,
  bodyValuesMax: 50000,
  rawBody: false,
  params: {
    type: "object",
    required: ["setName"],
    properties: {
      setName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: JudgementSetRequest,
  responses: {
    "200": JudgementSetSummary,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "412": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const recommend = {
  operationId: "recommend",
  method: "POST",
  path: "/indexes/{indexName}/recommend",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "search",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 1048576,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {
      "x-request-timeout-ms": {
        type: "integer",
        minimum: 0,
        maximum: 600000,
      },
    },
  },
  bodyRequired: true,
  body: RecommendRequest,
  responses: {
    "200": SearchResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const recommendForYou = {
  operationId: "recommendForYou",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/recommendations/for-you",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "shopper",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: RecommendForYouRequest,
  responses: {
    "200": ShopSearchResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const recommendQueries = {
  operationId: "recommendQueries",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/recommendations/queries",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "shopper",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: RecommendQueriesRequest,
  responses: {
    "200": QueryRecommendations,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const recommendSimilar = {
  operationId: "recommendSimilar",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/recommendations/similar",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "shopper",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: RecommendSimilarRequest,
  responses: {
    "200": ShopSearchResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const reindexHelpCenter = {
  operationId: "reindexHelpCenter",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/help-center/reindex",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: "named",
  credential: "key",
  switch: null,
  bodyLimitBytes: 1048576,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: HelpCenterRequest,
  responses: {
    "202": HelpCenterJob,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const repairDualWrite = {
  operationId: "repairDualWrite",
  method: "POST",
  path: "/indexes/{indexName}/dual-write",
  service: "search",
  scope: "read_write",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const restoreBackup = {
  operationId: "restoreBackup",
  method: "POST",
  path: "/backups/{backupId}/restore",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["backupId"],
    properties: {
      backupId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: RestoreRequest,
  responses: {
    "202": Backup,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const rollBackCuration = {
  operationId: "rollBackCuration",
  method: "POST",
  path: "/indexes/{indexName}/curation/roll-back",
  service: "search",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {
      "if-match": {
        type: "string",
      },
    },
  },
  bodyRequired: true,
  body: CurationRollBack,
  responses: {
    "200": Curation,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "412": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const rollBackShopSettings = {
  operationId: "rollBackShopSettings",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/settings/roll-back",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {
      "if-match": {
        type: "string",
      },
    },
  },
  bodyRequired: true,
  body: {
    type: "object",
    required: ["version"],
    additionalProperties: false,
    properties: {
      version: {
        type: "integer",
        minimum: 0,
      },
    },
  },
  responses: {
    "200": ShopSettingsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "412": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const rotateKey = {
  operationId: "rotateKey",
  method: "POST",
  path: "/api/v2/keys/{keyId}/rotate",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: "named",
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["keyId"],
    properties: {
      keyId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: {
    anyOf: [
      {
        type: "object",
        additionalProperties: false,
        properties: {
          overlapSeconds: {
            type: "integer",
            minimum: 0,
            maximum: 2592000,
            default: 0,
          },
        },
      },
      {
        type: "null",
      },
    ],
  },
  responses: {
    "200": IssuedKey,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const rotateShopIndexId = {
  operationId: "rotateShopIndexId",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/index-id/rotate",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: {
    anyOf: [
      {
        type: "object",
        additionalProperties: false,
        properties: {
          overlapSeconds: {
            type: "integer",
            minimum: 0,
            maximum: 2592000,
            default: 0,
          },
        },
      },
      {
        type: "null",
      },
    ],
  },
  responses: {
    "200": RotatedIndexId,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const scanDocuments = {
  operationId: "scanDocuments",
  method: "POST",
  path: "/indexes/{indexName}/documents/scan",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: ScanRequest,
  responses: {
    "200": ScanResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "410": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const scanQueries = {
  operationId: "scanQueries",
  method: "POST",
  path: "/indexes/{indexName}/suggestions/queries/scan",
  service: "search",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: ScanQueriesRequest,
  responses: {
    "200": ScanQueriesResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const search = {
  operationId: "search",
  method: "POST",
  path: "/indexes/{indexName}/search",
  service: "search",
  scope: "read",
  filteredKeys: true,
  load: "search",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 6291456,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 300000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      device: {
        type: "string",
      },
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {
      "x-request-timeout-ms": {
        type: "integer",
        minimum: 0,
        maximum: 600000,
      },
    },
  },
  bodyRequired: true,
  body: SearchRequest,
  responses: {
    "200": SearchResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "410": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const searchProducts = {
  operationId: "searchProducts",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/search",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "shopper",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: ShopSearchRequest,
  responses: {
    "200": ShopSearchResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const setEventRetention = {
  operationId: "setEventRetention",
  method: "PUT",
  path: "/api/v1/events/retention",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: [],
    properties: {},
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: {
    type: "object",
    required: ["customerId", "days"],
    additionalProperties: false,
    properties: {
      customerId: {
        type: "string",
      },
      days: {
        type: "integer",
        minimum: 1,
        maximum: 730,
      },
    },
  },
  responses: {
    "200": {
      type: "object",
      required: ["acknowledged"],
      additionalProperties: false,
      properties: {
        acknowledged: {
          type: "boolean",
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

const suggest = {
  operationId: "suggest",
  method: "POST",
  path: "/indexes/{indexName}/suggestions",
  service: "search",
  scope: "read",
  filteredKeys: false,
  load: "search",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: SuggestRequest,
  responses: {
    "200": SuggestResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const suggestChat = {
  operationId: "suggestChat",
  method: "POST",
  path: "/api/v1/indexes/{indexName}/agentic-search/chat-suggestions",
  service: "hosted",
  scope: "read",
  filteredKeys: false,
  load: "none",
  scopeTable: "plain",
  credential: "shopper",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: ChatSuggestionsRequest,
  responses: {
    "200": ChatSuggestions,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "504": ErrorResponse,
  },
} as const;

const updateDocuments = {
  operationId: "updateDocuments",
  method: "PATCH",
  path: "/indexes/{indexName}/documents",
  service: "search",
  scope: "read_write",
  filteredKeys: true,
  load: "update",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 33554432,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: true,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: UpdateDocumentsRequest,
  responses: {
    "200": UpdateDocumentsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const updateIndexSettings = {
  operationId: "updateIndexSettings",
  method: "PATCH",
  path: "/indexes/{indexName}/index-settings",
  service: "search",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: "opsApi",
  bodyLimitBytes: 1048576,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      dry_run: {
        type: "boolean",
        default: false,
      },
      force: {
        type: "boolean",
        default: false,
      },
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: IndexSettingsUpdate,
  responses: {
    "200": {
      anyOf: [
        {
          type: "object",
          required: ["message"],
          additionalProperties: false,
          properties: {
            message: {
              type: "string",
            },
            telemetry: Telemetry,
          },
        },
        SettingsTrial,
      ],
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const updateKey = {
  operationId: "updateKey",
  method: "PATCH",
  path: "/api/v2/keys/{keyId}",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: "named",
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["keyId"],
    properties: {
      keyId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: KeyUpdate,
  responses: {
    "200": Key,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const updateProducts = {
  operationId: "updateProducts",
  method: "PATCH",
  path: "/api/v1/indexes/{indexName}/documents",
  service: "hosted",
  scope: "read_write",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 4194304,
  bodyPartsMax: 60000,
  bodyNamesMax: 60000,
  bodyValuesMax: 60000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: true,
  body: ProductsRequest,
  responses: {
    "200": UpdateDocumentsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
    "507": ErrorResponse,
  },
} as const;

const updateShopSettings = {
  operationId: "updateShopSettings",
  method: "PATCH",
  path: "/api/v1/indexes/{indexName}/settings",
  service: "hosted",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 1048576,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {
      "if-match": {
        type: "string",
      },
    },
  },
  bodyRequired: true,
  body: ShopSettings,
  responses: {
    "200": ShopSettingsResponse,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "412": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const validateIndex = {
  operationId: "validateIndex",
  method: "POST",
  path: "/validate/index/{indexName}",
  service: "search",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: "opsApi",
  bodyLimitBytes: 1048576,
  bodyPartsMax: 60000,
  bodyNamesMax: 20000,
  bodyValuesMax: 60000,
  rawBody: false,
  params: {
    type: "object",
    required: ["indexName"],
    properties: {
      indexName: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: IndexSettings,
  responses: {
    "200": {
      type: "object",
      required: ["validated", "index"],
      additionalProperties: false,
      properties: {
        validated: {
          type: "boolean",
        },
        index: {
          type: "string",
        },
        telemetry: Telemetry,
      },
    },
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "409": ErrorResponse,
    "413": ErrorResponse,
    "422": ValidationErrorResponse,
    "429": ErrorResponse,
  },
} as const;

const verifyBackup = {
  operationId: "verifyBackup",
  method: "POST",
  path: "/backups/{backupId}/verify",
  service: "every",
  scope: "admin",
  filteredKeys: false,
  load: "none",
  scopeTable: null,
  credential: "key",
  switch: null,
  bodyLimitBytes: 65536,
  bodyPartsMax: 20000,
  bodyNamesMax: 20000,
  bodyValuesMax: 20000,
  rawBody: false,
  params: {
    type: "object",
    required: ["backupId"],
    properties: {
      backupId: {
        type: "string",
      },
    },
  },
  query: {
    type: "object",
    required: [],
    properties: {
      telemetry: {
        type: "boolean",
        default: false,
      },
    },
  },
  headers: {
    type: "object",
    required: [],
    properties: {},
  },
  bodyRequired: false,
  body: null,
  responses: {
    "202": Backup,
    "400": ErrorResponse,
    "401": ErrorResponse,
    "403": ErrorResponse,
    "404": ErrorResponse,
    "409": ErrorResponse,
    "429": ErrorResponse,
    "503": ErrorResponse,
  },
} as const;

export const operations: {
  readonly addDocuments: typeof addDocuments;
  readonly addOrUpdateDocuments: typeof addOrUpdateDocuments;
  readonly addProducts: typeof addProducts;
  readonly browseCachedCollection: typeof browseCachedCollection;
  readonly browseCollection: typeof browseCollection;
  readonly cancelShopLearning: typeof cancelShopLearning;
  readonly changeAliases: typeof changeAliases;
  readonly converse: typeof converse;
  readonly createBackup: typeof createBackup;
  readonly createHostedIndex: typeof createHostedIndex;
  readonly createIndex: typeof createIndex;
  readonly createIndexes: typeof createIndexes;
  readonly createKey: typeof createKey;
  readonly createShopIndex: typeof createShopIndex;
  readonly deleteAlias: typeof deleteAlias;
  readonly deleteAllDocuments: typeof deleteAllDocuments;
  readonly deleteAllQueries: typeof deleteAllQueries;
  readonly deleteBackup: typeof deleteBackup;
  readonly deleteCollection: typeof deleteCollection;
  readonly deleteDocuments: typeof deleteDocuments;
  readonly deleteHostedIndex: typeof deleteHostedIndex;
  readonly deleteIndex: typeof deleteIndex;
  readonly deleteIndexes: typeof deleteIndexes;
  readonly deleteJudgementSet: typeof deleteJudgementSet;
  readonly deleteKey: typeof deleteKey;
  readonly deleteProducts: typeof deleteProducts;
  readonly deleteProductsBatch: typeof deleteProductsBatch;
  readonly deleteQueries: typeof deleteQueries;
  readonly deleteShopIndex: typeof deleteShopIndex;
  readonly discoverProducts: typeof discoverProducts;
  readonly discoverProductsAtOnce: typeof discoverProductsAtOnce;
  readonly discoverProductsStreamed: typeof discoverProductsStreamed;
  readonly ejectModel: typeof ejectModel;
  readonly embed: typeof embed;
  readonly eraseUserEvents: typeof eraseUserEvents;
  readonly exportUbiEvents: typeof exportUbiEvents;
  readonly exportUserEvents: typeof exportUserEvents;
  readonly getAgenticContext: typeof getAgenticContext;
  readonly getAlias: typeof getAlias;
  readonly getAnalyticsDataQuality: typeof getAnalyticsDataQuality;
  readonly getAnalyticsSummary: typeof getAnalyticsSummary;
  readonly getAnalyticsTimeSeries: typeof getAnalyticsTimeSeries;
  readonly getApi: typeof getApi;
  readonly getBackup: typeof getBackup;
  readonly getCollection: typeof getCollection;
  readonly getCpuInfo: typeof getCpuInfo;
  readonly getCudaInfo: typeof getCudaInfo;
  readonly getCuration: typeof getCuration;
  readonly getDocument: typeof getDocument;
  readonly getDocuments: typeof getDocuments;
  readonly getDocumentsBatch: typeof getDocumentsBatch;
  readonly getDualWrite: typeof getDualWrite;
  readonly getErasure: typeof getErasure;
  readonly getEventRetention: typeof getEventRetention;
  readonly getHealth: typeof getHealth;
  readonly getHostedIndex: typeof getHostedIndex;
  readonly getHostedIndexSettings: typeof getHostedIndexSettings;
  readonly getHostedIndexStats: typeof getHostedIndexStats;
  readonly getHostedIndexStatus: typeof getHostedIndexStatus;
  readonly getIndex: typeof getIndex;
  readonly getIndexHealth: typeof getIndexHealth;
  readonly getIndexSettings: typeof getIndexSettings;
  readonly getIndexStats: typeof getIndexStats;
  readonly getIndexStatus: typeof getIndexStatus;
  readonly getJudgementSet: typeof getJudgementSet;
  readonly getMemory: typeof getMemory;
  readonly getMetrics: typeof getMetrics;
  readonly getProducts: typeof getProducts;
  readonly getQueries: typeof getQueries;
  readonly getQueues: typeof getQueues;
  readonly getRoot: typeof getRoot;
  readonly getShopIndex: typeof getShopIndex;
  readonly getShopIndexStatus: typeof getShopIndexStatus;
  readonly getShopLearning: typeof getShopLearning;
  readonly getShopSettings: typeof getShopSettings;
  readonly getSuggestionStats: typeof getSuggestionStats;
  readonly indexQueries: typeof indexQueries;
  readonly ingestEvents: typeof ingestEvents;
  readonly learnShopWeights: typeof learnShopWeights;
  readonly listAliases: typeof listAliases;
  readonly listAnalyticsLabels: typeof listAnalyticsLabels;
  readonly listAnalyticsNoClicks: typeof listAnalyticsNoClicks;
  readonly listAnalyticsNoResults: typeof listAnalyticsNoResults;
  readonly listAnalyticsProducts: typeof listAnalyticsProducts;
  readonly listAnalyticsTerms: typeof listAnalyticsTerms;
  readonly listBackups: typeof listBackups;
  readonly listCollections: typeof listCollections;
  readonly listCurationVersions: typeof listCurationVersions;
  readonly listHostedIndexes: typeof listHostedIndexes;
  readonly listIndexes: typeof listIndexes;
  readonly listJudgementSets: typeof listJudgementSets;
  readonly listKeys: typeof listKeys;
  readonly listLogLines: typeof listLogLines;
  readonly listModels: typeof listModels;
  readonly listShopIndexes: typeof listShopIndexes;
  readonly listShopSettingsVersions: typeof listShopSettingsVersions;
  readonly listSlowRequests: typeof listSlowRequests;
  readonly modifyHostedIndex: typeof modifyHostedIndex;
  readonly multiSearch: typeof multiSearch;
  readonly putAgenticContext: typeof putAgenticContext;
  readonly putAlias: typeof putAlias;
  readonly putCollection: typeof putCollection;
  readonly putCuration: typeof putCuration;
  readonly putJudgementSet: typeof putJudgementSet;
  readonly recommend: typeof recommend;
  readonly recommendForYou: typeof recommendForYou;
  readonly recommendQueries: typeof recommendQueries;
  readonly recommendSimilar: typeof recommendSimilar;
  readonly reindexHelpCenter: typeof reindexHelpCenter;
  readonly repairDualWrite: typeof repairDualWrite;
  readonly restoreBackup: typeof restoreBackup;
  readonly rollBackCuration: typeof rollBackCuration;
  readonly rollBackShopSettings: typeof rollBackShopSettings;
  readonly rotateKey: typeof rotateKey;
  readonly rotateShopIndexId: typeof rotateShopIndexId;
  readonly scanDocuments: typeof scanDocuments;
  readonly scanQueries: typeof scanQueries;
  readonly search: typeof search;
  readonly searchProducts: typeof searchProducts;
  readonly setEventRetention: typeof setEventRetention;
  readonly suggest: typeof suggest;
  readonly suggestChat: typeof suggestChat;
  readonly updateDocuments: typeof updateDocuments;
  readonly updateIndexSettings: typeof updateIndexSettings;
  readonly updateKey: typeof updateKey;
  readonly updateProducts: typeof updateProducts;
  readonly updateShopSettings: typeof updateShopSettings;
  readonly validateIndex: typeof validateIndex;
  readonly verifyBackup: typeof verifyBackup;
} = {
  addDocuments,
  addOrUpdateDocuments,
  addProducts,
  browseCachedCollection,
  browseCollection,
  cancelShopLearning,
  changeAliases,
  converse,
  createBackup,
  createHostedIndex,
  createIndex,
  createIndexes,
  createKey,
  createShopIndex,
  deleteAlias,
  deleteAllDocuments,
  deleteAllQueries,
  deleteBackup,
  deleteCollection,
  deleteDocuments,
  deleteHostedIndex,
  deleteIndex,
  deleteIndexes,
  deleteJudgementSet,
  deleteKey,
  deleteProducts,
  deleteProductsBatch,
  deleteQueries,
  deleteShopIndex,
  discoverProducts,
  discoverProductsAtOnce,
  discoverProductsStreamed,
  ejectModel,
  embed,
  eraseUserEvents,
  exportUbiEvents,
  exportUserEvents,
  getAgenticContext,
  getAlias,
  getAnalyticsDataQuality,
  getAnalyticsSummary,
  getAnalyticsTimeSeries,
  getApi,
  getBackup,
  getCollection,
  getCpuInfo,
  getCudaInfo,
  getCuration,
  getDocument,
  getDocuments,
  getDocumentsBatch,
  getDualWrite,
  getErasure,
  getEventRetention,
  getHealth,
  getHostedIndex,
  getHostedIndexSettings,
  getHostedIndexStats,
  getHostedIndexStatus,
  getIndex,
  getIndexHealth,
  getIndexSettings,
  getIndexStats,
  getIndexStatus,
  getJudgementSet,
  getMemory,
  getMetrics,
  getProducts,
  getQueries,
  getQueues,
  getRoot,
  getShopIndex,
  getShopIndexStatus,
  getShopLearning,
  getShopSettings,
  getSuggestionStats,
  indexQueries,
  ingestEvents,
  learnShopWeights,
  listAliases,
  listAnalyticsLabels,
  listAnalyticsNoClicks,
  listAnalyticsNoResults,
  listAnalyticsProducts,
  listAnalyticsTerms,
  listBackups,
  listCollections,
  listCurationVersions,
  listHostedIndexes,
  listIndexes,
  listJudgementSets,
  listKeys,
  listLogLines,
  listModels,
  listShopIndexes,
  listShopSettingsVersions,
  listSlowRequests,
  modifyHostedIndex,
  multiSearch,
  putAgenticContext,
  putAlias,
  putCollection,
  putCuration,
  putJudgementSet,
  recommend,
  recommendForYou,
  recommendQueries,
  recommendSimilar,
  reindexHelpCenter,
  repairDualWrite,
  restoreBackup,
  rollBackCuration,
  rollBackShopSettings,
  rotateKey,
  rotateShopIndexId,
  scanDocuments,
  scanQueries,
  search,
  searchProducts,
  setEventRetention,
  suggest,
  suggestChat,
  updateDocuments,
  updateIndexSettings,
  updateKey,
  updateProducts,
  updateShopSettings,
  validateIndex,
  verifyBackup,
};
