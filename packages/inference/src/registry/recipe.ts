import { statSync } from 'node:fs';
import type { PatchDetector } from '@pelorus/node';
import type { DetectorModel, LoadableModel, ResolvedModel } from '../resolved-model.js';
import { isJoint } from './joint-model.js';
import { unusableModel } from './model-error.js';
import { registryEntry } from './registry.js';

type DetectorNetwork = 'frcnn' | 'dino';

/** A package of Python that a recipe needs, by the name it is imported by and the name it is installed by. */
export interface PythonPackage {
  readonly module: string;
  readonly package: string;
}

/** The job of a script in the folder `python`; each script says at its head how it exports a model. */
export interface Recipe {
  /** Name of the script. */
  readonly recipe: 'text_model' | 'open_clip_model' | 'multilingual_clip_model' | 'detector_model';
  readonly needs: readonly PythonPackage[];
  /** The place of the original: a folder, a repository of the hub, or as OpenCLIP spells these. */
  readonly source: string | null;
  /** The place of the text tower of multilingual CLIP. */
  readonly textSource: string | null;
  /** The network of a detector. */
  readonly detector: DetectorNetwork | null;
  /** The architecture of OpenCLIP or a detector, and the data it was trained on, where both are known by name. */
  readonly architecture: string | null;
  readonly tag: string | null;
  /** Most tokens of a text. */
  readonly tokens: number;
  /** The original's vectors are those of a pipeline of sentence-transformers. */
  readonly isPipeline: boolean;
  /** Code of the repository may run. */
  readonly trustsCode: boolean;
  /** The publisher's description of the inputs is kept with the graphs, since nothing else tells of them. */
  readonly publishes: boolean;
}

export interface RecipeOptions {
  /** A folder with the original, or a repository of the hub, instead of the one that the name stands for. */
  readonly from?: string | undefined;
  /** Allows the code of the original's repository to run, where a model is made of code. */
  readonly trustsCode?: boolean | undefined;
}

const TORCH: PythonPackage = { module: 'torch', package: 'torch' };
const TRANSFORMERS: PythonPackage = { module: 'transformers', package: 'transformers' };
/** PyTorch writes graphs with it, and does not bring it. */
const ONNX: PythonPackage = { module: 'onnx', package: 'onnx' };
const COMMON = [TORCH, TRANSFORMERS, ONNX];
const SENTENCE_TRANSFORMERS: PythonPackage = { module: 'sentence_transformers', package: 'sentence-transformers' };
const OPEN_CLIP: PythonPackage = { module: 'open_clip', package: 'open_clip_torch' };

const TORCHVISION: PythonPackage = { module: 'torchvision', package: 'torchvision' };
const TIMM: PythonPackage = { module: 'timm', package: 'timm' };

/** A network that takes pictures apart. */
type Network = Pick<Recipe, 'detector' | 'architecture' | 'tag'> & { readonly library: PythonPackage };

const FASTER_RCNN: Network = {
  detector: 'frcnn',
  architecture: 'fasterrcnn_resnet50_fpn_v2',
  tag: 'COCO_V1',
  library: TORCHVISION,
};
/** Both methods ask it, and differ in their use of its answer. */
const DINO: Network = { detector: 'dino', architecture: 'vit_small_patch16_224', tag: 'dino', library: TIMM };

/** The networks of patch methods; YOLOX has been published as a graph. */
const DETECTORS: Readonly<Record<PatchDetector, Network | null>> = {
  frcnn: FASTER_RCNN,
  'marqo-yolo': null,
  'dino-v1': DINO,
  'dino-v2': DINO,
};

/** The image tower of each model of multilingual CLIP: architecture and what it was trained on. */
const MULTILINGUAL_TOWERS: Readonly<Record<string, readonly [architecture: string, tag: string]>> = {
  'multilingual-clip/XLM-Roberta-Large-Vit-L-14': ['ViT-L-14', 'openai'],
  'multilingual-clip/XLM-R Large Vit-B/16+': ['ViT-B-16-plus-240', 'laion400m_e32'],
  'multilingual-clip/XLM-Roberta-Large-Vit-B-32': ['ViT-B-32', 'openai'],
  'multilingual-clip/LABSE-Vit-L-14': ['ViT-L-14', 'openai'],
};

/** Tells whether a model can be exported from its original library. */
export function hasRecipe(model: LoadableModel): boolean {
  const { type } = model;
  if (type === 'detector') return DETECTORS[(model as DetectorModel).detector] !== null;
  return (
    type !== 'owl' && type !== 'cross_encoder' && type !== 'random' && type !== 'no_model' && type !== 'languagebind'
  );
}

/**
 * The recipe by which a model is exported.
 * @param original the model as it is known without a folder of the operator's
 * @throws PelorusError `bad_request` for a model that has no recipe, or one that needs what was not allowed
 */
export function recipeOf(original: ResolvedModel | DetectorModel, options: RecipeOptions): Recipe {
  if (!hasRecipe(original)) throw noRecipe(original);
  return original.type === 'detector' ? detectorRecipe(original, options) : modelRecipe(original, options);
}

