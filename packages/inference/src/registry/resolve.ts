import { echoed } from '@pelorus/contract';
import type { ModelFile, ModelFileEntry } from '../model-entries.js';
import { PLAIN_TEXT, RANDOM_PICTURE } from '../presets.js';
import type { ModelType, Pooling, ResolvedModel, Weights } from '../resolved-model.js';
import { isAuxiliary } from './auxiliary.js';
import { tokenVectors } from './field-models.js';
import { isJoint, type JointFacts, jointFacts } from './joint-model.js';
import { jointProperties } from './joint-properties.js';
import { unknownModel, unusableModel } from './model-error.js';
import { canonicalHash } from './model-key.js';
import { modelSize } from './model-size.js';
import {
  checkedProperties,
  flagMember,
  type ModelProperties,
  member,
  noModelNeedsDimensions,
  sizeMember,
  textMember,
  tokensMember,
  withoutNulls,
} from './property-rules.js';
import { encoderWeights, hubWeights, type MappedWeights, weightsOfType } from './property-weights.js';
import { type RegistryEntry, registryEntry } from './registry.js';
import { isService, serviceOrigin, serviceWeights } from './service-properties.js';

/** Members that properties of LanguageBind have to bring, and that follow from what is known of such a model. */
const BOUND = { loader: 'languagebind', videoChunkLength: 20, audioChunkLength: 10 };

/** A model but for what is derived from the rest. */
type Facts = Omit<ResolvedModel, 'key' | 'embeds'> & { readonly source: string };

/**
 * Resolves a model name. `modelProperties` win over the registry; the operator's file comes before the registry. Where
 * it maps a label, or the `name` among its properties, that also serves a model that brings properties of its own.
 *
 * @throws PelorusError `invalid_argument` for an unknown name or properties that break a rule,
 *   `bad_request` for properties that name no usable model.
 */
export function resolveModel(model: string, modelProperties?: object, file?: ModelFile): ResolvedModel {
  const given = modelProperties as ModelProperties | undefined;
  if (given !== undefined && Object.keys(given).length > 0) {
    const mapped = (name: string) => (file?.has(name) === true ? filesOf(named(name, file).weights) : null);
    return finished(fromProperties(model, checkedProperties(model, given), folderOf(file?.get(model)), mapped));
  }
  return finished({ ...named(model, file), name: model });
}

/**
 * The `modelProperties` that would describe a model known by its name.
 * @throws PelorusError as {@link resolveModel} does
 */
