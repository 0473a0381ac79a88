import { PelorusError } from '@pelorus/contract';
import { type AddBatch, type AddOptions, type ItemsResponse, isEngineError } from '@pelorus/engine';
import type { EmbedOptions, InputBatch, PartedEmbeddings } from '@pelorus/inference';
import type { Services } from '../call.js';
import type { WriteTimes } from '../http/stages.js';
import type { Telemetry } from '../http/telemetry.js';
import { withoutUrlSecretsIn } from '../http/url-secrets.js';
import type { IndexDefinition } from '../services/definition.js';
import { malformedBody } from './malformed.js';

/** Splitting is where the body's JSON is read: its faults are told as for every other body. */
export async function splitDocuments<Batch>(body: Buffer, split: () => Promise<Batch>): Promise<Batch> {
  try {
    return await split();
  } catch (error) {
    if (!isEngineError(error, 'json_decode_error')) throw error;
    throw malformedBody(body, error.details);
  }
}

/** @param kind how the refusals name the request */
export function checkCount(count: number, kind: string, countMax: number): void {
  if (count === 0) throw new PelorusError('bad_request', `Received empty ${kind} request`);
  if (count > countMax) {
    throw new PelorusError(
      'bad_request',
      `Number of docs in ${kind} request (${count}) exceeds limit of ${countMax}. Send the documents in several requests; the Python client does so with \`client_batch_size\`.`,
    );
  }
}

/** The surroundings that documents are added with. */
export interface Adding {
  readonly services: Services;
  /** Name of the index. */
  readonly index: string;
  readonly definition: IndexDefinition;
  readonly options: AddOptions;
  readonly embedOptions: Pick<EmbedOptions, 'device' | 'modelAuth' | 'media'>;
  readonly telemetry: Telemetry;
}

/** Prepares and embeds the documents; resolves with a function that commits them. */
export async function embedDocuments(batch: AddBatch, adding: Adding): Promise<() => Promise<ItemsResponse>> {
  const { telemetry, options, index } = adding;
  const times = telemetry.writes(index, batch.count);
  const inputs = await telemetry.time(['add_documents.prepare', 'add_documents.processing_before_vespa'], () =>
    times.time('prepare', () => batch.prepare(options)),
  );
  const { vectors, failures, parts } = await telemetry.time(['add_documents.create_vectors'], () =>
    embed(inputs, adding, times),
  );
  return () =>
    telemetry.time(['add_documents.store', 'add_documents.vespa._bulk'], () =>
      times.time('store', () => batch.apply(vectors, { failures: withoutUrlSecretsIn(failures), parts })),
    );
}

/** The vectors of the inputs that the documents need embedded. Where that is nothing, nobody asks for the model. */
async function embed(
  inputs: InputBatch,
  { services, definition, embedOptions }: Adding,
  times: WriteTimes,
): Promise<PartedEmbeddings> {
  if (inputs.count === 0) return { vectors: new Float32Array(0), failures: [], parts: [] };
  const { normalizeEmbeddings: normalize } = definition.settings;
  const model = definition.model();
  times.model = { name: model.name, inputs: inputs.count };
  return times.time('embed', () => services.inference.embed(model, inputs, { ...embedOptions, normalize }));
}
