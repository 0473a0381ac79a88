import { PelorusError } from '@pelorus/contract';

/** Longest echo of a name that came with a request, and of a reason or message that holds such texts. */
const NAME_LENGTH_MAX = 256;
const REASON_LENGTH_MAX = 768;
const MESSAGE_LENGTH_MAX = 4096;

function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : text.slice(0, lengthMax).toWellFormed();
}

/** A model name that neither the registry nor the operator knows. */
export function unknownModel(model: string): PelorusError {
  return new PelorusError(
    'invalid_argument',
    `Could not find model properties for model=${cut(model, NAME_LENGTH_MAX)}. Please check that the model name is correct. ` +
      'Please provide model_properties if the model is a custom model and is not supported by default',
  );
}

const reasoned = (model: string, reason: string) =>
  `Invalid model properties for model=${cut(model, NAME_LENGTH_MAX)}. Reason: ${cut(reason, REASON_LENGTH_MAX)}.`;

/** `no_model` named without its properties; told in plain words, unlike {@link invalidProperties}. */
export function missingProperties(model: string, reason: string): PelorusError {
  return new PelorusError('invalid_argument', reasoned(model, reason));
}

/**
 * `modelProperties` that break a rule. They are checked once the body as a whole was accepted, and such
 * errors carry a JSON list as their message.
 */
export function invalidProperties(model: string, reason: string): PelorusError {
  const text = asciiJson(reasoned(model, reason));
  return new PelorusError('invalid_argument', `[{"loc": ["__root__"], "msg": ${text}, "type": "value_error"}]`, {
    link: '',
  });
}

/** The page that describes models and their properties. */
const MODEL_DOCS = '/docs';

/** A model that is named well but cannot be loaded or used. */
export function unusableModel(message: string, cause?: unknown): PelorusError {
  return new PelorusError('bad_request', cut(message, MESSAGE_LENGTH_MAX), { link: MODEL_DOCS, cause });
}

function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
