import { echoed, PelorusError } from '@pelorus/contract';
import { PICTURE_PRESETS, TEXT_PRESETS, TOKENIZER_REPOS } from '../presets.js';
import type {
  Modality,
  ModelType,
  PicturePreprocessing,
  RemoteFile,
  TextPreprocessing,
  TowerExport,
  Weights,
} from '../resolved-model.js';
import { fileName, graphProperties } from './graph-properties.js';
import { hubTowers, isJoint, type JointFacts, jointFacts, tokenizerFile, withTokenizer } from './joint-model.js';
import { unusableModel } from './model-error.js';
import { pictureProperties } from './picture-properties.js';
import { ARCHIVES, archive, checkPlaces, httpUrl, modelLocation, repo } from './property-places.js';
import { type ModelProperties, member, objectMember, textMember, tokensMember } from './property-rules.js';
import type { MappedWeights } from './property-weights.js';
import { architectureEntry, type RegistryEntry, registryEntry } from './registry.js';

const HUB_NAME = 'hf-hub:';
const CLIP_TOKENIZER: RemoteFile = { from: 'hub', repo: TOKENIZER_REPOS.clip as string, file: 'tokenizer.json' };

/**
 * A joint model as `modelProperties` describe it. Open members follow from `name`, where the registry knows it or its
 * architecture, and from the defaults of the type.
 *
 * @param mapped where the operator has models by name
 * @param folder where he has this one; wins over what is given
 * @throws PelorusError `bad_request` for what names no usable model, `invalid_argument` for an ambiguous location
 */
export function jointProperties(
  model: string,
  type: ModelType,
  properties: ModelProperties,
  mapped: MappedWeights,
  folder: Weights | null,
): JointFacts {
  const name = textMember(model, properties, 'tritonModelName') ?? textMember(model, properties, 'name');
  const own = textMember(model, properties, 'name');
  const known = knownEntry(name);
  checkRunning(model, properties);
  if (type === 'languagebind') checkBound(model, properties);
  const tokenizer = tokenizerMember(model, properties);
  const base = known === undefined ? usual(type) : jointFacts(known);
  const modalities = type === 'languagebind' ? supportedModalities(model, properties) : base.modalities;
  const place = towersPlace(model, type, properties, tokenizerOf(tokenizer, known), modalities);
  return {
    tokens: properties.tokens === undefined ? base.tokens : tokensMember(model, properties),
    modalities,
    text: tokenizer === undefined ? base.text : TEXT_PRESETS.hf,
    picture: modalities.includes('image')
      ? pictureProperties(model, properties, type, base.picture, (folder ?? place) !== null)
      : null,
    weights:
      place !== null && folder === null
        ? place
        : withTokenizer(folder ?? namedWeights(model, own, mapped) ?? noPlace(model, own), tokenizer),
  };
}

/** The defaults of a type, for models that are not known. */
function usual(type: ModelType): JointFacts & { text: TextPreprocessing; picture: PicturePreprocessing } {
  const isBound = type === 'languagebind';
  const isMultilingual = type === 'multilingual_clip';
  return {
    tokens: isMultilingual ? 512 : 77,
    modalities: ['text', 'image'],
    text: TEXT_PRESETS[isBound ? 'languagebind' : isMultilingual ? 'm-clip' : 'clip'],
    picture: isBound ? PICTURE_PRESETS.LanguageBind : PICTURE_PRESETS.OpenCLIP,
    weights: { kind: 'towers', repo: null, exports: [] },
  };
}

/** The entry that a name stands for: its own, that of the hub repository, or one of the same architecture. */
function knownEntry(name: string | undefined): RegistryEntry | undefined {
  if (name === undefined) return undefined;
  const entry =
    registryEntry(name.startsWith(HUB_NAME) ? name.slice(HUB_NAME.length) : name) ?? architectureEntry(name);
  return entry !== undefined && isJoint(entry.type) ? entry : undefined;
}

/** The weights of a name alone: the operator's, those of the registry, or a repository of the hub. */
function namedWeights(model: string, name: string | undefined, mapped: MappedWeights): Weights | null {
  if (name === undefined) return null;
  const own = mapped(name);
  if (own !== null) return own;
  const hub = name.startsWith(HUB_NAME) ? name.slice(HUB_NAME.length) : name;
  const entry = registryEntry(hub);
  if (entry !== undefined && isJoint(entry.type)) return jointFacts(entry).weights;
  return hub === name ? null : hubTowers(repo(model, hub));
}

function noPlace(model: string, name: string | undefined): never {
  throw unusableModel(
    `modelProperties of ${model} name no graphs${name === undefined ? '' : ` with the name ${name}`}: give onnx with the ` +
      'sources of each graph, the archive of a model folder as url or model_location, or as name a model of the registry or ' +
      'hf-hub:ORGANISATION/REPOSITORY. Checkpoints of PyTorch cannot be run; they have to be exported to ONNX',
  );
}

function checkRunning(model: string, properties: ModelProperties): void {
  const { precision = 'fp32', jit = false } = properties;
  if (precision !== 'fp32' && precision !== 'fp16') {
    throw unusableModel(`precision of ${model} must be 'fp32' or 'fp16', received ${echoed(precision)}`);
  }
  if (typeof jit !== 'boolean') throw unusableModel(`jit of ${model} must be true or false`);
}

/**
 * Checks the members that say how LanguageBind is run: an index sets the seconds of its films and sounds, but those
 * given here must be above 0.
 */
