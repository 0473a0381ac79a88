// Generated from openapi/ by `npm run generate -w @pelorus/contract`. Never edited by hand.

import { AcceptedEvents, AddDocumentsRequest, AddDocumentsResponse, AgenticContext, AnalyticsMetrics, AnalyticsTerm, ChangedIndexes, ChatSuggestions, ChatSuggestionsRequest, Collection, CollectionList, CollectionRequest, CpuInfo, CreatedShopIndex, CudaInfo, DeleteDocumentsResponse, Discovery, DiscoveryRequest, DocumentIds, DocumentList, EmbedRequest, EmbedResponse, ErasureJob, ErrorResponse, EventBatch, GetDocumentsRequest, GetDocumentsResponse, Health, HelpCenterJob, HelpCenterRequest, HostedIndexList, HostedIndexRecord, HostedIndexStatus, HostedResources, IndexList, IndexQueriesRequest, IndexQueriesResponse, IndexRecord, IndexSettings, IndexSettingsResponse, IndexSettingsUpdate, IndexStats, IndexStatus, IssuedKey, Key, KeyList, KeyUpdate, ModelList, Money, MoneyValue, NewCollection, NewKey, NewShopIndex, ProductIds, ProductsRequest, ProductsResponse, QueryRecommendations, RecommendForYouRequest, RecommendQueriesRequest, RecommendRequest, RecommendSimilarRequest, RotatedIndexId, ScanRequest, ScanResponse, SearchRequest, SearchResponse, ShopIndexList, ShopSearchRequest, ShopSearchResponse, ShopSettings, ShopSettingsResponse, ShopSettingsVersions, StoredDocument, SuggestRequest, SuggestResponse, SuggestionQueries, SuggestionQueriesResponse, Telemetry, UpdateDocumentsRequest, UpdateDocumentsResponse, ValidationErrorResponse } from './schemas.js';

