import type { PatchMethod } from '@pelorus/inference';

/** A model to load before anyone asks for it. */
export interface Preload {
  readonly model: string;
  /** Its own properties, where the name alone does not say what it is. */
  readonly modelProperties?: object;
}

/** Reads a JSON array of model names and of `{"model", "modelProperties"}`; undefined for anything else. */
export function parsePreloads(text: string): Preload[] | undefined {
  if (text === '') return [];
  const preloads = jsonArray(text)?.map(preloadOf);
  return preloads?.every((one) => one !== undefined) ? preloads : undefined;
}

function preloadOf(item: unknown): Preload | undefined {
  if (typeof item === 'string') return { model: item };
  const { model, modelProperties } = (item ?? {}) as Record<string, unknown>;
  const hasBoth = typeof model === 'string' && typeof modelProperties === 'object' && modelProperties !== null;
  return hasBoth ? { model, modelProperties } : undefined;
}

/** A patch method that asks a model. */
export type PatchDetector = Exclude<PatchMethod, 'simple'>;

/** Names of ways to take pictures apart, and the model that each asks; null for one that asks none. */
const PATCH_METHODS: ReadonlyMap<string, PatchDetector | null> = new Map([
  ['simple', null],
  ['overlap', null],
  ['fastercnn', 'frcnn'],
  ['frcnn', 'frcnn'],
  ['marqo-yolo', 'marqo-yolo'],
  ['yolox', 'marqo-yolo'],
  ['dino-v1', 'dino-v1'],
  ['dino-v2', 'dino-v2'],
  ['dino/v1', 'dino-v1'],
  ['dino/v2', 'dino-v2'],
]);

export const PATCH_METHOD_NAMES: readonly string[] = [...PATCH_METHODS.keys()];

/** Reads a JSON array of {@link PATCH_METHOD_NAMES} as the models that they ask, each once; undefined for anything else. */
export function parsePatchPreloads(text: string): PatchDetector[] | undefined {
  if (text === '') return [];
  const names = jsonArray(text);
  if (names === undefined) return undefined;
  const detectors = names.map((name) => PATCH_METHODS.get(name as string));
  if (detectors.some((detector) => detector === undefined)) return undefined;
  return [...new Set(detectors.filter((detector) => detector != null))];
}

function jsonArray(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