function checkBound(model: string, properties: ModelProperties): void {
  const { loader = 'languagebind' } = properties;
  if (loader !== 'languagebind') {
    throw unusableModel(`loader of ${model} must be 'languagebind', received ${echoed(loader)}`);
  }
  for (const name of ['videoChunkLength', 'audioChunkLength']) {
    const seconds = member(properties, name) ?? 1;
    if (!Number.isFinite(seconds) || (seconds as number) <= 0) {
      const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      throw unusableModel(`${snake} of ${model} must be a number of seconds above 0, received ${echoed(seconds)}`);
    }
  }
}

/** The repository of a tokenizer that is asked for. */
function tokenizerMember(model: string, properties: ModelProperties): string | undefined {
  const given = textMember(model, properties, 'tokenizer');
  return given === undefined ? undefined : repo(model, given);
}

function tokenizerOf(given: string | undefined, known: RegistryEntry | undefined): RemoteFile {
  if (given !== undefined) return { from: 'hub', repo: given, file: 'tokenizer.json' };
  return (known === undefined ? null : tokenizerFile(known)) ?? CLIP_TOKENIZER;
}

/** The place of the graphs by the properties themselves; null where they leave it to the name. */
function towersPlace(
  model: string,
  type: ModelType,
  properties: ModelProperties,
  tokenizer: RemoteFile,
  modalities: readonly Modality[],
): Weights | null {
  const graphs = graphProperties(model, properties);
  const brings = Object.keys(graphs).length > 0 ? graphs : undefined;
  const url = textMember(model, properties, 'url');
  const location = member(properties, 'modelLocation') ?? undefined;
  checkPlaces(model, [brings, url, location], properties.localpath);
  if (brings !== undefined) return ownGraphs(model, properties, brings, tokenizer, modalities);
  if (url !== undefined) return { kind: 'archive', file: archive(model, { from: 'url', url: httpUrl(model, url) }) };
  if (location === undefined) return null;
  if (type === 'languagebind') return boundLocations(model, properties, location, tokenizer, modalities);
  const place = modelLocation(model, 'model_location', location);
  if ('file' in place) return { kind: 'archive', file: place.file };
  return withTokenizer(hubTowers(place.repo), tokenizerMember(model, properties));
}

function ownGraphs(
  model: string,
  properties: ModelProperties,
  graphs: TowerExport['graphs'],
  tokenizer: RemoteFile,
  modalities: readonly Modality[],
): Weights {
  for (const modality of modalities) {
    if (graphs[modality] === undefined) {
      throw unusableModel(
        `modelProperties of ${model} have no ${modality} graph; it needs those of ${modalities.join(', ')}`,
      );
    }
  }
  const stray = Object.keys(graphs).find((modality) => !modalities.includes(modality as Modality));
  if (stray !== undefined) {
    throw unusableModel(`modelProperties of ${model} bring a graph of ${stray}, but it takes ${modalities.join(', ')}`);
  }
  const { outputNormalised: unitLength = false } = properties;
  if (typeof unitLength !== 'boolean') throw unusableModel(`outputNormalised of ${model} must be true or false`);
  const isBrought = Object.values(graphs)
    .flat()
    .some((file) => fileName(file) === 'tokenizer.json');
  return {
    kind: 'towers',
    repo: null,
    exports: [{ graphs, tokenizer: isBrought ? null : tokenizer, unitLength }],
  };
}

/** An archive for each medium; the one of images, or whichever is first, brings the tower of texts too. */
function boundLocations(
  model: string,
  properties: ModelProperties,
  location: unknown,
  tokenizer: RemoteFile,
  modalities: readonly Modality[],
): Weights {
  if (properties.name !== undefined) {
    throw unusableModel(`modelProperties of ${model} have both name and model_location; give one of them`);
  }
  const places = objectMember(model, 'model_location', location);
  const graphs: Partial<Record<Modality, readonly RemoteFile[]>> = {};
  for (const modality of modalities) {
    if (modality === 'text') continue;
    if (places[modality] === undefined) {
      throw unusableModel(`model_location of ${model} has no '${modality}', which is among its supported_modalities`);
    }
    graphs[modality] = [boundLocation(model, `model_location.${modality}`, places[modality])];
  }
  const vocabulary = places.tokenizer;
  const from = vocabulary === undefined ? null : boundLocation(model, 'model_location.tokenizer', vocabulary);
  return { kind: 'towers', repo: null, exports: [{ graphs, tokenizer: from ?? tokenizer, unitLength: false }] };
}

function boundLocation(model: string, what: string, location: unknown): RemoteFile {
  const { url, ...rest } = objectMember(model, what, location);
  if (url === undefined) {
    const place = modelLocation(model, what, rest);
    if ('file' in place) return place.file;
    throw unusableModel(`${what}.hf of ${model} must have a filename, that of a ${ARCHIVES} file`);
  }
  if (rest.s3 === undefined && rest.hf === undefined && typeof url === 'string') {
    return archive(model, { from: 'url', url: httpUrl(model, url) });
  }
  throw new PelorusError('invalid_argument', `${what} of ${model} must have exactly one of 's3', 'hf' and 'url'`);
}

const MEDIA: readonly Modality[] = ['image', 'video', 'audio'];

function supportedModalities(model: string, properties: ModelProperties): readonly Modality[] {
  const given = member(properties, 'supportedModalities');
  const what = `supported_modalities of ${model}`;
  if (!Array.isArray(given)) throw unusableModel(`${what} must be an array`);
  const stray = given.find((one) => !['text', 'language', ...MEDIA].includes(one as string));
  if (stray !== undefined) {
    throw unusableModel(`${what} are text, image, video and audio, received ${echoed(stray)}`);
  }
  if (given.includes('text') === given.includes('language')) {
    throw unusableModel(`${what} must have 'text', or 'language' in its place`);
  }
  const media = MEDIA.filter((medium) => given.includes(medium));
  if (media.length === 0) throw unusableModel(`${what} must have one of image, video and audio besides text`);
  return ['text', ...media];
}
