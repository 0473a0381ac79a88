import { truncated } from '@pelorus/contract';
import type { ModelFileEntry } from '../model-entries.js';
import { type EmbeddingService, SERVICE_FORMS, type ServiceForm, type Weights } from '../resolved-model.js';
import { unusableModel } from './model-error.js';
import { httpUrl } from './property-places.js';
import { camel, flagMember, type ModelProperties, member, textValue } from './property-rules.js';

/** Members of a model that a service computes. Others are refused, since one of them may be a key, which nobody is to see. */
const MEMBERS: readonly string[] = [
  ...['type', 'name', 'dimensions', 'url', 'sendDimensions', 'batchInputsMax', 'timeoutMs'],
  ...['textQueryPrefix', 'textChunkPrefix', 'note', 'notes'],
];

/** Texts of one request: by default, and at most as the form has it. */
const BATCH_INPUTS: Readonly<Record<ServiceForm, { readonly usual: number; readonly max: number }>> = {
  openai: { usual: 128, max: 2048 },
  ollama: { usual: 32, max: 2048 },
  cohere: { usual: 96, max: 96 },
};

/** A model that is asked for the first time may have to be loaded over there. */
const TIMEOUT_MS = 60_000;
const TIMEOUT_MS_MAX = 600_000;

/** Tells whether models of that type are computed by a service. */
export function isService(type: unknown): type is ServiceForm {
  return (SERVICE_FORMS as readonly unknown[]).includes(type);
}

/**
 * The service that properties describe.
 * @param entry the operator's entry that they are of; absent where a request brings them
 * @throws PelorusError `bad_request` naming the member that breaks a rule
 */
export function serviceWeights(
  model: string,
  form: ServiceForm,
  properties: ModelProperties,
  entry?: Pick<ModelFileEntry, 'keyFile' | 'keyVariable'>,
): Weights {
  const unknown = Object.keys(properties).find((name) => !MEMBERS.includes(camel(name)));
  if (unknown !== undefined) {
    throw unusableModel(
      `modelProperties of ${model}: '${truncated(unknown)}' is no member of type ${form}, which has ${MEMBERS.join(', ')}. ` +
        'A key is never among them: the operator has it in the file of --models, or modelAuth of a request brings it',
    );
  }
  const { usual, max } = BATCH_INPUTS[form];
  const service: EmbeddingService = {
    form,
    url: httpUrl(model, textValue(model, 'url', properties.url)),
    model: textValue(model, 'name', properties.name),
    sendsDimensions: flagMember(model, properties, 'sendDimensions'),
    batchInputsMax: countMember(model, properties, 'batchInputsMax', { usual, max }),
    timeoutMs: countMember(model, properties, 'timeoutMs', { usual: TIMEOUT_MS, max: TIMEOUT_MS_MAX }),
    isOperators: entry !== undefined,
    keyPlace: keyPlace(entry ?? {}),
  };
  return { kind: 'service', service };
}

/** The part of a service that its vectors depend on, wherever it is and however it is asked. */
export function serviceOrigin({ form, model, sendsDimensions }: EmbeddingService): object {
  return { kind: 'service', form, model, sendsDimensions };
}

function keyPlace({ keyFile, keyVariable }: Pick<ModelFileEntry, 'keyFile' | 'keyVariable'>) {
  if (keyFile !== undefined) return { file: keyFile };
  return keyVariable === undefined ? null : { variable: keyVariable };
}

function countMember(
  model: string,
  properties: ModelProperties,
  name: string,
  { usual, max }: { readonly usual: number; readonly max: number },
): number {
  const value = member(properties, name) ?? usual;
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max) return value as number;
  throw unusableModel(
    `modelProperties of ${model}: '${name}' must be an integer of 1 to ${max}, received ${JSON.stringify(value).slice(0, 64)}`,
  );
}
