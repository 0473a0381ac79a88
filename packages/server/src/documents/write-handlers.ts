import { invalidArgument, PelorusError } from '@pelorus/contract';
import type { AddBatch, AddOptions, ItemsResponse } from '@pelorus/engine';
import type { Device } from '@pelorus/inference';
import { withinOf } from '../auth/access.js';
import type { Answer, Call, Handlers, Services } from '../call.js';
import { withMembers } from '../http/body.js';
import { createIndexIfMissing } from '../indexes/creation.js';
import { readSettings } from '../indexes/requested-settings.js';
import { type DocumentMedia, documentMedia } from '../media/media-options.js';
import type { IndexDefinition } from '../services/definition.js';
import { type DownloadHeaders, downloadHeaders } from '../validation/download-headers.js';
import { type Adding, checkCount, embedDocuments, splitDocuments } from './adding.js';
import { headersInQuery, inEnvelope, isBareList } from './bare-list.js';
import { countHeaders } from './count-headers.js';
import { checkList, checkUpdateEnvelope, type Envelope, readEnvelope } from './envelope.js';
import { type FieldTexts, withFieldMappings, withFieldVectors } from './field-texts.js';
import { checkMappings, checkMappingsOfStructured } from './mappings.js';

type WriteOperation = 'addDocuments' | 'addOrUpdateDocuments' | 'updateDocuments';
type ListCall = Call<'addDocuments' | 'addOrUpdateDocuments'>;

/** Documents: adding and changing. The documents themselves stay bytes here. */
export function writeHandlers(services: Services): Pick<Handlers, WriteOperation> {
  return {
    addDocuments: (call) => addDocuments(services, call),
    addOrUpdateDocuments: (call) => addOrUpdateDocuments(services, call),
    updateDocuments: (call) => updateDocuments(services, call),
  };
}

async function addDocuments(services: Services, call: Call<'addDocuments'>): Promise<Answer> {
  const { params, body } = call;
  const batch = await splitDocuments(body, () => services.engine.prepareAdd(params.indexName, body));
  return isBareList(batch.envelope) ? addBareList(services, call) : addInEnvelope(services, call, batch);
}

async function addInEnvelope(services: Services, call: Call<'addDocuments'>, batch: AddBatch): Promise<Answer> {
  const { definitions, config } = services;
  const device = call.device();
  const envelope = await readEnvelope(batch.envelope);
  checkCount(batch.count, 'add documents', config.documentsPerBatchMax);
  const definition = await definitions.get(call.params.indexName);
  checkAgainstIndex(envelope, definition);
  const request = {
    headers: downloadHeaders(envelope),
    mediaConnections: envelope.mediaDownloadThreadCount ?? undefined,
    imageConnections: envelope.imageDownloadThreadCount,
  };
  const media = documentMedia(definition, request, config);
  const options = prepareOptions(envelope, definition, media, services, withinOf(call));
  const embedOptions = { device, modelAuth: envelope.modelAuth, media: media.options };
  const { telemetry } = call;
  const index = call.params.indexName;
  const adding = { services, index, definition, options, embedOptions, telemetry };
  const { told, ...made } = await withVectors(call, call.body, batch, adding, (body) =>
    services.engine.prepareAdd(index, body),
  );
  const store = await embedDocuments(made.batch, adding);
  return itemsAnswer(call, 'POST', told(await store()));
}

/** The documents with vectors in the place of texts that models of fields take, split anew where there are any. */
async function withVectors<Batch>(
  { telemetry }: Pick<Call<WriteOperation>, 'telemetry'>,
  body: Buffer,
  batch: Batch,
  adding: Pick<Adding, 'services' | 'definition' | 'embedOptions'> & {
    readonly options: Pick<AddOptions, 'useGivenTensors' | 'keepsOtherFields'>;
  },
  split: (body: Buffer) => Promise<Batch>,
): Promise<{ batch: Batch; told: (answer: ItemsResponse) => ItemsResponse }> {
  const { services, definition, options, embedOptions } = adding;
  const unchanged = { batch, told: (answer: ItemsResponse) => answer };
  // Documents that bring their tensors are embedded by nobody.
  if (options.useGivenTensors || definition.settings.fieldModels === undefined) return unchanged;
  const of: FieldTexts = {
    ...{ definition, inference: services.inference, keepsOtherFields: options.keepsOtherFields },
    options: { device: embedOptions.device, modelAuth: embedOptions.modelAuth },
  };
  const made = await telemetry.time(['add_documents.create_field_vectors'], () => withFieldVectors(body, of));
  return made === null ? unchanged : { batch: await split(made.body), told: made.told };
}

/** The form of clients before 2.0. */
async function addBareList(services: Services, call: Call<'addDocuments'>): Promise<Answer> {
  return itemsAnswer(call, 'POST', await writeList(services, call, { keepsOtherFields: false }));
}

