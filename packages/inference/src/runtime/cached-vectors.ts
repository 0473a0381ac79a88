import type { EncoderInput } from '@pelorus/node';
import type { EmbedOptions } from '../inference.js';
import { vectorKey } from '../registry/model-key.js';
import type { ResolvedModel } from '../resolved-model.js';
import { tellsTextsApart } from '../service/forms.js';
import type { Device } from './device.js';
import { distinctInputs, spreadRows } from './distinct-inputs.js';
import type { Embeddings, Priority } from './encoder.js';
import type { QueryCache } from './query-cache.js';

/** The texts of a query. */
export interface QueryTexts {
  readonly model: ResolvedModel;
  readonly device: Device;
  readonly inputs: readonly EncoderInput[];
  readonly options: Pick<EmbedOptions, 'normalize' | 'signal' | 'cacheTelemetry' | 'textsAs'>;
}

/** Vectors of a query's texts, from the cache where they are known; `compute` is asked for the others, each once. */
export async function cachedVectors(
  cache: QueryCache,
  { model, device, inputs, options }: QueryTexts,
  compute: (missing: readonly EncoderInput[], signal: AbortSignal) => Promise<Embeddings>,
): Promise<Embeddings> {
  // Other models have one vector for a text, whatever it is.
  const { weights } = model;
  const isTold = weights.kind === 'service' && tellsTextsApart(weights.service);
  const space = cacheSpace(vectorKey(model), options.normalize, device, isTold ? options.textsAs : undefined);
  const { distinct, rows } = distinctInputs(inputs);
  let misses = 0;
  const computeMissing = (missing: readonly EncoderInput[], signal: AbortSignal) => {
    misses = missing.length;
    return compute(missing, signal);
  };
  const embeddings = await cache.through(space, distinct, model.dimensions, computeMissing, options.signal);
  options.cacheTelemetry?.({ hits: distinct.length - misses, misses });
  return rows === null ? embeddings : spreadRows(embeddings, rows, model.dimensions);
}

/**
 * Query vectors of one text differ by the model, by whether they are scaled and, in their last digits, by the device, and of
 * some services by their use; prefixes are part of the text.
 */
export const cacheSpace = (key: string, isNormalized: boolean, device: Device, textsAs: Priority = 'query') =>
  `${key} ${isNormalized} ${device}${textsAs === 'query' ? '' : ' as documents'}`;
