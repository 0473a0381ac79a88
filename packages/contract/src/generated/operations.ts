// Generated from openapi/ by `npm run generate -w @pelorus/contract`. Never edited by hand.

import { AddDocumentsRequest, AddDocumentsResponse, ChangedIndexes, CpuInfo, CudaInfo, DeleteDocumentsResponse, DocumentIds, DocumentList, EmbedRequest, EmbedResponse, ErrorResponse, GetDocumentsRequest, GetDocumentsResponse, Health, IndexList, IndexQueriesRequest, IndexQueriesResponse, IndexRecord, IndexSettings, IndexSettingsResponse, IndexSettingsUpdate, IndexStats, IndexStatus, ModelList, RecommendRequest, ScanRequest, ScanResponse, SearchRequest, SearchResponse, StoredDocument, SuggestRequest, SuggestResponse, SuggestionQueries, SuggestionQueriesResponse, Telemetry, UpdateDocumentsRequest, UpdateDocumentsResponse, ValidationErrorResponse } from './schemas.js';

export const operations = {
  addDocuments: {
    operationId: "addDocuments",
    method: "POST",
    path: "/indexes/{indexName}/documents",
    scope: "read_write",
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
    scope: "read_write",
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
  createIndex: {
    operationId: "createIndex",
    method: "POST",
    path: "/indexes/{indexName}",
    scope: "admin",
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
    scope: "admin",
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
      "403": ErrorResponse,
      "409": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
      "507": ErrorResponse,
    },
  },
  deleteAllDocuments: {
    operationId: "deleteAllDocuments",
    method: "DELETE",
    path: "/indexes/{indexName}/documents/delete-all",
    scope: "read_write",
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
    scope: "read_write",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "503": ErrorResponse,
      "507": ErrorResponse,
    },
  },
  deleteDocuments: {
    operationId: "deleteDocuments",
    method: "POST",
    path: "/indexes/{indexName}/documents/delete-batch",
    scope: "read_write",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
      "503": ErrorResponse,
      "507": ErrorResponse,
    },
  },
  deleteIndex: {
    operationId: "deleteIndex",
    method: "DELETE",
    path: "/indexes/{indexName}",
    scope: "admin",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "409": ErrorResponse,
    },
  },
  deleteIndexes: {
    operationId: "deleteIndexes",
    method: "POST",
    path: "/batch/indexes/delete",
    scope: "admin",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "409": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
    },
  },
  deleteQueries: {
    operationId: "deleteQueries",
    method: "DELETE",
    path: "/indexes/{indexName}/suggestions/queries",
    scope: "read_write",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
      "503": ErrorResponse,
      "507": ErrorResponse,
    },
  },
  ejectModel: {
    operationId: "ejectModel",
    method: "DELETE",
    path: "/models",
    scope: "admin",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "422": ValidationErrorResponse,
    },
  },
  embed: {
    operationId: "embed",
    method: "POST",
    path: "/indexes/{indexName}/embed",
    scope: "read",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "409": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
    },
  },
  getCpuInfo: {
    operationId: "getCpuInfo",
    method: "GET",
    path: "/device/cpu",
    scope: "read",
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
      "403": ErrorResponse,
    },
  },
  getCudaInfo: {
    operationId: "getCudaInfo",
    method: "GET",
    path: "/device/cuda",
    scope: "read",
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
      "403": ErrorResponse,
    },
  },
  getDocument: {
    operationId: "getDocument",
    method: "GET",
    path: "/indexes/{indexName}/documents/{documentId}",
    scope: "read",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "422": ValidationErrorResponse,
    },
  },
  getDocuments: {
    operationId: "getDocuments",
    method: "GET",
    path: "/indexes/{indexName}/documents",
    scope: "read",
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
    scope: "read",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
    },
  },
  getHealth: {
    operationId: "getHealth",
    method: "GET",
    path: "/health",
    scope: "none",
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
  getIndex: {
    operationId: "getIndex",
    method: "GET",
    path: "/indexes/{indexName}",
    scope: "read",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getIndexHealth: {
    operationId: "getIndexHealth",
    method: "GET",
    path: "/indexes/{indexName}/health",
    scope: "read",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getIndexSettings: {
    operationId: "getIndexSettings",
    method: "GET",
    path: "/indexes/{indexName}/settings",
    scope: "read",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getIndexStats: {
    operationId: "getIndexStats",
    method: "GET",
    path: "/indexes/{indexName}/stats",
    scope: "read",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getIndexStatus: {
    operationId: "getIndexStatus",
    method: "GET",
    path: "/indexes/{indexName}/status",
    scope: "read",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  getMemory: {
    operationId: "getMemory",
    method: "GET",
    path: "/memory",
    scope: "admin",
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
      "403": ErrorResponse,
    },
  },
  getQueries: {
    operationId: "getQueries",
    method: "GET",
    path: "/indexes/{indexName}/suggestions/queries",
    scope: "read",
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
    scope: "none",
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
  getSuggestionStats: {
    operationId: "getSuggestionStats",
    method: "GET",
    path: "/indexes/{indexName}/suggestions/stats",
    scope: "read",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
    },
  },
  indexQueries: {
    operationId: "indexQueries",
    method: "POST",
    path: "/indexes/{indexName}/suggestions/queries",
    scope: "read_write",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
      "503": ErrorResponse,
      "507": ErrorResponse,
    },
  },
  listIndexes: {
    operationId: "listIndexes",
    method: "GET",
    path: "/indexes",
    scope: "read",
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
      "403": ErrorResponse,
    },
  },
  listModels: {
    operationId: "listModels",
    method: "GET",
    path: "/models",
    scope: "read",
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
      "403": ErrorResponse,
    },
  },
  recommend: {
    operationId: "recommend",
    method: "POST",
    path: "/indexes/{indexName}/recommend",
    scope: "read",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
      "504": ErrorResponse,
    },
  },
  scanDocuments: {
    operationId: "scanDocuments",
    method: "POST",
    path: "/indexes/{indexName}/documents/scan",
    scope: "read",
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
    scope: "read",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "409": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
      "504": ErrorResponse,
    },
  },
  suggest: {
    operationId: "suggest",
    method: "POST",
    path: "/indexes/{indexName}/suggestions",
    scope: "read",
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
      "403": ErrorResponse,
      "404": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
    },
  },
  updateDocuments: {
    operationId: "updateDocuments",
    method: "PATCH",
    path: "/indexes/{indexName}/documents",
    scope: "read_write",
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
    scope: "admin",
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
  validateIndex: {
    operationId: "validateIndex",
    method: "POST",
    path: "/validate/index/{indexName}",
    scope: "admin",
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
      "403": ErrorResponse,
      "409": ErrorResponse,
      "413": ErrorResponse,
      "422": ValidationErrorResponse,
      "429": ErrorResponse,
    },
  },
} as const;
