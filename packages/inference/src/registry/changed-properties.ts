import { echoed, PelorusError, truncated } from '@pelorus/contract';
import type { ModelFile } from '../model-entries.js';
import type { ResolvedModel } from '../resolved-model.js';
import { canonicalHash } from './model-key.js';
import { camel, checkedProperties, type ModelProperties, member } from './property-rules.js';
import { knownProperties, resolveModel } from './resolve.js';

/** Members that say how a model is fetched or run. */
const CHANGEABLE: readonly string[] = [
  ...['url', 'localpath', 'modelLocation', 'authRequired', 'onnx'],
  ...['tritonModelName', 'tritonTextEncoderProperties', 'tritonImageEncoderProperties'],
  ...['tokens', 'jit', 'precision', 'trustRemoteCode', 'modelSize', 'note', 'notes', 'isMarqtuneModel'],
  ...['batchInputsMax', 'timeoutMs'],
];

/** Members that an index took when it was created and keeps, whether they are given again or not. */
const KEPT: readonly string[] = ['textQueryPrefix', 'textChunkPrefix'];

/** Members that are never changed: what is stored has that length, or is the index's own. */
const FIXED: readonly string[] = ['dimensions', ...KEPT];

/**
 * The model of an index whose `modelProperties` are replaced by `given`. How it is fetched and run may change; whatever
 * else its vectors depend on has to be as it was, for they are stored; unless it is `forced`, and the index can work with it.
 *
 * @param before the properties as they are; undefined for a model that is known by its name
 * @throws PelorusError `invalid_argument` naming the member that cannot change, and as {@link resolveModel} does
 */
export function withProperties(
  model: string,
  before: object | undefined,
  given: object,
  { file, isForced = false }: { readonly file?: ModelFile | undefined; readonly isForced?: boolean } = {},
): ResolvedModel {
  const properties = checkedProperties(model, given as ModelProperties);
  const old = before === undefined ? knownProperties(model, file) : (before as ModelProperties);
  const names = new Set([...Object.keys(old), ...Object.keys(properties)].map(camel));
  for (const name of names) {
    if (CHANGEABLE.includes(name)) continue;
    const [is, wanted] = [member(old, name), member(properties, name)];
    if (wanted === undefined && KEPT.includes(name)) continue;
    if (canonicalHash(is) === canonicalHash(wanted)) continue;
    const isFixed = FIXED.includes(name);
    if (isFixed || !isForced) throw unchangeable(model, name, is, wanted, isFixed);
  }
  return resolveModel(model, properties, file);
}

function unchangeable(model: string, name: string, is: unknown, wanted: unknown, isFixed: boolean): PelorusError {
  const force = isFixed ? 'Nor can it with force=true' : 'With force=true it is changed, and they stay as they are';
  return new PelorusError(
    'invalid_argument',
    `modelProperties.${truncated(name)} of ${truncated(model)} cannot be changed: the stored vectors depend on it. ` +
      `Expected ${shownValue(is)}, received ${shownValue(wanted)}. ${force}. These can be changed: ${CHANGEABLE.join(', ')}`,
  );
}

const shownValue = (value: unknown) => (value === undefined ? 'none' : echoed(value));