/** The form in which clients before 2.0 change documents: those that are not stored are added. */
async function addOrUpdateDocuments(services: Services, call: Call<'addOrUpdateDocuments'>): Promise<Answer> {
  const { params, body } = call;
  const { envelope } = await splitDocuments(body, () => services.engine.prepareAdd(params.indexName, body));
  await checkList(envelope);
  return itemsAnswer(call, 'PUT', await writeList(services, call, { keepsOtherFields: true }));
}

/** Embeds and stores a list of documents, whatever becomes of the other fields of those that are stored. */
async function writeList(
  services: Services,
  call: ListCall,
  form: Pick<AddOptions, 'keepsOtherFields'>,
): Promise<ItemsResponse> {
  const { engine, config } = services;
  const { params, body, query } = call;
  const list = await inEnvelope([body]);
  const batch = await splitDocuments(body, () => engine.prepareAdd(params.indexName, list));
  const device = call.device();
  const headers = headersInQuery(query.image_download_headers);
  checkCount(batch.count, 'add documents', config.documentsPerBatchMax);
  const adding = await addingOfList(services, call, form, device, headers);
  const { told, ...made } = await withVectors(call, list, batch, adding, (body) =>
    engine.prepareAdd(params.indexName, body),
  );
  const store = await embedDocuments(made.batch, adding);
  return told(await store());
}

/**
 * Prepares the addition of a list: every text is embedded except those of the fields named, and a missing index is
 * made.
 */
async function addingOfList(
  services: Services,
  { params, query, telemetry, principal }: ListCall,
  form: Pick<AddOptions, 'keepsOtherFields'>,
  device: Device | undefined,
  headers: DownloadHeaders,
): Promise<Adding> {
  const within = withinOf({ principal });
  // A key with a filter manages no indexes.
  if (within === null) await createIndexIfMissing(services, params.indexName, readSettings({ index_defaults: {} }));
  const definition = await services.definitions.get(params.indexName);
  const media = documentMedia(definition, { headers }, services.config);
  const options: AddOptions = {
    tensorFields: [],
    nonTensorFields: definition.settings.type === 'structured' ? null : (query.non_tensor_fields ?? []),
    mappings: withFieldMappings(definition, null),
    useExistingTensors: 'use_existing_tensors' in query && query.use_existing_tensors === true,
    useGivenTensors: false,
    textChunkPrefix: definition.resolved.textChunkPrefix,
    media: media.taken,
    maxDocBytes: services.config.documentBytesMax,
    reportsCreation: true,
    within,
    ...form,
  };
  const embedOptions = { device, modelAuth: null, media: media.options };
  return { services, index: params.indexName, definition, options, embedOptions, telemetry };
}

async function updateDocuments(services: Services, call: Call<'updateDocuments'>): Promise<Answer> {
  const { engine, config, definitions } = services;
  const { params, body, telemetry } = call;
  const batch = await splitDocuments(body, () => engine.prepareUpdate(params.indexName, body));
  await checkUpdateEnvelope(batch.envelope, batch.nonObjectPlaces);
  checkCount(batch.count, 'update_documents', config.documentsPerBatchMax);
  const definition = await definitions.get(params.indexName);
  const updating = {
    ...{ services, definition, options: { useGivenTensors: false, keepsOtherFields: true } },
    embedOptions: { device: call.device(), modelAuth: null },
  };
  const { told, ...made } = await withVectors(call, body, batch, updating, (changed) =>
    engine.prepareUpdate(params.indexName, changed),
  );
  const times = telemetry.writes(params.indexName, batch.count);
  const answer = await telemetry.time(['update_documents.store'], () =>
    times.time('store', () => made.batch.apply({ maxDocBytes: config.documentBytesMax, within: withinOf(call) })),
  );
  return itemsAnswer(call, 'PATCH', told(answer));
}

/** The answer about written documents, with the time that it took. */
function itemsAnswer(
  { params: { indexName }, telemetry, startedMs }: Call<WriteOperation>,
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

/** The options by which the engine checks and splits the documents. */
function prepareOptions(
  envelope: Envelope,
  definition: IndexDefinition,
  media: DocumentMedia,
  { config }: Services,
  within: string | null,
): AddOptions {
  const { settings, resolved } = definition;
  const tensorFields = (envelope.tensorFields ?? []).filter((name) => typeof name === 'string');
  return {
    tensorFields: settings.type === 'structured' ? [] : tensorFields,
    nonTensorFields: null,
    mappings: envelope.useGivenTensors ? null : withFieldMappings(definition, envelope.mappings ?? null),
    useExistingTensors: envelope.useExistingTensors,
    useGivenTensors: envelope.useGivenTensors,
    textChunkPrefix: envelope.textChunkPrefix ?? resolved.textChunkPrefix,
    media: media.taken,
    maxDocBytes: config.documentBytesMax,
    reportsCreation: false,
    keepsOtherFields: false,
    within,
  };
}