export function knownProperties(model: string, file?: ModelFile): ModelProperties {
  const { type, source, dimensions, tokens, pooling, textQueryPrefix, textChunkPrefix, modalities, weights } = named(
    model,
    file,
  );
  const sendDimensions = weights.kind === 'service' && weights.service.sendsDimensions ? true : null;
  const bound = type === 'languagebind' ? { ...BOUND, supportedModalities: modalities } : {};
  const known = {
    type,
    name: source,
    dimensions,
    tokens,
    poolingMethod: pooling,
    textQueryPrefix,
    textChunkPrefix,
    sendDimensions,
    ...bound,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
}

function named(name: string, file: ModelFile | undefined): Facts {
  if (isAuxiliary(name)) throw unknownModel(name);
  const own = file?.get(name);
  if (own?.alias !== undefined) return named(own.alias, file);
  const entry = registryEntry(name);
  const base = entry === undefined ? undefined : fromRegistry(entry);
  if (own === undefined) {
    if (name === 'no_model') throw noModelNeedsDimensions();
    if (base === undefined) throw unknownModel(name);
    return base;
  }
  if (base !== undefined && !isService(own.properties?.type)) return changed(name, base, own);
  const bound = own.properties?.type === 'languagebind' ? BOUND : {};
  const properties = checkedProperties(name, { type: 'hf', ...bound, ...own.properties });
  return { ...fromProperties(name, properties, placeOf(name, own)), properties: null };
}

/** The operator's place of a model: his folder, or the service that he names. */
function placeOf(name: string, own: ModelFileEntry): Weights | null {
  const { type, ...properties } = own.properties ?? {};
  return isService(type) ? serviceWeights(name, type, { type, ...properties }, own) : folderOf(own);
}

/** A model of another type cannot be a service. */
const filesOf = (weights: Weights) => (weights.kind === 'service' ? null : weights);

function folderOf(entry: ModelFileEntry | undefined): Weights | null {
  return entry?.folder === undefined ? null : { kind: 'folder', path: entry.folder };
}

/** The registry's facts of a name, with the operator's changes. */
function changed(name: string, base: Facts, own: ModelFileEntry): Facts {
  const { type, source, dimensions, tokens } = base;
  const { properties = {} } = own;
  const bound = type === 'languagebind' ? { ...BOUND, supportedModalities: base.modalities } : {};
  const isMoved = ['name', 'url', 'modelLocation', 'onnx'].some((place) => Object.hasOwn(properties, place));
  const facts = fromProperties(
    name,
    checkedProperties(name, { type, name: source, dimensions, tokens, ...bound, ...properties }),
    folderOf(own) ?? (isMoved ? null : base.weights),
  );
  return {
    ...base,
    type: facts.type,
    source: facts.source,
    dimensions: facts.dimensions,
    tokens: facts.tokens,
    textQueryPrefix: facts.textQueryPrefix ?? base.textQueryPrefix,
    textChunkPrefix: facts.textChunkPrefix ?? base.textChunkPrefix,
    pooling: facts.pooling ?? base.pooling,
    modalities: facts.modalities,
    text: facts.text,
    picture: facts.picture,
    ...(facts.tokenVectors !== undefined && { tokenVectors: facts.tokenVectors }),
    size: properties.modelSize ?? base.size,
    weights: facts.weights,
  };
}

function fromRegistry(entry: RegistryEntry): Facts {
  const source = entry.source ?? entry.name;
  const graphs = (entry.onnx ?? []).flatMap(({ repo, files }) =>
    files.model === undefined ? [] : [{ repo, file: files.model }],
  );
  return {
    name: entry.name,
    source,
    type: entry.type,
    dimensions: entry.dimensions ?? 0,
    textQueryPrefix: entry.textQueryPrefix ?? null,
    textChunkPrefix: entry.textChunkPrefix ?? null,
    pooling: entry.pooling ?? null,
    unitLength: entry.unitLength ?? false,
    size: entry.size,
    properties: null,
    ...(isJoint(entry.type)
      ? jointFacts(entry)
      : plainFacts(entry.type, entry.tokens ?? 128, weightsOfType(entry.type) ?? hubWeights(source, graphs))),
  };
}

/** The facts of a model that takes texts, and pictures at random. */
function plainFacts(type: ModelType, tokens: number, weights: Weights): JointFacts {
  const isRandom = type === 'random';
  return {
    tokens,
    weights,
    modalities: isRandom ? ['text', 'image'] : ['text'],
    text: PLAIN_TEXT,
    picture: isRandom ? RANDOM_PICTURE : null,
  };
}

function fromProperties(
  name: string,
  kept: ModelProperties,
  weights: Weights | null,
  mapped: MappedWeights = () => null,
): Facts {
  const properties = withoutNulls(kept);
  const type = properties.type as ModelType;
  const source = textMember(name, properties, 'name') ?? name;
  checkRemoteCode(name, type, properties);
  const facts = factsOf(name, type, properties, mapped, weights);
  const ofTokens = tokenVectors(name, type, properties);
  return {
    name,
    source,
    type,
    dimensions: properties.dimensions as number,
    textQueryPrefix: textMember(name, properties, 'textQueryPrefix') ?? null,
    textChunkPrefix: textMember(name, properties, 'textChunkPrefix') ?? null,
    pooling: pooling(name, member(properties, 'poolingMethod')),
    unitLength: type === 'clip_onnx' || (type === 'sbert' && isKnownUnitLength(facts.weights, source)),
    size: isService(type) ? 0 : (sizeMember(name, properties) ?? modelSize(name, source, type)),
    properties: kept,
    ...facts,
    ...(ofTokens !== undefined && { tokenVectors: ofTokens }),
  };
}

function factsOf(
  name: string,
  type: ModelType,
  properties: ModelProperties,
  mapped: MappedWeights,
  weights: Weights | null,
): JointFacts {
  if (isJoint(type)) return jointProperties(name, type, properties, mapped, weights);
  if (isService(type)) {
    // A service of the index itself wins over a folder of its label.
    const own = weights?.kind === 'service' ? weights : serviceWeights(name, type, properties);
    return plainFacts(type, 0, own);
  }
  const place = weights ?? weightsOfType(type) ?? encoderWeights(name, type, properties, mapped);
  return plainFacts(type, tokensMember(name, properties), place);
}

/**
 * Tells whether the registry has a pipeline of that repository that normalises, so that no folder has to say so: one of
 * the operator's holds the pipeline of the name.
 */
function isKnownUnitLength(weights: Weights, name: string): boolean {
  const repo = weights.kind === 'hub' ? weights.repo : weights.kind === 'folder' ? name : null;
  const entry = repo === null ? undefined : registryEntry(repo);
  return entry?.type === 'sbert' && entry.unitLength === true;
}

function pooling(model: string, method: unknown): Pooling | null {
  if (method === undefined || method === null) return null;
  if (method === 'mean' || method === 'cls') return method;
  throw unusableModel(`poolingMethod of ${model} must be 'mean' or 'cls', received ${echoed(method)}`);
}

/**
 * Graphs are data, and code that comes with a model is never run: the trust is taken, since settings that are taken
 * over have it, and changes nothing. A model without a graph fails for that.
 */
function checkRemoteCode(model: string, type: ModelType, properties: ModelProperties): void {
  const isTrusted = flagMember(model, properties, 'trustRemoteCode');
  if (type === 'hf_stella' && !isTrusted) {
    throw unusableModel(`modelProperties of ${model} must have 'trust_remote_code' true for type hf_stella`);
  }
}

function finished({ source, ...facts }: Facts): ResolvedModel {
  const { type, dimensions, tokens, pooling: pooled, unitLength, modalities, text, picture, weights } = facts;
  const origin = originOf(weights);
  return {
    ...facts,
    key: canonicalHash({
      ...{ source, type, dimensions, tokens, pooling: pooled, unitLength, modalities, origin },
      // Those of other models follow from their type.
      ...(isJoint(type) && { text, picture }),
      ...(facts.tokenVectors !== undefined && { tokenVectors: facts.tokenVectors }),
    }),
    embeds: type !== 'no_model',
  };
}

/** The part of a source that vectors depend on. Moving a folder or a service must not make another model of it. */
function originOf(weights: Weights): unknown {
  if (weights.kind === 'service') return serviceOrigin(weights.service);
  return weights.kind === 'folder' ? 'folder' : weights;
}
