import { echoed } from '@pelorus/contract';
import { shownUrl } from '../outbound/shown-url.js';
import type { Modality, RemoteFile } from '../resolved-model.js';
import { unusableModel } from './model-error.js';
import { bucketObject, httpUrl, innerPath, repo } from './property-places.js';
import { type ModelProperties, member, objectMember, textValue } from './property-rules.js';

const SOURCE_COUNT_MAX = 5;
const BATCH_SIZE_MAX = 128;
const INPUT_COUNT_MAX = 3;

/** The spellings of a source. */
const SOURCE_KINDS = 'an http(s) URL, s3://BUCKET/KEY or hf://ORGANISATION/REPOSITORY/FILE';

const DATA_TYPES = ['FP64', 'FP32', 'FP16', 'BF16', 'INT8', 'INT16', 'INT32', 'INT64'].map((name) => `TYPE_${name}`);

/** Members of `onnx`, and the other names that two of them go by. */
const GRAPHS: readonly (readonly [Modality, string | null])[] = [
  ['text', 'tritonTextEncoderProperties'],
  ['image', 'tritonImageEncoderProperties'],
  ['video', null],
  ['audio', null],
];

/**
 * The files of the graphs that `modelProperties` bring, by what they take: `onnx.text`, `onnx.image` and so on, or the
 * longer names that these go by.
 *
 * @throws PelorusError `bad_request` naming the member that breaks a rule
 */
export function graphProperties(
  model: string,
  properties: ModelProperties,
): Readonly<Partial<Record<Modality, readonly RemoteFile[]>>> {
  const onnx = properties.onnx === undefined ? {} : objectMember(model, 'onnx', properties.onnx);
  const stray = Object.keys(onnx).find((name) => !GRAPHS.some(([modality]) => modality === name));
  if (stray !== undefined)
    throw unusableModel(`onnx of ${model} has text, image, video and audio, received '${stray}'`);
  const graphs: Partial<Record<Modality, readonly RemoteFile[]>> = {};
  for (const [modality, alias] of GRAPHS) {
    const [short, long] = [onnx[modality] ?? undefined, alias === null ? undefined : member(properties, alias)];
    if (short !== undefined && long !== undefined && long !== null) {
      throw unusableModel(`modelProperties of ${model} have both onnx.${modality} and ${alias}; give one of them`);
    }
    const graph = short ?? long;
    if (graph === undefined || graph === null) continue;
    graphs[modality] = graphFiles(model, modality, objectMember(model, `the ${modality} graph`, graph));
  }
  return graphs;
}

function graphFiles(model: string, modality: Modality, graph: Readonly<Record<string, unknown>>): RemoteFile[] {
  const what = `the ${modality} graph of ${model}`;
  const { name, sources, input, output } = graph;
  if (name !== undefined) textValue(model, `name of the ${modality} graph`, name);
  const batch = member(graph, 'maxBatchSize') ?? 1;
  if (!Number.isInteger(batch) || (batch as number) < 1 || (batch as number) > BATCH_SIZE_MAX) {
    throw unusableModel(`${what} must have a maxBatchSize of 1 to ${BATCH_SIZE_MAX}, received ${echoed(batch)}`);
  }
  if (input !== undefined) checkTensors(`input of ${what}`, input, INPUT_COUNT_MAX);
  if (output !== undefined) checkTensors(`output of ${what}`, output, 1);
  if (!Array.isArray(sources) || sources.length < 1 || sources.length > SOURCE_COUNT_MAX) {
    throw unusableModel(`${what} must have 1 to ${SOURCE_COUNT_MAX} sources`);
  }
  const files = sources.map((source) => graphSource(model, textValue(model, 'a source', source)));
  if (!files.some((file) => fileName(file) === 'model.onnx')) {
    throw unusableModel(`${what} must have a source named model.onnx`);
  }
  return files;
}

/**
 * Checks the declared inputs or outputs of a graph. The graph itself is believed, so that this has to be well formed
 * and no more.
 */
function checkTensors(what: string, tensors: unknown, countMax: number): void {
  const count = countMax === 1 ? 'one tensor' : `1 to ${countMax} tensors`;
  if (!Array.isArray(tensors) || tensors.length < 1 || tensors.length > countMax) {
    throw unusableModel(`${what} must be an array of ${count}`);
  }
  for (const tensor of tensors as unknown[]) {
    const { name, dims, dataType, data_type = dataType } = (tensor ?? {}) as Record<string, unknown>;
    if (typeof name !== 'string' || name === '') throw unusableModel(`${what}: each tensor must have a name`);
    if (!Array.isArray(dims) || !dims.every((dim) => Number.isInteger(dim) && (dim as number) >= -1)) {
      throw unusableModel(`${what}: dims must be an array of integers, -1 for any`);
    }
    if (!DATA_TYPES.includes(data_type as string)) {
      throw unusableModel(`${what}: dataType must be one of ${DATA_TYPES.join(', ')}`);
    }
  }
}

function graphSource(model: string, source: string): RemoteFile {
  const base = source.split(/[?#]/)[0]?.split('/').pop() ?? '';
  if (base !== 'model.onnx' && base !== 'tokenizer.json' && !base.startsWith('model.onnx.data')) {
    throw unusableModel(
      `source ${shownUrl(source)} of ${model} must be named model.onnx, model.onnx.data* or tokenizer.json`,
    );
  }
  const bucketed = /^s3:\/\/([^/]+)\/(.+)$/.exec(source);
  if (bucketed?.[1] !== undefined && bucketed[2] !== undefined) {
    return bucketObject(model, bucketed[1], bucketed[2]);
  }
  const hubbed = /^hf:\/\/([^/]+\/[^/]+)\/(.+)$/.exec(source);
  if (hubbed?.[1] !== undefined && hubbed[2] !== undefined) {
    return { from: 'hub', repo: repo(model, hubbed[1]), file: innerPath(model, hubbed[2]) };
  }
  return { from: 'url', url: httpUrl(model, source, SOURCE_KINDS) };
}

/** The last part of a source's path, which tells its kind. */
export function fileName(file: RemoteFile): string {
  const path = file.from === 'url' ? new URL(file.url).pathname : file.from === 's3' ? file.key : file.file;
  return path.split('/').pop() ?? '';
}