export const operations = {
  addDocuments: {
    operationId: "addDocuments",
    method: "POST",
    path: "/indexes/{indexName}/documents",
    service: "search",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 33554432,
    bodyPartsMax: 20000,
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
  },
  addOrUpdateDocuments: {
    operationId: "addOrUpdateDocuments",
    method: "PUT",
    path: "/indexes/{indexName}/documents",
    service: "search",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 33554432,
    bodyPartsMax: 20000,
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
  },
  addProducts: {
    operationId: "addProducts",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/documents",
    service: "hosted",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 4194304,
    bodyPartsMax: 60000,
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
  },
  browseCachedCollection: {
    operationId: "browseCachedCollection",
    method: "GET",
    path: "/api/v1/indexes/{indexName}/collections",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "shopper",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  browseCollection: {
    operationId: "browseCollection",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/collections",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "shopper",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  converse: {
    operationId: "converse",
    method: "GET",
    path: "/api/v1/indexes/{indexName}/agentic-search/converse",
    service: "hosted",
    scope: "read",
    scopeTable: "plain",
    credential: "shopper",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  createHostedIndex: {
    operationId: "createHostedIndex",
    method: "POST",
    path: "/api/v2/indexes/{indexName}",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 1048576,
    bodyPartsMax: 60000,
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
  },
  createIndex: {
    operationId: "createIndex",
    method: "POST",
    path: "/indexes/{indexName}",
    service: "search",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 1048576,
    bodyPartsMax: 60000,
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
  },
  createIndexes: {
    operationId: "createIndexes",
    method: "POST",
    path: "/batch/indexes/create",
    service: "search",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: "batchApis",
    bodyLimitBytes: 4194304,
    bodyPartsMax: 60000,
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
    body: {
      type: "array",
      maxItems: 100,
      items: {
        type: "object",
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
  },
  createKey: {
    operationId: "createKey",
    method: "POST",
    path: "/api/v2/keys",
    service: "every",
    scope: "admin",
    scopeTable: "named",
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: NewKey,
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
  },
  createShopIndex: {
    operationId: "createShopIndex",
    method: "POST",
    path: "/api/v1/indexes",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: NewShopIndex,
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
  },
  deleteAllDocuments: {
    operationId: "deleteAllDocuments",
    method: "DELETE",
    path: "/indexes/{indexName}/documents/delete-all",
    service: "search",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: "batchApis",
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "503": ErrorResponse,
      "507": ErrorResponse,
    },
  },
  deleteAllQueries: {
    operationId: "deleteAllQueries",
    method: "DELETE",
    path: "/indexes/{indexName}/suggestions/queries/delete-all",
    service: "search",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: "batchApis",
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": {
        type: "string",
      },
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
      "503": ErrorResponse,
      "507": ErrorResponse,
    },
  },
  deleteCollection: {
    operationId: "deleteCollection",
    method: "DELETE",
    path: "/api/v1/collections/{collectionId}",
    service: "hosted",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    },
  },
  deleteDocuments: {
    operationId: "deleteDocuments",
    method: "POST",
    path: "/indexes/{indexName}/documents/delete-batch",
    service: "search",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 2097152,
    bodyPartsMax: 50000,
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
  },
  deleteHostedIndex: {
    operationId: "deleteHostedIndex",
    method: "DELETE",
    path: "/api/v2/indexes/{indexName}",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  deleteIndex: {
    operationId: "deleteIndex",
    method: "DELETE",
    path: "/indexes/{indexName}",
    service: "search",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    },
  },
  deleteIndexes: {
    operationId: "deleteIndexes",
    method: "POST",
    path: "/batch/indexes/delete",
    service: "search",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: "batchApis",
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  deleteKey: {
    operationId: "deleteKey",
    method: "DELETE",
    path: "/api/v2/keys/{keyId}",
    service: "every",
    scope: "admin",
    scopeTable: "named",
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "507": ErrorResponse,
    },
  },
  deleteProducts: {
    operationId: "deleteProducts",
    method: "DELETE",
    path: "/api/v1/indexes/{indexName}/documents",
    service: "hosted",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  deleteProductsBatch: {
    operationId: "deleteProductsBatch",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/documents/delete-batch",
    service: "hosted",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  deleteQueries: {
    operationId: "deleteQueries",
    method: "DELETE",
    path: "/indexes/{indexName}/suggestions/queries",
    service: "search",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 2097152,
    bodyPartsMax: 20000,
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
  },
  deleteShopIndex: {
    operationId: "deleteShopIndex",
    method: "DELETE",
    path: "/api/v1/indexes/{indexName}",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  discoverProducts: {
    operationId: "discoverProducts",
    method: "GET",
    path: "/api/v1/indexes/{indexName}/agentic-search",
    service: "hosted",
    scope: "read",
    scopeTable: "plain",
    credential: "shopper",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  discoverProductsAtOnce: {
    operationId: "discoverProductsAtOnce",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/agentic-search",
    service: "hosted",
    scope: "read",
    scopeTable: "plain",
    credential: "shopper",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  ejectModel: {
    operationId: "ejectModel",
    method: "DELETE",
    path: "/models",
    service: "search",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    },
  },
  embed: {
    operationId: "embed",
    method: "POST",
    path: "/indexes/{indexName}/embed",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 4194304,
    bodyPartsMax: 20000,
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
  },
  eraseUserEvents: {
    operationId: "eraseUserEvents",
    method: "DELETE",
    path: "/api/v1/events/users/{userId}",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "202": ErasureJob,
      "400": ErrorResponse,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "422": ValidationErrorResponse,
      "503": ErrorResponse,
    },
  },
  exportUbiEvents: {
    operationId: "exportUbiEvents",
    method: "GET",
    path: "/api/v1/events/ubi",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "503": ErrorResponse,
    },
  },
  exportUserEvents: {
    operationId: "exportUserEvents",
    method: "GET",
    path: "/api/v1/events/users/{userId}",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "503": ErrorResponse,
    },
  },
  getAgenticContext: {
    operationId: "getAgenticContext",
    method: "GET",
    path: "/api/v1/indexes/{indexName}/agentic-context",
    service: "hosted",
    scope: "read",
    scopeTable: "named",
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": AgenticContext,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getAnalyticsDataQuality: {
    operationId: "getAnalyticsDataQuality",
    method: "GET",
    path: "/api/v1/analytics/data-quality",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "503": ErrorResponse,
    },
  },
  getAnalyticsSummary: {
    operationId: "getAnalyticsSummary",
    method: "GET",
    path: "/api/v1/analytics/summary",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "503": ErrorResponse,
    },
  },
  getAnalyticsTimeSeries: {
    operationId: "getAnalyticsTimeSeries",
    method: "GET",
    path: "/api/v1/analytics/time-series",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "503": ErrorResponse,
    },
  },
  getApi: {
    operationId: "getApi",
    method: "GET",
    path: "/api",
    service: "hosted",
    scope: "none",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  getCollection: {
    operationId: "getCollection",
    method: "GET",
    path: "/api/v1/collections/{collectionId}",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": Collection,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getCpuInfo: {
    operationId: "getCpuInfo",
    method: "GET",
    path: "/device/cpu",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": CpuInfo,
      "401": ErrorResponse,
      "403": ErrorResponse,
    },
  },
  getCudaInfo: {
    operationId: "getCudaInfo",
    method: "GET",
    path: "/device/cuda",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": CudaInfo,
      "400": ErrorResponse,
      "401": ErrorResponse,
      "403": ErrorResponse,
    },
  },
  getDocument: {
    operationId: "getDocument",
    method: "GET",
    path: "/indexes/{indexName}/documents/{documentId}",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": StoredDocument,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
      "422": ValidationErrorResponse,
    },
  },
  getDocuments: {
    operationId: "getDocuments",
    method: "GET",
    path: "/indexes/{indexName}/documents",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 2097152,
    bodyPartsMax: 50000,
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
  },
  getDocumentsBatch: {
    operationId: "getDocumentsBatch",
    method: "POST",
    path: "/indexes/{indexName}/documents/get-batch",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 2097152,
    bodyPartsMax: 50000,
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
    body: GetDocumentsRequest,
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
  },
  getErasure: {
    operationId: "getErasure",
    method: "GET",
    path: "/api/v1/events/erasures/{jobId}",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": ErasureJob,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
      "503": ErrorResponse,
    },
  },
  getHealth: {
    operationId: "getHealth",
    method: "GET",
    path: "/health",
    service: "every",
    scope: "none",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": Health,
      "403": ErrorResponse,
    },
  },
  getHostedIndex: {
    operationId: "getHostedIndex",
    method: "GET",
    path: "/api/v2/indexes/{indexName}",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": HostedIndexRecord,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getHostedIndexSettings: {
    operationId: "getHostedIndexSettings",
    method: "GET",
    path: "/api/v2/indexes/{indexName}/settings",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": IndexSettingsResponse,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
      "503": ErrorResponse,
    },
  },
  getHostedIndexStats: {
    operationId: "getHostedIndexStats",
    method: "GET",
    path: "/api/v2/indexes/{indexName}/stats",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": IndexStats,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
      "503": ErrorResponse,
    },
  },
  getHostedIndexStatus: {
    operationId: "getHostedIndexStatus",
    method: "GET",
    path: "/api/v2/indexes/{indexName}/status",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    },
  },
  getIndex: {
    operationId: "getIndex",
    method: "GET",
    path: "/indexes/{indexName}",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": IndexRecord,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getIndexHealth: {
    operationId: "getIndexHealth",
    method: "GET",
    path: "/indexes/{indexName}/health",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": Health,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getIndexSettings: {
    operationId: "getIndexSettings",
    method: "GET",
    path: "/indexes/{indexName}/settings",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": IndexSettingsResponse,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getIndexStats: {
    operationId: "getIndexStats",
    method: "GET",
    path: "/indexes/{indexName}/stats",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": IndexStats,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getIndexStatus: {
    operationId: "getIndexStatus",
    method: "GET",
    path: "/indexes/{indexName}/status",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    },
  },
  getMemory: {
    operationId: "getMemory",
    method: "GET",
    path: "/memory",
    service: "search",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: "debugApi",
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    },
  },
  getProducts: {
    operationId: "getProducts",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/get-documents",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  getQueries: {
    operationId: "getQueries",
    method: "GET",
    path: "/indexes/{indexName}/suggestions/queries",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 2097152,
    bodyPartsMax: 20000,
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
  },
  getRoot: {
    operationId: "getRoot",
    method: "GET",
    path: "/",
    service: "every",
    scope: "none",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  getShopIndex: {
    operationId: "getShopIndex",
    method: "GET",
    path: "/api/v1/indexes/{indexName}",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": HostedIndexRecord,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getShopIndexStatus: {
    operationId: "getShopIndexStatus",
    method: "GET",
    path: "/api/v1/indexes/{indexName}/status",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    },
  },
  getShopSettings: {
    operationId: "getShopSettings",
    method: "GET",
    path: "/api/v1/indexes/{indexName}/settings",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": ShopSettingsResponse,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getSuggestionStats: {
    operationId: "getSuggestionStats",
    method: "GET",
    path: "/indexes/{indexName}/suggestions/stats",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    },
  },
  indexQueries: {
    operationId: "indexQueries",
    method: "POST",
    path: "/indexes/{indexName}/suggestions/queries",
    service: "search",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 2097152,
    bodyPartsMax: 50000,
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
  },
  ingestEvents: {
    operationId: "ingestEvents",
    method: "POST",
    path: "/",
    service: "hosted",
    scope: "read_write",
    scopeTable: null,
    credential: "tracking",
    switch: null,
    bodyLimitBytes: 2097152,
    bodyPartsMax: 60000,
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
  },
  listAnalyticsLabels: {
    operationId: "listAnalyticsLabels",
    method: "GET",
    path: "/api/v1/analytics/labels",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "503": ErrorResponse,
    },
  },
  listAnalyticsNoClicks: {
    operationId: "listAnalyticsNoClicks",
    method: "GET",
    path: "/api/v1/analytics/no-clicks",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "503": ErrorResponse,
    },
  },
  listAnalyticsNoResults: {
    operationId: "listAnalyticsNoResults",
    method: "GET",
    path: "/api/v1/analytics/no-results",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "503": ErrorResponse,
    },
  },
  listAnalyticsProducts: {
    operationId: "listAnalyticsProducts",
    method: "GET",
    path: "/api/v1/analytics/products",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "503": ErrorResponse,
    },
  },
  listAnalyticsTerms: {
    operationId: "listAnalyticsTerms",
    method: "GET",
    path: "/api/v1/analytics/terms",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "503": ErrorResponse,
    },
  },
  listCollections: {
    operationId: "listCollections",
    method: "GET",
    path: "/api/v1/collections",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": CollectionList,
      "401": ErrorResponse,
      "403": ErrorResponse,
    },
  },
  listHostedIndexes: {
    operationId: "listHostedIndexes",
    method: "GET",
    path: "/api/v2/indexes",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": HostedIndexList,
      "401": ErrorResponse,
      "403": ErrorResponse,
    },
  },
  listIndexes: {
    operationId: "listIndexes",
    method: "GET",
    path: "/indexes",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": IndexList,
      "401": ErrorResponse,
      "403": ErrorResponse,
    },
  },
  listKeys: {
    operationId: "listKeys",
    method: "GET",
    path: "/api/v2/keys",
    service: "every",
    scope: "admin",
    scopeTable: "named",
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": KeyList,
      "401": ErrorResponse,
      "403": ErrorResponse,
    },
  },
  listModels: {
    operationId: "listModels",
    method: "GET",
    path: "/models",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": ModelList,
      "401": ErrorResponse,
      "403": ErrorResponse,
    },
  },
  listShopIndexes: {
    operationId: "listShopIndexes",
    method: "GET",
    path: "/api/v1/indexes",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": ShopIndexList,
      "401": ErrorResponse,
      "403": ErrorResponse,
    },
  },
  listShopSettingsVersions: {
    operationId: "listShopSettingsVersions",
    method: "GET",
    path: "/api/v1/indexes/{indexName}/settings/versions",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: null,
    responses: {
      "200": ShopSettingsVersions,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  modifyHostedIndex: {
    operationId: "modifyHostedIndex",
    method: "PUT",
    path: "/api/v2/indexes/{indexName}",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  putAgenticContext: {
    operationId: "putAgenticContext",
    method: "PUT",
    path: "/api/v1/indexes/{indexName}/agentic-context",
    service: "hosted",
    scope: "read_write",
    scopeTable: "named",
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    },
  },
  putCollection: {
    operationId: "putCollection",
    method: "POST",
    path: "/api/v1/collections",
    service: "hosted",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: NewCollection,
    responses: {
      "200": Collection,
      "400": ErrorResponse,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
    },
  },
  recommend: {
    operationId: "recommend",
    method: "POST",
    path: "/indexes/{indexName}/recommend",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 1048576,
    bodyPartsMax: 20000,
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
  },
  recommendForYou: {
    operationId: "recommendForYou",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/recommendations/for-you",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "shopper",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  recommendQueries: {
    operationId: "recommendQueries",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/recommendations/queries",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "shopper",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  recommendSimilar: {
    operationId: "recommendSimilar",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/recommendations/similar",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "shopper",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  reindexHelpCenter: {
    operationId: "reindexHelpCenter",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/help-center/reindex",
    service: "hosted",
    scope: "admin",
    scopeTable: "named",
    credential: "key",
    switch: null,
    bodyLimitBytes: 1048576,
    bodyPartsMax: 20000,
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
    body: HelpCenterRequest,
    responses: {
      "202": HelpCenterJob,
      "400": ErrorResponse,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
    },
  },
  rollBackShopSettings: {
    operationId: "rollBackShopSettings",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/settings/roll-back",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: {
      type: "object",
      required: ["version"],
      additionalProperties: false,
      properties: {
        version: {
          type: "integer",
          minimum: 1,
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
    },
  },
  rotateKey: {
    operationId: "rotateKey",
    method: "POST",
    path: "/api/v2/keys/{keyId}/rotate",
    service: "every",
    scope: "admin",
    scopeTable: "named",
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: {
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
  },
  rotateShopIndexId: {
    operationId: "rotateShopIndexId",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/index-id/rotate",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: {
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
  },
  scanDocuments: {
    operationId: "scanDocuments",
    method: "POST",
    path: "/indexes/{indexName}/documents/scan",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
    body: ScanRequest,
    responses: {
      "200": ScanResponse,
      "400": ErrorResponse,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
    },
  },
  search: {
    operationId: "search",
    method: "POST",
    path: "/indexes/{indexName}/search",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 6291456,
    bodyPartsMax: 20000,
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
    body: SearchRequest,
    responses: {
      "200": SearchResponse,
      "400": ErrorResponse,
      "401": ErrorResponse,
      "403": ErrorResponse,
      "404": ErrorResponse,
      "409": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
      "504": ErrorResponse,
    },
  },
  searchProducts: {
    operationId: "searchProducts",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/search",
    service: "hosted",
    scope: "read",
    scopeTable: null,
    credential: "shopper",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  setEventRetention: {
    operationId: "setEventRetention",
    method: "PUT",
    path: "/api/v1/events/retention",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
      "503": ErrorResponse,
    },
  },
  suggest: {
    operationId: "suggest",
    method: "POST",
    path: "/indexes/{indexName}/suggestions",
    service: "search",
    scope: "read",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  suggestChat: {
    operationId: "suggestChat",
    method: "POST",
    path: "/api/v1/indexes/{indexName}/agentic-search/chat-suggestions",
    service: "hosted",
    scope: "read",
    scopeTable: "plain",
    credential: "shopper",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  updateDocuments: {
    operationId: "updateDocuments",
    method: "PATCH",
    path: "/indexes/{indexName}/documents",
    service: "search",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 33554432,
    bodyPartsMax: 20000,
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
  },
  updateIndexSettings: {
    operationId: "updateIndexSettings",
    method: "PATCH",
    path: "/indexes/{indexName}/index-settings",
    service: "search",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: "opsApi",
    bodyLimitBytes: 1048576,
    bodyPartsMax: 20000,
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
    body: IndexSettingsUpdate,
    responses: {
      "200": {
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
  },
  updateKey: {
    operationId: "updateKey",
    method: "PATCH",
    path: "/api/v2/keys/{keyId}",
    service: "every",
    scope: "admin",
    scopeTable: "named",
    credential: "key",
    switch: null,
    bodyLimitBytes: 65536,
    bodyPartsMax: 20000,
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
  },
  updateProducts: {
    operationId: "updateProducts",
    method: "PATCH",
    path: "/api/v1/indexes/{indexName}/documents",
    service: "hosted",
    scope: "read_write",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 4194304,
    bodyPartsMax: 60000,
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
  },
  updateShopSettings: {
    operationId: "updateShopSettings",
    method: "PATCH",
    path: "/api/v1/indexes/{indexName}/settings",
    service: "hosted",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: null,
    bodyLimitBytes: 1048576,
    bodyPartsMax: 20000,
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
    },
  },
  validateIndex: {
    operationId: "validateIndex",
    method: "POST",
    path: "/validate/index/{indexName}",
    service: "search",
    scope: "admin",
    scopeTable: null,
    credential: "key",
    switch: "opsApi",
    bodyLimitBytes: 1048576,
    bodyPartsMax: 60000,
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
  },
} as const;
