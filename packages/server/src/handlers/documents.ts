import { PelorusError } from '@pelorus/contract';
import { type AddBatch, type AddOptions, type ItemsResponse, isEngineError, type UpdateBatch } from '@pelorus/engine';
import type { Embeddings, EmbedOptions, InputBatch } from '@pelorus/inference';
import type { Answer, Call, Handlers } from '../call.js';
import { checkHeadersInQuery, inEnvelope, isBareList } from '../documents/bare-list.js';
import { deletionMembers } from '../documents/deletion.js';
import { checkUpdateEnvelope, type Envelope, readEnvelope } from '../documents/envelope.js';
import { malformedBody } from '../documents/malformed.js';
import { checkMappings, checkMappingsOfStructured } from '../documents/mappings.js';
import { withMembers } from '../http/body.js';
import { withoutUrlSecretsIn } from '../http/url-secrets.js';
import { createIndexIfMissing } from '../indexes/creation.js';
import type { IndexDefinition } from '../indexes/definition.js';
import { readSettings } from '../indexes/requested-settings.js';
import type { Services } from '../services.js';
import { truncated } from '../validation/excerpt.js';
import { invalidArgument } from '../validation/faults.js';

type DocumentOperation =
  | 'addDocuments'
  | 'updateDocuments'
  | 'getDocument'
  | 'getDocuments'
  | 'getDocumentsBatch'
  | 'deleteDocuments'
  | 'deleteAllDocuments';

/** Documents: adding, changing, reading, deleting. The documents themselves stay bytes here. */
export function documentHandlers(services: Services): Pick<Handlers, DocumentOperation> {
  const { engine } = services;
  return {
    addDocuments: (call) => addDocuments(services, call),

    updateDocuments: (call) => updateDocuments(services, call),

    getDocument: async ({ params, query }) => {
      const { indexName, documentId } = params;
      const body = await engine.getDocument(indexName, { documentId, exposeFacets: query.expose_facets });
      if (body !== null) return { body };
      throw new PelorusError(
        'document_not_found',
        `Document with ID ${truncated(documentId)} not found in index ${indexName}`,
      );
    },

    getDocuments: ({ params, query, body }) => {
      if (body.length === 0) throw invalidArgument("Can't get empty collection of IDs!");
      return getMany(services, params.indexName, body, query.expose_facets);
    },

    getDocumentsBatch: ({ params, query, body }) =>
      getMany(services, params.indexName, body.documentIds, query.expose_facets),

    deleteAllDocuments: async ({ params }) => ({
      body: { documentCount: await engine.deleteAllDocuments(params.indexName) },
    }),

    deleteDocuments: async ({ params, body: ids }) => {
      checkDeletion(ids, services.config.deletesPerRequestMax);
      const startedAt = new Date();
      const { body } = await engine.deleteDocuments(params.indexName, { documentIds: ids });
      return { body: withMembers(body, deletionMembers(params.indexName, startedAt, new Date())) };
    },
  };
}

async function getMany(
  { engine, config }: Services,
  index: string,
  ids: readonly string[],
  exposeFacets: boolean,
): Promise<Answer> {
  if (ids.length > config.retrievableDocumentsMax) {
    throw new PelorusError(
      'illegal_requested_doc_count',
      `${ids.length} documents were requested, which is more than the allowed limit of [${config.retrievableDocumentsMax}], set by the environment variable \`MARQO_MAX_RETRIEVABLE_DOCS\``,
    );
  }
  const found = await engine.getDocuments(index, { documentIds: ids, exposeFacets });
  return { body: found.body, headers: countHeaders(found) };
}

function countHeaders({ success, failure, error }: ItemsResponse): Record<string, string> {
  return {
    'x-count-success': String(success),
    'x-count-failure': String(failure),
    'x-count-error': String(error),
  };
}

function checkDeletion(ids: readonly string[], countMax: number): void {
  if (ids.length === 0) throw new PelorusError('invalid_document_id', "doc_ids can't be empty!");
  if (ids.length > countMax) {
    throw invalidArgument(
      `The number of documentIds to delete \`${ids.length}\` is greater than the limit \`${countMax}\` set by the env var \`MARQO_MAX_DELETE_DOCS_COUNT\`. `,
    );
  }
  if (ids.includes('')) throw new PelorusError('invalid_document_id', "Document ID can't be empty");
}

async function addDocuments(services: Services, call: Call<'addDocuments'>): Promise<Answer> {
  const { params, body } = call;
  const batch = await splitDocuments(body, () => services.engine.prepareAdd(params.indexName, body));
  return isBareList(batch.envelope) ? addBareList(services, call) : addInEnvelope(services, call, batch);
}

async function addInEnvelope(services: Services, call: Call<'addDocuments'>, batch: AddBatch): Promise<Answer> {
  const { definitions, config } = services;
  const device = call.device();
  const envelope = readEnvelope(batch.envelope);
  checkBatch(batch, 'add documents', config.documentsPerBatchMax);
  const definition = await definitions.get(call.params.indexName);
  checkAgainstIndex(envelope, definition);
  const options = prepareOptions(envelope, definition, services);
  return store(services, call, batch, definition, options, { device, modelAuth: envelope.modelAuth });
}