function modelRecipe(original: ResolvedModel, { from, trustsCode = false }: RecipeOptions): Recipe {
  const { name, type, tokens } = original;
  if (type === 'hf_stella' && !trustsCode) {
    throw unusableModel(
      `${name} is made of code in its own repository, which the export would run. If you trust it, give --trust-remote-code`,
    );
  }
  const common = { tokens, isPipeline: false, trustsCode: false, publishes: false, textSource: null, detector: null };
  if (type === 'multilingual_clip') return { ...common, ...multilingualRecipe(original, from) };
  if (isJoint(type)) {
    const place = openClipPlace(original, from);
    const publishes = registryEntry(name) === undefined;
    return { ...common, recipe: 'open_clip_model', needs: [...COMMON, OPEN_CLIP], ...place, publishes };
  }
  const isPipeline = type === 'sbert';
  return {
    ...common,
    recipe: 'text_model',
    needs: [...COMMON, ...(isPipeline ? [SENTENCE_TRANSFORMERS] : [])],
    source: from ?? repoOf(original),
    architecture: null,
    tag: null,
    isPipeline,
    trustsCode: type === 'hf_stella',
  };
}

function detectorRecipe({ name, detector }: DetectorModel, { from }: RecipeOptions): Recipe {
  const network = DETECTORS[detector];
  if (network === null) throw new TypeError(`${name} has a recipe`);
  const { library, ...known } = network;
  const needs = [TORCH, library, ONNX];
  const recipe = { ...known, recipe: 'detector_model', needs, source: null, textSource: null, tokens: 0 } as const;
  const plain = { isPipeline: false, trustsCode: false, publishes: false };
  if (from === undefined) return { ...recipe, ...plain };
  if (known.detector === 'dino') return { ...recipe, ...plain, source: placeOf(from) };
  if (!isFolder(from)) throw unusableModel(`The original of ${name} must be a folder, received ${from}`);
  return { ...recipe, ...plain, source: from };
}

type OpenClipPlace = Pick<Recipe, 'source' | 'architecture' | 'tag'>;

/** The name of a model in OpenCLIP: an architecture with its training data, or the place of its configuration. */
function openClipPlace(original: ResolvedModel, from: string | undefined): OpenClipPlace {
  if (from !== undefined) return { source: placeOf(from), architecture: null, tag: null };
  const known = repoOf(original).replace(/^onnx(16|32)\//, '');
  const [, architecture, tag] = /^open_clip\/([^/]+)\/([^/]+)$/.exec(known) ?? [];
  if (architecture !== undefined && tag !== undefined) return { source: null, architecture, tag };
  const isOpenAi = ['clip', 'fp16_clip', 'clip_onnx'].includes(original.type) && registryEntry(known) !== undefined;
  if (!isOpenAi && !known.startsWith('openai/')) return { source: placeOf(known), architecture: null, tag: null };
  const plain = known.replace(/^(fp16|openai)\//, '');
  return { source: null, architecture: plain.replace('@336px', '-336').replaceAll('/', '-'), tag: 'openai' };
}

/** A place as OpenCLIP and timm spell it. */
function placeOf(place: string): string {
  if (isFolder(place)) return `local-dir:${place}`;
  return place.startsWith('hf-hub:') ? place : `hf-hub:${place}`;
}

/** A folder with this model has one for each tower. */
function multilingualRecipe(original: ResolvedModel, from: string | undefined) {
  const needs = [...COMMON, OPEN_CLIP];
  const recipe = { recipe: 'multilingual_clip_model', needs } as const;
  if (from !== undefined) {
    if (!isFolder(from)) throw unusableModel(`The original of ${original.name} must be a folder, received ${from}`);
    return { ...recipe, source: `local-dir:${from}/image`, textSource: `${from}/text`, architecture: null, tag: null };
  }
  const [architecture, tag] = MULTILINGUAL_TOWERS[repoOf(original)] ?? [];
  const textSource = registryEntry(repoOf(original))?.tokenizer?.repo;
  if (architecture === undefined || tag === undefined || textSource === undefined) throw noOriginal(original);
  return { ...recipe, source: null, textSource, architecture, tag };
}

/** The repository or name that a model was published by. */
function repoOf(original: ResolvedModel): string {
  const { weights } = original;
  if ((weights.kind === 'hub' || weights.kind === 'towers') && weights.repo !== null) return weights.repo;
  throw noOriginal(original);
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const noOriginal = ({ name }: ResolvedModel) =>
  unusableModel(`It is not known where the original of ${name} is: give its folder or repository as --from`);

/** The error of a model that cannot be exported. */
export function noRecipe({ name, type }: LoadableModel): Error {
  if (type === 'random' || type === 'no_model') return unusableModel(`${name} needs no files`);
  if (type === 'detector' || type === 'owl' || type === 'cross_encoder') {
    return unusableModel(`${name} is published as a graph: run "pelorus models pull ${name}"`);
  }
  return unusableModel(
    `There is no recipe to export ${name}: its library is in no package index. Supply a graph for each tower`,
  );
}
