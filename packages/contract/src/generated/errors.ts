// Generated from openapi/ by `npm run generate -w @pelorus/contract`. Never edited by hand.

export const errorCatalogue = {
  /** A value that cannot be used. */
  invalid_argument: { status: 400, type: 'invalid_request' },
  /** A request that cannot be carried out as it stands. */
  bad_request: { status: 400, type: 'invalid_request' },
  /** A field name that is malformed or unknown. */
  invalid_field_name: { status: 400, type: 'invalid_request' },
  /** A document id that is missing, empty or not a string. */
  invalid_document_id: { status: 400, type: 'invalid_request' },
  /** A document above the size limit. */
  doc_too_large: { status: 400, type: 'invalid_request' },
  /** More or fewer documents asked for than allowed. */
  illegal_requested_doc_count: { status: 400, type: 'invalid_request' },
  /** A device this machine does not have. */
  hardware_compatability_error: { status: 400, type: 'invalid_request' },
  /** A browser sent it for a page of another site, or the operation is not switched on. */
  forbidden: { status: 403, type: 'invalid_request' },
  /** A call that takes a key came without one. */
  missing_api_key: { status: 401, type: 'authentication_error' },
  /** A key that was never made, was revoked or replaced, or is no key. */
  invalid_api_key: { status: 401, type: 'authentication_error' },
  /** A key whose time is over. */
  api_key_expired: { status: 401, type: 'authentication_error' },
  /** A key that may not do this. */
  insufficient_scope: { status: 403, type: 'permission_error' },
  /** A page of an origin that the credential is not for. */
  origin_not_allowed: { status: 403, type: 'permission_error' },
  /** An index id that is not that of the index it is sent to. */
  invalid_index_id: { status: 403, type: 'permission_error' },
  /** More of a kind than this service may have. */
  quota_exceeded: { status: 403, type: 'invalid_request' },
  /** No key of that id. */
  key_not_found: { status: 404, type: 'invalid_request' },
  /** Nobody could manage keys afterwards. */
  last_admin_key: { status: 409, type: 'invalid_request' },
  /** No index of that name. */
  index_not_found: { status: 404, type: 'invalid_request' },
  /** No alias of that name. */
  alias_not_found: { status: 404, type: 'invalid_request' },
  /** No document of that id. */
  document_not_found: { status: 404, type: 'invalid_request' },
  /** No set of judgements of that name. */
  judgement_set_not_found: { status: 404, type: 'invalid_request' },
  /** No backup of that id. */
  backup_not_found: { status: 404, type: 'invalid_request' },
  /** Nothing was said of a collection of that id. */
  collection_not_found: { status: 404, type: 'invalid_request' },
  /** The model is not loaded on that device. */
  model_not_in_cache: { status: 404, type: 'invalid_request' },
  /** No such route. */
  not_found: { status: 404, type: 'invalid_request' },
  /** The route exists, the method does not. */
  method_not_allowed: { status: 405, type: 'invalid_request' },
  /** The name is taken. */
  index_already_exists: { status: 409, type: 'invalid_request' },
  /** An alias stands for the index that is to be deleted. */
  index_has_alias: { status: 409, type: 'invalid_request' },
  /** Another index is being created or deleted, an id is that of a document that the key does not reach, or a shop is learning already. */
  operation_conflict_error: { status: 409, type: 'invalid_request' },
  /** Other work on backups is under way. */
  backup_conflict: { status: 409, type: 'invalid_request' },
  /** No room for the model. */
  model_cache_management_error: { status: 409, type: 'invalid_request' },
  /** It was changed since the version that the caller knows. */
  version_conflict: { status: 412, type: 'invalid_request' },
  /** A path of an older interface that is not served. */
  unsupported_operation: { status: 410, type: 'invalid_request' },
  /** A scan or search with a cursor was read for too long, or held back too much of the disk: begin it again. */
  snapshot_too_old: { status: 410, type: 'invalid_request' },
  /** The body is above the limit of its route. */
  payload_too_large: { status: 413, type: 'invalid_request' },
  /** A body in a Content-Encoding that is not read here. */
  unsupported_media_type: { status: 415, type: 'invalid_request' },
  /** The body or query does not have the documented shape. */
  unprocessable_entity: { status: 422, type: 'invalid_request' },
  /** More requests of one kind or bytes of bodies at once than allowed. */
  too_many_requests: { status: 429, type: 'invalid_request' },
  /** An Expect header other than 100-continue. */
  expectation_failed: { status: 417, type: 'invalid_request' },
  /** The request took too long to arrive. */
  request_timeout: { status: 408, type: 'invalid_request' },
  /** The request's head is above the limit. */
  headers_too_large: { status: 431, type: 'invalid_request' },
  /** The client went away before the answer, so that only the log has it. */
  client_closed_request: { status: 499, type: 'invalid_request' },
  /** A search ran out of time. */
  vector_store_timeout: { status: 504, type: 'invalid_request' },
  /** A fault of ours. */
  internal: { status: 500, type: 'internal' },
  /** The store cannot be reached. */
  backend_communication_error: { status: 500, type: 'internal' },
  /** Stored data cannot be read. */
  backend_data_parsing_error: { status: 500, type: 'internal' },
  /** A backup is not what was stored any more. */
  backup_damaged: { status: 500, type: 'internal' },
  /** Vectors of a document are not what was written any more. */
  vectors_damaged: { status: 500, type: 'internal' },
  /** The server is set up wrongly. */
  server_configuration_error: { status: 500, type: 'internal' },
  /** A device or the service itself is gone for now. */
  service_unavailable: { status: 503, type: 'service_unavailable' },
  /** The place of backups cannot be used. */
  backup_storage_unavailable: { status: 503, type: 'service_unavailable' },
  /** The disk is full. */
  insufficient_storage: { status: 507, type: 'internal' },
  /** The memory budget is used up. */
  insufficient_memory: { status: 507, type: 'internal' },
} as const;
