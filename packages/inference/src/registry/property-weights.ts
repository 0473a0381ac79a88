import { PelorusError } from '@pelorus/contract';
import { shownUrl } from '../outbound/shown-url.js';
import type { ModelType, RemoteFile, Weights } from '../resolved-model.js';
import { unusableModel } from './model-error.js';
import { type ModelProperties, member, textMember } from './property-rules.js';

/** Kinds whose text side is an encoder with one hidden state per token, which is what runs here. */
const TEXT_ENCODERS: ReadonlySet<ModelType> = new Set(['hf', 'hf_stella', 'sbert', 'sbert_onnx', 'test']);

/** Where hub repositories keep the graph of an encoder, likeliest first. */
const GRAPH_FILES = ['onnx/model.onnx', 'model.onnx'];

const SOURCE_COUNT_MAX = 5;

export function isTextEncoder(type: ModelType): boolean {
  return TEXT_ENCODERS.has(type);
}

/** The weights of a kind of model that has nothing to fetch or cannot be run; null for a text encoder. */
export function weightsOfType(type: ModelType): Weights | null {
  if (type === 'no_model') return { kind: 'none' };
  if (type === 'random') return { kind: 'random' };
  if (isTextEncoder(type)) return null;
  return { kind: 'unserved', reason: `models of type ${type} are not served by this version` };
}

/** A hub repository, tried with the file names that exports usually have. */
export function hubWeights(repo: string, graphs?: readonly { repo: string; file: string }[]): Weights {
  return { kind: 'hub', repo, graphs: graphs ?? GRAPH_FILES.map((file) => ({ repo, file })) };
}

/** Where the operator has a model of that name, null when he says nothing of it. */
export type MappedWeights = (name: string) => Weights | null;

/**
 * Where a text encoder described by `modelProperties` lies. An explicit place wins over `name`, and where `mapped` has
 * that name over the hub repository of that name.
 *
 * @throws PelorusError `bad_request` for places that exclude each other or that hold no graph.
 */
export function encoderWeights(model: string, properties: ModelProperties, mapped: MappedWeights): Weights {
  const name = textMember(model, properties, 'name');
  const graph = graphSources(model, properties);
  const url = textMember(model, properties, 'url');
  const location = member(properties, 'modelLocation') ?? undefined;
  const places = [graph, url, properties.localpath, location].filter((place) => place !== undefined);
  if (places.length > 1) {
    throw unusableModel(
      `modelProperties of ${model} name more than one place for the model; give one of url, localpath, ` +
        'model_location or a graph with its sources',
    );
  }
  if (properties.localpath !== undefined) {
    throw unusableModel(
      `modelProperties of ${model} name a localpath, which only the operator may do, in the model file`,
    );
  }
  if (graph !== undefined) {
    const tokenizer = textMember(model, properties, 'tritonModelName') ?? name;
    return { kind: 'files', files: graph, tokenizerRepo: tokenizer === undefined ? null : repo(model, tokenizer) };
  }
  if (url !== undefined) return { kind: 'archive', file: archive(model, { from: 'url', url: httpUrl(model, url) }) };
  if (location !== undefined) return locationWeights(model, location);
  if (name !== undefined) return mapped(name) ?? hubWeights(repo(model, name));
  throw unusableModel(`modelProperties of ${model} name no model: one of name, url or model_location is needed`);
}

function locationWeights(model: string, location: unknown): Weights {
  const { s3, hf } = object(model, 'model_location', location);
  if ((s3 === undefined) === (hf === undefined)) {
    throw new PelorusError('invalid_argument', `model_location of ${model} must have exactly one of 's3' and 'hf'`);
  }
  if (s3 !== undefined) {
    const place = object(model, 'model_location.s3', s3);
    const bucket = text(model, 'model_location.s3.Bucket', place.Bucket);
    const key = text(model, 'model_location.s3.Key', place.Key);
    return { kind: 'archive', file: archive(model, { from: 's3', bucket, key }) };
  }
  const place = object(model, 'model_location.hf', hf);
  const repoId = repo(model, text(model, 'model_location.hf.repo_id', member(place, 'repoId')));
  if (place.filename === undefined || place.filename === null) return hubWeights(repoId);
  const file = text(model, 'model_location.hf.filename', place.filename);
  return { kind: 'archive', file: archive(model, { from: 'hub', repo: repoId, file }) };
}

/** The files of a graph of one's own: `onnx.text.sources`, or the longer name it also goes by. */
function graphSources(model: string, properties: ModelProperties): RemoteFile[] | undefined {
  const onnx = properties.onnx === undefined ? undefined : object(model, 'onnx', properties.onnx).text;
  const graph = onnx ?? member(properties, 'tritonTextEncoderProperties');
  if (graph === undefined || graph === null) return undefined;
  const { sources } = object(model, 'the text graph', graph);
  if (!Array.isArray(sources) || sources.length < 1 || sources.length > SOURCE_COUNT_MAX) {
    throw unusableModel(`the text graph of ${model} must have 1 to ${SOURCE_COUNT_MAX} sources`);
  }
  return sources.map((source) => graphSource(model, text(model, 'a source', source)));
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
    return { from: 's3', bucket: bucketed[1], key: bucketed[2] };
  }
  const hubbed = /^hf:\/\/([^/]+\/[^/]+)\/(.+)$/.exec(source);
  if (hubbed?.[1] !== undefined && hubbed[2] !== undefined) {
    return { from: 'hub', repo: repo(model, hubbed[1]), file: hubbed[2] };
  }
  return { from: 'url', url: httpUrl(model, source) };
}

function archive(model: string, file: RemoteFile): RemoteFile {
  const path = file.from === 'url' ? new URL(file.url).pathname : file.from === 's3' ? file.key : file.file;
  if (path.toLowerCase().endsWith('.zip')) return file;
  throw unusableModel(
    `the location of ${model} must be a .zip file that holds model.onnx and tokenizer.json, received ${path}`,
  );
}

function httpUrl(model: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw unusableModel(`the location of ${model} must be an http(s) URL, received ${shownUrl(value)}`);
  }
  if (url.username === '' && url.password === '') return url.href;
  throw unusableModel(
    `the location of ${model} must be a URL without a user name and password, received them with ${shownUrl(value)}`,
  );
}

/** A hub repository's name: it becomes part of a URL and of a folder's name, so nothing else may pass. */
function repo(model: string, name: string): string {
  const parts = name.split('/');
  if (parts.length <= 2 && parts.every((part) => /^[\w-][\w.-]{0,95}$/.test(part))) return name;
  throw unusableModel(`'${shownUrl(name)}' in the properties of ${model} is not the name of a hub repository`);
}

function object(model: string, what: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw unusableModel(`${what} of ${model} must be an object`);
}

function text(model: string, what: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw unusableModel(`${what} of ${model} must be a string that is not empty`);
}