/** The form of clients before 2.0: every text is embedded but for those of the fields named, a missing index is made. */
async function addBareList(services: Services, call: Call<'addDocuments'>): Promise<Answer> {
  const { engine, definitions, config } = services;
  const { params, body, query } = call;
  const batch = await splitDocuments(body, () => engine.prepareAdd(params.indexName, inEnvelope(body)));
  const device = call.device();
  checkHeadersInQuery(query.image_download_headers);
  checkBatch(batch, 'add documents', config.documentsPerBatchMax);
  await createIndexIfMissing(services, params.indexName, readSettings({ index_defaults: {} }));
  const definition = await definitions.get(params.indexName);
  const options: AddOptions = {
    tensorFields: [],
    nonTensorFields: definition.settings.type === 'structured' ? null : (query.non_tensor_fields ?? []),
    mappings: null,
    useExistingTensors: query.use_existing_tensors ?? false,
    textChunkPrefix: definition.resolved.textChunkPrefix,
    maxDocBytes: config.documentBytesMax,
    reportsCreation: true,
  };
  return store(services, call, batch, definition, options, { device, modelAuth: null });
}

async function store(
  services: Services,
  call: Call<'addDocuments'>,
  batch: AddBatch,
  definition: IndexDefinition,
  options: AddOptions,
  embedOptions: Pick<EmbedOptions, 'device' | 'modelAuth'>,
): Promise<Answer> {
  const { telemetry } = call;
  const inputs = await telemetry.time(['add_documents.prepare', 'add_documents.processing_before_vespa'], () =>
    batch.prepare(options),
  );
  const { vectors, failures } = await telemetry.time(['add_documents.create_vectors'], () =>
    embed(services, definition, inputs, embedOptions),
  );
  const answer = await telemetry.time(['add_documents.store', 'add_documents.vespa._bulk'], () =>
    batch.apply(vectors, withoutUrlSecretsIn(failures)),
  );

  return itemsAnswer(call, 'POST', answer);
}

async function updateDocuments({ engine, config }: Services, call: Call<'updateDocuments'>): Promise<Answer> {
  const { params, body, telemetry } = call;
  const batch = await splitDocuments(body, () => engine.prepareUpdate(params.indexName, body));
  checkUpdateEnvelope(batch.envelope, batch.strays);
  checkBatch(batch, 'update_documents', config.documentsPerBatchMax);
  const answer = await telemetry.time(['update_documents.store'], () =>
    batch.apply({ maxDocBytes: config.documentBytesMax }),
  );
  return itemsAnswer(call, 'PATCH', answer);
}

/** What was written, with the time that it took. */
function itemsAnswer(
  { params: { indexName }, telemetry, startedMs }: Call<'addDocuments' | 'updateDocuments'>,
  method: string,
  written: ItemsResponse,
): Answer {
  const processingTimeMs = performance.now() - startedMs;
  telemetry.record(`${method} /indexes/${indexName}/documents`, processingTimeMs);
  return {
    body: withMembers(written.body, { processingTimeMs, index_name: indexName }),
    headers: countHeaders(written),
  };
}

/** Splitting is where the body's JSON is read: what is wrong with it is told as for every other body. */
async function splitDocuments<Batch>(body: Buffer, split: () => Promise<Batch>): Promise<Batch> {
  try {
    return await split();
  } catch (error) {
    if (!isEngineError(error, 'json_decode_error')) throw error;
    throw malformedBody(body, error.details);
  }
}

/** @param kind how the refusals name the request */
function checkBatch({ count }: AddBatch | UpdateBatch, kind: string, countMax: number): void {
  if (count === 0) throw new PelorusError('bad_request', `Received empty ${kind} request`);
  if (count > countMax) {
    throw new PelorusError(
      'bad_request',
      `Number of docs in ${kind} request (${count}) exceeds limit of ${countMax}. Send the documents in several requests; the Python client does so with \`client_batch_size\`.`,
    );
  }
}

function checkAgainstIndex({ tensorFields, mappings }: Envelope, { settings }: IndexDefinition): void {
  if (settings.type === 'structured' && tensorFields != null) {
    throw invalidArgument(
      "Cannot specify 'tensorFields' when adding documents to a structured index. 'tensorFields' must be defined in structured index schema at index creation time",
    );
  }
  if (tensorFields?.includes('_id')) {
    throw new PelorusError('bad_request', '`_id` field cannot be a tensor field.');
  }
  if (mappings == null) return;
  checkMappings(mappings);
  if (settings.type === 'structured') checkMappingsOfStructured(mappings, settings);
}

/** What the engine checks and splits the documents by. */
function prepareOptions(envelope: Envelope, { settings, resolved }: IndexDefinition, { config }: Services): AddOptions {
  const tensorFields = (envelope.tensorFields ?? []).filter((name) => typeof name === 'string');
  return {
    tensorFields: settings.type === 'structured' ? [] : tensorFields,
    nonTensorFields: null,
    mappings: envelope.mappings ?? null,
    useExistingTensors: envelope.useExistingTensors,
    textChunkPrefix: envelope.textChunkPrefix ?? resolved.textChunkPrefix,
    maxDocBytes: config.documentBytesMax,
    reportsCreation: false,
  };
}

/** The vectors of what the documents need embedded. Where that is nothing, nobody asks for the model. */
async function embed(
  { inference }: Services,
  definition: IndexDefinition,
  inputs: InputBatch,
  options: Pick<EmbedOptions, 'device' | 'modelAuth'>,
): Promise<Embeddings> {
  if (inputs.count === 0) return { vectors: new Float32Array(0), failures: [] };
  const { normalizeEmbeddings: normalize } = definition.settings;
  return inference.embed(definition.model(), inputs, { ...options, normalize });
}
