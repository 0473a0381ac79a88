import type { ModelType, Weights } from '../resolved-model.js';
import { graphProperties } from './graph-properties.js';
import { unusableModel } from './model-error.js';
import { archive, checkPlaces, httpUrl, modelLocation, repo } from './property-places.js';
import { type ModelProperties, member, textMember } from './property-rules.js';
import { registryEntry } from './registry.js';

/** The paths at which hub repositories keep the graph of an encoder, likeliest first. */
const GRAPH_FILES = ['onnx/model.onnx', 'model.onnx'];

/** The weights of a kind of model that has nothing to fetch; null for others. */
export function weightsOfType(type: ModelType): Weights | null {
  if (type === 'no_model') return { kind: 'none' };
  return type === 'random' ? { kind: 'random' } : null;
}

/** A hub repository, tried with the file names that exports usually have. */
export function hubWeights(repo: string, graphs?: readonly { repo: string; file: string }[]): Weights {
  return { kind: 'hub', repo, graphs: graphs ?? GRAPH_FILES.map((file) => ({ repo, file })) };
}

/**
 * The repository of a name alone. A pipeline without an organisation is one that the registry knows by a short name, else one
 * of the organisation that the library of pipelines puts before it; what that has not may be an encoder of one word.
 */
function namedWeights(type: ModelType, name: string): Weights {
  if (type !== 'sbert' || name.includes('/')) return hubWeights(name);
  const entry = registryEntry(name);
  const organised = entry?.type === 'sbert' ? (entry.source ?? entry.name) : `sentence-transformers/${name}`;
  const graphs = [organised, name].flatMap((repo) => GRAPH_FILES.map((file) => ({ repo, file })));
  return hubWeights(organised, graphs);
}

/** The place where the operator has a model of that name, null when he has none. */
export type MappedWeights = (name: string) => Weights | null;

/**
 * The place of a text encoder described by `modelProperties`. An explicit place wins over `name`, and where `mapped`
 * has that name over the hub repository of that name.
 *
 * @throws PelorusError `bad_request` for places that exclude each other or that hold no graph.
 */
export function encoderWeights(
  model: string,
  type: ModelType,
  properties: ModelProperties,
  mapped: MappedWeights,
): Weights {
  const name = textMember(model, properties, 'name');
  const graph = graphProperties(model, properties).text;
  const url = textMember(model, properties, 'url');
  const location = member(properties, 'modelLocation') ?? undefined;
  checkPlaces(model, [graph, url, location], properties.localpath);
  if (graph !== undefined) {
    const tokenizer = textMember(model, properties, 'tritonModelName') ?? name;
    return { kind: 'files', files: graph, tokenizerRepo: tokenizer === undefined ? null : repo(model, tokenizer) };
  }
  if (url !== undefined) return { kind: 'archive', file: archive(model, { from: 'url', url: httpUrl(model, url) }) };
  if (location !== undefined) {
    const place = modelLocation(model, 'model_location', location);
    return 'repo' in place ? hubWeights(place.repo) : { kind: 'archive', file: place.file };
  }
  if (name !== undefined) return mapped(name) ?? namedWeights(type, repo(model, name));
  throw unusableModel(`modelProperties of ${model} name no model: one of name, url or model_location is needed`);
}
